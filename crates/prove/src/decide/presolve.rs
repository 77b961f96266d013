//! Simplifies a conjunction until no rule applies: known facts (an equation for a variable, a literal that occurs
//! elsewhere) are substituted, equations are split by the rules of the table ([`crate::decide::rules_table`]), and the
//! constructors of terms do the arithmetic. For most pairs of affine accesses the result is a contradiction.

use std::time::Instant;

use rustc_hash::FxHashSet;

use crate::decide::record::Record;
use crate::decide::rules_table::{RULES, Step};
use crate::launch::context::{Ctx, VarKind};
use crate::term::walk::{Substitution, conjuncts, leaves, reachable};
use crate::term::{Bin, Node, Pool, T, VarId, mask, smax, smin};

/// Rounds of substitution.
const ROUNDS: usize = 32;

/// How often the known facts are substituted again.
const AGAIN: usize = 3;

/// Adds the intervals of all variables, and of all terms whose known interval is tighter than their structure shows.
pub(crate) fn complete(ctx: &mut Ctx, assertions: &mut Vec<T>) {
    let extra = intervals(ctx, assertions);
    assertions.extend(extra);
}

/// The intervals of all variables, and of all terms whose known interval is tighter than their structure shows, as
/// conditions.
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

/// The interval of a term as conditions, for a term whose known interval is tighter than its structure shows.
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

/// Simplifies a conjunction. Returns an error if it is a contradiction.
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

/// The result of [`simplified`].
struct Simple {
    list: Vec<T>,
    /// Whether it is known already that no rule that waits for literals applies.
    is_settled: bool,
}

/// A contradiction: the last rule that applied before it was seen.
pub(crate) type Contradiction = Option<usize>;

fn simplified_again(
    ctx: &mut Ctx,
    record: &Record,
    assertions: &[T],
) -> Result<Simple, Contradiction> {
    let mut simple = simplified(ctx, record, assertions)?;
    // Bounds that appeared only when literals were substituted may enable a rule for an equation.
    for _ in 0..AGAIN {
        if simple.is_settled || next_step(ctx, record, &simple.list, true).is_none() {
            break;
        }
        simple = simplified(ctx, record, &simple.list)?;
    }
    Ok(simple)
}

/// The first rule that applies, and its step; if `waiting`, only among the rules that wait for literals.
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
    // A literal that is itself a member is known to be true in all other members.
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
            // The bounds of the variable become bounds of its replacement.
            ctx.variable_bounds(var, &mut list);
            for t in list {
                let u = s.apply(&mut ctx.pool, t);
                conjuncts(&ctx.pool, u, &mut next);
            }
        }
    }
    next
}

/// Rewrites the subterms of a member by the other members, never the member itself (it would become true).
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

/// A signed variable that a condition shows to be positive, and a new variable with positive values only to replace it:
/// then intervals suffice where the sign had to be considered.
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
        // The same for every query, so that it can be a single variable: from 1 to the old variable's upper bound.
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

/// An equation between a variable and a term that does not contain it. The variable may be truncated or extended, where
/// neither loses anything.
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
