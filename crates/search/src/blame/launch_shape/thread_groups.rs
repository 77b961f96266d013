//! Whether a bug needs an incomplete group of threads.
//!
//! In some kernels a few threads work together on as many elements (`threadIdx.x / 4 * 4 + j`): one reads what the
//! others of its group have stored in shared memory. Callers launch complete groups, and nothing in the kernel states
//! this. A read of an unwritten element that shows for no size with complete groups, although the last block is not
//! full, but shows with incomplete groups, is conditional: `size % 4 != 0`.
//!
//! Only small groups count, by whose size the kernel both divides and takes a remainder: a block whose threads fill a
//! tile together has to handle a tile that is not full, and the sizes for which the bug disappears are then multiples
//! of the block, for which the last block is full. What can go wrong: a bug may be called conditional in a kernel that
//! should handle incomplete groups.

use lockstep_finding::Claim;
use lockstep_finding::launch::Expr;
use lockstep_kernel::{IntOp, Kernel, Op, Operand};

use crate::blame::is_no_multiple;
use crate::condition::with;
use crate::explore::inquiry::{Inquiry, Shown};
use crate::space::candidate::Candidate;

/// Sizes of a group.
const GROUPS: std::ops::RangeInclusive<u64> = 2..=8;

impl Inquiry<'_, '_> {
    pub(in crate::blame) fn broken_groups(&mut self, shown: &Shown) -> Option<Claim> {
        let space = self.driver.lab.space;
        let groups: Vec<u64> = GROUPS.filter(|&n| counts_in(space.kernel, n)).collect();
        let sizes = (0..space.slots.len()).filter(|&i| space.slots[i].is_guarded());
        let sizes: Vec<usize> = sizes.filter(|&i| space.slots[i].ty.is_int()).collect();
        let plain = space.plain();
        let wide = Candidate { grid: plain.grid, block: plain.block, ..shown.candidate.clone() };
        for (i, n) in sizes.iter().flat_map(|&i| groups.iter().map(move |&n| (i, n as i64))) {
            let axis = space.slots[i].axis;
            let block = i64::from(wide.block[axis]);
            let parts = [3 * n, 5 * n, block / n * n + n];
            let is_partial = |v: &i64| v % block != 0 && *v < wide.along(axis);
            let whole: Vec<i64> = parts.into_iter().filter(is_partial).collect();
            let with = |v: i64| space.agreeing(&with(&wide, i, v));
            if whole.len() > 1
                && whole.iter().all(|&v| self.is_clean(&with(v)))
                && [3 * n + 1, 5 * n - 1].into_iter().all(|v| self.shows(&with(v)))
            {
                return Some(is_no_multiple(Expr::name(&space.slots[i].name), n));
            }
        }
        None
    }
}

/// Whether a kernel both divides by a number and takes a remainder by it.
fn counts_in(kernel: &Kernel, n: u64) -> bool {
    let has = |f: &dyn Fn(IntOp, u64) -> bool| {
        kernel.insts().any(|i| match i.op {
            Op::Int { op, b: Operand::Imm(c), .. } => f(op, c),
            _ => false,
        })
    };
    let power = n.is_power_of_two();
    let shift = u64::from(n.trailing_zeros());
    has(&|op, c| match op {
        IntOp::UDiv | IntOp::SDiv => c == n,
        IntOp::LShr | IntOp::AShr => power && c == shift,
        _ => false,
    }) && has(&|op, c| match op {
        IntOp::URem | IntOp::SRem => c == n,
        IntOp::And => power && c == n - 1,
        _ => false,
    })
}
