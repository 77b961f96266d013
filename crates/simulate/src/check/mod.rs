//! The checks: faults, races, uninitialised reads, and how they are reported.

pub(crate) mod asynchronous_copies;
pub(crate) mod between_blocks;
pub(crate) mod cells;
pub(crate) mod deferred;
pub(crate) mod describe;
pub(crate) mod faults;
pub(crate) mod global_values;
pub(crate) mod group_copies;
pub(crate) mod happens_before;
pub(crate) mod memory;
pub(crate) mod race;
pub(crate) mod race_report;
pub(crate) mod report;
pub(crate) mod uninitialised;
pub(crate) mod written_only;

use crate::check::report::Reports;
use crate::code::program::Program;
use crate::machine::observe::{Nobody, Observer};

/// How thorough a check is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Only detects whether there is anything to report, while blocks run in parallel.
    Probe,
    /// Reports, while blocks run one after the other.
    Full,
}

/// An observer that reports findings.
pub(crate) trait Check: Observer {
    fn new(program: &Program, mode: Mode) -> Self;

    /// Size in bytes of its state for the whole launch.
    fn launch_bytes(&self) -> u64 {
        0
    }

    /// The launch has ended.
    fn launch_ends(&mut self, program: &Program) {
        let _ = program;
    }

    fn reports(self) -> Reports;
}

impl Check for Nobody {
    fn new(_: &Program, _: Mode) -> Nobody {
        Nobody
    }

    fn reports(self) -> Reports {
        Reports::new(false, &[])
    }
}

impl<A: Check, B: Check> Check for (A, B) {
    fn new(program: &Program, mode: Mode) -> (A, B) {
        (A::new(program, mode), B::new(program, mode))
    }

    fn launch_bytes(&self) -> u64 {
        self.0.launch_bytes() + self.1.launch_bytes()
    }

    fn launch_ends(&mut self, program: &Program) {
        self.0.launch_ends(program);
        self.1.launch_ends(program);
    }

    fn reports(self) -> Reports {
        let mut reports = self.0.reports();
        reports.join(self.1.reports());
        reports
    }
}
