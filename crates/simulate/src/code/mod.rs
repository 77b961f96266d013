//! The kernel in the form that the machine executes.

pub(crate) mod decode;
pub(crate) mod lanes;
pub(crate) mod program;
pub(crate) mod registers;
pub(crate) mod sites;
pub(crate) mod steps;
