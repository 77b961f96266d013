//! What the prover is asked, and how its answers join those of the simulator.

use lockstep_finding::launch::Dimension;
use lockstep_finding::{
    Access, Action, Approximation, Claim, Confidence, Finding, KernelReport, Kind, Launch, Place,
    Reason, Severity, Verdict,
};
use lockstep_kernel::{Kernel, SiteId};
use lockstep_prove::{Alarm, Model, Proof, absent};
use lockstep_search::{MOST_LISTED, Suggestion};

use crate::engines::verdicts::is_found;
use crate::facts::launch_facts::number_of;

/// Bytes beyond which no array of a small launch reaches.
const FAR_OUT: i64 = 1 << 30;
/// Threads of a launch that is worth trying.
const MOST_THREADS: u64 = 1 << 20;

/// The kinds that are proved, under whatever condition, and of which there is no alarm but for indices that overflow.
pub(crate) fn settled(proof: &Proof) -> Vec<Kind> {
    let open = open(proof);
    let kinds = proof.verdicts.iter().map(|(k, _)| *k);
    kinds.filter(|k| *k != Kind::RedundantBarrier && !open.contains(k)).collect()
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
    proof.logs.retain(|(k, _)| !taken.contains(k));
    proof.logs.extend(other.logs.into_iter().filter(|(k, _)| taken.contains(k)));
    if taken.contains(&Kind::DataRace) {
        (proof.safe, proof.may_race, proof.open) = (other.safe, other.may_race, other.open);
        (proof.grid, proof.block) = (other.grid, other.block);
    }
    proof.alarms.retain(|a| !taken.contains(&a.finding.kind));
    proof.alarms.extend(other.alarms.into_iter().filter(|a| taken.contains(&a.finding.kind)));
}

/// Takes back what is proved only under conditions that no usual launch satisfies: a size of one, say, where nothing can
/// go wrong. They are looked at where they speak of arguments.
pub(crate) fn leave_usual(proof: &mut Proof, usual: &dyn Fn() -> Vec<Launch>) {
    let mut launches: Option<Vec<Launch>> = None;
    for (_, verdict) in &mut proof.verdicts {
        let Verdict::Proved { assumes } = verdict else { continue };
        let said: Vec<&Claim> =
            assumes.iter().map(|c| &c.claim).filter(|c| speaks_of_arguments(c)).collect();
        if said.is_empty() {
            continue;
        }
        let launches = launches.get_or_insert_with(usual);
        let holds =
            |claim: &Claim, l: &Launch| claim.decide(&|name| number_of(l, name)) != Some(false);
        let fails = |l: &Launch| said.iter().find(|c| !holds(c, l));
        let Some(first) = launches.first().and_then(fails) else { continue };
        if launches.iter().all(|l| fails(l).is_some()) {
            let because = Reason::ProvedOnlyIf((*first).clone());
            *verdict = Verdict::Unknown { because };
        }
    }
}

/// Whether a condition is one on arguments, which can be looked up in a launch.
fn speaks_of_arguments(claim: &Claim) -> bool {
    let mut found = false;
    claim.for_each_name(&mut |n| found |= Dimension::named(n).is_none() && !n.contains('('));
    found
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

/// Whether it is only an alarm if atomics, fences and warps order nothing.
pub(crate) fn rests_on_order(alarm: &Alarm) -> bool {
    alarm.finding.approximated.iter().any(|a| a.variable == Approximation::OtherOrder)
}

pub(crate) fn has_confirmed(proof: &Proof) -> bool {
    proof.alarms.iter().any(claims)
}

/// Leaves `confirmed` only what a launch has shown, as it was seen there: its threads and its launch belong together. A
/// proof may be wrong about what follows exactly, an execution is not.
pub(crate) fn keep_confirmed(proof: &mut Proof, seen: &[Finding]) {
    let mut taken: Vec<&Finding> = Vec::new();
    proof.alarms.retain_mut(|alarm| {
        if !claims(alarm) {
            return true;
        }
        let own = &alarm.finding;
        let shows = |f: &&Finding| f.confidence == Confidence::Confirmed && is_same_bug(f, own);
        let Some(found) = seen.iter().find(shows) else {
            alarm.finding.confidence = Confidence::Possible;
            return true;
        };
        // Two accesses at one place are told once.
        if taken.contains(&found) {
            return false;
        }
        taken.push(found);
        let mut found = found.clone();
        if own.holds_when.is_some() {
            (found.holds_when, found.severity) = (own.holds_when.clone(), own.severity);
        }
        alarm.finding = found;
        true
    });
    for (kind, verdict) in &mut proof.verdicts {
        let shown =
            |a: &&Alarm| a.finding.kind == *kind && a.finding.confidence == Confidence::Confirmed;
        let mut shown = proof.alarms.iter().filter(shown).map(|a| &a.finding.holds_when);
        if *verdict == Verdict::Found && !shown.clone().any(Option::is_none) {
            let because = match shown.next() {
                Some(Some(condition)) => Reason::FoundOnlyWhen(condition.clone()),
                _ => Reason::NotConfirmed,
            };
            *verdict = Verdict::Unknown { because };
        }
    }
}

/// Whether a launch has shown the very thing: the same places, or the same barrier.
fn is_same_bug(seen: &Finding, alarm: &Finding) -> bool {
    let places = |f: &Finding| {
        let place = |a: &Access| (a.place.file.clone(), a.place.line, a.place.column);
        let mut places: Vec<(String, u32, u32)> = f.accesses.iter().map(place).collect();
        places.sort();
        places
    };
    seen.kind == alarm.kind
        && match seen.kind {
            Kind::BarrierDivergence => {
                let barrier = barriers(alarm);
                !barrier.is_empty() && barrier == barriers(seen)
            }
            _ => places(seen) == places(alarm),
        }
}

/// Of a verdict that the prover had no time for.
const LATE: &str = "the prover timed out";

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
        *verdict = match (proved, &*verdict) {
            _ if is_found(stands(), strict) => Verdict::Found,
            (proved @ Verdict::Proved { .. }, _) if stands().next().is_none() && !barriers => {
                proved
            }
            (_, _) if stands().next().is_some() => {
                Verdict::Unknown { because: Reason::NotConfirmed }
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
    // Where a search has found so many, it has seen more than it lists.
    let is_full = findings.iter().filter(|f| f.kind == new.kind).count() >= MOST_LISTED;
    if !is_full && !findings.iter().any(|f| same(f) || subsumes(f, new)) {
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
    f.accesses.iter().filter(|a| a.op == Action::Barrier).map(|a| &a.place).collect()
}

/// The accesses of a finding, in a fixed order.
fn pair(f: &Finding) -> Vec<(Action, &Place)> {
    let mut pair: Vec<(Action, &Place)> =
        f.accesses.iter().map(|a: &Access| (a.op, &a.place)).collect();
    pair.sort();
    pair
}

#[cfg(test)]
mod tests {
    use lockstep_finding::When;
    use lockstep_finding::launch::Expr;

    use super::*;

    fn finding(kind: Kind, accesses: &[(Action, u32)]) -> Finding {
        let access = |&(op, line): &(Action, u32)| Access {
            op,
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
        let barrier =
            |exit| finding(Kind::BarrierDivergence, &[(Action::Barrier, 17), (Action::Exit, exit)]);
        let race = |ops: [Action; 2]| finding(Kind::DataRace, &[(ops[0], 4), (ops[1], 8)]);
        let fence = finding(Kind::MissingFence, &[(Action::Read, 8), (Action::Write, 4)]);
        assert!(subsumes(&barrier(10), &barrier(17)));
        assert!(subsumes(&fence, &race([Action::Write, Action::Read])));
        // Another barrier, another access at the same lines.
        let elsewhere =
            finding(Kind::BarrierDivergence, &[(Action::Barrier, 20), (Action::Exit, 10)]);
        assert!(!subsumes(&elsewhere, &barrier(10)));
        assert!(!subsumes(&fence, &race([Action::Write, Action::Write])));
        // A race says nothing of a fence, and what was not seen says nothing at all.
        assert!(!subsumes(&race([Action::Write, Action::Read]), &fence));
        let unseen = Finding { confidence: Confidence::Possible, ..barrier(10) };
        assert!(!subsumes(&unseen, &barrier(17)));
        // What needs a condition, or is only a warning, is less.
        let odd = Finding {
            holds_when: Some(When::exactly(Expr::parse("n < 8").unwrap())),
            ..barrier(10)
        };
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
                open: None,
                logs: Vec::new(),
                grid: [any; 3],
                block: [any; 3],
            };
            let mut verdicts = [(Kind::DataRace, clean.clone())];
            join(proof, &mut Vec::new(), &mut verdicts, false);
            verdicts[0].1.clone()
        };
        let unknown = || Verdict::Unknown { because: Reason::Interrupted };
        let proved = || Verdict::Proved { assumes: Vec::new() };
        assert_eq!(of(false, unknown()), clean);
        assert_eq!(of(true, unknown()), Verdict::Clean { covered: format!("3 launches; {LATE}") });
        assert_eq!(of(true, Verdict::Found), of(true, unknown()));
        assert_eq!(of(true, proved()), proved());
    }
}
