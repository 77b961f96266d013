//! What the constructors of a program call: its device code, kernels and variables.

use std::ffi::{c_char, c_int, c_void};

use lockstep_frontend::DevicePart;

use crate::api::Dim3;
use crate::device::lock;
use crate::site::text;

/// What clang puts around the device code of a unit.
#[repr(C)]
pub struct Wrapper {
    magic: u32,
    version: u32,
    data: *const u8,
    unused: *mut c_void,
}

const MAGIC: u32 = 0x466243b1;
/// The bytes of an image from which its length is known.
const HEAD: usize = 16;

/// # Safety
///
/// `wrapper` is what clang has made for the unit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __cudaRegisterFatBinary(wrapper: *const Wrapper) -> *mut *mut c_void {
    // SAFETY: as the caller says; an image of ours begins with its length.
    let part = unsafe {
        let Wrapper { magic, data, .. } = *wrapper;
        let head =
            (magic == MAGIC && !data.is_null()).then(|| std::slice::from_raw_parts(data, HEAD));
        let length = head.and_then(|h| DevicePart::length(h.try_into().ok()?));
        length.and_then(|n| DevicePart::of_image(std::slice::from_raw_parts(data, n)))
    };
    if part.is_none() {
        eprintln!(
            "lockstep: the program has device code that lockstep nvcc has not compiled; its kernels cannot run"
        );
    }
    let unit = lock().code.add(part);
    // A handle that is not null.
    (unit + 1) as *mut *mut c_void
}

fn unit_of(handle: *mut *mut c_void) -> usize {
    (handle as usize).saturating_sub(1)
}

#[unsafe(no_mangle)]
pub extern "C" fn __cudaRegisterFatBinaryEnd(handle: *mut *mut c_void) {
    let mut device = lock();
    let device = &mut *device;
    let unit = unit_of(handle);
    if device.code.has_managed(unit) {
        // A failure shows when the program uses it.
        let _ = device.code.load(unit, &mut device.memory);
    }
}

/// Called when the program exits.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaUnregisterFatBinary(handle: *mut *mut c_void) {
    if unit_of(handle) == 0 {
        lock().ends();
    }
}

/// # Safety
///
/// `name` is a text that ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __cudaRegisterFunction(
    handle: *mut *mut c_void,
    stub: *const c_void,
    _device_function: *mut c_char,
    name: *const c_char,
    _thread_limit: c_int,
    _tid: *mut c_void,
    _bid: *mut c_void,
    _block: *mut Dim3,
    _grid: *mut Dim3,
    _warp_size: *mut c_int,
) {
    // SAFETY: as the caller says.
    let name = unsafe { text(name) };
    lock().code.add_function(unit_of(handle), stub as usize, name);
}

/// # Safety
///
/// `name` is a text that ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __cudaRegisterVar(
    handle: *mut *mut c_void,
    host: *const c_void,
    _device_address: *mut c_char,
    name: *const c_char,
    _external: c_int,
    size: usize,
    _constant: c_int,
    _global: c_int,
) {
    // SAFETY: as the caller says.
    let name = unsafe { text(name) };
    lock().code.add_variable(unit_of(handle), host as usize, name, size as u64);
}
