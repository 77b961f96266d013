//! The value of an expression in one launch: integers of 128 bits and doubles, evaluated as C would.

use super::{Expr, Number, Operator};

impl Number {
    /// As a condition.
    pub fn is_true(self) -> bool {
        match self {
            Number::Int(v) => v != 0,
            Number::Float(v) => v != 0.0,
        }
    }

    fn float(self) -> f64 {
        match self {
            Number::Int(v) => v as f64,
            Number::Float(v) => v,
        }
    }
}

impl Expr {
    /// The value as C has it; `lookup` gives the value of a name.
    pub fn evaluate(
        &self,
        lookup: &dyn Fn(&str) -> Result<Number, String>,
    ) -> Result<Number, String> {
        let of = |e: &Expr| e.evaluate(lookup);
        Ok(match self {
            Expr::Number(n) => *n,
            Expr::Name(name) => lookup(name)?,
            Expr::Not(a) => Number::Int(i128::from(!of(a)?.is_true())),
            Expr::Negate(a) => match of(a)? {
                Number::Int(v) => Number::Int(v.wrapping_neg()),
                Number::Float(v) => Number::Float(-v),
            },
            Expr::Complement(a) => match of(a)? {
                Number::Int(v) => Number::Int(!v),
                Number::Float(_) => return Err("'~' needs an integer".into()),
            },
            Expr::Choice(c, a, b) => of(if of(c)?.is_true() { a } else { b })?,
            Expr::Binary(Operator::And, a, b) => {
                Number::Int(i128::from(of(a)?.is_true() && of(b)?.is_true()))
            }
            Expr::Binary(Operator::Or, a, b) => {
                Number::Int(i128::from(of(a)?.is_true() || of(b)?.is_true()))
            }
            Expr::Binary(op, a, b) => match (of(a)?, of(b)?) {
                (Number::Int(x), Number::Int(y)) => Number::Int(integers(*op, x, y)?),
                (x, y) => floats(*op, x.float(), y.float())?,
            },
        })
    }
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
