//! What the tests that compare reports share: running the binary, the marks of
//! expected findings in kernels, and showing where two texts differ.
// Each test that includes this module uses a part of it.
#![allow(dead_code)]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::Value;

/// No case needs more than a few seconds of its own; machines may be busy.
const LIMIT: Duration = Duration::from_secs(300);

/// A launch of `tests/formats/bounds.cl` that writes beyond the end of its array.
pub(crate) const BEYOND_THE_END: &[&str] =
    &["run", "bounds.cl", "--block", "16", "--grid", "2", "--arg", "a=i32[32]", "--arg", "n=7"];

/// A launch of `tests/formats/diverges.cu` in which half of the threads wait for the others.
#[rustfmt::skip]
pub(crate) const DIVERGES: &[&str] =
    &["run", "diverges.cu", "--block", "32", "--grid", "1", "--arg", "out=i32[32]", "--arg", "n=16"];

/// Golden texts are to be rewritten.
pub(crate) fn blessing() -> bool {
    std::env::var_os("LOCKSTEP_BLESS").is_some()
}

/// The root of the repository.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The binary just built, or the one that `LOCKSTEP_BIN` names.
pub(crate) fn binary() -> PathBuf {
    std::env::var_os("LOCKSTEP_BIN")
        .map_or_else(|| env!("CARGO_BIN_EXE_lockstep").into(), PathBuf::from)
}

/// How a command ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// Lockstep, started in a folder.
pub(crate) fn lockstep<S: AsRef<std::ffi::OsStr>>(dir: &Path, args: &[S]) -> Ended {
    let mut command = Command::new(binary());
    command.args(args).current_dir(dir);
    ended(command)
}

/// A line as a shell runs it in a folder, with `lockstep` on its path, `$?` as it was
/// left by the line before, and standard error among standard output.
pub(crate) fn shell(dir: &Path, line: &str, last_status: i32) -> Ended {
    let here = binary().parent().map(Path::to_path_buf).unwrap_or_default();
    let mut path = here.into_os_string();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let mut command = Command::new("sh");
    let script = format!("exec 2>&1\n(exit {last_status})\n{line}");
    command.args(["-c", &script]).env("PATH", path).current_dir(dir);
    ended(command)
}

/// Results of other versions must not be found: a cache of this test's own, empty when it starts.
fn cache() -> &'static Path {
    static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(concat!("cache-", module_path!()));
        let _ = std::fs::remove_dir_all(&folder);
        folder
    });
    &FOLDER
}

/// What takes too long is ended, with status -1.
fn ended(mut command: Command) -> Ended {
    let mut child = command
        .env("LOCKSTEP_CACHE_DIR", cache())
        .env("LOCKSTEP_REPRODUCIBLE", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let out = reader(child.stdout.take().expect("a pipe"));
    let err = reader(child.stderr.take().expect("a pipe"));
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("it can be waited for") {
            break status.code().unwrap_or(-1);
        }
        if start.elapsed() > LIMIT {
            child.kill().expect("it can be ended");
            child.wait().expect("it has ended");
            break -1;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let text = |r: JoinHandle<String>| r.join().expect("no panic");
    let (out, mut err) = (text(out), text(err));
    if status == -1 {
        let _ = writeln!(err, "ended after {} s", start.elapsed().as_secs());
    }
    Ended { status, out, err }
}

fn reader(mut pipe: impl Read + Send + 'static) -> JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).expect("a pipe can be read");
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Checks all items on as many threads as there are cores: what is wrong with each, in
/// the order of their titles.
pub(crate) fn in_parallel<T: Sync>(
    items: &[T],
    title: impl Fn(&T) -> String + Sync,
    check: impl Fn(&T) -> Result<(), String> + Sync,
) -> Vec<String> {
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(why) = check(item) {
                        let text = format!("{}:\n{why}", title(item));
                        failures.lock().expect("no panic").push(text);
                    }
                }
            });
        }
    });
    let mut failures = failures.into_inner().expect("no panic");
    failures.sort();
    failures
}

/// A finding's place, as marked or as reported.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    line: u64,
    kind: String,
    severity: String,
}

impl Place {
    fn text(&self) -> String {
        let Place { line, kind, severity } = self;
        match severity.as_str() {
            "error" => format!("line {line}: {kind}"),
            _ => format!("line {line}: {kind} {severity}"),
        }
    }
}

/// `//~ KIND`, `//~ KIND warning` or, for some revisions only, `//~[a,b] KIND`.
pub(crate) struct Marker<'a> {
    line: u64,
    /// None named means all.
    pub(crate) revisions: Vec<&'a str>,
    kind: &'a str,
    severity: &'a str,
}

impl<'a> Marker<'a> {
    fn parse(line: u64, text: &'a str) -> Option<Marker<'a>> {
        let (revisions, text) = match text.strip_prefix('[') {
            Some(rest) => {
                let (names, rest) = rest.split_once(']')?;
                (names.split(',').map(str::trim).collect(), rest)
            }
            None => (Vec::new(), text),
        };
        let mut words = text.split_whitespace();
        let kind = words.next()?;
        let severity = words.next().unwrap_or("error");
        let right = matches!(severity, "error" | "warning") && words.next().is_none();
        right.then_some(Marker { line, revisions, kind, severity })
    }
}

/// The marks of a kernel's text; `name` is for messages.
pub(crate) fn markers<'a>(name: &str, text: &'a str) -> Vec<Marker<'a>> {
    let mut found = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        for mark in line.split("//~").skip(1) {
            let marker = Marker::parse(number, mark)
                .unwrap_or_else(|| panic!("{name}:{number}: bad marker '{mark}'"));
            found.push(marker);
        }
    }
    found
}

/// The places that one revision's findings must name.
pub(crate) fn expected_places(markers: &[Marker<'_>], revision: Option<&str>) -> BTreeSet<Place> {
    let holds = |m: &&Marker<'_>| {
        m.revisions.is_empty() || revision.is_some_and(|r| m.revisions.contains(&r))
    };
    let place = |m: &Marker<'_>| Place {
        line: m.line,
        kind: m.kind.to_owned(),
        severity: m.severity.to_owned(),
    };
    markers.iter().filter(holds).map(place).collect()
}

/// An error ends with 1; a barrier that seems redundant stays unknown.
pub(crate) fn usual_status(expected: &BTreeSet<Place>) -> i32 {
    if expected.iter().any(|p| p.severity == "error") {
        1
    } else if expected.iter().any(|p| p.kind == "redundant-barrier") {
        3
    } else {
        0
    }
}

/// How a JSON report's findings differ from those expected in `file`: empty where they do not.
pub(crate) fn differences(json: &Value, file: &str, expected: &BTreeSet<Place>) -> String {
    let mut wrong = String::new();
    let (found, elsewhere) = places(json, file);
    for place in expected.difference(&found) {
        let _ = writeln!(wrong, "  missing: {}", place.text());
    }
    for place in found.difference(expected) {
        let _ = writeln!(wrong, "  not expected: {}", place.text());
    }
    for text in elsewhere {
        let _ = writeln!(wrong, "  not expected: {text}");
    }
    wrong
}

/// The places in `file` that findings name, and descriptions of findings that have none there.
fn places(json: &Value, file: &str) -> (BTreeSet<Place>, Vec<String>) {
    let list = |v: &Value| v.as_array().cloned().unwrap_or_default();
    let text = |v: &Value| v.as_str().unwrap_or_default().to_owned();
    let (mut here, mut elsewhere) = (BTreeSet::new(), Vec::new());
    for kernel in list(&json["kernels"]) {
        for finding in list(&kernel["findings"]) {
            let kind = text(&finding["kind"]);
            let mut placed = false;
            for access in list(&finding["accesses"]) {
                match access["line"].as_u64() {
                    Some(line) if access["file"] == file => {
                        here.insert(Place {
                            line,
                            kind: kind.clone(),
                            severity: text(&finding["severity"]),
                        });
                        placed = true;
                    }
                    _ => elsewhere.push(format!("{kind} at {}:{}", access["file"], access["line"])),
                }
            }
            if !placed {
                elsewhere.push(format!("{kind} without a place: {}", finding["message"]));
            }
        }
    }
    (here, elsewhere)
}

/// Splits a command line at spaces, with single and double quotes as in a shell.
pub(crate) fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in line.chars() {
        match quote {
            Some(q) if c == q => quote = None,
            None if c == '\'' || c == '"' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// Leaves out the seconds, `(0.12 s)` and JSON's `"seconds": 0.123`.
pub(crate) fn normalised(text: &str) -> String {
    let mut result = String::new();
    for line in text.lines() {
        if let Some((head, number)) = line.split_once("\"seconds\": ") {
            let tail = number.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
            result.push_str(&format!("{head}\"seconds\": …{tail}\n"));
            continue;
        }
        let mut rest = line;
        while let Some(end) = rest.find(" s)") {
            let head = &rest[..end];
            let number = head.rfind(|c: char| !c.is_ascii_digit() && c != '.').map_or(0, |i| i + 1);
            if head[..number].ends_with('(') && number < end {
                result.push_str(&head[..number]);
                result.push('…');
            } else {
                result.push_str(head);
            }
            result.push_str(" s)");
            rest = &rest[end + 3..];
        }
        result.push_str(rest.trim_end());
        result.push('\n');
    }
    result
}

pub(crate) fn indented(text: &str) -> String {
    text.lines().fold(String::new(), |all, line| all + "    | " + line + "\n")
}

/// The lines that differ, in the order of the reports, with those in between left out.
pub(crate) fn difference(golden: &str, report: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (golden.lines().collect(), report.lines().collect());
    let same = |(a, b): &(&&str, &&str)| a == b;
    let head = old.iter().zip(&new).take_while(same).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(same).count();
    let mut text = String::new();
    for line in &old[head..old.len() - tail] {
        let _ = writeln!(text, "    - {line}");
    }
    for line in &new[head..new.len() - tail] {
        let _ = writeln!(text, "    + {line}");
    }
    text
}

/// Compares with a golden file, or writes it when blessing.
pub(crate) fn golden(file: &Path, report: &str) -> Result<(), String> {
    if blessing() {
        std::fs::write(file, report).map_err(|e| format!("  {}: {e}", file.display()))?;
        return Ok(());
    }
    match std::fs::read_to_string(file) {
        Ok(golden) if golden == report => Ok(()),
        Ok(golden) => Err(format!("  the report differs:\n{}", difference(&golden, report))),
        Err(_) => Err("  no golden report; LOCKSTEP_BLESS=1 writes it".into()),
    }
}
