//! From one simulation to one verdict for each kind asked for.

use lockstep_finding::launch::dims_text;
use lockstep_finding::{Confidence, Finding, Kind, Launch, Verdict};
use lockstep_simulate::Stats;

use crate::options::SearchArgs;

/// What the simulator looks for.
const SIMULATED: [Kind; 9] = [
    Kind::DataRace,
    Kind::BarrierDivergence,
    Kind::OutOfBounds,
    Kind::UninitialisedRead,
    Kind::Misaligned,
    Kind::UseAfterFree,
    Kind::Deadlock,
    Kind::MissingFence,
    Kind::Assertion,
];

/// The kinds asked for, in the interface's order.
pub(crate) fn kinds(search: &SearchArgs) -> Vec<Kind> {
    let wanted = |k: &Kind| {
        let by_default =
            if search.only.is_empty() { SIMULATED.contains(k) } else { search.only.contains(k) };
        by_default && !search.skip.contains(k)
    };
    Kind::ALL.into_iter().filter(wanted).collect()
}

/// What a launch gave, as far as verdicts depend on it.
pub(crate) struct Evidence<'a> {
    pub(crate) findings: &'a [Finding],
    /// Why nothing follows from the absence of findings, for all kinds.
    pub(crate) incomplete: Option<&'a str>,
    /// The same, for one kind each.
    pub(crate) doubts: &'a [(Kind, String)],
    pub(crate) launch: &'a Launch,
    pub(crate) stats: Stats,
    pub(crate) strict: bool,
}

impl Evidence<'_> {
    pub(crate) fn verdicts(&self, kinds: &[Kind]) -> Vec<(Kind, Verdict)> {
        kinds.iter().map(|&k| (k, self.verdict(k))).collect()
    }

    fn verdict(&self, kind: Kind) -> Verdict {
        let mut findings = self.findings.iter().filter(|f| f.kind == kind);
        let counts = |f: &Finding| self.strict || f.confidence == Confidence::Confirmed;
        if findings.clone().any(counts) {
            return Verdict::Found;
        }
        if findings.next().is_some() {
            return Verdict::Unknown { because: "a possible finding is not confirmed".into() };
        }
        if !SIMULATED.contains(&kind) {
            return Verdict::Unknown { because: format!("this version does not look for {kind}") };
        }
        if let Some(because) = self.incomplete {
            return Verdict::Unknown { because: because.to_owned() };
        }
        if let Some((_, because)) = self.doubts.iter().find(|(k, _)| *k == kind) {
            return Verdict::Unknown { because: because.clone() };
        }
        Verdict::Clean { covered: self.covered() }
    }

    fn covered(&self) -> String {
        let launch = format!(
            "1 launch (grid {}, block {})",
            dims_text(self.launch.grid),
            dims_text(self.launch.block)
        );
        match self.stats.sites_total {
            0 => launch,
            total => {
                let percent = self.stats.sites_reached as u64 * 100 / total as u64;
                format!("{launch}, {percent}% of the accesses")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(only: &[Kind], skip: &[Kind]) -> SearchArgs {
        SearchArgs { only: only.to_vec(), skip: skip.to_vec(), budget: None, jobs: None }
    }

    #[test]
    fn which_kinds() {
        assert_eq!(kinds(&search(&[], &[])), SIMULATED);
        let some = kinds(&search(&[Kind::Assertion, Kind::DataRace], &[]));
        assert_eq!(some, [Kind::DataRace, Kind::Assertion]);
        assert_eq!(kinds(&search(&[Kind::DataRace], &[Kind::DataRace])), []);
    }

    #[test]
    fn nothing_is_passed_silently() {
        let launch = Launch { grid: [4, 1, 1], block: [256, 1, 1], ..Launch::default() };
        let mut evidence = Evidence {
            findings: &[],
            incomplete: None,
            doubts: &[],
            launch: &launch,
            stats: Stats { sites_reached: 199, sites_total: 200, ..Stats::default() },
            strict: false,
        };
        let clean =
            Verdict::Clean { covered: "1 launch (grid 4, block 256), 99% of the accesses".into() };
        assert_eq!(evidence.verdict(Kind::DataRace), clean);
        assert!(matches!(evidence.verdict(Kind::Mismatch), Verdict::Unknown { .. }));
        evidence.incomplete = Some("step budget ran out");
        assert_eq!(
            evidence.verdict(Kind::DataRace),
            Verdict::Unknown { because: "step budget ran out".into() }
        );
    }
}
