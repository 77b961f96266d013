//! Why something is unknown, or only possible.
//!
//! One variant for each reason that an engine can have; what code decides from a reason, it decides from the variant. The
//! text is for readers, and is made here and nowhere else.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::condition::{Claim, When};
use crate::kinds::Kind;
use crate::model::{Approximation, Place};

/// A line of a file, for a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceLine {
    pub file: String,
    pub line: u32,
}

impl From<&Place> for SourceLine {
    fn from(place: &Place) -> SourceLine {
        SourceLine { file: place.file.clone(), line: place.line }
    }
}

impl fmt::Display for SourceLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    // Limits.
    TimeBudget {
        seconds: Option<f64>,
    },
    StepBudget {
        warp_instructions: u64,
    },
    Interrupted,

    // The prover.
    /// A question without an answer: the time was over after so many seconds, or the solver gave up.
    Undecided {
        question: Question,
        seconds: Option<f64>,
    },
    MayHappen(Question),
    PossibleRace {
        line: u32,
        rests_on: Vec<Approximation>,
        because: Option<Box<Reason>>,
    },
    RestsOnRacyMemory(Dependent),
    NotFollowed {
        what: NotFollowed,
        at: Option<SourceLine>,
    },
    NoProof,
    NotProvedFreeOfRaces,
    /// Of a barrier: it may order more than accesses.
    BarrierOrders {
        what: String,
    },
    BarrierComputes {
        at: SourceLine,
    },
    NeededWithinWarps {
        at: SourceLine,
    },
    OthersMayNotBeReached {
        without: SourceLine,
    },
    ProvedOnlyIf(Claim),
    OneGroupSizeOnly,

    /// Two sides of a comparison are not shown to be equal, nor to differ.
    NotCompared(NotCompared),
    /// Of a sequence, in a step.
    InStep {
        step: u32,
        because: Box<Reason>,
    },

    // The simulator: why a launch was not executed to its end.
    Stopped(Stopped),
    NotSupported {
        what: String,
        at: SourceLine,
    },
    TooManyAccesses {
        accesses: usize,
        most: usize,
    },

    // The search: whose choice a finding may rest on.
    ChosenArguments,
    ChosenDimensions,
    /// It was seen where a table of constants is left, by arguments of our choice.
    TableLeft {
        table: String,
    },
    /// In every launch tried.
    BeyondChosenSizes,
    /// There were too many bugs to look into each.
    OthersOnlyCounted {
        others: usize,
    },
    /// The launches executed less than half of the accesses.
    FewAccesses {
        executed: usize,
        of: usize,
    },
    /// It did not show for all values of what the host gives.
    NotForAllOfTheHost,
    /// The budget ended before other arguments were tried.
    OthersNotTried,
    ChosenValue {
        parameter: String,
    },
    ChosenSize {
        array: String,
    },
    ChosenContents {
        array: String,
    },
    SetByHost {
        variable: String,
    },
    /// It was not seen for this value, and the host computes the parameter in a way that is not known.
    ComputedByHost {
        parameter: String,
        value: i64,
    },
    /// Where both write follows from comparing elements, whose order the caller gives.
    OrderOfElements {
        arrays: Vec<String>,
    },
    WriterUnseen,
    NoLaunchSatisfies,
    /// Constants of the kernel that no launch went beyond.
    ThreadsNotTried {
        more_than: u64,
    },

    // The verdict.
    NotConfirmed,
    FoundOnlyWhen(When),
    OneLaunch {
        kind: Kind,
    },
    NotLookedFor {
        kind: Kind,
    },
    /// Executions under the memory model were not explored.
    NotExplored {
        why: String,
    },
    /// Not all of them were explored.
    ExplorationCut,
    NotLookedForByProver {
        kind: Kind,
    },
    OnlyByNvcc,
    NotCompiled {
        architecture: String,
    },
    /// A template that nothing instantiates, and that no arguments of our choice fit.
    NotInstantiated {
        why: String,
    },
    /// Findings in a kernel that stands in a header of a library.
    OfALibrary,
    SolverMissing,
}

/// What the prover asks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Question {
    /// Whether two accesses race.
    Accesses([SourceLine; 2]),
    /// The same, where they were only seen to meet before the beginning of an array.
    AccessesBeforeArray([SourceLine; 2]),
    AllThreadsReach(SourceLine),
    AllBlocksReach(SourceLine),
    /// A barrier of the grid, at which the other blocks would wait for ever.
    AllBlocksReachGridBarrier(SourceLine),
    /// So many threads reach a barrier of some threads.
    ThreadsReach {
        threads: u32,
        at: SourceLine,
    },
    LanesReach(SourceLine),
    BarrierNeeded(SourceLine),
    Bounds(SourceLine),
    /// Whether what is read was written.
    Initialised(SourceLine),
    Alignment(SourceLine),
    Assertion {
        line: u32,
    },
    /// An asynchronous copy is used before it is done.
    CopyUsedEarly(SourceLine),
    CopyUnderWay {
        copy: SourceLine,
        barrier: SourceLine,
    },
    CopyNotWaitedFor {
        before: SourceLine,
    },
    CopyDiffers(SourceLine),
}

/// What rests on memory that may race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Dependent {
    Index,
    Assertion,
    BarrierCondition,
}

/// What the prover's model does not have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NotFollowed {
    Operation(String),
    LoopWithSeveralEntries,
    WrittenTexture,
    /// A barrier of some of a block's threads.
    PartialBarrier,
    WhoMeets,
    LaneMask,
    Object,
    GroupCopyWait,
    /// Whether a wait is for this copy.
    GroupCopy,
    /// How many elements an array has.
    Length(String),
}

/// Why it is not known whether a kernel and its reference compute the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NotCompared {
    /// What they compute for an element is not shown to be equal, and so many executions show no difference.
    Element {
        element: String,
        inputs: u32,
        would_need: Option<String>,
    },
    /// An element depends on something that has no one value.
    Undefined {
        element: String,
        value: String,
    },
    /// An element differs only for inputs for which something is infinite or NaN, and these do not count.
    NotFinite {
        element: String,
    },
    /// One of them has a bug that was found by executing it.
    Faults,
    /// A launch may use an array that the host has released.
    Released {
        array: String,
        at: SourceLine,
    },
    AtomicOrder([SourceLine; 2]),
    TooManyTargets {
        elements: u64,
        at: SourceLine,
    },
    Unroll {
        iterations: u32,
        at: SourceLine,
    },
    DivisionByZero {
        at: SourceLine,
    },
    Trap {
        at: SourceLine,
    },
    TooManyOperations,
}

/// Why a launch ended before its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stopped {
    Deadlock,
    DivergentBarrier,
    GivenUp,
    Heap,
    TextureHandle,
    ImageShape,
    WaitsForOtherBlocks,
    Precondition(String),
}

impl Reason {
    /// Whether more time or more steps might have given an answer.
    pub fn is_budget(&self) -> bool {
        match self {
            Reason::TimeBudget { .. } | Reason::StepBudget { .. } => true,
            Reason::Undecided { seconds, .. } => seconds.is_some(),
            _ => false,
        }
    }

    /// Whether the clock ended it.
    pub fn is_time(&self) -> bool {
        matches!(self, Reason::TimeBudget { .. } | Reason::Undecided { seconds: Some(_), .. })
    }
}

fn rounded(seconds: f64) -> f64 {
    (seconds * 100.0).round() / 100.0
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::TimeBudget { seconds: Some(s) } => {
                write!(f, "the time budget of {} s ran out", rounded(*s))
            }
            Reason::TimeBudget { seconds: None } => f.write_str("the time budget ran out"),
            Reason::StepBudget { warp_instructions } => write!(
                f,
                "the launch did not end within its budget of {warp_instructions} warp instructions"
            ),
            Reason::Interrupted => f.write_str("interrupted"),
            Reason::Undecided { question, seconds } => {
                question.write_undecided(f)?;
                match seconds {
                    Some(s) => {
                        write!(f, " not decided when the time budget of {} s ran out", rounded(*s))
                    }
                    None => f.write_str(" not decided: the solver gave up"),
                }
            }
            Reason::MayHappen(question) => question.write_may(f),
            Reason::PossibleRace { line, rests_on, because } if rests_on.is_empty() => {
                write!(f, "there is a possible race at line {line}: ")?;
                match because {
                    Some(because) => because.fmt(f),
                    None => f.write_str("no launch has shown it"),
                }
            }
            Reason::PossibleRace { line, rests_on, .. } => {
                let names: Vec<String> = rests_on.iter().map(ToString::to_string).collect();
                write!(f, "a possible race at line {line} rests on {}", names.join(", "))
            }
            Reason::RestsOnRacyMemory(what) => {
                let what = match what {
                    Dependent::Index => "an index",
                    Dependent::Assertion => "an assertion",
                    Dependent::BarrierCondition => "a condition of a barrier",
                };
                write!(f, "{what} rests on memory that may be racy")
            }
            Reason::NotFollowed { what, at } => what.write(f, at.as_ref()),
            Reason::NoProof => f.write_str("there is no proof"),
            Reason::NotProvedFreeOfRaces => f.write_str("the kernel is not proved free of races"),
            Reason::BarrierOrders { what } => {
                write!(f, "a barrier may order {what} as well, which no data race shows")
            }
            Reason::BarrierComputes { at } => write!(f, "the barrier at {at} computes a value"),
            Reason::NeededWithinWarps { at } => {
                write!(f, "the barrier at {at} is needed if the threads of a warp may run apart")
            }
            Reason::OthersMayNotBeReached { without } => write!(
                f,
                "without the barrier at {without} it is not proved that all threads reach the others"
            ),
            Reason::ProvedOnlyIf(claim) => {
                write!(f, "proved only if {claim}, which no usual launch satisfies")
            }
            Reason::OneGroupSizeOnly => {
                f.write_str("the prover knows only work-groups of one size")
            }
            Reason::NotCompared(why) => why.fmt(f),
            Reason::InStep { step, because } => write!(f, "in step {step}, {because}"),
            Reason::Stopped(stop) => stop.fmt(f),
            Reason::NotSupported { what, at } => write!(f, "{what} at {at} is not supported"),
            Reason::ChosenArguments => f.write_str("the arguments were chosen by Lockstep"),
            Reason::ChosenDimensions => {
                f.write_str("the dimensions of the launch were chosen by Lockstep")
            }
            Reason::TableLeft { table } => write!(
                f,
                "it was seen where '{table}' is left, by arguments that were chosen by Lockstep"
            ),
            Reason::BeyondChosenSizes => f.write_str(
                "in every launch tried, threads went beyond arrays whose size was chosen by Lockstep",
            ),
            Reason::OthersOnlyCounted { others } => {
                write!(f, "{others} more were seen and only counted")
            }
            Reason::FewAccesses { executed, of } => {
                write!(f, "the launches tried executed only {executed} of {of} accesses")
            }
            Reason::NotForAllOfTheHost => {
                f.write_str("it was not seen for all values that were tried of what the host gives")
            }
            Reason::OthersNotTried => f.write_str(
                "the budget ended before other arguments were tried, for which it may not happen",
            ),
            Reason::ChosenValue { parameter } => {
                write!(f, "the value of '{parameter}' was chosen by Lockstep")
            }
            Reason::ChosenSize { array } => {
                write!(f, "the size of '{array}' was chosen by Lockstep")
            }
            Reason::ChosenContents { array } => {
                write!(f, "the contents of '{array}' were chosen by Lockstep")
            }
            Reason::SetByHost { variable } => {
                write!(f, "the host sets '{variable}', which is zero in the launches tried")
            }
            Reason::ComputedByHost { parameter, value } => write!(
                f,
                "it was not seen for {parameter} == {value}: the host computes it from other values, and how is not known"
            ),
            Reason::OrderOfElements { arrays } => write!(
                f,
                "where both write follows from comparing elements of {}: in the order that the caller gives them, it may not happen",
                arrays.join(" and ")
            ),
            Reason::WriterUnseen => {
                f.write_str("no thread of the launches tried writes what is waited for")
            }
            Reason::NoLaunchSatisfies => {
                f.write_str("no launch was found that satisfies the preconditions")
            }
            Reason::ThreadsNotTried { more_than } => write!(
                f,
                "no launch of more than {more_than} threads, a constant of the kernel, was tried"
            ),
            Reason::NotConfirmed => f.write_str("a possible finding is not confirmed"),
            Reason::FoundOnlyWhen(when) => write!(f, "found only where {when}"),
            Reason::OneLaunch { kind } => write!(f, "one launch says nothing about {kind}"),
            Reason::NotLookedFor { kind } => write!(f, "this command does not look for {kind}"),
            Reason::NotExplored { why } => {
                write!(f, "its executions under the memory model cannot be explored: {why}")
            }
            Reason::ExplorationCut => {
                f.write_str("it has too many executions under the memory model to explore them all")
            }
            Reason::NotLookedForByProver { kind } => {
                write!(f, "the prover does not look for {kind}")
            }
            Reason::OnlyByNvcc => f.write_str("not compiled by clang, only by nvcc"),
            Reason::NotCompiled { architecture } => write!(f, "not compiled for {architecture}"),
            Reason::NotInstantiated { why } => f.write_str(why),
            Reason::OfALibrary => f.write_str(
                "a kernel of a library's header: what its arguments are to each other, only the library knows",
            ),
            Reason::TooManyAccesses { accesses, most } => {
                write!(f, "{accesses} accesses are more than the simulator tracks ({most})")
            }
            Reason::SolverMissing => f.write_str("Z3 could not be loaded"),
        }
    }
}

impl Question {
    /// As the beginning of "… not decided".
    fn write_undecided(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Question::Accesses([a, b]) | Question::AccessesBeforeArray([a, b]) => {
                write!(f, "the accesses at {a} and {b} were")
            }
            Question::AllThreadsReach(at) => {
                write!(f, "whether all threads reach the barrier at {at} was")
            }
            Question::AllBlocksReach(at) | Question::AllBlocksReachGridBarrier(at) => {
                write!(f, "whether all blocks reach the barrier at {at} was")
            }
            Question::ThreadsReach { threads, at } => {
                write!(f, "whether {threads} threads reach the barrier at {at} was")
            }
            Question::LanesReach(at) => {
                write!(f, "whether all lanes of a warp reach the operation at {at} was")
            }
            Question::BarrierNeeded(at) => write!(f, "whether the barrier at {at} is needed was"),
            Question::Bounds(at) => write!(f, "the bounds of the access at {at} were"),
            Question::Initialised(at) => {
                write!(f, "whether what is read at {at} was written was")
            }
            Question::Alignment(at) => write!(f, "the alignment of the access at {at} was"),
            Question::Assertion { line } => write!(f, "the assertion at line {line} was"),
            Question::CopyUsedEarly(at)
            | Question::CopyUnderWay { copy: at, .. }
            | Question::CopyDiffers(at) => write!(f, "the asynchronous copy at {at} was"),
            Question::CopyNotWaitedFor { before } => write!(f, "the copies before {before} were"),
        }
    }

    /// As something that may be so.
    fn write_may(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Question::Accesses([a, b]) => write!(f, "the accesses at {a} and {b} may race"),
            Question::AccessesBeforeArray([a, b]) => write!(
                f,
                "the accesses at {a} and {b} were not decided: where they were seen to meet lies before the array"
            ),
            Question::AllThreadsReach(at) => {
                write!(f, "the barrier at {at} may not be reached by all threads")
            }
            Question::AllBlocksReach(at) => {
                write!(f, "the barrier at {at} may not be reached by all blocks")
            }
            Question::AllBlocksReachGridBarrier(at) => write!(
                f,
                "the barrier of the grid at {at} may not be reached by all blocks: the others would wait for ever"
            ),
            Question::ThreadsReach { threads, at } => {
                write!(f, "not all {threads} threads may come to the barrier at {at}")
            }
            Question::LanesReach(at) => {
                write!(f, "not all lanes of a warp may come to the operation at {at}")
            }
            Question::BarrierNeeded(at) => {
                write!(f, "whether the barrier at {at} is needed was not decided")
            }
            Question::Bounds(at) => write!(f, "the access at {at} may be out of bounds"),
            Question::Initialised(at) => {
                write!(f, "what is read at {at} may be memory that nobody has written")
            }
            Question::Alignment(at) => write!(f, "the access at {at} may not be aligned"),
            Question::Assertion { line } => write!(f, "the assertion at line {line} may fail"),
            Question::CopyUsedEarly(at) => {
                write!(f, "what the asynchronous copy at {at} copies may be used before it is done")
            }
            Question::CopyUnderWay { copy, barrier } => write!(
                f,
                "the asynchronous copy at {copy} may still be under way at the barrier at {barrier}"
            ),
            Question::CopyNotWaitedFor { before } => {
                write!(f, "no barrier tells all threads that a group copy is done before {before}")
            }
            Question::CopyDiffers(at) => {
                write!(f, "the operands of the group copy at {at} may differ between threads")
            }
        }
    }
}

impl NotFollowed {
    fn write(&self, f: &mut fmt::Formatter<'_>, at: Option<&SourceLine>) -> fmt::Result {
        let at = at.map_or(String::new(), |at| format!(" at {at}"));
        match self {
            NotFollowed::Operation(what) => write!(f, "{what}{at} is not modelled"),
            NotFollowed::LoopWithSeveralEntries => write!(f, "a loop with several entries{at}"),
            NotFollowed::WrittenTexture => {
                write!(f, "a texture that the kernel may write{at} is not modelled")
            }
            NotFollowed::PartialBarrier => {
                write!(f, "the barrier of some threads{at} is not modelled")
            }
            NotFollowed::WhoMeets => {
                write!(f, "which threads meet at the barrier{at} is not followed")
            }
            NotFollowed::LaneMask => write!(f, "the lane mask{at} is not followed"),
            NotFollowed::Object => write!(f, "the object accessed{at} is not known"),
            NotFollowed::GroupCopyWait => {
                write!(f, "which group copies the wait{at} is for is not followed")
            }
            NotFollowed::GroupCopy => {
                write!(f, "whether a wait is for the group copy{at} is not followed")
            }
            NotFollowed::Length(name) => write!(f, "the length of {name} is not given"),
        }
    }
}

impl fmt::Display for NotCompared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotCompared::Element { element, inputs, would_need } => {
                write!(
                    f,
                    "{element} is not proved to be equal, and no difference shows on {inputs} inputs"
                )?;
                match would_need {
                    Some(names) => write!(f, "; --assume-fp {names} would make it equal"),
                    None => Ok(()),
                }
            }
            NotCompared::Undefined { element, value } => {
                write!(f, "{element} depends on {value}")
            }
            NotCompared::NotFinite { element } => write!(
                f,
                "{element} is not proved to be equal, and differs only where a value is infinite or NaN"
            ),
            NotCompared::Released { array, at } => {
                write!(f, "the access at {at} may use {array} after it was released")
            }
            NotCompared::Faults => f.write_str("an execution has a bug"),
            NotCompared::AtomicOrder([a, b]) => {
                write!(f, "the result depends on the order of the atomics at {a} and {b}")
            }
            NotCompared::TooManyTargets { elements, at } => write!(
                f,
                "the index at {at} depends on data and picks from {elements} elements, which is too many"
            ),
            NotCompared::Unroll { iterations, at } => write!(
                f,
                "the loop at {at} may run more than {iterations} times (--unroll), depending on data"
            ),
            NotCompared::DivisionByZero { at } => write!(f, "the divisor at {at} may be zero"),
            NotCompared::Trap { at } => write!(f, "a trap at {at} may be reached"),
            NotCompared::TooManyOperations => {
                f.write_str("the launch has more operations than are executed symbolically")
            }
        }
    }
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stopped::Deadlock => f.write_str("the launch was stopped at a deadlock"),
            Stopped::DivergentBarrier => {
                f.write_str("the launch was stopped at a divergent barrier")
            }
            Stopped::GivenUp => f.write_str("the launch was stopped"),
            Stopped::Heap => f.write_str("it uses more of the device's heap than is modelled"),
            Stopped::TextureHandle => {
                f.write_str("it reads a texture whose handle is no argument of the launch")
            }
            Stopped::ImageShape => {
                f.write_str("it leaves the square or cube that Lockstep takes an image for")
            }
            Stopped::WaitsForOtherBlocks => {
                f.write_str("a block waits for others, which were not executed")
            }
            Stopped::Precondition(text) => write!(f, "the launch does not satisfy {text}"),
        }
    }
}
