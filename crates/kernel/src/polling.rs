//! Reads of flags that other threads set.

use crate::cfg::Cfg;
use crate::{BlockId, Kernel, Op, Operand, Reg, SiteId, SiteKind, Terminator};

/// Marks the volatile and atomic reads whose value decides whether the loop
/// around them goes on, and the volatile ones that decide branches and nothing
/// else: reads of a flag that another thread sets.
pub fn mark_polling_reads(kernel: &mut Kernel, cfg: &Cfg) {
    let mut defined_in = vec![None; kernel.regs.len()];
    for (b, block) in kernel.blocks.iter().enumerate() {
        for phi in &block.phis {
            defined_in[phi.dst.0 as usize] = Some((b, None));
        }
        for (i, inst) in block.insts.iter().enumerate() {
            if let Some(Reg(d)) = inst.dst {
                for k in 0..inst.op.result_count() {
                    defined_in[(d + k) as usize] = Some((b, Some(i)));
                }
            }
        }
    }
    let mut polling = Vec::new();
    for l in &cfg.loops {
        for &(from, _) in &l.exits {
            let Terminator::Branch { cond, .. } = kernel.block(from).term else {
                continue;
            };
            let mut work = vec![cond];
            let mut seen = std::collections::HashSet::new();
            while let Some(operand) = work.pop() {
                let Operand::Reg(r) = operand else { continue };
                let Some((b, index)) = defined_in[r.0 as usize] else {
                    continue;
                };
                if !seen.insert(r) || !l.blocks.contains(&BlockId(b as u32)) {
                    continue;
                }
                match index {
                    Some(i) => {
                        let op = &kernel.blocks[b].insts[i].op;
                        if let Some(site) = op.site() {
                            let s = kernel.site(site);
                            if s.volatile || s.kind == SiteKind::Atomic {
                                polling.push(site);
                            }
                        }
                        if !matches!(op, Op::Load { .. }) {
                            op.for_each_operand(|o| work.push(o));
                        }
                    }
                    None => kernel.blocks[b]
                        .phis
                        .iter()
                        .filter(|p| p.dst == r)
                        .flat_map(|p| &p.incoming)
                        .for_each(|(_, o)| work.push(*o)),
                }
            }
        }
    }
    polling.extend(glances_at_flags(kernel));
    for site in polling {
        kernel.sites[site.0 as usize].polling = true;
    }
}

/// Volatile reads whose value is compared and decides branches, and is neither stored nor an address nor handed on.
fn glances_at_flags(kernel: &Kernel) -> Vec<SiteId> {
    let reads = kernel.insts().filter_map(|inst| match inst.op {
        Op::Load { site, count: 1, .. } if kernel.site(site).volatile => Some((site, inst.dst?)),
        _ => None,
    });
    let mut reads = reads.peekable();
    if reads.peek().is_none() {
        return Vec::new();
    }
    let uses = Uses::of(kernel);
    reads.filter(|(_, dst)| uses.only_decide(*dst)).map(|(site, _)| site).collect()
}

/// What reads a register.
#[derive(Clone, Copy)]
enum Use {
    /// The result is another form of the value, and nothing else happens.
    Makes(Reg),
    Branch,
    Other,
}

/// For each register, what reads it.
struct Uses(Vec<Vec<Use>>);

impl Uses {
    fn of(kernel: &Kernel) -> Uses {
        let mut uses = vec![Vec::new(); kernel.regs.len()];
        let mut add = |operand: Operand, what: Use| {
            if let Operand::Reg(r) = operand {
                uses[r.0 as usize].push(what);
            }
        };
        for block in &kernel.blocks {
            for phi in &block.phis {
                phi.incoming.iter().for_each(|(_, o)| add(*o, Use::Makes(phi.dst)));
            }
            for inst in &block.insts {
                let what = match (&inst.op, inst.dst) {
                    (
                        Op::Copy { .. }
                        | Op::Int { .. }
                        | Op::IntUn { .. }
                        | Op::Cmp { .. }
                        | Op::Cast { .. }
                        | Op::Select { .. },
                        Some(dst),
                    ) => Use::Makes(dst),
                    _ => Use::Other,
                };
                inst.op.for_each_operand(|o| add(o, what));
            }
            if let Terminator::Branch { cond, .. } = block.term {
                add(cond, Use::Branch);
            }
        }
        Uses(uses)
    }

    /// Whether a value decides some branch, and goes nowhere else, but for operations without effects.
    fn only_decide(&self, value: Reg) -> bool {
        let mut reached = std::collections::HashSet::from([value]);
        let mut work = vec![value];
        let mut decides = false;
        while let Some(reg) = work.pop() {
            for &what in &self.0[reg.0 as usize] {
                match what {
                    Use::Makes(dst) => {
                        if reached.insert(dst) {
                            work.push(dst);
                        }
                    }
                    Use::Branch => decides = true,
                    Use::Other => return false,
                }
            }
        }
        decides
    }
}
