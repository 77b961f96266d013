//! Chooses launches that expose a kernel's bugs.
//!
//! This is Simulee's automatic input generation (section 3.1, Algorithms 1 and
//! 2) on top of Lockstep's own simulator. Candidates are dimensions, scalars and
//! contents of arrays. Their fitness is the paper's F, accessed addresses over
//! accessing threads (the fewer addresses for the same threads, the likelier a
//! conflict), then R, the range of the addresses; each survivor has one child by
//! normal and one by Cauchy steps. F is cheap: only the slice of the kernel that
//! computes addresses and the branches around accesses is executed.
//!
//! Where it deviates, and why:
//!
//! - The population does not begin at random but with *seeds* ([`space::seeds`]): the
//!   values a caller would give, and then boundary values taken from the kernel's
//!   own constants and comparisons. Random ones fill up what is left.
//! - Contents of arrays that hold indices or decide branches evolve too, and a
//!   candidate that takes a branch beside an access as none did before comes
//!   first, whatever its F: the paper's own misses need exactly that.
//! - What is acceptable is not the end but a launch to simulate in full; the
//!   search ends when every conflicting pair of accesses has been seen to race,
//!   or when nothing new was reached for a while.
//! - A bug found under an odd value is tried again under ordinary ones
//!   ([`shrink`]); what needs the odd value is `conditional`, with the condition.
//! - Barriers are judged over all launches that were simulated ([`advise::redundant_barriers`]).
//! - A barrier or fence that a help line names was added and tried ([`advise::remedies`]).
//!
//! What it can miss: a bug that needs values no rule and no step of the
//! evolution produces. So the absence of findings is `clean`, never `proved`.
//! It cannot cry wolf more than the simulator can: every finding, but for
//! redundant barriers (which rest on the launches tried and are `possible`), is
//! one that its launch reproduces.
//!
//! **Architecture Invariant:** no kernel is interpreted here; static knowledge
//! comes from `lockstep_kernel::Hints`, everything else from the simulator.

mod advise;
mod blame;
mod condition;
mod explore;
mod given;
mod search;
mod settings;
mod shrink;
mod space;

pub use advise::remedies::{Advisor, Remedy};
pub use blame::table::{EXCUSES, Excuse};
pub use explore::partial_groups::remainders;
pub use given::{Alias, Given, Suggestion};
pub use search::{Searched, leave_satisfiable, search, usual_launches};
pub use settings::{Progress, Settings};
pub use space::candidate::Rule;
pub use space::dimensions::UsualDims;
