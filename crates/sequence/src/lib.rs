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
//! [`compare()`] runs one and a reference on many inputs. [`execute()`] runs a sequence in the simulator, one launch after the other. Findings are those of the launches, and
//! `use-after-free` and `uninitialised-read` of buffers. What it can miss: it is one execution, with the contents that it
//! is given; a copy between buffers whose source is overwritten before it ends; and that two queues overlap: there is one.

mod compare;
mod execute;
mod model;
mod script;

pub use compare::{Compared, Difference, Inputs, compare};
pub use execute::{Executed, Found, execute};
pub use model::{Buffer, LaunchStep, Number, Sequence, Start, Step};
