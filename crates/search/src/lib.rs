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
//! - Contents of arrays that hold indices or decide branches evolve too, and a candidate with a new outcome of a branch
//!   that an access depends on comes first, whatever its F: the bugs that the paper misses need exactly that.
//! - An acceptable candidate does not end the search but is simulated in full; the search ends when every conflicting
//!   pair of accesses has been seen to race, or when nothing new was reached for a while.
//! - A bug found under an odd value is tried again under ordinary ones ([`shrink`]); a bug that needs the odd value is
//!   `conditional`, with the condition.
//! - Barriers are judged over all launches that were simulated ([`advise::redundant_barriers`]).
//! - A barrier or fence that a help line names was added and tried ([`advise::remedies`]).
//!
//! What it can miss: a bug that needs values that no rule and no step of the evolution produces. So the absence of
//! findings is `clean`, never `proved`. It has no more false positives than the simulator: every finding, except for
//! redundant barriers (which depend on the launches tried and are `possible`), is reproduced by its launch.
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
pub use explore::ledger::MOST_LISTED;
pub use explore::partial_groups::remainders;
pub use given::{Alias, Given, Suggestion};
pub use search::{Searched, leave_satisfiable, ordinary_launches, search, usual_launches};
pub use settings::{Progress, Settings};
pub use space::candidate::Rule;
pub use space::dimensions::UsualDims;
