//! Conditions: negation and conjunction, kept so that what branches and their joins make of them stays small.
//!
//! A disjunction is the negation of a conjunction. A conjunction is a sorted set without a contradiction, in which no
//! member is repeated inside another: with `c` given, `!(c && d)` is `!d`. So the guards of the two sides of a branch, joined
//! again, are the guard before the branch.

use lockstep_kernel::{CmpOp, Ty};

use super::{Node, Pool, T};

/// Clauses of a conjunction that are compared with each other.
const MOST_CLAUSES: usize = 40;

impl Pool {
    pub(crate) fn not(&mut self, a: T) -> T {
        assert_eq!(self.ty(a), Ty::I1);
        match *self.node(a) {
            Node::Const(v) => self.truth(v == 0),
            Node::Not(inner) => inner,
            _ => self.intern(Node::Not(a), Ty::I1),
        }
    }

    pub(crate) fn and(&mut self, a: T, b: T) -> T {
        self.all(&[a, b])
    }

    pub(crate) fn or(&mut self, a: T, b: T) -> T {
        let (a, b) = (self.not(a), self.not(b));
        let neither = self.and(a, b);
        self.not(neither)
    }

    /// The members of a conjunction.
    pub(crate) fn conjuncts(&self, a: T) -> Vec<T> {
        match self.node(a) {
            Node::All(list) => list.to_vec(),
            Node::Const(1) => Vec::new(),
            _ => vec![a],
        }
    }

    pub(crate) fn all(&mut self, parts: &[T]) -> T {
        let mut set: Vec<T> = Vec::with_capacity(parts.len());
        for &p in parts {
            match self.node(p) {
                Node::Const(1) => {}
                Node::Const(_) => return self.truth(false),
                Node::All(list) => set.extend(list.iter()),
                _ => set.push(p),
            }
        }
        loop {
            set.sort_unstable();
            set.dedup();
            if self.has_contradiction(&set) {
                return self.truth(false);
            }
            let Some((at, with)) = self.shortened(&set) else { break };
            set.swap_remove(at);
            match self.node(with) {
                Node::Const(1) => {}
                Node::Const(_) => return self.truth(false),
                Node::All(list) => set.extend(list.iter()),
                _ => set.push(with),
            }
        }
        match set[..] {
            [] => self.truth(true),
            [one] => one,
            _ => self.intern(Node::All(set.into_boxed_slice()), Ty::I1),
        }
    }

    /// Whether the set has a condition and its negation.
    fn has_contradiction(&self, set: &[T]) -> bool {
        set.iter().any(|&t| match self.node(t) {
            Node::Not(inner) => set.binary_search(inner).is_ok(),
            _ => false,
        })
    }

    /// A member `!(x && y …)` of the set that is simpler where the other members hold: its place, and what it becomes.
    fn shortened(&mut self, set: &[T]) -> Option<(usize, T)> {
        for (at, &t) in set.iter().enumerate() {
            let Node::Not(inner) = *self.node(t) else { continue };
            let Node::All(list) = self.node(inner) else { continue };
            let holds = |x: &T| set.binary_search(x).is_ok();
            let fails = |x: &T| match self.node(*x) {
                Node::Not(y) => holds(y),
                _ => set.iter().any(|&s| matches!(self.node(s), Node::Not(y) if y == x)),
            };
            if list.iter().any(fails) {
                return Some((at, self.truth(true)));
            }
            let rest: Vec<T> = list.iter().copied().filter(|x| !holds(x)).collect();
            if rest.len() < list.len() {
                let rest = self.all(&rest);
                return Some((at, self.not(rest)));
            }
        }
        self.resolved(set)
    }

    /// Of `!(p && c)` and `!(p && !c && q)` the second is `!(p && q)`; one that follows from another is nothing.
    fn resolved(&mut self, set: &[T]) -> Option<(usize, T)> {
        let mut clauses: Vec<(usize, Vec<T>)> = Vec::new();
        for (at, &t) in set.iter().enumerate() {
            if let Node::Not(inner) = *self.node(t)
                && let Node::All(list) = self.node(inner)
            {
                clauses.push((at, list.to_vec()));
            }
        }
        if clauses.len() > MOST_CLAUSES {
            return None;
        }
        for (i, (_, a)) in clauses.iter().enumerate() {
            for (j, (at, b)) in clauses.iter().enumerate() {
                if i == j || a.len() > b.len() {
                    continue;
                }
                let missing: Vec<T> =
                    a.iter().copied().filter(|x| b.binary_search(x).is_err()).collect();
                match missing[..] {
                    [] => return Some((*at, self.truth(true))),
                    [x] => {
                        let opposite = self.not(x);
                        if b.binary_search(&opposite).is_ok() {
                            let rest: Vec<T> =
                                b.iter().copied().filter(|y| *y != opposite).collect();
                            let rest = self.all(&rest);
                            return Some((*at, self.not(rest)));
                        }
                    }
                    _ => {}
                }
            }
        }
        None
    }

    /// `a` where `b` is known to hold beside it: without the members that both have.
    pub(crate) fn beyond(&mut self, a: T, b: T) -> T {
        let known = self.conjuncts(b);
        let rest: Vec<T> =
            self.conjuncts(a).into_iter().filter(|t| known.binary_search(t).is_err()).collect();
        self.all(&rest)
    }

    /// Whether `guard` is seen to imply the condition (`Some(true)`), or its negation.
    pub(crate) fn follows(&mut self, guard: T, condition: T) -> Option<bool> {
        if let Some(v) = self.value(condition) {
            return Some(v == 1);
        }
        let given = self.conjuncts(guard);
        let holds = |t: T| given.binary_search(&t).is_ok();
        let parts = self.conjuncts(condition);
        if parts.iter().all(|&p| holds(p)) {
            return Some(true);
        }
        for p in parts {
            let n = self.not(p);
            if holds(n) {
                return Some(false);
            }
            // A value that is one number is no other.
            if let Node::Cmp(CmpOp::Eq, x, k) = *self.node(p)
                && self.value(k).is_some()
                && given.iter().any(|&g| match *self.node(g) {
                    Node::Cmp(CmpOp::Eq, y, l) => x == y && k != l && self.value(l).is_some(),
                    _ => false,
                })
            {
                return Some(false);
            }
        }
        let negation = self.not(condition);
        holds(negation).then_some(false)
    }
}

/// Terms that are looked at when a guard simplifies one.
const MOST_SIMPLIFIED: u32 = 64;

impl Pool {
    /// What a term is where the guard holds: selections that it decides are made.
    pub(crate) fn under(&mut self, guard: T, t: T) -> T {
        if self.is_true(guard) {
            return t;
        }
        self.simplified(guard, t, &mut MOST_SIMPLIFIED.clone())
    }

    fn simplified(&mut self, guard: T, t: T, left: &mut u32) -> T {
        if *left == 0 {
            return t;
        }
        *left -= 1;
        match *self.node(t) {
            Node::Select(c, a, b) => match self.follows(guard, c) {
                Some(true) => self.simplified(guard, a, left),
                Some(false) => self.simplified(guard, b, left),
                None => t,
            },
            Node::Int(op, a, b) => {
                let (x, y) = (self.simplified(guard, a, left), self.simplified(guard, b, left));
                if (x, y) == (a, b) { t } else { self.int(op, x, y) }
            }
            Node::Float(op, rounding, a, b) => {
                let (x, y) = (self.simplified(guard, a, left), self.simplified(guard, b, left));
                if (x, y) == (a, b) { t } else { self.float(op, rounding, x, y) }
            }
            Node::Cast(op, a) => {
                let x = self.simplified(guard, a, left);
                if x == a { t } else { self.cast(op, x, self.ty(t)) }
            }
            _ => t,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Undefined;

    #[test]
    fn the_sides_of_branches_join_to_what_was_before() {
        let mut p = Pool::default();
        let [g, c, d]: [T; 3] =
            std::array::from_fn(|_| p.undefined(Undefined::Uninitialised, Ty::I1));
        let yes = p.and(g, c);
        let not_c = p.not(c);
        let no = p.and(g, not_c);
        assert_eq!(p.or(yes, no), g);
        // The exits of a loop: !c, c && !d, c && d.
        let not_d = p.not(d);
        let second = p.all(&[g, c, not_d]);
        let third = p.all(&[g, c, d]);
        let two = p.or(no, second);
        assert_eq!(p.or(two, third), g);
        let falsehood = p.truth(false);
        assert_eq!(p.and(c, not_c), falsehood);
        assert_eq!(p.follows(yes, c), Some(true));
        assert_eq!(p.follows(no, c), Some(false));
        assert_eq!(p.follows(g, c), None);
        assert_eq!(p.beyond(yes, no), c);
    }
}
