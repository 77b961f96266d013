//! The programs under `tests/exec`, and their reports.

use std::path::{Path, PathBuf};

use crate::support::{Ended, golden, in_parallel, lockstep, repository};

pub(crate) fn folder() -> PathBuf {
    repository().join("tests/exec")
}

/// How a case is run: `// args: 1000`.
fn arguments(source: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(source).expect("the program");
    let line = text.lines().find_map(|l| l.strip_prefix("// args: "));
    line.map_or_else(Vec::new, |l| l.split(' ').map(str::to_owned).collect())
}

/// What a program prints, how it ends, and what was found.
pub(crate) fn shown(ended: &Ended) -> String {
    format!("{}-- status {}\n{}", ended.out, ended.status, ended.err)
}

fn run(source: &Path) -> Ended {
    let name = source.file_name().and_then(|n| n.to_str()).expect("a name");
    let mut words = vec!["exec", "--format", "concise", "--jobs", "2", name, "--"];
    let arguments = arguments(source);
    words.extend(arguments.iter().map(String::as_str));
    lockstep(&folder(), &words)
}

#[test]
fn every_program_is_reported_as_it_should_be() {
    let entries = std::fs::read_dir(folder()).expect("the programs").flatten();
    let mut sources: Vec<PathBuf> =
        entries.map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "cu")).collect();
    sources.sort();
    assert!(sources.len() >= 15, "{} programs", sources.len());
    let title = |source: &PathBuf| source.display().to_string();
    let wrong = in_parallel(&sources, title, |source| {
        golden(&source.with_extension("out"), &shown(&run(source)))
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
