//! The prover, asked about one kernel: with what is usual, with what the host says, and with less taken for given.

use std::time::Duration;

use lockstep_cancel::Moment;

use lockstep_finding::launch::Expr;
use lockstep_finding::{DecidedBy, Kind, Origin, Reason};
use lockstep_kernel::handover::Handovers;
use lockstep_kernel::slice::{address_slice, is_read_for_use, used};
use lockstep_kernel::{Kernel, Op};
use lockstep_prove::{Alarm, Assumptions, Config, Model, Proof, prove};
use lockstep_search::{Alias, Given, usual_launches};
use lockstep_simulate::too_large;

use crate::cli::options::Evolve;
use crate::cli::progress::Engine;
use crate::engines::premises::Premises;
use crate::engines::table::{EngineRow, Evidence, Next, Question};
use crate::engines::task::{Engines, Share, Task, named_launch, seconds};
use crate::engines::{proof, simulation};
use crate::facts::launch_facts::assumptions_hold;

/// As good as no limit.
const A_DAY: Duration = Duration::from_secs(24 * 3600);
/// The prover's part of the budget where the search follows: of the work, which is counted, and of the time, which ends it
/// only on a machine that is very busy.
const PROVER_SHARE: f64 = 0.3;
const PROVER_PATIENCE: f64 = 0.6;
/// Work beyond which it has had its chance, in seconds.
const PROVER_MOST: f64 = 2.0;
/// Work for one question to the solver where the search follows, and where it does not (`lockstep_prove::Config`).
const SHORT_WORK: u32 = 200;
const LONG_WORK: u32 = 2000;

pub(crate) const ROW: EngineRow = EngineRow {
    engine: |_| Engine::Prove,
    decides: &[DecidedBy::Proof],
    is_asked: |how| matches!(how, Engines::Prover { .. } | Engines::All(_)),
    applies: |_| true,
    look,
};

/// Asks the prover; what it calls confirmed has been seen in a launch.
fn look(task: &Task, q: &Question, evidence: &mut Evidence) -> Result<Next, String> {
    let (kernel, given, host) = (q.kernel, &q.way.given, q.way.host);
    let kinds = ROW.own(q.kinds);
    let is_alone = matches!(task.how, Engines::Prover { .. });
    if given.global.is_some() {
        return Ok(if is_alone { Next::Unknown(Reason::OneGroupSizeOnly) } else { Next::Ask });
    }
    let may_alias = match task.how {
        Engines::Prover { may_alias, .. } => *may_alias,
        Engines::All(how) | Engines::Search(how) => how.alias == Alias::All,
        Engines::Explorer => false,
    };
    let asked = |share, usual| Asked { kinds: &kinds, may_alias, share, usual, conditions: &[] };
    if is_alone {
        let mut proof = task.prove(kernel, given, host, &asked(q.budget, false))?;
        if proof::has_confirmed(&proof) {
            let how = Evolve { population: 0, generations: 0, ..Evolve::default() };
            let (models, pairs) = (proof::suggestions(&proof), proof::may_race(&proof));
            let seen = task.search(q, given, &how, models, pairs, false);
            proof::keep_confirmed(&mut proof, &seen.map_or(Vec::new(), |s| s.findings));
        }
        evidence.proof = Some(proof);
        return Ok(Next::Settled);
    }
    let share = share(q, q.budget.time);
    let mut proof = task.prove(kernel, given, host, &asked(share, true))?;
    if too_large(kernel).is_none() {
        let seed = task.analysis.launch.seed;
        proof::leave_usual(&mut proof, &|| usual_launches(kernel, given, seed));
    }
    // The order that barrier objects give is followed where they are executed.
    if let Some(handovers) = Handovers::new(kernel) {
        let may_be_ordered = |a: &Alarm| handovers.may_order(a.sites.0, a.sites.1);
        proof.alarms.retain(|a| !(proof::rests_on_order(a) && may_be_ordered(a)));
    }
    let is_settled = q.kinds.iter().all(|k| proof::settles(&proof, *k))
        && !q.is_complete()
        && !task.analysis.search.simulate_proved;
    evidence.proof = Some(proof);
    Ok(if is_settled { Next::Settled } else { Next::Ask })
}

/// The prover's part of the budget of a question that the search is asked, too, of which so much time is left.
pub(super) fn share(q: &Question, left: f64) -> Share {
    Share { work: (q.budget.work * PROVER_SHARE).min(PROVER_MOST), time: left * PROVER_PATIENCE }
}

/// What the prover is asked about a kernel.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) kinds: &'a [Kind],
    /// Whether arguments may be the same array.
    pub(crate) may_alias: bool,
    pub(crate) share: Share,
    /// Whether what is usual of launches may be taken for given.
    pub(crate) usual: bool,
    /// Further conditions, which the verdicts name.
    pub(crate) conditions: &'a [Expr],
}

impl Task<'_> {
    pub(crate) fn is_reproducible(&self) -> bool {
        self.analysis.search.reproducible
    }

    pub(crate) fn prove(
        &self,
        kernel: &Kernel,
        given: &Given,
        host: Origin,
        asked: &Asked,
    ) -> Result<Proof, String> {
        let Asked { kinds, may_alias, share, usual, conditions } = *asked;
        let args = &self.analysis.launch;
        // What is wrong with an assumption does not hang on the launch.
        assumptions_hold(&args.assume, &named_launch(kernel))?.ok();
        let mut premises = Premises::new(kernel, given, args, may_alias, host, usual)?;
        // What is usual is read off the whole kernel, which takes long where it is very large.
        if too_large(kernel).is_none() {
            premises.add_usual(usual);
        }
        for expr in conditions {
            premises.add(expr)?;
        }
        let assumptions = premises.assumptions(&premises.all());
        let work = if usual { SHORT_WORK } else { LONG_WORK };
        let jobs = (simulation::jobs(self.analysis) / self.workers.max(1)).max(1);
        let started = Moment::now();
        let log = matches!(self.how, Engines::Prover { log: Some(_), .. });
        let patience = match self.analysis.search.reproducible {
            true => A_DAY,
            false => seconds(share.time),
        };
        let (budget, mut spent) = (seconds(share.work), Duration::ZERO);
        let mut run = |assumptions: &Assumptions, kinds: &[Kind], most: Duration, brief: bool| {
            let (left, time) =
                (budget.saturating_sub(spent), patience.saturating_sub(started.elapsed()));
            let left = left.min(most);
            let config = Config {
                kinds: kinds.to_vec(),
                budget: left,
                patience: time,
                work,
                jobs,
                brief,
                cancel: self.analysis.input.cancel.clone(),
                audit: None,
                log,
            };
            let proof = prove(kernel, assumptions, &config);
            spent += proof.stats.spent;
            (proof, budget.saturating_sub(spent))
        };
        let related = premises.related();
        // What the host says more of its launches gets its part, too.
        let first = if related.is_some() { budget / 2 } else { budget };
        let (mut proof, mut left) = run(&assumptions, kinds, first, false);
        let open = proof::open(&proof);
        // With less taken for given, if that is proved as well.
        let mut settled = proof::settled(&proof);
        for taken in premises.weaker(&proof) {
            if settled.is_empty() || left <= budget / 4 {
                break;
            }
            let less = premises.assumptions(&taken);
            let again;
            (again, left) = run(&less, &settled, budget, true);
            let taken = premises.replace_weaker(&mut proof, &assumptions, again, &less);
            settled.retain(|k| !taken.contains(k));
        }
        if let Some(related) = related {
            // Then as the host launches it.
            if !open.is_empty() && left > budget / 10 {
                let again;
                (again, left) = run(&related, &open, budget, false);
                let is_whole = !left.is_zero() && started.elapsed() < patience;
                proof::replace(&mut proof, again, is_whole);
            }
            let may_be_hosts = |m: &Model| premises.may_be_hosts(m);
            proof.alarms.retain(|a| a.model.as_ref().is_none_or(may_be_hosts));
        }
        if self.analysis.input.verbose {
            let (work, time) = ((budget - left.min(budget)).as_secs_f64(), started.elapsed());
            eprintln!(
                "kernel {}: {work:.2} s of work for the prover, in {:.2} s",
                kernel.name,
                time.as_secs_f64()
            );
            for row in proof.stats.rules.iter().filter(|r| r.applied > 0) {
                eprintln!(
                    "kernel {}: {}: applied {} of {} times, {} questions without a model, {:.3} s",
                    kernel.name,
                    row.name,
                    row.applied,
                    row.tried,
                    row.refuted,
                    row.time.as_secs_f64()
                );
            }
        }
        if host.is_recorded() {
            // The record has the sizes of arrays, and not all that they hold: that some contents lead out of bounds is not
            // known to matter. Of a launch that is given whole, the execution tells: without a race, and without atomics that
            // decide anything, there is only one.
            let dynamic = kernel.objects.iter().any(|o| o.dynamic);
            let is_executed = given.is_complete(dynamic) && is_determined(kernel);
            let is_made_up = |a: &Alarm| {
                let is_told = is_executed || a.finding.kind == Kind::OutOfBounds;
                is_told && !a.finding.approximated.is_empty()
            };
            proof.alarms.retain(|a| !is_made_up(a));
        }
        if usual {
            // The verdict's own condition says it.
            proof.alarms.retain(|alarm| !alarm.overflows);
        }
        if proof.late && started.elapsed() >= patience {
            self.hurried.set(true);
        }
        Ok(proof)
    }
}

/// Whether what a launch accesses follows from its arguments, unless threads race: no atomic and no volatile access decides it.
fn is_determined(kernel: &Kernel) -> bool {
    let slice = address_slice(kernel);
    let used = used(&slice);
    let is_atomic = |i: &lockstep_kernel::Inst| matches!(i.op, Op::Atomic { .. });
    !kernel.sites.iter().any(|s| s.volatile)
        && !slice.insts().any(|i| is_atomic(i) && is_read_for_use(i, &used))
}
