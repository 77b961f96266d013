//! Does the cost grow linearly? Time for one lane step at three sizes, once with more threads, once
//! with more accesses by the same threads. Simulation alone, on one worker thread, best of three.

use lockstep_finding::Kind;

use crate::Bench;
use crate::launch::{Arg, Launch, floats};

fn launch(blocks: u32, reps: i32) -> Launch {
    Launch {
        file: "growth.cl",
        block: [128, 1, 1],
        grid: [blocks, 1, 1],
        args: vec![Arg::F32(floats(128 * blocks as usize)), Arg::Scalar(reps)],
    }
}

pub(crate) fn run(bench: &Bench) -> Result<(), String> {
    let scale = if bench.quick { 1 } else { 16 };
    let threads =
        [1, 8, 64].map(|k| (format!("{} threads", 128 * scale * k), launch(scale * k, 16)));
    let accesses = [1, 8, 64].map(|k| (format!("{} rounds", 16 * k), launch(scale, 16 * k)));
    for (title, sizes) in [("more threads", threads), ("more accesses", accesses)] {
        println!("{title}:");
        let mut first = None;
        for (name, launch) in sizes {
            let mut best = f64::INFINITY;
            let mut steps = 0;
            for _ in 0..3 {
                let (outcome, seconds) = launch.simulate(1, &Kind::ALL)?;
                best = best.min(seconds);
                steps = outcome.stats.lane_steps;
            }
            let each = best * 1e9 / steps.max(1) as f64;
            let base = *first.get_or_insert(each);
            println!(
                "  {name:>16}: {steps:>12} lane steps, {best:>8.3} s, {each:>6.2} ns each ({:.2} of the first)",
                each / base
            );
        }
    }
    Ok(())
}
