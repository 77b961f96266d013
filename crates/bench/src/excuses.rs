//! What each row of the search's table of excuses (`crates/search/src/blame/table.rs`) does.
//!
//! `lockstep search` on every kernel of `tests/` that no fixed launch is asked for, and on every `.cu` and `.cl` under
//! `$LOCKSTEP_CORPORA`, tells which rows had something to say. Only for these kernels and rows can anything change without the
//! row, because rows before it do not know of it, and rows behind it are tried only where it says nothing: so these are
//! searched again, each with one row left out. For each row it prints in how many kernels it spoke, and what its findings
//! are without it: errors, possible, conditional for another reason, or the same. A row that never speaks, or whose absence
//! changes nothing, has no place in the table; one that a single kernel shows is named with it.
//!
//! `LOCKSTEP_UI=TEXT` takes only kernels whose path contains TEXT.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::Bench;
use crate::files::{KERNELS, below};
use crate::searching::{Found, Searched, search};
use lockstep_search::EXCUSES;

/// Seconds for one kernel, counted in steps.
const BUDGET: &str = "10";

/// One way to search one file.
struct Case {
    title: String,
    args: Vec<String>,
}

/// What a row's findings became without it.
#[derive(Default)]
struct Figures {
    /// Kernels in which the row spoke.
    kernels: BTreeSet<String>,
    /// Of these, those in which something changed.
    changed: BTreeSet<String>,
    /// By what became of the findings.
    outcomes: BTreeMap<String, usize>,
}

pub(crate) fn run(bench: &Bench) -> Result<(), String> {
    let filter = std::env::var("LOCKSTEP_UI").unwrap_or_default();
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests");
    let mut cases = Vec::new();
    for file in below(&tests, KERNELS) {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        cases.extend(read(&file, &tests, &text));
    }
    match std::env::var_os("LOCKSTEP_CORPORA") {
        Some(corpora) => {
            cases.extend(below(Path::new(&corpora), KERNELS).into_iter().map(|file| {
                let title = file.display().to_string();
                Case { args: vec![title.clone()], title }
            }))
        }
        None => println!("no corpora: LOCKSTEP_CORPORA is not set (a directory with checkouts)"),
    }
    cases.retain(|c| c.title.contains(&filter));
    let all = |i: usize| searched(bench, &tests, &cases[i], None);
    let first = in_parallel(cases.len(), &all);
    let mut again: Vec<(usize, &'static str)> = Vec::new();
    let mut errors = Vec::new();
    for (i, result) in first.iter().enumerate() {
        match result {
            Ok(searched) => {
                let said = |name: &str| searched.excuses.iter().any(|e| e == name);
                again.extend(EXCUSES.iter().filter(|e| said(e.name)).map(|e| (i, e.name)));
            }
            Err(why) => errors.push(format!("{}: {why}", cases[i].title)),
        }
    }
    let without = |k: usize| searched(bench, &tests, &cases[again[k].0], Some(again[k].1));
    let second = in_parallel(again.len(), &without);
    let mut figures: BTreeMap<&str, Figures> = BTreeMap::new();
    for (&(i, row), result) in again.iter().zip(&second) {
        let own = figures.entry(row).or_default();
        own.kernels.insert(cases[i].title.clone());
        let (Ok(before), Ok(after)) = (&first[i], result) else {
            errors.push(format!("{} without {row}: not searched again", cases[i].title));
            continue;
        };
        for outcome in changes(before, after) {
            own.changed.insert(cases[i].title.clone());
            *own.outcomes.entry(outcome).or_default() += 1;
        }
    }
    report(&cases, &figures);
    errors.iter().for_each(|line| println!("  not searched: {line}"));
    Ok(())
}

fn report(cases: &[Case], figures: &BTreeMap<&str, Figures>) {
    println!("{} files and options, {} rows", cases.len(), EXCUSES.len());
    println!("{:<24} {:>7} {:>8}  what its findings are without it", "row", "kernels", "changed");
    for row in EXCUSES {
        let Some(own) = figures.get(row.name) else {
            println!("{:<24} {:>7} {:>8}  never spoke", row.name, 0, 0);
            continue;
        };
        let outcomes: Vec<String> =
            own.outcomes.iter().map(|(what, n)| format!("{n} {what}")).collect();
        let outcomes = match outcomes.is_empty() {
            true => "the same".to_owned(),
            false => outcomes.join(", "),
        };
        let only = match (own.changed.len(), own.changed.first()) {
            (1, Some(kernel)) => format!(" (only {kernel})"),
            _ => String::new(),
        };
        let (kernels, changed) = (own.kernels.len(), own.changed.len());
        println!("{:<24} {kernels:>7} {changed:>8}  {outcomes}{only}", row.name);
    }
}

/// What became of each finding that is another one now.
fn changes(before: &Searched, after: &Searched) -> Vec<String> {
    let same = |a: &Found, b: &Found| (&a.kind, &a.lines) == (&b.kind, &b.lines);
    let mut out = Vec::new();
    for old in &before.findings {
        match after.findings.iter().find(|new| same(old, new)) {
            None => out.push("gone".to_owned()),
            Some(new) if new.state() != old.state() => out.push(new.state().to_owned()),
            Some(new) if new.when != old.when => out.push("with another condition".to_owned()),
            Some(_) => {}
        }
    }
    let is_new = |new: &&Found| !before.findings.iter().any(|old| same(old, new));
    out.extend(after.findings.iter().filter(is_new).map(|_| "new".to_owned()));
    out
}

fn searched(
    bench: &Bench,
    dir: &Path,
    case: &Case,
    without: Option<&str>,
) -> Result<Searched, String> {
    let mut args = case.args.clone();
    for option in [&["--jobs", "1"][..], &["--reproducible"], &["--budget", BUDGET], &["--verbose"]]
    {
        if !args.iter().any(|a| a == option[0]) {
            args.splice(1..1, option.iter().map(|o| o.to_string()));
        }
    }
    if let Some(row) = without {
        args.splice(1..1, ["--without-excuse".to_owned(), row.to_owned()]);
    }
    search(&bench.lockstep, dir, &args)
}

/// The runs that a test asks for, but for those of one fixed launch: `// lockstep: search …`, `// lockstep[REV]: check …`, or
/// none, which is `check`.
fn read(file: &Path, tests: &Path, text: &str) -> Vec<Case> {
    let name = file.strip_prefix(tests).unwrap_or(file).display().to_string();
    let directives: Vec<(Option<&str>, Vec<&str>)> = text
        .lines()
        .filter_map(|line| {
            let (rev, command) = line.strip_prefix("// lockstep")?.split_once(':')?;
            let rev = rev.strip_prefix('[').and_then(|r| r.strip_suffix(']'));
            Some((rev, command.split_whitespace().collect()))
        })
        .collect();
    let case = |rev: Option<&str>, options: &[&str]| Case {
        title: rev.map_or(name.clone(), |r| format!("{name} [{r}]")),
        args: std::iter::once(name.clone()).chain(options.iter().map(|o| o.to_string())).collect(),
    };
    if directives.is_empty() {
        return vec![case(None, &[])];
    }
    let searched = directives.iter().filter_map(|(rev, words)| match words.split_first() {
        Some((&("search" | "check"), options)) => Some(case(*rev, options)),
        _ => None,
    });
    searched.collect()
}

fn in_parallel<T: Send>(count: usize, f: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
    let results: Vec<Mutex<Option<T>>> = (0..count).map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..crate::jobs() {
            scope.spawn(|| {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some(result) = results.get(i) else { break };
                    *result.lock().expect("no panic while it was held") = Some(f(i));
                }
            });
        }
    });
    let taken = |m: Mutex<Option<T>>| m.into_inner().expect("no panic while it was held");
    results.into_iter().filter_map(taken).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(kind: &str, line: u64, when: Option<&str>) -> Found {
        Found {
            kind: kind.into(),
            severity: "error".into(),
            confidence: "confirmed".into(),
            conditional: when.is_some(),
            benign: false,
            lines: vec![line],
            when: when.map(String::from),
        }
    }

    fn with(findings: Vec<Found>) -> Searched {
        Searched { findings, excuses: Vec::new(), seconds: 0.0 }
    }

    #[test]
    fn what_changes_without_a_row() {
        let before = with(vec![
            found("data-race", 1, Some("n < 8")),
            found("data-race", 2, Some("n < 8")),
            found("deadlock", 3, None),
            found("misaligned", 4, None),
        ]);
        let after = with(vec![
            found("data-race", 1, None),
            found("data-race", 2, Some("n < 9")),
            found("deadlock", 3, None),
            found("assertion", 4, None),
        ]);
        assert_eq!(
            changes(&before, &after),
            ["confirmed", "with another condition", "gone", "new"]
        );
        assert!(changes(&before, &before).is_empty());
    }

    #[test]
    fn runs_of_a_fixed_launch_are_left_out() {
        let of = |text: &str| -> Vec<Vec<String>> {
            let cases = read(Path::new("t/a/k.cu"), Path::new("t"), text);
            cases.into_iter().map(|c| c.args).collect()
        };
        assert_eq!(of("int x;"), [["a/k.cu"]]);
        assert!(of("// lockstep: run --block 32").is_empty());
        assert_eq!(
            of("// lockstep[a]: search --seed 1\n// lockstep[b]: run\n"),
            [["a/k.cu", "--seed", "1"]]
        );
    }
}
