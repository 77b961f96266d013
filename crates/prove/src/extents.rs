//! What an index of many dimensions rests on: the conditions under which [`crate::nested`] tells its positions apart.
//!
//! In `((b*H + h)*S + s)*D + d` the sizes are the factors, from the inside, and what is left beside each is a digit. One that
//! a guard keeps below its size needs nothing more; of another, a condition says that there are no more threads or
//! blocks along it than the size, or that the size is at least what a guard compares it with. And the product of all
//! sizes must be an `int`. These are guesses: whether they prove anything, a proof has to show.

use crate::assume::{Named, Operator, Tree, product_at_most};
use crate::context::{Ctx, VarKind};
use crate::loops::conjuncts;
use crate::nested::Poly;
use crate::solve::literal;
use crate::term::{Bin, Node, T, gcd};
use crate::walk::reachable;

/// What a thread's place along an axis is made of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Index {
    Thread(u8),
    Block(u8),
}

/// The conditions that the index of an access rests on, if it is of this form; `guards` are the parameters beyond which
/// threads do nothing.
pub(crate) fn of(ctx: &Ctx, offset: T, conditions: &[T], guards: &[bool]) -> Option<Vec<Named>> {
    if !is_narrow(ctx, offset) {
        return None;
    }
    let mut rest = loosely(ctx, offset)?;
    rest.0.retain(|(factors, _)| factors.iter().any(|&f| !is_size(ctx, f)));
    let scale = rest.0.iter().fold(0, |g, (_, k)| gcd(g, *k)).max(1);
    rest.0.iter_mut().for_each(|(_, k)| *k /= scale);
    let below = guarded(ctx, conditions);
    let (mut out, mut radices, mut columns) = (Vec::new(), Vec::new(), false);
    while bound(ctx, &rest, &below).is_none() {
        let (radix, quotient, digit, condition) =
            rest.radices().into_iter().filter(|&r| is_size(ctx, r)).find_map(|radix| {
                let (quotient, digit) = rest.divide(radix);
                let condition = fits(ctx, &digit, radix, &below, guards)?;
                Some((radix, quotient, digit, condition))
            })?;
        out.extend(condition);
        columns |= !digit.0.is_empty();
        radices.push(radix);
        rest = quotient;
    }
    let top = bound(ctx, &rest, &below)?;
    // A mere stride may be anything: that it wraps is not excused.
    if !columns {
        return None;
    }
    let mut sizes = vec![top];
    for &radix in radices.iter().rev() {
        sizes.push(named(ctx, radix)?);
    }
    out.push(product_at_most(sizes, i64::from(i32::MAX))?);
    Some(out)
}

/// Whether a product in the offset has to fit an `int`.
fn is_narrow(ctx: &Ctx, offset: T) -> bool {
    let narrow =
        |&t: &T| matches!(ctx.pool.node(t), Node::Bin(Bin::Mul, ..)) && ctx.pool.width(t) == 32;
    reachable(&ctx.pool, &[offset]).iter().any(narrow)
}

/// An offset as if nothing wrapped.
fn loosely(ctx: &Ctx, t: T) -> Option<Poly> {
    Poly::read(ctx, t, &|t| match *ctx.pool.node(t) {
        Node::SExt(a) | Node::ZExt(a) => loosely(ctx, a),
        _ => Some(Poly::atom(t)),
    })
}

/// Comparisons that hold where the access is made.
fn guarded(ctx: &Ctx, conditions: &[T]) -> Vec<(Poly, T)> {
    let mut list = Vec::new();
    conditions.iter().for_each(|&c| conjuncts(&ctx.pool, c, &mut list));
    let below = |t: T| {
        let (negated, t) = literal(&ctx.pool, t);
        match *ctx.pool.node(t) {
            Node::Bin(Bin::Ult | Bin::Slt, a, b) if !negated => Some((loosely(ctx, a)?, b)),
            _ => None,
        }
    };
    list.into_iter().filter_map(below).collect()
}

/// What has to hold for a digit to be below its radix: nothing, or a condition.
fn fits(
    ctx: &Ctx,
    digit: &Poly,
    radix: T,
    below: &[(Poly, T)],
    guards: &[bool],
) -> Option<Option<Named>> {
    if digit.0.is_empty() || below.iter().any(|(p, d)| p == digit && plain(ctx, *d) == radix) {
        return Some(None);
    }
    let size = named(ctx, radix)?;
    let own = matches!(size.1, Tree::Param(p) if guards.get(p) == Some(&true));
    let most = bound(ctx, digit, below).filter(|_| !own)?;
    if most.1 == size.1 {
        return Some(None);
    }
    let text = format!("{} >= {}", size.0, most.0);
    Some(Some((text, Tree::binary(Operator::Ge, size.1, most.1))))
}

/// What a number is less than: by a guard, or by what indices there are.
fn bound(ctx: &Ctx, p: &Poly, below: &[(Poly, T)]) -> Option<Named> {
    let guard = below.iter().filter(|(q, _)| q == p).find_map(|(_, d)| named(ctx, plain(ctx, *d)));
    guard.or_else(|| indices(ctx, p))
}

/// `threadIdx`, `blockIdx`, or `blockIdx * blockDim + threadIdx`.
fn indices(ctx: &Ctx, p: &Poly) -> Option<Named> {
    let index = |t: T| match kind(ctx, t)? {
        VarKind::ThreadId(a) => Some(Index::Thread(a)),
        VarKind::BlockId(a) => Some(Index::Block(a)),
        _ => None,
    };
    let grid = |a: u8| (format!("gridDim.{}", axis(a)), Tree::GridDim(a));
    let block = |a: u8| (format!("blockDim.{}", axis(a)), Tree::BlockDim(a));
    match &p.0[..] {
        [(factors, 1)] => match (factors.len(), index(factors[0])?) {
            (1, Index::Thread(a)) => Some(block(a)),
            (1, Index::Block(a)) => Some(grid(a)),
            _ => None,
        },
        [(f, j), (g, k)] => {
            let one = |f: &[T]| f.iter().find_map(|&t| index(t));
            let (thread, step) = match (one(f)?, one(g)?) {
                (Index::Thread(a), Index::Block(b)) if a == b && *j == 1 => (a, (g, *k)),
                (Index::Block(b), Index::Thread(a)) if a == b && *k == 1 => (a, (f, *j)),
                _ => return None,
            };
            let whole = match ctx.assumptions.block[usize::from(thread)] {
                crate::DimSpec::Exactly(n) => step.1 == i128::from(n) && step.0.len() == 1,
                crate::DimSpec::Any => {
                    let is_dim = |&t: &T| kind(ctx, t) == Some(VarKind::BlockDim(thread));
                    step.1 == 1 && step.0.len() == 2 && step.0.iter().any(is_dim)
                }
            };
            let (g, b) = (grid(thread), block(thread));
            whole.then(|| (format!("{} * {}", g.0, b.0), Tree::binary(Operator::Mul, g.1, b.1)))
        }
        _ => None,
    }
}

fn kind(ctx: &Ctx, t: T) -> Option<VarKind> {
    match *ctx.pool.node(plain(ctx, t)) {
        Node::Var(v) => Some(ctx.vars[v.0 as usize].0),
        _ => None,
    }
}

/// A term without extensions, and without a constant: below `w - 1` is below `w`.
fn plain(ctx: &Ctx, mut t: T) -> T {
    loop {
        t = match ctx.pool.node(t) {
            Node::SExt(a) | Node::ZExt(a) => *a,
            Node::Lin(_, terms) if matches!(terms[..], [(_, 1)]) => terms[0].0,
            _ => return t,
        }
    }
}

fn is_size(ctx: &Ctx, t: T) -> bool {
    named(ctx, t).is_some()
}

/// A parameter or a dimension, by its name.
fn named(ctx: &Ctx, t: T) -> Option<Named> {
    match kind(ctx, t)? {
        VarKind::Param(p, 0) => Some((ctx.kernel.params[p].name.clone(), Tree::Param(p))),
        VarKind::GridDim(a) => Some((format!("gridDim.{}", axis(a)), Tree::GridDim(a))),
        VarKind::BlockDim(a) => Some((format!("blockDim.{}", axis(a)), Tree::BlockDim(a))),
        _ => None,
    }
}

fn axis(a: u8) -> &'static str {
    ["x", "y", "z"][usize::from(a)]
}
