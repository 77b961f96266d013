//! The queries of an analysis, recorded so that a proof can be checked again.
//!
//! Every query is recorded in its original form, before any rule has simplified it, with its subject and with the rule
//! or method that showed it unsatisfiable. Queries that are satisfiable or undecided prove nothing, and are left out at
//! the end.

use crate::decide::methods::METHODS;
use crate::decide::rules_table::RULES;
use crate::term::T;

/// The subject of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum About {
    /// Whether two accesses race.
    Race,
    /// Whether a thread misses a barrier that another thread reaches, and reaches a later one.
    Barrier,
    /// Whether a thread misses a barrier that another thread reaches.
    EveryBarrier,
    /// The facts that orders rely on: barriers of some of the threads, asynchronous copies, counters, and values handed
    /// from thread to thread.
    Order,
    /// Whether a thread reaches an operation that is not modelled.
    Reach,
    Bounds,
    Assertion,
    /// Asked for a purpose other than a proof.
    Other,
}

/// What has shown that a query is unsatisfiable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DecidedBy {
    Nobody,
    /// A member of the conjunction became false while it was constructed.
    Construction,
    /// The last rule that applied, if any, before a contradiction was seen.
    Rule(Option<usize>),
    Method(usize),
    /// The query was decided over positions in the grid.
    GridPosition,
}

impl DecidedBy {
    /// The name of the rule or the method.
    pub(crate) fn name(self) -> Option<&'static str> {
        match self {
            DecidedBy::Nobody => None,
            DecidedBy::Construction => Some("construction"),
            DecidedBy::Rule(None) => Some("literals"),
            DecidedBy::Rule(Some(rule)) => Some(RULES[rule].name),
            DecidedBy::Method(method) => Some(METHODS[method].name),
            DecidedBy::GridPosition => Some("grid-position"),
        }
    }
}

/// A query.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// All members of the conjunction, with the intervals of all terms that occur.
    pub(crate) members: Vec<T>,
    pub(crate) about: About,
    pub(crate) by: DecidedBy,
}

/// All queries, by number.
#[derive(Debug)]
pub(crate) struct AskedList {
    pub(crate) list: Vec<Asked>,
    /// The subject of the next queries.
    pub(crate) about: About,
}

impl AskedList {
    pub(crate) fn new() -> AskedList {
        AskedList { list: Vec::new(), about: About::Other }
    }

    /// Records a query, and returns its number.
    pub(crate) fn push(&mut self, members: Vec<T>, by: DecidedBy) -> usize {
        self.list.push(Asked { members, about: self.about, by });
        self.list.len() - 1
    }
}
