//! Tests of the simulator on kernels built by hand ([`program`]).

mod coverage;
mod footprint;
mod lockstep;
mod observers;
mod program;
mod survey;
mod trace;
