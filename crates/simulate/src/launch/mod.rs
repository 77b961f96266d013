//! What a launch is given and what comes out of it.

pub(crate) mod api;
pub mod bind;
pub(crate) mod bytes;
