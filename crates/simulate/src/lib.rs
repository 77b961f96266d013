//! The SIMT machine and its observers: one launch, executed a warp at a time.
//!
//! [`simulate()`] takes a [`lockstep_kernel::Kernel`] and a [`BoundLaunch`] and returns an [`Outcome`]: findings,
//! output, printed text. Each folder uses only those before it:
//!
//! - `launch`: the input and output of a launch;
//! - `weak`: store buffers and early loads, for weak execution;
//! - `code`: the kernel in the form that the machine executes;
//! - `machine`: blocks, warps, memory, barriers; and `observe.rs`, the interface to observers;
//! - `check`: observers that find bugs, and how these are reported;
//! - `watch`: observers that find none: the footprint of a launch, the trace of a finding, which barriers are needed.
//!
//! `simulate.rs` chooses the observers of a launch.
//!
//! **Architecture Invariant:** the machine knows none of its observers, and
//! nothing here chooses a launch or proves anything.

/// What unsafe code relies on: asserted where the feature `checked` is on.
macro_rules! relied_on {
    ($holds:expr) => {
        if cfg!(feature = "checked") {
            assert!($holds);
        }
    };
}

mod check;
mod code;
mod launch;
mod machine;
mod simulate;
mod watch;
mod weak;

pub use check::describe::{place, site_place};
pub use code::program::{Prepared, too_large};
pub use launch::bind;
pub use launch::bytes::Bytes;
pub use launch::outcome::*;
pub use launch::request::{BoundArg, BoundLaunch, Config, LaunchError};
pub use launch::resident::{Resident, ResidentObject};
pub use launch::store_buffers::{BufferStats, MissedStore, StoreBuffers, WeakOutcome};
pub use launch::touched::TouchedObject;
pub use simulate::simulate;
pub use watch::buffer_uses::buffer_uses;
pub use watch::footprint::footprint;
pub use watch::trace::trace;
