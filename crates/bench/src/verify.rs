//! GPUVerify's benchmarks and its own tests, proved: the sections `cav14` and `gpuverify`.
//!
//! A head that says `pass` claims no race and no divergence under GPUVerify's assumptions: warps in step where
//! `--warp-sync` says so, races of equal values tolerated. `xfail:NOT_ALL_VERIFIED` claims some defect, which may be an
//! assertion, an array bound or a proof hint that does not hold. So agreement is with the head, not with the truth, and
//! what contradicts a head is listed for a person to judge.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::heads::{Expect, defect_named, general};
use crate::proving::{
    AlarmLevel, Job, Judged, Outcome, budget, by_frequency, jobs_of, judge_all, without_folders,
};
use crate::{Bench, median};

/// Of "Sound and Partially-Complete Static Analysis of Data-Races in GPU Programs" (OOPSLA 2024), on this set.
const PUBLISHED: &str = "FaialAA as published, on 226 kernels: 212 race-free, 10 with true alarms, \
                         4 with potential alarms only; mean 0.4 s, 93 MB";

pub(crate) fn cav14(bench: &Bench) -> Result<(), String> {
    let Some(root) = checkout("GPUVerifyBenchmarks", "mc-imperial/GPUVerifyBenchmarks") else {
        return Ok(());
    };
    let cuda = ["CUDA20", "CUDA50", "C++AMP", "gpgpu-sim_ispass2009"];
    let opencl = ["AMD_SDK", "parboil", "polybench", "rodinia_2.4", "shoc"];
    let mut all_defects = Vec::new();
    for (title, folders, published) in
        [("CUDA", &cuda[..], Some(PUBLISHED)), ("OpenCL", &opencl[..], None)]
    {
        let mut jobs = Vec::new();
        for folder in folders {
            let (plain, with_defect) = jobs_of(&root, folder);
            jobs.extend(plain);
            all_defects.extend(with_defect);
        }
        group(bench, title, jobs, published)?;
    }
    group(bench, "with a defect put in", all_defects, None)
}

pub(crate) fn gpuverify(bench: &Bench) -> Result<(), String> {
    let Some(root) = checkout("gpuverify/testsuite", "mc-imperial/gpuverify") else {
        return Ok(());
    };
    for folder in ["CUDA", "OpenCL"] {
        group(bench, folder, jobs_of(&root, folder).0, None)?;
    }
    Ok(())
}

fn checkout(folder: &str, repository: &str) -> Option<PathBuf> {
    let Some(corpora) = std::env::var_os("LOCKSTEP_CORPORA") else {
        let first = folder.split('/').next().unwrap_or(folder);
        println!(
            "skipped: LOCKSTEP_CORPORA is not set (a directory with a checkout of {repository} in {first}/)"
        );
        return None;
    };
    let root = Path::new(&corpora).join(folder);
    if !root.is_dir() {
        println!("skipped: no checkout of {repository}: {} is not there", root.display());
        return None;
    }
    root.canonicalize().ok()
}

fn group(
    bench: &Bench,
    title: &str,
    mut jobs: Vec<Job>,
    published: Option<&str>,
) -> Result<(), String> {
    if bench.quick {
        jobs = jobs.into_iter().step_by(20).collect();
    }
    if jobs.is_empty() {
        println!("\n{title}: no kernels");
        return Ok(());
    }
    let budget = budget()?;
    let started = std::time::Instant::now();
    let judged = judge_all(&jobs, budget)?;
    let files: Vec<(&Job, &Judged)> = jobs.iter().zip(&judged).collect();
    println!(
        "\n{title}: {} files, {} kernels; {:.1} s a kernel at most; {:.1} s in all on {} cores",
        files.len(),
        judged.iter().map(|j| j.entries.len()).sum::<usize>(),
        budget.as_secs_f64(),
        started.elapsed().as_secs_f64(),
        crate::jobs()
    );
    table(&files);
    if let Some(line) = published {
        println!("{line}");
    }
    reasons(&files);
    agreement(&files);
    work(&files);
    times(&files);
    listed(&files);
    Ok(())
}

const COLUMNS: [&str; 7] =
    ["proved", "benign", "conditional", "possible", "confirmed", "unknown", "not compiled"];

fn column(outcome: &Outcome) -> usize {
    match outcome {
        Outcome::Proved => 0,
        Outcome::Benign => 1,
        Outcome::Conditional => 2,
        Outcome::Possible => 3,
        Outcome::Confirmed => 4,
        Outcome::Unknown(_) => 5,
        Outcome::NotCompiled(_) => 6,
    }
}

fn table(files: &[(&Job, &Judged)]) {
    let mut rows: BTreeMap<&str, [usize; 7]> = BTreeMap::new();
    let mut total = [0; 7];
    for (job, judged) in files {
        let at = column(&judged.outcome);
        rows.entry(&job.folder).or_default()[at] += 1;
        total[at] += 1;
    }
    print!("{:<24}{:>7}", "folder", "files");
    COLUMNS.iter().for_each(|c| print!("{c:>14}"));
    println!();
    let print_row = |name: &str, counts: &[usize; 7]| {
        print!("{name:<24}{:>7}", counts.iter().sum::<usize>());
        counts.iter().for_each(|n| print!("{n:>14}"));
        println!();
    };
    rows.iter().for_each(|(name, counts)| print_row(name, counts));
    if rows.len() > 1 {
        print_row("total", &total);
    }
    let mut levels = [0; 3];
    for alarm in files.iter().flat_map(|(_, j)| &j.entries).flat_map(|e| &e.confirmed) {
        levels[match alarm.level {
            AlarmLevel::WithinBlock => 0,
            AlarmLevel::BetweenBlocks => 1,
            AlarmLevel::Other => 2,
        }] += 1;
    }
    println!(
        "confirmed alarms: {} races within a block, {} between blocks, {} divergences",
        levels[0], levels[1], levels[2]
    );
}

fn reasons(files: &[(&Job, &Judged)]) {
    let unknown = files.iter().filter_map(|(_, j)| match &j.outcome {
        Outcome::Unknown(why) => Some(general(why)),
        _ => None,
    });
    by_frequency(unknown).iter().for_each(|(why, n)| println!("  unknown, {n}: {why}"));
    for (job, judged) in files {
        if let Outcome::NotCompiled(why) = &judged.outcome {
            println!("  not compiled: {}: {why}", named(job));
        }
    }
}

/// What is expected of the file as it is compiled.
fn expected(job: &Job) -> Expect {
    if job.macro_name.is_some() { Expect::Defect } else { job.head.expect }
}

fn agreement(files: &[(&Job, &Judged)]) {
    println!("against the heads:");
    for (expect, text) in [
        (Expect::Pass, "pass"),
        (Expect::Defect, "some defect"),
        (Expect::Nothing, "an error of the tool (nothing of the kernel)"),
    ] {
        let of: Vec<_> = files.iter().filter(|(j, _)| expected(j) == expect).collect();
        if of.is_empty() {
            continue;
        }
        let mut counts = [0; 7];
        of.iter().for_each(|(_, judged)| counts[column(&judged.outcome)] += 1);
        let (agree, differ) = match expect {
            Expect::Pass => (counts[0] + counts[1], counts[4]),
            Expect::Defect => (counts[4], counts[0]),
            Expect::Nothing => (0, 0),
        };
        let parts: Vec<String> = COLUMNS
            .iter()
            .zip(counts)
            .filter(|(_, n)| *n > 0)
            .map(|(name, n)| format!("{n} {name}"))
            .collect();
        print!("  expected {text}, {}: {}", of.len(), parts.join(", "));
        match expect {
            Expect::Nothing => println!(),
            _ => println!(
                "; {agree} agree ({}), {differ} contradict, {} undecided",
                percent(agree, of.len()),
                of.len() - agree - differ
            ),
        }
    }
}

fn percent(part: usize, all: usize) -> String {
    format!("{:.1}%", 100.0 * part as f64 / all.max(1) as f64)
}

fn work(files: &[(&Job, &Judged)]) {
    let entries: Vec<_> = files.iter().flat_map(|(_, j)| &j.entries).collect();
    let stats: Vec<_> = entries.iter().filter_map(|e| e.stats.as_ref()).collect();
    let share = |control: bool, data: bool| {
        let n = stats
            .iter()
            .filter(|s| (s.control_independent, s.data_independent) == (control, data))
            .count();
        format!("{n} ({})", percent(n, stats.len()))
    };
    println!(
        "of {} kernels analysed: CIDI {}, CIDD {}, CDDI {}, CDDD {}; {} kernels have something not modelled",
        stats.len(),
        share(true, true),
        share(true, false),
        share(false, true),
        share(false, false),
        entries.len() - stats.len()
    );
    let (mut arithmetic, mut shared, mut queries, mut timeouts, mut seconds) = (0, 0, 0, 0, 0.0);
    for s in stats {
        arithmetic += s.by_arithmetic;
        shared += s.shared;
        queries += s.queries;
        timeouts += s.timeouts;
        seconds += s.solver_seconds;
    }
    let pairs = arithmetic + shared + queries;
    println!(
        "pairs: {pairs}; decided by arithmetic {arithmetic} ({}), asked before {shared} ({}), solver {queries} ({}), of which {timeouts} without an answer; solver {seconds:.1} s",
        percent(arithmetic as usize, pairs as usize),
        percent(shared as usize, pairs as usize),
        percent(queries as usize, pairs as usize),
    );
}

fn times(files: &[(&Job, &Judged)]) {
    let compiled: Vec<_> =
        files.iter().filter(|(_, j)| !matches!(j.outcome, Outcome::NotCompiled(_))).collect();
    let seconds = |of: fn(&Judged) -> f64| compiled.iter().map(|(_, j)| of(j)).collect::<Vec<_>>();
    for (text, values) in [
        ("prover alone", seconds(|j| j.prove_seconds)),
        ("with clang", seconds(|j| j.front_seconds + j.prove_seconds)),
    ] {
        println!(
            "seconds a file, {text}: median {:.3}, mean {:.3}, most {:.3}",
            median(&values),
            values.iter().sum::<f64>() / values.len().max(1) as f64,
            values.iter().copied().fold(0.0, f64::max)
        );
    }
    let mut slow = compiled;
    slow.sort_by(|a, b| b.1.prove_seconds.total_cmp(&a.1.prove_seconds));
    for (job, judged) in slow.iter().take(10) {
        println!(
            "  slow: {:.2} s + clang {:.2} s, {}: {}",
            judged.prove_seconds,
            judged.front_seconds,
            COLUMNS[column(&judged.outcome)],
            named(job)
        );
    }
}

fn named(job: &Job) -> String {
    match job.macro_name {
        Some(m) => format!("{} -D{m}", job.name),
        None => job.name.clone(),
    }
}

/// Everything that contradicts a head, then what is not settled.
fn listed(files: &[(&Job, &Judged)]) {
    let lines = |title: &str, wanted: &dyn Fn(&Job, &Judged) -> bool, say: Say| {
        let of: Vec<_> = files.iter().filter(|(job, judged)| wanted(job, judged)).collect();
        println!("{title}: {}", of.len());
        for (job, judged) in of {
            println!("  {}: {}", named(job), say(job, judged));
        }
    };
    lines(
        "soundness suspects (a defect is expected, yet races and divergence are proved absent)",
        &|job, judged| expected(job) == Expect::Defect && judged.outcome == Outcome::Proved,
        &|job, judged| {
            let proofs: Vec<String> = judged.entries.iter().map(|e| e.details.join("; ")).collect();
            let hint = defect_named(&job.head, &job.text, &judged.args);
            format!("{hint} [{}]", proofs.join(" | "))
        },
    );
    lines(
        "pass, with a confirmed alarm that is not benign",
        &|job, judged| expected(job) == Expect::Pass && judged.outcome == Outcome::Confirmed,
        &|_, judged| {
            judged
                .entries
                .iter()
                .flat_map(|e| &e.confirmed)
                .map(|a| a.text.as_str())
                .collect::<Vec<_>>()
                .join("; ")
        },
    );
    let open = |judged: &Judged| {
        matches!(judged.outcome, Outcome::Possible | Outcome::Unknown(_) | Outcome::Conditional)
    };
    let details: Say = &|_, judged| {
        let worst = judged.entries.iter().find(|e| e.outcome == judged.outcome);
        let text = match (&judged.outcome, worst) {
            (Outcome::Unknown(why), _) => why.clone(),
            (_, Some(e)) => {
                let alarms = e.details.iter().filter(|d| !d.contains(" proved"));
                let alarms: Vec<&str> =
                    alarms.filter(|d| !d.contains(" unknown: ")).map(String::as_str).collect();
                let more = match alarms.len() {
                    0 | 1 => String::new(),
                    n => format!(" and {} more", n - 1),
                };
                format!("{}{more}", alarms.first().unwrap_or(&""))
            }
            (_, None) => String::new(),
        };
        format!("{}: {}", COLUMNS[column(&judged.outcome)], without_folders(&text))
    };
    lines(
        "pass, not settled",
        &|job, judged| expected(job) == Expect::Pass && open(judged),
        details,
    );
    lines(
        "defect expected, not settled or benign",
        &|job, judged| {
            expected(job) == Expect::Defect && (open(judged) || judged.outcome == Outcome::Benign)
        },
        details,
    );
}

type Say<'a> = &'a dyn Fn(&Job, &Judged) -> String;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_outcome_has_its_column() {
        let unknown = Outcome::Unknown(String::new());
        assert_eq!(COLUMNS[column(&unknown)], "unknown");
        assert_eq!(COLUMNS[column(&Outcome::NotCompiled(String::new()))], "not compiled");
        assert_eq!(COLUMNS[column(&Outcome::Confirmed)], "confirmed");
    }

    #[test]
    fn shares() {
        assert_eq!(percent(1, 8), "12.5%");
        assert_eq!(percent(0, 0), "0.0%");
    }
}
