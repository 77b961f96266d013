//! One kernel through the engines.
//!
//! What the command line and the source say of a launch is kept; for the prover the
//! rest may be anything, and the search chooses it. Where nothing is left to
//! choose, that is one launch. `check` asks the prover first and gives the models
//! of its alarms to the search, which tries them as launches.

use std::cell::Cell;
use std::ffi::OsString;
use std::time::{Duration, Instant};

use lockstep_finding::{
    ArgValue, Condition, DecidedBy, Fact, InputError, KernelReport, Kind, Launch, Origin, Reason,
    Statement, Verdict,
};
use lockstep_kernel::{Array, Kernel, Param, ParamKind, edit};
use lockstep_prove::{Assumptions, Model, Proof};
use lockstep_search::{
    Alias, Given, Remedy, Rule, Searched, Settings, leave_satisfiable, remainders, search,
    usual_launches,
};
use lockstep_simulate::{Config, too_large};

use crate::dims::{self, DimArg, Dims, Known};
use crate::interrupt;
use crate::launch_facts::{FileFacts, assumptions_hold};
use crate::load::{Source, error};
use crate::options::{Analysis, Evolve};
use crate::premises::Premises;
use crate::progress::{Engine, Progress, Working};
use crate::proof;
use crate::relations::Related;
use crate::safe;
use crate::several;
use crate::simulation;
use crate::verdicts;

/// Seconds for a kernel where nobody says more.
pub(crate) const DEFAULT_BUDGET: f64 = 10.0;

/// The seconds that a kernel has.
pub(crate) fn budget(analysis: &Analysis) -> f64 {
    analysis.search.budget.unwrap_or(DEFAULT_BUDGET)
}

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

/// Ways in which a host launches a kernel, each of which takes as long as one.
const MOST_WAYS: usize = 4;
/// As good as no limit.
const A_DAY: Duration = Duration::from_secs(24 * 3600);
/// The prover's part of the budget where the search follows: of the work, which is counted, and of the time, which ends it
/// only on a machine that is very busy.
const PROVER_SHARE: f64 = 0.3;
const PROVER_PATIENCE: f64 = 0.6;
/// Work beyond which it has had its chance, in seconds.
const PROVER_MOST: f64 = 2.0;
/// Work for the proof of a remedy.
const REMEDY_WORK: Duration = Duration::from_millis(500);
/// Work for one question to the solver where the search follows, and where it does not (`lockstep_prove::Config`).
const SHORT_WORK: u32 = 200;
const LONG_WORK: u32 = 2000;
/// Findings whose remedies the prover is asked about.
const MOST_PROVED_REMEDIES: usize = 2;
/// The part of its time in which the search cannot have been cut short: then it stops looking for more.
const SEARCH_UNHURRIED: f64 = 0.6;

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
struct Share {
    /// What is counted: it does not hang on how long anything took before.
    work: f64,
    /// What is left of the time.
    time: f64,
}

/// One way in which the host launches a kernel: with all that is known of it, a report of it hangs on nothing else.
#[derive(Debug)]
pub(crate) struct Way {
    pub(crate) given: Given,
    /// Whose launches the host's facts in it are of.
    host: Origin,
    /// Parameters that point into one array, or into a variable.
    aliases: Vec<edit::Alias>,
}

/// All of them, as far as they are looked at.
#[derive(Debug)]
pub(crate) struct Ways {
    pub(crate) first: Way,
    others: Vec<Way>,
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
            Engines::Prover { .. } => self.proved(kernel, source, None, &kinds, Instant::now()),
            _ => simulation::unknown_report(kernel, &source.name, &kinds, &Reason::Interrupted),
        }
    }

    /// How the host launches a kernel.
    pub(crate) fn ways(&self, kernel: &Kernel, facts: &FileFacts) -> Result<Ways, String> {
        let way = |i: usize| {
            facts.choose(i);
            let given = self.given(kernel, facts);
            let mut aliases = facts.aliases(kernel, &self.analysis.launch);
            facts.choose(0);
            let given = given?;
            // Who gives an array means that one.
            aliases.retain(|a| given.args[a.param].is_none());
            let host = facts.host_origin(kernel);
            Ok::<Way, String>(Way { given, host, aliases })
        };
        let first = way(0)?;
        let all = facts.ways(kernel, &self.analysis.launch);
        let others = (1..all.min(MOST_WAYS)).map(way).collect::<Result<_, _>>()?;
        Ok(Ways { first, others })
    }

    /// In all the ways in which the host launches it, each with its part of the time. Where these are too many, or time is
    /// over, a proof still names what it took from those that were looked at.
    fn look_at_all(
        &self,
        kernel: &Kernel,
        source: &Source,
        ways: &Ways,
    ) -> Result<KernelReport, InputError> {
        let started = Instant::now();
        let budget = budget(self.analysis);
        let count = 1 + ways.others.len();
        let part = |left: usize| {
            let elapsed = started.elapsed().as_secs_f64();
            let left_over =
                if self.analysis.search.reproducible { budget } else { budget - elapsed };
            Share { work: budget / count as f64, time: left_over / left.max(1) as f64 }
        };
        let mut reports = vec![self.look_at(kernel, source, &ways.first, part(count))?];
        for way in &ways.others {
            let part = part(count - reports.len());
            if part.time <= 0.0 || self.analysis.input.cancel.is_cancelled() {
                self.hurried.set(true);
                break;
            }
            reports.push(self.look_at(kernel, source, way, part)?);
        }
        Ok(several::join(reports).expect("one way at least"))
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
    fn name_aliases(
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
        let (given, host) = (&way.given, way.host);
        let started = Instant::now();
        let fail =
            |message: String| error(&source.name, format!("kernel {}: {message}", kernel.name));
        let mut config = simulation::config(self.analysis, DEFAULT_BUDGET, self.workers, true);
        config.deadline = config
            .deadline
            .map(|d| started.checked_add(seconds(budget.time)).map_or(d, |part| d.min(part)));
        let kinds = config.kinds.clone();
        for relation in given.relations.iter().filter(|_| self.analysis.input.verbose) {
            eprintln!("{}: kernel {}: the host has {relation}", source.name, kernel.name);
        }
        for condition in given.conditions.iter().filter(|_| self.analysis.input.verbose) {
            eprintln!("{}: kernel {}: the host has {condition}", source.name, kernel.name);
        }
        for (param, bytes) in given.sizes.iter().filter(|_| self.analysis.input.verbose) {
            let array = &kernel.params[*param].name;
            let name = &kernel.name;
            eprintln!("{}: kernel {name}: the host has {bytes} bytes for {array}", source.name);
        }
        for (argument, _) in given.bound.iter().filter(|_| self.analysis.input.verbose) {
            let name = &kernel.name;
            eprintln!("{}: kernel {name}: the host makes {argument} of others", source.name);
        }
        let work = self.progress.begin(&kernel.name, Engine::Prove, Some(seconds(budget.time)));
        if !matches!(self.how, Engines::Search(_)) {
            self.engine(kernel, source, &work, Engine::Prove);
        }
        let proof = match self.how {
            Engines::Search(_) => None,
            Engines::Prover { .. } if given.global.is_some() => {
                let because = &Reason::OneGroupSizeOnly;
                return Ok(simulation::unknown_report(kernel, &source.name, &kinds, because));
            }
            _ if given.global.is_some() => None,
            Engines::Prover { may_alias } => Some(
                self.prove(kernel, given, host, *may_alias, &kinds, budget, false).map_err(fail)?,
            ),
            Engines::All(how) => {
                let may_alias = how.alias == Alias::All;
                let share = Share {
                    work: (budget.work * PROVER_SHARE).min(PROVER_MOST),
                    time: budget.time * PROVER_PATIENCE,
                };
                let mut proof = self
                    .prove(kernel, given, host, may_alias, &kinds, share, true)
                    .map_err(fail)?;
                if too_large(kernel).is_none() {
                    let seed = self.analysis.launch.seed;
                    proof::leave_usual(&mut proof, &|| usual_launches(kernel, given, seed));
                }
                Some(proof)
            }
        };
        let how = match self.how {
            Engines::Search(how) | Engines::All(how) => how,
            Engines::Prover { .. } => {
                let mut proof = proof;
                if let Some(proof) = proof.as_mut().filter(|p| proof::has_confirmed(p)) {
                    // What is called confirmed has been seen.
                    let how = Evolve { population: 0, generations: 0, ..Evolve::default() };
                    let seen = self.search(kernel, source, given, &how, config, Some(proof), &work);
                    proof::keep_confirmed(proof, &seen.map_or(Vec::new(), |s| s.findings));
                }
                return Ok(self.proved(kernel, source, proof, &kinds, started));
            }
        };
        // A launch that was given in full is wanted.
        let is_complete = given.is_complete(kernel.objects.iter().any(|o| o.dynamic));
        let settled = |p: &&Proof| kinds.iter().all(|k| proof::settles(p, *k));
        if let Some(settled) = proof.as_ref().filter(settled)
            && !is_complete
            && !self.analysis.search.simulate_proved
        {
            return Ok(self.proved(kernel, source, Some(settled.clone()), &kinds, started));
        }
        let mut searched =
            self.search(kernel, source, given, how, config, proof.as_ref(), &work).map_err(fail)?;
        if proof.is_some() {
            self.prove_remedies(way, how, &mut searched, started, budget.time);
        }
        if searched.nothing_allowed && is_complete {
            return Err(fail("the launch does not satisfy the preconditions".into()));
        }
        let strict = self.analysis.report.strict;
        let mut report = if searched.nothing_allowed {
            let because = &Reason::NoLaunchSatisfies;
            simulation::unknown_report(kernel, &source.name, &kinds, because)
        } else {
            simulation::searched_report(kernel, &source.name, searched, &kinds, strict, started)
        };
        if let Some(proof) = proof {
            report.explanation = safe::explain(kernel, &proof);
            proof::join(proof, &mut report.findings, &mut report.verdicts, strict);
            proof::add_absent(kernel, &mut report);
        }
        self.explain(source, &mut report);
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
        let is_proved = |k: &Kind| k.is_decided_by(DecidedBy::Proof);
        let kinds: Vec<Kind> = kinds.iter().copied().filter(|k| asked || is_proved(k)).collect();
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

    fn prove(
        &self,
        kernel: &Kernel,
        given: &Given,
        host: Origin,
        may_alias: bool,
        kinds: &[Kind],
        share: Share,
        usual: bool,
    ) -> Result<Proof, String> {
        let args = &self.analysis.launch;
        // What is wrong with an assumption does not hang on the launch.
        assumptions_hold(&args.assume, &named_launch(kernel))?.ok();
        let mut premises = Premises::new(kernel, given, args, may_alias, host, usual)?;
        // What is usual is read off the whole kernel, which takes long where it is very large.
        if too_large(kernel).is_none() {
            premises.add_usual(usual);
        }
        let assumptions = premises.assumptions(&premises.all());
        let work = if usual { SHORT_WORK } else { LONG_WORK };
        let jobs = (simulation::jobs(self.analysis) / self.workers.max(1)).max(1);
        let started = Instant::now();
        let cancel = &self.analysis.input.cancel;
        let patience = match self.analysis.search.reproducible {
            true => A_DAY,
            false => seconds(share.time),
        };
        let (budget, mut spent) = (seconds(share.work), Duration::ZERO);
        let mut run = |assumptions: &Assumptions, kinds: &[Kind], most: Duration, brief: bool| {
            let (left, time) =
                (budget.saturating_sub(spent), patience.saturating_sub(started.elapsed()));
            let left = left.min(most);
            let proof =
                proof::run(kernel, assumptions, kinds, left, time, work, jobs, brief, cancel);
            spent += proof.stats.spent;
            (proof, budget.saturating_sub(spent))
        };
        let related = premises.related();
        // What the host says more of its launches gets its part, too.
        let first = if related.is_some() { budget / 2 } else { budget };
        let (mut proof, mut left) = run(&assumptions, kinds, first, false);
        let open = proof::open(&proof);
        // With less taken for given, if that is proved as well.
        let mut settled = proof::settled(&proof);
        for taken in premises.weaker(&proof) {
            if settled.is_empty() || left <= budget / 4 {
                break;
            }
            let less = premises.assumptions(&taken);
            let again;
            (again, left) = run(&less, &settled, budget, true);
            let taken = premises.replace_weaker(&mut proof, &assumptions, again, &less);
            settled.retain(|k| !taken.contains(k));
        }
        if let Some(related) = related {
            // Then as the host launches it.
            if !open.is_empty() && left > budget / 10 {
                let again;
                (again, left) = run(&related, &open, budget, false);
                let is_whole = !left.is_zero() && started.elapsed() < patience;
                proof::replace(&mut proof, again, is_whole);
            }
            let may_be_hosts = |m: &Model| premises.may_be_hosts(m);
            proof.alarms.retain(|a| a.model.as_ref().is_none_or(may_be_hosts));
        }
        if self.analysis.input.verbose {
            let (work, time) = ((budget - left.min(budget)).as_secs_f64(), started.elapsed());
            eprintln!(
                "kernel {}: {work:.2} s of work for the prover, in {:.2} s",
                kernel.name,
                time.as_secs_f64()
            );
            for row in proof.stats.rules.iter().filter(|r| r.applied > 0) {
                eprintln!(
                    "kernel {}: {}: applied {} of {} times, {} questions without a model, {:.3} s",
                    kernel.name,
                    row.name,
                    row.applied,
                    row.tried,
                    row.refuted,
                    row.time.as_secs_f64()
                );
            }
        }
        if usual {
            // The verdict's own condition says it.
            proof.alarms.retain(|alarm| !alarm.overflows);
        }
        if proof.late && started.elapsed() >= patience {
            self.hurried.set(true);
        }
        Ok(proof)
    }

    /// Asks the prover, without the solver, whether a kernel is free of races with what the help names, and says so.
    fn prove_remedies(
        &self,
        way: &Way,
        how: &Evolve,
        searched: &mut Searched,
        started: Instant,
        budget: f64,
    ) {
        let found = searched.findings.iter_mut().zip(&searched.remedies);
        let tried = found.filter_map(|(f, r)| Some((f, r.as_ref()?)));
        let races = tried.filter(|(f, _)| f.kind == Kind::DataRace);
        for (finding, remedy) in races.take(MOST_PROVED_REMEDIES) {
            let weakest_first = remedy.weaker.as_deref().into_iter().chain([remedy]);
            let is_proved = |r: &&Remedy| {
                let left = seconds((budget - started.elapsed().as_secs_f64()).max(0.0));
                self.is_proved_at_once(&r.kernel, way, how, left)
            };
            if let Some(best) = { weakest_first }.find(is_proved) {
                let tried = "tried: then the kernel is proved free of data races";
                finding.help[0] = format!("{} ({tried})", best.text);
            }
        }
    }

    /// Whether the kernel is proved free of races as usual, without the solver.
    fn is_proved_at_once(&self, kernel: &Kernel, way: &Way, how: &Evolve, time: Duration) -> bool {
        let args = &self.analysis.launch;
        let (given, may_alias) = (&way.given, how.alias == Alias::All);
        let premises = Premises::new(kernel, given, args, may_alias, way.host, true);
        let Some(mut premises) = premises.ok().filter(|_| too_large(kernel).is_none()) else {
            return false;
        };
        premises.add_usual(true);
        let assumptions = premises.assumptions(&premises.all());
        let cancel = &self.analysis.input.cancel;
        let kinds = [Kind::DataRace];
        let proof = proof::run(kernel, &assumptions, &kinds, REMEDY_WORK, time, 0, 1, true, cancel);
        proof::settles(&proof, Kind::DataRace)
    }

    fn search(
        &self,
        kernel: &Kernel,
        source: &Source,
        given: &Given,
        how: &Evolve,
        config: Config,
        proof: Option<&Proof>,
        work: &Working,
    ) -> Result<Searched, String> {
        if let Some(why) = too_large(kernel) {
            return Ok(Searched { incomplete: Some(why), ..Searched::default() });
        }
        let dynamic = kernel.objects.iter().any(|o| o.dynamic);
        let one = given.is_complete(dynamic);
        self.engine(kernel, source, work, if one { Engine::Simulate } else { Engine::Search });
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
            may_race: proof.and_then(proof::may_race),
            without_excuse: self.analysis.search.without_excuse.clone(),
            progress: &|p| work.search(p),
            log: if self.analysis.input.verbose { Some(&say) } else { None },
        };
        let started = Instant::now();
        let mut searched = search(kernel, given, &settings)?;
        let looked = !searched.nothing_allowed && searched.incomplete.is_none();
        if looked && asks_for_opencl_2(&self.analysis.input.clang_args) {
            let smaller = remainders(kernel, given, &settings);
            searched.rules.extend(smaller.iter().map(|_| Rule::Ordinary));
            searched.remedies.extend(smaller.iter().map(|_| None));
            searched.findings.extend(smaller);
        }
        let time = settings.config.deadline.map(|d| d.saturating_duration_since(started));
        if time.is_some_and(|t| started.elapsed() > t.mul_f64(SEARCH_UNHURRIED)) {
            self.hurried.set(true);
        }
        if self.analysis.input.verbose {
            for (finding, rule) in searched.findings.iter().zip(&searched.rules) {
                let line = finding.primary().map_or(0, |a| a.place.line);
                say(&format!("{} at line {line}: found by {rule}", finding.kind));
            }
        }
        Ok(searched)
    }

    /// Says who looks at the kernel now.
    fn engine(&self, kernel: &Kernel, source: &Source, work: &Working, engine: Engine) {
        work.engine(engine);
        if self.analysis.input.verbose {
            eprintln!("{}: kernel {}: {}", source.name, kernel.name, engine.name());
        }
    }

    /// What the command line, the project and the source fix of the launch.
    pub(crate) fn given(&self, kernel: &Kernel, facts: &FileFacts) -> Result<Given, String> {
        let launch = &self.analysis.launch;
        let mut known = facts.dims(kernel, launch);
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
        let Related { relations, conditions, sizes, bound } = related;
        let told = relations.len() + conditions.len();
        let Known { grid, block } = known;
        let mut given =
            Given { grid, block, global, shared, args, relations, conditions, sizes, bound };
        if too_large(kernel).is_some() {
            given.relations.clear();
            given.conditions.clear();
        } else if told > 0 {
            leave_satisfiable(kernel, &mut given);
        }
        // They are those of launches that agree with all of it.
        if given.relations.len() + given.conditions.len() < told {
            given.sizes.clear();
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

fn seconds(s: f64) -> Duration {
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
fn named_launch(kernel: &Kernel) -> Launch {
    let one = |p: &Param| (p.name.clone(), ArgValue::Scalar("1".into()));
    let scalar = |p: &&Param| matches!(p.kind, ParamKind::Scalar { count: 1, .. });
    let args = kernel.params.iter().filter(scalar).map(one).collect();
    Launch { args, ..Launch::default() }
}
