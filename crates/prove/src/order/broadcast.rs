//! Values that one thread of a block passes to all through shared memory: `if (threadIdx.x == 0) base = …;
//! __syncthreads();`.
//!
//! A load of a variable in shared memory that only one store of the kernel writes has the value that the block's first
//! thread has stored, in the same iterations of the loops around the store (*its* iterations), if
//!
//! * the first thread reaches the store whenever any thread reaches the load, and
//! * a barrier of the block, in those loops and no others, is on all paths to the load within an iteration, and no path
//!   leads from the barrier to the store.
//!
//! Why: take the first race of an execution, and a load before it. All threads that reach the barrier in an iteration
//! have executed their stores of that iteration before it, or never do. So the first thread's store happens before the
//! load. A store by another thread in the same iteration has the same barriers before it, and would race with the first
//! thread's. A store of an earlier iteration has no more barriers before it than the first thread's, so if it does not
//! race, it happens earlier; a store of a later iteration has no fewer barriers before it than the load, so it happens
//! after the load, or races with it. That all threads pass the same barriers in the same iterations is proved
//! separately ([`crate::order::divergence`]). Shared memory belongs to the block: only the block's barriers order its
//! accesses.
//!
//! In a query about threads of two blocks, such a load is replaced by the value itself, as the first thread of the
//! load's block computes it: a third thread in the query ([`LEADERS`]). A number drawn by one thread for its block is
//! then known to differ from those of other blocks ([`crate::order::tickets`]).
//!
//! A *tally* is a counter in shared memory that one store sets to a constant, and that atomics then add to. Where the
//! store happens before an atomic in the sense above, and the atomic before a load, the numbers drawn are less than the
//! value loaded; and where each thread draws once, that value is at most the number of threads. Here the draws of all
//! threads in the iteration count, and the same barriers ensure that the counter is set neither between them nor before
//! the load.
//!
//! What is missed: writers other than the first thread, variables with several stores, elements with an index.

use lockstep_finding::Statement;
use lockstep_kernel::{BlockId, Scheduling, SiteId, Space};
use rustc_hash::FxHashMap;

use crate::decide::limits::Limits;
use crate::decide::solve::Outcome;
use crate::launch::context::{Base, FnKind, LEADERS, Level, beside};
use crate::order::flow::SourceLine;
use crate::order::pair::Pairs;
use crate::symbolic::memory::Place;
use crate::symbolic::records::Mode;
use crate::term::walk::{Substitution, reachable};
use crate::term::{Node, T};

/// The value of a load that one thread has stored.
#[derive(Clone, Debug)]
struct Value {
    stored: T,
    /// The loops around the store.
    nest: Vec<usize>,
}

/// A load of a counter in shared memory.
#[derive(Clone, Debug)]
struct Tally {
    nest: Vec<usize>,
    first: u64,
    /// Draws, by number, that happen before the load.
    draws: Vec<usize>,
    /// Upper bound of the sum that all draws add.
    most: Option<T>,
}

/// Loads whose values other threads have stored.
#[derive(Debug, Default)]
pub(crate) struct Handed {
    values: FxHashMap<(SiteId, u8), Value>,
    tallies: FxHashMap<(SiteId, u8), Tally>,
}

/// A byte range of one object that is the same for all threads.
#[derive(Clone, Copy)]
struct Fixed {
    base: Base,
    start: i64,
    size: i64,
}

/// How many times values are followed through shared memory.
const DEPTH: usize = 4;

impl Pairs<'_, '_> {
    /// Finds all such loads.
    pub(crate) fn find_handed(&mut self, limits: Limits) {
        if self.exec.ctx.assumptions.scheduling == Scheduling::Lockstep {
            return;
        }
        for f in 0..self.exec.ctx.fns.len() {
            let info = &self.exec.ctx.fns[f];
            let FnKind::LoadAt(site, k) = info.kind else { continue };
            let known = self.handed.values.contains_key(&(site, k))
                || self.handed.tallies.contains_key(&(site, k));
            if info.tag != 0 || known || limits.are_over() {
                continue;
            }
            let reads = |a: &crate::symbolic::records::Access| {
                a.site == site && a.mode == Mode::Read && !a.group
            };
            let mut loads = self.exec.accesses.iter().enumerate().filter(|(_, a)| reads(a));
            let (Some((load, _)), None) = (loads.next(), loads.next()) else { continue };
            if let Some(value) = self.value_of(load, k, limits) {
                self.handed.values.insert((site, k), value);
            } else if k == 0
                && let Some(tally) = self.tally_of(load, limits)
            {
                self.handed.tallies.insert((site, k), tally);
            }
        }
        self.settle_steps(limits);
    }

    /// The bytes of an access, if it always accesses the same bytes of shared memory.
    fn fixed(&mut self, access: usize) -> Option<Fixed> {
        let [case] = self.cases_of(access)[..] else { return None };
        let Place::At(base, offset) = case.place else { return None };
        let start = self.exec.ctx.pool.as_const(offset)? as i64;
        let a = &self.exec.accesses[access];
        let shared = self.exec.ctx.base_space(base) == Space::Shared;
        let size = i64::try_from(a.size).ok()?;
        (shared && a.length.is_none() && a.within.is_none()).then_some(Fixed { base, start, size })
    }

    /// All writes that may access these bytes; `None` if they are not known.
    fn writers(&mut self, place: Fixed) -> Option<Vec<usize>> {
        let mut out = Vec::new();
        for i in 0..self.exec.accesses.len() {
            if !self.exec.accesses[i].mode.writes() {
                continue;
            }
            let own = self.fixed(i);
            let space = self.exec.ctx.kernel.site(self.exec.accesses[i].site).space;
            for case in self.cases_of(i) {
                match (case.place, own) {
                    (Place::Unknown, _) if matches!(space, Space::Generic | Space::Shared) => {
                        return None;
                    }
                    (Place::At(base, _), _) if base != place.base => {}
                    (Place::At(..), Some(o))
                        if o.start + o.size <= place.start
                            || place.start + place.size <= o.start => {}
                    (Place::At(..), _) if !out.contains(&i) => out.push(i),
                    _ => {}
                }
            }
        }
        Some(out)
    }

    fn spot(&self, access: usize) -> SourceLine {
        let a = &self.exec.accesses[access];
        (a.block, a.at)
    }

    /// Whether the first instruction, executed in an iteration of these loops by any thread of the block, happens
    /// before the second in that iteration.
    fn is_settled(&self, first: SourceLine, second: SourceLine, nest: &[usize]) -> bool {
        let within = nest.last().copied();
        let exec = &self.exec;
        exec.ordering_barriers(true).into_iter().any(|s| {
            exec.nest(s.0) == nest
                && exec.is_between(None, Some(second), &|at| at == s, within)
                && !exec.follows(s, first, within)
        })
    }

    /// Whether the first thread of a block reaches a basic block in all iterations in which another thread reaches a
    /// second one.
    fn leader_comes(&mut self, to: BlockId, given: BlockId, limits: Limits) -> bool {
        let level = Level::Block;
        let mut list = self.facts_of_one();
        list.extend(self.conditions(given, 1, level));
        let mut comes = self.copy(self.exec.reach[to.0 as usize], LEADERS[0], level);
        for l in self.exec.nest(to) {
            let (enter, index) = (self.exec.loops[l].enter, self.exec.loops[l].index);
            let enter = self.copy(enter, LEADERS[0], level);
            comes = self.exec.ctx.pool.and(comes, enter);
            let (k, m) = (self.copy(index, 1, level), self.copy(index, LEADERS[0], level));
            list.push(self.exec.ctx.pool.eq(k, m));
        }
        list.push(self.exec.ctx.pool.not(comes));
        self.never(list, level, limits)
    }

    /// Whether no execution without races satisfies the list.
    pub(crate) fn never(&mut self, list: Vec<T>, level: Level, limits: Limits) -> bool {
        let Some(query) = self.ask_of_race(list, level) else { return true };
        let outcome = self.solver.decide(self.exec.ctx, std::slice::from_ref(&query), limits);
        matches!(outcome[..], [Outcome::Unsat])
    }

    fn value_of(&mut self, load: usize, k: u8, limits: Limits) -> Option<Value> {
        let read = self.fixed(load)?;
        let [store] = self.writers(read)?[..] else { return None };
        let written = self.fixed(store)?;
        let (from, to) = (self.spot(load), self.spot(store));
        let lockstep_kernel::Op::Store { ty, .. } = self.exec.op_at(to) else { return None };
        let bits = self.load_width(load, k)?;
        if ty.bits() != bits {
            return None;
        }
        let ahead = read.start + i64::from(k) * i64::from(bits / 8) - written.start;
        let element = usize::try_from(ahead / i64::from(bits / 8)).ok()?;
        let stored = *self.exec.accesses[store].values.get(element)?;
        let nest = self.exec.nest(to.0);
        let settled = ahead >= 0
            && ahead % i64::from(bits / 8) == 0
            && self.exec.nest(from.0).starts_with(&nest)
            && self.is_settled(to, from, &nest);
        (settled && self.leader_comes(to.0, from.0, limits)).then_some(Value { stored, nest })
    }

    /// The width of an element of a load, in bits.
    fn load_width(&self, load: usize, k: u8) -> Option<u32> {
        let lockstep_kernel::Op::Load { ty, count, .. } = self.exec.op_at(self.spot(load)) else {
            return None;
        };
        (k < *count && ty.bits() % 8 == 0).then(|| ty.bits())
    }

    fn tally_of(&mut self, load: usize, limits: Limits) -> Option<Tally> {
        let place = self.fixed(load)?;
        let writers = self.writers(place)?;
        let from = self.spot(load);
        let width = self.load_width(load, 0)?;
        let of_all = |p: &Fixed| p.start == place.start && p.size * 8 == i64::from(width);
        let (mut draws, mut sets) = (Vec::new(), Vec::new());
        for i in writers {
            let spot = self.spot(i);
            if !self.fixed(i).as_ref().is_some_and(of_all) {
                return None;
            }
            let drawn = self.exec.tickets.iter().position(|t| t.at == spot);
            match (self.exec.accesses[i].mode, drawn) {
                (Mode::Atomic { .. }, Some(t)) => draws.push(t),
                (Mode::Write, _) => sets.push(i),
                _ => return None,
            }
        }
        let ([set], false) = (&sets[..], draws.is_empty()) else { return None };
        let to = self.spot(*set);
        let [value] = self.exec.accesses[*set].values[..] else { return None };
        let first = self.exec.ctx.pool.as_const(value)?;
        let nest = self.exec.nest(to.0);
        if !self.exec.nest(from.0).starts_with(&nest) || !self.leader_comes(to.0, from.0, limits) {
            return None;
        }
        let mut sum = Some(0u64);
        for &t in &draws {
            let ticket = self.exec.tickets[t].clone();
            let b = ticket.at.0;
            let plain = ticket.forwards && ticket.limit.is_none() && !ticket.down;
            if !plain
                || !self.exec.nest(b).starts_with(&nest)
                || !self.is_settled(to, ticket.at, &nest)
                || !self.is_settled(ticket.at, from, &nest)
                || !self.leader_comes(to.0, b, limits)
            {
                return None;
            }
            let step = self.exec.ctx.pool.as_const(ticket.step);
            let once = self.exec.nest(b) == nest;
            sum = step.filter(|&n| once && n <= 1 << 8).and_then(|n| Some(sum? + n));
        }
        let threads = self.exec.ctx.block_threads();
        let most = sum.filter(|&n| n <= 1 << 16 && width >= 32).map(|n| {
            let pool = &mut self.exec.ctx.pool;
            let threads = pool.resize(threads, width);
            pool.scale(threads, n)
        });
        Some(Tally { nest, first, draws, most })
    }

    /// Decides for draws of unknown sign whether they never add a negative number, also with the help of tallies.
    fn settle_steps(&mut self, limits: Limits) {
        for i in 0..self.exec.tickets.len() {
            let ticket = self.exec.tickets[i].clone();
            if ticket.forwards || limits.are_over() {
                continue;
            }
            let level = Level::Block;
            let step = self.copy(ticket.step, 1, level);
            let mut list = self.facts_of_one();
            list.extend(self.conditions(ticket.at.0, 1, level));
            let pool = &mut self.exec.ctx.pool;
            let zero = pool.constant(0, pool.width(step));
            list.push(pool.slt(step, zero));
            list.extend(self.tally_facts(&list, level));
            self.exec.tickets[i].forwards = self.never(list, level, limits);
        }
    }

    /// Replaces loads by the values passed to them, in terms of threads of two blocks.
    pub(crate) fn receive(&mut self, terms: &mut [T]) {
        if self.handed.values.is_empty() {
            return;
        }
        for _ in 0..DEPTH {
            let mut s = Substitution::default();
            for t in reachable(&self.exec.ctx.pool, terms) {
                if let Some(value) = self.received(t) {
                    s.terms.insert(t, value);
                }
            }
            if s.terms.is_empty() {
                return;
            }
            for t in terms.iter_mut() {
                *t = s.apply(&mut self.exec.ctx.pool, *t);
            }
        }
    }

    /// The term that replaces a load.
    fn received(&mut self, t: T) -> Option<T> {
        let Node::App(f, args) = self.exec.ctx.pool.node(t).clone() else { return None };
        let info = &self.exec.ctx.fns[f.0 as usize];
        let (FnKind::LoadAt(site, k), 1 | 2) = (&info.kind, info.tag) else { return None };
        let leader = LEADERS[usize::from(info.tag) - 1];
        let Value { stored, nest } = self.handed.values.get(&(*site, *k))?.clone();
        let own = self.copy(stored, leader, Level::Grid);
        let mut pairs = Vec::new();
        for (&l, &arg) in nest.iter().zip(&args[1..]) {
            let index = self.copy(self.exec.loops[l].index, leader, Level::Grid);
            pairs.push((index, arg));
        }
        let mut s = Substitution::rebinding(&mut self.exec.ctx.pool, &pairs);
        Some(s.apply(&mut self.exec.ctx.pool, own))
    }

    /// The facts about the tallies that a query mentions.
    pub(crate) fn tally_facts(&mut self, assertions: &[T], level: Level) -> Vec<T> {
        let mut out = Vec::new();
        if self.handed.tallies.is_empty() {
            return out;
        }
        let seen = reachable(&self.exec.ctx.pool, assertions);
        for &load in &seen {
            let Node::App(f, args) = self.exec.ctx.pool.node(load).clone() else { continue };
            let info = &self.exec.ctx.fns[f.0 as usize];
            let FnKind::LoadAt(site, k) = info.kind else { continue };
            let tag = info.tag;
            let Some(tally) = self.handed.tallies.get(&(site, k)).cloned() else { continue };
            let width = self.exec.ctx.pool.width(load);
            let back = self.exec.ctx.pool.constant(tally.first, width);
            let all = self.exec.ctx.pool.sub(load, back);
            if let Some(most) = tally.most {
                out.push(self.exec.ctx.pool.ule(all, most));
            }
            if level == Level::Block {
                continue;
            }
            for &i in &tally.draws {
                for who in [1u8, 2, LEADERS[0], LEADERS[1]] {
                    if beside(who) == tag {
                        let iterations = &args[1..=tally.nest.len()];
                        out.extend(self.drawn_before(i, who, iterations, (all, back), &seen));
                    }
                }
            }
            let name = self.name_of_counter(tally.draws[0]);
            self.assume_drawn(&name);
        }
        out
    }

    /// The fact that a number drawn by a thread of the block is one of those counted.
    fn drawn_before(
        &mut self,
        ticket: usize,
        who: u8,
        iterations: &[T],
        (all, back): (T, T),
        seen: &[T],
    ) -> Option<T> {
        let level = Level::Grid;
        let drawn = self.exec.tickets[ticket].clone();
        let own = self.copy(drawn.result, who, level);
        if seen.binary_search(&own).is_err() {
            return None;
        }
        let step = self.copy(drawn.step, who, level);
        let mut when = self.exec.ctx.pool.truth(true);
        for c in self.conditions(drawn.at.0, who, level) {
            when = self.exec.ctx.pool.and(when, c);
        }
        for (l, &k) in self.exec.nest(drawn.at.0).into_iter().zip(iterations) {
            let index = self.copy(self.exec.loops[l].index, who, level);
            let same = self.exec.ctx.pool.eq(index, k);
            when = self.exec.ctx.pool.and(when, same);
        }
        let pool = &mut self.exec.ctx.pool;
        let number = pool.sub(own, back);
        let left = pool.sub(all, number);
        let (is_less, is_left) = (pool.ule(number, all), pool.ule(step, left));
        let both = pool.and(is_less, is_left);
        Some(pool.implies(when, both))
    }

    fn name_of_counter(&mut self, ticket: usize) -> String {
        let addr = self.exec.tickets[ticket].addr;
        let base = self.exec.ctx.single_base(addr);
        base.map_or_else(String::new, |(b, _)| self.exec.ctx.base_name(b))
    }

    /// Assumes that a counter does not overflow.
    pub(crate) fn assume_drawn(&mut self, counter: &str) {
        let statement = Statement::CounterDoesNotOverflow { counter: counter.to_owned() };
        if !self.drawn_from.contains(&statement) {
            self.drawn_from.push(statement);
        }
    }
}
