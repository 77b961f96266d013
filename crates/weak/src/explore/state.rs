//! An execution under construction: the events so far, and where each thread stands.
//!
//! A thread runs ahead of its own reads: a read that has no write yet is a term in the registers, and only a branch (or
//! a barrier) that depends on it waits. So executions in which a read takes its value from a write that comes later in
//! some order of the threads are built like all others.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::barriers::Group;
use super::layout::Layout;
use super::value::{Term, Value};
use crate::program::{Address, Instr, Op, Program, Scope, Spaces, Strength, Update};
use crate::relation::{EventSet, MAX_EVENTS, Relation};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Read,
    Write,
    Fence,
    Barrier,
}

#[derive(Clone, Debug)]
pub struct Event {
    /// None for the writes that give memory its first values.
    pub thread: Option<usize>,
    /// The instruction in its thread's code.
    pub pc: usize,
    pub kind: Kind,
    pub strength: Strength,
    /// The location of an access, once its address is known.
    pub location: Option<usize>,
    /// What was read or written, once it is known.
    pub value: Option<i64>,
    /// The write that a read reads from, once it is chosen.
    pub rf: Option<usize>,
    /// For the write of an atomic operation, its read.
    pub rmw: Option<usize>,
    /// What a fence or barrier orders.
    pub(super) spaces: Spaces,
    address: Term,
    base: usize,
    len: usize,
    term: Term,
    pub(super) dependencies: EventSet,
    /// The address is known and the choice between this access and those before it has been made.
    active: bool,
}

impl Event {
    /// A weak access speaks to its own thread only; a barrier to its block.
    pub fn scope(&self) -> Scope {
        match self.strength {
            Strength::Strong(_, scope) => scope,
            Strength::Weak if self.kind == Kind::Barrier => Scope::Block,
            Strength::Weak => Scope::Thread,
        }
    }

    fn may_be_at(&self, location: usize) -> bool {
        match self.location {
            Some(known) => known == location,
            None => (self.base..self.base + self.len).contains(&location),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Runs,
    /// At a barrier, as a member of this group.
    Waits(usize),
    /// In a loop whose last turn only waited.
    Spins,
    Ended,
}

/// What the thread's state was when it last came to the head of a loop.
#[derive(Clone)]
pub(super) struct Visit {
    registers: Rc<Vec<Value>>,
    events: usize,
    times: usize,
    /// A turn that only waited was kept.
    waited: bool,
}

#[derive(Clone)]
pub(super) struct Runner {
    pub(super) pc: usize,
    pub(super) registers: Rc<Vec<Value>>,
    /// Reads that a branch has depended on.
    control: EventSet,
    /// Its events, in program order.
    pub(super) events: Vec<usize>,
    visits: BTreeMap<usize, Visit>,
    pub(super) status: Status,
    /// Where the events of the turn that only waited begin among its own.
    spun_from: usize,
    /// The read of a compare-and-swap that writes if the value turns out to be the expected one.
    half_done: Option<usize>,
}

/// Why an execution is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dropped {
    /// A turn of a loop did nothing but wait for something that is there already: the same execution without that turn
    /// is explored, too.
    Spin,
    Iterations,
    Events,
    /// An address outside of its array.
    Outside,
}

/// What to do next.
pub(crate) enum Next {
    /// An access whose address is known has to be connected with those that are there.
    Activate(usize),
    /// New events, none of them an access that is connected.
    Added,
    /// All threads have ended or wait for each other.
    Stuck,
}

#[derive(Clone)]
pub(crate) struct State {
    pub(crate) events: Vec<Event>,
    pub(super) threads: Vec<Runner>,
    pub(super) groups: Vec<Group>,
    first_write: Vec<Option<usize>>,
    pub(crate) co: Vec<(usize, usize)>,
    pub(crate) fence_order: Vec<(usize, usize)>,
    /// Assertions passed so far, by thread and instruction.
    asserts: Vec<(usize, usize, Value)>,
    /// Who came first, of barriers to which more have come than needed.
    pub(super) chosen: Vec<(usize, EventSet)>,
    /// No more events will come.
    pub(crate) finished: bool,
}

impl State {
    pub(crate) fn new(program: &Program) -> State {
        let threads = program.threads.iter().map(|thread| {
            let registers = (0..program.codes[thread.code].registers.len())
                .map(|reg| Value::known(thread.start.get(reg).copied().unwrap_or(0)));
            Runner {
                pc: 0,
                registers: Rc::new(registers.collect()),
                control: EventSet::EMPTY,
                events: Vec::new(),
                visits: BTreeMap::new(),
                status: Status::Runs,
                spun_from: 0,
                half_done: None,
            }
        });
        State {
            events: Vec::new(),
            threads: threads.collect(),
            groups: Vec::new(),
            first_write: vec![None; program.locations.len()],
            co: Vec::new(),
            fence_order: Vec::new(),
            asserts: Vec::new(),
            chosen: Vec::new(),
            finished: false,
        }
    }

    /// Runs threads until there is something to choose.
    pub(crate) fn proceed(
        &mut self,
        program: &Program,
        layout: &Layout,
        limit: usize,
    ) -> Result<Next, Dropped> {
        self.propagate()?;
        if self.waits_for_what_is_there() {
            return Err(Dropped::Spin);
        }
        if let Some(event) =
            self.events.iter().position(|event| !event.active && event.location.is_some())
        {
            return Ok(Next::Activate(event));
        }
        for thread in 0..self.threads.len() {
            self.advance(program, layout, thread, limit)?;
        }
        // Stores and fences first: a read then finds more of the writes that it can read from.
        let ready = (0..self.threads.len()).filter_map(|thread| {
            let runner = &self.threads[thread];
            let instr = program.code(thread).instrs.get(runner.pc)?;
            let rank = match instr {
                _ if runner.status != Status::Runs => return None,
                Instr::Fence { .. } => 0,
                Instr::Barrier(barrier) => {
                    self.barrier_at(program, thread, barrier)?;
                    0
                }
                Instr::Store { .. } => 1,
                Instr::Atomic { update, .. } if runner.half_done.is_some() => {
                    self.succeeds(thread, update)?;
                    1
                }
                Instr::Atomic { .. } => 2,
                Instr::Load { .. } => 3,
                Instr::Let { .. }
                | Instr::Branch { .. }
                | Instr::Jump { .. }
                | Instr::Assert { .. } => return None,
            };
            Some((rank, thread))
        });
        let Some((_, thread)) = ready.min() else {
            return Ok(if self.release_waiting(program) { Next::Added } else { Next::Stuck });
        };
        self.perform(program, thread)?;
        Ok(Next::Added)
    }

    /// Computes the values and addresses that have become known.
    fn propagate(&mut self) -> Result<(), Dropped> {
        loop {
            let mut changed = false;
            for event in 0..self.events.len() {
                let value = |read: usize| self.events[read].value;
                let it = &self.events[event];
                if it.value.is_none() {
                    let known = match it.kind {
                        Kind::Read => it.rf.and_then(value),
                        Kind::Write => it.term.eval(&value),
                        Kind::Fence | Kind::Barrier => None,
                    };
                    if known.is_some() {
                        self.events[event].value = known;
                        changed = true;
                    }
                }
                let it = &self.events[event];
                if it.location.is_none()
                    && matches!(it.kind, Kind::Read | Kind::Write)
                    && let Some(index) = it.address.eval(&|read| self.events[read].value)
                {
                    if index < 0 || index as usize >= it.len {
                        return Err(Dropped::Outside);
                    }
                    let location = it.base + index as usize;
                    self.events[event].location = Some(location);
                    changed = true;
                }
            }
            if !changed {
                return Ok(());
            }
        }
    }

    /// The first write of a location, made when the location is first touched.
    pub(crate) fn first_write(
        &mut self,
        program: &Program,
        location: usize,
    ) -> Result<usize, Dropped> {
        if let Some(event) = self.first_write[location] {
            return Ok(event);
        }
        let value = program.locations[location].initial;
        let event = self.push(Event {
            thread: None,
            pc: 0,
            kind: Kind::Write,
            strength: Strength::Weak,
            location: Some(location),
            value: Some(value),
            rf: None,
            rmw: None,
            spaces: Spaces::ALL,
            address: Term::Known(0),
            base: location,
            len: 1,
            term: Term::Known(value),
            dependencies: EventSet::EMPTY,
            active: true,
        })?;
        self.first_write[location] = Some(event);
        Ok(event)
    }

    fn push(&mut self, event: Event) -> Result<usize, Dropped> {
        if self.events.len() == MAX_EVENTS {
            return Err(Dropped::Events);
        }
        self.events.push(event);
        Ok(self.events.len() - 1)
    }

    pub(super) fn eval(&self, value: &Value) -> Option<i64> {
        value.term.eval(&|read| self.events[read].value)
    }

    /// Runs a thread's local instructions.
    fn advance(
        &mut self,
        program: &Program,
        layout: &Layout,
        thread: usize,
        limit: usize,
    ) -> Result<(), Dropped> {
        let code = program.code(thread);
        let layout_of = &layout.codes[program.threads[thread].code];
        loop {
            if self.threads[thread].status != Status::Runs {
                return Ok(());
            }
            let pc = self.threads[thread].pc;
            if layout_of.loop_head[pc] && !self.threads[thread].visits.contains_key(&pc) {
                self.visit(thread, pc, 0, false);
            }
            let Some(instr) = code.instrs.get(pc) else {
                self.threads[thread].status = Status::Ended;
                return Ok(());
            };
            let target = match instr {
                Instr::Let { dst, value } => {
                    let value = self.simplified(Value::of(value, &self.threads[thread].registers));
                    self.set(thread, dst.0, value);
                    pc + 1
                }
                Instr::Assert { condition } => {
                    let condition = Value::of(condition, &self.threads[thread].registers);
                    self.asserts.push((thread, pc, condition));
                    pc + 1
                }
                Instr::Jump { target } => *target,
                Instr::Branch { condition, target } => {
                    let condition = Value::of(condition, &self.threads[thread].registers);
                    let Some(known) = self.eval(&condition) else { return Ok(()) };
                    self.threads[thread].control |= condition.reads;
                    if known != 0 { *target } else { pc + 1 }
                }
                _ => return Ok(()),
            };
            if target <= pc {
                self.turn(layout, thread, target, limit, &layout_of.live[target])?;
            }
            self.threads[thread].pc = target;
        }
    }

    fn simplified(&self, value: Value) -> Value {
        match self.eval(&value) {
            Some(known) => Value { term: Term::Known(known), ..value },
            None => value,
        }
    }

    pub(super) fn set(&mut self, thread: usize, register: usize, value: Value) {
        Rc::make_mut(&mut self.threads[thread].registers)[register] = value;
    }

    fn visit(&mut self, thread: usize, head: usize, times: usize, waited: bool) {
        let runner = &mut self.threads[thread];
        let (registers, events) = (runner.registers.clone(), runner.events.len());
        let visit = Visit { registers, events, times, waited };
        runner.visits.insert(head, visit);
    }

    /// A jump back to `head`: was the turn in vain, or one too many?
    fn turn(
        &mut self,
        layout: &Layout,
        thread: usize,
        head: usize,
        limit: usize,
        live: &[bool],
    ) -> Result<(), Dropped> {
        let runner = &self.threads[thread];
        let (times, waited) = match runner.visits.get(&head) {
            None => (0, false),
            Some(visit) => {
                let same =
                    live.iter().enumerate().filter(|(_, live)| **live).all(|(register, _)| {
                        let (before, now) =
                            (&visit.registers[register], &runner.registers[register]);
                        before.term == now.term
                            || self.eval(before).is_some_and(|value| self.eval(now) == Some(value))
                    });
                let turn = &runner.events[visit.events..];
                let waits = same && turn.iter().all(|&event| self.only_waits(layout, event));
                // An access that waits may race with weak ones where the last turn does not: one such turn is kept.
                let may_race = |&event: &usize| {
                    self.events[event].location.is_some_and(|at| !layout.all_strong[at])
                };
                let keeps = !visit.waited && turn.iter().any(may_race);
                if waits && !keeps {
                    let from = visit.events;
                    let runner = &mut self.threads[thread];
                    runner.spun_from = from;
                    runner.status = Status::Spins;
                    return Ok(());
                }
                match waits {
                    true => (visit.times, true),
                    false => (visit.times + 1, visit.waited),
                }
            }
        };
        if times > limit {
            return Err(Dropped::Iterations);
        }
        // Loops inside of this one begin anew.
        self.threads[thread].visits.retain(|&inner, _| inner <= head);
        self.visit(thread, head, times, waited);
        Ok(())
    }

    /// Events of turns that only waited, of threads that have stopped there.
    fn idle(&self) -> EventSet {
        let stopped = self.threads.iter().filter(|runner| runner.status == Status::Spins);
        stopped.flat_map(|runner| runner.events[runner.spun_from..].iter().copied()).collect()
    }

    /// Has a thread stopped because of a first value that somebody has overwritten? It would look again.
    fn waits_for_what_is_there(&self) -> bool {
        let idle = self.idle();
        idle.iter().any(|read| {
            let read = &self.events[read];
            let Some(write) = read.rf else { return false };
            self.events[write].thread.is_none()
                && (0..self.events.len()).any(|other| {
                    let it = &self.events[other];
                    let overwrites = it.kind == Kind::Write && it.thread.is_some() && it.active;
                    overwrites && it.location == read.location && !idle.contains(other)
                })
        })
    }

    /// Do all threads that have stopped see the last writes, so that looking again would not help? Writes of turns that
    /// only waited do not count: they wrote what was there.
    pub(crate) fn hangs(&self, co: &Relation) -> bool {
        let idle = self.idle();
        let last = |event: usize| {
            let source = self.events[event].rf;
            source.is_none_or(|write| (co.successors(write) - idle).is_empty())
        };
        idle.iter().all(last)
    }

    /// Would all else be the same without this event? Reads and fences only add order. So do atomic operations that
    /// write back what they read, where no strong access of their location is of too narrow a scope: who reads from them
    /// could read from where they have read. No write comes in between: a strong one would break atomicity, and a weak
    /// one comes between only if it is ordered before them, and then they would have to read from it.
    fn only_waits(&self, layout: &Layout, event: usize) -> bool {
        let event = &self.events[event];
        match event.kind {
            Kind::Read | Kind::Fence => true,
            Kind::Barrier => false,
            Kind::Write => event.rmw.is_some_and(|read| {
                event.value.is_some()
                    && self.events[read].value == event.value
                    && event.location.is_some_and(|location| layout.all_wide[location])
            }),
        }
    }

    /// Whether a compare-and-swap that has read writes, if that is known.
    fn succeeds(&self, thread: usize, update: &Update) -> Option<bool> {
        let Update::CompareExchange { expected, .. } = update else { return None };
        let read = self.threads[thread].half_done?;
        let expected = self.eval(&Value::of(expected, &self.threads[thread].registers))?;
        Some(self.events[read].value? == expected)
    }

    /// Makes the events of the instruction that a thread has come to.
    fn perform(&mut self, program: &Program, thread: usize) -> Result<(), Dropped> {
        let runner = &self.threads[thread];
        let registers = runner.registers.clone();
        let pc = runner.pc;
        let control = runner.control;
        let event = |kind, strength| Event {
            thread: Some(thread),
            pc,
            kind,
            strength,
            location: None,
            value: None,
            rf: None,
            rmw: None,
            spaces: Spaces::ALL,
            address: Term::Known(0),
            base: 0,
            len: 0,
            term: Term::Known(0),
            dependencies: control,
            active: false,
        };
        let access = |kind, strength, at: &Address| {
            let index = Value::of(&at.index, &registers);
            let dependencies = control | index.reads;
            Event {
                address: index.term,
                base: at.base,
                len: at.len,
                dependencies,
                ..event(kind, strength)
            }
        };
        match &program.code(thread).instrs[pc] {
            Instr::Load { dst, at, strength } => {
                let read = self.push(access(Kind::Read, *strength, at))?;
                self.threads[thread].events.push(read);
                self.set(thread, dst.0, Value::read(read));
            }
            Instr::Store { at, value, strength } => {
                let value = Value::of(value, &registers);
                let mut write = access(Kind::Write, *strength, at);
                write.dependencies |= value.reads;
                write.term = value.term;
                let write = self.push(write)?;
                self.threads[thread].events.push(write);
            }
            Instr::Atomic { dst, at, update, order, scope }
                if matches!(update, Update::CompareExchange { writes_only_success: true, .. }) =>
            {
                let strength = Strength::Strong(*order, *scope);
                let Some(read) = self.threads[thread].half_done else {
                    let read = self.push(access(Kind::Read, strength, at))?;
                    self.threads[thread].events.push(read);
                    self.threads[thread].half_done = Some(read);
                    return Ok(());
                };
                let succeeds = self.succeeds(thread, update);
                self.threads[thread].half_done = None;
                let Update::CompareExchange { expected, desired, .. } = update else {
                    unreachable!("only compare-and-swap is half done")
                };
                // It is a branch: what follows depends on it.
                self.threads[thread].control |=
                    EventSet::one(read) | Value::of(expected, &registers).reads;
                if succeeds == Some(true) {
                    let desired = Value::of(desired, &registers);
                    let mut write = access(Kind::Write, strength, at);
                    write.dependencies |= desired.reads | Value::of(expected, &registers).reads;
                    write.dependencies.insert(read);
                    write.term = desired.term;
                    write.rmw = Some(read);
                    let write = self.push(write)?;
                    self.threads[thread].events.push(write);
                }
                if let Some(dst) = dst {
                    self.set(thread, dst.0, Value::read(read));
                }
            }
            Instr::Atomic { dst, at, update, order, scope } => {
                let strength = Strength::Strong(*order, *scope);
                let read = self.push(access(Kind::Read, strength, at))?;
                let old = Value::read(read);
                let of = |expr| Value::of(expr, &registers);
                let one = Value::known(1);
                let zero = Value::known(0);
                let value = match update {
                    Update::Exchange(value) => of(value),
                    Update::CompareExchange { expected, desired, .. } => Value::select(
                        &Value::apply(Op::Eq, &old, &of(expected)),
                        &of(desired),
                        &old,
                    ),
                    Update::Apply(op, value) => Value::apply(*op, &old, &of(value)),
                    Update::Call(function, value) => {
                        Value::call(function, &[old.clone(), of(value)])
                    }
                    Update::Inc(limit) => Value::select(
                        &Value::apply(Op::Ge, &old, &of(limit)),
                        &zero,
                        &Value::apply(Op::Add, &old, &one),
                    ),
                    Update::Dec(limit) => {
                        let limit = of(limit);
                        let wraps = Value::apply(
                            Op::Or,
                            &Value::apply(Op::Eq, &old, &zero),
                            &Value::apply(Op::Gt, &old, &limit),
                        );
                        Value::select(&wraps, &limit, &Value::apply(Op::Sub, &old, &one))
                    }
                };
                let mut write = access(Kind::Write, strength, at);
                write.dependencies |= value.reads;
                write.term = value.term;
                write.rmw = Some(read);
                let write = self.push(write)?;
                self.threads[thread].events.extend([read, write]);
                if let Some(dst) = dst {
                    self.set(thread, dst.0, old);
                }
            }
            Instr::Fence { order, scope, spaces } => {
                let fence = self.push(Event {
                    spaces: *spaces,
                    ..event(Kind::Fence, Strength::Strong(*order, *scope))
                })?;
                self.threads[thread].events.push(fence);
            }
            Instr::Barrier(barrier) => {
                let (key, count) = self
                    .barrier_at(program, thread, barrier)
                    .expect("only ready barriers are performed");
                let mut arrival = event(Kind::Barrier, Strength::Weak);
                arrival.spaces = barrier.spaces;
                arrival.dependencies |= Value::of(&barrier.id, &registers).reads;
                let given =
                    barrier.gather.as_ref().map(|gather| Value::of(&gather.value, &registers));
                let arrival = self.push(arrival)?;
                self.threads[thread].events.push(arrival);
                let group = self.join(thread, key, (arrival, given), count, barrier);
                if !barrier.arrive {
                    self.threads[thread].status = Status::Waits(group);
                }
            }
            Instr::Let { .. }
            | Instr::Branch { .. }
            | Instr::Jump { .. }
            | Instr::Assert { .. } => {
                unreachable!("local instructions make no events")
            }
        }
        self.threads[thread].pc = pc + 1;
        Ok(())
    }

    pub(crate) fn activate(&mut self, event: usize) {
        self.events[event].active = true;
    }

    /// Active writes of a location.
    pub(crate) fn writes_at(&self, location: usize) -> Vec<usize> {
        let write = |event: &Event| {
            event.kind == Kind::Write && event.active && event.location == Some(location)
        };
        (0..self.events.len()).filter(|&event| write(&self.events[event])).collect()
    }

    /// Active reads of a location that have no write yet.
    pub(crate) fn open_reads_at(&self, location: usize) -> Vec<usize> {
        let open = |event: &Event| {
            event.kind == Kind::Read
                && event.active
                && event.rf.is_none()
                && event.location == Some(location)
        };
        (0..self.events.len()).filter(|&event| open(&self.events[event])).collect()
    }

    /// May a write still come that this read can read from? Not one that its own thread makes later.
    pub(crate) fn may_be_written(&self, program: &Program, layout: &Layout, read: usize) -> bool {
        let Some(location) = self.events[read].location else { return true };
        let reader = self.events[read].thread;
        let later = (0..self.threads.len()).any(|thread| {
            let runner = &self.threads[thread];
            Some(thread) != reader
                && !matches!(runner.status, Status::Ended | Status::Spins)
                && layout.codes[program.threads[thread].code].writes[runner.pc][location]
        });
        let open = |(index, event): (usize, &Event)| {
            let own_later = event.thread == reader && index > read;
            event.kind == Kind::Write && !event.active && !own_later && event.may_be_at(location)
        };
        later || self.events.iter().enumerate().any(open)
    }

    /// Threads that have not ended.
    pub(crate) fn unfinished(&self) -> impl Iterator<Item = usize> {
        (0..self.threads.len()).filter(|&thread| self.threads[thread].status != Status::Ended)
    }

    pub(crate) fn ended(&self) -> bool {
        self.threads.iter().all(|runner| runner.status == Status::Ended)
    }

    /// Every access is connected, every read has its write.
    pub(crate) fn connected(&self) -> bool {
        let open = |event: &Event| match event.kind {
            Kind::Read => event.rf.is_none(),
            Kind::Write => !event.active || event.value.is_none(),
            Kind::Fence | Kind::Barrier => false,
        };
        !self.events.iter().any(open)
    }

    pub(crate) fn register(&self, thread: usize, register: usize) -> Option<i64> {
        self.eval(&self.threads[thread].registers[register])
    }

    /// Assertions that threads have come to.
    pub(crate) fn passed_asserts(&self) -> impl Iterator<Item = (usize, usize)> {
        self.asserts.iter().map(|&(thread, pc, _)| (thread, pc))
    }

    /// Assertions that do not hold.
    pub(crate) fn failed_asserts(&self) -> impl Iterator<Item = (usize, usize)> {
        self.asserts
            .iter()
            .filter(|(_, _, condition)| self.eval(condition) == Some(0))
            .map(|&(t, pc, _)| (t, pc))
    }
}
