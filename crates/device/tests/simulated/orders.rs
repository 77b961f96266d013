//! What cells decide, on small kernels: each order right, and with the order missing.

use lockstep_device::abi::Level;
use lockstep_device::plan::Spaces;
use lockstep_device::report::{Gap, gaps};
use lockstep_finding::{ArgValue, Confidence, Kind, Launch};
use lockstep_frontend::Input;
use lockstep_simulate::bind;

use crate::common::{BOTH, Built, Checked, build, options, run};

fn built(text: &str, spaces: Spaces) -> Built {
    let input = Input::Text { name: "k.cu", bytes: text.as_bytes() };
    build(input, &options(&[]), None, spaces, None).expect("it is built")
}

fn launch(grid: u32, block: u32, args: &[&str]) -> Launch {
    let args = args.iter().map(|a| ArgValue::parse_assignment(a).expect("an argument")).collect();
    Launch { grid: [grid, 1, 1], block: [block, 1, 1], args, ..Launch::default() }
}

fn checked(text: &str, launch: &Launch) -> Checked {
    run(&built(text, BOTH), launch, true).expect("it runs")
}

/// The lines of what is found.
fn lines(text: &str, launch: &Launch) -> Vec<u32> {
    let found = checked(text, launch).findings;
    found.iter().flat_map(|f| &f.accesses).map(|a| a.place.line).collect()
}

const ROTATE: &str = "__global__ void k(int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    BARRIER
    out[t] = s[(t + 1) % 64];
}";

#[test]
fn a_barrier_orders_warps_and_lanes() {
    let at = launch(1, 64, &["out=i32[64]"]);
    assert!(lines(&ROTATE.replace("BARRIER", "__syncthreads();"), &at).is_empty());
    let racy = checked(&ROTATE.replace("BARRIER", ";"), &at);
    assert!(!racy.findings.is_empty());
    for finding in &racy.findings {
        assert_eq!((finding.kind, finding.confidence), (Kind::DataRace, Confidence::Confirmed));
        // Whichever of the two comes second.
        assert!([4, 6].contains(&finding.accesses[0].place.line));
        let memory = finding.memory.as_ref().expect("its memory");
        assert_eq!(memory.object.as_deref(), Some("s"));
    }
    let warp = checked(&ROTATE.replace("BARRIER", "__syncwarp();"), &at);
    let levels: Vec<_> = warp.rows.iter().filter_map(|r| r.level).collect();
    assert!(!levels.is_empty());
    assert!(levels.iter().all(|l| *l == Level::Block), "a barrier of the warp orders its lanes");
}

#[test]
fn a_cell_outlives_no_barrier_however_many_there_are() {
    // More barriers than a cell of shared memory can count.
    let text = "__global__ void k(int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    for (int i = 0; i < 600; ++i) {
        if (i % 255 == t % 7) s[(t + i) % 64] = t;
        __syncthreads();
    }
    out[t] = s[t];
}";
    assert!(lines(text, &launch(1, 64, &["out=i32[64]"])).is_empty());
}

#[test]
fn what_is_lost_is_said() {
    let text = "__global__ void k(int *out) {
    for (int i = 0; i < 70; ++i) __syncwarp();
    out[threadIdx.x] = 1;
}";
    let at = launch(1, 32, &["out=i32[32]"]);
    let k = built(text, BOTH);
    let found = run(&k, &at, true).expect("it runs");
    let bound = bind::bind(&k.archive.kernel, &at).expect("it is bound");
    assert_eq!(gaps(&found.words, &bound), [Gap::TimesLost]);
}

#[test]
fn blocks_are_ordered_by_nothing() {
    let text = "__global__ void k(int *a) {
    a[threadIdx.x / 2 + blockIdx.x * GAP] = 1;
}";
    let at = launch(2, 2, &["a=i32[64]"]);
    let apart = text.replace("GAP", "32").replace(" / 2", "");
    assert!(lines(&apart, &at).is_empty());
    let same = text.replace("GAP", "0").replace(" / 2", "");
    let found = checked(&same, &at);
    let levels: Vec<_> = found.rows.iter().filter_map(|r| r.level).collect();
    assert_eq!(levels, [Level::Grid]);
    let who = found.rows[0].before.expect("who was there");
    assert_eq!((who.block, who.thread), (Some(0), Some(0)));
}

#[test]
fn bytes_are_told_apart() {
    let text = "__global__ void k(char *a) { a[threadIdx.x / STEP] = 1; }";
    let at = launch(1, 64, &["a=i8[64]"]);
    assert!(lines(&text.replace("STEP", "1"), &at).is_empty());
    assert_eq!(lines(&text.replace("STEP", "2"), &at), [1]);
}

#[test]
fn atomics_go_together_and_not_with_others() {
    let text = "__global__ void k(int *a) {
    atomicAdd(a, 1);
    if (threadIdx.x == 40) OTHER;
}";
    let at = launch(2, 64, &["a=i32[1]"]);
    assert!(lines(&text.replace("OTHER", "atomicMax(a, 3)"), &at).is_empty());
    assert!(!lines(&text.replace("OTHER", "*a = 3"), &at).is_empty());
    let narrow = text.replace("atomicAdd(a", "atomicAdd_block(a").replace("OTHER", "");
    let found = checked(&narrow.replace("if (threadIdx.x == 40)", ""), &at);
    let levels: Vec<_> = found.rows.iter().filter_map(|r| r.level).collect();
    assert_eq!(levels, [Level::Scope]);
}

#[test]
fn an_atomic_that_may_order_makes_it_possible() {
    let text = "__device__ unsigned arrived;
__global__ void k(int *a, int *out) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        a[blockIdx.x] = 1;
        __threadfence();
        last = atomicAdd(&arrived, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) out[threadIdx.x] = a[threadIdx.x];
}";
    let at = launch(4, 4, &["a=i32[4]", "out=i32[4]"]);
    let found = checked(text, &at).findings;
    assert!(!found.is_empty());
    assert!(found.iter().all(|f| f.confidence == Confidence::Possible), "{found:?}");
}

#[test]
fn what_a_lane_learns_its_warp_may_know_behind_a_barrier() {
    let text = "__device__ unsigned drawn;
__global__ void k(int *a, int *out) {
    __shared__ unsigned rank;
    int t = threadIdx.x;
    if (t == 0) {
        a[blockIdx.x] = 1;
        __threadfence();
        rank = atomicAdd(&drawn, 1);
        __threadfence();
    }
    __syncwarp();
    if (t == 1 && rank == 1) out[0] = a[1 - blockIdx.x];
}";
    let found = checked(text, &launch(2, 32, &["a=i32[2]", "out=i32[1]"])).findings;
    assert!(found.iter().all(|f| f.confidence == Confidence::Possible), "{found:?}");
}

#[test]
fn accesses_beyond_an_array_are_told() {
    let text = "__global__ void k(int *a) {
    __shared__ int s[8], r[8];
    r[threadIdx.x] = 2;
    s[threadIdx.x + BEYOND] = 1;
    a[threadIdx.x + BEYOND] = 1;
}";
    let at = launch(1, 8, &["a=i32[8]"]);
    assert!(lines(&text.replace("BEYOND", "0"), &at).is_empty());
    let found = checked(&text.replace("BEYOND", "1"), &at).findings;
    let outside = found.iter().filter(|f| f.kind == Kind::OutOfBounds);
    let mut lines: Vec<u32> = outside.map(|f| f.accesses[0].place.line).collect();
    lines.sort();
    assert_eq!(lines, [4, 5]);
}

#[test]
fn only_what_was_asked_for_is_checked() {
    let text = "__global__ void k(int *a) {
    __shared__ int s[1];
    s[0] = threadIdx.x;
    a[0] = threadIdx.x;
}";
    let at = launch(1, 64, &["a=i32[1]"]);
    let of = |spaces: Spaces| -> Vec<u32> {
        let found = run(&built(text, spaces), &at, true).expect("it runs").findings;
        found.iter().map(|f| f.accesses[0].place.line).collect()
    };
    assert_eq!(of(Spaces { shared: true, global: false }), [3]);
    assert_eq!(of(Spaces { shared: false, global: true }), [4]);
}
