//! Conditions under which a kernel that raises alarms can be proved.

pub(crate) mod array_sizes;
pub(crate) mod hidden;
pub(crate) mod preconditions;
