//! Versions of the contents of an object ([`crate::symbolic::versions`]).

use lockstep_kernel::BlockId;

/// Where a version begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Version {
    Entry,
    /// At the beginning of a basic block: at a join of control flow, or at a loop header.
    Join(BlockId),
    /// After an operation.
    After(BlockId, usize),
}
