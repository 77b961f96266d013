//! The syntax of `--assume`: C expressions over a launch's scalars and dimensions.
//!
//! Only the syntax. What a name stands for, and what numbers are (those of one
//! launch, or terms that stand for all of them), is the business of who asks.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An expression as it was written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Expr {
    Number(Number),
    /// A parameter, `blockDim.x` and its kin, `get_local_size(0)` and its kin.
    Name(String),
    Not(Box<Expr>),
    Negate(Box<Expr>),
    Complement(Box<Expr>),
    Binary(Operator, Box<Expr>, Box<Expr>),
    Choice(Box<Expr>, Box<Expr>, Box<Expr>),
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Number {
    #[serde(with = "as_text")]
    Int(i128),
    Float(f64),
}

impl Number {
    /// A number as C or a launch has it.
    pub fn parse(text: &str) -> Option<Number> {
        let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
        if let Some(hex) = digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
            return i128::from_str_radix(hex, 16).ok().map(Number::Int);
        }
        match digits {
            "true" => return Some(Number::Int(1)),
            "false" => return Some(Number::Int(0)),
            _ => {}
        }
        if let Ok(v) = digits.parse() {
            return Some(Number::Int(v));
        }
        text.trim_end_matches(['f', 'F']).parse().ok().map(Number::Float)
    }
}

/// JSON has no integers of 128 bits.
mod as_text {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(v: &i128, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(v)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<i128, D::Error> {
        String::deserialize(d)?.parse().map_err(D::Error::custom)
    }
}

/// C's binary operators, without assignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Operator {
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Eq,
    Ne,
    Le,
    Ge,
    Lt,
    Gt,
    Shl,
    Shr,
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}

/// Operators by level, weakest first.
const LEVELS: [&[(&str, Operator)]; 10] = [
    &[("||", Operator::Or)],
    &[("&&", Operator::And)],
    &[("|", Operator::BitOr)],
    &[("^", Operator::BitXor)],
    &[("&", Operator::BitAnd)],
    &[("==", Operator::Eq), ("!=", Operator::Ne)],
    &[("<=", Operator::Le), (">=", Operator::Ge), ("<", Operator::Lt), (">", Operator::Gt)],
    &[("<<", Operator::Shl), (">>", Operator::Shr)],
    &[("+", Operator::Add), ("-", Operator::Sub)],
    &[("*", Operator::Mul), ("/", Operator::Div), ("%", Operator::Rem)],
];

impl Operator {
    /// The comparison that is true where this one is not.
    fn opposite(self) -> Option<Operator> {
        Some(match self {
            Operator::Eq => Operator::Ne,
            Operator::Ne => Operator::Eq,
            Operator::Le => Operator::Gt,
            Operator::Gt => Operator::Le,
            Operator::Ge => Operator::Lt,
            Operator::Lt => Operator::Ge,
            _ => return None,
        })
    }

    /// The comparison with its sides exchanged.
    fn exchanged(self) -> Option<Operator> {
        Some(match self {
            Operator::Eq | Operator::Ne => self,
            Operator::Le => Operator::Ge,
            Operator::Ge => Operator::Le,
            Operator::Lt => Operator::Gt,
            Operator::Gt => Operator::Lt,
            _ => return None,
        })
    }

    /// As C spells it.
    pub fn text(self) -> &'static str {
        let all = LEVELS.iter().flat_map(|level| level.iter());
        all.into_iter().find(|(_, op)| *op == self).map_or("", |(text, _)| text)
    }
}

impl Expr {
    pub fn binary(op: Operator, a: Expr, b: Expr) -> Expr {
        Expr::Binary(op, Box::new(a), Box::new(b))
    }

    /// A parameter by its name, or a [`Dimension`].
    pub fn name(name: impl fmt::Display) -> Expr {
        Expr::Name(name.to_string())
    }

    pub fn int(v: impl Into<i128>) -> Expr {
        Expr::Number(Number::Int(v.into()))
    }

    /// The comparison that is true where this one is not, if it is one.
    pub fn opposite(&self) -> Option<Expr> {
        match self {
            Expr::Not(a) => Some((**a).clone()),
            Expr::Binary(op, a, b) => Some(Expr::Binary(op.opposite()?, a.clone(), b.clone())),
            _ => None,
        }
    }

    /// Whether the other is true wherever this one is, as far as structure and comparisons with constants show.
    pub fn implies(&self, other: &Expr) -> bool {
        if self == other {
            return true;
        }
        match (self, other) {
            (_, Expr::Binary(Operator::And, a, b)) => self.implies(a) && self.implies(b),
            (Expr::Binary(Operator::Or, a, b), _) => a.implies(other) && b.implies(other),
            (Expr::Binary(Operator::And, a, b), _) => a.implies(other) || b.implies(other),
            (_, Expr::Binary(Operator::Or, a, b)) => self.implies(a) || self.implies(b),
            _ => match (self.bound(), other.bound()) {
                (Some((a, op, m)), Some((b, other, n))) if a == b => follows((op, m), (other, n)),
                _ => false,
            },
        }
    }

    /// A comparison with an integer.
    fn bound(&self) -> Option<(&Expr, Operator, i128)> {
        match self {
            Expr::Binary(op, a, b) => match (&**a, &**b) {
                (Expr::Number(_), Expr::Number(_)) => None,
                (a, Expr::Number(Number::Int(n))) => op.opposite().map(|_| (a, *op, *n)),
                (Expr::Number(Number::Int(n)), b) => op.exchanged().map(|op| (b, op, *n)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Reads an expression; an error says what is wrong with it.
    pub fn parse(text: &str) -> Result<Expr, String> {
        let mut parser = Parser { tokens: tokens(text)?, at: 0, depth: 0 };
        let expr = parser.choice()?;
        match parser.peek() {
            Some(extra) => Err(format!("'{extra}' is not expected there")),
            None => Ok(expr),
        }
    }

    /// Calls `f` for every name, in the order of the text.
    pub fn for_each_name(&self, f: &mut dyn FnMut(&str)) {
        match self {
            Expr::Number(_) => {}
            Expr::Name(name) => f(name),
            Expr::Not(a) | Expr::Negate(a) | Expr::Complement(a) => a.for_each_name(f),
            Expr::Binary(_, a, b) => {
                a.for_each_name(f);
                b.for_each_name(f);
            }
            Expr::Choice(c, a, b) => [c, a, b].into_iter().for_each(|e| e.for_each_name(f)),
        }
    }
}

/// Whether `x b n` is true of every number `x` of which `x a m` is. Not only of integers: a parameter may be a float.
fn follows((a, m): (Operator, i128), (b, n): (Operator, i128)) -> bool {
    use Operator::{Eq, Ge, Gt, Le, Lt, Ne};
    match (a, b) {
        (Eq, Eq) | (Ne, Ne) => m == n,
        (Eq, Ne) => m != n,
        (Eq | Le, Le) | (Lt, Le | Lt) => m <= n,
        (Eq | Le, Lt) => m < n,
        (Eq | Ge, Ge) | (Gt, Ge | Gt) => m >= n,
        (Eq | Ge, Gt) => m > n,
        (Le, Ne) => m < n,
        (Lt, Ne) => m <= n,
        (Ge, Ne) => m > n,
        (Gt, Ne) => m >= n,
        _ => false,
    }
}

/// As C would have it, with no more parentheses than it needs, but for those that compilers ask for: `(a && b) || c`.
impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, 0)
    }
}

impl Expr {
    /// Writes the expression where operators below a level need parentheses; 0 is any, `LEVELS.len() + 1` a unary one.
    fn write(&self, f: &mut fmt::Formatter<'_>, least: usize) -> fmt::Result {
        let own = match self {
            Expr::Choice(..) => 0,
            Expr::Binary(op, ..) => {
                LEVELS.iter().position(|l| l.iter().any(|(_, o)| o == op)).unwrap_or(0) + 1
            }
            _ => LEVELS.len() + 1,
        };
        if own < least {
            f.write_str("(")?;
            self.write(f, 0)?;
            return f.write_str(")");
        }
        let unary = |f: &mut fmt::Formatter<'_>, op: &str, a: &Expr| {
            f.write_str(op)?;
            a.write(f, LEVELS.len() + 1)
        };
        match self {
            Expr::Number(Number::Int(v)) => write!(f, "{v}"),
            Expr::Number(Number::Float(v)) => write!(f, "{v:?}"),
            Expr::Name(name) => f.write_str(name),
            Expr::Not(a) => unary(f, "!", a),
            Expr::Negate(a) => unary(f, "-", a),
            Expr::Complement(a) => unary(f, "~", a),
            Expr::Binary(op, a, b) => {
                let side = |e: &Expr, least: usize| match e {
                    Expr::Binary(Operator::And, ..) if *op == Operator::Or => LEVELS.len() + 1,
                    _ => least,
                };
                a.write(f, side(a, own))?;
                write!(f, " {} ", op.text())?;
                b.write(f, side(b, own + 1))
            }
            Expr::Choice(c, a, b) => {
                c.write(f, 1)?;
                f.write_str(" ? ")?;
                a.write(f, 0)?;
                f.write_str(" : ")?;
                b.write(f, 0)
            }
        }
    }
}

/// A dimension of a launch, by axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    Block(usize),
    Grid(usize),
}

const AXES: [&str; 3] = ["x", "y", "z"];

impl Dimension {
    /// What `blockDim.x` and its kin name.
    pub fn named(name: &str) -> Option<Dimension> {
        let (dims, axis) = name.split_once('.')?;
        let axis = AXES.iter().position(|a| *a == axis)?;
        match dims {
            "blockDim" => Some(Dimension::Block(axis)),
            "gridDim" => Some(Dimension::Grid(axis)),
            _ => None,
        }
    }
}

impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Dimension::Block(a) => write!(f, "blockDim.{}", AXES[a]),
            Dimension::Grid(a) => write!(f, "gridDim.{}", AXES[a]),
        }
    }
}

/// A scalar or a dimension that follows from others: `gridDim.x == (n + 255) / 256`.
#[derive(Clone, Debug, PartialEq)]
pub struct Relation {
    /// A parameter, or `blockDim.x` and its kin.
    pub name: String,
    pub value: Expr,
}

impl Relation {
    /// As an expression.
    pub fn expression(&self) -> Expr {
        Expr::binary(Operator::Eq, Expr::name(&self.name), self.value.clone())
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} == ", self.name)?;
        // A comparison or a choice would be read as its own.
        self.value.write(f, LEVEL_OF_EQUAL + 2)
    }
}

/// Where `==` stands among [`LEVELS`].
const LEVEL_OF_EQUAL: usize = 5;

fn tokens(text: &str) -> Result<Vec<String>, String> {
    const OPERATORS: [&str; 24] = [
        "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+", "-", "*", "/", "%", "<", ">", "!",
        "~", "&", "|", "^", "(", ")", "?", ":",
    ];
    let mut out = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if is_word(first) {
            word_length(rest)
        } else {
            let operator = OPERATORS.iter().find(|o| rest.starts_with(**o));
            operator.ok_or_else(|| format!("'{first}' is not understood"))?.len()
        };
        out.push(rest[..length].to_owned());
        rest = rest[length..].trim_start();
    }
    Ok(out)
}

/// A number, or a name: `n`, `blockDim.x`, `p.dims[1].size`.
fn word_length(text: &str) -> usize {
    let mut length = text.find(|c| !is_word(c)).unwrap_or(text.len());
    while let Some(index) = text[length..].strip_prefix('[')
        && let Some((number, after)) = index.split_once(']')
        && !number.is_empty()
        && number.chars().all(|c| c.is_ascii_digit())
    {
        length = text.len() - after.trim_start_matches(is_word).len();
    }
    length
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '.'
}

struct Parser {
    tokens: Vec<String>,
    at: usize,
    depth: u32,
}

impl Parser {
    fn peek(&self) -> Option<&str> {
        self.tokens.get(self.at).map(String::as_str)
    }

    fn take(&mut self, token: &str) -> bool {
        let found = self.peek() == Some(token);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        if self.take(token) { Ok(()) } else { Err(format!("'{token}' is missing")) }
    }

    fn deeper(&mut self) -> Result<(), String> {
        self.depth += 1;
        if self.depth > 100 { Err("nested too deeply".into()) } else { Ok(()) }
    }

    fn choice(&mut self) -> Result<Expr, String> {
        self.deeper()?;
        let mut expr = self.binary(0)?;
        if self.take("?") {
            let yes = self.choice()?;
            self.expect(":")?;
            let no = self.choice()?;
            expr = Expr::Choice(Box::new(expr), Box::new(yes), Box::new(no));
        }
        self.depth -= 1;
        Ok(expr)
    }

    fn binary(&mut self, level: usize) -> Result<Expr, String> {
        let Some(operators) = LEVELS.get(level) else {
            return self.unary();
        };
        let mut left = self.binary(level + 1)?;
        while let Some((_, op)) = operators.iter().find(|(o, _)| self.peek() == Some(*o)) {
            self.at += 1;
            let right = self.binary(level + 1)?;
            left = Expr::Binary(*op, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expr, String> {
        self.deeper()?;
        let expr = if self.take("!") {
            Expr::Not(Box::new(self.unary()?))
        } else if self.take("-") {
            Expr::Negate(Box::new(self.unary()?))
        } else if self.take("~") {
            Expr::Complement(Box::new(self.unary()?))
        } else if self.take("+") {
            self.unary()?
        } else if self.take("(") {
            let expr = self.choice()?;
            self.expect(")")?;
            expr
        } else {
            self.word()?
        };
        self.depth -= 1;
        Ok(expr)
    }

    fn word(&mut self) -> Result<Expr, String> {
        let word = self.peek().ok_or("the expression ends too early")?.to_owned();
        let first = word.chars().next().unwrap_or(' ');
        if !is_word(first) {
            return Err(format!("a value is expected before '{word}'"));
        }
        self.at += 1;
        if first.is_ascii_digit() || first == '.' || word == "true" || word == "false" {
            let number = Number::parse(&word);
            return number.map(Expr::Number).ok_or_else(|| format!("'{word}' is not a number"));
        }
        if !self.take("(") {
            return Ok(Expr::Name(word));
        }
        let axis = self.peek().unwrap_or("").to_owned();
        self.at += 1;
        self.expect(")")?;
        Ok(Expr::Name(format!("{word}({axis})")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_as_the_same() {
        for text in [
            "(n + 255) / 256",
            "n + 255 / 256",
            "a - (b - c)",
            "a - b - c",
            "a / (b * c) % d",
            "-(a + b) * !c",
            "n < 8 ? n : 8",
            "(n < 8 ? n : 8) * 2",
            "a ? b : c ? d : e",
            "(a & b) == 0 && c | d ^ e",
            "(a && b) || c || (d && (e || f))",
            "blockDim.x << 2 >= get_local_size(0)",
            "p.dims[1].size * p.a[0][2] < p.n",
        ] {
            let expr = Expr::parse(text).unwrap();
            assert_eq!(expr.to_string(), text);
        }
    }

    #[test]
    fn comparisons_with_constants_follow_from_each_other() {
        use Operator::{Eq, Ge, Gt, Le, Lt, Ne};
        let holds = |x: i128, op: Operator, n: i128| match op {
            Eq => x == n,
            Ne => x != n,
            Le => x <= n,
            Lt => x < n,
            Ge => x >= n,
            _ => x > n,
        };
        // Halves stand for what is between two integers.
        for (a, b) in [Eq, Ne, Le, Lt, Ge, Gt]
            .into_iter()
            .flat_map(|a| [Eq, Ne, Le, Lt, Ge, Gt].map(|b| (a, b)))
        {
            for (m, n) in (-3..=3).flat_map(|m| (-3..=3).map(move |n| (m, n))) {
                let all = (-20..=20).all(|x| !holds(x, a, 2 * m) || holds(x, b, 2 * n));
                assert_eq!(follows((a, m), (b, n)), all, "{a:?} {m} {b:?} {n}");
            }
        }
    }

    #[test]
    fn a_relation_is_an_expression() {
        for (value, text) in [
            ("n / 2", "m == n / 2"),
            ("n < 8 ? n : 8", "m == (n < 8 ? n : 8)"),
            ("n & 1", "m == (n & 1)"),
        ] {
            let relation = Relation { name: "m".into(), value: Expr::parse(value).unwrap() };
            assert_eq!(relation.to_string(), text);
            let equal =
                |e: Expr| Expr::Binary(Operator::Eq, Expr::Name("m".into()).into(), e.into());
            assert_eq!(Expr::parse(text), Ok(equal(relation.value)));
        }
    }
}
