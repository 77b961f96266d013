//! The answer, as data.

use std::collections::BTreeSet;

use lockstep_kernel::{LocId, Scope, SiteId};
use lockstep_weak::Cut;

use crate::launch::ThreadAt;
use crate::outside::Outside;
use crate::specialise::{SharedPlace, Spot};

/// What is known of a kernel, for the launches that were given.
#[derive(Clone, Debug)]
pub struct Answer {
    /// For each launch, how it was explored, or why not.
    pub launches: Vec<Result<Explored, Outside>>,
    /// What can go wrong and neither fences nor wider scopes cure, in some launch.
    pub faults: Vec<Fault>,
    /// What can go wrong, and it was not decided whether fences cure it, since not all executions were seen.
    pub open: Vec<Fault>,
    /// What can go wrong and fences cure, or wider scopes of what is there.
    pub missing: Option<Missing>,
    /// Each fence of the source that is executed, if the kernel is without faults but for launches in which threads always wait
    /// for others that are not there.
    pub fences: Vec<FenceUse>,
    /// Whether fences were judged.
    pub judged: bool,
}

/// How a launch was explored.
#[derive(Clone, Debug)]
pub struct Explored {
    /// The threads that were explored.
    pub threads: Vec<ThreadAt>,
    /// Other threads of the launch, which have nothing to do with these.
    pub left_out: usize,
    /// Accesses, fences and barriers of the source that no thread of the launch comes to.
    pub unreached: Vec<SiteId>,
    /// Pairs of accesses by different threads to one place, of which one writes: the smaller number first.
    pub conflicts: BTreeSet<(SiteId, SiteId)>,
    /// Those of them that went to one place in some execution.
    pub met: BTreeSet<(SiteId, SiteId)>,
    /// Why executions that were cut cannot be followed.
    pub outside: Option<Outside>,
    /// Memory through which the threads communicate.
    pub places: Vec<SharedPlace>,
    /// Executions in which all threads end, and those in which some wait for ever.
    pub executions: u64,
    pub hanging: u64,
    pub judgements: u64,
    /// Why not all executions were seen; empty if all were.
    pub cut: Vec<Cut>,
    /// Reads that in some execution find memory that nobody has written: what follows from their values is not known.
    pub uninitialised: Vec<SiteId>,
}

impl Explored {
    /// All executions were seen, and all of them are known: what was not found does not happen in this launch.
    pub fn exhaustive(&self) -> bool {
        self.cut.is_empty() && self.uninitialised.is_empty()
    }
}

impl Answer {
    /// Every launch was explored to the end, so that what is not found does not exist in them.
    pub fn exhaustive(&self) -> bool {
        !self.launches.is_empty()
            && self.launches.iter().all(|l| l.as_ref().is_ok_and(Explored::exhaustive))
    }

    /// Accesses, fences and barriers that no thread comes to in any of the launches that were explored to the end: nothing
    /// is said of what would happen there.
    pub fn unreached(&self) -> Vec<SiteId> {
        let mut explored = self.launches.iter().flatten().filter(|e| e.exhaustive());
        let Some(first) = explored.next() else { return Vec::new() };
        let others: Vec<&Explored> = explored.collect();
        let nowhere = |site: &&SiteId| others.iter().all(|other| other.unreached.contains(site));
        first.unreached.iter().filter(nowhere).copied().collect()
    }

    /// All faults, cured by fences or not.
    pub fn all_faults(&self) -> impl Iterator<Item = &Fault> {
        let cured = self.missing.iter().flat_map(|missing| &missing.faults);
        self.faults.iter().chain(&self.open).chain(cured)
    }
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wrong {
    /// Two accesses race: the sites, the smaller number first.
    Race(SiteId, SiteId),
    /// Threads wait for ever at these barriers or reads.
    Hang(Vec<SiteId>),
    /// An assertion is broken.
    Assertion(LocId),
}

/// Something that can go wrong, with an execution that shows it.
#[derive(Clone, Debug)]
pub struct Fault {
    pub wrong: Wrong,
    /// Which of the launches shows it.
    pub launch: usize,
    /// The execution, in an order that respects each thread's own and, as far as memory allows, who reads from whom.
    pub timeline: Vec<Step>,
    /// The accesses of a race, the last steps of threads that wait: indices into `timeline`.
    pub marked: Vec<usize>,
    /// The execution reads memory that nobody has written, elsewhere than at what is marked: it may be that no real value
    /// leads there.
    pub rests_on_uninitialised: bool,
    /// Of a race between a write and a read: the read has another value than the write gives.
    pub stale: bool,
}

impl Fault {
    /// Of two executions that show a fault, the one of the smaller rank shows it better.
    pub(crate) fn rank(&self) -> (bool, bool) {
        (self.rests_on_uninitialised, !self.stale)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Read,
    Write,
    Fence,
    Barrier,
}

/// One step of a thread.
#[derive(Clone, Debug)]
pub struct Step {
    /// An index into [`Explored::threads`]; none for what memory held at first.
    pub thread: Option<usize>,
    pub site: Option<SiteId>,
    pub loc: Option<LocId>,
    pub action: Action,
    /// An atomic or volatile access; the read or write of an atomic operation.
    pub strong: bool,
    /// An index into [`Explored::places`].
    pub place: Option<usize>,
    /// What was read or written: bits, zero-extended.
    pub value: Option<u64>,
    /// The step whose value a read has.
    pub from: Option<usize>,
}

/// What cures faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// A new fence: release and acquire, or sequentially consistent (as CUDA's fences are) where `sequential`.
    Insert { spot: Spot, scope: Scope, sequential: bool },
    /// A fence that is there needs a wider scope, and the flags of all memory.
    Widen { site: SiteId, scope: Scope, sequential: bool },
    /// A barrier needs the flags of all memory.
    Flags { site: SiteId },
    /// An atomic operation needs a wider scope.
    Reach { site: SiteId, scope: Scope },
}

/// Faults that fences cure, or wider scopes of what is there.
#[derive(Clone, Debug)]
pub struct Missing {
    pub faults: Vec<Fault>,
    /// All of these together; none can be left out.
    pub remedies: Vec<Remedy>,
    /// No smaller number of remedies does.
    pub fewest: bool,
    /// The kernel with these remedies was explored, for all launches that were explored to the end without them, and none
    /// of the faults is left in any of them.
    pub verified: bool,
}

/// What a fence is good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Worth {
    /// Without it nothing new happens, in any of the launches that were explored to the end.
    Redundant,
    /// This scope does the same.
    TooWide(Scope),
    Needed,
    /// Not all executions were seen, or no thread comes to some accesses, for which the fence may be.
    Undecided,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FenceUse {
    pub site: SiteId,
    pub scope: Scope,
    pub worth: Worth,
    /// It is among the redundant fences that can be taken away all at once.
    pub removed_together: bool,
}
