//! The prover on kernels as users write them, and on random ones against enumeration and execution.

mod absent;
mod generated;
mod generated_loads;
mod kernels;
mod random;
mod rules;
mod soundness;
