//! Races, missing fences and uninitialised reads, as one observer: they share a clock, and a race can explain an
//! uninitialised read.

use lockstep_finding::Kind;
use lockstep_kernel::{LocId, Order, Scope, SiteId, Space};

use crate::check::between_blocks::GridShadow;
use crate::check::deferred::Deferred;
use crate::check::global_values::GlobalValues;
use crate::check::race::{BlockRaces, Ctx};
use crate::check::report::Reports;
use crate::check::uninitialised::{self, Left, Origin, Uninitialised};
use crate::check::{Check, Mode};
use crate::code::lanes::Alu;
use crate::code::program::Program;
use crate::code::registers::{Slot, lanes_of};
use crate::launch::written::WrittenBits;
use crate::machine::fault::Fault;
use crate::machine::observe::{
    AccessKind, At, Copy, Event, Lanes, Observer, Opened, Opening, Transfer,
};

/// The cost of the full check between blocks, in steps.
const FULL_CHECK_COST: u64 = 16;

/// The state for a whole launch.
pub(crate) struct MemoryChecks {
    reports: Reports,
    /// The logical time, which barriers advance.
    clock: u32,
    /// The order through atomics and fences, if the kernel has any.
    order: Option<Deferred>,
    /// Set if accesses of different blocks are compared.
    shadow: Option<GridShadow>,
    /// Memory that outlives the launch.
    global: GlobalValues,
    /// Uses of such memory without a value, by blocks that have ended.
    left: Vec<Left>,
}

/// The state for one block.
pub(crate) struct BlockMemory {
    pub races: BlockRaces,
    uninitialised: Uninitialised,
}

impl MemoryChecks {
    pub(crate) const KINDS: [Kind; 3] =
        [Kind::DataRace, Kind::MissingFence, Kind::UninitialisedRead];

    pub(crate) fn clock(&self) -> u32 {
        self.clock
    }

    #[inline(always)]
    fn ctx<'a, 'k>(&'a mut self, program: &'a Program<'k>, block: u32) -> Ctx<'a, 'k> {
        Ctx {
            program,
            reports: &mut self.reports,
            clock: &mut self.clock,
            order: self.order.as_mut(),
            shadow: self.shadow.as_mut(),
            block,
            fresh: 0,
        }
    }

    /// A read of unwritten bytes that is not ordered with this write was too early, not uninitialised.
    #[cold]
    fn forgive(&mut self, own: &mut BlockMemory, at: &At, e: &Event) {
        let ctx = self.ctx(at.program, at.block);
        let races = &own.races;
        own.uninitialised.pending.retain(|p| {
            let o = p.origin;
            let Some(l) = hit(&o, e) else { return true };
            let atomics =
                ctx.program.sites[o.site.0 as usize].atomic && e.kind == AccessKind::Atomic;
            let t = e.first_thread + l as u32;
            atomics || races.is_ordered(&ctx, p.thread, o.clock, t, e.space)
        });
    }

    /// The same for reads by blocks that have ended: nothing orders them with this block.
    #[cold]
    fn forgive_others(&mut self, at: &At, e: &Event) {
        self.left.retain(|l| l.block == at.block || hit(&l.pending.origin, e).is_none());
    }
}

/// The first lane that accesses the bytes that a value came from.
fn hit(o: &Origin, e: &Event) -> Option<usize> {
    lanes_of(e.mask).find(|&l| {
        o.object == e.object
            && e.offsets[l] < o.offset + u64::from(o.size)
            && o.offset < e.offsets[l] + u64::from(e.size)
    })
}

impl Check for MemoryChecks {
    fn new(program: &Program, mode: Mode) -> MemoryChecks {
        let full = mode == Mode::Full;
        let lane_bits = program.config.warp_size.trailing_zeros();
        MemoryChecks {
            reports: Reports::new(!full, &program.config.kinds),
            clock: 1,
            order: (full && program.fine_order).then(|| Deferred::new(lane_bits)),
            shadow: (full && program.blocks > 1).then(|| GridShadow::new(program)),
            global: GlobalValues::new(program),
            left: Vec::new(),
        }
    }

    fn launch_bytes(&self) -> u64 {
        self.shadow.as_ref().map_or(0, GridShadow::bytes)
    }

    fn launch_ends(&mut self, program: &Program) {
        for Left { block, pending } in std::mem::take(&mut self.left) {
            uninitialised::report(&mut self.reports, program, block, pending);
        }
    }

    fn reports(self) -> Reports {
        self.reports
    }
}

impl Observer for MemoryChecks {
    type Block = BlockMemory;
    const FOLLOWS_VALUES: bool = true;

    fn new_block(&mut self, p: &Program) -> BlockMemory {
        BlockMemory { races: BlockRaces::new(p), uninitialised: Uninitialised::new(p) }
    }

    fn block_begins(&mut self, own: &mut BlockMemory, p: &Program, _: u32) {
        own.uninitialised.start(p);
        own.races.start(&mut self.clock);
    }

    fn block_ends(&mut self, own: &mut BlockMemory, p: &Program, block: u32) {
        own.uninitialised.finish(&mut self.reports, &mut self.left, p, block);
    }

    fn take_written(&mut self) -> Vec<(usize, WrittenBits)> {
        self.global.take()
    }

    #[inline(always)]
    fn is_done(&self) -> bool {
        self.reports.is_done()
    }

    fn shadow_bytes(&self, own: &BlockMemory) -> u64 {
        own.races.shadow_bytes()
    }

    #[inline(always)]
    fn group_runs(&mut self, own: &mut BlockMemory, mask: u32) {
        own.races.group_runs(mask);
    }

    #[inline(always)]
    fn diverge(&mut self, own: &mut BlockMemory, warp: usize, a: u32, b: u32) {
        own.races.part(&mut self.clock, warp, a, b);
    }

    fn lane_by_lane(&mut self, own: &mut BlockMemory, begins: bool) {
        own.races.lane_by_lane(self.clock, begins);
    }

    #[inline(always)]
    fn access(&mut self, own: &mut BlockMemory, at: &At, e: &Event) -> u64 {
        let fresh = own.uninitialised.fresh(&mut self.global, e);
        let e = Event { silent: e.silent & !fresh, ..*e };
        if e.kind != AccessKind::Read && !own.uninitialised.pending.is_empty() {
            self.forgive(own, at, &e);
        }
        if e.kind != AccessKind::Read && !self.left.is_empty() {
            self.forgive_others(at, &e);
        }
        let full = self.shadow.is_some() && e.space == Space::Global;
        let mut ctx = Ctx { fresh, ..self.ctx(at.program, at.block) };
        own.races.access(&mut ctx, &e);
        if full { FULL_CHECK_COST } else { 0 }
    }

    fn atomic_done(
        &mut self,
        own: &mut BlockMemory,
        at: &At,
        e: &Event,
        order: Order,
        scope: Scope,
    ) {
        own.races.synchronise(&mut self.ctx(at.program, at.block), e, order, scope);
    }

    fn fence(&mut self, own: &mut BlockMemory, at: &At, mask: u32, _: SiteId, scope: Scope) {
        own.races.fence(&mut self.ctx(at.program, at.block), at.warp, mask, scope);
    }

    fn warp_barrier(&mut self, own: &mut BlockMemory, at: &At, lanes: u32, alive: u32, _: SiteId) {
        own.races.warp_barrier(&mut self.ctx(at.program, at.block), at.warp, lanes, alive);
    }

    fn block_barrier(
        &mut self,
        own: &mut BlockMemory,
        p: &Program,
        block: u32,
        b: &Opened,
        _: Lanes,
    ) {
        own.races.block_barrier(&mut self.ctx(p, block), b.shared, b.global);
    }

    fn grid_barrier(&mut self) {
        self.clock += 1;
        if let Some(shadow) = &mut self.shadow {
            shadow.base = self.clock;
        }
    }

    fn block_passes_grid_barrier(
        &mut self,
        own: &mut BlockMemory,
        p: &Program,
        block: u32,
        _: SiteId,
    ) {
        own.races.block_barrier(&mut self.ctx(p, block), true, true);
    }

    fn partial_barrier(
        &mut self,
        own: &mut BlockMemory,
        p: &Program,
        block: u32,
        opening: Opening,
        who: Lanes,
        waits: bool,
    ) {
        own.races.named_barrier(&mut self.ctx(p, block), opening, who, waits);
    }

    fn partial_barrier_was_open(
        &mut self,
        own: &mut BlockMemory,
        p: &Program,
        block: u32,
        opening: Opening,
        who: Lanes,
    ) {
        own.races.learn_opening(&mut self.ctx(p, block), opening, who);
    }

    fn copy_begins(&mut self, own: &mut BlockMemory, copy: &Copy) {
        own.races.unfinished.begin(copy);
    }

    fn copy_ends(&mut self, own: &mut BlockMemory, copy: &Copy) {
        own.races.unfinished.end(copy);
    }

    fn group_copy_begins(&mut self, own: &mut BlockMemory) {
        own.races.group_copy_begins(&mut self.clock);
    }

    fn group_copy_ends(&mut self, own: &mut BlockMemory, event: u64) {
        own.races.group_copy_ends(&mut self.clock, event);
    }

    fn group_copies_awaited(&mut self, own: &mut BlockMemory, events: Option<&[u64]>) {
        own.races.group_copies_awaited(&mut self.clock, events);
    }

    #[inline(always)]
    fn follows_values(&self, own: &BlockMemory, warp: usize) -> bool {
        own.uninitialised.is_live(warp)
    }

    fn computes(&mut self, own: &mut BlockMemory, at: &At, mask: u32, op: &Alu, loc: LocId) {
        own.uninitialised.computes(&mut self.reports, at, mask, op, loc);
    }

    fn uses(
        &mut self,
        own: &mut BlockMemory,
        at: &At,
        mask: u32,
        slots: &[Slot],
        result: Option<Slot>,
        loc: LocId,
    ) {
        own.uninitialised.uses(&mut self.reports, at, mask, slots, result, loc);
    }

    fn moves(&mut self, own: &mut BlockMemory, warp: usize, mask: u32, to: Slot, from: Slot) {
        own.uninitialised.moves(warp, mask, to, from);
    }

    #[inline(always)]
    fn loaded(&mut self, own: &mut BlockMemory, at: &At, t: &Transfer, first: Slot, count: u8) {
        own.uninitialised.loaded(&mut self.global, self.clock, at, t, first, count);
    }

    #[inline(always)]
    fn stores(&mut self, own: &mut BlockMemory, at: &At, t: &Transfer, values: &[Slot]) {
        own.uninitialised.stores(&mut self.reports, at, t, values);
    }

    #[inline(always)]
    fn stored(&mut self, own: &mut BlockMemory, at: &At, t: &Transfer, values: &[Slot]) {
        own.uninitialised.stored(&mut self.global, at, t, values);
    }

    fn atomic_uses(&mut self, own: &mut BlockMemory, at: &At, t: &Transfer, reads: bool) {
        if reads {
            own.uninitialised.atomic(&mut self.global, &mut self.reports, self.clock, at, t);
        }
    }

    fn written(&mut self, own: &mut BlockMemory, object: usize, offset: u64, len: u64) {
        own.uninitialised.written(&mut self.global, object, offset, len);
    }

    fn fault(&mut self, own: &mut BlockMemory, _: &At, fault: &Fault) {
        if let Fault::Assertion { .. } = fault {
            own.uninitialised.assertion_failed();
        }
    }
}
