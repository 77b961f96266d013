//! Operations, what each of them reads and writes.

use serde::{Deserialize, Serialize};

use super::matrix::Product;
use super::operators::*;
use crate::{Order, Scope, SiteId, Ty};

/// An operation. Results go to [`Inst::dst`] (the first of several consecutive
/// registers for loads of more than one element).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Op {
    Int {
        op: IntOp,
        ty: Ty,
        a: Operand,
        b: Operand,
    },
    IntUn {
        op: IntUnOp,
        ty: Ty,
        a: Operand,
    },
    /// Funnel shift: the high (left) or low (right) half of `hi:lo` shifted by
    /// `amount` modulo the width.
    Funnel {
        left: bool,
        ty: Ty,
        hi: Operand,
        lo: Operand,
        amount: Operand,
    },
    Float {
        op: FloatOp,
        ty: Ty,
        rounding: Rounding,
        a: Operand,
        b: Operand,
    },
    FloatUn {
        op: FloatUnOp,
        ty: Ty,
        rounding: Rounding,
        a: Operand,
    },
    /// `a * b + c` with one rounding.
    Fma {
        ty: Ty,
        rounding: Rounding,
        a: Operand,
        b: Operand,
        c: Operand,
    },
    Math {
        f: MathFn,
        ty: Ty,
        a: Operand,
        b: Operand,
    },
    Cmp {
        op: CmpOp,
        ty: Ty,
        a: Operand,
        b: Operand,
    },
    Cast {
        op: CastOp,
        from: Ty,
        to: Ty,
        a: Operand,
    },
    Select {
        ty: Ty,
        cond: Operand,
        a: Operand,
        b: Operand,
    },
    Copy {
        ty: Ty,
        a: Operand,
    },
    /// `base + index * scale + offset`, `index` an `I64`; the result is a `Ptr`.
    Index {
        base: Operand,
        index: Operand,
        scale: i64,
        offset: i64,
    },
    Special(Special),
    /// The address of a texel: of a texture, a surface or an image. `image` is
    /// where its texels begin; of `coords` (`I32` or `F32`) the first `rank` say
    /// which one, the first of them in steps of `unit` bytes. What follows them
    /// (level of detail, sampler) changes what is read there, not where.
    /// `sampled`: read through a sampler, which knows no coordinate that is
    /// outside.
    Texel {
        image: Operand,
        coords: Vec<(Ty, Operand)>,
        rank: u8,
        unit: u32,
        sampled: bool,
    },
    /// How many texels of `unit` bytes an image of that rank has along an axis, an
    /// `I32`.
    ImageSize {
        image: Operand,
        rank: u8,
        unit: u32,
        axis: u8,
    },

    /// `count` consecutive elements of `ty`, as one access.
    Load {
        site: SiteId,
        ty: Ty,
        count: u8,
        addr: Operand,
    },
    Store {
        site: SiteId,
        ty: Ty,
        values: Vec<Operand>,
        addr: Operand,
    },
    /// The result is the old value (for `Store`, none).
    Atomic {
        site: SiteId,
        op: AtomicOp,
        ty: Ty,
        addr: Operand,
        value: Operand,
        /// `CompareExchange` only: the expected value.
        expected: Operand,
        order: Order,
        scope: Scope,
    },
    /// `len` bytes, as one read and one write of each thread, made at some time between here and when it is `done`.
    MemCopy {
        read: SiteId,
        write: SiteId,
        dst: Operand,
        src: Operand,
        len: Operand,
        done: CopyDone,
    },
    /// The thread's asynchronous copies since the last commit are a group.
    CommitCopies {
        bulk: bool,
    },
    /// All groups of asynchronous copies of the thread but the `left` newest (an `I32`) are done; with `reads_only`, they
    /// have read what they copy.
    AwaitCopies {
        left: Operand,
        bulk: bool,
        reads_only: bool,
    },
    /// `cp.async.mbarrier.arrive`: all asynchronous copies of the thread so far (not bulk ones) belong to the phase of a
    /// barrier object. The arrival is an operation of its own.
    SignalCopies {
        addr: Operand,
    },
    /// `fence.proxy.async`: ordinary accesses before it and bulk copies after it see one memory.
    ProxyFence,
    MemSet {
        site: SiteId,
        dst: Operand,
        byte: Operand,
        len: Operand,
    },
    /// OpenCL's `async_work_group_(strided_)copy`: `count` elements of `size`
    /// bytes, copied once for the whole block, by no thread in particular.
    /// Strides are in elements. The result is the copy's event: `event`, or a new one where that is 0.
    GroupCopy {
        read: SiteId,
        write: SiteId,
        dst: Operand,
        src: Operand,
        count: Operand,
        size: u32,
        dst_stride: Operand,
        src_stride: Operand,
        event: Operand,
    },
    /// Device `malloc`: a new object in global memory, or null.
    Alloc {
        size: Operand,
    },
    Free {
        ptr: Operand,
    },
    Fence {
        site: SiteId,
        scope: Scope,
        order: Order,
        shared: bool,
        global: bool,
    },
    Barrier {
        site: SiteId,
        barrier: Barrier,
    },

    /// `clamp` is PTX's `c` operand (segment mask and clamp). `mask` is absent
    /// for the forms without `_sync`. The second result register, if
    /// `predicate`, is the `I1` that says whether the source lane was in range.
    Shuffle {
        mode: ShuffleMode,
        ty: Ty,
        value: Operand,
        lane: Operand,
        clamp: Operand,
        mask: Option<Operand>,
        predicate: bool,
    },
    Vote {
        kind: VoteKind,
        pred: Operand,
        mask: Option<Operand>,
    },
    /// `__match_any_sync` (result `I32`), `__match_all_sync` (result `I32`, then
    /// an `I1` in the next register).
    Match {
        all: bool,
        ty: Ty,
        value: Operand,
        mask: Operand,
    },
    /// `A * B + C` by all lanes of a warp together, which orders no memory: registers of the lane as [`Product`] says. The
    /// results are as many registers as `c` has.
    MatrixProduct {
        product: Product,
        a: Vec<Operand>,
        b: Vec<Operand>,
        c: Vec<Operand>,
    },
    ActiveMask,

    Print {
        format: Operand,
        args: PrintArgs,
    },
    /// A check of the program's own: a finding where `cond` is false.
    Assert {
        cond: Operand,
        message: String,
    },
    /// A precondition: a launch where it is false is not one the kernel is for.
    Requires {
        cond: Operand,
        text: String,
    },
    /// `__nanosleep` and its like: a good moment to let others run.
    Yield,
    /// A call of a function that the source declares and does not define; index
    /// into [`Kernel::unsupported`]. It takes no pointers. Who executes the kernel
    /// must stop here.
    Foreign {
        what: u32,
        results: u8,
    },
    /// Something outside what Lockstep models; index into
    /// [`Kernel::unsupported`]. Reaching it makes every verdict `unknown`.
    Unsupported(u32),
}

impl Op {
    /// Calls `f` for each operand the operation reads.
    pub fn for_each_operand(&self, mut f: impl FnMut(Operand)) {
        match self {
            Op::Int { a, b, .. }
            | Op::Float { a, b, .. }
            | Op::Math { a, b, .. }
            | Op::Cmp { a, b, .. } => {
                f(*a);
                f(*b);
            }
            Op::IntUn { a, .. }
            | Op::FloatUn { a, .. }
            | Op::Cast { a, .. }
            | Op::Copy { a, .. } => f(*a),
            Op::Funnel { hi: a, lo: b, amount: c, .. }
            | Op::Fma { a, b, c, .. }
            | Op::Select { cond: a, a: b, b: c, .. }
            | Op::MemSet { dst: a, byte: b, len: c, .. }
            | Op::Atomic { addr: a, value: b, expected: c, .. } => {
                f(*a);
                f(*b);
                f(*c);
            }
            Op::MemCopy { dst, src, len, done, .. } => {
                [dst, src, len].into_iter().for_each(|o| f(*o));
                if let CopyDone::Signal(at) = done {
                    f(*at);
                }
            }
            Op::Index { base, index, .. } => {
                f(*base);
                f(*index);
            }
            Op::Texel { image, coords, .. } => {
                f(*image);
                coords.iter().for_each(|(_, o)| f(*o));
            }
            Op::Load { addr: a, .. }
            | Op::Alloc { size: a }
            | Op::AwaitCopies { left: a, .. }
            | Op::SignalCopies { addr: a }
            | Op::Free { ptr: a }
            | Op::ImageSize { image: a, .. } => f(*a),
            Op::Store { values, addr, .. } => {
                values.iter().copied().for_each(&mut f);
                f(*addr);
            }
            Op::GroupCopy { dst, src, count, dst_stride, src_stride, event, .. } => {
                [dst, src, count, dst_stride, src_stride, event].into_iter().for_each(|o| f(*o));
            }
            Op::Barrier { barrier, .. } => match barrier {
                Barrier::Block { id, threads, reduce, .. } => {
                    f(*id);
                    threads.iter().copied().for_each(&mut f);
                    if let Some((_, p)) = reduce {
                        f(*p);
                    }
                }
                Barrier::Arrive { id, threads } => {
                    f(*id);
                    f(*threads);
                }
                Barrier::Await { id: a } | Barrier::Warp { mask: a } => f(*a),
                Barrier::GroupCopies { count, list, .. } => {
                    f(*count);
                    f(*list);
                }
                Barrier::Grid => {}
            },
            Op::Shuffle { value, lane, clamp, mask, .. } => {
                [value, lane, clamp].into_iter().for_each(|o| f(*o));
                mask.iter().copied().for_each(&mut f);
            }
            Op::Vote { pred, mask, .. } => {
                f(*pred);
                mask.iter().copied().for_each(&mut f);
            }
            Op::Match { value, mask, .. } => {
                f(*value);
                f(*mask);
            }
            Op::MatrixProduct { a, b, c, .. } => {
                a.iter().chain(b).chain(c).copied().for_each(&mut f);
            }
            Op::Print { format, args } => {
                f(*format);
                match args {
                    PrintArgs::Buffer(b) => f(*b),
                    PrintArgs::Values(vs) => {
                        vs.iter().flat_map(|v| &v.lanes).copied().for_each(&mut f)
                    }
                }
            }
            Op::Assert { cond, .. } | Op::Requires { cond, .. } => f(*cond),
            Op::Special(_)
            | Op::Fence { .. }
            | Op::CommitCopies { .. }
            | Op::ProxyFence
            | Op::ActiveMask
            | Op::Yield
            | Op::Foreign { .. }
            | Op::Unsupported(_) => {}
        }
    }

    /// Registers the operation defines, counted from [`Inst::dst`].
    pub fn result_count(&self) -> u32 {
        match self {
            Op::Load { count, .. } => *count as u32,
            Op::Foreign { results, .. } => *results as u32,
            Op::MatrixProduct { c, .. } => c.len() as u32,
            Op::Shuffle { predicate: true, .. } | Op::Match { all: true, .. } => 2,
            Op::Store { .. }
            | Op::MemCopy { .. }
            | Op::MemSet { .. }
            | Op::CommitCopies { .. }
            | Op::AwaitCopies { .. }
            | Op::SignalCopies { .. }
            | Op::ProxyFence
            | Op::Fence { .. }
            | Op::Free { .. }
            | Op::Print { .. }
            | Op::Assert { .. }
            | Op::Requires { .. }
            | Op::Yield
            | Op::Unsupported(_) => 0,
            Op::Atomic { op: AtomicOp::Store, .. } => 0,
            Op::Barrier { barrier: Barrier::Block { reduce: Some(_), .. }, .. } => 1,
            Op::Barrier { .. } => 0,
            _ => 1,
        }
    }

    /// Whether the result hangs on the operands and on the thread alone, and nothing else happens.
    pub fn is_pure(&self) -> bool {
        matches!(
            self,
            Op::Int { .. }
                | Op::IntUn { .. }
                | Op::Funnel { .. }
                | Op::Float { .. }
                | Op::FloatUn { .. }
                | Op::Fma { .. }
                | Op::Math { .. }
                | Op::Cmp { .. }
                | Op::Cast { .. }
                | Op::Select { .. }
                | Op::Copy { .. }
                | Op::Index { .. }
                | Op::Texel { .. }
                | Op::ImageSize { .. }
                | Op::Special(_)
        )
    }

    /// The site of an access, barrier or fence (of the write, where an operation
    /// has two).
    pub fn site(&self) -> Option<SiteId> {
        match self {
            Op::Load { site, .. }
            | Op::Store { site, .. }
            | Op::Atomic { site, .. }
            | Op::MemSet { site, .. }
            | Op::Fence { site, .. }
            | Op::Barrier { site, .. } => Some(*site),
            Op::MemCopy { write, .. } | Op::GroupCopy { write, .. } => Some(*write),
            _ => None,
        }
    }
}
