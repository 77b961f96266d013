//! Phases: which accesses of two threads of one block can be concurrent.
//!
//! All threads of a block pass the same barriers in the same order and in the same iterations of the enclosing loops
//! (this is proved separately, see [`crate::order::divergence`]). So two accesses are concurrent iff the barrier that
//! each thread passed last before its access is the same one, in the same iterations; or neither has passed any.
//!
//! For each access, the barriers that can be its last are found by walking backwards from it, region by region. A
//! *region* is one iteration of a loop that contains a barrier, or the whole kernel. It has no relevant cycles (loops
//! without a barrier are treated as a unit), and the condition for reaching a place within it is exact
//! ([`crate::symbolic::evaluate`]). So barrier `B` is the last before access `a` of the same iteration iff `B` is
//! reached and no barrier between the two is. If no barrier of the region is passed before `a`, then
//!
//! * iteration `k` was not the first, and the last barrier is the last one of iteration `k-1`, or
//! * `k` is 0, and the last barrier is the last one before the loop, in the iteration of the loop around.
//!
//! A loop that lies wholly before `a` is walked from its exits, in its last iteration ([`FnKind::Exit`]). Each way to a
//! last barrier gives the iterations of the loops around that barrier as terms over the access's own counters, and the
//! conditions under which it is the last. Two threads are concurrent iff they have one such barrier in common and the
//! terms are equal: `k-1` on one side and the number of the loop's last iteration on the other, for instance. This
//! is the paper's unrolling of a synchronised loop into "the phases of one iteration and of its successor", for any
//! nesting, with equations in place of copies of the body, and with the conditions of barriers under uniform branches.
//!
//! For two places of one region in the same iteration, less is needed: they are in one phase iff no barrier was passed
//! that precedes only one of them, whatever the last barrier was ([`Phases::together`]).
//!
//! Inexact, and marked so: a loop that may execute several iterations without passing its barrier (which is under a
//! condition in the loop's body). Then the last barrier is in *some* earlier iteration, a variable
//! ([`LoopInfo::earlier`]), and the condition that no barrier was passed since is stated only for the last two
//! iterations. Dropping conditions only adds pairs, so it can lose a proof, but never make a wrong one.
//!
//! [`FnKind::Exit`]: crate::launch::context::FnKind::Exit
//! [`LoopInfo::earlier`]: crate::symbolic::loops::LoopInfo::earlier

use lockstep_kernel::{BlockId, Terminator};
use rustc_hash::FxHashMap;

use crate::symbolic::evaluate::Exec;
use crate::term::T;
use crate::term::walk::Substitution;

/// One barrier that can be the last before an access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Way {
    /// The barrier, by position in [`Exec::barriers`]; `None` is the kernel's entry.
    pub(crate) start: Option<usize>,
    /// The iterations of the loops around it, outermost first, over the access's own counters.
    pub(crate) when: Vec<T>,
    /// The conditions on the thread.
    pub(crate) conditions: Vec<T>,
    /// Whether the conditions are exact, not only necessary.
    pub(crate) exact: bool,
    pub(crate) via: Via,
}

/// Where the last barrier is. Two places of one region that share a way of the first or second kind are in the same
/// iteration of all loops: the barrier's iterations are theirs, or the previous one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Via {
    /// In the place's own iteration of its region.
    Own,
    /// In the previous iteration.
    Previous,
    Other,
}

/// The barriers that can precede a place in its own iteration.
#[derive(Clone, Debug, Default)]
struct Before {
    region: Option<usize>,
    /// Each barrier or loop, a sufficient condition for passing it, and whether the condition is also necessary.
    items: Vec<(Item, T, bool)>,
}

/// Maximum number of ways to one place that are distinguished.
const MAX_WAYS: usize = 32;

pub(crate) struct Phases {
    /// The place of each access (by number): accesses of one place have no barrier between them.
    places: Vec<usize>,
    /// The ways of each place; `None` if there are too many.
    ways: Vec<Option<Vec<Way>>>,
    before: Vec<Before>,
}

impl Phases {
    /// `orders` selects the barriers (by position in [`Exec::barriers`]) that count.
    pub(crate) fn new(exec: &mut Exec, orders: &dyn Fn(usize) -> bool) -> Phases {
        let stops: Vec<usize> = (0..exec.barriers.len()).filter(|&i| orders(i)).collect();
        let mut search = Search::new(exec, &stops);
        let mut known: FxHashMap<(BlockId, usize), usize> = FxHashMap::default();
        let mut places = Vec::new();
        let (mut ways, mut before) = (Vec::new(), Vec::new());
        for i in 0..search.exec.accesses.len() {
            let (block, at) = (search.exec.accesses[i].block, search.exec.accesses[i].at);
            let passed = stops.iter().filter(|&&b| {
                let b = &search.exec.barriers[b];
                b.block == block && b.at < at
            });
            let key = (block, passed.count());
            let place = *known.entry(key).or_insert_with(|| {
                ways.push(search.ways(block, at));
                before.push(search.before(block, at));
                ways.len() - 1
            });
            places.push(place);
        }
        Phases { places, ways, before }
    }

    pub(crate) fn place(&self, access: usize) -> usize {
        self.places[access]
    }

    /// The ways to a place; `None` if they are not known.
    pub(crate) fn ways(&self, place: usize) -> Option<&[Way]> {
        self.ways[place].as_deref()
    }

    /// The conditions on the first and on the second thread under which two places are in one phase in the same
    /// iterations, and whether they are exact: no barrier that precedes only one of them was passed. `None` if they are
    /// in no common iteration.
    pub(crate) fn together(&self, i: usize, j: usize) -> Option<([Vec<T>; 2], bool)> {
        let (a, b) = (&self.before[i], &self.before[j]);
        if a.region != b.region {
            return None;
        }
        let mut exact = true;
        let mut only = |x: &Before, y: &Before| -> Vec<T> {
            let missing = x.items.iter().filter(|(d, ..)| y.items.iter().all(|(e, ..)| e != d));
            missing
                .map(|&(_, cond, whole)| {
                    exact &= whole;
                    cond
                })
                .collect()
        };
        let passed = [only(a, b), only(b, a)];
        Some((passed, exact))
    }

    /// The loops with barriers around a place, outermost first.
    pub(crate) fn loops(&self, exec: &Exec, place: usize) -> Vec<usize> {
        self.before[place].region.map_or_else(Vec::new, |l| exec.nest(exec.loops[l].head))
    }
}

/// The elements of a region that contain barriers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Item {
    /// A barrier, by position in [`Exec::barriers`].
    Barrier(usize),
    /// A loop with barriers in it.
    Loop(usize),
}

/// Iteration numbers of the loops with barriers around a place, outermost first.
type Moment = Vec<(usize, T)>;

/// Where a walk starts: at these instructions, or at the sources of these edges.
#[derive(Clone, Debug, Default)]
struct Spot {
    /// The region that contains it: a loop, or the whole kernel.
    region: Option<usize>,
    before: Vec<(BlockId, usize)>,
    edges: Vec<(BlockId, BlockId)>,
}

/// The conditions collected so far.
#[derive(Clone, Debug)]
struct Path {
    conditions: Vec<T>,
    exact: bool,
    via: Via,
}

/// Which iteration of the region the walk is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The iteration of the place (or the last iteration, for a loop that was left).
    Own,
    /// The previous iteration.
    Previous,
    /// Some iteration before that.
    Earlier,
}

struct Search<'e, 'c, 'k> {
    exec: &'e mut Exec<'c, 'k>,
    /// The items of each region, last first; the whole kernel is the last entry.
    items: Vec<Vec<Item>>,
    tracked: Vec<bool>,
    out: Vec<Way>,
    overflow: bool,
    /// The region of the place whose ways are computed.
    innermost: Option<usize>,
}

impl<'e, 'c, 'k> Search<'e, 'c, 'k> {
    fn new(exec: &'e mut Exec<'c, 'k>, stops: &[usize]) -> Search<'e, 'c, 'k> {
        let count = exec.loops.len();
        let tracked: Vec<bool> = (0..count)
            .map(|l| stops.iter().any(|&b| exec.loops[l].contains(exec.barriers[b].block)))
            .collect();
        let mut items: Vec<Vec<Item>> = vec![Vec::new(); count + 1];
        for &b in stops {
            let around = exec.ctx.cfg.innermost[exec.barriers[b].block.0 as usize];
            items[around.unwrap_or(count)].push(Item::Barrier(b));
        }
        for l in (0..count).filter(|&l| tracked[l]) {
            items[exec.ctx.cfg.loops[l].parent.unwrap_or(count)].push(Item::Loop(l));
        }
        let (out, overflow, innermost) = (Vec::new(), false, None);
        let mut search = Search { exec, items, tracked, out, overflow, innermost };
        for region in 0..=count {
            let mut list = std::mem::take(&mut search.items[region]);
            list.sort_by_key(|&i| std::cmp::Reverse(search.order(i)));
            search.items[region] = list;
        }
        search
    }

    fn block_of(&self, item: Item) -> BlockId {
        match item {
            Item::Barrier(b) => self.exec.barriers[b].block,
            Item::Loop(l) => self.exec.loops[l].head,
        }
    }

    /// A sort key: items that are passed later in an iteration have a greater key.
    fn order(&self, item: Item) -> (usize, usize) {
        let at = match item {
            Item::Barrier(b) => self.exec.barriers[b].at,
            Item::Loop(_) => 0,
        };
        (self.exec.ctx.cfg.position[self.block_of(item).0 as usize], at)
    }

    /// The innermost loop with barriers around a block.
    fn region_of(&self, b: BlockId) -> Option<usize> {
        let mut at = self.exec.ctx.cfg.innermost[b.0 as usize];
        while let Some(l) = at.filter(|&l| !self.tracked[l]) {
            at = self.exec.ctx.cfg.loops[l].parent;
        }
        at
    }

    /// All ways to an instruction.
    fn ways(&mut self, block: BlockId, at: usize) -> Option<Vec<Way>> {
        self.out.clear();
        self.overflow = false;
        let region = self.region_of(block);
        let nest: Vec<usize> =
            self.exec.nest(block).into_iter().filter(|&l| self.tracked[l]).collect();
        let moment: Moment = nest.into_iter().map(|l| (l, self.exec.loops[l].index)).collect();
        let spot = Spot { region, before: vec![(block, at)], edges: Vec::new() };
        let path = Path { conditions: Vec::new(), exact: true, via: Via::Own };
        self.innermost = region;
        self.walk(&spot, &moment, path, Stage::Own, None);
        (!self.overflow).then(|| std::mem::take(&mut self.out))
    }

    /// The items that may be passed before an instruction in its own iteration.
    fn before(&mut self, block: BlockId, at: usize) -> Before {
        let region = self.region_of(block);
        let spot = Spot { region, before: vec![(block, at)], edges: Vec::new() };
        let leading = self.leading(&spot);
        let nest = self.exec.nest(block).into_iter().filter(|&l| self.tracked[l]);
        let moment: Moment = nest.map(|l| (l, self.exec.loops[l].index)).collect();
        let mut items = Vec::new();
        for item in self.items[region.unwrap_or(self.exec.loops.len())].clone() {
            if self.precedes(item, &spot, &leading) {
                let (cond, exact) = self.passes(item, &moment);
                items.push((item, cond, exact));
            }
        }
        Before { region, items }
    }

    /// Finds the last barriers before a spot. Does not continue to what precedes the loop `floor`.
    fn walk(
        &mut self,
        spot: &Spot,
        moment: &Moment,
        path: Path,
        stage: Stage,
        floor: Option<usize>,
    ) {
        if self.overflow || path.conditions.iter().any(|&t| self.exec.ctx.pool.is_false(t)) {
            return;
        }
        let leading = self.leading(spot);
        let mut passed: Vec<(Item, T, bool)> = Vec::new();
        let mut sure: Vec<Item> = Vec::new();
        for item in self.items[spot.region.unwrap_or(self.exec.loops.len())].clone() {
            if !self.precedes(item, spot, &leading) {
                continue;
            }
            let after = self.after(item, spot.region);
            let between: Vec<_> =
                passed.iter().filter(|z| after[self.block_of(z.0).0 as usize]).copied().collect();
            let path = self.without(&path, &between);
            match item {
                Item::Barrier(b) => self.last_is(b, spot, moment, path),
                Item::Loop(l) => self.last_is_in(l, spot, &leading, moment, path),
            }
            let (cond, exact) = self.passes(item, moment);
            passed.push((item, cond, exact));
            if self.always_passes(item, moment) {
                sure.push(item);
            }
            if self.covered(spot, &sure) {
                return;
            }
        }
        let path = self.without(&path, &passed);
        self.beginning(spot.region, moment, path, stage, floor);
    }

    /// The path with the condition that none of these is passed.
    fn without(&mut self, path: &Path, passed: &[(Item, T, bool)]) -> Path {
        let mut out = path.clone();
        for &(_, cond, exact) in passed {
            out.conditions.push(self.exec.ctx.pool.not(cond));
            out.exact &= exact;
        }
        out
    }

    /// The case that a barrier of the region itself is the last.
    fn last_is(&mut self, b: usize, spot: &Spot, moment: &Moment, mut path: Path) {
        if !self.covered(spot, &[Item::Barrier(b)]) {
            let reach = self.exec.reach[self.exec.barriers[b].block.0 as usize];
            path.conditions.push(self.at(reach, moment));
        }
        self.emit(Some(b), moment, path);
    }

    /// The case that the last barrier is in a loop that has been left.
    fn last_is_in(
        &mut self,
        l: usize,
        spot: &Spot,
        leading: &[bool],
        moment: &Moment,
        mut path: Path,
    ) {
        if !self.covered(spot, &[Item::Loop(l)]) {
            let enter = self.at(self.exec.loops[l].enter, moment);
            path.conditions.push(enter);
        }
        let last = self.at(self.exec.loops[l].last, moment);
        let mut then = moment.clone();
        then.push((l, last));
        let all = self.exec.ctx.cfg.loops[l].exits.clone();
        let edges: Vec<_> = all.iter().copied().filter(|e| self.leads(*e, spot, leading)).collect();
        if edges.len() < all.len() {
            let own = |p: BlockId| self.exec.ctx.cfg.innermost[p.0 as usize] == Some(l);
            if edges.iter().all(|(p, _)| own(*p)) {
                let mut any = self.exec.ctx.pool.truth(false);
                for &(p, to) in &edges {
                    let branch = self.exec.branch(p, to);
                    let taken = self.exec.ctx.pool.and(self.exec.reach[p.0 as usize], branch);
                    any = self.exec.ctx.pool.or(any, taken);
                }
                path.conditions.push(self.at(any, &then));
            } else {
                path.exact = false;
            }
        }
        let exits = Spot { region: Some(l), before: Vec::new(), edges };
        self.walk(&exits, &then, path, Stage::Own, Some(l));
    }

    /// The case that no item of the region was passed in this iteration: continues with what came before.
    fn beginning(
        &mut self,
        region: Option<usize>,
        moment: &Moment,
        path: Path,
        stage: Stage,
        floor: Option<usize>,
    ) {
        let Some(l) = region else {
            self.emit(None, moment, path);
            return;
        };
        // The earlier iteration must be one in which a barrier was passed.
        if stage == Stage::Earlier {
            return;
        }
        let (_, k) = *moment.last().expect("a region that is a loop has a counter");
        let zero = self.exec.ctx.pool.constant(0, 64);
        let outer: Moment = moment[..moment.len() - 1].to_vec();
        let head = self.exec.loops[l].head;
        let up = Spot {
            region: self.exec.ctx.cfg.loops[l].parent,
            before: vec![(head, 0)],
            edges: Vec::new(),
        };
        // Loops that were left have iteration numbers of their own.
        let own = floor.is_none() && self.innermost == region;
        if floor != Some(l) {
            let mut first = path.clone();
            first.via = Via::Other;
            first.conditions.push(self.exec.ctx.pool.eq(k, zero));
            self.walk(&up, &outer, first, Stage::Own, floor);
        }
        let mut path = path;
        if own {
            path.via = if stage == Stage::Own { Via::Previous } else { Via::Other };
        }
        path.conditions.push(self.exec.ctx.pool.ult(zero, k));
        let mut then = outer.clone();
        let end = Spot { region: Some(l), before: Vec::new(), edges: self.latches(l) };
        if stage == Stage::Own {
            then.push((l, self.exec.ctx.pool.add_const(k, u64::MAX)));
            self.walk(&end, &then, path, Stage::Previous, floor);
            return;
        }
        // Two iterations without a barrier: either none was passed since the loop was entered, or the last one was in
        // some iteration before.
        path.exact = false;
        if floor != Some(l) {
            self.walk(&up, &outer, path.clone(), Stage::Own, floor);
        }
        let earlier = self.exec.loops[l].earlier;
        path.conditions.push(self.exec.ctx.pool.ult(earlier, k));
        then.push((l, earlier));
        self.walk(&end, &then, path, Stage::Earlier, floor);
    }

    fn emit(&mut self, start: Option<usize>, moment: &Moment, path: Path) {
        let Path { mut conditions, exact, via } = path;
        let pool = &self.exec.ctx.pool;
        conditions.retain(|&t| !pool.is_true(t));
        conditions.sort();
        conditions.dedup();
        if conditions.iter().any(|&t| pool.is_false(t)) {
            return;
        }
        let when = moment.iter().map(|(_, t)| *t).collect();
        let way = Way { start, when, conditions, exact, via };
        if !self.out.contains(&way) {
            self.out.push(way);
        }
        self.overflow |= self.out.len() > MAX_WAYS;
    }

    // ---- conditions ----

    /// A term of the generic thread, in these iterations.
    fn at(&mut self, t: T, moment: &Moment) -> T {
        let pairs: Vec<(T, T)> =
            moment.iter().map(|&(l, to)| (self.exec.loops[l].index, to)).collect();
        let mut s = Substitution::rebinding(&mut self.exec.ctx.pool, &pairs);
        s.apply(&mut self.exec.ctx.pool, t)
    }

    /// A sufficient condition for passing a barrier, and whether it is also necessary. For a loop, the condition of its
    /// first iteration.
    fn passes(&mut self, item: Item, moment: &Moment) -> (T, bool) {
        match item {
            Item::Barrier(b) => {
                let reach = self.exec.reach[self.exec.barriers[b].block.0 as usize];
                (self.at(reach, moment), true)
            }
            Item::Loop(l) => {
                let enter = self.at(self.exec.loops[l].enter, moment);
                let (inside, exact) = self.passes_at_first(l, moment);
                (self.exec.ctx.pool.and(enter, inside), exact)
            }
        }
    }

    fn passes_at_first(&mut self, l: usize, moment: &Moment) -> (T, bool) {
        let mut then = moment.clone();
        then.push((l, self.exec.ctx.pool.constant(0, 64)));
        let mut any = self.exec.ctx.pool.truth(false);
        let mut exact = true;
        let items = self.items[l].clone();
        for &item in &items {
            let (cond, whole) = self.passes(item, &then);
            any = self.exec.ctx.pool.or(any, cond);
            exact &= whole;
        }
        // No second iteration, or only after a barrier: if none is passed in the first, none is passed at all.
        let once = self.exec.loops[l].max == Some(0);
        let again = Spot { region: Some(l), before: Vec::new(), edges: self.latches(l) };
        let barriers: Vec<Item> =
            items.into_iter().filter(|i| matches!(i, Item::Barrier(_))).collect();
        (any, exact && (once || self.covered(&again, &barriers)))
    }

    /// Whether every thread that reaches the item passes a barrier.
    fn always_passes(&mut self, item: Item, moment: &Moment) -> bool {
        match item {
            Item::Barrier(_) => true,
            Item::Loop(l) => {
                let (inside, _) = self.passes_at_first(l, moment);
                self.exec.ctx.pool.is_true(inside)
            }
        }
    }

    // ---- the graph of one iteration ----

    fn latches(&self, l: usize) -> Vec<(BlockId, BlockId)> {
        let head = self.exec.loops[l].head;
        let all = &self.exec.ctx.cfg.predecessors[head.0 as usize];
        let inside = all.iter().filter(|p| self.exec.loops[l].contains(**p));
        let mut out: Vec<_> = inside.map(|p| (*p, head)).collect();
        out.dedup();
        out
    }

    /// Whether an edge stays in the iteration, and its condition is not constantly false.
    fn open(&self, region: Option<usize>, p: BlockId, to: BlockId) -> bool {
        if let Some(l) = region
            && (self.exec.loops[l].head == to
                || !self.exec.loops[l].contains(to)
                || !self.exec.loops[l].contains(p))
        {
            return false;
        }
        match (self.exec.branches.get(&p), &self.exec.ctx.kernel.block(p).term) {
            (Some(&c), Terminator::Branch { then, otherwise, .. }) if then != otherwise => {
                !(to == *then && self.exec.ctx.pool.is_false(c)
                    || to == *otherwise && self.exec.ctx.pool.is_true(c))
            }
            _ => true,
        }
    }

    /// The blocks from which the spot can be reached within the iteration.
    fn leading(&self, spot: &Spot) -> Vec<bool> {
        let mut seen = vec![false; self.exec.ctx.kernel.blocks.len()];
        let mut work: Vec<BlockId> =
            spot.before.iter().map(|s| s.0).chain(spot.edges.iter().map(|e| e.0)).collect();
        while let Some(b) = work.pop() {
            if std::mem::replace(&mut seen[b.0 as usize], true) {
                continue;
            }
            for &p in &self.exec.ctx.cfg.predecessors[b.0 as usize] {
                if self.open(spot.region, p, b) {
                    work.push(p);
                }
            }
        }
        seen
    }

    /// Whether this exit edge of a loop is on a path to the spot.
    fn leads(&self, (p, to): (BlockId, BlockId), spot: &Spot, leading: &[bool]) -> bool {
        spot.edges.contains(&(p, to)) || self.open(spot.region, p, to) && leading[to.0 as usize]
    }

    /// Whether the item can be passed before the spot, in the same iteration.
    fn precedes(&self, item: Item, spot: &Spot, leading: &[bool]) -> bool {
        match item {
            Item::Barrier(b) => {
                let b = &self.exec.barriers[b];
                let here = spot.before.iter().any(|&(s, upto)| s == b.block && b.at < upto)
                    || spot.edges.iter().any(|(p, _)| *p == b.block);
                here || self.exec.ctx.cfg.successors[b.block.0 as usize]
                    .iter()
                    .any(|&s| self.open(spot.region, b.block, s) && leading[s.0 as usize])
            }
            Item::Loop(l) => {
                let exits = &self.exec.ctx.cfg.loops[l].exits;
                exits.iter().any(|&e| self.leads(e, spot, leading))
            }
        }
    }

    /// The blocks that can follow the item within the iteration, including its own.
    fn after(&self, item: Item, region: Option<usize>) -> Vec<bool> {
        let mut seen = vec![false; self.exec.ctx.kernel.blocks.len()];
        let mut work = vec![self.block_of(item)];
        while let Some(b) = work.pop() {
            if std::mem::replace(&mut seen[b.0 as usize], true) {
                continue;
            }
            for &s in &self.exec.ctx.cfg.successors[b.0 as usize] {
                if self.open(region, b, s) {
                    work.push(s);
                }
            }
        }
        seen
    }

    /// Whether every path through the iteration to the spot passes one of these.
    fn covered(&self, spot: &Spot, by: &[Item]) -> bool {
        let closed: Vec<BlockId> = by.iter().map(|&i| self.block_of(i)).collect();
        let hit = |b: BlockId| {
            let first = by.iter().filter(|&&i| self.block_of(i) == b).map(|i| match *i {
                Item::Barrier(n) => self.exec.barriers[n].at,
                Item::Loop(_) => 0,
            });
            let first = first.min().unwrap_or(usize::MAX);
            spot.before.iter().any(|&(s, upto)| s == b && upto <= first)
                || first == usize::MAX && spot.edges.iter().any(|(p, _)| *p == b)
        };
        let entry = spot.region.map_or(BlockId(0), |l| self.exec.loops[l].head);
        let mut seen = vec![false; self.exec.ctx.kernel.blocks.len()];
        let mut work = vec![entry];
        while let Some(b) = work.pop() {
            if std::mem::replace(&mut seen[b.0 as usize], true) {
                continue;
            }
            if hit(b) {
                return false;
            }
            if closed.contains(&b) {
                continue;
            }
            for &s in &self.exec.ctx.cfg.successors[b.0 as usize] {
                if self.open(spot.region, b, s) {
                    work.push(s);
                }
            }
        }
        true
    }
}
