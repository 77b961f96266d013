//! Agreement with the litmus tests of a checkout of Dat3M: `cargo run -p lockstep-weak --example litmus -- DIR [--all]`.
//! With `--all`, every test with its time.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use lockstep_weak::Limits;
use lockstep_weak::litmus::corpus::{Outcome, Table};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(root) = arguments.next().map(PathBuf::from) else {
        eprintln!("usage: litmus DIR [--all]");
        return ExitCode::from(2);
    };
    let all = arguments.next().as_deref() == Some("--all");
    let mut agreed = true;
    for table in Table::ALL {
        let rows = match table.run(&root, Limits { judgements: 10_000_000, ..Limits::default() }) {
            Ok(rows) => rows,
            Err(error) => {
                eprintln!("{}: {error}", table.name);
                return ExitCode::from(2);
            }
        };
        for row in &rows {
            let milliseconds = row.time.as_secs_f64() * 1e3;
            if row.differs() {
                agreed = false;
                println!(
                    "  differs: {}, expected {}, got {:?}",
                    row.path, row.expected, row.outcome
                );
            } else if all {
                let judgements = match &row.outcome {
                    Outcome::Decided(_, summary) => summary.judgements.to_string(),
                    Outcome::LeftOut(what) => format!("left out: {what}"),
                    Outcome::Unreadable(why) => why.clone(),
                };
                println!("  {milliseconds:8.3} ms  {judgements:>8}  {}", row.path);
            }
        }
        let agree = rows.iter().filter(|row| row.agrees()).count();
        let differ = rows.iter().filter(|row| row.differs()).count();
        let mut times: Vec<Duration> =
            rows.iter().filter(|row| row.agrees()).map(|row| row.time).collect();
        times.sort_unstable();
        let median = times.get(times.len() / 2).copied().unwrap_or_default().as_secs_f64() * 1e3;
        let slowest = times.last().copied().unwrap_or_default().as_secs_f64() * 1e3;
        println!(
            "{}: {} tests, {agree} agree, {differ} differ, {} left out; median {median:.2} ms, slowest {slowest:.2} ms",
            table.name,
            rows.len(),
            rows.len() - agree - differ,
        );
    }
    if agreed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
