//! One kernel through the engines, and what they say made one report.

pub(crate) mod fences;
pub(crate) mod premises;
pub(crate) mod proof;
pub(crate) mod proof_log;
pub(crate) mod proved_again;
pub(crate) mod prover;
pub(crate) mod recorded;
pub(crate) mod safe;
pub(crate) mod searcher;
pub(crate) mod several;
pub(crate) mod simulation;
pub(crate) mod symbolic;
pub(crate) mod table;
pub(crate) mod task;
pub(crate) mod traces;
pub(crate) mod verdicts;
