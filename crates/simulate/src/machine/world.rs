//! The state shared by all blocks of a run: its observer, its budget, the heap, and what was executed.

use lockstep_cancel::{Cancel, Moment};

use crate::code::program::Program;
use crate::launch::request::Config;
use crate::machine::claims::{Claims, Undo};
use crate::machine::heap::Heap;
use crate::machine::memory::HostBytes;
use crate::machine::observe::Observer;
use crate::weak::WeakMemory;

/// State that a run lends to the block whose turn it is.
pub(crate) struct World<'w, O> {
    pub observer: &'w mut O,
    /// Set if other blocks run at the same time.
    pub claims: Option<&'w Claims>,
    /// What the run has changed in memory that outlives it.
    pub undo: Undo,
    /// An access was not executed, because another block has claimed its memory: the run stops.
    pub conflict: bool,
    pub steps: u64,
    pub lane_steps: u64,
    /// Warp steps after which to call [`World::look`].
    pub limit: u64,
    pub budget: Budget<'w>,
    /// Counts stores that changed something, barriers that opened, threads that returned.
    pub changes: u64,
    pub heap: &'w mut Heap,
    pub executed: &'w mut Executed,
    /// Store buffers, if the launch is executed with them ([`Observer::WEAK`]).
    pub weak: Option<Box<WeakMemory<HostBytes>>>,
}

/// What was executed.
pub(crate) struct Executed {
    /// By site.
    pub sites: Vec<bool>,
    /// For each basic block, the edges of its branch that were taken.
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
            undo: Undo::default(),
            conflict: false,
            steps: 0,
            lane_steps: 0,
            limit: budget.first_limit(),
            budget,
            changes: 0,
            heap,
            executed,
            weak: None,
        }
    }

    /// Whether the run can stop: its result will not be used.
    #[inline(always)]
    pub(crate) fn is_over(&self) -> bool {
        self.conflict || self.observer.is_done()
    }

    /// An access is not executed: the run stops as soon as possible.
    #[cold]
    pub(crate) fn stop_at_conflict(&mut self) {
        self.conflict = true;
        self.limit = 0;
    }
}

/// The limits of a run.
#[derive(Clone, Copy)]
pub(crate) struct Budget<'a> {
    /// Warp steps after which to give up.
    pub steps: u64,
    pub deadline: Option<Moment>,
    pub cancel: &'a Cancel,
}

/// Warp steps between two checks of the time.
const LOOK: u64 = 1 << 13;

impl<'a> Budget<'a> {
    pub(crate) fn of(config: &'a Config) -> Budget<'a> {
        Budget { steps: config.max_steps, deadline: config.deadline, cancel: &config.cancel }
    }

    /// Warp steps before the first check.
    pub(crate) fn first_limit(&self) -> u64 {
        let looks = self.deadline.is_some() || self.cancel.can_be_cancelled();
        if looks { self.steps.min(LOOK) } else { self.steps }
    }

    pub(crate) fn is_late(&self) -> bool {
        self.cancel.is_cancelled() || self.deadline.is_some_and(Moment::is_past)
    }
}

impl<O: Observer> World<'_, O> {
    /// The step limit is reached: checks whether the run has to end.
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
    /// A probe detected something: run again with full checks.
    Dirty,
    /// Threads do not reach a barrier together: reported.
    Diverged,
    Unsupported(u32),
    /// The kernel needs more device heap than is modelled.
    Heap,
    /// A texture or image that is not an array of the launch.
    Handle,
    /// A texel outside of the shape that images are assumed to have.
    Shape,
    /// Only some blocks are executed, and one waits for another.
    Alone,
    /// The launch violates a precondition of the kernel.
    Requires(String),
}
