//! Pairs of accesses that a barrier object in memory (`mbarrier`, `cuda::barrier`) may order: after the one its thread can still arrive
//! at an object, and whoever makes the other has waited in a loop before.
//!
//! Whether arrival and wait are of one object, and of one phase, only an execution tells. What is not such a pair, no barrier object orders.

use crate::cfg::Cfg;
use crate::waits::{Wait, waits};
use crate::{AtomicOp, BlockId, Kernel, Op, SiteId};

/// Where a thread arrives at barrier objects, and where it waits.
pub struct Handovers<'a> {
    kernel: &'a Kernel,
    cfg: Cfg,
    waits: Vec<Wait>,
}

impl Handovers<'_> {
    /// None of a kernel without barrier objects.
    pub fn new(kernel: &Kernel) -> Option<Handovers<'_>> {
        if !kernel.insts().any(|inst| is_arrival(&inst.op)) {
            return None;
        }
        let cfg = Cfg::new(kernel);
        let waits = waits(kernel, &cfg);
        Some(Handovers { kernel, cfg, waits })
    }

    /// Whether a barrier object may order two accesses, in one direction or the other.
    pub fn may_order(&self, a: SiteId, b: SiteId) -> bool {
        let directed = |from, to| self.arrives_after(from) && self.has_waited_before(to);
        directed(a, b) || directed(b, a)
    }

    fn arrives_after(&self, access: SiteId) -> bool {
        let arrives = |(block, at): (BlockId, usize)| {
            let behind = &self.kernel.block(block).insts[at + 1..];
            let ahead = || self.kernel.block(block).term.successors();
            behind.iter().any(|inst| is_arrival(&inst.op)) || ahead().any(|b| self.leads_to_one(b))
        };
        self.place(access).is_some_and(arrives)
    }

    /// Whether a thread that comes to a block may arrive somewhere.
    fn leads_to_one(&self, block: BlockId) -> bool {
        let sites = self.kernel.sites_from(block);
        let arrivals = self.kernel.insts().filter(|inst| is_arrival(&inst.op));
        arrivals.filter_map(|inst| inst.op.site()).any(|site| sites.contains(&site))
    }

    fn has_waited_before(&self, access: SiteId) -> bool {
        let Some((block, _)) = self.place(access) else { return false };
        let is_behind = |w: &Wait| {
            !w.blocks.contains(&block) && w.exits.iter().any(|&e| self.cfg.dominates(e, block))
        };
        self.waits.iter().any(is_behind)
    }

    fn place(&self, access: SiteId) -> Option<(BlockId, usize)> {
        let is_access = |op: &Op| match op {
            Op::MemCopy { read, write, .. } | Op::GroupCopy { read, write, .. } => {
                [*read, *write].contains(&access)
            }
            op => op.site() == Some(access),
        };
        let blocks = (0..).map(BlockId).zip(&self.kernel.blocks);
        blocks.into_iter().find_map(|(id, block)| {
            block.insts.iter().position(|inst| is_access(&inst.op)).map(|at| (id, at))
        })
    }
}

fn is_arrival(op: &Op) -> bool {
    matches!(op, Op::Atomic { op: AtomicOp::Arrive, .. })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Builder;
    use crate::*;

    /// `s[0] = 1; arrive; while (object == 0); … = s[1]; s[2] = 2`: the first write, the read, and the second write.
    fn kernel(arrives: bool, waits: bool) -> (Kernel, [SiteId; 3]) {
        let (mut k, at) = (Builder::new(3), Operand::Imm);
        let object = k.object("full", Space::Shared, 8);
        let s = k.object("s", Space::Shared, 64);
        k.store(Space::Shared, s, at(0), at(1));
        if arrives {
            k.atomic(AtomicOp::Arrive, Space::Shared, object, at(0), at(1));
        }
        k.jump(1);
        let seen = k.at(1).load(Space::Shared, object, at(0));
        let done = k.cmp(CmpOp::Ne, seen, at(0));
        k.branch(done, 2, if waits { 1 } else { 2 });
        k.at(2).load(Space::Shared, s, at(1));
        k.store(Space::Shared, s, at(2), at(2));
        let is_plain = |i: &&Inst| matches!(i.op, Op::Store { .. } | Op::Load { .. });
        let sites: Vec<SiteId> =
            k.kernel.insts().filter(is_plain).filter_map(|i| i.op.site()).collect();
        (k.kernel, [sites[0], sites[2], sites[3]])
    }

    #[test]
    fn what_comes_before_an_arrival_is_ordered_with_what_comes_after_a_wait() {
        let (kernel, [write, read, later]) = kernel(true, true);
        let handovers = Handovers::new(&kernel).expect("an arrival");
        assert!(handovers.may_order(write, read));
        assert!(handovers.may_order(read, write));
        assert!(!handovers.may_order(read, later), "no arrival comes after either");
    }

    #[test]
    fn without_a_wait_nothing_is_ordered() {
        let (kernel, [write, read, _]) = kernel(true, false);
        assert!(!Handovers::new(&kernel).expect("an arrival").may_order(write, read));
    }

    #[test]
    fn without_arrivals_there_are_none() {
        assert!(Handovers::new(&kernel(false, true).0).is_none());
    }
}
