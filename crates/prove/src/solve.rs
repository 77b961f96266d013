//! Deciding conjunctions: by arithmetic where it can, then by the solver, in parallel and each only once.
//!
//! [`Solver::presolve`] drives known facts through a conjunction (an equation of a variable, a literal that occurs
//! elsewhere) until nothing changes; the constructors of terms do the arithmetic on the way. Most pairs of affine
//! accesses end there. The rest goes to Z3.
//!
//! Every variable's interval, and every interval that was shown for a whole term, is added as a condition, because
//! the solver does not know them. A model is believed only after every condition has been evaluated under it.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::context::Ctx;
use crate::loops::conjuncts;
use crate::term::{Bin, Node, T};
use crate::walk::{Assignment, Substitution, reachable};
use crate::z3::{self, Answer};

/// A conjunction to decide, as it was asked and as it is after [`presolve`].
#[derive(Clone, Debug)]
pub(crate) struct Query {
    pub(crate) asked: Vec<T>,
    pub(crate) reduced: Vec<T>,
}

#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    Unsat,
    Sat,
    Unknown,
}

/// Rounds of substitution.
const ROUNDS: usize = 12;

#[derive(Default)]
pub(crate) struct Solver {
    cache: FxHashMap<Vec<T>, Outcome>,
    pub(crate) by_arithmetic: u64,
    pub(crate) shared: u64,
    pub(crate) solved: u64,
    pub(crate) solver_time: Duration,
    pub(crate) timeouts: u64,
}

/// Adds the intervals of all that occurs.
pub(crate) fn complete(ctx: &mut Ctx, assertions: &mut Vec<T>) {
    let mut extra = Vec::new();
    for t in reachable(&ctx.pool, assertions) {
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
    assertions.extend(extra);
}

/// The interval of a term as conditions, for one that is known better than its structure says.
pub(crate) fn refined_bounds(ctx: &mut Ctx, t: T, out: &mut Vec<T>) {
    let (r, w) = (ctx.pool.range(t), ctx.pool.width(t));
    if r.slo > crate::term::smin(w) {
        let low = ctx.pool.constant((r.slo - 1) as u64, w);
        out.push(ctx.pool.intern(Node::Bin(Bin::Slt, low, t), 1));
    }
    if r.shi < crate::term::smax(w) {
        let high = ctx.pool.constant((r.shi + 1) as u64, w);
        out.push(ctx.pool.intern(Node::Bin(Bin::Slt, t, high), 1));
    }
    ctx.bounds_of(t, out);
}

/// Simplifies a conjunction. `None` where it is a contradiction.
pub(crate) fn presolve(ctx: &mut Ctx, assertions: &[T]) -> Option<Vec<T>> {
    let mut list: Vec<T> = Vec::new();
    for &a in assertions {
        conjuncts(&ctx.pool, a, &mut list);
    }
    for _ in 0..ROUNDS {
        list.sort();
        list.dedup();
        list.retain(|&t| !ctx.pool.is_true(t));
        if list.iter().any(|&t| ctx.pool.is_false(t)) {
            return None;
        }
        let set: FxHashSet<T> = list.iter().copied().collect();
        for &t in &list {
            let n = ctx.pool.not(t);
            if set.contains(&n) {
                return None;
            }
        }
        let Some((var, value, at)) = find_equation(ctx, &list) else {
            let Some((at, parts)) = crate::radix::split(ctx, &list) else { break };
            list.swap_remove(at);
            for t in parts {
                conjuncts(&ctx.pool, t, &mut list);
            }
            continue;
        };
        let mut s = Substitution::default();
        s.vars.insert(var, value);
        list.swap_remove(at);
        // The variable's own bounds become bounds of its value.
        let mut bounds = Vec::new();
        ctx.variable_bounds(var, &mut bounds);
        list.extend(bounds);
        let mut next = Vec::with_capacity(list.len());
        for t in list {
            let u = s.apply(&mut ctx.pool, t);
            conjuncts(&ctx.pool, u, &mut next);
        }
        list = next;
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
            return None;
        }
        conjuncts(&ctx.pool, u, &mut out);
    }
    out.sort();
    out.dedup();
    out.retain(|&t| !ctx.pool.is_true(t));
    if out.iter().any(|&t| ctx.pool.is_false(t)) {
        return None;
    }
    Some(out)
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

/// An equation of a variable and a term without it.
fn find_equation(ctx: &Ctx, list: &[T]) -> Option<(crate::term::VarId, T, usize)> {
    for (i, &t) in list.iter().enumerate() {
        let Node::Bin(Bin::Eq, a, b) = *ctx.pool.node(t) else { continue };
        for (x, y) in [(a, b), (b, a)] {
            if let Node::Var(v) = ctx.pool.node(x) {
                let (vars, _) = crate::walk::leaves(&ctx.pool, y);
                if !vars.contains(v) {
                    return Some((*v, y, i));
                }
            }
        }
    }
    None
}

impl Solver {
    /// Prepares a conjunction: `None` where arithmetic shows that it has no model.
    pub(crate) fn ask(&mut self, ctx: &mut Ctx, assertions: Vec<T>) -> Option<Query> {
        if assertions.iter().any(|&t| ctx.pool.is_false(t)) {
            self.by_arithmetic += 1;
            return None;
        }
        let mut asked = assertions;
        let Some(mut reduced) = presolve(ctx, &asked) else {
            self.by_arithmetic += 1;
            return None;
        };
        complete(ctx, &mut reduced);
        complete(ctx, &mut asked);
        reduced.sort();
        reduced.dedup();
        Some(Query { asked, reduced })
    }

    /// Decides all the queries, on `jobs` threads. The answers do not depend on how many there are, unless time
    /// runs out.
    pub(crate) fn decide(
        &mut self,
        ctx: &Ctx,
        queries: &[Query],
        jobs: usize,
        timeout: Duration,
        deadline: Instant,
    ) -> Vec<Outcome> {
        let mut unique: BTreeMap<Vec<T>, usize> = BTreeMap::new();
        let mut keys: Vec<&Vec<T>> = Vec::new();
        for q in queries {
            if self.cache.contains_key(&q.reduced) || unique.contains_key(&q.reduced) {
                self.shared += 1;
                continue;
            }
            unique.insert(q.reduced.clone(), keys.len());
            keys.push(&q.reduced);
        }
        let results: Vec<Mutex<Option<Outcome>>> = keys.iter().map(|_| Mutex::new(None)).collect();
        let next = AtomicUsize::new(0);
        let started = Instant::now();
        let work = || {
            loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                let Some(key) = keys.get(i) else { break };
                let left = deadline.saturating_duration_since(Instant::now());
                let outcome = if left.is_zero() {
                    Outcome::Unknown
                } else {
                    match z3::check(&ctx.pool, key, timeout.min(left)) {
                        Answer::Unsat => Outcome::Unsat,
                        Answer::Sat(m) if holds(ctx, key, &m) => Outcome::Sat,
                        _ => Outcome::Unknown,
                    }
                };
                *results[i].lock().expect("no panic while held") = Some(outcome);
            }
        };
        let workers = jobs.clamp(1, keys.len().max(1));
        if workers == 1 {
            work();
        } else {
            std::thread::scope(|s| {
                for _ in 0..workers {
                    s.spawn(work);
                }
            });
        }
        self.solver_time += started.elapsed();
        self.solved += keys.len() as u64;
        for (key, result) in keys.iter().zip(results) {
            let outcome =
                result.into_inner().expect("no panic while held").unwrap_or(Outcome::Unknown);
            self.timeouts += u64::from(matches!(outcome, Outcome::Unknown));
            self.cache.insert((*key).clone(), outcome);
        }
        queries.iter().map(|q| self.cache[&q.reduced].clone()).collect()
    }

    /// A model of everything that was asked.
    pub(crate) fn model(
        &mut self,
        ctx: &Ctx,
        asked: &[T],
        timeout: Duration,
    ) -> Option<Assignment> {
        let started = Instant::now();
        let answer = z3::check(&ctx.pool, asked, timeout);
        self.solver_time += started.elapsed();
        self.solved += 1;
        match answer {
            Answer::Sat(m) if holds(ctx, asked, &m) => Some(m),
            _ => None,
        }
    }
}

/// Whether the assignment satisfies all.
fn holds(ctx: &Ctx, assertions: &[T], m: &Assignment) -> bool {
    assertions.iter().all(|&t| m.eval(&ctx.pool, t) == 1)
}
