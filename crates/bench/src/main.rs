//! `make bench`: how fast Lockstep is, how its cost grows, and how far it agrees with others.
//!
//! ```text
//! lockstep-bench [--quick] [SECTION…]      sections: speed, checks, weak, startup, latency, growth,
//!                                          oclgrind, simulee, seeds, excuses, rules, fences, equivalence,
//!                                          cav14, gpuverify
//! ```
//!
//! - `speed`: `lockstep run`, all observers on, against `oclgrind-kernel --data-races` on the same
//!   kernels and inputs, in one run on one machine ([`speed`]).
//! - `checks`: the same kernels executed with nothing looked for, with bounds only, and with everything
//!   ([`speed::checks`]).
//! - `weak`: the same kernels executed with store buffers, beside plain execution ([`speed::weak`]).
//! - `startup`: a whole `lockstep run` of a kernel that does nothing ([`startup`]).
//! - `latency`: a whole `lockstep check` of each kernel of `examples/` and `tests/`, from source and from
//!   bitcode, beside one launch of the OpenCL kernels under Oclgrind ([`latency`]).
//! - `growth`: time for one lane step as threads and accesses grow ([`growth`]).
//! - `oclgrind`: Oclgrind's own kernel tests, from `$LOCKSTEP_CORPORA/Oclgrind` ([`corpus`]).
//! - `simulee`: the two tables of Simulee's paper, filled by `lockstep search` on the kernels of
//!   `$LOCKSTEP_CORPORA/Simulee` ([`simulee`]).
//! - `seeds`: the kernels of `tests/search` for several seeds: what is found how often ([`seeds`]).
//! - `excuses`: the search with each row of its table of excuses left out in turn, on `tests/` and on all kernels under
//!   `$LOCKSTEP_CORPORA`: what each row does ([`excuses`]).
//! - `rules`: what each rule and each method of the prover does, on the same kernels and `examples/` ([`rules`]).
//! - `fences`: the time to decide where fences belong, for table IV of the paper on Bugaroo and the kernels of
//!   `crates/fences/tests` ([`fences`]).
//! - `equivalence`: time and memory of `lockstep equiv` for a pair as its launch grows to a million threads
//!   ([`equivalence`]).
//! - `cav14`: the prover on the kernels of `$LOCKSTEP_CORPORA/GPUVerifyBenchmarks`, beside the figures
//!   published for FaialAA ([`verify`]); `LOCKSTEP_BENCH_BUDGET` is the time for a kernel in seconds.
//! - `gpuverify`: the prover on GPUVerify's own tests, `$LOCKSTEP_CORPORA/gpuverify` ([`verify`]).
//!
//! What needs a tool or a checkout that is not there is skipped, and the output says so. Times are
//! wall times of whole processes unless a line says otherwise; other load on the machine shows.

mod corpus;
mod equivalence;
mod excuses;
mod fences;
mod files;
mod growth;
mod heads;
mod latency;
mod launch;
mod proving;
#[path = "../../fences/tests/fences/rows.rs"]
mod rows;
mod rules;
mod searching;
mod seeds;
mod simulee;
mod speed;
mod startup;
mod verify;

use std::path::PathBuf;
use std::process::ExitCode;

pub(crate) struct Bench {
    /// Small sizes only: to see that everything works, not how fast it is.
    pub(crate) quick: bool,
    /// The `lockstep` binary beside this one, or that of `LOCKSTEP_BIN`.
    pub(crate) lockstep: PathBuf,
}

const SECTIONS: [(&str, fn(&Bench) -> Result<(), String>); 15] = [
    ("speed", speed::run),
    ("checks", speed::checks),
    ("weak", speed::weak),
    ("startup", startup::run),
    ("latency", latency::run),
    ("growth", growth::run),
    ("oclgrind", corpus::run),
    ("simulee", simulee::run),
    ("seeds", seeds::run),
    ("excuses", excuses::run),
    ("rules", rules::run),
    ("fences", fences::run),
    ("equivalence", equivalence::run),
    ("cav14", verify::cav14),
    ("gpuverify", verify::gpuverify),
];

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("lockstep-bench: {why}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), String> {
    let mut quick = false;
    let mut chosen = Vec::new();
    for arg in std::env::args().skip(1) {
        match arg.as_str() {
            "--quick" => quick = true,
            name if SECTIONS.iter().any(|(n, _)| *n == name) => chosen.push(arg),
            other => {
                let names: Vec<&str> = SECTIONS.iter().map(|(n, _)| *n).collect();
                return Err(format!("unknown `{other}` (known: --quick, {})", names.join(", ")));
            }
        }
    }
    let bench = Bench { quick, lockstep: find_lockstep()? };
    println!("machine: {}, {} cores", cpu_name(), jobs());
    let before = load_average();
    if before > 0.5 {
        println!(
            "WARNING: load average {before:.1} at the start: other work distorts every time below"
        );
    }
    for (name, section) in SECTIONS {
        if chosen.is_empty() || chosen.iter().any(|c| c == name) {
            println!("\n== {name} ==");
            section(&bench).map_err(|e| format!("{name}: {e}"))?;
            if let Some(mb) = peak_memory() {
                println!("peak memory of this process so far: {mb:.0} MB");
            }
        }
    }
    Ok(())
}

fn find_lockstep() -> Result<PathBuf, String> {
    if let Some(path) = std::env::var_os("LOCKSTEP_BIN") {
        return Ok(path.into());
    }
    let this = std::env::current_exe().map_err(|e| e.to_string())?;
    let path = this.with_file_name("lockstep");
    if path.exists() {
        Ok(path)
    } else {
        Err(format!("no {}; build it with `cargo build --release`", path.display()))
    }
}

pub(crate) fn jobs() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get())
}

/// Of the last minute, or 0 where the system does not say.
fn load_average() -> f64 {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().and_then(|t| t.parse().ok()).unwrap_or(0.0)
}

/// The most that was resident, in megabytes, where the system says; clang's and other programs' is their own.
fn peak_memory() -> Option<f64> {
    peak_of(&std::fs::read_to_string("/proc/self/status").ok()?)
}

fn peak_of(status: &str) -> Option<f64> {
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    let kib: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024.0 / 1e6)
}

fn cpu_name() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = info.lines().find(|l| l.starts_with("model name"));
    line.and_then(|l| l.split(": ").nth(1)).unwrap_or("unknown processor").to_string()
}

/// The middle value; the mean of the two middle ones where their number is even.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => sorted[middle],
        _ => (sorted[middle - 1] + sorted[middle]) / 2.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peak_memory_is_read() {
        assert_eq!(peak_of("VmPeak:\t 9 kB\nVmHWM:\t  1000 kB\n"), Some(1.024));
        assert_eq!(peak_of(""), None);
    }

    #[test]
    fn medians() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median(&[]).is_nan());
    }
}
