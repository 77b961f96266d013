//! How long one waits for `lockstep check`, kernel by kernel, over all kernels of `examples/` and `tests/`.
//!
//! Each kernel is checked by a process of its own with the default budget and without the cache: once from its source, clang
//! included, and once from the bitcode that clang makes of it. A first run, not counted, warms the file system and the
//! precompiled headers; then the best of several counts, because all that others do on the machine only adds: of five where
//! one takes less than 200 ms, of three below a second, of one above. Files that `check` refuses (tests of messages, headers
//! that are no unit) are left out and counted.
//!
//! Beside it stands `oclgrind-kernel --data-races` on the same OpenCL kernels: one launch of four groups, of 64 work-items
//! where the file does not say how many, with arrays of zeros and sizes of 64. That is one launch against an answer for
//! many or all; the comparison is of waiting, not of work. `--quick` takes every tenth file.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use lockstep_frontend::{Input, Options};
use lockstep_kernel::{Kernel, Language, ParamKind, Ty};

use crate::files::{KERNELS, below};
use crate::{Bench, median};

/// Bytes of an array in Oclgrind's launch.
const ARRAY: u64 = 256 << 10;
/// The value of integer scalars there, and the work-items of a group.
const SIZE: u32 = 64;

/// Milliseconds from bitcode that the median is to stay below.
const GOAL: f64 = 15.0;

/// What takes longer is ended, and not counted.
const LONGEST: Duration = Duration::from_secs(20);

/// Processes that were timed so far.
static RUNS: AtomicUsize = AtomicUsize::new(0);

struct Case {
    source: PathBuf,
    bitcode: PathBuf,
    kernel: Kernel,
    block: [u32; 3],
}

struct Timed<'a> {
    case: &'a Case,
    /// Milliseconds from the source, from bitcode, and of Oclgrind.
    clang: f64,
    bitcode: f64,
    oclgrind: Option<f64>,
}

pub(crate) fn run(bench: &Bench) -> Result<(), String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let dir = tempfile::tempdir().map_err(|e| e.to_string())?;
    let folders = ["examples", "tests"].map(|f| root.join(f));
    let mut files: Vec<PathBuf> = folders.iter().flat_map(|f| below(f, KERNELS)).collect();
    if bench.quick {
        files = files.into_iter().step_by(10).collect();
    }
    let (mut cases, mut refused) = (Vec::new(), 0);
    for (i, file) in files.iter().enumerate() {
        match load(file, &dir.path().join(format!("{i}.bc"))) {
            Some(found) => cases.extend(found),
            None => refused += 1,
        }
    }
    let oclgrind = Command::new("oclgrind-kernel").arg("--version").output().is_ok();
    let mut timed = Vec::new();
    let mut no_answer = Vec::new();
    let before = children_seconds();
    for case in &cases {
        let from = |input: &Path| check(bench, input, &case.kernel);
        match (from(&case.source), from(&case.bitcode)) {
            (Some(clang), Some(bitcode)) => {
                timed.push(Timed { case, clang, bitcode, oclgrind: None });
            }
            _ => no_answer.push(case),
        }
    }
    let after = children_seconds();
    println!(
        "{} kernels in {} files of examples/ and tests/; {refused} more files do not compile alone, {} kernels are refused",
        timed.len(),
        files.len() - refused,
        no_answer.len()
    );
    table("with clang", "100 ms", &timed, |t| t.clang);
    table("from bitcode", "15 ms", &timed, |t| t.bitcode);
    let below = timed.iter().filter(|t| t.bitcode < GOAL).count();
    println!("{below} of {} take less than {GOAL} ms from bitcode", timed.len());
    let of_examples = |t: &&Timed| t.case.source.starts_with(root.join("examples"));
    let examples: Vec<&Timed> = timed.iter().filter(of_examples).collect();
    println!("the {} kernels of examples/ among them:", examples.len());
    summary("with clang", &examples, |t| t.clang);
    summary("from bitcode", &examples, |t| t.bitcode);
    if let (Some(before), Some(after)) = (before, after) {
        let runs = RUNS.load(Ordering::Relaxed).max(1);
        println!(
            "processor time, the mean of all {runs} checks: {:.0} ms (does not depend on other load)",
            1e3 * (after - before) / runs as f64
        );
    }
    if !oclgrind {
        println!("skipped: no oclgrind-kernel here (`scripts/setup.sh --bench` installs it)");
        return Ok(());
    }
    for t in &mut timed {
        t.oclgrind = simulate(t.case, dir.path());
    }
    let both: Vec<&Timed> = timed.iter().filter(|t| t.oclgrind.is_some()).collect();
    println!("the {} OpenCL kernels among them that Oclgrind runs:", both.len());
    summary("oclgrind, one launch", &both, |t| t.oclgrind.unwrap_or(f64::NAN));
    summary("lockstep, with clang", &both, |t| t.clang);
    summary("lockstep, from bitcode", &both, |t| t.bitcode);
    Ok(())
}

fn table(title: &str, goal: &str, timed: &[Timed], of: impl Fn(&Timed) -> f64) {
    let mut slowest: Vec<&Timed> = timed.iter().collect();
    summary(&format!("{title} (goal for the median: {goal})"), &slowest, &of);
    slowest.sort_by(|a, b| of(b).total_cmp(&of(a)));
    for t in slowest.iter().take(5) {
        let file = t.case.source.file_name().unwrap_or_default().to_string_lossy();
        println!("    slowest: {:>8.0} ms  {} in {file}", of(t), t.case.kernel.name);
    }
}

fn summary(title: &str, timed: &[&Timed], of: impl Fn(&Timed) -> f64) {
    let times: Vec<f64> = timed.iter().map(|t| of(t)).collect();
    println!(
        "{title:<50} median {:>7.1} ms, 90% within {:>7.0} ms",
        median(&times),
        percentile(&times, 90)
    );
}

/// The least value that so many percent of all do not exceed.
fn percentile(values: &[f64], percent: usize) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or(f64::NAN)
}

/// The kernels of a file, and its bitcode in a file of its own.
fn load(source: &Path, bitcode: &Path) -> Option<Vec<Case>> {
    let options = Options::default();
    let module = lockstep_frontend::load(Input::Path(source), &options).ok()?;
    let bytes = lockstep_frontend::bitcode(Input::Path(source), &options).ok()?;
    std::fs::write(bitcode, bytes).ok()?;
    let block = module.head.block.unwrap_or([SIZE, 1, 1]);
    let of_source = |k: &Kernel| !module.chosen.iter().any(|c| c.is_instance(k));
    let kernels = module.kernels.into_iter();
    let cases: Vec<Case> = kernels
        .map(|kernel| Case { source: source.into(), bitcode: bitcode.into(), kernel, block })
        .collect();
    // An instance that Lockstep chose is not in the bitcode of the file itself.
    let cases: Vec<Case> = cases.into_iter().filter(|c| of_source(&c.kernel)).collect();
    (!cases.is_empty()).then_some(cases)
}

/// Milliseconds of a check; none where the input is refused.
fn check(bench: &Bench, input: &Path, kernel: &Kernel) -> Option<f64> {
    let once = || {
        let mut command = Command::new(&bench.lockstep);
        command.env_remove("LOCKSTEP_REPRODUCIBLE");
        command.arg("check").arg(input).args(["--kernel", &kernel.mangled, "--no-cache"]);
        milliseconds(&mut command).filter(|(status, _)| [0, 1, 3].contains(status))
    };
    repeated(|| once().map(|(_, time)| time))
}

/// The best of several runs after a first one; of the fewer, the longer one takes.
fn repeated(once: impl Fn() -> Option<f64>) -> Option<f64> {
    let runs = match once()? {
        ..200.0 => 5,
        ..1000.0 => 3,
        _ => 1,
    };
    (0..runs).map(|_| once()).try_fold(f64::INFINITY, |best, time| Some(best.min(time?)))
}

fn milliseconds(command: &mut Command) -> Option<(i32, f64)> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    RUNS.fetch_add(1, Ordering::Relaxed);
    let started = Instant::now();
    let mut child = command.spawn().ok()?;
    // A kernel may have no end, and not every tool gives one up.
    let (stop, stopped) = std::sync::mpsc::channel::<()>();
    let id = child.id();
    let guard = std::thread::spawn(move || {
        use std::sync::mpsc::RecvTimeoutError::Timeout;
        if stopped.recv_timeout(LONGEST) == Err(Timeout) {
            let _ = Command::new("kill").args(["-9", &id.to_string()]).status();
        }
    });
    let status = child.wait();
    let time = 1e3 * started.elapsed().as_secs_f64();
    drop(stop);
    let _ = guard.join();
    Some((status.ok()?.code()?, time))
}

/// Milliseconds of one launch under Oclgrind; none where it cannot be launched so.
fn simulate(case: &Case, dir: &Path) -> Option<f64> {
    if case.kernel.language != Language::OpenCl {
        return None;
    }
    let [x, y, z] = case.block;
    let mut sim = format!("{}\n{}\n", case.source.display(), case.kernel.name);
    sim.push_str(&format!("{} {y} {z}\n{x} {y} {z}\n", 4 * x));
    for (i, param) in case.kernel.params.iter().enumerate() {
        if case.kernel.image(i).is_some() {
            return None;
        }
        sim.push_str(&match param.kind {
            ParamKind::Buffer { .. } => format!("<size={ARRAY} fill=0>\n"),
            ParamKind::Local { .. } => format!("<size={}>\n", ARRAY / 16),
            ParamKind::Scalar { ty, count } => scalar(ty, count)?,
            ParamKind::Aggregate { .. } => return None,
        });
    }
    let path = dir.join("launch.sim");
    std::fs::write(&path, sim).ok()?;
    let once = || {
        let mut command = Command::new("oclgrind-kernel");
        command.arg("--data-races").arg(&path).current_dir(dir);
        milliseconds(&mut command).filter(|(status, _)| *status == 0)
    };
    once()?;
    once().map(|(_, time)| time)
}

fn scalar(ty: Ty, count: u8) -> Option<String> {
    let size = ty.bytes() * u32::from(count);
    Some(match ty {
        Ty::F32 => format!("<size={size} float fill=1>\n"),
        Ty::F64 => format!("<size={size} double fill=1>\n"),
        Ty::I1 | Ty::I8 => format!("<size={size} char fill=1>\n"),
        Ty::I16 => format!("<size={size} short fill={SIZE}>\n"),
        Ty::I32 => format!("<size={size} int fill={SIZE}>\n"),
        Ty::I64 => format!("<size={size} long fill={SIZE}>\n"),
        Ty::Ptr | Ty::F16 => return None,
    })
}

/// Processor time of all processes that this one has waited for, where the system says.
fn children_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // Behind the name in parentheses, the third field is the first; the children's times are the 16th and 17th.
    let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split(' ').collect();
    let ticks = |i: usize| fields.get(i)?.parse::<f64>().ok();
    Some((ticks(13)? + ticks(14)?) / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles() {
        let values: Vec<f64> = (1..=20).rev().map(f64::from).collect();
        assert_eq!(percentile(&values, 90), 18.0);
        assert_eq!(percentile(&[5.0], 90), 5.0);
        assert!(percentile(&[], 90).is_nan());
    }

    #[test]
    fn scalars_of_oclgrind() {
        assert_eq!(scalar(Ty::I32, 4).as_deref(), Some("<size=16 int fill=64>\n"));
        assert_eq!(scalar(Ty::Ptr, 1), None);
    }
}
