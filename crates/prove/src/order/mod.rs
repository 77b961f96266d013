//! Two threads, and what orders their operations: barriers, warps, tickets, copies, the last block to arrive.

pub(crate) mod async_copies;
pub(crate) mod broadcast;
pub(crate) mod divergence;
pub(crate) mod flow;
pub(crate) mod group_copies;
pub(crate) mod last_block;
pub(crate) mod named_barriers;
pub(crate) mod pair;
pub(crate) mod pair_log;
pub(crate) mod phases;
pub(crate) mod tickets;
pub(crate) mod why_safe;
