//! NVIDIA's `__nv_…` functions, and C's maths functions under their own names if they have no body.
//!
//! The `fast_` forms are computed like the accurate functions, and marked ([`FloatUnOp::Fast`]). Results through pointers (`sincos`, `modf`, `frexp`,
//! `remquo`) are stores like any other.

use lockstep_kernel::{
    CastOp, CmpOp, FloatOp, FloatUnOp, IntOp, MathFn, Op, Operand, Rounding, Ty,
};

use super::Outcome;
use super::nvvm::rounding;
use crate::llvm::{self, Val};
use crate::lower::Lower;
use crate::lower::types::Leaf;

impl Lower<'_> {
    /// `name` is without `__nv_`; `None` if the name is unknown.
    pub(in crate::lower) fn libdevice(
        &mut self,
        name: &str,
        inst: Val,
        args: &[Val],
    ) -> Option<Outcome> {
        let a: Vec<Operand> = args.iter().map(|&v| self.scalar(v)).collect();
        let from = args.first().and_then(|&v| self.ty_of(v).ok())?;
        let to = self.ty_of(inst).ok();
        if let Some(accurate) = name.strip_prefix("fast_") {
            if let Some(r) = self.through_pointers(accurate, from, args, &a, true) {
                return Some(r);
            }
            let ty = to?;
            let outcome = self.libdevice(accurate, inst, args)?;
            let marked = |s: &mut Self, x: Operand| s.float_un(FloatUnOp::Fast, ty, x);
            return Some(outcome.map(|r| r.into_iter().map(|x| marked(self, x)).collect()));
        }
        if let Some(r) = self.through_pointers(name, from, args, &a, false) {
            return Some(r);
        }
        let to = to?;
        if let Some(r) = self.bits_function(name, from, to, &a) {
            return Some(Ok(vec![r]));
        }
        let bare = if from == Ty::F32 { name.strip_suffix('f').unwrap_or(name) } else { name };
        if from.is_float() {
            if let Some(r) = self
                .float_test(bare.trim_start_matches("__").trim_end_matches("d"), from, &a)
                .or_else(|| self.float_test(bare, from, &a))
            {
                return Some(Ok(vec![self.zext(Ty::I1, to, r)]));
            }
            if let Some(r) = self.rounded(name, from, to, &a) {
                return Some(Ok(vec![r]));
            }
            match (bare, &a[..]) {
                ("ilogb", &[x]) => {
                    return Some(Ok(vec![self.math(MathFn::ILogB, from, x, Operand::Undef)]));
                }
                ("lrint" | "llrint" | "rint" | "lround" | "llround", &[x]) if !to.is_float() => {
                    let f = if bare.ends_with("rint") { "rint" } else { "round" };
                    let r = self.float_function(f, from, &[x])?;
                    return Some(Ok(vec![self.cast(
                        CastOp::FToS(Rounding::TowardZero),
                        from,
                        to,
                        r,
                    )]));
                }
                ("scalbln" | "scalbn" | "ldexp", &[x, n]) => {
                    let n = match self.ty_of(args[1]).ok()? {
                        Ty::I64 => self.zext(Ty::I64, Ty::I32, n),
                        _ => n,
                    };
                    return Some(Ok(vec![self.math(MathFn::LdExp, from, x, n)]));
                }
                ("nan", _) => return Some(Ok(vec![self.fconst(to, f64::NAN)])),
                _ => {}
            }
            if to == from
                && let Some(r) = self.float_function(bare, from, &a)
            {
                return Some(Ok(vec![r]));
            }
            // `fminf` loses its suffix, but `fmin` in double must not; and `erff` is `erf`.
            if to == from
                && let Some(r) = self.float_function(name, from, &a)
            {
                return Some(Ok(vec![r]));
            }
        }
        if let Some(r) = self.rounded(name, from, to, &a) {
            return Some(Ok(vec![r]));
        }
        self.integers(name, from, to, &a).map(|r| Ok(vec![r]))
    }

    fn through_pointers(
        &mut self,
        name: &str,
        ty: Ty,
        args: &[Val],
        a: &[Operand],
        is_fast: bool,
    ) -> Option<Outcome> {
        let bare = if ty == Ty::F32 { name.strip_suffix('f').unwrap_or(name) } else { name };
        let store = |s: &mut Self, arg: usize, ty: Ty, value: Operand| {
            let space = s.pointer_space(args[arg]);
            s.store_leaves(&[Leaf::of(ty)], &[value], a[arg], ty.bytes(), space, false);
        };
        let is_pointer = |i: usize| {
            args.get(i).is_some_and(|&v| {
                llvm::type_kind(llvm::type_of(v)) == llvm::TypeKind::LLVMPointerTypeKind
            })
        };
        match (bare, a) {
            ("sincos" | "sincospi", &[x, _, _]) if is_pointer(1) => {
                let pi = bare == "sincospi";
                let s =
                    self.math(if pi { MathFn::SinPi } else { MathFn::Sin }, ty, x, Operand::Undef);
                let c =
                    self.math(if pi { MathFn::CosPi } else { MathFn::Cos }, ty, x, Operand::Undef);
                let [s, c] = [s, c].map(|x| match is_fast {
                    true => self.float_un(FloatUnOp::Fast, ty, x),
                    false => x,
                });
                store(self, 1, ty, s);
                store(self, 2, ty, c);
                Some(Ok(Vec::new()))
            }
            ("modf", &[x, _]) if is_pointer(1) => {
                let whole = self.float_un(FloatUnOp::Trunc, ty, x);
                store(self, 1, ty, whole);
                Some(Ok(vec![self.fraction(ty, x, whole)]))
            }
            ("frexp", &[x, _]) if is_pointer(1) => {
                let fraction = self.math(MathFn::FrexpFrac, ty, x, Operand::Undef);
                let exponent = self.math(MathFn::FrexpExp, ty, x, Operand::Undef);
                store(self, 1, Ty::I32, exponent);
                Some(Ok(vec![fraction]))
            }
            ("remquo", &[x, y, _]) if is_pointer(2) => {
                let (r, q) = self.remquo(ty, x, y);
                store(self, 2, Ty::I32, q);
                Some(Ok(vec![r]))
            }
            _ => None,
        }
    }

    /// The fractional part with the sign of `x`; zero for infinities.
    pub(in crate::lower) fn fraction(&mut self, ty: Ty, x: Operand, whole: Operand) -> Operand {
        let d = self.float(FloatOp::Sub, ty, x, whole);
        let infinite = self.cmp(CmpOp::FOEq, ty, x, whole);
        let zero = self.fconst(ty, 0.0);
        let d = self.select(ty, infinite, zero, d);
        self.float(FloatOp::CopySign, ty, d, x)
    }

    /// Remainder, and the low bits of the quotient with its sign.
    pub(in crate::lower) fn remquo(
        &mut self,
        ty: Ty,
        x: Operand,
        y: Operand,
    ) -> (Operand, Operand) {
        let r = self.math(MathFn::Remainder, ty, x, y);
        let d = self.float(FloatOp::Sub, ty, x, r);
        let q = self.float(FloatOp::Div, ty, d, y);
        let q = self.cast(CastOp::FToS(Rounding::NearestEven), ty, Ty::I64, q);
        let size = self.int_un(lockstep_kernel::IntUnOp::Abs, Ty::I64, q);
        let low = self.int(IntOp::And, Ty::I64, size, Operand::Imm(0x7f));
        let negative = self.cmp(CmpOp::SLt, Ty::I64, q, Operand::Imm(0));
        let minus = self.int(IntOp::Sub, Ty::I64, Operand::Imm(0), low);
        let q = self.select(Ty::I64, negative, minus, low);
        (r, self.zext(Ty::I64, Ty::I32, q))
    }

    /// The same bits with another type.
    fn bits_function(&mut self, name: &str, from: Ty, to: Ty, a: &[Operand]) -> Option<Operand> {
        Some(match (name, a) {
            (
                "float_as_int" | "float_as_uint" | "int_as_float" | "uint_as_float"
                | "double_as_longlong" | "longlong_as_double",
                &[x],
            ) => self.bits(from, to, x),
            ("double2hiint" | "double2loint", &[x]) => {
                let bits = self.bits(Ty::F64, Ty::I64, x);
                let by = if name == "double2hiint" { 32 } else { 0 };
                let part = self.int(IntOp::LShr, Ty::I64, bits, Operand::Imm(by));
                self.zext(Ty::I64, Ty::I32, part)
            }
            ("hiloint2double", &[hi, lo]) => {
                let (hi, lo) = (self.zext(Ty::I32, Ty::I64, hi), self.zext(Ty::I32, Ty::I64, lo));
                let hi = self.int(IntOp::Shl, Ty::I64, hi, Operand::Imm(32));
                let both = self.int(IntOp::Or, Ty::I64, hi, lo);
                self.bits(Ty::I64, Ty::F64, both)
            }
            ("half2float", &[x]) => {
                let h = if from == Ty::I16 { self.bits(Ty::I16, Ty::F16, x) } else { x };
                self.cast(CastOp::FToF(Rounding::NearestEven), Ty::F16, Ty::F32, h)
            }
            ("float2half_rn", &[x]) => {
                let h = self.cast(CastOp::FToF(Rounding::NearestEven), Ty::F32, Ty::F16, x);
                if to == Ty::I16 { self.bits(Ty::F16, Ty::I16, h) } else { h }
            }
            _ => return None,
        })
    }

    /// Names that end in a rounding mode: `fadd_rz`, `dmul_ru`, `float2int_rn`, `fsqrt_rd`, `frcp_rn`.
    fn rounded(&mut self, name: &str, from: Ty, to: Ty, a: &[Operand]) -> Option<Operand> {
        let (base, mode) = name.rsplit_once('_')?;
        let mode = rounding(mode)?;
        // Denormal numbers are kept in any case.
        let base = base.strip_suffix("_ieee").unwrap_or(base);
        if let Some((source, target)) = base.split_once('2')
            && let &[x] = a
        {
            let op = match (from.is_float(), to.is_float()) {
                (true, true) => CastOp::FToF(mode),
                (true, false) if target.starts_with('u') => CastOp::FToU(mode),
                (true, false) => CastOp::FToS(mode),
                (false, true) if source.starts_with('u') => CastOp::UToF(mode),
                (false, true) => CastOp::SToF(mode),
                _ => return None,
            };
            return Some(self.cast(op, from, to, x));
        }
        let ty = to;
        Some(match (base.trim_start_matches(['f', 'd']), a) {
            ("add", &[x, y]) => self.float_rounded(FloatOp::Add, ty, mode, x, y),
            ("sub", &[x, y]) => self.float_rounded(FloatOp::Sub, ty, mode, x, y),
            ("mul", &[x, y]) => self.float_rounded(FloatOp::Mul, ty, mode, x, y),
            ("div" | "iv", &[x, y]) => self.float_rounded(FloatOp::Div, ty, mode, x, y),
            ("ma" | "maf", &[x, y, z]) => {
                self.def(Op::Fma { ty, rounding: mode, a: x, b: y, c: z }, ty)
            }
            ("rcp", &[x]) => {
                let one = self.fconst(ty, 1.0);
                self.float_rounded(FloatOp::Div, ty, mode, one, x)
            }
            ("sqrt", &[x]) => {
                self.def(Op::FloatUn { op: FloatUnOp::Sqrt, ty, rounding: mode, a: x }, ty)
            }
            ("rsqrt", &[x]) => self.math(MathFn::RSqrt, ty, x, Operand::Undef),
            _ => return None,
        })
    }

    fn integers(&mut self, name: &str, from: Ty, to: Ty, a: &[Operand]) -> Option<Operand> {
        let r = match (name, a) {
            ("clz" | "clzll", _) => self.int_function("clz", from, false, a),
            ("popc" | "popcll", _) => self.int_function("popcount", from, false, a),
            ("brev" | "brevll", _) => self.int_function("brev", from, false, a),
            ("ffs" | "ffsll" | "ffsl", _) => self.int_function("ffs", from, false, a),
            ("abs" | "llabs" | "labs", _) => self.int_function("abs", from, true, a),
            ("min" | "llmin", _) => self.int_function("min", from, true, a),
            ("max" | "llmax", _) => self.int_function("max", from, true, a),
            ("umin" | "ullmin", _) => self.int_function("min", from, false, a),
            ("umax" | "ullmax", _) => self.int_function("max", from, false, a),
            ("mulhi" | "mul64hi", _) => self.int_function("mul_hi", from, true, a),
            ("umulhi" | "umul64hi", _) => self.int_function("mul_hi", from, false, a),
            ("mul24", _) => self.int_function("mul24", from, true, a),
            ("umul24", _) => self.int_function("mul24", from, false, a),
            ("hadd", _) => self.int_function("hadd", from, true, a),
            ("uhadd", _) => self.int_function("hadd", from, false, a),
            ("rhadd", _) => self.int_function("rhadd", from, true, a),
            ("urhadd", _) => self.int_function("rhadd", from, false, a),
            ("sad" | "usad", &[x, y, z]) => {
                let d = self.int_function("abs_diff", from, name == "sad", &[x, y])?;
                Some(self.int(IntOp::Add, from, d, z))
            }
            ("byte_perm", &[x, y, s]) => Some(self.byte_perm(x, y, s)),
            // Functions of an integer and a float whose integer comes first.
            ("jn" | "yn" | "jnf" | "ynf", _) => None,
            _ => None,
        }?;
        Some(if from == to || from.is_float() { r } else { self.zext(from, to, r) })
    }
}
