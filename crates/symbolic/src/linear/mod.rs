//! Index arithmetic as linear forms over integers, with what is known to hold.
//!
//! A term of the machine wraps at its width; its form does not. [`Linear::form`] looks through an operation only where the interval
//! of the result fits the operation's type, so that both are the same number; elsewhere the term is an atom of its own. Quotients by
//! constants are atoms, too, and remainders are written with them: `x % k` is `x - k * (x / k)`, so that
//! `(x / k) * k + x % k` is `x` without a rule of its own.
//!
//! What holds ([`Linear::assume`]) are upper bounds of forms: `i < n`, and for each quotient `q` of `x` by `k` that
//! `0 <= x - k * q < k`. A bound of a form is the best that some of these, with intervals of what is left, give. Everything
//! that is said by one of these objects holds only where what it was told holds.

mod bounds;
mod form;
mod rebuild;

use rustc_hash::FxHashMap;

use lockstep_kernel::semantics::bits::signed;
use lockstep_kernel::{CastOp, CmpOp, IntOp, Ty};

use crate::term::{Node, Pool, T};
pub(crate) use form::{Form, gcd};
pub(crate) use rebuild::replaced;

/// How deep a term is looked into.
const DEEPEST: u32 = 60;

/// Forms of terms, where some conditions hold.
#[derive(Clone, Default)]
pub(crate) struct Linear {
    /// Forms without a constant, and their greatest values.
    facts: Vec<(Form, i128)>,
    /// Of what, and by what, an atom is the quotient.
    quotients: FxHashMap<T, (Form, i128)>,
    known: FxHashMap<T, Form>,
    rebuilt: FxHashMap<T, T>,
}

impl Linear {
    /// Where a condition holds.
    pub(crate) fn under(pool: &mut Pool, condition: T) -> Linear {
        let mut out = Linear::default();
        out.assume(pool, condition);
        out
    }

    pub(crate) fn form(&mut self, pool: &mut Pool, t: T) -> Form {
        self.form_at(pool, t, 0)
    }

    fn form_at(&mut self, pool: &mut Pool, t: T, depth: u32) -> Form {
        if let Some(known) = self.known.get(&t) {
            return known.clone();
        }
        if depth > DEEPEST {
            return Form::atom(t);
        }
        let made = self.looked_through(pool, t, depth + 1).unwrap_or_else(|| Form::atom(t));
        self.known.insert(t, made.clone());
        made
    }

    fn looked_through(&mut self, pool: &mut Pool, t: T, depth: u32) -> Option<Form> {
        let ty = pool.ty(t);
        if !ty.is_int() || ty == Ty::I1 {
            return None;
        }
        match *pool.node(t) {
            Node::Const(v) => Some(Form::number(i128::from(signed(ty, v)))),
            Node::Int(op, a, b) => {
                let x = self.form_at(pool, a, depth);
                let y = self.form_at(pool, b, depth);
                let made = self.operation(pool, op, ty, x, y)?;
                self.fits(pool, &made, ty).then_some(made)
            }
            Node::Cast(CastOp::ZExt, a) if pool.ty(a).is_int() && pool.ty(a) != Ty::I1 => {
                let x = self.form_at(pool, a, depth);
                (self.range(pool, &x).0 >= 0).then_some(x)
            }
            Node::Cast(CastOp::SExt, a) if pool.ty(a).is_int() && pool.ty(a) != Ty::I1 => {
                Some(self.form_at(pool, a, depth))
            }
            Node::Cast(CastOp::Trunc, a) if pool.ty(a).is_int() => {
                let x = self.form_at(pool, a, depth);
                self.fits(pool, &x, ty).then_some(x)
            }
            _ => None,
        }
    }

    /// The exact result of an operation on integers, were there no width.
    fn operation(&mut self, pool: &mut Pool, op: IntOp, ty: Ty, x: Form, y: Form) -> Option<Form> {
        let number = y.as_number();
        match op {
            IntOp::Add => x.plus(&y, 1),
            IntOp::Sub => x.less(&y),
            IntOp::Mul => match (x.as_number(), number) {
                (_, Some(n)) => x.times(n),
                (Some(n), _) => y.times(n),
                _ => None,
            },
            // Signed division is that of numbers that are not negative only for these.
            IntOp::UDiv | IntOp::SDiv => self.quotient(pool, &x, number?),
            IntOp::URem | IntOp::SRem => self.remainder(pool, &x, number?),
            IntOp::LShr | IntOp::AShr => {
                let by = number.filter(|n| (0..i128::from(ty.bits()) - 1).contains(n))?;
                self.quotient(pool, &x, 1 << by)
            }
            IntOp::And => {
                let by = number.filter(|n| *n > 0)? + 1;
                (by & (by - 1) == 0).then_some(())?;
                self.remainder(pool, &x, by)
            }
            IntOp::Or => {
                // Bits that do not meet.
                let (low, high) = self.range(pool, &y);
                let above = (high + 1).checked_next_power_of_two_signed()?;
                let clear = x.constant % above == 0 && x.divisor() % above == 0;
                (low >= 0 && clear && self.range(pool, &x).0 >= 0).then(|| x.plus(&y, 1))?
            }
            _ => None,
        }
    }

    /// `x / by`, rounded down, of what is not negative.
    pub(crate) fn quotient(&mut self, pool: &mut Pool, x: &Form, by: i128) -> Option<Form> {
        if by <= 0 || self.range(pool, x).0 < 0 {
            return None;
        }
        if by == 1 {
            return Some(x.clone());
        }
        let (whole, rest) = x.split(by);
        let (low, high) = self.range(pool, &rest);
        if low >= 0 && high < by {
            return Some(whole.divided(by));
        }
        // Only what is left is divided; it must not be negative.
        let (whole, rest) = if low >= 0 { (whole, rest) } else { (Form::default(), x.clone()) };
        let divided = self.reduced(pool, rest, by)?;
        whole.divided(by).plus(&divided, 1)
    }

    /// The quotient of a form none of which the divisor divides: without the part that is less than a common factor.
    fn reduced(&mut self, pool: &mut Pool, x: Form, by: i128) -> Option<Form> {
        let mut factors: Vec<i128> = x.terms.iter().map(|(_, n)| gcd(n.abs(), by)).collect();
        factors.sort_unstable();
        factors.dedup();
        for factor in factors.into_iter().rev().filter(|f| *f > 1) {
            let (whole, rest) = x.split(factor);
            if whole.terms.is_empty() {
                continue;
            }
            let (low, high) = self.range(pool, &rest);
            if low >= 0 && high < factor {
                return self.quotient(pool, &whole.divided(factor), by / factor);
            }
        }
        let term = self.term(pool, &x)?;
        let by_term = pool.constant(Ty::I64, u64::try_from(by).ok()?);
        let quotient = pool.int(IntOp::UDiv, term, by_term);
        if let Some(v) = pool.value(quotient) {
            return Some(Form::number(i128::from(v as i64)));
        }
        self.quotients.insert(quotient, (x, by));
        let made = Form::atom(quotient);
        self.known.insert(quotient, made.clone());
        Some(made)
    }

    pub(crate) fn remainder(&mut self, pool: &mut Pool, x: &Form, by: i128) -> Option<Form> {
        let quotient = self.quotient(pool, x, by)?;
        x.plus(&quotient, -by)
    }

    /// The form as a term of 64 bits; none where it does not fit.
    pub(crate) fn term(&mut self, pool: &mut Pool, x: &Form) -> Option<T> {
        if !self.fits(pool, x, Ty::I64) {
            return None;
        }
        let mut sum = pool.constant(Ty::I64, 0);
        for &(t, n) in &x.terms {
            let wide = pool.cast(CastOp::SExt, t, Ty::I64);
            let factor = pool.constant(Ty::I64, i64::try_from(n).ok()? as u64);
            let part = pool.int(IntOp::Mul, wide, factor);
            sum = pool.int(IntOp::Add, sum, part);
        }
        let constant = pool.constant(Ty::I64, i64::try_from(x.constant).ok()? as u64);
        Some(pool.int(IntOp::Add, sum, constant))
    }

    fn fits(&mut self, pool: &mut Pool, x: &Form, ty: Ty) -> bool {
        let half = 1i128 << (ty.bits() - 1);
        let (low, high) = self.range(pool, x);
        -half <= low && high < half
    }

    /// From here on the condition holds, too.
    pub(crate) fn assume(&mut self, pool: &mut Pool, condition: T) {
        for part in pool.conjuncts(condition) {
            let (node, holds) = match *pool.node(part) {
                Node::Not(inner) => (pool.node(inner).clone(), false),
                ref node => (node.clone(), true),
            };
            let Node::Cmp(op, a, b) = node else { continue };
            if !pool.ty(a).is_int() || pool.ty(a) == Ty::I1 {
                continue;
            }
            let (x, y) = (self.form(pool, a), self.form(pool, b));
            let positive = |l: &mut Linear, pool: &mut Pool, f: &Form| l.range(pool, f).0 >= 0;
            match (op, holds) {
                (CmpOp::SLt, true) => self.at_most(&x, &y, -1),
                (CmpOp::SLt, false) => self.at_most(&y, &x, 0),
                // Next to the end of its range, a number that is not the end is beyond it.
                (CmpOp::Eq, false) => {
                    let Some(difference) = x.less(&y) else { continue };
                    let (low, high) = self.range(pool, &difference);
                    if low == 0 {
                        self.at_most(&y, &x, -1);
                    }
                    if high == 0 {
                        self.at_most(&x, &y, -1);
                    }
                }
                (CmpOp::Eq, true) => {
                    self.at_most(&x, &y, 0);
                    self.at_most(&y, &x, 0);
                }
                // Below what is not negative as signed, both are the same read either way.
                (CmpOp::ULt, true) if positive(self, pool, &y) => {
                    self.at_most(&x, &y, -1);
                    self.at_most(&Form::default(), &x, 0);
                }
                (CmpOp::ULt, false) if positive(self, pool, &x) => {
                    self.at_most(&y, &x, 0);
                    self.at_most(&Form::default(), &y, 0);
                }
                _ => continue,
            }
        }
    }

    /// `x <= y + by` holds.
    fn at_most(&mut self, x: &Form, y: &Form, by: i128) {
        let Some(mut difference) = x.less(y) else { return };
        let greatest = by - difference.constant;
        difference.constant = 0;
        if !difference.terms.is_empty() {
            // Of what a number divides, the bound is one that it divides, too.
            let common = difference.divisor();
            self.facts.push((difference.divided(common), greatest.div_euclid(common)));
            // What did not fit before may do so now.
            self.known.retain(|t, form| *form != Form::atom(*t) || self.quotients.contains_key(t));
            self.rebuilt.clear();
        }
    }

    /// Whether a condition holds, where that follows.
    pub(crate) fn decide(&mut self, pool: &mut Pool, condition: T) -> Option<bool> {
        match pool.node(condition).clone() {
            Node::Const(v) => Some(v == 1),
            Node::Not(inner) => self.decide(pool, inner).map(|v| !v),
            Node::All(parts) => {
                let mut all = Some(true);
                for part in parts {
                    match self.decide(pool, part) {
                        Some(true) => {}
                        Some(false) => return Some(false),
                        None => all = None,
                    }
                }
                all
            }
            Node::Cmp(op @ (CmpOp::Eq | CmpOp::SLt | CmpOp::ULt), a, b)
                if pool.ty(a).is_int() && pool.ty(a) != Ty::I1 =>
            {
                let (x, y) = (self.form(pool, a), self.form(pool, b));
                let difference = x.less(&y)?;
                if op == CmpOp::ULt && (self.range(pool, &x).0 < 0 || self.range(pool, &y).0 < 0) {
                    return None;
                }
                if op == CmpOp::Eq {
                    return self.is_zero(pool, &difference);
                }
                let (low, high) = self.range(pool, &difference);
                match (high < 0, low >= 0) {
                    (true, _) => Some(true),
                    (_, true) => Some(false),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// What an atom of a form is the quotient of, and by what.
    pub(crate) fn quotient_of(&self, atom: T) -> Option<&(Form, i128)> {
        self.quotients.get(&atom)
    }

    /// Whether a form is 0, where that is known.
    pub(crate) fn is_zero(&mut self, pool: &mut Pool, x: &Form) -> Option<bool> {
        if let Some(n) = x.as_number() {
            return Some(n == 0);
        }
        if x.constant % x.divisor() != 0 {
            return Some(false);
        }
        match self.range(pool, x) {
            (0, 0) => Some(true),
            (low, high) if low > 0 || high < 0 => Some(false),
            _ => None,
        }
    }
}

trait PowerOfTwo: Sized {
    fn checked_next_power_of_two_signed(self) -> Option<Self>;
}

impl PowerOfTwo for i128 {
    fn checked_next_power_of_two_signed(self) -> Option<i128> {
        let power = u128::try_from(self).ok()?.checked_next_power_of_two()?;
        i128::try_from(power).ok()
    }
}

#[cfg(test)]
mod tests;
