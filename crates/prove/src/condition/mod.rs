//! Conditions under which a kernel is proved that raises alarms otherwise.

pub(crate) mod array_sizes;
pub(crate) mod hidden;
pub(crate) mod preconditions;
