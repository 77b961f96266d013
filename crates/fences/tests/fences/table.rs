//! Kernels that synchronise through memory: each right, with a release or an acquire missing, with too narrow a scope, and
//! with a fence too many. What is expected was decided by the model of PTX or OpenCL, by hand.
//!
//! Fences stand at lines that a comment marks: `// release`. An expectation names the mark, and an answer is there if the
//! fence belongs between the access before the marked line and the one behind it.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;

use lockstep_fences::{
    Answer, Arg, Launch, Limits, Remedy, Spot, Worth, Wrong, communicates, examine,
    small_dimensions, specialise,
};
use lockstep_frontend::{Input, Options, load};
use lockstep_kernel::{Kernel, Loc, ParamKind, Scheduling, SiteId, SiteKind};

fn path(file: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernels").join(file)
}

fn kernel(file: &str, name: &str, defines: &str) -> Kernel {
    let mut clang_args: Vec<std::ffi::OsString> =
        defines.split(';').filter(|d| !d.is_empty()).map(|d| format!("-D{d}").into()).collect();
    if file.ends_with(".cl") {
        clang_args.push("-cl-std=CL2.0".into());
    }
    let options = Options { clang_args, ..Options::default() };
    let module = load(Input::Path(&path(file)), &options).unwrap_or_else(|e| panic!("{file}: {e}"));
    let found = module.kernels.into_iter().find(|kernel| kernel.name == name);
    found.unwrap_or_else(|| panic!("{file} has no kernel {name}"))
}

/// A launch whose arrays have 16 zeros.
fn launch(kernel: &Kernel, (grid, block): (u32, u32)) -> Launch {
    let arg = |kind: ParamKind| match kind {
        ParamKind::Buffer { .. } => Arg::Buffer(vec![0; 64]),
        ParamKind::Scalar { count, .. } => Arg::Scalar(vec![1; count as usize]),
        ParamKind::Local { .. } => Arg::Local(64),
        ParamKind::Aggregate { size, .. } => Arg::Aggregate(vec![0; size as usize]),
    };
    Launch {
        grid: [grid, 1, 1],
        block: [block, 1, 1],
        warp_size: 32,
        scheduling: Scheduling::Independent,
        shared: 64,
        args: kernel.params.iter().map(|param| arg(param.kind)).collect(),
    }
}

/// The line in the file itself that an operation stands at.
fn line(kernel: &Kernel, site: SiteId) -> u32 {
    let chain: Vec<&Loc> = kernel.loc_chain(kernel.site(site).loc).collect();
    chain.last().expect("a place").line
}

/// The mark that a place for a fence belongs to: no access stands between them.
fn mark(file: &str, kernel: &Kernel, spot: Spot) -> String {
    let text = std::fs::read_to_string(path(file)).expect("the file is there");
    let begin = kernel.loc(kernel.loc).line as usize;
    let marks = text
        .lines()
        .enumerate()
        .skip(begin)
        .filter_map(|(i, text)| Some((i as u32 + 1, text.split_once("// ")?.1.to_string())));
    let is_access =
        |site: &SiteId| !matches!(kernel.site(*site).kind, SiteKind::Fence | SiteKind::Barrier);
    let sites = (0..kernel.sites.len() as u32).map(SiteId).filter(is_access);
    let lines: BTreeSet<u32> = sites.map(|site| line(kernel, site)).collect();
    let here = line(kernel, spot.site());
    let belongs = |mark: u32| match spot {
        Spot::Before(_) => lines.range(mark..).next() == Some(&here),
        Spot::After(_) => lines.range(..=mark).next_back() == Some(&here),
    };
    let found: Vec<String> = marks.filter(|(at, _)| belongs(*at)).map(|(_, mark)| mark).collect();
    let side = if matches!(spot, Spot::Before(_)) { "before" } else { "after" };
    found.first().cloned().unwrap_or_else(|| format!("{side} line {here}"))
}

/// An answer in a few words.
fn told(file: &str, kernel: &Kernel, answer: &Answer) -> String {
    let mut words = Vec::new();
    for launch in &answer.launches {
        if let Err(outside) = launch {
            words.push(format!("outside: {outside}"));
        }
    }
    words.extend(answer.open.iter().map(|_| "open".to_string()));
    for fault in &answer.faults {
        words.push(match fault.wrong {
            Wrong::Race(..) => "race".to_string(),
            Wrong::Hang(_) => "hang".to_string(),
            Wrong::Assertion(_) => "assertion".to_string(),
        });
    }
    if let Some(missing) = &answer.missing {
        assert!(missing.verified, "{file}: remedies are tried in the kernel");
        for remedy in &missing.remedies {
            words.push(match *remedy {
                Remedy::Insert { spot, scope, .. } => {
                    format!("insert {scope} at {}", mark(file, kernel, spot))
                }
                Remedy::Widen { site, scope, .. } => {
                    format!("widen to {scope} at {}", mark_at(file, line(kernel, site)))
                }
                Remedy::Flags { site } => format!("flags at line {}", line(kernel, site)),
                Remedy::Reach { site, scope } => {
                    format!("reach the {scope} at line {}", line(kernel, site))
                }
            });
        }
    }
    for fence in &answer.fences {
        let at = || mark_at(file, line(kernel, fence.site));
        match fence.worth {
            Worth::Redundant => words.push(format!("redundant at {}", at())),
            Worth::TooWide(scope) => words.push(format!("{scope} is enough at {}", at())),
            Worth::Undecided => words.push(format!("undecided at {}", at())),
            Worth::Needed => {}
        }
    }
    if words.is_empty() && answer.exhaustive() {
        words.push("proved".into());
    }
    words.sort();
    words.dedup();
    words.join(", ")
}

fn mark_at(file: &str, line: u32) -> String {
    let text = std::fs::read_to_string(path(file)).expect("the file is there");
    let marked = text.lines().nth(line as usize - 1).and_then(|text| text.split_once("// "));
    marked.map_or(format!("line {line}"), |(_, mark)| mark.to_string())
}

/// File, kernel, launches (blocks, threads), macros, answer.
type Row = (&'static str, &'static str, &'static [(u32, u32)], &'static str, &'static str);

const BLOCKS: &[(u32, u32)] = &[(2, 1)];
const THREADS: &[(u32, u32)] = &[(1, 2)];
const THREE: &[(u32, u32)] = &[(3, 1)];
const WARPS: &[(u32, u32)] = &[(2, 2)];
const LARGE: &[(u32, u32)] = &[(4, 128)];
const BOTH: &[(u32, u32)] = &[(2, 1), (2, 2)];

const NARROW: &str = "RELEASE=__threadfence_block()";
const NARROW_ACQUIRE: &str = "ACQUIRE=__threadfence_block()";
const MORE: &str = "MORE=__threadfence()";
const WIDE: &str = "RELEASE=__threadfence_system()";

/// Kernels of which a fence of the whole device is needed at the marks `release` and `acquire`, and that have no more.
const PATTERNS: &[(&str, &str, &[(u32, u32)])] = &[
    ("message.cu", "by_atomics", BLOCKS),
    ("message.cu", "by_volatile", BLOCKS),
    ("locks.cu", "spin_lock", BLOCKS),
    ("locks.cu", "backing_off", BLOCKS),
    ("locks.cu", "ticket_lock", BLOCKS),
    ("locks.cu", "volatile_unlock", BLOCKS),
    ("locks.cu", "semaphore", BLOCKS),
    ("last_block.cu", "one_thread", BLOCKS),
    ("last_block.cu", "whole_block", BOTH),
    ("grid.cu", "grid_barrier", BLOCKS),
    ("grid.cu", "look_back", BLOCKS),
    ("grid.cu", "split_k", BOTH),
    ("queue.cu", "one_producer", BLOCKS),
    ("queue.cu", "slots", BLOCKS),
    ("structures.cu", "hash_table", BLOCKS),
    ("structures.cu", "list", BLOCKS),
    ("structures.cu", "once", BLOCKS),
    ("structures.cu", "latch", BLOCKS),
    ("structures.cu", "ping_pong", BLOCKS),
    ("structures.cu", "ring", BLOCKS),
    ("structures.cu", "dataflow", BLOCKS),
    ("structures.cu", "generations", BLOCKS),
    ("structures.cu", "told_by_barrier", BOTH),
    ("published.cu", "dot", BOTH),
];

fn pattern_rows() -> Vec<Row> {
    let variants = [
        ("", "proved"),
        ("RELEASE=", "insert device at release"),
        ("ACQUIRE=", "insert device at acquire"),
        ("RELEASE=;ACQUIRE=", "insert device at acquire, insert device at release"),
        (NARROW, "widen to device at release"),
        (NARROW_ACQUIRE, "widen to device at acquire"),
        (MORE, "redundant at more"),
        (WIDE, "device is enough at release"),
    ];
    let mut rows = Vec::new();
    for &(file, kernel, launches) in PATTERNS {
        rows.extend(variants.map(|(defines, answer)| (file, kernel, launches, defines, answer)));
    }
    rows
}

/// The rest, one by one.
const ROWS: &[Row] = &[
    ("block.cu", "hand_over", THREADS, "", "proved"),
    ("block.cu", "hand_over", THREADS, "RELEASE=", "insert block at release"),
    ("block.cu", "hand_over", THREADS, "ACQUIRE=", "insert block at acquire"),
    ("block.cu", "hand_over", THREADS, "RELEASE=__threadfence()", "block is enough at release"),
    ("block.cu", "hand_over", THREADS, "MORE=__threadfence_block()", "redundant at more"),
    ("orders.cu", "inline_ptx", BLOCKS, "", "proved"),
    ("orders.cu", "inline_ptx", BLOCKS, "STORE=\"st.relaxed.gpu.s32\"", "insert device at release"),
    ("orders.cu", "inline_ptx", BLOCKS, "LOAD=\"ld.relaxed.gpu.s32\"", "insert device at acquire"),
    (
        "orders.cu",
        "inline_ptx",
        BLOCKS,
        "STORE=\"st.release.cta.s32\"",
        "reach the device at line 12",
    ),
    ("single.cu", "compaction", THREE, "", "proved"),
    ("single.cu", "histogram", BLOCKS, "", "race"),
    ("single.cu", "add_double", BLOCKS, "", "proved"),
    ("single.cu", "never_set", BLOCKS, "", "hang"),
    ("single.cu", "crossed_locks", BLOCKS, "", "hang"),
    ("single.cu", "nobody_reads", BLOCKS, "", "redundant at line 45"),
    ("single.cu", "before_barrier", THREADS, "", "redundant at line 52"),
    ("single.cu", "asserted", BLOCKS, "RIGHT", "proved"),
    ("single.cu", "asserted", BLOCKS, "", "insert device at acquire, insert device at release"),
    ("single.cu", "peterson", BLOCKS, "RIGHT", "proved"),
    ("single.cu", "peterson", BLOCKS, "", "open"),
    ("single.cu", "warp_draws", WARPS, "", "proved"),
    ("single.cu", "failed_swap", THREADS, "", "proved"),
    ("single.cu", "absent_lane", THREADS, "", ABSENT),
    ("single.cu", "vote_only", THREADS, "", "race"),
    ("single.cu", "warp_barrier", THREADS, "", "proved"),
    ("single.cu", "vectors", BLOCKS, "", "proved"),
    ("single.cu", "vectors", BLOCKS, "WRONG", "insert device at acquire"),
    ("single.cu", "tries", BLOCKS, "", "proved"),
    ("single.cu", "gives_up", BLOCKS, "", ""),
    ("single.cu", "whole_grid", BOTH, "", "proved"),
    ("single.cu", "whole_grid", BOTH, "SKIPS", "hang"),
    ("single.cu", "some_of_many", LARGE, "", "proved"),
    ("single.cu", "some_of_many", LARGE, "WRONG", "insert device at acquire"),
    ("single.cu", "clocked", BLOCKS, "", "outside: a branch depends on the clock"),
    ("single.cu", "pointers", BLOCKS, "", ADDRESS),
    (
        "single.cu",
        "half_words",
        BLOCKS,
        "",
        "outside: accesses of different sizes overlap in 'word'",
    ),
    ("single.cu", "unwritten", BLOCKS, "", UNWRITTEN),
    ("published.cu", "scan", THREE, "", "proved"),
    ("published.cu", "scan", THREE, "RELEASE=", "insert device at release"),
    ("published.cu", "scan", THREE, "ACQUIRE=", "insert device at acquire"),
    ("published.cu", "scan", THREE, NARROW, "widen to device at release"),
    ("published.cu", "scan", THREE, NARROW_ACQUIRE, "widen to device at acquire"),
    ("published.cu", "scan", THREE, MORE, "redundant at more"),
    // With two blocks, nobody comes to what the first fence is for.
    ("published.cu", "scan", BLOCKS, "", "undecided at release"),
    ("published.cu", "packed_scan", THREE, "", "proved"),
    ("published.cu", "packed_scan", THREE, MORE, "redundant at more"),
    ("computes.cu", "computes", BLOCKS, "VALUE=13", "proved"),
    ("computes.cu", "computes", BLOCKS, "VALUE=-9", "proved"),
    ("computes.cu", "computes", BLOCKS, "VALUE=2147483647", "proved"),
    ("computes.cu", "computes", BLOCKS, "VALUE=13;WRONG=1", "assertion"),
    ("computes.cu", "hands", THREADS, "VALUE=0", "proved"),
    ("computes.cu", "hands", THREADS, "VALUE=0;WRONG=1", "assertion"),
    ("opencl.cl", "by_order", BLOCKS, "", "proved"),
    ("opencl.cl", "by_order", BLOCKS, "STORE=memory_order_relaxed", "insert device at release"),
    ("opencl.cl", "by_order", BLOCKS, "LOAD=memory_order_relaxed", "insert device at acquire"),
    (
        "opencl.cl",
        "by_order",
        BLOCKS,
        "SCOPE=memory_scope_work_group",
        "reach the device at line 28",
    ),
    ("opencl.cl", "by_fences", BLOCKS, "", "proved"),
    ("opencl.cl", "by_fences", BLOCKS, "RELEASE=", "insert device at release"),
    ("opencl.cl", "by_fences", BLOCKS, "ACQUIRE=", "insert device at acquire"),
    ("opencl.cl", "by_fences", BLOCKS, "MORE=mem_fence(CLK_GLOBAL_MEM_FENCE)", "redundant at more"),
    ("opencl.cl", "by_fences", BLOCKS, LOCAL_FENCE, "widen to device at release"),
    ("opencl.cl", "by_barrier", THREADS, "", "proved"),
    ("opencl.cl", "by_barrier", THREADS, "FLAGS=CLK_LOCAL_MEM_FENCE", "flags at line 54"),
];

const ADDRESS: &str = "outside: an address comes from values that other threads write, and it is not known which array it \
                       points into";
const ABSENT: &str = "outside: a branch depends on a variable without a value";
const UNWRITTEN: &str = "outside: a branch depends on memory that was never written";
const LOCAL_FENCE: &str = "RELEASE=mem_fence(CLK_LOCAL_MEM_FENCE)";

fn check(rows: &[Row]) {
    let mut wrong = Vec::new();
    for &(file, name, launches, defines, expected) in rows {
        let kernel = kernel(file, name, defines);
        let launches: Vec<Launch> = launches.iter().map(|&at| launch(&kernel, at)).collect();
        let begin = Instant::now();
        let answer = examine(&kernel, &launches, &Limits::default());
        let time = begin.elapsed().as_secs_f64() * 1e3;
        let told = told(file, &kernel, &answer);
        let seen = answer.launches.iter().flatten();
        let executions: Vec<u64> = seen.map(|explored| explored.executions).collect();
        println!("{name:16} {defines:32} {time:9.1} ms  {executions:?}  {told}");
        if told != expected {
            println!("    but expected: {expected}");
            for launch in &launches {
                if let Ok(communication) = specialise(&kernel, launch, &Limits::default()) {
                    println!("{}", communication.program);
                }
            }
            wrong.push(format!("{name} {defines}: {told}, not {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn patterns_are_told_apart() {
    check(&pattern_rows());
}

#[test]
fn other_ways_are_told_apart() {
    check(ROWS);
}

#[test]
fn small_launches_are_within_what_is_given() {
    let kernel = kernel("message.cu", "by_atomics", "");
    assert!(communicates(&kernel));
    let all = small_dimensions(&kernel, None);
    assert_eq!(all.first(), Some(&([2, 1, 1], [1, 1, 1])));
    assert_eq!(all.len(), 4);
    let one_block = small_dimensions(&kernel, Some(([1, 1, 1], [1, 64, 1])));
    assert_eq!(one_block, [([1, 1, 1], [1, 2, 1])]);
}

/// The execution that shows a fault: each thread's steps in its order, who reads from whom, and what races.
#[test]
fn a_fault_comes_with_its_timeline() {
    let kernel = kernel("message.cu", "by_atomics", "RELEASE=");
    let answer = examine(&kernel, &[launch(&kernel, (2, 1))], &Limits::default());
    let missing = answer.missing.expect("a fence is missing");
    let [fault] = &missing.faults[..] else { panic!("{:?}", missing.faults) };
    let explored = answer.launches[fault.launch].as_ref().expect("it was explored");
    let told: Vec<String> = fault
        .timeline
        .iter()
        .enumerate()
        .filter_map(|(index, step)| {
            let block = explored.threads[step.thread?].block_number;
            let place = step.place.map(|place| explored.places[place].object.as_str());
            let value = step.value.map_or(String::new(), |value| format!(" {value}"));
            let mark = if fault.marked.contains(&index) { "!" } else { "" };
            Some(format!("{block}: {:?} {}{value}{mark}", step.action, place.unwrap_or("-")))
        })
        .collect();
    // The flag is seen, and the data is not.
    let expected = [
        "0: Write data 42!",
        "0: Read flag 0",
        "0: Write flag 1",
        "1: Read flag 1",
        "1: Write flag 1",
        "1: Fence -",
        "1: Read data 0!",
    ];
    assert_eq!(told, expected);
    let read = fault.timeline.last().expect("there are steps");
    let from = read.from.expect("it has read something");
    assert_eq!(fault.timeline[from].thread, None, "what memory held at first");
    assert!(!fault.rests_on_uninitialised);
}

/// How the work grows with the launch: `cargo test --release -p lockstep-fences --test fences -- --ignored growth --nocapture`.
#[test]
#[ignore = "prints a table"]
fn growth() {
    for &(file, name, _) in PATTERNS {
        let kernel = kernel(file, name, "");
        for at in [(2, 1), (1, 2), (3, 1), (2, 2)] {
            let begin = Instant::now();
            let answer = examine(&kernel, &[launch(&kernel, at)], &Limits::default());
            let time = begin.elapsed().as_secs_f64() * 1e3;
            let seen = answer.launches.iter().flatten();
            let work: Vec<_> = seen.map(|e| (e.executions, e.judgements, &e.cut)).collect();
            let told = told(file, &kernel, &answer);
            println!("{name:16} {at:?} {time:9.1} ms {work:?} {told}");
        }
    }
}
