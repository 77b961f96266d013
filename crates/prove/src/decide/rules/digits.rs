//! Positions in a mixed radix whose digits are bounded by conditions: `10816*z + 104*y + x` with `x < 96` and `y < 96`.
//!
//! An equation of two such positions is equivalent to one equation for each digit. The constructors of terms see this
//! where the structure of the terms bounds the digits. Here the other members of the conjunction bound them, and they
//! bound sums (`y` is `threadIdx.y + 16*blockIdx.y`), so the atoms of a bounded sum are grouped.
//!
//! Let `D` be the difference of both sides over the integers, which must not overflow. Let the coefficients of some
//! atoms have the common divisor `M`, and let the remaining part of `D` be strictly between `-M` and `M`. Then the
//! remaining part is a multiple of `M`, so it is zero, and so is the sum of the others.

use crate::decide::presolve::literal;
use crate::decide::rules::radix::core;
use crate::launch::context::Ctx;
use crate::term::{Bin, Node, T, gcd, mask, sign_extend, smax, smin};

/// An atom of a sum over the integers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Atom {
    /// A non-negative value: identified by the operand of its extension, because all extensions of it are the same
    /// number.
    Natural(T),
    /// A term as it is, read as signed.
    Signed(T),
}

impl Atom {
    pub(crate) fn of(ctx: &Ctx, t: T) -> Atom {
        if ctx.pool.atom_interval(t).0 >= 0 { Atom::Natural(core(ctx, t)) } else { Atom::Signed(t) }
    }

    pub(crate) fn term(self) -> T {
        let (Atom::Natural(t) | Atom::Signed(t)) = self;
        t
    }

    pub(crate) fn interval(self, ctx: &Ctx) -> (i128, i128) {
        match self {
            Atom::Natural(t) => {
                let r = ctx.pool.range(t);
                (i128::from(r.ulo), i128::from(r.uhi))
            }
            Atom::Signed(t) => ctx.pool.atom_interval(t),
        }
    }
}

/// A sum of atoms, without its constant, and its interval: a sum that a condition bounds, or a digit of an equation.
pub(crate) struct Bounded {
    pub(crate) terms: Vec<(Atom, i128)>,
    pub(crate) lo: i128,
    pub(crate) hi: i128,
}

/// A term as a constant plus atoms over the integers; equal to the term modulo its width.
pub(crate) fn linear(ctx: &Ctx, t: T) -> (i128, Vec<(Atom, i128)>) {
    let w = ctx.pool.width(t);
    match ctx.pool.node(t) {
        Node::Const(c) => (i128::from(sign_extend(*c, w)), Vec::new()),
        Node::Lin(c, terms) => {
            let terms =
                terms.iter().map(|&(a, k)| (Atom::of(ctx, a), i128::from(sign_extend(k, w))));
            (i128::from(sign_extend(*c, w)), terms.collect())
        }
        _ => (0, vec![(Atom::of(ctx, t), 1)]),
    }
}

/// The interval of a term over the integers, from its structure.
pub(crate) fn interval(ctx: &Ctx, t: T) -> (i128, i128) {
    match ctx.pool.node(t) {
        Node::Lin(c, terms) => ctx.pool.lin_interval(*c, terms, ctx.pool.width(t)),
        _ => ctx.pool.atom_interval(t),
    }
}

/// The bounds that a comparison with a constant gives a sum.
fn bounded(ctx: &Ctx, t: T) -> Option<Bounded> {
    let (negated, t) = literal(&ctx.pool, t);
    let Node::Bin(op @ (Bin::Ult | Bin::Slt), a, b) = *ctx.pool.node(t) else { return None };
    let w = ctx.pool.width(a);
    let (least, most) = match op {
        Bin::Ult => (0, i128::from(mask(w))),
        _ => (i128::from(smin(w)), i128::from(smax(w))),
    };
    let number = |c: u64| match op {
        Bin::Ult => i128::from(c),
        _ => i128::from(sign_extend(c, w)),
    };
    let (sum, above, below) = match (ctx.pool.as_const(a), ctx.pool.as_const(b)) {
        (None, Some(c)) if negated => (a, number(c), i128::MAX),
        (None, Some(c)) => (a, i128::MIN, number(c) - 1),
        (Some(c), None) if negated => (b, i128::MIN, number(c)),
        (Some(c), None) => (b, number(c) + 1, i128::MAX),
        _ => return None,
    };
    let (lo, hi) = interval(ctx, sum);
    // Only where the compared value equals the sum over the integers.
    if w == 1 || lo < least || hi > most {
        return None;
    }
    let (constant, terms) = linear(ctx, sum);
    let step = terms.iter().fold(0, |g, (_, k)| gcd(g, *k));
    if step == 0 {
        return None;
    }
    let (lo, hi) = (lo.max(above) - constant, hi.min(below) - constant);
    let (lo, hi) = (-(-lo).div_euclid(step), hi.div_euclid(step));
    let terms = terms.into_iter().map(|(t, k)| (t, k / step)).collect();
    (lo <= hi).then_some(Bounded { terms, lo, hi })
}

/// The bounds from all members of a conjunction: the longest sums first, and the narrowest interval first among sums of
/// the same length.
pub(crate) fn all_bounded(ctx: &Ctx, list: &[T]) -> Vec<Bounded> {
    let mut all: Vec<Bounded> = list.iter().filter_map(|&t| bounded(ctx, t)).collect();
    all.sort_by_key(|b| (usize::MAX - b.terms.len(), b.hi - b.lo));
    all
}

/// The interval of the sum of all digits.
pub(crate) fn range(digits: &[Bounded]) -> Option<(i128, i128)> {
    digits.iter().try_fold((0i128, 0i128), |(lo, hi), d| {
        Some((lo.checked_add(d.lo)?, hi.checked_add(d.hi)?))
    })
}

/// The atoms of an equation, grouped by bounded sums.
pub(crate) fn digits(ctx: &Ctx, mut atoms: Vec<(Atom, i128)>, known: &[Bounded]) -> Vec<Bounded> {
    let mut out = Vec::new();
    for sum in known {
        let of = |t: Atom| atoms.iter().find(|(a, _)| *a == t).map(|(_, k)| *k);
        let (first, step) = sum.terms[0];
        let Some(k) = of(first).filter(|k| k % step == 0).map(|k| k / step) else { continue };
        let all =
            sum.terms.iter().all(|&(t, s)| s.checked_mul(k).is_some_and(|p| of(t) == Some(p)));
        let (Some(x), Some(y)) = (sum.lo.checked_mul(k), sum.hi.checked_mul(k)) else { continue };
        if !all {
            continue;
        }
        atoms.retain(|(a, _)| sum.terms.iter().all(|(t, _)| t != a));
        let terms = sum.terms.iter().map(|&(t, s)| (t, s * k)).collect();
        out.push(Bounded { terms, lo: x.min(y), hi: x.max(y) });
    }
    for (t, k) in atoms {
        let (lo, hi) = t.interval(ctx);
        if let (Some(x), Some(y)) = (lo.checked_mul(k), hi.checked_mul(k)) {
            out.push(Bounded { terms: vec![(t, k)], lo: x.min(y), hi: x.max(y) });
        } else {
            return Vec::new();
        }
    }
    out
}

/// `constant + digits == 0`, as an equation of the original width; it does not overflow.
pub(crate) fn equation(ctx: &mut Ctx, constant: i128, digits: &[Bounded], w: u32) -> T {
    let mut sides = [Vec::new(), Vec::new()];
    for &(t, k) in digits.iter().flat_map(|d| &d.terms) {
        let t = ctx.pool.resize(t.term(), w);
        sides[usize::from(k < 0)].push((t, k.unsigned_abs() as u64 & mask(w)));
    }
    let constants = [constant.max(0) as u64 & mask(w), (-constant).max(0) as u64 & mask(w)];
    let [a, b] = [0, 1].map(|i| ctx.pool.sum(constants[i], &sides[i], w));
    ctx.pool.eq(a, b)
}

/// Splits one equation of the list by digits. Returns its position and its replacement.
pub(crate) fn by_digits(ctx: &mut Ctx, list: &[T]) -> Option<(usize, Vec<T>)> {
    let mut known: Option<Vec<Bounded>> = None;
    for (at, &t) in list.iter().enumerate() {
        let Node::Bin(Bin::Eq, a, b) = *ctx.pool.node(t) else { continue };
        let w = ctx.pool.width(a);
        if w == 1 {
            continue;
        }
        let ((c, left), (d, right)) = (linear(ctx, a), linear(ctx, b));
        if left.len() + right.len() < 3 {
            continue;
        }
        let mut atoms = left;
        for (t, k) in right {
            match atoms.iter_mut().find(|(a, _)| *a == t) {
                Some((_, own)) => *own -= k,
                None => atoms.push((t, -k)),
            }
        }
        atoms.retain(|(_, k)| *k != 0);
        // A negative atom would have to be sign-extended again, as it was.
        let narrow = |a: &Atom| matches!(*a, Atom::Signed(t) if ctx.pool.width(t) != w);
        if atoms.iter().any(|(a, _)| narrow(a)) {
            continue;
        }
        let known = known.get_or_insert_with(|| all_bounded(ctx, list));
        let digits = digits(ctx, atoms, known);
        if let Some(parts) = separate(ctx, c - d, digits, w) {
            return Some((at, parts));
        }
    }
    None
}

fn separate(ctx: &mut Ctx, constant: i128, mut digits: Vec<Bounded>, w: u32) -> Option<Vec<T>> {
    let (lo, hi) = range(&digits)?;
    if lo + constant <= -(1i128 << w) || hi + constant >= 1i128 << w {
        return None;
    }
    let step = |d: &Bounded| d.terms.iter().fold(0, |g, (_, k)| gcd(g, *k));
    digits.sort_by_key(step);
    for from in 1..digits.len() {
        let m = digits[from..].iter().map(step).fold(0, gcd);
        let (lo, hi) = range(&digits[..from])?;
        let low = constant.rem_euclid(m);
        for low in [low, low - m] {
            if lo + low > -m && hi + low < m {
                let high = digits.split_off(from);
                let parts =
                    [equation(ctx, low, &digits, w), equation(ctx, constant - low, &high, w)];
                return Some(parts.into());
            }
        }
    }
    None
}
