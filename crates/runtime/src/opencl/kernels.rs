//! Kernels: their functions and arguments.

use std::collections::HashMap;
use std::ffi::{c_char, c_void};
use std::sync::Arc;

use lockstep_kernel::{Kernel, Op, ParamKind, Special, edit};
use opencl_sys::{
    CL_INVALID_ARG_INDEX, CL_INVALID_ARG_SIZE, CL_INVALID_ARG_VALUE, CL_INVALID_KERNEL_NAME,
    CL_INVALID_PROGRAM_EXECUTABLE, CL_INVALID_VALUE, cl_int, cl_kernel, cl_program,
};

use crate::code::Loaded;
use crate::device::Device;
use crate::opencl::answer::give_list;
use crate::opencl::buffers::Buffer;
use crate::opencl::objects::Body;
use crate::opencl::program::Program;
use crate::opencl::{Call, Outcome, call, made, status};
use crate::site::text;

pub(super) struct KernelObject {
    pub program: usize,
    pub context: usize,
    pub loaded: Arc<Loaded>,
    pub args: Vec<Option<Argument>>,
    /// The same code with values of a launch in it.
    special: HashMap<([u64; 3], u32), Arc<Loaded>>,
}

/// An argument that was set.
#[derive(Clone, Debug)]
pub(super) enum Argument {
    /// The bytes of a scalar, a vector or a struct.
    Bytes(Vec<u8>),
    /// A buffer, which it does not keep alive; 0 is a null pointer.
    Buffer(usize),
    /// Bytes of local memory.
    Local(u64),
}

/// What an argument must be.
enum Expected {
    Bytes(usize),
    Buffer,
    Local,
}

impl KernelObject {
    pub(super) fn kernel(&self) -> &Kernel {
        self.loaded.kernel()
    }

    fn new(loaded: Arc<Loaded>, program: usize, context: usize) -> KernelObject {
        let args = vec![None; loaded.program.arguments.len()];
        KernelObject { program, context, loaded, args, special: HashMap::new() }
    }

    fn expected(&self, index: usize) -> Option<Expected> {
        let params = &self.loaded.program.arguments.get(index)?.params;
        let kinds = params.iter().map(|&(p, offset)| (self.kernel().params[p].kind, offset));
        let mut end = 0;
        for (kind, offset) in kinds {
            end = match kind {
                ParamKind::Buffer { .. } => return Some(Expected::Buffer),
                ParamKind::Local { .. } => return Some(Expected::Local),
                // A vector of three is as large as one of four.
                ParamKind::Scalar { ty, count: 3 } if params.len() == 1 => {
                    4 * u64::from(ty.bytes())
                }
                ParamKind::Scalar { ty, count } => {
                    offset + u64::from(ty.bytes()) * u64::from(count)
                }
                ParamKind::Aggregate { size, .. } => offset + u64::from(size),
            };
        }
        Some(Expected::Bytes(end as usize))
    }

    /// Its code for a launch with these values.
    pub(super) fn for_launch(
        &mut self,
        offset: [u64; 3],
        dimensions: u32,
        usual: u32,
    ) -> Arc<Loaded> {
        let kernel = self.loaded.kernel();
        let asks = |is: &dyn Fn(&Special) -> bool| {
            kernel.insts().any(|i| matches!(&i.op, Op::Special(s) if is(s)))
        };
        let shifted = offset != [0; 3] && asks(&|s| matches!(s, Special::GlobalOffset(_)));
        let counted = dimensions != usual && asks(&|s| matches!(s, Special::WorkDim));
        if !shifted && !counted {
            return self.loaded.clone();
        }
        let loaded = &self.loaded;
        let special = self.special.entry((offset, dimensions)).or_insert_with(|| {
            let mut kernel = loaded.kernel().clone();
            edit::set_specials(&mut kernel, |s| match s {
                Special::GlobalOffset(axis) => Some(offset[usize::from(axis)]),
                Special::WorkDim => Some(dimensions.into()),
                _ => None,
            });
            Arc::new(loaded.with_kernel(kernel))
        });
        special.clone()
    }
}

/// # Safety
///
/// The name ends with a zero; `code` is null or points to a number.
pub(super) unsafe extern "C" fn clCreateKernel(
    program: cl_program,
    name: *const c_char,
    code: *mut cl_int,
) -> cl_kernel {
    let kernel = call("clCreateKernel", |d, call| {
        let own = d.object::<Program>(program as usize, call)?;
        if name.is_null() {
            return Err(CL_INVALID_VALUE);
        }
        // SAFETY: as the caller says.
        let name = unsafe { text(name) };
        let Some(kernels) = own.kernels() else {
            let help = "build the program first, and look at the error";
            let told = "is given a program that is not built";
            return d.wrong(call, CL_INVALID_PROGRAM_EXECUTABLE, told, help);
        };
        let found = kernels.iter().find(|k| k.kernel().name == name).cloned();
        let context = own.context;
        let Some(loaded) = found else {
            let told = format!("asks for a kernel {name} that the program does not have");
            return d.wrong(call, CL_INVALID_KERNEL_NAME, told, "use a name of the source");
        };
        let own = KernelObject::new(loaded, program as usize, context);
        Ok(d.put(Body::Kernel(Box::new(own)), 1, vec![program as usize]))
    });
    // SAFETY: as the caller says.
    unsafe { made(code, kernel) }
}

/// # Safety
///
/// Lists have the lengths that are given.
pub(super) unsafe extern "C" fn clCreateKernelsInProgram(
    program: cl_program,
    room: u32,
    to: *mut cl_kernel,
    count: *mut u32,
) -> cl_int {
    status("clCreateKernelsInProgram", |d, call| {
        let own = d.object::<Program>(program as usize, call)?;
        let kernels = own.kernels().ok_or(CL_INVALID_PROGRAM_EXECUTABLE)?.to_vec();
        let context = own.context;
        if to.is_null() {
            // SAFETY: as the caller says.
            unsafe { give_list(&vec![0; kernels.len()], 0, to, count) };
            return Ok(());
        }
        if (room as usize) < kernels.len() {
            return Err(CL_INVALID_VALUE);
        }
        let handles: Vec<usize> = (kernels.into_iter())
            .map(|k| {
                let own = KernelObject::new(k, program as usize, context);
                d.put(Body::Kernel(Box::new(own)), 1, vec![program as usize])
            })
            .collect();
        // SAFETY: as the caller says.
        unsafe { give_list(&handles, room, to, count) };
        Ok(())
    })
}

pub(super) extern "C" fn clRetainKernel(kernel: cl_kernel) -> cl_int {
    status("clRetainKernel", |d, call| d.retain::<KernelObject>(kernel as usize, call))
}

pub(super) extern "C" fn clReleaseKernel(kernel: cl_kernel) -> cl_int {
    status("clReleaseKernel", |d, call| d.release::<KernelObject>(kernel as usize, call))
}

/// # Safety
///
/// There are `size` bytes at `value`, or it is null.
pub(super) unsafe extern "C" fn clSetKernelArg(
    kernel: cl_kernel,
    index: u32,
    size: usize,
    value: *const c_void,
) -> cl_int {
    status("clSetKernelArg", |d, call| {
        let own = d.object::<KernelObject>(kernel as usize, call)?;
        let index = index as usize;
        let name = own.kernel().name.clone();
        let count = own.args.len();
        let Some(expected) = own.expected(index) else {
            let told = format!("sets argument {index} of {name}, which has {count}");
            let help = "arguments are counted from 0";
            return d.wrong(call, CL_INVALID_ARG_INDEX, told, help);
        };
        let argument = match expected {
            Expected::Local if !value.is_null() => {
                let told = format!("gives a value for argument {index} of {name}, local memory");
                let help = "for a __local pointer give the size, and a null pointer as its value";
                return d.wrong(call, CL_INVALID_ARG_VALUE, told, help);
            }
            Expected::Local if size == 0 => {
                return wrong_size(d, call, (&name, index), size, "more");
            }
            Expected::Local => Argument::Local(size as u64),
            Expected::Buffer if size != size_of::<usize>() => {
                return wrong_size(d, call, (&name, index), size, "sizeof(cl_mem)");
            }
            Expected::Buffer if value.is_null() => Argument::Buffer(0),
            Expected::Buffer => {
                // SAFETY: as the caller says.
                let buffer = unsafe { value.cast::<usize>().read_unaligned() };
                if buffer != 0 {
                    d.object::<Buffer>(buffer, call)?;
                }
                Argument::Buffer(buffer)
            }
            Expected::Bytes(needed) if size != needed => {
                return wrong_size(d, call, (&name, index), size, &needed.to_string());
            }
            Expected::Bytes(_) if value.is_null() => return Err(CL_INVALID_ARG_VALUE),
            Expected::Bytes(needed) => {
                let mut bytes = vec![0; needed];
                // SAFETY: as the caller says.
                unsafe {
                    std::ptr::copy_nonoverlapping(value.cast(), bytes.as_mut_ptr(), needed);
                }
                Argument::Bytes(bytes)
            }
        };
        if let Some(own) = d.peek_mut::<KernelObject>(kernel as usize) {
            own.args[index] = Some(argument);
        }
        Ok(())
    })
}

fn wrong_size(
    d: &mut Device,
    call: &Call,
    (name, index): (&str, usize),
    size: usize,
    needed: &str,
) -> Outcome {
    let told = format!("gives {size} bytes for argument {index} of {name}, which needs {needed}");
    let help = "the size is that of the argument's type in OpenCL C";
    d.wrong(call, CL_INVALID_ARG_SIZE, told, help)
}
