//! The `Kernel`: what every engine of Lockstep reads.
//!
//! A [`Kernel`] is one entry point with every call inlined, in SSA form, over
//! scalar registers. Vectors and first-class aggregates are split into scalars
//! by the front end, but an access keeps its whole width: a `float4` load is one
//! [`Op::Load`] of four elements at one [`Site`]. Barriers, fences, atomics and
//! warp-level operations are operations of their own, never calls.
//!
//! **Architecture Invariant:** this crate knows no LLVM, no files and no engine.
//! It says what a kernel is and what each operation means ([`semantics`]), and
//! nothing about how it came to be or what is wrong with it.
//!
//! Entry points: [`Kernel`] for the data, [`cfg::Cfg`] for control flow (order,
//! dominators, loops), [`dump`] for the textual form, [`edit`] for the kernel
//! with a barrier less or a fence more, [`hints`] and [`slice`] for what a search
//! for launches asks of a kernel.

pub mod cfg;
pub mod dump;
pub mod edit;
mod flow;
pub mod guesses;
pub mod handover;
pub mod hints;
pub mod image;
mod ir;
pub mod polling;
pub mod semantics;
mod site;
pub mod slice;
#[cfg(test)]
mod testing;
mod ty;
pub mod validate;
pub mod waits;

pub use ir::*;
pub use site::*;
pub use ty::*;
