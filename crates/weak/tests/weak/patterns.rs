//! Ways in which kernels synchronise through memory: each right, with a release or an acquire missing, with too narrow
//! a scope, and with a fence too many.

use lockstep_weak::fences::{Worth, judge_fences};
use lockstep_weak::litmus::read_ptx;
use lockstep_weak::model::Ptx;
use lockstep_weak::program::Program;
use lockstep_weak::{Failure, Limits, find};

/// Threads of one block each on one device; `code(thread)` is a list of instructions separated by semicolons.
fn blocks(threads: usize, code: impl Fn(usize) -> String) -> Program {
    let codes: Vec<String> = (0..threads).map(code).collect();
    let columns: Vec<Vec<&str>> = codes
        .iter()
        .map(|t| t.split(';').map(str::trim).filter(|i| !i.is_empty()).collect())
        .collect();
    let heads: Vec<String> = (0..threads).map(|t| format!("P{t}@cta {t},gpu 0")).collect();
    let mut text = format!("PTX pattern {{ }}\n{};\n", heads.join(" | "));
    for row in 0..columns.iter().map(Vec::len).max().unwrap_or(0) {
        let cells: Vec<&str> = columns.iter().map(|c| c.get(row).copied().unwrap_or("")).collect();
        text += &format!("{};\n", cells.join(" | "));
    }
    text += "exists 0 == 0";
    read_ptx(&text).unwrap_or_else(|error| panic!("{error:?} in\n{text}")).program
}

fn happens(program: &Program, failure: Failure) -> bool {
    let answer = find(program, &Ptx::DOCUMENTED, Limits::default(), &[failure]);
    answer.possible().unwrap_or_else(|| panic!("undecided: {:?} for\n{program}", answer.summary))
}

/// Both ways of fencing: release before, acquire after.
struct Fences {
    release: &'static str,
    acquire: &'static str,
}

const RIGHT: Fences = Fences { release: "fence.acq_rel.gpu", acquire: "fence.acq_rel.gpu" };
const STRONGER: Fences = Fences { release: "fence.sc.gpu", acquire: "fence.sc.gpu" };
const NO_RELEASE: Fences = Fences { release: "", ..RIGHT };
const NO_ACQUIRE: Fences = Fences { acquire: "", ..RIGHT };
const NARROW: Fences = Fences { release: "fence.acq_rel.cta", ..RIGHT };

/// A pattern is right with fences on both sides, races with one of them missing or too narrow, and never hangs.
fn told_apart(pattern: impl Fn(&Fences) -> Program) {
    assert!(!happens(&pattern(&RIGHT), Failure::Race));
    assert!(!happens(&pattern(&RIGHT), Failure::Hang));
    assert!(!happens(&pattern(&STRONGER), Failure::Race));
    for wrong in [NO_RELEASE, NO_ACQUIRE, NARROW] {
        assert!(
            happens(&pattern(&wrong), Failure::Race),
            "{:?}, {:?}",
            wrong.release,
            wrong.acquire
        );
    }
}

fn spin_lock(threads: usize, fences: &Fences) -> Program {
    let Fences { release, acquire } = fences;
    blocks(threads, |_| {
        format!(
            "LC0:; atom.relaxed.gpu.cas r0, lock, 0, 1; bne r0, 0, LC0; {acquire}; \
             ld.weak r1, x; add r1, r1, 1; st.weak x, r1; {release}; st.relaxed.gpu lock, 0"
        )
    })
}

fn ticket_lock(threads: usize, fences: &Fences) -> Program {
    let Fences { release, acquire } = fences;
    blocks(threads, |_| {
        format!(
            "atom.relaxed.gpu.add r0, next, 1; LC0:; ld.relaxed.gpu r1, serving; bne r0, r1, LC0; {acquire}; \
             ld.weak r2, x; add r2, r2, 1; st.weak x, r2; {release}; add r0, r0, 1; st.relaxed.gpu serving, r0"
        )
    })
}

fn last_block(threads: usize, fences: &Fences) -> Program {
    let Fences { release, acquire } = fences;
    let sums: Vec<String> = (0..threads).map(|t| format!("ld.weak r1, part{t}")).collect();
    blocks(threads, |t| {
        format!(
            "st.weak part{t}, 1; {release}; atom.relaxed.gpu.add r0, done, 1; bne r0, {}, LC0; {acquire}; {}; LC0:",
            threads - 1,
            sums.join(";")
        )
    })
}

fn grid_barrier(threads: usize, fences: &Fences) -> Program {
    let Fences { release, acquire } = fences;
    blocks(threads, |t| {
        format!(
            "st.weak part{t}, 1; {release}; red.relaxed.gpu.add here, 1; \
             LC0:; ld.relaxed.gpu r0, here; bne r0, {threads}, LC0; {acquire}; ld.weak r1, part{}",
            (t + 1) % threads
        )
    })
}

fn look_back(threads: usize, fences: &Fences) -> Program {
    let Fences { release, acquire } = fences;
    blocks(threads, |t| {
        let publish = format!("st.weak sum{t}, 1; {release}; st.relaxed.gpu flag{t}, 1");
        if t == 0 {
            return publish;
        }
        let before = t - 1;
        format!(
            "LC0:; ld.relaxed.gpu r0, flag{before}; beq r0, 0, LC0; {acquire}; ld.weak r1, sum{before}; {publish}"
        )
    })
}

#[test]
fn spin_locks() {
    told_apart(|fences| spin_lock(2, fences));
    assert!(!happens(&spin_lock(3, &RIGHT), Failure::Race));
}

#[test]
fn ticket_locks() {
    told_apart(|fences| ticket_lock(2, fences));
    assert!(!happens(&ticket_lock(3, &RIGHT), Failure::Race));
}

#[test]
fn last_blocks() {
    told_apart(|fences| last_block(2, fences));
    assert!(!happens(&last_block(3, &RIGHT), Failure::Race));
}

#[test]
fn grid_barriers() {
    told_apart(|fences| grid_barrier(2, fences));
    assert!(!happens(&grid_barrier(3, &RIGHT), Failure::Race));
}

#[test]
fn look_back_scans() {
    told_apart(|fences| look_back(2, fences));
    told_apart(|fences| look_back(4, fences));
}

#[test]
fn a_fence_too_many_is_told() {
    let program = blocks(2, |t| match t {
        0 => "st.weak x, 1; fence.acq_rel.gpu; st.relaxed.gpu f, 1; fence.acq_rel.gpu".to_string(),
        _ => "LC0:; ld.relaxed.gpu r0, f; beq r0, 0, LC0; fence.acq_rel.gpu; ld.weak r1, x"
            .to_string(),
    });
    let uses = judge_fences(&program, &Ptx::DOCUMENTED, Limits::default());
    let worths: Vec<&Worth> = uses.iter().map(|u| &u.worth).collect();
    assert_eq!(worths, [&Worth::Needed, &Worth::Redundant, &Worth::Needed]);
}

#[test]
fn threads_that_wait_for_ever() {
    let never_set = blocks(2, |t| match t {
        0 => "st.weak x, 1".to_string(),
        _ => "ld.weak r1, x; LC0:; ld.relaxed.gpu r0, f; beq r0, 0, LC0".to_string(),
    });
    assert!(happens(&never_set, Failure::Hang));
    assert!(happens(&never_set, Failure::Race), "a race before the hang is a race");
    let set = blocks(2, |t| match t {
        0 => "st.relaxed.gpu f, 1".to_string(),
        _ => "LC0:; ld.relaxed.gpu r0, f; beq r0, 0, LC0".to_string(),
    });
    assert!(!happens(&set, Failure::Hang));
    // Two locks in two orders.
    let lock = |name: &str, label: &str| {
        format!("{label}:; atom.acquire.gpu.cas r0, {name}, 0, 1; bne r0, 0, {label}")
    };
    let both = |first: &str, second: &str| {
        format!(
            "{}; {}; st.release.gpu {second}, 0; st.release.gpu {first}, 0",
            lock(first, "LC0"),
            lock(second, "LC1")
        )
    };
    let crossed = blocks(2, |t| if t == 0 { both("a", "b") } else { both("b", "a") });
    assert!(happens(&crossed, Failure::Hang));
    let straight = blocks(2, |_| both("a", "b"));
    assert!(!happens(&straight, Failure::Hang));
    assert!(!happens(&straight, Failure::Race));
}

/// How the work grows with the number of threads: `cargo test --release -p lockstep-weak --test patterns -- --ignored
/// --nocapture`.
#[test]
#[ignore = "prints a table"]
fn growth() {
    type Pattern = fn(usize, &Fences) -> Program;
    let patterns: [(&str, Pattern); 5] = [
        ("spin lock", spin_lock),
        ("ticket lock", ticket_lock),
        ("last block", last_block),
        ("grid barrier", grid_barrier),
        ("look-back", look_back),
    ];
    for (name, pattern) in patterns {
        for (kind, fences) in [("acq_rel", &RIGHT), ("sc", &STRONGER)] {
            for threads in 2..=6 {
                let begin = std::time::Instant::now();
                let limits = Limits { judgements: 40_000, ..Limits::default() };
                let answer =
                    find(&pattern(threads, fences), &Ptx::DOCUMENTED, limits, &[Failure::Race]);
                println!(
                    "{name:13} {kind:8} {threads} threads: {:?}, {:9.1} ms, {:?}",
                    answer.possible(),
                    begin.elapsed().as_secs_f64() * 1e3,
                    answer.summary
                );
                if answer.possible().is_none() {
                    break;
                }
            }
        }
    }
}
