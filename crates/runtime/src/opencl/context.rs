//! Contexts, command queues and samplers.

use std::ffi::{c_char, c_void};

use opencl_sys::{
    CL_CONTEXT_DEVICES, CL_CONTEXT_NUM_DEVICES, CL_CONTEXT_PLATFORM, CL_CONTEXT_PROPERTIES,
    CL_CONTEXT_REFERENCE_COUNT, CL_DEVICE_NOT_FOUND, CL_INVALID_OPERATION, CL_INVALID_PLATFORM,
    CL_INVALID_PROPERTY, CL_INVALID_QUEUE_PROPERTIES, CL_INVALID_VALUE, CL_QUEUE_CONTEXT,
    CL_QUEUE_DEVICE, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_QUEUE_PROFILING_ENABLE,
    CL_QUEUE_PROPERTIES, CL_QUEUE_REFERENCE_COUNT, CL_SAMPLER_ADDRESSING_MODE, CL_SAMPLER_CONTEXT,
    CL_SAMPLER_FILTER_MODE, CL_SAMPLER_NORMALIZED_COORDS, CL_SAMPLER_REFERENCE_COUNT,
    cl_addressing_mode, cl_bool, cl_command_queue, cl_command_queue_info,
    cl_command_queue_properties, cl_context, cl_context_info, cl_context_properties, cl_device_id,
    cl_device_type, cl_filter_mode, cl_int, cl_queue_properties, cl_sampler, cl_sampler_info,
};

use crate::device::Device;
use crate::opencl::answer::{Answer, Wanted, give, handles};
use crate::opencl::objects::Body;
use crate::opencl::platform::{check_devices, device, fits, platform};
use crate::opencl::{Call, Outcome, call, made, status};

type Notify = unsafe extern "C" fn(*const c_char, *const c_void, usize, *mut c_void);

pub(super) struct Context {
    /// As the program gave them, with the zero at their end.
    properties: Vec<cl_context_properties>,
}

pub(super) struct Queue {
    pub context: usize,
    pub properties: cl_command_queue_properties,
    /// The error of a command that has failed, until the program is told.
    pub failed: Option<cl_int>,
}

pub(super) struct Sampler {
    context: usize,
    normalized: cl_bool,
    addressing: cl_addressing_mode,
    filter: cl_filter_mode,
}

impl Queue {
    pub(super) fn profiling(&self) -> bool {
        self.properties & CL_QUEUE_PROFILING_ENABLE != 0
    }
}

/// # Safety
///
/// A list of properties ends with a zero.
unsafe fn properties<T: Copy + Default + PartialEq>(from: *const T) -> Vec<T> {
    let mut all = Vec::new();
    let end = T::default();
    let mut at = from;
    while !at.is_null() {
        // SAFETY: as the caller says.
        let name = unsafe { at.read() };
        all.push(name);
        if name == end {
            break;
        }
        // SAFETY: as the caller says: a value follows each name.
        unsafe {
            all.push(at.add(1).read());
            at = at.add(2);
        }
    }
    all
}

fn new_context(d: &mut Device, properties: Vec<cl_context_properties>) -> Outcome<usize> {
    let ours = |p: cl_context_properties| p == 0 || p as usize == platform();
    let named = properties.chunks_exact(2).find(|p| p[0] == CL_CONTEXT_PLATFORM);
    if named.is_some_and(|p| !ours(p[1])) {
        return Err(CL_INVALID_PLATFORM);
    }
    Ok(d.put(Body::Context(Context { properties }), 1, Vec::new()))
}

/// # Safety
///
/// Lists have the lengths that are given, and `code` is null or points to a number.
pub(super) unsafe extern "C" fn clCreateContext(
    wanted: *const cl_context_properties,
    count: u32,
    devices: *const cl_device_id,
    _notify: Option<Notify>,
    _user_data: *mut c_void,
    code: *mut cl_int,
) -> cl_context {
    let context = call("clCreateContext", |d, call| {
        if count == 0 || devices.is_null() {
            return Err(CL_INVALID_VALUE);
        }
        // SAFETY: as the caller says.
        let (devices, properties) = unsafe { (handles(count, devices), properties(wanted)) };
        check_devices(d, call, &devices)?;
        new_context(d, properties)
    });
    // SAFETY: as the caller says.
    unsafe { made(code, context) }
}

/// # Safety
///
/// As for [`clCreateContext`].
pub(super) unsafe extern "C" fn clCreateContextFromType(
    wanted: *const cl_context_properties,
    kind: cl_device_type,
    _notify: Option<Notify>,
    _user_data: *mut c_void,
    code: *mut cl_int,
) -> cl_context {
    let context = call("clCreateContextFromType", |d, _| {
        if !fits(kind)? {
            return Err(CL_DEVICE_NOT_FOUND);
        }
        // SAFETY: as the caller says.
        let properties = unsafe { properties(wanted) };
        new_context(d, properties)
    });
    // SAFETY: as the caller says.
    unsafe { made(code, context) }
}

pub(super) extern "C" fn clRetainContext(context: cl_context) -> cl_int {
    status("clRetainContext", |d, call| d.retain::<Context>(context as usize, call))
}

pub(super) extern "C" fn clReleaseContext(context: cl_context) -> cl_int {
    status("clReleaseContext", |d, call| d.release::<Context>(context as usize, call))
}

/// # Safety
///
/// The places for the answer are null or of the size that is given.
pub(super) unsafe extern "C" fn clGetContextInfo(
    context: cl_context,
    what: cl_context_info,
    size: usize,
    to: *mut c_void,
    size_ret: *mut usize,
) -> cl_int {
    status("clGetContextInfo", |d, call| {
        let own = d.object::<Context>(context as usize, call)?;
        let answer: Answer = match what {
            CL_CONTEXT_NUM_DEVICES => 1u32.into(),
            CL_CONTEXT_DEVICES => device().into(),
            CL_CONTEXT_PROPERTIES => {
                let all: Vec<usize> = own.properties.iter().map(|p| *p as usize).collect();
                all[..].into()
            }
            CL_CONTEXT_REFERENCE_COUNT => d.references(context as usize).into(),
            _ => return Err(CL_INVALID_VALUE),
        };
        // SAFETY: as the caller says.
        unsafe { Wanted { size, to, size_ret }.give(answer) }
    })
}

fn new_queue(
    d: &mut Device,
    call: &Call,
    (context, device): (usize, usize),
    properties: cl_command_queue_properties,
) -> Outcome<usize> {
    d.object::<Context>(context, call)?;
    check_devices(d, call, &[device])?;
    let known = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
    if properties & !known != 0 {
        return Err(CL_INVALID_QUEUE_PROPERTIES);
    }
    let queue = Queue { context, properties, failed: None };
    let handle = d.put(Body::Queue(queue), 1, vec![context]);
    // Where there is one queue, which works in order, all is in order.
    let is_open = properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE != 0;
    if is_open || d.order.has_lanes() {
        d.order.activate();
    }
    match is_open {
        true => d.order.open(handle),
        false => d.order.add(handle, "queue", false),
    };
    Ok(handle)
}

/// # Safety
///
/// `code` is null or points to a number.
pub(super) unsafe extern "C" fn clCreateCommandQueue(
    context: cl_context,
    device: cl_device_id,
    properties: cl_command_queue_properties,
    code: *mut cl_int,
) -> cl_command_queue {
    let queue = call("clCreateCommandQueue", |d, call| {
        new_queue(d, call, (context as usize, device as usize), properties)
    });
    // SAFETY: as the caller says.
    unsafe { made(code, queue) }
}

/// # Safety
///
/// As for [`clCreateContext`].
pub(super) unsafe extern "C" fn clCreateCommandQueueWithProperties(
    context: cl_context,
    device: cl_device_id,
    wanted: *const cl_queue_properties,
    code: *mut cl_int,
) -> cl_command_queue {
    let queue = call("clCreateCommandQueueWithProperties", |d, call| {
        // SAFETY: as the caller says.
        let all = unsafe { properties(wanted) };
        let mut bits = 0;
        for pair in all.chunks_exact(2) {
            match pair[0] {
                p if p == u64::from(CL_QUEUE_PROPERTIES) => bits = pair[1],
                _ => return Err(CL_INVALID_PROPERTY),
            }
        }
        new_queue(d, call, (context as usize, device as usize), bits)
    });
    // SAFETY: as the caller says.
    unsafe { made(code, queue) }
}

pub(super) extern "C" fn clRetainCommandQueue(queue: cl_command_queue) -> cl_int {
    status("clRetainCommandQueue", |d, call| d.retain::<Queue>(queue as usize, call))
}

pub(super) extern "C" fn clReleaseCommandQueue(queue: cl_command_queue) -> cl_int {
    status("clReleaseCommandQueue", |d, call| d.release::<Queue>(queue as usize, call))
}

/// # Safety
///
/// The places for the answer are null or of the size that is given.
pub(super) unsafe extern "C" fn clGetCommandQueueInfo(
    queue: cl_command_queue,
    what: cl_command_queue_info,
    size: usize,
    to: *mut c_void,
    size_ret: *mut usize,
) -> cl_int {
    status("clGetCommandQueueInfo", |d, call| {
        let own = d.object::<Queue>(queue as usize, call)?;
        let answer: Answer = match what {
            CL_QUEUE_CONTEXT => own.context.into(),
            CL_QUEUE_DEVICE => device().into(),
            CL_QUEUE_PROPERTIES => own.properties.into(),
            CL_QUEUE_REFERENCE_COUNT => d.references(queue as usize).into(),
            _ => return Err(CL_INVALID_VALUE),
        };
        // SAFETY: as the caller says.
        unsafe { Wanted { size, to, size_ret }.give(answer) }
    })
}

/// # Safety
///
/// `before` is null or points to properties.
pub(super) unsafe extern "C" fn clSetCommandQueueProperty(
    queue: cl_command_queue,
    properties: cl_command_queue_properties,
    enable: cl_bool,
    before: *mut cl_command_queue_properties,
) -> cl_int {
    status("clSetCommandQueueProperty", |d, call| {
        let own = d.object::<Queue>(queue as usize, call)?;
        // Only 1.0 could do more.
        if properties & !CL_QUEUE_PROFILING_ENABLE != 0 {
            return Err(CL_INVALID_OPERATION);
        }
        // SAFETY: as the caller says.
        unsafe { give(before, own.properties) };
        match enable {
            0 => own.properties &= !properties,
            _ => own.properties |= properties,
        }
        Ok(())
    })
}

/// # Safety
///
/// `code` is null or points to a number.
pub(super) unsafe extern "C" fn clCreateSampler(
    context: cl_context,
    normalized: cl_bool,
    addressing: cl_addressing_mode,
    filter: cl_filter_mode,
    code: *mut cl_int,
) -> cl_sampler {
    let sampler = call("clCreateSampler", |d, call| {
        let context = context as usize;
        d.object::<Context>(context, call)?;
        // The device has no images.
        if !crate::opencl::platform::HAS_IMAGES {
            return Err(CL_INVALID_OPERATION);
        }
        let sampler = Sampler { context, normalized, addressing, filter };
        Ok(d.put(Body::Sampler(sampler), 1, vec![context]))
    });
    // SAFETY: as the caller says.
    unsafe { made(code, sampler) }
}

pub(super) extern "C" fn clRetainSampler(sampler: cl_sampler) -> cl_int {
    status("clRetainSampler", |d, call| d.retain::<Sampler>(sampler as usize, call))
}

pub(super) extern "C" fn clReleaseSampler(sampler: cl_sampler) -> cl_int {
    status("clReleaseSampler", |d, call| d.release::<Sampler>(sampler as usize, call))
}

/// # Safety
///
/// The places for the answer are null or of the size that is given.
pub(super) unsafe extern "C" fn clGetSamplerInfo(
    sampler: cl_sampler,
    what: cl_sampler_info,
    size: usize,
    to: *mut c_void,
    size_ret: *mut usize,
) -> cl_int {
    status("clGetSamplerInfo", |d, call| {
        let own = d.object::<Sampler>(sampler as usize, call)?;
        let answer: Answer = match what {
            CL_SAMPLER_CONTEXT => own.context.into(),
            CL_SAMPLER_NORMALIZED_COORDS => own.normalized.into(),
            CL_SAMPLER_ADDRESSING_MODE => own.addressing.into(),
            CL_SAMPLER_FILTER_MODE => own.filter.into(),
            CL_SAMPLER_REFERENCE_COUNT => d.references(sampler as usize).into(),
            _ => return Err(CL_INVALID_VALUE),
        };
        // SAFETY: as the caller says.
        unsafe { Wanted { size, to, size_ret }.give(answer) }
    })
}
