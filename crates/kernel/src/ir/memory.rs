//! What a kernel works on: static objects and parameters.

use serde::{Deserialize, Serialize};

use super::operators::*;
use crate::{LocId, Space, Ty};

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
