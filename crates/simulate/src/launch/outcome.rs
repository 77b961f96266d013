//! The result of a simulation.

use lockstep_finding::{Access, Finding, Memory, Reason};
use lockstep_kernel::{BlockId, SiteId};

use crate::launch::store_buffers::WeakOutcome;
use crate::launch::touched::TouchedObject;
use crate::launch::written::WrittenBits;

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
    /// Sites of accesses that some thread executed, and the number of all sites.
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
    /// Why the launch was not executed completely as written, if it was not: then the absence of findings proves
    /// nothing.
    pub incomplete: Option<Reason>,
    /// A precondition of the kernel that the launch does not satisfy: then the result is meaningless for the kernel.
    pub violated: Option<String>,
    pub stats: Stats,
    pub coverage: Coverage,
    /// With [`Config::barrier_needs`](crate::Config::barrier_needs), if the launch completed and the kernel has
    /// barriers of the block, and none of parts of it.
    pub barriers: Option<BarrierSurvey>,
    /// With [`Config::store_buffers`](crate::Config::store_buffers).
    pub weak: Option<WeakOutcome>,
    /// Which bytes of memory that outlives the launch have a value now.
    pub(crate) written: Vec<(usize, WrittenBits)>,
    /// Which bytes of memory that outlives the launch were accessed, if that was asked for.
    pub touched: Vec<TouchedObject>,
}

/// What a launch did to the array of a parameter ([`buffer_uses`](crate::buffer_uses)).
#[derive(Clone, Debug)]
pub struct BufferUse {
    /// The parameter whose argument the array is.
    pub param: usize,
    /// The first access.
    pub first: Access,
    /// A byte that is read without having a value, and the read.
    pub unwritten: Option<(u64, Access)>,
    /// The bytes that were written, in order.
    pub written: Vec<u64>,
}

/// Which sites and branches of a kernel some thread executed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// By [`SiteId`].
    pub sites: Vec<bool>,
    /// By [`BlockId`]: whether some thread took the first and the second edge of the branch that ends the block.
    pub branches: Vec<[bool; 2]>,
}

impl Coverage {
    pub fn site(&self, site: SiteId) -> bool {
        self.sites.get(site.0 as usize).copied().unwrap_or(false)
    }

    pub fn branch(&self, block: BlockId) -> [bool; 2] {
        self.branches.get(block.0 as usize).copied().unwrap_or_default()
    }

    /// Adds the coverage of another launch.
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

/// How far apart two threads are in a launch that execute two accesses ([`crate::Prepared::apart`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Apart {
    /// Two threads of one block.
    pub threads: bool,
    /// Two of different warps of one block.
    pub warps: bool,
    /// Two of different blocks.
    pub blocks: bool,
    /// A thread comes back to one of them from the other: a loop around both goes round.
    pub again: bool,
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
    /// Words from the first to the last accessed one, summed over objects.
    pub range: u64,
    pub coverage: Coverage,
    /// Instructions executed by warps.
    pub steps: u64,
    /// Whether the launch completed.
    pub complete: bool,
    /// Whether the launch violates a precondition of the kernel.
    pub violated: bool,
}

impl Footprint {
    /// Simulee's fitness: words per access. The lower, the more threads share words; 1 if each word has one thread, or
    /// nothing is accessed.
    pub fn f(&self) -> f64 {
        if self.touches == 0 { 1.0 } else { self.addresses as f64 / self.touches as f64 }
    }
}

/// Which barriers of the block separate accesses that would race without them. A barrier is redundant in this launch if
/// it is not a separation by itself; several are redundant together if they contain no separation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BarrierSurvey {
    /// The barriers of the block that were executed, by site.
    pub uses: Vec<BarrierUse>,
    /// Smallest sets only, by their sites.
    pub separations: Vec<Separation>,
}

impl BarrierSurvey {
    /// The separation that shows that the barrier at `site` is needed even if all others are kept.
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
    /// Sorted: the accesses would race if all of these were removed.
    pub barriers: Vec<SiteId>,
    /// Whether some such pair is of threads in two warps.
    pub across_warps: bool,
    /// How many pairs were seen.
    pub pairs: u64,
    /// The first pair, if possible of two warps.
    pub example: (Access, Access),
    /// The memory of the example.
    pub memory: Option<Memory>,
}
