//! A candidate execution, as memory models see it: labelled events and the relations between them.
//!
//! A candidate may be unfinished: reads without a write that they read from, pairs of writes without an order. Models
//! reject it only if they would reject every way to finish it.

use crate::relation::{EventSet, Relation};

#[derive(Clone, Debug)]
pub struct Candidate {
    /// The number of events.
    pub n: usize,

    pub reads: EventSet,
    pub writes: EventSet,
    /// The writes that give memory its first values: they belong to no thread.
    pub initial: EventSet,
    pub fences: EventSet,
    pub barriers: EventSet,

    /// Accesses and fences that have an order and a scope.
    pub strong: EventSet,
    pub acquires: EventSet,
    pub releases: EventSet,
    pub seq_cst: EventSet,

    /// Program order.
    pub po: Relation,
    /// Of one thread.
    pub same_thread: Relation,
    /// Accesses of one location.
    pub same_location: Relation,
    /// From the read to the write of an atomic operation.
    pub rmw: Relation,
    /// Address, data and control dependencies, from reads.
    pub dependency: Relation,
    /// Each event's scope holds the other's thread.
    pub inclusive: Relation,
    /// Both ways between those who meet at a barrier; none into a thread that only arrives there.
    pub barrier: Relation,

    /// Reads from.
    pub rf: Relation,
    /// What has been chosen of the coherence order. Initial writes come first without being chosen.
    pub co: Relation,
    /// What has been chosen of the order of `fence.sc`.
    pub fence_order: Relation,

    /// Accesses, fences and barriers that concern global memory, and shared (OpenCL: local) memory.
    pub global: EventSet,
    pub local: EventSet,
    /// Accesses to locations that are not declared atomic.
    pub nonatomic: EventSet,
    /// Events of one block.
    pub same_block: Relation,
    /// Accesses of scope `Thread` (OpenCL's work-item).
    pub own_scope: EventSet,
}

impl Candidate {
    /// `n` events that are nothing yet.
    pub fn new(n: usize) -> Candidate {
        let none = EventSet::EMPTY;
        let empty = || Relation::empty(n);
        Candidate {
            n,
            reads: none,
            writes: none,
            initial: none,
            fences: none,
            barriers: none,
            strong: none,
            acquires: none,
            releases: none,
            seq_cst: none,
            po: empty(),
            same_thread: empty(),
            same_location: empty(),
            rmw: empty(),
            dependency: empty(),
            inclusive: empty(),
            barrier: empty(),
            rf: empty(),
            co: empty(),
            fence_order: empty(),
            global: none,
            local: none,
            nonatomic: none,
            same_block: empty(),
            own_scope: none,
        }
    }

    pub fn memory(&self) -> EventSet {
        self.reads | self.writes
    }

    /// `from * to`.
    pub fn product(&self, from: EventSet, to: EventSet) -> Relation {
        Relation::product(self.n, from, to)
    }

    pub fn po_loc(&self) -> Relation {
        &self.po & &self.same_location
    }

    /// Pairs of accesses of one location by two threads, at least one of them a write.
    pub fn conflicts(&self) -> Relation {
        let threads = self.memory() - self.initial;
        let conflict = &self.same_location.within(threads) - &self.product(self.reads, self.reads);
        &conflict - &self.same_thread
    }
}
