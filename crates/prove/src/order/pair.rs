//! Two threads: the generic thread's terms, copied for each, and the facts that hold for both.

use std::sync::Arc;

use lockstep_finding::Statement;
use lockstep_kernel::BlockId;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::decide::asked::DecidedBy;
use crate::decide::record::Record;
use crate::decide::solve::{Query, Solver};
use crate::launch::context::{Base, Level};
use crate::order::broadcast::Handed;
use crate::order::last_block::Arrival;
use crate::order::pair_log::{Exclusion, PairLog};
use crate::order::phases::{Phases, Via};
use crate::order::why_safe::Why;
use crate::symbolic::evaluate::Exec;
use crate::symbolic::memory::Case;
use crate::symbolic::versions::Joining;
use crate::term::walk::{Substitution, reachable};
use crate::term::{FnId, Node, T};

/// An access as one of the two threads makes it.
#[derive(Clone, Debug)]
pub(crate) struct Side {
    pub(crate) conditions: Vec<T>,
    pub(crate) cases: Vec<Case>,
    pub(crate) length: Option<T>,
    pub(crate) values: Vec<T>,
}

/// One way in which two places can be in the same phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Relation {
    /// The conditions on the two threads.
    pub(crate) conditions: Vec<T>,
    /// Whether the conditions are exact, not only necessary.
    pub(crate) exact: bool,
}

/// Maximum number of relations of one pair: more are joined into one without conditions.
const MAX_RELATIONS: usize = 40;

/// Drops relations that are implied by another one, exact ones first.
fn weakest(mut list: Vec<Relation>) -> Vec<Relation> {
    list.sort_by_key(|r| (!r.exact, r.conditions.len()));
    let mut out: Vec<Relation> = Vec::new();
    for r in list {
        let contained = |o: &Relation| o.conditions.iter().all(|t| r.conditions.contains(t));
        if !out.iter().any(contained) {
            out.push(r);
        }
    }
    if out.len() > MAX_RELATIONS {
        out = vec![Relation { conditions: Vec::new(), exact: false }];
    }
    out
}

/// The analysis of one kernel: its evaluation, and the queries about two of its threads.
pub(crate) struct Pairs<'c, 'k> {
    pub(crate) exec: Exec<'c, 'k>,
    pub(crate) solver: Solver,
    /// Why pairs are excluded.
    pub(crate) why: Why,
    /// How all pairs were excluded, if that is recorded.
    pub(crate) log: Option<PairLog>,
    /// Unsatisfiable queries about ways to be in one phase, since the list was last read.
    pub(crate) closed_ways: Vec<usize>,
    copies: FxHashMap<(u8, Level), Substitution>,
    sides: FxHashMap<(usize, u8, Level), Side>,
    cases: Vec<Option<Vec<Case>>>,
    facts: FxHashMap<Level, Vec<T>>,
    /// Further conditions of the launch (candidates for hidden assumptions).
    pub(crate) extra: Vec<T>,
    joining: Joining,
    /// The assumptions made about tickets.
    pub(crate) drawn_from: Vec<Statement>,
    pub(crate) handed: Handed,
    pub(crate) arrivals: Vec<Arrival>,
}

impl<'c, 'k> Pairs<'c, 'k> {
    pub(crate) fn new(exec: Exec<'c, 'k>, record: &Arc<Record>) -> Pairs<'c, 'k> {
        let n = exec.accesses.len();
        Pairs {
            exec,
            solver: Solver::new(record),
            why: Why::default(),
            log: record.keeps_questions.then(PairLog::default),
            closed_ways: Vec::new(),
            copies: FxHashMap::default(),
            sides: FxHashMap::default(),
            cases: vec![None; n],
            facts: FxHashMap::default(),
            extra: Vec::new(),
            joining: Joining::default(),
            drawn_from: Vec::new(),
            handed: Handed::default(),
            arrivals: Vec::new(),
        }
    }

    /// Records why two accesses are excluded.
    pub(crate) fn exclude(&mut self, pair: (usize, usize), level: Level, why: Exclusion) {
        if let Some(log) = &mut self.log {
            log.add(&self.exec, pair, level, why);
        }
    }

    /// All terms that a query may use, so that each is copied once.
    fn roots(&mut self) -> Vec<T> {
        let mut roots = Vec::new();
        for i in 0..self.exec.accesses.len() {
            for c in self.cases_of(i) {
                roots.push(c.when);
                if let crate::symbolic::memory::Place::At(_, o) = c.place {
                    roots.push(o);
                }
            }
            let a = &self.exec.accesses[i];
            roots.push(a.addr);
            roots.extend(a.length);
            roots.extend(a.within);
            roots.extend(&a.values);
        }
        roots.extend(&self.exec.reach);
        roots.extend(self.exec.branches.values());
        for l in &self.exec.loops {
            roots.extend([l.enter, l.stay, l.last, l.index, l.earlier]);
            roots.extend(&l.facts);
            roots.extend(&l.exit_facts);
            roots.extend(&l.wide);
        }
        roots.extend(self.exec.requires.iter().map(|(_, c, _)| *c));
        roots.extend(self.exec.tickets.iter().flat_map(|t| [t.addr, t.result, t.step]));
        roots.extend(self.exec.tickets.iter().filter_map(|t| t.limit));
        roots.extend(self.exec.votes.iter().flat_map(|v| [v.given, v.result]));
        roots.extend(self.exec.asserts.iter().map(|a| a.cond));
        roots
    }

    pub(crate) fn cases_of(&mut self, access: usize) -> Vec<Case> {
        if self.cases[access].is_none() {
            let addr = self.exec.accesses[access].addr;
            self.cases[access] = Some(self.exec.ctx.cases(addr));
        }
        self.cases[access].clone().unwrap_or_default()
    }

    /// A term of the generic thread, copied for thread `tag`.
    pub(crate) fn copy(&mut self, t: T, tag: u8, level: Level) -> T {
        if !self.copies.contains_key(&(tag, level)) {
            let roots = self.roots();
            let s = self.exec.ctx.instance(tag, level, &roots);
            self.copies.insert((tag, level), s);
        }
        let s = self.copies.get_mut(&(tag, level)).expect("just inserted");
        s.apply(&mut self.exec.ctx.pool, t)
    }

    fn copy_all(&mut self, list: &[T], tag: u8, level: Level) -> Vec<T> {
        list.iter().map(|&t| self.copy(t, tag, level)).collect()
    }

    pub(crate) fn side(&mut self, access: usize, tag: u8, level: Level) -> Side {
        if let Some(s) = self.sides.get(&(access, tag, level)) {
            return s.clone();
        }
        let mut conditions = Vec::new();
        self.exec.condition(self.exec.accesses[access].block, &mut conditions);
        conditions.extend(self.exec.accesses[access].within);
        let mut conditions = self.copy_all(&conditions, tag, level);
        self.wide_facts(self.exec.accesses[access].block, tag, level, &mut conditions);
        let cases = self
            .cases_of(access)
            .into_iter()
            .map(|c| Case {
                when: self.copy(c.when, tag, level),
                place: match c.place {
                    crate::symbolic::memory::Place::At(b, o) => {
                        crate::symbolic::memory::Place::At(b, self.copy(o, tag, level))
                    }
                    p => p,
                },
            })
            .collect();
        let length = self.exec.accesses[access].length.map(|n| self.copy(n, tag, level));
        let values = self.exec.accesses[access].values.clone();
        let values = self.copy_all(&values, tag, level);
        let side = Side { conditions, cases, length, values };
        self.sides.insert((access, tag, level), side.clone());
        side
    }

    /// The conditions of a basic block, copied for thread `tag`.
    pub(crate) fn conditions(&mut self, b: BlockId, tag: u8, level: Level) -> Vec<T> {
        let mut list = Vec::new();
        self.exec.condition(b, &mut list);
        let mut out = self.copy_all(&list, tag, level);
        self.wide_facts(b, tag, level, &mut out);
        out
    }

    /// Adds the intervals of loop variables that do not overflow, in case they were lost in the copied terms.
    fn wide_facts(&mut self, b: BlockId, tag: u8, level: Level, out: &mut Vec<T>) {
        for l in self.exec.nest(b) {
            for t in self.exec.loops[l].wide.clone() {
                let own = self.copy(t, tag, level);
                if self.exec.ctx.pool.is_refined(own) {
                    crate::decide::presolve::refined_bounds(self.exec.ctx, own, out);
                }
            }
        }
    }

    /// The facts about any two different threads of a launch.
    pub(crate) fn facts(&mut self, level: Level) -> Vec<T> {
        if let Some(f) = self.facts.get(&level) {
            return f.iter().chain(&self.extra).copied().collect();
        }
        let mut out = self.exec.ctx.launch_facts();
        let trees: Vec<_> =
            self.exec.ctx.assumptions.exprs.iter().map(|e| e.tree.clone()).collect();
        for tree in &trees {
            out.push(self.exec.ctx.assume(tree));
        }
        let shared_block = |tag: u8| if level == Level::Block { 0 } else { tag };
        for tag in [1, 2] {
            out.extend(self.exec.ctx.index_facts(tag, shared_block(tag)));
        }
        let mut different = self.exec.ctx.pool.truth(false);
        for axis in 0..3 {
            let (a, b) = match level {
                Level::Block => {
                    (self.exec.ctx.thread_id(axis, 1), self.exec.ctx.thread_id(axis, 2))
                }
                Level::Grid => (self.exec.ctx.block_id(axis, 1), self.exec.ctx.block_id(axis, 2)),
            };
            let same = self.exec.ctx.pool.eq(a, b);
            let differ = self.exec.ctx.pool.not(same);
            different = self.exec.ctx.pool.or(different, differ);
        }
        out.push(different);
        out.extend(self.required(&[1, 2], level));
        self.facts.insert(level, out.clone());
        out.extend(&self.extra);
        out
    }

    /// The facts about any one thread, as thread 1.
    pub(crate) fn facts_of_one(&mut self) -> Vec<T> {
        let mut out = self.exec.ctx.launch_facts();
        let trees: Vec<_> =
            self.exec.ctx.assumptions.exprs.iter().map(|e| e.tree.clone()).collect();
        for tree in &trees {
            out.push(self.exec.ctx.assume(tree));
        }
        out.extend(self.exec.ctx.index_facts(1, 0));
        out.extend(self.required(&[1], Level::Block));
        out
    }

    /// The preconditions of the source, for each of these threads.
    pub(crate) fn required(&mut self, tags: &[u8], level: Level) -> Vec<T> {
        let requires: Vec<(BlockId, T)> = self
            .exec
            .requires
            .iter()
            .filter(|(b, ..)| self.exec.nest(*b).is_empty())
            .map(|(b, c, _)| (*b, *c))
            .collect();
        let mut out = Vec::new();
        for (b, c) in requires {
            let reach = self.exec.reach[b.0 as usize];
            let fact = self.exec.ctx.pool.implies(reach, c);
            for &tag in tags {
                out.push(self.copy(fact, tag, level));
            }
        }
        out
    }

    /// The ways in which two places can be in one phase, each with its conditions.
    pub(crate) fn relations(
        &mut self,
        phases: &Phases,
        i: usize,
        j: usize,
        level: Level,
    ) -> Vec<Relation> {
        let mut out: Vec<Relation> = Vec::new();
        let (Some(left), Some(right)) = (phases.ways(i), phases.ways(j)) else {
            return vec![Relation { conditions: Vec::new(), exact: false }];
        };
        let same = phases.together(i, j);
        if let Some(([first, second], exact)) = &same {
            let mut conditions = Vec::new();
            for (list, tag) in [(first, 1), (second, 2)] {
                for t in self.copy_all(list, tag, level) {
                    conditions.push(self.exec.ctx.pool.not(t));
                }
            }
            for l in phases.loops(&self.exec, i) {
                let index = self.exec.loops[l].index;
                let (k, m) = (self.copy(index, 1, level), self.copy(index, 2, level));
                conditions.push(self.exec.ctx.pool.eq(k, m));
            }
            out.extend(self.relation(conditions, *exact));
        }
        for a in left {
            for b in right.iter().filter(|b| b.start == a.start) {
                if same.is_some() && a.via == b.via && a.via != Via::Other {
                    continue;
                }
                let mut conditions = self.copy_all(&a.conditions, 1, level);
                conditions.extend(self.copy_all(&b.conditions, 2, level));
                for (&k, &m) in a.when.iter().zip(&b.when) {
                    let (k, m) = (self.copy(k, 1, level), self.copy(m, 2, level));
                    conditions.push(self.exec.ctx.pool.eq(k, m));
                }
                out.extend(self.relation(conditions, a.exact && b.exact));
            }
        }
        weakest(out)
    }

    /// `None` where the conditions cannot hold.
    fn relation(&mut self, mut conditions: Vec<T>, exact: bool) -> Option<Relation> {
        let pool = &self.exec.ctx.pool;
        conditions.retain(|&t| !pool.is_true(t));
        conditions.sort();
        conditions.dedup();
        let wrong = conditions.iter().find(|&&t| pool.is_false(t)).copied();
        if let Some(wrong) = wrong {
            let number = self.solver.keep(self.exec.ctx, &[wrong], DecidedBy::Construction);
            self.closed_ways.extend(number);
            return None;
        }
        Some(Relation { conditions, exact })
    }

    /// Adds the facts about the exits of loops that a conjunction mentions, and prepares it.
    pub(crate) fn ask(&mut self, mut assertions: Vec<T>, level: Level) -> Option<Query> {
        self.add_ends(&mut assertions, level);
        self.solver.ask(self.exec.ctx, assertions)
    }

    /// The same for a query about a race, in which two loads of one element have the same value
    /// ([`crate::symbolic::versions`]).
    pub(crate) fn ask_of_race(&mut self, mut assertions: Vec<T>, level: Level) -> Option<Query> {
        self.add_ends(&mut assertions, level);
        self.join_loads(&mut assertions);
        self.solver.ask(self.exec.ctx, assertions)
    }

    /// Replaces loads by the contents that they read.
    pub(crate) fn join_loads(&mut self, terms: &mut [T]) {
        self.joining.apply(&mut self.exec, terms);
    }

    fn add_ends(&mut self, assertions: &mut Vec<T>, level: Level) {
        if assertions.iter().any(|&t| self.exec.ctx.pool.is_false(t)) {
            return;
        }
        let mut done: FxHashSet<(u8, T)> = FxHashSet::default();
        for _ in 0..4 {
            if self.exec.loops.is_empty() {
                break;
            }
            let mut seen: FxHashMap<FnId, Vec<T>> = FxHashMap::default();
            for t in reachable(&self.exec.ctx.pool, assertions) {
                if let Node::App(f, _) = self.exec.ctx.pool.node(t) {
                    seen.entry(*f).or_default().push(t);
                }
            }
            let mut more = Vec::new();
            for l in 0..self.exec.loops.len() {
                for tag in [1u8, 2] {
                    self.ends(l, tag, level, &seen, &mut done, &mut more);
                }
            }
            if more.is_empty() {
                break;
            }
            assertions.extend(more);
        }
    }

    /// The facts about the last iterations of a loop that occur, each for the iterations of the enclosing loops that it
    /// belongs to.
    fn ends(
        &mut self,
        l: usize,
        tag: u8,
        level: Level,
        seen: &FxHashMap<FnId, Vec<T>>,
        done: &mut FxHashSet<(u8, T)>,
        more: &mut Vec<T>,
    ) {
        let own = self.copy(self.exec.loops[l].last, tag, level);
        let Node::App(f, params) = self.exec.ctx.pool.node(own).clone() else { return };
        for &t in seen.get(&f).into_iter().flatten() {
            let args = match self.exec.ctx.pool.node(t) {
                Node::App(_, args) if done.insert((tag, t)) => args.clone(),
                _ => continue,
            };
            let facts = self.exec.loops[l].exit_facts.clone();
            let facts = self.copy_all(&facts, tag, level);
            let pairs: Vec<(T, T)> = params.iter().copied().zip(args.iter().copied()).collect();
            let mut s = Substitution::rebinding(&mut self.exec.ctx.pool, &pairs);
            more.extend(facts.into_iter().map(|t| s.apply(&mut self.exec.ctx.pool, t)));
        }
    }
}

/// A query about two accesses: the first thread makes `first`, the second `second`.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) first: usize,
    pub(crate) second: usize,
    pub(crate) level: Level,
    pub(crate) base: Option<Base>,
    /// The offsets of the accesses in their object.
    pub(crate) offsets: Option<(T, T)>,
    pub(crate) query: Query,
    /// The way in which the two are concurrent.
    pub(crate) relation: Relation,
}
