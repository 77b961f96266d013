//! Kernels that synchronise through memory, the launches at which they are explored, and the answer for each: for the tests
//! and for measurements of time.

use std::path::{Path, PathBuf};

use lockstep_fences::{Answer, Arg, Launch, Worth};
use lockstep_frontend::{Input, Options, load};
use lockstep_kernel::{Kernel, Param, ParamKind, Scheduling};

pub(crate) fn path(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fences/tests/kernels").join(file)
}

pub(crate) fn kernel(file: &str, name: &str, defines: &str) -> Kernel {
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

/// What arrays hold at first, by the names of their parameters: inputs are small numbers, an earlier launch has left the states
/// of tiles, and all else is zero.
pub(crate) fn contents(name: &str) -> [u32; 16] {
    let number = |i: usize| ((7 * i + 3) % 5) as u32;
    let float = |i: usize| (number(i) as f32).to_bits();
    match name {
        "in" => std::array::from_fn(number),
        "x" | "y" | "numbers" | "points" | "centres" | "centre" | "cost" | "heat" | "power" => {
            std::array::from_fn(float)
        }
        "state" => [2; 16],
        _ => [0; 16],
    }
}

pub(crate) fn bytes(name: &str) -> Vec<u8> {
    contents(name).iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// A launch whose arrays have 16 words.
pub(crate) fn launch(kernel: &Kernel, (grid, block): (u32, u32)) -> Launch {
    let arg = |param: &Param| match param.kind {
        ParamKind::Buffer { .. } => Arg::Buffer(bytes(&param.name)),
        ParamKind::Scalar { count, .. } => Arg::Scalar(vec![1; count as usize]),
        ParamKind::Local { .. } => Arg::Local(64),
        ParamKind::Aggregate { size, .. } => Arg::Aggregate(vec![0; size as usize]),
    };
    Launch {
        grid: [grid, 1, 1],
        block: [block, 1, 1],
        global: None,
        warp_size: 32,
        scheduling: Scheduling::Independent,
        shared: 64,
        args: kernel.params.iter().map(arg).collect(),
    }
}

/// File, kernel, launches (blocks, threads), macros, answer.
pub(crate) type Row =
    (&'static str, &'static str, &'static [(u32, u32)], &'static str, &'static str);

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
pub(crate) const PATTERNS: &[(&str, &str, &[(u32, u32)])] = &[
    ("message.cu", "by_atomics", BLOCKS),
    ("message.cu", "by_volatile", BLOCKS),
    ("locks.cu", "spin_lock", BLOCKS),
    ("locks.cu", "backing_off", BLOCKS),
    ("locks.cu", "ticket_lock", BLOCKS),
    ("locks.cu", "volatile_unlock", BLOCKS),
    ("locks.cu", "semaphore", BLOCKS),
    ("locks.cu", "array_lock", BLOCKS),
    ("locks.cu", "reader_and_writer", BLOCKS),
    ("last_block.cu", "one_thread", BLOCKS),
    ("last_block.cu", "whole_block", BOTH),
    ("last_block.cu", "all_threads", BOTH),
    ("last_block.cu", "of_a_tile", BLOCKS),
    ("grid.cu", "grid_barrier", BLOCKS),
    ("grid.cu", "look_back", BLOCKS),
    ("grid.cu", "split_k", BOTH),
    ("grid.cu", "joined", THREE),
    ("queue.cu", "one_producer", BLOCKS),
    ("queue.cu", "slots", BLOCKS),
    ("queue.cu", "sequenced", BLOCKS),
    ("queue.cu", "mailbox", BLOCKS),
    ("structures.cu", "hash_table", BLOCKS),
    ("structures.cu", "list", BLOCKS),
    ("structures.cu", "once", BLOCKS),
    ("structures.cu", "latch", BLOCKS),
    ("structures.cu", "ping_pong", BLOCKS),
    ("structures.cu", "ring", BLOCKS),
    ("structures.cu", "dataflow", BLOCKS),
    ("structures.cu", "generations", BLOCKS),
    ("structures.cu", "told_by_barrier", BOTH),
    ("structures.cu", "sequence_lock", BLOCKS),
    ("published.cu", "dot", BOTH),
    ("published.cu", "push", BLOCKS),
    ("published.cu", "reduce", WARPS),
];

pub(crate) fn pattern_rows() -> Vec<Row> {
    let variants = [
        ("", "proved"),
        ("RELEASE=", "insert device at release"),
        ("ACQUIRE=", "insert device at acquire"),
        ("RELEASE=;ACQUIRE=", BOTH_MISSING),
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
pub(crate) const ROWS: &[Row] = &[
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
    ("single.cu", "guess_and_locks", BLOCKS, "", "hang"),
    ("single.cu", "two_barriers", THREADS, "", "hang"),
    ("single.cu", "two_barriers", THREADS, "WARP", "hang"),
    ("single.cu", "own_place", BLOCKS, "", "proved"),
    ("single.cu", "own_place", BLOCKS, ORDERED, "insert device at release"),
    ("single.cu", "ordered_updates", BLOCKS, "", "proved"),
    ("single.cu", "ordered_updates", BLOCKS, ORDERED, "proved"),
    ("single.cu", "ordered_updates", BLOCKS, RELAXED, BOTH_MISSING),
    ("single.cu", "nobody_reads", BLOCKS, "", "redundant at line 45"),
    ("single.cu", "before_barrier", THREADS, "", "redundant at line 52"),
    ("single.cu", "asserted", BLOCKS, "RIGHT", "proved"),
    ("single.cu", "asserted", BLOCKS, "", BOTH_MISSING),
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
    ("last_block.cu", "decides", BLOCKS, "", UNWRITTEN),
    ("message.cu", "never_there", BLOCKS, "", "proved"),
    ("message.cu", "never_there", BLOCKS, "RELEASE=", "insert device at release"),
    ("message.cu", "never_there", BLOCKS, "ACQUIRE=", "insert device at acquire"),
    ("message.cu", "never_there", BLOCKS, MORE, "undecided at more"),
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
    ("published.cu", "scan", THREE, "ACQUIRE=", READERS),
    ("published.cu", "scan", THREE, NARROW, "widen to device at release"),
    ("published.cu", "scan", THREE, NARROW_ACQUIRE, "widen to device at acquire"),
    ("published.cu", "scan", THREE, MORE, "redundant at more"),
    // With two blocks, nobody comes to what the first fence is for.
    ("published.cu", "scan", BLOCKS, "", "undecided at acquire, undecided at release"),
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
    ("opencl.cl", "by_wide_barrier", BLOCKS, "", "proved"),
    ("opencl.cl", "by_wide_barrier", BLOCKS, "SCOPE=memory_scope_work_group", BOTH_MISSING),
];

// Behind the flag of a tile, one of the two ways of its reader needs a fence besides.
const READERS: &str = "insert device at acquire, insert device at before line 128";
const BOTH_MISSING: &str = "insert device at acquire, insert device at release";
const ORDERED: &str = "ORDER=__ATOMIC_ACQ_REL";
const RELAXED: &str = "ORDER=__ATOMIC_RELAXED";
const ADDRESS: &str = "outside: an address comes from values that other threads write, and it is not known which array it \
                       points into";
const ABSENT: &str = "outside: a branch depends on a variable without a value";
const UNWRITTEN: &str = "outside: a branch depends on memory that was never written";
const LOCAL_FENCE: &str = "RELEASE=mem_fence(CLK_LOCAL_MEM_FENCE)";

/// What the fences of a program are, all in all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Optimal,
    Overfenced,
    Underfenced,
}

/// A row of table IV of the paper on Bugaroo, beside what the memory model says.
pub(crate) struct Published {
    pub(crate) program: &'static str,
    pub(crate) version: &'static str,
    pub(crate) kernel: &'static str,
    pub(crate) launches: &'static [(u32, u32)],
    pub(crate) defines: &'static str,
    /// How often the paper's runs fail while all, three quarters, half and a quarter of the stores are buffered.
    pub(crate) failures: [f64; 4],
    pub(crate) paper: Class,
    pub(crate) model: Class,
}

use Class::{Optimal, Overfenced, Underfenced};

const fn published(
    (program, version): (&'static str, &'static str),
    kernel: &'static str,
    launches: &'static [(u32, u32)],
    defines: &'static str,
    failures: [f64; 4],
    paper: Class,
    model: Class,
) -> Published {
    Published { program, version, kernel, launches, defines, failures, paper, model }
}

const NEVER: [f64; 4] = [0.0; 4];
const ALWAYS: [f64; 4] = [1.0; 4];

/// Table IV, and below it the three programs without fences, of which the paper reports no failure.
pub(crate) const TABLE_IV: [Published; 15] = [
    published(("cbe_dot", "original_2_fence"), "dot", WARPS, "", NEVER, Overfenced, Optimal),
    published(("cbe_dot", "1_fence"), "dot", WARPS, "ACQUIRE=", NEVER, Optimal, Underfenced),
    published(
        ("cbe_dot", "no_fence"),
        "dot",
        WARPS,
        "RELEASE=;ACQUIRE=",
        ALWAYS,
        Underfenced,
        Underfenced,
    ),
    published(
        ("ct_octree", "original_no_fence"),
        "push",
        BLOCKS,
        "RELEASE=",
        ALWAYS,
        Underfenced,
        Underfenced,
    ),
    published(("ct_octree", "1_fence"), "push", BLOCKS, "", NEVER, Optimal, Optimal),
    published(("sdk_red", "original_1_fence"), "reduce", WARPS, "", NEVER, Optimal, Optimal),
    published(
        ("sdk_red", "no_fence"),
        "reduce",
        WARPS,
        "RELEASE=",
        ALWAYS,
        Underfenced,
        Underfenced,
    ),
    published(("cub_scan", "original_all_3_fence"), "scan", THREE, "", NEVER, Optimal, Optimal),
    published(
        ("cub_scan", "f1_f2_fence"),
        "scan",
        THREE,
        "PARTIAL_FENCE=",
        [0.002, 0.0, 0.0, 0.0],
        Underfenced,
        Underfenced,
    ),
    published(
        ("cub_scan", "f1_f3_fence"),
        "scan",
        THREE,
        "INCLUSIVE_FENCE=",
        [0.857, 0.714, 0.29, 0.0],
        Underfenced,
        Underfenced,
    ),
    published(
        ("cub_scan", "f2_f3_fence"),
        "scan",
        THREE,
        "BARRIER_FENCE=",
        [0.001, 0.0, 0.0, 0.0],
        Underfenced,
        Underfenced,
    ),
    published(
        ("cub_scan", "no_fence"),
        "scan",
        THREE,
        "RELEASE=",
        [0.861, 0.51, 0.285, 0.0],
        Underfenced,
        Underfenced,
    ),
    published(("kmeans", "original"), "kmeans", WARPS, "", NEVER, Optimal, Optimal),
    published(("streamcluster", "original"), "streamcluster", WARPS, "", NEVER, Optimal, Optimal),
    published(("hotspot", "original"), "hotspot", WARPS, "", NEVER, Optimal, Optimal),
];

/// The programs that the paper calls optimal, as they were published: who reads has no fence. The paper's experiments delay
/// stores and never loads, so that this cannot show there.
pub(crate) const READERS_WITHOUT_FENCE: [Published; 3] = [
    published(("ct_octree", "1_fence"), "push", BLOCKS, "ACQUIRE=", NEVER, Optimal, Underfenced),
    published(
        ("sdk_red", "original_1_fence"),
        "reduce",
        WARPS,
        "ACQUIRE=",
        NEVER,
        Optimal,
        Underfenced,
    ),
    published(
        ("cub_scan", "original_all_3_fence"),
        "scan",
        THREE,
        "ACQUIRE=",
        NEVER,
        Optimal,
        Underfenced,
    ),
];

/// The class of an answer; none if not all is known, or if fences are not all that is wrong.
pub(crate) fn class(answer: &Answer) -> Option<Class> {
    let undecided = answer.fences.iter().any(|fence| fence.worth == Worth::Undecided);
    if !answer.exhaustive() || undecided || !answer.faults.is_empty() || !answer.open.is_empty() {
        return None;
    }
    let redundant = answer.fences.iter().any(|fence| fence.worth == Worth::Redundant);
    Some(match (&answer.missing, redundant) {
        (Some(_), _) => Underfenced,
        (None, true) => Overfenced,
        (None, false) => Optimal,
    })
}
