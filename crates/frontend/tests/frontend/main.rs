//! Sources to kernels: CUDA, OpenCL C and LLVM IR, and what host code says of launches.

mod cancel;
mod common;
mod cuda;
mod entries;
mod hints;
mod host_launches;
mod ir;
mod mutated_ir;
mod opencl;
mod reference;
mod salvage;
mod variables;
