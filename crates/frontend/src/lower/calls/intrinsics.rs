//! LLVM's own intrinsics: memory, maths, integers, and those without an effect at run time.

use lockstep_kernel::{CastOp, CmpOp, FloatOp, IntOp, Op, Operand, Rounding, Ty};

use super::Outcome;
use crate::llvm::{self, Val};
use crate::lower::Lower;
use crate::lower::insts::unsigned;

impl Lower<'_> {
    /// `name` is without `llvm.`.
    pub(in crate::lower) fn intrinsic(&mut self, name: &str, inst: Val, args: &[Val]) -> Outcome {
        let mut parts = name.split('.');
        let head = parts.next().unwrap_or("");
        match head {
            "dbg" | "lifetime" | "donothing" | "assume" | "invariant" | "annotation" | "var"
            | "experimental" | "prefetch" | "stackrestore" | "sideeffect" => return Ok(Vec::new()),
            "memcpy" | "memmove" => return self.mem_copy(args),
            "memset" => return self.mem_set(args),
            "trap" | "debugtrap" | "ubsantrap" => {
                if head == "trap" {
                    self.push(Op::Assert { cond: Operand::Imm(0), message: "trap".into() }, None);
                }
                return Ok(Vec::new());
            }
            "expect" | "ptr" | "launder" | "strip" | "ssa" | "threadlocal" => {
                return Ok(self.value(args[0]).to_vec());
            }
            "stacksave" => return Ok(vec![Operand::Imm(0)]),
            "objectsize" | "is" if head == "objectsize" || name.starts_with("is.constant") => {
                return Ok(vec![Operand::Imm(if head == "is" { 0 } else { u64::MAX })]);
            }
            "readcyclecounter" => {
                return Ok(vec![self.def(Op::Special(lockstep_kernel::Special::Clock), Ty::I64)]);
            }
            "vector" if name.starts_with("vector.reduce.") => return self.reduce(name, args),
            _ => {}
        }
        if name.contains(".with.overflow.") {
            return self.with_overflow(name, args);
        }
        let ty = llvm::type_of(inst);
        let leaves = self.leaves(ty)?;
        let operands: Vec<_> = args.iter().map(|&a| self.value(a)).collect();
        let arg_ty = self.ty_of(*args.first().ok_or_else(|| format!("call of llvm.{name}"))?)?;
        let mut out = Vec::new();
        for (i, leaf) in leaves.iter().enumerate() {
            let one: Vec<Operand> = operands
                .iter()
                .map(|o| o.get(i).or(o.first()).copied().unwrap_or(Operand::Undef))
                .collect();
            let r = self.intrinsic_leaf(name, head, leaf.ty, arg_ty, &one);
            out.push(r.ok_or_else(|| format!("call of llvm.{name}"))?);
        }
        Ok(out)
    }

    fn intrinsic_leaf(
        &mut self,
        name: &str,
        head: &str,
        ty: Ty,
        arg_ty: Ty,
        a: &[Operand],
    ) -> Option<Operand> {
        let int = |s: &mut Self, op| Some(s.int(op, ty, *a.first()?, *a.get(1)?));
        match head {
            "umin" => int(self, IntOp::UMin),
            "umax" => int(self, IntOp::UMax),
            "smin" => int(self, IntOp::SMin),
            "smax" => int(self, IntOp::SMax),
            "uadd" => int(self, IntOp::UAddSat),
            "sadd" => int(self, IntOp::SAddSat),
            "usub" => int(self, IntOp::USubSat),
            "ssub" => int(self, IntOp::SSubSat),
            "abs" => self.int_function("abs", ty, true, &a[..1]),
            "ctpop" => self.int_function("popcount", ty, false, &a[..1]),
            "ctlz" => self.int_function("clz", ty, false, &a[..1]),
            "cttz" => self.int_function("ctz", ty, false, &a[..1]),
            "bitreverse" => self.int_function("brev", ty, false, &a[..1]),
            "bswap" => Some(self.int_un(lockstep_kernel::IntUnOp::ByteSwap, ty, a[0])),
            "fshl" | "fshr" => {
                let (hi, lo, amount) = (*a.first()?, *a.get(1)?, *a.get(2)?);
                Some(self.def(Op::Funnel { left: head == "fshl", ty, hi, lo, amount }, ty))
            }
            "fptoui" => Some(self.cast(CastOp::FToU(Rounding::TowardZero), arg_ty, ty, a[0])),
            "fptosi" => Some(self.cast(CastOp::FToS(Rounding::TowardZero), arg_ty, ty, a[0])),
            "lrint" | "llrint" => {
                Some(self.cast(CastOp::FToS(Rounding::NearestEven), arg_ty, ty, a[0]))
            }
            "lround" | "llround" => {
                let r = self.float_function("round", arg_ty, &a[..1])?;
                Some(self.cast(CastOp::FToS(Rounding::TowardZero), arg_ty, ty, r))
            }
            "is" if name.starts_with("is.fpclass") => self.fp_class(arg_ty, a),
            "canonicalize" | "arithmetic" => Some(a[0]),
            "minimum" | "maximum" => {
                let op = if head == "minimum" { FloatOp::Min } else { FloatOp::Max };
                let r = self.float(op, ty, *a.first()?, *a.get(1)?);
                let nan = self.cmp(CmpOp::FUno, ty, a[0], a[1]);
                let sum = self.float(FloatOp::Add, ty, a[0], a[1]);
                Some(self.select(ty, nan, sum, r))
            }
            "fmuladd" => self.fmuladd(ty, a),
            "ldexp" => Some(self.math(lockstep_kernel::MathFn::LdExp, ty, *a.first()?, *a.get(1)?)),
            _ if ty.is_float() => self.float_function(head, ty, a),
            _ => None,
        }
    }

    fn fmuladd(&mut self, ty: Ty, a: &[Operand]) -> Option<Operand> {
        let &[x, y, z] = a else { return None };
        Some(self.fma(ty, x, y, z))
    }

    /// `llvm.is.fpclass`, with LLVM's class bits.
    fn fp_class(&mut self, ty: Ty, a: &[Operand]) -> Option<Operand> {
        let (&x, Operand::Imm(mask)) = (a.first()?, *a.get(1)?) else {
            return None;
        };
        let int = unsigned(ty);
        let bits = self.bits(ty, int, x);
        let sign = self.cmp(CmpOp::SLt, int, bits, Operand::Imm(0));
        let plus = self.not(Ty::I1, sign);
        let nan = self.float_test("isnan", ty, &[x])?;
        let inf = self.float_test("isinf", ty, &[x])?;
        let normal = self.float_test("isnormal", ty, &[x])?;
        let zero_value = self.fconst(ty, 0.0);
        let zero = self.cmp(CmpOp::FOEq, ty, x, zero_value);
        let finite = self.float_test("isfinite", ty, &[x])?;
        let not_zero = self.not(Ty::I1, zero);
        let not_normal = self.not(Ty::I1, normal);
        let sub = self.int(IntOp::And, Ty::I1, not_zero, not_normal);
        let sub = self.int(IntOp::And, Ty::I1, sub, finite);
        let classes = [
            (0x3, None, nan),
            (0x4, Some(sign), inf),
            (0x8, Some(sign), normal),
            (0x10, Some(sign), sub),
            (0x20, Some(sign), zero),
            (0x40, Some(plus), zero),
            (0x80, Some(plus), sub),
            (0x100, Some(plus), normal),
            (0x200, Some(plus), inf),
        ];
        let mut any = Operand::Imm(0);
        for (bit, with, class) in classes {
            if mask & bit != 0 {
                let this = match with {
                    Some(w) => self.int(IntOp::And, Ty::I1, w, class),
                    None => class,
                };
                any = self.int(IntOp::Or, Ty::I1, any, this);
            }
        }
        Some(any)
    }

    fn with_overflow(&mut self, name: &str, args: &[Val]) -> Outcome {
        let ty = self.ty_of(args[0])?;
        let (a, b) = (self.scalar(args[0]), self.scalar(args[1]));
        let t1 = Ty::I1;
        let (value, overflow) = match &name[..4] {
            "uadd" => {
                let r = self.int(IntOp::Add, ty, a, b);
                (r, self.cmp(CmpOp::ULt, ty, r, a))
            }
            "usub" => (self.int(IntOp::Sub, ty, a, b), self.cmp(CmpOp::ULt, ty, a, b)),
            "umul" => {
                let high = self.int(IntOp::UMulHi, ty, a, b);
                (self.int(IntOp::Mul, ty, a, b), self.cmp(CmpOp::Ne, ty, high, Operand::Imm(0)))
            }
            "smul" => {
                let r = self.int(IntOp::Mul, ty, a, b);
                let high = self.int(IntOp::SMulHi, ty, a, b);
                let sign = self.int(IntOp::AShr, ty, r, Operand::Imm(ty.bits() as u64 - 1));
                (r, self.cmp(CmpOp::Ne, ty, high, sign))
            }
            // The saturated result differs from the wrapped one exactly on overflow.
            "sadd" | "ssub" => {
                let add = name.starts_with("sadd");
                let r = self.int(if add { IntOp::Add } else { IntOp::Sub }, ty, a, b);
                let s = self.int(if add { IntOp::SAddSat } else { IntOp::SSubSat }, ty, a, b);
                (r, self.cmp(CmpOp::Ne, ty, r, s))
            }
            _ => return Err(format!("call of llvm.{name}")),
        };
        let _ = t1;
        Ok(vec![value, overflow])
    }

    fn reduce(&mut self, name: &str, args: &[Val]) -> Outcome {
        let kind = name["vector.reduce.".len()..].split('.').next().unwrap_or("");
        let vector = *args.last().ok_or("a reduction")?;
        let ty = self.ty_of(vector)?;
        let lanes = self.value(vector);
        let mut lanes = lanes.iter().copied();
        let mut acc = if args.len() == 2 {
            self.scalar(args[0])
        } else {
            lanes.next().ok_or("a reduction")?
        };
        for x in lanes {
            acc = match kind {
                "add" => self.int(IntOp::Add, ty, acc, x),
                "mul" => self.int(IntOp::Mul, ty, acc, x),
                "and" => self.int(IntOp::And, ty, acc, x),
                "or" => self.int(IntOp::Or, ty, acc, x),
                "xor" => self.int(IntOp::Xor, ty, acc, x),
                "umin" => self.int(IntOp::UMin, ty, acc, x),
                "umax" => self.int(IntOp::UMax, ty, acc, x),
                "smin" => self.int(IntOp::SMin, ty, acc, x),
                "smax" => self.int(IntOp::SMax, ty, acc, x),
                "fadd" => self.float(FloatOp::Add, ty, acc, x),
                "fmul" => self.float(FloatOp::Mul, ty, acc, x),
                "fmin" => self.float(FloatOp::Min, ty, acc, x),
                "fmax" => self.float(FloatOp::Max, ty, acc, x),
                _ => return Err(format!("call of llvm.{name}")),
            };
        }
        Ok(vec![acc])
    }
}
