//! Memory models: which candidates are executions, which accesses race.
//!
//! A model judges whole and unfinished candidates alike, by the same definitions. Its axioms must be such that a
//! candidate that breaks one keeps breaking it, however it is finished: all relations that they forbid cycles in grow
//! as reads-from, coherence and the order of fences grow.

mod ptx;

pub use ptx::{Ptx, Version};

use crate::candidate::Candidate;
use crate::relation::Relation;

/// A pair that the model wants ordered, one way or the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undecided {
    Coherence(usize, usize),
    FenceOrder(usize, usize),
}

/// What a model says of a candidate that breaks no axiom.
#[derive(Clone, Debug)]
pub struct Judgement {
    /// Coherence as far as chosen, and what follows.
    pub co: Relation,
    /// Causality, or happens-before, of all events: who comes before whom.
    pub before: Relation,
    /// Pairs that do not race even if they conflict, both ways.
    pub ordered: Relation,
    pub undecided: Vec<Undecided>,
}

pub trait Model: Sync {
    fn name(&self) -> &'static str;

    /// The name of an axiom that the candidate breaks, or what follows from it.
    fn judge(&self, candidate: &Candidate) -> Result<Judgement, &'static str>;

    /// Pairs of accesses that race.
    fn races(&self, candidate: &Candidate, judgement: &Judgement) -> Relation;
}

/// Pairs of the symmetric relation `wanted` that `order` relates neither way, each once.
fn unordered(wanted: &Relation, order: &Relation) -> Vec<(usize, usize)> {
    wanted
        .pairs()
        .filter(|&(a, b)| a < b && !order.contains(a, b) && !order.contains(b, a))
        .collect()
}
