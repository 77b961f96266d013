//! How long it takes to decide where fences belong: [`examine`] on each row of table IV of the paper on Bugaroo, and on each
//! kernel of `crates/fences/tests`, right and with each of its faults.
//!
//! The time of clang is not in it. One thread works; of three times the best counts, of one where that takes over a second.
//! A kernel that is underfenced takes longest: where the fences belong is part of the answer, and was tried.

use std::time::Instant;

use lockstep_fences::{Answer, Launch, Limits, examine};
use lockstep_kernel::Kernel;

use crate::rows::{
    PATTERNS, Published, READERS_WITHOUT_FENCE, ROWS, Row, TABLE_IV, class, kernel, launch,
    pattern_rows,
};
use crate::{Bench, median};

/// Seconds that the median is to stay below.
const GOAL: f64 = 1.0;

pub(crate) fn run(bench: &Bench) -> Result<(), String> {
    println!("table IV of the paper on Bugaroo, and the same without the fences of who reads:");
    println!(
        "  program        version                paper, 100% buffered     decided here         time"
    );
    let rows = TABLE_IV.iter().chain(&READERS_WITHOUT_FENCE);
    let mut seconds: Vec<f64> = rows.map(|row| published(bench, row)).collect();
    summary("table IV", &seconds);

    println!(
        "kernels of crates/fences/tests, right and with a fence missing, too narrow, too wide, too many:"
    );
    let patterns = pattern_rows();
    for (file, name, _) in PATTERNS {
        let own = patterns.iter().filter(|row| (row.0, row.1) == (*file, *name));
        let times: Vec<f64> =
            own.take(if bench.quick { 1 } else { 8 }).map(|r| time(bench, r)).collect();
        let slowest = times.iter().copied().fold(0.0, f64::max);
        println!(
            "  {name:<16} right {:>8.1} ms, median {:>8.1} ms, slowest {:>8.1} ms",
            1e3 * times[0],
            1e3 * median(&times),
            1e3 * slowest
        );
        seconds.extend(times);
    }
    let step = if bench.quick { 8 } else { 1 };
    seconds.extend(ROWS.iter().step_by(step).map(|row| time(bench, row)));
    summary("all of these and the rest", &seconds);
    Ok(())
}

fn summary(title: &str, seconds: &[f64]) {
    let below = seconds.iter().filter(|s| **s < GOAL).count();
    println!(
        "{title}: {} answers, median {:.1} ms, slowest {:.1} ms; {below} in less than {GOAL} s",
        seconds.len(),
        1e3 * median(seconds),
        1e3 * seconds.iter().copied().fold(0.0, f64::max)
    );
}

fn published(bench: &Bench, row: &Published) -> f64 {
    let kernel = kernel("published.cu", row.kernel, row.defines);
    let launches: Vec<Launch> = row.launches.iter().map(|&at| launch(&kernel, at)).collect();
    let (answer, seconds) = timed(bench, &kernel, &launches);
    let class = class(&answer);
    let decided = class.map_or("undecided".to_string(), |class| format!("{class:?}"));
    let unexpected = if class == Some(row.model) { "" } else { "  unexpected" };
    let paper = format!("{:?}, {} fail", row.paper, row.failures[0]);
    println!(
        "  {:<14} {:<22} {paper:<24} {decided:<12} {:>10.1} ms{unexpected}",
        row.program,
        row.version,
        1e3 * seconds
    );
    seconds
}

fn time(bench: &Bench, &(file, name, launches, defines, _): &Row) -> f64 {
    let kernel = kernel(file, name, defines);
    let launches: Vec<Launch> = launches.iter().map(|&at| launch(&kernel, at)).collect();
    timed(bench, &kernel, &launches).1
}

fn timed(bench: &Bench, kernel: &Kernel, launches: &[Launch]) -> (Answer, f64) {
    let once = || {
        let begin = Instant::now();
        let answer = examine(kernel, launches, &Limits::default());
        (answer, begin.elapsed().as_secs_f64())
    };
    let (answer, mut best) = once();
    if best < 1.0 && !bench.quick {
        best = best.min(once().1).min(once().1);
    }
    (answer, best)
}
