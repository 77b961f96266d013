//! Orders finer than a barrier's: atomics, flags, fences, partial barriers.
//!
//! Two happens-before relations are kept, because the interface distinguishes them: in the *generous* one every atomic
//! (and every volatile flag) synchronises; in the *strict* one, as in PTX, such operations are relaxed and synchronise
//! only through a fence before the release and a fence or barrier after the acquire, unless the operation itself has
//! the order. Two accesses ordered only by the generous relation lack a fence, with one exception: operations on one
//! location have a single coherence order, so a thread that has read a counter by an atomic, or a flag that it waits
//! for, may then write it without an atomic, after everything that came before ([`HappensBefore::is_coherent`]).
//!
//! Instead of vector clocks, which would take a word per thread for each thread, every synchronisation variable keeps a
//! log of its releases, and a thread knows *prefixes* of logs: a short list of (variable, length). Whether a thread
//! knows of another thread's access is only checked where a conflict was seen, by a search in the logs' indices. The
//! cost of an operation is the length of that list.
//!
//! Threads that synchronise at a barrier share their knowledge. A whole block, or a whole warp, does so as a unit: a
//! release covers all accesses of its threads up to their last barrier, and nothing is recorded for single threads.
//! Other sets of threads (part of a warp, the threads at a named barrier) have a log for each set.
//!
//! A fence before a barrier also counts for the later releases of all other threads, and a fence after it for what
//! others had read before: `__threadfence()` is sequentially consistent, and so precedes the fence of a thread that
//! reads what was released: that thread could not have read it otherwise. A barrier of the block counts as a fence
//! after such a read, `__syncwarp()` does not.
//!
//! A volatile access is relaxed. A read whose value goes on into data, and does not only poll a flag or decide a branch, may
//! as well read data, with a race: without a fence after it, it orders nothing, not even in the generous relation.
//!
//! What it can miss: every fence is treated as sequentially consistent; a thread is assumed to synchronise with
//! everything released to a variable before it read it, also when the value it read came from one particular release
//! (release sequences are assumed unbroken). So it may consider a racy pair ordered, never the reverse. Reads-from
//! through memory that is neither atomic nor volatile creates no order.

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

/// The length of the known prefix of a variable's log, if any.
fn prefix(k: &[(u32, u32)], variable: u32) -> Option<u32> {
    k.binary_search_by_key(&variable, |e| e.0).ok().map(|i| k[i].1)
}

/// If a list is this many times longer than another, a binary search for each entry of the shorter one is faster than
/// merging.
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
    // Inserts the missing entries, starting at the end.
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

/// A release to a variable; its position in the log is its number.
#[derive(Clone, Copy)]
struct Release {
    thread: ThreadKey,
    at: Moment,
}

/// The releases to a synchronisation variable in one of the relations: by which thread, when, with which knowledge.
#[derive(Default)]
struct Log {
    releases: Vec<Release>,
    /// The combined knowledge of the releases so far.
    knowledge: Knowledge,
    /// Built on first use: most logs are never searched.
    index: RefCell<Index>,
}

/// The releases of a log by thread, warp and block.
#[derive(Default)]
struct Index {
    /// Number of releases in the index.
    len: usize,
    /// For each thread its releases: (position, clock).
    by_thread: FxHashMap<ThreadKey, Vec<(u32, u32)>>,
    /// For each warp the releases of its threads: (position, time of the warp's last barrier before it), if the block
    /// has not synchronised since.
    by_warp: FxHashMap<ThreadKey, Vec<(u32, u32)>>,
    /// For each block the releases of its threads: (position, time of the last barrier of the block before it). They
    /// release everything that the whole block did before that barrier.
    by_block: FxHashMap<u32, Vec<(u32, u32)>>,
}

impl Index {
    fn extend(&mut self, releases: &[Release], lane_bits: u32) {
        // A thread that knows a release knows the earlier ones: the later of two fences counts, whichever release came
        // last.
        let push = |list: &mut Vec<(u32, u32)>, i: usize, time: u32| {
            let before = list.last().map_or(0, |r| r.1);
            list.push((i as u32, time.max(before)));
        };
        for (i, r) in releases.iter().enumerate().skip(self.len) {
            if r.at.clock > 0 {
                push(self.by_thread.entry(r.thread).or_default(), i, r.at.clock);
            }
            if r.at.warp > r.at.block {
                push(self.by_warp.entry(r.thread >> lane_bits).or_default(), i, r.at.warp);
            }
            if r.at.block > 0 {
                push(self.by_block.entry(block_of(r.thread)).or_default(), i, r.at.block);
            }
        }
        self.len = releases.len();
    }
}

impl Log {
    fn len(&self) -> u32 {
        self.releases.len() as u32
    }

    /// Adds a release of the knowledge of a thread, its warp and its block.
    fn release<'k>(
        &mut self,
        thread: ThreadKey,
        at: Moment,
        knowledge: impl IntoIterator<Item = &'k Knowledge>,
    ) {
        self.releases.push(Release { thread, at });
        knowledge.into_iter().for_each(|k| join(&mut self.knowledge, k));
    }

    /// Adds the knowledge gained by reading variable `id` now.
    fn teach(&self, id: u32, k: &mut Knowledge) {
        join(k, &self.knowledge);
        learn(k, id, self.len());
    }

    /// Whether `other`, or its whole warp or block, released its access at `clock` within the first `len` releases.
    fn releases(&self, len: u32, other: ThreadKey, clock: u32, lane_bits: u32) -> bool {
        // Positions and clocks both increase: the last one within the prefix decides.
        let released = |releases: &Vec<(u32, u32)>| {
            let n = releases.partition_point(|r| r.0 < len);
            n > 0 && releases[n - 1].1 >= clock
        };
        let mut index = self.index.borrow_mut();
        index.extend(&self.releases, lane_bits);
        index.by_thread.get(&other).is_some_and(released)
            || index.by_warp.get(&(other >> lane_bits)).is_some_and(released)
            || index.by_block.get(&block_of(other)).is_some_and(released)
    }

    /// Whether `other` itself released at `clock` or later within the first `len` releases.
    fn is_in(&self, len: u32, other: ThreadKey, clock: u32, lane_bits: u32) -> bool {
        let mut index = self.index.borrow_mut();
        index.extend(&self.releases, lane_bits);
        let releases = index.by_thread.get(&other);
        releases.is_some_and(|r| r.iter().any(|&(at, when)| at < len && when >= clock))
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Variable {
    /// A memory location, for all blocks or (with the block) for one.
    Place { object: u32, offset: u64, block: Option<u32> },
    /// Threads that synchronise at a barrier.
    Meeting(Meeting),
    /// What they had fenced for the block or the device before the barrier.
    Fenced(Meeting, usize),
}

/// A set of threads that synchronise with each other at barriers. At each barrier they gain the knowledge of all of
/// them.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Meeting {
    Block(u32),
    /// A whole warp, by the thread of its lane 0.
    Warp(ThreadKey),
    /// Some lanes of a warp.
    Lanes(ThreadKey, u32),
    /// A named barrier of a block, at one of its openings.
    Named {
        block: u32,
        id: u32,
        generation: u32,
    },
}

/// The extent of a release: the releasing thread's own accesses, and those of its whole warp and of its whole block.
#[derive(Clone, Copy, Default)]
struct Moment {
    clock: u32,
    /// Time of the last barrier of the whole warp; 0 before the first.
    warp: u32,
    /// Time of the last barrier of the block; 0 before the first.
    block: u32,
}

/// The two relations.
const GENEROUS: usize = 0;
const STRICT: usize = 1;

/// The scope of a fence: the block, or the device.
const NEAR: usize = 0;
const FAR: usize = 1;

/// Knowledge from relaxed reads, by the smallest fence scope that completes them, and by relation.
type Pending = [[Knowledge; 2]; 2];

/// The knowledge of a single thread, or the shared knowledge of a warp or block since its last barrier.
#[derive(Default)]
struct Share {
    /// The knowledge, by relation.
    known: [Knowledge; 2],
    /// The prefixes of the generous logs that it has read.
    read: Knowledge,
    /// Gained by relaxed reads, pending until a fence.
    pending: Pending,
    /// By scope: what others had fenced before the barrier.
    fenced: [Knowledge; 2],
}

impl Share {
    /// Takes the contents of another share, and leaves it empty.
    fn take(&mut self, other: &mut Share) {
        let [near, far] = &mut self.pending;
        let mine = [&mut self.known, near, far, &mut self.fenced];
        let [near, far] = &mut other.pending;
        let others = [&mut other.known, near, far, &mut other.fenced];
        for (mine, others) in mine.into_iter().flatten().zip(others.into_iter().flatten()) {
            join(mine, others);
            others.clear();
        }
        join(&mut self.read, &other.read);
        other.read.clear();
    }

    /// A fence of a scope, or a barrier of the block: pending reads become knowledge.
    fn acquire(&mut self, reach: usize) {
        for pending in &mut self.pending[..=reach] {
            for (known, pending) in self.known.iter_mut().zip(pending) {
                join(known, pending);
                pending.clear();
            }
        }
    }
}

#[derive(Default)]
struct ThreadState {
    own: Share,
    /// By scope: time and knowledge at the last fence.
    fence: [Option<(Moment, Arc<Knowledge>)>; 2],
}

#[derive(Default)]
struct WarpState {
    common: Share,
    /// Time of its last barrier.
    met: u32,
    /// Whether one of its threads has gained knowledge or executed a fence since then.
    news: bool,
}

#[derive(Default)]
struct BlockState {
    common: Share,
    /// Time of the last barrier of all its threads.
    met: u32,
    /// Whether one of its threads has gained knowledge or executed a fence since then.
    news: bool,
    warps: Vec<WarpState>,
    threads: Vec<ThreadState>,
}

/// A thread with its warp and its block.
struct Member<'a> {
    thread: &'a mut ThreadState,
    warp: &'a mut WarpState,
    block: &'a mut Share,
    now: Moment,
}

impl Member<'_> {
    fn known(&self, relation: usize) -> [&Knowledge; 3] {
        [&self.thread.own, &self.warp.common, &*self.block].map(|s| &s.known[relation])
    }

    /// What others had fenced before they synchronised with this thread.
    fn fenced(&self, scope: usize) -> [&Knowledge; 3] {
        [&self.thread.own, &self.warp.common, &*self.block].map(|s| &s.fenced[scope])
    }
}

impl BlockState {
    fn member(&mut self, thread: ThreadKey, clock: u32, lane_bits: u32) -> Member<'_> {
        let t = thread as u32 as usize;
        let w = t >> lane_bits;
        if t >= self.threads.len() {
            self.threads.resize_with(t + 1, ThreadState::default);
        }
        self.reach(w);
        let warp = &mut self.warps[w];
        let now = Moment { clock, warp: warp.met, block: self.met };
        Member { thread: &mut self.threads[t], warp, block: &mut self.common, now }
    }

    fn reach(&mut self, warp: usize) {
        if warp >= self.warps.len() {
            self.warps.resize_with(warp + 1, WarpState::default);
        }
    }

    /// The shares of a thread, its warp and its block.
    fn shares(&self, thread: ThreadKey, lane_bits: u32) -> impl Iterator<Item = &Share> {
        let t = thread as u32 as usize;
        let own = self.threads.get(t).map(|t| &t.own);
        let warp = self.warps.get(t >> lane_bits).map(|w| &w.common);
        own.into_iter().chain(warp).chain([&self.common])
    }

    fn has_news(&mut self, warp: usize) {
        self.news = true;
        self.warps[warp].news = true;
    }
}

/// Both relations of one launch.
#[derive(Default)]
pub(crate) struct HappensBefore {
    variables: FxHashMap<Variable, u32>,
    /// By variable and relation.
    logs: Vec<[Log; 2]>,
    /// By variable: what threads at a barrier have read without a fence since.
    pending: FxHashMap<u32, Pending>,
    blocks: FxHashMap<u32, BlockState>,
    lane_bits: u32,
    /// Whether anything was ever released: before that no check can succeed.
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

/// How an operation on a location synchronises.
#[derive(Clone, Copy)]
pub(crate) struct Effect {
    pub reads: bool,
    pub writes: bool,
    /// A volatile read that does not poll a flag: only a fence makes it an acquire.
    pub glance: bool,
    pub order: Order,
    pub scope: Scope,
}

impl HappensBefore {
    pub(crate) fn new(lane_bits: u32) -> HappensBefore {
        HappensBefore { lane_bits, ..HappensBefore::default() }
    }

    fn log(&mut self, v: Variable) -> u32 {
        let next = self.logs.len() as u32;
        let id = *self.variables.entry(v).or_insert(next);
        if id == next {
            self.logs.push(Default::default());
        }
        id
    }

    /// A read, write or read-modify-write of an atomic or a flag by one thread. `clock` is the thread's time; its
    /// accesses so far have at most that time.
    pub(crate) fn operation(
        &mut self,
        thread: ThreadKey,
        clock: u32,
        (object, offset): (u32, u64),
        effect: Effect,
    ) {
        let Effect { reads, writes, glance, order, scope } = effect;
        let number = block_of(thread);
        let near = Variable::Place { object, offset, block: Some(number) };
        let far = Variable::Place { object, offset, block: None };
        for (reach, v) in [(NEAR, near), (FAR, far)] {
            if reach == FAR && scope < Scope::Device {
                continue;
            }
            let id = match self.variables.get(&v) {
                Some(id) => *id,
                // No thread has released anything to this location.
                None if glance => continue,
                None => self.log(v),
            };
            self.active = true;
            let block = self.blocks.entry(number).or_default();
            let m = block.member(thread, clock, self.lane_bits);
            let [generous, strict] = &mut self.logs[id as usize];
            if reads && glance {
                let pending = &mut m.thread.own.pending[reach];
                generous.teach(id, &mut pending[GENEROUS]);
                strict.teach(id, &mut pending[STRICT]);
            } else if reads {
                generous.teach(id, &mut m.thread.own.known[GENEROUS]);
                learn(&mut m.thread.own.read, id, generous.len());
                let taught = match order.acquires() {
                    true => &mut m.thread.own.known[STRICT],
                    false => &mut m.thread.own.pending[reach][STRICT],
                };
                strict.teach(id, taught);
            }
            if writes {
                generous.release(thread, m.now, m.known(GENEROUS));
            }
            if writes && order.releases() {
                strict.release(thread, m.now, m.known(STRICT));
            } else if writes {
                let own = m.thread.fence[reach].as_ref();
                let met = m.fenced(reach);
                if own.is_some() || met.iter().any(|k| !k.is_empty()) {
                    let at = own.map_or(Moment::default(), |f| f.0);
                    strict.release(thread, at, own.map(|f| &*f.1).into_iter().chain(met));
                }
            }
            if reads {
                block.has_news((thread as u32 >> self.lane_bits) as usize);
            }
        }
    }

    pub(crate) fn fence(&mut self, thread: ThreadKey, clock: u32, scope: Scope) {
        if scope < Scope::Block {
            return;
        }
        self.active = true;
        let block = self.blocks.entry(block_of(thread)).or_default();
        let m = block.member(thread, clock, self.lane_bits);
        let reach = if scope >= Scope::Device { FAR } else { NEAR };
        m.thread.own.acquire(reach);
        for pending in &m.warp.common.pending[..=reach] {
            m.thread.own.known.iter_mut().zip(pending).for_each(|(known, k)| join(known, k));
        }
        let mut known = Knowledge::new();
        m.known(STRICT).into_iter().for_each(|k| join(&mut known, k));
        let fence = Some((m.now, Arc::new(known)));
        if scope >= Scope::Device {
            m.thread.fence[FAR] = fence.clone();
        }
        m.thread.fence[NEAR] = fence;
        block.has_news((thread as u32 >> self.lane_bits) as usize);
    }

    /// A barrier of the whole block: it completes the acquires of its threads and shares their knowledge. Releases are
    /// not affected: a barrier is a fence among the block's threads only. `global`: whether it orders accesses to
    /// global memory.
    pub(crate) fn block_barrier(&mut self, number: u32, clock: u32, global: bool) {
        let block = self.blocks.entry(number).or_default();
        let before = block.met;
        if global {
            block.met = clock;
        }
        if !self.active || !std::mem::take(&mut block.news) {
            return;
        }
        if global {
            let all = 0..block.threads.len() as u64;
            let first = u64::from(number) << 32;
            self.pass_fences(Meeting::Block(number), all.map(|t| first | t), before);
        }
        let Some(block) = self.blocks.get_mut(&number) else { return };
        let BlockState { common, warps, threads, .. } = block;
        threads.iter_mut().for_each(|t| common.take(&mut t.own));
        for w in warps {
            common.take(&mut w.common);
            w.news = false;
        }
        common.acquire(FAR);
    }

    /// The lanes of a whole warp synchronise, including those that have returned: `first` is the thread of lane 0.
    pub(crate) fn warp_barrier(&mut self, first: ThreadKey, clock: u32) {
        let block = self.blocks.entry(block_of(first)).or_default();
        let t = first as u32 as usize;
        let w = t >> self.lane_bits;
        block.reach(w);
        let warp = &mut block.warps[w];
        let before = std::mem::replace(&mut warp.met, clock);
        if !std::mem::take(&mut warp.news) {
            return;
        }
        let lanes =
            t.min(block.threads.len())..(t + (1 << self.lane_bits)).min(block.threads.len());
        let keys = lanes.clone().map(|l| first + (l - t) as u64);
        self.pass_fences(Meeting::Warp(first), keys, before);
        let Some(block) = self.blocks.get_mut(&block_of(first)) else { return };
        let common = &mut block.warps[w].common;
        block.threads[lanes].iter_mut().for_each(|t| common.take(&mut t.own));
    }

    /// Fences since `before` count for all threads at the barrier. See the beginning of this file.
    fn pass_fences(
        &mut self,
        who: Meeting,
        threads: impl Iterator<Item = u64> + Clone,
        before: u32,
    ) {
        for scope in [NEAR, FAR] {
            let mut id = None;
            for t in threads.clone() {
                let state = self.blocks.get(&block_of(t));
                let Some(state) = state.and_then(|b| b.threads.get(t as u32 as usize)) else {
                    continue;
                };
                let Some((at, known)) = state.fence[scope].clone().filter(|f| f.0.clock > before)
                else {
                    continue;
                };
                let log = *id.get_or_insert_with(|| self.log(Variable::Fenced(who, scope)));
                self.logs[log as usize][STRICT].release(t, at, [&*known]);
            }
            let Some(id) = id else { continue };
            let log = &self.logs[id as usize][STRICT];
            match who {
                Meeting::Block(number) => {
                    let block = self.blocks.entry(number).or_default();
                    log.teach(id, &mut block.common.fenced[scope]);
                }
                Meeting::Warp(first) => {
                    let block = self.blocks.entry(block_of(first)).or_default();
                    let m = block.member(first, 0, self.lane_bits);
                    log.teach(id, &mut m.warp.common.fenced[scope]);
                }
                Meeting::Lanes(..) | Meeting::Named { .. } => {}
            }
        }
    }

    /// Some lanes of a warp synchronise: a `__syncwarp` of part of it. `first` is the thread of lane 0.
    pub(crate) fn meeting(
        &mut self,
        first: ThreadKey,
        lanes: u32,
        threads: &[ThreadKey],
        clock: u32,
    ) {
        let who = Meeting::Lanes(first, lanes);
        self.come(who, threads, clock);
        self.go(who, threads);
    }

    /// Threads reach a named barrier; those that only arrive do not wait, and gain no knowledge.
    pub(crate) fn named(
        &mut self,
        block: u32,
        (id, generation): (u32, u32),
        threads: &[ThreadKey],
        clock: u32,
        wait: bool,
    ) {
        let who = Meeting::Named { block, id, generation };
        self.come(who, threads, clock);
        if wait {
            self.go(who, threads);
        }
    }

    /// Threads gain the knowledge released at an opening of a named barrier.
    pub(crate) fn learn_opening(
        &mut self,
        block: u32,
        (id, generation): (u32, u32),
        threads: &[ThreadKey],
    ) {
        self.go(Meeting::Named { block, id, generation }, threads);
    }

    /// Threads arrive at a barrier, and release their knowledge.
    fn come(&mut self, who: Meeting, threads: &[ThreadKey], clock: u32) {
        self.active = true;
        let id = self.log(Variable::Meeting(who));
        for &t in threads {
            let block = self.blocks.entry(block_of(t)).or_default();
            let m = block.member(t, clock, self.lane_bits);
            for (r, log) in self.logs[id as usize].iter_mut().enumerate() {
                log.release(t, m.now, m.known(r));
            }
            let pending = self.pending.entry(id).or_default();
            for share in [&m.thread.own, &m.warp.common] {
                let all = pending.iter_mut().flatten();
                all.zip(share.pending.iter().flatten()).for_each(|(all, k)| join(all, k));
            }
        }
        for scope in [NEAR, FAR] {
            let fenced = Variable::Fenced(who, scope);
            for &t in threads {
                let Some(block) = self.blocks.get_mut(&block_of(t)) else { continue };
                let m = block.member(t, clock, self.lane_bits);
                let own = m.thread.fence[scope].clone();
                let mut known = Knowledge::new();
                m.fenced(scope).into_iter().for_each(|k| join(&mut known, k));
                if own.is_none() && known.is_empty() {
                    continue;
                }
                let (at, fence) = own.unwrap_or_default();
                let log = self.log(fenced);
                self.logs[log as usize][STRICT].release(t, at, [&known, &*fence]);
            }
        }
    }

    /// Threads continue after a barrier, with the knowledge of all that arrived.
    fn go(&mut self, who: Meeting, threads: &[ThreadKey]) {
        let id = self.log(Variable::Meeting(who));
        let fenced = [NEAR, FAR].map(|s| self.variables.get(&Variable::Fenced(who, s)).copied());
        for &t in threads {
            let block = self.blocks.entry(block_of(t)).or_default();
            let own = &mut block.member(t, 0, self.lane_bits).thread.own;
            for (log, known) in self.logs[id as usize].iter().zip(&mut own.known) {
                log.teach(id, known);
            }
            let left = self.pending.get(&id).into_iter().flatten().flatten();
            left.zip(own.pending.iter_mut().flatten()).for_each(|(all, k)| join(k, all));
            for (id, k) in fenced.iter().zip(&mut own.fenced) {
                let Some(id) = *id else { continue };
                self.logs[id as usize][STRICT].teach(id, k);
            }
            // A barrier of the block, even if only for some of its threads.
            if matches!(who, Meeting::Named { .. }) {
                own.acquire(FAR);
            }
            block.has_news((t as u32 >> self.lane_bits) as usize);
        }
    }

    fn knows(&self, relation: usize, thread: ThreadKey, other: ThreadKey, clock: u32) -> bool {
        let Some(block) = self.blocks.get(&block_of(thread)) else { return false };
        let mut known = block.shares(thread, self.lane_bits).flat_map(|s| &s.known[relation]);
        known.any(|&(v, len)| {
            self.logs[v as usize][relation].releases(len, other, clock, self.lane_bits)
        })
    }

    /// Whether `other`'s access at `clock` happens before what `thread` does now.
    pub(crate) fn ordered(&self, thread: ThreadKey, other: ThreadKey, clock: u32) -> Ordered {
        if !self.active || !self.knows(GENEROUS, thread, other, clock) {
            Ordered::No
        } else if self.knows(STRICT, thread, other, clock) {
            Ordered::Yes
        } else {
            Ordered::OnlyWithFences
        }
    }

    /// Whether `thread`, or its warp or block before their last barrier, has read a location by an atomic, or while
    /// polling it, after `other`'s access to it at `clock`.
    pub(crate) fn is_coherent(
        &self,
        thread: ThreadKey,
        other: ThreadKey,
        clock: u32,
        (object, offset): (u32, u64),
    ) -> bool {
        let number = block_of(thread);
        let Some(block) = self.blocks.get(&number) else { return false };
        let of_block = (number == block_of(other)).then_some(number);
        [None, of_block].into_iter().any(|block_only| {
            let v = Variable::Place { object, offset, block: block_only };
            let Some(id) = self.variables.get(&v) else { return false };
            let shares = block.shares(thread, self.lane_bits);
            let len = shares.filter_map(|s| prefix(&s.read, *id)).max().unwrap_or(0);
            self.logs[*id as usize][GENEROUS].is_in(len, other, clock, self.lane_bits)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lists of all lengths: merging in one pass equals adding one entry after the other.
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
