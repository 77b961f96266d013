//! Symbolic execution of kernels at a given launch, and whether two of them are equivalent.
//!
//! After *Symbolic Testing of OpenCL Code* (Collingbourne, Cadar, Kelly 2011). [`equivalent`] takes a kernel and its reference,
//! which is a kernel, too: a C function is one that is launched with a single thread. Either may be a sequence of launches
//! ([`Program`]). Both are executed with terms for values, and their outputs are compared. [`faults`] takes one launch, and says what can
//! go wrong in it. Each folder uses only those before it:
//!
//! - `term`: expressions over the inputs, hash-consed;
//! - `solve`: questions about conditions, by samples and by Z3;
//! - `memory`: objects that hold terms, and the access records by which races are seen;
//! - `linear`: index arithmetic as integers without a width, with bounds;
//! - `families`: the writes of many threads or iterations as one, and what an array holds after them;
//! - `execute`: one launch, all threads, both sides of each branch that depends on data; or one thread, or one block, for all;
//! - `equal`: canonical forms of terms, and the assumptions about floating point that they need;
//! - `scale`: equivalence of launches of any number of threads, with one thread or one block for all;
//! - `compare`: the question, executions of both sides in the simulator, the answer;
//! - `faults`: which faults a launch can have, for all values.
//!
//! **Where it deviates from the paper.** A branch on a symbolic condition does not fork the execution but the thread, and its
//! sides join again (`execute`). Access records hold conditions in place of symbolic arrays (`memory/records.rs`). Integers are
//! compared modulo their width by sums of products before the solver is asked. A mismatch is only what two concrete executions show.
//!
//! **What it can miss.** The answer is for one launch: its dimensions, its scalars and arrays that are not symbolic. Functions
//! of the maths library are what [`lockstep_kernel::semantics`] says on both sides: that a device computes them with other
//! errors than a host is not modelled. Which NaN an operation gives is not compared.
//!
//! **Why it does not claim too much.** Only terms that are equal for all inputs count as equal. What the engine does not
//! model ends the execution with a reason, and so does every access that may conflict with another thread's.
//!
//! **Architecture Invariant:** races and other faults are reported by the simulator, which executes the launch; here they are why there
//! is nothing to compare, or values to execute the launch with.

mod compare;
mod equal;
mod execute;
mod families;
mod faults;
mod linear;
mod memory;
mod scale;
mod solve;
mod term;

pub use compare::{
    Answer, Input, Launched, Mismatch, Output, Program, Question, Sequenced, Statistics, Threads,
    Told, Tolerance, Verdict, Writer, equivalent, evaluated,
};
pub use equal::assumptions::Assumptions;
pub use execute::Limits;
pub use faults::{Asked, Fault, Faults, Value, element_type, faults};
pub use solve::solver_failure;
