//! A kernel with one thing changed: redundancy checks and verified fixes are an
//! edit and a re-run. Sites keep their numbers, so findings before and after an
//! edit can be compared. Beside that, what several who change a kernel need.

use std::collections::HashSet;

use crate::{
    Barrier, BlockId, Inst, Kernel, Loc, LocId, Op, Operand, Order, Param, ParamKind, Reg, Scope,
    Site, SiteId, SiteKind, Space, Terminator,
};

/// The kernel without the barrier or fence at `site`. A barrier that computes a
/// value (`__syncthreads_count`) cannot be taken away: `None`.
pub fn without(kernel: &Kernel, site: SiteId) -> Option<Kernel> {
    let mut edited = kernel.clone();
    let mut removed = false;
    for block in &mut edited.blocks {
        let before = block.insts.len();
        block.insts.retain(|inst| {
            let removable = matches!(inst.op, Op::Barrier { .. } | Op::Fence { .. })
                && inst.op.result_count() == 0;
            !(removable && inst.op.site() == Some(site))
        });
        removed |= block.insts.len() != before;
    }
    removed.then_some(edited)
}

/// The kernel as it is where pairs of its pointer parameters, by position, get the same array: what goes through one of them goes
/// through the other, which may be written. With it, the parameters that are used, and those that are not any more.
pub fn aliased(kernel: &Kernel, pairs: &[(usize, usize)]) -> (Kernel, Vec<(usize, usize)>) {
    let mut out = kernel.clone();
    let is_written = |p: &Param| matches!(p.kind, ParamKind::Buffer { readonly: false, .. });
    let is_buffer = |p: &Param| matches!(p.kind, ParamKind::Buffer { .. });
    let mut dropped: Vec<(usize, usize)> = Vec::new();
    for &(a, b) in pairs {
        let (Some(one), Some(other)) = (kernel.params.get(a), kernel.params.get(b)) else {
            continue;
        };
        let (kept, gone) = if is_written(one) { (a, b) } else { (b, a) };
        let is_known = dropped.iter().any(|&(k, g)| [kept, gone].contains(&g) || k == gone);
        if is_known || !is_buffer(one) || !is_buffer(other) || !is_written(&kernel.params[kept]) {
            continue;
        }
        dropped.push((kept, gone));
        let dst = out.params[gone].reg;
        let unused = Reg(out.regs.len() as u32);
        out.regs.push(kernel.reg_ty(dst));
        out.params[gone].reg = unused;
        let a = Operand::Reg(out.params[kept].reg);
        let op = Op::Copy { ty: kernel.reg_ty(dst), a };
        let first = &mut out.blocks[0].insts;
        let loc = first.first().map_or(LocId(0), |i| i.loc);
        first.insert(0, Inst { dst: Some(dst), op, loc });
    }
    (out, dropped)
}

/// Which blocks can be reached from the entry.
pub fn reachable(kernel: &Kernel) -> Vec<bool> {
    let mut seen = vec![false; kernel.blocks.len()];
    let mut work = vec![BlockId(0)];
    while let Some(b) = work.pop() {
        if !std::mem::replace(&mut seen[b.0 as usize], true) {
            work.extend(kernel.block(b).term.successors());
        }
    }
    seen
}

/// Empties blocks that cannot be reached, and forgets what they sent to phis.
pub fn drop_unreachable(kernel: &mut Kernel) {
    let live = reachable(kernel);
    let edges: HashSet<(u32, u32)> = (0..kernel.blocks.len() as u32)
        .filter(|&b| live[b as usize])
        .flat_map(|b| kernel.blocks[b as usize].term.successors().map(move |s| (b, s.0)))
        .collect();
    for (b, block) in kernel.blocks.iter_mut().enumerate() {
        if live[b] {
            for phi in &mut block.phis {
                phi.incoming.retain(|(p, _)| edges.contains(&(p.0, b as u32)));
            }
        } else {
            block.phis.clear();
            block.insts.clear();
            block.term = Terminator::Unreachable;
        }
    }
}

/// Where a new operation goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spot {
    /// Next to the operation at a site.
    Before(SiteId),
    After(SiteId),
    /// Before everything in a block, or before it is left.
    Start(BlockId),
    End(BlockId),
}

/// What can be put into a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addition {
    Fence(Scope),
    /// For all threads of a block, with the memory that it orders.
    BlockBarrier {
        shared: bool,
        global: bool,
    },
    /// For all lanes of a warp.
    WarpBarrier,
}

impl Addition {
    fn op(self, site: SiteId) -> Op {
        let barrier = |barrier| Op::Barrier { site, barrier };
        match self {
            Addition::Fence(scope) => {
                Op::Fence { site, scope, order: Order::AcqRel, shared: true, global: true }
            }
            Addition::BlockBarrier { shared, global } => barrier(Barrier::Block {
                id: Operand::Imm(0),
                threads: None,
                orders_shared: shared,
                orders_global: global,
                reduce: None,
            }),
            Addition::WarpBarrier => {
                barrier(Barrier::Warp { mask: Operand::Imm(u64::from(u32::MAX)) })
            }
        }
    }

    fn site(self, loc: LocId) -> Site {
        let (kind, scope) = match self {
            Addition::Fence(scope) => (SiteKind::Fence, scope),
            Addition::BlockBarrier { .. } => (SiteKind::Barrier, Scope::Block),
            Addition::WarpBarrier => (SiteKind::Barrier, Scope::Warp),
        };
        Site {
            kind,
            loc,
            space: Space::Generic,
            size: 0,
            align: 1,
            through: None,
            volatile: false,
            scope,
            polling: false,
            origin: u32::MAX,
        }
    }
}

/// The kernel with an operation added, and the operation's own site. `None` where there is no such spot.
pub fn with(kernel: &Kernel, spot: Spot, addition: Addition) -> Option<(Kernel, SiteId)> {
    let (block, at) = match spot {
        Spot::Before(site) => position(kernel, site)?,
        Spot::After(site) => position(kernel, site).map(|(b, at)| (b, at + 1))?,
        Spot::Start(b) => (b, 0),
        Spot::End(b) => (b, kernel.blocks.get(b.0 as usize)?.insts.len()),
    };
    let mut edited = kernel.clone();
    let new = SiteId(edited.sites.len() as u32);
    let insts = &mut edited.blocks.get_mut(block.0 as usize)?.insts;
    let near = insts.get(at.min(insts.len().saturating_sub(1)));
    let loc = near.map_or(kernel.loc, |i| i.loc);
    insts.insert(at, Inst { dst: None, op: addition.op(new), loc });
    edited.sites.push(addition.site(loc));
    Some((edited, new))
}

/// The block of the operation at a site, and its number there.
pub fn position(kernel: &Kernel, site: SiteId) -> Option<(BlockId, usize)> {
    kernel.blocks.iter().enumerate().find_map(|(b, block)| {
        let is_it = |op: &Op| match op {
            Op::MemCopy { read, .. } | Op::GroupCopy { read, .. } if *read == site => true,
            op => op.site() == Some(site),
        };
        let at = block.insts.iter().position(|i| is_it(&i.op))?;
        Some((BlockId(b as u32), at))
    })
}

impl Kernel {
    /// The chain of places of `loc`: itself, then the calls it was inlined at.
    pub fn loc_chain(&self, loc: LocId) -> impl Iterator<Item = &Loc> {
        std::iter::successors(Some(self.loc(loc)), |l| l.inlined_at.map(|i| self.loc(i)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Builder;

    #[test]
    fn what_is_added_stands_where_it_was_wanted() {
        let mut b = Builder::new(1);
        let array = b.array("a");
        for i in 0..2 {
            b.store(Space::Global, array, Operand::Imm(i), Operand::Imm(1));
        }
        let (first, second) = (SiteId(0), SiteId(1));
        let kernel = b.kernel;
        let order = |spot: Spot| -> Vec<u32> {
            let addition = Addition::BlockBarrier { shared: true, global: true };
            let (edited, new) = with(&kernel, spot, addition).expect("the spot is there");
            assert_eq!(edited.site(new).kind, SiteKind::Barrier);
            assert_eq!(edited.sites.len(), kernel.sites.len() + 1);
            let sites = edited.blocks[0].insts.iter().filter_map(|i| i.op.site());
            sites.map(|s| s.0).collect()
        };
        let (a, b, new) = (first.0, second.0, kernel.sites.len() as u32);
        assert_eq!(order(Spot::Before(second)), [a, new, b]);
        assert_eq!(order(Spot::After(first)), [a, new, b]);
        assert_eq!(order(Spot::Start(BlockId(0))), [new, a, b]);
        assert_eq!(order(Spot::End(BlockId(0))), [a, b, new]);
        assert!(with(&kernel, Spot::After(SiteId(new)), Addition::WarpBarrier).is_none());
        assert!(with(&kernel, Spot::End(BlockId(9)), Addition::Fence(Scope::Device)).is_none());
    }
}
