//! Neither the number of workers nor what else the machine does changes the result: the same bytes with one and with
//! several, alone and many at once, on kernels that are clean, racy or lack fences, and on some that the prover finds hard.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

/// Long enough for the clock to end nothing on a machine that is busy with all of this.
const BUDGET: &str = "60";

fn output(args: &[&str], jobs: &str) -> String {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests");
    let run = Command::new(env!("CARGO_BIN_EXE_lockstep"))
        .env("LOCKSTEP_NO_CACHE", "1")
        .args(args)
        .args(["--jobs", jobs, "--format", "json", "--grid", "16", "--budget", BUDGET])
        .current_dir(tests)
        .output()
        .expect("the built binary runs");
    let text = String::from_utf8_lossy(&run.stdout).into_owned();
    // Seconds are the one thing that may differ.
    text.lines().filter(|l| !l.contains("\"seconds\"")).collect::<Vec<_>>().join("\n")
}

#[test]
fn workers_do_not_change_the_result() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests");
    let mut compared = 0;
    for folder in ["clean", "data-race", "missing-fence"] {
        let mut files: Vec<_> = std::fs::read_dir(tests.join(folder))
            .expect("the tests are there")
            .filter_map(|e| Some(e.ok()?.path()))
            .filter(|p| p.extension().is_some_and(|e| e == "cu" || e == "cl"))
            .collect();
        files.sort();
        for file in files.iter().step_by(12) {
            let name = file.to_string_lossy().into_owned();
            let args = ["check", &name, "--block", "64"];
            assert_eq!(output(&args, "1"), output(&args, "4"), "{name}");
            compared += 1;
        }
    }
    assert!(compared > 8, "only {compared} kernels were compared");
}

/// Without a launch, so that the prover and the search have all to do that they ever have.
fn free(file: &Path, jobs: &str) -> String {
    let run = Command::new(env!("CARGO_BIN_EXE_lockstep"))
        .env("LOCKSTEP_NO_CACHE", "1")
        .arg("check")
        .arg(file)
        .args(["--jobs", jobs, "--format", "json", "--budget", BUDGET])
        .output()
        .expect("the built binary runs");
    let text = String::from_utf8_lossy(&run.stdout).into_owned();
    text.lines().filter(|l| !l.contains("\"seconds\"")).collect::<Vec<_>>().join("\n")
}

#[test]
fn load_does_not_change_the_result() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/search");
    let mut files: Vec<_> = std::fs::read_dir(tests)
        .expect("the tests are there")
        .filter_map(|e| Some(e.ok()?.path()))
        .filter(|p| p.extension().is_some_and(|e| e == "cu" || e == "cl"))
        .collect();
    files.sort();
    // By the name alone: another file does not change which ones these are.
    let sum = |name: &OsStr| name.as_encoded_bytes().iter().map(|b| usize::from(*b)).sum::<usize>();
    let some: Vec<_> =
        files.iter().filter(|p| p.file_name().is_some_and(|name| sum(name) % 43 == 0)).collect();
    assert!(some.len() > 5, "only {} kernels are compared", some.len());
    let alone: Vec<String> = some.iter().map(|f| free(f, "1")).collect();
    // All of them at once, each several times.
    std::thread::scope(|s| {
        let runs: Vec<_> = some
            .iter()
            .zip(&alone)
            .flat_map(|(f, alone)| ["2", "5"].map(|jobs| (f, alone, jobs)))
            .map(|(f, alone, jobs)| (f, alone, jobs, s.spawn(move || free(f, jobs))))
            .collect();
        for (file, alone, jobs, run) in runs {
            let busy = run.join().expect("no panic");
            assert_eq!(busy, *alone, "{} with {jobs} workers", file.display());
        }
    });
}
