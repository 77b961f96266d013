//! The question, and the answer.

use lockstep_cancel::{Cancel, Moment};
use lockstep_finding::launch::Expr;
use lockstep_finding::{ElementType, Finding, Place, Reason, SourceLine};
use lockstep_kernel::{Kernel, Ty};
use lockstep_sequence::Sequence;
use lockstep_simulate::BoundLaunch;

use crate::equal::assumptions::Assumptions;
use crate::execute::Limits;

/// A parameter that stands for every value.
#[derive(Clone, Debug)]
pub struct Input {
    pub name: String,
    pub ty: Ty,
    /// As its values are written.
    pub element: ElementType,
    pub elements: u64,
    pub is_array: bool,
}

impl Input {
    /// Values of a scalar as an argument has them.
    pub fn text(&self, bits: &[u64]) -> String {
        let text = |v: &u64| self.element.value_text(&v.to_le_bytes());
        bits.iter().map(text).collect::<Vec<_>>().join(",")
    }

    /// The bytes of an array of these elements.
    pub fn bytes(&self, bits: &[u64]) -> Vec<u8> {
        let size = self.ty.bytes() as usize;
        bits.iter().flat_map(|v| v.to_le_bytes().into_iter().take(size)).collect()
    }
}

/// A kernel, and how it is launched.
#[derive(Debug)]
pub struct Launched<'a> {
    pub kernel: &'a Kernel,
    pub launch: BoundLaunch,
    /// For each parameter, the input that it is, by number.
    pub inputs: Vec<Option<usize>>,
}

/// A sequence of launches.
#[derive(Debug)]
pub struct Sequenced<'a> {
    pub sequence: &'a Sequence,
    /// Of each launch, in order.
    pub kernels: Vec<&'a Kernel>,
    /// For each buffer, and each number, the input that it is.
    pub buffers: Vec<Option<usize>>,
    pub numbers: Vec<Option<usize>>,
    /// The bytes of buffers that are no inputs.
    pub contents: Vec<Vec<u8>>,
}

/// One side of the question.
#[derive(Debug)]
pub enum Program<'a> {
    Launch(Launched<'a>),
    Sequence(Sequenced<'a>),
}

impl<'a> Program<'a> {
    /// The kernel of a launch: there is one, or those of a sequence in order.
    pub(crate) fn kernel(&self, launch: usize) -> &'a Kernel {
        match self {
            Program::Launch(launched) => launched.kernel,
            Program::Sequence(steps) => steps.kernels[launch],
        }
    }

    /// Its blocks and threads.
    pub(crate) fn dims(&self, launch: usize) -> [[u32; 3]; 2] {
        match self {
            Program::Launch(launched) => [launched.launch.grid, launched.launch.block],
            Program::Sequence(steps) => {
                let nth = steps.sequence.launches().nth(launch);
                nth.map_or([[1; 3]; 2], |(_, l)| [l.grid, l.block])
            }
        }
    }

    /// The number of a launch's step, where there are steps.
    pub fn step(&self, launch: usize) -> Option<usize> {
        match self {
            Program::Launch(_) => None,
            Program::Sequence(steps) => steps.sequence.launches().nth(launch).map(|(i, _)| i),
        }
    }
}

/// An array that is compared.
#[derive(Clone, Debug)]
pub struct Output {
    pub name: String,
    /// On both sides, the parameter of a launch or the buffer of a sequence.
    pub params: [usize; 2],
    pub ty: Ty,
    pub element: ElementType,
}

/// How the threads of a launch are executed symbolically.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Threads {
    /// One for all where that is possible, else each.
    #[default]
    Any,
    /// One for all; where that does not prove the sides equivalent, nothing is known.
    Together,
    /// Each.
    Each,
}

/// What counts as equal where a proof fails.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tolerance {
    /// Units in the last place.
    pub ulp: u64,
    pub relative: f64,
    pub absolute: f64,
}

#[derive(Debug)]
pub struct Question<'a> {
    /// The reference, then the kernel.
    pub sides: [Program<'a>; 2],
    pub inputs: Vec<Input>,
    pub outputs: Vec<Output>,
    pub allowed: Assumptions,
    /// Conditions on scalars that are inputs: other values do not count.
    pub assumed: Vec<Expr>,
    pub tolerance: Option<Tolerance>,
    pub limits: Limits,
    pub threads: Threads,
    pub warp_size: u32,
    /// Inputs on which both sides are executed.
    pub rounds: u32,
    pub seed: u64,
    pub jobs: usize,
    pub deadline: Option<Moment>,
    pub cancel: Cancel,
}

#[derive(Debug)]
pub enum Verdict {
    /// Equal for all inputs, under these assumptions.
    Equivalent {
        assumptions: Assumptions,
        /// Where the reference would divide by zero: such inputs do not count.
        divisions: Vec<SourceLine>,
    },
    /// Within the tolerance, on so many inputs.
    Close {
        inputs: u32,
    },
    Mismatch(Box<Mismatch>),
    Unknown {
        because: Reason,
    },
}

#[derive(Debug)]
pub struct Answer {
    pub verdict: Verdict,
    /// What the simulator found in one of the sides.
    pub findings: Vec<(usize, Finding)>,
    /// The bits of each input's elements that it was found on.
    pub found_on: Vec<Vec<u64>>,
    /// Of what is unknown, the first element.
    pub told: Option<Told>,
    pub statistics: Statistics,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Statistics {
    /// Elements of outputs, and those of them that were not one term at once.
    pub elements: u64,
    pub compared: u64,
    pub terms: u64,
    /// Questions to the solver.
    pub questions: u64,
    /// Operations of all threads.
    pub operations: u64,
}

impl Answer {
    pub(super) fn new(verdict: Verdict) -> Answer {
        Answer {
            verdict,
            findings: Vec::new(),
            found_on: Vec::new(),
            told: None,
            statistics: Statistics::default(),
        }
    }
}

/// Two expressions that are not shown to be equal: of the reference, then of the kernel. What differs first stands between `»`
/// and `«`.
#[derive(Clone, Debug)]
pub struct Told {
    pub expressions: [String; 2],
    /// The assumptions under which they are equal.
    pub would_need: Option<Assumptions>,
}

#[derive(Clone, Debug)]
pub struct Writer {
    /// Of a sequence, the number of the step.
    pub step: Option<usize>,
    pub place: Place,
    pub thread: [u32; 3],
    pub block: [u32; 3],
}

/// A difference that two executions have shown.
#[derive(Clone, Debug)]
pub struct Mismatch {
    /// Which array, and which of its elements.
    pub output: usize,
    pub element: u64,
    /// Of the reference, then of the kernel.
    pub values: [String; 2],
    /// The bits of each input's elements.
    pub inputs: Vec<Vec<u64>>,
    /// Elements that differ in these executions.
    pub different: u64,
    pub told: Option<Told>,
    pub writers: [Option<Writer>; 2],
}
