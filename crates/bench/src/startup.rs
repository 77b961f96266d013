//! Time from the start of `lockstep run` to the end of a kernel that does next to nothing: process
//! start, clang, loading, lowering, one block. An upper bound of the time to the first instruction.

use std::time::Instant;

use crate::launch::{Arg, Launch};
use crate::{Bench, median};

pub(crate) fn run(bench: &Bench) -> Result<(), String> {
    let launch = Launch {
        file: "small.cl",
        block: [32, 1, 1],
        grid: [1, 1, 1],
        args: vec![Arg::I32(vec![0; 32])],
    };
    let dir = tempfile::tempdir().map_err(|e| e.to_string())?;
    let mut command = launch.lockstep(&bench.lockstep, dir.path())?;
    let mut times = Vec::new();
    for _ in 0..if bench.quick { 5 } else { 20 } {
        let start = Instant::now();
        let output = command.output().map_err(|e| e.to_string())?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
        if !output.status.success() {
            return Err(format!("lockstep: {}", String::from_utf8_lossy(&output.stderr).trim()));
        }
    }
    let least = times.iter().copied().fold(f64::INFINITY, f64::min);
    println!(
        "lockstep run of a one-block kernel, clang included: min {least:.0} ms, median {:.0} ms of {} (goal 80 ms)",
        median(&times),
        times.len()
    );
    let start = Instant::now();
    launch.load()?;
    println!(
        "of it the front end (clang, loading, lowering): {:.0} ms",
        start.elapsed().as_secs_f64() * 1e3
    );
    Ok(())
}
