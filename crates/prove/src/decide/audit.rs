//! Every step of a rule, and every contradiction that a method finds, asked of Z3 again, in the exact language of bits.
//!
//! It is made for a long test over real kernels, and takes many times as long as the proof. What it cannot notice is an error in the
//! constructors of terms, which both sides use; these are compared with the semantics of the kernel on all values at few
//! bits, and with other solvers where a proof is written down.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use lockstep_cancel::Cancel;
use rustc_hash::FxHashSet;

use crate::decide::methods::METHODS;
use crate::decide::presolve::complete;
use crate::decide::rules_table::{RULES, Step};
use crate::launch::context::Ctx;
use crate::meter::Meter;
use crate::smt::z3::{self, Answer, Effort, Theory};
use crate::term::T;

/// What came of a row's answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Audited {
    pub name: &'static str,
    pub agreed: u64,
    /// The solver had no answer within the work it was given.
    pub undecided: u64,
    /// Steps and answers that are wrong.
    pub contradicted: u64,
}

/// Where the answers are collected.
#[derive(Debug)]
pub struct Audit {
    /// Work for one question, in the units of [`crate::Config::work`].
    work: u32,
    rows: Mutex<Vec<Audited>>,
    /// Questions that were asked before.
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

    /// Forgets which questions were asked: terms have other meanings in another evaluation of the kernel.
    pub(crate) fn begin(&self) {
        self.known.lock().expect("no panic while held").clear();
    }

    fn is_new(&self, row: usize, list: &[T]) -> bool {
        self.known.lock().expect("no panic while held").insert((row, list.to_vec()))
    }

    /// A step of a rule: what it claims is the negation of something that must have no model.
    pub(crate) fn step(&self, ctx: &mut Ctx, rule: usize, list: &[T], step: &Step) {
        if !self.is_new(rule, list) {
            return;
        }
        for question in refutations(ctx, list, step) {
            self.ask(ctx, rule, question);
        }
    }

    /// A conjunction that a method says has no model.
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
        complete(ctx, &mut question);
        let answer = self.answer(ctx, &question);
        self.note(row, &answer);
    }

    fn answer(&self, ctx: &Ctx, question: &[T]) -> Answer {
        let deadline = Instant::now() + Duration::from_secs(600);
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

/// Conjunctions that have no model where the step is right.
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
                // The new variable has any value of its interval: the old one has no other.
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
