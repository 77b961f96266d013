//! Differential tests: the same kernel, the same bytes, once in Lockstep's simulator and once on PoCL.
//!
//! A [`Case`] is an OpenCL C source with a head comment that states its launch and arguments. The
//! harness makes the input arrays, gives them to PoCL through [`opencl`] and to the `lockstep`
//! binary through files ([`simulator`]), and compares every buffer after the launch ([`compare`]).
//! Cases are written by hand (`kernels/*.cl`) or made by [`generate`] from a seed.
//!
//! What it can miss: an error that PoCL shares with the simulator (both use clang's front end, of
//! different versions), and anything that shows only in a launch that no case makes. Every case is
//! meant to be free of races and of undefined behaviour, so a finding is a failure too.

pub mod case;
pub mod compare;
pub mod generate;
pub mod opencl;
pub mod random;
pub mod simulator;

use std::path::{Path, PathBuf};

pub use case::Case;
use opencl::Device;
use simulator::Simulator;

/// The directory of the cases written by hand.
pub fn kernels_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels")
}

/// Every case under [`kernels_dir`], by name.
pub fn handwritten() -> Result<Vec<Case>, String> {
    let dir = kernels_dir();
    let entries = std::fs::read_dir(&dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    let mut paths: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ext| ext == "cl"))
        .collect();
    paths.sort();
    paths.iter().map(|path| Case::load(path)).collect()
}

/// How a case agreed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// With PoCL as it is.
    Full,
    /// With PoCL's unoptimised build only: the optimised one contradicts it, so PoCL is wrong there
    /// and the case says less. What differed.
    Unoptimised(String),
}

/// Runs a case on both sides; the error says what differs, or which side failed.
///
/// PoCL's optimiser has bugs of its own (3.1 miscompiles one of the first 1,200 seeds, 385). A
/// difference is excused only where PoCL's two builds disagree with each other *and* the simulator
/// agrees with the unoptimised one; callers count those cases and say so.
pub fn check(case: &Case, device: &Device, simulator: &Simulator) -> Result<Agreement, String> {
    let inputs = case.inputs();
    let expected = device.run(case, &inputs).map_err(|e| format!("PoCL: {e}"))?;
    let actual = simulator.run(case, &inputs).map_err(|e| format!("lockstep: {e}"))?;
    let Err(why) = compare::buffers(case, &expected, &actual) else {
        return Ok(Agreement::Full);
    };
    let plain = device
        .run_with(case, &inputs, opencl::UNOPTIMISED)
        .map_err(|e| format!("{why}; PoCL unoptimised: {e}"))?;
    match compare::buffers(case, &plain, &actual) {
        Ok(()) => Ok(Agreement::Unoptimised(why)),
        Err(_) => Err(why),
    }
}

/// Runs every case, on `jobs` threads, and returns how each ended, in order.
///
/// PoCL is used by one thread at a time; the simulator's processes run beside it.
pub fn check_all(
    cases: &[Case],
    device: &Device,
    simulator: &Simulator,
    jobs: usize,
) -> Vec<Result<Agreement, String>> {
    let next = std::sync::atomic::AtomicUsize::new(0);
    let results = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let i = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    let Some(case) = cases.get(i) else { break };
                    let result = check(case, device, simulator);
                    results.lock().unwrap_or_else(|e| e.into_inner()).push((i, result));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(|e| e.into_inner());
    results.sort_by_key(|(i, _)| *i);
    results.into_iter().map(|(_, result)| result).collect()
}
