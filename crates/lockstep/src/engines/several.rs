//! A kernel that the host launches in several ways: one report of them all.
//!
//! What is found in one launch is found; what is proved is proved of each. A barrier is redundant only if it is so in all.
//!
//! What it can miss: of two findings at the same places, one launch is shown.

use lockstep_finding::{
    Condition, Confidence, Finding, KernelReport, Kind, Origin, Place, Severity, Verdict,
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
            *assumes = Condition::any_of(&lists.collect::<Vec<_>>(), Origin::HostLaunch);
        }
    }
    Some(joined)
}

/// Adds the report of another launch; of what both prove, the first one's conditions stay.
fn add(report: &mut KernelReport, other: KernelReport) {
    report.seconds += other.seconds;
    let errors = [errors(report), errors(&other)];
    let is_barrier = |f: &Finding| f.kind == Kind::RedundantBarrier;
    report.findings.retain(|f| !is_barrier(f) || other.findings.iter().any(|o| is_same(o, f)));
    for finding in other.findings.into_iter().filter(|f| !is_barrier(f)) {
        match report.findings.iter_mut().find(|own| is_same(own, &finding)) {
            Some(own) if weight(own) < weight(&finding) => *own = finding,
            Some(_) => {}
            None => report.findings.push(finding),
        }
    }
    let has_redundant = report.findings.iter().any(is_barrier);
    for (kind, own) in &mut report.verdicts {
        let Some((_, verdict)) = other.verdicts.iter().find(|(k, _)| k == kind) else { continue };
        *own = match (*kind, &*own, verdict) {
            (Kind::RedundantBarrier, Verdict::Found, v)
            | (Kind::RedundantBarrier, v, Verdict::Found)
                if !has_redundant =>
            {
                let covered = "launches of which each needs another barrier".into();
                if *v == Verdict::Found { Verdict::Clean { covered } } else { v.clone() }
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
    use lockstep_finding::launch::Expr;
    use lockstep_finding::{Claim, Reason};

    use super::*;

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
