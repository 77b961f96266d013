//! Operations without effects, as functions of bits. Each means what `lockstep_kernel::semantics` says.

use lockstep_kernel::semantics::bits;
use lockstep_kernel::{
    AtomicOp, CastOp, CmpOp, FloatOp, FloatUnOp, IntOp, IntUnOp, MathFn, Op, Operand, Rounding, Ty,
};
use lockstep_weak::program::Function;

/// An operation on values, without its operands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Pure {
    Int(IntOp, Ty),
    IntUn(IntUnOp, Ty),
    Funnel(bool, Ty),
    Float(FloatOp, Ty, Rounding),
    FloatUn(FloatUnOp, Ty, Rounding),
    Fma(Ty, Rounding),
    Math(MathFn, Ty),
    Compare(CmpOp, Ty),
    Cast(CastOp, Ty, Ty),
    Select,
    Index {
        scale: i64,
        offset: i64,
    },
    /// What an atomic operation leaves, of the old value and the operand. No compare-and-swap.
    Atomic(AtomicOp, Ty),
    /// `bits` bits, from `shift` on.
    Part {
        shift: u32,
        bits: u32,
    },
    /// The second, shifted left, beside the first.
    Beside {
        shift: u32,
    },
    /// The number of the element that begins so many bytes behind `start`, of `count` elements; -1 if there is none.
    Element {
        start: i64,
        size: u32,
        count: u64,
    },
}

impl Pure {
    /// What an operation of a kernel computes, and of what.
    pub(crate) fn of(op: &Op) -> Option<(Pure, Vec<Operand>)> {
        Some(match *op {
            Op::Int { op, ty, a, b } => (Pure::Int(op, ty), vec![a, b]),
            Op::IntUn { op, ty, a } => (Pure::IntUn(op, ty), vec![a]),
            Op::Funnel { left, ty, hi, lo, amount } => {
                (Pure::Funnel(left, ty), vec![hi, lo, amount])
            }
            Op::Float { op, ty, rounding, a, b } => (Pure::Float(op, ty, rounding), vec![a, b]),
            Op::FloatUn { op, ty, rounding, a } => (Pure::FloatUn(op, ty, rounding), vec![a]),
            Op::Fma { ty, rounding, a, b, c } => (Pure::Fma(ty, rounding), vec![a, b, c]),
            Op::Math { f, ty, a, b } => (Pure::Math(f, ty), vec![a, b]),
            Op::Cmp { op, ty, a, b } => (Pure::Compare(op, ty), vec![a, b]),
            Op::Cast { op, from, to, a } => (Pure::Cast(op, from, to), vec![a]),
            Op::Select { cond, a, b, .. } => (Pure::Select, vec![cond, a, b]),
            Op::Index { base, index, scale, offset } => {
                (Pure::Index { scale, offset }, vec![base, index])
            }
            _ => return None,
        })
    }

    pub(crate) fn function(self) -> Function {
        Function::new(format!("{self:?}"), move |operands| {
            let operands: Vec<u64> = operands.iter().map(|&x| x as u64).collect();
            self.evaluate(&operands) as i64
        })
    }

    pub(crate) fn evaluate(self, x: &[u64]) -> u64 {
        match self {
            Pure::Int(op, ty) => bits::int(op, ty, x[0], x[1]),
            Pure::IntUn(op, ty) => bits::int_un(op, ty, x[0]),
            Pure::Funnel(left, ty) => bits::funnel(left, ty, x[0], x[1], x[2]),
            Pure::Float(op, ty, rounding) => bits::float(op, ty, rounding, x[0], x[1]),
            Pure::FloatUn(op, ty, rounding) => bits::float_un(op, ty, rounding, x[0]),
            Pure::Fma(ty, rounding) => bits::fma(ty, rounding, x[0], x[1], x[2]),
            Pure::Math(f, ty) => bits::math(f, ty, x[0], x[1]),
            Pure::Compare(op, ty) => u64::from(bits::compare(op, ty, x[0], x[1])),
            Pure::Cast(op, from, to) => bits::cast(op, from, to, x[0]),
            Pure::Select => {
                if x[0] & 1 != 0 {
                    x[1]
                } else {
                    x[2]
                }
            }
            Pure::Index { scale, offset } => {
                x[0].wrapping_add(x[1].wrapping_mul(scale as u64)).wrapping_add(offset as u64)
            }
            Pure::Atomic(op, ty) => bits::atomic(op, ty, x[0], x[1], 0),
            Pure::Part { shift, bits: count } => x[0] >> shift & mask(count),
            Pure::Beside { shift } => x[0] | x[1] << shift,
            Pure::Element { start, size, count } => {
                let at = (x[0] as i64).wrapping_add(start);
                let size = i64::from(size);
                if at >= 0 && at % size == 0 && ((at / size) as u64) < count {
                    (at / size) as u64
                } else {
                    u64::MAX
                }
            }
        }
    }
}

fn mask(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_whole_and_inside() {
        let element =
            |at: i64| Pure::Element { start: -8, size: 4, count: 3 }.evaluate(&[at as u64]);
        assert_eq!([8, 12, 16].map(element), [0, 1, 2]);
        assert_eq!([4, 9, 20].map(element), [u64::MAX; 3]);
    }

    #[test]
    fn parts_make_the_whole() {
        let low = Pure::Part { shift: 0, bits: 32 }.evaluate(&[0x1234_5678_9abc_def0]);
        let high = Pure::Part { shift: 32, bits: 32 }.evaluate(&[0x1234_5678_9abc_def0]);
        assert_eq!(Pure::Beside { shift: 32 }.evaluate(&[low, high]), 0x1234_5678_9abc_def0);
    }
}
