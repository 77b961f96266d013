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

use lockstep_kernel::Scope;

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
    pub(crate) size: u8,
    /// For whom it is an atomic, where it is one.
    pub(crate) scope: Scope,
}

/// What is asked of two accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// Whether what they leave depends on their order.
    Order,
    /// Whether they race: atomics do not, whatever they compute, if each is one for the other.
    Race,
}

impl Record {
    fn is_like(&self, other: &Record) -> bool {
        (self.kind, self.size, self.scope) == (other.kind, other.size, other.scope)
    }

    fn is_harmless(&self, other: &Record, asked: Asked) -> bool {
        match (asked, self.kind, other.kind) {
            (Asked::Race, Kind::Atomic(_), Kind::Atomic(_)) => {
                let needed = match (self.block == other.block, self.warp == other.warp) {
                    (false, _) => Scope::Device,
                    (true, false) => Scope::Block,
                    (true, true) => Scope::Warp,
                };
                self.size == other.size && self.scope.min(other.scope) >= needed
            }
            _ => self.kind.commutes(other.kind),
        }
    }
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
        asked: Asked,
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
                let condition = conflict(pool, earlier, access, events, in_shared, asked);
                if !pool.is_false(condition) {
                    conflicts.push(Conflict { earlier, condition });
                }
            }
            add(pool, list, access, events, in_shared);
            at += self.granule;
        }
        conflicts
    }

    /// The records of bytes between two offsets, with the offset and the number of bytes that each is of.
    pub(crate) fn between(&self, low: i128, high: i128) -> Vec<(u64, u64, Record)> {
        let granule = self.granule.max(1);
        let is_in = |at: &u64| i128::from(*at) < high && i128::from(*at + granule) > low;
        let mut places: Vec<&u64> = self.lists.keys().filter(|at| is_in(at)).collect();
        places.sort_unstable();
        let of = |at: &u64| {
            let at = *at;
            self.lists[&at].iter().map(move |r| (at, granule, *r))
        };
        places.into_iter().flat_map(of).collect()
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
pub(crate) fn conflict(
    pool: &mut Pool,
    a: Record,
    b: Record,
    events: &Events,
    in_shared: bool,
    asked: Asked,
) -> T {
    if a.thread == b.thread || a.is_harmless(&b, asked) {
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
    list.retain(|r| !(r.thread == new.thread && r.is_like(&new) && r.guard == new.guard));
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
    let alike = |r: &&Record| r.is_like(&new) && pool.is_true(r.guard);
    let other_blocks: Vec<u32> =
        list.iter().filter(alike).map(|r| r.block).filter(|b| *b != new.block).collect();
    if other_blocks.iter().any(|b| *b != other_blocks[0]) {
        return;
    }
    // An earlier one of the block, behind a barrier, conflicts with less.
    let is_past = |r: &Record| {
        r.block == new.block
            && r.is_like(&new)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The records of `a[0]` in figure 4 of the paper: `avg`, where work-item 2 reads on line 4 what work-item 1 has written on line
    /// 7, and `avg2`, where a barrier lies between.
    #[test]
    fn figure_4() {
        let mut pool = Pool::default();
        let always = pool.truth(true);
        let mut access = |records: &mut Records, thread, line, kind, events: &Events| {
            let record = Record {
                thread,
                block: 1,
                warp: 0,
                events: events.block.len() as u32,
                warp_events: 0,
                guard: always,
                kind,
                site: line,
                size: 4,
                scope: Scope::System,
            };
            let found = records.note(&mut pool, 0, 4, record, events, false, Asked::Race);
            let mut state: Vec<(u32, Kind)> =
                records.lists[&0].iter().map(|r| (r.thread, r.kind)).collect();
            state.sort_by_key(|(thread, kind)| (*thread, *kind == Kind::Write));
            let lines: Vec<u32> = found.iter().map(|c| c.earlier.site).collect();
            (state, lines)
        };
        let mut none = Events { block: Vec::new(), warps: vec![Vec::new()] };
        let (read, write) = (Kind::Read, Kind::Write);

        let mut avg = Records::default();
        assert_eq!(access(&mut avg, 1, 5, read, &none), (vec![(1, read)], vec![]));
        // A write is all that is kept of its thread: it conflicts with whatever the read conflicts with.
        assert_eq!(access(&mut avg, 1, 7, write, &none), (vec![(1, write)], vec![]));
        let (state, conflicts) = access(&mut avg, 2, 4, read, &none);
        assert_eq!((state, conflicts), (vec![(1, write), (2, read)], vec![7]));

        let mut avg2 = Records::default();
        access(&mut avg2, 1, 5, read, &none);
        let (state, conflicts) = access(&mut avg2, 2, 4, read, &none);
        assert_eq!((state, conflicts), (vec![(1, read), (2, read)], vec![]));
        none.block.push(Event { guard: always, shared: false, global: true });
        assert_eq!(access(&mut avg2, 1, 8, write, &none), (vec![(1, write)], vec![]));
        // A barrier for local memory alone orders nothing here.
        let mut local = Records::default();
        let mut events = Events { block: Vec::new(), warps: vec![Vec::new()] };
        access(&mut local, 2, 4, read, &events);
        events.block.push(Event { guard: always, shared: true, global: false });
        assert_eq!(access(&mut local, 1, 8, write, &events).1, [4]);
    }
}
