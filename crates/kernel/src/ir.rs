//! The data of a kernel: registers, operations, blocks, objects, parameters.

use serde::{Deserialize, Serialize};

use crate::{Language, Loc, LocId, Order, Scope, Site, SiteId, Space, Ty};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Reg(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BlockId(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ObjectId(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Operand {
    Reg(Reg),
    /// The bits of a constant, zero-extended.
    Imm(u64),
    /// The address of a static object, plus bytes.
    Object(ObjectId, i64),
    /// A value the program never gave: reads as zero, but engines may warn.
    Undef,
}

/// Integer operations. What each means at the edges (division by zero, shift
/// beyond the width) is defined once, in [`crate::semantics`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum IntOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    And,
    Or,
    Xor,
    Shl,
    LShr,
    AShr,
    UMin,
    UMax,
    SMin,
    SMax,
    UMulHi,
    SMulHi,
    UAddSat,
    SAddSat,
    USubSat,
    SSubSat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum IntUnOp {
    PopCount,
    /// Leading zeros; the width for zero.
    Clz,
    /// Trailing zeros; the width for zero.
    Ctz,
    BitReverse,
    ByteSwap,
    Abs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FloatOp {
    Add,
    Sub,
    Mul,
    Div,
    /// C's `fmod`.
    Rem,
    /// IEEE minNum/maxNum: the other operand where one is a NaN.
    Min,
    Max,
    CopySign,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FloatUnOp {
    Neg,
    Abs,
    Sqrt,
    Floor,
    Ceil,
    Trunc,
    /// Nearest, ties to even (`rint`).
    RoundEven,
    /// Nearest, ties away from zero (`round`).
    RoundAway,
}

/// Rounding other than to nearest even, for the `_rz`, `_ru`, `_rd` forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Rounding {
    NearestEven,
    TowardZero,
    Up,
    Down,
}

/// Functions of the maths library: evaluated in double precision and rounded
/// once for `f16` and `f32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum MathFn {
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Atan2,
    Sinh,
    Cosh,
    Tanh,
    Asinh,
    Acosh,
    Atanh,
    SinPi,
    CosPi,
    TanPi,
    AsinPi,
    AcosPi,
    AtanPi,
    Atan2Pi,
    Exp,
    Exp2,
    Exp10,
    ExpM1,
    Log,
    Log2,
    Log10,
    Log1p,
    LogB,
    Pow,
    Cbrt,
    RSqrt,
    RCbrt,
    Hypot,
    Erf,
    Erfc,
    TGamma,
    LGamma,
    /// IEEE remainder.
    Remainder,
    /// Positive difference.
    FDim,
    NextAfter,
    /// `a * 2^b`, `b` an `I32` operand.
    LdExp,
    /// `ilogb`: the result is an `I32` register.
    ILogB,
    /// Fraction of `frexp`; the exponent is [`MathFn::FrexpExp`].
    FrexpFrac,
    /// Exponent of `frexp`: the result is an `I32` register.
    FrexpExp,
    J0,
    J1,
    Y0,
    Y1,
    NormCdf,
    ErfInv,
    ErfcInv,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CmpOp {
    Eq,
    Ne,
    ULt,
    ULe,
    UGt,
    UGe,
    SLt,
    SLe,
    SGt,
    SGe,
    /// Ordered float comparisons: false where an operand is a NaN.
    FOEq,
    FONe,
    FOLt,
    FOLe,
    FOGt,
    FOGe,
    /// Neither is a NaN.
    FOrd,
    /// Unordered ones: true where an operand is a NaN.
    FUEq,
    FUNe,
    FULt,
    FULe,
    FUGt,
    FUGe,
    FUno,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CastOp {
    /// Integer to integer, and pointer to integer and back.
    Trunc,
    ZExt,
    SExt,
    /// Same width, other type.
    Bit,
    /// Integer to float.
    UToF(Rounding),
    SToF(Rounding),
    /// Float to integer, with the rounding given; saturating, NaN to zero, as
    /// GPUs do.
    FToU(Rounding),
    FToS(Rounding),
    /// Float to float.
    FToF(Rounding),
}

/// Values that hardware or run-time give a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Special {
    /// Axis 0, 1, 2.
    ThreadId(u8),
    BlockId(u8),
    BlockDim(u8),
    GridDim(u8),
    LaneId,
    WarpId,
    WarpsPerBlock,
    WarpSize,
    /// Lane masks as PTX has them.
    LaneMaskEq,
    LaneMaskLt,
    LaneMaskLe,
    LaneMaskGt,
    LaneMaskGe,
    /// A counter that only grows.
    Clock,
    /// OpenCL: global offset of an axis.
    GlobalOffset(u8),
    /// OpenCL: `get_work_dim`.
    WorkDim,
    /// Bytes of dynamic shared memory.
    DynamicSharedSize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum AtomicOp {
    Load,
    Store,
    Exchange,
    Add,
    Sub,
    And,
    Or,
    Xor,
    Nand,
    SMin,
    SMax,
    UMin,
    UMax,
    FAdd,
    FSub,
    FMin,
    FMax,
    /// CUDA's `atomicInc`: `old >= v ? 0 : old + 1`.
    Inc,
    /// CUDA's `atomicDec`: `old == 0 || old > v ? v : old - 1`.
    Dec,
    /// Compare and swap; returns the old value.
    CompareExchange,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BarrierReduce {
    Count,
    And,
    Or,
    /// OpenCL's `work_group_reduce_…`: all values of the block, combined.
    Fold {
        op: AtomicOp,
        ty: Ty,
    },
    /// `work_group_scan_…`: those of the threads before, in the order of their numbers, and perhaps one's own.
    Scan {
        op: AtomicOp,
        ty: Ty,
        inclusive: bool,
    },
}

impl BarrierReduce {
    /// The type of what each thread gives, and of the result.
    pub fn types(self) -> (Ty, Ty) {
        match self {
            BarrierReduce::Fold { ty, .. } | BarrierReduce::Scan { ty, .. } => (ty, ty),
            _ => (Ty::I1, Ty::I32),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Barrier {
    /// `__syncthreads`, `bar.sync`, `barrier()`: id 0 and all threads unless
    /// told otherwise.
    Block {
        id: Operand,
        /// Number of participating threads, a multiple of the warp size.
        threads: Option<Operand>,
        /// Which memory the barrier orders.
        orders_shared: bool,
        orders_global: bool,
        /// `bar.red` and its like: the result is a register ([`BarrierReduce::types`]).
        reduce: Option<(BarrierReduce, Operand)>,
    },
    /// `bar.arrive`: counts, but does not wait.
    Arrive { id: Operand, threads: Operand },
    /// The second half of a split barrier: waits until `threads` threads have arrived, of which the thread itself was
    /// one.
    Await { id: Operand },
    /// `__syncwarp(mask)`.
    Warp { mask: Operand },
    /// Cooperative groups' `this_grid().sync()`.
    Grid,
    /// OpenCL's `wait_group_events`: the group copies of the block whose events are in a list of so many (an `I64`) are
    /// done and visible; orders nothing else. `all`: these are certainly all that are under way.
    GroupCopies { all: bool, count: Operand, list: Operand },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ShuffleMode {
    /// From lane `lane`.
    Index,
    /// From `lane` lanes below.
    Up,
    /// From `lane` lanes above.
    Down,
    /// From the lane whose number is xored with `lane`.
    Butterfly,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum VoteKind {
    /// `I1` results.
    Any,
    All,
    Uniform,
    /// `I32` result.
    Ballot,
}

/// How a `printf` gets its arguments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum PrintArgs {
    /// A private buffer laid out as C lays out the promoted arguments.
    Buffer(Operand),
    /// Values with their types; a vector is several entries of `lanes`.
    Values(Vec<PrintValue>),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PrintValue {
    pub ty: Ty,
    /// One operand for a scalar, several for an OpenCL vector.
    pub lanes: Vec<Operand>,
}

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
    /// `len` bytes, as one read and one write of each thread. An `asynchronous` one (`cp.async`) is made at some time
    /// between here and the thread's wait for it.
    MemCopy {
        read: SiteId,
        write: SiteId,
        dst: Operand,
        src: Operand,
        len: Operand,
        asynchronous: bool,
    },
    /// The thread's asynchronous copies since the last commit are a group.
    CommitCopies,
    /// All groups of asynchronous copies of the thread but the `left` newest (an `I32`) are done.
    AwaitCopies {
        left: Operand,
    },
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

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Inst {
    pub dst: Option<Reg>,
    pub op: Op,
    pub loc: LocId,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Phi {
    pub dst: Reg,
    pub ty: Ty,
    pub incoming: Vec<(BlockId, Operand)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Terminator {
    Jump(BlockId),
    Branch {
        cond: Operand,
        then: BlockId,
        otherwise: BlockId,
        loc: LocId,
    },
    /// The thread is done.
    Return,
    /// Control cannot come here (after a trap or `__builtin_unreachable`).
    Unreachable,
}

impl Terminator {
    pub fn successors(&self) -> impl Iterator<Item = BlockId> {
        let (a, b) = match *self {
            Terminator::Jump(t) => (Some(t), None),
            Terminator::Branch { then, otherwise, .. } if then == otherwise => (Some(then), None),
            Terminator::Branch { then, otherwise, .. } => (Some(then), Some(otherwise)),
            Terminator::Return | Terminator::Unreachable => (None, None),
        };
        a.into_iter().chain(b)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// Label from the source IR, for the dump.
    pub name: String,
    pub phis: Vec<Phi>,
    pub insts: Vec<Inst>,
    pub term: Terminator,
}

/// What an array is made of, for element numbers and for argument values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Elem {
    Scalar(Ty),
    /// A vector, struct or inner array of so many bytes.
    Bytes(u32),
}

impl Elem {
    pub fn size(self) -> u32 {
        match self {
            Elem::Scalar(t) => t.bytes(),
            Elem::Bytes(n) => n,
        }
    }
}

/// A static object: a shared array, a `__device__` or `__constant__` variable,
/// a string, or a private variable that did not fit into registers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Object {
    pub name: String,
    pub space: Space,
    /// Bytes; 0 together with `dynamic` for `extern __shared__` arrays.
    pub size: u64,
    pub align: u32,
    pub elem: Elem,
    /// Its size is the launch's dynamic shared memory.
    pub dynamic: bool,
    /// Initial bytes (absent: zero for global memory, uninitialised for shared
    /// and private memory).
    pub init: Option<Vec<u8>>,
    /// Addresses of other objects within `init`: (offset, object, addend).
    pub relocations: Vec<(u64, ObjectId, i64)>,
    /// `init` is what every launch finds: nobody can have changed it. A `__constant__` variable that is not `const` is
    /// the host's to set.
    pub fixed: bool,
    /// Its address may be known outside of the kernel: a pointer that a launch gives may point into it.
    pub exported: bool,
    pub loc: Option<LocId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ParamKind {
    /// A scalar of `count` consecutive registers (more than one for vectors and
    /// small structs passed in registers).
    Scalar { ty: Ty, count: u8 },
    /// A pointer to global or constant memory of the launch's.
    Buffer { space: Space, elem: Elem, readonly: bool },
    /// An OpenCL `__local` pointer: the launch says how many bytes.
    Local { elem: Elem },
    /// A struct passed by value: the register points to a read-only copy.
    Aggregate { size: u32, align: u32 },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Param {
    pub name: String,
    pub kind: ParamKind,
    /// First register that holds it on entry.
    pub reg: Reg,
    /// The type as the source spells it, where known.
    pub source_type: String,
    /// Whether integer values are signed, where known (for printing).
    pub signed: bool,
    /// For a pointer, the alignment that the type asks for that it points to; 1 where that is not known.
    pub align: u32,
    /// Where a struct parameter holds it, for a field that is a parameter of its own.
    pub within: Option<Within>,
    /// For a variable that somebody else sets and the kernel only reads: the memory that it is in.
    pub variable: Option<Space>,
}

/// What a pointer of a launch may point into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Array {
    /// The array of a parameter, by position.
    Param(usize),
    Object(ObjectId),
}

impl Param {
    /// Whether it is a pointer with the qualifier `restrict`. The name of what it points to may hold that word, too.
    pub fn is_restrict(&self) -> bool {
        is_restrict(&self.source_type)
    }
}

/// The same of a type as the source spells it.
pub fn is_restrict(source_type: &str) -> bool {
    let qualifiers = source_type.rsplit_once('*').map_or("", |(_, after)| after);
    qualifiers.split_whitespace().any(|w| w.trim_matches('_') == "restrict")
}

/// A place in a struct parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Within {
    /// The struct, among the kernel's parameters.
    pub param: usize,
    pub offset: u32,
}

/// Something the front end met and does not model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unsupported {
    pub what: String,
    pub loc: LocId,
}

/// A size of the launch that is not the block's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WorkSize {
    /// Threads of a whole block, OpenCL's `get_enqueued_local_size`, in place of a [`Special::BlockDim`].
    Enqueued,
    /// Threads of the launch along an axis, OpenCL's `get_global_size`.
    Global(u8),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kernel {
    /// As the source has it (with template arguments).
    pub name: String,
    pub mangled: String,
    pub language: Language,
    pub loc: LocId,
    pub params: Vec<Param>,
    pub objects: Vec<Object>,
    /// Type of each register.
    pub regs: Vec<Ty>,
    /// Names of registers that stand for variables of the source.
    pub reg_names: Vec<(Reg, String)>,
    /// Addresses of elements that a value picks ([`Op::Index`]), and how many elements the array has by its type, be it
    /// a row or a member of something larger. The language has no others there; nothing checks it.
    pub extents: Vec<(Reg, u64)>,
    /// Entry first.
    pub blocks: Vec<Block>,
    pub sites: Vec<Site>,
    pub locs: Vec<Loc>,
    /// Paths as the compiler was given them.
    pub files: Vec<String>,
    pub unsupported: Vec<Unsupported>,
    /// Pointer parameters that get an address in what another pointer points to, nobody knows where ([`crate::edit::aliased`]).
    pub beside: Vec<(usize, Array)>,
    /// `reqd_work_group_size`: no launch has another block.
    pub required_block: Option<[u32; 3]>,
    /// `__launch_bounds__`: no launch has more threads in a block, whatever its shape.
    pub most_threads: Option<u32>,
    /// The last blocks of a launch may be smaller than the others: OpenCL 2.0 without
    /// `-cl-uniform-work-group-size`.
    pub remainders: bool,
    /// What these registers hold is the same in all blocks, smaller ones too. Where no block is smaller, they hold what
    /// the operation says that makes them.
    pub work_sizes: Vec<(Reg, WorkSize)>,
}

impl Kernel {
    /// How many parameters the source gives the kernel: those that stand for fields of others come behind them.
    pub fn own_params(&self) -> usize {
        self.params.iter().filter(|p| p.within.is_none() && p.variable.is_none()).count()
    }
    /// The parameters that stand for fields of a struct parameter.
    pub fn fields_of(&self, param: usize) -> impl Iterator<Item = (usize, &Param)> {
        let of = move |p: &Param| p.within.is_some_and(|w| w.param == param);
        self.params.iter().enumerate().filter(move |(_, p)| of(p))
    }
    /// The parameter that stands for the field at an offset of a struct parameter.
    pub fn field_at(&self, param: usize, offset: u32) -> Option<(usize, &Param)> {
        let at = |p: &Param| p.within.is_some_and(|w| w.offset == offset);
        self.fields_of(param).find(|(_, p)| at(p))
    }
    pub fn site(&self, id: SiteId) -> &Site {
        &self.sites[id.0 as usize]
    }
    pub fn loc(&self, id: LocId) -> &Loc {
        &self.locs[id.0 as usize]
    }
    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.0 as usize]
    }
    pub fn reg_ty(&self, r: Reg) -> Ty {
        self.regs[r.0 as usize]
    }
    pub fn insts(&self) -> impl Iterator<Item = &Inst> {
        self.blocks.iter().flat_map(|b| &b.insts)
    }
    /// How many coordinates a parameter has that is a texture, a surface or an
    /// image, and in which steps.
    pub fn image(&self, param: usize) -> Option<(u8, u32)> {
        let reg = Operand::Reg(self.params[param].reg);
        self.insts().find_map(|i| match i.op {
            Op::Texel { image, rank, unit, .. } | Op::ImageSize { image, rank, unit, .. } => {
                (image == reg).then_some((rank, unit))
            }
            _ => None,
        })
    }
    /// What a register stands for in place of the block's own size.
    pub fn work_size(&self, r: Reg) -> Option<WorkSize> {
        self.work_sizes.iter().find(|(own, _)| *own == r).map(|(_, size)| *size)
    }
    /// Whether smaller blocks at the end of a launch can do what no thread of whole blocks would: something asks for their
    /// size, or for threads that they do not have.
    pub fn asks_for_block_sizes(&self) -> bool {
        let shares = self.objects.iter().any(|o| o.space == Space::Shared)
            || self.params.iter().any(|p| matches!(p.kind, ParamKind::Local { .. }));
        let asks = |i: &Inst| match &i.op {
            Op::Special(Special::BlockDim(_)) => i.dst.and_then(|r| self.work_size(r)).is_none(),
            Op::Special(Special::WarpId | Special::WarpsPerBlock) => true,
            Op::Int { .. } => {
                matches!(i.dst.and_then(|r| self.work_size(r)), Some(WorkSize::Global(_)))
            }
            Op::Barrier { .. }
            | Op::GroupCopy { .. }
            | Op::Shuffle { .. }
            | Op::Vote { .. }
            | Op::Match { .. } => true,
            _ => false,
        };
        self.remainders && (shares || self.insts().any(asks))
    }
    /// Which of the three axes of thread and block indices the kernel looks at.
    pub fn axes_used(&self) -> [bool; 3] {
        let mut used = [false; 3];
        for inst in self.insts() {
            if let Op::Special(
                Special::ThreadId(a)
                | Special::BlockId(a)
                | Special::BlockDim(a)
                | Special::GridDim(a),
            ) = inst.op
            {
                used[a as usize] = true;
            }
        }
        used
    }
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
            | Op::MemCopy { dst: a, src: b, len: c, .. }
            | Op::MemSet { dst: a, byte: b, len: c, .. }
            | Op::Atomic { addr: a, value: b, expected: c, .. } => {
                f(*a);
                f(*b);
                f(*c);
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
            | Op::AwaitCopies { left: a }
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
            | Op::CommitCopies
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
            Op::Shuffle { predicate: true, .. } | Op::Match { all: true, .. } => 2,
            Op::Store { .. }
            | Op::MemCopy { .. }
            | Op::MemSet { .. }
            | Op::CommitCopies
            | Op::AwaitCopies { .. }
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
