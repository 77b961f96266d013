//! All executions of a launch, and what goes wrong in them.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use lockstep_kernel::{AtomicOp, Kernel, Language, Op, SiteId, Space, guesses};
use lockstep_weak::model::{Model, OpenCl, Ptx};
use lockstep_weak::program::{Program, Strength};
use lockstep_weak::{Cut, Execution, Goal, Kind, Summary, Witness, explore};

use crate::answer::{Action, Explored, Fault, Step, Wrong};
use crate::limits::Limits;
use crate::specialise::Communication;

/// The memory model of a kernel's language.
pub(crate) fn model(kernel: &Kernel) -> &'static dyn Model {
    match kernel.language {
        Language::OpenCl => &OpenCl,
        Language::Cuda | Language::Llvm | Language::C | Language::Cpp => &Ptx::DOCUMENTED,
    }
}

/// Judgements that are left for all explorations.
pub(crate) struct Budget<'a> {
    limits: &'a Limits,
    left: Cell<u64>,
}

impl<'a> Budget<'a> {
    pub(crate) fn new(limits: &'a Limits) -> Budget<'a> {
        Budget { limits, left: Cell::new(limits.all_judgements) }
    }

    /// So many judgements of what is left.
    pub(crate) fn part(&self, most: u64) -> Budget<'a> {
        Budget { limits: self.limits, left: Cell::new(self.left.get().min(most)) }
    }

    /// The part was used.
    pub(crate) fn settle(&self, part: &Budget<'_>, most: u64) {
        let used = self.left.get().min(most) - part.left.get();
        self.left.set(self.left.get().saturating_sub(used));
    }

    fn explore(&self, program: &Program, model: &dyn Model, goal: &mut dyn Goal) -> Summary {
        let stop = || self.limits.is_over();
        let limits = lockstep_weak::Limits {
            iterations: self.limits.iterations,
            judgements: self.limits.judgements.min(self.left.get()),
            stop: Some(&stop),
        };
        let summary = explore(program, model, limits, goal);
        self.left.set(self.left.get().saturating_sub(summary.judgements));
        summary
    }
}

/// A launch that is explored.
pub(crate) struct Case {
    /// Its number among the launches.
    pub(crate) launch: usize,
    pub(crate) communication: Communication,
    pub(crate) model: &'static dyn Model,
    /// Reads whose value a compare-and-swap checks: they do not race with atomic operations in a way that matters.
    guesses: Vec<SiteId>,
    atomics: BTreeSet<SiteId>,
    /// Accesses, fences and barriers of the kernel.
    sites: BTreeSet<SiteId>,
}

/// What an exploration found.
pub(crate) struct Found {
    pub(crate) faults: BTreeMap<Wrong, Fault>,
    pub(crate) explored: Explored,
}

impl Case {
    pub(crate) fn new(kernel: &Kernel, launch: usize, communication: Communication) -> Case {
        let is_atomic = |op: &Op| matches!(op, Op::Atomic { op, .. } if *op != AtomicOp::Load);
        let atomics = kernel.insts().filter(|i| is_atomic(&i.op)).filter_map(|i| i.op.site());
        let is_memory =
            |site: &SiteId| !matches!(kernel.site(*site).space, Space::Private | Space::Constant);
        let sites = kernel.insts().filter_map(|inst| inst.op.site()).filter(is_memory).collect();
        Case {
            sites,
            launch,
            communication,
            model: model(kernel),
            guesses: guesses::guessing_reads(kernel),
            atomics: atomics.collect(),
        }
    }

    /// The faults of a program that is the case's own, changed in place. Those that are `known` do not count; `first`: one
    /// is enough.
    pub(crate) fn faults(
        &self,
        program: &Program,
        budget: &Budget<'_>,
        known: &BTreeSet<Wrong>,
        first: bool,
    ) -> Found {
        let mut search = Search {
            case: self,
            known,
            first,
            faults: BTreeMap::new(),
            uninitialised: BTreeSet::new(),
            met: BTreeSet::new(),
            reached: self.communication.reached.clone(),
        };
        let summary = budget.explore(program, self.model, &mut search);
        let explored = Explored {
            threads: self.communication.threads.clone(),
            left_out: self.communication.left_out,
            unreached: self.sites.difference(&search.reached).copied().collect(),
            conflicts: self.communication.conflicts(),
            met: search.met,
            outside: self
                .communication
                .open
                .clone()
                .filter(|_| summary.cut.contains(&Cut::Outside)),
            places: self.communication.places.clone(),
            executions: summary.executions,
            hanging: summary.hanging,
            judgements: summary.judgements,
            cut: summary.cut,
            uninitialised: search.uninitialised.into_iter().collect(),
        };
        Found { faults: search.faults, explored }
    }

    /// Does nothing happen in a changed program that is not among these? None if not all was seen.
    pub(crate) fn adds_nothing(
        &self,
        program: &Program,
        budget: &Budget<'_>,
        all: &BTreeSet<Vec<i64>>,
    ) -> Option<bool> {
        let mut news = News { case: self, all, new: false };
        let summary = budget.explore(program, self.model, &mut news);
        match news.new {
            true => Some(false),
            false => summary.exhaustive().then_some(true),
        }
    }

    /// All that can be seen: what each thread reads, in its order, and what memory holds in the end. None if not all was
    /// seen.
    pub(crate) fn outcomes(&self, budget: &Budget<'_>) -> Option<BTreeSet<Vec<i64>>> {
        let mut all = Outcomes(BTreeSet::new());
        let summary = budget.explore(&self.communication.program, self.model, &mut all);
        summary.exhaustive().then_some(all.0)
    }

    fn site(&self, execution: &Execution<'_>, event: usize) -> Option<SiteId> {
        let event = &execution.events()[event];
        self.communication.origin(event.thread?, event.pc).site
    }

    /// What is wrong with an execution, with the events at stake; while orders are undecided, what may be.
    fn wrongs(&self, execution: &Execution<'_>) -> Vec<(Wrong, Vec<usize>)> {
        let mut wrongs = Vec::new();
        for (a, b) in execution.races().pairs().filter(|(a, b)| a < b) {
            let (Some(first), Some(second)) = (self.site(execution, a), self.site(execution, b))
            else {
                continue;
            };
            let guess = |read: SiteId, other: SiteId| {
                self.guesses.contains(&read) && self.atomics.contains(&other)
            };
            if !guess(first, second) && !guess(second, first) {
                let wrong = Wrong::Race(first.min(second), first.max(second));
                wrongs.push((wrong, vec![a, b]));
            }
        }
        for (thread, pc) in execution.failed_asserts() {
            let loc = self.communication.origin(thread, pc).loc;
            wrongs.push((Wrong::Assertion(loc), Vec::new()));
        }
        // Where accesses race, nobody knows what those would see who wait. Orders that are undecided may end a race.
        let raced = wrongs.iter().any(|(wrong, _)| matches!(wrong, Wrong::Race(..)));
        let undecided = !execution.judgement.undecided.is_empty();
        if !execution.complete() && (!raced || undecided) {
            let last = |thread: usize| {
                (0..execution.events().len())
                    .rev()
                    .find(|&event| execution.events()[event].thread == Some(thread))
            };
            let events: Vec<usize> = execution.unfinished().into_iter().filter_map(last).collect();
            let sites: BTreeSet<SiteId> =
                events.iter().filter_map(|&event| self.site(execution, event)).collect();
            wrongs.push((Wrong::Hang(sites.into_iter().collect()), events));
        }
        wrongs
    }

    /// Reads of memory that nobody has written.
    fn uninitialised(&self, execution: &Execution<'_>) -> Vec<usize> {
        let events = execution.events();
        let reads_nothing = |event: &usize| {
            let event = &events[*event];
            event.rf.is_some_and(|write| events[write].thread.is_none())
                && event.location.is_some_and(|at| self.communication.places[at].uninitialised)
        };
        (0..events.len()).filter(reads_nothing).collect()
    }

    fn fault(&self, execution: &Execution<'_>, wrong: Wrong, marked: &[usize]) -> Fault {
        let witness = Witness::new(execution, marked);
        let steps = witness.events.iter().map(|event| {
            let origin = event.thread.map(|thread| self.communication.origin(thread, event.pc));
            Step {
                thread: event.thread,
                site: origin.and_then(|origin| origin.site),
                loc: origin.map(|origin| origin.loc),
                action: match event.kind {
                    Kind::Read => Action::Read,
                    Kind::Write => Action::Write,
                    Kind::Fence => Action::Fence,
                    Kind::Barrier => Action::Barrier,
                },
                strong: event.strength != Strength::Weak,
                place: event.location,
                value: event.value.map(|value| value as u64),
                from: event.rf,
            }
        });
        let rests = self.uninitialised(execution).iter().any(|read| !marked.contains(read));
        Fault {
            wrong,
            launch: self.launch,
            timeline: steps.collect(),
            marked: witness.marked,
            rests_on_uninitialised: rests,
            stale: is_stale(execution, marked),
        }
    }
}

struct Search<'a> {
    case: &'a Case,
    known: &'a BTreeSet<Wrong>,
    first: bool,
    faults: BTreeMap<Wrong, Fault>,
    uninitialised: BTreeSet<SiteId>,
    /// Pairs of accesses by two threads that went to one place, of which one writes.
    met: BTreeSet<(SiteId, SiteId)>,
    /// What threads come to in executions.
    reached: BTreeSet<SiteId>,
}

impl Search<'_> {
    /// What of this is news: a fault that was not seen, or one that this execution shows better.
    fn news(&self, execution: &Execution<'_>) -> Vec<(Wrong, Vec<usize>)> {
        let mut wrongs = self.case.wrongs(execution);
        if wrongs.is_empty() {
            return wrongs;
        }
        let doubtful = self.case.uninitialised(execution);
        wrongs.retain(|(wrong, marked)| {
            let rests = doubtful.iter().any(|read| !marked.contains(read));
            let rank = (rests, !is_stale(execution, marked));
            !self.known.contains(wrong)
                && self.faults.get(wrong).is_none_or(|fault| rank < fault.rank())
        });
        wrongs
    }
}

/// Whether a read that is marked has another value than that of the write that is marked: the order shows.
fn is_stale(execution: &Execution<'_>, marked: &[usize]) -> bool {
    let from = |event: &usize| execution.events()[*event].rf;
    marked.iter().any(|read| from(read).is_some_and(|write| !marked.contains(&write)))
}

impl Goal for Search<'_> {
    fn wants(&mut self, execution: &Execution<'_>) -> bool {
        for read in self.case.uninitialised(execution) {
            self.uninitialised.extend(self.case.site(execution, read));
        }
        for (thread, pc) in execution.passed_asserts() {
            self.reached.extend(self.case.communication.passed(thread, pc));
        }
        for (a, b) in execution.candidate.conflicts().pairs().filter(|(a, b)| a < b) {
            if let (Some(a), Some(b)) = (self.case.site(execution, a), self.case.site(execution, b))
            {
                self.met.insert((a.min(b), a.max(b)));
            }
        }
        !self.news(execution).is_empty()
    }

    fn accept(&mut self, execution: &Execution<'_>) -> ControlFlow<()> {
        for (wrong, marked) in self.news(execution) {
            let fault = self.case.fault(execution, wrong.clone(), &marked);
            if self.faults.get(&wrong).is_none_or(|old| fault.rank() < old.rank()) {
                self.faults.insert(wrong, fault);
            }
        }
        let enough = self.first && !self.faults.is_empty();
        if enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// What each thread reads, and what memory may hold in the end.
fn outcomes(execution: &Execution<'_>) -> Vec<Vec<i64>> {
    let events = execution.events();
    let mut reads: Vec<Vec<i64>> = vec![Vec::new(); execution.program.threads.len()];
    for event in events {
        if let (Some(thread), Kind::Read, Some(value)) = (event.thread, event.kind, event.value) {
            reads[thread].push(value);
        }
    }
    // The numbers of reads tell apart what would be one row.
    let head = reads.iter().flat_map(|reads| [vec![reads.len() as i64], reads.clone()].concat());
    let mut outcomes = vec![head.collect::<Vec<i64>>()];
    for location in 0..execution.program.locations.len() {
        let last = execution.last_values(location);
        let longer = |outcome: &Vec<i64>| {
            let outcome = outcome.clone();
            last.clone().into_iter().map(move |value| {
                let mut longer = outcome.clone();
                longer.push(value);
                longer
            })
        };
        outcomes = outcomes.iter().flat_map(longer).collect();
    }
    outcomes
}

struct Outcomes(BTreeSet<Vec<i64>>);

impl Goal for Outcomes {
    fn wants(&mut self, execution: &Execution<'_>) -> bool {
        outcomes(execution).iter().any(|outcome| !self.0.contains(outcome))
    }

    fn accept(&mut self, execution: &Execution<'_>) -> ControlFlow<()> {
        self.0.extend(outcomes(execution));
        ControlFlow::Continue(())
    }
}

struct News<'a> {
    case: &'a Case,
    all: &'a BTreeSet<Vec<i64>>,
    new: bool,
}

impl News<'_> {
    fn is_new(&self, execution: &Execution<'_>) -> bool {
        !self.case.wrongs(execution).is_empty()
            || outcomes(execution).iter().any(|outcome| !self.all.contains(outcome))
    }
}

impl Goal for News<'_> {
    fn wants(&mut self, execution: &Execution<'_>) -> bool {
        self.is_new(execution)
    }

    fn accept(&mut self, execution: &Execution<'_>) -> ControlFlow<()> {
        self.new = self.is_new(execution);
        if self.new { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
