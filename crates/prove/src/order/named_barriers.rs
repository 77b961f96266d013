//! Barriers for some of a block's threads: PTX's `bar.sync` with a number and a count.
//!
//! Such a barrier is modelled if it is the barrier of a *tile*: as many consecutive threads as its count. Then it
//! orders the threads of a tile as a barrier of the block orders all ([`crate::property::race`]). This is checked here:
//! the threads of a tile reach it together, with the same number; no threads of another tile, and no barrier of the
//! whole block, use that number; and no tile extends beyond the end of the block.
//!
//! What it misses: counts that differ between the barriers of a kernel, and `bar.arrive`.

use lockstep_finding::{NotFollowed, Question, Reason};
use lockstep_kernel::{Barrier, BlockId, Operand};

use crate::decide::limits::Limits;
use crate::decide::solve::{Outcome, Query};
use crate::launch::context::Level;
use crate::order::pair::Pairs;
use crate::symbolic::records::is_block_barrier;
use crate::symbolic::source::line_of;

/// One such barrier: position in `Exec::barriers`, block, number.
#[derive(Clone, Copy)]
struct Partial {
    at: usize,
    block: BlockId,
    id: Operand,
}

impl Pairs<'_, '_> {
    /// The number of consecutive threads that such barriers are for, if there are any; or why it is not known.
    pub(crate) fn check_partial(&mut self, limits: Limits) -> Result<Option<u32>, Reason> {
        let kernel = self.exec.ctx.kernel;
        let mut count = None;
        let mut all = Vec::new();
        for (at, b) in self.exec.barriers.clone().into_iter().enumerate() {
            let not_followed = || {
                let at = Some(line_of(kernel, b.site));
                Reason::NotFollowed { what: NotFollowed::PartialBarrier, at }
            };
            match b.barrier {
                _ if is_block_barrier(&b.barrier) => {}
                Barrier::Block { id, threads: Some(threads), .. } => {
                    let threads = self.exec.operand(threads, 32, b.block);
                    let threads = self.exec.ctx.pool.as_const(threads).map(|n| n as u32);
                    let whole_warps = threads.filter(|&n| {
                        n > 0 && n.is_multiple_of(self.exec.ctx.assumptions.warp_size)
                    });
                    if whole_warps.is_none() || count.is_some() && count != whole_warps {
                        return Err(not_followed());
                    }
                    count = whole_warps;
                    all.push(Partial { at, block: b.block, id });
                }
                Barrier::Block { .. } | Barrier::Arrive { .. } | Barrier::Await { .. } => {
                    return Err(not_followed());
                }
                _ => {}
            }
        }
        let Some(threads) = count else { return Ok(None) };
        let same = self.same_tile(threads);
        let blocks: Vec<(usize, BlockId)> = all.iter().map(|p| (p.at, p.block)).collect();
        if let Some(at) = self.not_together(&blocks, same, limits) {
            let at = line_of(kernel, self.exec.barriers[at].site);
            return Err(Reason::MayHappen(Question::ThreadsReach { threads, at }));
        }
        let mut queries = Vec::new();
        for (i, &a) in all.iter().enumerate() {
            queries.extend(self.too_few(a, threads));
            queries.extend(self.two_numbers(a, threads));
            queries.extend(self.number_of_the_block(a));
            for &b in &all[i..] {
                queries.extend(self.one_number(a, b, threads));
            }
        }
        let outcomes = self.solver.decide(self.exec.ctx, &queries, limits);
        if outcomes.iter().any(|o| !matches!(o, Outcome::Unsat)) {
            let at = Some(line_of(kernel, self.exec.barriers[all[0].at].site));
            return Err(Reason::NotFollowed { what: NotFollowed::WhoMeets, at });
        }
        Ok(Some(threads))
    }

    /// A thread reaches the barrier whose tile is incomplete.
    fn too_few(&mut self, a: Partial, threads: u32) -> Option<Query> {
        let mut list = self.facts_of_one();
        list.extend(self.conditions(a.block, 1, Level::Block));
        let ctx = &mut *self.exec.ctx;
        let (own, all) = (ctx.linear_thread(1), ctx.block_threads());
        let size = ctx.pool.constant(u64::from(threads), 32);
        let tile = ctx.pool.udiv(own, size);
        let next = ctx.pool.add_const(tile, 1);
        let end = ctx.pool.scale(next, u64::from(threads));
        list.push(ctx.pool.ult(all, end));
        self.ask(list, Level::Block)
    }

    /// Two threads of one tile reach the barrier, in one iteration, with different numbers.
    fn two_numbers(&mut self, a: Partial, threads: u32) -> Option<Query> {
        let level = Level::Block;
        let mut list = self.both_at(a, a);
        list.push(self.same_tile(threads));
        for l in self.exec.nest(a.block) {
            let index = self.exec.loops[l].index;
            let (k, m) = (self.copy(index, 1, level), self.copy(index, 2, level));
            list.push(self.exec.ctx.pool.eq(k, m));
        }
        let id = self.exec.operand(a.id, 32, a.block);
        let (x, y) = (self.copy(id, 1, level), self.copy(id, 2, level));
        let same = self.exec.ctx.pool.eq(x, y);
        list.push(self.exec.ctx.pool.not(same));
        self.ask(list, level)
    }

    /// Threads of two tiles reach barriers with the same number.
    fn one_number(&mut self, a: Partial, b: Partial, threads: u32) -> Option<Query> {
        let level = Level::Block;
        let mut list = self.both_at(a, b);
        let same = self.same_tile(threads);
        list.push(self.exec.ctx.pool.not(same));
        let (x, y) = (self.exec.operand(a.id, 32, a.block), self.exec.operand(b.id, 32, b.block));
        let (x, y) = (self.copy(x, 1, level), self.copy(y, 2, level));
        list.push(self.exec.ctx.pool.eq(x, y));
        self.ask(list, level)
    }

    /// A thread reaches the barrier with the number of a barrier of the whole block.
    fn number_of_the_block(&mut self, a: Partial) -> Vec<Query> {
        let mut out = Vec::new();
        for b in self.exec.barriers.clone() {
            let Barrier::Block { id: Operand::Imm(n), threads: None, .. } = b.barrier else {
                continue;
            };
            let mut list = self.facts_of_one();
            list.extend(self.conditions(a.block, 1, Level::Block));
            let id = self.exec.operand(a.id, 32, a.block);
            let id = self.copy(id, 1, Level::Block);
            let n = self.exec.ctx.pool.constant(n, 32);
            list.push(self.exec.ctx.pool.eq(id, n));
            out.extend(self.ask(list, Level::Block));
        }
        out
    }

    fn both_at(&mut self, a: Partial, b: Partial) -> Vec<crate::term::T> {
        let mut list = self.facts(Level::Block);
        list.extend(self.conditions(a.block, 1, Level::Block));
        list.extend(self.conditions(b.block, 2, Level::Block));
        list
    }
}
