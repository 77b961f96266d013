//! The prover, in process, over the kernels of a suite: what the sections `cav14` and `gpuverify` share.
//!
//! The unit is a file, as it is for GPUVerify's tester; one with several kernels is as bad as its worst. One call of
//! the prover is about threads of one block and about threads of different blocks; alarms say which.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use lockstep_finding::{Condition, Confidence, Finding, Kind, Origin, Verdict};
use lockstep_frontend::{HeadComment, Input, Options, is_named, load};
use lockstep_kernel::{Kernel, ParamKind, Scheduling};
use lockstep_prove::{Alarm, Assumptions, Config, DimSpec, Proof, Stats, prove};

use crate::files::{KERNELS, below};
use crate::heads::{Head, head, variants, warp_sync};

/// A file to prove, perhaps with a macro that puts a defect in.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub(crate) path: PathBuf,
    /// The row of the table that it counts in.
    pub(crate) folder: String,
    /// Relative to the checkout.
    pub(crate) name: String,
    pub(crate) macro_name: Option<&'static str>,
    pub(crate) head: Head,
    pub(crate) text: String,
}

/// The text with files named without their folders; `4/9` stays two lines.
pub(crate) fn without_folders(text: &str) -> String {
    let short = |word: &str| match word.starts_with(|c: char| c.is_ascii_digit()) {
        true => word.to_string(),
        false => word.rsplit('/').next().unwrap_or(word).to_string(),
    };
    text.split(' ').map(short).collect::<Vec<_>>().join(" ")
}

/// From good to bad; a file has the worst of its kernels.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    Proved,
    /// Every alarm is a race of equal values.
    Benign,
    /// Proved for launches that satisfy a condition which the prover names; an alarm for the others.
    Conditional,
    Unknown(String),
    Possible,
    Confirmed,
    NotCompiled(String),
}

pub(crate) struct Entry {
    pub(crate) outcome: Outcome,
    /// Verdicts, alarms and reasons, one text each.
    pub(crate) details: Vec<String>,
    /// Confirmed alarms that are not benign.
    pub(crate) confirmed: Vec<Confirmed>,
    /// Absent where the kernel has something that the prover does not model.
    pub(crate) stats: Option<Stats>,
}

/// A confirmed alarm.
pub(crate) struct Confirmed {
    pub(crate) level: AlarmLevel,
    pub(crate) text: String,
}

/// The threads that an alarm is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AlarmLevel {
    WithinBlock,
    BetweenBlocks,
    /// It is no race.
    Other,
}

pub(crate) struct Judged {
    pub(crate) outcome: Outcome,
    pub(crate) entries: Vec<Entry>,
    /// Other arguments of the head.
    pub(crate) args: Vec<String>,
    /// clang, and the way from bitcode to kernels.
    pub(crate) front_seconds: f64,
    pub(crate) prove_seconds: f64,
}

/// Files below `root/folder` with a head that the suite's tester would run, in the order of their names: as they
/// are, and once more for each macro that puts a defect in.
pub(crate) fn jobs_of(root: &Path, folder: &str) -> (Vec<Job>, Vec<Job>) {
    let is_part = |path: &Path| path.file_name().is_some_and(|n| n.as_encoded_bytes()[0] == b'_');
    let (mut plain, mut with_defect) = (Vec::new(), Vec::new());
    for path in below(&root.join(folder), KERNELS).into_iter().filter(|p| !is_part(p)) {
        let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap_or_default()).into_owned();
        let Some(head) = head(&text) else { continue };
        let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        let macros = variants(&text);
        let job = Job { path, folder: folder.to_string(), name, macro_name: None, head, text };
        with_defect.extend(macros.into_iter().map(|m| Job {
            macro_name: Some(m),
            folder: format!("{folder} -D{m}"),
            ..job.clone()
        }));
        plain.push(job);
    }
    (plain, with_defect)
}

/// `LOCKSTEP_BENCH_BUDGET` in seconds, or the ten that `lockstep prove` takes by itself.
pub(crate) fn budget() -> Result<Duration, String> {
    match std::env::var("LOCKSTEP_BENCH_BUDGET") {
        Err(_) => Ok(Duration::from_secs(10)),
        Ok(text) => match text.parse::<f64>() {
            Ok(s) if s > 0.0 && s < 1e6 => Ok(Duration::from_secs_f64(s)),
            _ => Err(format!("LOCKSTEP_BENCH_BUDGET=`{text}` is no number of seconds")),
        },
    }
}

/// Judges every file, on all cores; the results are in the order of the jobs.
pub(crate) fn judge_all(jobs: &[Job], budget: Duration) -> Result<Vec<Judged>, String> {
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<Judged>>> = jobs.iter().map(|_| Mutex::new(None)).collect();
    let work = || {
        while let Some(i) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&i| i < jobs.len()) {
            let judged = catch_unwind(AssertUnwindSafe(|| judge(&jobs[i], budget)));
            let panicked = Outcome::Unknown("the front end or the prover panicked".into());
            let judged = judged.unwrap_or_else(|_| without_kernels(panicked, 0.0));
            *results[i].lock().expect("no thread panics with the lock") = Some(judged);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..crate::jobs() {
            // Large kernels nest deeply.
            let builder = std::thread::Builder::new().stack_size(256 << 20);
            builder.spawn_scoped(scope, work).map_err(|e| e.to_string())?;
        }
        Ok::<(), String>(())
    })?;
    let done = results.into_iter().map(|m| m.into_inner().ok().flatten());
    done.map(|r| r.ok_or_else(|| "a file was not judged".to_string())).collect()
}

fn without_kernels(outcome: Outcome, seconds: f64) -> Judged {
    Judged {
        outcome,
        entries: Vec::new(),
        args: Vec::new(),
        front_seconds: seconds,
        prove_seconds: 0.0,
    }
}

fn judge(job: &Job, budget: Duration) -> Judged {
    let started = Instant::now();
    let mut options = Options::default();
    options.clang_args.extend(job.macro_name.map(|m| format!("-D{m}").into()));
    options.clang_args.extend(job.path.parent().map(|dir| format!("-I{}", dir.display()).into()));
    let module = match load(Input::Path(&job.path), &options) {
        Ok(module) => module,
        Err(e) => {
            let text = e.to_string();
            let line = text.lines().find(|l| l.contains("error:")).or(text.lines().next());
            let line = line.unwrap_or("").rsplit("error: ").next().unwrap_or("");
            let why = Outcome::NotCompiled(line.to_string());
            return without_kernels(why, started.elapsed().as_secs_f64());
        }
    };
    let front_seconds = started.elapsed().as_secs_f64();
    if module.kernels.is_empty() {
        return without_kernels(Outcome::NotCompiled("no kernel in it".into()), front_seconds);
    }
    let only = Only::of(&module.head.others);
    let mut kinds = vec![Kind::BarrierDivergence];
    if !only.divergence {
        kinds.insert(0, Kind::DataRace);
        kinds.push(Kind::Assertion);
    }
    if module.head.others.iter().any(|a| a == "--check-array-bounds") {
        kinds.push(Kind::OutOfBounds);
    }
    let config = Config { kinds, budget, jobs: 1, ..Config::default() };
    let started = Instant::now();
    let entries: Vec<Entry> = module
        .kernels
        .iter()
        .map(|k| entry(prove(k, &assumptions(k, &module.head), &config), only))
        .collect();
    Judged {
        outcome: entries.iter().map(|e| e.outcome.clone()).max().unwrap_or(Outcome::Proved),
        entries,
        args: module.head.others,
        front_seconds,
        prove_seconds: started.elapsed().as_secs_f64(),
    }
}

/// What the head's arguments leave out.
#[derive(Clone, Copy)]
struct Only {
    divergence: bool,
    within_blocks: bool,
}

impl Only {
    fn of(args: &[String]) -> Only {
        let has = |name: &str| args.iter().any(|a| a == name);
        Only { divergence: has("--only-divergence"), within_blocks: has("--only-intra-group") }
    }
}

/// The launches that the head is about: what it does not give may be anything.
fn assumptions(kernel: &Kernel, head: &HeadComment) -> Assumptions {
    let dims = |d: Option<[u32; 3]>| d.map_or([DimSpec::Any; 3], |d| d.map(DimSpec::Exactly));
    let mut out = Assumptions::of_dims(dims(head.grid), dims(head.block), Origin::Annotation);
    if let Some(n) = warp_sync(&head.others) {
        out.scheduling = Scheduling::Lockstep;
        out.warp_size = n;
    }
    let given = |list: &[(String, Vec<Option<u64>>)], is: fn(ParamKind) -> bool| {
        let of_kernel = list.iter().filter(|(n, _)| is_named(&kernel.name, &kernel.mangled, n));
        let mut values = Vec::new();
        for (_, numbers) in of_kernel {
            let params = kernel.params.iter().enumerate().filter(|(_, p)| is(p.kind));
            values.extend(params.zip(numbers).filter_map(|((i, _), v)| Some((i, (*v)?))));
        }
        values
    };
    let scalars =
        given(&head.kernel_args, |kind| matches!(kind, ParamKind::Scalar { count: 1, .. }));
    for (i, v) in scalars {
        out.scalar(kernel, i, vec![v], Origin::Annotation);
    }
    for (i, bytes) in given(&head.kernel_arrays, |kind| matches!(kind, ParamKind::Buffer { .. })) {
        out.length(kernel, i, bytes, Origin::Annotation);
    }
    out
}

fn entry(proof: Proof, only: Only) -> Entry {
    const SYNC: [Kind; 3] = [Kind::DataRace, Kind::BarrierDivergence, Kind::Assertion];
    let alarms: Vec<&Alarm> =
        proof.alarms.iter().filter(|a| SYNC.contains(&a.finding.kind)).collect();
    let all: Vec<&Finding> = alarms.iter().map(|a| &a.finding).collect();
    let is_counted = |a: &&&Alarm| !(only.within_blocks && a.between_blocks);
    let of_count: Vec<&Alarm> = alarms.iter().filter(is_counted).copied().collect();
    let counted: Vec<&Finding> = of_count.iter().map(|a| &a.finding).collect();
    let stands = |f: &&&Finding| f.holds_when.is_none() && !f.benign;
    let confirmed: Vec<Confirmed> = of_count
        .iter()
        .filter(|a| stands(&&&a.finding) && a.finding.confidence == Confidence::Confirmed)
        .map(|a| Confirmed { level: level(a), text: described(a) })
        .collect();
    // Where a kind has alarms, its verdict speaks of them, and they are judged on their own.
    let open = proof.verdicts.iter().find_map(|(kind, v)| match v {
        Verdict::Unknown { because }
            if *kind != Kind::OutOfBounds && all.iter().all(|f| f.kind != *kind) =>
        {
            Some(because.to_string())
        }
        _ => None,
    });
    let outcome = if !confirmed.is_empty() {
        Outcome::Confirmed
    } else if counted.iter().any(|f| stands(&f)) {
        Outcome::Possible
    } else if let Some(because) = open.clone() {
        Outcome::Unknown(because)
    } else if counted.iter().any(|f| f.holds_when.is_some()) {
        Outcome::Conditional
    } else if counted.len() < all.len() {
        Outcome::Unknown("alarms between blocks only, which the head leaves out".into())
    } else if !counted.is_empty() {
        Outcome::Benign
    } else {
        Outcome::Proved
    };
    let mut details: Vec<String> = proof
        .verdicts
        .iter()
        .filter_map(|(kind, v)| match v {
            Verdict::Proved { assumes } if assumes.is_empty() => Some(format!("{kind} proved")),
            Verdict::Proved { assumes } => {
                Some(format!("{kind} proved if {}", Condition::line(assumes)))
            }
            Verdict::Unknown { because } => Some(format!("{kind} unknown: {because}")),
            // Other findings are described one by one below.
            Verdict::Found if *kind == Kind::OutOfBounds => Some(format!("{kind} found")),
            _ => None,
        })
        .collect();
    details.extend(alarms.iter().map(|a| described(a)));
    let gap = proof.stats.accesses == 0 && open.is_some();
    Entry { outcome, details, confirmed, stats: (!gap).then_some(proof.stats) }
}

fn level(alarm: &Alarm) -> AlarmLevel {
    match alarm.finding.kind {
        Kind::DataRace if alarm.between_blocks => AlarmLevel::BetweenBlocks,
        Kind::DataRace => AlarmLevel::WithinBlock,
        _ => AlarmLevel::Other,
    }
}

/// `confirmed data-race of one block on p at lines 4 and 9`.
fn described(alarm: &Alarm) -> String {
    let f = &alarm.finding;
    let mut lines: Vec<String> = f.accesses.iter().map(|a| a.place.line.to_string()).collect();
    lines.dedup();
    let mut out = format!("{} {}", f.confidence.name(), f.kind);
    if f.benign {
        out.insert_str(0, "benign ");
    }
    if f.kind == Kind::DataRace {
        out.push_str(if alarm.between_blocks { " between blocks" } else { " within a block" });
    }
    if let Some(object) = f.memory.as_ref().and_then(|m| m.object.as_ref()) {
        out.push_str(&format!(" on {object}"));
    }
    out.push_str(&format!(" at {}", lines.join("/")));
    if !f.approximated.is_empty() {
        let names: Vec<String> = f.approximated.iter().map(|a| a.variable.to_string()).collect();
        out.push_str(&format!(" (rests on {})", names.join(", ")));
    }
    if let Some(when) = &f.holds_when {
        out.push_str(&format!(" when {when}"));
    }
    out
}

/// How often each reason occurs, the most frequent first.
pub(crate) fn by_frequency(reasons: impl Iterator<Item = String>) -> Vec<(String, usize)> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    reasons.for_each(|r| *counts.entry(r).or_default() += 1);
    let mut out: Vec<(String, usize)> = counts.into_iter().collect();
    out.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_kernel_counts() {
        let worst = |list: &[Outcome]| list.iter().max().cloned().unwrap();
        let unknown = Outcome::Unknown("time".into());
        assert_eq!(worst(&[Outcome::Proved, unknown.clone(), Outcome::Benign]), unknown);
        assert_eq!(worst(&[Outcome::Confirmed, Outcome::Possible]), Outcome::Confirmed);
    }

    #[test]
    fn folders_go_and_lines_stay() {
        assert_eq!(
            without_folders("at 4/9 and /a/b.cl:3 (rests on x)"),
            "at 4/9 and b.cl:3 (rests on x)"
        );
    }

    #[test]
    fn frequent_reasons_first() {
        let reasons = ["b", "a", "c", "a"].map(String::from);
        let expected = [("a", 2), ("b", 1), ("c", 1)].map(|(r, n)| (r.to_string(), n));
        assert_eq!(by_frequency(reasons.into_iter()), expected);
    }

    #[test]
    fn files_that_the_tester_runs() {
        let dir = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        put("S/b/kernel.cl", "//pass\n//--local_size=4\n");
        put("S/a.cu", "//xfail:NOT_ALL_VERIFIED\n//--blockDim=4\n#ifdef MUTATION\n#endif\n");
        put("S/_off.cu", "//pass\n");
        put("S/host.cu", "int main() {}\n");
        let (plain, with_defect) = jobs_of(dir.path(), "S");
        let names: Vec<&str> = plain.iter().map(|j| j.name.as_str()).collect();
        assert_eq!(names, ["S/a.cu", "S/b/kernel.cl"]);
        assert_eq!(with_defect.len(), 1);
        assert_eq!(with_defect[0].folder, "S -DMUTATION");
    }
}
