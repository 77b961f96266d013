//! The part of a kernel that computes addresses and the branches around accesses.
//!
//! A search over launches looks at which addresses are touched, far more often
//! than at what is computed. [`address_slice`] keeps every access to shared and
//! global memory, every barrier and fence, the branches that decide whether they
//! are executed, and what these and the addresses are computed from; nothing
//! else. A value that is stored only to be an output becomes a zero.
//!
//! It follows values through memory by what a pointer may point into
//! ([`crate::flow`]), so a stored index that is loaded again stays.
//!
//! The slice is for a run that is approximate. It differs from the kernel where
//! - two parameters are given the same array, and what is stored through one is
//!   loaded through the other to be an index;
//! - an `Op::Unsupported` is dropped: the run goes on behind it;
//! - a loop that neither accesses memory nor computes anything that is needed is
//!   dropped, and with it the chance that it never ends;
//! - a thread would end at an assertion that fails;
//! - accesses to private memory are dropped where their value is not needed, and
//!   so are assertions, output and warp operations with such a result;
//! - values that are stored are zero, so nothing may be concluded from them (a
//!   store that repeats another's value, a read of uninitialised memory's value).

mod contents;
#[cfg(test)]
mod tests;

pub use contents::deciding_contents;

use crate::cfg::Cfg;
use crate::edit::drop_unreachable;
use crate::flow::{Bases, Control, Def, definitions};
use crate::{AtomicOp, Barrier, BlockId, Inst, Kernel, Op, Operand, SiteId, Space, Terminator};

/// The kernel without what cannot change which addresses are accessed, how often,
/// and between which barriers. Parameters, objects, sites and the numbers of
/// blocks and registers stay what they are; a block that is not needed is empty
/// and cannot be reached.
pub fn address_slice(kernel: &Kernel) -> Kernel {
    let cfg = Cfg::new(kernel);
    let defs = definitions(kernel);
    let mut slicer = Slicer {
        kernel,
        bases: Bases::new(kernel, &defs),
        control: Control::new(kernel, &cfg),
        defs,
        writers: Vec::new(),
        regs: vec![false; kernel.regs.len()],
        contents: Vec::new(),
        blocks: vec![false; kernel.blocks.len()],
        branches: vec![false; kernel.blocks.len()],
        work: Vec::new(),
    };
    slicer.contents = vec![false; slicer.bases.list.len()];
    slicer.find_writers(&cfg);
    slicer.start(&cfg);
    slicer.close();
    let mut sliced = slicer.rewrite(&cfg);
    drop_unreachable(&mut sliced);
    skip_empty(&mut sliced);
    drop_unreachable(&mut sliced);
    sliced
}

/// Something that turned out to be needed.
#[derive(Clone, Copy)]
enum Need {
    Value(Operand),
    /// The values in a base's memory.
    Contents(usize),
    /// That a block is executed exactly as often as before.
    Block(BlockId),
    /// The outcome of a block's branch.
    Branch(BlockId),
}

struct Slicer<'k> {
    kernel: &'k Kernel,
    defs: Vec<Def<'k>>,
    bases: Bases<'k>,
    control: Control,
    /// For each base, what may write to its memory.
    writers: Vec<Vec<(BlockId, &'k Inst)>>,
    regs: Vec<bool>,
    contents: Vec<bool>,
    blocks: Vec<bool>,
    branches: Vec<bool>,
    work: Vec<Need>,
}

impl<'k> Slicer<'k> {
    fn find_writers(&mut self, cfg: &Cfg) {
        self.writers = vec![Vec::new(); self.bases.list.len()];
        for &b in &cfg.order {
            for inst in &self.kernel.block(b).insts {
                if let Some((addr, site)) = written(&inst.op) {
                    for base in self.bases.may_touch(addr, site) {
                        self.writers[base].push((b, inst));
                    }
                }
            }
        }
    }

    fn is_private(&self, site: SiteId) -> bool {
        self.kernel.site(site).space == Space::Private
    }

    /// Whether an operation stays even if nobody needs its result.
    fn is_essential(&self, op: &Op) -> bool {
        match op {
            Op::Load { site, .. } | Op::Store { site, .. } | Op::MemSet { site, .. } => {
                !self.is_private(*site)
            }
            Op::MemCopy { read, write, .. } => !(self.is_private(*read) && self.is_private(*write)),
            Op::Atomic { .. }
            | Op::GroupCopy { .. }
            | Op::Free { .. }
            | Op::Fence { .. }
            | Op::Barrier { .. }
            | Op::Requires { .. }
            | Op::Yield => true,
            _ => false,
        }
    }

    fn start(&mut self, cfg: &Cfg) {
        for &b in &cfg.order {
            for inst in &self.kernel.block(b).insts {
                if self.is_essential(&inst.op) {
                    self.keep(b, &inst.op);
                }
            }
            if self.control.endless[b.0 as usize] {
                self.work.push(Need::Branch(b));
            }
        }
    }

    /// What an operation that stays needs besides the values it stores.
    fn keep(&mut self, b: BlockId, op: &Op) {
        self.work.push(Need::Block(b));
        let value = |o: &Operand| Need::Value(*o);
        match op {
            Op::Store { addr, .. } => self.work.push(value(addr)),
            Op::MemSet { dst, len, .. } => self.work.extend([value(dst), value(len)]),
            Op::Atomic { op: AtomicOp::CompareExchange, site, addr, .. } => {
                // Whether it writes depends on what it finds.
                let touched = self.bases.may_touch(*addr, *site);
                self.work.extend(touched.into_iter().map(Need::Contents));
                op.for_each_operand(|o| self.work.push(Need::Value(o)));
            }
            Op::Atomic { addr, .. } => self.work.push(value(addr)),
            Op::Barrier {
                barrier: Barrier::Block { id, threads, reduce: Some(_), .. }, ..
            } => {
                self.work.push(value(id));
                self.work.extend(threads.iter().map(value));
            }
            _ => op.for_each_operand(|o| self.work.push(Need::Value(o))),
        }
    }

    /// The values an operation stores, which matter only where someone reads them.
    fn keep_stored(&mut self, b: BlockId, op: &Op) {
        if !self.is_essential(op) {
            self.keep(b, op);
        }
        match op {
            Op::Store { values, .. } => {
                self.work.extend(values.iter().map(|&v| Need::Value(v)));
            }
            Op::Atomic { value, .. } => self.work.push(Need::Value(*value)),
            Op::MemSet { byte, .. } => self.work.push(Need::Value(*byte)),
            Op::MemCopy { read, src, .. } | Op::GroupCopy { read, src, .. } => {
                let from = self.bases.may_touch(*src, *read);
                self.work.extend(from.into_iter().map(Need::Contents));
            }
            _ => {}
        }
    }

    fn close(&mut self) {
        while let Some(need) = self.work.pop() {
            match need {
                Need::Value(Operand::Reg(r)) => {
                    if !std::mem::replace(&mut self.regs[r.0 as usize], true) {
                        self.define(r.0 as usize);
                    }
                }
                Need::Value(_) => {}
                Need::Contents(base) => {
                    if !std::mem::replace(&mut self.contents[base], true) {
                        for (b, inst) in self.writers[base].clone() {
                            self.keep_stored(b, &inst.op);
                        }
                    }
                }
                Need::Block(b) => {
                    if !std::mem::replace(&mut self.blocks[b.0 as usize], true) {
                        let by = &self.control.by[b.0 as usize];
                        self.work.extend(by.iter().map(|&c| Need::Branch(c)));
                    }
                }
                Need::Branch(b) => {
                    if let Terminator::Branch { cond, .. } = self.kernel.block(b).term
                        && !std::mem::replace(&mut self.branches[b.0 as usize], true)
                    {
                        self.work.extend([Need::Value(cond), Need::Block(b)]);
                    }
                }
            }
        }
    }

    fn define(&mut self, reg: usize) {
        match self.defs[reg] {
            Def::Param(_) | Def::Nowhere => {}
            Def::Phi(b, phi) => {
                self.work.push(Need::Block(b));
                for &(from, value) in &phi.incoming {
                    self.work.extend([Need::Value(value), Need::Block(from), Need::Branch(from)]);
                }
            }
            Def::Inst(b, inst) => {
                self.work.push(Need::Block(b));
                inst.op.for_each_operand(|o| self.work.push(Need::Value(o)));
                if let Op::Load { site, addr, .. } | Op::Atomic { site, addr, .. } = inst.op {
                    let read = self.bases.may_touch(addr, site);
                    self.work.extend(read.into_iter().map(Need::Contents));
                }
            }
        }
    }

    fn is_kept(&self, inst: &Inst) -> bool {
        if self.is_essential(&inst.op) {
            return true;
        }
        match written(&inst.op) {
            Some((addr, site)) => self.stores_needed(addr, site),
            None => crate::flow::results(inst).any(|r| self.regs[r.0 as usize]),
        }
    }

    fn stores_needed(&self, addr: Operand, site: SiteId) -> bool {
        self.bases.may_touch(addr, site).into_iter().any(|b| self.contents[b])
    }

    fn rewrite(&self, cfg: &Cfg) -> Kernel {
        let mut out = self.kernel.clone();
        for (b, block) in out.blocks.iter_mut().enumerate() {
            if cfg.position[b] == usize::MAX {
                continue;
            }
            block.phis.retain(|p| self.regs[p.dst.0 as usize]);
            block.insts.retain(|i| self.is_kept(i));
            for inst in &mut block.insts {
                self.blank(inst);
            }
            if matches!(block.term, Terminator::Branch { .. }) && !self.branches[b] {
                block.term = match cfg.ipdom[b] {
                    Some(join) => Terminator::Jump(join),
                    None => Terminator::Return,
                };
            }
        }
        out
    }

    /// Replaces by zero what an operation that stays takes but nobody needs.
    fn blank(&self, inst: &mut Inst) {
        let used = inst.dst.is_some_and(|d| self.regs[d.0 as usize]);
        match &mut inst.op {
            Op::Store { site, values, addr, .. } if !self.stores_needed(*addr, *site) => {
                values.fill(Operand::Imm(0));
            }
            Op::MemSet { site, dst, byte, .. } if !self.stores_needed(*dst, *site) => {
                *byte = Operand::Imm(0);
            }
            Op::Atomic { op, site, addr, value, expected, .. }
                if *op != AtomicOp::CompareExchange
                    && !used
                    && !self.stores_needed(*addr, *site) =>
            {
                (*value, *expected) = (Operand::Imm(0), Operand::Imm(0));
            }
            Op::Barrier { barrier: Barrier::Block { reduce: Some((_, o)), .. }, .. } if !used => {
                *o = Operand::Imm(0);
            }
            _ => {}
        }
    }
}

/// The address and the site through which an operation writes.
fn written(op: &Op) -> Option<(Operand, SiteId)> {
    match *op {
        Op::Atomic { op: AtomicOp::Load, .. } => None,
        Op::Store { site, addr, .. } | Op::Atomic { site, addr, .. } => Some((addr, site)),
        Op::MemSet { site, dst, .. } => Some((dst, site)),
        Op::MemCopy { write, dst, .. } | Op::GroupCopy { write, dst, .. } => Some((dst, write)),
        _ => None,
    }
}

/// Leads jumps past blocks that only jump on, where no phi asks for the way.
fn skip_empty(k: &mut Kernel) {
    let next: Vec<Option<BlockId>> = (k.blocks.iter())
        .map(|block| match block.term {
            Terminator::Jump(to)
                if block.phis.is_empty()
                    && block.insts.is_empty()
                    && k.block(to).phis.is_empty() =>
            {
                Some(to)
            }
            _ => None,
        })
        .collect();
    let last = |mut b: BlockId| {
        // As often as there are blocks: empty ones may form a circle.
        for _ in 0..next.len() {
            match next[b.0 as usize] {
                Some(to) => b = to,
                None => break,
            }
        }
        b
    };
    for block in &mut k.blocks {
        match &mut block.term {
            Terminator::Jump(to) => *to = last(*to),
            Terminator::Branch { then, otherwise, .. } => {
                (*then, *otherwise) = (last(*then), last(*otherwise));
            }
            Terminator::Return | Terminator::Unreachable => {}
        }
    }
}

/// By register: whether some instruction or branch uses its value.
pub fn used(kernel: &Kernel) -> Vec<bool> {
    let mut used = vec![false; kernel.regs.len()];
    let mut mark = |operand: Operand| {
        if let Operand::Reg(r) = operand {
            used[r.0 as usize] = true;
        }
    };
    for block in &kernel.blocks {
        block.phis.iter().flat_map(|p| &p.incoming).for_each(|&(_, value)| mark(value));
        block.insts.iter().for_each(|i| i.op.for_each_operand(&mut mark));
        if let Terminator::Branch { cond, .. } = block.term {
            mark(cond);
        }
    }
    used
}

/// Whether an instruction reads memory for a value that is used.
pub fn is_read_for_use(inst: &Inst, used: &[bool]) -> bool {
    let first = inst.dst.map_or(0, |d| d.0 as usize);
    let reads = matches!(inst.op, Op::Load { .. } | Op::Atomic { .. });
    reads && used[first..first + inst.op.result_count() as usize].contains(&true)
}
