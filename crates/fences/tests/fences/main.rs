//! Kernels through the front end: tables of answers, random kernels against the simulator, and weak execution.

mod executed;
mod published;
mod rows;
mod simulated;
mod stress;
mod table;
mod weakly;
