//! Where two terms differ: the first parts, from the outside, that are no longer the same operation on operands that differ in
//! one place.

use crate::term::show::{Path, Row};
use crate::term::walk::children;
use crate::term::{Node, Pool, T};

/// The parts of both terms that are to blame; where one has more than the other, only those that it has more.
pub(crate) fn first_difference(pool: &Pool, a: T, b: T) -> [Vec<Path>; 2] {
    let (mut a, mut b) = (a, b);
    let mut at: [Path; 2] = Default::default();
    loop {
        let ((kind, x), (other, y)) = (pool.row(a), pool.row(b));
        let is_row = kind == other && kind != Row::Other && pool.ty(a) == pool.ty(b);
        if !is_row && !is_same_operation(pool, a, b) {
            return at.map(|path| vec![path]);
        }
        // Of what has no order, the operands that the other has not; else all from the first that differs.
        let is_set = matches!(kind, Row::IntegerSum | Row::IntegerProduct);
        let own = |list: &[(T, bool)], others: &[(T, bool)]| -> Vec<usize> {
            let differs = |i: &usize| match is_set {
                true => !others.contains(&list[*i]),
                false => others.get(*i) != Some(&list[*i]),
            };
            (0..list.len()).filter(differs).collect()
        };
        let (first, second) = (own(&x, &y), own(&y, &x));
        match (&first[..], &second[..]) {
            ([i], [j]) if x[*i].1 == y[*j].1 => {
                (a, b) = (x[*i].0, y[*j].0);
                at[0].push(*i);
                at[1].push(*j);
            }
            _ if !is_row && !is_set => {
                // Several operands of one operation: the first of them.
                let (Some(&i), Some(&j)) = (first.first(), second.first()) else {
                    return at.map(|path| vec![path]);
                };
                (a, b) = (x[i].0, y[j].0);
                at[0].push(i);
                at[1].push(j);
            }
            _ => {
                let below = |path: &Path, places: &[usize]| {
                    let below = |i: &usize| path.iter().copied().chain([*i]).collect();
                    places.iter().map(below).collect()
                };
                return [below(&at[0], &first), below(&at[1], &second)];
            }
        }
    }
}

pub(crate) fn parts(pool: &Pool, t: T) -> Vec<T> {
    let mut out = Vec::new();
    children(pool.node(t), |c| out.push(c));
    out
}

/// Whether two terms are the same operation, on whatever operands.
pub(crate) fn is_same_operation(pool: &Pool, a: T, b: T) -> bool {
    let count = |t: T| parts(pool, t).len();
    if pool.ty(a) != pool.ty(b) || count(a) != count(b) || count(a) == 0 {
        return false;
    }
    match (pool.node(a), pool.node(b)) {
        (Node::Int(x, ..), Node::Int(y, ..)) => x == y,
        (Node::IntUn(x, _), Node::IntUn(y, _)) => x == y,
        (Node::Funnel(x, ..), Node::Funnel(y, ..)) => x == y,
        (Node::Float(x, r, ..), Node::Float(y, s, ..)) => (x, r) == (y, s),
        (Node::FloatUn(x, r, _), Node::FloatUn(y, s, _)) => (x, r) == (y, s),
        (Node::Fma(r, ..), Node::Fma(s, ..)) => r == s,
        (Node::Math(x, ..), Node::Math(y, ..)) => x == y,
        (Node::Cmp(x, p, _), Node::Cmp(y, q, _)) => x == y && pool.ty(*p) == pool.ty(*q),
        (Node::Cast(x, p), Node::Cast(y, q)) => x == y && pool.ty(*p) == pool.ty(*q),
        (Node::Same(p, _), Node::Same(q, _)) => pool.ty(*p) == pool.ty(*q),
        (Node::Select(..), Node::Select(..))
        | (Node::Not(_), Node::Not(_))
        | (Node::All(_), Node::All(_)) => true,
        (Node::Address(x, _), Node::Address(y, _)) => x == y,
        (Node::Element(x, _), Node::Element(y, _)) => x == y,
        _ => false,
    }
}
