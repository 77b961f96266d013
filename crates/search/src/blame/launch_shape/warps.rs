//! Whether a bug needs a partial warp.
//!
//! A kernel that depends on warps (`threadIdx.x / 32`, `& 31`, shuffles) is launched with blocks of full warps, and
//! nothing in it states this. A bug that shows in no block of full warps, with its own values and with ordinary ones,
//! but shows in other blocks with partial warps, is conditional: `blockDim.x % 32 != 0`.
//!
//! What can go wrong: the condition names warps where the kernel depends on a divisor of 32.

use lockstep_finding::Claim;
use lockstep_finding::launch::{Dimension, Expr};
use lockstep_kernel::{Barrier, IntOp, Kernel, Op, Operand};

use crate::blame::is_no_multiple;
use crate::explore::inquiry::{Inquiry, Shown};
use crate::explore::ledger::same;
use crate::space::candidate::Candidate;

/// Numbers of full warps in a block: one, some, and some that are not a power of two.
const WHOLE: [u32; 4] = [1, 2, 3, 4];

impl Inquiry<'_, '_> {
    pub(in crate::blame) fn broken_warps(&mut self, shown: &Shown) -> Option<Claim> {
        let space = self.driver.lab.space;
        let warp = self.driver.lab.config.warp_size;
        let c = shown.candidate;
        let [is_free, ..] = space.free_block();
        let whole = c.block.iter().product::<u32>().is_multiple_of(warp);
        if whole || !is_free || !counts_in(space.kernel, warp) {
            return None;
        }
        let plain = space.plain();
        let own = |x: u32| Candidate { block: [x, c.block[1], c.block[2]], ..c.clone() };
        let ordinary = |x: u32| {
            let (grid, genes) = (plain.grid, plain.genes.clone());
            space.agreeing(&Candidate { grid, genes, ..own(x) })
        };
        let broken = [warp / 2, warp + 1, warp + warp / 2].map(ordinary);
        let shows = |me: &mut Self, c: &Candidate| {
            let trial = space.is_possible(c).then(|| me.other(c)).flatten();
            trial.is_some_and(|t| same(&t, me.key).is_some())
        };
        let clean =
            |me: &mut Self, n: u32| me.is_clean(&ordinary(n * warp)) && me.is_clean(&own(n * warp));
        let needs = WHOLE.into_iter().all(|n| clean(self, n))
            && broken.into_iter().any(|c| shows(self, &c));
        needs.then(|| is_no_multiple(Expr::name(Dimension::Block(0)), warp.into()))
    }
}

/// Whether a kernel depends on the warp size.
fn counts_in(kernel: &Kernel, warp: u32) -> bool {
    let warp = u64::from(warp);
    kernel.insts().any(|i| match i.op {
        Op::Shuffle { .. } | Op::Vote { .. } | Op::Match { .. } => true,
        Op::Barrier { barrier: Barrier::Warp { .. }, .. } => true,
        Op::Int { op, b: Operand::Imm(n), .. } => match op {
            IntOp::UDiv | IntOp::SDiv | IntOp::URem | IntOp::SRem => n == warp,
            IntOp::And => n == warp - 1,
            IntOp::LShr | IntOp::AShr => n == u64::from(warp.trailing_zeros()),
            _ => false,
        },
        _ => false,
    })
}
