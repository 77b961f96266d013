//! Orders finer than a barrier's: atomics, flags, fences, partial barriers.
//!
//! Two happens-before relations are kept side by side, because the interface
//! distinguishes them: in the *generous* one every atomic (and every volatile
//! flag) synchronises; in the *strict* one, as in PTX, such operations are
//! relaxed and synchronise only through a fence before the release and a fence
//! or barrier after the acquire, unless the operation itself has the order. Two
//! accesses ordered only generously lack a fence, but for one case: operations on
//! one location have one order, so that whoever has read a counter by an atomic may
//! then write it plainly after all atomics that came before ([`Sync::is_coherent`]).
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

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use lockstep_kernel::{Order, Scope};

/// Block number in the upper half, thread in the lower.
pub(crate) type ThreadKey = u64;

/// Prefixes of logs, sorted by variable.
type Knowledge = Vec<(u32, u32)>;

fn learn(k: &mut Knowledge, variable: u32, len: u32) {
    match k.binary_search_by_key(&variable, |e| e.0) {
        Ok(i) => k[i].1 = k[i].1.max(len),
        Err(i) => k.insert(i, (variable, len)),
    }
}

/// So many times longer has a list to be for a search of each of the others' entries to be cheaper than going through both.
const FEW: usize = 8;

fn join(k: &mut Knowledge, other: &Knowledge) {
    if other.len() * FEW < k.len() {
        other.iter().for_each(|&(v, len)| learn(k, v, len));
        return;
    }
    if k.is_empty() {
        k.clone_from(other);
        return;
    }
    let mut both = Vec::with_capacity(k.len() + other.len());
    let mut mine = k.iter().copied().peekable();
    for &(v, len) in other {
        while let Some(before) = mine.next_if(|m| m.0 < v) {
            both.push(before);
        }
        let known = mine.next_if(|m| m.0 == v).map_or(0, |m| m.1);
        both.push((v, len.max(known)));
    }
    both.extend(mine);
    *k = both;
}

/// Times of the last fences of a block's threads, in the order of their numbers; 0 where there was none.
type Fences = Arc<[u32]>;

/// One synchronisation variable: who released to it, when, knowing what.
#[derive(Default)]
struct Log {
    len: u32,
    /// For each thread its releases: (position, clock).
    by_thread: FxHashMap<ThreadKey, Vec<(u32, u32)>>,
    /// For each block the releases of its threads: (position, time of the last
    /// barrier of the block before it). They release what the whole block did
    /// before that barrier.
    by_block: FxHashMap<u32, Vec<(u32, u32)>>,
    /// For each block what its threads had fenced before the barrier behind which one of them released.
    by_fence: FxHashMap<u32, Vec<(u32, Fences)>>,
    /// What the releases so far knew, together.
    knowledge: Knowledge,
}

#[derive(Default)]
struct Relation {
    variables: FxHashMap<Variable, u32>,
    logs: Vec<Log>,
    threads: FxHashMap<ThreadKey, Knowledge>,
    blocks: FxHashMap<u32, Knowledge>,
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

impl Relation {
    fn log(&mut self, v: Variable) -> u32 {
        let next = self.logs.len() as u32;
        let id = *self.variables.entry(v).or_insert(next);
        if id == next {
            self.logs.push(Log::default());
        }
        id
    }

    fn known(&self, thread: ThreadKey) -> Knowledge {
        let mut k = self.threads.get(&thread).cloned().unwrap_or_default();
        if let Some(b) = self.blocks.get(&((thread >> 32) as u32)) {
            join(&mut k, b);
        }
        k
    }

    fn release(&mut self, id: u32, thread: ThreadKey, at: Moment, knowledge: &Knowledge) {
        self.release_fenced(id, thread, at, knowledge, None);
    }

    /// A release that also has what others of the block fenced before a barrier.
    fn release_fenced(
        &mut self,
        id: u32,
        thread: ThreadKey,
        at: Moment,
        knowledge: &Knowledge,
        fences: Option<Fences>,
    ) {
        let log = &mut self.logs[id as usize];
        let block = (thread >> 32) as u32;
        if at.clock > 0 {
            log.by_thread.entry(thread).or_default().push((log.len, at.clock));
        }
        if at.barrier > 0 {
            log.by_block.entry(block).or_default().push((log.len, at.barrier));
        }
        if let Some(fences) = fences {
            log.by_fence.entry(block).or_default().push((log.len, fences));
        }
        log.len += 1;
        join(&mut log.knowledge, knowledge);
    }

    /// What reading variable `id` now teaches.
    fn lesson(&self, id: u32) -> Knowledge {
        let log = &self.logs[id as usize];
        let mut k = log.knowledge.clone();
        learn(&mut k, id, log.len);
        k
    }

    fn teach(&mut self, thread: ThreadKey, lesson: &Knowledge) {
        join(self.threads.entry(thread).or_default(), lesson);
    }

    fn knows(&self, thread: ThreadKey, other: ThreadKey, clock: u32) -> bool {
        self.known(thread).iter().any(|&(v, len)| {
            let log = &self.logs[v as usize];
            // Positions and clocks both grow: the last one within the prefix.
            let released = |releases: &Vec<(u32, u32)>| {
                let n = releases.partition_point(|r| r.0 < len);
                n > 0 && releases[n - 1].1 >= clock
            };
            let block = (other >> 32) as u32;
            let fenced = |releases: &Vec<(u32, Fences)>| {
                let n = releases.partition_point(|r| r.0 < len);
                let of_other = |f: &Fences| f.get(other as u32 as usize).copied().unwrap_or(0);
                n > 0 && of_other(&releases[n - 1].1) >= clock
            };
            log.by_thread.get(&other).is_some_and(released)
                || log.by_block.get(&block).is_some_and(released)
                || log.by_fence.get(&block).is_some_and(fenced)
        })
    }

    /// All threads of a block meet: what one knows, all know.
    fn merge_block(&mut self, block: u32) {
        let mut all = self.blocks.remove(&block).unwrap_or_default();
        let lo = u64::from(block) << 32;
        self.threads.retain(|t, k| {
            let mine = *t >> 32 == lo >> 32;
            if mine {
                join(&mut all, k);
            }
            !mine
        });
        self.blocks.insert(block, all);
    }
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

/// Both relations of one launch.
#[derive(Default)]
pub(crate) struct Sync {
    generous: Relation,
    strict: Relation,
    fenced: FxHashMap<ThreadKey, Fenced>,
    /// How much of the generous logs threads, and by barriers their blocks, have read themselves.
    read_by: FxHashMap<ThreadKey, Knowledge>,
    read_in: FxHashMap<u32, Knowledge>,
    meetings: u32,
    /// Time of each block's last barrier of all its threads.
    barriers: FxHashMap<u32, u32>,
    /// What the threads of each block had fenced for the device before that barrier.
    before_barrier: FxHashMap<u32, Fences>,
    /// Blocks with such fences since then.
    newly_fenced: FxHashSet<u32>,
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
    fn moment(&self, thread: ThreadKey, clock: u32) -> Moment {
        let block = (thread >> 32) as u32;
        Moment { clock, barrier: self.barriers.get(&block).copied().unwrap_or(0) }
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
        let now = self.moment(thread, clock);
        let block = (thread >> 32) as u32;
        let near = Variable::Place { object: place.0, offset: place.1, block: Some(block) };
        let far = Variable::Place { object: place.0, offset: place.1, block: None };
        let wide = scope >= Scope::Device;
        for (v, is_far) in [(near, false), (far, true)] {
            if is_far && !wide {
                continue;
            }
            let id = self.generous.log(v);
            if reads {
                let lesson = self.generous.lesson(id);
                self.generous.teach(thread, &lesson);
                let len = self.generous.logs[id as usize].len;
                learn(self.read_by.entry(thread).or_default(), id, len);
            }
            if writes {
                let known = self.generous.known(thread);
                self.generous.release(id, thread, now, &known);
            }
            let id = self.strict.log(v);
            if reads {
                let lesson = self.strict.lesson(id);
                if order.acquires() {
                    self.strict.teach(thread, &lesson);
                } else {
                    join(&mut self.fenced.entry(thread).or_default().pending, &lesson);
                }
            }
            if writes {
                if order.releases() {
                    let known = self.strict.known(thread);
                    self.strict.release(id, thread, now, &known);
                } else {
                    let released = self.fenced.get(&thread).and_then(|f| {
                        let by_scope = if is_far { &f.released_device } else { &f.released_block };
                        by_scope.clone()
                    });
                    let fences = self.before_barrier.get(&block).filter(|_| is_far).cloned();
                    if released.is_some() || fences.is_some() {
                        let (at, known) = released.unwrap_or_default();
                        self.strict.release_fenced(id, thread, at, &known, fences);
                    }
                }
            }
        }
    }

    pub(crate) fn fence(&mut self, thread: ThreadKey, clock: u32, scope: Scope) {
        if scope < Scope::Block {
            return;
        }
        self.active = true;
        let now = self.moment(thread, clock);
        let pending = std::mem::take(&mut self.fenced.entry(thread).or_default().pending);
        self.strict.teach(thread, &pending);
        let known = Arc::new(self.strict.known(thread));
        let f = self.fenced.entry(thread).or_default();
        if scope >= Scope::Device {
            f.released_device = Some((now, known.clone()));
            self.newly_fenced.insert((thread >> 32) as u32);
        }
        f.released_block = Some((now, known));
    }

    /// The fences of a block, at a barrier that orders global memory.
    fn keep_fences(&mut self, block: u32, threads: u32) {
        if !self.newly_fenced.remove(&block) {
            return;
        }
        let first = u64::from(block) << 32;
        let last_fence = |t: ThreadKey| {
            let fenced = self.fenced.get(&t).and_then(|f| f.released_device.as_ref());
            fenced.map_or(0, |(at, _)| at.clock)
        };
        let fences: Fences = (first..first + u64::from(threads)).map(last_fence).collect();
        self.before_barrier.insert(block, fences);
    }

    /// A barrier of the whole block: it completes the acquires of its threads
    /// and shares what they know. Releases stay as they are: a barrier is a
    /// fence among the block's threads only.
    /// `global` says whether it orders accesses to global memory.
    pub(crate) fn block_barrier(&mut self, block: u32, clock: u32, threads: u32, global: bool) {
        if global {
            self.barriers.insert(block, clock);
        }
        if !self.active {
            return;
        }
        if global {
            self.keep_fences(block, threads);
        }
        let first = u64::from(block) << 32;
        for t in first..first + u64::from(threads) {
            if let Some(f) = self.fenced.get_mut(&t) {
                let pending = std::mem::take(&mut f.pending);
                self.strict.teach(t, &pending);
            }
        }
        self.generous.merge_block(block);
        self.strict.merge_block(block);
        for t in first..first + u64::from(threads) {
            if let Some(read) = self.read_by.remove(&t) {
                join(self.read_in.entry(block).or_default(), &read);
            }
        }
        // What one of them knows now, all know.
        let barrier = self.barriers.get(&block).copied().unwrap_or(0);
        let now = Moment { clock, barrier };
        let known = Arc::new(self.strict.known(first));
        for t in first..first + u64::from(threads) {
            if let Some(f) = self.fenced.get_mut(&t) {
                f.released_block = Some((now, known.clone()));
            }
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
        for relation in [&mut self.generous, &mut self.strict] {
            let log = relation.log(Variable::Named { block, id, generation });
            let lesson = relation.lesson(log);
            for &t in threads {
                relation.teach(t, &lesson);
            }
        }
    }

    fn meet(&mut self, v: Variable, threads: &[ThreadKey], clock: u32, wait: bool) {
        self.active = true;
        let moments: Vec<Moment> = threads.iter().map(|&t| self.moment(t, clock)).collect();
        for relation in [&mut self.generous, &mut self.strict] {
            let id = relation.log(v);
            for (&t, &now) in threads.iter().zip(&moments) {
                let known = relation.known(t);
                relation.release(id, t, now, &known);
            }
            let lesson = relation.lesson(id);
            for &t in threads.iter().filter(|_| wait) {
                relation.teach(t, &lesson);
            }
        }
    }

    /// Is `other`'s access at `clock` before what `thread` does now?
    pub(crate) fn ordered(&self, thread: ThreadKey, other: ThreadKey, clock: u32) -> Ordered {
        if !self.active || !self.generous.knows(thread, other, clock) {
            Ordered::No
        } else if self.strict.knows(thread, other, clock) {
            Ordered::Yes
        } else {
            Ordered::OnlyWithFences
        }
    }

    /// Has `thread`, or its block before a barrier, read a location by an atomic after `other`'s atomic on it at `clock`?
    pub(crate) fn is_coherent(
        &self,
        thread: ThreadKey,
        other: ThreadKey,
        clock: u32,
        place: (u32, u64),
    ) -> bool {
        let v = Variable::Place { object: place.0, offset: place.1, block: None };
        let Some(id) = self.generous.variables.get(&v) else { return false };
        let read = [self.read_by.get(&thread), self.read_in.get(&((thread >> 32) as u32))];
        let of_place = |k: &Knowledge| k.iter().find(|e| e.0 == *id).map(|e| e.1);
        let len = read.into_iter().flatten().filter_map(of_place).max().unwrap_or(0);
        let releases = self.generous.logs[*id as usize].by_thread.get(&other);
        releases.is_some_and(|r| r.iter().any(|&(at, when)| at < len && when >= clock))
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
