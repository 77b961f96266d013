//! The SIMT machine and its observers: one launch, executed a warp at a time.
//!
//! [`simulate`] takes a [`lockstep_kernel::Kernel`] and a [`BoundLaunch`] and
//! gives an [`Outcome`]: findings, output, what was printed. Reading order:
//! [`grid`] runs blocks, [`machine`] runs the warps of one, [`access`] and
//! [`barrier`] are the ways to memory and to other threads, [`race`], [`between`], [`sync`],
//! [`under_way`], [`group_copies`] and [`uninit`] observe, [`report`] collects; [`program`] and [`code`] prepare.
//!
//! Three more observers are there for who asks ([`watch`]): [`footprint()`] executes a
//! launch without checks and counts how its threads share memory; [`trace()`] says
//! what the threads of a finding did; with [`Config::barrier_needs`] a simulation says
//! which barriers are needed ([`survey`], [`history`]).
//!
//! **Architecture Invariant:** the machine knows none of the checks' rules, and
//! nothing here chooses a launch or proves anything.

mod access;
mod api;
mod barrier;
mod between;
pub mod bind;
mod bytes;
mod code;
mod footprint;
mod grid;
mod group_copies;
mod heap;
mod history;
mod image;
mod lanes;
mod machine;
mod named;
mod pairs;
mod print;
mod program;
mod race;
mod report;
mod says;
mod survey;
mod sync;
mod trace;
mod under_way;
mod uninit;
mod watch;

pub use api::*;
pub use bytes::Bytes;
pub use footprint::footprint;
pub use grid::simulate;
pub use program::{Prepared, too_large};
pub use report::{place, site_place};
pub use trace::trace;
