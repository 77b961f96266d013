//! Deciding conjunctions: by arithmetic where it can, then by the solver, in parallel and each only once.
//!
//! [`Solver::presolve`] drives known facts through a conjunction (an equation of a variable, a literal that occurs
//! elsewhere) until nothing changes; the constructors of terms do the arithmetic on the way. Most pairs of affine
//! accesses end there. Of the rest, most that have a model have one that is easily guessed ([`crate::decide::guessed_models`]), and small
//! ones are decided by intervals ([`crate::decide::intervals`]); what is left goes to Z3, in two languages.
//!
//! Every variable's interval, and every interval that was shown for a whole term, is added as a condition, because
//! the solver does not know them. A model is believed only after every condition has been evaluated under it.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::decide::intervals;
use crate::decide::limits::Limits;
use crate::decide::program::Program;
use crate::launch::context::{Ctx, VarKind};
use crate::smt::z3;
use crate::smt::z3::{Answer, Effort, Theory};
use crate::term::walk::{Assignment, Substitution, conjuncts, reachable};
use crate::term::{Bin, Node, Pool, T, VarId, mask};

/// A conjunction to decide, as it was asked and as it is after [`presolve`].
#[derive(Clone, Debug)]
pub(crate) struct Query {
    pub(crate) asked: Vec<T>,
    pub(crate) reduced: Vec<T>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Unsat,
    Sat,
    /// The solver gave up.
    Unknown,
    /// The time for the whole kernel was over.
    Late,
}

/// Work for one launch that is tried.
const TRIAL_WORK: u32 = 60;

/// Work up to which a question is a short one, for which no launches are tried.
pub(crate) const SHORT: u32 = 40;

/// Work for the first try in each language.
const FIRST: u32 = 50;

/// Work from which a question is a long one, for which no way is left untried.
const LONG: u32 = 1000;

/// Questions after which it is looked whether the work is spent: those for arithmetic, and those for the solver.
const EASY_BATCH: usize = 256;
const HARD_BATCH: usize = 16;

/// Questions from which several workers answer even the easy ones.
const MANY: usize = 64;

/// Rounds of substitution.
const ROUNDS: usize = 32;

/// How often what is known is driven through again.
const AGAIN: usize = 3;

#[derive(Default)]
pub(crate) struct Solver {
    cache: FxHashMap<Vec<T>, Outcome>,
    pub(crate) by_arithmetic: u64,
    pub(crate) shared: u64,
    pub(crate) solved: u64,
    pub(crate) solver_time: Duration,
    pub(crate) timeouts: u64,
    /// Work of all questions, in the units of [`Effort::work`].
    pub(crate) work: u64,
    /// One question that has a model is enough.
    pub(crate) all_or_nothing: bool,
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
    let mut simple = simplified(ctx, assertions)?;
    // Bounds that only came to light by the literals may be what an equation was waiting for.
    for _ in 0..AGAIN {
        if simple.is_settled || split_equation(ctx, &simple.list).is_none() {
            break;
        }
        simple = simplified(ctx, &simple.list)?;
    }
    Some(simple.list)
}

/// What [`simplified`] made of a conjunction.
struct Simple {
    list: Vec<T>,
    /// Whether it is known already that no equation of the list is one for each digit.
    is_settled: bool,
}

/// An equation that is one for each digit: its position, and what replaces it.
fn split_equation(ctx: &mut Ctx, list: &[T]) -> Option<(usize, Vec<T>)> {
    crate::decide::rules::radix::split(ctx, list)
        .or_else(|| crate::decide::rules::radix::rows(ctx, list))
        .or_else(|| crate::decide::rules::digits::by_digits(ctx, list))
        .or_else(|| crate::decide::rules::strides::by_stride(ctx, list))
        .or_else(|| crate::decide::rules::nested::split(ctx, list))
        .or_else(|| crate::decide::rules::factor::divided(ctx, list))
}

fn simplified(ctx: &mut Ctx, assertions: &[T]) -> Option<Simple> {
    let mut is_settled = false;
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
        let (var, value) = if let Some((var, value, at)) = find_equation(ctx, &list) {
            list.swap_remove(at);
            (var, value)
        } else if let Some((at, parts)) = split_equation(ctx, &list) {
            list.swap_remove(at);
            for t in parts {
                conjuncts(&ctx.pool, t, &mut list);
            }
            continue;
        } else if let Some(positive) = positive(ctx, &list) {
            positive
        } else if let Some((gone, same)) = crate::decide::rules::division::joined(ctx, &list) {
            for at in gone {
                list[at] = same;
            }
            continue;
        } else {
            is_settled = true;
            break;
        };
        let mut s = Substitution::default();
        s.vars.insert(var, value);
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
    let is_settled = is_settled && out == list;
    Some(Simple { list: out, is_settled })
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
fn positive(ctx: &mut Ctx, list: &[T]) -> Option<(VarId, T)> {
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
fn find_equation(ctx: &mut Ctx, list: &[T]) -> Option<(VarId, T, usize)> {
    for (i, &t) in list.iter().enumerate() {
        let Node::Bin(Bin::Eq, a, b) = *ctx.pool.node(t) else { continue };
        for (x, y) in [(a, b), (b, a)] {
            let inner = match *ctx.pool.node(x) {
                Node::Trunc(z) if ctx.pool.range(z).uhi <= mask(ctx.pool.width(x)) => z,
                Node::ZExt(z) if ctx.pool.range(y).uhi <= mask(ctx.pool.width(z)) => z,
                _ => x,
            };
            let Node::Var(v) = *ctx.pool.node(inner) else { continue };
            let (vars, _) = crate::term::walk::leaves(&ctx.pool, y);
            if !vars.contains(&v) {
                let w = ctx.pool.width(inner);
                return Some((v, ctx.pool.resize(y, w), i));
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

    /// Decides all the queries, on several threads. The answers do not depend on how many there are, unless time
    /// runs out.
    pub(crate) fn decide(
        &mut self,
        ctx: &mut Ctx,
        queries: &[Query],
        limits: Limits,
    ) -> Vec<Outcome> {
        let mut unique: FxHashSet<&[T]> = FxHashSet::default();
        let mut keys: Vec<&[T]> = Vec::new();
        for q in queries {
            if self.cache.contains_key(&q.reduced) || !unique.insert(&q.reduced) {
                self.shared += 1;
                continue;
            }
            keys.push(&q.reduced);
        }
        let effort = limits.effort();
        let results: Vec<Mutex<Option<(Outcome, u64)>>> =
            keys.iter().map(|_| Mutex::new(None)).collect();
        // The first question that is not answered by `unsat`: with `all_or_nothing`, what comes after it is not asked,
        // and what comes before it always is.
        let open = AtomicUsize::new(usize::MAX);
        let all_or_nothing = self.all_or_nothing;
        let is_moot = |i: usize| all_or_nothing && i > open.load(Ordering::Relaxed);
        let keep = |i: usize, result: (Outcome, u64)| {
            if result.0 != Outcome::Unsat {
                open.fetch_min(i, Ordering::Relaxed);
            }
            *results[i].lock().expect("no panic while held") = Some(result);
        };
        let started = Instant::now();
        // Most are answered without the solver, in less time than a thread takes to begin.
        let workers = if keys.len() < MANY { 1 } else { limits.jobs };
        let all: Vec<usize> = (0..keys.len()).collect();
        for batch in all.chunks(EASY_BATCH) {
            let is_over = limits.are_over();
            let shared = &*ctx;
            in_parallel(workers, batch.len(), |at| {
                let i = batch[at];
                if is_moot(i) {
                    return;
                }
                let known = if is_over { Some(Outcome::Late) } else { None };
                if let Some(outcome) = known.or_else(|| at_once(shared, keys[i], effort)) {
                    keep(i, (outcome, 0));
                }
            });
            effort.meter.questions(batch.len());
        }
        let is_left = |i: &usize| !is_moot(*i) && results[*i].lock().is_ok_and(|r| r.is_none());
        let left: Vec<usize> = (0..keys.len()).filter(is_left).collect();
        // Where one model is enough to give up, how many launches have one does not matter.
        let wanted = !all_or_nothing && limits.work > SHORT;
        for batch in left.chunks(HARD_BATCH) {
            let is_over = limits.are_over();
            let trials: Vec<Vec<Trial>> = batch
                .iter()
                .map(|&i| if wanted && !is_over { trials(ctx, keys[i]) } else { Vec::new() })
                .collect();
            let shared = &*ctx;
            in_parallel(limits.jobs, batch.len(), |at| {
                let i = batch[at];
                if !is_moot(i) {
                    keep(
                        i,
                        match is_over {
                            true => (Outcome::Late, 0),
                            false => answer(shared, keys[i], &trials[at], effort),
                        },
                    );
                }
            });
            // What another worker had begun before the end was known must not count.
            let counts = batch.iter().filter(|&&i| !is_moot(i));
            let spent = counts.map(|&i| results[i].lock().map_or(0, |r| r.map_or(0, |r| r.1)));
            effort.meter.solver(spent.sum());
        }
        self.solver_time += started.elapsed();
        let first = open.into_inner();
        for (i, (key, result)) in keys.iter().zip(results).enumerate() {
            let result = result.into_inner().expect("no panic while held");
            // What another worker had begun before the end was known must not count.
            let result = result.filter(|_| !all_or_nothing || i <= first);
            self.solved += u64::from(result.is_some());
            let (outcome, spent) = result.unwrap_or((Outcome::Unknown, 0));
            self.work += spent;
            self.timeouts += u64::from(matches!(outcome, Outcome::Unknown | Outcome::Late));
            self.cache.insert(key.to_vec(), outcome);
        }
        queries.iter().map(|q| self.cache[&q.reduced]).collect()
    }

    /// A model of everything that was asked.
    pub(crate) fn model(
        &mut self,
        ctx: &mut Ctx,
        asked: &[T],
        effort: Effort,
    ) -> Option<Assignment> {
        if effort.is_over() {
            return None;
        }
        let started = Instant::now();
        let program = Program::new(&ctx.pool, asked);
        let (mut model, mut spent) = (crate::decide::guessed_models::guess(ctx, &program), 0);
        let mut is_over = false;
        if model.is_none() {
            match intervals::decide(&program) {
                Answer::Sat(m) => model = Some(m),
                Answer::Unsat => is_over = true,
                Answer::Unknown => {
                    model = crate::decide::guessed_models::guess_more(ctx, &program)
                        .filter(|m| holds(ctx, asked, m));
                }
            };
        }
        // It may have none, as it was asked for few threads: arithmetic knows that sooner than the solver.
        is_over = is_over || (model.is_none() && presolve(ctx, asked).is_none());
        if model.is_none() && !is_over {
            let trials = trials(ctx, asked);
            (model, spent) = attempt(ctx, asked, &trials, effort);
        }
        if model.is_none() && !is_over {
            let (answer, more) = z3::check(&ctx.pool, asked, Theory::Bits, effort);
            spent += more;
            model = match answer {
                Answer::Sat(m) if holds(ctx, asked, &m) => Some(m),
                _ => None,
            };
        }
        self.solver_time += started.elapsed();
        self.solved += 1;
        self.work += spent;
        effort.meter.solver(spent);
        effort.meter.questions(1);
        model
    }
}

/// Whether the conjunction has a model that is easily guessed.
pub(crate) fn is_guessed(ctx: &Ctx, key: &[T]) -> bool {
    let program = Program::new(&ctx.pool, key);
    crate::decide::guessed_models::guess(ctx, &program).is_some_and(|m| holds(ctx, key, &m))
}

/// What can be said of one question without the solver; `unknown` where there is to be none.
fn at_once(ctx: &Ctx, key: &[T], effort: Effort) -> Option<Outcome> {
    if effort.is_over() {
        return Some(Outcome::Late);
    }
    let program = Program::new(&ctx.pool, key);
    if crate::decide::guessed_models::guess(ctx, &program).is_some_and(|m| holds(ctx, key, &m)) {
        return Some(Outcome::Sat);
    }
    match intervals::decide(&program) {
        Answer::Unsat => Some(Outcome::Unsat),
        Answer::Sat(_) if !wraps(ctx, key, effort) => Some(Outcome::Sat),
        _ if effort.work == 0 => Some(Outcome::Unknown),
        Answer::Sat(_) => None,
        Answer::Unknown => {
            let model = crate::decide::guessed_models::guess_more(ctx, &program)
                .filter(|m| holds(ctx, key, m));
            model.filter(|_| !wraps(ctx, key, effort)).map(|_| Outcome::Sat)
        }
    }
}

/// A model that has to be looked for, with products of unknowns, is one in which something wraps more often than not:
/// conditions that exclude it come before such questions, which a short one is not.
fn wraps(ctx: &Ctx, key: &[T], effort: Effort) -> bool {
    effort.work <= SHORT && has_products(ctx, key)
}

/// Calls `f` with each number below `count`, on so many threads, of which this is one.
fn in_parallel(workers: usize, count: usize, f: impl Fn(usize) + Sync) {
    let next = AtomicUsize::new(0);
    let work = || {
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            if i >= count {
                break;
            }
            f(i);
        }
    };
    std::thread::scope(|s| {
        for _ in 1..workers.clamp(1, count.max(1)) {
            s.spawn(work);
        }
        work();
    });
}

/// The solver's answer to a question that [`at_once`] leaves open, and the work it took.
fn answer(ctx: &Ctx, key: &[T], trials: &[Trial], effort: Effort) -> (Outcome, u64) {
    if effort.is_over() {
        return (Outcome::Late, 0);
    }
    let (outcome, mut work) = without_products(ctx, key, effort);
    if outcome {
        return (Outcome::Unsat, work);
    }
    let (model, more) = attempt(ctx, key, trials, effort);
    work += more;
    if model.is_some() {
        return (Outcome::Sat, work);
    }
    // Setting up a search over products also costs more than a short question may, before any limit is seen.
    if wraps(ctx, key, effort) {
        return (Outcome::Unknown, work);
    }
    for (theory, most) in portfolio(effort.work) {
        let (answer, more) = z3::check(&ctx.pool, key, theory, Effort { work: most, ..effort });
        work += more;
        match answer {
            Answer::Unsat => return (Outcome::Unsat, work),
            Answer::Sat(m) if holds(ctx, key, &m) => return (Outcome::Sat, work),
            _ if effort.is_over() => return (Outcome::Late, work),
            _ => {}
        }
    }
    (Outcome::Unknown, work)
}

/// The languages in which a question is asked, one after the other, and the work for each. What one of them decides at all
/// it mostly decides soon, and neither is the better one: bits for masks and shifts, integers for rows, tiles and strides.
fn portfolio(work: u32) -> Vec<(Theory, u32)> {
    let first = work.min(FIRST);
    let mut out = vec![(Theory::Bits, first), (Theory::Integers, 4 * first)];
    if work > FIRST {
        out.push((Theory::Bits, work));
    }
    if work > 4 * FIRST {
        out.push((Theory::Integers, work));
    }
    if work >= LONG {
        out.push((Theory::Blasted, work));
    }
    out
}

/// A conjunction for one launch: some variables have values.
struct Trial {
    values: Vec<(VarId, u64)>,
    list: Vec<T>,
}

/// Dimensions, and scalars where they are fixed too, of launches that show most alarms: small ones, and one whose
/// indices wrap.
const LAUNCHES: [([u64; 3], [u64; 3], Option<u64>); 4] = [
    ([4, 4, 2], [2, 2, 2], Some(3)),
    ([4, 4, 2], [2, 2, 2], None),
    ([32, 8, 1], [8, 8, 1], Some(1024)),
    ([1024, 1, 1], [1 << 23, 4, 1], None),
];

/// The conjunction with dimensions filled in. Products of unknown dimensions are what the solver is worst at, and a
/// model for one launch is a model.
fn trials(ctx: &mut Ctx, key: &[T]) -> Vec<Trial> {
    let (mut dims, mut scalars) = (Vec::new(), Vec::new());
    for t in reachable(&ctx.pool, key) {
        if let Node::Var(v) = *ctx.pool.node(t) {
            match ctx.vars[v.0 as usize].0 {
                VarKind::BlockDim(a) => dims.push((v, t, true, usize::from(a))),
                VarKind::GridDim(a) => dims.push((v, t, false, usize::from(a))),
                VarKind::Param(..) | VarKind::Positive(_) => scalars.push((v, t)),
                _ => {}
            }
        }
    }
    if dims.is_empty() {
        return Vec::new();
    }
    let mut out = Vec::new();
    for (block, grid, scalar) in LAUNCHES {
        let mut s = Substitution::default();
        let mut values = Vec::new();
        let wanted = dims
            .iter()
            .map(|&(v, t, of_block, axis)| (v, t, if of_block { block[axis] } else { grid[axis] }));
        let fixed = scalars.iter().filter_map(|&(v, t)| scalar.map(|n| (v, t, n)));
        for (v, t, wanted) in wanted.chain(fixed) {
            let range = ctx.pool.range(t);
            let value = wanted.clamp(range.ulo, range.uhi);
            values.push((v, value));
            let w = ctx.pool.width(t);
            let c = ctx.pool.constant(value, w);
            s.vars.insert(v, c);
        }
        let mut list: Vec<T> = key.iter().map(|&t| s.apply(&mut ctx.pool, t)).collect();
        list.retain(|&t| !ctx.pool.is_true(t));
        if !list.iter().any(|&t| ctx.pool.is_false(t)) {
            out.push(Trial { values, list });
        }
    }
    out
}

/// The answer to a part of a question.
fn short(ctx: &Ctx, list: &[T], effort: Effort) -> (Answer, u64) {
    match intervals::decide(&Program::new(&ctx.pool, list)) {
        Answer::Unknown => z3::check(&ctx.pool, list, Theory::Bits, effort.at_most(TRIAL_WORK)),
        known => (known, 0),
    }
}

/// Whether something is multiplied by something that is not known either.
fn has_products(ctx: &Ctx, key: &[T]) -> bool {
    let product = |&t: &T| matches!(ctx.pool.node(t), Node::Bin(Bin::Mul, ..));
    reachable(&ctx.pool, key).iter().any(product)
}

/// Whether the conjunction has no model even without its conditions on products, which are slow and seldom needed.
fn without_products(ctx: &Ctx, key: &[T], effort: Effort) -> (bool, u64) {
    let rest: Vec<T> = key.iter().copied().filter(|&t| !has_products(ctx, &[t])).collect();
    if rest.len() == key.len() || is_guessed(ctx, &rest) {
        return (false, 0);
    }
    let (answer, work) = short(ctx, &rest, effort);
    (matches!(answer, Answer::Unsat), work)
}

/// A model of the conjunction from one of the trials.
fn attempt(ctx: &Ctx, key: &[T], trials: &[Trial], effort: Effort) -> (Option<Assignment>, u64) {
    let mut work = 0;
    for trial in trials {
        let (answer, more) = short(ctx, &trial.list, effort);
        work += more;
        if let Answer::Sat(mut m) = answer {
            m.vars.extend(trial.values.iter().copied());
            if holds(ctx, key, &m) {
                return (Some(m), work);
            }
        }
    }
    (None, work)
}

/// Whether the assignment satisfies all.
fn holds(ctx: &Ctx, assertions: &[T], m: &Assignment) -> bool {
    assertions.iter().all(|&t| m.eval(&ctx.pool, t) == 1)
}
