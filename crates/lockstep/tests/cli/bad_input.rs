//! Bad input: one clear message each, the exit status of the interface, no panic.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

const COPY: &str = "\
__global__ void copy(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i];
}
";

const TWO: &str = "\
__global__ void first(int *a) { a[threadIdx.x] = 1; }
__global__ void second(int *a) { a[threadIdx.x] = 2; }
";

const SPIN: &str = "__global__ void spin(int *a) { while (true) a[threadIdx.x] += 1; }\n";

/// A folder with source files of its own.
struct Place {
    dir: TempDir,
}

impl Place {
    fn new() -> Place {
        Place { dir: TempDir::new().expect("a temporary folder") }
    }

    fn file(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.dir.path().join(name);
        std::fs::write(&path, contents).expect("a file is written");
        path
    }

    /// Runs in the folder, so that messages name files as given.
    fn lockstep(&self, args: &[&str]) -> Ran {
        Ran::new(self.dir.path(), args)
    }
}

struct Ran {
    status: i32,
    stdout: String,
    stderr: String,
    line: String,
}

impl Ran {
    fn new(dir: &Path, args: &[&str]) -> Ran {
        let output: Output = Command::new(env!("CARGO_BIN_EXE_lockstep"))
            .env("LOCKSTEP_NO_CACHE", "1")
            .args(args)
            .current_dir(dir)
            .stdin(Stdio::null())
            .output()
            .expect("lockstep starts");
        Ran {
            status: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            line: args.join(" "),
        }
    }

    #[track_caller]
    fn ends(&self, status: i32) -> &Ran {
        let told = format!(
            "lockstep {}\n--- stdout\n{}\n--- stderr\n{}",
            self.line, self.stdout, self.stderr
        );
        assert!(!self.stderr.contains("panicked"), "{told}");
        assert_eq!(self.status, status, "{told}");
        self
    }

    /// The input could not be used, and standard error says why.
    #[track_caller]
    fn refused(&self, message: &str) {
        self.ends(2);
        assert!(self.stderr.contains(message), "'{message}' is not in:\n{}", self.stderr);
        assert!(self.stderr.contains("error: "), "{}", self.stderr);
    }
}

#[test]
fn a_kernel_that_does_not_compile_is_an_error_of_its_own() {
    let place = Place::new();
    place.file("half.cu", format!("{TWO}__global__ void third(int *a) {{ a[0] = missing; }}\n"));
    let ran = place.lockstep(&["check", "half.cu", "--format", "concise"]);
    ran.refused("half.cu:3: kernel third does not compile: use of undeclared identifier 'missing'");
    let json = place.lockstep(&["check", "half.cu", "--format", "json"]);
    assert!(json.ends(2).stdout.contains("\"name\": \"second\""), "{}", json.stdout);
    assert!(!json.stdout.contains("\"name\": \"third\""), "{}", json.stdout);

    // What only the host needs is left out with a warning.
    place.file("host.cu", format!("#include <mpi/none.h>\n{TWO}int main() {{ MPI_None(); }}\n"));
    let ran = place.lockstep(&["check", "host.cu"]);
    ran.ends(0);
    for said in [
        "missing header is taken as empty: `mpi/none.h`",
        "left out, since it does not compile: function of the host main (line 4)",
    ] {
        assert!(ran.stderr.contains(said), "'{said}' is not in:\n{}", ran.stderr);
    }
    let assumed = "the missing header mpi/none.h does not change it";
    assert!(ran.stdout.contains(assumed), "{}", ran.stdout);
}

#[test]
fn files_that_cannot_be_used() {
    let place = Place::new();
    place.file("empty.cu", "");
    place.file("host.cu", "int f(int x) { return x + 1; }\n");
    place.file(
        "device.cu",
        "#include <cmath>\n#include \"device.h\"\n__device__ float own(float x) { return theirs(x); }\n",
    );
    place.file("device.h", "inline __device__ float theirs(float x) { return x; }\n");
    place.file("notes.txt", "hello\n");
    place.file("bad.cu", "__global__ void k( { }\n");
    place.file("bad.cl", "kernel void k(global int *a) { a[0] = b; }\n");
    place.file("header.cu", "#include <no/such/header.h>\n");
    place.file("garbage.bc", [0x42, 0x43, 0xc0, 0xde, 1, 2, 3, 4, 5, 6, 7]);
    place.file("random.bc", (0..4096u32).map(|i| ((i * 7919) >> 3) as u8).collect::<Vec<_>>());
    place.file("garbage.ll", "define void @k( {\n");
    place.file("binary.cu", [0xff, 0xfe, 0, 1, 2, 0x80]);
    std::fs::create_dir(place.dir.path().join("folder.cu")).expect("a folder");

    place.lockstep(&["check", "missing.cu"]).refused("missing.cu");
    place.lockstep(&["check", "empty.cu"]).refused("no kernels in empty.cu\n");
    place.lockstep(&["check", "host.cu"]).refused("no kernels in host.cu\n");
    place.lockstep(&["run", "host.cu"]).refused("no kernels in host.cu\n");
    place.lockstep(&["check", "device.cu"]).refused(
        "no kernels in device.cu; name a __device__ function with --kernel to check it as if it were a kernel: own\n",
    );
    place.lockstep(&["check", "notes.txt"]).refused("--lang");
    place.lockstep(&["check", "bad.cu"]).refused("bad.cu:1:");
    place.lockstep(&["check", "bad.cl"]).refused("use of undeclared identifier 'b'");
    place.lockstep(&["check", "header.cu"]).refused("no/such/header.h");
    place.lockstep(&["check", "garbage.bc"]).refused("garbage.bc");
    place.lockstep(&["check", "random.bc"]).refused("random.bc");
    place.lockstep(&["check", "garbage.ll"]).refused("garbage.ll");
    place.lockstep(&["check", "binary.cu"]).ends(2);
    place.lockstep(&["check", "folder.cu"]).refused("folder.cu");
    place.lockstep(&["check", "-"]).refused("--lang");
    place.lockstep(&["check", "-", "--lang", "cuda"]).refused("no kernels in standard input");
    for command in ["run", "dump"] {
        place.lockstep(&[command, "missing.cu"]).refused("missing.cu");
        place.lockstep(&[command, "bad.cu"]).refused("bad.cu:1:");
        place.lockstep(&[command, "folder.cu"]).refused("folder.cu");
    }
}

/// LLVM's reader crashes on some of these: that is a message, and the file beside it has its verdict.
#[test]
fn damaged_bitcode() {
    let place = Place::new();
    let source =
        place.file("copy.cl", "kernel void copy(global int *a) { a[get_local_id(0)] = 1; }\n");
    let whole = place.dir.path().join("whole.bc");
    let compiled = Command::new("clang-19")
        .args(["-target", "spir64", "-O1", "-c", "-emit-llvm"])
        .arg(&source)
        .arg("-o")
        .arg(&whole)
        .status();
    assert!(compiled.expect("clang starts").success());
    let bytes = std::fs::read(&whole).expect("bitcode");
    let mut state = 1u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    for i in 0..60 {
        let mut damaged = bytes.clone();
        match i % 3 {
            0 => damaged.truncate(4 + next(bytes.len() - 4)),
            1 => damaged[4 + next(bytes.len() - 4)] = next(256) as u8,
            _ => {
                let (from, length) = (4 + next(bytes.len() - 4), 1 + next(64));
                damaged.iter_mut().skip(from).take(length).for_each(|b| *b = next(256) as u8);
            }
        }
        place.file("damaged.bc", damaged);
        let args = ["check", "damaged.bc", "whole.bc", "--budget", "1", "--format", "json"];
        let ran = place.lockstep(&args);
        assert!((0..=3).contains(&ran.status), "{i}: {}: {}", ran.line, ran.stderr);
        assert!(ran.stdout.contains("\"file\": \"whole.bc\""), "{i}: {}", ran.stdout);
    }
}

#[test]
fn options_that_make_no_sense() {
    let place = Place::new();
    place.file("copy.cu", COPY);
    let check = |more: &[&str]| place.lockstep(&[&["check", "copy.cu"], more].concat());
    check(&["--only", "nonsense"]).refused("no such kind of finding");
    check(&["--format", "xml"]).refused("invalid value 'xml'");
    check(&["--block", "0"]).refused("a dimension is zero");
    check(&["--block", "1,2,3,4"]).refused("4 dimensions; there are at most 3");
    check(&["--block", "-1"]).refused("'-1' is not a dimension");
    check(&["--block", "x"]).refused("'x' is not a dimension");
    check(&["--warp-size", "33"]).refused("a power of two from 1 to 32 expected");
    check(&["--jobs", "0"]).refused("a number from 1 to 4096 expected");
    check(&["--budget", "nan"]).refused("a number of seconds above 0 expected");
    check(&["--scheduling", "magic"]).refused("invalid value 'magic'");
    check(&["--seed", "x"]).refused("invalid digit");
    check(&["--nonsense"]).refused("unexpected argument '--nonsense'");
    check(&["-D"]).refused("-D needs a value");
    check(&["--arg", "n"]).refused("--arg 'n': NAME=VALUE expected, as in n=1024");
    check(&["--output", "no/such/folder/x"]).refused("cannot write 'no/such/folder/x'");
    place.lockstep(&["explain", "nonsense"]).refused("no such kind of finding");
    place.lockstep(&["nonsense"]).refused("unrecognized subcommand 'nonsense'");
    place.lockstep(&["run"]).refused("<FILE>");
}

#[test]
fn options_of_weak_execution_that_make_no_sense() {
    let place = Place::new();
    place.file("two.cu", TWO);
    place.file("short.bin", [0; 3]);
    let fences = |more: &[&str]| {
        let launch =
            ["fences", "two.cu", "--kernel", "first", "--grid", "1", "--block", "1", "--arg"];
        place.lockstep(&[&launch[..], &["a=i32[1]"], more].concat())
    };
    fences(&["--buffer-probability", "2"]).refused("a number from 0 to 1 expected");
    fences(&["--buffer-size", "0"]).refused("a number from 1 to 65536 expected");
    fences(&["--expect", "a"]).refused("--expect 'a': NAME=@FILE expected, such as out=@out.bin");
    fences(&["--expect", "a=@"]).refused("the file's name is missing after '@'");
    fences(&["--expect", "b=@short.bin"]).refused("no parameter 'b' of kernel first");
    fences(&["--expect", "a=@none.bin"]).refused("none.bin");
    fences(&["--expect", "a=@short.bin"]).refused("short.bin");
    fences(&["--check", "third"]).refused("--check: there is no kernel 'third' in the file");
    place.file("other.cu", format!("{TWO}__global__ void other(int *b) {{ assert(*b == 1); }}\n"));
    let other = ["fences", "other.cu", "--kernel", "first", "--check", "other"];
    place.lockstep(&other).refused("--check: parameter 'b' of other is none of first");
}

#[test]
fn launches_that_cannot_be() {
    let place = Place::new();
    place.file("copy.cu", COPY);
    place.file("two.cu", TWO);
    place.file("short.bin", [0; 4]);
    let good = ["--arg", "in=f32[64]:iota", "--arg", "out=f32[64]", "--arg", "n=64"];
    let dims = ["--block", "64", "--grid", "1"];
    let run =
        |dims: &[&str], args: &[&str]| place.lockstep(&[&["run", "copy.cu"], dims, args].concat());
    run(&dims, &good).ends(0);
    run(&[], &good).refused("--block is missing");
    run(&["--block", "2048", "--grid", "1"], &good).refused("the limit is 1024");
    run(&["--block", "64", "--grid", "1,65536"], &good).refused("the limit is 65535");
    run(&["--block", "1024", "--grid", "2097152"], &good)
        .refused("2147483648 threads are more than this simulator runs");
    run(&["--block", "1024", "--grid", "2147483648"], &good).refused("the limit is 2147483647");
    run(&["--block", "64", "--global", "64"], &good).refused("--global is for OpenCL");

    place.file("one.cl", "kernel void k(global int *a) { a[get_global_id(0)] = 1; }\n");
    let of =
        |args: &[&str]| place.lockstep(&[&["run", "one.cl", "--arg", "a=i32[128]"], args].concat());
    of(&["--block", "64", "--global", "100"]).ends(0);
    of(&["--global", "100"]).refused("give --block, too");
    of(&["--block", "64", "--global", "100", "-cl-std=CL1.2"]).refused("have the same size, 64");
    let uniform = ["--block", "64", "--global", "100", "--", "-cl-uniform-work-group-size"];
    of(&uniform).refused("have the same size, 64");
    of(&["--block", "64", "--global", "128", "-cl-std=CL1.2"]).ends(0);

    let with = |arg: &str| {
        let mut args = good;
        args[1] = arg;
        run(&dims, &args)
    };
    with("foo=1").refused("no parameter 'foo'; kernel copy has in, out, n");
    with("7=1").refused("no parameter number 7");
    with("in=3").refused("parameter 'in' is a pointer");
    with("in=f32[").refused("--arg 'in=f32[': ']' is missing after the length");
    with("in=f99[4]").refused("'f99' is no element type");
    with("in=f32[4]:@missing.bin").refused("cannot read 'missing.bin'");
    with("in=f32[4]:@short.bin").refused("'short.bin' holds 4 bytes, f32[4] needs 16");
    with("in=f32[99999999999]").refused("bytes are more than");
    with("n=1").refused("parameter 'n' is given twice");
    run(&dims, &good[2..]).refused("parameter 'in' of kernel copy has no value");
    run(&dims, &[&good[..4], &["--arg", "n=f32[4]"]].concat()).refused("parameter 'n' is a scalar");
    run(&dims, &[&good[..4], &["--arg", "n=0.5"]].concat())
        .refused("'0.5' is not a value of type int");
    run(&dims, &[&good[..4], &["--arg", "n=4294967296"]].concat())
        .refused("is not a value of type int");
    run(&dims, &[&good[..], &["--assume", "n < 0"]].concat())
        .refused("does not satisfy --assume 'n < 0'");
    run(&dims, &[&good[..], &["--assume", "n <"]].concat())
        .refused("the expression ends too early");
    run(&dims, &[&good[..], &["--dump", "foo"]].concat()).refused("no parameter 'foo'");

    place.lockstep(&["run", "two.cu", "--block", "1", "--grid", "1"]).refused("first, second");
    place
        .lockstep(&["run", "two.cu", "--kernel", "third"])
        .refused("no kernel 'third'; there are first, second");
    place.lockstep(&["check", "two.cu", "--kernel", "third"]).refused("no kernel 'third'");
    place.lockstep(&["dump", "two.cu", "--kernel", "third"]).refused("no kernel 'third'");
    place.lockstep(&["check", "copy.cu", "--kernel", "k"]).refused("'k'; there is only copy\n");
}

#[test]
fn witnesses_that_are_none() {
    let place = Place::new();
    place.file("w.json", "{}");
    place.file("copy.cu", COPY);
    let w = r#"{"schema":1,"file":"copy.cu","kernel":"gone","kind":"data-race","launch":{"grid":[1,1,1],
        "block":[1,1,1],"args":{"n":1}},"scheduling":"independent","warp_size":32}"#;
    place.file("gone.json", w);
    place.file("odd.json", w.replace("independent", "odd"));
    place.lockstep(&["run", "--replay", "missing.json"]).refused("cannot read 'missing.json'");
    place.lockstep(&["run", "--replay", "w.json"]).refused("not a witness");
    place.lockstep(&["run", "--replay", "gone.json"]).refused("no kernel 'gone'");
    place.lockstep(&["run", "--replay", "odd.json"]).refused("scheduling 'odd'");
}

#[test]
fn json_names_the_errors_too() {
    let place = Place::new();
    let ran = place.lockstep(&["check", "missing.cu", "--format", "json"]);
    ran.refused("missing.cu");
    let value: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(value["errors"][0]["file"], "missing.cu");
    assert_eq!(value["kernels"], serde_json::json!([]));
}

#[test]
fn an_array_too_short_is_a_finding() {
    let place = Place::new();
    place.file("copy.cu", COPY);
    let args = ["--arg", "in=f32[32]", "--arg", "out=f32[64]", "--arg", "n=64"];
    let ran =
        place.lockstep(&[&["run", "copy.cu", "--block", "64", "--grid", "1"], &args[..]].concat());
    ran.ends(1);
    assert!(ran.stdout.contains("error[out-of-bounds]"), "{}", ran.stdout);
}

#[test]
fn an_endless_loop_is_unknown() {
    let place = Place::new();
    place.file("spin.cu", SPIN);
    let args =
        ["run", "spin.cu", "--block", "32", "--grid", "1", "--arg", "a=i32[32]", "--budget", "0.1"];
    let ran = place.lockstep(&args);
    ran.ends(3);
    assert!(ran.stdout.contains("unknown"), "{}", ran.stdout);
    place.lockstep(&[&args[..], &["--allow-unknown"]].concat()).ends(0);
}

#[test]
fn a_kernel_beyond_the_simulator_is_unknown() {
    let place = Place::new();
    let source = "\
#define FOUR(x) x x x x
#define SIXTEEN(x) FOUR(FOUR(x))
#define MANY(x) SIXTEEN(SIXTEEN(SIXTEEN(x)))
__global__ void large(volatile int *a) { MANY(a[threadIdx.x] += 1; a[0] += 1; a[1] += 1; a[2] += 1;) }
";
    place.file("large.cu", source);
    // The prover has a clock here: the pairs of so many accesses are more than a test can wait for.
    let output = Command::new(env!("CARGO_BIN_EXE_lockstep"))
        .env_remove("LOCKSTEP_REPRODUCIBLE")
        .args(["check", "large.cu", "--budget", "1", "--no-cache"])
        .current_dir(place.dir.path())
        .output()
        .expect("lockstep starts");
    let told = String::from_utf8_lossy(&output.stdout);
    let why = "32768 accesses are more than the simulator tracks (32767)";
    assert!(output.status.code() == Some(3) && told.contains(why), "{output:?}");
}

/// Where time was over, the report has the command that goes on with what is unknown, as it can be given.
#[test]
fn what_the_budget_leaves_open_can_be_gone_on_with() {
    let place = Place::new();
    let source = "__global__ void spin(int *a, int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) a[threadIdx.x] += a[(i * j + a[j]) & 63];
}
";
    place.file("my spin.cu", source);
    let run = |args: &[String]| {
        let output = Command::new(env!("CARGO_BIN_EXE_lockstep"))
            .env_remove("LOCKSTEP_REPRODUCIBLE")
            .args(args)
            .arg("--no-cache")
            .current_dir(place.dir.path())
            .output()
            .expect("lockstep starts");
        assert_eq!(output.status.code(), Some(3), "{output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let args = [
        "check",
        "my spin.cu",
        "--skip",
        "data-race",
        "--block",
        "64",
        "--arg",
        "n=1000000",
        "--budget",
        "0.25",
    ];
    let told = run(&args.map(str::to_owned));
    let line = told.lines().find_map(|l| l.trim().strip_prefix("go on with: lockstep "));
    let line = line.unwrap_or_else(|| panic!("no such line: {told}"));
    assert!(line.starts_with("check 'my spin.cu' --kernel spin --only "), "{line}");
    assert!(line.ends_with("--budget 1 --block 64 --arg n=1000000"), "{line}");
    let again: Vec<String> = line
        .replace("'my spin.cu'", "my_spin.cu")
        .split(' ')
        .map(|w| w.replace("my_spin", "my spin"))
        .collect();
    assert!(run(&again).contains("--budget 4 "), "the same, with more time");
}

#[test]
fn a_hundred_megabytes_are_no_problem() {
    let place = Place::new();
    place.file("copy.cu", COPY);
    let args = ["--arg", "in=f32[25000000]:iota", "--arg", "out=f32[64]", "--arg", "n=64"];
    place
        .lockstep(&[&["run", "copy.cu", "--block", "64", "--grid", "1"], &args[..]].concat())
        .ends(0);
}
