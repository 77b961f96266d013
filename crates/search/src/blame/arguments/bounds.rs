//! Whether an access outside of a shared array of fixed size needs a large block or a large argument.
//!
//! Such an array does not have room for every block size or argument: an access outside of it that does not happen with
//! a smaller block or argument needs the larger one. If it happens for all choices, it is a bug of the kernel.

use lockstep_finding::launch::{Dimension, Operator};
use lockstep_finding::{Claim, Reason};

use crate::condition::{block_is, boundary, with};
use crate::explore::inquiry::{Inquiry, Shown};
use crate::explore::ledger::same;
use crate::space::candidate::{Candidate, Contents, Gene};

/// Values of arguments for which an access may stay inside an array.
const ARGUMENTS: [i64; 12] = [0, 1, 2, 3, 4, 8, 16, 32, 64, 128, 256, 1024];
/// Contents of arrays with which the bug would have to show as well.
const CONTENTS: [Contents; 4] = [Contents::Zeros, Contents::Ones, Contents::Iota, Contents::Random];

impl Inquiry<'_, '_> {
    /// Smaller blocks, or grids, with which every access is inside.
    pub(in crate::blame) fn outside_by_dimensions(&mut self, shown: &Shown) -> Option<Claim> {
        let space = self.driver.lab.space;
        let c = shown.candidate;
        let (blocks, free) = (space.chosen_block(), space.free_grid());
        for a in (0..3).filter(|&a| blocks[a]) {
            let mut smaller = c.clone();
            while smaller.block[a] > 1 {
                smaller.block[a] = smaller.block[a].next_power_of_two() / 2;
                if self.is_inside(&smaller) {
                    return Some(block_is(c, smaller.block));
                }
            }
        }
        let axis = (0..3).filter(|&a| free[a] && c.grid[a] > 1).find(|&a| {
            let mut one = c.clone();
            one.grid[a] = 1;
            self.is_inside(&one)
        })?;
        Some(Claim::dimension(Dimension::Grid(axis), Operator::Gt, 1))
    }

    /// Other arguments with which every access is inside.
    pub(in crate::blame) fn outside_by_arguments(&mut self, shown: &Shown) -> Option<Claim> {
        let space = self.driver.lab.space;
        let c = shown.candidate;
        let slots = space.integers();
        for (i, v) in slots.into_iter().flat_map(|i| ARGUMENTS.map(|v| (i, v))) {
            if space.clamp(i, v) == v && c.int(i) != v && self.is_inside(&with(c, i, v)) {
                return Some(boundary::below(self, c, i, v));
            }
        }
        None
    }

    /// Whether a launch reaches the bug's source location without the bug.
    fn is_inside(&mut self, candidate: &Candidate) -> bool {
        let possible = self.driver.lab.space.is_possible(candidate);
        let trial = possible.then(|| self.other(candidate)).flatten();
        trial.is_some_and(|t| same(&t, self.key).is_none() && self.reaches(&t))
    }

    /// Why an access outside of a shared array may depend on several arguments, on floats or on contents that Lockstep
    /// chose: with other values it does not happen.
    pub(in crate::blame) fn rests_on_contents(&mut self, shown: &Shown) -> Option<Reason> {
        let space = self.driver.lab.space;
        let candidate = shown.candidate;
        let chosen = |name: &str| Some(Reason::ChosenValue { parameter: name.into() });
        let mut slots = space.slots.iter();
        if let Some(slot) = slots.find(|s| s.ty.is_float() && s.hints.reaches_address) {
            return chosen(&slot.name);
        }
        let slots = space.integers();
        let together = |v: i64| {
            let mut c = candidate.clone();
            slots.iter().for_each(|&i| c.genes[i] = Gene::Int(space.clamp(i, v)));
            c
        };
        if slots.len() > 1 && ARGUMENTS.into_iter().any(|v| self.is_inside(&together(v))) {
            return Some(Reason::ChosenArguments);
        }
        let leads = |&i: &usize| space.arrays[i].matters || space.arrays[i].reaches_private;
        let arrays: Vec<usize> = (0..space.arrays.len()).filter(leads).collect();
        let array = arrays.into_iter().find(|&i| {
            let others = CONTENTS.map(|contents| self.with_contents(candidate, &[(i, contents)]));
            !others.iter().all(|c| self.shows(c))
        })?;
        chosen(&space.arrays[array].name)
    }
}
