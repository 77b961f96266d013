//! OpenCL: a driver for the loader (`libOpenCL.so.1`), which finds it where `lockstep exec` says.
//!
//! The loader asks for the one platform, and calls everything else through the table that each object begins with
//! ([`dispatch`]). The API is 1.2, for one device. What it has in common with CUDA is in the crate's root: memory, launches,
//! copies, what is found.
//!
//! - Objects ([`objects`]) have two counts, of the program's references and of those of other objects. One that is gone is
//!   remembered, so that a call that still uses it can be told.
//! - Commands ([`command`]) are executed as soon as what they wait for is complete: mostly when they are enqueued. So
//!   only events of the program itself (`clCreateUserEvent`) make any of them wait.
//! - Programs ([`program`]) are compiled by the front end, as `lockstep check` does it.
//! - The program's callbacks are called by a thread of their own ([`callbacks`]), while nothing is locked.
//!
//! What it can miss, beside what the crate does: an access outside of a sub-buffer that is still in its buffer; what the
//! host does to mapped memory before or after it may; commands of an out-of-order queue, or of two queues, that
//! nothing orders: they are executed in the order of the calls.

// The functions are called as OpenCL calls them.
#![allow(unreachable_pub, non_snake_case)]

mod answer;
mod buffers;
mod callbacks;
mod command;
mod context;
mod describe;
mod dispatch;
mod events;
mod kernels;
mod launch;
mod map;
mod missing;
mod objects;
mod options;
mod platform;
mod program;
mod sources;
mod transfer;

use std::panic::{AssertUnwindSafe, catch_unwind};

use opencl_sys::{CL_OUT_OF_RESOURCES, CL_SUCCESS, cl_int};

use crate::device::{Device, lock, tell_panic};
use crate::error::{Failed, Status};
use crate::site::Site;

/// All of OpenCL's state.
#[derive(Default)]
pub(crate) struct OpenCl {
    objects: objects::Objects,
    commands: command::Commands,
    callbacks: callbacks::Callbacks,
    sources: sources::Sources,
}

/// What a function gives, or the error code that the program gets.
type Outcome<T = ()> = Result<T, cl_int>;

/// A call that the program makes: its name and where.
struct Call {
    name: &'static str,
    site: Site,
}

/// One call of the program.
fn call<T>(name: &'static str, deed: impl FnOnce(&mut Device, &Call) -> Outcome<T>) -> Outcome<T> {
    let call = Call { name, site: Site::here() };
    let result = catch_unwind(AssertUnwindSafe(|| {
        let mut device = lock();
        let result = deed(&mut device, &call);
        device.run_commands();
        result
    }));
    callbacks::send();
    result.unwrap_or_else(|panic| {
        tell_panic(panic.as_ref());
        Err(CL_OUT_OF_RESOURCES)
    })
}

/// The same for a function that returns its error code.
fn status(name: &'static str, deed: impl FnOnce(&mut Device, &Call) -> Outcome) -> cl_int {
    code(call(name, deed))
}

fn code(outcome: Outcome) -> cl_int {
    outcome.err().unwrap_or(CL_SUCCESS)
}

/// The same for a function that returns a pointer, and its error code elsewhere.
///
/// # Safety
///
/// `code` is null or points to a number.
unsafe fn made<T>(code: *mut cl_int, outcome: Outcome<usize>) -> *mut T {
    // SAFETY: as the caller says.
    unsafe { answer::give(code, outcome.err().unwrap_or(CL_SUCCESS)) };
    outcome.unwrap_or(0) as *mut T
}

impl Device {
    /// Reports a call that OpenCL does not allow, and gives the error for it.
    fn wrong<T>(
        &mut self,
        call: &Call,
        code: cl_int,
        message: impl AsRef<str>,
        help: &str,
    ) -> Outcome<T> {
        let message = format!("{} {}", call.name, message.as_ref());
        self.misuse(&call.site, message, help);
        Err(code)
    }
}

/// OpenCL's code for an error that CUDA has another for.
fn code_of(failed: Failed) -> cl_int {
    match failed.0 {
        Status::MEMORY_ALLOCATION => opencl_sys::CL_MEM_OBJECT_ALLOCATION_FAILURE,
        Status::INVALID_VALUE | Status::INVALID_DEVICE_POINTER => opencl_sys::CL_INVALID_VALUE,
        Status::NOT_SUPPORTED => opencl_sys::CL_INVALID_OPERATION,
        _ => CL_OUT_OF_RESOURCES,
    }
}
