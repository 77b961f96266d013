//! Memory models against litmus tests, brute force and the patterns of real kernels.

mod brute;
mod common;
mod corpus;
mod fences;
mod litmus;
mod meetings;
mod opencl;
mod patterns;
