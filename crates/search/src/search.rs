//! The order of a search: known facts, seeds, evolution, then the examination of the findings.
//!
//! If the initial launch deadlocks because it lacks something that a caller provides, it is changed so that it
//! terminates ([`first_link`], [`waits`]). Then launches are tried ([`crate::explore`]), each bug's launch is shrunk
//! and its condition is searched for ([`shrink`]), and barriers are judged and proposed ([`crate::advise`]).

use lockstep_finding::{Fact, Finding, Kind, Launch, Origin, Reason};
use lockstep_kernel::Kernel;
use lockstep_simulate::bind;

use crate::advise::redundant_barriers;
use crate::advise::remedies::{Advisor, Remedy};
use crate::blame::arguments::first_link;
use crate::blame::waits;
use crate::explore::driver::{Done, Driver, EFFORT, LONG};
use crate::explore::ledger::Key;
use crate::explore::trial::Lab;
use crate::given::{Alias, Given};
use crate::settings::{Settings, is_over};
use crate::shrink;
use crate::space::Space;
use crate::space::candidate::{Candidate, Contents, Gene, Rule};
use crate::space::launch::Sizes;

/// Values for integer arguments that a precondition is likely to allow.
const LIKELY_INTEGERS: [i64; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 0, 3, 7, 31, 100];
/// Divisors of sizes where the ordinary ones take too long.
const SMALLER: [i64; 2] = [8, 64];

/// The result of a search.
#[derive(Clone, Debug, Default)]
pub struct Searched {
    /// With their launches; the conditional ones last.
    pub findings: Vec<Finding>,
    /// For each finding, the rule that led to it.
    pub rules: Vec<Rule>,
    /// For each finding, the barrier or fence that its help names.
    pub remedies: Vec<Option<Remedy>>,
    /// Why some kinds remain unknown.
    pub doubts: Vec<(Kind, Reason)>,
    /// Further notes about a kind, which are not findings.
    pub notes: Vec<(Kind, String)>,
    /// Launches simulated in full.
    pub launches: usize,
    /// The only one of them, or the first; one that did not complete if none did.
    pub launch: Option<Launch>,
    /// How many blocks of the ordinary launch were executed, of how many, if the budget did not suffice for all.
    pub sampled: Option<(u64, u64)>,
    /// Access sites reached by some launch, and the number of all sites.
    pub sites: (usize, usize),
    /// Whether anything in the launch was left to choose, so that other launches may reach more of them.
    pub may_vary: bool,
    /// Why the absence of findings proves nothing, if so.
    pub incomplete: Option<Reason>,
    /// Why an ordinary launch was given up, if others completed.
    pub cut: Option<Reason>,
    /// Whether no launch was found that the preconditions allow.
    pub nothing_allowed: bool,
    pub steps: u64,
}

/// Searches for launches of the kernel that expose a bug.
pub fn search(kernel: &Kernel, given: &Given, settings: &Settings) -> Result<Searched, String> {
    let mut space = Space::new(kernel, given);
    if let Some(genes) = allowed_genes(&space, settings)? {
        space.fix(genes);
    } else {
        return Ok(Searched { nothing_allowed: true, ..Searched::default() });
    }
    let first_link =
        first_link::first_link(&Lab::new(&space, settings), settings.config.max_steps / EFFORT);
    if let Some(link) = &first_link {
        space.begin(link.array, Contents::First);
    }
    let steps = settings.config.max_steps / EFFORT;
    let standstill = match first_link {
        Some(_) => None,
        None => waits::standstill(&Lab::new(&space, settings), steps),
    };
    let agreed;
    if let Some(still) = &standstill {
        let genes = space.plain().genes;
        let relations = given.relations.iter().chain(&still.relations).cloned().collect();
        agreed = Given { relations, ..given.clone() };
        space = Space::new(kernel, &agreed);
        space.fix(genes);
        space.blocks.insert(0, still.block);
        space.grids.insert(0, still.grid);
    }
    let mut lab = Lab::new(&space, settings);
    lab.config.barrier_needs = settings.config.kinds.contains(&Kind::RedundantBarrier);
    let mut driver = Driver::new(lab, settings);
    driver.take_sample();
    let population = driver.seeds()?;
    insist(&mut driver)?;
    driver.suggestions()?;
    if driver.may_evolve() {
        driver.evolve(population)?;
    }
    if !settings.only_suggested {
        driver.turning_points();
        driver.begin_chains();
    }
    driver.fall_back();
    let mut searched = finish(driver);
    let told = |f: &Finding| searched.findings.iter().any(|o| Key::of(o) == Key::of(f));
    let begun = first_link.map(|link| link.finding);
    let still = standstill.map(|still| still.finding).filter(|f| !told(f));
    let asked = |f: &Finding| settings.config.kinds.contains(&f.kind);
    for finding in begun.into_iter().chain(still).filter(asked) {
        searched.findings.push(finding);
        searched.rules.push(Rule::Ordinary);
        searched.remedies.push(None);
    }
    Ok(searched)
}

/// Genes of the first candidate that the preconditions allow; `None` if there is none.
fn allowed_genes(space: &Space, settings: &Settings) -> Result<Option<Vec<Gene>>, String> {
    let lab = Lab::new(space, settings);
    let plain = space.plain();
    // A precondition in the source is evaluated by executing the kernel.
    let requires =
        space.kernel.insts().any(|i| matches!(i.op, lockstep_kernel::Op::Requires { .. }));
    let allowed = |c: &Candidate| -> Result<bool, String> {
        let c = &space.agreeing(c);
        if !space.is_possible(c) {
            return Ok(false);
        }
        let launch = space.launch(c, &Sizes::default(), settings.seed);
        if !(settings.allowed)(&launch) {
            return Ok(false);
        }
        bind::bind(space.kernel, &launch)?;
        Ok(!requires || lab.simulate(&launch, settings.config.max_steps)?.violated.is_none())
    };
    if allowed(&plain)? {
        return Ok(Some(plain.genes));
    }
    // A constant in the precondition is a likely value.
    let is_int = |i: usize| !space.slots[i].ty.is_float();
    let known = |i: usize, k: usize| space.slots[i].hints.compared_with.get(k).map(|&c| c as i64);
    let mut candidates: Vec<Candidate> = Vec::new();
    for k in 0..3 {
        let mut c = plain.clone();
        for i in (0..c.genes.len()).filter(|&i| is_int(i)) {
            if let Some(v) = known(i, k).or(known(i, 0)) {
                c.genes[i] = Gene::Int(space.clamp(i, v));
            }
        }
        candidates.push(c);
    }
    for v in LIKELY_INTEGERS {
        let mut c = plain.clone();
        for i in (0..c.genes.len()).filter(|&i| is_int(i)) {
            c.genes[i] = Gene::Int(space.clamp(i, v));
        }
        candidates.push(c.clone());
        let mut with_known = c;
        for i in (0..with_known.genes.len()).filter(|&i| is_int(i)) {
            if let Some(v) = known(i, 0) {
                with_known.genes[i] = Gene::Int(space.clamp(i, v));
            }
        }
        if candidates.last() != Some(&with_known) {
            candidates.push(with_known);
        }
    }
    for c in candidates {
        if is_over(&settings.config) {
            break;
        }
        if allowed(&c)? {
            return Ok(Some(c.genes));
        }
    }
    Ok(None)
}

/// If no ordinary launch completed, and nothing was found that is certain without one, smaller launches are tried, and
/// then the first one gets the remaining budget.
fn insist(driver: &mut Driver) -> Result<(), String> {
    let settled = |d: &Driver| d.done.iter().any(|d| d.complete && !d.odd);
    let budget = driver.broken.as_ref().is_some_and(Reason::is_budget);
    if settled(driver) || !budget || !driver.may_vary() || shrink::is_certain(driver) {
        return Ok(());
    }
    for parts in SMALLER {
        driver.steps_left = driver.settings.config.max_steps / EFFORT;
        let smaller =
            driver.space().smaller(parts).filter(|_| !driver.is_over() && !settled(driver));
        if let Some(smaller) = smaller {
            // A launch that exceeds a device's limits is skipped.
            let _ = driver.full(&smaller, false);
        }
    }
    let plain = driver.space().plain();
    if let Some(trial) = driver.lab.try_out(&plain, driver.settings.config.max_steps, false)? {
        driver.broken = None;
        driver.record(trial, false);
        driver.steps_left = driver.settings.config.max_steps / EFFORT;
    }
    Ok(())
}

/// Tries fixes for the findings, also in the ordinary launch and in the one with the largest blocks.
fn remedies(driver: &Driver, settled: &mut [shrink::Settled]) -> Vec<Option<Remedy>> {
    let bind = |kernel: &Kernel, launch: &Launch| driver.lab.shelf.bind(kernel, launch).ok();
    let steps = driver.settings.config.max_steps / EFFORT;
    let mut advisor = None;
    let usual = || driver.done.iter().filter(|d| d.complete && !d.odd && d.steps <= LONG);
    let threads = |l: &Launch| l.block.iter().product::<u32>();
    let largest = usual().max_by_key(|d| (threads(&d.launch), std::cmp::Reverse(d.steps)));
    let others: Vec<&Launch> = usual().take(1).chain(largest).map(|d| &d.launch).collect();
    let advise = |s: &mut shrink::Settled| {
        let kernel = driver.space().kernel;
        let advisor =
            advisor.get_or_insert_with(|| Advisor::new(kernel, &driver.lab.config, &bind, steps));
        if s.is_untold { advisor.advise(&mut s.finding, &others) } else { None }
    };
    settled.iter_mut().map(advise).collect()
}

fn finish(mut driver: Driver) -> Searched {
    let judgement = redundant_barriers::judge(&driver);
    driver.reserve();
    let mut settled = shrink::settle(&mut driver);
    let mut remedies = remedies(&driver, &mut settled);
    let mut findings = Vec::new();
    let mut rules = Vec::new();
    for s in settled {
        findings.push(s.finding);
        rules.push(s.rule);
    }
    // The conditional ones come last.
    let plain = findings.iter().take_while(|f| f.holds_when.is_none()).count();
    for finding in judgement.findings {
        findings.insert(plain, finding);
        rules.insert(plain, Rule::Ordinary);
        remedies.insert(plain, None);
    }
    let mut notes = std::mem::take(&mut driver.notes);
    let counted = driver.ledger.only_counted();
    driver
        .doubts
        .extend(counted.iter().map(|&(kind, others)| (kind, Reason::OthersOnlyCounted { others })));
    for (kind, others) in counted {
        if let Some(last) = findings.iter_mut().rfind(|f| f.kind == kind) {
            last.help.push(format!("{others} more of this kind, at other places, are not listed"));
        }
    }
    notes.extend(judgement.notes.into_iter().map(|n| (Kind::RedundantBarrier, n)));
    let ordinary = |d: &&Done| !d.odd;
    let any_complete = driver.done.iter().filter(ordinary).any(|d| d.complete);
    let excused = |f: &Finding| f.kind != Kind::Deadlock || f.holds_when.is_some();
    let judged = driver.settings.config.kinds.contains(&Kind::Deadlock);
    if !any_complete || !judged || !findings.iter().all(excused) {
        driver.broken = driver.broken.take().or(driver.stuck.take());
    }
    let budget = driver.broken.as_ref().is_some_and(Reason::is_budget);
    // Some launches are always given up after a number of steps; it is reported only if that is the first one, or if
    // time ran out.
    let first = driver.done.iter().any(|d| d.complete && d.candidate.rule == Rule::Ordinary);
    let is_told = |b: &Reason| !first || b.is_time();
    let (cut, incomplete) = match any_complete && budget {
        true => (driver.broken.clone().filter(is_told), None),
        false => (None, driver.broken.clone()),
    };
    let inside = |d: &Done| d.complete && !d.odd && !d.beyond;
    // Launches that only ended because threads went beyond arrays of our size show nothing of any kind.
    if any_complete && !driver.done.iter().any(inside) {
        let kinds = driver.settings.config.kinds.iter();
        driver.doubts.extend(kinds.map(|&kind| (kind, Reason::BeyondChosenSizes)));
    }
    let whole = driver.done.iter().find(|d| d.complete).or(driver.done.first());
    Searched {
        findings,
        rules,
        remedies,
        notes,
        launches: driver.done.iter().filter(|d| d.complete && !d.beyond).count(),
        launch: whole.map(|d| d.launch.clone()),
        sampled: driver.sampled,
        sites: driver.sites(),
        may_vary: driver.may_vary(),
        incomplete,
        cut,
        nothing_allowed: driver.done.is_empty(),
        steps: driver.settings.config.max_steps.saturating_sub(driver.steps_left),
        doubts: driver.doubts,
    }
}

/// Keeps only usable facts from the host: relations that some launch satisfies, for otherwise they were misread, and
/// conditions that the ordinary launch satisfies.
pub fn leave_satisfiable(kernel: &Kernel, given: &mut Given) {
    let related = Space::new(kernel, given).related;
    if related.is_empty() {
        given.relations.clear();
    }
    given.conditions = related.conditions();
}

/// An ordinary launch for each of some dimensions (grid and block), if what is given allows it. A kernel that callers
/// would launch with one block, or with blocks of one thread, gets no more of them.
pub fn ordinary_launches(
    kernel: &Kernel,
    given: &Given,
    dimensions: &[([u32; 3], [u32; 3])],
    seed: u64,
) -> Vec<Launch> {
    let chosen = |dims: [u32; 3]| Some(Fact::new(dims, Origin::Choice));
    let usual = Space::new(kernel, given).plain();
    let size = |dims: [u32; 3]| dims.iter().map(|&n| u64::from(n)).product::<u64>();
    let is_usual = |&&(grid, block): &&([u32; 3], [u32; 3])| {
        size(grid) <= size(usual.grid) && size(block) <= size(usual.block)
    };
    let launch = |&(grid, block): &([u32; 3], [u32; 3])| {
        let given =
            Given { grid: chosen(grid), block: chosen(block), global: None, ..given.clone() };
        let space = Space::new(kernel, &given);
        let plain = space.plain();
        let fits = space.is_possible(&plain) && plain.grid == grid && plain.block == block;
        fits.then(|| space.launch(&plain, &Sizes::default(), seed))
    };
    dimensions.iter().filter(is_usual).filter_map(launch).collect()
}

/// Launches that callers would make: no odd value, and no size of 0 or 1, for which almost anything can be proved.
pub fn usual_launches(kernel: &Kernel, given: &Given, seed: u64) -> Vec<Launch> {
    let space = Space::new(kernel, given);
    let mut seeds = space.seeds(Alias::Never);
    let plain = space.plain();
    let is_nothing =
        |c: &Candidate, i: usize| space.slots[i].is_size() && c.int(i) <= 1 && plain.int(i) > 1;
    seeds.retain(|c| {
        space.oddities(c).is_empty() && !(0..space.slots.len()).any(|i| is_nothing(c, i))
    });
    seeds.iter().map(|c| space.launch(c, &Sizes::default(), seed)).collect()
}
