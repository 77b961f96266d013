//! Whether barriers separate two accesses, by control flow alone.
//!
//! All threads of a block pass the same barriers in the same order; that they do is for the solver. Then two accesses are in one interval
//! between barriers only if there is a barrier, or the beginning of the kernel, from which control comes to both without
//! passing another barrier. Where there is none, no two threads make them in one interval, whatever branches they take.

use std::collections::BTreeSet;

use lockstep_kernel::{Barrier, BlockId, Kernel, Op, Operand, Space};

use crate::accesses::Access;

/// Which barriers count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Among {
    /// All threads of a block.
    Block,
    /// Some consecutive threads of a block too.
    Tile,
    /// Lanes of a warp too.
    Warp,
    /// Only those of all threads of the grid.
    Grid,
}

fn orders(barrier: &Barrier, space: Space, among: Among) -> bool {
    match barrier {
        Barrier::Grid => true,
        _ if among == Among::Grid => false,
        Barrier::Block {
            id: Operand::Imm(_), threads: None, orders_shared, orders_global, ..
        } => {
            if space == Space::Shared {
                *orders_shared
            } else {
                *orders_global
            }
        }
        Barrier::Block { threads: Some(_), .. } => matches!(among, Among::Tile | Among::Warp),
        Barrier::Warp { .. } => among == Among::Warp,
        _ => false,
    }
}

/// Whether no interval between barriers has both accesses.
pub fn separate(kernel: &Kernel, a: &Access, b: &Access, space: Space, among: Among) -> bool {
    let last = |access: &Access| last_barriers(kernel, access, space, among);
    last(a).is_disjoint(&last(b))
}

/// Where a barrier stands; none is the beginning of the kernel.
type Start = Option<(BlockId, usize)>;

/// The barriers from which control comes to an access without passing another.
fn last_barriers(kernel: &Kernel, access: &Access, space: Space, among: Among) -> BTreeSet<Start> {
    let mut predecessors: Vec<Vec<BlockId>> = vec![Vec::new(); kernel.blocks.len()];
    for (b, block) in kernel.blocks.iter().enumerate() {
        for to in block.term.successors() {
            predecessors[to.0 as usize].push(BlockId(b as u32));
        }
    }
    let stop = |b: BlockId, end: usize| {
        let insts = &kernel.block(b).insts;
        (0..end.min(insts.len())).rev().find(|&at| match &insts[at].op {
            Op::Barrier { barrier, .. } => orders(barrier, space, among),
            _ => false,
        })
    };
    let mut found = BTreeSet::new();
    let mut seen = vec![false; kernel.blocks.len()];
    let mut work = vec![(access.block, access.at)];
    while let Some((b, end)) = work.pop() {
        if let Some(at) = stop(b, end) {
            found.insert(Some((b, at)));
            continue;
        }
        if b == BlockId(0) {
            found.insert(None);
        }
        for &from in &predecessors[b.0 as usize] {
            if !std::mem::replace(&mut seen[from.0 as usize], true) {
                work.push((from, usize::MAX));
            }
        }
    }
    found
}
