//! The input of a simulation: the launch, and how to execute it.

use std::fmt;
use std::sync::Arc;

use lockstep_cancel::{Cancel, Moment};
use lockstep_finding::Kind;
use lockstep_kernel::Scheduling;

use crate::launch::bytes::Bytes;
use crate::launch::store_buffers::StoreBuffers;

/// A kernel argument in the form that the machine uses.
#[derive(Clone, Debug, PartialEq)]
pub enum BoundArg {
    /// One value per register of the parameter, zero-extended.
    Scalar(Vec<u64>),
    /// A buffer of its own with these contents.
    Buffer(Bytes),
    /// The same buffer as an earlier argument, starting at byte `offset`.
    Alias { param: usize, offset: u64 },
    /// A pointer into a variable of the kernel's file: its number among the kernel's objects, and an offset in bytes.
    Variable { object: usize, offset: u64 },
    /// A pointer into memory that outlives the launch ([`crate::Resident`]), or to anywhere else.
    Address(u64),
    /// A null pointer.
    Null,
    /// An OpenCL `__local` argument: its size in bytes in each block.
    Local(u64),
    /// The bytes of a struct passed by value.
    Aggregate(Vec<u8>),
}

/// A launch whose arguments match the kernel's parameters one to one.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundLaunch {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// The global size, if it is not a multiple of the block; the last blocks are then smaller.
    pub global: Option<[u32; 3]>,
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    pub args: Vec<BoundArg>,
}

impl BoundLaunch {
    /// The threads of a launch, counted in whole blocks.
    pub(crate) fn threads(&self) -> u64 {
        product(self.grid).saturating_mul(product(self.block))
    }
}

/// The number of points of a grid.
pub(crate) fn product(d: [u32; 3]) -> u64 {
    d.iter().map(|&x| u64::from(x)).fold(1, u64::saturating_mul)
}

#[derive(Clone, Debug)]
pub struct Config {
    pub scheduling: Scheduling,
    /// A power of two, at most 32.
    pub warp_size: u32,
    /// Worker threads; never changes the result.
    pub jobs: usize,
    /// Warp instructions after which the launch is given up as `unknown`.
    pub max_steps: u64,
    /// Kinds of finding to look for.
    pub kinds: Vec<Kind>,
    /// Maximum number of bytes of the kernel's output that are kept.
    pub max_print: usize,
    /// When to give the launch up as `unknown`, if ever.
    pub deadline: Option<Moment>,
    /// Gives the launch up as if the deadline had passed.
    pub cancel: Cancel,
    /// Also determine which barriers of the block are needed ([`Outcome::barriers`](crate::Outcome::barriers)). Blocks
    /// then run one after the other.
    pub barrier_needs: bool,
    /// Also return the final contents of the arrays ([`Outcome::buffers`](crate::Outcome::buffers)).
    pub outputs: bool,
    /// Execute only these blocks, in this order, as if the others had not started yet: a finding among them also occurs
    /// in a launch that starts this way. If one of them waits for another block, the launch is given up.
    pub only: Option<Arc<[u32]>>,
    /// Execute under weak memory: with store buffers, and early loads. Assertions, deadlocks and other faults are found,
    /// races are not looked for. Blocks then run interleaved, as the seed decides.
    pub store_buffers: Option<StoreBuffers>,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            scheduling: Scheduling::Independent,
            warp_size: 32,
            jobs: 1,
            max_steps: 200_000_000,
            kinds: Kind::ALL.to_vec(),
            max_print: 1 << 20,
            deadline: None,
            cancel: Cancel::default(),
            barrier_needs: false,
            outputs: true,
            only: None,
            store_buffers: None,
        }
    }
}

/// A launch that cannot be executed at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchError(pub String);

impl fmt::Display for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for LaunchError {}
