//! Positions in a mixed radix whose digits are symbols: `x*d + u == y*d + v` with `u, v < d` means `x == y` and
//! `u == v`.
//!
//! Bit-blasting a multiplication by an unknown dimension is what the solver is worst at, and `blockIdx.x * blockDim.x +
//! threadIdx.x` is in nearly every kernel. The rule needs that the equation holds over the integers, which the
//! intervals of both sides show, and that both digits are below the radix, which other members of the conjunction say.
//!
//! [`rows`] is the same for `y*w + x` with `x < w` and `y < h`, where no interval bounds the product but a condition
//! says that `w*h` is no more than the width holds. The expected difference is built and compared with the one that is
//! there: equal sums are equal terms.

use crate::context::Ctx;
use crate::term::{Bin, Node, T, mask, sign_extend};
use crate::walk::reachable;

/// A term without extensions that change nothing.
fn core(ctx: &Ctx, mut t: T) -> T {
    loop {
        match *ctx.pool.node(t) {
            Node::ZExt(x) => t = x,
            Node::SExt(x) if ctx.pool.range(x).nonneg() => t = x,
            Node::Trunc(x) if ctx.pool.range(x).uhi <= mask(ctx.pool.width(t)) => t = x,
            _ => return t,
        }
    }
}

/// The factors of a product.
fn factors(ctx: &Ctx, t: T) -> Vec<T> {
    let t = core(ctx, t);
    match *ctx.pool.node(t) {
        Node::Bin(Bin::Mul, a, b) => {
            // Only where the product itself is exact.
            let high = u128::from(ctx.pool.range(a).uhi) * u128::from(ctx.pool.range(b).uhi);
            let refined = ctx.pool.is_refined(t);
            if high > u128::from(mask(ctx.pool.width(t))) && !refined {
                return vec![t];
            }
            let mut out = factors(ctx, a);
            out.extend(factors(ctx, b));
            out
        }
        _ => vec![t],
    }
}

/// Splits one equation of the list. Gives its position and what replaces it.
pub(crate) fn split(ctx: &mut Ctx, list: &[T]) -> Option<(usize, Vec<T>)> {
    // Facts `u < d`, by the cores of both.
    let mut below: Vec<(T, T)> = Vec::new();
    for &t in list {
        if let Node::Bin(Bin::Ult, u, d) = *ctx.pool.node(t) {
            below.push((core(ctx, u), core(ctx, d)));
        }
    }
    if below.is_empty() {
        return None;
    }
    for (at, &t) in list.iter().enumerate() {
        let Node::Bin(Bin::Eq, left, right) = *ctx.pool.node(t) else { continue };
        let w = ctx.pool.width(left);
        if w == 1 {
            continue;
        }
        let mut terms: Vec<(T, i128)> = Vec::new();
        let mut constant = 0i128;
        let mut exact = true;
        for (side, sign) in [(left, 1i128), (right, -1)] {
            let (c, parts) = ctx.pool.lin_parts(side);
            let (lo, hi) = ctx.pool.lin_interval(c, &parts, w);
            // A sum whose own interval is known not to wrap is exact too.
            let known = ctx.pool.is_refined(side);
            exact &= known || (lo >= 0 && hi <= i128::from(mask(w)));
            constant += sign * i128::from(sign_extend(c, w));
            for (a, k) in parts {
                let (alo, _) = ctx.pool.atom_interval(a);
                exact &= alo >= 0;
                terms.push((a, sign * i128::from(sign_extend(k, w))));
            }
        }
        if !exact || constant != 0 {
            continue;
        }
        if let Some(parts) = split_sum(ctx, &terms, &below) {
            return Some((at, parts));
        }
    }
    None
}

fn split_sum(ctx: &mut Ctx, terms: &[(T, i128)], below: &[(T, T)]) -> Option<Vec<T>> {
    for (i, &(u, ku)) in terms.iter().enumerate() {
        if ku != 1 {
            continue;
        }
        let cu = core(ctx, u);
        for (j, &(v, kv)) in terms.iter().enumerate() {
            if kv != -1 {
                continue;
            }
            let cv = core(ctx, v);
            for &(x, d) in below {
                if x != cu || !below.contains(&(cv, d)) {
                    continue;
                }
                let mut quotient: Vec<(T, u64)> = Vec::new();
                let mut whole = true;
                for (n, &(t, k)) in terms.iter().enumerate() {
                    if n == i || n == j {
                        continue;
                    }
                    let mut f = factors(ctx, t);
                    let Some(p) = f.iter().position(|&x| x == d) else {
                        whole = false;
                        break;
                    };
                    f.remove(p);
                    let mut product = ctx.pool.constant(1, 64);
                    for x in f {
                        let x = ctx.pool.resize(x, 64);
                        product = ctx.pool.mul(product, x);
                    }
                    quotient.push((product, k as u64));
                }
                if !whole || quotient.is_empty() {
                    continue;
                }
                let (a, b) = (ctx.pool.resize(cu, 64), ctx.pool.resize(cv, 64));
                let digits = ctx.pool.eq(a, b);
                let plus: Vec<(T, u64)> =
                    quotient.iter().filter(|(_, k)| (*k as i64) > 0).copied().collect();
                let minus: Vec<(T, u64)> = quotient
                    .iter()
                    .filter(|(_, k)| (*k as i64) < 0)
                    .map(|(t, k)| (*t, k.wrapping_neg()))
                    .collect();
                let (l, r) = (ctx.pool.sum(0, &plus, 64), ctx.pool.sum(0, &minus, 64));
                let rest = ctx.pool.eq(l, r);
                return Some(vec![digits, rest]);
            }
        }
    }
    None
}

/// What a conjunction says of sizes: `u < d`, by cores, and products that are known not to exceed a constant.
#[derive(Default)]
struct Sizes {
    below: Vec<(T, T)>,
    products: Vec<(T, T, u64)>,
}

/// Digits of one radix that are tried.
const DIGITS: usize = 8;

fn sizes(ctx: &Ctx, list: &[T]) -> Sizes {
    let mut out = Sizes::default();
    let mut at_most: Vec<(T, T)> = Vec::new();
    for &t in list {
        match *ctx.pool.node(t) {
            Node::Bin(Bin::Ult, u, d) => {
                out.below.push((core(ctx, u), core(ctx, d)));
                if let Some(c) = ctx.pool.as_const(d) {
                    out.product(ctx, u, c.saturating_sub(1));
                }
            }
            Node::Bin(Bin::Xor, a, b) => {
                let inner = match (ctx.pool.as_const(a), ctx.pool.as_const(b)) {
                    (Some(1), _) => b,
                    (_, Some(1)) => a,
                    _ => continue,
                };
                // Not d < u.
                if let Node::Bin(Bin::Ult, d, u) = *ctx.pool.node(inner) {
                    at_most.push((core(ctx, u), core(ctx, d)));
                    if let Some(c) = ctx.pool.as_const(d) {
                        out.product(ctx, u, c);
                    }
                }
            }
            _ => {}
        }
    }
    // x < w and w <= s.
    for _ in 0..2 {
        for i in 0..out.below.len() {
            let (x, w) = out.below[i];
            for &(u, d) in &at_most {
                if u == w && !out.below.contains(&(x, d)) {
                    out.below.push((x, d));
                }
            }
        }
    }
    out
}

impl Sizes {
    /// Notes a product that is at most `limit`.
    fn product(&mut self, ctx: &Ctx, t: T, limit: u64) {
        let t = core(ctx, t);
        if let Node::Bin(Bin::Mul, p, q) = *ctx.pool.node(t) {
            let high = u128::from(ctx.pool.range(p).uhi) * u128::from(ctx.pool.range(q).uhi);
            if high <= u128::from(mask(ctx.pool.width(t))) {
                self.products.push((core(ctx, p), core(ctx, q), limit));
            }
        }
    }

    /// Whether the product of two terms fits a width.
    fn fits(&self, ctx: &Ctx, p: T, q: T, width: u32) -> bool {
        let high = u128::from(ctx.pool.range(p).uhi) * u128::from(ctx.pool.range(q).uhi);
        high <= u128::from(mask(width))
            || self.products.iter().any(|&(a, b, limit)| {
                limit <= mask(width) && ((a, b) == (p, q) || (b, a) == (p, q))
            })
    }

    fn digits(&self, d: T) -> Vec<T> {
        let mut out: Vec<T> = self.below.iter().filter(|(_, e)| *e == d).map(|(u, _)| *u).collect();
        out.sort();
        out.dedup();
        out
    }
}

/// Splits an equation `y1*w + x1 == y2*w + x2` of the list, where `x1, x2 < w`, `y1, y2 < h` and `w*h` fits the width.
pub(crate) fn rows(ctx: &mut Ctx, list: &[T]) -> Option<(usize, Vec<T>)> {
    let equations: Vec<(usize, T, T)> = list
        .iter()
        .enumerate()
        .filter_map(|(at, &t)| match *ctx.pool.node(t) {
            Node::Bin(Bin::Eq, l, r) if ctx.pool.width(l) > 1 => Some((at, l, r)),
            _ => None,
        })
        .collect();
    if equations.is_empty() {
        return None;
    }
    let sizes = sizes(ctx, list);
    let mut radices: Vec<T> = sizes.below.iter().map(|(_, d)| *d).collect();
    radices.sort();
    radices.dedup();
    radices.retain(|&d| ctx.pool.as_const(d).is_none());
    for (at, l, r) in equations {
        let width = ctx.pool.width(l);
        let difference = ctx.pool.sub(l, r);
        let parts = reachable(&ctx.pool, &[difference]);
        for &w in &radices {
            let Some(wide) = exactly(ctx, w, width) else { continue };
            if parts.binary_search(&w).is_err() {
                continue;
            }
            let columns = sizes.digits(w);
            for &h in &radices {
                let rows = sizes.digits(h);
                if columns.len() > DIGITS || rows.len() > DIGITS || !sizes.fits(ctx, w, h, width) {
                    continue;
                }
                for (x1, x2) in pairs(&columns) {
                    for (y1, y2) in pairs(&rows) {
                        let [Some(a), Some(b), Some(c), Some(d)] =
                            [x1, x2, y1, y2].map(|t| exactly(ctx, t, width))
                        else {
                            continue;
                        };
                        let (c, d) = (ctx.pool.mul(c, wide), ctx.pool.mul(d, wide));
                        let minus = mask(width);
                        let parts = [(c, 1), (a, 1), (d, minus), (b, minus)];
                        if ctx.pool.sum(0, &parts, width) != difference {
                            continue;
                        }
                        let same = [(x1, x2), (y1, y2)].map(|(p, q)| {
                            let (p, q) = (ctx.pool.resize(p, 64), ctx.pool.resize(q, 64));
                            ctx.pool.eq(p, q)
                        });
                        return Some((at, same.to_vec()));
                    }
                }
            }
        }
    }
    None
}

fn pairs(list: &[T]) -> impl Iterator<Item = (T, T)> {
    list.iter().flat_map(|&a| list.iter().map(move |&b| (a, b)))
}

/// The unsigned value of a term with another width, where that has room for it.
fn exactly(ctx: &mut Ctx, t: T, width: u32) -> Option<T> {
    (ctx.pool.range(t).uhi <= mask(width)).then(|| ctx.pool.resize(t, width))
}
