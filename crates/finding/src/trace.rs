//! What the threads of a finding did, for formats that draw it.
//!
//! Plain data that an engine may add to a finding ([`crate::Finding::trace`]): a
//! timeline for each thread of it, and a map of who touched which element of the
//! memory it is about.

use crate::action::Action;
use crate::action::MemorySpace;
use serde::{Deserialize, Serialize};

use crate::Place;

#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct Trace {
    /// One for each of the finding's accesses, in their order.
    pub timelines: Vec<Timeline>,
    pub map: Option<AccessMap>,
}

/// A thread, or the copy engine of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Actor {
    pub block: [u32; 3],
    pub thread: Option<[u32; 3]>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Timeline {
    pub actor: Actor,
    /// In the order of execution, around the one that the finding is about.
    pub events: Vec<TraceEvent>,
    /// How many came before the first, and after the last.
    pub omitted: [u64; 2],
    /// The thread's variables when it made the access.
    pub variables: Vec<Variable>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TraceEvent {
    /// When, in the order in which the launch was executed: comparable between
    /// timelines, and meaning nothing else.
    pub step: u64,
    /// How many barriers of its block were before it.
    pub phase: u32,
    pub op: Action,
    pub object: Option<String>,
    pub element: Option<i64>,
    /// The value read or written, as text, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    pub place: Place,
    /// The finding is about this one.
    pub marked: bool,
}

impl TraceEvent {
    /// `write s[16]`, `read flag[0] = 1`.
    pub fn text(&self) -> String {
        let what = match (&self.object, self.element) {
            (Some(object), Some(element)) => format!("{} {object}[{element}]", self.op),
            (Some(object), None) => format!("{} {object}", self.op),
            _ => self.op.to_string(),
        };
        match &self.value {
            Some(value) => format!("{what} = {value}"),
            None => what,
        }
    }

    /// Whether it orders threads of a block, or a part of one.
    pub fn is_barrier(&self) -> bool {
        self.op == Action::Barrier
    }
}

/// A variable of the source and its value in one thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variable {
    pub name: String,
    pub value: String,
    pub approximated: bool,
    /// Where the access goes, or whether it happens, depends on it.
    pub decides: bool,
}

/// Who touched which element while nothing ordered the finding's accesses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AccessMap {
    pub object: String,
    pub space: MemorySpace,
    pub element_type: Option<String>,
    /// Elements that the object has.
    pub length: u64,
    /// The elements that are looked at, end excluded; may lie outside.
    pub range: [i64; 2],
    /// The element that the finding is about.
    pub marked: i64,
    /// Whose accesses are counted: those of one block …
    pub block: Option<[u32; 3]>,
    /// … after so many of its barriers, from the first to the last of the finding's
    /// accesses. Of the grid's, where it is about several blocks.
    pub phases: [u32; 2],
    /// The elements that somebody touched, in order.
    pub cells: Vec<Cell>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    pub element: i64,
    pub readers: Touch,
    pub writers: Touch,
    pub atomics: Touch,
}

impl Cell {
    /// Different threads of all kinds that are named.
    pub fn actors(&self) -> Vec<Actor> {
        let all = [&self.readers, &self.writers, &self.atomics];
        let mut actors: Vec<Actor> = all.iter().flat_map(|t| t.actors.iter().copied()).collect();
        actors.sort();
        actors.dedup();
        actors
    }

    /// Whether threads can disagree about the element's value.
    pub fn conflicts(&self) -> bool {
        let changes = !self.writers.is_empty() || !self.atomics.is_empty();
        let plain = !self.writers.is_empty() || !self.readers.is_empty();
        changes && plain && self.actors().len() > 1
    }
}

/// Different threads that touched an element in one way.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct Touch {
    /// The first ones.
    pub actors: Vec<Actor>,
    /// There are more than are named.
    pub more: bool,
}

impl Touch {
    pub fn is_empty(&self) -> bool {
        self.actors.is_empty()
    }
}
