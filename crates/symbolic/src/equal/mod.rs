//! Whether two terms are equal: canonical forms first, then the solver on what is left of them.
//!
//! Canonical forms decide nearly all, floating point included ([`canonical`], with its table of [`rules`]). What they leave is
//! taken apart as long as both terms are the same operation: operands that are equal make equal results, whatever the
//! operation. Pairs that differ in their operations are a question for Z3, if they are small.

pub(crate) mod assumptions;
mod canonical;
pub(crate) mod differ;
mod rules;

use rustc_hash::FxHashMap;

use lockstep_kernel::{CmpOp, Ty};

use crate::solve::{Answer, Model, Solver};
use crate::term::walk::reachable;
use crate::term::{Node, Pool, T};
use assumptions::Assumptions;
use canonical::Canonical;

/// Terms of a question with floating-point operations that the solver is asked; and of one without.
const LARGEST_FLOAT: usize = 60;
const LARGEST_INTEGER: usize = 4_000;
const LARGEST_BRIEF: usize = 200;
/// Pairs of operands that are compared for one pair of results.
const MOST_PAIRS: u32 = 2_000;
/// Z3's units of work for a question of integers, and of floats.
const WORK_INTEGER: u32 = 8_000_000;
const WORK_FLOAT: u32 = 4_000_000;

/// What is known of two terms.
#[derive(Clone, Debug)]
pub(crate) enum Compared {
    /// Equal under these assumptions, and none fewer.
    Equal(Assumptions),
    /// They differ for these values.
    Differ(Model),
    Open,
}

/// Compares terms; remembers what it has found.
pub(crate) struct Comparer {
    forms: FxHashMap<(Assumptions, bool), Canonical>,
    /// Pairs that the solver was asked about.
    pairs: FxHashMap<(T, T), Option<()>>,
    /// Only small questions of integers are for the solver.
    is_brief: bool,
}

impl Comparer {
    pub(crate) fn new() -> Comparer {
        Comparer { forms: FxHashMap::default(), pairs: FxHashMap::default(), is_brief: false }
    }

    /// One that leaves to others what takes the solver long.
    pub(crate) fn brief() -> Comparer {
        Comparer { is_brief: true, ..Comparer::new() }
    }

    /// Whether two terms are equal under some of the assumptions that are allowed.
    pub(crate) fn compare(
        &mut self,
        pool: &mut Pool,
        solver: &mut Solver,
        a: T,
        b: T,
        allowed: Assumptions,
    ) -> Compared {
        if a == b {
            return Compared::Equal(Assumptions::NONE);
        }
        if let Some(used) = self.by_forms(pool, a, b, allowed) {
            return Compared::Equal(used);
        }
        if let Some(used) = self.by_parts(pool, solver, a, b, allowed) {
            return Compared::Equal(used);
        }
        let same = pool.same(a, b);
        let differ = pool.not(same);
        let plain = self.ask(pool, solver, differ);
        let zeros = Assumptions::POSITIVE_ZERO;
        if matches!(plain, Answer::Never) || !allowed.has(zeros) || !pool.ty(a).is_float() {
            return match plain {
                Answer::Never => Compared::Equal(Assumptions::NONE),
                Answer::Sometimes(model) => Compared::Differ(model),
                Answer::Open => Compared::Open,
            };
        }
        // Results may be zeros of different signs.
        let equal = pool.cmp(CmpOp::FOEq, a, b);
        let same = pool.or(same, equal);
        let differ = pool.not(same);
        match self.ask(pool, solver, differ) {
            Answer::Never => Compared::Equal(zeros),
            Answer::Sometimes(model) => Compared::Differ(model),
            Answer::Open => Compared::Open,
        }
    }

    /// The fewest assumptions under which the canonical forms are one.
    pub(crate) fn by_forms(
        &mut self,
        pool: &mut Pool,
        a: T,
        b: T,
        allowed: Assumptions,
    ) -> Option<Assumptions> {
        for assumed in allowed.subsets() {
            let (x, y) = (self.form(pool, a, assumed), self.form(pool, b, assumed));
            if x == y {
                return Some(assumed);
            }
        }
        None
    }

    /// The canonical form of a result.
    pub(crate) fn form(&mut self, pool: &mut Pool, t: T, assumed: Assumptions) -> T {
        let single = atomics_in(pool, t) == 1;
        let forms =
            self.forms.entry((assumed, single)).or_insert_with(|| Canonical::new(assumed, single));
        forms.of(pool, t)
    }

    /// Equal operands make equal results.
    fn by_parts(
        &mut self,
        pool: &mut Pool,
        solver: &mut Solver,
        a: T,
        b: T,
        allowed: Assumptions,
    ) -> Option<Assumptions> {
        // Under all that is allowed the forms are nearest to each other.
        let (x, y) = (self.form(pool, a, allowed), self.form(pool, b, allowed));
        let mut left = MOST_PAIRS;
        self.parts(pool, solver, x, y, &mut left, 0)?;
        // Which of the assumptions the forms needed is not known: all of them are named.
        let plain = (self.form(pool, a, Assumptions::NONE), self.form(pool, b, Assumptions::NONE));
        if plain != (x, y) {
            let mut left = MOST_PAIRS;
            let alone = self.parts(pool, solver, plain.0, plain.1, &mut left, 0);
            return Some(alone.map_or(allowed, |()| Assumptions::NONE));
        }
        Some(Assumptions::NONE)
    }

    fn parts(
        &mut self,
        pool: &mut Pool,
        solver: &mut Solver,
        a: T,
        b: T,
        left: &mut u32,
        depth: u32,
    ) -> Option<()> {
        if a == b {
            return Some(());
        }
        let key = (a.min(b), a.max(b));
        if let Some(known) = self.pairs.get(&key) {
            return *known;
        }
        *left = left.checked_sub(1)?;
        let mut answer = None;
        if depth < 200 && differ::is_same_operation(pool, a, b) {
            let (x, y) = (differ::parts(pool, a), differ::parts(pool, b));
            let mut all = Some(());
            for (x, y) in x.into_iter().zip(y) {
                all = all.and_then(|()| self.parts(pool, solver, x, y, left, depth + 1));
            }
            answer = all;
        }
        if answer.is_none() && *left > 0 {
            let same = pool.same(a, b);
            let differ = pool.not(same);
            if matches!(self.ask(pool, solver, differ), Answer::Never) {
                answer = Some(());
            }
        }
        self.pairs.insert(key, answer);
        answer
    }

    /// Whether a condition that two values differ can never hold.
    pub(crate) fn never(&mut self, pool: &mut Pool, solver: &mut Solver, differ: T) -> bool {
        matches!(self.ask(pool, solver, differ), Answer::Never)
    }

    /// Asks the solver, if the question is small enough.
    fn ask(&mut self, pool: &mut Pool, solver: &mut Solver, differ: T) -> Answer {
        let Some(terms) = reachable(pool, &[differ], LARGEST_INTEGER) else { return Answer::Open };
        let is_float = |t: &&T| {
            matches!(
                pool.node(**t),
                Node::Float(..) | Node::FloatUn(..) | Node::Fma(..) | Node::Math(..)
            )
        };
        let floats = terms.iter().filter(is_float).count();
        let has_wide = terms.iter().any(|t| is_float(&t) && pool.ty(*t) == Ty::F64);
        let most = if has_wide { LARGEST_FLOAT / 2 } else { LARGEST_FLOAT };
        match floats {
            0 if self.is_brief && terms.len() > LARGEST_BRIEF => Answer::Open,
            0 if self.is_brief => solver.can(pool, differ),
            _ if self.is_brief => Answer::Open,
            0 => solver.can_with(pool, differ, WORK_INTEGER),
            n if n <= most => solver.can_with(pool, differ, WORK_FLOAT),
            _ => Answer::Open,
        }
    }
}

/// Atomic additions of floats that a result is made of.
fn atomics_in(pool: &Pool, t: T) -> usize {
    let all = reachable(pool, &[t], usize::MAX).unwrap_or_default();
    all.iter().filter(|t| matches!(pool.node(**t), Node::AnyOrder(..))).count()
}

#[cfg(test)]
mod tests;
