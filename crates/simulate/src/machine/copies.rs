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
//! A copy that signals a barrier object ends when somebody reads the object after the phase is over in which the copy
//! was started. Its accesses are those of the thread that started it, and the arrival of its bytes is an update of the
//! object by that thread, so who waits for the phase is ordered after them.
//!
//! Bulk copies access memory in another way than the threads do (the *async proxy*): what a thread has stored in shared
//! memory, such a copy need not see, and may come before, unless there was a proxy fence since.
//!
//! What it can miss: threads that wait for different events at one wait (the list of the first thread counts); a thread
//! that has not waited for a copy, once another one has; a proxy fence by a thread that has nothing to do with the store.
//! And a copy whose bytes are read by nobody while it is under way is no fault, but for one that still reads shared
//! memory when its block ends.

use lockstep_kernel::{SiteId, Space, Ty};
use rustc_hash::FxHashMap;

use crate::code::registers::{LANES, Slot, lanes_of};
use crate::code::steps::{CopyEnd, Rare};
use crate::machine::block::BlockRun;
use crate::machine::fault::Fault;
use crate::machine::memory::Target;
use crate::machine::observe::{AccessKind, At, COPY_ENGINE, Copy, Observer};
use crate::machine::world::World;

/// A longer list is treated as one of all events.
const MOST_EVENTS: u64 = 1 << 16;

/// The asynchronous copies of a block that nobody has waited for.
#[derive(Default)]
pub(crate) struct AsyncCopies {
    /// By thread, bulk copies by themselves.
    threads: FxHashMap<(u32, bool), Queue>,
    /// By the address of a barrier object: copies that belong to its present phase, and to those that are over.
    signals: FxHashMap<u64, [Vec<Copy>; 2]>,
    /// By object and byte: what was stored in shared memory since the last proxy fence, and where.
    pub(crate) unfenced: FxHashMap<(usize, u64), (SiteId, u32)>,
}

#[derive(Default)]
struct Queue {
    /// Copies since the last commit.
    open: Vec<Copy>,
    /// Committed groups, oldest first.
    groups: Vec<Vec<Copy>>,
}

impl AsyncCopies {
    fn begin(&mut self, copy: Copy, bulk: bool) {
        self.threads.entry((copy.thread, bulk)).or_default().open.push(copy);
    }

    /// Commits the copies that these lanes have started since their last commit as a group.
    pub(crate) fn commit(&mut self, first_thread: u32, mask: u32, bulk: bool) {
        for l in lanes_of(mask) {
            let queue = self.threads.entry((first_thread + l as u32, bulk)).or_default();
            let open = std::mem::take(&mut queue.open);
            queue.groups.push(open);
        }
    }

    /// Completes all groups of a thread except the `left` newest, or what they read; returns the copies.
    fn end(&mut self, thread: u32, left: u32, bulk: bool, reads_only: bool) -> Vec<Copy> {
        let Some(queue) = self.threads.get_mut(&(thread, bulk)) else { return Vec::new() };
        let ended = queue.groups.len().saturating_sub(left as usize);
        if !reads_only {
            return queue.groups.drain(..ended).flatten().collect();
        }
        let mut out = Vec::new();
        for group in &mut queue.groups[..ended] {
            out.extend(group.iter().filter(|c| c.reads));
            group.retain(|c| !c.reads);
        }
        out
    }

    /// A barrier object was updated, and its phase is over.
    pub(crate) fn phase_ends(&mut self, object: u64) {
        if let Some([now, over]) = self.signals.get_mut(&object) {
            over.append(now);
        }
    }

    /// Somebody reads a barrier object; returns the copies that are known to be done now.
    pub(crate) fn seen(&mut self, object: u64) -> Vec<Copy> {
        self.signals.get_mut(&object).map_or_else(Vec::new, |[_, over]| std::mem::take(over))
    }

    /// Bulk copies that still read shared memory, if there are any.
    fn still_read(&self, is_shared: impl Fn(u64) -> bool) -> Option<Copy> {
        let bulk = self.threads.iter().filter(|((_, bulk), _)| *bulk);
        let copies = bulk.flat_map(|(_, q)| q.open.iter().chain(q.groups.iter().flatten()));
        copies.filter(|c| c.reads && is_shared(c.from)).min_by_key(|c| (c.thread, c.from)).copied()
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
            Rare::MemCopy { read, write, dst, src, len, done } => {
                for l in lanes_of(mask) {
                    let len = regs.w64(len)[l];
                    let (from, to) = (regs.w64(src)[l], regs.w64(dst)[l]);
                    let thread = at.first_thread + l as u32;
                    let (reads, writes) = (true, true);
                    let copy = Copy { thread, from, to, len, read, write, reads, writes };
                    let bulk = matches!(done, CopyEnd::Group { bulk: true } | CopyEnd::Signal(_));
                    if bulk {
                        self.check_proxy(w, &copy, world);
                    }
                    let Some(bytes) = self.bulk_read(&at, l, from, len, read, world) else {
                        continue;
                    };
                    self.bulk_write(&at, l, to, &bytes, write, world);
                    if bulk {
                        self.forget_unfenced(to, len);
                    }
                    self.start_copy(&copy, done, l, &at, world);
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

    /// A copy goes on after the thread.
    fn start_copy(
        &mut self,
        copy: &Copy,
        done: CopyEnd,
        lane: usize,
        at: &At,
        world: &mut World<O>,
    ) {
        let halves = match done {
            CopyEnd::AtOnce => return,
            // What a bulk copy reads may be waited for by itself.
            CopyEnd::Group { bulk: true } => {
                vec![Copy { writes: false, ..*copy }, Copy { reads: false, ..*copy }]
            }
            _ => vec![*copy],
        };
        for half in halves {
            match done {
                CopyEnd::Signal(object) => {
                    let object = at.regs.w64(object)[lane];
                    self.async_copies.signals.entry(object).or_default()[0].push(half);
                }
                CopyEnd::Group { bulk } => self.async_copies.begin(half, bulk),
                CopyEnd::AtOnce => {}
            }
            world.observer.copy_begins(&mut self.observed, &half);
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
    pub(crate) fn await_copies(
        &mut self,
        w: usize,
        mask: u32,
        left: Slot,
        (bulk, reads_only): (bool, bool),
        world: &mut World<O>,
    ) {
        let at = self.at(w);
        for l in lanes_of(mask) {
            let thread = at.first_thread + l as u32;
            let left = at.regs.w32(left)[l];
            for copy in self.async_copies.end(thread, left, bulk, reads_only) {
                world.observer.copy_ends(&mut self.observed, &copy);
                for (address, site, kind, meant) in [
                    (copy.from, copy.read, AccessKind::Read, copy.reads),
                    (copy.to, copy.write, AccessKind::Write, copy.writes),
                ] {
                    if !meant {
                        continue;
                    }
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

    /// The copies of these lanes belong to the phase of a barrier object.
    pub(crate) fn signal_copies(&mut self, w: usize, mask: u32, addr: Slot) {
        let at = self.at(w);
        for l in lanes_of(mask) {
            let thread = at.first_thread + l as u32;
            let Some(queue) = self.async_copies.threads.remove(&(thread, false)) else { continue };
            let copies = queue.groups.into_iter().flatten().chain(queue.open);
            self.async_copies.signals.entry(at.regs.w64(addr)[l]).or_default()[0].extend(copies);
        }
    }

    /// Somebody has read a barrier object.
    pub(crate) fn see_signal(&mut self, object: u64, world: &mut World<O>) {
        for copy in self.async_copies.seen(object) {
            world.observer.copy_ends(&mut self.observed, &copy);
        }
    }

    /// Notes what a thread stores in shared memory, if there are bulk copies that need not see it.
    pub(crate) fn note_unfenced(&mut self, at: &At, t: &Target, site: SiteId) {
        for l in lanes_of(t.mask) {
            let thread = at.first_thread + l as u32;
            for byte in t.offsets[l]..t.offsets[l] + t.size {
                self.async_copies.unfenced.insert((t.object, byte), (site, thread));
            }
        }
    }

    /// What a bulk copy itself has written is no store of a thread.
    fn forget_unfenced(&mut self, address: u64, len: u64) {
        let object = self.p.addresses.object_of(address);
        let begin = address.wrapping_sub(self.p.addresses.origin(object));
        for byte in begin..begin + len {
            self.async_copies.unfenced.remove(&(object, byte));
        }
    }

    /// A bulk copy of shared memory that a thread has stored to, without a proxy fence in between.
    fn check_proxy(&mut self, w: usize, copy: &Copy, world: &mut World<O>) {
        if self.async_copies.unfenced.is_empty() {
            return;
        }
        for (address, site) in [(copy.from, copy.read), (copy.to, copy.write)] {
            let object = self.p.addresses.object_of(address);
            let begin = address.wrapping_sub(self.p.addresses.origin(object));
            let mut bytes = begin..begin + copy.len;
            let found = bytes.find_map(|b| self.async_copies.unfenced.get(&(object, b)));
            if let Some(&(stored, by)) = found {
                let fault =
                    Fault::NoProxyFence { stored: (stored, by), copied: (site, copy.thread) };
                self.fault(w, &fault, world);
            }
        }
    }

    /// The block ends: its shared memory is no longer there for a copy that reads it.
    pub(crate) fn check_copies_done(&mut self, world: &mut World<O>) {
        let is_shared = |address| {
            let object = self.p.addresses.object_of(address);
            self.p.objects.get(object).is_some_and(|o| o.space == Space::Shared)
        };
        if let Some(copy) = self.async_copies.still_read(is_shared) {
            let fault = Fault::CopyUnderWay { site: copy.read, thread: copy.thread };
            self.fault(0, &fault, world);
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
