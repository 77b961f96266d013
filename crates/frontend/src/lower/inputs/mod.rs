//! The inputs of a kernel: its parameters, the fields of struct parameters, variables that other code sets, and static
//! objects.

pub(in crate::lower) mod described;
pub(in crate::lower) mod fields;
pub(in crate::lower) mod objects;
mod params;
mod variables;
