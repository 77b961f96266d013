//! What a report comes to, in numbers: the one place where findings and kernels are counted.
//!
//! Every finding counts as exactly one of [`Counted`], and every kernel stands as exactly one of [`Standing`]. Summary
//! lines, the exit status and all formats follow from these numbers, so that they cannot disagree.
//!
//! `found` is the verdict of a property, and no number: an error, or a milder finding, was found.

use crate::{Confidence, Finding, KernelReport, Kind, Report, Severity, Verdict};

/// What a finding counts as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Counted {
    /// It makes the run fail.
    Error,
    Warning,
    /// It needs particular values that nobody gave: a warning with its condition.
    Conditional,
    /// Some value was approximated, and `--strict` was not asked for: its property is unknown.
    Possible,
    /// The source, the project or a baseline says that it does not count.
    Suppressed,
}

impl Counted {
    pub const ALL: [Counted; 5] = [
        Counted::Error,
        Counted::Warning,
        Counted::Conditional,
        Counted::Possible,
        Counted::Suppressed,
    ];

    /// `1 error`, `2 errors`, `1 conditional`.
    fn text(self, n: usize) -> String {
        match self {
            Counted::Error => format!("{n} error{}", plural(n)),
            Counted::Warning => format!("{n} warning{}", plural(n)),
            other => format!("{n} {}", other.name()),
        }
    }

    /// As fields and columns are called.
    pub fn name(self) -> &'static str {
        match self {
            Counted::Error => "errors",
            Counted::Warning => "warnings",
            Counted::Conditional => "conditional",
            Counted::Possible => "possible",
            Counted::Suppressed => "suppressed",
        }
    }
}

/// One word for a whole kernel: the first of these that is true of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    Errors,
    /// No error, and something that was asked for is unknown.
    Unknown,
    /// Warnings, conditional ones among them.
    Warnings,
    /// Nothing that counts was found; some findings may be suppressed.
    Clean,
    /// Everything that was asked for is proved.
    Proved,
}

impl Standing {
    pub const ALL: [Standing; 5] = [
        Standing::Errors,
        Standing::Unknown,
        Standing::Warnings,
        Standing::Clean,
        Standing::Proved,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Standing::Errors => "errors",
            Standing::Unknown => "unknown",
            Standing::Warnings => "warnings",
            Standing::Clean => "clean",
            Standing::Proved => "proved",
        }
    }
}

impl KernelReport {
    /// What a finding of this kernel counts as.
    pub fn counted(&self, finding: &Finding) -> Counted {
        let is_found =
            || self.verdicts.iter().any(|(k, v)| *k == finding.kind && *v == Verdict::Found);
        if finding.suppressed.is_some() {
            Counted::Suppressed
        } else if finding.holds_when.is_some() {
            Counted::Conditional
        } else if finding.confidence == Confidence::Possible && !is_found() {
            Counted::Possible
        } else if finding.severity == Severity::Error {
            Counted::Error
        } else {
            Counted::Warning
        }
    }

    /// How the kernel stands.
    pub fn standing(&self) -> Standing {
        let own = self.findings.iter().map(|f| self.counted(f));
        let counted: Vec<Counted> =
            own.chain(self.elsewhere.iter().map(|(_, counted)| *counted)).collect();
        // What is suppressed says nothing of the kernel any more.
        let has = |f: fn(&Verdict) -> bool| {
            self.verdicts.iter().any(|(k, v)| f(v) && !self.is_suppressed(*k))
        };
        if counted.contains(&Counted::Error) {
            Standing::Errors
        } else if has(|v| matches!(v, Verdict::Unknown { .. })) {
            Standing::Unknown
        } else if counted.iter().any(|c| matches!(c, Counted::Warning | Counted::Conditional)) {
            Standing::Warnings
        } else if self.verdicts.iter().all(|(_, v)| matches!(v, Verdict::Proved { .. }))
            && !self.verdicts.is_empty()
        {
            Standing::Proved
        } else {
            Standing::Clean
        }
    }

    /// Whether the verdict of a kind rests on findings that are all suppressed.
    pub fn is_suppressed(&self, kind: Kind) -> bool {
        let mut findings =
            self.findings.iter().filter(|f| f.kind == kind && f.holds_when.is_none()).peekable();
        findings.peek().is_some() && findings.all(|f| f.suppressed.is_some())
    }
}

/// The numbers of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub kernels: usize,
    /// Findings, in the order of [`Counted::ALL`].
    findings: [usize; Counted::ALL.len()],
    /// Kernels, in the order of [`Standing::ALL`].
    standings: [usize; Standing::ALL.len()],
    /// Kernels of which something is unknown, in projects that do not mind.
    unknown_allowed: usize,
    /// Inputs that could not be used.
    pub unusable: usize,
}

impl Counts {
    pub fn of(report: &Report) -> Counts {
        let mut out = Counts {
            kernels: report.kernels.len(),
            unusable: report.errors.len(),
            ..Counts::default()
        };
        for kernel in &report.kernels {
            let standing = kernel.standing();
            out.standings[standing as usize] += 1;
            let is_allowed = kernel.unknown_allowed && standing == Standing::Unknown;
            out.unknown_allowed += usize::from(is_allowed);
            kernel.findings.iter().for_each(|f| out.findings[kernel.counted(f) as usize] += 1);
        }
        out
    }

    /// Findings that count as this.
    pub fn findings(&self, counted: Counted) -> usize {
        self.findings[counted as usize]
    }

    /// Kernels that stand so.
    pub fn kernels_with(&self, standing: Standing) -> usize {
        self.standings[standing as usize]
    }

    /// The exit status that the interface promises.
    pub fn exit_status(&self, allow_unknown: bool) -> u8 {
        if self.findings(Counted::Error) > 0 {
            1
        } else if self.unusable > 0 {
            2
        } else if !allow_unknown && self.kernels_with(Standing::Unknown) > self.unknown_allowed {
            3
        } else {
            0
        }
    }

    /// `5 kernels: 2 errors, 1 warning, 1 suppressed; 2 proved, 1 clean`: findings, and the kernels without any.
    pub fn text(&self) -> String {
        let mut parts = vec![self.findings_text()];
        let without = [Standing::Proved, Standing::Clean, Standing::Unknown];
        let kernels: Vec<String> = without
            .iter()
            .filter(|s| self.kernels_with(**s) > 0)
            .map(|s| format!("{} {}", self.kernels_with(*s), s.name()))
            .collect();
        if !kernels.is_empty() {
            parts.push(kernels.join(", "));
        }
        if self.unusable > 0 {
            parts.push(format!("{} input{} not usable", self.unusable, plural(self.unusable)));
        }
        format!("{} kernel{}: {}", self.kernels, plural(self.kernels), parts.join("; "))
    }

    /// `2 errors, 1 warning, 1 suppressed`: errors always, the others where there are any.
    pub fn findings_text(&self) -> String {
        let said = |c: &Counted| *c == Counted::Error || self.findings(*c) > 0;
        let parts = Counted::ALL.into_iter().filter(said).map(|c| c.text(self.findings(c)));
        parts.collect::<Vec<_>>().join(", ")
    }
}

/// `s` unless it is one.
pub(crate) fn plural(n: usize) -> &'static str {
    if n == 1 { "" } else { "s" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::samples;
    use crate::{InputError, Suppressed};

    fn kernel(severity: Severity, confidence: Confidence, verdict: Verdict) -> KernelReport {
        let mut kernel = samples::kernel();
        kernel.findings.truncate(1);
        kernel.findings[0].severity = severity;
        kernel.findings[0].confidence = confidence;
        kernel.verdicts = vec![(Kind::DataRace, verdict)];
        kernel
    }

    fn counts(kernels: &[KernelReport]) -> Counts {
        Counts::of(&Report { kernels: kernels.to_vec(), ..Report::default() })
    }

    fn unknown() -> Verdict {
        Verdict::Unknown { because: crate::Reason::Interrupted }
    }

    fn clean() -> Verdict {
        Verdict::Clean { covered: "1 launch".into() }
    }

    fn suppressed(mut kernel: KernelReport) -> KernelReport {
        let because = "known".into();
        kernel.findings[0].suppressed = Some(Suppressed { because, in_source: true });
        kernel
    }

    fn conditional(mut kernel: KernelReport) -> KernelReport {
        kernel.findings[0].holds_when =
            Some(crate::When::exactly(crate::launch::Expr::parse("n < 8").unwrap()));
        kernel
    }

    #[test]
    fn exit_status_follows_errors() {
        use Confidence::*;
        use Severity::*;
        let status = |k: KernelReport| counts(&[k]).exit_status(false);
        assert_eq!(Counts::default().exit_status(false), 0);
        assert_eq!(status(kernel(Error, Confirmed, Verdict::Found)), 1);
        assert_eq!(status(kernel(Warning, Confirmed, Verdict::Found)), 0);
        assert_eq!(status(kernel(Error, Possible, unknown())), 3);
        assert_eq!(counts(&[kernel(Error, Possible, unknown())]).exit_status(true), 0);
        let mut allowed = kernel(Error, Possible, unknown());
        allowed.unknown_allowed = true;
        assert_eq!(status(allowed), 0);
        assert_eq!(status(kernel(Error, Possible, Verdict::Found)), 1);
        assert_eq!(status(conditional(kernel(Warning, Confirmed, clean()))), 0);
        assert_eq!(status(suppressed(kernel(Error, Confirmed, Verdict::Found))), 0);
        assert_eq!(status(suppressed(kernel(Error, Possible, unknown()))), 0);
        let mut other = suppressed(kernel(Error, Possible, unknown()));
        other.verdicts.push((Kind::Deadlock, unknown()));
        assert_eq!(status(other), 3);
        let errors = vec![InputError { file: "x".into(), message: "y".into() }];
        let kernels = vec![kernel(Warning, Confirmed, Verdict::Found)];
        let bad = Report { kernels, errors, ..Report::default() };
        assert_eq!(Counts::of(&bad).exit_status(true), 2);
    }

    #[test]
    fn each_finding_counts_once_and_each_kernel_stands_once() {
        use Confidence::*;
        use Severity::*;
        let mut proved = kernel(Error, Confirmed, Verdict::Proved { assumes: Vec::new() });
        proved.findings.clear();
        let kernels = [
            kernel(Error, Confirmed, Verdict::Found),
            kernel(Warning, Confirmed, Verdict::Found),
            conditional(kernel(Warning, Confirmed, clean())),
            kernel(Error, Possible, unknown()),
            suppressed(kernel(Error, Confirmed, Verdict::Found)),
            proved,
        ];
        let counts = counts(&kernels);
        for counted in Counted::ALL {
            assert_eq!(counts.findings(counted), 1, "{counted:?}");
        }
        let stand = kernels.map(|k| k.standing());
        use Standing::*;
        assert_eq!(stand, [Errors, Standing::Warnings, Standing::Warnings, Unknown, Clean, Proved]);
        assert_eq!(
            counts.text(),
            "6 kernels: 1 error, 1 warning, 1 conditional, 1 possible, 1 suppressed; 1 proved, 1 clean, 1 unknown"
        );
    }

    /// What is shown with another instance of a template is counted there, and makes both kernels stand badly.
    #[test]
    fn a_finding_of_two_instances_counts_once() {
        let first = kernel(Severity::Warning, Confidence::Confirmed, Verdict::Found);
        let mut second = first.clone();
        second.findings.clear();
        second.elsewhere = vec![(Kind::DataRace, Counted::Warning)];
        let counts = counts(&[first, second]);
        assert_eq!(counts.kernels_with(Standing::Warnings), 2);
        assert_eq!(counts.text(), "2 kernels: 0 errors, 1 warning");
    }
}
