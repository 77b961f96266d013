//! The sequence itself.

use lockstep_finding::{ArraySpec, Place};

/// What a host does with a device.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sequence {
    /// As findings and reasons call it: the name of a script's file.
    pub name: String,
    pub buffers: Vec<Buffer>,
    /// Numbers that launches, and a reference, take by name.
    pub numbers: Vec<Number>,
    pub steps: Vec<Step>,
    /// The buffers that count in the end; if there are none, all that the other side of a comparison writes.
    pub compare: Vec<String>,
}

/// Memory that lives from the first step until it is released, or to the end.
#[derive(Clone, Debug, PartialEq)]
pub struct Buffer {
    pub name: String,
    pub array: ArraySpec,
    pub start: Start,
}

/// What a buffer holds before the first step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// The contents of its array.
    Filled,
    /// Any contents.
    Symbolic,
    /// Nothing: its bytes have no value.
    Unwritten,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Number {
    pub name: String,
    /// As it is written; any value, if there is none.
    pub value: Option<String>,
}

/// What the host does at one place.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    pub task: Task,
    pub place: Place,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Task {
    Launch(LaunchStep),
    Copy {
        from: String,
        to: String,
        asynchronous: bool,
    },
    /// All bytes are set, after what was started before.
    Fill {
        buffer: String,
        byte: u8,
    },
    /// All that was started before has ended.
    Wait,
    Free {
        buffer: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchStep {
    /// As it is written: relative to the script.
    pub file: String,
    pub kernel: String,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    /// By parameter: the name of a buffer or of a number, or a value. What is not here is the buffer or number that has
    /// the parameter's name.
    pub args: Vec<(String, String)>,
}

impl Sequence {
    pub fn buffer(&self, name: &str) -> Option<&Buffer> {
        self.buffers.iter().find(|b| b.name == name)
    }

    pub fn number(&self, name: &str) -> Option<&Number> {
        self.numbers.iter().find(|n| n.name == name)
    }

    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.buffers.iter().position(|b| b.name == name)
    }

    /// The launches, with the numbers of their steps.
    pub fn launches(&self) -> impl Iterator<Item = (usize, &LaunchStep)> {
        self.steps.iter().enumerate().filter_map(|(i, step)| match &step.task {
            Task::Launch(launch) => Some((i, launch)),
            _ => None,
        })
    }
}
