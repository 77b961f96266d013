//! OpenCL C's arithmetic builtins, lane by lane: maths, common, integer, relational, geometric, conversions,
//! `shuffle`.
//!
//! `native_`, `half_` and `fast_` forms are computed like the accurate functions, and marked ([`FloatUnOp::Native`]); so
//! is `mad`, which may round its product or not. Geometric functions multiply and add starting
//! with the first component, as libclc does.

use std::rc::Rc;

use lockstep_kernel::{CastOp, CmpOp, FloatOp, FloatUnOp, IntOp, MathFn, Operand, Rounding, Ty};

use super::Outcome;
use super::nvvm::rounding;
use crate::llvm::mangle::{Mangled, Param};
use crate::llvm::{self, Val};
use crate::lower::Lower;
use crate::lower::insts::unsigned;

/// The accurate function of a name, and the mark of its results if the device chooses how accurate they are.
fn accuracy(name: &str) -> (&str, Option<FloatUnOp>) {
    const FORMS: [(&str, FloatUnOp); 3] =
        [("native_", FloatUnOp::Native), ("half_", FloatUnOp::Half), ("fast_", FloatUnOp::Native)];
    if name == "mad" {
        return (name, Some(FloatUnOp::Native));
    }
    let found = FORMS.iter().find_map(|&(prefix, f)| Some((name.strip_prefix(prefix)?, Some(f))));
    found.unwrap_or((name, None))
}

impl Lower<'_> {
    pub(in crate::lower) fn opencl_maths(
        &mut self,
        m: &Mangled,
        inst: Val,
        args: &[Val],
    ) -> Option<Outcome> {
        // A builtin without a result is called for its side effects.
        let out = self.leaves(llvm::type_of(inst)).ok().filter(|out| !out.is_empty())?;
        let from = self.ty_of(*args.first()?).ok()?;
        let a: Vec<Rc<[Operand]>> = args.iter().map(|&v| self.value(v)).collect();
        let signed = m.params.first()?.is_signed();
        let full = m.name.as_str();
        if let Some(target) = full.strip_prefix("convert_") {
            return self.convert(target, from, signed, &a[0]).map(Ok);
        }
        let (name, form) = match from.is_float() {
            true => accuracy(full),
            false => (full, None),
        };
        if from.is_float()
            && let Some(r) = self.geometric(name, from, &a)
        {
            return Some(Ok(self.marked(form, from, r)));
        }
        if from.is_float()
            && let Some(r) = self.with_pointer(name, from, args, &a)
        {
            return Some(Ok(r));
        }
        match name {
            "shuffle" | "shuffle2" => return self.shuffle_lanes(args, &a).map(Ok),
            "any" | "all" => {
                let mut r = Operand::Imm(u64::from(name == "all"));
                for &x in a[0].iter() {
                    let set = self.cmp(CmpOp::SLt, from, x, Operand::Imm(0));
                    r = self.int(
                        if name == "all" { IntOp::And } else { IntOp::Or },
                        Ty::I1,
                        r,
                        set,
                    );
                }
                return Some(Ok(vec![self.zext(Ty::I1, out.first()?.ty, r)]));
            }
            "upsample" => {
                let to = out.first()?.ty;
                let low = args.get(1).and_then(|&v| self.ty_of(v).ok())?;
                let lanes = a[0].iter().zip(a[1].iter());
                let r = lanes.map(|(&hi, &lo)| {
                    let (hi, lo) = (self.zext(from, to, hi), self.zext(low, to, lo));
                    let hi = self.int(IntOp::Shl, to, hi, Operand::Imm(low.bits() as u64));
                    self.int(IntOp::Or, to, hi, lo)
                });
                return Some(Ok(r.collect()));
            }
            _ => {}
        }
        let lanes = out.len();
        let types: Vec<Ty> = args.iter().map(|&v| self.ty_of(v).ok()).collect::<Option<_>>()?;
        let mut results = Vec::new();
        for i in 0..lanes {
            let x: Vec<Operand> =
                a.iter()
                    .map(|l| {
                        if l.len() == 1 {
                            l[0]
                        } else {
                            l.get(i).copied().unwrap_or(Operand::Undef)
                        }
                    })
                    .collect();
            results.push(self.lane(name, m, &types, out[i].ty, lanes, &x)?);
        }
        Some(Ok(self.marked(form, from, results)))
    }

    fn marked(&mut self, form: Option<FloatUnOp>, ty: Ty, lanes: Vec<Operand>) -> Vec<Operand> {
        match form {
            Some(form) => lanes.into_iter().map(|x| self.float_un(form, ty, x)).collect(),
            None => lanes,
        }
    }

    /// One lane of an elementwise builtin.
    fn lane(
        &mut self,
        name: &str,
        m: &Mangled,
        types: &[Ty],
        to: Ty,
        lanes: usize,
        x: &[Operand],
    ) -> Option<Operand> {
        let ty = types[0];
        let signed = m.params.first()?.is_signed();
        match (name, x) {
            // Scalars select by being non-zero, vectors by the top bit.
            ("select", &[no, yes, c]) => {
                let vector = matches!(m.params.first()?, Param::Scalar { lanes, .. } if *lanes > 1);
                let op = if vector { CmpOp::SLt } else { CmpOp::Ne };
                let c = self.cmp(op, types[2], c, Operand::Imm(0));
                return Some(self.select(ty, c, yes, no));
            }
            ("bitselect", &[p, q, c]) => {
                let int = unsigned(ty);
                let (p, q, c) =
                    (self.bits(ty, int, p), self.bits(ty, int, q), self.bits(types[2], int, c));
                let not = self.not(int, c);
                let (p, q) = (self.int(IntOp::And, int, p, not), self.int(IntOp::And, int, q, c));
                let r = self.int(IntOp::Or, int, p, q);
                return Some(self.bits(int, ty, r));
            }
            ("nan", _) => return Some(self.fconst(to, f64::NAN)),
            ("ilogb", &[v]) => return Some(self.math(MathFn::ILogB, ty, v, Operand::Undef)),
            _ => {}
        }
        if !ty.is_float() {
            return self.int_function(name, ty, signed, x);
        }
        if name.starts_with("is") || name == "signbit" {
            let r = self.float_test(name, ty, x)?;
            return Some(if lanes > 1 {
                self.sext(Ty::I1, to, r)
            } else {
                self.zext(Ty::I1, to, r)
            });
        }
        self.float_function(name, ty, x)
    }

    fn convert(
        &mut self,
        target: &str,
        from: Ty,
        signed: bool,
        a: &[Operand],
    ) -> Option<Vec<Operand>> {
        let mut parts = target.split('_');
        let kind = parts.next()?.trim_end_matches(|c: char| c.is_ascii_digit());
        let (to, to_signed) = crate::lower::inputs::objects::named_type(kind)?;
        let (mut saturate, mut mode) = (false, None);
        for part in parts {
            match part {
                "sat" => saturate = true,
                other => mode = Some(rounding(other)?),
            }
        }
        let mut out = Vec::new();
        for &x in a {
            out.push(match (from.is_float(), to.is_float()) {
                (true, true) => {
                    self.cast(CastOp::FToF(mode.unwrap_or(Rounding::NearestEven)), from, to, x)
                }
                (false, true) if signed => {
                    self.cast(CastOp::SToF(mode.unwrap_or(Rounding::NearestEven)), from, to, x)
                }
                (false, true) => {
                    self.cast(CastOp::UToF(mode.unwrap_or(Rounding::NearestEven)), from, to, x)
                }
                (true, false) => {
                    let mode = mode.unwrap_or(Rounding::TowardZero);
                    self.cast(
                        if to_signed { CastOp::FToS(mode) } else { CastOp::FToU(mode) },
                        from,
                        to,
                        x,
                    )
                }
                (false, false) => {
                    let x =
                        if saturate { self.clamp_to(from, signed, to, to_signed, x) } else { x };
                    if signed { self.sext(from, to, x) } else { self.zext(from, to, x) }
                }
            });
        }
        Some(out)
    }

    /// Clamps an integer of type `from` to the range of `to`, still as a `from`.
    fn clamp_to(&mut self, from: Ty, signed: bool, to: Ty, to_signed: bool, x: Operand) -> Operand {
        let max = if to_signed { to.mask() >> 1 } else { to.mask() };
        let from_max = if signed { from.mask() >> 1 } else { from.mask() };
        let mut x = x;
        if signed {
            let min = if to_signed { !(to.mask() >> 1) & from.mask() } else { 0 };
            if !to_signed || to.bits() < from.bits() {
                x = self.int(IntOp::SMax, from, x, Operand::Imm(min));
            }
        }
        if max < from_max {
            x = self.int(
                if signed { IntOp::SMin } else { IntOp::UMin },
                from,
                x,
                Operand::Imm(max),
            );
        }
        x
    }

    fn geometric(&mut self, name: &str, ty: Ty, a: &[Rc<[Operand]>]) -> Option<Vec<Operand>> {
        Some(match (name, a) {
            ("dot", [p, q]) => vec![self.dot(ty, p, q)],
            ("length", [p]) => vec![self.length(ty, p)],
            ("distance", [p, q]) => {
                let d: Vec<Operand> = p
                    .iter()
                    .zip(q.iter())
                    .map(|(&x, &y)| self.float(FloatOp::Sub, ty, x, y))
                    .collect();
                vec![self.length(ty, &d)]
            }
            ("normalize", [p]) => {
                let n = self.length(ty, p);
                let zero = self.fconst(ty, 0.0);
                let none = self.cmp(CmpOp::FOEq, ty, n, zero);
                p.iter()
                    .map(|&x| {
                        let r = self.float(FloatOp::Div, ty, x, n);
                        self.select(ty, none, x, r)
                    })
                    .collect()
            }
            ("cross", [p, q]) if p.len() >= 3 && q.len() >= 3 => {
                let mut out = Vec::new();
                for (i, j) in [(1, 2), (2, 0), (0, 1)] {
                    let x = self.float(FloatOp::Mul, ty, p[i], q[j]);
                    let y = self.float(FloatOp::Mul, ty, p[j], q[i]);
                    out.push(self.float(FloatOp::Sub, ty, x, y));
                }
                if p.len() == 4 {
                    out.push(self.fconst(ty, 0.0));
                }
                out
            }
            _ => return None,
        })
    }

    fn dot(&mut self, ty: Ty, p: &[Operand], q: &[Operand]) -> Operand {
        let mut sum = None;
        for (&x, &y) in p.iter().zip(q) {
            let product = self.float(FloatOp::Mul, ty, x, y);
            sum = Some(match sum {
                Some(s) => self.float(FloatOp::Add, ty, s, product),
                None => product,
            });
        }
        sum.unwrap_or(Operand::Undef)
    }

    fn length(&mut self, ty: Ty, p: &[Operand]) -> Operand {
        if let &[x] = p {
            return self.float_un(FloatUnOp::Abs, ty, x);
        }
        let square = self.dot(ty, p, p);
        self.float_un(FloatUnOp::Sqrt, ty, square)
    }

    /// Builtins with a second result through a pointer, also for vectors.
    fn with_pointer(
        &mut self,
        name: &str,
        ty: Ty,
        args: &[Val],
        a: &[Rc<[Operand]>],
    ) -> Option<Vec<Operand>> {
        let last = *args.last()?;
        if args.len() < 2 || !self.is_pointer(last) {
            return None;
        }
        let (mut results, mut stored) = (Vec::new(), Vec::new());
        let mut stored_ty = ty;
        for (i, &x) in a[0].iter().enumerate() {
            match name {
                "sincos" => {
                    results.push(self.math(MathFn::Sin, ty, x, Operand::Undef));
                    stored.push(self.math(MathFn::Cos, ty, x, Operand::Undef));
                }
                "fract" => {
                    let floor = self.float_un(FloatUnOp::Floor, ty, x);
                    let d = self.float(FloatOp::Sub, ty, x, floor);
                    let below_one = match ty {
                        Ty::F64 => 1.0 - f64::EPSILON / 2.0,
                        Ty::F16 => 1.0 - (2.0f64).powi(-11),
                        _ => 1.0 - f32::EPSILON as f64 / 2.0,
                    };
                    let below_one = self.fconst(ty, below_one);
                    let low = self.float(FloatOp::Min, ty, d, below_one);
                    // The fraction of a NaN is a NaN, that of an infinity is zero.
                    let nan = self.float_test("isnan", ty, &[x])?;
                    let inf = self.float_test("isinf", ty, &[x])?;
                    let zero = self.fconst(ty, 0.0);
                    let r = self.select(ty, inf, zero, low);
                    results.push(self.select(ty, nan, x, r));
                    stored.push(floor);
                }
                "modf" => {
                    let whole = self.float_un(FloatUnOp::Trunc, ty, x);
                    results.push(self.fraction(ty, x, whole));
                    stored.push(whole);
                }
                "frexp" => {
                    stored_ty = Ty::I32;
                    results.push(self.math(MathFn::FrexpFrac, ty, x, Operand::Undef));
                    stored.push(self.math(MathFn::FrexpExp, ty, x, Operand::Undef));
                }
                "remquo" => {
                    stored_ty = Ty::I32;
                    let (r, q) = self.remquo(ty, x, *a.get(1)?.get(i)?);
                    results.push(r);
                    stored.push(q);
                }
                _ => return None,
            }
        }
        let leaves = self.packed(stored_ty, stored.len());
        let addr = *a.last()?.first()?;
        let space = self.pointer_space(last);
        let align = stored_ty.bytes() * stored.len().next_power_of_two() as u32;
        self.store_leaves(&leaves, &stored, addr, align, space, false);
        Some(results)
    }

    /// `shuffle(x, mask)`, `shuffle2(x, y, mask)`.
    fn shuffle_lanes(&mut self, args: &[Val], a: &[Rc<[Operand]>]) -> Option<Vec<Operand>> {
        let (mask, sources) = a.split_last()?;
        let mask_ty = self.ty_of(*args.last()?).ok()?;
        let ty = self.ty_of(args[0]).ok()?;
        let source: Vec<Operand> = sources.iter().flat_map(|s| s.iter().copied()).collect();
        let n = source.len().next_power_of_two() as u64;
        let mut out = Vec::new();
        for &m in mask.iter() {
            let i = self.int(IntOp::And, mask_ty, m, Operand::Imm(n - 1));
            let mut r = *source.first()?;
            for (k, &x) in source.iter().enumerate().skip(1) {
                let is = self.cmp(CmpOp::Eq, mask_ty, i, Operand::Imm(k as u64));
                r = self.select(ty, is, x, r);
            }
            out.push(r);
        }
        Some(out)
    }
}
