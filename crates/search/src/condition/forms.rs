//! Conditions suggested by a few values, of which some show a bug and some do not.
//!
//! A condition is guessed from the values of one quantity, in the form that a caller would use: a value, a boundary, a
//! range, a remainder, or a comparison with another quantity. [`super::exact`] checks whether it is true.

use lockstep_finding::launch::Expr;
use lockstep_finding::launch::Operator::{self, And, Eq, Ge, Gt, Le, Lt, Ne, Or, Rem};

/// Divisors for conditions on remainders.
const MODULI: [i64; 8] = [2, 3, 4, 5, 8, 16, 32, 64];
/// Minimum number of values on each side that a remainder has to separate.
const LEAST_OF_EACH: usize = 3;

/// Conditions on `x` that agree with all of its values, the simplest first; then comparisons with other quantities,
/// which may or may not agree. The values are sorted and not negative.
pub(super) fn forms(x: &Expr, values: &[(i64, bool)], others: &[Expr]) -> Vec<Expr> {
    let mut out = numeric(x, values);
    out.extend(remainders(x, values));
    for other in others {
        let with = |op| Expr::binary(op, x.clone(), other.clone());
        // A condition `x < y` is often meant for non-zero `x` only.
        let positive = |op| both(compare(x, Ne, 0), with(op));
        out.extend([Lt, Ge, Gt, Le, Ne, Eq].map(with));
        out.extend([Lt, Le].map(positive));
        out.push(Expr::binary(Ne, with(Rem), Expr::int(0)));
    }
    out
}

fn compare(x: &Expr, op: Operator, v: i64) -> Expr {
    Expr::binary(op, x.clone(), Expr::int(v))
}

fn both(a: Expr, b: Expr) -> Expr {
    Expr::binary(And, a, b)
}

/// The values at which the bug starts or stops showing, compared with the previous value.
pub(super) fn changes(values: &[(i64, bool)]) -> Vec<i64> {
    values.windows(2).filter(|w| w[0].1 != w[1].1).map(|w| w[1].0).collect()
}

fn numeric(x: &Expr, values: &[(i64, bool)]) -> Vec<Expr> {
    let Some(&(least, first)) = values.first() else { return Vec::new() };
    let single = |shows: bool| {
        let mut alike = values.iter().filter(|v| v.1 == shows).map(|v| v.0);
        alike.next().filter(|_| alike.next().is_none())
    };
    let is = |op, v| compare(x, op, v);
    let mut out = Vec::new();
    out.extend(single(true).map(|v| is(Eq, v)));
    out.extend(single(false).filter(|&v| v != least).map(|v| is(Ne, v)));
    match (&changes(values)[..], first) {
        (&[bound], true) => out.push(is(Lt, bound)),
        (&[1], false) => out.push(is(Gt, 0)),
        (&[bound], false) => out.push(is(Ge, bound)),
        (&[1, bound], false) => out.push(both(is(Ne, 0), is(Lt, bound))),
        (&[from, bound], false) => out.push(both(is(Ge, from), is(Lt, bound))),
        (&[from, bound], true) => out.push(Expr::binary(Or, is(Lt, from), is(Ge, bound))),
        _ => {}
    }
    out
}

fn remainders(x: &Expr, values: &[(i64, bool)]) -> Vec<Expr> {
    let count = |shows: bool| values.iter().filter(|v| v.1 == shows).count();
    if count(true) < LEAST_OF_EACH || count(false) < LEAST_OF_EACH {
        return Vec::new();
    }
    let fits = |f: &dyn Fn(i64) -> bool| values.iter().all(|&(v, shows)| f(v) == shows);
    let mut out = Vec::new();
    for m in MODULI {
        let remainder = compare(x, Rem, m);
        if fits(&|v| v % m != 0) {
            out.push(compare(&remainder, Ne, 0));
        }
        let all = (0..m).filter(|&r| fits(&|v| v % m == r));
        out.extend(all.map(|r| compare(&remainder, Eq, r)));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(shows: &dyn Fn(i64) -> bool) -> Vec<String> {
        let values: Vec<(i64, bool)> = (0..20).map(|v| (v, shows(v))).collect();
        let all = forms(&Expr::name("n"), &values, &[]);
        all.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_simplest_first() {
        assert_eq!(of(&|v| v == 0)[0], "n == 0");
        assert_eq!(of(&|v| v == 7)[0], "n == 7");
        assert_eq!(of(&|v| v != 7)[0], "n != 7");
        assert_eq!(of(&|v| v < 7), ["n < 7"]);
        assert_eq!(of(&|v| v >= 7), ["n >= 7"]);
        assert_eq!(of(&|v| v > 0)[0], "n > 0");
        assert_eq!(of(&|v| (1..9).contains(&v)), ["n != 0 && n < 9"]);
        assert_eq!(of(&|v| (3..9).contains(&v)), ["n >= 3 && n < 9"]);
        assert_eq!(of(&|v| !(3..9).contains(&v)), ["n < 3 || n >= 9"]);
        assert_eq!(of(&|v| v % 4 != 0)[0], "n % 4 != 0");
        assert_eq!(of(&|v| v % 4 == 3)[0], "n % 4 == 3");
        assert_eq!(of(&|v| v % 4 == 3 || v == 1), [""; 0]);
    }

    #[test]
    fn others_are_compared_with() {
        let values = [(0, false), (1, true), (8, false)];
        let all = forms(&Expr::name("step"), &values, &[Expr::name("n")]);
        let all: Vec<String> = all.iter().map(ToString::to_string).collect();
        assert!(all.contains(&"step != 0 && step < n".into()), "{all:?}");
        assert!(all.contains(&"step < n".into()));
        assert!(all.contains(&"step % n != 0".into()));
    }
}
