//! Rows of symbolic length: `(y1 - y2)*w + (x1 - x2) == 0` with `x1 - x2` between `-w` and `w` implies `y1 == y2` and
//! `x1 == x2`.
//!
//! This is the rule of [`crate::decide::rules::digits`] with a symbolic radix. Columns and rows are bounded by
//! intervals, where the launch is given, or by the number of tiles: `32*blockIdx.x + r` with `r < 32` is less than
//! `32*gridDim.x`, however `r` is computed, and a condition states that `w` is at least as much. Products are read
//! modulo the width, so a single product may overflow: only the whole difference must not.

use crate::decide::rules::digits::{
    Atom, Bounded, all_bounded, digits, equation, interval, linear, range,
};
use crate::decide::rules::radix::{Sizes, canonical, core, sizes};
use crate::launch::context::{Ctx, VarKind};
use crate::term::{Bin, Node, T, mask};

/// The terms of an equation over the integers: the multiples of a radix, and the rest.
struct Parts {
    quotient: Vec<(Atom, i128)>,
    /// The constant factor of the radix.
    multiple: i128,
    rest: Vec<(Atom, i128)>,
    constant: i128,
}

/// Facts from the other members of the conjunction.
struct Known {
    sums: Vec<Bounded>,
    sizes: Sizes,
}

/// Splits one equation of the list by a radix that is a term. Returns its position and its replacement.
pub(crate) fn by_stride(ctx: &mut Ctx, list: &[T]) -> Option<(usize, Vec<T>)> {
    let mut known: Option<Known> = None;
    for (at, &t) in list.iter().enumerate() {
        let Node::Bin(Bin::Eq, a, b) = *ctx.pool.node(t) else { continue };
        let w = ctx.pool.width(a);
        if w == 1 {
            continue;
        }
        let difference = ctx.pool.sub(a, b);
        let (constant, atoms) = linear(ctx, difference);
        for radix in radices(ctx, &atoms) {
            let known = known.get_or_insert_with(|| Known {
                sums: all_bounded(ctx, list),
                sizes: sizes(ctx, list),
            });
            let Some(parts) = divide(ctx, constant, &atoms, radix, w) else { continue };
            if let Some(equations) = separate(ctx, &parts, radix, known, w) {
                return Some((at, equations));
            }
        }
    }
    None
}

/// The factors of a product.
fn factors(ctx: &Ctx, t: T) -> Option<(T, T)> {
    match *ctx.pool.node(t) {
        Node::Bin(Bin::Mul, a, b) => Some((a, b)),
        _ => None,
    }
}

fn other_factor(ctx: &Ctx, product: T, radix: T) -> Option<T> {
    let (a, b) = factors(ctx, product)?;
    let is_radix = |t: T| core(ctx, t) == core(ctx, radix);
    if is_radix(a) { Some(b) } else { is_radix(b).then_some(a) }
}

/// Candidates for the length of a row: the factors of products.
fn radices(ctx: &Ctx, atoms: &[(Atom, i128)]) -> Vec<T> {
    let products = atoms.iter().filter_map(|&(a, _)| factors(ctx, a.term()));
    let mut out: Vec<T> = products.flat_map(|(a, b)| [a, b]).collect();
    out.sort();
    out.dedup();
    out
}

/// Separates the multiples of the radix from the rest.
fn divide(ctx: &Ctx, constant: i128, atoms: &[(Atom, i128)], radix: T, w: u32) -> Option<Parts> {
    let mut parts = Parts { quotient: Vec::new(), multiple: 0, rest: Vec::new(), constant };
    for &(atom, k) in atoms {
        let t = atom.term();
        let other = other_factor(ctx, t, radix).filter(|_| ctx.pool.width(t) == w);
        if core(ctx, t) == core(ctx, radix) {
            parts.multiple = parts.multiple.checked_add(k)?;
        } else if let Some(other) = other {
            let (c, terms) = linear(ctx, other);
            parts.multiple = parts.multiple.checked_add(c.checked_mul(k)?)?;
            for (t, l) in terms {
                add(&mut parts.quotient, t, l.checked_mul(k)?)?;
            }
        } else {
            add(&mut parts.rest, atom, k)?;
        }
    }
    parts.quotient.retain(|(_, k)| *k != 0);
    // A negative atom would have to be sign-extended again, as it was.
    let narrow = |a: &Atom| matches!(*a, Atom::Signed(t) if ctx.pool.width(t) != w);
    let all = || parts.quotient.iter().chain(&parts.rest);
    (!parts.quotient.is_empty() && !all().any(|(a, _)| narrow(a))).then_some(parts)
}

fn add(list: &mut Vec<(Atom, i128)>, atom: Atom, k: i128) -> Option<()> {
    match list.iter_mut().find(|(a, _)| *a == atom) {
        Some((_, own)) => *own = own.checked_add(k)?,
        None => list.push((atom, k)),
    }
    Some(())
}

fn separate(ctx: &mut Ctx, parts: &Parts, radix: T, known: &Known, w: u32) -> Option<Vec<T>> {
    let (least, most) = length(ctx, radix, known);
    let quotient = digits(ctx, parts.quotient.clone(), &known.sums);
    let rest = digits(ctx, parts.rest.clone(), &known.sums);
    if least <= 0 || quotient.is_empty() || rest.is_empty() != parts.rest.is_empty() {
        return None;
    }
    let ((qlo, qhi), (lo, hi)) = (range(&quotient)?, range(&rest)?);
    let (qlo, qhi) = (qlo.checked_add(parts.multiple)?, qhi.checked_add(parts.multiple)?);
    let (lo, hi) = (lo.checked_add(parts.constant)?, hi.checked_add(parts.constant)?);
    // The rest is less than a row.
    if (lo <= -least || hi >= least)
        && !tiles(ctx, parts.constant, &parts.rest, known)?.are_at_most(ctx, radix, known)
    {
        return None;
    }
    // All rows and one more fit the width.
    let rows = qlo.abs().max(qhi.abs()).checked_add(1)?;
    if rows.checked_mul(most).is_none_or(|end| end > 1i128 << w)
        && !tiles(ctx, parts.multiple, &parts.quotient, known)?.fit_times(ctx, radix, known, w)
    {
        return None;
    }
    let rows = equation(ctx, parts.multiple, &quotient, w);
    let columns = equation(ctx, parts.constant, &rest, w);
    Some(vec![rows, columns])
}

/// The interval of a row's length.
fn length(ctx: &mut Ctx, radix: T, known: &Known) -> (i128, i128) {
    let length = Atom::of(ctx, radix);
    let (mut least, mut most) = length.interval(ctx);
    for b in &known.sums {
        if b.terms == [(length, 1)] {
            (least, most) = (least.max(b.lo), most.min(b.hi));
        }
    }
    // Comparisons with a term whose interval is known. An unsigned comparison of a length that may be negative gives no
    // bound.
    let wide = canonical(ctx, radix);
    if least >= 0 {
        for &(u, d) in &known.sizes.at_most {
            if d == wide {
                least = least.max(i128::from(ctx.pool.range(u).ulo));
            }
        }
        for &(t, limit) in &known.sizes.limits {
            if let Some((other, k)) = multiple_of(ctx, t, wide) {
                let times = i128::from(k) * i128::from(ctx.pool.range(other).ulo);
                most = most.min(i128::from(limit) / times.max(1));
            }
        }
    }
    (least, most)
}

/// The term and the constant by which the radix is multiplied, if the product does not overflow.
fn multiple_of(ctx: &Ctx, t: T, radix: T) -> Option<(T, u64)> {
    let (0, parts) = ctx.pool.lin_parts(t) else { return None };
    let [(product, k)] = parts[..] else { return None };
    let other = other_factor(ctx, core(ctx, product), radix)?;
    let high = |t: T| u128::from(ctx.pool.range(t).uhi);
    let end = high(other).checked_mul(high(radix))?.checked_mul(u128::from(k))?;
    let widths = [product, t].map(|t| u128::from(mask(ctx.pool.width(t))));
    widths.iter().all(|most| end <= *most).then_some((core(ctx, other), k))
}

/// A number of tiles along an axis, and their size.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Tiles {
    /// The number of blocks.
    grid: T,
    size: i128,
}

impl Tiles {
    /// Whether all tiles together are at most the radix.
    fn are_at_most(self, ctx: &mut Ctx, radix: T, known: &Known) -> bool {
        let wide = canonical(ctx, radix);
        let own = [(Atom::Natural(self.grid), self.size)];
        known.sizes.at_most.iter().any(|&(u, d)| {
            let (constant, terms) = linear(ctx, u);
            let (lo, hi) = interval(ctx, u);
            let exact = lo >= 0 && hi <= i128::from(mask(ctx.pool.width(u)));
            d == wide && exact && constant == 0 && terms == own
        })
    }

    /// Whether their product with the radix fits the width.
    fn fit_times(self, ctx: &mut Ctx, radix: T, known: &Known, w: u32) -> bool {
        let wide = canonical(ctx, radix);
        known.sizes.limits.iter().any(|&(t, limit)| {
            let product = multiple_of(ctx, t, wide);
            limit <= mask(w)
                && product.is_some_and(|(g, k)| g == self.grid && i128::from(k) >= self.size)
        })
    }
}

/// A common upper bound of the added and of the subtracted terms.
fn tiles(ctx: &mut Ctx, constant: i128, terms: &[(Atom, i128)], known: &Known) -> Option<Tiles> {
    if constant != 0 {
        return None;
    }
    let mut found: Option<Tiles> = None;
    for sign in [1, -1] {
        let side: Vec<(Atom, i128)> =
            terms.iter().filter(|t| t.1 * sign > 0).map(|&(a, k)| (a, k * sign)).collect();
        if side.is_empty() {
            continue;
        }
        let end = tiles_of(ctx, &side, known)?;
        if *found.get_or_insert(end) != end {
            return None;
        }
    }
    found
}

/// `size*blockIdx + r` with `r < size` is less than `size*gridDim`.
fn tiles_of(ctx: &mut Ctx, side: &[(Atom, i128)], known: &Known) -> Option<Tiles> {
    for &(atom, size) in side {
        let Node::Var(v) = *ctx.pool.node(atom.term()) else { continue };
        let VarKind::BlockId(axis) = ctx.vars[v.0 as usize].0 else { continue };
        let others = side.iter().copied().filter(|(a, _)| *a != atom).collect();
        let (lo, hi) = range(&digits(ctx, others, &known.sums))?;
        if lo >= 0 && hi < size && (side.len() == 1 || hi > 0) {
            let grid = ctx.grid_dim(axis);
            return Some(Tiles { grid: core(ctx, grid), size });
        }
    }
    None
}
