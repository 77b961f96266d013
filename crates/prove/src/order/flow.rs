//! Paths through the control flow, instruction by instruction: what lies on all of them, and which instruction can
//! follow which.
//!
//! The graph is an over-approximation: every branch may be taken either way. So if no path is found, there is none, and
//! what lies on all paths found lies on all paths of an execution.

use lockstep_kernel::{BlockId, Op};
use rustc_hash::FxHashSet;

use crate::symbolic::evaluate::Exec;
use crate::symbolic::records::{BarrierAt, is_block_barrier};

/// An instruction: block, and position in it.
pub(crate) type SourceLine = (BlockId, usize);

/// The instructions that a path must not contain.
type Closed<'a> = &'a dyn Fn(SourceLine) -> bool;

impl Exec<'_, '_> {
    /// Whether there is a path from after an instruction (or from the entry) to another one (or to the exit) that
    /// contains nothing in `closed`; within one iteration of a loop, if one is given.
    pub(crate) fn leads(
        &self,
        from: Option<SourceLine>,
        to: Option<SourceLine>,
        closed: Closed,
        within: Option<usize>,
    ) -> bool {
        let head = within.map(|l| self.loops[l].head);
        let first = match from {
            Some((b, at)) => (b, at + 1),
            None => (head.unwrap_or(BlockId(0)), 0),
        };
        let mut seen: FxHashSet<BlockId> = FxHashSet::default();
        let mut work = vec![first];
        while let Some((b, first)) = work.pop() {
            let mut rest = (first..self.ctx.kernel.block(b).insts.len()).map(|at| (b, at));
            let stop = rest.find(|&s| to == Some(s) || closed(s));
            if let Some(stop) = stop {
                if to == Some(stop) {
                    return true;
                }
                continue;
            }
            let next = &self.ctx.cfg.successors[b.0 as usize];
            if next.is_empty() && to.is_none() {
                return true;
            }
            let stays = |s: &&BlockId| {
                within.is_none_or(|l| Some(**s) != head && self.loops[l].contains(**s))
            };
            work.extend(next.iter().filter(stays).filter(|s| seen.insert(**s)).map(|&s| (s, 0)));
        }
        false
    }

    /// Whether one instruction can follow another, in the same iteration of a loop, if one is given.
    pub(crate) fn follows(
        &self,
        first: SourceLine,
        second: SourceLine,
        within: Option<usize>,
    ) -> bool {
        self.leads(Some(first), Some(second), &|_| false, within)
    }

    /// Whether each path from one instruction (or from the entry) to another one (or to the exit) contains one of
    /// these.
    pub(crate) fn is_between(
        &self,
        from: Option<SourceLine>,
        to: Option<SourceLine>,
        what: Closed,
        within: Option<usize>,
    ) -> bool {
        !self.leads(from, to, what, within)
    }

    /// The barriers of the whole block that order accesses to shared, or to global memory.
    pub(crate) fn ordering_barriers(&self, shared: bool) -> Vec<SourceLine> {
        let orders = |b: &&BarrierAt| match b.barrier {
            lockstep_kernel::Barrier::Block { orders_shared, orders_global, .. } => {
                is_block_barrier(&b.barrier) && if shared { orders_shared } else { orders_global }
            }
            lockstep_kernel::Barrier::Grid => true,
            _ => false,
        };
        self.barriers.iter().filter(orders).map(|b| (b.block, b.at)).collect()
    }

    pub(crate) fn op_at(&self, (b, at): SourceLine) -> &Op {
        &self.ctx.kernel.block(b).insts[at].op
    }
}
