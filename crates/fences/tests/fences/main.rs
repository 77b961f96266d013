//! Kernels through the front end: a table of answers, and random kernels against the simulator.

mod simulated;
mod table;
