//! A minimal OpenCL host, for PoCL: one context, one queue, one kernel at a time.
//!
//! `libOpenCL` is loaded when the tests run, so that nothing of OpenCL is needed to build. Only the
//! dozen functions that a launch takes are declared here; the types follow the OpenCL 1.2 headers.
//! Kernels run in this process: if PoCL's compiler aborts on a kernel, the tests abort with it.

use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::Mutex;

use libloading::Library;

use crate::case::{ArgKind, Case};
use crate::compare::Buffers;

type Handle = *mut c_void;
type Info = unsafe extern "C" fn(Handle, u32, usize, *mut c_void, *mut usize) -> i32;
type Release = unsafe extern "C" fn(Handle) -> i32;

const PLATFORM_NAME: u32 = 0x0902;
const DEVICE_TYPE_ALL: u64 = 0xFFFF_FFFF;
const MEM_READ_WRITE: u64 = 1;
const MEM_COPY_HOST_PTR: u64 = 1 << 5;
const PROGRAM_BUILD_LOG: u32 = 0x1183;
const TRUE: u32 = 1;

/// Build options: PoCL as it is, and without its optimiser.
const OPTIMISED: &CStr = c"-w -cl-std=CL1.2";
pub const UNOPTIMISED: &CStr = c"-w -cl-std=CL1.2 -cl-opt-disable";

/// The functions of `libOpenCL` that a launch takes.
struct Api {
    platform_ids: unsafe extern "C" fn(u32, *mut Handle, *mut u32) -> i32,
    platform_info: Info,
    device_ids: unsafe extern "C" fn(Handle, u64, u32, *mut Handle, *mut u32) -> i32,
    create_context: unsafe extern "C" fn(
        *const isize,
        u32,
        *const Handle,
        *const c_void,
        *mut c_void,
        *mut i32,
    ) -> Handle,
    create_queue: unsafe extern "C" fn(Handle, Handle, u64, *mut i32) -> Handle,
    create_program:
        unsafe extern "C" fn(Handle, u32, *const *const c_char, *const usize, *mut i32) -> Handle,
    build_program: unsafe extern "C" fn(
        Handle,
        u32,
        *const Handle,
        *const c_char,
        *const c_void,
        *mut c_void,
    ) -> i32,
    build_info: unsafe extern "C" fn(Handle, Handle, u32, usize, *mut c_void, *mut usize) -> i32,
    create_kernel: unsafe extern "C" fn(Handle, *const c_char, *mut i32) -> Handle,
    set_arg: unsafe extern "C" fn(Handle, u32, usize, *const c_void) -> i32,
    create_buffer: unsafe extern "C" fn(Handle, u64, usize, *mut c_void, *mut i32) -> Handle,
    enqueue_kernel: unsafe extern "C" fn(
        Handle,
        Handle,
        u32,
        *const usize,
        *const usize,
        *const usize,
        u32,
        *const Handle,
        *mut Handle,
    ) -> i32,
    enqueue_read: unsafe extern "C" fn(
        Handle,
        Handle,
        u32,
        usize,
        usize,
        *mut c_void,
        u32,
        *const Handle,
        *mut Handle,
    ) -> i32,
    finish: Release,
    release_buffer: Release,
    release_kernel: Release,
    release_program: Release,
    /// Keeps the functions above valid; dropped last.
    _library: Library,
}

impl Api {
    fn load() -> Result<Api, String> {
        // SAFETY: the loader's initialisers are those of the system's own OpenCL library, and every
        // symbol is given the signature that the OpenCL 1.2 headers declare for it.
        unsafe {
            let library = Library::new("libOpenCL.so.1").map_err(|e| e.to_string())?;
            macro_rules! symbol {
                ($name:literal) => {
                    *library.get($name).map_err(|e| e.to_string())?
                };
            }
            Ok(Api {
                platform_ids: symbol!(b"clGetPlatformIDs"),
                platform_info: symbol!(b"clGetPlatformInfo"),
                device_ids: symbol!(b"clGetDeviceIDs"),
                create_context: symbol!(b"clCreateContext"),
                create_queue: symbol!(b"clCreateCommandQueue"),
                create_program: symbol!(b"clCreateProgramWithSource"),
                build_program: symbol!(b"clBuildProgram"),
                build_info: symbol!(b"clGetProgramBuildInfo"),
                create_kernel: symbol!(b"clCreateKernel"),
                set_arg: symbol!(b"clSetKernelArg"),
                create_buffer: symbol!(b"clCreateBuffer"),
                enqueue_kernel: symbol!(b"clEnqueueNDRangeKernel"),
                enqueue_read: symbol!(b"clEnqueueReadBuffer"),
                finish: symbol!(b"clFinish"),
                release_buffer: symbol!(b"clReleaseMemObject"),
                release_kernel: symbol!(b"clReleaseKernel"),
                release_program: symbol!(b"clReleaseProgram"),
                _library: library,
            })
        }
    }
}

/// PoCL's CPU device, with a context and a queue that live as long as the process.
pub struct Device {
    api: Api,
    device: Handle,
    context: Handle,
    queue: Handle,
    turn: Mutex<()>,
}

// SAFETY: OpenCL objects may be used from any thread, and `turn` lets one thread at a time use them.
unsafe impl Send for Device {}
// SAFETY: as above.
unsafe impl Sync for Device {}

fn ok(what: &str, code: i32) -> Result<(), String> {
    if code == 0 { Ok(()) } else { Err(format!("{what} failed with OpenCL error {code}")) }
}

impl Device {
    /// PoCL's first device, or why there is none.
    pub fn pocl() -> Result<Device, String> {
        let api = Api::load()?;
        // SAFETY: each call follows the OpenCL specification: arrays have the length that is passed.
        unsafe {
            let mut count = 0;
            let code = (api.platform_ids)(0, null_mut(), &mut count);
            if code != 0 || count == 0 {
                return Err("no OpenCL platform".into());
            }
            let mut platforms = vec![null_mut(); count as usize];
            ok("clGetPlatformIDs", (api.platform_ids)(count, platforms.as_mut_ptr(), null_mut()))?;
            let platform = platforms
                .into_iter()
                .find(|&p| is_pocl(&platform_name(&api, p)))
                .ok_or("no PoCL among the OpenCL platforms")?;
            let mut device = null_mut();
            let code = (api.device_ids)(platform, DEVICE_TYPE_ALL, 1, &mut device, null_mut());
            ok("clGetDeviceIDs", code)?;
            let mut code = 0;
            let context = (api.create_context)(null(), 1, &device, null(), null_mut(), &mut code);
            ok("clCreateContext", code)?;
            let queue = (api.create_queue)(context, device, 0, &mut code);
            ok("clCreateCommandQueue", code)?;
            Ok(Device { api, device, context, queue, turn: Mutex::new(()) })
        }
    }

    /// Runs the case with these inputs and returns the contents of its buffers after the launch.
    pub fn run(&self, case: &Case, inputs: &Buffers) -> Result<Buffers, String> {
        self.run_with(case, inputs, OPTIMISED)
    }

    /// The same with build options of the caller's.
    pub fn run_with(
        &self,
        case: &Case,
        inputs: &Buffers,
        options: &CStr,
    ) -> Result<Buffers, String> {
        let _turn = self.turn.lock().unwrap_or_else(|e| e.into_inner());
        let program = self.build(&case.source, options)?;
        let result = self.launch(program, case, inputs);
        // SAFETY: `program` is valid and not used again.
        unsafe { (self.api.release_program)(program) };
        result
    }

    fn build(&self, source: &str, options: &CStr) -> Result<Handle, String> {
        let text = source.as_ptr().cast::<c_char>();
        let length = source.len();
        let mut code = 0;
        // SAFETY: one string of the given length; the device handle is valid.
        unsafe {
            let program = (self.api.create_program)(self.context, 1, &text, &length, &mut code);
            ok("clCreateProgramWithSource", code)?;
            let (api, device) = (&self.api, &self.device);
            let code =
                (api.build_program)(program, 1, device, options.as_ptr(), null(), null_mut());
            if code != 0 {
                let mut log = vec![0u8; 1 << 16];
                let mut size = 0;
                let into = log.as_mut_ptr().cast();
                (api.build_info)(program, *device, PROGRAM_BUILD_LOG, log.len(), into, &mut size);
                log.truncate(size.saturating_sub(1));
                return Err(format!("does not compile:\n{}", String::from_utf8_lossy(&log)));
            }
            Ok(program)
        }
    }

    fn launch(&self, program: Handle, case: &Case, inputs: &Buffers) -> Result<Buffers, String> {
        let name = CString::new(case.kernel.as_str()).map_err(|e| e.to_string())?;
        let mut code = 0;
        // SAFETY: `program` is built, and the name ends with a zero.
        let kernel = unsafe { (self.api.create_kernel)(program, name.as_ptr(), &mut code) };
        ok("clCreateKernel", code)?;
        let mut buffers = vec![null_mut(); case.args.len()];
        let result = self.launch_with(kernel, case, inputs, &mut buffers);
        // SAFETY: every handle is valid and not used again.
        unsafe {
            for &buffer in buffers.iter().filter(|b| !b.is_null()) {
                (self.api.release_buffer)(buffer);
            }
            (self.api.release_kernel)(kernel);
        }
        result
    }

    fn launch_with(
        &self,
        kernel: Handle,
        case: &Case,
        inputs: &Buffers,
        buffers: &mut [Handle],
    ) -> Result<Buffers, String> {
        let api = &self.api;
        let set = |i: usize, size: usize, value: *const c_void| {
            // SAFETY: `value` is null (local memory) or points to `size` bytes.
            ok("clSetKernelArg", unsafe { (api.set_arg)(kernel, i as u32, size, value) })
                .map_err(|e| format!("argument {}: {e}", case.args[i].name))
        };
        for (i, arg) in case.args.iter().enumerate() {
            match &arg.kind {
                ArgKind::Local { ty, len } => set(i, ty.bytes() * len, null())?,
                ArgKind::Scalar { .. } => {
                    let bytes = arg.scalar_bytes()?.unwrap_or_default();
                    set(i, bytes.len(), bytes.as_ptr().cast())?;
                }
                ArgKind::Buffer { .. } => {
                    let bytes = inputs[i].as_deref().unwrap_or_default();
                    let flags = MEM_READ_WRITE | MEM_COPY_HOST_PTR;
                    let from = bytes.as_ptr().cast_mut().cast();
                    let mut code = 0;
                    // SAFETY: OpenCL copies `bytes.len()` bytes out of `bytes` and keeps no pointer.
                    buffers[i] = unsafe {
                        (api.create_buffer)(self.context, flags, bytes.len(), from, &mut code)
                    };
                    ok("clCreateBuffer", code)?;
                    set(i, size_of::<Handle>(), (&raw const buffers[i]).cast())?;
                }
            }
        }
        let global: Vec<usize> = (0..3).map(|d| case.block[d] * case.grid[d]).collect();
        // SAFETY: three dimensions each; every argument of the kernel is set.
        unsafe {
            let local = case.block.as_ptr();
            let code = (api.enqueue_kernel)(
                self.queue,
                kernel,
                3,
                null(),
                global.as_ptr(),
                local,
                0,
                null(),
                null_mut(),
            );
            ok("clEnqueueNDRangeKernel", code)?;
            ok("clFinish", (api.finish)(self.queue))?;
        }
        let mut outputs: Buffers = inputs.clone();
        for (i, output) in outputs.iter_mut().enumerate() {
            let Some(bytes) = output else { continue };
            let (size, into) = (bytes.len(), bytes.as_mut_ptr().cast());
            // SAFETY: the buffer has `size` bytes, and so has `bytes`; the read blocks.
            let code = unsafe {
                (api.enqueue_read)(
                    self.queue,
                    buffers[i],
                    TRUE,
                    0,
                    size,
                    into,
                    0,
                    null(),
                    null_mut(),
                )
            };
            ok("clEnqueueReadBuffer", code)?;
        }
        Ok(outputs)
    }
}

fn is_pocl(name: &str) -> bool {
    name.contains("Portable") || name.to_lowercase().contains("pocl")
}

/// # Safety
/// `platform` must be a valid platform of `api`.
unsafe fn platform_name(api: &Api, platform: Handle) -> String {
    let mut name = vec![0u8; 256];
    let mut size = 0;
    // SAFETY: at most `name.len()` bytes are written.
    let code = unsafe {
        let into = name.as_mut_ptr().cast();
        (api.platform_info)(platform, PLATFORM_NAME, name.len(), into, &mut size)
    };
    name.truncate(if code == 0 { size.saturating_sub(1) } else { 0 });
    String::from_utf8_lossy(&name).into_owned()
}
