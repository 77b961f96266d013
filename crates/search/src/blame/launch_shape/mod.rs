//! Rows about the block and the grid: their sizes and shapes, and whether groups of threads and named barriers are
//! complete.

mod block;
mod dimensions;
mod logarithms;
mod multiples;
mod named_barriers;
mod shapes;
mod thread_groups;
