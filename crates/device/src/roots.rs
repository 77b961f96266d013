//! Arrays that a kernel only reads: no two accesses of them conflict.
//!
//! An address is followed to the parameters and variables that it was made of. Where that is not possible for one address that
//! is written to, nothing is known of any array. That arrays do not overlap is the launch's to say.

use std::collections::BTreeSet;

use lockstep_kernel::{Kernel, Op, Operand, ParamKind, Reg, SiteId};

/// What an address was made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Root {
    Parameter(usize),
    Object(u32),
}

enum Definition<'k> {
    Parameter(usize),
    Value(&'k Op),
    OneOf(Vec<Operand>),
}

struct Addresses<'k> {
    /// By register; none: it comes from somewhere else.
    definitions: Vec<Option<Definition<'k>>>,
}

impl<'k> Addresses<'k> {
    fn new(kernel: &'k Kernel) -> Addresses<'k> {
        let mut definitions: Vec<Option<Definition>> = Vec::new();
        definitions.resize_with(kernel.regs.len(), || None);
        for (i, parameter) in kernel.params.iter().enumerate() {
            if let ParamKind::Buffer { .. } = parameter.kind {
                definitions[parameter.reg.0 as usize] = Some(Definition::Parameter(i));
            }
        }
        for block in &kernel.blocks {
            for phi in &block.phis {
                let incoming = phi.incoming.iter().map(|(_, value)| *value).collect();
                definitions[phi.dst.0 as usize] = Some(Definition::OneOf(incoming));
            }
            for inst in &block.insts {
                if let Some(Reg(r)) = inst.dst {
                    definitions[r as usize] = Some(Definition::Value(&inst.op));
                }
            }
        }
        Addresses { definitions }
    }

    /// All that an address can have been made of; none where that is not known.
    fn roots(&self, address: Operand) -> Option<BTreeSet<Root>> {
        let mut out = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut work = vec![address];
        while let Some(operand) = work.pop() {
            let register = match operand {
                Operand::Reg(r) => r,
                Operand::Object(id, _) => {
                    out.insert(Root::Object(id.0));
                    continue;
                }
                Operand::Imm(_) | Operand::Undef => return None,
            };
            if !seen.insert(register.0) {
                continue;
            }
            match self.definitions[register.0 as usize].as_ref()? {
                Definition::Parameter(i) => {
                    out.insert(Root::Parameter(*i));
                }
                Definition::OneOf(values) => work.extend(values),
                Definition::Value(op) => match op {
                    Op::Copy { a, .. } => work.push(*a),
                    Op::Index { base, .. } => work.push(*base),
                    Op::Select { a, b, .. } => work.extend([*a, *b]),
                    _ => return None,
                },
            }
        }
        Some(out)
    }
}

/// Reads of arrays that no access of the kernel writes to.
pub(crate) fn reads_of_unwritten(kernel: &Kernel) -> BTreeSet<SiteId> {
    let addresses = Addresses::new(kernel);
    let mut written = BTreeSet::new();
    let mut reads = Vec::new();
    for inst in kernel.insts() {
        let target = match &inst.op {
            Op::Load { site, addr, .. } => {
                reads.push((*site, *addr));
                continue;
            }
            Op::MemCopy { read, dst, src, .. } => {
                reads.push((*read, *src));
                *dst
            }
            Op::Store { addr, .. } | Op::Atomic { addr, .. } => *addr,
            Op::MemSet { dst, .. } | Op::GroupCopy { dst, .. } => *dst,
            Op::Unsupported(_) => return BTreeSet::new(),
            _ => continue,
        };
        match addresses.roots(target) {
            Some(roots) => written.extend(roots),
            None => return BTreeSet::new(),
        }
    }
    let mut out = BTreeSet::new();
    let mut others = BTreeSet::new();
    for (site, address) in reads {
        let roots = addresses.roots(address);
        let only_read = roots.is_some_and(|r| !r.is_empty() && r.is_disjoint(&written));
        if only_read {
            out.insert(site)
        } else {
            others.insert(site)
        };
    }
    // A site of several instructions is one access of the source.
    out.difference(&others).copied().collect()
}
