//! Which files: folders, compilation databases, `--changed`, and many of them.

use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;

use crate::project::kit::{CLEAN, LAUNCH, Project, RACE, findings};

#[test]
fn folders_files_and_errors_mix() {
    let p = Project::new();
    p.file("src/b.cu", CLEAN)
        .file("src/a.cu", CLEAN)
        .file("src/deep/c.cl", "kernel void c(global int *a) { a[get_local_id(0)] = 1; }");
    p.file("src/h.cuh", RACE).file("build/x.cu", RACE).file(".gitignore", "build/\n");
    p.file("bad.cu", "__global__ void k( { }\n")
        .file("empty.cu", "")
        .file("garbage.cu", [0xffu8, 0, 1]);
    p.file("race.cu", RACE);
    let whole = p.check(&["src", "src/a.cu"]).ends(0);
    assert_eq!(whole.kernels(), ["src/a.cu:clean", "src/b.cu:clean", "src/deep/c.cl:c"]);
    // What cannot be used does not stop the rest; the worst outcome decides.
    let mixed = p.check(&["bad.cu", "src/a.cu", "empty.cu", "garbage.cu"]).ends(2);
    assert_eq!(mixed.kernels(), ["src/a.cu:clean"]);
    assert_eq!(mixed.json()["errors"].as_array().map(Vec::len), Some(3));
    p.check(&["."]).ends(1);
    std::fs::create_dir(p.path("hollow")).expect("a folder");
    p.check(&["hollow"]).ends(2).says("hollow: there is no .cu or .cl file in it");
    p.check(&["src", "hollow"]).ends(2);
}

#[test]
fn a_file_of_a_project_may_have_no_kernels() {
    let p = Project::new();
    p.file("src/host.cu", "int f(int x) { return x + 1; }\n").file("src/empty.cu", "");
    let warning = "warning: src/empty.cu: no kernels in it, nor in the other file";
    p.check(&["src"]).ends(0).says(warning);
    p.file("src/a.cu", CLEAN);
    let whole = p.check(&["src"]).ends(0);
    assert_eq!(whole.kernels(), ["src/a.cu:clean"]);
    assert_eq!(whole.stderr, "");
    let root = p.dir.path().display().to_string();
    let entry = |file: &str| {
        format!(
            r#"{{"directory": "{root}", "file": "src/{file}", "command": "nvcc -c src/{file}"}}"#
        )
    };
    let database = format!("[{}, {}]", entry("host.cu"), entry("a.cu"));
    p.file("build/compile_commands.json", database);
    assert_eq!(p.check(&["-p", "build"]).ends(0).kernels(), ["src/a.cu:clean"]);
    // Who names it expects something of it.
    p.check(&["src/host.cu", "src/a.cu"]).ends(2).says("error: no kernels in src/host.cu");
}

#[test]
fn a_kernel_of_a_header_stands_in_the_header() {
    let p = Project::new();
    p.file("k.cuh", "#pragma once\n\n__global__ void of_header(int *a) { a[threadIdx.x] = 1; }\n");
    p.file("a.cu", "#include \"k.cuh\"\n__global__ void own(int *a) { a[threadIdx.x] = 1; }\n");
    let json = p.check(&["a.cu"]).ends(0).json();
    let place = |k: &Value| (k["name"].clone(), k["file"].clone(), k["line"].clone());
    let kernels: Vec<_> = json["kernels"].as_array().expect("kernels").iter().map(place).collect();
    assert!(kernels.contains(&("of_header".into(), "k.cuh".into(), 3.into())), "{kernels:?}");
    assert!(kernels.contains(&("own".into(), "a.cu".into(), 2.into())), "{kernels:?}");
    let inputs: Vec<_> =
        json["kernels"].as_array().expect("kernels").iter().map(|k| &k["input"]).collect();
    assert!(inputs.contains(&&"a.cu".into()) && inputs.contains(&&Value::Null), "{inputs:?}");
    let shown = p.run(&[&["check", "a.cu"], &LAUNCH[..]].concat()).ends(0);
    assert!(shown.stdout.contains("kernel of_header (k.cuh:3, from a.cu)"), "{}", shown.stdout);
}

#[test]
fn compilation_databases() {
    let p = Project::new();
    let kernel = "#include \"len.h\"\n__global__ void k(int *a) {\n#ifdef RACY\n  a[0] = threadIdx.x;\n#else\n  a[threadIdx.x] = LEN;\n#endif\n}\n";
    p.file("src/a.cu", kernel).file("src/b.cpp", kernel).file("inc dir/len.h", "#define LEN 4\n");
    p.file("src/main.cpp", "int main() {}\n")
        .file("src/other.cu", CLEAN)
        .file("opt.txt", "-DRACY\n");
    let database = r#"[
      {"directory": "DIR/build", "file": "../src/a.cu",
       "command": "/usr/local/cuda/bin/nvcc -forward-unknown-to-host-compiler -ccbin=/usr/bin/g++ '-I../inc dir' --expt-relaxed-constexpr --extended-lambda -std=c++17 --generate-code=arch=compute_80,code=[compute_80,sm_80] -Xcompiler=-fPIC -rdc=true -MD -MT a.o -MF a.d -x cu -c ../src/a.cu -o a.o"},
      {"directory": "DIR", "file": "src/b.cpp",
       "arguments": ["clang++", "-x", "cuda", "--cuda-gpu-arch=sm_80", "-Iinc dir", "@opt.txt", "-c", "src/b.cpp"]},
      {"directory": "DIR", "file": "src/main.cpp", "command": "g++ -c src/main.cpp"}
    ]"#;
    let root = p.dir.path().display().to_string();
    p.file("build/compile_commands.json", database.replace("DIR", &root));
    let all = p.check(&["-p", "build"]).ends(1);
    assert_eq!(all.kernels(), ["src/a.cu:k", "src/b.cpp:k"]);
    let json = all.json();
    let found = findings(&json);
    assert_eq!(found.len(), 1, "{}", all.stdout);
    assert_eq!(found[0]["accesses"][0]["file"], "src/b.cpp");
    // A file that the build does not know is taken as it is; a known one with the build's options.
    assert_eq!(p.check(&["-p", "build", "src/other.cu"]).ends(0).kernels(), ["src/other.cu:clean"]);
    p.check(&["src/a.cu"]).ends(2).says("len.h");
    p.check(&["-p", "build", "src/a.cu"]).ends(0);
    p.check(&["-p", "src"]).ends(2).says("CMAKE_EXPORT_COMPILE_COMMANDS");
}

#[test]
fn only_what_has_changed() {
    let p = Project::new();
    p.file("a.cu", format!("#include \"inc/x.h\"\n{CLEAN}"))
        .file("b.cu", CLEAN)
        .file("c.cu", CLEAN);
    p.file("inc/x.h", "#include \"y.h\"\n").file("inc/y.h", "");
    p.check(&["--changed", "HEAD"]).ends(2).says("this is not a git repository");
    p.git(&["init", "-q"]);
    p.git(&["add", "."]);
    p.git(&["commit", "-qm", "all"]);
    let nothing =
        p.check(&["--changed", "HEAD"]).ends(0).says("no CUDA or OpenCL file differs from HEAD");
    assert!(nothing.kernels().is_empty());
    p.file("inc/y.h", "// new\n").file("c.cu", format!("// new\n{CLEAN}")).file("new.cu", CLEAN);
    let changed = p.check(&["--changed", "HEAD"]).ends(0);
    assert_eq!(changed.kernels(), ["a.cu:clean", "c.cu:clean", "new.cu:clean"]);
    assert_eq!(p.check(&["c.cu", "b.cu", "--changed", "HEAD"]).ends(0).kernels(), ["c.cu:clean"]);
    p.check(&["--changed", "nonsense"]).ends(2).says("git knows no such revision");
}

/// A folder of generated files, some of them broken: processed to the end, killed half way and started again, with
/// the same result. `LOCKSTEP_MANY_FILES` says how many (`make long-test` takes 2000).
#[test]
fn many_files_some_of_them_broken() {
    let count: usize =
        std::env::var("LOCKSTEP_MANY_FILES").ok().and_then(|v| v.parse().ok()).unwrap_or(40);
    let p = Project::new();
    for i in 0..count {
        let name = format!("src/f{i:04}.cu");
        match i % 20 {
            3 => p.file(&name, format!("__global__ void k{i}(int *a) {{ a[ = 1; }}\n")),
            7 => p.file(&name, [0u8, 159, 146, 150, i as u8]),
            11 => p.file(&name, ""),
            13 => p.file(
                &name,
                format!("__global__ void k{i}(int *a) {{ a[0] = threadIdx.x + {i}; }}\n"),
            ),
            17 => p.file(
                &name,
                format!("__global__ void k{i}(int *a) {{ while (a[threadIdx.x] != {i}) ; }}\n"),
            ),
            _ => {
                p.file(&name, format!("__global__ void k{i}(int *a) {{ a[threadIdx.x] = {i}; }}\n"))
            }
        };
    }
    let args = [&["check", "src", "--format", "json", "--budget", "2"], &LAUNCH[..]].concat();
    let mut child =
        p.command(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    while p.cached() < count / 4 && child.try_wait().expect("it can be asked").is_none() {
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().expect("it is killed");
    child.wait().expect("it ends");
    let kept = p.cached();
    assert!(kept >= count / 4, "{kept} results were kept");
    let resumed = p.run(&args).ends(1);
    let fresh = p.run(&[&args[..], &["--no-cache"]].concat()).ends(1);
    assert_eq!(resumed.timeless(), fresh.timeless());
    let json = resumed.json();
    let broken = (0..count).filter(|i| matches!(i % 20, 3 | 7)).count();
    let empty = (0..count).filter(|i| i % 20 == 11).count();
    assert_eq!(json["errors"].as_array().map(Vec::len), Some(broken));
    assert_eq!(json["kernels"].as_array().map(Vec::len), Some(count - broken - empty));
    assert_eq!(p.run(&args).ends(1).timeless(), resumed.timeless());
    println!(
        "{count} files; the largest process, clang among them, took {} MB",
        peak_of_children()
    );
}

/// The most memory that a process of this test's took, or one that it started.
fn peak_of_children() -> i64 {
    // SAFETY: zeros are such a structure, and it is written before it is read.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_CHILDREN, &mut usage);
        usage
    };
    usage.ru_maxrss / 1024
}
