//! The least and the greatest value of a form.

use super::{Form, Linear};
use crate::term::{Pool, T};

/// Facts that are used one after the other.
const DEEPEST: u32 = 3;

impl Linear {
    pub(crate) fn range(&mut self, pool: &mut Pool, x: &Form) -> (i128, i128) {
        if x.terms.is_empty() {
            return (x.constant, x.constant);
        }
        let negative: Vec<(T, i128)> = x.terms.iter().map(|(t, n)| (*t, -n)).collect();
        let high = self.upper(pool, &x.terms, DEEPEST);
        let low = -self.upper(pool, &negative, DEEPEST);
        (x.constant + low, x.constant + high)
    }

    fn of_atom(&mut self, pool: &mut Pool, t: T, depth: u32) -> (i128, i128) {
        let (low, high) = pool.signed_range(t);
        match self.quotients.get(&t).cloned() {
            Some((of, by)) if depth > 0 => {
                let negative: Vec<(T, i128)> = of.terms.iter().map(|(t, n)| (*t, -n)).collect();
                let greatest = of.constant + self.upper(pool, &of.terms, depth - 1);
                let least = of.constant - self.upper(pool, &negative, depth - 1);
                (low.max(least.div_euclid(by)), high.min(greatest.div_euclid(by)))
            }
            _ => (low, high),
        }
    }

    /// An upper bound of a sum.
    fn upper(&mut self, pool: &mut Pool, terms: &[(T, i128)], depth: u32) -> i128 {
        let mut best = 0;
        for &(t, n) in terms {
            let (low, high) = self.of_atom(pool, t, depth);
            best += if n > 0 { n * high } else { n * low };
        }
        if depth == 0 || terms.is_empty() {
            return best;
        }
        let form = Form { constant: 0, terms: terms.to_vec() };
        // What is left, the bound of the rest, and how often the sum is in both.
        let mut options: Vec<(Form, i128, i128)> = Vec::new();
        for (fact, greatest) in &self.facts {
            let common = fact.terms.iter().find_map(|&(t, n)| match form.factor(t) {
                own if own != 0 && (own > 0) == (n > 0) => Some((own, n)),
                _ => None,
            });
            let Some((own, n)) = common else { continue };
            if own % n == 0 {
                let times = own / n;
                options.extend(form.plus(fact, -times).map(|rest| (rest, times * greatest, 1)));
            } else if n % own == 0 {
                let rest = form.times(n / own).and_then(|f| f.less(fact));
                options.extend(rest.map(|rest| (rest, *greatest, n / own)));
            }
        }
        for &(atom, n) in terms {
            let Some((of, by)) = self.quotients.get(&atom) else { continue };
            // `by * q - of <= 0`, and `of - by * q <= by - 1`, about as often as the quotient is there.
            let whole = n.div_euclid(*by);
            for times in [whole, whole + i128::from(n % by != 0)] {
                if times == 0 {
                    continue;
                }
                let rest = form.plus(&Form::atom(atom), -times * by);
                let Some(rest) = rest.and_then(|f| f.plus(of, times)) else { continue };
                let greatest = if times > 0 { 0 } else { -times * (by - 1) };
                options.push((rest, greatest, 1));
            }
        }
        for (rest, greatest, times) in options {
            let bound = rest.constant + greatest + self.upper(pool, &rest.terms, depth - 1);
            best = best.min(bound.div_euclid(times));
        }
        best
    }
}
