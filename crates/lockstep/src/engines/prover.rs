//! The prover, asked about one kernel: with what is usual, with what the host says, and with less taken for given.

use std::time::Duration;

use lockstep_cancel::Moment;

use lockstep_finding::launch::Expr;
use lockstep_finding::{
    Claim, Confidence, DecidedBy, Finding, Kind, Launch, Origin, Reason, Verdict,
};
use lockstep_kernel::handover::Handovers;
use lockstep_kernel::slice::{address_slice, is_read_for_use, used};
use lockstep_kernel::{Kernel, Op};
use lockstep_prove::{Alarm, Assumptions, Model, Proof};
use lockstep_search::{Alias, Given, Remedy, Searched, usual_launches};
use lockstep_simulate::too_large;

use crate::cli::options::Evolve;
use crate::cli::progress::Engine;
use crate::engines::premises::Premises;
use crate::engines::table::{EngineRow, Evidence, Next, Question};
use crate::engines::task::{Engines, Share, Task, Way, named_launch, seconds};
use crate::engines::{proof, simulation};
use crate::facts::launch_facts::{assumptions_hold, number_of};

/// As good as no limit.
const A_DAY: Duration = Duration::from_secs(24 * 3600);
/// The prover's part of the budget where the search follows: of the work, which is counted, and of the time, which ends it
/// only on a machine that is very busy.
const PROVER_SHARE: f64 = 0.3;
const PROVER_PATIENCE: f64 = 0.6;
/// Work beyond which it has had its chance, in seconds.
const PROVER_MOST: f64 = 2.0;
/// Work for the proof of a remedy.
const REMEDY_WORK: Duration = Duration::from_millis(500);
/// Work for one question to the solver where the search follows, and where it does not (`lockstep_prove::Config`).
const SHORT_WORK: u32 = 200;
const LONG_WORK: u32 = 2000;
/// Findings whose remedies the prover is asked about.
const MOST_PROVED_REMEDIES: usize = 2;
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
    if is_alone {
        let mut proof = task.prove(kernel, given, host, may_alias, &kinds, q.budget, false)?;
        if proof::has_confirmed(&proof) {
            let how = Evolve { population: 0, generations: 0, ..Evolve::default() };
            let (models, pairs) = (proof::suggestions(&proof), proof::may_race(&proof));
            let seen = task.search(q, given, &how, models, pairs, false);
            proof::keep_confirmed(&mut proof, &seen.map_or(Vec::new(), |s| s.findings));
        }
        evidence.proof = Some(proof);
        return Ok(Next::Settled);
    }
    let share = Share {
        work: (q.budget.work * PROVER_SHARE).min(PROVER_MOST),
        time: q.budget.time * PROVER_PATIENCE,
    };
    let mut proof = task.prove(kernel, given, host, may_alias, &kinds, share, true)?;
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

/// Asks the prover once more where everything that launches have shown of a kind shows only under conditions: for the
/// opposite of all of these. Its own conditions are each for the whole kernel, so it finds none where one pair of accesses
/// needs a block of whole warps, and another sizes that do not overflow.
pub(crate) fn look_under_conditions(
    task: &Task,
    q: &Question,
    how: &Evolve,
    searched: &Searched,
    proof: &mut Proof,
) -> Result<(), String> {
    let is_proved =
        |(own, v): &(Kind, Verdict), k: Kind| *own == k && matches!(v, Verdict::Proved { .. });
    let is_asked =
        |k: &Kind| q.kinds.contains(k) && !proof.verdicts.iter().any(|v| is_proved(v, *k));
    let found = |k: Kind| searched.findings.iter().filter(move |f| f.kind == k);
    // What is not exact, or no expression, is none of the prover's.
    let condition = |f: &Finding| {
        let when = f.holds_when.as_ref().filter(|w| !w.is_example)?;
        (f.confidence == Confidence::Confirmed)
            .then(|| when.claim.clone().negated().expression())
            .flatten()
    };
    let kinds: Vec<Kind> = [Kind::DataRace, Kind::BarrierDivergence]
        .into_iter()
        .filter(|k| is_asked(k) && found(*k).all(|f| condition(f).is_some()))
        .collect();
    let mut conditions: Vec<Expr> = Vec::new();
    for expr in kinds.iter().flat_map(|k| found(*k)).filter_map(condition) {
        if !conditions.contains(&expr) {
            conditions.push(expr);
        }
    }
    let is_late = q.started.elapsed().as_secs_f64() > q.budget.time;
    if conditions.is_empty() || q.way.given.global.is_some() || is_late && !task.is_reproducible() {
        return Ok(());
    }
    // With a single thread nothing can go wrong.
    let (kernel, given, host) = (q.kernel, &q.way.given, q.way.host);
    let usual = || usual_launches(kernel, given, task.analysis.launch.seed);
    let holds = |l: &Launch, e: &Expr| {
        Claim::from(e.clone()).decide(&|name| number_of(l, name)) != Some(false)
    };
    let is_usual = |l: &Launch| l.threads() > 1 && conditions.iter().all(|e| holds(l, e));
    if too_large(kernel).is_some() || !usual().iter().any(is_usual) {
        return Ok(());
    }
    let left = (q.budget.time - q.started.elapsed().as_secs_f64()).max(0.0);
    let share = Share {
        work: (q.budget.work * PROVER_SHARE).min(PROVER_MOST),
        time: left * PROVER_PATIENCE,
    };
    let may_alias = how.alias == Alias::All;
    let mut again =
        task.prove_if(kernel, given, host, may_alias, &kinds, share, true, &conditions)?;
    proof::leave_usual(&mut again, &usual);
    let late = proof.late;
    proof::replace(proof, again, false);
    proof.late = late;
    Ok(())
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
        may_alias: bool,
        kinds: &[Kind],
        share: Share,
        usual: bool,
    ) -> Result<Proof, String> {
        self.prove_if(kernel, given, host, may_alias, kinds, share, usual, &[])
    }

    /// The same under further conditions, which the verdicts name.
    fn prove_if(
        &self,
        kernel: &Kernel,
        given: &Given,
        host: Origin,
        may_alias: bool,
        kinds: &[Kind],
        share: Share,
        usual: bool,
        conditions: &[Expr],
    ) -> Result<Proof, String> {
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
        let cancel = &self.analysis.input.cancel;
        let patience = match self.analysis.search.reproducible {
            true => A_DAY,
            false => seconds(share.time),
        };
        let (budget, mut spent) = (seconds(share.work), Duration::ZERO);
        let mut run = |assumptions: &Assumptions, kinds: &[Kind], most: Duration, brief: bool| {
            let (left, time) =
                (budget.saturating_sub(spent), patience.saturating_sub(started.elapsed()));
            let left = left.min(most);
            let proof =
                proof::run(kernel, assumptions, kinds, left, time, work, jobs, brief, cancel, log);
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

    /// Asks the prover, without the solver, whether a kernel is free of races with what the help names, and says so.
    pub(crate) fn prove_remedies(
        &self,
        way: &Way,
        how: &Evolve,
        searched: &mut Searched,
        started: Moment,
        budget: f64,
    ) {
        let found = searched.findings.iter_mut().zip(&searched.remedies);
        let tried = found.filter_map(|(f, r)| Some((f, r.as_ref()?)));
        let races = tried.filter(|(f, _)| f.kind == Kind::DataRace);
        for (finding, remedy) in races.take(MOST_PROVED_REMEDIES) {
            let weakest_first = remedy.weaker.as_deref().into_iter().chain([remedy]);
            let is_proved = |r: &&Remedy| {
                let left = seconds((budget - started.elapsed().as_secs_f64()).max(0.0));
                self.is_proved_at_once(&r.kernel, way, how, left)
            };
            if let Some(best) = { weakest_first }.find(is_proved) {
                let tried = "tried: then the kernel is proved free of data races";
                finding.help[0] = format!("{} ({tried})", best.text);
            }
        }
    }

    /// Whether the kernel is proved free of races as usual, without the solver.
    fn is_proved_at_once(&self, kernel: &Kernel, way: &Way, how: &Evolve, time: Duration) -> bool {
        let args = &self.analysis.launch;
        let (given, may_alias) = (&way.given, how.alias == Alias::All);
        let premises = Premises::new(kernel, given, args, may_alias, way.host, true);
        let Some(mut premises) = premises.ok().filter(|_| too_large(kernel).is_none()) else {
            return false;
        };
        premises.add_usual(true);
        let assumptions = premises.assumptions(&premises.all());
        let cancel = &self.analysis.input.cancel;
        let kinds = [Kind::DataRace];
        let proof =
            proof::run(kernel, &assumptions, &kinds, REMEDY_WORK, time, 0, 1, true, cancel, false);
        proof::settles(&proof, Kind::DataRace)
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
