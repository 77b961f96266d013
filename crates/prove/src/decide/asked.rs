//! The questions of an analysis, for whoever checks a proof again.
//!
//! Every question that is asked is kept as it was asked, before any rule has simplified it, with what it is about and who has
//! answered that it has no model. What has one, or no answer, proves nothing, and is left out in the end.

use crate::decide::methods::METHODS;
use crate::decide::rules_table::RULES;
use crate::term::T;

/// What a question is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum About {
    /// Whether two accesses race.
    Race,
    /// Whether a thread misses a barrier that another one reaches, and comes to a later one.
    Barrier,
    /// Whether a thread misses a barrier that another one reaches.
    EveryBarrier,
    /// What barriers of some threads, copies, counters and values handed on rest on.
    Order,
    /// Whether a thread comes to what is not modelled.
    Reach,
    Bounds,
    Assertion,
    /// Asked for another purpose than a proof.
    Other,
}

/// Who has shown that a question has no model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DecidedBy {
    Nobody,
    /// A member became false while it was made.
    Construction,
    /// The rule that was the last to apply, if one was, before a contradiction was seen.
    Rule(Option<usize>),
    Method(usize),
    /// It was asked of places in the grid.
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

/// A question.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// All members, with the intervals of what occurs.
    pub(crate) members: Vec<T>,
    pub(crate) about: About,
    pub(crate) by: DecidedBy,
}

/// All of them, by number.
#[derive(Debug)]
pub(crate) struct AskedList {
    pub(crate) list: Vec<Asked>,
    /// What the next ones are about.
    pub(crate) about: About,
}

impl AskedList {
    pub(crate) fn new() -> AskedList {
        AskedList { list: Vec::new(), about: About::Other }
    }

    /// Keeps a question: its number.
    pub(crate) fn push(&mut self, members: Vec<T>, by: DecidedBy) -> usize {
        self.list.push(Asked { members, about: self.about, by });
        self.list.len() - 1
    }
}
