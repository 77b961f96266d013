//! From decided questions to verdicts.

use std::time::{Duration, Instant};

use lockstep_finding::{
    Claim, Condition, Confidence, Dependent, Kind, Place, Question, Reason, Severity, SourceLine,
    Statement, Verdict, When,
};
use lockstep_kernel::{Barrier, Kernel, ParamKind, SiteId};

use crate::alarm::line_of;
use crate::context::{Ctx, FnKind, Hints, Level};
use crate::divergence::What;
use crate::exec::{self, Mode};
use crate::hidden::{Narrowed, Shape};
use crate::meter::Meter;
use crate::pair::Pairs;
use crate::race::{Candidate, Limits, Purpose, Tiles, is_block_barrier};
use crate::solve::{Outcome, SHORT};
use crate::term::{Bin, Node, T};
use crate::walk::{Assignment, reachable};
use crate::{Alarm, Assumptions, Config, Proof, Safe, Stats};

/// Work for a small model.
const MODEL_WORK: u32 = 1000;

/// Work for one question under a condition of the catalogue, and for all of its conditions together.
const CONDITION_WORK: u32 = 300;
const CATALOGUE: u64 = 2000;

/// How many of the conditions are tried where there is little time for each kernel.
const BRIEF: usize = 1;

/// How many of the conditions are tried with the solver at once.
const USUAL: usize = 3;

/// How many conditions on sizes alone are tried where an alarm rests on values from memory.
const SIZES_TRIED: usize = 4;

/// A budget too long for the clock.
const FOREVER: Duration = Duration::from_secs(1 << 30);

/// What one evaluation of the kernel gave.
pub(crate) struct Analysis {
    pub(crate) verdicts: Vec<(Kind, Verdict)>,
    pub(crate) alarms: Vec<Alarm>,
    pub(crate) stats: Stats,
    pub(crate) race: Verdict,
    race_alarms: Vec<Alarm>,
    may_race: Option<Vec<(SiteId, SiteId)>>,
    /// What parameters are to the indices.
    shape: Shape,
    /// There was something that no operation here models.
    gap: bool,
    /// Why accesses do not race, where they do not.
    safe: Option<Vec<Safe>>,
    /// The launches that the verdict on races is about.
    pub(crate) under: (Assumptions, Hints),
}

pub(crate) fn prove(kernel: &Kernel, assumptions: &Assumptions, config: &Config) -> Proof {
    let started = Instant::now();
    let meter = Meter::new(config.budget);
    let limits = Limits {
        jobs: config.jobs.max(1),
        work: if config.brief { 0 } else { config.work },
        deadline: started.checked_add(config.patience).unwrap_or(started + FOREVER),
        budget: config.budget,
        meter: &meter,
        purpose: if config.brief { Purpose::Proof } else { Purpose::Report },
        cancel: &config.cancel,
    };
    // Where dimensions are free, most questions that take long have no short answer without a condition on them: the
    // usual conditions come before long questions.
    let free = assumptions.block.iter().chain(&assumptions.grid).any(|d| *d == crate::DimSpec::Any);
    let short = Limits { work: limits.work.min(SHORT), ..limits };
    let passes: &[Limits] = if free && SHORT < limits.work { &[short, limits] } else { &[limits] };
    let all = |limits| analyse(kernel, assumptions, Hints::default(), &config.kinds, limits);
    let mut first = all(passes[0]);
    for (i, &limits) in passes.iter().enumerate() {
        if limits.cancel.is_cancelled() {
            break;
        }
        if i > 0 && !first.gap && first.stats.timeouts > 0 && open(&first) {
            first = all(limits);
        }
        if config.kinds.contains(&Kind::DataRace) && !first.gap {
            look_for_condition(kernel, assumptions, &mut first, config, limits);
        }
    }
    if config.kinds.contains(&Kind::RedundantBarrier) {
        crate::redundant::find(kernel, &mut first, limits);
    }
    first.stats.seconds = started.elapsed().as_secs_f64();
    let Analysis { mut verdicts, alarms, stats, safe, may_race, under: (under, _), .. } = first;
    for (_, verdict) in &mut verdicts {
        if let Verdict::Proved { assumes } = verdict {
            Condition::add(assumes, assumptions.unsaid());
        }
    }
    // An alarm may be one of those that a condition excuses, if there had been time to find it.
    let is_open = verdicts.iter().any(|(_, v)| !matches!(v, Verdict::Proved { .. }));
    let late = is_open && limits.are_over() && !limits.cancel.is_cancelled();
    let stats = Stats { spent: Duration::from_millis(meter.spent()), ..stats };
    Proof { verdicts, alarms, stats, late, safe, may_race, grid: under.grid, block: under.block }
}

/// Whether more time for a question may change a verdict.
fn open(a: &Analysis) -> bool {
    let late = |v: &Verdict| matches!(v, Verdict::Unknown { because: Reason::Undecided { .. } });
    matches!(a.race, Verdict::Unknown { .. }) || a.verdicts.iter().any(|(_, v)| late(v))
}

pub(crate) fn analyse(
    kernel: &Kernel,
    assumptions: &Assumptions,
    hints: Hints,
    kinds: &[Kind],
    limits: Limits,
) -> Analysis {
    let mut ctx = Ctx::new(kernel, assumptions, hints);
    let mut exec = exec::run(&mut ctx, limits);
    if let Some(sharper) = crate::requires::sharpen(&mut exec, assumptions) {
        return analyse(kernel, &sharper, hints, kinds, limits);
    }
    let mut pairs = prepare(exec);
    if let Some(because) = pairs.gap(limits) {
        let unknown = Verdict::Unknown { because };
        return Analysis {
            verdicts: kinds.iter().map(|k| (*k, unknown.clone())).collect(),
            alarms: Vec::new(),
            stats: Stats::default(),
            race: unknown,
            race_alarms: Vec::new(),
            may_race: None,
            shape: Shape::default(),
            safe: None,
            gap: true,
            under: (assumptions.clone(), hints),
        };
    }
    let divergence = pairs.check_divergence(limits);
    if pairs.exec.warp_values && divergence.warps.is_some() {
        let hints = Hints { lanes_apart: true, ..hints };
        return analyse(kernel, assumptions, hints, kinds, limits);
    }
    let race = pairs.check_races(&divergence, limits);
    let mut verdicts = Vec::new();
    let mut alarms = Vec::new();
    for &kind in kinds {
        let verdict = match kind {
            Kind::DataRace => {
                alarms.extend(race.alarms.iter().cloned());
                race.verdict.clone()
            }
            Kind::BarrierDivergence => {
                alarms.extend(divergence.alarms.iter().cloned());
                divergence.verdict(&race)
            }
            Kind::OutOfBounds => {
                let absent = matches!(race.verdict, Verdict::Proved { .. });
                let (verdict, found) = pairs.check_bounds(limits, absent);
                alarms.extend(found);
                verdict
            }
            Kind::Assertion => {
                let absent = matches!(race.verdict, Verdict::Proved { .. });
                let (verdict, found) = pairs.check_asserts(limits, absent);
                alarms.extend(found);
                verdict
            }
            _ => Verdict::Unknown { because: Reason::NotLookedForByProver { kind } },
        };
        verdicts.push((kind, verdict));
    }
    let (mut control, mut data) = (true, true);
    for i in 0..pairs.exec.accesses.len() {
        let (c, d) = pairs.approximations(i);
        control &= c.is_empty();
        data &= d.is_empty();
    }
    let stats = Stats {
        accesses: pairs.exec.accesses.len(),
        by_arithmetic: pairs.solver.by_arithmetic,
        shared: pairs.solver.shared,
        queries: pairs.solver.solved,
        timeouts: pairs.solver.timeouts,
        solver_seconds: pairs.solver.solver_time.as_secs_f64(),
        work: pairs.solver.work,
        spent: Duration::ZERO,
        seconds: 0.0,
        control_independent: control,
        data_independent: data,
    };
    let may_race = race.is_decided.then(|| race.alarms.iter().map(|a| a.sites).collect());
    let (race, race_alarms) = (race.verdict, race.alarms);
    let proved = matches!(race, Verdict::Proved { .. });
    let safe = if proved { pairs.why.explain(&pairs.exec) } else { None };
    // Only whoever looks for a condition asks for it.
    let unasked = proved || limits.purpose == Purpose::Proof;
    let shape = if unasked { Shape::default() } else { pairs.shape() };
    let under = (assumptions.clone(), hints);
    Analysis {
        verdicts,
        alarms,
        stats,
        race,
        race_alarms,
        may_race,
        shape,
        safe,
        gap: false,
        under,
    }
}

/// Tries the catalogue of [`crate::hidden`], or of it the usual sizes where alarms rest on more than dimensions and scalars.
fn look_for_condition(
    kernel: &Kernel,
    assumptions: &Assumptions,
    first: &mut Analysis,
    config: &Config,
    limits: Limits,
) {
    let from_launch = |a: &Alarm| a.finding.approximated.iter().all(|n| n.variable.is_of_control());
    let free = assumptions.block.iter().chain(&assumptions.grid).any(|d| *d == crate::DimSpec::Any);
    let undecided =
        free && first.race_alarms.is_empty() && matches!(first.race, Verdict::Unknown { .. });
    if matches!(first.race, Verdict::Proved { .. }) {
        return;
    }
    let limits =
        Limits { work: limits.work.min(CONDITION_WORK), purpose: Purpose::Proof, ..limits };
    let mut left = CATALOGUE;
    let mut conditions = crate::hidden::catalogue(kernel, assumptions, &first.shape);
    // With one thread nothing can go wrong, which says nothing.
    if !is_single_thread(assumptions) {
        conditions.retain(|c| !is_single_thread(&c.assumptions));
    }
    if config.brief {
        conditions.truncate(BRIEF);
    }
    if !(undecided || first.race_alarms.iter().all(from_launch)) {
        conditions.retain(|c| c.of_sizes || c.of_axes);
        conditions.truncate(SIZES_TRIED);
    }
    for (condition, work) in in_turn(&conditions, limits.work) {
        if left == 0 || limits.are_over() {
            return;
        }
        let tried = Limits { work, ..limits };
        let again = analyse(kernel, &condition.assumptions, condition.hints, &config.kinds, tried);
        first.stats.queries += again.stats.queries;
        first.stats.solver_seconds += again.stats.solver_seconds;
        left = left.saturating_sub(again.stats.work);
        let Verdict::Proved { assumes } = &again.race else { continue };
        let alarms = &first.race_alarms;
        if !ordinary(kernel, &condition.assumptions, condition.hints, alarms, limits) {
            continue;
        }
        let claim = Claim::All(condition.claims.clone());
        let mut all = assumes.clone();
        Condition::add(&mut all, condition.claims.iter().cloned().map(Condition::from));
        for a in first.alarms.iter_mut().filter(|a| a.finding.kind == Kind::DataRace) {
            a.finding.holds_when = Some(When::exactly(Claim::all([claim.clone()]).negated()));
            a.finding.severity = Severity::Warning;
            a.overflows = condition.of_sizes;
            // What counters hold is nothing that the source can require.
            if let Some(expr) = claim.expression() {
                let help = format!("where the kernel is only for that: __requires({expr});");
                a.finding.help.push(help);
            }
        }
        for (kind, verdict) in &mut first.verdicts {
            match kind {
                Kind::DataRace => *verdict = Verdict::Proved { assumes: all.clone() },
                Kind::BarrierDivergence if !matches!(verdict, Verdict::Proved { .. }) => {
                    let other = again.verdicts.iter().find(|(k, _)| k == kind);
                    let settled = first.alarms.iter().all(|a| a.finding.kind != *kind);
                    if let (Some((_, Verdict::Proved { .. })), true) = (other, settled) {
                        *verdict = Verdict::Proved { assumes: all.clone() };
                    }
                }
                _ => {}
            }
        }
        first.race = Verdict::Proved { assumes: all };
        first.safe = again.safe;
        first.under = again.under;
        return;
    }
}

fn is_single_thread(assumptions: &Assumptions) -> bool {
    let one = |d: &crate::DimSpec| *d == crate::DimSpec::Exactly(1);
    assumptions.block.iter().chain(&assumptions.grid).all(one)
}

/// The conditions with the work that each is worth. The first few are what nearly every kernel rests on; of the others,
/// the one that matters mostly needs no solver, while those before it would use up all the work.
fn in_turn(conditions: &[Narrowed], work: u32) -> impl Iterator<Item = (&Narrowed, u32)> {
    let (usual, others) = conditions.split_at(conditions.len().min(USUAL));
    usual
        .iter()
        .map(move |c| (c, work))
        .chain(others.iter().map(|c| (c, 0)))
        .chain(others.iter().map(move |c| (c, work)))
}

/// Whether launches as people make them satisfy the assumptions: several blocks of a full warp at least where the
/// dimensions are free, positive scalars of moderate size, and a thread that comes to each of the accesses complained of
/// (a condition under which nothing happens proves nothing).
fn ordinary(
    kernel: &Kernel,
    assumptions: &Assumptions,
    hints: Hints,
    alarms: &[Alarm],
    limits: Limits,
) -> bool {
    let mut ctx = Ctx::new(kernel, assumptions, hints);
    let mut pairs = prepare(exec::run(&mut ctx, limits));
    if !pairs.exec.gaps.is_empty() {
        return false;
    }
    let mut list = pairs.facts_of_one();
    let ctx = &mut *pairs.exec.ctx;
    let (b, g) = (ctx.block_dim(0), ctx.grid_dim(0));
    for (t, least, spec) in [(b, 32, assumptions.block[0]), (g, 2, assumptions.grid[0])] {
        if spec == crate::DimSpec::Any {
            let low = ctx.pool.constant(least, 32);
            list.push(ctx.pool.ule(low, t));
        }
    }
    for (i, p) in kernel.params.iter().enumerate() {
        if let ParamKind::Scalar { ty, count: 1 } = p.kind
            && ty.is_int()
            && ty.bits() >= 32
            && let Some(t) = ctx.existing(crate::context::VarKind::Param(i, 0), 0)
        {
            let zero = ctx.pool.constant(0, ty.bits());
            let top = ctx.pool.constant(1 << 24, ty.bits());
            list.push(ctx.pool.slt(zero, t));
            list.push(ctx.pool.slt(t, top));
        }
    }
    let mut sites: Vec<SiteId> = alarms.iter().flat_map(|a| [a.sites.0, a.sites.1]).collect();
    sites.sort();
    sites.dedup();
    // What no thread comes to may not be there at all.
    if !sites.iter().all(|site| pairs.exec.accesses.iter().any(|a| a.site == *site)) {
        return false;
    }
    let mut asked = vec![list.clone()];
    for access in 0..pairs.exec.accesses.len() {
        if sites.contains(&pairs.exec.accesses[access].site) {
            let mut reached = list.clone();
            reached.extend(pairs.side(access, 1, Level::Block).conditions);
            asked.push(reached);
        }
    }
    asked.into_iter().all(|mut list| {
        if list.iter().any(|&t| pairs.exec.ctx.pool.is_false(t)) {
            return false;
        }
        crate::solve::complete(pairs.exec.ctx, &mut list);
        pairs.solver.model(pairs.exec.ctx, &list, limits.effort()).is_some()
    })
}

/// Marks the loops whose iterations all threads of a block share.
fn prepare<'c, 'k>(exec: exec::Exec<'c, 'k>) -> Pairs<'c, 'k> {
    for l in 0..exec.loops.len() {
        let inside: Vec<&Barrier> = exec
            .barriers
            .iter()
            .filter(|b| exec.loops[l].contains(b.block))
            .map(|b| &b.barrier)
            .collect();
        let of_block = inside.iter().any(|b| is_block_barrier(b));
        let of_grid = inside.iter().any(|b| matches!(b, Barrier::Grid));
        exec.ctx.uniform_loops[l] = of_block;
        exec.ctx.grid_loops[l] = of_grid;
    }
    Pairs::new(exec)
}

/// Alarms that are looked at for one that is confirmed.
const OBVIOUS: usize = 4;

/// Which models of alarms are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Models {
    /// Of few threads first.
    Small,
    /// There are none of few threads.
    Large,
    /// One was looked for in vain.
    None,
}

/// Whether all threads reach the same barriers.
pub(crate) struct Divergence {
    pub(crate) alarms: Vec<Alarm>,
    /// Why the barriers cannot be relied on as phases.
    pub(crate) misaligned: Option<Reason>,
    undecided: Option<Reason>,
    /// Why operations of a warp cannot be relied on.
    warps: Option<Reason>,
    tiles: Tiles,
    /// What the proof rests on where a barrier's condition reads memory.
    assumes: Vec<Condition>,
    /// The proof used values that only hold in the absence of races.
    rests_on_races: bool,
    /// Why the ends of copies cannot be relied on.
    loose: Option<Reason>,
}

impl Divergence {
    fn verdict(&self, race: &Races) -> Verdict {
        if self.alarms.iter().any(|a| a.finding.confidence == Confidence::Confirmed) {
            return Verdict::Found;
        }
        if let Some(a) = self.alarms.first() {
            let at = a.finding.accesses.first().map(|a| SourceLine::from(&a.place));
            let at = at.unwrap_or_else(|| SourceLine::from(&Place::default()));
            let because = Reason::MayHappen(Question::AllThreadsReach(at));
            return Verdict::Unknown { because };
        }
        if let Some(because) = &self.undecided {
            return Verdict::Unknown { because: because.clone() };
        }
        let mut assumes = self.assumes.clone();
        if self.rests_on_races {
            match &race.verdict {
                Verdict::Proved { assumes: a } => assumes = a.clone(),
                _ => {
                    let because = Reason::RestsOnRacyMemory(Dependent::BarrierCondition);
                    return Verdict::Unknown { because };
                }
            }
        }
        Verdict::Proved { assumes }
    }
}

pub(crate) struct Races {
    pub(crate) verdict: Verdict,
    pub(crate) alarms: Vec<Alarm>,
    /// Whether all that has no alarm is known not to race.
    is_decided: bool,
}

impl Pairs<'_, '_> {
    pub(crate) fn check_divergence(&mut self, limits: Limits) -> Divergence {
        let kernel = self.exec.ctx.kernel;
        let mut out = Divergence {
            alarms: Vec::new(),
            misaligned: None,
            undecided: None,
            warps: None,
            tiles: Tiles::default(),
            assumes: Vec::new(),
            rests_on_races: false,
            loose: self.loose_copies(limits).or_else(|| self.unsettled_copies(limits)),
        };
        match self.check_partial(limits) {
            Ok(threads) => out.tiles.threads = threads,
            Err(because) => out.undecided = Some(because),
        }
        out.rests_on_races = self.exec.forwarding;
        match self.check_warps(limits) {
            Ok(lanes) => out.tiles.lanes = Some(lanes),
            Err(because) => {
                out.warps = Some(because.clone());
                out.undecided = Some(because);
            }
        }
        let obligations = self.divergence_obligations();
        for o in &obligations {
            out.rests_on_races |= self.reads_written(&o.query.asked);
        }
        // Where arithmetic settled an obligation, its conditions may have rested on loads as well.
        let mut reads = false;
        let warp_blocks = self.exec.warp_ops.iter().map(|op| op.block);
        for b in self.exec.barriers.iter().map(|b| b.block).chain(warp_blocks) {
            let mut conditions = Vec::new();
            self.exec.condition(b, &mut conditions);
            for l in self.exec.nest(b) {
                conditions.push(self.exec.loops[l].stay);
            }
            out.rests_on_races |= self.reads_written(&conditions);
            reads |= reachable(&self.exec.ctx.pool, &conditions).iter().any(|&t| {
                matches!(self.exec.ctx.pool.node(t), Node::App(f, _)
                if matches!(
                    self.exec.ctx.fns[f.0 as usize].kind,
                    FnKind::ReadOnly(_) | FnKind::Texture(..)
                ))
            });
        }
        let foreign = !self.exec.foreign.is_empty();
        if reads || foreign || !self.exec.ctx.assumptions.exprs.is_empty() {
            out.assumes = self.assumptions();
        }
        if let Some(because) = self.uneven_copies(limits) {
            out.misaligned = Some(because.clone());
            out.undecided = Some(because);
        }
        let decided = self.decide_obligations(obligations, limits);
        let mut reported = Vec::new();
        for (o, outcome) in decided {
            let site = self.exec.barriers[o.barrier].site;
            match outcome {
                Outcome::Unsat => {}
                // Not a divergent barrier, which is one of a block's threads, but a deadlock, which others look for.
                _ if o.level == Level::Grid && o.strict => {
                    let question = Question::AllBlocksReachGridBarrier(line_of(kernel, site));
                    out.undecided = Some(Reason::MayHappen(question));
                }
                _ if o.level == Level::Grid => {
                    let question = Question::AllBlocksReach(line_of(kernel, site));
                    out.misaligned = Some(Reason::MayHappen(question));
                }
                Outcome::Sat if !o.strict => {
                    let question = Question::AllThreadsReach(line_of(kernel, site));
                    out.misaligned = Some(Reason::MayHappen(question));
                }
                Outcome::Sat => {
                    if reported.contains(&site) {
                        continue;
                    }
                    reported.push(site);
                    let cond = match o.what {
                        What::Barrier(b) => self.exec.reach[b.0 as usize],
                        What::Enter(l) => self.exec.loops[l].enter,
                        What::Stay(l) => self.exec.loops[l].stay,
                    };
                    let m = self.small_model(&o.query.asked, limits);
                    let alarm = self.divergence_alarm(o.barrier, cond, m.as_ref());
                    out.alarms.push(alarm);
                }
                Outcome::Unknown | Outcome::Late => {
                    let question = Question::AllThreadsReach(line_of(kernel, site));
                    let because = limits.not_decided(question, outcome);
                    if !o.strict {
                        out.misaligned = Some(because.clone());
                    }
                    out.undecided = Some(because);
                }
            }
        }
        // A barrier that only threads which have returned do not reach is a weaker complaint.
        if out.misaligned.is_none() {
            for a in &mut out.alarms {
                if kernel.language != lockstep_kernel::Language::OpenCl {
                    a.finding.severity = lockstep_finding::Severity::Warning;
                }
                if let Some(second) = a.finding.accesses.get_mut(1) {
                    second.op = "exit".into();
                }
            }
        }
        out
    }

    /// What the kernel does that is not followed, if any thread can come to it.
    fn gap(&mut self, limits: Limits) -> Option<Reason> {
        if let Some(because) = self.exec.gaps.first() {
            return Some(because.clone());
        }
        if self.exec.unmodelled.is_empty() {
            return None;
        }
        let facts = self.facts_of_one();
        let mut queries = Vec::new();
        let mut reasons = Vec::new();
        for (b, because) in self.exec.unmodelled.clone() {
            if self.exec.nest(b).is_empty()
                && self.exec.ctx.pool.is_true(self.exec.reach[b.0 as usize])
            {
                return Some(because);
            }
            if limits.are_over() {
                return Some(limits.ran_out());
            }
            let mut list = facts.clone();
            list.extend(self.conditions(b, 1, Level::Block));
            if let Some(q) = self.ask(list, Level::Block) {
                queries.push(q);
                reasons.push(because);
            }
        }
        let outcomes = self.solver.decide(self.exec.ctx, &queries, limits);
        let open = outcomes.iter().position(|o| !matches!(o, Outcome::Unsat))?;
        Some(reasons.swap_remove(open))
    }

    /// Whether terms mention memory that the kernel writes.
    fn reads_written(&self, terms: &[T]) -> bool {
        reachable(&self.exec.ctx.pool, terms).iter().any(|&t| match self.exec.ctx.pool.node(t) {
            Node::App(f, _) => matches!(self.exec.ctx.fns[f.0 as usize].kind, FnKind::LoadAt(..)),
            _ => false,
        })
    }

    pub(crate) fn check_races(&mut self, divergence: &Divergence, limits: Limits) -> Races {
        let unknown = |because: Reason| Races {
            verdict: Verdict::Unknown { because },
            alarms: Vec::new(),
            is_decided: false,
        };
        let Some(candidates) = self.race_candidates(limits, divergence.tiles) else {
            return unknown(limits.ran_out());
        };
        let proof_only = limits.purpose == Purpose::Proof;
        let candidates = match proof_only {
            true => self.open_by_place(candidates, limits),
            false => candidates,
        };
        if limits.purpose == Purpose::OneRace
            && let Some(alarm) = self.obvious_race(&candidates, divergence, limits)
        {
            return Races { verdict: Verdict::Found, alarms: vec![alarm], is_decided: false };
        }
        self.solver.all_or_nothing = proof_only;
        let decided = self.decide(candidates, limits);
        self.solver.all_or_nothing = false;
        if proof_only && decided.iter().any(|d| !matches!(d.outcome, Outcome::Unsat)) {
            return unknown(Reason::NoProof);
        }
        let mut alarms: Vec<Alarm> = Vec::new();
        let mut undecided = None;
        let mut seen: Vec<(lockstep_kernel::SiteId, lockstep_kernel::SiteId)> = Vec::new();
        let met = decided.iter().any(|d| matches!(d.outcome, Outcome::Sat));
        let mut models =
            if met && self.is_proved_when_counted(limits) { Models::Large } else { Models::Small };
        for d in &decided {
            let (a, b) = (
                self.exec.accesses[d.candidate.first].site,
                self.exec.accesses[d.candidate.second].site,
            );
            match d.outcome {
                Outcome::Unsat => {}
                Outcome::Unknown | Outcome::Late => {
                    let kernel = self.exec.ctx.kernel;
                    undecided.get_or_insert_with(|| {
                        let pair = [line_of(kernel, a), line_of(kernel, b)];
                        limits.not_decided(Question::Accesses(pair), d.outcome)
                    });
                }
                Outcome::Sat => {
                    let key = if a <= b { (a, b) } else { (b, a) };
                    if seen.contains(&key) {
                        continue;
                    }
                    seen.push(key);
                    match self.alarm_of(&d.candidate, &mut models, divergence, limits) {
                        Some(alarm) => alarms.push(alarm),
                        None => {
                            undecided.get_or_insert_with(|| {
                                let kernel = self.exec.ctx.kernel;
                                let pair = [line_of(kernel, a), line_of(kernel, b)];
                                Reason::MayHappen(Question::AccessesBeforeArray(pair))
                            });
                        }
                    }
                }
            }
        }
        let confirmed = alarms.iter().any(|a| a.finding.confidence == Confidence::Confirmed);
        let is_decided =
            undecided.is_none() && divergence.misaligned.is_none() && divergence.loose.is_none();
        let verdict = if confirmed {
            Verdict::Found
        } else if let Some(a) = alarms.first() {
            let rests_on = a.finding.approximated.iter().map(|n| n.variable.clone()).collect();
            let line = a.finding.accesses.first().map_or(0, |a| a.place.line);
            let because = divergence.misaligned.clone().map(Box::new);
            let because = Reason::PossibleRace { line, rests_on, because };
            Verdict::Unknown { because }
        } else if let Some(because) = &divergence.misaligned {
            Verdict::Unknown { because: because.clone() }
        } else if let Some(because) = undecided.or_else(|| divergence.loose.clone()) {
            Verdict::Unknown { because }
        } else {
            Verdict::Proved { assumes: self.assumptions() }
        };
        Races { verdict, alarms, is_decided }
    }

    /// A race that is confirmed and has a model that is easily guessed. That there is none says nothing.
    fn obvious_race(
        &mut self,
        candidates: &[Candidate],
        divergence: &Divergence,
        limits: Limits,
    ) -> Option<Alarm> {
        let mut tried = 0;
        for candidate in candidates {
            if tried >= OBVIOUS || limits.are_over() {
                return None;
            }
            if !crate::solve::is_guessed(self.exec.ctx, &candidate.query.reduced) {
                continue;
            }
            tried += 1;
            let alarm = self.alarm_of(candidate, &mut Models::Small, divergence, limits);
            if let Some(alarm) = alarm.filter(|a| a.finding.confidence == Confidence::Confirmed) {
                return Some(alarm);
            }
        }
        None
    }

    /// The alarm of two accesses that may meet; none where they are only seen to meet before an array's beginning.
    fn alarm_of(
        &mut self,
        candidate: &Candidate,
        models: &mut Models,
        divergence: &Divergence,
        limits: Limits,
    ) -> Option<Alarm> {
        let m = self.model_of(&candidate.query.asked, models, limits);
        let benign = *models != Models::None && self.is_benign(candidate, limits);
        let mut alarm = self.race_alarm(candidate, m.as_ref(), benign);
        if lies_before(&alarm) {
            let m = self.model_within(candidate, limits)?;
            alarm = self.race_alarm(candidate, Some(&m), benign);
        }
        let of_grid = self.exec.barriers.iter().any(|b| matches!(b.barrier, Barrier::Grid));
        if divergence.misaligned.is_some() && (candidate.level == Level::Block || of_grid) {
            alarm.finding.confidence = Confidence::Possible;
        }
        Some(alarm)
    }

    /// Whether nothing races unless there are more threads than an `int` counts. Of such alarms there are mostly as many
    /// as pairs of accesses.
    fn is_proved_when_counted(&self, limits: Limits) -> bool {
        let ctx = &self.exec.ctx;
        let condition = crate::hidden::countable(ctx.kernel, ctx.assumptions);
        let Some(condition) = condition.filter(|_| !ctx.hints.small_grid) else {
            return false;
        };
        let hints = Hints { lanes_apart: ctx.hints.lanes_apart, ..condition.hints };
        let limits =
            Limits { work: limits.work.min(CONDITION_WORK), purpose: Purpose::Proof, ..limits };
        let kinds = [Kind::DataRace];
        let under = analyse(ctx.kernel, &condition.assumptions, hints, &kinds, limits);
        matches!(under.race, Verdict::Proved { .. })
    }

    /// A model of what is asked, if there is one and it is worth looking for.
    fn model_of(&mut self, asked: &[T], models: &mut Models, limits: Limits) -> Option<Assignment> {
        match models {
            Models::Small => self.small_model(asked, limits),
            Models::Large => {
                let effort = limits.effort().at_most(MODEL_WORK);
                let found = self.solver.model(self.exec.ctx, asked, effort);
                if found.is_none() {
                    *models = Models::None;
                }
                found
            }
            Models::None => None,
        }
    }

    /// A model in which the two meet at or after the beginning of the array.
    fn model_within(&mut self, c: &Candidate, limits: Limits) -> Option<Assignment> {
        let (offset, _) = c.offsets?;
        let pool = &mut self.exec.ctx.pool;
        let zero = pool.constant(0, pool.width(offset));
        let before = pool.bin(Bin::Slt, offset, zero);
        let mut list = c.query.asked.clone();
        list.push(pool.not(before));
        self.small_model(&list, limits)
    }

    /// Whether the two writes always store the same.
    fn is_benign(&mut self, c: &Candidate, limits: Limits) -> bool {
        let (x, y) = (&self.exec.accesses[c.first], &self.exec.accesses[c.second]);
        if x.mode != Mode::Write || y.mode != Mode::Write || x.size != y.size {
            return false;
        }
        let left = self.side(c.first, 1, c.level).values;
        let right = self.side(c.second, 2, c.level).values;
        if left.is_empty() || left.len() != right.len() {
            return false;
        }
        let mut same = self.exec.ctx.pool.truth(true);
        for (a, b) in left.iter().zip(&right) {
            if self.exec.ctx.pool.width(*a) != self.exec.ctx.pool.width(*b) {
                return false;
            }
            let e = self.exec.ctx.pool.eq(*a, *b);
            same = self.exec.ctx.pool.and(same, e);
        }
        let differ = self.exec.ctx.pool.not(same);
        let mut assertions = c.query.asked.clone();
        assertions.push(differ);
        match self.ask_of_race(assertions, c.level) {
            None => true,
            Some(q) => {
                let outcome = self.solver.decide(self.exec.ctx, std::slice::from_ref(&q), limits);
                matches!(outcome[..], [Outcome::Unsat])
            }
        }
    }

    /// A model of few threads and small numbers, if there is one.
    pub(crate) fn small_model(&mut self, asked: &[T], limits: Limits) -> Option<Assignment> {
        let effort = limits.effort().at_most(MODEL_WORK);
        for (threads, blocks, scalars) in [(64u64, 4u64, 1 << 12), (1024, 1 << 16, u64::MAX)] {
            let mut list = asked.to_vec();
            let ctx = &mut *self.exec.ctx;
            for axis in 0..3u8 {
                for (t, limit) in [(ctx.block_dim(axis), threads), (ctx.grid_dim(axis), blocks)] {
                    let top = ctx.pool.constant(limit, 32);
                    list.push(ctx.pool.ule(t, top));
                }
            }
            if scalars != u64::MAX {
                for (i, p) in ctx.kernel.params.iter().enumerate() {
                    if let ParamKind::Scalar { ty, count: 1 } = p.kind
                        && ty.is_int()
                        && ty.bits() > 8
                        && let Some(t) = ctx.existing(crate::context::VarKind::Param(i, 0), 0)
                    {
                        let top = ctx.pool.constant(scalars, ty.bits());
                        list.push(ctx.pool.ule(t, top));
                    }
                }
            }
            if list.iter().any(|&t| ctx.pool.is_false(t)) {
                continue;
            }
            crate::solve::complete(ctx, &mut list);
            if let Some(m) = self.solver.model(self.exec.ctx, &list, effort) {
                return Some(m);
            }
        }
        self.solver.model(self.exec.ctx, asked, effort)
    }

    /// What a proof rests on.
    pub(crate) fn assumptions(&mut self) -> Vec<Condition> {
        let mut out: Vec<Condition> = self.lie_apart().into_iter().map(Condition::from).collect();
        let ctx = &self.exec.ctx;
        for call in &self.exec.foreign {
            out.push(Statement::NoEffect { call: call.to_string() }.into());
        }
        out.extend(ctx.assumptions.preconditions());
        if self.exec.no_offset {
            out.push(Statement::NoGlobalOffset.into());
        }
        out.extend(self.drawn_from.iter().cloned().map(Condition::from));
        out
    }
}

/// Whether something approximated lets accesses meet where no array is. What is exact may: a pointer may be given into
/// the middle of an array.
fn lies_before(alarm: &Alarm) -> bool {
    let finding = &alarm.finding;
    let start = finding.memory.as_ref().and_then(|m| m.bytes).map_or(0, |b| b[0]);
    finding.confidence == Confidence::Possible && start < 0
}
