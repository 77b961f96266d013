//! Data races and missing fences.
//!
//! Implements the race criteria of Simulee's memory-access model and of KLEE-CL's memory access records, with constant
//! work per access in the manner of FastTrack and HiRace: instead of all accesses (Simulee) or all statements (GMRace),
//! each *granule* of memory keeps its last write, two reads and two atomics, as packed (time, thread, site). Time is a
//! counter that barriers advance, so nothing is ever cleared: accesses before a barrier are recognised by their time.
//!
//! Two accesses of one granule conflict if one writes, they are by different threads and not both are atomic. They race
//! unless they are ordered:
//!
//! - different warps of a block: by a barrier of the block for that memory;
//! - one warp: also by `__syncwarp` of both lanes; under `lockstep` scheduling by the common instruction stream, unless
//!   one instruction made both as writes, or one lane made its access while the other was on another path of a
//!   divergent branch: the three conditions of Simulee's Theorem 3.1, with "underwent branch divergence" read as "and
//!   did not reconverge since", and "the same statement" as the same instruction (a statement reads before it writes);
//! - different blocks: by a grid barrier;
//! - all: by a chain through atomics, flags and fences ([`crate::check::happens_before`]).
//!
//! Granules are words of four bytes until an object has a narrower or unaligned access; from then on they are half
//! words, or bytes. So the result is exact to the byte.
//!
//! Detection comes in two strengths. The *probe* ([`crate::check::between_blocks::Owners`] between blocks, no chains
//! through atomics) is cheap and runs while blocks execute in parallel. It never misses a race that the full check
//! would find in the same execution, and anything it detects only causes a second run, one block after another, with
//! the full check ([`crate::check::between_blocks::GridShadow`], [`Sync`]).
//!
//! What it can miss: a race that this launch's execution does not reach; a second race on a granule whose two recorded
//! readers are both ordered with the writer while a third one, displaced, was not (readers of different warps are
//! preferred, so this needs a chain through atomics or a partial barrier). There are no false alarms: two reported
//! accesses were executed, and nothing in the language orders them.

use lockstep_kernel::{Order, Scope, Space};

use crate::check::asynchronous_copies::UnfinishedCopies;
use crate::check::between_blocks::{GridShadow, is_strong};
use crate::check::cells::{Cells, Mark, Run, granule, mark, silent, site, thread, time};
use crate::check::deferred::Deferred;
use crate::check::group_copies::UnfinishedGroupCopies;
use crate::check::happens_before::{Effect, Ordered};
use crate::check::race_report::{Side, report, tolerated};
use crate::check::report::Reports;
use crate::code::program::Program;
use crate::code::registers::LANES;
use crate::machine::observe::{AccessKind, COPY_ENGINE, Event};

/// The memory order of a volatile access that acts as a flag.
const FLAG_ORDER: Order = Order::Relaxed;

/// The context of the checks, besides their state for a block.
pub(crate) struct Ctx<'a, 'k> {
    pub program: &'a Program<'k>,
    pub reports: &'a mut Reports,
    pub clock: &'a mut u32,
    pub order: Option<&'a mut Deferred>,
    /// Set if accesses of different blocks are compared.
    pub shadow: Option<&'a mut GridShadow>,
    pub block: u32,
    /// Lanes of the access that store to uninitialised memory.
    pub fresh: u32,
}

/// The state of one block's checks.
pub(crate) struct BlockRaces {
    cells: Vec<Option<Box<Cells>>>,
    /// Time of the last barrier of the whole block, for shared and for global
    /// memory.
    base: [u32; 2],
    /// The same for each warp, including `__syncwarp` of all its lanes.
    warp_base: Vec<u32>,
    /// Group copies that were not waited for.
    copies: UnfinishedGroupCopies,
    /// Asynchronous copies that their threads have not waited for.
    pub unfinished: UnfinishedCopies,
    /// Lock-step only: for each warp and pair of lanes, when they last diverged.
    parted: Vec<[[u32; LANES]; LANES]>,
    /// Lock-step only: for each warp, when any of its lanes last diverged.
    last_parted: Vec<u32>,
    /// Lanes that currently execute together, in the running group.
    together: u32,
    /// Lock-step only: when the current instruction began, and whether it makes its accesses lane by lane.
    since: u32,
    by_lane: bool,
    lane_bits: u32,
}

/// The marks of a granule: the store, two reads, two atomics.
type Marks = [Mark; 5];

fn marks_of(cells: &Cells, g: usize) -> Marks {
    let old = |v: &Vec<Mark>| v.get(g).copied().unwrap_or(0);
    [&cells.write, &cells.read, &cells.other_read, &cells.atomic, &cells.other_atomic].map(old)
}

/// What a store displaces by lanes that store to the place of the next lower lane: that lane's mark takes the place of what
/// was there before the instruction. Equal values that they store together must not hide a race with that.
#[inline(never)]
fn displaced(cells: &mut Cells, e: &Event, run: &Run) -> Vec<(usize, usize, Marks)> {
    let mut out = Vec::new();
    for l in (0..LANES).filter(|l| (e.mask & e.same) >> l & 1 == 1) {
        let first = (e.offsets[l] >> cells.shift) as usize;
        let count = (e.size >> cells.shift) as usize;
        cells.touch(first, count);
        for g in first..first + count {
            let marks = marks_of(cells, g);
            if marks[..3].iter().any(|m| run.foreign(*m, e.thread(l))) {
                out.push((l, g, marks));
            }
        }
    }
    out
}

impl Drop for BlockRaces {
    fn drop(&mut self) {
        self.cells.drain(..).flatten().for_each(Cells::recycle);
    }
}

fn space_index(space: Space) -> usize {
    usize::from(space != Space::Shared)
}

impl BlockRaces {
    pub(crate) fn new(program: &Program) -> BlockRaces {
        BlockRaces {
            cells: program.objects.iter().map(|_| None).collect(),
            base: [1, 1],
            warp_base: vec![1; program.warps as usize],
            copies: UnfinishedGroupCopies::default(),
            unfinished: UnfinishedCopies::new(program.addresses),
            parted: if program.lockstep {
                vec![[[0; LANES]; LANES]; program.warps as usize]
            } else {
                Vec::new()
            },
            last_parted: vec![0; program.warps as usize],
            together: u32::MAX,
            since: 0,
            by_lane: false,
            lane_bits: program.config.warp_size.trailing_zeros(),
        }
    }

    /// A new block starts: everything before belongs to another block.
    pub(crate) fn start(&mut self, clock: &mut u32) {
        if *clock > u32::MAX - (1 << 20) {
            self.cells.iter_mut().for_each(|c| *c = None);
            *clock = 1;
        }
        *clock += 1;
        self.base = [*clock; 2];
        self.warp_base.fill(*clock);
        self.copies = UnfinishedGroupCopies::default();
        self.unfinished.clear();
        for p in &mut self.parted {
            *p = [[0; LANES]; LANES];
        }
        self.last_parted.fill(0);
    }

    pub(crate) fn shadow_bytes(&self) -> u64 {
        self.cells.iter().flatten().map(|c| c.bytes()).sum()
    }

    pub(crate) fn block_barrier(&mut self, ctx: &mut Ctx, shared: bool, global: bool) {
        *ctx.clock += 1;
        if shared {
            self.base[0] = *ctx.clock;
        }
        if global {
            self.base[1] = *ctx.clock;
        }
        if shared && global {
            self.warp_base.fill(*ctx.clock);
        }
        if let Some(happens) = &mut ctx.order {
            happens.block_barrier(ctx.block, *ctx.clock - 1, global);
        }
    }

    /// A group copy has its own time, which distinguishes its accesses from others.
    pub(crate) fn group_copy_begins(&mut self, clock: &mut u32) {
        *clock += 1;
        self.copies.begin(*clock);
    }

    pub(crate) fn group_copy_ends(&mut self, clock: &mut u32, event: u64) {
        self.copies.end(event, *clock);
        *clock += 1;
    }

    pub(crate) fn group_copies_awaited(&mut self, clock: &mut u32, events: Option<&[u64]>) {
        *clock += 1;
        self.copies.awaited(events);
    }

    /// Called when these lanes of a warp start executing together.
    #[inline(always)]
    pub(crate) fn group_runs(&mut self, mask: u32) {
        self.together = mask;
    }

    /// `__syncwarp` of `lanes`; `alive` are the warp's lanes that have not returned.
    pub(crate) fn warp_barrier(&mut self, ctx: &mut Ctx, warp: usize, lanes: u32, alive: u32) {
        if lanes & alive == alive {
            if let Some(happens) = &mut ctx.order {
                happens.warp_barrier(self.first_of(ctx.block, warp), *ctx.clock);
            }
            *ctx.clock += 1;
            self.warp_base[warp] = *ctx.clock;
            return;
        }
        if let Some(happens) = &mut ctx.order {
            let threads = self.keys(ctx.block, &[(warp, lanes)]);
            happens.meeting(self.first_of(ctx.block, warp), lanes, &threads, *ctx.clock);
        }
        *ctx.clock += 1;
    }

    /// The thread of a warp's lane 0.
    fn first_of(&self, block: u32, warp: usize) -> u64 {
        u64::from(block) << 32 | (warp as u64) << self.lane_bits
    }

    /// Threads of the block reach a named barrier (its number, and how often it has opened), and wait there or not.
    pub(crate) fn named_barrier(
        &mut self,
        ctx: &mut Ctx,
        opening: (u32, u32),
        who: &[(usize, u32)],
        wait: bool,
    ) {
        let threads = self.keys(ctx.block, who);
        if let Some(happens) = &mut ctx.order {
            happens.named(ctx.block, opening, &threads, *ctx.clock, wait);
        }
        *ctx.clock += 1;
    }

    /// Threads that arrived at a named barrier earlier find it open.
    pub(crate) fn learn_opening(
        &mut self,
        ctx: &mut Ctx,
        opening: (u32, u32),
        who: &[(usize, u32)],
    ) {
        let threads = self.keys(ctx.block, who);
        if let Some(happens) = &mut ctx.order {
            happens.learn_opening(ctx.block, opening, &threads);
        }
        *ctx.clock += 1;
    }

    fn keys(&self, block: u32, who: &[(usize, u32)]) -> Vec<u64> {
        let first = u64::from(block) << 32;
        let bits = self.lane_bits;
        who.iter()
            .flat_map(|&(w, lanes)| {
                (0..32)
                    .filter(move |l| lanes >> l & 1 == 1)
                    .map(move |l| first | ((w as u64) << bits) | l)
            })
            .collect()
    }

    pub(crate) fn fence(&mut self, ctx: &mut Ctx, warp: usize, lanes: u32, scope: Scope) {
        let Some(happens) = &mut ctx.order else { return };
        let first = self.first_of(ctx.block, warp);
        for l in (0..32).filter(|l| lanes >> l & 1 == 1) {
            happens.fence(first + l, *ctx.clock, scope);
        }
        *ctx.clock += 1;
    }

    /// The synchronising effect of an atomic or a flag.
    pub(crate) fn synchronise(&mut self, ctx: &mut Ctx, e: &Event, order: Order, scope: Scope) {
        let Some(happens) = &mut ctx.order else { return };
        let facts = ctx.program.sites[e.site.0 as usize];
        let first = u64::from(ctx.block) << 32;
        for l in (0..LANES).filter(|l| e.mask >> l & 1 == 1) {
            let stores = e.kind != AccessKind::Atomic || e.silent >> l & 1 == 0;
            let effect = Effect {
                reads: e.kind != AccessKind::Write,
                writes: facts.writes && stores,
                glance: !(facts.atomic || facts.polling || facts.writes),
                order,
                scope,
            };
            let t = first | u64::from(e.first_thread + l as u32);
            happens.operation(t, *ctx.clock, (e.object as u32, e.offsets[l]), effect);
        }
        *ctx.clock += 1;
    }

    /// Lanes of a warp diverge at a branch (lock-step only).
    pub(crate) fn part(&mut self, clock: &mut u32, warp: usize, a: u32, b: u32) {
        let Some(parted) = self.parted.get_mut(warp) else {
            return;
        };
        *clock += 1;
        self.last_parted[warp] = *clock;
        for i in (0..LANES).filter(|i| a >> i & 1 == 1) {
            for j in (0..LANES).filter(|j| b >> j & 1 == 1) {
                parted[i][j] = *clock;
                parted[j][i] = *clock;
            }
        }
    }

    /// An instruction that makes its accesses lane by lane begins or ends.
    pub(crate) fn lane_by_lane(&mut self, clock: u32, begins: bool) {
        self.by_lane = begins;
        self.since = clock + 1;
    }

    /// Checks an access against the recorded ones, and records it.
    #[inline(always)]
    pub(crate) fn access(&mut self, ctx: &mut Ctx, e: &Event) {
        if !self.parted.is_empty() {
            *ctx.clock += 1;
            self.since = if self.by_lane { self.since } else { *ctx.clock };
        }
        let mut cells = self.cells[e.object].take().unwrap_or_else(|| {
            let size = ctx.program.objects[e.object].size;
            Cells::new(size, ctx.program.has_atomics, granule(e))
        });
        if cells.shift > 0 && cells.shift > granule(e) {
            cells.split(granule(e));
        }
        self.within_block(ctx, &mut cells, e);
        if !self.unfinished.is_empty() {
            self.unfinished.check(ctx, e);
        }
        self.cells[e.object] = Some(cells);
        if e.space != Space::Shared && ctx.shadow.is_some() {
            between_blocks(ctx, e);
        }
        let facts = ctx.program.sites[e.site.0 as usize];
        if facts.volatile && !facts.atomic {
            self.synchronise(ctx, e, FLAG_ORDER, Scope::System);
        }
    }

    #[inline(always)]
    fn within_block(&self, ctx: &mut Ctx, cells: &mut Cells, e: &Event) {
        let base = self.base[space_index(e.space)].min(self.copies.since);
        let per = e.size >> cells.shift;
        let run = Run {
            base,
            lane_bits: self.lane_bits,
            clock: *ctx.clock,
            site: e.site.0,
            kind: e.kind,
            mixed: ctx.program.mixed_atomics,
        };
        let warp = (e.first_thread >> self.lane_bits) as usize;
        if !self.parted.is_empty() && e.kind != AccessKind::Write && self.last_parted[warp] > base {
            return self.in_step(ctx, cells, e, &run);
        }
        let displaced = match e.kind == AccessKind::Write && e.same & e.mask != 0 {
            true => displaced(cells, e, &run),
            false => Vec::new(),
        };
        let mut rest = e.mask;
        while rest != 0 {
            let l = rest.trailing_zeros() as usize;
            let g = (e.offsets[l] >> cells.shift) as usize;
            if e.kind == AccessKind::Read && (e.same & rest) >> l & 2 != 0 {
                cells.touch(g, per as usize);
                // Lanes that read one address: the first and the last represent all.
                let n = 1 + ((e.same & rest) >> l >> 1).trailing_ones() as usize;
                let ends = [e.first_thread + l as u32, e.first_thread + (l + n - 1) as u32];
                for g in g..g + per as usize {
                    if run.read_by_two(cells, g, ends) {
                        (l..l + n).for_each(|l| self.examine(ctx, cells, e, l, g));
                    }
                }
                rest &= !(((1u64 << n) - 1) << l) as u32;
                continue;
            }
            // Lanes l+1.. that access the bytes directly after those of l.
            let follow = ((e.adjacent & rest) >> l >> 1).trailing_ones() as usize;
            let n = 1 + follow;
            cells.touch(g, n * per as usize);
            let t = e.thread(l);
            let step = u32::from(t != COPY_ENGINE);
            let silent = if e.kind == AccessKind::Write { e.silent >> l } else { 0 };
            let clash = match (e.kind, per) {
                (AccessKind::Read, 1) => run.reads::<1>(cells, g, n, t, step, per),
                (AccessKind::Read, _) => run.reads::<0>(cells, g, n, t, step, per),
                (AccessKind::Write, 1) => run.writes::<1>(cells, g, n, t, step, per, silent),
                (AccessKind::Write, _) => run.writes::<0>(cells, g, n, t, step, per, silent),
                (AccessKind::Atomic, _) => run.atomics(cells, g, n, t, per, e.silent >> l),
            };
            if clash {
                for k in 0..n {
                    for i in 0..per as usize {
                        self.examine(ctx, cells, e, l + k, g + k * per as usize + i);
                    }
                }
                // The old marks were checked; the new ones replace them.
                run.replace(cells, g, n, t, step, per, silent);
            }
            rest &= !(((1u64 << n) - 1) << l) as u32;
        }
        for (lane, g, marks) in displaced {
            self.compare(ctx, e, lane, (g as u64) << cells.shift, marks, true);
        }
    }

    /// Lock-step: reads and atomics. Two of them are kept that the common instruction stream does not order, so that
    /// one on another path of a branch is not displaced by one on this path.
    #[inline(never)]
    fn in_step(&self, ctx: &mut Ctx, cells: &mut Cells, e: &Event, run: &Run) {
        let atomic = e.kind == AccessKind::Atomic;
        for l in (0..LANES).filter(|l| e.mask >> l & 1 == 1) {
            let t = e.first_thread + l as u32;
            let new = mark(run.clock, t, run.site, atomic && e.silent >> l & 1 == 1);
            let first = (e.offsets[l] >> cells.shift) as usize;
            cells.touch(first, (e.size >> cells.shift) as usize);
            for g in first..first + (e.size >> cells.shift) as usize {
                let is_foreign = |v: &Vec<Mark>| v.get(g).is_some_and(|m| run.foreign(*m, t));
                let mut clash = is_foreign(&cells.write);
                if atomic {
                    clash |= is_foreign(&cells.read) | is_foreign(&cells.other_read);
                }
                if !atomic || run.mixed {
                    clash |= is_foreign(&cells.atomic) | is_foreign(&cells.other_atomic);
                }
                if clash {
                    self.examine(ctx, cells, e, l, g);
                }
                let (a, b) = if atomic {
                    (&mut cells.atomic[g], &mut cells.other_atomic[g])
                } else {
                    (&mut cells.read[g], &mut cells.other_read[g])
                };
                self.remember(a, b, new, run.base);
            }
        }
    }

    /// Records `new`, and keeps of the two earlier marks those that `new` does not subsume.
    fn remember(&self, first: &mut Mark, second: &mut Mark, new: Mark, base: u32) {
        let t = thread(new);
        let warp = |m: Mark| thread(m) >> self.lane_bits;
        let lane = |t: u32| (t & ((1 << self.lane_bits) - 1)) as usize;
        let gone = |m: Mark| {
            // A store conflicts with more accesses than a failed compare-and-swap.
            let weaker = silent(new) && !silent(m);
            let stepped = || {
                let at = time(m);
                warp(m) == warp(new)
                    && self.in_lockstep(warp(m) as usize, lane(t), lane(thread(m)), at)
            };
            time(m) < base || !weaker && (thread(m) == t || stepped())
        };
        if gone(*first) {
            *first = new;
            *second = if gone(*second) { 0 } else { *second };
        } else if gone(*second) || warp(*second) == warp(*first) || warp(new) != warp(*first) {
            *second = new;
        }
    }

    #[cold]
    #[inline(never)]
    /// A granule in which the fast check saw a possible conflict: checks each mark.
    fn examine(&self, ctx: &mut Ctx, cells: &mut Cells, e: &Event, lane: usize, g: usize) {
        self.compare(ctx, e, lane, (g as u64) << cells.shift, marks_of(cells, g), false);
        // Lanes of one instruction also conflict with each other's stores.
        if e.kind == AccessKind::Write {
            let silent = e.silent >> lane & 1 == 1;
            cells.write[g] = mark(*ctx.clock, e.thread(lane), e.site.0, silent);
        }
    }

    /// Compares an access at an offset with marks of that place; `before` where all of these are of earlier instructions.
    fn compare(
        &self,
        ctx: &mut Ctx,
        e: &Event,
        lane: usize,
        offset: u64,
        marks: Marks,
        before: bool,
    ) {
        let t = e.thread(lane);
        let facts = ctx.program.sites[e.site.0 as usize];
        // An atomic may have changed the value that a store left.
        let base = self.base[space_index(e.space)];
        let since =
            |m: Mark| time(m) >= base && (e.kind != AccessKind::Atomic || time(m) < *ctx.clock);
        let [write_mark, .., atomic, other_atomic] = marks;
        let atomic_now = since(atomic) || since(other_atomic);
        let mut candidates = marks;
        let wrote = e.kind != AccessKind::Atomic || e.silent >> lane & 1 == 0;
        if !(facts.writes && wrote) {
            candidates[1..3].fill(0);
        }
        for m in candidates {
            if m == 0 {
                continue;
            }
            let other_wrote = !(ctx.program.sites[site(m) as usize].atomic && silent(m));
            let pair = ((site(m), other_wrote), (e.site.0, wrote));
            if tolerated(ctx.program, pair.0, pair.1, true) {
                continue;
            }
            let both_write = facts.writes && ctx.program.sites[site(m) as usize].writes;
            let mut order = self.order(ctx, m, t, e.space, both_write);
            if order == Ordered::OnlyWithFences
                && facts.writes
                && is_strong(ctx.program.sites[site(m) as usize])
                && let Some(happens) = &ctx.order
            {
                let block = u64::from(ctx.block) << 32;
                let (mine, others) = (block | u64::from(t), block | u64::from(thread(m)));
                let place = (e.object as u32, e.offsets[lane]);
                if happens.is_coherent(mine, others, time(m), place) {
                    order = Ordered::Yes;
                }
            }
            if order == Ordered::Yes {
                continue;
            }
            let other = Side {
                block: ctx.block,
                thread: thread(m),
                site: site(m),
                silent: silent(m),
                overwritten: atomic_now && m == write_mark,
                unfinished: false,
                before,
            };
            report(ctx, e, lane, offset, t, other, order);
        }
    }

    /// How the access `m` is ordered before what `t` does now.
    fn order(&self, ctx: &Ctx, m: Mark, t: u32, space: Space, both_write: bool) -> Ordered {
        let (other, at) = (thread(m), time(m));
        if other == COPY_ENGINE || t == COPY_ENGINE {
            let before = match other {
                COPY_ENGINE => !self.copies.may_be_unfinished(at),
                _ => at < self.base[space_index(space)],
            };
            return if before { Ordered::Yes } else { Ordered::No };
        }
        if other == t || at < self.base[space_index(space)] {
            return Ordered::Yes;
        }
        if other >> self.lane_bits == t >> self.lane_bits {
            let warp = (t >> self.lane_bits) as usize;
            if at < self.warp_base[warp] {
                return Ordered::Yes;
            }
            let lanes = (1 << self.lane_bits) - 1;
            let (i, j) = ((t & lanes) as usize, (other & lanes) as usize);
            // An instruction reads before it writes.
            let same_instruction = both_write && at >= self.since;
            if !same_instruction && self.in_lockstep(warp, i, j, at) {
                return Ordered::Yes;
            }
        }
        match &ctx.order {
            Some(happens) => {
                let block = u64::from(ctx.block) << 32;
                happens.ordered(block | u64::from(t), block | u64::from(other), at)
            }
            None => Ordered::No,
        }
    }

    /// Whether the common instruction stream of a warp orders an access of lane `other` at time `at` before what lane
    /// `mine` does now.
    pub(crate) fn in_lockstep(&self, warp: usize, mine: usize, other: usize, at: u32) -> bool {
        self.parted
            .get(warp)
            .is_some_and(|p| self.together >> other & 1 == 1 || at < p[mine][other])
    }

    /// Whether an access of `other` at time `at` happens before what `t` does now.
    pub(crate) fn is_ordered(&self, ctx: &Ctx, other: u32, at: u32, t: u32, space: Space) -> bool {
        self.order(ctx, mark(at, other, 0, false), t, space, false) == Ordered::Yes
    }
}

#[inline(never)]
fn between_blocks(ctx: &mut Ctx, e: &Event) {
    if let Some(shadow) = ctx.shadow.take() {
        shadow.access(ctx, e);
        ctx.shadow = Some(shadow);
    }
}
