//! Tiny kernels, one defect (or none) each, with the lines of the findings marked.
//!
//! Every `tests/<folder>/*.cu` and `*.cl` at the root of the repository is a case;
//! the folder is the kind of finding it is about. A case says in comments
//!
//! - how it is run, in the first lines: `// lockstep: run --block 64 --arg n=3`
//!   (the file is added; without such a line it is `check`). Several
//!   *revisions* have one line each: `// lockstep[warp]: run --scheduling lockstep`;
//! - what is found: `//~ KIND` or `//~ KIND warning` on each line that a finding
//!   of that kind names, in all its accesses; `//~[warp] KIND` or `//~[a,b] KIND` for some
//!   revisions only. Several markers may stand on one line. Compared with
//!   `--format json` as sets of (line, kind, severity): nothing missing, nothing more.
//!   A case without markers has no findings;
//! - how it ends, where that does not follow from the markers (1 with an error,
//!   else 0): `// exit: 2` or `// exit[warp]: 3`.
//!
//! The human report is compared with the file beside it, `x.out` (`x.warp.out` for
//! a revision), with the seconds left out. `LOCKSTEP_BLESS=1` writes these
//! files, but only for cases whose findings and exit status are right.
//! `LOCKSTEP_UI=TEXT` runs only cases whose path contains TEXT; `LOCKSTEP_BIN` names
//! another binary than the one just built.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::Value;

/// No case needs more than a second of its own; machines may be busy.
const LIMIT: Duration = Duration::from_secs(30);

const FOLDERS: &[&str] = &[
    "assertion",
    "barrier-divergence",
    "clean",
    "data-race",
    "deadlock",
    "misaligned",
    "missing-fence",
    "out-of-bounds",
    "search",
    "uninitialised-read",
    "use-after-free",
];

#[test]
fn assertion() {
    folder("assertion");
}

#[test]
fn barrier_divergence() {
    folder("barrier-divergence");
}

#[test]
fn clean() {
    folder("clean");
}

#[test]
fn data_race() {
    folder("data-race");
}

#[test]
fn deadlock() {
    folder("deadlock");
}

#[test]
fn misaligned() {
    folder("misaligned");
}

#[test]
fn missing_fence() {
    folder("missing-fence");
}

#[test]
fn out_of_bounds() {
    folder("out-of-bounds");
}

#[test]
fn search() {
    folder("search");
}

#[test]
fn uninitialised_read() {
    folder("uninitialised-read");
}

#[test]
fn use_after_free() {
    folder("use-after-free");
}

/// A folder that no test above runs would be forgotten silently, and so would the
/// golden report of a case that is gone; and two cases must not share one.
#[test]
fn nothing_is_forgotten() {
    let mut wrong = Vec::new();
    for entry in std::fs::read_dir(root()).expect("the tests folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !path.is_dir() {
            continue;
        }
        if !FOLDERS.contains(&name.as_str()) {
            wrong.push(format!("tests/{name}: no test function runs this folder"));
            continue;
        }
        let mut golden = BTreeSet::new();
        for run in cases_of(&name).iter().flat_map(Case::runs) {
            if !golden.insert(run.golden) {
                wrong.push(format!("{}: another case has the same golden report", run.title));
            }
        }
        for file in files(&path, &["out"]) {
            if !golden.contains(&file) {
                wrong.push(format!("{}: belongs to no case", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A finding's place, as marked or as reported.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    line: u64,
    kind: String,
    severity: String,
}

/// One file.
struct Case {
    path: PathBuf,
    /// Relative to the tests folder: what lockstep is given.
    name: String,
    text: String,
}

/// One revision of a case.
struct Run {
    title: String,
    args: Vec<String>,
    expected: BTreeSet<Place>,
    status: i32,
    golden: PathBuf,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests")
}

fn files(dir: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(dir)
        .unwrap_or_else(|e| panic!("{}: {e}", dir.display()))
        .map(|entry| entry.expect("an entry").path())
        .filter(|p| p.extension().is_some_and(|e| extensions.iter().any(|x| e == *x)))
        .collect();
    found.sort();
    found
}

fn cases_of(folder: &str) -> Vec<Case> {
    files(&root().join(folder), &["cu", "cl"])
        .into_iter()
        .map(|path| Case {
            name: format!("{folder}/{}", path.file_name().unwrap_or_default().to_string_lossy()),
            text: std::fs::read_to_string(&path).expect("a case is text"),
            path,
        })
        .collect()
}

/// Runs a folder's cases and fails with everything that is wrong in any of them.
fn folder(name: &str) {
    let filter = std::env::var("LOCKSTEP_UI").unwrap_or_default();
    let runs: Vec<(String, Run)> = cases_of(name)
        .iter()
        .filter(|case| case.name.contains(&filter))
        .flat_map(|case| case.runs().into_iter().map(|run| (case.name.clone(), run)))
        .collect();
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some((file, run)) = runs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(why) = run.check(file) {
                        failures.lock().expect("no panic").push(format!("{}:\n{why}", run.title));
                    }
                }
            });
        }
    });
    let mut failures = failures.into_inner().expect("no panic");
    failures.sort();
    assert!(
        failures.is_empty(),
        "{} of {} runs in tests/{name} are wrong\n\n{}",
        failures.len(),
        runs.len(),
        failures.join("\n")
    );
}

impl Case {
    fn runs(&self) -> Vec<Run> {
        let mut commands: Vec<(Option<&str>, &str)> = self.directives("lockstep").collect();
        if commands.is_empty() {
            commands.push((None, "check"));
        }
        let runs: Vec<Run> =
            commands.iter().map(|&(rev, command)| self.run(rev, command)).collect();
        let named: Vec<&str> = commands.iter().filter_map(|c| c.0).collect();
        for (_, marker) in self.markers() {
            for rev in marker.revisions.iter() {
                assert!(named.contains(rev), "{}: no revision is named '{rev}'", self.name);
            }
        }
        runs
    }

    fn run(&self, rev: Option<&str>, command: &str) -> Run {
        let expected: BTreeSet<Place> = self
            .markers()
            .into_iter()
            .filter(|(_, m)| {
                m.revisions.is_empty() || rev.is_some_and(|r| m.revisions.contains(&r))
            })
            .map(|(line, m)| Place {
                line,
                kind: m.kind.to_owned(),
                severity: m.severity.to_owned(),
            })
            .collect();
        let status = self
            .directives("exit")
            .find(|(of, _)| of.is_none() || *of == rev)
            .map(|(_, text)| text.parse().expect("an exit status"))
            .unwrap_or_else(|| usual_status(&expected));
        let mut args = words(command);
        args.insert(1, self.name.clone());
        Run {
            title: match rev {
                Some(rev) => format!("tests/{} [{rev}]", self.name),
                None => format!("tests/{}", self.name),
            },
            args,
            expected,
            status,
            golden: match rev {
                Some(rev) => self.path.with_extension(format!("{rev}.out")),
                None => self.path.with_extension("out"),
            },
        }
    }

    /// `// NAME: TEXT` and `// NAME[REV]: TEXT`, each at the start of a line.
    fn directives<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (Option<&'a str>, &'a str)> {
        self.text.lines().filter_map(move |line| {
            let rest = line.strip_prefix("// ")?.strip_prefix(name)?;
            let (rev, rest) = match rest.strip_prefix('[') {
                Some(rest) => {
                    let (rev, rest) = rest.split_once(']')?;
                    (Some(rev), rest)
                }
                None => (None, rest),
            };
            Some((rev, rest.strip_prefix(':')?.trim()))
        })
    }

    fn markers(&self) -> Vec<(u64, Marker<'_>)> {
        let mut found = Vec::new();
        for (number, line) in (1..).zip(self.text.lines()) {
            for text in line.split("//~").skip(1) {
                let marker = Marker::parse(text)
                    .unwrap_or_else(|| panic!("{}:{number}: bad marker '{text}'", self.name));
                found.push((number, marker));
            }
        }
        found
    }
}

struct Marker<'a> {
    /// None named means all.
    revisions: Vec<&'a str>,
    kind: &'a str,
    severity: &'a str,
}

impl<'a> Marker<'a> {
    fn parse(text: &'a str) -> Option<Marker<'a>> {
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
        right.then_some(Marker { revisions, kind, severity })
    }
}

/// An error ends with 1; a barrier that seems redundant stays unknown.
fn usual_status(expected: &BTreeSet<Place>) -> i32 {
    if expected.iter().any(|p| p.severity == "error") {
        1
    } else if expected.iter().any(|p| p.kind == "redundant-barrier") {
        3
    } else {
        0
    }
}

impl Run {
    fn check(&self, file: &str) -> Result<(), String> {
        let (status, out, err) = lockstep(&self.args, &["--format", "json"]);
        let mut wrong = String::new();
        if status != self.status {
            let _ = writeln!(wrong, "  ends with status {status}, should be {}", self.status);
        }
        // Where the input could not be used there may be no report at all.
        let json: Value = match serde_json::from_str(&out) {
            Ok(json) => json,
            Err(_) if self.status == 2 && self.expected.is_empty() => Value::Null,
            Err(e) => return Err(format!("{wrong}  no JSON: {e}\n{out}\n{err}")),
        };
        let (found, elsewhere) = places(&json, file);
        for place in self.expected.difference(&found) {
            let _ = writeln!(wrong, "  missing: {}", place.text());
        }
        for place in found.difference(&self.expected) {
            let _ = writeln!(wrong, "  not expected: {}", place.text());
        }
        for text in elsewhere {
            let _ = writeln!(wrong, "  not expected: {text}");
        }

        let (human_status, out, err) = lockstep(&self.args, &[]);
        if human_status != status {
            let _ = writeln!(wrong, "  status {status} with JSON, {human_status} without");
        }
        let report = normalised(&format!("{out}{err}"));
        if !wrong.is_empty() {
            return Err(format!("{wrong}{}", indented(&report)));
        }
        if std::env::var_os("LOCKSTEP_BLESS").is_some() {
            std::fs::write(&self.golden, &report).expect("the golden report is written");
            return Ok(());
        }
        match std::fs::read_to_string(&self.golden) {
            Ok(golden) if golden == report => Ok(()),
            Ok(golden) => Err(format!("  the report differs:\n{}", difference(&golden, &report))),
            Err(_) => Err("  no golden report; LOCKSTEP_BLESS=1 writes it".into()),
        }
    }
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

/// Status, standard output and standard error, run in the tests folder. What takes too
/// long is ended, with status -1.
fn lockstep(args: &[String], more: &[&str]) -> (i32, String, String) {
    let binary =
        std::env::var("LOCKSTEP_BIN").unwrap_or_else(|_| env!("CARGO_BIN_EXE_lockstep").to_owned());
    // Behind the command, since what stands after `--` is clang's.
    let mut child = Command::new(binary)
        .args(&args[..1])
        .args(more)
        .args(&args[1..])
        .current_dir(root())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("lockstep starts");
    let out = reader(child.stdout.take().expect("a pipe"));
    let err = reader(child.stderr.take().expect("a pipe"));
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("lockstep can be waited for") {
            break status.code().unwrap_or(-1);
        }
        if start.elapsed() > LIMIT {
            child.kill().expect("lockstep can be ended");
            child.wait().expect("lockstep has ended");
            break -1;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let text = |r: JoinHandle<String>| r.join().expect("no panic");
    let (out, mut err) = (text(out), text(err));
    if status == -1 {
        let _ = writeln!(err, "ended after {} s", start.elapsed().as_secs());
    }
    (status, out, err)
}

fn reader(mut pipe: impl Read + Send + 'static) -> JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).expect("a pipe can be read");
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Splits a command line at spaces, with single and double quotes as in a shell.
fn words(line: &str) -> Vec<String> {
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

/// Leaves out the seconds, `(0.12 s)` and the like.
fn normalised(text: &str) -> String {
    let mut result = String::new();
    for line in text.lines() {
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

fn indented(text: &str) -> String {
    text.lines().fold(String::new(), |all, line| all + "    | " + line + "\n")
}

/// The lines that differ, in the order of the reports, with those in between left out.
fn difference(golden: &str, report: &str) -> String {
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
