//! The context of queries: the launches that are considered, the variables of a thread, and the assumptions about them.

pub(crate) mod assumptions;
pub(crate) mod context;
pub(crate) mod expressions;
pub(crate) mod version;

/// Upper bound of the threads along an axis of the grid, beyond which their indices may overflow: a condition of some
/// proofs.
pub const MOST_NUMBERED: u32 = 1 << 30;

/// What is known about one dimension of the launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DimSpec {
    Exactly(u32),
    /// Every legal value, including 1.
    Any,
}
