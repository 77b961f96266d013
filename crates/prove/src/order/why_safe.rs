//! Why accesses are safe: what ruled out each pair that could have raced.
//!
//! While the pairs are looked at ([`crate::property::race`]), each that is ruled out leaves a note here, by the sites of its two
//! accesses. The notes mean something only where all pairs were ruled out, so they are handed out only with a proof.
//! They say what sufficed, not all that would have: a pair that a barrier separates may touch different elements too.
//!
//! **Architecture Invariant:** nothing here decides anything. A note that is missing costs a word of explanation.

use lockstep_kernel::{BlockId, SiteId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::launch::context::Level;
use crate::symbolic::evaluate::Exec;
use crate::symbolic::records::is_block_barrier;

/// Why two accesses do not race, for two threads of one block or of two. More than one may be true, where the pair
/// can meet in more than one way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reasons {
    /// Both are atomic.
    pub atomic: bool,
    /// They never are in the same phase.
    pub barrier: bool,
    /// Two threads never make them at the same place …
    pub apart: bool,
    /// … in the same phase: in another one they may.
    pub in_phase: bool,
    /// One is made by the last block to draw a number, after the others have made the other one.
    pub last: bool,
    /// The solver had to be asked.
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
    /// The barriers between them, where they are known; between the phases in which they meet and others, where they
    /// meet in the same one too.
    pub barriers: Vec<SiteId>,
}

/// More pairs than this are not explained.
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
    /// The accesses `i` and `j` are ruled out.
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

    /// What was noted, by sites; nothing if not all was.
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

/// Which barriers of the block come next, and came last, at an access.
struct Between<'a, 'c, 'k> {
    exec: &'a Exec<'c, 'k>,
    /// By block, positions and sites, in order.
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

    /// The barriers that end one's phase and begin the other's.
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

    /// The first barriers on all ways from the access, forwards or backwards.
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
