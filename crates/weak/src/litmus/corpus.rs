//! The litmus tests of a checkout of Dat3M, with the results that it expects.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use super::{Test, Unreadable, read_ptx};
use crate::explore::{Limits, Summary};
use crate::goal::{Failure, find};
use crate::model::{Model, Ptx, Version};

/// A list of tests with expected results, and the model that they are decided by.
#[derive(Clone, Copy)]
pub struct Table {
    pub name: &'static str,
    /// Under `dartagnan/src/test/resources`.
    file: &'static str,
    pub model: &'static dyn Model,
    read: fn(&str) -> Result<Test, Unreadable>,
    question: Question,
}

#[derive(Clone, Copy)]
enum Question {
    /// Does the test's statement hold?
    Statement,
    /// Do all executions end?
    Termination,
}

impl Table {
    pub const PTX_6_0: Table = Table {
        name: "PTX 6.0",
        file: "PTXv6_0-expected.csv",
        model: &Ptx { version: Version::V6_0 },
        read: read_ptx,
        question: Question::Statement,
    };
    pub const PTX_7_5: Table = Table {
        name: "PTX 7.5",
        file: "PTXv7_5-expected.csv",
        model: &Ptx { version: Version::V7_5 },
        read: read_ptx,
        question: Question::Statement,
    };
    /// The tests of 7.5 by the model as NVIDIA documents it.
    pub const PTX_DOCUMENTED: Table = Table {
        name: "PTX as documented",
        file: "PTXv7_5-expected.csv",
        model: &Ptx::DOCUMENTED,
        read: read_ptx,
        question: Question::Statement,
    };
    pub const PTX_6_0_TERMINATION: Table = Table {
        name: "PTX 6.0, termination",
        file: "PTXv6_0-Liveness-expected.csv",
        question: Question::Termination,
        ..Table::PTX_6_0
    };
    pub const PTX_7_5_TERMINATION: Table = Table {
        name: "PTX 7.5, termination",
        file: "PTXv7_5-Liveness-expected.csv",
        question: Question::Termination,
        ..Table::PTX_7_5
    };
    pub const ALL: [Table; 5] = [
        Table::PTX_6_0,
        Table::PTX_7_5,
        Table::PTX_DOCUMENTED,
        Table::PTX_6_0_TERMINATION,
        Table::PTX_7_5_TERMINATION,
    ];

    pub fn run(&self, root: &Path, limits: Limits<'_>) -> io::Result<Vec<Row>> {
        let table =
            std::fs::read_to_string(root.join("dartagnan/src/test/resources").join(self.file))?;
        let lines = table.lines().filter_map(|line| line.trim().rsplit_once(','));
        lines.map(|(path, expected)| self.decide(root, path, expected == "1", limits)).collect()
    }

    fn decide(
        &self,
        root: &Path,
        path: &str,
        expected: bool,
        limits: Limits<'_>,
    ) -> io::Result<Row> {
        let text = std::fs::read_to_string(root.join(path))?;
        let begin = Instant::now();
        let result = match (self.read)(&text) {
            Ok(test) => match self.question {
                Question::Statement => {
                    let decided = test.decide(self.model, limits);
                    Outcome::Decided(decided.holds, decided.summary)
                }
                Question::Termination => {
                    let answer = find(&test.program, self.model, limits, &[Failure::Hang]);
                    Outcome::Decided(answer.possible().map(|hangs| !hangs), answer.summary)
                }
            },
            Err(Unreadable::Unsupported(what)) => Outcome::LeftOut(what),
            Err(Unreadable::Malformed(why)) => Outcome::Unreadable(why),
        };
        Ok(Row { path: path.to_string(), expected, outcome: result, time: begin.elapsed() })
    }
}

#[derive(Clone, Debug)]
pub enum Outcome {
    Decided(Option<bool>, Summary),
    /// The test is about something that is not modelled.
    LeftOut(String),
    Unreadable(String),
}

#[derive(Clone, Debug)]
pub struct Row {
    pub path: String,
    pub expected: bool,
    pub outcome: Outcome,
    pub time: Duration,
}

impl Row {
    pub fn agrees(&self) -> bool {
        matches!(self.outcome, Outcome::Decided(Some(holds), _) if holds == self.expected)
    }

    /// Neither agrees nor is left out.
    pub fn differs(&self) -> bool {
        !self.agrees() && !matches!(self.outcome, Outcome::LeftOut(_))
    }
}
