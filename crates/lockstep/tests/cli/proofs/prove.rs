//! `lockstep prove`, and the prover within `lockstep check`.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn lockstep(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lockstep"))
        .env("LOCKSTEP_NO_CACHE", "1")
        .args(args)
        .output()
        .expect("the binary runs")
}

fn json(args: &[&str]) -> Value {
    let args = [args, &["--format", "json"]].concat();
    let out = lockstep(&args);
    serde_json::from_slice(&out.stdout).unwrap_or_else(|e| {
        panic!("{args:?}: {e}: {}", String::from_utf8_lossy(&out.stderr));
    })
}

/// A file with this text, kept as long as the folder.
fn file(dir: &Path, name: &str, text: &str) -> PathBuf {
    let path = dir.join(name);
    std::fs::write(&path, text).expect("a file can be written");
    path
}

const SCALE: &str = "\
__global__ void scale(float *a, float f, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] *= f;
}
";

const NEIGHBOUR: &str = "\
__global__ void neighbour(float *a) {
    int i = threadIdx.x;
    a[i] = a[i + 1];
}
";

#[test]
fn a_proof_for_all_inputs() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = file(dir.path(), "scale.cu", SCALE).display().to_string();
    let report = json(&["prove", &path, "--block", "64", "--grid", "4"]);
    let verdicts = &report["kernels"][0]["verdicts"];
    assert_eq!(verdicts["data-race"]["verdict"], "proved", "{verdicts}");
    assert_eq!(verdicts["barrier-divergence"]["verdict"], "proved", "{verdicts}");
    // Only what the prover looks for, unless asked.
    assert!(verdicts["deadlock"].is_null(), "{verdicts}");
    let only = |kind: &str| {
        let report = json(&["prove", &path, "--block", "64", "--grid", "4", "--only", kind]);
        report["kernels"][0]["verdicts"][kind]["verdict"].clone()
    };
    assert_eq!(only("uninitialised-read"), "unknown");
    // Nobody waits for anybody.
    assert_eq!(only("deadlock"), "proved");
}

#[test]
fn an_exact_alarm_is_confirmed() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = file(dir.path(), "neighbour.cu", NEIGHBOUR).display().to_string();
    let args = ["prove", &path, "--block", "64", "--grid", "1"];
    let report = json(&args);
    let kernel = &report["kernels"][0];
    assert_eq!(kernel["verdicts"]["data-race"]["verdict"], "found", "{kernel}");
    let finding = &kernel["findings"][0];
    assert_eq!(
        (&finding["kind"], &finding["confidence"]),
        (&"data-race".into(), &"confirmed".into())
    );
    assert_eq!(finding["accesses"][0]["line"], 3);
    assert_eq!(lockstep(&args).status.code(), Some(1));
    // One thread has nobody to race with.
    let report = json(&["prove", &path, "--block", "1", "--grid", "1"]);
    assert_eq!(report["kernels"][0]["verdicts"]["data-race"]["verdict"], "proved");
}

#[test]
fn any_dimensions_and_assumptions() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = file(dir.path(), "scale.cu", SCALE).display().to_string();
    let any = ["--block", "any", "--grid", "any"];
    let report = json(&[&["prove", &path], &any[..]].concat());
    let verdict = &report["kernels"][0]["verdicts"]["data-race"];
    // Blocks with a y dimension would repeat the same elements.
    assert_eq!(verdict["verdict"], "proved", "{verdict}");
    assert!(verdict["assumes"].to_string().contains("blockDim.y == 1"), "{verdict}");
    let one =
        ["--assume", "blockDim.y == 1 && blockDim.z == 1 && gridDim.y == 1 && gridDim.z == 1"];
    let report = json(&[&["prove", &path], &any[..], &one[..]].concat());
    let verdict = &report["kernels"][0]["verdicts"]["data-race"];
    assert_eq!(verdict["verdict"], "proved", "{verdict}");
    let out = lockstep(&["prove", &path, "--assume", "blockDim.x ="]);
    assert_eq!(out.status.code(), Some(2));
    let out = lockstep(&["check", &path, "--block", "any"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&out.stderr).contains("'any' is for 'lockstep prove'"));
}

/// Indices along y would repeat the same elements, but the kernel looks at x alone.
#[test]
fn an_axis_that_is_not_read_is_one_unless_given() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = file(dir.path(), "scale.cu", SCALE).display().to_string();
    let report = json(&["prove", &path]);
    let verdict = &report["kernels"][0]["verdicts"]["data-race"];
    assert_eq!(verdict["verdict"], "proved", "{verdict}");
    let assumes = verdict["assumes"].to_string();
    for axis in ["blockDim.y == 1", "blockDim.z == 1", "gridDim.y == 1", "gridDim.z == 1"] {
        assert!(assumes.contains(axis), "{verdict}");
    }
    let padded = "__global__ void k(int *x) {\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    \
                  x[i + i / 32] = i;\n}\n";
    let path = file(dir.path(), "padded.cu", padded).display().to_string();
    assert_ne!(lockstep(&["prove", &path]).status.code(), Some(1));
    // What is given is meant: four threads store the same value.
    let report = json(&["prove", &path, "--block", "1,4", "--grid", "1"]);
    assert_eq!(report["kernels"][0]["verdicts"]["data-race"]["verdict"], "found");
}

/// A launch stands only beside what it shows: the threads are of its blocks, and executing it finds them.
#[test]
fn a_printed_launch_shows_its_finding() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let reduce = root.join("examples/racy_reduce.cu").display().to_string();
    let any = ["--block", "any", "--grid", "any", "--assume", "n % 32 == 0"];
    let report = json(&[&["prove", &reduce], &any[..]].concat());
    let findings = report["kernels"][0]["findings"].as_array().expect("a list").clone();
    assert!(findings.iter().any(|f| f["confidence"] == "confirmed"), "{findings:?}");
    for finding in &findings {
        let launch = &finding["launch"];
        assert_eq!(launch.is_null(), finding["confidence"] == "possible", "{finding}");
        if launch.is_null() {
            continue;
        }
        for access in finding["accesses"].as_array().expect("a list") {
            for axis in 0..3 {
                let of = |v: &Value| v[axis].as_u64().expect("a number");
                assert!(of(&access["thread"]) < of(&launch["block"]), "{finding}");
                assert!(of(&access["block"]) < of(&launch["grid"]), "{finding}");
            }
        }
    }
    // As the report says it, the launch can be made again.
    let out = lockstep(&[&["prove", &reduce], &any[..]].concat());
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let launch = text.lines().find_map(|l| l.split("note: launch: ").nth(1)).expect("a launch");
    let words: Vec<String> = launch.split(' ').map(|w| w.replace('\'', "")).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let again = json(&[&["run", &reduce], &words[..]].concat());
    let key = |f: &Value| {
        let place = |a: &Value| format!("{}:{} {}", a["line"], a["column"], a["thread"]);
        f["accesses"].as_array().map(|a| a.iter().map(place).collect::<Vec<_>>())
    };
    let shown = again["kernels"][0]["findings"].as_array().expect("a list");
    for finding in findings.iter().filter(|f| f["confidence"] == "confirmed") {
        assert!(shown.iter().any(|f| key(f) == key(finding)), "{finding}");
    }
}

#[test]
fn check_proves_and_confirms() {
    let dir = tempfile::tempdir().expect("a folder");
    let clean = file(dir.path(), "scale.cu", SCALE).display().to_string();
    let report = json(&["check", &clean, "--block", "64", "--grid", "4"]);
    let verdicts = &report["kernels"][0]["verdicts"];
    assert_eq!(verdicts["data-race"]["verdict"], "proved", "{verdicts}");
    assert_eq!(verdicts["uninitialised-read"]["verdict"], "clean", "{verdicts}");
    assert_eq!(verdicts["deadlock"]["verdict"], "proved", "{verdicts}");
    let racy = file(dir.path(), "neighbour.cu", NEIGHBOUR).display().to_string();
    let report = json(&["check", &racy]);
    let kernel = &report["kernels"][0];
    assert_eq!(kernel["verdicts"]["data-race"]["verdict"], "found", "{kernel}");
    let finding = &kernel["findings"][0];
    assert_eq!(finding["confidence"], "confirmed");
    assert!(finding["launch"]["block"].is_array(), "a launch reproduces it: {finding}");
}

#[test]
fn what_is_proved_is_not_simulated_unless_asked() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = file(dir.path(), "scale.cu", SCALE).display().to_string();
    let launches = |more: &[&str]| {
        let given = ["--block", "64", "--grid", "4", "--only", "data-race", "--verbose"];
        let args = [&["check", &path], &given[..], more].concat();
        let out = lockstep(&args);
        assert!(String::from_utf8_lossy(&out.stdout).contains("proved data-race"));
        String::from_utf8_lossy(&out.stderr).matches(": launch ").count()
    };
    assert_eq!(launches(&[]), 0);
    assert!(launches(&["--simulate-proved"]) > 0);
}

#[test]
fn an_assumption_beyond_the_prover() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = file(dir.path(), "scale.cu", SCALE).display().to_string();
    let launch = ["--block", "64", "--grid", "4", "--assume", "f > 0.5"];
    let report = json(&[&["check", &path], &launch[..]].concat());
    let verdicts = &report["kernels"][0]["verdicts"];
    assert_eq!(verdicts["data-race"]["verdict"], "proved", "{verdicts}");
    assert_eq!(lockstep(&[&["prove", &path], &launch[..]].concat()).status.code(), Some(2));
}

/// A value that the race needs is in nobody's list of boundary values: the model
/// of the alarm is the launch that shows it.
#[test]
fn a_model_becomes_a_witness() {
    let dir = tempfile::tempdir().expect("a folder");
    let text = "\
__global__ void rare(int *a, int key) {
    int i = threadIdx.x;
    a[(key * 7919 == 1234567890) ? 0 : i] = i;
}
";
    let path = file(dir.path(), "rare.cu", text).display().to_string();
    let report = json(&["check", &path, "--block", "64", "--grid", "1"]);
    let found = report["kernels"][0]["findings"].as_array().cloned().unwrap_or_default();
    let race = found.iter().find(|f| f["kind"] == "data-race").expect("a race");
    assert_eq!(race["confidence"], "confirmed", "{race}");
    let key = race["launch"]["args"]["key"].as_i64().expect("a value") as i32;
    assert_eq!(key.wrapping_mul(7919), 1234567890);
}

#[test]
fn verbose_says_what_the_last_number_orders() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = file(
        dir.path(),
        "total.cu",
        "\
__global__ void total(const float *in, float *part, float *out, unsigned *arrived) {
    if (threadIdx.x > 0) return;
    part[blockIdx.x] = in[blockIdx.x];
    __threadfence();
    if (atomicAdd(arrived, 1u) != gridDim.x - 1) return;
    __threadfence();
    for (int i = 0; i < gridDim.x; i++) *out += part[i];
}
",
    );
    let path = path.to_str().expect("text");
    let out = lockstep(&["prove", path, "--block", "32", "--grid", "8", "--verbose"]);
    let said = String::from_utf8_lossy(&out.stderr);
    let expected = "write to `part`: each thread writes its own element; between blocks, the last number drawn \
                    separates it from the read at line 7";
    assert!(said.contains(expected), "{expected}\n{said}");
}

#[test]
fn verbose_says_why_accesses_are_safe() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = file(
        dir.path(),
        "reduce.cu",
        "\
__global__ void reduce(float *out, const float *in) {
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
",
    );
    let path = path.to_str().expect("text");
    let out = lockstep(&["prove", path, "--block", "256", "--grid", "8", "--verbose"]);
    let said = String::from_utf8_lossy(&out.stderr);
    for expected in [
        "4: kernel reduce: read of `in`: no thread of this kernel writes it",
        "4: kernel reduce: write to `s`: each thread of the block writes its own element; the barrier at line 5 \
         separates it from the read at line 7",
        // In another iteration some other thread does touch it.
        "7: kernel reduce: write to `s`: between two barriers, each thread of the block writes its own element",
        "between two barriers, no other thread touches its element by the read at line 7",
        "8: kernel reduce: barrier: all threads of the block reach it; it separates the read at line 7 from the write \
         at line 7",
    ] {
        assert!(said.contains(expected), "{expected}\n{said}");
    }
    // Without a proof, nothing is called safe.
    let path = file(dir.path(), "neighbour.cu", NEIGHBOUR);
    let out = lockstep(&["prove", path.to_str().expect("text"), "--verbose"]);
    let said = String::from_utf8_lossy(&out.stderr);
    assert!(!said.contains("writes"), "{said}");
}
