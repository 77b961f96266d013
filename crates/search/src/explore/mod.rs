//! Trying launches: which ones, in which order, their results, and launches repeated to examine one bug.

pub(crate) mod driver;
pub(crate) mod evolve;
pub(crate) mod inquiry;
pub(crate) mod ledger;
pub(crate) mod partial_groups;
pub(crate) mod sample;
pub(crate) mod trial;
