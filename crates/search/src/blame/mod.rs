//! Whether a value that Lockstep chose causes a bug.
//!
//! A bug may show for the ordinary values that Lockstep chose, and yet not be one: nothing in the kernel states that
//! one size is a multiple of another, that an offset lies beyond the data, or that an array of indices is a
//! permutation, but a caller knows. So the values of the launch are varied once more: a block that fills the shared
//! arrays, longer rows, round sizes, offsets beyond all sizes, distinct indices. If the bug disappears with one of
//! these and nothing else goes wrong, it is `conditional`, and the condition is the value that was varied.
//!
//! What no such variation explains, a general row asks of a catalogue of simple conditions ([`preconditions`]).
//!
//! Each such variation is a row of one table ([`table`]), which [`examine`] processes in order. The functions of the
//! rows are grouped by what they vary: the shape of the launch ([`launch_shape`]), its [`arguments`], or which thread
//! [waits](waits) for which.
//!
//! What can go wrong: a bug may be called conditional although callers do run into it. It is still reported, with the
//! values it needs.

pub(crate) mod arguments;
pub(crate) mod examine;
mod launch_shape;
mod preconditions;
pub(crate) mod table;
pub(crate) mod waits;

use lockstep_finding::launch::{Expr, Operator};
use lockstep_finding::{Claim, Contents as Elements, Finding, Statement};

use crate::space::Space;

impl Space<'_> {
    /// A claim about the elements of the given arrays.
    fn elements_are(&self, arrays: &[usize], are: Elements) -> Claim {
        let arrays = arrays.iter().map(|&i| self.arrays[i].name.clone()).collect();
        Statement::Elements { arrays, are }.into()
    }

    /// The first element of an array.
    fn first_element(&self, array: usize) -> Expr {
        Expr::Name(format!("{}[0]", self.arrays[array].name))
    }
}

/// `what % n != 0`.
fn is_no_multiple(what: Expr, n: i64) -> Claim {
    let rest = Expr::binary(Operator::Rem, what, Expr::int(n));
    Claim::compare(rest, Operator::Ne, Expr::int(0))
}

/// Whether the accesses of a finding are in different blocks.
fn are_apart(finding: &Finding) -> bool {
    finding.accesses.windows(2).any(|pair| pair[0].block != pair[1].block)
}
