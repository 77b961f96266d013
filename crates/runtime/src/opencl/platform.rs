//! The platform and its one device, and what they say of themselves.

use std::ffi::c_void;
use std::sync::OnceLock;

use opencl_sys::*;

use crate::device::Device;
use crate::launch::{MOST_BLOCK, MOST_THREADS, PROCESSORS, USUAL_SHARED};
use crate::memory::{ALIGN, TOTAL};
use crate::opencl::answer::{Answer, Wanted, give_list};
use crate::opencl::objects::Head;
use crate::opencl::{Call, Outcome, dispatch, status};

/// Whether the device has images.
pub(super) const HAS_IMAGES: bool = false;

/// The size of the longest vector type.
const LONGEST_TYPE: u32 = 128;

const EXTENSIONS: &str = "cl_khr_byte_addressable_store cl_khr_fp64 cl_khr_global_int32_base_atomics \
    cl_khr_global_int32_extended_atomics cl_khr_local_int32_base_atomics \
    cl_khr_local_int32_extended_atomics cl_khr_int64_base_atomics cl_khr_int64_extended_atomics";

/// An object that is there as long as the process.
struct Forever(Head);

// SAFETY: the table that it points to is never written.
unsafe impl Send for Forever {}
// SAFETY: as above.
unsafe impl Sync for Forever {}

fn forever(of: &'static OnceLock<Forever>) -> usize {
    let own = of.get_or_init(|| Forever(Head { dispatch: dispatch::table() }));
    (&raw const own.0).expose_provenance()
}

/// The handle of the platform.
pub(super) fn platform() -> usize {
    static PLATFORM: OnceLock<Forever> = OnceLock::new();
    forever(&PLATFORM)
}

/// The handle of the device.
pub(super) fn device() -> usize {
    static DEVICE: OnceLock<Forever> = OnceLock::new();
    forever(&DEVICE)
}

/// Whether devices of this type are wanted. The simulator is a device of whatever type a program asks for.
pub(super) fn fits(kind: cl_device_type) -> Outcome<bool> {
    let standard = CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR;
    let ours = standard | CL_DEVICE_TYPE_DEFAULT;
    if kind == 0 || (kind & !(ours | CL_DEVICE_TYPE_CUSTOM) != 0 && kind != CL_DEVICE_TYPE_ALL) {
        return Err(CL_INVALID_DEVICE_TYPE);
    }
    Ok(kind & ours != 0)
}

/// Whether all of these are our device.
pub(super) fn check_devices(d: &mut Device, call: &Call, devices: &[usize]) -> Outcome {
    if devices.iter().all(|own| *own == device()) {
        return Ok(());
    }
    let help = "take devices from clGetDeviceIDs, and look at its error";
    d.wrong(call, CL_INVALID_DEVICE, "is given a device of another platform, or none", help)
}

/// # Safety
///
/// Lists have the lengths that are given.
pub(super) unsafe extern "C" fn clGetPlatformIDs(
    room: u32,
    to: *mut cl_platform_id,
    count: *mut u32,
) -> cl_int {
    if (room == 0) != to.is_null() || (to.is_null() && count.is_null()) {
        return CL_INVALID_VALUE;
    }
    // SAFETY: as the caller says.
    unsafe { give_list(&[platform()], room, to, count) };
    CL_SUCCESS
}

/// # Safety
///
/// The places for the answer are null or of the size that is given.
pub(super) unsafe extern "C" fn clGetPlatformInfo(
    _platform: cl_platform_id,
    what: cl_platform_info,
    size: usize,
    to: *mut c_void,
    size_ret: *mut usize,
) -> cl_int {
    status("clGetPlatformInfo", |_, _| {
        let answer: Answer = match what {
            CL_PLATFORM_PROFILE => "FULL_PROFILE".into(),
            CL_PLATFORM_VERSION => "OpenCL 1.2 Lockstep".into(),
            CL_PLATFORM_NAME => "Lockstep".into(),
            CL_PLATFORM_VENDOR => "Lockstep".into(),
            CL_PLATFORM_EXTENSIONS => format!("cl_khr_icd {EXTENSIONS}").as_str().into(),
            CL_PLATFORM_ICD_SUFFIX_KHR => "LOCKSTEP".into(),
            _ => return Err(CL_INVALID_VALUE),
        };
        // SAFETY: as the caller says.
        unsafe { Wanted { size, to, size_ret }.give(answer) }
    })
}

/// # Safety
///
/// Lists have the lengths that are given.
pub(super) unsafe extern "C" fn clGetDeviceIDs(
    _platform: cl_platform_id,
    kind: cl_device_type,
    room: u32,
    to: *mut cl_device_id,
    count: *mut u32,
) -> cl_int {
    status("clGetDeviceIDs", |_, _| {
        if (room == 0) != to.is_null() || (to.is_null() && count.is_null()) {
            return Err(CL_INVALID_VALUE);
        }
        if !fits(kind)? {
            return Err(CL_DEVICE_NOT_FOUND);
        }
        // SAFETY: as the caller says.
        unsafe { give_list(&[device()], room, to, count) };
        Ok(())
    })
}

/// # Safety
///
/// The places for the answer are null or of the size that is given.
pub(super) unsafe extern "C" fn clGetDeviceInfo(
    own: cl_device_id,
    what: cl_device_info,
    size: usize,
    to: *mut c_void,
    size_ret: *mut usize,
) -> cl_int {
    status("clGetDeviceInfo", |d, call| {
        check_devices(d, call, &[own as usize])?;
        let answer = about_device(what).ok_or(CL_INVALID_VALUE)?;
        // SAFETY: as the caller says.
        unsafe { Wanted { size, to, size_ret }.give(answer) }
    })
}

fn about_device(what: cl_device_info) -> Option<Answer> {
    const YES: u32 = CL_TRUE;
    const NO: u32 = CL_FALSE;
    let precise = CL_FP_DENORM
        | CL_FP_INF_NAN
        | CL_FP_ROUND_TO_NEAREST
        | CL_FP_ROUND_TO_ZERO
        | CL_FP_ROUND_TO_INF
        | CL_FP_FMA;
    let single = CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_FMA;
    let queue = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
    Some(match what {
        CL_DEVICE_TYPE => CL_DEVICE_TYPE_GPU.into(),
        CL_DEVICE_VENDOR_ID => 0u32.into(),
        CL_DEVICE_NAME => "Lockstep simulator".into(),
        CL_DEVICE_VENDOR => "Lockstep".into(),
        CL_DRIVER_VERSION => env!("CARGO_PKG_VERSION").into(),
        CL_DEVICE_PROFILE => "FULL_PROFILE".into(),
        CL_DEVICE_VERSION => "OpenCL 1.2 Lockstep".into(),
        CL_DEVICE_OPENCL_C_VERSION => "OpenCL C 1.2 Lockstep".into(),
        CL_DEVICE_EXTENSIONS => EXTENSIONS.into(),
        CL_DEVICE_BUILT_IN_KERNELS => "".into(),
        CL_DEVICE_PLATFORM => platform().into(),
        CL_DEVICE_PARENT_DEVICE => 0usize.into(),
        CL_DEVICE_REFERENCE_COUNT => 1u32.into(),
        CL_DEVICE_AVAILABLE | CL_DEVICE_COMPILER_AVAILABLE | CL_DEVICE_LINKER_AVAILABLE => {
            YES.into()
        }
        CL_DEVICE_ENDIAN_LITTLE | CL_DEVICE_PREFERRED_INTEROP_USER_SYNC => YES.into(),
        CL_DEVICE_ERROR_CORRECTION_SUPPORT | CL_DEVICE_HOST_UNIFIED_MEMORY => NO.into(),
        CL_DEVICE_EXECUTION_CAPABILITIES => CL_EXEC_KERNEL.into(),
        CL_DEVICE_QUEUE_PROPERTIES => queue.into(),

        CL_DEVICE_MAX_COMPUTE_UNITS => (PROCESSORS as u32).into(),
        CL_DEVICE_MAX_CLOCK_FREQUENCY => 1000u32.into(),
        CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS => 3u32.into(),
        CL_DEVICE_MAX_WORK_ITEM_SIZES => MOST_BLOCK.map(|d| d as usize)[..].into(),
        CL_DEVICE_MAX_WORK_GROUP_SIZE => (MOST_THREADS as usize).into(),
        CL_DEVICE_ADDRESS_BITS => 64u32.into(),
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR
        | CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT
        | CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT
        | CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG
        | CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT
        | CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE
        | CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR
        | CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT
        | CL_DEVICE_NATIVE_VECTOR_WIDTH_INT
        | CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG
        | CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT
        | CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE => 1u32.into(),
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF | CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF => 0u32.into(),
        CL_DEVICE_SINGLE_FP_CONFIG => (single | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT).into(),
        CL_DEVICE_DOUBLE_FP_CONFIG => precise.into(),
        CL_DEVICE_HALF_FP_CONFIG => 0u64.into(),

        CL_DEVICE_GLOBAL_MEM_SIZE => TOTAL.into(),
        CL_DEVICE_MAX_MEM_ALLOC_SIZE => (TOTAL / 4).into(),
        CL_DEVICE_GLOBAL_MEM_CACHE_TYPE => CL_NONE.into(),
        CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE => 0u32.into(),
        CL_DEVICE_GLOBAL_MEM_CACHE_SIZE => 0u64.into(),
        CL_DEVICE_LOCAL_MEM_TYPE => CL_LOCAL.into(),
        CL_DEVICE_LOCAL_MEM_SIZE => USUAL_SHARED.into(),
        CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE => (64u64 << 10).into(),
        CL_DEVICE_MAX_CONSTANT_ARGS => 8u32.into(),
        CL_DEVICE_MAX_PARAMETER_SIZE => 4096usize.into(),
        CL_DEVICE_MEM_BASE_ADDR_ALIGN => (8 * ALIGN as u32).into(),
        CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE => LONGEST_TYPE.into(),
        CL_DEVICE_PRINTF_BUFFER_SIZE => (16usize << 20).into(),
        CL_DEVICE_PROFILING_TIMER_RESOLUTION => 1usize.into(),

        CL_DEVICE_IMAGE_SUPPORT => u32::from(HAS_IMAGES).into(),
        CL_DEVICE_MAX_READ_IMAGE_ARGS | CL_DEVICE_MAX_WRITE_IMAGE_ARGS | CL_DEVICE_MAX_SAMPLERS => {
            0u32.into()
        }
        CL_DEVICE_IMAGE2D_MAX_WIDTH
        | CL_DEVICE_IMAGE2D_MAX_HEIGHT
        | CL_DEVICE_IMAGE3D_MAX_WIDTH
        | CL_DEVICE_IMAGE3D_MAX_HEIGHT
        | CL_DEVICE_IMAGE3D_MAX_DEPTH
        | CL_DEVICE_IMAGE_MAX_BUFFER_SIZE
        | CL_DEVICE_IMAGE_MAX_ARRAY_SIZE => 0usize.into(),

        CL_DEVICE_PARTITION_MAX_SUB_DEVICES => 0u32.into(),
        CL_DEVICE_PARTITION_PROPERTIES | CL_DEVICE_PARTITION_TYPE => 0usize.into(),
        CL_DEVICE_PARTITION_AFFINITY_DOMAIN => 0u64.into(),
        _ => return None,
    })
}

pub(super) extern "C" fn clRetainDevice(own: cl_device_id) -> cl_int {
    status("clRetainDevice", |d, call| check_devices(d, call, &[own as usize]))
}

pub(super) extern "C" fn clReleaseDevice(own: cl_device_id) -> cl_int {
    status("clReleaseDevice", |d, call| check_devices(d, call, &[own as usize]))
}

/// The device cannot be divided.
pub(super) extern "C" fn clCreateSubDevices(
    own: cl_device_id,
    _properties: *const cl_device_partition_property,
    _room: u32,
    _to: *mut cl_device_id,
    _count: *mut u32,
) -> cl_int {
    status("clCreateSubDevices", |d, call| {
        check_devices(d, call, &[own as usize])?;
        Err(CL_INVALID_VALUE)
    })
}
