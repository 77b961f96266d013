//! The commands from end to end, on small kernels.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

const RACY: &str = "\
__global__ void reverse(int *out) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = s[63 - threadIdx.x];
}
";

const SCALE_CL: &str = "\
kernel void scale(global float *a, float f, int n) {
    int i = get_global_id(0);
    if (i < n)
        a[i] *= f;
}
";

fn folder(files: &[(&str, &str)]) -> TempDir {
    let dir = TempDir::new().expect("a temporary folder");
    for (name, text) in files {
        std::fs::write(dir.path().join(name), text).expect("a file is written");
    }
    dir
}

/// Status, standard output and standard error.
fn lockstep(dir: &Path, args: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_lockstep"))
        .env("LOCKSTEP_NO_CACHE", "1")
        .args(args)
        .current_dir(dir)
        .stdin(Stdio::null())
        .output()
        .expect("lockstep starts");
    let text = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

fn json_of(dir: &Path, args: &[&str], status: i32) -> Value {
    let (got, out, err) = lockstep(dir, &[args, &["--format", "json"]].concat());
    assert_eq!(got, status, "{args:?}\n{out}\n{err}");
    serde_json::from_str(&out).expect("JSON")
}

/// The first block hands numbers to the last: small launches do not have both.
const HAND_OVER: &str = "\
__global__ void hand_over(int *data, int *flag, int *out) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        for (int i = 0; i < 3; ++i) data[i] = i + 1;
        FENCE
        *(volatile int *)flag = 1;
    } else if (blockIdx.x == 7) {
        while (*(volatile int *)flag == 0) { }
        __threadfence();
        for (int i = 0; i < 3; ++i) out[i] = data[i];
    }
}
";

#[test]
fn weak_executions_count_stores_and_compare_arrays() {
    let right = HAND_OVER.replace("FENCE", "__threadfence();");
    let dir = folder(&[("right.cu", &right), ("wrong.cu", &HAND_OVER.replace("FENCE", ""))]);
    let bytes: Vec<u8> = [1i32, 2, 3].iter().flat_map(|n| n.to_le_bytes()).collect();
    std::fs::write(dir.path().join("out.bin"), bytes).expect("a file is written");
    let fences = |file: &str, more: &[&str]| {
        let launch = ["--grid", "8", "--block", "32", "--arg", "data=i32[3]"];
        let arrays = ["--arg", "flag=i32[1]", "--arg", "out=i32[3]"];
        let args = [&["fences", file], &launch[..], &arrays, more].concat();
        lockstep(dir.path(), &args)
    };
    let (status, out, err) = fences("right.cu", &["--stats", "--expect", "out=@out.bin"]);
    assert_eq!(status, 0, "{out}\n{err}");
    let stats = "\
kernel hand_over, grid 8, block 32, buffer probability 1:
  fences executed: 2 (places: 2)
  stores executed: 0 shared, 7 global
  length of buffers of global stores when they are flushed:
";
    assert!(err.starts_with(stats), "{err}");
    assert!(err.contains("3-4"), "{err}");
    let (status, out, err) = fences("wrong.cu", &["--expect", "out=@out.bin", "--quiet"]);
    assert_eq!(status, 1, "{out}\n{err}");
    assert!(out.contains("out[0] is not as expected, in "), "{out}");
    assert!(out.contains("insert __threadfence()"), "{out}");
    // One probability only, and small buffers: what leaves them first comes in order.
    let few = ["--buffer-probability", "0.5", "--buffer-size", "1", "--format", "json"];
    let (status, out, _) = fences("wrong.cu", &few);
    assert_eq!(status, 1, "{out}");
    assert!(out.contains("of 16 executions with store buffers"), "{out}");
    // The same options make the same executions.
    let without_times = |text: &str| -> String {
        text.lines().filter(|line| !line.contains("\"seconds\"")).collect()
    };
    assert_eq!(without_times(&fences("wrong.cu", &few).1), without_times(&out));
}

#[test]
fn run_shows_outputs() {
    let dir = folder(&[("scale.cl", SCALE_CL)]);
    let args = [
        "run",
        "scale.cl",
        "--block",
        "4",
        "--grid",
        "2",
        "--arg",
        "a=f32[8]:iota",
        "--arg",
        "f=0.5",
        "--arg",
        "n=8",
    ];
    let (status, out, err) = lockstep(dir.path(), &args);
    assert_eq!(status, 0, "{out}{err}");
    assert!(out.contains("a: f32[8] = 0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5"), "{out}");
    let value = json_of(dir.path(), &[&args[..], &["--dump", "a"]].concat(), 0);
    assert_eq!(
        value["kernels"][0]["outputs"]["a"],
        json!([0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5])
    );
    assert_eq!(value["kernels"][0]["language"], "opencl");
    let (status, ..) = lockstep(dir.path(), &[&args[..], &["--dump", "a=a.bin"]].concat());
    assert_eq!(status, 0);
    let bytes = std::fs::read(dir.path().join("a.bin")).expect("the dump");
    assert_eq!(bytes[4..8], 0.5f32.to_le_bytes());
}

#[test]
fn a_witness_replays() {
    let dir = folder(&[("racy.cu", RACY)]);
    let args = ["check", "racy.cu", "--block", "64", "--grid", "1", "--witness-dir", "w"];
    let value = json_of(dir.path(), &args, 1);
    let kernel = &value["kernels"][0];
    assert_eq!(kernel["name"], "reverse");
    assert_eq!(kernel["verdicts"]["data-race"], json!({"verdict": "found"}));
    let finding = &kernel["findings"][0];
    assert_eq!(finding["kind"], "data-race");
    assert_eq!(finding["object"], "s");
    assert_eq!(finding["accesses"].as_array().map(Vec::len), Some(2));
    let replayed = json_of(dir.path(), &["run", "--replay", "w/reverse-data-race-1.json"], 1);
    let mut again = replayed["kernels"][0]["findings"][0].clone();
    again["launch"] = finding["launch"].clone();
    again["repeat"] = finding["repeat"].clone();
    // Its help was tried in one launch, that of a check in several.
    again["help"] = finding["help"].clone();
    assert_eq!(&again, finding);
}

#[test]
fn a_race_has_both_places_underlined() {
    let dir = folder(&[("racy.cu", RACY)]);
    let (status, out, _) =
        lockstep(dir.path(), &["check", "racy.cu", "--block", "64", "--grid", "1"]);
    assert_eq!(status, 1);
    for part in ["error[data-race]", "(1) ", "(2) ", "s[63 - threadIdx.x]", "1 kernel: 1 error"] {
        assert!(out.contains(part), "'{part}' is not in:\n{out}");
    }
    let (_, out, _) = lockstep(
        dir.path(),
        &["check", "racy.cu", "--block", "64", "--grid", "1", "--format", "concise"],
    );
    assert!(out.starts_with("racy.cu:"), "{out}");
    assert!(out.contains(": error[data-race]: "), "{out}");
    assert!(out.trim_end().ends_with("(kernel reverse)"), "{out}");
}

#[test]
fn chosen_sizes_are_no_findings() {
    let far = "__global__ void far(float *a) { a[threadIdx.x * 100000] = 1; }\n";
    let dir = folder(&[("far.cu", far)]);
    let value = json_of(dir.path(), &["check", "far.cu"], 0);
    assert_eq!(value["kernels"][0]["verdicts"]["out-of-bounds"]["verdict"], "clean");
    let never = "__global__ void never(float *a) { a[threadIdx.x * 100000000L] = 1; }\n";
    let dir = folder(&[("never.cu", never)]);
    let value = json_of(dir.path(), &["check", "never.cu"], 3);
    assert_eq!(
        value["kernels"][0]["verdicts"]["out-of-bounds"],
        json!({"verdict": "unknown", "because": "the size of 'a' was chosen by Lockstep"})
    );
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let dir = folder(&[("scale.cl", SCALE_CL)]);
    let args = |seed: &'static str, jobs: &'static str| {
        [
            "run",
            "scale.cl",
            "--block",
            "4",
            "--grid",
            "2",
            "--arg",
            "a=f32[8]:random",
            "--arg",
            "f=2",
            "--arg",
            "n=8",
            "--dump",
            "a",
            "--seed",
            seed,
            "--jobs",
            jobs,
        ]
    };
    let outputs = |a: &[&str]| json_of(dir.path(), a, 0)["kernels"][0]["outputs"].clone();
    assert_eq!(outputs(&args("1", "1")), outputs(&args("1", "4")));
    assert_ne!(outputs(&args("1", "1")), outputs(&args("2", "1")));
}

#[test]
fn many_files_keep_their_order() {
    let dir = folder(&[("b.cu", RACY), ("a.cl", SCALE_CL)]);
    let value = json_of(dir.path(), &["check", "b.cu", "gone.cu", "a.cl"], 1);
    let files: Vec<_> =
        value["kernels"].as_array().expect("kernels").iter().map(|k| &k["file"]).collect();
    assert_eq!(files, ["b.cu", "a.cl"]);
    assert_eq!(value["errors"][0]["file"], "gone.cu");
}

#[test]
fn dump_is_text() {
    let dir = folder(&[("racy.cu", RACY)]);
    let (status, out, _) = lockstep(dir.path(), &["dump", "racy.cu"]);
    assert_eq!(status, 0);
    assert!(out.contains("reverse"), "{out}");
}

#[test]
fn a_reader_that_goes_away_is_no_panic() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_lockstep"))
        .env("LOCKSTEP_NO_CACHE", "1")
        .args(["explain", "data-race"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("lockstep starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("lockstep ends");
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A kernel of a library's header: its arguments are the library's, and what is found with ours is only possible.
#[test]
fn kernels_of_a_library() {
    let dir = folder(&[(
        "main.cu",
        "#include <spread.cuh>\nvoid all(int *a) { spread<int><<<1, 64>>>(a); }\n",
    )]);
    std::fs::create_dir(dir.path().join("lib")).expect("a folder");
    let header = "template <class T> __global__ void spread(T *a) { a[threadIdx.x / 2] = T(threadIdx.x); }\n";
    std::fs::write(dir.path().join("lib/spread.cuh"), header).expect("a file is written");
    let race = |folder: &[&str], status: i32| {
        let args = [&["check", "main.cu", "--only", "data-race"], folder].concat();
        json_of(dir.path(), &args, status)["kernels"][0].clone()
    };
    let own = race(&["-I", "lib"], 1);
    assert_eq!(own["verdicts"]["data-race"]["verdict"], "found");
    assert_eq!(own["findings"][0]["confidence"], "confirmed");
    for folder in [&["-isystem", "lib"][..], &["-isystemlib"]] {
        let theirs = race(folder, 3);
        assert_eq!(theirs["verdicts"]["data-race"]["verdict"], "unknown");
        let because = theirs["verdicts"]["data-race"]["because"].as_str().unwrap_or_default();
        assert!(because.starts_with("a kernel of a library's header"), "{because}");
        assert_eq!(theirs["findings"][0]["confidence"], "possible");
    }
    // Who asks for it gets it, and who gives the whole launch has left nothing to choose.
    race(&["-isystem", "lib", "--strict"], 1);
    race(&["-isystem", "lib", "--arg", "a=i32[64]", "--block", "64", "--grid", "1"], 1);
}

#[test]
fn a_kernel_for_a_gpu_checks_what_is_not_proved() {
    let scale = "__global__ void scale(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] *= 2;
}
";
    let stride = "__global__ void stride(float *a, int n) { a[threadIdx.x * n] = 1; }\n";
    let dir = folder(&[("reverse.cu", RACY), ("scale.cu", scale), ("stride.cu", stride)]);
    let build = |file: &str, more: &[&str]| {
        let (status, out, err) =
            lockstep(dir.path(), &[&["device", "build", file, "-o", "k.lsd"], more].concat());
        assert_eq!(status, 0, "{out}{err}");
        assert!(dir.path().join("k.lsd").is_file());
        out
    };
    let out = build("scale.cu", &["--arch", "sm_90", "--block", "256", "--grid", "64"]);
    assert!(out.contains("0 of 2 accesses checked"), "{out}");
    // With so many blocks that the index wraps, threads meet: then all is checked, and no race is told.
    let out = build("scale.cu", &[]);
    assert!(out.contains("2 of 2 accesses checked"), "{out}");
    assert!(out.contains("for launches with blockDim.y == 1"), "{out}");
    assert!(!out.contains("race"), "{out}");
    // A number is a fact, too.
    let dims = ["--block", "64", "--grid", "1"];
    let out = build("stride.cu", &dims);
    assert!(out.contains("1 of 1 access checked"), "{out}");
    assert!(!out.contains("race"), "{out}");
    let given = |n: &'static str| [&dims[..], &["--arg", n, "--arg", "a=f32[64]"]].concat();
    let out = build("stride.cu", &given("n=1"));
    assert!(out.contains("0 of 1 access checked"), "{out}");
    let out = build("stride.cu", &given("n=0"));
    assert!(out.contains("race without running: data race on global memory"), "{out}");
    let out = build("scale.cu", &["--no-prune"]);
    assert!(out.contains("2 of 2 accesses checked"), "{out}");
    let out = build("reverse.cu", &["--block", "64", "--grid", "1"]);
    assert!(out.contains("race without running: data race on shared memory `s["), "{out}");
    assert!(out.contains("checked: write to `s`"), "{out}");
    // Nobody else writes there, whatever is read.
    assert!(out.contains("left out: write to `out`"), "{out}");
    let (status, out, err) = lockstep(dir.path(), &["device", "build", "none.cu", "-o", "n.lsd"]);
    assert_eq!((status, out.as_str(), err.lines().count()), (2, "", 1), "{err}");
}
