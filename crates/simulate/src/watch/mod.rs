//! What a run can be watched for besides the checks.

pub(crate) mod barrier_needs;
pub(crate) mod footprint;
pub(crate) mod hooks;
pub(crate) mod recent_accesses;
pub(crate) mod trace;
