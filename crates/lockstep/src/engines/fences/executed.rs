//! Weak execution, asked about one kernel: its launch is executed many times with store buffers (`lockstep_fences::executed`).
//!
//! Who asks for fences alone gets it always. Beside the other engines, it looks at the launches that the exploration leaves open:
//! those that are too large for it. What is found is told in the words of the exploration, unless that has said it already.

use lockstep_fences::executed::{Executed, Failed, Failure, Question as Weak, Silent, Sweep};
use lockstep_fences::{self as fences, Remedy, Spot};
use lockstep_finding::launch::dims_text;
use lockstep_finding::{
    ArgValue, ArrayContents, ArraySpec, Confidence, Finding, KernelReport, Kind, Launch, Reason,
    Severity, Verdict,
};
use lockstep_kernel::{Elem, Kernel, ParamKind, SiteId};
use lockstep_prove::Proof;
use lockstep_search::usual_launches;
use lockstep_simulate::{BufferStats, MissedStore, bind, too_large};

use crate::cli::options::WeakArgs;
use crate::cli::progress::Engine;
use crate::engines::fences::explorer::Exploration;
use crate::engines::fences::texts;
use crate::engines::table::{EngineRow, Evidence, Next, Question};
use crate::engines::task::{Engines, Task};
use crate::facts::launch_facts::assumptions_hold;
use crate::facts::load;

pub(crate) const ROW: EngineRow = EngineRow {
    engine: |_| Engine::Execute,
    decides: &[],
    is_asked: |how| matches!(how, Engines::All(_) | Engines::Explorer),
    // Its launches are not looked for where none can be executed: that alone takes long for so many accesses.
    applies: |q| q.kinds.contains(&Kind::MissingFence) && too_large(q.kernel).is_none(),
    look,
};

/// What the executions have shown, and of which launch.
pub(crate) struct Execution {
    executed: Executed,
    launch: Launch,
    sweep: Sweep,
    /// The user says what is right.
    is_judged: bool,
    /// The launch was given in full.
    is_given: bool,
}

fn look(task: &Task, q: &Question, evidence: &mut Evidence) -> Result<Next, String> {
    let options = &task.analysis.weak;
    let is_check = |name: &String| load::is_named(q.kernel, name);
    let is_wanted = match task.how {
        Engines::Explorer => options.is_given() || fences::communicates(q.kernel),
        _ => fences::communicates(q.kernel) && is_open(q, evidence),
    };
    if !is_wanted || options.check.as_ref().is_some_and(is_check) {
        return Ok(Next::Ask);
    }
    let seed = task.analysis.launch.seed;
    let assume = &task.analysis.launch.assume;
    let is_allowed = |launch: &Launch| matches!(assumptions_hold(assume, launch), Ok(Ok(())));
    let mut launches = usual_launches(q.kernel, &q.way.given, seed).into_iter();
    let Some(launch) = launches.next().filter(is_allowed) else { return Ok(Next::Ask) };
    let bound = bind::bind(q.kernel, &launch)?;
    let expect = options
        .expect
        .iter()
        .map(|text| expected(q.kernel, &launch, text))
        .collect::<Result<Vec<_>, String>>()?;
    let checks = match &options.check {
        Some(name) => Some(check_kernel(task, q, name)?),
        None => None,
    };
    let sweep = sweep(options, seed);
    let weak = Weak {
        kernel: q.kernel,
        launch: &bound,
        config: &q.config,
        sweep: sweep.clone(),
        expect,
        check: checks.as_ref().map(|(check, params)| (check, params.clone())),
        root_cause: !is_cause_known(evidence),
    };
    let executed = fences::executed::execute(&weak);
    if executed.cut && q.config.deadline.is_some_and(lockstep_cancel::Moment::is_past) {
        task.hurried.set(true);
    }
    if let (true, Some(stats)) = (options.stats, &executed.stats) {
        eprint!("{}", stats_text(&q.kernel.name, &launch, stats, sweep.probabilities[0]));
    }
    if let (true, Err(Silent::NotExecuted(why) | Silent::FailsAnyway(why))) =
        (options.is_given(), &executed.outcome)
    {
        eprintln!("kernel {}: no executions with store buffers: {why}", q.kernel.name);
    }
    let is_judged = options.check.is_some() || !options.expect.is_empty();
    let is_given = q.is_complete();
    evidence.executed = Some(Execution { executed, launch, sweep, is_judged, is_given });
    Ok(Next::Ask)
}

/// Whether another engine has found out where a fence is missing.
fn is_cause_known(evidence: &Evidence) -> bool {
    let is_cause = |f: &Finding| f.kind == Kind::MissingFence && f.holds_when.is_none();
    let searched = evidence.searched.as_ref();
    evidence.explored.as_ref().is_some_and(|e| e.answer.missing.is_some())
        || searched.is_some_and(|s| s.findings.iter().any(is_cause))
}

/// Whether the other engines leave it open that a fence is missing: executions that find an error say nothing about fences, and
/// where all are known, none is left to make.
fn is_open(q: &Question, evidence: &Evidence) -> bool {
    let searched = evidence.searched.as_ref();
    let is_error = |f: &Finding| {
        let is_certain = f.confidence == Confidence::Confirmed && f.holds_when.is_none();
        is_certain && f.severity == Severity::Error && f.kind != Kind::MissingFence
    };
    let fails = searched.is_some_and(|s| s.findings.iter().any(is_error));
    let is_proved = |proof: &Proof| {
        let own = proof.verdicts.iter().find(|(kind, _)| *kind == Kind::MissingFence);
        matches!(own, Some((_, Verdict::Proved { .. })))
    };
    let is_known = |explored: &Exploration| {
        let is_whole = explored.is_given || !q.is_complete() && explored.narrow.is_none();
        explored.answer.missing.is_some() || is_whole && explored.answer.exhaustive()
    };
    !fails
        && !evidence.proof.as_ref().is_some_and(is_proved)
        && !evidence.explored.as_ref().is_some_and(is_known)
}

fn sweep(options: &WeakArgs, seed: u64) -> Sweep {
    let all = Sweep::default();
    let probabilities = options.buffer_probability.map_or(all.probabilities, |p| vec![p]);
    Sweep { probabilities, size: options.buffer_size, seed, ..all }
}

/// `NAME=@FILE`: what an array must hold after the launch.
fn expected(kernel: &Kernel, launch: &Launch, text: &str) -> Result<(usize, Vec<u8>), String> {
    let wrong = |what: &str| format!("--expect '{text}': {what}");
    let (name, file) =
        text.split_once("=@").ok_or_else(|| wrong("NAME=@FILE expected, such as out=@out.bin"))?;
    if file.is_empty() {
        return Err(wrong("the file's name is missing after '@'"));
    }
    let named = kernel.params.iter().position(|p| p.name == name);
    let numbered = || name.parse().ok().filter(|i: &usize| *i < kernel.params.len());
    let param = named
        .or_else(numbered)
        .ok_or_else(|| wrong(&format!("no parameter '{name}' of kernel {}", kernel.name)))?;
    let own = &kernel.params[param].name;
    let given = launch.args.iter().find(|(name, _)| name == own).map(|(_, value)| value);
    let Some(ArgValue::Array(spec)) = given else {
        return Err(wrong(&format!("parameter '{own}' is no array of its own")));
    };
    let contents = ArrayContents::File(file.to_owned());
    let spec = ArraySpec { contents, ..spec.clone() };
    spec.to_bytes(own, 0).map(|bytes| (param, bytes)).map_err(|why| wrong(&why))
}

/// The kernel that checks the arrays, and which parameters of the other it has.
fn check_kernel(task: &Task, q: &Question, name: &str) -> Result<(Kernel, Vec<usize>), String> {
    let module = q.source.load(&task.analysis.input).map_err(|e| e.message)?;
    let found = module.kernels.into_iter().find(|kernel| load::is_named(kernel, name));
    let check = found.ok_or_else(|| format!("--check: there is no kernel '{name}' in the file"))?;
    let of = |param: &lockstep_kernel::Param| {
        let place = q.kernel.params.iter().position(|own| own.name == param.name);
        place.filter(|&i| is_alike(q.kernel.params[i].kind, param.kind)).ok_or_else(|| {
            format!(
                "--check: parameter '{}' of {name} is none of {}; if it checks another kernel, choose that with --kernel",
                param.name, q.kernel.name
            )
        })
    };
    let params = check.params.iter().map(of).collect::<Result<Vec<usize>, String>>()?;
    Ok((check, params))
}

/// Whether an argument for the one can be given for the other.
fn is_alike(one: ParamKind, other: ParamKind) -> bool {
    match (one, other) {
        (ParamKind::Buffer { .. }, ParamKind::Buffer { .. }) => true,
        (ParamKind::Local { .. }, ParamKind::Local { .. }) => true,
        _ => one == other,
    }
}

/// Adds what the executions have shown to a report.
pub(crate) fn join(kernel: &Kernel, execution: &Execution, report: &mut KernelReport) {
    let Execution { executed, .. } = execution;
    let Some(place) = report.verdicts.iter().position(|(kind, _)| *kind == Kind::MissingFence)
    else {
        return;
    };
    let better = match &executed.outcome {
        Err(Silent::NotExecuted(_) | Silent::FailsAnyway(_)) => return,
        Ok(Some(failed)) => {
            let text = failure_text(kernel, execution, failed);
            let finding = finding(kernel, execution, failed);
            let same = |own: &&mut Finding| finding.as_ref().is_some_and(|f| says_the_same(own, f));
            if let Some(own) = report.findings.iter_mut().find(same) {
                // Said already; new is what comes of it.
                own.help.push(text);
                let is_certain = |f: &Finding| f.confidence == Confidence::Confirmed;
                if is_certain(own) || !finding.as_ref().is_some_and(is_certain) {
                    return;
                }
                own.confidence = Confidence::Confirmed;
                own.launch = Some(execution.launch.clone());
                report.verdicts[place].1 = Verdict::Found;
                return;
            }
            match finding.filter(|_| failed.remedies.is_some()) {
                Some(finding) => {
                    let confirmed = finding.confidence == Confidence::Confirmed;
                    report.findings.push(finding);
                    match confirmed {
                        true => Verdict::Found,
                        false => Verdict::Unknown { because: Reason::NotConfirmed },
                    }
                }
                // That is no missing fence, and where all executions were explored, nothing is unknown.
                None if !matches!(report.verdicts[place].1, Verdict::Unknown { .. }) => return,
                None => {
                    let why = format!("{text}, and fences do not cure it");
                    Verdict::Unknown { because: Reason::NotExplored { why } }
                }
            }
        }
        Ok(None) if executed.cut || executed.suspected => return,
        Ok(None) if !executed.agrees && !execution.is_judged => return,
        Ok(None) => {
            let covered = covered(execution);
            match &report.verdicts[place].1 {
                Verdict::Clean { covered: others } => {
                    Verdict::Clean { covered: format!("{others}; {covered}") }
                }
                Verdict::Unknown {
                    because: Reason::NotExplored { .. } | Reason::ExplorationCut,
                } => Verdict::Clean { covered },
                _ => return,
            }
        }
    };
    let own = &mut report.verdicts[place].1;
    if *own != Verdict::Found {
        *own = better;
    }
}

/// `32 executions with store buffers, with grid 16 and block 256`.
fn covered(execution: &Execution) -> String {
    let Launch { grid, block, .. } = &execution.launch;
    format!(
        "{} executions with store buffers, with grid {} and block {}",
        execution.executed.runs,
        dims_text(*grid),
        dims_text(*block)
    )
}

/// Whether a finding of another engine is about one of the accesses.
fn says_the_same(own: &Finding, other: &Finding) -> bool {
    let lines = |f: &Finding| -> Vec<(String, u32)> {
        f.accesses.iter().map(|a| (a.place.file.clone(), a.place.line)).collect()
    };
    let theirs = lines(other);
    own.kind == Kind::MissingFence && lines(own).iter().any(|line| theirs.contains(line))
}

/// A missing fence; none if no load missed a store.
fn finding(kernel: &Kernel, execution: &Execution, failed: &Failed) -> Option<Finding> {
    let remedies = failed.remedies.as_deref().unwrap_or_default();
    let missed = culprit(kernel, failed, remedies)?;
    let [store, load] = &missed.accesses;
    let object = missed.memory.object.as_deref().unwrap_or("?");
    let element = missed.memory.element.unwrap_or(0);
    let space = missed.memory.space;
    let message = texts::pair([store, load], space, object, element, texts::NO_FENCE);
    let mut finding = Finding::new(Kind::MissingFence, message, vec![store.clone(), load.clone()]);
    finding.memory = Some(missed.memory.clone());
    finding.explored = true;
    finding.launch = Some(execution.launch.clone());
    // Arguments that we chose may be such that nobody passes them.
    if !failed.verified || !execution.is_given {
        finding.confidence = Confidence::Possible;
    }
    let seen = format!("none of {} executions with store buffers fails", failed.tried);
    finding.help = texts::help(kernel, remedies, failed.verified.then_some(&seen));
    finding.help.push(failure_text(kernel, execution, failed));
    Some(finding)
}

/// The accesses to show: a store that a missing fence would have flushed, or else a load that one would have kept from being
/// early; plain ones rather than flags.
fn culprit<'a>(
    kernel: &Kernel,
    failed: &'a Failed,
    remedies: &[Remedy],
) -> Option<&'a MissedStore> {
    let spots: Vec<SiteId> = remedies.iter().filter_map(spot).collect();
    let is_flag = |site: SiteId| {
        let site = kernel.site(site);
        site.volatile || site.kind == lockstep_kernel::SiteKind::Atomic
    };
    let rank = |missed: &&MissedStore| {
        let flags = [missed.store, missed.load].iter().filter(|site| is_flag(**site)).count();
        (flags, !spots.contains(&missed.store), missed.store, missed.load)
    };
    failed.missed.iter().min_by_key(rank)
}

fn spot(remedy: &Remedy) -> Option<SiteId> {
    match remedy {
        Remedy::Insert { spot: Spot::After(site) | Spot::Before(site), .. } => Some(*site),
        _ => None,
    }
}

/// What goes wrong, and in which execution.
fn failure_text(kernel: &Kernel, execution: &Execution, failed: &Failed) -> String {
    let element = |param: usize, byte: usize| {
        let param = &kernel.params[param];
        let size = match param.kind {
            ParamKind::Buffer { elem: Elem::Scalar(ty), .. } => ty.bytes() as usize,
            ParamKind::Buffer { elem, .. } => elem.size() as usize,
            _ => 1,
        };
        format!("{}[{}]", param.name, byte / size.max(1))
    };
    let wrong = match &failed.failure {
        Failure::Fault(finding) => finding.message.clone(),
        Failure::Check(finding) => format!("the check fails: {}", finding.message),
        Failure::Unexpected { param, byte } => {
            format!("{} is not as expected", element(*param, *byte))
        }
        Failure::Differs { param, byte } => {
            format!("{} is not what it is without reordering", element(*param, *byte))
        }
    };
    let Sweep { runs, seed, .. } = &execution.sweep;
    format!(
        "{wrong}, in {} of {} executions with store buffers, the first with --buffer-probability {} --seed {seed} (execution {} of {runs})",
        failed.failures,
        execution.executed.runs,
        failed.run.probability,
        failed.run.number + 1,
    )
}

/// Fences and stores that threads execute, and how long buffers are when they are flushed.
fn stats_text(name: &str, launch: &Launch, stats: &BufferStats, probability: f64) -> String {
    let (grid, block) = (dims_text(launch.grid), dims_text(launch.block));
    let mut text = format!(
        "kernel {name}, grid {grid}, block {block}, buffer probability {probability}:\n  fences executed: {} (places: {})\n  stores executed: {} shared, {} global\n",
        stats.fences, stats.fence_places, stats.shared_stores, stats.global_stores
    );
    for (memory, rows) in [("shared", &stats.shared_lengths), ("global", &stats.global_lengths)] {
        if rows.is_empty() {
            continue;
        }
        text += &format!("  length of buffers of {memory} stores when they are flushed:\n");
        let all: u64 = rows.iter().sum();
        for (row, count) in rows.iter().enumerate() {
            let most = 1u64 << row;
            let least = most / 2 + 1;
            let range = if least == most { format!("{most}") } else { format!("{least}-{most}") };
            let part = 100.0 * *count as f64 / all as f64;
            text += &format!("    {range:>9}  {count:>9}  {part:5.1}%\n");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn histograms_have_powers_of_two() {
        let launch = Launch { grid: [2, 1, 1], block: [32, 1, 1], ..Launch::default() };
        let stats = BufferStats {
            fences: 4,
            fence_places: 1,
            global_stores: 12,
            global_lengths: vec![3, 0, 1],
            ..BufferStats::default()
        };
        let expected = "\
kernel k, grid 2, block 32, buffer probability 1:
  fences executed: 4 (places: 1)
  stores executed: 0 shared, 12 global
  length of buffers of global stores when they are flushed:
            1          3   75.0%
            2          0    0.0%
          3-4          1   25.0%
";
        assert_eq!(stats_text("k", &launch, &stats, 1.0), expected);
    }
}
