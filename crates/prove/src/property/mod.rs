//! What is asked of two threads or of one: races, divergence, bounds, assertions; and alarms where the answer is bad.

pub(crate) mod alarm;
pub(crate) mod assertions;
pub(crate) mod grid_position;
pub(crate) mod out_of_bounds;
pub(crate) mod overlap;
pub(crate) mod race;
