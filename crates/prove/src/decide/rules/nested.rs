//! Positions in multi-dimensional arrays with symbolic sizes: `((b*H + h)*S + s)*D + d` with `d < D`, `s < S`, `h < H`
//! and `b < B` is different for each `(b, h, s, d)`, if `B*H*S*D` fits the width.
//!
//! Each side of an equation is a polynomial over the kernel's terms. It is split from the innermost dimension: a radix
//! is a factor of all monomials except those that together form a digit, which [`crate::decide::rules::inequalities`]
//! shows to be below the radix. The rest, divided by the radix, is split again, until it is itself bounded. A digit may
//! consist of several numbers: `row*n + col` is below `m*n`, so it is below a stride that a condition makes at least
//! `m*n`. The numbers are read modulo the width: only that the whole product fits has to be known, from intervals or
//! from a condition on it.
//!
//! Why it is sound: with digits `0 <= d < R` at each radix and a top digit `0 <= q < E`, both positions are numbers
//! below `E` times all radices, which fits the width. So they are equal modulo the width only if they are equal, and
//! then all digits are equal. Terms shared by both sides may be added to both.
//!
//! What it can miss: digits that are a sum of which only a part is bounded, and sides that share variables.

use crate::decide::rules::inequalities::Facts;
use crate::decide::rules::poly::{FACTORS, Poly};
use crate::decide::rules::radix::without_scale;
use crate::decide::rules::sum_bounds::Digit;
use crate::launch::context::Ctx;
use crate::term::walk::reachable;
use crate::term::{Bin, Node, T, gcd};

/// Two positions that are compared.
#[derive(Clone, Copy)]
struct Meeting {
    /// The first position minus the second.
    difference: T,
    /// The number of elements of each access: the accesses overlap where any two of these elements are the same.
    lengths: [u64; 2],
}

impl Meeting {
    /// The two positions that a condition compares: an equation, or the overlap of two accesses of several bytes.
    fn of(ctx: &mut Ctx, t: T) -> Option<Meeting> {
        match *ctx.pool.node(t) {
            Node::Bin(Bin::Eq, a, b) if ctx.pool.width(a) > 1 => {
                Some(Meeting { difference: ctx.pool.sub(a, b), lengths: [1, 1] })
            }
            Node::Bin(Bin::Or, a, b) => {
                let (Node::Bin(Bin::Ult, x, m), Node::Bin(Bin::Ult, y, n)) =
                    (ctx.pool.node(a).clone(), ctx.pool.node(b).clone())
                else {
                    return None;
                };
                let (m, n) = (ctx.pool.as_const(m)?, ctx.pool.as_const(n)?);
                let opposite = ctx.pool.width(x) == ctx.pool.width(y) && {
                    let sum = ctx.pool.add(x, y);
                    ctx.pool.as_const(sum) == Some(0)
                };
                // first - second < m, or second - first < n.
                (opposite && m.max(n) <= LENGTH && m.min(n) > 0)
                    .then_some(Meeting { difference: x, lengths: [n, m] })
            }
            _ => None,
        }
    }

    fn is_equation(self) -> bool {
        self.lengths == [1, 1]
    }
}

/// The largest size of an access, in bytes.
const LENGTH: u64 = 64;

/// Splits an equation of two positions of the list, digit by digit. Returns its position and its replacement.
pub(crate) fn split(ctx: &mut Ctx, list: &[T]) -> Option<(usize, Vec<T>)> {
    let mut known = None;
    for (at, &t) in list.iter().enumerate() {
        let Some(meeting) = Meeting::of(ctx, t) else { continue };
        let difference = meeting.difference;
        if !reachable(&ctx.pool, &[difference]).iter().any(|&t| is_product(ctx, t)) {
            continue;
        }
        let (difference, width) = if meeting.is_equation() {
            let sum = without_scale(ctx, difference);
            (sum.all, sum.width)
        } else {
            (difference, ctx.pool.width(difference))
        };
        let facts = known.get_or_insert_with(|| Facts::of(ctx, list));
        let Some(all) = facts.read(ctx, difference) else { continue };
        let Some([first, second]) = sides(ctx, facts, &all) else { continue };
        let mut digits = Vec::new();
        let nest = Nest { facts, width, lengths: meeting.lengths };
        if nest.take_apart(ctx, [&first, &second], &Poly::constant(1), &mut digits) {
            let equations: Vec<T> =
                digits.into_iter().map(|same| same.condition(ctx, meeting.lengths)).collect();
            if equations != [t] {
                return Some((at, equations));
            }
        }
    }
    None
}

fn is_product(ctx: &Ctx, t: T) -> bool {
    matches!(ctx.pool.node(t), Node::Bin(Bin::Mul, ..))
}

/// The monomials of the thread whose position is added, and those of the other thread, negated: no monomial may depend
/// on both. Shared monomials go to the side on which they are positive.
fn sides(ctx: &Ctx, facts: &Facts, all: &Poly) -> Option<[Poly; 2]> {
    let mut out = [Poly::default(), Poly::default()];
    let (own, common) = facts.parts(ctx, all);
    for (factors, k) in own.0 {
        let tags = owners(ctx, &factors);
        let side = match tags.first() {
            Some(1) if tags.iter().all(|t| *t == 1) => 0,
            Some(2) if tags.iter().all(|t| *t == 2) => 1,
            _ => return None,
        };
        out[side].0.push((factors, k));
    }
    // One of the two positions is subtracted.
    let is_first = |p: &Poly, sign: i128| p.0.iter().all(|(_, k)| k * sign > 0);
    let sign = if is_first(&out[0], 1) && is_first(&out[1], -1) { 1 } else { -1 };
    for (side, sign) in out.iter_mut().zip([sign, -sign]) {
        side.0.iter_mut().for_each(|(_, k)| *k *= sign);
        let positive = common.0.iter().filter(|(_, k)| k * sign > 0);
        let common = Poly(positive.map(|(f, k)| (f.clone(), k * sign)).collect());
        side.add(&common, 1)?;
    }
    if sign < 0 {
        out.swap(0, 1);
    }
    out.iter().all(Poly::is_natural).then_some(out)
}

/// The threads that the factors depend on.
fn owners(ctx: &Ctx, factors: &[T]) -> Vec<u8> {
    let owner = |t: T| match ctx.pool.node(t) {
        Node::Var(v) => Some(ctx.owner(*v)),
        _ => None,
    };
    reachable(&ctx.pool, factors).into_iter().filter_map(owner).filter(|tag| *tag > 0).collect()
}

/// The condition under which digits are equal.
#[derive(Debug)]
enum Same {
    Never,
    Where(Poly, Poly),
    /// The digits are the first of several elements, and the ranges of elements overlap.
    Near(Poly, Poly),
}

impl Same {
    fn condition(self, ctx: &mut Ctx, lengths: [u64; 2]) -> T {
        match self {
            Same::Never => ctx.pool.truth(false),
            Same::Where(p, q) => {
                let (p, q) = (p.term(ctx), q.term(ctx));
                ctx.pool.eq(p, q)
            }
            Same::Near(p, q) => {
                let (p, q) = (p.term(ctx), q.term(ctx));
                let sides = [(p, q, lengths[1]), (q, p, lengths[0])].map(|(p, q, n)| {
                    let (difference, n) = (ctx.pool.sub(p, q), ctx.pool.constant(n, 64));
                    ctx.pool.ult(difference, n)
                });
                ctx.pool.or(sides[0], sides[1])
            }
        }
    }
}

struct Nest<'n> {
    facts: &'n Facts,
    width: u32,
    lengths: [u64; 2],
}

impl Nest<'_> {
    /// Both sides as digits, with the same shared terms added to both.
    fn pairs(&self, ctx: &Ctx, sides: [&Poly; 2]) -> Vec<[Digit; 2]> {
        let [first, second] = sides.map(|p| self.facts.digits(ctx, p, self.width));
        let mut out = Vec::new();
        for x in &first {
            for y in &second {
                let Some(difference) = x.shift.minus(&y.shift) else { continue };
                let back = Poly::default().minus(&difference);
                if difference.is_natural() {
                    out.extend(y.moved(&difference).map(|y| [x.clone(), y]));
                } else if let Some(back) = back.filter(Poly::is_natural) {
                    out.extend(x.moved(&back).map(|x| [x, y.clone()]));
                }
            }
        }
        out
    }

    /// The condition under which two digits of the same radix are equal.
    fn same(
        &self,
        ctx: &Ctx,
        sides: [&Poly; 2],
        lengths: [u64; 2],
        is: impl Fn(&Digit) -> bool,
    ) -> Option<Same> {
        let mut pairs = self.pairs(ctx, sides);
        for (d, n) in pairs.iter_mut().flat_map(|pair| pair.iter_mut().zip(lengths)) {
            d.end.add(&Poly::constant(i128::from(n) - 1), 1)?;
        }
        let [x, y] = pairs.iter().find(|pair| pair.iter().all(&is))?;
        if pairs.iter().any(|[x, y]| self.is_less(ctx, x, y) || self.is_less(ctx, y, x)) {
            return Some(Same::Never);
        }
        let (p, q) = (x.value.clone(), y.value.clone());
        let step = p.minus(&q)?.0.iter().fold(0, |g, (_, k)| gcd(g, *k));
        // Multiples of a step that is at least the length overlap only where they are equal.
        let whole = lengths == [1, 1] || step >= i128::from(lengths[0].max(lengths[1]));
        Some(if whole { Same::Where(p, q) } else { Same::Near(p, q) })
    }

    /// Whether one number is always less than another, because its upper bound is at most the other's shared part.
    fn is_less(&self, ctx: &Ctx, x: &Digit, y: &Digit) -> bool {
        let (own, common) = self.facts.parts(ctx, &y.value);
        own.is_natural()
            && common.minus(&x.end).is_some_and(|rest| self.facts.is_natural(ctx, &rest))
    }

    /// Splits both sides by the same radices. `product` is the product of the radices so far.
    fn take_apart(
        &self,
        ctx: &Ctx,
        sides: [&Poly; 2],
        product: &Poly,
        digits: &mut Vec<Same>,
    ) -> bool {
        // The innermost digit must leave room for all elements of an access.
        let begun = *product != Poly::constant(1);
        let lengths = if begun { [1, 1] } else { self.lengths };
        // Where overlap is checked, a difference must be distinguishable from one that wraps around.
        let several = self.lengths != [1, 1];
        let room = 1u128 << (self.width - u32::from(several));
        let fits = |d: &Digit| {
            let all = d.end.times(product).map(|p| p.positive_part());
            let most = all.and_then(|p| self.facts.limits.most_of(ctx, &p));
            (begun || d.parts <= 1 && !several) && most.is_some_and(|most| most <= room)
        };
        if let Some(same) = self.same(ctx, sides, lengths, fits) {
            digits.push(same);
            return true;
        }
        if product.0.iter().any(|(f, _)| f.len() >= FACTORS) {
            return false;
        }
        for radix in self.radices(ctx, sides[0]) {
            let [(q1, r1), (q2, r2)] =
                sides.map(|p| p.divide_by(&radix, |t| self.facts.is_own(ctx, t)));
            if q1.0.is_empty() && q2.0.is_empty() {
                continue;
            }
            let mut same = None;
            if !(r1.0.is_empty() && r2.0.is_empty() && lengths == [1, 1]) {
                let is_below = |d: &Digit| {
                    radix.minus(&d.end).is_some_and(|rest| self.facts.is_natural(ctx, &rest))
                };
                same = self.same(ctx, [&r1, &r2], lengths, is_below);
                if same.is_none() {
                    continue;
                }
            }
            let Some(product) = product.times(&radix) else { continue };
            let before = digits.len();
            digits.extend(same);
            if self.take_apart(ctx, [&q1, &q2], &product, digits) {
                return true;
            }
            digits.truncate(before);
        }
        false
    }

    /// Candidates for the innermost radix: a factor, a sum by which a number is multiplied, or a constant.
    fn radices(&self, ctx: &Ctx, p: &Poly) -> Vec<Poly> {
        let is_own = |t: T| self.facts.is_own(ctx, t);
        let atoms = p.radices().into_iter().filter(|&t| !is_own(t));
        let mut out: Vec<Poly> = atoms.map(Poly::atom).collect();
        out.extend(p.sums(is_own));
        out.extend(p.numbers().into_iter().map(Poly::constant));
        out
    }
}
