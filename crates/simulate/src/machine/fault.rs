//! What goes wrong in a launch, as the machine sees it.

use lockstep_kernel::{LocId, SiteId};

/// The thread that freed a block of the heap, and where.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Freed {
    pub block: u32,
    pub thread: u32,
    pub loc: LocId,
}

/// Threads are numbers in their block, masks are of the lanes of a warp.
pub(crate) enum Fault<'a> {
    /// An access outside of its object, or through a pointer to no object. It is not made.
    OutOfBounds {
        site: SiteId,
        thread: u32,
        address: u64,
        size: u64,
        /// The size of the object that the address names; 0 where there is none.
        object_size: u64,
        /// The object is a block of the heap that was freed.
        freed: Option<Freed>,
    },
    /// An access at an address that is not a multiple of the alignment it needs. It is made.
    Misaligned { site: SiteId, thread: u32, address: u64, size: u64, align: u64 },
    /// A block of the heap is freed again.
    FreedTwice { now: Freed, before: Freed },
    /// `free` of what `malloc` did not give.
    NotAllocated { now: Freed },
    /// The thread ends here.
    Assertion { loc: LocId, thread: u32, message: &'a str },
    /// A `__syncwarp` whose mask lacks the thread that executes it.
    NotInMask { site: SiteId, thread: u32, mask: u32 },
    /// A warp operation waits for a lane that waits elsewhere, if that is known.
    LaneElsewhere { loc: LocId, thread: u32, mask: u32, absent: u32, elsewhere: Option<LocId> },
    /// A warp operation names a lane that returned, and that was active while the others waited for it.
    LaneReturned { loc: LocId, thread: u32, mask: u32, absent: u32 },
    /// Two threads of a block wait at different barriers.
    DifferentBarriers { first: (LocId, u32), second: (LocId, u32) },
    /// A barrier of `needed` threads that only `here` come to.
    TooFewThreads { loc: LocId, thread: u32, barrier: u32, needed: u32, here: u32 },
    /// The second half of a split barrier, which does not open.
    NeverOpens { loc: LocId, thread: u32, barrier: u32 },
    /// A barrier of the block, where another thread has returned after a branch.
    Returned { site: SiteId, thread: u32, returned: u32, branch: LocId },
    /// A group copy that only some threads of the block execute.
    PartialGroupCopy { site: SiteId, executed: u32, threads: u32 },
}

/// No block can go on.
pub(crate) struct Deadlock {
    /// Block, place and thread of one that waits, and of one that waits elsewhere.
    pub first: (u32, LocId, u32),
    pub other: Option<(u32, LocId, u32)>,
    /// Some block waits at a barrier of the grid.
    pub at_grid_barrier: bool,
}
