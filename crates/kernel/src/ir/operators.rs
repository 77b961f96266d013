//! Registers and operands, and the operators that operations are made of.

use serde::{Deserialize, Serialize};

use crate::Ty;

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
    /// The result of a function whose accuracy is the device's own choice, by the family that it is from: CUDA's
    /// `__expf`, OpenCL's `native_exp` (and `fast_length`, `mad`), OpenCL's `half_exp`. The operand is the accurate
    /// result, and is what the simulator takes; two results of one family and of equal operands are equal.
    Fast,
    Native,
    Half,
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
    /// An update of a barrier object in memory, an `I64` ([`crate::semantics::phase`]).
    Arrive,
}

/// When a copy of one thread is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CopyDone {
    /// Before the thread goes on.
    AtOnce,
    /// When the thread has waited for the group that the copy is in: `cp.async`, or, with groups of their own,
    /// `cp.async.bulk`.
    Group { bulk: bool },
    /// `cp.async.bulk` with a barrier object at this address (`mbarrier`): when somebody has seen that the phase is over
    /// which the copy belongs to. That the bytes have arrived there is an operation of its own.
    Signal(Operand),
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
