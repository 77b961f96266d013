//! A kernel that the host launches in several ways: one report of them all.
//!
//! What is found in one launch is found; what is proved is proved of each. A barrier or a fence is redundant only if it is so in
//! all.
//!
//! What it can miss: of two findings at the same places, one launch is shown.

use lockstep_finding::{
    Condition, Confidence, Finding, KernelReport, Kind, Origin, Place, Reason, Severity, Verdict,
};

/// One report of several, each of one launch; there is at least one.
pub(crate) fn join(reports: Vec<KernelReport>) -> Option<KernelReport> {
    let proofs: Vec<Vec<(Kind, Verdict)>> = reports.iter().map(|r| r.verdicts.clone()).collect();
    let mut joined = reports.into_iter().reduce(|mut report, other| {
        add(&mut report, other);
        report
    })?;
    for (kind, verdict) in &mut joined.verdicts {
        if let Verdict::Proved { assumes } = verdict {
            let of_kind = proofs.iter().flatten().filter(|(k, _)| k == kind);
            let lists = of_kind.filter_map(|(_, v)| match v {
                Verdict::Proved { assumes } => Some(assumes.as_slice()),
                _ => None,
            });
            let lists: Vec<&[Condition]> = lists.collect();
            let is_recorded = lists.iter().flat_map(|l| l.iter()).any(|c| c.origin.is_recorded());
            let origin = if is_recorded { Origin::RecordedLaunch } else { Origin::HostLaunch };
            *assumes = Condition::any_of(&lists, origin);
        }
    }
    Some(joined)
}

/// Adds the report of another launch; of what both prove, the first one's conditions stay.
fn add(report: &mut KernelReport, other: KernelReport) {
    report.seconds += other.seconds;
    let errors = [errors(report), errors(&other)];
    let is_needless = |f: &Finding| f.kind.about().is_needless_code;
    report.findings.retain(|f| !is_needless(f) || other.findings.iter().any(|o| is_same(o, f)));
    for finding in other.findings.into_iter() {
        match report.findings.iter_mut().find(|own| is_same(own, &finding)) {
            // What one launch only may do without, all together only may do without.
            Some(own) if is_needless(own) => {
                if weight(&finding) < weight(own) {
                    *own = finding;
                }
            }
            Some(own) if weight(own) < weight(&finding) => *own = finding,
            Some(_) => {}
            None if is_needless(&finding) => {}
            None => report.findings.push(finding),
        }
    }
    for (kind, own) in &mut report.verdicts {
        let Some((_, verdict)) = other.verdicts.iter().find(|(k, _)| k == kind) else { continue };
        *own = match (*kind, &*own, verdict) {
            (k, Verdict::Found, Verdict::Found) if k.about().is_needless_code => {
                in_all(k, &report.findings)
            }
            (k, Verdict::Found, v) | (k, v, Verdict::Found) if k.about().is_needless_code => {
                v.clone()
            }
            // What is confirmed as harmless does not hide that something else may be none.
            (k, Verdict::Found, v @ Verdict::Unknown { .. }) if is_hidden(k, &errors) => v.clone(),
            (k, own @ Verdict::Unknown { .. }, Verdict::Found)
                if is_hidden(k, &[&errors[1][..], &errors[0][..]]) =>
            {
                own.clone()
            }
            (_, own, v) => worse(own, v),
        };
    }
    let is_proved =
        |(k, v): &(Kind, Verdict)| *k == Kind::DataRace && matches!(v, Verdict::Proved { .. });
    report.explanation =
        report.explanation.take().filter(|_| report.verdicts.iter().any(is_proved));
}

/// Of code that could go in each of the launches: whether the findings that they share are of the same code.
fn in_all(kind: Kind, shared: &[Finding]) -> Verdict {
    let mut of_kind = shared.iter().filter(|f| f.kind == kind && f.holds_when.is_none()).peekable();
    if of_kind.peek().is_none() {
        let covered = "launches of which each needs what another does not".into();
        return Verdict::Clean { covered };
    }
    match of_kind.any(|f| f.confidence == Confidence::Confirmed) {
        true => Verdict::Found,
        false => Verdict::Unknown { because: Reason::NotConfirmed },
    }
}

/// The kinds of which there is an error, confirmed or possible.
fn errors(report: &KernelReport) -> Vec<Kind> {
    let is_error = |f: &&Finding| f.severity == Severity::Error && f.holds_when.is_none();
    report.findings.iter().filter(is_error).map(|f| f.kind).collect()
}

/// Whether only the second of two reports has an error of a kind.
fn is_hidden(kind: Kind, errors: &[impl AsRef<[Kind]>; 2]) -> bool {
    let [first, second] = errors;
    !first.as_ref().contains(&kind) && second.as_ref().contains(&kind)
}

fn places(f: &Finding) -> Vec<&Place> {
    f.accesses.iter().map(|a| &a.place).collect()
}

fn is_same(a: &Finding, b: &Finding) -> bool {
    a.kind == b.kind && places(a) == places(b)
}

fn weight(f: &Finding) -> (bool, bool, bool) {
    let is_confirmed = f.confidence == Confidence::Confirmed;
    (is_confirmed && f.holds_when.is_none(), f.severity == Severity::Error, is_confirmed)
}

/// What holds of both launches.
fn worse(a: &Verdict, b: &Verdict) -> Verdict {
    let rank = |v: &Verdict| match v {
        Verdict::Proved { .. } => 0,
        Verdict::Clean { .. } => 1,
        Verdict::Unknown { .. } => 2,
        Verdict::Found => 3,
    };
    match (a, b) {
        (Verdict::Clean { covered: own }, Verdict::Clean { covered }) if own != covered => {
            Verdict::Clean { covered: format!("{own}; {covered}") }
        }
        _ if rank(a) >= rank(b) => a.clone(),
        _ => b.clone(),
    }
}

#[cfg(test)]
mod tests {
    use lockstep_finding::Claim;
    use lockstep_finding::launch::Expr;

    use super::*;

    /// A report of one kind with findings of it at some lines.
    fn report(kind: Kind, verdict: Verdict, at: &[(u32, Confidence)]) -> KernelReport {
        let finding = |&(line, confidence): &(u32, Confidence)| {
            let place = Place { line, ..Place::default() };
            let op = lockstep_finding::Action::Fence;
            let (thread, block, value, notes) = (None, [0; 3], None, Vec::new());
            let access = lockstep_finding::Access { op, thread, block, place, value, notes };
            Finding { confidence, ..Finding::new(kind, "x".into(), vec![access]) }
        };
        let findings = at.iter().map(finding).collect();
        KernelReport { verdicts: vec![(kind, verdict)], findings, ..KernelReport::default() }
    }

    #[test]
    fn code_is_redundant_only_if_no_launch_needs_it() {
        use Confidence::{Confirmed, Possible};
        for kind in [Kind::RedundantBarrier, Kind::RedundantFence] {
            let joined = |a: KernelReport, b: KernelReport| {
                let joined = join(vec![a, b]).unwrap();
                let lines = joined.findings.iter().map(|f| f.accesses[0].place.line);
                (joined.verdicts[0].1.clone(), lines.collect::<Vec<_>>())
            };
            let found = |at: &[(u32, Confidence)]| report(kind, Verdict::Found, at);
            let clean = Verdict::Clean { covered: "1 launch".into() };
            let both = [(3, Confirmed), (5, Confirmed)];
            assert_eq!(joined(found(&both), found(&both[..1])), (Verdict::Found, vec![3]));
            let none = report(kind, clean.clone(), &[]);
            assert_eq!(joined(found(&both), none.clone()), (clean.clone(), vec![]));
            assert_eq!(joined(none, found(&both)), (clean, vec![]));
            let (verdict, lines) = joined(found(&both[..1]), found(&both[1..]));
            assert!(matches!(verdict, Verdict::Clean { .. }) && lines.is_empty(), "{verdict:?}");
            let unsure = Verdict::Unknown { because: Reason::NotConfirmed };
            let possible = report(kind, unsure.clone(), &[(3, Possible)]);
            assert_eq!(joined(found(&both), possible.clone()), (unsure.clone(), vec![3]));
            assert_eq!(joined(possible, found(&both)), (unsure, vec![3]));
        }
    }

    #[test]
    fn what_holds_of_both_launches() {
        let holds = |c: &str| Claim::Holds(Expr::parse(c).unwrap());
        let proved = |c: &str| Verdict::Proved { assumes: vec![holds(c).into()] };
        assert_eq!(worse(&proved("a"), &proved("a")), proved("a"));
        let clean = Verdict::Clean { covered: "1 launch".into() };
        assert_eq!(worse(&proved("a"), &clean), clean);
        assert_eq!(worse(&Verdict::Found, &clean), Verdict::Found);
        let unknown = Verdict::Unknown { because: Reason::Interrupted };
        assert_eq!(worse(&clean, &unknown), unknown);
    }
}
