//! From decided questions to verdicts.

use std::time::{Duration, Instant};

use lockstep_finding::{Confidence, Kind, Verdict};
use lockstep_kernel::{Kernel, ParamKind, Space};

use crate::alarm::line_of;
use crate::context::{Base, Ctx, FnKind, Level};
use crate::divergence::What;
use crate::exec::{self, Mode};
use crate::memory::Place;
use crate::pair::Pairs;
use crate::race::{Candidate, Limits, is_block_barrier};
use crate::solve::Outcome;
use crate::term::{Node, T};
use crate::walk::reachable;
use crate::{Alarm, Assumptions, Config, Proof, Stats};

pub(crate) fn prove(kernel: &Kernel, assumptions: &Assumptions, config: &Config) -> Proof {
    let started = Instant::now();
    let mut ctx = Ctx::new(kernel, assumptions);
    let exec = exec::run(&mut ctx);
    if let Some(gap) = exec.gaps.first() {
        let because = gap.clone();
        let verdicts = config
            .kinds
            .iter()
            .map(|k| (*k, Verdict::Unknown { because: because.clone() }))
            .collect();
        let stats = Stats { seconds: started.elapsed().as_secs_f64(), ..Stats::default() };
        return Proof { verdicts, alarms: Vec::new(), stats };
    }
    let mut pairs = prepare(exec);
    let limits = Limits {
        jobs: config.jobs.max(1),
        query: config.query_timeout,
        deadline: started + config.budget,
    };
    let divergence = pairs.check_divergence(limits);
    let race = pairs.check_races(&divergence, limits);
    let mut verdicts = Vec::new();
    let mut alarms = Vec::new();
    for &kind in &config.kinds {
        let verdict = match kind {
            Kind::DataRace => {
                alarms.extend(race.alarms.iter().cloned());
                race.verdict.clone()
            }
            Kind::BarrierDivergence => {
                alarms.extend(divergence.alarms.iter().cloned());
                divergence.verdict(&race)
            }
            _ => Verdict::Unknown { because: "the prover does not check this".into() },
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
        seconds: started.elapsed().as_secs_f64(),
        control_independent: control,
        data_independent: data,
    };
    Proof { verdicts, alarms, stats }
}

/// Marks the loops whose iterations all threads of a block share.
fn prepare<'c, 'k>(exec: exec::Exec<'c, 'k>) -> Pairs<'c, 'k> {
    for l in 0..exec.loops.len() {
        let uniform = exec
            .barriers
            .iter()
            .any(|b| is_block_barrier(&b.barrier) && exec.loops[l].contains(b.block));
        exec.ctx.uniform_loops[l] = uniform;
    }
    Pairs::new(exec)
}

/// Whether all threads reach the same barriers.
pub(crate) struct Divergence {
    pub(crate) alarms: Vec<Alarm>,
    /// Why the barriers cannot be relied on as phases.
    pub(crate) misaligned: Option<String>,
    undecided: Option<String>,
    /// Why operations of a warp cannot be relied on.
    warps: Option<String>,
    /// The proof used values that only hold in the absence of races.
    rests_on_races: bool,
}

impl Divergence {
    fn verdict(&self, race: &Races) -> Verdict {
        if self.alarms.iter().any(|a| a.finding.confidence == Confidence::Confirmed) {
            return Verdict::Found;
        }
        if let Some(a) = self.alarms.first() {
            let line = a.finding.accesses.first().map_or(0, |a| a.place.line);
            let because = format!("the barrier at line {line} may not be reached by all threads");
            return Verdict::Unknown { because };
        }
        if let Some(because) = &self.undecided {
            return Verdict::Unknown { because: because.clone() };
        }
        let mut assumes = Vec::new();
        if self.rests_on_races {
            match &race.verdict {
                Verdict::Proved { assumes: a } => assumes = a.clone(),
                _ => {
                    let because =
                        "a condition of a barrier rests on memory that may be racy".into();
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
}

impl Pairs<'_, '_> {
    pub(crate) fn check_divergence(&mut self, limits: Limits) -> Divergence {
        let kernel = self.exec.ctx.kernel;
        let mut out = Divergence {
            alarms: Vec::new(),
            misaligned: None,
            undecided: None,
            warps: None,
            rests_on_races: false,
        };
        for b in &self.exec.barriers {
            if matches!(b.barrier, lockstep_kernel::Barrier::Block { .. })
                && !is_block_barrier(&b.barrier)
                || matches!(
                    b.barrier,
                    lockstep_kernel::Barrier::Arrive { .. } | lockstep_kernel::Barrier::Grid
                )
            {
                let line = line_of(kernel, b.site);
                out.undecided =
                    Some(format!("the named or grid-wide barrier at {line} is not modelled"));
            }
        }
        out.warps = self.check_warps(limits);
        if let Some(because) = &out.warps {
            out.undecided = Some(because.clone());
        }
        let obligations = self.divergence_obligations();
        for o in &obligations {
            out.rests_on_races |= self.reads_written(&o.query.asked);
        }
        // Where arithmetic settled an obligation, its conditions may have rested on loads as well.
        let warp_blocks = self.exec.warp_ops.iter().map(|op| op.block);
        for b in self.exec.barriers.iter().map(|b| b.block).chain(warp_blocks) {
            let mut conditions = Vec::new();
            self.exec.condition(b, &mut conditions);
            for l in self.exec.nest(b) {
                conditions.push(self.exec.loops[l].stay);
            }
            out.rests_on_races |= self.reads_written(&conditions);
        }
        let decided = self.decide_obligations(obligations, limits);
        let mut reported = Vec::new();
        for (o, outcome) in decided {
            let site = self.exec.barriers[o.barrier].site;
            match outcome {
                Outcome::Unsat => {}
                Outcome::Sat if !o.strict => {
                    out.misaligned = Some(format!(
                        "the barrier at {} may not be reached by all threads",
                        line_of(kernel, site)
                    ));
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
                    let alarm = self.divergence_alarm(o.barrier, cond, m.as_ref(), false);
                    out.alarms.push(alarm);
                }
                Outcome::Unknown => {
                    let because = format!(
                        "whether all threads reach the barrier at {} was not decided in time",
                        line_of(kernel, site)
                    );
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

    /// Whether terms mention memory that the kernel writes.
    fn reads_written(&self, terms: &[T]) -> bool {
        reachable(&self.exec.ctx.pool, terms).iter().any(|&t| match self.exec.ctx.pool.node(t) {
            Node::App(f, _) => matches!(self.exec.ctx.fns[f.0 as usize].kind, FnKind::LoadAt(..)),
            _ => false,
        })
    }

    pub(crate) fn check_races(&mut self, divergence: &Divergence, limits: Limits) -> Races {
        let unknown =
            |because: String| Races { verdict: Verdict::Unknown { because }, alarms: Vec::new() };
        let Some(candidates) = self.race_candidates(limits.deadline, divergence.warps.is_none())
        else {
            return unknown("the time budget ran out".into());
        };
        let decided = self.decide(candidates, limits);
        let mut alarms: Vec<Alarm> = Vec::new();
        let mut undecided = None;
        let mut seen: Vec<(lockstep_kernel::SiteId, lockstep_kernel::SiteId)> = Vec::new();
        for d in &decided {
            let (a, b) = (
                self.exec.accesses[d.candidate.first].site,
                self.exec.accesses[d.candidate.second].site,
            );
            match d.outcome {
                Outcome::Unsat => {}
                Outcome::Unknown => {
                    let kernel = self.exec.ctx.kernel;
                    undecided.get_or_insert_with(|| {
                        format!(
                            "the accesses at {} and {} were not decided in time",
                            line_of(kernel, a),
                            line_of(kernel, b)
                        )
                    });
                }
                Outcome::Sat => {
                    let key = if a <= b { (a, b) } else { (b, a) };
                    if seen.contains(&key) {
                        continue;
                    }
                    seen.push(key);
                    let m = self.small_model(&d.candidate.query.asked, limits);
                    let benign = self.is_benign(&d.candidate, limits);
                    let mut alarm = self.race_alarm(&d.candidate, m.as_ref(), benign);
                    if divergence.misaligned.is_some() && d.candidate.level == Level::Block {
                        alarm.finding.confidence = Confidence::Possible;
                    }
                    alarms.push(alarm);
                }
            }
        }
        let confirmed = alarms.iter().any(|a| a.finding.confidence == Confidence::Confirmed);
        let verdict = if confirmed {
            Verdict::Found
        } else if let Some(a) = alarms.first() {
            let names: Vec<&str> =
                a.finding.approximated.iter().map(|n| n.variable.as_str()).collect();
            let line = a.finding.accesses.first().map_or(0, |a| a.place.line);
            Verdict::Unknown {
                because: format!("a possible race at line {line} rests on {}", names.join(", ")),
            }
        } else if let Some(because) = &divergence.misaligned {
            Verdict::Unknown { because: because.clone() }
        } else if let Some(because) = undecided {
            Verdict::Unknown { because }
        } else {
            Verdict::Proved { assumes: self.assumptions() }
        };
        Races { verdict, alarms }
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
        match self.ask(assertions, c.level) {
            None => true,
            Some(q) => {
                let outcome = self.solver.decide(
                    self.exec.ctx,
                    std::slice::from_ref(&q),
                    1,
                    limits.query,
                    limits.deadline,
                );
                matches!(outcome[..], [Outcome::Unsat])
            }
        }
    }

    /// A model of few threads and small numbers, if there is one.
    pub(crate) fn small_model(
        &mut self,
        asked: &[T],
        limits: Limits,
    ) -> Option<crate::walk::Assignment> {
        let timeout = limits.query.min(Duration::from_millis(1000));
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
            if let Some(m) = self.solver.model(self.exec.ctx, &list, timeout) {
                return Some(m);
            }
        }
        self.solver.model(self.exec.ctx, asked, timeout)
    }

    /// What a proof rests on, as texts.
    pub(crate) fn assumptions(&mut self) -> Vec<String> {
        let mut out = Vec::new();
        let mut pointers: Vec<(Base, bool)> = Vec::new();
        for i in 0..self.exec.accesses.len() {
            let writes = self.exec.accesses[i].mode.writes();
            let cases = self.cases_of(i);
            for c in cases {
                if let Place::At(b @ (Base::Param(_) | Base::Field(..)), _) = c.place
                    && self.exec.ctx.base_space(b) != Space::Shared
                {
                    match pointers.iter_mut().find(|(p, _)| *p == b) {
                        Some((_, w)) => *w |= writes,
                        None => pointers.push((b, writes)),
                    }
                }
            }
        }
        pointers.sort();
        let ctx = &self.exec.ctx;
        if pointers.len() > 1 && pointers.iter().any(|(_, w)| *w) && !ctx.assumptions.may_alias {
            let names: Vec<String> = pointers.iter().map(|(b, _)| ctx.base_name(*b)).collect();
            let (last, rest) = names.split_last().expect("more than one");
            out.push(format!("parameters {} and {last} do not overlap", rest.join(", ")));
        }
        out.extend(ctx.assumptions.exprs.iter().map(|e| e.text.clone()));
        out
    }
}
