//! Loops: closed forms of their variables over an iteration counter, and bounds on that counter.
//!
//! For a loop variable `x` with first value `x0`, iteration `k` sees
//!
//! | step | value in iteration k |
//! |---|---|
//! | `x += s`, `s` the same in every iteration (perhaps under such a condition) | `x0 + k*s`, modulo the width |
//! | `x <<= c`, `x *= 2^c`, `x >>= c`, `x /= 2^c` | shifts by `k*c` (of `-x0`, where that is positive and divided) |
//! | `x = r - x`, `x ^= c`, two variables that swap | one value in even iterations, one in odd ones |
//! | `x = r` | `x0`, then `r` |
//! | `x = f(..)` of the iteration, and of variables with one of these forms | `x0`, then that of the iteration before |
//! | anything else | `x0`, then a binder of the iteration |
//!
//! These hold whatever the loop's exits are, so `while`, `do` and `for` forms and several exits need no cases. An exit
//! test that every iteration executes bounds `k`: if the test compares a variable, whose step has constant sign, with a
//! loop-invariant value, and the last value plus one step fits the type, then nothing overflows, iterations are counted
//! exactly, and the variable keeps an interval. Otherwise `k` is unbounded and arithmetic wraps as the program's does.
//! A loop whose test depends on constants only is executed at once.
//!
//! Only exits whose test is analysed are used; others (a `break` that depends on data) make the bound an
//! over-approximation, and the loop is marked as inexact ([`LoopInfo::exact`]), which an alarm reports.

use lockstep_kernel::{BlockId, Reg};

use crate::launch::context::{Ctx, FnKind, VarKind};
use crate::symbolic::evaluate::Exec;
use crate::term::walk::{Assignment, Substitution, leaves, reachable};
use crate::term::{Bin, Node, Range, T, VarId, sign_extend};

/// Maximum number of iterations of a loop with constant bounds that are executed to count them.
const RUN_LIMIT: u64 = 1 << 12;

/// Maximum size of a value computed in one iteration that is carried to the next as a term.
const FOLLOWED: usize = 200;

pub(crate) struct HeadPhi {
    pub(crate) reg: Reg,
    pub(crate) opaque: T,
    pub(crate) init: T,
    pub(crate) next: T,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Recurrence {
    Affine {
        step: T,
    },
    ShiftLeft(u64),
    ShiftRight {
        arithmetic: bool,
        by: u64,
    },
    /// Signed division by a power of two.
    Halve(u64),
    Alternate {
        other: T,
    },
    Settles {
        then: T,
    },
    /// The value that the previous iteration computed, from variables with known forms.
    Follows {
        next: T,
    },
    Unknown,
}

pub(crate) struct LoopInfo {
    pub(crate) head: BlockId,
    inside: Vec<bool>,
    /// The opaque counter.
    pub(crate) counter: T,
    pub(crate) phis: Vec<HeadPhi>,
    pub(crate) recurrences: Vec<Recurrence>,
    /// Condition for entering the loop, in an iteration of its parent.
    pub(crate) enter: T,
    /// Condition for another iteration.
    pub(crate) stay: T,
    /// Values after the loop: counter and variables in the last iteration.
    pub(crate) exit: Substitution,
    /// The number of the last iteration.
    pub(crate) last: T,
    /// Facts that hold in every iteration that is reached.
    pub(crate) facts: Vec<T>,
    /// Facts about the last iteration, where the loop was entered.
    pub(crate) exit_facts: Vec<T>,
    /// Upper bound of the number of the last iteration, where known.
    pub(crate) max: Option<u64>,
    pub(crate) trips: Option<u64>,
    /// Intervals of variables that do not overflow: which, from, to, and whether read as signed.
    pub(crate) phi_ranges: Vec<(usize, i128, i128, bool)>,
    /// Wide forms of variables that do not overflow: their intervals are conditions of every iteration.
    pub(crate) wide: Vec<T>,
    /// Whether the conditions on the counter describe exactly which iterations are executed.
    pub(crate) exact: bool,
    /// The final counter.
    pub(crate) index: T,
    /// Some earlier iteration ([`crate::order::phases`]).
    pub(crate) earlier: T,
}

impl LoopInfo {
    pub(crate) fn new(ctx: &mut Ctx, l: usize, no: T) -> LoopInfo {
        let mut inside = vec![false; ctx.kernel.blocks.len()];
        for b in &ctx.cfg.loops[l].blocks {
            inside[b.0 as usize] = true;
        }
        let counter = ctx.free(VarKind::OpaqueCounter(l), 0, 64);
        LoopInfo {
            head: ctx.cfg.loops[l].head,
            inside,
            counter,
            phis: Vec::new(),
            recurrences: Vec::new(),
            enter: no,
            stay: no,
            exit: Substitution::default(),
            last: counter,
            facts: Vec::new(),
            exit_facts: Vec::new(),
            max: None,
            trips: None,
            phi_ranges: Vec::new(),
            wide: Vec::new(),
            exact: false,
            index: counter,
            earlier: counter,
        }
    }

    pub(crate) fn contains(&self, b: BlockId) -> bool {
        self.inside[b.0 as usize]
    }
}

impl Exec<'_, '_> {
    fn var_of(&self, t: T) -> VarId {
        match self.ctx.pool.node(t) {
            Node::Var(v) => *v,
            _ => unreachable!("an opaque stand-in is a variable"),
        }
    }

    pub(crate) fn own_vars(&self, l: usize) -> Vec<VarId> {
        let info = &self.loops[l];
        let mut out: Vec<VarId> = info.phis.iter().map(|p| self.var_of(p.opaque)).collect();
        out.push(self.var_of(info.counter));
        out
    }

    pub(crate) fn invariant(&self, t: T, own: &[VarId]) -> bool {
        let (vars, _) = leaves(&self.ctx.pool, t);
        vars.iter().all(|v| !own.contains(v))
    }

    /// Called when the body has been evaluated: solves recurrences, and computes the values after the loop.
    pub(crate) fn solve(&mut self, l: usize) {
        let own = self.own_vars(l);
        let recurrences: Vec<Recurrence> =
            (0..self.loops[l].phis.len()).map(|i| self.recurrence(l, i, &own)).collect();
        self.loops[l].recurrences = recurrences;
        self.follow(l, &own);
        self.loops[l].trips = self.count(l, &own);
        let last = match self.loops[l].trips {
            Some(n) => self.ctx.pool.constant(n, 64),
            None => {
                let f = self.ctx.function(FnKind::Exit(l), 0, "");
                let args = self.outer_counters(l);
                self.ctx.pool.app(f, &args, 64)
            }
        };
        self.loops[l].last = last;
        let mut exit = Substitution::default();
        exit.vars.insert(self.var_of(self.loops[l].counter), last);
        for i in 0..self.loops[l].phis.len() {
            let v = self.value_at(l, i, last);
            exit.vars.insert(self.var_of(self.loops[l].phis[i].opaque), v);
        }
        // A fact at the end of the loop: one of the exits is taken.
        let exits = self.ctx.cfg.loops[l].exits.clone();
        let inner_ends = self.ctx.cfg.loops[l]
            .blocks
            .iter()
            .any(|b| self.ctx.cfg.successors[b.0 as usize].is_empty());
        if self.loops[l].trips.is_none() && exits.len() <= 4 && !inner_ends {
            let mut any = self.ctx.pool.truth(false);
            for (p, to) in exits {
                // Exits from an inner loop are conditions of that loop's last iteration; they are left out.
                if self.ctx.cfg.innermost[p.0 as usize] != Some(l) {
                    any = self.ctx.pool.truth(true);
                    break;
                }
                let branch = self.branch(p, to);
                let e = self.ctx.pool.and(self.reach[p.0 as usize], branch);
                let e = exit.apply(&mut self.ctx.pool, e);
                any = self.ctx.pool.or(any, e);
            }
            let fact = self.ctx.pool.implies(self.loops[l].enter, any);
            self.loops[l].exit_facts.push(fact);
        }
        self.loops[l].exit = exit;
    }

    /// Finds variables that are recomputed in every iteration: from the iteration's number, and from variables whose
    /// form is known without them.
    fn follow(&mut self, l: usize, own: &[VarId]) {
        let known = |r: &Recurrence| !matches!(r, Recurrence::Unknown | Recurrence::Follows { .. });
        for i in 0..self.loops[l].phis.len() {
            let info = &self.loops[l];
            let next = info.phis[i].next;
            if info.recurrences[i] != Recurrence::Unknown
                || reachable(&self.ctx.pool, &[next]).len() > FOLLOWED
            {
                continue;
            }
            let counter = self.var_of(info.counter);
            let form = |v: &VarId| {
                let phi = info.phis.iter().position(|p| self.var_of(p.opaque) == *v);
                phi.is_some_and(|j| known(&info.recurrences[j]))
            };
            let mut uses = leaves(&self.ctx.pool, next).0.into_iter().filter(|v| own.contains(v));
            if uses.all(|v| v == counter || form(&v)) {
                self.loops[l].recurrences[i] = Recurrence::Follows { next };
            }
        }
    }

    fn outer_counters(&self, l: usize) -> Vec<T> {
        let mut nest = self.nest(self.loops[l].head);
        nest.pop();
        nest.into_iter().map(|o| self.loops[o].counter).collect()
    }

    fn recurrence(&mut self, l: usize, i: usize, own: &[VarId]) -> Recurrence {
        let info = &self.loops[l];
        let (phi, next, init) = (info.phis[i].opaque, info.phis[i].next, info.phis[i].init);
        for (j, other) in info.phis.iter().enumerate() {
            if j != i && next == other.opaque && other.next == phi {
                return Recurrence::Alternate { other: other.init };
            }
        }
        let width = self.ctx.pool.width(phi);
        if self.invariant(next, own) {
            return Recurrence::Settles { then: next };
        }
        let step = self.ctx.pool.sub(next, phi);
        if self.invariant(step, own) {
            return Recurrence::Affine { step };
        }
        if let Some(step) = self.step_by_choice(next, phi, own, 4) {
            return Recurrence::Affine { step };
        }
        let sum = self.ctx.pool.add(next, phi);
        if width > 1 && self.invariant(sum, own) {
            return Recurrence::Alternate { other: self.ctx.pool.sub(sum, init) };
        }
        match self.ctx.pool.node(next).clone() {
            Node::Lin(0, terms) if terms.len() == 1 && terms[0].0 == phi => {
                let k = terms[0].1;
                if k.is_power_of_two() {
                    return Recurrence::ShiftLeft(u64::from(k.trailing_zeros()));
                }
            }
            Node::Bin(Bin::Xor, a, b) => {
                for (a, b) in [(a, b), (b, a)] {
                    if a == phi && self.invariant(b, own) {
                        let other = self.ctx.pool.xor(init, b);
                        return Recurrence::Alternate { other };
                    }
                }
            }
            Node::Bin(op, a, b) if a == phi => {
                if let Some(c) = self.ctx.pool.as_const(b) {
                    match op {
                        Bin::LShr if c > 0 => {
                            return Recurrence::ShiftRight { arithmetic: false, by: c };
                        }
                        Bin::AShr if c > 0 => {
                            return Recurrence::ShiftRight { arithmetic: true, by: c };
                        }
                        Bin::SDiv if c.is_power_of_two() && sign_extend(c, width) > 1 => {
                            return Recurrence::Halve(u64::from(c.trailing_zeros()));
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
        Recurrence::Unknown
    }

    /// A step that depends on a loop-invariant condition: `if (active) x += s`.
    fn step_by_choice(&mut self, next: T, phi: T, own: &[VarId], depth: u32) -> Option<T> {
        let step = self.ctx.pool.sub(next, phi);
        if self.invariant(step, own) {
            return Some(step);
        }
        let Node::Ite(c, a, b) = *self.ctx.pool.node(next) else { return None };
        if depth == 0 || !self.invariant(c, own) {
            return None;
        }
        let a = self.step_by_choice(a, phi, own, depth - 1)?;
        let b = self.step_by_choice(b, phi, own, depth - 1)?;
        Some(self.ctx.pool.ite(c, a, b))
    }

    /// The value of a loop variable in iteration `k`.
    fn value_at(&mut self, l: usize, i: usize, k: T) -> T {
        let (init, recurrence) = (self.loops[l].phis[i].init, self.loops[l].recurrences[i]);
        self.value_with(l, i, k, init, recurrence)
    }

    fn value_with(&mut self, l: usize, i: usize, k: T, init: T, recurrence: Recurrence) -> T {
        let width = self.ctx.pool.width(init);
        let shifted = |ctx: &mut Ctx, init: T, by: u64, op: Bin| {
            let limit = u64::from(width).div_ceil(by);
            let top = ctx.pool.constant(limit, 64);
            let small = ctx.pool.ult(k, top);
            let k_small = ctx.pool.resize(k, width.max(8));
            let k_small = ctx.pool.resize(k_small, width);
            let amount = ctx.pool.scale(k_small, by);
            let all = ctx.pool.constant(u64::from(width), width.max(8));
            let all = ctx.pool.resize(all, width);
            let amount = ctx.pool.ite(small, amount, all);
            ctx.pool.bin(op, init, amount)
        };
        let pool = &mut self.ctx.pool;
        match recurrence {
            Recurrence::Affine { step } => {
                let k = pool.resize(k, width);
                let moved = pool.mul(k, step);
                pool.add(init, moved)
            }
            // Widths below 8 bits cannot represent their own width as a shift amount.
            Recurrence::ShiftLeft(c) if width >= 8 => shifted(self.ctx, init, c, Bin::Shl),
            Recurrence::ShiftRight { arithmetic, by } if width >= 8 => {
                shifted(self.ctx, init, by, if arithmetic { Bin::AShr } else { Bin::LShr })
            }
            // Division rounds towards zero: that of a negative value is that of its opposite.
            Recurrence::Halve(c) if width >= 8 => {
                let above = shifted(self.ctx, init, c, Bin::LShr);
                if self.ctx.pool.range(init).nonneg() {
                    return above;
                }
                let zero = self.ctx.pool.constant(0, width);
                let opposite = self.ctx.pool.sub(zero, init);
                let below = shifted(self.ctx, opposite, c, Bin::LShr);
                let pool = &mut self.ctx.pool;
                let below = pool.sub(zero, below);
                let negative = pool.slt(init, zero);
                pool.ite(negative, below, above)
            }
            Recurrence::Alternate { other } => {
                let low = pool.trunc(k, 1);
                pool.ite(low, other, init)
            }
            Recurrence::Settles { then } => {
                let zero = pool.constant(0, 64);
                let first = pool.eq(k, zero);
                pool.ite(first, init, then)
            }
            Recurrence::Follows { next } => {
                let before = pool.add_const(k, u64::MAX);
                let zero = pool.constant(0, 64);
                let first = pool.eq(k, zero);
                let then = self.in_iteration(l, next, before);
                self.ctx.pool.ite(first, init, then)
            }
            _ => {
                let reg = self.loops[l].phis[i].reg;
                let name = self.ctx.reg_name(reg).unwrap_or("").to_owned();
                let f = self.ctx.function(FnKind::Binder(reg), 0, &name);
                let mut args = self.outer_counters(l);
                args.push(k);
                let later = self.ctx.pool.app(f, &args, width);
                let zero = self.ctx.pool.constant(0, 64);
                let first = self.ctx.pool.eq(k, zero);
                self.ctx.pool.ite(first, init, later)
            }
        }
    }

    /// A term of the loop's body, with its value in iteration `k`.
    pub(crate) fn in_iteration(&mut self, l: usize, t: T, k: T) -> T {
        let (vars, _) = leaves(&self.ctx.pool, t);
        let mut s = Substitution::default();
        s.vars.insert(self.var_of(self.loops[l].counter), k);
        for i in 0..self.loops[l].phis.len() {
            let own = self.var_of(self.loops[l].phis[i].opaque);
            if vars.contains(&own) {
                let v = self.value_at(l, i, k);
                s.vars.insert(own, v);
            }
        }
        s.apply(&mut self.ctx.pool, t)
    }

    /// Executes a loop whose conditions depend on constants only.
    fn count(&mut self, l: usize, own: &[VarId]) -> Option<u64> {
        let info = &self.loops[l];
        let stay = info.stay;
        let mut needed: Vec<VarId> = leaves(&self.ctx.pool, stay).0;
        let mut at = 0;
        while at < needed.len() {
            let v = needed[at];
            at += 1;
            let phi = info.phis.iter().find(|p| self.var_of(p.opaque) == v)?;
            self.ctx.pool.as_const(phi.init)?;
            let (more, fns) = leaves(&self.ctx.pool, phi.next);
            if !fns.is_empty() {
                return None;
            }
            for m in more {
                if !own.contains(&m) {
                    return None;
                }
                if !needed.contains(&m) {
                    needed.push(m);
                }
            }
        }
        if !leaves(&self.ctx.pool, stay).1.is_empty() {
            return None;
        }
        let mut state = Assignment::default();
        for p in &info.phis {
            if let Some(c) = self.ctx.pool.as_const(p.init) {
                state.vars.insert(self.var_of(p.opaque), c);
            }
        }
        for k in 0..RUN_LIMIT {
            if state.eval(&self.ctx.pool, stay) == 0 {
                return Some(k);
            }
            let mut next = Assignment::default();
            for p in info.phis.iter().filter(|p| needed.contains(&self.var_of(p.opaque))) {
                next.vars.insert(self.var_of(p.opaque), state.eval(&self.ctx.pool, p.next));
            }
            state = next;
        }
        None
    }

    // ---- bounds, with outer loops known ----

    /// The loop's variables over its final counter, in terms of outer loops' final counters.
    pub(crate) fn closed_forms(&mut self, l: usize, s: &mut Substitution) -> Vec<(VarId, T)> {
        let index = self.loops[l].index;
        let mut out = vec![(self.var_of(self.loops[l].counter), index)];
        let ranges = std::mem::take(&mut self.loops[l].phi_ranges);
        for i in 0..self.loops[l].phis.len() {
            let init = s.apply(&mut self.ctx.pool, self.loops[l].phis[i].init);
            let recurrence = match self.loops[l].recurrences[i] {
                Recurrence::Affine { step } => {
                    Recurrence::Affine { step: s.apply(&mut self.ctx.pool, step) }
                }
                Recurrence::Alternate { other } => {
                    Recurrence::Alternate { other: s.apply(&mut self.ctx.pool, other) }
                }
                Recurrence::Settles { then } => {
                    Recurrence::Settles { then: s.apply(&mut self.ctx.pool, then) }
                }
                r => r,
            };
            let range = ranges.iter().filter(|r| r.0 == i).copied().next();
            let value = match (recurrence, range) {
                (Recurrence::Affine { step }, Some(range)) => {
                    self.wide_value(l, init, step, index, range)
                }
                _ => self.value_with(l, i, index, init, recurrence),
            };
            // Binders are applied to the counters of the enclosing loops, which are not final yet in `value`.
            let value = s.apply(&mut self.ctx.pool, value);
            out.push((self.var_of(self.loops[l].phis[i].opaque), value));
        }
        out
    }

    /// A variable that is known not to overflow: computed in 64 bits, where its interval is kept, and truncated to its
    /// width.
    fn wide_value(
        &mut self,
        l: usize,
        init: T,
        step: T,
        k: T,
        (_, lo, hi, signed): (usize, i128, i128, bool),
    ) -> T {
        let width = self.ctx.pool.width(init);
        let pool = &mut self.ctx.pool;
        let narrow = {
            let k = pool.resize(k, width);
            let moved = pool.mul(k, step);
            pool.add(init, moved)
        };
        let (c, terms) = pool.lin_parts(narrow);
        let (nlo, nhi) = pool.lin_interval(c, &terms, width);
        if width >= 64 || (nlo >= lo && nhi <= hi) {
            return narrow;
        }
        let first = if signed { pool.sext(init, 64) } else { pool.zext(init, 64) };
        let by = pool.sext(step, 64);
        let moved = pool.mul(k, by);
        let wide = pool.add(first, moved);
        // Queries include the interval as a condition wherever the sum occurs.
        if matches!(pool.node(wide), Node::Lin(..)) {
            self.loops[l].wide.push(wide);
            let pool = &mut self.ctx.pool;
            pool.refine(wide, Range::signed(lo as i64, hi as i64, 64));
        }
        self.ctx.pool.trunc(wide, width)
    }
}
