//! Operations without effects, as functions of bits. Each means what `lockstep_kernel::semantics` says.

use lockstep_kernel::semantics::{self as sem, Word};
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
    /// What an atomic operation leaves, of the old value and the operand.
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
            Pure::Int(op, ty) => int(op, ty, x[0], x[1]),
            Pure::IntUn(op, ty) => match ty.bits() {
                1 => x[0],
                8 => u64::from(sem::int_un(op, x[0] as u8)),
                16 => u64::from(sem::int_un(op, x[0] as u16)),
                32 => u64::from(sem::int_un(op, x[0] as u32)),
                _ => sem::int_un(op, x[0]),
            },
            Pure::Funnel(left, ty) => match ty.bits() {
                8 => u64::from(sem::funnel(left, x[0] as u8, x[1] as u8, x[2] as u8)),
                16 => u64::from(sem::funnel(left, x[0] as u16, x[1] as u16, x[2] as u16)),
                32 => u64::from(sem::funnel(left, x[0] as u32, x[1] as u32, x[2] as u32)),
                _ => sem::funnel(left, x[0], x[1], x[2]),
            },
            Pure::Float(op, ty, rounding) => match ty {
                Ty::F64 => {
                    let (a, b) = (f64::from_bits(x[0]), f64::from_bits(x[1]));
                    sem::real_rounded(op, rounding, a, b).to_bits()
                }
                Ty::F32 => {
                    let (a, b) = (f32::from_bits(x[0] as u32), f32::from_bits(x[1] as u32));
                    u64::from(sem::real_rounded(op, rounding, a, b).to_bits())
                }
                _ => bits(ty, sem::real(op, real(ty, x[0]), real(ty, x[1]))),
            },
            Pure::FloatUn(FloatUnOp::Sqrt, Ty::F64, rounding) => {
                sem::sqrt_rounded(rounding, f64::from_bits(x[0])).to_bits()
            }
            Pure::FloatUn(FloatUnOp::Sqrt, Ty::F32, rounding) => {
                u64::from(sem::sqrt_rounded(rounding, f32::from_bits(x[0] as u32)).to_bits())
            }
            Pure::FloatUn(op, ty, _) => bits(ty, sem::real_un(op, real(ty, x[0]))),
            Pure::Fma(ty, rounding) => match ty {
                Ty::F64 => {
                    let [a, b, c] = [x[0], x[1], x[2]].map(f64::from_bits);
                    sem::fma_rounded(rounding, a, b, c).to_bits()
                }
                Ty::F32 => {
                    let [a, b, c] = [x[0], x[1], x[2]].map(|x| f32::from_bits(x as u32));
                    u64::from(sem::fma_rounded(rounding, a, b, c).to_bits())
                }
                _ => {
                    let [a, b, c] = [x[0], x[1], x[2]].map(|x| real(ty, x));
                    bits(ty, a.mul_add(b, c))
                }
            },
            Pure::Math(f, ty) => math(f, ty, x[0], x[1]),
            Pure::Compare(op, ty) => u64::from(compare(op, ty, x[0], x[1])),
            Pure::Cast(op, from, to) => cast(op, from, to, x[0]),
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
            Pure::Atomic(op, ty) => atomic(op, ty, x[0], x[1]),
            Pure::Part { shift, bits } => x[0] >> shift & mask(bits),
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

fn signed(ty: Ty, x: u64) -> i64 {
    let unused = 64 - ty.bits();
    ((x << unused) as i64) >> unused
}

fn int(op: IntOp, ty: Ty, a: u64, b: u64) -> u64 {
    match ty.bits() {
        // The one bit is the sign.
        1 => match op {
            IntOp::SMin => a | b,
            IntOp::SMax => a & b,
            IntOp::AShr => a,
            IntOp::UMulHi | IntOp::SMulHi => 0,
            _ => u64::from(sem::int(op, a as u8, b as u8) & 1),
        },
        8 => u64::from(sem::int(op, a as u8, b as u8)),
        16 => u64::from(sem::int(op, a as u16, b as u16)),
        32 => u64::from(sem::int(op, a as u32, b as u32)),
        _ => sem::int(op, a, b),
    }
}

fn compare(op: CmpOp, ty: Ty, a: u64, b: u64) -> bool {
    match ty {
        Ty::I1 => sem::compare(op, signed(ty, a) as u8, signed(ty, b) as u8),
        Ty::I8 => sem::compare(op, a as u8, b as u8),
        Ty::I16 => sem::compare(op, a as u16, b as u16),
        Ty::I32 => sem::compare(op, a as u32, b as u32),
        Ty::I64 | Ty::Ptr => sem::compare(op, a, b),
        Ty::F16 | Ty::F32 | Ty::F64 => sem::compare_real(op, real(ty, a), real(ty, b)),
    }
}

/// The number that the bits of a float stand for.
fn real(ty: Ty, x: u64) -> f64 {
    match ty {
        Ty::F64 => f64::from_bits(x),
        Ty::F32 => f64::from(f32::from_bits(x as u32)),
        _ => f64::from(sem::half::to_f32(x as u16)),
    }
}

/// Bits of a number, rounded to nearest even.
fn bits(ty: Ty, x: f64) -> u64 {
    match ty {
        Ty::F64 => x.to_bits(),
        Ty::F32 => u64::from((x as f32).to_bits()),
        _ => u64::from(sem::half::from_f64(x)),
    }
}

fn cast(op: CastOp, from: Ty, to: Ty, x: u64) -> u64 {
    let integer = |x: i128, rounding: Rounding| match to {
        Ty::F64 => sem::integer_to_f64(x, rounding).to_bits(),
        Ty::F32 => u64::from(sem::integer_to_real::<f32>(x, rounding).to_bits()),
        _ => bits(to, x as f64),
    };
    match op {
        CastOp::Trunc | CastOp::ZExt | CastOp::Bit => x & to.mask(),
        CastOp::SExt => signed(from, x) as u64 & to.mask(),
        CastOp::UToF(rounding) => integer(i128::from(x), rounding),
        CastOp::SToF(rounding) => integer(i128::from(signed(from, x)), rounding),
        CastOp::FToU(rounding) => sem::real_to_unsigned(real(from, x), to.bits(), rounding),
        CastOp::FToS(rounding) => sem::real_to_signed(real(from, x), to.bits(), rounding),
        CastOp::FToF(rounding) => match to {
            Ty::F32 => u64::from(sem::narrow(real(from, x), rounding).to_bits()),
            _ => bits(to, real(from, x)),
        },
    }
}

fn math(f: MathFn, ty: Ty, a: u64, b: u64) -> u64 {
    let x = real(ty, a);
    match f {
        MathFn::LdExp => bits(ty, sem::math(f, x, f64::from(b as i32))),
        MathFn::ILogB | MathFn::FrexpExp => u64::from(sem::math(f, x, 0.0) as i32 as u32),
        MathFn::NextAfter if ty == Ty::F32 => {
            let (x, to) = (x as f32, real(ty, b) as f32);
            let next = match x.partial_cmp(&to) {
                Some(std::cmp::Ordering::Less) => x.next_up(),
                Some(std::cmp::Ordering::Greater) => x.next_down(),
                Some(std::cmp::Ordering::Equal) => to,
                None => f32::NAN,
            };
            u64::from(next.to_bits())
        }
        _ => bits(ty, sem::math(f, x, real(ty, b))),
    }
}

/// What an atomic operation other than compare-and-swap leaves in memory.
fn atomic(op: AtomicOp, ty: Ty, old: u64, value: u64) -> u64 {
    let float = |op: FloatOp| Pure::Float(op, ty, Rounding::NearestEven).evaluate(&[old, value]);
    let new = match op {
        AtomicOp::Load | AtomicOp::CompareExchange => old,
        AtomicOp::Store | AtomicOp::Exchange => value,
        AtomicOp::Add => old.add(value),
        AtomicOp::Sub => old.sub(value),
        AtomicOp::And => old & value,
        AtomicOp::Or => old | value,
        AtomicOp::Xor => old ^ value,
        AtomicOp::Nand => !(old & value),
        AtomicOp::SMin => signed(ty, old).min(signed(ty, value)) as u64,
        AtomicOp::SMax => signed(ty, old).max(signed(ty, value)) as u64,
        AtomicOp::UMin => old.min(value),
        AtomicOp::UMax => old.max(value),
        AtomicOp::FAdd => float(FloatOp::Add),
        AtomicOp::FSub => float(FloatOp::Sub),
        AtomicOp::FMin => float(FloatOp::Min),
        AtomicOp::FMax => float(FloatOp::Max),
        AtomicOp::Inc => {
            if old >= value {
                0
            } else {
                old + 1
            }
        }
        AtomicOp::Dec => {
            if old == 0 || old > value {
                value
            } else {
                old - 1
            }
        }
    };
    new & ty.mask()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrow_values_stay_narrow() {
        assert_eq!(Pure::Int(IntOp::Sub, Ty::I32).evaluate(&[0, 1]), 0xffff_ffff);
        assert_eq!(Pure::Int(IntOp::SDiv, Ty::I8).evaluate(&[0xf8, 2]), 0xfc);
        assert_eq!(Pure::Int(IntOp::Add, Ty::I1).evaluate(&[1, 1]), 0);
        assert_eq!(Pure::Cast(CastOp::SExt, Ty::I32, Ty::I64).evaluate(&[0xffff_fffe]), !1);
        assert_eq!(Pure::Compare(CmpOp::SLt, Ty::I32).evaluate(&[0xffff_ffff, 0]), 1);
        assert_eq!(Pure::Compare(CmpOp::ULt, Ty::I32).evaluate(&[0xffff_ffff, 0]), 0);
        assert_eq!(Pure::Compare(CmpOp::SLt, Ty::I1).evaluate(&[1, 0]), 1);
        assert_eq!(Pure::Atomic(AtomicOp::Add, Ty::I32).evaluate(&[0xffff_ffff, 1]), 0);
        assert_eq!(Pure::Atomic(AtomicOp::SMin, Ty::I32).evaluate(&[0xffff_ffff, 1]), 0xffff_ffff);
        assert_eq!(Pure::Atomic(AtomicOp::Inc, Ty::I32).evaluate(&[3, 3]), 0);
    }

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
