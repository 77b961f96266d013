//! Sums of products of terms, over the integers or modulo a width.
//!
//! The factors are atoms: terms read as unsigned numbers, so all of them are natural numbers. The polynomial of a term
//! equals the term modulo its width; code that needs equality over the integers has to show that nothing overflows
//! ([`crate::decide::rules::inequalities`]).

use crate::launch::context::Ctx;
use crate::term::{Bin, Node, T, mask, sign_extend};

/// Limits of the number of monomials, and of the factors of one.
const MONOMIALS: usize = 24;
pub(crate) const FACTORS: usize = 8;

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

    pub(crate) fn plus(&self, other: &Poly) -> Option<Poly> {
        let mut out = self.clone();
        out.add(other, 1)?;
        Some(out)
    }

    pub(crate) fn minus(&self, other: &Poly) -> Option<Poly> {
        let mut out = self.clone();
        out.add(other, -1)?;
        Some(out)
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

    /// Reads sums and products as they are, and all other terms with `other`.
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

    /// Whether no term is negative: then the sum is not negative.
    pub(crate) fn is_natural(&self) -> bool {
        self.0.iter().all(|(_, k)| *k > 0)
    }

    /// The terms that are not negative: an upper bound of the sum.
    pub(crate) fn positive_part(&self) -> Poly {
        Poly(self.0.iter().filter(|(_, k)| *k > 0).cloned().collect())
    }

    /// The terms whose factors satisfy the predicate, and the others.
    pub(crate) fn partition(&self, is_own: impl Fn(&[T]) -> bool) -> (Poly, Poly) {
        let (own, common) = self.0.iter().cloned().partition(|(f, _)| is_own(f));
        (Poly(own), Poly(common))
    }

    /// The terms that have the factor, divided by it, and the other terms.
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

    /// The same for a constant.
    pub(crate) fn divide_by_number(&self, by: i128) -> (Poly, Poly) {
        let (mut quotient, mut rest) = (Poly::default(), Poly::default());
        for (factors, k) in &self.0 {
            match k % by {
                0 => quotient.0.push((factors.clone(), k / by)),
                _ => rest.0.push((factors.clone(), *k)),
            }
        }
        (quotient, rest)
    }

    /// The sum that multiplied by `by` gives this one, if there is one.
    pub(crate) fn divide_exactly(&self, by: &Poly) -> Option<Poly> {
        let leading = |p: &Poly| p.0.iter().max_by_key(|(f, _)| (f.len(), f.clone())).cloned();
        let (first, k) = leading(by)?;
        let (mut rest, mut quotient) = (self.clone(), Poly::default());
        // Each step cancels the leading term.
        for _ in 0..MONOMIALS {
            let Some((factors, l)) = leading(&rest) else { break };
            let factors = without(&factors, &first)?;
            if l % k != 0 {
                return None;
            }
            let step = Poly(vec![(factors, l / k)]);
            quotient.add(&step, 1)?;
            rest.add(&by.times(&step)?, -1)?;
        }
        rest.0.is_empty().then_some(quotient)
    }

    /// Groups the terms by those of their factors that satisfy the predicate: each such product with its cofactor.
    pub(crate) fn groups(&self, is_own: impl Fn(T) -> bool) -> Vec<(Vec<T>, Poly)> {
        let mut out: Vec<(Vec<T>, Poly)> = Vec::new();
        for (factors, k) in &self.0 {
            let (own, other): (Vec<T>, Vec<T>) = factors.iter().partition(|t| is_own(**t));
            match out.iter_mut().find(|(f, _)| *f == own) {
                Some((_, p)) => p.0.push((other, *k)),
                None => out.push((own, Poly(vec![(other, *k)]))),
            }
        }
        out.iter_mut().for_each(|(_, p)| p.0.sort());
        out
    }

    /// Sums by which factors that satisfy the predicate are multiplied, without the factors common to all their terms.
    pub(crate) fn sums(&self, is_own: impl Fn(T) -> bool) -> Vec<Poly> {
        let mut out = Vec::new();
        for (own, times) in self.groups(is_own) {
            if !own.is_empty() && times.0.len() > 1 {
                let is_common = |t: &&T| times.0.iter().all(|(f, _)| f.contains(t));
                let common = times.0[0].0.iter().filter(is_common).copied().collect();
                let sum = times.divide_exactly(&Poly(vec![(common, 1)]));
                out.extend(sum.filter(|s| !out.contains(s)));
            }
        }
        out
    }

    /// The multiples of a radix, divided by it, and the remainder. A factor that satisfies the predicate must be
    /// multiplied by the whole radix, or it belongs to the remainder.
    pub(crate) fn divide_by(&self, radix: &Poly, is_own: impl Fn(T) -> bool) -> (Poly, Poly) {
        match &radix.0[..] {
            [(factors, 1)] if factors.len() == 1 => self.divide(factors[0]),
            [(factors, k)] if factors.is_empty() => self.divide_by_number(*k),
            _ => {
                let (mut quotient, mut rest) = (Poly::default(), Poly::default());
                for (own, times) in self.groups(is_own) {
                    let own = Poly(vec![(own, 1)]);
                    let (to, part) = match times.divide_exactly(radix) {
                        Some(q) => (&mut quotient, q),
                        None => (&mut rest, times),
                    };
                    if own.times(&part).and_then(|all| to.add(&all, 1)).is_none() {
                        return (Poly::default(), self.clone());
                    }
                }
                (quotient, rest)
            }
        }
    }

    /// Constants that may be the innermost radix.
    pub(crate) fn numbers(&self) -> Vec<i128> {
        let mut out: Vec<i128> = self.0.iter().map(|(_, k)| *k).filter(|k| *k > 1).collect();
        out.sort_unstable();
        out.dedup();
        out
    }

    /// Factors that may be the innermost radix: those in the most monomials first.
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

    /// The factors and the coefficient, if this is a single product.
    pub(crate) fn product(&self) -> Option<(&[T], u64)> {
        match &self.0[..] {
            [(factors, k)] => Some((factors, u64::try_from(*k).ok()?)),
            _ => None,
        }
    }

    /// A term of 64 bits that equals it modulo 2^64.
    pub(crate) fn term(&self, ctx: &mut Ctx) -> T {
        let mut parts = Vec::new();
        for (factors, k) in &self.0 {
            let mut product = ctx.pool.constant(1, 64);
            for &f in factors {
                let f = ctx.pool.resize(f, 64);
                product = ctx.pool.mul(product, f);
            }
            parts.push((product, *k as u64));
        }
        ctx.pool.sum(0, &parts, 64)
    }
}

/// The factors without some of them, if these are all contained.
pub(crate) fn without(factors: &[T], some: &[T]) -> Option<Vec<T>> {
    let mut rest = factors.to_vec();
    for f in some {
        let at = rest.iter().position(|r| r == f)?;
        rest.remove(at);
    }
    Some(rest)
}

/// Whether a term is exact over the integers, not only modulo its width.
pub(crate) fn is_exact(ctx: &Ctx, t: T) -> bool {
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
