//! One block: its warps, their groups of lanes, and the loop that runs them.
//!
//! A warp starts as one group of lanes. A branch on which lanes disagree splits
//! the group; groups that come to the same place join again. The group that runs
//! is the one whose block comes first in the kernel's weak topological order, so
//! lanes meet again at the latest at the post-dominator of the branch. Under
//! `independent` scheduling a group that spins on what another thread may change
//! passes its turn to the other groups; under `lockstep` it does not, as hardware
//! before Volta did not.
//!
//! Nothing here checks anything: accesses, barriers, fences and atomics go to
//! the observers of [`crate::check::race`] and to [`crate::check::report`] through one path
//! each ([`crate::machine::access`], [`crate::machine::barrier`]).

use std::hash::Hasher;
use std::time::Instant;

use lockstep_cancel::Cancel;
use lockstep_kernel::{BarrierReduce, LocId, SiteId, Space, Special};
use rustc_hash::{FxHashMap, FxHasher};

use crate::check::between_blocks::{GridShadow, Owners};
use crate::check::happens_before::Sync;
use crate::check::race::{BlockRaces, Ctx, Inter};
use crate::check::report::Reports;
use crate::check::uninitialised::{InitBits, Poison};
use crate::code::decode::{Edge, Rare, Step, Term};
use crate::code::lanes::{self, LANES, Regs, Slot, Unit};
use crate::code::program::Program;
use crate::launch::api::Config;
use crate::machine::heap::Heap;
use crate::machine::partial_barrier::Named;
use crate::watch::barrier_needs::BlockSurvey;
use crate::watch::hooks::Watch;

/// Rounds of a waiting loop before other threads get a turn.
const SPIN_TURN: u32 = 24;
/// Blocks of code a warp runs before others get a turn, waiting or not.
const TURN: u32 = 1 << 16;

/// Memory that all blocks see.
pub(crate) struct Globals {
    storage: Vec<Vec<u64>>,
    pub pointers: Vec<*mut u8>,
}

// SAFETY: blocks that run in parallel may race on these bytes. Such a run is
// recognised by `Owners` and thrown away; its values are never used.
unsafe impl std::marker::Sync for Globals {}
unsafe impl Send for Globals {}

impl Globals {
    pub(crate) fn new(program: &Program) -> Globals {
        let mut storage = Vec::new();
        let mut pointers = Vec::new();
        for (i, o) in program.objects.iter().enumerate() {
            let local = matches!(o.space, Space::Shared | Space::Private);
            let local = local || i >= program.heap;
            let n = if local { 0 } else { o.size.div_ceil(8) as usize + 1 };
            let mut words = vec![0u64; n];
            let p: *mut u8 = words.as_mut_ptr().cast();
            if let (Some(init), false) = (&o.init, local) {
                let len = init.len().min(o.size as usize);
                // SAFETY: `words` has room for `size` bytes.
                unsafe { std::ptr::copy_nonoverlapping(init.as_ptr(), p, len) };
            }
            pointers.push(p);
            storage.push(words);
        }
        Globals { storage, pointers }
    }

    pub(crate) fn bytes(&self, object: usize, size: u64) -> Vec<u8> {
        let words = &self.storage[object];
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), size as usize) }.to_vec()
    }
}

/// Between-block state that a run lends to the block that has its turn.
pub(crate) struct World<'w> {
    pub reports: &'w mut Reports,
    pub clock: &'w mut u32,
    pub sync: Option<&'w mut Sync>,
    pub shadow: Option<&'w mut GridShadow>,
    pub owners: Option<&'w Owners>,
    pub steps: u64,
    pub lane_steps: u64,
    /// Warp steps after which to ask [`World::look`] whether to go on.
    pub limit: u64,
    pub budget: Budget<'w>,
    /// Counts stores that changed something, releases of barriers, exits.
    pub changes: u64,
    pub heap: &'w mut Heap,
    /// Sites that were executed.
    pub reached: &'w mut Vec<bool>,
    /// For each block of the code, the ways of its branch that were taken.
    pub branches: &'w mut Vec<[bool; 2]>,
    pub watch: Watch<'w>,
}

impl<'w> World<'w> {
    /// A world in which nothing is looked at but accesses within a block.
    pub(crate) fn new(
        reports: &'w mut Reports,
        clock: &'w mut u32,
        budget: Budget<'w>,
        heap: &'w mut Heap,
        reached: &'w mut Vec<bool>,
        branches: &'w mut Vec<[bool; 2]>,
    ) -> World<'w> {
        World {
            reports,
            clock,
            sync: None,
            shadow: None,
            owners: None,
            steps: 0,
            lane_steps: 0,
            limit: budget.first_limit(),
            budget,
            changes: 0,
            heap,
            reached,
            branches,
            watch: Watch::Nothing,
        }
    }
}

/// How long a run may take.
#[derive(Clone, Copy)]
pub(crate) struct Budget<'a> {
    /// Warp steps after which to give up.
    pub steps: u64,
    pub deadline: Option<Instant>,
    pub cancel: &'a Cancel,
}

/// Warp steps between two looks at the time.
const LOOK: u64 = 1 << 13;

impl<'a> Budget<'a> {
    pub(crate) fn of(config: &'a Config) -> Budget<'a> {
        Budget { steps: config.max_steps, deadline: config.deadline, cancel: &config.cancel }
    }

    /// Warp steps before the first look.
    pub(crate) fn first_limit(&self) -> u64 {
        let looks = self.deadline.is_some() || self.cancel.can_be_cancelled();
        if looks { self.steps.min(LOOK) } else { self.steps }
    }

    pub(crate) fn is_late(&self) -> bool {
        self.cancel.is_cancelled() || self.deadline.is_some_and(|d| Instant::now() >= d)
    }
}

impl World<'_> {
    /// Past the limit: is that the end?
    #[cold]
    pub(crate) fn look(&mut self) -> Result<(), Stop> {
        if self.steps > self.budget.steps {
            return Err(Stop::Limit);
        }
        if self.budget.is_late() {
            return Err(Stop::Late);
        }
        self.limit = self.budget.steps.min(self.steps + LOOK);
        Ok(())
    }
}

/// Why a run cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// Past the step budget.
    Limit,
    /// Past the deadline, or cancelled.
    Late,
    /// A probe saw something: run again in full.
    Dirty,
    /// A barrier that threads do not reach together: reported.
    Diverged,
    Unsupported(u32),
    /// More device heap than is modelled.
    Heap,
    /// A texture or image that is no array of the launch's.
    Handle,
    /// A texel outside of the shape that images are taken to have.
    Shape,
    /// Only some blocks are executed, and one waits for another.
    Alone,
    /// The launch is not one the kernel is for.
    Requires(String),
}

/// How a block left its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    Finished,
    /// Only spinning groups and groups at barriers are left, and nothing changed
    /// since they last looked.
    Spinning,
    /// All at the grid barrier of this site.
    AtGridBarrier(SiteId),
    /// Had its share; there is more to do.
    Paused,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum State {
    Ready,
    Barrier(BarrierWait),
    /// `__syncwarp` or a warp operation, for the lanes in `mask`.
    Warp {
        site: Option<SiteId>,
        mask: u32,
    },
    Grid(SiteId),
    Copies(SiteId),
    /// The second half of a split barrier, which must have opened more than `generation` times.
    Await {
        site: SiteId,
        id: u32,
        generation: u32,
    },
    /// Lets the others go first.
    Paused,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct BarrierWait {
    pub site: SiteId,
    pub id: u32,
    pub threads: Option<u32>,
    pub shared: bool,
    pub global: bool,
    /// Operation, lanes whose predicate holds, what each gives, destination.
    pub reduce: Option<(BarrierReduce, u32, Slot, Slot)>,
}

/// Lanes of a warp that execute together.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub mask: u32,
    pub block: u32,
    pub step: u32,
    pub state: State,
    /// The last branch it took, for messages.
    pub branch: LocId,
    /// Groups with a lower number have their turn first.
    pub turn: u64,
    pub spins: u32,
    /// Hash of registers and count of changes when it last passed its turn.
    pub seen: Option<(u64, u64)>,
    /// Passed its turn in the same state twice, with nothing changed between.
    pub stuck: bool,
    /// Execute the warp operation it stands at, whoever is missing.
    pub forced: bool,
}

pub(crate) struct Warp {
    registers: Vec<Unit>,
    pub private: Vec<u64>,
    pub groups: Vec<Group>,
    pub alive: u32,
    pub first_thread: u32,
    /// Lanes that others of the warp wait for, and those of them that did something else meanwhile.
    pub awaited: u32,
    pub strayed: u32,
    pub poison: Poison,
    /// Registers that a thread's place in its block determines are set.
    placed: bool,
}

/// Where an object's bytes are, for the running warp.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    pub base: *mut u8,
    pub size: u64,
    /// Distance between lanes, for private memory.
    pub stride: u64,
    pub space: Space,
}

/// One block of the launch, from start to end.
pub(crate) struct BlockRun<'p, 'k> {
    pub p: &'p Program<'k>,
    pub block: u32,
    pub table: Vec<Entry>,
    shared: Vec<u64>,
    pub init: Vec<Option<InitBits>>,
    /// Objects that the kernel seems only to read: in a probe their reads are not
    /// looked at, and a write to one ends the probe.
    pub unwritten: Vec<bool>,
    pub warps: Vec<Warp>,
    pub races: BlockRaces,
    pub printed: String,
    /// Barriers of some of the threads, by number.
    pub named: FxHashMap<u32, Named>,
    /// How many threads have executed each group copy, since all had.
    pub copies: FxHashMap<SiteId, u32>,
    /// The first thread that left, and by which branch.
    pub left: Option<(u32, LocId)>,
    pub uninitialised: Vec<crate::check::uninitialised::Pending>,
    /// Whether an assertion of a thread failed: what the thread was to write is missing.
    pub failed: bool,
    /// What its barriers separate, if that is watched.
    pub survey: Option<Box<BlockSurvey>>,
    /// State of the heap that the table shows.
    pub heap_version: u64,
    running: usize,
}

// SAFETY: the raw pointers point into the block's own storage and into
// `Globals`; a block is run by one thread at a time.
unsafe impl Send for BlockRun<'_, '_> {}

impl<'p, 'k> BlockRun<'p, 'k> {
    /// Storage for a block; [`BlockRun::start`] makes it a particular one.
    pub(crate) fn new(p: &'p Program<'k>, globals: &Globals, probe: bool) -> BlockRun<'p, 'k> {
        let mut shared = vec![0u64; p.shared_arena as usize / 8 + 2];
        let shared_base: *mut u8 = shared.as_mut_ptr().cast();
        let table = p
            .objects
            .iter()
            .enumerate()
            .map(|(i, o)| Entry {
                base: match o.space {
                    // SAFETY: the arena has room for every shared object.
                    Space::Shared => unsafe { shared_base.add(o.arena as usize) },
                    _ => globals.pointers[i],
                },
                size: o.size,
                stride: if o.space == Space::Private { p.private_arena } else { 0 },
                space: o.space,
            })
            .collect();
        let warps = (0..p.warps)
            .map(|_| Warp {
                registers: vec![Unit::ZERO; p.code.units as usize + 1],
                private: vec![0u64; p.private_arena as usize / 8 * LANES + 2],
                groups: Vec::new(),
                alive: 0,
                first_thread: 0,
                awaited: 0,
                strayed: 0,
                poison: Poison::default(),
                placed: false,
            })
            .collect();
        BlockRun {
            p,
            block: 0,
            table,
            shared,
            init: p
                .objects
                .iter()
                .map(|o| (o.space == Space::Shared).then(|| InitBits::new(o.size)))
                .collect(),
            unwritten: p.unwritten().map(|u| u && probe).collect(),
            warps,
            races: BlockRaces::new(p),
            printed: String::new(),
            named: FxHashMap::default(),
            copies: FxHashMap::default(),
            left: None,
            uninitialised: Vec::new(),
            failed: false,
            survey: None,
            heap_version: 0,
            running: usize::MAX,
        }
    }

    /// Makes this block number `block`, about to start.
    pub(crate) fn start(&mut self, block: u32, clock: &mut u32) {
        let p = self.p;
        self.block = block;
        self.shared.fill(0);
        for (i, o) in p.objects.iter().enumerate() {
            if o.space != Space::Shared {
                continue;
            }
            let written = o.init.as_ref().map_or(0, |init| init.len().min(o.size as usize));
            if let Some(init) = &o.init {
                let base = self.table[i].base;
                // SAFETY: the object's bytes are in the arena.
                unsafe { std::ptr::copy_nonoverlapping(init.as_ptr(), base, written) };
            }
            if let Some(bits) = &mut self.init[i] {
                bits.clear();
                bits.set(0, written as u64);
            }
        }
        self.races.start(clock);
        if let Some(survey) = &mut self.survey {
            survey.start(block, *clock);
        }
        self.printed.clear();
        self.named.clear();
        self.copies.clear();
        self.left = None;
        self.uninitialised.clear();
        self.failed = false;
        self.running = usize::MAX;
        let ws = p.config.warp_size;
        for (w, warp) in self.warps.iter_mut().enumerate() {
            let first = w as u32 * ws;
            let lanes = p.lanes_from(block, first);
            let mask = if lanes == 32 { u32::MAX } else { (1 << lanes) - 1 };
            warp.alive = mask;
            warp.first_thread = first;
            warp.awaited = 0;
            warp.strayed = 0;
            warp.poison.clear();
            warp.groups.clear();
            // The last blocks may have fewer warps.
            if mask == 0 {
                continue;
            }
            warp.groups.push(Group {
                mask,
                block: 0,
                step: 0,
                state: State::Ready,
                branch: p.kernel.loc,
                turn: 0,
                spins: 0,
                seen: None,
                stuck: false,
                forced: false,
            });
            preset(p, warp, block, w as u32);
        }
    }

    #[inline(always)]
    pub(crate) fn regs(&self, w: usize) -> Regs {
        Regs {
            warp: self.warps[w].registers.as_ptr().cast_mut(),
            constants: self.p.code.constants.as_ptr(),
        }
    }

    /// Splits off what the race checks need, for one call.
    #[inline(always)]
    pub(crate) fn races<'a>(
        &'a mut self,
        world: &'a mut World<'_>,
    ) -> (&'a mut BlockRaces, Ctx<'a, 'k>)
    where
        'p: 'a,
    {
        let inter = match (&mut world.shadow, world.owners) {
            (Some(s), _) => Inter::Full(s),
            (None, Some(o)) => Inter::Owners(o),
            (None, None) => Inter::None,
        };
        let ctx = Ctx {
            program: self.p,
            reports: world.reports,
            clock: world.clock,
            sync: world.sync.as_deref_mut(),
            inter,
            block: self.block,
        };
        (&mut self.races, ctx)
    }

    /// Runs the block until it is done or waits for other blocks.
    pub(crate) fn run(&mut self, world: &mut World) -> Result<Turn, Stop> {
        self.see_heap(world);
        loop {
            let mut progress = false;
            for w in 0..self.warps.len() {
                while self.warps[w].groups.iter().any(|g| g.state == State::Ready) {
                    let before = (world.changes, world.steps);
                    let passed = self.run_warp(w, world)?;
                    progress |= world.changes != before.0;
                    if passed {
                        break;
                    }
                    progress = true;
                }
            }
            if world.reports.probe && world.reports.dirty {
                return Err(Stop::Dirty);
            }
            let mut groups = self.warps.iter().flat_map(|w| &w.groups).peekable();
            if groups.peek().is_none() {
                self.check_copies(world);
                self.finish(world);
                return Ok(Turn::Finished);
            }
            if groups.any(|g| g.state == State::Ready) {
                let stuck = (0..self.warps.len()).all(|w| self.warp_is_stuck(w));
                // Named barriers may be complete while others spin.
                if self.release_named(world) || self.resume() {
                    continue;
                }
                if stuck && !progress {
                    return Ok(Turn::Spinning);
                }
                if world.steps > world.limit {
                    world.look()?;
                }
                continue;
            }
            if let Some(turn) = self.resolve(world)? {
                return Ok(turn);
            }
        }
    }

    /// Whether nothing in the warp can go on by itself. Under lock-step scheduling
    /// a group that spins keeps the others of its warp from running.
    fn warp_is_stuck(&self, w: usize) -> bool {
        let groups = &self.warps[w].groups;
        match self.pick(w) {
            Some(g) if self.p.lockstep => groups[g].stuck,
            _ => groups.iter().all(|g| g.state != State::Ready || g.stuck),
        }
    }

    /// Runs groups of a warp; true if it stopped because all that is ready has
    /// passed its turn.
    fn run_warp(&mut self, w: usize, world: &mut World) -> Result<bool, Stop> {
        if self.running != w {
            self.running = w;
            let private: *mut u8 = self.warps[w].private.as_mut_ptr().cast();
            for (e, o) in self.table.iter_mut().zip(&self.p.objects) {
                if o.space == Space::Private {
                    // SAFETY: the arena has room for every private object.
                    e.base = unsafe { private.add(o.arena as usize) };
                }
            }
        }
        let mut passed = 0;
        loop {
            self.join(w);
            let Some(g) = self.pick(w) else {
                if self.release_warp_waits(w, world)? {
                    continue;
                }
                return Ok(false);
            };
            if self.run_group(w, g, world)? {
                passed += 1;
                let ready = self.warps[w].groups.iter().filter(|g| g.state == State::Ready).count();
                if passed >= ready {
                    return Ok(true);
                }
            }
            if world.reports.probe && world.reports.dirty {
                return Err(Stop::Dirty);
            }
        }
    }

    /// Joins groups that stand at the same place.
    fn join(&mut self, w: usize) {
        let groups = &mut self.warps[w].groups;
        let mut i = 0;
        while i < groups.len() {
            let mut j = i + 1;
            while j < groups.len() {
                let (a, b) = (&groups[i], &groups[j]);
                if a.state == State::Ready
                    && b.state == State::Ready
                    && (a.block, a.step, a.forced) == (b.block, b.step, b.forced)
                {
                    let b = groups.swap_remove(j);
                    let a = &mut groups[i];
                    a.mask |= b.mask;
                    a.turn = a.turn.max(b.turn);
                    a.stuck = false;
                    a.seen = None;
                } else {
                    j += 1;
                }
            }
            i += 1;
        }
    }

    /// The ready group whose turn it is.
    fn pick(&self, w: usize) -> Option<usize> {
        let lockstep = self.p.lockstep;
        let groups = &self.warps[w].groups;
        (0..groups.len()).filter(|&g| groups[g].state == State::Ready).min_by_key(|&g| {
            (if lockstep { 0 } else { groups[g].turn }, groups[g].block, groups[g].step)
        })
    }

    /// Runs one group until it waits, ends, meets others or passes its turn (then
    /// true).
    fn run_group(&mut self, w: usize, g: usize, world: &mut World) -> Result<bool, Stop> {
        #[cfg(target_arch = "x86_64")]
        if lanes::wide() {
            // SAFETY: this machine has the instructions.
            return unsafe { self.run_group_wide(w, g, world) };
        }
        self.run_group_body(w, g, world)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2")]
    unsafe fn run_group_wide(
        &mut self,
        w: usize,
        g: usize,
        world: &mut World,
    ) -> Result<bool, Stop> {
        self.run_group_body(w, g, world)
    }

    #[inline(always)]
    fn run_group_body(&mut self, w: usize, g: usize, world: &mut World) -> Result<bool, Stop> {
        let p = self.p;
        let regs = self.regs(w);
        let alone = self.warps[w].groups.len() == 1;
        let mut turns = 0u32;
        self.races.together = self.warps[w].groups[g].mask;
        loop {
            let (mask, pc, from) = {
                let g = &self.warps[w].groups[g];
                (g.mask, g.block as usize, g.step)
            };
            let full = mask == self.warps[w].alive;
            let block = &p.code.blocks[pc];
            let first = block.first + from;
            let mut i = first;
            while i < block.last {
                let step = &p.code.steps[i as usize];
                match step {
                    Step::Alu(op) => {
                        // SAFETY: the decoder made slots that lie in the tables.
                        unsafe { (if full { op.full } else { op.masked })(&regs, op, mask) }
                        if self.warps[w].poison.live {
                            self.poison_alu(w, mask, op, p.code.locs[i as usize], world);
                        }
                    }
                    Step::Scalar { op, ty, from, d, a, b, b_ty, c } => {
                        for l in (0..LANES).filter(|l| mask >> l & 1 == 1) {
                            let x = regs.lane(*a, *from, l);
                            let y = regs.lane(*b, *b_ty, l);
                            let z = regs.lane(*c, *ty, l);
                            let result_ty = result_ty(*op, *ty);
                            regs.set_lane(*d, result_ty, l, lanes::scalar(*op, *ty, x, y, z));
                        }
                        if self.warps[w].poison.live {
                            self.poison_use(
                                w,
                                mask,
                                [*a, *b, *c],
                                *d,
                                p.code.locs[i as usize],
                                world,
                            );
                        }
                    }
                    Step::Load { site, ty, count, d, addr } => {
                        self.load(w, mask, *site, *ty, *count, *d, *addr, world);
                    }
                    Step::Store { site, ty, first, count, addr } => {
                        self.store(w, mask, *site, *ty, *first, *count, *addr, world);
                    }
                    Step::Atomic(a) => self.atomic(w, mask, a, world),
                    Step::Rare(r) => {
                        if !self.rare(w, g, mask, i - block.first, r, world)? {
                            world.steps += u64::from(i + 1 - first);
                            world.lane_steps +=
                                u64::from(i + 1 - first) * u64::from(mask.count_ones());
                            return Ok(false);
                        }
                    }
                }
                i += 1;
            }
            let n = u64::from(block.last - first + 1);
            world.steps += n;
            world.lane_steps += n * u64::from(mask.count_ones());
            if world.steps > world.limit {
                world.look()?;
            }
            let edge = match &block.term {
                Term::Jump(e) => e,
                Term::Branch { cond, then, otherwise, loc } => {
                    let taken = regs.bits(*cond) & mask;
                    let ways = &mut world.branches[pc];
                    ways[0] |= taken != 0;
                    ways[1] |= taken != mask;
                    if self.warps[w].poison.live {
                        self.poison_branch(w, mask, *cond, *loc, world);
                    }
                    self.warps[w].groups[g].branch = *loc;
                    if taken == mask {
                        then
                    } else if taken == 0 {
                        otherwise
                    } else {
                        self.races.part(world.clock, w, taken, mask & !taken);
                        self.split(w, g, &regs, (then, taken), (otherwise, mask & !taken));
                        return Ok(false);
                    }
                }
                Term::Return | Term::Unreachable => {
                    let branch = self.warps[w].groups[g].branch;
                    self.exit(w, mask, branch, world);
                    self.warps[w].groups.swap_remove(g);
                    return Ok(false);
                }
            };
            self.follow(w, g, &regs, edge, mask, full);
            turns += 1;
            if edge.back && block.waits {
                let spins = {
                    let group = &mut self.warps[w].groups[g];
                    group.spins += 1;
                    group.spins
                };
                if spins >= SPIN_TURN {
                    self.pass(w, g, world.changes);
                    return Ok(true);
                }
            }
            if !alone {
                return Ok(false);
            }
            if turns >= TURN {
                let latest = self.latest_turn(w);
                let group = &mut self.warps[w].groups[g];
                group.turn = latest + 1;
                group.stuck = false;
                group.seen = None;
                world.changes += 1;
                return Ok(true);
            }
        }
    }

    fn latest_turn(&self, w: usize) -> u64 {
        self.warps[w].groups.iter().map(|g| g.turn).max().unwrap_or(0)
    }

    /// A spinning group lets the others run. It is stuck if it did so before in
    /// the very same state with nothing changed since.
    fn pass(&mut self, w: usize, g: usize, changes: u64) {
        let latest = self.latest_turn(w);
        let hash = self.state_hash(w, g);
        let group = &mut self.warps[w].groups[g];
        group.turn = latest + 1;
        group.spins = 0;
        group.stuck = group.seen == Some((hash, changes));
        group.seen = Some((hash, changes));
    }

    /// A hash of all that determines what a group does next, memory aside.
    fn state_hash(&self, w: usize, g: usize) -> u64 {
        let warp = &self.warps[w];
        let mut h = FxHasher::default();
        h.write_u32(warp.groups[g].block);
        h.write_u32(warp.groups[g].mask);
        for unit in &warp.registers {
            for pair in unit.0.chunks_exact(2) {
                h.write_u64(u64::from(pair[0]) << 32 | u64::from(pair[1]));
            }
        }
        for word in &warp.private {
            h.write_u64(*word);
        }
        h.finish()
    }

    fn follow(&mut self, w: usize, g: usize, regs: &Regs, edge: &Edge, mask: u32, full: bool) {
        let moves = &self.p.code.moves[edge.first_move as usize..edge.last_move as usize];
        for m in moves {
            // SAFETY: as for every step.
            unsafe { (if full { m.full } else { m.masked })(regs, m, mask) }
            if self.warps[w].poison.live {
                self.warps[w].poison.copy(m.d, m.a, mask);
            }
        }
        let group = &mut self.warps[w].groups[g];
        group.block = edge.target;
        group.step = 0;
    }

    fn split(&mut self, w: usize, g: usize, regs: &Regs, a: (&Edge, u32), b: (&Edge, u32)) {
        let mut other = self.warps[w].groups[g].clone();
        other.mask = b.1;
        self.warps[w].groups[g].mask = a.1;
        self.warps[w].groups.push(other);
        let new = self.warps[w].groups.len() - 1;
        self.follow(w, g, regs, a.0, a.1, false);
        self.follow(w, new, regs, b.0, b.1, false);
    }

    pub(crate) fn exit(&mut self, w: usize, mask: u32, branch: LocId, world: &mut World) {
        world.changes += 1;
        let warp = &mut self.warps[w];
        warp.alive &= !mask;
        if self.left.is_none() {
            self.left = Some((warp.first_thread + mask.trailing_zeros(), branch));
        }
    }

    /// Threads whose assertion failed end there. Whether the group goes on.
    fn end_failed(&mut self, w: usize, g: usize, at: u32, failed: u32, world: &mut World) -> bool {
        self.failed = true;
        let left = self.left;
        self.exit(w, failed, self.p.kernel.loc, world);
        // They did not leave by themselves: no barrier lacks them.
        self.left = left;
        let group = &mut self.warps[w].groups[g];
        group.mask &= !failed;
        group.step = at + 1;
        if group.mask == 0 {
            self.warps[w].groups.swap_remove(g);
        }
        false
    }

    /// A step that is not arithmetic or an access. False if the group now waits.
    #[inline(never)]
    fn rare(
        &mut self,
        w: usize,
        g: usize,
        mask: u32,
        at: u32,
        r: &Rare,
        world: &mut World,
    ) -> Result<bool, Stop> {
        match r {
            Rare::Barrier { site, barrier } => {
                return self.barrier(w, g, mask, at, *site, barrier, world);
            }
            Rare::Fence { site, scope } => {
                world.reached[site.0 as usize] = true;
                let (races, mut ctx) = self.races(world);
                races.fence(&mut ctx, w, mask, *scope);
                self.watched_fence(w, mask, *site, *scope, world);
            }
            Rare::Shuffle { mask: m, .. } | Rare::Vote { mask: m, .. } => {
                if let Some(m) = m
                    && !self.gather(w, g, mask, at, *m, world)
                {
                    return Ok(false);
                }
                self.warp_op(w, mask, r);
            }
            Rare::Match { mask: m, .. } => {
                if !self.gather(w, g, mask, at, *m, world) {
                    return Ok(false);
                }
                self.warp_op(w, mask, r);
            }
            Rare::ActiveMask { d } => {
                let regs = self.regs(w);
                for l in (0..LANES).filter(|l| mask >> l & 1 == 1) {
                    regs.w32_mut(*d)[l] = mask;
                }
            }
            Rare::Clock { d, ty } => {
                // Only grows, and never shows a waiting loop the same state twice.
                let now = world.steps + u64::from(at) + world.lane_steps;
                world.changes += 1;
                let regs = self.regs(w);
                for l in (0..LANES).filter(|l| mask >> l & 1 == 1) {
                    regs.set_lane(*d, *ty, l, now & ty.mask());
                }
            }
            Rare::GroupCopy { .. } => self.group_copy(w, mask, r, world),
            Rare::MemCopy { .. } | Rare::MemSet { .. } => {
                self.races.lane_by_lane(*world.clock, true);
                self.bulk(w, mask, r, world);
                self.races.lane_by_lane(*world.clock, false);
            }
            Rare::CommitCopies => {
                let first = self.warps[w].first_thread;
                self.races.under_way.commit(first, mask);
            }
            Rare::AwaitCopies { left } => self.await_copies(w, mask, *left, world),
            Rare::Texel { d, step } => self.texel(w, mask, *d, step)?,
            Rare::ImageSize { d, image, of } => self.image_size(w, mask, *d, *image, *of)?,
            Rare::Alloc { d, size } => self.alloc(w, mask, *d, *size, world)?,
            Rare::Free { ptr, loc } => self.free(w, mask, *ptr, *loc, world),
            Rare::Print { format, args } => self.print(w, mask, *format, args),
            Rare::Assert { cond, message, loc } => {
                let failed = self.assert(w, mask, *cond, message, *loc, world);
                if failed != 0 {
                    return Ok(self.end_failed(w, g, at, failed, world));
                }
            }
            Rare::Requires { cond, text } => {
                if self.regs(w).bits(*cond) & mask != mask {
                    return Err(Stop::Requires(text.clone()));
                }
            }
            Rare::Yield => {
                if self.warps[w].groups.iter().filter(|g| g.state == State::Ready).count() > 1
                    && !self.p.lockstep
                {
                    let latest = self.latest_turn(w);
                    let group = &mut self.warps[w].groups[g];
                    group.step = at + 1;
                    group.turn = latest + 1;
                    return Ok(false);
                }
            }
            Rare::Unsupported(id) => return Err(Stop::Unsupported(*id)),
        }
        Ok(true)
    }
}

fn result_ty(op: lanes::ScalarOp, ty: lockstep_kernel::Ty) -> lockstep_kernel::Ty {
    use lockstep_kernel::{MathFn, Ty};
    match op {
        lanes::ScalarOp::Math(MathFn::ILogB | MathFn::FrexpExp) => Ty::I32,
        _ => ty,
    }
}

/// Writes the registers that a thread's position determines.
fn preset(p: &Program, warp: &mut Warp, block: u32, number: u32) {
    let regs = Regs { warp: warp.registers.as_mut_ptr(), constants: p.code.constants.as_ptr() };
    let (at, dims, threads) = (p.block_at(block), p.dims_of(block), p.threads_of(block));
    let placed = std::mem::replace(&mut warp.placed, true);
    for &(special, slot, ty) in &p.code.presets {
        // Only the block's own number changes from one block to the next, where all are of one size.
        if placed && p.global.is_none() && !matches!(special, Special::BlockId(_)) {
            continue;
        }
        for l in 0..LANES as u32 {
            let thread = (warp.first_thread + l).min(threads - 1);
            let value = match special {
                Special::ThreadId(a) => p.thread_at(block, thread)[a as usize],
                Special::BlockDim(a) => dims[a as usize],
                Special::WarpsPerBlock => threads.div_ceil(p.config.warp_size),
                Special::BlockId(a) => at[a as usize],
                Special::LaneId => l,
                Special::WarpId => number,
                Special::LaneMaskEq => 1 << l,
                Special::LaneMaskLt => (1 << l) - 1,
                Special::LaneMaskLe => u32::MAX >> (31 - l),
                Special::LaneMaskGt => !(u32::MAX >> (31 - l)),
                Special::LaneMaskGe => !((1 << l) - 1),
                _ => 0,
            };
            regs.set_lane(slot, ty, l as usize, u64::from(value));
        }
    }
    // Private copies of arguments, and initialised private variables.
    for o in p.objects.iter().filter(|o| o.space == Space::Private) {
        let Some(init) = &o.init else { continue };
        let base: *mut u8 = warp.private.as_mut_ptr().cast();
        for l in 0..LANES {
            let offset = l * p.private_arena as usize + o.arena as usize;
            let len = init.len().min(o.size as usize);
            // SAFETY: the arena holds every private object once per lane.
            unsafe { std::ptr::copy_nonoverlapping(init.as_ptr(), base.add(offset), len) };
        }
    }
}
