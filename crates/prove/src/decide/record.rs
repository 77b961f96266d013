//! Statistics of a proof: how often each rule and each method was tried, how often it decided, and how long that took.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::decide::audit::Audit;
use crate::decide::methods::METHODS;
use crate::decide::rules_table::RULES;

/// Statistics of one rule or method in a proof.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RuleFigures {
    pub name: &'static str,
    /// Why its steps or answers are correct.
    pub lemma: &'static str,
    /// How often it was tried.
    pub tried: u64,
    /// Steps that it made; for a method, the queries that it decided.
    pub applied: u64,
    /// Conjunctions that were contradictions after its step; for a method, the queries that it showed to be
    /// unsatisfiable.
    pub refuted: u64,
    pub time: Duration,
}

impl RuleFigures {
    /// The sum of two lists of figures, by name.
    pub fn add(sum: &mut Vec<RuleFigures>, more: &[RuleFigures]) {
        for m in more {
            let at = sum.iter().position(|s| s.name == m.name).unwrap_or_else(|| {
                sum.push(RuleFigures { name: m.name, lemma: m.lemma, ..RuleFigures::default() });
                sum.len() - 1
            });
            let s = &mut sum[at];
            s.tried += m.tried;
            s.applied += m.applied;
            s.refuted += m.refuted;
            s.time += m.time;
        }
    }
}

#[derive(Debug, Default)]
struct Counters {
    tried: AtomicU64,
    applied: AtomicU64,
    refuted: AtomicU64,
    nanoseconds: AtomicU64,
}

impl Counters {
    fn note(&self, applied: bool, refuted: bool, clock: Instant) {
        let add = |counter: &AtomicU64, n: u64| counter.fetch_add(n, Ordering::Relaxed);
        add(&self.tried, 1);
        add(&self.applied, u64::from(applied));
        add(&self.refuted, u64::from(refuted));
        add(&self.nanoseconds, u64::try_from(clock.elapsed().as_nanos()).unwrap_or(u64::MAX));
    }

    fn figures(&self, name: &'static str, lemma: &'static str) -> RuleFigures {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        RuleFigures {
            name,
            lemma,
            tried: of(&self.tried),
            applied: of(&self.applied),
            refuted: of(&self.refuted),
            time: Duration::from_nanos(of(&self.nanoseconds)),
        }
    }
}

/// The statistics of one proof, shared by the workers that decide queries in parallel.
#[derive(Debug, Default)]
pub(crate) struct Record {
    /// Checks every answer again.
    pub(crate) audit: Option<Arc<Audit>>,
    /// Whether queries and rewrites are recorded, for a log of the proof.
    pub(crate) keeps_questions: bool,
    rules: [Counters; RULES.len()],
    methods: [Counters; METHODS.len()],
}

impl Record {
    pub(crate) fn new(audit: Option<Arc<Audit>>, keeps_questions: bool) -> Record {
        Record { audit, keeps_questions, ..Record::default() }
    }

    /// The kernel is evaluated again: terms have new meanings.
    pub(crate) fn begin(&self) {
        if let Some(audit) = &self.audit {
            audit.begin();
        }
    }

    pub(crate) fn rule(&self, rule: usize, applied: bool, clock: Instant) {
        self.rules[rule].note(applied, false, clock);
    }

    pub(crate) fn contradiction(&self, rule: usize) {
        self.rules[rule].refuted.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn method(&self, method: usize, answered: bool, refuted: bool, clock: Instant) {
        self.methods[method].note(answered, refuted, clock);
    }

    /// All rows of both tables, in their order.
    pub(crate) fn figures(&self) -> Vec<RuleFigures> {
        let rules = RULES.iter().zip(&self.rules).map(|(r, c)| c.figures(r.name, r.lemma));
        rules
            .chain(METHODS.iter().zip(&self.methods).map(|(m, c)| c.figures(m.name, m.lemma)))
            .collect()
    }
}
