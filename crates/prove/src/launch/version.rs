//! Versions of the contents of an object ([`crate::symbolic::versions`]).

use lockstep_kernel::BlockId;

/// Where a version begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Version {
    Entry,
    /// At the beginning of a block: where ways come together, or a loop begins.
    Join(BlockId),
    /// After an operation.
    After(BlockId, usize),
}
