//! Deciding conjunctions: each is simplified ([`crate::decide::presolve`]), and the result is given to one method after
//! the other ([`crate::decide::methods`]), in parallel and each query only once.
//!
//! Every variable's interval, and every interval that was shown for a whole term, is added as a condition, because the
//! solver does not know them. A model counts only after every condition has been evaluated under it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::decide::asked::{About, AskedList, DecidedBy};
use crate::decide::guessed_models::{guess, guess_more};
use crate::decide::intervals;
use crate::decide::launches::{Trial, attempt, holds, trials};
use crate::decide::limits::Limits;
use crate::decide::methods::{Answered, Ask, Stage, answer};
use crate::decide::presolve::{complete, presolve};
use crate::decide::program::Program;
use crate::decide::record::Record;
use crate::launch::context::Ctx;
use crate::smt::z3::{self, Answer, Effort, Theory};
use crate::term::T;
use crate::term::walk::Assignment;

/// A conjunction to decide, in its original form and after [`presolve`].
#[derive(Clone, Debug)]
pub(crate) struct Query {
    pub(crate) asked: Vec<T>,
    pub(crate) reduced: Vec<T>,
    /// Its number, where queries are recorded.
    pub(crate) number: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Unsat,
    Sat,
    /// The solver gave up.
    Unknown,
    /// The time for the whole kernel ran out.
    Late,
}

/// Work limit up to which a query is a short one, for which no launches are tried.
pub(crate) const SHORT: u32 = 40;

/// Number of queries between two checks of the work limit: for queries decided by arithmetic, and for the solver.
const EASY_BATCH: usize = 256;
const HARD_BATCH: usize = 16;

/// Number of queries from which several workers decide even the easy ones.
const MANY: usize = 64;

#[derive(Default)]
pub(crate) struct Solver {
    pub(crate) record: Arc<Record>,
    /// The answers so far, and the methods that found them.
    cache: FxHashMap<Vec<T>, (Outcome, Option<usize>)>,
    /// All queries, if they are recorded.
    pub(crate) asked: Option<AskedList>,
    pub(crate) by_arithmetic: u64,
    pub(crate) shared: u64,
    pub(crate) solved: u64,
    pub(crate) solver_time: Duration,
    pub(crate) timeouts: u64,
    /// Work of all queries, in the units of [`Effort::work`].
    pub(crate) work: u64,
    /// Whether the analysis stops at the first satisfiable query.
    pub(crate) all_or_nothing: bool,
}

impl Solver {
    pub(crate) fn new(record: &Arc<Record>) -> Solver {
        record.begin();
        let asked = record.keeps_questions.then(AskedList::new);
        Solver { record: Arc::clone(record), asked, ..Solver::default() }
    }

    /// Sets the subject of the following queries.
    pub(crate) fn begin(&mut self, about: About) {
        if let Some(asked) = &mut self.asked {
            asked.about = about;
        }
    }

    /// Records a query that was known to be unsatisfiable without being decided, and returns its number.
    pub(crate) fn keep(&mut self, ctx: &mut Ctx, members: &[T], by: DecidedBy) -> Option<usize> {
        let asked = self.asked.as_mut()?;
        let mut members = members.to_vec();
        complete(ctx, &mut members);
        Some(asked.push(members, by))
    }

    /// The number of the last query.
    pub(crate) fn last_number(&self) -> Option<usize> {
        self.asked.as_ref()?.list.len().checked_sub(1)
    }

    /// Records what has shown that a query is unsatisfiable.
    pub(crate) fn note_unsat(&mut self, number: Option<usize>, by: DecidedBy) {
        if let (Some(asked), Some(number)) = (&mut self.asked, number) {
            asked.list[number].by = by;
        }
    }

    /// Prepares a conjunction: `None` where arithmetic shows that it is unsatisfiable.
    pub(crate) fn ask(&mut self, ctx: &mut Ctx, assertions: Vec<T>) -> Option<Query> {
        if let Some(&wrong) = assertions.iter().find(|&&t| ctx.pool.is_false(t)) {
            self.by_arithmetic += 1;
            self.keep(ctx, &[wrong], DecidedBy::Construction);
            return None;
        }
        let mut asked = assertions;
        // Rewrites made by rules are not part of the query.
        ctx.pool.pause_rewrites();
        let simple = presolve(ctx, &self.record, &asked);
        ctx.pool.resume_rewrites();
        let mut reduced = match simple {
            Ok(reduced) => reduced,
            Err(rule) => {
                self.by_arithmetic += 1;
                self.keep(ctx, &asked, DecidedBy::Rule(rule));
                return None;
            }
        };
        complete(ctx, &mut reduced);
        complete(ctx, &mut asked);
        reduced.sort();
        reduced.dedup();
        let number = self.asked.as_mut().map(|a| a.push(asked.clone(), DecidedBy::Nobody));
        Some(Query { asked, reduced, number })
    }

    /// Decides all queries, on several threads. The answers do not depend on the number of threads, unless time runs
    /// out.
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
        let record = &*self.record;
        let results: Vec<Mutex<Option<Answered>>> = keys.iter().map(|_| Mutex::new(None)).collect();
        // The first query that is not answered by `unsat`: with `all_or_nothing`, later queries are not decided, and
        // earlier ones always are.
        let open = AtomicUsize::new(usize::MAX);
        let all_or_nothing = self.all_or_nothing;
        let is_moot = |i: usize| all_or_nothing && i > open.load(Ordering::Relaxed);
        let keep = |i: usize, result: Answered| {
            if result.outcome != Some(Outcome::Unsat) {
                open.fetch_min(i, Ordering::Relaxed);
            }
            *results[i].lock().expect("no panic while held") = Some(result);
        };
        let started = Instant::now();
        // Most are decided without the solver, in less time than starting a thread takes.
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
                let at_once =
                    || answer(&Ask::new(shared, keys[i], &[], effort, record), Stage::AtOnce);
                let known = if is_over { Answered::late() } else { at_once() };
                if known.outcome.is_some() {
                    keep(i, Answered { spent: 0, ..known });
                }
            });
            effort.meter.questions(batch.len());
        }
        let is_left = |i: &usize| !is_moot(*i) && results[*i].lock().is_ok_and(|r| r.is_none());
        let left: Vec<usize> = (0..keys.len()).filter(is_left).collect();
        // Where one model is enough to stop, there is no need to look for a model in each of several launches.
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
                    let ask = || {
                        let ask = Ask::new(shared, keys[i], &trials[at], effort, record);
                        answer(&ask, Stage::Solver)
                    };
                    keep(i, if is_over { Answered::late() } else { ask() });
                }
            });
            // Queries that another worker began before the end was known must not count.
            let counts = batch.iter().filter(|&&i| !is_moot(i));
            let spent = counts.map(|&i| results[i].lock().map_or(0, |r| r.map_or(0, |r| r.spent)));
            effort.meter.solver(spent.sum());
        }
        self.solver_time += started.elapsed();
        let first = open.into_inner();
        for (i, (key, result)) in keys.iter().zip(results).enumerate() {
            let result = result.into_inner().expect("no panic while held");
            // Queries that another worker began before the end was known must not count.
            let result = result.filter(|_| !all_or_nothing || i <= first);
            self.solved += u64::from(result.is_some());
            let Answered { outcome, spent, method } = result.unwrap_or_default();
            let outcome = outcome.unwrap_or(Outcome::Unknown);
            self.work += spent;
            self.timeouts += u64::from(matches!(outcome, Outcome::Unknown | Outcome::Late));
            self.cache.insert(key.to_vec(), (outcome, method));
        }
        let answers: Vec<_> = queries.iter().map(|q| self.cache[&q.reduced]).collect();
        for (query, (outcome, method)) in queries.iter().zip(&answers) {
            if let (Outcome::Unsat, Some(method)) = (outcome, *method) {
                self.note_unsat(query.number, DecidedBy::Method(method));
            }
        }
        answers.into_iter().map(|(outcome, _)| outcome).collect()
    }

    /// A model of the whole original query.
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
        let (mut model, mut spent) = (guess(ctx, &program), 0);
        let mut is_over = false;
        if model.is_none() {
            match intervals::decide(&program) {
                Answer::Sat(m) => model = Some(m),
                Answer::Unsat => is_over = true,
                Answer::Unknown => {
                    model = guess_more(ctx, &program).filter(|m| holds(ctx, asked, m));
                }
            };
        }
        // The query may be unsatisfiable, because it was restricted to few threads: arithmetic shows that faster than
        // the solver.
        is_over = is_over || (model.is_none() && presolve(ctx, &self.record, asked).is_err());
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

/// Calls `f` with each number below `count`, on `workers` threads including this one.
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
