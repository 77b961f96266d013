//! Trying launches: which ones, in which order, and what each of them showed.

pub(crate) mod driver;
pub(crate) mod evolve;
pub(crate) mod ledger;
pub(crate) mod partial_groups;
pub(crate) mod sample;
pub(crate) mod trial;
