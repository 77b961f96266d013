//! One operation of one group.

use lockstep_kernel::{Barrier, CmpOp, CopyDone, Inst, IntOp, Op, Operand, Special, Ty};

use super::thread::{Flow, Thread};
use super::{Machine, Outcome, What, coordinates, product};
use crate::solve::Answer;
use crate::term::{T, Undefined, is_binary};

impl Machine<'_> {
    pub(super) fn operate(&mut self, thread: &mut Thread, at: usize, inst: &Inst) -> Outcome<Flow> {
        if let Op::Int {
            op: IntOp::UDiv | IntOp::SDiv | IntOp::URem | IntOp::SRem, ty, b, ..
        } = inst.op
        {
            let divisor = self.of(thread, at, b, ty);
            self.divide(thread.groups[at].guard, divisor)?;
        }
        if let Some(value) = self.pure(thread, at, inst) {
            self.set(thread, at, inst, 0, value);
            return Ok(Flow::Next);
        }
        let guard = thread.groups[at].guard;
        match &inst.op {
            Op::Load { site, ty, count, addr } => {
                let addr = self.of(thread, at, *addr, Ty::Ptr);
                self.align(guard, addr, site.0)?;
                for i in 0..u32::from(*count) {
                    let place = self.element(addr, i, *ty);
                    let value = self.load(thread, guard, place, *ty, site.0)?;
                    if inst.dst.is_some_and(|d| self.used[(d.0 + i) as usize]) {
                        self.written(guard, value)?;
                    }
                    self.set(thread, at, inst, i, value);
                }
            }
            Op::Store { site, ty, values, addr } => {
                let addr = self.of(thread, at, *addr, Ty::Ptr);
                self.align(guard, addr, site.0)?;
                for (i, value) in values.iter().enumerate() {
                    let value = self.of(thread, at, *value, *ty);
                    let place = self.element(addr, i as u32, *ty);
                    self.store(thread, guard, place, value, site.0)?;
                }
            }
            Op::Atomic { .. } => self.atomic(thread, at, inst)?,
            Op::MemCopy { done: CopyDone::AtOnce, .. } | Op::MemSet { .. } => {
                self.bulk(thread, at, inst)?;
            }
            Op::Fence { .. } | Op::Yield | Op::Print { .. } => {}
            Op::CommitCopies { .. } | Op::AwaitCopies { .. } | Op::ProxyFence => {}
            Op::Assert { cond, .. } => {
                let cond = self.of(thread, at, *cond, Ty::I1);
                let fails = self.pool.not(cond);
                let fails = self.pool.and(guard, fails);
                self.trouble_if(fails, What::Assertion)?;
                // The thread ends where it fails.
                if self.is_watching() {
                    thread.groups[at].guard = self.pool.and(guard, cond);
                }
            }
            Op::Requires { .. } if self.together.is_some() => {
                self.trouble(What::NotTogether)?;
            }
            Op::Requires { cond, .. } => {
                let cond = self.of(thread, at, *cond, Ty::I1);
                let elsewhere = self.pool.not(guard);
                let holds = self.pool.or(elsewhere, cond);
                self.solver.assume(self.pool, holds);
            }
            Op::Barrier {
                barrier: Barrier::Block { .. } | Barrier::Grid | Barrier::Warp { .. },
                ..
            }
            | Op::Shuffle { .. }
            | Op::Vote { .. } => return Ok(Flow::Wait),
            Op::MemCopy { .. } => self.not_followed("an asynchronous copy")?,
            Op::Barrier { .. } => self.not_followed("a barrier of some threads")?,
            Op::GroupCopy { .. } => self.not_followed("a copy of the work-group")?,
            Op::Texel { .. } | Op::ImageSize { .. } => self.not_followed("an image")?,
            Op::Alloc { .. } | Op::Free { .. } => self.not_followed("the heap of the device")?,
            Op::Match { .. } => self.not_followed("__match_sync")?,
            Op::MatrixProduct { .. } => self.not_followed("a product of matrices")?,
            // Some mask: which lanes run together, nobody knows.
            Op::ActiveMask if self.is_watching() => {
                let mask = self.pool.undefined(Undefined::AbsentLane, Ty::I32);
                self.set(thread, at, inst, 0, mask);
            }
            Op::ActiveMask => self.not_followed("the mask of active lanes")?,
            Op::Foreign { what, .. } | Op::Unsupported(what) => {
                let what = self.kernel.unsupported[*what as usize].what.clone();
                self.trouble_if(guard, What::NotFollowed(what))?;
            }
            _ => self.not_followed("an operation")?,
        }
        Ok(Flow::Next)
    }

    /// A division of integers: a divisor of zero is trouble, or, in a reference, an input that does not count.
    fn divide(&mut self, guard: T, divisor: T) -> Outcome<()> {
        let zero = self.pool.constant(self.pool.ty(divisor), 0);
        let is_zero = self.pool.cmp(CmpOp::Eq, divisor, zero);
        let is_zero = self.pool.and(guard, is_zero);
        if self.pool.is_false(is_zero) {
            return Ok(());
        }
        if !self.side.is_reference {
            return self.trouble_if(is_zero, What::DivisionByZero);
        }
        if !matches!(self.solver.can(self.pool, is_zero), Answer::Never) {
            let is_other = self.pool.not(is_zero);
            self.solver.assume(self.pool, is_other);
            self.divisions.push((is_zero, self.at));
        }
        Ok(())
    }

    pub(super) fn of(&mut self, thread: &Thread, at: usize, o: Operand, ty: Ty) -> T {
        if let Operand::Reg(r) = o
            && let Some(t) = thread.groups[at].registers[r.0 as usize]
        {
            return t;
        }
        self.operand(&thread.groups[at].registers, o, ty)
    }

    pub(super) fn set(&mut self, thread: &mut Thread, at: usize, inst: &Inst, i: u32, value: T) {
        if let Some(dst) = inst.dst {
            thread.groups[at].registers[(dst.0 + i) as usize] = Some(value);
        }
    }

    /// The result of an operation that depends on its operands and on the thread alone.
    pub(super) fn pure(&mut self, thread: &Thread, at: usize, inst: &Inst) -> Option<T> {
        Some(match inst.op {
            Op::Int { op, ty, a, b } => {
                let (a, b) = (self.of(thread, at, a, ty), self.of(thread, at, b, ty));
                self.pool.int(op, a, b)
            }
            Op::IntUn { op, ty, a } => {
                let a = self.of(thread, at, a, ty);
                self.pool.int_un(op, a)
            }
            Op::Funnel { left, ty, hi, lo, amount } => {
                let [hi, lo, amount] = [hi, lo, amount].map(|o| self.of(thread, at, o, ty));
                self.pool.funnel(left, hi, lo, amount)
            }
            Op::Float { op, ty, rounding, a, b } => {
                let (a, b) = (self.of(thread, at, a, ty), self.of(thread, at, b, ty));
                self.pool.float(op, rounding, a, b)
            }
            Op::FloatUn { op, ty, rounding, a } => {
                let a = self.of(thread, at, a, ty);
                self.pool.float_un(op, rounding, a)
            }
            Op::Fma { ty, rounding, a, b, c } => {
                let [a, b, c] = [a, b, c].map(|o| self.of(thread, at, o, ty));
                self.pool.fma(rounding, a, b, c)
            }
            Op::Math { f, ty, a, b } => {
                let a = self.of(thread, at, a, ty);
                let second = if f == lockstep_kernel::MathFn::LdExp { Ty::I32 } else { ty };
                let b = match is_binary(f) {
                    true => self.of(thread, at, b, second),
                    false => self.pool.constant(second, 0),
                };
                self.pool.math(f, a, b)
            }
            Op::Cmp { op, ty, a, b } => {
                let (a, b) = (self.of(thread, at, a, ty), self.of(thread, at, b, ty));
                self.pool.cmp(op, a, b)
            }
            Op::Cast { op, from, to, a } => {
                let a = self.of(thread, at, a, from);
                self.pool.cast(op, a, to)
            }
            Op::Select { ty, cond, a, b } => {
                let cond = self.of(thread, at, cond, Ty::I1);
                let (a, b) = (self.of(thread, at, a, ty), self.of(thread, at, b, ty));
                self.pool.select(cond, a, b)
            }
            Op::Copy { ty, a } => self.of(thread, at, a, ty),
            Op::Index { base, index, scale, offset } => {
                let base = self.of(thread, at, base, Ty::Ptr);
                let index = self.of(thread, at, index, Ty::I64);
                self.pool.index(base, index, scale, offset)
            }
            Op::Special(special) => {
                let ty = inst.dst.map_or(Ty::I32, |r| self.kernel.reg_ty(r));
                self.special(thread, special, ty)
            }
            _ => return None,
        })
    }

    fn special(&mut self, thread: &Thread, special: Special, ty: Ty) -> T {
        if let Some(of_all) = self.coordinate(special) {
            return self.pool.cast(lockstep_kernel::CastOp::ZExt, of_all, ty);
        }
        let launch = self.side.launch;
        let warp_size = self.side.warp_size;
        let lane = thread.local % warp_size;
        let threads = product(launch.block);
        let value = match special {
            Special::ThreadId(a) => coordinates(thread.local, launch.block)[a as usize],
            Special::BlockId(a) => coordinates(thread.block, launch.grid)[a as usize],
            Special::BlockDim(a) => launch.block[a as usize],
            Special::GridDim(a) => launch.grid[a as usize],
            Special::LaneId => lane,
            Special::WarpId => thread.local / warp_size,
            Special::WarpsPerBlock => threads.div_ceil(warp_size),
            Special::WarpSize => warp_size,
            Special::LaneMaskEq => 1 << lane,
            Special::LaneMaskLt => (1 << lane) - 1,
            Special::LaneMaskLe => u32::MAX >> (31 - lane),
            Special::LaneMaskGt => !(u32::MAX >> (31 - lane)),
            Special::LaneMaskGe => !((1 << lane) - 1),
            Special::GlobalOffset(_) => 0,
            Special::WorkDim => {
                let axis = (1..3).rev().find(|&a| launch.grid[a] > 1 || launch.block[a] > 1);
                axis.map_or(1, |a| a as u32 + 1)
            }
            Special::DynamicSharedSize => launch.shared,
            Special::Clock => return self.pool.undefined(Undefined::Clock, ty),
        };
        self.pool.constant(ty, u64::from(value))
    }
}
