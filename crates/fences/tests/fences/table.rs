//! Kernels that synchronise through memory: each right, with a release or an acquire missing, with too narrow a scope, and
//! with a fence too many. What is expected was decided by the model of PTX or OpenCL, by hand.
//!
//! Fences stand at lines that a comment marks: `// release`. An expectation names the mark, and an answer is there if the
//! fence belongs between the access before the marked line and the one behind it.

use std::collections::BTreeSet;
use std::time::Instant;

use lockstep_fences::{
    Answer, Launch, Limits, Remedy, Spot, Worth, Wrong, communicates, examine, small_dimensions,
    specialise,
};
use lockstep_kernel::{Kernel, Loc, SiteId, SiteKind};

use crate::rows::{PATTERNS, ROWS, Row, kernel, launch, path, pattern_rows};

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
        let outside = launch.as_ref().map_or_else(Some, |explored| explored.outside.as_ref());
        words.extend(outside.map(|outside| format!("outside: {outside}")));
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

/// A fault that a fence cures in a launch of one thread for each block is told, though two threads of a block race there
/// whatever the fences; and it is not said to be cured in all launches.
#[test]
fn a_fence_is_missing_though_larger_blocks_race() {
    let kernel = kernel("message.cu", "by_atomics", "RELEASE=");
    let launches = [(2, 1), (2, 2)].map(|at| launch(&kernel, at));
    let answer = examine(&kernel, &launches, &Limits::default());
    let missing = answer.missing.expect("a fence is missing with one thread for each block");
    assert!(missing.faults.iter().all(|fault| fault.launch == 0), "{:?}", missing.faults);
    assert!(!missing.verified);
    assert!(answer.faults.iter().any(|fault| fault.launch == 1), "threads of a block race");
}
