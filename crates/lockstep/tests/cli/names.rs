//! Names of files that are not UTF-8, hold line breaks, or look like something else.
#![cfg(unix)]

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Ended, lockstep};

const RACY: &str = "__global__ void racy(int *x) { x[0] = threadIdx.x; }\n";

/// A name, and how reports write it.
const NAMES: [(&[u8], &str); 5] = [
    (b"-dash.cu", "-dash.cu"),
    (b"back\\n.cu", "back\\\\n.cu"),
    (b"colour\x1b[31m.cu", "colour\\u{1b}[31m.cu"),
    (b"latin\xe4.cu", "latin\\xe4.cu"),
    (b"line\n::error file=a.cu::b.cu", "line\\n::error file=a.cu::b.cu"),
];

fn os(bytes: &[u8]) -> &OsStr {
    OsStr::from_bytes(bytes)
}

fn folder() -> TempDir {
    let dir = TempDir::new().expect("a temporary folder");
    for (name, _) in NAMES {
        fs::write(dir.path().join(os(name)), RACY).expect("a file is written");
    }
    dir
}

fn check(dir: &Path, format: &str, more: &[&str]) -> Ended {
    let args =
        ["check", ".", "--block", "32", "--grid", "1", "--only", "data-race", "--format", format];
    lockstep(dir, &[&args, more].concat())
}

#[test]
fn every_format_has_one_text_for_a_name() {
    let dir = folder();
    let concise = check(dir.path(), "concise", &[]);
    assert_eq!(concise.status, 1, "{}", concise.err);
    let expected = NAMES.map(|(_, text)| format!("{text}:1:"));
    let lines: Vec<&str> = concise.out.lines().collect();
    assert_eq!(lines.len(), NAMES.len(), "{}", concise.out);
    for (line, start) in lines.iter().zip(&expected) {
        assert!(line.starts_with(start), "{line}");
    }

    let json: Value = serde_json::from_str(&check(dir.path(), "json", &[]).out).expect("JSON");
    let kernels = json["kernels"].as_array().expect("a list");
    let files: Vec<&str> = kernels.iter().filter_map(|k| k["file"].as_str()).collect();
    assert_eq!(files, NAMES.map(|(_, text)| text));

    let github = check(dir.path(), "github", &[]);
    let races = github.out.lines().filter(|l| l.starts_with("::error ")).count();
    assert_eq!(races, NAMES.len(), "{}", github.out);
    assert!(!github.out.contains('\x1b'), "{}", github.out);

    let human = check(dir.path(), "human", &[]).out;
    for (_, text) in NAMES {
        assert!(human.contains(&format!("--> {text}:1:")), "{text}\n{human}");
    }
    // The source is quoted: it was found under its own name.
    assert_eq!(human.matches("x[0] = threadIdx.x;").count(), NAMES.len(), "{human}");
    assert!(!human.contains('\x1b') && !human.lines().any(|l| l.starts_with("::")), "{human}");

    let sarif: Value = serde_json::from_str(&check(dir.path(), "sarif", &[]).out).expect("JSON");
    let artifacts = sarif["runs"][0]["artifacts"].to_string();
    assert!(artifacts.contains("latin%E4.cu"), "{artifacts}");
    assert!(artifacts.contains("line%0A%3A%3Aerror%20file=a.cu"), "{artifacts}");
}

#[test]
fn a_file_is_found_under_its_own_name() {
    let dir = folder();
    for (name, text) in NAMES {
        // A name that begins with a dash is an option unless a folder stands before it.
        let named = Path::new(".").join(os(name)).into_os_string();
        let words = ["check", "--block", "32", "--grid", "1"].map(OsString::from);
        let ended = lockstep(dir.path(), &[&words[..], &[named]].concat());
        assert_eq!(ended.status, 1, "{text}\n{}", ended.err);
    }
    // A witness names its source, and is replayed.
    let made = check(dir.path(), "concise", &["--witness-dir", "witnesses"]);
    assert_eq!(made.status, 1, "{}", made.err);
    let witnesses: Vec<_> = fs::read_dir(dir.path().join("witnesses")).expect("made").collect();
    assert_eq!(witnesses.len(), NAMES.len());
    for witness in witnesses {
        let path = witness.expect("an entry").path().into_os_string();
        let words = ["run", "--replay"].map(OsString::from);
        let ended = lockstep(dir.path(), &[&words[..], &[path]].concat());
        assert_eq!(ended.status, 1, "{}{}", ended.out, ended.err);
    }
}

#[test]
fn folders_of_headers_have_any_name() {
    let dir = TempDir::new().expect("a temporary folder");
    let headers = dir.path().join(os(b"in\xe4c"));
    fs::create_dir(&headers).expect("a folder");
    let put = "__device__ void put(int *x) {\n  x[0] = threadIdx.x;\n}\n";
    fs::write(headers.join("put.h"), put).expect("a file is written");
    // A template is instantiated through a copy of the file.
    let text =
        "#include \"put.h\"\ntemplate <class T> __global__ void k(T *x) { put((int *)x); }\n";
    fs::write(dir.path().join(os(b"k\xff.cu")), text).expect("a file is written");
    let mut include = OsString::from("-I");
    include.push(&headers);
    let words = ["check", ".", "--block", "32", "--grid", "1", "--format", "concise"];
    let words: Vec<OsString> = words.map(OsString::from).into_iter().chain([include]).collect();
    let ended = lockstep(dir.path(), &words);
    assert_eq!(ended.status, 1, "{}{}", ended.out, ended.err);
    assert!(ended.out.starts_with("in\\xe4c/put.h:2:"), "{}", ended.out);
    // So does a folder that the settings name, relative to one of any name.
    fs::write(headers.join("lockstep.toml"), "include = [\".\"]\n").expect("written");
    fs::rename(dir.path().join(os(b"k\xff.cu")), headers.join("k.cu")).expect("moved");
    let words = ["check", "k.cu", "--block", "32", "--grid", "1"];
    let ended = lockstep(&headers, &words);
    assert_eq!(ended.status, 1, "{}{}", ended.out, ended.err);
}

#[test]
fn a_compiler_s_message_cannot_pose_as_a_line_of_the_log() {
    let dir = TempDir::new().expect("a temporary folder");
    let text = "__global__ void k(int *x) { x[0] = nothing; }\n";
    let name = os(b"a\n::error::b\xe4.cu");
    fs::write(dir.path().join(name), text).expect("a file is written");
    for format in ["human", "concise", "github"] {
        let ended = check(dir.path(), format, &[]);
        assert_eq!(ended.status, 2, "{}{}", ended.out, ended.err);
        assert!(ended.err.contains("a\\n::error::b\\xe4.cu:1:36: error: "), "{}", ended.err);
        let posing = |text: &str| text.lines().any(|l| l.starts_with("::error::"));
        assert!(!posing(&ended.err) && !posing(&ended.out), "{}{}", ended.out, ended.err);
    }
}

#[test]
fn a_temporary_folder_that_cannot_be_used_is_one_message() {
    let dir = TempDir::new().expect("a temporary folder");
    for name in ["a.cu", "b.cu"] {
        fs::write(dir.path().join(name), RACY).expect("a file is written");
    }
    let no_folder = dir.path().join("a.cu");
    for (folder, why) in
        [(dir.path().join("missing"), "there is no such folder"), (no_folder, "it is not a folder")]
    {
        let output = Command::new(env!("CARGO_BIN_EXE_lockstep"))
            .args(["check", "a.cu", "b.cu", "--no-cache"])
            .env("TMPDIR", &folder)
            .current_dir(dir.path())
            .output()
            .expect("lockstep starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        let expected = format!(
            "error: the temporary folder '{}' cannot be used: {why}; set the environment variable TMPDIR to a \
             folder that can be written\n",
            folder.display()
        );
        assert_eq!(said, expected);
    }
}
