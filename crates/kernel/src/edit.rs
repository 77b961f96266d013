//! A kernel with one thing changed: redundancy checks and verified fixes are an
//! edit and a re-run. Sites keep their numbers, so findings before and after an
//! edit can be compared. Beside that, what several who change a kernel need.

use std::collections::HashSet;

use crate::{
    Array, Barrier, BlockId, Inst, Kernel, Loc, LocId, Op, Operand, Order, ParamKind, Reg, Scope,
    Site, SiteId, SiteKind, Space, Special, Terminator,
};

/// Makes constants of values that the launch gives, where `value` has them.
pub fn set_specials(kernel: &mut Kernel, value: impl Fn(Special) -> Option<u64>) {
    let Kernel { blocks, regs, .. } = kernel;
    for inst in blocks.iter_mut().flat_map(|b| &mut b.insts) {
        if let (Op::Special(special), Some(dst)) = (&inst.op, inst.dst)
            && let Some(value) = value(*special)
        {
            inst.op = Op::Copy { ty: regs[dst.0 as usize], a: Operand::Imm(value) };
        }
    }
}

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

/// A pointer parameter, by position, that points into an array which is reached in another way, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Alias {
    pub param: usize,
    pub of: Array,
    /// Bytes from the beginning of the one to the other, where that is known.
    pub offset: Option<i64>,
}

/// The kernel as it is where pointer parameters get one array, or a variable: what goes through one of them goes through the
/// one that begins first, which may be written. With it, those that are not used any more, each with what is used instead.
/// Where an offset is not known, the kernel says so ([`Kernel::beside`]).
pub fn aliased(kernel: &Kernel, aliases: &[Alias]) -> (Kernel, Vec<Alias>) {
    let mut out = kernel.clone();
    let is_buffer =
        |p: usize| matches!(kernel.params.get(p).map(|p| p.kind), Some(ParamKind::Buffer { .. }));
    let is_array = |a: Array| match a {
        Array::Param(p) => is_buffer(p),
        Array::Object(o) => (o.0 as usize) < kernel.objects.len(),
    };
    let known = aliases.iter().filter(|a| is_buffer(a.param) && is_array(a.of));
    let mut dropped: Vec<Alias> = Vec::new();
    let mut seen: Vec<Array> = Vec::new();
    for alias in known.clone().filter(|a| a.offset.is_some()) {
        let group = group_of(aliases, alias.of);
        if group.iter().any(|(a, _)| seen.contains(a)) {
            continue;
        }
        seen.extend(group.iter().map(|g| g.0));
        let is_object = |a: &Array| matches!(a, Array::Object(_));
        // A pointer before a variable's beginning is none into it.
        let first =
            group.iter().min_by_key(|(a, at)| (!is_object(a), *at, !is_written(kernel, *a)));
        let Some(&(kept, start)) =
            first.filter(|_| group.iter().any(|(a, _)| is_written(kernel, *a)))
        else {
            continue;
        };
        if let Array::Param(p) = kept
            && let ParamKind::Buffer { readonly, .. } = &mut out.params[p].kind
        {
            *readonly = false;
        }
        for &(gone, at) in group.iter().filter(|(a, _)| *a != kept) {
            let Array::Param(gone) = gone else { continue };
            replace_pointer(&mut out, gone, kept, at - start);
            dropped.push(Alias { param: gone, of: kept, offset: Some(at - start) });
        }
    }
    let beside = known.filter(|a| a.offset.is_none()).map(|a| (a.param, a.of));
    out.beside.extend(beside);
    (out, dropped)
}

/// The arrays that are one with this one, each with its place in bytes relative to it.
fn group_of(aliases: &[Alias], first: Array) -> Vec<(Array, i64)> {
    let mut group = vec![(first, 0)];
    let mut at = 0;
    while let Some(&(array, start)) = group.get(at) {
        for alias in aliases {
            let (Some(offset), own) = (alias.offset, Array::Param(alias.param)) else { continue };
            let next = match array {
                _ if alias.of == array => (own, start + offset),
                _ if own == array => (alias.of, start - offset),
                _ => continue,
            };
            if !group.iter().any(|(a, _)| *a == next.0) {
                group.push(next);
            }
        }
        at += 1;
    }
    group
}

fn is_written(kernel: &Kernel, array: Array) -> bool {
    match array {
        Array::Param(p) => {
            matches!(kernel.params[p].kind, ParamKind::Buffer { readonly: false, .. })
        }
        Array::Object(o) => !kernel.objects[o.0 as usize].fixed,
    }
}

/// Lets all that uses a pointer parameter use the address so many bytes into another array.
fn replace_pointer(kernel: &mut Kernel, gone: usize, kept: Array, offset: i64) {
    let dst = kernel.params[gone].reg;
    let ty = kernel.reg_ty(dst);
    let unused = Reg(kernel.regs.len() as u32);
    kernel.regs.push(ty);
    kernel.params[gone].reg = unused;
    let op = match kept {
        Array::Object(o) => Op::Copy { ty, a: Operand::Object(o, offset) },
        Array::Param(p) => {
            let base = Operand::Reg(kernel.params[p].reg);
            match offset {
                0 => Op::Copy { ty, a: base },
                _ => Op::Index { base, index: Operand::Imm(0), scale: 0, offset },
            }
        }
    };
    let first = &mut kernel.blocks[0].insts;
    let loc = first.first().map_or(LocId(0), |i| i.loc);
    first.insert(0, Inst { dst: Some(dst), op, loc });
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
    use crate::ObjectId;
    use crate::testing::Builder;

    fn alias(param: usize, of: Array, offset: Option<i64>) -> Alias {
        Alias { param, of, offset }
    }

    #[test]
    fn pointers_become_offsets_from_the_first() {
        let mut b = Builder::new(1);
        for name in ["a", "b", "c", "d"] {
            b.array(name);
        }
        b.object("table", Space::Global, 64);
        let kernel = b.kernel;
        let param = Array::Param;
        // `c` begins first: all others are offsets from it.
        let given =
            [alias(1, param(0), Some(4)), alias(2, param(0), Some(-8)), alias(3, param(1), None)];
        let (edited, dropped) = aliased(&kernel, &given);
        assert_eq!(dropped, [alias(0, param(2), Some(8)), alias(1, param(2), Some(12))]);
        assert_eq!(edited.beside, [(3, param(1))]);
        let begin = Operand::Reg(kernel.params[2].reg);
        let offsets: Vec<i64> = edited.blocks[0]
            .insts
            .iter()
            .filter_map(|i| match i.op {
                Op::Index { base, offset, .. } if base == begin => Some(offset),
                _ => None,
            })
            .collect();
        assert_eq!(offsets, [12, 8]);
        assert!(edited.params[0].reg != kernel.params[0].reg);
        // A pointer into a variable is an address of it.
        let table = Array::Object(ObjectId(0));
        let (edited, dropped) = aliased(&kernel, &[alias(1, table, Some(16))]);
        assert_eq!(dropped, [alias(1, table, Some(16))]);
        let to = Operand::Object(ObjectId(0), 16);
        assert!(matches!(edited.blocks[0].insts[0].op, Op::Copy { a, .. } if a == to));
        // What is not there changes nothing.
        assert_eq!(aliased(&kernel, &[alias(7, param(0), Some(4))]).0, kernel);
    }

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
