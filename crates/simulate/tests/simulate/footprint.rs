//! The counts behind Simulee's fitness, against counting by hand.

use std::collections::{BTreeMap, BTreeSet};

use lockstep_kernel::{AtomicOp, Kernel};
use lockstep_simulate::{Config, Footprint, footprint};

use crate::program::{BARRIER, Ex, Mem, St, WORDS, cuda, launch, read, when, write};

fn of(kernel: &Kernel, blocks: u32, threads: u32) -> Footprint {
    footprint(kernel, &launch(blocks, threads), &Config::default()).expect("the launch fits")
}

#[test]
fn each_thread_its_own_word() {
    let f = of(&cuda(&[write(Ex::Tid), read(Ex::Tid), write(Ex::Tid)]), 2, 64);
    assert_eq!((f.addresses, f.touches), (128, 128));
    assert_eq!((f.written_addresses, f.written_touches), (128, 128));
    assert_eq!(f.range, 128);
    assert_eq!(f.f(), 1.0);
    assert!(f.complete && !f.violated && f.steps > 0);
}

#[test]
fn words_that_threads_share() {
    let body = [
        St::Read(Mem::Global, Ex::Num(7)),
        St::Write(Mem::Global, Ex::Tid.div(2).add(8)),
        BARRIER,
        when(Ex::Tid, 1, vec![read(Ex::Num(100)), write(Ex::Num(103))]),
        St::Atomic(Mem::Shared, Ex::Num(0), AtomicOp::Load, false),
    ];
    let f = of(&cuda(&body), 3, 64);
    // g[7]: 192 threads; g[8..40]: 6 each; in each block s[100], s[103] and s[0].
    assert_eq!(f.addresses, 1 + 32 + 3 * 3);
    assert_eq!(f.touches, 192 + 192 + 3 * (1 + 1 + 64));
    assert_eq!(f.written_addresses, 32 + 3);
    assert_eq!(f.written_touches, 192 + 3);
    assert_eq!(f.range, 33 + 3 * 104);
}

#[test]
fn a_reader_of_a_written_word_counts_among_its_touches() {
    let f = of(&cuda(&[read(Ex::Num(0)), when(Ex::Tid, 1, vec![write(Ex::Num(0))])]), 1, 32);
    assert_eq!((f.written_addresses, f.written_touches), (1, 32));
}

#[test]
fn out_of_bounds_counts_where_it_points() {
    let far = 3 * WORDS;
    let body = [
        St::Read(Mem::Global, Ex::Tid.add(far)),
        St::Write(Mem::Global, Ex::Num(far + 5)),
        St::Write(Mem::Shared, Ex::Tid.add(far)),
    ];
    let f = of(&cuda(&body), 1, 32);
    assert_eq!((f.addresses, f.touches), (32 + 32, 32 + 31 + 32));
    assert_eq!((f.written_addresses, f.written_touches), (1 + 32, 32 + 32));
    assert!(f.complete);
}

#[test]
fn wide_and_bulk_accesses_touch_all_their_words() {
    let f = of(&cuda(&[St::Copy(Mem::Global, Ex::Num(64), Ex::Tid, 10)]), 1, 4);
    // Reads 0..6 (three words each), writes 64..67 by all.
    assert_eq!((f.addresses, f.touches), (6 + 3, 4 * 3 + 4 * 3));
    assert_eq!((f.written_addresses, f.written_touches), (3, 12));
    assert_eq!(f.range, 67);
}

#[test]
fn nothing_touched() {
    let f = of(&cuda(&[BARRIER]), 1, 64);
    assert_eq!((f.addresses, f.touches, f.range), (0, 0, 0));
    assert_eq!(f.f(), 1.0);
}

#[test]
fn a_budget_gives_the_counts_so_far() {
    let kernel = cuda(&[write(Ex::Tid), St::Loop(u32::MAX, vec![read(Ex::Num(0))])]);
    let config = Config { max_steps: 10_000, ..Config::default() };
    let f = footprint(&kernel, &launch(1, 32), &config).expect("the launch fits");
    assert!(!f.complete && f.steps <= 10_100);
    assert_eq!((f.addresses, f.touches), (32, 32 + 31));
}

#[test]
fn repeated_accesses_are_merged() {
    // More accesses than are kept before a merge, in an order that is no help.
    let at = Ex::Tid.op(lockstep_kernel::IntOp::Mul, Ex::Num(37));
    let at = at.op(lockstep_kernel::IntOp::Add, Ex::Count(0)).rem(WORDS);
    let body = [St::Loop(500, vec![St::Read(Mem::Global, at.clone()), St::Write(Mem::Global, at)])];
    let f = of(&cuda(&body), 2, 96);
    let mut words: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for t in 0..192 {
        for i in 0..500 {
            words.entry((t % 96 * 37 + i) % WORDS).or_default().insert(t);
        }
    }
    assert_eq!(f.addresses, words.len() as u64);
    assert_eq!(f.touches, words.values().map(|t| t.len() as u64).sum::<u64>());
    assert_eq!(f.written_touches, f.touches);
}

#[test]
fn a_thread_counts_once_though_other_blocks_run_in_between() {
    let own = |at: Ex| {
        let first = Ex::BlockId.op(lockstep_kernel::IntOp::Mul, Ex::Num(64));
        St::Write(Mem::Global, at.op(lockstep_kernel::IntOp::Add, first))
    };
    let body = [own(Ex::Tid), write(Ex::Tid.div(2)), read(Ex::Num(0))];
    let once = of(&cuda(&body), 3, 64);
    let twice = of(&cuda(&[&body[..], &[St::Grid], &body[..]].concat()), 3, 64);
    assert_eq!((once.addresses, once.touches), (3 * (64 + 32), 3 * (64 + 64 + 62)));
    assert_eq!((once.written_addresses, once.written_touches), (once.addresses, once.touches));
    assert_eq!((once.addresses, once.touches), (twice.addresses, twice.touches));
    assert_eq!(once.written_touches, twice.written_touches);
    assert_eq!(once.range, twice.range);
}
