//! The launch that is explored: dimensions, arguments, and where each of its threads stands.

use lockstep_kernel::{Kernel, Scheduling};

/// An argument in the form that registers and memory have.
#[derive(Clone, Debug, PartialEq)]
pub enum Arg {
    /// One value for each register of the parameter, zero-extended.
    Scalar(Vec<u64>),
    /// An array of its own with these contents.
    Buffer(Vec<u8>),
    /// The array of another parameter, from `offset` bytes on.
    Alias { param: usize, offset: u64 },
    /// A pointer into a variable of the file, by its number among the kernel's objects, plus bytes.
    Variable { object: usize, offset: u64 },
    /// A null pointer.
    Null,
    /// OpenCL's `__local` memory: bytes in each block.
    Local(u64),
    /// The bytes of a struct passed by value.
    Aggregate(Vec<u8>),
}

/// A small launch, all of whose executions are to be explored. Arguments are those of the kernel's parameters, one to one.
#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// OpenCL's global size, if it is not a multiple of the block: the last blocks are then smaller. That is not explored.
    pub global: Option<[u32; 3]>,
    /// A power of two, at most 32.
    pub warp_size: u32,
    pub scheduling: Scheduling,
    /// Bytes of dynamic shared memory.
    pub shared: u64,
    pub args: Vec<Arg>,
}

/// A thread of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ThreadAt {
    pub block: [u32; 3],
    pub thread: [u32; 3],
    /// Numbers of its block in the grid, of its warp in the block, of its lane in the warp.
    pub block_number: u32,
    pub warp: u32,
    pub lane: u32,
}

fn product(of: [u32; 3]) -> u64 {
    of.iter().map(|&n| u64::from(n)).product()
}

fn point(number: u64, extent: [u32; 3]) -> [u32; 3] {
    let [x, y, _] = extent.map(u64::from);
    [(number % x) as u32, (number / x % y) as u32, (number / x / y) as u32]
}

impl Launch {
    pub fn threads_per_block(&self) -> u64 {
        product(self.block)
    }

    pub fn thread_count(&self) -> u64 {
        product(self.grid).saturating_mul(product(self.block))
    }

    /// All threads, those of the first block first.
    pub fn threads(&self) -> Vec<ThreadAt> {
        let per_block = product(self.block);
        let at = |number: u64| {
            let (block, thread) = (number / per_block, number % per_block);
            ThreadAt {
                block: point(block, self.grid),
                thread: point(thread, self.block),
                block_number: block as u32,
                warp: (thread / u64::from(self.warp_size)) as u32,
                lane: (thread % u64::from(self.warp_size)) as u32,
            }
        };
        (0..self.thread_count()).map(at).collect()
    }
}

/// Dimensions worth exploring, the smallest first: threads of different blocks, threads of one block, three blocks, and
/// both at once. What the given dimensions do not have (a second block, a second thread) is not among them. Extents go along
/// the first axis that the given dimensions, or else the kernel, have more than one of.
pub fn small_dimensions(
    kernel: &Kernel,
    given: Option<([u32; 3], [u32; 3])>,
) -> Vec<([u32; 3], [u32; 3])> {
    let used = kernel.axes_used();
    let along = |extent: Option<[u32; 3]>| {
        let first = match extent {
            Some(extent) => extent.iter().position(|&n| n > 1),
            None => used.iter().position(|&used| used),
        };
        first.unwrap_or(0)
    };
    let grid_axis = along(given.map(|(grid, _)| grid));
    let block_axis = along(given.map(|(_, block)| block));
    let extent = |axis: usize, n: u32| {
        let mut extent = [1; 3];
        extent[axis] = n;
        extent
    };
    let shapes = [(2, 1), (1, 2), (3, 1), (2, 2)];
    let fits = |&(grid, block): &(u32, u32)| {
        let within = |of: [u32; 3], n: u32| product(of) >= u64::from(n);
        given.is_none_or(|(g, b)| within(g, grid) && within(b, block))
            && kernel.most_threads.is_none_or(|most| most >= block)
    };
    shapes
        .into_iter()
        .filter(fits)
        .map(|(grid, block)| (extent(grid_axis, grid), extent(block_axis, block)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_have_their_places() {
        let launch = Launch {
            grid: [2, 1, 1],
            block: [2, 3, 1],
            global: None,
            warp_size: 4,
            scheduling: Scheduling::Independent,
            shared: 0,
            args: Vec::new(),
        };
        let threads = launch.threads();
        assert_eq!(threads.len(), 12);
        let last = threads[11];
        assert_eq!((last.block, last.thread), ([1, 0, 0], [1, 2, 0]));
        assert_eq!((last.block_number, last.warp, last.lane), (1, 1, 1));
    }
}
