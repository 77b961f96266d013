//! Positions in arrays of many dimensions whose sizes are symbols: `((b*H + h)*S + s)*D + d` with `d < D`, `s < S`,
//! `h < H` and `b < B` is one position for each `(b, h, s, d)`, if `B*H*S*D` is no more than the width holds.
//!
//! Each side of an equation is a polynomial in what the kernel's terms are made of. It is taken apart from the inside: a
//! radix is a factor of all monomials but those that together are a digit, which another member of the conjunction says is
//! below the radix; what is left, divided by the radix, is taken apart again, until it is itself below something. The
//! numbers are read modulo the width: only that the whole product fits has to be known, from intervals or from a
//! condition on it.
//!
//! What it can miss: digits that are a sum only part of which is bounded, and sides that share variables.

use crate::context::Ctx;
use crate::radix::{Sizes, core, sizes, without_scale};
use crate::solve::literal;
use crate::term::{Bin, Node, T, mask, sign_extend, smax};
use crate::walk::reachable;

/// More monomials, or factors of one, than these are not taken apart.
const MONOMIALS: usize = 24;
const FACTORS: usize = 6;

/// A sum of products, each with its factors sorted, and sorted by them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Poly(pub(crate) Vec<(Vec<T>, i128)>);

impl Poly {
    pub(crate) fn atom(t: T) -> Poly {
        Poly(vec![(vec![t], 1)])
    }

    pub(crate) fn constant(c: i128) -> Poly {
        Poly(if c == 0 { Vec::new() } else { vec![(Vec::new(), c)] })
    }

    pub(crate) fn add(&mut self, other: &Poly, times: i128) -> Option<()> {
        for (factors, k) in &other.0 {
            let k = k.checked_mul(times)?;
            match self.0.binary_search_by(|(f, _)| f.cmp(factors)) {
                Ok(i) => self.0[i].1 = self.0[i].1.checked_add(k)?,
                Err(i) => self.0.insert(i, (factors.clone(), k)),
            }
        }
        self.0.retain(|(_, k)| *k != 0);
        (self.0.len() <= MONOMIALS).then_some(())
    }

    pub(crate) fn times(&self, other: &Poly) -> Option<Poly> {
        let mut out = Poly::default();
        for (f, k) in &self.0 {
            for (g, l) in &other.0 {
                let mut factors = [&f[..], &g[..]].concat();
                factors.sort();
                if factors.len() > FACTORS {
                    return None;
                }
                out.add(&Poly(vec![(factors, k.checked_mul(*l)?)]), 1)?;
            }
        }
        Some(out)
    }

    /// Of a term, modulo its width.
    pub(crate) fn of(ctx: &Ctx, t: T) -> Option<Poly> {
        Poly::with(ctx, t, &Limits::default())
    }

    /// The same where more is known of products.
    fn with(ctx: &Ctx, t: T, limits: &Limits) -> Option<Poly> {
        // What is narrower and does not wrap there is the same sum.
        Poly::read(ctx, t, &|t| match core(ctx, t) {
            inner if inner != t && is_exact(ctx, inner) => Poly::with(ctx, inner, limits),
            inner => Some(
                match extended(ctx, inner)
                    .or((inner != t).then_some((inner, mask(ctx.pool.width(inner)))))
                {
                    Some((narrow, end)) => Poly::with(ctx, narrow, limits)
                        .filter(|p| {
                            limits.most_of(ctx, p).is_some_and(|most| most <= u128::from(end))
                        })
                        .unwrap_or_else(|| Poly::atom(inner)),
                    None => Poly::atom(inner),
                },
            ),
        })
    }

    /// Sums and products as they are, and what `other` makes of the rest.
    pub(crate) fn read(ctx: &Ctx, t: T, other: &dyn Fn(T) -> Option<Poly>) -> Option<Poly> {
        let w = ctx.pool.width(t);
        match ctx.pool.node(t) {
            Node::Const(c) => Some(Poly::constant(i128::from(sign_extend(*c, w)))),
            Node::Lin(c, terms) => {
                let mut out = Poly::constant(i128::from(sign_extend(*c, w)));
                for &(a, k) in terms {
                    out.add(&Poly::read(ctx, a, other)?, i128::from(sign_extend(k, w)))?;
                }
                Some(out)
            }
            &Node::Bin(Bin::Mul, a, b) => {
                Poly::read(ctx, a, other)?.times(&Poly::read(ctx, b, other)?)
            }
            _ => other(t),
        }
    }

    /// What is multiplied by a factor, without it, and what is not.
    pub(crate) fn divide(&self, by: T) -> (Poly, Poly) {
        let (mut quotient, mut rest) = (Poly::default(), Poly::default());
        for (factors, k) in &self.0 {
            match factors.iter().position(|f| *f == by) {
                Some(at) => {
                    let mut factors = factors.clone();
                    factors.remove(at);
                    quotient.0.push((factors, *k));
                }
                None => rest.0.push((factors.clone(), *k)),
            }
        }
        quotient.0.sort();
        (quotient, rest)
    }

    /// Factors that may be the innermost radix: those of the most monomials first.
    pub(crate) fn radices(&self) -> Vec<T> {
        let mut counts: Vec<(usize, T)> = Vec::new();
        for (factors, _) in &self.0 {
            for (i, f) in factors.iter().enumerate().filter(|_| factors.len() > 1) {
                if factors[..i].contains(f) {
                    continue;
                }
                match counts.iter_mut().find(|(_, g)| g == f) {
                    Some((n, _)) => *n += 1,
                    None => counts.push((1, *f)),
                }
            }
        }
        counts.sort_by_key(|&(n, f)| (usize::MAX - n, f));
        counts.into_iter().map(|(_, f)| f).collect()
    }

    /// The factors of the one product that it is.
    fn product(&self) -> Option<(&[T], u64)> {
        match &self.0[..] {
            [(factors, k)] => Some((factors, u64::try_from(*k).ok()?)),
            _ => None,
        }
    }
}

/// What is extended, and the most that may be read of it as it is.
fn extended(ctx: &Ctx, t: T) -> Option<(T, u64)> {
    match *ctx.pool.node(t) {
        Node::ZExt(a) => Some((a, mask(ctx.pool.width(a)))),
        Node::SExt(a) => Some((a, smax(ctx.pool.width(a)) as u64)),
        _ => None,
    }
}

/// Whether a term is over the integers what it says, not only modulo its width.
fn is_exact(ctx: &Ctx, t: T) -> bool {
    let most = mask(ctx.pool.width(t));
    match ctx.pool.node(t) {
        Node::Lin(c, terms) => {
            let (lo, hi) = ctx.pool.lin_interval(*c, terms, ctx.pool.width(t));
            let parts = |&(a, _): &(T, u64)| is_exact(ctx, a) && ctx.pool.atom_interval(a).0 >= 0;
            lo >= 0 && hi <= i128::from(most) && terms.iter().all(parts)
        }
        &Node::Bin(Bin::Mul, a, b) => {
            let high = u128::from(ctx.pool.range(a).uhi) * u128::from(ctx.pool.range(b).uhi);
            high <= u128::from(most) && is_exact(ctx, a) && is_exact(ctx, b)
        }
        &Node::ZExt(a) => is_exact(ctx, a),
        _ => true,
    }
}

/// That a number is below another. What both threads have in common is not part of a difference, so it stands apart.
struct Below {
    own: Poly,
    common: Poly,
    value: T,
    limit: T,
}

/// What the conjunction says of products.
#[derive(Default)]
struct Limits {
    /// Factors, times a number, are no more than another.
    products: Vec<(Vec<T>, u64, u64)>,
    /// Factors that are less than others.
    below: Vec<(T, T)>,
}

impl Limits {
    fn of(ctx: &Ctx, sizes: &Sizes, list: &[T]) -> Limits {
        let signed = list.iter().filter_map(|&t| {
            let (true, t) = literal(&ctx.pool, t) else { return None };
            let Node::Bin(Bin::Slt, a, b) = *ctx.pool.node(t) else { return None };
            let limit = ctx.pool.as_const(a).filter(|c| *c <= smax(ctx.pool.width(b)) as u64)?;
            Some((b, limit, smax(ctx.pool.width(b)) as u64))
        });
        let unsigned = sizes.limits.iter().map(|&(t, limit)| (t, limit, mask(ctx.pool.width(t))));
        let product = |(t, limit, most): (T, u64, u64)| {
            let p = Poly::of(ctx, t)?;
            let (factors, k) = p.product()?;
            Some((factors.to_vec(), k, limit, most))
        };
        let mut raw: Vec<_> = signed.chain(unsigned).filter_map(product).collect();
        raw.sort_by_key(|(factors, ..)| factors.len());
        let mut out = Limits { products: Vec::new(), below: sizes.below.clone() };
        for (factors, k, limit, end) in raw {
            // Only over the integers does the limit say something: what is known of fewer factors shows that.
            if out.most(ctx, &factors, k).is_some_and(|most| most <= u128::from(end)) {
                out.products.push((factors, k, limit));
            }
        }
        out
    }

    /// The most that a product may be.
    fn most(&self, ctx: &Ctx, factors: &[T], k: u64) -> Option<u128> {
        let mut best = self.most_as_it_is(ctx, factors, k);
        for (i, f) in factors.iter().enumerate() {
            for (_, limit) in self.below.iter().filter(|(u, _)| u == f) {
                let mut other = factors.to_vec();
                other[i] = *limit;
                best = least(best, self.most_as_it_is(ctx, &other, k));
            }
        }
        best
    }

    fn most_as_it_is(&self, ctx: &Ctx, factors: &[T], k: u64) -> Option<u128> {
        let high = |t: &T| u128::from(ctx.pool.range(*t).uhi);
        let all = |rest: &[T]| rest.iter().try_fold(1u128, |n, t| n.checked_mul(high(t)));
        let mut best = all(factors).and_then(|n| n.checked_mul(u128::from(k)));
        for (known, times, limit) in &self.products {
            let mut rest = factors.to_vec();
            let part = known.iter().all(|f| match rest.iter().position(|r| r == f) {
                Some(at) => {
                    rest.remove(at);
                    true
                }
                None => false,
            });
            if !part {
                continue;
            }
            // times*p <= limit, so k*p <= limit*k/times, rounded up.
            let most = u128::from(*limit).checked_mul(u128::from(k));
            let most = most.map(|n| n.div_ceil(u128::from((*times).max(1))));
            best = least(best, most.zip(all(&rest)).and_then(|(n, r)| n.checked_mul(r)));
        }
        best
    }

    /// The most that a sum without negative terms may be.
    fn most_of(&self, ctx: &Ctx, p: &Poly) -> Option<u128> {
        p.0.iter().try_fold(0u128, |sum, (factors, k)| {
            sum.checked_add(self.most(ctx, factors, u64::try_from(*k).ok()?)?)
        })
    }
}

fn least(a: Option<u128>, b: Option<u128>) -> Option<u128> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// Splits an equation of two positions of the list, digit by digit. Gives its position and what replaces it.
pub(crate) fn split(ctx: &mut Ctx, list: &[T]) -> Option<(usize, Vec<T>)> {
    let mut known = None;
    for (at, &t) in list.iter().enumerate() {
        let Node::Bin(Bin::Eq, a, b) = *ctx.pool.node(t) else { continue };
        if ctx.pool.width(a) == 1 {
            continue;
        }
        let difference = ctx.pool.sub(a, b);
        if !reachable(&ctx.pool, &[difference]).iter().any(|&t| is_product(ctx, t)) {
            continue;
        }
        let sum = without_scale(ctx, difference);
        let (difference, width) = (sum.all, sum.width);
        let (below, limits) = known.get_or_insert_with(|| {
            let sizes = sizes(ctx, list);
            let limits = Limits::of(ctx, &sizes, list);
            (all_below(ctx, &sizes, &limits), limits)
        });
        let Some(all) = Poly::with(ctx, difference, limits) else { continue };
        let Some([first, second]) = sides(ctx, &all) else { continue };
        let mut digits = Vec::new();
        let nest = Nest { below, limits, width };
        if nest.take_apart(ctx, &first, &second, &mut Vec::new(), &mut digits) {
            let equations = digits.into_iter().map(|(p, q)| {
                let (p, q) = (ctx.pool.resize(p, 64), ctx.pool.resize(q, 64));
                ctx.pool.eq(p, q)
            });
            return Some((at, equations.collect()));
        }
    }
    None
}

fn is_product(ctx: &Ctx, t: T) -> bool {
    matches!(ctx.pool.node(t), Node::Bin(Bin::Mul, ..))
}

/// The monomials of the first thread, and the others negated: none may be of both.
fn sides(ctx: &Ctx, all: &Poly) -> Option<[Poly; 2]> {
    let mut out = [Poly::default(), Poly::default()];
    for (factors, k) in &all.0 {
        let tags = owners(ctx, factors);
        let side = match tags.first() {
            Some(1) if tags.iter().all(|t| *t == 1) => 0,
            Some(2) if tags.iter().all(|t| *t == 2) => 1,
            _ => return None,
        };
        out[side].0.push((factors.clone(), *k));
    }
    // One of the two is subtracted.
    let sign = if out[0].0.iter().all(|(_, k)| *k > 0) { 1 } else { -1 };
    for (side, sign) in out.iter_mut().zip([sign, -sign]) {
        side.0.iter_mut().for_each(|(_, k)| *k *= sign);
    }
    out.iter().all(|p| p.0.iter().all(|(_, k)| *k > 0)).then_some(out)
}

fn all_below(ctx: &Ctx, sizes: &Sizes, limits: &Limits) -> Vec<Below> {
    let below = |&(value, limit): &(T, T)| {
        let (common, own) = Poly::with(ctx, value, limits)?
            .0
            .into_iter()
            .partition(|(f, _)| owners(ctx, f).is_empty());
        Some(Below { own: Poly(own), common: Poly(common), value, limit })
    };
    sizes.below.iter().filter_map(below).collect()
}

/// The threads that factors belong to.
fn owners(ctx: &Ctx, factors: &[T]) -> Vec<u8> {
    let owner = |t: T| match ctx.pool.node(t) {
        Node::Var(v) => Some(ctx.owner(*v)),
        _ => None,
    };
    reachable(&ctx.pool, factors).into_iter().filter_map(owner).filter(|tag| *tag > 0).collect()
}

struct Nest<'n> {
    below: &'n [Below],
    limits: &'n Limits,
    width: u32,
}

impl Nest<'_> {
    /// Pairs of numbers below the same limit that two polynomials stand for.
    fn pairs<'s>(
        &'s self,
        ctx: &'s Ctx,
        first: &'s Poly,
        second: &'s Poly,
    ) -> impl Iterator<Item = (&'s Below, &'s Below)> {
        let of = move |p: &'s Poly| {
            self.below.iter().filter(move |b| {
                let wide = ctx.pool.width(b.value) >= self.width || is_exact(ctx, b.value);
                wide && b.own == *p
            })
        };
        let same = |x: &Below, y: &Below| x.limit == y.limit && x.common == y.common;
        of(first).flat_map(move |x| of(second).filter(move |y| same(x, y)).map(move |y| (x, y)))
    }

    /// Takes both apart in the same way. `radices` are those of the digits found so far.
    fn take_apart(
        &self,
        ctx: &Ctx,
        first: &Poly,
        second: &Poly,
        radices: &mut Vec<T>,
        digits: &mut Vec<(T, T)>,
    ) -> bool {
        for (x, y) in self.pairs(ctx, first, second) {
            let Some(top) = Poly::of(ctx, x.limit) else { continue };
            let Some((factors, k)) = top.product().filter(|_| is_exact(ctx, x.limit)) else {
                continue;
            };
            let mut factors = [factors, radices].concat();
            factors.sort();
            let most = self.limits.most(ctx, &factors, k);
            if most.is_some_and(|most| most <= u128::from(mask(self.width))) {
                digits.push((x.value, y.value));
                return true;
            }
        }
        if radices.len() >= FACTORS {
            return false;
        }
        for radix in first.radices() {
            let ((q1, r1), (q2, r2)) = (first.divide(radix), second.divide(radix));
            let mut pair = None;
            if !(r1.0.is_empty() && r2.0.is_empty()) {
                let below = self.pairs(ctx, &r1, &r2).find(|(x, _)| x.limit == radix);
                let Some((x, y)) = below else { continue };
                pair = Some((x.value, y.value));
            }
            radices.push(radix);
            let before = digits.len();
            digits.extend(pair);
            if self.take_apart(ctx, &q1, &q2, radices, digits) {
                return true;
            }
            digits.truncate(before);
            radices.pop();
        }
        false
    }
}
