//! Which barriers of a block are needed, from one run.
//!
//! Decides the same question as Simulee's Algorithm 5 (would the accesses on both sides of a barrier race without it?)
//! without recording every access: each granule keeps a short history ([`crate::watch::recent_accesses`]), and an
//! access is compared with the latest conflicting ones of other threads before the last barrier. All barriers that were
//! executed between the two separate them; which these are follows from when each was last executed. Only minimal sets
//! are kept: a barrier that is a set by itself is needed, one that is not is redundant, and barriers that contain no
//! set can all be removed together.
//!
//! Unlike Algorithm 5, which compares adjacent *visit orders* only and judges each execution of a barrier, pairs across
//! several barriers are considered, and the result is for the static barrier with all its executions.
//!
//! A pair does not count if something else orders it: a `__syncwarp` of both lanes, the common instruction stream under
//! lock-step scheduling, a grid barrier, the end of a group copy. In case of doubt it counts, so that a needed barrier
//! is never called redundant:
//!
//! - orders through atomics and flags are ignored;
//! - two atomics count unless both do the same commuting operation and their results are unused; so do a volatile store
//!   and the read that polls it;
//! - stores that repeat a value count;
//! - a thread's atomics, volatile accesses and device-wide fences may be observed by other blocks: it *publishes* what
//!   others of its block stored to global memory before, and *subscribes* for what they access later;
//! - a barrier that computes a value is needed.
//!
//! What it can miss: anything that this launch does not execute; a pair in one warp where one thread has returned
//! before the barrier, under lock-step scheduling; uses of a barrier other than for memory (timing, the order of
//! output). Kernels with barriers of part of a block, or that free memory, are not analysed.

use std::collections::BTreeMap;

use lockstep_finding::{Access, Memory};
use lockstep_kernel::{
    AtomicOp, Barrier, Inst, Kernel, LocId, Op, Operand, Order, Scope, SiteId, Space, Terminator,
};
use rustc_hash::FxHashMap;

use crate::check::cells::{Mark, mark, site, thread, time};
use crate::check::describe::{access, memory};
use crate::check::faults::Faults;
use crate::check::memory::{BlockMemory, MemoryChecks};
use crate::check::race::BlockRaces;
use crate::code::lanes::Alu;
use crate::code::program::Program;
use crate::code::registers::{Slot, lanes_of};
use crate::launch::outcome::{BarrierSurvey, BarrierUse, Separation};
use crate::machine::fault::{Deadlock, Fault};
use crate::machine::observe::{
    At, COPY_ENGINE, Copy, Event, Lanes, Observer, Opened, Opening, Transfer,
};
use crate::watch::recent_accesses::{Cell, History, Pages, Recent};

/// Maximum size of the histories that a block may keep for the next one, and may have at all.
const KEPT_BYTES: usize = 64 << 20;
const MAX_BYTES: usize = 1 << 30;
/// Maximum number of different `__syncwarp` masks that are recorded for a warp.
const MAX_MASKS: usize = 32;
const UNKNOWN: u32 = u32::MAX;

/// Barriers between two accesses.
struct Set {
    sites: Vec<u32>,
    pairs: u64,
    across: Option<Example>,
    within: Option<Example>,
}

struct Example {
    accesses: (Access, Access),
    memory: Option<Memory>,
}

/// The results for a whole launch.
pub(crate) struct Survey {
    sets: Vec<Set>,
    ids: FxHashMap<Vec<u32>, u32>,
    uses: BTreeMap<u32, BarrierUse>,
    /// By site: the operation of an atomic that commutes and whose result is unused.
    quiet: Vec<Option<AtomicOp>>,
    /// Whether some access may be a message to other blocks.
    messages: bool,
    gave_up: bool,
}

impl Survey {
    /// `None` for a kernel that is not analysed: one with barriers of some threads, or without any of all.
    pub(crate) fn new(kernel: &Kernel) -> Option<Survey> {
        let of_all = |i: &Inst| matches!(i.op, Op::Barrier { barrier: Barrier::Block { .. }, .. });
        if !kernel.insts().any(of_all) {
            return None;
        }
        let plain = kernel.insts().all(|i| match i.op {
            Op::Barrier { barrier: Barrier::Block { id, threads, .. }, .. } => {
                id == Operand::Imm(0) && threads.is_none()
            }
            Op::Barrier { barrier: Barrier::Arrive { .. }, .. } | Op::Free { .. } => false,
            _ => true,
        });
        let messages = kernel.insts().any(|i| match i.op {
            Op::Fence { scope, .. } => scope >= Scope::Device,
            Op::Atomic { site, .. } => kernel.site(site).space != Space::Shared,
            _ => i.op.site().is_some_and(|s| kernel.site(s).volatile),
        });
        plain.then(|| Survey {
            sets: Vec::new(),
            ids: FxHashMap::default(),
            uses: BTreeMap::new(),
            quiet: quiet_atomics(kernel),
            messages,
            gave_up: false,
        })
    }

    fn id(&mut self, mut sites: Vec<u32>) -> u32 {
        sites.sort_unstable();
        let next = self.sets.len() as u32;
        let id = *self.ids.entry(sites.clone()).or_insert(next);
        if id == next {
            self.sets.push(Set { sites, pairs: 0, across: None, within: None });
        }
        id
    }

    fn add(&mut self, set: u32, across: bool, example: impl FnOnce() -> Example) {
        let set = &mut self.sets[set as usize];
        set.pairs += 1;
        let slot = if across { &mut set.across } else { &mut set.within };
        if slot.is_none() {
            *slot = Some(example());
        }
    }

    /// Whether accesses at these sites conflict.
    fn conflict(&self, program: &Program, a: u32, b: u32) -> bool {
        let (fa, fb) = (program.sites[a as usize], program.sites[b as usize]);
        let commute = self.quiet[a as usize].is_some()
            && self.quiet[a as usize] == self.quiet[b as usize]
            && fa.size == fb.size;
        (fa.writes || fb.writes) && !commute
    }

    pub(crate) fn finish(self) -> Option<BarrierSurvey> {
        if self.gave_up {
            return None;
        }
        let within = |a: &[u32], b: &[u32]| a.iter().all(|s| b.binary_search(s).is_ok());
        let smaller = |a: &Set, b: &Set| {
            a.sites.len() < b.sites.len()
                && (a.across.is_some() || b.across.is_none())
                && within(&a.sites, &b.sites)
        };
        let seen: Vec<&Set> = self.sets.iter().filter(|s| s.pairs > 0).collect();
        let smallest: Vec<bool> =
            seen.iter().map(|s| !seen.iter().any(|other| smaller(other, s))).collect();
        let mut sets = self.sets;
        sets.retain(|s| s.pairs > 0);
        let mut separations: Vec<Separation> = sets
            .into_iter()
            .zip(smallest)
            .filter(|(_, smallest)| *smallest)
            .filter_map(|(s, _)| {
                let across_warps = s.across.is_some();
                let example = s.across.or(s.within)?;
                Some(Separation {
                    barriers: s.sites.into_iter().map(SiteId).collect(),
                    across_warps,
                    pairs: s.pairs,
                    example: example.accesses,
                    memory: example.memory,
                })
            })
            .collect();
        separations.sort_by(|a, b| a.barriers.cmp(&b.barriers));
        Some(BarrierSurvey { uses: self.uses.into_values().collect(), separations })
    }
}

/// By site: atomics that commute with atomics of the same operation and whose result is unused.
fn quiet_atomics(kernel: &Kernel) -> Vec<Option<AtomicOp>> {
    let mut used = vec![false; kernel.regs.len()];
    let mut mark = |o| {
        if let Operand::Reg(r) = o {
            used[r.0 as usize] = true;
        }
    };
    for b in &kernel.blocks {
        b.phis.iter().flat_map(|p| &p.incoming).for_each(|(_, o)| mark(*o));
        b.insts.iter().for_each(|i| i.op.for_each_operand(&mut mark));
        if let Terminator::Branch { cond, .. } = b.term {
            mark(cond);
        }
    }
    let mut quiet = vec![None; kernel.sites.len()];
    for inst in kernel.insts() {
        if let Op::Atomic { site, op, .. } = inst.op
            && !inst.dst.is_some_and(|d| used[d.0 as usize])
            && !matches!(op, AtomicOp::Store | AtomicOp::Exchange | AtomicOp::CompareExchange)
        {
            quiet[site.0 as usize] = Some(op);
        }
    }
    quiet
}

/// The state of one block's survey.
pub(crate) struct BlockSurvey {
    block: u32,
    objects: Vec<Option<Pages>>,
    bytes: usize,
    /// Accesses before this time are irrelevant: the block's start, or a grid barrier.
    floor: u32,
    /// Time of the last barrier, for shared and for global memory.
    base: [u32; 2],
    /// The barriers executed so far, the latest first, each with the time of its last execution.
    recent: [Vec<(u32, u32)>; 2],
    /// At index n: the set of the first n + 1 barriers of `recent`, or `UNKNOWN`.
    known: [Vec<u32>; 2],
    /// Time of each warp's last `__syncwarp` of all lanes, and of those of some lanes.
    warp_sync: Vec<u32>,
    masks: Vec<Vec<(u32, u32)>>,
    counts: FxHashMap<u32, u64>,
    /// Stores to global memory, at any address.
    stored: History,
    /// Atomics and volatile accesses of global memory whose result is used.
    heard: History,
    lane_bits: u32,
}

/// The current access, or fence, that is compared with earlier ones.
#[derive(Clone, Copy)]
struct Now {
    clock: u32,
    site: SiteId,
    space: usize,
    /// Object, offset and length in bytes, if it is an access.
    place: Option<(usize, u64, u64)>,
}

impl BlockSurvey {
    pub(crate) fn new(program: &Program) -> BlockSurvey {
        BlockSurvey {
            block: 0,
            objects: program.objects.iter().map(|_| None).collect(),
            bytes: 0,
            floor: 1,
            base: [1; 2],
            recent: Default::default(),
            known: Default::default(),
            warp_sync: vec![0; program.warps as usize],
            masks: vec![Vec::new(); program.warps as usize],
            counts: FxHashMap::default(),
            stored: History::default(),
            heard: History::default(),
            lane_bits: program.config.warp_size.trailing_zeros(),
        }
    }

    /// A new block starts: everything before belongs to another block.
    pub(crate) fn start(&mut self, block: u32, clock: u32) {
        if self.bytes > KEPT_BYTES || clock <= self.floor {
            self.objects.iter_mut().for_each(|o| *o = None);
            self.bytes = 0;
        }
        self.block = block;
        self.floor = clock;
        self.base = [clock; 2];
        self.recent = Default::default();
        self.known = Default::default();
        self.warp_sync.fill(0);
        self.masks.iter_mut().for_each(Vec::clear);
        self.counts.clear();
        self.stored = History::default();
        self.heard = History::default();
    }

    /// A barrier of the whole block opened; `clock` is the time after it.
    fn barrier(
        &mut self,
        survey: &mut Survey,
        program: &Program,
        clock: u32,
        opened: &Opened,
        who: Lanes,
    ) {
        let site = opened.site;
        let orders = [opened.shared, opened.global];
        let count = self.counts.entry(site.0).or_default();
        *count += 1;
        let warps = who.chunk_by(|a, b| a.0 == b.0).count() as u32;
        let most = BarrierUse { site, most_per_block: 0, most_warps: 0 };
        let most = survey.uses.entry(site.0).or_insert(most);
        most.most_per_block = most.most_per_block.max(*count);
        most.most_warps = most.most_warps.max(warps);
        for space in (0..2).filter(|s| orders[*s]) {
            self.base[space] = clock;
            self.recent[space].retain(|r| r.1 != site.0);
            self.recent[space].insert(0, (clock, site.0));
            self.known[space].clear();
            self.known[space].resize(self.recent[space].len(), UNKNOWN);
        }
        if opened.computes {
            let bits = self.lane_bits;
            let mut threads = who.iter().flat_map(|&(w, lanes)| {
                lanes_of(lanes).map(move |l| (w as u32) << bits | l as u32)
            });
            let first = threads.next().unwrap_or(0);
            let last = threads.last().unwrap_or(first);
            let set = survey.id(vec![site.0]);
            survey.add(set, true, || Example {
                accesses: (
                    access(program, self.block, site, first),
                    access(program, self.block, site, last),
                ),
                memory: None,
            });
        }
    }

    /// The grid barrier opened: it orders all earlier accesses, whatever barriers the block has.
    pub(crate) fn grid_barrier(&mut self, clock: u32) {
        self.floor = clock;
        self.base = [clock; 2];
    }

    /// `__syncwarp` of `lanes`; `clock` is the time after it.
    pub(crate) fn warp_barrier(&mut self, program: &Program, clock: u32, warp: usize, lanes: u32) {
        // Lanes that have returned are not ordered by it.
        let ws = program.config.warp_size;
        if lanes.count_ones() == program.lanes_from(self.block, warp as u32 * ws) {
            self.warp_sync[warp] = clock;
            return;
        }
        let masks = &mut self.masks[warp];
        masks.retain(|m| m.0 != lanes);
        masks.insert(0, (lanes, clock));
        masks.truncate(MAX_MASKS);
    }

    /// A fence, after which other blocks may see what this one stored.
    pub(crate) fn fence(
        &mut self,
        survey: &mut Survey,
        program: &Program,
        races: &BlockRaces,
        clock: u32,
        threads: impl Iterator<Item = u32>,
        site: SiteId,
    ) {
        let now = Now { clock, site, space: 1, place: None };
        let stored = self.stored.before(self.base[1], self.floor, self.lane_bits);
        threads.for_each(|t| self.compare(survey, program, races, stored, t, now, true));
    }

    pub(crate) fn access(
        &mut self,
        survey: &mut Survey,
        program: &Program,
        races: &BlockRaces,
        clock: u32,
        seen: &Event<'_>,
    ) {
        let number = |l: usize| seen.thread(l);
        let space = usize::from(seen.space != Space::Shared);
        if survey.messages && space == 1 {
            self.message(survey, program, races, clock, &number, seen);
        }
        let mut pages = self.objects[seen.object]
            .take()
            .unwrap_or_else(|| Pages::new(program.objects[seen.object].size));
        let narrow = || lanes_of(seen.mask).any(|l| seen.offsets[l] & 3 != 0);
        if pages.shift == 2 && (!seen.size.is_multiple_of(4) || narrow()) {
            self.bytes += pages.split_to_bytes();
        }
        let n = u64::from(seen.size >> pages.shift);
        for l in lanes_of(seen.mask) {
            let first = seen.offsets[l] >> pages.shift;
            for g in first..first + n {
                let shift = pages.shift;
                let (cell, bytes) = pages.cell(g);
                self.bytes += bytes;
                let place = Some((seen.object, g << shift, 1 << shift));
                let now = Now { clock, site: seen.site, space, place };
                self.granule(survey, program, races, cell, number(l), now);
            }
        }
        self.objects[seen.object] = Some(pages);
        survey.gave_up |= self.bytes > MAX_BYTES;
    }

    fn granule(
        &mut self,
        survey: &mut Survey,
        program: &Program,
        races: &BlockRaces,
        cell: &mut Cell,
        t: u32,
        now: Now,
    ) {
        let (base, floor, bits) = (self.base[now.space], self.floor, self.lane_bits);
        let facts = program.sites[now.site.0 as usize];
        let strong = facts.atomic || facts.polling;
        if base > floor {
            for history in [&mut cell.writes, &mut cell.strong] {
                let before = history.before(base, floor, bits);
                self.compare(survey, program, races, before, t, now, false);
            }
            if facts.writes {
                let before = cell.reads.before(base, floor, bits);
                self.compare(survey, program, races, before, t, now, false);
            }
        }
        // A group copy is ordered by the wait for it, and by no barrier.
        if t == COPY_ENGINE {
            return;
        }
        let history = match () {
            () if strong => &mut cell.strong,
            () if facts.writes => &mut cell.writes,
            () => &mut cell.reads,
        };
        history.insert(mark(now.clock, t, now.site.0, false), base, floor, bits);
    }

    /// An access to global memory that may be part of a message to other blocks.
    fn message(
        &mut self,
        survey: &mut Survey,
        program: &Program,
        races: &BlockRaces,
        clock: u32,
        number: &dyn Fn(usize) -> u32,
        seen: &Event<'_>,
    ) {
        let (base, floor, bits) = (self.base[1], self.floor, self.lane_bits);
        let facts = program.sites[seen.site.0 as usize];
        let loud = facts.volatile || facts.atomic && !facts.block_scope;
        let listens = loud && !(facts.atomic && survey.quiet[seen.site.0 as usize].is_some());
        let listens = listens && (facts.atomic || !facts.writes);
        if base > floor {
            let stored = self.stored.before(base, floor, bits);
            let heard = self.heard.before(base, floor, bits);
            for l in lanes_of(seen.mask) {
                let place = Some((seen.object, seen.offsets[l], u64::from(seen.size)));
                let now = Now { clock, site: seen.site, space: 1, place };
                if loud {
                    self.compare(survey, program, races, stored, number(l), now, true);
                }
                self.compare(survey, program, races, heard, number(l), now, true);
            }
        }
        if !(facts.writes || listens) {
            return;
        }
        for l in lanes_of(seen.mask).filter(|l| number(*l) != COPY_ENGINE) {
            let m = mark(clock, number(l), seen.site.0, false);
            if facts.writes {
                self.stored.insert(m, base, floor, bits);
            }
            if listens {
                self.heard.insert(m, base, floor, bits);
            }
        }
    }

    /// Compares the access of thread `t` with those of others before the last barrier. `any`: also if they access
    /// different addresses.
    #[inline(always)]
    fn compare(
        &mut self,
        survey: &mut Survey,
        program: &Program,
        races: &BlockRaces,
        before: Recent,
        t: u32,
        now: Now,
        any: bool,
    ) {
        if before.is_empty() {
            return;
        }
        for (m, forgot) in before.marks() {
            if time(m) >= self.floor && thread(m) != t {
                self.pair(survey, program, races, m, forgot, t, now, any);
            }
        }
    }

    fn pair(
        &mut self,
        survey: &mut Survey,
        program: &Program,
        races: &BlockRaces,
        m: Mark,
        forgot: bool,
        t: u32,
        now: Now,
        any: bool,
    ) {
        let same_warp = t != COPY_ENGINE && thread(m) >> self.lane_bits == t >> self.lane_bits;
        if !any && !survey.conflict(program, site(m), now.site.0)
            || same_warp && self.ordered_in_warp(races, m, forgot, t)
        {
            return;
        }
        let recent = &self.recent[now.space];
        let n = recent.iter().take_while(|r| r.0 > time(m)).count();
        let Some(known) = n.checked_sub(1).map(|n| &mut self.known[now.space][n]) else {
            return;
        };
        if *known == UNKNOWN {
            *known = survey.id(recent[..n].iter().map(|r| r.1).collect());
        }
        survey.add(*known, !same_warp, || Example {
            accesses: (
                access(program, self.block, SiteId(site(m)), thread(m)),
                access(program, self.block, now.site, t),
            ),
            memory: now.place.map(|(object, offset, len)| {
                memory(&program.objects[object], offset as i64, len as i64)
            }),
        });
    }

    /// Whether something in the warp orders the access `m` before what `t` does now.
    fn ordered_in_warp(&self, races: &BlockRaces, m: Mark, forgot: bool, t: u32) -> bool {
        let warp = (t >> self.lane_bits) as usize;
        let lane = |t: u32| t & ((1 << self.lane_bits) - 1);
        let lanes = 1 << lane(t) | 1u32 << lane(thread(m));
        // For threads that are no longer recorded it is unknown whether they took part.
        let met = |mask: u32, clock: u32| !forgot && clock > time(m) && mask & lanes == lanes;
        self.warp_sync[warp] > time(m)
            || self.masks[warp].iter().any(|&(mask, clock)| met(mask, clock))
            || races.in_lockstep(warp, lane(t) as usize, lane(thread(m)) as usize, time(m))
    }
}

type Checks = (Faults, MemoryChecks);

/// Determines which barriers are needed, in addition to the checks, whose clock and order within a warp it uses.
pub(crate) struct BarrierNeeds {
    pub checks: Checks,
    pub survey: Survey,
}

/// Notifies the checks only.
macro_rules! checks_only {
    ($($(#[$attribute:meta])* fn $name:ident(own $(, $arg:ident: $ty:ty)*);)*) => {
        $($(#[$attribute])*
        fn $name(&mut self, own: &mut Self::Block $(, $arg: $ty)*) {
            self.checks.$name(&mut own.0 $(, $arg)*);
        })*
    };
}

impl Observer for BarrierNeeds {
    type Block = (<Checks as Observer>::Block, Box<BlockSurvey>);
    const FOLLOWS_VALUES: bool = Checks::FOLLOWS_VALUES;

    fn new_block(&mut self, p: &Program) -> Self::Block {
        (self.checks.new_block(p), Box::new(BlockSurvey::new(p)))
    }

    fn block_begins(&mut self, (checks, survey): &mut Self::Block, p: &Program, block: u32) {
        self.checks.block_begins(checks, p, block);
        survey.start(block, self.checks.1.clock());
    }

    fn shadow_bytes(&self, own: &Self::Block) -> u64 {
        self.checks.shadow_bytes(&own.0)
    }

    fn access(&mut self, (checks, survey): &mut Self::Block, at: &At, e: &Event) -> u64 {
        let BlockMemory { races, .. } = &checks.1;
        survey.access(&mut self.survey, at.program, races, self.checks.1.clock(), e);
        self.checks.access(checks, at, e)
    }

    fn fence(&mut self, own: &mut Self::Block, at: &At, mask: u32, site: SiteId, scope: Scope) {
        let (checks, survey) = own;
        self.checks.fence(checks, at, mask, site, scope);
        if scope >= Scope::Device {
            let threads = lanes_of(mask).map(|l| at.first_thread + l as u32);
            let (races, clock) = (&checks.1.races, self.checks.1.clock());
            survey.fence(&mut self.survey, at.program, races, clock, threads, site);
        }
    }

    fn warp_barrier(
        &mut self,
        own: &mut Self::Block,
        at: &At,
        lanes: u32,
        alive: u32,
        site: SiteId,
    ) {
        self.checks.warp_barrier(&mut own.0, at, lanes, alive, site);
        own.1.warp_barrier(at.program, self.checks.1.clock(), at.warp, lanes);
    }

    fn block_barrier(
        &mut self,
        own: &mut Self::Block,
        p: &Program,
        block: u32,
        b: &Opened,
        who: Lanes,
    ) {
        self.checks.block_barrier(&mut own.0, p, block, b, who);
        own.1.barrier(&mut self.survey, p, self.checks.1.clock(), b, who);
    }

    fn grid_barrier(&mut self) {
        self.checks.grid_barrier();
    }

    fn block_passes_grid_barrier(
        &mut self,
        own: &mut Self::Block,
        p: &Program,
        block: u32,
        site: SiteId,
    ) {
        self.checks.block_passes_grid_barrier(&mut own.0, p, block, site);
        own.1.grid_barrier(self.checks.1.clock());
    }

    #[inline(always)]
    fn follows_values(&self, own: &Self::Block, warp: usize) -> bool {
        self.checks.follows_values(&own.0, warp)
    }

    fn deadlock(&mut self, p: &Program, deadlock: &Deadlock) {
        self.checks.deadlock(p, deadlock);
    }

    checks_only! {
        fn block_ends(own, p: &Program, block: u32);
        #[inline(always)]
        fn group_runs(own, mask: u32);
        #[inline(always)]
        fn diverge(own, warp: usize, a: u32, b: u32);
        fn lane_by_lane(own, begins: bool);
        fn atomic_done(own, at: &At, e: &Event, order: Order, scope: Scope);
        fn partial_barrier(own, p: &Program, block: u32, opening: Opening, who: Lanes, waits: bool);
        fn partial_barrier_was_open(own, p: &Program, block: u32, opening: Opening, who: Lanes);
        fn copy_begins(own, copy: &Copy);
        fn copy_ends(own, copy: &Copy);
        fn group_copy_begins(own);
        fn group_copy_ends(own, event: u64);
        fn group_copies_awaited(own, events: Option<&[u64]>);
        fn computes(own, at: &At, mask: u32, op: &Alu, loc: LocId);
        fn uses(own, at: &At, mask: u32, slots: &[Slot], result: Option<Slot>, loc: LocId);
        fn moves(own, warp: usize, mask: u32, to: Slot, from: Slot);
        fn loaded(own, at: &At, t: &Transfer, first: Slot, count: u8);
        fn stores(own, at: &At, t: &Transfer, values: &[Slot]);
        fn stored(own, at: &At, t: &Transfer, values: &[Slot]);
        fn atomic_uses(own, at: &At, t: &Transfer, reads: bool);
        fn written(own, object: usize, offset: u64, len: u64);
        fn fault(own, at: &At, fault: &Fault);
    }
}
