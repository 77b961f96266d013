//! The conditions of a bug, as claims about arguments and dimensions: `stride < cols`, `n > 128`, `a == b`.
//!
//! [`boundary`] finds the value at which a bug starts or stops showing, and names it. [`exact`] then checks the claim
//! on both sides, in other launches and in other forms ([`forms`]): a claim that does not agree with all launches tried
//! is only an example. A claim is a tree ([`lockstep_finding::Claim`]); nothing is decided by its text.

pub(crate) mod boundary;
mod exact;
mod forms;
pub(crate) mod quantity;

pub(crate) use exact::settled;

use lockstep_finding::Claim;
use lockstep_finding::launch::{Dimension, Expr, Operator};

use crate::space::candidate::{Candidate, Gene};

/// The claim that the block has its own size along each axis where it differs from `other`.
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
