//! Kernels through the front end: tables of answers, and random kernels against the simulator.

mod published;
mod rows;
mod simulated;
mod table;
