//! Allocation, and questions about memory.

use std::ffi::{c_int, c_uint, c_void};

use crate::api::give;
use crate::device::{Device, call, call_unbroken};
use crate::error::{Failed, Status};
use crate::memory::{ALIGN, Allocation, TOTAL, Use};
use crate::order::{Deed, Home};
use crate::site::Site;

impl Device {
    fn allocate(
        &mut self,
        name: &'static str,
        size: usize,
        used: Use,
        site: Site,
    ) -> Result<*mut c_void, Failed> {
        if size == 0 && name != "cudaMallocPitch" {
            return Ok(std::ptr::null_mut());
        }
        let address = self.memory.allocate(size as u64, used, name, site);
        let address = address.ok_or(Failed(Status::MEMORY_ALLOCATION))?;
        // The host may touch it while work that it has not waited for does.
        if matches!(used, Use::Pinned | Use::Managed) && name.starts_with("cuda") {
            self.order.activate();
        }
        Ok(address as *mut c_void)
    }

    /// Frees what `address` is the start of. A null pointer is no error.
    pub(crate) fn free(
        &mut self,
        name: &'static str,
        address: u64,
        allowed: &[Use],
        site: Site,
    ) -> Result<(), Failed> {
        if address == 0 {
            return Ok(());
        }
        let spot = self.memory.find(address);
        let known = spot.and_then(|s| Some((s, self.memory.get(s.slot)?)));
        let (what, help) = match known {
            None => (
                "a pointer to what the runtime has not allocated".to_owned(),
                "free with it only what the runtime has allocated",
            ),
            Some((_, Allocation { freed: Some((before, at)), call, .. })) => (
                format!("memory of {call} that was freed before: {before}{}", at.told()),
                "free each allocation once",
            ),
            Some((spot, a)) if spot.offset != 0 => (
                format!(
                    "a pointer {} bytes into memory of {}{}",
                    spot.offset,
                    a.call,
                    a.site.told()
                ),
                "free with the pointer that the allocation has returned",
            ),
            Some((_, a)) if !allowed.contains(&a.used) => (
                match a.used {
                    Use::Variable => "a variable of the device code".to_owned(),
                    _ => format!("memory of {}{}", a.call, a.site.told()),
                },
                "free memory with the function that belongs to its allocation",
            ),
            Some((spot, a)) => {
                let size = a.size;
                if name == "cudaFreeAsync" {
                    // What nothing orders before it uses memory that may be gone.
                    self.order.call(name, &site, None);
                    let all = 0..size;
                    self.order.touch(Home::Slot(spot.slot), Deed::Write, vec![all]);
                    self.end_work();
                } else {
                    self.order.host_waits_for_all();
                }
                self.order.forget(spot.slot);
                self.memory.free(spot.slot, name, site);
                return Ok(());
            }
        };
        self.misuse(&site, format!("{name} is given {what}"), help);
        Failed::with(Status::INVALID_VALUE)
    }
}

/// # Safety
///
/// `to` is a pointer, or null.
unsafe fn new(name: &'static str, to: *mut *mut c_void, size: usize, used: Use) -> Status {
    let site = Site::here();
    call_unbroken(|d| {
        let address = d.allocate(name, size, used, site)?;
        // SAFETY: as the caller says.
        unsafe { give(to, address) }
    })
}

macro_rules! allocators {
    ($($name:ident ( $($more:ident: $ty:ty),* ) = $used:expr;)*) => {
        $(
            /// # Safety
            ///
            /// `to` is a pointer, or null.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name(to: *mut *mut c_void, size: usize $(, $more: $ty)*) -> Status {
                // SAFETY: as the caller says.
                unsafe { new(stringify!($name), to, size, $used) }
            }
        )*
    };
}

allocators! {
    cudaMalloc() = Use::Device;
    cudaMallocHost() = Use::Pinned;
    cudaHostAlloc(_flags: c_uint) = Use::Pinned;
    cudaMallocManaged(_flags: c_uint) = Use::Managed;
    cudaMallocAsync(_stream: *mut c_void) = Use::Device;
    cudaMallocFromPoolAsync(_pool: *mut c_void, _stream: *mut c_void) = Use::Device;
}

const OF_DEVICE: [Use; 2] = [Use::Device, Use::Managed];

#[unsafe(no_mangle)]
pub extern "C" fn cudaFree(address: *mut c_void) -> Status {
    let site = Site::here();
    call_unbroken(|d| d.free("cudaFree", address as u64, &OF_DEVICE, site))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaFreeAsync(address: *mut c_void, stream: *mut c_void) -> Status {
    let site = Site::here();
    call_unbroken(|d| {
        d.check_stream(stream as usize, "cudaFreeAsync", &site)?;
        d.begin_work(Some(stream as usize));
        d.free("cudaFreeAsync", address as u64, &OF_DEVICE, site)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaFreeHost(address: *mut c_void) -> Status {
    let site = Site::here();
    call_unbroken(|d| d.free("cudaFreeHost", address as u64, &[Use::Pinned], site))
}

/// The distance between rows: what hardware likes.
const PITCH: usize = 512;

/// # Safety
///
/// `to` and `pitch` are pointers to values of their types, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaMallocPitch(
    to: *mut *mut c_void,
    pitch: *mut usize,
    width: usize,
    height: usize,
) -> Status {
    let site = Site::here();
    call_unbroken(|d| {
        let row = width.next_multiple_of(PITCH);
        let size = row.checked_mul(height).ok_or(Failed(Status::MEMORY_ALLOCATION))?;
        let address = d.allocate("cudaMallocPitch", size, Use::Device, site)?;
        // SAFETY: as the caller says.
        unsafe {
            give(pitch, row)?;
            give(to, address)
        }
    })
}

/// `cudaExtent`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Extent {
    pub width: usize,
    pub height: usize,
    pub depth: usize,
}

/// `cudaPitchedPtr`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct PitchedPtr {
    pub ptr: *mut c_void,
    pub pitch: usize,
    pub xsize: usize,
    pub ysize: usize,
}

/// # Safety
///
/// `to` is a pitched pointer, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaMalloc3D(to: *mut PitchedPtr, extent: Extent) -> Status {
    let site = Site::here();
    call_unbroken(|d| {
        let pitch = extent.width.next_multiple_of(PITCH);
        let size = pitch.checked_mul(extent.height).and_then(|s| s.checked_mul(extent.depth));
        let size = size.ok_or(Failed(Status::MEMORY_ALLOCATION))?;
        let ptr = d.allocate("cudaMalloc3D", size, Use::Device, site)?;
        // SAFETY: as the caller says.
        unsafe { give(to, PitchedPtr { ptr, pitch, xsize: extent.width, ysize: extent.height }) }
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaHostRegister(at: *mut c_void, size: usize, _flags: c_uint) -> Status {
    let site = Site::here();
    call_unbroken(|d| {
        let at = at as usize;
        if at == 0 || size == 0 {
            return Failed::with(Status::INVALID_VALUE);
        }
        // The simulator works on whole words, as everything that is worth registering has.
        if !at.is_multiple_of(4) || !size.is_multiple_of(4) {
            return Failed::with(Status::NOT_SUPPORTED);
        }
        if d.memory.find(at as u64).is_some() {
            let message = "cudaHostRegister is given memory that is registered already".to_owned();
            d.misuse(&site, message, "register memory once");
            return Failed::with(Status::ALREADY_REGISTERED);
        }
        d.memory
            .register(at, size as u64, site)
            .map(|_| ())
            .ok_or(Failed(Status::MEMORY_ALLOCATION))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaHostUnregister(at: *mut c_void) -> Status {
    let site = Site::here();
    call_unbroken(|d| match d.memory.find(at as u64) {
        Some(spot) if d.memory.get(spot.slot).is_some_and(|a| a.used == Use::Registered) => {
            d.order.forget(spot.slot);
            d.memory.free(spot.slot, "cudaHostUnregister", site);
            Ok(())
        }
        _ => {
            let message = "cudaHostUnregister is given memory that is not registered".to_owned();
            d.misuse(&site, message, "unregister what was registered, once");
            Failed::with(Status::NOT_REGISTERED)
        }
    })
}

/// # Safety
///
/// `to` is a pointer, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaHostGetDevicePointer(
    to: *mut *mut c_void,
    host: *mut c_void,
    _flags: c_uint,
) -> Status {
    let site = Site::here();
    call_unbroken(|d| {
        let spot = d.memory.find(host as u64);
        let used = spot.and_then(|s| d.memory.get(s.slot)).map(|a| a.used);
        match (spot, used) {
            (Some(spot), Some(Use::Registered)) => {
                let start = lockstep_simulate::Resident::address(spot.slot);
                let address = start.wrapping_add_signed(spot.offset);
                // SAFETY: as the caller says.
                unsafe { give(to, address as *mut c_void) }
            }
            // SAFETY: as the caller says.
            (Some(_), Some(Use::Pinned | Use::Managed)) => unsafe { give(to, host) },
            _ => {
                let message =
                    "cudaHostGetDevicePointer is given memory that is not mapped".to_owned();
                d.misuse(&site, message, "allocate it with cudaHostAlloc, or register it");
                Failed::with(Status::INVALID_VALUE)
            }
        }
    })
}

/// # Safety
///
/// `to` is a number, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaHostGetFlags(to: *mut c_uint, _host: *mut c_void) -> Status {
    // SAFETY: as the caller says.
    call(|_| unsafe { give(to, 0) })
}

/// # Safety
///
/// Both are numbers, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaMemGetInfo(free: *mut usize, total: *mut usize) -> Status {
    call_unbroken(|d| {
        // SAFETY: as the caller says.
        unsafe {
            give(free, (TOTAL - d.memory.in_use.min(TOTAL)) as usize)?;
            give(total, TOTAL as usize)
        }
    })
}

/// `cudaPointerAttributes`.
#[repr(C)]
pub struct PointerAttributes {
    kind: c_int,
    device: c_int,
    device_pointer: *mut c_void,
    host_pointer: *mut c_void,
}

/// # Safety
///
/// `to` is one, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaPointerGetAttributes(
    to: *mut PointerAttributes,
    address: *const c_void,
) -> Status {
    call(|d| {
        let address = address.cast_mut();
        let nothing = std::ptr::null_mut();
        let spot = d.memory.find(address as u64);
        let known = spot.and_then(|s| d.memory.get(s.slot)).filter(|a| a.freed.is_none());
        let (kind, device_pointer, host_pointer) = match known.map(|a| a.used) {
            None => (0, nothing, address),
            Some(Use::Pinned | Use::Registered) => (1, address, address),
            Some(Use::Device | Use::Variable) => (2, address, nothing),
            Some(Use::Managed) => (3, address, address),
        };
        let device = if known.is_some() { 0 } else { -2 };
        // SAFETY: as the caller says.
        unsafe { give(to, PointerAttributes { kind, device, device_pointer, host_pointer }) }
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemAdvise(
    _at: *const c_void,
    _size: usize,
    _advice: c_int,
    _device: c_int,
) -> Status {
    call(|_| Ok(()))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemPrefetchAsync(
    _at: *const c_void,
    _size: usize,
    _device: c_int,
    _stream: *mut c_void,
) -> Status {
    call_unbroken(|_| Ok(()))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamAttachMemAsync(
    _stream: *mut c_void,
    _at: *mut c_void,
    _size: usize,
    _flags: c_uint,
) -> Status {
    call_unbroken(|_| Ok(()))
}

const _: () = assert!(PITCH.is_multiple_of(ALIGN));
