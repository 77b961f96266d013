//! What users get to see without a GPU, and with a driver that fails: one message each, and the exit status.
//!
//! The driver is one of ours (`fake_driver.c`): it answers as NVIDIA's does, and runs nothing. What it cannot show is that a
//! kernel computes something on a GPU.

use std::path::{Path, PathBuf};
use std::process::Command;

use lockstep_device::archive::{Archive, Array, Code, Cubin, Scheme};
use lockstep_device::plan::{Barriers, Known, Spaces, plan};
use lockstep_finding::Witness;
use lockstep_frontend::{Input, Options, load};
use lockstep_kernel::Language;
use tempfile::TempDir;

const KERNEL: &str = "__global__ void k(int *a) {\n    a[threadIdx.x] = 1;\n}\n";

/// An archive whose PTX is only good for our driver.
fn archive(dir: &Path) -> PathBuf {
    std::fs::write(dir.join("k.cu"), KERNEL).expect("a source");
    let options = Options { language: Some(Language::Cuda), ..Options::default() };
    let input = Input::Text { name: "k.cu", bytes: KERNEL.as_bytes() };
    let kernel = load(input, &options).expect("it compiles").kernels.remove(0);
    let spaces = Spaces { shared: true, global: true };
    let plan =
        plan(&kernel, &Known::Nothing, Barriers::MayBeMissed, spaces).expect("it can be built");
    let compiled = r#"{"schema":1,"file":"k.cu","kernel":"_Z1kPi","kind":"","launch":{"grid":[1,1,1],"block":[1,1,1]},"scheduling":"independent","warp_size":32,"clang_args":["--offload-arch=sm_70"]}"#;
    let compiled = Witness::from_json(compiled).expect("what is known when it is built");
    let archive = Archive {
        version: "0".into(),
        file: "k.cu".into(),
        architecture: "sm_70".into(),
        level: 3,
        kernel,
        plain: "plain".into(),
        plain_cubin: None,
        codes: vec![Code {
            scheme: Scheme::Flag,
            inside: false,
            ptx: "has __lockstep_report".into(),
            cubin: None,
        }],
        plan,
        assumes: Vec::new(),
        block: [None; 3],
        grid: [None; 3],
        arguments: Vec::new(),
        arrays: vec![Array::Parameter(0)],
        shared: Vec::new(),
        own_shared: 0,
        uses_shared: false,
        witness: Some(compiled),
    };
    let path = dir.join("k.lsd");
    std::fs::write(&path, archive.to_bytes().expect("it is written")).expect("a file");
    path
}

fn place() -> TempDir {
    let dir = TempDir::new().expect("a temporary folder");
    archive(dir.path());
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fake_driver.c");
    std::fs::create_dir(dir.path().join("driver")).expect("a folder");
    let library = dir.path().join("driver/libcuda.so.1");
    let made =
        Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(source).status();
    assert!(made.expect("a C compiler").success());
    dir
}

/// Status, standard output, standard error.
fn ran(dir: &Path, fake: Option<&str>, words: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep-device"));
    command.current_dir(dir).args(words).env_remove("LD_LIBRARY_PATH").env_remove("FAKE_CUDA");
    if let Some(fake) = fake {
        command.env("LD_LIBRARY_PATH", dir.join("driver")).env("FAKE_CUDA", fake);
    }
    let output = command.output().expect("it runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

const RUN: [&str; 8] = ["run", "k.lsd", "--block", "64", "--grid", "1", "--arg", "a=i32[64]"];

#[test]
fn without_a_driver() {
    let dir = place();
    let (status, out, err) = ran(dir.path(), None, &RUN);
    // A machine with a driver has another message, and cannot run what is no PTX.
    assert_eq!((status, out.as_str()), (2, ""), "{err}");
    assert_eq!(err.lines().count(), 1, "{err}");
    assert!(err.starts_with("error: "), "{err}");
}

#[test]
fn each_failure_has_one_message() {
    let dir = place();
    for (fake, message) in [
        (
            "old",
            "the NVIDIA driver is too old (it is for CUDA 11.4); one for CUDA 12.0 or later is needed",
        ),
        (
            "old ptx",
            "the NVIDIA driver is too old (it is for CUDA 12.4); one for CUDA 12.0 or later is needed",
        ),
        ("no device", "the NVIDIA driver finds no such GPU"),
        (
            "old device",
            "a device of the tests is sm_60, and the kernel was built for sm_70: build it with --arch sm_60",
        ),
        (
            "small",
            "the GPU has not enough memory for the arrays and what the checker keeps beside them: give smaller arrays, or build with --memory shared",
        ),
        ("fails", "the NVIDIA driver fails in the kernel: unspecified launch failure"),
        (
            "hang",
            "the kernel did not end within 0.1 s: it may wait for ever, or need a larger --budget",
        ),
    ] {
        let mut words = RUN.to_vec();
        words.extend(["--budget", "0.1"]);
        if fake == "small" {
            *words.iter_mut().find(|w| w.starts_with("a=")).expect("it is there") = "a=i32[512]";
        }
        let (status, out, err) = ran(dir.path(), Some(fake), &words);
        assert_eq!(
            (status, out.as_str(), err.trim_end()),
            (2, "", format!("error: {message}").as_str())
        );
    }
}

#[test]
fn a_kernel_that_is_stopped_says_so() {
    let dir = place();
    let (status, _, err) = ran(dir.path(), Some("illegal"), &RUN);
    assert_eq!(status, 2, "{err}");
    assert!(err.contains("the GPU stopped the kernel: it accessed an address"), "{err}");
}

/// The launch with the checker comes first; that without it is only timed.
#[test]
fn what_was_found_is_told_where_the_kernel_alone_is_stopped() {
    let dir = place();
    let (status, out, err) = ran(dir.path(), Some("race, then illegal"), &RUN);
    assert_eq!(status, 1, "{out}{err}");
    assert!(out.contains("error[data-race]"), "{out}");
    assert!(err.contains("the GPU stopped the kernel: it accessed an address"), "{err}");
}

#[test]
fn ptx_that_does_not_assemble_is_told_with_its_line() {
    let dir = place();
    let (status, _, err) = ran(dir.path(), Some("bad ptx"), &RUN);
    assert_eq!((status, err.lines().count()), (2, 1), "{err}");
    assert!(err.contains("ptxas application ptx input, line 7; error"), "{err}");
}

#[test]
fn the_kernel_alone_has_a_time_and_no_report() {
    let dir = place();
    let mut words = RUN.to_vec();
    words.extend(["--native", "--repeat", "3"]);
    let (status, out, err) = ran(dir.path(), Some("race"), &words);
    assert_eq!((status, out.as_str()), (0, ""), "{err}");
    assert!(err.ends_with(", PTX): 1.2500 ms\n"), "{err}");
}

#[test]
fn a_quiet_report_is_clean_and_a_row_is_a_finding() {
    let dir = place();
    let (status, out, err) = ran(dir.path(), Some(""), &RUN);
    assert_eq!(status, 0, "{out}{err}");
    assert!(out.contains("this launch on a device of the tests"), "{out}");
    assert!(err.contains("1.2500 ms, with the checker 2.5000 ms"), "{err}");
    let mut words = RUN.to_vec();
    words.extend(["--format", "concise"]);
    let (status, out, err) = ran(dir.path(), Some("race"), &words);
    assert_eq!(status, 1, "{out}{err}");
    assert!(out.starts_with("k.cu:2:"), "{out}");
    assert!(out.contains("data race on global memory `a[0]`: write and write"), "{out}");
}

/// The archive of a folder, with cubins that our driver takes.
fn with_cubins(dir: &Path, architecture: &str) {
    let path = dir.join("k.lsd");
    let mut archive =
        Archive::from_bytes(&std::fs::read(&path).expect("it is there")).expect("ours");
    let cubin = |what: &[u8]| Some(Cubin([b"\x7fELF", what, b"\0"].concat()));
    archive.plain_cubin = cubin(b"plain");
    archive.codes[0].cubin = cubin(b"has __lockstep_report");
    archive.architecture = architecture.into();
    std::fs::write(&path, archive.to_bytes().expect("it is written")).expect("a file");
}

#[test]
fn a_cubin_is_loaded_where_it_is_for_the_device_and_the_block() {
    let dir = place();
    let says = |fake: &str| {
        let (status, out, err) = ran(dir.path(), Some(fake), &RUN);
        (status, err.contains("for CUDA 12.4, cubin): "), err.contains(", PTX): "), out)
    };
    let (status, cubin, ptx, _) = says("");
    assert_eq!((status, cubin, ptx), (0, false, true), "there is none yet");
    for (architecture, is_for_it) in [("sm_90", true), ("sm_90a", true), ("sm_80", false)] {
        with_cubins(dir.path(), architecture);
        let (status, cubin, ptx, out) = says("");
        assert_eq!((status, cubin, ptx), (0, is_for_it, !is_for_it), "{architecture}: {out}");
    }
    with_cubins(dir.path(), "sm_90");
    // The driver refuses its PTX, and what is found with the cubin is told as with PTX.
    assert_eq!(says("cubin only").0, 0);
    let (status, cubin, _, out) = says("race");
    assert_eq!((status, cubin), (1, true), "{out}");
    assert!(out.contains("data race on global memory `a[0]`"), "{out}");
    // One that the driver refuses, or with too many registers for a block of 64 threads.
    for fake in ["other cubin", "wide cubin"] {
        let (status, cubin, ptx, out) = says(fake);
        assert_eq!((status, cubin, ptx), (0, false, true), "{fake}: {out}");
    }
    let shown = ran(dir.path(), None, &["show", "k.lsd"]).1;
    assert!(shown.contains("PTX, and a cubin for sm_90\n"), "{shown}");
}

#[test]
fn a_witness_has_the_launch_and_what_was_found() {
    let dir = place();
    std::fs::write(dir.path().join("data"), [7u8; 256]).expect("a file");
    let mut words = RUN.to_vec();
    *words.iter_mut().find(|w| w.starts_with("a=")).expect("it is there") = "a=i32[64]:@data";
    words.extend(["--witness-dir", "found"]);
    let (status, _, err) = ran(dir.path(), Some("race"), &words);
    assert_eq!(status, 1, "{err}");
    let text = std::fs::read_to_string(dir.path().join("found/k-data-race-1.json")).expect("it");
    let witness = Witness::from_json(&text).expect("a witness");
    assert_eq!((witness.file.as_str(), witness.kind.as_str()), ("k.cu", "data-race"));
    assert_eq!((witness.kernel.as_str(), witness.clang_args.len()), ("_Z1kPi", 1));
    assert_eq!((witness.scheduling.as_str(), witness.warp_size), ("independent", 32));
    assert_eq!((witness.launch.block, witness.launch.grid), ([64, 1, 1], [1, 1, 1]));
    // The contents, and not the file.
    let given = witness.launch.args[0].1.to_string();
    assert_eq!(given, format!("i32[64]:{}", ["117901063"; 64].join(",")), "four bytes of 7");
    assert!(witness.message.contains("`a[0]`: write and write"), "{}", witness.message);
    let who = &witness.accesses;
    assert!(
        who.iter().any(|a| a.contains("thread (1,0,0) of block (0,0,0) at k.cu:2:")),
        "{who:?}"
    );
    // Nothing is written where nothing is found.
    let mut words = RUN.to_vec();
    words.extend(["--witness-dir", "none"]);
    assert_eq!(ran(dir.path(), Some(""), &words).0, 0);
    assert_eq!(std::fs::read_dir(dir.path().join("none")).expect("a folder").count(), 0);
}

#[test]
fn the_simulator_is_beside_it() {
    let dir = place();
    let mut words = RUN.to_vec();
    words.push("--compare");
    // Our driver computes nothing: every element differs.
    let (status, _, err) = ran(dir.path(), Some(""), &words);
    assert_eq!(status, 1, "{err}");
    assert!(err.contains("array 'a' differs in 64 bytes"), "{err}");
}

#[test]
fn bad_input_has_one_message() {
    let dir = place();
    std::fs::write(dir.path().join("other"), "no archive").expect("a file");
    std::fs::write(dir.path().join("newer"), "lockstep device archive 99\n{}").expect("a file");
    std::fs::write(dir.path().join("broken"), "lockstep device archive 3\n{").expect("a file");
    for (file, message) in [
        ("missing", "cannot read 'missing'"),
        ("other", "it was not written by lockstep device build"),
        ("newer", "it has format 99"),
        ("broken", "it is damaged"),
    ] {
        let mut words = RUN.to_vec();
        words[1] = file;
        let (status, out, err) = ran(dir.path(), None, &words);
        assert_eq!((status, out.as_str(), err.lines().count()), (2, "", 1), "{err}");
        assert!(err.contains(message), "{err}");
    }
    let (status, _, err) = ran(dir.path(), None, &["run", "k.lsd", "--block", "64", "--grid", "1"]);
    assert_eq!(status, 2);
    assert!(err.contains("parameter 'a' of kernel k has no value"), "{err}");
    let mut words = RUN.to_vec();
    words[3] = "2048";
    let (status, _, err) = ran(dir.path(), None, &words);
    assert_eq!(status, 2);
    assert!(err.contains("2048 threads in a block"), "{err}");
}
