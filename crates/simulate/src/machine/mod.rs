//! The SIMT machine: the blocks of a launch, their warps, and the ways to memory and to other threads.

pub(crate) mod access;
pub(crate) mod barrier;
pub(crate) mod block;
pub(crate) mod grid;
pub(crate) mod heap;
pub(crate) mod image;
pub(crate) mod partial_barrier;
pub(crate) mod print;
pub(crate) mod print_format;
