//! The methods that decide a query, in the order in which they are tried.
//!
//! **Contract.** A method is given a conjunction simplified by [`crate::decide::presolve`], with the intervals of all
//! terms as members. `Unsat` means that no values of the variables, and no functions, satisfy all members; `Sat` has
//! values that do. Otherwise the answer is `Unknown`. The first answer counts. A wrong `Unsat` makes a wrong proof; a
//! wrong `Sat` makes a false alarm. So each row states why it is correct, and the tests compare the rows with all
//! values at small widths (`tests/rules.rs`), and with the solver in real kernels ([`crate::decide::audit`]).

use std::cell::OnceCell;
use std::time::Instant;

use crate::decide::guessed_models::{guess, guess_more};
use crate::decide::intervals;
use crate::decide::launches::{Trial, attempt, holds, short};
use crate::decide::program::Program;
use crate::decide::record::Record;
use crate::decide::solve::{Outcome, SHORT};
use crate::launch::context::Ctx;
use crate::smt::z3::{self, Answer, Effort, Theory};
use crate::term::walk::reachable;
use crate::term::{Bin, Node, T};

/// Work limit for the first attempt in each theory.
const FIRST: u32 = 50;

/// Work limit from which a query is a long one, for which all methods are tried.
const LONG: u32 = 1000;

/// A query, and its work limit.
pub(crate) struct Ask<'a, 'k> {
    pub(crate) ctx: &'a Ctx<'k>,
    pub(crate) key: &'a [T],
    pub(crate) trials: &'a [Trial],
    pub(crate) effort: Effort<'a>,
    pub(crate) record: &'a Record,
    program: OnceCell<Program<'a>>,
}

impl<'a, 'k> Ask<'a, 'k> {
    pub(crate) fn new(
        ctx: &'a Ctx<'k>,
        key: &'a [T],
        trials: &'a [Trial],
        effort: Effort<'a>,
        record: &'a Record,
    ) -> Ask<'a, 'k> {
        Ask { ctx, key, trials, effort, record, program: OnceCell::new() }
    }

    fn program(&self) -> &Program<'a> {
        self.program.get_or_init(|| Program::new(&self.ctx.pool, self.key))
    }

    /// The answer, or `Unknown` if its values do not satisfy all members.
    fn believed(&self, answer: Answer) -> Answer {
        match answer {
            Answer::Sat(m) if !holds(self.ctx, self.key, &m) => Answer::Unknown,
            answer => answer,
        }
    }

    fn z3(&self, theory: Theory, work: u32) -> (Answer, u64) {
        let effort = Effort { work, ..self.effort };
        let (answer, spent) = z3::check(&self.ctx.pool, self.key, theory, effort);
        (self.believed(answer), spent)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Takes less time than starting the solver.
    AtOnce,
    Solver,
}

/// What happens to a short query ([`SHORT`]) that multiplies unknowns. A model of it that takes a search mostly has an
/// overflow: conditions that exclude overflows are tried before such queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Products {
    Asked,
    /// Decided, but its models are ignored.
    ModelsDoNotCount,
    /// Not tried: setting up the search costs more than the work limit of the query.
    NotAsked,
}

pub(crate) struct Method {
    pub(crate) name: &'static str,
    /// Why its answers are correct.
    pub(crate) lemma: &'static str,
    pub(crate) stage: Stage,
    pub(crate) products: Products,
    /// Its share of a query's work; `None` where it is not tried.
    work: fn(u32) -> Option<u32>,
    pub(crate) ask: fn(&Ask, u32) -> (Answer, u64),
}

pub(crate) static METHODS: [Method; 10] = [
    Method {
        name: "guess",
        lemma: "the values satisfy all members",
        stage: Stage::AtOnce,
        products: Products::Asked,
        work: Some,
        ask: |q, _| {
            let model = guess(q.ctx, q.program());
            (q.believed(model.map_or(Answer::Unknown, Answer::Sat)), 0)
        },
    },
    Method {
        name: "intervals",
        lemma: "in every box of a partition of all values some member cannot hold, or in one all do",
        stage: Stage::AtOnce,
        products: Products::ModelsDoNotCount,
        work: Some,
        ask: |q, _| (intervals::decide(q.program()), 0),
    },
    Method {
        name: "more-guesses",
        lemma: "the values satisfy all members",
        stage: Stage::AtOnce,
        products: Products::ModelsDoNotCount,
        work: |work| (work > 0).then_some(work),
        ask: |q, _| {
            let model = guess_more(q.ctx, q.program());
            (q.believed(model.map_or(Answer::Unknown, Answer::Sat)), 0)
        },
    },
    Method {
        name: "without-products",
        lemma: "a conjunction has no model where some of its members have none",
        stage: Stage::Solver,
        products: Products::Asked,
        work: Some,
        ask: |q, _| without_products(q.ctx, q.key, q.effort),
    },
    Method {
        name: "launches",
        lemma: "a model for some dimensions is a model; its values satisfy all members",
        stage: Stage::Solver,
        products: Products::Asked,
        work: Some,
        ask: |q, _| {
            let (model, spent) = attempt(q.ctx, q.key, q.trials, q.effort);
            (model.map_or(Answer::Unknown, Answer::Sat), spent)
        },
    },
    // A theory that decides a query at all mostly decides it soon, and neither theory is better for all: bit-vectors
    // suit masks and shifts, integers suit rows, tiles and strides.
    Method {
        name: "bit-vectors-first",
        lemma: "Z3, the terms as they are",
        stage: Stage::Solver,
        products: Products::NotAsked,
        work: |work| Some(work.min(FIRST)),
        ask: |q, work| q.z3(Theory::Bits, work),
    },
    Method {
        name: "integers-first",
        lemma: "Z3, every term an integer that is congruent to its value modulo its width",
        stage: Stage::Solver,
        products: Products::NotAsked,
        work: |work| Some(4 * work.min(FIRST)),
        ask: |q, work| q.z3(Theory::Integers, work),
    },
    Method {
        name: "bit-vectors",
        lemma: "Z3, the terms as they are",
        stage: Stage::Solver,
        products: Products::NotAsked,
        work: |work| (work > FIRST).then_some(work),
        ask: |q, work| q.z3(Theory::Bits, work),
    },
    Method {
        name: "integers",
        lemma: "Z3, every term an integer that is congruent to its value modulo its width",
        stage: Stage::Solver,
        products: Products::NotAsked,
        work: |work| (work > 4 * FIRST).then_some(work),
        ask: |q, work| q.z3(Theory::Integers, work),
    },
    Method {
        name: "bit-blasting",
        lemma: "Z3, the terms as gates",
        stage: Stage::Solver,
        products: Products::NotAsked,
        work: |work| (work >= LONG).then_some(work),
        ask: |q, work| q.z3(Theory::Blasted, work),
    },
];

/// The result of the methods of one stage.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Answered {
    /// `None` where the next stage has to be tried.
    pub(crate) outcome: Option<Outcome>,
    /// The work that was done.
    pub(crate) spent: u64,
    /// The method that decided.
    pub(crate) method: Option<usize>,
}

impl Answered {
    pub(crate) fn late() -> Answered {
        Answered { outcome: Some(Outcome::Late), ..Answered::default() }
    }
}

/// The first answer of the methods of a stage.
pub(crate) fn answer(q: &Ask, stage: Stage) -> Answered {
    let mut spent = 0;
    let is_hard = OnceCell::new();
    let wraps = || *is_hard.get_or_init(|| wraps(q.ctx, q.key, q.effort));
    for (i, method) in METHODS.iter().enumerate().filter(|(_, m)| m.stage == stage) {
        if q.effort.is_over() {
            return Answered { spent, ..Answered::late() };
        }
        let Some(work) = (method.work)(q.effort.work) else { continue };
        if method.products == Products::NotAsked && wraps() {
            continue;
        }
        let clock = Instant::now();
        let (answer, more) = (method.ask)(q, work);
        spent += more;
        let outcome = match answer {
            Answer::Unsat => Some(Outcome::Unsat),
            Answer::Sat(_) if method.products == Products::ModelsDoNotCount && wraps() => None,
            Answer::Sat(_) => Some(Outcome::Sat),
            Answer::Unknown => None,
        };
        q.record.method(i, outcome.is_some(), outcome == Some(Outcome::Unsat), clock);
        if let Some(audit) = q.record.audit.as_ref().filter(|_| outcome == Some(Outcome::Unsat)) {
            audit.contradiction(q.ctx, i, q.key);
        }
        if outcome.is_some() {
            return Answered { outcome, spent, method: Some(i) };
        }
    }
    let is_last = stage == Stage::Solver || q.effort.work == 0;
    let unknown = if q.effort.is_over() { Outcome::Late } else { Outcome::Unknown };
    Answered { outcome: is_last.then_some(unknown), spent, method: None }
}

/// Whether one of the usual assignments is a model of the conjunction.
pub(crate) fn is_guessed(ctx: &Ctx, key: &[T]) -> bool {
    let program = Program::new(&ctx.pool, key);
    guess(ctx, &program).is_some_and(|m| holds(ctx, key, &m))
}

fn wraps(ctx: &Ctx, key: &[T], effort: Effort) -> bool {
    effort.work <= SHORT && has_products(ctx, key)
}

/// Whether two unknowns are multiplied.
fn has_products(ctx: &Ctx, key: &[T]) -> bool {
    let product = |&t: &T| matches!(ctx.pool.node(t), Node::Bin(Bin::Mul, ..));
    reachable(&ctx.pool, key).iter().any(product)
}

/// Whether the conjunction is unsatisfiable even without its conditions on products, which are slow and seldom needed.
fn without_products(ctx: &Ctx, key: &[T], effort: Effort) -> (Answer, u64) {
    let rest: Vec<T> = key.iter().copied().filter(|&t| !has_products(ctx, &[t])).collect();
    if rest.len() == key.len() || is_guessed(ctx, &rest) {
        return (Answer::Unknown, 0);
    }
    let (answer, work) = short(ctx, &rest, effort);
    // A model of only some of the members proves nothing.
    let answer = if matches!(answer, Answer::Unsat) { answer } else { Answer::Unknown };
    (answer, work)
}
