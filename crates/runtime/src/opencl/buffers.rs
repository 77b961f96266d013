//! Memory objects: buffers, and parts of them.
//!
//! A buffer is an allocation of the device; a sub-buffer is a range of its parent's. With `CL_MEM_USE_HOST_PTR` the program's
//! memory is where maps are, and the buffer has a copy of it, as on a device with memory of its own.

use std::ffi::c_void;

use opencl_sys::{
    CL_BUFFER_CREATE_TYPE_REGION, CL_INVALID_BUFFER_SIZE, CL_INVALID_HOST_PTR,
    CL_INVALID_MEM_OBJECT, CL_INVALID_VALUE, CL_MEM_ALLOC_HOST_PTR, CL_MEM_ASSOCIATED_MEMOBJECT,
    CL_MEM_CONTEXT, CL_MEM_COPY_HOST_PTR, CL_MEM_FLAGS, CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_PTR,
    CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY, CL_MEM_MAP_COUNT,
    CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_MEM_OBJECT_BUFFER, CL_MEM_OFFSET, CL_MEM_READ_ONLY,
    CL_MEM_READ_WRITE, CL_MEM_REFERENCE_COUNT, CL_MEM_SIZE, CL_MEM_TYPE, CL_MEM_USE_HOST_PTR,
    CL_MEM_WRITE_ONLY, CL_MISALIGNED_SUB_BUFFER_OFFSET, cl_buffer_create_type, cl_buffer_region,
    cl_context, cl_image_format, cl_int, cl_map_flags, cl_mem, cl_mem_flags, cl_mem_info,
    cl_mem_object_type,
};

use lockstep_simulate::Resident;

use crate::device::Device;
use crate::memory::{ALIGN, Use};
use crate::opencl::answer::{Answer, Wanted, give};
use crate::opencl::context::Context;
use crate::opencl::objects::Body;
use crate::opencl::{Outcome, call, code_of, made, status};
use crate::site::Site;
use crate::transfer::{Copy, DEFAULT, Side};

type Notify = unsafe extern "C" fn(memory: cl_mem, user_data: *mut c_void);

pub(super) struct Buffer {
    pub context: usize,
    pub flags: cl_mem_flags,
    pub size: u64,
    /// Its allocation.
    pub slot: usize,
    /// Of a sub-buffer: its parent, and where it begins there.
    pub parent: Option<usize>,
    pub origin: u64,
    /// The program's memory that it uses.
    pub host: usize,
    pub maps: Vec<Map>,
    notify: Vec<(Notify, usize)>,
}

/// A range that the program has mapped.
#[derive(Clone, Debug)]
pub(super) struct Map {
    pub at: usize,
    pub offset: u64,
    pub size: u64,
    pub flags: cl_map_flags,
    pub site: Site,
}

impl Buffer {
    /// The address that kernels get.
    pub(super) fn address(&self) -> u64 {
        Resident::address(self.slot) + self.origin
    }
}

const ACCESS: cl_mem_flags = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
const HOST: cl_mem_flags = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;
const HOST_ACCESS: cl_mem_flags =
    CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;

/// Whether flags are known, and do not contradict each other.
fn check_flags(flags: cl_mem_flags) -> Outcome {
    let one_of = |mask: cl_mem_flags| (flags & mask).count_ones() <= 1;
    let known = flags & !(ACCESS | HOST | HOST_ACCESS) == 0;
    let hosts = flags & CL_MEM_USE_HOST_PTR == 0
        || flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR) == 0;
    (known && hosts && one_of(ACCESS) && one_of(HOST_ACCESS)).then_some(()).ok_or(CL_INVALID_VALUE)
}

/// # Safety
///
/// `host` has as many bytes as are asked for, or is null; `code` is null or points to a number.
pub(super) unsafe extern "C" fn clCreateBuffer(
    context: cl_context,
    flags: cl_mem_flags,
    size: usize,
    host: *mut c_void,
    code: *mut cl_int,
) -> cl_mem {
    let buffer = call("clCreateBuffer", |d, call| {
        d.object::<Context>(context as usize, call)?;
        check_flags(flags)?;
        if size == 0 || size as u64 > Resident::MOST_BYTES {
            return Err(CL_INVALID_BUFFER_SIZE);
        }
        let uses_host = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) != 0;
        if uses_host == host.is_null() {
            return Err(CL_INVALID_HOST_PTR);
        }
        let site = call.site.clone();
        let made = d.memory.allocate(size as u64, Use::Device, call.name, site);
        let address = made.ok_or(CL_MEM_OBJECT_ALLOCATION_FAILURE)?;
        let slot = d.memory.find(address).map_or(0, |spot| spot.slot);
        let flags = if flags & ACCESS == 0 { flags | CL_MEM_READ_WRITE } else { flags };
        if uses_host {
            let sides = (Side { at: address, pitch: 0, slice: 0 }, Side::flat(host));
            let copy = Copy { name: call.name, site: &call.site };
            d.copy(&copy, sides, [size as u64, 1, 1], DEFAULT).map_err(code_of)?;
        }
        let kept = flags & CL_MEM_USE_HOST_PTR != 0;
        let buffer = Buffer {
            context: context as usize,
            flags,
            size: size as u64,
            slot,
            parent: None,
            origin: 0,
            host: if kept { host as usize } else { 0 },
            maps: Vec::new(),
            notify: Vec::new(),
        };
        Ok(d.put(Body::Buffer(buffer), 1, vec![context as usize]))
    });
    // SAFETY: as the caller says.
    unsafe { made(code, buffer) }
}

/// # Safety
///
/// `info` is null or points to a region; `code` is null or points to a number.
pub(super) unsafe extern "C" fn clCreateSubBuffer(
    parent: cl_mem,
    flags: cl_mem_flags,
    kind: cl_buffer_create_type,
    info: *const c_void,
    code: *mut cl_int,
) -> cl_mem {
    let buffer = call("clCreateSubBuffer", |d, call| {
        let own = d.object::<Buffer>(parent as usize, call)?;
        if own.parent.is_some() {
            return Err(CL_INVALID_MEM_OBJECT);
        }
        check_flags(flags)?;
        if kind != CL_BUFFER_CREATE_TYPE_REGION || info.is_null() || flags & HOST != 0 {
            return Err(CL_INVALID_VALUE);
        }
        // SAFETY: as the caller says.
        let region = unsafe { info.cast::<cl_buffer_region>().read() };
        let (origin, size) = (region.origin as u64, region.size as u64);
        let (all, inherited) = (own.size, own.flags);
        if origin.checked_add(size).is_none_or(|end| end > all) {
            let told = format!("asks for {size} bytes at byte {origin} of a buffer of {all} bytes");
            let help = "a sub-buffer lies within its buffer, and its origin and size count bytes";
            return d.wrong(call, CL_INVALID_VALUE, told, help);
        }
        if size == 0 {
            return Err(CL_INVALID_BUFFER_SIZE);
        }
        if origin % ALIGN as u64 != 0 {
            return Err(CL_MISALIGNED_SUB_BUFFER_OFFSET);
        }
        let or_inherited = |mask: cl_mem_flags| {
            if flags & mask == 0 { inherited & mask } else { flags & mask }
        };
        let host = own.host;
        let buffer = Buffer {
            context: own.context,
            flags: or_inherited(ACCESS) | or_inherited(HOST_ACCESS) | (inherited & HOST),
            size,
            slot: own.slot,
            parent: Some(parent as usize),
            origin,
            host: if host == 0 { 0 } else { host + region.origin },
            maps: Vec::new(),
            notify: Vec::new(),
        };
        Ok(d.put(Body::Buffer(buffer), 1, vec![parent as usize]))
    });
    // SAFETY: as the caller says.
    unsafe { made(code, buffer) }
}

pub(super) extern "C" fn clRetainMemObject(memory: cl_mem) -> cl_int {
    status("clRetainMemObject", |d, call| d.retain::<Buffer>(memory as usize, call))
}

pub(super) extern "C" fn clReleaseMemObject(memory: cl_mem) -> cl_int {
    status("clReleaseMemObject", |d, call| d.release::<Buffer>(memory as usize, call))
}

impl Device {
    /// Nothing uses a buffer any more.
    pub(super) fn end_buffer(
        &mut self,
        handle: usize,
        buffer: &Buffer,
        call: &'static str,
        site: Site,
    ) {
        if buffer.parent.is_none() {
            self.order.forget(buffer.slot);
            self.memory.free(buffer.slot, call, site);
        }
        // The last that was added is called first.
        for &(notify, user_data) in buffer.notify.iter().rev() {
            self.opencl.callbacks.add(Box::new(move || {
                // SAFETY: the program has given the function to be called so.
                unsafe { notify(handle as cl_mem, user_data as *mut c_void) };
            }));
        }
    }
}

pub(super) extern "C" fn clSetMemObjectDestructorCallback(
    memory: cl_mem,
    notify: Option<Notify>,
    user_data: *mut c_void,
) -> cl_int {
    status("clSetMemObjectDestructorCallback", |d, call| {
        let own = d.object::<Buffer>(memory as usize, call)?;
        own.notify.push((notify.ok_or(CL_INVALID_VALUE)?, user_data as usize));
        Ok(())
    })
}

/// # Safety
///
/// The places for the answer are null or of the size that is given.
pub(super) unsafe extern "C" fn clGetMemObjectInfo(
    memory: cl_mem,
    what: cl_mem_info,
    size: usize,
    to: *mut c_void,
    size_ret: *mut usize,
) -> cl_int {
    status("clGetMemObjectInfo", |d, call| {
        let own = d.object::<Buffer>(memory as usize, call)?;
        let answer: Answer = match what {
            CL_MEM_TYPE => CL_MEM_OBJECT_BUFFER.into(),
            CL_MEM_FLAGS => own.flags.into(),
            CL_MEM_SIZE => (own.size as usize).into(),
            CL_MEM_HOST_PTR => own.host.into(),
            CL_MEM_MAP_COUNT => (own.maps.len() as u32).into(),
            CL_MEM_CONTEXT => own.context.into(),
            CL_MEM_ASSOCIATED_MEMOBJECT => own.parent.unwrap_or(0).into(),
            CL_MEM_OFFSET => (own.origin as usize).into(),
            CL_MEM_REFERENCE_COUNT => d.references(memory as usize).into(),
            _ => return Err(CL_INVALID_VALUE),
        };
        // SAFETY: as the caller says.
        unsafe { Wanted { size, to, size_ret }.give(answer) }
    })
}

/// There are no images.
///
/// # Safety
///
/// `count` is null or points to a number.
pub(super) unsafe extern "C" fn clGetSupportedImageFormats(
    context: cl_context,
    _flags: cl_mem_flags,
    _kind: cl_mem_object_type,
    _room: u32,
    _to: *mut cl_image_format,
    count: *mut u32,
) -> cl_int {
    status("clGetSupportedImageFormats", |d, call| {
        d.object::<Context>(context as usize, call)?;
        // SAFETY: as the caller says.
        unsafe { give(count, 0) };
        Ok(())
    })
}
