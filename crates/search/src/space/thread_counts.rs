//! Thread counts at which the kernel's own arithmetic changes.
//!
//! A kernel that keeps an index in 16 bits is correct for up to 65,536 threads, one that takes it modulo 96 for up to
//! 96. No launch of usual dimensions shows that. So constants that a value computed from the thread's index is compared
//! with, divided by, masked or shifted by, and narrow types that it is stored in, give thread counts to exceed: within
//! a block, in the whole grid, and by blocks. A constant used only with a block index gives a number of blocks. Launch
//! bounds also give a thread count, if shared arrays have room for fewer threads. A bug that shows in such a launch and
//! in no smaller one is reported with the number as its condition.

use lockstep_kernel::{CastOp, IntOp, Kernel, Op, Operand, Reg, Special, Ty};

use crate::space::Space;
use crate::space::candidate::{Candidate, Rule};
use crate::space::dimensions::{MOST_THREADS, bounded_shape};

/// Maximum number of them that are tried.
const MOST_POINTS: usize = 8;
/// Maximum number of threads of such a launch.
pub(crate) const MOST_IN_GRID: u64 = 1 << 18;
/// Maximum number of blocks for a constant that may count blocks.
const MOST_BLOCKS: u64 = 1 << 12;
/// Minimum of such a constant: smaller ones count threads of a warp or of a block.
const LEAST_BLOCKS: u64 = 2048;
/// Threads of a block in a launch with very many.
const WIDE: u32 = 256;

/// The thread counts, the smallest first.
pub(crate) fn points(kernel: &Kernel) -> Vec<u64> {
    let is_any = |s: Special| matches!(s, Special::ThreadId(_) | Special::BlockId(_));
    let follows = follow_index(kernel, &is_any);
    met_by(kernel, &|r| follows[r.0 as usize])
}

/// The block counts along an axis: constants used only with a block index.
pub(crate) fn block_points(kernel: &Kernel, axis: usize) -> Vec<u64> {
    let is_block = |s: Special| s == Special::BlockId(axis as u8);
    let is_thread = |s: Special| matches!(s, Special::ThreadId(_));
    let [blocks, threads] = [follow_index(kernel, &is_block), follow_index(kernel, &is_thread)];
    met_by(kernel, &|r| blocks[r.0 as usize] && !threads[r.0 as usize])
}

/// The constants that some registers are compared with, divided by, masked or shifted by.
fn met_by(kernel: &Kernel, follows: &dyn Fn(Reg) -> bool) -> Vec<u64> {
    let is_index = |o: Operand| matches!(o, Operand::Reg(r) if follows(r));
    let mut out = Vec::new();
    for inst in kernel.insts() {
        match inst.op {
            Op::Int { op, ty, a, b: Operand::Imm(n) } if is_index(a) => match op {
                IntOp::UDiv | IntOp::SDiv | IntOp::URem | IntOp::SRem | IntOp::Mul => out.push(n),
                IntOp::And => out.extend(n.checked_add(1)),
                IntOp::LShr | IntOp::AShr => out.extend(1u64.checked_shl(n as u32)),
                // The bits that are shifted out.
                IntOp::Shl => out.extend(1u64.checked_shl(ty.bits().saturating_sub(n as u32))),
                _ => {}
            },
            Op::Cmp { ty, a, b: Operand::Imm(n), .. } if is_index(a) && n <= ty.mask() >> 1 => {
                out.push(n);
            }
            Op::Cast { op: CastOp::Trunc, to, a, .. } if is_index(a) && to != Ty::I1 => {
                out.extend(1u64.checked_shl(to.bits()));
            }
            _ => {}
        }
    }
    out.retain(|&n| n > 1 && n < 1 << 31);
    out.sort_unstable();
    out.dedup();
    out
}

/// Registers that are computed from a thread's or a block's index.
fn follow_index(kernel: &Kernel, is_index: &dyn Fn(Special) -> bool) -> Vec<bool> {
    let mut follows = vec![false; kernel.regs.len()];
    loop {
        let mut changed = false;
        let mut set = |follows: &mut Vec<bool>, r: Reg| {
            changed |= !std::mem::replace(&mut follows[r.0 as usize], true);
        };
        for block in &kernel.blocks {
            for phi in &block.phis {
                let any = phi.incoming.iter().any(|(_, o)| is_in(&follows, *o));
                if any {
                    set(&mut follows, phi.dst);
                }
            }
            for inst in &block.insts {
                let Some(dst) = inst.dst else { continue };
                let mut any = matches!(inst.op, Op::Special(s) if is_index(s));
                if matches!(inst.op, Op::Int { .. } | Op::Cast { .. } | Op::Select { .. }) {
                    inst.op.for_each_operand(|o| any |= is_in(&follows, o));
                }
                if any {
                    set(&mut follows, dst);
                }
            }
        }
        if !changed {
            return follows;
        }
    }
}

fn is_in(follows: &[bool], o: Operand) -> bool {
    matches!(o, Operand::Reg(r) if follows[r.0 as usize])
}

impl Space<'_> {
    /// Launches that exceed each of the counts; and the smallest count that takes too many threads.
    pub(crate) fn turning_launches(&self) -> (Vec<Candidate>, Option<u64>) {
        let plain = self.plain();
        let (blocks, grids) = (self.free_block(), self.free_grid());
        // Launches of usual dimensions exceed smaller counts.
        let most = |shapes: &[[u32; 3]], a: usize| shapes.iter().map(|s| u64::from(s[a])).max();
        let axis = |free: [bool; 3]| (0..3).find(|&a| free[a]);
        let mut out = Vec::new();
        let mut beyond = None;
        let mut add = |rule: u64, block: [u32; 3], grid: [u32; 3]| {
            let c = Candidate { block, grid, rule: Rule::Turning(rule), ..plain.clone() };
            let c = self.agreeing(&c);
            let new = self.is_possible(&c) && !c.is_same_launch(&plain);
            if new && c.threads() <= MOST_IN_GRID && !out.iter().any(|o| c.is_same_launch(o)) {
                out.push(c);
            }
        };
        for n in points(self.kernel).into_iter().take(MOST_POINTS) {
            if let Some(a) = axis(blocks).filter(|&a| most(&self.blocks, a) <= Some(n)) {
                let more = [n + 1, (n + 1).next_power_of_two()];
                for threads in more.into_iter().filter(|&t| t <= u64::from(MOST_THREADS)) {
                    let mut block = plain.block;
                    block[a] = threads as u32;
                    while block.iter().product::<u32>() > MOST_THREADS {
                        let Some(other) = (0..3).find(|&o| o != a && block[o] > 1) else { break };
                        block[other] /= 2;
                    }
                    add(n, block, plain.grid);
                }
            }
            let Some(a) = axis(grids) else { continue };
            let mut block = plain.block;
            if self.free_block()[a] && plain.block_threads() == u64::from(plain.block[a]) {
                block[a] = block[a].max(WIDE).min(self.hints.most_block[a].unwrap_or(WIDE));
            }
            let mut grid = plain.grid;
            let enough = n / u64::from(block[a]) + 1;
            if enough * u64::from(block[a]) > MOST_IN_GRID {
                beyond = beyond.or(Some(n));
                continue;
            }
            let usual = plain.grid[a].max(2) as u64 * most(&self.blocks, a).unwrap_or(1);
            if n >= usual {
                grid[a] = enough as u32;
                add(n, block, grid);
            }
            if (LEAST_BLOCKS..MOST_BLOCKS).contains(&n) {
                grid[a] = n as u32 + 1;
                add(n, plain.block, grid);
            }
        }
        for a in (0..3).filter(|&a| grids[a]) {
            let of_blocks = block_points(self.kernel, a).into_iter();
            let not_usual = of_blocks.filter(|&n| n >= u64::from(plain.grid[a]));
            for n in not_usual.filter(|&n| n < MOST_BLOCKS).take(MOST_POINTS) {
                let (mut block, mut grid) = (plain.block, plain.grid);
                // An index clamped to a maximum is shared by all blocks beyond it.
                grid[a] = n as u32 + 2;
                let blocks: u64 = grid.iter().map(|&d| u64::from(d)).product();
                let wide = (0..3).filter(|&a| self.free_block()[a]).max_by_key(|&a| block[a]);
                while let Some(w) = wide.filter(|&w| block[w] > 1)
                    && blocks * block.iter().map(|&d| u64::from(d)).product::<u64>() > MOST_IN_GRID
                {
                    block[w] /= 2;
                }
                add(n, block, grid);
            }
        }
        (out, beyond)
    }

    /// A launch with as many threads as launch bounds allow, if shared arrays have room for fewer.
    pub(crate) fn launch_beyond_arrays(&self) -> Option<Candidate> {
        let block = bounded_shape(self.kernel, &self.hints)?;
        let room = |a: usize| self.hints.most_block[a].filter(|&n| block[a] > n);
        (0..3).filter(|&a| self.free_block()[a]).find_map(room)?;
        let c = Candidate { block, rule: Rule::Bounds, ..self.plain() };
        let c = self.agreeing(&c);
        (self.is_possible(&c) && c.block == block).then_some(c)
    }
}
