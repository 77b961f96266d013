//! How the dimensions and arguments of a kernel's launches hang together, by the host code that makes them.
//!
//! Where a launch is `k<<<systems, size / 2>>>(a, size)`, no block is worth looking at but half of `size`. Such relations
//! are facts of the program like a constant launch; where the host launches a kernel in several places, only what holds
//! for all of them is one. A value that the user gave is kept, and what it says of the others is worked out. So are the
//! conditions under which the host launches at all, such as `k < n`.

use lockstep_finding::launch::{Dimension, Expr, Number, Operator, Relation};
use lockstep_frontend::{HostCompare, HostCondition, HostLaunch, HostOp, HostPart, HostValue};
use lockstep_kernel::{Kernel, Param, ParamKind};

/// A relation that takes more room than this says nothing to a reader.
const LONGEST: usize = 160;

/// What the host's launches have in common.
#[derive(Debug, Default)]
pub(crate) struct Related {
    pub(crate) relations: Vec<Relation>,
    /// Comparisons, a single name on the left where there is one.
    pub(crate) conditions: Vec<Expr>,
}

/// What holds for every launch; `known` gives the values that are fixed.
pub(crate) fn relations(
    launches: &[&HostLaunch],
    kernel: &Kernel,
    known: &dyn Fn(HostPart) -> Option<i64>,
) -> Related {
    let own = kernel.params.iter().filter(|p| p.within.is_none());
    let integers: Vec<Option<&str>> = own.map(integer).collect();
    let mut each = launches.iter().map(|l| of_launch(l, &integers, known));
    let mut common = each.next().unwrap_or_default();
    for other in each {
        common.relations.retain(|r| other.relations.contains(r));
        common.conditions.retain(|c| other.conditions.contains(c));
    }
    common
}

/// The name of a parameter that an assumption may speak of.
fn integer(param: &Param) -> Option<&str> {
    let is_int = matches!(param.kind, ParamKind::Scalar { ty, count: 1 } if ty.is_int());
    let reads = Expr::parse(&param.name) == Ok(Expr::Name(param.name.clone()));
    (is_int && reads).then_some(&param.name)
}

/// `integers` names the kernel's parameters that are some.
fn of_launch(
    launch: &HostLaunch,
    integers: &[Option<&str>],
    known: &dyn Fn(HostPart) -> Option<i64>,
) -> Related {
    let whole = launch.arg_count == integers.len();
    let is_argument = |part: &HostPart| matches!(part, HostPart::Argument(_));
    let mut values: Vec<(HostPart, String, &HostValue)> = (launch.values.iter())
        .filter(|(part, _)| whole || !is_argument(part))
        .filter_map(|(part, value)| Some((*part, name(*part, integers)?, value)))
        .collect();
    // Arguments first: dimensions follow from them, not the other way round.
    values.sort_by_key(|v| v.0);
    let mut meaning: Vec<(usize, Expr)> = Vec::new();
    for (part, _, value) in &values {
        if let Some((unknown, v)) = known(*part).and_then(|v| solve(value, v))
            && !meaning.iter().any(|m| m.0 == unknown)
        {
            meaning.push((unknown, Expr::Number(Number::Int(v.into()))));
        }
    }
    values.retain(|(part, ..)| known(*part).is_none());
    let mut related = Vec::new();
    for (part, name, value) in values {
        match value {
            HostValue::Unknown(u) if !meaning.iter().any(|m| m.0 == *u) => {
                meaning.push((*u, Expr::Name(name)));
            }
            _ => related.push((part, name, value)),
        }
    }
    // What is given with something added says as much.
    related.retain(|(_, name, value)| match shifted(value) {
        Some((u, by)) if !meaning.iter().any(|m| m.0 == u) => {
            meaning.push((u, plus(Expr::Name(name.clone()), by.saturating_neg())));
            false
        }
        _ => true,
    });
    let relation = |(_, name, value): (HostPart, String, &HostValue)| {
        let relation = Relation { name, value: expression(value, &meaning)? };
        (relation.to_string().len() <= LONGEST).then_some(relation)
    };
    let relations = related.into_iter().filter_map(relation).collect();
    let mut conditions: Vec<Expr> = Vec::new();
    for condition in launch.conditions.iter().filter_map(|c| self::condition(c, &meaning)) {
        if condition.to_string().len() <= LONGEST && !conditions.contains(&condition) {
            conditions.push(condition);
        }
    }
    Related { relations, conditions }
}

/// An unknown with a constant added.
fn shifted(value: &HostValue) -> Option<(usize, i64)> {
    match value {
        HostValue::Binary(op, a, b) => match (op, &**a, &**b) {
            (HostOp::Add, HostValue::Unknown(u), HostValue::Known(c)) => Some((*u, *c)),
            (HostOp::Sub, HostValue::Unknown(u), HostValue::Known(c)) => {
                Some((*u, c.checked_neg()?))
            }
            _ => None,
        },
        _ => None,
    }
}

fn plus(e: Expr, by: i64) -> Expr {
    let op = if by < 0 { Operator::Sub } else { Operator::Add };
    let by = Expr::Number(Number::Int(i128::from(by).abs()));
    Expr::Binary(op, e.into(), by.into())
}

/// A condition in the words of an assumption, with one name alone on the left if there is such a side; `None` where it
/// says nothing of the launch.
fn condition(c: &HostCondition, meaning: &[(usize, Expr)]) -> Option<Expr> {
    let (left, right) = (expression(&c.left, meaning)?, expression(&c.right, meaning)?);
    let (op, turned) = match c.compare {
        HostCompare::Equal => (Operator::Eq, Operator::Eq),
        HostCompare::NotEqual => (Operator::Ne, Operator::Ne),
        HostCompare::Less => (Operator::Lt, Operator::Gt),
        HostCompare::LessOrEqual => (Operator::Le, Operator::Ge),
    };
    let mut names = 0;
    for side in [&left, &right] {
        side.for_each_name(&mut |_| names += 1);
    }
    let is_name = |e: &Expr| matches!(e, Expr::Name(_));
    let condition = match !is_name(&left) && is_name(&right) {
        true => Expr::Binary(turned, right.into(), left.into()),
        false => Expr::Binary(op, left.into(), right.into()),
    };
    (names > 0).then_some(condition)
}

/// As an assumption names it.
fn name(part: HostPart, integers: &[Option<&str>]) -> Option<String> {
    match part {
        HostPart::Block(a) => Some(Dimension::Block(a).to_string()),
        HostPart::Grid(a) => Some(Dimension::Grid(a).to_string()),
        HostPart::Argument(i) => integers.get(i).copied().flatten().map(str::to_owned),
    }
}

/// The unknown that makes a value this one; `None` where several do, or none.
fn solve(value: &HostValue, v: i64) -> Option<(usize, i64)> {
    match value {
        HostValue::Unknown(u) => Some((*u, v)),
        HostValue::Binary(op, a, b) => match (op, &**a, &**b) {
            (HostOp::Add, a, HostValue::Known(c)) | (HostOp::Add, HostValue::Known(c), a) => {
                solve(a, v.checked_sub(*c)?)
            }
            (HostOp::Sub, a, HostValue::Known(c)) => solve(a, v.checked_add(*c)?),
            (HostOp::Mul, a, HostValue::Known(c)) | (HostOp::Mul, HostValue::Known(c), a) => {
                solve(a, v.checked_div(*c).filter(|_| v % c == 0)?)
            }
            // Of those that have this part, the one that is divided without a rest.
            (HostOp::Div, HostValue::Unknown(u), HostValue::Known(c)) => {
                Some((*u, v.checked_mul(*c)?))
            }
            _ => None,
        },
        HostValue::Known(_) => None,
    }
}

/// A value in the words of an assumption.
fn expression(value: &HostValue, meaning: &[(usize, Expr)]) -> Option<Expr> {
    Some(match value {
        HostValue::Known(v) => Expr::Number(Number::Int((*v).into())),
        HostValue::Unknown(u) => meaning.iter().find(|m| m.0 == *u)?.1.clone(),
        HostValue::Binary(op, a, b) => {
            let (a, b) = (expression(a, meaning)?, expression(b, meaning)?);
            let binary = |op| Expr::Binary(op, a.clone().into(), b.clone().into());
            let smaller = |x: &Expr, y: &Expr| {
                let less = binary(Operator::Lt);
                Expr::Choice(less.into(), x.clone().into(), y.clone().into())
            };
            match op {
                HostOp::Add => binary(Operator::Add),
                HostOp::Sub => binary(Operator::Sub),
                HostOp::Mul => binary(Operator::Mul),
                HostOp::Div => binary(Operator::Div),
                HostOp::Rem => binary(Operator::Rem),
                HostOp::Min => smaller(&a, &b),
                HostOp::Max => smaller(&b, &a),
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_frontend::HostPart::{Argument, Block, Grid};

    fn binary(op: HostOp, a: HostValue, b: HostValue) -> HostValue {
        HostValue::Binary(op, a.into(), b.into())
    }

    fn launch(values: &[(HostPart, HostValue)], conditions: &[HostCondition]) -> HostLaunch {
        HostLaunch {
            kernel: "k".into(),
            grid: None,
            block: None,
            shared: 0,
            line: 1,
            args: Vec::new(),
            arg_count: 3,
            values: values.to_vec(),
            conditions: conditions.to_vec(),
        }
    }

    fn told(values: &[(HostPart, HostValue)], given: &[(HostPart, i64)]) -> Vec<String> {
        let launch = launch(values, &[]);
        let known = |part| given.iter().find(|(p, _)| *p == part).map(|(_, v)| *v);
        let related = of_launch(&launch, &[None, Some("n"), Some("m")], &known);
        related.relations.iter().map(Relation::to_string).collect()
    }

    #[test]
    fn conditions_speak_of_arguments() {
        let (u, v, c) = (HostValue::Unknown(0), HostValue::Unknown(1), HostValue::Known);
        let holds = |left, compare, right| HostCondition { left, compare, right };
        let below = holds(u.clone(), HostCompare::Less, binary(HostOp::Sub, v.clone(), c(1)));
        let least = holds(c(0), HostCompare::LessOrEqual, u.clone());
        let told = |argument| {
            let values = [(Argument(1), v.clone()), (Argument(2), argument)];
            let launch = launch(&values, &[below.clone(), least.clone()]);
            let related = of_launch(&launch, &[None, Some("n"), Some("m")], &|_| None);
            assert!(related.relations.is_empty());
            related.conditions.iter().map(Expr::to_string).collect::<Vec<_>>()
        };
        assert_eq!(told(u.clone()), ["m < n - 1", "m >= 0"]);
        // Given with one added, it is one more than what the host speaks of.
        let more = binary(HostOp::Add, u.clone(), c(1));
        assert_eq!(told(more), ["m - 1 < n - 1", "0 <= m - 1"]);
        assert_eq!(told(HostValue::Unknown(2)), [""; 0]);
    }

    #[test]
    fn dimensions_follow_from_arguments() {
        let (u, c) = (HostValue::Unknown(0), HostValue::Known);
        let half = binary(HostOp::Div, u.clone(), c(2));
        let values = [(Grid(1), c(1)), (Block(0), half.clone()), (Argument(1), u.clone())];
        assert_eq!(told(&values, &[]), ["blockDim.x == n / 2", "gridDim.y == 1"]);
        // What the user gives is kept, and says what the rest is.
        assert_eq!(told(&values, &[(Block(0), 64)]), ["n == 128", "gridDim.y == 1"]);
        let least = binary(HostOp::Min, u.clone(), c(8));
        let values = [(Argument(1), u.clone()), (Argument(2), least), (Grid(0), half)];
        assert_eq!(told(&values, &[]), ["m == (n < 8 ? n : 8)", "gridDim.x == n / 2"]);
        assert_eq!(
            told(&values, &[(Argument(1), 6)]),
            ["m == (6 < 8 ? 6 : 8)", "gridDim.x == 6 / 2"]
        );
    }

    #[test]
    fn what_nothing_names_says_nothing() {
        let (u, c) = (HostValue::Unknown(0), HostValue::Known);
        let twice = |n| binary(HostOp::Mul, u.clone(), c(n));
        assert_eq!(told(&[(Argument(1), twice(2)), (Block(0), twice(4))], &[]), [""; 0]);
        // Parameters that are no integers, such as the first, have no name.
        assert_eq!(told(&[(Argument(0), u.clone()), (Block(0), twice(1))], &[]), [""; 0]);
        let values = [(Block(0), u.clone()), (Argument(1), twice(4))];
        assert_eq!(told(&values, &[]), ["n == blockDim.x * 4"]);
    }
}
