//! `lockstep search`: nothing given but the kernel.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests")
}

fn lockstep(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lockstep"))
        .env("LOCKSTEP_NO_CACHE", "1")
        .args(args)
        .current_dir(tests())
        .output()
        .expect("the built binary runs")
}

fn json(args: &[&str]) -> Value {
    report(&lockstep(&[args, &["--format", "json"]].concat()))
}

fn report(out: &Output) -> Value {
    serde_json::from_slice(&out.stdout).unwrap_or_else(|e| {
        panic!(
            "{e}: {}\n{}",
            String::from_utf8_lossy(&out.stdout),
            String::from_utf8_lossy(&out.stderr)
        )
    })
}

/// The report without what may differ from run to run.
fn text(out: &Output) -> String {
    let mut report = report(out);
    for kernel in report["kernels"].as_array_mut().into_iter().flatten() {
        kernel["seconds"] = Value::Null;
    }
    report.to_string()
}

fn findings(report: &Value) -> Vec<Value> {
    report["kernels"][0]["findings"].as_array().cloned().unwrap_or_default()
}

/// Kind and lines: what makes it the same bug.
fn bug(finding: &Value) -> (String, Vec<u64>) {
    let accesses = finding["accesses"].as_array().into_iter().flatten();
    let mut lines: Vec<u64> = accesses.filter_map(|a| a["line"].as_u64()).collect();
    lines.sort_unstable();
    (finding["kind"].as_str().unwrap_or_default().to_owned(), lines)
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    for file in ["histogram_race.cu", "query_race.cl", "peak_redundant.cu", "ring_conditional.cu"] {
        let file = format!("search/{file}");
        let with = |more: &[&str]| {
            text(&lockstep(&[&["search", &file, "--format", "json"], more].concat()))
        };
        let once = with(&["--seed", "7"]);
        assert_eq!(once, with(&["--seed", "7"]), "{file}");
        assert_eq!(once, with(&["--seed", "7", "--jobs", "4"]), "{file} with other workers");
    }
}

#[test]
fn witnesses_replay() {
    let dir = tempfile::tempdir().expect("a folder for witnesses");
    let path = dir.path().display().to_string();
    let mut replayed = 0;
    for file in ["nearest_race.cu", "diagonal_divergence.cu", "scatter_conditional.cu"] {
        let file = format!("search/{file}");
        let report = json(&["search", &file, "--witness-dir", &path]);
        let found = findings(&report);
        assert!(!found.is_empty(), "{file}");
        let mut files: Vec<_> =
            std::fs::read_dir(dir.path()).expect("witnesses").filter_map(|e| e.ok()).collect();
        files.sort_by_key(|e| e.file_name());
        for entry in &files {
            let witness = entry.path().display().to_string();
            let again = json(&["run", "--replay", &witness]);
            let once_more = || text(&lockstep(&["run", "--replay", &witness, "--format", "json"]));
            assert_eq!(once_more(), once_more());
            let shown: Vec<_> = findings(&again).iter().map(bug).collect();
            let wanted: Vec<_> = found.iter().map(bug).filter(|b| shown.contains(b)).collect();
            assert!(!wanted.is_empty(), "{witness} shows {shown:?}");
            replayed += 1;
            std::fs::remove_file(entry.path()).expect("a witness can be removed");
        }
    }
    assert!(replayed >= 3);
}

#[test]
fn what_needs_an_odd_value_is_conditional() {
    let file = "search/mirror_lower_conditional.cu";
    let report = json(&["search", file]);
    let found = findings(&report);
    assert!(!found.is_empty());
    for f in &found {
        assert_eq!(f["conditional"], true);
        assert_eq!(f["severity"], "warning");
        assert!(f["holds_when"].as_str().is_some_and(|c| c.contains("stride ")), "{f}");
    }
    assert!(found.iter().any(|f| f["holds_when"] == "stride < n"), "{found:?}");
    let verdict = &report["kernels"][0]["verdicts"]["data-race"];
    assert_eq!(verdict["verdict"], "clean");
    assert!(verdict["covered"].as_str().is_some_and(|c| c.contains("stride < n")), "{verdict}");
    assert_eq!(lockstep(&["search", file]).status.code(), Some(0));
}

#[test]
fn what_is_given_is_a_fact() {
    let file = "search/mirror_lower_conditional.cu";
    let report = json(&["search", file, "--arg", "stride=0"]);
    let found = findings(&report);
    assert!(found.iter().any(|f| f["kind"] == "data-race" && f["severity"] == "error"));
    assert!(found.iter().all(|f| f["conditional"].is_null()), "{found:?}");
    assert!(found.iter().all(|f| f["launch"]["args"]["stride"] == 0), "{found:?}");
    // What the assumption rules out is not tried.
    let report = json(&["search", file, "--assume", "stride >= n"]);
    assert!(findings(&report).is_empty(), "{report}");
}

#[test]
fn the_rule_is_named() {
    let out = lockstep(&["search", "search/mirror_lower_conditional.cu", "--verbose"]);
    let err = String::from_utf8_lossy(&out.stderr);
    assert!(err.contains("launch 1: ordinary values: grid "), "{err}");
    assert!(err.contains("data-race at line 7: found by a small 'stride'"), "{err}");
}

#[test]
fn options_are_checked() {
    for (option, value) in [("--population", "many"), ("--generations", "-1"), ("--accept", "2")] {
        let out = lockstep(&["search", "search/ring_fixed.cu", option, value]);
        assert_eq!(out.status.code(), Some(2), "{option} {value}");
        assert!(!out.stderr.is_empty());
    }
    let none = lockstep(&["search", "search/ring_fixed.cu", "--generations", "0"]);
    assert_eq!(none.status.code(), Some(0));
}

#[test]
fn check_searches_too() {
    let report = json(&["check", "search/early_return_divergence.cl"]);
    assert!(findings(&report).iter().any(|f| f["kind"] == "barrier-divergence"), "{report}");
}

/// Each row of the table of excuses is told for the kernel that it names, and something is reported otherwise without it.
#[test]
#[ignore = "takes a minute; `make long-test` runs it"]
fn every_excuse_is_needed() {
    let mut wrong = Vec::new();
    for row in lockstep_search::EXCUSES {
        let words: Vec<&str> = row.shown_by.split_whitespace().collect();
        let options = ["--reproducible", "--verbose", "--format", "json"];
        let args = [&["search"], &words[..], &options].concat();
        let out = lockstep(&args);
        let said = String::from_utf8_lossy(&out.stderr);
        let told = format!(": excuse {}: ", row.name);
        if !said.contains(&told) {
            wrong.push(format!("{} does not speak for {}", row.name, row.shown_by));
        }
        let without = [&args[..], &["--without-excuse", row.name]].concat();
        if text(&out) == text(&lockstep(&without)) {
            wrong.push(format!("{} is the same without {}", row.shown_by, row.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A race for each of hundreds of pairs of statements is one mistake, and nobody reads so many: 256 are listed, the rest is counted.
#[test]
fn many_races_are_counted() {
    let statements: String =
        (0..28).map(|i| format!("    a[t * {i} + {i}] = a[t + {i}] + {i};\n")).collect();
    let kernel =
        format!("__global__ void k(int *a) {{\n    int t = threadIdx.x;\n{statements}}}\n");
    let folder = std::env::temp_dir().join(format!("lockstep-many-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the kernel");
    let file = folder.join("many.cu");
    std::fs::write(&file, kernel).expect("the kernel is written");
    let name = file.to_str().expect("the name of the file is text");
    let report = json(&["search", name, "--block", "64", "--only", "data-race", "--reproducible"]);
    std::fs::remove_dir_all(&folder).expect("the folder is removed");
    let found = findings(&report);
    let errors = found.iter().filter(|f| f["severity"] == "error").count();
    // One that was benign at first may be none later.
    assert!((256..260).contains(&errors), "{errors} of {}", found.len());
    let help = found.iter().flat_map(|f| f["help"].as_array()).flatten();
    let rest: Vec<u64> =
        help.filter_map(|h| h.as_str()?.split_once(" more of this kind")?.0.parse().ok()).collect();
    assert!(matches!(rest[..], [more] if more > 100), "{rest:?}");
}
