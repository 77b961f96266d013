//! How each pair of accesses was excluded, for whoever checks a proof again.
//!
//! **Architecture Invariant:** nothing here decides anything.

use lockstep_kernel::{BlockId, SiteId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::launch::context::Level;
use crate::symbolic::evaluate::Exec;

/// Why two accesses do not race, or one way in which they would.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Exclusion {
    /// Both are atomic, with scopes that reach each other.
    BothAtomic,
    /// They are made to different objects, or to memory that nobody can write or that is the thread's own.
    DifferentObjects,
    /// One of them has no address.
    NeverMade,
    /// One of them accesses no bytes.
    NoBytes,
    /// On every way from one to the other there is a barrier.
    Barriers,
    /// The same, for barriers of some consecutive threads, in which both are.
    TileBarriers,
    /// The same for barriers of a warp.
    WarpBarriers,
    /// The same for barriers of the whole grid.
    GridBarriers,
    /// There is a barrier on every way that the conditions of branches leave.
    BarriersByConditions,
    /// Lanes of a warp make them one after the other.
    Lockstep,
    /// A group copy is waited for.
    GroupCopies,
    /// A question has no model, by its number.
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

/// The barriers of a set, or the beginning of the kernel (none), from which control comes to an access without another of them.
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
