//! Why accesses are safe: the reason why each pair that could have raced is excluded.
//!
//! While the pairs are checked ([`crate::property::race`]), the reason for each excluded pair is recorded here, by the
//! sites of its two accesses. The records are meaningful only if all pairs were excluded, so they are returned only
//! with a proof. They name one sufficient reason, not all of them: a pair that a barrier separates may also access
//! different elements.
//!
//! **Architecture Invariant:** nothing here decides anything. A missing record only shortens an explanation.

use lockstep_kernel::{BlockId, SiteId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::launch::context::Level;
use crate::symbolic::evaluate::Exec;
use crate::symbolic::records::is_block_barrier;

/// Why two accesses do not race, for two threads of one block or of two. Several reasons may hold, where the pair can
/// be concurrent in several ways.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reasons {
    /// Both are atomic.
    pub atomic: bool,
    /// They are never in the same phase.
    pub barrier: bool,
    /// Two threads never make them at the same address …
    pub apart: bool,
    /// … in the same phase: in different phases they may.
    pub in_phase: bool,
    /// One is made by the last block to draw a number, after the other blocks have made the other one.
    pub last: bool,
    /// The solver was needed.
    pub solver: bool,
}

impl Reasons {
    pub fn is_empty(self) -> bool {
        self == Reasons::default()
    }
}

/// Why two sites do not race with each other, or one with itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Safe {
    pub sites: (SiteId, SiteId),
    pub in_block: Reasons,
    pub across_blocks: Reasons,
    /// The barriers between them, where they are known. If the two accesses can also be in one phase, the barriers that
    /// separate their other phases.
    pub barriers: Vec<SiteId>,
}

/// Maximum number of pairs that are explained.
const MOST_PAIRS: usize = 20_000;

#[derive(Default)]
pub(crate) struct Why {
    notes: FxHashMap<(SiteId, SiteId), Note>,
    too_many: bool,
}

#[derive(Clone, Copy, Default)]
struct Note {
    in_block: Reasons,
    across_blocks: Reasons,
    /// Two accesses that a barrier separates, always or in different phases.
    separated: Option<(usize, usize)>,
}

impl Why {
    /// Records that the accesses `i` and `j` are excluded.
    pub(crate) fn note(
        &mut self,
        exec: &Exec,
        (i, j): (usize, usize),
        level: Level,
        why: impl FnOnce(&mut Reasons),
    ) {
        let (a, b) = (exec.accesses[i].site, exec.accesses[j].site);
        let key = if a <= b { (a, b) } else { (b, a) };
        if self.notes.len() >= MOST_PAIRS && !self.notes.contains_key(&key) {
            self.too_many = true;
            return;
        }
        let note = self.notes.entry(key).or_default();
        let reasons = match level {
            Level::Block => &mut note.in_block,
            Level::Grid => &mut note.across_blocks,
        };
        why(reasons);
        if reasons.barrier || reasons.in_phase {
            note.separated.get_or_insert((i, j));
        }
    }

    /// The records, by sites; `None` if some are missing.
    pub(crate) fn explain(&self, exec: &Exec) -> Option<Vec<Safe>> {
        if self.too_many {
            return None;
        }
        let mut between = Between::new(exec);
        let mut out: Vec<Safe> = self
            .notes
            .iter()
            .map(|(&sites, note)| Safe {
                sites,
                in_block: note.in_block,
                across_blocks: note.across_blocks,
                barriers: note.separated.map_or(Vec::new(), |(i, j)| between.barriers(i, j)),
            })
            .collect();
        out.sort_by_key(|s| s.sites);
        Some(out)
    }
}

/// The next and the last barriers of the block at an access.
struct Between<'a, 'c, 'k> {
    exec: &'a Exec<'c, 'k>,
    /// For each basic block, positions and sites of barriers, in order.
    stops: FxHashMap<BlockId, Vec<(usize, SiteId)>>,
    next: FxHashMap<usize, FxHashSet<SiteId>>,
    last: FxHashMap<usize, FxHashSet<SiteId>>,
}

impl<'a, 'c, 'k> Between<'a, 'c, 'k> {
    fn new(exec: &'a Exec<'c, 'k>) -> Between<'a, 'c, 'k> {
        let mut stops: FxHashMap<BlockId, Vec<(usize, SiteId)>> = FxHashMap::default();
        for b in exec.barriers.iter().filter(|b| is_block_barrier(&b.barrier)) {
            stops.entry(b.block).or_default().push((b.at, b.site));
        }
        stops.values_mut().for_each(|list| list.sort());
        Between { exec, stops, next: FxHashMap::default(), last: FxHashMap::default() }
    }

    /// The barriers that end the phase of one access and begin that of the other.
    fn barriers(&mut self, i: usize, j: usize) -> Vec<SiteId> {
        let mut out: Vec<SiteId> = Vec::new();
        for (from, to) in [(i, j), (j, i)] {
            let (next, last) = (self.next(from), self.last(to));
            out.extend(next.intersection(&last));
        }
        out.sort();
        out.dedup();
        out
    }

    fn next(&mut self, access: usize) -> FxHashSet<SiteId> {
        if let Some(known) = self.next.get(&access) {
            return known.clone();
        }
        let found = self.walk(access, true);
        self.next.insert(access, found.clone());
        found
    }

    fn last(&mut self, access: usize) -> FxHashSet<SiteId> {
        if let Some(known) = self.last.get(&access) {
            return known.clone();
        }
        let found = self.walk(access, false);
        self.last.insert(access, found.clone());
        found
    }

    /// The first barriers on all paths from the access, forwards or backwards.
    fn walk(&self, access: usize, forwards: bool) -> FxHashSet<SiteId> {
        let access = &self.exec.accesses[access];
        let cfg = &self.exec.ctx.cfg;
        let edges = if forwards { &cfg.successors } else { &cfg.predecessors };
        let mut found = FxHashSet::default();
        let mut seen: FxHashSet<BlockId> = FxHashSet::default();
        let mut work = vec![(access.block, Some(access.at))];
        while let Some((block, at)) = work.pop() {
            let stops = self.stops.get(&block).map_or(&[][..], |list| list);
            let counts = |p: usize| at.is_none_or(|at| if forwards { p > at } else { p < at });
            let mut hits = stops.iter().filter(|(p, _)| counts(*p));
            let hit = if forwards { hits.next() } else { hits.next_back() };
            if let Some((_, site)) = hit {
                found.insert(*site);
                continue;
            }
            for &to in &edges[block.0 as usize] {
                if seen.insert(to) {
                    work.push((to, None));
                }
            }
        }
        found
    }
}
