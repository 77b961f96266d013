//! Why a symbolic execution has no result, in the words of reports.

use lockstep_finding::{NotCompared, NotFollowed, Question, Reason, SourceLine};
use lockstep_kernel::{Kernel, LocId};
use lockstep_simulate::place;

use super::{Trouble, What};
use crate::term::Undefined;

pub(crate) fn of(kernel: &Kernel, trouble: &Trouble) -> Reason {
    let line = |loc: LocId| SourceLine::from(&place(kernel, loc));
    let at = line(trouble.at);
    match &trouble.what {
        What::NotFollowed(what) => {
            Reason::NotFollowed { what: NotFollowed::Operation(what.clone()), at: Some(at) }
        }
        What::OutOfBounds { .. } => Reason::MayHappen(Question::Bounds(at)),
        What::Released { object } => {
            Reason::NotCompared(NotCompared::Released { array: object.clone(), at })
        }
        What::Race { other, .. } => Reason::MayHappen(Question::Accesses([line(*other), at])),
        What::AtomicOrder { other, .. } => {
            Reason::NotCompared(NotCompared::AtomicOrder([line(*other), at]))
        }
        What::Divergence => Reason::MayHappen(Question::AllThreadsReach(at)),
        What::Assertion => Reason::MayHappen(Question::Assertion { line: at.line }),
        What::UnknownObject => Reason::NotFollowed { what: NotFollowed::Object, at: Some(at) },
        What::TooManyTargets { elements } => {
            Reason::NotCompared(NotCompared::TooManyTargets { elements: *elements, at })
        }
        What::Unroll { iterations } => {
            Reason::NotCompared(NotCompared::Unroll { iterations: *iterations, at })
        }
        What::DivisionByZero => Reason::NotCompared(NotCompared::DivisionByZero { at }),
        What::Uninitialised => Reason::MayHappen(Question::Initialised(at)),
        What::Misaligned => Reason::MayHappen(Question::Alignment(at)),
        What::Trap => Reason::NotCompared(NotCompared::Trap { at }),
        What::NotTogether => Reason::NotFollowed {
            what: NotFollowed::Operation("threads that are executed as one".into()),
            at: Some(at),
        },
        What::Steps => Reason::NotCompared(NotCompared::TooManyOperations),
        What::Late => Reason::TimeBudget { seconds: None },
    }
}

impl Undefined {
    /// As in "depends on …".
    pub(crate) fn words(self) -> &'static str {
        match self {
            Undefined::Uninitialised => "memory that nobody has written",
            Undefined::AtomicOrder => "what an atomic returns, and so on the order of threads",
            Undefined::AbsentLane => "a lane that does not take part in a shuffle",
            Undefined::AddressBits => "the number of an address",
            Undefined::Clock => "the clock",
            Undefined::Variable => "a variable that the host sets",
            Undefined::Element => "an element of an array that an index picks from too many",
            Undefined::Unfollowed => "memory that was written at an index which depends on data",
        }
    }
}
