//! What each rule and each method of the prover does: how often it was tried, how often it made a step or gave an answer,
//! how often that ended a question without a model, and how long it took.
//!
//! The kernels are those of `tests/` and `examples/`, and every `.cu` and `.cl` under `$LOCKSTEP_CORPORA`, with nothing
//! given of their launches.

use std::path::{Path, PathBuf};
use std::time::Duration;

use lockstep_frontend::{Input, Options, load};
use lockstep_prove::{Assumptions, Config, RuleFigures, prove};

use crate::Bench;
use crate::files::{KERNELS, below};

pub(crate) fn run(_: &Bench) -> Result<(), String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut folders = vec![root.join("tests"), root.join("examples")];
    folders.extend(std::env::var_os("LOCKSTEP_CORPORA").map(PathBuf::from));
    let files: Vec<PathBuf> = folders.iter().flat_map(|f| below(f, KERNELS)).collect();
    let config = Config {
        budget: Duration::from_secs(2),
        patience: Duration::from_secs(20),
        ..Config::default()
    };
    let (mut kernels, mut sum) = (0, Vec::new());
    for file in &files {
        let Ok(module) = load(Input::Path(file), &Options::default()) else { continue };
        for kernel in &module.kernels {
            let proof = prove(kernel, &Assumptions::default(), &config);
            RuleFigures::add(&mut sum, &proof.stats.rules);
            kernels += 1;
        }
    }
    println!("{kernels} kernels of {} files", files.len());
    println!(
        "{:<24} {:>9} {:>9} {:>9} {:>9}  because",
        "rule or method", "tried", "applied", "no model", "seconds"
    );
    for row in &sum {
        let RuleFigures { name, lemma, tried, applied, refuted, time } = row;
        let seconds = time.as_secs_f64();
        println!("{name:<24} {tried:>9} {applied:>9} {refuted:>9} {seconds:>9.2}  {lemma}");
    }
    Ok(())
}
