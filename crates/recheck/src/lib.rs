//! Checks proofs that `lockstep prove --proof-log` has written down.
//!
//! A log holds, for each kernel that is proved, the [`Kernel`](lockstep_kernel::Kernel) itself, all pairs of accesses that might race and
//! how each was excluded, and every question that has no model as SMT-LIB 2 ([`log`]). What is checked:
//!
//! - **Pairs.** All accesses are collected again from the kernel, with the objects that each may touch ([`accesses`]). A pair
//!   of which one writes, that may touch one object and is not atomic on both sides has to be in the log ([`pairs`]).
//! - **Rules.** What the log says of a pair without a question is checked by means of this crate: that both are atomic, that the objects
//!   differ, that every way through the control flow passes a barrier ([`barriers`]).
//! - **Questions.** A solver of the user's choice is asked about each, in a process of its own ([`solver`]): those about races, about
//!   barriers that all threads have to reach, about bounds, and whether a simplification that was made while the terms were
//!   made is an equality ([`script`]). A model contradicts the proof.
//!
//! What is trusted, because nothing here could notice an error in it:
//!
//! - the front end that made the kernel;
//! - the evaluation of one generic thread: that the terms of a question say what the kernel computes, that the counters of loops
//!   lie in the intervals that the questions state, and that two loads of one element are one value where they are said to be;
//! - that the questions of a pair are all that there are: the phases in which two accesses can meet, the cases of a pointer that
//!   may point to several objects, and what is added about counters and values that one thread hands to others;
//! - rules without means of their own here (`barriers-by-conditions`, `lockstep`, `group-copies`, `never-made`, and `different-objects` where
//!   the objects cannot be told apart without following paths); how many exclusions rest on each is reported;
//! - the conditions of the verdict, which are assumed.
//!
//! A log that was changed on purpose, kernel, hash and questions together, is a log of another proof, and passes. The hash
//! of the kernel notices that kernel and log do not belong together, nothing more.
//!
//! **Architecture Invariant:** this crate shares nothing with the prover.

pub mod accesses;
pub mod barriers;
mod check;
pub mod log;
pub mod pairs;
pub mod report;
pub mod script;
pub mod solver;

pub use check::{Options, recheck};
