//! A condition as a script of SMT-LIB 2: one definition for each term.
//!
//! Integers are bit-vectors and conditions booleans. What an integer operation means is asked of
//! [`lockstep_kernel::semantics`] itself, whose definitions are instantiated with texts of the solver's language ([`Word`]):
//! division by zero and shifts beyond the width have no second definition here.
//!
//! Floats are of the solver's floating-point theory, where a NaN has no payload. Operations whose meaning in
//! `semantics` is IEEE's, correctly rounded to nearest, are the theory's own; all others (rounding in other directions,
//! functions of the maths library, fused operations in half precision) are uninterpreted functions, of
//! which the solver knows only that equal arguments give equal results. So what it refutes holds for the real ones, too; a
//! model may be wrong, and is evaluated by whoever asks.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write;

use rustc_hash::FxHashMap;

use lockstep_kernel::semantics::{self, Word};
use lockstep_kernel::{CastOp, CmpOp, FloatOp, FloatUnOp, IntOp, IntUnOp, Rounding, Ty};

use crate::term::{Node, Pool, T};

pub(crate) struct Script {
    pub(crate) text: String,
    /// The variables whose values are asked for, in order.
    pub(crate) variables: Vec<u32>,
}

/// Whether a solver needs long for it: where both sides of a question have the same such term, its value may not matter.
pub(crate) fn is_arithmetic(pool: &Pool, t: T) -> bool {
    use FloatOp::{Add, Div, Mul, Rem, Sub};
    matches!(
        pool.node(t),
        Node::Float(Add | Sub | Mul | Div | Rem, ..)
            | Node::FloatUn(FloatUnOp::Sqrt, ..)
            | Node::Fma(..)
            | Node::Math(..)
    )
}

/// The script that asks whether `condition` can hold; `terms` are all that it is made of, in order. `any` says that floating-point
/// arithmetic may have any result: what is refuted then is refuted. Terms and variables are called by their places, so that questions
/// that are the same up to the names of variables (those of two threads of a map) have one text.
pub(crate) fn script(pool: &Pool, terms: &[T], condition: T, any: bool) -> Script {
    let places = terms.iter().enumerate().map(|(at, t)| (*t, at)).collect();
    let mut writer = Writer {
        pool,
        places,
        numbers: FxHashMap::default(),
        functions: BTreeMap::new(),
        variables: Vec::new(),
    };
    let mut body = String::new();
    for &t in terms {
        let sort = sort(pool.ty(t));
        let name = writer.name(t);
        if any && is_arithmetic(pool, t) {
            let _ = writeln!(body, "(declare-const {name} {sort})");
            continue;
        }
        let text = writer.definition(t);
        let _ = writeln!(body, "(define-fun {name} () {sort} {text})");
    }
    let mut text = String::new();
    for (at, &v) in writer.variables.iter().enumerate() {
        let bits = pool.variable_type(v).bits();
        let _ = writeln!(text, "(declare-const v{at} (_ BitVec {bits}))");
        if let Some((low, high)) = pool.counter_range(v) {
            let ty = pool.variable_type(v);
            let number = |n: i64| bit_vector(ty, n as u64 & ty.mask());
            let _ = writeln!(text, "(assert (bvsle {} v{at}))", number(low));
            let _ = writeln!(text, "(assert (bvsle v{at} {}))", number(high));
        }
    }
    for (name, signature) in &writer.functions {
        let _ = writeln!(text, "(declare-fun {name} {signature})");
    }
    text.push_str(&body);
    let _ = writeln!(text, "(assert {})\n(check-sat)", writer.name(condition));
    if !writer.variables.is_empty() {
        let names: Vec<String> = (0..writer.variables.len()).map(|v| format!("v{v}")).collect();
        let _ = writeln!(text, "(get-value ({}))", names.join(" "));
    }
    Script { text, variables: writer.variables }
}

fn sort(ty: Ty) -> String {
    match ty {
        Ty::I1 => "Bool".into(),
        Ty::F16 => "(_ FloatingPoint 5 11)".into(),
        Ty::F32 => "(_ FloatingPoint 8 24)".into(),
        Ty::F64 => "(_ FloatingPoint 11 53)".into(),
        _ => format!("(_ BitVec {})", ty.bits()),
    }
}

/// A float as an integer, as `semantics::real_to_signed` and `real_to_unsigned` have it: the nearest one that there is, and zero
/// for a NaN.
fn saturated(x: &str, from: Ty, to: Ty, rounding: Rounding, signed: bool) -> String {
    let shape = float_shape(from);
    let mode = match rounding {
        Rounding::NearestEven => "RNE",
        Rounding::TowardZero => "RTZ",
        Rounding::Up => "RTP",
        Rounding::Down => "RTN",
    };
    let whole = format!("(fp.roundToIntegral {mode} {x})");
    let bits = to.bits();
    // One more than the largest, which is a power of two and so a float, or infinite.
    let above = if signed { 1u128 << (bits - 1) } else { 1u128 << bits };
    let limit = |negative: bool| {
        let sign = if negative { "(- " } else { "" };
        let end = if negative { ")" } else { "" };
        format!("((_ to_fp {shape}) RNE {sign}{above}.0{end})")
    };
    let (largest, least, low, name) = match signed {
        true => (above - 1, above, limit(true), "fp.to_sbv"),
        false => (above - 1, 0, format!("(_ +zero {shape})"), "fp.to_ubv"),
    };
    format!(
        "(ite (fp.isNaN {x}) (_ bv0 {bits}) (ite (fp.geq {whole} {}) (_ bv{largest} {bits}) \
         (ite (fp.leq {whole} {low}) (_ bv{least} {bits}) ((_ {name} {bits}) RTZ {whole}))))",
        limit(false)
    )
}

fn float_shape(ty: Ty) -> &'static str {
    match ty {
        Ty::F16 => "5 11",
        Ty::F32 => "8 24",
        _ => "11 53",
    }
}

fn bit_vector(ty: Ty, v: u64) -> String {
    format!("(_ bv{v} {})", ty.bits())
}

struct Writer<'a> {
    pool: &'a Pool,
    places: FxHashMap<T, usize>,
    numbers: FxHashMap<u32, usize>,
    /// Uninterpreted functions, with their signatures.
    functions: BTreeMap<String, String>,
    variables: Vec<u32>,
}

impl Writer<'_> {
    fn name(&self, t: T) -> String {
        self.places.get(&t).map_or_else(|| format!("t_{}", t.0), |at| format!("t{at}"))
    }

    /// A variable, by its place among those that were named.
    fn variable(&mut self, v: u32) -> String {
        let at = *self.numbers.entry(v).or_insert(self.variables.len());
        if at == self.variables.len() {
            self.variables.push(v);
        }
        format!("v{at}")
    }

    fn definition(&mut self, t: T) -> String {
        let pool = self.pool;
        let ty = pool.ty(t);
        if let Node::Var(v) = pool.node(t) {
            let v = self.variable(*v);
            return match ty {
                Ty::I1 => format!("(= {v} #b1)"),
                _ if ty.is_float() => format!("((_ to_fp {}) {v})", float_shape(ty)),
                _ => v,
            };
        }
        let places = &self.places;
        let name =
            |t: T| places.get(&t).map_or_else(|| format!("t_{}", t.0), |at| format!("t{at}"));
        match pool.node(t) {
            Node::Const(v) => match ty {
                Ty::I1 => (*v == 1).to_string(),
                _ if ty.is_float() => {
                    format!("((_ to_fp {}) {})", float_shape(ty), bit_vector(ty, *v))
                }
                _ => bit_vector(ty, *v),
            },
            Node::Var(_) => String::new(),
            Node::Int(op, a, b) => match integer(ty, &name(*a), &name(*b), *op) {
                Some(text) => text,
                None => self.function(&format!("int_{op:?}"), &[*a, *b], ty),
            },
            Node::IntUn(op, a) => match integer_un(ty, &name(*a), *op) {
                Some(text) => text,
                None => self.function(&format!("int_{op:?}"), &[*a], ty),
            },
            Node::Funnel(left, a, b, c) => {
                match funnel(ty, *left, [&name(*a), &name(*b), &name(*c)]) {
                    Some(text) => text,
                    None => self.function(&format!("funnel_{left}"), &[*a, *b, *c], ty),
                }
            }
            Node::Float(op, rounding, a, b) => self.float(*op, *rounding, *a, *b, ty),
            Node::AnyOrder(op, execution, a, b) => {
                self.function(&format!("any_order_{op:?}_{execution}"), &[*a, *b], ty)
            }
            Node::FloatUn(op, rounding, a) => {
                let x = name(*a);
                match (op, rounding) {
                    (FloatUnOp::Neg, _) => format!("(fp.neg {x})"),
                    (FloatUnOp::Abs, _) => format!("(fp.abs {x})"),
                    (FloatUnOp::Sqrt, Rounding::NearestEven) => format!("(fp.sqrt RNE {x})"),
                    (FloatUnOp::Floor, _) => format!("(fp.roundToIntegral RTN {x})"),
                    (FloatUnOp::Ceil, _) => format!("(fp.roundToIntegral RTP {x})"),
                    (FloatUnOp::Trunc, _) => format!("(fp.roundToIntegral RTZ {x})"),
                    (FloatUnOp::RoundEven, _) => format!("(fp.roundToIntegral RNE {x})"),
                    (FloatUnOp::RoundAway, _) => format!("(fp.roundToIntegral RNA {x})"),
                    _ => self.function(&format!("float_{op:?}_{rounding:?}"), &[*a], ty),
                }
            }
            Node::Fma(Rounding::NearestEven, a, b, c) if ty != Ty::F16 => {
                format!("(fp.fma RNE {} {} {})", name(*a), name(*b), name(*c))
            }
            Node::Fma(rounding, a, b, c) => {
                self.function(&format!("fma_{rounding:?}"), &[*a, *b, *c], ty)
            }
            Node::Math(f, a, b) => self.function(&format!("math_{f:?}"), &[*a, *b], ty),
            Node::Cmp(op, a, b) => self.compare(*op, *a, *b),
            Node::Same(a, b) => format!("(= {} {})", name(*a), name(*b)),
            Node::Cast(op, a) => self.cast(*op, *a, ty),
            Node::Select(c, a, b) => format!("(ite {} {} {})", name(*c), name(*a), name(*b)),
            Node::Not(a) => format!("(not {})", name(*a)),
            Node::All(list) => {
                let parts: Vec<String> = list.iter().map(|t| name(*t)).collect();
                format!("(and {})", parts.join(" "))
            }
            Node::Element(input, index) => self.function(&format!("input{input}"), &[*index], ty),
            Node::Address(object, offset) => {
                let base = format!("object{object}");
                self.functions.entry(base.clone()).or_insert_with(|| "() (_ BitVec 64)".into());
                format!("(bvadd {base} {})", name(*offset))
            }
        }
    }

    /// A function of which nothing is known but that it is one.
    fn function(&mut self, what: &str, args: &[T], ty: Ty) -> String {
        let pool = self.pool;
        let types: Vec<String> = args.iter().map(|a| pool.ty(*a).to_string()).collect();
        let name = format!("{what}_{}_{ty}", types.join("_"));
        self.functions.entry(name.clone()).or_insert_with(|| {
            let domain: Vec<String> = args.iter().map(|a| sort(pool.ty(*a))).collect();
            format!("({}) {}", domain.join(" "), sort(ty))
        });
        let args: Vec<String> = args.iter().map(|a| self.name(*a)).collect();
        format!("({name} {})", args.join(" "))
    }

    fn float(&mut self, op: FloatOp, rounding: Rounding, a: T, b: T, ty: Ty) -> String {
        let (x, y) = (self.name(a), self.name(b));
        match (op, rounding) {
            (FloatOp::Add, Rounding::NearestEven) => format!("(fp.add RNE {x} {y})"),
            (FloatOp::Sub, Rounding::NearestEven) => format!("(fp.sub RNE {x} {y})"),
            (FloatOp::Mul, Rounding::NearestEven) => format!("(fp.mul RNE {x} {y})"),
            (FloatOp::Div, Rounding::NearestEven) => format!("(fp.div RNE {x} {y})"),
            // As `semantics::real` has them, where it matters which zero is taken.
            (FloatOp::Min, _) => format!(
                "(ite (or (fp.isNaN {y}) (fp.lt {x} {y}) (and (fp.eq {x} {y}) (fp.isNegative {x}))) {x} {y})"
            ),
            (FloatOp::Max, _) => format!(
                "(ite (or (fp.isNaN {y}) (fp.gt {x} {y}) (and (fp.eq {x} {y}) (fp.isPositive {x}))) {x} {y})"
            ),
            _ => self.function(&format!("float_{op:?}_{rounding:?}"), &[a, b], ty),
        }
    }

    fn compare(&mut self, op: CmpOp, a: T, b: T) -> String {
        use CmpOp::*;
        let (x, y) = (self.name(a), self.name(b));
        let one_bit = self.pool.ty(a) == Ty::I1;
        match op {
            Eq => format!("(= {x} {y})"),
            ULt if one_bit => format!("(and (not {x}) {y})"),
            // The one bit is the sign.
            SLt if one_bit => format!("(and {x} (not {y}))"),
            ULt => format!("(bvult {x} {y})"),
            SLt => format!("(bvslt {x} {y})"),
            FOEq => format!("(fp.eq {x} {y})"),
            FOLt => format!("(fp.lt {x} {y})"),
            FOLe => format!("(fp.leq {x} {y})"),
            FOrd => format!("(not (or (fp.isNaN {x}) (fp.isNaN {y})))"),
            FONe => format!("(not (or (fp.isNaN {x}) (fp.isNaN {y}) (fp.eq {x} {y})))"),
            // No constructor makes them.
            _ => self.function(&format!("cmp_{op:?}"), &[a, b], Ty::I1),
        }
    }

    fn cast(&mut self, op: CastOp, a: T, ty: Ty) -> String {
        let from = self.pool.ty(a);
        let x = self.name(a);
        let integers = !from.is_float() && !ty.is_float();
        match op {
            CastOp::ZExt | CastOp::SExt | CastOp::Trunc | CastOp::Bit if integers => {
                let x = match from {
                    Ty::I1 => format!("(ite {x} #b1 #b0)"),
                    _ => x,
                };
                let text = match ty.bits().cmp(&from.bits()) {
                    std::cmp::Ordering::Equal => x,
                    std::cmp::Ordering::Less => format!("((_ extract {} 0) {x})", ty.bits() - 1),
                    std::cmp::Ordering::Greater => {
                        let how = if op == CastOp::SExt { "sign_extend" } else { "zero_extend" };
                        format!("((_ {how} {}) {x})", ty.bits() - from.bits())
                    }
                };
                if ty == Ty::I1 { format!("(= {text} #b1)") } else { text }
            }
            CastOp::Bit if ty.is_float() && !from.is_float() => {
                format!("((_ to_fp {}) {x})", float_shape(ty))
            }
            // The bits of a float are known where it is an input: a NaN has no payload elsewhere.
            CastOp::Bit if from.is_float() && matches!(self.pool.node(a), Node::Var(_)) => {
                let Node::Var(v) = *self.pool.node(a) else { unreachable!("a variable") };
                self.variable(v)
            }
            CastOp::FToF(Rounding::NearestEven) => {
                format!("((_ to_fp {}) RNE {x})", float_shape(ty))
            }
            CastOp::SToF(Rounding::NearestEven) if from != Ty::I1 && ty != Ty::F16 => {
                format!("((_ to_fp {}) RNE {x})", float_shape(ty))
            }
            CastOp::UToF(Rounding::NearestEven) if from != Ty::I1 && ty != Ty::F16 => {
                format!("((_ to_fp_unsigned {}) RNE {x})", float_shape(ty))
            }
            CastOp::FToS(rounding) if ty != Ty::I1 => saturated(&x, from, ty, rounding, true),
            CastOp::FToU(rounding) if ty != Ty::I1 => saturated(&x, from, ty, rounding, false),
            _ => {
                let name: String = format!("cast_{op:?}")
                    .chars()
                    .filter(|c| c.is_alphanumeric() || *c == '_')
                    .collect();
                self.function(&name, &[a], ty)
            }
        }
    }
}

thread_local! {
    /// Texts that [`Text`] stands for: its trait wants a type that can be copied.
    static TEXTS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

fn put(text: String) -> u32 {
    TEXTS.with_borrow_mut(|texts| {
        texts.push(text);
        texts.len() as u32 - 1
    })
}

fn text_of(number: u32) -> String {
    TEXTS.with_borrow(|texts| texts[number as usize].clone())
}

/// A bit-vector of the solver's language.
#[derive(Clone, Copy)]
struct Text<const W: u32>(u32);

/// A boolean of it.
#[derive(Clone, Copy)]
struct Truth(u32);

impl<const W: u32> Text<W> {
    fn new(text: String) -> Text<W> {
        Text(put(text))
    }

    fn text(self) -> String {
        text_of(self.0)
    }

    fn two(self, op: &str, o: Text<W>) -> Text<W> {
        Text::new(format!("({op} {} {})", self.text(), o.text()))
    }

    fn test(self, op: &str, o: Text<W>) -> Truth {
        Truth(put(format!("({op} {} {})", self.text(), o.text())))
    }

    fn bit(self, i: u32) -> String {
        format!("((_ extract {i} {i}) {})", self.text())
    }

    /// The upper half of a product of twice the width.
    fn high(self, o: Text<W>, extend: &str) -> Text<W> {
        let wide = |t: Text<W>| format!("((_ {extend} {W}) {})", t.text());
        let product = format!("(bvmul {} {})", wide(self), wide(o));
        Text::new(format!("((_ extract {} {W}) {product})", 2 * W - 1))
    }

    /// The number of the first bit that is set in this order; the width where none is.
    fn first_set(self, bits: impl Iterator<Item = u32>) -> Text<W> {
        let tests: Vec<u32> = bits.collect();
        let mut out = format!("(_ bv{W} {W})");
        for (place, &bit) in tests.iter().enumerate().rev() {
            out = format!("(ite (= {} #b1) (_ bv{place} {W}) {out})", self.bit(bit));
        }
        Text::new(out)
    }
}

impl<const W: u32> Word for Text<W> {
    type Bool = Truth;
    const BITS: u32 = W;

    fn imm(value: u64) -> Self {
        let mask = if W == 64 { u64::MAX } else { (1 << W) - 1 };
        Text::new(format!("(_ bv{} {W})", value & mask))
    }
    fn add(self, o: Self) -> Self {
        self.two("bvadd", o)
    }
    fn sub(self, o: Self) -> Self {
        self.two("bvsub", o)
    }
    fn mul(self, o: Self) -> Self {
        self.two("bvmul", o)
    }
    fn udiv_nonzero(self, o: Self) -> Self {
        self.two("bvudiv", o)
    }
    fn urem_nonzero(self, o: Self) -> Self {
        self.two("bvurem", o)
    }
    fn sdiv_nonzero(self, o: Self) -> Self {
        self.two("bvsdiv", o)
    }
    fn srem_nonzero(self, o: Self) -> Self {
        self.two("bvsrem", o)
    }
    fn umulhi(self, o: Self) -> Self {
        self.high(o, "zero_extend")
    }
    fn smulhi(self, o: Self) -> Self {
        self.high(o, "sign_extend")
    }
    fn and(self, o: Self) -> Self {
        self.two("bvand", o)
    }
    fn or(self, o: Self) -> Self {
        self.two("bvor", o)
    }
    fn xor(self, o: Self) -> Self {
        self.two("bvxor", o)
    }
    fn shl_small(self, o: Self) -> Self {
        self.two("bvshl", o)
    }
    fn lshr_small(self, o: Self) -> Self {
        self.two("bvlshr", o)
    }
    fn ashr_small(self, o: Self) -> Self {
        self.two("bvashr", o)
    }
    fn eq(self, o: Self) -> Truth {
        self.test("=", o)
    }
    fn ult(self, o: Self) -> Truth {
        self.test("bvult", o)
    }
    fn slt(self, o: Self) -> Truth {
        self.test("bvslt", o)
    }
    fn not(b: Truth) -> Truth {
        Truth(put(format!("(not {})", text_of(b.0))))
    }
    fn select(c: Truth, a: Self, b: Self) -> Self {
        Text::new(format!("(ite {} {} {})", text_of(c.0), a.text(), b.text()))
    }
    fn popcount(self) -> Self {
        let bits: Vec<String> =
            (0..W).map(|i| format!("((_ zero_extend {}) {})", W - 1, self.bit(i))).collect();
        Text::new(format!("(bvadd {})", bits.join(" ")))
    }
    fn clz(self) -> Self {
        self.first_set((0..W).rev())
    }
    fn ctz(self) -> Self {
        self.first_set(0..W)
    }
    fn bit_reverse(self) -> Self {
        let bits: Vec<String> = (0..W).map(|i| self.bit(i)).collect();
        Text::new(format!("(concat {})", bits.join(" ")))
    }
    fn byte_swap(self) -> Self {
        let byte = |i: u32| format!("((_ extract {} {}) {})", i * 8 + 7, i * 8, self.text());
        let bytes: Vec<String> = (0..W / 8).map(byte).collect();
        match bytes.len() {
            1 => self,
            _ => Text::new(format!("(concat {})", bytes.join(" "))),
        }
    }
}

macro_rules! of_width {
    ($ty:expr, $call:ident($($arg:expr),*)) => {
        match $ty {
            Ty::I8 => Some($call::<8>($($arg),*)),
            Ty::I16 => Some($call::<16>($($arg),*)),
            Ty::I32 => Some($call::<32>($($arg),*)),
            Ty::I64 => Some($call::<64>($($arg),*)),
            _ => None,
        }
    };
}

fn integer_of<const W: u32>(a: &str, b: &str, op: IntOp) -> String {
    TEXTS.with_borrow_mut(Vec::clear);
    semantics::int(op, Text::<W>::new(a.into()), Text::new(b.into())).text()
}

fn integer_un_of<const W: u32>(a: &str, op: IntUnOp) -> String {
    TEXTS.with_borrow_mut(Vec::clear);
    semantics::int_un(op, Text::<W>::new(a.into())).text()
}

fn funnel_of<const W: u32>(left: bool, [hi, lo, amount]: [&str; 3]) -> String {
    TEXTS.with_borrow_mut(Vec::clear);
    let of = |t: &str| Text::<W>::new(t.into());
    semantics::funnel(left, of(hi), of(lo), of(amount)).text()
}

fn integer(ty: Ty, a: &str, b: &str, op: IntOp) -> Option<String> {
    of_width!(ty, integer_of(a, b, op))
}

fn integer_un(ty: Ty, a: &str, op: IntUnOp) -> Option<String> {
    of_width!(ty, integer_un_of(a, op))
}

fn funnel(ty: Ty, left: bool, parts: [&str; 3]) -> Option<String> {
    of_width!(ty, funnel_of(left, parts))
}

#[cfg(test)]
mod tests {
    use lockstep_cancel::Cancel;

    use super::*;
    use crate::solve::{Answer, Solver};
    use crate::term::{Undefined, evaluate};

    /// What an operation gives on values of its operands, is what the solver says: the negation has no model.
    fn agrees(pool: &mut Pool, inputs: &[T], values: &[u64], result: T) {
        let expected = evaluate::value(pool, result, &|v| values[v as usize]);
        let mut parts = Vec::new();
        for (&input, &v) in inputs.iter().zip(values) {
            let bits = pool.cast(CastOp::Bit, input, integer_like(pool.ty(input)));
            let k = pool.constant(pool.ty(bits), v);
            parts.push(pool.cmp(CmpOp::Eq, bits, k));
        }
        let ty = pool.ty(result);
        let k = pool.constant(ty, expected);
        let same = pool.same(result, k);
        parts.push(pool.not(same));
        let differs = pool.all(&parts);
        let mut solver = Solver::new(None, Cancel::default(), 20_000_000);
        let answer = solver.can(pool, differs);
        let what = pool.show(result);
        assert!(matches!(answer, Answer::Never), "{what} of {values:x?}: {answer:?}");
    }

    fn integer_like(ty: Ty) -> Ty {
        match ty {
            Ty::F16 => Ty::I16,
            Ty::F32 => Ty::I32,
            Ty::F64 => Ty::I64,
            ty => ty,
        }
    }

    fn pair(ty: Ty) -> (Pool, [T; 2]) {
        let mut p = Pool::default();
        let inputs = std::array::from_fn(|_| p.undefined(Undefined::Uninitialised, ty));
        (p, inputs)
    }

    #[test]
    fn integers_mean_the_same_to_the_solver() {
        use IntOp::*;
        for op in [
            Add, Sub, Mul, UDiv, SDiv, URem, SRem, And, Or, Xor, Shl, LShr, AShr, UMin, UMax, SMin,
            SMax, UMulHi, SMulHi, UAddSat, SAddSat, USubSat, SSubSat,
        ] {
            for values in [[7, 3], [200, 0], [128, 255], [1, 8], [255, 9]] {
                let (mut p, [a, b]) = pair(Ty::I8);
                let t = p.int(op, a, b);
                agrees(&mut p, &[a, b], &values, t);
            }
        }
        use IntUnOp::*;
        for op in [PopCount, Clz, Ctz, BitReverse, ByteSwap, Abs] {
            for v in [0, 1, 0x8000, 0xf00f, 0xffff] {
                let (mut p, [a, b]) = pair(Ty::I16);
                let t = p.int_un(op, a);
                agrees(&mut p, &[a, b], &[v, 0], t);
            }
        }
    }

    #[test]
    fn floats_mean_the_same_to_the_solver() {
        use FloatOp::*;
        let numbers = [0.0f32, -0.0, 1.5, f32::NAN, f32::INFINITY, 1e-42, 3e38, -2.25];
        for op in [Add, Sub, Mul, Div, Min, Max] {
            for x in numbers {
                for y in [0.0f32, -0.0, f32::NAN, 3e38] {
                    let (mut p, [a, b]) = pair(Ty::F32);
                    let t = p.float(op, Rounding::NearestEven, a, b);
                    agrees(&mut p, &[a, b], &[x.to_bits().into(), y.to_bits().into()], t);
                }
            }
        }
        for op in [
            FloatUnOp::Neg,
            FloatUnOp::Abs,
            FloatUnOp::Sqrt,
            FloatUnOp::Floor,
            FloatUnOp::Ceil,
            FloatUnOp::Trunc,
            FloatUnOp::RoundEven,
            FloatUnOp::RoundAway,
        ] {
            for x in [0.5f32, -0.5, 2.5, -1.5, 1e-42, f32::NAN, f32::INFINITY] {
                let (mut p, [a, b]) = pair(Ty::F32);
                let t = p.float_un(op, Rounding::NearestEven, a);
                agrees(&mut p, &[a, b], &[x.to_bits().into(), 0], t);
            }
        }
        for rounding in [Rounding::NearestEven, Rounding::TowardZero, Rounding::Up, Rounding::Down]
        {
            for (signed, from, to) in [
                (true, Ty::F32, Ty::I32),
                (false, Ty::F32, Ty::I8),
                (true, Ty::F64, Ty::I8),
                (false, Ty::F64, Ty::I64),
                (true, Ty::F16, Ty::I32),
            ] {
                let op = if signed { CastOp::FToS(rounding) } else { CastOp::FToU(rounding) };
                let numbers = [
                    0.5,
                    -0.5,
                    2.5,
                    126.7,
                    127.5,
                    128.0,
                    -128.3,
                    -129.0,
                    254.5,
                    255.5,
                    2147483648.0,
                    -2147483648.0,
                    1e10,
                    2e19,
                    f64::NAN,
                    f64::NEG_INFINITY,
                ];
                for x in numbers {
                    let (mut p, [a, b]) = pair(from);
                    let t = p.cast(op, a, to);
                    let bits = lockstep_kernel::semantics::bits::real_bits(from, x);
                    agrees(&mut p, &[a, b], &[bits, 0], t);
                }
            }
        }
        for (op, from, to) in [
            (CastOp::SToF(Rounding::NearestEven), Ty::I32, Ty::F32),
            (CastOp::UToF(Rounding::NearestEven), Ty::I64, Ty::F32),
            (CastOp::SToF(Rounding::NearestEven), Ty::I64, Ty::F64),
            (CastOp::FToF(Rounding::NearestEven), Ty::F64, Ty::F32),
            (CastOp::FToF(Rounding::NearestEven), Ty::F64, Ty::F16),
            (CastOp::FToF(Rounding::NearestEven), Ty::F16, Ty::F32),
        ] {
            for v in [0u64, 1, 0x7fff_ffff_ffff_ffff, 0x4010_0000_0000_1234, 0xffff_ffff_0102_0304]
            {
                let (mut p, [a, b]) = pair(from);
                let t = p.cast(op, a, to);
                agrees(&mut p, &[a, b], &[v & from.mask(), 0], t);
            }
        }
    }
}
