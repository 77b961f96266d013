//! The static engine: proofs for all inputs, and alarms that say what was approximated.
//!
//! Implements FaialAA ("Sound and Partially-Complete Static Analysis of Data-Races in GPU Programs", OOPSLA 2024) on
//! Lockstep's [`Kernel`]: the kernel is evaluated once for a generic thread ([`exec`], [`operate`], [`loops`]), accesses are split
//! into phases by barriers ([`phases`]), and for each pair of accesses it is asked whether two different threads can
//! make them at one place in one phase ([`race`]). Arithmetic answers most of these questions, Z3 the rest ([`solve`]).
//! What a model of such a question rests on decides whether the alarm is `confirmed` or `possible` ([`alarm`]).
//!
//! **Architecture Invariant:** nothing here executes a kernel or chooses a launch. An answer other than `proved` may
//! be imprecise; `proved` holds for every launch that satisfies the assumptions it names.
//!
//! Why it is sound: values are exact bit-vector terms or stand for any value; conditions of blocks are implied by
//! reaching them; every pair of conflicting accesses is asked about unless a barrier that all threads pass, or the last number
//! that blocks drew from a counter, lies between them. What is not modelled at all is a gap, and nothing is proved of a kernel with a gap. What it can miss: objects
//! are taken to be apart and accesses to stay in their objects, loops are taken to end, and parameters that are
//! pointers are taken not to overlap, nor variables of the file, unless told otherwise; the last is named in the verdict ([`apart`]).
//!
//! Reading order: [`term`], [`exec`], [`operate`], [`loops`], [`phases`], [`pair`], [`versions`], [`race`], [`tickets`],
//! [`handed`], [`last`], then this file.

mod absent;
mod alarm;
mod apart;
mod asserts;
mod assume;
mod asynchronous;
mod bits;
mod bounded;
mod bounds;
mod boxes;
mod context;
mod copies;
mod digits;
mod divergence;
mod division;
mod exec;
mod extents;
mod factor;
mod flow;
mod forms;
mod guess;
mod handed;
mod hidden;
mod image;
mod integers;
mod last;
mod limits;
mod loops;
mod memory;
mod meter;
mod nested;
mod operate;
mod ops;
mod pair;
mod partial;
mod phases;
mod places;
mod poly;
mod premises;
mod program;
mod provenance;
mod race;
mod radix;
mod redundant;
mod requires;
mod simplify;
mod solve;
mod strides;
mod tables;
mod term;
mod tickets;
mod verdict;
mod versions;
mod walk;
mod warp;
mod why;
mod widths;
mod z3;
mod z3_api;
mod z3_room;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_division;

use std::time::Duration;

use lockstep_cancel::Cancel;
use lockstep_finding::{Finding, Kind, Statement, Verdict};
use lockstep_kernel::{Kernel, SiteId};

pub use absent::absent;
pub use assume::{AssumeExpr, Operator, Tree};
pub use hidden::numbered;
pub use premises::Assumptions;
pub use why::{Reasons, Safe};
pub use z3_api::solver_failure;

/// Threads along an axis, all in all, beyond which their numbers may overflow: a condition of some proofs.
pub const MOST_NUMBERED: u32 = 1 << 30;

/// What is known of one dimension of the launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DimSpec {
    Exactly(u32),
    /// Every value that is legal, 1 included.
    Any,
}

/// May threads of a warp run apart between synchronisations?
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Scheduling {
    #[default]
    Independent,
    Lockstep,
}

/// What to look for, and for how long.
#[derive(Clone, Debug)]
pub struct Config {
    pub kinds: Vec<Kind>,
    /// Work for the whole kernel, as the time that it takes on a machine with nothing else to do; it is counted ([`meter`]).
    /// What is undecided then is `unknown`, and says so.
    pub budget: Duration,
    /// The time after which it ends in any case. Nothing else depends on the clock.
    pub patience: Duration,
    /// Work for one question to the solver, in thousands of its own units (about a millisecond each).
    pub work: u32,
    /// Threads that ask the solver; never changes a verdict unless time runs out.
    pub jobs: usize,
    /// Only what is proved soon: no alarms, no conditions but the most usual, and nothing that takes the solver.
    pub brief: bool,
    /// Gives up as if the budget were spent.
    pub cancel: Cancel,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            kinds: vec![Kind::DataRace, Kind::BarrierDivergence, Kind::OutOfBounds],
            budget: Duration::from_secs(10),
            patience: Duration::from_secs(20),
            work: 2000,
            jobs: 2,
            brief: false,
            cancel: Cancel::default(),
        }
    }
}

/// A launch that shows an alarm, as far as the solver chose it.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Model {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Values of scalar parameters, one for each register of the parameter.
    pub scalars: Vec<(usize, Vec<u64>)>,
    /// Contents of buffers that mattered.
    pub contents: Vec<Cell>,
}

/// A value in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cell {
    pub param: usize,
    /// Byte offset.
    pub offset: u64,
    pub bytes: u32,
    pub value: u64,
}

/// Something that could not be proved absent.
#[derive(Clone, Debug)]
pub struct Alarm {
    pub finding: Finding,
    pub model: Option<Model>,
    pub sites: (SiteId, SiteId),
    /// It needs an index that overflows; the proof beside it names the sizes up to which none does.
    pub overflows: bool,
}

/// Figures of one proof.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stats {
    pub accesses: usize,
    /// Pairs (with their phases) that arithmetic decided.
    pub by_arithmetic: u64,
    /// Questions that had been asked before.
    pub shared: u64,
    /// Questions that went to the solver.
    pub queries: u64,
    pub timeouts: u64,
    pub solver_seconds: f64,
    /// Work of the solver, in the units of [`Config::work`].
    pub work: u64,
    /// All that was spent of [`Config::budget`].
    pub spent: Duration,
    pub seconds: f64,
    /// No condition of an access is approximated (the paper's CI).
    pub control_independent: bool,
    /// No index of an access is approximated (the paper's DI).
    pub data_independent: bool,
}

/// Everything that was found out.
#[derive(Clone, Debug)]
pub struct Proof {
    /// One for each kind asked for, in the order asked.
    pub verdicts: Vec<(Kind, Verdict)>,
    pub alarms: Vec<Alarm>,
    pub stats: Stats,
    /// The time was over before all was decided.
    pub late: bool,
    /// Why accesses do not race, where that is proved of all.
    pub safe: Option<Vec<Safe>>,
    /// The accesses that may race, where all others are known not to.
    pub may_race: Option<Vec<(SiteId, SiteId)>>,
    /// The dimensions that the verdict on races is about.
    pub grid: [DimSpec; 3],
    pub block: [DimSpec; 3],
}

/// Proves what it can of a kernel.
pub fn prove(kernel: &Kernel, assumptions: &Assumptions, config: &Config) -> Proof {
    let mut proof = verdict::prove(kernel, assumptions, config);
    if !assumptions.one_size && kernel.asks_for_block_sizes() {
        for (_, verdict) in &mut proof.verdicts {
            if let Verdict::Proved { assumes } = verdict {
                assumes.push(Statement::GroupsOfOneSize.into());
            }
        }
    }
    proof
}
