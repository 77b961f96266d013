//! Whether a conjunction of conditions has a model: by rewriting, by guesses, by intervals, and then by the solver.

pub(crate) mod guessed_models;
pub(crate) mod intervals;
pub(crate) mod limits;
pub(crate) mod linear_sums;
pub(crate) mod program;
pub(crate) mod rules;
pub(crate) mod solve;
#[cfg(test)]
mod tests;
