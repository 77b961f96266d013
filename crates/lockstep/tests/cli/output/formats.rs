//! Every format of the same runs, whole: `tests/formats/<case>.<format>`, with the
//! seconds left out. `LOCKSTEP_BLESS=1` writes these files. JSON and SARIF are
//! checked against their schemas: `schemas/report.schema.json`, and the schema of
//! SARIF 2.1.0 by OASIS, from the source of the package serde-sarif.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use super::schema;
use super::schema::Schema;
use crate::support;
use crate::support::{BEYOND_THE_END, DIVERGES};
use serde_json::Value;

/// A name, what lockstep is told, and the status it ends with.
const CASES: &[(&str, &[&str], i32)] = &[
    ("race", &["check", "race.cu", "--only", "data-race,barrier-divergence"], 1),
    ("bounds", BEYOND_THE_END, 1),
    ("divergence", DIVERGES, 1),
    (
        "unusable",
        &[
            "check",
            "race.cu",
            "broken.cu",
            "no such.cu",
            "--kernel",
            "copy",
            "--only",
            "barrier-divergence",
        ],
        2,
    ),
];

const FORMATS: &[&str] = &["human", "concise", "json", "sarif", "github", "html"];

#[test]
fn golden_outputs() {
    let mut wrong = Vec::new();
    for (name, args, status) in CASES {
        for format in FORMATS {
            if let Err(why) = check(name, args, *status, format) {
                wrong.push(format!("{name}.{format}: {why}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn check(name: &str, args: &[&str], status: i32, format: &str) -> Result<(), String> {
    let (ended, text) = lockstep(args, &["--format", format]);
    if ended != status {
        return Err(format!("ends with status {ended}, should be {status}"));
    }
    let text = match format {
        "json" => {
            schema::report().check(&parsed(&text)?)?;
            text
        }
        "sarif" => {
            sarif().check(&parsed(&text)?)?;
            without_help(parsed(&text)?)
        }
        "html" => tags_on_lines(&without_assets(&text)),
        _ => text,
    };
    // Commands begin in the folder where the report was made.
    let here = folder().canonicalize().map_err(|e| e.to_string())?.display().to_string();
    let text = without_seconds(&text).replace(&here, "FOLDER");
    compare(&folder().join(format!("{name}.{format}")), &text)
}

fn compare(golden: &Path, text: &str) -> Result<(), String> {
    if std::env::var_os("LOCKSTEP_BLESS").is_some() {
        return std::fs::write(golden, text).map_err(|e| e.to_string());
    }
    match std::fs::read_to_string(golden) {
        Ok(expected) if expected == text => Ok(()),
        Ok(expected) => {
            let line = expected.lines().zip(text.lines()).take_while(|(a, b)| a == b).count();
            let at = |t: &str| t.lines().nth(line).unwrap_or("(the end)").to_owned();
            Err(format!("line {}:\n  - {}\n  + {}", line + 1, at(&expected), at(text)))
        }
        Err(_) => Err("no golden output; LOCKSTEP_BLESS=1 writes it".into()),
    }
}

/// The file is the same as standard output, and nothing else goes there.
#[test]
fn output_to_a_file() {
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("report.sarif");
    let (_, args, status) = CASES[1];
    let (_, printed) = lockstep(args, &["--format", "sarif"]);
    let path = file.to_str().expect("a plain path");
    let (ended, nothing) = lockstep(args, &["--format", "sarif", "--output", path]);
    assert_eq!((ended, nothing.as_str()), (status, ""));
    assert_eq!(std::fs::read_to_string(&file).expect("a report"), printed);
}

/// Addresses of the book's pages where it is published, by the schema.
#[test]
fn pages_of_the_book_are_linked() {
    let (_, args, status) = CASES[1];
    let output = Command::new(support::binary())
        .args([args, &["--format", "sarif"]].concat())
        .env("LOCKSTEP_BOOK_URL", "https://docs.example.org/lockstep/")
        .current_dir(folder())
        .output()
        .expect("lockstep starts");
    assert_eq!(output.status.code(), Some(status));
    let log = parsed(&String::from_utf8_lossy(&output.stdout)).expect("JSON");
    sarif().check(&log).expect("as the schema has it");
    let driver = &log["runs"][0]["tool"]["driver"];
    assert_eq!(driver["informationUri"], "https://docs.example.org/lockstep/index.html");
    for rule in driver["rules"].as_array().expect("rules") {
        let id = rule["id"].as_str().expect("an id");
        assert_eq!(rule["helpUri"], format!("https://docs.example.org/lockstep/kinds/{id}.html"));
    }
}

/// The schemas refuse what they should.
#[test]
fn schemas_are_strict() {
    let (_, args, _) = CASES[0];
    let mut report = parsed(&lockstep(args, &["--format", "json"]).1).expect("JSON");
    report["kernels"][0]["verdicts"]["data-race"]["verdict"] = "fine".into();
    let why = schema::report().check(&report).expect_err("no such verdict");
    assert!(why.contains("/kernels/0/verdicts/data-race"), "{why}");

    let mut log = parsed(&lockstep(args, &["--format", "sarif"]).1).expect("JSON");
    log["runs"][0]["results"][0]["level"] = "fatal".into();
    let why = sarif().check(&log).expect_err("no such level");
    assert!(why.contains("/runs/0/results/0"), "{why}");
}

fn parsed(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|e| format!("no JSON: {e}\n{text}"))
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats")
}

/// Status and standard output.
fn lockstep(args: &[&str], more: &[&str]) -> (i32, String) {
    let ended = support::lockstep(&folder(), &[args, more, &["--reproducible"]].concat());
    (ended.status, ended.out)
}

/// `… s` for `0.12 s`, and `"seconds": 0`.
fn without_seconds(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        match line.split_once("\"seconds\": ") {
            Some((head, _)) => out.push_str(&format!("{head}\"seconds\": 0")),
            None => out.push_str(&without_times(&line.replace('\u{a0}', " "))),
        }
        out.push('\n');
    }
    out
}

fn without_times(line: &str) -> String {
    let mut parts = line.split(" s").peekable();
    let mut out = String::new();
    while let Some(part) = parts.next() {
        let rest = part.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        let ends = parts.peek().is_some_and(|n| !n.starts_with(char::is_alphanumeric));
        match ends && part[rest.len()..].contains('.') {
            true => out.push_str(&format!("{rest}…")),
            false => out.push_str(part),
        }
        if parts.peek().is_some() {
            out.push_str(" s");
        }
    }
    out
}

/// Without the style sheet and the script, which are files of their own, and without
/// the pages of the book, which have tests of their own.
fn without_assets(page: &str) -> String {
    let mut out = page.to_owned();
    let parts = [
        ("<style>", "</style>"),
        ("<script>", "</script>"),
        ("<section class=\"about\">", "</section>"),
    ];
    for (open, close) in parts {
        let Some(start) = out.find(open).map(|n| n + open.len()) else { continue };
        let end = out[start..].find(close).map_or(out.len(), |n| start + n);
        out.replace_range(start..end, "");
    }
    out
}

/// A line for each tag, so that a difference shows where it is.
fn tags_on_lines(page: &str) -> String {
    page.replace("><", ">\n<")
}

/// Without the pages of the book.
fn without_help(mut log: Value) -> String {
    let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array_mut().expect("rules");
    for rule in rules {
        for field in ["fullDescription", "help"] {
            rule.as_object_mut().expect("a rule").remove(field).expect(field);
        }
    }
    serde_json::to_string_pretty(&log).expect("JSON")
}

fn sarif() -> &'static Schema {
    static SCHEMA: OnceLock<Schema> = OnceLock::new();
    SCHEMA.get_or_init(|| {
        let path = sarif_schema();
        let text = std::fs::read_to_string(&path).expect("the package has a schema");
        // Its one mistake, a bracket too many, as OASIS corrected it in the errata.
        let (wrong, right) =
            ("^[a-zA-Z]{2}|^[a-zA-Z]{2}-[a-zA-Z]{2}]?$", "^[a-zA-Z]{2}(-[a-zA-Z]{2})?$");
        Schema::parse(&text.replace(wrong, right))
    })
}

/// Where cargo keeps the source of serde-sarif.
fn sarif_schema() -> PathBuf {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo starts");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo metadata: {told}");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let package = packages.iter().find(|p| p["name"] == "serde-sarif").expect("serde-sarif");
    let manifest = Path::new(package["manifest_path"].as_str().expect("a path"));
    manifest.with_file_name("src").join("schema.json")
}
