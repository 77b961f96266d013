//! Ctrl-C: what is known is reported, what is not is unknown, and the status says so.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

const RACY: &str = "__global__ void racy(int *x) { x[0] = threadIdx.x; }\n";

/// More steps than any budget.
const ENDLESS: &str = "__global__ void endless(unsigned long long *x) {
    unsigned long long v = threadIdx.x;
    for (unsigned long long i = 0; i < (1ull << 62); i++) v = v * 3 + i;
    x[threadIdx.x] = v;
}
";

/// Far beyond what it takes: without an interruption the budget is longer still.
const PATIENCE: Duration = Duration::from_secs(240);

fn start(folder: &Path, args: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_lockstep"))
        .env("LOCKSTEP_NO_CACHE", "1")
        .args(args)
        .args(["--verbose", "--budget", "3600", "--format", "json", "--jobs", "1"])
        .current_dir(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts")
}

fn signal(child: &Child, name: &str) {
    let status = Command::new("sh").args(["-c", &format!("kill -{name} {}", child.id())]).status();
    assert!(status.expect("sh is there").success());
}

/// Sends the signal once a line on standard error contains `marker`: the status, the report and
/// what else was said.
fn interrupted(mut child: Child, marker: &str, name: &str) -> (Option<i32>, Value, String) {
    let mut stdout = child.stdout.take().expect("piped");
    let report = std::thread::spawn(move || {
        let mut text = String::new();
        stdout.read_to_string(&mut text).map(|_| text)
    });
    let mut said = String::new();
    let mut sent = false;
    for line in BufReader::new(child.stderr.take().expect("piped")).lines() {
        let line = line.expect("text");
        said += &format!("{line}\n");
        if !sent && line.contains(marker) {
            signal(&child, name);
            sent = true;
        }
    }
    assert!(sent, "{marker} was never said:\n{said}");
    let until = Instant::now() + PATIENCE;
    let status = loop {
        match child.try_wait().expect("a child") {
            Some(status) => break status,
            None if Instant::now() > until => {
                let _ = child.kill();
                panic!("it goes on:\n{said}");
            }
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    };
    let report = report.join().expect("no panic").expect("text");
    (status.code(), serde_json::from_str(&report).expect("a report"), said)
}

fn verdict<'a>(kernel: &'a Value, kind: &str) -> &'a Value {
    &kernel["verdicts"][kind]
}

#[test]
fn what_is_finished_is_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in [("racy.cu", RACY), ("endless.cu", ENDLESS), ("last.cu", RACY)] {
        std::fs::write(folder.path().join(name), text).expect("written");
    }
    let args = ["check", "racy.cu", "endless.cu", "last.cu", "--block", "32", "--grid", "1"];
    let child = start(folder.path(), &args);
    let (status, report, said) = interrupted(child, "kernel endless: se", "INT");
    // What was found before stands.
    assert_eq!(status, Some(1), "{said}");
    assert_eq!(report["errors"], serde_json::json!([]), "an interruption is no bad input");
    let message = "interrupted: 1 of 3 files were not checked";
    assert_eq!(report["warnings"][0]["message"], message);
    let kernels = report["kernels"].as_array().expect("a list");
    let names: Vec<_> = kernels.iter().map(|k| k["name"].as_str().unwrap_or("")).collect();
    assert_eq!(names, ["racy", "endless"]);
    assert_eq!(verdict(&kernels[0], "data-race")["verdict"], "found");
    assert_eq!(verdict(&kernels[1], "uninitialised-read")["because"], "interrupted");
    assert_eq!(verdict(&kernels[1], "uninitialised-read")["verdict"], "unknown");
    assert!(said.contains("interrupted: 1 of 3 files were not checked"), "{said}");
}

#[test]
fn one_launch_is_given_up() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("endless.cu"), ENDLESS).expect("written");
    let x = "x=u64[64]";
    let args = ["run", "endless.cu", "--block", "32", "--grid", "2", "--arg", x];
    let child = start(folder.path(), &args);
    let (status, report, said) = interrupted(child, "kernel endless: simulate", "TERM");
    assert_eq!(status, Some(3), "{said}");
    let kernel = &report["kernels"][0];
    assert_eq!(verdict(kernel, "data-race")["because"], "interrupted");
}
