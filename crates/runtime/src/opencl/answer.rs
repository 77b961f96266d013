//! What queries give: values as bytes, where the program wants them.

use std::ffi::c_void;

use opencl_sys::{CL_INVALID_VALUE, cl_int};

use crate::opencl::Outcome;

/// The bytes of an answer.
pub(super) struct Answer(pub Vec<u8>);

impl From<u32> for Answer {
    fn from(value: u32) -> Answer {
        Answer(value.to_ne_bytes().to_vec())
    }
}

impl From<cl_int> for Answer {
    fn from(value: cl_int) -> Answer {
        Answer(value.to_ne_bytes().to_vec())
    }
}

impl From<u64> for Answer {
    fn from(value: u64) -> Answer {
        Answer(value.to_ne_bytes().to_vec())
    }
}

/// A `size_t`, or a handle.
impl From<usize> for Answer {
    fn from(value: usize) -> Answer {
        Answer(value.to_ne_bytes().to_vec())
    }
}

impl From<&[usize]> for Answer {
    fn from(values: &[usize]) -> Answer {
        Answer(values.iter().flat_map(|v| v.to_ne_bytes()).collect())
    }
}

/// A text, with a zero behind it.
impl From<&str> for Answer {
    fn from(text: &str) -> Answer {
        Answer(text.bytes().chain([0]).collect())
    }
}

/// Where an answer goes.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    pub size: usize,
    pub to: *mut c_void,
    pub size_ret: *mut usize,
}

impl Wanted {
    /// # Safety
    ///
    /// There are `size` bytes at `to`, or it is null; `size_ret` is null or points to a number.
    pub(super) unsafe fn give(self, answer: Answer) -> Outcome {
        let bytes = answer.0;
        if !self.to.is_null() {
            if self.size < bytes.len() {
                return Err(CL_INVALID_VALUE);
            }
            // SAFETY: as the caller says.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.to.cast(), bytes.len()) };
        }
        // SAFETY: as the caller says.
        unsafe { give(self.size_ret, bytes.len()) };
        Ok(())
    }
}

/// Writes a result to where the program wants it, if it does.
///
/// # Safety
///
/// `to` is null or points to a value of its type.
pub(super) unsafe fn give<T>(to: *mut T, value: T) {
    if !to.is_null() {
        // SAFETY: as the caller says.
        unsafe { to.write(value) };
    }
}

/// A list that the program gives: its length and where it is.
///
/// # Safety
///
/// There are `count` values at `list`, or it is null.
pub(super) unsafe fn list<T: Copy>(count: u32, list: *const T) -> Vec<T> {
    if list.is_null() {
        return Vec::new();
    }
    // SAFETY: as the caller says.
    (0..count as usize).map(|i| unsafe { list.add(i).read() }).collect()
}

/// A list of handles.
///
/// # Safety
///
/// As for [`list`].
pub(super) unsafe fn handles(count: u32, handles: *const *mut c_void) -> Vec<usize> {
    // SAFETY: as the caller says.
    unsafe { list(count, handles) }.into_iter().map(|h| h as usize).collect()
}

/// Handles go to a list of the program, as many as have room there, and their number.
///
/// # Safety
///
/// There is room for `room` handles at `to`, or it is null; `count` is null or points to a number.
pub(super) unsafe fn give_list(all: &[usize], room: u32, to: *mut *mut c_void, count: *mut u32) {
    if !to.is_null() {
        for (i, handle) in all.iter().take(room as usize).enumerate() {
            // SAFETY: as the caller says.
            unsafe { to.add(i).write(*handle as *mut c_void) };
        }
    }
    // SAFETY: as the caller says.
    unsafe { give(count, all.len() as u32) };
}
