//! The log of a proof: everything needed to check it again independently.
//!
//! For each kind that is proved: how every pair of accesses was excluded, the unsatisfiable queries in their original
//! form, and the rewrites of constructors while the terms of these queries were built, each as a query of its own that
//! is unsatisfiable if the rewrite is correct. Only the analysis that gave the verdict is logged.

use lockstep_finding::Kind;
use lockstep_kernel::{Op, Scheduling, SiteId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::decide::asked::{About, DecidedBy};
use crate::decide::presolve::{intervals, refined_bounds};
use crate::launch::context::{Base, Ctx, Level, VarKind};
use crate::order::pair::Pairs;
use crate::order::pair_log::Exclusion;
use crate::smt::script::Script;
use crate::term::rewrites::Rewrite;
use crate::term::walk::{children, leaves, reachable};
use crate::term::{Bin, Node, T, VarId};

/// How one kind was proved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProofLog {
    /// Lanes of a warp run in lockstep.
    pub lockstep: bool,
    /// Whether arrays passed to a launch may overlap.
    pub may_alias: bool,
    /// Accesses that no thread executes.
    pub unreached: Vec<SiteId>,
    pub pairs: Vec<LoggedPair>,
    /// By number.
    pub obligations: Vec<LoggedObligation>,
    pub rewrites: usize,
    /// All queries, as SMT-LIB 2: all are unsatisfiable.
    pub script: String,
}

/// Two accesses that might race.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedPair {
    pub sites: (SiteId, SiteId),
    /// Whether the threads are in different blocks.
    pub across_blocks: bool,
    /// The rules that exclude each way in which they could race, and the query that a rule refers to.
    pub excluded: Vec<(&'static str, Option<usize>)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoggedObligation {
    pub about: &'static str,
    /// The rule or the method that decided it.
    pub decided_by: &'static str,
}

/// Whether a proof of a kind depends on queries with this subject.
fn supports(kind: Kind, about: About) -> bool {
    match about {
        About::Reach => true,
        About::Race => kind == Kind::DataRace,
        About::Barrier | About::Order => {
            matches!(kind, Kind::DataRace | Kind::BarrierDivergence)
        }
        About::EveryBarrier => kind == Kind::BarrierDivergence,
        About::Bounds => kind == Kind::OutOfBounds,
        About::Assertion => kind == Kind::Assertion,
        About::Other => false,
    }
}

fn name_of(about: About) -> &'static str {
    match about {
        About::Race => "race",
        About::Barrier => "barrier-of-later-phases",
        About::EveryBarrier => "barrier",
        About::Order => "order",
        About::Reach => "reach",
        About::Bounds => "bounds",
        About::Assertion => "assertion",
        About::Other => "other",
    }
}

impl Pairs<'_, '_> {
    /// The log for a kind that has been proved; `None` if logging is disabled.
    pub(crate) fn proof_log(&mut self, kind: Kind) -> Option<ProofLog> {
        let asked = std::mem::take(&mut self.solver.asked.as_mut()?.list);
        let mut numbers: FxHashMap<usize, usize> = FxHashMap::default();
        let mut known: FxHashMap<Vec<T>, usize> = FxHashMap::default();
        let mut obligations = Vec::new();
        let mut questions: Vec<Vec<T>> = Vec::new();
        for (i, question) in asked.iter().enumerate() {
            let Some(decided_by) = question.by.name() else { continue };
            if !supports(kind, question.about) {
                continue;
            }
            let mut members = question.members.clone();
            members.sort();
            members.dedup();
            let number = *known.entry(members.clone()).or_insert_with(|| {
                obligations.push(LoggedObligation { about: name_of(question.about), decided_by });
                questions.push(members);
                questions.len() - 1
            });
            numbers.insert(i, number);
        }
        assert!(
            asked.iter().all(|q| q.about != About::Race || q.by != DecidedBy::Nobody)
                || kind != Kind::DataRace
        );
        let pairs = if kind == Kind::DataRace { self.logged_pairs(&numbers) } else { Vec::new() };
        let rewrites = needed(self.exec.ctx, &questions);
        let exact = self.exact_products(&mut questions, &mut obligations, &rewrites);
        let facts: Vec<Vec<T>> = rewrites
            .iter()
            .map(|r| {
                let mut facts = intervals(self.exec.ctx, &operands(r));
                facts.extend(signed_bounds(self.exec.ctx, &operands(r)));
                let terms = reachable(&self.exec.ctx.pool, &operands(r));
                facts.extend(terms.iter().filter_map(|t| exact.get(t)));
                facts
            })
            .collect();
        let ctx = &*self.exec.ctx;
        let variable = |v: VarId| variable_name(ctx, v);
        let mut script = Script::new(&ctx.pool, &variable);
        for (i, members) in questions.iter().enumerate() {
            script.question(&format!("obligation {i}"), members);
        }
        for (i, (rewrite, facts)) in rewrites.iter().zip(&facts).enumerate() {
            let name = format!("rewrite {i}");
            script.difference(&name, &rewrite.from, rewrite.width, rewrite.to, facts);
        }
        let log = ProofLog {
            lockstep: ctx.assumptions.scheduling == Scheduling::Lockstep,
            may_alias: ctx.assumptions.may_alias,
            unreached: self.unreached(),
            pairs,
            obligations,
            rewrites: rewrites.len(),
            script: script.finish(),
        };
        if let Some(list) = &mut self.solver.asked {
            list.list = asked;
        }
        Some(log)
    }

    /// Products that are known not to overflow because of facts about the launch: the bound of each is added to the
    /// queries in which it occurs, and is a query of its own, about the conditions of the verdict.
    fn exact_products(
        &mut self,
        questions: &mut Vec<Vec<T>>,
        obligations: &mut Vec<LoggedObligation>,
        rewrites: &[Rewrite],
    ) -> FxHashMap<T, T> {
        let ctx = &mut *self.exec.ctx;
        let mut exact: FxHashMap<T, T> = FxHashMap::default();
        for i in 0..ctx.pool.len() {
            let t = T(i as u32);
            if let Some(claim) = exact_product(ctx, t) {
                exact.insert(t, claim);
            }
        }
        let (conditions, indices) = plain_facts(ctx);
        let mut used: Vec<T> = Vec::new();
        for members in questions.iter_mut() {
            let terms = reachable(&ctx.pool, members);
            // An assumption may have become an interval, and so apply to other terms only.
            let own = variables(ctx, members);
            let is_about = |ctx: &Ctx, t: &T| variables(ctx, &[*t]).is_subset(&own);
            let bounds = signed_bounds(ctx, members);
            members.extend(conditions.iter().filter(|t| is_about(ctx, t)));
            members.extend(bounds);
            let claims: Vec<T> = terms.iter().filter_map(|t| exact.get(t)).copied().collect();
            used.extend(&claims);
            members.extend(claims);
        }
        for rewrite in rewrites {
            let terms = reachable(&ctx.pool, &operands(rewrite));
            used.extend(terms.iter().filter_map(|t| exact.get(t)));
        }
        used.sort();
        used.dedup();
        let facts = [conditions, indices].concat();
        for claim in used {
            let no = ctx.pool.truth(false);
            let fails = ctx.pool.intern(Node::Bin(Bin::Eq, claim, no), 1);
            let own = variables(ctx, &[claim]);
            let about = |ctx: &Ctx, t: T, known: &FxHashSet<VarId>| {
                leaves(&ctx.pool, t).0.iter().any(|v| known.contains(v))
            };
            // Facts about the same variables, and facts about the variables of those.
            let mut known = own;
            let mut members = vec![fails];
            for _ in 0..2 {
                for &fact in &facts {
                    if !members.contains(&fact) && about(ctx, fact, &known) {
                        members.push(fact);
                    }
                }
                for &m in &members {
                    known.extend(leaves(&ctx.pool, m).0);
                }
            }
            for v in known {
                ctx.variable_bounds(v, &mut members);
            }
            questions.push(members);
            obligations.push(LoggedObligation { about: "product", decided_by: "assumption" });
        }
        exact
    }

    fn logged_pairs(&self, numbers: &FxHashMap<usize, usize>) -> Vec<LoggedPair> {
        let mut out: Vec<LoggedPair> = Vec::new();
        for (&(a, b, level), why) in self.log.iter().flat_map(|log| &log.pairs) {
            let mut excluded: Vec<(&'static str, Option<usize>)> = why
                .iter()
                .map(|e| match e {
                    Exclusion::Question(number) => (e.rule(), numbers.get(number).copied()),
                    _ => (e.rule(), None),
                })
                .collect();
            excluded.sort();
            excluded.dedup();
            out.push(LoggedPair { sites: (a, b), across_blocks: level == Level::Grid, excluded });
        }
        out.sort_by_key(|p| (p.sites, p.across_blocks));
        out
    }

    fn unreached(&self) -> Vec<SiteId> {
        let made: FxHashSet<SiteId> = self.exec.accesses.iter().map(|a| a.site).collect();
        let mut out = Vec::new();
        for inst in self.exec.ctx.kernel.insts() {
            match inst.op {
                Op::Load { site, .. }
                | Op::Store { site, .. }
                | Op::Atomic { site, .. }
                | Op::MemSet { site, .. } => out.push(site),
                Op::MemCopy { read, write, .. } | Op::GroupCopy { read, write, .. } => {
                    out.extend([read, write]);
                }
                _ => {}
            }
        }
        out.retain(|site| !made.contains(site));
        out.sort();
        out.dedup();
        out
    }
}

/// The condition that a product, whose known interval is tighter than its factors show, is exact over the integers,
/// with its upper bound.
fn exact_product(ctx: &mut Ctx, t: T) -> Option<T> {
    let pool = &mut ctx.pool;
    let Node::Bin(Bin::Mul, a, b) = *pool.node(t) else { return None };
    if pool.width(t) > 32 || !pool.is_refined(t) {
        return None;
    }
    let (wide_a, wide_b) = (pool.intern(Node::ZExt(a), 64), pool.intern(Node::ZExt(b), 64));
    let product = pool.intern(Node::Bin(Bin::Mul, wide_a, wide_b), 64);
    let end = pool.constant(pool.range(t).uhi + 1, 64);
    Some(pool.intern(Node::Bin(Bin::Ult, product, end), 1))
}

fn variables(ctx: &Ctx, terms: &[T]) -> FxHashSet<VarId> {
    let node = |t: T| match ctx.pool.node(t) {
        Node::Var(v) => Some(*v),
        _ => None,
    };
    reachable(&ctx.pool, terms).into_iter().filter_map(node).collect()
}

/// The intervals of signed variables.
fn signed_bounds(ctx: &mut Ctx, terms: &[T]) -> Vec<T> {
    let mut out = Vec::new();
    for v in variables(ctx, terms) {
        let t = ctx.term_of(v);
        refined_bounds(ctx, t, &mut out);
    }
    out.sort();
    out
}

/// The conditions of the verdict on the launch, and that indices are within their dimensions, without any
/// simplification.
fn plain_facts(ctx: &mut Ctx) -> (Vec<T>, Vec<T>) {
    let trees: Vec<_> = ctx.assumptions.exprs.iter().map(|e| e.tree.clone()).collect();
    ctx.pool.set_plain(true);
    let mut conditions = ctx.launch_facts();
    for tree in &trees {
        conditions.push(ctx.assume(tree));
    }
    let indices = (0..3).flat_map(|tag| ctx.index_facts(tag, tag)).collect();
    ctx.pool.set_plain(false);
    (conditions, indices)
}

fn operands(rewrite: &Rewrite) -> Vec<T> {
    let mut out = Vec::new();
    children(&rewrite.from, |c| out.push(c));
    out
}

/// The rewrites that the queries depend on: those that produced a term of a query, or a constant, and those that
/// produced the operands of such a rewrite.
fn needed(ctx: &Ctx, questions: &[Vec<T>]) -> Vec<Rewrite> {
    let pool = &ctx.pool;
    let mut terms: FxHashSet<T> =
        questions.iter().flat_map(|members| reachable(pool, members)).collect();
    let all = pool.rewrites();
    let mut is_needed = vec![false; all.len()];
    let mut by_result: FxHashMap<T, Vec<usize>> = FxHashMap::default();
    let mut work: Vec<usize> = Vec::new();
    for (i, rewrite) in all.iter().enumerate() {
        by_result.entry(rewrite.to).or_default().push(i);
        if terms.contains(&rewrite.to) || pool.as_const(rewrite.to).is_some() {
            work.push(i);
        }
    }
    while let Some(i) = work.pop() {
        if std::mem::replace(&mut is_needed[i], true) {
            continue;
        }
        for t in reachable(pool, &operands(&all[i])) {
            if terms.insert(t) {
                work.extend(by_result.get(&t).into_iter().flatten());
            }
        }
    }
    all.iter().zip(is_needed).filter(|(_, needed)| *needed).map(|(r, _)| r.clone()).collect()
}

/// A unique name of the variable.
fn variable_name(ctx: &Ctx, v: VarId) -> String {
    let (kind, tag) = ctx.vars[v.0 as usize];
    let axis = |a: u8| ["x", "y", "z"].get(usize::from(a)).copied().unwrap_or("w");
    let name = match kind {
        VarKind::ThreadId(a) => format!("threadIdx.{}", axis(a)),
        VarKind::BlockId(a) => format!("blockIdx.{}", axis(a)),
        VarKind::BlockDim(a) => format!("blockDim.{}", axis(a)),
        VarKind::GridDim(a) => format!("gridDim.{}", axis(a)),
        VarKind::Param(p, _) => ctx.kernel.params[p].name.clone(),
        VarKind::Address(Base::Param(p)) => format!("address.{}", ctx.kernel.params[p].name),
        VarKind::Address(_) => "address".into(),
        VarKind::Counter(_) => "iteration".into(),
        VarKind::Earlier(_) => "earlier".into(),
        VarKind::CopyElement(_) => "element".into(),
        _ => "value".into(),
    };
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' || c == '_' { c } else { '_' };
    let name: String = name.chars().map(plain).collect();
    match tag {
        0 => format!("{name}!v{}", v.0),
        tag => format!("{name}!thread{tag}!v{}", v.0),
    }
}
