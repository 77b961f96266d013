//! What is known about the launches before the search begins.

use lockstep_finding::launch::{Expr, Relation};
use lockstep_finding::{ArgValue, Fact};

/// Known facts about the launches, which the search respects. Relations, conditions and sizes come from the host.
#[derive(Clone, Debug, Default)]
pub struct Given {
    pub grid: Option<Fact<[u32; 3]>>,
    pub block: Option<Fact<[u32; 3]>>,
    /// OpenCL: the global size, if it is not a multiple of the block; then grid and block are given, too.
    pub global: Option<[u32; 3]>,
    /// Bytes of dynamic shared memory.
    pub shared: Option<Fact<u32>>,
    /// The same where the host computes it from other values, for launches that agree with all relations and conditions.
    pub shared_size: Option<Expr>,
    /// By parameter.
    pub args: Vec<Option<Fact<ArgValue>>>,
    /// Relations between values that are left to choose. None of them determines a value that is fixed, or that follows
    /// from another relation.
    pub relations: Vec<Relation>,
    /// Comparisons that hold for every launch.
    pub conditions: Vec<Expr>,
    /// Sizes in bytes that the host allocates for arrays, by parameter. They apply only to launches that agree with all
    /// relations and conditions; the host does make such a launch, whatever is left to choose in it.
    pub sizes: Vec<(usize, Expr)>,
    /// Integers that the host computes from others in a way that could not be analysed: not every combination of values
    /// occurs. With the values that it computes, if these are known.
    pub bound: Vec<(String, Vec<i64>)>,
}

impl Given {
    /// Whether nothing is left to choose (for a kernel with or without dynamic shared memory).
    pub fn is_complete(&self, dynamic_shared: bool) -> bool {
        self.grid.is_some()
            && self.block.is_some()
            && (self.shared.is_some() || !dynamic_shared)
            && self.args.iter().all(Option::is_some)
    }
}

/// A launch to try, such as the model of an alarm: values that it does not contain are chosen as usual.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Suggestion {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Bits of scalar parameters, one for each register.
    pub scalars: Vec<(usize, Vec<u64>)>,
    /// Contents of arrays: (parameter, byte offset, bytes, value).
    pub cells: Vec<(usize, u64, u32, u64)>,
}

/// Which pointer arguments may be the same array.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Alias {
    #[default]
    Never,
    /// Those that are not `const`.
    Writable,
    /// All that are not `restrict`.
    All,
}
