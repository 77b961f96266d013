//! A second, naive way to all behaviours of a program without loops: every read guesses its value, every read then
//! tries every write of that value, and every pair of writes and of fences every order. It shares the memory model with
//! the exploration, and nothing else.

use std::collections::BTreeSet;

use lockstep_weak::Behaviour;
use lockstep_weak::candidate::Candidate;
use lockstep_weak::model::Model;
use lockstep_weak::program::{Expr, Instr, Order, Program, Reg, Scope, Space, Strength, Update};

/// Values that a read may guess.
const GUESSES: std::ops::RangeInclusive<i64> = 0..=3;

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Read,
    Write,
    Fence,
    Barrier,
}

#[derive(Clone)]
struct Event {
    thread: Option<usize>,
    pc: usize,
    kind: Kind,
    strength: Strength,
    location: usize,
    value: i64,
    /// Reads of the same thread that it depends on, as places in the thread's list of events.
    dependencies: BTreeSet<usize>,
    /// The write of an atomic operation directly after its read.
    atomic: bool,
}

/// One way through a thread, with guessed values.
#[derive(Clone)]
struct Run {
    registers: Vec<(i64, BTreeSet<usize>)>,
    control: BTreeSet<usize>,
    events: Vec<Event>,
    pc: usize,
}

pub(crate) fn naive(program: &Program, model: &dyn Model) -> Behaviour {
    let mut all = Behaviour::default();
    let runs: Vec<Vec<Run>> =
        (0..program.threads.len()).map(|thread| runs(program, thread)).collect();
    let mut choice = vec![0; runs.len()];
    loop {
        let chosen: Vec<&Run> =
            choice.iter().zip(&runs).map(|(&index, runs)| &runs[index]).collect();
        connect(program, model, &chosen, &mut all);
        let Some(next) = (0..choice.len()).find(|&thread| choice[thread] + 1 < runs[thread].len())
        else {
            return all;
        };
        choice[next] += 1;
        choice[..next].fill(0);
    }
}

fn runs(program: &Program, thread: usize) -> Vec<Run> {
    let code = program.code(thread);
    let start = &program.threads[thread].start;
    let registers = (0..code.registers.len())
        .map(|reg| (start.get(reg).copied().unwrap_or(0), BTreeSet::new()))
        .collect();
    let mut done = Vec::new();
    let mut open = vec![Run { registers, control: BTreeSet::new(), events: Vec::new(), pc: 0 }];
    while let Some(mut run) = open.pop() {
        let Some(instr) = code.instrs.get(run.pc) else {
            done.push(run);
            continue;
        };
        let pc = run.pc;
        run.pc += 1;
        let event = |kind, strength, location: usize, value, dependencies| Event {
            thread: Some(thread),
            pc,
            kind,
            strength,
            location,
            value,
            dependencies,
            atomic: false,
        };
        let control = run.control.clone();
        let place = |run: &Run, at: &lockstep_weak::program::Address| {
            let (index, mut reads) = eval(&at.index, &run.registers);
            reads.extend(&control);
            (at.base + index as usize, reads)
        };
        match instr {
            Instr::Let { dst, value } => {
                run.registers[dst.0] = eval(value, &run.registers);
                open.push(run);
            }
            Instr::Branch { condition, target } => {
                assert!(*target > pc, "no loops here");
                let (taken, reads) = eval(condition, &run.registers);
                run.control.extend(reads);
                if taken != 0 {
                    run.pc = *target;
                }
                open.push(run);
            }
            Instr::Jump { target } => {
                run.pc = *target;
                open.push(run);
            }
            Instr::Assert { .. } => open.push(run),
            Instr::Fence { order, scope, .. } => {
                let strength = Strength::Strong(*order, *scope);
                run.events.push(event(Kind::Fence, strength, usize::MAX, 0, control));
                open.push(run);
            }
            Instr::Barrier(_) => {
                run.events.push(event(Kind::Barrier, Strength::Weak, usize::MAX, 0, control));
                open.push(run);
            }
            Instr::Store { at, value, strength } => {
                let (location, mut reads) = place(&run, at);
                let (value, more) = eval(value, &run.registers);
                reads.extend(more);
                run.events.push(event(Kind::Write, *strength, location, value, reads));
                open.push(run);
            }
            Instr::Load { dst, at, strength } => {
                let (location, reads) = place(&run, at);
                for guess in GUESSES {
                    let mut run = run.clone();
                    let index = run.events.len();
                    run.events.push(event(Kind::Read, *strength, location, guess, reads.clone()));
                    run.registers[dst.0] = (guess, BTreeSet::from([index]));
                    open.push(run);
                }
            }
            Instr::Atomic { dst, at, update, order, scope } => {
                let (location, reads) = place(&run, at);
                let strength = Strength::Strong(*order, *scope);
                for guess in GUESSES {
                    let mut run = run.clone();
                    let index = run.events.len();
                    run.events.push(event(Kind::Read, strength, location, guess, reads.clone()));
                    let old = (guess, BTreeSet::from([index]));
                    let of = |expr| eval(expr, &run.registers);
                    let (value, more) = match update {
                        Update::Exchange(value) => of(value),
                        Update::Apply(op, value) => join(&old, &of(value), |a, b| op.apply(a, b)),
                        Update::Call(function, value) => {
                            join(&old, &of(value), |a, b| function.apply(&[a, b]))
                        }
                        Update::CompareExchange { expected, desired, writes_only_success } => {
                            let (expected, desired) = (of(expected), of(desired));
                            if *writes_only_success {
                                run.control.extend(join(&old, &expected, |a, _| a).1);
                                if guess != expected.0 {
                                    run.registers[dst.unwrap().0] = old;
                                    open.push(run);
                                    continue;
                                }
                            }
                            let value = if guess == expected.0 { desired.0 } else { guess };
                            (value, join(&join(&old, &expected, |a, _| a), &desired, |a, _| a).1)
                        }
                        Update::Inc(limit) => {
                            join(
                                &old,
                                &of(limit),
                                |old, limit| if old >= limit { 0 } else { old + 1 },
                            )
                        }
                        Update::Dec(limit) => join(&old, &of(limit), |old, limit| {
                            if old == 0 || old > limit { limit } else { old - 1 }
                        }),
                    };
                    let mut all = reads.clone();
                    all.extend(more);
                    let write = event(Kind::Write, strength, location, value, all);
                    run.events.push(Event { atomic: true, ..write });
                    if let Some(dst) = dst {
                        run.registers[dst.0] = old;
                    }
                    open.push(run);
                }
            }
        }
    }
    done
}

type Known = (i64, BTreeSet<usize>);

fn join(a: &Known, b: &Known, f: impl Fn(i64, i64) -> i64) -> Known {
    (f(a.0, b.0), a.1.union(&b.1).copied().collect())
}

fn eval(expr: &Expr, registers: &[Known]) -> Known {
    match expr {
        Expr::Const(value) => (*value, BTreeSet::new()),
        Expr::Reg(reg) => registers[reg.0].clone(),
        Expr::Apply(op, a, b) => {
            join(&eval(a, registers), &eval(b, registers), |a, b| op.apply(a, b))
        }
        Expr::Select(a, b, c) => {
            let (a, b, c) = (eval(a, registers), eval(b, registers), eval(c, registers));
            join(&a, &join(&b, &c, |b, c| if a.0 != 0 { b } else { c }), |_, value| value)
        }
        Expr::Call(function, operands) => {
            let operands: Vec<Known> = operands.iter().map(|o| eval(o, registers)).collect();
            let values: Vec<i64> = operands.iter().map(|o| o.0).collect();
            (function.apply(&values), operands.into_iter().flat_map(|o| o.1).collect())
        }
    }
}

fn connect(program: &Program, model: &dyn Model, runs: &[&Run], all: &mut Behaviour) {
    let mut events: Vec<Event> = Vec::new();
    let mut begins = Vec::new();
    for run in runs {
        begins.push(events.len());
        events.extend(run.events.iter().cloned());
    }
    for (location, it) in program.locations.iter().enumerate() {
        events.push(Event {
            thread: None,
            pc: 0,
            kind: Kind::Write,
            strength: Strength::Weak,
            location,
            value: it.initial,
            dependencies: BTreeSet::new(),
            atomic: false,
        });
    }
    let mut base = Candidate::new(events.len());
    label(program, &events, &begins, &mut base);
    base.finished = true;

    let reads: Vec<usize> = (0..events.len()).filter(|&e| events[e].kind == Kind::Read).collect();
    let sources = |read: usize| -> Vec<usize> {
        (0..events.len())
            .filter(|&w| {
                events[w].kind == Kind::Write
                    && events[w].location == events[read].location
                    && events[w].value == events[read].value
            })
            .collect()
    };
    let sources: Vec<Vec<usize>> = reads.iter().map(|&read| sources(read)).collect();
    if sources.iter().any(Vec::is_empty) {
        return;
    }
    let mut pairs = Vec::new();
    for a in 0..events.len() {
        for b in a + 1..events.len() {
            let threads = events[a].thread.is_some() && events[b].thread.is_some();
            let writes = events[a].kind == Kind::Write && events[b].kind == Kind::Write;
            let fences = base.fences.contains(a)
                && base.fences.contains(b)
                && base.seq_cst.contains(a)
                && base.seq_cst.contains(b);
            if threads && ((writes && events[a].location == events[b].location) || fences) {
                pairs.push((a, b, fences));
            }
        }
    }
    let mut choice = vec![0; reads.len()];
    loop {
        let mut candidate = base.clone();
        for (index, &read) in reads.iter().enumerate() {
            candidate.rf.add(sources[index][choice[index]], read);
        }
        if model.judge(&candidate).is_ok() {
            order(program, model, &candidate, &pairs, runs, &events, all);
        }
        let Some(next) = (0..choice.len()).find(|&index| choice[index] + 1 < sources[index].len())
        else {
            return;
        };
        choice[next] += 1;
        choice[..next].fill(0);
    }
}

/// Every pair one way, the other, or not at all.
fn order(
    program: &Program,
    model: &dyn Model,
    candidate: &Candidate,
    pairs: &[(usize, usize, bool)],
    runs: &[&Run],
    events: &[Event],
    all: &mut Behaviour,
) {
    let mut way = vec![0; pairs.len()];
    loop {
        let mut candidate = candidate.clone();
        for (&(a, b, fences), way) in pairs.iter().zip(&way) {
            let (a, b) = if *way == 1 { (b, a) } else { (a, b) };
            match (*way, fences) {
                (2, _) => {}
                (_, true) => candidate.fence_order.add(a, b),
                (_, false) => candidate.co.add(a, b),
            }
        }
        if let Ok(judgement) = model.judge(&candidate)
            && judgement.undecided.is_empty()
        {
            record(program, model, &candidate, &judgement, runs, events, all);
        }
        let Some(next) = (0..way.len()).find(|&index| way[index] < 2) else { return };
        way[next] += 1;
        way[..next].fill(0);
    }
}

fn record(
    program: &Program,
    model: &dyn Model,
    candidate: &Candidate,
    judgement: &lockstep_weak::model::Judgement,
    runs: &[&Run],
    events: &[Event],
    all: &mut Behaviour,
) {
    let mut registers = Vec::new();
    for (thread, run) in runs.iter().enumerate() {
        registers
            .extend(program.code(thread).observed.iter().map(|reg: &Reg| run.registers[reg.0].0));
    }
    let mut outcomes = vec![registers];
    for location in 0..program.locations.len() {
        let last: Vec<i64> = (0..events.len())
            .filter(|&w| events[w].kind == Kind::Write && events[w].location == location)
            .filter(|&w| judgement.co.successors(w).is_empty())
            .map(|w| events[w].value)
            .collect();
        outcomes = outcomes
            .iter()
            .flat_map(|outcome| {
                last.iter().map(move |&value| outcome.iter().copied().chain([value]).collect())
            })
            .collect();
    }
    all.outcomes.extend(outcomes);
    for (a, b) in model.races(candidate, judgement).pairs() {
        let at = |e: usize| (program.threads[events[e].thread.unwrap()].code, events[e].pc);
        all.races.insert((at(a).min(at(b)), at(a).max(at(b))));
    }
}

fn label(program: &Program, events: &[Event], begins: &[usize], x: &mut Candidate) {
    let mut met: Vec<Vec<usize>> = vec![Vec::new(); program.threads.len()];
    for (e, event) in events.iter().enumerate() {
        match event.kind {
            Kind::Read => x.reads.insert(e),
            Kind::Write => x.writes.insert(e),
            Kind::Fence => x.fences.insert(e),
            Kind::Barrier => x.barriers.insert(e),
        }
        if let Strength::Strong(order, _) = event.strength {
            x.strong.insert(e);
            if order.acquires() && event.kind != Kind::Write {
                x.acquires.insert(e);
            }
            if order.releases() && event.kind != Kind::Read {
                x.releases.insert(e);
            }
            if order == Order::SeqCst {
                x.seq_cst.insert(e);
            }
        }
        if scope_of(event) == Scope::Thread {
            x.own_scope.insert(e);
        }
        let located = matches!(event.kind, Kind::Read | Kind::Write);
        let space = located.then(|| program.locations[event.location].space);
        if space != Some(Space::Shared) {
            x.global.insert(e);
        }
        if space != Some(Space::Global) {
            x.local.insert(e);
        }
        if located && !program.locations[event.location].atomic {
            x.nonatomic.insert(e);
        }
        if event.atomic {
            x.rmw.add(e - 1, e);
        }
        match event.thread {
            None => x.initial.insert(e),
            Some(thread) => {
                for &read in &event.dependencies {
                    x.dependency.add(begins[thread] + read, e);
                }
                if event.kind == Kind::Barrier {
                    met[thread].push(e);
                }
            }
        }
    }
    for (a, first) in events.iter().enumerate() {
        for (b, second) in events.iter().enumerate() {
            let located = |event: &Event| matches!(event.kind, Kind::Read | Kind::Write);
            if a != b && located(first) && located(second) && first.location == second.location {
                x.same_location.add(a, b);
            }
            let (Some(s), Some(t)) = (first.thread, second.thread) else { continue };
            let (here, there) = (program.threads[s].place, program.threads[t].place);
            if s == t {
                x.same_thread.add(a, b);
                if a < b {
                    x.po.add(a, b);
                }
            }
            if scope_of(first) == scope_of(second)
                && (s == t || here.shares(there, scope_of(first)))
            {
                x.same_scope.add(a, b);
            }
            if s == t || here.shares(there, Scope::Block) {
                x.same_block.add(a, b);
                let round = |thread: usize, e| met[thread].iter().position(|&other| other == e);
                if s != t && round(s, a).is_some() && round(s, a) == round(t, b) {
                    x.barrier.add(a, b);
                }
            }
            if let (Strength::Strong(_, p), Strength::Strong(_, q)) =
                (first.strength, second.strength)
                && (s == t || (here.shares(there, p) && here.shares(there, q)))
            {
                x.inclusive.add(a, b);
            }
        }
    }
}

fn scope_of(event: &Event) -> Scope {
    match event.strength {
        Strength::Strong(_, scope) => scope,
        Strength::Weak if event.kind == Kind::Barrier => Scope::Block,
        Strength::Weak => Scope::Thread,
    }
}
