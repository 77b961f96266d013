//! Facts about division: `x % m` is below `m`, `x / m` is below `n` where `x` is below `n*m`, and two numbers with the
//! same quotient and the same remainder by one divisor are equal.
//!
//! Kernels that permute the elements of a multi-dimensional array split a position this way and recombine it in another
//! order ([`crate::decide::rules::nested`] splits the result). All rules are about natural numbers: a signed division
//! counts only where the dividend is known to be non-negative and the divisor positive, and a divisor that is a product
//! or a sum only where it is known not to overflow. Division by zero gives a quotient of all ones, and the dividend as
//! remainder, so a divisor must be known to be positive. `(x / m) / n` is `x / (m*n)` over the integers, whether or not
//! that product fits the width.
//!
//! What it can miss: divisors that differ between the two threads, and a remainder written as `x - x / m * m`.

use crate::decide::rules::inequalities::{Facts, Limits};
use crate::decide::rules::poly::Poly;
use crate::decide::rules::radix::core;
use crate::launch::context::Ctx;
use crate::term::{Bin, Node, T, mask, smax};

/// The integer quotient of a number by a positive divisor.
#[derive(Debug, PartialEq, Eq)]
struct Quotient {
    of: T,
    by: Poly,
}

/// The form of a term: a quotient, or the remainder of a quotient.
#[derive(Debug)]
enum Part {
    Quotient(Quotient),
    /// The remainder of the quotient by this number.
    Remainder(Quotient, Poly),
}

/// Maximum depth of nested divisions.
const DEPTH: usize = 8;

/// Whether a term is a quotient or a remainder.
pub(crate) fn is_division(ctx: &Ctx, t: T) -> bool {
    match *ctx.pool.node(t) {
        Node::Bin(Bin::UDiv | Bin::URem | Bin::SDiv | Bin::SRem, ..) => true,
        Node::Bin(Bin::LShr, _, c) => ctx.pool.as_const(c).is_some(),
        Node::Bin(Bin::And, a, b) => low_bits(ctx, a, b).is_some(),
        _ => false,
    }
}

/// `x & (2^n - 1)` is `x % 2^n`.
fn low_bits(ctx: &Ctx, a: T, b: T) -> Option<(T, u64)> {
    let all_ones = |c: &u64| *c > 0 && *c < mask(63) && (*c + 1).is_power_of_two();
    let by = |t: T| ctx.pool.as_const(t).filter(all_ones).map(|c| c + 1);
    by(b).map(|n| (a, n)).or_else(|| by(a).map(|n| (b, n)))
}

/// Whether a term is not negative as a signed number.
fn is_natural(ctx: &Ctx, limits: &Limits, t: T, depth: usize) -> bool {
    if ctx.pool.range(t).nonneg() {
        return true;
    }
    // At most the dividend.
    match *ctx.pool.node(t) {
        Node::Bin(Bin::SRem, a, _) => depth > 0 && is_natural(ctx, limits, a, depth - 1),
        Node::Bin(Bin::UDiv | Bin::SDiv, a, _) => {
            depth > 0 && quotient(ctx, limits, t, depth - 1).is_some() && {
                is_natural(ctx, limits, a, depth - 1)
            }
        }
        Node::Bin(Bin::URem, a, _) => depth > 0 && is_natural(ctx, limits, a, depth - 1),
        _ => false,
    }
}

/// A divisor as a polynomial over the integers, if it is positive; for a signed division, as a signed number.
fn divisor(ctx: &Ctx, limits: &Limits, t: T, signed: bool) -> Option<Poly> {
    let end = if signed { smax(ctx.pool.width(t)) as u64 } else { mask(ctx.pool.width(t)) };
    let range = ctx.pool.range(t);
    let fits = |p: &Poly| {
        limits.least_of(ctx, p).is_some_and(|n| n > 0)
            && limits.most_of(ctx, &p.positive_part()).is_some_and(|n| n <= u128::from(end))
    };
    let whole = limits.exact(ctx, t).filter(fits);
    let alone = core(ctx, t);
    whole.or_else(|| (limits.low(ctx, alone) > 0 && range.uhi <= end).then(|| Poly::atom(alone)))
}

/// The division that a term is the quotient of.
fn quotient(ctx: &Ctx, limits: &Limits, t: T, depth: usize) -> Option<Quotient> {
    let t = core(ctx, t);
    let (of, by) = match *ctx.pool.node(t) {
        Node::Bin(Bin::UDiv, a, b) => (a, divisor(ctx, limits, b, false)?),
        Node::Bin(Bin::SDiv, a, b) => {
            let by = divisor(ctx, limits, b, true)?;
            (a, Some(by).filter(|_| is_natural(ctx, limits, a, depth))?)
        }
        Node::Bin(Bin::LShr, a, c) => {
            let bits = ctx.pool.as_const(c).filter(|c| *c < 63)?;
            (a, Poly::constant(1 << bits))
        }
        _ => return None,
    };
    let of = core(ctx, of);
    match (depth > 0).then(|| quotient(ctx, limits, of, depth - 1)).flatten() {
        Some(inner) => Some(Quotient { of: inner.of, by: inner.by.times(&by)? }),
        None => Some(Quotient { of, by }),
    }
}

/// The dividend and the divisor, if a term is a remainder.
fn remainder(ctx: &Ctx, limits: &Limits, t: T) -> Option<(T, Poly)> {
    match *ctx.pool.node(core(ctx, t)) {
        Node::Bin(Bin::URem, a, b) => Some((core(ctx, a), divisor(ctx, limits, b, false)?)),
        Node::Bin(Bin::SRem, a, b) => {
            let by = divisor(ctx, limits, b, true)?;
            is_natural(ctx, limits, a, DEPTH).then(|| (core(ctx, a), by))
        }
        Node::Bin(Bin::And, a, b) => {
            let (a, n) = low_bits(ctx, a, b)?;
            Some((core(ctx, a), Poly::constant(i128::from(n))))
        }
        _ => None,
    }
}

fn part(ctx: &Ctx, limits: &Limits, t: T) -> Option<Part> {
    if let Some((of, by)) = remainder(ctx, limits, t) {
        let whole = Quotient { of, by: Poly::constant(1) };
        return Some(Part::Remainder(quotient(ctx, limits, of, DEPTH).unwrap_or(whole), by));
    }
    quotient(ctx, limits, t, DEPTH).map(Part::Quotient)
}

/// Adds the facts about a division: its upper bound, and that the quotient times the divisor is at most the dividend.
pub(crate) fn add(ctx: &Ctx, t: T, facts: &mut Facts) {
    if let Some((_, by)) = remainder(ctx, &facts.limits, t) {
        know_below(ctx, t, by, facts);
        return;
    }
    let Some(q) = quotient(ctx, &facts.limits, t, DEPTH) else { return };
    if let Some(of) = facts.limits.exact(ctx, q.of).or_else(|| Some(Poly::atom(q.of)))
        && let Some(times) = Poly::atom(core(ctx, t)).times(&q.by)
        && let Some(rest) = of.minus(&times)
    {
        facts.know_natural(ctx, rest);
    }
    for end in ends(ctx, facts, q.of) {
        know_below(ctx, t, end.divide_exactly(&q.by).unwrap_or(end), facts);
    }
}

fn know_below(ctx: &Ctx, t: T, end: Poly, facts: &mut Facts) {
    if let Some((&[limit], 1)) = end.product() {
        facts.limits.know_below(core(ctx, t), limit);
    }
    facts.add_below(ctx, t, end);
}

/// The known upper bounds (exclusive) of a number.
fn ends(ctx: &Ctx, facts: &Facts, t: T) -> Vec<Poly> {
    let Some(whole) = facts.limits.exact(ctx, t) else { return Vec::new() };
    let same = facts.below.iter().filter(|b| b.whole().as_ref() == Some(&whole));
    same.map(|b| b.end.clone()).collect()
}

/// Equations of quotients and of remainders of two numbers that together imply that the numbers are equal. Returns the
/// positions of these equations and their replacement: the numbers are equal exactly where all the equations hold.
///
/// `x / m` is `n * (x / (m*n)) + (x / m) % n`, so equal quotients by `m*n` and equal remainders imply equal quotients
/// by `m`, and so on until `m` is 1. A number below `m*n` has the quotient zero.
pub(crate) fn joined(ctx: &mut Ctx, list: &[T]) -> Option<(Vec<usize>, T)> {
    let mut equations: Vec<(usize, T, T)> = Vec::new();
    for (at, &t) in list.iter().enumerate() {
        if let Node::Bin(Bin::Eq, a, b) = *ctx.pool.node(t) {
            let (a, b) = (core(ctx, a), core(ctx, b));
            if is_division(ctx, a) && is_division(ctx, b) {
                equations.push((at, a, b));
            }
        }
    }
    if equations.is_empty() {
        return None;
    }
    let facts = Facts::of(ctx, list);
    let limits = &facts.limits;
    let (mut quotients, mut remainders) = (Vec::new(), Vec::new());
    for (at, a, b) in equations {
        match (part(ctx, limits, a), part(ctx, limits, b)) {
            (Some(Part::Quotient(p)), Some(Part::Quotient(q))) if p.by == q.by => {
                quotients.push((vec![at], p.of, q.of, p.by));
            }
            (Some(Part::Remainder(p, m)), Some(Part::Remainder(q, n)))
                if p.by == q.by && m == n =>
            {
                remainders.push((at, p.of, q.of, p.by, m));
            }
            _ => {}
        }
    }
    // Both numbers are below the same bound, so their quotients by it are zero.
    for (_, a, b, ..) in &remainders {
        let (ours, others) = (ends(ctx, &facts, *a), ends(ctx, &facts, *b));
        for end in ours.into_iter().filter(|e| others.contains(e)) {
            quotients.push((Vec::new(), *a, *b, end));
        }
    }
    for (mut used, a, b, mut by) in quotients {
        loop {
            if by == Poly::constant(1) {
                let (x, y) = (ctx.pool.resize(a, 64), ctx.pool.resize(b, 64));
                let same = ctx.pool.eq(x, y);
                return (!used.is_empty()).then_some((used, same));
            }
            let same = |x: T, y: T| (x, y) == (a, b) || (x, y) == (b, a);
            let step = remainders.iter().find(|(at, x, y, q, m)| {
                !used.contains(at) && same(*x, *y) && q.times(m).is_some_and(|whole| whole == by)
            });
            let Some((at, _, _, q, _)) = step else { break };
            used.push(*at);
            by = q.clone();
        }
    }
    None
}
