//! Findings that do not count: suppressions and baselines.

use crate::project::kit::{LAUNCH, Project, findings};

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
