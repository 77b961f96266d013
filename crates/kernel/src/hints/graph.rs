//! The flow of values through registers and memory, and what it carries.
//!
//! Nodes are the registers, the memory behind each base, the fields of struct
//! parameters, and the members of structs in arrays, as they are read. An edge is data, or a condition that chose between data; only the
//! question whether a value decides a branch follows conditions.

use crate::cfg::Cfg;
use crate::flow::{Base, Bases, Control, Def, Field, Rows, param_regs};
use crate::hints::members::Members;
use crate::{
    Array, AtomicOp, Barrier, BlockId, Inst, Kernel, Op, Operand, Reg, SiteId, Space, Special,
    Terminator, Ty,
};

/// Something whose use is described: a parameter, a field, an array's contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    Param(usize),
    Field(Field),
    /// The memory behind a base.
    Contents(usize),
    /// A member of an array's structs, by number.
    Member(usize),
}

pub(super) const THREAD: usize = 0;
pub(super) const BLOCK: usize = 3;
/// A value that a loop carries.
pub(super) const LOOP: usize = 6;
const SUBJECTS: usize = 7;

/// What a value reaches.
pub(super) const ADDRESS: u8 = 1;
pub(super) const STORE_ADDRESS: u8 = 2;
pub(super) const GUARD: u8 = 4;
pub(super) const LOOP_EXIT: u8 = 8;
/// The address of a private variable.
pub(super) const PRIVATE: u8 = 16;

/// An operation or branch that reads a register.
#[derive(Clone, Copy, Debug)]
pub(super) enum Use<'k> {
    Inst(&'k Inst),
    Phi,
    Branch,
}

pub(super) struct Graph<'k> {
    pub(super) kernel: &'k Kernel,
    pub(super) cfg: &'k Cfg,
    pub(super) defs: &'k [Def<'k>],
    pub(super) bases: &'k Bases<'k>,
    pub(super) members: Members,
    pub(super) subjects: Vec<Subject>,
    pub(super) uses: Vec<Vec<Use<'k>>>,
    /// Blocks whose branch decides about an access or a barrier.
    pub(super) access_branches: Vec<bool>,
    /// For each node, the nodes its value comes from, and whether only as a condition.
    inputs: Vec<Vec<(u32, bool)>>,
    /// For each node that is no register, the registers that are loaded from it.
    loads: Vec<Vec<Reg>>,
    sources: Rows,
    reaches: Vec<u8>,
}

impl<'k> Graph<'k> {
    pub(super) fn new(
        kernel: &'k Kernel,
        cfg: &'k Cfg,
        defs: &'k [Def<'k>],
        bases: &'k Bases<'k>,
        control: &Control,
    ) -> Graph<'k> {
        let members = Members::of(kernel, defs, bases);
        let nodes = kernel.regs.len() + bases.list.len() + bases.fields.len() + members.list.len();
        let mut subjects: Vec<Subject> = (0..kernel.params.len()).map(Subject::Param).collect();
        subjects.extend(bases.fields.iter().copied().map(Subject::Field));
        subjects.extend((0..bases.list.len()).map(Subject::Contents));
        subjects.extend((0..members.list.len()).map(Subject::Member));
        let mut graph = Graph {
            kernel,
            cfg,
            defs,
            bases,
            uses: vec![Vec::new(); kernel.regs.len()],
            access_branches: access_branches(kernel, cfg, control),
            inputs: vec![Vec::new(); nodes],
            loads: Vec::new(),
            sources: Rows::new(nodes, SUBJECTS + subjects.len()),
            reaches: vec![0; nodes],
            members,
            subjects,
        };
        graph.connect();
        graph.find_loads();
        graph.find_sources();
        graph.find_reaches();
        graph.find_copied();
        graph
    }

    fn contents(&self, base: usize) -> usize {
        self.kernel.regs.len() + base
    }

    fn field(&self, field: usize) -> usize {
        self.kernel.regs.len() + self.bases.list.len() + field
    }

    fn member(&self, member: usize) -> usize {
        self.kernel.regs.len() + self.bases.list.len() + self.bases.fields.len() + member
    }

    /// The nodes that hold a subject.
    pub(super) fn nodes(&self, subject: Subject) -> Vec<usize> {
        match subject {
            Subject::Param(p) => param_regs(self.kernel, p).map(|r| r.0 as usize).collect(),
            Subject::Field(f) => {
                let at = self.bases.fields.iter().position(|g| *g == f);
                at.into_iter().map(|i| self.field(i)).collect()
            }
            Subject::Contents(b) => vec![self.contents(b)],
            Subject::Member(m) => vec![self.member(m)],
        }
    }

    /// The registers that hold a subject's value as it was given.
    pub(super) fn registers(&self, subject: Subject) -> Vec<Reg> {
        if let Subject::Param(p) = subject {
            return param_regs(self.kernel, p).collect();
        }
        let nodes = self.nodes(subject).into_iter();
        let mut all: Vec<Reg> =
            nodes.flat_map(|n| &self.loads[n - self.kernel.regs.len()]).copied().collect();
        all.sort();
        all.dedup();
        all
    }

    pub(super) fn reaches(&self, subject: Subject, what: u8) -> bool {
        self.nodes(subject).into_iter().any(|n| self.reaches[n] & what != 0)
    }

    pub(super) fn reg_reaches(&self, r: Reg, what: u8) -> bool {
        self.reaches[r.0 as usize] & what != 0
    }

    pub(super) fn has(&self, o: Operand, bit: usize) -> bool {
        matches!(o, Operand::Reg(r) if self.sources.has(r.0 as usize, bit))
    }

    /// The subjects, by number, that a value is computed from.
    pub(super) fn subjects_of(&self, o: Operand) -> Vec<usize> {
        match o {
            Operand::Reg(r) => {
                let all = self.sources.ones(r.0 as usize);
                all.filter(|&b| b >= SUBJECTS).map(|b| b - SUBJECTS).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The parameters in whose memory a value stood, or something it is computed from.
    pub(super) fn leaders(&self, o: Operand) -> Vec<usize> {
        let param = |s: usize| match self.subjects[s] {
            Subject::Contents(b) => match self.bases.list[b] {
                Base::Param(p) => Some(p),
                _ => None,
            },
            _ => None,
        };
        self.subjects_of(o).into_iter().filter_map(param).collect()
    }

    /// The arguments and variables in whose memory a value stood, or something it is computed from.
    pub(super) fn stood_in(&self, o: Operand) -> Vec<Array> {
        let contents = |s: usize| match self.subjects[s] {
            Subject::Contents(b) => array(self.bases.list[b]),
            _ => None,
        };
        self.subjects_of(o).into_iter().filter_map(contents).collect()
    }

    /// The arguments and variables that an address may be in.
    pub(super) fn lies_in(&self, address: Operand) -> Vec<Array> {
        let bases = self.bases.targets(address).into_iter();
        bases.filter_map(|b| array(self.bases.list[b])).collect()
    }

    /// The members of structs in arrays that a value is computed from, by number.
    pub(super) fn leading_members(&self, o: Operand) -> Vec<usize> {
        let member = |s: usize| match self.subjects[s] {
            Subject::Member(m) => Some(m),
            _ => None,
        };
        self.subjects_of(o).into_iter().filter_map(member).collect()
    }

    /// Of structs that are copied as they are to where what is read leads anywhere, the members that lead are not known.
    fn find_copied(&mut self) {
        for inst in self.kernel.insts().filter(|_| !self.members.list.is_empty()) {
            let (dst, src) = match inst.op {
                Op::MemCopy { dst, src, .. } | Op::GroupCopy { dst, src, .. } => (dst, src),
                _ => continue,
            };
            let leads = |b: usize| self.reaches[self.contents(b)] != 0;
            if !self.bases.targets(dst).into_iter().any(leads) {
                continue;
            }
            for base in self.bases.targets(src) {
                if let Base::Param(p) = self.bases.list[base] {
                    self.members.strange[p] = true;
                }
            }
        }
    }

    /// Axes of the thread and block indices that a value is computed from.
    pub(super) fn axes(&self, o: Operand) -> [bool; 3] {
        std::array::from_fn(|a| self.has(o, THREAD + a) || self.has(o, BLOCK + a))
    }

    /// Whether a value is the same for all threads and all rounds of a loop.
    pub(super) fn is_uniform(&self, o: Operand) -> bool {
        (0..SUBJECTS).all(|bit| !self.has(o, bit))
    }

    fn connect(&mut self) {
        let kernel = self.kernel;
        let mut joins: Vec<Vec<Operand>> = vec![Vec::new(); kernel.blocks.len()];
        for &b in &self.cfg.order {
            if let Terminator::Branch { cond, .. } = kernel.block(b).term {
                if let Operand::Reg(r) = cond {
                    self.uses[r.0 as usize].push(Use::Branch);
                }
                if let Some(join) = self.cfg.ipdom[b.0 as usize] {
                    joins[join.0 as usize].push(cond);
                }
            }
        }
        for &b in &self.cfg.order {
            let block = kernel.block(b);
            for phi in &block.phis {
                let dst = phi.dst.0 as usize;
                for &(_, o) in &phi.incoming {
                    self.edge(dst, o, false);
                    if let Operand::Reg(r) = o {
                        self.uses[r.0 as usize].push(Use::Phi);
                    }
                }
                for &cond in &joins[b.0 as usize] {
                    self.edge(dst, cond, true);
                }
            }
            for inst in &block.insts {
                inst.op.for_each_operand(|o| {
                    if let Operand::Reg(r) = o {
                        self.uses[r.0 as usize].push(Use::Inst(inst));
                    }
                });
                self.connect_inst(inst);
            }
        }
    }

    fn edge(&mut self, to: usize, from: Operand, condition: bool) {
        if let Operand::Reg(r) = from {
            self.inputs[to].push((r.0, condition));
        }
    }

    fn connect_inst(&mut self, inst: &Inst) {
        let results: Vec<usize> = crate::flow::results(inst).map(|r| r.0 as usize).collect();
        match &inst.op {
            Op::Load { addr, ty, .. } => {
                let field = self.bases.field_at(self.defs, *addr);
                for (i, &d) in results.iter().enumerate() {
                    if let Some((param, offset)) = field {
                        let f = Field { param, offset: offset + i as u32 * ty.bytes(), ty: *ty };
                        if let Some(n) = self.bases.fields.iter().position(|g| *g == f) {
                            let from = self.field(n) as u32;
                            self.inputs[d].push((from, false));
                        }
                    }
                    self.loaded(d, *addr);
                    self.member_loaded(d, (*addr, *ty, i as u32));
                }
            }
            Op::Store { values, addr, .. } => {
                for &v in values {
                    self.stored(*addr, v);
                }
            }
            Op::Atomic { op, addr, value, ty, .. } => {
                if *op != AtomicOp::Load {
                    self.stored(*addr, *value);
                }
                for &d in &results {
                    self.loaded(d, *addr);
                    self.member_loaded(d, (*addr, *ty, 0));
                }
            }
            Op::MemSet { dst, byte, .. } => self.stored(*dst, *byte),
            Op::MemCopy { dst, src, .. } | Op::GroupCopy { dst, src, .. } => {
                for to in self.bases.targets(*dst) {
                    for from in self.bases.targets(*src) {
                        let (to, from) = (self.contents(to), self.contents(from));
                        self.inputs[to].push((from as u32, false));
                    }
                }
            }
            Op::Select { cond, a, b, .. } => {
                for &d in &results {
                    self.edge(d, *a, false);
                    self.edge(d, *b, false);
                    self.edge(d, *cond, true);
                }
            }
            Op::Shuffle { value, lane, .. } => {
                for &d in &results {
                    self.edge(d, *value, false);
                    self.edge(d, *lane, true);
                }
            }
            Op::Barrier { barrier: Barrier::Block { reduce: Some((_, pred)), .. }, .. } => {
                for &d in &results {
                    self.edge(d, *pred, false);
                }
            }
            op => {
                for &d in &results {
                    op.for_each_operand(|o| self.edge(d, o, false));
                }
            }
        }
    }

    fn loaded(&mut self, to: usize, addr: Operand) {
        for base in self.bases.targets(addr) {
            let from = self.contents(base) as u32;
            self.inputs[to].push((from, false));
        }
    }

    fn member_loaded(&mut self, to: usize, read: (Operand, Ty, u32)) {
        let number = self.members.number(self.kernel, self.defs, self.bases, read);
        if let Some(number) = number {
            let from = self.member(number) as u32;
            self.inputs[to].push((from, false));
        }
    }

    fn stored(&mut self, addr: Operand, value: Operand) {
        for base in self.bases.targets(addr) {
            let to = self.contents(base);
            self.edge(to, value, false);
        }
    }

    fn find_loads(&mut self) {
        let registers = self.kernel.regs.len();
        self.loads = vec![Vec::new(); self.inputs.len() - registers];
        for r in 0..registers {
            let read = |op: &Op| matches!(op, Op::Load { .. } | Op::Atomic { .. });
            if !matches!(self.defs[r], Def::Inst(_, inst) if read(&inst.op)) {
                continue;
            }
            for &(n, _) in self.inputs[r].iter().filter(|(n, _)| *n as usize >= registers) {
                self.loads[n as usize - registers].push(Reg(r as u32));
            }
        }
    }

    fn find_sources(&mut self) {
        for (i, &s) in self.subjects.clone().iter().enumerate() {
            for n in self.nodes(s) {
                self.sources.set(n, SUBJECTS + i);
            }
        }
        for inst in self.kernel.insts() {
            if let (Op::Special(s), Some(d)) = (&inst.op, inst.dst) {
                let bit = match *s {
                    Special::ThreadId(a) => THREAD + a as usize,
                    Special::BlockId(a) => BLOCK + a as usize,
                    Special::LaneId
                    | Special::WarpId
                    | Special::LaneMaskEq
                    | Special::LaneMaskLt
                    | Special::LaneMaskLe
                    | Special::LaneMaskGt
                    | Special::LaneMaskGe => THREAD,
                    _ => continue,
                };
                self.sources.set(d.0 as usize, bit);
            }
        }
        for l in &self.cfg.loops {
            for phi in &self.kernel.block(l.head).phis {
                if phi.incoming.iter().any(|(from, _)| l.blocks.contains(from)) {
                    self.sources.set(phi.dst.0 as usize, LOOP);
                }
            }
        }
        loop {
            let mut changed = false;
            for n in 0..self.inputs.len() {
                for &(from, condition) in &self.inputs[n] {
                    if !condition {
                        changed |= self.sources.join(n, from as usize);
                    }
                }
            }
            if !changed {
                break;
            }
        }
    }

    /// By node: whether the result of such an operation is part of its value, or chose between values of it.
    pub(super) fn chosen_by(&self, is_choice: impl Fn(&Inst) -> bool) -> Vec<bool> {
        let mut chosen = vec![false; self.inputs.len()];
        for inst in self.kernel.insts().filter(|inst| is_choice(inst)) {
            crate::flow::results(inst).for_each(|r| chosen[r.0 as usize] = true);
        }
        let mut changed = chosen.contains(&true);
        while changed {
            changed = false;
            for n in 0..self.inputs.len() {
                if !chosen[n] && self.inputs[n].iter().any(|(from, _)| chosen[*from as usize]) {
                    chosen[n] = true;
                    changed = true;
                }
            }
        }
        chosen
    }

    fn find_reaches(&mut self) {
        let mut work: Vec<(usize, u8)> = Vec::new();
        let mut root = |o: Operand, what: u8| {
            if let Operand::Reg(r) = o {
                work.push((r.0 as usize, what));
            }
        };
        let mut exits = vec![false; self.kernel.blocks.len()];
        for (from, _) in self.cfg.loops.iter().flat_map(|l| &l.exits) {
            exits[from.0 as usize] = true;
        }
        for &b in &self.cfg.order {
            let block = self.kernel.block(b);
            for inst in &block.insts {
                for (o, site, stores) in addresses(&inst.op) {
                    let what = match self.kernel.site(site).space {
                        Space::Private => PRIVATE,
                        _ if stores => ADDRESS | STORE_ADDRESS,
                        _ => ADDRESS,
                    };
                    root(o, what);
                }
            }
            if let Terminator::Branch { cond, .. } = block.term {
                if self.access_branches[b.0 as usize] {
                    root(cond, GUARD);
                }
                if exits[b.0 as usize] {
                    root(cond, LOOP_EXIT);
                }
            }
        }
        while let Some((n, what)) = work.pop() {
            let new = what & !self.reaches[n];
            if new == 0 {
                continue;
            }
            self.reaches[n] |= new;
            for &(from, condition) in &self.inputs[n] {
                let carried = if condition { new & (GUARD | LOOP_EXIT) } else { new };
                work.push((from as usize, carried));
            }
        }
    }
}

/// The operands that say where an operation accesses memory, through which site, and whether by a plain store.
pub(super) fn addresses(op: &Op) -> Vec<(Operand, SiteId, bool)> {
    match *op {
        Op::Load { site, addr, .. } | Op::Atomic { site, addr, .. } => vec![(addr, site, false)],
        Op::Store { site, addr, .. } => vec![(addr, site, true)],
        Op::MemSet { site, dst, len, .. } => vec![(dst, site, true), (len, site, true)],
        Op::MemCopy { read, write, dst, src, len, .. } => {
            vec![(src, read, false), (len, read, false), (dst, write, true), (len, write, true)]
        }
        Op::GroupCopy { read, write, dst, src, count, dst_stride, src_stride, .. } => vec![
            (src, read, false),
            (count, read, false),
            (src_stride, read, false),
            (dst, write, true),
            (count, write, true),
            (dst_stride, write, true),
        ],
        _ => Vec::new(),
    }
}

fn array(base: Base) -> Option<Array> {
    match base {
        Base::Param(p) => Some(Array::Param(p)),
        Base::Object(o) => Some(Array::Object(o)),
        _ => None,
    }
}

/// Whether an operation is an access to memory that threads share, or a barrier.
fn is_watched(kernel: &Kernel, op: &Op) -> bool {
    matches!(op, Op::Barrier { .. })
        || addresses(op).iter().any(|(_, site, _)| kernel.site(*site).space != Space::Private)
}

fn access_branches(kernel: &Kernel, cfg: &Cfg, control: &Control) -> Vec<bool> {
    let watched = |b: &BlockId| kernel.block(*b).insts.iter().any(|i| is_watched(kernel, &i.op));
    let mut decides = control.deciders(cfg.order.iter().copied().filter(watched));
    for &b in &cfg.order {
        let branches = matches!(kernel.block(b).term, Terminator::Branch { .. });
        decides[b.0 as usize] |= branches && control.endless[b.0 as usize];
    }
    decides
}

/// Whether a base is the memory of a parameter or of a pointer in one.
pub(super) fn base_of(subject: Subject) -> Option<Base> {
    match subject {
        Subject::Param(p) => Some(Base::Param(p)),
        Subject::Field(f) => Some(Base::Field(f.param, f.offset)),
        Subject::Contents(_) | Subject::Member(_) => None,
    }
}
