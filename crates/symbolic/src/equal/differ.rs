//! Where two terms differ: the first pair of parts, from the outside, that are no longer the same operation on parts that
//! differ in one place.

use crate::term::walk::children;
use crate::term::{Node, Pool, T};

/// The pair of terms below these that is to blame.
pub(crate) fn first_difference(pool: &Pool, a: T, b: T) -> (T, T) {
    let (mut a, mut b) = (a, b);
    loop {
        if !is_same_operation(pool, a, b) {
            return (a, b);
        }
        let (x, y) = (parts(pool, a), parts(pool, b));
        let different: Vec<(T, T)> = x.into_iter().zip(y).filter(|(x, y)| x != y).collect();
        match different[..] {
            [(x, y)] => (a, b) = (x, y),
            _ => return (a, b),
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
        _ => false,
    }
}
