//! Missing and redundant fences, races and waiting for ever, under the memory model: decided, for small launches.
//!
//! GPUs reorder memory accesses, and tests rarely show it. This engine takes a kernel at a small launch, leaves of it what
//! its threads do with memory through which they communicate, and explores *all* executions of that which the memory
//! model of the language allows (`lockstep-weak`: PTX for CUDA and LLVM IR, OpenCL's for OpenCL C). What can go wrong is
//! found at the first run; what is not found does not happen in these launches.
//!
//! # The steps
//!
//! 1. [`specialise()`]: each thread is executed as far as its values are known (arguments, indices, memory that nobody else
//!    writes). What depends on values that other threads write remains: accesses, fences, barriers, branches, as a program
//!    of `lockstep-weak`. It is a partial evaluation; `specialise/thread.rs` says how loops end. Which memory is shared is
//!    found on the way (`specialise/pattern.rs`). Every instruction that remains knows where in the kernel it comes from.
//!    Threads of which nothing remains, or only barriers of the block, are left out: a launch may be large as long as few
//!    of its threads communicate.
//! 2. [`examine()`]: all executions are explored (`explore.rs`), and what is wrong with them is collected: races, threads that
//!    wait for ever, broken assertions, each with an execution that shows it.
//! 3. What fences everywhere would cure is a *missing fence*, and the fewest fences that cure it are looked for
//!    (`remedy.rs`), with the narrowest scope; then the kernel with them put in is explored again. What they do not cure is a
//!    fault of its own: a plain data race, a deadlock.
//! 4. Of a kernel without faults, each fence is taken away or narrowed (`worth.rs`): without which nothing changes, not a
//!    single value that a thread can read, it is redundant.
//!
//! # What it follows
//!
//! The question of Bugaroo (Islam and Muzahid: which fences are missing, and where) is asked of all executions instead of
//! many runs. How executions are enumerated, and what the models are, `lockstep-weak` says. Where Bugaroo's experiments
//! show no failure of a lock without a fence on entry, the model has one: a plain access behind the lock is not ordered
//! after the unlock that the lock has read.
//!
//! # What an answer is worth
//!
//! It is for the launches that were given: these numbers of blocks and threads, these arguments and contents of arrays.
//! [`Explored`] names them and says whether all executions were seen, and which accesses no thread comes to. That other
//! launches, larger ones, show nothing else is not proved here; most such faults need two threads or three. In a smaller
//! launch than the kernel is made for, code may be dead, and threads may wait for others that are not there: whoever gives
//! one has to say so. Variables of the file hold their initialisers. A fence of
//! system scope may serve the host or another device while the kernel runs: nobody here would notice its absence.
//!
//! # What it cannot do
//!
//! Whatever is not modelled ends the answer for that launch with an [`Outside`], which names it, if a thread comes there. Nothing
//! is guessed:
//! - threads of a warp that run in step ([`lockstep_kernel::Scheduling::Lockstep`]), and work-groups that are smaller than
//!   the others;
//! - addresses that are themselves handed from thread to thread: linked structures with pointers. Indices are fine;
//! - atomic or volatile accesses that overlap others of another size. Plain accesses are cut into pieces;
//! - unknown values (the clock, memory never written) that decide a branch, an address or whom a thread meets. What only goes
//!   into data may be unknown (`specialise/opaque.rs`);
//! - textures, asynchronous and group copies, device memory allocation, warp operations without a mask, split barriers.
//!
//! # Where it deviates
//!
//! - `volatile` is a relaxed access of system scope in CUDA, and a plain one in OpenCL C: the models say so.
//! - A vector access is several, element by element.
//! - A compare-and-swap that fails writes nothing: it does not conflict with reads.
//! - Sequentially consistent atomic operations of CUDA are a fence and the operation, as compilers make them.
//! - A plain read whose value a compare-and-swap at the same address checks does not race with atomic operations.
//! - Shuffles and votes of threads that a mask names make them meet; they order no memory.
//! - After a trap, a thread has ended and the others go on.

mod answer;
mod examine;
pub mod executed;
mod explore;
mod launch;
mod limits;
mod outside;
mod remedy;
mod specialise;
mod worth;

pub use answer::{Action, Answer, Explored, Fault, FenceUse, Missing, Remedy, Step, Worth, Wrong};
pub use examine::{communicates, examine};
pub use launch::{Arg, Launch, ThreadAt, small_dimensions};
pub use limits::Limits;
pub use lockstep_weak::Cut;
pub use outside::{Decision, Outside, Reason, Unknown};
pub use specialise::{Communication, Origin, Role, SharedPlace, Spot, specialise};
