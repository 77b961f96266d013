//! Copies: of a run-time length by one thread, asynchronous ones of one thread (`cp.async`), and OpenCL's group copies.
//!
//! An asynchronous copy is executed at its start, so that later reads see its data. But hardware may execute it at any
//! time until it is waited for. So its accesses are reported to the observer at its start and, for a copy of one
//! thread, again after the thread has waited for it; the observer compares them with the accesses in between.
//!
//! A group copy is executed when the first thread of the block that has not returned reaches it, by no particular
//! thread ([`COPY_ENGINE`]). Its event is a number that is the same for all threads of the block: the site of the copy,
//! and how often the thread has reached it; a copy that is given an event has that one.
//!
//! What it can miss: threads that wait for different events at one wait. The list of the first thread counts.

use lockstep_kernel::{SiteId, Ty};
use rustc_hash::FxHashMap;

use crate::code::registers::{LANES, Slot, lanes_of};
use crate::code::steps::Rare;
use crate::machine::block::BlockRun;
use crate::machine::fault::Fault;
use crate::machine::memory::Target;
use crate::machine::observe::{AccessKind, At, COPY_ENGINE, Copy, Observer};
use crate::machine::world::World;

/// A longer list is treated as one of all events.
const MOST_EVENTS: u64 = 1 << 16;

/// The asynchronous copies that threads of a block have not waited for, by thread.
#[derive(Default)]
pub(crate) struct AsyncCopies {
    threads: FxHashMap<u32, Queue>,
}

#[derive(Default)]
struct Queue {
    /// Copies since the last commit.
    open: Vec<Copy>,
    /// Committed groups, oldest first.
    groups: Vec<Vec<Copy>>,
}

impl AsyncCopies {
    fn begin(&mut self, copy: Copy) {
        self.threads.entry(copy.thread).or_default().open.push(copy);
    }

    /// Commits the copies that these lanes have started since their last commit as a group.
    pub(crate) fn commit(&mut self, first_thread: u32, mask: u32) {
        for l in lanes_of(mask) {
            let queue = self.threads.entry(first_thread + l as u32).or_default();
            let open = std::mem::take(&mut queue.open);
            queue.groups.push(open);
        }
    }

    /// Completes all groups of a thread except the `left` newest; returns their copies.
    fn end(&mut self, thread: u32, left: u32) -> Vec<Copy> {
        let Some(queue) = self.threads.get_mut(&thread) else { return Vec::new() };
        let ended = queue.groups.len().saturating_sub(left as usize);
        queue.groups.drain(..ended).flatten().collect()
    }
}

/// The group copies of a block.
#[derive(Default)]
pub(crate) struct GroupCopies {
    /// How often each lane of a warp has reached a copy.
    begun: FxHashMap<(SiteId, usize), [u32; LANES]>,
    /// How many threads have executed each copy since the last time that all had.
    executed: FxHashMap<SiteId, u32>,
    /// The events of the wait that the block is reaching; `None` means all, if they are not known.
    awaited: Option<Vec<u64>>,
}

impl GroupCopies {
    /// The event of a lane that reaches a copy.
    fn event(&mut self, site: SiteId, w: usize, lane: usize, given: u64) -> u64 {
        let count = &mut self.begun.entry((site, w)).or_insert([0; LANES])[lane];
        *count += 1;
        match given {
            0 => (u64::from(site.0) + 1) << 32 | u64::from(*count),
            event => event,
        }
    }
}

impl<O: Observer> BlockRun<'_, '_, O> {
    /// Copies and fills of run-time length, one lane at a time.
    pub(crate) fn bulk(&mut self, w: usize, mask: u32, r: &Rare, world: &mut World<O>) {
        let at = self.at(w);
        let regs = at.regs;
        match *r {
            Rare::MemCopy { read, write, dst, src, len, asynchronous } => {
                for l in lanes_of(mask) {
                    let len = regs.w64(len)[l];
                    let (from, to) = (regs.w64(src)[l], regs.w64(dst)[l]);
                    let Some(bytes) = self.bulk_read(&at, l, from, len, read, world) else {
                        continue;
                    };
                    self.bulk_write(&at, l, to, &bytes, write, world);
                    if asynchronous {
                        let thread = at.first_thread + l as u32;
                        let copy = Copy { thread, from, to, len, read, write };
                        self.async_copies.begin(copy);
                        world.observer.copy_begins(&mut self.observed, &copy);
                    }
                }
            }
            Rare::MemSet { site, dst, byte, len } => {
                for l in lanes_of(mask) {
                    let (to, len) = (self.p.meant(regs.w64(dst)[l]), regs.w64(len)[l]);
                    let object = self.p.addresses.object_of(to);
                    if len > self.p.objects.get(object).map_or(0, |o| o.size) {
                        let thread = at.first_thread + l as u32;
                        self.out_of_bounds(&at, to, len, site, thread, world);
                        continue;
                    }
                    let bytes = vec![regs.w32(byte)[l] as u8; len as usize];
                    self.bulk_write(&at, l, to, &bytes, site, world);
                }
            }
            _ => {}
        }
    }

    fn bulk_target(
        &mut self,
        at: &At,
        lane: usize,
        address: u64,
        len: u64,
        site: SiteId,
        world: &mut World<O>,
    ) -> Option<Target> {
        world.executed.sites[site.0 as usize] = true;
        if len == 0 {
            return None;
        }
        let mut addresses = [0; LANES];
        addresses[lane] = address;
        let align = self.p.sites[site.0 as usize].align;
        if let Some(t) = self.memory.resolve_one(&addresses, 1 << lane, len, align) {
            return Some(t);
        }
        self.resolve_all(at, &addresses, 1 << lane, len, site, world).pop()
    }

    fn bulk_read(
        &mut self,
        at: &At,
        lane: usize,
        address: u64,
        len: u64,
        site: SiteId,
        world: &mut World<O>,
    ) -> Option<Vec<u8>> {
        let t = self.bulk_target(at, lane, address, len, site, world)?;
        if !self.claim(&t, AccessKind::Read, site, world) {
            return None;
        }
        self.observe(at, &t, AccessKind::Read, site, 0, Ty::I8, &|_, _| 0, world);
        if O::WEAK {
            self.copy_weakly(at, &t, lane, site, None, world);
        }
        Some(t.get_bytes(lane))
    }

    fn bulk_write(
        &mut self,
        at: &At,
        lane: usize,
        address: u64,
        bytes: &[u8],
        site: SiteId,
        world: &mut World<O>,
    ) {
        let len = bytes.len() as u64;
        let Some(t) = self.bulk_target(at, lane, address, len, site, world) else {
            return;
        };
        if !self.claim(&t, AccessKind::Write, site, world) {
            return;
        }
        let same = t.get_bytes(lane) == bytes;
        let silent = if same { u32::MAX } else { 0 };
        let values = |_: usize, k: usize| u64::from(bytes[k]);
        self.observe(at, &t, AccessKind::Write, site, silent, Ty::I8, &values, world);
        world.changes += u64::from(!same);
        if O::WEAK {
            self.copy_weakly(at, &t, lane, site, Some(bytes), world);
        }
        t.put_bytes(lane, bytes);
        world.observer.written(&mut self.observed, t.object, t.offsets[lane], len);
    }

    /// Lanes wait for their asynchronous copies: their accesses have completed.
    pub(crate) fn await_copies(&mut self, w: usize, mask: u32, left: Slot, world: &mut World<O>) {
        let at = self.at(w);
        for l in lanes_of(mask) {
            let thread = at.first_thread + l as u32;
            for copy in self.async_copies.end(thread, at.regs.w32(left)[l]) {
                world.observer.copy_ends(&mut self.observed, &copy);
                for (address, site, kind) in [
                    (copy.from, copy.read, AccessKind::Read),
                    (copy.to, copy.write, AccessKind::Write),
                ] {
                    let target = self.bulk_target(&at, l, address, copy.len, site, world);
                    let Some(t) = target else { continue };
                    if !self.claim(&t, kind, site, world) {
                        continue;
                    }
                    let bytes = t.get_bytes(l);
                    let values = |_: usize, k: usize| u64::from(bytes[k]);
                    self.observe(&at, &t, kind, site, 0, Ty::I8, &values, world);
                }
            }
        }
    }

    /// The lane of the first thread of the block that has not returned, if it is among these lanes.
    fn first_of_block(&self, w: usize, mask: u32) -> Option<usize> {
        let lead = self.warps.iter().position(|warp| warp.alive != 0);
        let lane = self.warps[w].alive.trailing_zeros() as usize;
        (lead == Some(w) && mask >> lane & 1 == 1).then_some(lane)
    }

    /// Lanes reach a group copy. It is executed once for the block.
    pub(crate) fn group_copy(&mut self, w: usize, mask: u32, r: &Rare, world: &mut World<O>) {
        let Rare::GroupCopy {
            read,
            write,
            dst,
            src,
            count,
            size,
            dst_stride,
            src_stride,
            event,
            d,
        } = *r
        else {
            return;
        };
        *self.group_copies.executed.entry(write).or_default() += mask.count_ones();
        let regs = self.regs(w);
        let mut events = [0; LANES];
        for l in lanes_of(mask) {
            events[l] = self.group_copies.event(write, w, l, regs.w64(event)[l]);
        }
        if let Some(l) = self.first_of_block(w, mask) {
            let step = |stride: Slot| u64::from(size).wrapping_mul(regs.w64(stride)[l]);
            let (mut from, mut to) = (regs.w64(src)[l], regs.w64(dst)[l]);
            let (from_step, to_step) = (step(src_stride), step(dst_stride));
            let engine = At { first_thread: COPY_ENGINE, ..self.at(w) };
            world.observer.group_copy_begins(&mut self.observed);
            for _ in 0..regs.w64(count)[l] {
                let bytes = self.bulk_read(&engine, 0, from, u64::from(size), read, world);
                let Some(bytes) = bytes else { break };
                self.bulk_write(&engine, 0, to, &bytes, write, world);
                (from, to) = (from.wrapping_add(from_step), to.wrapping_add(to_step));
            }
            world.observer.group_copy_ends(&mut self.observed, events[l]);
        }
        if let Some(d) = d {
            lanes_of(mask).for_each(|l| regs.set_lane(d, Ty::Ptr, l, events[l]));
        }
    }

    /// Lanes reach a wait for the events in a list.
    pub(crate) fn note_awaited(
        &mut self,
        w: usize,
        mask: u32,
        count: Slot,
        list: Slot,
        world: &mut World<O>,
    ) {
        let Some(lane) = self.first_of_block(w, mask) else { return };
        let regs = self.regs(w);
        let (count, mut addresses) = (regs.w64(count)[lane], [0; LANES]);
        addresses[lane] = regs.w64(list)[lane];
        self.group_copies.awaited = match count {
            0 => Some(Vec::new()),
            1..MOST_EVENTS => self
                .memory
                .resolve_one(&addresses, 1 << lane, count * 8, 1)
                .filter(|t| self.claim_read(t, world))
                .map(|t| (0..count).map(|i| t.get(lane, i * 8, 8)).collect()),
            _ => None,
        };
    }

    /// All threads of the block have reached a wait for group copies.
    pub(crate) fn group_copies_awaited(&mut self, world: &mut World<O>) {
        let events = self.group_copies.awaited.take();
        world.observer.group_copies_awaited(&mut self.observed, events.as_deref());
    }

    /// A group copy must be executed by all threads of the block or by none.
    pub(crate) fn check_group_copies(&mut self, world: &mut World<O>) {
        let threads = self.p.threads_of(self.block);
        let mut copies: Vec<(SiteId, u32)> = self.group_copies.executed.drain().collect();
        copies.retain(|(_, n)| !n.is_multiple_of(threads));
        copies.sort();
        for (site, n) in copies {
            let fault = Fault::PartialGroupCopy { site, executed: n % threads, threads };
            self.fault(0, &fault, world);
        }
    }
}
