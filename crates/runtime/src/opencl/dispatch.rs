//! What the loader knows of this library: two functions by their names, and a table of all others.

use std::ffi::{CStr, c_char, c_void};
use std::mem::MaybeUninit;
use std::sync::{Once, OnceLock};

use opencl_sys::cl_icd::cl_icd_dispatch;
use opencl_sys::{cl_int, cl_platform_id};

use crate::device::lock;
use crate::opencl::{
    buffers, context, describe, events, kernels, launch, map, missing, platform, program, transfer,
};

struct Table(cl_icd_dispatch);

/// The table that every object begins with.
pub(super) fn table() -> *const cl_icd_dispatch {
    static TABLE: OnceLock<Table> = OnceLock::new();
    &TABLE.get_or_init(|| Table(filled())).0
}

/// For each function of a module its place in the table.
macro_rules! fill {
    ($table:ident; $($module:ident: $($name:ident)*;)*) => {
        $($($table.$name = Some($module::$name);)*)*
    };
}

/// The same for functions that are not there, whatever their parameters.
macro_rules! fill_missing {
    ($table:ident; $($name:ident)*) => {
        $(
            let function = missing::$name as *const ();
            // SAFETY: the place is one for a function. This one reads none of its parameters, or takes them as the table
            // says, and returns what the table says.
            unsafe { (&raw mut $table.$name).cast::<*const ()>().write(function) };
        )*
    };
}

fn filled() -> cl_icd_dispatch {
    // SAFETY: all of it are functions that may be absent, and a number.
    let mut table: cl_icd_dispatch = unsafe { MaybeUninit::zeroed().assume_init() };
    fill! { table;
        platform: clGetPlatformIDs clGetPlatformInfo clGetDeviceIDs clGetDeviceInfo clCreateSubDevices
            clRetainDevice clReleaseDevice;
        context: clCreateContext clCreateContextFromType clRetainContext clReleaseContext clGetContextInfo
            clCreateCommandQueue clCreateCommandQueueWithProperties clRetainCommandQueue
            clReleaseCommandQueue clGetCommandQueueInfo clSetCommandQueueProperty clCreateSampler
            clRetainSampler clReleaseSampler clGetSamplerInfo;
        buffers: clCreateBuffer clCreateSubBuffer clRetainMemObject clReleaseMemObject clGetMemObjectInfo
            clSetMemObjectDestructorCallback clGetSupportedImageFormats;
        transfer: clEnqueueReadBuffer clEnqueueWriteBuffer clEnqueueCopyBuffer clEnqueueReadBufferRect
            clEnqueueWriteBufferRect clEnqueueCopyBufferRect clEnqueueFillBuffer
            clEnqueueMigrateMemObjects;
        map: clEnqueueMapBuffer clEnqueueUnmapMemObject;
        program: clCreateProgramWithSource clCreateProgramWithBinary clRetainProgram clReleaseProgram
            clBuildProgram clCompileProgram clLinkProgram clUnloadCompiler clUnloadPlatformCompiler;
        describe: clGetProgramInfo clGetProgramBuildInfo clGetKernelInfo clGetKernelArgInfo
            clGetKernelWorkGroupInfo;
        kernels: clCreateKernel clCreateKernelsInProgram clRetainKernel clReleaseKernel clSetKernelArg;
        launch: clEnqueueNDRangeKernel clEnqueueTask;
        events: clCreateUserEvent clSetUserEventStatus clSetEventCallback clWaitForEvents clRetainEvent
            clReleaseEvent clGetEventInfo clGetEventProfilingInfo clFlush clFinish
            clEnqueueMarkerWithWaitList clEnqueueBarrierWithWaitList clEnqueueMarker clEnqueueBarrier
            clEnqueueWaitForEvents;
    }
    table.clGetExtensionFunctionAddress = Some(clGetExtensionFunctionAddress);
    table.clGetExtensionFunctionAddressForPlatform = Some(address_for_platform);
    fill_missing! { table;
        clGetImageInfo clEnqueueReadImage clEnqueueWriteImage clEnqueueCopyImage clEnqueueCopyImageToBuffer
        clEnqueueCopyBufferToImage clEnqueueFillImage clEnqueueNativeKernel
        clGetGLObjectInfo clGetGLTextureInfo clEnqueueAcquireGLObjects clEnqueueReleaseGLObjects
        clGetGLContextInfoKHR clEnqueueAcquireEGLObjectsKHR clEnqueueReleaseEGLObjectsKHR
        clGetPipeInfo clSVMFree clEnqueueSVMFree clEnqueueSVMMemcpy clEnqueueSVMMemFill clEnqueueSVMMap
        clEnqueueSVMUnmap clSetKernelArgSVMPointer clSetKernelExecInfo clGetKernelSubGroupInfo
        clEnqueueSVMMigrateMem clGetDeviceAndHostTimer clGetHostTimer clSetDefaultDeviceCommandQueue
        clSetProgramReleaseCallback clSetProgramSpecializationConstant clSetContextDestructorCallback
        clCreateImage clCreateImage2D clCreateImage3D clEnqueueMapImage clCreateFromGLBuffer
        clCreateFromGLTexture clCreateFromGLTexture2D clCreateFromGLTexture3D clCreateFromGLRenderbuffer
        clCreateFromEGLImageKHR clCreateEventFromGLsyncKHR clCreateEventFromEGLSyncKHR clCreatePipe
        clCreateSamplerWithProperties clCreateProgramWithIL clCreateProgramWithBuiltInKernels
        clCreateBufferWithProperties clCreateImageWithProperties clCloneKernel clSVMAlloc
    }
    table
}

/// The loader asks for the platforms of this library.
///
/// # Safety
///
/// Lists have the lengths that are given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clIcdGetPlatformIDsKHR(
    room: u32,
    to: *mut cl_platform_id,
    count: *mut u32,
) -> cl_int {
    static AT_END: Once = Once::new();
    AT_END.call_once(|| {
        // SAFETY: a function of this library, which is not unloaded before it is called.
        unsafe { libc::atexit(at_end) };
    });
    // SAFETY: as the caller says.
    unsafe { platform::clGetPlatformIDs(room, to, count) }
}

/// The program ends.
extern "C" fn at_end() {
    lock().ends();
}

/// The functions of extensions: those that the loader needs.
///
/// # Safety
///
/// The name ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetExtensionFunctionAddress(name: *const c_char) -> *mut c_void {
    if name.is_null() {
        return std::ptr::null_mut();
    }
    // SAFETY: as the caller says.
    match unsafe { CStr::from_ptr(name) }.to_bytes() {
        b"clIcdGetPlatformIDsKHR" => clIcdGetPlatformIDsKHR as *const () as *mut c_void,
        b"clGetPlatformInfo" => platform::clGetPlatformInfo as *const () as *mut c_void,
        _ => std::ptr::null_mut(),
    }
}

/// # Safety
///
/// As for [`clGetExtensionFunctionAddress`].
unsafe extern "C" fn address_for_platform(
    _platform: cl_platform_id,
    name: *const c_char,
) -> *mut c_void {
    // SAFETY: as the caller says.
    unsafe { clGetExtensionFunctionAddress(name) }
}
