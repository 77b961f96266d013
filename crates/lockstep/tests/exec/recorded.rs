//! `lockstep exec --record DIR`, and what `lockstep check --launches DIR` makes of it: `tests/launches` has kernels that are
//! right or wrong by what they are given, and a program that gives it.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{lockstep, repository, shell};

/// The program, compiled, and the record of one run.
fn recorded() -> TempDir {
    let dir = TempDir::new().expect("a temporary folder");
    for file in ["kernels.cu", "kernels.cuh", "main.cu"] {
        let from = repository().join("tests/launches").join(file);
        std::fs::copy(from, dir.path().join(file)).expect("a file is copied");
    }
    let built = shell(dir.path(), "lockstep nvcc main.cu kernels.cu -o app", 0);
    assert_eq!(built.status, 0, "{}", built.out);
    record(dir.path(), "");
    dir
}

fn record(dir: &Path, arguments: &str) {
    let line = format!("lockstep exec --quiet --exit-zero --record launches ./app {arguments}");
    let ended = shell(dir, &line, 0);
    assert_eq!(ended.status, 0, "{}", ended.out);
}

/// The files of the record.
fn files(dir: &Path) -> BTreeMap<String, String> {
    let entries = std::fs::read_dir(dir.join("launches")).expect("a folder").flatten();
    let text = |e: &std::fs::DirEntry| std::fs::read_to_string(e.path()).expect("text");
    entries.map(|e| (e.file_name().to_string_lossy().into_owned(), text(&e))).collect()
}

fn check(dir: &Path, options: &[&str]) -> Value {
    let mut words = vec!["check", "kernels.cu", "--format", "json", "--reproducible"];
    words.extend(options);
    let ended = lockstep(dir, &words);
    serde_json::from_str(&ended.out).unwrap_or_else(|e| panic!("{e}\n{}{}", ended.out, ended.err))
}

fn kernel<'a>(report: &'a Value, name: &str) -> &'a Value {
    let all = report["kernels"].as_array().expect("kernels");
    let found = all.iter().find(|k| k["name"] == format!("{name}_kernel"));
    found.unwrap_or_else(|| panic!("no kernel {name}"))
}

/// The verdict of a kind, and what it rests on.
fn verdict(report: &Value, name: &str, kind: &str) -> (String, String) {
    let verdict = &kernel(report, name)["verdicts"][kind];
    let text = |v: &Value| v.as_str().unwrap_or_default().to_owned();
    let assumes = verdict["assumes"].as_array().into_iter().flatten().map(text);
    (text(&verdict["verdict"]), assumes.collect::<Vec<_>>().join(" and "))
}

fn findings(report: &Value, name: &str) -> Vec<(String, bool)> {
    let all = kernel(report, name)["findings"].as_array().expect("findings").iter();
    let kind = |f: &Value| f["kind"].as_str().unwrap_or_default().to_owned();
    all.map(|f| (kind(f), f["conditional"] == true)).collect()
}

#[test]
fn a_record_is_text_that_stays_the_same() {
    let dir = recorded();
    let first = files(dir.path());
    assert_eq!(first.len(), 9, "{:?}", first.keys());
    record(dir.path(), "");
    assert_eq!(files(dir.path()), first);
    for (name, text) in &first {
        assert!(text.len() < 8000, "{name} has {} bytes", text.len());
        assert!(!text.contains("0x"), "{name}: {text}");
    }
    let of = |files: &BTreeMap<String, String>, name: &str| {
        let file = files.iter().find(|(file, _)| file.starts_with(name)).expect("a file");
        file.1.clone()
    };
    let scatter = of(&first, "scatter");
    for line in [
        "\"blockDim.x == 64\"",
        "\"n % 8 == 0\"",
        "\"n >= 96\"",
        "\"gridDim.x == (n + blockDim.x - 1) / blockDim.x\"",
        "\"where\": [\"a permutation of all indices\",",
    ] {
        assert!(scatter.contains(line), "{line}\n{scatter}");
    }
    assert!(of(&first, "rows").contains("\"pitch > width\""));
    assert!(of(&first, "fold").contains("\"half == shift\""));
    // Another run with other sizes is added, and what does not hold in it goes.
    record(dir.path(), "53");
    let both = of(&files(dir.path()), "scatter");
    assert_eq!(both.matches("\"grid\"").count(), scatter.matches("\"grid\"").count() + 1);
    assert!(!both.contains("n % 8") && both.contains("\"n >= 53\""), "{both}");
    // In the other order, it is the same.
    std::fs::remove_dir_all(dir.path().join("launches")).expect("it was there");
    record(dir.path(), "53");
    record(dir.path(), "");
    assert_eq!(of(&files(dir.path()), "scatter"), both);
}

#[test]
fn launches_decide_what_was_guessed() {
    let dir = recorded();
    let before = check(dir.path(), &[]);
    let after = check(dir.path(), &["--launches", "launches"]);
    // Right by what the program gives: what was conditional is gone.
    for name in ["scatter", "rows", "fold"] {
        let conditional = ("data-race".to_owned(), true);
        assert!(findings(&before, name).contains(&conditional), "{name}");
        assert_eq!(findings(&after, name), [], "{name}");
    }
    assert_eq!(verdict(&after, "scatter", "data-race").0, "clean");
    // The record has no more of the slots than how large they are: others that are alike show no race.
    assert!(findings(&before, "slots").iter().any(|(kind, _)| kind == "data-race"));
    assert_eq!(findings(&after, "slots"), []);
    assert_eq!(verdict(&after, "slots", "data-race").0, "clean");
    let (word, rows) = verdict(&after, "rows", "data-race");
    assert_eq!(word, "proved");
    assert!(rows.contains("pitch > width"), "{rows}");
    let (word, fold) = verdict(&after, "fold", "data-race");
    assert_eq!(word, "proved");
    assert!(fold.contains("== shift") || fold.contains("== half"), "{fold}");
    // All that a proof rests on says where it comes from.
    let origins = &kernel(&after, "rows")["verdicts"]["data-race"]["origins"];
    let origins = origins.as_array().expect("origins");
    assert!(origins.iter().all(|o| o == "recorded-launches"), "{origins:?}");
    // How large arrays are is known, and which launches there are.
    for name in ["sums", "smooth", "neighbours"] {
        assert_eq!(verdict(&before, name, "out-of-bounds").0, "clean", "{name}");
        let (word, assumes) = verdict(&after, name, "out-of-bounds");
        assert_eq!(word, "proved", "{name}");
        assert_eq!(assumes, "it is one of the 3 launches that were recorded", "{name}");
    }
    // Wrong by what the program gives, which was only a guess before.
    assert_eq!(verdict(&before, "first", "data-race").0, "clean");
    assert_eq!(verdict(&before, "level", "data-race").0, "unknown");
    for name in ["first", "level", "neighbours"] {
        assert_eq!(verdict(&after, name, "data-race").0, "found", "{name}");
    }
    let key = &kernel(&after, "first")["findings"][0]["launch"]["args"]["key"];
    assert_eq!(key, "i32[4]:3,1,3,0");
}

#[test]
fn a_project_names_its_record() {
    let dir = recorded();
    let by_option = check(dir.path(), &["--launches", "launches"]);
    std::fs::write(dir.path().join("lockstep.toml"), "launches = \"launches\"\n").expect("written");
    let by_file = check(dir.path(), &[]);
    for name in ["scatter", "rows", "fold", "first"] {
        let verdicts = |report: &Value| kernel(report, name)["verdicts"].clone();
        assert_eq!(verdicts(&by_option), verdicts(&by_file), "{name}");
    }
    // Who gives dimensions means these: launches with others are none of his.
    let given = check(dir.path(), &["--kernel", "rows_kernel", "--block", "64"]);
    let (_, assumes) = verdict(&given, "rows", "barrier-divergence");
    assert!(!assumes.contains("gridDim.x"), "{assumes}");
    let origins = kernel(&given, "rows")["verdicts"].to_string();
    assert!(!origins.contains("recorded"), "{origins}");
}

#[test]
fn a_folder_without_launches_is_an_error() {
    let dir = TempDir::new().expect("a temporary folder");
    std::fs::write(dir.path().join("k.cu"), "__global__ void k(int *a) { a[0] = 1; }\n")
        .expect("written");
    let ended = lockstep(dir.path(), &["check", "k.cu", "--launches", "absent"]);
    assert_eq!(ended.status, 2, "{}", ended.out);
    assert!(ended.err.contains("cannot read the launches in absent"), "{}", ended.err);
}
