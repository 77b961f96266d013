//! Simulee's Theorem 3.1 under lock-step scheduling, case by case.

use lockstep_kernel::IntOp;
use lockstep_kernel::Scheduling::{Independent, Lockstep};

use crate::program::{BARRIER, Ex, Mem, St, cuda, races, read, when, write};

/// Races with lanes that run apart, and in lock step.
fn both(body: &[St], threads: u32) -> (bool, bool) {
    let kernel = cuda(body);
    (races(&kernel, threads, Independent), races(&kernel, threads, Lockstep))
}

const LANE_5: fn() -> St = || when(Ex::Tid.xor(5), 1, vec![write(Ex::Num(0))]);

#[test]
fn different_warps_race() {
    // (1): a write and a read, two writes.
    assert_eq!(both(&[write(Ex::Tid), read(Ex::Tid.xor(32))], 64), (true, true));
    assert_eq!(both(&[write(Ex::Tid.rem(32))], 64), (true, true));
    assert_eq!(both(&[write(Ex::Tid), BARRIER, read(Ex::Tid.xor(32))], 64), (false, false));
}

#[test]
fn one_instruction_that_writes_one_word_races_with_itself() {
    // (2)
    assert_eq!(both(&[write(Ex::Num(0))], 32), (true, true));
    assert_eq!(both(&[write(Ex::Tid.div(2))], 32), (true, true));
    // A copy is one instruction, whatever its length.
    let copy = |to| [St::Copy(Mem::Global, to, Ex::Tid.add(100), 8)];
    assert_eq!(both(&copy(Ex::Num(0)), 32), (true, true));
    assert_eq!(both(&copy(Ex::Tid), 32), (true, true));
    assert_eq!(both(&copy(Ex::Tid.op(IntOp::Mul, Ex::Num(2))), 8), (false, false));
}

#[test]
fn what_an_instruction_reads_it_reads_before_it_writes() {
    // Simulee's example of a false race, and the same as a copy.
    assert_eq!(both(&[St::Sum(Mem::Shared, Ex::Tid, Ex::Tid.add(1))], 32), (true, false));
    let copy = St::Copy(Mem::Global, Ex::Tid, Ex::Tid.add(1), 4);
    assert_eq!(both(&[copy], 32), (true, false));
}

#[test]
fn instructions_of_one_warp_are_ordered() {
    assert_eq!(both(&[write(Ex::Tid), read(Ex::Tid.xor(1))], 32), (true, false));
    assert_eq!(both(&[write(Ex::Tid), write(Ex::Tid.xor(1))], 32), (true, false));
    assert_eq!(both(&[read(Ex::Num(0)), LANE_5()], 32), (true, false));
}

#[test]
fn arms_of_a_divergent_branch_race() {
    // (3): write and read, write and write, read and write, in different arms.
    let arms = |a: St, b: St| [St::If(Ex::Tid, Ex::Num(16), vec![a], vec![b])];
    assert_eq!(both(&arms(write(Ex::Tid), read(Ex::Tid.xor(16))), 32), (true, true));
    assert_eq!(both(&arms(read(Ex::Tid.xor(16)), write(Ex::Tid)), 32), (true, true));
    assert_eq!(both(&arms(write(Ex::Tid.xor(16)), write(Ex::Tid)), 32), (true, true));
    assert_eq!(both(&arms(read(Ex::Tid.xor(16)), read(Ex::Tid)), 32), (false, false));
    // The branch does not diverge: warps do, and these race anyway.
    let warps = [St::If(Ex::Tid, Ex::Num(32), vec![write(Ex::Tid)], vec![read(Ex::Tid)])];
    assert_eq!(both(&warps, 64), (false, false));
}

#[test]
fn lanes_are_in_step_before_a_branch_and_after_it() {
    let before = [write(Ex::Tid), when(Ex::Tid, 16, vec![read(Ex::Tid.xor(16))])];
    assert_eq!(both(&before, 32), (true, false));
    let after = [when(Ex::Tid, 16, vec![write(Ex::Tid)]), read(Ex::Tid.xor(16))];
    assert_eq!(both(&after, 32), (true, false));
    let two = [
        when(Ex::Tid, 16, vec![write(Ex::Tid)]),
        St::If(Ex::Tid, Ex::Num(16), vec![], vec![read(Ex::Tid.xor(16))]),
    ];
    assert_eq!(both(&two, 32), (true, false));
    // One that left does not come back.
    let left = [when(Ex::Tid, 1, vec![write(Ex::Num(9)), St::Return]), read(Ex::Num(9))];
    assert_eq!(both(&left, 32), (true, true));
}

#[test]
fn a_read_on_another_path_is_not_displaced() {
    // All read, then lanes of one arm; in the other arm some read and one writes.
    let arms = |mine: Vec<St>| {
        [read(Ex::Num(0)), St::If(Ex::Tid, Ex::Num(4), vec![read(Ex::Num(0))], mine)]
    };
    assert_eq!(both(&arms(vec![read(Ex::Num(0)), LANE_5()]), 32), (true, true));
    let pair = vec![when(Ex::Tid, 7, vec![read(Ex::Num(0))]), LANE_5()];
    assert_eq!(both(&arms(pair), 32), (true, true));
    // The same with the arms the other way round: one of them runs first.
    let mine = || vec![read(Ex::Num(0)), LANE_5()];
    let swapped = [read(Ex::Num(0)), St::If(Ex::Tid, Ex::Num(8), mine(), vec![read(Ex::Num(0))])];
    assert_eq!(both(&swapped, 32), (true, true));
    // Nobody reads on the other path.
    let alone =
        [read(Ex::Num(0)), St::If(Ex::Tid, Ex::Num(4), vec![], vec![read(Ex::Num(0)), LANE_5()])];
    assert_eq!(both(&alone, 32), (true, false));
}

#[test]
fn an_atomic_on_another_path_is_not_displaced() {
    use lockstep_kernel::AtomicOp;
    let add = || St::Atomic(Mem::Shared, Ex::Num(0), AtomicOp::Add, false);
    let arms = |first: Vec<St>| [add(), St::If(Ex::Tid, Ex::Num(4), first, vec![add(), LANE_5()])];
    assert_eq!(both(&arms(vec![add()]), 32), (true, true));
    assert_eq!(both(&arms(vec![]), 32), (true, false));
    // The arms the other way round; lane 5 learns nothing by an atomic of its own.
    let mine = vec![when(Ex::Tid, 5, vec![add()]), LANE_5()];
    let swapped = [add(), St::If(Ex::Tid, Ex::Num(8), mine, vec![add()])];
    assert_eq!(both(&swapped, 32), (true, true));
}

/// Figure 7: `if (tid < warpSize) for (shift = warpSize; shift > 0; shift >>= 1)
/// ssum[tid] += ssum[tid + shift];`
#[test]
fn a_reduction_in_the_first_warp_without_barriers() {
    let shift = Ex::Num(32).op(IntOp::LShr, Ex::Count(0));
    let sum = St::Sum(Mem::Shared, Ex::Tid, Ex::Tid.op(IntOp::Add, shift));
    let tail = |guard| {
        [write(Ex::Tid), BARRIER, when(Ex::Tid, guard, vec![St::Loop(6, vec![sum.clone()])])]
    };
    for threads in [64, 128, 256] {
        assert_eq!(both(&tail(32), threads), (true, false));
    }
    // With more than a warp it is a race.
    assert_eq!(both(&tail(64), 128), (true, true));
    // Without the barrier too: the first addition reads another warp's words.
    let body = [write(Ex::Tid), tail(32)[2].clone()];
    assert_eq!(both(&body, 64), (true, true));
}
