//! Whether a conjunction of conditions is satisfiable: by rewriting, by guessed models, by intervals, and then by the
//! solver.

pub(crate) mod asked;
pub(crate) mod audit;
pub(crate) mod guessed_models;
pub(crate) mod intervals;
pub(crate) mod launches;
pub(crate) mod limits;
pub(crate) mod linear_sums;
pub(crate) mod methods;
pub(crate) mod presolve;
pub(crate) mod program;
pub(crate) mod record;
pub(crate) mod rules;
pub(crate) mod rules_table;
pub(crate) mod solve;
#[cfg(test)]
mod tests;
