//! What a kernel's own code says about the launches that are interesting for it.
//!
//! A search for launches that expose a bug has to know which arguments reach an
//! address or a branch around an access, which constants a parameter is compared
//! with, and which block size the index arithmetic was written for. All of it is
//! read off the SSA form: nothing is executed.
//!
//! Everything here is a hint. What it can miss: flow through control (a phi does
//! not depend on the branch that chose its value), wrap-around of integers (a
//! cast is taken to keep the value), addresses made from loaded pointers (they
//! may point anywhere), and fields of structs that are read at an offset that is
//! not constant. What it can claim too much: a branch that is never taken counts
//! as one that is. Block sizes ([`Hints::implied_block`], [`Hints::most_block`])
//! are guesses from the shape of sums.

mod affine;
mod graph;
mod members;
mod moves;
mod pairs;
mod params;
mod ranks;
#[cfg(test)]
mod tests;
mod updates;

use crate::cfg::Cfg;
use crate::flow::{Bases, Control, definitions};
use crate::{
    Array, AtomicOp, Barrier, BlockId, Kernel, Op, Operand, Reg, Scope, SiteId, Space, Special,
    Terminator, Ty,
};
use graph::{BLOCK, Graph, THREAD};
pub use pairs::Pairs;

/// Static knowledge about a kernel, for the choice of launches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// Axes of the thread index that reach an address, a stored value or a
    /// branch. Lane and warp numbers count as axis x, and so does the number of a thread in a block of any shape.
    pub thread_axes: [bool; 3],
    /// The same for the block index. A number drawn from a counter in global memory stands
    /// for axis x, where the kernel reads the block's dimension, or puts it into shared memory: it is another one in each
    /// block.
    pub block_axes: [bool; 3],
    /// Axes of the block's dimensions that the kernel reads.
    pub reads_block_dim: [bool; 3],
    /// Axes of the grid's dimensions that the kernel reads.
    pub reads_grid_dim: [bool; 3],
    /// The block dimension that constants in sums of thread and block indices
    /// imply, where the kernel does not read that dimension.
    pub implied_block: [Option<u32>; 3],
    /// The most threads along an axis for which every shared array that is
    /// subscripted by the bare thread index is large enough.
    pub most_block: [Option<u32>; 3],
    /// One for each of [`Kernel::params`].
    pub params: Vec<ParamHints>,
    /// Pairs of accesses that may touch the same memory, of which at least one writes and not both are atomic.
    pub pairs: Pairs,
    /// Barriers of the whole block that stand in a loop.
    pub loops_with_barrier: Vec<SiteId>,
    /// By site: the parameters whose memory holds what its address is computed from. Sorted.
    pub led_by: Vec<Vec<usize>>,
    /// By site of a store: the arguments and variables whose memory holds what the value is computed from.
    pub stored_from: Vec<Vec<Array>>,
    /// By site: whether its address was chosen by comparing elements of arrays with each other, as a rank is.
    pub ranked: Vec<bool>,
    /// The parameters whose elements are compared so. Sorted.
    pub ranked_by: Vec<usize>,
    /// By site: the members of structs in arrays ([`ArrayHints::members`]) that its address is computed from, by parameter
    /// and offset. Sorted.
    pub led_by_members: Vec<Vec<(usize, u32)>>,
    /// By site: the member that it reads, by parameter and offset; atomics read.
    pub member_at: Vec<Option<(usize, u32)>>,
    /// Those that are compared as [`Hints::ranked_by`] says. Sorted.
    pub ranked_by_members: Vec<(usize, u32)>,
    /// Axes along which the thread index is only ever part of the number of the thread in the grid: nothing tells the
    /// threads of a block from those of others.
    pub only_in_grid: [bool; 3],
    /// By site: the axes of the thread index that its address is computed from.
    pub addressed_by: Vec<[bool; 3]>,
    /// Stores that add to an element of the same array, or replace it if it is smaller and the like.
    pub updates: Vec<SiteId>,
    /// Blocks whose branch decides, directly or not, whether some access to
    /// shared or global memory or some barrier is executed.
    pub access_branches: Vec<BlockId>,
}

/// How a parameter, or a field of one, is used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParamHints {
    /// Constants that it is compared with, after undoing additions and
    /// multiplications by constants on the way; also those of `min` and `max`. The
    /// bits of a value of the parameter's own type, sorted.
    pub compared_with: Vec<u64>,
    /// Per axis: whether it is found to be less or more than something that depends on the thread or block index of that
    /// axis. That an index equals it says nothing about those beyond.
    pub compared_with_index: [bool; 3],
    /// Something that depends on a thread or block index is found to be equal to it, or not: it picks out some threads.
    pub equals_index: bool,
    /// Compared with a value that a loop carries.
    pub bounds_loop: bool,
    /// Multiplies something, and the product reaches an address: a stride or the
    /// length of a row.
    pub multiplies_index: bool,
    /// Multiplies itself on the way to an address: `i * (n * n)`.
    pub multiplies_itself: bool,
    /// Axes of thread and block indices that it multiplies on the way to an
    /// address.
    pub multiplies_index_of: [bool; 3],
    /// What it is part of is added, on the way to an address, to something else that depends on a thread or block index: where
    /// it multiplies, it is the length of a row that threads share, not of one thread's part.
    pub beside_index: bool,
    /// Is a term of a sum that reaches an address.
    pub added_to_index: bool,
    /// Is where a term of such a sum begins that a loop changes from round to round.
    pub added_in_rounds: bool,
    /// Is multiplied by the length of a row, and by nothing that differs between threads or rounds: it says which row.
    /// It is no stride then, so `multiplies_index` is false.
    pub picks_row: bool,
    /// Is an index, or part of one, that no thread or block index is part of: it names one element for all.
    pub names_element: bool,
    /// Is a divisor or a modulus.
    pub divides: bool,
    /// Is a divisor or a modulus of something that differs between threads or rounds.
    pub cuts_index: bool,
    /// Is a modulus and never a divisor: what it makes of an index is no longer
    /// unique.
    pub wraps: bool,
    /// What differs between threads is cut into a quotient by it and a remainder, and of what it multiplies on the way to
    /// an address, all are such quotients: the parts of threads lie one behind the other, however long they are.
    pub splits: bool,
    /// One less than it masks an index: a remainder, where it is a power of two, and nothing sensible otherwise.
    pub masks: bool,
    /// Flips bits of something that differs between threads (`i ^ j`): how far away a thread's partner is.
    pub flips: bool,
    /// Constants that it is divided by, or whose remainder is taken. Sorted.
    pub divided_by: Vec<u64>,
    /// Is the distance of a shift.
    pub shifts: bool,
    /// Used, and only in comparisons with constants or as a truth value: a mode
    /// or a flag.
    pub selects: bool,
    pub reaches_address: bool,
    /// Reaches a branch around an access or a barrier.
    pub guards_access: bool,
    /// No operation reads it.
    pub unused: bool,
    /// For pointers: what happens to the memory behind them.
    pub array: Option<ArrayHints>,
    /// For structs passed by value: the fields that are read at constant
    /// offsets, by offset.
    pub fields: Vec<FieldHints>,
}

/// A field of a struct parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldHints {
    /// Bytes from the start of the struct.
    pub offset: u32,
    pub ty: Ty,
    pub is_pointer: bool,
    /// As for a parameter of its own; a pointer has [`ParamHints::array`].
    pub hints: ParamHints,
}

/// How the memory behind a pointer parameter is used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArrayHints {
    /// Its contents are indices.
    pub value_reaches_address: bool,
    /// Its contents are indices of private arrays.
    pub value_reaches_private: bool,
    /// Its contents decide a branch around an access or a barrier.
    pub value_guards_access: bool,
    /// Its contents decide whether a loop goes on.
    pub value_bounds_loop: bool,
    /// Its contents are compared with what a loop counts, or are what it counts down, and that decides whether the loop
    /// goes on.
    pub value_limits_loop: bool,
    /// Constants that loaded values are compared with: the type of the
    /// comparison and the bits. Sorted.
    pub compared_with: Vec<(Ty, u64)>,
    /// Its elements are compared with one another, or ranked by those of another array, on the way to an access: a search,
    /// a merge, or the end of a run of equal ones.
    pub compared_with_elements: bool,
    pub read: bool,
    /// Written, atomically or not.
    pub written: bool,
    /// The address of a store that is not atomic depends on its contents.
    pub index_written_through: bool,
    /// The type as which it is read, where that is one.
    pub loads_ty: Option<Ty>,
    /// Elements, or parts of them, are copied as they are.
    pub copied: bool,
    /// Where it is an array of structs: the members that are read, by offset. None if some read is of no member that is
    /// known.
    pub members: Vec<MemberHints>,
}

/// A member of the structs that an array holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberHints {
    /// Bytes from the start of the struct.
    pub offset: u32,
    pub ty: Ty,
    /// Elements, where the member is an array: as far as nothing else is read behind it.
    pub count: u32,
    /// Bytes from one of these to the next.
    pub step: u32,
    /// What happens to it, as for an array of its own.
    pub array: ArrayHints,
}

/// For each site, the parameters whose memory holds what its address is computed from.
fn led_by(graph: &Graph) -> Vec<Vec<usize>> {
    let mut led = vec![Vec::new(); graph.kernel.sites.len()];
    for inst in graph.kernel.insts() {
        for (operand, site, _) in graph::addresses(&inst.op) {
            let leaders = &mut led[site.0 as usize];
            leaders.extend(graph.leaders(operand));
            leaders.sort_unstable();
            leaders.dedup();
        }
    }
    led
}

/// For each site of a store, the arguments and variables whose memory holds what the value is computed from.
fn stored_from(graph: &Graph) -> Vec<Vec<Array>> {
    let mut from = vec![Vec::new(); graph.kernel.sites.len()];
    for inst in graph.kernel.insts() {
        match &inst.op {
            Op::Store { site, values, .. } => {
                from[site.0 as usize].extend(values.iter().flat_map(|&v| graph.stood_in(v)));
            }
            Op::MemCopy { write, src, .. } | Op::GroupCopy { write, src, .. } => {
                from[write.0 as usize].extend(graph.lies_in(*src));
            }
            _ => {}
        }
    }
    from
}

/// The same for members of structs in arrays.
fn led_by_members(graph: &Graph) -> Vec<Vec<(usize, u32)>> {
    let mut led = vec![Vec::new(); graph.kernel.sites.len()];
    for inst in graph.kernel.insts().filter(|_| !graph.members.list.is_empty()) {
        for (operand, site, _) in graph::addresses(&inst.op) {
            let leaders = &mut led[site.0 as usize];
            let members = graph.leading_members(operand).into_iter();
            leaders.extend(members.map(|m| graph.members.list[m]).map(|m| (m.param, m.offset)));
            leaders.sort_unstable();
            leaders.dedup();
        }
    }
    led
}

/// The members of structs in arrays that are compared to rank something.
fn ranked_by_members(graph: &Graph) -> Vec<(usize, u32)> {
    let ranks = |inst: &&_| params::compares_elements(graph, inst).is_some();
    let ranks = graph.kernel.insts().filter(|_| !graph.members.list.is_empty()).filter(ranks);
    let members = ranks.flat_map(|inst| params::compared_members(graph, inst));
    let mut by: Vec<_> =
        members.map(|m| graph.members.list[m]).map(|m| (m.param, m.offset)).collect();
    by.sort_unstable();
    by.dedup();
    by
}

/// For each site, whether a comparison of elements chose its address, and whose elements are compared.
fn ranked(graph: &Graph) -> (Vec<bool>, Vec<usize>) {
    let mut ranked = vec![false; graph.kernel.sites.len()];
    let compared = |inst: &_| params::compares_elements(graph, inst);
    let mut by: Vec<usize> = graph.kernel.insts().filter_map(compared).flatten().collect();
    by.sort_unstable();
    by.dedup();
    let chosen = graph.chosen_by(|inst| compared(inst).is_some());
    for inst in graph.kernel.insts() {
        for (operand, site, _) in graph::addresses(&inst.op) {
            let Operand::Reg(r) = operand else { continue };
            ranked[site.0 as usize] |= chosen[r.0 as usize];
        }
    }
    (ranked, by)
}

/// For each site, the axes of the thread index that its address is computed from.
fn addressed_by(graph: &Graph) -> Vec<[bool; 3]> {
    let mut axes = vec![[false; 3]; graph.kernel.sites.len()];
    for inst in graph.kernel.insts() {
        for (operand, site, _) in graph::addresses(&inst.op) {
            for (a, axis) in axes[site.0 as usize].iter_mut().enumerate() {
                *axis |= graph.has(operand, THREAD + a);
            }
        }
    }
    axes
}

/// Whether what an atomic counted in global memory is used.
fn draws_numbers(kernel: &Kernel) -> bool {
    let mut drawn = Vec::new();
    for inst in kernel.insts() {
        if let (Op::Atomic { op, site, .. }, Some(dst)) = (&inst.op, inst.dst)
            && matches!(op, AtomicOp::Add | AtomicOp::Sub | AtomicOp::Inc)
            && matches!(kernel.site(*site).space, Space::Global | Space::Generic)
        {
            drawn.push(Operand::Reg(dst));
        }
    }
    let mut used = false;
    for block in kernel.blocks.iter().filter(|_| !drawn.is_empty()) {
        used |= block.phis.iter().flat_map(|p| &p.incoming).any(|(_, o)| drawn.contains(o));
        for inst in &block.insts {
            inst.op.for_each_operand(|o| used |= drawn.contains(&o));
        }
        if let Terminator::Branch { cond, .. } = block.term {
            used |= drawn.contains(&cond);
        }
    }
    used
}

/// Whether what an atomic counted in global memory is put into shared memory: a block fetches its number, or its next piece
/// of work, for all of its threads, and so do others.
fn fetches_work(kernel: &Kernel) -> bool {
    let mut drawn = vec![false; kernel.regs.len()];
    for inst in kernel.insts() {
        if let (Op::Atomic { op: AtomicOp::Add | AtomicOp::Inc, site, .. }, Some(dst)) =
            (&inst.op, inst.dst)
        {
            drawn[dst.0 as usize] =
                matches!(kernel.site(*site).space, Space::Global | Space::Generic);
        }
    }
    let is_drawn = |o: &Operand| matches!(o, Operand::Reg(r) if drawn[r.0 as usize]);
    kernel.insts().any(|inst| match &inst.op {
        Op::Store { site, values, .. } => {
            kernel.site(*site).space == Space::Shared && values.iter().any(is_drawn)
        }
        _ => false,
    })
}

/// Whether blocks talk to each other, be it without knowing their numbers: a thread waits for an atomic of the whole device in
/// global memory or for a volatile flag there, for a lock or for what another block counts; or it looks at what a lock held that it
/// tries to take.
fn talks_to_blocks(kernel: &Kernel, cfg: &Cfg) -> bool {
    let waits = crate::waits::waits(kernel, cfg);
    let mut used = vec![false; kernel.regs.len()];
    kernel.insts().for_each(|inst| {
        inst.op.for_each_operand(|o| {
            if let Operand::Reg(r) = o {
                used[r.0 as usize] = true;
            }
        });
    });
    let is_used = |reg: Reg| used[reg.0 as usize];
    kernel.insts().any(|inst| match inst.op {
        Op::Atomic { op, site, scope: Scope::Device | Scope::System, .. } => {
            let takes = matches!(op, AtomicOp::CompareExchange | AtomicOp::Exchange)
                && inst.dst.is_some_and(is_used);
            matches!(kernel.site(site).space, Space::Global | Space::Generic)
                && (takes || waits.iter().any(|w| w.reads.contains(&site)))
        }
        Op::Load { site, .. } if kernel.site(site).volatile => {
            kernel.site(site).space == Space::Global
                && waits.iter().any(|w| w.reads.contains(&site))
        }
        _ => false,
    })
}

impl Hints {
    pub fn of(kernel: &Kernel) -> Hints {
        let cfg = Cfg::new(kernel);
        let defs = definitions(kernel);
        let bases = Bases::new(kernel, &defs);
        let control = Control::new(kernel, &cfg);
        let graph = Graph::new(kernel, &cfg, &defs, &bases, &control);
        let mut hints = Hints { params: params::param_hints(&graph, &control), ..Hints::default() };
        hints.axes(&graph);
        hints.block_axes[0] |= hints.reads_block_dim[0] && draws_numbers(kernel);
        hints.block_axes[0] |= fetches_work(kernel) || talks_to_blocks(kernel, &cfg);
        let blocks = affine::block_hints(&graph, &control, hints.reads_block_dim);
        hints.implied_block = blocks.implied;
        hints.most_block = blocks.most;
        hints.only_in_grid = blocks.only_in_grid;
        hints.led_by = led_by(&graph);
        hints.stored_from = stored_from(&graph);
        hints.led_by_members = led_by_members(&graph);
        hints.ranked_by_members = ranked_by_members(&graph);
        hints.member_at = graph.members.at.clone();
        (hints.ranked, hints.ranked_by) = ranked(&graph);
        hints.addressed_by = addressed_by(&graph);
        hints.pairs = Pairs::of(&graph);
        hints.updates = updates::updates(kernel, &defs, &bases);
        let decides = graph.access_branches.iter().enumerate().filter(|(_, d)| **d);
        hints.access_branches = decides.map(|(b, _)| BlockId(b as u32)).collect();
        for &b in cfg.order.iter().filter(|b| cfg.innermost[b.0 as usize].is_some()) {
            for inst in &kernel.block(b).insts {
                if let Op::Barrier { site, barrier: Barrier::Block { .. } } = inst.op {
                    hints.loops_with_barrier.push(site);
                }
            }
        }
        hints.loops_with_barrier.sort();
        hints
    }

    fn axes(&mut self, graph: &Graph) {
        let mut reached = |o: Operand| {
            for a in 0..3 {
                self.thread_axes[a] |= graph.has(o, THREAD + a);
                self.block_axes[a] |= graph.has(o, BLOCK + a);
            }
        };
        for &b in &graph.cfg.order {
            let block = graph.kernel.block(b);
            for inst in &block.insts {
                let site = inst.op.site();
                let private = site.is_some_and(|s| graph.kernel.site(s).space == Space::Private);
                match &inst.op {
                    Op::Special(Special::BlockDim(a)) => self.reads_block_dim[*a as usize] = true,
                    Op::Special(Special::GridDim(a)) => self.reads_grid_dim[*a as usize] = true,
                    Op::Select { cond, .. } => reached(*cond),
                    op if site.is_some() && !private => op.for_each_operand(&mut reached),
                    _ => {}
                }
            }
            if let Terminator::Branch { cond, .. } = block.term {
                reached(cond);
            }
        }
        // What only numbers the threads of any block, or the blocks of any grid, is not asked for.
        let threads = ranks::Axes { index: Special::ThreadId, extent: Special::BlockDim };
        let blocks = ranks::Axes { index: Special::BlockId, extent: Special::GridDim };
        if threads.are_only_ranks(graph) {
            self.thread_axes[1..].fill(false);
            self.reads_block_dim[1..].fill(false);
        }
        if blocks.are_only_ranks(graph) {
            self.block_axes[1..].fill(false);
            self.reads_grid_dim[1..].fill(false);
        }
    }
}
