//! Which launches are simulated, in which order, and their results.

use lockstep_cancel::Moment;
use std::collections::{HashSet, VecDeque};
use std::rc::Rc;

use lockstep_finding::{Kind, Launch, Reason};
use lockstep_kernel::SiteKind;
use lockstep_kernel::slice::address_slice;
use lockstep_simulate::BarrierSurvey;

use super::evolve::{Evolution, Reached, Scored, sort};
use super::ledger::Ledger;
use super::trial::{Lab, Trial};
use crate::settings::{Progress, Settings, is_over, is_past};
use crate::space::Space;
use crate::space::candidate::{Candidate, Contents, Rule};
use crate::space::launch::Sizes;

/// Maximum number of deadlocked launches that are repeated with the first element of their chain set.
const MOST_BEGUN: usize = 2;
/// Generations without a new result after which the search ends.
const PATIENCE: usize = 3;
/// Launches simulated in full for each generation.
const FULL_RUNS: usize = 3;
/// Warp instructions beyond which a launch is too long to be repeated often.
pub(crate) const LONG: u64 = 200_000;
/// Once something was found, the budget always allows this many launches as long as the first one.
const RERUNS: u64 = 40;
/// This fraction of the budget is for launches other than the first one.
pub(crate) const EFFORT: u64 = 200;

/// Maximum number of repeated launches that are cached.
const MOST_REPEATED: usize = 256;

/// A launch that was simulated in full.
pub(crate) struct Done {
    pub(crate) candidate: Candidate,
    pub(crate) launch: Launch,
    pub(crate) odd: bool,
    pub(crate) complete: bool,
    /// Whether threads accessed memory beyond arrays that could not be made larger: races there are unknown.
    pub(crate) beyond: bool,
    pub(crate) steps: u64,
    /// Branch outcomes and accesses that no earlier launch reached.
    pub(crate) news: usize,
    pub(crate) barriers: Option<BarrierSurvey>,
}

pub(crate) struct Driver<'a> {
    pub(crate) lab: Lab<'a>,
    pub(crate) settings: &'a Settings<'a>,
    pub(crate) ledger: Ledger,
    pub(crate) done: Vec<Done>,
    /// Branch outcomes and accesses reached by launches simulated in full.
    pub(crate) reached: Reached,
    /// The same for the runs of the slice.
    looked: Reached,
    /// Branches that accesses depend on, by block.
    matter: Vec<bool>,
    seen: HashSet<String>,
    pub(crate) steps_left: u64,
    odd_limit: u64,
    pub(crate) doubts: Vec<(Kind, Reason)>,
    pub(crate) notes: Vec<(Kind, String)>,
    progress: Progress,
    /// Why an ordinary launch was not executed to its end.
    pub(crate) broken: Option<Reason>,
    /// The same where it deadlocked: the chosen launch may be the cause.
    pub(crate) stuck: Option<Reason>,
    /// The smallest F, over all addresses and over written ones, that was simulated in full during the evolution.
    best_run: (f64, f64),
    /// The repeated launches, the latest first: bugs that show in one launch need the same others.
    repeated: VecDeque<Rc<Trial>>,
    /// The simulation of some blocks of the first launch, if it has very many, and their number.
    pub(crate) sample: Option<(Trial, u64)>,
    /// The number of sampled blocks and of all blocks, if only the sample completed.
    pub(crate) sampled: Option<(u64, u64)>,
    /// The time after which launches are no longer shrunk.
    shrink_until: Option<Moment>,
    /// The time at which the evolution has to end, so that there is time to examine the findings.
    evolve_until: Option<Moment>,
}

impl<'a> Driver<'a> {
    pub(crate) fn new(lab: Lab<'a>, settings: &'a Settings<'a>) -> Driver<'a> {
        let kernel = lab.space.kernel;
        let mut matter = vec![false; kernel.blocks.len()];
        for b in &lab.space.hints.access_branches {
            matter[b.0 as usize] = true;
        }
        let max = settings.config.max_steps;
        let now = Moment::now();
        let time = settings.config.deadline.map(|d| d.saturating_duration_since(now));
        let part = |tenths: u32| time.map(|t| now + t * tenths / 10);
        Driver {
            lab,
            settings,
            ledger: Ledger::new(&settings.config.kinds),
            done: Vec::new(),
            reached: Reached::default(),
            looked: Reached::default(),
            matter,
            seen: HashSet::new(),
            steps_left: max,
            odd_limit: (max / EFFORT / 20).max(1),
            doubts: Vec::new(),
            notes: Vec::new(),
            progress: Progress {
                generations: settings.generations,
                best_f: 1.0,
                ..Progress::default()
            },
            broken: None,
            stuck: None,
            best_run: (f64::INFINITY, f64::INFINITY),
            repeated: VecDeque::new(),
            sample: None,
            sampled: None,
            shrink_until: part(9),
            evolve_until: part(8),
        }
    }

    pub(crate) fn space(&self) -> &'a Space<'a> {
        self.lab.space
    }

    pub(crate) fn is_over(&self) -> bool {
        self.steps_left == 0 || is_over(&self.settings.config)
    }

    pub(crate) fn suggestions(&mut self) -> Result<(), String> {
        for wish in &self.settings.suggested {
            let candidate = self.space().suggested(wish);
            if self.space().is_possible(&candidate) && !self.is_over() {
                // A launch that exceeds a device's limits is skipped.
                let _ = self.full(&candidate, false);
            }
        }
        Ok(())
    }

    /// Simulates the seeds; returns the population to evolve.
    pub(crate) fn seeds(&mut self) -> Result<Vec<Candidate>, String> {
        let seeds = self.space().seeds(self.settings.alias);
        for (i, seed) in seeds.iter().enumerate() {
            let enough = self.settings.only_suggested || is_past(self.evolve_until);
            if i > 0 && (self.is_over() || enough) {
                break;
            }
            let odd = !self.space().oddities(seed).is_empty();
            if i > 0 && self.is_dear() && (odd || self.done.len() > 3) {
                continue;
            }
            let result = self.full(seed, i == 0);
            if i == 0 {
                result?;
                self.steps_left = self.steps_left.min(self.settings.config.max_steps / EFFORT);
            }
            self.tell();
        }
        Ok(seeds)
    }

    /// Repeats launches that deadlocked, with the first element of their chain set: the code after the wait was not
    /// executed.
    pub(crate) fn begin_chains(&mut self) {
        let flags = self.lab.space.flags();
        let still = self.ledger.entries.iter().filter(|e| e.finding.kind == Kind::Deadlock);
        let still: Vec<Candidate> =
            still.map(|e| self.done[e.trial].candidate.clone()).take(MOST_BEGUN).collect();
        for (candidate, &i) in still.iter().flat_map(|c| flags.iter().map(move |i| (c, i))) {
            let mut begun = candidate.clone();
            begun.contents[i] = Contents::First;
            // A launch that exceeds a device's limits is skipped.
            let _ = self.full(&begun, false);
        }
    }

    /// Launches beyond the thread counts at which the kernel's arithmetic changes, where something may still race.
    pub(crate) fn turning_points(&mut self) {
        if self.settings.config.kinds.contains(&Kind::OutOfBounds)
            && !self.is_dear()
            && let Some(candidate) = self.space().launch_beyond_arrays()
        {
            // A launch that exceeds a device's limits is skipped.
            let _ = self.full(&candidate, false);
        }
        let settled = self.settings.may_race.as_ref().is_some_and(Vec::is_empty);
        let asked = self.settings.config.kinds.contains(&Kind::DataRace);
        if settled || !asked || self.is_dear() || self.everything_races() {
            return;
        }
        let (launches, beyond) = self.space().turning_launches();
        let left = self.begin_check();
        for candidate in launches {
            if self.is_over() || is_past(self.shrink_until) {
                break;
            }
            // A launch that exceeds a device's limits is skipped.
            let _ = self.full(&candidate, false);
            self.tell();
        }
        self.end_check(left);
        if let Some(n) = beyond.filter(|_| !self.everything_races()) {
            let note =
                format!("no launch of more than {n} threads, a constant of the kernel, was tried");
            self.notes.push((Kind::DataRace, note));
        }
    }

    /// The cost of the first launch, up to a limit. If the budget allows many longer launches, the limit is higher.
    fn usual_steps(&self) -> u64 {
        let long = LONG.max(self.settings.config.max_steps / EFFORT);
        self.done.first().map_or(0, |d| d.steps.min(long))
    }

    /// Ensures that enough budget is left to examine the findings: whether they are ordinary, and what they depend on.
    pub(crate) fn reserve(&mut self) {
        let least = self.settings.config.max_steps / EFFORT;
        self.steps_left = self.steps_left.max(least).max(RERUNS * self.usual_steps());
    }

    /// Ensures that the given number of usual launches can be simulated.
    pub(crate) fn grant(&mut self, launches: u64) {
        let usual = (self.settings.config.max_steps / EFFORT / 10).max(2 * self.usual_steps());
        self.steps_left = self.steps_left.max(launches.saturating_mul(usual));
    }

    /// Whether one launch costs so much that only a few can be tried.
    fn is_dear(&self) -> bool {
        self.done.first().is_some_and(|d| d.steps > LONG)
    }

    /// Whether anything relevant in the launch is left to choose.
    pub(crate) fn may_vary(&self) -> bool {
        let space = self.space();
        let free = |f: [bool; 3]| f.contains(&true);
        self.has_inputs() || free(space.free_block()) || free(space.free_grid())
    }

    /// Whether the launch has arguments or contents to choose.
    fn has_inputs(&self) -> bool {
        let space = self.space();
        !space.slots.is_empty() || space.arrays.iter().any(|a| a.matters)
    }

    /// If there are only dimensions to choose, the seeds are sufficient: small steps from there only make launches
    /// larger, which F mistakes for better ones.
    pub(crate) fn may_evolve(&self) -> bool {
        self.has_inputs()
            && !self.settings.only_suggested
            && self.settings.population > 0
            && !self.is_dear()
            && !self.is_over()
            && self.broken.is_none()
            && self.stuck.is_none()
            && !self.nothing_is_left()
    }

    /// Algorithm 1.
    pub(crate) fn evolve(&mut self, seeds: Vec<Candidate>) -> Result<(), String> {
        let slice = address_slice(self.space().kernel);
        let config = self.lab.config.clone();
        let mut evolution = Evolution::new(self.space(), slice, config, self.settings.seed);
        let size = self.settings.population;
        // Candidates that reached something first, then the rest in order.
        let small =
            |c: &Candidate| c.block_threads() <= self.space().plain().block_threads().max(64);
        let telling = |c: &Candidate| self.done.iter().any(|d| d.news > 0 && d.candidate == *c);
        let (mut first, rest): (Vec<Candidate>, Vec<Candidate>) =
            seeds.into_iter().filter(small).partition(telling);
        first.extend(rest);
        first.truncate(size.div_ceil(2));
        while first.len() < size {
            first.push(evolution.random());
        }
        let mut population: Vec<Scored> = Vec::new();
        self.add(&mut population, &evolution, first);
        sort(&mut population);
        let mut quiet = 0;
        for generation in 1..=self.settings.generations {
            let late = self.is_over() || is_past(self.evolve_until);
            if late || quiet >= PATIENCE || self.nothing_is_left() {
                break;
            }
            let mut children = Vec::new();
            for parent in &population {
                children.extend(evolution.children(&parent.candidate, generation as u32));
            }
            children.retain(|c| self.space().is_possible(c));
            let best = population.first().map_or(1.0, |s| s.f);
            let news = self.add(&mut population, &evolution, children);
            sort(&mut population);
            population.truncate(size);
            self.progress.generation = generation;
            let found = self.promising(&mut population)?;
            let closer = population.first().is_some_and(|s| s.f < best - 1e-9);
            let better = closer && self.settings.may_race.as_ref().is_none_or(|p| !p.is_empty());
            quiet = if news > 0 || found > 0 || better { 0 } else { quiet + 1 };
            self.tell();
        }
        Ok(())
    }

    /// Scores candidates and adds them to the population; returns how much they newly reached.
    fn add(
        &mut self,
        population: &mut Vec<Scored>,
        evolution: &Evolution,
        candidates: Vec<Candidate>,
    ) -> usize {
        let mut total = 0;
        for candidate in candidates {
            if self.is_over() {
                break;
            }
            let Some(print) = evolution.look(&candidate, &self.lab.shelf) else { continue };
            self.steps_left = self.steps_left.saturating_sub(print.steps);
            let news = self.looked.add(&print.coverage, &self.matter);
            total += news;
            let scored = Evolution::score(candidate, &print, news);
            self.progress.best_f = self.progress.best_f.min(scored.f);
            population.push(scored);
        }
        total
    }

    /// Simulates in full the candidates that reached something new or are acceptable; returns the number of new bugs.
    fn promising(&mut self, population: &mut [Scored]) -> Result<usize, String> {
        let accept = self.settings.accept;
        let mut found = 0;
        let mut runs = 0;
        for scored in population.iter_mut().filter(|s| s.news > 0 || s.f < accept) {
            if runs == FULL_RUNS || self.is_over() {
                break;
            }
            let (f, written) = self.best_run;
            let better = scored.f < f - 0.01 || scored.written_f < written - 0.01;
            // One in a generation may be no better than earlier ones.
            if scored.news == 0 && !better && runs > 0 {
                continue;
            }
            // Its novelty counts only once.
            scored.news = 0;
            if let Ok(Some(new)) = self.full(&scored.candidate, false) {
                self.best_run = (f.min(scored.f), written.min(scored.written_f));
                found += new;
                runs += 1;
            }
        }
        Ok(found)
    }

    /// Simulates a candidate, unless the same launch was simulated before; returns the number of new bugs.
    pub(crate) fn full(
        &mut self,
        candidate: &Candidate,
        first: bool,
    ) -> Result<Option<usize>, String> {
        let space = self.space();
        let candidate = &space.agreeing(candidate);
        let launch = space.launch(candidate, &Sizes::default(), self.settings.seed);
        if !self.seen.insert(key(&launch)) {
            return Ok(None);
        }
        let odd = !space.oddities(candidate).is_empty();
        let most = self.settings.config.max_steps;
        let limit = match (first, odd) {
            (true, _) if self.may_vary() => (most / EFFORT * 2).max(1),
            (true, _) => most,
            // Other contents take as long as the first ones.
            (false, false) if is_turning(candidate) => self.steps_left.min(most / EFFORT / 2),
            (false, false) => self.steps_left.min((most / EFFORT / 10).max(2 * self.usual_steps())),
            (false, true) => self.steps_left.min(self.odd_limit),
        };
        let trial = self.lab.try_out(candidate, limit.max(1), false)?;
        let Some(trial) = trial else { return Ok(None) };
        if odd && trial.outcome.incomplete.is_some() {
            self.odd_limit = (self.odd_limit / 4).max(100_000);
        }
        Ok(Some(self.record(trial, odd)))
    }

    /// Simulates a slightly changed candidate; it may take `longer` times as long as usual.
    pub(crate) fn again(&mut self, candidate: &Candidate, longer: u64) -> Option<Rc<Trial>> {
        let candidate = &self.space().agreeing(candidate);
        if let Some(known) = self.repeated.iter().find(|t| t.candidate.is_same_launch(candidate)) {
            return Some(known.clone());
        }
        if self.is_over() {
            return None;
        }
        let limit = self.steps_left.min(self.steps_of_one().saturating_mul(longer)).max(1);
        let trial = self.lab.try_out(candidate, limit, true).ok()??;
        self.steps_left = self.steps_left.saturating_sub(trial.outcome.stats.warp_steps);
        let trial = Rc::new(trial);
        if trial.outcome.incomplete.is_none() {
            self.repeated.truncate(MOST_REPEATED - 1);
            self.repeated.push_front(trial.clone());
        }
        Some(trial)
    }

    /// The steps that one launch may usually take.
    pub(crate) fn steps_of_one(&self) -> u64 {
        (self.settings.config.max_steps / EFFORT / 10).max(2 * self.usual_steps())
    }

    /// Gives the check of a condition a budget of its own, so that enough is left to examine other bugs; returns the
    /// remaining budget.
    pub(crate) fn begin_check(&mut self) -> u64 {
        std::mem::replace(&mut self.steps_left, self.settings.config.max_steps / EFFORT)
    }

    pub(crate) fn end_check(&mut self, left: u64) {
        self.steps_left = left;
    }

    /// Whether the remaining time is reserved for examining findings, not for shrinking launches.
    pub(crate) fn is_late(&self) -> bool {
        is_past(self.shrink_until)
    }

    pub(crate) fn record(&mut self, trial: Trial, odd: bool) -> usize {
        let steps = trial.outcome.stats.warp_steps;
        self.steps_left = self.steps_left.saturating_sub(steps);
        let complete = trial.outcome.incomplete.is_none();
        let news = self.reached.add(&trial.outcome.coverage, &self.matter);
        let oddities = if odd { self.space().oddities(&trial.candidate).len().max(1) } else { 0 };
        let new = self.ledger.add(self.done.len(), &trial, oddities);
        if !odd {
            // That an array is too small for a larger launch as well is irrelevant; it is enough that it was large
            // enough for one.
            let first = self.done.is_empty();
            if complete || first {
                let told = |kind: Kind| first || kind != Kind::OutOfBounds || !trial.beyond;
                self.doubts.extend(trial.doubts.into_iter().filter(|(kind, _)| told(*kind)));
            }
            let stands = trial.outcome.findings.iter().any(|f| f.kind == Kind::Deadlock);
            let why = if stands { &mut self.stuck } else { &mut self.broken };
            if why.is_none() && !is_turning(&trial.candidate) {
                why.clone_from(&trial.outcome.incomplete);
            }
        }
        if let Some(log) = self.settings.log {
            let values: Vec<String> =
                trial.launch.args.iter().map(|(n, v)| short(n, &v.to_string())).collect();
            log(&format!(
                "launch {}: {}: grid {}, block {}, {}: {news} new outcomes, {} findings ({new} new)",
                self.done.len() + 1,
                trial.candidate.rule,
                lockstep_finding::launch::dims_text(trial.launch.grid),
                lockstep_finding::launch::dims_text(trial.launch.block),
                values.join(" "),
                trial.outcome.findings.len()
            ));
        }
        self.done.push(Done {
            candidate: trial.candidate,
            launch: trial.launch,
            odd,
            complete,
            beyond: trial.beyond,
            steps,
            news,
            barriers: trial.outcome.barriers,
        });
        new
    }

    /// Whether every branch that an access depends on went both ways, and every pair of accesses that can conflict was
    /// seen to race, or is known not to.
    fn nothing_is_left(&self) -> bool {
        self.reached.all_branches(&self.matter) && self.everything_races()
    }

    fn everything_races(&self) -> bool {
        let space = self.space();
        let races: Vec<_> =
            self.ledger.entries.iter().filter(|e| e.finding.kind == Kind::DataRace).collect();
        if races.is_empty() && self.settings.may_race.is_none() {
            return false;
        }
        let at = |site: lockstep_kernel::SiteId| {
            let loc = space.kernel.loc(space.kernel.site(site).loc);
            (loc.line, loc.column)
        };
        let raced = |a: (u32, u32), b: (u32, u32)| {
            races.iter().any(|e| {
                let is_one =
                    |w| e.finding.accesses.iter().any(|a| (a.place.line, a.place.column) == w);
                is_one(a) && is_one(b)
            })
        };
        match &self.settings.may_race {
            Some(pairs) => pairs.iter().all(|&(a, b)| raced(at(a), at(b))),
            None => space.hints.pairs.all(at, raced),
        }
    }

    pub(crate) fn sites(&self) -> (usize, usize) {
        let kernel = self.space().kernel;
        let is_access =
            |k: SiteKind| matches!(k, SiteKind::Read | SiteKind::Write | SiteKind::Atomic);
        let sites = || kernel.sites.iter().enumerate().filter(|(_, s)| is_access(s.kind));
        (sites().filter(|(i, _)| self.reached.site(*i)).count(), sites().count())
    }

    fn tell(&mut self) {
        self.progress.sites = self.sites();
        self.progress.findings = self.ledger.entries.len();
        self.progress.launches = self.done.len();
        (self.settings.progress)(&self.progress);
    }
}

/// Whether a launch is tried for its number of threads: it may be too long for the budget, and that is acceptable.
fn is_turning(candidate: &Candidate) -> bool {
    matches!(candidate.rule, Rule::Turning(_))
}

fn key(launch: &Launch) -> String {
    use std::fmt::Write;
    let mut text = format!("{:?} {:?} {}", launch.grid, launch.block, launch.shared);
    for (_, value) in &launch.args {
        let _ = write!(text, " {value}");
    }
    text
}

/// `n=64`, with long values abbreviated.
fn short(name: &str, value: &str) -> String {
    let cut: String = value.chars().take(40).collect();
    let dots = if cut.len() < value.len() { "…" } else { "" };
    format!("{name}={cut}{dots}")
}
