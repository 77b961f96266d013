//! Addresses as objects and offsets.
//!
//! An address term is a sum; the addresses of objects are variables in it. One of them with coefficient one gives the
//! object, the rest is the offset. A selection of pointers (`c ? a : b`, a φ) is split into cases, each with its
//! condition. Objects are assumed to be disjoint: an offset that leaves its object is another kind of bug, as in the
//! simulator. An address with no object, or with several, is [`Place::Unknown`] and may alias anything in its address
//! space.

use crate::launch::context::{Base, Ctx, VarKind};
use crate::term::{Node, T};

/// The memory that is accessed, under a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Place {
    At(Base, T),
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Case {
    pub(crate) when: T,
    pub(crate) place: Place,
}

/// Maximum number of cases of one address.
const MAX_CASES: usize = 8;

impl Ctx<'_> {
    fn base_of_atom(&self, atom: T) -> Option<Base> {
        match self.pool.node(atom) {
            Node::Var(v) => match self.vars[v.0 as usize].0 {
                VarKind::Address(b) => Some(b),
                _ => None,
            },
            _ => None,
        }
    }

    /// The object and the offset of an address, if it is unique.
    pub(crate) fn single_base(&mut self, addr: T) -> Option<(Base, T)> {
        let (_, terms) = self.pool.lin_parts(addr);
        let mut found = None;
        for (atom, k) in terms {
            if let Some(base) = self.base_of_atom(atom) {
                if found.is_some() || k != 1 {
                    return None;
                }
                found = Some((base, atom));
            } else if self.mentions_address(atom) {
                return None;
            }
        }
        let (base, atom) = found?;
        Some((base, self.pool.sub(addr, atom)))
    }

    fn mentions_address(&self, t: T) -> bool {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut work = vec![t];
        while let Some(t) = work.pop() {
            if !seen.insert(t) {
                continue;
            }
            match self.pool.node(t) {
                // Loads and other functions of an address yield values, not the address; so do comparisons: in
                // `p + n * (p != nullptr)` the second part is a number.
                Node::App(..) | Node::Const(_) => {}
                _ if self.pool.width(t) == 1 => {}
                Node::Var(v) => {
                    if matches!(self.vars[v.0 as usize].0, VarKind::Address(_)) {
                        return true;
                    }
                }
                node => crate::term::walk::children(node, |c| work.push(c)),
            }
        }
        false
    }

    /// The cases of an address.
    pub(crate) fn cases(&mut self, addr: T) -> Vec<Case> {
        let mut out = Vec::new();
        let mut work = vec![(self.pool.truth(true), addr)];
        while let Some((when, addr)) = work.pop() {
            if self.pool.is_false(when) {
                continue;
            }
            if let Some((base, offset)) = self.single_base(addr) {
                out.push(Case { when, place: Place::At(base, offset) });
                continue;
            }
            // A selection among the atoms, or within a sum.
            let (_, terms) = self.pool.lin_parts(addr);
            let choice = terms.iter().find_map(|&(atom, k)| match *self.pool.node(atom) {
                Node::Ite(c, a, b) if k == 1 && self.mentions_address(atom) => {
                    Some((atom, c, a, b))
                }
                _ => None,
            });
            match choice {
                Some((atom, c, a, b)) if out.len() + work.len() < MAX_CASES => {
                    let rest = self.pool.sub(addr, atom);
                    let negated = self.pool.not(c);
                    let (yes, no) = (self.pool.and(when, c), self.pool.and(when, negated));
                    let (x, y) = (self.pool.add(rest, a), self.pool.add(rest, b));
                    work.push((no, y));
                    work.push((yes, x));
                }
                _ => out.push(Case { when, place: Place::Unknown }),
            }
        }
        out
    }
}
