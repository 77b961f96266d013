//! What many threads or iterations write, as one: families of writes, and what an array holds after them.
//!
//! A family is a set of writes `array[index(p)] = value(p)` for all numbers `p` in a box for which a guard holds. Its
//! parameters `p` count blocks, threads or iterations. An array is what it was before, under layers of such families, the later ones
//! on top. What it holds at an index is read off a family only where the index says which `p` wrote it: the index must be a sum
//! of the parameters with strides such that each is a digit of the result ([`radix`]): what the smaller ones add up to is always
//! less than the next stride. Then quotients and remainders of the index are the parameters, no two of them write the same
//! element, and the condition that the element was written at all is that the digits lie in the box and satisfy the guard.
//!
//! **Why it does not claim too much.** Bounds are those of [`crate::linear`]: an index whose arithmetic may wrap is no sum of its
//! parts. Where something is not decided (a family without such strides, digits that say nothing about which of several members
//! wrote), the answer is none, and whoever asks gives up.

mod layers;
mod points;
mod radix;
mod rename;

pub(crate) use layers::{Content, Found, Layer, Member, Place, content, locate};
pub(crate) use points::{Point, points};
