//! OpenCL programs: every `tests/exec/opencl/*.c` is compiled for the machine's loader, and run as the programs of CUDA are.
//!
//! Those with a line `// on: pocl` print the same on PoCL. Without OpenCL's headers and loader, or without PoCL, the tests say
//! so and pass, except where `CI` is set: `scripts/setup.sh --tests` installs all of them.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::programs::shown;
use crate::support::{Ended, golden, in_parallel, lockstep, repository};

const POCL: &str = "/etc/OpenCL/vendors/pocl.icd";

fn folder() -> PathBuf {
    repository().join("tests/exec/opencl")
}

/// Compiles a program; the message of the compiler, if it fails.
fn compile(source: &Path, program: &Path) -> Result<(), String> {
    let mut command = Command::new("cc");
    command.args(["-g", "-Wall", "-Wno-unused-function", "-o"]).arg(program);
    command.arg(source.file_name().expect("a name")).args(["-lOpenCL", "-lpthread"]);
    let output = command.current_dir(folder()).output().map_err(|e| e.to_string())?;
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() { Ok(()) } else { Err(message) }
}

/// Whether programs can be compiled here.
fn is_there(dir: &Path) -> bool {
    let there = compile(&folder().join("no_images.c"), &dir.join("first"));
    if let Err(message) = &there {
        let hint = "scripts/setup.sh --tests installs it";
        assert!(std::env::var_os("CI").is_none(), "no OpenCL here; {hint}\n{message}");
        eprintln!("SKIPPED, no OpenCL here; {hint}");
    }
    there.is_ok()
}

fn place() -> TempDir {
    TempDir::new().expect("a temporary folder")
}

fn natively(program: &Path) -> String {
    let mut command = Command::new(program);
    command.current_dir(folder()).env("OCL_ICD_VENDORS", POCL);
    let output = command.output().expect("it runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn every_program_is_reported_as_it_should_be() {
    let dir = place();
    if !is_there(dir.path()) {
        return;
    }
    let entries = std::fs::read_dir(folder()).expect("the programs").flatten();
    let mut sources: Vec<PathBuf> =
        entries.map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "c")).collect();
    sources.sort();
    assert!(sources.len() >= 10, "{} programs", sources.len());
    let has_pocl = Path::new(POCL).exists();
    assert!(has_pocl || std::env::var_os("CI").is_none(), "no PoCL here");
    let title = |source: &PathBuf| source.display().to_string();
    let wrong = in_parallel(&sources, title, |source| {
        let program = dir.path().join(source.file_stem().expect("a name"));
        compile(source, &program)?;
        let ended = run(&program);
        let text = std::fs::read_to_string(source).map_err(|e| e.to_string())?;
        if has_pocl && text.contains("\n// on: pocl\n") {
            let other = natively(&program);
            if other != ended.out {
                return Err(format!("PoCL prints\n{other}and Lockstep\n{}", ended.out));
            }
        }
        let name = program.to_string_lossy().into_owned();
        let report = shown(&ended).replace(&name, "program");
        golden(&source.with_extension("out"), &report)
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

fn run(program: &Path) -> Ended {
    let name = program.to_string_lossy();
    lockstep(&folder(), &["exec", "--format", "concise", "--jobs", "2", &name])
}

/// Every kind of finding of the simulator has a witness, which is repeated alone: also where the text of the program is in no
/// file.
#[test]
fn a_witness_repeats_a_finding() {
    let dir = place();
    if !is_there(dir.path()) {
        return;
    }
    for (name, kernel, kind) in
        [("group_race", "total", "data-race"), ("beyond", "shift", "out-of-bounds")]
    {
        let program = dir.path().join(name);
        compile(&folder().join(format!("{name}.c")), &program).expect("it compiles");
        let words = ["exec", "--quiet", "--witness-dir", "witnesses", &format!("./{name}")];
        assert_eq!(lockstep(dir.path(), &words).status, 1);
        let witness = format!("witnesses/{kernel}-{kind}-1.json");
        let ended = lockstep(dir.path(), &["run", "--replay", &witness, "--format", "concise"]);
        assert_eq!(ended.status, 1, "{name}\n{}{}", ended.out, ended.err);
        assert!(ended.out.contains(kind), "{}", ended.out);
    }
}

/// The loader finds our platform beside those that are installed, and `clinfo` has nothing to complain of.
#[test]
fn clinfo_lists_the_device() {
    let dir = place();
    if Command::new("clinfo").arg("--version").output().is_err() {
        assert!(std::env::var_os("CI").is_none(), "no clinfo here");
        eprintln!("SKIPPED, no clinfo here; scripts/setup.sh --tests installs it");
        return;
    }
    let list = lockstep(dir.path(), &["exec", "clinfo", "-l"]);
    assert!(list.out.starts_with("Platform #0: Lockstep\n"), "{}", list.out);
    assert!(list.out.contains("Device #0: Lockstep simulator\n"), "{}", list.out);
    let has_pocl = Path::new(POCL).exists();
    assert_eq!(list.out.contains("Portable Computing Language"), has_pocl, "{}", list.out);
    let whole = lockstep(dir.path(), &["exec", "--quiet", "clinfo", "-d", "0:0"]);
    assert_eq!(whole.status, 0, "{}", whole.err);
    assert_eq!(whole.err, "");
    let complaints = ["error", "invalid", "Invalid", "<printDeviceInfo", "CL_INVALID"];
    let wrong: Vec<&str> =
        whole.out.lines().filter(|l| complaints.iter().any(|c| l.contains(c))).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A program in Python, if pyopencl is there.
#[test]
fn a_script_runs_with_pyopencl() {
    let python = "/usr/bin/python3";
    let has = Command::new(python).args(["-c", "import pyopencl"]).output();
    if !has.is_ok_and(|o| o.status.success()) {
        assert!(std::env::var_os("CI").is_none(), "no pyopencl here");
        eprintln!("SKIPPED, no pyopencl here; scripts/setup.sh --tests installs it");
        return;
    }
    let ended = lockstep(&folder(), &["exec", "--format", "concise", python, "histogram.py"]);
    let (want, report) = (folder().join("histogram.out"), shown(&ended));
    assert_eq!(golden(&want, &report), Ok(()));
}
