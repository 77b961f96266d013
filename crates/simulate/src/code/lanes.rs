//! Arithmetic on all lanes of a warp at once.
//!
//! Each operation is a function over whole registers ([`crate::code::registers`]), built from the scalar semantics in
//! [`lockstep_kernel::semantics`] by a loop that the compiler vectorises; one version for a full warp, one that keeps
//! the inactive lanes. On x86-64 both also exist for AVX2, chosen once at start.

use lockstep_kernel::semantics::{self as sem, bits};
use lockstep_kernel::{CastOp, CmpOp, FloatOp, FloatUnOp, IntOp, IntUnOp, MathFn, Rounding, Ty};

use crate::code::registers::{LANES, Regs, Slot, lane_mask};

/// An arithmetic step: destination, up to three sources.
#[derive(Clone, Copy)]
pub(crate) struct Alu {
    pub full: AluFn,
    pub masked: AluFn,
    pub d: Slot,
    pub a: Slot,
    pub b: Slot,
    pub c: Slot,
    /// Only moves values, which does not count as a use.
    pub copies: bool,
    /// Selects between `b` and `c` by `a`: this is a use of `a` only.
    pub selects: bool,
    /// Immediate operands of `Index`.
    pub x: i64,
    pub y: i64,
}

pub(crate) type AluFn = unsafe fn(&Regs, &Alu, u32);

/// The two functions of an operation.
#[derive(Clone, Copy)]
pub(crate) struct Pair {
    pub full: AluFn,
    pub masked: AluFn,
}

/// A lane type as it is stored, and its view as a value.
trait Lane: Copy {
    type Store: Copy + Default;
    fn get(s: Self::Store) -> Self;
    fn put(self) -> Self::Store;
    fn slice(r: &Regs, s: Slot) -> &[Self::Store; LANES];
    #[allow(clippy::mut_from_ref)]
    fn slice_mut(r: &Regs, s: Slot) -> &mut [Self::Store; LANES];
}

macro_rules! lane {
    ($t:ty, $store:ty, $read:ident, $write:ident, $get:expr, $put:expr) => {
        impl Lane for $t {
            type Store = $store;
            #[inline(always)]
            fn get(s: $store) -> $t {
                ($get)(s)
            }
            #[inline(always)]
            fn put(self) -> $store {
                ($put)(self)
            }
            #[inline(always)]
            fn slice(r: &Regs, s: Slot) -> &[$store; LANES] {
                r.$read(s)
            }
            #[inline(always)]
            fn slice_mut(r: &Regs, s: Slot) -> &mut [$store; LANES] {
                r.$write(s)
            }
        }
    };
}

lane!(u8, u32, w32, w32_mut, |s: u32| s as u8, u32::from);
lane!(u16, u32, w32, w32_mut, |s: u32| s as u16, u32::from);
lane!(u32, u32, w32, w32_mut, |s: u32| s, |v: u32| v);
lane!(u64, u64, w64, w64_mut, |s: u64| s, |v: u64| v);
lane!(f32, u32, w32, w32_mut, f32::from_bits, f32::to_bits);
lane!(f64, u64, w64, w64_mut, f64::from_bits, f64::to_bits);

/// A half, computed on in single precision and rounded after each operation.
#[derive(Clone, Copy)]
struct Half(f32);
lane!(Half, u32, w32, w32_mut, |s: u32| Half(sem::half::to_f32(s as u16)), |v: Half| u32::from(
    sem::half::from_f64(f64::from(v.0))
));

/// Creates the only value of a zero-sized function type.
#[inline(always)]
fn conjure<F>() -> F {
    const { assert!(size_of::<F>() == 0) };
    // SAFETY: a type of size zero that we were given a value of by type.
    unsafe { std::mem::zeroed() }
}

#[inline(always)]
fn write<T: Lane, const FULL: bool>(r: &Regs, d: Slot, mask: u32, out: &[T::Store; LANES]) {
    let to = T::slice_mut(r, d);
    if FULL {
        *to = *out;
    } else {
        for l in 0..LANES {
            to[l] = if mask >> l & 1 != 0 { out[l] } else { to[l] };
        }
    }
}

/// Defines the body once and its plain and AVX2 instances.
macro_rules! kernel_fn {
    ($name:ident, $body:ident, $avx:ident, <$($g:ident : $bound:path),*>) => {
        unsafe fn $name<$($g: $bound,)* const FULL: bool>(r: &Regs, op: &Alu, mask: u32) {
            $body::<$($g,)* FULL>(r, op, mask)
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma,bmi1,bmi2")]
        unsafe fn $avx<$($g: $bound,)* const FULL: bool>(r: &Regs, op: &Alu, mask: u32) {
            $body::<$($g,)* FULL>(r, op, mask)
        }
    };
}

/// Whether this machine has the instructions that the wide versions use.
#[cfg(target_arch = "x86_64")]
pub(crate) fn wide() -> bool {
    static WIDE: std::sync::OnceLock<bool> = std::sync::OnceLock::new();
    *WIDE.get_or_init(|| {
        is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
    })
}

macro_rules! pair {
    ($plain:ident, $avx:ident, <$($g:ty),*>) => {{
        #[cfg(target_arch = "x86_64")]
        if wide() {
            return Pair { full: $avx::<$($g,)* true>, masked: $avx::<$($g,)* false> };
        }
        Pair { full: $plain::<$($g,)* true>, masked: $plain::<$($g,)* false> }
    }};
}

trait Fn1<A, O>: Fn(A) -> O + 'static {}
impl<A, O, F: Fn(A) -> O + 'static> Fn1<A, O> for F {}
trait Fn2<A, O>: Fn(A, A) -> O + 'static {}
impl<A, O, F: Fn(A, A) -> O + 'static> Fn2<A, O> for F {}
trait Fn3<A, O>: Fn(A, A, A) -> O + 'static {}
impl<A, O, F: Fn(A, A, A) -> O + 'static> Fn3<A, O> for F {}

macro_rules! map_fn {
    ($plain:ident, $body:ident, $avx:ident, $make:ident, $fnt:ident, $($src:ident),+) => {
        #[inline(always)]
        fn $body<A: Lane, O: Lane, F: $fnt<A, O>, const FULL: bool>(r: &Regs, op: &Alu, mask: u32) {
            let f = conjure::<F>();
            $(let $src = A::slice(r, op.$src);)+
            let mut out = [O::Store::default(); LANES];
            for l in 0..LANES {
                out[l] = f($(A::get($src[l])),+).put();
            }
            write::<O, FULL>(r, op.d, mask, &out);
        }
        unsafe fn $plain<A: Lane, O: Lane, F: $fnt<A, O>, const FULL: bool>(r: &Regs, op: &Alu, mask: u32) {
            $body::<A, O, F, FULL>(r, op, mask)
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma,bmi1,bmi2")]
        unsafe fn $avx<A: Lane, O: Lane, F: $fnt<A, O>, const FULL: bool>(r: &Regs, op: &Alu, mask: u32) {
            $body::<A, O, F, FULL>(r, op, mask)
        }
        fn $make<A: Lane, O: Lane, F: $fnt<A, O>>(_: F) -> Pair {
            pair!($plain, $avx, <A, O, F>)
        }
    };
}

map_fn!(map1, map1_body, map1_wide, unary, Fn1, a);
map_fn!(map2, map2_body, map2_wide, binary, Fn2, a, b);
map_fn!(map3, map3_body, map3_wide, ternary, Fn3, a, b, c);

/// A comparison: one bit a lane.
#[inline(always)]
fn cmp_body<A: Lane, F: Fn2<A, bool>, const FULL: bool>(r: &Regs, op: &Alu, mask: u32) {
    let f = conjure::<F>();
    let (a, b) = (A::slice(r, op.a), A::slice(r, op.b));
    let bits = lane_mask(|l| f(A::get(a[l]), A::get(b[l])));
    r.set_bits(op.d, bits, if FULL { u32::MAX } else { mask });
}
unsafe fn cmp_plain<A: Lane, F: Fn2<A, bool>, const FULL: bool>(r: &Regs, op: &Alu, mask: u32) {
    cmp_body::<A, F, FULL>(r, op, mask)
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2")]
unsafe fn cmp_wide<A: Lane, F: Fn2<A, bool>, const FULL: bool>(r: &Regs, op: &Alu, mask: u32) {
    cmp_body::<A, F, FULL>(r, op, mask)
}
fn comparison<A: Lane, F: Fn2<A, bool>>(_: F) -> Pair {
    pair!(cmp_plain, cmp_wide, <A, F>)
}

#[inline(always)]
fn select_body<A: Lane, const FULL: bool>(r: &Regs, op: &Alu, mask: u32) {
    let cond = r.bits(op.a);
    let (a, b) = (A::slice(r, op.b), A::slice(r, op.c));
    let mut out = [A::Store::default(); LANES];
    for l in 0..LANES {
        out[l] = if cond >> l & 1 != 0 { a[l] } else { b[l] };
    }
    write::<A, FULL>(r, op.d, mask, &out);
}
kernel_fn!(select_plain, select_body, select_wide, <A: Lane>);

/// `base + index * scale + offset`, the index 64 bits wide or 32 and signed.
#[inline(always)]
fn index_body<A: Lane + IndexLane, const FULL: bool>(r: &Regs, op: &Alu, mask: u32) {
    let (base, index) = (r.w64(op.a), A::slice(r, op.b));
    let mut out = [0u64; LANES];
    for l in 0..LANES {
        out[l] = base[l]
            .wrapping_add(A::get(index[l]).extend().wrapping_mul(op.x as u64))
            .wrapping_add(op.y as u64);
    }
    write::<u64, FULL>(r, op.d, mask, &out);
}
kernel_fn!(index_plain, index_body, index_wide, <A: IndexLane>);

trait IndexLane: Lane {
    fn extend(self) -> u64;
}
impl IndexLane for u32 {
    #[inline(always)]
    fn extend(self) -> u64 {
        self as i32 as i64 as u64
    }
}
impl IndexLane for u64 {
    #[inline(always)]
    fn extend(self) -> u64 {
        self
    }
}

/// The address computation; `narrow` takes a signed 32-bit index.
pub(crate) fn index_pair(narrow: bool) -> Pair {
    if narrow {
        pair!(index_plain, index_wide, <u32>)
    } else {
        pair!(index_plain, index_wide, <u64>)
    }
}

unsafe fn bool_and(r: &Regs, op: &Alu, mask: u32) {
    r.set_bits(op.d, r.bits(op.a) & r.bits(op.b), mask);
}
unsafe fn bool_or(r: &Regs, op: &Alu, mask: u32) {
    r.set_bits(op.d, r.bits(op.a) | r.bits(op.b), mask);
}
unsafe fn bool_xor(r: &Regs, op: &Alu, mask: u32) {
    r.set_bits(op.d, r.bits(op.a) ^ r.bits(op.b), mask);
}
unsafe fn bool_xnor(r: &Regs, op: &Alu, mask: u32) {
    r.set_bits(op.d, !(r.bits(op.a) ^ r.bits(op.b)), mask);
}
unsafe fn bool_andnot(r: &Regs, op: &Alu, mask: u32) {
    r.set_bits(op.d, r.bits(op.a) & !r.bits(op.b), mask);
}
unsafe fn bool_notand(r: &Regs, op: &Alu, mask: u32) {
    r.set_bits(op.d, !r.bits(op.a) & r.bits(op.b), mask);
}
unsafe fn bool_ornot(r: &Regs, op: &Alu, mask: u32) {
    r.set_bits(op.d, r.bits(op.a) | !r.bits(op.b), mask);
}
unsafe fn bool_notor(r: &Regs, op: &Alu, mask: u32) {
    r.set_bits(op.d, !r.bits(op.a) | r.bits(op.b), mask);
}
unsafe fn bool_copy(r: &Regs, op: &Alu, mask: u32) {
    r.set_bits(op.d, r.bits(op.a), mask);
}
unsafe fn bool_select(r: &Regs, op: &Alu, mask: u32) {
    let c = r.bits(op.a);
    r.set_bits(op.d, (c & r.bits(op.b)) | (!c & r.bits(op.c)), mask);
}

fn bool_pair(f: AluFn) -> Pair {
    Pair { full: f, masked: f }
}

/// Integer operations on one-bit values, where they are bit operations.
fn bool_int(op: IntOp) -> Option<Pair> {
    Some(bool_pair(match op {
        IntOp::And | IntOp::Mul | IntOp::UMin | IntOp::SMax => bool_and,
        IntOp::Or | IntOp::UMax | IntOp::SMin => bool_or,
        IntOp::Xor | IntOp::Add | IntOp::Sub => bool_xor,
        // Shifts by one give zero; shifts by zero give the value.
        IntOp::Shl | IntOp::LShr => bool_andnot,
        IntOp::AShr => bool_copy,
        _ => return None,
    }))
}

macro_rules! int_ops {
    ($t:ty, $op:expr; $($name:ident),*) => {
        match $op { $(IntOp::$name => binary::<$t, $t, _>(|a, b| sem::int(IntOp::$name, a, b)),)* }
    };
}
macro_rules! all_int_ops {
    ($t:ty, $op:expr) => {
        int_ops!($t, $op; Add, Sub, Mul, UDiv, SDiv, URem, SRem, And, Or, Xor, Shl, LShr, AShr,
            UMin, UMax, SMin, SMax, UMulHi, SMulHi, UAddSat, SAddSat, USubSat, SSubSat)
    };
}

/// The functions for an integer operation; none for one-bit division.
pub(crate) fn int_pair(op: IntOp, ty: Ty) -> Option<Pair> {
    Some(match ty.bits() {
        1 => return bool_int(op),
        8 => all_int_ops!(u8, op),
        16 => all_int_ops!(u16, op),
        32 => all_int_ops!(u32, op),
        _ => all_int_ops!(u64, op),
    })
}

macro_rules! int_un_ops {
    ($t:ty, $op:expr; $($name:ident),*) => {
        match $op { $(IntUnOp::$name => unary::<$t, $t, _>(|a| sem::int_un(IntUnOp::$name, a)),)* }
    };
}
macro_rules! all_int_un_ops {
    ($t:ty, $op:expr) => {
        int_un_ops!($t, $op; PopCount, Clz, Ctz, BitReverse, ByteSwap, Abs)
    };
}

pub(crate) fn int_un_pair(op: IntUnOp, ty: Ty) -> Pair {
    match ty.bits() {
        1 => bool_pair(bool_copy),
        8 => all_int_un_ops!(u8, op),
        16 => all_int_un_ops!(u16, op),
        32 => all_int_un_ops!(u32, op),
        _ => all_int_un_ops!(u64, op),
    }
}

pub(crate) fn funnel_pair(left: bool, ty: Ty) -> Pair {
    macro_rules! of {
        ($t:ty) => {
            if left {
                ternary::<$t, $t, _>(|a, b, c| sem::funnel(true, a, b, c))
            } else {
                ternary::<$t, $t, _>(|a, b, c| sem::funnel(false, a, b, c))
            }
        };
    }
    match ty.bits() {
        8 => of!(u8),
        16 => of!(u16),
        32 => of!(u32),
        _ => of!(u64),
    }
}

macro_rules! cmp_ops {
    ($t:ty, $f:path, $op:expr; $($name:ident),*) => {
        match $op { $(CmpOp::$name => comparison::<$t, _>(|a, b| $f(CmpOp::$name, a, b)),)* _ => return None }
    };
}
macro_rules! int_cmps {
    ($t:ty, $op:expr) => {
        cmp_ops!($t, sem::compare, $op; Eq, Ne, ULt, ULe, UGt, UGe, SLt, SLe, SGt, SGe)
    };
}
macro_rules! real_cmps {
    ($t:ty, $op:expr) => {
        cmp_ops!($t, sem::compare_real, $op;
            FOEq, FONe, FOLt, FOLe, FOGt, FOGe, FOrd, FUEq, FUNe, FULt, FULe, FUGt, FUGe, FUno)
    };
}

fn half_cmp(op: CmpOp) -> Option<Pair> {
    macro_rules! of {
        ($($name:ident),*) => {
            match op {
                $(CmpOp::$name => comparison::<Half, _>(|a: Half, b: Half| sem::compare_real(CmpOp::$name, a.0, b.0)),)*
                _ => return None,
            }
        };
    }
    Some(of!(FOEq, FONe, FOLt, FOLe, FOGt, FOGe, FOrd, FUEq, FUNe, FULt, FULe, FUGt, FUGe, FUno))
}

/// The functions for a comparison; none where predicate and type do not match.
pub(crate) fn cmp_pair(op: CmpOp, ty: Ty) -> Option<Pair> {
    Some(match ty {
        Ty::I1 => bool_pair(match op {
            CmpOp::Eq => bool_xnor,
            CmpOp::Ne => bool_xor,
            CmpOp::ULt | CmpOp::SGt => bool_notand,
            CmpOp::UGt | CmpOp::SLt => bool_andnot,
            CmpOp::ULe | CmpOp::SGe => bool_notor,
            CmpOp::UGe | CmpOp::SLe => bool_ornot,
            _ => return None,
        }),
        Ty::I8 => int_cmps!(u8, op),
        Ty::I16 => int_cmps!(u16, op),
        Ty::I32 => int_cmps!(u32, op),
        Ty::I64 | Ty::Ptr => int_cmps!(u64, op),
        Ty::F16 => return half_cmp(op),
        Ty::F32 => real_cmps!(f32, op),
        Ty::F64 => real_cmps!(f64, op),
    })
}

macro_rules! real_ops {
    ($t:ty, $op:expr; $($name:ident),*) => {
        match $op { $(FloatOp::$name => binary::<$t, $t, _>(|a, b| sem::real(FloatOp::$name, a, b)),)* }
    };
}

/// Float arithmetic; none for directed rounding, which goes lane by lane.
pub(crate) fn float_pair(op: FloatOp, ty: Ty, rounding: Rounding) -> Option<Pair> {
    if rounding != Rounding::NearestEven {
        return None;
    }
    Some(match ty {
        Ty::F32 => real_ops!(f32, op; Add, Sub, Mul, Div, Rem, Min, Max, CopySign),
        Ty::F64 => real_ops!(f64, op; Add, Sub, Mul, Div, Rem, Min, Max, CopySign),
        _ => return None,
    })
}

macro_rules! real_un_ops {
    ($t:ty, $op:expr; $($name:ident),*) => {
        match $op { $(FloatUnOp::$name => unary::<$t, $t, _>(|a| sem::real_un(FloatUnOp::$name, a)),)* }
    };
}

pub(crate) fn float_un_pair(op: FloatUnOp, ty: Ty, rounding: Rounding) -> Option<Pair> {
    if rounding != Rounding::NearestEven {
        return None;
    }
    Some(match ty {
        Ty::F32 => {
            real_un_ops!(f32, op; Neg, Abs, Sqrt, Floor, Ceil, Trunc, RoundEven, RoundAway, Fast, Native, Half)
        }
        Ty::F64 => {
            real_un_ops!(f64, op; Neg, Abs, Sqrt, Floor, Ceil, Trunc, RoundEven, RoundAway, Fast, Native, Half)
        }
        _ => return None,
    })
}

pub(crate) fn fma_pair(ty: Ty, rounding: Rounding) -> Option<Pair> {
    if rounding != Rounding::NearestEven {
        return None;
    }
    Some(match ty {
        Ty::F32 => ternary::<f32, f32, _>(sem::Real::fma),
        Ty::F64 => ternary::<f64, f64, _>(sem::Real::fma),
        _ => return None,
    })
}

pub(crate) fn select_pair(ty: Ty) -> Pair {
    match ty.bits() {
        1 => bool_pair(bool_select),
        64 => pair!(select_plain, select_wide, <u64>),
        _ => pair!(select_plain, select_wide, <u32>),
    }
}

pub(crate) fn copy_pair(ty: Ty) -> Pair {
    match ty.bits() {
        1 => bool_pair(bool_copy),
        64 => unary::<u64, u64, _>(|a: u64| a),
        _ => unary::<u32, u32, _>(|a: u32| a),
    }
}

#[inline(always)]
fn widen_bool_body<A: Lane, const FULL: bool>(r: &Regs, op: &Alu, mask: u32)
where
    A::Store: From<u32>,
{
    let bits = r.bits(op.a);
    let mut out = [A::Store::default(); LANES];
    for l in 0..LANES {
        out[l] = (bits >> l & 1).into();
    }
    write::<A, FULL>(r, op.d, mask, &out);
}
unsafe fn widen_bool_32<const FULL: bool>(r: &Regs, op: &Alu, mask: u32) {
    widen_bool_body::<u32, FULL>(r, op, mask)
}
unsafe fn widen_bool_64<const FULL: bool>(r: &Regs, op: &Alu, mask: u32) {
    widen_bool_body::<u64, FULL>(r, op, mask)
}

/// The common casts; the rest goes lane by lane through [`cast_scalar`].
pub(crate) fn cast_pair(op: CastOp, from: Ty, to: Ty) -> Option<Pair> {
    use CastOp as C;
    const N: Rounding = Rounding::NearestEven;
    const Z: Rounding = Rounding::TowardZero;
    if matches!(op, C::Bit) || from == to && matches!(op, C::Trunc | C::ZExt | C::SExt) {
        return (from.bits() == to.bits()).then(|| copy_pair(to));
    }
    Some(match (op, from.bits(), to.bits()) {
        (C::ZExt, 1, 64) => Pair { full: widen_bool_64::<true>, masked: widen_bool_64::<false> },
        (C::ZExt, 1, _) => Pair { full: widen_bool_32::<true>, masked: widen_bool_32::<false> },
        (C::ZExt, 8 | 16, 16 | 32) => copy_pair(Ty::I32),
        (C::ZExt, 8 | 16 | 32, 64) => unary::<u32, u64, _>(u64::from),
        (C::SExt, 8, 16) => unary::<u8, u16, _>(|a: u8| a as i8 as i16 as u16),
        (C::SExt, 8, 32) => unary::<u8, u32, _>(|a: u8| a as i8 as i32 as u32),
        (C::SExt, 16, 32) => unary::<u16, u32, _>(|a: u16| a as i16 as i32 as u32),
        (C::SExt, 8, 64) => unary::<u8, u64, _>(|a: u8| a as i8 as i64 as u64),
        (C::SExt, 16, 64) => unary::<u16, u64, _>(|a: u16| a as i16 as i64 as u64),
        (C::SExt, 32, 64) => unary::<u32, u64, _>(|a: u32| a as i32 as i64 as u64),
        (C::Trunc, 64, 32) => unary::<u64, u32, _>(|a: u64| a as u32),
        (C::Trunc, 64, 16) => unary::<u64, u16, _>(|a: u64| a as u16),
        (C::Trunc, 64, 8) => unary::<u64, u8, _>(|a: u64| a as u8),
        (C::Trunc, 32, 16) => unary::<u32, u16, _>(|a: u32| a as u16),
        (C::Trunc, 16 | 32, 8) => unary::<u32, u8, _>(|a: u32| a as u8),
        (C::SToF(N), 32, 32) => unary::<u32, f32, _>(|a: u32| a as i32 as f32),
        (C::SToF(N), 32, 64) => unary::<u32, f64, _>(|a: u32| f64::from(a as i32)),
        (C::UToF(N), 8 | 16 | 32, 32) if to == Ty::F32 => unary::<u32, f32, _>(|a: u32| a as f32),
        (C::UToF(N), 8 | 16 | 32, 64) => unary::<u32, f64, _>(f64::from),
        (C::SToF(N), 64, 64) => unary::<u64, f64, _>(|a: u64| a as i64 as f64),
        (C::FToS(Z), 32, 32) => unary::<f32, u32, _>(|a: f32| a as i32 as u32),
        (C::FToS(Z), 64, 32) => unary::<f64, u32, _>(|a: f64| a as i32 as u32),
        (C::FToU(Z), 32, 32) => unary::<f32, u32, _>(|a: f32| a as u32),
        (C::FToS(Z), 32, 64) => unary::<f32, u64, _>(|a: f32| a as i64 as u64),
        (C::FToF(_), 32, 64) => unary::<f32, f64, _>(f64::from),
        (C::FToF(N), 64, 32) => unary::<f64, f32, _>(|a: f64| a as f32),
        _ => return None,
    })
}

/// Operations that have no lane-parallel form.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ScalarOp {
    Int(IntOp),
    Cast(CastOp, Ty),
    Float(FloatOp, Rounding),
    FloatUn(FloatUnOp, Rounding),
    Fma(Rounding),
    Math(MathFn),
}

/// Evaluates one lane. `ty` is the type of the operation (of the result, for
/// casts); operands and result are bits.
pub(crate) fn scalar(op: ScalarOp, ty: Ty, a: u64, b: u64, c: u64) -> u64 {
    match op {
        ScalarOp::Int(op) => bits::int(op, ty, a, b),
        ScalarOp::Cast(op, from) => bits::cast(op, from, ty, a),
        ScalarOp::Float(op, rounding) => bits::float(op, ty, rounding, a, b),
        ScalarOp::FloatUn(op, rounding) => bits::float_un(op, ty, rounding, a),
        ScalarOp::Fma(rounding) => bits::fma(ty, rounding, a, b, c),
        ScalarOp::Math(f) => bits::math(f, ty, a, b),
    }
}
