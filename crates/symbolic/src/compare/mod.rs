//! Are two launches equivalent: do they leave the same in their output arrays, for all values of their inputs?
//!
//! Both sides are executed symbolically over the same inputs (section 3.2 of the KLEE-CL paper), and their outputs are compared
//! element by element ([`crate::equal`]). What is not shown to be equal is executed concretely, both sides in the simulator, on
//! models of the solver and on many inputs of all kinds ([`inputs`]). Only a difference between two such executions is a
//! mismatch; what neither proof nor execution decides is unknown.
//!
//! A side that races, or may do what is undefined, has no result that could be compared: the answer is then unknown, with what
//! the simulator found.

mod assumed;
mod evaluated;
mod inputs;
mod question;
mod runs;
mod together;

use lockstep_cancel::Moment;

use lockstep_finding::{NotCompared, Place, Reason, SourceLine};
use lockstep_kernel::LocId;
use lockstep_simulate::{place, site_place};

use crate::equal::assumptions::Assumptions;
use crate::equal::differ::first_difference;
use crate::equal::{Compared, Comparer};
use crate::execute::{
    Executed, Side, Steps, Trouble, coordinates, execute, execute_sequence, reasons,
};
use crate::solve::Answer as Said;
use crate::solve::{Model, Solver};
use crate::term::walk::undefined_in;
use crate::term::{InputName, Pool, T, Variable};
pub use evaluated::evaluated;
pub use question::*;
use runs::{Difference, Faults, Runs, Seen};

/// Z3's units of work for a question during execution.
const WORK: u32 = 3_000_000;
/// Elements that are given to the solver after it could not decide some.
const MOST_OPEN: usize = 3;
/// Inputs that both sides are executed on before the solver is asked; fewer if the launches have more operations than `LARGE`.
const FIRST: u32 = 10;
const LARGE: u64 = 1_000_000;
/// The same of launches that are too large to be executed symbolically thread by thread.
const FIRST_OF_MANY: u32 = 4;

/// An element of an output that is not shown to be equal.
#[derive(Clone, Copy)]
struct Open {
    output: usize,
    element: u64,
    terms: [T; 2],
}

/// Answers the question.
pub fn equivalent(question: &Question) -> Answer {
    let mut pool = Pool::default();
    pool.input_names = question
        .inputs
        .iter()
        .map(|i| InputName { name: i.name.clone(), is_array: i.is_array })
        .collect();
    let mut solver = Solver::new(question.deadline, question.cancel.clone(), WORK);
    let assumed = assumed::condition(question, &mut pool);
    if let Some(assumed) = assumed {
        solver.assume(&mut pool, assumed);
    }
    let mut runs = Runs::new(question);
    if !question.assumed.is_empty() {
        let truth = pool.truth(true);
        match solver.can(&mut pool, truth) {
            Said::Never => {
                return Answer::new(Verdict::Unknown { because: Reason::NoLaunchSatisfies });
            }
            Said::Sometimes(model) => runs.known = Some(contents(question, &pool, &model)),
            Said::Open => {}
        }
    }
    // What is wrong with the steps of a sequence shows on any input, and leaves nothing to compare.
    if question.sides.iter().any(|s| matches!(s, Program::Sequence(_)))
        && let Some(faults) = runs.faults(&pool)
    {
        return with_faults(faults, Reason::NotCompared(NotCompared::Faults));
    }
    let mut known = None;
    if question.threads != Threads::Each {
        match together::proof(question, &mut pool, assumed) {
            Ok(answer) => return answer,
            Err(left) => known = left,
        }
    }
    if question.threads == Threads::Together {
        let because = Reason::NotCompared(NotCompared::TooManyOperations);
        return Answer::new(Verdict::Unknown { because });
    }
    if together::is_large(question) {
        match runs.look(&pool, Vec::new(), None, FIRST_OF_MANY) {
            Seen::Faults(faults) => {
                return with_faults(faults, Reason::NotCompared(NotCompared::Faults));
            }
            Seen::Difference(found) => {
                let about = known
                    .and_then(|mut left| together::at(question, &mut pool, &mut left, &found.at));
                let (told, written) = about.unzip();
                let found = mismatch(question, *found, told, written);
                return Answer::new(Verdict::Mismatch(Box::new(found)));
            }
            Seen::Nothing => {}
        }
    }
    // Half of the time is for what comes after, and half of that for executions.
    let half = |d: Moment| {
        let now = Moment::now();
        now + d.saturating_duration_since(now) / 2
    };
    solver.deadline = question.deadline.map(half);
    let executed = both(question, &mut pool, &mut solver, &mut runs);
    solver.deadline = question.deadline.map(half);
    match executed {
        Ok(sides) => decide(question, pool, solver, sides, &mut runs),
        Err(Ended { side, launch, trouble }) => {
            let models = trouble.model.iter().map(|m| contents(question, &pool, m)).collect();
            let program = &question.sides[side];
            let because = reasons::of(program.kernel(launch), &trouble);
            let because = match program.step(launch) {
                Some(step) => Reason::InStep { step: step as u32 + 1, because: Box::new(because) },
                None => because,
            };
            without_terms(question, &pool, &mut runs, models, because)
        }
    }
}

/// A side whose execution has no result.
struct Ended {
    side: usize,
    launch: usize,
    trouble: Trouble,
}

fn both(
    question: &Question,
    pool: &mut Pool,
    solver: &mut Solver,
    runs: &mut Runs,
) -> Result<[Executed; 2], Ended> {
    let of = |i: &Option<usize>| i.map(|i| (i as u32, question.inputs[i].ty));
    let all = |list: &[Option<usize>]| list.iter().map(of).collect();
    let run =
        |side: usize, pool: &mut Pool, solver: &mut Solver| match &question.sides[side] {
            Program::Launch(launched) => {
                let made = Side {
                    kernel: launched.kernel,
                    launch: &launched.launch,
                    inputs: all(&launched.inputs),
                    warp_size: question.warp_size,
                    is_reference: side == 0,
                    assumed: None,
                };
                execute(pool, solver, &made, question.limits, side as u32)
                    .map_err(|trouble| Ended { side, launch: 0, trouble })
            }
            Program::Sequence(sequenced) => {
                let steps = Steps {
                    sequence: sequenced.sequence,
                    kernels: &sequenced.kernels,
                    buffers: all(&sequenced.buffers),
                    numbers: all(&sequenced.numbers),
                    contents: &sequenced.contents,
                    warp_size: question.warp_size,
                };
                let number = |launch: u32| side as u32 + 2 * launch;
                execute_sequence(pool, solver, &steps, question.limits, number)
                    .map_err(|(launch, trouble)| Ended { side, launch, trouble })
            }
        };
    let first = run(0, pool, solver)?;
    runs.excluded = first.divisions.iter().map(|(is_zero, _)| *is_zero).collect();
    let second = run(1, pool, solver)?;
    Ok([first, second])
}

/// A side could not be executed symbolically: executions may still show a difference, or a bug.
fn without_terms(
    question: &Question,
    pool: &Pool,
    runs: &mut Runs,
    models: Vec<Vec<Vec<u64>>>,
    because: Reason,
) -> Answer {
    match runs.look(pool, models, None, question.rounds) {
        Seen::Faults(faults) => with_faults(faults, because),
        Seen::Difference(difference) => {
            let found = mismatch(question, *difference, None, None);
            Answer::new(Verdict::Mismatch(Box::new(found)))
        }
        Seen::Nothing => Answer::new(Verdict::Unknown { because }),
    }
}

fn decide(
    question: &Question,
    mut pool: Pool,
    mut solver: Solver,
    mut sides: [Executed; 2],
    runs: &mut Runs,
) -> Answer {
    let mut comparer = Comparer::new();
    let mut used = Assumptions::NONE;
    let (mut elements, mut asked) = (0, 0);
    // What canonical forms do not show to be equal.
    let mut left: Vec<Open> = Vec::new();
    for (output, compared) in question.outputs.iter().enumerate() {
        for (element, terms) in elements_of(&mut pool, &mut sides, compared) {
            elements += 1;
            let [a, b] = terms;
            if a == b {
                continue;
            }
            asked += 1;
            match comparer.by_forms(&mut pool, a, b, question.allowed) {
                Some(with) => used = used.with(with),
                None => left.push(Open { output, element, terms }),
            }
            if is_over(question) {
                let because = Reason::TimeBudget { seconds: None };
                return Answer::new(Verdict::Unknown { because });
            }
        }
    }
    // Most differences show at once: the solver is asked about what does not.
    let operations = sides[0].steps + sides[1].steps;
    let first = if operations > LARGE { 2 } else { FIRST };
    let mut open: Vec<Open> = Vec::new();
    let mut models = Vec::new();
    let seen = match left.is_empty() {
        true => None,
        false => shown(question, &mut pool, &mut comparer, &sides, &left, Vec::new(), runs, first),
    };
    if seen.is_none() {
        for of in left {
            if open.len() >= MOST_OPEN || solver.is_late() {
                open.push(of);
                continue;
            }
            let [a, b] = of.terms;
            match comparer.compare(&mut pool, &mut solver, a, b, question.allowed) {
                Compared::Equal(with) => used = used.with(with),
                Compared::Differ(model) => {
                    models.push(contents(question, &pool, &model));
                    open.push(of);
                }
                Compared::Open => open.push(of),
            }
        }
    }
    let statistics = Statistics {
        elements,
        compared: asked,
        terms: pool.len() as u64,
        questions: solver.questions,
        operations,
    };
    if let Some(answer) = seen {
        return Answer { statistics, ..answer };
    }
    if open.is_empty() {
        // A kernel that is proved to be equivalent may still do what no kernel may.
        if operations <= LARGE
            && let Some(faults) = runs.faults(&pool)
        {
            let because = Reason::NotCompared(NotCompared::Faults);
            return Answer { statistics, ..with_faults(faults, because) };
        }
        let kernel = question.sides[0].kernel(0);
        let line = |(_, loc): &(T, LocId)| SourceLine::from(&place(kernel, *loc));
        let mut divisions: Vec<SourceLine> = sides[0].divisions.iter().map(line).collect();
        divisions.dedup();
        let verdict = Verdict::Equivalent { assumptions: used, divisions };
        return Answer { statistics, ..Answer::new(verdict) };
    }
    let mut answer = undecided(question, &mut pool, &mut comparer, &sides, open, models, runs);
    answer.statistics = statistics;
    answer
}

/// The elements of an output that may differ, with what both leave there: those that a side has written, or all where the
/// two have begun with different contents.
fn elements_of(pool: &mut Pool, sides: &mut [Executed; 2], output: &Output) -> Vec<(u64, [T; 2])> {
    let size = u64::from(output.ty.bytes());
    let ids: Vec<Option<u32>> = (0..2).map(|i| sides[i].params[output.params[i]]).collect();
    let (Some(first), Some(second)) = (ids[0], ids[1]) else { return Vec::new() };
    let objects = [&sides[0].objects[first as usize], &sides[1].objects[second as usize]];
    let mut offsets: Vec<u64> = match objects[0].begins_as(objects[1]) {
        true => objects.iter().flat_map(|o| o.written(size)).collect(),
        false => (0..objects[0].size.min(objects[1].size) / size).map(|e| e * size).collect(),
    };
    offsets.sort_unstable();
    offsets.dedup();
    let mut out = Vec::with_capacity(offsets.len());
    for offset in offsets {
        let a = sides[0].objects[first as usize].read(pool, offset, output.ty);
        let b = sides[1].objects[second as usize].read(pool, offset, output.ty);
        out.push((offset / size, [a, b]));
    }
    out
}

/// A side has bugs: there is nothing to compare.
fn with_faults(faults: Faults, because: Reason) -> Answer {
    let Faults { findings, inputs } = faults;
    Answer { findings, found_on: inputs, ..Answer::new(Verdict::Unknown { because }) }
}

/// Elements are not shown to be equal: executions are compared, on inputs up to this one. What they show.
fn shown(
    question: &Question,
    pool: &mut Pool,
    comparer: &mut Comparer,
    sides: &[Executed; 2],
    open: &[Open],
    models: Vec<Vec<Vec<u64>>>,
    runs: &mut Runs,
    upto: u32,
) -> Option<Answer> {
    let places: Vec<(usize, u64)> = open.iter().map(|o| (o.output, o.element)).collect();
    runs.terms = open.iter().map(|o| ((o.output, o.element), o.terms)).collect();
    match runs.look(pool, models, Some(&places), upto) {
        Seen::Faults(faults) => Some(with_faults(faults, Reason::NotCompared(NotCompared::Faults))),
        Seen::Difference(difference) => {
            let at = (difference.at.output, difference.at.element);
            let own = open.iter().find(|o| (o.output, o.element) == at).copied();
            let told = own.map(|o| told(pool, comparer, o));
            let written = own.map(|o| writers(question, sides, o));
            let found = mismatch(question, *difference, told, written);
            Some(Answer::new(Verdict::Mismatch(Box::new(found))))
        }
        Seen::Nothing => None,
    }
}

/// The same on all inputs, and the answer where they show nothing.
fn undecided(
    question: &Question,
    pool: &mut Pool,
    comparer: &mut Comparer,
    sides: &[Executed; 2],
    open: Vec<Open>,
    models: Vec<Vec<Vec<u64>>>,
    runs: &mut Runs,
) -> Answer {
    let upto = question.rounds;
    match shown(question, pool, comparer, sides, &open, models, runs, upto) {
        Some(answer) => answer,
        None => {
            let rounds = runs.rounds;
            let first = open[0];
            let name = format!("{}[{}]", question.outputs[first.output].name, first.element);
            if question.tolerance.is_some() && rounds > 0 {
                return Answer::new(Verdict::Close { inputs: rounds });
            }
            let told = told(pool, comparer, first);
            let undefined = first.terms.iter().find_map(|t| undefined_in(pool, *t));
            let because = match undefined {
                Some(why) => Reason::NotCompared(NotCompared::Undefined {
                    element: name,
                    value: why.words().to_owned(),
                }),
                None => Reason::NotCompared(NotCompared::Element {
                    element: name,
                    inputs: rounds,
                    would_need: told.would_need.map(|a| a.to_string()),
                }),
            };
            let told = Some(told);
            Answer { told, ..Answer::new(Verdict::Unknown { because }) }
        }
    }
}

/// Both expressions, where they differ, and what would make them equal.
fn told(pool: &mut Pool, comparer: &mut Comparer, open: Open) -> Told {
    let [a, b] = open.terms;
    let would_need = comparer.by_forms(pool, a, b, Assumptions::ALL);
    let none = Assumptions::NONE;
    let forms = [comparer.form(pool, a, none), comparer.form(pool, b, none)];
    let marked = first_difference(pool, forms[0], forms[1]);
    let expressions = [0, 1].map(|i| pool.show_marked(forms[i], &marked[i]));
    Told { expressions, would_need }
}

/// Who wrote an element last, on both sides.
fn writers(question: &Question, sides: &[Executed; 2], open: Open) -> [Option<Writer>; 2] {
    let output = &question.outputs[open.output];
    let size = u64::from(output.ty.bytes());
    std::array::from_fn(|i| {
        let object = sides[i].params[output.params[i]]?;
        let writer = sides[i].objects[object as usize].writer(open.element * size);
        let written = sides[i].writers.get(writer as usize).filter(|_| writer != 0)?;
        let launch = written.launch as usize;
        let program = &question.sides[i];
        let [grid, block] = program.dims(launch);
        let threads: u32 = block.iter().product();
        let site = lockstep_kernel::SiteId(written.site);
        let place: Place = site_place(program.kernel(launch), site);
        Some(Writer {
            step: program.step(launch),
            place,
            thread: coordinates(written.thread % threads, block),
            block: coordinates(written.block, grid),
        })
    })
}

fn mismatch(
    question: &Question,
    difference: Difference,
    told: Option<Told>,
    written: Option<[Option<Writer>; 2]>,
) -> Mismatch {
    let Difference { at, inputs } = difference;
    let output = &question.outputs[at.output];
    let text = |bits: u64| output.element.value_text(&bits.to_le_bytes());
    Mismatch {
        output: at.output,
        element: at.element,
        values: at.values.map(text),
        inputs,
        different: at.different,
        told,
        writers: written.unwrap_or_default(),
    }
}

/// The inputs that a model of the solver gives.
fn contents(question: &Question, pool: &Pool, model: &Model) -> Vec<Vec<u64>> {
    let zeros = |i: &Input| vec![0u64; i.elements as usize];
    let mut out: Vec<Vec<u64>> = question.inputs.iter().map(zeros).collect();
    for (v, bits) in model {
        if let Variable::Input { input, element } = pool.variables[*v as usize]
            && let Some(place) = out[input as usize].get_mut(element as usize)
        {
            *place = *bits;
        }
    }
    out
}

/// Whether there is time left.
fn is_over(question: &Question) -> bool {
    question.cancel.is_cancelled() || question.deadline.is_some_and(Moment::is_past)
}
