//! Results of earlier runs.

use std::path::Path;

use serde_json::Value;

use crate::entries;
use crate::project::kit::{CLEAN, LAUNCH, Project, RACE};

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

const FORMATS: [&str; 6] = ["concise", "human", "json", "sarif", "github", "html"];

/// What one format has paid for, all others get: only the pictures of what threads did, for findings, take a compiler.
#[test]
fn one_result_serves_every_format() {
    let p = Project::new();
    p.file("clean.cu", CLEAN).file("race.cu", RACE);
    let check = |file: &str, format: &str, more: &[&str]| {
        let args = [&["check", file, "--format", format], &LAUNCH[..], more].concat();
        p.counted(&args)
    };
    for (file, status) in [("clean.cu", 0), ("race.cu", 1)] {
        let (calls, _) = check(file, "concise", &[]);
        assert!(calls > 0, "the first time it is compiled");
        entries::replace(p.cache.path(), "data race on", "kept race on");
        for format in FORMATS {
            let shows_threads = status == 1 && ["human", "html"].contains(&format);
            let (calls, ran) = check(file, format, &[]);
            assert_eq!(calls, usize::from(shows_threads), "{file} as {format}");
            let (calls, again) = check(file, format, &[]);
            assert_eq!(calls, 0, "{file} as {format}, again");
            assert!(ran.timeless() == again.timeless(), "{file} as {format} is the same again");
            // It is the kept finding that is shown, with all that belongs to it.
            let (_, fresh) = check(file, format, &["--no-cache"]);
            let fresh = fresh.ends(status).timeless().replace("data race on", "kept race on");
            assert!(ran.ends(status).timeless() == fresh, "{file} as {format} is what was kept");
        }
    }
}

/// A kernel with a race that never ends: whatever limit it hits, it hits one.
const ENDLESS: &str = "__global__ void endless(volatile int *a) {\n    a[0] = threadIdx.x;\n    \
                       for (unsigned long long i = 0; i < (1ull << 62); i++) a[threadIdx.x] += i;\n}\n";

fn verdict<'a>(json: &'a Value, kind: &str) -> &'a Value {
    &json["kernels"][0]["verdicts"][kind]["verdict"]
}

/// What was decided within a budget is known for it and for every smaller one; a larger one tries what is open.
#[test]
fn what_hits_its_budget_is_kept_with_it() {
    let p = Project::new();
    p.file("k.cu", ENDLESS);
    let check = |budget: &str, more: &[&str]| {
        let args = ["check", "k.cu", "--format", "json", "--budget", budget];
        p.counted_by_the_clock(&[&args, &LAUNCH[..], more].concat())
    };
    let (calls, first) = check("0.4", &[]);
    assert!(calls > 0, "the first time it is compiled");
    let json = first.json();
    assert_eq!(verdict(&json, "data-race"), "found", "{}", first.stdout);
    assert_eq!(verdict(&json, "uninitialised-read"), "unknown", "{}", first.stdout);
    for budget in ["0.4", "0.1"] {
        let (calls, again) = check(budget, &[]);
        assert_eq!((calls, again.timeless()), (0, first.timeless()), "with {budget}");
    }
    // What was found stays as it is, and so does what was proved.
    entries::replace(p.cache.path(), "data race on", "kept race on");
    let (calls, more) = check("0.8", &[]);
    assert!(calls > 0, "what is open is tried again");
    let json = more.json();
    assert!(more.stdout.contains("kept race on") && !more.stdout.contains("data race on"));
    assert_eq!(verdict(&json, "uninitialised-read"), "unknown", "{}", more.stdout);
    let (calls, again) = check("0.8", &[]);
    assert_eq!((calls, again.timeless()), (0, more.timeless()));
    // Where the same command has to give the same answer, nothing hangs on what ran before.
    let (_, exact) = check("0.02", &["--reproducible"]);
    assert!(exact.stdout.contains("data race on"), "{}", exact.stdout);
    let (calls, _) = check("0.01", &["--reproducible"]);
    assert!(calls > 0, "another budget is another result");
    let (calls, again) = check("0.02", &["--reproducible"]);
    assert_eq!((calls, again.timeless()), (0, exact.timeless()));
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
