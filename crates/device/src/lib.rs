//! A kernel that checks itself on a GPU: which of its accesses are checked, what is kept for each piece of memory, and
//! what the report says.
//!
//! After GMRace ("GMRace: Detecting Data Races in GPU Programs via a Low-Overhead Scheme", TPDS 2014): a proof leaves out
//! what cannot race ([`plan`]); the rest is checked while the kernel runs on the device. The checkers are
//! in `crates/frontend/device`; the front end puts calls of one into the kernel. This crate knows neither LLVM nor
//! a driver: it says what the words mean that both sides share ([`abi`]), what is in the file that `lockstep device build`
//! writes ([`archive`]), how memory is laid out for a launch ([`layout`]), and which findings a report holds ([`report`], and
//! [`statements`] for the scheme `statement`).
//!
//! # The scheme `flag`
//!
//! GMRace keeps two flags for each warp and each word of shared memory, and compares them at every barrier. Here one cell
//! for each piece of memory says all that these flags say, and is looked at when memory is accessed, so that a barrier
//! costs nothing. A piece is as large as the smallest access allows, one byte where bytes are accessed.
//!
//! A cell says at up to three levels (blocks of the grid, warps of the block, lanes of the warp) what was done and by
//! whom: by one, or by several. A level holds what was done since the last thing that orders it: a barrier of the block
//! for warps, a barrier of the warp for lanes, nothing for blocks. What was done is one of: read atomically, read,
//! updated atomically, read and updated by the same one, written. Two accesses conflict where one is a write, or
//! where one is a read and the other an atomic update. As long as nothing conflicts, several can only have read, or only
//! have updated: so one name and a mark for "several" decide. The times that barriers count are in the cell, too; a cell
//! with an old time counts as empty, and nothing is reset at a barrier.
//!
//! | memory | bits of a cell | bytes per byte, for pieces of 1, 2, 4, 8 and 16 bytes |
//! |---|---|---|
//! | shared | 32 | 4, 2, 1, 0.5, 0.25 |
//! | global | 64 | 8, 4, 2, 1, 0.5 |
//!
//! Cells of shared memory lie behind the block's own shared memory, if they fit there, else in global memory, for each
//! block of the grid. A cell changes by compare-and-swap: of two accesses that conflict, the one that comes to the cell
//! second sees the other, in whatever order they run, and however far apart. Most accesses leave their cell as it is, which
//! one load shows; the usual changes are made in a few instructions at the access, all others by a function. Of lanes that
//! read or update one piece together, one does it for all. What is kept for a thread between accesses is little, since registers
//! that the checker takes are threads that do not run.
//!
//! A warp's conflicts are found in the same way as those between warps: threads of a warp are ordered by barriers of the
//! warp only (independent thread scheduling, `sm_70` and later).
//!
//! What the kernel only reads is checked for its bounds, and not for races; that rests on arrays that do not overlap. A read whose
//! thread comes to the same place again, with nothing between that orders it with others, is checked with that access. An access
//! whose address stays the same in a loop is recorded once for the loop, and one that all threads of the block make together, at one address,
//! by a few of them (`once.rs` tells why that loses nothing). All are chosen by the [`plan`].
//!
//! # The scheme `statement`
//!
//! A cell names no statement. With this scheme the kernel is launched once more: [`statements`] tells how both statements and
//! both threads are found.
//!
//! # Barriers
//!
//! A barrier of the block that is not proved to be reached by all threads is made by the checker: each thread says at which
//! barrier it is, and the barrier counts who has come. It is told of where threads have left before, or some were at
//! another barrier. Where threads wait for others that never come, the launch is stopped when its time is over, and nothing is known
//! of the place.
//!
//! # What a finding means
//!
//! Two threads have accessed one piece of memory in a way that conflicts, with nothing between that orders them: the race
//! is confirmed. Where the second thread has before made an atomic operation whose result it uses, or a volatile read
//! that a branch or a call depends on (or a thread of its block has, before a barrier of block or warp), that operation may have ordered the two: the
//! finding is only possible, and the simulator can say more. That is decided by what the code does, never guessed.
//!
//! # What it can miss
//!
//! - accesses that the launch does not make, as every dynamic tool;
//! - races in which one side is ordered by a barrier of *some* threads of a warp: times after it may differ where nothing is
//!   ordered;
//! - more than 63 barriers of a warp between two barriers of the block, and more than 8,191 barriers of the block for
//!   global memory: the report says so, and nothing is called clean;
//! - blocks whose numbers differ by a multiple of 4,194,304 count as one block;
//! - an atomic read beside plain reads or updates of others is forgotten; atomics of different widths at one place, and
//!   two volatile stores where the kernel also polls flags, count as ordered;
//! - of the first access of a pair the scheme `flag` knows the thread (where it was one), and what it did, but not the statement;
//! - of barriers, those whose result the kernel uses (`__syncthreads_count`);
//! - memory that no argument and no variable of the file is, such as what a device's `malloc` gives: the report says so.
//!
//! A race in which all store the same value is a race here: values are not looked at. How often a race occurred is a lower
//! bound, since some accesses are recorded once for others.
//!
//! # What is not built
//!
//! A kernel with barriers that only some warps take part in, barriers of the grid, asynchronous copies, textures, or
//! something that the front end has no meaning for, is refused: each would be ordered in ways that a cell cannot say.
//!
//! **Architecture Invariant:** nothing here needs a GPU, CUDA, LLVM or Z3.

pub mod abi;
pub mod archive;
pub mod layout;
mod once;
pub mod plan;
pub mod report;
mod roots;
pub mod statements;
mod together;
mod uniform;
