//! Questions about all executions of a program: can this happen, what can happen, is there a race?

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use crate::condition::Condition;
use crate::explore::{Event, Execution, Goal, Limits, Summary, explore};
use crate::model::Model;
use crate::program::Program;

/// An execution that shows something.
#[derive(Clone, Debug)]
pub struct Witness {
    /// The events in an order that respects causality as far as it goes; see [`Witness::new`].
    pub events: Vec<Event>,
    /// What was at stake: the events of a race, indices into `events`.
    pub marked: Vec<usize>,
}

impl Witness {
    /// Events are put in an order that agrees with program order, and with reads-from and causality where these do not
    /// contradict it: a timeline. Indices of events change; `rf` and `rmw` follow.
    pub fn new(execution: &Execution<'_>, marked: &[usize]) -> Witness {
        let events = execution.events();
        let wanted =
            [&execution.candidate.po | &execution.candidate.rf, execution.candidate.po.clone()];
        let mut order: Vec<usize> = Vec::new();
        for first in 0..events.len() {
            if events[first].thread.is_none() {
                order.push(first);
            }
        }
        while order.len() < events.len() {
            let free = |relation: &crate::relation::Relation| {
                (0..events.len()).find(|e| {
                    !order.contains(e)
                        && !(0..events.len())
                            .any(|before| !order.contains(&before) && relation.contains(before, *e))
                })
            };
            let next = wanted.iter().find_map(free).expect("program order has no cycle");
            order.push(next);
        }
        let new = |old: usize| order.iter().position(|&e| e == old);
        let moved = |&old: &usize| {
            let mut event = events[old].clone();
            event.rf = event.rf.and_then(new);
            event.rmw = event.rmw.and_then(new);
            event
        };
        Witness {
            events: order.iter().map(moved).collect(),
            marked: marked.iter().filter_map(|&e| new(e)).collect(),
        }
    }
}

/// The answer to a question whether something can happen.
#[derive(Clone, Debug)]
pub struct Answer {
    pub witness: Option<Witness>,
    pub summary: Summary,
}

impl Answer {
    /// Some(true): it can. Some(false): it cannot, in any execution. None: none was seen, but not all were.
    pub fn possible(&self) -> Option<bool> {
        match &self.witness {
            Some(_) => Some(true),
            None => self.summary.exhaustive().then_some(false),
        }
    }
}

/// What a program must not do.
#[derive(Clone, Debug)]
pub enum Failure {
    /// Ends with values that satisfy this.
    Reaches(Condition),
    /// Has two accesses that race.
    Race,
    /// Breaks an assertion.
    Assertion,
    /// Does not end: threads wait for ever at barriers or in loops.
    Hang,
}

/// Can one of these failures happen?
pub fn find(
    program: &Program,
    model: &dyn Model,
    limits: Limits<'_>,
    failures: &[Failure],
) -> Answer {
    let mut search = Search { failures, witness: None };
    let summary = explore(program, model, limits, &mut search);
    Answer { witness: search.witness, summary }
}

struct Search<'a> {
    failures: &'a [Failure],
    witness: Option<Witness>,
}

impl Search<'_> {
    /// The events at stake, if the execution shows one of the failures; with undecided orders, if it may.
    fn shows(&self, execution: &Execution<'_>) -> Option<Vec<usize>> {
        self.failures.iter().find_map(|failure| match failure {
            Failure::Reaches(condition) => {
                (execution.complete() && condition.possible(execution)).then(Vec::new)
            }
            Failure::Hang => (!execution.complete()).then(Vec::new),
            Failure::Race => execution.races().pairs().next().map(|(a, b)| vec![a, b]),
            Failure::Assertion => (!execution.failed_asserts().is_empty()).then(Vec::new),
        })
    }
}

impl Goal for Search<'_> {
    fn wants(&mut self, execution: &Execution<'_>) -> bool {
        self.shows(execution).is_some()
    }

    fn accept(&mut self, execution: &Execution<'_>) -> ControlFlow<()> {
        if let Some(marked) = self.shows(execution) {
            self.witness = Some(Witness::new(execution, &marked));
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

/// A pair of instructions that can race: thread's code and place in it.
pub type RacingPair = ((usize, usize), (usize, usize));

/// Everything that can be seen of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Behaviour {
    /// Values of the observed registers of all threads, then those of all locations, at the end.
    pub outcomes: BTreeSet<Vec<i64>>,
    pub races: BTreeSet<RacingPair>,
    pub broken_asserts: BTreeSet<(usize, usize)>,
    /// Threads that wait for ever together.
    pub hangs: BTreeSet<Vec<usize>>,
}

/// All outcomes, races, broken assertions and hangs.
pub fn behaviour(program: &Program, model: &dyn Model, limits: Limits<'_>) -> (Behaviour, Summary) {
    let mut all = All::default();
    let summary = explore(program, model, limits, &mut all);
    (all.0, summary)
}

#[derive(Default)]
struct All(Behaviour);

impl All {
    fn look(&self, execution: &Execution<'_>) -> Behaviour {
        let program = execution.program;
        let hangs = !execution.complete();
        let mut registers = Vec::new();
        for thread in 0..program.threads.len() {
            registers.extend(
                program.code(thread).observed.iter().map(|&reg| execution.register(thread, reg)),
            );
        }
        let mut outcomes = if hangs { Vec::new() } else { vec![registers] };
        for location in 0..program.locations.len() {
            let last = execution.last_values(location);
            outcomes = outcomes
                .iter()
                .flat_map(|outcome| {
                    last.iter().map(move |&value| {
                        outcome.iter().copied().chain([value]).collect::<Vec<i64>>()
                    })
                })
                .collect();
        }
        let instruction = |event: usize| {
            let event = &execution.events()[event];
            event.thread.map(|thread| (program.threads[thread].code, event.pc))
        };
        let races = execution.races();
        let races = races.pairs().filter_map(|(a, b)| {
            let (a, b) = (instruction(a)?, instruction(b)?);
            Some((a.min(b), a.max(b)))
        });
        let broken = execution
            .failed_asserts()
            .into_iter()
            .map(|(thread, pc)| (program.threads[thread].code, pc));
        Behaviour {
            outcomes: outcomes.into_iter().collect(),
            races: races.collect(),
            broken_asserts: broken.collect(),
            hangs: hangs.then(|| execution.unfinished()).into_iter().collect(),
        }
    }
}

impl Behaviour {
    /// What is here and not there.
    pub fn minus(&self, other: &Behaviour) -> Behaviour {
        Behaviour {
            outcomes: self.outcomes.difference(&other.outcomes).cloned().collect(),
            races: self.races.difference(&other.races).copied().collect(),
            broken_asserts: self
                .broken_asserts
                .difference(&other.broken_asserts)
                .copied()
                .collect(),
            hangs: self.hangs.difference(&other.hangs).cloned().collect(),
        }
    }

    pub fn is_subset(&self, other: &Behaviour) -> bool {
        self.outcomes.is_subset(&other.outcomes)
            && self.races.is_subset(&other.races)
            && self.broken_asserts.is_subset(&other.broken_asserts)
            && self.hangs.is_subset(&other.hangs)
    }
}

impl Goal for All {
    fn wants(&mut self, execution: &Execution<'_>) -> bool {
        !self.look(execution).is_subset(&self.0)
    }

    fn accept(&mut self, execution: &Execution<'_>) -> ControlFlow<()> {
        let seen = self.look(execution);
        self.0.outcomes.extend(seen.outcomes);
        self.0.races.extend(seen.races);
        self.0.broken_asserts.extend(seen.broken_asserts);
        self.0.hangs.extend(seen.hangs);
        ControlFlow::Continue(())
    }
}
