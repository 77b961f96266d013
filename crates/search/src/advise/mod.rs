//! Advice about the barriers and fences of a kernel: which can be removed, and which are missing.

pub(crate) mod redundant_barriers;
pub(crate) mod remedies;
