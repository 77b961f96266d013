//! Barrier divergence: checks that all threads of a block reach the same barriers, and all threads of the grid the same
//! barriers of the grid.
//!
//! For each barrier, and for each loop that contains one, the condition for reaching it within one iteration of the
//! enclosing loop must be the same for any two threads of a block, given that both are in that iteration: then by
//! induction over iterations all threads pass the same sequence of barriers. Conditions within an iteration are exact
//! ([`crate::symbolic::evaluate`]), so their negation is exact too.
//!
//! There are two strengths. *Strict* is the reported property: a thread that has returned counts as missing. For phases
//! it is enough that a thread that misses a barrier reaches no later one (*aligned*): it has exited, and the others
//! continue without it.

use lockstep_finding::{NotFollowed, Question, Reason};
use lockstep_kernel::{Barrier, BlockId};

use crate::decide::asked::About;
use crate::decide::limits::Limits;
use crate::decide::solve::{Outcome, Query};
use crate::launch::context::Level;
use crate::order::pair::Pairs;
use crate::symbolic::records::{WarpOp, is_block_barrier};
use crate::symbolic::source::spot_of;
use crate::term::T;

/// One obligation: the first thread must not reach a point that the second does not.
#[derive(Clone, Debug)]
pub(crate) struct Obligation {
    /// The barrier (by position in `Exec::barriers`) that it is about.
    pub(crate) barrier: usize,
    pub(crate) what: What,
    /// Whether the two threads are in one block, or in two.
    pub(crate) level: Level,
    pub(crate) strict: bool,
    pub(crate) query: Query,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    Barrier(BlockId),
    Enter(usize),
    Stay(usize),
}

/// A point that threads must reach together.
struct Point {
    barrier: usize,
    what: What,
    /// The loop whose iteration the condition is about.
    around: Option<usize>,
    at: BlockId,
    cond: T,
}

impl Pairs<'_, '_> {
    /// The conditions that must be uniform: for a barrier, for entering a loop that contains one, and for its next
    /// iteration.
    fn points(&self, blocks: &[(usize, BlockId)]) -> Vec<Point> {
        let mut out = Vec::new();
        let exec = &self.exec;
        let mut loops_done = vec![false; exec.loops.len()];
        for &(barrier, block) in blocks {
            let nest = exec.nest(block);
            for (depth, &l) in nest.iter().enumerate() {
                if std::mem::replace(&mut loops_done[l], true) {
                    continue;
                }
                let outer = depth.checked_sub(1).map(|d| nest[d]);
                let at = exec.loops[l].head;
                let (enter, stay) = (exec.loops[l].enter, exec.loops[l].stay);
                out.push(Point { barrier, what: What::Enter(l), around: outer, at, cond: enter });
                out.push(Point { barrier, what: What::Stay(l), around: Some(l), at, cond: stay });
            }
            let (what, around) = (What::Barrier(block), nest.last().copied());
            let cond = exec.reach[block.0 as usize];
            out.push(Point { barrier, what, around, at: block, cond });
        }
        out
    }

    /// The condition that the first thread reaches the point and the second, in the same iterations, does not.
    fn uneven(&mut self, point: &Point, level: Level) -> Vec<T> {
        let mut base = self.facts(level);
        if let Some(l) = point.around {
            let head = self.exec.loops[l].head;
            for tag in [1, 2] {
                base.extend(self.conditions(head, tag, level));
            }
            for outer in self.exec.nest(head) {
                let index = self.exec.loops[outer].index;
                let (a, b) = (self.copy(index, 1, level), self.copy(index, 2, level));
                base.push(self.exec.ctx.pool.eq(a, b));
            }
        }
        let here = self.copy(point.cond, 1, level);
        let there = self.copy(point.cond, 2, level);
        let missing = self.exec.ctx.pool.not(there);
        base.extend([here, missing]);
        base
    }

    /// The size of the tiles of a warp whose lanes execute all operations that name them together; or why that is not
    /// known.
    pub(crate) fn check_warps(&mut self, limits: Limits) -> Result<u32, Reason> {
        let ops = self.exec.warp_ops.clone();
        let kernel = self.exec.ctx.kernel;
        let mut smallest = self.exec.ctx.assumptions.warp_size;
        let mut by_tile: Vec<(u32, Vec<(usize, BlockId)>)> = Vec::new();
        for (i, op) in ops.iter().enumerate() {
            let Some(tile) = self.tile_of(op, limits) else {
                let at = Some(spot_of(kernel, op.loc));
                return Err(Reason::NotFollowed { what: NotFollowed::LaneMask, at });
            };
            smallest = smallest.min(tile);
            match by_tile.iter_mut().find(|(t, _)| *t == tile) {
                Some((_, blocks)) => blocks.push((i, op.block)),
                None => by_tile.push((tile, vec![(i, op.block)])),
            }
        }
        for (tile, blocks) in by_tile {
            let same = self.same_tile(tile);
            if let Some(op) = self.not_together(&blocks, same, limits) {
                let at = spot_of(kernel, ops[op].loc);
                return Err(Reason::MayHappen(Question::LanesReach(at)));
            }
        }
        Ok(smallest)
    }

    /// A point that only one of two threads for which `same` holds may reach.
    pub(crate) fn not_together(
        &mut self,
        blocks: &[(usize, BlockId)],
        same: T,
        limits: Limits,
    ) -> Option<usize> {
        let mut queries = Vec::new();
        let mut about = Vec::new();
        for point in self.points(blocks) {
            let mut list = self.uneven(&point, Level::Block);
            list.push(same);
            if let Some(q) = self.ask(list, Level::Block) {
                queries.push(q);
                about.push(point.barrier);
            }
        }
        let outcomes = self.solver.decide(self.exec.ctx, &queries, limits);
        let open = outcomes.iter().position(|o| !matches!(o, Outcome::Unsat))?;
        Some(about[open])
    }

    /// The tile, a power of two, that an operation's mask names: the one that contains the thread itself.
    fn tile_of(&mut self, op: &WarpOp, limits: Limits) -> Option<u32> {
        let whole = self.exec.ctx.assumptions.warp_size;
        let named = self.exec.ctx.pool.as_const(op.mask);
        if named == Some(0xffff_ffff) {
            return Some(whole);
        }
        let mut tile = named.map_or(whole, |mask| mask.count_ones().min(whole));
        while tile > 0 {
            if tile.is_power_of_two() && self.names_tile(op, tile, limits) {
                return Some(tile);
            }
            tile = if named.is_some() { 0 } else { tile / 2 };
        }
        None
    }

    /// Whether a mask contains exactly the lanes of the thread's tile, as far as they exist in the block.
    fn names_tile(&mut self, op: &WarpOp, tile: u32, limits: Limits) -> bool {
        let all = 0xffff_ffff;
        let mask = self.copy(op.mask, 1, Level::Block);
        let ctx = &mut *self.exec.ctx;
        let size = u64::from(ctx.assumptions.warp_size);
        let (own, threads) = (ctx.linear_thread(1), ctx.block_threads());
        let lanes = ctx.pool.constant(size, 32);
        let warp = ctx.pool.udiv(own, lanes);
        let first = ctx.pool.scale(warp, size);
        // The lanes from the warp's first thread to the block's last; higher bits belong to no thread.
        let left = ctx.pool.sub(threads, first);
        let one = ctx.pool.constant(1, 32);
        let end = ctx.pool.shl(one, left);
        let those = ctx.pool.add_const(end, u64::MAX);
        let full = ctx.pool.constant(all, 32);
        let is_full = ctx.pool.ule(lanes, left);
        let there = ctx.pool.ite(is_full, full, those);
        let wanted = if u64::from(tile) == size {
            there
        } else {
            let lane = ctx.pool.urem(own, lanes);
            let width = ctx.pool.constant(u64::from(tile), 32);
            let within = ctx.pool.urem(lane, width);
            let start = ctx.pool.sub(lane, within);
            let bits = ctx.pool.constant((1u64 << tile) - 1, 32);
            let bits = ctx.pool.shl(bits, start);
            ctx.pool.and(bits, there)
        };
        let named = ctx.pool.and(mask, there);
        let same = ctx.pool.eq(named, wanted);
        let missing = ctx.pool.not(same);
        let mut list = self.facts_of_one();
        list.extend(self.conditions(op.block, 1, Level::Block));
        list.push(missing);
        let Some(query) = self.ask(list, Level::Block) else { return true };
        let outcome = self.solver.decide(self.exec.ctx, std::slice::from_ref(&query), limits);
        matches!(outcome[..], [Outcome::Unsat])
    }

    /// The condition that the two threads are in one warp.
    pub(crate) fn same_warp(&mut self) -> T {
        self.same_tile(self.exec.ctx.assumptions.warp_size)
    }

    /// The condition that the two threads are in one tile of `threads` consecutive threads, which may span warps.
    pub(crate) fn same_tile(&mut self, threads: u32) -> T {
        let ctx = &mut *self.exec.ctx;
        let size = ctx.pool.constant(u64::from(threads), 32);
        let (a, b) = (ctx.linear_thread(1), ctx.linear_thread(2));
        let (a, b) = (ctx.pool.udiv(a, size), ctx.pool.udiv(b, size));
        ctx.pool.eq(a, b)
    }

    pub(crate) fn divergence_obligations(&mut self) -> Vec<Obligation> {
        let mut out = Vec::new();
        for level in [Level::Block, Level::Grid] {
            let counts = |b: &Barrier| match level {
                Level::Block => is_block_barrier(b) || matches!(b, Barrier::GroupCopies { .. }),
                Level::Grid => matches!(b, Barrier::Grid),
            };
            let all = self.exec.barriers.iter().enumerate();
            let blocks: Vec<(usize, BlockId)> =
                all.filter(|(_, b)| counts(&b.barrier)).map(|(i, b)| (i, b.block)).collect();
            self.obligations_of(&blocks, level, &mut out);
        }
        out
    }

    fn obligations_of(
        &mut self,
        blocks: &[(usize, BlockId)],
        level: Level,
        out: &mut Vec<Obligation>,
    ) {
        let points = self.points(blocks);
        for point in &points {
            let (barrier, what) = (point.barrier, point.what);
            let mut base = self.uneven(point, level);
            // The points that come later in the same iteration (or anywhere later, at the top level).
            let position = self.exec.ctx.cfg.position[point.at.0 as usize];
            let mut later = self.exec.ctx.pool.truth(point.around.is_some());
            if point.around.is_none() {
                for other in &points {
                    let after = self.exec.ctx.cfg.position[other.at.0 as usize] > position;
                    if other.around.is_none() && after {
                        let t = self.copy(other.cond, 2, level);
                        later = self.exec.ctx.pool.or(later, t);
                    }
                }
            }
            self.solver.begin(About::EveryBarrier);
            if let Some(query) = self.ask(base.clone(), level) {
                out.push(Obligation { barrier, what, level, strict: true, query });
            }
            base.push(later);
            self.solver.begin(About::Barrier);
            if let Some(query) = self.ask(base, level) {
                out.push(Obligation { barrier, what, level, strict: false, query });
            }
        }
    }

    pub(crate) fn decide_obligations(
        &mut self,
        obligations: Vec<Obligation>,
        limits: Limits,
    ) -> Vec<(Obligation, Outcome)> {
        let queries: Vec<Query> = obligations.iter().map(|o| o.query.clone()).collect();
        let outcomes = self.solver.decide(self.exec.ctx, &queries, limits);
        obligations.into_iter().zip(outcomes).collect()
    }
}
