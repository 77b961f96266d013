//! Pairs of accesses that may conflict.

use std::collections::HashSet;
use std::hash::Hash;

use crate::hints::graph::Graph;
use crate::{AtomicOp, Op, Operand, SiteId, Space};

/// Pairs of accesses that may touch the same memory, of which at least one writes and not both are atomic. A large kernel
/// has too many to list: what is kept are the accesses to each array or variable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pairs {
    /// For each base with accesses: those that may touch it.
    by_base: Vec<Vec<Access>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Access {
    site: SiteId,
    how: How,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct How {
    writes: bool,
    atomic: bool,
}

impl How {
    fn conflicts(self, other: How) -> bool {
        (self.writes || other.writes) && !(self.atomic && other.atomic)
    }
}

impl Pairs {
    pub(super) fn of(graph: &Graph) -> Pairs {
        let mut by_base: Vec<Vec<Access>> = vec![Vec::new(); graph.bases.list.len()];
        for &b in &graph.cfg.order {
            for inst in &graph.kernel.block(b).insts {
                let mut add = |site: SiteId, addr: Operand, writes: bool, atomic: bool| {
                    if graph.kernel.site(site).space == Space::Private {
                        return;
                    }
                    for base in graph.bases.may_touch(addr, site) {
                        // Memory of one thread alone conflicts with nothing.
                        if graph.bases.space(base) != Space::Private {
                            by_base[base].push(Access { site, how: How { writes, atomic } });
                        }
                    }
                };
                match inst.op {
                    Op::Load { site, addr, .. } => add(site, addr, false, false),
                    Op::Store { site, addr, .. } => add(site, addr, true, false),
                    Op::Atomic { site, op, addr, .. } => {
                        add(site, addr, op != AtomicOp::Load, true);
                    }
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
        by_base.retain(|list| !list.is_empty());
        Pairs { by_base }
    }

    /// Whether something holds of all pairs, where it depends only on what `key` says of the two accesses: pairs that are
    /// the same by it are asked about once, in the order of the accesses. A site that writes is paired with itself.
    pub fn all<K: Copy + Eq + Hash>(
        &self,
        key: impl Fn(SiteId) -> K,
        mut holds: impl FnMut(K, K) -> bool,
    ) -> bool {
        let mut asked = HashSet::new();
        self.by_base.iter().all(|list| {
            let mut seen = HashSet::new();
            let told = list.iter().map(|a| (key(a.site), a.how));
            let kinds: Vec<(K, How)> = told.filter(|k| seen.insert(*k)).collect();
            let mut pairs = kinds.iter().enumerate().flat_map(|(n, a)| {
                kinds[n..].iter().filter(|b| a.1.conflicts(b.1)).map(move |b| (a.0, b.0))
            });
            pairs.all(|(a, b)| !asked.insert((a, b)) || holds(a, b))
        })
    }

    /// The accesses that are in some pair. Sorted.
    pub fn sites(&self) -> Vec<SiteId> {
        let mut out = Vec::new();
        for list in &self.by_base {
            let kinds: HashSet<How> = list.iter().map(|a| a.how).collect();
            let is_in_pair = |a: &&Access| kinds.iter().any(|how| how.conflicts(a.how));
            out.extend(list.iter().filter(is_in_pair).map(|a| a.site));
        }
        out.sort_unstable();
        out.dedup();
        out
    }
}
