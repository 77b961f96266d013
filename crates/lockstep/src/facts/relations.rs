//! How the dimensions and arguments of a kernel's launches hang together, by the host code that makes them.
//!
//! Where a launch is `k<<<systems, size / 2>>>(a, size)`, no block is worth looking at but half of `size`. Such relations
//! are facts of the program like a constant launch; where the host launches a kernel in several places, only what holds
//! for all of them is one. A value that the user gave is kept, and what it says of the others is worked out. So are the
//! conditions under which the host launches at all, such as `k < n`.
//!
//! How large the host makes an array (`cudaMalloc(&a, n * sizeof(float))`) is said only of launches of which nothing is
//! left to guess: then an access beyond the end is the program's fault. Every dimension and every integer among the arguments
//! must be a constant or a function of one and the same value, which may be anything (an input of the program, say), all that
//! the host asks of it on the way must be known, and the search must keep to all of it.

use lockstep_finding::launch::{Dimension, Expr, Number, Operator, Relation};
use lockstep_frontend::{
    HostBound, HostBranch, HostCompare, HostCondition, HostLaunch, HostOp, HostPart, HostValue,
};
use lockstep_kernel::{Kernel, Param, ParamKind};

/// A relation that takes more room than this says nothing to a reader.
const LONGEST: usize = 160;

/// What the host's launches have in common.
#[derive(Debug, Default)]
pub(crate) struct Related {
    pub(crate) relations: Vec<Relation>,
    /// Comparisons, a single name on the left where there is one.
    pub(crate) conditions: Vec<Expr>,
    /// Bytes of arrays, by parameter, for launches that agree with all relations and conditions.
    pub(crate) sizes: Vec<(usize, Expr)>,
    /// Bytes of dynamic shared memory, for the same launches.
    pub(crate) shared: Option<Expr>,
    /// Arguments that the host makes of others in a way that is not read, and the values that they have, where these are known.
    pub(crate) bound: Vec<(String, Vec<i64>)>,
}

/// What holds for every launch; `known` gives the values that are fixed, by the `first` of the launches where the host fixes
/// them. Sizes are those of this one.
pub(crate) fn relations(
    launches: &[&HostLaunch],
    first: usize,
    kernel: &Kernel,
    known: &dyn Fn(HostPart) -> Option<i64>,
) -> Related {
    let own = kernel.params.iter().filter(|p| p.within.is_none());
    let integers: Vec<Option<&str>> = own.map(integer).collect();
    let mut all: Vec<Related> = launches.iter().map(|l| of_launch(l, &integers, known)).collect();
    if first >= all.len() {
        return Related::default();
    }
    let mut common = all.remove(first);
    let told = common.relations.len() + common.conditions.len();
    for other in all {
        common.relations.retain(|r| other.relations.contains(r));
        common.conditions.retain(|c| other.conditions.contains(c));
        common.shared = common.shared.filter(|s| other.shared.as_ref() == Some(s));
        common.bound.retain_mut(|(name, values)| {
            let there = other.bound.iter().find(|b| b.0 == *name);
            match there {
                Some((_, others)) if values.is_empty() || others.is_empty() => values.clear(),
                Some((_, others)) => values.extend(others),
                None => {}
            }
            there.is_some()
        });
    }
    // What only this launch asks for is asked of no launch that is tried.
    if common.relations.len() + common.conditions.len() < told {
        common.sizes.clear();
        common.shared = None;
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
    let all = values.clone();
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
    // Where no relation says what a value is, there may still be bounds: `min(n, 32)`.
    let says_all = |name: &str, v: &HostValue| {
        related.iter().any(|r| r.1 == name) && expression(v, &meaning).is_some()
    };
    let open = all.iter().filter(|v| known(v.0).is_none() && !says_all(&v.1, v.2));
    let unsaid = launch.conditions.iter().filter(|c| self::condition(c, &meaning).is_none());
    let unsaid: Vec<&HostCondition> = unsaid.collect();
    let limits = Limits { unknown: &launch.ranges, unsaid: &unsaid };
    let bounds: Vec<Expr> = open.flat_map(|v| bounds(&v.1, v.2, &limits)).collect();
    let relations = related.into_iter().filter_map(relation).collect();
    let mut conditions: Vec<Expr> = Vec::new();
    let asked = launch.conditions.iter().filter_map(|c| self::condition(c, &meaning));
    for condition in asked.chain(bounds) {
        if condition.to_string().len() <= LONGEST && !conditions.contains(&condition) {
            conditions.push(condition);
        }
    }
    let arguments = all.iter().filter(|(part, ..)| is_argument(part) && known(*part).is_none());
    let bound =
        |v: &(HostPart, String, &HostValue)| Some((v.1.clone(), bound(v.2, &launch.bound)?));
    let bound = arguments.filter_map(bound).collect();
    let shared = launch.shared_size.as_ref().filter(|_| whole).and_then(|size| {
        let mut unknown = Vec::new();
        size.unknowns(&mut unknown);
        // What the host computes in a way that is not read may go with some sizes only.
        let is_free = |u: &usize| launch.free.get(*u).copied().unwrap_or(false);
        unknown.iter().all(is_free).then(|| expression(size, &meaning)).flatten()
    });
    let mut related = Related { relations, conditions, sizes: Vec::new(), shared, bound };
    let is_whole = whole && all.len() == launch.values.len();
    if is_whole && leaves_no_guess(launch, &all, known, &meaning, &related) {
        let sizes = launch.sizes.iter().filter_map(|(i, v)| Some((*i, expression(v, &meaning)?)));
        related.sizes = sizes.collect();
    }
    related
}

/// What limits values of a launch, besides what can be said of it.
struct Limits<'l> {
    /// The least and the largest number of each unknown value.
    unknown: &'l [[Option<i64>; 2]],
    /// Conditions that speak of values which nothing names.
    unsaid: &'l [&'l HostCondition],
}

/// Between which numbers a value lies, by minima and maxima with constants, and by what the host asks for.
fn bounds(name: &str, value: &HostValue, limits: &Limits) -> Vec<Expr> {
    let bound = |op, limit: Option<i64>| {
        let limit = Expr::Number(Number::Int(limit?.into()));
        Some(Expr::Binary(op, Expr::Name(name.to_owned()).into(), limit.into()))
    };
    let [least, most] = asked_range(value, limits);
    [bound(Operator::Ge, least), bound(Operator::Le, most)].into_iter().flatten().collect()
}

/// The same as [`range`], where the conditions on the way to a launch limit the value, too. What it is compared with need not be told of
/// the launch: after `while (b > n || b > 32) b /= 2;`, `b` is at most 32.
fn asked_range(value: &HostValue, limits: &Limits) -> [Option<i64>; 2] {
    let [mut least, mut most] = range(value, limits.unknown);
    for HostCondition { left, compare, right } in limits.unsaid.iter().copied() {
        let by = match compare {
            HostCompare::Less => 1,
            HostCompare::LessOrEqual | HostCompare::Equal => 0,
            HostCompare::NotEqual => continue,
        };
        let is_equal = *compare == HostCompare::Equal;
        let (below, above) = (range(right, limits.unknown), range(left, limits.unknown));
        if left == value {
            most = smaller(most, below[1].and_then(|limit| limit.checked_sub(by)));
            least = larger(least, below[0].filter(|_| is_equal));
        }
        if right == value {
            least = larger(least, above[0].and_then(|limit| limit.checked_add(by)));
            most = smaller(most, above[1].filter(|_| is_equal));
        }
    }
    [least, most]
}

/// The smaller of two limits, of which either may be missing.
fn smaller(a: Option<i64>, b: Option<i64>) -> Option<i64> {
    a.into_iter().chain(b).min()
}

fn larger(a: Option<i64>, b: Option<i64>) -> Option<i64> {
    a.into_iter().chain(b).max()
}

/// The least and the largest number that a value can be, where there is one; for unknown values they are given.
fn range(value: &HostValue, unknown: &[[Option<i64>; 2]]) -> [Option<i64>; 2] {
    let (op, a, b) = match value {
        HostValue::Known(v) => return [Some(*v); 2],
        HostValue::Unknown(u) => return unknown.get(*u).copied().unwrap_or_default(),
        HostValue::Binary(op, a, b) => (op, a, b),
    };
    let (x, y) = (range(a, unknown), range(b, unknown));
    let both = |i: usize, f: fn(i64, i64) -> Option<i64>| f(x[i]?, y[i]?);
    let ascends = |by: i64, f: fn(i64, i64) -> Option<i64>| x.map(|limit| f(limit?, by));
    let either = |i: usize, f: fn(i64, i64) -> i64| match (x[i], y[i]) {
        (Some(a), Some(b)) => Some(f(a, b)),
        (one, other) => one.or(other),
    };
    match (op, &**b) {
        (HostOp::Min, _) => [both(0, |a, b| Some(a.min(b))), either(1, i64::min)],
        (HostOp::Max, _) => [either(0, i64::max), both(1, |a, b| Some(a.max(b)))],
        (HostOp::Add, _) => [both(0, i64::checked_add), both(1, i64::checked_add)],
        (HostOp::Sub, HostValue::Known(by)) => ascends(*by, i64::checked_sub),
        (HostOp::Mul, HostValue::Known(by @ 0..)) => ascends(*by, i64::checked_mul),
        (HostOp::Div, HostValue::Known(by @ 1..)) => ascends(*by, i64::checked_div),
        // What is divided is not negative, as everywhere here.
        (HostOp::Rem, HostValue::Known(by @ 1..)) => [Some(0), Some(by - 1)],
        _ => [None; 2],
    }
}

/// Whether launches that agree with what is told of one are launches that the host may make.
///
/// Each is one for some value of the only thing that is not known (if there is any): what a part of the launch is, follows from it
/// (`meaning`, and the relations), and the value may be anything that the conditions allow. For that, each branch that may lead past the launch
/// asks only for what is told of the launch, or only about other things that may be anything, too.
fn leaves_no_guess(
    launch: &HostLaunch,
    values: &[(HostPart, String, &HostValue)],
    known: &dyn Fn(HostPart) -> Option<i64>,
    meaning: &[(usize, Expr)],
    told: &Related,
) -> bool {
    let constant = |u: usize| match meaning.iter().find(|m| m.0 == u)?.1 {
        Expr::Number(Number::Int(v)) => i64::try_from(v).ok(),
        _ => None,
    };
    let is_of = |e: &Expr, name: &str| {
        let mut found = false;
        e.for_each_name(&mut |n| found |= n == name);
        found
    };
    let mut unknown = Vec::new();
    for (part, name, value) in values {
        match known(*part) {
            // The user may have given what the host does not.
            Some(v) if evaluated(value, &constant) != Some(v) => return false,
            Some(_) => {}
            None => {
                let mut names = Vec::new();
                value.unknowns(&mut names);
                let is_told = told.relations.iter().any(|r| r.name == *name)
                    || meaning.iter().any(|(u, e)| names == [*u] && is_of(e, name));
                if !is_told {
                    return false;
                }
                unknown.extend(names.into_iter().filter(|u| constant(*u).is_none()));
            }
        }
    }
    unknown.sort_unstable();
    unknown.dedup();
    let is_free = |u: usize| launch.free.get(u).copied().unwrap_or(false);
    let it = match unknown[..] {
        [] => return true,
        [it] if is_free(it) => it,
        _ => return false,
    };
    let of = |condition: &HostCondition| {
        let mut names = Vec::new();
        [&condition.left, &condition.right].into_iter().for_each(|v| v.unknowns(&mut names));
        names
    };
    let mut about = launch.conditions.iter().filter(|c| of(c).contains(&it));
    let is_kept =
        |c: &HostCondition| condition(c, meaning).is_some_and(|c| told.conditions.contains(&c));
    about.all(is_kept)
        && launch.branches.as_ref().is_some_and(|branches| {
            let is_told = |b: &HostBranch| b.is_read && b.unknowns.iter().all(|u| *u == it);
            let is_other = |b: &HostBranch| b.unknowns.iter().all(|u| *u != it && is_free(*u));
            branches.iter().all(|b| is_told(b) || is_other(b))
        })
}

/// The values that one has that the host makes of others in a way that is not read; none where they are not known. `None` where
/// all of it is read.
fn bound(value: &HostValue, how: &[HostBound]) -> Option<Vec<i64>> {
    let mut unknown = Vec::new();
    value.unknowns(&mut unknown);
    let how = |u: &usize| how.get(*u).filter(|b| **b != HostBound::Apart);
    unknown.iter().find_map(how)?;
    let values = match (&unknown[..], how(&unknown[0])) {
        ([u], Some(HostBound::OneOf(values))) => {
            let with = |v: &i64| evaluated(value, &|other| (other == *u).then_some(*v));
            values.iter().map(with).collect()
        }
        _ => None,
    };
    Some(values.unwrap_or_default())
}

/// A value, where all that it is computed from is constant.
fn evaluated(value: &HostValue, constant: &dyn Fn(usize) -> Option<i64>) -> Option<i64> {
    match value {
        HostValue::Known(v) => Some(*v),
        HostValue::Unknown(u) => constant(*u),
        HostValue::Binary(op, a, b) => op.of(evaluated(a, constant)?, evaluated(b, constant)?),
    }
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
            shared_size: None,
            line: 1,
            args: Vec::new(),
            arg_count: 3,
            values: values.to_vec(),
            conditions: conditions.to_vec(),
            sizes: Vec::new(),
            aliases: Vec::new(),
            members: Vec::new(),
            free: Vec::new(),
            ranges: Vec::new(),
            bound: Vec::new(),
            branches: None,
        }
    }

    fn told(values: &[(HostPart, HostValue)], given: &[(HostPart, i64)]) -> Vec<String> {
        let launch = launch(values, &[]);
        let known = |part| given.iter().find(|(p, _)| *p == part).map(|(_, v)| *v);
        let related = of_launch(&launch, &[None, Some("n"), Some("m")], &known);
        let relations = related.relations.iter().map(Relation::to_string);
        relations.chain(related.conditions.iter().map(Expr::to_string)).collect()
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

    /// The sizes of an array of `n` elements in a launch that leaves nothing to guess, once it is changed a little.
    fn sized(change: &dyn Fn(&mut HostLaunch), given: &[(HostPart, i64)]) -> Vec<String> {
        let (u, c) = (HostValue::Unknown(0), HostValue::Known);
        let blocks = binary(HostOp::Div, u.clone(), c(64));
        let parts = [(Grid(0), blocks), (Block(0), c(64)), (Argument(1), u.clone())];
        let mut launch = launch(&parts, &[]);
        launch.values.push((Argument(2), c(3)));
        launch.sizes = vec![(0, binary(HostOp::Mul, u.clone(), c(4)))];
        launch.free = vec![true, true];
        launch.branches = Some(Vec::new());
        change(&mut launch);
        let known = |part| given.iter().find(|(p, _)| *p == part).map(|(_, v)| *v);
        let related = of_launch(&launch, &[None, Some("n"), Some("m")], &known);
        related.sizes.iter().map(|(i, e)| format!("{i}: {e}")).collect()
    }

    #[test]
    fn sizes_speak_of_launches_that_leave_nothing_to_guess() {
        let (u, v, c) = (HostValue::Unknown(0), HostValue::Unknown(1), HostValue::Known);
        let nothing = [""; 0];
        assert_eq!(sized(&|_| (), &[]), ["0: n * 4"]);
        // What is given says how large it is; the host does not launch as much with 63 threads in a block.
        assert_eq!(sized(&|_| (), &[(Argument(1), 128), (Grid(0), 2)]), ["0: 128 * 4"]);
        assert_eq!(sized(&|_| (), &[(Block(0), 64)]), ["0: n * 4"]);
        assert_eq!(sized(&|_| (), &[(Block(0), 63)]), nothing);
        assert_eq!(sized(&|_| (), &[(Argument(1), 128), (Grid(0), 3)]), nothing);
        // Values of another's making, and two that may hang together.
        assert_eq!(sized(&|l| l.free[0] = false, &[]), nothing);
        assert_eq!(sized(&|l| l.values[3].1 = v.clone(), &[]), nothing);
        assert_eq!(sized(&|l| l.sizes[0].1 = v.clone(), &[]), nothing);
        // Only even ones, and nobody says which.
        let twice = |l: &mut HostLaunch| l.values[2].1 = binary(HostOp::Mul, u.clone(), c(2));
        assert_eq!(sized(&twice, &[]), nothing);
        // An argument that has no name.
        assert_eq!(sized(&|l| l.values[3].0 = Argument(0), &[]), nothing);
        assert_eq!(sized(&|l| l.arg_count = 4, &[]), nothing);
        // What is asked for on the way has to be told, and all of it.
        let branch = |unknowns: &[usize], is_read| {
            let branch = HostBranch { unknowns: unknowns.to_vec(), is_read };
            sized(&move |l| l.branches = Some(vec![branch.clone()]), &[])
        };
        assert_eq!(branch(&[0], true), ["0: n * 4"]);
        assert_eq!(branch(&[1], false), ["0: n * 4"]);
        assert_eq!(branch(&[0], false), nothing);
        assert_eq!(branch(&[0, 1], true), nothing);
        assert_eq!(branch(&[2], true), nothing);
        assert_eq!(sized(&|l| l.branches = None, &[]), nothing);
        let asks = |left: &HostValue| {
            let holds =
                HostCondition { left: left.clone(), compare: HostCompare::Less, right: u.clone() };
            sized(&move |l| l.conditions = vec![holds.clone()], &[])
        };
        assert_eq!(asks(&c(8)), ["0: n * 4"]);
        assert_eq!(asks(&v), nothing);
    }

    #[test]
    fn what_is_bound_has_a_name() {
        let bound = |given: &[(HostPart, i64)]| {
            let values =
                [(Argument(1), HostValue::Unknown(0)), (Argument(2), HostValue::Unknown(1))];
            let mut launch = launch(&values, &[]);
            launch.bound = vec![HostBound::Apart, HostBound::Made];
            let known = |part| given.iter().find(|(p, _)| *p == part).map(|(_, v)| *v);
            of_launch(&launch, &[None, Some("n"), Some("m")], &known).bound
        };
        assert_eq!(bound(&[]), [("m".to_owned(), vec![])]);
        assert_eq!(bound(&[(Argument(2), 3)]), []);
    }

    #[test]
    fn what_is_bound_has_values() {
        let (u, v, c) = (HostValue::Unknown(0), HostValue::Unknown(1), HostValue::Known);
        let how = [HostBound::Apart, HostBound::OneOf(vec![10, 20])];
        let of = |value: &HostValue| super::bound(value, &how);
        assert_eq!(of(&u), None);
        assert_eq!(of(&v), Some(vec![10, 20]));
        assert_eq!(of(&binary(HostOp::Add, v.clone(), c(1))), Some(vec![11, 21]));
        // Of what it is added to, or divided by, nothing is known.
        assert_eq!(of(&binary(HostOp::Add, u, v.clone())), Some(vec![]));
        assert_eq!(of(&binary(HostOp::Div, v.clone(), c(0))), Some(vec![]));
        assert_eq!(super::bound(&v, &[HostBound::Apart, HostBound::Made]), Some(vec![]));
    }

    #[test]
    fn shared_memory_follows_from_what_may_be_anything() {
        let (u, c) = (HostValue::Unknown(0), HostValue::Known);
        let values = [(Block(0), u.clone()), (Argument(1), HostValue::Unknown(1))];
        let bytes = |change: &dyn Fn(&mut HostLaunch)| {
            let mut launch = launch(&values, &[]);
            launch.shared_size = Some(binary(HostOp::Mul, u.clone(), c(4)));
            launch.free = vec![true, false];
            change(&mut launch);
            let related = of_launch(&launch, &[None, Some("n"), None], &|_| None);
            related.shared.map(|e| e.to_string())
        };
        assert_eq!(bytes(&|_| ()).as_deref(), Some("blockDim.x * 4"));
        assert_eq!(bytes(&|l| l.free[0] = false), None);
        assert_eq!(bytes(&|l| l.shared_size = Some(HostValue::Unknown(2))), None);
    }

    #[test]
    fn conditions_bound_what_nothing_names() {
        let (u, v, c) = (HostValue::Unknown(0), HostValue::Unknown(1), HostValue::Known);
        let half = binary(HostOp::Div, u, c(2));
        let most = binary(HostOp::Min, v, c(32));
        let holds = |compare| HostCondition { left: half.clone(), compare, right: most.clone() };
        let told = |compare| {
            let launch = launch(&[(Block(0), half.clone())], &[holds(compare)]);
            let related = of_launch(&launch, &[None, None, None], &|_| None);
            related.conditions.iter().map(Expr::to_string).collect::<Vec<_>>()
        };
        assert_eq!(told(HostCompare::LessOrEqual), ["blockDim.x <= 32"]);
        assert_eq!(told(HostCompare::Less), ["blockDim.x <= 31"]);
        assert_eq!(told(HostCompare::Equal), ["blockDim.x <= 32"]);
        assert_eq!(told(HostCompare::NotEqual), [""; 0]);
    }

    #[test]
    fn what_nothing_names_may_have_bounds() {
        let (u, c) = (HostValue::Unknown(0), HostValue::Known);
        let least = || binary(HostOp::Min, u.clone(), c(32));
        assert_eq!(told(&[(Block(0), least())], &[]), ["blockDim.x <= 32"]);
        assert_eq!(
            told(&[(Grid(0), binary(HostOp::Max, least(), c(2)))], &[]),
            ["gridDim.x >= 2", "gridDim.x <= 32"]
        );
        let rounded = binary(HostOp::Div, binary(HostOp::Add, least(), c(31)), c(32));
        assert_eq!(told(&[(Grid(0), rounded)], &[]), ["gridDim.x <= 1"]);
        let rest = binary(HostOp::Rem, u.clone(), c(8));
        assert_eq!(told(&[(Argument(1), rest)], &[]), ["n >= 0", "n <= 7"]);
        // A name says more.
        assert_eq!(
            told(&[(Argument(1), u.clone()), (Block(0), least())], &[]),
            ["blockDim.x == (n < 32 ? n : 32)"]
        );
        assert_eq!(told(&[(Block(0), binary(HostOp::Sub, c(32), u.clone()))], &[]), [""; 0]);
        // Of a choice among constants.
        let mut launch = launch(&[(Block(0), u)], &[]);
        launch.ranges = vec![[Some(8), Some(64)]];
        let related = of_launch(&launch, &[None, Some("n"), Some("m")], &|_| None);
        let conditions: Vec<String> = related.conditions.iter().map(Expr::to_string).collect();
        assert_eq!(conditions, ["blockDim.x >= 8", "blockDim.x <= 64"]);
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
