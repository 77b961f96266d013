//! All kernels of `tests/data-race` and `tests/clean` that a plain launch is given for.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::Mutex;
use std::time::Duration;

use lockstep_device::plan::Known;
use lockstep_finding::{ArgValue, Claim, Condition, Confidence, Kind, Launch, Origin, Statement};
use lockstep_frontend::Input;
use lockstep_kernel::Kernel;
use lockstep_prove::{Assumptions, Config, DimSpec, prove};

use crate::common::{BOTH, Checked, build, build_known, given, options, root, run};

/// One launch of one file.
struct Case {
    name: String,
    file: String,
    text: String,
    revision: Option<String>,
    words: String,
}

fn cases() -> Vec<Case> {
    let mut out = Vec::new();
    for folder in ["data-race", "clean"] {
        let mut files: Vec<_> = fs::read_dir(root().join("tests").join(folder))
            .expect("the folder")
            .map(|e| e.expect("an entry").path())
            .filter(|p| p.extension().is_some_and(|e| e == "cu"))
            .collect();
        files.sort();
        for path in files {
            let text = fs::read_to_string(&path).expect("a text");
            let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            for line in text.lines().take(12) {
                let Some(rest) = line.strip_prefix("// lockstep") else { continue };
                let (revision, words) = match rest.strip_prefix('[') {
                    Some(rest) => match rest.split_once("]:") {
                        Some((r, words)) => (Some(r.to_owned()), words),
                        None => continue,
                    },
                    None => (None, rest.trim_start_matches(':')),
                };
                let name = match &revision {
                    Some(r) => format!("{folder}/{stem}.{r}"),
                    None => format!("{folder}/{stem}"),
                };
                out.push(Case {
                    name,
                    file: path.to_string_lossy().into_owned(),
                    text: text.clone(),
                    revision,
                    words: words.trim().to_owned(),
                });
            }
        }
    }
    out
}

/// The lines that are marked with a race, and whether each is only a warning.
fn marks(case: &Case) -> BTreeSet<usize> {
    let mut out = BTreeSet::new();
    for (i, line) in case.text.lines().enumerate() {
        for mark in line.split("//~").skip(1) {
            let (of, kind) = match mark.trim_start().strip_prefix('[') {
                Some(rest) => match rest.split_once(']') {
                    Some((of, kind)) => (Some(of), kind),
                    None => continue,
                },
                None => (None, mark),
            };
            let is_own = of
                .is_none_or(|of| of.split(',').any(|r| Some(r.trim()) == case.revision.as_deref()));
            if is_own && kind.trim_start().starts_with("data-race") {
                out.insert(i + 1);
            }
        }
    }
    out
}

/// What the prover leaves to be checked, for these dimensions and any arguments in arrays that lie apart.
fn left_by_proof(kernel: &Kernel, launch: &Launch) -> Known {
    let exactly = |dims: [u32; 3]| dims.map(DimSpec::Exactly);
    let (grid, block) = (exactly(launch.grid), exactly(launch.block));
    let assumptions = Assumptions::of_dims(grid, block, Origin::CommandLine);
    let kinds = vec![Kind::DataRace];
    let config = Config { kinds, patience: Duration::MAX, ..Config::default() };
    let is_apart = |c: &Condition| {
        use Statement::{ApartFromVariables, ParametersApart};
        matches!(c.claim, Claim::Stated(ParametersApart { .. } | ApartFromVariables { .. }))
    };
    match prove(kernel, &assumptions, &config).open {
        Some(open) if open.assumes.iter().all(is_apart) => Known::MayRace(open.pairs),
        _ => Known::ArraysAreApart,
    }
}

/// What the checker says of a case: agreement, or in which way it differs.
fn answer(case: &Case) -> Option<Result<(), String>> {
    let given = given(&case.words)?;
    // A GPU since Volta never runs the threads of a warp together.
    if given.lockstep {
        return None;
    }
    let path = std::path::Path::new(&case.file);
    let kernel = given.kernel.as_deref();
    let built = build(Input::Path(path), &options(&[]), kernel, BOTH, None);
    let built = match built {
        Ok(built) => built,
        // Without the place.
        Err(why) => {
            let what = why.split([':', '(']).next().unwrap_or_default().trim();
            return Some(Err(format!("not built: {what}")));
        }
    };
    let marked = marks(case);
    // What a proof is not needed for: arrays lie apart where no argument is in another one's array.
    let apart = given.launch.args.iter().all(|(_, v)| !matches!(v, ArgValue::SameAs { .. }));
    let pruned = build_known(Input::Path(path), &options(&[]), kernel, BOTH, None, |kernel| {
        left_by_proof(kernel, &given.launch)
    });
    let pruned = pruned.expect("it is built with fewer checks");
    for (built, in_shared) in [(&built, true), (&built, false), (&pruned, true)] {
        if !in_shared && !built.archive.uses_shared {
            continue;
        }
        if std::ptr::eq(built, &pruned) && !apart {
            continue;
        }
        let checked = match run(built, &given.launch, in_shared) {
            Ok(checked) => checked,
            Err(why) => return Some(Err(format!("not run: {why}"))),
        };
        if let Some(why) = checked.incomplete {
            return Some(Err(format!("not run to its end: {why}")));
        }
        let races = checked.findings.iter().filter(|f| f.kind == Kind::DataRace);
        let of = |confidence: Confidence| -> BTreeSet<usize> {
            let all = races.clone().filter(|f| f.confidence == confidence);
            all.flat_map(|f| &f.accesses).map(|a| a.place.line as usize).collect()
        };
        let (certain, possible) = (of(Confidence::Confirmed), of(Confidence::Possible));
        let differs = match (marked.is_empty(), certain.is_empty(), possible.is_empty()) {
            (true, false, _) => Some(format!("a race that is none, at {certain:?}")),
            (false, true, true) => Some("missed".to_owned()),
            (_, true, false) => Some(format!("only possible, at {possible:?}")),
            _ if !certain.is_subset(&marked) => Some(format!("at {certain:?}, not at {marked:?}")),
            _ => pairs_differ(&checked, &marked, certain.is_empty()),
        };
        if let Some(differs) = differs {
            return Some(Err(differs));
        }
    }
    Some(Ok(()))
}

/// What is wrong with the pairs of the scheme `statement`: both sides of each are marked, and there is one where a race is
/// certain.
fn pairs_differ(checked: &Checked, marked: &BTreeSet<usize>, is_quiet: bool) -> Option<String> {
    let certain = checked.of_pairs.iter().filter(|f| f.confidence == Confidence::Confirmed);
    let lines: BTreeSet<usize> =
        (certain.clone().flat_map(|f| &f.accesses)).map(|a| a.place.line as usize).collect();
    if !is_quiet && !certain.clone().any(|f| f.accesses.len() == 2) {
        return Some("no pair of statements".to_owned());
    }
    (!lines.is_subset(marked)).then(|| format!("a pair at {lines:?}, not at {marked:?}"))
}

/// `| data-race/x | missed | because … |`
fn explained() -> BTreeMap<String, String> {
    let text = include_str!("disagreements.md");
    let rows = text.lines().filter(|l| l.starts_with("| `"));
    rows.filter_map(|l| {
        let mut cells = l.split('|').map(str::trim).skip(1);
        let name = cells.next()?.trim_matches('`').to_owned();
        Some((name, cells.next()?.to_owned()))
    })
    .collect()
}

/// Each so manieth launch, compared with what is explained. At least so many must agree.
fn compare(step: usize, least: usize) {
    let cases: Vec<Case> = cases().into_iter().step_by(step).collect();
    let next = Mutex::new(0);
    let found = Mutex::new(BTreeMap::new());
    let agreed = Mutex::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let i = {
                        let mut next = next.lock().expect("no panic");
                        *next += 1;
                        *next - 1
                    };
                    let Some(case) = cases.get(i) else { return };
                    match answer(case) {
                        None => {}
                        Some(Ok(())) => *agreed.lock().expect("no panic") += 1,
                        Some(Err(how)) => {
                            found.lock().expect("no panic").insert(case.name.clone(), how);
                        }
                    }
                }
            });
        }
    });
    let (found, agreed) =
        (found.into_inner().expect("no panic"), agreed.into_inner().expect("no panic"));
    eprintln!("{agreed} launches agree, {} differ", found.len());
    let explained = explained();
    let mut wrong = Vec::new();
    for (name, how) in &found {
        match explained.get(name) {
            Some(known) if known == how => {}
            Some(known) => wrong.push(format!("{name}: {how} (explained: {known})")),
            None => wrong.push(format!("{name}: {how}")),
        }
    }
    let explained_here = cases.iter().map(|c| &c.name).filter(|n| explained.contains_key(*n));
    wrong.extend(
        explained_here.filter(|n| !found.contains_key(*n)).map(|n| format!("{n}: agrees now")),
    );
    if step == 1 {
        let gone = explained.keys().filter(|n| !cases.iter().any(|c| c.name == **n));
        wrong.extend(gone.map(|n| format!("{n}: there is no such launch")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(agreed >= least, "only {agreed} launches were compared");
}

#[test]
fn the_checker_agrees_with_the_simulator_on_some_launches() {
    compare(4, 15);
}

#[test]
#[ignore = "all launches take a minute: make long-test"]
fn the_checker_agrees_with_the_simulator_on_all_launches() {
    compare(1, 61);
}
