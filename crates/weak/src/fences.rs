//! Where fences belong, and which of them do nothing.
//!
//! [`place`] looks for a smallest set of fences that makes failures impossible. A fence is tried before each access: any
//! fence on a path from one access to the next stands before the next. Sets of one and of two places are all tried;
//! beyond that, places are taken away from the set of all as long as the failures stay away, which ends with a set of
//! which no member can be spared, though a smaller one may exist. Then orders and scopes are weakened as far as possible.
//! What is returned was explored again.
//!
//! [`judge_fences`] takes each fence that is there away, or weakens it, and compares all behaviours: outcomes, races and
//! broken assertions. A fence without which nothing new happens is redundant. Two fences may each be redundant as long
//! as the other is there; [`Use::removed_together`] tells which can go at once.
//!
//! All of it concerns the program that is given: its threads, its values, its bounds. Answers of explorations that were
//! cut are not taken for proofs.

use crate::explore::Limits;
use crate::goal::{Answer, Behaviour, Failure, Witness, behaviour, find};
use crate::model::Model;
use crate::program::{Instr, Order, Program, Scope};

/// A fence to be inserted before the instruction `at` of a code; jumps to that instruction run the fence too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Insertion {
    pub code: usize,
    pub at: usize,
    pub order: Order,
    pub scope: Scope,
}

#[derive(Clone, Debug)]
pub enum Repair {
    /// The failures cannot happen.
    NotNeeded,
    /// These fences make them impossible, and none of them can be spared or weakened. Places are those of the program
    /// as it was. `smallest`: no smaller set does it.
    Fences { insertions: Vec<Insertion>, repaired: Program, smallest: bool },
    /// Even with fences everywhere, this happens.
    Hopeless(Box<Witness>),
    /// An exploration was cut before it could decide.
    Undecided,
}

/// Scopes that CUDA and OpenCL have fences for.
const SCOPES: [Scope; 3] = [Scope::Block, Scope::Device, Scope::System];

pub fn place(
    program: &Program,
    model: &dyn Model,
    limits: Limits<'_>,
    failures: &[Failure],
) -> Repair {
    let placer = Placer { program, model, limits, failures };
    match placer.check(&[]).possible() {
        Some(false) => return Repair::NotNeeded,
        None => return Repair::Undecided,
        Some(true) => {}
    }
    let widest = widest(program);
    let places = places(program);
    let everywhere = |order| -> Vec<Insertion> {
        places.iter().map(|&(code, at)| Insertion { code, at, order, scope: widest }).collect()
    };
    // `fence.acq_rel` is tried first: most failures need no more, and its executions are fewer to explore.
    let mut all = everywhere(Order::AcqRel);
    if !placer.works(&all) {
        all = everywhere(Order::SeqCst);
        let answer = placer.check(&all);
        match (answer.possible(), answer.witness) {
            (Some(false), _) => {}
            (_, Some(witness)) => return Repair::Hopeless(Box::new(witness)),
            _ => return Repair::Undecided,
        }
    }
    let (mut insertions, smallest) = placer.fewest(&all);
    placer.weaken(&mut insertions);
    let repaired = with(program, &insertions);
    Repair::Fences { insertions, repaired, smallest }
}

struct Placer<'a> {
    program: &'a Program,
    model: &'a dyn Model,
    limits: Limits<'a>,
    failures: &'a [Failure],
}

impl Placer<'_> {
    fn check(&self, insertions: &[Insertion]) -> Answer {
        find(&with(self.program, insertions), self.model, self.limits, self.failures)
    }

    fn works(&self, insertions: &[Insertion]) -> bool {
        self.check(insertions).possible() == Some(false)
    }

    /// A set of which none can be spared, and whether no smaller one works.
    fn fewest(&self, all: &[Insertion]) -> (Vec<Insertion>, bool) {
        for &one in all {
            if self.works(&[one]) {
                return (vec![one], true);
            }
        }
        for (index, &first) in all.iter().enumerate() {
            for &second in &all[index + 1..] {
                if self.works(&[first, second]) {
                    return (vec![first, second], true);
                }
            }
        }
        let mut kept = all.to_vec();
        let mut step = kept.len() / 2;
        while step > 0 {
            let mut at = 0;
            while at < kept.len() {
                let mut fewer = kept.clone();
                fewer.drain(at..(at + step).min(kept.len()));
                if self.works(&fewer) {
                    kept = fewer;
                } else {
                    at += step;
                }
            }
            step /= 2;
        }
        let smallest = kept.len() <= 3;
        (kept, smallest)
    }

    /// Weakens orders and narrows scopes, one fence at a time.
    fn weaken(&self, insertions: &mut [Insertion]) {
        for index in 0..insertions.len() {
            let strong = insertions[index];
            let weaker = weaker(strong.order, strong.scope).into_iter().find(|&(order, scope)| {
                insertions[index] = Insertion { order, scope, ..strong };
                self.works(insertions)
            });
            let (order, scope) = weaker.unwrap_or((strong.order, strong.scope));
            insertions[index] = Insertion { order, scope, ..strong };
        }
    }
}

/// Weaker fences than this one, the weakest first.
fn weaker(order: Order, scope: Scope) -> Vec<(Order, Scope)> {
    let orders =
        if order == Order::SeqCst { vec![Order::AcqRel, Order::SeqCst] } else { vec![order] };
    let all = orders.into_iter().flat_map(|order| SCOPES.map(|scope| (order, scope)));
    all.filter(|&(o, s)| s <= scope && (o, s) != (order, scope)).collect()
}

/// The narrowest scope that holds all threads.
fn widest(program: &Program) -> Scope {
    let threads = &program.threads;
    let holds = |scope: &Scope| {
        threads
            .iter()
            .enumerate()
            .all(|(i, a)| threads[..i].iter().all(|b| a.place.shares(b.place, *scope)))
    };
    SCOPES.into_iter().find(holds).unwrap_or(Scope::System)
}

/// Before each access of each code, but for the first that a thread makes.
fn places(program: &Program) -> Vec<(usize, usize)> {
    let mut places = Vec::new();
    for (code, it) in program.codes.iter().enumerate() {
        let mut accesses =
            it.instrs.iter().enumerate().filter(|(_, instr)| instr.address().is_some());
        let first = accesses.next();
        let jumped_back_to = first.is_some_and(|(at, _)| {
            it.instrs
                .iter()
                .enumerate()
                .any(|(pc, i)| i.target().is_some_and(|t| t <= at && t <= pc))
        });
        places.extend(first.filter(|_| jumped_back_to).map(|(at, _)| (code, at)));
        places.extend(accesses.map(|(at, _)| (code, at)));
    }
    places
}

/// The program with these fences; places are those of the program as given.
pub fn with(program: &Program, insertions: &[Insertion]) -> Program {
    let mut program = program.clone();
    let mut sorted: Vec<&Insertion> = insertions.iter().collect();
    sorted.sort_by_key(|insertion| std::cmp::Reverse((insertion.code, insertion.at)));
    for insertion in sorted {
        let fence = Instr::Fence { order: insertion.order, scope: insertion.scope };
        program.insert(insertion.code, insertion.at, fence, true);
    }
    program
}

/// What a fence that is there is good for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Worth {
    /// Without it nothing new happens.
    Redundant,
    /// Without it something new happens, and a weaker one does not prevent it.
    Needed,
    /// A fence of this order and scope does the same.
    Stronger(Order, Scope),
    /// An exploration was cut.
    Undecided,
}

#[derive(Clone, Debug)]
pub struct Use {
    pub code: usize,
    pub at: usize,
    pub worth: Worth,
    /// It is among the redundant fences that can be taken away all at once.
    pub removed_together: bool,
    /// What can happen without it and not with it.
    pub without: Option<Behaviour>,
}

/// The worth of each fence of a program.
pub fn judge_fences(program: &Program, model: &dyn Model, limits: Limits<'_>) -> Vec<Use> {
    let (all, summary) = behaviour(program, model, limits);
    let exact = summary.exhaustive();
    let adds_nothing = |program: &Program| {
        let (other, summary) = behaviour(program, model, limits);
        let new = other.minus(&all);
        let nothing = new == Behaviour::default();
        (if nothing && !(summary.exhaustive() && exact) { None } else { Some(nothing) }, new)
    };
    let mut without_all = program.clone();
    let mut uses = Vec::new();
    for code in 0..program.codes.len() {
        for at in 0..program.codes[code].instrs.len() {
            let Instr::Fence { order, scope } = program.codes[code].instrs[at] else { continue };
            let nothing = Instr::Jump { target: at + 1 };
            let mut edited = program.clone();
            edited.codes[code].instrs[at] = nothing.clone();
            let (worth, new) = match adds_nothing(&edited) {
                (Some(true), _) => (Worth::Redundant, None),
                (None, _) => (Worth::Undecided, None),
                (Some(false), new) => {
                    let weaker = weaker(order, scope).into_iter().find(|&(order, scope)| {
                        edited.codes[code].instrs[at] = Instr::Fence { order, scope };
                        adds_nothing(&edited).0 == Some(true)
                    });
                    (
                        weaker
                            .map_or(Worth::Needed, |(order, scope)| Worth::Stronger(order, scope)),
                        Some(new),
                    )
                }
            };
            let mut removed_together = false;
            if worth == Worth::Redundant {
                let before = std::mem::replace(&mut without_all.codes[code].instrs[at], nothing);
                removed_together = adds_nothing(&without_all).0 == Some(true);
                if !removed_together {
                    without_all.codes[code].instrs[at] = before;
                }
            }
            uses.push(Use { code, at, worth, removed_together, without: new });
        }
    }
    uses
}
