//! An execution that goes on after trouble, to see all of it.
//!
//! For a comparison the first trouble is the end: there is no result. Who asks which faults a launch can have wants all of them, so
//! here an access out of bounds is not made, a race leaves what one order leaves, and threads that do not meet at a barrier go on without it. What
//! comes after that is only worth trying: whoever asks executes the launch. That something *cannot* happen is said only
//! of an execution in which nothing of this was possible ([`crate::faults`]).
//!
//! Values that are not followed are variables that may be anything. An array whose size is not known has room for every access. A store at
//! too many places makes its array unknown; a load from too many elements gives some value, the same for the same index as long as nobody writes.
//! Atomics give some value, and leave some value unless all of them on the array commute.
//!
//! Conditions under which something goes wrong at one place are put together, and the solver is asked about many of them at once.

use rustc_hash::{FxHashMap, FxHashSet};

use lockstep_kernel::{LocId, Ty};

use super::{Limits, Machine, Outcome, Side, Trouble, What};
use crate::memory::Init;
use crate::solve::{Answer, Model, Solver};
use crate::term::walk::children;
use crate::term::{Node, Pool, T, Undefined, Variable};

/// What is not known of the launch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sizes {
    /// For each parameter, whether its size is not known.
    pub(crate) unknown: Vec<bool>,
    /// The same for dynamic shared memory.
    pub(crate) unknown_shared: bool,
}

/// Something that may go wrong.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) what: What,
    pub(crate) at: LocId,
    /// Inputs for which it does; none where the solver did not decide.
    pub(crate) model: Option<Model>,
}

/// An element of an array that stands for whatever an index picks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Element {
    pub(crate) object: u32,
    /// In bytes.
    pub(crate) offset: T,
    pub(crate) value: T,
}

/// An access at a place that depends on data.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) object: u32,
    pub(super) offset: T,
    pub(super) when: T,
    /// Its elements are among the targets, one by one.
    pub(super) told_apart: bool,
}

/// Conditions that the solver will be asked about together.
struct Waiting {
    what: What,
    at: LocId,
    conditions: Vec<T>,
}

/// Conditions of one question.
const TOGETHER: usize = 64;
/// Accesses out of bounds that other troubles are first looked for without.
const MOST_OUTSIDE: usize = 256;
/// Selections that are looked through for what nobody has written.
const MOST_SELECTIONS: usize = 512;

pub(super) struct Watch {
    sizes: Sizes,
    seen: Vec<Seen>,
    given_up: Vec<Trouble>,
    told: FxHashSet<(u8, LocId, LocId)>,
    waiting: Vec<Waiting>,
    outside: Vec<T>,
    elements: Vec<Element>,
    picked: FxHashMap<(u32, T, Ty), T>,
    tainted: FxHashMap<T, bool>,
    /// Conditions that were made.
    conditions: u64,
    /// Of the access that is being made.
    places: Vec<Place>,
}

/// What an execution has seen.
pub(crate) struct Watched {
    pub(crate) seen: Vec<Seen>,
    /// Where it was not followed, and why.
    pub(crate) given_up: Vec<Trouble>,
    pub(crate) elements: Vec<Element>,
    /// By parameter: whether its array was read, and written.
    pub(crate) touched: Vec<(bool, bool)>,
    /// The parameter of each object that is one's array.
    pub(crate) param_of: FxHashMap<u32, usize>,
    pub(crate) steps: u64,
}

/// Executes a launch to its end, whatever goes wrong.
pub(crate) fn watch(
    pool: &mut Pool,
    solver: &mut Solver,
    side: &Side,
    limits: Limits,
    sizes: Sizes,
) -> Watched {
    let watch = Watch {
        sizes,
        seen: Vec::new(),
        given_up: Vec::new(),
        told: FxHashSet::default(),
        waiting: Vec::new(),
        outside: Vec::new(),
        elements: Vec::new(),
        picked: FxHashMap::default(),
        tainted: FxHashMap::default(),
        conditions: 0,
        places: Vec::new(),
    };
    let mut machine = Machine::new(pool, solver, side, limits, 0);
    machine.watch = Some(watch);
    let mut params = vec![None; side.kernel.params.len()];
    let mut run = || -> Outcome<()> {
        params = machine.set_up(Vec::new())?;
        machine.run_blocks()
    };
    let ended = run();
    machine.ask_all();
    let Machine { objects, steps, watch, .. } = machine;
    let mut watch = watch.expect("it was put there");
    watch.given_up.extend(ended.err());
    let of = |o: &Option<u32>| {
        o.map_or((false, false), |o| {
            let object = &objects[o as usize];
            (object.is_read, object.is_written)
        })
    };
    let param_of = params.iter().enumerate().filter_map(|(i, o)| Some(((*o)?, i)));
    Watched {
        seen: watch.seen,
        given_up: watch.given_up,
        elements: watch.elements,
        touched: params.iter().map(of).collect(),
        param_of: param_of.collect(),
        steps,
    }
}

impl What {
    /// What makes two troubles one: the kind, and the other place.
    fn key(&self) -> Option<(u8, LocId)> {
        let none = LocId(u32::MAX);
        Some(match self {
            What::OutOfBounds { .. } => (0, none),
            What::UnknownObject => (1, none),
            What::Race { other, .. } => (2, *other),
            What::Divergence => (3, none),
            What::Assertion => (4, none),
            What::Uninitialised => (5, none),
            What::Misaligned => (6, none),
            _ => return None,
        })
    }
}

impl Machine<'_> {
    pub(super) fn is_watching(&self) -> bool {
        self.watch.is_some()
    }

    /// Forgets the sizes that are not known.
    pub(super) fn unbound(&mut self, params: &[Option<u32>]) {
        let Some(watch) = &self.watch else { return };
        for (object, _) in params.iter().zip(&watch.sizes.unknown).filter(|(_, unknown)| **unknown)
        {
            object.iter().for_each(|o| self.objects[*o as usize].unbound());
        }
    }

    pub(super) fn is_unbounded(&self, param: usize) -> bool {
        self.watch.as_ref().is_some_and(|w| w.sizes.unknown.get(param) == Some(&true))
    }

    pub(super) fn is_shared_unbounded(&self) -> bool {
        self.watch.as_ref().is_some_and(|w| w.sizes.unknown_shared)
    }

    /// Something goes wrong under a condition; the execution goes on.
    pub(super) fn notice(&mut self, condition: T, what: What) -> Outcome<()> {
        let at = self.at;
        if self.pool.is_false(condition) || matches!(what, What::Trap | What::DivisionByZero) {
            // A thread that traps ends there, as one that returns; a division by zero has a value, as in the simulator.
            return Ok(());
        }
        let Some((kind, other)) = what.key() else {
            return match self.solver.can(self.pool, condition) {
                Answer::Never => Ok(()),
                _ => self.trouble(what),
            };
        };
        let Some(watch) = &mut self.watch else { return Ok(()) };
        if matches!(what, What::OutOfBounds { .. } | What::UnknownObject)
            && watch.outside.len() < MOST_OUTSIDE
            && !watch.outside.contains(&condition)
        {
            watch.outside.push(condition);
        }
        if watch.told.contains(&(kind, at, other)) {
            return Ok(());
        }
        watch.conditions += 1;
        if watch.conditions > self.limits.conditions {
            return self.trouble(What::Steps);
        }
        let of_it = |w: &Waiting| w.at == at && w.what.key() == what.key();
        let place = match watch.waiting.iter().position(of_it) {
            Some(place) => place,
            None => {
                watch.waiting.push(Waiting { what, at, conditions: Vec::new() });
                watch.waiting.len() - 1
            }
        };
        let waiting = &mut watch.waiting[place];
        if !waiting.conditions.contains(&condition) {
            waiting.conditions.push(condition);
        }
        if waiting.conditions.len() >= TOGETHER {
            let waiting = watch.waiting.swap_remove(place);
            self.ask(waiting);
        }
        Ok(())
    }

    /// What is not followed, where the execution goes on without it.
    pub(super) fn give_up(&mut self, what: What) -> Outcome<()> {
        let at = self.at;
        let Some(watch) = &mut self.watch else { return self.trouble(what) };
        if !watch.given_up.iter().any(|t| t.at == at && t.what == what) {
            watch.given_up.push(Trouble { what, at, model: None });
        }
        Ok(())
    }

    fn ask_all(&mut self) {
        while let Some(waiting) = self.watch.as_mut().and_then(|w| w.waiting.pop()) {
            self.ask(waiting);
        }
    }

    fn ask(&mut self, waiting: Waiting) {
        let Waiting { what, at, conditions } = waiting;
        let model = match self.any(&conditions) {
            Answer::Never => return,
            Answer::Sometimes(model) => {
                Some(self.without_others(&what, &conditions).unwrap_or(model))
            }
            Answer::Open => None,
        };
        let Some(watch) = &mut self.watch else { return };
        if let Some((kind, other)) = what.key() {
            watch.told.insert((kind, at, other));
        }
        watch.seen.push(Seen { what, at, model });
    }

    /// Whether one of them can hold: all at once, then in two parts where that is too much.
    fn any(&mut self, conditions: &[T]) -> Answer {
        let one = self.disjunction(conditions);
        let answer = self.solver.can(self.pool, one);
        if !matches!(answer, Answer::Open) || conditions.len() < 2 || self.solver.is_late() {
            return answer;
        }
        let (a, b) = conditions.split_at(conditions.len() / 2);
        let mut all_never = true;
        for part in [a, b] {
            let one = self.disjunction(part);
            match self.solver.can(self.pool, one) {
                Answer::Never => {}
                Answer::Open => all_never = false,
                found => return found,
            }
        }
        if all_never { Answer::Never } else { Answer::Open }
    }

    /// Inputs for which nothing else is out of bounds: what is read there leads nowhere.
    fn without_others(&mut self, what: &What, conditions: &[T]) -> Option<Model> {
        let outside = self.watch.as_ref().map(|w| w.outside.clone()).unwrap_or_default();
        if outside.is_empty() || matches!(what, What::OutOfBounds { .. } | What::UnknownObject) {
            return None;
        }
        let one = self.disjunction(conditions);
        let others = self.disjunction(&outside);
        let none = self.pool.not(others);
        let both = self.pool.and(one, none);
        match self.solver.can(self.pool, both) {
            Answer::Sometimes(model) => Some(model),
            _ => None,
        }
    }

    fn disjunction(&mut self, conditions: &[T]) -> T {
        let none: Vec<T> = conditions.iter().map(|c| self.pool.not(*c)).collect();
        let none = self.pool.all(&none);
        self.pool.not(none)
    }

    pub(super) fn add_place(&mut self, place: Place) {
        if let Some(watch) = &mut self.watch {
            watch.places.push(place);
        }
    }

    pub(super) fn take_places(&mut self) -> Vec<Place> {
        self.watch.as_mut().map_or(Vec::new(), |w| std::mem::take(&mut w.places))
    }

    /// What is read at a place that is not told from others.
    pub(super) fn picked(&mut self, place: Place, ty: Ty) -> T {
        let object = &self.objects[place.object as usize];
        let is_input = matches!(object.init, Init::Input { .. } | Init::Bytes(_));
        if object.is_written || !is_input {
            return self.pool.undefined(object.unknown(), ty);
        }
        let key = (place.object, place.offset, ty);
        if let Some(known) = self.watch.as_ref().and_then(|w| w.picked.get(&key)) {
            return *known;
        }
        let value = self.pool.undefined(Undefined::Element, ty);
        if let Some(watch) = &mut self.watch {
            watch.picked.insert(key, value);
            watch.elements.push(Element { object: place.object, offset: place.offset, value });
        }
        value
    }

    /// When a value is one that nobody has written.
    pub(super) fn undefined_when(&mut self, value: T) -> T {
        let mut out = self.pool.truth(false);
        let always = self.pool.truth(true);
        let mut open = vec![(value, always)];
        let mut left = MOST_SELECTIONS;
        while let Some((t, when)) = open.pop() {
            if !self.is_tainted(t) {
                continue;
            }
            match *self.pool.node(t) {
                Node::Select(c, a, b) if left > 0 => {
                    left -= 1;
                    let not = self.pool.not(c);
                    let (yes, no) = (self.pool.and(when, c), self.pool.and(when, not));
                    open.push((a, yes));
                    open.push((b, no));
                }
                Node::Cast(_, a) if left > 0 => {
                    left -= 1;
                    open.push((a, when));
                }
                _ => out = self.pool.or(out, when),
            }
        }
        out
    }

    /// Whether a term is made of a value that nobody has written.
    fn is_tainted(&mut self, root: T) -> bool {
        let Some(watch) = &mut self.watch else { return false };
        let mut stack = vec![root];
        while let Some(&t) = stack.last() {
            if watch.tainted.contains_key(&t) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            let mut any = false;
            children(self.pool.node(t), |c| match watch.tainted.get(&c) {
                Some(is) => any |= is,
                None => stack.push(c),
            });
            if stack.len() > before {
                continue;
            }
            if let Node::Var(v) = self.pool.node(t) {
                any = self.pool.variables[*v as usize]
                    == Variable::Undefined(Undefined::Uninitialised);
            }
            watch.tainted.insert(t, any);
            stack.pop();
        }
        watch.tainted[&root]
    }
}
