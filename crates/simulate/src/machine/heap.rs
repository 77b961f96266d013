//! The device's heap: `malloc` and `free` in a kernel, and use after free.
//!
//! Each allocation is an object of its own, so bounds and races are checked as in
//! any array. A freed block keeps its object and loses its bytes: whoever touches
//! it afterwards names it. Numbers are not used again, so a dangling pointer never
//! points to a newer block.
//!
//! What it can miss: blocks are taken as initialised; more or larger blocks than
//! are modelled end the launch as `unknown`.

use lockstep_finding::{Access, Finding, Kind};
use lockstep_kernel::{LocId, SiteId, Space};

use crate::check::report::{Key, place};
use crate::code::lanes::Slot;
use crate::code::program::{HEAP_BLOCK, object_of, origin};
use crate::machine::access::lanes_of;
use crate::machine::block::{BlockRun, Entry, Stop, World};

#[derive(Default)]
pub(crate) struct Heap {
    blocks: Vec<HeapBlock>,
    version: u64,
}

struct HeapBlock {
    storage: Vec<u64>,
    size: u64,
    freed: Option<Freed>,
}

/// Who freed a block, and where.
#[derive(Clone, Copy)]
struct Freed {
    block: u32,
    thread: u32,
    loc: LocId,
}

impl BlockRun<'_, '_> {
    /// Brings the table of objects up to date.
    pub(crate) fn see_heap(&mut self, world: &mut World) {
        if self.heap_version == world.heap.version {
            return;
        }
        self.heap_version = world.heap.version;
        for (i, b) in world.heap.blocks.iter_mut().enumerate() {
            self.table[self.p.heap + i] = Entry {
                base: b.storage.as_mut_ptr().cast(),
                size: if b.freed.is_some() { 0 } else { b.size },
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
        world: &mut World,
    ) -> Result<(), Stop> {
        let regs = self.regs(w);
        for l in lanes_of(mask) {
            let size = regs.w64(size)[l];
            let object = self.p.heap + world.heap.blocks.len();
            if size > HEAP_BLOCK || object >= self.p.objects.len() {
                return Err(Stop::Heap);
            }
            let storage = vec![0; size.div_ceil(8) as usize + 1];
            world.heap.blocks.push(HeapBlock { storage, size, freed: None });
            regs.w64_mut(d)[l] = origin(object);
        }
        world.heap.version += 1;
        world.changes += 1;
        self.see_heap(world);
        Ok(())
    }

    pub(crate) fn free(&mut self, w: usize, mask: u32, ptr: Slot, loc: LocId, world: &mut World) {
        let regs = self.regs(w);
        for l in lanes_of(mask) {
            let address = regs.w64(ptr)[l];
            let thread = self.warps[w].first_thread + l as u32;
            let freed = Freed { block: self.block, thread, loc };
            let number = object_of(address).checked_sub(self.p.heap);
            match number.and_then(|n| world.heap.blocks.get_mut(n)) {
                _ if address == 0 => {}
                Some(b) if b.freed.is_none() && address == origin(object_of(address)) => {
                    b.freed = Some(freed);
                }
                Some(HeapBlock { freed: Some(before), .. }) => {
                    let before = *before;
                    self.report_free(freed, Some(before), "a heap block is freed twice", world);
                }
                _ => self.report_free(
                    freed,
                    None,
                    "free of a pointer that malloc did not give",
                    world,
                ),
            }
        }
        world.heap.version += 1;
        world.changes += 1;
        self.see_heap(world);
    }

    fn free_access(&self, f: Freed) -> Access {
        Access {
            op: "free".into(),
            thread: Some(self.p.thread_at(f.block, f.thread)),
            block: self.p.block_at(f.block),
            place: place(self.p.kernel, f.loc),
            value: None,
            notes: Vec::new(),
        }
    }

    fn report_free(&self, now: Freed, before: Option<Freed>, message: &str, world: &mut World) {
        let key = Key {
            kind: Kind::UseAfterFree,
            places: [now.loc.0, before.map_or(now.loc.0, |b| b.loc.0)],
            object: 1,
        };
        world.reports.add(key, false, || {
            let mut accesses = vec![self.free_access(now)];
            accesses.extend(before.map(|b| self.free_access(b)));
            let mut f = Finding::new(Kind::UseAfterFree, message.to_string(), accesses);
            f.help = vec!["free each block once, with the pointer that malloc gave".into()];
            f
        });
    }

    /// Reports an access to a freed block; false if it is none.
    pub(crate) fn report_freed(
        &self,
        address: u64,
        size: u64,
        site: SiteId,
        thread: u32,
        world: &mut World,
    ) -> bool {
        let block = object_of(address)
            .checked_sub(self.p.heap)
            .and_then(|n| world.heap.blocks.get(n))
            .and_then(|b| b.freed);
        let Some(freed) = block else { return false };
        let key =
            Key { kind: Kind::UseAfterFree, places: self.p.places(site.0, site.0), object: 0 };
        world.reports.add(key, false, || {
            let message = format!("{} of {size} bytes of a heap block that was freed", self.access_op(site));
            let accesses = vec![self.access_of(site, thread), self.free_access(freed)];
            let mut f = Finding::new(Kind::UseAfterFree, message, accesses);
            f.help = vec!["free the block only after its last use: look at whether a barrier should order the two between threads".into()];
            f
        });
        true
    }
}
