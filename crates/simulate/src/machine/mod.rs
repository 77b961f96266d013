//! The SIMT machine: the blocks of a launch, their warps, memory, and synchronisation.

pub(crate) mod access;
pub(crate) mod atomics;
pub(crate) mod barrier;
pub(crate) mod block;
pub(crate) mod buffered;
pub(crate) mod claims;
pub(crate) mod copies;
pub(crate) mod execute;
pub(crate) mod fault;
pub(crate) mod grid;
pub(crate) mod heap;
pub(crate) mod image;
pub(crate) mod memory;
pub(crate) mod observe;
pub(crate) mod partial_barrier;
pub(crate) mod print;
pub(crate) mod warp;
pub(crate) mod warp_operations;
pub(crate) mod world;
