//! The interface between the machine and its observers.
//!
//! An [`Observer`] is notified of every access, atomic, fence and barrier of a warp as a whole, before memory changes,
//! and of faults ([`Fault`]). The machine is generic over its observer: each set of checks is compiled into a machine
//! of its own, and a method that an observer does not implement generates no code. A pair of observers is an observer.
//!
//! **Architecture Invariant:** the machine knows no observer, and no observer changes what a launch computes.

use lockstep_kernel::{LocId, Order, Scope, SiteId, Space, Ty};

use crate::code::lanes::Alu;
use crate::code::program::Program;
use crate::code::registers::{LANES, Regs, Slot};
use crate::launch::touched::Uses;
use crate::launch::written::WrittenBits;
use crate::machine::fault::{Deadlock, Fault};

/// The thread index of an asynchronous group copy: no thread has it.
pub(crate) const COPY_ENGINE: u32 = 0xffff;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AccessKind {
    Read,
    Write,
    /// Reads and perhaps writes, as one operation.
    Atomic,
}

/// One access of a warp to one object of shared or global memory, before it is executed.
#[derive(Clone, Copy)]
pub(crate) struct Event<'a> {
    pub object: usize,
    pub space: Space,
    pub site: SiteId,
    pub kind: AccessKind,
    /// Bytes that each lane accesses.
    pub size: u32,
    pub mask: u32,
    pub offsets: &'a [u64; LANES],
    /// Lanes whose bytes directly follow those of the next lower lane.
    pub adjacent: u32,
    /// Lanes at the same offset as the next lower lane.
    pub same: u32,
    /// Lanes that store the value that is there already; for an atomic, lanes that store nothing (a failed
    /// compare-and-swap).
    pub silent: u32,
    /// Thread of lane 0, or [`COPY_ENGINE`].
    pub first_thread: u32,
    /// The bytes of the object.
    pub bytes: *const u8,
    /// The values that each lane stores: its elements of type `ty`, by number.
    pub values: &'a dyn Fn(usize, usize) -> u64,
    pub ty: Ty,
}

impl Event<'_> {
    /// The thread index of a lane.
    #[inline(always)]
    pub(crate) fn thread(&self, lane: usize) -> u32 {
        if self.first_thread == COPY_ENGINE { COPY_ENGINE } else { self.first_thread + lane as u32 }
    }

    /// A byte of a lane's access, before the access.
    pub(crate) fn old_byte(&self, lane: usize, offset: u64) -> Option<u8> {
        let from = offset.checked_sub(self.offsets[lane])?;
        if from >= u64::from(self.size) || self.mask >> lane & 1 == 0 {
            return None;
        }
        // SAFETY: the machine checked that the object has all bytes that a lane of the mask accesses, and claimed them
        // where other blocks run at the same time.
        Some(unsafe { *self.bytes.add(offset as usize) })
    }

    /// The byte at `offset` that a lane stores, if it stores there.
    pub(crate) fn new_byte(&self, lane: usize, offset: u64) -> Option<u8> {
        let at = offset.checked_sub(self.offsets[lane]).filter(|at| *at < u64::from(self.size))?;
        let width = u64::from(self.ty.bytes());
        Some(((self.values)(lane, (at / width) as usize) >> (8 * (at % width))) as u8)
    }
}

/// The warp that executes an event.
#[derive(Clone, Copy)]
pub(crate) struct At<'a, 'k> {
    pub program: &'a Program<'k>,
    pub block: u32,
    pub warp: usize,
    pub first_thread: u32,
    pub regs: Regs,
}

/// Lanes of the warps of a block.
pub(crate) type Lanes<'a> = &'a [(usize, u32)];

/// A barrier of all threads of a block that has opened.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Opened {
    pub site: SiteId,
    /// Whether it orders accesses to shared and to global memory.
    pub shared: bool,
    pub global: bool,
    /// Whether threads get a value from it.
    pub computes: bool,
}

/// One opening of a barrier of some threads: the number of the barrier, and how often it had opened before.
pub(crate) type Opening = (u32, u32);

/// An asynchronous copy that one thread has started: addresses and length in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Copy {
    pub thread: u32,
    pub from: u64,
    pub to: u64,
    pub len: u64,
    pub read: SiteId,
    pub write: SiteId,
    /// Which of its two accesses is meant: what is read may be over before what is written.
    pub reads: bool,
    pub writes: bool,
}

/// A transfer between registers and memory.
#[derive(Clone, Copy)]
pub(crate) struct Transfer<'a> {
    pub object: usize,
    pub space: Space,
    pub site: SiteId,
    pub mask: u32,
    pub offsets: &'a [u64; LANES],
    /// Whether all 32 lanes access consecutive elements.
    pub contiguous: bool,
    /// The type of an element.
    pub ty: Ty,
}

/// Observes a launch during execution. By default every method does nothing.
#[allow(unused_variables)]
pub(crate) trait Observer: Sized {
    /// The state for one block. Blocks may wait for each other: several can have started.
    type Block;

    /// Whether it may track values through registers ([`Observer::follows_values`]).
    const FOLLOWS_VALUES: bool = false;

    /// Whether it wants to see the reads of objects that nobody writes, too.
    const SEES_ALL_READS: bool = false;

    /// Whether the launch is executed with store buffers ([`crate::weak`]): a machine of its own, as for each observer.
    const WEAK: bool = false;

    fn new_block(&mut self, program: &Program) -> Self::Block;

    /// A block starts; its state may have been used for a block that has ended.
    fn block_begins(&mut self, own: &mut Self::Block, program: &Program, block: u32) {}

    /// All threads of a block have returned.
    fn block_ends(&mut self, own: &mut Self::Block, program: &Program, block: u32) {}

    /// Whether it has seen enough: the run may stop.
    #[inline(always)]
    fn is_done(&self) -> bool {
        false
    }

    /// The bytes of objects that outlive the launch, by object, as far as it has seen which of them have a value.
    fn take_written(&mut self) -> Vec<(usize, WrittenBits)> {
        Vec::new()
    }

    /// The bytes of objects that outlive the launch which it has seen accesses to, by object.
    fn take_touched(&mut self) -> Vec<(usize, Uses)> {
        Vec::new()
    }

    /// Size in bytes of its state for a block.
    fn shadow_bytes(&self, own: &Self::Block) -> u64 {
        0
    }

    // Execution of warps.

    /// These lanes of a warp execute together from now on.
    #[inline(always)]
    fn group_runs(&mut self, own: &mut Self::Block, mask: u32) {}

    /// Lanes that executed together take different edges of a branch.
    #[inline(always)]
    fn diverge(&mut self, own: &mut Self::Block, warp: usize, a: u32, b: u32) {}

    /// An operation that makes its accesses lane by lane begins or ends.
    fn lane_by_lane(&mut self, own: &mut Self::Block, begins: bool) {}

    /// An access is about to be executed. Returns the number of steps that observing it counts for, so that a budget of
    /// steps takes about the same time with every observer.
    #[inline(always)]
    fn access(&mut self, own: &mut Self::Block, at: &At, e: &Event) -> u64 {
        0
    }

    /// An atomic was executed.
    fn atomic_done(
        &mut self,
        own: &mut Self::Block,
        at: &At,
        e: &Event,
        order: Order,
        scope: Scope,
    ) {
    }

    fn fence(&mut self, own: &mut Self::Block, at: &At, mask: u32, site: SiteId, scope: Scope) {}

    /// A `__syncwarp` of some of the lanes that have not returned.
    fn warp_barrier(
        &mut self,
        own: &mut Self::Block,
        at: &At,
        lanes: u32,
        alive: u32,
        site: SiteId,
    ) {
    }

    /// A barrier of all threads of a block opens.
    fn block_barrier(
        &mut self,
        own: &mut Self::Block,
        program: &Program,
        block: u32,
        b: &Opened,
        who: Lanes,
    ) {
    }

    /// A grid barrier opens; then each block is notified.
    fn grid_barrier(&mut self) {}
    fn block_passes_grid_barrier(
        &mut self,
        own: &mut Self::Block,
        program: &Program,
        block: u32,
        site: SiteId,
    ) {
    }

    /// Threads reach a barrier of some threads of the block; those that do not wait only arrive.
    fn partial_barrier(
        &mut self,
        own: &mut Self::Block,
        program: &Program,
        block: u32,
        opening: Opening,
        who: Lanes,
        waits: bool,
    ) {
    }

    /// Threads that had arrived at such a barrier before find it open.
    fn partial_barrier_was_open(
        &mut self,
        own: &mut Self::Block,
        program: &Program,
        block: u32,
        opening: Opening,
        who: Lanes,
    ) {
    }

    /// An asynchronous copy of one thread starts; the thread waits for its end. The accesses of the copy are reported
    /// at its start and again at its end.
    fn copy_begins(&mut self, own: &mut Self::Block, copy: &Copy) {}
    fn copy_ends(&mut self, own: &mut Self::Block, copy: &Copy) {}

    /// The accesses of a group copy follow.
    fn group_copy_begins(&mut self, own: &mut Self::Block) {}
    /// They have been reported; `event` is the event of the copy.
    fn group_copy_ends(&mut self, own: &mut Self::Block, event: u64) {}
    /// All threads of the block have waited for the copies with these events, or for all copies.
    fn group_copies_awaited(&mut self, own: &mut Self::Block, events: Option<&[u64]>) {}

    // Values, if the observer tracks them.

    /// Whether values in the registers of a warp are currently tracked.
    #[inline(always)]
    fn follows_values(&self, own: &Self::Block, warp: usize) -> bool {
        false
    }

    /// An arithmetic step.
    fn computes(&mut self, own: &mut Self::Block, at: &At, mask: u32, op: &Alu, loc: LocId) {}

    /// An operation whose effect depends on the values of some registers; its result, if it has one, is a new value.
    fn uses(
        &mut self,
        own: &mut Self::Block,
        at: &At,
        mask: u32,
        slots: &[Slot],
        result: Option<Slot>,
        loc: LocId,
    ) {
    }

    /// A value is moved from `from` to `to`.
    fn moves(&mut self, own: &mut Self::Block, warp: usize, mask: u32, to: Slot, from: Slot) {}

    /// Registers from `first` on were loaded, `count` elements of each lane.
    #[inline(always)]
    fn loaded(&mut self, own: &mut Self::Block, at: &At, t: &Transfer, first: Slot, count: u8) {}

    /// The values of some registers are about to be stored.
    #[inline(always)]
    fn stores(&mut self, own: &mut Self::Block, at: &At, t: &Transfer, values: &[Slot]) {}

    /// They are stored.
    #[inline(always)]
    fn stored(&mut self, own: &mut Self::Block, at: &At, t: &Transfer, values: &[Slot]) {}

    /// An atomic is about to use the value in memory; `reads`: the operation depends on it.
    fn atomic_uses(&mut self, own: &mut Self::Block, at: &At, t: &Transfer, reads: bool) {}

    /// Bytes of an object were written, by an atomic or a copy.
    fn written(&mut self, own: &mut Self::Block, object: usize, offset: u64, len: u64) {}

    // Faults.

    #[cold]
    fn fault(&mut self, own: &mut Self::Block, at: &At, fault: &Fault) {}

    #[cold]
    fn deadlock(&mut self, program: &Program, deadlock: &Deadlock) {}
}

/// No observer: the launch is only executed.
pub(crate) struct Nobody;

impl Observer for Nobody {
    type Block = ();
    fn new_block(&mut self, _: &Program) {}
}

/// No observer, of a launch that is executed with store buffers.
pub(crate) struct NobodyWeakly;

impl Observer for NobodyWeakly {
    type Block = ();
    const WEAK: bool = true;
    fn new_block(&mut self, _: &Program) {}
}

/// Notifies both observers of a pair.
macro_rules! both {
    ($($(#[$attribute:meta])* fn $name:ident(own $(, $arg:ident: $ty:ty)*);)*) => {
        $($(#[$attribute])*
        fn $name(&mut self, own: &mut Self::Block $(, $arg: $ty)*) {
            self.0.$name(&mut own.0 $(, $arg)*);
            self.1.$name(&mut own.1 $(, $arg)*);
        })*
    };
}

impl<A: Observer, B: Observer> Observer for (A, B) {
    type Block = (A::Block, B::Block);
    const FOLLOWS_VALUES: bool = A::FOLLOWS_VALUES || B::FOLLOWS_VALUES;
    const WEAK: bool = A::WEAK || B::WEAK;
    const SEES_ALL_READS: bool = A::SEES_ALL_READS || B::SEES_ALL_READS;

    fn new_block(&mut self, program: &Program) -> Self::Block {
        (self.0.new_block(program), self.1.new_block(program))
    }

    #[inline(always)]
    fn is_done(&self) -> bool {
        self.0.is_done() || self.1.is_done()
    }

    fn take_written(&mut self) -> Vec<(usize, WrittenBits)> {
        let mut written = self.0.take_written();
        written.extend(self.1.take_written());
        written
    }

    fn take_touched(&mut self) -> Vec<(usize, Uses)> {
        let mut touched = self.0.take_touched();
        touched.extend(self.1.take_touched());
        touched
    }

    fn shadow_bytes(&self, own: &Self::Block) -> u64 {
        self.0.shadow_bytes(&own.0) + self.1.shadow_bytes(&own.1)
    }

    #[inline(always)]
    fn access(&mut self, own: &mut Self::Block, at: &At, e: &Event) -> u64 {
        self.0.access(&mut own.0, at, e) + self.1.access(&mut own.1, at, e)
    }

    #[inline(always)]
    fn follows_values(&self, own: &Self::Block, warp: usize) -> bool {
        self.0.follows_values(&own.0, warp) || self.1.follows_values(&own.1, warp)
    }

    fn grid_barrier(&mut self) {
        self.0.grid_barrier();
        self.1.grid_barrier();
    }

    fn deadlock(&mut self, program: &Program, deadlock: &Deadlock) {
        self.0.deadlock(program, deadlock);
        self.1.deadlock(program, deadlock);
    }

    both! {
        fn block_begins(own, program: &Program, block: u32);
        fn block_ends(own, program: &Program, block: u32);
        #[inline(always)]
        fn group_runs(own, mask: u32);
        #[inline(always)]
        fn diverge(own, warp: usize, a: u32, b: u32);
        fn lane_by_lane(own, begins: bool);
        fn atomic_done(own, at: &At, e: &Event, order: Order, scope: Scope);
        fn fence(own, at: &At, mask: u32, site: SiteId, scope: Scope);
        fn warp_barrier(own, at: &At, lanes: u32, alive: u32, site: SiteId);
        fn block_barrier(own, program: &Program, block: u32, b: &Opened, who: Lanes);
        fn block_passes_grid_barrier(own, program: &Program, block: u32, site: SiteId);
        fn partial_barrier(own, program: &Program, block: u32, opening: Opening, who: Lanes, waits: bool);
        fn partial_barrier_was_open(own, program: &Program, block: u32, opening: Opening, who: Lanes);
        fn copy_begins(own, copy: &Copy);
        fn copy_ends(own, copy: &Copy);
        fn group_copy_begins(own);
        fn group_copy_ends(own, event: u64);
        fn group_copies_awaited(own, events: Option<&[u64]>);
        fn computes(own, at: &At, mask: u32, op: &Alu, loc: LocId);
        fn uses(own, at: &At, mask: u32, slots: &[Slot], result: Option<Slot>, loc: LocId);
        fn moves(own, warp: usize, mask: u32, to: Slot, from: Slot);
        #[inline(always)]
        fn loaded(own, at: &At, t: &Transfer, first: Slot, count: u8);
        #[inline(always)]
        fn stores(own, at: &At, t: &Transfer, values: &[Slot]);
        #[inline(always)]
        fn stored(own, at: &At, t: &Transfer, values: &[Slot]);
        fn atomic_uses(own, at: &At, t: &Transfer, reads: bool);
        fn written(own, object: usize, offset: u64, len: u64);
        fn fault(own, at: &At, fault: &Fault);
    }
}
