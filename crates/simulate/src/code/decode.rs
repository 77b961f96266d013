//! The kernel in the form the machine runs: slots instead of registers,
//! functions instead of operators, blocks numbered in execution order.
//!
//! Values that are the same for every thread (constants, arguments, dimensions) go into one table of constants; values
//! that never change within a thread (its index, its lane) are written into its registers once. A sign extension that
//! only feeds an address is folded into the address computation.

use rustc_hash::FxHashMap;

use lockstep_kernel::{
    Barrier, BlockId, CastOp, CopyDone, Kernel, LocId, MathFn, Op, Operand, PrintArgs, Reg,
    Special, Terminator, Ty, WorkSize, cfg::Cfg,
};

use crate::code::lanes::{self, Alu, Pair, ScalarOp};
use crate::code::registers::{CONSTANT, LANES, Slot, Unit, units};
use crate::code::steps::{
    AtomicStep, BarrierStep, Code, CodeBlock, CopyEnd, Edge, Prints, Rare, Step, Term, TexelStep,
};
use crate::launch::layout::Layout;
use crate::launch::request::{BoundArg, BoundLaunch, Config, LaunchError};

pub(crate) fn decode(
    kernel: &Kernel,
    cfg: &Cfg,
    launch: &BoundLaunch,
    config: &Config,
    layout: &Layout,
) -> Result<Code, LaunchError> {
    let mut d = Decoder {
        kernel,
        layout,
        slots: vec![None; kernel.regs.len()],
        constants: Vec::new(),
        interned: FxHashMap::default(),
        units: 0,
        steps: Vec::new(),
        locs: Vec::new(),
        moves: Vec::new(),
        values: Vec::new(),
        presets: Vec::new(),
        given: Vec::new(),
        narrow: vec![None; kernel.regs.len()],
        uses: vec![0; kernel.regs.len()],
        zero: Slot(CONSTANT),
    };
    d.zero = d.constant(0, Ty::I64);
    d.bind_params(launch);
    d.find_narrow_indices();
    d.bind_specials(launch, config);
    let blocks = d.blocks(cfg)?;
    Ok(Code {
        units: d.units,
        constants: d.constants,
        steps: d.steps,
        locs: d.locs,
        blocks,
        order: cfg.order.clone(),
        moves: d.moves,
        values: d.values,
        presets: d.presets,
        slots: d.slots,
    })
}

/// How an operation is computed: on all lanes at once, or lane by lane.
enum Form {
    Lanes(Pair),
    Scalar { op: ScalarOp, from: Ty, b_ty: Ty },
}

struct Decoder<'a> {
    kernel: &'a Kernel,
    layout: &'a Layout,
    slots: Vec<Option<Slot>>,
    constants: Vec<Unit>,
    interned: FxHashMap<(u64, u32), Slot>,
    units: u32,
    steps: Vec<Step>,
    locs: Vec<LocId>,
    moves: Vec<Alu>,
    values: Vec<Slot>,
    presets: Vec<(Special, Slot, Ty)>,
    /// Registers whose value is given by the launch, whatever defines them.
    given: Vec<Reg>,
    /// For a sign-extended register: the 32-bit register that it is extended from.
    narrow: Vec<Option<Operand>>,
    uses: Vec<u32>,
    zero: Slot,
}

impl Decoder<'_> {
    fn constant(&mut self, bits: u64, ty: Ty) -> Slot {
        let width = match ty.bits() {
            1 => 1,
            64 => 64,
            _ => 32,
        };
        let bits = bits & ty.mask();
        if let Some(s) = self.interned.get(&(bits, width)) {
            return *s;
        }
        let slot = Slot(self.constants.len() as u32 | CONSTANT);
        match width {
            1 => self.constants.push(Unit([if bits & 1 == 1 { u32::MAX } else { 0 }; LANES])),
            64 => {
                let pattern: [u32; LANES] =
                    std::array::from_fn(
                        |i| {
                            if i % 2 == 0 { bits as u32 } else { (bits >> 32) as u32 }
                        },
                    );
                self.constants.extend([Unit(pattern), Unit(pattern)]);
            }
            _ => self.constants.push(Unit([bits as u32; LANES])),
        }
        self.interned.insert((bits, width), slot);
        slot
    }

    fn fresh(&mut self, ty: Ty) -> Slot {
        let s = Slot(self.units);
        self.units += units(ty);
        s
    }

    fn reg(&mut self, r: Reg) -> Slot {
        if let Some(s) = self.slots[r.0 as usize] {
            return s;
        }
        let s = self.fresh(self.kernel.reg_ty(r));
        self.slots[r.0 as usize] = Some(s);
        s
    }

    fn operand(&mut self, o: Operand, ty: Ty) -> Slot {
        match o {
            Operand::Reg(r) => self.reg(r),
            Operand::Imm(bits) => self.constant(bits, ty),
            Operand::Object(id, offset) => {
                let address = self
                    .layout
                    .addresses
                    .origin(self.layout.statics[id.0 as usize])
                    .wrapping_add(offset as u64);
                self.constant(address, Ty::I64)
            }
            Operand::Undef => self.constant(0, ty),
        }
    }

    /// The operand's own type where it is a register, else `ty`.
    fn operand_ty(&self, o: Operand, ty: Ty) -> Ty {
        match o {
            Operand::Reg(r) => self.kernel.reg_ty(r),
            _ => ty,
        }
    }

    fn bind_params(&mut self, launch: &BoundLaunch) {
        for (i, p) in self.kernel.params.iter().enumerate() {
            match (&launch.args[i], self.layout.params[i]) {
                (BoundArg::Scalar(values), _) => {
                    for (k, v) in values.iter().enumerate() {
                        let r = p.reg.0 as usize + k;
                        self.slots[r] = Some(self.constant(*v, self.kernel.regs[r]));
                    }
                }
                (_, address) => {
                    self.slots[p.reg.0 as usize] =
                        Some(self.constant(address.unwrap_or(0), Ty::Ptr));
                }
            }
        }
    }

    /// Values that the dimensions determine become constants; those that a thread's position determines are written
    /// once, when its warp starts.
    fn bind_specials(&mut self, launch: &BoundLaunch, config: &Config) {
        let work_dim =
            (1..3).rev().find(|&a| launch.grid[a] > 1 || launch.block[a] > 1).map_or(1, |a| a + 1);
        let threads: u32 = launch.block.iter().product();
        let mut seen: FxHashMap<(Special, Ty), Slot> = FxHashMap::default();
        for inst in self.kernel.insts() {
            let (Op::Special(s), Some(d)) = (&inst.op, inst.dst) else {
                continue;
            };
            let ty = self.kernel.reg_ty(d);
            let own_size = launch.global.is_some() && self.kernel.work_size(d).is_none();
            let fixed = match *s {
                Special::BlockDim(_) | Special::WarpsPerBlock if own_size => None,
                Special::BlockDim(a) => Some(launch.block[a as usize]),
                Special::GridDim(a) => Some(launch.grid[a as usize]),
                Special::WarpSize => Some(config.warp_size),
                Special::WarpsPerBlock => Some(threads.div_ceil(config.warp_size)),
                Special::GlobalOffset(_) => Some(0),
                Special::WorkDim => Some(work_dim as u32),
                Special::DynamicSharedSize => Some(self.layout.dynamic_shared),
                _ => None,
            };
            let slot = match fixed {
                Some(v) => self.constant(u64::from(v), ty),
                None if *s == Special::Clock => continue,
                None => match seen.get(&(*s, ty)) {
                    Some(slot) => *slot,
                    None => {
                        let slot = self.fresh(ty);
                        self.presets.push((*s, slot, ty));
                        seen.insert((*s, ty), slot);
                        slot
                    }
                },
            };
            self.slots[d.0 as usize] = Some(slot);
        }
        let Some(global) = launch.global else { return };
        for &(r, size) in &self.kernel.work_sizes {
            if let WorkSize::Global(a) = size {
                let size = u64::from(global[a as usize]);
                self.slots[r.0 as usize] = Some(self.constant(size, self.kernel.reg_ty(r)));
                self.given.push(r);
            }
        }
    }

    fn find_narrow_indices(&mut self) {
        for inst in self.kernel.insts() {
            if let (Op::Cast { op: CastOp::SExt, from: Ty::I32, to: Ty::I64, a }, Some(d)) =
                (&inst.op, inst.dst)
            {
                self.narrow[d.0 as usize] = Some(*a);
            }
        }
        let mut count = |o: Operand| {
            if let Operand::Reg(r) = o {
                self.uses[r.0 as usize] += 1;
            }
        };
        for b in &self.kernel.blocks {
            b.phis.iter().flat_map(|p| &p.incoming).for_each(|(_, o)| count(*o));
            for inst in &b.insts {
                match &inst.op {
                    Op::Index { base, index: Operand::Reg(r), .. }
                        if self.narrow[r.0 as usize].is_some() =>
                    {
                        count(*base);
                        count(self.narrow[r.0 as usize].unwrap_or(Operand::Undef));
                    }
                    op => op.for_each_operand(&mut count),
                }
            }
            if let Terminator::Branch { cond, .. } = b.term {
                count(cond);
            }
        }
    }

    fn blocks(&mut self, cfg: &Cfg) -> Result<Vec<CodeBlock>, LaunchError> {
        let mut out = Vec::with_capacity(cfg.order.len());
        let waiting: Vec<bool> = cfg.loops.iter().map(|l| self.waits(&l.blocks)).collect();
        for &b in &cfg.order {
            let first = self.steps.len() as u32;
            let block = self.kernel.block(b);
            for inst in &block.insts {
                self.inst(inst)?;
            }
            let term = match block.term {
                Terminator::Jump(t) => Term::Jump(self.edge(cfg, b, t)),
                Terminator::Branch { cond, then, otherwise, loc } => Term::Branch {
                    cond: self.operand(cond, Ty::I1),
                    then: self.edge(cfg, b, then),
                    otherwise: self.edge(cfg, b, otherwise),
                    loc,
                },
                Terminator::Return => Term::Return,
                Terminator::Unreachable => Term::Unreachable,
            };
            out.push(CodeBlock {
                first,
                last: self.steps.len() as u32,
                term,
                waits: cfg.innermost[b.0 as usize].is_some_and(|l| waiting[l]),
            });
        }
        Ok(out)
    }

    /// Whether a loop reads values that other threads may change.
    fn waits(&self, blocks: &[BlockId]) -> bool {
        blocks.iter().flat_map(|b| &self.kernel.block(*b).insts).any(|i| match &i.op {
            Op::Yield => true,
            Op::Atomic { .. } => true,
            Op::Load { site, .. } => self.kernel.site(*site).volatile,
            _ => false,
        })
    }

    fn edge(&mut self, cfg: &Cfg, from: BlockId, to: BlockId) -> Edge {
        let mut pending: Vec<(Slot, Slot, Ty)> = Vec::new();
        for phi in &self.kernel.block(to).phis {
            if let Some((_, value)) = phi.incoming.iter().find(|(b, _)| *b == from) {
                // An undefined value: any value is allowed, so keep the old one.
                if *value == Operand::Undef {
                    continue;
                }
                let (d, s) = (self.reg(phi.dst), self.operand(*value, phi.ty));
                if d != s {
                    pending.push((d, s, phi.ty));
                }
            }
        }
        let first_move = self.moves.len() as u32;
        // Sequentialises a parallel copy: first the destinations that no other move reads.
        while !pending.is_empty() {
            match pending.iter().position(|(d, _, _)| !pending.iter().any(|(_, s, _)| s == d)) {
                Some(i) => {
                    let (d, s, ty) = pending.swap_remove(i);
                    self.push_move(d, s, ty);
                }
                None => {
                    // A cycle: save one source in a temporary.
                    let (_, s, ty) = pending[0];
                    let aside = self.fresh(ty);
                    self.push_move(aside, s, ty);
                    for p in pending.iter_mut().filter(|p| p.1 == s) {
                        p.1 = aside;
                    }
                }
            }
        }
        let (a, b) = (cfg.position[from.0 as usize], cfg.position[to.0 as usize]);
        Edge { target: b as u32, first_move, last_move: self.moves.len() as u32, back: b <= a }
    }

    fn push_move(&mut self, d: Slot, a: Slot, ty: Ty) {
        let mut m = self.alu(lanes::copy_pair(ty), d, a, self.zero, self.zero);
        m.copies = true;
        self.moves.push(m);
    }

    fn alu(&self, p: Pair, d: Slot, a: Slot, b: Slot, c: Slot) -> Alu {
        Alu {
            full: p.full,
            masked: p.masked,
            d,
            a,
            b,
            c,
            copies: false,
            selects: false,
            x: 0,
            y: 0,
        }
    }

    fn push(&mut self, step: Step, loc: LocId) {
        self.steps.push(step);
        self.locs.push(loc);
    }

    fn rare(&mut self, rare: Rare, loc: LocId) {
        self.push(Step::Rare(Box::new(rare)), loc);
    }

    fn inst(&mut self, inst: &lockstep_kernel::Inst) -> Result<(), LaunchError> {
        let Some(r) = inst.dst else {
            return self.effect(inst, None);
        };
        if self.given.contains(&r) {
            return Ok(());
        }
        let d = self.reg(r);
        let z = self.zero;
        let ty = self.kernel.reg_ty(r);
        let Some((form, a, b, c)) = self.form(&inst.op)? else {
            return self.effect(inst, Some(d));
        };
        // The result is unused and there is no side effect: nothing to do.
        if self.uses[r.0 as usize] == 0 {
            return Ok(());
        }
        let step = match form {
            Form::Lanes(p) => {
                let mut alu = self.alu(p, d, a, b, c);
                alu.copies = match &inst.op {
                    Op::Copy { .. } => true,
                    Op::Cast { op, .. } => {
                        matches!(op, CastOp::Bit | CastOp::Trunc | CastOp::ZExt | CastOp::SExt)
                    }
                    _ => false,
                };
                if let Op::Index { scale, offset, .. } = inst.op {
                    alu.x = scale;
                    alu.y = offset;
                }
                alu.selects = matches!(inst.op, Op::Select { .. });
                Step::Alu(alu)
            }
            Form::Scalar { op, from, b_ty } => {
                let op_ty = match &inst.op {
                    Op::Math { ty, .. } => *ty,
                    _ => ty,
                };
                Step::Scalar { op, ty: op_ty, from, d, a, b, b_ty, c: if c == z { a } else { c } }
            }
        };
        self.push(step, inst.loc);
        Ok(())
    }

    /// How a pure operation is computed, and its operands; `None` for other operations.
    fn form(&mut self, op: &Op) -> Result<Option<(Form, Slot, Slot, Slot)>, LaunchError> {
        let z = self.zero;
        let or = |pair: Option<Pair>, op: ScalarOp, from: Ty| match pair {
            Some(p) => Form::Lanes(p),
            None => Form::Scalar { op, from, b_ty: from },
        };
        Ok(Some(match op {
            Op::Int { op, ty, a, b } => (
                or(lanes::int_pair(*op, *ty), ScalarOp::Int(*op), *ty),
                self.operand(*a, *ty),
                self.operand(*b, *ty),
                z,
            ),
            Op::IntUn { op, ty, a } => {
                (Form::Lanes(lanes::int_un_pair(*op, *ty)), self.operand(*a, *ty), z, z)
            }
            Op::Funnel { left, ty, hi, lo, amount } => (
                Form::Lanes(lanes::funnel_pair(*left, *ty)),
                self.operand(*hi, *ty),
                self.operand(*lo, *ty),
                self.operand(*amount, *ty),
            ),
            Op::Float { op, ty, rounding, a, b } => (
                or(lanes::float_pair(*op, *ty, *rounding), ScalarOp::Float(*op, *rounding), *ty),
                self.operand(*a, *ty),
                self.operand(*b, *ty),
                z,
            ),
            Op::FloatUn { op, ty, rounding, a } => (
                or(
                    lanes::float_un_pair(*op, *ty, *rounding),
                    ScalarOp::FloatUn(*op, *rounding),
                    *ty,
                ),
                self.operand(*a, *ty),
                z,
                z,
            ),
            Op::Fma { ty, rounding, a, b, c } => (
                or(lanes::fma_pair(*ty, *rounding), ScalarOp::Fma(*rounding), *ty),
                self.operand(*a, *ty),
                self.operand(*b, *ty),
                self.operand(*c, *ty),
            ),
            Op::Math { f, ty, a, b } => {
                let natural = if *f == MathFn::LdExp { Ty::I32 } else { *ty };
                let b_ty = self.operand_ty(*b, natural);
                let form = Form::Scalar { op: ScalarOp::Math(*f), from: *ty, b_ty };
                (form, self.operand(*a, *ty), self.operand(*b, b_ty), z)
            }
            Op::Cmp { op, ty, a, b } => {
                let pair = lanes::cmp_pair(*op, *ty).ok_or_else(|| {
                    LaunchError(format!("comparison {op:?} of {ty} values has no meaning"))
                })?;
                (Form::Lanes(pair), self.operand(*a, *ty), self.operand(*b, *ty), z)
            }
            Op::Cast { op, from, to, a } => (
                or(lanes::cast_pair(*op, *from, *to), ScalarOp::Cast(*op, *from), *from),
                self.operand(*a, *from),
                z,
                z,
            ),
            Op::Select { ty, cond, a, b } => (
                Form::Lanes(lanes::select_pair(*ty)),
                self.operand(*cond, Ty::I1),
                self.operand(*a, *ty),
                self.operand(*b, *ty),
            ),
            Op::Copy { ty, a } => (Form::Lanes(lanes::copy_pair(*ty)), self.operand(*a, *ty), z, z),
            Op::Index { base, index, .. } => {
                let narrow = match index {
                    Operand::Reg(r) => self.narrow[r.0 as usize],
                    _ => None,
                };
                let a = self.operand(*base, Ty::Ptr);
                let b = match narrow {
                    Some(n) => self.operand(n, Ty::I32),
                    None => self.operand(*index, Ty::I64),
                };
                (Form::Lanes(lanes::index_pair(narrow.is_some())), a, b, z)
            }
            _ => return Ok(None),
        }))
    }

    /// Operations with side effects.
    fn effect(&mut self, inst: &lockstep_kernel::Inst, d: Option<Slot>) -> Result<(), LaunchError> {
        let loc = inst.loc;
        let dst = d.unwrap_or(self.zero);
        let second = |me: &mut Self| inst.dst.map(|r| me.reg(Reg(r.0 + 1)));
        let rare = match &inst.op {
            Op::Special(Special::Clock) => {
                let ty = inst.dst.map_or(Ty::I64, |r| self.kernel.reg_ty(r));
                Rare::Clock { d: dst, ty }
            }
            Op::Special(_) => return Ok(()),
            Op::Load { site, ty, count, addr } => {
                let addr = self.operand(*addr, Ty::Ptr);
                // The elements of one load must be in consecutive slots.
                if let Some(Reg(r)) = inst.dst {
                    for k in 1..u32::from(*count) {
                        if self.slots[(r + k) as usize].is_none() {
                            self.slots[(r + k) as usize] = Some(self.fresh(*ty));
                        }
                    }
                    for k in 0..u32::from(*count) {
                        let expected = dst.plus(k * units(*ty));
                        if self.slots[(r + k) as usize] != Some(expected) {
                            return self.scattered_load(inst, addr);
                        }
                    }
                }
                let d = if inst.dst.is_some() { dst } else { self.fresh_many(*ty, *count) };
                self.push(Step::Load { site: *site, ty: *ty, count: *count, d, addr }, loc);
                return Ok(());
            }
            Op::Store { site, ty, values, addr } => {
                let slots: Vec<Slot> = values.iter().map(|v| self.operand(*v, *ty)).collect();
                let first = self.values.len() as u32;
                self.values.extend(slots);
                let addr = self.operand(*addr, Ty::Ptr);
                let count = values.len() as u8;
                self.push(Step::Store { site: *site, ty: *ty, first, count, addr }, loc);
                return Ok(());
            }
            Op::Atomic { site, op, ty, addr, value, expected, order, scope } => {
                let step = AtomicStep {
                    site: *site,
                    op: *op,
                    ty: *ty,
                    d,
                    addr: self.operand(*addr, Ty::Ptr),
                    value: self.operand(*value, *ty),
                    expected: self.operand(*expected, *ty),
                    order: *order,
                    scope: *scope,
                };
                self.push(Step::Atomic(Box::new(step)), loc);
                return Ok(());
            }
            Op::MemCopy { read, write, dst, src, len, done } => Rare::MemCopy {
                read: *read,
                write: *write,
                dst: self.operand(*dst, Ty::Ptr),
                src: self.operand(*src, Ty::Ptr),
                len: self.operand_as_i64(*len),
                done: match done {
                    CopyDone::AtOnce => CopyEnd::AtOnce,
                    CopyDone::Group { bulk } => CopyEnd::Group { bulk: *bulk },
                    CopyDone::Signal(at) => CopyEnd::Signal(self.operand(*at, Ty::Ptr)),
                },
            },
            Op::CommitCopies { bulk } => Rare::CommitCopies { bulk: *bulk },
            Op::AwaitCopies { left, bulk, reads_only } => {
                let left = self.operand(*left, Ty::I32);
                Rare::AwaitCopies { left, bulk: *bulk, reads_only: *reads_only }
            }
            Op::SignalCopies { addr } => Rare::SignalCopies { addr: self.operand(*addr, Ty::Ptr) },
            Op::ProxyFence => Rare::ProxyFence,
            Op::MemSet { site, dst, byte, len } => Rare::MemSet {
                site: *site,
                dst: self.operand(*dst, Ty::Ptr),
                byte: self.operand(*byte, Ty::I8),
                len: self.operand_as_i64(*len),
            },
            Op::GroupCopy {
                read,
                write,
                dst: to,
                src,
                count,
                size,
                dst_stride,
                src_stride,
                event,
            } => Rare::GroupCopy {
                read: *read,
                write: *write,
                dst: self.operand(*to, Ty::Ptr),
                src: self.operand(*src, Ty::Ptr),
                count: self.operand_as_i64(*count),
                size: *size,
                dst_stride: self.operand_as_i64(*dst_stride),
                src_stride: self.operand_as_i64(*src_stride),
                event: self.operand(*event, Ty::Ptr),
                d,
            },
            Op::Fence { site, scope, shared, global, .. } => {
                Rare::Fence { site: *site, scope: *scope, shared: *shared, global: *global }
            }
            Op::Barrier { site, barrier } => Rare::Barrier {
                site: *site,
                barrier: match *barrier {
                    Barrier::Block { id, threads, orders_shared, orders_global, reduce } => {
                        BarrierStep::Block {
                            id: self.operand(id, Ty::I32),
                            threads: threads.map(|t| self.operand(t, Ty::I32)),
                            shared: orders_shared,
                            global: orders_global,
                            reduce: reduce.map(|(r, p)| {
                                let given = r.types().0;
                                let ty = self.operand_ty(p, given);
                                let p = if given != Ty::I1 {
                                    self.operand(p, given)
                                } else if ty == Ty::I1 {
                                    self.operand(p, Ty::I1)
                                } else {
                                    self.nonzero(p, ty, loc)
                                };
                                (r, p, dst)
                            }),
                        }
                    }
                    Barrier::Arrive { id, threads } => BarrierStep::Arrive {
                        id: self.operand(id, Ty::I32),
                        threads: self.operand(threads, Ty::I32),
                    },
                    Barrier::Await { id } => BarrierStep::Await { id: self.operand(id, Ty::I32) },
                    Barrier::Warp { mask } => {
                        BarrierStep::Warp { mask: self.operand(mask, Ty::I32) }
                    }
                    Barrier::Grid => BarrierStep::Grid,
                    Barrier::GroupCopies { count, list, .. } => BarrierStep::GroupCopies {
                        count: self.operand_as_i64(count),
                        list: self.operand(list, Ty::Ptr),
                    },
                },
            },
            Op::Shuffle { mode, ty, value, lane, clamp, mask, predicate } => Rare::Shuffle {
                mode: *mode,
                ty: *ty,
                d: dst,
                predicate: if *predicate { second(self) } else { None },
                value: self.operand(*value, *ty),
                lane: self.operand(*lane, Ty::I32),
                clamp: self.operand(*clamp, Ty::I32),
                mask: mask.map(|m| self.operand(m, Ty::I32)),
            },
            Op::Vote { kind, pred, mask } => {
                let ty = self.operand_ty(*pred, Ty::I1);
                let pred = if ty == Ty::I1 {
                    self.operand(*pred, Ty::I1)
                } else {
                    self.nonzero(*pred, ty, loc)
                };
                Rare::Vote {
                    kind: *kind,
                    d: dst,
                    pred,
                    mask: mask.map(|m| self.operand(m, Ty::I32)),
                }
            }
            Op::Match { all, ty, value, mask } => Rare::Match {
                all: *all,
                ty: *ty,
                d: dst,
                predicate: if *all { second(self) } else { None },
                value: self.operand(*value, *ty),
                mask: self.operand(*mask, Ty::I32),
            },
            Op::MatrixProduct { product, a, b, c } => {
                let of = |me: &mut Self, list: &[Operand], ty| {
                    list.iter().map(|&o| me.operand(o, ty)).collect()
                };
                let (factor, sum) = (product.factor_register(), product.sum_register());
                let a = of(self, a, factor);
                let b = of(self, b, factor);
                let first = inst.dst.map_or(0, |r| r.0);
                let d = (0..c.len() as u32).map(|i| self.reg(Reg(first + i))).collect();
                let c = of(self, c, sum);
                let mask = self.constant(u64::from(u32::MAX), Ty::I32);
                Rare::MatrixProduct { product: *product, d, a, b, c, mask }
            }
            Op::ActiveMask => Rare::ActiveMask { d: dst },
            Op::Texel { image, coords, rank, unit, sampled } => {
                let place = coords.iter().take(usize::from(*rank));
                let coords = place.map(|&(ty, o)| (ty, self.operand(o, ty))).collect();
                let image = self.operand(*image, Ty::Ptr);
                let step = TexelStep { image, coords, unit: *unit, sampled: *sampled };
                Rare::Texel { d: dst, step }
            }
            Op::ImageSize { image, rank, unit, axis } => Rare::ImageSize {
                d: dst,
                image: self.operand(*image, Ty::Ptr),
                of: (*rank, *unit, *axis),
            },
            Op::Alloc { size } => Rare::Alloc { d: dst, size: self.operand_as_i64(*size) },
            Op::Free { ptr } => Rare::Free { ptr: self.operand(*ptr, Ty::Ptr), loc },
            Op::Print { format, args } => Rare::Print {
                format: self.operand(*format, Ty::Ptr),
                args: match args {
                    PrintArgs::Buffer(b) => Prints::Buffer(self.operand(*b, Ty::Ptr)),
                    PrintArgs::Values(vs) => Prints::Values(
                        vs.iter()
                            .map(|v| {
                                (v.ty, v.lanes.iter().map(|o| self.operand(*o, v.ty)).collect())
                            })
                            .collect(),
                    ),
                },
            },
            Op::Assert { cond, message } => {
                Rare::Assert { cond: self.operand(*cond, Ty::I1), message: message.clone(), loc }
            }
            Op::Requires { cond, text } => {
                Rare::Requires { cond: self.operand(*cond, Ty::I1), text: text.clone() }
            }
            Op::Yield => Rare::Yield,
            Op::Unsupported(id) | Op::Foreign { what: id, .. } => Rare::Unsupported(*id),
            _ => return Err(LaunchError("an operation was decoded twice".into())),
        };
        self.rare(rare, loc);
        Ok(())
    }

    fn fresh_many(&mut self, ty: Ty, count: u8) -> Slot {
        let first = self.fresh(ty);
        for _ in 1..count {
            self.fresh(ty);
        }
        first
    }

    /// A load whose registers are not consecutive: load into temporaries, then move.
    fn scattered_load(
        &mut self,
        inst: &lockstep_kernel::Inst,
        addr: Slot,
    ) -> Result<(), LaunchError> {
        let (Op::Load { site, ty, count, .. }, Some(Reg(r))) = (&inst.op, inst.dst) else {
            return Ok(());
        };
        let block = self.fresh_many(*ty, *count);
        self.push(Step::Load { site: *site, ty: *ty, count: *count, d: block, addr }, inst.loc);
        for k in 0..u32::from(*count) {
            let d = self.reg(Reg(r + k));
            let source = block.plus(k * units(*ty));
            let mut alu = self.alu(lanes::copy_pair(*ty), d, source, self.zero, self.zero);
            alu.copies = true;
            self.push(Step::Alu(alu), inst.loc);
        }
        Ok(())
    }

    /// A length or count as a 64-bit register.
    fn operand_as_i64(&mut self, o: Operand) -> Slot {
        let ty = self.operand_ty(o, Ty::I64);
        let slot = self.operand(o, ty);
        if ty.bits() == 64 {
            return slot;
        }
        let wide = self.fresh(Ty::I64);
        if let Some(p) = lanes::cast_pair(CastOp::ZExt, ty, Ty::I64) {
            let alu = self.alu(p, wide, slot, self.zero, self.zero);
            self.push(Step::Alu(alu), LocId(0));
        }
        wide
    }

    /// `o != 0` as a one-bit register.
    fn nonzero(&mut self, o: Operand, ty: Ty, loc: LocId) -> Slot {
        let a = self.operand(o, ty);
        let zero = self.constant(0, ty);
        let d = self.fresh(Ty::I1);
        if let Some(p) = lanes::cmp_pair(lockstep_kernel::CmpOp::Ne, ty) {
            let alu = self.alu(p, d, a, zero, self.zero);
            self.push(Step::Alu(alu), loc);
        }
        d
    }
}
