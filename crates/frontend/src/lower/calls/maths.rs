//! The mathematical functions of all languages under their common C names, one scalar at a time.
//!
//! `libdevice`, C, OpenCL and LLVM's intrinsics all use these after removing prefixes and suffixes. Functions without
//! an operation in the kernel representation are composed of others, where that is exact or within the error that CUDA
//! and OpenCL allow.

use lockstep_kernel::{
    CastOp, CmpOp, FloatOp, FloatUnOp, IntOp, MathFn, Op, Operand, Rounding, Ty,
};

use crate::lower::Lower;
use crate::lower::build::RNE;
use crate::lower::insts::unsigned;

impl Lower<'_> {
    /// A function from floats of type `ty` to one float of that type.
    pub(in crate::lower) fn float_function(
        &mut self,
        name: &str,
        ty: Ty,
        a: &[Operand],
    ) -> Option<Operand> {
        use MathFn as M;
        let u = Operand::Undef;
        let one = self.fconst(ty, 1.0);
        if let &[x] = a {
            let simple = match name {
                "sin" => Some(M::Sin),
                "cos" => Some(M::Cos),
                "tan" => Some(M::Tan),
                "asin" => Some(M::Asin),
                "acos" => Some(M::Acos),
                "atan" => Some(M::Atan),
                "sinh" => Some(M::Sinh),
                "cosh" => Some(M::Cosh),
                "tanh" => Some(M::Tanh),
                "asinh" => Some(M::Asinh),
                "acosh" => Some(M::Acosh),
                "atanh" => Some(M::Atanh),
                "sinpi" => Some(M::SinPi),
                "cospi" => Some(M::CosPi),
                "tanpi" => Some(M::TanPi),
                "asinpi" => Some(M::AsinPi),
                "acospi" => Some(M::AcosPi),
                "atanpi" => Some(M::AtanPi),
                "exp" => Some(M::Exp),
                "exp2" => Some(M::Exp2),
                "exp10" => Some(M::Exp10),
                "expm1" => Some(M::ExpM1),
                "log" => Some(M::Log),
                "log2" => Some(M::Log2),
                "log10" => Some(M::Log10),
                "log1p" => Some(M::Log1p),
                "logb" => Some(M::LogB),
                "cbrt" => Some(M::Cbrt),
                "rsqrt" => Some(M::RSqrt),
                "rcbrt" => Some(M::RCbrt),
                "erf" => Some(M::Erf),
                "erfc" => Some(M::Erfc),
                "tgamma" => Some(M::TGamma),
                "lgamma" => Some(M::LGamma),
                "j0" => Some(M::J0),
                "j1" => Some(M::J1),
                "y0" => Some(M::Y0),
                "y1" => Some(M::Y1),
                "normcdf" => Some(M::NormCdf),
                "erfinv" => Some(M::ErfInv),
                "erfcinv" => Some(M::ErfcInv),
                _ => None,
            };
            if let Some(f) = simple {
                return Some(self.math(f, ty, x, u));
            }
            let direct = match name {
                "fabs" => Some(FloatUnOp::Abs),
                "sqrt" => Some(FloatUnOp::Sqrt),
                "floor" => Some(FloatUnOp::Floor),
                "ceil" => Some(FloatUnOp::Ceil),
                "trunc" => Some(FloatUnOp::Trunc),
                "rint" | "nearbyint" | "roundeven" => Some(FloatUnOp::RoundEven),
                "round" => Some(FloatUnOp::RoundAway),
                "neg" => Some(FloatUnOp::Neg),
                _ => None,
            };
            if let Some(op) = direct {
                return Some(self.float_un(op, ty, x));
            }
            return Some(match name {
                "recip" => self.float(FloatOp::Div, ty, one, x),
                "saturate" => {
                    let zero = self.fconst(ty, 0.0);
                    let low = self.float(FloatOp::Max, ty, x, zero);
                    self.float(FloatOp::Min, ty, low, one)
                }
                "normcdfinv" => {
                    let two = self.fconst(ty, 2.0);
                    let twice = self.float(FloatOp::Mul, ty, two, x);
                    let inverse = self.math(M::ErfcInv, ty, twice, u);
                    let root = self.fconst(ty, -std::f64::consts::SQRT_2);
                    self.float(FloatOp::Mul, ty, root, inverse)
                }
                "degrees" | "radians" => {
                    let k = if name == "degrees" {
                        180.0 / std::f64::consts::PI
                    } else {
                        std::f64::consts::PI / 180.0
                    };
                    let k = self.fconst(ty, k);
                    self.float(FloatOp::Mul, ty, k, x)
                }
                "sign" => {
                    let zero = self.fconst(ty, 0.0);
                    let positive = self.cmp(CmpOp::FOGt, ty, x, zero);
                    let negative = self.cmp(CmpOp::FOLt, ty, x, zero);
                    let minus = self.fconst(ty, -1.0);
                    let nan = self.cmp(CmpOp::FUno, ty, x, x);
                    let r = self.select(ty, nan, zero, x);
                    let r = self.select(ty, negative, minus, r);
                    self.select(ty, positive, one, r)
                }
                _ => return None,
            });
        }
        if let &[x, y] = a {
            let simple = match name {
                "atan2" => Some(M::Atan2),
                "atan2pi" => Some(M::Atan2Pi),
                "pow" | "powr" => Some(M::Pow),
                "hypot" => Some(M::Hypot),
                "remainder" => Some(M::Remainder),
                "fdim" => Some(M::FDim),
                "nextafter" => Some(M::NextAfter),
                "ldexp" | "scalbn" => Some(M::LdExp),
                _ => None,
            };
            if let Some(f) = simple {
                return Some(self.math(f, ty, x, y));
            }
            return Some(match name {
                "fadd" => self.float(FloatOp::Add, ty, x, y),
                "fsub" => self.float(FloatOp::Sub, ty, x, y),
                "fmul" => self.float(FloatOp::Mul, ty, x, y),
                "fdiv" | "fdivide" | "divide" => self.float(FloatOp::Div, ty, x, y),
                "fmod" => self.float(FloatOp::Rem, ty, x, y),
                "fmin" | "minnum" | "min" => self.float(FloatOp::Min, ty, x, y),
                "fmax" | "maxnum" | "max" => self.float(FloatOp::Max, ty, x, y),
                "copysign" => self.float(FloatOp::CopySign, ty, x, y),
                // An integer exponent: its conversion to double is exact, so this is `pow`.
                "powi" | "pown" => {
                    let y = self.cast(CastOp::SToF(RNE), Ty::I32, ty, y);
                    self.math(M::Pow, ty, x, y)
                }
                "rootn" => self.rootn(ty, x, y),
                "rhypot" => {
                    let h = self.math(M::Hypot, ty, x, y);
                    self.float(FloatOp::Div, ty, one, h)
                }
                "step" => {
                    let below = self.cmp(CmpOp::FOLt, ty, y, x);
                    let zero = self.fconst(ty, 0.0);
                    self.select(ty, below, zero, one)
                }
                "maxmag" | "minmag" => {
                    let (ax, ay) = (
                        self.float_un(FloatUnOp::Abs, ty, x),
                        self.float_un(FloatUnOp::Abs, ty, y),
                    );
                    let op = if name == "maxmag" { CmpOp::FOGt } else { CmpOp::FOLt };
                    let first = self.cmp(op, ty, ax, ay);
                    let second = self.cmp(op, ty, ay, ax);
                    let op = if name == "maxmag" { FloatOp::Max } else { FloatOp::Min };
                    let neither = self.float(op, ty, x, y);
                    let r = self.select(ty, second, y, neither);
                    self.select(ty, first, x, r)
                }
                _ => return None,
            });
        }
        if let &[x, y, z] = a {
            return Some(match name {
                "fma" | "fmuladd" => self.fma(ty, x, y, z),
                "mad" => {
                    let product = self.float(FloatOp::Mul, ty, x, y);
                    self.float(FloatOp::Add, ty, product, z)
                }
                "clamp" => {
                    let low = self.float(FloatOp::Max, ty, x, y);
                    self.float(FloatOp::Min, ty, low, z)
                }
                "mix" => {
                    let d = self.float(FloatOp::Sub, ty, y, x);
                    let d = self.float(FloatOp::Mul, ty, d, z);
                    self.float(FloatOp::Add, ty, x, d)
                }
                "smoothstep" => {
                    let n = self.float(FloatOp::Sub, ty, z, x);
                    let d = self.float(FloatOp::Sub, ty, y, x);
                    let t = self.float(FloatOp::Div, ty, n, d);
                    let t = self.float_function("saturate", ty, &[t])?;
                    let (two, three) = (self.fconst(ty, 2.0), self.fconst(ty, 3.0));
                    let p = self.float(FloatOp::Mul, ty, two, t);
                    let q = self.float(FloatOp::Sub, ty, three, p);
                    let t2 = self.float(FloatOp::Mul, ty, t, t);
                    self.float(FloatOp::Mul, ty, t2, q)
                }
                "norm3d" | "rnorm3d" => {
                    let h = self.math(M::Hypot, ty, x, y);
                    let h = self.math(M::Hypot, ty, h, z);
                    if name == "norm3d" { h } else { self.float(FloatOp::Div, ty, one, h) }
                }
                _ => return None,
            });
        }
        if let &[x, y, z, w] = a
            && matches!(name, "norm4d" | "rnorm4d")
        {
            let h = self.math(M::Hypot, ty, x, y);
            let h = self.math(M::Hypot, ty, h, z);
            let h = self.math(M::Hypot, ty, h, w);
            return Some(if name == "norm4d" { h } else { self.float(FloatOp::Div, ty, one, h) });
        }
        None
    }

    /// `x` to the power of `1/n`; odd roots of negative numbers are real.
    fn rootn(&mut self, ty: Ty, x: Operand, n: Operand) -> Operand {
        let one = self.fconst(ty, 1.0);
        let nf = self.cast(CastOp::SToF(RNE), Ty::I32, ty, n);
        let exponent = self.float(FloatOp::Div, ty, one, nf);
        let magnitude = self.float_un(FloatUnOp::Abs, ty, x);
        let root = self.math(MathFn::Pow, ty, magnitude, exponent);
        let plain = self.math(MathFn::Pow, ty, x, exponent);
        let odd = self.int(IntOp::And, Ty::I32, n, Operand::Imm(1));
        let odd = self.cmp(CmpOp::Ne, Ty::I32, odd, Operand::Imm(0));
        let signed = self.float(FloatOp::CopySign, ty, root, x);
        self.select(ty, odd, signed, plain)
    }

    /// Predicates on floats, as `I1`.
    pub(in crate::lower) fn float_test(
        &mut self,
        name: &str,
        ty: Ty,
        a: &[Operand],
    ) -> Option<Operand> {
        Some(match (name, a) {
            ("isnan", &[x]) => self.cmp(CmpOp::FUno, ty, x, x),
            ("isinf", &[x]) => {
                let (x, inf) =
                    (self.float_un(FloatUnOp::Abs, ty, x), self.fconst(ty, f64::INFINITY));
                self.cmp(CmpOp::FOEq, ty, x, inf)
            }
            ("isfinite" | "finite" | "isfinited", &[x]) => {
                let (x, inf) =
                    (self.float_un(FloatUnOp::Abs, ty, x), self.fconst(ty, f64::INFINITY));
                self.cmp(CmpOp::FOLt, ty, x, inf)
            }
            ("isnormal", &[x]) => {
                let (x, inf) =
                    (self.float_un(FloatUnOp::Abs, ty, x), self.fconst(ty, f64::INFINITY));
                let least = match ty {
                    Ty::F64 => f64::MIN_POSITIVE,
                    Ty::F16 => (2.0f64).powi(-14),
                    _ => f32::MIN_POSITIVE as f64,
                };
                let least = self.fconst(ty, least);
                let low = self.cmp(CmpOp::FOGe, ty, x, least);
                let high = self.cmp(CmpOp::FOLt, ty, x, inf);
                self.int(IntOp::And, Ty::I1, low, high)
            }
            ("signbit", &[x]) => {
                let int = unsigned(ty);
                let bits = self.bits(ty, int, x);
                self.cmp(CmpOp::SLt, int, bits, Operand::Imm(0))
            }
            ("isequal", &[x, y]) => self.cmp(CmpOp::FOEq, ty, x, y),
            ("isnotequal", &[x, y]) => self.cmp(CmpOp::FUNe, ty, x, y),
            ("isgreater", &[x, y]) => self.cmp(CmpOp::FOGt, ty, x, y),
            ("isgreaterequal", &[x, y]) => self.cmp(CmpOp::FOGe, ty, x, y),
            ("isless", &[x, y]) => self.cmp(CmpOp::FOLt, ty, x, y),
            ("islessequal", &[x, y]) => self.cmp(CmpOp::FOLe, ty, x, y),
            ("islessgreater", &[x, y]) => self.cmp(CmpOp::FONe, ty, x, y),
            ("isordered", &[x, y]) => self.cmp(CmpOp::FOrd, ty, x, y),
            ("isunordered", &[x, y]) => self.cmp(CmpOp::FUno, ty, x, y),
            _ => return None,
        })
    }

    pub(in crate::lower) fn float_rounded(
        &mut self,
        op: FloatOp,
        ty: Ty,
        rounding: Rounding,
        a: Operand,
        b: Operand,
    ) -> Operand {
        self.def(Op::Float { op, ty, rounding, a, b }, ty)
    }

    /// Integer functions, by signedness.
    pub(in crate::lower) fn int_function(
        &mut self,
        name: &str,
        ty: Ty,
        signed: bool,
        a: &[Operand],
    ) -> Option<Operand> {
        use lockstep_kernel::IntUnOp as U;
        let pick = |s: IntOp, u: IntOp| if signed { s } else { u };
        Some(match (name, a) {
            ("min", &[x, y]) => self.int(pick(IntOp::SMin, IntOp::UMin), ty, x, y),
            ("max", &[x, y]) => self.int(pick(IntOp::SMax, IntOp::UMax), ty, x, y),
            ("clamp", &[x, lo, hi]) => {
                let x = self.int(pick(IntOp::SMax, IntOp::UMax), ty, x, lo);
                self.int(pick(IntOp::SMin, IntOp::UMin), ty, x, hi)
            }
            ("abs", &[x]) => {
                if signed {
                    self.int_un(U::Abs, ty, x)
                } else {
                    x
                }
            }
            ("abs_diff", &[x, y]) => {
                let hi = self.int(pick(IntOp::SMax, IntOp::UMax), ty, x, y);
                let lo = self.int(pick(IntOp::SMin, IntOp::UMin), ty, x, y);
                self.int(IntOp::Sub, ty, hi, lo)
            }
            ("add_sat", &[x, y]) => self.int(pick(IntOp::SAddSat, IntOp::UAddSat), ty, x, y),
            ("sub_sat", &[x, y]) => self.int(pick(IntOp::SSubSat, IntOp::USubSat), ty, x, y),
            ("mul_hi", &[x, y]) => self.int(pick(IntOp::SMulHi, IntOp::UMulHi), ty, x, y),
            ("mad_hi", &[x, y, z]) => {
                let h = self.int(pick(IntOp::SMulHi, IntOp::UMulHi), ty, x, y);
                self.int(IntOp::Add, ty, h, z)
            }
            ("mul24" | "mad24", &[x, y, ..]) => {
                let (x, y) = (self.low24(ty, signed, x), self.low24(ty, signed, y));
                let p = self.int(IntOp::Mul, ty, x, y);
                match a.get(2) {
                    Some(&z) => self.int(IntOp::Add, ty, p, z),
                    None => p,
                }
            }
            ("hadd" | "rhadd", &[x, y]) => {
                // (x & y) + ((x ^ y) >> 1), or (x | y) - ((x ^ y) >> 1) when rounding up.
                let differ = self.int(IntOp::Xor, ty, x, y);
                let half = self.int(pick(IntOp::AShr, IntOp::LShr), ty, differ, Operand::Imm(1));
                if name == "hadd" {
                    let both = self.int(IntOp::And, ty, x, y);
                    self.int(IntOp::Add, ty, both, half)
                } else {
                    let any = self.int(IntOp::Or, ty, x, y);
                    self.int(IntOp::Sub, ty, any, half)
                }
            }
            ("popcount", &[x]) => self.int_un(U::PopCount, ty, x),
            ("clz", &[x]) => self.int_un(U::Clz, ty, x),
            ("ctz", &[x]) => self.int_un(U::Ctz, ty, x),
            ("brev", &[x]) => self.int_un(U::BitReverse, ty, x),
            ("ffs", &[x]) => {
                let n = self.int_un(U::Ctz, ty, x);
                let n = self.int(IntOp::Add, ty, n, Operand::Imm(1));
                let zero = self.cmp(CmpOp::Eq, ty, x, Operand::Imm(0));
                self.select(ty, zero, Operand::Imm(0), n)
            }
            ("rotate", &[x, n]) => {
                self.def(Op::Funnel { left: true, ty, hi: x, lo: x, amount: n }, ty)
            }
            ("mad_sat", &[x, y, z]) => return self.mad_sat(ty, signed, x, y, z),
            _ => return None,
        })
    }

    pub(in crate::lower) fn low24(&mut self, ty: Ty, signed: bool, x: Operand) -> Operand {
        if signed {
            let up = self.int(IntOp::Shl, ty, x, Operand::Imm(8));
            self.int(IntOp::AShr, ty, up, Operand::Imm(8))
        } else {
            self.int(IntOp::And, ty, x, Operand::Imm(0xff_ffff))
        }
    }

    /// `x * y + z`, saturated once; for types that have a wider type.
    fn mad_sat(
        &mut self,
        ty: Ty,
        signed: bool,
        x: Operand,
        y: Operand,
        z: Operand,
    ) -> Option<Operand> {
        if ty == Ty::I64 {
            return None;
        }
        let w = Ty::I64;
        let wide = |s: &mut Self, v| {
            if signed { s.sext(ty, w, v) } else { s.zext(ty, w, v) }
        };
        let (x, y, z) = (wide(self, x), wide(self, y), wide(self, z));
        let p = self.int(IntOp::Mul, w, x, y);
        let (max, min) = if signed { (ty.mask() >> 1, !(ty.mask() >> 1)) } else { (ty.mask(), 0) };
        // The unsigned 32-bit product plus the addend still fits 64 bits.
        let sum = self.int(IntOp::Add, w, p, z);
        let low =
            self.int(if signed { IntOp::SMax } else { IntOp::UMax }, w, sum, Operand::Imm(min));
        let high =
            self.int(if signed { IntOp::SMin } else { IntOp::UMin }, w, low, Operand::Imm(max));
        Some(self.zext(w, ty, high))
    }
}
