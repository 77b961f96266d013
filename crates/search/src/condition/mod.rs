//! What a bug needs of a launch, as a claim about its arguments and dimensions: `stride < cols`, `n > 128`, `a == b`.
//!
//! [`boundary`] looks for the value at which a bug begins or ends to show, and names it. [`exact`] then tries the claim on
//! both sides, with other launches and with other forms of it ([`forms`]): what is not true of all launches tried is
//! only an example. A claim is a tree ([`lockstep_finding::Claim`]); no decision is made by its text.

pub(crate) mod boundary;
mod exact;
mod forms;

pub(crate) use exact::settled;

use lockstep_finding::Claim;
use lockstep_finding::launch::{Dimension, Expr, Operator};

use crate::space::candidate::{Candidate, Gene};

/// Along which axes the block is not this one, and what it is there.
pub(crate) fn block_is(c: &Candidate, other: [u32; 3]) -> Claim {
    let axes = (0..3).filter(|&a| c.block[a] != other[a]);
    Claim::all(axes.map(|a| Claim::dimension(Dimension::Block(a), Operator::Eq, c.block[a])))
}

/// The candidate with another value of a slot.
pub(crate) fn with(c: &Candidate, slot: usize, v: i64) -> Candidate {
    let mut c = c.clone();
    c.genes[slot] = Gene::Int(v);
    c
}

/// The threads of a launch along an axis.
pub(crate) fn all_threads(axis: usize) -> Expr {
    let [grid, block] = [Dimension::Grid(axis), Dimension::Block(axis)].map(Expr::name);
    Expr::binary(Operator::Mul, grid, block)
}
