//! Equations with a common factor: `x*d == y*d` implies `x == y` where `d` is not zero.
//!
//! An index times an unknown stride is nearly as common as an index in rows ([`crate::decide::rules::radix`]), and just
//! as hard for the solver. Both sides are multiplied out. The rule needs both sides to be exact over the integers,
//! which intervals of variables and the conditions `x < c` of the conjunction show, and a factor of all products that
//! is known to be positive.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::decide::presolve::literal;
use crate::decide::rules::radix::core;
use crate::launch::context::Ctx;
use crate::term::{Bin, Node, T, mask, sign_extend};

/// A product of atoms with a coefficient.
type Product = (Vec<T>, u128);

/// Products that are not negative, and an upper bound of their sum.
#[derive(Clone, Default)]
struct Sum {
    products: Vec<Product>,
    most: u128,
}

/// Maximum number of products that are multiplied out.
const MAX_PRODUCTS: usize = 16;

/// Facts from the conjunction: upper bounds of terms, and terms that are positive.
#[derive(Default)]
struct Known {
    most: FxHashMap<T, u64>,
    positive: FxHashSet<T>,
}

impl Known {
    fn new(ctx: &Ctx, list: &[T]) -> Known {
        let mut out = Known::default();
        for &t in list {
            let (negated, t) = literal(&ctx.pool, t);
            let Node::Bin(Bin::Ult, a, b) = *ctx.pool.node(t) else { continue };
            // a < b, or b <= a.
            let (low, high) = if negated { (b, a) } else { (a, b) };
            if let Some(c) = ctx.pool.as_const(high) {
                let c = if negated { c } else { c.saturating_sub(1) };
                let most = out.most.entry(core(ctx, low)).or_insert(c);
                *most = c.min(*most);
            }
            if !negated || ctx.pool.range(low).ulo > 0 {
                out.positive.insert(core(ctx, high));
            }
        }
        out
    }

    fn is_positive(&self, ctx: &Ctx, t: T) -> bool {
        ctx.pool.range(t).ulo > 0 || self.positive.contains(&t)
    }
}

fn atom(ctx: &Ctx, known: &Known, t: T) -> Sum {
    let own = ctx.pool.range(t).uhi;
    let most = known.most.get(&t).map_or(own, |&c| c.min(own));
    Sum { products: vec![(vec![t], 1)], most: u128::from(most) }
}

/// A number as a sum of products, where that is exact over the integers; otherwise it is an atom.
fn multiplied_out(ctx: &Ctx, known: &Known, t: T) -> Sum {
    let t = core(ctx, t);
    let whole = match ctx.pool.node(t).clone() {
        Node::Const(c) => {
            let products = if c == 0 { Vec::new() } else { vec![(Vec::new(), u128::from(c))] };
            Some(Sum { products, most: u128::from(c) })
        }
        Node::Lin(c, parts) => {
            let w = ctx.pool.width(t);
            let (sum, minus) = signed_sum(ctx, known, c, &parts, w);
            minus.products.is_empty().then_some(sum)
        }
        Node::Bin(Bin::Mul, a, b) => {
            let (a, b) = (multiplied_out(ctx, known, a), multiplied_out(ctx, known, b));
            let mut products: Vec<Product> = Vec::new();
            for (x, k) in &a.products {
                for (y, m) in &b.products {
                    let all = x.iter().chain(y).copied().collect();
                    products.push((all, k.saturating_mul(*m)));
                }
            }
            Some(Sum { products, most: a.most.saturating_mul(b.most) })
        }
        _ => None,
    };
    let fits =
        |s: &Sum| s.most <= u128::from(mask(ctx.pool.width(t))) && s.products.len() <= MAX_PRODUCTS;
    whole.filter(fits).unwrap_or_else(|| atom(ctx, known, t))
}

/// The positive and the negative part of a sum.
fn signed_sum(ctx: &Ctx, known: &Known, c: u64, parts: &[(T, u64)], w: u32) -> (Sum, Sum) {
    let mut sides = (Sum::default(), Sum::default());
    let mut add = |k: u64, s: Sum| {
        let k = sign_extend(k, w);
        let side = if k < 0 { &mut sides.1 } else { &mut sides.0 };
        let k = u128::from(k.unsigned_abs());
        side.most = side.most.saturating_add(s.most.saturating_mul(k));
        let scaled = s.products.into_iter().map(|(x, m)| (x, m.saturating_mul(k)));
        side.products.extend(scaled);
    };
    if c != 0 {
        add(c, Sum { products: vec![(Vec::new(), 1)], most: 1 });
    }
    for &(t, k) in parts {
        add(k, multiplied_out(ctx, known, t));
    }
    sides
}

/// Divides one equation of the list by a factor of all its products. Returns its position and its replacement.
pub(crate) fn divided(ctx: &mut Ctx, list: &[T]) -> Option<(usize, Vec<T>)> {
    let mut known = None;
    for (at, &t) in list.iter().enumerate() {
        let Node::Bin(Bin::Eq, left, right) = *ctx.pool.node(t) else { continue };
        let w = ctx.pool.width(left);
        if w < 8 {
            continue;
        }
        let known = known.get_or_insert_with(|| Known::new(ctx, list));
        let difference = ctx.pool.sub(left, right);
        let (c, parts) = ctx.pool.lin_parts(difference);
        let (plus, minus) = signed_sum(ctx, known, c, &parts, w);
        // The sides are equal modulo the width, and both fit the width.
        if [&plus, &minus].iter().any(|s| s.most > u128::from(mask(w))) {
            continue;
        }
        let products: Vec<&Product> = plus.products.iter().chain(&minus.products).collect();
        let Some((first, _)) = products.first() else { continue };
        if products.iter().any(|(_, k)| *k > u128::from(mask(w))) {
            continue;
        }
        let divides = |d: T| products.iter().all(|(x, _)| x.contains(&d));
        let common = first.iter().find(|d| known.is_positive(ctx, **d) && divides(**d));
        if let Some(&d) = common {
            let (l, r) = (quotient(ctx, &plus, d), quotient(ctx, &minus, d));
            return Some((at, vec![ctx.pool.eq(l, r)]));
        }
    }
    None
}

/// A sum of products that all have the factor, divided by it.
fn quotient(ctx: &mut Ctx, sum: &Sum, d: T) -> T {
    let mut parts = Vec::new();
    for (factors, k) in &sum.products {
        let own = factors.iter().position(|x| *x == d);
        let mut product = ctx.pool.constant(1, 64);
        for (i, &x) in factors.iter().enumerate() {
            if Some(i) != own {
                let x = ctx.pool.resize(x, 64);
                product = ctx.pool.mul(product, x);
            }
        }
        parts.push((product, *k as u64));
    }
    ctx.pool.sum(0, &parts, 64)
}
