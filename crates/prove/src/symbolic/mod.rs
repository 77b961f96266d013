//! The kernel for one generic thread: its values as terms, its loops, its memory, and its recorded operations.

pub(crate) mod arithmetic;
pub(crate) mod evaluate;
pub(crate) mod images;
pub(crate) mod in_step;
pub(crate) mod loop_bounds;
pub(crate) mod loops;
pub(crate) mod memory;
pub(crate) mod operations;
pub(crate) mod provenance;
pub(crate) mod records;
pub(crate) mod source;
pub(crate) mod tables;
pub(crate) mod versions;
pub(crate) mod warp_values;
