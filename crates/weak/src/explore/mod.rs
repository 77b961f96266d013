//! All executions of a program that a memory model allows.
//!
//! An execution is built event by event ([`state`]). When a read comes, it takes its value from one of the writes that
//! are there, or stays open for one that comes later; when a write comes, each open read of its location takes it or
//! does not. Which event comes next depends on nothing but what is there. So every execution graph (events and
//! reads-from) is built in exactly one way: nothing is explored twice, no order of independent events is tried, and no
//! set of visited states is kept. GenMC reaches the same by adding events and revisiting reads; open reads do without
//! the revisits and make reads of later writes, which PTX allows where no dependency forbids them, no special case.
//!
//! After each choice the model judges what is there; its axioms are such that what is rejected stays rejected. Orders
//! of writes and of `fence.sc` are chosen last, and only where the question that is asked depends on them. Those of
//! which only one is possible are chosen at once.
//!
//! A turn of a loop that only waits (reads, fences, atomic operations that write back what they read) and comes back to
//! the same registers is not followed by another: the thread stops there. If it saw the last writes of all that it
//! waited for, and the others have ended or stopped, too, it waits for ever: the execution is shown to the goal as one
//! that hangs. If not, the same execution without that turn is explored, and this one dropped. Where what it waited for is
//! also accessed by weak operations, one such turn is kept, since it may race with them. Other loops are cut at
//! [`Limits::iterations`].

mod barriers;
mod graph;
mod layout;
mod state;
mod value;

pub use state::{Event, Kind};

use std::ops::ControlFlow;

use crate::candidate::Candidate;
use crate::model::{Judgement, Model, Undecided};
use crate::program::{Program, Reg};
use crate::relation::{EventSet, Relation};
use layout::Layout;
use state::{Dropped, Next, State};

/// How far to go. What is cut is told in [`Summary::cut`].
#[derive(Clone, Copy)]
pub struct Limits<'a> {
    /// Turns of one loop, not counting those that only wait.
    pub iterations: usize,
    /// Judgements of the model.
    pub judgements: u64,
    /// Asked now and then: is the work to be given up?
    pub stop: Option<&'a dyn Fn() -> bool>,
}

impl Default for Limits<'_> {
    fn default() -> Self {
        Limits { iterations: 8, judgements: u64::MAX, stop: None }
    }
}

/// Why not all executions were seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cut {
    /// A loop was cut after [`Limits::iterations`] turns.
    Iterations,
    /// An execution has more events than fit.
    Events,
    /// An address was outside of its array; what such an execution does is not followed.
    Outside,
    /// Time or judgements were over, or the work was given up.
    Work,
}

/// What an exploration did.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Execution graphs in which all threads end: events, and who reads from whom.
    pub executions: u64,
    /// Partial executions that the model or the end of all writes ruled out.
    pub dead: u64,
    /// Executions that were dropped because a turn of a loop only waited for what was there already.
    pub spins: u64,
    /// Executions in which threads wait for ever, at barriers or in loops.
    pub hanging: u64,
    pub judgements: u64,
    pub cut: Vec<Cut>,
    /// The goal was reached and the rest not looked at.
    pub ended_early: bool,
}

impl Summary {
    /// Were all executions seen, so that what was not found does not exist?
    pub fn exhaustive(&self) -> bool {
        self.cut.is_empty()
    }

    fn note(&mut self, cut: Cut) {
        if !self.cut.contains(&cut) {
            self.cut.push(cut);
        }
    }
}

/// An execution graph in which all threads have ended or wait for ever, with orders that may be undecided.
pub struct Execution<'a> {
    pub program: &'a Program,
    pub candidate: &'a Candidate,
    pub judgement: &'a Judgement,
    pub model: &'a dyn Model,
    state: &'a State,
}

impl Execution<'_> {
    pub fn events(&self) -> &[Event] {
        &self.state.events
    }

    /// All threads have ended.
    pub fn complete(&self) -> bool {
        self.state.ended()
    }

    /// Threads that wait for ever.
    pub fn unfinished(&self) -> Vec<usize> {
        self.state.unfinished().collect()
    }

    /// The last value of a register.
    pub fn register(&self, thread: usize, register: Reg) -> i64 {
        self.state
            .register(thread, register.0)
            .expect("all reads of a complete execution are known")
    }

    /// What may stand at a location in the end: the values of the writes that coherence orders before no other.
    pub fn last_values(&self, location: usize) -> Vec<i64> {
        let at = |e: &usize| self.state.events[*e].location == Some(location);
        let writes: Vec<usize> = self.candidate.writes.iter().filter(at).collect();
        let last = |w: &&usize| self.judgement.co.successors(**w).is_empty();
        let mut values: Vec<i64> =
            writes.iter().filter(last).filter_map(|&w| self.state.events[w].value).collect();
        if writes.is_empty() {
            values.push(self.program.locations[location].initial);
        }
        values.sort_unstable();
        values.dedup();
        values
    }

    pub fn races(&self) -> Relation {
        self.model.races(self.candidate, self.judgement)
    }

    /// Assertions that threads come to, by thread and instruction, whether they hold or not.
    pub fn passed_asserts(&self) -> impl Iterator<Item = (usize, usize)> {
        self.state.passed_asserts()
    }

    /// Assertions that fail, by thread and instruction.
    pub fn failed_asserts(&self) -> Vec<(usize, usize)> {
        self.state.failed_asserts().collect()
    }
}

/// What is looked for among executions.
pub trait Goal {
    /// All reads have their values; orders may be undecided. False if no way to decide them would matter.
    fn wants(&mut self, execution: &Execution<'_>) -> bool;

    /// Everything is decided.
    fn accept(&mut self, execution: &Execution<'_>) -> ControlFlow<()>;
}

/// Shows the goal all executions, until it breaks off.
pub fn explore(
    program: &Program,
    model: &dyn Model,
    limits: Limits<'_>,
    goal: &mut dyn Goal,
) -> Summary {
    let layout = Layout::new(program);
    let mut explorer =
        Explorer { program, model, limits, layout, goal, summary: Summary::default() };
    let ended = explorer.build(State::new(program));
    explorer.summary.ended_early = ended.is_break() && !explorer.summary.cut.contains(&Cut::Work);
    explorer.summary.cut.sort_unstable();
    explorer.summary
}

struct Explorer<'a> {
    program: &'a Program,
    model: &'a dyn Model,
    limits: Limits<'a>,
    layout: Layout,
    goal: &'a mut dyn Goal,
    summary: Summary,
}

impl Explorer<'_> {
    fn build(&mut self, mut state: State) -> ControlFlow<()> {
        loop {
            match state.proceed(self.program, &self.layout, self.limits.iterations) {
                Ok(Next::Added) => {}
                Ok(Next::Activate(event)) => return self.connect(state, event),
                Ok(Next::Stuck) => return self.end(state),
                Err(dropped) => {
                    self.drop(dropped);
                    return ControlFlow::Continue(());
                }
            }
        }
    }

    fn drop(&mut self, dropped: Dropped) {
        match dropped {
            Dropped::Spin => self.summary.spins += 1,
            Dropped::Outside => self.summary.note(Cut::Outside),
            Dropped::Iterations => self.summary.note(Cut::Iterations),
            Dropped::Events => self.summary.note(Cut::Events),
        }
    }

    /// An access whose address has become known.
    fn connect(&mut self, mut state: State, event: usize) -> ControlFlow<()> {
        state.activate(event);
        let location =
            state.events[event].location.expect("only accesses with known addresses are connected");
        if let Err(dropped) = state.first_write(self.program, location) {
            self.drop(dropped);
            return ControlFlow::Continue(());
        }
        if state.events[event].kind == Kind::Write {
            let open = state.open_reads_at(location);
            return self.offer(state, event, &open);
        }
        for write in state.writes_at(location) {
            if state.events[write].rmw != Some(event) {
                self.read_from(state.clone(), event, write, |explorer, state| {
                    explorer.build(state)
                })?;
            }
        }
        // Or from a write that comes later.
        if state.may_be_written(self.program, &self.layout, event) {
            return self.build(state);
        }
        ControlFlow::Continue(())
    }

    /// Each of the open reads takes the new write or waits for another.
    fn offer(&mut self, state: State, write: usize, open: &[usize]) -> ControlFlow<()> {
        let Some((&read, rest)) = open.split_first() else {
            return match self.settle(state, write) {
                Some(state) => self.build(state),
                None => ControlFlow::Continue(()),
            };
        };
        if state.events[write].rmw != Some(read) {
            self.read_from(state.clone(), read, write, |explorer, state| {
                explorer.offer(state, write, rest)
            })?;
        }
        if state.may_be_written(self.program, &self.layout, read) {
            return self.offer(state, write, rest);
        }
        self.summary.dead += 1;
        ControlFlow::Continue(())
    }

    fn read_from(
        &mut self,
        mut state: State,
        read: usize,
        write: usize,
        then: impl FnOnce(&mut Self, State) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if self.over() {
            return ControlFlow::Break(());
        }
        state.events[read].rf = Some(write);
        match self.settle(state, read) {
            Some(state) => then(self, state),
            None => {
                self.summary.dead += 1;
                ControlFlow::Continue(())
            }
        }
    }

    fn over(&mut self) -> bool {
        let over = self.summary.judgements >= self.limits.judgements
            || self.limits.stop.is_some_and(|stop| stop());
        if over {
            self.summary.note(Cut::Work);
        }
        over
    }

    fn judge(&mut self, state: &State) -> Option<(Candidate, Judgement)> {
        self.summary.judgements += 1;
        let candidate = state.candidate(self.program);
        let judgement = self.model.judge(&candidate).ok()?;
        Some((candidate, judgement))
    }

    /// Rejects what the model rejects. Of atomic operations at the location of the access that was just connected,
    /// chooses the orders of which only one is possible.
    fn settle(&mut self, mut state: State, access: usize) -> Option<State> {
        let location = state.events[access].location;
        'again: loop {
            let (mut candidate, judgement) = self.judge(&state)?;
            for undecided in judgement.undecided {
                let Undecided::Coherence(a, b) = undecided else { continue };
                let here = state.events[a].location == location;
                let atomic = |write: usize| state.events[write].rmw.is_some();
                if !here || (!atomic(a) && !atomic(b)) {
                    continue;
                }
                let mut possible = |a: usize, b: usize| {
                    let before = candidate.co.clone();
                    candidate.co.add(a, b);
                    let consistent = self.model.judge(&candidate).is_ok();
                    candidate.co = before;
                    self.summary.judgements += 1;
                    consistent
                };
                match (possible(a, b), possible(b, a)) {
                    (true, true) => {}
                    (true, false) => {
                        state.co.push((a, b));
                        continue 'again;
                    }
                    (false, true) => {
                        state.co.push((b, a));
                        continue 'again;
                    }
                    (false, false) => return None,
                }
            }
            return Some(state);
        }
    }

    /// No thread can go on.
    fn end(&mut self, mut state: State) -> ControlFlow<()> {
        if !state.connected() {
            self.summary.dead += 1;
            return ControlFlow::Continue(());
        }
        state.finished = true;
        let mut counted = false;
        self.finish(state, &mut counted)
    }

    /// Chooses what is undecided, as far as the goal wants to know.
    fn finish(&mut self, state: State, counted: &mut bool) -> ControlFlow<()> {
        if self.over() {
            return ControlFlow::Break(());
        }
        if let Some((group, members, needs)) = state.crowded() {
            for chosen in subsets(members, needs) {
                let mut state = state.clone();
                state.choose_first(group, chosen);
                self.finish(state, counted)?;
            }
            return ControlFlow::Continue(());
        }
        let Some((candidate, judgement)) = self.judge(&state) else {
            return ControlFlow::Continue(());
        };
        if !state.hangs(&judgement.co) {
            self.summary.spins += 1;
            return ControlFlow::Continue(());
        }
        let new = u64::from(!std::mem::replace(counted, true));
        if state.ended() {
            self.summary.executions += new;
        } else {
            self.summary.hanging += new;
        }
        let execution = Execution {
            program: self.program,
            candidate: &candidate,
            judgement: &judgement,
            model: self.model,
            state: &state,
        };
        if !self.goal.wants(&execution) {
            return ControlFlow::Continue(());
        }
        let Some(&undecided) = judgement.undecided.first() else {
            return self.goal.accept(&execution);
        };
        for forward in [true, false] {
            let mut state = state.clone();
            match undecided {
                Undecided::Coherence(a, b) => state.co.push(if forward { (a, b) } else { (b, a) }),
                Undecided::FenceOrder(a, b) => {
                    state.fence_order.push(if forward { (a, b) } else { (b, a) })
                }
            }
            self.finish(state, counted)?;
        }
        ControlFlow::Continue(())
    }
}

/// All sets of `k` of the members.
fn subsets(members: &[usize], k: usize) -> Vec<EventSet> {
    match members.split_first() {
        _ if k == 0 => vec![EventSet::EMPTY],
        None => Vec::new(),
        Some((&first, rest)) => {
            let mut sets = subsets(rest, k - 1);
            for set in &mut sets {
                set.insert(first);
            }
            sets.extend(subsets(rest, k));
            sets
        }
    }
}
