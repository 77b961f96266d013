//! Whether a block that Lockstep chose has fewer threads than a barrier waits for.
//!
//! `bar.sync 1, 64` waits for 64 threads. In a block of 32 it waits forever, but no caller launches the kernel this
//! way: if a block with as many threads as the barrier needs terminates, the bug needs a smaller one.

use lockstep_finding::Claim;
use lockstep_finding::launch::{Dimension, Expr, Operator};
use lockstep_kernel::{Barrier, Kernel, Op, Operand};

use crate::explore::inquiry::{Inquiry, Shown};
use crate::space::candidate::Candidate;

/// The largest thread count of the kernel's barriers.
fn asked(kernel: &Kernel) -> Option<u64> {
    let threads = kernel.insts().filter_map(|inst| match inst.op {
        Op::Barrier { barrier: Barrier::Block { threads, .. }, .. } => threads,
        Op::Barrier { barrier: Barrier::Arrive { threads, .. }, .. } => Some(threads),
        _ => None,
    });
    let constants = threads.filter_map(|n| match n {
        Operand::Imm(n) => Some(n),
        _ => None,
    });
    constants.max()
}

impl Inquiry<'_, '_> {
    /// Whether Lockstep chose the block of a launch, and it has fewer threads than a barrier waits for.
    pub(in crate::blame) fn lacks_threads(&self, shown: &Shown) -> bool {
        let space = self.driver.lab.space;
        let few = asked(space.kernel).is_some_and(|n| n > shown.candidate.block_threads());
        few && space.chosen_block().contains(&true)
    }

    pub(in crate::blame) fn few_for_a_barrier(&mut self, shown: &Shown) -> Option<Claim> {
        let space = self.driver.lab.space;
        let c = shown.candidate;
        let axis = (0..3).find(|&a| space.chosen_block()[a])?;
        let others = c.block_threads() / u64::from(c.block[axis]);
        let mut block = c.block;
        block[axis] = u32::try_from(asked(space.kernel)?.div_ceil(others)).ok()?;
        let is_enough = self.is_clean(&Candidate { block, ..c.clone() });
        let fewer = || {
            let own = Expr::name(Dimension::Block(axis));
            Claim::compare(own, Operator::Lt, Expr::int(block[axis]))
        };
        is_enough.then(fewer)
    }
}
