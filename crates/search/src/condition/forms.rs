//! Conditions that a few values suggest: which of them show a bug, and which do not.
//!
//! A condition is guessed from the values of one quantity, in the words that a caller would use: a value, a boundary, a
//! range, a remainder, or a comparison with another quantity. Whether it is true is for [`super::exact`] to try.

/// Remainders by these are looked at.
const MODULI: [i64; 8] = [2, 3, 4, 5, 8, 16, 32, 64];
/// Values on each side that a remainder has to tell apart.
const LEAST_OF_EACH: usize = 3;

/// Conditions on `x` that agree with all of its values, those that are simplest first; then comparisons with other
/// quantities, which may or may not. The values are sorted, and no negative one is among them.
pub(super) fn forms(x: &str, values: &[(i64, bool)], others: &[String]) -> Vec<String> {
    let mut out = numeric(x, values);
    out.extend(remainders(x, values));
    for other in others {
        // What is smaller than something is rarely meant to be nothing.
        let plain = ["<", ">=", ">", "<=", "!=", "=="].map(|op| format!("{x} {op} {other}"));
        let positive = ["<", "<="].map(|op| format!("{x} != 0 && {x} {op} {other}"));
        out.extend(plain.into_iter().chain(positive));
        out.push(match other.contains(' ') {
            true => format!("{x} % ({other}) != 0"),
            false => format!("{x} % {other} != 0"),
        });
    }
    out
}

/// Where showing and not showing change, by the value from which on it is the other way.
pub(super) fn changes(values: &[(i64, bool)]) -> Vec<i64> {
    values.windows(2).filter(|w| w[0].1 != w[1].1).map(|w| w[1].0).collect()
}

fn numeric(x: &str, values: &[(i64, bool)]) -> Vec<String> {
    let Some(&(least, first)) = values.first() else { return Vec::new() };
    let single = |shows: bool| {
        let mut alike = values.iter().filter(|v| v.1 == shows).map(|v| v.0);
        alike.next().filter(|_| alike.next().is_none())
    };
    let mut out = Vec::new();
    out.extend(single(true).map(|v| format!("{x} == {v}")));
    out.extend(single(false).filter(|&v| v != least).map(|v| format!("{x} != {v}")));
    match (&changes(values)[..], first) {
        ([bound], true) => out.push(format!("{x} < {bound}")),
        ([1], false) => out.push(format!("{x} > 0")),
        ([bound], false) => out.push(format!("{x} >= {bound}")),
        ([1, bound], false) => out.push(format!("{x} != 0 && {x} < {bound}")),
        ([from, bound], false) => out.push(format!("{x} >= {from} && {x} < {bound}")),
        ([from, bound], true) => out.push(format!("({x} < {from} || {x} >= {bound})")),
        _ => {}
    }
    out
}

fn remainders(x: &str, values: &[(i64, bool)]) -> Vec<String> {
    let count = |shows: bool| values.iter().filter(|v| v.1 == shows).count();
    if count(true) < LEAST_OF_EACH || count(false) < LEAST_OF_EACH {
        return Vec::new();
    }
    let fits = |f: &dyn Fn(i64) -> bool| values.iter().all(|&(v, shows)| f(v) == shows);
    let mut out = Vec::new();
    for m in MODULI {
        if fits(&|v| v % m != 0) {
            out.push(format!("{x} % {m} != 0"));
        }
        out.extend((0..m).filter(|&r| fits(&|v| v % m == r)).map(|r| format!("{x} % {m} == {r}")));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(shows: &dyn Fn(i64) -> bool) -> Vec<String> {
        let values: Vec<(i64, bool)> = (0..20).map(|v| (v, shows(v))).collect();
        forms("n", &values, &[])
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
        assert_eq!(of(&|v| !(3..9).contains(&v)), ["(n < 3 || n >= 9)"]);
        assert_eq!(of(&|v| v % 4 != 0)[0], "n % 4 != 0");
        assert_eq!(of(&|v| v % 4 == 3)[0], "n % 4 == 3");
        assert_eq!(of(&|v| v % 4 == 3 || v == 1), [""; 0]);
    }

    #[test]
    fn others_are_compared_with() {
        let values = [(0, false), (1, true), (8, false)];
        let all = forms("step", &values, &["n".into()]);
        assert!(all.contains(&"step != 0 && step < n".into()), "{all:?}");
        assert!(all.contains(&"step < n".into()));
    }
}
