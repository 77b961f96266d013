//! Proofs that are written down, and checked again by other solvers.
//!
//! Real proofs pass, with every solver. What was changed in a log is noticed: a pair that is gone, a question that has a model, a rule
//! that does not hold, a kernel that is another one. `make long-test` checks every proof of `tests/`, of the examples and of the kernels
//! under `$LOCKSTEP_CORPORA`, with the solver that `$LOCKSTEP_SOLVER` names.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Ended, binary, in_parallel, lockstep, repository};

const CUDA: &str = "\
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
__global__ void reduce(const float *in, float *out) {
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
__global__ void transpose(const float *in, float *out, int w, int h) {
    __shared__ float tile[16][17];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x < w && y < h) tile[threadIdx.y][threadIdx.x] = in[y * w + x];
    __syncthreads();
    x = blockIdx.y * 16 + threadIdx.x;
    y = blockIdx.x * 16 + threadIdx.y;
    if (x < h && y < w) out[y * h + x] = tile[threadIdx.x][threadIdx.y];
}
";

const OPENCL: &str = "\
kernel void turn(global const int *in, global int *out, local int *t) {
    int l = get_local_id(0), n = get_local_size(0);
    t[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[n - 1 - l];
}
";

/// Each kernel with the launch that it is proved for.
const PROOFS: &[(&str, &str, &[&str])] = &[
    ("k.cu", "add", &["--block", "256"]),
    ("k.cu", "reduce", &["--block", "256"]),
    (
        "k.cu",
        "transpose",
        &["--block", "16,16", "--grid", "8,8", "--assume", "w == 128 && h == 128"],
    ),
    ("k.cl", "turn", &["--block", "64"]),
];

/// A folder with the kernels, and the proof of one of them in `log`.
fn proved((file, kernel, launch): (&str, &str, &[&str])) -> TempDir {
    let dir = TempDir::new().expect("a temporary folder");
    fs::write(dir.path().join("k.cu"), CUDA).expect("a file is written");
    fs::write(dir.path().join("k.cl"), OPENCL).expect("a file is written");
    let mut args = vec!["prove", file, "--kernel", kernel, "--proof-log", "log"];
    args.extend(["--only", "data-race,barrier-divergence"]);
    args.extend(launch);
    let ended = lockstep(dir.path(), &args);
    assert_eq!(ended.status, 0, "{kernel}: {}{}", ended.out, ended.err);
    dir
}

fn recheck(dir: &Path, args: &[&str]) -> Ended {
    lockstep(dir, &[&["recheck", "log"], args].concat())
}

fn report(dir: &Path, solver: &str) -> (i32, Value) {
    let ended = recheck(dir, &["--solver", solver, "--timeout", "120", "--format", "json"]);
    let report = serde_json::from_str(&ended.out);
    (ended.status, report.unwrap_or_else(|e| panic!("{e}\n{}{}", ended.out, ended.err)))
}

/// The only folder of a log.
fn folder(dir: &Path) -> PathBuf {
    let entries = fs::read_dir(dir.join("log")).expect("a log");
    let mut folders = entries.map(|e| e.expect("an entry").path()).filter(|p| p.is_dir());
    let first = folders.next().expect("a kernel in the log");
    assert_eq!(folders.next(), None);
    first
}

fn change(path: &Path, with: impl FnOnce(&mut Value)) {
    let text = fs::read_to_string(path).expect("a file of the log");
    let mut value: Value = serde_json::from_str(&text).expect("JSON");
    with(&mut value);
    fs::write(path, value.to_string()).expect("a file is written");
}

#[test]
fn solvers_agree_with_proofs() {
    for proof in PROOFS {
        let dir = proved(*proof);
        for solver in ["z3", "cvc5"] {
            let (status, report) = report(dir.path(), solver);
            assert_eq!(status, 0, "{} by {solver}: {report:#}", proof.1);
            for nothing in ["contradicted", "pairs_missing", "timed_out"] {
                assert_eq!(report[nothing], 0, "{} by {solver}: {report:#}", proof.1);
            }
            assert_eq!(report["agreed"], report["obligations"]);
            assert!(report["pairs"].as_u64() > Some(0), "{report:#}");
            let own = &report["kernels"][0];
            assert!(own["obligations"]["asked"].as_u64() > Some(0), "{report:#}");
            assert!(own["rewrites"]["asked"].as_u64() > Some(0), "{report:#}");
        }
    }
}

#[test]
fn the_log_says_what_was_assumed_and_who_decided() {
    let dir = proved(PROOFS[0]);
    let text = fs::read_to_string(folder(dir.path()).join("proof.json")).expect("the proof");
    let proof: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(proof["kernel"], "add");
    let kinds = proof["kinds"].as_array().expect("kinds");
    let races = kinds.iter().find(|k| k["kind"] == "data-race").expect("races are proved absent");
    let assumes = races["assumes"].to_string();
    assert!(assumes.contains("do not overlap"), "{assumes}");
    let store = |level: &str| {
        let pairs = races["pairs"].as_array().expect("pairs");
        let own = |p: &&Value| p["sites"][0] == p["sites"][1] && p["level"] == level;
        let pair = pairs.iter().find(own).unwrap_or_else(|| panic!("{races:#}"));
        pair["excluded"][0]["rule"].clone()
    };
    assert_eq!(store("within-block"), "obligation");
    assert_eq!(store("across-blocks"), "obligation");
    for obligation in races["obligations"].as_array().expect("obligations") {
        assert!(obligation["decided_by"].as_str().is_some_and(|by| !by.is_empty()));
    }
}

#[test]
fn a_pair_that_is_gone_is_missed() {
    let dir = proved(PROOFS[1]);
    let proof = folder(dir.path()).join("proof.json");
    change(&proof, |p| {
        let pairs = p["kinds"][0]["pairs"].as_array_mut().expect("pairs");
        pairs.retain(|p| !(p["sites"][0] == p["sites"][1] && p["level"] == "within-block"));
    });
    let (status, report) = report(dir.path(), "z3");
    assert_eq!(status, 1);
    assert!(report["pairs_missing"].as_u64() > Some(0), "{report:#}");
    assert_eq!(report["contradicted"], 0, "{report:#}");
}

#[test]
fn a_question_that_is_gone_is_missed() {
    let dir = proved(PROOFS[0]);
    let script = folder(dir.path()).join("data-race.smt2");
    let text = fs::read_to_string(&script).expect("the questions");
    let start = text.find("(push 1)").expect("a question");
    let end = start + text[start..].find("(pop 1)\n").expect("its end") + "(pop 1)\n".len();
    fs::write(&script, [&text[..start], &text[end..]].concat()).expect("a file is written");
    let ended = recheck(dir.path(), &["--solver", "z3"]);
    assert_eq!(ended.status, 1, "{}", ended.out);
    assert!(ended.out.contains("obligation 0 is not in the log"), "{}", ended.out);
}

#[test]
fn a_question_with_a_model_contradicts() {
    let dir = proved(PROOFS[0]);
    let script = folder(dir.path()).join("data-race.smt2");
    let text = fs::read_to_string(&script).expect("the questions");
    // Without what it asserts, anything is a model.
    let start = text.find("(push 1)").expect("a question");
    let end = start + text[start..].find("(check-sat)").expect("its end");
    let kept: String = text[start..end]
        .lines()
        .filter(|l| !l.starts_with("(assert"))
        .map(|l| format!("{l}\n"))
        .collect();
    let changed = [&text[..start], &kept, &text[end..]].concat();
    fs::write(&script, changed).expect("a file is written");
    for solver in ["z3", "cvc5"] {
        let (status, report) = report(dir.path(), solver);
        assert_eq!((status, &report["contradicted"]), (1, &json!(1)), "{solver}: {report:#}");
    }
}

#[test]
fn a_rule_that_does_not_hold_contradicts() {
    for rule in ["barriers", "both-atomic", "different-objects", "grid-barriers", "magic"] {
        let dir = proved(PROOFS[0]);
        change(&folder(dir.path()).join("proof.json"), |p| {
            let kinds = p["kinds"].as_array_mut().expect("kinds");
            let races = kinds.iter_mut().find(|k| k["kind"] == "data-race").expect("races");
            let pairs = races["pairs"].as_array_mut().expect("pairs");
            let own =
                |p: &&mut Value| p["sites"][0] == p["sites"][1] && p["level"] == "within-block";
            let pair = pairs.iter_mut().find(own).expect("the store with itself");
            pair["excluded"] = json!([{ "rule": rule }]);
        });
        let (status, report) = report(dir.path(), "z3");
        assert_eq!(status, 1, "{rule}: {report:#}");
        assert!(report["contradicted"].as_u64() > Some(0), "{rule}: {report:#}");
    }
}

#[test]
fn another_kernel_is_noticed() {
    let dir = proved(PROOFS[0]);
    change(&folder(dir.path()).join("kernel.json"), |k| k["name"] = "other".into());
    let ended = recheck(dir.path(), &["--solver", "z3"]);
    assert_eq!(ended.status, 1, "{}", ended.out);
    assert!(ended.out.contains("its hash differs"), "{}", ended.out);
}

#[test]
fn what_cannot_be_read_gets_one_message() {
    let dir = proved(PROOFS[0]);
    let said = |args: &[&str], what: &str| {
        let ended = lockstep(dir.path(), args);
        assert_eq!(ended.status, 2, "{args:?}: {}{}", ended.out, ended.err);
        assert!(ended.err.contains(what), "{args:?}: {}", ended.err);
        assert_eq!(ended.err.lines().count(), 1, "{args:?}: {}", ended.err);
    };
    said(&["recheck", "nowhere"], "cannot read nowhere");
    said(&["recheck", "."], "no proofs in it");
    said(&["prove", "k.cu", "--proof-log", "log"], "log is not empty");
    said(&["prove", "k.cu", "--proof-log", "k.cu"], "cannot write k.cu");
    let own = folder(dir.path());
    for (file, text, what) in [
        ("data-race.smt2", "(exit)\n", "line 1: not expected here"),
        ("kernel.json", "{}", "not a log of a proof"),
        ("proof.json", "garbage", "not a log of a proof"),
    ] {
        fs::write(own.join(file), text).expect("a file is written");
        said(&["recheck", "log"], what);
    }
}

#[test]
fn a_solver_that_is_not_there_is_named() {
    let dir = proved(PROOFS[0]);
    let empty = TempDir::new().expect("a temporary folder");
    let mut command = std::process::Command::new(binary());
    command.args(["recheck", "log", "--solver", "cvc5"]).current_dir(dir.path());
    let out = command.env("PATH", empty.path()).output().expect("lockstep starts");
    let err = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(2), "{err}");
    assert!(err.contains("cvc5 is not installed") && err.contains("apt-get install cvc5"), "{err}");
}

fn sources(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, out);
        } else if path.extension().is_some_and(|e| e == "cu" || e == "cl") {
            out.push(path);
        }
    }
    out.sort();
}

#[test]
#[ignore = "takes many minutes; `make long-test` runs it"]
fn every_proof_is_right_by_another_solver() {
    let solver = std::env::var("LOCKSTEP_SOLVER").unwrap_or_else(|_| "cvc5".into());
    let mut files = Vec::new();
    sources(&repository().join("tests"), &mut files);
    sources(&repository().join("examples"), &mut files);
    if let Some(corpora) = std::env::var_os("LOCKSTEP_CORPORA") {
        sources(Path::new(&corpora), &mut files);
    }
    let sum = std::sync::Mutex::new([0u64; 6]);
    let failures = in_parallel(
        &files,
        |f| f.display().to_string(),
        |file| {
            let dir = TempDir::new().expect("a temporary folder");
            let name = file.to_str().expect("a name");
            let log = ["prove", name, "--proof-log", "log", "--budget", "5", "--jobs", "1"];
            lockstep(dir.path(), &log);
            let args = ["--solver", &solver, "--timeout", "20", "--jobs", "1", "--format", "json"];
            let ended = recheck(dir.path(), &args);
            // Of a file in which nothing is proved there is nothing to check.
            let Ok(report) = serde_json::from_str::<Value>(&ended.out) else { return Ok(()) };
            let number = |name: &str| report[name].as_u64().unwrap_or(0);
            let kernels = report["kernels"].as_array().map_or(0, Vec::len) as u64;
            let own = [
                kernels,
                number("obligations"),
                number("agreed"),
                number("timed_out"),
                number("contradicted"),
                number("pairs_missing"),
            ];
            let mut sum = sum.lock().expect("no panic while held");
            sum.iter_mut().zip(own).for_each(|(s, n)| *s += n);
            match ended.status {
                0 => Ok(()),
                _ => Err(format!("{:#}", report["kernels"])),
            }
        },
    );
    let [kernels, obligations, agreed, timed_out, contradicted, missing] =
        sum.into_inner().expect("no panic while held");
    println!(
        "{solver}: {kernels} kernels, {obligations} obligations, {agreed} agreed, {timed_out} timed out, \
         {contradicted} contradicted, {missing} pairs missing"
    );
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
