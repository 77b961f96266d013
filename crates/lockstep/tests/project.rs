//! Whole projects, as users meet them: folders, compilation databases, `lockstep.toml`, `--changed`, templates,
//! suppressions, baselines, and the cache.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use serde_json::Value;
use tempfile::TempDir;

/// Every thread writes one element, with different values.
const RACE: &str = "__global__ void race(int *a) { a[0] = threadIdx.x; }\n";
const CLEAN: &str = "__global__ void clean(int *a) { a[threadIdx.x] = 1; }\n";
const LAUNCH: [&str; 6] = ["--block", "32", "--grid", "1", "--arg", "a=i32[32]"];

/// A project of its own, with a cache of its own.
struct Project {
    dir: TempDir,
    cache: TempDir,
}

impl Project {
    fn new() -> Project {
        let temporary = || TempDir::new().expect("a temporary folder");
        Project { dir: temporary(), cache: temporary() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// A file that has not been touched for a while.
    fn file(&self, name: &str, contents: impl AsRef<[u8]>) -> &Project {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder is made");
        std::fs::write(&path, contents).expect("a file is written");
        let file = std::fs::File::options().append(true).open(&path).expect("it is there");
        let before = SystemTime::now() - Duration::from_secs(60);
        file.set_modified(before).expect("its time is set");
        self
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
        command
            .args(args)
            .current_dir(self.dir.path())
            .env("LOCKSTEP_CACHE_DIR", self.cache.path())
            .stdin(Stdio::null());
        command
    }

    fn run(&self, args: &[&str]) -> Ran {
        let output = self.command(args).output().expect("lockstep starts");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let ran = Ran {
            status: output.status.code().unwrap_or(-1),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
        };
        assert!(!ran.stderr.contains("panicked"), "{ran:?}");
        ran
    }

    /// With one launch that settles everything, and JSON.
    fn check(&self, args: &[&str]) -> Ran {
        self.run(&[&["check", "--format", "json"], &LAUNCH[..], args].concat())
    }

    fn git(&self, args: &[&str]) {
        let identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
        let status = Command::new("git")
            .arg("-C")
            .arg(self.dir.path())
            .args(identity)
            .args(args)
            .stdout(Stdio::null())
            .status()
            .expect("git starts");
        assert!(status.success(), "git {args:?}");
    }

    fn cached(&self) -> usize {
        files_below(self.cache.path())
    }
}

fn files_below(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|e| if e.path().is_dir() { files_below(&e.path()) } else { 1 }).sum()
}

#[derive(Debug)]
struct Ran {
    status: i32,
    stdout: String,
    stderr: String,
}

impl Ran {
    #[track_caller]
    fn ends(self, status: i32) -> Ran {
        assert_eq!(self.status, status, "{}\n{}", self.stdout, self.stderr);
        self
    }

    #[track_caller]
    fn says(self, text: &str) -> Ran {
        assert!(self.stderr.contains(text), "'{text}' is not in:\n{}", self.stderr);
        self
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).expect("the report is JSON")
    }

    /// `file:kernel` for each kernel, in order.
    fn kernels(&self) -> Vec<String> {
        let json = self.json();
        let name = |k: &Value| {
            let text = |key: &str| k[key].as_str().unwrap_or_default().to_owned();
            format!("{}:{}", text("file"), text("name"))
        };
        json["kernels"].as_array().expect("kernels").iter().map(name).collect()
    }

    /// Without what may differ between runs.
    fn timeless(&self) -> String {
        let lines = self.stdout.lines().filter(|l| !l.contains("\"seconds\""));
        lines.collect::<Vec<_>>().join("\n")
    }
}

fn findings(json: &Value) -> Vec<&Value> {
    let kernels = json["kernels"].as_array().expect("kernels");
    kernels.iter().flat_map(|k| k["findings"].as_array().expect("findings")).collect()
}

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
fn the_architecture_is_part_of_every_answer() {
    let p = Project::new();
    let header = "#if __CUDA_ARCH__ >= 800\n#define AT(i) 0\n#else\n#define AT(i) (i)\n#endif\n";
    p.file("at.h", header);
    let kernel =
        "#include \"at.h\"\n__global__ void k(int *a) { a[AT(threadIdx.x)] = threadIdx.x; }\n";
    p.file("k.cu", kernel);
    let check = |more: &[&str]| p.check(&[&["k.cu"], more].concat());
    let volta = check(&[]).ends(0).json();
    let kernel = &volta["kernels"][0];
    assert_eq!(kernel["arch"], "sm_70");
    let condition = "compiled for sm_70: line 2 depends on it";
    assert_eq!(kernel["verdicts"]["data-race"]["assumes"], serde_json::json!([condition]));
    // In every spelling, and never from what was kept for another.
    for more in
        [&["--arch", "sm_80"][..], &["--", "--offload-arch=sm_80"], &["--", "-arch", "sm_80"]]
    {
        let ampere = check(more).ends(1).json();
        assert_eq!(ampere["kernels"][0]["arch"], "sm_80");
    }
    check(&[]).ends(0);
    let database = r#"[{"directory": "DIR", "file": "k.cu",
       "command": "nvcc -gencode arch=compute_75,code=sm_75 -gencode arch=compute_80,code=sm_80 -c k.cu"}]"#;
    let root = p.dir.path().display().to_string();
    p.file("compile_commands.json", database.replace("DIR", &root));
    assert_eq!(p.check(&["-p", "."]).ends(1).json()["kernels"][0]["arch"], "sm_80");
    // The command line beats the build, and a project's file, too.
    p.check(&["-p", ".", "--arch", "sm_75"]).ends(0);
    p.file("lockstep.toml", "arch = \"sm_75\"\n");
    p.check(&["-p", "."]).ends(0);
    p.check(&["-p", ".", "--arch", "sm_86"]).ends(1);
    p.check(&["k.cu", "--arch", "ampere"]).ends(2).says("such as sm_80");
    p.check(&["k.cu", "--arch", "sm_11"]).ends(2).says("sm_11");
}

#[test]
fn settings_of_a_project() {
    let p = Project::new();
    p.file("src/k.cu", "#include \"n.h\"\n__global__ void scale(float *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = N; }\n");
    p.file("inc/n.h", "").file("src/skip/x.cu", RACE);
    p.file(
        "lockstep.toml",
        r#"
include = ["inc"]
defines = ["N=3"]
exclude = ["src/skip"]

[kernel."sc*"]
file = "src/*.cu"
block = 64
grid = [2, 1]
args = { n = 64, a = "f32[64]", other = 1 }
"#,
    );
    let launch = |ran: &Ran| ran.json()["kernels"][0]["launch"].clone();
    let ran = p.run(&["check", "src", "--format", "json", "--only", "data-race"]).ends(0);
    assert_eq!(ran.kernels(), ["src/k.cu:scale"]);
    assert_eq!(launch(&ran)["block"], serde_json::json!([64, 1, 1]), "{}", ran.stdout);
    // The command line beats it, from any folder below.
    let args = ["check", "k.cu", "--format", "json", "--grid", "1", "--arg", "n=8"];
    let mut command = p.command(&args);
    let output = command.current_dir(p.path("src")).output().expect("lockstep starts");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(json["kernels"][0]["launch"]["grid"], serde_json::json!([1, 1, 1]));
    assert_eq!(json["kernels"][0]["launch"]["args"]["n"], 8);

    let run =
        ["run", "src/k.cu", "--block", "8", "--grid", "1", "--arg", "n=8", "--arg", "a=f32[8]"];
    p.run(&run).ends(0);

    p.file("bad.toml", "budget = 1\nbudgte = 2\n");
    p.run(&["check", "src", "--config", "bad.toml"])
        .ends(2)
        .says("bad.toml:2: unknown field `budgte`");
    p.file("bad.toml", "scheduling = \"magic\"\n");
    p.run(&["check", "src", "--config", "bad.toml"]).ends(2).says("'magic' is neither");
    p.file("bad.toml", "[kernel.scale]\nargs = { m = 4 }\n");
    p.run(&["check", "src/k.cu", "--config", "bad.toml", "-DN=1", "-Iinc"])
        .ends(2)
        .says("no parameter 'm'");
    p.run(&["check", "src", "--config", "none.toml"]).ends(2).says("none.toml");
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

#[test]
fn instances_of_templates() {
    let p = Project::new();
    p.file(
        "t.cu",
        "namespace ns {\n\
         template <typename T, int N> __global__ void race(T *a) { a[0] = threadIdx.x + N; }\n\
         template <int N> __global__ void same(int *a) { a[threadIdx.x] = 1; }\n\
         template __global__ void race<float, 2>(float *);\n\
         template __global__ void race<int, 3>(int *);\n\
         template __global__ void same<1>(int *);\n\
         template __global__ void same<2>(int *);\n\
         }\n",
    );
    let ran = p.check(&["t.cu"]).ends(1);
    let json = ran.json();
    // Equal code is looked at once.
    let names = ["t.cu:ns::race<float, 2>", "t.cu:ns::race<int, 3>", "t.cu:ns::same<1>"];
    assert_eq!(ran.kernels(), names);
    assert_eq!(json["kernels"][2]["instances"], serde_json::json!(["ns::same<2>"]));
    // A finding of several instances is shown once.
    let races: Vec<_> = findings(&json).into_iter().filter(|f| f["kind"] == "data-race").collect();
    assert_eq!(races.len(), 1, "{}", ran.stdout);
    assert_eq!(races[0]["also_in"], serde_json::json!(["ns::race<int, 3>"]));
    for i in 0..2 {
        assert_eq!(json["kernels"][i]["verdicts"]["data-race"]["verdict"], "found");
    }
}

#[test]
fn templates_that_nobody_instantiates() {
    let p = Project::new();
    p.file(
        "t.cu",
        "template <typename T, int N, bool B = true>\n\
         __global__ void put(T *a) {\n    if (B) a[threadIdx.x % N] = threadIdx.x;\n}\n\
         template <typename T>\n\
         __global__ void bits(T *a) { a[threadIdx.x] = a[threadIdx.x] & 1; }\n",
    );
    let ran = p.check(&["t.cu"]).ends(0);
    let json = ran.json();
    assert_eq!(json["kernels"][0]["chosen"], "T = float, N = 32, defaults", "{}", ran.stdout);
    assert_eq!(json["kernels"][1]["chosen"], "T = int");
    let race = &json["kernels"][0]["verdicts"]["data-race"];
    assert_eq!(race["verdict"], "proved", "{race}");
    assert!(race["assumes"].to_string().contains("T = float, N = 32"), "{race}");

    p.file("f.cu", "template <typename F>\n__global__ void apply(int *a, F f) { a[threadIdx.x] = f(threadIdx.x); }\n");
    let ran = p.check(&["f.cu"]).ends(3);
    assert_eq!(ran.kernels(), ["f.cu:apply"]);
    let because = ran.json()["kernels"][0]["verdicts"]["data-race"]["because"].to_string();
    assert!(because.contains("nothing in the source instantiates the template"), "{because}");
    assert!(because.contains("with F = float it does not compile"), "{because}");
    p.check(&["f.cu", "--allow-unknown"]).ends(0);
}

#[test]
fn suppressions_in_the_source() {
    let p = Project::new();
    let kernel = |comment: &str, end: &str| {
        format!("{comment}\n__global__ void k(int *a) {{\n    a[0] = threadIdx.x;{end}\n}}\n")
    };
    p.file("line.cu", kernel("", " // lockstep: allow(data-race) because any value will do"));
    p.file(
        "head.cu",
        kernel("// lockstep: allow(data-race, deadlock) because any value will do", ""),
    );
    p.file("bare.cu", kernel("/* lockstep: allow(data-race) */", ""));
    p.file("other.cu", kernel("// lockstep: allow(out-of-bounds) because of history", ""));
    p.file("wrong.cu", kernel("// lockstep: allow(races) because x", ""));

    let ran = p.check(&["line.cu"]).ends(0);
    let json = ran.json();
    assert_eq!(findings(&json)[0]["suppressed"]["because"], "any value will do");
    assert_eq!(json["kernels"][0]["verdicts"]["data-race"]["verdict"], "found");
    assert_eq!(ran.stderr, "");
    p.check(&["head.cu"]).ends(0).says("head.cu:1: this allow(deadlock) covers no finding");
    p.check(&["bare.cu"]).ends(0).says("bare.cu:1: a suppression without a reason");
    p.check(&["other.cu"]).ends(1).says("other.cu:1: this allow(out-of-bounds) covers no finding");
    p.check(&["wrong.cu"]).ends(1).says("wrong.cu:1: no kind of finding is called 'races'");
    // What was not looked for may still be needed.
    assert_eq!(p.check(&["other.cu", "--only", "data-race"]).ends(1).stderr, "");
    let human = p.run(&[&["check", "line.cu"][..], &LAUNCH].concat()).ends(0);
    assert!(
        human.stdout.contains("allowed data-race at line 3: any value will do"),
        "{}",
        human.stdout
    );
    assert!(human.stdout.contains("1 kernel: 0 errors, 1 suppressed"), "{}", human.stdout);

    p.file(
        "lockstep.toml",
        "[[suppress]]\nkind = \"data-race\"\nkernel = \"k\"\nfile = \"*er.cu\"\nreason = \"old\"\n\n\
         [[suppress]]\nkind = \"misaligned\"\nreason = \"none\"\n",
    );
    let ran = p
        .check(&["other.cu"])
        .ends(0)
        .says("lockstep.toml:7: the suppression of misaligned covers nothing");
    assert_eq!(findings(&ran.json())[0]["suppressed"]["because"], "old");
    p.check(&["wrong.cu"]).ends(1);
}

#[test]
fn baselines() {
    let p = Project::new();
    let kernel = "__global__ void k(int *a) {\n    a[0] = threadIdx.x;\n}\n";
    p.file("k.cu", kernel);
    p.check(&["k.cu"]).ends(1);
    p.check(&["k.cu", "--write-baseline", "known.json"]).ends(0);
    p.check(&["k.cu", "--baseline", "known.json"]).ends(0);
    // Moved, it is the same; another one is new.
    p.file("k.cu", format!("// a comment\n\n{kernel}"));
    p.check(&["k.cu", "--baseline", "known.json"]).ends(0);
    p.file("k.cu", kernel.replace("a[0]", "a[1]"));
    let ran = p.check(&["k.cu", "--baseline", "known.json"]).ends(1);
    ran.says("data-race in kernel k of k.cu no longer occurs");
    p.file("lockstep.toml", "baseline = \"known.json\"\n").file("k.cu", kernel);
    p.check(&["k.cu"]).ends(0);
    p.check(&["k.cu", "--baseline", "missing.json"]).ends(2).says("cannot read the baseline");
    p.file("known.json", "{}");
    p.check(&["k.cu"]).ends(2).says("is no baseline");
}

#[test]
fn unchanged_kernels_come_from_the_cache() {
    let p = Project::new();
    p.file("k.cu", format!("#include \"x.h\"\n{RACE}{CLEAN}")).file("x.h", "// one\n");
    let first = p.check(&["k.cu"]).ends(1);
    assert!(p.cached() > 0, "nothing was kept");
    let second = p.check(&["k.cu"]).ends(1);
    assert_eq!(first.timeless(), second.timeless());
    let kept = p.cached();
    // Other settings, another header, another text: other answers.
    p.check(&["k.cu", "--only", "data-race"]).ends(1);
    assert!(p.cached() > kept, "other settings are other results");
    p.file("x.h", "__global__ void more(int *a) { a[threadIdx.x] = 2; }\n");
    assert_eq!(p.check(&["k.cu"]).ends(1).kernels(), ["x.h:more", "k.cu:race", "k.cu:clean"]);
    p.file("k.cu", CLEAN);
    p.check(&["k.cu"]).ends(0);
    // Damage is not noticed but for the time it costs.
    damage(p.cache.path());
    let third = p.check(&["k.cu"]).ends(0);
    assert_eq!(third.kernels(), ["k.cu:clean"]);
    let before = p.cached();
    p.file("new.cu", CLEAN.replace("clean", "fresh"));
    p.check(&["new.cu", "--no-cache"]).ends(0);
    assert_eq!(p.cached(), before, "--no-cache keeps nothing");
}

#[test]
fn another_launch_of_the_host_is_another_result() {
    let p = Project::new();
    let text = |launches: &str| {
        format!(
            "__global__ void add(int *x, const int *y) {{\n    x[threadIdx.x] += y[threadIdx.x];\n}}\n\
             void start(int *a, int *b) {{ {launches} }}\n"
        )
    };
    let first = "add<<<1, 32>>>(a, b);";
    let only = ["check", "a.cu", "--only", "data-race", "--format", "json"];
    p.file("a.cu", text(first));
    p.run(&only).ends(0);
    // The kernel and the first launch are the same.
    p.file("a.cu", text(&format!("{first} add<<<8, 32>>>(a, b);")));
    p.run(&only).ends(1);
    p.file("a.cu", text(&format!("{first} add<<<1, 32>>>(a, a);")));
    p.run(&only).ends(0);
    p.run(&only).ends(0);
}

/// Spoils every entry of the cache.
fn damage(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.path().is_dir() {
            damage(&entry.path());
        } else {
            std::fs::write(entry.path(), "spoilt").expect("an entry is spoilt");
        }
    }
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
