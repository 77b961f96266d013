//! CUDA's runtime over the simulator: what a program is linked with that `lockstep exec` runs. And OpenCL: the same library is
//! a driver for its loader ([`opencl`]).
//!
//! The library is the shared object that [`lockstep nvcc`] links programs with. It has the functions of CUDA's runtime
//! and those that clang calls for `kernel<<<…>>>(…)`, and executes kernels in the process of the program, with the
//! simulator's checks. There is one device.
//!
//! - Memory ([`memory`]): every allocation has its slot, from which its address follows; the host, structs, and other
//!   allocations hold the same pointers as kernels do, and all mean the same object. Contents, and which bytes have been
//!   written, live from launch to launch; freed memory is known as such.
//! - Arrays, textures and surfaces ([`array`]) are memory, too, and code of our headers.
//! - Code ([`code`]): objects that clang made carry bitcode, which the front end lowers without any guess about values.
//! - Launches ([`launch`]) are executed when they are made, and so are asynchronous copies. What streams ([`stream`]) and
//!   queues leave open is looked for apart: work that nothing orders and that touches the same bytes ([`order`]).
//! - Graphs ([`graph`]) keep work until they are launched.
//! - What is found goes to `lockstep exec` at once ([`record`]), so that it outlives the program; and so do the launches
//!   themselves, where they are to be kept ([`recording`]).
//!
//! What it can miss: results that only another order shows, since all is executed in the order of the calls; what
//! [`order`] says; writes of the host to memory that both have, which count as values;
//! launches that are only sampled are not checked for races ([`settings`]).
//!
//! **Architecture Invariant:** nothing here analyses a kernel: it feeds launches to the simulator and keeps memory alive
//! between them.

mod api;
mod array;
mod code;
mod crash;
mod device;
mod error;
mod graph;
mod launch;
mod memory;
mod opencl;
mod order;
pub mod record;
mod recording;
mod settings;
mod site;
mod stream;
mod transfer;
mod witness;

pub use settings::Check;
