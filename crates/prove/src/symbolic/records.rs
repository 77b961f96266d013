//! What is recorded of the generic thread: its accesses, and the other operations that a question may be about.

use lockstep_kernel::{Barrier, BlockId, LocId, Operand, Scope, SiteId, Ty};

use crate::term::T;

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Mode {
    Read,
    Write,
    /// Reads and perhaps writes, as one; `writes` is false for an atomic load.
    Atomic {
        scope: Scope,
        writes: bool,
    },
}

impl Mode {
    pub(crate) fn writes(self) -> bool {
        match self {
            Mode::Read => false,
            Mode::Write => true,
            Mode::Atomic { writes, .. } => writes,
        }
    }
}

/// One access of the generic thread, for one iteration of the loops around it.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    pub(crate) site: SiteId,
    pub(crate) mode: Mode,
    pub(crate) block: BlockId,
    /// Position of the operation in its block.
    pub(crate) at: usize,
    pub(crate) addr: T,
    /// Bytes, where they are known.
    pub(crate) size: u64,
    /// Bytes as a 64-bit term, for copies of variable length.
    pub(crate) length: Option<T>,
    /// What a store stores, one term an element.
    pub(crate) values: Vec<T>,
    /// Made by a group copy, for the whole block and by no thread of it ([`crate::order::group_copies`]).
    pub(crate) group: bool,
    /// What else holds of the access: which elements a copy has.
    pub(crate) within: Option<T>,
}

/// A barrier the thread comes to.
#[derive(Clone, Debug)]
pub(crate) struct BarrierAt {
    pub(crate) site: SiteId,
    pub(crate) block: BlockId,
    pub(crate) at: usize,
    pub(crate) barrier: Barrier,
    /// Not a barrier but a group copy, which all threads must come to as well.
    pub(crate) copies: bool,
}

/// An operation that names lanes of its warp which must take part.
#[derive(Clone, Debug)]
pub(crate) struct WarpOp {
    pub(crate) block: BlockId,
    pub(crate) loc: LocId,
    pub(crate) mask: T,
}

/// Whether there is a thread of the block for which something holds, as all of them learn at a barrier.
#[derive(Clone, Debug)]
pub(crate) struct Vote {
    pub(crate) block: BlockId,
    /// What each thread gives.
    pub(crate) given: T,
    /// Not zero if there is one.
    pub(crate) result: T,
}

/// A store that the thread has made and nothing has disturbed since.
#[derive(Clone, PartialEq)]
pub(crate) struct Recent {
    pub(crate) addr: T,
    pub(crate) ty: Ty,
    pub(crate) values: Vec<T>,
}

/// One operation that draws.
#[derive(Clone, Debug)]
pub(crate) struct Ticket {
    /// Where it stands: block, and position in it.
    pub(crate) at: (BlockId, usize),
    pub(crate) addr: T,
    /// The number drawn, an application to the iterations.
    pub(crate) result: T,
    /// How many numbers it takes.
    pub(crate) step: T,
    /// Counts downwards.
    pub(crate) down: bool,
    /// Begins again behind this number ([`crate::order::last_block`]).
    pub(crate) limit: Option<T>,
    /// It is known that less than nothing is never taken.
    pub(crate) forwards: bool,
}

/// An assertion the thread comes to.
#[derive(Clone, Debug)]
pub(crate) struct AssertAt {
    pub(crate) block: BlockId,
    pub(crate) loc: LocId,
    pub(crate) cond: T,
    pub(crate) message: String,
}

/// Whether all threads of a block wait for each other at the barrier, whatever its number; those of all blocks, perhaps.
pub(crate) fn is_block_barrier(b: &Barrier) -> bool {
    matches!(b, Barrier::Block { id: Operand::Imm(_), threads: None, .. } | Barrier::Grid)
}
