//! The kernel in the form that the machine executes.

pub(crate) mod decode;
pub(crate) mod lanes;
pub(crate) mod program;
