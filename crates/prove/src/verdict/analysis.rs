//! One kernel from its queries to its verdicts: every property in turn, then conditions under which more is proved.

use std::sync::Arc;
use std::time::Duration;

use lockstep_cancel::Moment;

use lockstep_finding::{Claim, Condition, Kind, Reason, Severity, Verdict, When};
use lockstep_kernel::{Barrier, Kernel, ParamKind, SiteId};

use crate::condition::hidden::{Narrowed, Shape};
use crate::decide::limits::{Limits, Purpose};
use crate::decide::record::Record;
use crate::decide::solve::SHORT;
use crate::launch::assumptions::Assumptions;
use crate::launch::context::{Ctx, Hints, Level};
use crate::meter::Meter;
use crate::order::pair::Pairs;
use crate::order::why_safe::Safe;
use crate::property::alarm::Alarm;
use crate::symbolic::evaluate;
use crate::symbolic::records::is_block_barrier;
use crate::verdict::check::Open;
use crate::verdict::proof_log::ProofLog;
use crate::verdict::{Config, Proof, Stats};

/// Work limit for finding a small model.
pub(crate) const MODEL_WORK: u32 = 1000;

/// Work limit for one query under a condition of the catalogue, and for all of its conditions together.
pub(crate) const CONDITION_WORK: u32 = 300;
const CATALOGUE: u64 = 2000;

/// How many of the conditions are tried in a brief analysis.
const BRIEF: usize = 1;

/// How many of the conditions are tried with the full solver limit.
const USUAL: usize = 3;

/// How many conditions on sizes alone are tried where an alarm depends on values from memory.
const SIZES_TRIED: usize = 4;

/// A time limit for a budget that is too long for the clock.
const FOREVER: Duration = Duration::from_secs(1 << 30);

/// The results of one evaluation of the kernel.
pub(crate) struct Analysis {
    pub(crate) verdicts: Vec<(Kind, Verdict)>,
    pub(crate) alarms: Vec<Alarm>,
    pub(crate) stats: Stats,
    pub(crate) race: Verdict,
    race_alarms: Vec<Alarm>,
    may_race: Option<Vec<(SiteId, SiteId)>>,
    open: Option<Open>,
    /// The roles of parameters in the indices.
    shape: Shape,
    /// Whether an operation was not modelled.
    gap: bool,
    /// Why accesses do not race, where they do not.
    safe: Option<Vec<Safe>>,
    /// The launches that the verdict on races covers.
    pub(crate) under: (Assumptions, Hints),
    /// How each proof was found, if that is recorded.
    logs: Vec<(Kind, ProofLog)>,
}

pub(crate) fn prove(kernel: &Kernel, assumptions: &Assumptions, config: &Config) -> Proof {
    let started = Moment::now();
    let meter = Meter::new(config.budget);
    let record = Arc::new(Record::new(config.audit.clone(), config.log));
    let limits = Limits {
        jobs: config.jobs.max(1),
        work: if config.brief { 0 } else { config.work },
        deadline: started.checked_add(config.patience).unwrap_or(started + FOREVER),
        budget: config.budget,
        meter: &meter,
        purpose: if config.brief { Purpose::Proof } else { Purpose::Report },
        cancel: &config.cancel,
        record: &record,
    };
    // Where dimensions are free, most long queries need a condition on them: so the usual conditions are tried before
    // long queries.
    let free = assumptions
        .block
        .iter()
        .chain(&assumptions.grid)
        .any(|d| *d == crate::launch::DimSpec::Any);
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
        crate::verdict::redundant::find(kernel, &mut first, limits);
    }
    first.stats.seconds = started.elapsed().as_secs_f64();
    let Analysis {
        mut verdicts,
        alarms,
        stats,
        safe,
        may_race,
        mut open,
        under: (under, _),
        logs,
        ..
    } = first;
    if let Some(Open { assumes, .. }) = &mut open {
        Condition::add(assumes, assumptions.unsaid());
    }
    for (_, verdict) in &mut verdicts {
        if let Verdict::Proved { assumes } = verdict {
            Condition::add(assumes, assumptions.unsaid());
        }
    }
    // An alarm might have been excused by a condition, if there had been time to find one.
    let is_open = verdicts.iter().any(|(_, v)| !matches!(v, Verdict::Proved { .. }));
    let late = is_open && limits.are_over() && !limits.cancel.is_cancelled();
    let stats =
        Stats { spent: Duration::from_millis(meter.spent()), rules: record.figures(), ..stats };
    let (grid, block) = (under.grid, under.block);
    Proof { verdicts, alarms, stats, late, safe, may_race, open, grid, block, logs }
}

/// Whether more time for a query may change a verdict.
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
    if limits.record.keeps_questions {
        ctx.pool.record_rewrites();
    }
    let mut exec = evaluate::run(&mut ctx, limits);
    if let Some(sharper) = crate::condition::preconditions::sharpen(&mut exec, assumptions) {
        return analyse(kernel, &sharper, hints, kinds, limits);
    }
    let mut pairs = prepare(exec, limits);
    if let Some(because) = pairs.gap(limits) {
        let unknown = Verdict::Unknown { because };
        return Analysis {
            verdicts: kinds.iter().map(|k| (*k, unknown.clone())).collect(),
            alarms: Vec::new(),
            stats: Stats::default(),
            race: unknown,
            race_alarms: Vec::new(),
            may_race: None,
            open: None,
            shape: Shape::default(),
            safe: None,
            gap: true,
            under: (assumptions.clone(), hints),
            logs: Vec::new(),
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
        rules: Vec::new(),
    };
    let may_race = race.is_decided.then(|| race.alarms.iter().map(|a| a.sites).collect());
    let (race, race_alarms, race_open) = (race.verdict, race.alarms, race.open);
    let is_proved = |(_, v): &&(Kind, Verdict)| matches!(v, Verdict::Proved { .. });
    let logs = verdicts
        .iter()
        .filter(is_proved)
        .filter_map(|(kind, _)| Some((*kind, pairs.proof_log(*kind)?)))
        .collect();
    let proved = matches!(race, Verdict::Proved { .. });
    let safe = if proved { pairs.why.explain(&pairs.exec) } else { None };
    // Only needed for finding a condition.
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
        open: race_open,
        shape,
        safe,
        gap: false,
        under,
        logs,
    }
}

/// Tries the catalogue of [`crate::condition::hidden`], or only its usual sizes where alarms depend on more than
/// dimensions and scalars.
fn look_for_condition(
    kernel: &Kernel,
    assumptions: &Assumptions,
    first: &mut Analysis,
    config: &Config,
    limits: Limits,
) {
    let from_launch = |a: &Alarm| a.finding.approximated.iter().all(|n| n.variable.is_of_control());
    let free = assumptions
        .block
        .iter()
        .chain(&assumptions.grid)
        .any(|d| *d == crate::launch::DimSpec::Any);
    let undecided =
        free && first.race_alarms.is_empty() && matches!(first.race, Verdict::Unknown { .. });
    if matches!(first.race, Verdict::Proved { .. }) {
        return;
    }
    let limits =
        Limits { work: limits.work.min(CONDITION_WORK), purpose: Purpose::Proof, ..limits };
    let mut left = CATALOGUE;
    let mut conditions = crate::condition::hidden::catalogue(kernel, assumptions, &first.shape);
    // With a single thread nothing can race, so such a proof is worthless.
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
            // The initial contents of counters cannot be required in the source.
            if let Some(expr) = claim.expression() {
                let help = format!("where the kernel is only for that: __requires({expr});");
                a.finding.help.push(help);
            }
        }
        let mut replaced = Vec::new();
        for (kind, verdict) in &mut first.verdicts {
            match kind {
                Kind::DataRace => {
                    *verdict = Verdict::Proved { assumes: all.clone() };
                    replaced.push(*kind);
                }
                Kind::BarrierDivergence if !matches!(verdict, Verdict::Proved { .. }) => {
                    let other = again.verdicts.iter().find(|(k, _)| k == kind);
                    let settled = first.alarms.iter().all(|a| a.finding.kind != *kind);
                    if let (Some((_, Verdict::Proved { .. })), true) = (other, settled) {
                        *verdict = Verdict::Proved { assumes: all.clone() };
                        replaced.push(*kind);
                    }
                }
                _ => {}
            }
        }
        first.race = Verdict::Proved { assumes: all };
        first.safe = again.safe;
        for (kind, log) in again.logs {
            if replaced.contains(&kind) {
                first.logs.retain(|(k, _)| *k != kind);
                first.logs.push((kind, log));
            }
        }
        first.under = again.under;
        return;
    }
}

fn is_single_thread(assumptions: &Assumptions) -> bool {
    let one = |d: &crate::launch::DimSpec| *d == crate::launch::DimSpec::Exactly(1);
    assumptions.block.iter().chain(&assumptions.grid).all(one)
}

/// The conditions with the work limit for each. The first few apply to nearly every kernel; of the others, the relevant
/// one mostly needs no solver, while those before it would use up all the work.
fn in_turn(conditions: &[Narrowed], work: u32) -> impl Iterator<Item = (&Narrowed, u32)> {
    let (usual, others) = conditions.split_at(conditions.len().min(USUAL));
    usual
        .iter()
        .map(move |c| (c, work))
        .chain(others.iter().map(|c| (c, 0)))
        .chain(others.iter().map(move |c| (c, work)))
}

/// Whether ordinary launches satisfy the assumptions: several blocks of at least a full warp where the dimensions are
/// free, positive scalars of moderate size, and a thread that reaches each of the accesses in the alarms (a condition
/// under which nothing is executed proves nothing).
fn ordinary(
    kernel: &Kernel,
    assumptions: &Assumptions,
    hints: Hints,
    alarms: &[Alarm],
    limits: Limits,
) -> bool {
    let mut ctx = Ctx::new(kernel, assumptions, hints);
    let mut pairs = prepare(evaluate::run(&mut ctx, limits), limits);
    if !pairs.exec.gaps.is_empty() {
        return false;
    }
    let mut list = pairs.facts_of_one();
    let ctx = &mut *pairs.exec.ctx;
    let (b, g) = (ctx.block_dim(0), ctx.grid_dim(0));
    for (t, least, spec) in [(b, 32, assumptions.block[0]), (g, 2, assumptions.grid[0])] {
        if spec == crate::launch::DimSpec::Any {
            let low = ctx.pool.constant(least, 32);
            list.push(ctx.pool.ule(low, t));
        }
    }
    for (i, p) in kernel.params.iter().enumerate() {
        if let ParamKind::Scalar { ty, count: 1 } = p.kind
            && ty.is_int()
            && ty.bits() >= 32
            && let Some(t) = ctx.existing(crate::launch::context::VarKind::Param(i, 0), 0)
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
    // An access that no thread reaches may have been removed.
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
        crate::decide::presolve::complete(pairs.exec.ctx, &mut list);
        pairs.solver.model(pairs.exec.ctx, &list, limits.effort()).is_some()
    })
}

/// Marks the loops whose iterations are the same for all threads of a block.
fn prepare<'c, 'k>(exec: evaluate::Exec<'c, 'k>, limits: Limits) -> Pairs<'c, 'k> {
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
    Pairs::new(exec, limits.record)
}
