//! A kernel with one thing changed: redundancy checks and verified fixes are an
//! edit and a re-run. Sites keep their numbers, so findings before and after an
//! edit can be compared. Beside that, what several who change a kernel need.

use std::collections::HashSet;

use crate::{
    BlockId, Inst, Kernel, Loc, LocId, Op, Operand, Order, Param, ParamKind, Reg, Scope, Site,
    SiteId, SiteKind, Space, Terminator,
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

/// Where a new operation goes, relative to the operation at a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    Before,
    After,
}

/// The kernel with a fence of `scope` next to the operation at `site`, and the
/// new fence's own site. `None` where no operation has that site.
pub fn with_fence(
    kernel: &Kernel,
    site: SiteId,
    position: Position,
    scope: Scope,
) -> Option<(Kernel, SiteId)> {
    let mut edited = kernel.clone();
    let new = SiteId(edited.sites.len() as u32);
    for block in &mut edited.blocks {
        if let Some(at) = block.insts.iter().position(|i| i.op.site() == Some(site)) {
            let loc = block.insts[at].loc;
            edited.sites.push(Site {
                kind: SiteKind::Fence,
                loc,
                space: Space::Generic,
                size: 0,
                align: 1,
                through: None,
                volatile: false,
                scope,
                polling: false,
                origin: u32::MAX,
            });
            let fence =
                Op::Fence { site: new, scope, order: Order::AcqRel, shared: true, global: true };
            let at = at + usize::from(position == Position::After);
            block.insts.insert(at, Inst { dst: None, op: fence, loc });
            return Some((edited, new));
        }
    }
    None
}

impl Kernel {
    /// The chain of places of `loc`: itself, then the calls it was inlined at.
    pub fn loc_chain(&self, loc: LocId) -> impl Iterator<Item = &Loc> {
        std::iter::successors(Some(self.loc(loc)), |l| l.inlined_at.map(|i| self.loc(i)))
    }
}
