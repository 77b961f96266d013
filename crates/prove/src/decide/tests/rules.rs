//! Every row of the tables of rules and of methods against all values, at small widths.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use lockstep_cancel::{Cancel, Moment};

use crate::decide::audit::refutations;
use crate::decide::launches::{holds, trials};
use crate::decide::methods::{Ask, METHODS, Stage};
use crate::decide::presolve::{complete, presolve};
use crate::decide::program::{LANES, Program};
use crate::decide::record::Record;
use crate::decide::rules_table::RULES;
use crate::decide::tests::{division, questions};
use crate::launch::context::Ctx;
use crate::meter::Meter;
use crate::smt::z3::{Answer, Effort};
use crate::term::{Node, T, mask};

/// Work limit for one query to the solver.
const WORK: u32 = 200;

/// The solver decides one query in this many.
const SELDOM: u64 = 10;

/// Checks that the simplified conjunction is satisfiable exactly if the query is. Returns whether it is satisfiable,
/// and whether simplification decided it.
fn keeps_its_models(ctx: &mut Ctx, list: &[T], round: u64) -> (bool, bool) {
    let truth = satisfiable(ctx, list);
    match presolve(ctx, &Record::default(), list) {
        Err(_) => {
            assert!(!truth, "round {round}");
            (truth, true)
        }
        Ok(mut reduced) => {
            complete(ctx, &mut reduced);
            assert_eq!(truth, satisfiable(ctx, &reduced), "round {round}");
            (truth, false)
        }
    }
}

/// The results of many queries.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// Queries to which the intended rule applied.
    pub(crate) applied: usize,
    /// Queries that are satisfiable.
    pub(crate) models: usize,
    /// Queries that were decided without a search.
    pub(crate) settled: usize,
    /// Steps of each rule that were compared with all values.
    steps: [usize; RULES.len()],
    /// Answers of each method that were compared: unsatisfiable queries, and satisfiable ones.
    answers: [[usize; 2]; METHODS.len()],
}

impl Tally {
    /// Decides one query, and records whether the intended rule applied to it.
    pub(crate) fn ask(
        &mut self,
        ctx: &mut Ctx,
        mut list: Vec<T>,
        round: u64,
        is_for: impl FnOnce(&mut Ctx, &[T]) -> bool,
    ) {
        complete(ctx, &mut list);
        self.applied += usize::from(is_for(ctx, &list));
        let (model, is_settled) = keeps_its_models(ctx, &list, round);
        self.models += usize::from(model);
        self.settled += usize::from(is_settled);
        self.every_rule(ctx, &list, round);
        self.every_method(ctx, &list, model, round);
    }

    /// Checks that every rule that applies makes a step that is correct for all values.
    fn every_rule(&mut self, ctx: &mut Ctx, list: &[T], round: u64) {
        for (i, rule) in RULES.iter().enumerate() {
            let Some(step) = (rule.apply)(ctx, list) else { continue };
            for mut wrong in refutations(ctx, list, &step) {
                complete(ctx, &mut wrong);
                assert!(!satisfiable(ctx, &wrong), "{}, round {round}: {step:?}", rule.name);
            }
            self.steps[i] += 1;
        }
    }

    /// Checks every answer of every method against exhaustive evaluation.
    fn every_method(&mut self, ctx: &mut Ctx, list: &[T], has_model: bool, round: u64) {
        let trials = trials(ctx, list);
        let deadline = Moment::now() + Duration::from_secs(3600);
        let (meter, cancel) = (Meter::new(Duration::from_secs(3600)), Cancel::default());
        let record = Record::default();
        let effort = Effort { work: WORK, deadline, meter: &meter, cancel: &cancel };
        let question = Ask::new(ctx, list, &trials, effort, &record);
        for (i, method) in METHODS.iter().enumerate() {
            if method.stage == Stage::Solver && !round.is_multiple_of(SELDOM) {
                continue;
            }
            match (method.ask)(&question, WORK).0 {
                Answer::Unsat => {
                    assert!(!has_model, "{}, round {round}", method.name);
                    self.answers[i][0] += 1;
                }
                Answer::Sat(m) => {
                    assert!(holds(ctx, list, &m), "{}, round {round}", method.name);
                    self.answers[i][1] += 1;
                }
                Answer::Unknown => {}
            }
        }
    }

    fn add(&mut self, other: &Tally) {
        self.steps.iter_mut().zip(other.steps).for_each(|(a, b)| *a += b);
        for (a, b) in self.answers.iter_mut().flatten().zip(other.answers.iter().flatten()) {
            *a += b;
        }
    }
}

/// Whether a conjunction is satisfiable, by trying all values.
fn satisfiable(ctx: &Ctx, list: &[T]) -> bool {
    let program = Program::new(&ctx.pool, list);
    let vars: Vec<(usize, u32)> = (0..program.nodes.len())
        .filter(|&i| matches!(program.nodes[i], Node::Var(_)))
        .map(|i| (i, program.widths[i]))
        .collect();
    let bits: u32 = vars.iter().map(|(_, w)| w).sum();
    let mut values = program.room();
    (0..1u64 << bits).step_by(LANES).any(|n| {
        for lane in 0..LANES {
            let mut rest = n + lane as u64;
            for &(at, w) in &vars {
                values[at][lane] = rest & mask(w);
                rest >>= w;
            }
        }
        program.holds(&mut values, 0, LANES) != 0
    })
}

/// All queries. Each row must have decided some: a new rule needs queries to which it applies.
#[test]
fn every_rule_and_every_method_is_right() {
    let generators: [fn() -> Tally; 12] = [
        division::divided_numbers_keep_their_models,
        division::digits_of_several_numbers_keep_their_models,
        division::parts_of_a_row_keep_their_models,
        division::overlapping_accesses_keep_their_models,
        division::joined_divisions_keep_their_models,
        division::remainders_and_shifted_digits_keep_their_models,
        questions::equations_by_digits_keep_their_models,
        questions::equations_by_strides_keep_their_models,
        questions::nested_positions_keep_their_models,
        questions::divided_equations_keep_their_models,
        questions::rows_and_columns_keep_their_models,
        questions::numbers_of_threads_keep_their_models,
    ];
    let (next, sum) = (AtomicUsize::new(0), Mutex::new(Tally::default()));
    std::thread::scope(|s| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            s.spawn(|| {
                while let Some(generate) = generators.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let tally = generate();
                    sum.lock().expect("no panic while held").add(&tally);
                }
            });
        }
    });
    let sum = sum.into_inner().expect("no panic while held");
    for (rule, steps) in RULES.iter().zip(sum.steps) {
        assert!(steps >= 20, "{}: {steps} steps", rule.name);
    }
    for (method, [refuted, found]) in METHODS.iter().zip(sum.answers) {
        assert!(refuted + found >= 10, "{}: {refuted} and {found} answers", method.name);
    }
}
