//! What is the same for all threads of a block: values, and the code that all of them execute.
//!
//! A value is the same where it is made of parameters, block numbers and sizes alone. Where a branch depends on another
//! value, the code up to the place where both ways meet again is not executed by all threads, or not equally often; nor
//! is a value that is made there, or chosen by the way that was taken, the same for all.
//!
//! What it can miss: all that is read from memory counts as different, also where all threads read the same element.

use lockstep_kernel::cfg::Cfg;
use lockstep_kernel::{BlockId, Kernel, Op, Operand, Special, Terminator};

pub(crate) struct Uniform {
    /// By register: threads may have different values.
    differs: Vec<bool>,
    /// By block of the kernel: some threads may not execute it, or more often.
    apart: Vec<bool>,
}

impl Uniform {
    pub(crate) fn new(kernel: &Kernel, cfg: &Cfg) -> Uniform {
        let (registers, blocks) = (kernel.regs.len(), kernel.blocks.len());
        let mut out = Uniform { differs: vec![false; registers], apart: vec![false; blocks] };
        // Blocks in which ways meet that threads have parted on; and branches whose ways have been followed.
        let (mut meets, mut parted) = (vec![false; blocks], vec![false; blocks]);
        let mut changed = true;
        while changed {
            changed = false;
            for (b, block) in kernel.blocks.iter().enumerate() {
                for phi in &block.phis {
                    let chosen = meets[b] || phi.incoming.iter().any(|(_, o)| !out.is_same(*o));
                    changed |= (out.apart[b] || chosen) && out.marks(phi.dst.0, 1);
                }
                for inst in &block.insts {
                    let Some(dst) = inst.dst else { continue };
                    let differs = out.apart[b] || !out.makes_same(&inst.op);
                    changed |= differs && out.marks(dst.0, inst.op.result_count());
                }
                let Terminator::Branch { cond, then, otherwise, .. } = block.term else { continue };
                if then != otherwise && !out.is_same(cond) && !parted[b] {
                    (parted[b], changed) = (true, true);
                    let meet = cfg.ipdom[b];
                    out.part(cfg, [then, otherwise], meet);
                    if let Some(meet) = meet {
                        meets[meet.0 as usize] = true;
                    }
                }
            }
        }
        out
    }

    /// Marks registers; false where they were.
    fn marks(&mut self, first: u32, count: u32) -> bool {
        let own = &mut self.differs[first as usize..(first + count) as usize];
        let new = own.contains(&false);
        own.fill(true);
        new
    }

    /// All blocks from these on, up to the one where the ways meet.
    fn part(&mut self, cfg: &Cfg, from: [BlockId; 2], meet: Option<BlockId>) {
        let mut seen = vec![false; self.apart.len()];
        let mut work = from.to_vec();
        while let Some(block) = work.pop() {
            if Some(block) == meet || std::mem::replace(&mut seen[block.0 as usize], true) {
                continue;
            }
            self.apart[block.0 as usize] = true;
            work.extend(&cfg.successors[block.0 as usize]);
        }
    }

    fn makes_same(&self, op: &Op) -> bool {
        let is_same = match op {
            Op::Special(special) => matches!(
                special,
                Special::BlockId(_)
                    | Special::BlockDim(_)
                    | Special::GridDim(_)
                    | Special::WarpsPerBlock
                    | Special::WarpSize
                    | Special::DynamicSharedSize
            ),
            op => op.is_pure(),
        };
        let mut all = is_same;
        op.for_each_operand(|o| all &= self.is_same(o));
        all
    }

    pub(crate) fn is_same(&self, operand: Operand) -> bool {
        match operand {
            Operand::Reg(r) => !self.differs[r.0 as usize],
            Operand::Imm(_) | Operand::Object(..) => true,
            Operand::Undef => false,
        }
    }

    /// Whether all threads of the block execute a block, equally often.
    pub(crate) fn is_executed_by_all(&self, block: BlockId) -> bool {
        !self.apart[block.0 as usize]
    }
}
