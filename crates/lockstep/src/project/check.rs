//! `lockstep check`, `search` and `prove`: every kernel of every file.
//!
//! A file is compiled, its kernels go through the engines one by one, and nothing is
//! kept of it but their reports. Files are independent: one that cannot be used is an
//! error of its own, and the rest goes on.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use lockstep_finding::source::Sources;
use lockstep_finding::{InputError, KernelReport, Report, Warning};
use lockstep_frontend::Module;
use lockstep_kernel::Kernel;
use lockstep_names as names;
use lockstep_project::cache::Key;

use crate::cli::internal::guarded;
use crate::cli::interrupt;
use crate::cli::options::InputArgs;
use crate::cli::progress::{Engine, Progress};
use crate::engines::safe;
use crate::engines::simulation;
use crate::engines::task::{self, Engines, Task, Ways};
use crate::engines::traces::{self, Shown};
use crate::engines::verdicts;
use crate::facts::architecture;
use crate::facts::incomplete;
use crate::facts::launch_facts::FileFacts;
use crate::facts::load::{self, Source, error};
use crate::project::plan::Plan;
use crate::project::results::{Answer, Kept, Results, Ticket};
use crate::project::settle;

/// One file to check, and how it is read.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    pub(crate) path: PathBuf,
    pub(crate) input: InputArgs,
    /// What an editor has in place of what the file holds.
    pub(crate) text: Option<Vec<u8>>,
    /// The user named it, and so expects kernels in it.
    pub(crate) named: bool,
    /// The number of the project whose settings it has.
    pub(crate) project: usize,
}

pub(crate) fn check(plan: &Plan, how: &Engines, sources: &mut Sources) -> Report {
    let Plan { units, analysis, .. } = plan;
    if let Err(message) = analysis.launch.parsed_args() {
        return Report { errors: vec![error("", message)], ..Report::default() };
    }
    let workers = simulation::jobs(analysis).min(units.len()).max(1);
    let progress = Progress::new(units.len(), analysis);
    let results = Results::new(plan, how);
    let checker = Checker { plan, how, workers, progress: &progress, results: &results };
    let parts = in_order(workers, units, |unit| checker.unit(unit));
    progress.finish();
    for part in &parts {
        part.typed.iter().for_each(|(name, text)| sources.insert(name, text));
    }
    let (whole, marked) = looked_at(&parts, units, &analysis.input.kernel, &results);
    let skipped = parts.iter().filter(|p| p.interrupted).count();
    let mut report = merge(parts, &analysis.input.kernel);
    report.errors.splice(0..0, plan.errors.iter().cloned());
    if skipped > 0 {
        let message =
            format!("{}: {skipped} of {} files were not checked", interrupt::BECAUSE, units.len());
        report.warnings.push(Warning { file: String::new(), line: 0, message });
    }
    settle::settle(plan, &mut report, sources, &whole, &marked);
    report
}

/// Says so where no file has a kernel, and none was expected to have one.
pub(crate) fn warn_without_kernels(plan: &Plan, report: &mut Report) {
    let [first, others @ ..] = &plan.units[..] else { return };
    if !report.kernels.is_empty() || !report.errors.is_empty() {
        return;
    }
    let too = match others.len() {
        0 => String::new(),
        1 => ", nor in the other file".into(),
        n => format!(", nor in the {n} other files"),
    };
    let file = names::shown(&first.path);
    report.warnings.push(Warning { file, line: 0, message: format!("no kernels in it{too}") });
}

/// The files of which every kernel was looked at, and those, with their headers, that may hold suppressions.
fn looked_at(
    parts: &[Part],
    units: &[Unit],
    wanted: &[String],
    results: &Results,
) -> (Vec<String>, Vec<String>) {
    let (mut whole, mut marked) = (Vec::new(), BTreeSet::new());
    for (part, unit) in parts.iter().zip(units).filter(|(p, _)| p.is_whole()) {
        if !wanted.is_empty() {
            break;
        }
        let own = std::iter::once(unit.path.as_path());
        for file in own.chain(part.files.iter().map(PathBuf::as_path)) {
            if load::is_users_file(file, &unit.input) && results.is_marked(file) {
                marked.insert(names::shown(file));
            }
        }
        whole.push(names::shown(&unit.path));
    }
    (whole, marked.into_iter().collect())
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
    /// All files that were read for it, as far as that is known.
    files: Vec<PathBuf>,
    /// The kernels of `report`, before they get there.
    answers: Vec<Answer>,
}

impl Part {
    /// Whether every kernel of the file was looked at.
    fn is_whole(&self) -> bool {
        self.report.errors.is_empty() && !self.interrupted
    }
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
    // What is wrong with the machine is the same for every file.
    let mut said = BTreeSet::new();
    report.errors.retain(|e| !e.file.is_empty() || said.insert(e.message.clone()));
    for name in wanted.iter().filter(|n| !matched.contains(n)) {
        if !has.is_empty() {
            report.errors.push(error("", load::no_kernel(name, &has)));
        }
    }
    report
}

/// Applies `f` to each item on so many threads; results in the items' order.
fn in_order<T: Sync, R: Send>(workers: usize, items: &[T], f: impl Fn(&T) -> R + Sync) -> Vec<R> {
    // The first thread has memory of its own kind, which grows in large steps.
    if workers == 1 {
        return items.iter().map(f).collect();
    }
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
    plan: &'a Plan,
    how: &'a Engines,
    workers: usize,
    progress: &'a Progress,
    results: &'a Results,
}

impl Checker<'_> {
    fn unit(&self, unit: &Unit) -> Part {
        let mut part = Part::default();
        let name = names::shown(&unit.path);
        let result = guarded(|| self.fill(unit, &mut part))
            .unwrap_or_else(|defect| Err(error(&name, defect)));
        self.progress.done();
        match result {
            Err(_) if unit.input.cancel.is_cancelled() => part.interrupted = true,
            Err(e) => part.report.errors.push(e),
            Ok(()) => {}
        }
        part.report.kernels = part.answers.drain(..).map(|a| a.report).collect();
        part
    }

    fn fill(&self, unit: &Unit, part: &mut Part) -> Result<(), InputError> {
        if unit.input.cancel.is_cancelled() {
            return Err(error("", interrupt::BECAUSE.into()));
        }
        let analysis = &self.plan.project(unit).analysis;
        let ticket = self.results.ticket(unit, analysis);
        // Who wants to hear more wants it done.
        let known = ticket.as_ref().filter(|_| !unit.input.verbose);
        if let Some((ticket, kept)) = known.and_then(|t| Some((t, self.kept(t, unit)?))) {
            let mut reports = kept.reports();
            self.add_traces(ticket, &kept, unit, &mut reports);
            part.files = kept.files().map(PathBuf::from).collect();
            part.answers = reports.into_iter().map(Answer::settled).collect();
            (part.has, part.matched) = (kept.has, kept.matched);
            return Ok(());
        }
        let source = match &unit.text {
            Some(text) => Source::edited(&unit.path, text.clone()),
            None => Source::open(&unit.path)?,
        };
        part.typed = source.typed();
        let work = self.progress.begin(&source.name, Engine::Compile, None);
        let module = source.load_any(&unit.input)?;
        if unit.named {
            source.has_kernels(&module)?;
        }
        part.report.warnings.extend(incomplete::warnings(&module, &source.name));
        part.report.errors.extend(incomplete::errors(&module, &source.name));
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
        let mut file = File {
            unit,
            source: &source,
            module: &module,
            facts: &facts,
            codes: Vec::new(),
            settled: true,
        };
        for kernel in load::select(&module.kernels, names) {
            let looked =
                guarded(|| self.kernel(kernel, &mut file, part)).unwrap_or_else(|defect| {
                    Err(error(&source.name, format!("kernel {}: {defect}", kernel.name)))
                });
            if let Err(e) = looked {
                part.report.errors.push(e);
            }
        }
        for template in &module.uninstantiated {
            if incomplete::is_error(&module, template) {
                continue;
            }
            let kinds = verdicts::kinds(&analysis.search, true);
            let mut report = simulation::template_report(template, &source.name, &kinds);
            report.arch.clone_from(&module.architecture);
            part.answers.push(Answer::settled(report));
        }
        let files = facts.files();
        part.files = files.clone().unwrap_or_default();
        if let (Some(ticket), Some(files), true) = (&ticket, files, file.settled)
            && part.report.errors.is_empty()
            // A header that is missing may be there next time, and what is left out is told again.
            && module.is_whole()
        {
            let names = (&part.has[..], &part.matched[..]);
            let shown = Shown::of(analysis);
            self.results.keep_file(ticket, unit, &files, part.answers.clone(), names, shown);
        }
        Ok(())
    }

    /// What earlier runs found out about a file, if it is all that this one would.
    fn kept(&self, ticket: &Ticket, unit: &Unit) -> Option<Kept> {
        let kept = self.results.of_file(ticket)?;
        // The functions that could be named instead of a kernel are not kept.
        let is_told = !(unit.named && kept.answers.is_empty());
        let budget = |r: &KernelReport| self.plan.budget_of(unit, &r.name, &r.mangled);
        let is_enough = |a: &Answer| a.is_enough(budget(&a.report));
        (is_told && kept.answers.iter().all(is_enough)).then_some(kept)
    }

    /// Adds what threads did to the reports of a file that is known, where the format shows it: the launches that were
    /// kept are executed once more, and nothing else is looked at again.
    fn add_traces(&self, ticket: &Ticket, kept: &Kept, unit: &Unit, reports: &mut [KernelReport]) {
        let analysis = &self.plan.project(unit).analysis;
        let shown = Shown::of(analysis);
        let are_wanted = reports.iter().any(|r| traces::are_wanted(r, shown));
        if !are_wanted || self.results.add_traces(ticket, kept, shown, reports) {
            return;
        }
        let name = names::shown(&unit.path);
        let work = self.progress.begin(&name, Engine::Compile, None);
        // It has been compiled before; if it is gone by now, the pictures are missing and nothing else.
        let module = Source::open(&unit.path).and_then(|s| s.load_any(&unit.input));
        let Ok(module) = module else { return };
        drop(work);
        for report in reports.iter_mut() {
            if let Some(kernel) = module.kernels.iter().find(|k| k.mangled == report.mangled) {
                traces::add(kernel, report, analysis);
            }
        }
        if !unit.input.cancel.is_cancelled() {
            self.results.keep_traces(ticket, kept, shown, reports);
        }
    }

    /// Looks at a kernel, unless an instance that is the same code, or an earlier run, has the answer.
    fn kernel(&self, kernel: &Kernel, file: &mut File, part: &mut Part) -> Result<(), InputError> {
        let fail = |m: String| error(&file.source.name, format!("kernel {}: {m}", kernel.name));
        let analysis = self.plan.for_kernel(file.unit, kernel).map_err(fail)?;
        if let Some(because) = architecture::not_compiled(file.module, kernel) {
            let kinds = verdicts::kinds(&analysis.search, true);
            let name = &file.source.name;
            let mut report = simulation::unknown_report(kernel, name, &kinds, &because);
            architecture::name(file.module, kernel, &mut report);
            part.answers.push(Answer::settled(report));
            return Ok(());
        }
        let Checker { how, workers, progress, .. } = *self;
        let task = Task { analysis: &analysis, how, workers, progress, hurried: Cell::new(false) };
        let ways = task.ways(kernel, file.facts).map_err(fail)?;
        let alone = file.module.kernels.len() == 1;
        let keys = self.results.kernel_keys(kernel, &ways, &analysis, alone);
        if let Some((_, i)) =
            file.codes.iter().find(|(code, _)| keys.as_ref().is_some_and(|k| k.code == *code))
        {
            part.answers[*i].report.instances.push(kernel.name.clone());
            return Ok(());
        }
        let own = keys.as_ref().and_then(|k| k.own.as_ref());
        let Answer { mut report, budget } = self.answer(kernel, file, &ways, &task, own)?;
        (report.name, report.mangled) = (kernel.name.clone(), kernel.mangled.clone());
        report.header = simulation::header(kernel, &file.source.name);
        report.file.clone_from(&file.source.name);
        let is_library = |file: &str| load::is_of_a_library(&names::path(file), &analysis.input);
        let is_complete = ways.first.given.is_complete(kernel.objects.iter().any(|o| o.dynamic));
        if report.header.as_deref().is_some_and(is_library)
            && !is_library(&report.file)
            && !is_complete
            && !analysis.report.strict
        {
            verdicts::doubt_all(&mut report, &lockstep_finding::Reason::OfALibrary);
        }
        if let Some(chosen) = file.module.chosen.iter().find(|c| c.is_instance(kernel)) {
            simulation::name_choice(&mut report, &chosen.arguments);
        }
        architecture::name(file.module, kernel, &mut report);
        incomplete::name(file.module, &mut report);
        traces::add(kernel, &mut report, &analysis);
        report.operations = safe::operations(kernel);
        report.budget = Some(budget);
        file.codes.extend(keys.map(|k| (k.code, part.answers.len())));
        part.answers.push(Answer { report, budget });
        Ok(())
    }

    /// What is known of a kernel, from earlier runs as far as these had the time.
    fn answer(
        &self,
        kernel: &Kernel,
        file: &mut File,
        ways: &Ways,
        task: &Task,
        key: Option<&Key>,
    ) -> Result<Answer, InputError> {
        let started = Instant::now();
        let (analysis, budget) = (task.analysis, task::budget(task.analysis));
        let known = key.filter(|_| !analysis.input.verbose);
        let answer = match known.and_then(|key| self.results.of_kernel(key)) {
            Some(mut known) if known.is_enough(budget) => {
                known.report.seconds = started.elapsed().as_secs_f64();
                return Ok(known);
            }
            Some(known) => {
                let mut narrowed = analysis.clone();
                (narrowed.search.only, narrowed.search.skip) = (known.open(), Vec::new());
                let task = Task { analysis: &narrowed, hurried: Cell::new(false), ..*task };
                known.with(task.kernel(kernel, file.source, ways)?, budget)
            }
            None => Answer::new(task.kernel(kernel, file.source, ways)?, budget),
        };
        match key {
            Some(key) if !analysis.input.cancel.is_cancelled() => {
                self.results.keep_kernel(key, &answer);
            }
            _ => file.settled = false,
        }
        Ok(answer)
    }
}

/// A file whose kernels are looked at.
struct File<'a> {
    unit: &'a Unit,
    source: &'a Source,
    module: &'a Module,
    facts: &'a FileFacts<'a>,
    /// The kernels so far, by their code.
    codes: Vec<(Key, usize)>,
    /// All that was found out about its kernels may be kept.
    settled: bool,
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
