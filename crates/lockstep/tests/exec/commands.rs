//! `lockstep nvcc` in its usual forms, and the options of `lockstep exec`.

use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::programs::folder;
use crate::support::{Ended, binary, lockstep, shell};

fn place() -> TempDir {
    TempDir::new().expect("a temporary folder")
}

fn succeeds(dir: &Path, line: &str) -> Ended {
    let ended = shell(dir, line, 0);
    assert_eq!(ended.status, 0, "{line}\n{}", ended.out);
    ended
}

/// The report of a run in JSON, and the status.
fn report(dir: &Path, words: &[&str]) -> (Value, i32) {
    let mut all = vec!["exec", "--format", "json", "--output", "report.json"];
    all.extend(words);
    let ended = lockstep(dir, &all);
    let text = std::fs::read_to_string(dir.join("report.json"));
    let text = text.unwrap_or_else(|e| panic!("no report: {e}\n{}{}", ended.out, ended.err));
    (serde_json::from_str(&text).expect("JSON"), ended.status)
}

fn copied(name: &str, dir: &Path) {
    let from = folder().join(name);
    let to = dir.join(from.file_name().expect("a name"));
    std::fs::copy(from, to).expect("a program is copied");
}

/// Objects with relocatable device code, one of them in a static library, linked into a program.
#[test]
fn files_are_linked_with_each_other() {
    let dir = place();
    for file in ["app.cu", "scale.cu", "other.cu", "host.cpp", "shared.h"] {
        let from = folder().join("library").join(file);
        std::fs::copy(from, dir.path().join(file)).expect("a file is copied");
    }
    let nvcc = "lockstep nvcc -O2 -arch=sm_80 -std=c++17";
    succeeds(dir.path(), &format!("{nvcc} -rdc=true -c app.cu -o app.o"));
    succeeds(dir.path(), &format!("{nvcc} -dc scale.cu other.cu"));
    succeeds(dir.path(), &format!("{nvcc} -c host.cpp"));
    succeeds(dir.path(), "ar rcs libparts.a scale.o other.o host.o");
    succeeds(dir.path(), &format!("{nvcc} -dlink app.o -o linked.o"));
    succeeds(dir.path(), &format!("{nvcc} app.o linked.o -L. -lparts -o app"));
    let ended = lockstep(dir.path(), &["exec", "--quiet", "./app"]);
    // 0 * 10 + 5 + 1000 + 100, and 3 * 10 more.
    assert_eq!((ended.status, ended.out.as_str()), (0, "1105 1135\n"), "{}", ended.err);
}

/// Two threads of the host are ordered by the default stream that they share, and not by one for each.
#[test]
fn each_thread_of_the_host_has_a_default_stream() {
    let dir = place();
    copied("two_threads.cu", dir.path());
    for (option, is_race) in [("legacy", false), ("per-thread", true)] {
        let line =
            format!("lockstep nvcc --default-stream {option} two_threads.cu -o app -pthread");
        succeeds(dir.path(), &line);
        let (report, status) = report(dir.path(), &["./app"]);
        assert_eq!(status, i32::from(is_race), "{option}: {report}");
        assert_eq!(report.to_string().contains("the default stream of a thread"), is_race);
    }
}

/// C that declares nothing is compiled, with a warning, as by the compilers that nvcc is used with.
#[test]
fn old_c_is_compiled() {
    let dir = place();
    copied("library/old.c", dir.path());
    succeeds(dir.path(), "lockstep nvcc -c old.c -o old.o");
}

/// Whether an OpenMP library is installed or not.
#[test]
fn host_code_with_openmp_is_compiled() {
    let dir = place();
    copied("openmp.cu", dir.path());
    succeeds(dir.path(), "lockstep nvcc -Xcompiler -fopenmp openmp.cu -o app");
    let ended = lockstep(dir.path(), &["exec", "--quiet", "./app"]);
    assert_eq!((ended.status, ended.out.as_str()), (0, "4032 right\n"), "{}", ended.err);
}

/// The form of the report, and numbers that the interface promises.
#[test]
fn the_report_has_launches_calls_of_the_host_and_the_end() {
    let dir = place();
    copied("reduce_race.cu", dir.path());
    let (report, status) = report(dir.path(), &["reduce_race.cu"]);
    assert_eq!(status, 1);
    let schema = include_str!("../../../../schemas/report.schema.json");
    let schema: Value = serde_json::from_str(schema).expect("the schema");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let errors: Vec<String> = validator.iter_errors(&report).map(|e| e.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    assert_eq!(report["program"]["status"], 0);
    let kernel = &report["kernels"][0];
    assert_eq!(kernel["name"], "reduce");
    assert_eq!(kernel["launches"], serde_json::json!({"made": 4, "checked": 4}));
    let finding = |kind: &str| {
        let all = kernel["findings"].as_array().expect("findings");
        let found = all.iter().find(|f| f["kind"] == kind).expect("it was found");
        found.clone()
    };
    let race = finding("data-race");
    assert_eq!(
        race["host"],
        serde_json::json!({"file": "reduce_race.cu", "line": 22, "launch": 1})
    );
    assert_eq!(finding("out-of-bounds")["host"]["launch"], 4);
    assert_eq!(kernel["verdicts"]["deadlock"]["verdict"], "clean");
}

/// What is found in a program can be repeated alone.
#[test]
fn a_witness_repeats_a_finding() {
    let dir = place();
    copied("reduce_race.cu", dir.path());
    let words = ["exec", "--quiet", "--witness-dir", "witnesses", "reduce_race.cu"];
    assert_eq!(lockstep(dir.path(), &words).status, 1);
    for kind in ["data-race", "out-of-bounds"] {
        let witness = format!("witnesses/reduce-{kind}-1.json");
        let ended = lockstep(dir.path(), &["run", "--replay", &witness, "--format", "concise"]);
        assert_eq!(ended.status, 1, "{kind}\n{}{}", ended.out, ended.err);
        assert!(ended.out.contains(kind), "{}", ended.out);
    }
}

#[test]
fn what_is_looked_for_can_be_chosen() {
    let dir = place();
    copied("reduce_race.cu", dir.path());
    let (report_of_bounds, status) =
        report(dir.path(), &["--only", "out-of-bounds", "reduce_race.cu"]);
    assert_eq!(status, 1);
    let verdicts =
        report_of_bounds["kernels"][0]["verdicts"].as_object().expect("verdicts").clone();
    assert_eq!(verdicts.keys().collect::<Vec<_>>(), ["out-of-bounds"]);
    let (first, _) = report(dir.path(), &["--check", "first", "reduce_race.cu"]);
    // One for each shape.
    assert_eq!(first["kernels"][0]["launches"], serde_json::json!({"made": 4, "checked": 2}));
    let words = ["--skip", "data-race,out-of-bounds", "reduce_race.cu"];
    assert_eq!(report(dir.path(), &words).1, 0);
}

/// A launch that takes too long is given up, and told.
#[test]
fn a_launch_has_a_limit() {
    let dir = place();
    let text = "#include <cstdio>\n\
        __global__ void spin(volatile int *a) { for (int i = 0; i < 100000000; ++i) a[0] = i; }\n\
        int main() { int *a; cudaMalloc(&a, 4); spin<<<1, 1>>>(a); printf(\"%s\\n\", cudaGetErrorName(cudaDeviceSynchronize())); }\n";
    std::fs::write(dir.path().join("spin.cu"), text).expect("a program is written");
    let words = ["exec", "--format", "concise", "--max-launch", "100000", "spin.cu"];
    let ended = lockstep(dir.path(), &words);
    assert_eq!(ended.out, "cudaErrorLaunchTimeout\n");
    assert_eq!(ended.status, 3, "{}", ended.err);
    assert!(ended.err.contains("unknown[data-race]"), "{}", ended.err);
}

/// A program that nothing is known of, one that cannot be started, and source that does not compile.
#[test]
fn what_cannot_be_run_is_said() {
    let dir = place();
    let ended = lockstep(dir.path(), &["exec", "sh", "-c", "echo hello; exit 4"]);
    assert_eq!((ended.status, ended.out.as_str()), (4, "hello\n"));
    assert!(ended.err.contains("has not used the runtime library"), "{}", ended.err);
    let ended = lockstep(dir.path(), &["exec", "./absent"]);
    assert_eq!(ended.status, 2, "{}", ended.err);
    std::fs::write(dir.path().join("wrong.cu"), "int main() { return x; }\n").expect("written");
    let ended = lockstep(dir.path(), &["exec", "wrong.cu"]);
    assert_eq!(ended.status, 2);
    assert!(ended.err.contains("wrong.cu:1:"), "{}", ended.err);
}

/// A script that runs several programs, and one that runs without anybody who listens.
#[test]
fn several_processes_make_one_report() {
    let dir = place();
    copied("reduce_race.cu", dir.path());
    succeeds(dir.path(), "lockstep nvcc reduce_race.cu -o reduce");
    let (report, status) = report(dir.path(), &["--", "sh", "-c", "./reduce; ./reduce"]);
    assert_eq!(status, 1);
    let kernel = &report["kernels"][0];
    assert_eq!(kernel["launches"]["made"], 8);
    assert_eq!(kernel["findings"].as_array().map(Vec::len), Some(3), "{kernel}");
    // Alone, it computes and says nothing.
    let alone = succeeds(dir.path(), "./reduce");
    assert_eq!(alone.out, "no error\n");
    assert!(binary().exists());
}
