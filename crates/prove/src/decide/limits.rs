//! How long a query may take, and the purpose of an analysis.

use std::sync::Arc;
use std::time::Duration;

use lockstep_cancel::{Cancel, Moment};
use lockstep_finding::{Question, Reason};

use crate::decide::record::Record;
use crate::decide::solve::Outcome;
use crate::meter::Meter;
use crate::smt::z3::Effort;

/// The purpose of an analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Verdicts, and an alarm for every pair of accesses that may race.
    Report,
    /// Whether there is a proof: no models, no alarms.
    Proof,
    /// Whether there is a proof or a race: one alarm is enough.
    OneRace,
}

/// Limits of one analysis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits<'a> {
    pub(crate) jobs: usize,
    /// Work limit for one query, in the units of [`Effort::work`].
    pub(crate) work: u32,
    pub(crate) deadline: Moment,
    /// The time that `meter` stands for, for the reports.
    pub(crate) budget: Duration,
    pub(crate) meter: &'a Meter,
    pub(crate) purpose: Purpose,
    pub(crate) cancel: &'a Cancel,
    /// What is recorded about the proof.
    pub(crate) record: &'a Arc<Record>,
}

impl Limits<'_> {
    pub(crate) fn are_over(&self) -> bool {
        self.meter.is_over() || self.effort().is_over()
    }

    pub(crate) fn effort(&self) -> Effort<'_> {
        let Limits { work, deadline, meter, cancel, .. } = *self;
        Effort { work, deadline, meter, cancel }
    }

    /// Why a query was not decided.
    pub(crate) fn not_decided(&self, question: Question, outcome: Outcome) -> Reason {
        let seconds = match outcome {
            Outcome::Late => Some(self.budget.as_secs_f64()),
            _ => None,
        };
        Reason::Undecided { question, seconds }
    }

    /// Why the analysis stopped early.
    pub(crate) fn ran_out(&self) -> Reason {
        Reason::TimeBudget { seconds: Some(self.budget.as_secs_f64()) }
    }
}
