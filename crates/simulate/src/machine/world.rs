//! What all blocks of a run have in common: its observer, its budget, the heap, what was executed.

use std::time::Instant;

use lockstep_cancel::Cancel;

use crate::code::program::Program;
use crate::launch::request::Config;
use crate::machine::claims::Claims;
use crate::machine::heap::Heap;
use crate::machine::observe::Observer;

/// State that a run lends to the block that has its turn.
pub(crate) struct World<'w, O> {
    pub observer: &'w mut O,
    /// Where other blocks run at the same time.
    pub claims: Option<&'w Claims>,
    /// An access was not made, because another block has claimed its memory: the run stops.
    pub conflict: bool,
    pub steps: u64,
    pub lane_steps: u64,
    /// Warp steps after which to ask [`World::look`] whether to go on.
    pub limit: u64,
    pub budget: Budget<'w>,
    /// Counts stores that changed something, barriers that opened, threads that returned.
    pub changes: u64,
    pub heap: &'w mut Heap,
    pub executed: &'w mut Executed,
}

/// What was executed.
pub(crate) struct Executed {
    /// By site.
    pub sites: Vec<bool>,
    /// For each block of the code, the ways of its branch that were taken.
    pub branches: Vec<[bool; 2]>,
}

impl Executed {
    pub(crate) fn new(program: &Program) -> Executed {
        Executed {
            sites: vec![false; program.kernel.sites.len()],
            branches: vec![[false; 2]; program.code.blocks.len()],
        }
    }
}

impl<'w, O: Observer> World<'w, O> {
    pub(crate) fn new(
        observer: &'w mut O,
        budget: Budget<'w>,
        heap: &'w mut Heap,
        executed: &'w mut Executed,
    ) -> World<'w, O> {
        World {
            observer,
            claims: None,
            conflict: false,
            steps: 0,
            lane_steps: 0,
            limit: budget.first_limit(),
            budget,
            changes: 0,
            heap,
            executed,
        }
    }

    /// Whether the run can stop: its result will not be used.
    #[inline(always)]
    pub(crate) fn is_over(&self) -> bool {
        self.conflict || self.observer.is_done()
    }

    /// An access is not made: the run stops as soon as it can.
    #[cold]
    pub(crate) fn stop_at_conflict(&mut self) {
        self.conflict = true;
        self.limit = 0;
    }
}

/// How long a run may take.
#[derive(Clone, Copy)]
pub(crate) struct Budget<'a> {
    /// Warp steps after which to give up.
    pub steps: u64,
    pub deadline: Option<Instant>,
    pub cancel: &'a Cancel,
}

/// Warp steps between two looks at the time.
const LOOK: u64 = 1 << 13;

impl<'a> Budget<'a> {
    pub(crate) fn of(config: &'a Config) -> Budget<'a> {
        Budget { steps: config.max_steps, deadline: config.deadline, cancel: &config.cancel }
    }

    /// Warp steps before the first look.
    pub(crate) fn first_limit(&self) -> u64 {
        let looks = self.deadline.is_some() || self.cancel.can_be_cancelled();
        if looks { self.steps.min(LOOK) } else { self.steps }
    }

    pub(crate) fn is_late(&self) -> bool {
        self.cancel.is_cancelled() || self.deadline.is_some_and(|d| Instant::now() >= d)
    }
}

impl<O: Observer> World<'_, O> {
    /// Past the limit: is that the end?
    #[cold]
    pub(crate) fn look(&mut self) -> Result<(), Stop> {
        if self.conflict {
            return Err(Stop::Dirty);
        }
        if self.steps > self.budget.steps {
            return Err(Stop::Limit);
        }
        if self.budget.is_late() {
            return Err(Stop::Late);
        }
        self.limit = self.budget.steps.min(self.steps + LOOK);
        Ok(())
    }
}

/// Why a run cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// Past the step budget.
    Limit,
    /// Past the deadline, or cancelled.
    Late,
    /// A probe saw something: run again in full.
    Dirty,
    /// A barrier that threads do not reach together: reported.
    Diverged,
    Unsupported(u32),
    /// More device heap than is modelled.
    Heap,
    /// A texture or image that is no array of the launch's.
    Handle,
    /// A texel outside of the shape that images are taken to have.
    Shape,
    /// Only some blocks are executed, and one waits for another.
    Alone,
    /// The launch is not one the kernel is for.
    Requires(String),
}
