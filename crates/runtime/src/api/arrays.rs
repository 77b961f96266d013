//! Arrays, copies between them and other memory, textures and surfaces.

use std::ffi::{c_int, c_uint, c_void};

use crate::api::copies::in_stream;
use crate::api::give;
use crate::api::memory::Extent;
use crate::array::{Array, Channel, Resource, Sampling};
use crate::device::call_unbroken;
use crate::error::{Failed, Status};
use crate::memory::Use;
use crate::site::Site;
use crate::transfer::{Copy, Side};

/// # Safety
///
/// `to` is a handle, or null; `channel` is one.
unsafe fn new(
    name: &'static str,
    to: *mut *mut c_void,
    channel: *const Channel,
    extent: [usize; 3],
    flags: c_uint,
) -> Status {
    let site = Site::here();
    call_unbroken(|d| {
        // SAFETY: as the caller says.
        let channel = unsafe { *channel };
        let handle = d.new_array(name, Array { channel, extent, flags }, site)?;
        // SAFETY: as the caller says.
        unsafe { give(to, handle as *mut c_void) }
    })
}

/// # Safety
///
/// `to` is a handle, or null; `channel` is one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaMallocArray(
    to: *mut *mut c_void,
    channel: *const Channel,
    width: usize,
    height: usize,
    flags: c_uint,
) -> Status {
    // SAFETY: as the caller says.
    unsafe { new("cudaMallocArray", to, channel, [width, height, 0], flags) }
}

/// # Safety
///
/// `to` is a handle, or null; `channel` is one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaMalloc3DArray(
    to: *mut *mut c_void,
    channel: *const Channel,
    extent: Extent,
    flags: c_uint,
) -> Status {
    let Extent { width, height, depth } = extent;
    // SAFETY: as the caller says.
    unsafe { new("cudaMalloc3DArray", to, channel, [width, height, depth], flags) }
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaFreeArray(array: *mut c_void) -> Status {
    let site = Site::here();
    call_unbroken(|d| {
        if !array.is_null() {
            d.array(array as u64, "cudaFreeArray", &site)?;
        }
        d.free("cudaFreeArray", array as u64, &[Use::Device], site)
    })
}

/// # Safety
///
/// `channel`, `extent` and `flags` are what they are called, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaArrayGetInfo(
    channel: *mut Channel,
    extent: *mut Extent,
    flags: *mut c_uint,
    array: *mut c_void,
) -> Status {
    let site = Site::here();
    call_unbroken(|d| {
        let array = d.array(array as u64, "cudaArrayGetInfo", &site)?;
        let [width, height, depth] = array.extent;
        // SAFETY: as the caller says.
        unsafe {
            if !channel.is_null() {
                channel.write(array.channel);
            }
            if !extent.is_null() {
                extent.write(Extent { width, height, depth });
            }
            if !flags.is_null() {
                flags.write(array.flags);
            }
        }
        Ok(())
    })
}

/// # Safety
///
/// `to` is one, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaGetChannelDesc(to: *mut Channel, array: *const c_void) -> Status {
    let site = Site::here();
    call_unbroken(|d| {
        let array = d.array(array as u64, "cudaGetChannelDesc", &site)?;
        // SAFETY: as the caller says.
        unsafe { give(to, array.channel) }
    })
}

/// The part of an array that takes part in a copy.
#[derive(Clone, Copy)]
struct Part {
    array: *const c_void,
    /// In bytes.
    x: usize,
    y: usize,
}

/// A copy between an array and other memory.
fn copied(
    name: &'static str,
    part: Part,
    other: Side,
    is_target: bool,
    shape: [usize; 2],
    (kind, stream): (c_int, Option<*mut c_void>),
) -> Status {
    let site = Site::here();
    call_unbroken(|d| {
        if let Some(stream) = stream {
            d.check_stream(stream as usize, name, &site)?;
        }
        let own = d.array_side(part.array as u64, [part.x, part.y, 0], name, &site)?;
        let sides = if is_target { (own, other) } else { (other, own) };
        let shape = [shape[0] as u64, shape[1] as u64, 1];
        let copy = Copy { name, site: &site };
        in_stream(d, &copy, sides, shape, kind, stream.map(|s| s as usize))
    })
}

macro_rules! array_copies {
    ($($to:ident $from:ident $to_rows:ident $from_rows:ident $(($stream:ident))?;)*) => {
        $(
            #[unsafe(no_mangle)]
            pub extern "C" fn $to(
                array: *mut c_void,
                x: usize,
                y: usize,
                from: *const c_void,
                size: usize,
                kind: c_int,
                $($stream: *mut c_void,)?
            ) -> Status {
                let stream = None $(.or(Some($stream)))?;
                let part = Part { array, x, y };
                copied(stringify!($to), part, Side::flat(from), true, [size, 1], (kind, stream))
            }

            #[unsafe(no_mangle)]
            pub extern "C" fn $from(
                to: *mut c_void,
                array: *const c_void,
                x: usize,
                y: usize,
                size: usize,
                kind: c_int,
                $($stream: *mut c_void,)?
            ) -> Status {
                let stream = None $(.or(Some($stream)))?;
                let part = Part { array, x, y };
                copied(stringify!($from), part, Side::flat(to), false, [size, 1], (kind, stream))
            }

            #[unsafe(no_mangle)]
            pub extern "C" fn $to_rows(
                array: *mut c_void,
                x: usize,
                y: usize,
                from: *const c_void,
                pitch: usize,
                width: usize,
                height: usize,
                kind: c_int,
                $($stream: *mut c_void,)?
            ) -> Status {
                let stream = None $(.or(Some($stream)))?;
                let (part, from) = (Part { array, x, y }, Side::rows(from, pitch));
                copied(stringify!($to_rows), part, from, true, [width, height], (kind, stream))
            }

            #[unsafe(no_mangle)]
            pub extern "C" fn $from_rows(
                to: *mut c_void,
                pitch: usize,
                array: *const c_void,
                x: usize,
                y: usize,
                width: usize,
                height: usize,
                kind: c_int,
                $($stream: *mut c_void,)?
            ) -> Status {
                let stream = None $(.or(Some($stream)))?;
                let (part, to) = (Part { array, x, y }, Side::rows(to, pitch));
                copied(stringify!($from_rows), part, to, false, [width, height], (kind, stream))
            }
        )*
    };
}

array_copies! {
    cudaMemcpyToArray cudaMemcpyFromArray cudaMemcpy2DToArray cudaMemcpy2DFromArray;
    cudaMemcpyToArrayAsync cudaMemcpyFromArrayAsync cudaMemcpy2DToArrayAsync cudaMemcpy2DFromArrayAsync(stream);
}

/// # Safety
///
/// `to` is a handle, or null; `of` and `how` are what they are called.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaCreateTextureObject(
    to: *mut u64,
    of: *const Resource,
    how: *const Sampling,
    _view: *const c_void,
) -> Status {
    let site = Site::here();
    call_unbroken(|d| {
        // SAFETY: as the caller says.
        let (of, how) = unsafe { (*of, *how) };
        let handle = d.new_image("cudaCreateTextureObject", &of, how, site)?;
        // SAFETY: as the caller says.
        unsafe { give(to, handle) }
    })
}

/// # Safety
///
/// `to` is a handle, or null; `of` is one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaCreateSurfaceObject(to: *mut u64, of: *const Resource) -> Status {
    let site = Site::here();
    call_unbroken(|d| {
        // SAFETY: as the caller says.
        let of = unsafe { *of };
        let handle = d.new_image("cudaCreateSurfaceObject", &of, Sampling::default(), site)?;
        // SAFETY: as the caller says.
        unsafe { give(to, handle) }
    })
}

fn destroyed(name: &'static str, handle: u64) -> Status {
    let site = Site::here();
    call_unbroken(|d| match handle {
        0 => Failed::with(Status::INVALID_VALUE),
        _ => d.free(name, handle, &[Use::Device], site),
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDestroyTextureObject(handle: u64) -> Status {
    destroyed("cudaDestroyTextureObject", handle)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDestroySurfaceObject(handle: u64) -> Status {
    destroyed("cudaDestroySurfaceObject", handle)
}
