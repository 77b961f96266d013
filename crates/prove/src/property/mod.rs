//! The properties of one or two threads that are checked: races, divergence, bounds, assertions; and alarms for
//! violations.

pub(crate) mod alarm;
pub(crate) mod assertions;
pub(crate) mod grid_position;
pub(crate) mod out_of_bounds;
pub(crate) mod overlap;
pub(crate) mod race;
