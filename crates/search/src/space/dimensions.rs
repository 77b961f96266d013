//! Blocks and grids that a caller would use, derived from what the kernel reads.

use lockstep_kernel::hints::Hints;
use lockstep_kernel::{Barrier, Kernel, Op, Scope, Space as Memory};

use crate::given::Given;

/// Maximum number of threads of a block in the launches that are tried.
pub(crate) const MOST_THREADS: u32 = 1024;

/// The block size along an axis that the kernel was written for: implied by its index arithmetic, or by a shared array
/// of that extent that is subscripted by the thread index in a kernel that never reads the block size.
pub(crate) fn implied(hints: &Hints, axis: usize) -> Option<u32> {
    let extent = hints.most_block[axis].filter(|_| !hints.reads_block_dim[axis]);
    hints.implied_block[axis].or(extent).filter(|&n| n <= MOST_THREADS)
}

/// Dimensions that a caller who knows the kernel would always use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UsualDims {
    /// The block's dimensions: 1 along an axis that no index uses, or what the kernel's own arithmetic implies.
    pub block: [Option<u32>; 3],
    /// The maximum number of threads along an axis that shared arrays have room for.
    pub most_block: [Option<u32>; 3],
    /// 1 along an axis that no index uses.
    pub grid: [Option<u32>; 3],
}

impl UsualDims {
    pub fn of(kernel: &Kernel) -> UsualDims {
        let h = Hints::of(kernel);
        let [block, grid] = asked(kernel, &h);
        let only = |asked: bool| (!asked).then_some(1);
        UsualDims {
            block: std::array::from_fn(|a| implied(&h, a).or(only(block[a]))),
            most_block: h.most_block,
            grid: std::array::from_fn(|a| only(grid[a])),
        }
    }

    /// Whether there is no more than one thread.
    pub fn is_single_thread(&self) -> bool {
        self.block.iter().chain(&self.grid).all(|d| *d == Some(1))
    }
}

/// Along which axes a kernel can have more than one thread and more than one block, derived from what it reads. A
/// kernel without any index is written for one thread, unless it has operations that only several threads need.
pub(crate) fn asked(kernel: &Kernel, h: &Hints) -> [[bool; 3]; 2] {
    let mut block = std::array::from_fn(|a| h.thread_axes[a] || h.reads_block_dim[a]);
    let mut grid = std::array::from_fn(|a| h.block_axes[a] || h.reads_grid_dim[a]);
    if block == [false; 3] && grid == [false; 3] {
        let widest = kernel.insts().filter_map(|i| company(kernel, &i.op)).max();
        block[0] = widest >= Some(Company::Block);
        grid[0] = widest >= Some(Company::Grid);
    }
    [block, grid]
}

/// The set of threads that an operation is for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Company {
    Block,
    Grid,
}

fn company(kernel: &Kernel, op: &Op) -> Option<Company> {
    match op {
        Op::Barrier { barrier: Barrier::Grid, .. } => Some(Company::Grid),
        Op::Atomic { scope, site, .. } | Op::Fence { scope, site, .. } => match scope {
            Scope::Thread => None,
            _ if kernel.site(*site).space == Memory::Shared => Some(Company::Block),
            Scope::Device | Scope::System => Some(Company::Grid),
            _ => Some(Company::Block),
        },
        Op::Barrier { .. }
        | Op::Shuffle { .. }
        | Op::Vote { .. }
        | Op::Match { .. }
        | Op::MatrixProduct { .. } => Some(Company::Block),
        _ => None,
    }
}

/// Along which axes a caller has several threads in a block. One who reads the size along y or z, and the index along x
/// alone, counts the threads: several rows would only do the same again.
pub(crate) fn in_use(hints: &Hints, axis: usize) -> bool {
    let counts = axis == 0 || !hints.thread_axes[0];
    hints.thread_axes[axis] || counts && hints.reads_block_dim[axis]
}

/// Ordinary block shapes: what is given or implied, else by the axes in use.
pub(crate) fn blocks(kernel: &Kernel, hints: &Hints, given: &Given) -> Vec<[u32; 3]> {
    if let Some(block) = given.block.map(|b| b.value).or(kernel.required_block) {
        return vec![block];
    }
    let used = |a: usize| in_use(hints, a);
    let shapes: &[[u32; 3]] = match [used(0), used(1), used(2)] {
        [_, false, false] => {
            &[[64, 1, 1], [256, 1, 1], [32, 1, 1], [128, 1, 1], [512, 1, 1], [1024, 1, 1]]
        }
        [false, true, false] => &[[1, 64, 1], [1, 256, 1]],
        [_, true, false] => &[[8, 8, 1], [16, 16, 1], [32, 8, 1], [32, 32, 1], [4, 64, 1]],
        _ => &[[4, 4, 4], [8, 8, 4], [32, 2, 2]],
    };
    let shapes: Vec<[u32; 3]> = shapes
        .iter()
        .map(|shape| {
            std::array::from_fn(|a| match implied(hints, a) {
                Some(n) if n <= MOST_THREADS => n,
                _ => shape[a],
            })
        })
        .collect();
    let most = most_threads(kernel);
    let fits = |shape: &[u32; 3]| {
        shape.iter().product::<u32>() <= most
            && (0..3).all(|a| hints.most_block[a].is_none_or(|n| shape[a] <= n.max(1)))
    };
    let mut out: Vec<[u32; 3]> = Vec::new();
    // The extent of a shared array that the thread index subscripts is the block
    // size that the kernel was written for.
    let extent: [u32; 3] = std::array::from_fn(|a| match (implied(hints, a), used(a)) {
        (Some(n), _) => n,
        (None, true) => hints.most_block[a].unwrap_or(0),
        (None, false) => 1,
    });
    let whole = extent.iter().all(|&d| d > 0) && extent.iter().any(|&d| d > 1);
    let threads = extent.iter().map(|&d| d as u64).product::<u64>();
    // A large extent is more likely an upper bound.
    let fixed = (0..3).all(|a| implied(hints, a).is_some() || !used(a));
    if whole && (threads <= 256 || fixed) && threads <= most as u64 {
        out.push(extent);
    }
    let bounded = bounded_shape(kernel, hints);
    if let Some(shape) = bounded.filter(fits) {
        if !out.contains(&shape) {
            out.push(shape);
        }
        return out;
    }
    for shape in shapes.iter().filter(|s| fits(s)) {
        if !out.contains(shape) {
            out.push(*shape);
        }
    }
    if out.is_empty() {
        let small = |a: usize| implied(hints, a).or(hints.most_block[a]).unwrap_or(1);
        let mut shape: [u32; 3] = std::array::from_fn(|a| small(a).clamp(1, 64));
        while shape.iter().product::<u32>() > most {
            let widest = (0..3).max_by_key(|&a| shape[a]).unwrap_or(0);
            shape[widest] /= 2;
        }
        out.push(shape);
    }
    out
}

/// The maximum number of threads of a block.
pub(crate) fn most_threads(kernel: &Kernel) -> u32 {
    kernel.most_threads.map_or(MOST_THREADS, |n| n.min(MOST_THREADS))
}

/// A block with as many threads as launch bounds allow.
pub(crate) fn bounded_shape(kernel: &Kernel, hints: &Hints) -> Option<[u32; 3]> {
    let used = |a: usize| in_use(hints, a);
    kernel.most_threads.and_then(|n| full_shape(n, hints, &used))
}

/// A block of exactly this many threads, along the axes in use: the first axis without an implied size gets the
/// remaining factor.
fn full_shape(threads: u32, hints: &Hints, used: &dyn Fn(usize) -> bool) -> Option<[u32; 3]> {
    let threads = threads.min(MOST_THREADS);
    let first = (0..3).find(|&a| used(a) && implied(hints, a).is_none())?;
    let mut shape: [u32; 3] = std::array::from_fn(|a| match (implied(hints, a), used(a)) {
        (Some(n), _) => n,
        (None, true) if a != first => 8,
        _ => 1,
    });
    let others: u32 = shape.iter().product();
    shape[first] = threads / others.max(1);
    (shape[first] > 0 && shape.iter().product::<u32>() == threads).then_some(shape)
}

/// Two blocks along each axis in use, and some more; one block for a kernel that never reads its block index, because
/// then it is written for a single one.
pub(crate) fn grids(kernel: &Kernel, hints: &Hints, given: &Given) -> Vec<[u32; 3]> {
    if let Some(grid) = given.grid {
        return vec![grid.value];
    }
    let [_, used] = asked(kernel, hints);
    let along = |n: [u32; 3]| std::array::from_fn(|a| if used[a] { n[a] } else { 1 });
    let mut out: Vec<[u32; 3]> = Vec::new();
    for shape in [[2, 2, 2], [4, 2, 1], [1, 1, 1], [3, 3, 2]] {
        let shape = along(shape);
        if !out.contains(&shape) {
            out.push(shape);
        }
    }
    out
}
