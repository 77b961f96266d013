//! From decided queries to verdicts: the configuration of a proof, and its results.

pub(crate) mod analysis;
pub(crate) mod check;
pub(crate) mod missing_operations;
pub(crate) mod proof_log;
pub(crate) mod redundant;

use std::sync::Arc;
use std::time::Duration;

use lockstep_cancel::Cancel;
use lockstep_finding::{Kind, Statement, Verdict};
use lockstep_kernel::{Kernel, SiteId};

use crate::decide::audit::Audit;
use crate::decide::record::RuleFigures;
use crate::launch::DimSpec;
use crate::launch::assumptions::Assumptions;
use crate::order::why_safe::Safe;
use crate::property::alarm::Alarm;
use crate::verdict::check::Open;
use crate::verdict::proof_log::ProofLog;

/// Which kinds to prove, and the limits.
#[derive(Clone, Debug)]
pub struct Config {
    pub kinds: Vec<Kind>,
    /// Work limit for the whole kernel, as the time that it takes on an idle machine; work is counted ([`meter`]).
    /// Whatever is undecided then is `unknown`, with this reason.
    pub budget: Duration,
    /// The time after which the proof stops in any case. Nothing else depends on the clock.
    pub patience: Duration,
    /// Work limit for one query to the solver, in thousands of its own units (about a millisecond each).
    pub work: u32,
    /// Number of threads that call the solver; never changes a verdict unless time runs out.
    pub jobs: usize,
    /// Only quick proofs: no alarms, only the most usual conditions, and no solver.
    pub brief: bool,
    /// Stops the proof as if the budget were spent.
    pub cancel: Cancel,
    /// Checks every step and every answer with the solver again: for tests, as it takes many times as long.
    pub audit: Option<Arc<Audit>>,
    /// Records how each proof was found, in [`Proof::logs`].
    pub log: bool,
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
            audit: None,
            log: false,
        }
    }
}

/// Statistics of one proof.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stats {
    pub accesses: usize,
    /// Pairs (with their phases) that arithmetic decided.
    pub by_arithmetic: u64,
    /// Queries that had been decided before.
    pub shared: u64,
    /// Queries that went to the solver.
    pub queries: u64,
    pub timeouts: u64,
    pub solver_seconds: f64,
    /// Work of the solver, in the units of [`Config::work`].
    pub work: u64,
    /// How much of [`Config::budget`] was spent.
    pub spent: Duration,
    pub seconds: f64,
    /// No condition of an access is approximated (the paper's CI).
    pub control_independent: bool,
    /// No index of an access is approximated (the paper's DI).
    pub data_independent: bool,
    /// Statistics of each rule and each method, in the order in which they are tried.
    pub rules: Vec<RuleFigures>,
}

/// All results.
#[derive(Clone, Debug)]
pub struct Proof {
    /// One for each requested kind, in the requested order.
    pub verdicts: Vec<(Kind, Verdict)>,
    pub alarms: Vec<Alarm>,
    pub stats: Stats,
    /// Whether time ran out before everything was decided.
    pub late: bool,
    /// Why accesses do not race, where that is proved for all.
    pub safe: Option<Vec<Safe>>,
    /// The accesses that may race, where all others are known not to.
    pub may_race: Option<Vec<(SiteId, SiteId)>>,
    /// The pairs that are left, without any condition on launches but those given, and only where nothing depends on memory in
    /// which there may be races.
    pub open: Option<Open>,
    /// The dimensions that the verdict on races covers.
    pub grid: [DimSpec; 3],
    pub block: [DimSpec; 3],
    /// How each proof was found, if [`Config::log`] is set.
    pub logs: Vec<(Kind, ProofLog)>,
}

/// Proves as many kinds as possible for a kernel.
pub fn prove(kernel: &Kernel, assumptions: &Assumptions, config: &Config) -> Proof {
    let mut proof = analysis::prove(kernel, assumptions, config);
    if !assumptions.one_size && kernel.asks_for_block_sizes() {
        for (_, verdict) in &mut proof.verdicts {
            if let Verdict::Proved { assumes } = verdict {
                assumes.push(Statement::GroupsOfOneSize.into());
            }
        }
        if let Some(Open { assumes, .. }) = &mut proof.open {
            assumes.push(Statement::GroupsOfOneSize.into());
        }
    }
    proof
}
