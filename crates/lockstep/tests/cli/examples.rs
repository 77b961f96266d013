//! The sample projects under `examples/`, each through every format.
//!
//! A project's reports are compared with the files in its folder `expected`;
//! `LOCKSTEP_BLESS=1` writes them. Lockstep is started in the project's folder, as its
//! people would. `LOCKSTEP_EXAMPLES=TEXT` runs only projects whose name contains TEXT.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::{Ended, golden, in_parallel, lockstep, normalised, repository, shell};

/// A folder under `examples`.
struct Project {
    name: &'static str,
    args: &'static [&'static str],
    status: i32,
}

const PROJECTS: [Project; 5] = [
    Project { name: "cuda-project", args: &["src"], status: 1 },
    Project { name: "opencl-kernels", args: &["kernels"], status: 1 },
    Project { name: "single-header", args: &["instances.cu"], status: 1 },
    Project { name: "candidates", args: &["--block", "8", "."], status: 1 },
    Project { name: "passes", args: &["sum.cu"], status: 0 },
];

/// The candidates for a kernel, and how `lockstep equiv` ends for each.
const CANDIDATES: [(&str, i32, &str); 3] =
    [("first", 1, "found"), ("second", 1, "unknown"), ("third", 0, "proved")];

/// A format and the golden file it is compared with.
const FORMATS: [(&str, &str); 5] = [
    ("human", "report.txt"),
    ("concise", "concise.txt"),
    ("json", "report.json"),
    ("sarif", "report.sarif"),
    ("github", "github.txt"),
];

#[test]
fn every_project_in_every_format() {
    let filter = std::env::var("LOCKSTEP_EXAMPLES").unwrap_or_default();
    let runs: Vec<(&Project, &str, &str)> = PROJECTS
        .iter()
        .filter(|project| project.name.contains(&filter))
        .flat_map(|project| FORMATS.iter().map(move |&(format, file)| (project, format, file)))
        .collect();
    let title =
        |(project, format, _): &(&Project, &str, &str)| format!("{} {format}", project.name);
    let failures = in_parallel(&runs, title, |(project, format, file)| {
        let ended = project.check(format)?;
        let expected = project.folder().join("expected");
        std::fs::create_dir_all(&expected).map_err(|e| e.to_string())?;
        golden(&expected.join(file), &timeless(format, &ended.out))
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Of three candidates, one is wrong at the tail, one races, and one computes what the reference does.
#[test]
fn candidates_are_told_apart() {
    let folder = repository().join("examples/candidates");
    let launch = "--grid 4 --block 8 --arg rows=4 --arg columns=20 --arg values=u32[80]:symbolic --arg sums=u32[4]";
    let failures = in_parallel(
        &CANDIDATES,
        |c| c.0.to_owned(),
        |(name, status, verdict)| {
            let candidate = format!("{name}.cu:row_sums");
            let start = ["equiv", "row_sums.c:row_sums", &candidate];
            let report = |format: &str| {
                let args = [&start[..], &launch.split(' ').collect::<Vec<_>>()];
                lockstep(&folder, &[args.concat(), vec!["--format", format]].concat())
            };
            let (human, json) = (report("human"), report("json"));
            let value: Value = serde_json::from_str(&json.out).map_err(|e| e.to_string())?;
            let said = &value["kernels"][0]["verdicts"]["mismatch"]["verdict"];
            if human.status != *status || json.status != *status || said != verdict {
                return Err(format!(
                    "  status {}, {said}\n{}{}",
                    human.status, human.out, human.err
                ));
            }
            let expected = folder.join("expected");
            golden(&expected.join(format!("equiv-{name}.txt")), &normalised(&human.out))?;
            golden(&expected.join(format!("equiv-{name}.json")), &timeless("json", &json.out))
        },
    );
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The loop of the example's script: both commands for each candidate, with their exit status.
#[test]
fn the_script_of_the_candidates_runs() {
    let folder = tempfile::TempDir::new().expect("a temporary folder");
    let from = repository().join("examples/candidates");
    for name in ["row_sums.c", "first.cu", "second.cu", "third.cu", "try.sh"] {
        std::fs::copy(from.join(name), folder.path().join(name)).expect("a file of the example");
    }
    let ended = shell(folder.path(), "sh try.sh", 0);
    let lines: Vec<&str> = ended.out.lines().filter(|l| l.contains(" ends with ")).collect();
    assert_eq!(
        lines,
        [
            "first.cu: equiv ends with 1",
            "first.cu: check ends with 0",
            "second.cu: equiv ends with 1",
            "second.cu: check ends with 1",
            "third.cu: equiv ends with 0",
            "third.cu: check ends with 0"
        ],
        "{}",
        ended.out
    );
}

/// CMake is not needed to know what it writes: one command for each file, with nvcc's options.
#[test]
fn a_compilation_database_gives_the_same_report() {
    let project = &PROJECTS[0];
    let folder = project.folder().canonicalize().expect("the project");
    let build = tempfile::TempDir::new().expect("a temporary folder");
    let nvcc = "/usr/local/cuda/bin/nvcc -forward-unknown-to-host-compiler -std=c++17 \
                \"--generate-code=arch=compute_70,code=[compute_70,sm_70]\"";
    let include = folder.join("include");
    let mut commands = Vec::new();
    for entry in std::fs::read_dir(folder.join("src")).expect("the sources") {
        let file = entry.expect("an entry").path();
        let name = file.file_name().expect("a name").to_string_lossy().into_owned();
        let object = format!("CMakeFiles/rowkit.dir/src/{name}.o");
        let (include, source) = (include.display(), file.display());
        commands.push(json!({
            "directory": build.path(),
            "command": format!("{nvcc} -I{include} -x cu -c {source} -o {object}"),
            "file": file,
            "output": object,
        }));
    }
    let database = serde_json::to_string_pretty(&commands).expect("JSON");
    std::fs::write(build.path().join("compile_commands.json"), database).expect("it is written");
    let build = build.path().to_string_lossy().into_owned();
    let by_build = project.report("concise", &["-p", &build]);
    let by_tree = project.report("concise", project.args);
    assert_eq!(by_build.status, project.status, "{}{}", by_build.out, by_build.err);
    let lines = |report: &Ended| report.out.lines().map(str::to_owned).collect::<BTreeSet<_>>();
    assert_eq!(lines(&by_build), lines(&by_tree));
}

/// Its look is tested elsewhere; here, that it is one page and has every kernel and finding.
#[test]
fn every_project_as_a_page() {
    for project in &PROJECTS {
        let page = project.check("html").expect("a report").out;
        let json = project.check("json").expect("a report").out;
        let report: Value = serde_json::from_str(&json).expect("JSON");
        assert!(page.starts_with("<!doctype html>"), "{}", project.name);
        for outside in ["src=\"http", "href=\"http", "url(http", "@import"] {
            assert!(!page.contains(outside), "{}: {outside}", project.name);
        }
        for kernel in report["kernels"].as_array().expect("kernels") {
            let name = kernel["name"].as_str().expect("a name").replace('<', "&lt;");
            assert!(page.contains(&name.replace('>', "&gt;")), "{}: no {name}", project.name);
            for finding in kernel["findings"].as_array().expect("findings") {
                let kind = finding["kind"].as_str().expect("a kind");
                assert!(page.contains(kind), "{}: no {kind}", project.name);
            }
        }
    }
}

/// A folder that no entry above names would be forgotten silently.
#[test]
fn no_project_is_forgotten() {
    let readme = std::fs::read_to_string(repository().join("README.md")).expect("the README");
    for entry in std::fs::read_dir(repository().join("examples")).expect("the examples") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            assert!(PROJECTS.iter().any(|p| p.name == name), "examples/{name} is not run");
            assert!(path.join("README.md").exists(), "examples/{name} has no README.md");
            assert!(readme.contains(&format!("(examples/{name}/)")), "README.md has no link to it");
        }
    }
}

impl Project {
    fn folder(&self) -> PathBuf {
        repository().join("examples").join(self.name)
    }

    fn report(&self, format: &str, files: &[&str]) -> Ended {
        let args = ["check", "--format", format];
        lockstep(&self.folder(), &[&args, files].concat())
    }

    fn check(&self, format: &str) -> Result<Ended, String> {
        let ended = self.report(format, self.args);
        match ended.status == self.status {
            true => Ok(ended),
            false => Err(format!(
                "  ends with status {}, should be {}\n{}{}",
                ended.status, self.status, ended.out, ended.err
            )),
        }
    }
}

/// The report without seconds, and without the pages of the book that SARIF quotes.
fn timeless(format: &str, report: &str) -> String {
    if !matches!(format, "json" | "sarif") {
        return normalised(report);
    }
    let mut value: Value = serde_json::from_str(report).expect("a JSON report is JSON");
    // Indexing a value would add what is not there.
    let kernels = value.get_mut("kernels").and_then(Value::as_array_mut);
    for kernel in kernels.into_iter().flatten() {
        kernel.as_object_mut().expect("a kernel").remove("seconds");
        for finding in kernel["findings"].as_array_mut().expect("findings") {
            // It begins in this folder, wherever that is.
            finding.as_object_mut().expect("a finding").shift_remove("repeat");
        }
    }
    let runs = value.get_mut("runs").and_then(Value::as_array_mut);
    for run in runs.into_iter().flatten() {
        run["tool"]["driver"].as_object_mut().expect("a tool").remove("rules");
    }
    serde_json::to_string_pretty(&value).expect("JSON") + "\n"
}
