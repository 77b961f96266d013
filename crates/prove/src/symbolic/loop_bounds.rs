//! Iteration counts of loops, from the tests of their exits.

use lockstep_kernel::{BlockId, Terminator};

use crate::launch::context::VarKind;
use crate::symbolic::evaluate::Exec;
use crate::symbolic::loops::Recurrence;
use crate::term::walk::Substitution;
use crate::term::walk::conjuncts;
use crate::term::{Bin, Node, Range, T, VarId, bits_for, mask, sign_extend, smax, smin};

/// An exit test, as a bound on a variable: the loop continues while `phi + offset` is within the limit.
struct Test {
    phi: usize,
    offset: T,
    signed: bool,
    limit: Limit,
}

enum Limit {
    /// Continues while at most this.
    AtMost(i128),
    /// Continues while at least this.
    AtLeast(i128),
    /// Continues while different from a value in this interval.
    Differs(i128, i128),
}

/// The bounds that a test and the recurrence of its variable give.
struct Bound {
    max: u64,
    phi: Option<(usize, i128, i128, bool)>,
}

impl Exec<'_, '_> {
    /// Bounds the counter. `s` rewrites the variables of the enclosing loops.
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
            // A block after a test at the header has the test among its own conditions.
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
            // The number of the last iteration is within the bound.
            let last = self.loops[l].last;
            let range = Range::unsigned(0, max, 64);
            self.ctx.pool.refine(last, range);
            let resolved = s.apply(&mut self.ctx.pool, last);
            self.ctx.pool.refine(resolved, range);
        }
    }

    /// Whether the block contains an access or a barrier.
    fn acts_in(&self, b: BlockId) -> bool {
        self.accesses.iter().any(|a| a.block == b) || self.barriers.iter().any(|x| x.block == b)
    }

    /// In every iteration but the first, the test passed in the previous iteration.
    fn previous_iteration(&mut self, l: usize, stay: T) {
        let fact = self.held_before(l, stay, self.loops[l].counter);
        self.loops[l].facts.push(fact);
    }

    /// The last iteration began because the one before did not exit. Together with the exit that was taken, this makes
    /// the number of the last iteration exact where the test is of a monotonic variable.
    fn last_was_reached(&mut self, l: usize) {
        let held = self.held_before(l, self.loops[l].stay, self.loops[l].last);
        let fact = self.ctx.pool.implies(self.loops[l].enter, held);
        self.loops[l].exit_facts.push(fact);
    }

    /// The condition that iteration `k` is the first, or the condition held in the previous one.
    fn held_before(&mut self, l: usize, stay: T, k: T) -> T {
        let before = self.ctx.pool.add_const(k, u64::MAX);
        let held = self.in_iteration(l, stay, before);
        let zero = self.ctx.pool.constant(0, 64);
        let first = self.ctx.pool.eq(k, zero);
        self.ctx.pool.or(first, held)
    }

    /// Interprets a condition for continuing as a test of one variable.
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
            // An extended variable is compared in the wider type, with the signedness of the extension.
            let (ylo, yhi) = if op == Bin::Slt || (op == Bin::Eq && signed) {
                (i128::from(r.slo), i128::from(r.shi))
            } else {
                (i128::from(r.ulo), i128::from(r.uhi))
            };
            // A negative value, sign-extended and compared as unsigned, exceeds every limit.
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

    /// For `!=`, the signedness suggested by the variable's own values.
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

    /// `phi + offset`, possibly extended. Returns how it was extended.
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
                // The offset must not make the first value overflow; otherwise the variable's own interval is not
                // known.
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
                // A negative first value of a signed variable fails a test for positive values at once.
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
}
