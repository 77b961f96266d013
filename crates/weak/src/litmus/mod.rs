//! Litmus tests: small programs with a question about their last values.
//!
//! Reads the format of the tests of Dat3M (<https://github.com/hernanponcedeleon/Dat3M>,
//! `litmus/PTX`), and runs them ([`corpus`]).

mod assertion;
pub mod corpus;
mod lexer;
mod ptx;

pub use ptx::read as read_ptx;

use crate::condition::Condition;
use crate::explore::{Limits, Summary};
use crate::goal::{Failure, Witness, find};
use crate::model::Model;
use crate::program::Program;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    Exists,
    NotExists,
    Forall,
}

#[derive(Clone, Debug)]
pub struct Test {
    pub program: Program,
    pub quantifier: Quantifier,
    pub condition: Condition,
    /// Only executions that end so are asked about.
    pub filter: Option<Condition>,
}

/// Why a test cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// It is about something that is not modelled: this.
    Unsupported(String),
    Malformed(String),
}

#[derive(Clone, Debug)]
pub struct Decided {
    /// Does the test's statement hold? None if not all executions were seen and none of them decides.
    pub holds: Option<bool>,
    /// An execution that satisfies an `exists`, or contradicts a `forall` or `~exists`.
    pub witness: Option<Witness>,
    pub summary: Summary,
}

impl Test {
    pub fn decide(&self, model: &dyn Model, limits: Limits<'_>) -> Decided {
        let wanted = match self.quantifier {
            Quantifier::Exists | Quantifier::NotExists => self.condition.clone(),
            Quantifier::Forall => self.condition.clone().negated(),
        };
        let wanted = match &self.filter {
            Some(filter) => Condition::All(vec![filter.clone(), wanted]),
            None => wanted,
        };
        let answer = find(&self.program, model, limits, &[Failure::Reaches(wanted)]);
        let holds =
            answer.possible().map(|possible| possible == (self.quantifier == Quantifier::Exists));
        Decided { holds, witness: answer.witness, summary: answer.summary }
    }
}
