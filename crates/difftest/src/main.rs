//! Runs single cases by hand, to look into a difference that the tests reported.
//!
//! ```text
//! difftest [--pocl-only] [--print] FILE.cl…     cases from files
//! difftest [--pocl-only] [--print] --seed N [--count N]
//! ```
//!
//! `--pocl-only` runs each case twice on PoCL, optimised and not, and compares the two, to see that
//! it is valid and deterministic. `--print` shows the source first.

use std::path::Path;
use std::process::ExitCode;

use lockstep_difftest::opencl::{Device, UNOPTIMISED};
use lockstep_difftest::simulator::Simulator;
use lockstep_difftest::{Agreement, Case, check, compare, generate};

fn main() -> ExitCode {
    match run() {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("difftest: {why}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<usize, String> {
    let (mut pocl_only, mut print) = (false, false);
    let (mut seed, mut count) = (None, 1);
    let mut cases = Vec::new();
    let mut args = std::env::args().skip(1);
    let number = |text: Option<String>| -> Result<u64, String> {
        text.and_then(|t| t.parse().ok()).ok_or_else(|| "a number is missing".to_string())
    };
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--pocl-only" => pocl_only = true,
            "--print" => print = true,
            "--seed" => seed = Some(number(args.next())?),
            "--count" => count = number(args.next())?,
            path => cases.push(Case::load(Path::new(path))?),
        }
    }
    if let Some(seed) = seed {
        cases.extend((seed..seed + count).map(generate::generate));
    }
    let device = Device::pocl()?;
    let simulator = if pocl_only { None } else { Some(Simulator::find()?) };
    let mut failed = 0;
    for case in &cases {
        if print {
            println!("{}", case.source);
        }
        let result = match &simulator {
            Some(simulator) => check(case, &device, simulator),
            None => twice(case, &device).map(|()| Agreement::Full),
        };
        match result {
            Ok(Agreement::Full) => println!("{}: ok", case.name),
            Ok(Agreement::Unoptimised(why)) => {
                println!("{}: ok with unoptimised PoCL only: {why}", case.name);
            }
            Err(why) => {
                failed += 1;
                println!("{}: {why}", case.name);
            }
        }
    }
    println!("{} of {} cases agree", cases.len() - failed, cases.len());
    Ok(failed)
}

fn twice(case: &Case, device: &Device) -> Result<(), String> {
    let inputs = case.inputs();
    let first = device.run(case, &inputs)?;
    let second = device.run_with(case, &inputs, UNOPTIMISED)?;
    compare::buffers(case, &first, &second)
}
