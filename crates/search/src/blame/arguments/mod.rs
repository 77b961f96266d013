//! Rows about arguments: sizes, offsets and strides, contents of arrays, and values that the host may pass.

mod bounds;
mod countdown;
mod elements;
mod empty_parts;
pub(crate) mod first_link;
mod host_values;
mod indices_beyond;
mod offsets;
mod rows;
mod segments;
mod sizes;
