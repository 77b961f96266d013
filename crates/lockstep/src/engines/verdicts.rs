//! From what was found to one verdict for each kind asked for.

use lockstep_finding::{
    Claim, Confidence, DecidedBy, Finding, KernelReport, Kind, Reason, Severity, Verdict, When,
};

use crate::cli::options::SearchArgs;

/// The kinds asked for, in the interface's order: for one launch, or for several.
pub(crate) fn kinds(search: &SearchArgs, several: bool) -> Vec<Kind> {
    let wanted = |k: &Kind| {
        let explored = several && k.is_decided_by(DecidedBy::Exploration);
        let usual = explored || is_looked_for(*k, several);
        let by_default = if search.only.is_empty() { usual } else { search.only.contains(k) };
        by_default && !search.skip.contains(k)
    };
    Kind::ALL.into_iter().filter(wanted).collect()
}

/// Whether launches say something of a kind: one of them, or several.
fn is_looked_for(kind: Kind, several: bool) -> bool {
    kind.is_decided_by(DecidedBy::OneLaunch)
        || several && kind.is_decided_by(DecidedBy::SeveralLaunches)
}

/// What the launches gave, as far as verdicts depend on it.
pub(crate) struct Evidence<'a> {
    pub(crate) findings: &'a [Finding],
    /// Why nothing follows from the absence of findings, for all kinds.
    pub(crate) incomplete: Option<&'a Reason>,
    /// The same, for one kind each.
    pub(crate) doubts: &'a [(Kind, Reason)],
    /// More to say of a kind where nothing was found.
    pub(crate) notes: &'a [(Kind, String)],
    /// What was looked at.
    pub(crate) covered: String,
    /// The accesses that launches executed, and all accesses. Nothing follows from their number where the launch is given
    /// in full, by the user or the host.
    pub(crate) sites: Option<(usize, usize)>,
    /// Whether several launches were to be tried.
    pub(crate) several: bool,
    pub(crate) strict: bool,
}

impl Evidence<'_> {
    pub(crate) fn verdicts(&self, kinds: &[Kind]) -> Vec<(Kind, Verdict)> {
        kinds.iter().map(|&k| (k, self.verdict(k))).collect()
    }

    fn verdict(&self, kind: Kind) -> Verdict {
        let of_kind = || self.findings.iter().filter(|f| f.kind == kind);
        let findings = || of_kind().filter(|f| f.holds_when.is_none());
        if is_found(findings(), self.strict) {
            return Verdict::Found;
        }
        if findings().next().is_some() {
            return Verdict::Unknown { because: Reason::NotConfirmed };
        }
        let would_be_explored =
            kind.is_decided_by(DecidedBy::Exploration) && self.several && self.incomplete.is_some();
        if !(would_be_explored || is_looked_for(kind, self.several)) {
            let because = match kind.is_decided_by(DecidedBy::SeveralLaunches) {
                true => Reason::OneLaunch { kind },
                false => Reason::NotLookedFor { kind },
            };
            return Verdict::Unknown { because };
        }
        if let Some(because) = self.incomplete {
            return Verdict::Unknown { because: because.clone() };
        }
        if let Some((_, because)) = self.doubts.iter().find(|(k, _)| *k == kind) {
            return Verdict::Unknown { because: because.clone() };
        }
        // What was hardly looked at is not clean.
        if let Some((executed, of)) = self.sites.filter(|(executed, of)| 2 * executed < *of) {
            return Verdict::Unknown { because: Reason::FewAccesses { executed, of } };
        }
        let mut covered = with_conditions(&self.covered, of_kind());
        for (_, note) in self.notes.iter().filter(|(k, _)| *k == kind) {
            covered = format!("{covered}; {note}");
        }
        Verdict::Clean { covered }
    }
}

/// Whether findings of one kind make it found. Beside a possible error, one that is confirmed as harmless does not.
pub(crate) fn is_found<'f>(
    findings: impl Iterator<Item = &'f Finding> + Clone,
    strict: bool,
) -> bool {
    let is_confirmed = |f: &&Finding| strict || f.confidence == Confidence::Confirmed;
    let errors = || findings.clone().filter(|f| f.severity == Severity::Error);
    match errors().next() {
        Some(_) => errors().any(|f| is_confirmed(&f)),
        None => findings.clone().any(|f| is_confirmed(&f)),
    }
}

/// What was looked at, and where findings of one kind were found that hold only under conditions.
pub(crate) fn with_conditions<'f>(
    covered: &str,
    findings: impl Iterator<Item = &'f Finding>,
) -> String {
    let mut conditions: Vec<&When> = Vec::new();
    for condition in findings.filter_map(|f| f.holds_when.as_ref()) {
        if !conditions.contains(&condition) {
            conditions.push(condition);
        }
    }
    match &conditions[..] {
        [] => covered.to_owned(),
        conditions => format!("{covered}; {}", found_where(conditions)),
    }
}

/// Under which conditions something was found: only there, unless one of them is an example.
fn found_where(conditions: &[&When]) -> String {
    let (examples, exact): (Vec<&When>, Vec<&When>) = conditions.iter().partition(|c| c.is_example);
    let exact = Claim::any(exact.iter().map(|c| c.claim.clone()));
    if examples.is_empty() {
        return format!("found only where {exact}");
    }
    let examples = examples.iter().map(|c| format!("for example where {}", c.claim));
    let exact = (exact != Claim::Any(Vec::new())).then(|| format!("where {exact}"));
    format!("found {}", exact.into_iter().chain(examples).collect::<Vec<_>>().join(", or "))
}

/// Lowers every finding to a possible one.
pub(crate) fn doubt_all(report: &mut KernelReport, because: &Reason) {
    for finding in &mut report.findings {
        finding.confidence = Confidence::Possible;
    }
    for (_, verdict) in report.verdicts.iter_mut().filter(|(_, v)| *v == Verdict::Found) {
        *verdict = Verdict::Unknown { because: because.clone() };
    }
}

/// `24 launches, 87% of the accesses`.
pub(crate) fn covered(launches: String, reached: usize, of: usize) -> String {
    match of {
        0 => launches,
        of => format!("{launches}, {}% of the accesses", reached * 100 / of),
    }
}

#[cfg(test)]
mod tests {
    use lockstep_finding::launch::Expr;

    use super::*;

    fn search(only: &[Kind], skip: &[Kind]) -> SearchArgs {
        SearchArgs {
            only: only.to_vec(),
            skip: skip.to_vec(),
            budget: None,
            jobs: None,
            simulate_proved: false,
            reproducible: false,
            without_excuse: None,
        }
    }

    #[test]
    fn which_kinds() {
        let one = kinds(&search(&[], &[]), false);
        assert_eq!(one.len(), 9);
        assert!(!one.contains(&Kind::RedundantBarrier), "{one:?}");
        // A mismatch is one with a reference, and an error of the host's is one of a program: launches have neither.
        let of_launches =
            |k: &Kind| k.is_reported() && ![Kind::Mismatch, Kind::ApiError].contains(k);
        let reported: Vec<Kind> = Kind::ALL.into_iter().filter(of_launches).collect();
        assert_eq!(kinds(&search(&[], &[]), true), reported);
        let some = kinds(&search(&[Kind::Assertion, Kind::DataRace], &[]), true);
        assert_eq!(some, [Kind::DataRace, Kind::Assertion]);
        assert_eq!(kinds(&search(&[Kind::DataRace], &[Kind::DataRace]), true), []);
    }

    #[test]
    fn examples_are_called_so() {
        let holds = |text: &str| Expr::parse(text).unwrap();
        let (less, equal) = (When::exactly(holds("n < 8")), When::exactly(holds("a == b")));
        assert_eq!(found_where(&[&less, &equal]), "found only where n < 8 || a == b");
        let one = When::for_example(holds("n == 1"));
        assert_eq!(found_where(&[&one, &equal]), "found where a == b, or for example where n == 1");
    }

    #[test]
    fn a_harmless_finding_does_not_hide_a_possible_error() {
        let finding = |severity, confidence| {
            let new = Finding::new(Kind::DataRace, "x".into(), Vec::new());
            Finding { severity, confidence, ..new }
        };
        let harmless = finding(Severity::Warning, Confidence::Confirmed);
        let possible = finding(Severity::Error, Confidence::Possible);
        let error = finding(Severity::Error, Confidence::Confirmed);
        assert!(is_found([&harmless].into_iter(), false));
        assert!(!is_found([&harmless, &possible].into_iter(), false));
        assert!(is_found([&harmless, &possible].into_iter(), true));
        assert!(is_found([&harmless, &possible, &error].into_iter(), false));
    }

    #[test]
    fn nothing_is_passed_silently() {
        let mut evidence = Evidence {
            findings: &[],
            incomplete: None,
            doubts: &[],
            notes: &[],
            covered: covered("1 launch".into(), 199, 200),
            sites: Some((199, 200)),
            several: false,
            strict: false,
        };
        let clean = Verdict::Clean { covered: "1 launch, 99% of the accesses".into() };
        assert_eq!(evidence.verdict(Kind::DataRace), clean);
        assert!(matches!(evidence.verdict(Kind::Mismatch), Verdict::Unknown { .. }));
        assert!(matches!(evidence.verdict(Kind::RedundantBarrier), Verdict::Unknown { .. }));
        evidence.sites = Some((99, 200));
        let few = Verdict::Unknown { because: Reason::FewAccesses { executed: 99, of: 200 } };
        assert_eq!(evidence.verdict(Kind::DataRace), few);
        evidence.sites = Some((100, 200));
        assert!(matches!(evidence.verdict(Kind::DataRace), Verdict::Clean { .. }));
        evidence.incomplete = Some(&Reason::Interrupted);
        assert_eq!(
            evidence.verdict(Kind::DataRace),
            Verdict::Unknown { because: Reason::Interrupted }
        );
    }
}
