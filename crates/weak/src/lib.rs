//! Memory models as relations, and a systematic exploration of the executions of small concurrent programs.
//!
//! GPUs reorder memory accesses. What a program may then do is the set of its *executions*: events (reads, writes,
//! fences, barriers), for each read the write that it reads from, for each location an order of its writes, such that
//! the memory model's axioms hold. This crate enumerates them. A litmus test is decided exactly; a race, a broken
//! assertion or an outcome is found if any execution has it, at the first run, and if none has, that is a proof for the
//! program that was given, within bounds that [`Summary::cut`] names.
//!
//! # Reading order
//!
//! - [`program`]: threads in warps, blocks and devices; loads, stores, atomic operations, fences, barriers, branches.
//! - [`relation`]: sets and relations of events as bits. [`candidate`]: an execution, whole or unfinished, as a model
//!   sees it.
//! - [`model`]: the models. [`model::Ptx`] reads like PTX's definition; nothing else in the crate knows what a morally
//!   strong pair or causality is.
//! - [`explore()`]: the enumeration; its module says how each execution graph is built once and only once.
//! - [`find`] and [`behaviour`]: can this happen, what can happen. [`fences`]: where fences belong, and which of them do
//!   nothing.
//! - [`litmus`]: readers for litmus tests, and agreement with a corpus of them.
//!
//! # What it follows
//!
//! The model of PTX is NVIDIA's documentation ("Memory Consistency Model" in the PTX ISA), as formalised by Lustig,
//! Sahasrabuddhe and Giroux (ASPLOS 2019) and in Dat3M's `cat/ptx-*.cat`; that of OpenCL is Dat3M's `cat/opencl.cat`. The
//! enumeration has its ideas from GenMC
//! (Kokologiannakis, Raad, Vafeiadis: PLDI 2019): execution graphs instead of interleavings, judged as they grow; and
//! its treatment of loops that wait from the same authors.
//!
//! # Where it deviates, and what it can miss
//!
//! - No proxies (texture, surface, constant memory, aliases), no accesses of mixed size or vectors: a location is
//!   touched as a whole.
//! - A compare-and-swap that fails writes the old value back, as PTX describes the operation and Dat3M reads it, or
//!   nothing, as in C11: the program says which.
//! - In PTX's model, an atomic operation is one operation as far as races are concerned: where its write is ordered with
//!   another access, its read is.
//! - Values are 64-bit integers; [`program::Function`] gives a program operations of its own. Reads take the values that
//!   some write gives them: an uninitialised location has the initial value that the program names.
//! - A thread that has ended counts as arrived at barriers of all threads, or of some that are named, but is ordered
//!   before nobody by that. The id and the number of threads of a barrier are known before the thread goes on.
//! - Of a barrier with a number of threads to which more come, those who came first happen before all who go on; real
//!   hardware would make the others wait for a next round.
//! - Threads that wait for ever, at a barrier or in a loop, are a [`Failure::Hang`]; races before that are races. A loop
//!   is taken to look again as long as there is something new to see: schedulers are fair.
//! - Values come from somewhere: reads that cause themselves through dependencies, which OpenCL's model does not
//!   forbid, are not explored.
//! - Loops that do more than wait are cut after [`Limits::iterations`] turns; executions have at most
//!   [`relation::MAX_EVENTS`] events. Either is told in [`Summary::cut`], and then nothing is proved.

pub mod candidate;
mod condition;
mod explore;
pub mod fences;
mod goal;
pub mod litmus;
pub mod model;
pub mod program;
pub mod relation;
mod text;

pub use condition::{Condition, Operand};
pub use explore::{Cut, Event, Execution, Goal, Kind, Limits, Summary, explore};
pub use goal::{Answer, Behaviour, Failure, RacingPair, Witness, behaviour, find};
