//! Rewritings of floating-point terms, each with the assumptions that it needs.
//!
//! A rule without an assumption gives the same value for every operand, zeros of both signs, infinities and NaNs included;
//! of a NaN, sign and payload do not count, as IEEE 754 leaves them open. One with assumptions gives the same value wherever
//! they hold. `x * 0 = 0`, `x + 0 = x` and `x * 1 = x` are the rules of the KLEE-CL paper.

use lockstep_kernel::semantics::bits::{real_bits, real_value};
use lockstep_kernel::{CastOp, CmpOp, FloatOp, FloatUnOp, Rounding, Ty};

use super::assumptions::Assumptions;
use crate::term::{Node, Pool, T};

pub(crate) struct Rule {
    /// For readers, and for tests.
    #[cfg_attr(not(test), allow(dead_code))]
    pub(crate) name: &'static str,
    pub(crate) needs: Assumptions,
    /// What the term is by this rule, where it says something.
    pub(crate) apply: fn(&mut Pool, T) -> Option<T>,
}

const NEAREST: Rounding = Rounding::NearestEven;
const FINITE: Assumptions = Assumptions::FINITE;
const ZERO: Assumptions = Assumptions::POSITIVE_ZERO;

/// In the order in which they are tried.
pub(crate) static RULES: [Rule; 23] = [
    Rule { name: "a - b = a + -b", needs: Assumptions::NONE, apply: difference },
    Rule { name: "a + b = b + a, a * b = b * a", needs: Assumptions::NONE, apply: commuted },
    Rule { name: "x * 1 = x", needs: Assumptions::NONE, apply: times_one },
    Rule { name: "x / 2^k = x * 2^-k", needs: Assumptions::NONE, apply: divided_by_power },
    Rule { name: "-a * b = -(a * b)", needs: Assumptions::NONE, apply: negative_factor },
    Rule { name: "-a + -b = -(a + b)", needs: ZERO, apply: negative_sum },
    Rule { name: "-(a + -b) = b + -a", needs: ZERO, apply: negative_difference },
    Rule { name: "(a + -b)^2 = (b + -a)^2", needs: Assumptions::NONE, apply: even_difference },
    Rule { name: "x + x = x * 2", needs: Assumptions::NONE, apply: doubled },
    Rule { name: "x + -0 = x", needs: Assumptions::NONE, apply: plus_negative_zero },
    Rule { name: "fma(a, b, c) = fma(b, a, c)", needs: Assumptions::NONE, apply: commuted_fma },
    Rule { name: "x * (c ? 1 : 2) = c ? x * 1 : x * 2", needs: Assumptions::NONE, apply: chosen },
    Rule { name: "x is x", needs: FINITE, apply: ordered },
    Rule { name: "!(a < b) = b <= a", needs: FINITE, apply: negated_comparison },
    Rule { name: "x + 0 = x", needs: ZERO, apply: plus_zero },
    Rule { name: "-0 = 0", needs: ZERO, apply: negative_zero },
    Rule { name: "x * 0 = 0", needs: FINITE.with(ZERO), apply: times_zero },
    Rule { name: "x + -x = 0", needs: FINITE.with(ZERO), apply: cancelled },
    Rule { name: "a < b ? a : b = fmin(a, b)", needs: FINITE.with(ZERO), apply: extreme },
    Rule { name: "fmin(x, infinity) = x", needs: FINITE, apply: with_infinity },
    Rule { name: "(int)floor(x) = x rounded down", needs: Assumptions::NONE, apply: whole },
    Rule {
        name: "(float)((double)a + (double)b) = a + b",
        needs: Assumptions::NONE,
        apply: narrowed,
    },
    Rule { name: "fma(a, b, c) = a * b + c", needs: Assumptions::CONTRACTION, apply: contracted },
];

fn is_number(pool: &Pool, t: T, x: f64) -> bool {
    let ty = pool.ty(t);
    let known = pool.value(t).map(|v| real_value(ty, v));
    known.is_some_and(|v| v == x && v.is_sign_negative() == x.is_sign_negative())
}

fn operands(pool: &Pool, t: T, op: FloatOp) -> Option<(T, T)> {
    match *pool.node(t) {
        Node::Float(own, NEAREST, a, b) if own == op => Some((a, b)),
        _ => None,
    }
}

fn negated(pool: &Pool, t: T) -> Option<T> {
    match *pool.node(t) {
        Node::FloatUn(FloatUnOp::Neg, _, a) => Some(a),
        _ => None,
    }
}

pub(super) fn negate(pool: &mut Pool, t: T) -> T {
    pool.float_un(FloatUnOp::Neg, NEAREST, t)
}

fn difference(pool: &mut Pool, t: T) -> Option<T> {
    let (a, b) = operands(pool, t, FloatOp::Sub)?;
    let b = negate(pool, b);
    Some(pool.float(FloatOp::Add, NEAREST, a, b))
}

/// Whether operands stand in the order that terms have: constants last.
fn ordered_pair(pool: &Pool, a: T, b: T) -> bool {
    (pool.value(a).is_some(), a) <= (pool.value(b).is_some(), b)
}

/// An operation as the rule for `+` and `*` leaves it.
fn in_order(pool: &mut Pool, op: FloatOp, a: T, b: T) -> T {
    match op {
        FloatOp::Add | FloatOp::Mul if !ordered_pair(pool, a, b) => pool.float(op, NEAREST, b, a),
        _ => pool.float(op, NEAREST, a, b),
    }
}

fn commuted(pool: &mut Pool, t: T) -> Option<T> {
    match *pool.node(t) {
        Node::Float(op @ (FloatOp::Add | FloatOp::Mul), rounding, a, b)
            if !ordered_pair(pool, a, b) =>
        {
            Some(pool.float(op, rounding, b, a))
        }
        _ => None,
    }
}

fn commuted_fma(pool: &mut Pool, t: T) -> Option<T> {
    match *pool.node(t) {
        Node::Fma(rounding, a, b, c) if !ordered_pair(pool, a, b) => {
            Some(pool.fma(rounding, b, a, c))
        }
        _ => None,
    }
}

fn times_one(pool: &mut Pool, t: T) -> Option<T> {
    if let Some((a, b)) = operands(pool, t, FloatOp::Mul) {
        if is_number(pool, b, 1.0) {
            return Some(a);
        }
        if is_number(pool, b, -1.0) {
            return Some(negate(pool, a));
        }
    }
    let (a, b) = operands(pool, t, FloatOp::Div)?;
    is_number(pool, b, 1.0).then_some(a)
}

/// Exact: both are the one number nearest to the quotient.
fn divided_by_power(pool: &mut Pool, t: T) -> Option<T> {
    let (a, b) = operands(pool, t, FloatOp::Div)?;
    let ty = pool.ty(b);
    let divisor = real_value(ty, pool.value(b)?);
    let factor = 1.0 / divisor;
    let bits = real_bits(ty, factor);
    let is_power = |x: f64| x.is_normal() && x.to_bits() << 12 == 0;
    // Both must be numbers of the type, and powers of two.
    let exact = is_power(divisor) && is_power(factor) && real_value(ty, bits) == factor;
    let factor = exact.then(|| pool.constant(ty, bits))?;
    Some(pool.float(FloatOp::Mul, NEAREST, a, factor))
}

fn negative_factor(pool: &mut Pool, t: T) -> Option<T> {
    let op =
        [FloatOp::Mul, FloatOp::Div].into_iter().find(|op| operands(pool, t, *op).is_some())?;
    let (a, b) = operands(pool, t, op)?;
    let (x, y) = match (negated(pool, a), negated(pool, b)) {
        (Some(x), _) => (x, b),
        (None, Some(y)) => (a, y),
        (None, None) => return None,
    };
    let product = in_order(pool, op, x, y);
    Some(negate(pool, product))
}

fn negative_sum(pool: &mut Pool, t: T) -> Option<T> {
    let (a, b) = operands(pool, t, FloatOp::Add)?;
    let (x, y) = (negated(pool, a)?, negated(pool, b)?);
    let sum = in_order(pool, FloatOp::Add, x, y);
    Some(negate(pool, sum))
}

fn negative_difference(pool: &mut Pool, t: T) -> Option<T> {
    let (a, b) = operands(pool, negated(pool, t)?, FloatOp::Add)?;
    if negated(pool, a).is_some() == negated(pool, b).is_some() {
        return None;
    }
    let (a, b) = (negate(pool, a), negate(pool, b));
    Some(in_order(pool, FloatOp::Add, a, b))
}

/// A difference whose sign does not matter; that of equal numbers is a zero without one.
fn even_difference(pool: &mut Pool, t: T) -> Option<T> {
    let square = operands(pool, t, FloatOp::Mul).filter(|(a, b)| a == b).map(|(a, _)| a);
    let inner = match *pool.node(t) {
        Node::FloatUn(FloatUnOp::Abs, _, x) => x,
        _ => square?,
    };
    let (a, b) = operands(pool, inner, FloatOp::Add)?;
    let (plus, minus) = match (negated(pool, a), negated(pool, b)) {
        (Some(minus), None) => (b, minus),
        (None, Some(minus)) => (a, minus),
        _ => return None,
    };
    if plus <= minus {
        return None;
    }
    let other = negate(pool, plus);
    let inner = in_order(pool, FloatOp::Add, minus, other);
    Some(match square {
        Some(_) => pool.float(FloatOp::Mul, NEAREST, inner, inner),
        None => pool.float_un(FloatUnOp::Abs, NEAREST, inner),
    })
}

fn doubled(pool: &mut Pool, t: T) -> Option<T> {
    let (a, b) = operands(pool, t, FloatOp::Add).filter(|(a, b)| a == b)?;
    let ty = pool.ty(b);
    let two = pool.constant(ty, real_bits(ty, 2.0));
    Some(pool.float(FloatOp::Mul, NEAREST, a, two))
}

fn plus_negative_zero(pool: &mut Pool, t: T) -> Option<T> {
    let (a, b) = operands(pool, t, FloatOp::Add)?;
    is_number(pool, b, -0.0).then_some(a)
}

fn plus_zero(pool: &mut Pool, t: T) -> Option<T> {
    let (a, b) = operands(pool, t, FloatOp::Add)?;
    is_number(pool, b, 0.0).then_some(a)
}

fn negative_zero(pool: &mut Pool, t: T) -> Option<T> {
    let is_zero = pool.ty(t).is_float() && is_number(pool, t, -0.0);
    is_zero.then(|| pool.constant(pool.ty(t), 0))
}

fn times_zero(pool: &mut Pool, t: T) -> Option<T> {
    let (_, b) = operands(pool, t, FloatOp::Mul)?;
    (is_number(pool, b, 0.0) || is_number(pool, b, -0.0)).then(|| pool.constant(pool.ty(t), 0))
}

fn cancelled(pool: &mut Pool, t: T) -> Option<T> {
    let (a, b) = operands(pool, t, FloatOp::Add)?;
    let opposite = negated(pool, b) == Some(a) || negated(pool, a) == Some(b);
    opposite.then(|| pool.constant(pool.ty(t), 0))
}

fn ordered(pool: &mut Pool, t: T) -> Option<T> {
    match *pool.node(t) {
        Node::Cmp(CmpOp::FOrd, ..) => Some(pool.truth(true)),
        Node::Cmp(CmpOp::FOEq | CmpOp::FOLe, a, b) if a == b => Some(pool.truth(true)),
        Node::Cmp(CmpOp::FOLt, a, b) if a == b => Some(pool.truth(false)),
        Node::Cmp(CmpOp::FONe, a, b) => {
            let same = pool.cmp(CmpOp::FOEq, a, b);
            Some(pool.not(same))
        }
        _ => None,
    }
}

/// `a <= b` is `!(b < a)`, so that one form of each comparison is left.
fn negated_comparison(pool: &mut Pool, t: T) -> Option<T> {
    match *pool.node(t) {
        Node::Cmp(CmpOp::FOLe, a, b) => {
            let less = pool.cmp(CmpOp::FOLt, b, a);
            Some(pool.not(less))
        }
        _ => None,
    }
}

/// A selection by `<`. Constants that are not NaN need no assumption for that, but which zero is taken does.
fn extreme(pool: &mut Pool, t: T) -> Option<T> {
    let Node::Select(c, a, b) = *pool.node(t) else { return None };
    let Node::Cmp(CmpOp::FOLt, x, y) = *pool.node(c) else { return None };
    if !matches!(pool.ty(t), Ty::F16 | Ty::F32 | Ty::F64) {
        return None;
    }
    let op = match (a, b) {
        _ if (a, b) == (x, y) => FloatOp::Min,
        _ if (a, b) == (y, x) => FloatOp::Max,
        _ => return None,
    };
    Some(pool.float(op, NEAREST, x, y))
}

/// An operation on a selection of constants is the selection of its results.
fn chosen(pool: &mut Pool, t: T) -> Option<T> {
    let constants = |pool: &Pool, t: T| match *pool.node(t) {
        Node::Select(c, a, b) if pool.value(a).is_some() && pool.value(b).is_some() => {
            Some((c, a, b))
        }
        _ => None,
    };
    match *pool.node(t) {
        Node::Float(op, rounding, a, b) => {
            if let Some((c, x, y)) = constants(pool, b) {
                let (x, y) = (pool.float(op, rounding, a, x), pool.float(op, rounding, a, y));
                let [x, y] = [x, y].map(|s| simplest(pool, s));
                return Some(pool.select(c, x, y));
            }
            let (c, x, y) = constants(pool, a)?;
            let (x, y) = (pool.float(op, rounding, x, b), pool.float(op, rounding, y, b));
            let [x, y] = [x, y].map(|s| simplest(pool, s));
            Some(pool.select(c, x, y))
        }
        Node::Cast(op @ (CastOp::UToF(_) | CastOp::SToF(_) | CastOp::FToF(_)), a) => {
            let ty = pool.ty(t);
            if let Node::Cast(CastOp::ZExt, bit) = *pool.node(a)
                && pool.ty(bit) == Ty::I1
            {
                let from = pool.ty(a);
                let (one, zero) = (pool.constant(from, 1), pool.constant(from, 0));
                let (one, zero) = (pool.cast(op, one, ty), pool.cast(op, zero, ty));
                return Some(pool.select(bit, one, zero));
            }
            let (c, x, y) = constants(pool, a)?;
            let (x, y) = (pool.cast(op, x, ty), pool.cast(op, y, ty));
            Some(pool.select(c, x, y))
        }
        _ => None,
    }
}

/// A product with a constant in the order of the rule for `*`, and without a factor of one.
fn simplest(pool: &mut Pool, t: T) -> T {
    let t = commuted(pool, t).unwrap_or(t);
    times_one(pool, t).unwrap_or(t)
}

fn with_infinity(pool: &mut Pool, t: T) -> Option<T> {
    let Node::Float(op @ (FloatOp::Min | FloatOp::Max), _, a, b) = *pool.node(t) else {
        return None;
    };
    let neutral = if op == FloatOp::Min { f64::INFINITY } else { f64::NEG_INFINITY };
    if is_number(pool, a, neutral) {
        return Some(b);
    }
    is_number(pool, b, neutral).then_some(a)
}

/// A whole number is converted exactly, however the conversion rounds.
fn whole(pool: &mut Pool, t: T) -> Option<T> {
    let Node::Cast(op @ (CastOp::FToS(_) | CastOp::FToU(_)), a) = *pool.node(t) else {
        return None;
    };
    let Node::FloatUn(un, _, x) = *pool.node(a) else { return None };
    let rounding = match un {
        FloatUnOp::Floor => Rounding::Down,
        FloatUnOp::Ceil => Rounding::Up,
        FloatUnOp::Trunc => Rounding::TowardZero,
        FloatUnOp::RoundEven => Rounding::NearestEven,
        _ => return None,
    };
    let op = match op {
        CastOp::FToS(_) => CastOp::FToS(rounding),
        _ => CastOp::FToU(rounding),
    };
    Some(pool.cast(op, x, pool.ty(t)))
}

/// An operation on numbers of a type, computed in the next wider one: that has more than twice as many digits, so rounding
/// twice gives what rounding once gives (Figueroa, "When is double rounding innocuous?"), also for subnormal results: those of
/// sums and products are exact in the wider type, and a quotient is never that near to the middle of two.
fn narrowed(pool: &mut Pool, t: T) -> Option<T> {
    let ty = pool.ty(t);
    let Node::Cast(CastOp::FToF(NEAREST), wide) = *pool.node(t) else { return None };
    let wider = match ty {
        Ty::F16 => Ty::F32,
        Ty::F32 => Ty::F64,
        _ => return None,
    };
    if pool.ty(wide) != wider {
        return None;
    }
    match *pool.node(wide) {
        Node::Float(
            op @ (FloatOp::Add | FloatOp::Sub | FloatOp::Mul | FloatOp::Div),
            NEAREST,
            a,
            b,
        ) => {
            let (a, b) = (narrow(pool, a, ty)?, narrow(pool, b, ty)?);
            Some(in_order(pool, op, a, b))
        }
        Node::FloatUn(FloatUnOp::Neg, _, a) => {
            let a = narrow(pool, a, ty)?;
            Some(negate(pool, a))
        }
        Node::FloatUn(op @ (FloatUnOp::Sqrt | FloatUnOp::Abs), NEAREST, a) => {
            let a = narrow(pool, a, ty)?;
            Some(pool.float_un(op, NEAREST, a))
        }
        _ => None,
    }
}

/// The number of a narrower type that this one is.
fn narrow(pool: &mut Pool, wide: T, ty: Ty) -> Option<T> {
    match *pool.node(wide) {
        Node::Cast(CastOp::FToF(_), a) if pool.ty(a) == ty => Some(a),
        Node::FloatUn(FloatUnOp::Neg, _, a) => {
            let a = narrow(pool, a, ty)?;
            Some(negate(pool, a))
        }
        Node::Const(bits) => {
            let number = real_value(pool.ty(wide), bits);
            let narrow = real_bits(ty, number);
            (real_value(ty, narrow) == number).then(|| pool.constant(ty, narrow))
        }
        _ => None,
    }
}

fn contracted(pool: &mut Pool, t: T) -> Option<T> {
    let Node::Fma(NEAREST, a, b, c) = *pool.node(t) else { return None };
    let product = in_order(pool, FloatOp::Mul, a, b);
    Some(pool.float(FloatOp::Add, NEAREST, product, c))
}
