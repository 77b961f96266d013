//! Values that conditions choose, compared by cases.

use lockstep_kernel::CmpOp;
use lockstep_kernel::semantics::bits::real_value;

use super::*;
use crate::term::walk::reachable;

/// Conditions that are told apart, one within the other.
const DEEPEST: u32 = 8;
/// Cases of one comparison.
const MOST: u32 = 200;
/// Terms in which conditions are looked for.
const LARGEST: usize = 100_000;

/// Whether two values are equal where a condition holds: the assumptions that this needs.
pub(super) fn equal(
    pool: &mut Pool,
    solver: &mut Solver,
    comparer: &mut Comparer,
    given: T,
    values: [T; 2],
    allowed: Assumptions,
) -> Option<Assumptions> {
    let mut left = MOST;
    by_cases(pool, solver, comparer, given, values, allowed, &mut left, 0)
}

fn by_cases(
    pool: &mut Pool,
    solver: &mut Solver,
    comparer: &mut Comparer,
    given: T,
    [a, b]: [T; 2],
    allowed: Assumptions,
    left: &mut u32,
    depth: u32,
) -> Option<Assumptions> {
    if a == b {
        return Some(Assumptions::NONE);
    }
    if let Some(used) = comparer.by_forms(pool, a, b, allowed) {
        return Some(used);
    }
    *left = left.checked_sub(1)?;
    let Some(condition) = (depth < DEEPEST).then(|| chosen_by(pool, [a, b])).flatten() else {
        return by_solver(pool, solver, comparer, given, [a, b], allowed);
    };
    let mut used = Assumptions::NONE;
    let known = Linear::under(pool, given).decide(pool, condition);
    for holds in [true, false] {
        if known == Some(!holds) {
            continue;
        }
        let side = if holds { condition } else { pool.not(condition) };
        let case = pool.and(given, side);
        if pool.is_false(case) || matches!(solver.can(pool, case), Answer::Never) {
            continue;
        }
        let mut by = FxHashMap::default();
        by.insert(condition, pool.truth(holds));
        let mut of_case = |pool: &mut Pool, left: &mut u32, by: &FxHashMap<T, T>| {
            let mut lin = Linear::under(pool, case);
            let values = [a, b].map(|t| {
                let t = crate::linear::replaced(pool, t, by);
                lin.settled(pool, t)
            });
            by_cases(pool, solver, comparer, case, values, allowed, left, depth + 1)
        };
        used = used.with(match (of_case(pool, left, &by), number(pool, condition, allowed)) {
            (Some(known), _) => known,
            // What is compared with a number is that number.
            (None, Some((x, number, needs))) if holds => {
                by.insert(x, number);
                of_case(pool, left, &by)?.with(needs)
            }
            _ => return None,
        });
    }
    Some(used)
}

/// What a condition says to be a number, and the assumptions without which it may be another one: a zero of the other sign.
fn number(pool: &Pool, condition: T, allowed: Assumptions) -> Option<(T, T, Assumptions)> {
    let Node::Cmp(op @ (CmpOp::Eq | CmpOp::FOEq), a, b) = *pool.node(condition) else {
        return None;
    };
    let (x, number) = if pool.value(b).is_some() { (a, b) } else { (b, a) };
    let bits = pool.value(number)?;
    let is_zero = op == CmpOp::FOEq && real_value(pool.ty(number), bits) == 0.0;
    let needs = if is_zero { Assumptions::POSITIVE_ZERO } else { Assumptions::NONE };
    allowed.has(needs).then_some((x, number, needs))
}

/// A condition that chooses between values, the outermost last among those that are made first.
fn chosen_by(pool: &Pool, roots: [T; 2]) -> Option<T> {
    let all = reachable(pool, &roots, LARGEST)?;
    all.into_iter().rev().find_map(|t| match *pool.node(t) {
        Node::Select(c, ..) => Some(c),
        _ => None,
    })
}

/// No condition is left: equal parts, or no input on which both differ.
fn by_solver(
    pool: &mut Pool,
    solver: &mut Solver,
    comparer: &mut Comparer,
    given: T,
    [a, b]: [T; 2],
    allowed: Assumptions,
) -> Option<Assumptions> {
    if let Compared::Equal(used) = comparer.compare(pool, solver, a, b, allowed) {
        return Some(used);
    }
    let same = pool.same(a, b);
    let differ = pool.not(same);
    let differ = pool.and(given, differ);
    comparer.never(pool, solver, differ).then_some(Assumptions::NONE)
}
