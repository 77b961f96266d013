//! Positions in a mixed radix with symbolic digits: `x*d + u == y*d + v` with `u, v < d` implies `x == y` and `u == v`.
//!
//! Bit-blasting a multiplication by an unknown dimension is slow, and `blockIdx.x * blockDim.x + threadIdx.x` is in
//! nearly every kernel. The rule needs the equation to hold over the integers, which the intervals of both sides show,
//! and both digits to be below the radix, which other members of the conjunction state.
//!
//! [`rows`] is the same for `y*w + x` with `x < w` and `y < h`, where no interval bounds the product but a condition
//! states that `w*h` fits the width. The expected difference is built and compared with the actual one: equal sums are
//! equal terms.

use crate::decide::presolve::literal;
use crate::launch::context::Ctx;
use crate::term::walk::reachable;
use crate::term::{Bin, Node, T, mask, sign_extend};

/// A term without extensions that preserve its unsigned value.
pub(crate) fn core(ctx: &Ctx, mut t: T) -> T {
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
            // Only where the product itself does not overflow.
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

/// Splits one equation of the list. Returns its position and its replacement.
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
            // A sum whose interval is known not to overflow is exact too.
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

/// Facts from a conjunction about sizes: `u < d`, and upper bounds of terms by constants. Terms are in their
/// [`canonical`] form.
#[derive(Default)]
pub(crate) struct Sizes {
    pub(crate) below: Vec<(T, T)>,
    pub(crate) at_most: Vec<(T, T)>,
    pub(crate) limits: Vec<(T, u64)>,
}

/// Maximum number of digits of one radix that are tried.
const DIGITS: usize = 8;

/// One canonical form of a number, independent of its width.
pub(crate) fn canonical(ctx: &mut Ctx, t: T) -> T {
    let wide = ctx.pool.resize(t, 64);
    core(ctx, wide)
}

pub(crate) fn sizes(ctx: &mut Ctx, list: &[T]) -> Sizes {
    let mut out = Sizes::default();
    for &t in list {
        let (negated, t) = literal(&ctx.pool, t);
        let Node::Bin(Bin::Ult, a, b) = *ctx.pool.node(t) else { continue };
        let (low, high) = (canonical(ctx, a), canonical(ctx, b));
        match (negated, ctx.pool.as_const(a), ctx.pool.as_const(b)) {
            (false, _, None) => out.below.push((low, high)),
            (false, _, Some(c)) => {
                out.below.push((low, high));
                out.limits.push((low, c.saturating_sub(1)));
            }
            (true, None, _) => out.at_most.push((high, low)),
            (true, Some(c), _) => out.limits.push((high, c)),
        }
    }
    out.add_indices(ctx);
    // `x < w` and `w <= s` imply `x < s`.
    for _ in 0..2 {
        for i in 0..out.below.len() {
            let (x, w) = out.below[i];
            for &(u, d) in &out.at_most {
                if u == w && !out.below.contains(&(x, d)) {
                    out.below.push((x, d));
                }
            }
        }
    }
    out
}

impl Sizes {
    /// `blockIdx * blockDim + threadIdx < gridDim * blockDim`, along every axis where that does not overflow.
    fn add_indices(&mut self, ctx: &mut Ctx) {
        for axis in 0..3 {
            let (d, g) = (ctx.block_dim(axis), ctx.grid_dim(axis));
            let all = ctx.pool.mul(g, d);
            if ctx.pool.range(all).uhi == mask(32) {
                continue;
            }
            let (wide_d, wide_g) = (ctx.pool.zext(d, 64), ctx.pool.zext(g, 64));
            let wide = ctx.pool.mul(wide_g, wide_d);
            let all = [canonical(ctx, all), canonical(ctx, wide)];
            for (thread, block) in [(1, 0), (2, 0), (1, 1), (2, 2)] {
                let (b, t) = (ctx.block_id(axis, block), ctx.thread_id(axis, thread));
                let first = ctx.pool.mul(b, d);
                let own = ctx.pool.add(first, t);
                let own = canonical(ctx, own);
                self.below.extend(all.map(|a| (own, a)));
            }
        }
        self.below.sort();
        self.below.dedup();
    }

    /// Whether the product of two terms fits a width.
    fn fits(&self, ctx: &mut Ctx, p: T, q: T, width: u32) -> bool {
        let high = u128::from(ctx.pool.range(p).uhi) * u128::from(ctx.pool.range(q).uhi);
        if high <= u128::from(mask(width)) {
            return true;
        }
        if high > u128::from(u64::MAX) {
            return false;
        }
        let (p, q) = (ctx.pool.resize(p, 64), ctx.pool.resize(q, 64));
        let product = ctx.pool.mul(p, q);
        let product = canonical(ctx, product);
        self.limits.iter().any(|&(t, limit)| t == product && limit <= mask(width))
    }

    /// The values below `d`, times `factor`, that share an atom with the sum to be split.
    fn digits(&self, ctx: &mut Ctx, d: T, factor: Option<T>, sum: &Sum) -> Vec<Digit> {
        let mut out: Vec<Digit> = Vec::new();
        for &(u, e) in &self.below {
            if e != d {
                continue;
            }
            for own in forms(ctx, u, sum.width) {
                let own = factor.map_or(own, |f| ctx.pool.mul(own, f));
                let (_, parts) = ctx.pool.lin_parts(own);
                if parts.iter().any(|(a, _)| sum.atoms.contains(a)) {
                    out.push(Digit { value: u, scaled: own });
                }
            }
        }
        out
    }
}

/// A number below a radix, and its contribution to a sum.
#[derive(Clone, Copy)]
struct Digit {
    value: T,
    scaled: T,
}

/// The difference of an equation's sides.
pub(crate) struct Sum {
    pub(crate) all: T,
    atoms: Vec<T>,
    pub(crate) width: u32,
}

/// A sum that is zero, divided by the power of two that divides all its coefficients: the quotient is zero modulo a
/// width smaller by that many bits.
pub(crate) fn without_scale(ctx: &mut Ctx, all: T) -> Sum {
    let (c, parts) = ctx.pool.lin_parts(all);
    let width = ctx.pool.width(all);
    let bits = parts.iter().fold(c, |bits, (_, k)| bits | k) | 1 << (width - 1);
    let scale = bits.trailing_zeros();
    let (mut all, width) = (all, width - scale);
    if scale > 0 {
        let parts: Vec<(T, u64)> =
            parts.iter().map(|&(a, k)| (ctx.pool.trunc(a, width), k >> scale)).collect();
        all = ctx.pool.sum(c >> scale, &parts, width);
    }
    let atoms = ctx.pool.lin_parts(all).1.into_iter().map(|(a, _)| a).collect();
    Sum { all, atoms, width }
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
    for (at, l, r) in equations {
        let all = ctx.pool.sub(l, r);
        let sum = without_scale(ctx, all);
        let (all, width) = (sum.all, sum.width);
        let parts = reachable(&ctx.pool, &[all]);
        for &w in &radices {
            let Some(wide) = exactly(ctx, w, width) else { continue };
            if !reachable(&ctx.pool, &[w]).iter().any(|t| parts.binary_search(t).is_ok()) {
                continue;
            }
            let columns = sizes.digits(ctx, w, None, &sum);
            if columns.is_empty() || columns.len() > DIGITS {
                continue;
            }
            for &h in &radices {
                let rows = sizes.digits(ctx, h, Some(wide), &sum);
                if rows.is_empty() || rows.len() > DIGITS || !sizes.fits(ctx, w, h, width) {
                    continue;
                }
                if let Some(same) = split_rows(ctx, &sum, &columns, &rows) {
                    return Some((at, same));
                }
            }
        }
    }
    None
}

/// Finds digits such that the sum is their difference: they are then equal, pair by pair.
fn split_rows(ctx: &mut Ctx, sum: &Sum, columns: &[Digit], rows: &[Digit]) -> Option<Vec<T>> {
    let minus = mask(sum.width);
    for (x1, x2) in pairs(columns) {
        for (y1, y2) in pairs(rows) {
            let parts = [(y1.scaled, 1), (x1.scaled, 1), (y2.scaled, minus), (x2.scaled, minus)];
            if ctx.pool.sum(0, &parts, sum.width) == sum.all {
                let same = [(x1, x2), (y1, y2)].map(|(p, q)| {
                    let (p, q) = (ctx.pool.resize(p.value, 64), ctx.pool.resize(q.value, 64));
                    ctx.pool.eq(p, q)
                });
                return Some(same.to_vec());
            }
        }
    }
    None
}

fn pairs(list: &[Digit]) -> impl Iterator<Item = (Digit, Digit)> {
    list.iter().flat_map(|&a| list.iter().map(move |&b| (a, b)))
}

/// The unsigned value of a term in another width, if it fits.
fn exactly(ctx: &mut Ctx, t: T, width: u32) -> Option<T> {
    (ctx.pool.range(t).uhi <= mask(width)).then(|| ctx.pool.resize(t, width))
}

/// The forms that the same value may have in a longer sum: whole, or truncated term by term.
fn forms(ctx: &mut Ctx, t: T, width: u32) -> Vec<T> {
    let Some(whole) = exactly(ctx, t, width) else { return Vec::new() };
    if ctx.pool.width(t) <= width || !matches!(ctx.pool.node(whole), Node::Trunc(_)) {
        return vec![whole];
    }
    let (c, parts) = ctx.pool.lin_parts(t);
    let parts: Vec<(T, u64)> =
        parts.into_iter().map(|(a, k)| (ctx.pool.trunc(a, width), k)).collect();
    vec![whole, ctx.pool.sum(c & mask(width), &parts, width)]
}
