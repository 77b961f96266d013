//! Positions in a mixed radix whose digits are symbols: `x*d + u == y*d + v` with `u, v < d` means `x == y` and
//! `u == v`.
//!
//! Bit-blasting a multiplication by an unknown dimension is what the solver is worst at, and `blockIdx.x * blockDim.x +
//! threadIdx.x` is in nearly every kernel. The rule needs that the equation holds over the integers, which the
//! intervals of both sides show, and that both digits are below the radix, which other members of the conjunction say.

use crate::context::Ctx;
use crate::term::{Bin, Node, T, mask, sign_extend};

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
