//! Claims about launches: what a proof assumes, and what a conditional finding needs.
//!
//! A claim is a tree: expressions of C, [`Statement`]s that no such expression makes, and their negations, conjunctions and
//! disjunctions. Joining claims, removing repeats and seeing that one implies another work on the trees; the texts exist
//! only for readers. The printer is [`fmt::Display`], and there is no other.
//!
//! Implication is decided by structure and by comparisons of one expression with constants. It may miss an implication that
//! arithmetic would show; it never claims one that does not hold.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::statement::Statement;
use crate::launch::{Dimension, Expr, Number, Operator};

/// Something that is true of some launches of a kernel, and not of others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Claim {
    /// An expression of C over scalar parameters and dimensions is true.
    Holds(Expr),
    Stated(Statement),
    Not(Box<Claim>),
    All(Vec<Claim>),
    Any(Vec<Claim>),
}

impl Claim {
    /// `left op right`, of expressions.
    pub fn compare(left: Expr, op: Operator, right: Expr) -> Claim {
        Claim::Holds(Expr::binary(op, left, right))
    }

    /// A dimension is a number, or at most one.
    pub fn dimension(dimension: Dimension, op: Operator, n: u32) -> Claim {
        Claim::compare(Expr::name(dimension), op, Expr::int(n))
    }

    /// All of them hold. What another one implies is left out.
    pub fn all(claims: impl IntoIterator<Item = Claim>) -> Claim {
        let mut parts: Vec<Claim> = Vec::new();
        for claim in claims.into_iter().flat_map(Claim::conjuncts) {
            if parts.iter().any(|p| p.implies(&claim)) {
                continue;
            }
            parts.retain(|p| !claim.implies(p));
            parts.push(claim);
        }
        match parts.len() {
            1 => parts.remove(0),
            _ => Claim::All(parts),
        }
    }

    /// One of them holds. What implies another one is left out.
    pub fn any(claims: impl IntoIterator<Item = Claim>) -> Claim {
        let mut parts: Vec<Claim> = Vec::new();
        for claim in claims.into_iter().flat_map(Claim::disjuncts) {
            if parts.iter().any(|p| claim.implies(p)) {
                continue;
            }
            parts.retain(|p| !p.implies(&claim));
            parts.push(claim);
        }
        match parts.len() {
            1 => parts.remove(0),
            _ => Claim::Any(parts),
        }
    }

    /// The opposite.
    pub fn negated(self) -> Claim {
        match self {
            Claim::Not(inner) => *inner,
            Claim::Holds(expr) => match expr.opposite() {
                Some(opposite) => Claim::Holds(opposite),
                None => Claim::Not(Box::new(Claim::Holds(expr))),
            },
            other => Claim::Not(Box::new(other)),
        }
    }

    /// The claims that all have to hold.
    pub fn conjuncts(self) -> Vec<Claim> {
        match self {
            Claim::All(parts) => parts.into_iter().flat_map(Claim::conjuncts).collect(),
            Claim::Holds(Expr::Binary(Operator::And, a, b)) => [Claim::Holds(*a), Claim::Holds(*b)]
                .into_iter()
                .flat_map(Claim::conjuncts)
                .collect(),
            other => vec![other],
        }
    }

    fn disjuncts(self) -> Vec<Claim> {
        match self {
            Claim::Any(parts) => parts.into_iter().flat_map(Claim::disjuncts).collect(),
            other => vec![other],
        }
    }

    /// Whether the other holds wherever this one does. `false` where that is not seen.
    pub fn implies(&self, other: &Claim) -> bool {
        if self == other {
            return true;
        }
        match (self, other) {
            (_, Claim::All(parts)) => parts.iter().all(|p| self.implies(p)),
            (Claim::Any(parts), _) => !parts.is_empty() && parts.iter().all(|p| p.implies(other)),
            (Claim::All(parts), _) => parts.iter().any(|p| p.implies(other)),
            (_, Claim::Any(parts)) => parts.iter().any(|p| self.implies(p)),
            (Claim::Not(a), Claim::Not(b)) => b.implies(a),
            (Claim::Holds(a), Claim::Holds(b)) => a.implies(b),
            _ => false,
        }
    }

    /// Whether it is made of several claims.
    fn is_group(&self) -> bool {
        match self {
            Claim::All(parts) | Claim::Any(parts) => parts.len() > 1,
            Claim::Holds(Expr::Binary(Operator::And | Operator::Or, ..)) => true,
            _ => false,
        }
    }

    /// As one expression of C, where it is one.
    pub fn expression(&self) -> Option<Expr> {
        let joined = |op, parts: &[Claim]| {
            let mut parts = parts.iter().map(Claim::expression);
            let first = parts.next()??;
            parts.try_fold(first, |a, b| Some(Expr::binary(op, a, b?)))
        };
        match self {
            Claim::Holds(expr) => Some(expr.clone()),
            Claim::Stated(_) => None,
            Claim::Not(a) => Some(Expr::Not(Box::new(a.expression()?))),
            Claim::All(parts) => joined(Operator::And, parts),
            Claim::Any(parts) => joined(Operator::Or, parts),
        }
    }

    /// Calls `f` for every name in its expressions.
    pub fn for_each_name(&self, f: &mut dyn FnMut(&str)) {
        match self {
            Claim::Holds(expr) => expr.for_each_name(f),
            Claim::Stated(_) => {}
            Claim::Not(a) => a.for_each_name(f),
            Claim::All(parts) | Claim::Any(parts) => parts.iter().for_each(|p| p.for_each_name(f)),
        }
    }

    /// Whether it holds in one launch; none where that is not known. A name without a value and a statement are not known.
    pub fn decide(&self, lookup: &dyn Fn(&str) -> Result<Number, String>) -> Option<bool> {
        let decided = |parts: &[Claim], decisive: bool| {
            let known: Vec<Option<bool>> = parts.iter().map(|p| p.decide(lookup)).collect();
            if known.contains(&Some(decisive)) {
                return Some(decisive);
            }
            known.iter().all(Option::is_some).then_some(!decisive)
        };
        match self {
            Claim::Holds(expr) => expr.evaluate(lookup).ok().map(Number::is_true),
            Claim::Stated(_) => None,
            Claim::Not(a) => a.decide(lookup).map(|v| !v),
            Claim::All(parts) => decided(parts, false),
            Claim::Any(parts) => decided(parts, true),
        }
    }
}

impl From<Expr> for Claim {
    fn from(expr: Expr) -> Claim {
        Claim::Holds(expr)
    }
}

impl From<Statement> for Claim {
    fn from(statement: Statement) -> Claim {
        Claim::Stated(statement)
    }
}

/// C where it can be said in C, else a sentence.
impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(expr) = self.expression() {
            return expr.fmt(f);
        }
        match self {
            Claim::Holds(expr) => expr.fmt(f),
            Claim::Stated(statement) => statement.fmt(f),
            Claim::Not(a) => write!(f, "not so: {a}"),
            Claim::All(parts) if parts.is_empty() => f.write_str("1"),
            Claim::Any(parts) if parts.is_empty() => f.write_str("0"),
            // A list of sentences, or a formula where there is something to group.
            Claim::All(parts) if !parts.iter().any(Claim::is_group) => list(f, parts, " and "),
            Claim::Any(parts) if !parts.iter().any(Claim::is_group) => list(f, parts, ", or "),
            Claim::All(parts) => list(f, parts, " && "),
            Claim::Any(parts) => list(f, parts, " || "),
        }
    }
}

/// The parts, with parentheses around those that are made of several.
fn list(f: &mut fmt::Formatter<'_>, parts: &[Claim], between: &str) -> fmt::Result {
    for (i, part) in parts.iter().enumerate() {
        if i > 0 {
            f.write_str(between)?;
        }
        if !part.is_group() {
            write!(f, "{part}")?;
            continue;
        }
        f.write_str("(")?;
        match part {
            Claim::All(inner) => list(f, inner, " && ")?,
            Claim::Any(inner) => list(f, inner, " || ")?,
            other => write!(f, "{other}")?,
        }
        f.write_str(")")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(text: &str) -> Claim {
        Claim::Holds(Expr::parse(text).unwrap())
    }

    #[test]
    fn what_follows_from_another_claim() {
        for (a, b) in [
            ("n == 32", "n <= 64"),
            ("n == 32", "n != 0"),
            ("n <= 32", "n < 64"),
            ("n < 33", "n <= 33"),
            ("n >= 5", "n > 4"),
            ("n == 1 || n == 2", "n < 3"),
            ("a * b <= 8", "a * b <= 9"),
            ("n % 64 == 0 && m > 0", "n % 64 == 0"),
            ("32 == n", "n <= 64"),
        ] {
            assert!(holds(a).implies(&holds(b)), "{a} implies {b}");
        }
        for (a, b) in [
            ("n <= 64", "n <= 32"),
            ("n != 0", "n > 0"),
            ("n == 0 || n > 3 && blockDim.x <= 256", "blockDim.x <= 256"),
            ("a * b * c <= 8", "a * b <= 8"),
            ("n <= 32", "m <= 32"),
            // A parameter may be a float.
            ("a < 1", "a <= 0"),
        ] {
            assert!(!holds(a).implies(&holds(b)), "{a} does not imply {b}");
        }
    }

    #[test]
    fn joined_claims_have_no_repeats() {
        let all = |texts: &[&str]| Claim::all(texts.iter().map(|t| holds(t))).to_string();
        let any = |texts: &[&str]| Claim::any(texts.iter().map(|t| holds(t))).to_string();
        assert_eq!(all(&["n <= 64", "n == 32", "n > 0"]), "n == 32");
        assert_eq!(all(&["n <= 64", "m > 0", "m > 0 && n <= 64"]), "n <= 64 && m > 0");
        assert_eq!(any(&["n <= 64", "n == 32", "m > 0"]), "n <= 64 || m > 0");
        assert_eq!(any(&["n > 0 && m > 0", "a == b"]), "(n > 0 && m > 0) || a == b");
    }

    #[test]
    fn opposites() {
        let not = |text: &str| holds(text).negated().to_string();
        assert_eq!(not("n < 8"), "n >= 8");
        assert_eq!(not("n == 8"), "n != 8");
        assert_eq!(not("n % 8"), "!(n % 8)");
        assert_eq!(not("n < 8 && m > 0"), "!(n < 8 && m > 0)");
        let zero = Claim::from(Statement::CountersStartAtZero);
        let mixed = Claim::all([zero.clone(), holds("n > 0")]);
        assert_eq!(mixed.to_string(), format!("{zero} and n > 0"));
        assert_eq!(mixed.clone().negated().to_string(), format!("not so: {mixed}"));
        assert_eq!(mixed.clone().negated().negated(), mixed);
        let several =
            Claim::any([holds("a == 1 && b == 2"), Claim::all([holds("a == 3"), zero.clone()])]);
        assert_eq!(several.to_string(), format!("(a == 1 && b == 2) || (a == 3 && {zero})"));
    }

    #[test]
    fn what_one_launch_says() {
        let lookup = |name: &str| match name {
            "n" => Ok(Number::Int(32)),
            _ => Err(String::new()),
        };
        let decide = |text: &str| holds(text).decide(&lookup);
        assert_eq!(decide("n == 32"), Some(true));
        assert_eq!(decide("m == 32"), None);
        let any = Claim::Any(vec![holds("m > 0"), holds("n > 0")]);
        assert_eq!(any.decide(&lookup), Some(true));
        let all = Claim::All(vec![holds("m > 0"), holds("n < 0")]);
        assert_eq!(all.decide(&lookup), Some(false));
        assert_eq!(all.negated().decide(&lookup), Some(true));
    }
}
