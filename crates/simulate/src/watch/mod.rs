//! Observers that find no bugs: the footprint of a launch, what it does to arrays that outlive it, the trace of a finding, and which barriers are needed.

pub(crate) mod barrier_needs;
pub(crate) mod buffer_uses;
pub(crate) mod footprint;
pub(crate) mod recent_accesses;
pub(crate) mod trace;
pub(crate) mod variables;
