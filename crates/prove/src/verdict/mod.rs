//! From decided questions to verdicts: what is asked of a kernel, and everything that was found out.

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
use crate::verdict::proof_log::ProofLog;

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
    /// Asks the solver about every step and every answer again: for tests, as it takes many times as long.
    pub audit: Option<Arc<Audit>>,
    /// Keeps how each proof came about, in [`Proof::logs`].
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
    /// What each rule and each method did, in the order in which they are asked.
    pub rules: Vec<RuleFigures>,
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
    /// How what is proved was proved, where [`Config::log`] asks for it.
    pub logs: Vec<(Kind, ProofLog)>,
}

/// Proves what it can of a kernel.
pub fn prove(kernel: &Kernel, assumptions: &Assumptions, config: &Config) -> Proof {
    let mut proof = analysis::prove(kernel, assumptions, config);
    if !assumptions.one_size && kernel.asks_for_block_sizes() {
        for (_, verdict) in &mut proof.verdicts {
            if let Verdict::Proved { assumes } = verdict {
                assumes.push(Statement::GroupsOfOneSize.into());
            }
        }
    }
    proof
}
