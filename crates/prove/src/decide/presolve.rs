//! Simplifies a conjunction until no rule applies: known facts (an equation of a variable, a literal that occurs elsewhere) are
//! driven through it, equations are taken apart by the rules of the table ([`crate::decide::rules_table`]), and the constructors
//! of terms do the arithmetic on the way. Most pairs of affine accesses end here, as a contradiction.

use std::time::Instant;

use rustc_hash::FxHashSet;

use crate::decide::record::Record;
use crate::decide::rules_table::{RULES, Step};
use crate::launch::context::{Ctx, VarKind};
use crate::term::walk::{Substitution, conjuncts, leaves, reachable};
use crate::term::{Bin, Node, Pool, T, VarId, mask, smax, smin};

/// Rounds of substitution.
const ROUNDS: usize = 32;

/// How often what is known is driven through again.
const AGAIN: usize = 3;

/// Adds the intervals of all that occurs.
pub(crate) fn complete(ctx: &mut Ctx, assertions: &mut Vec<T>) {
    let extra = intervals(ctx, assertions);
    assertions.extend(extra);
}

/// The intervals of all that occurs, as conditions.
pub(crate) fn intervals(ctx: &mut Ctx, terms: &[T]) -> Vec<T> {
    let mut extra = Vec::new();
    for t in reachable(&ctx.pool, terms) {
        match ctx.pool.node(t) {
            Node::Var(v) => {
                let v = *v;
                ctx.variable_bounds(v, &mut extra);
            }
            Node::Lin(..) | Node::App(..) | Node::Bin(..) if ctx.pool.is_refined(t) => {
                refined_bounds(ctx, t, &mut extra);
            }
            _ => {}
        }
    }
    extra
}

/// The interval of a term as conditions, for one that is known better than its structure says.
pub(crate) fn refined_bounds(ctx: &mut Ctx, t: T, out: &mut Vec<T>) {
    let (r, w) = (ctx.pool.range(t), ctx.pool.width(t));
    if r.slo > smin(w) {
        let low = ctx.pool.constant((r.slo - 1) as u64, w);
        out.push(ctx.pool.intern(Node::Bin(Bin::Slt, low, t), 1));
    }
    if r.shi < smax(w) {
        let high = ctx.pool.constant((r.shi + 1) as u64, w);
        out.push(ctx.pool.intern(Node::Bin(Bin::Slt, t, high), 1));
    }
    ctx.bounds_of(t, out);
}

/// Simplifies a conjunction. An error where it is a contradiction.
pub(crate) fn presolve(
    ctx: &mut Ctx,
    record: &Record,
    assertions: &[T],
) -> Result<Vec<T>, Contradiction> {
    match simplified_again(ctx, record, assertions) {
        Ok(simple) => Ok(simple.list),
        Err(last) => {
            if let Some(rule) = last {
                record.contradiction(rule);
            }
            Err(last)
        }
    }
}

/// What [`simplified`] made of a conjunction.
struct Simple {
    list: Vec<T>,
    /// Whether it is known already that no rule applies that waits for literals.
    is_settled: bool,
}

/// A contradiction, and the rule that was the last to apply before it was seen.
pub(crate) type Contradiction = Option<usize>;

fn simplified_again(
    ctx: &mut Ctx,
    record: &Record,
    assertions: &[T],
) -> Result<Simple, Contradiction> {
    let mut simple = simplified(ctx, record, assertions)?;
    // Bounds that only came to light by the literals may be what an equation was waiting for.
    for _ in 0..AGAIN {
        if simple.is_settled || next_step(ctx, record, &simple.list, true).is_none() {
            break;
        }
        simple = simplified(ctx, record, &simple.list)?;
    }
    Ok(simple)
}

/// The first rule that applies, and what it does; of those that wait for literals only, if that is asked.
fn next_step(ctx: &mut Ctx, record: &Record, list: &[T], waiting: bool) -> Option<(usize, Step)> {
    let rules = RULES.iter().enumerate().filter(|(_, rule)| rule.waits_for_literals || !waiting);
    for (i, rule) in rules {
        let clock = Instant::now();
        let step = (rule.apply)(ctx, list);
        record.rule(i, step.is_some() && !waiting, clock);
        if let Some(step) = step {
            return Some((i, step));
        }
    }
    None
}

fn simplified(ctx: &mut Ctx, record: &Record, assertions: &[T]) -> Result<Simple, Contradiction> {
    let mut is_settled = false;
    let mut last = None;
    let mut list: Vec<T> = Vec::new();
    for &a in assertions {
        conjuncts(&ctx.pool, a, &mut list);
    }
    for _ in 0..ROUNDS {
        list.sort();
        list.dedup();
        list.retain(|&t| !ctx.pool.is_true(t));
        if list.iter().any(|&t| ctx.pool.is_false(t)) {
            return Err(last);
        }
        let set: FxHashSet<T> = list.iter().copied().collect();
        for &t in &list {
            let n = ctx.pool.not(t);
            if set.contains(&n) {
                return Err(last);
            }
        }
        let Some((rule, step)) = next_step(ctx, record, &list, false) else {
            is_settled = true;
            break;
        };
        last = Some(rule);
        if let Some(audit) = &record.audit {
            audit.step(ctx, rule, &list, &step);
        }
        list = after(ctx, list, step);
    }
    // Literals that stand by themselves are known everywhere else.
    let mut s = Substitution::default();
    for &t in &list {
        let yes = ctx.pool.truth(true);
        let no = ctx.pool.truth(false);
        match *ctx.pool.node(t) {
            Node::Bin(Bin::Xor, a, b) if ctx.pool.as_const(a) == Some(1) => {
                s.terms.insert(b, no);
            }
            Node::Bin(Bin::Xor, a, b) if ctx.pool.as_const(b) == Some(1) => {
                s.terms.insert(a, no);
            }
            _ => {
                s.terms.insert(t, yes);
            }
        }
    }
    let mut out = Vec::with_capacity(list.len());
    for &t in &list {
        let u = rewrite_below(ctx, &mut s, t);
        if ctx.pool.is_false(u) {
            return Err(last);
        }
        conjuncts(&ctx.pool, u, &mut out);
    }
    out.sort();
    out.dedup();
    out.retain(|&t| !ctx.pool.is_true(t));
    if out.iter().any(|&t| ctx.pool.is_false(t)) {
        return Err(last);
    }
    let is_settled = is_settled && out == list;
    Ok(Simple { list: out, is_settled })
}

/// A conjunction after a step.
pub(crate) fn after(ctx: &mut Ctx, mut list: Vec<T>, step: Step) -> Vec<T> {
    let mut next = Vec::with_capacity(list.len());
    match step {
        Step::Replace { gone, by } => {
            let mut at = 0..;
            list.retain(|_| !gone.contains(&at.next().unwrap_or_default()));
            for t in list.into_iter().chain(by) {
                conjuncts(&ctx.pool, t, &mut next);
            }
        }
        Step::Substitute { var, value, gone } => {
            if let Some(at) = gone {
                list.swap_remove(at);
            }
            let mut s = Substitution::default();
            s.vars.insert(var, value);
            // The variable's own bounds become bounds of its value.
            ctx.variable_bounds(var, &mut list);
            for t in list {
                let u = s.apply(&mut ctx.pool, t);
                conjuncts(&ctx.pool, u, &mut next);
            }
        }
    }
    next
}

/// Rewrites the parts of a member by the other members, never the member itself (it would become true).
fn rewrite_below(ctx: &mut Ctx, s: &mut Substitution, t: T) -> T {
    match *ctx.pool.node(t) {
        Node::Bin(Bin::Xor, a, b) if ctx.pool.as_const(a) == Some(1) => {
            let inner = rewrite_below(ctx, s, b);
            ctx.pool.not(inner)
        }
        Node::Bin(Bin::Xor, a, b) if ctx.pool.as_const(b) == Some(1) => {
            let inner = rewrite_below(ctx, s, a);
            ctx.pool.not(inner)
        }
        Node::Bin(op, a, b) if ctx.pool.width(a) == 1 => {
            let (a, b) = (s.apply(&mut ctx.pool, a), s.apply(&mut ctx.pool, b));
            ctx.pool.bin(op, a, b)
        }
        Node::Ite(c, a, b) => {
            let (c, a, b) =
                (s.apply(&mut ctx.pool, c), s.apply(&mut ctx.pool, a), s.apply(&mut ctx.pool, b));
            ctx.pool.ite(c, a, b)
        }
        _ => t,
    }
}

/// A signed variable that a condition shows to be positive, and a variable of positive values only in its place: what
/// was a matter of signs becomes one of intervals.
pub(crate) fn positive(ctx: &mut Ctx, list: &[T]) -> Option<(VarId, T)> {
    for &t in list {
        let (negated, t) = literal(&ctx.pool, t);
        let Node::Bin(Bin::Slt, a, b) = *ctx.pool.node(t) else { continue };
        // 0 <= a < b, or 1 <= b <= a.
        let (large, enough) = match negated {
            false => (b, ctx.pool.range(a).slo >= 0),
            true => (a, ctx.pool.range(b).slo >= 1),
        };
        let large = match *ctx.pool.node(large) {
            Node::SExt(x) => x,
            _ => large,
        };
        let Node::Var(v) = *ctx.pool.node(large) else { continue };
        let range = ctx.pool.range(large);
        if !enough || range.slo > 0 || range.shi < 1 {
            continue;
        }
        let w = ctx.pool.width(large);
        // The same for every question, so that it may be one variable: at least 1, at most what the other is.
        let own = ctx.variable(VarKind::Positive(v), 0, 1, range.shi as u64, w);
        return Some((v, own));
    }
    None
}

/// A condition without its negation, and whether it had one.
pub(crate) fn literal(pool: &Pool, t: T) -> (bool, T) {
    match *pool.node(t) {
        Node::Bin(Bin::Xor, a, b) if pool.as_const(a) == Some(1) => (true, b),
        Node::Bin(Bin::Xor, a, b) if pool.as_const(b) == Some(1) => (true, a),
        _ => (false, t),
    }
}

/// An equation of a variable and a term without it. The variable may be cut or extended, where neither loses anything.
pub(crate) fn find_equation(ctx: &mut Ctx, list: &[T]) -> Option<(VarId, T, usize)> {
    for (i, &t) in list.iter().enumerate() {
        let Node::Bin(Bin::Eq, a, b) = *ctx.pool.node(t) else { continue };
        for (x, y) in [(a, b), (b, a)] {
            let inner = match *ctx.pool.node(x) {
                Node::Trunc(z) if ctx.pool.range(z).uhi <= mask(ctx.pool.width(x)) => z,
                Node::ZExt(z) if ctx.pool.range(y).uhi <= mask(ctx.pool.width(z)) => z,
                _ => x,
            };
            let Node::Var(v) = *ctx.pool.node(inner) else { continue };
            let (vars, _) = leaves(&ctx.pool, y);
            if !vars.contains(&v) {
                let w = ctx.pool.width(inner);
                return Some((v, ctx.pool.resize(y, w), i));
            }
        }
    }
    None
}
