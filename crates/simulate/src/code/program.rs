//! A kernel bound to a launch, ready to be executed.

use std::borrow::Cow;

use lockstep_finding::Reason;
use lockstep_kernel::{
    Kernel, Language, Op, ParamKind, Scheduling, SiteKind, cfg::Cfg, polling::mark_polling_reads,
};

use crate::code::decode::decode;
use crate::code::sites::{Features, SiteFacts, site_facts};
use crate::code::steps::Code;
use crate::launch::addresses::Addresses;
use crate::launch::layout::{ObjectInfo, layout};
use crate::launch::request::{BoundLaunch, Config, LaunchError, product};
use crate::launch::resident::{Home, Resident};

pub(crate) struct Program<'k> {
    pub kernel: &'k Kernel,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// The global size, if the last blocks are smaller.
    pub(crate) global: Option<[u32; 3]>,
    pub threads: u32,
    pub blocks: u64,
    pub warps: u32,
    pub config: &'k Config,
    pub lockstep: bool,
    pub addresses: Addresses,
    pub objects: Vec<ObjectInfo>,
    /// The memory that outlives the launch, if it runs on such.
    pub resident: Option<&'k Resident>,
    pub shared_arena: u64,
    pub private_arena: u64,
    /// Objects from here on are slots for allocations of the device heap.
    pub heap: usize,
    pub sites: &'k [SiteFacts],
    pub code: Code,
    /// Whether there are operations other than whole-block barriers that can order threads.
    pub fine_order: bool,
    /// Whether blocks must run one after the other from the start.
    pub serial: bool,
    pub has_atomics: bool,
    pub has_bulk_copies: bool,
    pub has_signals: bool,
    /// Atomics of several widths, which may overlap.
    pub mixed_atomics: bool,
}

/// Maximum number of accesses, barriers and fences that the shadow memory can represent.
const MOST_SITES: usize = 0x7fff;

/// Why no launch of the kernel can be simulated, if it is too large.
pub fn too_large(kernel: &Kernel) -> Option<Reason> {
    let accesses = kernel.sites.len();
    (accesses > MOST_SITES).then_some(Reason::TooManyAccesses { accesses, most: MOST_SITES })
}

/// The parts of a kernel that are the same for all its launches.
pub struct Prepared<'k> {
    kernel: Cow<'k, Kernel>,
    pub(crate) cfg: Cfg,
    sites: Vec<SiteFacts>,
    mixed_atomics: bool,
    features: Features,
    /// Number of operations that allocate device memory.
    allocations: u64,
}

impl<'k> Prepared<'k> {
    /// For [`Prepared::simulate`].
    pub fn new(kernel: &'k Kernel) -> Prepared<'k> {
        let cfg = Cfg::new(kernel);
        let flags = |s: &lockstep_kernel::Site| s.volatile || s.kind == SiteKind::Atomic;
        let kernel = if kernel.sites.iter().any(flags) {
            let mut marked = kernel.clone();
            mark_polling_reads(&mut marked, &cfg);
            Cow::Owned(marked)
        } else {
            Cow::Borrowed(kernel)
        };
        Prepared::of(kernel, cfg)
    }

    /// For [`Prepared::footprint`], which needs no flags.
    pub fn plain(kernel: Cow<'k, Kernel>) -> Prepared<'k> {
        let cfg = Cfg::new(&kernel);
        Prepared::of(kernel, cfg)
    }

    /// For [`Prepared::simulate_resident`], of a kernel that it keeps.
    pub fn owned(mut kernel: Kernel) -> Prepared<'static> {
        let cfg = Cfg::new(&kernel);
        mark_polling_reads(&mut kernel, &cfg);
        Prepared::of(Cow::Owned(kernel), cfg)
    }

    fn of(kernel: Cow<'k, Kernel>, cfg: Cfg) -> Prepared<'k> {
        let features = Features::of(&kernel);
        let sites = site_facts(&kernel);
        let mut widths = sites.iter().filter(|s| s.atomic).map(|s| s.size);
        let width = widths.next();
        let mixed_atomics = widths.any(|w| Some(w) != width);
        let allocations = kernel.insts().filter(|i| matches!(i.op, Op::Alloc { .. })).count();
        Prepared { kernel, cfg, sites, mixed_atomics, features, allocations: allocations as u64 }
    }

    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }
}

impl<'k> Program<'k> {
    pub(crate) fn new(
        prepared: &'k Prepared,
        launch: &BoundLaunch,
        config: &'k Config,
        home: Option<&Home<'k>>,
    ) -> Result<Program<'k>, LaunchError> {
        let kernel = prepared.kernel();
        let threads = product(launch.block);
        let blocks = product(launch.grid);
        if threads == 0 || blocks == 0 {
            return Err(LaunchError("every dimension of a launch must be at least 1".into()));
        }
        if threads > 65_535 {
            return Err(LaunchError(format!(
                "a block of {threads} threads is more than the simulator runs (65535)"
            )));
        }
        if blocks.saturating_mul(threads) >= 1 << 31 {
            return Err(LaunchError(format!(
                "{} threads are more than the simulator runs (2147483647)",
                blocks.saturating_mul(threads)
            )));
        }
        let fits = |a: usize| {
            let whole = |g: u32| u64::from(g) * u64::from(launch.block[a]);
            let global = launch.global.map_or(whole(launch.grid[a]), |g| u64::from(g[a]));
            whole(launch.grid[a] - 1) < global && global <= whole(launch.grid[a])
        };
        if !(0..3).all(fits) {
            return Err(LaunchError("the global size does not match grid and block".into()));
        }
        if launch.global.is_some() && !kernel.remainders {
            return Err(LaunchError("all work-groups of this kernel have the same size".into()));
        }
        if !config.warp_size.is_power_of_two() || config.warp_size > 32 {
            return Err(LaunchError(format!(
                "warp size {} is not a power of two up to 32",
                config.warp_size
            )));
        }
        if launch.args.len() != kernel.params.len() {
            return Err(LaunchError(format!(
                "kernel {} takes {} arguments, not {}",
                kernel.name,
                kernel.params.len(),
                launch.args.len()
            )));
        }
        if let Some(why) = too_large(kernel) {
            return Err(LaunchError(why.to_string()));
        }
        let layout = layout(kernel, prepared.allocations, launch, threads as u32, home)?;
        let code = decode(kernel, &prepared.cfg, launch, config, &layout)?;
        let features = prepared.features;
        Ok(Program {
            kernel,
            grid: launch.grid,
            block: launch.block,
            global: launch.global,
            threads: threads as u32,
            blocks,
            warps: (threads as u32).div_ceil(config.warp_size),
            config,
            lockstep: config.scheduling == Scheduling::Lockstep
                && kernel.language != Language::OpenCl,
            shared_arena: layout.shared_arena,
            private_arena: layout.private_arena,
            heap: layout.heap,
            addresses: layout.addresses,
            objects: layout.objects,
            resident: home.map(|h| h.memory),
            sites: &prepared.sites,
            mixed_atomics: prepared.mixed_atomics,
            code,
            fine_order: features.fine_order,
            serial: features.serial || home.is_some_and(|h| h.memory.has_heap()),
            has_atomics: features.atomics,
            has_bulk_copies: features.bulk,
            has_signals: features.signals,
        })
    }

    /// The address of an object that an address means: another one for memory of the host that the device uses.
    pub(crate) fn meant(&self, address: u64) -> u64 {
        self.resident.and_then(|r| r.translated(address)).unwrap_or(address)
    }

    /// For each object, whether the kernel seems to only read it.
    pub(crate) fn unwritten(&self) -> impl Iterator<Item = bool> {
        self.objects.iter().map(|o| {
            let kind = o.param.map(|p| self.kernel.params[p].kind);
            matches!(kind, Some(ParamKind::Buffer { readonly: true, .. }))
        })
    }

    /// The source locations of two sites, the same for copies that inlining made of one location below the same call.
    pub(crate) fn places(&self, a: u32, b: u32) -> [u32; 2] {
        let (a, b) = (self.sites[a as usize].place, self.sites[b as usize].place);
        [a.min(b), a.max(b)]
    }

    /// Thread coordinates from its linear index in the block.
    pub(crate) fn thread_at(&self, block: u32, linear: u32) -> [u32; 3] {
        coordinates(linear as u64, self.dims_of(block))
    }

    /// The dimensions of a block: the last ones may be smaller.
    pub(crate) fn dims_of(&self, block: u32) -> [u32; 3] {
        let Some(global) = self.global else { return self.block };
        let at = self.block_at(block);
        std::array::from_fn(|a| (global[a] - at[a] * self.block[a]).min(self.block[a]))
    }

    /// The threads of a block.
    pub(crate) fn threads_of(&self, block: u32) -> u32 {
        if self.global.is_none() { self.threads } else { self.dims_of(block).iter().product() }
    }

    /// The number of existing lanes in a warp of a block whose first thread is `first`.
    pub(crate) fn lanes_from(&self, block: u32, first: u32) -> u32 {
        self.threads_of(block).saturating_sub(first).min(self.config.warp_size)
    }

    pub(crate) fn block_at(&self, linear: u32) -> [u32; 3] {
        coordinates(linear as u64, self.grid)
    }
}

fn coordinates(linear: u64, dims: [u32; 3]) -> [u32; 3] {
    let (x, y) = (u64::from(dims[0]), u64::from(dims[1]));
    [(linear % x) as u32, (linear / x % y) as u32, (linear / x / y) as u32]
}
