//! A kernel bound to a launch: the objects of its memory, and facts about sites.

use std::borrow::Cow;

use lockstep_kernel::{
    AtomicOp, Elem, Kernel, Language, Op, Order, ParamKind, Scope, SiteKind, Space,
    cfg::{Cfg, mark_polling_reads},
};

use crate::code::decode::{Code, decode};
use crate::launch::api::{BoundArg, BoundLaunch, Config, LaunchError, Scheduling};
use crate::launch::bytes::Bytes;

/// An address is the number of its object in the upper bits and, in the lower
/// 40, the offset plus half the range: so arithmetic that leaves an object, on
/// either side, still names it.
const OBJECT_SHIFT: u32 = 40;
const BIAS: u64 = 1 << (OBJECT_SHIFT - 1);

/// The address of an object's first byte.
#[inline(always)]
pub(crate) fn origin(object: usize) -> u64 {
    ((object as u64) << OBJECT_SHIFT) | BIAS
}

/// The object an address names.
#[inline(always)]
pub(crate) fn object_of(address: u64) -> usize {
    (address >> OBJECT_SHIFT) as usize
}

/// The largest object there can be.
pub(crate) const MAX_OBJECT: u64 = BIAS - (1 << 20);

/// How much of a device's heap is modelled: blocks, and bytes of one.
const HEAP_SLOTS: u64 = 4096;
pub(crate) const HEAP_BLOCK: u64 = 1 << 16;

/// Object 0: what null and small integers point to.
pub(crate) const NULL_OBJECT: usize = 0;

/// One object of a launch's memory.
#[derive(Clone, Debug)]
pub(crate) struct ObjectInfo {
    pub name: String,
    pub space: Space,
    pub size: u64,
    pub elem: Elem,
    /// Initial bytes; shorter than `size` means zeros follow.
    pub init: Option<Bytes>,
    /// Parameter that it is the argument of.
    pub param: Option<usize>,
    /// Start within the block's shared or the lane's private arena.
    pub arena: u64,
}

/// What the race checks ask of a site.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SiteFacts {
    pub atomic: bool,
    /// Writes memory (atomics: other than loads).
    pub writes: bool,
    pub volatile: bool,
    /// A volatile read that polls a flag.
    pub polling: bool,
    /// A plain read whose value a compare-and-swap checks.
    pub guesses: bool,
    pub block_scope: bool,
    pub size: u32,
    pub align: u32,
    /// The first site that is a copy of the same place.
    pub place: u32,
}

pub(crate) struct Program<'k> {
    pub kernel: &'k Kernel,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// The global size, where the last blocks are smaller.
    pub(crate) global: Option<[u32; 3]>,
    pub threads: u32,
    pub blocks: u64,
    pub warps: u32,
    pub config: &'k Config,
    pub lockstep: bool,
    pub objects: Vec<ObjectInfo>,
    pub shared_arena: u64,
    pub private_arena: u64,
    /// Objects from here on are slots for blocks of the device's heap.
    pub heap: usize,
    pub sites: &'k [SiteFacts],
    pub code: Code,
    /// Operations that can order threads other than whole-block barriers.
    pub fine_order: bool,
    /// Why blocks must run one after the other from the start, if they must.
    pub serial: bool,
    pub has_atomics: bool,
    /// Atomics of several widths, which may overlap.
    pub mixed_atomics: bool,
}

/// Accesses, barriers and fences whose numbers the shadow of a word has room for.
const MOST_SITES: usize = 0x7fff;

/// Why no launch of the kernel can be simulated, if it is too large for that.
pub fn too_large(kernel: &Kernel) -> Option<String> {
    let sites = kernel.sites.len();
    let why = || format!("{sites} accesses are more than the simulator tracks ({MOST_SITES})");
    (sites > MOST_SITES).then(why)
}

/// What of a kernel is the same for all its launches.
pub struct Prepared<'k> {
    kernel: Cow<'k, Kernel>,
    pub(crate) cfg: Cfg,
    sites: Vec<SiteFacts>,
    mixed_atomics: bool,
    features: Features,
    /// Places where device memory is allocated.
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

    /// For [`Prepared::footprint`], which looks at no flags.
    pub fn plain(kernel: Cow<'k, Kernel>) -> Prepared<'k> {
        let cfg = Cfg::new(&kernel);
        Prepared::of(kernel, cfg)
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
            return Err(LaunchError(why));
        }
        let layout = layout(kernel, prepared.allocations, launch, threads as u32)?;
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
            objects: layout.objects,
            sites: &prepared.sites,
            mixed_atomics: prepared.mixed_atomics,
            code,
            fine_order: features.fine_order,
            serial: features.serial,
            has_atomics: features.atomics,
        })
    }

    /// For each object, whether the kernel seems only to read it.
    pub(crate) fn unwritten(&self) -> impl Iterator<Item = bool> {
        self.objects.iter().map(|o| {
            let kind = o.param.map(|p| self.kernel.params[p].kind);
            matches!(kind, Some(ParamKind::Buffer { readonly: true, .. }))
        })
    }

    /// The places of two sites, the same for copies that inlining made of one
    /// place below the same call.
    pub(crate) fn places(&self, a: u32, b: u32) -> [u32; 2] {
        let (a, b) = (self.sites[a as usize].place, self.sites[b as usize].place);
        [a.min(b), a.max(b)]
    }

    /// Thread coordinates from the linear number in its block.
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

    /// How many of the lanes of a warp of a block there are, of which the first is thread `first`.
    pub(crate) fn lanes_from(&self, block: u32, first: u32) -> u32 {
        self.threads_of(block).saturating_sub(first).min(self.config.warp_size)
    }

    pub(crate) fn block_at(&self, linear: u32) -> [u32; 3] {
        coordinates(linear as u64, self.grid)
    }
}

fn product(d: [u32; 3]) -> u64 {
    d.iter().map(|&x| u64::from(x)).fold(1, u64::saturating_mul)
}

fn coordinates(linear: u64, dims: [u32; 3]) -> [u32; 3] {
    let (x, y) = (u64::from(dims[0]), u64::from(dims[1]));
    [(linear % x) as u32, (linear / x % y) as u32, (linear / x / y) as u32]
}

/// The objects of a launch and where arguments went.
pub(crate) struct Layout {
    pub objects: Vec<ObjectInfo>,
    /// Object of each of the kernel's static objects.
    pub statics: Vec<usize>,
    /// Address of each pointer parameter.
    pub params: Vec<Option<u64>>,
    pub shared_arena: u64,
    pub private_arena: u64,
    pub dynamic_shared: u32,
    /// First slot for a block of the device's heap.
    pub heap: usize,
}

/// Puts the fields that are parameters of their own into their structs.
fn fill_structs(kernel: &Kernel, launch: &BoundLaunch, l: &mut Layout) {
    for (i, p) in kernel.params.iter().enumerate() {
        let Some(within) = p.within else { continue };
        let (value, size) = match (&launch.args[i], p.kind) {
            (BoundArg::Scalar(values), ParamKind::Scalar { ty, .. }) => (values[0], ty.bytes()),
            _ => (l.params[i].unwrap_or(0), 8),
        };
        let (from, to) = (within.offset as usize, (within.offset + size) as usize);
        let object = l.objects.iter_mut().find(|o| o.param == Some(within.param));
        let bytes = object.and_then(|o| o.init.as_mut());
        let bytes = bytes.and_then(|init| init.to_mut().get_mut(from..to));
        if let Some(bytes) = bytes {
            bytes.copy_from_slice(&value.to_le_bytes()[..size as usize]);
        }
    }
}

/// Gives the parameters that share another's array its address; that one may share a third's.
fn share_arrays(kernel: &Kernel, launch: &BoundLaunch, l: &mut Layout) -> Result<(), LaunchError> {
    let shares = |arg: &BoundArg| match *arg {
        BoundArg::Alias { param, offset } => Some((param, offset)),
        _ => None,
    };
    let mut open: Vec<(usize, (usize, u64))> =
        launch.args.iter().enumerate().filter_map(|(i, a)| Some((i, shares(a)?))).collect();
    while !open.is_empty() {
        let before = open.len();
        open.retain(|&(i, (param, offset))| {
            l.params[i] = l.params.get(param).copied().flatten().map(|address| address + offset);
            l.params[i].is_none()
        });
        if open.len() == before {
            let name = &kernel.params[open[0].0].name;
            let message = format!("parameter {name} shares the array of a parameter that has none");
            return Err(LaunchError(message));
        }
    }
    Ok(())
}

fn layout(
    kernel: &Kernel,
    allocations: u64,
    launch: &BoundLaunch,
    threads: u32,
) -> Result<Layout, LaunchError> {
    let mut l = Layout {
        objects: vec![ObjectInfo {
            name: "null".into(),
            space: Space::Global,
            size: 0,
            elem: Elem::Bytes(1),
            init: None,
            param: None,
            arena: 0,
        }],
        statics: Vec::new(),
        params: vec![None; kernel.params.len()],
        shared_arena: 0,
        private_arena: 0,
        dynamic_shared: launch.shared,
        heap: 0,
    };
    for o in &kernel.objects {
        let size = if o.dynamic { u64::from(launch.shared) } else { o.size };
        let id = l.push(ObjectInfo {
            name: o.name.clone(),
            space: o.space,
            size,
            elem: o.elem,
            init: o.init.clone().map(Bytes::from),
            param: None,
            arena: 0,
        })?;
        l.statics.push(id);
    }
    for (o, &id) in kernel.objects.iter().zip(&l.statics.clone()) {
        for &(offset, target, addend) in &o.relocations {
            let address = origin(l.statics[target.0 as usize]).wrapping_add(addend as u64);
            if let Some(init) = &mut l.objects[id].init
                && let Some(bytes) = init.to_mut().get_mut(offset as usize..offset as usize + 8)
            {
                bytes.copy_from_slice(&address.to_le_bytes());
            }
        }
    }
    for (i, (p, arg)) in kernel.params.iter().zip(&launch.args).enumerate() {
        let object = |space, size, elem, init| ObjectInfo {
            name: p.name.clone(),
            space,
            size,
            elem,
            init,
            param: Some(i),
            arena: 0,
        };
        let wrong = |what: &str| Err(LaunchError(format!("parameter {} {what}", p.name)));
        l.params[i] = match (p.kind, arg) {
            (ParamKind::Buffer { space, elem, .. }, BoundArg::Buffer(bytes)) => {
                let info = object(space, bytes.len() as u64, elem, Some(bytes.clone()));
                Some(origin(l.push(info)?))
            }
            // Once all arrays are there.
            (ParamKind::Buffer { .. }, BoundArg::Alias { .. }) => None,
            (ParamKind::Buffer { .. }, BoundArg::Variable { object, offset }) => {
                let Some(&id) = l.statics.get(*object) else {
                    return wrong("points into a variable that is not there");
                };
                Some(origin(id) + offset)
            }
            (ParamKind::Buffer { .. } | ParamKind::Local { .. }, BoundArg::Null) => Some(0),
            (ParamKind::Local { elem }, BoundArg::Local(bytes)) => {
                Some(origin(l.push(object(Space::Shared, *bytes, elem, None))?))
            }
            (ParamKind::Aggregate { size, .. }, BoundArg::Aggregate(bytes)) => {
                if bytes.len() != size as usize {
                    return wrong(&format!("is a struct of {size} bytes, not {}", bytes.len()));
                }
                let init = Some(bytes.clone().into());
                let info = object(Space::Private, u64::from(size), Elem::Bytes(size), init);
                Some(origin(l.push(info)?))
            }
            (ParamKind::Scalar { count, .. }, BoundArg::Scalar(values))
                if values.len() == count as usize =>
            {
                None
            }
            _ => return wrong("has an argument of the wrong kind"),
        };
    }
    share_arrays(kernel, launch, &mut l)?;
    fill_structs(kernel, launch, &mut l);
    l.heap = l.objects.len();
    let all_threads = product(launch.grid).saturating_mul(product(launch.block));
    for _ in 0..allocations.saturating_mul(all_threads).saturating_mul(4).min(HEAP_SLOTS) {
        l.push(ObjectInfo {
            name: "heap block".into(),
            space: Space::Global,
            size: HEAP_BLOCK,
            elem: Elem::Bytes(1),
            init: None,
            param: None,
            arena: 0,
        })?;
    }
    if l.shared_arena > 1 << 28 {
        return Err(LaunchError(format!("{} bytes of shared memory are too many", l.shared_arena)));
    }
    let warps = u64::from(threads.div_ceil(32));
    if l.private_arena.saturating_mul(warps * 32) > 1 << 32 {
        return Err(LaunchError(format!(
            "{} bytes of private memory for each of {threads} threads are too many",
            l.private_arena
        )));
    }
    Ok(l)
}

impl Layout {
    fn push(&mut self, mut info: ObjectInfo) -> Result<usize, LaunchError> {
        if info.size > MAX_OBJECT {
            return Err(LaunchError(format!("{} of {} bytes is too large", info.name, info.size)));
        }
        let arena = match info.space {
            Space::Shared => Some(&mut self.shared_arena),
            Space::Private => Some(&mut self.private_arena),
            _ => None,
        };
        if let Some(arena) = arena {
            info.arena = *arena;
            *arena += info.size.next_multiple_of(16);
        }
        self.objects.push(info);
        Ok(self.objects.len() - 1)
    }
}

#[derive(Clone, Copy)]
struct Features {
    atomics: bool,
    fine_order: bool,
    serial: bool,
}

impl Features {
    fn of(kernel: &Kernel) -> Features {
        use lockstep_kernel::Barrier;
        let mut f = Features { atomics: false, fine_order: false, serial: false };
        let mut used = vec![false; kernel.regs.len()];
        let mut mark = |o| {
            if let lockstep_kernel::Operand::Reg(r) = o {
                used[r.0 as usize] = true;
            }
        };
        for b in &kernel.blocks {
            b.phis.iter().flat_map(|p| &p.incoming).for_each(|(_, o)| mark(*o));
            b.insts.iter().for_each(|i| i.op.for_each_operand(&mut mark));
            if let lockstep_kernel::Terminator::Branch { cond, .. } = b.term {
                mark(cond);
            }
        }
        for inst in kernel.insts() {
            match &inst.op {
                Op::Atomic { op, ty, site, .. } => {
                    f.atomics = true;
                    f.fine_order = true;
                    // An atomic whose result nobody looks at, and that gives the
                    // same in any order, may run in any order.
                    let read = inst.dst.is_some_and(|d| used[d.0 as usize]);
                    let commutes = !ty.is_float()
                        && matches!(
                            op,
                            AtomicOp::Add
                                | AtomicOp::Sub
                                | AtomicOp::And
                                | AtomicOp::Or
                                | AtomicOp::Xor
                                | AtomicOp::SMin
                                | AtomicOp::SMax
                                | AtomicOp::UMin
                                | AtomicOp::UMax
                        );
                    if kernel.site(*site).space != Space::Shared && (read || !commutes) {
                        f.serial = true;
                    }
                }
                Op::Fence { .. } => f.fine_order = true,
                Op::Alloc { .. } | Op::Free { .. } => f.serial = true,
                Op::Barrier { barrier, .. } => match barrier {
                    Barrier::Grid => f.serial = true,
                    Barrier::Block { threads: Some(_), .. } | Barrier::Arrive { .. } => {
                        f.fine_order = true
                    }
                    Barrier::Warp { .. } => f.fine_order = true,
                    _ => {}
                },
                _ => {}
            }
        }
        if kernel.sites.iter().any(|s| s.polling || s.volatile && s.kind == SiteKind::Write) {
            f.fine_order = true;
        }
        if kernel.sites.iter().any(|s| s.polling && s.space != Space::Shared) {
            f.serial = true;
        }
        f
    }
}

fn site_facts(kernel: &Kernel) -> Vec<SiteFacts> {
    let mut facts: Vec<SiteFacts> = kernel
        .sites
        .iter()
        .map(|s| SiteFacts {
            atomic: s.kind == SiteKind::Atomic,
            writes: s.kind == SiteKind::Write,
            volatile: s.volatile,
            polling: s.polling,
            guesses: false,
            block_scope: s.scope <= Scope::Block,
            size: s.size,
            align: s.align.max(1),
            place: 0,
        })
        .collect();
    let mut first = rustc_hash::FxHashMap::default();
    for (i, s) in kernel.sites.iter().enumerate() {
        let mut chain = kernel.loc_chain(s.loc);
        let spot = chain.next().map(|l| (l.file, l.line, l.column));
        let call = chain.last().map(|l| (l.file, l.line, l.column));
        // Without a line there is no telling places apart.
        let known = spot.is_some_and(|s| s.1 != 0);
        let key = (spot, call, s.kind, if known { 0 } else { i });
        facts[i].place = *first.entry(key).or_insert(i as u32);
    }
    for inst in kernel.insts() {
        if let Op::Atomic { site, op, .. } = inst.op {
            facts[site.0 as usize].writes = op != AtomicOp::Load;
        }
    }
    for site in lockstep_kernel::guesses::guessing_reads(kernel) {
        facts[site.0 as usize].guesses = true;
    }
    facts
}

/// The order that a volatile access has when it acts as a flag.
pub(crate) const FLAG_ORDER: Order = Order::Relaxed;
