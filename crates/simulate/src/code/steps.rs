//! The steps that the machine executes: slots instead of registers, functions instead of operators.

use lockstep_kernel::{
    AtomicOp, BarrierReduce, BlockId, LocId, Order, Product, Scope, ShuffleMode, SiteId, Special,
    Ty, VoteKind,
};

use crate::code::lanes::{Alu, ScalarOp};
use crate::code::registers::{Slot, Unit};

pub(crate) enum Step {
    Alu(Alu),
    Scalar { op: ScalarOp, ty: Ty, from: Ty, d: Slot, a: Slot, b: Slot, b_ty: Ty, c: Slot },
    Load { site: SiteId, ty: Ty, count: u8, d: Slot, addr: Slot },
    Store { site: SiteId, ty: Ty, first: u32, count: u8, addr: Slot },
    Atomic(Box<AtomicStep>),
    Rare(Box<Rare>),
}

pub(crate) struct AtomicStep {
    pub site: SiteId,
    pub op: AtomicOp,
    pub ty: Ty,
    pub d: Option<Slot>,
    pub addr: Slot,
    pub value: Slot,
    pub expected: Slot,
    pub order: Order,
    pub scope: Scope,
}

/// When a copy of one thread is done ([`lockstep_kernel::CopyDone`]).
#[derive(Clone, Copy)]
pub(crate) enum CopyEnd {
    AtOnce,
    Group { bulk: bool },
    Signal(Slot),
}

/// Operations that are executed rarely.
pub(crate) enum Rare {
    Barrier {
        site: SiteId,
        barrier: BarrierStep,
    },
    Fence {
        site: SiteId,
        scope: Scope,
        /// Whether it orders accesses to shared and to global memory.
        shared: bool,
        global: bool,
    },
    Shuffle {
        mode: ShuffleMode,
        ty: Ty,
        d: Slot,
        predicate: Option<Slot>,
        value: Slot,
        lane: Slot,
        clamp: Slot,
        mask: Option<Slot>,
    },
    Vote {
        kind: VoteKind,
        d: Slot,
        pred: Slot,
        mask: Option<Slot>,
    },
    Match {
        all: bool,
        ty: Ty,
        d: Slot,
        predicate: Option<Slot>,
        value: Slot,
        mask: Slot,
    },
    MatrixProduct {
        product: Product,
        d: Vec<Slot>,
        a: Vec<Slot>,
        b: Vec<Slot>,
        c: Vec<Slot>,
        /// All lanes.
        mask: Slot,
    },
    ActiveMask {
        d: Slot,
    },
    Texel {
        d: Slot,
        step: TexelStep,
    },
    ImageSize {
        d: Slot,
        image: Slot,
        /// Rank, unit, axis.
        of: (u8, u32, u8),
    },
    Clock {
        d: Slot,
        ty: Ty,
    },
    MemCopy {
        read: SiteId,
        write: SiteId,
        dst: Slot,
        src: Slot,
        len: Slot,
        done: CopyEnd,
    },
    CommitCopies {
        bulk: bool,
    },
    AwaitCopies {
        left: Slot,
        bulk: bool,
        reads_only: bool,
    },
    SignalCopies {
        addr: Slot,
    },
    ProxyFence,
    MemSet {
        site: SiteId,
        dst: Slot,
        byte: Slot,
        len: Slot,
    },
    GroupCopy {
        read: SiteId,
        write: SiteId,
        dst: Slot,
        src: Slot,
        count: Slot,
        size: u32,
        dst_stride: Slot,
        src_stride: Slot,
        event: Slot,
        /// The slot for the copy's event.
        d: Option<Slot>,
    },
    Alloc {
        d: Slot,
        size: Slot,
    },
    Free {
        ptr: Slot,
        loc: LocId,
    },
    Print {
        format: Slot,
        args: Prints,
    },
    Assert {
        cond: Slot,
        message: String,
        loc: LocId,
    },
    Requires {
        cond: Slot,
        text: String,
    },
    Yield,
    Unsupported(u32),
}

pub(crate) enum BarrierStep {
    Block {
        id: Slot,
        threads: Option<Slot>,
        shared: bool,
        global: bool,
        reduce: Option<(BarrierReduce, Slot, Slot)>,
    },
    Arrive {
        id: Slot,
        threads: Slot,
    },
    Await {
        id: Slot,
    },
    Warp {
        mask: Slot,
    },
    Grid,
    GroupCopies {
        count: Slot,
        list: Slot,
    },
}

pub(crate) enum Prints {
    Buffer(Slot),
    Values(Vec<(Ty, Vec<Slot>)>),
}

#[derive(Clone, Copy)]
pub(crate) struct Edge {
    pub target: u32,
    pub first_move: u32,
    pub last_move: u32,
    /// A back edge: the next iteration of a loop.
    pub back: bool,
}

pub(crate) enum Term {
    Jump(Edge),
    Branch { cond: Slot, then: Edge, otherwise: Edge, loc: LocId },
    Return,
    Unreachable,
}

pub(crate) struct CodeBlock {
    pub first: u32,
    pub last: u32,
    pub term: Term,
    /// Whether it is in a loop that waits for other threads: these get a turn soon.
    pub waits: bool,
}

pub(crate) struct Code {
    pub units: u32,
    pub constants: Vec<Unit>,
    pub steps: Vec<Step>,
    /// Source location of each step, for messages.
    pub locs: Vec<LocId>,
    pub blocks: Vec<CodeBlock>,
    /// The kernel's block for each of `blocks`.
    pub order: Vec<BlockId>,
    pub moves: Vec<Alu>,
    /// Slots of stored values.
    pub values: Vec<Slot>,
    /// Registers that a thread's position determines.
    pub presets: Vec<(Special, Slot, Ty)>,
    /// The slot of each register, if it has one.
    pub slots: Vec<Option<Slot>>,
}

/// The texel that a step addresses.
pub(crate) struct TexelStep {
    pub image: Slot,
    /// Only the coordinates that the address depends on.
    pub coords: Vec<(Ty, Slot)>,
    pub unit: u32,
    pub sampled: bool,
}
