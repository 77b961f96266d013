//! Linear forms: a constant and a sum of atoms with factors, as integers without a width.

use crate::term::T;

/// `constant + Σ factor * atom`, where an atom is what its term is, read as signed. Sorted by atom; no factor is 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Form {
    pub(crate) constant: i128,
    pub(crate) terms: Vec<(T, i128)>,
}

/// Factors beyond which a form is not made: nothing overflows below it.
const LARGEST: i128 = 1 << 90;

impl Form {
    pub(crate) fn number(constant: i128) -> Form {
        Form { constant, terms: Vec::new() }
    }

    pub(crate) fn atom(t: T) -> Form {
        Form { constant: 0, terms: vec![(t, 1)] }
    }

    pub(crate) fn as_number(&self) -> Option<i128> {
        self.terms.is_empty().then_some(self.constant)
    }

    pub(crate) fn factor(&self, t: T) -> i128 {
        self.terms.binary_search_by_key(&t, |p| p.0).map_or(0, |i| self.terms[i].1)
    }

    /// `self + factor * other`; none where numbers become too large.
    pub(crate) fn plus(&self, other: &Form, factor: i128) -> Option<Form> {
        let small = |v: i128| v.abs() < LARGEST;
        let scaled = |v: i128| v.checked_mul(factor).filter(|v| small(*v));
        let constant = self.constant + scaled(other.constant)?;
        if !small(constant) {
            return None;
        }
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut a, mut b) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let next = match (a.peek(), b.peek()) {
                (Some(&&(x, n)), Some(&&(y, m))) if x == y => {
                    a.next();
                    b.next();
                    (x, n + scaled(m)?)
                }
                (Some(&&(x, n)), Some(&&(y, _))) if x < y => {
                    a.next();
                    (x, n)
                }
                (_, Some(&&(y, m))) => {
                    b.next();
                    (y, scaled(m)?)
                }
                (Some(&&(x, n)), None) => {
                    a.next();
                    (x, n)
                }
                (None, None) => break,
            };
            if !small(next.1) {
                return None;
            }
            if next.1 != 0 {
                terms.push(next);
            }
        }
        Some(Form { constant, terms })
    }

    pub(crate) fn times(&self, factor: i128) -> Option<Form> {
        Form::default().plus(self, factor)
    }

    pub(crate) fn less(&self, other: &Form) -> Option<Form> {
        self.plus(other, -1)
    }

    /// The greatest common divisor of the factors; 0 where there are none.
    pub(crate) fn divisor(&self) -> i128 {
        self.terms.iter().fold(0, |g, (_, n)| gcd(g, n.abs()))
    }

    /// All divided by a number that divides all.
    pub(crate) fn divided(&self, by: i128) -> Form {
        let terms = self.terms.iter().map(|(t, n)| (*t, n / by)).collect();
        Form { constant: self.constant / by, terms }
    }

    /// What a number divides, and what is left: the constant's part is the one that leaves less than the number.
    pub(crate) fn split(&self, by: i128) -> (Form, Form) {
        let (mut whole, mut rest) = (Form::default(), Form::default());
        for &(t, n) in &self.terms {
            if n % by == 0 { whole.terms.push((t, n)) } else { rest.terms.push((t, n)) }
        }
        rest.constant = self.constant.rem_euclid(by);
        whole.constant = self.constant - rest.constant;
        (whole, rest)
    }
}

pub(crate) fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}
