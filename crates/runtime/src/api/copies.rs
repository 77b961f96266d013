//! Copies and fills, in every direction and of every shape.

use std::ffi::{c_int, c_void};

use lockstep_finding::{Kind, Severity};

use crate::api::give;
use crate::api::memory::{Extent, PitchedPtr};
use crate::device::{Device, call_unbroken};
use crate::error::{Failed, Status};
use crate::memory::{Spot, Use};
use crate::site::Site;

/// `cudaMemcpyKind`.
const HOST_TO_HOST: c_int = 0;
const HOST_TO_DEVICE: c_int = 1;
const DEVICE_TO_HOST: c_int = 2;
const DEVICE_TO_DEVICE: c_int = 3;
const DEFAULT: c_int = 4;

/// Rows of bytes, as one side of a copy has them: the start, the distances between rows and between slices.
#[derive(Clone, Copy)]
struct Side {
    at: u64,
    pitch: u64,
    slice: u64,
}

impl Side {
    fn flat(at: *const c_void) -> Side {
        Side { at: at as u64, pitch: 0, slice: 0 }
    }

    fn rows(at: *const c_void, pitch: usize) -> Side {
        Side { at: at as u64, pitch: pitch as u64, slice: 0 }
    }

    fn row(&self, y: u64, z: u64) -> u64 {
        self.at + y * self.pitch + z * self.slice
    }
}

/// Bytes of a row, rows of a slice, slices.
type Shape = [u64; 3];

/// What a side of a copy is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Home {
    Host,
    /// An allocation of the runtime, and how it is used.
    Of(Spot, Use),
}

impl Home {
    fn is_on_host(self) -> bool {
        matches!(self, Home::Host | Home::Of(_, Use::Pinned | Use::Managed | Use::Registered))
    }

    fn is_on_device(self) -> bool {
        !matches!(self, Home::Host)
    }
}

struct Copy<'a> {
    name: &'static str,
    site: &'a Site,
}

impl Device {
    fn home(&self, address: u64) -> Home {
        let spot = self.memory.find(address);
        let used = spot.and_then(|s| Some((s, self.memory.get(s.slot)?.used)));
        used.map_or(Home::Host, |(spot, used)| Home::Of(spot, used))
    }

    /// Whether all bytes of a side are there.
    fn within(
        &mut self,
        copy: &Copy,
        verb: &str,
        home: Home,
        side: Side,
        shape: Shape,
    ) -> Result<(), Failed> {
        let [width, height, depth] = shape;
        let Home::Of(spot, _) = home else {
            if side.at == 0 {
                let message = format!("{} is given a null pointer to {verb}", copy.name);
                self.misuse(copy.site, message, "look at whether the allocation has failed");
                return Failed::with(Status::INVALID_VALUE);
            }
            return Ok(());
        };
        let Some(a) = self.memory.get(spot.slot) else {
            return Failed::with(Status::INVALID_VALUE);
        };
        let last = (height - 1) * side.pitch + (depth - 1) * side.slice + width;
        let of = format!("memory of {}{}", a.call, a.site.told());
        let end = spot.offset + last as i64;
        let (message, help) = if let Some((by, at)) = &a.freed {
            let was = format!("that was freed before: {by}{}", at.told());
            (format!("{} {verb}s {of} {was}", copy.name), "free memory after its last use")
        } else if spot.offset < 0 || end > a.size as i64 {
            let bytes = if height * depth == 1 {
                format!("{width} bytes")
            } else {
                format!("{} bytes ({height} rows of {width})", last)
            };
            let what = format!(
                "{} {verb}s {bytes} at byte {} of {of}, which has {} bytes",
                copy.name, spot.offset, a.size
            );
            (what, "copy no more than both sides have, and count in bytes")
        } else {
            return Ok(());
        };
        self.misuse(copy.site, message, help);
        Failed::with(Status::INVALID_VALUE)
    }

    fn copy(
        &mut self,
        copy: &Copy,
        (to, from): (Side, Side),
        shape: Shape,
        kind: c_int,
    ) -> Result<(), Failed> {
        let [width, height, depth] = shape;
        if width * height * depth == 0 {
            return Ok(());
        }
        let (target, source) = (self.home(to.at), self.home(from.at));
        self.direction(copy, kind, target, source)?;
        self.within(copy, "read", source, from, shape)?;
        self.within(copy, "write", target, to, shape)?;
        let has_rows = height * depth > 1;
        if has_rows && (to.pitch < width || from.pitch < width) && height > 1 {
            let message = format!(
                "{} copies rows of {width} bytes, with a pitch of {}",
                copy.name,
                to.pitch.min(from.pitch)
            );
            self.misuse(copy.site, message, "the pitch is the distance between rows, in bytes");
            return Failed::with(Status::INVALID_VALUE);
        }
        self.reads_nothing(copy, target, source, from, shape);
        for z in 0..depth {
            for y in 0..height {
                let (t, s) = (to.row(y, z), from.row(y, z));
                let (t_at, s_at) =
                    (self.bytes_at(target, t, to.at), self.bytes_at(source, s, from.at));
                // SAFETY: both sides have these bytes: of the device, as `within` has seen, and of the host, as the
                // program says. They may be the same.
                unsafe { std::ptr::copy(s_at.cast_const(), t_at, width as usize) };
                self.mark(target, t - to.at, source, s - from.at, width);
            }
        }
        Ok(())
    }

    /// Whether a copy goes where its direction says.
    fn direction(
        &mut self,
        copy: &Copy,
        kind: c_int,
        target: Home,
        source: Home,
    ) -> Result<(), Failed> {
        let (to_device, from_device) = match kind {
            HOST_TO_HOST => (false, false),
            HOST_TO_DEVICE => (true, false),
            DEVICE_TO_HOST => (false, true),
            DEVICE_TO_DEVICE => (true, true),
            DEFAULT => return Ok(()),
            _ => {
                let message = format!("{} is given {kind} as its direction", copy.name);
                self.misuse(copy.site, message, "use one of cudaMemcpyKind");
                return Failed::with(Status::INVALID_DIRECTION);
            }
        };
        let fits = |home: Home, device: bool| {
            if device { home.is_on_device() } else { home.is_on_host() }
        };
        let side = |device: bool| if device { "the device" } else { "the host" };
        let wrong = [("destination", target, to_device), ("source", source, from_device)]
            .into_iter()
            .find(|(_, home, device)| !fits(*home, *device));
        let Some((which, _, device)) = wrong else { return Ok(()) };
        let message = format!(
            "{} copies from {} to {}, but its {which} is memory of {}",
            copy.name,
            side(from_device),
            side(to_device),
            side(!device)
        );
        self.misuse(
            copy.site,
            message,
            "the direction must be that of the pointers; cudaMemcpyDefault finds it out",
        );
        Failed::with(Status::INVALID_VALUE)
    }

    /// Where the bytes at an address are; `start` is the address that `home` was found for.
    fn bytes_at(&self, home: Home, address: u64, start: u64) -> *mut u8 {
        match home {
            Home::Host => address as *mut u8,
            Home::Of(spot, _) => {
                let base = self.memory.bytes(spot.slot).unwrap_or(std::ptr::null_mut());
                base.wrapping_offset(spot.offset as isize).wrapping_add((address - start) as usize)
            }
        }
    }

    /// What was copied has a value where it had one.
    fn mark(&mut self, target: Home, to: u64, source: Home, from: u64, width: u64) {
        let Home::Of(t, _) = target else { return };
        let to = t.offset as u64 + to;
        match source {
            Home::Of(s, _) => {
                let from = (s.slot, s.offset as u64 + from);
                self.memory.resident.copy_written((t.slot, to), from, width);
            }
            Home::Host => self.memory.resident.mark_written(t.slot, to, width),
        }
    }

    /// A copy to the host of memory that nobody has written is worth a word.
    fn reads_nothing(&mut self, copy: &Copy, target: Home, source: Home, from: Side, shape: Shape) {
        let (Home::Host, Home::Of(spot, _)) = (target, source) else { return };
        if !self.is_checked() {
            return;
        }
        let [width, height, depth] = shape;
        let rows = (0..depth).flat_map(|z| (0..height).map(move |y| (y, z)));
        let offset = |(y, z): (u64, u64)| spot.offset as u64 + from.row(y, z) - from.at;
        let resident = &self.memory.resident;
        if rows.map(offset).any(|at| resident.has_value(spot.slot, at, width)) {
            return;
        }
        let Some(a) = self.memory.get(spot.slot) else { return };
        let message = format!(
            "{} copies memory of {}{} to the host, and nothing has written any of it",
            copy.name,
            a.call,
            a.site.told()
        );
        let help =
            "look at whether the kernel that should write it was launched, and reaches its stores";
        self.host_finding(Kind::UninitialisedRead, Severity::Warning, copy.site, message, help);
    }

    fn fill(&mut self, copy: &Copy, to: Side, value: c_int, shape: Shape) -> Result<(), Failed> {
        let [width, height, depth] = shape;
        if width * height * depth == 0 {
            return Ok(());
        }
        let home = self.home(to.at);
        let Home::Of(spot, _) = home else {
            let message = format!("{} is given memory that is not the device's", copy.name);
            self.misuse(copy.site, message, "fill memory of the host with memset");
            return Failed::with(Status::INVALID_VALUE);
        };
        self.within(copy, "write", home, to, shape)?;
        for z in 0..depth {
            for y in 0..height {
                let row = to.row(y, z);
                let at = self.bytes_at(home, row, to.at);
                // SAFETY: the allocation has these bytes, as `within` has seen.
                unsafe { std::ptr::write_bytes(at, value as u8, width as usize) };
                let offset = spot.offset as u64 + (row - to.at);
                self.memory.resident.mark_written(spot.slot, offset, width);
            }
        }
        Ok(())
    }
}

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
        d.copy(&Copy { name, site: &site }, sides, shape.map(|s| s as u64), kind)
    })
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
        d.fill(&Copy { name, site: &site }, to, value, shape.map(|s| s as u64))
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
    // SAFETY: as the caller says.
    let c = unsafe { *what };
    if !c.from_array.is_null() || !c.to_array.is_null() {
        return call_unbroken(|_| Failed::with(Status::NOT_SUPPORTED));
    }
    let side = |p: &PitchedPtr, at: &Pos| {
        let (pitch, slice) = (p.pitch as u64, (p.pitch * p.ysize) as u64);
        let start = p.ptr as u64 + at.x as u64 + at.y as u64 * pitch + at.z as u64 * slice;
        Side { at: start, pitch, slice }
    };
    let Extent { width, height, depth } = c.extent;
    let sides = (side(&c.to, &c.to_pos), side(&c.from, &c.from_pos));
    copied(name, sides, [width, height, depth], c.kind, stream)
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
                    d.copy(&copy, (to, Side::flat(from)), [size as u64, 1, 1], kind)
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
                    d.copy(&copy, (Side::flat(to), from), [size as u64, 1, 1], kind)
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
