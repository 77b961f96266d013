//! Sequences: several launches, copies and releases of buffers that live across them.
//!
//! What a host program does with a device, as a value: [`Sequence`] says which buffers there are and which steps the host
//! takes. Here a small script is read into one ([`Sequence::parse`]); other programs can make one, too.
//!
//! The host takes its steps in order. Launches and asynchronous copies only go into a queue, which executes them in order,
//! too, but later: they have ended for certain after the next `wait`, or after a copy that is not asynchronous. Releasing
//! a buffer acts at once. So a launch that is still in the queue when one of its buffers is released may access it
//! afterwards (the error that KLEE-CL found in mri-q), and a buffer that nobody has filled has bytes without a value until
//! somebody writes them (its error in mri-fhd).
//!
//! What depends on the order of the steps alone is known before anything is executed (`queue`). [`execute()`] runs a sequence
//! in the simulator, one launch after the other. Findings are those of the launches, `use-after-free` and
//! `uninitialised-read` of buffers, and `data-race` where the host touches a buffer of a copy that it does not wait for.
//! `lockstep-symbolic` executes a sequence for all inputs.
//!
//! A buffer that no launch is given is the host's own: it fills it and looks at it without a queue. What launches are given,
//! the host sees by copies that wait, also in the comparison at the end.
//!
//! What it can miss: that the source of an asynchronous copy is overwritten by a later launch of another queue, since there is
//! one queue; and releases that wait for the device by themselves (`cudaFree` does, `clReleaseMemObject` need not) are
//! taken to be at once.

mod bound;
mod execute;
mod model;
mod queue;
mod script;

pub use bound::Arguments;
pub use execute::{Executed, Failed, Found, execute, step_text};
pub use model::{Buffer, LaunchStep, Number, Sequence, Start, Step, Task};
pub use queue::Release;
