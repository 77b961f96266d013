//! Rules that replace an equation by simpler ones, or join several: each is valid for all values of the variables.

pub(crate) mod digits;
pub(crate) mod division;
pub(crate) mod factor;
pub(crate) mod inequalities;
pub(crate) mod nested;
pub(crate) mod poly;
pub(crate) mod radix;
pub(crate) mod strides;
pub(crate) mod sum_bounds;
