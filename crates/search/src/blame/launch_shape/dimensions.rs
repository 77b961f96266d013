//! Whether dimensions that Lockstep chose cause a bug.
//!
//! - Along an axis that the kernel never reads, a caller launches one thread and one block: Lockstep chose more. If the
//!   bug disappears with one, it needs more.
//! - Where no thread asks which one it is, all do the same, and a caller launches one thread.
//! - A bug that only shows in launches with very many threads is reported with that number.

use lockstep_finding::Claim;
use lockstep_finding::launch::{Dimension, Expr, Operator};
use lockstep_kernel::{Op, Special};

use crate::condition::all_threads;
use crate::explore::inquiry::{Inquiry, Shown};
use crate::space::candidate::Candidate;
use crate::space::dimensions::asked;
use crate::space::{Space, thread_counts};

/// More threads along an axis than a usual launch has.
const MANY: i64 = 4096;
/// More blocks than most launches have.
const MANY_BLOCKS: u32 = 256;

impl Space<'_> {
    /// The axes along which there are several threads, or blocks, although the kernel does not read them and the user
    /// does not give them.
    fn idle(&self, c: &Candidate) -> [[bool; 3]; 2] {
        let [block, grid] = asked(self.kernel, &self.hints);
        // A kernel that reads no index and no dimension at all implies nothing about the number of threads.
        let asks = block.contains(&true) || grid.contains(&true);
        let free = self.chosen_block();
        [
            std::array::from_fn(|a| asks && free[a] && !block[a] && c.block[a] > 1),
            std::array::from_fn(|a| asks && self.given.grid.is_none() && !grid[a] && c.grid[a] > 1),
        ]
    }
}

impl Inquiry<'_, '_> {
    /// One thread, or one block, along each axis that the kernel does not read.
    pub(in crate::blame) fn idle_axes(&mut self, shown: &Shown) -> Option<Claim> {
        let space = self.driver.lab.space;
        let c = shown.candidate;
        let [block, grid] = space.idle(c);
        let mut one = c.clone();
        let more = |d: Dimension| Claim::dimension(d, Operator::Gt, 1);
        let mut named = Vec::new();
        for a in 0..3 {
            if block[a] {
                one.block[a] = 1;
                named.push(more(Dimension::Block(a)));
            }
            if grid[a] {
                one.grid[a] = 1;
                named.push(more(Dimension::Grid(a)));
            }
        }
        (!named.is_empty() && self.is_clean_there(&one)).then(|| Claim::any(named))
    }

    /// Whether no thread asks which one it is: all do the same, and a caller who knows that launches one.
    pub(in crate::blame) fn is_for_one_thread(&self) -> bool {
        let space = self.driver.lab.space;
        // Nor is anything for several threads.
        let is_for_several = |op: &Op| {
            let asks = |s| !matches!(s, Special::Clock | Special::WarpSize | Special::WorkDim);
            matches!(op, Op::Special(s) if asks(*s))
                || matches!(op, Op::Barrier { .. } | Op::Shuffle { .. } | Op::Vote { .. })
                || matches!(op, Op::Match { .. } | Op::MatrixProduct { .. } | Op::Atomic { .. })
        };
        space.given.block.is_none()
            && space.given.grid.is_none()
            && !space.kernel.insts().any(|i| is_for_several(&i.op))
    }

    /// One thread, where all do the same.
    pub(in crate::blame) fn many_for_one(&mut self, shown: &Shown) -> Option<Claim> {
        let one = Candidate { grid: [1; 3], block: [1; 3], ..shown.candidate.clone() };
        let threads = Expr::binary(
            Operator::Mul,
            Expr::name(Dimension::Grid(0)),
            Expr::name(Dimension::Block(0)),
        );
        let is_gone = self.is_no_worse(&one, shown.wrong);
        is_gone.then(|| Claim::compare(threads, Operator::Gt, Expr::int(1)))
    }

    /// More threads than usual launches have: the number is a constant of the kernel, if that is the cause.
    pub(in crate::blame) fn many_threads(&mut self, shown: &Shown) -> Option<Claim> {
        let space = self.driver.lab.space;
        let c = shown.candidate;
        let axis = (0..3).max_by_key(|&a| c.along(a))?;
        let is_usual = c.along(axis) <= MANY && c.grid[axis] <= MANY_BLOCKS;
        if is_usual || !space.free_grid()[axis] {
            return None;
        }
        let with = |n: u32| {
            let mut other = c.clone();
            other.grid[axis] = n;
            other
        };
        let usual = space.plain().grid[axis];
        if !self.is_clean_there(&with(usual)) {
            return None;
        }
        // The fewest blocks that show it, if it shows for all larger grids.
        let (mut clean, mut shows) = (usual, c.grid[axis]);
        while shows - clean > 1 {
            let middle = clean + (shows - clean) / 2;
            match self.shows(&with(middle)) {
                true => shows = middle,
                false => clean = middle,
            }
        }
        let is_between = |n: &u64| (u64::from(clean)..u64::from(shows)).contains(n);
        let of_blocks = thread_counts::block_points(space.kernel, axis);
        // An index clamped to a maximum is shared by all blocks beyond it.
        let next = of_blocks.iter().map(|n| n + 1);
        if let Some(n) = of_blocks.iter().copied().chain(next).find(is_between) {
            return Some(Claim::dimension(Dimension::Grid(axis), Operator::Gt, n as u32));
        }
        let threads = |n: u32| u64::from(n) * u64::from(c.block[axis]);
        let points = thread_counts::points(space.kernel);
        let point = points.into_iter().find(|&n| n >= threads(clean) && n < threads(shows));
        let (op, n) = match point {
            Some(n) => (Operator::Gt, n),
            None => (Operator::Ge, threads(shows)),
        };
        Some(Claim::compare(all_threads(axis), op, Expr::int(n)))
    }
}
