//! Pairs of a reference and a kernel: whether they compute the same.

mod concrete;
mod pairs;
mod sequences;
mod symbolic;
mod together;
mod values;
