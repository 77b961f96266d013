//! `--assume` in one launch: whether the expression holds for its scalars and dimensions.

use lockstep_finding::launch::{Expr, Number};

/// Whether the expression holds; `lookup` gives the value of a name as text.
pub(crate) fn holds(expr: &str, lookup: &dyn Fn(&str) -> Option<String>) -> Result<bool, String> {
    let fail = |why: String| format!("--assume '{expr}': {why}");
    let parsed = Expr::parse(expr).map_err(fail)?;
    // A name that nobody knows is an error, also where C would not look at it.
    let mut unknown = Ok(());
    parsed.for_each_name(&mut |name| {
        if unknown.is_ok() {
            unknown = value(name, lookup).map(|_| ());
        }
    });
    unknown.map_err(fail)?;
    parsed.evaluate(&|name| value(name, lookup)).map(Number::is_true).map_err(fail)
}

fn value(name: &str, lookup: &dyn Fn(&str) -> Option<String>) -> Result<Number, String> {
    let text = lookup(name).ok_or_else(|| format!("'{name}' has no value in this launch"))?;
    Number::parse(&text).ok_or_else(|| format!("'{name}' is {text}, which is not a number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn eval(expr: &str) -> Result<bool, String> {
        holds(expr, &|name| match name {
            "n" => Some("64".into()),
            "a" => Some("0.5".into()),
            "blockDim.x" | "get_local_size(0)" => Some("32".into()),
            _ => None,
        })
    }

    #[test]
    fn c_expressions() {
        for yes in [
            "n % 32 == 0 && n > 0",
            "n == 2 * blockDim.x",
            "get_local_size(0) == 32",
            "1 + 2 * 3 == 7",
            "(1 + 2) * 3 == 9",
            "n & 1 ? 0 : 1",
            "a < 1 && a > 0.25",
            "!(n < 0)",
            "-n < 0x10u",
            "n == 0 || 128 / n == 2",
            "0 == 0 || 1 / 0",
            "1 << 6 == n",
        ] {
            assert_eq!(eval(yes), Ok(true), "{yes}");
        }
        assert_eq!(eval("n > 64"), Ok(false));
    }

    #[test]
    fn malformed_expressions_say_why() {
        assert_eq!(eval("n >"), Err("--assume 'n >': the expression ends too early".into()));
        assert_eq!(eval("m > 0"), Err("--assume 'm > 0': 'm' has no value in this launch".into()));
        assert_eq!(eval("n / 0"), Err("--assume 'n / 0': division by zero".into()));
        assert_eq!(eval("(n"), Err("--assume '(n': ')' is missing".into()));
        assert_eq!(eval("n n"), Err("--assume 'n n': 'n' is not expected there".into()));
        assert_eq!(eval("n @ 2"), Err("--assume 'n @ 2': '@' is not understood".into()));
        assert_eq!(eval(""), Err("--assume '': the expression ends too early".into()));
        assert!(eval(&"(".repeat(100_000)).unwrap_err().ends_with("nested too deeply"));
        assert!(eval(&"!".repeat(100_000)).unwrap_err().ends_with("nested too deeply"));
    }
}
