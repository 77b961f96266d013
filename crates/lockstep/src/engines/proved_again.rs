//! What the prover is asked once the search has found something: whether the kernel is proved free of races with what a help
//! names, and under the opposite of all conditions that launches have shown.

use std::time::Duration;

use lockstep_finding::launch::Expr;
use lockstep_finding::{Claim, Confidence, Finding, Kind, Launch, Verdict};
use lockstep_kernel::Kernel;
use lockstep_prove::{Config, Proof, prove};
use lockstep_search::{Alias, Remedy, Searched, usual_launches};
use lockstep_simulate::too_large;

use crate::cli::options::Evolve;
use crate::cli::progress::Engine;
use crate::engines::premises::Premises;
use crate::engines::proof;
use crate::engines::prover::{Asked, share};
use crate::engines::table::{EngineRow, Evidence, Next, Question};
use crate::engines::task::{Engines, Task, Way, seconds};
use crate::facts::launch_facts::number_of;

/// Work for the proof of a remedy.
const REMEDY_WORK: Duration = Duration::from_millis(500);
/// Findings whose remedies the prover is asked about.
const MOST_PROVED_REMEDIES: usize = 2;

pub(crate) const ROW: EngineRow = EngineRow {
    engine: |_| Engine::Prove,
    decides: &[],
    is_asked: |how| matches!(how, Engines::All(_)),
    applies: |_| true,
    look,
};

fn look(task: &Task, q: &Question, evidence: &mut Evidence) -> Result<Next, String> {
    if let (Engines::All(how), Some(proof), Some(searched)) =
        (task.how, &mut evidence.proof, &mut evidence.searched)
    {
        prove_remedies(task, q, how, searched);
        // What the prover cannot read as a condition is none.
        let _ = prove_under_conditions(task, q, how, searched, proof);
    }
    Ok(Next::Ask)
}

/// Asks the prover once more where everything that launches have shown of a kind shows only under conditions: for the
/// opposite of all of these. Its own conditions are each for the whole kernel, so it finds none where one pair of accesses
/// needs a block of whole warps, and another sizes that do not overflow.
fn prove_under_conditions(
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
    let asked = Asked {
        kinds: &kinds,
        may_alias: how.alias == Alias::All,
        share: share(q, left),
        usual: true,
        conditions: &conditions,
    };
    let mut again = task.prove(kernel, given, host, &asked)?;
    proof::leave_usual(&mut again, &usual);
    let late = proof.late;
    proof::replace(proof, again, false);
    proof.late = late;
    Ok(())
}

/// Asks the prover, without the solver, whether a kernel is free of races with what the help names, and says so.
fn prove_remedies(task: &Task, q: &Question, how: &Evolve, searched: &mut Searched) {
    let found = searched.findings.iter_mut().zip(&searched.remedies);
    let tried = found.filter_map(|(f, r)| Some((f, r.as_ref()?)));
    let races = tried.filter(|(f, _)| f.kind == Kind::DataRace);
    for (finding, remedy) in races.take(MOST_PROVED_REMEDIES) {
        let weakest_first = remedy.weaker.as_deref().into_iter().chain([remedy]);
        let is_proved = |r: &&Remedy| {
            let left = seconds((q.budget.time - q.started.elapsed().as_secs_f64()).max(0.0));
            is_proved_at_once(task, &r.kernel, q.way, how, left)
        };
        if let Some(best) = { weakest_first }.find(is_proved) {
            let tried = "tried: then the kernel is proved free of data races";
            finding.help[0] = format!("{} ({tried})", best.text);
        }
    }
}

/// Whether the kernel is proved free of races as usual, without the solver.
fn is_proved_at_once(
    task: &Task,
    kernel: &Kernel,
    way: &Way,
    how: &Evolve,
    time: Duration,
) -> bool {
    let args = &task.analysis.launch;
    let (given, may_alias) = (&way.given, how.alias == Alias::All);
    let premises = Premises::new(kernel, given, args, may_alias, way.host, true);
    let Some(mut premises) = premises.ok().filter(|_| too_large(kernel).is_none()) else {
        return false;
    };
    premises.add_usual(true);
    let assumptions = premises.assumptions(&premises.all());
    let config = Config {
        kinds: vec![Kind::DataRace],
        budget: REMEDY_WORK,
        patience: time,
        work: 0,
        jobs: 1,
        brief: true,
        cancel: task.analysis.input.cancel.clone(),
        audit: None,
        log: false,
    };
    let proof = prove(kernel, &assumptions, &config);
    proof::settles(&proof, Kind::DataRace)
}
