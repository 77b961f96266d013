//! `lockstep check`: every kernel of every file, simulated once.
//!
//! Where values had to be chosen, the launch is repeated with larger arrays as
//! long as only our own sizes are exceeded (see [`crate::choose`]).

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use lockstep_finding::source::Sources;
use lockstep_finding::{
    ArgValue, Confidence, Finding, InputError, KernelReport, Kind, Launch, Report,
};
use lockstep_kernel::Kernel;
use lockstep_simulate::Outcome;

use crate::choose::{Chosen, RETRIES};
use crate::dims::{self, Dims};
use crate::launch_facts::{FileFacts, assumptions_hold};
use crate::load::{self, Source, error};
use crate::options::{Analysis, CheckArgs};
use crate::progress::Progress;
use crate::simulation::{self, Simulated};

const DEFAULT_BUDGET: f64 = 10.0;

pub(crate) fn check(args: &CheckArgs, sources: &mut Sources) -> Report {
    let given = match args.analysis.launch.parsed_args() {
        Ok(given) => given,
        Err(message) => {
            return Report { errors: vec![error("", message)], ..Report::default() };
        }
    };
    let mut opened = Vec::new();
    for path in &args.files {
        let source = Source::open(path);
        if let Ok(source) = &source {
            source.remember(sources);
        }
        opened.push(source);
    }
    let workers = simulation::jobs(&args.analysis).min(opened.len()).max(1);
    let progress = Progress::new(opened.len());
    let task = Task { analysis: &args.analysis, given: &given, workers, progress: &progress };
    let parts = in_order(workers, &opened, |source| match source {
        Ok(source) => task.file(source),
        Err(e) => Part {
            report: Report { errors: vec![e.clone()], ..Report::default() },
            ..Part::default()
        },
    });
    progress.finish();
    merge(parts, &args.analysis.input.kernel)
}

/// What one file gave.
#[derive(Default)]
struct Part {
    report: Report,
    /// Kernels the file has, and which of `--kernel` named one of them.
    has: Vec<String>,
    matched: Vec<String>,
}

/// Joins the parts; a `--kernel` that named nothing in any file is an error.
fn merge(parts: Vec<Part>, wanted: &[String]) -> Report {
    let mut report = Report::default();
    let (mut has, mut matched) = (Vec::new(), Vec::new());
    for part in parts {
        report.kernels.extend(part.report.kernels);
        report.errors.extend(part.report.errors);
        has.extend(part.has);
        matched.extend(part.matched);
    }
    for name in wanted.iter().filter(|n| !matched.contains(n)) {
        if !has.is_empty() {
            report
                .errors
                .push(error("", format!("no kernel '{name}'; there are {}", has.join(", "))));
        }
    }
    report
}

/// Applies `f` to each item on so many threads; results in the items' order.
fn in_order<T: Sync, R: Send>(workers: usize, items: &[T], f: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some((i, item)) = next_item(&next, items) {
                    let result = f(item);
                    results.lock().unwrap_or_else(|e| e.into_inner()).push((i, result));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(|e| e.into_inner());
    results.sort_by_key(|(i, _)| *i);
    results.into_iter().map(|(_, r)| r).collect()
}

fn next_item<'a, T>(next: &AtomicUsize, items: &'a [T]) -> Option<(usize, &'a T)> {
    let i = next.fetch_add(1, Ordering::Relaxed);
    Some((i, items.get(i)?))
}

struct Task<'a> {
    analysis: &'a Analysis,
    given: &'a [(String, ArgValue)],
    workers: usize,
    progress: &'a Progress,
}

impl Task<'_> {
    fn file(&self, source: &Source) -> Part {
        self.progress.start(&source.name);
        let part = self.file_part(source);
        self.progress.done();
        part
    }

    fn file_part(&self, source: &Source) -> Part {
        let mut part = Part::default();
        let module = match source.load(&self.analysis.input) {
            Ok(module) => module,
            Err(e) => {
                part.report.errors.push(e);
                return part;
            }
        };
        if self.analysis.input.verbose {
            module.warnings.iter().for_each(|w| eprintln!("{w}"));
        }
        let names = &self.analysis.input.kernel;
        part.has = module.kernels.iter().map(|k| k.name.clone()).collect();
        part.matched = names
            .iter()
            .filter(|n| module.kernels.iter().any(|k| load::is_named(k, n)))
            .cloned()
            .collect();
        let facts = FileFacts::new(source, &module, &self.analysis.input);
        for kernel in load::select(&module.kernels, names) {
            match self.kernel(kernel, source, &facts) {
                Ok(report) => part.report.kernels.push(report),
                Err(e) => part.report.errors.push(e),
            }
        }
        part
    }

    fn kernel(
        &self,
        kernel: &Kernel,
        source: &Source,
        facts: &FileFacts,
    ) -> Result<KernelReport, InputError> {
        let started = Instant::now();
        let fail =
            |message: String| error(&source.name, format!("kernel {}: {message}", kernel.name));
        let config = simulation::config(self.analysis, DEFAULT_BUDGET, self.workers);
        let args = &self.analysis.launch;
        let (grid, block) = facts.dims(kernel, args);
        let dims = Dims::or_default(grid, block, kernel);
        dims.validate(kernel.language).map_err(fail)?;
        let shared = facts.shared(kernel, args, &dims);
        let mut given = self.given.to_vec();
        given.extend(facts.source_args(kernel, &given, &dims).map_err(fail)?);
        let launch = Launch {
            grid: dims.grid,
            block: dims.block,
            shared: shared.unwrap_or(0),
            args: given,
            seed: args.seed,
        };
        let chosen = Chosen::new(kernel, &launch, &dims, shared.is_some()).map_err(fail)?;
        let Some(chosen) = self.assumed(kernel, chosen).map_err(fail)? else {
            let because = "no argument values were found that satisfy --assume";
            return Ok(simulation::unknown_report(kernel, &source.name, &config.kinds, because));
        };
        let run = |launch: &Launch| simulation::execute(kernel, launch, &config);
        let mut trial = try_launch(kernel, chosen, &dims, &run).map_err(fail)?;
        for v in ORDINARY_INTEGERS {
            if trial.outcome.violated.is_none() || trial.chosen.args.is_empty() {
                break;
            }
            let other = trial.chosen.with_integers(kernel, v);
            if assumptions_hold(&args.assume, &other.launch).map_err(fail)?.is_ok() {
                trial = try_launch(kernel, other, &dims, &run).map_err(fail)?;
            }
        }
        if self.analysis.input.verbose {
            eprintln!(
                "{}: kernel {}: {}",
                source.name,
                kernel.name,
                simulation::stats_text(&trial.outcome.stats)
            );
        }
        let simulated = Simulated {
            kernel,
            file: &source.name,
            launch: trial.chosen.launch,
            // What it prints for arguments of our own choice is of no interest.
            outcome: Outcome { printed: String::new(), ..trial.outcome },
            doubts: trial.doubts,
            outputs: Vec::new(),
            started,
        };
        Ok(simulated.report(&config, self.analysis.report.strict))
    }

    /// The choice itself, or another that `--assume` allows; `None` if none was found.
    fn assumed(&self, kernel: &Kernel, chosen: Chosen) -> Result<Option<Chosen>, String> {
        let exprs = &self.analysis.launch.assume;
        let allows = |c: &Chosen| assumptions_hold(exprs, &c.launch).map(|r| r.is_ok());
        if allows(&chosen)? {
            return Ok(Some(chosen));
        }
        if chosen.args.is_empty() {
            assumptions_hold(exprs, &chosen.launch)??;
        }
        for v in ORDINARY_INTEGERS {
            let other = chosen.with_integers(kernel, v);
            if allows(&other)? {
                return Ok(Some(other));
            }
        }
        Ok(None)
    }
}

/// Values for integer arguments that a precondition is likely to allow.
const ORDINARY_INTEGERS: [u64; 16] =
    [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 0, 3, 7, 31, 100];

struct Trial {
    chosen: Chosen,
    outcome: Outcome,
    doubts: Vec<(Kind, String)>,
}

/// Simulates, with larger arrays while only our own sizes were too small, and
/// drops the findings that a choice of ours may have caused.
fn try_launch(
    kernel: &Kernel,
    mut chosen: Chosen,
    dims: &Dims,
    execute: &dyn Fn(&Launch) -> Result<Outcome, String>,
) -> Result<Trial, String> {
    let mut outcome = execute(&chosen.launch)?;
    for _ in 0..RETRIES {
        // A launch that used up its budget will do so again.
        if outcome.incomplete.is_some() || !chosen.grow(&outcome.findings, kernel) {
            break;
        }
        outcome = execute(&chosen.launch)?;
    }
    let persistent = persistent_overflows(kernel, &chosen, &outcome, execute)?;
    let mut doubts = Vec::new();
    outcome.findings.retain(|f| {
        let doubt = chosen.explains(f, kernel);
        let doubt = doubt.or_else(|| other_doubt(f, dims, persistent.as_deref()));
        let keep = doubt.is_none();
        doubts.extend(doubt.map(|because| (f.kind, because)));
        keep
    });
    // These may rest on values that we chose otherwise than a caller would.
    if chosen.has_scalars(kernel) {
        let rests = |f: &&mut Finding| matches!(f.kind, Kind::Assertion | Kind::OutOfBounds);
        for f in outcome.findings.iter_mut().filter(rests) {
            f.confidence = Confidence::Possible;
            doubts.push((f.kind, "the arguments were chosen by Lockstep".into()));
        }
    }
    Ok(Trial { chosen, outcome, doubts })
}

/// The out-of-bounds findings that remain where chosen index arrays are zero;
/// `None` where the question does not arise.
fn persistent_overflows(
    kernel: &Kernel,
    chosen: &Chosen,
    outcome: &Outcome,
    execute: &dyn Fn(&Launch) -> Result<Outcome, String>,
) -> Result<Option<Vec<Finding>>, String> {
    let suspect = |f: &Finding| f.kind == Kind::OutOfBounds && chosen.explains(f, kernel).is_none();
    if !outcome.findings.iter().any(suspect) {
        return Ok(None);
    }
    let Some(zeros) = chosen.with_zeros() else {
        return Ok(None);
    };
    let mut findings = execute(&zeros.launch)?.findings;
    findings.retain(|f| f.kind == Kind::OutOfBounds);
    Ok(Some(findings))
}

fn other_doubt(finding: &Finding, dims: &Dims, persistent: Option<&[Finding]>) -> Option<String> {
    if finding.kind != Kind::OutOfBounds {
        return None;
    }
    if dims.block_from == dims::From::Default || dims.grid_from == dims::From::Default {
        return Some("the dimensions of the launch were chosen by Lockstep".into());
    }
    let place = |f: &Finding| f.accesses.first().map(|a| a.place.clone());
    let gone = persistent.is_some_and(|p| !p.iter().any(|f| place(f) == place(finding)));
    gone.then(|| "the contents of arrays were chosen by Lockstep".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bind::tests::reduce;
    use crate::choose::tests::overflow;

    #[test]
    fn results_keep_their_order() {
        let items: Vec<u64> = (0..100).collect();
        let doubled: Vec<u64> = items.iter().map(|i| i * 2).collect();
        assert_eq!(in_order(4, &items, |&i| i * 2), doubled);
        assert!(in_order(4, &[] as &[u64], |&i| i).is_empty());
    }

    /// A kernel that needs so many bytes of `in`, whatever else.
    fn trial(needs: u64, from: dims::From, also: Option<Finding>) -> Trial {
        let dims = Dims { grid: [1; 3], block: [64, 1, 1], grid_from: from, block_from: from };
        let given = Launch { block: dims.block, ..Launch::default() };
        let chosen = Chosen::new(&reduce(), &given, &dims, false).unwrap();
        let execute = |launch: &Launch| {
            let mut outcome = Outcome::default();
            let ArgValue::Array(array) = &launch.args[0].1 else { panic!("an array") };
            if array.bytes() < needs {
                let end = array.bytes() as i64;
                outcome.findings.push(overflow("in", [end, end + 4]));
            }
            outcome.findings.extend(also.clone());
            Ok(outcome)
        };
        try_launch(&reduce(), chosen, &dims, &execute).unwrap()
    }

    #[test]
    fn arrays_grow_until_they_fit() {
        let good = trial(1 << 24, dims::From::CommandLine, None);
        assert!(good.outcome.findings.is_empty() && good.doubts.is_empty());
        let never = trial(1 << 40, dims::From::CommandLine, None);
        assert!(never.outcome.findings.is_empty());
        let because = "the size of 'in' was chosen by Lockstep".to_owned();
        assert_eq!(never.doubts, [(Kind::OutOfBounds, because)]);
    }

    #[test]
    fn overflows_of_other_memory_count_where_the_dimensions_are_given() {
        let shared = || Some(overflow("s", [256, 260]));
        let given = trial(0, dims::From::CommandLine, shared());
        assert_eq!(given.outcome.findings.len(), 1);
        let guessed = trial(0, dims::From::Default, shared());
        assert!(guessed.outcome.findings.is_empty());
        assert_eq!(guessed.doubts.len(), 1);
    }
}
