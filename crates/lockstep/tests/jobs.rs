//! The number of workers never changes the result: the same bytes with one and
//! with several, on kernels that are clean, racy or lack fences.

use std::path::Path;
use std::process::Command;

fn output(args: &[&str], jobs: &str) -> String {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests");
    let run = Command::new(env!("CARGO_BIN_EXE_lockstep"))
        .env("LOCKSTEP_NO_CACHE", "1")
        .args(args)
        .args(["--jobs", jobs, "--format", "json", "--grid", "16"])
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
        for file in files.iter().step_by(6) {
            let name = file.to_string_lossy().into_owned();
            let args = ["check", &name, "--block", "64"];
            assert_eq!(output(&args, "1"), output(&args, "4"), "{name}");
            compared += 1;
        }
    }
    assert!(compared > 15, "only {compared} kernels were compared");
}
