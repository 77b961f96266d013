//! Operations of the kernel, for one generic thread: the value of each, and the accesses it makes.
//!
//! Arithmetic is exact or an uninterpreted function of its operands ([`crate::symbolic::arithmetic`]). A load is a
//! function of its address ([`Exec::load`]); values exchanged between the lanes of a warp are in
//! [`crate::symbolic::warp_values`], group copies in [`crate::order::group_copies`], numbers drawn from a counter in
//! [`crate::order::tickets`]. The result of an operation that is not modelled is an unknown value, a binder that may
//! differ for each thread; only [`Op::Unsupported`] is a gap.

use lockstep_finding::{Approximation, NotFollowed, Reason};
use lockstep_kernel::{
    AtomicOp, Barrier, BarrierReduce, BlockId, CastOp, Inst, Op, Operand, Reg, SiteId, Space,
    Special, Terminator, Ty,
};

use crate::launch::context::{Base, FnKind, VarKind};
use crate::symbolic::arithmetic::result_of;
use crate::symbolic::evaluate::Exec;
use crate::symbolic::records::{Access, AssertAt, BarrierAt, Mode, Recent, Vote, WarpOp};
use crate::symbolic::source::spot_of;
use crate::term::T;

impl Exec<'_, '_> {
    pub(crate) fn block(&mut self, b: BlockId) {
        let kernel = self.ctx.kernel;
        self.recent = self.recent_before(b);
        if self.loop_of_head(b).is_none() {
            for phi in &kernel.block(b).phis {
                let v = self.phi_value(phi, b);
                self.values[phi.dst.0 as usize] = Some(v);
            }
        }
        for (at, inst) in kernel.block(b).insts.iter().enumerate() {
            self.inst(b, at, inst);
        }
        if let Terminator::Branch { cond, .. } = kernel.block(b).term {
            let c = self.operand(cond, 1, b);
            self.branches.insert(b, c);
        }
        let recent = std::mem::take(&mut self.recent);
        self.recent_after.insert(b, recent);
    }

    /// The thread's recent stores that are valid on all incoming edges. None at a loop header: the loop may store
    /// again.
    fn recent_before(&self, b: BlockId) -> Vec<Recent> {
        let around = self.ctx.cfg.innermost[b.0 as usize];
        if self.loop_of_head(b).is_some() {
            return Vec::new();
        }
        let mut out: Option<Vec<Recent>> = None;
        for p in &self.ctx.cfg.predecessors[b.0 as usize] {
            if self.ctx.cfg.innermost[p.0 as usize] != around {
                return Vec::new();
            }
            let Some(there) = self.recent_after.get(p) else { return Vec::new() };
            out = Some(match out {
                None => there.clone(),
                Some(list) => list.into_iter().filter(|r| there.contains(r)).collect(),
            });
        }
        out.unwrap_or_default()
    }

    pub(crate) fn set(&mut self, r: Reg, k: u32, t: T) {
        self.values[(r.0 + k) as usize] = Some(t);
    }

    fn inst(&mut self, b: BlockId, at: usize, inst: &Inst) {
        let live = !self.ctx.pool.is_false(self.reach[b.0 as usize]);
        if let Some(value) = self.pure(b, inst) {
            if let Some(dst) = inst.dst {
                self.set(dst, 0, value);
            }
            return;
        }
        match &inst.op {
            Op::Load { .. } if self.fetch(b, inst) => {}
            Op::Load { site, ty, count, addr } => {
                let a = self.operand(*addr, 64, b);
                if live {
                    let bytes = u64::from(ty.bytes()) * u64::from(*count);
                    let bytes = self.bytes_at(*addr, bytes);
                    self.access(*site, Mode::Read, b, at, a, bytes);
                }
                let dst = inst.dst.expect("a load has a result");
                for k in 0..*count {
                    let v = self.load((b, at), *site, *ty, a, k, Reg(dst.0 + u32::from(k)));
                    self.set(dst, u32::from(k), v);
                }
            }
            Op::Store { site, ty, values, addr } => {
                let a = self.operand(*addr, 64, b);
                let terms: Vec<T> = values.iter().map(|v| self.operand(*v, ty.bits(), b)).collect();
                let size = u64::from(ty.bytes()) * terms.len() as u64;
                if live {
                    self.access(*site, Mode::Write, b, at, a, self.bytes_at(*addr, size));
                    self.accesses.last_mut().expect("just pushed").values = terms.clone();
                }
                self.disturb(*site, a, size);
                self.recent.push(Recent { addr: a, ty: *ty, values: terms });
            }
            Op::Atomic { site, op, ty, addr, value, scope, .. } => {
                let a = self.operand(*addr, 64, b);
                if live {
                    let writes = *op != AtomicOp::Load;
                    let mode = Mode::Atomic { scope: *scope, writes };
                    self.access(*site, mode, b, at, a, u64::from(ty.bytes()));
                }
                self.recent.clear();
                self.bind_results(b, inst);
                if let (true, Some(dst)) = (live, inst.dst) {
                    let step = self.operand(*value, ty.bits(), b);
                    self.draw((b, at), *op, a, step, dst);
                }
            }
            Op::MemCopy { read, write, dst, src, len, .. } => {
                let (d, s) = (self.operand(*dst, 64, b), self.operand(*src, 64, b));
                let n = self.operand(*len, 64, b);
                if live {
                    self.access(*read, Mode::Read, b, at, s, 0);
                    self.set_length(n);
                    self.access(*write, Mode::Write, b, at, d, 0);
                    self.set_length(n);
                }
                self.recent.clear();
            }
            Op::MemSet { site, dst, len, byte } => {
                let d = self.operand(*dst, 64, b);
                let n = self.operand(*len, 64, b);
                if live {
                    self.access(*site, Mode::Write, b, at, d, 0);
                    self.set_length(n);
                    let v = self.operand(*byte, 8, b);
                    self.accesses.last_mut().expect("just pushed").values = vec![v];
                }
                self.recent.clear();
            }
            Op::Barrier { site, barrier } => {
                if live {
                    if let Barrier::Warp { mask } = barrier {
                        self.warp_op(b, inst.loc, *mask);
                    }
                    let barrier = self.of_whole_block(*barrier, b);
                    self.barriers.push(BarrierAt {
                        site: *site,
                        block: b,
                        at,
                        barrier,
                        copies: false,
                    });
                }
                self.recent.clear();
                let scan = matches!(
                    barrier,
                    Barrier::Block { reduce: Some((BarrierReduce::Scan { .. }, _)), .. }
                );
                if scan || !crate::symbolic::records::is_block_barrier(barrier) {
                    self.bind_results(b, inst);
                } else if let Some(dst) = inst.dst {
                    let name = self.ctx.reg_name(dst).unwrap_or("").to_owned();
                    let f = self.ctx.function(FnKind::Uniform(dst), 0, &name);
                    let args = self.counters(b);
                    let w = self.ctx.kernel.reg_ty(dst).bits();
                    let v = self.ctx.pool.app(f, &args, w);
                    self.set(dst, 0, v);
                    if live {
                        self.vote(b, barrier, v);
                    }
                }
            }
            Op::Requires { cond, text } => {
                let c = self.operand(*cond, 1, b);
                self.requires.push((b, c, text.clone()));
            }
            Op::Assert { cond, message } => {
                let cond = self.operand(*cond, 1, b);
                if live {
                    let (loc, message) = (inst.loc, message.clone());
                    self.asserts.push(AssertAt { block: b, loc, cond, message });
                }
            }
            Op::Unsupported(i) if live => {
                let what = &self.ctx.kernel.unsupported[*i as usize];
                let operation = NotFollowed::Operation(what.what.clone());
                let at = Some(spot_of(self.ctx.kernel, what.loc));
                self.unmodelled.push((b, Reason::NotFollowed { what: operation, at }));
            }
            Op::Foreign { what, .. } => {
                let called = &self.ctx.kernel.unsupported[*what as usize].what;
                if live && !self.foreign.contains(&called.as_str()) {
                    self.foreign.push(called);
                }
                self.bind_results(b, inst);
            }
            // An object that no other thread has a pointer to, unless the pointer is passed on.
            Op::Alloc { .. } if self.nest(b).is_empty() => {
                let dst = inst.dst.expect("an allocation has a result");
                let address = self.ctx.address_of(Base::Allocated(dst));
                self.set(dst, 0, address);
            }
            Op::GroupCopy { .. } => {
                if live {
                    self.group_copy(b, at, &inst.op);
                }
                // Which copies a wait is for was determined from the source.
                if let Some(event) = inst.dst {
                    let some = self.ctx.pool.constant(1, 64);
                    self.set(event, 0, some);
                }
                self.recent.clear();
            }
            Op::Shuffle { .. } | Op::Vote { .. } | Op::Match { .. } | Op::MatrixProduct { .. } => {
                if live && let Some(mask) = crate::symbolic::warp_values::mask(&inst.op) {
                    self.warp_op(b, inst.loc, mask);
                }
                self.bind_results(b, inst);
                self.warp_value(b, inst);
            }
            _ => self.bind_results(b, inst),
        }
    }

    fn warp_op(&mut self, block: BlockId, loc: lockstep_kernel::LocId, mask: Operand) {
        let mask = self.operand(mask, 32, block);
        self.warp_ops.push(WarpOp { block, loc, mask });
    }

    /// Records a vote at a barrier: whether a condition holds for any thread.
    fn vote(&mut self, block: BlockId, barrier: &Barrier, result: T) {
        let Barrier::Block { reduce: Some((how, given)), .. } = barrier else { return };
        if matches!(how, BarrierReduce::Or | BarrierReduce::Count) {
            let given = self.operand(*given, 1, block);
            self.votes.push(Vote { block, given, result });
        }
    }

    /// A barrier that counts as many threads as the block has is a barrier of the block, if all threads that reach
    /// barriers wait at it.
    fn of_whole_block(&mut self, barrier: Barrier, b: BlockId) -> Barrier {
        let Barrier::Block { id, threads: Some(n), orders_shared, orders_global, reduce } = barrier
        else {
            return barrier;
        };
        let (count, all) = (self.operand(n, 32, b), self.ctx.block_threads());
        let all_wait = !self.ctx.kernel.insts().any(|i| {
            let Op::Barrier { barrier, .. } = &i.op else { return false };
            matches!(barrier, Barrier::Arrive { .. } | Barrier::Await { .. })
        });
        let threads = (count != all || !all_wait).then_some(n);
        Barrier::Block { id, threads, orders_shared, orders_global, reduce }
    }

    fn bind_results(&mut self, b: BlockId, inst: &Inst) {
        if let Some(dst) = inst.dst {
            for k in 0..inst.op.result_count() {
                let r = Reg(dst.0 + k);
                let v = self.binder(r, b);
                self.set(dst, k, v);
            }
        }
    }

    pub(crate) fn access(
        &mut self,
        site: SiteId,
        mode: Mode,
        block: BlockId,
        at: usize,
        addr: T,
        size: u64,
    ) {
        self.accesses.push(Access {
            site,
            mode,
            block,
            at,
            addr,
            size,
            length: None,
            values: Vec::new(),
            group: false,
            within: None,
        });
    }

    /// Sets the length of the copy that was just recorded.
    fn set_length(&mut self, n: T) {
        let known = self.ctx.pool.as_const(n);
        let last = self.accesses.last_mut().expect("just pushed");
        match known {
            Some(c) => last.size = c,
            None => last.length = Some(n),
        }
    }

    /// A store of this thread: forgets recent stores that it may overwrite.
    fn disturb(&mut self, _site: SiteId, addr: T, size: u64) {
        let pool = &mut self.ctx.pool;
        self.recent.retain(|r| {
            let own = u64::from(r.ty.bytes()) * r.values.len() as u64;
            let d = pool.sub(addr, r.addr);
            // A constant distance within one object shows that they do not overlap.
            pool.as_const(d).is_some_and(|d| {
                let d = d as i64;
                d >= own as i64 || d <= -(size as i64)
            })
        });
    }

    /// The value that this thread itself has just stored at the address.
    fn forwarded(&self, ty: Ty, addr: T, k: u8) -> Option<T> {
        let r = self.recent.iter().rev().find(|r| r.addr == addr && r.ty == ty)?;
        r.values.get(k as usize).copied()
    }

    fn load(
        &mut self,
        (b, at): (BlockId, usize),
        site: SiteId,
        ty: Ty,
        addr: T,
        k: u8,
        dst: Reg,
    ) -> T {
        let w = ty.bits();
        let info = self.ctx.kernel.site(site);
        let (space, volatile) = (info.space, info.volatile);
        let through = info.through.clone().unwrap_or_default();
        if volatile {
            return self.binder(dst, b);
        }
        // In lockstep another lane may have overwritten the value without a race.
        if self.ctx.assumptions.scheduling == lockstep_kernel::Scheduling::Independent
            && let Some(v) = self.forwarded(ty, addr, k)
        {
            self.forwarding = true;
            return v;
        }
        let element = self.ctx.pool.add_const(addr, u64::from(k) * u64::from(ty.bytes()));
        let name = self.ctx.reg_name(dst).map_or(through, str::to_owned);
        if let Some((base, offset)) = self.ctx.single_base(element) {
            let own = self.ctx.base_space(base);
            if own == Space::Private {
                return self.binder(dst, b);
            }
            let may_alias = self.ctx.assumptions.may_alias;
            let written = self.written.is_written(self.ctx.kernel, base, own, may_alias);
            if !written {
                if let Some(v) = self.initial(base, offset, ty) {
                    return v;
                }
                if let (Base::Param(p), Some(o)) = (base, self.ctx.pool.as_const(offset))
                    && let Some(field) = self.field(p, o, ty)
                {
                    return field;
                }
                if let (Base::Param(p), Some(o), Ty::Ptr) =
                    (base, self.ctx.pool.as_const(offset), ty)
                    && own == Space::Constant
                    && matches!(
                        self.ctx.kernel.params[p].kind,
                        lockstep_kernel::ParamKind::Aggregate { .. }
                    )
                {
                    self.fields.insert(Base::Field(p, o));
                    return self.ctx.address_of(Base::Field(p, o));
                }
                let f = self.ctx.function(FnKind::ReadOnly(base), 0, &name);
                return self.ctx.pool.app(f, &[offset], w);
            }
            self.note_read(base, (b, at), (site, k), w);
        } else if space == Space::Private {
            return self.binder(dst, b);
        }
        let f = self.ctx.function(FnKind::LoadAt(site, k), 0, &name);
        let mut args = vec![element];
        args.extend(self.counters(b));
        self.ctx.pool.app(f, &args, w)
    }

    /// The field of a struct parameter at an offset, if it is a parameter of its own.
    fn field(&self, param: usize, offset: u64, ty: Ty) -> Option<T> {
        let kernel = self.ctx.kernel;
        let (_, field) = kernel.field_at(param, u32::try_from(offset).ok()?)?;
        let same = kernel.reg_ty(field.reg).bits() == ty.bits();
        same.then(|| self.values[field.reg.0 as usize]).flatten()
    }

    /// Operations without side effects.
    fn pure(&mut self, b: BlockId, inst: &Inst) -> Option<T> {
        match &inst.op {
            Op::Int { op, ty, a, b: o } => {
                let (x, y) = (self.operand(*a, ty.bits(), b), self.operand(*o, ty.bits(), b));
                Some(self.ctx.int(*op, x, y))
            }
            Op::IntUn { op, ty, a } => {
                let x = self.operand(*a, ty.bits(), b);
                Some(self.ctx.int_un(*op, x))
            }
            Op::Funnel { left, ty, hi, lo, amount } => {
                let (hi, lo) = (self.operand(*hi, ty.bits(), b), self.operand(*lo, ty.bits(), b));
                let amount = self.operand(*amount, ty.bits(), b);
                Some(self.ctx.funnel(*left, hi, lo, amount))
            }
            Op::Float { op, ty, rounding, a, b: o } => {
                let args = [self.operand(*a, ty.bits(), b), self.operand(*o, ty.bits(), b)];
                let name = format!("{op:?}.{ty}.{rounding:?}");
                Some(self.ctx.pure(Approximation::FloatValue, &name, &args, ty.bits()))
            }
            Op::FloatUn { op, ty, rounding, a } => {
                let args = [self.operand(*a, ty.bits(), b)];
                let name = format!("{op:?}.{ty}.{rounding:?}.un");
                Some(self.ctx.pure(result_of(op), &name, &args, ty.bits()))
            }
            Op::Fma { ty, rounding, a, b: o, c } => {
                let w = ty.bits();
                let args = [self.operand(*a, w, b), self.operand(*o, w, b), self.operand(*c, w, b)];
                let name = format!("fma.{ty}.{rounding:?}");
                Some(self.ctx.pure(Approximation::FloatValue, &name, &args, w))
            }
            Op::Math { f, ty, a, b: o } => {
                let dst = inst.dst?;
                let w = self.ctx.kernel.reg_ty(dst).bits();
                let width = |o: &Operand| match o {
                    Operand::Reg(r) => self.ctx.kernel.reg_ty(*r).bits(),
                    _ => ty.bits(),
                };
                let (wa, wb) = (width(a), width(o));
                let args = [self.operand(*a, wa, b), self.operand(*o, wb, b)];
                let name = format!("{f:?}.{ty}.{wa}.{wb}");
                Some(self.ctx.pure(result_of(f), &name, &args, w))
            }
            Op::Cmp { op, ty, a, b: o } => {
                let (x, y) = (self.operand(*a, ty.bits(), b), self.operand(*o, ty.bits(), b));
                Some(self.ctx.compare(*op, *ty, x, y))
            }
            Op::Cast { op, from, to, a } => {
                let x = self.operand(*a, from.bits(), b);
                let p = &mut self.ctx.pool;
                Some(match op {
                    CastOp::Trunc => p.resize(x, to.bits()),
                    CastOp::ZExt => p.resize(x, to.bits()),
                    CastOp::SExt => p.sext(x, to.bits()),
                    CastOp::Bit => x,
                    _ => {
                        let name = format!("{op:?}.{from}.{to}");
                        self.ctx.pure(Approximation::FloatValue, &name, &[x], to.bits())
                    }
                })
            }
            Op::Select { ty, cond, a, b: o } => {
                let c = self.operand(*cond, 1, b);
                let (x, y) = (self.operand(*a, ty.bits(), b), self.operand(*o, ty.bits(), b));
                Some(self.ctx.pool.ite(c, x, y))
            }
            Op::Copy { ty, a } => Some(self.operand(*a, ty.bits(), b)),
            Op::Index { base, index, scale, offset } => {
                let (x, i) = (self.operand(*base, 64, b), self.operand(*index, 64, b));
                Some(self.ctx.pool.sum(*offset as u64, &[(x, 1), (i, *scale as u64)], 64))
            }
            Op::Special(s) => self.special(*s, inst.dst?),
            Op::Texel { .. } => self.texel(b, &inst.op),
            Op::ImageSize { image, rank, axis, .. } => {
                Some(self.image_size(b, *image, *rank, *axis))
            }
            _ => None,
        }
    }

    fn special(&mut self, s: Special, dst: Reg) -> Option<T> {
        let w = self.ctx.kernel.reg_ty(dst).bits();
        let t = match s {
            Special::ThreadId(a) => self.ctx.thread_id(a, 0),
            Special::BlockId(a) => self.ctx.block_id(a, 0),
            Special::BlockDim(a) => self.ctx.block_dim(a),
            Special::GridDim(a) => self.ctx.grid_dim(a),
            Special::LaneId => {
                let linear = self.ctx.linear_thread(0);
                let size = self.ctx.pool.constant(u64::from(self.ctx.assumptions.warp_size), 32);
                self.ctx.pool.urem(linear, size)
            }
            Special::WarpId => {
                let linear = self.ctx.linear_thread(0);
                let size = self.ctx.pool.constant(u64::from(self.ctx.assumptions.warp_size), 32);
                self.ctx.pool.udiv(linear, size)
            }
            Special::WarpSize => {
                self.ctx.pool.constant(u64::from(self.ctx.assumptions.warp_size), 32)
            }
            Special::WarpsPerBlock => {
                let threads = self.ctx.block_threads();
                let size = u64::from(self.ctx.assumptions.warp_size);
                let up = self.ctx.pool.add_const(threads, size - 1);
                let size = self.ctx.pool.constant(size, 32);
                self.ctx.pool.udiv(up, size)
            }
            Special::LaneMaskEq
            | Special::LaneMaskLt
            | Special::LaneMaskLe
            | Special::LaneMaskGt
            | Special::LaneMaskGe => self.lane_mask(s),
            // A non-zero offset is excluded by an assumption that the verdict names; one given by the head comment is a
            // constant of the kernel.
            Special::GlobalOffset(_) => {
                self.no_offset = true;
                self.ctx.pool.constant(0, w)
            }
            Special::WorkDim => {
                let least = self.ctx.least_work_dim();
                self.ctx.variable(VarKind::WorkDim, 0, least, 3, w)
            }
            Special::DynamicSharedSize => self.ctx.free(VarKind::DynamicSharedSize, 0, w),
            _ => return None,
        };
        Some(self.ctx.pool.resize(t, w))
    }
}
