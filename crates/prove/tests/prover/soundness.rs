//! Nothing that is known to be there may be proved absent: every kernel of the project's own tests with a bug marked in it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use lockstep_finding::launch::{Dimension, Number};
use lockstep_finding::{Claim, Condition, Kind, Origin, Statement, Verdict};
use lockstep_frontend::{Input, Options, host_side, load};
use lockstep_prove::{Assumptions, Config, DimSpec, absent, prove};

/// One command of a test file: its revision's name, and its words.
fn commands(text: &str) -> Vec<(String, Vec<String>)> {
    let mut out = Vec::new();
    for line in text.lines() {
        let Some(rest) = line.trim().strip_prefix("// lockstep") else { continue };
        let (revision, command) = match rest.strip_prefix('[').and_then(|r| r.split_once("]:")) {
            Some((r, c)) => (r.to_owned(), c),
            None => match rest.strip_prefix(':') {
                Some(c) => (String::new(), c),
                None => continue,
            },
        };
        out.push((revision, command.split_whitespace().map(str::to_owned).collect()));
    }
    out
}

fn marked(text: &str, revision: &str, kind: &str) -> bool {
    text.lines().any(|line| {
        let Some((_, marker)) = line.split_once("//~") else { return false };
        let (only, rest) = match marker.trim().strip_prefix('[').and_then(|m| m.split_once(']')) {
            Some((names, rest)) => (names.split(',').any(|n| n.trim() == revision), rest),
            None => (true, marker),
        };
        only && rest.contains(kind)
    })
}

fn dims(words: &[String], flag: &str) -> [DimSpec; 3] {
    let Some(value) = words.iter().position(|w| w == flag).and_then(|i| words.get(i + 1)) else {
        return [DimSpec::Any; 3];
    };
    let mut out = [DimSpec::Exactly(1); 3];
    for (i, part) in value.split(',').enumerate().take(3) {
        out[i] = part.parse().map_or(DimSpec::Any, DimSpec::Exactly);
    }
    out
}

fn files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests");
    let mut out = Vec::new();
    for folder in std::fs::read_dir(root).expect("the project's tests").flatten() {
        if !folder.path().is_dir() {
            continue;
        }
        for file in std::fs::read_dir(folder.path()).expect("a folder").flatten() {
            if file.path().extension().is_some_and(|e| e == "cu" || e == "cl") {
                out.push(file.path());
            }
        }
    }
    out.sort();
    out
}

/// What the prover is asked.
const KINDS: [Kind; 3] = [Kind::DataRace, Kind::BarrierDivergence, Kind::OutOfBounds];

/// Whether a condition is only that arrays do not overlap.
fn is_overlap(condition: &Condition) -> bool {
    matches!(
        condition.claim,
        Claim::Stated(
            Statement::ParametersApart { .. }
                | Statement::ApartFromVariables { .. }
                | Statement::AccessesApart { .. }
                | Statement::AccessesApartFromVariables { .. }
        )
    )
}

/// The value of a name in the launch of a command.
fn value(words: &[String], name: &str) -> Result<Number, String> {
    let unknown = || format!("{name} is not given");
    if let Some(dimension) = Dimension::named(name) {
        let spec = match dimension {
            Dimension::Block(axis) => dims(words, "--block")[axis],
            Dimension::Grid(axis) => dims(words, "--grid")[axis],
        };
        return match spec {
            DimSpec::Exactly(n) => Ok(Number::Int(n.into())),
            DimSpec::Any => Err(unknown()),
        };
    }
    let args = words.windows(2).filter(|w| w[0] == "--arg").map(|w| w[1].trim_matches('\''));
    let mut values = args.filter_map(|a| a.split_once('=')).filter(|(n, _)| *n == name);
    values.next().and_then(|(_, v)| Number::parse(v)).ok_or_else(unknown)
}

/// Whether a verdict is a proof that holds for the launch of a command: none of its conditions excludes it.
fn is_proved(verdict: &Verdict, words: &[String]) -> bool {
    let holds =
        |c: &Condition| is_overlap(c) || c.claim.decide(&|name| value(words, name)) == Some(true);
    matches!(verdict, Verdict::Proved { assumes } if assumes.iter().all(holds))
}

/// What is proved in spite of a mark in this file, and how often the prover was asked.
fn wrongly_proved(path: &Path) -> (Vec<String>, usize) {
    // A kernel that takes longer is undecided, and that is no wrong answer.
    let config = Config {
        kinds: KINDS.to_vec(),
        budget: Duration::from_secs(2),
        work: 100,
        jobs: 1,
        ..Config::default()
    };
    let text = std::fs::read_to_string(path).expect("a source");
    let (mut wrong, mut looked_at) = (Vec::new(), 0);
    for (revision, words) in commands(&text) {
        let mut defects = Kind::ALL.to_vec();
        defects.retain(|k| marked(&text, &revision, &k.to_string()));
        if defects.is_empty() {
            continue;
        }
        let for_clang = ["-D", "-std", "-I", "-cl-std"];
        let mut clang_args: Vec<String> =
            words.iter().filter(|w| for_clang.iter().any(|o| w.starts_with(o))).cloned().collect();
        let arch = words.iter().position(|w| w == "--arch").and_then(|i| words.get(i + 1));
        clang_args.extend(arch.map(|arch| format!("--offload-arch={arch}")));
        let clang_args = clang_args.into_iter().map(Into::into).collect();
        let options = Options { clang_args, ..Options::default() };
        let Ok(module) = load(Input::Path(path), &options) else { continue };
        // A host that gives pointers into one array is not looked at here.
        let host = host_side(Input::Path(path), &[], &options);
        let overlapping = words.iter().any(|w| w.contains('&'))
            || host.launches.iter().any(|l| !l.aliases.is_empty());
        let (block, grid) = (dims(&words, "--block"), dims(&words, "--grid"));
        let given = Assumptions::of_dims(grid, block, Origin::CommandLine);
        let is_any = (block, grid) == ([DimSpec::Any; 3], [DimSpec::Any; 3]);
        let mut asked = vec![Assumptions::default()];
        asked.extend((!is_any).then_some(given));
        let size = words.iter().position(|w| w == "--warp-size").and_then(|i| words.get(i + 1));
        let size = size.and_then(|s| s.parse().ok());
        for assumptions in &mut asked {
            assumptions.may_alias = overlapping;
            if words.iter().any(|w| w == "lockstep") {
                assumptions.scheduling = lockstep_kernel::Scheduling::Lockstep;
            }
            assumptions.warp_size = size.unwrap_or(assumptions.warp_size);
        }
        let mut say = |kind: &Kind, how: &str| {
            wrong.push(format!("{} [{revision}]: {kind} {how}", path.display()));
        };
        let among = |verdicts: &[(Kind, Verdict)], kind: &Kind| {
            verdicts.iter().any(|(k, v)| k == kind && is_proved(v, &words))
        };
        for kind in &defects {
            if module.kernels.iter().all(|k| among(&absent(k, &|_| None), kind)) {
                say(kind, "taken for absent");
            }
        }
        for assumptions in asked.iter().filter(|_| defects.iter().any(|k| KINDS.contains(k))) {
            let proofs: Vec<_> =
                module.kernels.iter().map(|k| prove(k, assumptions, &config)).collect();
            looked_at += 1;
            // A condition of the proof may exclude the launch that races.
            for kind in &defects {
                if proofs.iter().all(|p| among(&p.verdicts, kind)) {
                    say(kind, "proved");
                }
            }
        }
    }
    (wrong, looked_at)
}

/// Every so many files are looked at in the ordinary run.
const SOME: usize = 5;

#[test]
fn nothing_marked_is_proved() {
    look_at(files().into_iter().step_by(SOME).collect(), 30);
}

#[test]
#[ignore = "takes minutes; `make long-test` runs it"]
fn nothing_marked_is_proved_in_any_file() {
    look_at(files(), 150);
}

/// Asks about all of these files, which have at least so many marked launches.
fn look_at(files: Vec<PathBuf>, least: usize) {
    let next = AtomicUsize::new(0);
    let worker = || {
        let (mut wrong, mut looked_at) = (Vec::new(), 0);
        while let Some(path) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            let (more, count) = wrongly_proved(path);
            wrong.extend(more);
            looked_at += count;
        }
        (wrong, looked_at)
    };
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
    let (wrong, looked_at) = std::thread::scope(|s| {
        let running: Vec<_> = (0..workers).map(|_| s.spawn(worker)).collect();
        running.into_iter().map(|w| w.join().expect("a worker")).fold(
            (Vec::new(), 0),
            |(mut wrong, count), (more, n)| {
                wrong.extend(more);
                (wrong, count + n)
            },
        )
    });
    assert!(looked_at >= least, "only {looked_at} were looked at");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
