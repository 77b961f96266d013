//! `--assume`: a C expression over a launch's scalars and dimensions.
//!
//! A small recursive-descent evaluator with C's precedences, over integers of
//! 128 bits and doubles. Names are parameters, `blockDim.x`, `gridDim.x` and
//! their kin, and OpenCL's `get_local_size(0)` and `get_num_groups(0)`.

/// Whether the expression holds; `lookup` gives the value of a name as text.
pub(crate) fn holds(expr: &str, lookup: &dyn Fn(&str) -> Option<String>) -> Result<bool, String> {
    let fail = |why: String| format!("--assume '{expr}': {why}");
    let tokens = tokens(expr).map_err(fail)?;
    let mut parser = Parser { tokens, at: 0, lookup, depth: 0 };
    let value = parser.ternary(true).map_err(fail)?;
    if let Some(extra) = parser.peek() {
        return Err(fail(format!("'{extra}' is not expected there")));
    }
    Ok(value.truth())
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Num {
    Int(i128),
    Float(f64),
}

impl Num {
    fn truth(self) -> bool {
        match self {
            Num::Int(v) => v != 0,
            Num::Float(v) => v != 0.0,
        }
    }
    fn float(self) -> f64 {
        match self {
            Num::Int(v) => v as f64,
            Num::Float(v) => v,
        }
    }
    fn parse(text: &str) -> Option<Num> {
        let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
        if let Some(hex) = digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
            return i128::from_str_radix(hex, 16).ok().map(Num::Int);
        }
        match digits {
            "true" => return Some(Num::Int(1)),
            "false" => return Some(Num::Int(0)),
            _ => {}
        }
        if let Ok(v) = digits.parse() {
            return Some(Num::Int(v));
        }
        text.trim_end_matches(['f', 'F']).parse().ok().map(Num::Float)
    }
}

fn tokens(text: &str) -> Result<Vec<String>, String> {
    const OPERATORS: [&str; 24] = [
        "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+", "-", "*", "/", "%", "<", ">", "!",
        "~", "&", "|", "^", "(", ")", "?", ":",
    ];
    let mut out = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if first.is_ascii_alphanumeric() || first == '_' || first == '.' {
            rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.'))
                .unwrap_or(rest.len())
        } else {
            let operator = OPERATORS.iter().find(|o| rest.starts_with(**o));
            operator.ok_or_else(|| format!("'{first}' is not understood"))?.len()
        };
        out.push(rest[..length].to_owned());
        rest = rest[length..].trim_start();
    }
    Ok(out)
}

struct Parser<'a> {
    tokens: Vec<String>,
    at: usize,
    lookup: &'a dyn Fn(&str) -> Option<String>,
    depth: u32,
}

/// Binary operators, weakest first.
const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

impl Parser<'_> {
    fn peek(&self) -> Option<&str> {
        self.tokens.get(self.at).map(String::as_str)
    }

    fn take(&mut self, token: &str) -> bool {
        let found = self.peek() == Some(token);
        self.at += found as usize;
        found
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        if self.take(token) { Ok(()) } else { Err(format!("'{token}' is missing")) }
    }

    /// `live` is false in an operand that C would not evaluate: it is parsed,
    /// but may divide by zero.
    fn ternary(&mut self, live: bool) -> Result<Num, String> {
        self.depth += 1;
        if self.depth > 100 {
            return Err("nested too deeply".into());
        }
        let mut value = self.binary(0, live)?;
        if self.take("?") {
            let yes = self.ternary(live && value.truth())?;
            self.expect(":")?;
            let no = self.ternary(live && !value.truth())?;
            value = if value.truth() { yes } else { no };
        }
        self.depth -= 1;
        Ok(value)
    }

    fn binary(&mut self, level: usize, live: bool) -> Result<Num, String> {
        let Some(operators) = LEVELS.get(level) else {
            return self.unary(live);
        };
        let mut left = self.binary(level + 1, live)?;
        while let Some(op) = operators.iter().find(|o| self.peek() == Some(**o)) {
            self.at += 1;
            let needs_right = match *op {
                "&&" => left.truth(),
                "||" => !left.truth(),
                _ => true,
            };
            let right = self.binary(level + 1, live && needs_right)?;
            left = if live { apply(op, left, right)? } else { Num::Int(0) };
        }
        Ok(left)
    }

    fn unary(&mut self, live: bool) -> Result<Num, String> {
        self.depth += 1;
        if self.depth > 100 {
            return Err("nested too deeply".into());
        }
        let value = if self.take("!") {
            Num::Int(!self.unary(live)?.truth() as i128)
        } else if self.take("-") {
            match self.unary(live)? {
                Num::Int(v) => Num::Int(v.wrapping_neg()),
                Num::Float(v) => Num::Float(-v),
            }
        } else if self.take("+") {
            self.unary(live)?
        } else if self.take("~") {
            match self.unary(live)? {
                Num::Int(v) => Num::Int(!v),
                Num::Float(_) => return Err("'~' needs an integer".into()),
            }
        } else {
            self.primary(live)?
        };
        self.depth -= 1;
        Ok(value)
    }

    fn primary(&mut self, live: bool) -> Result<Num, String> {
        if self.take("(") {
            let value = self.ternary(live)?;
            self.expect(")")?;
            return Ok(value);
        }
        let word = self.peek().ok_or("the expression ends too early")?.to_owned();
        let first = word.chars().next().unwrap_or(' ');
        if !(first.is_ascii_alphanumeric() || first == '_' || first == '.') {
            return Err(format!("a value is expected before '{word}'"));
        }
        self.at += 1;
        if first.is_ascii_digit() || first == '.' || word == "true" || word == "false" {
            return Num::parse(&word).ok_or_else(|| format!("'{word}' is not a number"));
        }
        let name = if self.take("(") {
            let axis = self.peek().unwrap_or("").to_owned();
            self.at += 1;
            self.expect(")")?;
            format!("{word}({axis})")
        } else {
            word
        };
        let value =
            (self.lookup)(&name).ok_or_else(|| format!("'{name}' has no value in this launch"))?;
        Num::parse(&value).ok_or_else(|| format!("'{name}' is {value}, which is not a number"))
    }
}

fn apply(op: &str, a: Num, b: Num) -> Result<Num, String> {
    let truth = |v: bool| Ok(Num::Int(v as i128));
    match op {
        "&&" => return truth(a.truth() && b.truth()),
        "||" => return truth(a.truth() || b.truth()),
        _ => {}
    }
    if let (Num::Int(x), Num::Int(y)) = (a, b) {
        let shift =
            |y: i128| u32::try_from(y).ok().filter(|&y| y < 64).ok_or("a shift is out of range");
        return Ok(Num::Int(match op {
            "+" => x.wrapping_add(y),
            "-" => x.wrapping_sub(y),
            "*" => x.wrapping_mul(y),
            "/" => x.checked_div(y).ok_or("division by zero")?,
            "%" => x.checked_rem(y).ok_or("division by zero")?,
            "<<" => x.wrapping_shl(shift(y)?),
            ">>" => x.wrapping_shr(shift(y)?),
            "&" => x & y,
            "|" => x | y,
            "^" => x ^ y,
            "<" => (x < y) as i128,
            ">" => (x > y) as i128,
            "<=" => (x <= y) as i128,
            ">=" => (x >= y) as i128,
            "==" => (x == y) as i128,
            _ => (x != y) as i128,
        }));
    }
    let (x, y) = (a.float(), b.float());
    match op {
        "+" => Ok(Num::Float(x + y)),
        "-" => Ok(Num::Float(x - y)),
        "*" => Ok(Num::Float(x * y)),
        "/" => Ok(Num::Float(x / y)),
        "<" => truth(x < y),
        ">" => truth(x > y),
        "<=" => truth(x <= y),
        ">=" => truth(x >= y),
        "==" => truth(x == y),
        "!=" => truth(x != y),
        _ => Err(format!("'{op}' needs integers")),
    }
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
