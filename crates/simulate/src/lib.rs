//! The SIMT machine and its observers: one launch, executed a warp at a time.
//!
//! [`simulate`] takes a [`lockstep_kernel::Kernel`] and a [`BoundLaunch`] and
//! gives an [`Outcome`]: findings, output, what was printed.
//!
//! - [`launch`]: what a launch is given and what comes out of it;
//! - [`code`]: the kernel in the form that the machine executes;
//! - [`machine`]: blocks, warps, memory, barriers;
//! - [`check`]: races, uninitialised reads, and how they are reported;
//! - [`watch`]: the footprint of a launch, the trace of a finding, which barriers are needed.
//!
//! **Architecture Invariant:** nothing here chooses a launch or proves anything.

mod check;
mod code;
mod launch;
mod machine;
mod watch;

pub use check::report::{place, site_place};
pub use code::program::{Prepared, too_large};
pub use launch::api::*;
pub use launch::bind;
pub use launch::bytes::Bytes;
pub use machine::grid::simulate;
pub use watch::footprint::footprint;
pub use watch::trace::trace;
