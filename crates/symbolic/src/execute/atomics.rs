//! Atomics: in any order where the order does not matter.

use lockstep_kernel::{AtomicOp, CmpOp, FloatOp, Inst, IntOp, Op, Rounding, Space, Ty};

use super::access::Target;
use super::thread::Thread;
use super::{Machine, Outcome};
use crate::memory::records::{Class, Kind};
use crate::term::{T, Undefined};

/// With which others an atomic may change places.
fn class(op: AtomicOp) -> Class {
    match op {
        AtomicOp::Load => Class::Load,
        AtomicOp::Add | AtomicOp::Sub => Class::Add,
        AtomicOp::And => Class::And,
        AtomicOp::Or => Class::Or,
        AtomicOp::Xor => Class::Xor,
        AtomicOp::SMin => Class::SMin,
        AtomicOp::SMax => Class::SMax,
        AtomicOp::UMin => Class::UMin,
        AtomicOp::UMax => Class::UMax,
        AtomicOp::FAdd | AtomicOp::FSub => Class::FloatAdd,
        AtomicOp::FMin => Class::FloatMin,
        AtomicOp::FMax => Class::FloatMax,
        AtomicOp::Store
        | AtomicOp::Exchange
        | AtomicOp::Nand
        | AtomicOp::Inc
        | AtomicOp::Dec
        | AtomicOp::CompareExchange
        | AtomicOp::Arrive => Class::Ordered,
    }
}

impl Machine<'_> {
    pub(super) fn atomic(&mut self, thread: &mut Thread, at: usize, inst: &Inst) -> Outcome<()> {
        let Op::Atomic { site, op, ty, addr, value, expected, .. } = inst.op else {
            return self.not_followed("an operation");
        };
        let guard = thread.groups[at].guard;
        let addr = self.of(thread, at, addr, Ty::Ptr);
        let value = self.of(thread, at, value, ty);
        let expected = match op {
            AtomicOp::CompareExchange => self.of(thread, at, expected, ty),
            _ => value,
        };
        let size = u64::from(ty.bytes());
        let class = class(op);
        let writer = self.writer(thread, site.0);
        let targets = self.targets(thread, guard, addr, size)?;
        self.align(guard, addr, site.0)?;
        for place in self.take_places() {
            self.objects[place.object as usize].is_read = true;
            self.note_place(thread, guard, place, size, Kind::Atomic(class), site.0)?;
            if !place.told_apart && op != AtomicOp::Load {
                self.objects[place.object as usize].smear();
            }
        }
        let mut result = None;
        for target in targets.into_iter().rev() {
            self.note(thread, guard, target, size, Kind::Atomic(class), site.0)?;
            let old = self.read(guard, target, ty);
            if self.is_watching() {
                self.written(guard, old)?;
            }
            if op != AtomicOp::Load {
                let new = self.updated(op, ty, old, value, expected, target);
                self.write(guard, target, new, writer);
            }
            result = Some(match result {
                None => old,
                Some(others) => self.pool.select(target.when, old, others),
            });
        }
        // What others have done before, nobody knows; what commutes with nothing is done by one thread alone.
        let is_used = inst.dst.is_some_and(|d| self.used[d.0 as usize]);
        if inst.dst.is_some() && is_used {
            let is_exact = matches!(class, Class::Ordered | Class::Load) && !self.is_watching();
            let depends = self.threads > 1 && !is_exact;
            let old = match result {
                Some(old) if !depends => old,
                _ => self.pool.undefined(Undefined::AtomicOrder, ty),
            };
            self.set(thread, at, inst, 0, old);
        }
        Ok(())
    }

    /// Whether what an atomic leaves depends on the order of threads, or is rounded in their order.
    fn is_any(&mut self, class: Class, on: Target) -> bool {
        let object = &mut self.objects[on.object as usize];
        if self.threads == 1 || object.space == Space::Private {
            return false;
        }
        let first = *object.atomics.get_or_insert(class);
        let commutes =
            !matches!(class, Class::Ordered | Class::FloatAdd | Class::FloatMin | Class::FloatMax);
        // What comes before others of another class is any value, too.
        !commutes || first != class
    }

    /// What the atomic leaves: as [`lockstep_kernel::semantics::bits::atomic`] has it.
    fn updated(&mut self, op: AtomicOp, ty: Ty, old: T, value: T, expected: T, on: Target) -> T {
        if self.is_watching() && self.is_any(class(op), on) {
            return self.pool.undefined(Undefined::AtomicOrder, ty);
        }
        let integer = match op {
            AtomicOp::Add => Some(IntOp::Add),
            AtomicOp::Sub => Some(IntOp::Sub),
            AtomicOp::And => Some(IntOp::And),
            AtomicOp::Or => Some(IntOp::Or),
            AtomicOp::Xor => Some(IntOp::Xor),
            AtomicOp::SMin => Some(IntOp::SMin),
            AtomicOp::SMax => Some(IntOp::SMax),
            AtomicOp::UMin => Some(IntOp::UMin),
            AtomicOp::UMax => Some(IntOp::UMax),
            _ => None,
        };
        if let Some(integer) = integer {
            return self.pool.int(integer, old, value);
        }
        let alone = self.threads == 1 || self.objects[on.object as usize].space == Space::Private;
        let mut float = |op: FloatOp, value: T| match alone {
            true => self.pool.float(op, Rounding::NearestEven, old, value),
            false => self.pool.any_order(op, self.number, old, value),
        };
        match op {
            AtomicOp::FAdd => float(FloatOp::Add, value),
            AtomicOp::FMin => float(FloatOp::Min, value),
            AtomicOp::FMax => float(FloatOp::Max, value),
            AtomicOp::FSub => {
                let negative = self.pool.float_un(
                    lockstep_kernel::FloatUnOp::Neg,
                    Rounding::NearestEven,
                    value,
                );
                match alone {
                    true => self.pool.float(FloatOp::Add, Rounding::NearestEven, old, negative),
                    false => self.pool.any_order(FloatOp::Add, self.number, old, negative),
                }
            }
            AtomicOp::Nand => {
                let both = self.pool.int(IntOp::And, old, value);
                let ones = self.pool.constant(ty, ty.mask());
                self.pool.int(IntOp::Xor, both, ones)
            }
            AtomicOp::Inc => {
                let (zero, one) = (self.pool.constant(ty, 0), self.pool.constant(ty, 1));
                let next = self.pool.int(IntOp::Add, old, one);
                let wraps = self.pool.cmp(CmpOp::UGe, old, value);
                self.pool.select(wraps, zero, next)
            }
            AtomicOp::Dec => {
                let (zero, one) = (self.pool.constant(ty, 0), self.pool.constant(ty, 1));
                let next = self.pool.int(IntOp::Sub, old, one);
                let is_zero = self.pool.cmp(CmpOp::Eq, old, zero);
                let is_above = self.pool.cmp(CmpOp::UGt, old, value);
                let wraps = self.pool.or(is_zero, is_above);
                self.pool.select(wraps, value, next)
            }
            AtomicOp::CompareExchange => {
                let same = match ty.is_float() {
                    true => self.pool.undefined(Undefined::AtomicOrder, Ty::I1),
                    false => self.pool.cmp(CmpOp::Eq, old, expected),
                };
                self.pool.select(same, value, old)
            }
            _ => value,
        }
    }
}
