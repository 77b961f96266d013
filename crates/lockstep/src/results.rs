//! Results of earlier runs, and when they may be used again.
//!
//! There are two levels. A whole file: known by its text, the options it is compiled with and the settings, and valid
//! while every file that the compiler read for it is the same; then not even clang runs. And a kernel: known by its own
//! representation, places and all, by what is given of its launch, and by the settings; it stays when something
//! else in its file, or in a header, has changed. The tool and the compiler are part of every key.
//!
//! Only answers that more time would not have changed are kept. Not noticed is a header that appears where the
//! compiler would now find it first. Arguments read from files are never kept.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use lockstep_finding::KernelReport;
use lockstep_frontend::compiler_identity;
use lockstep_kernel::Kernel;
use lockstep_project::cache::{Cache, Key, KeyBuilder};
use serde::{Deserialize, Serialize};

use crate::check::Unit;
use crate::engines::{self, Engines, Ways};
use crate::options::{Analysis, SearchArgs};
use crate::plan::Plan;
use crate::traces::Shown;

/// A file that changed so recently may have changed while it was read.
const STILL_WET: Duration = Duration::from_millis(50);

/// What is kept of a file.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Kept {
    /// Everything that was read, with its hash.
    files: Vec<(PathBuf, String)>,
    pub(crate) kernels: Vec<KernelReport>,
    /// Names of all kernels in the file, and those of `--kernel` that are among them.
    pub(crate) has: Vec<String>,
    pub(crate) matched: Vec<String>,
}

impl Kept {
    pub(crate) fn files(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|(f, _)| f.as_path())
    }
}

/// A file before it is compiled.
#[derive(Debug)]
pub(crate) struct Ticket {
    key: Key,
    hash: String,
    taken: SystemTime,
    /// What the format shows of what threads did.
    shown: Shown,
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
    tables: KeyBuilder,
}

impl Results {
    pub(crate) fn new(plan: &Plan, how: &Engines) -> Results {
        let cache = if plan.cache { Cache::open() } else { Cache::off() };
        let mut base = KeyBuilder::default();
        base.part("version", env!("CARGO_PKG_VERSION").as_bytes())
            .part("tool", own_identity().as_bytes())
            .part("compiler", compiler_identity().as_bytes())
            .debug("engines", how);
        let mut tables = base.clone();
        tables.debug("tables", &plan.config.kernel_tables());
        Results { cache, base, tables }
    }

    /// To be taken before the file is compiled; `None` where nothing is to be kept of it.
    pub(crate) fn ticket(&self, unit: &Unit, analysis: &Analysis) -> Option<Ticket> {
        let on_disk = unit.text.is_none() && unit.path != Path::new("-");
        if !self.cache.is_on() || !on_disk || reads_files(analysis) {
            return None;
        }
        let taken = SystemTime::now();
        let hash = self.cache.seen(&unit.path)?.hash;
        let shown = Shown::of(analysis);
        let mut key = self.tables.clone();
        let input = &unit.input;
        key.debug("path", &unit.path)
            .part("text", hash.as_bytes())
            .debug("folder", &std::env::current_dir().ok())
            .debug("lang", &input.lang)
            .debug("clang", &input.clang_args)
            .debug("sdk", &input.cuda_path)
            .debug("kernels", &input.kernel)
            .debug("traces", &shown);
        settings(&mut key, analysis);
        Some(Ticket { key: key.finish(), hash, taken, shown })
    }

    /// What an earlier run found out about the file.
    pub(crate) fn of_file(&self, ticket: &Ticket) -> Option<Kept> {
        let kept: Kept = self.cache.get(&ticket.key)?;
        let same = |(path, hash): &(PathBuf, String)| {
            self.cache.seen(path).is_some_and(|s| s.hash == *hash)
        };
        kept.files.iter().all(same).then_some(kept)
    }

    /// Keeps what was found out, if the files read are still the same.
    pub(crate) fn keep_file(
        &self,
        ticket: &Ticket,
        unit: &Unit,
        files: &[PathBuf],
        kernels: &[KernelReport],
        names: (&[String], &[String]),
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
        let mut kernels = kernels.to_vec();
        if ticket.shown == Shown::Page {
            // All that threads did is much; it is seen again when it is wanted.
            kernels.iter_mut().flat_map(|k| &mut k.findings).for_each(|f| f.trace = None);
        }
        let kept =
            Kept { files: hashed, kernels, has: names.0.to_vec(), matched: names.1.to_vec() };
        self.cache.put(&ticket.key, &kept);
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
            .debug("remainders", &engines::asks_for_opencl_2(&analysis.input.clang_args));
        let key = |k: &Kernel| base.clone().debug("kernel", k).finish();
        let own = self.cache.is_on().then(|| key(kernel));
        Some(KernelKeys { own, code: key(&nameless(kernel)) })
    }

    pub(crate) fn of_kernel(&self, key: &Key) -> Option<KernelReport> {
        self.cache.get(key)
    }

    pub(crate) fn keep_kernel(&self, key: &Key, report: &KernelReport) {
        self.cache.put(key, report);
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

/// What decides the answers, but for the source.
fn settings(key: &mut KeyBuilder, analysis: &Analysis) {
    // The number of workers never changes a result.
    let search = SearchArgs { jobs: None, ..analysis.search.clone() };
    key.debug("launch", &analysis.launch)
        .debug("search", &search)
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
