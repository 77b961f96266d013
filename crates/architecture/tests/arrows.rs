//! The arrows between crates, and between the folders of a crate, are those of ARCHITECTURE.md, and none leads back.

use lockstep_architecture::{
    Arrows, circle, crates, crowded, documented, folders, forbidden, paths_from_root, root,
};

/// Crates whose folders have a table in ARCHITECTURE.md, with the heading that it stands behind. Others join as their
/// folders are put in order.
const FOLDERS: &[(&str, &str)] = &[
    ("frontend", "### Folders of the front end"),
    ("lockstep", "### Folders of the tool"),
    ("prove", "### Folders of the prover"),
    ("search", "### Folders of the search"),
    ("simulate", "### Folders of the simulator"),
    ("symbolic", "### Folders of symbolic execution"),
];

fn architecture() -> String {
    std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md")
}

/// Neither more nor less than what is documented.
fn compare(what: &str, actual: &Arrows, documented: &Arrows) {
    let names: Vec<&String> = documented.keys().collect();
    assert_eq!(actual.keys().collect::<Vec<_>>(), names, "{what}: other names than documented");
    let extra = forbidden(actual, documented);
    assert!(extra.is_empty(), "{what}: ARCHITECTURE.md has no arrow {extra:?}");
    let missing = forbidden(documented, actual);
    assert!(
        missing.is_empty(),
        "{what}: ARCHITECTURE.md has arrows that are not there: {missing:?}"
    );
    assert_eq!(circle(actual), None, "{what}: a circle");
}

#[test]
fn crates_use_each_other_as_documented() {
    compare("crates", &crates(), &documented(&architecture(), "### Arrows between crates"));
}

#[test]
fn folders_use_each_other_as_documented() {
    for (krate, heading) in FOLDERS {
        compare(krate, &folders(krate), &documented(&architecture(), heading));
    }
}

/// A file that has grown too long has two subjects, a folder that is too full has a folder in it.
#[test]
fn files_are_short_and_folders_are_few() {
    let crowded = crowded(&root().join("crates"), 800, 20);
    assert!(crowded.is_empty(), "{crowded:?}");
}

fn arrows(of: &[(&str, &[&str])]) -> Arrows {
    let names = |to: &[&str]| to.iter().map(|n| n.to_string()).collect();
    of.iter().map(|(from, to)| (from.to_string(), names(to))).collect()
}

#[test]
fn a_circle_is_found_wherever_it_begins() {
    let tree = arrows(&[("a", &["b", "c"]), ("b", &["c"]), ("c", &[])]);
    assert_eq!(circle(&tree), None);
    let ring = arrows(&[("a", &["b"]), ("b", &["c"]), ("c", &["d"]), ("d", &["b"])]);
    assert_eq!(circle(&ring), Some(["b", "c", "d", "b"].map(String::from).to_vec()));
}

#[test]
fn an_arrow_too_many_is_named() {
    let allowed = arrows(&[("a", &["b"]), ("b", &[])]);
    let actual = arrows(&[("a", &["b"]), ("b", &["a"]), ("c", &["a"])]);
    assert_eq!(forbidden(&actual, &allowed), ["b -> a", "c -> a"]);
}

#[test]
fn paths_are_read_from_lists_too() {
    let code = "use crate::machine::{block, grid};\nuse crate::{check::{race, report}, Config};\nlet x = crate::code::f();";
    assert_eq!(paths_from_root(code), ["machine", "check", "Config", "code"]);
}

#[test]
fn a_table_is_read() {
    let text = "\n### H\n\ntext\n\n| crate | uses |\n|---|---|\n| `a` | `b`, `c` |\n| `b` | |\n\n| `x` | `y` |\n";
    assert_eq!(documented(text, "### H"), arrows(&[("a", &["b", "c"]), ("b", &[])]));
}
