//! Copies and fills, in every direction and of every shape.

use std::ffi::{c_int, c_void};

use crate::api::give;
use crate::api::memory::{Extent, PitchedPtr};
use crate::device::{Device, call_unbroken};
use crate::error::{Failed, Status};
use crate::graph;
use crate::site::Site;
use crate::transfer::{Copy, DEVICE_TO_DEVICE, Home, Shape, Side};

fn copied(
    name: &'static str,
    sides: (Side, Side),
    shape: [usize; 3],
    kind: c_int,
    stream: Option<*mut c_void>,
) -> Status {
    let site = Site::here();
    call_unbroken(|d| {
        if let Some(stream) = stream {
            d.check_stream(stream as usize, name, &site)?;
        }
        let copy = Copy { name, site: &site };
        let shape = shape.map(|s| s as u64);
        in_stream(d, &copy, sides, shape, kind, stream.map(|s| s as usize))
    })
}

/// A copy as the work of a stream; without one, the host waits for it where it has a part in it.
pub(crate) fn in_stream(
    d: &mut Device,
    copy: &Copy,
    sides: (Side, Side),
    shape: Shape,
    kind: c_int,
    stream: Option<usize>,
) -> Result<(), Failed> {
    let &Copy { name, site } = copy;
    if d.is_captured(stream, name, site, |_| Ok(graph::Deed::Copy { name, sides, shape, kind }))? {
        return Ok(());
    }
    d.begin_work(stream);
    d.copy(copy, sides, shape, kind)?;
    let is_plain = |side: Side| d.home(side.at) == Home::Host;
    let (to, from) = sides;
    // Memory that is not pinned: the runtime returns when it is written, and has read it for itself.
    let waits = match stream {
        Some(_) => is_plain(to),
        None => [to, from].into_iter().any(|side| d.is_of_host(side.at)),
    };
    if waits {
        d.host_waits(stream);
    }
    Ok(())
}

fn filled(
    name: &'static str,
    to: Side,
    value: c_int,
    shape: [usize; 3],
    stream: Option<*mut c_void>,
) -> Status {
    let site = Site::here();
    call_unbroken(|d| {
        if let Some(stream) = stream {
            d.check_stream(stream as usize, name, &site)?;
        }
        let stream = stream.map(|s| s as usize);
        let shape = shape.map(|s| s as u64);
        let node = || graph::Deed::Fill { name, to, value: vec![value as u8], shape };
        if d.is_captured(stream, name, &site, |_| Ok(node()))? {
            return Ok(());
        }
        d.begin_work(stream);
        d.fill(&Copy { name, site: &site }, to, value, shape)?;
        if stream.is_none() && d.is_of_host(to.at) {
            d.host_waits(None);
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpy(
    to: *mut c_void,
    from: *const c_void,
    size: usize,
    kind: c_int,
) -> Status {
    copied("cudaMemcpy", (Side::flat(to), Side::flat(from)), [size, 1, 1], kind, None)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpyAsync(
    to: *mut c_void,
    from: *const c_void,
    size: usize,
    kind: c_int,
    stream: *mut c_void,
) -> Status {
    let sides = (Side::flat(to), Side::flat(from));
    copied("cudaMemcpyAsync", sides, [size, 1, 1], kind, Some(stream))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpyPeer(
    to: *mut c_void,
    _to_device: c_int,
    from: *const c_void,
    _from_device: c_int,
    size: usize,
) -> Status {
    let sides = (Side::flat(to), Side::flat(from));
    copied("cudaMemcpyPeer", sides, [size, 1, 1], DEVICE_TO_DEVICE, None)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpyPeerAsync(
    to: *mut c_void,
    _to_device: c_int,
    from: *const c_void,
    _from_device: c_int,
    size: usize,
    stream: *mut c_void,
) -> Status {
    let sides = (Side::flat(to), Side::flat(from));
    copied("cudaMemcpyPeerAsync", sides, [size, 1, 1], DEVICE_TO_DEVICE, Some(stream))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpy2D(
    to: *mut c_void,
    to_pitch: usize,
    from: *const c_void,
    from_pitch: usize,
    width: usize,
    height: usize,
    kind: c_int,
) -> Status {
    let sides = (Side::rows(to, to_pitch), Side::rows(from, from_pitch));
    copied("cudaMemcpy2D", sides, [width, height, 1], kind, None)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpy2DAsync(
    to: *mut c_void,
    to_pitch: usize,
    from: *const c_void,
    from_pitch: usize,
    width: usize,
    height: usize,
    kind: c_int,
    stream: *mut c_void,
) -> Status {
    let sides = (Side::rows(to, to_pitch), Side::rows(from, from_pitch));
    copied("cudaMemcpy2DAsync", sides, [width, height, 1], kind, Some(stream))
}

/// `cudaPos`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Pos {
    x: usize,
    y: usize,
    z: usize,
}

/// `cudaMemcpy3DParms`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Copy3D {
    from_array: *mut c_void,
    from_pos: Pos,
    from: PitchedPtr,
    to_array: *mut c_void,
    to_pos: Pos,
    to: PitchedPtr,
    extent: Extent,
    kind: c_int,
}

/// # Safety
///
/// `what` is one.
unsafe fn copied_3d(
    name: &'static str,
    what: *const Copy3D,
    stream: Option<*mut c_void>,
) -> Status {
    let site = Site::here();
    call_unbroken(|d| {
        if let Some(stream) = stream {
            d.check_stream(stream as usize, name, &site)?;
        }
        // SAFETY: as the caller says.
        let c = unsafe { *what };
        let (sides, shape) = c.parts(d, name, &site)?;
        let stream = stream.map(|s| s as usize);
        in_stream(d, &Copy { name, site: &site }, sides, shape, c.kind, stream)
    })
}

impl Copy3D {
    /// The sides and the shape. Where an array takes part, its texels are counted, else bytes.
    pub(crate) fn parts(
        &self,
        d: &mut Device,
        name: &str,
        site: &Site,
    ) -> Result<((Side, Side), Shape), Failed> {
        let mut texel = None;
        let mut side = |array: *mut c_void, p: &PitchedPtr, at: &Pos| {
            if !array.is_null() {
                let bytes = d.array(array as u64, name, site)?.channel.bytes();
                texel = Some(bytes);
                return d.array_side(array as u64, [at.x * bytes, at.y, at.z], name, site);
            }
            let (pitch, slice) = (p.pitch as u64, (p.pitch * p.ysize) as u64);
            let start = p.ptr as u64 + at.x as u64 + at.y as u64 * pitch + at.z as u64 * slice;
            Ok(Side { at: start, pitch, slice })
        };
        let to = side(self.to_array, &self.to, &self.to_pos)?;
        let from = side(self.from_array, &self.from, &self.from_pos)?;
        let Extent { width, height, depth } = self.extent;
        let shape = [width * texel.unwrap_or(1), height, depth].map(|s| s as u64);
        Ok(((to, from), shape))
    }

    pub(crate) fn kind(&self) -> c_int {
        self.kind
    }
}

/// # Safety
///
/// `what` is one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaMemcpy3D(what: *const Copy3D) -> Status {
    // SAFETY: as the caller says.
    unsafe { copied_3d("cudaMemcpy3D", what, None) }
}

/// # Safety
///
/// `what` is one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaMemcpy3DAsync(what: *const Copy3D, stream: *mut c_void) -> Status {
    // SAFETY: as the caller says.
    unsafe { copied_3d("cudaMemcpy3DAsync", what, Some(stream)) }
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemset(to: *mut c_void, value: c_int, size: usize) -> Status {
    filled("cudaMemset", Side::flat(to), value, [size, 1, 1], None)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemsetAsync(
    to: *mut c_void,
    value: c_int,
    size: usize,
    stream: *mut c_void,
) -> Status {
    filled("cudaMemsetAsync", Side::flat(to), value, [size, 1, 1], Some(stream))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemset2D(
    to: *mut c_void,
    pitch: usize,
    value: c_int,
    width: usize,
    height: usize,
) -> Status {
    filled("cudaMemset2D", Side::rows(to, pitch), value, [width, height, 1], None)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemset2DAsync(
    to: *mut c_void,
    pitch: usize,
    value: c_int,
    width: usize,
    height: usize,
    stream: *mut c_void,
) -> Status {
    filled("cudaMemset2DAsync", Side::rows(to, pitch), value, [width, height, 1], Some(stream))
}

fn slices(to: &PitchedPtr) -> Side {
    let pitch = to.pitch as u64;
    Side { at: to.ptr as u64, pitch, slice: pitch * to.ysize as u64 }
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemset3D(to: PitchedPtr, value: c_int, extent: Extent) -> Status {
    let Extent { width, height, depth } = extent;
    filled("cudaMemset3D", slices(&to), value, [width, height, depth], None)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemset3DAsync(
    to: PitchedPtr,
    value: c_int,
    extent: Extent,
    stream: *mut c_void,
) -> Status {
    let Extent { width, height, depth } = extent;
    filled("cudaMemset3DAsync", slices(&to), value, [width, height, depth], Some(stream))
}

/// A part of a variable: `offset` bytes from its start.
fn symbol(
    d: &mut Device,
    copy: &Copy,
    host: *const c_void,
    offset: usize,
    size: usize,
) -> Result<Side, Failed> {
    let found = d.code.variable(host as usize, &mut d.memory);
    let (slot, whole) = match found {
        Ok(found) => found,
        Err(failed) => {
            let message = format!("{} is given what is no variable of the device code", copy.name);
            d.misuse(copy.site, message, "name the variable itself, not a string or a pointer");
            return Err(failed);
        }
    };
    if (offset as u64).checked_add(size as u64).is_none_or(|end| end > whole) {
        let message = format!(
            "{} uses {size} bytes at byte {offset} of a variable of {whole} bytes",
            copy.name
        );
        d.misuse(copy.site, message, "count in bytes, and no more than the variable has");
        return Failed::with(Status::INVALID_VALUE);
    }
    Ok(Side { at: lockstep_simulate::Resident::address(slot) + offset as u64, pitch: 0, slice: 0 })
}

macro_rules! symbol_copies {
    ($($name:ident $(($stream:ident))?, to;)* -- $($other:ident $(($other_stream:ident))?, from;)*) => {
        $(
            #[unsafe(no_mangle)]
            pub extern "C" fn $name(
                host: *const c_void,
                from: *const c_void,
                size: usize,
                offset: usize,
                kind: c_int,
                $($stream: *mut c_void,)?
            ) -> Status {
                let site = Site::here();
                let name = stringify!($name);
                call_unbroken(|d| {
                    $(d.check_stream($stream as usize, name, &site)?;)?
                    let copy = Copy { name, site: &site };
                    let to = symbol(d, &copy, host, offset, size)?;
                    let stream: Option<usize> = None $(.or(Some($stream as usize)))?;
                    in_stream(d, &copy, (to, Side::flat(from)), [size as u64, 1, 1], kind, stream)
                })
            }
        )*
        $(
            #[unsafe(no_mangle)]
            pub extern "C" fn $other(
                to: *mut c_void,
                host: *const c_void,
                size: usize,
                offset: usize,
                kind: c_int,
                $($other_stream: *mut c_void,)?
            ) -> Status {
                let site = Site::here();
                let name = stringify!($other);
                call_unbroken(|d| {
                    $(d.check_stream($other_stream as usize, name, &site)?;)?
                    let copy = Copy { name, site: &site };
                    let from = symbol(d, &copy, host, offset, size)?;
                    let stream: Option<usize> = None $(.or(Some($other_stream as usize)))?;
                    in_stream(d, &copy, (Side::flat(to), from), [size as u64, 1, 1], kind, stream)
                })
            }
        )*
    };
}

symbol_copies! {
    cudaMemcpyToSymbol, to;
    cudaMemcpyToSymbolAsync(stream), to;
    --
    cudaMemcpyFromSymbol, from;
    cudaMemcpyFromSymbolAsync(stream), from;
}

/// # Safety
///
/// `to` is a pointer, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaGetSymbolAddress(to: *mut *mut c_void, host: *const c_void) -> Status {
    call_unbroken(|d| {
        let (slot, _) = d.code.variable(host as usize, &mut d.memory)?;
        // SAFETY: as the caller says.
        unsafe { give(to, lockstep_simulate::Resident::address(slot) as *mut c_void) }
    })
}

/// # Safety
///
/// `to` is a number, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaGetSymbolSize(to: *mut usize, host: *const c_void) -> Status {
    call_unbroken(|d| {
        let (_, size) = d.code.variable(host as usize, &mut d.memory)?;
        // SAFETY: as the caller says.
        unsafe { give(to, size as usize) }
    })
}
