//! Rows about arguments: sizes, offsets and strides, what arrays contain, and what the host may give.

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
