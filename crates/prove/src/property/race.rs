//! Data races: every pair of accesses of which at least one writes, for two threads of one block and of two.
//!
//! Two threads of one block are concurrent within a phase ([`crate::order::phases`]); two threads of different blocks
//! always are, except across barriers of the whole grid, which have phases of their own. Atomics do not race with each
//! other if each scope includes the other thread and they have the same width.
//!
//! Of the orders through atomics, fences or volatile flags, only that of the last block is modelled
//! ([`crate::order::last_block`]): a pair that is ordered only by another such chain is an alarm, and only `possible`
//! in any kernel that has operations that could form a chain.

use lockstep_kernel::{Barrier, Scheduling, Scope, Space};
use rustc_hash::FxHashMap;

use crate::decide::asked::{About, DecidedBy};
use crate::decide::limits::Limits;
use crate::decide::solve::{Outcome, Query};
use crate::launch::context::{Base, Level};
use crate::order::pair::Candidate;
use crate::order::pair::{Pairs, Relation};
use crate::order::pair_log::{Exclusion, last_barriers};
use crate::order::phases::Phases;
use crate::symbolic::evaluate::Exec;
use crate::symbolic::memory::Place;
use crate::symbolic::provenance::may_share;
use crate::symbolic::records::Mode;
use crate::symbolic::records::is_block_barrier;
use crate::term::{Bin, Node, T};

/// Phases, and the relations between pairs of their places, as far as they were computed.
struct Related {
    phases: Phases,
    known: FxHashMap<(usize, usize), Vec<Relation>>,
    /// The queries that excluded the other ways, if they are recorded.
    closed: FxHashMap<(usize, usize), Vec<usize>>,
    /// Which barriers count, by position.
    orders: Vec<bool>,
}

impl Related {
    fn new(exec: &mut Exec, orders: &dyn Fn(usize) -> bool) -> Related {
        let phases = Phases::new(exec, orders);
        let orders = (0..exec.barriers.len()).map(orders).collect();
        Related { phases, known: FxHashMap::default(), closed: FxHashMap::default(), orders }
    }
}

/// The number of consecutive threads that partial barriers synchronise, where they can be relied on.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tiles {
    /// `__syncwarp`: the smallest tile named by any of them.
    pub(crate) lanes: Option<u32>,
    /// `bar.sync` with a count: whole warps ([`crate::order::named_barriers`]).
    pub(crate) threads: Option<u32>,
}

/// Order by barriers of a tile and of the block, for shared and for global memory.
struct Within {
    threads: u32,
    related: [Related; 2],
}

/// What orders two threads of one block.
struct Order {
    shared: Related,
    global: Related,
    /// With `bar.sync` of a tile, for threads of the same tile.
    tile: Option<Within>,
    /// With `__syncwarp` too, for lanes of the same tile.
    warp: Option<Within>,
    lockstep: bool,
    /// With barriers of the whole grid, for threads of different blocks.
    grid: Option<Related>,
}

/// The outcome for a candidate.
pub(crate) struct Decided {
    pub(crate) candidate: Candidate,
    pub(crate) outcome: Outcome,
}

impl Pairs<'_, '_> {
    /// All pairs that arithmetic does not exclude.
    pub(crate) fn race_candidates(
        &mut self,
        limits: Limits,
        tiles: Tiles,
    ) -> Option<Vec<Candidate>> {
        let orders = |exec: &Exec, shared: bool| -> Vec<bool> {
            exec.barriers
                .iter()
                .map(|b| match b.barrier {
                    Barrier::Block { orders_shared, orders_global, .. } => {
                        is_block_barrier(&b.barrier)
                            && if shared { orders_shared } else { orders_global }
                    }
                    Barrier::Grid => true,
                    _ => false,
                })
                .collect()
        };
        let for_shared = orders(&self.exec, true);
        let for_global = orders(&self.exec, false);
        let within_warp: Vec<bool> = self
            .exec
            .barriers
            .iter()
            .map(|b| tiles.lanes.is_some() && matches!(b.barrier, Barrier::Warp { .. }))
            .collect();
        let of_tiles: Vec<bool> = self
            .exec
            .barriers
            .iter()
            .map(|b| {
                tiles.threads.is_some()
                    && matches!(b.barrier, Barrier::Block { threads: Some(_), .. })
            })
            .collect();
        let of_grid: Vec<bool> =
            self.exec.barriers.iter().map(|b| matches!(b.barrier, Barrier::Grid)).collect();
        let exec = &mut self.exec;
        let mut order = Order {
            shared: Related::new(exec, &|i| for_shared[i]),
            global: Related::new(exec, &|i| for_global[i]),
            tile: tiles.threads.map(|threads| Within {
                threads,
                related: [
                    Related::new(exec, &|i| for_shared[i] || of_tiles[i]),
                    Related::new(exec, &|i| for_global[i] || of_tiles[i]),
                ],
            }),
            warp: tiles.lanes.filter(|_| within_warp.contains(&true)).map(|threads| Within {
                threads,
                related: [
                    Related::new(exec, &|i| for_shared[i] || of_tiles[i] || within_warp[i]),
                    Related::new(exec, &|i| for_global[i] || of_tiles[i] || within_warp[i]),
                ],
            }),
            grid: of_grid.contains(&true).then(|| Related::new(exec, &|i| of_grid[i])),
            lockstep: self.exec.ctx.assumptions.scheduling == Scheduling::Lockstep,
        };
        self.solver.begin(About::Order);
        self.find_handed(limits);
        self.find_arrivals(limits);
        self.solver.begin(About::Race);
        let mut out = Vec::new();
        let n = self.exec.accesses.len();
        for i in 0..n {
            if limits.are_over() {
                return None;
            }
            for j in i..n {
                let (a, b) = (&self.exec.accesses[i], &self.exec.accesses[j]);
                if !a.mode.writes() && !b.mode.writes() {
                    continue;
                }
                let (a_copies, b_copies) = (a.group, b.group);
                for level in [Level::Block, Level::Grid] {
                    if level == Level::Block && (a_copies || b_copies) {
                        continue;
                    }
                    if self.tolerated(i, j, level) {
                        self.why.note(&self.exec, (i, j), level, |r| r.atomic = true);
                        self.exclude((i, j), level, Exclusion::BothAtomic);
                        continue;
                    }
                    if limits.are_over() {
                        return None;
                    }
                    self.pair(i, j, level, &mut order, &mut out);
                }
            }
        }
        self.copy_candidates(&for_shared, &for_global, &mut out);
        Some(out)
    }

    /// Whether both are atomic, with scopes that include each other.
    fn tolerated(&self, i: usize, j: usize, level: Level) -> bool {
        let (a, b) = (&self.exec.accesses[i], &self.exec.accesses[j]);
        let needed = if level == Level::Block { Scope::Block } else { Scope::Device };
        match (a.mode, b.mode) {
            (Mode::Atomic { scope: s, .. }, Mode::Atomic { scope: t, .. }) => {
                s >= needed && t >= needed && a.size == b.size
            }
            _ => false,
        }
    }

    /// The condition under which two accesses at these places overlap, and their offsets. Without offsets and
    /// unconditional, unless both are offsets in one object.
    pub(crate) fn meeting(
        &mut self,
        i: usize,
        j: usize,
        places: (Place, Place),
        lengths: (Option<T>, Option<T>),
    ) -> (T, Option<Base>, Option<(T, T)>) {
        match places {
            (Place::At(x, o), Place::At(y, u)) if x == y => {
                let overlap = self.overlap(i, j, o, u, lengths.0, lengths.1);
                (overlap, Some(x), Some((o, u)))
            }
            _ => (self.exec.ctx.pool.truth(true), None, None),
        }
    }

    fn pair(
        &mut self,
        i: usize,
        j: usize,
        level: Level,
        order: &mut Order,
        out: &mut Vec<Candidate>,
    ) {
        let (left, right) = (self.side(i, 1, level), self.side(j, 2, level));
        if left.cases.is_empty() || right.cases.is_empty() {
            self.exclude((i, j), level, Exclusion::NeverMade);
        }
        for p in &left.cases {
            for q in &right.cases {
                let Some(space) = self.common_space(i, j, p.place, q.place, level) else {
                    self.exclude((i, j), level, Exclusion::DifferentObjects);
                    continue;
                };
                let lengths = (left.length, right.length);
                let (overlap, base, offsets) = self.meeting(i, j, (p.place, q.place), lengths);
                if self.exec.ctx.pool.is_false(overlap) {
                    if self.log.is_some() {
                        let mut list = self.facts(level);
                        list.extend(&left.conditions);
                        list.extend(&right.conditions);
                        list.extend([p.when, q.when]);
                        self.exclude_apart(i, j, level, offsets, list);
                    }
                    self.why.note(&self.exec, (i, j), level, |r| r.apart = true);
                    self.solver.by_arithmetic += 1;
                    continue;
                }
                let ways: Vec<(Relation, Option<T>)> = match level {
                    Level::Grid => match &mut order.grid {
                        Some(grid) => {
                            let found = self.related(i, j, grid, Level::Grid);
                            self.exclude_ordered(
                                i,
                                j,
                                Level::Grid,
                                grid,
                                &found,
                                Exclusion::GridBarriers,
                            );
                            found.into_iter().map(|r| (r, None)).collect()
                        }
                        None => vec![(Relation { conditions: Vec::new(), exact: true }, None)],
                    },
                    Level::Block => self.ways(i, j, space == Space::Shared, order),
                };
                if ways.is_empty() {
                    self.why.note(&self.exec, (i, j), level, |r| r.barrier = true);
                }
                for (relation, whose) in ways {
                    let related = !relation.conditions.is_empty();
                    let mut assertions = self.facts(level);
                    assertions.extend(&left.conditions);
                    assertions.extend(&right.conditions);
                    assertions.extend([p.when, q.when, overlap]);
                    assertions.extend(&relation.conditions);
                    assertions.extend(whose);
                    let last = self.add_drawn(i, j, level, &mut assertions);
                    let query = self.ask_of_race(assertions, level);
                    if let Some(number) = self.solver.last_number() {
                        self.exclude((i, j), level, Exclusion::Question(number));
                    }
                    self.why.note(&self.exec, (i, j), level, |r| {
                        r.apart = true;
                        r.in_phase |= related;
                        r.last |= last;
                        r.solver |= query.is_some();
                    });
                    if let Some(query) = query {
                        let (first, second) = (i, j);
                        let offsets = offsets.map(|(o, u)| {
                            let mut both = [o, u];
                            if level == Level::Grid {
                                self.receive(&mut both);
                            }
                            self.join_loads(&mut both);
                            both.into()
                        });
                        out.push(Candidate {
                            first,
                            second,
                            level,
                            base,
                            offsets,
                            query,
                            relation,
                        });
                    }
                }
            }
        }
    }

    /// Adds the facts about numbers drawn from counters, and substitutes values passed through shared memory. Returns
    /// whether the last number orders the two.
    fn add_drawn(&mut self, i: usize, j: usize, level: Level, assertions: &mut Vec<T>) -> bool {
        let mut last = false;
        if level == Level::Grid {
            self.receive(assertions);
            let votes = self.vote_facts(assertions);
            assertions.extend(votes);
            last = self.add_arrivals(i, j, assertions);
        }
        let tickets = self.ticket_facts(assertions, level);
        assertions.extend(tickets);
        if level == Level::Grid {
            self.receive(assertions);
            let tallies = self.tally_facts(assertions, level);
            assertions.extend(tallies);
        }
        last
    }

    fn related(&mut self, i: usize, j: usize, order: &mut Related, level: Level) -> Vec<Relation> {
        let key = (order.phases.place(i), order.phases.place(j));
        if !order.known.contains_key(&key) {
            self.closed_ways.clear();
            let found = self.relations(&order.phases, key.0, key.1, level);
            order.known.insert(key, found);
            order.closed.insert(key, std::mem::take(&mut self.closed_ways));
        }
        order.known[&key].clone()
    }

    /// The ways in which the two accesses can be concurrent in one block: relations, each with the condition on the two
    /// threads (whether they share a tile or warp) under which it applies.
    fn ways(
        &mut self,
        i: usize,
        j: usize,
        shared: bool,
        order: &mut Order,
    ) -> Vec<(Relation, Option<T>)> {
        let of_block = if shared { &mut order.shared } else { &mut order.global };
        let plain = self.related(i, j, of_block, Level::Block);
        self.exclude_ordered(i, j, Level::Block, of_block, &plain, Exclusion::Barriers);
        let of = usize::from(!shared);
        let in_step = if order.lockstep && !plain.is_empty() { self.in_step(i, j) } else { None };
        // From the block down to the lanes: threads that do not share the next smaller tile are ordered by this level's
        // barriers.
        let mut levels: Vec<(Vec<Relation>, Option<T>)> = vec![(plain, None)];
        if let Some(tile) = &mut order.tile {
            let same = self.same_tile(tile.threads);
            let of_tile = &mut tile.related[of];
            let found = self.related(i, j, of_tile, Level::Block);
            self.exclude_ordered(i, j, Level::Block, of_tile, &found, Exclusion::TileBarriers);
            levels.push((found, Some(same)));
        }
        if order.lockstep {
            let same = self.same_warp();
            if in_step.is_none() && !levels[0].0.is_empty() {
                self.exclude((i, j), Level::Block, Exclusion::Lockstep);
            }
            levels.push((in_step.into_iter().collect(), Some(same)));
        } else if let Some(warp) = &mut order.warp {
            let same = self.same_tile(warp.threads);
            let of_warp = &mut warp.related[of];
            let found = self.related(i, j, of_warp, Level::Block);
            self.exclude_ordered(i, j, Level::Block, of_warp, &found, Exclusion::WarpBarriers);
            levels.push((found, Some(same)));
        }
        let mut out = Vec::new();
        for (at, (relations, same)) in levels.iter().enumerate() {
            let next = levels.get(at + 1).and_then(|(_, same)| *same);
            let apart = next.map(|t| self.exec.ctx.pool.not(t));
            let who = match (*same, apart) {
                (Some(a), Some(b)) => Some(self.exec.ctx.pool.and(a, b)),
                (a, b) => a.or(b),
            };
            out.extend(relations.iter().cloned().map(|r| (r, who)));
        }
        out
    }

    /// Records that two accesses are in no common phase, or what excluded some of the ways to be in one.
    fn exclude_ordered(
        &mut self,
        i: usize,
        j: usize,
        level: Level,
        order: &Related,
        found: &[Relation],
        rule: Exclusion,
    ) {
        if self.log.is_none() {
            return;
        }
        let key = (order.phases.place(i), order.phases.place(j));
        for &number in order.closed.get(&key).into_iter().flatten() {
            self.exclude((i, j), level, Exclusion::Question(number));
        }
        if found.is_empty() {
            let counts = |b: usize| order.orders[b];
            let last = [i, j].map(|access| last_barriers(&self.exec, access, &counts));
            let is_plain = last[0].is_disjoint(&last[1]);
            self.exclude(
                (i, j),
                level,
                if is_plain { rule } else { Exclusion::BarriersByConditions },
            );
        }
    }

    /// Records that two accesses of one object never overlap if the list holds: the query is whether their bytes
    /// overlap.
    fn exclude_apart(
        &mut self,
        i: usize,
        j: usize,
        level: Level,
        offsets: Option<(T, T)>,
        mut list: Vec<T>,
    ) {
        let why = match offsets.and_then(|(o, u)| self.plain_overlap(i, j, o, u)) {
            Some(overlap) => {
                list.push(overlap);
                self.solver
                    .keep(self.exec.ctx, &list, DecidedBy::Construction)
                    .map(Exclusion::Question)
            }
            None => Some(Exclusion::NoBytes),
        };
        if let Some(why) = why {
            self.exclude((i, j), level, why);
        }
    }

    /// The condition that two byte ranges overlap, without simplification by the offsets; `None` where one is empty.
    fn plain_overlap(&mut self, i: usize, j: usize, o: T, u: T) -> Option<T> {
        let (si, sj) = (self.exec.accesses[i].size, self.exec.accesses[j].size);
        if si == 0 || sj == 0 {
            return None;
        }
        let pool = &mut self.exec.ctx.pool;
        let forth = pool.intern(Node::Lin(0, [(o, 1), (u, u64::MAX)].into()), 64);
        let back = pool.intern(Node::Lin(0, [(u, 1), (o, u64::MAX)].into()), 64);
        let (size_i, size_j) = (pool.constant(si, 64), pool.constant(sj, 64));
        let x = pool.intern(Node::Bin(Bin::Ult, forth, size_j), 1);
        let y = pool.intern(Node::Bin(Bin::Ult, back, size_i), 1);
        Some(pool.intern(Node::Bin(Bin::Or, x, y), 1))
    }

    /// Lanes of one warp in lockstep: concurrent are only the same operation in the same iteration, or operations on
    /// the two sides of a divergent branch. Everything else is ordered by the common instruction stream.
    fn in_step(&mut self, i: usize, j: usize) -> Option<Relation> {
        let (a, b) = (self.exec.accesses[i].block, self.exec.accesses[j].block);
        let nest: Vec<usize> =
            self.exec.nest(a).into_iter().filter(|&l| self.exec.loops[l].contains(b)).collect();
        let same = i == j || self.exec.accesses[i].site == self.exec.accesses[j].site;
        let parted = a != b && !self.leads(a, b, &nest) && !self.leads(b, a, &nest);
        let mut conditions = Vec::new();
        for l in nest {
            let index = self.exec.loops[l].index;
            let (k, m) = (self.copy(index, 1, Level::Block), self.copy(index, 2, Level::Block));
            conditions.push(self.exec.ctx.pool.eq(k, m));
        }
        (same || parted).then_some(Relation { conditions, exact: false })
    }

    /// Whether control can flow from `a` to `b` within one iteration of the given loops.
    fn leads(
        &self,
        a: lockstep_kernel::BlockId,
        b: lockstep_kernel::BlockId,
        nest: &[usize],
    ) -> bool {
        let heads: Vec<_> = nest.iter().map(|&l| self.exec.loops[l].head).collect();
        let mut seen = vec![false; self.exec.ctx.kernel.blocks.len()];
        let mut work = vec![a];
        while let Some(at) = work.pop() {
            for &to in &self.exec.ctx.cfg.successors[at.0 as usize] {
                if to == b {
                    return true;
                }
                if !heads.contains(&to) && !std::mem::replace(&mut seen[to.0 as usize], true) {
                    work.push(to);
                }
            }
        }
        false
    }

    /// The address space in which the two places can be the same memory, if they can.
    pub(crate) fn common_space(
        &self,
        i: usize,
        j: usize,
        p: Place,
        q: Place,
        level: Level,
    ) -> Option<Space> {
        let ctx = &self.exec.ctx;
        let space_of = |access: usize, place: Place| match place {
            Place::At(b, _) => ctx.base_space(b),
            Place::Unknown => ctx.kernel.site(self.exec.accesses[access].site).space,
        };
        let (s, t) = (space_of(i, p), space_of(j, q));
        let space = match (s, t) {
            (Space::Private, _) | (_, Space::Private) => return None,
            (Space::Generic, x) | (x, Space::Generic) => x,
            (Space::Constant, Space::Global) | (Space::Global, Space::Constant) => Space::Global,
            (x, y) if x == y => x,
            _ => return None,
        };
        if level == Level::Grid && space == Space::Shared {
            return None;
        }
        match (p, q) {
            // No thread can write a struct passed by value.
            (Place::At(x, _), _) | (_, Place::At(x, _)) if ctx.is_struct(x) => None,
            (Place::At(x, _), Place::At(y, _)) if ctx.is_own(x) || ctx.is_own(y) => None,
            (Place::At(x, _), Place::At(y, _)) if x != y => {
                let may = ctx.assumptions.may_alias && space != Space::Shared;
                (may && may_share(ctx.kernel, x, y)).then_some(space)
            }
            _ => Some(space),
        }
    }

    /// The condition that two byte ranges in one object overlap.
    pub(crate) fn overlap(
        &mut self,
        i: usize,
        j: usize,
        o: T,
        u: T,
        left: Option<T>,
        right: Option<T>,
    ) -> T {
        let met = self.simple_overlap(i, j, o, u, left, right);
        if self.log.is_some()
            && left.is_none()
            && right.is_none()
            && let Some(plain) = self.plain_overlap(i, j, o, u)
        {
            let pool = &mut self.exec.ctx.pool;
            let from = pool.node(plain).clone();
            pool.note_rewrite(from, 1, met);
        }
        met
    }

    fn simple_overlap(
        &mut self,
        i: usize,
        j: usize,
        o: T,
        u: T,
        left: Option<T>,
        right: Option<T>,
    ) -> T {
        let (si, sj) = (self.exec.accesses[i].size, self.exec.accesses[j].size);
        let pool = &mut self.exec.ctx.pool;
        let difference = pool.sub(o, u);
        if left.is_some() || right.is_some() {
            let a = left.unwrap_or_else(|| pool.constant(si, 64));
            let b = right.unwrap_or_else(|| pool.constant(sj, 64));
            let back = pool.scale(difference, u64::MAX);
            let x = pool.ult(difference, b);
            let y = pool.ult(back, a);
            return pool.or(x, y);
        }
        if si == 0 || sj == 0 {
            return pool.truth(false);
        }
        // `o - u` must lie in `(-si, sj)`, and is known modulo a power of two.
        let (c, terms) = pool.lin_parts(difference);
        let twos = terms.iter().map(|(_, k)| k.trailing_zeros()).min().unwrap_or(63).min(63);
        let modulus = 1i128 << twos;
        let rest = (i128::from(c as i64)).rem_euclid(modulus);
        let (lo, hi) = (-(i128::from(si) - 1), i128::from(sj) - 1);
        let first = lo + (rest - lo).rem_euclid(modulus);
        if first > hi {
            return pool.truth(false);
        }
        if (hi - first) / modulus < 4 {
            let mut any = pool.truth(false);
            let mut d = first;
            while d <= hi {
                let to = pool.add_const(u, d as u64);
                let e = pool.eq(o, to);
                any = pool.or(any, e);
                d += modulus;
            }
            return any;
        }
        let size_i = pool.constant(si, 64);
        let size_j = pool.constant(sj, 64);
        let back = pool.scale(difference, u64::MAX);
        let x = pool.ult(difference, size_j);
        let y = pool.ult(back, size_i);
        pool.or(x, y)
    }

    pub(crate) fn decide(&mut self, candidates: Vec<Candidate>, limits: Limits) -> Vec<Decided> {
        let queries: Vec<Query> = candidates.iter().map(|c| c.query.clone()).collect();
        let outcomes = self.solver.decide(self.exec.ctx, &queries, limits);
        candidates
            .into_iter()
            .zip(outcomes)
            .map(|(candidate, outcome)| Decided { candidate, outcome })
            .collect()
    }
}
