//! The sample projects under `examples/`, each through every format.
//!
//! A project's reports are compared with the files in its folder `expected`;
//! `LOCKSTEP_BLESS=1` writes them. Lockstep is started in the project's folder, as its
//! people would. `LOCKSTEP_EXAMPLES=TEXT` runs only projects whose name contains TEXT.

mod support;

use std::path::PathBuf;

use serde_json::Value;

use support::{Ended, golden, in_parallel, lockstep, normalised, repository};

/// A folder under `examples`.
struct Project {
    name: &'static str,
    args: &'static [&'static str],
    status: i32,
}

const PROJECTS: [Project; 2] = [
    Project {
        name: "opencl-kernels",
        args: &[
            "kernels/compact.cl",
            "kernels/histogram.cl",
            "kernels/scan.cl",
            "kernels/stencil.cl",
            "kernels/transpose.cl",
        ],
        status: 1,
    },
    Project { name: "single-header", args: &["instances.cu"], status: 1 },
];

/// A format and the golden file it is compared with.
const FORMATS: [(&str, &str); 3] =
    [("human", "report.txt"), ("concise", "concise.txt"), ("json", "report.json")];

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

/// The report without seconds.
fn timeless(format: &str, report: &str) -> String {
    if format != "json" {
        return normalised(report);
    }
    let mut value: Value = serde_json::from_str(report).expect("a JSON report is JSON");
    for kernel in value["kernels"].as_array_mut().into_iter().flatten() {
        kernel.as_object_mut().expect("a kernel").remove("seconds");
    }
    serde_json::to_string_pretty(&value).expect("JSON") + "\n"
}
