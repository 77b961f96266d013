//! Observers that find no bugs: the footprint of a launch, the trace of a finding, and which barriers are needed.

pub(crate) mod barrier_needs;
pub(crate) mod footprint;
pub(crate) mod recent_accesses;
pub(crate) mod trace;
pub(crate) mod variables;
