//! Values that the host computes from other values of a launch.
//!
//! `blockDim.x == size / 2` leaves one value to choose, not two. A candidate is made to agree with every relation
//! before it is used: operands of a relation keep their values, and its result follows. Values that dimensions follow
//! from are the *drivers* of a launch; their ordinary values are chosen so that the launch is an ordinary one.
//!
//! Conditions such as `k < n` leave a smaller choice: a value on the wrong side is moved to the boundary, and a
//! candidate that still violates a condition is not a valid launch. A value with both an upper and a lower bound is
//! ordinary in between.

use lockstep_finding::launch::{Dimension, Expr, Number, Operator, Relation};

use crate::given::Given;
use crate::space::Space;
use crate::space::candidate::{Candidate, Gene};
use crate::space::slots::{Part, Slot};

/// Values of drivers for the initial launch, if the usual values give no ordinary one.
const LIKELY: [i64; 12] = [256, 128, 64, 32, 16, 8, 4, 2, 512, 1, 4096, 1 << 16];
/// Maximum number of threads of an initial launch.
const FEW: u64 = 1 << 13;
/// Better still are so many threads, in blocks of several warps: sizes grow with the number of threads, so that the time
/// of a launch grows with its square.
const BEST: u64 = 1 << 9;
const SEVERAL_WARPS: u64 = 64;
/// Maximum number of threads of a launch whose dimensions follow from arguments: larger ones take too long.
const MOST: u64 = 1 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    Slot(usize),
    Dimension(Dimension),
}

/// The relations between slots and dimensions of a launch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Related {
    rules: Vec<(Target, Expr)>,
    /// Slots that occur in some rule.
    spoken_of: Vec<usize>,
    /// Slots that dimensions follow from, each with its ordinary value once that is chosen.
    pub(crate) drivers: Vec<(usize, Option<i64>)>,
    /// Comparisons that hold.
    conditions: Vec<Condition>,
}

#[derive(Clone, Debug)]
struct Condition {
    whole: Expr,
    /// The slot or dimension that is its left operand, the comparison, and the right operand.
    bound: Option<(Target, Operator, Expr)>,
}

impl Condition {
    fn of(whole: &Expr, slots: &[Slot]) -> Option<Condition> {
        let Expr::Binary(op, left, right) = whole else { return None };
        let mut known = true;
        whole.for_each_name(&mut |n| known &= target(n, slots).is_some());
        let alone = match &**left {
            Expr::Name(name) => target(name, slots),
            _ => None,
        };
        let bound = alone.map(|target| (target, *op, (**right).clone()));
        known.then(|| Condition { whole: whole.clone(), bound })
    }
}

impl Related {
    pub(crate) fn of(given: &Given, slots: &[Slot]) -> Related {
        let mut out = Related::default();
        for Relation { name, value } in &given.relations {
            let Some(target) = target(name, slots) else { continue };
            let mut named = Vec::new();
            let mut known = true;
            value.for_each_name(&mut |n| match self::target(n, slots) {
                Some(t) => named.push(t),
                None => known = false,
            });
            if !known {
                continue;
            }
            for slot in named.iter().filter_map(|t| t.slot()) {
                if !out.spoken_of.contains(&slot) {
                    out.spoken_of.push(slot);
                }
                let drives = target.slot().is_none();
                if drives && !out.drivers.iter().any(|d| d.0 == slot) {
                    out.drivers.push((slot, None));
                }
            }
            out.rules.push((target, value.clone()));
        }
        for condition in given.conditions.iter().filter_map(|c| Condition::of(c, slots)) {
            condition.whole.for_each_name(&mut |n| {
                let slot = target(n, slots).and_then(Target::slot);
                out.spoken_of.extend(slot.filter(|s| !out.spoken_of.contains(s)));
            });
            out.conditions.push(condition);
        }
        out
    }

    pub(crate) fn conditions(&self) -> Vec<Expr> {
        self.conditions.iter().map(|c| c.whole.clone()).collect()
    }

    /// Whether a slot has an upper and a lower bound.
    pub(crate) fn is_bound(&self, slot: usize) -> bool {
        let bounds = self.conditions.iter().filter_map(|c| c.bound.as_ref());
        let bounds: Vec<Operator> =
            bounds.filter(|b| b.0 == Target::Slot(slot)).map(|b| b.1).collect();
        let any = |ops: [Operator; 2]| bounds.iter().any(|op| ops.contains(op));
        bounds.contains(&Operator::Eq)
            || any([Operator::Lt, Operator::Le]) && any([Operator::Gt, Operator::Ge])
    }

    pub(crate) fn gives_slot(&self, slot: usize) -> bool {
        self.rules.iter().any(|(t, _)| *t == Target::Slot(slot))
    }

    /// The slots that the value of a slot follows from.
    pub(crate) fn sources(&self, slot: usize, slots: &[Slot]) -> Vec<usize> {
        let mut out = Vec::new();
        for (_, value) in self.rules.iter().filter(|(t, _)| *t == Target::Slot(slot)) {
            value.for_each_name(&mut |n| out.extend(target(n, slots).and_then(Target::slot)));
        }
        out.sort_unstable();
        out.dedup();
        out
    }

    pub(crate) fn gives(&self, dimension: Dimension) -> bool {
        self.rules.iter().any(|(t, _)| *t == Target::Dimension(dimension))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    pub(crate) fn is_driver(&self, slot: usize) -> bool {
        self.drivers.iter().any(|d| d.0 == slot)
    }

    /// The ordinary value of a driver.
    pub(crate) fn driven_by(&self, slot: usize) -> Option<i64> {
        self.drivers.iter().find(|d| d.0 == slot).and_then(|d| d.1)
    }

    /// Whether a launch whose dimensions follow from arguments has few enough threads.
    pub(crate) fn is_moderate(&self, c: &Candidate) -> bool {
        self.drivers.is_empty() || c.threads() <= MOST
    }
}

impl Target {
    fn slot(self) -> Option<usize> {
        match self {
            Target::Slot(i) => Some(i),
            Target::Dimension(_) => None,
        }
    }
}

fn target(name: &str, slots: &[Slot]) -> Option<Target> {
    if let Some(dimension) = Dimension::named(name) {
        return Some(Target::Dimension(dimension));
    }
    let is_it = |s: &Slot| s.name == name && s.part == Part::Lane(0) && s.ty.is_int();
    slots.iter().position(is_it).map(Target::Slot)
}

fn value_at(target: Target, c: &Candidate) -> i64 {
    match target {
        Target::Slot(i) => c.int(i),
        Target::Dimension(Dimension::Block(a)) => c.block[a].into(),
        Target::Dimension(Dimension::Grid(a)) => c.grid[a].into(),
    }
}

impl Space<'_> {
    /// Makes a candidate agree with every relation; dimensions that cannot be computed are zero.
    pub(crate) fn relate(&self, c: &mut Candidate) {
        // These must not depend on the dimensions, which depend on them.
        for &i in &self.related.spoken_of {
            c.genes[i] = Gene::Int(self.clamp(i, c.int(i)));
        }
        self.bound(c);
        self.follow(c);
        // A computed value may occur in a bound, and the reverse.
        if !self.related.conditions.is_empty() && !self.related.rules.is_empty() {
            self.bound(c);
            self.follow(c);
        }
    }

    /// Moves values on the wrong side of a condition to its boundary.
    fn bound(&self, c: &mut Candidate) {
        let follows = |target: Target| self.related.rules.iter().any(|r| r.0 == target);
        let bounds = self.related.conditions.iter().filter_map(|c| c.bound.as_ref());
        for &(target, op, ref side) in bounds.filter(|b| !follows(b.0)) {
            let Some(side) = self.value_of(side, c) else { continue };
            let v = value_at(target, c);
            let moved = match op {
                Operator::Lt => v.min(side.saturating_sub(1)),
                Operator::Le => v.min(side),
                Operator::Gt => v.max(side.saturating_add(1)),
                Operator::Ge => v.max(side),
                Operator::Eq => side,
                _ => v,
            };
            if moved != v {
                self.set(target, moved, c);
            }
        }
    }

    /// What a dimension cannot be is zero: then the candidate is no launch.
    fn set(&self, target: Target, v: i64, c: &mut Candidate) {
        let dimension = || u32::try_from(v).unwrap_or(0);
        match target {
            Target::Slot(i) => c.genes[i] = Gene::Int(self.clamp(i, v)),
            Target::Dimension(Dimension::Block(a)) => c.block[a] = dimension(),
            Target::Dimension(Dimension::Grid(a)) => c.grid[a] = dimension(),
        }
    }

    /// Whether a candidate agrees with every condition; conditions that cannot be evaluated do not count.
    pub(crate) fn agrees(&self, c: &Candidate) -> bool {
        self.related.conditions.iter().all(|condition| self.holds(condition, c))
    }

    fn holds(&self, condition: &Condition, c: &Candidate) -> bool {
        self.value_of(&condition.whole, c) != Some(0)
    }

    /// Keeps the conditions that the ordinary launch satisfies.
    pub(crate) fn choose_conditions(&mut self) {
        loop {
            let plain = self.plain();
            let mut conditions = std::mem::take(&mut self.related.conditions);
            let all = conditions.len();
            conditions.retain(|condition| self.holds(condition, &plain));
            let left = conditions.len();
            self.related.conditions = conditions;
            if left == all {
                break;
            }
        }
    }

    /// Assigns the values that follow from others.
    fn follow(&self, c: &mut Candidate) {
        let values: Vec<Option<i64>> =
            self.related.rules.iter().map(|(_, value)| self.value_of(value, c)).collect();
        for (&(target, _), value) in self.related.rules.iter().zip(values) {
            match (target, value) {
                (Target::Slot(_), None) => {}
                (_, value) => self.set(target, value.unwrap_or(0), c),
            }
        }
    }

    /// A candidate that agrees with every relation.
    pub(crate) fn agreeing(&self, c: &Candidate) -> Candidate {
        let mut c = c.clone();
        self.relate(&mut c);
        c
    }

    pub(crate) fn value_of(&self, value: &Expr, c: &Candidate) -> Option<i64> {
        let lookup = |name: &str| {
            let value = target(name, &self.slots).map(|t| i128::from(value_at(t, c)));
            value.map(Number::Int).ok_or_else(String::new)
        };
        match value.evaluate(&lookup).ok()? {
            Number::Int(v) => i64::try_from(v).ok(),
            Number::Float(_) => None,
        }
    }

    /// Chooses the ordinary values of the drivers: the first that give an ordinary launch of few threads, or any launch
    /// at all. Relations that cannot be satisfied are dropped.
    pub(crate) fn choose_drivers(&mut self) {
        let conditions = std::mem::take(&mut self.related.conditions);
        let usual = self.unrelated();
        let drivers = self.related.drivers.iter();
        let usual: Vec<i64> = drivers.map(|d| self.clamp(d.0, usual.int(d.0))).collect();
        let alike = LIKELY.map(|v| vec![v; self.related.drivers.len()]);
        // Where all of them make a launch large, one of them has its usual value, and the others are small.
        let alone = (0..usual.len()).map(|i| {
            let small = usual.iter().enumerate().map(|(j, &v)| if i == j { v } else { v.min(2) });
            small.collect()
        });
        let choices: Vec<Vec<i64>> =
            [usual.clone()].into_iter().chain(alike).chain(alone).collect();
        let plain: Vec<Candidate> = choices.iter().map(|v| self.driven(v)).collect();
        let possible = || (0..choices.len()).filter(|&k| self.is_possible(&plain[k]));
        let ordinary = || possible().filter(|&k| self.oddities(&plain[k]).is_empty());
        let few = || ordinary().find(|&k| plain[k].threads() <= FEW);
        let best = ordinary()
            .find(|&k| plain[k].threads() <= BEST && plain[k].block_threads() >= SEVERAL_WARPS);
        match best.or_else(few).or(possible().next()) {
            Some(k) => {
                for (driver, v) in self.related.drivers.iter_mut().zip(&choices[k]) {
                    driver.1 = Some(*v);
                }
            }
            None => {
                self.related.rules.clear();
                self.related.drivers.clear();
            }
        }
        self.related.conditions = conditions;
        self.choose_conditions();
    }

    /// The ordinary candidate with these values of the drivers.
    fn driven(&self, values: &[i64]) -> Candidate {
        let mut c = self.unrelated();
        for (driver, v) in self.related.drivers.iter().zip(values) {
            c.genes[driver.0] = Gene::Int(*v);
        }
        self.relate(&mut c);
        c
    }
}
