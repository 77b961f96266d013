//! Scalar arithmetic: integers, floats, halves and their pairs, predicates, conversions.
//!
//! `bf16` is computed in `f32` and rounded once. Approximate and flush-to-zero forms are computed accurately and marked,
//! as everywhere in this front end.

use lockstep_kernel::{
    CastOp, CmpOp, FloatOp, FloatUnOp, IntOp, IntUnOp, Op, Operand, Rounding, Ty,
};

use super::text::{Names, Statement, vector};
use super::types::{self, Kind};
use crate::lower::Lower;
use crate::lower::calls::nvvm::{is_approximate, rounding};

/// The register for the carry of `add.cc`.
const CARRY: &str = "%cc";

impl Lower<'_> {
    pub(super) fn ptx_arithmetic(&mut self, s: &Statement<'_>, names: &mut Names) -> Option<()> {
        let (parts, operands) = (&s.parts[..], &s.operands[..]);
        let kind = Kind::of(parts.last()?)?;
        let (&dst, rest) = operands.split_first()?;
        let result = match kind {
            Kind::Int { ty, signed } => self.integer_op(parts, ty, signed, rest, names)?,
            Kind::Predicate => {
                let (a, b) = (self.predicate(rest.first()?, names)?, rest.get(1));
                let r = match (parts[0], b) {
                    ("not", None) => self.not(Ty::I1, a),
                    (op @ ("and" | "or" | "xor"), Some(b)) => {
                        let b = self.predicate(b, names)?;
                        self.int(logic(op)?, Ty::I1, a, b)
                    }
                    _ => return None,
                };
                (r, Ty::I1)
            }
            _ => (self.float_op(parts, kind, rest, names)?, kind.storage()),
        };
        names.insert(dst.to_string(), result);
        Some(())
    }

    /// An operand of a type: a register, a literal.
    pub(super) fn operand(&mut self, text: &str, kind: Kind, names: &Names) -> Option<Operand> {
        let ty = kind.storage();
        if let Some(&(value, from)) = names.get(text) {
            return Some(self.convert_bits(from, ty, value));
        }
        if let Some(value) = self.ptx_register(text, ty) {
            return Some(value);
        }
        match kind {
            Kind::Float(ty) => types::float(text, ty).map(Operand::Imm),
            _ => types::integer(text).map(|v| Operand::Imm(v & ty.mask())),
        }
    }

    /// `mov.b32 d, a`, `mov.b32 d, {a,b}`, `mov.b64 {a,b}, s`.
    pub(super) fn ptx_move(&mut self, s: &Statement<'_>, names: &mut Names) -> Option<()> {
        let parts = &s.parts;
        let &[dst, src] = &s.operands[..] else { return None };
        let whole = Kind::of(parts.last()?)?.storage();
        if let Some(from) = vector(src) {
            let width = whole.bits() / from.len() as u32;
            let mut value = Operand::Imm(0);
            for (i, part) in from.iter().enumerate() {
                let bits = self.ptx_value(part, whole, names)?;
                let bits = self.int(IntOp::And, whole, bits, Operand::Imm((1 << width) - 1));
                let at = Operand::Imm(u64::from(width) * i as u64);
                let bits = self.int(IntOp::Shl, whole, bits, at);
                value = self.int(IntOp::Or, whole, value, bits);
            }
            names.insert(dst.to_string(), (value, whole));
            return Some(());
        }
        if let Some(to) = vector(dst) {
            let part = match whole.bits() / to.len() as u32 {
                8 => Ty::I8,
                16 => Ty::I16,
                32 => Ty::I32,
                _ => return None,
            };
            let value = self.ptx_value(src, whole, names)?;
            for (i, name) in to.iter().enumerate() {
                let at = Operand::Imm(u64::from(part.bits()) * i as u64);
                let bits = self.int(IntOp::LShr, whole, value, at);
                let bits = self.zext(whole, part, bits);
                names.insert((*name).to_string(), (bits, part));
            }
            return Some(());
        }
        // A result may be wider than the register that is read.
        let out = dst.strip_prefix('$').and_then(|n| n.parse::<usize>().ok());
        let ty = out.and_then(|i| names.outs.get(i).copied()).unwrap_or(whole);
        let value = match self.ptx_register(src, ty) {
            Some(value) => (value, ty),
            None => (self.operand(src, Kind::of(parts.last()?)?, names)?, whole),
        };
        names.insert(dst.to_string(), value);
        Some(())
    }

    fn integer_op(
        &mut self,
        parts: &[&str],
        ty: Ty,
        signed: bool,
        rest: &[&str],
        names: &mut Names,
    ) -> Option<(Operand, Ty)> {
        let kind = Kind::Int { ty, signed };
        let has = |p: &str| parts.contains(&p);
        // Shift amounts and positions of bit fields are 32-bit.
        let narrow = matches!(parts[0], "shl" | "shr" | "bfe" | "bfi");
        let first = if parts[0] == "bfi" { 2 } else { 1 };
        let mut a = Vec::new();
        for (i, text) in rest.iter().enumerate() {
            let word = Kind::Int { ty: Ty::I32, signed: false };
            let of = if narrow && i >= first { word } else { kind };
            a.push(self.operand(text, of, names)?);
        }
        if has("cc") || parts[0] == "addc" || parts[0] == "subc" {
            return self.with_carry(parts, ty, &a, names);
        }
        if has("sat") {
            return None;
        }
        let function = |s: &mut Self, f: &str| s.int_function(f, ty, signed, &a);
        let result = match (parts[0], &a[..]) {
            ("add", &[x, y]) => self.int(IntOp::Add, ty, x, y),
            ("sub", &[x, y]) => self.int(IntOp::Sub, ty, x, y),
            ("mul" | "mad", &[x, y, ..]) if has("wide") => {
                let wide = match ty {
                    Ty::I16 => Ty::I32,
                    Ty::I32 => Ty::I64,
                    _ => return None,
                };
                let widen = |s: &mut Self, v| {
                    if signed { s.sext(ty, wide, v) } else { s.zext(ty, wide, v) }
                };
                let (x, y) = (widen(self, x), widen(self, y));
                let product = self.int(IntOp::Mul, wide, x, y);
                let sum = match rest.get(2) {
                    Some(z) if parts[0] == "mad" => {
                        let z = self.operand(z, Kind::Int { ty: wide, signed }, names)?;
                        self.int(IntOp::Add, wide, product, z)
                    }
                    _ => product,
                };
                return Some((sum, wide));
            }
            ("mul", &[_, _]) if has("hi") => function(self, "mul_hi")?,
            ("mad", &[_, _, _]) if has("hi") => function(self, "mad_hi")?,
            ("mul", &[x, y]) if has("lo") => self.int(IntOp::Mul, ty, x, y),
            ("mad", &[x, y, z]) if has("lo") => {
                let product = self.int(IntOp::Mul, ty, x, y);
                self.int(IntOp::Add, ty, product, z)
            }
            ("div", &[x, y]) => self.int(if signed { IntOp::SDiv } else { IntOp::UDiv }, ty, x, y),
            ("rem", &[x, y]) => self.int(if signed { IntOp::SRem } else { IntOp::URem }, ty, x, y),
            ("min" | "max", &[_, _]) => function(self, parts[0])?,
            ("abs", &[_]) => function(self, "abs")?,
            ("neg", &[x]) => self.int(IntOp::Sub, ty, Operand::Imm(0), x),
            ("sad", &[x, y, z]) => {
                let d = self.int_function("abs_diff", ty, signed, &[x, y])?;
                self.int(IntOp::Add, ty, d, z)
            }
            ("not", &[x]) => self.not(ty, x),
            ("cnot", &[x]) => {
                let zero = self.cmp(CmpOp::Eq, ty, x, Operand::Imm(0));
                self.zext(Ty::I1, ty, zero)
            }
            (op @ ("and" | "or" | "xor"), &[x, y]) => self.int(logic(op)?, ty, x, y),
            ("shl" | "shr", &[x, n]) => self.clamped_shift(parts[0] == "shl", ty, signed, x, n),
            ("popc", &[x]) => return Some(self.counted(IntUnOp::PopCount, ty, x)),
            ("clz", &[x]) => return Some(self.counted(IntUnOp::Clz, ty, x)),
            ("brev", &[x]) => self.int_un(IntUnOp::BitReverse, ty, x),
            ("dp4a", &[x, y, z]) if parts.len() == 3 => {
                self.dot_of_bytes([x, y], [parts[1] == "s32", parts[2] == "s32"], z)
            }
            ("prmt", &[x, y, s]) if parts.len() == 2 => self.byte_perm(x, y, s),
            ("bfe", &[x, at, n]) => self.bit_field(ty, signed, x, at, n),
            ("bfind", &[x]) => {
                return Some((self.highest_bit(ty, signed, has("shiftamt"), x), Ty::I32));
            }
            ("bmsk", &[at, n]) if ty == Ty::I32 => self.bit_mask(has("wrap"), at, n),
            ("bfi", &[x, y, at, n]) => self.insert_bits(ty, x, y, at, n),
            ("lop3", &[x, y, z, Operand::Imm(table)]) => self.three_way(ty, [x, y, z], table),
            _ => return None,
        };
        Some((result, ty))
    }

    /// The four products of bytes, signed or unsigned, added to a sum.
    fn dot_of_bytes(&mut self, words: [Operand; 2], signed: [bool; 2], sum: Operand) -> Operand {
        (0..4).fold(sum, |sum, byte| {
            let [x, y] = [0, 1].map(|i| {
                let at = Operand::Imm(8 * byte);
                let bits = self.int(IntOp::LShr, Ty::I32, words[i], at);
                let bits = self.zext(Ty::I32, Ty::I8, bits);
                match signed[i] {
                    true => self.sext(Ty::I8, Ty::I32, bits),
                    false => self.zext(Ty::I8, Ty::I32, bits),
                }
            });
            let product = self.int(IntOp::Mul, Ty::I32, x, y);
            self.int(IntOp::Add, Ty::I32, sum, product)
        })
    }

    /// Bit counts are 32-bit.
    fn counted(&mut self, op: IntUnOp, ty: Ty, x: Operand) -> (Operand, Ty) {
        let n = self.int_un(op, ty, x);
        (self.zext(ty, Ty::I32, n), Ty::I32)
    }

    /// `add.cc`, `addc`, `sub.cc`, `subc`: the carry is in a register of its own.
    fn with_carry(
        &mut self,
        parts: &[&str],
        ty: Ty,
        a: &[Operand],
        names: &mut Names,
    ) -> Option<(Operand, Ty)> {
        let &[x, y] = a else { return None };
        let (op, minus) = match parts[0] {
            "add" | "addc" => (IntOp::Add, false),
            "sub" | "subc" => (IntOp::Sub, true),
            _ => return None,
        };
        let first = self.int(op, ty, x, y);
        let overflow = |s: &mut Self, before: Operand, by: Operand, after: Operand| match minus {
            false => s.cmp(CmpOp::ULt, ty, after, by),
            true => s.cmp(CmpOp::ULt, ty, before, by),
        };
        let mut carry = overflow(self, x, y, first);
        let mut result = first;
        if matches!(parts[0], "addc" | "subc") {
            let &(before, _) = names.get(CARRY)?;
            let more = self.zext(Ty::I1, ty, before);
            result = self.int(op, ty, first, more);
            let second = overflow(self, first, more, result);
            carry = self.int(IntOp::Or, Ty::I1, carry, second);
        }
        if parts.contains(&"cc") {
            names.insert(CARRY.to_string(), (carry, Ty::I1));
        }
        Some((result, ty))
    }

    /// Shifts by the width or more give zeros, or copies of the sign.
    fn clamped_shift(
        &mut self,
        left: bool,
        ty: Ty,
        signed: bool,
        x: Operand,
        n: Operand,
    ) -> Operand {
        let last = Operand::Imm(u64::from(ty.bits()) - 1);
        let beyond = self.cmp(CmpOp::UGt, Ty::I32, n, last);
        let least = self.int(IntOp::UMin, Ty::I32, n, last);
        let amount = self.zext(Ty::I32, ty, least);
        let op = match (left, signed) {
            (true, _) => IntOp::Shl,
            (false, true) => IntOp::AShr,
            (false, false) => IntOp::LShr,
        };
        let shifted = self.int(op, ty, x, amount);
        if op == IntOp::AShr { shifted } else { self.select(ty, beyond, Operand::Imm(0), shifted) }
    }

    fn low_bits(&mut self, ty: Ty, n: Operand) -> Operand {
        let one = self.clamped_shift(true, ty, false, Operand::Imm(1), n);
        self.int(IntOp::Sub, ty, one, Operand::Imm(1))
    }

    fn byte_of(&mut self, n: Operand) -> Operand {
        self.int(IntOp::And, Ty::I32, n, Operand::Imm(0xff))
    }

    /// The place of the highest bit that is not the sign, or how far it is from the top; all ones if there is none.
    fn highest_bit(&mut self, ty: Ty, signed: bool, from_top: bool, x: Operand) -> Operand {
        let x = if signed {
            let sign = self.int(IntOp::AShr, ty, x, Operand::Imm(u64::from(ty.bits()) - 1));
            self.int(IntOp::Xor, ty, x, sign)
        } else {
            x
        };
        let (above, _) = self.counted(IntUnOp::Clz, ty, x);
        let last = Operand::Imm(u64::from(ty.bits()) - 1);
        if !from_top {
            return self.int(IntOp::Sub, Ty::I32, last, above);
        }
        let none = self.cmp(CmpOp::UGt, Ty::I32, above, last);
        self.select(Ty::I32, none, Operand::Imm(Ty::I32.mask()), above)
    }

    /// `n` ones from a place on.
    fn bit_mask(&mut self, wraps: bool, at: Operand, n: Operand) -> Operand {
        let [at, n] = [at, n].map(|x| match wraps {
            true => self.int(IntOp::And, Ty::I32, x, Operand::Imm(31)),
            false => x,
        });
        let low = self.low_bits(Ty::I32, n);
        self.clamped_shift(true, Ty::I32, false, low, at)
    }

    fn bit_field(&mut self, ty: Ty, signed: bool, x: Operand, at: Operand, n: Operand) -> Operand {
        let (at, n) = (self.byte_of(at), self.byte_of(n));
        if signed {
            // The field, with copies of its highest bit above; no field is 0.
            let bits = Operand::Imm(u64::from(ty.bits()));
            let shifted = self.clamped_shift(false, ty, true, x, at);
            let within = self.int(IntOp::UMin, Ty::I32, n, bits);
            let up = self.int(IntOp::Sub, Ty::I32, bits, within);
            let top = self.clamped_shift(true, ty, false, shifted, up);
            let field = self.clamped_shift(false, ty, true, top, up);
            let none = self.cmp(CmpOp::Eq, Ty::I32, n, Operand::Imm(0));
            return self.select(ty, none, Operand::Imm(0), field);
        }
        let x = self.clamped_shift(false, ty, false, x, at);
        let mask = self.low_bits(ty, n);
        self.int(IntOp::And, ty, x, mask)
    }

    fn insert_bits(&mut self, ty: Ty, x: Operand, y: Operand, at: Operand, n: Operand) -> Operand {
        let (at, n) = (self.byte_of(at), self.byte_of(n));
        let low = self.low_bits(ty, n);
        let mask = self.clamped_shift(true, ty, false, low, at);
        let x = self.clamped_shift(true, ty, false, x, at);
        let x = self.int(IntOp::And, ty, x, mask);
        let kept = self.not(ty, mask);
        let y = self.int(IntOp::And, ty, y, kept);
        self.int(IntOp::Or, ty, x, y)
    }

    /// `lop3`: bit `4a + 2b + c` of the table for the bits `a`, `b`, `c`.
    fn three_way(&mut self, ty: Ty, x: [Operand; 3], table: u64) -> Operand {
        let mut result = Operand::Imm(0);
        for row in (0..8u64).filter(|row| table >> row & 1 == 1) {
            let mut term = Operand::Imm(ty.mask());
            for (i, &v) in x.iter().enumerate() {
                let set = row >> (2 - i) & 1 == 1;
                let v = if set { v } else { self.not(ty, v) };
                term = self.int(IntOp::And, ty, v, term);
            }
            result = self.int(IntOp::Or, ty, result, term);
        }
        result
    }

    fn float_op(
        &mut self,
        parts: &[&str],
        kind: Kind,
        rest: &[&str],
        names: &Names,
    ) -> Option<Operand> {
        let part = kind.part()?;
        if parts.iter().any(|p| matches!(*p, "xorsign" | "NaN")) {
            return None;
        }
        let mut args = Vec::new();
        for text in rest {
            let whole = self.operand(text, kind, names)?;
            args.push(self.split(kind, whole));
        }
        let mut results = Vec::new();
        for i in 0..args.first()?.len() {
            let a: Vec<Operand> = args.iter().map(|parts| parts[i]).collect();
            let a: Vec<Operand> = a.into_iter().map(|x| self.computed(part, x)).collect();
            let r = self.float_part(parts, computing(part), &a)?;
            results.push(self.stored(part, r));
        }
        Some(self.joined(kind, &results))
    }

    fn float_part(&mut self, parts: &[&str], ty: Ty, a: &[Operand]) -> Option<Operand> {
        let round = parts.iter().find_map(|p| rounding(p)).unwrap_or(Rounding::NearestEven);
        let two = |s: &mut Self, op| s.float_rounded(op, ty, round, a[0], a[1]);
        let result = match (parts[0], a.len()) {
            ("add", 2) => two(self, FloatOp::Add),
            ("sub", 2) => two(self, FloatOp::Sub),
            ("mul", 2) => two(self, FloatOp::Mul),
            ("div", 2) => two(self, FloatOp::Div),
            ("min", 2) => self.float(FloatOp::Min, ty, a[0], a[1]),
            ("max", 2) => self.float(FloatOp::Max, ty, a[0], a[1]),
            // In PTX the sign comes from the first operand.
            ("copysign", 2) => self.float(FloatOp::CopySign, ty, a[1], a[0]),
            ("fma" | "mad", 3) => {
                self.def(Op::Fma { ty, rounding: round, a: a[0], b: a[1], c: a[2] }, ty)
            }
            ("neg", 1) => self.float_un(FloatUnOp::Neg, ty, a[0]),
            ("abs", 1) => self.float_un(FloatUnOp::Abs, ty, a[0]),
            ("sqrt", 1) => {
                self.def(Op::FloatUn { op: FloatUnOp::Sqrt, ty, rounding: round, a: a[0] }, ty)
            }
            ("rcp", 1) => {
                let one = self.fconst(ty, 1.0);
                self.float_rounded(FloatOp::Div, ty, round, one, a[0])
            }
            ("rsqrt" | "sin" | "cos" | "tanh", 1) => self.float_function(parts[0], ty, a)?,
            ("ex2", 1) => self.float_function("exp2", ty, a)?,
            ("lg2", 1) => self.float_function("log2", ty, a)?,
            _ => return None,
        };
        let result = match is_approximate(parts) {
            true => self.float_un(FloatUnOp::Fast, ty, result),
            false => result,
        };
        if parts.contains(&"sat") {
            return self.float_function("saturate", ty, &[result]);
        }
        if parts.contains(&"relu") {
            let zero = self.fconst(ty, 0.0);
            return Some(self.float(FloatOp::Max, ty, result, zero));
        }
        Some(result)
    }

    /// The parts of a value in their storage form.
    fn split(&mut self, kind: Kind, whole: Operand) -> Vec<Operand> {
        let Kind::Pair { bfloat } = kind else { return vec![whole] };
        let high = self.int(IntOp::LShr, Ty::I32, whole, Operand::Imm(16));
        [whole, high]
            .into_iter()
            .map(|x| {
                let bits = self.zext(Ty::I32, Ty::I16, x);
                if bfloat { bits } else { self.bits(Ty::I16, Ty::F16, bits) }
            })
            .collect()
    }

    fn joined(&mut self, kind: Kind, parts: &[Operand]) -> Operand {
        let (Kind::Pair { bfloat }, &[low, high]) = (kind, parts) else { return parts[0] };
        let wide = |s: &mut Self, x| {
            let bits = if bfloat { x } else { s.bits(Ty::F16, Ty::I16, x) };
            s.zext(Ty::I16, Ty::I32, bits)
        };
        let (low, high) = (wide(self, low), wide(self, high));
        let high = self.int(IntOp::Shl, Ty::I32, high, Operand::Imm(16));
        self.int(IntOp::Or, Ty::I32, low, high)
    }

    /// A stored part converted to the type of the computation.
    fn computed(&mut self, part: Kind, x: Operand) -> Operand {
        if part != Kind::BFloat {
            return x;
        }
        let bits = self.zext(Ty::I16, Ty::I32, x);
        let bits = self.int(IntOp::Shl, Ty::I32, bits, Operand::Imm(16));
        self.bits(Ty::I32, Ty::F32, bits)
    }

    fn stored(&mut self, part: Kind, x: Operand) -> Operand {
        if part == Kind::BFloat { self.bfloat(x, Rounding::NearestEven) } else { x }
    }

    /// An `f32` rounded to `bf16`: to the nearest, ties to even, or toward zero.
    fn bfloat(&mut self, x: Operand, how: Rounding) -> Operand {
        let t = Ty::I32;
        let bits = self.bits(Ty::F32, t, x);
        let mut rounded = bits;
        if how == Rounding::NearestEven {
            let upper = self.int(IntOp::LShr, t, bits, Operand::Imm(16));
            let odd = self.int(IntOp::And, t, upper, Operand::Imm(1));
            let half = self.int(IntOp::Add, t, odd, Operand::Imm(0x7fff));
            rounded = self.int(IntOp::Add, t, bits, half);
        }
        let upper = self.int(IntOp::LShr, t, rounded, Operand::Imm(16));
        let nan = self.cmp(CmpOp::FUno, Ty::F32, x, x);
        let upper = self.select(t, nan, Operand::Imm(0x7fff), upper);
        self.zext(t, Ty::I16, upper)
    }

    /// `setp.lt.s32 p, a, b`, `set.ge.f16x2.f16x2 d, a, b`, `set.eq.u32.f32 d, a, b`.
    pub(super) fn ptx_compare(&mut self, s: &Statement<'_>, names: &mut Names) -> Option<()> {
        let parts = &s.parts;
        let &[dst, a, b] = &s.operands[..] else { return None };
        let kind = Kind::of(parts.last()?)?;
        let result = if parts[0] == "set" {
            Kind::of(parts.get(parts.len().checked_sub(2)?)?)?
        } else {
            Kind::Predicate
        };
        let (a, b) = (self.operand(a, kind, names)?, self.operand(b, kind, names)?);
        let (a, b) = (self.split(kind, a), self.split(kind, b));
        let mut tests = Vec::new();
        for (x, y) in a.into_iter().zip(b) {
            let (ty, x, y) = match kind.part() {
                Some(part) => (computing(part), self.computed(part, x), self.computed(part, y)),
                None => (kind.storage(), x, y),
            };
            let signed = matches!(kind, Kind::Int { signed: true, .. });
            let op = comparison(parts[1], ty.is_float(), signed)?;
            tests.push(self.cmp(op, ty, x, y));
        }
        let value = match (result, kind, &tests[..]) {
            (Kind::Predicate, _, &[test]) => {
                let (name, other) = dst.split_once('|').map_or((dst, None), |(p, q)| (p, Some(q)));
                if let Some(q) = other {
                    let opposite = self.not(Ty::I1, test);
                    names.insert(q.trim().to_string(), (opposite, Ty::I1));
                }
                names.insert(name.trim().to_string(), (test, Ty::I1));
                return Some(());
            }
            (Kind::Int { ty, .. }, _, &[test]) => {
                self.select(ty, test, Operand::Imm(ty.mask()), Operand::Imm(0))
            }
            // All bits of each half.
            (Kind::Int { ty: Ty::I32, .. }, Kind::Pair { .. }, &[low, high]) => {
                let half = |s: &mut Self, t, bits| {
                    s.select(Ty::I32, t, Operand::Imm(bits), Operand::Imm(0))
                };
                let (low, high) = (half(self, low, 0xffff), half(self, high, 0xffff_0000));
                self.int(IntOp::Or, Ty::I32, low, high)
            }
            (to, _, tests) if to.part().is_some() => {
                let part = to.part()?;
                let mut ones = Vec::new();
                for &test in tests {
                    let ty = computing(part);
                    let (one, zero) = (self.fconst(ty, 1.0), self.fconst(ty, 0.0));
                    let chosen = self.select(ty, test, one, zero);
                    ones.push(self.stored(part, chosen));
                }
                self.joined(to, &ones)
            }
            _ => return None,
        };
        names.insert(dst.to_string(), (value, result.storage()));
        Some(())
    }

    /// `cvt.rzi.s32.f32 d, a`, `cvt.rn.f16x2.f32 d, high, low`.
    pub(super) fn ptx_convert(&mut self, s: &Statement<'_>, names: &mut Names) -> Option<()> {
        let parts = &s.parts;
        let (&dst, sources) = s.operands.split_first()?;
        let from = Kind::of(parts.last()?)?;
        let to = Kind::of(parts.get(parts.len().checked_sub(2)?)?)?;
        let modifiers = &parts[1..parts.len() - 2];
        if modifiers.contains(&"satfinite") {
            return None;
        }
        let mut results = Vec::new();
        // The first source goes to the upper half.
        for text in sources.iter().rev() {
            let x = self.operand(text, from, names)?;
            results.push(self.convert_one(modifiers, from, to.part().unwrap_or(to), x)?);
        }
        let value = match (to, results.len()) {
            (Kind::Pair { .. }, 2) => self.joined(to, &results),
            (Kind::Pair { .. }, _) => return None,
            (_, 1) => results[0],
            _ => return None,
        };
        names.insert(dst.to_string(), (value, to.storage()));
        Some(())
    }

    fn convert_one(
        &mut self,
        modifiers: &[&str],
        from: Kind,
        to: Kind,
        x: Operand,
    ) -> Option<Operand> {
        let round = modifiers.iter().find_map(|p| rounding(p));
        let nearest = round.unwrap_or(Rounding::NearestEven);
        let toward_zero = round.unwrap_or(Rounding::TowardZero);
        let saturated = modifiers.contains(&"sat");
        let result = match (from, to) {
            (Kind::Int { .. }, Kind::Int { .. }) if saturated => return None,
            (Kind::Int { ty, signed: true }, Kind::Int { ty: to, .. }) => self.sext(ty, to, x),
            (Kind::Int { ty, signed: false }, Kind::Int { ty: to, .. }) => self.zext(ty, to, x),
            (Kind::Float(ty), Kind::Int { ty: to, signed }) => {
                let op = if signed { CastOp::FToS(toward_zero) } else { CastOp::FToU(toward_zero) };
                self.cast(op, ty, to, x)
            }
            (Kind::Int { ty, signed }, Kind::Float(to)) => {
                let op = if signed { CastOp::SToF(nearest) } else { CastOp::UToF(nearest) };
                self.cast(op, ty, to, x)
            }
            (Kind::Float(ty), Kind::Float(to)) if ty == to => match round {
                None => x,
                Some(_) => {
                    let op = match nearest {
                        Rounding::NearestEven => FloatUnOp::RoundEven,
                        Rounding::TowardZero => FloatUnOp::Trunc,
                        Rounding::Up => FloatUnOp::Ceil,
                        Rounding::Down => FloatUnOp::Floor,
                    };
                    self.float_un(op, ty, x)
                }
            },
            (Kind::Float(ty), Kind::Float(to)) => self.cast(CastOp::FToF(nearest), ty, to, x),
            (Kind::Float(Ty::F32), Kind::BFloat) => match nearest {
                Rounding::NearestEven | Rounding::TowardZero => self.bfloat(x, nearest),
                _ => return None,
            },
            (Kind::BFloat, _) => {
                let x = self.computed(from, x);
                return self.convert_one(modifiers, Kind::Float(Ty::F32), to, x);
            }
            (_, Kind::BFloat) => {
                let modifiers: Vec<&str> =
                    modifiers.iter().copied().filter(|m| *m != "sat").collect();
                let x = self.convert_one(&modifiers, from, Kind::Float(Ty::F32), x)?;
                self.bfloat(x, Rounding::NearestEven)
            }
            _ => return None,
        };
        match to {
            Kind::Float(ty) if saturated => self.float_function("saturate", ty, &[result]),
            Kind::Float(ty) if modifiers.contains(&"relu") => {
                let zero = self.fconst(ty, 0.0);
                Some(self.float(FloatOp::Max, ty, result, zero))
            }
            _ => Some(result),
        }
    }
}

/// The type in which a part of a float is computed.
fn computing(part: Kind) -> Ty {
    match part {
        Kind::Float(ty) => ty,
        _ => Ty::F32,
    }
}

fn logic(name: &str) -> Option<IntOp> {
    match name {
        "and" => Some(IntOp::And),
        "or" => Some(IntOp::Or),
        "xor" => Some(IntOp::Xor),
        _ => None,
    }
}

/// Comparisons of floats are false for a NaN, except those that end in `u`.
pub(super) fn comparison(name: &str, float: bool, signed: bool) -> Option<CmpOp> {
    use CmpOp::*;
    Some(match (name, float, signed) {
        ("eq", false, _) => Eq,
        ("ne", false, _) => Ne,
        ("lt", false, true) => SLt,
        ("le", false, true) => SLe,
        ("gt", false, true) => SGt,
        ("ge", false, true) => SGe,
        ("lt" | "lo", false, _) => ULt,
        ("le" | "ls", false, _) => ULe,
        ("gt" | "hi", false, _) => UGt,
        ("ge" | "hs", false, _) => UGe,
        ("eq", true, _) => FOEq,
        ("ne", true, _) => FONe,
        ("lt", true, _) => FOLt,
        ("le", true, _) => FOLe,
        ("gt", true, _) => FOGt,
        ("ge", true, _) => FOGe,
        ("equ", true, _) => FUEq,
        ("neu", true, _) => FUNe,
        ("ltu", true, _) => FULt,
        ("leu", true, _) => FULe,
        ("gtu", true, _) => FUGt,
        ("geu", true, _) => FUGe,
        ("num", true, _) => FOrd,
        ("nan", true, _) => FUno,
        _ => return None,
    })
}
