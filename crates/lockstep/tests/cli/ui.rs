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
//!   the report in JSON as sets of (line, kind, severity): nothing missing, nothing more.
//!   The JSON must be valid by `schemas/report.schema.json`.
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
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::output::schema;
use crate::support::{
    Place, differences, expected_places, golden, in_parallel, indented, lockstep, markers,
    normalised, usual_status, words,
};

const FOLDERS: &[&str] = &[
    "assertion",
    "barrier-divergence",
    "clean",
    "data-race",
    "deadlock",
    "misaligned",
    "missing-fence",
    "out-of-bounds",
    "redundant-fence",
    "search",
    "symbolic",
    "uninitialised-read",
    "use-after-free",
];

/// Pairs of references and kernels, programs, and recorded launches.
const WITH_TESTS_OF_THEIR_OWN: [&str; 3] = ["equiv", "exec", "launches"];

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
fn redundant_fence() {
    folder("redundant-fence");
}

#[test]
fn search() {
    folder("search");
}

#[test]
fn symbolic() {
    folder("symbolic");
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
        if !path.is_dir() || WITH_TESTS_OF_THEIR_OWN.contains(&name.as_str()) {
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
    let failures = in_parallel(&runs, |(_, run)| run.title.clone(), |(file, run)| run.check(file));
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
        for marker in markers(&self.name, &self.text) {
            for rev in marker.revisions.iter() {
                assert!(named.contains(rev), "{}: no revision is named '{rev}'", self.name);
            }
        }
        runs
    }

    fn run(&self, rev: Option<&str>, command: &str) -> Run {
        let expected = expected_places(&markers(&self.name, &self.text), rev);
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
}

impl Run {
    fn check(&self, file: &str) -> Result<(), String> {
        let json_file = tempfile::NamedTempFile::new().map_err(|e| e.to_string())?;
        // Behind the command, since what stands after `--` is clang's.
        let mut args = self.args.clone();
        let also = format!("--also=json={}", json_file.path().display());
        args.splice(1..1, [also]);
        let human = lockstep(&root(), &args);
        let status = human.status;
        let json = std::fs::read_to_string(json_file.path()).map_err(|e| e.to_string())?;
        let mut wrong = String::new();
        if status != self.status {
            let _ = writeln!(wrong, "  ends with status {status}, should be {}", self.status);
        }
        // Where the input could not be used there may be no report at all.
        let json: Value = match serde_json::from_str(&json) {
            Ok(json) => json,
            Err(_) if self.status == 2 && self.expected.is_empty() => Value::Null,
            Err(e) => {
                let (out, err) = (human.out, human.err);
                return Err(format!("{wrong}  no JSON: {e}\n{json}\n{out}\n{err}"));
            }
        };
        if !json.is_null() {
            schema::report().check(&json).map_err(|e| format!("{wrong}{e}"))?;
        }
        wrong += &differences(&json, file, &self.expected);
        let report = normalised(&format!("{}{}", human.out, human.err));
        if !wrong.is_empty() {
            return Err(format!("{wrong}{}", indented(&report)));
        }
        golden(&self.golden, &report)
    }
}
