//! Many files: which are looked at, with which settings, what is known from earlier runs, and what counts in the end.

pub(crate) mod check;
pub(crate) mod plan;
pub(crate) mod results;
pub(crate) mod settle;
