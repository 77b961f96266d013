//! Faults in a launch, as detected by the machine.

use lockstep_kernel::{LocId, SiteId};

/// The thread that freed a heap allocation, and where.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Freed {
    pub block: u32,
    pub thread: u32,
    pub loc: LocId,
}

/// Threads are linear indices in their block, masks are of the lanes of a warp.
pub(crate) enum Fault<'a> {
    /// An access outside of its object, or through a pointer to no object. It is not executed.
    OutOfBounds {
        site: SiteId,
        thread: u32,
        address: u64,
        size: u64,
        /// The size of the object that the address names; 0 if there is none.
        object_size: u64,
        /// Set if the object is a heap allocation that was freed.
        freed: Option<Freed>,
    },
    /// An access at an address without the required alignment. It is executed.
    Misaligned { site: SiteId, thread: u32, address: u64, size: u64, align: u64 },
    /// A heap allocation is freed twice.
    FreedTwice { now: Freed, before: Freed },
    /// `free` of a pointer that did not come from `malloc`.
    NotAllocated { now: Freed },
    /// The thread ends here.
    Assertion { loc: LocId, thread: u32, message: &'a str },
    /// A `__syncwarp` whose mask does not contain the thread that executes it.
    NotInMask { site: SiteId, thread: u32, mask: u32 },
    /// A warp operation waits for a lane that waits elsewhere, if that is known.
    LaneElsewhere { loc: LocId, thread: u32, mask: u32, absent: u32, elsewhere: Option<LocId> },
    /// A warp operation names a lane that returned, and that was executing other code while the others waited for it.
    LaneReturned { loc: LocId, thread: u32, mask: u32, absent: u32 },
    /// Two threads of a block wait at different barriers.
    DifferentBarriers { first: (LocId, u32), second: (LocId, u32) },
    /// A barrier for `needed` threads that only `here` threads reach.
    TooFewThreads { loc: LocId, thread: u32, barrier: u32, needed: u32, here: u32 },
    /// The wait of a split barrier that never opens.
    NeverOpens { loc: LocId, thread: u32, barrier: u32 },
    /// A barrier of the block, while another thread has returned after a branch.
    Returned { site: SiteId, thread: u32, returned: u32, branch: LocId },
    /// A bulk copy accesses what a thread has stored, without a proxy fence in between: sites and threads of both.
    NoProxyFence { stored: (SiteId, u32), copied: (SiteId, u32) },
    /// A bulk copy that still reads shared memory when the block ends.
    CopyUnderWay { site: SiteId, thread: u32 },
    /// A group copy that only some threads of the block execute.
    PartialGroupCopy { site: SiteId, executed: u32, threads: u32 },
}

/// No block can continue.
pub(crate) struct Deadlock {
    /// Block, source location and thread of one that waits, and of one that waits elsewhere.
    pub first: (u32, LocId, u32),
    pub other: Option<(u32, LocId, u32)>,
    /// Whether some block waits at a grid barrier.
    pub at_grid_barrier: bool,
}
