//! Whether dimensions that were our choice are to blame, and what else an access outside of a shared array hangs on.
//!
//! - An axis that the kernel does not ask for has one thread, and one block: several were our choice. Where one is enough for
//!   a bug to go away, it needs more.
//! - Of launches with very many threads, and of no others, a bug says so.
//! - A shared array of a fixed size has no room for each block that could be launched, nor for each argument: an access
//!   outside of it that no smaller block, and no smaller argument, shows needs the larger one. What shows however
//!   these are chosen is the kernel's own.

use lockstep_finding::{Finding, Kind};

use crate::condition;
use crate::explore::ledger::same;
use crate::explore::trial::Trial;
use crate::shrink::Shrinker;
use crate::space::Space;
use crate::space::candidate::{Candidate, Contents, Gene};
use crate::space::dimensions::asked;
use crate::space::thread_counts;

/// Threads along an axis that no usual launch has.
const MANY: i64 = 4096;
/// Arguments that an access outside of an array may go away with.
const ARGUMENTS: [i64; 12] = [0, 1, 2, 3, 4, 8, 16, 32, 64, 128, 256, 1024];
/// Contents of arrays with which it would have to show as well.
const CONTENTS: [Contents; 4] = [Contents::Zeros, Contents::Ones, Contents::Iota, Contents::Random];
const AXES: [char; 3] = ['x', 'y', 'z'];

impl Space<'_> {
    /// Integers that may vary.
    pub(crate) fn integers(&self) -> Vec<usize> {
        let varies = |&i: &usize| self.slots[i].ty.is_int() && !self.related.gives_slot(i);
        (0..self.slots.len()).filter(varies).collect()
    }

    /// Along which axes there are several threads, and blocks, though nobody asks for them or gives them.
    fn idle(&self, c: &Candidate) -> [[bool; 3]; 2] {
        let [block, grid] = asked(self.kernel, &self.hints);
        // Who asks for nothing at all does not say that there is one thread.
        let asks = block.contains(&true) || grid.contains(&true);
        let free = self.chosen_block();
        [
            std::array::from_fn(|a| asks && free[a] && !block[a] && c.block[a] > 1),
            std::array::from_fn(|a| asks && self.given.grid.is_none() && !grid[a] && c.grid[a] > 1),
        ]
    }
}

impl Shrinker<'_, '_> {
    /// One thread, or one block, along each axis that nobody asks for.
    pub(super) fn idle_axes(&mut self, trial: &Trial) -> Option<String> {
        let space = self.driver.lab.space;
        let c = &trial.candidate;
        let [block, grid] = space.idle(c);
        let mut one = c.clone();
        let mut named = Vec::new();
        for a in 0..3 {
            if block[a] {
                one.block[a] = 1;
                named.push(format!("blockDim.{} > 1", AXES[a]));
            }
            if grid[a] {
                one.grid[a] = 1;
                named.push(format!("gridDim.{} > 1", AXES[a]));
            }
        }
        (!named.is_empty() && self.is_clean_there(&one)).then(|| named.join(" || "))
    }

    /// More threads than there are in usual launches: as many as a constant of the kernel says, where that is why.
    pub(super) fn many_threads(&mut self, trial: &Trial) -> Option<String> {
        let space = self.driver.lab.space;
        let c = &trial.candidate;
        let axis = (0..3).max_by_key(|&a| c.along(a))?;
        if c.along(axis) <= MANY || !space.free_grid()[axis] {
            return None;
        }
        let with = |n: u32| {
            let mut other = c.clone();
            other.grid[axis] = n;
            other
        };
        let usual = space.plain().grid[axis];
        if !self.is_clean_there(&with(usual)) {
            return None;
        }
        // The fewest blocks that show it, if it shows for all larger grids.
        let (mut clean, mut shows) = (usual, c.grid[axis]);
        while shows - clean > 1 {
            let middle = clean + (shows - clean) / 2;
            match self.shows(&with(middle)) {
                true => shows = middle,
                false => clean = middle,
            }
        }
        let threads = |n: u32| u64::from(n) * u64::from(c.block[axis]);
        let points = thread_counts::points(space.kernel);
        let point = points.into_iter().find(|&n| n >= threads(clean) && n < threads(shows));
        let all = format!("gridDim.{0} * blockDim.{0}", AXES[axis]);
        Some(match point {
            Some(n) => format!("{all} > {n}"),
            None => format!("{all} >= {}", threads(shows)),
        })
    }

    /// Fewer threads, or blocks, with which every access is inside.
    pub(super) fn outside_by_dimensions(&mut self, trial: &Trial) -> Option<String> {
        let space = self.driver.lab.space;
        let c = &trial.candidate;
        if !space.is_of_fixed_shared(same(trial, self.key)?) {
            return None;
        }
        let (blocks, free) = (space.chosen_block(), space.free_grid());
        for a in (0..3).filter(|&a| blocks[a]) {
            let mut smaller = c.clone();
            while smaller.block[a] > 1 {
                smaller.block[a] = smaller.block[a].next_power_of_two() / 2;
                if self.is_inside(&smaller) {
                    return Some(condition::block(c, smaller.block));
                }
            }
        }
        let axis = (0..3).filter(|&a| free[a] && c.grid[a] > 1).find(|&a| {
            let mut one = c.clone();
            one.grid[a] = 1;
            self.is_inside(&one)
        })?;
        Some(format!("gridDim.{} > 1", AXES[axis]))
    }

    /// Other arguments.
    pub(super) fn outside_by_arguments(&mut self, trial: &Trial) -> Option<String> {
        let space = self.driver.lab.space;
        let c = &trial.candidate;
        if !space.is_of_fixed_shared(same(trial, self.key)?) {
            return None;
        }
        let slots = space.integers();
        for (i, v) in slots.into_iter().flat_map(|i| ARGUMENTS.map(|v| (i, v))) {
            if space.clamp(i, v) == v && c.int(i) != v && self.is_inside(&condition::with(c, i, v))
            {
                return Some(condition::below(self, c, i, v));
            }
        }
        None
    }

    /// Whether a launch comes to the place of the bug, and has it not.
    fn is_inside(&mut self, candidate: &Candidate) -> bool {
        let possible = self.driver.lab.space.is_possible(candidate);
        let trial = possible.then(|| self.other(candidate)).flatten();
        trial.is_some_and(|t| same(&t, self.key).is_none() && self.reaches(&t))
    }

    /// Why an access outside of a shared array may rest on several arguments, on floats or on contents of ours: with others
    /// it is not seen.
    pub(crate) fn rests_on_contents(
        &mut self,
        finding: &Finding,
        candidate: &Candidate,
    ) -> Option<String> {
        let space = self.driver.lab.space;
        if finding.kind != Kind::OutOfBounds || !space.is_of_fixed_shared(finding) {
            return None;
        }
        let chosen = |name: &str| Some(format!("the value of '{name}' was chosen by Lockstep"));
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
            return Some("the arguments were chosen by Lockstep".into());
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
