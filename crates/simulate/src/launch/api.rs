//! What goes into a simulation and what comes out of it.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use lockstep_cancel::Cancel;
use lockstep_finding::{Access, Finding, Kind, Memory};
use lockstep_kernel::{BlockId, SiteId};

use crate::launch::bytes::Bytes;

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
    Buffer(Bytes),
    /// The same buffer as an earlier argument, from `offset` bytes on.
    Alias { param: usize, offset: u64 },
    /// A pointer into a variable of the kernel's file, by its number among the kernel's objects, plus bytes.
    Variable { object: usize, offset: u64 },
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
    /// The global size, where it is no multiple of the block; the last blocks are then smaller.
    pub global: Option<[u32; 3]>,
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
    /// When to give the launch up as `unknown`, if ever.
    pub deadline: Option<Instant>,
    /// Gives the launch up as if the deadline had passed.
    pub cancel: Cancel,
    /// Also find out which barriers of the block are needed
    /// ([`Outcome::barriers`]). Blocks then run one after the other.
    pub barrier_needs: bool,
    /// Also say what the arrays hold at the end ([`Outcome::buffers`]).
    pub outputs: bool,
    /// Execute only these blocks, in this order, as if the others had not begun yet: what is found among them is found in
    /// a launch that begins so. Where one of them waits for another, the launch is given up.
    pub only: Option<Arc<[u32]>>,
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
    pub coverage: Coverage,
    /// With [`Config::barrier_needs`], if the launch ran to its end and the kernel
    /// has barriers of the block, and none of parts of it.
    pub barriers: Option<BarrierSurvey>,
}

/// What of a kernel some thread executed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// By [`SiteId`].
    pub sites: Vec<bool>,
    /// By [`BlockId`]: whether some thread took the first and the second way of
    /// the branch that ends the block.
    pub branches: Vec<[bool; 2]>,
}

impl Coverage {
    pub fn site(&self, site: SiteId) -> bool {
        self.sites.get(site.0 as usize).copied().unwrap_or(false)
    }

    pub fn branch(&self, block: BlockId) -> [bool; 2] {
        self.branches.get(block.0 as usize).copied().unwrap_or_default()
    }

    /// What either covers.
    pub fn join(&mut self, other: &Coverage) {
        let sites = self.sites.len().max(other.sites.len());
        self.sites.resize(sites, false);
        self.sites.iter_mut().zip(&other.sites).for_each(|(a, b)| *a |= b);
        let branches = self.branches.len().max(other.branches.len());
        self.branches.resize(branches, [false; 2]);
        for (a, b) in self.branches.iter_mut().zip(&other.branches) {
            a[0] |= b[0];
            a[1] |= b[1];
        }
    }
}

/// How threads share memory in one launch, in words of four bytes: shared memory
/// of each block on its own, global memory of the whole launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    /// Words that some thread accesses.
    pub addresses: u64,
    /// For each word the number of different threads that access it, summed up.
    pub touches: u64,
    /// The same of the words that some thread writes.
    pub written_addresses: u64,
    pub written_touches: u64,
    /// Words from the first to the last that is accessed, summed over objects.
    pub range: u64,
    pub coverage: Coverage,
    /// Instructions executed by warps.
    pub steps: u64,
    /// Whether the launch ran to its end.
    pub complete: bool,
    /// Whether the launch is not one that the kernel is for.
    pub violated: bool,
}

impl Footprint {
    /// Simulee's fitness: words per touch. The lower, the more threads meet; 1
    /// where each word has one thread, or nothing is touched.
    pub fn f(&self) -> f64 {
        if self.touches == 0 { 1.0 } else { self.addresses as f64 / self.touches as f64 }
    }
}

/// Which barriers of the block stand between accesses that would race without
/// them. A barrier is redundant in this launch if it is in no separation alone;
/// several are together if they contain no separation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BarrierSurvey {
    /// The barriers of the block that were executed, by site.
    pub uses: Vec<BarrierUse>,
    /// Smallest sets only, by their sites.
    pub separations: Vec<Separation>,
}

impl BarrierSurvey {
    /// The separation that shows that the barrier at `site` is needed even if all
    /// others stay.
    pub fn needs(&self, site: SiteId) -> Option<&Separation> {
        let alone = |s: &&Separation| s.barriers == [site];
        let mut found = self.separations.iter().filter(alone);
        found.clone().find(|s| s.across_warps).or_else(|| found.next())
    }
}

/// How often a barrier of the block was executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BarrierUse {
    pub site: SiteId,
    /// Most executions in one block.
    pub most_per_block: u64,
    /// Most warps of a block that executed it.
    pub most_warps: u32,
}

/// Conflicting accesses that only these barriers separate.
#[derive(Clone, Debug, PartialEq)]
pub struct Separation {
    /// Sorted: the accesses would race if all of these were taken away.
    pub barriers: Vec<SiteId>,
    /// Some such pair is of threads in two warps.
    pub across_warps: bool,
    /// How many pairs were seen.
    pub pairs: u64,
    /// The first pair, if possible of two warps.
    pub example: (Access, Access),
    /// The memory of the example.
    pub memory: Option<Memory>,
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
