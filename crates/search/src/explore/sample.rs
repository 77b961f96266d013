//! A sample of the blocks of a launch that is too large to be executed.
//!
//! Where the host launches thousands of blocks, one launch may take the whole budget, and then nothing is known about
//! any block. So some of the blocks are executed alone before: the first and the last of the grid and of its rows, and
//! some in between. The sample counts only if the whole launch does not complete, and no other did, and it is reported
//! as a sample. Its findings are real (`lockstep_simulate`, `Config::only`). What it can miss: bugs in other blocks.
//! Between blocks, the absence of findings proves nothing, so that stays unknown.
//!
//! Whether a condition explains a race is asked of samples, too, where launches that satisfy it are too large.

use lockstep_cancel::Moment;
use std::rc::Rc;
use std::sync::Arc;

use lockstep_finding::KINDS;
use lockstep_kernel::{Barrier, Op};

use crate::explore::driver::Driver;
use crate::explore::trial::Trial;
use crate::space::candidate::Candidate;
use crate::space::launch::Sizes;

/// Launches with fewer blocks are executed completely.
const MANY: u64 = 512;
/// Numbers of blocks to take at each end, and in between: fewer if they take too long.
const AT_ENDS: [u64; 2] = [12, 1];
/// Each of these may take this fraction of the steps, and of the time, which only matters on a busy machine.
const PART: u32 = 8;
const PART_OF_TIME: u32 = 3;

impl Driver<'_> {
    /// Executes some blocks of the first launch, if it has very many.
    pub(crate) fn take_sample(&mut self) {
        let plain = self.space().plain();
        let blocks: u64 = plain.grid.iter().map(|&d| u64::from(d)).product();
        let is_of_grid =
            |i: &lockstep_kernel::Inst| matches!(i.op, Op::Barrier { barrier: Barrier::Grid, .. });
        if !(MANY..=u64::from(u32::MAX)).contains(&blocks)
            || self.space().kernel.insts().any(is_of_grid)
        {
            return;
        }
        let deadline = self.lab.config.deadline;
        let time = deadline.map(|d| d.saturating_duration_since(Moment::now()) / PART_OF_TIME);
        // Disabled for the sample: it takes longer, and a few blocks are not enough.
        let barrier_needs = std::mem::take(&mut self.lab.config.barrier_needs);
        let steps = self.settings.config.max_steps / u64::from(PART);
        // Creating the arrays takes time as well, once.
        let launch = self.space().launch(&plain, &Sizes::default(), self.settings.seed);
        let _ = self.lab.shelf.bind(self.space().kernel, &launch);
        for at_ends in AT_ENDS {
            let only = chosen(plain.grid, at_ends);
            let count = only.len() as u64;
            self.lab.config.deadline = time.map(|t| Moment::now() + t);
            *self.lab.only.borrow_mut() = Some(only);
            let trial = self.lab.try_out(&plain, steps, false).ok().flatten();
            if let (Some(log), Some(trial)) = (self.settings.log, &trial) {
                let end = trial.outcome.incomplete.as_ref();
                let end = end.map_or("all ended".into(), ToString::to_string);
                log(&format!("{count} of {blocks} blocks alone: {end}"));
            }
            if let Some(trial) = trial.filter(|t| t.outcome.incomplete.is_none()) {
                self.sample = Some((trial, count));
                break;
            }
        }
        *self.lab.only.borrow_mut() = None;
        self.lab.config.deadline = deadline;
        self.lab.config.barrier_needs = barrier_needs;
    }

    /// Uses the sample as the result, if the budget did not suffice for any whole launch.
    pub(crate) fn fall_back(&mut self) {
        let Some((trial, count)) = self.sample.take() else { return };
        if self.done.iter().any(|d| d.complete && !d.odd) {
            return;
        }
        let Some(because) = self.broken.take_if(|b| b.is_budget()) else { return };
        let between_blocks = KINDS.iter().filter(|row| row.between_blocks);
        self.doubts.extend(between_blocks.map(|row| (row.kind, because.clone())));
        let all = trial.launch.grid.iter().map(|&d| u64::from(d)).product();
        self.sampled = Some((count, all));
        self.record(trial, false);
    }
}

impl Driver<'_> {
    /// Executes some blocks of a launch that takes too long: the given ones and others around them.
    pub(crate) fn some_blocks(&mut self, c: &Candidate, near: &[[u32; 3]]) -> Option<Rc<Trial>> {
        let candidate = self.space().agreeing(c);
        let only = some_of(candidate.grid, near)?;
        let is_of_grid =
            |i: &lockstep_kernel::Inst| matches!(i.op, Op::Barrier { barrier: Barrier::Grid, .. });
        if self.is_over() || self.space().kernel.insts().any(is_of_grid) {
            return None;
        }
        let barrier_needs = std::mem::take(&mut self.lab.config.barrier_needs);
        *self.lab.only.borrow_mut() = Some(only);
        let trial = self.lab.try_out(&candidate, self.steps_of_one(), true).ok().flatten();
        *self.lab.only.borrow_mut() = None;
        self.lab.config.barrier_needs = barrier_needs;
        let trial = trial?;
        self.steps_left = self.steps_left.saturating_sub(trial.outcome.stats.warp_steps);
        Some(Rc::new(trial))
    }
}

/// Some blocks near given ones, and at the ends of the grid; `None` where these are most of all blocks.
pub(crate) fn some_of(grid: [u32; 3], near: &[[u32; 3]]) -> Option<Arc<[u32]>> {
    let [x, y, z] = grid.map(u64::from);
    let all = x * y * z;
    if all > u64::from(u32::MAX) {
        return None;
    }
    let mut blocks = chosen(grid, 2).to_vec();
    for b in near {
        let [bx, by, bz] = b.map(u64::from);
        let number = (bz * y + by) * x + bx;
        blocks.extend((number.saturating_sub(1)..(number + 3).min(all)).map(|n| n as u32));
    }
    blocks.sort_unstable();
    blocks.dedup();
    (4 * blocks.len() as u64 <= all).then(|| blocks.into())
}

/// The blocks of a sample, by number, in their order.
fn chosen(grid: [u32; 3], at_ends: u64) -> Arc<[u32]> {
    let [x, y, z] = grid.map(u64::from);
    let all = x * y * z;
    let mut blocks: Vec<u64> = Vec::new();
    // Around the start and end of the first row and the first layer, and of the last ones.
    for border in [0, x, x * y, all - x * y, all - x, all] {
        let from = border.saturating_sub(at_ends);
        blocks.extend(from..border.saturating_add(at_ends).min(all));
    }
    blocks.extend((1..at_ends).map(|i| all / at_ends * i));
    blocks.sort_unstable();
    blocks.dedup();
    blocks.into_iter().filter(|&b| b < all).map(|b| b as u32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_have_the_borders() {
        let line = chosen([1000, 1, 1], 12);
        assert!(line.len() < 64 && line.is_sorted(), "{line:?}");
        assert!([0, 11, 996, 999].iter().all(|b| line.contains(b)), "{line:?}");
        let plane = chosen([64, 64, 1], 12);
        // The corners, and the neighbours below.
        assert!([0, 63, 64, 4032, 4031, 4095].iter().all(|b| plane.contains(b)), "{plane:?}");
        let all = chosen([2, 2, 1], 12);
        assert_eq!(all[..], [0, 1, 2, 3]);
        assert_eq!(chosen([1000, 1, 1], 1)[..], [0, 999]);
        assert_eq!(chosen([10, 10, 1], 1)[..], [0, 9, 10, 89, 90, 99]);
    }
}
