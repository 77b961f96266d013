//! Operations of any type on single values, as functions of bits: values narrower than a word are zero-extended.
//!
//! Whoever executes one thread at a time, or an operation that no vector form exists of, asks here.

use super as sem;
use crate::{
    AtomicOp, CastOp, CmpOp, FloatOp, FloatUnOp, IntOp, IntUnOp, MathFn, Rounding, ShuffleMode, Ty,
};

/// The signed number that the bits of an integer stand for.
pub fn signed(ty: Ty, x: u64) -> i64 {
    let unused = 64 - ty.bits();
    ((x << unused) as i64) >> unused
}

/// The number that the bits of a float stand for.
pub fn real_value(ty: Ty, bits: u64) -> f64 {
    match ty {
        Ty::F64 => f64::from_bits(bits),
        Ty::F32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from(sem::half::to_f32(bits as u16)),
    }
}

/// Bits of a number in a float type, rounded to nearest even.
pub fn real_bits(ty: Ty, x: f64) -> u64 {
    match ty {
        Ty::F64 => x.to_bits(),
        Ty::F32 => u64::from((x as f32).to_bits()),
        _ => u64::from(sem::half::from_f64(x)),
    }
}

pub fn int(op: IntOp, ty: Ty, a: u64, b: u64) -> u64 {
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

pub fn int_un(op: IntUnOp, ty: Ty, a: u64) -> u64 {
    match ty.bits() {
        1 => a,
        8 => u64::from(sem::int_un(op, a as u8)),
        16 => u64::from(sem::int_un(op, a as u16)),
        32 => u64::from(sem::int_un(op, a as u32)),
        _ => sem::int_un(op, a),
    }
}

pub fn funnel(left: bool, ty: Ty, hi: u64, lo: u64, amount: u64) -> u64 {
    match ty.bits() {
        8 => u64::from(sem::funnel(left, hi as u8, lo as u8, amount as u8)),
        16 => u64::from(sem::funnel(left, hi as u16, lo as u16, amount as u16)),
        32 => u64::from(sem::funnel(left, hi as u32, lo as u32, amount as u32)),
        _ => sem::funnel(left, hi, lo, amount),
    }
}

pub fn compare(op: CmpOp, ty: Ty, a: u64, b: u64) -> bool {
    match ty {
        Ty::I1 => sem::compare(op, signed(ty, a) as u8, signed(ty, b) as u8),
        Ty::I8 => sem::compare(op, a as u8, b as u8),
        Ty::I16 => sem::compare(op, a as u16, b as u16),
        Ty::I32 => sem::compare(op, a as u32, b as u32),
        Ty::I64 | Ty::Ptr => sem::compare(op, a, b),
        Ty::F16 | Ty::F32 | Ty::F64 => sem::compare_real(op, real_value(ty, a), real_value(ty, b)),
    }
}

pub fn float(op: FloatOp, ty: Ty, rounding: Rounding, a: u64, b: u64) -> u64 {
    match ty {
        Ty::F64 => sem::real_rounded(op, rounding, f64::from_bits(a), f64::from_bits(b)).to_bits(),
        Ty::F32 => {
            let (a, b) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
            u64::from(sem::real_rounded(op, rounding, a, b).to_bits())
        }
        _ => real_bits(ty, sem::real(op, real_value(ty, a), real_value(ty, b))),
    }
}

pub fn float_un(op: FloatUnOp, ty: Ty, rounding: Rounding, a: u64) -> u64 {
    match (op, ty) {
        (FloatUnOp::Sqrt, Ty::F64) => sem::sqrt_rounded(rounding, f64::from_bits(a)).to_bits(),
        (FloatUnOp::Sqrt, Ty::F32) => {
            u64::from(sem::sqrt_rounded(rounding, f32::from_bits(a as u32)).to_bits())
        }
        _ => real_bits(ty, sem::real_un(op, real_value(ty, a))),
    }
}

pub fn fma(ty: Ty, rounding: Rounding, a: u64, b: u64, c: u64) -> u64 {
    match ty {
        Ty::F64 => {
            let [a, b, c] = [a, b, c].map(f64::from_bits);
            sem::fma_rounded(rounding, a, b, c).to_bits()
        }
        Ty::F32 => {
            let [a, b, c] = [a, b, c].map(|x| f32::from_bits(x as u32));
            u64::from(sem::fma_rounded(rounding, a, b, c).to_bits())
        }
        _ => {
            let [a, b, c] = [a, b, c].map(|x| real_value(ty, x));
            real_bits(ty, a.mul_add(b, c))
        }
    }
}

pub fn math(f: MathFn, ty: Ty, a: u64, b: u64) -> u64 {
    let x = real_value(ty, a);
    match f {
        MathFn::LdExp => real_bits(ty, sem::math(f, x, f64::from(b as i32))),
        MathFn::ILogB | MathFn::FrexpExp => u64::from(sem::math(f, x, 0.0) as i32 as u32),
        MathFn::NextAfter if ty == Ty::F32 => {
            let (x, to) = (x as f32, real_value(ty, b) as f32);
            let next = match x.partial_cmp(&to) {
                Some(std::cmp::Ordering::Less) => x.next_up(),
                Some(std::cmp::Ordering::Greater) => x.next_down(),
                Some(std::cmp::Ordering::Equal) => to,
                None => f32::NAN,
            };
            u64::from(next.to_bits())
        }
        _ => real_bits(ty, sem::math(f, x, real_value(ty, b))),
    }
}

pub fn cast(op: CastOp, from: Ty, to: Ty, x: u64) -> u64 {
    let integer = |x: i128, rounding: Rounding| match to {
        Ty::F64 => sem::integer_to_f64(x, rounding).to_bits(),
        Ty::F32 => u64::from(sem::integer_to_real::<f32>(x, rounding).to_bits()),
        _ => real_bits(to, x as f64),
    };
    match op {
        CastOp::Trunc | CastOp::ZExt | CastOp::Bit => x & to.mask(),
        CastOp::SExt => signed(from, x) as u64 & to.mask(),
        CastOp::UToF(rounding) => integer(i128::from(x), rounding),
        CastOp::SToF(rounding) => integer(i128::from(signed(from, x)), rounding),
        CastOp::FToU(rounding) => sem::real_to_unsigned(real_value(from, x), to.bits(), rounding),
        CastOp::FToS(rounding) => sem::real_to_signed(real_value(from, x), to.bits(), rounding),
        CastOp::FToF(rounding) => match to {
            Ty::F32 => u64::from(sem::narrow(real_value(from, x), rounding).to_bits()),
            _ => real_bits(to, real_value(from, x)),
        },
    }
}

/// What an atomic operation leaves in memory; `expected` is what a compare-and-swap compares with.
#[inline]
pub fn atomic(op: AtomicOp, ty: Ty, old: u64, value: u64, expected: u64) -> u64 {
    let float = |op: FloatOp| float(op, ty, Rounding::NearestEven, old, value);
    let new = match op {
        AtomicOp::Load => old,
        AtomicOp::Store | AtomicOp::Exchange => value,
        AtomicOp::Add => old.wrapping_add(value),
        AtomicOp::Sub => old.wrapping_sub(value),
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
        AtomicOp::Inc if old >= value => 0,
        AtomicOp::Inc => old + 1,
        AtomicOp::Dec if old == 0 || old > value => value,
        AtomicOp::Dec => old - 1,
        AtomicOp::CompareExchange if old == expected => value,
        AtomicOp::CompareExchange => old,
        AtomicOp::Arrive => sem::phase::after(old, value),
    };
    new & ty.mask()
}

/// PTX's rule: the lane that a shuffle takes its value from, and whether it is in range.
pub fn shuffle_source(mode: ShuffleMode, lane: u32, b: u32, c: u32) -> (u32, bool) {
    let (clamp, segment) = (c & 0x1f, c >> 8 & 0x1f);
    let b = b & 0x1f;
    let max_lane = (lane & segment) | (clamp & !segment);
    match mode {
        ShuffleMode::Up => {
            let from = lane as i32 - b as i32;
            (from as u32, from >= max_lane as i32)
        }
        ShuffleMode::Down => (lane + b, lane + b <= max_lane),
        ShuffleMode::Butterfly => (lane ^ b, lane ^ b <= max_lane),
        ShuffleMode::Index => {
            let from = (lane & segment) | (b & !segment);
            (from, from <= max_lane)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrow_values_stay_narrow() {
        assert_eq!(int(IntOp::Sub, Ty::I32, 0, 1), 0xffff_ffff);
        assert_eq!(int(IntOp::SDiv, Ty::I8, 0xf8, 2), 0xfc);
        assert_eq!(int(IntOp::Add, Ty::I1, 1, 1), 0);
        assert_eq!(cast(CastOp::SExt, Ty::I32, Ty::I64, 0xffff_fffe), !1);
        assert!(compare(CmpOp::SLt, Ty::I32, 0xffff_ffff, 0));
        assert!(!compare(CmpOp::ULt, Ty::I32, 0xffff_ffff, 0));
        assert!(compare(CmpOp::SLt, Ty::I1, 1, 0));
        assert_eq!(atomic(AtomicOp::Add, Ty::I32, 0xffff_ffff, 1, 0), 0);
        assert_eq!(atomic(AtomicOp::SMin, Ty::I32, 0xffff_ffff, 1, 0), 0xffff_ffff);
        assert_eq!(atomic(AtomicOp::Inc, Ty::I32, 3, 3, 0), 0);
        assert_eq!(atomic(AtomicOp::CompareExchange, Ty::I32, 3, 7, 3), 7);
        assert_eq!(atomic(AtomicOp::CompareExchange, Ty::I32, 3, 7, 4), 3);
    }

    /// Division and remainder of one bit, for all values.
    #[test]
    fn one_bit_is_divided_as_wider_integers_are() {
        for (a, b) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let (quotient, rest) = if b == 0 { (1, a) } else { (a, 0) };
            for (op, expected) in [
                (IntOp::UDiv, quotient),
                (IntOp::SDiv, quotient),
                (IntOp::URem, rest),
                (IntOp::SRem, rest),
            ] {
                assert_eq!(int(op, Ty::I1, a, b), expected, "{op:?} of {a} and {b}");
            }
        }
    }

    #[test]
    fn floats_are_added_in_their_own_precision() {
        let bits = |x: f32| u64::from(x.to_bits());
        let sum = atomic(AtomicOp::FAdd, Ty::F32, bits(16_777_216.0), bits(1.0), 0);
        assert_eq!(sum, bits(16_777_216.0));
        let least = atomic(AtomicOp::FMin, Ty::F32, bits(f32::NAN), bits(2.0), 0);
        assert_eq!(least, bits(2.0));
    }

    #[test]
    fn lanes_of_shuffles() {
        assert_eq!(shuffle_source(ShuffleMode::Down, 3, 2, 0x1f), (5, true));
        assert!(!shuffle_source(ShuffleMode::Down, 31, 1, 0x1f).1);
        assert_eq!(shuffle_source(ShuffleMode::Up, 3, 2, 0), (1, true));
        assert!(!shuffle_source(ShuffleMode::Up, 1, 2, 0).1);
        assert_eq!(shuffle_source(ShuffleMode::Butterfly, 6, 1, 0x1f), (7, true));
        assert_eq!(shuffle_source(ShuffleMode::Index, 9, 4, 0x1f), (4, true));
    }
}
