//! Observers that find no bugs: the footprint of a launch, what it does to arrays that outlive it and which of their bytes it touches, the trace of a finding, which barriers are needed, and how
//! far apart threads are that execute some sites.

pub(crate) mod apart;
pub(crate) mod barrier_needs;
pub(crate) mod buffer_uses;
pub(crate) mod footprint;
pub(crate) mod recent_accesses;
pub(crate) mod touched;
pub(crate) mod trace;
pub(crate) mod variables;
