//! The functions that a program calls: their C interface.
//!
//! Each takes its arguments apart, and asks [`crate::device`] to do what is wanted. A pointer through which a result goes
//! back to the program must not be null.

#![allow(unreachable_pub)]

mod arrays;
mod copies;
mod device;
mod execution;
mod graphs;
mod memory;
mod missing;
mod registration;
mod streams;

use crate::error::{Failed, Status};

/// Writes a result to where the program wants it.
///
/// # Safety
///
/// A pointer that is not null is one to a value of that type.
unsafe fn give<T>(to: *mut T, value: T) -> Result<(), Failed> {
    if to.is_null() {
        return Failed::with(Status::INVALID_VALUE);
    }
    // SAFETY: as the caller says.
    unsafe { to.write(value) };
    Ok(())
}

/// `dim3`, as the program passes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Dim3 {
    x: u32,
    y: u32,
    z: u32,
}

impl Dim3 {
    fn array(self) -> [u32; 3] {
        [self.x, self.y, self.z]
    }
}
