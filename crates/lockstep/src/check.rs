//! `lockstep check`, `search` and `prove`: every kernel of every file.
//!
//! What the command line and the source say of a launch is kept; for the prover the
//! rest may be anything, and the search chooses it. Where nothing is left to
//! choose, that is one launch. `check` asks the prover first and gives the models
//! of its alarms to the search, which tries them as launches.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use lockstep_finding::source::Sources;
use lockstep_finding::{ArgValue, InputError, KernelReport, Kind, Launch, Report, Verdict};
use lockstep_kernel::{Kernel, Param, ParamKind};
use lockstep_prove::Proof;
use lockstep_search::{Alias, Given, Searched, Settings, search};
use lockstep_simulate::{Config, bind};

use crate::dims::{Dims, From};
use crate::launch_facts::{FileFacts, assumptions_hold};
use crate::load::{self, Source, error};
use crate::options::{Analysis, Evolve};
use crate::progress::Progress;
use crate::proof;
use crate::simulation;

const DEFAULT_BUDGET: f64 = 10.0;

/// Which engines look at a kernel.
#[derive(Debug)]
pub(crate) enum Engines {
    /// The search alone.
    Search(Evolve),
    /// The prover alone.
    Prover { may_alias: bool },
    /// The prover first; its alarms and what it leaves open go to the search.
    All(Evolve),
}

/// The prover's part of the budget where the search follows.
const PROVER_SHARE: f64 = 0.3;
/// Seconds beyond which it has had its chance.
const PROVER_MOST: f64 = 2.0;
/// The most that one question to the solver may take of it.
const QUERY_SHARE: f64 = 0.1;

pub(crate) fn check(
    files: &[PathBuf],
    analysis: &Analysis,
    how: &Engines,
    sources: &mut Sources,
) -> Report {
    let given = match analysis.launch.parsed_args() {
        Ok(given) => given,
        Err(message) => {
            return Report { errors: vec![error("", message)], ..Report::default() };
        }
    };
    let mut opened = Vec::new();
    for path in files {
        let source = Source::open(path);
        if let Ok(source) = &source {
            source.remember(sources);
        }
        opened.push(source);
    }
    let workers = simulation::jobs(analysis).min(opened.len()).max(1);
    let progress = Progress::new(opened.len());
    let task = Task { analysis, how, given: &given, workers, progress: &progress };
    let parts = in_order(workers, &opened, |source| match source {
        Ok(source) => task.file(source),
        Err(e) => Part {
            report: Report { errors: vec![e.clone()], ..Report::default() },
            ..Part::default()
        },
    });
    progress.finish();
    merge(parts, &analysis.input.kernel)
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
    how: &'a Engines,
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
        let config = simulation::config(self.analysis, DEFAULT_BUDGET, self.workers, true);
        let kinds = config.kinds.clone();
        let given = self.given(kernel, facts).map_err(fail)?;
        let budget = self.analysis.search.budget.unwrap_or(DEFAULT_BUDGET);
        let proof = match self.how {
            Engines::Search(_) => None,
            Engines::Prover { may_alias } => {
                Some(self.prove(kernel, &given, *may_alias, &kinds, budget, false).map_err(fail)?)
            }
            Engines::All(how) => {
                let may_alias = how.alias == Alias::All;
                let budget = (budget * PROVER_SHARE).min(PROVER_MOST);
                Some(self.prove(kernel, &given, may_alias, &kinds, budget, true).map_err(fail)?)
            }
        };
        let how = match self.how {
            Engines::Search(how) | Engines::All(how) => how,
            Engines::Prover { .. } => {
                let mut proof = proof;
                if let Some(proof) = proof.as_mut().filter(|p| proof::has_confirmed(p)) {
                    // What is called confirmed has been seen.
                    let how = Evolve { population: 0, generations: 0, ..Evolve::default() };
                    let seen = self.search(kernel, source, &given, &how, config, Some(proof));
                    proof::keep_confirmed(proof, &seen.map_or(Vec::new(), |s| s.findings));
                }
                return Ok(self.proved(kernel, source, proof, &kinds, started));
            }
        };
        let searched =
            self.search(kernel, source, &given, how, config, proof.as_ref()).map_err(fail)?;
        let dynamic = kernel.objects.iter().any(|o| o.dynamic);
        if searched.nothing_allowed && given.is_complete(dynamic) {
            return Err(fail("the launch does not satisfy the preconditions".into()));
        }
        let strict = self.analysis.report.strict;
        let mut report = if searched.nothing_allowed {
            let because = "no launch was found that satisfies the preconditions";
            simulation::unknown_report(kernel, &source.name, &kinds, because)
        } else {
            simulation::searched_report(kernel, &source.name, searched, &kinds, strict, started)
        };
        if let Some(proof) = proof {
            proof::join(proof, &mut report.findings, &mut report.verdicts, strict);
        }
        Ok(report)
    }

    fn proved(
        &self,
        kernel: &Kernel,
        source: &Source,
        proof: Option<Proof>,
        kinds: &[Kind],
        started: Instant,
    ) -> KernelReport {
        let asked = !self.analysis.search.only.is_empty();
        let kinds: Vec<Kind> =
            kinds.iter().copied().filter(|k| asked || proof::PROVABLE.contains(k)).collect();
        let strict = self.analysis.report.strict;
        simulation::proved_report(kernel, &source.name, proof, &kinds, strict, started)
    }

    fn prove(
        &self,
        kernel: &Kernel,
        given: &Given,
        may_alias: bool,
        kinds: &[Kind],
        budget: f64,
        usual: bool,
    ) -> Result<Proof, String> {
        let args = &self.analysis.launch;
        // What is wrong with an assumption does not hang on the launch.
        assumptions_hold(&args.assume, &named_launch(kernel))?.ok();
        let mut assumptions = proof::assumptions(kernel, given, args, may_alias);
        proof::assume_given(kernel, &args.assume, &mut assumptions, usual)?;
        let named = match usual {
            true => proof::assume_usual(kernel, &mut assumptions),
            false => Vec::new(),
        };
        let seconds = |s: f64| Duration::try_from_secs_f64(s).unwrap_or(Duration::MAX);
        let query = seconds(budget * QUERY_SHARE);
        let jobs = (simulation::jobs(self.analysis) / self.workers.max(1)).max(1);
        let mut proof = proof::run(kernel, &assumptions, kinds, seconds(budget), query, jobs);
        if !named.is_empty() {
            for (_, verdict) in &mut proof.verdicts {
                if let Verdict::Proved { assumes } = verdict {
                    assumes.push(named.join(" && "));
                }
            }
        }
        Ok(proof)
    }

    fn search(
        &self,
        kernel: &Kernel,
        source: &Source,
        given: &Given,
        how: &Evolve,
        config: Config,
        proof: Option<&Proof>,
    ) -> Result<Searched, String> {
        let assume = &self.analysis.launch.assume;
        // What is wrong with an assumption does not hang on the launch.
        assumptions_hold(assume, &named_launch(kernel))?.ok();
        let say = |text: &str| eprintln!("{}: kernel {}: {text}", source.name, kernel.name);
        let settings = Settings {
            population: how.population,
            generations: how.generations,
            accept: how.accept,
            seed: self.analysis.launch.seed,
            alias: how.alias,
            config,
            allowed: &|launch| matches!(assumptions_hold(assume, launch), Ok(Ok(()))),
            suggested: proof.map_or(Vec::new(), proof::suggestions),
            progress: &|p| self.progress.search(&kernel.name, p),
            log: if self.analysis.input.verbose { Some(&say) } else { None },
        };
        let searched = search(kernel, given, &settings)?;
        if self.analysis.input.verbose {
            for (finding, rule) in searched.findings.iter().zip(&searched.rules) {
                let line = finding.accesses.first().map_or(0, |a| a.place.line);
                say(&format!("{} at line {line}: found by {rule}", finding.kind));
            }
        }
        Ok(searched)
    }

    /// What the command line and the source fix of the launch.
    fn given(&self, kernel: &Kernel, facts: &FileFacts) -> Result<Given, String> {
        let args = &self.analysis.launch;
        let (grid, block) = facts.dims(kernel, args);
        let or_one = |d: Option<([u32; 3], From)>| d.unwrap_or(([1; 3], From::KernelBounds));
        let ((g, grid_from), (b, block_from)) = (or_one(grid), or_one(block));
        let dims = Dims { grid: g, block: b, grid_from, block_from };
        dims.validate(kernel.language)?;
        let mut values = self.given.to_vec();
        values.extend(facts.source_args(kernel, &values, &dims)?);
        Ok(Given {
            grid: grid.map(|g| g.0),
            block: block.map(|b| b.0),
            shared: facts.shared(kernel, args, &dims),
            args: bind::resolve(kernel, &values)?,
        })
    }
}

/// A launch with a value for every scalar, to read an assumption by.
fn named_launch(kernel: &Kernel) -> Launch {
    let one = |p: &Param| (p.name.clone(), ArgValue::Scalar("1".into()));
    let scalar = |p: &&Param| matches!(p.kind, ParamKind::Scalar { count: 1, .. });
    let args = kernel.params.iter().filter(scalar).map(one).collect();
    Launch { args, ..Launch::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_their_order() {
        let items: Vec<u64> = (0..100).collect();
        let doubled: Vec<u64> = items.iter().map(|i| i * 2).collect();
        assert_eq!(in_order(4, &items, |&i| i * 2), doubled);
        assert!(in_order(4, &[] as &[u64], |&i| i).is_empty());
    }
}
