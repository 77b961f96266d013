//! What questions are about: the launches that count, the variables of a thread, and what is taken for given of them.

pub(crate) mod assumptions;
pub(crate) mod context;
pub(crate) mod expressions;
pub(crate) mod version;

/// Threads along an axis, all in all, beyond which their numbers may overflow: a condition of some proofs.
pub const MOST_NUMBERED: u32 = 1 << 30;

/// What is known of one dimension of the launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DimSpec {
    Exactly(u32),
    /// Every value that is legal, 1 included.
    Any,
}
