//! Which registers are needed where: those that groups must have in common when they meet.

use lockstep_kernel::{Kernel, Operand, Terminator};

fn register(o: Operand) -> Option<usize> {
    match o {
        Operand::Reg(r) => Some(r.0 as usize),
        _ => None,
    }
}

fn branch_operand(t: &Terminator) -> Option<usize> {
    match t {
        Terminator::Branch { cond, .. } => register(*cond),
        _ => None,
    }
}

/// Registers that are read after the phis of each block.
pub(crate) fn live_at_entry(kernel: &Kernel) -> Vec<Vec<u32>> {
    let (blocks, registers) = (kernel.blocks.len(), kernel.regs.len());
    let mut live = vec![vec![false; registers]; blocks];
    let mut changed = true;
    while changed {
        changed = false;
        for (i, block) in kernel.blocks.iter().enumerate().rev() {
            let mut now = vec![false; registers];
            for next in block.term.successors() {
                let to = &kernel.blocks[next.0 as usize];
                now.iter_mut().zip(&live[next.0 as usize]).for_each(|(a, b)| *a |= b);
                to.phis.iter().for_each(|p| now[p.dst.0 as usize] = false);
                let incoming = to.phis.iter().flat_map(|p| &p.incoming);
                for (_, value) in incoming.filter(|(from, _)| from.0 as usize == i) {
                    register(*value).into_iter().for_each(|r| now[r] = true);
                }
            }
            branch_operand(&block.term).into_iter().for_each(|r| now[r] = true);
            for inst in block.insts.iter().rev() {
                if let Some(dst) = inst.dst {
                    for r in dst.0..dst.0 + inst.op.result_count() {
                        now[r as usize] = false;
                    }
                }
                inst.op.for_each_operand(|o| register(o).into_iter().for_each(|r| now[r] = true));
            }
            if now != live[i] {
                live[i] = now;
                changed = true;
            }
        }
    }
    let numbers = |set: Vec<bool>| -> Vec<u32> {
        set.iter().enumerate().filter(|(_, l)| **l).map(|(i, _)| i as u32).collect()
    };
    live.into_iter().map(numbers).collect()
}

/// Registers that anything reads.
pub(crate) fn used(kernel: &Kernel) -> Vec<bool> {
    let mut used = vec![false; kernel.regs.len()];
    for block in &kernel.blocks {
        for (_, value) in block.phis.iter().flat_map(|p| &p.incoming) {
            register(*value).into_iter().for_each(|r| used[r] = true);
        }
        branch_operand(&block.term).into_iter().for_each(|r| used[r] = true);
        for inst in &block.insts {
            inst.op.for_each_operand(|o| register(o).into_iter().for_each(|r| used[r] = true));
        }
    }
    used
}
