//! Weak execution: store buffers between threads and memory, and loads that are early.
//!
//! GPUs reorder memory accesses, and an execution in which every access takes effect at once hides what that breaks. Here
//! a thread's stores wait in a buffer for as long as possible, and its loads may have values that memory held before, so
//! that a missing fence shows as a wrong result.
//!
//! # What it implements
//!
//! Bugaroo (Islam and Muzahid, "Exposing Memory Model Bugs in Many-core Systems"), Algorithms 1 and 2:
//! - Each thread has a buffer for stores to shared and one for stores to global memory. A store enters it with a given
//!   probability, drawn from a seed. A store that does not, goes to memory.
//! - A thread's own loads see its own stores, byte by byte.
//! - A store to bytes that a buffered store of the thread has, too, first sends that to memory: stores to one place stay
//!   in their order.
//! - A fence flushes the buffers of its thread, a barrier those of its threads. A full buffer gives up its oldest store.
//!
//! # Where it deviates
//!
//! - *Scopes.* Behind the buffers of its threads, a block has one for global memory. A fence of block scope or a barrier of
//!   the block moves stores from the thread's buffer there: threads of the block see them, others do not. A fence of device
//!   scope by any thread of the block flushes it, too, because what a thread has learnt from others of its block is released
//!   with what it did itself. The paper's algorithm flushes only shared memory at `__syncthreads`; then threads of the block
//!   do not see each other's global stores, which CUDA promises.
//! - *Early loads*, which the paper leaves out. A load may have a value that memory held since the thread's last fence.
//!   Without this, a missing acquire never shows.
//! - *Ends of threads.* A thread that has ended may still have stores in its buffer, with the same probability: its end is no
//!   fence. All of them leave at the end of the launch.
//! - *Atomic operations* act on memory and flush nothing but stores to the same bytes, unless they acquire or release: then
//!   they are a fence before or after the operation. Volatile stores are buffered in half of the executions only.
//! - *Who runs when* comes from the seed as well: the order of blocks and warps, and when they are interrupted. With
//!   probability 0 that is all that the seed decides, and memory is sequentially consistent.
//!
//! # What it can miss
//!
//! It executes some of the executions that the memory model allows, not all: `crates/fences` explores them all, of small
//! launches. A load never comes after a later store of its thread took effect (load buffering). All threads of a device
//! see the stores of other blocks in one order. Asynchronous copies take effect at once.
//!
//! # Why it cannot cry wolf
//!
//! Every execution is one that the PTX memory model allows. Let the time of a store be when it reaches memory, and that of
//! a load the moment whose value it has; coherence order is the order of times.
//! - *Coherence.* Stores of one thread to one place reach memory in program order. A load has no older value than the thread
//!   has read or written there before ([`Thread::seen`]), so that each location alone is sequentially consistent.
//! - *Causality.* If a store happens before a load, there is a chain of fences or barriers of sufficient scope between them.
//!   The first has flushed the store: to memory, or to the buffer of the block where the load's thread sees it. The last has
//!   raised the time that the load may go back to ([`Thread::floors`]). What a block has learnt of others is known
//!   to each of its threads after a fence of block scope ([`BlockState::known`]).
//! - *Atomicity.* An atomic operation reads and writes memory in one step.
//! - *`fence.sc`.* Fences take effect one after the other; around one, a thread's accesses are in order.
//! - *No thin air.* A load has a value of a store that was executed before it.
//! - *Threads that wait see new values in the end.* Before a deadlock is reported, all buffers are flushed step by step,
//!   and loads have the latest values ([`WeakMemory::unblock`]).
//!
//! In OpenCL C, programs with data races have no meaning; those without have the orders above.
//!
//! **Architecture Invariant:** nothing here knows the machine. Memory is bytes at addresses ([`Ram`]), threads are numbers.

pub(crate) mod buffer;
pub(crate) mod history;
pub(crate) mod random;
mod schedule;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::launch::store_buffers::{BufferStats, Buffered, StoreBuffers};
use crate::weak::buffer::{Buffer, Party, Store};
use crate::weak::history::{History, Past, value_at, words};
use crate::weak::random::Random;
use crate::weak::schedule::Schedule;

/// Memory. Accesses have at most eight bytes.
pub(crate) trait Ram {
    fn read(&self, at: usize, len: usize) -> u64;
    fn write(&mut self, at: usize, len: usize, value: u64);
}

/// How strong an access is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strength {
    /// Neither volatile nor atomic.
    Plain,
    /// Relaxed.
    Strong,
}

/// What a fence or barrier orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reach {
    /// For threads of other blocks, too.
    pub device: bool,
    pub shared: bool,
    pub global: bool,
}

/// The time that loads of a thread may go back to.
#[derive(Clone, Copy, Default)]
struct Floors {
    shared: u64,
    /// Of stores by threads of the same block, and of all.
    block: u64,
    device: u64,
}

#[derive(Default)]
struct Thread {
    shared: Buffer,
    global: Buffer,
    floors: Floors,
    /// The times of values that the thread has read or written itself, by word.
    seen: FxHashMap<usize, u64>,
}

struct BlockState {
    threads: Vec<Thread>,
    /// Stores to global memory that threads of the block see and others do not.
    buffer: Buffer,
    /// When a thread of the block last learnt of other blocks.
    known: u64,
    /// Of its shared memory.
    history: History,
}

/// A store that still waits when the launch ends.
enum Waiting {
    OfThread(Store),
    /// One of those that the block has seen.
    OfBlock(u32),
}

/// A load that did not see a store that was executed before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Missed {
    pub store: Party,
    pub load: Party,
    /// The object, the offset in it and the number of bytes, as given with the load.
    pub object: usize,
    pub offset: u64,
    pub len: usize,
}

/// Pairs of places that are kept.
const MOST_MISSED: usize = 256;

/// Part of the chance of an early load that volatile and atomic loads have, so that waiting loops go on.
const STRONG_LOADS: f64 = 0.25;

pub(crate) struct WeakMemory<R> {
    ram: R,
    settings: StoreBuffers,
    /// For stores and loads. Who runs when has its own numbers, so that it does not depend on these.
    random: Random,
    pub(crate) schedule: Schedule,
    /// Whether volatile and atomic accesses are reordered as well.
    reorders_strong: bool,
    /// The number of stores that memory has seen.
    now: u64,
    blocks: FxHashMap<u32, BlockState>,
    /// The floors that new blocks begin with.
    base: u64,
    history: History,
    /// Stores in buffers, by word. Most words have one.
    waiting: FxHashMap<usize, SmallVec<[Party; 1]>>,
    /// Until memory changes, loads have the latest values.
    exact_at: Option<u64>,
    unblocked: u32,
    /// How often bytes of memory have changed, for [`WeakMemory::take_changes`].
    changes: u64,
    stats: BufferStats,
    fence_sites: BTreeSet<u32>,
    missed: BTreeMap<(u32, u32), Missed>,
    threads_per_block: u32,
}

impl<R: Ram> WeakMemory<R> {
    pub(crate) fn new(ram: R, settings: StoreBuffers, threads_per_block: u32) -> WeakMemory<R> {
        let mut random = Random::new(settings.seed);
        let reorders_strong = random.chance(0.5);
        WeakMemory {
            ram,
            settings,
            random,
            schedule: Schedule::new(settings.seed),
            reorders_strong,
            now: 0,
            blocks: FxHashMap::default(),
            base: 0,
            history: History::default(),
            waiting: FxHashMap::default(),
            exact_at: None,
            unblocked: 0,
            changes: 0,
            stats: BufferStats::default(),
            fence_sites: BTreeSet::new(),
            missed: BTreeMap::new(),
            threads_per_block,
        }
    }

    fn block(&mut self, block: u32) -> &mut BlockState {
        let (threads, base) = (self.threads_per_block, self.base);
        self.blocks.entry(block).or_insert_with(|| {
            let floors = Floors { shared: 0, block: base, device: base };
            let thread = |_| Thread { floors, ..Thread::default() };
            BlockState {
                threads: (0..threads).map(thread).collect(),
                buffer: Buffer::default(),
                known: base,
                history: History::default(),
            }
        })
    }

    /// The blocks that have begun and whose stores have not all reached memory, in the order of their numbers.
    fn live_blocks(&self) -> Vec<u32> {
        let mut blocks: Vec<u32> = self.blocks.keys().copied().collect();
        blocks.sort_unstable();
        blocks
    }

    fn thread(&mut self, block: u32, thread: u32) -> &mut Thread {
        &mut self.block(block).threads[thread as usize]
    }

    /// Whether accesses may be reordered; otherwise only who runs when is chosen here.
    pub(crate) fn reorders(&self) -> bool {
        self.settings.probability > 0.0
    }

    fn chance(&mut self) -> bool {
        let probability = self.settings.probability;
        probability > 0.0 && self.random.chance(probability)
    }

    // Accesses.

    /// A store of at most eight bytes.
    pub(crate) fn store(&mut self, memory: Buffered, store: Store, strength: Strength) {
        match memory {
            Buffered::Shared => self.stats.shared_stores += 1,
            Buffered::Global => self.stats.global_stores += 1,
        }
        let may_wait = strength == Strength::Plain || self.reorders_strong;
        self.flush_bytes(memory, store.by, store.at, store.len);
        if !(self.chance() && may_wait) {
            self.flush_block_bytes(memory, store.by.block, store.at, store.len);
            self.reach_memory(memory, store, false);
            return;
        }
        let size = self.settings.size;
        let buffer = self.buffer(memory, store.by.block, store.by.thread);
        let oldest = if buffer.len() >= size.max(1) { buffer.take_oldest() } else { None };
        buffer.push(store);
        self.wait(&store);
        if let Some(oldest) = oldest {
            self.stats.flushed(memory, size.max(1));
            self.leave(memory, oldest);
        }
    }

    /// A load of at most eight bytes. `place` is the object and the offset in it, for what is missed.
    pub(crate) fn load(
        &mut self,
        memory: Buffered,
        by: Party,
        (at, len): (usize, usize),
        strength: Strength,
        place: (usize, u64),
    ) -> u64 {
        let mut value = self.ram.read(at, len);
        let block = self.block(by.block);
        let mut forwarded = memory == Buffered::Global && block.buffer.overlay(at, len, &mut value);
        let own = &block.threads[by.thread as usize];
        let buffer = if memory == Buffered::Shared { &own.shared } else { &own.global };
        forwarded |= buffer.overlay(at, len, &mut value);
        if forwarded {
            self.has_seen(memory, by, at, len, self.now);
            return value;
        }
        self.note_waiting(by, at, len, place);
        if !self.is_early(strength) {
            self.has_seen(memory, by, at, len, self.now);
            return value;
        }
        let Some(time) = self.early_time(memory, by, at, len) else { return value };
        self.has_seen(memory, by, at, len, time);
        self.value_at(memory, by, (at, len), value, time, place)
    }

    /// An atomic operation is about to read and perhaps write memory.
    pub(crate) fn atomic_begins(&mut self, memory: Buffered, by: Party, at: usize, len: usize) {
        self.flush_bytes(memory, by, at, len);
        self.flush_block_bytes(memory, by.block, at, len);
    }

    /// Bytes of memory were written, by an atomic operation or a copy; `old` is what they were.
    pub(crate) fn written(&mut self, memory: Buffered, by: Party, at: usize, len: usize, old: u64) {
        if self.ram.read(at, len) == old {
            self.has_seen(memory, by, at, len, self.now);
            return;
        }
        self.now += 1;
        self.record(memory, by, at, len, old, false);
    }

    /// Before bytes are copied by no particular thread, all stores of the block to them reach memory.
    pub(crate) fn flush_range(&mut self, memory: Buffered, block: u32, at: usize, len: usize) {
        for thread in 0..self.threads_per_block {
            let stores = self.buffer(memory, block, thread).take_overlapping(at, len);
            stores.into_iter().for_each(|store| self.leave(memory, store));
        }
        self.flush_block_bytes(memory, block, at, len);
    }

    // Order.

    /// Threads of a block execute a fence or pass a barrier together.
    pub(crate) fn fence(&mut self, block: u32, threads: &[u32], reach: Reach) {
        for &thread in threads {
            if reach.shared {
                self.flush(Buffered::Shared, block, thread, true);
            }
            if reach.global {
                self.flush(Buffered::Global, block, thread, reach.device);
            }
        }
        if reach.global && reach.device {
            self.flush_block(block);
        }
        let now = self.now;
        let state = self.block(block);
        if reach.global && reach.device {
            state.known = now;
        }
        let known = state.known;
        for &thread in threads {
            let own = &mut state.threads[thread as usize];
            if reach.shared {
                own.floors.shared = now;
            }
            if reach.global {
                own.floors.block = now;
                own.floors.device = own.floors.device.max(known);
            }
            if reach.shared && reach.global && reach.device {
                own.seen.clear();
            }
        }
    }

    /// Counts a fence of the source.
    pub(crate) fn count_fence(&mut self, site: u32, threads: u32) {
        self.stats.fences += u64::from(threads);
        self.fence_sites.insert(site);
    }

    /// All threads of the launch pass a barrier.
    pub(crate) fn grid_barrier(&mut self) {
        for block in self.live_blocks() {
            for thread in 0..self.threads_per_block {
                self.flush(Buffered::Shared, block, thread, true);
                self.flush(Buffered::Global, block, thread, true);
            }
            self.flush_block(block);
        }
        self.base = self.now;
        let now = self.now;
        for state in self.blocks.values_mut() {
            state.known = now;
            for thread in &mut state.threads {
                thread.floors = Floors { shared: now, block: now, device: now };
                thread.seen.clear();
            }
        }
    }

    /// A thread has ended: that is no fence, so its stores may wait longer.
    pub(crate) fn thread_ends(&mut self, block: u32, thread: u32) {
        if self.settings.probability == 0.0 {
            return;
        }
        let stays = self.chance();
        for memory in [Buffered::Shared, Buffered::Global] {
            let length = self.buffer(memory, block, thread).len();
            match stays {
                true => self.stats.flushed(memory, length),
                false => self.flush(memory, block, thread, true),
            }
        }
        self.thread(block, thread).seen = FxHashMap::default();
    }

    /// All threads of a block have ended, and its shared memory with them.
    pub(crate) fn block_ends(&mut self, block: u32) {
        let Some(state) = self.blocks.get_mut(&block) else { return };
        state.history = History::default();
        let forgotten: Vec<Store> =
            state.threads.iter_mut().flat_map(|thread| thread.shared.take_all()).collect();
        let is_over =
            state.buffer.is_empty() && state.threads.iter().all(|thread| thread.global.is_empty());
        forgotten.iter().for_each(|store| self.no_longer_waits(store));
        if is_over {
            self.blocks.remove(&block);
        }
    }

    /// The launch has ended: all stores to global memory reach it, in any order of threads. Those that a block has seen come
    /// before those of its threads to the same bytes.
    pub(crate) fn launch_ends(&mut self) {
        let mut all: Vec<Waiting> = Vec::new();
        for block in self.live_blocks() {
            let state = self.block(block);
            all.extend((0..state.buffer.len()).map(|_| Waiting::OfBlock(block)));
            let own = state.threads.iter_mut().flat_map(|thread| thread.global.take_all());
            all.extend(own.map(Waiting::OfThread));
        }
        self.random.shuffle(&mut all);
        for waiting in all {
            match waiting {
                Waiting::OfThread(store) => self.leave(Buffered::Global, store),
                Waiting::OfBlock(block) => {
                    // A store of one of its threads may have sent it ahead.
                    let Some(store) = self.block(block).buffer.take_oldest() else { continue };
                    self.no_longer_waits(&store);
                    self.reach_memory(Buffered::Global, store, true);
                }
            }
        }
    }

    /// Nothing goes on: some stores reach memory, more each time; if there are none, loads have the latest values. False
    /// if neither changes anything.
    pub(crate) fn unblock(&mut self) -> bool {
        self.unblocked += 1;
        let before = self.changes;
        let enough = before + (1 << (self.unblocked / 64).min(16));
        while self.changes < enough {
            let memory = match self.random.chance(0.5) {
                true => [Buffered::Shared, Buffered::Global],
                false => [Buffered::Global, Buffered::Shared],
            };
            if !memory.into_iter().any(|memory| self.leave_at_random(memory)) {
                break;
            }
        }
        if self.changes != before {
            return true;
        }
        let is_new = self.settings.probability > 0.0 && self.exact_at != Some(self.now);
        self.exact_at = Some(self.now);
        is_new
    }

    // What was seen.

    /// How often memory has changed since the last call.
    pub(crate) fn take_changes(&mut self) -> u64 {
        std::mem::take(&mut self.changes)
    }

    pub(crate) fn stats(&self) -> BufferStats {
        BufferStats { fence_places: self.fence_sites.len(), ..self.stats.clone() }
    }

    pub(crate) fn missed(&self) -> impl Iterator<Item = &Missed> {
        self.missed.values()
    }

    // Stores on their way.

    fn buffer(&mut self, memory: Buffered, block: u32, thread: u32) -> &mut Buffer {
        let own = self.thread(block, thread);
        match memory {
            Buffered::Shared => &mut own.shared,
            Buffered::Global => &mut own.global,
        }
    }

    /// Own stores to some bytes reach memory.
    fn flush_bytes(&mut self, memory: Buffered, by: Party, at: usize, len: usize) {
        let stores = self.buffer(memory, by.block, by.thread).take_overlapping(at, len);
        stores.into_iter().for_each(|store| self.leave(memory, store));
    }

    /// Stores to some bytes that the block has seen reach memory.
    fn flush_block_bytes(&mut self, memory: Buffered, block: u32, at: usize, len: usize) {
        if memory == Buffered::Shared {
            return;
        }
        for store in self.block(block).buffer.take_overlapping(at, len) {
            self.no_longer_waits(&store);
            self.reach_memory(memory, store, true);
        }
    }

    /// Flushes a buffer of a thread, to memory or, if `whole` is false, to where only its block sees it.
    fn flush(&mut self, memory: Buffered, block: u32, thread: u32, whole: bool) {
        let stores = self.buffer(memory, block, thread).take_all();
        self.stats.flushed(memory, stores.len());
        let most = self.settings.size.saturating_mul(self.threads_per_block as usize);
        for store in stores {
            self.flush_block_bytes(memory, block, store.at, store.len);
            if whole || !self.chance() {
                self.leave(memory, store);
                continue;
            }
            let buffer = &mut self.block(block).buffer;
            buffer.push(store);
            if buffer.len() > most
                && let Some(oldest) = buffer.take_oldest()
            {
                self.no_longer_waits(&oldest);
                self.reach_memory(memory, oldest, true);
            }
        }
    }

    fn flush_block(&mut self, block: u32) {
        for store in self.block(block).buffer.take_all() {
            self.no_longer_waits(&store);
            self.reach_memory(Buffered::Global, store, true);
        }
    }

    /// A store that was in the buffer of its thread reaches memory.
    fn leave(&mut self, memory: Buffered, store: Store) {
        self.flush_block_bytes(memory, store.by.block, store.at, store.len);
        self.no_longer_waits(&store);
        self.reach_memory(memory, store, false);
    }

    /// Any one of the stores that wait reaches memory; false if none waits.
    fn leave_at_random(&mut self, memory: Buffered) -> bool {
        let is_global = memory == Buffered::Global;
        let of_block = |state: &BlockState| {
            let own = |thread: &Thread| match memory {
                Buffered::Shared => thread.shared.len(),
                Buffered::Global => thread.global.len(),
            };
            let seen = if is_global { state.buffer.len() } else { 0 };
            seen + state.threads.iter().map(own).sum::<usize>()
        };
        let counts: Vec<(u32, usize)> =
            self.live_blocks().into_iter().map(|b| (b, of_block(&self.blocks[&b]))).collect();
        let all: usize = counts.iter().map(|(_, count)| count).sum();
        if all == 0 {
            return false;
        }
        let mut n = self.random.below(all);
        let mut chosen = 0;
        for (block, count) in counts {
            if n < count {
                chosen = block;
                break;
            }
            n -= count;
        }
        let state = self.block(chosen);
        if is_global {
            if n < state.buffer.len() {
                let store = state.buffer.take_nth(n);
                store.iter().for_each(|store| self.no_longer_waits(store));
                store.into_iter().for_each(|store| self.reach_memory(memory, store, true));
                return true;
            }
            n -= state.buffer.len();
        }
        for thread in 0..state.threads.len() as u32 {
            let buffer = self.buffer(memory, chosen, thread);
            if n < buffer.len() {
                let store = buffer.take_nth(n);
                store.into_iter().for_each(|store| self.leave(memory, store));
                return true;
            }
            n -= buffer.len();
        }
        false
    }

    fn reach_memory(&mut self, memory: Buffered, store: Store, known_to_block: bool) {
        let Store { at, len, value, by } = store;
        let old = self.ram.read(at, len);
        self.ram.write(at, len, value);
        self.now += 1;
        self.changes += u64::from(self.ram.read(at, len) != old);
        self.record(memory, by, at, len, old, known_to_block);
    }

    /// Notes what words were before bytes in them were written just now.
    fn record(
        &mut self,
        memory: Buffered,
        by: Party,
        at: usize,
        len: usize,
        old: u64,
        known_to_block: bool,
    ) {
        let now = self.now;
        if self.settings.probability == 0.0 {
            return;
        }
        for word in words(at, len) {
            let value = self.ram.read(word, history::WORD) as u32;
            let mut before = value;
            for byte in word.max(at)..(word + history::WORD).min(at + len) {
                let shift = 8 * (byte - word);
                before =
                    before & !(0xff << shift) | ((old >> (8 * (byte - at)) & 0xff) as u32) << shift;
            }
            let past = Past { time: now, value, by: Some(by), known_to_block };
            match memory {
                Buffered::Shared => self.block(by.block).history.record(word, before, past),
                Buffered::Global => self.history.record(word, before, past),
            }
        }
        self.has_seen(memory, by, at, len, now);
    }

    fn wait(&mut self, store: &Store) {
        for word in words(store.at, store.len) {
            self.waiting.entry(word).or_default().push(store.by);
        }
    }

    fn no_longer_waits(&mut self, store: &Store) {
        for word in words(store.at, store.len) {
            let Some(parties) = self.waiting.get_mut(&word) else { continue };
            if let Some(i) = parties.iter().position(|party| *party == store.by) {
                parties.swap_remove(i);
            }
            if parties.is_empty() {
                self.waiting.remove(&word);
            }
        }
    }

    // Early loads.

    fn is_early(&mut self, strength: Strength) -> bool {
        if self.exact_at == Some(self.now) {
            return false;
        }
        let part = match strength {
            Strength::Plain => 1.0,
            Strength::Strong if self.reorders_strong => STRONG_LOADS,
            Strength::Strong => 0.0,
        };
        let probability = self.settings.probability * part;
        probability > 0.0 && self.random.chance(probability)
    }

    fn history(&self, memory: Buffered, block: u32, word: usize) -> &[Past] {
        match memory {
            Buffered::Shared => self.blocks.get(&block).map_or(&[], |b| b.history.of(word)),
            Buffered::Global => self.history.of(word),
        }
    }

    /// Notes that a thread has read or written a value of some time.
    fn has_seen(&mut self, memory: Buffered, by: Party, at: usize, len: usize, time: u64) {
        if self.settings.probability == 0.0 || by.thread >= self.threads_per_block {
            return;
        }
        for word in words(at, len) {
            if !self.history(memory, by.block, word).is_empty() {
                let seen = self.thread(by.block, by.thread).seen.entry(word).or_insert(0);
                *seen = time.max(*seen);
            }
        }
    }

    /// The oldest time whose values a load may have.
    fn earliest(&self, memory: Buffered, by: Party, at: usize, len: usize) -> u64 {
        let own = &self.blocks[&by.block].threads[by.thread as usize];
        let mut earliest = match memory {
            Buffered::Shared => own.floors.shared,
            Buffered::Global => own.floors.device,
        };
        for word in words(at, len) {
            earliest = earliest.max(own.seen.get(&word).copied().unwrap_or(0));
            let values = self.history(memory, by.block, word);
            // Older values are not kept.
            earliest = earliest.max(values.first().map_or(0, |past| past.time));
            if memory == Buffered::Shared {
                continue;
            }
            let is_known = |past: &&Past| {
                past.by.is_some_and(|writer| writer.block == by.block)
                    && (past.known_to_block || past.time <= own.floors.block)
            };
            let known = values.iter().rev().find(is_known);
            earliest = earliest.max(known.map_or(0, |past| past.time));
        }
        earliest
    }

    /// The time that an early load has: the oldest in half of the cases.
    fn early_time(&mut self, memory: Buffered, by: Party, at: usize, len: usize) -> Option<u64> {
        if words(at, len).all(|word| self.history(memory, by.block, word).is_empty()) {
            return None;
        }
        let earliest = self.earliest(memory, by, at, len);
        let later = |this: &Self, n: usize| {
            let values = words(at, len).flat_map(|word| this.history(memory, by.block, word));
            let mut times = values.map(|past| past.time).filter(|time| *time > earliest);
            (times.nth(n), n + times.count())
        };
        let count = match later(self, 0) {
            (None, _) => 0,
            (Some(_), others) => 1 + others,
        };
        let oldest = self.random.chance(0.5);
        let n = self.random.below(1 + count);
        let chosen = if oldest || n == 0 { None } else { later(self, n - 1).0 };
        Some(chosen.unwrap_or(earliest))
    }

    /// The bytes that memory held at a time.
    fn value_at(
        &mut self,
        memory: Buffered,
        by: Party,
        (at, len): (usize, usize),
        latest: u64,
        time: u64,
        (object, offset): (usize, u64),
    ) -> u64 {
        let mut value = latest;
        let mut missed = None;
        for word in words(at, len) {
            let values = self.history(memory, by.block, word);
            let Some(past) = value_at(values, time) else { continue };
            let later = values.iter().find(|past| past.time > time);
            missed = missed.or(later.and_then(|past| past.by));
            for byte in word.max(at)..(word + history::WORD).min(at + len) {
                let old = u64::from(past >> (8 * (byte - word)) & 0xff);
                let shift = 8 * (byte - at);
                value = value & !(0xff << shift) | old << shift;
            }
        }
        if let Some(store) = missed.filter(|_| value != latest) {
            self.note(Missed { store, load: by, object, offset, len });
        }
        value
    }

    /// Notes stores of others to these bytes that still wait.
    fn note_waiting(&mut self, by: Party, at: usize, len: usize, (object, offset): (usize, u64)) {
        if self.waiting.is_empty() {
            return;
        }
        let is_other = |p: &&Party| (p.block, p.thread) != (by.block, by.thread);
        let mut waiting = words(at, len).filter_map(|word| self.waiting.get(&word)).flatten();
        if let Some(&store) = waiting.find(is_other) {
            self.note(Missed { store, load: by, object, offset, len });
        }
    }

    fn note(&mut self, missed: Missed) {
        let key = (missed.store.site.0, missed.load.site.0);
        if self.missed.len() < MOST_MISSED {
            self.missed.entry(key).or_insert(missed);
        }
    }
}
