//! What the threads of a finding did, for the formats that show it.
//!
//! The finding's launch is executed again, within a budget of steps and not of time,
//! so that the same run gives the same bytes.

use lockstep_finding::{Confidence, Finding, KernelReport, Kind};
use lockstep_kernel::Kernel;
use lockstep_simulate::{Config, bind, trace};

use crate::options::{Analysis, Format};

/// Warp instructions of one execution.
const MOST_STEPS: u64 = 20_000_000;
/// Findings of one kernel that are looked at.
const MOST: usize = 32;

/// Whether the format shows them.
pub(crate) fn are_wanted(analysis: &Analysis) -> bool {
    analysis.report.format == Format::Html
}

/// Adds traces to the findings that were seen in a launch, if the format shows them.
pub(crate) fn add(kernel: &Kernel, report: &mut KernelReport, analysis: &Analysis) {
    if !are_wanted(analysis) {
        return;
    }
    let config = Config {
        scheduling: analysis.launch.scheduling().scheduling(),
        warp_size: analysis.launch.warp_size(),
        max_steps: MOST_STEPS,
        kinds: Vec::new(),
        ..Config::default()
    };
    let seen = |f: &&mut Finding| f.confidence == Confidence::Confirmed && is_of_a_launch(f.kind);
    for finding in report.findings.iter_mut().filter(seen).take(MOST) {
        let bound = finding.launch.as_ref().and_then(|l| bind::bind(kernel, l).ok());
        finding.trace = bound.and_then(|b| trace(kernel, &b, &config, finding).ok());
    }
}

fn is_of_a_launch(kind: Kind) -> bool {
    !matches!(kind, Kind::RedundantBarrier | Kind::RedundantFence | Kind::Mismatch)
}
