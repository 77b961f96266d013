//! Loops: closed forms of their variables over an iteration counter, and bounds on that counter.
//!
//! For a loop variable `x` with first value `x0`, iteration `k` sees
//!
//! | step | value in iteration k |
//! |---|---|
//! | `x += s`, `s` the same in every iteration (perhaps under such a condition) | `x0 + k*s`, modulo the width |
//! | `x <<= c`, `x *= 2^c`, `x >>= c`, `x /= 2^c` (not negative) | shifts by `k*c` |
//! | `x = r - x`, `x ^= c`, two variables that swap | one value in even iterations, one in odd ones |
//! | `x = r` | `x0`, then `r` |
//! | `x = f(..)` of the iteration, and of variables with one of these forms | `x0`, then that of the iteration before |
//! | anything else | `x0`, then a binder of the iteration |
//!
//! These hold whatever the loop's exits are, so `while`, `do` and `for` forms and several exits need no cases. A test
//! that every iteration passes through and that leaves the loop bounds `k`: if the test compares a variable of
//! constant sign of step with something invariant, and the last value plus one step stays within the type, then nothing
//! wraps, iterations are counted exactly, and the variable keeps an interval. Otherwise `k` is free and arithmetic
//! wraps as the program's does. A loop whose test depends on constants only is run at once.
//!
//! Only exits whose test is analysed are used; others (a `break` on data) leave the bound an over-approximation, and
//! the loop is marked as not exact ([`LoopInfo::exact`]), which an alarm reports.

use lockstep_kernel::{BlockId, Reg, Terminator};

use crate::context::{Ctx, FnKind, VarKind};
use crate::exec::Exec;
use crate::term::{Bin, Node, Range, T, VarId, bits_for, mask, sign_extend, smax, smin};
use crate::walk::{Assignment, Substitution, leaves, reachable};

/// How often a loop with constant bounds is run to count its iterations.
const RUN_LIMIT: u64 = 1 << 12;

/// How large what an iteration computes may be to be kept for the next one.
const FOLLOWED: usize = 200;

pub(crate) struct HeadPhi {
    pub(crate) reg: Reg,
    pub(crate) opaque: T,
    pub(crate) init: T,
    pub(crate) next: T,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Recurrence {
    Affine {
        step: T,
    },
    ShiftLeft(u64),
    ShiftRight {
        arithmetic: bool,
        by: u64,
    },
    /// Signed division by a power of two: a shift where the first value is not negative.
    Halve(u64),
    Alternate {
        other: T,
    },
    Settles {
        then: T,
    },
    /// What the iteration before computed, from others of these.
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
    recurrences: Vec<Recurrence>,
    /// Condition of entering the loop, in its parent's iteration.
    pub(crate) enter: T,
    /// Condition of another iteration.
    pub(crate) stay: T,
    /// Values after the loop: counter and variables at the last iteration.
    pub(crate) exit: Substitution,
    /// The number of the last iteration.
    pub(crate) last: T,
    /// What holds in every iteration that is reached.
    pub(crate) facts: Vec<T>,
    /// What holds of the last iteration, where the loop was entered.
    pub(crate) exit_facts: Vec<T>,
    /// The last iteration's greatest number, where known.
    pub(crate) max: Option<u64>,
    trips: Option<u64>,
    /// Intervals of variables that do not wrap: which, from, to, and whether read as signed.
    phi_ranges: Vec<(usize, i128, i128, bool)>,
    /// Wide forms of variables that do not wrap: their intervals are conditions of every iteration.
    pub(crate) wide: Vec<T>,
    /// The counters' conditions say exactly which iterations there are.
    pub(crate) exact: bool,
    /// The final counter.
    pub(crate) index: T,
    /// Some earlier iteration ([`crate::phases`]).
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

/// A test that leaves the loop, as a bound on a variable: it stays while `phi + offset` is within the limit.
struct Test {
    phi: usize,
    offset: T,
    signed: bool,
    limit: Limit,
}

enum Limit {
    /// Stays only up to here.
    AtMost(i128),
    /// Stays only from here.
    AtLeast(i128),
    /// Stays while different from something in this interval.
    Differs(i128, i128),
}

/// What a test and its variable's recurrence give.
struct Bound {
    max: u64,
    phi: Option<(usize, i128, i128, bool)>,
}

impl Exec<'_, '_> {
    fn var_of(&self, t: T) -> VarId {
        match self.ctx.pool.node(t) {
            Node::Var(v) => *v,
            _ => unreachable!("an opaque stand-in is a variable"),
        }
    }

    fn own_vars(&self, l: usize) -> Vec<VarId> {
        let info = &self.loops[l];
        let mut out: Vec<VarId> = info.phis.iter().map(|p| self.var_of(p.opaque)).collect();
        out.push(self.var_of(info.counter));
        out
    }

    fn invariant(&self, t: T, own: &[VarId]) -> bool {
        let (vars, _) = leaves(&self.ctx.pool, t);
        vars.iter().all(|v| !own.contains(v))
    }

    /// Called when the body has been evaluated: recurrences, and the values after the loop.
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
        // What holds at the end: one of the exits is taken.
        let exits = self.ctx.cfg.loops[l].exits.clone();
        let inner_ends = self.ctx.cfg.loops[l]
            .blocks
            .iter()
            .any(|b| self.ctx.cfg.successors[b.0 as usize].is_empty());
        if self.loops[l].trips.is_none() && exits.len() <= 4 && !inner_ends {
            let mut any = self.ctx.pool.truth(false);
            for (p, to) in exits {
                // Exits from an inner loop are conditions of that loop's last iteration; leave those out.
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

    /// Variables that are computed anew in every iteration: from the iteration's number, and from variables whose form is
    /// known without them.
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

    /// A step that depends on a condition which is the same in every iteration: `if (active) x += s`.
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
        let shifted = |ctx: &mut Ctx, by: u64, op: Bin| {
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
            // Widths below 8 bits cannot hold their own width as an amount.
            Recurrence::ShiftLeft(c) if width >= 8 => shifted(self.ctx, c, Bin::Shl),
            Recurrence::ShiftRight { arithmetic, by } if width >= 8 => {
                shifted(self.ctx, by, if arithmetic { Bin::AShr } else { Bin::LShr })
            }
            Recurrence::Halve(c) if width >= 8 && pool.range(init).nonneg() => {
                shifted(self.ctx, c, Bin::LShr)
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

    /// A term of the loop's body, as it is in iteration `k`.
    fn in_iteration(&mut self, l: usize, t: T, k: T) -> T {
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

    /// Runs a loop whose conditions depend on constants only.
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

    /// Bounds the counter. `s` rewrites the variables of the loops around.
    pub(crate) fn bound(&mut self, l: usize, s: &mut Substitution) {
        let latches: Vec<BlockId> = self.ctx.cfg.predecessors[self.loops[l].head.0 as usize]
            .iter()
            .copied()
            .filter(|p| self.loops[l].contains(*p))
            .collect();
        let exits = self.ctx.cfg.loops[l].exits.clone();
        let ends_inside = self.ctx.cfg.loops[l]
            .blocks
            .iter()
            .any(|b| self.ctx.cfg.successors[b.0 as usize].is_empty());
        let mut max = self.loops[l].trips;
        let mut phi_ranges: Vec<(usize, i128, i128, bool)> = Vec::new();
        let mut analysed = 0;
        for &(p, to) in &exits {
            let every = latches.iter().all(|&latch| self.ctx.cfg.dominates(p, latch));
            if !every || self.ctx.cfg.innermost[p.0 as usize] != Some(l) {
                continue;
            }
            let Terminator::Branch { then, otherwise, .. } = self.ctx.kernel.block(p).term else {
                continue;
            };
            let inside = if then == to { otherwise } else { then };
            let stay = self.branch(p, inside);
            let mut parts = Vec::new();
            conjuncts(&self.ctx.pool, stay, &mut parts);
            let whole = parts.len() == 1;
            for part in parts {
                let Some(test) = self.test(l, part, s) else { continue };
                let Some(bound) = self.bound_of(l, &test, s) else { continue };
                max = Some(max.map_or(bound.max, |m| m.min(bound.max)));
                phi_ranges.extend(bound.phi);
                analysed += usize::from(whole);
            }
            // What stands after a test at the head has the test among its own conditions.
            if (p != self.loops[l].head || self.acts_in(p)) && self.loops[l].trips.is_none() {
                self.previous_iteration(l, stay);
            }
        }
        self.loops[l].max = max;
        self.loops[l].exact =
            self.loops[l].trips.is_some() || exits.len() == 1 && !ends_inside && analysed == 1;
        let top = max.unwrap_or(u64::MAX);
        let index = self.ctx.variable(VarKind::Counter(l), 0, 0, top, 64);
        self.loops[l].index = index;
        self.loops[l].earlier = self.ctx.variable(VarKind::Earlier(l), 0, 0, top, 64);
        self.loops[l].phi_ranges = phi_ranges;
        if self.loops[l].exact && self.loops[l].trips.is_none() {
            self.last_was_reached(l);
        }
        if let (Some(max), Node::App(..)) = (max, self.ctx.pool.node(self.loops[l].last).clone()) {
            // The last iteration is one of those counted.
            let last = self.loops[l].last;
            let range = Range::unsigned(0, max, 64);
            self.ctx.pool.refine(last, range);
            let resolved = s.apply(&mut self.ctx.pool, last);
            self.ctx.pool.refine(resolved, range);
        }
    }

    /// Whether there is an access or a barrier in the block.
    fn acts_in(&self, b: BlockId) -> bool {
        self.accesses.iter().any(|a| a.block == b) || self.barriers.iter().any(|x| x.block == b)
    }

    /// In every iteration but the first, the test was passed one iteration before.
    fn previous_iteration(&mut self, l: usize, stay: T) {
        let fact = self.held_before(l, stay, self.loops[l].counter);
        self.loops[l].facts.push(fact);
    }

    /// The last iteration began because the one before did not leave. Together with the exit that was taken, this
    /// makes the number of the last iteration exact where the test is one of a variable that only grows or only falls.
    fn last_was_reached(&mut self, l: usize) {
        let held = self.held_before(l, self.loops[l].stay, self.loops[l].last);
        let fact = self.ctx.pool.implies(self.loops[l].enter, held);
        self.loops[l].exit_facts.push(fact);
    }

    /// That iteration `k` is the first, or the condition held in the one before it.
    fn held_before(&mut self, l: usize, stay: T, k: T) -> T {
        let before = self.ctx.pool.add_const(k, u64::MAX);
        let held = self.in_iteration(l, stay, before);
        let zero = self.ctx.pool.constant(0, 64);
        let first = self.ctx.pool.eq(k, zero);
        self.ctx.pool.or(first, held)
    }

    /// Reads a condition of staying as a test of one variable.
    fn test(&mut self, l: usize, stay: T, s: &mut Substitution) -> Option<Test> {
        let (negated, cond) = match *self.ctx.pool.node(stay) {
            Node::Bin(Bin::Xor, a, b) if self.ctx.pool.as_const(a) == Some(1) => (true, b),
            Node::Bin(Bin::Xor, a, b) if self.ctx.pool.as_const(b) == Some(1) => (true, a),
            _ => (false, stay),
        };
        let Node::Bin(op @ (Bin::Ult | Bin::Slt | Bin::Eq), a, b) = *self.ctx.pool.node(cond)
        else {
            return None;
        };
        let own = self.own_vars(l);
        for (x, y, variable_left) in [(a, b, true), (b, a, false)] {
            if !self.invariant(y, &own) {
                continue;
            }
            let Some((phi, offset, extended_signed)) = self.variable_side(l, x, &own) else {
                continue;
            };
            let signed = match extended_signed {
                Some(signed) => signed,
                None => op != Bin::Ult && !self.compares_unsigned(l, phi, op, y, s),
            };
            let y = s.apply(&mut self.ctx.pool, y);
            let r = self.ctx.pool.range(y);
            // An extended variable is compared in the wider type; its reading there is its own.
            let (ylo, yhi) = if op == Bin::Slt || (op == Bin::Eq && signed) {
                (i128::from(r.slo), i128::from(r.shi))
            } else {
                (i128::from(r.ulo), i128::from(r.uhi))
            };
            // A negative value, extended and compared without sign, is beyond every limit.
            if op == Bin::Ult && signed && (negated == variable_left) {
                return None;
            }
            let limit = match (op, negated, variable_left) {
                (Bin::Eq, true, _) => Limit::Differs(ylo, yhi),
                (Bin::Eq, false, _) => return None,
                // x < y
                (_, false, true) => Limit::AtMost(yhi - 1),
                // !(x < y)
                (_, true, true) => Limit::AtLeast(ylo),
                // y < x
                (_, false, false) => Limit::AtLeast(ylo + 1),
                // !(y < x)
                (_, true, false) => Limit::AtMost(yhi),
            };
            return Some(Test { phi, offset, signed, limit });
        }
        None
    }

    /// For `!=`, which reading the variable's own values suggest.
    fn compares_unsigned(
        &mut self,
        l: usize,
        phi: usize,
        op: Bin,
        y: T,
        s: &mut Substitution,
    ) -> bool {
        if op != Bin::Eq {
            return false;
        }
        let init = s.apply(&mut self.ctx.pool, self.loops[l].phis[phi].init);
        let y = s.apply(&mut self.ctx.pool, y);
        !(self.ctx.pool.range(init).nonneg() && self.ctx.pool.range(y).nonneg())
    }

    /// `phi + offset`, perhaps extended. Says how it was extended.
    fn variable_side(&mut self, l: usize, x: T, own: &[VarId]) -> Option<(usize, T, Option<bool>)> {
        let (inner, signed) = match *self.ctx.pool.node(x) {
            Node::SExt(i) => (i, Some(true)),
            Node::ZExt(i) => (i, Some(false)),
            _ => (x, None),
        };
        for i in 0..self.loops[l].phis.len() {
            let phi = self.loops[l].phis[i].opaque;
            if self.ctx.pool.width(phi) != self.ctx.pool.width(inner) {
                continue;
            }
            let offset = self.ctx.pool.sub(inner, phi);
            if self.invariant(offset, own) {
                return Some((i, offset, signed));
            }
        }
        None
    }

    fn bound_of(&mut self, l: usize, test: &Test, s: &mut Substitution) -> Option<Bound> {
        let recurrence = self.loops[l].recurrences[test.phi];
        let init = s.apply(&mut self.ctx.pool, self.loops[l].phis[test.phi].init);
        let offset = s.apply(&mut self.ctx.pool, test.offset);
        let pool = &mut self.ctx.pool;
        let width = pool.width(init);
        let (type_min, type_max) = if test.signed {
            (i128::from(smin(width)), i128::from(smax(width)))
        } else {
            (0, i128::from(mask(width)))
        };
        let reading = |r: Range| {
            if test.signed {
                (i128::from(r.slo), i128::from(r.shi))
            } else {
                (i128::from(r.ulo), i128::from(r.uhi))
            }
        };
        let first = pool.add(init, offset);
        let (xlo, xhi) = reading(pool.range(first));
        let (ilo, ihi) = reading(pool.range(init));
        let shift = pool.as_const(offset).map(|c| i128::from(sign_extend(c, width)));
        let fits = |v: i128| u64::try_from(v.max(0)).ok();
        match recurrence {
            Recurrence::Affine { step } => {
                let step = s.apply(pool, step);
                let r = pool.range(step);
                let (slo, shi) = (i128::from(r.slo), i128::from(r.shi));
                // The offset must not make the first value wrap, or the variable's own interval is not known.
                let whole = |lo: i128, hi: i128| {
                    let c = shift?;
                    let no_wrap = ilo + c >= type_min && ihi + c <= type_max;
                    let (lo, hi) = (lo - c, hi - c);
                    (no_wrap && lo >= type_min && hi <= type_max).then_some((lo, hi))
                };
                match test.limit {
                    Limit::AtMost(limit) if slo >= 1 => {
                        if limit + shi > type_max {
                            return None;
                        }
                        let max = if limit < xlo { 0 } else { (limit - xlo) / slo + 1 };
                        let range = whole(xlo, xhi.max(limit + shi));
                        let phi = range.map(|(lo, hi)| (test.phi, lo, hi, test.signed));
                        Some(Bound { max: fits(max)?, phi })
                    }
                    Limit::AtLeast(limit) if shi <= -1 => {
                        if limit + slo < type_min {
                            return None;
                        }
                        let max = if limit > xhi { 0 } else { (xhi - limit) / -shi + 1 };
                        let range = whole(xlo.min(limit + slo), xhi);
                        let phi = range.map(|(lo, hi)| (test.phi, lo, hi, test.signed));
                        Some(Bound { max: fits(max)?, phi })
                    }
                    Limit::Differs(ylo, yhi) if (slo, shi) == (1, 1) && xhi <= ylo => {
                        let range = whole(xlo, yhi);
                        let phi = range.map(|(lo, hi)| (test.phi, lo, hi, test.signed));
                        Some(Bound { max: fits(yhi - xlo)?, phi })
                    }
                    Limit::Differs(ylo, yhi) if (slo, shi) == (-1, -1) && xlo >= yhi => {
                        let range = whole(ylo, xhi);
                        let phi = range.map(|(lo, hi)| (test.phi, lo, hi, test.signed));
                        Some(Bound { max: fits(xhi - ylo)?, phi })
                    }
                    _ => None,
                }
            }
            Recurrence::ShiftRight { by, .. } | Recurrence::Halve(by) if shift == Some(0) => {
                let positive = match test.limit {
                    Limit::AtLeast(limit) => limit >= 1,
                    Limit::Differs(lo, hi) => lo == 0 && hi == 0 && ilo >= 0,
                    Limit::AtMost(_) => false,
                };
                // A negative first value of a signed variable fails a test for positive ones at once.
                if !positive || (!test.signed && matches!(recurrence, Recurrence::Halve(_))) {
                    return None;
                }
                let arithmetic =
                    matches!(recurrence, Recurrence::ShiftRight { arithmetic: true, .. });
                if !test.signed && arithmetic && ihi > i128::from(smax(width)) {
                    return None;
                }
                let logical =
                    matches!(recurrence, Recurrence::ShiftRight { arithmetic: false, .. });
                if test.signed && logical && ilo < 0 {
                    return None;
                }
                let bits = if ihi <= 0 { 0 } else { u64::from(bits_for(ihi as u64)) };
                let max = if bits == 0 { 0 } else { (bits - 1) / by + 1 };
                Some(Bound { max, phi: None })
            }
            Recurrence::ShiftLeft(by) if shift == Some(0) && by > 0 && by < 32 => {
                let Limit::AtMost(limit) = test.limit else { return None };
                if ilo < 1 || limit < 0 || (limit << by) > type_max {
                    return None;
                }
                let mut max = 0u64;
                while (ilo << (max * by)) <= limit {
                    max += 1;
                }
                Some(Bound { max, phi: None })
            }
            _ => None,
        }
    }

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
            // Binders take the counters of the loops around, which are not final yet in `value`.
            let value = s.apply(&mut self.ctx.pool, value);
            out.push((self.var_of(self.loops[l].phis[i].opaque), value));
        }
        out
    }

    /// A variable that is known not to wrap: computed in 64 bits, where its interval is kept, and cut to its width.
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
        // Queries carry the interval as a condition wherever the sum occurs.
        if matches!(pool.node(wide), Node::Lin(..)) {
            self.loops[l].wide.push(wide);
            let pool = &mut self.ctx.pool;
            pool.refine(wide, Range::signed(lo as i64, hi as i64, 64));
        }
        self.ctx.pool.trunc(wide, width)
    }
}

/// The parts of a conjunction.
pub(crate) fn conjuncts(pool: &crate::term::Pool, t: T, out: &mut Vec<T>) {
    let mut stack = vec![t];
    while let Some(t) = stack.pop() {
        match *pool.node(t) {
            Node::Bin(Bin::And, a, b) if pool.width(t) == 1 => {
                stack.push(b);
                stack.push(a);
            }
            _ => out.push(t),
        }
    }
}
