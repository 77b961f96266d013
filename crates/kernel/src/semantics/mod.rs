//! What each operation means, defined once.
//!
//! Integer operations are written over the trait [`Word`]: the simulator gives it
//! machine words (and lets the compiler vectorise over lanes), a symbolic engine
//! can give it terms. Everything that LLVM leaves undefined and hardware does
//! not is settled here, as NVIDIA's hardware settles it:
//!
//! - a shift by the width or more gives zero (`AShr`: copies of the sign);
//! - division by zero gives all ones, its remainder the dividend;
//! - the one overflowing signed division wraps;
//! - float to integer saturates, NaN gives zero.
//!
//! Floating-point operations are written over [`Real`]. Rounding other than to
//! nearest is obtained from the exact error term of the nearest result.
//! Functions of the maths library are evaluated in double precision and rounded
//! once: within one unit in the last place for `f32`, the platform library's
//! accuracy for `f64`.
//!
//! [`bits`] has all of these, casts, atomics and the lanes of shuffles, on single values of any type.

pub mod bits;
pub mod matrix;
pub mod phase;

use crate::{CmpOp, FloatOp, FloatUnOp, IntOp, IntUnOp, MathFn, Rounding};

/// A value of a fixed number of bits.
pub trait Word: Copy {
    /// The outcome of a comparison.
    type Bool: Copy;
    const BITS: u32;

    fn imm(value: u64) -> Self;
    fn add(self, o: Self) -> Self;
    fn sub(self, o: Self) -> Self;
    fn mul(self, o: Self) -> Self;
    /// Division and remainder of a non-zero divisor.
    fn udiv_nonzero(self, o: Self) -> Self;
    fn urem_nonzero(self, o: Self) -> Self;
    fn sdiv_nonzero(self, o: Self) -> Self;
    fn srem_nonzero(self, o: Self) -> Self;
    fn umulhi(self, o: Self) -> Self;
    fn smulhi(self, o: Self) -> Self;
    fn and(self, o: Self) -> Self;
    fn or(self, o: Self) -> Self;
    fn xor(self, o: Self) -> Self;
    /// Shifts by less than the width.
    fn shl_small(self, o: Self) -> Self;
    fn lshr_small(self, o: Self) -> Self;
    fn ashr_small(self, o: Self) -> Self;
    fn eq(self, o: Self) -> Self::Bool;
    fn ult(self, o: Self) -> Self::Bool;
    fn slt(self, o: Self) -> Self::Bool;
    fn not(b: Self::Bool) -> Self::Bool;
    fn select(c: Self::Bool, a: Self, b: Self) -> Self;
    fn popcount(self) -> Self;
    fn clz(self) -> Self;
    fn ctz(self) -> Self;
    fn bit_reverse(self) -> Self;
    fn byte_swap(self) -> Self;
}

macro_rules! word {
    ($u:ty, $i:ty, $wide:ty, $iwide:ty) => {
        impl Word for $u {
            type Bool = bool;
            const BITS: u32 = <$u>::BITS;
            #[inline(always)]
            fn imm(value: u64) -> Self {
                value as $u
            }
            #[inline(always)]
            fn add(self, o: Self) -> Self {
                self.wrapping_add(o)
            }
            #[inline(always)]
            fn sub(self, o: Self) -> Self {
                self.wrapping_sub(o)
            }
            #[inline(always)]
            fn mul(self, o: Self) -> Self {
                self.wrapping_mul(o)
            }
            #[inline(always)]
            fn udiv_nonzero(self, o: Self) -> Self {
                self / o
            }
            #[inline(always)]
            fn urem_nonzero(self, o: Self) -> Self {
                self % o
            }
            #[inline(always)]
            fn sdiv_nonzero(self, o: Self) -> Self {
                (self as $i).wrapping_div(o as $i) as $u
            }
            #[inline(always)]
            fn srem_nonzero(self, o: Self) -> Self {
                (self as $i).wrapping_rem(o as $i) as $u
            }
            #[inline(always)]
            fn umulhi(self, o: Self) -> Self {
                ((self as $wide * o as $wide) >> <$u>::BITS) as $u
            }
            #[inline(always)]
            fn smulhi(self, o: Self) -> Self {
                ((self as $i as $iwide * o as $i as $iwide) >> <$u>::BITS) as $u
            }
            #[inline(always)]
            fn and(self, o: Self) -> Self {
                self & o
            }
            #[inline(always)]
            fn or(self, o: Self) -> Self {
                self | o
            }
            #[inline(always)]
            fn xor(self, o: Self) -> Self {
                self ^ o
            }
            #[inline(always)]
            fn shl_small(self, o: Self) -> Self {
                self.wrapping_shl(o as u32)
            }
            #[inline(always)]
            fn lshr_small(self, o: Self) -> Self {
                self.wrapping_shr(o as u32)
            }
            #[inline(always)]
            fn ashr_small(self, o: Self) -> Self {
                (self as $i).wrapping_shr(o as u32) as $u
            }
            #[inline(always)]
            fn eq(self, o: Self) -> bool {
                self == o
            }
            #[inline(always)]
            fn ult(self, o: Self) -> bool {
                self < o
            }
            #[inline(always)]
            fn slt(self, o: Self) -> bool {
                (self as $i) < (o as $i)
            }
            #[inline(always)]
            fn not(b: bool) -> bool {
                !b
            }
            #[inline(always)]
            fn select(c: bool, a: Self, b: Self) -> Self {
                if c { a } else { b }
            }
            #[inline(always)]
            fn popcount(self) -> Self {
                self.count_ones() as $u
            }
            #[inline(always)]
            fn clz(self) -> Self {
                self.leading_zeros() as $u
            }
            #[inline(always)]
            fn ctz(self) -> Self {
                self.trailing_zeros() as $u
            }
            #[inline(always)]
            fn bit_reverse(self) -> Self {
                self.reverse_bits()
            }
            #[inline(always)]
            fn byte_swap(self) -> Self {
                self.swap_bytes()
            }
        }
    };
}

word!(u8, i8, u16, i16);
word!(u16, i16, u32, i32);
word!(u32, i32, u64, i64);
word!(u64, i64, u128, i128);

/// `a op b`.
#[inline(always)]
pub fn int<W: Word>(op: IntOp, a: W, b: W) -> W {
    let zero = W::imm(0);
    let ones = W::imm(u64::MAX);
    let sign = W::imm(1 << (W::BITS - 1));
    // A divisor that is never zero, whatever the operand: the result for zero is
    // chosen afterwards.
    let divisor = || W::select(b.eq(zero), W::imm(1), b);
    let small = || b.and(W::imm(u64::from(W::BITS - 1)));
    let in_range = || b.ult(W::imm(u64::from(W::BITS)));
    match op {
        IntOp::Add => a.add(b),
        IntOp::Sub => a.sub(b),
        IntOp::Mul => a.mul(b),
        IntOp::UDiv => W::select(b.eq(zero), ones, a.udiv_nonzero(divisor())),
        IntOp::SDiv => W::select(b.eq(zero), ones, a.sdiv_nonzero(divisor())),
        IntOp::URem => W::select(b.eq(zero), a, a.urem_nonzero(divisor())),
        IntOp::SRem => W::select(b.eq(zero), a, a.srem_nonzero(divisor())),
        IntOp::And => a.and(b),
        IntOp::Or => a.or(b),
        IntOp::Xor => a.xor(b),
        IntOp::Shl => W::select(in_range(), a.shl_small(small()), zero),
        IntOp::LShr => W::select(in_range(), a.lshr_small(small()), zero),
        IntOp::AShr => {
            let amount = W::select(in_range(), small(), W::imm(u64::from(W::BITS - 1)));
            a.ashr_small(amount)
        }
        IntOp::UMin => W::select(a.ult(b), a, b),
        IntOp::UMax => W::select(a.ult(b), b, a),
        IntOp::SMin => W::select(a.slt(b), a, b),
        IntOp::SMax => W::select(a.slt(b), b, a),
        IntOp::UMulHi => a.umulhi(b),
        IntOp::SMulHi => a.smulhi(b),
        IntOp::UAddSat => W::select(a.add(b).ult(a), ones, a.add(b)),
        IntOp::USubSat => W::select(a.ult(b), zero, a.sub(b)),
        IntOp::SAddSat => {
            let sum = a.add(b);
            let overflow = a.xor(sum).and(b.xor(sum)).slt(zero);
            W::select(overflow, W::select(a.slt(zero), sign, sign.sub(W::imm(1))), sum)
        }
        IntOp::SSubSat => {
            let difference = a.sub(b);
            let overflow = a.xor(b).and(a.xor(difference)).slt(zero);
            W::select(overflow, W::select(a.slt(zero), sign, sign.sub(W::imm(1))), difference)
        }
    }
}

#[inline(always)]
pub fn int_un<W: Word>(op: IntUnOp, a: W) -> W {
    match op {
        IntUnOp::PopCount => a.popcount(),
        IntUnOp::Clz => a.clz(),
        IntUnOp::Ctz => a.ctz(),
        IntUnOp::BitReverse => a.bit_reverse(),
        IntUnOp::ByteSwap => a.byte_swap(),
        IntUnOp::Abs => W::select(a.slt(W::imm(0)), W::imm(0).sub(a), a),
    }
}

#[inline(always)]
pub fn funnel<W: Word>(left: bool, hi: W, lo: W, amount: W) -> W {
    let bits = W::imm(u64::from(W::BITS));
    let n = amount.and(W::imm(u64::from(W::BITS - 1)));
    let rest = bits.sub(n);
    if left {
        W::select(n.eq(W::imm(0)), hi, int(IntOp::Or, hi.shl_small(n), int(IntOp::LShr, lo, rest)))
    } else {
        W::select(n.eq(W::imm(0)), lo, int(IntOp::Or, lo.lshr_small(n), int(IntOp::Shl, hi, rest)))
    }
}

/// Integer and pointer comparisons. Float predicates are [`compare_real`].
#[inline(always)]
pub fn compare<W: Word>(op: CmpOp, a: W, b: W) -> W::Bool {
    match op {
        CmpOp::Eq => a.eq(b),
        CmpOp::Ne => W::not(a.eq(b)),
        CmpOp::ULt => a.ult(b),
        CmpOp::ULe => W::not(b.ult(a)),
        CmpOp::UGt => b.ult(a),
        CmpOp::UGe => W::not(a.ult(b)),
        CmpOp::SLt => a.slt(b),
        CmpOp::SLe => W::not(b.slt(a)),
        CmpOp::SGt => b.slt(a),
        CmpOp::SGe => W::not(a.slt(b)),
        _ => unreachable!("a float predicate on integers"),
    }
}

/// A floating-point value that computes as the host does.
pub trait Real: Copy + PartialOrd {
    fn to_f64(self) -> f64;
    /// Rounded to nearest even.
    fn from_f64(x: f64) -> Self;
    fn add(self, o: Self) -> Self;
    fn sub(self, o: Self) -> Self;
    fn mul(self, o: Self) -> Self;
    fn div(self, o: Self) -> Self;
    fn rem(self, o: Self) -> Self;
    fn fma(self, b: Self, c: Self) -> Self;
    fn neg(self) -> Self;
    fn abs(self) -> Self;
    fn copysign(self, o: Self) -> Self;
    fn sqrt(self) -> Self;
    fn next_up(self) -> Self;
    fn next_down(self) -> Self;
    fn is_nan(self) -> bool;
}

macro_rules! real {
    ($t:ty) => {
        impl Real for $t {
            #[inline(always)]
            fn to_f64(self) -> f64 {
                self as f64
            }
            #[inline(always)]
            fn from_f64(x: f64) -> Self {
                x as $t
            }
            #[inline(always)]
            fn add(self, o: Self) -> Self {
                self + o
            }
            #[inline(always)]
            fn sub(self, o: Self) -> Self {
                self - o
            }
            #[inline(always)]
            fn mul(self, o: Self) -> Self {
                self * o
            }
            #[inline(always)]
            fn div(self, o: Self) -> Self {
                self / o
            }
            #[inline(always)]
            fn rem(self, o: Self) -> Self {
                self % o
            }
            #[inline(always)]
            fn fma(self, b: Self, c: Self) -> Self {
                self.mul_add(b, c)
            }
            #[inline(always)]
            fn neg(self) -> Self {
                -self
            }
            #[inline(always)]
            fn abs(self) -> Self {
                <$t>::abs(self)
            }
            #[inline(always)]
            fn copysign(self, o: Self) -> Self {
                <$t>::copysign(self, o)
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                <$t>::sqrt(self)
            }
            fn next_up(self) -> Self {
                <$t>::next_up(self)
            }
            fn next_down(self) -> Self {
                <$t>::next_down(self)
            }
            #[inline(always)]
            fn is_nan(self) -> bool {
                <$t>::is_nan(self)
            }
        }
    };
}

real!(f32);
real!(f64);

#[inline(always)]
pub fn real<R: Real>(op: FloatOp, a: R, b: R) -> R {
    match op {
        FloatOp::Add => a.add(b),
        FloatOp::Sub => a.sub(b),
        FloatOp::Mul => a.mul(b),
        FloatOp::Div => a.div(b),
        FloatOp::Rem => a.rem(b),
        // A NaN counts only if both are, and -0 is less than 0: then the order of operands does not matter. PTX says so; C and
        // OpenCL leave open which zero it is.
        FloatOp::Min => {
            if b.is_nan() || a < b || a == b && is_negative(a) {
                a
            } else {
                b
            }
        }
        FloatOp::Max => {
            if b.is_nan() || a > b || a == b && !is_negative(a) {
                a
            } else {
                b
            }
        }
        FloatOp::CopySign => a.copysign(b),
    }
}

#[inline(always)]
fn is_negative<R: Real>(a: R) -> bool {
    a.to_f64().is_sign_negative()
}

#[inline(always)]
pub fn real_un<R: Real>(op: FloatUnOp, a: R) -> R {
    match op {
        FloatUnOp::Neg => a.neg(),
        FloatUnOp::Abs => a.abs(),
        FloatUnOp::Sqrt => a.sqrt(),
        FloatUnOp::Floor => R::from_f64(a.to_f64().floor()),
        FloatUnOp::Ceil => R::from_f64(a.to_f64().ceil()),
        FloatUnOp::Trunc => R::from_f64(a.to_f64().trunc()),
        FloatUnOp::RoundEven => R::from_f64(a.to_f64().round_ties_even()),
        FloatUnOp::RoundAway => R::from_f64(a.to_f64().round()),
        FloatUnOp::Fast | FloatUnOp::Native | FloatUnOp::Half => a,
    }
}

/// Float predicates.
#[inline(always)]
pub fn compare_real<R: Real>(op: CmpOp, a: R, b: R) -> bool {
    let nan = a.is_nan() || b.is_nan();
    match op {
        CmpOp::FOEq => a == b,
        CmpOp::FONe => !nan && a != b,
        CmpOp::FOLt => a < b,
        CmpOp::FOLe => a <= b,
        CmpOp::FOGt => a > b,
        CmpOp::FOGe => a >= b,
        CmpOp::FOrd => !nan,
        CmpOp::FUEq => nan || a == b,
        CmpOp::FUNe => a != b,
        CmpOp::FULt => nan || a < b,
        CmpOp::FULe => nan || a <= b,
        CmpOp::FUGt => nan || a > b,
        CmpOp::FUGe => nan || a >= b,
        CmpOp::FUno => nan,
        _ => unreachable!("an integer predicate on floats"),
    }
}

/// The neighbour of `nearest` that `rounding` asks for, given the sign of the
/// exact result minus `nearest`.
fn adjust<R: Real>(nearest: R, error: f64, rounding: Rounding) -> R {
    if nearest.is_nan() || error == 0.0 || error.is_nan() {
        return nearest;
    }
    let value = nearest.to_f64();
    match rounding {
        Rounding::NearestEven => nearest,
        Rounding::Up if error > 0.0 => nearest.next_up(),
        Rounding::Down if error < 0.0 => nearest.next_down(),
        Rounding::TowardZero if value > 0.0 && error < 0.0 => nearest.next_down(),
        Rounding::TowardZero if value < 0.0 && error > 0.0 => nearest.next_up(),
        _ => nearest,
    }
}

/// `+ - * /` with a rounding mode.
pub fn real_rounded<R: Real>(op: FloatOp, rounding: Rounding, a: R, b: R) -> R {
    let nearest = real(op, a, b);
    if rounding == Rounding::NearestEven || !nearest.to_f64().is_finite() {
        return nearest;
    }
    let (x, y, r) = (a.to_f64(), b.to_f64(), nearest.to_f64());
    let error = match op {
        // Knuth's two-sum on the operands' own precision widened to f64 is exact
        // for f32; for f64 the classical form is used.
        FloatOp::Add | FloatOp::Sub => {
            let y = if op == FloatOp::Sub { -y } else { y };
            let bb = r - x;
            (x - (r - bb)) + (y - bb)
        }
        FloatOp::Mul => x.mul_add(y, -r),
        // r = x / y + e  has the sign of (x - r*y) / y.
        FloatOp::Div => (-r).mul_add(y, x) * y.signum(),
        _ => 0.0,
    };
    adjust(nearest, error, rounding)
}

pub fn sqrt_rounded<R: Real>(rounding: Rounding, a: R) -> R {
    let nearest = a.sqrt();
    let r = nearest.to_f64();
    adjust(nearest, (-r).mul_add(r, a.to_f64()), rounding)
}

pub fn fma_rounded<R: Real>(rounding: Rounding, a: R, b: R, c: R) -> R {
    let nearest = a.fma(b, c);
    if rounding == Rounding::NearestEven || !nearest.to_f64().is_finite() {
        return nearest;
    }
    let (x, y, z, r) = (a.to_f64(), b.to_f64(), c.to_f64(), nearest.to_f64());
    // x*y = p + e exactly; the error is (p - r + z) + e up to a sign we can trust
    // because r is the nearest value.
    let p = x * y;
    let e = x.mul_add(y, -p);
    let s = p + z;
    let bb = s - p;
    let t = (p - (s - bb)) + (z - bb);
    adjust(nearest, (s - r) + (t + e), rounding)
}

/// Rounds to an integral value.
pub fn to_integral(x: f64, rounding: Rounding) -> f64 {
    match rounding {
        Rounding::NearestEven => x.round_ties_even(),
        Rounding::TowardZero => x.trunc(),
        Rounding::Up => x.ceil(),
        Rounding::Down => x.floor(),
    }
}

/// Float to signed integer of `bits` bits: saturating, NaN to zero.
pub fn real_to_signed(x: f64, bits: u32, rounding: Rounding) -> u64 {
    let x = to_integral(x, rounding);
    let mask = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
    let (min, max) = (i64::MIN >> (64 - bits), i64::MAX >> (64 - bits));
    ((x as i64).clamp(min, max) as u64) & mask
}

/// Float to unsigned integer of `bits` bits: saturating, NaN to zero.
pub fn real_to_unsigned(x: f64, bits: u32, rounding: Rounding) -> u64 {
    let x = to_integral(x, rounding);
    let max = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
    (x as u64).min(max)
}

/// Integer to float with a rounding mode. `x` is exact.
pub fn integer_to_real<R: Real>(x: i128, rounding: Rounding) -> R {
    // An i128 of at most 64 significant bits, rounded to odd in f64, then to R.
    let nearest64 = x as f64;
    let nearest = R::from_f64(round_to_odd(x, nearest64));
    let error = x - nearest.to_f64() as i128;
    adjust(nearest, error as f64, rounding)
}

/// The f64 next to `x` with an odd mantissa where `x` is not exact: rounding it
/// once more gives the same as rounding `x` itself, for narrower types.
fn round_to_odd(x: i128, nearest: f64) -> f64 {
    let error = x - nearest as i128;
    if error == 0 || nearest.to_bits() & 1 == 1 {
        return nearest;
    }
    if error > 0 { nearest.next_up() } else { nearest.next_down() }
}

/// `f64` from an integer, rounded once.
pub fn integer_to_f64(x: i128, rounding: Rounding) -> f64 {
    let nearest = x as f64;
    let error = x - nearest as i128;
    adjust(nearest, error as f64, rounding)
}

/// f64 to f32 with a rounding mode.
pub fn narrow(x: f64, rounding: Rounding) -> f32 {
    let nearest = x as f32;
    adjust(nearest, x - f64::from(nearest), rounding)
}

/// A function of the maths library, in double precision.
pub fn math(f: MathFn, a: f64, b: f64) -> f64 {
    use std::f64::consts::PI;
    match f {
        MathFn::Sin => a.sin(),
        MathFn::Cos => a.cos(),
        MathFn::Tan => a.tan(),
        MathFn::Asin => a.asin(),
        MathFn::Acos => a.acos(),
        MathFn::Atan => a.atan(),
        MathFn::Atan2 => a.atan2(b),
        MathFn::Sinh => a.sinh(),
        MathFn::Cosh => a.cosh(),
        MathFn::Tanh => a.tanh(),
        MathFn::Asinh => libm::asinh(a),
        MathFn::Acosh => libm::acosh(a),
        MathFn::Atanh => libm::atanh(a),
        MathFn::SinPi => sin_pi(a),
        MathFn::CosPi => cos_pi(a),
        MathFn::TanPi => sin_pi(a) / cos_pi(a),
        MathFn::AsinPi => a.asin() / PI,
        MathFn::AcosPi => a.acos() / PI,
        MathFn::AtanPi => a.atan() / PI,
        MathFn::Atan2Pi => a.atan2(b) / PI,
        MathFn::Exp => a.exp(),
        MathFn::Exp2 => a.exp2(),
        MathFn::Exp10 => libm::exp10(a),
        MathFn::ExpM1 => a.exp_m1(),
        MathFn::Log => a.ln(),
        MathFn::Log2 => a.log2(),
        MathFn::Log10 => a.log10(),
        MathFn::Log1p => a.ln_1p(),
        MathFn::LogB => log_b(a),
        MathFn::Pow => a.powf(b),
        MathFn::Cbrt => a.cbrt(),
        MathFn::RSqrt => 1.0 / a.sqrt(),
        MathFn::RCbrt => 1.0 / a.cbrt(),
        MathFn::Hypot => a.hypot(b),
        MathFn::Erf => libm::erf(a),
        MathFn::Erfc => libm::erfc(a),
        MathFn::TGamma => libm::tgamma(a),
        MathFn::LGamma => libm::lgamma(a),
        MathFn::Remainder => libm::remainder(a, b),
        MathFn::FDim => libm::fdim(a, b),
        MathFn::NextAfter => libm::nextafter(a, b),
        MathFn::LdExp => libm::ldexp(a, b as i32),
        MathFn::ILogB => f64::from(libm::ilogb(a)),
        MathFn::FrexpFrac => libm::frexp(a).0,
        MathFn::FrexpExp => f64::from(libm::frexp(a).1),
        MathFn::J0 => libm::j0(a),
        MathFn::J1 => libm::j1(a),
        MathFn::Y0 => libm::y0(a),
        MathFn::Y1 => libm::y1(a),
        MathFn::NormCdf => 0.5 * libm::erfc(-a / std::f64::consts::SQRT_2),
        MathFn::ErfInv => erf_inv(a),
        MathFn::ErfcInv => erf_inv(1.0 - a),
    }
}

fn sin_pi(a: f64) -> f64 {
    let r = a % 2.0;
    if r == r.trunc() { 0.0f64.copysign(a) } else { (r * std::f64::consts::PI).sin() }
}

fn cos_pi(a: f64) -> f64 {
    let r = (a % 2.0).abs();
    if r == 0.5 || r == 1.5 { 0.0 } else { (r * std::f64::consts::PI).cos() }
}

fn log_b(a: f64) -> f64 {
    if a == 0.0 {
        f64::NEG_INFINITY
    } else if a.is_infinite() {
        f64::INFINITY
    } else if a.is_nan() {
        a
    } else {
        f64::from(libm::ilogb(a))
    }
}

/// Newton's iteration on a rational start (Giles 2010).
fn erf_inv(y: f64) -> f64 {
    if y <= -1.0 || y >= 1.0 {
        return if y == 1.0 {
            f64::INFINITY
        } else if y == -1.0 {
            f64::NEG_INFINITY
        } else {
            f64::NAN
        };
    }
    let w = -((1.0 - y) * (1.0 + y)).ln();
    let mut x = if w < 5.0 {
        let w = w - 2.5;
        y * (1.501_409_41 + w * (0.246_640_727 + w * (-0.004_177_681_64 + w * -0.001_253_725_03)))
    } else {
        let w = w.sqrt() - 3.0;
        y * (2.832_976_82 + w * (1.001_674_06 + w * (0.009_438_870_47 + w * -0.007_622_461_3)))
    };
    for _ in 0..4 {
        let error = libm::erf(x) - y;
        x -= error / (2.0 / std::f64::consts::PI.sqrt() * (-x * x).exp());
    }
    x
}

/// IEEE half precision, as bits. Conversions round to nearest even.
pub mod half {
    pub fn to_f32(h: u16) -> f32 {
        let sign = u32::from(h >> 15) << 31;
        let exponent = u32::from(h >> 10) & 31;
        let fraction = u32::from(h) & 0x3ff;
        match (exponent, fraction) {
            (0, _) => {
                let magnitude = fraction as f32 * (1.0 / 16_777_216.0);
                f32::from_bits(magnitude.to_bits() | sign)
            }
            (31, _) => f32::from_bits(sign | 0x7f80_0000 | fraction << 13),
            _ => f32::from_bits(sign | (exponent + 112) << 23 | fraction << 13),
        }
    }

    pub fn from_f64(x: f64) -> u16 {
        let sign = ((x.to_bits() >> 48) & 0x8000) as u16;
        let a = x.abs();
        if a.is_nan() {
            return sign | 0x7e00;
        }
        if a >= 65520.0 {
            return sign | 0x7c00;
        }
        // Below 2^-14 the spacing is 2^-24; above, 2^(e-10).
        let exponent = if a < 6.103_515_625e-5 { -14 } else { libm::ilogb(a) };
        let units = libm::ldexp(a, 10 - exponent).round_ties_even() as u32;
        let bits = if exponent == -14 && units < 1024 {
            units
        } else {
            (((exponent + 15) as u32) << 10) + (units - 1024)
        };
        sign | bits as u16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_of_integer_operations() {
        assert_eq!(int(IntOp::Shl, 1u32, 32), 0);
        assert_eq!(int(IntOp::AShr, 0x8000_0000u32, 99), u32::MAX);
        assert_eq!(int(IntOp::LShr, 7u8, 8), 0);
        assert_eq!(int(IntOp::UDiv, 7u32, 0), u32::MAX);
        assert_eq!(int(IntOp::SRem, 7u32, 0), 7);
        assert_eq!(int(IntOp::SDiv, 0x8000_0000u32, u32::MAX), 0x8000_0000);
        assert_eq!(int(IntOp::SAddSat, 0x7fu8, 1), 0x7f);
        assert_eq!(int(IntOp::SSubSat, 0x80u8, 1), 0x80);
        assert_eq!(int(IntOp::USubSat, 3u16, 5), 0);
        assert_eq!(int(IntOp::UMulHi, u64::MAX, u64::MAX), u64::MAX - 1);
        assert_eq!(funnel(true, 0x1234_5678u32, 0x9abc_def0, 8), 0x3456_789a);
        assert_eq!(funnel(false, 0x1234_5678u32, 0x9abc_def0, 8), 0x789a_bcde);
    }

    #[test]
    fn half_round_trip() {
        for h in 0..=u16::MAX {
            let x = half::to_f32(h);
            if x.is_nan() {
                continue;
            }
            assert_eq!(half::from_f64(f64::from(x)), h, "{h:#x} {x}");
        }
        assert_eq!(half::from_f64(65519.9), 0x7bff);
        assert_eq!(half::from_f64(65520.0), 0x7c00);
    }

    #[test]
    fn directed_rounding_brackets_the_exact_value() {
        let (a, b) = (1.0f32, 3.0f32);
        let down = real_rounded(FloatOp::Div, Rounding::Down, a, b);
        let up = real_rounded(FloatOp::Div, Rounding::Up, a, b);
        assert!(f64::from(down) < 1.0 / 3.0 && f64::from(up) > 1.0 / 3.0);
        assert_eq!(up, down.next_up());
        assert_eq!(real_rounded(FloatOp::Add, Rounding::TowardZero, 1.0f32, 1e-20), 1.0);
        assert_eq!(real_rounded(FloatOp::Add, Rounding::Up, 1.0f32, 1e-20), 1.0f32.next_up());
        assert_eq!(real_rounded(FloatOp::Sub, Rounding::Down, 1.0f64, 1e-30), 1.0f64.next_down());
        assert_eq!(
            sqrt_rounded(Rounding::Down, 2.0f32).next_up(),
            sqrt_rounded(Rounding::Up, 2.0f32)
        );
    }

    #[test]
    fn integers_to_floats_round_once() {
        let x = (1i128 << 62) + (1 << 38) + 1;
        assert_eq!(integer_to_real::<f32>(x, Rounding::NearestEven), x as f32);
        assert_eq!(integer_to_real::<f32>(16_777_217, Rounding::Up), 16_777_218.0);
        assert_eq!(integer_to_real::<f32>(16_777_217, Rounding::Down), 16_777_216.0);
        assert_eq!(real_to_signed(f64::NAN, 32, Rounding::TowardZero), 0);
        assert_eq!(real_to_signed(-1e30, 32, Rounding::TowardZero), 0x8000_0000);
        assert_eq!(real_to_unsigned(-1.0, 32, Rounding::TowardZero), 0);
    }
}
