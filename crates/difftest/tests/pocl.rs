//! The simulator against PoCL: every case under `kernels/`, and random ones.
//!
//! Without PoCL the tests say so and pass, except where `CI` is set: there the setup has installed
//! it, and its absence is a failure. `LOCKSTEP_RANDOM=N` sets the number of random cases (default
//! 40; `make long-test` takes 1,000 and more), `LOCKSTEP_SEED=N` the first seed.

use std::sync::OnceLock;

use lockstep_difftest::generate::generate;
use lockstep_difftest::opencl::Device;
use lockstep_difftest::simulator::Simulator;
use lockstep_difftest::{Case, check_all, handwritten};

/// Both sides, or nothing where there is no PoCL.
fn sides() -> Option<&'static (Device, Simulator)> {
    static SIDES: OnceLock<Option<(Device, Simulator)>> = OnceLock::new();
    let make = || match Device::pocl() {
        Ok(device) => Some((
            device,
            Simulator::find().expect("the lockstep binary builds"),
        )),
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
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("{variable}={text} is not a number")),
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
    let failures = check_all(&cases, device, simulator, jobs());
    println!(
        "{} of {} kernels agree with PoCL",
        cases.len() - failures.len(),
        cases.len()
    );
    let report: Vec<String> = failures
        .iter()
        .map(|(i, why)| format!("  {}.cl: {why}", cases[*i].name))
        .collect();
    assert!(
        failures.is_empty(),
        "{} differ:\n{}",
        failures.len(),
        report.join("\n")
    );
}

#[test]
fn random_kernels() {
    let Some((device, simulator)) = sides() else {
        return;
    };
    let (first, count) = (number("LOCKSTEP_SEED", 1), number("LOCKSTEP_RANDOM", 40));
    let mut report = Vec::new();
    // In portions, so that a long run says how far it has come.
    for start in (first..first + count).step_by(50) {
        let seeds = start..(start + 50).min(first + count);
        let cases: Vec<Case> = seeds.clone().map(generate).collect();
        for (i, why) in check_all(&cases, device, simulator, jobs()) {
            let case = &cases[i];
            let seed = start + i as u64;
            if report.is_empty() {
                eprintln!("{}", case.source);
            }
            report.push(format!("  seed {seed}: {why}"));
            eprintln!(
                "seed {seed}: {why}\n  again: cargo run -p lockstep-difftest -- --seed {seed}"
            );
        }
        println!(
            "random kernels up to seed {}: {} differ",
            seeds.end - 1,
            report.len()
        );
    }
    assert!(
        report.is_empty(),
        "{} of {count} differ:\n{}",
        report.len(),
        report.join("\n")
    );
}
