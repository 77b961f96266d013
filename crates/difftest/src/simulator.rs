//! The simulator's side of a case: the `lockstep` binary, as a user runs it.
//!
//! Inputs go in as raw files (`--arg a=f32[64]:@FILE`), buffers come back through `--dump`. The run
//! must end with status 0 and no finding in its JSON, because every case is correct.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::case::{ArgKind, Case};
use crate::compare::Buffers;

#[derive(Debug)]
pub struct Simulator {
    binary: PathBuf,
}

impl Simulator {
    pub fn new(binary: impl Into<PathBuf>) -> Simulator {
        Simulator { binary: binary.into() }
    }

    /// The binary named by `LOCKSTEP_BIN`, else that of this very build, brought up to date by cargo.
    pub fn find() -> Result<Simulator, String> {
        if let Some(path) = std::env::var_os("LOCKSTEP_BIN") {
            return Ok(Simulator { binary: path.into() });
        }
        let this = std::env::current_exe().map_err(|e| e.to_string())?;
        let profile_dir = this
            .ancestors()
            .skip(1)
            .find(|dir| !dir.ends_with("deps"))
            .ok_or("no directory for the build")?;
        let release = profile_dir.ends_with("release");
        let target = profile_dir.parent().ok_or("no target directory")?;
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
        cargo.args(["build", "--quiet", "--package", "lockstep", "--bin", "lockstep"]);
        cargo.arg("--target-dir").arg(target).current_dir(env!("CARGO_MANIFEST_DIR"));
        if release {
            cargo.arg("--release");
        }
        let status = cargo.status().map_err(|e| format!("cannot run cargo: {e}"))?;
        let binary = profile_dir.join("lockstep");
        if !status.success() || !binary.exists() {
            return Err(format!("cargo could not build {}", binary.display()));
        }
        Ok(Simulator { binary })
    }

    /// Runs the case and returns the contents of its buffers after the launch.
    pub fn run(&self, case: &Case, inputs: &Buffers) -> Result<Buffers, String> {
        let dir = tempfile::tempdir().map_err(|e| e.to_string())?;
        let source = dir.path().join("kernel.cl");
        write(&source, case.source.as_bytes())?;
        let mut command = Command::new(&self.binary);
        command.arg("run").arg(&source).args(["--kernel", &case.kernel, "--format", "json"]);
        command.arg("--block").arg(dims(case.block)).arg("--grid").arg(dims(case.grid));
        let mut dumps = vec![None; case.args.len()];
        for (i, arg) in case.args.iter().enumerate() {
            let name = &arg.name;
            let value = match &arg.kind {
                ArgKind::Scalar { text, .. } => format!("{name}={text}"),
                ArgKind::Local { ty, len } => format!("{name}={}[{len}]", ty.name()),
                ArgKind::Buffer { ty, len, .. } => {
                    let input = dir.path().join(format!("{i}.in"));
                    write(&input, inputs[i].as_deref().unwrap_or_default())?;
                    let dump = dir.path().join(format!("{i}.out"));
                    command.arg("--dump").arg(format!("{name}={}", dump.display()));
                    dumps[i] = Some(dump);
                    format!("{name}={}[{len}]:@{}", ty.name(), input.display())
                }
            };
            command.arg("--arg").arg(value);
        }
        let output = command.output().map_err(|e| format!("{}: {e}", self.binary.display()))?;
        let stdout = String::from_utf8_lossy(&output.stdout);
        let stderr = String::from_utf8_lossy(&output.stderr);
        let told = complaints(&stdout);
        if !output.status.success() || !told.is_empty() {
            let told = if told.is_empty() { stderr.trim().to_string() } else { told.join("; ") };
            return Err(format!("{}: {told}", output.status));
        }
        let read = |dump: Option<PathBuf>| {
            dump.map(|path| std::fs::read(&path).map_err(|e| format!("no dump: {e}"))).transpose()
        };
        dumps.into_iter().map(read).collect()
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    std::fs::write(path, bytes).map_err(|e| format!("{}: {e}", path.display()))
}

fn dims(d: [usize; 3]) -> String {
    format!("{},{},{}", d[0], d[1], d[2])
}

/// Findings, unknown verdicts and errors in the JSON of a run, a line each.
fn complaints(json: &str) -> Vec<String> {
    let Ok(report) = serde_json::from_str::<serde_json::Value>(json) else {
        return vec![];
    };
    let mut told = Vec::new();
    for kernel in report["kernels"].as_array().into_iter().flatten() {
        for finding in kernel["findings"].as_array().into_iter().flatten() {
            let access = &finding["accesses"][0];
            let text = |v: &serde_json::Value| v.as_str().unwrap_or_default().to_string();
            let line = &access["line"];
            told.push(format!(
                "{} at line {line}: {}",
                text(&finding["kind"]),
                text(&finding["message"])
            ));
        }
        for (kind, verdict) in kernel["verdicts"].as_object().into_iter().flatten() {
            if verdict["verdict"] == "unknown" {
                told.push(format!("{kind} unknown: {}", verdict["because"]));
            }
        }
    }
    for error in report["errors"].as_array().into_iter().flatten() {
        told.push(error.to_string());
    }
    told.dedup();
    told
}
