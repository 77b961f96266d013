//! Table IV of the paper on Bugaroo (Islam and Muzahid), decided by the memory model: `cargo test --workspace --test fences --
//! published --nocapture` prints it beside the paper's figures.
//!
//! The paper runs each program a thousand times while stores are delayed by chance. Here all executions of a small launch are
//! explored, once: a failure is found, however rare, and that there is none is known of the launch.
//!
//! Where the classes differ, it is because the paper's experiments delay stores and never loads. A lock without a fence on
//! entry is such a case: a plain read behind the lock may be satisfied before the lock is taken, as PTX allows, and so read
//! what was there before the last unlock. The paper calls that fence unnecessary.

use lockstep_fences::{Limits, examine};
use lockstep_simulate::{BoundArg, BoundLaunch, Config, simulate};

use crate::rows::{
    Published, READERS_WITHOUT_FENCE, TABLE_IV, bytes, class, contents, kernel, launch,
};

/// What is not as expected.
fn decide(rows: &[Published]) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut program = "";
    for row in rows {
        let kernel = kernel("published.cu", row.kernel, row.defines);
        let launches: Vec<_> = row.launches.iter().map(|&at| launch(&kernel, at)).collect();
        let answer = examine(&kernel, &launches, &Limits::default());
        let executions: u64 = answer.launches.iter().flatten().map(|e| e.executions).sum();
        let class = class(&answer);
        let shown = class.map_or("undecided".to_string(), |class| format!("{class:?}"));
        let failures = row.failures.map(|p| format!("{p:>6}")).concat();
        let differs = if class == Some(row.paper) { "" } else { "  differs" };
        println!(
            "{:<14} {:<21}{failures}  {:<12} {shown:<12} {executions:>5}{differs}",
            if program == row.program { "" } else { row.program },
            row.version,
            format!("{:?}", row.paper),
        );
        program = row.program;
        if class != Some(row.model) {
            wrong.push(format!("{} {}: {shown}, not {:?}", row.program, row.version, row.model));
        }
    }
    wrong
}

#[test]
fn table_iv_is_decided() {
    println!("                                     failures of runs, by stores buffered");
    println!(
        "{:<14} {:<21}{:>6}{:>6}{:>6}{:>6}  {:<12} {:<12} executions",
        "program", "version", "100%", "75%", "50%", "25%", "paper", "PTX model"
    );
    let mut wrong = decide(&TABLE_IV);
    println!("\nthe same where who reads has no fence, as published:");
    wrong.extend(decide(&READERS_WITHOUT_FENCE));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn float(name: &str, i: usize) -> f32 {
    f32::from_bits(contents(name)[i])
}

/// What a processor computes: a value for each of the first elements of an array.
fn reference(kernel: &str) -> (&'static str, Vec<u32>) {
    let input = |i: usize| contents("in")[i];
    let distance = |i: usize, of: &str, c: usize| -> f32 {
        (0..2).map(|d| (float("points", 2 * i + d) - float(of, 2 * c + d)).powi(2)).sum()
    };
    match kernel {
        "dot" => {
            let dot: f32 = (0..8).map(|i| float("x", i) * float("y", i)).sum();
            ("c", vec![dot.to_bits()])
        }
        "push" => ("out", (0..2).map(|i| input(i) + 1).collect()),
        "reduce" => ("out", vec![(0..4).map(|i| float("numbers", i)).sum::<f32>().to_bits()]),
        "scan" => ("out", (0..3).map(|t| (0..t).map(|i| input(i) + 1).sum()).collect()),
        "kmeans" => {
            let nearest = |i| u32::from(distance(i, "centres", 1) < distance(i, "centres", 0));
            ("nearest", (0..4).map(nearest).collect())
        }
        "streamcluster" => {
            let gain = |i| (float("cost", i) - distance(i, "centre", 0)).max(0.0);
            ("lower", (0..4).map(|i| gain(i).to_bits()).collect())
        }
        "hotspot" => {
            let mut now: Vec<f32> = (0..4).map(|i| float("heat", i)).collect();
            for _ in 0..2 {
                let flows = |i: usize| now[i] + 0.25 * (now[i ^ 1] - now[i]) + float("power", i);
                now = (0..4).map(flows).collect();
            }
            ("out", now.into_iter().map(f32::to_bits).collect())
        }
        _ => panic!("no reference for {kernel}"),
    }
}

/// The programs compute what they are for.
#[test]
fn published_programs_agree_with_the_processor() {
    for row in TABLE_IV.iter().filter(|row| row.defines.is_empty()) {
        let kernel = kernel("published.cu", row.kernel, "");
        let args = kernel.params.iter().map(|param| BoundArg::Buffer(bytes(&param.name).into()));
        let (grid, block) = row.launches[0];
        let (grid, block) = ([grid, 1, 1], [block, 1, 1]);
        let launch = BoundLaunch { grid, block, global: None, shared: 0, args: args.collect() };
        let outcome = simulate(&kernel, &launch, &Config::default()).expect("it can be executed");
        assert!(outcome.incomplete.is_none(), "{}: {:?}", row.kernel, outcome.incomplete);
        let (array, expected) = reference(row.kernel);
        let at = kernel.params.iter().position(|p| p.name == array).expect("it has the array");
        let words = outcome.buffers[at].1.chunks_exact(4).take(expected.len());
        let words: Vec<u32> =
            words.map(|w| u32::from_le_bytes(w.try_into().expect("four bytes"))).collect();
        assert_eq!(words, expected, "{} of {}", array, row.kernel);
    }
}
