//! `lockstep exec` and `lockstep nvcc`: programs, compiled for the runtime library, and run with all checks on.

mod compile;
mod drivers;
mod exec;
mod keep;
mod library;
mod nvcc;
mod report;

pub(crate) use exec::exec;
pub(crate) use nvcc::nvcc;
