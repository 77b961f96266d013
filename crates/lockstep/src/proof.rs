//! What the prover is asked, and how its answers join those of the simulator.

use std::time::Duration;

use lockstep_cancel::Cancel;
use lockstep_finding::launch::{Dimension, Expr, Number, Relation};
use lockstep_finding::{
    Access, Approximated, ArgValue, Confidence, Finding, KernelReport, Kind, Launch, Place,
    Severity, Verdict,
};
use lockstep_kernel::{Kernel, SiteId};
use lockstep_prove::{
    Alarm, AssumeExpr, Assumptions, Config, DimSpec, Model, Proof, absent, prove,
};
use lockstep_search::{Given, Suggestion, UsualDims};
use lockstep_simulate::bind;

use crate::dims::DimArg;
use crate::launch_facts::assumptions_hold;
use crate::options::{LaunchArgs, SchedulingArg};

/// What the prover looks for.
pub(crate) const PROVABLE: [Kind; 4] =
    [Kind::DataRace, Kind::BarrierDivergence, Kind::RedundantBarrier, Kind::OutOfBounds];

/// Bytes beyond which no array of a small launch reaches.
const FAR_OUT: i64 = 1 << 30;
/// Threads of a launch that is worth trying.
const MOST_THREADS: u64 = 1 << 20;

/// The launches that a proof is about: what is given is a fact, the rest may be
/// anything.
pub(crate) fn assumptions(
    kernel: &Kernel,
    given: &Given,
    args: &LaunchArgs,
    may_alias: bool,
) -> Assumptions {
    let dims = |arg: Option<DimArg>, given: Option<[u32; 3]>| match (arg, given) {
        (Some(arg), _) => arg.0.map(|d| d.map_or(DimSpec::Any, DimSpec::Exactly)),
        (None, Some(dims)) => dims.map(DimSpec::Exactly),
        (None, None) => [DimSpec::Any; 3],
    };
    let mut out = Assumptions {
        grid: dims(args.grid, given.grid),
        block: dims(args.block, given.block),
        may_alias,
        scheduling: match args.scheduling() {
            SchedulingArg::Independent => lockstep_prove::Scheduling::Independent,
            SchedulingArg::Lockstep => lockstep_prove::Scheduling::Lockstep,
        },
        warp_size: args.warp_size(),
        // Who gives the number of groups gives whole ones.
        one_size: given.grid.is_some() && given.block.is_some(),
        ..Assumptions::default()
    };
    for (i, (param, value)) in kernel.params.iter().zip(&given.args).enumerate() {
        match value {
            Some(ArgValue::Array(spec)) => out.lengths.push((i, spec.bytes())),
            Some(value) => {
                out.scalars.extend(bind::scalar_bits_of(param, value).map(|bits| (i, bits)));
            }
            None => {}
        }
    }
    out
}

/// Adds `--assume`. With `only_some`, what the prover cannot read (it knows no
/// floats) is left out: then it proves more than was asked.
pub(crate) fn assume_given(
    kernel: &Kernel,
    exprs: &[String],
    assumptions: &mut Assumptions,
    only_some: bool,
) -> Result<(), String> {
    for text in exprs {
        match AssumeExpr::parse(text, kernel) {
            Ok(expr) => assumptions.exprs.push(expr),
            Err(_) if only_some => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

/// A block's dimension that is only guessed, by the arithmetic of indices and by shared arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Guess {
    axis: usize,
    threads: u32,
    exactly: bool,
    /// As many blocks as there are at most if this many threads are, all in all.
    grid: Option<u32>,
}

impl Guess {
    fn texts(self) -> Vec<String> {
        let Guess { threads, .. } = self;
        let axis = ["x", "y", "z"][self.axis];
        let is = if self.exactly { "==" } else { "<=" };
        let grid = self.grid.map(|most| format!("gridDim.{axis} <= {}", most / threads));
        [Some(format!("blockDim.{axis} {is} {threads}")), grid].into_iter().flatten().collect()
    }

    fn assume(self, assumptions: &mut Assumptions) -> Vec<String> {
        if self.exactly {
            assumptions.block[self.axis] = DimSpec::Exactly(self.threads);
        } else {
            assumptions.most_block[self.axis] = Some(self.threads);
            assumptions.most_grid[self.axis] = self.grid.map(|most| most / self.threads);
        }
        self.texts()
    }

    /// The next weaker condition, given what a proof assumes.
    fn weaker(self, proof: &Proof) -> Option<Guess> {
        let axis = ["x", "y", "z"][self.axis];
        let bound =
            format!("gridDim.{axis} * blockDim.{axis} <= {}", lockstep_prove::MOST_NUMBERED);
        let is_bounded =
            |v: &Verdict| matches!(v, Verdict::Proved { assumes } if assumes.contains(&bound));
        let is_bounded = proof.verdicts.iter().any(|(_, v)| is_bounded(v));
        let grid = is_bounded.then_some(lockstep_prove::MOST_NUMBERED);
        self.exactly.then_some(Guess { exactly: false, grid, ..self })
    }
}

/// What a caller who knows the kernel would never do otherwise, where nothing is given and the host computes nothing else: the
/// axes along which nobody looks, which have one thread or block, and guesses of sizes.
pub(crate) fn usual(
    kernel: &Kernel,
    relations: &[Relation],
    assumptions: &mut Assumptions,
) -> (Vec<String>, Vec<Guess>) {
    let mut usual = UsualDims::of(kernel);
    for dimension in relations.iter().filter_map(|r| Dimension::named(&r.name)) {
        match dimension {
            Dimension::Block(a) => (usual.block[a], usual.most_block[a]) = (None, None),
            Dimension::Grid(a) => usual.grid[a] = None,
        }
    }
    let (mut named, mut guesses) = (Vec::new(), Vec::new());
    for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
        match (assumptions.block[axis], usual.block[axis], usual.most_block[axis]) {
            (DimSpec::Any, Some(1), _) => {
                assumptions.block[axis] = DimSpec::Exactly(1);
                named.push(format!("blockDim.{name} == 1"));
            }
            (DimSpec::Any, Some(threads), _) => {
                guesses.push(Guess { axis, threads, exactly: true, grid: None });
            }
            (DimSpec::Any, None, Some(threads)) => {
                guesses.push(Guess { axis, threads, exactly: false, grid: None });
            }
            _ => {}
        }
        if let (DimSpec::Any, Some(n)) = (assumptions.grid[axis], usual.grid[axis]) {
            assumptions.grid[axis] = DimSpec::Exactly(n);
            named.push(format!("gridDim.{name} == {n}"));
        }
    }
    (named, guesses)
}

/// Adds guesses to what is assumed; the conditions so added, in C.
pub(crate) fn assume_guesses(guesses: &[Guess], assumptions: &mut Assumptions) -> Vec<String> {
    guesses.iter().flat_map(|g| g.assume(assumptions)).collect()
}

/// Guesses that say less, none where there is nothing left to say less of.
pub(crate) fn weaker(guesses: &[Guess], proof: &Proof) -> Option<Vec<Guess>> {
    let weaker = || guesses.iter().filter_map(|g| g.weaker(proof)).collect();
    (!guesses.is_empty()).then(weaker)
}

/// The kinds that are proved, under whatever condition, and of which there is no alarm but for indices that overflow.
pub(crate) fn settled(proof: &Proof) -> Vec<Kind> {
    let open = open(proof);
    let kinds = proof.verdicts.iter().map(|(k, _)| *k);
    kinds.filter(|k| *k != Kind::RedundantBarrier && !open.contains(k)).collect()
}

/// Takes what another proof says under other guesses, where it asks for no condition that was not asked before; the kinds taken.
pub(crate) fn replace_weaker(proof: &mut Proof, mut other: Proof) -> Vec<Kind> {
    let is_asked = |kind: Kind, condition: &String| {
        let own = proof.verdicts.iter().find(|(k, _)| *k == kind).map(|(_, v)| v);
        matches!(own, Some(Verdict::Proved { assumes }) if assumes.contains(condition))
    };
    other.verdicts.retain(|(k, v)| match v {
        Verdict::Proved { assumes } => assumes.iter().all(|c| is_asked(*k, c)),
        _ => false,
    });
    let taken = settled(&other);
    other.verdicts.retain(|(k, _)| taken.contains(k));
    other.late = false;
    replace(proof, other, false);
    taken
}

/// Adds the dimensions that the host always launches; the conditions so added, in C.
pub(crate) fn assume_dims(relations: &[Relation], assumptions: &mut Assumptions) -> Vec<String> {
    let mut named = Vec::new();
    for relation in relations {
        let Expr::Number(Number::Int(v)) = relation.value else { continue };
        let (dims, axis) = match Dimension::named(&relation.name) {
            Some(Dimension::Block(axis)) => (&mut assumptions.block, axis),
            Some(Dimension::Grid(axis)) => (&mut assumptions.grid, axis),
            None => continue,
        };
        let Ok(v) = u32::try_from(v) else { continue };
        if dims[axis] == DimSpec::Any && v > 0 {
            dims[axis] = DimSpec::Exactly(v);
            named.push(relation.to_string());
        }
    }
    named
}

/// Adds how the rest of a launch hangs together, by the host; the conditions so added, in C.
pub(crate) fn assume_related(
    kernel: &Kernel,
    given: &Given,
    assumptions: &mut Assumptions,
) -> Vec<String> {
    let mut named = Vec::new();
    let relations = given.relations.iter().map(Relation::to_string);
    for text in relations.chain(given.conditions.iter().map(Expr::to_string)) {
        let is_new = !assumptions.exprs.iter().any(|e| e.text == text);
        if let Ok(expr) = AssumeExpr::parse(&text, kernel)
            && is_new
        {
            assumptions.exprs.push(expr);
            named.push(text);
        }
    }
    named
}

/// The kinds that a proof leaves open, or settles only under conditions that a host may ensure.
pub(crate) fn open(proof: &Proof) -> Vec<Kind> {
    let alarms = |k: Kind| proof.alarms.iter().any(|a| a.finding.kind == k && !a.overflows);
    let is_open = |k: Kind, v: &Verdict| !matches!(v, Verdict::Proved { .. }) || alarms(k);
    let open = proof.verdicts.iter().filter(|(k, v)| is_open(*k, v)).map(|(k, _)| *k);
    let mut open: Vec<Kind> = open.collect();
    // A barrier is redundant where there is no race without it.
    if !open.contains(&Kind::DataRace) {
        open.retain(|k| *k != Kind::RedundantBarrier);
    }
    open
}

/// Takes what another proof, under more conditions, says of the kinds that it is about, unless it says less; one that is
/// not `whole` had no time to look at everything.
pub(crate) fn replace(proof: &mut Proof, other: Proof, whole: bool) {
    let is_proved = |v: &Verdict| matches!(v, Verdict::Proved { .. });
    let mut taken = Vec::new();
    proof.late |= other.late;
    for (kind, verdict) in other.verdicts {
        if let Some((_, own)) = proof.verdicts.iter_mut().find(|(k, _)| *k == kind)
            && (is_proved(&verdict) || whole && !is_proved(own))
        {
            *own = verdict;
            taken.push(kind);
        }
    }
    if taken.contains(&Kind::DataRace) {
        (proof.safe, proof.may_race) = (other.safe, other.may_race);
        (proof.grid, proof.block) = (other.grid, other.block);
    }
    proof.alarms.retain(|a| !taken.contains(&a.finding.kind));
    proof.alarms.extend(other.alarms.into_iter().filter(|a| taken.contains(&a.finding.kind)));
}

/// Adds conditions to those that a proof of these kinds names, each once.
pub(crate) fn name_usual(proof: &mut Proof, kinds: &[Kind], named: &[String]) {
    for (kind, verdict) in &mut proof.verdicts {
        if let Verdict::Proved { assumes } = verdict
            && kinds.contains(kind)
        {
            name_once(assumes, named);
        }
    }
}

/// Takes back what is proved only under conditions that no usual launch satisfies: a size of one, say, where nothing can
/// go wrong. They are looked at where they speak of arguments.
pub(crate) fn leave_usual(proof: &mut Proof, usual: &dyn Fn() -> Vec<Launch>) {
    let mut launches: Option<Vec<Launch>> = None;
    for (_, verdict) in &mut proof.verdicts {
        let Verdict::Proved { assumes } = verdict else { continue };
        let said: Vec<&String> = assumes.iter().filter(|a| speaks_of_arguments(a)).collect();
        if said.is_empty() {
            continue;
        }
        let launches = launches.get_or_insert_with(usual);
        let holds =
            |text: &str, l: &Launch| !matches!(assumptions_hold(&[text.to_owned()], l), Ok(Err(_)));
        let fails = |l: &Launch| said.iter().find(|a| !holds(a, l));
        let Some(first) = launches.first().and_then(fails) else { continue };
        if launches.iter().all(|l| fails(l).is_some()) {
            let because = format!("proved only if {first}, which no usual launch satisfies");
            *verdict = Verdict::Unknown { because };
        }
    }
}

/// Whether a condition is one on arguments, which can be looked up in a launch.
fn speaks_of_arguments(condition: &str) -> bool {
    let mut found = false;
    if let Ok(expr) = Expr::parse(condition) {
        expr.for_each_name(&mut |n| found |= Dimension::named(n).is_none() && !n.contains('('));
    }
    found
}

fn name_once(assumes: &mut Vec<String>, named: &[String]) {
    let is_said = |n: &&String| !assumes.iter().any(|a| a.split(" && ").any(|part| part == *n));
    let new: Vec<&str> = named.iter().filter(is_said).map(String::as_str).collect();
    if !new.is_empty() {
        assumes.push(new.join(" && "));
    }
}

pub(crate) fn run(
    kernel: &Kernel,
    assumptions: &Assumptions,
    kinds: &[Kind],
    budget: Duration,
    work: u32,
    jobs: usize,
    brief: bool,
    cancel: &Cancel,
) -> Proof {
    let kinds = kinds.iter().copied().filter(|k| PROVABLE.contains(k)).collect();
    let config = Config { kinds, budget, work, jobs, brief, cancel: cancel.clone() };
    let mut proof = prove(kernel, assumptions, &config);
    for finding in proof.alarms.iter_mut().map(|a| &mut a.finding) {
        say_plainly(&mut finding.approximated);
    }
    proof
}

/// What the prover calls by the name of an operation, a reader of the source does not know.
fn say_plainly(approximated: &mut Vec<Approximated>) {
    let plain = |name: &str| match name.strip_suffix(" (not modelled)") {
        None => name.to_owned(),
        // Ordered and unordered comparisons.
        Some(op) if op.starts_with("FO") || op.starts_with("FU") => {
            "a comparison of floating-point values".into()
        }
        Some(op) if op.starts_with('F') || op == "fma" => "a floating-point value".into(),
        Some(op) => format!("a result of {}", op.to_lowercase()),
    };
    let mut out: Vec<Approximated> = Vec::new();
    for a in approximated.drain(..) {
        let variable = plain(&a.variable);
        match out.iter_mut().find(|o| o.variable == variable) {
            Some(o) => {
                o.affects_reachability |= a.affects_reachability;
                o.affects_index |= a.affects_index;
            }
            None => out.push(Approximated { variable, ..a }),
        }
    }
    *approximated = out;
}

/// Launches that may show the alarms.
pub(crate) fn suggestions(proof: &Proof) -> Vec<Suggestion> {
    let models = proof.alarms.iter().filter_map(|a| a.model.as_ref());
    let models = models.filter(|m| can_be_launched(m));
    let suggestion = |m: &Model| Suggestion {
        grid: m.grid,
        block: m.block,
        scalars: m.scalars.clone(),
        cells: m.contents.iter().map(|c| (c.param, c.offset, c.bytes, c.value)).collect(),
    };
    let mut out: Vec<Suggestion> = Vec::new();
    for s in models.map(suggestion) {
        if !out.contains(&s) {
            out.push(s);
        }
    }
    out
}

/// Whether nothing of a kind is left to look for: it is proved, and not only
/// under a condition that an alarm goes with.
pub(crate) fn settles(proof: &Proof, kind: Kind) -> bool {
    let proved = |(k, v): &(Kind, Verdict)| *k == kind && matches!(v, Verdict::Proved { .. });
    // A proof says nothing of what a barrier is for besides races.
    kind != Kind::RedundantBarrier
        && proof.verdicts.iter().any(proved)
        && !proof.alarms.iter().any(|a| a.finding.kind == kind)
}

/// The accesses that may race, where it is known of all others that they do not. That there is no alarm is not enough for
/// there to be none.
pub(crate) fn may_race(proof: &Proof) -> Option<Vec<(SiteId, SiteId)>> {
    match settles(proof, Kind::DataRace) {
        true => Some(Vec::new()),
        false => proof.may_race.clone().filter(|pairs| !pairs.is_empty()),
    }
}

/// Whether an alarm claims to be a bug, and could be shown to be one.
fn claims(alarm: &Alarm) -> bool {
    let finding = &alarm.finding;
    finding.confidence == Confidence::Confirmed && finding.kind != Kind::RedundantBarrier
}

pub(crate) fn has_confirmed(proof: &Proof) -> bool {
    proof.alarms.iter().any(claims)
}

/// Leaves `confirmed` only what a launch has shown, and gives it that launch: a
/// proof may be wrong about what follows exactly, an execution is not.
pub(crate) fn keep_confirmed(proof: &mut Proof, seen: &[Finding]) {
    for alarm in proof.alarms.iter_mut().filter(|a| claims(a)) {
        let shows =
            |f: &&Finding| f.kind == alarm.finding.kind && lines(f) == lines(&alarm.finding);
        match seen.iter().find(shows) {
            Some(f) => alarm.finding.launch.clone_from(&f.launch),
            None => alarm.finding.confidence = Confidence::Possible,
        }
    }
    for (kind, verdict) in &mut proof.verdicts {
        let stands = |a: &Alarm| {
            a.finding.kind == *kind
                && a.finding.holds_when.is_none()
                && a.finding.confidence == Confidence::Confirmed
        };
        if *verdict == Verdict::Found && !proof.alarms.iter().any(stands) {
            *verdict = Verdict::Unknown { because: "a possible finding is not confirmed".into() };
        }
    }
}

/// Of a verdict that the prover had no time for.
const LATE: &str = "the prover's part of the time was over before it had an answer";

/// Joins what was proved with what was found by executing.
///
/// A proof stands unless a launch contradicts it: what was executed was seen. An
/// alarm that a launch reproduced is that finding; one that none did is `possible`,
/// whatever the prover thinks of it.
pub(crate) fn join(
    proof: Proof,
    findings: &mut Vec<Finding>,
    verdicts: &mut [(Kind, Verdict)],
    strict: bool,
) {
    for alarm in &proof.alarms {
        if alarm.finding.kind == Kind::RedundantBarrier {
            confirm_barrier(alarm, findings);
        } else if alarm.model.as_ref().is_some_and(can_be_launched) && !is_far_out(alarm) {
            add(alarm, findings);
        }
    }
    findings.sort_by_key(|f| (f.holds_when.is_some(), f.confidence == Confidence::Possible));
    for (kind, proved) in proof.verdicts {
        let barriers = kind == Kind::RedundantBarrier;
        let Some((_, verdict)) = verdicts.iter_mut().find(|(k, _)| *k == kind) else { continue };
        let stands = || findings.iter().filter(|f| f.kind == kind && f.holds_when.is_none());
        let confirmed = stands().any(|f| strict || f.confidence == Confidence::Confirmed);
        *verdict = match (proved, &*verdict) {
            _ if confirmed => Verdict::Found,
            (proved @ Verdict::Proved { .. }, _) if stands().next().is_none() && !barriers => {
                proved
            }
            (_, _) if stands().next().is_some() => {
                Verdict::Unknown { because: "a possible finding is not confirmed".into() }
            }
            // With more time there might have been an alarm, or a condition for one that no launch shows.
            (Verdict::Unknown { .. } | Verdict::Found, Verdict::Clean { covered })
                if proof.late =>
            {
                Verdict::Clean { covered: format!("{covered}; {LATE}") }
            }
            (_, simulated) => simulated.clone(),
        };
    }
}

/// Adds what the kernel cannot do for want of the operations, where nothing says otherwise.
pub(crate) fn add_absent(kernel: &Kernel, report: &mut KernelReport) {
    let verdict = |kind: Kind| report.verdicts.iter().find(|(k, _)| *k == kind).map(|(_, v)| v);
    let absent = absent(kernel, &verdict);
    for (kind, better) in absent {
        let mut seen = report.findings.iter().filter(|f| f.kind == kind);
        debug_assert!(
            !seen.clone().any(|f| f.confidence == Confidence::Confirmed),
            "{}: {kind} was seen, and cannot be",
            kernel.name
        );
        let is_seen = seen.next().is_some();
        let Some((_, verdict)) = report.verdicts.iter_mut().find(|(k, _)| *k == kind) else {
            continue;
        };
        let is_better = match verdict {
            Verdict::Unknown { .. } => true,
            Verdict::Clean { .. } => matches!(better, Verdict::Proved { .. }),
            Verdict::Proved { assumes } => {
                !assumes.is_empty() && better == Verdict::Proved { assumes: Vec::new() }
            }
            Verdict::Found => false,
        };
        if is_better && !is_seen {
            *verdict = better;
        }
    }
}

/// Whether the search could try the model. Without one the solver had no answer,
/// which is no alarm, only no proof; and one that needs millions of blocks is about
/// indices that overflow, which is as well left to `lockstep prove`.
fn can_be_launched(model: &Model) -> bool {
    let threads: u64 = model.grid.iter().chain(&model.block).map(|&d| u64::from(d)).product();
    threads <= MOST_THREADS
}

/// Whether the accesses meet where no array is: their index has overflowed, or comes of sizes that no caller has.
fn is_far_out(alarm: &Alarm) -> bool {
    let bytes = alarm.finding.memory.as_ref().and_then(|m| m.bytes);
    bytes.is_some_and(|[from, _]| !(-FAR_OUT..=4 * FAR_OUT).contains(&from))
}

/// The places of a finding, in a fixed order.
fn lines(f: &Finding) -> Vec<(String, u32)> {
    let mut lines: Vec<(String, u32)> =
        f.accesses.iter().map(|a| (a.place.file.clone(), a.place.line)).collect();
    lines.sort();
    lines.dedup();
    lines
}

/// A barrier that is redundant in every launch tried, and without which the kernel
/// is still proved free of races, is redundant. The proof alone does not know what
/// else a barrier may order (atomics among each other, results for other blocks).
fn confirm_barrier(alarm: &Alarm, findings: &mut [Finding]) {
    let same = |f: &&mut Finding| f.kind == alarm.finding.kind && lines(f) == lines(&alarm.finding);
    if let Some(seen) = findings.iter_mut().find(same) {
        seen.confidence = alarm.finding.confidence;
        seen.help.retain(|h| !h.starts_with("this rests on"));
    }
}

fn add(alarm: &Alarm, findings: &mut Vec<Finding>) {
    let new = &alarm.finding;
    let same = |f: &Finding| f.kind == new.kind && lines(f) == lines(new);
    if !findings.iter().any(|f| same(f) || subsumes(f, new)) {
        // No launch that was tried shows it.
        findings.push(Finding { confidence: Confidence::Possible, ..new.clone() });
    }
}

/// Whether a launch has shown what the alarm fears, and more: a barrier that threads miss, for whatever reason, or
/// two accesses that atomics order without a fence.
fn subsumes(seen: &Finding, alarm: &Finding) -> bool {
    let exact = seen.confidence == Confidence::Confirmed
        && (seen.holds_when.is_none() || seen.holds_when == alarm.holds_when);
    let as_bad = seen.severity == Severity::Error || alarm.severity == Severity::Warning;
    exact
        && as_bad
        && match (seen.kind, alarm.kind) {
            (Kind::BarrierDivergence, Kind::BarrierDivergence) => {
                let barrier = barriers(alarm);
                !barrier.is_empty() && barrier == barriers(seen)
            }
            (Kind::MissingFence, Kind::DataRace) => pair(seen) == pair(alarm),
            _ => false,
        }
}

/// The barriers that a finding is about.
fn barriers(f: &Finding) -> Vec<&Place> {
    f.accesses.iter().filter(|a| a.op.ends_with("barrier")).map(|a| &a.place).collect()
}

/// The accesses of a finding, in a fixed order.
fn pair(f: &Finding) -> Vec<(&str, &Place)> {
    let mut pair: Vec<(&str, &Place)> =
        f.accesses.iter().map(|a: &Access| (a.op.as_str(), &a.place)).collect();
    pair.sort();
    pair
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(kind: Kind, accesses: &[(&str, u32)]) -> Finding {
        let access = |&(op, line): &(&str, u32)| Access {
            op: op.into(),
            thread: Some([0; 3]),
            block: [0; 3],
            place: Place { file: "a.cu".into(), line, column: 5, ..Place::default() },
            value: None,
            notes: Vec::new(),
        };
        Finding::new(kind, String::new(), accesses.iter().map(access).collect())
    }

    #[test]
    fn what_was_seen_makes_an_alarm_superfluous() {
        let barrier = |exit| finding(Kind::BarrierDivergence, &[("barrier", 17), ("exit", exit)]);
        let race = |ops: [&str; 2]| finding(Kind::DataRace, &[(ops[0], 4), (ops[1], 8)]);
        let fence = finding(Kind::MissingFence, &[("read", 8), ("write", 4)]);
        assert!(subsumes(&barrier(10), &barrier(17)));
        assert!(subsumes(&fence, &race(["write", "read"])));
        // Another barrier, another access at the same lines.
        let elsewhere = finding(Kind::BarrierDivergence, &[("barrier", 20), ("exit", 10)]);
        assert!(!subsumes(&elsewhere, &barrier(10)));
        assert!(!subsumes(&fence, &race(["write", "write"])));
        // A race says nothing of a fence, and what was not seen says nothing at all.
        assert!(!subsumes(&race(["write", "read"]), &fence));
        let unseen = Finding { confidence: Confidence::Possible, ..barrier(10) };
        assert!(!subsumes(&unseen, &barrier(17)));
        // What needs a condition, or is only a warning, is less.
        let odd = Finding { holds_when: Some("n < 8".into()), ..barrier(10) };
        assert!(!subsumes(&odd, &barrier(17)) && subsumes(&odd, &odd));
        let exited = Finding { severity: Severity::Warning, ..barrier(10) };
        assert!(!subsumes(&exited, &barrier(17)) && subsumes(&barrier(17), &exited));
    }

    #[test]
    fn a_prover_without_time_is_told() {
        let clean = Verdict::Clean { covered: "3 launches".into() };
        let of = |late: bool, answer: Verdict| {
            let any = lockstep_prove::DimSpec::Any;
            let proof = Proof {
                verdicts: vec![(Kind::DataRace, answer)],
                alarms: Vec::new(),
                stats: Default::default(),
                late,
                safe: None,
                may_race: None,
                grid: [any; 3],
                block: [any; 3],
            };
            let mut verdicts = [(Kind::DataRace, clean.clone())];
            join(proof, &mut Vec::new(), &mut verdicts, false);
            verdicts[0].1.clone()
        };
        let unknown = || Verdict::Unknown { because: "too hard".into() };
        let proved = || Verdict::Proved { assumes: Vec::new() };
        assert_eq!(of(false, unknown()), clean);
        assert_eq!(of(true, unknown()), Verdict::Clean { covered: format!("3 launches; {LATE}") });
        assert_eq!(of(true, Verdict::Found), of(true, unknown()));
        assert_eq!(of(true, proved()), proved());
    }

    #[test]
    fn operations_have_words() {
        let unknown = |variable: &str, index: bool| Approximated {
            variable: variable.into(),
            affects_reachability: !index,
            affects_index: index,
        };
        let mut names = vec![
            unknown("in", true),
            unknown("FOLt (not modelled)", true),
            unknown("FUNe (not modelled)", false),
            unknown("Exp2 (not modelled)", false),
        ];
        say_plainly(&mut names);
        let names: Vec<_> =
            names.iter().map(|a| (a.variable.as_str(), a.affects_reachability)).collect();
        let compared = ("a comparison of floating-point values", true);
        assert_eq!(names, [("in", false), compared, ("a result of exp2", true)]);
    }

    #[test]
    fn a_condition_is_named_once() {
        let named = ["blockDim.x <= 256".to_owned(), "gridDim.y == 1".to_owned()];
        let mut assumes = vec!["n > 0 && blockDim.x <= 256".to_owned()];
        name_once(&mut assumes, &named);
        assert_eq!(assumes, ["n > 0 && blockDim.x <= 256", "gridDim.y == 1"]);
        name_once(&mut assumes, &named);
        assert_eq!(assumes.len(), 2);
    }
}
