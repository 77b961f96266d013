//! The static engine: proofs for all inputs, and alarms that say what was approximated.
//!
//! Implements FaialAA ("Sound and Partially-Complete Static Analysis of Data-Races in GPU Programs", OOPSLA 2024) on
//! Lockstep's [`Kernel`]: the kernel is evaluated once for a generic thread ([`symbolic`]), accesses are split
//! into phases by barriers ([`order`]), and for each pair of accesses it is asked whether two different threads can
//! make them at one place in one phase ([`property`]). Arithmetic answers most of these questions, Z3 the rest ([`decide`], [`smt`]).
//! What a model of such a question rests on decides whether the alarm is `confirmed` or `possible` ([`property::alarm`]).
//!
//! **Architecture Invariant:** nothing here executes a kernel or chooses a launch. An answer other than `proved` may
//! be imprecise; `proved` holds for every launch that satisfies the assumptions it names.
//!
//! Why it is sound: values are exact bit-vector terms or stand for any value; conditions of blocks are implied by
//! reaching them; every pair of conflicting accesses is asked about unless a barrier that all threads pass, or the last number
//! that blocks drew from a counter, lies between them. What is not modelled at all is a gap, and nothing is proved of a kernel with a gap. What it can miss: objects
//! are taken to be apart and accesses to stay in their objects, loops are taken to end, and parameters that are
//! pointers are taken not to overlap, nor variables of the file, unless told otherwise; the last is named in the verdict ([`property::overlap`]).
//!
//! The folders, in the order of the flow: [`launch`] (what a question is about), [`term`] (its language), [`symbolic`] (one
//! generic thread), [`order`] (two threads), [`property`] (what is asked of them), [`decide`] and [`smt`] (who answers),
//! [`condition`] (what would have to hold), [`verdict`] (what is said in the end).

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
pub use verdict::missing_operations::absent;
pub use verdict::proof_log::{LoggedObligation, LoggedPair, ProofLog};
pub use verdict::{Config, Proof, Stats, prove};
