//! Tickets: numbers drawn from a counter by an atomic that only ever adds.
//!
//! `atomicAdd(&c, k)` gives each execution distinct numbers: the `k` numbers starting at its result are not given to
//! any other execution, as long as the sum of all additions does not overflow (an assumption that the verdict names)
//! and nothing else changes the counter. This fact is added for any two draws from one address that a query mentions,
//! one by each thread. Where a multiple of such a number is an index, the number must also be small: a condition that
//! is named ([`crate::condition::hidden`]).
//!
//! Other changes of the counter: any other atomic on its object makes the rule inapplicable. A plain store (a counter
//! that is reset) that can execute between the two draws races with one of them if no barrier is between; so for draws
//! by one operation in the same iteration of all enclosing loops, it cannot have executed before the first race
//! ([`crate::symbolic::evaluate`] explains why that is enough). Nor can the last number drawn from some counter
//! ([`crate::order::last_block`]) order the store between the two: control would lead from the store to the second
//! draw, which is the same operation as the first, and so from the last draw to an operation before it.
//!
//! A number that one thread of the block draws for all is followed through shared memory ([`crate::order::broadcast`]),
//! which also determines whether a step of unknown sign can be negative.

use lockstep_kernel::{AtomicOp, BlockId, Reg, Space};

use crate::launch::context::{Base, Level, beside};
use crate::order::pair::Pairs;
use crate::symbolic::evaluate::Exec;
use crate::symbolic::memory::Place;
use crate::symbolic::provenance::may_share;
use crate::symbolic::records::Mode;
use crate::symbolic::records::Ticket;
use crate::term::walk::{Substitution, reachable};
use crate::term::{Node, Range, T, mask};

impl Ticket {
    /// Whether no number is ever drawn twice.
    fn only_adds(&self) -> bool {
        self.forwards && self.limit.is_none()
    }
}

/// How the kernel uses a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Counter {
    OnlyDrawnFrom,
    /// Plain stores reset it.
    Reset,
    /// Other operations change it.
    Other,
}

/// Maximum number of pairs of draws in one query.
const MAX_PAIRS: usize = 64;

impl Exec<'_, '_> {
    /// Records a draw, if the operation is one.
    pub(crate) fn draw(&mut self, at: (BlockId, usize), op: AtomicOp, addr: T, value: T, dst: Reg) {
        let Some(result) = self.values[dst.0 as usize] else { return };
        let pool = &mut self.ctx.pool;
        let w = pool.width(value);
        let mut limit = None;
        let (step, down) = match (op, pool.as_const(value)) {
            (AtomicOp::Inc, top) => {
                limit = (top != Some(mask(w))).then_some(value);
                (pool.constant(1, w), false)
            }
            (AtomicOp::Add | AtomicOp::Sub, constant) => {
                let negative = constant.is_some_and(|c| crate::term::sign_extend(c, w) < 0);
                let step = if negative { pool.scale(value, u64::MAX) } else { value };
                (step, negative != (op == AtomicOp::Sub))
            }
            _ => return,
        };
        let forwards = pool.range(step).slo >= 0;
        if self.ctx.hints.small_tickets && w >= 32 && forwards && limit.is_none() {
            pool.refine(result, Range::unsigned(0, (1 << 30) - 1, w));
        }
        self.tickets.push(Ticket { at, addr, result, step, down, limit, forwards });
    }
}

impl Pairs<'_, '_> {
    /// The facts that distinguish the tickets that a query mentions, one by each thread.
    pub(crate) fn ticket_facts(&mut self, assertions: &[T], level: Level) -> Vec<T> {
        if self.exec.tickets.is_empty() {
            return Vec::new();
        }
        let seen = reachable(&self.exec.ctx.pool, assertions);
        let mut drawn: [Vec<(usize, u8, T)>; 2] = [Vec::new(), Vec::new()];
        // A further thread of one block may be identical with the query's thread of that block, but never with that of
        // the other block.
        let tags: &[u8] = if level == Level::Block { &[1, 2] } else { &[1, 2, 3, 4, 5, 6] };
        for i in 0..self.exec.tickets.len() {
            if !self.exec.tickets[i].only_adds() {
                continue;
            }
            for &tag in tags {
                let own = self.copy(self.exec.tickets[i].result, tag, level);
                let Node::App(f, _) = self.exec.ctx.pool.node(own) else { continue };
                let same =
                    |t: &&T| matches!(self.exec.ctx.pool.node(**t), Node::App(g, _) if g == f);
                let found = seen.iter().filter(same).map(|&t| (i, tag, t));
                drawn[usize::from(beside(tag)) - 1].extend(found);
            }
        }
        let mut out = Vec::new();
        if drawn[0].len() * drawn[1].len() > MAX_PAIRS {
            return out;
        }
        for &left in &drawn[0] {
            for &right in &drawn[1] {
                out.extend(self.apart(left, right, level));
            }
        }
        out
    }

    /// The fact about two draws, by the first thread (or another of its block) and by the second.
    fn apart(
        &mut self,
        (i, one, left): (usize, u8, T),
        (j, two, right): (usize, u8, T),
        level: Level,
    ) -> Option<T> {
        let (first, second) = (self.exec.tickets[i].clone(), self.exec.tickets[j].clone());
        let (base, _) = self.exec.ctx.single_base(first.addr)?;
        let (other, _) = self.exec.ctx.single_base(second.addr)?;
        let width = self.exec.ctx.pool.width(left);
        let same_kind = first.down == second.down && width == self.exec.ctx.pool.width(right);
        if base != other || !same_kind || level == Level::Grid && self.is_shared(base) {
            return None;
        }
        let counter = self.counter(base, first.down, width);
        let mut when = self.exec.ctx.pool.truth(true);
        if counter == Counter::Other || counter == Counter::Reset && i != j {
            return None;
        }
        if counter == Counter::Reset {
            let (a, b) = (self.args(left), self.args(right));
            for (x, y) in a.into_iter().zip(b) {
                let e = self.exec.ctx.pool.eq(x, y);
                when = self.exec.ctx.pool.and(when, e);
            }
        }
        let [x, m] = self.as_drawn(&first, left, one, level)?;
        let [y, n] = self.as_drawn(&second, right, two, level)?;
        let pool = &mut self.exec.ctx.pool;
        let e = pool.eq(x, y);
        when = pool.and(when, e);
        // The distance from the earlier draw to the later one is at least the earlier one's step, and leaves room for
        // the later one's step.
        let (from, to) = if first.down { (right, left) } else { (left, right) };
        let (ahead, back) = (pool.sub(to, from), pool.sub(from, to));
        let top = pool.constant(mask(width), width);
        let mut between = |d: T, own: T, other: T| {
            let least = pool.ule(own, d);
            let most = pool.sub(top, other);
            let most = pool.ule(d, most);
            pool.and(least, most)
        };
        let (later, earlier) = (between(ahead, m, n), between(back, n, m));
        let differ = pool.or(later, earlier);
        let fact = pool.implies(when, differ);
        let name = self.exec.ctx.base_name(base);
        self.assume_drawn(&name);
        Some(fact)
    }

    fn args(&self, t: T) -> Vec<T> {
        match self.exec.ctx.pool.node(t) {
            Node::App(_, args) => args.to_vec(),
            _ => Vec::new(),
        }
    }

    fn is_shared(&self, base: Base) -> bool {
        self.exec.ctx.base_space(base) == Space::Shared
    }

    /// Address and step of a draw in the iterations that its application names.
    fn as_drawn(&mut self, ticket: &Ticket, drawn: T, tag: u8, level: Level) -> Option<[T; 2]> {
        let own = self.copy(ticket.result, tag, level);
        let terms = [self.copy(ticket.addr, tag, level), self.copy(ticket.step, tag, level)];
        let (own, args) = (self.args(own), self.args(drawn));
        if own == args {
            return Some(terms);
        }
        let mut s = Substitution::default();
        for (&from, &to) in own.iter().zip(&args) {
            if from != to && !matches!(self.exec.ctx.pool.node(from), Node::Var(_)) {
                return None;
            }
            s.terms.insert(from, to);
        }
        Some(terms.map(|t| s.apply(&mut self.exec.ctx.pool, t)))
    }

    /// How the kernel uses the object of a counter.
    fn counter(&mut self, base: Base, down: bool, width: u32) -> Counter {
        let mut out = Counter::OnlyDrawnFrom;
        for i in 0..self.exec.accesses.len() {
            let a = &self.exec.accesses[i];
            let (mode, size, at) = (a.mode, a.size, (a.block, a.at));
            if !mode.writes() {
                continue;
            }
            let draws = |t: &Ticket| t.at == at && t.down == down && t.only_adds();
            let is_draw = size * 8 == u64::from(width) && self.exec.tickets.iter().any(draws);
            match mode {
                _ if is_draw || !self.touches(i, base) => {}
                Mode::Atomic { .. } => return Counter::Other,
                _ => out = Counter::Reset,
            }
        }
        out
    }

    /// Whether an access may access an object.
    pub(crate) fn touches(&mut self, access: usize, base: Base) -> bool {
        let space = self.exec.ctx.base_space(base);
        let own_space = self.exec.ctx.kernel.site(self.exec.accesses[access].site).space;
        let may_alias = self.exec.ctx.assumptions.may_alias && space != Space::Shared;
        let kernel = self.exec.ctx.kernel;
        self.cases_of(access).iter().any(|c| match c.place {
            Place::At(b, _) => b == base || may_alias && may_share(kernel, b, base),
            Place::Unknown => {
                own_space == Space::Generic
                    || (own_space == Space::Shared) == (space == Space::Shared)
            }
        })
    }
}
