//! The last block: the accesses of the block that drew the last number happen after what all other blocks did before
//! they drew theirs.
//!
//! An *arrival* is an operation `D` that adds one to a counter in global memory, that at most one thread of each block
//! executes, and at most once. With the counter at 0 when the kernel is launched (an assumption that the verdict
//! names), at most `N` draws are made, where `N` is the number of blocks that share the counter. So the block that
//! draws `N - 1` draws last, and all these blocks have drawn. `atomicInc` with a limit of `N - 1` or more does the
//! same.
//!
//! Let `a` be an access of a thread of one block, and `b` one of a thread of another block that shares the counter.
//! Then `a` happens before `b` if
//!
//! * the number drawn by the second block is `N - 1`;
//! * `a` happens before its block's draw: `a` cannot follow `D`, and either its own thread draws, and a fence is on all
//!   paths from `a` to `D`; or a barrier of the block is on all paths to `D` and on all paths from `a` to the exit, `a`
//!   cannot follow it, and a fence is on all paths from the barrier to `D`, or on all paths from `a` to the barrier;
//! * `b` happens after its block's draw: its own thread has drawn, `D` cannot follow `b`, and a fence or a barrier is
//!   on all paths from `D` to `b`; or a barrier is on all paths to `b` and on all paths from `D` to the exit, and `D`
//!   cannot follow it.
//!
//! Draws are read-modify-writes of one location, and each reads the value that the previous one has written, so with
//! the fences the first block's draw synchronises with the second's (PTX ISA, "Memory Consistency Model"; as in the
//! simulator, the barrier acquires for all threads). A fence before the barrier is not executed by the drawing thread:
//! then both that fence and one after the last draw must be sequentially consistent, as `__threadfence()` is. If the
//! later thread's fence came first in their order, the last draw would come before the first block's draw, whose number
//! it has counted. A draw needs no fence to happen before `b` itself: each location has a single order of writes.
//!
//! A query gets one fact from this: if two accesses race, they are not placed like `a` and `b` with `N - 1` drawn. That
//! `b` is only reached with that number follows from the conditions of `b`, through shared memory
//! ([`crate::order::broadcast`]), through a vote at a barrier ([`Vote`]), or in registers.
//!
//! Other changes of the counter: any other atomic on its object makes the rule inapplicable. For a plain store, more is
//! needed, because the numbers drawn after it are wrong. Take the first such store `W` of an execution before its first
//! race. Numbers drawn until then are right. If `N - 1` was drawn before `W`, no block draws after it. If not, the draw
//! of the next block would race with `W`: the queries about `W` and `D` are decided like all others, and the numbers
//! that they use were drawn before `W`.
//!
//! [`crate::symbolic::versions`], [`crate::order::tickets`] and [`crate::symbolic::evaluate`] rely on threads being
//! ordered by barriers only; this order preserves what they need. It follows the control flow: if it makes `a` happen
//! before `b`, there are paths from `a` to `D` and from `D` to `b`, and none from `D` to `a` or from `b` to `D`.
//! [`crate::symbolic::versions`] describes the consequences. Within a block nothing new is ordered. The rule does not
//! apply to kernels with barriers of the grid.
//!
//! What is missed: draws in loops, by all threads, or by several operations; counters that count down; counters of a block
//! in shared memory.

use lockstep_finding::Statement;
use lockstep_kernel::{Barrier, CopyDone, Op, Order, Scheduling, Scope, Space};

use crate::decide::limits::Limits;
use crate::launch::context::{Base, LEADERS, Level, VOTERS, VarKind, beside};
use crate::order::flow::SourceLine;
use crate::order::pair::Pairs;
use crate::symbolic::records::{Mode, Vote};
use crate::term::T;
use crate::term::walk::{leaves, reachable};

/// An operation by which blocks are counted.
#[derive(Clone, Debug)]
pub(crate) struct Arrival {
    at: SourceLine,
    base: Base,
    addr: T,
    /// The number drawn.
    result: T,
    /// The number of blocks that share the counter.
    blocks: T,
    /// The counter may wrap around to zero.
    limited: bool,
}

/// How an access is ordered before its block's draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Before {
    /// It is the draw.
    Draws,
    /// By program order, in the thread that draws.
    Own { fenced: bool },
    /// By a barrier, and with fences in these threads.
    Barrier { drawer: bool, own: bool },
}

/// How an access is ordered after its block's draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct After {
    /// By a barrier; otherwise in the thread that has drawn.
    barrier: bool,
    /// A sequentially consistent fence lies between.
    fence: bool,
}

impl Pairs<'_, '_> {
    pub(crate) fn find_arrivals(&mut self, limits: Limits) {
        let lockstep = self.exec.ctx.assumptions.scheduling == Scheduling::Lockstep;
        let of_grid = self.exec.barriers.iter().any(|b| matches!(b.barrier, Barrier::Grid));
        if lockstep || of_grid {
            return;
        }
        for i in 0..self.exec.tickets.len() {
            if !limits.are_over()
                && let Some(arrival) = self.arrival(i, limits)
            {
                self.arrivals.push(arrival);
            }
        }
    }

    fn arrival(&mut self, ticket: usize, limits: Limits) -> Option<Arrival> {
        let ticket = self.exec.tickets[ticket].clone();
        let at = ticket.at;
        let one = self.exec.ctx.pool.as_const(ticket.step) == Some(1) && !ticket.down;
        let &Op::Atomic { scope, .. } = self.exec.op_at(at) else { return None };
        let (base, _) = self.exec.ctx.single_base(ticket.addr)?;
        let global = self.exec.ctx.base_space(base) == Space::Global && !self.exec.ctx.is_own(base);
        if !one || scope < Scope::Device || !global || !self.exec.nest(at.0).is_empty() {
            return None;
        }
        for i in 0..self.exec.accesses.len() {
            let a = &self.exec.accesses[i];
            let other = (a.block, a.at) != at && matches!(a.mode, Mode::Atomic { .. });
            if other && a.mode.writes() && self.touches(i, base) {
                return None;
            }
        }
        let axes = self.axes_of(ticket.addr)?;
        if !self.is_drawn_once(at) || !self.are_rows(ticket.addr, axes, limits) {
            return None;
        }
        let mut twice = self.facts(Level::Block);
        for tag in [1, 2] {
            twice.extend(self.conditions(at.0, tag, Level::Block));
        }
        if !self.never(twice, Level::Block, limits) {
            return None;
        }
        let width = self.exec.ctx.pool.width(ticket.result);
        let mut blocks = self.exec.ctx.pool.constant(1, width);
        for axis in (0..3u8).filter(|a| !axes[usize::from(*a)]) {
            let n = self.exec.ctx.grid_dim(axis);
            let n = self.exec.ctx.pool.resize(n, width);
            blocks = self.exec.ctx.pool.mul(blocks, n);
        }
        if let Some(limit) = ticket.limit {
            let limit = self.copy(limit, 1, Level::Block);
            let mut early = self.facts_of_one();
            early.extend(self.conditions(at.0, 1, Level::Block));
            let last = self.exec.ctx.pool.add_const(blocks, u64::MAX);
            early.push(self.exec.ctx.pool.ult(limit, last));
            if !self.never(early, Level::Block, limits) {
                return None;
            }
        }
        let limited = ticket.limit.is_some();
        Some(Arrival { at, base, addr: ticket.addr, result: ticket.result, blocks, limited })
    }

    /// Whether the operation is recorded as one access.
    fn is_drawn_once(&self, at: SourceLine) -> bool {
        self.exec.accesses.iter().filter(|a| (a.block, a.at) == at).count() == 1
    }

    /// The axes of the grid along which an address changes; `None` if it depends on anything else.
    fn axes_of(&self, addr: T) -> Option<[bool; 3]> {
        let ctx = &self.exec.ctx;
        let (vars, fns) = leaves(&ctx.pool, addr);
        let mut axes = [false; 3];
        for v in vars {
            match ctx.vars[v.0 as usize].0 {
                VarKind::BlockId(axis) => axes[usize::from(axis)] = true,
                VarKind::BlockDim(_) | VarKind::GridDim(_) | VarKind::Param(..) => {}
                VarKind::Address(base) if !ctx.is_own(base) => {}
                _ => return None,
            }
        }
        fns.is_empty().then_some(axes)
    }

    /// Whether blocks with the same address differ only along other axes.
    fn are_rows(&mut self, addr: T, axes: [bool; 3], limits: Limits) -> bool {
        if axes == [false; 3] {
            return true;
        }
        let level = Level::Grid;
        let mut list = self.facts(level);
        let (x, y) = (self.copy(addr, 1, level), self.copy(addr, 2, level));
        let mut differ = self.exec.ctx.pool.truth(false);
        for axis in (0..3u8).filter(|a| axes[usize::from(*a)]) {
            let (a, b) = (self.exec.ctx.block_id(axis, 1), self.exec.ctx.block_id(axis, 2));
            let same = self.exec.ctx.pool.eq(a, b);
            let apart = self.exec.ctx.pool.not(same);
            differ = self.exec.ctx.pool.or(differ, apart);
        }
        list.extend([self.exec.ctx.pool.eq(x, y), differ]);
        self.never(list, level, limits)
    }

    // ---- in queries ----

    /// The facts about the votes that a query about two blocks mentions: which threads contributed to their result.
    pub(crate) fn vote_facts(&mut self, assertions: &[T]) -> Vec<T> {
        let level = Level::Grid;
        let mut out = Vec::new();
        // One further thread in each of the two blocks has to suffice.
        let [Vote { block, given, result }] = self.exec.votes[..] else { return out };
        if !self.exec.nest(block).is_empty() {
            return out;
        }
        let seen = reachable(&self.exec.ctx.pool, assertions);
        for tag in VOTERS {
            let told = self.copy(result, beside(tag), level);
            if seen.binary_search(&told).is_err() {
                continue;
            }
            let given = self.copy(given, tag, level);
            let came = self.copy(self.exec.reach[block.0 as usize], tag, level);
            out.extend(self.exec.ctx.index_facts(tag, beside(tag)));
            let pool = &mut self.exec.ctx.pool;
            let zero = pool.constant(0, pool.width(told));
            let none = pool.eq(told, zero);
            let gave = pool.and(came, given);
            out.push(pool.or(none, gave));
        }
        out
    }

    /// Adds the facts about the blocks' numbers to a query about accesses of two blocks that are not ordered. Returns
    /// whether a number could order them.
    pub(crate) fn add_arrivals(&mut self, i: usize, j: usize, assertions: &mut Vec<T>) -> bool {
        let mut orders = false;
        if self.arrivals.is_empty() {
            return orders;
        }
        let seen = reachable(&self.exec.ctx.pool, assertions);
        for arrival in self.arrivals.clone() {
            let mut drawn = Vec::new();
            for tag in [1, 2, LEADERS[0], LEADERS[1], VOTERS[0], VOTERS[1]] {
                let number = self.copy(arrival.result, tag, Level::Grid);
                if seen.binary_search(&number).is_ok() {
                    let came =
                        self.copy(self.exec.reach[arrival.at.0.0 as usize], tag, Level::Grid);
                    drawn.push((tag, came, number));
                }
            }
            if drawn.is_empty() {
                continue;
            }
            let mut facts = Vec::new();
            for (early, late, second) in [(i, j, 2), (j, i, 1)] {
                self.not_ordered(&arrival, (early, late), second, &drawn, &mut facts);
            }
            let from_zero = self.exec.ctx.hints.from_zero;
            // Numbers of a counter without a limit are distinct whatever its initial value.
            if facts.is_empty() && !arrival.limited && !from_zero {
                continue;
            }
            orders |= !facts.is_empty();
            self.numbers(&arrival, &drawn, &mut facts);
            assertions.extend(facts);
            let name = self.exec.ctx.base_name(arrival.base);
            self.assume_drawn(&name);
            let zero = Statement::CounterStartsAtZero { counter: name };
            if !from_zero && !self.drawn_from.contains(&zero) {
                self.drawn_from.push(zero);
            }
        }
        orders
    }

    /// The condition that both blocks share the counter.
    fn in_common(&mut self, arrival: &Arrival) -> T {
        let (x, y) =
            (self.copy(arrival.addr, 1, Level::Grid), self.copy(arrival.addr, 2, Level::Grid));
        self.exec.ctx.pool.eq(x, y)
    }

    /// Adds that each number is below the number of blocks, and drawn by one block only.
    fn numbers(&mut self, arrival: &Arrival, drawn: &[(u8, T, T)], out: &mut Vec<T>) {
        let common = self.in_common(arrival);
        for &(_, came, number) in drawn {
            let pool = &mut self.exec.ctx.pool;
            let least = pool.ult(number, arrival.blocks);
            out.push(pool.implies(came, least));
        }
        for &(_, came, number) in drawn.iter().filter(|d| beside(d.0) == 1) {
            for &(_, also, other) in drawn.iter().filter(|d| beside(d.0) == 2) {
                let pool = &mut self.exec.ctx.pool;
                let both = pool.and(came, also);
                let both = pool.and(both, common);
                let same = pool.eq(number, other);
                let differ = pool.not(same);
                out.push(pool.implies(both, differ));
            }
        }
    }

    /// The fact that, if one access happens before its block's draw and the other after its own, the latter draw was
    /// not the last.
    fn not_ordered(
        &mut self,
        arrival: &Arrival,
        (early, late): (usize, usize),
        second: u8,
        drawn: &[(u8, T, T)],
        out: &mut Vec<T>,
    ) {
        let (Some(before), Some(after)) =
            (self.before_draw(arrival.at, early), self.after_draw(arrival.at, late))
        else {
            return;
        };
        let ordered = match before {
            Before::Draws => true,
            Before::Own { fenced } => fenced,
            Before::Barrier { drawer, own } => drawer || own && after.fence,
        };
        if !ordered {
            return;
        }
        let first = 3 - second;
        let mut when = self.in_common(arrival);
        if matches!(before, Before::Own { .. }) {
            let came = self.copy(self.exec.reach[arrival.at.0.0 as usize], first, Level::Grid);
            when = self.exec.ctx.pool.and(when, came);
        }
        for &(tag, came, number) in drawn.iter().filter(|d| beside(d.0) == second) {
            if tag != second && !after.barrier {
                continue;
            }
            let pool = &mut self.exec.ctx.pool;
            let last = pool.add_const(arrival.blocks, u64::MAX);
            let is_last = pool.eq(number, last);
            let ordered = pool.and(when, came);
            let ordered = pool.and(ordered, is_last);
            out.push(pool.not(ordered));
        }
    }

    // ---- in the control flow ----

    /// Whether an access takes effect at its place in program order: it is not part of an asynchronous copy.
    fn is_prompt(&self, access: usize) -> bool {
        let a = &self.exec.accesses[access];
        let copies = matches!(
            self.exec.op_at((a.block, a.at)),
            Op::MemCopy { done: CopyDone::Group { .. } | CopyDone::Signal(_), .. }
                | Op::GroupCopy { .. }
        );
        !a.group && !copies
    }

    /// Whether the operation is a fence of device scope or wider for global memory, with a sufficient order.
    fn is_fence(&self, at: SourceLine, enough: impl Fn(Order) -> bool) -> bool {
        matches!(*self.exec.op_at(at), Op::Fence { scope, order, global: true, .. }
            if scope >= Scope::Device && enough(order))
    }

    fn order_of(&self, draw: SourceLine) -> Order {
        match *self.exec.op_at(draw) {
            Op::Atomic { order, .. } => order,
            _ => Order::Relaxed,
        }
    }

    fn before_draw(&self, draw: SourceLine, access: usize) -> Option<Before> {
        let exec = &self.exec;
        let a = (exec.accesses[access].block, exec.accesses[access].at);
        if a == draw {
            return Some(Before::Draws);
        }
        if !self.is_prompt(access) || exec.follows(draw, a, None) {
            return None;
        }
        let released = self.order_of(draw).releases();
        let fence = |s: SourceLine| self.is_fence(s, Order::releases);
        let strong = |s: SourceLine| self.is_fence(s, |o| o == Order::SeqCst);
        let mut best: Option<Before> = None;
        for s in exec.ordering_barriers(false) {
            let here = |at: SourceLine| at == s;
            let parts = exec.is_between(None, Some(draw), &here, None)
                && exec.is_between(Some(a), None, &here, None)
                && !exec.follows(s, a, None);
            if !parts {
                continue;
            }
            let drawer = released || exec.is_between(Some(s), Some(draw), &fence, None);
            let own = exec.is_between(Some(a), Some(s), &strong, None);
            if drawer || own || best.is_none() {
                best = Some(Before::Barrier { drawer, own });
            }
            if drawer {
                break;
            }
        }
        match best {
            Some(Before::Barrier { drawer: true, .. } | Before::Barrier { own: true, .. }) => best,
            _ => {
                let fenced = released || exec.is_between(Some(a), Some(draw), &fence, None);
                Some(Before::Own { fenced })
            }
        }
    }

    fn after_draw(&self, draw: SourceLine, access: usize) -> Option<After> {
        let exec = &self.exec;
        let b = (exec.accesses[access].block, exec.accesses[access].at);
        if b == draw || !self.is_prompt(access) || exec.follows(b, draw, None) {
            return None;
        }
        let barriers = exec.ordering_barriers(false);
        let strong = |s: SourceLine| self.is_fence(s, |o| o == Order::SeqCst);
        let fence = exec.is_between(Some(draw), Some(b), &strong, None);
        let barrier = barriers.iter().any(|&s| {
            let here = |at: SourceLine| at == s;
            exec.is_between(None, Some(b), &here, None)
                && exec.is_between(Some(draw), None, &here, None)
                && !exec.follows(s, draw, None)
        });
        let acquires = |s: SourceLine| self.is_fence(s, Order::acquires) || barriers.contains(&s);
        let acquired =
            self.order_of(draw).acquires() || exec.is_between(Some(draw), Some(b), &acquires, None);
        (barrier || acquired).then_some(After { barrier, fence })
    }
}
