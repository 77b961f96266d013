//! The checker against the simulator: kernels under `tests/` with the checker in them, executed by the simulator.
//!
//! A kernel whose launch its first lines give (`// lockstep: run …`) must be found to race where its marks say so, by an access
//! at a marked line, and must be silent otherwise. What differs stands in `disagreements.md` with the reason; a line there
//! that is not true any more fails, too.

mod barriers;
mod common;
mod kernels;
mod once;
mod orders;
mod plans;
mod programs;
mod ptx;
