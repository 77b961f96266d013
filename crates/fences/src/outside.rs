//! What this engine does not model, as data: an answer that rests on it is not given.

use std::fmt;

use lockstep_kernel::{Kernel, LocId};

/// A value that nobody knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unknown {
    /// The clock.
    Clock,
    /// A variable that was never given a value.
    Undefined,
    /// Memory that was never written.
    Uninitialised,
}

/// What a value that is not known was to decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Decision {
    Branch,
    Address,
    /// It is stored where other threads may read it, or handed to them.
    Shared,
    /// The id, mask or length of an operation.
    Operand,
    Assertion,
}

/// Why a kernel at a launch is outside of what is modelled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// More threads than are looked at.
    Threads { threads: u64, most: u64 },
    /// More threads than are explored have something to do with each other.
    Communicating { threads: u64, most: u64 },
    /// Threads of a warp that run in step.
    Lockstep,
    /// The last blocks are smaller than the others.
    SmallerBlocks,
    /// The arguments do not match the parameters.
    Arguments,
    /// The launch breaks a precondition of the kernel.
    Precondition(String),
    /// Pointers into one array at distances that nobody knows.
    Aliases,
    /// An operation without a meaning here.
    Operation(String),
    /// An unknown value decides something.
    Decides(Unknown, Decision),
    /// An address computed from values that other threads write, so that it is not known which array it points into.
    Address,
    /// An access beyond the memory that it goes to.
    Bounds { object: String },
    /// Accesses of different sizes overlap in memory through which threads communicate.
    MixedSizes { object: String },
    /// An array with so many elements is indexed by values that other threads write.
    LargeArray { object: String, elements: u64 },
    /// A thread does more than is followed.
    Steps,
    /// Loops have more different states than are followed.
    States,
    /// A barrier for a number of threads, in a block whose warps are not whole.
    PartialWarps,
    /// Time is over, or the work was given up.
    GivenUp,
}

/// Why, and where in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outside {
    pub reason: Reason,
    pub loc: Option<LocId>,
}

impl Outside {
    pub(crate) fn of(reason: Reason) -> Outside {
        Outside { reason, loc: None }
    }

    /// Whether it concerns only threads that come there, and not the work that is done.
    pub(crate) fn is_of_one_way(&self) -> bool {
        matches!(
            self.reason,
            Reason::Operation(_)
                | Reason::Decides(..)
                | Reason::Address
                | Reason::Bounds { .. }
                | Reason::LargeArray { .. }
        )
    }

    pub(crate) fn at(reason: Reason, loc: LocId) -> Outside {
        Outside { reason, loc: Some(loc) }
    }

    /// The line of the source, if it is known: that of the outermost call.
    pub fn line(&self, kernel: &Kernel) -> Option<u32> {
        kernel.loc_chain(self.loc?).last().map(|loc| loc.line).filter(|&line| line > 0)
    }
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unknown::Clock => "the clock",
            Unknown::Undefined => "a variable without a value",
            Unknown::Uninitialised => "memory that was never written",
        })
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Threads { threads, most } => {
                write!(f, "the launch has {threads} threads, and at most {most} are looked at")
            }
            Reason::Communicating { threads, most } => {
                write!(f, "{threads} threads communicate, and at most {most} are explored")
            }
            Reason::Lockstep => {
                f.write_str("threads of a warp that run in step are not explored")
            }
            Reason::SmallerBlocks => {
                f.write_str("launches whose last work-groups are smaller are not explored")
            }
            Reason::Arguments => f.write_str("the arguments do not match the parameters"),
            Reason::Precondition(text) => write!(f, "the launch does not satisfy '{text}'"),
            Reason::Aliases => {
                f.write_str("parameters point into one array, and it is not known where")
            }
            Reason::Operation(name) => write!(f, "{name} is not explored"),
            Reason::Decides(what, decision) => {
                let decides = match decision {
                    Decision::Branch => "a branch depends on",
                    Decision::Address => "an address depends on",
                    Decision::Shared => "other threads may read",
                    Decision::Operand => "a synchronising operation depends on",
                    Decision::Assertion => "an assertion depends on",
                };
                write!(f, "{decides} {what}")
            }
            Reason::Address => f.write_str(
                "an address comes from values that other threads write, and it is not known which array it points into",
            ),
            Reason::Bounds { object } => write!(f, "an access beyond '{object}'"),
            Reason::MixedSizes { object } => {
                write!(f, "accesses of different sizes overlap in '{object}'")
            }
            Reason::LargeArray { object, elements } => write!(
                f,
                "'{object}' has {elements} elements and is indexed by values that other threads write"
            ),
            Reason::Steps => f.write_str("a thread executes too many operations"),
            Reason::States => f.write_str("a loop has too many different states"),
            Reason::PartialWarps => {
                f.write_str("a barrier for a number of threads in a block whose warps are not whole")
            }
            Reason::GivenUp => f.write_str("the work was given up"),
        }
    }
}

impl fmt::Display for Outside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reason.fmt(f)
    }
}
