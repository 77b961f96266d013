//! Barrier divergence: that all threads of a block come to the same barriers.
//!
//! For each barrier, and for each loop around one, the condition of coming to it within one iteration of the loop
//! around it must be the same for any two threads of a block, given that both are in that iteration: then by
//! induction over iterations all threads pass the same sequence of barriers. Conditions within an iteration are exact
//! ([`crate::exec`]), so their negation is meaningful too.
//!
//! Two strengths. *Strict* is the property reported: a thread that has returned counts as missing. For phases it is
//! enough that a thread that misses a barrier comes to no later one (*aligned*): it has left, and the others
//! go on without it.

use lockstep_kernel::BlockId;

use crate::context::Level;
use crate::pair::Pairs;
use crate::race::{Limits, is_block_barrier};
use crate::solve::{Outcome, Query};
use crate::term::T;

/// One obligation: the first thread comes to it, the second does not.
#[derive(Clone, Debug)]
pub(crate) struct Obligation {
    /// The barrier (by position in `Exec::barriers`) that it is about.
    pub(crate) barrier: usize,
    pub(crate) what: What,
    pub(crate) strict: bool,
    pub(crate) query: Query,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    Barrier(BlockId),
    Enter(usize),
    Stay(usize),
}

impl Pairs<'_, '_> {
    /// The conditions that must be uniform: for a barrier, for entering a loop with one, for going round it again.
    fn points(&self) -> Vec<(usize, What, Option<usize>, BlockId, T)> {
        let mut out = Vec::new();
        let exec = &self.exec;
        let mut loops_done = vec![false; exec.loops.len()];
        for (i, b) in exec.barriers.iter().enumerate() {
            if !is_block_barrier(&b.barrier) {
                continue;
            }
            let nest = exec.nest(b.block);
            for (depth, &l) in nest.iter().enumerate() {
                if std::mem::replace(&mut loops_done[l], true) {
                    continue;
                }
                let outer = depth.checked_sub(1).map(|d| nest[d]);
                let head = exec.loops[l].head;
                out.push((i, What::Enter(l), outer, head, exec.loops[l].enter));
                out.push((i, What::Stay(l), Some(l), head, exec.loops[l].stay));
            }
            let cond = exec.reach[b.block.0 as usize];
            out.push((i, What::Barrier(b.block), nest.last().copied(), b.block, cond));
        }
        out
    }

    pub(crate) fn divergence_obligations(&mut self) -> Vec<Obligation> {
        let level = Level::Block;
        let points = self.points();
        let mut out: Vec<Obligation> = Vec::new();
        for (barrier, what, around, block, cond) in points.clone() {
            let mut base = self.facts(level);
            if let Some(l) = around {
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
            let here = self.copy(cond, 1, level);
            let there = self.copy(cond, 2, level);
            let missing = self.exec.ctx.pool.not(there);
            base.extend([here, missing]);
            // What comes later in the same iteration (or anywhere after, for the top level).
            let position = self.exec.ctx.cfg.position[block.0 as usize];
            let mut later = self.exec.ctx.pool.truth(around.is_some());
            if around.is_none() {
                for (_, _, other_around, other_block, other) in &points {
                    let after = self.exec.ctx.cfg.position[other_block.0 as usize] > position;
                    if other_around.is_none() && after {
                        let t = self.copy(*other, 2, level);
                        later = self.exec.ctx.pool.or(later, t);
                    }
                }
            }
            if let Some(query) = self.ask(base.clone(), level) {
                out.push(Obligation { barrier, what, strict: true, query });
            }
            base.push(later);
            if let Some(query) = self.ask(base, level) {
                out.push(Obligation { barrier, what, strict: false, query });
            }
        }
        out
    }

    pub(crate) fn decide_obligations(
        &mut self,
        obligations: Vec<Obligation>,
        limits: Limits,
    ) -> Vec<(Obligation, Outcome)> {
        let queries: Vec<Query> = obligations.iter().map(|o| o.query.clone()).collect();
        let outcomes =
            self.solver.decide(self.exec.ctx, &queries, limits.jobs, limits.query, limits.deadline);
        obligations.into_iter().zip(outcomes).collect()
    }
}
