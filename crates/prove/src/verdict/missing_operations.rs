//! Bugs that a kernel cannot have because it lacks the operations for them: proofs by inspecting its operations,
//! without a solver.
//!
//! - `assertion`: it asserts nothing and traps nowhere.
//! - `redundant-barrier`: it has no barrier. `barrier-divergence`: nor any operation that lanes of a warp execute
//!   together.
//! - `missing-fence`: no order can be established through an atomic or a volatile access, because there is none. Where
//!   there are atomics whose results are unused, and the absence of races is proved, that proof has used no order
//!   through them; so it holds for all pairs of accesses without a fence.
//! - `deadlock`: no thread waits for another. There is no loop that may wait ([`never_waits`]), no barrier except those
//!   of a whole block, no warp operation with a mask; and where there are barriers, it is proved that they do not
//!   diverge.
//! - `misaligned`: every scalar access has at least the alignment of its type, and every address is computed from
//!   multiples of it ([`Alignment`]), assuming that each pointer is aligned for the type that it is declared to point
//!   to, as C requires of a caller.
//! - `use-after-free`: nothing is freed, and there are no bulk copies, which may read shared memory after its block. The verdict is `clean`, not `proved`: a variable that is used after its scope
//!   cannot be seen any more, because it is a register.
//!
//! For a kernel with a gap (an operation that is not modelled, a function that is not defined) there is no verdict.
//!
//! What it can miss: loops that wait for nothing are assumed to terminate. A host that writes memory while the kernel
//! runs is considered only where a loop reads it.

use lockstep_finding::{Claim, Condition, Kind, Verdict};
use lockstep_kernel::cfg::{Cfg, Loop};
use lockstep_kernel::{
    AtomicOp, Barrier, BlockId, CastOp, CmpOp, CopyDone, Inst, IntOp, Kernel, Op, Operand,
    ParamKind, Phi, Reg, SiteId, Special, Terminator,
};

use crate::launch::MOST_NUMBERED;

/// The verdicts found in this way, in addition to or instead of an engine's. `known` gives the engines' verdicts on
/// races and barriers.
pub fn absent<'v>(
    kernel: &Kernel,
    known: &dyn Fn(Kind) -> Option<&'v Verdict>,
) -> Vec<(Kind, Verdict)> {
    let is_gap = |i: &Inst| matches!(i.op, Op::Foreign { .. } | Op::Unsupported(_));
    if !kernel.unsupported.is_empty() || kernel.insts().any(is_gap) {
        return Vec::new();
    }
    let lacks = |f: fn(&Op) -> bool| !kernel.insts().any(|i| f(&i.op));
    let proved = || Verdict::Proved { assumes: Vec::new() };
    let mut out = Vec::new();
    if lacks(|op| matches!(op, Op::Assert { .. })) {
        out.push((Kind::Assertion, proved()));
    }
    if lacks(|op| matches!(op, Op::Free { .. }) || is_bulk(op)) {
        out.push((
            Kind::UseAfterFree,
            Verdict::Clean { covered: "code that frees nothing".into() },
        ));
    }
    if lacks(|op| matches!(op, Op::Fence { .. })) {
        out.push((Kind::RedundantFence, proved()));
    }
    let no_barrier = lacks(|op| matches!(op, Op::Barrier { .. }));
    if no_barrier {
        out.push((Kind::RedundantBarrier, proved()));
    }
    let known = |kind: Kind| known(kind).filter(|v| matches!(v, Verdict::Proved { .. })).cloned();
    match signals(kernel) {
        Signals::None => out.push((Kind::MissingFence, proved())),
        Signals::Unheard => {
            out.extend(known(Kind::DataRace).map(|v| (Kind::MissingFence, v)));
        }
        Signals::Heard => {}
    }
    let alone = no_barrier && lacks(waits_for_others);
    if alone {
        out.push((Kind::BarrierDivergence, proved()));
    }
    let together = if alone { Some(proved()) } else { known(Kind::BarrierDivergence) };
    if lacks(waits_for_others)
        && let Some(Verdict::Proved { mut assumes }) = together
        && let Some(counted) = nobody_waits(kernel)
    {
        Condition::add(&mut assumes, counted.into_iter().map(Condition::from));
        out.push((Kind::Deadlock, Verdict::Proved { assumes }));
    }
    if Alignment::of(kernel).is_kept() {
        out.push((Kind::Misaligned, proved()));
    }
    out
}

/// Copies that do not go through the memory that the threads see.
fn is_bulk(op: &Op) -> bool {
    matches!(op, Op::MemCopy { done: CopyDone::Group { bulk: true } | CopyDone::Signal(_), .. })
}

/// Operations at which a thread waits, except the barrier of a whole block.
fn waits_for_others(op: &Op) -> bool {
    match op {
        Op::Barrier { barrier: Barrier::Block { id, threads, .. }, .. } => {
            threads.is_some() || *id != Operand::Imm(0)
        }
        Op::Barrier { .. } | Op::Match { .. } | Op::MatrixProduct { .. } => true,
        Op::Shuffle { mask, .. } | Op::Vote { mask, .. } => mask.is_some(),
        _ => false,
    }
}

/// Communication between threads through atomics and volatile accesses.
enum Signals {
    /// There is none, and there are no fences.
    None,
    /// There are atomics, but their results are unused.
    Unheard,
    Heard,
}

fn signals(kernel: &Kernel) -> Signals {
    let mut results = vec![false; kernel.regs.len()];
    let mut signals = Signals::None;
    for inst in kernel.insts() {
        match inst.op {
            // A fence implies that some order is intended.
            Op::Atomic { op: AtomicOp::Load, .. } | Op::Fence { .. } => return Signals::Heard,
            // They may need a proxy fence.
            _ if is_bulk(&inst.op) => return Signals::Heard,
            Op::Atomic { .. } => {
                signals = Signals::Unheard;
                for r in inst.dst.iter() {
                    results[r.0 as usize] = true;
                }
            }
            _ => {}
        }
    }
    let mut used = kernel.sites.iter().any(|s| s.volatile);
    let mut see = |o: Operand| used |= matches!(o, Operand::Reg(r) if results[r.0 as usize]);
    for block in &kernel.blocks {
        block.phis.iter().flat_map(|p| &p.incoming).for_each(|(_, o)| see(*o));
        block.insts.iter().for_each(|i| i.op.for_each_operand(&mut see));
        if let Terminator::Branch { cond, .. } = block.term {
            see(cond);
        }
    }
    if used { Signals::Heard } else { signals }
}

/// The conditions under which no thread may wait in a loop for an action of another thread.
fn nobody_waits(kernel: &Kernel) -> Option<Vec<Claim>> {
    let cfg = Cfg::new(kernel);
    let values = Values::new(kernel)?;
    let mut assumes = Vec::new();
    for l in &cfg.loops {
        for condition in never_waits(kernel, &cfg, &values, l)? {
            if !assumes.contains(&condition) {
                assumes.push(condition);
            }
        }
    }
    Some(assumes)
}

/// The conditions under which a loop does not wait for an action of another thread.
///
/// - Each iteration executes all exit branches, and each of them depends only on values that the thread holds in
///   registers, at least one on a value that changes. Then the loop may be infinite, but not because it waits for
///   another thread. A branch within the loop that selects between values makes them depend on more than that, so only
///   values carried by a φ of the header count, with the same operand for every back edge.
/// - Or each iteration executes an exit branch that is taken when an induction variable with a fixed non-zero step has
///   reached a bound, wherever the bound is read from: a thread that changes the bound can make the loop longer, but
///   the loop needs no other thread to terminate. The variable must reach the bound before it overflows ([`Way`]).
///
/// One branch of the first kind beside others is not enough: a variable that cycles through some values need not ever
/// reach the one that ends the loop, and then the loop depends on the other exits.
fn never_waits(kernel: &Kernel, cfg: &Cfg, values: &Values, l: &Loop) -> Option<Vec<Claim>> {
    let inside = |b: &BlockId| l.blocks.contains(b);
    let again: Vec<BlockId> =
        cfg.predecessors[l.head.0 as usize].iter().copied().filter(inside).collect();
    // The loop has an entry other than its header.
    if l.blocks.iter().any(|b| !cfg.dominates(l.head, *b)) {
        return None;
    }
    let passed = |from: BlockId| match kernel.block(from).term {
        Terminator::Branch { cond, then, .. } => {
            again.iter().all(|b| cfg.dominates(from, *b)).then_some((cond, inside(&then)))
        }
        _ => None,
    };
    let decides = |(from, _): &(BlockId, BlockId)| values.is_own(passed(*from)?.0, l);
    let own: Option<Vec<bool>> = l.exits.iter().map(decides).collect();
    if own.is_some_and(|changes| changes.contains(&true)) {
        return Some(Vec::new());
    }
    l.exits.iter().find_map(|(from, _)| {
        let (cond, stays) = passed(*from)?;
        values.comes_to_bound(cond, stays, l)
    })
}

/// The definition of each register.
struct Values<'k> {
    made: Vec<Option<(BlockId, Made<'k>)>>,
}

#[derive(Clone, Copy)]
enum Made<'k> {
    Phi(&'k Phi),
    Inst(&'k Inst),
}

impl<'k> Values<'k> {
    /// `None` if a register has more than one definition.
    fn new(kernel: &'k Kernel) -> Option<Values<'k>> {
        let mut made: Vec<Option<(BlockId, Made)>> = vec![None; kernel.regs.len()];
        let mut define = |r: u32, by: (BlockId, Made<'k>)| made[r as usize].replace(by).is_none();
        for (b, block) in kernel.blocks.iter().enumerate() {
            let b = BlockId(b as u32);
            if !block.phis.iter().all(|p| define(p.dst.0, (b, Made::Phi(p)))) {
                return None;
            }
            for inst in &block.insts {
                let Some(Reg(first)) = inst.dst else { continue };
                let mut all = first..first + inst.op.result_count();
                if !all.all(|r| define(r, (b, Made::Inst(inst)))) {
                    return None;
                }
            }
        }
        Some(Values { made })
    }

    /// Whether a value changes between iterations; `None` unless it depends on the thread's own computation only.
    /// Reading a clock waits for no other thread.
    fn is_own(&self, value: Operand, l: &Loop) -> Option<bool> {
        let mut changes = false;
        let is_own = self.walk(value, l, |r, b, made| match made {
            Made::Phi(phi) if b == l.head => {
                let next = carried_round(phi, l)?;
                changes |= next != Operand::Reg(r);
                Some(vec![next])
            }
            // A selection by a branch.
            Made::Phi(_) => None,
            Made::Inst(inst) => inst.op.is_pure().then(|| operands(&inst.op)),
        });
        is_own.then_some(changes)
    }

    /// Walks from a value back to its operands within a loop, as given by `parts`; false where `parts` returns `None`.
    fn walk(
        &self,
        value: Operand,
        l: &Loop,
        mut parts: impl FnMut(Reg, BlockId, Made<'k>) -> Option<Vec<Operand>>,
    ) -> bool {
        let (mut work, mut seen) = (vec![value], Vec::new());
        while let Some(o) = work.pop() {
            let Operand::Reg(r) = o else { continue };
            let Some((b, made)) = self.made[r.0 as usize] else { continue };
            if seen.contains(&r) || !l.blocks.contains(&b) {
                continue;
            }
            seen.push(r);
            match parts(r, b, made) {
                Some(more) => work.extend(more),
                None => return false,
            }
        }
        true
    }

    /// The conditions under which a comparison that is true (`stays`) or false while a loop continues compares an
    /// induction variable with a bound that it approaches by a fixed step in each iteration, and reaches.
    fn comes_to_bound(&self, cond: Operand, stays: bool, l: &Loop) -> Option<Vec<Claim>> {
        let Operand::Reg(r) = cond else { return None };
        let Some((_, Made::Inst(Inst { op: Op::Cmp { op, ty, a, b }, .. }))) =
            self.made[r.0 as usize]
        else {
            return None;
        };
        let (below, strict) = match (op, stays) {
            (CmpOp::SLt | CmpOp::ULt, true) | (CmpOp::SGe | CmpOp::UGe, false) => (true, true),
            (CmpOp::SLe | CmpOp::ULe, true) | (CmpOp::SGt | CmpOp::UGt, false) => (true, false),
            (CmpOp::SGt | CmpOp::UGt, true) | (CmpOp::SLe | CmpOp::ULe, false) => (false, true),
            (CmpOp::SGe | CmpOp::UGe, true) | (CmpOp::SLt | CmpOp::ULt, false) => (false, false),
            _ => return None,
        };
        let signed = matches!(op, CmpOp::SLt | CmpOp::SLe | CmpOp::SGt | CmpOp::SGe);
        let goes = |side: Operand, bound: Operand, up: bool| {
            let phi = self.carried(side, l)?;
            let step = self.step(phi, l).filter(|s| s.up == up && self.is_bound(bound, l))?;
            let (_, Made::Phi(Phi { ty: counted, .. })) = self.made[phi.0 as usize]? else {
                return None;
            };
            let way = Way { up, signed, strict, compared: ty.bits(), counted: counted.bits() };
            way.ends(&step, bound).then_some(step.assumes)
        };
        goes(*a, *b, below).or_else(|| goes(*b, *a, !below))
    }

    /// Whether a value is loop-invariant, except for memory that other threads may write.
    fn is_bound(&self, value: Operand, l: &Loop) -> bool {
        self.is_made(value, l, |op| {
            op.is_pure() || matches!(op, Op::Load { .. } | Op::Atomic { .. })
        })
    }

    /// The loop-carried register that a value is, up to a loop-invariant addend or a change of width. An addend in the
    /// wider type would change the range of the narrower variable.
    fn carried(&self, mut value: Operand, l: &Loop) -> Option<Reg> {
        let mut moved = false;
        for _ in 0..MOST_STEPS {
            let Operand::Reg(r) = value else { return None };
            let (b, made) = self.made[r.0 as usize]?;
            if !l.blocks.contains(&b) {
                return None;
            }
            value = match made {
                Made::Phi(_) => return (b == l.head).then_some(r),
                Made::Inst(inst) => match inst.op {
                    Op::Cast { op: CastOp::ZExt | CastOp::SExt, a, .. } if !moved => a,
                    Op::Copy { a, .. } => a,
                    Op::Int { op, a, b, .. } => {
                        moved = true;
                        match op {
                            IntOp::Add | IntOp::Sub if self.stays(b, l) => a,
                            IntOp::Add if self.stays(a, l) => b,
                            _ => return None,
                        }
                    }
                    _ => return None,
                },
            };
        }
        None
    }

    /// The amount that each iteration adds to or subtracts from a loop-carried register, if it is loop-invariant.
    fn step(&self, phi: Reg, l: &Loop) -> Option<Step> {
        let (_, Made::Phi(made)) = self.made[phi.0 as usize]? else { return None };
        let Operand::Reg(next) = carried_round(made, l)? else { return None };
        let (b, Made::Inst(Inst { op: Op::Int { op, ty, a, b: by }, .. })) =
            self.made[next.0 as usize]?
        else {
            return None;
        };
        let (from, by) = match op {
            IntOp::Add if self.stays(*by, l) => (*a, *by),
            IntOp::Add if self.stays(*a, l) => (*by, *a),
            IntOp::Sub if self.stays(*by, l) => (*a, *by),
            _ => return None,
        };
        if from != Operand::Reg(phi) || !l.blocks.contains(&b) {
            return None;
        }
        let adds = *op == IntOp::Add;
        let Operand::Imm(by) = by else {
            let assumes = self.dimensions(by)?;
            return Some(Step { up: adds, by: u64::from(MOST_NUMBERED), assumes });
        };
        let is_negative = by >> (ty.bits() - 1) & 1 == 1;
        let by = if is_negative { by.wrapping_neg() & ty.mask() } else { by & ty.mask() };
        let up = is_negative != adds;
        (by != 0).then_some(Step { up, by, assumes: Vec::new() })
    }

    /// The conditions under which a value is positive: the size of the block or of the grid, or the number of threads
    /// of the grid, along an axis.
    fn dimensions(&self, value: Operand) -> Option<Vec<Claim>> {
        use Special::{BlockDim, GridDim, WarpSize};
        match *self.made_by(value)? {
            Op::Special(BlockDim(_) | GridDim(_) | WarpSize) => Some(Vec::new()),
            Op::Int { op: IntOp::Mul, a, b, .. } => {
                let axis = match (self.made_by(a)?, self.made_by(b)?) {
                    (Op::Special(BlockDim(x)), Op::Special(GridDim(y)))
                    | (Op::Special(GridDim(x)), Op::Special(BlockDim(y)))
                        if x == y =>
                    {
                        usize::from(*x)
                    }
                    _ => return None,
                };
                Some(vec![crate::condition::hidden::numbered(axis)])
            }
            _ => None,
        }
    }

    /// The operation that computes a value, ignoring changes of width: the value must be small enough not to be
    /// truncated.
    fn made_by(&self, mut value: Operand) -> Option<&'k Op> {
        for _ in 0..MOST_STEPS {
            let Operand::Reg(r) = value else { return None };
            let (_, Made::Inst(inst)) = self.made[r.0 as usize]? else { return None };
            match &inst.op {
                Op::Cast { op: CastOp::ZExt | CastOp::SExt | CastOp::Trunc, a, to, .. }
                    if to.bytes() >= 4 =>
                {
                    value = *a;
                }
                Op::Copy { a, .. } => value = *a,
                op => return Some(op),
            }
        }
        None
    }

    /// Whether a value is loop-invariant.
    fn stays(&self, value: Operand, l: &Loop) -> bool {
        self.is_made(value, l, Op::is_pure)
    }

    /// Whether a value is computed, within a loop, by such operations only, and from nothing that the loop carries.
    fn is_made(&self, value: Operand, l: &Loop, by: impl Fn(&Op) -> bool) -> bool {
        self.walk(value, l, |_, _, made| match made {
            Made::Inst(Inst { op: Op::Special(Special::Clock), .. }) => None,
            Made::Inst(inst) => by(&inst.op).then(|| operands(&inst.op)),
            Made::Phi(_) => None,
        })
    }
}

fn operands(op: &Op) -> Vec<Operand> {
    let mut out = Vec::new();
    op.for_each_operand(|o| out.push(o));
    out
}

/// The step of an induction variable.
struct Step {
    up: bool,
    /// An upper bound of the step.
    by: u64,
    /// The conditions under which the step is not zero.
    assumes: Vec<Claim>,
}

/// The condition for continuing a loop: a variable of `counted` bits, extended to `compared` bits where that is more,
/// is below (`up`) or above a bound, or, unless `strict`, equal to it.
struct Way {
    up: bool,
    signed: bool,
    strict: bool,
    compared: u32,
    counted: u32,
}

impl Way {
    /// Whether a variable with such a step passes the bound before it overflows.
    ///
    /// A bound that is not a constant is assumed not to be so close to the largest number that a step exceeds both; but
    /// it may be zero, or the result of subtracting one from zero.
    fn ends(&self, step: &Step, bound: Operand) -> bool {
        let Operand::Imm(bound) = bound else {
            let is_wide = self.counted >= 32 || self.counted == self.compared;
            let never_wraps = match (self.up, self.signed && self.counted == self.compared) {
                (_, true) => true,
                (true, false) => self.strict,
                (false, false) => self.strict && step.by == 1,
            };
            return is_wide && never_wraps;
        };
        // The range in which the variable does not overflow, signed or unsigned, whatever its extension.
        let (least, most) = match (self.signed, self.counted == self.compared) {
            (true, true) => (-1i128 << (self.counted - 1), (1i128 << (self.counted - 1)) - 1),
            (false, true) => (0, (1i128 << self.counted) - 1),
            (_, false) => (0, (1i128 << (self.counted - 1)) - 1),
        };
        let mask = (1i128 << self.compared) - 1;
        let bound = i128::from(bound) & mask;
        let is_negative = self.signed && bound >> (self.compared - 1) & 1 == 1;
        let bound = if is_negative { bound - mask - 1 } else { bound };
        let (by, strict) = (i128::from(step.by), i128::from(self.strict));
        // The last value for which the loop continues, and the value after the next step.
        if self.up { bound - strict + by <= most } else { bound + strict - by >= least }
    }
}

/// The φ operand for the back edges, if it is the same for all of them.
fn carried_round(phi: &Phi, l: &Loop) -> Option<Operand> {
    let mut rounds = phi.incoming.iter().filter(|(from, _)| l.blocks.contains(from));
    let (_, first) = rounds.next()?;
    rounds.all(|(_, o)| o == first).then_some(*first)
}

/// Maximum number of steps from a comparison back to the induction variable.
const MOST_STEPS: usize = 16;

/// How many of the lowest bits of each register are known to be zero.
///
/// The greatest fixed point over all operations: wrapping and casts preserve low bits.
struct Alignment<'k> {
    kernel: &'k Kernel,
    zeros: Vec<u32>,
}

/// More than any alignment requires.
const MOST: u32 = 32;

impl<'k> Alignment<'k> {
    fn of(kernel: &'k Kernel) -> Alignment<'k> {
        let mut zeros = vec![MOST; kernel.regs.len()];
        for param in &kernel.params {
            match param.kind {
                ParamKind::Scalar { count, .. } => {
                    let first = param.reg.0 as usize;
                    zeros[first..first + count as usize].fill(0);
                }
                ParamKind::Buffer { .. } | ParamKind::Local { .. } => {
                    zeros[param.reg.0 as usize] = of_constant(param.align.max(1).into());
                }
                ParamKind::Aggregate { align, .. } => {
                    zeros[param.reg.0 as usize] = of_constant(align.max(1).into());
                }
            }
        }
        let mut out = Alignment { kernel, zeros };
        let mut changed = true;
        while changed {
            changed = false;
            for block in &kernel.blocks {
                for phi in &block.phis {
                    let all = phi.incoming.iter().map(|(_, o)| out.operand(*o)).min();
                    changed |= out.lower(phi.dst.0, all.unwrap_or(0));
                }
                for inst in &block.insts {
                    let Some(Reg(first)) = inst.dst else { continue };
                    let made = out.made(&inst.op);
                    for r in first..first + inst.op.result_count() {
                        changed |= out.lower(r, made);
                    }
                }
            }
        }
        out
    }

    fn lower(&mut self, reg: u32, to: u32) -> bool {
        let own = &mut self.zeros[reg as usize];
        let is_less = to < *own;
        *own = to.min(*own);
        is_less
    }

    fn operand(&self, o: Operand) -> u32 {
        match o {
            Operand::Reg(r) => self.zeros[r.0 as usize],
            Operand::Imm(v) => of_constant(v),
            Operand::Object(id, offset) => {
                let align = self.kernel.objects[id.0 as usize].align.max(1);
                of_constant(align.into()).min(of_constant(offset as u64))
            }
            Operand::Undef => 0,
        }
    }

    fn made(&self, op: &Op) -> u32 {
        let of = |o: &Operand| self.operand(*o);
        match op {
            Op::Int { op, a, b, .. } => match (op, b) {
                (IntOp::Add | IntOp::Sub | IntOp::Or | IntOp::Xor, _) => of(a).min(of(b)),
                (IntOp::UMin | IntOp::UMax | IntOp::SMin | IntOp::SMax, _) => of(a).min(of(b)),
                (IntOp::And, _) => of(a).max(of(b)),
                (IntOp::Mul, _) => (of(a) + of(b)).min(MOST),
                // A shift by the width or more gives zero.
                (IntOp::Shl, Operand::Imm(by)) => (of(a) + (*by).min(MOST.into()) as u32).min(MOST),
                (IntOp::Shl, _) => of(a),
                _ => 0,
            },
            Op::Cast {
                op: CastOp::Trunc | CastOp::ZExt | CastOp::SExt | CastOp::Bit, a, ..
            }
            | Op::Copy { a, .. } => of(a),
            Op::Select { a, b, .. } => of(a).min(of(b)),
            Op::Index { base, index, scale, offset } => {
                let index = (of(index) + of_constant(*scale as u64)).min(MOST);
                of(base).min(index).min(of_constant(*offset as u64))
            }
            // Sixteen bytes.
            Op::Alloc { .. } => 4,
            _ => 0,
        }
    }

    /// Whether every access has the required alignment.
    fn is_kept(&self) -> bool {
        let is_kept = |site: SiteId, addr: Operand| {
            1u64 << self.operand(addr).min(MOST) >= u64::from(self.kernel.site(site).align)
        };
        self.kernel.insts().all(|inst| match inst.op {
            // A scalar access with less than the natural alignment may be in a packed struct, or result from a cast:
            // the representation does not distinguish them, and the hardware faults on the latter.
            Op::Load { site, addr, ty, .. } | Op::Store { site, addr, ty, .. } => {
                self.kernel.site(site).align >= ty.bytes() && is_kept(site, addr)
            }
            Op::Atomic { site, addr, ty, .. } => {
                is_kept(site, addr) && 1u64 << self.operand(addr).min(MOST) >= ty.bytes().into()
            }
            Op::MemSet { site, dst, .. } => is_kept(site, dst),
            Op::MemCopy { read, write, dst, src, .. } => is_kept(read, src) && is_kept(write, dst),
            Op::GroupCopy { size, dst, src, .. } => {
                let whole = |o: Operand| 1u64 << self.operand(o).min(MOST) >= size.into();
                whole(dst) && whole(src)
            }
            _ => true,
        })
    }
}

fn of_constant(v: u64) -> u32 {
    v.trailing_zeros().min(MOST)
}
