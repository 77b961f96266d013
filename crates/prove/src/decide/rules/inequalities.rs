//! Facts that a conjunction gives about sums of products over the integers: their upper bounds, which thread-dependent
//! values are below which bounds, and which sums of sizes are not negative.
//!
//! Members of the conjunction compare terms, whose values are modulo their width. The value of a term is never more
//! than the natural sum that it equals modulo its width, so the greater side of a comparison needs no check. For the
//! smaller side it must be shown, from intervals or known bounds of products, that it does not overflow.

use std::cell::RefCell;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::decide::presolve::literal;
use crate::decide::rules::division;
use crate::decide::rules::poly::{Poly, is_exact, without};
use crate::decide::rules::radix::{Sizes, canonical, core, sizes};
use crate::launch::context::Ctx;
use crate::term::walk::reachable;
use crate::term::{Bin, Node, T, mask, smax};

/// The number of threads along an axis, in 64 bits.
pub(crate) fn threads_along(ctx: &mut Ctx, axis: u8) -> T {
    let dimensions = [ctx.grid_dim(axis), ctx.block_dim(axis)];
    let [grid, block] = dimensions.map(|t| ctx.pool.zext(t, 64));
    ctx.pool.mul(grid, block)
}

/// Facts from the conjunction about products.
#[derive(Default)]
pub(crate) struct Limits {
    /// The product of the factors, times the first number, is at most the second number.
    products: Vec<(Vec<T>, u64, u64)>,
    /// Sums of several products, with their upper bounds.
    sums: Vec<(Poly, u64)>,
    /// Pairs of factors of which the first is less than the second.
    below: Vec<(T, T)>,
    /// Terms that are not zero.
    positive: FxHashSet<T>,
    /// Cache of the polynomials of terms, modulo their width and over the integers; valid until a new fact is added.
    as_read: RefCell<FxHashMap<T, Option<Poly>>>,
    as_exact: RefCell<FxHashMap<T, Option<Poly>>>,
}

impl Limits {
    /// Adds the number of threads along each axis. No product of two dimensions overflows 64 bits.
    fn add_dimensions(&mut self, ctx: &mut Ctx) {
        for axis in 0..3 {
            let all = threads_along(ctx, axis);
            if ctx.pool.is_refined(all) {
                let dimensions = [ctx.grid_dim(axis), ctx.block_dim(axis)];
                let mut factors = dimensions.map(|t| core(ctx, t)).to_vec();
                factors.sort();
                self.products.push((factors, 1, ctx.pool.range(all).uhi));
            }
        }
    }

    fn add_all(&mut self, ctx: &Ctx, sizes: &Sizes, list: &[T]) {
        let signed = list.iter().filter_map(|&t| {
            let (true, t) = literal(&ctx.pool, t) else { return None };
            let Node::Bin(Bin::Slt, a, b) = *ctx.pool.node(t) else { return None };
            let limit = ctx.pool.as_const(a).filter(|c| *c <= smax(ctx.pool.width(b)) as u64)?;
            Some((b, limit, smax(ctx.pool.width(b)) as u64))
        });
        let unsigned = sizes.limits.iter().map(|&(t, limit)| (t, limit, mask(ctx.pool.width(t))));
        let read = |(t, limit, most): (T, u64, u64)| Some((self.read(ctx, t)?, limit, most));
        let mut raw: Vec<_> = signed.chain(unsigned).filter_map(read).collect();
        let length = |p: &Poly| p.0.iter().map(|(f, _)| f.len()).sum::<usize>();
        raw.sort_by_key(|(p, ..)| (p.0.len(), length(p)));
        for (p, limit, end) in raw {
            // The limit holds only if the sum is exact over the integers, which facts about fewer factors must show.
            if self.most_of(ctx, &p).is_none_or(|most| most > u128::from(end)) {
                continue;
            }
            match p.product() {
                Some((factors, k)) => self.products.push((factors.to_vec(), k, limit)),
                None => self.sums.push((p, limit)),
            }
        }
        self.forget();
    }

    /// Clears the caches after a new fact was added.
    fn forget(&mut self) {
        self.as_read.get_mut().clear();
        self.as_exact.get_mut().clear();
    }

    /// A term as a polynomial modulo its width.
    pub(crate) fn read(&self, ctx: &Ctx, t: T) -> Option<Poly> {
        if let Some(known) = self.as_read.borrow().get(&t) {
            return known.clone();
        }
        let new = self.read_by(ctx, t, &|p, end| {
            self.most_of(ctx, p).is_some_and(|most| most <= u128::from(end))
        });
        self.as_read.borrow_mut().insert(t, new.clone());
        new
    }

    /// The same, where `fits` decides whether a narrower operand does not overflow, so that it can be read as the same
    /// sum.
    pub(crate) fn read_by(
        &self,
        ctx: &Ctx,
        t: T,
        fits: &dyn Fn(&Poly, u64) -> bool,
    ) -> Option<Poly> {
        Poly::read(ctx, t, &|t| match core(ctx, t) {
            inner if inner != t && is_exact(ctx, inner) => self.read_by(ctx, inner, fits),
            inner => Some(
                match extended(ctx, inner)
                    .or((inner != t).then_some((inner, mask(ctx.pool.width(inner)))))
                {
                    Some((narrow, end)) => self
                        .read_by(ctx, narrow, fits)
                        .filter(|p| fits(p, end))
                        .unwrap_or_else(|| Poly::atom(inner)),
                    None => Poly::atom(inner),
                },
            ),
        })
    }

    /// A term as a polynomial over the integers, if it does not overflow.
    pub(crate) fn exact(&self, ctx: &Ctx, t: T) -> Option<Poly> {
        if let Some(c) = ctx.pool.as_const(t) {
            return Some(Poly::constant(i128::from(c)));
        }
        if let Some(known) = self.as_exact.borrow().get(&t) {
            return known.clone();
        }
        let new = self.read(ctx, t).filter(|p| self.is_exact(ctx, p, ctx.pool.width(t)));
        self.as_exact.borrow_mut().insert(t, new.clone());
        new
    }

    /// Whether a sum over the integers fits the width.
    fn is_exact(&self, ctx: &Ctx, p: &Poly, width: u32) -> bool {
        let end = u128::from(mask(width));
        let fits = self.most_of(ctx, &p.positive_part()).is_some_and(|most| most <= end);
        fits && self.least_of(ctx, p).is_some_and(|least| least >= 0)
    }

    /// A sum over the integers that is an upper bound of a term.
    fn upper(&self, ctx: &Ctx, t: T) -> Poly {
        let natural = || self.read(ctx, t).filter(Poly::is_natural);
        self.exact(ctx, t).or_else(natural).unwrap_or_else(|| Poly::atom(core(ctx, t)))
    }

    /// An upper bound of a product.
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
            // Multiplying by further factors that are at least one does not make it smaller.
            if let Some(more) = without(known, factors)
                && more.iter().all(|&t| self.low(ctx, t) > 0)
            {
                let most = u128::from(*limit).checked_mul(u128::from(k));
                best = least(best, most.map(|n| n.div_ceil(u128::from((*times).max(1)))));
            }
            let Some(rest) = without(factors, known) else { continue };
            // times*p <= limit, so k*p <= limit*k/times, rounded up.
            let most = u128::from(*limit).checked_mul(u128::from(k));
            let most = most.map(|n| n.div_ceil(u128::from((*times).max(1))));
            best = least(best, most.zip(all(&rest)).and_then(|(n, r)| n.checked_mul(r)));
        }
        best
    }

    /// An upper bound of a sum without negative terms.
    pub(crate) fn most_of(&self, ctx: &Ctx, p: &Poly) -> Option<u128> {
        let each = p.0.iter().try_fold(0u128, |sum, (factors, k)| {
            sum.checked_add(self.most(ctx, factors, u64::try_from(*k).ok()?)?)
        });
        // A part of a bounded sum, or a factor of it whose cofactor is at least one, is no more than that sum.
        let is_less = |q: &Poly| {
            q.minus(p).is_some_and(|rest| rest.is_natural())
                || q.divide_exactly(p).is_some_and(|n| {
                    let least = |(f, _): &(Vec<T>, i128)| f.iter().all(|&t| self.low(ctx, t) > 0);
                    n.is_natural() && n.0.iter().any(least)
                })
        };
        let whole = self.sums.iter().filter(|(q, _)| p.is_natural() && is_less(q));
        whole.fold(each, |best, (_, limit)| least(best, Some(u128::from(*limit))))
    }

    /// A lower bound of an atom.
    pub(crate) fn low(&self, ctx: &Ctx, t: T) -> u64 {
        ctx.pool.range(t).ulo.max(u64::from(self.positive.contains(&t)))
    }

    /// Adds terms that the conjunction shows not to be zero: upper bounds of other terms, and terms compared as
    /// different from zero.
    fn add_positive(&mut self, ctx: &mut Ctx, list: &[T]) {
        self.positive.extend(self.below.iter().map(|(_, limit)| *limit));
        for &t in list {
            let (negated, t) = literal(&ctx.pool, t);
            let Node::Bin(Bin::Eq, a, b) = *ctx.pool.node(t) else { continue };
            for (zero, other) in [(a, b), (b, a)] {
                if negated && ctx.pool.as_const(zero) == Some(0) && ctx.pool.width(other) > 1 {
                    let other = canonical(ctx, other);
                    self.positive.insert(other);
                }
            }
        }
    }

    /// Adds the fact that a factor is less than another.
    pub(crate) fn know_below(&mut self, factor: T, limit: T) {
        if !self.below.contains(&(factor, limit)) {
            self.below.push((factor, limit));
            self.forget();
        }
    }

    /// A lower bound of the sum.
    pub(crate) fn least_of(&self, ctx: &Ctx, p: &Poly) -> Option<i128> {
        p.0.iter().try_fold(0i128, |sum, (factors, k)| {
            let part = if *k > 0 {
                let low = |t: &T| i128::from(self.low(ctx, *t));
                factors.iter().try_fold(*k, |n, t| n.checked_mul(low(t)))?
            } else {
                let most = self.most(ctx, factors, u64::try_from(-*k).ok()?)?;
                i128::try_from(most).ok()?.checked_neg()?
            };
            sum.checked_add(part)
        })
    }
}

/// The operand of an extension, and the largest value that the extension preserves.
fn extended(ctx: &Ctx, t: T) -> Option<(T, u64)> {
    match *ctx.pool.node(t) {
        Node::ZExt(a) => Some((a, mask(ctx.pool.width(a)))),
        Node::SExt(a) => Some((a, smax(ctx.pool.width(a)) as u64)),
        _ => None,
    }
}

fn least(a: Option<u128>, b: Option<u128>) -> Option<u128> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// A thread-dependent value that is below a sum of sizes. The part that both threads share cancels in a difference, so
/// it is kept separately.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Below {
    /// The number is the sum of these two, modulo two to the power of `width`.
    pub(crate) own: Poly,
    pub(crate) common: Poly,
    pub(crate) width: u32,
    pub(crate) value: Poly,
    pub(crate) end: Poly,
}

impl Below {
    /// The number as a sum over the integers, where it is exact.
    pub(crate) fn whole(&self) -> Option<Poly> {
        if self.width == EXACT { self.own.plus(&self.common) } else { None }
    }
}

/// The `width` of a number that is exact over the integers.
pub(crate) const EXACT: u32 = u32::MAX;

/// All known facts.
#[derive(Default)]
pub(crate) struct Facts {
    pub(crate) limits: Limits,
    pub(crate) below: Vec<Below>,
    /// Sums of terms shared by both threads that are not negative.
    naturals: Vec<Poly>,
    /// Whether an atom belongs to one thread.
    owned: RefCell<FxHashMap<T, bool>>,
}

impl Facts {
    pub(crate) fn of(ctx: &mut Ctx, list: &[T]) -> Facts {
        let sizes = sizes(ctx, list);
        let (mut below, mut at_most) = (sizes.below.clone(), sizes.at_most.clone());
        signed(ctx, list, &mut below, &mut at_most);
        let mut limits = Limits { below: below.clone(), ..Limits::default() };
        limits.add_positive(ctx, list);
        limits.add_dimensions(ctx);
        limits.add_all(ctx, &sizes, list);
        let mut out = Facts { limits, ..Facts::default() };
        for &(value, limit) in &below {
            let end = out.limits.upper(ctx, limit);
            out.add_below(ctx, value, end);
        }
        for &(less, more) in &below {
            out.add_natural(ctx, less, more, 1);
        }
        for &(less, more) in &at_most {
            out.add_natural(ctx, less, more, 0);
        }
        let parts = reachable(&ctx.pool, list);
        for &t in parts.iter().filter(|&&t| division::is_division(ctx, t)) {
            division::add(ctx, t, &mut out);
        }
        for &(less, more) in &at_most {
            out.add_shifted(ctx, less, more);
        }
        // Bounds of longer sums are stronger.
        out.below.sort_by_key(|b| usize::MAX - b.own.0.len());
        out
    }

    /// Whether an atom belongs to one of the threads.
    pub(crate) fn is_own(&self, ctx: &Ctx, t: T) -> bool {
        let of = |v: &T| matches!(*ctx.pool.node(*v), Node::Var(v) if ctx.owner(v) > 0);
        *self
            .owned
            .borrow_mut()
            .entry(t)
            .or_insert_with(|| reachable(&ctx.pool, &[t]).iter().any(of))
    }

    /// The thread-dependent part, and the part shared by both threads.
    pub(crate) fn parts(&self, ctx: &Ctx, p: &Poly) -> (Poly, Poly) {
        p.partition(|factors| factors.iter().any(|&t| self.is_own(ctx, t)))
    }

    /// Adds the fact that the number is below a sum.
    pub(crate) fn add_below(&mut self, ctx: &Ctx, value: T, end: Poly) {
        let Some(p) = self.limits.read(ctx, value) else { return };
        let exact = is_exact(ctx, value) || self.limits.exact(ctx, value).is_some();
        let width = if exact { EXACT } else { ctx.pool.width(value) };
        let (own, common) = self.parts(ctx, &p);
        let new = Below { own, common, width, value: Poly::atom(core(ctx, value)), end };
        if !self.below.contains(&new) {
            self.below.push(new);
        }
    }

    /// Adds the fact that `less + by <= more`.
    fn add_natural(&mut self, ctx: &Ctx, less: T, more: T, by: i128) {
        let Some(less) = self.limits.exact(ctx, less) else { return };
        let more = self.limits.upper(ctx, more);
        let difference = more.minus(&less).and_then(|d| d.minus(&Poly::constant(by)));
        difference.into_iter().for_each(|d| self.know_natural(ctx, d));
    }

    /// Adds the fact that a sum is not negative.
    pub(crate) fn know_natural(&mut self, ctx: &Ctx, p: Poly) {
        if !p.is_natural() && self.parts(ctx, &p).0.0.is_empty() && !self.naturals.contains(&p) {
            self.naturals.push(p);
        }
    }

    /// `u >= a` and `u < e` mean `u - a < e - a`.
    fn add_shifted(&mut self, ctx: &Ctx, less: T, more: T) {
        let (Some(less), Some(more)) = (self.limits.exact(ctx, less), self.limits.exact(ctx, more))
        else {
            return;
        };
        if !self.parts(ctx, &less).0.0.is_empty() || self.parts(ctx, &more).0.0.is_empty() {
            return;
        }
        for i in 0..self.below.len() {
            let b = &self.below[i];
            if b.whole().as_ref() == Some(&more)
                && let Some(common) = b.common.minus(&less)
                && let Some(value) = b.value.minus(&less)
                && let Some(end) = b.end.minus(&less)
            {
                let new = Below { own: b.own.clone(), common, width: EXACT, value, end };
                if !self.below.contains(&new) {
                    self.below.push(new);
                }
            }
        }
    }

    /// Whether a sum of terms shared by both threads is not negative.
    pub(crate) fn is_natural(&self, ctx: &Ctx, p: &Poly) -> bool {
        self.is_natural_by(ctx, p, 2)
    }

    fn is_natural_by(&self, ctx: &Ctx, p: &Poly, steps: usize) -> bool {
        if p.is_natural() || self.limits.least_of(ctx, p).is_some_and(|n| n >= 0) {
            return true;
        }
        let Some((factors, k)) = p.0.iter().find(|(f, k)| *k < 0 && !f.is_empty()) else {
            return false;
        };
        steps > 0
            && self.naturals.iter().any(|known| {
                let negative = known.0.iter().filter(|(f, l)| *l < 0 && !f.is_empty());
                negative.into_iter().any(|(f, l)| {
                    // Subtract the known sum often enough to cancel the negative term.
                    let Some(others) = without(factors, f) else { return false };
                    let times = Poly(vec![(others, k / l + i128::from(k % l != 0))]);
                    let rest = known.times(&times).and_then(|part| p.minus(&part));
                    rest.is_some_and(|rest| self.is_natural_by(ctx, &rest, steps - 1))
                })
            })
    }
}

/// Signed comparisons of non-negative values: `0 <= a < b` and `0 <= a <= b` hold for the unsigned values too.
fn signed(ctx: &mut Ctx, list: &[T], below: &mut Vec<(T, T)>, at_most: &mut Vec<(T, T)>) {
    for &t in list {
        let (negated, t) = literal(&ctx.pool, t);
        let Node::Bin(Bin::Slt, a, b) = *ctx.pool.node(t) else { continue };
        let (less, more) = if negated { (b, a) } else { (a, b) };
        if ctx.pool.range(less).nonneg() && ctx.pool.as_const(less).is_none() {
            let pair = (canonical(ctx, less), canonical(ctx, more));
            if negated { at_most.push(pair) } else { below.push(pair) }
        }
    }
}
