//! Operations of the kernel as terms.
//!
//! Integer operations and comparisons mean what `semantics.rs` says. Floating-point operations, library functions and
//! the rarer integer ones are uninterpreted: equal operands give equal results, and nothing else is known.

use lockstep_kernel::{CmpOp, IntOp, Ty};

use crate::context::{Ctx, FnKind};
use crate::term::T;

impl Ctx<'_> {
    pub(crate) fn pure(&mut self, name: &str, args: &[T], width: u32) -> T {
        let f = self.function(FnKind::Pure(name.to_owned()), 0, "");
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
            _ => self.pure(&format!("{op:?}.{w}"), &[a, b], w),
        }
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
            _ => self.pure(&format!("{op:?}.{ty}"), &[a, b], 1),
        }
    }
}
