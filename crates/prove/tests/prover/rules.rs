//! Every step of every rule, and every contradiction that a method finds, in the questions of real kernels: Z3 is asked again,
//! in the exact language of bits. Run with `--ignored`; it takes many times as long as the proofs.
//!
//! The kernels are those of `tests/` and `examples/`, and all `.cu` and `.cl` under `$LOCKSTEP_CORPORA`.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use lockstep_frontend::{Input, Options, load};
use lockstep_prove::{Assumptions, Audit, Audited, Config, prove};

/// Work for one question, in thousands of the solver's units.
const WORK: u32 = 500;

fn sources(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, out);
        } else if path.extension().is_some_and(|e| e == "cu" || e == "cl") {
            out.push(path);
        }
    }
    out.sort();
}

/// The figures of all kernels in a file.
fn audited(path: &Path) -> Vec<Audited> {
    let Ok(module) = load(Input::Path(path), &Options::default()) else { return Vec::new() };
    let audit = Audit::new(WORK);
    let config = Config {
        budget: Duration::from_secs(1),
        patience: Duration::from_secs(600),
        jobs: 1,
        audit: Some(audit.clone()),
        ..Config::default()
    };
    for kernel in &module.kernels {
        prove(kernel, &Assumptions::default(), &config);
    }
    audit.rows()
}

#[test]
#[ignore = "takes many minutes; `make long-test` runs it"]
fn rules_and_methods_agree_with_the_solver_on_real_kernels() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    sources(&root.join("tests"), &mut files);
    sources(&root.join("examples"), &mut files);
    if let Some(corpora) = std::env::var_os("LOCKSTEP_CORPORA") {
        sources(Path::new(&corpora), &mut files);
    }
    // Part of a name, to look at few files.
    if let Ok(part) = std::env::var("LOCKSTEP_FILES") {
        files.retain(|file| file.to_string_lossy().contains(&part));
    }
    let (next, sum) = (AtomicUsize::new(0), Mutex::new(Audit::new(0).rows()));
    std::thread::scope(|s| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            s.spawn(|| {
                while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let rows = audited(file);
                    for row in rows.iter().filter(|r| r.contradicted > 0) {
                        println!(
                            "{}: {} of {} is wrong",
                            file.display(),
                            row.contradicted,
                            row.name
                        );
                    }
                    let mut sum = sum.lock().expect("no panic while held");
                    for (all, one) in sum.iter_mut().zip(rows) {
                        all.agreed += one.agreed;
                        all.undecided += one.undecided;
                        all.contradicted += one.contradicted;
                    }
                }
            });
        }
    });
    let sum = sum.into_inner().expect("no panic while held");
    println!("{} files", files.len());
    println!("{:<24} {:>8} {:>10} {:>13}", "rule or method", "agreed", "undecided", "contradicted");
    for row in &sum {
        println!(
            "{:<24} {:>8} {:>10} {:>13}",
            row.name, row.agreed, row.undecided, row.contradicted
        );
    }
    assert!(sum.iter().map(|r| r.agreed).sum::<u64>() > 1000, "hardly anything was asked");
    assert!(sum.iter().all(|r| r.contradicted == 0), "a rule is wrong");
}
