//! The pairs by `lockstep equiv`: all are told apart, some of them in every run of the tests.

use std::fmt::Write as _;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use crate::pairs::{self, Answer, Assumptions, Case};

/// What a run of the command says.
struct Said {
    status: i32,
    /// Of the property `mismatch`.
    verdict: String,
    findings: Vec<String>,
    /// The floating-point assumptions that a proof has used.
    assumes: Vec<String>,
    text: String,
}

/// Every so many of them are looked at in the ordinary test.
const SOME: usize = 12;

#[test]
fn some_pairs_are_told_apart() {
    let some: Vec<Case> = pairs::all().into_iter().step_by(SOME).collect();
    let _ = told_apart(&some);
}

#[test]
#[ignore = "takes several minutes; `make long-test` runs it"]
fn all_pairs_are_told_apart() {
    let told = told_apart(&pairs::all());
    println!("| kernel | reference | answer |\n|---|---|---|\n{}", told.join("\n"));
}

/// A line for each case: what was answered, and which assumptions a proof has used.
fn told_apart(cases: &[Case]) -> Vec<String> {
    assert!(!cases.is_empty());
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    let told = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, |n| n.get()) {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    match check(case) {
                        Ok(said) => told.lock().expect("no panic").push(row(case, &said)),
                        Err(why) => {
                            wrong.lock().expect("no panic").push(format!("{case}: {why}"));
                        }
                    }
                }
            });
        }
    });
    let mut wrong = wrong.into_inner().expect("no panic");
    wrong.sort();
    assert!(wrong.is_empty(), "{} of {} are wrong\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    let mut told: Vec<String> = told.into_inner().expect("no panic");
    told.sort();
    told
}

fn row(case: &Case, said: &Said) -> String {
    let Case { file, kernel, reference, .. } = case;
    let mut answer = match said.verdict.as_str() {
        "proved" => "equivalent".to_owned(),
        "clean" => "close on many inputs".to_owned(),
        _ if !said.findings.is_empty() => said.findings.join(", "),
        other => other.to_owned(),
    };
    if !said.assumes.is_empty() {
        let _ = write!(answer, ", if {}", said.assumes.join(" and "));
    }
    format!("| {file}:{kernel} | {} | {answer} |", reference.1)
}

fn check(case: &Case) -> Result<Said, String> {
    let is = |said: Said, verdict: &str, status: i32| match said.verdict == verdict
        && said.status == status
    {
        true => Ok(said),
        false => Err(format!("{verdict} expected\n{}", said.text)),
    };
    let is_not_proved = |said: Said, what: &str| match said.verdict.as_str() {
        "proved" => Err(format!("proved {what}")),
        _ => Ok(said),
    };
    // Where only `proved` is wrong, the search for a difference may end early. All else does not depend on the clock.
    let short: &[&str] = &["--budget", "5"];
    let whole: &[&str] = &["--reproducible"];
    let none = Assumptions::default();
    let needs_some = case.under != none;
    match case.expected {
        Answer::Equivalent => {
            if needs_some {
                is_not_proved(run(case, none, short)?, "without the assumptions")?;
            }
            is(run(case, case.under, whole)?, "proved", 0)
        }
        Answer::Open => {
            let said = run(case, case.under, short)?;
            match said.verdict == "proved" || said.verdict == "unknown" {
                true => Ok(said),
                false => Err(format!("proved or unknown expected\n{}", said.text)),
            }
        }
        Answer::Mismatch { .. } if needs_some => {
            is_not_proved(run(case, case.under, short)?, "though it is not equivalent")
        }
        Answer::Mismatch { .. } => is(run(case, none, whole)?, "found", 1),
        Answer::Close(error) => {
            is_not_proved(run(case, none, short)?, "though it is only close")?;
            let error = error.to_string();
            let error = error.as_str();
            let near = ["--rtol", error, "--atol", error, "--reproducible"];
            is(run(case, none, &near)?, "clean", 0)
        }
        Answer::Finding(kind) => {
            let said = is_not_proved(run(case, none, whole)?, "though it has a bug")?;
            match said.findings.contains(&kind.to_string()) && said.status == 1 {
                true => Ok(said),
                false => Err(format!("{kind} expected\n{}", said.text)),
            }
        }
    }
}

fn run(case: &Case, under: Assumptions, more: &[&str]) -> Result<Said, String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
    command.current_dir(pairs::root()).arg("equiv");
    command.arg(format!("{}:{}", case.reference.0, case.reference.1));
    command.arg(format!("{}:{}", case.file, case.kernel));
    for (option, value) in &case.launch.options {
        command.args([option, value]);
    }
    for (name, value) in &case.launch.args {
        command.args(["--arg", &format!("{name}={value}")]);
    }
    if under != Assumptions::default() {
        command.args(["--assume-fp", &under.names().join(",")]);
    }
    command.args(more).args(["--format", "json"]);
    let ended = command.output().map_err(|e| e.to_string())?;
    let (out, err) =
        (String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr));
    let status = ended.status.code().unwrap_or(-1);
    let json: Value =
        serde_json::from_str(&out).map_err(|e| format!("status {status}: {e}\n{out}{err}"))?;
    let kernel = &json["kernels"][0];
    let mismatch = &kernel["verdicts"]["mismatch"];
    let mut text = format!("  status {status}, {mismatch}\n");
    let mut findings = Vec::new();
    for finding in kernel["findings"].as_array().into_iter().flatten() {
        findings.push(finding["kind"].as_str().unwrap_or_default().to_owned());
        let _ = writeln!(text, "  {}: {}", finding["kind"], finding["message"]);
    }
    for error in json["errors"].as_array().into_iter().flatten() {
        let _ = writeln!(text, "  {error}");
    }
    let verdict = mismatch["verdict"].as_str().unwrap_or_default().to_owned();
    let listed = mismatch["assumes"].as_array().into_iter().flatten();
    let assumes = listed.filter_map(|a| a.as_str().map(str::to_owned)).collect();
    Ok(Said { status, verdict, findings, assumes, text })
}
