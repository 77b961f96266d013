//! What programs and kernels say of themselves.

use std::ffi::c_void;

use lockstep_frontend::Declared;
use lockstep_kernel::{Kernel, Space};
use opencl_sys::*;

use crate::launch::MOST_THREADS;
use crate::opencl::answer::{Answer, Wanted};
use crate::opencl::kernels::{Argument, KernelObject};
use crate::opencl::platform::{check_devices, device};
use crate::opencl::program::Program;
use crate::opencl::{Outcome, status};

/// # Safety
///
/// The places for the answer are null or of the size that is given; that of binaries has room for each of them.
pub(super) unsafe extern "C" fn clGetProgramInfo(
    program: cl_program,
    what: cl_program_info,
    size: usize,
    to: *mut c_void,
    size_ret: *mut usize,
) -> cl_int {
    status("clGetProgramInfo", |d, call| {
        let own = d.object::<Program>(program as usize, call)?;
        let binary = || own.object.as_ref().map(|o| o.packed()).unwrap_or_default();
        let kernels = || own.kernels().ok_or(CL_INVALID_PROGRAM_EXECUTABLE);
        let answer: Answer = match what {
            CL_PROGRAM_CONTEXT => own.context.into(),
            CL_PROGRAM_NUM_DEVICES => 1u32.into(),
            CL_PROGRAM_DEVICES => device().into(),
            CL_PROGRAM_SOURCE => own.source.as_str().into(),
            CL_PROGRAM_BINARY_SIZES => binary().len().into(),
            CL_PROGRAM_BINARIES => {
                let binary = binary();
                if !to.is_null() && size >= size_of::<usize>() {
                    // SAFETY: as the caller says.
                    unsafe {
                        let room = to.cast::<*mut u8>().read();
                        if !room.is_null() {
                            std::ptr::copy_nonoverlapping(binary.as_ptr(), room, binary.len());
                        }
                    }
                }
                // The list of pointers stays as it is.
                // SAFETY: as the caller says.
                unsafe { crate::opencl::answer::give(size_ret, size_of::<usize>()) };
                let is_enough = to.is_null() || size >= size_of::<usize>();
                return is_enough.then_some(()).ok_or(CL_INVALID_VALUE);
            }
            CL_PROGRAM_NUM_KERNELS => kernels()?.len().into(),
            CL_PROGRAM_KERNEL_NAMES => {
                let names: Vec<&str> = kernels()?.iter().map(|k| &k.kernel().name[..]).collect();
                names.join(";").as_str().into()
            }
            CL_PROGRAM_REFERENCE_COUNT => d.references(program as usize).into(),
            _ => return Err(CL_INVALID_VALUE),
        };
        // SAFETY: as the caller says.
        unsafe { Wanted { size, to, size_ret }.give(answer) }
    })
}

/// # Safety
///
/// The places for the answer are null or of the size that is given.
pub(super) unsafe extern "C" fn clGetProgramBuildInfo(
    program: cl_program,
    own: cl_device_id,
    what: cl_program_build_info,
    size: usize,
    to: *mut c_void,
    size_ret: *mut usize,
) -> cl_int {
    status("clGetProgramBuildInfo", |d, call| {
        check_devices(d, call, &[own as usize])?;
        let own = d.object::<Program>(program as usize, call)?;
        let answer: Answer = match what {
            CL_PROGRAM_BUILD_STATUS => own.status.into(),
            CL_PROGRAM_BUILD_OPTIONS => own.options.as_str().into(),
            CL_PROGRAM_BUILD_LOG => own.log.as_str().into(),
            CL_PROGRAM_BINARY_TYPE => own.binary_type.into(),
            _ => return Err(CL_INVALID_VALUE),
        };
        // SAFETY: as the caller says.
        unsafe { Wanted { size, to, size_ret }.give(answer) }
    })
}

/// # Safety
///
/// The places for the answer are null or of the size that is given.
pub(super) unsafe extern "C" fn clGetKernelInfo(
    kernel: cl_kernel,
    what: cl_kernel_info,
    size: usize,
    to: *mut c_void,
    size_ret: *mut usize,
) -> cl_int {
    status("clGetKernelInfo", |d, call| {
        let own = d.object::<KernelObject>(kernel as usize, call)?;
        let answer: Answer = match what {
            CL_KERNEL_FUNCTION_NAME => own.kernel().name.as_str().into(),
            CL_KERNEL_NUM_ARGS => (own.args.len() as u32).into(),
            CL_KERNEL_CONTEXT => own.context.into(),
            CL_KERNEL_PROGRAM => own.program.into(),
            CL_KERNEL_ATTRIBUTES => attributes(own.kernel()).as_str().into(),
            CL_KERNEL_REFERENCE_COUNT => d.references(kernel as usize).into(),
            _ => return Err(CL_INVALID_VALUE),
        };
        // SAFETY: as the caller says.
        unsafe { Wanted { size, to, size_ret }.give(answer) }
    })
}

fn attributes(kernel: &Kernel) -> String {
    match kernel.required_block {
        Some([x, y, z]) => format!("reqd_work_group_size({x},{y},{z})"),
        None => String::new(),
    }
}

/// # Safety
///
/// The places for the answer are null or of the size that is given.
pub(super) unsafe extern "C" fn clGetKernelArgInfo(
    kernel: cl_kernel,
    index: u32,
    what: cl_kernel_arg_info,
    size: usize,
    to: *mut c_void,
    size_ret: *mut usize,
) -> cl_int {
    status("clGetKernelArgInfo", |d, call| {
        let own = d.object::<KernelObject>(kernel as usize, call)?;
        let argument = own.loaded.program.arguments.get(index as usize);
        let answer = about(&argument.ok_or(CL_INVALID_ARG_INDEX)?.declared, what)?;
        // SAFETY: as the caller says.
        unsafe { Wanted { size, to, size_ret }.give(answer) }
    })
}

fn about(declared: &Declared, what: cl_kernel_arg_info) -> Outcome<Answer> {
    Ok(match what {
        CL_KERNEL_ARG_NAME => declared.name.as_str().into(),
        CL_KERNEL_ARG_TYPE_NAME => declared.type_name.as_str().into(),
        CL_KERNEL_ARG_ADDRESS_QUALIFIER => match declared.address_space {
            1 => CL_KERNEL_ARG_ADDRESS_GLOBAL,
            2 => CL_KERNEL_ARG_ADDRESS_CONSTANT,
            3 => CL_KERNEL_ARG_ADDRESS_LOCAL,
            _ => CL_KERNEL_ARG_ADDRESS_PRIVATE,
        }
        .into(),
        CL_KERNEL_ARG_ACCESS_QUALIFIER => match declared.access.as_str() {
            "read_only" => CL_KERNEL_ARG_ACCESS_READ_ONLY,
            "write_only" => CL_KERNEL_ARG_ACCESS_WRITE_ONLY,
            "read_write" => CL_KERNEL_ARG_ACCESS_READ_WRITE,
            _ => CL_KERNEL_ARG_ACCESS_NONE,
        }
        .into(),
        CL_KERNEL_ARG_TYPE_QUALIFIER => {
            let bit = |word| match word {
                "const" => CL_KERNEL_ARG_TYPE_CONST,
                "restrict" => CL_KERNEL_ARG_TYPE_RESTRICT,
                "volatile" => CL_KERNEL_ARG_TYPE_VOLATILE,
                _ => CL_KERNEL_ARG_TYPE_NONE,
            };
            // A bit field of 64 bits, whatever the crate's type for its values is.
            let bits = declared.qualifiers.split(' ').map(|w| u64::from(bit(w)));
            bits.fold(0, |all, bit| all | bit).into()
        }
        _ => return Err(CL_INVALID_VALUE),
    })
}

/// # Safety
///
/// The places for the answer are null or of the size that is given.
pub(super) unsafe extern "C" fn clGetKernelWorkGroupInfo(
    kernel: cl_kernel,
    own: cl_device_id,
    what: cl_kernel_work_group_info,
    size: usize,
    to: *mut c_void,
    size_ret: *mut usize,
) -> cl_int {
    status("clGetKernelWorkGroupInfo", |d, call| {
        if !own.is_null() {
            check_devices(d, call, &[own as usize])?;
        }
        let own = d.object::<KernelObject>(kernel as usize, call)?;
        let answer: Answer = match what {
            CL_KERNEL_WORK_GROUP_SIZE => (MOST_THREADS as usize).into(),
            CL_KERNEL_COMPILE_WORK_GROUP_SIZE => {
                own.kernel().required_block.unwrap_or([0; 3]).map(|n| n as usize)[..].into()
            }
            CL_KERNEL_LOCAL_MEM_SIZE => {
                let set = own.args.iter().flatten().map(|a| match a {
                    Argument::Local(bytes) => *bytes,
                    _ => 0,
                });
                (own.loaded.shared + set.sum::<u64>()).into()
            }
            CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE => 32usize.into(),
            CL_KERNEL_PRIVATE_MEM_SIZE => {
                let objects = own.kernel().objects.iter();
                let private = objects.filter(|o| o.space == Space::Private).map(|o| o.size);
                private.sum::<u64>().into()
            }
            _ => return Err(CL_INVALID_VALUE),
        };
        // SAFETY: as the caller says.
        unsafe { Wanted { size, to, size_ret }.give(answer) }
    })
}
