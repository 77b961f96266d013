//! Access records, after section 5 of the KLEE-CL paper: who touched which bytes since the barriers that order it.
//!
//! The paper keeps the last thread and four flags for each byte. Here a byte has a short list of records, each with the
//! condition under which its access happens, so that nothing is lost when several threads or paths touch it; records that
//! others make superfluous are dropped, and without conditions at most two of a kind stay. An access under a symbolic
//! index is one under the condition that the index is this one, so the paper's symbolic arrays are not needed.
//!
//! A barrier is an event of its block, with the condition under which it is reached: two accesses of one block conflict only
//! if no barrier lies between them (the paper's local reset). Between blocks nothing orders (its full reset is the end of the launch).

use rustc_hash::FxHashMap;

use crate::term::{Pool, T};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Read,
    Write,
    /// Atomics of one class may be done in any order.
    Atomic(Class),
}

/// Which atomics commute with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Load,
    Add,
    And,
    Or,
    Xor,
    SMin,
    SMax,
    UMin,
    UMax,
    FloatAdd,
    FloatMin,
    FloatMax,
    /// With nothing, not even its own kind.
    Ordered,
}

impl Kind {
    /// Whether two accesses may be done in any order.
    fn commutes(self, other: Kind) -> bool {
        match (self, other) {
            (Kind::Read, Kind::Read) => true,
            (Kind::Atomic(a), Kind::Atomic(b)) => a == b && a != Class::Ordered,
            _ => false,
        }
    }
}

/// One access: who, when, and under which condition.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    pub(crate) thread: u32,
    pub(crate) block: u32,
    pub(crate) warp: u32,
    /// Barriers of the block, and of the warp, before it.
    pub(crate) events: u32,
    pub(crate) warp_events: u32,
    pub(crate) guard: T,
    pub(crate) kind: Kind,
    pub(crate) site: u32,
}

/// A barrier that some threads have passed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    pub(crate) guard: T,
    pub(crate) shared: bool,
    pub(crate) global: bool,
}

/// The barriers of a block so far.
#[derive(Default)]
pub(crate) struct Events {
    pub(crate) block: Vec<Event>,
    /// By warp.
    pub(crate) warps: Vec<Vec<Event>>,
}

#[derive(Clone, Default)]
pub(crate) struct Records {
    /// Bytes that one list is for.
    granule: u64,
    lists: FxHashMap<u64, Vec<Record>>,
}

/// Two accesses that may conflict, and when: a race, or atomics whose order matters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Conflict {
    pub(crate) earlier: Record,
    pub(crate) condition: T,
}

impl Records {
    /// Notes an access to some bytes; gives what it may conflict with.
    pub(crate) fn note(
        &mut self,
        pool: &mut Pool,
        offset: u64,
        size: u64,
        access: Record,
        events: &Events,
        in_shared: bool,
    ) -> Vec<Conflict> {
        if self.granule == 0 {
            self.granule = size;
        }
        if self.granule > 1 && (size != self.granule || !offset.is_multiple_of(size)) {
            self.split();
        }
        let mut conflicts = Vec::new();
        let mut at = offset;
        while at < offset + size {
            let list = self.lists.entry(at).or_default();
            for &earlier in list.iter() {
                let condition = conflict(pool, earlier, access, events, in_shared);
                if !pool.is_false(condition) {
                    conflicts.push(Conflict { earlier, condition });
                }
            }
            add(pool, list, access, events, in_shared);
            at += self.granule;
        }
        conflicts
    }

    /// One list for each byte.
    fn split(&mut self) {
        let granule = self.granule;
        let whole = std::mem::take(&mut self.lists);
        for (at, list) in whole {
            for byte in 0..granule {
                self.lists.insert(at + byte, list.clone());
            }
        }
        self.granule = 1;
    }
}

/// The condition under which two accesses conflict.
fn conflict(pool: &mut Pool, a: Record, b: Record, events: &Events, in_shared: bool) -> T {
    if a.thread == b.thread || a.kind.commutes(b.kind) {
        return pool.truth(false);
    }
    let mut condition = pool.and(a.guard, b.guard);
    if a.block == b.block {
        for guard in between(a, b, events, in_shared) {
            let not = pool.not(guard);
            condition = pool.and(condition, not);
        }
    }
    condition
}

/// The guards of the barriers that order two accesses of one block.
fn between(a: Record, b: Record, events: &Events, in_shared: bool) -> Vec<T> {
    let orders = |e: &&Event| if in_shared { e.shared } else { e.global };
    let of_block = events.block.get(a.events as usize..).unwrap_or_default();
    let mut guards: Vec<T> = of_block.iter().filter(orders).map(|e| e.guard).collect();
    if a.warp == b.warp
        && let Some(own) = events.warps.get(a.warp as usize)
    {
        let own = own.get(a.warp_events as usize..).unwrap_or_default();
        guards.extend(own.iter().filter(orders).map(|e| e.guard));
    }
    guards
}

/// Adds a record, without what it makes superfluous, and unless others make it so.
fn add(pool: &Pool, list: &mut Vec<Record>, new: Record, events: &Events, in_shared: bool) {
    // The same thread's later access conflicts with all that its earlier one does.
    list.retain(|r| !(r.thread == new.thread && r.kind == new.kind && r.guard == new.guard));
    if !pool.is_true(new.guard) {
        list.push(new);
        return;
    }
    if new.kind == Kind::Write {
        // What was here is of this thread, or separated by a barrier: it conflicts with less.
        list.retain(|r| r.block != new.block);
        list.push(new);
        return;
    }
    let alike = |r: &&Record| r.kind == new.kind && pool.is_true(r.guard);
    let other_blocks: Vec<u32> =
        list.iter().filter(alike).map(|r| r.block).filter(|b| *b != new.block).collect();
    if other_blocks.iter().any(|b| *b != other_blocks[0]) {
        return;
    }
    // An earlier one of the block, behind a barrier, conflicts with less.
    let is_past = |r: &Record| {
        r.block == new.block
            && r.kind == new.kind
            && pool.is_true(r.guard)
            && events
                .block
                .get(r.events as usize..)
                .unwrap_or_default()
                .iter()
                .any(|e| pool.is_true(e.guard) && if in_shared { e.shared } else { e.global })
    };
    list.retain(|r| !is_past(r));
    // Two threads of a warp, at the same place in the order of barriers: whoever comes is another than one of them.
    let here = list.iter().filter(alike).filter(|r| {
        (r.block, r.warp, r.events, r.warp_events)
            == (new.block, new.warp, new.events, new.warp_events)
    });
    if here.count() < 2 {
        list.push(new);
    }
}
