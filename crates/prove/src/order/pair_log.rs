//! How each pair of accesses was excluded, recorded so that a proof can be checked again.
//!
//! **Architecture Invariant:** nothing here decides anything.

use lockstep_kernel::{BlockId, SiteId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::launch::context::Level;
use crate::symbolic::evaluate::Exec;

/// Why two accesses do not race, or why they do not race in one particular way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Exclusion {
    /// Both are atomic, with scopes that include each other.
    BothAtomic,
    /// They access different objects, or memory that is read-only or private to the thread.
    DifferentObjects,
    /// One of them has no address, so it is never executed.
    NeverMade,
    /// One of them accesses no bytes.
    NoBytes,
    /// There is a barrier on every path from one to the other.
    Barriers,
    /// The same, for barriers of a tile of consecutive threads that contains both.
    TileBarriers,
    /// The same for barriers of a warp.
    WarpBarriers,
    /// The same for barriers of the whole grid.
    GridBarriers,
    /// There is a barrier on every path that the branch conditions allow.
    BarriersByConditions,
    /// The lanes of a warp execute them one after the other.
    Lockstep,
    /// A group copy is waited for.
    GroupCopies,
    /// A query, given by its number, is unsatisfiable.
    Question(usize),
}

impl Exclusion {
    pub(crate) fn rule(self) -> &'static str {
        match self {
            Exclusion::BothAtomic => "both-atomic",
            Exclusion::DifferentObjects => "different-objects",
            Exclusion::NeverMade => "never-made",
            Exclusion::NoBytes => "no-bytes",
            Exclusion::Barriers => "barriers",
            Exclusion::TileBarriers => "tile-barriers",
            Exclusion::WarpBarriers => "warp-barriers",
            Exclusion::GridBarriers => "grid-barriers",
            Exclusion::BarriersByConditions => "barriers-by-conditions",
            Exclusion::Lockstep => "lockstep",
            Exclusion::GroupCopies => "group-copies",
            Exclusion::Question(_) => "obligation",
        }
    }
}

/// The pairs so far, by sites.
#[derive(Debug, Default)]
pub(crate) struct PairLog {
    pub(crate) pairs: FxHashMap<(SiteId, SiteId, Level), FxHashSet<Exclusion>>,
}

impl PairLog {
    pub(crate) fn add(
        &mut self,
        exec: &Exec,
        (i, j): (usize, usize),
        level: Level,
        why: Exclusion,
    ) {
        let (a, b) = (exec.accesses[i].site, exec.accesses[j].site);
        let key = if a <= b { (a, b, level) } else { (b, a, level) };
        self.pairs.entry(key).or_default().insert(why);
    }
}

/// The barriers of a set, or the kernel's entry (`None`), from which control reaches an access without passing another
/// of them.
pub(crate) fn last_barriers(
    exec: &Exec,
    access: usize,
    orders: &dyn Fn(usize) -> bool,
) -> FxHashSet<Option<usize>> {
    let access = &exec.accesses[access];
    let mut stops: FxHashMap<BlockId, Vec<(usize, usize)>> = FxHashMap::default();
    for (i, b) in exec.barriers.iter().enumerate().filter(|(i, _)| orders(*i)) {
        stops.entry(b.block).or_default().push((b.at, i));
    }
    let mut found = FxHashSet::default();
    let mut seen: FxHashSet<BlockId> = FxHashSet::default();
    let mut work = vec![(access.block, access.at)];
    while let Some((block, end)) = work.pop() {
        let here = stops.get(&block).map_or(&[][..], |list| list);
        if let Some((_, barrier)) = here.iter().filter(|(at, _)| *at < end).max() {
            found.insert(Some(*barrier));
            continue;
        }
        if block == BlockId(0) {
            found.insert(None);
        }
        for &from in &exec.ctx.cfg.predecessors[block.0 as usize] {
            if seen.insert(from) {
                work.push((from, usize::MAX));
            }
        }
    }
    found
}
