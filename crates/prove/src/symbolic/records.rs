//! The recorded operations of the generic thread: its accesses, and other operations that a query may be about.

use lockstep_kernel::{Barrier, BlockId, LocId, Operand, Scope, SiteId, Ty};

use crate::term::T;

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Mode {
    Read,
    Write,
    /// Reads and perhaps writes, atomically; `writes` is false for an atomic load.
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
    /// Size in bytes, where it is known.
    pub(crate) size: u64,
    /// Size in bytes as a 64-bit term, for copies of variable length.
    pub(crate) length: Option<T>,
    /// The stored values, one term for each element.
    pub(crate) values: Vec<T>,
    /// Made by a group copy, for the whole block and by no particular thread ([`crate::order::group_copies`]).
    pub(crate) group: bool,
    /// A further condition of the access: which elements a copy has.
    pub(crate) within: Option<T>,
}

/// A barrier that the thread reaches.
#[derive(Clone, Debug)]
pub(crate) struct BarrierAt {
    pub(crate) site: SiteId,
    pub(crate) block: BlockId,
    pub(crate) at: usize,
    pub(crate) barrier: Barrier,
    /// Not a barrier but a group copy, which all threads must reach as well.
    pub(crate) copies: bool,
}

/// An operation that names lanes of its warp, all of which must take part.
#[derive(Clone, Debug)]
pub(crate) struct WarpOp {
    pub(crate) block: BlockId,
    pub(crate) loc: LocId,
    pub(crate) mask: T,
}

/// A vote at a barrier: all threads of the block learn whether a condition holds for any of them.
#[derive(Clone, Debug)]
pub(crate) struct Vote {
    pub(crate) block: BlockId,
    /// The condition that each thread contributes.
    pub(crate) given: T,
    /// Not zero if the condition holds for any thread.
    pub(crate) result: T,
}

/// A store of the thread that no later store may have overwritten.
#[derive(Clone, PartialEq)]
pub(crate) struct Recent {
    pub(crate) addr: T,
    pub(crate) ty: Ty,
    pub(crate) values: Vec<T>,
}

/// One operation that draws numbers from a counter.
#[derive(Clone, Debug)]
pub(crate) struct Ticket {
    /// Its position: basic block, and index in it.
    pub(crate) at: (BlockId, usize),
    pub(crate) addr: T,
    /// The number drawn, as a function of the iterations.
    pub(crate) result: T,
    /// How many numbers it draws.
    pub(crate) step: T,
    /// Whether it counts downwards.
    pub(crate) down: bool,
    /// The number after which the counter wraps to zero ([`crate::order::last_block`]).
    pub(crate) limit: Option<T>,
    /// Whether the step is known never to be negative.
    pub(crate) forwards: bool,
}

/// An assertion that the thread reaches.
#[derive(Clone, Debug)]
pub(crate) struct AssertAt {
    pub(crate) block: BlockId,
    pub(crate) loc: LocId,
    pub(crate) cond: T,
    pub(crate) message: String,
}

/// Whether all threads of a block (and perhaps of all blocks) wait for each other at the barrier, whatever its number.
pub(crate) fn is_block_barrier(b: &Barrier) -> bool {
    matches!(b, Barrier::Block { id: Operand::Imm(_), threads: None, .. } | Barrier::Grid)
}
