//! `lockstep device build`, and what `lockstep-device` makes of it that `lockstep` reads again. What runs on a GPU is not here.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use lockstep_device::archive::{Archive, Cubin};
use lockstep_finding::{ArgValue, Finding, Kind, Launch};
use serde_json::Value;
use tempfile::TempDir;

use crate::support;

/// What an array holds decides whether it races: `to` is all zeros unless something else is given.
const SCATTER: &str = "\
__global__ void scatter(const int *to, int *out, int n) {
    if (threadIdx.x < n) out[to[threadIdx.x]] = threadIdx.x + SHIFT;
}
";

const ADD_UP: &str = "\
__global__ void add_up(const float *a, const int *place, float *out, int n) {
    __shared__ float sum[64], part[64];
    int to = place[threadIdx.x] & 63;
    part[to] = a[threadIdx.x];
    for (int k = 0; k < n; ++k) sum[to] += part[k];
    out[threadIdx.x] = sum[to] + part[n];
}
";

fn folder(files: &[(&str, &str)]) -> TempDir {
    let dir = TempDir::new().expect("a temporary folder");
    for (name, text) in files {
        std::fs::write(dir.path().join(name), text).expect("a file is written");
    }
    dir
}

/// Runs `lockstep device build` on `k.cu` with `bin` of the folder before the path.
fn build(dir: &Path, more: &[&str]) -> (i32, String, String) {
    let mut path = OsString::from(dir.join("bin"));
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let output = Command::new(support::binary())
        .current_dir(dir)
        .env("PATH", path)
        .args(["device", "build", "k.cu", "-o", "k.lsd"])
        .args(more)
        .output()
        .expect("lockstep starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

fn archive(dir: &Path) -> Archive {
    let bytes = std::fs::read(dir.join("k.lsd")).expect("the archive");
    Archive::from_bytes(&bytes).expect("it can be read")
}

/// An assembler that writes down how it was called, and makes "cubin" of all PTX.
const PTXAS: &str = "#!/bin/sh
echo \"$*\" >> calls
for last; do :; done
grep -q '^.target sm_' \"$last\" || exit 3
while [ $# -gt 1 ]; do
    case $1 in -o) printf cubin > \"$2\" ;; esac
    shift
done
";

fn tool(dir: &Path, name: &str, text: &str) {
    let file = dir.join(name);
    std::fs::create_dir_all(file.parent().expect("a folder")).expect("it is made");
    std::fs::write(&file, text).expect("it is written");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).expect("it may run");
}

fn calls(dir: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(dir.join("calls")).unwrap_or_default();
    let _ = std::fs::remove_file(dir.join("calls"));
    text.lines().map(str::to_owned).collect()
}

#[test]
fn cubins_are_made_where_there_is_an_assembler() {
    let dir = folder(&[("k.cu", ADD_UP)]);
    tool(dir.path(), "bin/ptxas", PTXAS);
    let (status, out, err) = build(dir.path(), &["--arch", "sm_90"]);
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    let place = dir.path().join("bin/ptxas");
    assert!(out.contains(&format!("cubin for sm_90 by {}\n", place.display())), "{out}");
    let built = archive(dir.path());
    let cubin = Some(Cubin(b"cubin".to_vec()));
    assert_eq!(built.plain_cubin, cubin);
    assert!(built.codes.iter().all(|c| c.cubin == cubin && c.ptx.contains(".entry")));
    let called = calls(dir.path());
    assert_eq!(called.len(), 1 + built.codes.len(), "{called:?}");
    assert!(called.iter().all(|c| c.starts_with("-arch=sm_90 -o ")), "{called:?}");

    // A thread of a large block has fewer registers.
    let (status, ..) = build(dir.path(), &["--block", "32,32", "--ptx-only"]);
    assert_eq!((status, calls(dir.path())), (0, Vec::new()));
    assert_eq!(archive(dir.path()).plain_cubin, None);
    assert_eq!(build(dir.path(), &["--block", "32,32"]).0, 0);
    let called = calls(dir.path());
    assert!(called[0].starts_with("-arch=sm_70 --maxrregcount=64 -o "), "{called:?}");
    assert_eq!(build(dir.path(), &["--block", "any,32"]).0, 0);
    assert!(calls(dir.path())[0].starts_with("-arch=sm_70 -o "));
}

#[test]
fn ptx_alone_is_right_where_there_is_no_assembler_or_none_that_can_do_it() {
    let dir = folder(&[("k.cu", ADD_UP)]);
    let none = Command::new("sh").args(["-c", "command -v ptxas"]).output().expect("a shell");
    if !none.status.success() {
        let (status, out, err) = build(dir.path(), &[]);
        assert_eq!((status, err.as_str()), (0, ""), "{out}");
        assert!(!out.contains("cubin"), "{out}");
    }
    let old = "#!/bin/sh\necho 'ptxas fatal   : Unsupported .version 8.0' >&2\nexit 1\n";
    tool(dir.path(), "bin/ptxas", old);
    let (status, out, err) = build(dir.path(), &[]);
    assert_eq!(status, 0, "{out}{err}");
    assert!(err.contains("no cubin, only PTX: "), "{err}");
    assert!(err.contains("ptxas fatal   : Unsupported .version 8.0"), "{err}");
    assert_eq!(archive(dir.path()).plain_cubin, None);
}

#[test]
fn what_is_recorded_once_is_told() {
    let dir = folder(&[("k.cu", ADD_UP)]);
    let (status, out, err) = build(dir.path(), &["--ptx-only"]);
    assert_eq!(status, 0, "{out}{err}");
    assert!(out.contains("3 of them recorded once for others\n"), "{out}");
    let ends = |what: &str, why: &str| {
        assert!(out.lines().any(|l| l.contains(what) && l.ends_with(why)), "{what}: {out}");
    };
    ends(
        "write to `sum`",
        ": recorded once for the loop around it, where its address stays the same",
    );
    ends(
        "read of `part`",
        ": recorded by four threads for all of the block, which access one element",
    );
    let (status, out, _) = build(dir.path(), &["--ptx-only", "--no-prune"]);
    assert_eq!(status, 0);
    assert!(!out.contains("recorded"), "{out}");
}

/// What the GPU has found, as its report says it, becomes a file that the simulator repeats.
#[test]
fn a_race_of_a_gpu_is_repeated_by_the_simulator() {
    let dir = folder(&[("k.cu", SCATTER)]);
    assert_eq!(build(dir.path(), &["--ptx-only", "--no-prune", "-DSHIFT=7"]).0, 0);
    let contents: Vec<u8> = (0..64i32).flat_map(|i| (i % 60).to_le_bytes()).collect();
    let file = dir.path().join("places");
    std::fs::write(&file, contents).expect("a file");
    let built = archive(dir.path());
    let launch = |n: u32| {
        let given =
            [format!("to=i32[64]:@{}", file.display()), "out=i32[60]".into(), format!("n={n}")];
        let args = given.iter().map(|a| ArgValue::parse_assignment(a).expect("an argument"));
        Launch { block: [64, 1, 1], args: args.collect(), ..Launch::default() }
    };
    for (n, folder) in [(61, "racy"), (60, "quiet")] {
        let mut finding = Finding::new(Kind::DataRace, "a race".into(), Vec::new());
        finding.launch = Some(launch(n));
        let to = dir.path().join(folder);
        let count = lockstep_device_run::witness::write_all(&built, &[finding], &to);
        assert_eq!(count, Ok(1));
    }
    // What was in the file is in the witness.
    std::fs::remove_file(&file).expect("it was there");
    let replayed = |folder: &str| -> (i32, Value) {
        let witness = format!("{folder}/scatter-data-race-1.json");
        let words = ["run", "--replay", &witness, "--format", "json"];
        let ended = support::lockstep(dir.path(), &words);
        let json = serde_json::from_str(&ended.out).unwrap_or_else(|_| panic!("{ended:?}"));
        (ended.status, json)
    };
    let (status, report) = replayed("racy");
    assert_eq!(status, 1, "{report}");
    let kernel = &report["kernels"][0];
    assert_eq!(kernel["name"], "scatter");
    let race = &kernel["findings"][0];
    assert_eq!((&race["kind"], &race["object"]), (&"data-race".into(), &"out".into()));
    assert_eq!(race["element"], 0, "{race}");
    // 0 and 60 go to one place; threads differ by 60.
    let mut threads: Vec<i64> = race["accesses"]
        .as_array()
        .expect("two")
        .iter()
        .map(|a| a["thread"][0].as_i64().expect("a thread"))
        .collect();
    threads.sort();
    assert_eq!(threads, [0, 60]);
    let (status, report) = replayed("quiet");
    assert_eq!(status, 0, "{report}");
    assert_eq!(report["kernels"][0]["findings"], serde_json::json!([]));
}
