//! Every step of a rule, and every contradiction found by a method, checked again by Z3 over exact bit-vectors.
//!
//! This is for a long test over real kernels, and takes many times as long as the proof. It cannot notice an error in
//! the constructors of terms, which both sides use. These are tested against the semantics of the kernel, exhaustively
//! at small widths, and against other solvers where a proof is written down.
//!
//! A product or a sum whose interval was narrowed is known not to wrap around. Up to 32 bits the solver is told so; of wider ones
//! that cannot be said in 64 bits, and a model that the solver finds may be one that wraps: such a query is undecided.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use lockstep_cancel::{Cancel, Moment};
use rustc_hash::FxHashSet;

use crate::decide::methods::METHODS;
use crate::decide::presolve::refined_bounds;
use crate::decide::rules::inequalities::threads_along;
use crate::decide::rules_table::{RULES, Step};
use crate::launch::context::Ctx;
use crate::meter::Meter;
use crate::smt::z3::{self, Answer, Effort, Theory};
use crate::term::walk::reachable;
use crate::term::{Bin, Node, T, mask};

/// The outcome of the audit for one rule or method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Audited {
    pub name: &'static str,
    pub agreed: u64,
    /// Queries that the solver did not decide within its work limit.
    pub undecided: u64,
    /// Steps and answers that are wrong.
    pub contradicted: u64,
}

/// Collects the outcomes.
#[derive(Debug)]
pub struct Audit {
    /// Work for one query, in the units of [`crate::Config::work`].
    work: u32,
    rows: Mutex<Vec<Audited>>,
    /// Queries that were checked before.
    known: Mutex<FxHashSet<(usize, Vec<T>)>>,
}

impl Audit {
    pub fn new(work: u32) -> Arc<Audit> {
        let names = RULES.iter().map(|r| r.name).chain(METHODS.iter().map(|m| m.name));
        let row = |name| Audited { name, agreed: 0, undecided: 0, contradicted: 0 };
        Arc::new(Audit {
            work,
            rows: Mutex::new(names.map(row).collect()),
            known: Mutex::default(),
        })
    }

    /// All rows of both tables, in their order.
    pub fn rows(&self) -> Vec<Audited> {
        self.rows.lock().expect("no panic while held").clone()
    }

    /// Forgets which queries were checked: another evaluation of the kernel gives terms other meanings.
    pub(crate) fn begin(&self) {
        self.known.lock().expect("no panic while held").clear();
    }

    fn is_new(&self, row: usize, list: &[T]) -> bool {
        self.known.lock().expect("no panic while held").insert((row, list.to_vec()))
    }

    /// Checks a step of a rule: the negation of what it claims must be unsatisfiable.
    pub(crate) fn step(&self, ctx: &mut Ctx, rule: usize, list: &[T], step: &Step) {
        if !self.is_new(rule, list) {
            return;
        }
        for question in refutations(ctx, list, step) {
            self.ask(ctx, rule, question);
        }
    }

    /// Checks a conjunction that a method found unsatisfiable.
    pub(crate) fn contradiction(&self, ctx: &Ctx, method: usize, list: &[T]) {
        let row = RULES.len() + method;
        if self.is_new(row, list) {
            let answer = self.answer(ctx, list);
            self.note(row, &answer);
        }
    }

    fn ask(&self, ctx: &mut Ctx, row: usize, mut question: Vec<T>) {
        if question.iter().any(|&t| ctx.pool.is_false(t)) {
            return self.note(row, &Answer::Unsat);
        }
        let Known { facts, all } = known(ctx, &question);
        question.extend(facts);
        match self.answer(ctx, &question) {
            Answer::Sat(_) if !all => self.note(row, &Answer::Unknown),
            answer => self.note(row, &answer),
        }
    }

    fn answer(&self, ctx: &Ctx, question: &[T]) -> Answer {
        let deadline = Moment::now() + Duration::from_secs(600);
        let (meter, cancel) = (Meter::new(Duration::MAX), Cancel::default());
        let effort = Effort { work: self.work, deadline, meter: &meter, cancel: &cancel };
        [Theory::Blasted, Theory::Bits]
            .into_iter()
            .map(|theory| z3::check(&ctx.pool, question, theory, effort).0)
            .find(|answer| !matches!(answer, Answer::Unknown))
            .unwrap_or(Answer::Unknown)
    }

    fn note(&self, row: usize, answer: &Answer) {
        let mut rows = self.rows.lock().expect("no panic while held");
        match answer {
            Answer::Unsat => rows[row].agreed += 1,
            Answer::Unknown => rows[row].undecided += 1,
            Answer::Sat(_) => rows[row].contradicted += 1,
        }
    }
}

/// What a rule may take for given.
struct Known {
    facts: Vec<T>,
    /// There is nothing else.
    all: bool,
}

/// The intervals, signed and unsigned, of all variables and of all terms whose known interval is tighter than their structure
/// shows, and that such products and sums do not wrap around. The prover tells its solver only some of them. The number of threads
/// along an axis is known of every launch.
fn known(ctx: &mut Ctx, terms: &[T]) -> Known {
    let mut known = Known { facts: Vec::new(), all: true };
    let threads: Vec<T> = (0..3).map(|axis| threads_along(ctx, axis)).collect();
    for t in reachable(&ctx.pool, &[terms, &threads].concat()) {
        let node = ctx.pool.node(t).clone();
        let is_variable = matches!(node, Node::Var(_));
        if !is_variable && (ctx.pool.as_const(t).is_some() || !ctx.pool.is_refined(t)) {
            continue;
        }
        refined_bounds(ctx, t, &mut known.facts);
        let parts = match node {
            Node::Bin(Bin::Mul, a, b) => vec![vec![a, b]],
            Node::Lin(constant, terms) => {
                let w = ctx.pool.width(t);
                let mut sum = vec![vec![ctx.pool.constant(constant, w)]];
                for (atom, factor) in terms {
                    sum.push(vec![atom, ctx.pool.constant(factor, w)]);
                }
                sum
            }
            _ => continue,
        };
        match unwrapped(ctx, t, &parts) {
            Some(fact) => known.facts.push(fact),
            None => known.all = false,
        }
    }
    known
}

/// A sum of products is the same in twice as many bits; none if there are not so many, or a part may be negative. Nothing has
/// to be said of one whose greatest value fits.
fn unwrapped(ctx: &mut Ctx, whole: T, sum: &[Vec<T>]) -> Option<T> {
    let w = ctx.pool.width(whole);
    let most = |product: &Vec<T>| {
        let factors = product.iter().map(|t| u128::from(ctx.pool.range(*t).uhi));
        factors.fold(1, u128::saturating_mul)
    };
    if sum.iter().map(most).fold(0, u128::saturating_add) <= u128::from(mask(w)) {
        return Some(ctx.pool.truth(true));
    }
    let is_positive = |t: &T| ctx.pool.range(*t).nonneg();
    if w > 32 || !sum.iter().flatten().all(is_positive) {
        return None;
    }
    let mut wide = ctx.pool.constant(0, 2 * w);
    for product in sum {
        let mut part = ctx.pool.constant(1, 2 * w);
        for &factor in product {
            let factor = ctx.pool.intern(Node::ZExt(factor), 2 * w);
            part = ctx.pool.intern(Node::Bin(Bin::Mul, part, factor), 2 * w);
        }
        wide = ctx.pool.intern(Node::Lin(0, Box::new([(wide, 1), (part, 1)])), 2 * w);
    }
    let whole = ctx.pool.intern(Node::ZExt(whole), 2 * w);
    Some(ctx.pool.intern(Node::Bin(Bin::Eq, wide, whole), 1))
}

/// Conjunctions that are unsatisfiable if the step is correct.
pub(crate) fn refutations(ctx: &mut Ctx, list: &[T], step: &Step) -> Vec<Vec<T>> {
    let with = |list: &[T], more: &[T]| [list, more].concat();
    match step {
        Step::Replace { gone, by } => {
            let (mut old, mut rest) = (Vec::new(), Vec::new());
            for (at, &t) in list.iter().enumerate() {
                if gone.contains(&at) { old.push(t) } else { rest.push(t) }
            }
            let mut fails = |members: &[T]| {
                let all = members.iter().fold(ctx.pool.truth(true), |all, &t| ctx.pool.and(all, t));
                ctx.pool.not(all)
            };
            let (new_fails, old_fails) = (fails(by), fails(&old));
            vec![with(list, &[new_fails]), with(&with(&rest, by), &[old_fails])]
        }
        Step::Substitute { var, value, .. } => {
            let variable = ctx.term_of(*var);
            let mut claims = Vec::new();
            if ctx.stands_for(*value, *var) {
                // The new variable ranges over its whole interval: the old variable must have no value outside it.
                let (range, w) = (ctx.pool.range(*value), ctx.pool.width(variable));
                let (low, high) =
                    (ctx.pool.constant(range.ulo, w), ctx.pool.constant(range.uhi, w));
                claims.extend([ctx.pool.ule(low, variable), ctx.pool.ule(variable, high)]);
            } else {
                claims.push(ctx.pool.eq(variable, *value));
            }
            claims
                .into_iter()
                .map(|claim| {
                    let fails = ctx.pool.not(claim);
                    with(list, &[fails])
                })
                .collect()
        }
    }
}
