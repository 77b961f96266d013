//! Some blocks of a launch that is too large to be executed.
//!
//! Where the host launches thousands of blocks, one launch may take all the time there is, and then nothing is known of any
//! block. So before it, some of the blocks are executed alone: the first and the last of the grid and of its rows, and some
//! in between. Only where the whole launch then does not come to its end, and no other did, the sample counts, and it is
//! said that it is one. What is found in it is real (`lockstep_simulate`, `Config::only`). What it can miss: what only other
//! blocks do. Of what blocks do to each other, the absence of findings says nothing, which stays unknown.

use std::sync::Arc;
use std::time::Instant;

use lockstep_finding::KINDS;
use lockstep_kernel::{Barrier, Op};

use crate::explore::driver::Driver;
use crate::space::launch::Sizes;

/// Launches of fewer blocks are executed whole.
const MANY: u64 = 512;
/// Blocks that are taken at each end, and of those in between: fewer where they take too long.
const AT_ENDS: [u64; 2] = [12, 1];
/// The part of the steps that each of these may take, and of the time, which ends them only on a busy machine.
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
        let time = deadline.map(|d| d.saturating_duration_since(Instant::now()) / PART_OF_TIME);
        // It takes longer, and a few blocks are not enough.
        let barrier_needs = std::mem::take(&mut self.lab.config.barrier_needs);
        let steps = self.settings.config.max_steps / u64::from(PART);
        // To make the arrays takes its time as well, once.
        let launch = self.space().launch(&plain, &Sizes::default(), self.settings.seed);
        let _ = self.lab.shelf.bind(self.space().kernel, &launch);
        for at_ends in AT_ENDS {
            let only = chosen(plain.grid, at_ends);
            let count = only.len() as u64;
            self.lab.config.deadline = time.map(|t| Instant::now() + t);
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

    /// Makes the sample the launch that counts, where the budget was not enough for any whole one.
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

/// The blocks of a sample, by number, in their order.
fn chosen(grid: [u32; 3], at_ends: u64) -> Arc<[u32]> {
    let [x, y, z] = grid.map(u64::from);
    let all = x * y * z;
    let mut blocks: Vec<u64> = Vec::new();
    // Around where the first row and the first layer begin and end, and the last ones.
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
