//! Orders finer than a barrier's: atomics, flags, fences, partial barriers.
//!
//! Two happens-before relations are kept side by side, because the interface
//! distinguishes them: in the *generous* one every atomic (and every volatile
//! flag) synchronises; in the *strict* one, as in PTX, such operations are
//! relaxed and synchronise only through a fence before the release and a fence
//! or barrier after the acquire, unless the operation itself has the order. Two
//! accesses ordered only generously lack a fence, but for one case: operations on
//! one location have one order, so that whoever has read a counter by an atomic, or a flag
//! that it waits for, may then write it plainly after all that came before ([`Sync::is_coherent`]).
//!
//! Instead of vector clocks, which would take a word per thread for each thread,
//! every synchronisation variable keeps the log of its releases, and a thread
//! knows *prefixes* of logs: a short list of (variable, length). Whether a thread
//! knows another one's access is asked only where a conflict was seen, and is a
//! search in the logs' indices. An operation costs the length of that list.
//!
//! A fence before a barrier counts for the block's releases behind the barrier as well: `__threadfence()` is sequentially
//! consistent, and so comes before the fence of whoever reads what was released, which could not have read it otherwise.
//!
//! What it can miss: a fence that is not sequentially consistent is taken for one that is; a thread is credited with everything released to a variable
//! before it read it, also when the value it read came from a particular release
//! (release sequences are taken as unbroken). So it may call a racy pair ordered,
//! never the reverse. Reads-from through memory that is neither atomic nor
//! volatile creates no order.

use std::cell::RefCell;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use lockstep_kernel::{Order, Scope};

/// Block number in the upper half, thread in the lower.
pub(crate) type ThreadKey = u64;

fn block_of(thread: ThreadKey) -> u32 {
    (thread >> 32) as u32
}

/// Prefixes of logs, sorted by variable.
type Knowledge = Vec<(u32, u32)>;

fn learn(k: &mut Knowledge, variable: u32, len: u32) {
    match k.binary_search_by_key(&variable, |e| e.0) {
        Ok(i) => k[i].1 = k[i].1.max(len),
        Err(i) => k.insert(i, (variable, len)),
    }
}

/// How much of a variable's log is known, if anything.
fn prefix(k: &[(u32, u32)], variable: u32) -> Option<u32> {
    k.binary_search_by_key(&variable, |e| e.0).ok().map(|i| k[i].1)
}

/// So many times longer has a list to be for a search of each of the others' entries to be cheaper than going through both.
const FEW: usize = 8;

fn join(k: &mut Knowledge, other: &Knowledge) {
    if other.len() * FEW < k.len() {
        other.iter().for_each(|&(v, len)| learn(k, v, len));
        return;
    }
    // Mostly both know of the same variables.
    let mut i = 0;
    let mut missing = 0;
    for &(v, len) in other {
        while i < k.len() && k[i].0 < v {
            i += 1;
        }
        match k.get_mut(i) {
            Some(known) if known.0 == v => known.1 = known.1.max(len),
            _ => missing += 1,
        }
    }
    if missing == 0 {
        return;
    }
    // What is missing is put between the others, from the end on.
    let mut from = k.len();
    let mut to = from + missing;
    k.resize(to, (0, 0));
    for &entry in other.iter().rev() {
        while from > 0 && k[from - 1].0 > entry.0 {
            (from, to) = (from - 1, to - 1);
            k[to] = k[from];
        }
        if from == 0 || k[from - 1].0 < entry.0 {
            to -= 1;
            k[to] = entry;
        }
    }
}

/// Times of the last fences of a block's threads, in the order of their numbers; 0 where there was none.
type Fences = Arc<[u32]>;

/// A release to a variable; its place in the log is its number there.
#[derive(Clone, Copy)]
struct Release {
    thread: ThreadKey,
    at: Moment,
}

/// Who released to a synchronisation variable, when, knowing what: in one of the relations.
#[derive(Default)]
struct Log {
    releases: Vec<Release>,
    /// For each block what its threads had fenced before the barrier behind which one of them released.
    by_fence: FxHashMap<u32, Vec<(u32, Fences)>>,
    /// What the releases so far knew, together.
    knowledge: Knowledge,
    /// Made where somebody asks: most logs are never searched.
    index: RefCell<Index>,
}

/// The releases of a log by who made them.
#[derive(Default)]
struct Index {
    /// Releases that are in it.
    len: usize,
    /// For each thread its releases: (position, clock).
    by_thread: FxHashMap<ThreadKey, Vec<(u32, u32)>>,
    /// For each block the releases of its threads: (position, time of the last
    /// barrier of the block before it). They release what the whole block did
    /// before that barrier.
    by_block: FxHashMap<u32, Vec<(u32, u32)>>,
}

impl Index {
    fn extend(&mut self, releases: &[Release]) {
        for (i, r) in releases.iter().enumerate().skip(self.len) {
            if r.at.clock > 0 {
                self.by_thread.entry(r.thread).or_default().push((i as u32, r.at.clock));
            }
            if r.at.barrier > 0 {
                let block = self.by_block.entry(block_of(r.thread)).or_default();
                block.push((i as u32, r.at.barrier));
            }
        }
        self.len = releases.len();
    }
}

impl Log {
    fn len(&self) -> u32 {
        self.releases.len() as u32
    }

    /// Adds a release of what a thread and its block know.
    fn release(&mut self, thread: ThreadKey, at: Moment, knowledge: [&Knowledge; 2]) {
        self.releases.push(Release { thread, at });
        knowledge.into_iter().for_each(|k| join(&mut self.knowledge, k));
    }

    /// What reading variable `id` now teaches.
    fn teach(&self, id: u32, k: &mut Knowledge) {
        join(k, &self.knowledge);
        learn(k, id, self.len());
    }

    /// Whether `other`, or its whole block, released what it did at `clock` within the first `len` releases.
    fn releases(&self, len: u32, other: ThreadKey, clock: u32) -> bool {
        // Positions and clocks both grow: the last one within the prefix.
        let released = |releases: &Vec<(u32, u32)>| {
            let n = releases.partition_point(|r| r.0 < len);
            n > 0 && releases[n - 1].1 >= clock
        };
        let block = block_of(other);
        let fenced = |releases: &Vec<(u32, Fences)>| {
            let n = releases.partition_point(|r| r.0 < len);
            let of_other = |f: &Fences| f.get(other as u32 as usize).copied().unwrap_or(0);
            n > 0 && of_other(&releases[n - 1].1) >= clock
        };
        let mut index = self.index.borrow_mut();
        index.extend(&self.releases);
        index.by_thread.get(&other).is_some_and(released)
            || index.by_block.get(&block).is_some_and(released)
            || self.by_fence.get(&block).is_some_and(fenced)
    }

    /// Whether `other` itself released at `clock` or later within the first `len` releases.
    fn is_in(&self, len: u32, other: ThreadKey, clock: u32) -> bool {
        let mut index = self.index.borrow_mut();
        index.extend(&self.releases);
        let releases = index.by_thread.get(&other);
        releases.is_some_and(|r| r.iter().any(|&(at, when)| at < len && when >= clock))
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Variable {
    /// A location, among all blocks or (with the block) among one.
    Place { object: u32, offset: u64, block: Option<u32> },
    /// A meeting of some threads: a partial barrier of a warp.
    Meeting(u32),
    /// A named barrier of a block, before one of its openings.
    Named { block: u32, id: u32, generation: u32 },
}

/// How far a release reaches back: the releasing thread's own accesses, and those
/// of its whole block.
#[derive(Clone, Copy, Default)]
struct Moment {
    clock: u32,
    /// Time of the last barrier of the block; 0 before the first.
    barrier: u32,
}

/// What a thread did since its last fence, and before it.
#[derive(Default)]
struct Fenced {
    /// Time and knowledge at the last fence, by its scope.
    released_block: Option<(Moment, Arc<Knowledge>)>,
    released_device: Option<(Moment, Arc<Knowledge>)>,
    /// Learnt by relaxed reads, waiting for a fence.
    pending: Knowledge,
}

/// The two relations.
const GENEROUS: usize = 0;
const STRICT: usize = 1;

#[derive(Default)]
struct ThreadState {
    /// By relation: what it knows beyond what its block knows.
    known: [Knowledge; 2],
    /// How much of the generous logs it has read itself.
    read: Knowledge,
    /// Since it first fenced, or read without an order.
    fenced: Option<Fenced>,
}

#[derive(Default)]
struct BlockState {
    /// By relation: what all its threads know since they met.
    known: [Knowledge; 2],
    /// How much of the generous logs its threads have read before they met.
    read: Knowledge,
    /// Time of the last barrier of all its threads.
    barrier: u32,
    /// What its threads had fenced for the device before that barrier.
    before_barrier: Option<Fences>,
    /// Whether there are such fences since then.
    newly_fenced: bool,
    threads: Vec<ThreadState>,
}

impl BlockState {
    fn thread(&mut self, thread: ThreadKey) -> &mut ThreadState {
        let t = thread as u32 as usize;
        if t >= self.threads.len() {
            self.threads.resize_with(t + 1, ThreadState::default);
        }
        &mut self.threads[t]
    }

    /// All that a thread knows, in one of the relations.
    fn known(&self, thread: ThreadKey, relation: usize) -> Knowledge {
        let of_thread = self.threads.get(thread as u32 as usize);
        let mut k = of_thread.map_or(Vec::new(), |t| t.known[relation].clone());
        join(&mut k, &self.known[relation]);
        k
    }

    fn moment(&self, clock: u32) -> Moment {
        Moment { clock, barrier: self.barrier }
    }

    /// The fences of the block, at a barrier that orders global memory.
    fn keep_fences(&mut self, threads: u32) {
        if !std::mem::take(&mut self.newly_fenced) {
            return;
        }
        let last_fence = |t: usize| {
            let fenced = self.threads.get(t).and_then(|t| t.fenced.as_ref());
            fenced.and_then(|f| f.released_device.as_ref()).map_or(0, |(at, _)| at.clock)
        };
        self.before_barrier = Some((0..threads as usize).map(last_fence).collect());
    }
}

/// Both relations of one launch.
#[derive(Default)]
pub(crate) struct Sync {
    variables: FxHashMap<Variable, u32>,
    /// By variable and relation.
    logs: Vec<[Log; 2]>,
    blocks: FxHashMap<u32, BlockState>,
    meetings: u32,
    /// Whether anything was ever released: before that no query can succeed.
    active: bool,
}

/// How two accesses that no barrier separates are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ordered {
    /// Under the memory model.
    Yes,
    /// Only if every atomic synchronised: a fence is missing.
    OnlyWithFences,
    No,
}

impl Sync {
    fn log(&mut self, v: Variable) -> u32 {
        let next = self.logs.len() as u32;
        let id = *self.variables.entry(v).or_insert(next);
        if id == next {
            self.logs.push(Default::default());
        }
        id
    }

    /// A read, write or both of an atomic or a flag by one thread. `clock` is the
    /// thread's time; its accesses so far have at most that.
    pub(crate) fn operation(
        &mut self,
        thread: ThreadKey,
        clock: u32,
        place: (u32, u64),
        reads: bool,
        writes: bool,
        order: Order,
        scope: Scope,
    ) {
        self.active = true;
        let number = block_of(thread);
        let (object, offset) = place;
        let near = self.log(Variable::Place { object, offset, block: Some(number) });
        let wide = scope >= Scope::Device;
        let far = wide.then(|| self.log(Variable::Place { object, offset, block: None }));
        let block = self.blocks.entry(number).or_default();
        let now = block.moment(clock);
        block.thread(thread);
        let BlockState { known, before_barrier, threads, .. } = block;
        let state = &mut threads[thread as u32 as usize];
        for id in [Some(near), far].into_iter().flatten() {
            let is_far = Some(id) == far;
            let [generous, strict] = &mut self.logs[id as usize];
            if reads {
                generous.teach(id, &mut state.known[GENEROUS]);
                learn(&mut state.read, id, generous.len());
            }
            if writes {
                generous.release(thread, now, [&state.known[GENEROUS], &known[GENEROUS]]);
            }
            if reads {
                let taught = match order.acquires() {
                    true => &mut state.known[STRICT],
                    false => &mut state.fenced.get_or_insert_default().pending,
                };
                strict.teach(id, taught);
            }
            if writes && order.releases() {
                strict.release(thread, now, [&state.known[STRICT], &known[STRICT]]);
            } else if writes {
                let fenced = state.fenced.as_ref();
                let released = fenced.and_then(|f| {
                    let by_scope = if is_far { &f.released_device } else { &f.released_block };
                    by_scope.as_ref()
                });
                let fences = before_barrier.as_ref().filter(|_| is_far);
                if let Some(fences) = fences {
                    let of_block = strict.by_fence.entry(number).or_default();
                    of_block.push((strict.releases.len() as u32, fences.clone()));
                }
                match released {
                    Some((at, known)) => strict.release(thread, *at, [known, &Vec::new()]),
                    None if fences.is_some() => {
                        strict.release(thread, Moment::default(), [&Vec::new(), &Vec::new()]);
                    }
                    None => {}
                }
            }
        }
    }

    pub(crate) fn fence(&mut self, thread: ThreadKey, clock: u32, scope: Scope) {
        if scope < Scope::Block {
            return;
        }
        self.active = true;
        let block = self.blocks.entry(block_of(thread)).or_default();
        let now = block.moment(clock);
        let state = block.thread(thread);
        let pending = std::mem::take(&mut state.fenced.get_or_insert_default().pending);
        join(&mut state.known[STRICT], &pending);
        let known = Arc::new(block.known(thread, STRICT));
        let f = block.thread(thread).fenced.get_or_insert_default();
        if scope >= Scope::Device {
            f.released_device = Some((now, known.clone()));
        }
        f.released_block = Some((now, known));
        block.newly_fenced |= scope >= Scope::Device;
    }

    /// A barrier of the whole block: it completes the acquires of its threads
    /// and shares what they know. Releases stay as they are: a barrier is a
    /// fence among the block's threads only.
    /// `global` says whether it orders accesses to global memory.
    pub(crate) fn block_barrier(&mut self, block: u32, clock: u32, threads: u32, global: bool) {
        let block = self.blocks.entry(block).or_default();
        if global {
            block.barrier = clock;
        }
        if !self.active {
            return;
        }
        if global {
            block.keep_fences(threads);
        }
        // What one of them knows now, all know.
        for t in &mut block.threads {
            if let Some(f) = &t.fenced {
                join(&mut block.known[STRICT], &f.pending);
            }
            for (all, known) in block.known.iter_mut().zip(&t.known) {
                join(all, known);
            }
            join(&mut block.read, &t.read);
            t.known.iter_mut().for_each(Vec::clear);
            t.read.clear();
        }
        let now = Moment { clock, barrier: block.barrier };
        let known = Arc::new(block.known[STRICT].clone());
        for f in block.threads.iter_mut().filter_map(|t| t.fenced.as_mut()) {
            f.pending.clear();
            f.released_block = Some((now, known.clone()));
        }
    }

    /// Some threads meet: a `__syncwarp` of part of a warp.
    pub(crate) fn meeting(&mut self, threads: &[ThreadKey], clock: u32) {
        self.meetings += 1;
        self.meet(Variable::Meeting(self.meetings), threads, clock, true);
    }

    /// Threads come to a named barrier; those that only arrive do not wait, and
    /// learn nothing.
    pub(crate) fn named(
        &mut self,
        block: u32,
        (id, generation): (u32, u32),
        threads: &[ThreadKey],
        clock: u32,
        wait: bool,
    ) {
        self.meet(Variable::Named { block, id, generation }, threads, clock, wait);
    }

    /// Threads learn what came before an opening of a named barrier.
    pub(crate) fn learn_opening(
        &mut self,
        block: u32,
        (id, generation): (u32, u32),
        threads: &[ThreadKey],
    ) {
        let log = self.log(Variable::Named { block, id, generation });
        self.teach_all(log, threads);
    }

    fn teach_all(&mut self, id: u32, threads: &[ThreadKey]) {
        for &t in threads {
            let state = self.blocks.entry(block_of(t)).or_default().thread(t);
            for (log, known) in self.logs[id as usize].iter().zip(&mut state.known) {
                log.teach(id, known);
            }
        }
    }

    fn meet(&mut self, v: Variable, threads: &[ThreadKey], clock: u32, wait: bool) {
        self.active = true;
        let id = self.log(v);
        for &t in threads {
            let block = self.blocks.entry(block_of(t)).or_default();
            let now = block.moment(clock);
            block.thread(t);
            let state = &block.threads[t as u32 as usize];
            for (r, log) in self.logs[id as usize].iter_mut().enumerate() {
                log.release(t, now, [&state.known[r], &block.known[r]]);
            }
        }
        if wait {
            self.teach_all(id, threads);
        }
    }

    fn knows(&self, relation: usize, thread: ThreadKey, other: ThreadKey, clock: u32) -> bool {
        let Some(block) = self.blocks.get(&block_of(thread)) else { return false };
        let of_thread = block.threads.get(thread as u32 as usize);
        let mine = of_thread.map_or(&[][..], |t| &t.known[relation]);
        let all = &block.known[relation];
        let longest = mine.iter().map(|&(v, len)| (v, len.max(prefix(all, v).unwrap_or(0))));
        let others = all.iter().filter(|e| prefix(mine, e.0).is_none()).copied();
        let mut known = longest.chain(others);
        known.any(|(v, len)| self.logs[v as usize][relation].releases(len, other, clock))
    }

    /// Is `other`'s access at `clock` before what `thread` does now?
    pub(crate) fn ordered(&self, thread: ThreadKey, other: ThreadKey, clock: u32) -> Ordered {
        if !self.active || !self.knows(GENEROUS, thread, other, clock) {
            Ordered::No
        } else if self.knows(STRICT, thread, other, clock) {
            Ordered::Yes
        } else {
            Ordered::OnlyWithFences
        }
    }

    /// Has `thread`, or its block before a barrier, read a location by an atomic, or waiting for it, after what `other` did
    /// to it at `clock`?
    pub(crate) fn is_coherent(
        &self,
        thread: ThreadKey,
        other: ThreadKey,
        clock: u32,
        place: (u32, u64),
    ) -> bool {
        let v = Variable::Place { object: place.0, offset: place.1, block: None };
        let Some(id) = self.variables.get(&v) else { return false };
        let Some(block) = self.blocks.get(&block_of(thread)) else { return false };
        let of_thread = block.threads.get(thread as u32 as usize).map(|t| &t.read);
        let read = [of_thread, Some(&block.read)];
        let len = read.into_iter().flatten().filter_map(|k| prefix(k, *id)).max().unwrap_or(0);
        self.logs[*id as usize][GENEROUS].is_in(len, other, clock)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lists of all lengths: joined in one pass, they are what one entry after the other gives.
    #[test]
    fn joined_lists_hold_what_both_hold() {
        let mut state = 1u32;
        let mut next = |n: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % n
        };
        for round in 0..2000 {
            let mut list = |most: u32| {
                let mut k = Knowledge::new();
                for _ in 0..next(most) {
                    learn(&mut k, next(40), next(9));
                }
                k
            };
            let other = list(if round % 2 == 0 { 40 } else { 4 });
            let mut joined = list(40);
            let mut one_by_one = joined.clone();
            join(&mut joined, &other);
            other.iter().for_each(|&(v, len)| learn(&mut one_by_one, v, len));
            assert_eq!(joined, one_by_one);
            assert!(joined.is_sorted_by(|a, b| a.0 < b.0));
        }
    }
}
