//! The simulator against PoCL: every case under `crates/difftest/kernels`, and random ones.
//!
//! Without PoCL the tests say so and pass, except where `CI` is set: there the setup has installed
//! it, and its absence is a failure. `LOCKSTEP_RANDOM=N` sets the number of random cases (default
//! 24; `make long-test` takes 1,000 and more), `LOCKSTEP_SEED=N` the first seed.

use std::sync::OnceLock;

use lockstep_difftest::generate::generate;
use lockstep_difftest::opencl::Device;
use lockstep_difftest::simulator::Simulator;
use lockstep_difftest::{Agreement, Case, check_all, handwritten};

/// Both sides, or nothing where there is no PoCL.
fn sides() -> Option<&'static (Device, Simulator)> {
    static SIDES: OnceLock<Option<(Device, Simulator)>> = OnceLock::new();
    let make = || match Device::pocl() {
        Ok(device) => Some((device, Simulator::new(env!("CARGO_BIN_EXE_lockstep")))),
        Err(why) if std::env::var_os("CI").is_some() => {
            panic!("PoCL is missing ({why}); `scripts/setup.sh --tests` installs it")
        }
        Err(why) => {
            eprintln!("SKIPPED, no PoCL here ({why}); `scripts/setup.sh --tests` installs it");
            None
        }
    };
    SIDES.get_or_init(make).as_ref()
}

fn number(variable: &str, default: u64) -> u64 {
    match std::env::var(variable) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{variable}={text} is not a number")),
        Err(_) => default,
    }
}

fn jobs() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get())
}

#[test]
fn kernels_of_our_own() {
    let cases = handwritten().expect("every case can be read");
    assert!(cases.len() >= 60, "only {} cases", cases.len());
    let Some((device, simulator)) = sides() else {
        return;
    };
    let results = check_all(&cases, device, simulator, jobs());
    let report: Vec<String> = cases
        .iter()
        .zip(&results)
        .filter_map(|(case, result)| match result {
            Ok(Agreement::Full) => None,
            Ok(Agreement::Unoptimised(why)) | Err(why) => {
                Some(format!("  {}.cl: {why}", case.name))
            }
        })
        .collect();
    println!("{} of {} kernels agree with PoCL", cases.len() - report.len(), cases.len());
    assert!(report.is_empty(), "{} differ:\n{}", report.len(), report.join("\n"));
}

#[test]
fn random_kernels() {
    let Some((device, simulator)) = sides() else {
        return;
    };
    let (first, count) = (number("LOCKSTEP_SEED", 1), number("LOCKSTEP_RANDOM", 24));
    let (mut differ, mut excused) = (Vec::new(), Vec::new());
    // In portions, so that a long run says how far it has come.
    for start in (first..first + count).step_by(50) {
        let seeds = start..(start + 50).min(first + count);
        let cases: Vec<Case> = seeds.clone().map(generate).collect();
        let results = check_all(&cases, device, simulator, jobs());
        for ((seed, case), result) in seeds.clone().zip(&cases).zip(results) {
            match result {
                Ok(Agreement::Full) => {}
                Ok(Agreement::Unoptimised(why)) => excused.push(format!("  seed {seed}: {why}")),
                Err(why) => {
                    if differ.is_empty() {
                        eprintln!("{}", case.source);
                    }
                    eprintln!("seed {seed}: {why}");
                    eprintln!("  again: cargo run -p lockstep-difftest -- --seed {seed}");
                    differ.push(format!("  seed {seed}: {why}"));
                }
            }
        }
        println!(
            "random kernels up to seed {}: {} differ, in {} PoCL contradicts itself",
            seeds.end - 1,
            differ.len(),
            excused.len()
        );
    }
    if !excused.is_empty() {
        println!(
            "agree with unoptimised PoCL only, which its optimised build contradicts:\n{}",
            excused.join("\n")
        );
    }
    assert!(differ.is_empty(), "{} of {count} differ:\n{}", differ.len(), differ.join("\n"));
    // PoCL is a poor reference if this happens often; then the generator is to blame, not PoCL.
    assert!(
        excused.len() as u64 <= 1 + count / 100,
        "PoCL contradicts itself in {} of {count} cases:\n{}",
        excused.len(),
        excused.join("\n")
    );
}
