//! The kernels that are launched on a real GPU under stress (`tests/device/stress.cu`): where a fence is missing, the memory model has
//! an execution that goes wrong, whether or not a GPU shows it.

use lockstep_fences::{Limits, examine};

use crate::rows::{kernel, launch};

/// Kernel, and the launch at which it is explored: blocks and threads.
const KERNELS: [(&str, (u32, u32)); 6] = [
    ("message", (2, 1)),
    ("last_block", (3, 1)),
    ("last_block_barrier", (2, 2)),
    ("locked", (3, 1)),
    ("queue", (2, 1)),
    ("chained", (3, 1)),
];

#[test]
fn each_missing_fence_is_found_at_once() {
    for (name, at) in KERNELS {
        for (release, acquire) in [(true, true), (true, false), (false, true), (false, false)] {
            let kernel =
                kernel("../device/stress.cu", &format!("{name}<{release}, {acquire}>"), "APART=2");
            let answer = examine(&kernel, &[launch(&kernel, at)], &Limits::default());
            let right = release && acquire;
            assert!(answer.faults.is_empty(), "{name}: fences are all that is missing");
            assert_eq!(
                answer.missing.is_none(),
                right,
                "{name}, with a release {release}, an acquire {acquire}"
            );
            assert!(!right || answer.exhaustive(), "{name} is explored to its end");
        }
    }
}
