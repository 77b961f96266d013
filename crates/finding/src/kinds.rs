//! The kinds of finding, and the one table of all that holds for a kind.
//!
//! A new kind is a row. Whoever needs to know what a kind is called, how bad it is, how far its findings can be
//! trusted or which engines look for it asks this table; there is no other list.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Severity;

/// What can be wrong. The names are part of the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    DataRace,
    BarrierDivergence,
    RedundantBarrier,
    OutOfBounds,
    UninitialisedRead,
    Misaligned,
    UseAfterFree,
    Deadlock,
    MissingFence,
    RedundantFence,
    Mismatch,
    Assertion,
    ApiError,
}

/// An engine that decides kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecidedBy {
    /// The execution of one launch.
    OneLaunch,
    /// The execution of several launches: of one alone, nothing follows.
    SeveralLaunches,
    /// The proof for all inputs.
    Proof,
    /// The exploration of all executions of small launches, under the memory model.
    Exploration,
    /// The comparison with a reference.
    Comparison,
    /// The symbolic execution of one launch, for all contents of its arrays.
    Paths,
    /// The run of a whole program.
    Program,
}

/// How many of the findings of a kind are right, in the words of code hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// The launch that was executed has the bug, whatever the caller does.
    VeryHigh,
    /// The launch has it; whether a caller launches it so, or with arrays of that size, may be a choice of ours.
    High,
    /// It is true of all launches that were tried, and may not be of others.
    Medium,
}

impl Precision {
    pub fn name(self) -> &'static str {
        match self {
            Precision::VeryHigh => "very-high",
            Precision::High => "high",
            Precision::Medium => "medium",
        }
    }
}

/// What holds for all findings of a kind.
#[derive(Debug)]
pub struct About {
    pub kind: Kind,
    pub name: &'static str,
    /// What a finding of it has unless something makes it milder.
    pub severity: Severity,
    pub precision: Precision,
    /// Empty where no command of this version reports it.
    pub decided_by: &'static [DecidedBy],
    /// It may take two blocks to show it: some blocks of a launch alone say nothing of its absence.
    pub between_blocks: bool,
    /// Whether a launch shows it may rest on how large the arrays are.
    pub rests_on_sizes: bool,
    /// It is about a statement that could go, and not about what threads did there.
    pub is_needless_code: bool,
    /// One sentence for lists of rules, no trailing full stop.
    pub summary: &'static str,
    /// The page of the book: meaning, a small kernel that has it, the same kernel without it.
    pub page: &'static str,
}

use DecidedBy::{Comparison, Exploration, OneLaunch, Paths, Program, Proof, SeveralLaunches};

/// In the interface's order.
pub static KINDS: [About; 13] = [
    About {
        kind: Kind::DataRace,
        name: "data-race",
        severity: Severity::Error,
        precision: Precision::VeryHigh,
        decided_by: &[OneLaunch, Proof, Paths],
        between_blocks: true,
        rests_on_sizes: false,
        is_needless_code: false,
        summary: "Two threads access the same memory without synchronisation",
        page: include_str!("../../../docs/src/kinds/data-race.md"),
    },
    About {
        kind: Kind::BarrierDivergence,
        name: "barrier-divergence",
        severity: Severity::Error,
        precision: Precision::VeryHigh,
        decided_by: &[OneLaunch, Proof, Paths],
        between_blocks: false,
        rests_on_sizes: false,
        is_needless_code: false,
        summary: "Not all threads of a block reach the same barrier",
        page: include_str!("../../../docs/src/kinds/barrier-divergence.md"),
    },
    About {
        kind: Kind::RedundantBarrier,
        name: "redundant-barrier",
        severity: Severity::Warning,
        // Another launch may need the barrier.
        precision: Precision::Medium,
        decided_by: &[SeveralLaunches, Proof],
        between_blocks: true,
        rests_on_sizes: true,
        is_needless_code: true,
        summary: "A barrier orders nothing that is not ordered without it",
        page: include_str!("../../../docs/src/kinds/redundant-barrier.md"),
    },
    About {
        kind: Kind::OutOfBounds,
        name: "out-of-bounds",
        severity: Severity::Error,
        // The sizes of arrays that nobody gave are read off the kernel.
        precision: Precision::High,
        decided_by: &[OneLaunch, Proof, Paths],
        between_blocks: false,
        rests_on_sizes: true,
        is_needless_code: false,
        summary: "A thread accesses memory outside of its array",
        page: include_str!("../../../docs/src/kinds/out-of-bounds.md"),
    },
    About {
        kind: Kind::UninitialisedRead,
        name: "uninitialised-read",
        severity: Severity::Error,
        precision: Precision::VeryHigh,
        decided_by: &[OneLaunch, Paths],
        between_blocks: false,
        rests_on_sizes: false,
        is_needless_code: false,
        summary: "A value is used that comes from memory nobody has written",
        page: include_str!("../../../docs/src/kinds/uninitialised-read.md"),
    },
    About {
        kind: Kind::Misaligned,
        name: "misaligned",
        severity: Severity::Error,
        // Offsets that nobody gave are chosen.
        precision: Precision::High,
        decided_by: &[OneLaunch, Paths],
        between_blocks: false,
        rests_on_sizes: true,
        is_needless_code: false,
        summary: "An address is not a multiple of the access's alignment",
        page: include_str!("../../../docs/src/kinds/misaligned.md"),
    },
    About {
        kind: Kind::UseAfterFree,
        name: "use-after-free",
        severity: Severity::Error,
        precision: Precision::VeryHigh,
        decided_by: &[OneLaunch],
        between_blocks: false,
        rests_on_sizes: true,
        is_needless_code: false,
        summary: "A thread uses memory whose lifetime is over",
        page: include_str!("../../../docs/src/kinds/use-after-free.md"),
    },
    About {
        kind: Kind::Deadlock,
        name: "deadlock",
        severity: Severity::Error,
        // What a thread waits for may come from the host.
        precision: Precision::High,
        decided_by: &[OneLaunch],
        between_blocks: true,
        rests_on_sizes: false,
        is_needless_code: false,
        summary: "No thread of the launch can make progress any more",
        page: include_str!("../../../docs/src/kinds/deadlock.md"),
    },
    About {
        kind: Kind::MissingFence,
        name: "missing-fence",
        severity: Severity::Error,
        precision: Precision::VeryHigh,
        decided_by: &[OneLaunch, Exploration],
        between_blocks: true,
        rests_on_sizes: false,
        is_needless_code: false,
        summary: "A flag may become visible before the data it announces",
        page: include_str!("../../../docs/src/kinds/missing-fence.md"),
    },
    About {
        kind: Kind::RedundantFence,
        name: "redundant-fence",
        severity: Severity::Warning,
        precision: Precision::Medium,
        // A larger launch may need the fence.
        decided_by: &[Exploration],
        between_blocks: false,
        rests_on_sizes: true,
        is_needless_code: true,
        summary: "A fence orders nothing that is not ordered without it",
        page: include_str!("../../../docs/src/kinds/redundant-fence.md"),
    },
    About {
        kind: Kind::Mismatch,
        name: "mismatch",
        severity: Severity::Error,
        precision: Precision::VeryHigh,
        decided_by: &[Comparison],
        between_blocks: false,
        rests_on_sizes: true,
        is_needless_code: false,
        summary: "The kernel does not compute what its reference computes",
        page: include_str!("../../../docs/src/kinds/mismatch.md"),
    },
    About {
        kind: Kind::Assertion,
        name: "assertion",
        severity: Severity::Error,
        // Which arguments the assertion allows, only the caller knows.
        precision: Precision::High,
        decided_by: &[OneLaunch, Paths],
        between_blocks: false,
        rests_on_sizes: true,
        is_needless_code: false,
        summary: "A check of the program's own failed",
        page: include_str!("../../../docs/src/kinds/assertion.md"),
    },
    About {
        kind: Kind::ApiError,
        name: "api-error",
        severity: Severity::Error,
        precision: Precision::VeryHigh,
        decided_by: &[Program],
        between_blocks: false,
        rests_on_sizes: false,
        is_needless_code: false,
        summary: "The host uses the runtime in a way that it does not allow",
        page: include_str!("../../../docs/src/kinds/api-error.md"),
    },
];

impl Kind {
    pub const ALL: [Kind; 13] = {
        let mut all = [Kind::DataRace; 13];
        let mut i = 0;
        while i < all.len() {
            all[i] = KINDS[i].kind;
            i += 1;
        }
        all
    };

    /// Its row of the table.
    pub fn about(self) -> &'static About {
        &KINDS[self as usize]
    }

    pub fn name(self) -> &'static str {
        self.about().name
    }

    pub fn severity(self) -> Severity {
        self.about().severity
    }

    pub fn is_decided_by(self, engine: DecidedBy) -> bool {
        self.about().decided_by.contains(&engine)
    }

    /// Whether a command of this version may report it.
    pub fn is_reported(self) -> bool {
        !self.about().decided_by.is_empty()
    }

    pub fn from_name(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|k| k.name() == name)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_in_the_order_of_the_kinds() {
        for (i, row) in KINDS.iter().enumerate() {
            assert_eq!(row.kind as usize, i, "{}", row.name);
            assert_eq!(serde_json::to_value(row.kind).unwrap(), row.name);
            assert_eq!(Kind::from_name(row.name), Some(row.kind));
        }
    }

    /// The schema of the JSON report and the book's list have the same kinds, and the same severities.
    #[test]
    fn the_schema_and_the_book_agree_with_the_table() {
        let schema: serde_json::Value =
            serde_json::from_str(include_str!("../../../schemas/report.schema.json")).unwrap();
        let names: Vec<&str> = KINDS.iter().map(|row| row.name).collect();
        assert_eq!(schema["$defs"]["kind"]["enum"], serde_json::json!(names));
        let list = include_str!("../../../docs/src/kinds.md");
        for row in &KINDS {
            let name = row.name;
            let line = list.lines().find(|l| l.starts_with(&format!("| [{name}](")));
            let severity = line.map(|l| l.trim_end_matches(['|', ' ']).rsplit(' ').next());
            let expected = row.kind.is_reported().then_some(Some(row.severity.name()));
            assert_eq!(severity, expected, "{name}");
            assert!(row.page.starts_with(&format!("# {name}\n")), "{name}");
        }
    }
}
