//! The static engine: proofs for all inputs, and alarms that name what was approximated.
//!
//! Implements FaialAA ("Sound and Partially-Complete Static Analysis of Data-Races in GPU Programs", OOPSLA 2024) on
//! Lockstep's [`Kernel`]: the kernel is evaluated once for a generic thread ([`symbolic`]), accesses are split into
//! phases by barriers ([`order`]), and a query for each pair of accesses decides whether two different threads can make
//! them at one address in one phase ([`property`]). Arithmetic decides most of these queries, Z3 the rest ([`decide`],
//! [`smt`]). Whether an alarm is `confirmed` or `possible` depends on whether its model relies on approximations
//! ([`property::alarm`]).
//!
//! **Architecture Invariant:** nothing here executes a kernel or chooses a launch. An answer other than `proved` may
//! be imprecise; `proved` holds for every launch that satisfies the assumptions it names.
//!
//! Why it is sound: values are exact bit-vector terms or stand for any value; reaching a basic block implies its
//! conditions; every pair of conflicting accesses is checked unless a barrier that all threads pass, or the last number
//! that blocks drew from a counter, orders them. An operation that is not modelled at all is a gap, and nothing is
//! proved for a kernel with a gap. What it can miss: objects are assumed to be disjoint and accesses to stay in their
//! objects, loops are assumed to terminate, and pointer parameters and global variables are assumed not to alias,
//! unless told otherwise; the verdict names the last assumption ([`property::overlap`]).
//!
//! The folders, in the order of the flow: [`launch`] (the context of queries), [`term`] (their language), [`symbolic`]
//! (one generic thread), [`order`] (two threads), [`property`] (the queries), [`decide`] and [`smt`] (their decision),
//! [`condition`] (assumptions that would make a proof possible), [`verdict`] (the result).

mod condition;
mod decide;
mod launch;
mod meter;
mod order;
mod property;
mod smt;
mod symbolic;
mod term;
mod verdict;

pub use condition::hidden::numbered;
pub use decide::audit::{Audit, Audited};
pub use decide::record::RuleFigures;
pub use launch::assumptions::Assumptions;
pub use launch::expressions::{AssumeExpr, Operator, Tree};
pub use launch::{DimSpec, MOST_NUMBERED};
pub use order::why_safe::{Reasons, Safe};
pub use property::alarm::{Alarm, Cell, Model};
pub use smt::z3_api::solver_failure;
pub use verdict::check::Open;
pub use verdict::missing_operations::absent;
pub use verdict::proof_log::{LoggedObligation, LoggedPair, ProofLog};
pub use verdict::{Config, Proof, Stats, prove};
