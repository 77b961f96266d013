//! The device's heap: `malloc` and `free` in a kernel, and use after free.
//!
//! Each allocation is an object of its own, so bounds and races are checked as in any array. A freed allocation keeps
//! its object but no bytes: a later access still names it. Numbers are not reused, so a dangling pointer never points
//! to a newer allocation. Where the launch runs on memory that outlives it, so do its allocations.
//!
//! What it can miss: allocations are treated as initialised; more or larger allocations than are modelled end the
//! launch as `unknown`.

use lockstep_kernel::{LocId, Space};

use crate::code::program::Program;
use crate::code::registers::{Slot, lanes_of};
use crate::launch::layout::HEAP_BLOCK;
use crate::launch::resident::{KeptBlock, Resident};
use crate::machine::block::BlockRun;
use crate::machine::fault::{Fault, Freed};
use crate::machine::memory::{Entry, Storage};
use crate::machine::observe::Observer;
use crate::machine::world::{Stop, World};

#[derive(Default)]
pub(crate) struct Heap {
    blocks: Vec<HeapBlock>,
    version: u64,
}

struct HeapBlock {
    storage: Storage,
    size: u64,
    freed: Option<Freed>,
    /// It was freed by an earlier launch.
    is_gone: bool,
}

impl Heap {
    /// The allocations of earlier launches.
    pub(crate) fn of(resident: Option<&Resident>) -> Heap {
        let kept = resident.map(Resident::take_heap).unwrap_or_default();
        let version = u64::from(!kept.is_empty());
        let block = |b: KeptBlock| HeapBlock {
            storage: Storage::of_words(b.words),
            size: b.size,
            freed: None,
            is_gone: b.is_freed,
        };
        Heap { blocks: kept.into_iter().map(block).collect(), version }
    }

    /// Keeps the allocations for later launches.
    pub(crate) fn leave_to(self, resident: Option<&Resident>) {
        let Some(resident) = resident else { return };
        let kept = |mut b: HeapBlock| {
            let is_freed = b.is_gone || b.freed.is_some();
            let words = if is_freed { Vec::new() } else { b.storage.words().collect() };
            KeptBlock { words, size: b.size, is_freed }
        };
        resident.keep_heap(self.blocks.into_iter().map(kept).collect());
    }

    /// Which thread freed the allocation that an address names, if it was freed.
    pub(crate) fn freed(&self, p: &Program, address: u64) -> Option<Freed> {
        let number = p.addresses.object_of(address).checked_sub(p.heap)?;
        self.blocks.get(number)?.freed
    }
}

impl<O: Observer> BlockRun<'_, '_, O> {
    /// Updates the object table.
    pub(crate) fn see_heap(&mut self, world: &mut World<O>) {
        if self.heap_version == world.heap.version {
            return;
        }
        self.heap_version = world.heap.version;
        for (i, b) in world.heap.blocks.iter().enumerate() {
            self.memory.table[self.p.heap + i] = Entry {
                base: b.storage.at(0),
                size: if b.freed.is_some() || b.is_gone { 0 } else { b.size },
                stride: 0,
                space: Space::Global,
            };
        }
    }

    pub(crate) fn alloc(
        &mut self,
        w: usize,
        mask: u32,
        d: Slot,
        size: Slot,
        world: &mut World<O>,
    ) -> Result<(), Stop> {
        let regs = self.regs(w);
        for l in lanes_of(mask) {
            let size = regs.w64(size)[l];
            let object = self.p.heap + world.heap.blocks.len();
            if size > HEAP_BLOCK || object >= self.p.objects.len() {
                return Err(Stop::Heap);
            }
            let storage = Storage::new(size);
            world.heap.blocks.push(HeapBlock { storage, size, freed: None, is_gone: false });
            regs.w64_mut(d)[l] = self.p.addresses.origin(object);
        }
        world.heap.version += 1;
        world.changes += 1;
        self.see_heap(world);
        Ok(())
    }

    pub(crate) fn free(
        &mut self,
        w: usize,
        mask: u32,
        ptr: Slot,
        loc: LocId,
        world: &mut World<O>,
    ) {
        if O::WEAK {
            self.flush_weakly(world);
        }
        let regs = self.regs(w);
        for l in lanes_of(mask) {
            let address = regs.w64(ptr)[l];
            let thread = self.warps[w].first_thread + l as u32;
            let freed = Freed { block: self.block, thread, loc };
            let addresses = self.p.addresses;
            let object = addresses.object_of(address);
            let number = object.checked_sub(self.p.heap);
            match number.and_then(|n| world.heap.blocks.get_mut(n)) {
                _ if address == 0 => {}
                Some(b)
                    if b.freed.is_none() && !b.is_gone && address == addresses.origin(object) =>
                {
                    b.freed = Some(freed);
                }
                Some(HeapBlock { freed: Some(before), .. }) => {
                    let fault = Fault::FreedTwice { now: freed, before: *before };
                    self.fault(w, &fault, world);
                }
                _ => self.fault(w, &Fault::NotAllocated { now: freed }, world),
            }
        }
        world.heap.version += 1;
        world.changes += 1;
        self.see_heap(world);
    }
}
