//! Whether a race needs a shape of blocks or of the grid that Lockstep chose.
//!
//! Nothing in a kernel states for which launches it was written, but three things show it:
//!
//! - Constants next to indices. `get_group_id(1) * 16 + get_local_id(0)` is written for tiles of 16, even if the kernel
//!   reads the block's dimensions elsewhere. A race that disappears with blocks of the size that the constants imply
//!   needs other blocks: `blockDim.x > 16`.
//! - Shared arrays that are subscripted by one axis of the threads, while the index along another axis is only used as
//!   part of the thread's index in the grid: each row of threads has a block of its own. A race there that shows in no
//!   block of one row, however long, needs several rows: `blockDim.y > 1`.
//! - Rows as long as the grid is wide (`gridDim.x * 32`) that are transposed: the grid is a square. A race of two
//!   blocks that shows in no square grid, but in others, has the condition `gridDim.x < gridDim.y`, or the reverse.
//!
//! Where the host or the user gives the dimensions, there is nothing to choose, and this row does not apply. What can
//! go wrong: a bug may be called conditional in a kernel that should handle such shapes. It is still reported, with the
//! condition, and the condition holds in the launches tried: the bug shows where it is true, and disappears where it is
//! false, although both source locations are reached and nothing else goes wrong.

use lockstep_finding::launch::{Dimension, Expr, Operator};
use lockstep_finding::{Access, Claim, Kind, MemorySpace};
use lockstep_kernel::Space as Memory;

use crate::blame::are_apart;
use crate::explore::inquiry::{Inquiry, Shown};
use crate::explore::trial::Trial;
use crate::space::candidate::Candidate;
use crate::space::places::is_at;

/// Row lengths in threads, besides that of the launch.
const ROWS: [u32; 3] = [32, 64, 256];
/// Side lengths of square grids in blocks, besides that of the launch.
const SQUARES: [u32; 2] = [2, 3];

impl Inquiry<'_, '_> {
    /// Blocks of one row, where no shared array has a subscript for more.
    pub(in crate::blame) fn flat_block(&mut self, shown: &Shown) -> Option<Claim> {
        let space = self.driver.lab.space;
        let c = shown.candidate;
        let finding = shown.finding;
        if finding.memory.as_ref().is_none_or(|m| m.space != MemorySpace::Shared) {
            return None;
        }
        let (kernel, hints, free) = (space.kernel, &space.hints, space.free_block());
        let sites = || kernel.sites.iter().zip(&hints.addressed_by);
        let in_use = |a: usize| {
            !hints.only_in_grid[a] || sites().any(|(s, by)| s.space == Memory::Shared && by[a])
        };
        let at_place = |access: &Access, a: usize| {
            sites().any(|(site, by)| by[a] && is_at(kernel, site, access))
        };
        let along = (0..3).find(|&a| finding.accesses.iter().all(|access| at_place(access, a)))?;
        let flat: Vec<usize> =
            (0..3).filter(|&a| free[a] && c.block[a] > 1 && !in_use(a)).collect();
        if flat.is_empty() || !free[along] {
            return None;
        }
        let row = |n: u32| {
            let mut block = c.block;
            flat.iter().for_each(|&a| block[a] = 1);
            block[along] = n;
            block
        };
        let most = hints.most_block[along].unwrap_or(u32::MAX);
        let all = [c.block[along]].into_iter().chain(ROWS).filter(|&n| n <= most);
        let gone = all.collect::<Vec<_>>().into_iter().all(|n| self.is_gone_in(shown, row(n)));
        let named = |a: usize| Claim::dimension(Dimension::Block(a), Operator::Gt, 1);
        gone.then(|| Claim::any(flat.into_iter().map(named)))
    }

    /// A square grid, where the kernel reads its width.
    pub(in crate::blame) fn square_grid(&mut self, shown: &Shown) -> Option<Claim> {
        let space = self.driver.lab.space;
        let c = shown.candidate;
        let finding = shown.finding;
        let apart = are_apart(finding);
        let [free_x, free_y, _] = space.free_grid();
        let [reads_x, reads_y, _] = space.hints.reads_grid_dim;
        let [x, y, z] = c.grid;
        if !apart || !free_x || !free_y || !(reads_x || reads_y) || x == y {
            return None;
        }
        let sides = SQUARES.into_iter().chain([x.max(y)]).collect::<Vec<_>>();
        let square = |n: u32| Candidate { grid: [n, n, z], ..c.clone() };
        let plain = space.plain();
        let usual = |n: u32| Candidate { grid: [n, n, z], ..plain.clone() };
        let others = if x < y { [[2, 3, z], [1, 3, z]] } else { [[3, 2, z], [3, 1, z]] };
        let gone = sides.into_iter().all(|n| {
            self.is_gone_in_launch(shown, &square(n)) && self.is_gone_in_launch(shown, &usual(n))
        });
        if !gone || !others.iter().all(|&grid| self.shows(&Candidate { grid, ..c.clone() })) {
            return None;
        }
        let turned = self.shows(&Candidate { grid: [y, x, z], ..c.clone() });
        let relation = match (turned, x < y) {
            (true, _) => Operator::Ne,
            (_, true) => Operator::Lt,
            (_, false) => Operator::Gt,
        };
        let [x, y] = [Dimension::Grid(0), Dimension::Grid(1)].map(Expr::name);
        Some(Claim::compare(x, relation, y))
    }

    /// Whether a bug disappears with another block, for the values of its launch and for ordinary ones.
    fn is_gone_in(&mut self, shown: &Shown, block: [u32; 3]) -> bool {
        let plain = self.driver.lab.space.plain();
        let own = Candidate { block, ..shown.candidate.clone() };
        let usual = Candidate { block, ..plain };
        self.is_gone_in_launch(shown, &own) && self.is_gone_in_launch(shown, &usual)
    }

    /// Whether a launch terminates without the bug, although both of its source locations are reached, and nothing goes
    /// wrong in it that did not before.
    fn is_gone_in_launch(&mut self, shown: &Shown, candidate: &Candidate) -> bool {
        let space = self.driver.lab.space;
        let candidate = space.agreeing(candidate);
        let unwritten = |t: &Trial| {
            t.outcome.findings.iter().filter(|f| f.kind == Kind::UninitialisedRead).count()
        };
        let other = self.without_bug(&candidate, shown.wrong);
        other.is_some_and(|t| {
            self.reaches(&t) && shown.trial.is_none_or(|own| unwritten(&t) <= unwritten(own))
        })
    }
}
