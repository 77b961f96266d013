//! Upper bounds of a sum of several thread-dependent values: `row*n + col` with `row < m` and `col < n` is below `m*n`.
//!
//! The sum is split into values that [`crate::decide::rules::inequalities`] bounds, each times a factor that both
//! threads share, so it is not negative. The sum is largest where each value is one less than its bound.

use crate::decide::rules::inequalities::{Below, EXACT, Facts};
use crate::decide::rules::poly::{Poly, without};
use crate::launch::context::Ctx;
use crate::term::T;

/// Maximum number of ways to bound a sum that are tried.
const WAYS: usize = 12;

/// A natural number, equal to a polynomial plus a shared part modulo the width, and its upper bound (exclusive).
#[derive(Clone, Debug)]
pub(crate) struct Digit {
    pub(crate) shift: Poly,
    pub(crate) value: Poly,
    pub(crate) end: Poly,
    /// How many bounded values it consists of.
    pub(crate) parts: usize,
}

impl Facts {
    /// The ways in which a polynomial is a digit.
    pub(crate) fn digits(&self, ctx: &Ctx, p: &Poly, width: u32) -> Vec<Digit> {
        let (own, common) = self.parts(ctx, p);
        let mut out = Vec::new();
        let shift = Poly::default().minus(&common).unwrap_or_default();
        let start = Digit { shift, value: Poly::default(), end: Poly::constant(1), parts: 0 };
        self.compose(ctx, &own, start, width, &mut out);
        out
    }

    /// Removes bounded values from the rest of a digit, one by one.
    fn compose(&self, ctx: &Ctx, own: &Poly, so_far: Digit, width: u32, out: &mut Vec<Digit>) {
        let Some((first, k)) = own.0.first() else {
            out.push(so_far);
            return;
        };
        for b in self.below.iter().filter(|b| b.width >= width) {
            if out.len() >= WAYS {
                return;
            }
            for (factors, l) in &b.own.0 {
                let Some(other) = without(first, factors).filter(|_| k % l == 0 && k / l > 0)
                else {
                    continue;
                };
                if other.iter().any(|&t| self.is_own(ctx, t)) {
                    continue;
                }
                let times = Poly(vec![(other, k / l)]);
                let rest = times.times(&b.own).and_then(|p| own.minus(&p));
                if let Some(rest) = rest.filter(Poly::is_natural)
                    && let Some(next) = so_far.with(b, &times)
                {
                    self.compose(ctx, &rest, next, width, out);
                }
            }
        }
        // An atom is bounded by its own interval.
        let is_own = |t: &T| self.is_own(ctx, *t);
        if out.is_empty() && first.iter().filter(|t| is_own(t)).count() == 1 {
            let (atom, other): (Vec<T>, Vec<T>) = first.iter().copied().partition(is_own);
            let end = i128::from(ctx.pool.range(atom[0]).uhi) + 1;
            let own_end = Below {
                own: Poly::atom(atom[0]),
                common: Poly::default(),
                width,
                value: Poly::atom(atom[0]),
                end: Poly::constant(end),
            };
            let times = Poly(vec![(other, *k)]);
            let rest = times.times(&own_end.own).and_then(|p| own.minus(&p));
            if let Some((rest, next)) = rest.zip(so_far.with(&own_end, &times)) {
                self.compose(ctx, &rest, next, width, out);
            }
        }
    }

    /// A term modulo its width: an operand that is narrower and does not overflow there is read as the same sum.
    pub(crate) fn read(&self, ctx: &Ctx, t: T) -> Option<Poly> {
        self.limits.read_by(ctx, t, &|p, most| self.is_at_most(ctx, p, most))
    }

    /// Whether a sum without negative terms is at most a number.
    fn is_at_most(&self, ctx: &Ctx, p: &Poly, most: u64) -> bool {
        let fits = |p: &Poly, most: u128| self.limits.most_of(ctx, p).is_some_and(|n| n <= most);
        if fits(p, u128::from(most)) {
            return true;
        }
        // If all parts are exact over the integers, so is the whole, minus the added shift.
        p.is_natural()
            && self.digits(ctx, p, EXACT).iter().any(|d| {
                let end = d.end.minus(&d.shift);
                end.is_some_and(|end| self.fits_together(ctx, &end, u128::from(most) + 1, SHARED))
            })
    }

    /// Whether a sum is at most a number: as it is, or with values that both threads share replaced by their bounds. Where
    /// both are in one row, `row*w + w` is at most `h*w` since `row` is at most `h - 1`; neither term alone shows it.
    fn fits_together(&self, ctx: &Ctx, p: &Poly, most: u128, steps: usize) -> bool {
        let fits = self.limits.most_of(ctx, &p.positive_part()).is_some_and(|n| n <= most);
        let shared = || self.below.iter().filter(|b| b.own.0.is_empty() && b.width == EXACT);
        fits || steps > 0
            && shared()
                .filter_map(|b| replaced(p, &b.common, &b.end))
                .any(|p| self.fits_together(ctx, &p, most, steps - 1))
    }
}

/// How many shared values are replaced by their bounds.
const SHARED: usize = 3;

/// A sum with a number in it, which is multiplied by natural numbers, replaced by one less than its upper bound.
fn replaced(p: &Poly, number: &Poly, end: &Poly) -> Option<Poly> {
    let most = end.minus(&Poly::constant(1))?;
    let (first, k) = number.0.iter().max_by_key(|(f, _)| f.len()).filter(|(f, _)| !f.is_empty())?;
    p.0.iter().filter(|(_, l)| l % k == 0 && l / k > 0).find_map(|(factors, l)| {
        let times = Poly(vec![(without(factors, first)?, l / k)]);
        let rest = p.minus(&number.times(&times)?)?;
        // The whole number was there.
        let is_there = rest.0.len() < p.0.len();
        if is_there { rest.plus(&most.times(&times)?) } else { None }
    })
}

impl Digit {
    /// Adds a bounded value times a factor.
    fn with(&self, b: &Below, times: &Poly) -> Option<Digit> {
        let most = b.end.minus(&Poly::constant(1))?;
        Some(Digit {
            shift: self.shift.plus(&b.common.times(times)?)?,
            value: self.value.plus(&b.value.times(times)?)?,
            end: self.end.plus(&most.times(times)?)?,
            parts: self.parts + 1,
        })
    }

    /// Adds a natural number.
    pub(crate) fn moved(&self, by: &Poly) -> Option<Digit> {
        Some(Digit {
            shift: self.shift.plus(by)?,
            value: self.value.plus(by)?,
            end: self.end.plus(by)?,
            parts: self.parts,
        })
    }
}
