//! Walks over terms.

use rustc_hash::FxHashSet;

use super::{Node, Pool, T, Undefined, Variable};

/// Calls `f` for each term that a node is made of, in order.
pub(crate) fn children(node: &Node, mut f: impl FnMut(T)) {
    match node {
        Node::Const(_) | Node::Var(_) => {}
        Node::IntUn(_, a)
        | Node::FloatUn(_, _, a)
        | Node::Cast(_, a)
        | Node::Not(a)
        | Node::Address(_, a)
        | Node::Element(_, a) => f(*a),
        Node::Int(_, a, b)
        | Node::Float(_, _, a, b)
        | Node::Math(_, a, b)
        | Node::Cmp(_, a, b)
        | Node::Same(a, b)
        | Node::AnyOrder(_, _, a, b) => {
            f(*a);
            f(*b);
        }
        Node::Funnel(_, a, b, c) | Node::Fma(_, a, b, c) | Node::Select(a, b, c) => {
            f(*a);
            f(*b);
            f(*c);
        }
        Node::All(list) => list.iter().for_each(|t| f(*t)),
    }
}

/// All terms below these, each once, what a term is made of before it; none where there are more than `most`.
pub(crate) fn reachable(pool: &Pool, roots: &[T], most: usize) -> Option<Vec<T>> {
    let mut seen: FxHashSet<T> = FxHashSet::default();
    let mut stack = roots.to_vec();
    while let Some(t) = stack.pop() {
        if !seen.insert(t) {
            continue;
        }
        if seen.len() > most {
            return None;
        }
        children(pool.node(t), |c| stack.push(c));
    }
    let mut list: Vec<T> = seen.into_iter().collect();
    list.sort_unstable();
    Some(list)
}

/// A value that nobody gave and that the term may depend on.
pub(crate) fn undefined_in(pool: &Pool, root: T) -> Option<Undefined> {
    let all = reachable(pool, &[root], usize::MAX)?;
    all.into_iter().find_map(|t| match pool.node(t) {
        Node::Var(v) => match &pool.variables[*v as usize] {
            Variable::Undefined(why) => Some(*why),
            Variable::Input { .. } | Variable::Counter(_) => None,
        },
        _ => None,
    })
}
