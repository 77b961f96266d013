//! The rewrites made by constructors, recorded so that a proof can be checked again.
//!
//! A constructor is called with operands that are terms already, and returns a term that is equal to the operation on
//! them for all values in the intervals of the variables and functions. If recording is enabled
//! ([`Pool::record_rewrites`]), each such equality is kept: the requested operation, and the resulting term. Calls
//! between constructors are not recorded, because the equality of the outermost call implies theirs.

use rustc_hash::FxHashSet;

use crate::term::simplify::masked;
use crate::term::{Bin, Node, Pool, T, mask};

/// An operation, its width, and the term that replaces it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Rewrite {
    pub(crate) from: Node,
    pub(crate) width: u32,
    pub(crate) to: T,
}

/// The rewrites so far, each once.
#[derive(Default)]
pub(crate) struct Rewrites {
    list: Vec<Rewrite>,
    seen: FxHashSet<Rewrite>,
    /// Number of nested constructor calls and of pauses: a rewrite is recorded only when it returns to zero.
    depth: u32,
    /// Whether rewriting is disabled.
    is_plain: bool,
}

macro_rules! operations {
    ($($name:ident $new:ident $op:ident)*) => {$(
        pub(crate) fn $name(&mut self, a: T, b: T) -> T {
            if self.rewrites.is_none() {
                return self.$new(a, b);
            }
            if self.is_plain() {
                let width = if Bin::$op.compares() { 1 } else { self.width(a) };
                return self.intern(Node::Bin(Bin::$op, a, b), width);
            }
            self.enter();
            let t = self.$new(a, b);
            let width = self.width(t);
            self.leave(Node::Bin(Bin::$op, a, b), width, t)
        }
    )*};
}

macro_rules! widths {
    ($($name:ident $new:ident $node:ident)*) => {$(
        pub(crate) fn $name(&mut self, a: T, width: u32) -> T {
            if self.rewrites.is_none() || self.width(a) == width {
                return self.$new(a, width);
            }
            if self.is_plain() {
                return self.intern(Node::$node(a), width);
            }
            self.enter();
            let t = self.$new(a, width);
            self.leave(Node::$node(a), width, t)
        }
    )*};
}

impl Pool {
    operations! {
        mul new_mul Mul
        udiv new_udiv UDiv
        urem new_urem URem
        sdiv new_sdiv SDiv
        srem new_srem SRem
        shl new_shl Shl
        lshr new_lshr LShr
        ashr new_ashr AShr
        and new_and And
        or new_or Or
        xor new_xor Xor
        eq new_eq Eq
        ult new_ult Ult
        slt new_slt Slt
    }

    widths! {
        zext new_zext ZExt
        sext new_sext SExt
        trunc new_trunc Trunc
    }

    /// The sum of a constant and terms with coefficients (terms may be sums themselves).
    pub(crate) fn sum(&mut self, constant: u64, parts: &[(T, u64)], width: u32) -> T {
        if self.rewrites.is_none() {
            return self.new_sum(constant, parts, width);
        }
        let mut sorted = masked(parts, width);
        sorted.retain(|(_, k)| *k != 0);
        let constant = constant & mask(width);
        if self.is_plain() && !sorted.is_empty() {
            return self.intern(Node::Lin(constant, sorted.into()), width);
        }
        self.enter();
        let t = self.new_sum(constant, parts, width);
        self.leave(Node::Lin(constant, sorted.into()), width, t)
    }

    pub(crate) fn ite(&mut self, c: T, a: T, b: T) -> T {
        if self.rewrites.is_none() {
            return self.new_ite(c, a, b);
        }
        if self.is_plain() {
            let width = self.width(a);
            return self.intern(Node::Ite(c, a, b), width);
        }
        self.enter();
        let t = self.new_ite(c, a, b);
        let width = self.width(t);
        self.leave(Node::Ite(c, a, b), width, t)
    }

    /// Records every rewrite from now on.
    pub(crate) fn record_rewrites(&mut self) {
        self.rewrites = Some(Box::default());
    }

    /// Stops recording until [`Pool::resume_rewrites`].
    pub(crate) fn pause_rewrites(&mut self) {
        self.enter();
    }

    pub(crate) fn resume_rewrites(&mut self) {
        if let Some(rewrites) = &mut self.rewrites {
            rewrites.depth -= 1;
        }
    }

    /// Whether terms are created as requested, without any rewriting. Only where rewrites are recorded.
    pub(crate) fn set_plain(&mut self, is_plain: bool) {
        if let Some(rewrites) = &mut self.rewrites {
            rewrites.is_plain = is_plain;
        }
    }

    fn is_plain(&self) -> bool {
        self.rewrites.as_ref().is_some_and(|r| r.is_plain)
    }

    /// Records an equality that was established outside of the constructors.
    pub(crate) fn note_rewrite(&mut self, from: Node, width: u32, to: T) {
        self.enter();
        self.leave(from, width, to);
    }

    pub(crate) fn rewrites(&self) -> &[Rewrite] {
        self.rewrites.as_ref().map_or(&[], |r| &r.list)
    }

    fn enter(&mut self) {
        if let Some(rewrites) = &mut self.rewrites {
            rewrites.depth += 1;
        }
    }

    fn leave(&mut self, from: Node, width: u32, to: T) -> T {
        let is_same = *self.node(to) == from && self.width(to) == width;
        if let Some(rewrites) = &mut self.rewrites {
            rewrites.depth -= 1;
            if rewrites.depth == 0 && !is_same {
                let rewrite = Rewrite { from, width, to };
                if rewrites.seen.insert(rewrite.clone()) {
                    rewrites.list.push(rewrite);
                }
            }
        }
        to
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_rewritten_is_kept() {
        let mut pool = Pool::default();
        pool.record_rewrites();
        let (_, x) = pool.var(7, 32);
        let (_, y) = pool.var(7, 32);
        pool.udiv(x, y);
        assert!(pool.rewrites().is_empty(), "a quotient of two unknowns stays as it is");
        let eight = pool.constant(8, 32);
        let zero = pool.udiv(x, eight);
        let from = Node::Bin(Bin::UDiv, x, eight);
        assert_eq!(pool.rewrites(), [Rewrite { from, width: 32, to: zero }]);
        pool.pause_rewrites();
        pool.urem(x, eight);
        pool.resume_rewrites();
        assert_eq!(pool.rewrites().len(), 1, "paused");
        pool.urem(x, eight);
        assert_eq!(pool.rewrites().len(), 2);
    }
}
