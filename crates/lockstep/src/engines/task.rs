//! One kernel through the engines.
//!
//! What the command line and the source say of a launch is kept; for the prover the
//! rest may be anything, and the search chooses it. Where nothing is left to
//! choose, that is one launch. `check` asks the prover first and gives the models
//! of its alarms to the search, which tries them as launches.

use std::cell::Cell;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use lockstep_cancel::Moment;

use lockstep_finding::launch::{Dimension, Relation};
use lockstep_finding::recorded::RecordedKernel;
use lockstep_finding::{
    ArgValue, Condition, DecidedBy, Fact, InputError, KernelReport, Kind, Launch, Origin, Reason,
    Statement, Verdict,
};
use lockstep_kernel::{Array, Kernel, Param, ParamKind, edit};
use lockstep_prove::Proof;
use lockstep_search::{Given, leave_satisfiable};
use lockstep_simulate::too_large;

use crate::cli::dims::{self, DimArg, Dims, Known};
use crate::cli::interrupt;
use crate::cli::options::{Analysis, Evolve};
use crate::cli::progress::{Engine, Progress, Working};
use crate::engines::fences::{executed, explored};
use crate::engines::proof;
use crate::engines::proof_log;
use crate::engines::recorded;
use crate::engines::safe;
use crate::engines::several;
use crate::engines::simulation;
use crate::engines::symbolic;
use crate::engines::table::{ENGINES, EngineRow, Evidence, Next, Question};
use crate::engines::verdicts;
use crate::facts::launch_facts::FileFacts;
use crate::facts::load::{Source, error};
use crate::facts::relations::Related;

/// Seconds for a kernel where nobody says more.
pub(crate) const DEFAULT_BUDGET: f64 = 10.0;

/// The seconds that a kernel has.
pub(crate) fn budget(analysis: &Analysis) -> f64 {
    analysis.search.budget.unwrap_or(DEFAULT_BUDGET)
}

impl Engines {
    /// The command that asks these.
    pub(crate) fn command(&self) -> &'static str {
        match self {
            Engines::Search(_) => "search",
            Engines::Prover { .. } => "prove",
            Engines::All(_) => "check",
            Engines::Explorer => "fences",
        }
    }
}

/// Which engines look at a kernel.
#[derive(Debug)]
pub(crate) enum Engines {
    /// The search alone.
    Search(Evolve),
    /// The prover alone.
    Prover {
        may_alias: bool,
        /// Where proofs are written down.
        log: Option<PathBuf>,
    },
    /// The exploration of executions alone.
    Explorer,
    /// The prover first; its alarms and what it leaves open go to the search. What communicates through memory is explored.
    All(Evolve),
}

/// Ways in which a host launches a kernel, each of which takes as long as one.
const MOST_WAYS: usize = 12;
/// How the kernels of one file are looked at.
pub(crate) struct Task<'a> {
    /// What holds for this kernel: the command line, and what a project says of it.
    pub(crate) analysis: &'a Analysis,
    pub(crate) how: &'a Engines,
    /// Files that are looked at at once.
    pub(crate) workers: usize,
    pub(crate) progress: &'a Progress,
    /// Set where the clock may have ended something before it was decided.
    pub(crate) hurried: Cell<bool>,
}

/// A part of the budget, in seconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share {
    /// What is counted: it does not hang on how long anything took before.
    pub(crate) work: f64,
    /// What is left of the time.
    pub(crate) time: f64,
}

/// One way in which the host launches a kernel: with all that is known of it, a report of it hangs on nothing else.
#[derive(Debug)]
pub(crate) struct Way {
    pub(crate) given: Given,
    /// Whose launches the host's facts in it are of.
    pub(crate) host: Origin,
    /// Parameters that point into one array, or into a variable.
    pub(crate) aliases: Vec<edit::Alias>,
    /// Parameters whose arrays decide what is accessed, and have contents that nobody knows from the program that was recorded.
    pub(crate) made_up: Vec<usize>,
}

/// All of them, as far as they are looked at.
#[derive(Debug)]
pub(crate) struct Ways {
    pub(crate) first: Way,
    pub(crate) others: Vec<Way>,
    /// What all recorded launches have in common, where there are several.
    pub(crate) general: Option<Way>,
    /// The launches that were recorded, where the ways are such launches.
    pub(crate) recorded: Option<Arc<RecordedKernel>>,
}

impl Task<'_> {
    /// The report of a kernel, or why it could not be looked at. What is interrupted is unknown.
    pub(crate) fn kernel(
        &self,
        kernel: &Kernel,
        source: &Source,
        ways: &Ways,
    ) -> Result<KernelReport, InputError> {
        let cancel = &self.analysis.input.cancel;
        let looked_at = if cancel.is_cancelled() {
            Ok(self.nothing(kernel, source))
        } else {
            self.look_at_all(kernel, source, ways)
        };
        if !cancel.is_cancelled() {
            return looked_at.map(|r| KernelReport { ended_by_clock: self.hurried.get(), ..r });
        }
        let mut report = looked_at.unwrap_or_else(|_| self.nothing(kernel, source));
        interrupt::mark(&mut report);
        Ok(report)
    }

    /// The report of a kernel that nobody has looked at.
    fn nothing(&self, kernel: &Kernel, source: &Source) -> KernelReport {
        let kinds = verdicts::kinds(&self.analysis.search, true);
        match self.how {
            Engines::Prover { .. } => self.proved(kernel, source, None, &kinds, Moment::now()),
            _ => simulation::unknown_report(kernel, &source.name, &kinds, &Reason::Interrupted),
        }
    }

    /// How the host launches a kernel.
    pub(crate) fn ways(&self, kernel: &Kernel, facts: &FileFacts) -> Result<Ways, String> {
        if let Some(recorded) = self.recorded_ways(kernel, facts)? {
            return Ok(recorded);
        }
        let way = |i: usize| {
            facts.choose(i);
            let given = self.given(kernel, facts);
            let mut aliases = facts.aliases(kernel, &self.analysis.launch);
            facts.choose(0);
            let given = given?;
            // Who gives an array means that one.
            aliases.retain(|a| given.args[a.param].is_none());
            let host = facts.host_origin(kernel);
            Ok::<Way, String>(Way { given, host, aliases, made_up: Vec::new() })
        };
        let first = way(0)?;
        let all = facts.ways(kernel, &self.analysis.launch);
        let others = (1..all.min(MOST_WAYS)).map(way).collect::<Result<_, _>>()?;
        Ok(Ways { first, others, general: None, recorded: None })
    }

    /// In all the ways in which the host launches it, each with its part of the time. Where these are too many, or time is
    /// over, a proof still names what it took from those that were looked at.
    fn look_at_all(
        &self,
        kernel: &Kernel,
        source: &Source,
        ways: &Ways,
    ) -> Result<KernelReport, InputError> {
        let started = Moment::now();
        let budget = budget(self.analysis);
        let count = 1 + ways.others.len() + usize::from(ways.general.is_some());
        let part = |left: usize| {
            let elapsed = started.elapsed().as_secs_f64();
            let left_over =
                if self.analysis.search.reproducible { budget } else { budget - elapsed };
            Share { work: budget / count as f64, time: left_over / left.max(1) as f64 }
        };
        let fail = |m: String| error(&source.name, format!("kernel {}: {m}", kernel.name));
        let general = ways.general.as_ref();
        let general = general.map(|way| self.prove_recorded(kernel, way, part(count)));
        let general = general.transpose().map_err(fail)?.unwrap_or_default();
        let count = 1 + ways.others.len();
        let look_at = |way: &Way, part: Share| {
            let mut report = self.look_at(kernel, source, way, part)?;
            if ways.recorded.is_some() {
                recorded::doubt(kernel, way, &mut report);
            }
            Ok::<_, InputError>(report)
        };
        let mut reports = vec![look_at(&ways.first, part(count))?];
        for way in &ways.others {
            let part = part(count - reports.len());
            if part.time <= 0.0 || self.analysis.input.cancel.is_cancelled() {
                self.hurried.set(true);
                break;
            }
            reports.push(look_at(way, part)?);
        }
        let mut report = several::join(reports).expect("one way at least");
        for (kind, verdict) in general {
            let is_found = report.findings.iter().any(|f| f.kind == kind && f.holds_when.is_none());
            let own = report.verdicts.iter_mut().find(|(k, _)| *k == kind);
            // What was executed was seen.
            if let Some((_, own)) = own.filter(|_| !is_found) {
                *own = verdict;
            }
        }
        if let Some(recorded) = &ways.recorded {
            recorded::settle(recorded, 1 + ways.others.len(), &mut report);
        }
        Ok(report)
    }

    /// In one of them. Parameters that get one array there are one.
    fn look_at(
        &self,
        kernel: &Kernel,
        source: &Source,
        way: &Way,
        budget: Share,
    ) -> Result<KernelReport, InputError> {
        if way.aliases.is_empty() {
            return self.look_at_given(kernel, source, way, budget);
        }
        let (aliased, aliases) = edit::aliased(kernel, &way.aliases);
        let mut report = self.look_at_given(&aliased, source, way, budget)?;
        self.name_aliases(kernel, &aliases, way.host, &mut report);
        let found = report.findings.iter_mut().filter_map(|f| f.launch.as_mut());
        for launch in found.chain(&mut report.launch) {
            for alias in &aliases {
                let own = &kernel.params[alias.param].name;
                let param = array_name(kernel, alias.of);
                let offset = alias.offset.unwrap_or(0) as u64;
                let same = ArgValue::SameAs { param, offset };
                launch.args.iter_mut().filter(|a| a.0 == *own).for_each(|a| a.1 = same.clone());
            }
        }
        Ok(report)
    }

    /// Says of what is proved how arrays lie to each other in this way.
    pub(crate) fn name_aliases(
        &self,
        kernel: &Kernel,
        aliases: &[edit::Alias],
        host: Origin,
        report: &mut KernelReport,
    ) {
        let condition = |alias: &edit::Alias| {
            let own = &kernel.params[alias.param].name;
            let of = array_name(kernel, alias.of);
            let bytes = alias.offset? as u64;
            let pointer = own.clone();
            Some(Condition::new(Statement::PointsInto { pointer, array: of, bytes }, host))
        };
        let conditions: Vec<Condition> = aliases.iter().filter_map(condition).collect();
        // What the kernel cannot do at all, it cannot do with other arrays either.
        let absent = lockstep_prove::absent(kernel, &|_| None);
        for (kind, verdict) in &mut report.verdicts {
            if let Verdict::Proved { assumes } = verdict
                && !absent.iter().any(|(k, _)| k == kind)
            {
                Condition::add(assumes, conditions.clone());
            }
        }
    }

    fn look_at_given(
        &self,
        kernel: &Kernel,
        source: &Source,
        way: &Way,
        budget: Share,
    ) -> Result<KernelReport, InputError> {
        let started = Moment::now();
        let mut config = simulation::config(self.analysis, DEFAULT_BUDGET, self.workers, true);
        config.deadline = config
            .deadline
            .map(|d| started.checked_add(seconds(budget.time)).map_or(d, |part| d.min(part)));
        let kinds = self.decided(&config.kinds);
        self.say_what_the_host_has(kernel, source, &way.given);
        let work = self.progress.begin(&kernel.name, Engine::Prove, Some(seconds(budget.time)));
        let (kinds, paths) = (&kinds[..], &self.analysis.paths);
        let question =
            Question { kernel, source, way, kinds, budget, config, paths, work, started };
        let mut evidence = Evidence::default();
        let fail =
            |message: String| error(&source.name, format!("kernel {}: {message}", kernel.name));
        let is_next = |row: &&EngineRow| (row.is_asked)(self.how) && (row.applies)(&question);
        for row in ENGINES.iter().filter(is_next) {
            self.engine(kernel, source, &question.work, (row.engine)(&question));
            match (row.look)(self, &question, &mut evidence).map_err(fail)? {
                Next::Ask => {}
                Next::Settled => break,
                Next::Unknown(because) => {
                    let name = &source.name;
                    return Ok(simulation::unknown_report(kernel, name, kinds, &because));
                }
            }
        }
        self.joined(&question, evidence).map_err(fail)
    }

    /// Those of some kinds that an engine decides that is asked, or that the user names.
    pub(crate) fn decided(&self, kinds: &[Kind]) -> Vec<Kind> {
        let asked = ENGINES.iter().filter(|row| (row.is_asked)(self.how));
        let own: Vec<Kind> = asked.flat_map(|row| row.own(kinds)).collect();
        let named = &self.analysis.search.only;
        kinds.iter().copied().filter(|k| named.contains(k) || own.contains(k)).collect()
    }

    /// What all engines said, as one report.
    fn joined(&self, q: &Question, evidence: Evidence) -> Result<KernelReport, String> {
        let Question { kernel, source, kinds, started, .. } = *q;
        let strict = self.analysis.report.strict;
        if let Engines::Explorer = self.how {
            return Ok(self.explored(q, &evidence));
        }
        let Some(searched) = evidence.searched else {
            let mut proof = evidence.proof;
            let logs = proof.as_mut().map_or(Vec::new(), |p| std::mem::take(&mut p.logs));
            let report = self.proved(kernel, source, proof, kinds, started);
            if let Engines::Prover { log: Some(dir), .. } = self.how {
                proof_log::keep(dir, kernel, &source.name, logs, &report.verdicts)?;
            }
            return Ok(report);
        };
        if searched.nothing_allowed && q.is_complete() {
            return Err("the launch does not satisfy the preconditions".into());
        }
        let mut report = if searched.nothing_allowed {
            let because = &Reason::NoLaunchSatisfies;
            simulation::unknown_report(kernel, &source.name, kinds, because)
        } else {
            simulation::searched_report(kernel, &source.name, searched, kinds, strict, started)
        };
        let simulated = report.verdicts.clone();
        if let Some(proof) = evidence.proof {
            report.explanation = safe::explain(kernel, &proof);
            proof::join(proof, &mut report.findings, &mut report.verdicts, strict);
            proof::add_absent(kernel, &mut report);
        }
        if let Some(symbolic) = evidence.symbolic {
            symbolic::join(symbolic, &simulated, &mut report, strict);
        }
        if let Some(exploration) = &evidence.explored {
            explored::join(kernel, exploration, &mut report, strict);
        }
        if let Some(execution) = &evidence.executed {
            executed::join(kernel, execution, &mut report);
        }
        if self.analysis.search.only.is_empty() {
            explored::leave_out_undecided(&mut report);
        }
        self.explain(source, &mut report);
        Ok(report)
    }

    /// The report of the exploration and of weak executions alone.
    fn explored(&self, q: &Question, evidence: &Evidence) -> KernelReport {
        let Question { kernel, source, kinds, started, .. } = *q;
        let because = Reason::NotExplored {
            why: "it does not communicate through memory, or is too large".into(),
        };
        let mut report = simulation::unknown_report(kernel, &source.name, kinds, &because);
        proof::add_absent(kernel, &mut report);
        if let Some(exploration) = &evidence.explored {
            explored::join(kernel, exploration, &mut report, self.analysis.report.strict);
        }
        if let Some(execution) = &evidence.executed {
            executed::join(kernel, execution, &mut report);
        }
        report.seconds = started.elapsed().as_secs_f64();
        report
    }

    fn say_what_the_host_has(&self, kernel: &Kernel, source: &Source, given: &Given) {
        if !self.analysis.input.verbose {
            return;
        }
        let say = |what: &str| eprintln!("{}: kernel {}: {what}", source.name, kernel.name);
        given.relations.iter().for_each(|r| say(&format!("the host has {r}")));
        given.conditions.iter().for_each(|c| say(&format!("the host has {c}")));
        for (param, bytes) in &given.sizes {
            say(&format!("the host has {bytes} bytes for {}", kernel.params[*param].name));
        }
        if let Some(bytes) = given.shared_size.as_ref().filter(|_| given.shared.is_none()) {
            say(&format!("the host has {bytes} bytes of dynamic shared memory"));
        }
        for (argument, _) in &given.bound {
            say(&format!("the host makes {argument} of others"));
        }
    }

    fn proved(
        &self,
        kernel: &Kernel,
        source: &Source,
        proof: Option<Proof>,
        kinds: &[Kind],
        started: Moment,
    ) -> KernelReport {
        let asked = !self.analysis.search.only.is_empty();
        let is_decided = |k: &Kind| k.is_decided_by(DecidedBy::Proof);
        let kinds: Vec<Kind> = kinds.iter().copied().filter(|k| asked || is_decided(k)).collect();
        let strict = self.analysis.report.strict;
        let explanation = proof.as_ref().and_then(|p| safe::explain(kernel, p));
        let report =
            simulation::proved_report(kernel, &source.name, proof, &kinds, strict, started);
        let mut report = KernelReport { explanation, ..report };
        proof::add_absent(kernel, &mut report);
        self.explain(source, &mut report);
        report
    }

    /// Keeps why the accesses are safe only where that is proved in the end (what was executed beats a proof), and says
    /// it with `--verbose`.
    fn explain(&self, source: &Source, report: &mut KernelReport) {
        let race = report.verdicts.iter().find(|(kind, _)| *kind == Kind::DataRace);
        if !matches!(race, Some((_, Verdict::Proved { .. }))) {
            report.explanation = None;
        }
        let places = report.explanation.iter().flat_map(|e| &e.places);
        for at in places.filter(|_| self.analysis.input.verbose) {
            let (line, why) = (at.place.line, at.why.join("; "));
            eprintln!("{}:{line}: kernel {}: {}: {why}", source.name, report.name, at.what);
        }
    }

    /// Says who looks at the kernel now.
    pub(crate) fn engine(&self, kernel: &Kernel, source: &Source, work: &Working, engine: Engine) {
        work.engine(engine);
        if self.analysis.input.verbose {
            eprintln!("{}: kernel {}: {}", source.name, kernel.name, engine.name());
        }
    }

    /// What the command line, the project and the source fix of the launch.
    pub(crate) fn given(&self, kernel: &Kernel, facts: &FileFacts) -> Result<Given, String> {
        let launch = &self.analysis.launch;
        let mut known = facts.dims(kernel, launch);
        // A grid of the host that no simulation could run says nothing of how the kernel is to be tried.
        let is_hosts = |d: &Fact<[u32; 3]>| !d.origin.is_users();
        let of_host = known.grid.filter(is_hosts).zip(known.block);
        let is_huge = of_host.is_some_and(|(grid, block)| {
            dims::threads_of(grid.value, block.value) > u128::from(dims::MAX_THREADS)
        });
        if is_huge {
            known.grid = None;
        }
        let mut global = None;
        if let Some(size) = facts.global(launch) {
            let (groups, rest) = dims::of_global(kernel, size, known.block.map(|b| b.value))?;
            (known.grid, global) = (Some(Fact::new(groups, Origin::CommandLine)), rest);
        }
        let or_one = |d: Option<Fact<[u32; 3]>>| d.unwrap_or(Fact::new([1; 3], Origin::Choice));
        Dims { grid: or_one(known.grid), block: or_one(known.block) }.validate(kernel)?;
        let args = facts.args(kernel, &launch.parsed_args()?, &known)?;
        let shared = facts.shared(kernel, launch, &known);
        // Who asks for any dimension does not mean those of the host.
        let any = |d: Option<DimArg>| d.is_some_and(|d| d.exactly().is_none());
        let related = match any(launch.grid) || any(launch.block) {
            true => Related::default(),
            false => facts.relations(kernel, &known, &args),
        };
        let Related { mut relations, conditions, sizes, shared: shared_size, bound } = related;
        let told = relations.len() + conditions.len();
        let is_grid = |r: &Relation| matches!(Dimension::named(&r.name), Some(Dimension::Grid(_)));
        relations.retain(|r| !(is_huge && is_grid(r)));
        let Known { grid, block } = known;
        let mut given = Given {
            grid,
            block,
            global,
            shared,
            shared_size,
            args,
            relations,
            conditions,
            sizes,
            bound,
        };
        if too_large(kernel).is_some() {
            given.relations.clear();
            given.conditions.clear();
        } else if told > 0 {
            leave_satisfiable(kernel, &mut given);
        }
        // They are those of launches that agree with all of it.
        if given.relations.len() + given.conditions.len() < told {
            given.sizes.clear();
            given.shared_size = None;
        }
        Ok(given)
    }
}

/// Whether the user asks for a standard in which work-groups may differ in size. Without a word, a program is built as
/// OpenCL C 1.2, though it may be compiled here as a later one.
pub(crate) fn asks_for_opencl_2(clang_args: &[OsString]) -> bool {
    let standard = clang_args.iter().rev().find_map(|a| a.to_str()?.strip_prefix("-cl-std="));
    standard.is_some_and(|s| !s.to_ascii_uppercase().starts_with("CL1"))
}

pub(crate) fn seconds(s: f64) -> Duration {
    Duration::try_from_secs_f64(s).unwrap_or(Duration::MAX)
}

/// The name of a parameter or a variable.
fn array_name(kernel: &Kernel, array: Array) -> String {
    match array {
        Array::Param(p) => kernel.params[p].name.clone(),
        Array::Object(o) => kernel.objects[o.0 as usize].name.clone(),
    }
}

/// A launch with a value for every scalar, to read an assumption by.
pub(crate) fn named_launch(kernel: &Kernel) -> Launch {
    let one = |p: &Param| (p.name.clone(), ArgValue::Scalar("1".into()));
    let scalar = |p: &&Param| matches!(p.kind, ParamKind::Scalar { count: 1, .. });
    let args = kernel.params.iter().filter(scalar).map(one).collect();
    Launch { args, ..Launch::default() }
}
