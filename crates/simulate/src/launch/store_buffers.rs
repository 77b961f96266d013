//! Weak execution, as the caller sees it: how a launch is executed with store buffers, and what was seen.

use lockstep_finding::{Access, Memory};
use lockstep_kernel::SiteId;

/// How a launch is executed with store buffers between threads and memory. The same values give the same execution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StoreBuffers {
    /// All random choices come from it: which stores are buffered, which loads are early, and who runs when.
    pub seed: u64,
    /// The probability that a store enters the buffer, and that a load has an old value. With 0, memory is sequentially
    /// consistent; the choice of who runs when is the same.
    pub probability: f64,
    /// Stores that a buffer holds, for each thread and memory; the oldest leaves a full one.
    pub size: usize,
}

impl Default for StoreBuffers {
    fn default() -> StoreBuffers {
        StoreBuffers { seed: 0, probability: 1.0, size: 256 }
    }
}

/// Shared or global memory: each has its own buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Buffered {
    Shared,
    Global,
}

/// Counters of a weak execution.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BufferStats {
    /// Fences that threads have executed, and how many places in the source they have.
    pub fences: u64,
    pub fence_places: usize,
    /// Stores that threads have executed.
    pub shared_stores: u64,
    pub global_stores: u64,
    /// How often a buffer held so many stores when it was flushed: 1, 2, 3 to 4, 5 to 8, and so on in powers of two.
    pub shared_lengths: Vec<u64>,
    pub global_lengths: Vec<u64>,
}

impl BufferStats {
    /// The row of a histogram for buffers of this length.
    pub fn row(length: usize) -> usize {
        length.next_power_of_two().trailing_zeros() as usize
    }

    /// Counts a buffer that is flushed.
    pub(crate) fn flushed(&mut self, memory: Buffered, length: usize) {
        if length == 0 {
            return;
        }
        let rows = match memory {
            Buffered::Shared => &mut self.shared_lengths,
            Buffered::Global => &mut self.global_lengths,
        };
        let row = BufferStats::row(length);
        rows.resize(rows.len().max(row + 1), 0);
        rows[row] += 1;
    }

    /// Adds another execution.
    pub fn add(&mut self, other: &BufferStats) {
        self.fences += other.fences;
        self.fence_places = self.fence_places.max(other.fence_places);
        self.shared_stores += other.shared_stores;
        self.global_stores += other.global_stores;
        for (own, others) in [
            (&mut self.shared_lengths, &other.shared_lengths),
            (&mut self.global_lengths, &other.global_lengths),
        ] {
            own.resize(own.len().max(others.len()), 0);
            own.iter_mut().zip(others).for_each(|(a, b)| *a += b);
        }
    }
}

/// A load that did not see a store which another thread had executed before.
#[derive(Clone, Debug, PartialEq)]
pub struct MissedStore {
    pub store: SiteId,
    pub load: SiteId,
    /// The store, then the load.
    pub accesses: [Access; 2],
    pub memory: Memory,
}

/// What was seen of a weak execution.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WeakOutcome {
    pub stats: BufferStats,
    /// For each pair of places, the first time.
    pub missed: Vec<MissedStore>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_powers_of_two() {
        let rows: Vec<usize> = [1, 2, 3, 4, 5, 8, 9, 256].map(BufferStats::row).to_vec();
        assert_eq!(rows, [0, 1, 2, 2, 3, 3, 4, 8]);
    }

    #[test]
    fn lengths_of_several_executions_are_added() {
        let mut one = BufferStats::default();
        one.flushed(Buffered::Global, 0);
        one.flushed(Buffered::Global, 1);
        let mut other = BufferStats::default();
        other.flushed(Buffered::Global, 3);
        other.flushed(Buffered::Shared, 2);
        one.add(&other);
        assert_eq!((one.global_lengths, one.shared_lengths), (vec![1, 0, 1], vec![0, 1]));
    }
}
