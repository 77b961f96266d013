//! Reads that need no check of their own: the same thread reads or writes the same place again before anything orders it with
//! others, and that access is checked.
//!
//! A write conflicts with all that a read conflicts with, so `a[i] += x` is checked as a write. Only accesses of one basic
//! block are put together, and only where nothing but arithmetic and plain accesses lies between.

use std::collections::{BTreeMap, BTreeSet};

use lockstep_kernel::{Kernel, Op, Operand, SiteId, Ty};

struct Values<'k> {
    /// By register.
    made_by: BTreeMap<u32, &'k Op>,
}

impl<'k> Values<'k> {
    /// Whether two operands certainly have one value.
    fn same(&self, a: Operand, b: Operand) -> bool {
        if a == b {
            return true;
        }
        let made = |o: Operand| match o {
            Operand::Reg(r) => self.made_by.get(&r.0).copied(),
            _ => None,
        };
        let (Some(a), Some(b)) = (made(a), made(b)) else { return false };
        match (a, b) {
            (
                Op::Index { base: a, index: i, scale: s, offset: o },
                Op::Index { base: b, index: j, scale: t, offset: p },
            ) => s == t && o == p && self.same(*a, *b) && self.same(*i, *j),
            (Op::Cast { op: f, from: i, to: o, a }, Op::Cast { op: g, from: j, to: p, a: b }) => {
                f == g && i == j && o == p && self.same(*a, *b)
            }
            (Op::Int { op: f, ty: t, a, b: c }, Op::Int { op: g, ty: u, a: b, b: d }) => {
                f == g && t == u && self.same(*a, *b) && self.same(*c, *d)
            }
            _ => a.is_pure() && a == b,
        }
    }
}

/// An access of the block so far.
struct Seen {
    site: SiteId,
    address: Operand,
    size: (Ty, usize),
    is_write: bool,
}

/// The reads that go together with another access of their block.
pub(crate) fn reads_with_another(kernel: &Kernel) -> BTreeSet<SiteId> {
    let registers = |i: &'_ lockstep_kernel::Inst| i.dst.map(|r| r.0);
    let made_by = kernel.insts().filter_map(|i| Some((registers(i)?, &i.op))).collect();
    let values = Values { made_by };
    let (mut together, mut alone) = (BTreeSet::new(), BTreeSet::new());
    for block in &kernel.blocks {
        let mut seen: Vec<Seen> = Vec::new();
        let mut open: Vec<SiteId> = Vec::new();
        for inst in &block.insts {
            let (site, address, size, is_write) = match &inst.op {
                Op::Load { site, ty, count, addr } => (*site, *addr, (*ty, *count as usize), false),
                Op::Store { site, ty, values, addr } => (*site, *addr, (*ty, values.len()), true),
                op if op.is_pure() => continue,
                _ => {
                    seen.clear();
                    alone.extend(open.drain(..));
                    continue;
                }
            };
            if kernel.site(site).volatile {
                seen.clear();
                alone.extend(open.drain(..));
                alone.insert(site);
                continue;
            }
            let same = |s: &&Seen| s.size == size && values.same(s.address, address);
            if is_write {
                for read in seen.iter().filter(same).filter(|s| !s.is_write) {
                    together.insert(read.site);
                    open.retain(|o| *o != read.site);
                }
            } else if seen.iter().any(|s| same(&s)) {
                together.insert(site);
                continue;
            } else {
                open.push(site);
            }
            seen.push(Seen { site, address, size, is_write });
        }
        alone.extend(open);
    }
    // A site may be in several blocks.
    together.difference(&alone).copied().collect()
}
