//! What the threads of a finding did, for the formats that show it.
//!
//! The finding's launch is executed again, within a budget of steps and not of time,
//! so that the same run gives the same bytes. That may be in a later run than the one that found it.

use lockstep_finding::{Confidence, DecidedBy, Finding, KernelReport, Kind};
use lockstep_kernel::Kernel;
use lockstep_simulate::{Config, bind, trace};

use crate::cli::formats::Format;
use crate::cli::options::Analysis;

/// Findings of one kernel that are looked at.
const MOST: usize = 32;

/// What a format shows of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Shown {
    Nothing,
    /// A few lines on a terminal: the variables of two threads, and who touched what.
    Lines,
    /// All there is.
    Page,
}

impl Shown {
    /// By the format that shows most.
    pub(crate) fn of(analysis: &Analysis) -> Shown {
        let report = &analysis.report;
        let also = report.also.iter().map(|also| also.format);
        also.map(Shown::by).fold(Shown::by(report.format), Shown::max)
    }

    fn by(format: Format) -> Shown {
        match format {
            Format::Html => Shown::Page,
            Format::Human => Shown::Lines,
            _ => Shown::Nothing,
        }
    }

    /// Warp instructions of one execution.
    fn steps(self) -> u64 {
        match self {
            Shown::Nothing => 0,
            Shown::Lines => 1_000_000,
            Shown::Page => 20_000_000,
        }
    }

    fn is_about(self, kind: Kind) -> bool {
        match self {
            Shown::Nothing => false,
            Shown::Lines => matches!(kind, Kind::DataRace | Kind::MissingFence),
            Shown::Page => kind.is_decided_by(DecidedBy::OneLaunch),
        }
    }
}

/// Whether the format shows what threads of a kernel's findings did.
pub(crate) fn are_wanted(report: &KernelReport, shown: Shown) -> bool {
    report.findings.iter().any(|f| is_seen(f, shown) && f.launch.is_some())
}

fn is_seen(finding: &Finding, shown: Shown) -> bool {
    finding.confidence == Confidence::Confirmed && !finding.explored && shown.is_about(finding.kind)
}

/// Adds traces to the findings that were seen in a launch, as far as the format shows them.
pub(crate) fn add(kernel: &Kernel, report: &mut KernelReport, analysis: &Analysis) {
    let shown = Shown::of(analysis);
    let config = Config {
        scheduling: analysis.launch.scheduling().scheduling(),
        warp_size: analysis.launch.warp_size(),
        max_steps: shown.steps(),
        kinds: Vec::new(),
        ..Config::default()
    };
    for finding in report.findings.iter_mut().filter(|f| is_seen(f, shown)).take(MOST) {
        let bound = finding.launch.as_ref().and_then(|l| bind::bind(kernel, l).ok());
        finding.trace = bound.and_then(|b| trace(kernel, &b, &config, finding).ok());
        let timelines = finding.trace.iter_mut().flat_map(|t| &mut t.timelines);
        timelines.filter(|_| shown == Shown::Lines).for_each(|t| t.events.clear());
    }
}
