//! Five programs with the kinds of bug of GMRace's Table 1, re-created: found with the inputs that show the bug, silent with
//! normal ones.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use lockstep_finding::{Confidence, Kind};
use lockstep_frontend::Input;

use crate::common::{BOTH, build, given, options, run};

fn marked(text: &str) -> BTreeSet<u32> {
    let lines = text.lines().enumerate();
    lines.filter(|(_, l)| l.contains("//~ data-race")).map(|(i, _)| i as u32 + 1).collect()
}

#[test]
fn the_five_programs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs");
    for name in ["co_cluster", "em", "scan", "spmv", "bo"] {
        let path = folder.join(format!("{name}.cu"));
        let text = fs::read_to_string(&path).expect("a program");
        let marked = marked(&text);
        for revision in ["bug", "normal"] {
            let head = format!("// launch[{revision}]: ");
            let words = text.lines().find_map(|l| l.strip_prefix(&head)).expect("its launch");
            let given = given(words).expect("a launch");
            let kernel = given.kernel.as_deref();
            let built = build(Input::Path(&path), &options(&[]), kernel, BOTH, None);
            let built = built.unwrap_or_else(|e| panic!("{name}: {e}"));
            let checked = run(&built, &given.launch, true).expect("it runs");
            assert_eq!(checked.incomplete, None, "{name}");
            let races = checked.findings.iter().filter(|f| f.kind == Kind::DataRace);
            assert!(races.clone().all(|f| f.confidence == Confidence::Confirmed), "{name}");
            let lines: BTreeSet<u32> =
                races.flat_map(|f| &f.accesses).map(|a| a.place.line).collect();
            match revision {
                "bug" => {
                    assert!(!lines.is_empty() && lines.is_subset(&marked), "{name}: {lines:?}");
                }
                _ => assert!(lines.is_empty(), "{name}: {lines:?}"),
            }
            let outside = checked.findings.iter().any(|f| f.kind == Kind::OutOfBounds);
            assert!(!outside, "{name}, {revision}");
            // How many pairs of statements race.
            let pairs = match (name, revision) {
                ("bo" | "em" | "scan" | "spmv", "bug") => 1,
                ("co_cluster", "bug") => 2,
                _ => 0,
            };
            assert_eq!(checked.of_pairs.len(), pairs, "{name}, {revision}: {:?}", checked.pairs);
        }
    }
}

/// Kernels whose cost is measured: each is clean, and so is what is seen of a small launch.
#[test]
fn the_programs_for_costs_are_clean() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs/costs");
    let files = fs::read_dir(folder).expect("the folder").map(|e| e.expect("an entry").path());
    let mut count = 0;
    for path in files.filter(|p| p.extension().is_some_and(|e| e == "cu")) {
        let text = fs::read_to_string(&path).expect("a program");
        let words = text.lines().find_map(|l| l.strip_prefix("// launch[small]: "));
        let given = given(words.expect("its launch")).expect("a launch");
        let built = build(Input::Path(&path), &options(&[]), None, BOTH, None);
        let built = built.unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let checked = run(&built, &given.launch, true).expect("it runs");
        assert_eq!(checked.incomplete, None, "{}", path.display());
        assert!(checked.findings.is_empty(), "{}: {:?}", path.display(), checked.findings);
        count += 1;
    }
    assert_eq!(count, 11);
}
