//! OpenCL's model: scopes, flags of fences and barriers, atomic and other locations.

use lockstep_weak::litmus::read_opencl;
use lockstep_weak::model::OpenCl;
use lockstep_weak::{Failure, Limits, find};

/// Does data that is handed over with these instructions race? The writer is in group 0, the reader in `group`.
fn races(data: &str, flag: &str, group: u32, publish: &str, receive: &str) -> bool {
    let text = format!(
        "OPENCL test
        {{ [x] = 0; [f] = 0; }}
        P0@wg 0, dev 0 ({data}* x, {flag}* f) {{ *x = 1; {publish} }}
        P1@wg {group}, dev 0 ({data}* x, {flag}* f) {{ int r0 = 1; {receive} if (r0 == 1) {{ int r1 = *x; }} }}
        exists (1:r1 = 0)"
    );
    let test = read_opencl(&text).unwrap_or_else(|error| panic!("{error:?} in\n{text}"));
    let answer = find(&test.program, &OpenCl, Limits::default(), &[Failure::Race]);
    answer.possible().expect("a litmus test is decided")
}

#[test]
fn release_and_acquire_need_the_same_scope_that_holds_both() {
    let through_flag = |group, release: &str, acquire: &str| {
        races(
            "global int",
            "global atomic_int",
            group,
            &format!("atomic_store_explicit(f, 1, {release});"),
            &format!("r0 = atomic_load_explicit(f, {acquire});"),
        )
    };
    let (release, acquire, relaxed) =
        ("memory_order_release", "memory_order_acquire", "memory_order_relaxed");
    let at = |order: &str, scope: &str| format!("{order}, memory_scope_{scope}");
    assert!(!through_flag(1, &at(release, "device"), &at(acquire, "device")));
    assert!(!through_flag(1, release, acquire), "the scope is that of the device if none is given");
    assert!(!through_flag(0, &at(release, "work_group"), &at(acquire, "work_group")));
    assert!(through_flag(1, &at(release, "work_group"), &at(acquire, "work_group")));
    assert!(through_flag(1, &at(release, "device"), &at(acquire, "all_svm_devices")));
    assert!(through_flag(1, &at(relaxed, "device"), &at(acquire, "device")));
    assert!(through_flag(1, &at(release, "device"), &at(relaxed, "device")));
}

#[test]
fn fences_order_the_memory_that_their_flags_name() {
    let fenced = |flags: &str| {
        let fence = |order| {
            format!("atomic_work_item_fence({flags}, memory_order_{order}, memory_scope_device);")
        };
        races(
            "global int",
            "global atomic_int",
            1,
            &format!("{} atomic_store_explicit(f, 1, memory_order_relaxed);", fence("release")),
            &format!("r0 = atomic_load_explicit(f, memory_order_relaxed); {}", fence("acquire")),
        )
    };
    assert!(!fenced("CLK_GLOBAL_MEM_FENCE"));
    assert!(!fenced("CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE"));
    assert!(fenced("CLK_LOCAL_MEM_FENCE"));
}

#[test]
fn barriers_order_the_memory_that_their_flags_name() {
    let at_barrier = |data, group, flags: &str| {
        let barrier = format!("B1: barrier({flags});");
        races(data, "global atomic_int", group, &barrier, &barrier)
    };
    let (global, local) = ("CLK_GLOBAL_MEM_FENCE", "CLK_LOCAL_MEM_FENCE");
    assert!(!at_barrier("global int", 0, global));
    assert!(at_barrier("global int", 0, local));
    assert!(!at_barrier("local int", 0, local));
    assert!(at_barrier("local int", 0, global));
    assert!(!at_barrier("local int", 0, &format!("{global} | {local}")));
    assert!(at_barrier("global int", 1, global), "a barrier is one group's");
}

#[test]
fn store_buffering_needs_sequential_consistency_of_one_scope() {
    let seen = |order: &str| {
        let thread = |mine: &str, other: &str| {
            format!(
                "(global atomic_int* x, global atomic_int* y) {{ atomic_store_explicit({mine}, 1, {order}); \
                 int r0 = atomic_load_explicit({other}, {order}); }}"
            )
        };
        let text = format!(
            "OPENCL sb {{ [x] = 0; [y] = 0; }} P0@wg 0, dev 0 {} P1@wg 1, dev 0 {} exists (0:r0 = 0 /\\ 1:r0 = 0)",
            thread("x", "y"),
            thread("y", "x")
        );
        let test = read_opencl(&text).unwrap_or_else(|error| panic!("{error:?} in\n{text}"));
        test.decide(&OpenCl, Limits::default()).holds.expect("a litmus test is decided")
    };
    assert!(!seen("memory_order_seq_cst, memory_scope_device"));
    assert!(seen("memory_order_seq_cst, memory_scope_work_group"));
    assert!(seen("memory_order_relaxed, memory_scope_device"));
}
