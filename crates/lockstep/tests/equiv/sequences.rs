//! Scripts under `tests/equiv/sequences`: several launches against one reference, by `lockstep equiv --script`.
//!
//! A script says in comments what it is compared with and what comes out: `# reference: FILE:FUNCTION` (or another script),
//! `# expect: equivalent`, `mismatch`, `unknown` or a kind of finding.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::pairs;

#[test]
fn sequences_agree_and_differ_as_they_say() {
    let scripts: Vec<PathBuf> = pairs::entries(&pairs::root().join("sequences"))
        .into_iter()
        .filter(|p| p.extension().is_some_and(|e| e == "toml"))
        .collect();
    assert!(!scripts.is_empty());
    let wrong: Vec<String> = scripts
        .iter()
        .filter_map(|path| Some(format!("{}: {}", path.display(), check(path).err()?)))
        .collect();
    assert!(wrong.is_empty(), "{} are wrong\n{}", wrong.len(), wrong.join("\n"));
}

fn said<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let found = text.lines().find_map(|l| l.strip_prefix("# ")?.strip_prefix(name));
    found.and_then(|rest| rest.strip_prefix(':')).map(str::trim)
}

fn check(path: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
    command.current_dir(folder).arg("equiv").arg(said(&text, "reference").ok_or("a reference")?);
    command.arg("--script").args(path.file_name());
    command.args(said(&text, "options").unwrap_or_default().split_whitespace());
    let ended =
        command.args(["--reproducible", "--format", "json"]).output().map_err(|e| e.to_string())?;
    let (out, err) =
        (String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr));
    let json: Value = serde_json::from_str(&out).map_err(|e| format!("{e}\n{out}{err}"))?;
    let kernel = &json["kernels"][0];
    let verdict = kernel["verdicts"]["mismatch"]["verdict"].as_str().unwrap_or_default();
    let findings = kernel["findings"].as_array().map_or(&[][..], |f| f);
    let kinds: Vec<&str> = findings.iter().filter_map(|f| f["kind"].as_str()).collect();
    let expected = said(&text, "expect").ok_or("an expectation")?;
    let wanted = match expected {
        "equivalent" => ("proved", 0, None),
        "unknown" => ("unknown", 3, None),
        "mismatch" => ("found", 1, Some("mismatch")),
        kind => ("unknown", 1, Some(kind)),
    };
    let is_right = (verdict, ended.status.code()) == (wanted.0, Some(wanted.1))
        && wanted.2.map_or(kinds.is_empty(), |kind| kinds.contains(&kind));
    if is_right { Ok(()) } else { Err(format!("{expected} expected\n{out}{err}")) }
}
