//! Wall time of `lockstep run` against `oclgrind-kernel --data-races`.
//!
//! Eight kernels of our own at two sizes; the larger takes Oclgrind five seconds or more. Both are
//! whole processes, compilation included, with their own default number of threads. Lockstep runs
//! with all its observers, Oclgrind with its race detector (its bounds checks are always on). Both
//! are run three times in turn and the median is taken, so that load on the machine favours neither.
//! A run that ends with a finding or an error is marked and not counted. Lane steps a second are those of
//! the simulation alone, in this process, once.

use std::process::{Command, Stdio};
use std::time::Instant;

use lockstep_finding::Kind;
use lockstep_simulate::{Config, StoreBuffers};

use crate::launch::{Arg, Launch, floats, ints};
use crate::{Bench, jobs, median};

struct Workload {
    name: &'static str,
    /// For `--quick`, then the two sizes of the table.
    sizes: [u32; 3],
    launch: fn(u32) -> Launch,
}

fn zeros(n: u32) -> Arg {
    Arg::F32(vec![0.0; n as usize])
}

fn some(n: u32) -> Arg {
    Arg::F32(floats(n as usize))
}

fn line(n: u32, block: u32) -> [u32; 3] {
    [n.div_ceil(block), 1, 1]
}

fn square(n: u32) -> [u32; 3] {
    [n / 16, n / 16, 1]
}

const WORKLOADS: [Workload; 8] = [
    Workload {
        name: "tiled matrix product",
        sizes: [32, 64, 160],
        launch: |n| Launch {
            file: "matmul.cl",
            block: [16, 16, 1],
            grid: square(n),
            args: vec![some(n * n), some(n * n), zeros(n * n), Arg::Scalar(n as i32)],
        },
    },
    Workload {
        name: "tree reduction",
        sizes: [1 << 12, 1 << 16, 1 << 19],
        launch: |n| Launch {
            file: "reduce.cl",
            block: [256, 1, 1],
            grid: line(n, 256),
            args: vec![some(n), zeros(n / 256), Arg::Scalar(n as i32)],
        },
    },
    Workload {
        name: "Hillis-Steele scan",
        sizes: [1 << 12, 1 << 15, 1 << 18],
        launch: |n| Launch {
            file: "scan.cl",
            block: [256, 1, 1],
            grid: line(n, 256),
            args: vec![Arg::I32(ints(n as usize)), Arg::I32(vec![0; n as usize])],
        },
    },
    Workload {
        name: "shared-atomics histogram",
        sizes: [1 << 12, 1 << 17, 1 << 20],
        launch: |n| Launch {
            file: "histogram.cl",
            block: [256, 1, 1],
            grid: [16, 1, 1],
            args: vec![Arg::I32(ints(n as usize)), Arg::I32(vec![0; 64]), Arg::Scalar(n as i32)],
        },
    },
    Workload {
        name: "5-point stencil",
        sizes: [64, 256, 768],
        launch: |n| Launch {
            file: "stencil.cl",
            block: [16, 16, 1],
            grid: square(n),
            args: vec![some(n * n), zeros(n * n), Arg::Scalar(n as i32)],
        },
    },
    Workload {
        name: "n-body",
        sizes: [64, 512, 1024],
        launch: |n| Launch {
            file: "nbody.cl",
            block: [64, 1, 1],
            grid: line(n, 64),
            args: vec![some(4 * n), zeros(4 * n), Arg::Scalar(n as i32)],
        },
    },
    Workload {
        name: "bitonic sort",
        sizes: [1 << 11, 1 << 14, 1 << 17],
        launch: |n| Launch {
            file: "bitonic.cl",
            block: [256, 1, 1],
            grid: line(n, 512),
            args: vec![Arg::I32(ints(n as usize))],
        },
    },
    Workload {
        name: "padded transposition",
        sizes: [64, 512, 1024],
        launch: |n| Launch {
            file: "transpose.cl",
            block: [16, 16, 1],
            grid: square(n),
            args: vec![some(n * n), zeros(n * n), Arg::Scalar(n as i32)],
        },
    },
];

pub(crate) fn run(bench: &Bench) -> Result<(), String> {
    let oclgrind = Command::new("oclgrind-kernel").arg("--version").output().is_ok();
    if !oclgrind {
        println!("skipped: no oclgrind-kernel here (`scripts/setup.sh --bench` installs it)");
    }
    println!(
        "{:<26} {:>8} {:>11} {:>11} {:>8} {:>14} {:>13}",
        "kernel", "size", "oclgrind s", "lockstep s", "ratio", "lane steps/s", "shadow/byte"
    );
    let (mut ratios, mut rates, mut large) = (Vec::new(), Vec::new(), Vec::new());
    let mut marginal = Vec::new();
    for workload in &WORKLOADS {
        let sizes = if bench.quick { &workload.sizes[..1] } else { &workload.sizes[1..] };
        let mut smaller: Option<(f64, f64)> = None;
        for (which, &size) in sizes.iter().enumerate() {
            let launch = (workload.launch)(size);
            let dir = tempfile::tempdir().map_err(|e| e.to_string())?;
            let (mut theirs, mut ours) = (Vec::new(), Vec::new());
            for _ in 0..3 {
                theirs.push(if oclgrind {
                    once(&mut launch.oclgrind(dir.path())?, false)
                } else {
                    Err("-".into())
                });
                let mut command = launch.lockstep(&bench.lockstep, dir.path())?;
                ours.push(once(&mut command, true));
            }
            let (theirs, ours) = (middle(theirs), middle(ours));
            let ratio = match (&theirs, &ours) {
                (Ok(t), Ok(o)) => {
                    ratios.push(t / o);
                    if which + 1 == sizes.len() {
                        large.push(t / o);
                    }
                    if let Some((t0, o0)) = smaller.replace((*t, *o)) {
                        marginal.push((t - t0) / (o - o0));
                    }
                    format!("{:.1}", t / o)
                }
                _ => "-".into(),
            };
            let (outcome, seconds) = launch.simulate(jobs(), &Kind::ALL)?;
            let stats = outcome.stats;
            rates.push(stats.lane_steps as f64 / seconds);
            println!(
                "{:<26} {:>8} {:>11} {:>11} {:>8} {:>14} {:>13}",
                workload.name,
                size,
                seconds_text(&theirs),
                seconds_text(&ours),
                ratio,
                format!("{:.0} M", stats.lane_steps as f64 / seconds / 1e6),
                format!("{:.2}", stats.shadow_bytes as f64 / stats.memory_bytes.max(1) as f64),
            );
            for (who, result) in [("oclgrind", theirs), ("lockstep", ours)] {
                if let Err(why) = result.as_ref()
                    && why != "-"
                {
                    println!("    {who}: {why}");
                }
            }
        }
    }
    if !ratios.is_empty() {
        println!(
            "median ratio: {:.1} over all, {:.1} at the larger sizes (goal 100)",
            median(&ratios),
            median(&large)
        );
    }
    if !marginal.is_empty() {
        println!(
            "median ratio of what the larger size adds to the smaller (no start-up in it): {:.1}",
            median(&marginal)
        );
    }
    println!("lane steps a second, simulation alone: median {:.0} million", median(&rates) / 1e6);
    Ok(())
}

/// What a run looks for, from nothing to everything.
const CHECKS: [(&str, &[Kind]); 3] = [
    ("plain", &[]),
    ("bounds", &[Kind::OutOfBounds, Kind::Misaligned, Kind::UseAfterFree]),
    ("everything", &Kind::ALL),
];

/// The same launches with nothing looked for, with bounds only, and with everything: simulation alone, on one thread,
/// the fastest of five runs in turn, in million lane steps a second.
pub(crate) fn checks(bench: &Bench) -> Result<(), String> {
    let header = CHECKS.map(|(name, _)| format!("{name:>12}")).concat();
    println!("{:<26} {:>8}{header} {:>12} {:>12}", "kernel", "size", "bounds %", "everything %");
    let mut ratios = [Vec::new(), Vec::new()];
    for workload in &WORKLOADS {
        let size = workload.sizes[usize::from(!bench.quick)];
        let launch = (workload.launch)(size);
        let mut best = [f64::MAX; 3];
        let mut steps = 0;
        for _ in 0..5 {
            for (best, (_, kinds)) in best.iter_mut().zip(CHECKS) {
                let (outcome, seconds) = launch.simulate(1, kinds)?;
                *best = best.min(seconds);
                steps = outcome.stats.lane_steps;
            }
        }
        let rates = best.map(|s| format!("{:>12.0}", steps as f64 / s / 1e6)).concat();
        for (ratios, slower) in ratios.iter_mut().zip(&best[1..]) {
            ratios.push(100.0 * slower / best[0]);
        }
        let [bounds, all] = [100.0 * best[1] / best[0], 100.0 * best[2] / best[0]];
        println!("{:<26} {size:>8}{rates} {bounds:>12.0} {all:>12.0}", workload.name);
    }
    println!(
        "median time, of plain execution: bounds {:.0}%, everything {:.0}%",
        median(&ratios[0]),
        median(&ratios[1])
    );
    Ok(())
}

/// Probabilities that a store waits in its buffer; with 0, only who runs when is chosen at random.
const PROBABILITIES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// The same launches with store buffers, beside plain execution: simulation alone, on one thread, the fastest of three runs in turn.
/// The paper on Bugaroo has 8.9% (median) and 27% (mean) of instrumented programs over native ones, on a GPU.
pub(crate) fn weak(bench: &Bench) -> Result<(), String> {
    let header = PROBABILITIES.map(|p| format!("{:>10}", format!("{p} %"))).concat();
    println!("time with store buffers, of plain execution, by the probability that a store waits:");
    println!("{:<26} {:>8}{header}", "kernel", "size");
    let mut ratios = Vec::new();
    for workload in &WORKLOADS {
        let size = workload.sizes[usize::from(!bench.quick)];
        let launch = (workload.launch)(size);
        let (mut plain, mut best) = (f64::MAX, [f64::MAX; PROBABILITIES.len()]);
        for seed in 0..3 {
            let config = Config { jobs: 1, kinds: Vec::new(), ..Config::default() };
            plain = plain.min(launch.simulate_by(config.clone())?.1);
            for (best, probability) in best.iter_mut().zip(PROBABILITIES) {
                let buffers = StoreBuffers { seed, probability, ..StoreBuffers::default() };
                let config = Config { store_buffers: Some(buffers), ..config.clone() };
                *best = best.min(launch.simulate_by(config)?.1);
            }
        }
        let percent = best.map(|s| 100.0 * s / plain);
        let row = percent.map(|p| format!("{p:>10.0}")).concat();
        println!("{:<26} {size:>8}{row}", workload.name);
        ratios.extend(percent[1..].iter().copied());
    }
    let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
    println!("over all probabilities above 0: median {:.0}%, mean {mean:.0}%", median(&ratios));
    Ok(())
}

fn seconds_text(result: &Result<f64, String>) -> String {
    result.as_ref().map_or("-".into(), |s| format!("{s:.3}"))
}

/// The median of the runs; the first failure where one failed.
fn middle(times: Vec<Result<f64, String>>) -> Result<f64, String> {
    let times: Result<Vec<f64>, String> = times.into_iter().collect();
    times.map(|times| median(&times))
}

/// Seconds of one process, if it ended well and complained of nothing.
fn once(command: &mut Command, json: bool) -> Result<f64, String> {
    command.stdin(Stdio::null());
    let start = Instant::now();
    let output = command.output().map_err(|e| e.to_string())?;
    let seconds = start.elapsed().as_secs_f64();
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        let last = errors.lines().chain(text.lines()).find(|l| l.contains("message")).unwrap_or("");
        return Err(format!("{} {}{}", output.status, errors.trim(), last.trim()));
    }
    if !json && let Some(line) = text.lines().chain(errors.lines()).find(|l| !l.trim().is_empty()) {
        return Err(format!("said: {}", line.trim()));
    }
    Ok(seconds)
}
