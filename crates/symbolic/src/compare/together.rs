//! One thread, or one block, for all: a proof, or what is known of an element that executions have shown to differ.

use lockstep_finding::Place;
use lockstep_simulate::site_place;

use super::question::*;
use super::runs::Differing;
use super::{Open, told};
use crate::equal::Comparer;
use crate::execute::Side;
use crate::execute::together::{Left, threads};
use crate::scale::{Element, Outcome, Pair, element, prove};
use crate::solve::Solver;
use crate::term::{Pool, T};

/// Z3's units of work for a question, and the number of questions: what is not decided soon is left to the other way.
const LITTLE_WORK: u32 = 200_000;
const FEW_QUESTIONS: u64 = 40;
/// Threads that are not executed symbolically one by one before the simulator was asked for a difference.
const MANY_THREADS: u64 = 4096;

/// Whether a side has so many threads that it should be executed concretely first.
pub(super) fn is_large(question: &Question) -> bool {
    question.sides.iter().any(|s| match s {
        Program::Launch(launched) => threads(&launched.launch) > MANY_THREADS,
        Program::Sequence(_) => false,
    })
}

fn side<'a>(question: &Question, program: &'a Program<'a>, assumed: Option<T>) -> Option<Side<'a>> {
    let of = |i: &Option<usize>| i.map(|i| (i as u32, question.inputs[i].ty));
    match program {
        Program::Launch(launched) => Some(Side {
            kernel: launched.kernel,
            launch: &launched.launch,
            inputs: launched.inputs.iter().map(of).collect(),
            warp_size: question.warp_size,
            // Divisors that may be zero are not for this.
            is_reference: false,
            assumed,
        }),
        Program::Sequence(_) => None,
    }
}

/// The proof; or what one thread for all leaves, where it does not show both sides to be equivalent.
pub(super) fn proof(
    question: &Question,
    pool: &mut Pool,
    assumed: Option<T>,
) -> Result<Answer, Option<Box<[Left; 2]>>> {
    let mut solver = Solver::new(question.deadline, question.cancel.clone(), LITTLE_WORK);
    solver.most = FEW_QUESTIONS;
    if let Some(assumed) = assumed {
        solver.assume(pool, assumed);
    }
    let [first, second] = &question.sides;
    let sides = [first, second].map(|program| side(question, program, assumed));
    let [Some(first), Some(second)] = sides else { return Err(None) };
    let pair = |o: &Output| Pair { params: o.params, ty: o.ty };
    let pairs: Vec<Pair> = question.outputs.iter().map(pair).collect();
    let (allowed, limits) = (question.allowed, question.limits);
    let proved = match prove(pool, &mut solver, &[first, second], &pairs, allowed, limits) {
        Outcome::Proved(proved) => proved,
        Outcome::Open(left) => return Err(left),
    };
    let statistics = Statistics {
        elements: proved.elements,
        compared: proved.compared,
        terms: pool.len() as u64,
        questions: solver.questions,
        operations: proved.operations,
    };
    let verdict = Verdict::Equivalent { assumptions: proved.assumptions, divisions: Vec::new() };
    Ok(Answer { statistics, ..Answer::new(verdict) })
}

/// Both expressions of an element that differs, and who wrote it.
pub(super) fn at(
    question: &Question,
    pool: &mut Pool,
    left: &mut [Left; 2],
    found: &Differing,
) -> Option<(Told, [Option<Writer>; 2])> {
    let output = &question.outputs[found.output];
    let [first, second] = left;
    let first = element(pool, first, output.params[0], found.element, output.ty)?;
    let second = element(pool, second, output.params[1], found.element, output.ty)?;
    let writer = |which: usize, of: &Element| {
        let (site, thread, block) = of.writer?;
        let site = lockstep_kernel::SiteId(site);
        let place: Place = site_place(question.sides[which].kernel(0), site);
        Some(Writer { place, thread, block, step: None })
    };
    let written = [writer(0, &first), writer(1, &second)];
    let terms = [first.value, second.value];
    let open = Open { output: found.output, element: found.element, terms };
    Some((told(pool, &mut Comparer::new(), open), written))
}
