//! Accesses that are recorded once for others: which, that no race is lost by it, and how many records it saves.

use lockstep_device::plan::{As, Known, Loops, Recorded};
use lockstep_finding::{ArgValue, Kind, Launch};
use lockstep_frontend::Input;

use crate::common::{BOTH, Built, Checked, build_known, options, run};

fn built(text: &str, known: Known) -> Built {
    let input = Input::Text { name: "k.cu", bytes: text.as_bytes() };
    build_known(input, &options(&[]), None, BOTH, None, |_| known.clone()).expect("it is built")
}

fn kernel(body: &str) -> String {
    format!(
        "__global__ void k(const float *in, float *out, int *count, int n) {{
    __shared__ float s[64];
    int t = threadIdx.x;
    {body}
}}"
    )
}

fn launch(grid: u32, block: u32, n: u32) -> Launch {
    let args = ["in=f32[64]:ones", "out=f32[64]", "count=i32[64]", &format!("n={n}")];
    let args = args.iter().map(|a| ArgValue::parse_assignment(a).expect("an argument")).collect();
    Launch { grid: [grid, 1, 1], block: [block, 1, 1], args, ..Launch::default() }
}

/// How each access is recorded, in the order of the code.
fn recorded(body: &str) -> Vec<Recorded> {
    let built = built(&kernel(body), Known::ArraysAreApart);
    built.archive.plan.checked.iter().map(|c| c.recorded).collect()
}

const EACH: Recorded = Recorded { loops: None, for_block: false };
const BLOCK: Recorded = Recorded { loops: None, for_block: true };

fn once(once: u32, around: u32) -> Recorded {
    Recorded { loops: Some(Loops { once, around }), for_block: false }
}

fn checked(body: &str, at: &Launch) -> Checked {
    run(&built(&kernel(body), Known::ArraysAreApart), at, true).expect("it runs")
}

/// A kernel with all accesses recorded, and with what can be recorded once.
struct Both {
    body: String,
    all: Built,
    once: Built,
}

impl Both {
    fn new(body: &str) -> Both {
        let built = |known| built(&kernel(body), known);
        let (all, once) = (built(Known::Nothing), built(Known::ArraysAreApart));
        Both { body: body.to_owned(), all, once }
    }

    /// Whether a race is found, by either scheme, with accesses recorded once; it must be as with all of them recorded.
    fn races(&self, at: &Launch) -> bool {
        let found = |built: &Built| {
            let checked = run(built, at, true).expect("it runs");
            assert_eq!(checked.incomplete, None);
            let races = checked.findings.iter().any(|f| f.kind == Kind::DataRace);
            assert_eq!(races, !checked.of_pairs.is_empty(), "{}", self.body);
            races
        };
        let with_all = found(&self.all);
        assert_eq!(found(&self.once), with_all, "{}, {:?}", self.body, at.block);
        with_all
    }
}

fn races(body: &str, at: &Launch) -> bool {
    Both::new(body).races(at)
}

#[test]
fn an_address_that_stays_is_recorded_once_for_the_loop() {
    let rounds = "for (int i = 0; i < n; ++i)";
    assert_eq!(recorded(&format!("{rounds} s[t] += 1;")), [once(1, 1), once(1, 1)]);
    assert_eq!(recorded(&format!("{rounds} s[t + i] = 1;")), [EACH]);
    assert_eq!(recorded(&format!("{rounds} if (i % 3 == t) s[t] = 1;")), [once(1, 1)]);
    let nested = |index: &str| format!("{rounds} for (int j = 0; j < i; ++j) s[{index}] = 1;");
    assert_eq!(recorded(&nested("t * 2")), [once(2, 2)]);
    assert_eq!(recorded(&nested("t + i")), [once(1, 2)]);
    assert_eq!(recorded(&nested("t + j")), [EACH]);
    assert_eq!(recorded(&format!("{rounds} atomicAdd(&count[t], 1);")), [once(1, 1)]);
    // What the index array holds may change from round to round.
    let through = recorded(&format!("{rounds} s[count[t]] = 1;"));
    assert_eq!(through[1], EACH);
}

#[test]
fn what_orders_threads_in_the_loop_keeps_it_recorded_each_time() {
    let with =
        |what: &str| recorded(&format!("for (int i = 0; i < n; ++i) {{ s[t] = 1; {what} }}"));
    assert_eq!(with("__threadfence();"), [once(1, 1)]);
    assert_eq!(with("__syncthreads();"), [EACH]);
    assert_eq!(with("__syncwarp();"), [EACH]);
    assert_eq!(with("atomicAdd(&count[t + i], 1);"), [once(1, 1), EACH]);
    assert_eq!(with("if (atomicAdd(&count[t + i], 1) == 3) break;")[0], EACH);
    assert_eq!(with("if (*(volatile int *)&count[t]) break;")[0], EACH);
    assert_eq!(with("atomicCAS(&count[0], 1, 2);").last(), Some(&EACH));
}

#[test]
fn what_all_threads_read_is_recorded_by_a_few() {
    // Reads of arrays that are only read are checked for their bounds.
    assert_eq!(recorded("out[t] = in[n];"), [BLOCK, EACH]);
    let tile = |read: &str| recorded(&format!("s[t] = 1; __syncthreads(); {read}"))[1];
    assert_eq!(tile("out[t] = s[n];"), BLOCK);
    // In a loop, one lane of each warp does, without being asked.
    assert_eq!(tile("for (int i = 0; i < n; ++i) out[t] += s[i];"), EACH);
    assert_eq!(tile("for (int i = 0; i < t; ++i) out[t] += s[i];"), EACH);
    assert_eq!(tile("if (t < n) out[t] = s[0];"), EACH);
    assert_eq!(tile("if (blockIdx.x < n) out[t] = s[blockIdx.x];"), BLOCK);
    assert_eq!(tile("out[t] = s[t / 32];"), EACH);
    // All threads come here again, but not with one value of i.
    assert_eq!(tile("int i = 0; while (in[t + i] > 0) ++i; out[t] = s[i];"), EACH);
    assert_eq!(tile("if (t >= n) return; out[t] = s[0];"), EACH);
    // All come to the read, on one of two ways that choose the element.
    let ways =
        "int i; if (t < n) { i = 1; out[t] = 1; } else { i = 2; out[t] = 2; } out[t] = s[i];";
    let read = recorded(&format!("s[t] = 1; __syncthreads(); {ways}"));
    assert_eq!(read.into_iter().nth_back(1), Some(EACH));
    let many = tile("for (int i = 0; i < n; ++i) out[t + i] = s[0];");
    assert_eq!(many, once(1, 1));
    assert_eq!(recorded("atomicAdd(count, 1);"), [BLOCK]);
    // A race of its own.
    assert_eq!(recorded("count[n] = 1;"), [EACH]);
}

#[test]
fn threads_that_may_differ_in_what_orders_them_record_each_for_itself() {
    let body = |what: &str| format!("{what} s[t] = 1; __syncthreads(); out[t] = s[0];");
    let read = |what: &str| recorded(&body(what)).into_iter().nth_back(1);
    assert_eq!(read(""), Some(BLOCK));
    assert_eq!(read("__syncwarp();"), Some(BLOCK));
    assert_eq!(read("if (t < 16) __syncwarp(0xffff);"), Some(EACH));
    assert_eq!(read("if (atomicAdd(count, 1) == 4) out[t] = 1;"), Some(EACH));
}

#[test]
fn everything_is_recorded_each_time_where_all_is_checked() {
    let body = kernel("for (int i = 0; i < n; ++i) s[t] += in[n];");
    let built = built(&body, Known::Nothing);
    assert!(built.archive.plan.recorded_once().next().is_none());
    assert!(built.archive.plan.checked.iter().all(|c| c.how != As::Bounds));
}

/// The race is between an access of a loop and one outside it, before it or behind it, whoever comes first.
#[test]
fn a_race_with_an_access_of_a_loop_is_found() {
    let at = launch(1, 64, 5);
    let add = "for (int i = 0; i < n; ++i) s[t] += in[i];";
    for barrier in ["", "__syncwarp();", "__syncthreads();"] {
        let is_racy = barrier != "__syncthreads();";
        assert_eq!(races(&format!("s[63 - t] = 1; {barrier} {add}"), &at), is_racy);
        assert_eq!(races(&format!("{add} {barrier} out[t] = s[63 - t];"), &at), is_racy);
    }
    // The second round of the outer loop is behind a barrier, and only it races.
    let rounds = |last: &str| {
        format!(
            "for (int r = 0; r < 2; ++r) {{
        for (int i = 0; i < n; ++i) s[t] += 1;
        if (r == 1) {{ {last} }}
        __syncthreads();
    }}"
        )
    };
    assert!(races(&rounds("out[t] = s[(t + 1) % 64];"), &at));
    assert!(!races(&rounds("out[t] = s[t];"), &at));
}

/// Only some rounds make the access: the first that does is recorded, and none where none does.
#[test]
fn an_access_that_some_rounds_make_is_recorded_when_it_is_made() {
    let body = "for (int i = 0; i < n; ++i) if (i == 3 + t / 32) s[0] = t;";
    assert!(races(body, &launch(1, 64, 5)));
    // One thread comes so far; or none.
    assert!(!races(body, &launch(1, 1, 5)));
    assert!(!races(body, &launch(1, 64, 3)));
    assert!(!races("for (int i = 0; i < n; ++i) s[0] = t;", &launch(1, 64, 0)));
    assert!(races("for (int i = 0; i < n; ++i) s[0] = t;", &launch(1, 64, 1)));
}

/// The thread that conflicts with what all read is each of a block in turn, with one warp and with several.
#[test]
fn a_race_with_what_all_threads_read_is_found_whoever_makes_it() {
    let write = "if (t == n) s[7] = 1;";
    for body in [format!("{write} out[t] = s[7];"), format!("out[t] = s[7]; {write}")] {
        let both = Both::new(&body);
        for threads in [1, 2, 32, 33, 64] {
            for writer in [0, 1, 2, 31, 32, 33, 63] {
                let is_racy = writer < threads && threads > 1;
                assert_eq!(both.races(&launch(1, threads, writer)), is_racy);
            }
        }
    }
}

#[test]
fn a_barrier_of_the_warp_orders_what_all_threads_read_in_one_warp_only() {
    let both = Both::new("if (t == n) s[7] = 1; __syncwarp(); out[t] = s[7];");
    for (threads, writer) in [(32, 0), (32, 1), (32, 9), (64, 0), (64, 1), (64, 9), (64, 33)] {
        assert_eq!(both.races(&launch(1, threads, writer)), threads > 32, "{threads} {writer}");
    }
    let block = "if (t == n) s[7] = 1; __syncthreads(); out[t] = s[7];";
    assert!(!races(block, &launch(1, 64, 33)));
}

#[test]
fn blocks_race_for_what_all_threads_read() {
    let body = "if (t == 40 && blockIdx.x == 1) out[n] = 1; count[t + 64 * blockIdx.x] = out[n];";
    let mut at = launch(2, 64, 9);
    at.args[2] = ArgValue::parse_assignment("count=i32[128]").expect("an argument");
    let apart = body.replace("t == 40", "t < 0").replace("out[n] = 1", "out[n + 1] = 1");
    assert!(!races(&apart, &at));
    assert!(races(body, &at));
    let adds = "atomicAdd(count, 1);";
    assert!(!races(adds, &launch(2, 64, 0)));
    assert!(races(
        &format!("{adds} if (t == 33 && blockIdx.x == 1) *count = 2;"),
        &launch(2, 64, 0)
    ));
}

/// The scheme `statement` writes down what is recorded: so its records are counted.
#[test]
fn there_are_fewer_records() {
    let records = |body: &str, known: Known, at: &Launch| {
        run(&built(&kernel(body), known), at, true).expect("it runs").records
    };
    let both = |body: &str, at: &Launch| {
        (records(body, Known::Nothing, at), records(body, Known::ArraysAreApart, at))
    };
    // Each of 64 threads writes to its neighbour's place in each of 9 rounds, and reads its own before them.
    let rounds = "out[t] = s[t]; for (int i = 0; i < n; ++i) s[(t + 1) % 64] = 1;";
    let (all, once) = both(rounds, &launch(1, 64, 9));
    assert!(all > once && once > 0, "{all} {once}");
    assert_eq!(all % 10, 0, "a read and nine writes of each place");
    assert_eq!(once, all / 5, "a read and a write of each place");
    // All read what one writes.
    let read = "if (t == 5) s[3] = 1; out[t] = s[3];";
    assert_eq!(both(read, &launch(1, 64, 0)), (1 + 64, 1 + 4));
    assert_eq!(both(read, &launch(1, 32, 0)), (1 + 32, 1 + 2));
}

#[test]
fn bounds_are_told_where_they_are_looked_at_once() {
    let outside = |body: &str, n: u32| {
        let found = checked(body, &launch(1, 64, n)).findings;
        found.iter().filter(|f| f.kind == Kind::OutOfBounds).count()
    };
    assert_eq!(outside("out[t] = in[n];", 63), 0);
    assert_eq!(outside("out[t] = in[n];", 64), 1);
    assert_eq!(outside("for (int i = 0; i < 4; ++i) s[t] += in[n + t];", 0), 0);
    assert_eq!(outside("for (int i = 0; i < 4; ++i) s[t] += in[n + t];", 1), 1);
}
