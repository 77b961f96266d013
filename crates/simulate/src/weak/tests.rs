//! Small histories of accesses, with memory that is a list of bytes.

use lockstep_kernel::SiteId;

use super::*;

struct Bytes(Vec<u8>);

impl Ram for Bytes {
    fn read(&self, at: usize, len: usize) -> u64 {
        (0..len).fold(0, |value, i| value | u64::from(self.0[at + i]) << (8 * i))
    }

    fn write(&mut self, at: usize, len: usize, value: u64) {
        (0..len).for_each(|i| self.0[at + i] = (value >> (8 * i)) as u8);
    }
}

const GLOBAL: Buffered = Buffered::Global;
const SHARED: Buffered = Buffered::Shared;
const BLOCK: Reach = Reach { device: false, shared: true, global: true };
const DEVICE: Reach = Reach { device: true, shared: true, global: true };

/// A seed with which volatile accesses are in order, and one with which they are not.
fn seed(reorders_strong: bool) -> u64 {
    let is_such = |seed: &u64| Random::new(*seed).chance(0.5) == reorders_strong;
    (0..).find(is_such).expect("half of all")
}

fn memory(probability: f64, size: usize) -> WeakMemory<Bytes> {
    let settings = StoreBuffers { seed: seed(false), probability, size };
    WeakMemory::new(Bytes(vec![0; 64]), settings, 4)
}

fn by(block: u32, thread: u32) -> Party {
    Party { block, thread, site: SiteId(0) }
}

impl WeakMemory<Bytes> {
    fn put(&mut self, who: (u32, u32), at: usize, len: usize, value: u64) {
        self.put_to(GLOBAL, who, at, len, value);
    }

    fn put_to(&mut self, memory: Buffered, who: (u32, u32), at: usize, len: usize, value: u64) {
        let store = Store { at, len, value, by: by(who.0, who.1) };
        self.store(memory, store, Strength::Plain);
    }

    fn put_strong(&mut self, who: (u32, u32), at: usize, value: u64) {
        let store = Store { at, len: 4, value, by: by(who.0, who.1) };
        self.store(GLOBAL, store, Strength::Strong);
    }

    fn get(&mut self, who: (u32, u32), at: usize, len: usize) -> u64 {
        self.load(GLOBAL, by(who.0, who.1), (at, len), Strength::Plain, (0, 0))
    }
}

#[test]
fn with_probability_0_stores_take_effect_at_once() {
    let mut m = memory(0.0, 256);
    m.put((0, 0), 8, 4, 7);
    assert_eq!((m.get((1, 3), 8, 4), m.missed().count()), (7, 0));
    assert!(!m.unblock());
}

#[test]
fn only_the_thread_itself_sees_a_buffered_store_byte_by_byte() {
    let mut m = memory(1.0, 256);
    m.put((0, 0), 8, 4, 0x4433_2211);
    m.put((0, 0), 12, 1, 0x55);
    assert_eq!(m.get((0, 0), 10, 2), 0x4433);
    assert_eq!(m.get((0, 0), 8, 8), 0x55_4433_2211);
    assert_eq!((m.get((0, 1), 8, 8), m.get((1, 0), 8, 8)), (0, 0));
    // A store of another size to some of the bytes: first come the older ones.
    m.put((0, 0), 11, 2, 0xbbaa);
    assert_eq!(m.ram.read(8, 8), 0x55_4433_2211);
    assert_eq!(m.get((0, 0), 8, 8), 0xbb_aa33_2211);
    m.launch_ends();
    assert_eq!(m.ram.read(8, 8), 0xbb_aa33_2211);
}

#[test]
fn stores_to_one_place_stay_in_their_order() {
    let mut m = memory(1.0, 256);
    m.put((0, 0), 8, 4, 1);
    m.put((0, 0), 8, 4, 2);
    assert_eq!(m.ram.read(8, 4), 1);
    m.put_strong((0, 0), 8, 3);
    assert_eq!(m.ram.read(8, 4), 3);
    m.put((0, 0), 8, 4, 4);
    m.atomic_begins(GLOBAL, by(0, 0), 8, 4);
    assert_eq!(m.ram.read(8, 4), 4);
}

#[test]
fn a_full_buffer_gives_up_its_oldest_store() {
    let mut m = memory(1.0, 2);
    (0..3).for_each(|i| m.put((0, 0), 8 + 4 * i, 4, i as u64 + 1));
    assert_eq!([8, 12, 16].map(|at| m.ram.read(at, 4)), [1, 0, 0]);
    assert_eq!(m.stats().global_lengths, [0, 1]);
}

#[test]
fn a_fence_of_block_scope_is_for_the_block() {
    let mut m = memory(1.0, 256);
    m.put((0, 0), 8, 4, 7);
    m.put_to(SHARED, (0, 0), 40, 4, 9);
    m.fence(0, &[0], BLOCK);
    assert_eq!((m.get((0, 1), 8, 4), m.get((1, 0), 8, 4)), (7, 0));
    assert_eq!(m.ram.read(40, 4), 9);
    // What a thread learnt from its block, it releases with its own.
    m.fence(0, &[1], DEVICE);
    m.fence(1, &[0], DEVICE);
    assert_eq!(m.get((1, 0), 8, 4), 7);
}

#[test]
fn a_fence_for_local_memory_leaves_global_stores() {
    let mut m = memory(1.0, 256);
    m.put((0, 0), 8, 4, 7);
    m.put_to(SHARED, (0, 0), 40, 4, 9);
    m.fence(0, &[0], Reach { global: false, ..DEVICE });
    assert_eq!((m.ram.read(8, 4), m.ram.read(40, 4)), (0, 9));
}

#[test]
fn a_store_behind_one_that_only_the_block_sees_comes_after_it() {
    let mut m = memory(1.0, 256);
    m.put((0, 0), 8, 4, 1);
    m.fence(0, &[0, 1], BLOCK);
    m.put_strong((0, 1), 8, 2);
    m.launch_ends();
    assert_eq!(m.ram.read(8, 4), 2);
    m.put((0, 0), 12, 4, 1);
    m.fence(0, &[0, 1], BLOCK);
    m.put((0, 1), 12, 4, 2);
    m.fence(0, &[0, 1], BLOCK);
    assert_eq!(m.get((0, 0), 12, 4), 2);
    m.launch_ends();
    assert_eq!(m.ram.read(12, 4), 2);
}

/// The values that a thread reads in many tries.
fn tries(m: &mut WeakMemory<Bytes>, who: (u32, u32), at: usize) -> Vec<u64> {
    let mut values: Vec<u64> = Vec::new();
    for _ in 0..100 {
        // Each try is by a thread that has seen nothing yet.
        m.thread(who.0, who.1).seen.clear();
        values.push(m.get(who, at, 4));
    }
    values.sort();
    values.dedup();
    values
}

#[test]
fn a_load_may_be_early_until_a_fence() {
    let mut m = memory(1.0, 256);
    for value in 1..=3 {
        m.put_strong((0, 0), 8, value);
    }
    assert_eq!(tries(&mut m, (1, 0), 8), [0, 1, 2, 3]);
    m.fence(1, &[0], DEVICE);
    assert_eq!(tries(&mut m, (1, 0), 8), [3]);
    assert_eq!(tries(&mut m, (1, 1), 8), [0, 1, 2, 3]);
}

#[test]
fn a_fence_of_block_scope_acquires_what_the_block_did_or_knows() {
    let mut m = memory(1.0, 256);
    m.put_strong((0, 0), 8, 1);
    m.put_strong((1, 1), 12, 1);
    m.fence(1, &[0], BLOCK);
    assert_eq!(tries(&mut m, (1, 0), 8), [0, 1]);
    assert_eq!(tries(&mut m, (1, 0), 12), [1]);
    m.fence(1, &[2], DEVICE);
    assert_eq!(tries(&mut m, (1, 0), 8), [0, 1]);
    m.fence(1, &[0], BLOCK);
    assert_eq!(tries(&mut m, (1, 0), 8), [1]);
}

#[test]
fn nobody_reads_older_values_than_before() {
    for seed in 0..50 {
        let settings = StoreBuffers { seed, probability: 0.75, size: 256 };
        let mut m = WeakMemory::new(Bytes(vec![0; 64]), settings, 4);
        let mut last = [0; 8];
        for value in 1..=20 {
            m.put((0, 0), 8, 4, value);
            for reader in 0..8u32 {
                let who = (reader / 4, reader % 4);
                let read = m.get(who, 8, 4);
                assert!(read >= last[reader as usize], "seed {seed}: {read} after {last:?}");
                last[reader as usize] = read;
            }
            assert_eq!(m.get((0, 0), 8, 4), value);
            if value % 7 == 0 {
                m.fence(0, &[0, 1], BLOCK);
                assert_eq!(m.get((0, 1), 8, 4), value);
                last[1] = value;
            }
        }
    }
}

#[test]
fn a_grid_barrier_orders_everything_for_blocks_that_begin_later_too() {
    let mut m = memory(1.0, 256);
    m.put((0, 0), 8, 4, 5);
    m.grid_barrier();
    assert_eq!(tries(&mut m, (3, 0), 8), [5]);
}

#[test]
fn what_waits_reaches_memory_before_a_deadlock() {
    let mut m = memory(1.0, 256);
    m.put((0, 0), 8, 4, 5);
    m.thread_ends(0, 0);
    assert_eq!(m.ram.read(8, 4), 0);
    assert!(m.unblock());
    assert_eq!(m.ram.read(8, 4), 5);
    // Then loads have the latest values, and then nothing helps.
    assert!(m.unblock());
    assert_eq!(tries(&mut m, (1, 0), 8), [5]);
    assert!(!m.unblock());
}

#[test]
fn shared_memory_ends_with_its_block() {
    let mut m = memory(1.0, 256);
    m.put_to(SHARED, (0, 0), 40, 4, 5);
    m.thread_ends(0, 0);
    m.block_ends(0);
    assert!(m.waiting.is_empty());
    m.launch_ends();
    assert_eq!(m.ram.read(40, 4), 0);
}

#[test]
fn a_missed_store_is_noted() {
    let mut m = memory(1.0, 256);
    m.put((0, 0), 8, 4, 5);
    m.get((1, 0), 8, 4);
    let missed: Vec<Missed> = m.missed().copied().collect();
    assert_eq!((missed[0].store, missed[0].load), (by(0, 0), by(1, 0)));
}
