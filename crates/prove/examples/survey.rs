//! Proves every kernel of the files given, one line each: verdicts, time, and what stands in the way.
//!
//!     survey [--any] [--lockstep] FILE [BLOCK GRID [-DX …]] ; further files on standard input, one a line

use std::io::BufRead;
use std::path::Path;
use std::time::{Duration, Instant};

use lockstep_finding::{Condition, Kind, Origin, Verdict};
use lockstep_frontend::{Input, Options, load};
use lockstep_kernel::Scheduling;
use lockstep_prove::{Assumptions, Config, DimSpec, prove};

fn dims(text: &str) -> [DimSpec; 3] {
    let mut out = [DimSpec::Exactly(1); 3];
    if text == "any" {
        return [DimSpec::Any; 3];
    }
    for (i, part) in text.split(',').take(3).enumerate() {
        out[i] = part.trim().parse().map_or(DimSpec::Any, DimSpec::Exactly);
    }
    out
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let flag = |name: &str| args.iter().any(|a| a == name);
    let (any, lockstep, verbose) = (flag("--any"), flag("--lockstep"), flag("-v"));
    let rest: Vec<String> = args
        .iter()
        .filter(|a| !matches!(a.as_str(), "--any" | "--lockstep" | "-v"))
        .cloned()
        .collect();
    let lines: Vec<Vec<String>> = if rest.is_empty() {
        std::io::stdin()
            .lock()
            .lines()
            .map_while(Result::ok)
            .map(|l| l.split_whitespace().map(str::to_owned).collect())
            .collect()
    } else {
        vec![rest]
    };
    for words in lines {
        if let Some(file) = words.first() {
            one(file, &words[1..], any, lockstep, verbose);
        }
    }
}

fn one(file: &str, words: &[String], any: bool, lockstep: bool, verbose: bool) {
    let started = Instant::now();
    let flags: Vec<String> = words.iter().filter(|w| w.starts_with('-')).cloned().collect();
    let given: Vec<&String> = words.iter().filter(|w| !w.starts_with('-')).collect();
    let clang_args = flags.iter().map(Into::into).collect();
    let options = Options { clang_args, ..Options::default() };
    let module = match load(Input::Path(Path::new(file)), &options) {
        Ok(m) => m,
        Err(e) => {
            println!(
                "{file}{}\t-\terror\t{}",
                flags.join(""),
                e.to_string().lines().next().unwrap_or("")
            );
            return;
        }
    };
    let front = started.elapsed();
    let exact = |d: Option<[u32; 3]>| d.map_or([DimSpec::Any; 3], |d| d.map(DimSpec::Exactly));
    for kernel in &module.kernels {
        let mut assumptions = Assumptions::default();
        if !any {
            let block = given.first().map_or(exact(module.head.block), |d| dims(d));
            let grid = given.get(1).map_or(exact(module.head.grid), |d| dims(d));
            assumptions = Assumptions::of_dims(grid, block, Origin::Annotation);
        }
        for (name, values) in &module.head.kernel_args {
            if *name != kernel.name && *name != kernel.mangled {
                continue;
            }
            let scalars = kernel
                .params
                .iter()
                .enumerate()
                .filter(|(_, p)| matches!(p.kind, lockstep_kernel::ParamKind::Scalar { .. }));
            for ((i, _), v) in scalars.zip(values) {
                if let Some(v) = v {
                    assumptions.scalar(kernel, i, vec![*v], Origin::Annotation);
                }
            }
        }
        if lockstep {
            assumptions.scheduling = Scheduling::Lockstep;
        }
        let config = Config {
            kinds: vec![Kind::DataRace, Kind::BarrierDivergence, Kind::OutOfBounds],
            budget: Duration::from_secs(6),
            work: 2000,
            jobs: 2,
            ..Config::default()
        };
        let proof = prove(kernel, &assumptions, &config);
        let text = |v: &Verdict| match v {
            Verdict::Proved { assumes } if assumes.is_empty() => "proved".to_owned(),
            Verdict::Proved { assumes } => format!("proved[{}]", Condition::line(assumes)),
            Verdict::Unknown { because } => format!("unknown({because})"),
            v => v.name().to_owned(),
        };
        let all: Vec<String> =
            proof.verdicts.iter().map(|(k, v)| format!("{k}={}", text(v))).collect();
        let s = &proof.stats;
        println!(
            "{file}{}\t{}\t{}\t{:.3}s+{:.3}s q={} a={} t={}",
            flags.join(""),
            kernel.name,
            all.join("\t"),
            front.as_secs_f64(),
            s.seconds,
            s.queries,
            s.by_arithmetic,
            s.timeouts
        );
        if verbose {
            for a in &proof.alarms {
                println!("    {:?}", a.finding);
                println!("    {:?}", a.model);
            }
        }
    }
}
