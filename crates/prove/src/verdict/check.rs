//! Races and barriers, decided: all queries of a property, the verdict that follows from their answers, and the alarms.

use lockstep_finding::{
    Action, Condition, Confidence, Dependent, Kind, Place, Question, Reason, SourceLine, Statement,
    Verdict,
};
use lockstep_kernel::{Barrier, ParamKind, SiteId};

use crate::decide::asked::About;
use crate::decide::limits::{Limits, Purpose};
use crate::decide::solve::Outcome;
use crate::launch::context::{FnKind, Hints, Level};
use crate::order::divergence::What;
use crate::order::pair::{Candidate, Pairs};
use crate::property::alarm::Alarm;
use crate::property::race::{Decided, Tiles};
use crate::symbolic::records::Mode;
use crate::symbolic::source::line_of;
use crate::term::walk::{Assignment, reachable};
use crate::term::{Bin, Node, T};
use crate::verdict::analysis::{CONDITION_WORK, MODEL_WORK, analyse};

/// Maximum number of alarms examined for a confirmed one.
const OBVIOUS: usize = 4;

/// Which models of alarms are searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Models {
    /// Models with few threads first.
    Small,
    /// There are none with few threads.
    Large,
    /// A search for one has failed.
    None,
}

/// Whether all threads reach the same barriers.
pub(crate) struct Divergence {
    pub(crate) alarms: Vec<Alarm>,
    /// Why barriers cannot be relied on to separate phases.
    pub(crate) misaligned: Option<Reason>,
    undecided: Option<Reason>,
    /// Why warp operations cannot be relied on.
    pub(crate) warps: Option<Reason>,
    tiles: Tiles,
    /// The assumptions of the proof where a barrier's condition reads memory.
    assumes: Vec<Condition>,
    /// Whether the proof used values that are only valid in the absence of races.
    rests_on_races: bool,
    /// Why the completion of copies cannot be relied on.
    loose: Option<Reason>,
}

impl Divergence {
    pub(crate) fn verdict(&self, race: &Races) -> Verdict {
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
    /// Whether all accesses without an alarm are known not to race.
    pub(crate) is_decided: bool,
    pub(crate) open: Option<Open>,
}

/// The pairs of accesses whose races are not excluded, where those of all others are, whatever the races of these do to
/// the contents of memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Open {
    /// Sorted; the smaller site comes first.
    pub pairs: Vec<(SiteId, SiteId)>,
    /// What that rests on.
    pub assumes: Vec<Condition>,
}

impl Pairs<'_, '_> {
    pub(crate) fn check_divergence(&mut self, limits: Limits) -> Divergence {
        let kernel = self.exec.ctx.kernel;
        self.solver.begin(About::Order);
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
        // Where arithmetic decided an obligation, its conditions may have depended on loads as well.
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
        self.solver.begin(About::Order);
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
                // Not barrier divergence, which concerns the threads of one block, but a deadlock, which is checked
                // elsewhere.
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
        // A barrier that is only missed by threads that have returned is a lesser problem.
        if out.misaligned.is_none() {
            for a in &mut out.alarms {
                if kernel.language != lockstep_kernel::Language::OpenCl {
                    a.finding.severity = lockstep_finding::Severity::Warning;
                }
                if let Some(second) = a.finding.accesses.get_mut(1) {
                    second.op = Action::Exit;
                }
            }
        }
        out
    }

    /// The first operation that is not modelled, if any thread can reach it.
    pub(crate) fn gap(&mut self, limits: Limits) -> Option<Reason> {
        if let Some(because) = self.exec.gaps.first() {
            return Some(because.clone());
        }
        if self.exec.unmodelled.is_empty() {
            return None;
        }
        self.solver.begin(About::Reach);
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
            open: None,
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
            let (verdict, alarms) = (Verdict::Found, vec![alarm]);
            return Races { verdict, alarms, is_decided: false, open: None };
        }
        self.solver.all_or_nothing = proof_only;
        let decided = self.decide(candidates, limits);
        self.solver.all_or_nothing = false;
        if proof_only && decided.iter().any(|d| !matches!(d.outcome, Outcome::Unsat)) {
            return unknown(Reason::NoProof);
        }
        self.solver.begin(About::Other);
        let mut alarms: Vec<Alarm> = Vec::new();
        let mut undecided = None;
        let mut seen: Vec<(SiteId, SiteId)> = Vec::new();
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
        let open = self.open(&decided, divergence);
        Races { verdict, alarms, is_decided, open }
    }

    /// What is excluded rests on no memory that the kernel writes: where a race is left, such memory may hold anything.
    fn open(&mut self, decided: &[Decided], divergence: &Divergence) -> Option<Open> {
        let rests_on_races = self.exec.forwarding || divergence.rests_on_races;
        let is_relied_on = divergence.misaligned.is_none() && divergence.loose.is_none();
        if rests_on_races || !is_relied_on || !self.drawn_from.is_empty() {
            return None;
        }
        for access in 0..self.exec.accesses.len() {
            let side = self.side(access, 1, Level::Block);
            let mut terms = side.conditions;
            for case in side.cases {
                terms.push(case.when);
                if let crate::symbolic::memory::Place::At(_, offset) = case.place {
                    terms.push(offset);
                }
            }
            terms.extend(side.length);
            if self.reads_written(&terms) {
                return None;
            }
        }
        let site = |access: usize| self.exec.accesses[access].site;
        let is_left = |d: &&Decided| !matches!(d.outcome, Outcome::Unsat);
        let mut pairs: Vec<(SiteId, SiteId)> = (decided.iter().filter(is_left))
            .map(|d| (site(d.candidate.first), site(d.candidate.second)))
            .map(|(a, b)| (a.min(b), a.max(b)))
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        Some(Open { pairs, assumes: self.assumptions() })
    }

    /// A confirmed race with a model among the usual assignments. `None` does not mean that there is no race.
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
            if !crate::decide::methods::is_guessed(self.exec.ctx, &candidate.query.reduced) {
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

    /// The alarm for two accesses that may overlap; `None` where they only overlap before the beginning of an array.
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

    /// Whether nothing races unless there are more threads than an `int` can count. There is mostly one such alarm for
    /// every pair of accesses.
    fn is_proved_when_counted(&self, limits: Limits) -> bool {
        let ctx = &self.exec.ctx;
        let condition = crate::condition::hidden::countable(ctx.kernel, ctx.assumptions);
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

    /// A model of the query, if there is one and it is worth searching for.
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

    /// A model in which the two accesses overlap at or after the beginning of the array.
    fn model_within(&mut self, c: &Candidate, limits: Limits) -> Option<Assignment> {
        let (offset, _) = c.offsets?;
        let pool = &mut self.exec.ctx.pool;
        let zero = pool.constant(0, pool.width(offset));
        let before = pool.bin(Bin::Slt, offset, zero);
        let mut list = c.query.asked.clone();
        list.push(pool.not(before));
        self.small_model(&list, limits)
    }

    /// Whether the two writes always store the same value.
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

    /// A model with few threads and small numbers, if there is one.
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
                        && let Some(t) =
                            ctx.existing(crate::launch::context::VarKind::Param(i, 0), 0)
                    {
                        let top = ctx.pool.constant(scalars, ty.bits());
                        list.push(ctx.pool.ule(t, top));
                    }
                }
            }
            if list.iter().any(|&t| ctx.pool.is_false(t)) {
                continue;
            }
            crate::decide::presolve::complete(ctx, &mut list);
            if let Some(m) = self.solver.model(self.exec.ctx, &list, effort) {
                return Some(m);
            }
        }
        self.solver.model(self.exec.ctx, asked, effort)
    }

    /// The assumptions of a proof.
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

/// Whether only an approximation makes the accesses overlap before the beginning of an array. An exact alarm may lie
/// there: a pointer may point into the middle of an array.
fn lies_before(alarm: &Alarm) -> bool {
    let finding = &alarm.finding;
    let start = finding.memory.as_ref().and_then(|m| m.bytes).map_or(0, |b| b[0]);
    finding.confidence == Confidence::Possible && start < 0
}
