//! Functions of OpenCL that are not there: one that is called is told by its name.

use std::ffi::c_void;

use opencl_sys::{CL_INVALID_OPERATION, cl_int};

use crate::device::Device;
use crate::opencl::answer::give;
use crate::opencl::{Call, call};
use crate::record::Record;

fn tell(device: &mut Device, call: &Call) {
    let message = format!("{}, called{}, is not supported", call.name, call.site.told());
    match device.is_checked() {
        true => device.tell(&Record::Failed { message }),
        false => eprintln!("lockstep: {message}"),
    }
}

fn is_missing(name: &'static str) {
    let _ = call(name, |d, call| {
        tell(d, call);
        Ok(())
    });
}

/// Functions that return their error code.
macro_rules! missing {
    ($($name:ident)*) => {
        $(pub(super) extern "C" fn $name() -> cl_int {
            is_missing(stringify!($name));
            CL_INVALID_OPERATION
        })*
    };
}

/// Functions that return a pointer, and their error code through the last of their parameters.
macro_rules! missing_maker {
    ($($name:ident($($parameter:ty),*);)*) => {
        $(
            /// # Safety
            ///
            /// `code` is null or points to a number.
            pub(super) unsafe extern "C" fn $name(
                $(_: $parameter,)*
                code: *mut cl_int,
            ) -> *mut c_void {
                is_missing(stringify!($name));
                // SAFETY: as the caller says.
                unsafe { give(code, CL_INVALID_OPERATION) };
                std::ptr::null_mut()
            }
        )*
    };
}

missing! {
    clGetImageInfo clEnqueueReadImage clEnqueueWriteImage clEnqueueCopyImage clEnqueueCopyImageToBuffer
    clEnqueueCopyBufferToImage clEnqueueFillImage clEnqueueNativeKernel
    clGetGLObjectInfo clGetGLTextureInfo clEnqueueAcquireGLObjects clEnqueueReleaseGLObjects clGetGLContextInfoKHR
    clEnqueueAcquireEGLObjectsKHR clEnqueueReleaseEGLObjectsKHR
    clGetPipeInfo clSVMFree clEnqueueSVMFree clEnqueueSVMMemcpy clEnqueueSVMMemFill clEnqueueSVMMap
    clEnqueueSVMUnmap clSetKernelArgSVMPointer clSetKernelExecInfo clGetKernelSubGroupInfo
    clEnqueueSVMMigrateMem clGetDeviceAndHostTimer clGetHostTimer clSetDefaultDeviceCommandQueue
    clSetProgramReleaseCallback clSetProgramSpecializationConstant clSetContextDestructorCallback
}

type Word = *mut c_void;

missing_maker! {
    clCreateImage(Word, u64, Word, Word, Word);
    clCreateImage2D(Word, u64, Word, usize, usize, usize, Word);
    clCreateImage3D(Word, u64, Word, usize, usize, usize, usize, usize, Word);
    clEnqueueMapImage(Word, Word, u32, u64, Word, Word, Word, Word, u32, Word, Word);
    clCreateFromGLBuffer(Word, u64, u32);
    clCreateFromGLTexture(Word, u64, u32, i32, u32);
    clCreateFromGLTexture2D(Word, u64, u32, i32, u32);
    clCreateFromGLTexture3D(Word, u64, u32, i32, u32);
    clCreateFromGLRenderbuffer(Word, u64, u32);
    clCreateFromEGLImageKHR(Word, Word, Word, u64, Word);
    clCreateEventFromGLsyncKHR(Word, Word);
    clCreateEventFromEGLSyncKHR(Word, Word, Word);
    clCreatePipe(Word, u64, u32, u32, Word);
    clCreateSamplerWithProperties(Word, Word);
    clCreateProgramWithIL(Word, Word, usize);
    clCreateProgramWithBuiltInKernels(Word, u32, Word, Word);
    clCreateBufferWithProperties(Word, Word, u64, usize, Word);
    clCreateImageWithProperties(Word, Word, u64, Word, Word, Word);
    clCloneKernel(Word);
}

pub(super) extern "C" fn clSVMAlloc() -> *mut c_void {
    is_missing("clSVMAlloc");
    std::ptr::null_mut()
}
