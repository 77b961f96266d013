//! Results of earlier runs, and when they may be used again.
//!
//! There are two levels. A whole file: known by its text, the options it is compiled with and the settings, and valid
//! while every file that the compiler read for it is the same; then not even clang runs. And a kernel: known by its own
//! representation, places and all, by what is given of its launch, and by the settings; it stays when something
//! else in its file, or in a header, has changed. The tool and the compiler are part of every key.
//!
//! Kept is what was found out, not how it is shown: one entry serves every format. What threads did ([`crate::engines::traces`])
//! is executed when a format shows it, and kept beside the entry.
//!
//! An answer is kept with the budget it had, however it ended; whether it was the clock that ended it stands in the report
//! ([`KernelReport::ended_by_clock`]). It answers for every budget that is not larger. For a larger one, what is
//! proved or found stays, and only what is open is looked at again ([`Answer::with`]). With `--reproducible`,
//! where nothing may hang on what ran before, the budget is part of the key.
//!
//! Not noticed is a header that appears where the compiler would now find it first. Arguments read from files are never
//! kept, nor is what was interrupted.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use lockstep_finding::{Finding, KernelReport, Kind, Trace, Verdict};
use lockstep_frontend::compiler_identity;
use lockstep_kernel::Kernel;
use lockstep_project::cache::{Cache, Key, KeyBuilder};
use serde::{Deserialize, Serialize};

use crate::cli::options::{Analysis, SearchArgs};
use crate::engines::task::{self, Engines, Ways};
use crate::engines::traces::Shown;
use crate::project::check::Unit;
use crate::project::plan::Plan;

/// A file that changed so recently may have changed while it was read.
const STILL_WET: Duration = Duration::from_millis(50);

/// What was found out about a kernel, and the seconds it had.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Answer {
    pub(crate) report: KernelReport,
    pub(crate) budget: f64,
}

impl Answer {
    pub(crate) fn new(report: KernelReport, budget: f64) -> Answer {
        Answer { report, budget }
    }

    /// One that no budget changes.
    pub(crate) fn settled(report: KernelReport) -> Answer {
        Answer::new(report, f64::MAX)
    }

    /// Whether a run with this budget has nothing to add.
    pub(crate) fn is_enough(&self, budget: f64) -> bool {
        budget <= self.budget || self.open().is_empty()
    }

    /// What more time could decide: all that is neither proved nor found.
    pub(crate) fn open(&self) -> Vec<Kind> {
        let is_open = |v: &Verdict| matches!(v, Verdict::Unknown { .. } | Verdict::Clean { .. });
        let open = self.report.verdicts.iter().filter(|(_, v)| is_open(v));
        open.map(|(kind, _)| *kind).collect()
    }

    /// With what a larger budget says of the kinds that were open; where it says less, the earlier answer stays.
    pub(crate) fn with(self, more: KernelReport, budget: f64) -> Answer {
        let rank = |v: &Verdict| match v {
            Verdict::Unknown { .. } => 0,
            Verdict::Clean { .. } => 1,
            Verdict::Proved { .. } => 2,
            Verdict::Found => 3,
        };
        let open = self.open();
        let mut report = self.report;
        let mut taken = Vec::new();
        for (kind, own) in report.verdicts.iter_mut().filter(|(k, _)| open.contains(k)) {
            let new = more.verdicts.iter().find(|(k, _)| k == kind).map(|(_, v)| v);
            if let Some(new) = new.filter(|new| rank(new) >= rank(own)) {
                own.clone_from(new);
                taken.push(*kind);
            }
        }
        report.findings.retain(|f| !taken.contains(&f.kind));
        report.findings.extend(more.findings.into_iter().filter(|f| taken.contains(&f.kind)));
        report.findings.sort_by_key(|f| f.holds_when.is_some());
        if taken.contains(&Kind::DataRace) {
            report.explanation = more.explanation;
        }
        report.seconds += more.seconds;
        report.ended_by_clock = more.ended_by_clock;
        Answer { report, budget }
    }
}

/// What is kept of a file.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Kept {
    /// Everything that was read, with its hash.
    files: Vec<(PathBuf, String)>,
    /// Without what threads did.
    pub(crate) answers: Vec<Answer>,
    /// Names of all kernels in the file, and those of `--kernel` that are among them.
    pub(crate) has: Vec<String>,
    pub(crate) matched: Vec<String>,
}

impl Kept {
    pub(crate) fn files(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|(f, _)| f.as_path())
    }

    pub(crate) fn reports(&self) -> Vec<KernelReport> {
        self.answers.iter().map(|a| a.report.clone()).collect()
    }
}

/// By kernel and finding: what its threads did.
type Traces = Vec<Vec<Option<Trace>>>;

/// A file before it is compiled.
pub(crate) struct Ticket {
    key: KeyBuilder,
    hash: String,
    taken: SystemTime,
}

impl Ticket {
    /// For what threads did, as far as it is shown; it hangs on all that was read.
    fn traces(&self, files: &[(PathBuf, String)], shown: Shown) -> Key {
        self.key.clone().debug("traces", &shown).debug("files", &files).finish()
    }
}

/// What a kernel is known by.
#[derive(Debug)]
pub(crate) struct KernelKeys {
    /// None where nothing is kept.
    pub(crate) own: Option<Key>,
    /// The same for all instances of a template that are the same code.
    pub(crate) code: Key,
}

/// A kernel that does not say which instance of its template it is.
fn nameless(kernel: &Kernel) -> Kernel {
    let mut kernel = Kernel { name: String::new(), mangled: String::new(), ..kernel.clone() };
    for loc in &mut kernel.locs {
        loc.function.truncate(loc.function.find('<').unwrap_or(loc.function.len()));
    }
    kernel
}

pub(crate) struct Results {
    cache: Cache,
    /// The tool, and what the user asks of it.
    base: KeyBuilder,
    /// By project: that, and all it says of kernels.
    tables: Vec<KeyBuilder>,
}

impl Results {
    pub(crate) fn new(plan: &Plan, how: &Engines) -> Results {
        let cache = if plan.cache { Cache::open() } else { Cache::off() };
        let mut base = KeyBuilder::default();
        base.part("version", env!("CARGO_PKG_VERSION").as_bytes())
            .part("tool", own_identity().as_bytes())
            .part("compiler", compiler_identity().as_bytes())
            .debug("engines", how);
        let tables = plan.projects.iter().map(|project| {
            let mut key = base.clone();
            key.debug("tables", &project.config.kernel_tables());
            key
        });
        Results { cache, tables: tables.collect(), base }
    }

    /// To be taken before the file is compiled; `None` where nothing is to be kept of it.
    pub(crate) fn ticket(&self, unit: &Unit, analysis: &Analysis) -> Option<Ticket> {
        let on_disk = unit.text.is_none() && unit.path != Path::new("-");
        if !self.cache.is_on() || !on_disk || reads_files(analysis) {
            return None;
        }
        let taken = SystemTime::now();
        let hash = self.cache.seen(&unit.path)?.hash;
        let mut key = self.tables[unit.project].clone();
        let input = &unit.input;
        key.debug("path", &unit.path)
            .part("text", hash.as_bytes())
            .debug("folder", &std::env::current_dir().ok())
            .debug("lang", &input.lang)
            .debug("clang", &input.clang_args)
            .debug("sdk", &input.cuda_path)
            .debug("kernels", &input.kernel);
        settings(&mut key, analysis);
        Some(Ticket { key, hash, taken })
    }

    /// What an earlier run found out about the file.
    pub(crate) fn of_file(&self, ticket: &Ticket) -> Option<Kept> {
        let kept: Kept = self.cache.get(&ticket.key.finish())?;
        let same = |(path, hash): &(PathBuf, String)| {
            self.cache.seen(path).is_some_and(|s| s.hash == *hash)
        };
        kept.files.iter().all(same).then_some(kept)
    }

    /// Keeps what was found out, if the files read are still the same, and what threads did as far as it is shown.
    pub(crate) fn keep_file(
        &self,
        ticket: &Ticket,
        unit: &Unit,
        files: &[PathBuf],
        answers: Vec<Answer>,
        names: (&[String], &[String]),
        shown: Shown,
    ) {
        let text = std::fs::read(&unit.path).ok();
        if text.is_none_or(|t| lockstep_project::cache::hash(&t) != ticket.hash) {
            return;
        }
        let mut hashed = Vec::new();
        for path in files {
            let dry = || {
                let changed = std::fs::metadata(path).ok()?.modified().ok()?;
                (changed + STILL_WET < ticket.taken).then_some(())
            };
            match (dry(), self.cache.seen(path)) {
                (Some(()), Some(seen)) => hashed.push((path.clone(), seen.hash)),
                _ => return,
            }
        }
        let (has, matched) = (names.0.to_vec(), names.1.to_vec());
        let mut kept = Kept { files: hashed, answers, has, matched };
        let mut reports: Vec<_> = kept.answers.iter_mut().map(|a| &mut a.report).collect();
        let traces: Traces = reports.iter_mut().map(|r| take_traces(r)).collect();
        if traces.iter().flatten().any(Option::is_some) {
            self.cache.put(&ticket.traces(&kept.files, shown), &traces);
        }
        self.cache.put(&ticket.key.finish(), &kept);
    }

    /// Adds what threads did to the reports of a file, where an earlier run kept it.
    pub(crate) fn add_traces(
        &self,
        ticket: &Ticket,
        kept: &Kept,
        shown: Shown,
        reports: &mut [KernelReport],
    ) -> bool {
        let traces: Option<Traces> = self.cache.get(&ticket.traces(&kept.files, shown));
        let Some(traces) = traces else { return false };
        for (report, traces) in reports.iter_mut().zip(traces) {
            let made_again = report.findings.iter_mut().zip(traces).filter(|(f, _)| !f.explored);
            made_again.for_each(|(f, t)| f.trace = t);
        }
        true
    }

    /// Keeps what threads did, beside what is kept of their file.
    pub(crate) fn keep_traces(
        &self,
        ticket: &Ticket,
        kept: &Kept,
        shown: Shown,
        reports: &[KernelReport],
    ) {
        let traces: Traces = reports.iter().map(|r| take_traces(&mut r.clone())).collect();
        self.cache.put(&ticket.traces(&kept.files, shown), &traces);
    }

    /// The keys of a kernel with what is given of its launch; `None` where nobody looks at them. `alone` says that it is
    /// the only one of its file.
    pub(crate) fn kernel_keys(
        &self,
        kernel: &Kernel,
        ways: &Ways,
        analysis: &Analysis,
        alone: bool,
    ) -> Option<KernelKeys> {
        if reads_files(analysis) || alone && !self.cache.is_on() {
            return None;
        }
        let mut base = self.base.clone();
        settings(&mut base, analysis);
        base.debug("ways", ways)
            .debug("remainders", &task::asks_for_opencl_2(&analysis.input.clang_args));
        let key = |k: &Kernel| base.clone().debug("kernel", k).finish();
        let own = self.cache.is_on().then(|| key(kernel));
        Some(KernelKeys { own, code: key(&nameless(kernel)) })
    }

    pub(crate) fn of_kernel(&self, key: &Key) -> Option<Answer> {
        self.cache.get(key)
    }

    pub(crate) fn keep_kernel(&self, key: &Key, answer: &Answer) {
        self.cache.put(key, answer);
    }

    /// Whether a file may hold suppressions.
    pub(crate) fn is_marked(&self, file: &Path) -> bool {
        self.cache.seen(file).is_some_and(|s| s.is_marked)
    }
}

impl Drop for Results {
    fn drop(&mut self) {
        self.cache.trim();
    }
}

/// Takes what threads did out of a report. What an exploration showed stays: executing the launch does not show it again.
fn take_traces(report: &mut KernelReport) -> Vec<Option<Trace>> {
    let made_again = |f: &mut Finding| if f.explored { None } else { f.trace.take() };
    report.findings.iter_mut().map(made_again).collect()
}

/// What decides the answers, but for the source.
fn settings(key: &mut KeyBuilder, analysis: &Analysis) {
    let reproducible = analysis.search.reproducible;
    // The number of workers never changes a result, and answers are kept with the budget they had.
    let budget = analysis.search.budget.filter(|_| reproducible);
    let search = SearchArgs { jobs: None, budget, ..analysis.search.clone() };
    key.debug("launch", &analysis.launch)
        .debug("search", &search)
        .debug("weak", &analysis.weak)
        .debug("paths", &analysis.paths)
        .debug("recorded", &analysis.recorded.as_ref().map(|r| &r.hash))
        .debug("strict", &analysis.report.strict);
}

/// Whether an argument comes from a file.
fn reads_files(analysis: &Analysis) -> bool {
    analysis.launch.args.iter().any(|a| a.contains('@'))
}

/// This program: its file's size and age.
fn own_identity() -> String {
    let meta = std::env::current_exe().ok().and_then(|p| std::fs::metadata(p).ok());
    meta.map_or_else(String::new, |m| format!("{} {:?}", m.len(), m.modified().ok()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_finding::Finding;

    fn unknown() -> Verdict {
        Verdict::Unknown { because: lockstep_finding::Reason::TimeBudget { seconds: None } }
    }

    fn clean(covered: &str) -> Verdict {
        Verdict::Clean { covered: covered.into() }
    }

    fn report(verdicts: &[(Kind, Verdict)], found: &[Kind]) -> KernelReport {
        let finding = |k: &Kind| Finding::new(*k, String::new(), Vec::new());
        KernelReport {
            verdicts: verdicts.to_vec(),
            findings: found.iter().map(finding).collect(),
            ended_by_clock: true,
            ..KernelReport::default()
        }
    }

    #[test]
    fn an_answer_is_enough_for_its_budget() {
        let open = Answer::new(report(&[(Kind::DataRace, unknown())], &[]), 2.0);
        assert!(open.is_enough(1.0) && open.is_enough(2.0) && !open.is_enough(2.5));
        let found = Answer::new(report(&[(Kind::DataRace, Verdict::Found)], &[]), 2.0);
        assert!(found.is_enough(1000.0));
        assert!(Answer::settled(open.report).is_enough(1e9));
    }

    #[test]
    fn a_larger_budget_changes_only_what_was_open() {
        use Kind::*;
        let proved = Verdict::Proved { assumes: Vec::new() };
        let first = [
            (DataRace, Verdict::Found),
            (BarrierDivergence, proved.clone()),
            (OutOfBounds, unknown()),
            (Misaligned, clean("9 launches")),
            (Deadlock, clean("9 launches")),
        ];
        let answer = Answer::new(report(&first, &[DataRace]), 1.0);
        assert_eq!(answer.open(), [OutOfBounds, Misaligned, Deadlock]);
        let more = [(OutOfBounds, Verdict::Found), (Misaligned, unknown()), (Deadlock, proved)];
        let more = KernelReport { ended_by_clock: false, ..report(&more, &[OutOfBounds]) };
        let both = answer.with(more, 5.0);
        let names: Vec<&str> = both.report.verdicts.iter().map(|(_, v)| v.name()).collect();
        assert_eq!(names, ["found", "proved", "found", "clean", "proved"]);
        let found: Vec<Kind> = both.report.findings.iter().map(|f| f.kind).collect();
        assert_eq!(found, [DataRace, OutOfBounds]);
        assert!(!both.report.ended_by_clock && both.is_enough(5.0) && !both.is_enough(6.0));
    }
}
