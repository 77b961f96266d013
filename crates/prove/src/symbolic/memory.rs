//! Addresses as objects and offsets.
//!
//! An address term is a sum; the objects' own addresses are variables in it. One of them with coefficient one gives
//! the object, the rest is the offset. A choice of pointers (`c ? a : b`, a φ) is split into cases, each with its
//! condition. Objects are taken to be apart: an offset that leaves its object is another kind of bug, and the
//! simulator sees it that way too. Whatever has no object, or several, is [`Place::Unknown`] and may touch anything of
//! its address space.

use crate::launch::context::{Base, Ctx, VarKind};
use crate::term::{Node, T};

/// Where an access goes, under a condition.
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

/// More cases than this are not told apart.
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

    /// The one object that an address is in, with the offset, where there is no choice.
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
                // Loads and other functions of an address give values, not the address.
                Node::App(..) | Node::Const(_) => {}
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
            // A choice among the atoms, or below a sum.
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
