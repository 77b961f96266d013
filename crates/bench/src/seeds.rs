//! How much a search depends on its seed: `lockstep search --seed N` on every kernel of
//! `tests/search`, for 10 seeds (3 with `--quick`, `LOCKSTEP_SEEDS` otherwise).
//!
//! A kernel's marked bugs are its `//~` comments, read as `crates/lockstep/tests/cli/ui.rs` reads them.
//! For each it prints the share of the seeds that found it, and whatever any seed reported without a
//! mark: a false positive, or a mark that is missing. `LOCKSTEP_UI=TEXT` takes only kernels whose
//! name contains TEXT.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::searching::search;
use crate::{Bench, median};

/// A line, a kind and a severity.
type Place = (u64, String, String);

/// One way to run one kernel.
struct Case {
    title: String,
    args: Vec<String>,
    marked: BTreeSet<Place>,
}

#[derive(Default)]
struct Tally {
    seeds: usize,
    found: BTreeMap<Place, usize>,
    seconds: Vec<f64>,
    errors: BTreeSet<String>,
}

pub(crate) fn run(bench: &Bench) -> Result<(), String> {
    let seeds = match std::env::var("LOCKSTEP_SEEDS") {
        Ok(text) => text.parse().map_err(|_| format!("LOCKSTEP_SEEDS={text} is no number"))?,
        Err(_) if bench.quick => 3,
        Err(_) => 10,
    };
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests");
    let cases = cases(&tests)?;
    if cases.is_empty() {
        println!("skipped: no kernels under {}", tests.join("search").display());
        return Ok(());
    }
    let tallies: Vec<Mutex<Tally>> = cases.iter().map(|_| Mutex::default()).collect();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..crate::jobs() {
            scope.spawn(|| {
                loop {
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    let (seed, index) = (n / cases.len(), n % cases.len());
                    if seed >= seeds {
                        break;
                    }
                    one(bench, &tests, &cases[index], seed, &tallies[index]);
                }
            });
        }
    });
    report(&cases, tallies, seeds);
    Ok(())
}

fn one(bench: &Bench, tests: &Path, case: &Case, seed: usize, tally: &Mutex<Tally>) {
    let mut args = case.args.clone();
    args.extend(["--jobs".into(), "1".into(), "--seed".into(), seed.to_string()]);
    let searched = search(&bench.lockstep, tests, &args);
    let mut tally = tally.lock().expect("no panic while it was held");
    match searched {
        Err(why) => {
            tally.errors.insert(why);
        }
        Ok(searched) => {
            tally.seeds += 1;
            tally.seconds.push(searched.seconds);
            let places: BTreeSet<Place> = searched
                .findings
                .iter()
                .flat_map(|f| f.lines.iter().map(|&l| (l, f.kind.clone(), f.severity.clone())))
                .collect();
            for place in places {
                *tally.found.entry(place).or_default() += 1;
            }
        }
    }
}

fn report(cases: &[Case], tallies: Vec<Mutex<Tally>>, seeds: usize) {
    let (mut marks, mut strays, mut errors, mut seconds) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (case, tally) in cases.iter().zip(tallies) {
        let tally = tally.into_inner().expect("no panic while it was held");
        let text = |(line, kind, severity): &Place| match severity.as_str() {
            "error" => format!("{}:{line} {kind}", case.title),
            _ => format!("{}:{line} {kind} {severity}", case.title),
        };
        for place in &case.marked {
            let hits = tally.found.get(place).copied().unwrap_or(0);
            marks.push((hits as f64 / tally.seeds.max(1) as f64, text(place)));
        }
        for (place, hits) in tally.found.iter().filter(|(p, _)| !case.marked.contains(*p)) {
            strays.push((*hits as f64 / tally.seeds.max(1) as f64, text(place)));
        }
        errors.extend(tally.errors.iter().map(|e| format!("{}: {e}", case.title)));
        seconds.extend(tally.seconds);
    }
    let always = marks.iter().filter(|m| m.0 == 1.0).count();
    let all: f64 = marks.iter().map(|m| m.0).sum::<f64>() / marks.len().max(1) as f64;
    println!(
        "{} kernels and options, {seeds} seeds: {} marked places, {always} found by every seed, {:.1} % of all on average",
        cases.len(),
        marks.len(),
        all * 100.0
    );
    println!(
        "seconds a search: median {:.2}, most {:.2}",
        median(&seconds),
        seconds.iter().copied().fold(0.0, f64::max)
    );
    marks.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
    strays.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    for (share, text) in marks.iter().filter(|m| m.0 < 1.0).take(40) {
        println!("  {:>5.1} % of the seeds find {text}", share * 100.0);
    }
    println!("not marked, on any seed: {}", strays.len());
    for (share, text) in strays.iter().take(40) {
        println!("  {:>5.1} % of the seeds report {text}", share * 100.0);
    }
    errors.iter().for_each(|line| println!("  not searched: {line}"));
}

fn cases(tests: &Path) -> Result<Vec<Case>, String> {
    let filter = std::env::var("LOCKSTEP_UI").unwrap_or_default();
    let mut files: Vec<PathBuf> = std::fs::read_dir(tests.join("search"))
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|p| p.extension().is_some_and(|e| e == "cu" || e == "cl"))
        .collect();
    files.sort();
    let mut cases = Vec::new();
    for file in files {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.contains(&filter) {
            let text = std::fs::read_to_string(&file).map_err(|e| format!("{name}: {e}"))?;
            cases.extend(read(&name, &text));
        }
    }
    Ok(cases)
}

/// The runs that a kernel's first lines ask for: `// lockstep: search …`, `// lockstep[REV]: search …`.
fn read(name: &str, text: &str) -> Vec<Case> {
    let directives = text.lines().filter_map(|line| {
        let (rev, command) = line.strip_prefix("// lockstep")?.split_once(':')?;
        let rev = rev.strip_prefix('[').and_then(|r| r.strip_suffix(']'));
        let mut words = command.split_whitespace();
        (words.next() == Some("search")).then(|| (rev, words.map(String::from).collect::<Vec<_>>()))
    });
    directives
        .map(|(rev, options)| Case {
            title: rev.map_or(name.to_string(), |r| format!("{name} [{r}]")),
            args: std::iter::once(format!("search/{name}")).chain(options).collect(),
            marked: marked(text, rev),
        })
        .collect()
}

fn marked(text: &str, rev: Option<&str>) -> BTreeSet<Place> {
    let mut places = BTreeSet::new();
    for (number, line) in (1..).zip(text.lines()) {
        for mark in line.split("//~").skip(1) {
            let (of, mark) = match mark.strip_prefix('[').and_then(|m| m.split_once(']')) {
                Some((of, mark)) => (Some(of), mark),
                None => (None, mark),
            };
            let here = of.is_none_or(|of| of.split(',').any(|o| Some(o.trim()) == rev));
            let mut words = mark.split_whitespace();
            if let (true, Some(kind)) = (here, words.next()) {
                let severity = words.next().unwrap_or("error");
                places.insert((number, kind.to_string(), severity.to_string()));
            }
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_are_read_as_the_tests_read_them() {
        let text = "// lockstep[a]: search\n// lockstep[b]: search --warp-size 8\nx; //~[a] data-race //~ assertion warning\n";
        let cases = read("k.cu", text);
        assert_eq!(cases.len(), 2);
        assert_eq!(cases[0].title, "k.cu [a]");
        assert_eq!(cases[1].args, ["search/k.cu", "--warp-size", "8"]);
        let place = |kind: &str, severity: &str| (3, kind.to_string(), severity.to_string());
        assert_eq!(cases[1].marked, BTreeSet::from([place("assertion", "warning")]));
        assert!(cases[0].marked.contains(&place("data-race", "error")));
    }
}
