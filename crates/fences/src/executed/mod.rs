//! Missing fences by execution: a launch is executed many times with store buffers and early loads, and fails.
//!
//! The exploration of [`crate::examine()`] sees all executions, of small launches. This engine sees some executions of a
//! launch of any size: it follows Bugaroo (Islam and Muzahid), with the weak execution of `lockstep-simulate`.
//!
//! # The steps
//!
//! 1. The launch is executed with memory that is sequentially consistent, under all checks, and then with several orders of
//!    its blocks and warps ([`trial`]). Where that fails or has a data race, fences are not to blame, and nothing is said.
//! 2. It is executed with store buffers, for each probability and each seed. A *failure* is an assertion that is broken, a
//!    deadlock, an array that is not as expected, a check of the user's that fails, or arrays that are other than what every
//!    sequentially consistent execution left, if these all left the same.
//! 3. With a fence behind every access, the same executions must not fail; else the failure is no missing fence.
//! 4. Root cause ([`cause`], section III-D of the paper): by halving, the fewest of these fences that are needed are found,
//!    each with the narrowest scope, and all executions are repeated with them.
//!
//! # Where it deviates from the paper
//!
//! The paper first asks which memory and which kernel is to blame. Here a kernel is looked at alone, and the places say
//! which memory it is. Fences also go behind loads, since loads may be early.
//!
//! # What it can miss
//!
//! Failures that need an execution that was not made. A launch whose result depends on the order of its threads can only
//! fail by assertions, deadlocks and what the user expects.
//!
//! # Why it cannot cry wolf
//!
//! Each execution is one that the memory model allows (`lockstep-simulate`, `weak/mod.rs`). A failure is told as a missing
//! fence only if the sequentially consistent executions do not fail, those with the fences do not fail, and without any one
//! of them some execution does.

mod cause;
mod trial;

use lockstep_finding::Finding;
use lockstep_kernel::Kernel;
use lockstep_simulate::{BoundLaunch, BufferStats, Config, MissedStore};

use crate::answer::Remedy;
use trial::Trial;

/// What is executed, and what counts as a failure.
pub struct Question<'a> {
    pub kernel: &'a Kernel,
    pub launch: &'a BoundLaunch,
    pub config: &'a Config,
    pub sweep: Sweep,
    /// What arrays must hold after the launch, by parameter.
    pub expect: Vec<(usize, Vec<u8>)>,
    /// A kernel that one thread executes after the launch, with the same arguments: its assertions must hold. For each of its
    /// parameters, that of the kernel.
    pub check: Option<(&'a Kernel, Vec<usize>)>,
    /// Whether to look for the fences that cure a failure: not if they are known already.
    pub root_cause: bool,
}

/// Which executions are made.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    pub probabilities: Vec<f64>,
    /// Stores that a buffer holds.
    pub size: usize,
    /// Executions for each probability, and as many that are sequentially consistent.
    pub runs: u64,
    pub seed: u64,
}

impl Default for Sweep {
    fn default() -> Sweep {
        Sweep { probabilities: vec![1.0, 0.75, 0.5, 0.25], size: 256, runs: 16, seed: 0 }
    }
}

/// What an execution did wrong.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// An assertion, or a deadlock.
    Fault(Box<Finding>),
    /// An assertion of the user's check.
    Check(Box<Finding>),
    /// This byte of an array is not as expected.
    Unexpected { param: usize, byte: usize },
    /// This byte of an array is not what all sequentially consistent executions leave.
    Differs { param: usize, byte: usize },
}

/// One of the executions of a sweep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    pub probability: f64,
    /// From 0; with the seed of the sweep it gives that of the execution.
    pub number: u64,
}

/// Why executions say nothing about fences.
#[derive(Clone, Debug, PartialEq)]
pub enum Silent {
    /// The launch cannot be executed, or not to its end.
    NotExecuted(String),
    /// Without reordering, something is found, too.
    FailsAnyway(String),
}

/// A launch that fails under weak memory.
#[derive(Clone, Debug)]
pub struct Failed {
    pub failure: Failure,
    /// The first execution that fails, and how many do.
    pub run: Run,
    pub failures: u64,
    /// Loads that missed stores in that execution.
    pub missed: Vec<MissedStore>,
    /// Fences that cure it, and none of them can be left out; none if fences behind all accesses do not, or nobody asked.
    pub remedies: Option<Vec<Remedy>>,
    /// With these fences, all executions of the sweep and more were made to their end, none fails, and without any one of the
    /// fences some do.
    pub verified: bool,
    /// How many executions were made with all fences.
    pub tried: u64,
}

/// What the executions have shown.
#[derive(Clone, Debug)]
pub struct Executed {
    /// Executions with store buffers.
    pub runs: u64,
    /// Some of them were not made, or not to their end.
    pub cut: bool,
    /// Whether all sequentially consistent executions left the same arrays.
    pub agrees: bool,
    /// The checks of the launch without reordering say that a fence is missing.
    pub suspected: bool,
    /// Of the first execution with store buffers.
    pub stats: Option<BufferStats>,
    pub outcome: Result<Option<Failed>, Silent>,
}

/// Executes a launch many times, and finds out which fences it lacks.
pub fn execute(question: &Question) -> Executed {
    let mut executed = Executed {
        runs: 0,
        cut: false,
        agrees: false,
        suspected: false,
        stats: None,
        outcome: Ok(None),
    };
    let trial = match Trial::new(question) {
        Ok(trial) => trial,
        Err(silent) => return Executed { outcome: Err(silent), ..executed },
    };
    (executed.agrees, executed.suspected) = (trial.agrees(), trial.suspects());
    let mut failed: Vec<(Run, Failure, Vec<MissedStore>)> = Vec::new();
    for run in trial.runs() {
        let Some((weak, failure)) = trial.weakly(question.kernel, run) else {
            executed.cut = true;
            continue;
        };
        executed.runs += 1;
        executed.stats.get_or_insert(weak.stats);
        failed.extend(failure.map(|failure| (run, failure, weak.missed)));
    }
    let failing: Vec<Run> = failed.iter().map(|(run, ..)| *run).collect();
    if let Some((run, failure, missed)) = failed.into_iter().next() {
        let (remedies, verified) = match question.root_cause {
            true => cause::fences(&trial, &failing),
            false => (None, false),
        };
        let failures = failing.len() as u64;
        let tried = trial.runs().chain(trial.more_runs()).count() as u64;
        let failed = Failed { failure, run, failures, missed, remedies, verified, tried };
        executed.outcome = Ok(Some(failed));
    }
    executed
}
