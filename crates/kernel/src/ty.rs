//! Scalar types, address spaces, scopes and orders, and how a warp is scheduled.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The type of a register: a scalar. Integers carry no sign; operations do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Ty {
    I1,
    I8,
    I16,
    I32,
    I64,
    F16,
    F32,
    F64,
    /// A pointer into any address space: 64 bits wide everywhere.
    Ptr,
}

impl Ty {
    /// Width in bits.
    pub fn bits(self) -> u32 {
        match self {
            Ty::I1 => 1,
            Ty::I8 => 8,
            Ty::I16 | Ty::F16 => 16,
            Ty::I32 | Ty::F32 => 32,
            Ty::I64 | Ty::F64 | Ty::Ptr => 64,
        }
    }

    /// Bytes the type takes in memory (`I1` takes one).
    pub fn bytes(self) -> u32 {
        self.bits().div_ceil(8)
    }

    pub fn is_float(self) -> bool {
        matches!(self, Ty::F16 | Ty::F32 | Ty::F64)
    }

    pub fn is_int(self) -> bool {
        !self.is_float() && self != Ty::Ptr
    }

    /// The mask of the bits that a value of this type may have set.
    pub fn mask(self) -> u64 {
        if self.bits() == 64 { u64::MAX } else { (1 << self.bits()) - 1 }
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Ty::I1 => "i1",
            Ty::I8 => "i8",
            Ty::I16 => "i16",
            Ty::I32 => "i32",
            Ty::I64 => "i64",
            Ty::F16 => "f16",
            Ty::F32 => "f32",
            Ty::F64 => "f64",
            Ty::Ptr => "ptr",
        })
    }
}

/// Where an object lives. `Generic` is only ever a static approximation: the
/// pointer itself always knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Space {
    Global,
    Shared,
    Constant,
    Private,
    Generic,
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Space::Global => "global",
            Space::Shared => "shared",
            Space::Constant => "constant",
            Space::Private => "private",
            Space::Generic => "generic",
        })
    }
}

/// The set of threads among which an atomic or a fence takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Scope {
    Thread,
    Warp,
    Block,
    Device,
    System,
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Scope::Thread => "thread",
            Scope::Warp => "warp",
            Scope::Block => "block",
            Scope::Device => "device",
            Scope::System => "system",
        })
    }
}

/// Memory order of an atomic or a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Order {
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

impl Order {
    pub fn acquires(self) -> bool {
        matches!(self, Order::Acquire | Order::AcqRel | Order::SeqCst)
    }
    pub fn releases(self) -> bool {
        matches!(self, Order::Release | Order::AcqRel | Order::SeqCst)
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Order::Relaxed => "relaxed",
            Order::Acquire => "acquire",
            Order::Release => "release",
            Order::AcqRel => "acq_rel",
            Order::SeqCst => "seq_cst",
        })
    }
}

/// The language a kernel was written in. Barriers of exited threads, warps and
/// barrier flags differ between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Language {
    Cuda,
    OpenCl,
    /// LLVM IR without a source: treated as CUDA where the two differ.
    Llvm,
    /// C and C++ for the host: a function that is run by one thread, to compare kernels with.
    C,
    Cpp,
}

impl Language {
    /// Whether it is for the host, and not for a device.
    pub fn is_host(self) -> bool {
        matches!(self, Language::C | Language::Cpp)
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Language::Cuda => "cuda",
            Language::OpenCl => "opencl",
            Language::Llvm => "llvm",
            Language::C => "c",
            Language::Cpp => "c++",
        })
    }
}

/// May threads of a warp run apart between synchronisations?
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum Scheduling {
    /// Yes: Volta and later, and all of OpenCL.
    #[default]
    Independent,
    /// No: before Volta.
    Lockstep,
}
