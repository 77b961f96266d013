//! `lockstep check`, `search` and `prove`: every kernel of every file.
//!
//! A file is compiled, its kernels go through the engines one by one, and nothing is
//! kept of it but their reports. Files are independent: one that cannot be used is an
//! error of its own, and the rest goes on.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use lockstep_finding::source::Sources;
use lockstep_finding::{InputError, Report};

use crate::engines::{Engines, Task};
use crate::interrupt;
use crate::launch_facts::FileFacts;
use crate::load::{self, Source, error};
use crate::options::{Analysis, InputArgs};
use crate::progress::{Engine, Progress};
use crate::simulation;
use crate::traces;

/// One file to check, and how it is read.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    pub(crate) path: PathBuf,
    pub(crate) input: InputArgs,
    /// What an editor has in place of what the file holds.
    pub(crate) text: Option<Vec<u8>>,
}

pub(crate) fn check(
    units: &[Unit],
    analysis: &Analysis,
    how: &Engines,
    sources: &mut Sources,
) -> Report {
    if let Err(message) = analysis.launch.parsed_args() {
        return Report { errors: vec![error("", message)], ..Report::default() };
    }
    let workers = simulation::jobs(analysis).min(units.len()).max(1);
    let progress = Progress::new(units.len());
    let checker = Checker { analysis, how, workers, progress: &progress };
    let parts = in_order(workers, units, |unit| checker.unit(unit));
    progress.finish();
    for part in &parts {
        part.typed.iter().for_each(|(name, text)| sources.insert(name, text));
    }
    let skipped = parts.iter().filter(|p| p.interrupted).count();
    let mut report = merge(parts, &analysis.input.kernel);
    if skipped > 0 {
        let message =
            format!("{}: {skipped} of {} files were not checked", interrupt::BECAUSE, units.len());
        report.errors.push(error("", message));
    }
    report
}

/// What one file gave.
#[derive(Default)]
struct Part {
    report: Report,
    /// Kernels the file has, and which of `--kernel` named one of them.
    has: Vec<String>,
    matched: Vec<String>,
    /// What came through standard input, for the renderers to quote.
    typed: Option<(String, String)>,
    /// The run was ended before the file was looked at.
    interrupted: bool,
}

/// Joins the parts; a `--kernel` that named nothing in any file is an error.
fn merge(parts: Vec<Part>, wanted: &[String]) -> Report {
    let mut report = Report::default();
    let (mut has, mut matched) = (Vec::new(), Vec::new());
    for part in parts {
        report.kernels.extend(part.report.kernels);
        report.errors.extend(part.report.errors);
        report.warnings.extend(part.report.warnings);
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

/// What holds for every file.
struct Checker<'a> {
    analysis: &'a Analysis,
    how: &'a Engines,
    workers: usize,
    progress: &'a Progress,
}

impl Checker<'_> {
    fn unit(&self, unit: &Unit) -> Part {
        let mut part = Part::default();
        let result = self.fill(unit, &mut part);
        self.progress.done();
        match result {
            Err(_) if unit.input.cancel.is_cancelled() => part.interrupted = true,
            Err(e) => part.report.errors.push(e),
            Ok(()) => {}
        }
        part
    }

    fn fill(&self, unit: &Unit, part: &mut Part) -> Result<(), InputError> {
        if unit.input.cancel.is_cancelled() {
            return Err(error("", interrupt::BECAUSE.into()));
        }
        let source = match &unit.text {
            Some(text) => Source::edited(&unit.path, text.clone()),
            None => Source::open(&unit.path)?,
        };
        part.typed = source.typed();
        let work = self.progress.begin(&source.name, Engine::Compile, None);
        let module = source.load(&unit.input)?;
        if unit.input.verbose {
            module.warnings.iter().for_each(|w| eprintln!("{w}"));
        }
        let names = &unit.input.kernel;
        part.has = module.kernels.iter().map(|k| k.name.clone()).collect();
        part.matched = names
            .iter()
            .filter(|n| module.kernels.iter().any(|k| load::is_named(k, n)))
            .cloned()
            .collect();
        let facts = FileFacts::new(&source, &module, &unit.input);
        drop(work);
        let Checker { analysis, how, workers, progress } = *self;
        let task = Task { analysis, how, workers, progress };
        for kernel in load::select(&module.kernels, names) {
            match task.kernel(kernel, &source, &facts) {
                Ok(mut report) => {
                    traces::add(kernel, &mut report, self.analysis);
                    part.report.kernels.push(report);
                }
                Err(e) => part.report.errors.push(e),
            }
        }
        Ok(())
    }
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
