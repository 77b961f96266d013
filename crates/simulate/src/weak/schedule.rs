//! Who runs when: the order of blocks and warps, and when they are interrupted, as the seed decides.
//!
//! One seed in six or so leaves everything in the order in which the machine runs it by itself.

use std::collections::BTreeMap;

use crate::weak::random::Random;

/// Chances that a warp, and a block, is interrupted, and how often in a launch.
const INTERRUPT_WARP: f64 = 1.0 / 16.0;
const INTERRUPT_BLOCK: f64 = 1.0 / 4.0;
/// Chances that all others may run before an atomic or volatile access: one of these in each launch, since short kernels
/// have few of them. Before a fence the chance is twice as large.
const INTERRUPT_ACCESS: [f64; 3] = [1.0 / 2.0, 1.0 / 4.0, 1.0 / 16.0];
/// The chance that another block begins while some could go on.
const BEGIN_BLOCK: f64 = 1.0 / 2.0;
const MOST_INTERRUPTIONS: u32 = 1 << 14;

pub(crate) struct Schedule {
    random: Random,
    /// Whether blocks and warps run in another order than that of their numbers.
    reorders_threads: bool,
    /// The chance of an interruption before an access by which threads communicate.
    access: f64,
    interruptions: u32,
    /// The block that runs lets others run next.
    passes: bool,
    /// Blocks that do not run for so many turns, or until nothing else can run.
    delayed: BTreeMap<u32, u32>,
}

impl Schedule {
    pub(crate) fn new(seed: u64) -> Schedule {
        let mut random = Random::new(!seed);
        let reorders_threads = random.chance(5.0 / 6.0);
        let access = INTERRUPT_ACCESS[random.below(INTERRUPT_ACCESS.len())];
        Schedule {
            random,
            reorders_threads,
            access,
            interruptions: 0,
            passes: false,
            delayed: BTreeMap::new(),
        }
    }

    /// The order in which blocks, or warps, begin.
    pub(crate) fn order(&mut self, count: usize) -> Option<Vec<u32>> {
        let mut order: Vec<u32> = (0..count as u32).collect();
        self.random.shuffle(&mut order);
        self.reorders_threads.then_some(order)
    }

    /// Whether a warp that could go on lets others run first.
    pub(crate) fn interrupts_warp(&mut self) -> bool {
        self.interrupts(INTERRUPT_WARP)
    }

    /// The same before a fence, or else before an access by which threads communicate: then others run while stores still
    /// wait, or after loads that come later could be early.
    pub(crate) fn interrupts_before(&mut self, is_fence: bool) -> bool {
        let does =
            self.interrupts(if is_fence { (2.0 * self.access).min(0.5) } else { self.access });
        self.passes |= does;
        does
    }

    /// Whether a block that could go on lets others run first. Before a fence or an access by which threads communicate, they
    /// may run for long.
    pub(crate) fn interrupts_block(&mut self, block: u32) -> bool {
        if !std::mem::take(&mut self.passes) {
            return self.interrupts(INTERRUPT_BLOCK);
        }
        let turns = match self.random.chance(0.5) {
            true => u32::MAX,
            false => self.random.below(8) as u32,
        };
        self.delayed.insert(block, turns);
        true
    }

    /// Whether a block does not run in its turn.
    pub(crate) fn is_delayed(&mut self, block: u32) -> bool {
        let Some(turns) = self.delayed.get_mut(&block) else { return false };
        *turns = turns.saturating_sub(u32::from(*turns != u32::MAX));
        let is_over = *turns == 0;
        if is_over {
            self.delayed.remove(&block);
        }
        !is_over
    }

    /// Nothing else can run: whether there were blocks that run now.
    pub(crate) fn end_delays(&mut self) -> bool {
        !std::mem::take(&mut self.delayed).is_empty()
    }

    /// Whether another block begins while some could go on.
    pub(crate) fn begins_block(&mut self) -> bool {
        self.interrupts(BEGIN_BLOCK)
    }

    fn interrupts(&mut self, chance: f64) -> bool {
        let does = self.reorders_threads
            && self.interruptions < MOST_INTERRUPTIONS
            && self.random.chance(chance);
        self.interruptions += u32::from(does);
        does
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn such(reorders_threads: bool) -> Schedule {
        let mut all = (0..).map(Schedule::new);
        all.find(|schedule| schedule.reorders_threads == reorders_threads).expect("some are")
    }

    #[test]
    fn some_seeds_change_nothing() {
        let mut in_order = such(false);
        assert_eq!(in_order.order(8), None);
        assert!(!(0..100).any(|_| in_order.interrupts_before(true)));
        let mut other = such(true);
        let mut order = other.order(8).expect("another order");
        assert!((0..100).any(|_| other.interrupts_before(true)));
        order.sort();
        assert_eq!(order, (0..8).collect::<Vec<u32>>());
    }

    #[test]
    fn a_block_that_others_overtake_runs_in_the_end() {
        let mut schedule = such(true);
        while !schedule.interrupts_before(true) {}
        assert!(schedule.interrupts_block(3));
        assert!(!schedule.is_delayed(2));
        while schedule.is_delayed(3) && !schedule.end_delays() {}
        assert!(!schedule.is_delayed(3) && !schedule.end_delays());
    }
}
