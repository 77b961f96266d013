//! Pairs of accesses that may conflict.

use std::collections::BTreeSet;

use crate::hints::graph::Graph;
use crate::{AtomicOp, Op, Operand, SiteId, Space};

struct Access {
    site: SiteId,
    writes: bool,
    atomic: bool,
    /// What it may touch, by number of the base.
    touches: Vec<usize>,
}

pub(super) fn pairs(graph: &Graph) -> Vec<(SiteId, SiteId)> {
    let accesses = accesses(graph);
    let mut found = BTreeSet::new();
    let mut by_base: Vec<Vec<usize>> = vec![Vec::new(); graph.bases.list.len()];
    for (i, access) in accesses.iter().enumerate() {
        for &base in &access.touches {
            by_base[base].push(i);
        }
    }
    for list in by_base {
        for (n, &i) in list.iter().enumerate() {
            for &j in &list[n..] {
                let (a, b) = (&accesses[i], &accesses[j]);
                if (a.writes || b.writes) && !(a.atomic && b.atomic) {
                    found.insert((a.site.min(b.site), a.site.max(b.site)));
                }
            }
        }
    }
    found.into_iter().collect()
}

fn accesses(graph: &Graph) -> Vec<Access> {
    let mut all = Vec::new();
    for &b in &graph.cfg.order {
        for inst in &graph.kernel.block(b).insts {
            let mut add = |site: SiteId, addr: Operand, writes: bool, atomic: bool| {
                if graph.kernel.site(site).space == Space::Private {
                    return;
                }
                // Memory of one thread alone conflicts with nothing.
                let mut touches = graph.bases.may_touch(addr, site);
                touches.retain(|&b| graph.bases.space(b) != Space::Private);
                all.push(Access { site, writes, atomic, touches });
            };
            match inst.op {
                Op::Load { site, addr, .. } => add(site, addr, false, false),
                Op::Store { site, addr, .. } => add(site, addr, true, false),
                Op::Atomic { site, op, addr, .. } => add(site, addr, op != AtomicOp::Load, true),
                Op::MemSet { site, dst, .. } => add(site, dst, true, false),
                Op::MemCopy { read, write, dst, src, .. }
                | Op::GroupCopy { read, write, dst, src, .. } => {
                    add(read, src, false, false);
                    add(write, dst, true, false);
                }
                _ => {}
            }
        }
    }
    all
}
