//! A kernel that the host launches in several ways: one report of them all.
//!
//! What is found in one launch is found; what is proved is proved of each. A barrier is redundant only if it is so in all.
//!
//! What it can miss: of two findings at the same places, one launch is shown.

use lockstep_finding::{
    Condition, Confidence, Finding, KernelReport, Kind, Origin, Place, Severity, Verdict,
};

/// Adds the report of another launch.
pub(crate) fn join(report: &mut KernelReport, other: KernelReport) {
    report.seconds += other.seconds;
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
            (_, own, v) => worse(own, v),
        };
    }
    let is_proved =
        |(k, v): &(Kind, Verdict)| *k == Kind::DataRace && matches!(v, Verdict::Proved { .. });
    report.explanation =
        report.explanation.take().filter(|_| report.verdicts.iter().any(is_proved));
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
        (Verdict::Proved { assumes: own }, Verdict::Proved { assumes }) => {
            Verdict::Proved { assumes: either(own, assumes) }
        }
        (Verdict::Clean { covered: own }, Verdict::Clean { covered }) if own != covered => {
            Verdict::Clean { covered: format!("{own}; {covered}") }
        }
        _ if rank(a) >= rank(b) => a.clone(),
        _ => b.clone(),
    }
}

/// What has to hold for one of two proofs to hold: each is of all launches that satisfy its own conditions, whichever launch
/// of the host it was made for.
fn either(own: &[Condition], other: &[Condition]) -> Vec<Condition> {
    let has = |list: &[Condition], c: &Condition| list.iter().any(|o| o.text == c.text);
    let rest = |list: &[Condition], without: &[Condition]| -> Vec<Condition> {
        list.iter().filter(|c| !has(without, c)).cloned().collect()
    };
    let (first, second) = (rest(own, other), rest(other, own));
    let mut out = rest(own, &first);
    if !first.is_empty() && !second.is_empty() {
        let all = |list: &[Condition]| {
            let texts: Vec<&str> = list.iter().map(|c| c.text.as_str()).collect();
            texts.join(" && ")
        };
        let text = format!("({}) || ({})", all(&first), all(&second));
        out.push(Condition::new(text, Origin::HostLaunch));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_holds_of_both_launches() {
        let proved = |c: &str| Verdict::Proved { assumes: vec![c.into()] };
        let either = Condition::new("(a) || (b)", Origin::HostLaunch);
        let both = Verdict::Proved { assumes: vec![either] };
        assert_eq!(worse(&proved("a"), &proved("b")), both);
        let always = Verdict::Proved { assumes: Vec::new() };
        assert_eq!(worse(&proved("a"), &always), always);
        assert_eq!(worse(&proved("a"), &proved("a")), proved("a"));
        let clean = Verdict::Clean { covered: "1 launch".into() };
        assert_eq!(worse(&proved("a"), &clean), clean);
        assert_eq!(worse(&Verdict::Found, &clean), Verdict::Found);
        let unknown = Verdict::Unknown { because: "it is large".into() };
        assert_eq!(worse(&clean, &unknown), unknown);
    }
}
