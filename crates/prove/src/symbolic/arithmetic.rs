//! Operations of the kernel as terms.
//!
//! Integer operations and comparisons have the semantics of `semantics.rs`. Floating-point operations, library
//! functions and the upper halves of long products are uninterpreted: equal operands give equal results, and nothing
//! else is known.

use lockstep_finding::Approximation;
use lockstep_kernel::{CmpOp, IntOp, IntUnOp, Ty};

use crate::launch::context::{Ctx, FnKind};
use crate::term::{T, mask};

/// The name of an operation's result in reports.
pub(crate) fn result_of(op: impl std::fmt::Debug) -> Approximation {
    Approximation::Operation(format!("{op:?}").to_lowercase())
}

impl Ctx<'_> {
    /// The result of an operation that is not modelled: equal operands give equal values. `told` is its name in
    /// reports.
    pub(crate) fn pure(&mut self, told: Approximation, name: &str, args: &[T], width: u32) -> T {
        let f = self.function(FnKind::Pure(name.to_owned(), told), 0, "");
        self.pool.app(f, args, width)
    }

    pub(crate) fn int(&mut self, op: IntOp, a: T, b: T) -> T {
        let w = self.pool.width(a);
        let p = &mut self.pool;
        match op {
            IntOp::Add => p.add(a, b),
            IntOp::Sub => p.sub(a, b),
            IntOp::Mul => p.mul(a, b),
            IntOp::UDiv => p.udiv(a, b),
            IntOp::SDiv => p.sdiv(a, b),
            IntOp::URem => p.urem(a, b),
            IntOp::SRem => p.srem(a, b),
            IntOp::And => p.and(a, b),
            IntOp::Or => p.or(a, b),
            IntOp::Xor => p.xor(a, b),
            IntOp::Shl => p.shl(a, b),
            IntOp::LShr => p.lshr(a, b),
            IntOp::AShr => p.ashr(a, b),
            IntOp::UMin | IntOp::UMax | IntOp::SMin | IntOp::SMax => {
                let less =
                    if matches!(op, IntOp::UMin | IntOp::UMax) { p.ult(a, b) } else { p.slt(a, b) };
                if matches!(op, IntOp::UMin | IntOp::SMin) {
                    p.ite(less, a, b)
                } else {
                    p.ite(less, b, a)
                }
            }
            IntOp::UMulHi | IntOp::SMulHi if w <= 32 => {
                let (x, y) = if op == IntOp::UMulHi {
                    (p.zext(a, 64), p.zext(b, 64))
                } else {
                    (p.sext(a, 64), p.sext(b, 64))
                };
                let product = p.mul(x, y);
                let amount = p.constant(u64::from(w), 64);
                let high = p.lshr(product, amount);
                p.trunc(high, w)
            }
            IntOp::UAddSat => {
                let (sum, most) = (p.add(a, b), p.constant(mask(w), w));
                let over = p.ult(sum, a);
                p.ite(over, most, sum)
            }
            IntOp::USubSat => {
                let (difference, zero) = (p.sub(a, b), p.constant(0, w));
                let under = p.ult(a, b);
                p.ite(under, zero, difference)
            }
            IntOp::SAddSat | IntOp::SSubSat => {
                let exact = if op == IntOp::SAddSat { p.add(a, b) } else { p.sub(a, b) };
                // Overflow: both operands have the same sign (the second one negated for a difference), and the result
                // has the other.
                let (zero, least) = (p.constant(0, w), p.constant(1 << (w - 1), w));
                let signs = [a, b, exact].map(|t| p.slt(t, zero));
                let second = if op == IntOp::SAddSat { signs[1] } else { p.not(signs[1]) };
                let (same, turned) = (p.eq(signs[0], second), p.eq(signs[0], signs[2]));
                let turned = p.not(turned);
                let over = p.and(same, turned);
                let most = p.add_const(least, mask(w));
                let limit = p.ite(signs[0], least, most);
                p.ite(over, limit, exact)
            }
            IntOp::UMulHi | IntOp::SMulHi => {
                self.pure(result_of(op), &format!("{op:?}.{w}"), &[a, b], w)
            }
        }
    }

    pub(crate) fn int_un(&mut self, op: IntUnOp, a: T) -> T {
        let w = self.pool.width(a);
        if !w.is_power_of_two() || w < 8 {
            return self.pure(result_of(op), &format!("{op:?}.{w}"), &[a], w);
        }
        let ones = self.pool.constant(mask(w), w);
        match op {
            IntUnOp::Abs => {
                let p = &mut self.pool;
                let zero = p.constant(0, w);
                let negative = p.slt(a, zero);
                let minus = p.sub(zero, a);
                p.ite(negative, minus, a)
            }
            IntUnOp::PopCount => self.ones_in(a),
            // The number of zeros below the lowest one.
            IntUnOp::Ctz => {
                let less = self.pool.add_const(a, mask(w));
                let zeros = self.pool.xor(a, ones);
                let below = self.pool.and(zeros, less);
                self.ones_in(below)
            }
            // The number of zeros that remain after all bits below the highest one are set.
            IntUnOp::Clz => {
                let mut filled = a;
                for by in shifts(w) {
                    let lower = self.shifted(filled, IntOp::LShr, by);
                    filled = self.pool.or(filled, lower);
                }
                let above = self.pool.xor(filled, ones);
                self.ones_in(above)
            }
            IntUnOp::BitReverse => shifts(w).fold(a, |x, by| self.swap_neighbours(x, by)),
            IntUnOp::ByteSwap => {
                shifts(w).filter(|by| *by >= 8).fold(a, |x, by| self.swap_neighbours(x, by))
            }
        }
    }

    fn shifted(&mut self, a: T, op: IntOp, by: u32) -> T {
        let amount = self.pool.constant(u64::from(by), self.pool.width(a));
        self.int(op, a, amount)
    }

    /// The population count: sums of neighbouring bits, then of pairs, and so on.
    fn ones_in(&mut self, a: T) -> T {
        let w = self.pool.width(a);
        shifts(w).fold(a, |x, by| {
            let even = self.pool.constant(every_other(by, w), w);
            let upper = self.shifted(x, IntOp::LShr, by);
            let (x, y) = (self.pool.and(x, even), self.pool.and(upper, even));
            self.pool.add(x, y)
        })
    }

    /// Swaps neighbouring fields of `by` bits.
    fn swap_neighbours(&mut self, a: T, by: u32) -> T {
        let w = self.pool.width(a);
        let even = self.pool.constant(every_other(by, w), w);
        let upper = self.shifted(a, IntOp::LShr, by);
        let (low, high) = (self.pool.and(a, even), self.pool.and(upper, even));
        let low = self.shifted(low, IntOp::Shl, by);
        self.pool.or(low, high)
    }

    /// A double word shifted by less than half its width; `semantics.rs` handles a shift by zero.
    pub(crate) fn funnel(&mut self, left: bool, hi: T, lo: T, amount: T) -> T {
        let w = self.pool.width(hi);
        let within = self.pool.constant(u64::from(w) - 1, w);
        let n = self.pool.and(amount, within);
        let bits = self.pool.constant(u64::from(w), w);
        let rest = self.pool.sub(bits, n);
        let zero = self.pool.constant(0, w);
        let none = self.pool.eq(n, zero);
        let p = &mut self.pool;
        let (whole, x, y) = if left {
            (hi, p.shl(hi, n), p.lshr(lo, rest))
        } else {
            (lo, p.lshr(lo, n), p.shl(hi, rest))
        };
        let both = p.or(x, y);
        p.ite(none, whole, both)
    }

    pub(crate) fn compare(&mut self, op: CmpOp, ty: Ty, a: T, b: T) -> T {
        let p = &mut self.pool;
        match op {
            CmpOp::Eq => p.eq(a, b),
            CmpOp::Ne => {
                let e = p.eq(a, b);
                p.not(e)
            }
            CmpOp::ULt => p.ult(a, b),
            CmpOp::UGt => p.ult(b, a),
            CmpOp::ULe => p.ule(a, b),
            CmpOp::UGe => p.ule(b, a),
            CmpOp::SLt => p.slt(a, b),
            CmpOp::SGt => p.slt(b, a),
            CmpOp::SLe => p.sle(a, b),
            CmpOp::SGe => p.sle(b, a),
            _ => {
                let told = Approximation::FloatComparison;
                self.pure(told, &format!("{op:?}.{ty}"), &[a, b], 1)
            }
        }
    }
}

/// 1, 2, 4 and so on below the width.
fn shifts(width: u32) -> impl Iterator<Item = u32> {
    (0..).map(|k| 1 << k).take_while(move |by| *by < width)
}

/// A mask of every other field of `by` bits, starting with the lowest.
fn every_other(by: u32, width: u32) -> u64 {
    (0..width).filter(|bit| (bit / by).is_multiple_of(2)).fold(0, |m, bit| m | 1 << bit)
}
