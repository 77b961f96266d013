//! One candidate launch: the parts that may vary, as numbers that can be mutated.
//!
//! A size is kept relative to the launch's own dimensions (`n` is the number of
//! threads along x, plus something), so that a candidate stays sensible when its
//! dimensions change.

use std::fmt;

/// Why a launch was tried.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// The values that a caller would most likely pass.
    Ordinary,
    /// The same with smaller sizes, if the ordinary ones take too long.
    SmallerSizes,
    /// The same with other dimensions.
    Dimensions,
    /// Sizes around a multiple of the block: the last block is not full.
    PartialBlock,
    /// Sizes that the grid does not cover at once.
    BeyondTheGrid,
    /// Sizes or iteration counts from 0 to 3.
    TinySize,
    /// A constant that the kernel compares the parameter with, or its neighbour.
    Constant(String),
    /// The other value of a flag or mode.
    Flag(String),
    /// A stride of zero or one, or less than the row.
    Stride(String),
    /// An offset as large as the launch.
    FarOffset(String),
    /// Other contents of an array that holds indices or decides branches.
    Contents(String),
    /// Two pointers to the same array.
    EqualPointers(String, String),
    /// A block that is no multiple of the warp, or no power of two.
    OddBlock,
    /// More threads, or blocks, than a constant of the kernel.
    Turning(u64),
    /// As many threads as launch bounds allow.
    Bounds,
    /// An initial solution drawn at random.
    Random,
    /// A child by a normal step, in this generation.
    NormalStep(u32),
    /// A child by a Cauchy step, in this generation.
    CauchyStep(u32),
    /// Suggested by another engine, such as the model of a proof that failed.
    Suggested,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rule::Ordinary => f.write_str("ordinary values"),
            Rule::SmallerSizes => f.write_str("smaller sizes, which take less time"),
            Rule::Dimensions => f.write_str("other dimensions"),
            Rule::PartialBlock => f.write_str("a size that is no multiple of the block"),
            Rule::BeyondTheGrid => f.write_str("a size beyond the grid"),
            Rule::TinySize => f.write_str("a size of next to nothing"),
            Rule::Constant(name) => write!(f, "a constant that '{name}' is compared with"),
            Rule::Flag(name) => write!(f, "flag '{name}' the other way"),
            Rule::Stride(name) => write!(f, "a small '{name}'"),
            Rule::FarOffset(name) => write!(f, "a large '{name}'"),
            Rule::Contents(name) => write!(f, "other contents of '{name}'"),
            Rule::EqualPointers(a, b) => write!(f, "'{a}' and '{b}' the same array"),
            Rule::OddBlock => f.write_str("an odd block size"),
            Rule::Bounds => f.write_str("as many threads as launch bounds allow"),
            Rule::Turning(n) => write!(f, "more threads than {n}, a constant of the kernel"),
            Rule::Random => f.write_str("a random initial solution"),
            Rule::NormalStep(g) => write!(f, "a normal step in generation {g}"),
            Rule::CauchyStep(g) => write!(f, "a Cauchy step in generation {g}"),
            Rule::Suggested => f.write_str("the model of an alarm"),
        }
    }
}

/// The value of one scalar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Gene {
    /// The number of threads along an axis, times a factor, plus a summand.
    Threads {
        axis: usize,
        times: i64,
        plus: i64,
    },
    /// As long as the longest row: the maximum of all sizes, and the threads along x.
    Row,
    /// The logarithm of the number of elements of a block, with two elements for each thread.
    Log,
    Int(i64),
    Float(f64),
}

/// The contents of one array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Contents {
    Zeros,
    Ones,
    /// A one, followed by zeros.
    First,
    Iota,
    Random,
    /// This value (the bits of its type) everywhere.
    Value(u64),
    /// A zero at every nth element, ones in between.
    Sparse(u32),
    /// Small numbers, each repeated n times: 0,0,1,1,2,2 …
    Repeated(u32),
    /// Zeros and ones without a pattern: in any group of elements, some are equal and others are not.
    Coins,
    /// From the number of elements downwards.
    Descending,
    /// Each number once, with neighbours swapped. It is written out for every element, and not used for a witness.
    Swapped,
    /// Ascending in long runs of equal numbers, so that their upper bits ascend too. Not used for a witness.
    Runs,
    /// So far apart that a segment starting at one element is not likely to reach the next; not used for a witness.
    Spaced,
    /// At least so far apart, and with low bits that have no pattern; not used for a witness.
    Scattered(u64),
    /// Starts of adjacent segments of n elements, and their ends; not used for a witness.
    Begins(u64),
    Ends(u64),
    /// From zero up to this number, repeatedly: indices of an array of that many elements. Not used for a witness.
    Below(u64),
    /// Structs whose 4-byte words count up, across structs as well.
    Words,
}

impl Contents {
    /// The distance of elements that are [`Contents::Spaced`].
    pub(crate) const SPACE: u64 = 256;
    /// A distance that no segment of a launch that completes within its budget covers. All elements that are written
    /// out with it fit a signed 32-bit integer.
    pub(crate) const FAR: u64 = 1 << 15;
    /// Lengths of adjacent segments: short ones, and those that are meant for a block or several.
    pub(crate) const PARTS: [u64; 4] = [16, 64, 1024, 4096];
    /// The length of a run in [`Contents::Runs`].
    pub(crate) const RUN: u64 = 32;
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Candidate {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    /// By slot of the space.
    pub(crate) genes: Vec<Gene>,
    /// Slots that limit how far threads go: a row must be at least as long.
    pub(crate) sizes: Vec<usize>,
    /// By free array of the space; a member of structs counts as an array.
    pub(crate) contents: Vec<Contents>,
    /// Elements with fixed values: (parameter, byte offset, bytes, value).
    pub(crate) cells: Vec<(usize, u64, u32, u64)>,
    /// Two arrays that are the same.
    pub(crate) equal: Option<(usize, usize)>,
    pub(crate) rule: Rule,
}

impl Candidate {
    pub(crate) fn along(&self, axis: usize) -> i64 {
        self.grid[axis] as i64 * self.block[axis] as i64
    }

    pub(crate) fn block_threads(&self) -> u64 {
        self.block.iter().map(|&d| d as u64).product()
    }

    pub(crate) fn threads(&self) -> u64 {
        self.grid.iter().map(|&d| d as u64).product::<u64>() * self.block_threads()
    }

    /// Whether both are the same launch, whatever rule led to them.
    pub(crate) fn is_same_launch(&self, other: &Candidate) -> bool {
        (self.grid, self.block) == (other.grid, other.block)
            && self.equal == other.equal
            && self.genes == other.genes
            && self.contents == other.contents
            && self.cells == other.cells
    }

    /// The value of an integer slot.
    pub(crate) fn int(&self, slot: usize) -> i64 {
        match self.genes[slot] {
            Gene::Threads { axis, times, plus } => {
                self.along(axis).saturating_mul(times).saturating_add(plus)
            }
            Gene::Row => {
                let sizes = self.sizes.iter().filter(|&&i| self.genes[i] != Gene::Row);
                sizes.map(|&i| self.int(i)).max().unwrap_or(0).max(self.along(0))
            }
            Gene::Log => i64::from(self.block_threads().max(1).ilog2()) + 1,
            Gene::Int(v) => v,
            Gene::Float(v) => v as i64,
        }
    }
}
