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
mod shrink;
mod space;

use std::time::Instant;

use lockstep_finding::launch::{Expr, Relation};
use lockstep_finding::{ArgValue, Fact, Finding, Kind, Launch, Reason};
use lockstep_kernel::{Kernel, SiteId};
use lockstep_simulate::Config;

pub use advise::remedies::{Advisor, Remedy};
pub use explore::driver::search;
pub use explore::partial_groups::remainders;
pub use space::candidate::Rule;
pub use space::dimensions::UsualDims;

/// What is known of the launches: facts that the search respects. Relations, conditions and sizes are the host's.
#[derive(Clone, Debug, Default)]
pub struct Given {
    pub grid: Option<Fact<[u32; 3]>>,
    pub block: Option<Fact<[u32; 3]>>,
    /// OpenCL: the global size, where it is no multiple of the block; then grid and block are given, too.
    pub global: Option<[u32; 3]>,
    /// Bytes of dynamic shared memory.
    pub shared: Option<Fact<u32>>,
    /// By parameter.
    pub args: Vec<Option<Fact<ArgValue>>>,
    /// How what is left to choose hangs together. None speaks of what is fixed, nor of what another gives a value.
    pub relations: Vec<Relation>,
    /// Comparisons that hold for every launch.
    pub conditions: Vec<Expr>,
    /// Bytes that the host allocates for arrays, by parameter. They speak only of launches that agree with all relations and
    /// conditions; such a launch the host does make, whatever is left to choose of it.
    pub sizes: Vec<(usize, Expr)>,
    /// Integers that the host makes of others, nobody knows how: not every value of them goes with every value of these. With
    /// the values that it makes, where these are known.
    pub bound: Vec<(String, Vec<i64>)>,
}

impl Given {
    /// Whether nothing is left to choose (for a kernel with or without dynamic
    /// shared memory).
    pub fn is_complete(&self, dynamic_shared: bool) -> bool {
        self.grid.is_some()
            && self.block.is_some()
            && (self.shared.is_some() || !dynamic_shared)
            && self.args.iter().all(Option::is_some)
    }
}

/// Leaves of what the host computes and asks for what can be used: relations that some launch satisfies, for otherwise they
/// were misread, and conditions that the plain launch does.
pub fn leave_satisfiable(kernel: &Kernel, given: &mut Given) {
    let related = space::Space::new(kernel, given).related;
    if related.is_empty() {
        given.relations.clear();
    }
    given.conditions = related.conditions();
}

/// Launches that callers would make, none of them odd, and none of next to nothing: what holds only there says little.
pub fn usual_launches(kernel: &Kernel, given: &Given, seed: u64) -> Vec<Launch> {
    let space = space::Space::new(kernel, given);
    let mut seeds = space.seeds(Alias::Never);
    let plain = space.plain();
    let is_nothing = |c: &space::candidate::Candidate, i: usize| {
        space.slots[i].is_size() && c.int(i) <= 1 && plain.int(i) > 1
    };
    seeds.retain(|c| {
        space.oddities(c).is_empty() && !(0..space.slots.len()).any(|i| is_nothing(c, i))
    });
    seeds.iter().map(|c| space.launch(c, &space::launch::Sizes::default(), seed)).collect()
}

/// A launch to try, such as the model of an alarm: what it does not say is chosen
/// as usual.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Suggestion {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Bits of scalar parameters, one for each register.
    pub scalars: Vec<(usize, Vec<u64>)>,
    /// Contents of arrays: (parameter, byte offset, bytes, value).
    pub cells: Vec<(usize, u64, u32, u64)>,
}

/// How to search.
#[derive(Clone)]
pub struct Settings<'a> {
    pub population: usize,
    pub generations: usize,
    /// A candidate whose F is below this is simulated in full.
    pub accept: f64,
    pub seed: u64,
    pub alias: Alias,
    /// How to simulate; its `max_steps` and `deadline` hold for the whole search.
    pub config: Config,
    /// Whether a launch satisfies the preconditions given.
    pub allowed: &'a (dyn Fn(&Launch) -> bool + Sync),
    /// Launches that somebody else wants tried first.
    pub suggested: Vec<Suggestion>,
    /// The accesses that may race, where all others are known not to. If there are none, launches are worth trying only for
    /// what they newly reach.
    pub may_race: Option<Vec<(SiteId, SiteId)>>,
    /// Told now and then how far the search is.
    pub progress: &'a dyn Fn(&Progress),
    /// Told about each launch that is simulated.
    pub log: Option<&'a dyn Fn(&str)>,
}

/// Which pointer arguments may be the same array.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Alias {
    #[default]
    Never,
    /// Those that are not `const`.
    Writable,
    /// All that are not `restrict`.
    All,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    pub generation: usize,
    pub generations: usize,
    /// The smallest F so far.
    pub best_f: f64,
    /// Accesses reached, of all.
    pub sites: (usize, usize),
    pub findings: usize,
    pub launches: usize,
}

/// What a search gave.
#[derive(Clone, Debug, Default)]
pub struct Searched {
    /// With their launches; the conditional ones last.
    pub findings: Vec<Finding>,
    /// By finding: the rule that led to it.
    pub rules: Vec<Rule>,
    /// By finding: the barrier or fence that its help names.
    pub remedies: Vec<Option<Remedy>>,
    /// Why one kind or another stays unknown.
    pub doubts: Vec<(Kind, String)>,
    /// More about a kind that is not a finding.
    pub notes: Vec<(Kind, String)>,
    /// Launches simulated in full.
    pub launches: usize,
    /// The only one of them, or the first; one that did not come to its end where none did.
    pub launch: Option<Launch>,
    /// Of how many blocks, of all, the ordinary launch was executed, where the budget was not enough for the whole.
    pub sampled: Option<(u64, u64)>,
    /// Access sites reached by some launch, of all.
    pub sites: (usize, usize),
    /// Why nothing may be concluded from the absence of findings, if so.
    pub incomplete: Option<Reason>,
    /// Why an ordinary launch was given up, where others came to their end.
    pub cut: Option<Reason>,
    /// No launch that the preconditions allow was found.
    pub nothing_allowed: bool,
    pub steps: u64,
}

/// Whether the time given is over, or nobody waits for the answer any more.
fn is_over(config: &Config) -> bool {
    config.cancel.is_cancelled() || is_past(config.deadline)
}

fn is_past(deadline: Option<Instant>) -> bool {
    deadline.is_some_and(|d| Instant::now() >= d)
}
