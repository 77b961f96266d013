//! Accesses, fences and barriers of a launch that is executed with store buffers ([`crate::weak`]).
//!
//! The machine comes here where its observer is for weak execution ([`Observer::WEAK`]); otherwise none of this is
//! compiled into it. Private and constant memory need no buffers.

use lockstep_kernel::{AtomicOp, Scope, SiteId, Space, Ty};

use crate::code::registers::{Slot, lanes_of, units};
use crate::code::steps::{AtomicStep, Rare, Step};
use crate::launch::store_buffers::Buffered;
use crate::machine::block::BlockRun;
use crate::machine::memory::Target;
use crate::machine::observe::{At, COPY_ENGINE, Lanes, Observer};
use crate::machine::world::World;
use crate::weak::buffer::{Party, Store};
use crate::weak::{Reach, Strength};

fn memory_of(space: Space) -> Option<Buffered> {
    match space {
        Space::Shared => Some(Buffered::Shared),
        Space::Global => Some(Buffered::Global),
        Space::Private | Space::Constant | Space::Generic => None,
    }
}

fn party(at: &At, lane: usize, site: SiteId) -> Party {
    Party { block: at.block, thread: at.first_thread + lane as u32, site }
}

impl<O: Observer> World<'_, O> {
    pub(crate) fn interrupts_warp(&mut self) -> bool {
        self.weak.as_mut().is_some_and(|weak| weak.schedule.interrupts_warp())
    }

    pub(crate) fn interrupts_block(&mut self, block: u32) -> bool {
        self.weak.as_mut().is_some_and(|weak| weak.schedule.interrupts_block(block))
    }

    pub(crate) fn is_delayed(&mut self, block: u32) -> bool {
        self.weak.as_mut().is_some_and(|weak| weak.schedule.is_delayed(block))
    }

    pub(crate) fn begins_block(&mut self) -> bool {
        self.weak.as_mut().is_some_and(|weak| weak.schedule.begins_block())
    }

    pub(crate) fn block_order(&mut self, count: usize) -> Option<Vec<u32>> {
        self.weak.as_mut()?.schedule.order(count)
    }

    pub(crate) fn warp_order(&mut self, count: usize) -> Option<Vec<u32>> {
        if count > 1 { self.weak.as_mut()?.schedule.order(count) } else { None }
    }

    /// No block can continue: whether stores that wait, or early loads, may be the reason.
    pub(crate) fn unblock(&mut self) -> bool {
        let Some(weak) = &mut self.weak else { return false };
        let again = weak.schedule.end_delays() || weak.unblock();
        self.changes += u64::from(again) + weak.take_changes();
        again
    }
}

impl<O: Observer> BlockRun<'_, '_, O> {
    /// Whether all others may run before this step.
    pub(crate) fn interrupts_before(&self, step: &Step, world: &mut World<O>) -> bool {
        let is_fence = match step {
            Step::Rare(rare) if matches!(**rare, Rare::Fence { .. }) => true,
            Step::Atomic(_) => false,
            Step::Load { site, .. } | Step::Store { site, .. }
                if self.p.sites[site.0 as usize].volatile =>
            {
                false
            }
            _ => return false,
        };
        world.weak.as_mut().is_some_and(|weak| weak.schedule.interrupts_before(is_fence))
    }

    fn strength(&self, site: SiteId) -> Strength {
        let facts = &self.p.sites[site.0 as usize];
        if facts.atomic || facts.volatile { Strength::Strong } else { Strength::Plain }
    }

    /// False if the memory has no buffers, or nothing is reordered.
    pub(crate) fn load_weakly(
        &mut self,
        at: &At,
        t: &Target,
        site: SiteId,
        ty: Ty,
        count: u8,
        d: Slot,
        world: &mut World<O>,
    ) -> bool {
        let (Some(memory), Some(weak)) = (memory_of(t.space()), &mut world.weak) else {
            return false;
        };
        if !weak.reorders() {
            return false;
        }
        let (bytes, strength) = (ty.bytes(), self.strength(site));
        for k in 0..u32::from(count) {
            let from = u64::from(k * bytes);
            for l in lanes_of(t.mask) {
                let place = (t.object, t.offsets[l] + from);
                let range = (t.address(l, from), bytes as usize);
                let value = weak.load(memory, party(at, l, site), range, strength, place);
                at.regs.set_lane(d.plus(k * units(ty)), ty, l, value & ty.mask());
            }
        }
        true
    }

    /// False if the memory has no buffers.
    pub(crate) fn store_weakly(
        &mut self,
        at: &At,
        t: &Target,
        site: SiteId,
        ty: Ty,
        values: &[Slot],
        world: &mut World<O>,
    ) -> bool {
        let (Some(memory), Some(weak)) = (memory_of(t.space()), &mut world.weak) else {
            return false;
        };
        let (len, strength) = (ty.bytes() as usize, self.strength(site));
        for (k, slot) in values.iter().enumerate() {
            for l in lanes_of(t.mask) {
                let address = t.address(l, (k * len) as u64);
                let value = at.regs.lane(*slot, ty, l);
                let store = Store { at: address, len, value, by: party(at, l, site) };
                weak.store(memory, store, strength);
            }
        }
        world.changes += weak.take_changes();
        true
    }

    /// An atomic operation begins. Returns true if it was a load or a store, which is done by this.
    pub(crate) fn atomic_begins_weakly(
        &mut self,
        at: &At,
        t: &Target,
        a: &AtomicStep,
        world: &mut World<O>,
    ) -> bool {
        let Some(memory) = memory_of(t.space()) else { return false };
        if a.order.releases() {
            self.order_weakly(at.warp, t.mask, (a.scope, true, true), world);
        }
        let done = match (a.op, a.d) {
            (AtomicOp::Load, Some(d)) => self.load_weakly(at, t, a.site, a.ty, 1, d, world),
            (AtomicOp::Store, _) => self.store_weakly(at, t, a.site, a.ty, &[a.value], world),
            _ => false,
        };
        if done {
            self.atomic_ends_weakly(at, t, a, world);
        } else if let Some(weak) = &mut world.weak {
            for l in lanes_of(t.mask) {
                let address = t.address(l, 0);
                weak.atomic_begins(memory, party(at, l, a.site), address, t.size as usize);
            }
            world.changes += weak.take_changes();
        }
        done
    }

    pub(crate) fn atomic_ends_weakly(
        &mut self,
        at: &At,
        t: &Target,
        a: &AtomicStep,
        world: &mut World<O>,
    ) {
        if a.order.acquires() && memory_of(t.space()).is_some() {
            self.order_weakly(at.warp, t.mask, (a.scope, true, true), world);
        }
    }

    /// An atomic operation of a lane has read and perhaps changed memory.
    pub(crate) fn written_weakly(
        &mut self,
        at: &At,
        t: &Target,
        lane: usize,
        site: SiteId,
        old: u64,
        world: &mut World<O>,
    ) {
        let (Some(memory), Some(weak)) = (memory_of(t.space()), &mut world.weak) else { return };
        let (address, len) = (t.address(lane, 0), t.size as usize);
        weak.written(memory, party(at, lane, site), address, len, old);
    }

    /// Bytes are about to be copied from memory, or these to memory.
    pub(crate) fn copy_weakly(
        &mut self,
        at: &At,
        t: &Target,
        lane: usize,
        site: SiteId,
        new: Option<&[u8]>,
        world: &mut World<O>,
    ) {
        let (Some(memory), Some(weak)) = (memory_of(t.space()), &mut world.weak) else { return };
        let (address, len) = (t.address(lane, 0), t.size as usize);
        if at.first_thread == COPY_ENGINE {
            weak.flush_range(memory, at.block, address, len);
        } else {
            weak.atomic_begins(memory, party(at, lane, site), address, len);
        }
        let by = Party { block: at.block, thread: COPY_ENGINE, site };
        let by = if at.first_thread == COPY_ENGINE { by } else { party(at, lane, site) };
        for (i, byte) in new.iter().flat_map(|bytes| bytes.iter().enumerate()) {
            let old = t.get(lane, i as u64, 1);
            t.put(lane, i as u64, 1, u64::from(*byte));
            weak.written(memory, by, address + i, 1, old);
        }
        world.changes += weak.take_changes();
    }

    /// A fence of the source.
    pub(crate) fn fence_weakly(
        &mut self,
        w: usize,
        mask: u32,
        site: SiteId,
        (scope, shared, global): (Scope, bool, bool),
        world: &mut World<O>,
    ) {
        if let Some(weak) = &mut world.weak {
            weak.count_fence(site.0, mask.count_ones());
        }
        // Each thread has its own: nothing makes them one.
        for l in lanes_of(mask) {
            self.order_weakly(w, 1 << l, (scope, shared, global), world);
        }
    }

    fn order_weakly(
        &mut self,
        w: usize,
        mask: u32,
        (scope, shared, global): (Scope, bool, bool),
        world: &mut World<O>,
    ) {
        if scope == Scope::Thread {
            return;
        }
        let Some(weak) = &mut world.weak else { return };
        let first = self.warps[w].first_thread;
        let threads: Vec<u32> = lanes_of(mask).map(|l| first + l as u32).collect();
        let reach = Reach { device: scope > Scope::Block, shared, global };
        weak.fence(self.block, &threads, reach);
        world.changes += weak.take_changes();
    }

    /// Threads of the block pass a barrier together.
    pub(crate) fn barrier_weakly(
        &mut self,
        who: Lanes,
        shared: bool,
        global: bool,
        world: &mut World<O>,
    ) {
        let Some(weak) = &mut world.weak else { return };
        let of = |&(w, mask): &(usize, u32)| {
            let first = self.warps[w].first_thread;
            lanes_of(mask).map(move |l| first + l as u32)
        };
        let threads: Vec<u32> = who.iter().flat_map(of).collect();
        weak.fence(self.block, &threads, Reach { device: false, shared, global });
        world.changes += weak.take_changes();
    }

    /// All stores of the launch reach memory, and all threads see them.
    pub(crate) fn flush_weakly(&mut self, world: &mut World<O>) {
        if let Some(weak) = &mut world.weak {
            weak.grid_barrier();
            world.changes += weak.take_changes();
        }
    }

    pub(crate) fn threads_end_weakly(&mut self, w: usize, mask: u32, world: &mut World<O>) {
        let Some(weak) = &mut world.weak else { return };
        let first = self.warps[w].first_thread;
        for l in lanes_of(mask) {
            weak.thread_ends(self.block, first + l as u32);
        }
        world.changes += weak.take_changes();
    }
}
