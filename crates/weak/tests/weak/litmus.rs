//! Classic litmus tests in all their variants, with what PTX's model says of them, reasoned from its definitions.

use lockstep_weak::litmus::{Test, read_ptx};
use lockstep_weak::model::{Model, Ptx, Version};
use lockstep_weak::{Failure, Limits, find};

const SCOPES: [&str; 3] = ["cta", "gpu", "sys"];

/// Blocks and devices of two threads: one block, two blocks of a device, two devices.
const PAIRS: [[(u32, u32); 2]; 3] = [[(0, 0), (0, 0)], [(0, 0), (1, 0)], [(0, 0), (1, 1)]];

/// Does a scope hold both threads of such a pair?
fn holds(scope: usize, pair: usize) -> bool {
    scope >= pair
}

/// A test of threads at places, each a list of instructions separated by semicolons.
fn test(places: &[(u32, u32)], threads: &[&str], statement: &str) -> Test {
    let columns: Vec<Vec<&str>> = threads
        .iter()
        .map(|t| t.split(';').map(str::trim).filter(|i| !i.is_empty()).collect())
        .collect();
    let heads: Vec<String> = places
        .iter()
        .enumerate()
        .map(|(i, (cta, gpu))| format!("P{i}@cta {cta},gpu {gpu}"))
        .collect();
    let mut text = format!("PTX test\n{{ x=0; y=0; z=0; f=0; }}\n{};\n", heads.join(" | "));
    for row in 0..columns.iter().map(Vec::len).max().unwrap_or(0) {
        let cells: Vec<&str> = columns.iter().map(|c| c.get(row).copied().unwrap_or("")).collect();
        text += &format!("{};\n", cells.join(" | "));
    }
    text += statement;
    read_ptx(&text).unwrap_or_else(|error| panic!("{error:?} in\n{text}"))
}

fn reachable_under(
    model: &dyn Model,
    places: &[(u32, u32)],
    threads: &[&str],
    condition: &str,
) -> bool {
    let decided =
        test(places, threads, &format!("exists ({condition})")).decide(model, Limits::default());
    decided.holds.expect("a litmus test is decided")
}

fn reachable(places: &[(u32, u32)], threads: &[&str], condition: &str) -> bool {
    reachable_under(&Ptx::DOCUMENTED, places, threads, condition)
}

fn races(places: &[(u32, u32)], threads: &[&str]) -> bool {
    let test = test(places, threads, "exists 0==0");
    let answer = find(&test.program, &Ptx::DOCUMENTED, Limits::default(), &[Failure::Race]);
    answer.possible().expect("a litmus test is decided")
}

/// Ways to store a flag after data; the first does not release.
fn releases(scope: &str) -> [String; 4] {
    [
        format!("st.relaxed.{scope} f, 1"),
        format!("st.release.{scope} f, 1"),
        format!("fence.acq_rel.{scope}; st.relaxed.{scope} f, 1"),
        format!("fence.sc.{scope}; st.relaxed.{scope} f, 1"),
    ]
}

/// Ways to load a flag before data; the first does not acquire.
fn acquires(scope: &str) -> [String; 4] {
    [
        format!("ld.relaxed.{scope} r0, f"),
        format!("ld.acquire.{scope} r0, f"),
        format!("ld.relaxed.{scope} r0, f; fence.acq_rel.{scope}"),
        format!("ld.relaxed.{scope} r0, f; fence.sc.{scope}"),
    ]
}

#[test]
fn message_passing_needs_release_and_acquire_of_scopes_that_hold_both() {
    for pair in 0..3 {
        for (s, t) in (0..9).map(|n| (n / 3, n % 3)) {
            for (r, release) in releases(SCOPES[s]).iter().enumerate() {
                for (a, acquire) in acquires(SCOPES[t]).iter().enumerate() {
                    let synchronised = r > 0 && a > 0 && holds(s, pair) && holds(t, pair);
                    let threads =
                        [format!("st.weak x, 1; {release}"), format!("{acquire}; ld.weak r1, x")];
                    let stale = reachable(
                        &PAIRS[pair],
                        &[&threads[0], &threads[1]],
                        "P1:r0 == 1 /\\ P1:r1 == 0",
                    );
                    assert_eq!(stale, !synchronised, "{threads:?} at {:?}", PAIRS[pair]);
                }
            }
        }
    }
}

#[test]
fn a_flag_orders_data_only_with_release_and_acquire() {
    for pair in 0..3 {
        for s in 0..3 {
            for (r, release) in releases(SCOPES[s]).iter().enumerate() {
                for (a, acquire) in acquires(SCOPES[s]).iter().enumerate() {
                    // The fence, if there is one, stands after the loop.
                    let (load, fence) = acquire.split_once(';').unwrap_or((acquire, ""));
                    let reader = format!("LC0:; {load}; beq r0, 0, LC0; {fence}; ld.weak r1, x");
                    let racy = races(&PAIRS[pair], &[&format!("st.weak x, 1; {release}"), &reader]);
                    let synchronised = r > 0 && a > 0 && holds(s, pair);
                    assert_eq!(racy, !synchronised, "{release}, {reader} at {:?}", PAIRS[pair]);
                }
            }
        }
    }
}

#[test]
fn store_buffering_needs_sc_fences_of_scopes_that_hold_both() {
    for (p, places) in PAIRS.iter().enumerate() {
        for (s, t) in (0..9).map(|n| (n / 3, n % 3)) {
            for (a, b) in (0..9).map(|n| (n / 3, n % 3)) {
                for access in ["weak", "relaxed.sys"] {
                    let fence = |kind: usize, scope: usize| {
                        let scope: &str = SCOPES[scope];
                        [
                            "".to_string(),
                            format!("fence.acq_rel.{scope}"),
                            format!("fence.sc.{scope}"),
                        ][kind]
                            .clone()
                    };
                    let both = [
                        format!("st.{access} x, 1; {}; ld.{access} r0, y", fence(a, s)),
                        format!("st.{access} y, 1; {}; ld.{access} r0, x", fence(b, t)),
                    ];
                    let seen =
                        reachable(places, &[&both[0], &both[1]], "P0:r0 == 0 /\\ P1:r0 == 0");
                    let forbidden = a == 2 && b == 2 && holds(s, p) && holds(t, p);
                    assert_eq!(seen, !forbidden, "{both:?} at {places:?}");
                }
            }
        }
    }
}

/// One block for each thread, on one device.
fn apart(threads: usize) -> Vec<(u32, u32)> {
    (0..threads).map(|thread| (thread as u32, 0)).collect()
}

#[test]
fn load_buffering() {
    let seen = |first: &str, second: &str| {
        reachable(&apart(2), &[first, second], "P0:r0 == 1 /\\ P1:r0 == 1")
    };
    assert!(seen("ld.weak r0, x; st.weak y, 1", "ld.weak r0, y; st.weak x, 1"));
    assert!(seen(
        "ld.relaxed.gpu r0, x; st.relaxed.gpu y, 1",
        "ld.relaxed.gpu r0, y; st.relaxed.gpu x, 1"
    ));
    // A dependency on one side is not enough to forbid it, release and acquire on both sides are.
    assert!(seen(
        "ld.relaxed.gpu r0, x; st.relaxed.gpu y, r0",
        "ld.relaxed.gpu r0, y; st.relaxed.gpu x, 1"
    ));
    assert!(!seen(
        "ld.acquire.gpu r0, x; st.release.gpu y, 1",
        "ld.acquire.gpu r0, y; st.release.gpu x, 1"
    ));
    assert!(!seen(
        "ld.relaxed.gpu r0, x; fence.acq_rel.gpu; st.relaxed.gpu y, 1",
        "ld.relaxed.gpu r0, y; fence.acq_rel.gpu; st.relaxed.gpu x, 1"
    ));
    // A branch is a dependency, too: nothing comes out of thin air.
    let guarded =
        |from: &str, to: &str| format!("ld.weak r0, {from}; bne r0, 1, LC0; st.weak {to}, 1; LC0:");
    assert!(!seen(&guarded("x", "y"), &guarded("y", "x")));
    assert!(seen(&guarded("x", "y"), "ld.weak r0, y; st.weak x, 1"));
}

#[test]
fn coherence_of_reads() {
    let seen = |write: &str, first: &str, second: &str| {
        let reader = format!("ld.{first} r0, x; ld.{second} r1, x");
        reachable(&apart(2), &[&format!("st.{write} x, 1"), &reader], "P1:r0 == 1 /\\ P1:r1 == 0")
    };
    assert!(!seen("relaxed.gpu", "relaxed.gpu", "relaxed.gpu"));
    assert!(!seen("relaxed.gpu", "relaxed.gpu", "weak"));
    // Weak reads, and scopes that do not hold the writer, promise nothing.
    assert!(seen("relaxed.gpu", "weak", "weak"));
    assert!(seen("weak", "relaxed.gpu", "relaxed.gpu"));
    assert!(seen("relaxed.gpu", "relaxed.cta", "relaxed.gpu"));
}

#[test]
fn coherence_of_one_thread() {
    let one = [(0, 0)];
    assert!(!reachable(&one, &["st.weak x, 1; st.weak x, 2"], "x == 1"));
    assert!(!reachable(&one, &["st.weak x, 1; ld.weak r0, x"], "P0:r0 == 0"));
    assert!(!reachable(&one, &["ld.weak r0, x; st.weak x, 1"], "P0:r0 == 1"));
}

#[test]
fn independent_reads_of_independent_writes() {
    let seen = |write: &str, read: &str, fence: &str| {
        let reader = |a: &str, b: &str| format!("ld.{read} r0, {a}; {fence}; ld.{read} r1, {b}");
        let threads = [
            format!("st.{write} x, 1"),
            format!("st.{write} y, 1"),
            reader("x", "y"),
            reader("y", "x"),
        ];
        let threads: Vec<&str> = threads.iter().map(String::as_str).collect();
        let condition = "P2:r0 == 1 /\\ P2:r1 == 0 /\\ P3:r0 == 1 /\\ P3:r1 == 0";
        reachable(&apart(4), &threads, condition)
    };
    assert!(seen("relaxed.gpu", "relaxed.gpu", ""));
    // Writes become visible to different threads in different orders: acquire does not help, `fence.sc` does.
    assert!(seen("release.gpu", "acquire.gpu", ""));
    assert!(seen("relaxed.gpu", "relaxed.gpu", "fence.acq_rel.gpu"));
    assert!(!seen("relaxed.gpu", "relaxed.gpu", "fence.sc.gpu"));
    assert!(seen("relaxed.gpu", "relaxed.gpu", "fence.sc.cta"));
    assert!(seen("weak", "weak", "fence.sc.gpu"));
}

#[test]
fn write_to_read_causality() {
    let seen = |x: &str, release: &str, acquire: &str| {
        let threads = [
            format!("st.{x} x, 1"),
            format!("ld.{x} r0, x; st.{release} y, 1"),
            format!("ld.{acquire} r0, y; ld.{x} r1, x"),
        ];
        let threads: Vec<&str> = threads.iter().map(String::as_str).collect();
        reachable(&apart(3), &threads, "P1:r0 == 1 /\\ P2:r0 == 1 /\\ P2:r1 == 0")
    };
    assert!(!seen("relaxed.gpu", "release.gpu", "acquire.gpu"));
    assert!(seen("relaxed.gpu", "relaxed.gpu", "acquire.gpu"));
    assert!(seen("relaxed.gpu", "release.gpu", "relaxed.gpu"));
    assert!(seen("weak", "release.gpu", "acquire.gpu"));
    assert!(seen("relaxed.cta", "release.gpu", "acquire.gpu"));
}

#[test]
fn message_passing_through_a_third_thread() {
    let seen = |middle: [&str; 2]| {
        let threads = [
            "st.weak x, 1; st.release.gpu y, 1".to_string(),
            format!("ld.{}.gpu r0, y; st.{}.gpu z, 1", middle[0], middle[1]),
            "ld.acquire.gpu r0, z; ld.weak r1, x".to_string(),
        ];
        let threads: Vec<&str> = threads.iter().map(String::as_str).collect();
        reachable(&apart(3), &threads, "P1:r0 == 1 /\\ P2:r0 == 1 /\\ P2:r1 == 0")
    };
    assert!(!seen(["acquire", "release"]));
    assert!(seen(["relaxed", "release"]));
    assert!(seen(["acquire", "relaxed"]));
}

#[test]
fn two_threads_write_two_locations() {
    let seen = |first: &str, fence: &str, second: &str| {
        let writes = |a: &str, b: &str| format!("st.{first} {a}, 1; {fence}; st.{second} {b}, 2");
        reachable(&apart(2), &[&writes("x", "y"), &writes("y", "x")], "x == 1 /\\ y == 1")
    };
    assert!(seen("relaxed.gpu", "", "relaxed.gpu"));
    assert!(seen("relaxed.gpu", "", "release.gpu"));
    assert!(seen("relaxed.gpu", "fence.acq_rel.gpu", "relaxed.gpu"));
    assert!(!seen("relaxed.gpu", "fence.sc.gpu", "relaxed.gpu"));
}

#[test]
fn write_after_write_and_read() {
    let seen = |fence: &str| {
        let first = format!("st.relaxed.gpu x, 1; {fence}; st.relaxed.gpu y, 1");
        let second = format!("st.relaxed.gpu y, 2; {fence}; ld.relaxed.gpu r0, x");
        reachable(&apart(2), &[&first, &second], "y == 2 /\\ P1:r0 == 0")
    };
    assert!(seen(""));
    assert!(seen("fence.acq_rel.gpu"));
    assert!(!seen("fence.sc.gpu"));
}

#[test]
fn a_write_after_an_acquired_flag_comes_later() {
    let seen = |release: &str, acquire: &str| {
        let first = format!("st.relaxed.gpu x, 2; st.{release}.gpu y, 1");
        let second = format!("ld.{acquire}.gpu r0, y; st.relaxed.gpu x, 1");
        reachable(&apart(2), &[&first, &second], "x == 2 /\\ P1:r0 == 1")
    };
    assert!(!seen("release", "acquire"));
    assert!(seen("relaxed", "acquire"));
    assert!(seen("release", "relaxed"));
}

#[test]
fn atomic_operations_lose_nothing_within_their_scope() {
    let lost = |scope: &str, places: &[(u32, u32)]| {
        let add = format!("atom.relaxed.{scope}.add r0, x, 1");
        reachable(places, &[&add, &add], "x != 2")
    };
    for (pair, places) in PAIRS.iter().enumerate() {
        for (s, scope) in SCOPES.iter().enumerate() {
            assert_eq!(lost(scope, places), !holds(s, pair), "{scope} at {places:?}");
        }
    }
}

#[test]
fn tickets_are_all_different() {
    let draw = "atom.relaxed.gpu.add r0, x, 1";
    let threads = [draw; 4];
    assert!(!reachable(
        &apart(4),
        &threads,
        "P0:r0 == P1:r0 \\/ P2:r0 == P3:r0 \\/ P0:r0 == P3:r0"
    ));
    assert!(reachable(&apart(4), &threads, "P0:r0 == 3 /\\ P3:r0 == 0"));
}

#[test]
fn a_chain_of_atomic_operations_hands_a_release_on() {
    let seen = |middle: &str| {
        let writer = "st.weak x, 1; st.release.gpu f, 1";
        let reader = "ld.acquire.gpu r0, f; ld.weak r1, x";
        reachable(&apart(3), &[writer, middle, reader], "P2:r0 == 2 /\\ P2:r1 == 0")
    };
    assert!(!seen("atom.relaxed.gpu.add r0, f, 1"));
    // An atomic operation that did not see the flag set hands nothing on; a plain pair of load and store neither.
    assert!(seen("ld.relaxed.gpu r0, f; add r0, r0, 1; st.relaxed.gpu f, r0"));
    assert!(seen("atom.relaxed.cta.add r0, f, 1"));
}

#[test]
fn a_spin_lock_excludes_if_it_acquires_and_releases() {
    let locked = |acquire: &str, release: &str| {
        format!(
            "LC0:; atom.{acquire}.gpu.cas r0, f, 0, 1; bne r0, 0, LC0; \
             ld.weak r1, x; add r1, r1, 1; st.weak x, r1; atom.{release}.gpu.exch r2, f, 0"
        )
    };
    let right = locked("acquire", "release");
    assert!(!races(&apart(2), &[&right, &right]));
    assert!(!reachable(&apart(2), &[&right, &right], "x != 2"));
    for (acquire, release) in [("relaxed", "release"), ("acquire", "relaxed")] {
        let wrong = locked(acquire, release);
        assert!(races(&apart(2), &[&wrong, &wrong]), "{acquire}, {release}");
        assert!(reachable(&apart(2), &[&wrong, &wrong], "x != 2"), "{acquire}, {release}");
    }
}

#[test]
fn barriers_order_the_threads_of_their_block() {
    let threads = [
        "st.weak x, 1; bar.cta.sync 0; ld.weak r0, y",
        "st.weak y, 1; bar.cta.sync 0; ld.weak r0, x",
    ];
    assert!(!races(&[(0, 0), (0, 0)], &threads));
    assert!(races(&[(0, 0), (1, 0)], &threads));
    assert!(!reachable(&[(0, 0), (0, 0)], &threads, "P0:r0 == 0"));
    // Who only arrives waits for nobody.
    let arrives = ["ld.weak r0, x; bar.cta.sync 0", "bar.cta.arrive 0; st.weak x, 1"];
    assert!(races(&[(0, 0), (0, 0)], &arrives));
    let comes_before = ["bar.cta.sync 0; ld.weak r0, x", "st.weak x, 1; bar.cta.arrive 0"];
    assert!(!races(&[(0, 0), (0, 0)], &comes_before));
}

#[test]
fn a_barrier_in_a_loop_is_met_again() {
    let step = "LC0:; st.weak x, r1; bar.cta.sync 0; bar.cta.sync 1; add r1, r1, 1; bne r1, 3, LC0";
    let look = "LC0:; bar.cta.sync 0; ld.weak r0, x; bar.cta.sync 1; add r1, r1, 1; bne r1, 3, LC0";
    let places = [(0, 0), (0, 0)];
    assert!(!races(&places, &[step, look]));
    assert!(!reachable(&places, &[step, look], "P1:r0 != 2"));
    let late = "LC0:; bar.cta.sync 0; bar.cta.sync 1; ld.weak r0, x; add r1, r1, 1; bne r1, 3, LC0";
    assert!(races(&places, &[step, late]));
}

#[test]
fn a_fence_sc_also_releases_and_acquires_as_documented() {
    let places = apart(2);
    let threads =
        ["st.weak x, 1; fence.sc.gpu; st.relaxed.gpu f, 1", "ld.acquire.gpu r0, f; ld.weak r1, x"];
    let stale = "P1:r0 == 1 /\\ P1:r1 == 0";
    assert!(!reachable(&places, &threads, stale));
    // Cat's models give it no part in release patterns.
    for version in [Version::V6_0, Version::V7_5] {
        assert!(reachable_under(&Ptx { version }, &places, &threads, stale));
    }
}

#[test]
fn statements_are_read() {
    let places = apart(2);
    let threads = ["st.weak x, 1", "ld.weak r0, x"];
    for (statement, expected) in [
        ("forall (P1:r0 == 0 \\/ P1:r0 == 1)", true),
        ("forall (P1:r0 == 0)", false),
        ("~exists (P1:r0 > 1)", true),
        ("~exists (1:r0 = 1 /\\ [x] = 1)", false),
        ("filter (P1:r0 == 1) forall (~(P1:r0 == 0))", true),
    ] {
        let decided =
            test(&places, &threads, statement).decide(&Ptx::DOCUMENTED, Limits::default());
        assert_eq!(decided.holds, Some(expected), "{statement}");
    }
}
