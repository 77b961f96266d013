//! Barriers that some threads of a block have left behind. That some wait at one barrier while others wait at another one,
//! the simulator ends the launch for; that is seen on a GPU only (`tests/barrier-divergence`, by `scripts/on-a-gpu.sh`).

use lockstep_device::report::missed;
use lockstep_finding::{ArgValue, Kind, Launch};
use lockstep_frontend::Input;

use crate::common::{BOTH, build, options, run};

/// The lines of barriers that are told of, in a block of 64 threads, and how many threads had come.
fn told(text: &str) -> Vec<(u32, u32)> {
    let input = Input::Text { name: "k.cu", bytes: text.as_bytes() };
    let built = build(input, &options(&[]), None, BOTH, None).expect("it is built");
    let args = vec![ArgValue::parse_assignment("a=i32[64]").expect("an argument")];
    let launch = Launch { grid: [1, 1, 1], block: [64, 1, 1], args, ..Launch::default() };
    let checked = run(&built, &launch, true).expect("it runs");
    let told = checked.findings.iter().filter(|f| f.kind == Kind::BarrierDivergence);
    let lines = told.map(|f| f.accesses[0].place.line);
    let arrived = missed(&built.archive.plan, &checked.words).into_iter().map(|m| m.arrived);
    lines.zip(arrived).collect()
}

#[test]
fn threads_that_have_left_are_missed() {
    let text = "__global__ void k(int *a) {
    if (LEAVES) return;
    __syncthreads();
    a[threadIdx.x] = 1;
}";
    assert_eq!(told(&text.replace("LEAVES", "a[0] == 1")), []);
    assert_eq!(told(&text.replace("LEAVES", "threadIdx.x >= 40")), [(3, 40)]);
}

#[test]
fn barriers_in_loops_are_told_apart_by_their_number() {
    let text = "__global__ void k(int *a) {
    for (int i = 0; i < ROUNDS; ++i) {
        __syncthreads();
        a[threadIdx.x] += i;
    }
}";
    assert_eq!(told(&text.replace("ROUNDS", "5")), []);
    assert_eq!(told(&text.replace("ROUNDS", "threadIdx.x / 32 + 1")), [(3, 32)]);
}
