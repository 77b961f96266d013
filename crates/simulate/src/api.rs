//! What goes into a simulation and what comes out of it.

use std::fmt;

use lockstep_finding::{Finding, Kind};

/// May threads of a warp run apart between synchronisations?
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Scheduling {
    /// Yes: Volta and later, and all of OpenCL.
    #[default]
    Independent,
    /// No: before Volta.
    Lockstep,
}

/// A kernel argument in the form the machine wants it.
#[derive(Clone, Debug, PartialEq)]
pub enum BoundArg {
    /// One value per register of the parameter, zero-extended.
    Scalar(Vec<u64>),
    /// A buffer of its own with these contents.
    Buffer(Vec<u8>),
    /// The same buffer as an earlier argument, from `offset` bytes on.
    Alias { param: usize, offset: u64 },
    /// A null pointer.
    Null,
    /// An OpenCL `__local` argument: so many bytes in each block.
    Local(u64),
    /// The bytes of a struct passed by value.
    Aggregate(Vec<u8>),
}

/// A launch whose arguments match the kernel's parameters one to one.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundLaunch {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    pub args: Vec<BoundArg>,
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
    /// Keep at most so many bytes of what the kernel prints.
    pub max_print: usize,
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
        }
    }
}

/// Counters of one simulation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Instructions executed by warps.
    pub warp_steps: u64,
    /// The same, counted once per active lane.
    pub lane_steps: u64,
    /// Bytes of memory the launch owns (buffers, globals, shared memory).
    pub memory_bytes: u64,
    /// Bytes of shadow kept for it.
    pub shadow_bytes: u64,
    /// Sites of accesses that some thread executed, of all the kernel has.
    pub sites_reached: u32,
    pub sites_total: u32,
    /// Whether blocks ran in parallel from start to end.
    pub parallel: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// In a fixed order, without their launch.
    pub findings: Vec<Finding>,
    pub printed: String,
    /// Contents of each `Buffer` argument after the launch, by parameter.
    pub buffers: Vec<(usize, Vec<u8>)>,
    /// Why the launch was not executed to its end as written, if it was not:
    /// nothing may be concluded from the absence of findings.
    pub incomplete: Option<String>,
    /// A precondition of the kernel's that the launch does not satisfy: it says
    /// nothing about the kernel.
    pub violated: Option<String>,
    pub stats: Stats,
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
