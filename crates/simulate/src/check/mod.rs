//! The checks: races, uninitialised reads, and how they are reported.

pub(crate) mod asynchronous_copies;
pub(crate) mod between_blocks;
pub(crate) mod group_copies;
pub(crate) mod happens_before;
pub(crate) mod race;
pub(crate) mod race_report;
pub(crate) mod report;
pub(crate) mod uninitialised;
