//! One kernel through the engines.
//!
//! What the command line and the source say of a launch is kept; for the prover the
//! rest may be anything, and the search chooses it. Where nothing is left to
//! choose, that is one launch. `check` asks the prover first and gives the models
//! of its alarms to the search, which tries them as launches.

use std::cell::Cell;
use std::time::{Duration, Instant};

use lockstep_finding::{ArgValue, InputError, KernelReport, Kind, Launch, Verdict};
use lockstep_kernel::{Kernel, Param, ParamKind, edit};
use lockstep_prove::{Assumptions, Proof};
use lockstep_search::{
    Alias, Given, Rule, Searched, Settings, leave_satisfiable, remainders, search, usual_launches,
};
use lockstep_simulate::{Config, bind, too_large};

use crate::dims::{self, DimArg, Dims, From};
use crate::interrupt;
use crate::launch_facts::{FileFacts, assumptions_hold};
use crate::load::{Source, error};
use crate::options::{Analysis, Evolve};
use crate::progress::{Engine, Progress, Working};
use crate::proof;
use crate::relations::Related;
use crate::safe;
use crate::several;
use crate::simulation;
use crate::verdicts;

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

/// Ways in which a host launches a kernel, each of which takes as long as one.
const MOST_WAYS: usize = 4;
/// As good as no limit.
const A_DAY: Duration = Duration::from_secs(24 * 3600);
/// The prover's part of the budget where the search follows.
const PROVER_SHARE: f64 = 0.3;
/// Seconds beyond which it has had its chance.
const PROVER_MOST: f64 = 2.0;
/// Work for one question to the solver where the search follows, and where it does not (`lockstep_prove::Config`).
const SHORT_WORK: u32 = 200;
const LONG_WORK: u32 = 2000;
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
    /// Set where more time could have given another answer.
    pub(crate) hurried: Cell<bool>,
}

/// One way in which the host launches a kernel: with all that is known of it, a report of it hangs on nothing else.
#[derive(Debug)]
pub(crate) struct Way {
    pub(crate) given: Given,
    /// Pairs of parameters, by position, that get one array.
    same: Vec<(usize, usize)>,
}

/// All of them, as far as they are looked at.
#[derive(Debug)]
pub(crate) struct Ways {
    pub(crate) first: Way,
    others: Vec<Way>,
    /// How many there are.
    all: usize,
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
            return looked_at;
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
            _ => simulation::unknown_report(kernel, &source.name, &kinds, interrupt::BECAUSE),
        }
    }

    /// How the host launches a kernel.
    pub(crate) fn ways(&self, kernel: &Kernel, facts: &FileFacts) -> Result<Ways, String> {
        let way = |i: usize| {
            facts.choose(i);
            let given = self.given(kernel, facts);
            let same = facts.same(kernel, &self.analysis.launch);
            facts.choose(0);
            Ok::<Way, String>(Way { given: given?, same })
        };
        let first = way(0)?;
        let all = facts.ways(kernel, &self.analysis.launch);
        let others = (1..all.min(MOST_WAYS)).map(way).collect::<Result<_, _>>()?;
        Ok(Ways { first, others, all })
    }

    /// In all the ways in which the host launches it, each with its part of the time. Where these are too many, or time is
    /// over, proofs say so.
    fn look_at_all(
        &self,
        kernel: &Kernel,
        source: &Source,
        ways: &Ways,
    ) -> Result<KernelReport, InputError> {
        let started = Instant::now();
        let budget = self.analysis.search.budget.unwrap_or(DEFAULT_BUDGET);
        let part = |left: usize| {
            let elapsed = started.elapsed().as_secs_f64();
            let left_over =
                if self.analysis.search.reproducible { budget } else { budget - elapsed };
            left_over / left.max(1) as f64
        };
        let count = 1 + ways.others.len();
        let mut report = self.look_at(kernel, source, &ways.first, part(count))?;
        let mut seen = 1;
        for way in &ways.others {
            let part = part(count - seen);
            if part <= 0.0 || self.analysis.input.cancel.is_cancelled() {
                self.hurried.set(true);
                break;
            }
            several::join(&mut report, self.look_at(kernel, source, way, part)?);
            seen += 1;
        }
        if seen < ways.all {
            let only =
                format!("it is launched as in the first {seen} of {} ways of the host", ways.all);
            for (_, verdict) in &mut report.verdicts {
                if let Verdict::Proved { assumes } = verdict {
                    assumes.push(only.clone());
                }
            }
        }
        Ok(report)
    }

    /// In one of them. Parameters that get one array there are one.
    fn look_at(
        &self,
        kernel: &Kernel,
        source: &Source,
        way: &Way,
        budget: f64,
    ) -> Result<KernelReport, InputError> {
        if way.same.is_empty() {
            return self.look_at_given(kernel, source, &way.given, budget);
        }
        let (aliased, pairs) = edit::aliased(kernel, &way.same);
        let mut report = self.look_at_given(&aliased, source, &way.given, budget)?;
        let found = report.findings.iter_mut().filter_map(|f| f.launch.as_mut());
        for launch in found.chain(&mut report.launch) {
            for &(kept, gone) in &pairs {
                let [param, own] = [kept, gone].map(|p| kernel.params[p].name.clone());
                let same = ArgValue::SameAs { param, offset: 0 };
                launch.args.iter_mut().filter(|a| a.0 == own).for_each(|a| a.1 = same.clone());
            }
        }
        Ok(report)
    }

    fn look_at_given(
        &self,
        kernel: &Kernel,
        source: &Source,
        given: &Given,
        budget: f64,
    ) -> Result<KernelReport, InputError> {
        let started = Instant::now();
        let fail =
            |message: String| error(&source.name, format!("kernel {}: {message}", kernel.name));
        let mut config = simulation::config(self.analysis, DEFAULT_BUDGET, self.workers, true);
        config.deadline = config
            .deadline
            .map(|d| started.checked_add(seconds(budget)).map_or(d, |part| d.min(part)));
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
        let work = self.progress.begin(&kernel.name, Engine::Prove, Some(seconds(budget)));
        if !matches!(self.how, Engines::Search(_)) {
            self.engine(kernel, source, &work, Engine::Prove);
        }
        let proof = match self.how {
            Engines::Search(_) => None,
            Engines::Prover { .. } if given.global.is_some() => {
                let because = "the prover knows only work-groups of one size";
                return Ok(simulation::unknown_report(kernel, &source.name, &kinds, because));
            }
            _ if given.global.is_some() => None,
            Engines::Prover { may_alias } => {
                Some(self.prove(kernel, given, *may_alias, &kinds, budget, false).map_err(fail)?)
            }
            Engines::All(how) => {
                let may_alias = how.alias == Alias::All;
                let budget = (budget * PROVER_SHARE).min(PROVER_MOST);
                let mut proof =
                    self.prove(kernel, given, may_alias, &kinds, budget, true).map_err(fail)?;
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
        let searched =
            self.search(kernel, source, given, how, config, proof.as_ref(), &work).map_err(fail)?;
        if searched.nothing_allowed && is_complete {
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
        let kinds: Vec<Kind> =
            kinds.iter().copied().filter(|k| asked || proof::PROVABLE.contains(k)).collect();
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
        // What is usual is read off the whole kernel, which takes long where it is very large.
        let mut facts = proof::assume_dims(&given.relations, &mut assumptions);
        let (axes, guesses) = match usual && too_large(kernel).is_none() {
            true => proof::usual(kernel, &given.relations, &mut assumptions),
            false => Default::default(),
        };
        facts.extend(axes);
        let unguessed = assumptions.clone();
        let guessed = proof::assume_guesses(&guesses, &mut assumptions);
        let mut named = [&guessed[..], &facts].concat();
        let work = if usual { SHORT_WORK } else { LONG_WORK };
        let jobs = (simulation::jobs(self.analysis) / self.workers.max(1)).max(1);
        let started = Instant::now();
        let cancel = &self.analysis.input.cancel;
        let time = match self.analysis.search.reproducible {
            true => A_DAY,
            false => seconds(budget),
        };
        let run = |assumptions: &Assumptions, kinds: &[Kind], time: Duration, brief: bool| {
            proof::run(kernel, assumptions, kinds, time, work, jobs, brief, cancel)
        };
        let mut proof = run(&assumptions, kinds, time, false);
        let open = proof::open(&proof);
        let mut under: Vec<(Kind, Vec<String>)> =
            proof.verdicts.iter().map(|(k, _)| (*k, guessed.clone())).collect();
        // With less guessed, or nothing, if that is proved as well.
        let mut weaker = proof::weaker(&guesses, &proof);
        while let Some(guesses) = weaker.take_if(|_| started.elapsed() < time / 2) {
            let mut assumptions = unguessed.clone();
            let guessed = proof::assume_guesses(&guesses, &mut assumptions);
            let again = run(&assumptions, &proof::settled(&proof), time - started.elapsed(), true);
            let taken = proof::replace_weaker(&mut proof, again);
            under
                .iter_mut()
                .filter(|(k, _)| taken.contains(k))
                .for_each(|u| u.1.clone_from(&guessed));
            weaker = proof::weaker(&guesses, &proof);
        }
        for (kind, guessed) in under {
            proof::name_usual(&mut proof, &[kind], &[&guessed[..], &facts].concat());
        }
        let left = time.saturating_sub(started.elapsed());
        let related = proof::assume_related(kernel, given, &mut assumptions);
        if !related.is_empty() && !open.is_empty() && left > time / 10 {
            // Then as the host launches it.
            let mut again = run(&assumptions, &open, left, false);
            named.extend(related);
            proof::name_usual(&mut again, &open, &named);
            proof::replace(&mut proof, again, started.elapsed() < time);
        }
        if usual {
            // The verdict's own condition says it.
            proof.alarms.retain(|alarm| !alarm.overflows);
        }
        if proof.late {
            self.hurried.set(true);
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
            progress: &|p| work.search(p),
            log: if self.analysis.input.verbose { Some(&say) } else { None },
        };
        let started = Instant::now();
        let mut searched = search(kernel, given, &settings)?;
        let looked = !searched.nothing_allowed && searched.incomplete.is_none();
        if looked && asks_for_opencl_2(&self.analysis.input.clang_args) {
            let smaller = remainders(kernel, given, &settings);
            searched.rules.extend(smaller.iter().map(|_| Rule::Ordinary));
            searched.findings.extend(smaller);
        }
        let time = settings.config.deadline.map(|d| d.saturating_duration_since(started));
        if time.is_some_and(|t| started.elapsed() > t.mul_f64(SEARCH_UNHURRIED)) {
            self.hurried.set(true);
        }
        if self.analysis.input.verbose {
            for (finding, rule) in searched.findings.iter().zip(&searched.rules) {
                let line = finding.accesses.first().map_or(0, |a| a.place.line);
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
        let (mut grid, block) = facts.dims(kernel, launch);
        let mut global = None;
        if let Some(size) = facts.global(launch) {
            let (groups, rest) = dims::of_global(kernel, size, block.map(|b| b.0))?;
            (grid, global) = (Some((groups, From::CommandLine)), rest);
        }
        let or_one = |d: Option<([u32; 3], From)>| d.unwrap_or(([1; 3], From::KernelBounds));
        let ((g, grid_from), (b, block_from)) = (or_one(grid), or_one(block));
        let dims = Dims { grid: g, block: b, grid_from, block_from };
        dims.validate(kernel.language)?;
        let mut values = launch.parsed_args()?;
        values.extend(facts.source_args(kernel, &values, &dims)?);
        let (grid, block) = (grid.map(|g| g.0), block.map(|b| b.0));
        let shared = facts.shared(kernel, launch, &dims);
        let args = bind::resolve(kernel, &values)?;
        // Who asks for any dimension does not mean those of the host.
        let any = |d: Option<DimArg>| d.is_some_and(|d| d.exactly().is_none());
        let related = match any(launch.grid) || any(launch.block) {
            true => Related::default(),
            false => facts.relations(kernel, grid, block, &args),
        };
        let Related { relations, conditions, sizes, bound } = related;
        let told = relations.len() + conditions.len();
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
fn asks_for_opencl_2(clang_args: &[String]) -> bool {
    let standard = clang_args.iter().rev().find_map(|a| a.strip_prefix("-cl-std="));
    standard.is_some_and(|s| !s.to_ascii_uppercase().starts_with("CL1"))
}

fn seconds(s: f64) -> Duration {
    Duration::try_from_secs_f64(s).unwrap_or(Duration::MAX)
}

/// A launch with a value for every scalar, to read an assumption by.
fn named_launch(kernel: &Kernel) -> Launch {
    let one = |p: &Param| (p.name.clone(), ArgValue::Scalar("1".into()));
    let scalar = |p: &&Param| matches!(p.kind, ParamKind::Scalar { count: 1, .. });
    let args = kernel.params.iter().filter(scalar).map(one).collect();
    Launch { args, ..Launch::default() }
}
