//! Which registers of a kernel matter, and where.
//!
//! A register matters if an effect depends on it: an access, a barrier, a branch. States of a thread that differ in others
//! are one state. So a loop that counts its turns for nobody comes back to where it was.

use lockstep_kernel::{Kernel, Operand, Reg, Terminator};

pub(crate) struct Liveness {
    /// By block: registers that are read from its first operation on, phis done.
    live: Vec<Vec<bool>>,
}

impl Liveness {
    pub(crate) fn new(kernel: &Kernel) -> Liveness {
        let useful = useful(kernel);
        let mut live = vec![vec![false; kernel.regs.len()]; kernel.blocks.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for (index, block) in kernel.blocks.iter().enumerate().rev() {
                let mut now = vec![false; kernel.regs.len()];
                let add = |now: &mut Vec<bool>, operand: Operand| {
                    if let Operand::Reg(reg) = operand {
                        now[reg.0 as usize] = true;
                    }
                };
                for next in block.term.successors() {
                    let target = kernel.block(next);
                    let mut there = live[next.0 as usize].clone();
                    for phi in &target.phis {
                        if std::mem::take(&mut there[phi.dst.0 as usize]) {
                            let from =
                                phi.incoming.iter().filter(|(from, _)| from.0 as usize == index);
                            from.for_each(|(_, operand)| add(&mut now, *operand));
                        }
                    }
                    for (now, there) in now.iter_mut().zip(there) {
                        *now |= there;
                    }
                }
                if let Terminator::Branch { cond, .. } = block.term {
                    add(&mut now, cond);
                }
                for inst in block.insts.iter().rev() {
                    let results: Vec<u32> = inst
                        .dst
                        .map_or(0..0, |dst| dst.0..dst.0 + inst.op.result_count())
                        .collect();
                    let used = results.iter().any(|&reg| useful[reg as usize]);
                    results.iter().for_each(|&reg| now[reg as usize] = false);
                    if used || !inst.op.is_pure() {
                        inst.op.for_each_operand(|operand| add(&mut now, operand));
                    }
                }
                for (reg, now) in now.iter_mut().enumerate() {
                    *now &= useful[reg];
                }
                if now != live[index] {
                    live[index] = now;
                    changed = true;
                }
            }
        }
        Liveness { live }
    }

    pub(crate) fn is_live(&self, block: usize, reg: Reg) -> bool {
        self.live[block][reg.0 as usize]
    }
}

/// Registers that an effect depends on.
fn useful(kernel: &Kernel) -> Vec<bool> {
    let mut useful = vec![false; kernel.regs.len()];
    let mut made: Vec<Vec<Operand>> = vec![Vec::new(); kernel.regs.len()];
    let mut work: Vec<Operand> = Vec::new();
    for block in &kernel.blocks {
        for phi in &block.phis {
            made[phi.dst.0 as usize].extend(phi.incoming.iter().map(|(_, operand)| *operand));
        }
        for inst in &block.insts {
            if inst.op.is_pure() {
                if let Some(dst) = inst.dst {
                    inst.op.for_each_operand(|operand| made[dst.0 as usize].push(operand));
                }
            } else {
                inst.op.for_each_operand(|operand| work.push(operand));
            }
        }
        if let Terminator::Branch { cond, .. } = block.term {
            work.push(cond);
        }
    }
    while let Some(operand) = work.pop() {
        if let Operand::Reg(reg) = operand
            && !std::mem::replace(&mut useful[reg.0 as usize], true)
        {
            work.append(&mut made[reg.0 as usize]);
        }
    }
    useful
}
