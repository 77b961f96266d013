//! Source places, and the sites of accesses, barriers and fences.

use serde::{Deserialize, Serialize};

use crate::{Scope, Space};

/// Index into [`crate::Kernel::locs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LocId(pub u32);

/// A place in the source, with the call it was inlined at, if any.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Loc {
    /// Index into [`crate::Kernel::files`].
    pub file: u32,
    /// 1-based; 0 where the compiler gave none.
    pub line: u32,
    pub column: u32,
    /// Name of the function that contains the place, as the source has it.
    pub function: String,
    /// The call at which that function was inlined, outermost last.
    pub inlined_at: Option<LocId>,
}

/// Index into [`crate::Kernel::sites`]. Keeps its meaning from the front end to
/// the findings: an edit of the kernel never renumbers sites.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SiteId(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum SiteKind {
    Read,
    Write,
    /// An atomic read-modify-write, or an atomic load or store.
    Atomic,
    Barrier,
    Fence,
}

/// One static access, barrier or fence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Site {
    pub kind: SiteKind,
    pub loc: LocId,
    /// What the front end could tell of the address space.
    pub space: Space,
    /// Bytes one thread touches; 0 where it depends on a run-time length.
    pub size: u32,
    /// Alignment in bytes that the compiler relies on for the access (LLVM's
    /// `align`); 1 for barriers and fences.
    pub align: u32,
    /// The variable or parameter the access goes through, where it is known.
    pub through: Option<String>,
    pub volatile: bool,
    /// For atomics and fences: their scope.
    pub scope: Scope,
    /// The read of a flag: a volatile or atomic one whose value decides whether the loop around it goes
    /// on, or a volatile one whose value decides branches and goes nowhere else. Set by
    /// [`crate::polling::mark_polling_reads`].
    pub polling: bool,
    /// Which LLVM instruction of the kernel's entry function this was, counted
    /// in order after the front end's passes; the way back for instrumentation.
    pub origin: u32,
}
