//! What [`crate::slice`] and [`crate::hints`] both ask of a kernel: where each
//! register is defined, which memory a pointer may point into, and which branches
//! decide whether a block is executed.
//!
//! A pointer's bases are the parameters, struct fields and static objects it was
//! computed from, followed through integers and through memory that only the
//! kernel itself writes. A pointer loaded from a launch's array, or made from
//! anything else, is [`Base::Unknown`]: it may point anywhere in its space, but
//! not to shared or private memory whose address no memory holds. Parameters are
//! taken to point to different arrays.

use std::collections::HashMap;

use crate::cfg::Cfg;
use crate::{
    BlockId, Inst, Kernel, ObjectId, Op, Operand, ParamKind, Phi, Reg, SiteId, Space, Terminator,
    Ty,
};

/// Where a register gets its value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Def<'k> {
    /// On entry: the parameter's number.
    Param(usize),
    Phi(BlockId, &'k Phi),
    Inst(BlockId, &'k Inst),
    /// Nowhere that can be reached.
    Nowhere,
}

pub(crate) fn definitions(kernel: &Kernel) -> Vec<Def<'_>> {
    let mut defs = vec![Def::Nowhere; kernel.regs.len()];
    for i in 0..kernel.params.len() {
        for r in param_regs(kernel, i) {
            defs[r.0 as usize] = Def::Param(i);
        }
    }
    for (b, block) in kernel.blocks.iter().enumerate() {
        let b = BlockId(b as u32);
        for phi in &block.phis {
            defs[phi.dst.0 as usize] = Def::Phi(b, phi);
        }
        for inst in &block.insts {
            for r in results(inst) {
                defs[r.0 as usize] = Def::Inst(b, inst);
            }
        }
    }
    defs
}

/// The registers that hold a parameter on entry.
pub(crate) fn param_regs(kernel: &Kernel, param: usize) -> impl Iterator<Item = Reg> + use<> {
    let p = &kernel.params[param];
    let count = match p.kind {
        ParamKind::Scalar { count, .. } => u32::from(count),
        _ => 1,
    };
    (p.reg.0..p.reg.0 + count).map(Reg)
}

/// The registers an instruction defines.
pub(crate) fn results(inst: &Inst) -> impl Iterator<Item = Reg> + use<> {
    let count = inst.op.result_count();
    inst.dst.into_iter().flat_map(move |d| (d.0..d.0 + count).map(Reg))
}

/// Rows of bits, all of one width.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    words: usize,
    bits: Vec<u64>,
}

impl Rows {
    pub(crate) fn new(rows: usize, width: usize) -> Rows {
        let words = width.div_ceil(64).max(1);
        Rows { words, bits: vec![0; rows * words] }
    }

    /// Whether the bit is new.
    pub(crate) fn set(&mut self, row: usize, bit: usize) -> bool {
        let word = &mut self.bits[row * self.words + bit / 64];
        let before = *word;
        *word |= 1 << (bit % 64);
        *word != before
    }

    pub(crate) fn has(&self, row: usize, bit: usize) -> bool {
        self.bits[row * self.words + bit / 64] >> (bit % 64) & 1 == 1
    }

    /// Adds the bits of `from` to those of `to`; whether that changed any.
    pub(crate) fn join(&mut self, to: usize, from: usize) -> bool {
        let mut changed = false;
        for w in 0..self.words {
            let (from, to) = (self.bits[from * self.words + w], to * self.words + w);
            changed |= from & !self.bits[to] != 0;
            self.bits[to] |= from;
        }
        changed
    }

    pub(crate) fn ones(&self, row: usize) -> impl Iterator<Item = usize> + '_ {
        let words = &self.bits[row * self.words..(row + 1) * self.words];
        words.iter().enumerate().flat_map(|(w, &bits)| {
            (0..64).filter(move |b| bits >> b & 1 == 1).map(move |b| w * 64 + b)
        })
    }
}

/// Memory that a pointer may be based on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Base {
    /// What a pointer parameter points to, or the copy of a struct parameter.
    Param(usize),
    /// What a pointer in a struct parameter points to: parameter, offset.
    Field(usize, u32),
    Object(ObjectId),
    /// Memory of the device's heap.
    Heap,
    Unknown,
}

/// A field of a struct parameter that is read at a constant offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Field {
    pub(crate) param: usize,
    pub(crate) offset: u32,
    pub(crate) ty: Ty,
}

/// Which memory each register may point into.
pub(crate) struct Bases<'k> {
    kernel: &'k Kernel,
    pub(crate) list: Vec<Base>,
    number: HashMap<Base, usize>,
    spaces: Vec<Space>,
    /// Row of a register; behind them, of the pointers that a base's memory holds.
    sets: Rows,
    /// Bases that some memory holds a pointer to.
    escaped: Vec<bool>,
    /// Private copies of struct parameters: parameter, and the offset of the copy's start in it.
    copies: HashMap<ObjectId, (usize, i64)>,
    pub(crate) fields: Vec<Field>,
}

impl<'k> Bases<'k> {
    pub(crate) fn new(kernel: &'k Kernel, defs: &[Def]) -> Bases<'k> {
        let mut bases = Bases {
            kernel,
            list: Vec::new(),
            number: HashMap::new(),
            spaces: Vec::new(),
            sets: Rows::new(0, 0),
            escaped: Vec::new(),
            copies: HashMap::new(),
            fields: Vec::new(),
        };
        bases.find_copies(defs);
        bases.find_fields(defs);
        for (i, p) in kernel.params.iter().enumerate() {
            match p.kind {
                ParamKind::Buffer { space, .. } => bases.add(Base::Param(i), space),
                ParamKind::Local { .. } => bases.add(Base::Param(i), Space::Shared),
                ParamKind::Aggregate { .. } => bases.add(Base::Param(i), Space::Private),
                ParamKind::Scalar { .. } => {}
            }
        }
        for f in bases.fields.clone() {
            if f.ty == Ty::Ptr {
                bases.add(Base::Field(f.param, f.offset), Space::Global);
            }
        }
        for (i, o) in kernel.objects.iter().enumerate() {
            bases.add(Base::Object(ObjectId(i as u32)), o.space);
        }
        bases.add(Base::Heap, Space::Global);
        bases.add(Base::Unknown, Space::Generic);
        bases.solve(defs);
        bases
    }

    fn add(&mut self, base: Base, space: Space) {
        if !self.number.contains_key(&base) {
            self.number.insert(base, self.list.len());
            self.list.push(base);
            self.spaces.push(space);
        }
    }

    pub(crate) fn number(&self, base: Base) -> usize {
        self.number.get(&base).copied().unwrap_or(self.list.len() - 1)
    }

    pub(crate) fn unknown(&self) -> usize {
        self.list.len() - 1
    }

    fn find_copies(&mut self, defs: &[Def]) {
        for inst in self.kernel.insts() {
            if let Op::MemCopy { dst, src, .. } = inst.op
                && let Some((Root::Object(o), to)) = constant_address(defs, dst)
                && self.kernel.objects[o.0 as usize].space == Space::Private
                && let Some((Root::Param(p), from)) = constant_address(defs, src)
                && matches!(self.kernel.params[p].kind, ParamKind::Aggregate { .. })
            {
                self.copies.insert(o, (p, from.saturating_sub(to)));
            }
        }
    }

    fn find_fields(&mut self, defs: &[Def]) {
        for inst in self.kernel.insts() {
            if let Op::Load { addr, ty, count, .. } = inst.op
                && let Some((param, offset)) = self.field_at(defs, addr)
            {
                for offset in (0..u32::from(count)).map(|i| offset + i * ty.bytes()) {
                    if self.kernel.field_at(param, offset).is_none() {
                        self.fields.push(Field { param, offset, ty });
                    }
                }
            }
        }
        self.fields.sort();
        self.fields.dedup();
    }

    /// The struct parameter and the offset in it that an address certainly is.
    pub(crate) fn field_at(&self, defs: &[Def], addr: Operand) -> Option<(usize, u32)> {
        let (param, offset) = match constant_address(defs, addr)? {
            (Root::Param(p), offset) => (p, offset),
            (Root::Object(o), offset) => {
                let &(p, delta) = self.copies.get(&o)?;
                (p, offset.saturating_add(delta))
            }
        };
        match self.kernel.params[param].kind {
            ParamKind::Aggregate { size, .. } if (0..i64::from(size)).contains(&offset) => {
                Some((param, offset as u32))
            }
            _ => None,
        }
    }

    /// What a pointer in a struct parameter points to.
    fn base_of_field(&self, param: usize, offset: u32) -> Base {
        match self.kernel.field_at(param, offset) {
            Some((own, _)) => Base::Param(own),
            None => Base::Field(param, offset),
        }
    }

    fn solve(&mut self, defs: &[Def]) {
        let kernel = self.kernel;
        let regs = kernel.regs.len();
        let n = self.list.len();
        let unknown = self.unknown();
        let mut sets = Rows::new(regs + n, n);
        for (i, p) in kernel.params.iter().enumerate() {
            if let Some(&base) = self.number.get(&Base::Param(i)) {
                sets.set(p.reg.0 as usize, base);
            }
        }
        for (i, o) in kernel.objects.iter().enumerate() {
            let holder = regs + self.number(Base::Object(ObjectId(i as u32)));
            for &(_, target, _) in &o.relocations {
                sets.set(holder, self.number(Base::Object(target)));
            }
        }
        self.sets = sets;
        loop {
            let mut changed = false;
            for block in &kernel.blocks {
                for phi in &block.phis {
                    for &(_, o) in &phi.incoming {
                        changed |= self.flow(phi.dst.0 as usize, o);
                    }
                }
                for inst in &block.insts {
                    changed |= self.transfer(defs, inst, regs, unknown);
                }
            }
            if !changed {
                break;
            }
        }
        self.escaped =
            (0..n).map(|b| (0..n).any(|holder| self.sets.has(regs + holder, b))).collect();
    }

    fn flow(&mut self, to: usize, from: Operand) -> bool {
        match from {
            Operand::Reg(r) => self.sets.join(to, r.0 as usize),
            Operand::Object(id, _) => {
                let base = self.number(Base::Object(id));
                self.sets.set(to, base)
            }
            Operand::Imm(_) | Operand::Undef => false,
        }
    }

    fn transfer(&mut self, defs: &[Def], inst: &Inst, regs: usize, unknown: usize) -> bool {
        let mut changed = false;
        let dst = inst.dst.map(|d| d.0 as usize);
        match (&inst.op, dst) {
            (
                Op::Index { base: a, .. }
                | Op::Texel { image: a, .. }
                | Op::Copy { a, .. }
                | Op::Cast { a, .. },
                Some(d),
            ) => {
                changed |= self.flow(d, *a);
            }
            (Op::Select { a, b, .. } | Op::Int { a, b, .. }, Some(d)) => {
                changed |= self.flow(d, *a);
                changed |= self.flow(d, *b);
            }
            (Op::Shuffle { value, .. }, Some(d)) => changed |= self.flow(d, *value),
            (Op::Alloc { .. }, Some(d)) => {
                let heap = self.number(Base::Heap);
                changed |= self.sets.set(d, heap);
            }
            (Op::Load { ty: Ty::Ptr | Ty::I64, addr, count, .. }, Some(d)) => {
                let field = self.field_at(defs, *addr);
                for i in 0..usize::from(*count) {
                    let offset = i as u32 * 8;
                    if let Some((p, at)) = field
                        && let Some(&base) = self.number.get(&self.base_of_field(p, at + offset))
                    {
                        changed |= self.sets.set(d + i, base);
                    }
                    for holder in self.targets(*addr) {
                        changed |= self.sets.join(d + i, regs + holder);
                        let own = matches!(self.spaces[holder], Space::Private | Space::Shared);
                        if !own && self.kernel.reg_ty(Reg((d + i) as u32)) == Ty::Ptr {
                            changed |= self.sets.set(d + i, unknown);
                        }
                    }
                }
            }
            (Op::Store { values, addr, .. }, _) => {
                for holder in self.targets(*addr) {
                    for &v in values {
                        changed |= self.flow(regs + holder, v);
                    }
                }
            }
            (Op::Atomic { addr, value, .. }, _) => {
                for holder in self.targets(*addr) {
                    changed |= self.flow(regs + holder, *value);
                    if let Some(d) = dst {
                        changed |= self.sets.join(d, regs + holder);
                    }
                }
            }
            (Op::MemCopy { dst, src, .. } | Op::GroupCopy { dst, src, .. }, _) => {
                for from in self.targets(*src) {
                    for to in self.targets(*dst) {
                        changed |= self.sets.join(regs + to, regs + from);
                    }
                }
            }
            _ => {}
        }
        changed
    }

    /// The bases that an address was computed from; [`Base::Unknown`] where there is none.
    pub(crate) fn targets(&self, addr: Operand) -> Vec<usize> {
        let found: Vec<usize> = match addr {
            Operand::Reg(r) => self.sets.ones(r.0 as usize).collect(),
            Operand::Object(id, _) => vec![self.number(Base::Object(id))],
            Operand::Imm(_) | Operand::Undef => Vec::new(),
        };
        if found.is_empty() { vec![self.unknown()] } else { found }
    }

    /// All that an access may touch: where the pointer is unknown, everything in the site's space.
    pub(crate) fn may_touch(&self, addr: Operand, site: SiteId) -> Vec<usize> {
        let known = self.targets(addr);
        if !known.contains(&self.unknown()) {
            return known;
        }
        let space = self.kernel.site(site).space;
        let within = |base: &usize| {
            let own = self.spaces[*base];
            match space {
                _ if own == Space::Generic || known.contains(base) => true,
                Space::Generic => {
                    !matches!(own, Space::Private | Space::Shared) || self.escaped[*base]
                }
                Space::Global | Space::Constant => matches!(own, Space::Global | Space::Constant),
                Space::Shared => own == Space::Shared,
                Space::Private => own == Space::Private,
            }
        };
        (0..self.list.len()).filter(within).collect()
    }

    pub(crate) fn space(&self, base: usize) -> Space {
        self.spaces[base]
    }
}

/// What an address is a constant distance from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Root {
    Param(usize),
    Object(ObjectId),
}

/// An address that is the same for all threads and all launches but for where its root lies.
pub(crate) fn constant_address(defs: &[Def], addr: Operand) -> Option<(Root, i64)> {
    let mut at = addr;
    let mut total = 0i64;
    // A chain longer than that is not one.
    for _ in 0..64 {
        let r = match at {
            Operand::Reg(r) => r,
            Operand::Object(o, offset) => {
                return Some((Root::Object(o), total.checked_add(offset)?));
            }
            Operand::Imm(_) | Operand::Undef => return None,
        };
        match defs[r.0 as usize] {
            Def::Param(p) => return Some((Root::Param(p), total)),
            Def::Inst(
                _,
                Inst { op: Op::Index { base, index: Operand::Imm(i), scale, offset }, .. },
            ) => {
                let step = (*i as i64).checked_mul(*scale)?.checked_add(*offset)?;
                total = total.checked_add(step)?;
                at = *base;
            }
            Def::Inst(_, Inst { op: Op::Copy { a, .. }, .. }) => at = *a,
            _ => return None,
        }
    }
    None
}

/// Which branches decide whether a block is executed.
pub(crate) struct Control {
    /// For each block, the blocks whose branch decides directly about it.
    pub(crate) by: Vec<Vec<BlockId>>,
    /// Blocks from which a loop without a way out can be reached: post-dominators
    /// say nothing about them, so each of their branches decides.
    pub(crate) endless: Vec<bool>,
}

impl Control {
    pub(crate) fn new(kernel: &Kernel, cfg: &Cfg) -> Control {
        let n = kernel.blocks.len();
        let mut by = vec![Vec::new(); n];
        for &b in &cfg.order {
            if !matches!(kernel.block(b).term, Terminator::Branch { .. }) {
                continue;
            }
            let join = cfg.ipdom[b.0 as usize];
            for &s in &cfg.successors[b.0 as usize] {
                let mut at = Some(s);
                while let Some(x) = at.filter(|_| at != join) {
                    let list: &mut Vec<BlockId> = &mut by[x.0 as usize];
                    // Both arms may lead here.
                    if list.last() != Some(&b) {
                        list.push(b);
                    }
                    at = cfg.ipdom[x.0 as usize];
                }
            }
        }
        let leaves = cfg.order.iter().copied().filter(|b| cfg.successors[b.0 as usize].is_empty());
        let exits = backwards(cfg, leaves);
        let stuck = cfg.order.iter().copied().filter(|b| !exits[b.0 as usize]);
        Control { by, endless: backwards(cfg, stuck) }
    }

    /// The blocks whose branch decides, directly or not, whether one of `blocks` is executed.
    pub(crate) fn deciders(&self, blocks: impl Iterator<Item = BlockId>) -> Vec<bool> {
        let mut decides = vec![false; self.by.len()];
        let mut seen = vec![false; self.by.len()];
        let mut work: Vec<BlockId> = blocks.collect();
        while let Some(b) = work.pop() {
            if std::mem::replace(&mut seen[b.0 as usize], true) {
                continue;
            }
            for &c in &self.by[b.0 as usize] {
                decides[c.0 as usize] = true;
                work.push(c);
            }
        }
        decides
    }
}

/// The blocks from which one of `from` can be reached.
fn backwards(cfg: &Cfg, from: impl Iterator<Item = BlockId>) -> Vec<bool> {
    let mut seen = vec![false; cfg.successors.len()];
    let mut work: Vec<BlockId> = from.collect();
    while let Some(b) = work.pop() {
        if !std::mem::replace(&mut seen[b.0 as usize], true) {
            work.extend(&cfg.predecessors[b.0 as usize]);
        }
    }
    seen
}
