//! `--assume` in one launch: whether the expression holds for its scalars and
//! dimensions, over integers of 128 bits and doubles, evaluated as C would.

use lockstep_finding::launch::{Expr, Number, Operator};

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
    evaluate(&parsed, lookup).map(truth).map_err(fail)
}

fn value(name: &str, lookup: &dyn Fn(&str) -> Option<String>) -> Result<Number, String> {
    let text = lookup(name).ok_or_else(|| format!("'{name}' has no value in this launch"))?;
    Number::parse(&text).ok_or_else(|| format!("'{name}' is {text}, which is not a number"))
}

fn truth(n: Number) -> bool {
    match n {
        Number::Int(v) => v != 0,
        Number::Float(v) => v != 0.0,
    }
}

fn float(n: Number) -> f64 {
    match n {
        Number::Int(v) => v as f64,
        Number::Float(v) => v,
    }
}

fn evaluate(expr: &Expr, lookup: &dyn Fn(&str) -> Option<String>) -> Result<Number, String> {
    let of = |e: &Expr| evaluate(e, lookup);
    Ok(match expr {
        Expr::Number(n) => *n,
        Expr::Name(name) => value(name, lookup)?,
        Expr::Not(a) => Number::Int(i128::from(!truth(of(a)?))),
        Expr::Negate(a) => match of(a)? {
            Number::Int(v) => Number::Int(v.wrapping_neg()),
            Number::Float(v) => Number::Float(-v),
        },
        Expr::Complement(a) => match of(a)? {
            Number::Int(v) => Number::Int(!v),
            Number::Float(_) => return Err("'~' needs an integer".into()),
        },
        Expr::Choice(c, a, b) => of(if truth(of(c)?) { a } else { b })?,
        Expr::Binary(Operator::And, a, b) => {
            Number::Int(i128::from(truth(of(a)?) && truth(of(b)?)))
        }
        Expr::Binary(Operator::Or, a, b) => Number::Int(i128::from(truth(of(a)?) || truth(of(b)?))),
        Expr::Binary(op, a, b) => match (of(a)?, of(b)?) {
            (Number::Int(x), Number::Int(y)) => Number::Int(integers(*op, x, y)?),
            (x, y) => floats(*op, float(x), float(y))?,
        },
    })
}

fn integers(op: Operator, x: i128, y: i128) -> Result<i128, String> {
    let shift = || u32::try_from(y).ok().filter(|&y| y < 64).ok_or("a shift is out of range");
    Ok(match op {
        Operator::Add => x.wrapping_add(y),
        Operator::Sub => x.wrapping_sub(y),
        Operator::Mul => x.wrapping_mul(y),
        Operator::Div => x.checked_div(y).ok_or("division by zero")?,
        Operator::Rem => x.checked_rem(y).ok_or("division by zero")?,
        Operator::Shl => x.wrapping_shl(shift()?),
        Operator::Shr => x.wrapping_shr(shift()?),
        Operator::BitAnd => x & y,
        Operator::BitOr => x | y,
        Operator::BitXor => x ^ y,
        Operator::Lt => i128::from(x < y),
        Operator::Gt => i128::from(x > y),
        Operator::Le => i128::from(x <= y),
        Operator::Ge => i128::from(x >= y),
        Operator::Eq => i128::from(x == y),
        Operator::Ne => i128::from(x != y),
        Operator::And => i128::from(x != 0 && y != 0),
        Operator::Or => i128::from(x != 0 || y != 0),
    })
}

fn floats(op: Operator, x: f64, y: f64) -> Result<Number, String> {
    let truth = |v: bool| Number::Int(i128::from(v));
    Ok(match op {
        Operator::Add => Number::Float(x + y),
        Operator::Sub => Number::Float(x - y),
        Operator::Mul => Number::Float(x * y),
        Operator::Div => Number::Float(x / y),
        Operator::Lt => truth(x < y),
        Operator::Gt => truth(x > y),
        Operator::Le => truth(x <= y),
        Operator::Ge => truth(x >= y),
        Operator::Eq => truth(x == y),
        Operator::Ne => truth(x != y),
        _ => return Err(format!("'{}' needs integers", op.text())),
    })
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
