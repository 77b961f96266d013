//! Launches, and questions about kernels.

use std::cell::RefCell;
use std::ffi::{c_int, c_void};

use crate::api::{Dim3, give};
use crate::device::{Device, call, call_unbroken};
use crate::error::{Failed, Status};
use crate::graph::Deed;
use crate::launch::{
    Asked, MOST_SHARED, MOST_THREADS, PROCESSORS, USUAL_SHARED, blocks_of_processor, bound,
};
use crate::site::Site;

/// The dimensions that `<<<…>>>` pushes and the stub of the kernel pops.
struct Configuration {
    grid: Dim3,
    block: Dim3,
    shared: usize,
    stream: *mut c_void,
    /// The place of the launch in the source: after that, there is only the stub.
    site: Site,
}

thread_local! {
    static PUSHED: RefCell<Vec<Configuration>> = const { RefCell::new(Vec::new()) };
    /// Of the configuration that was popped last, until its launch.
    static POPPED: RefCell<Option<Site>> = const { RefCell::new(None) };
}

#[unsafe(no_mangle)]
pub extern "C" fn __cudaPushCallConfiguration(
    grid: Dim3,
    block: Dim3,
    shared: usize,
    stream: *mut c_void,
) -> u32 {
    let site = Site::here();
    PUSHED.with_borrow_mut(|p| p.push(Configuration { grid, block, shared, stream, site }));
    0
}

/// # Safety
///
/// All are pointers to values of their types.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __cudaPopCallConfiguration(
    grid: *mut Dim3,
    block: *mut Dim3,
    shared: *mut usize,
    stream: *mut *mut c_void,
) -> Status {
    let Some(top) = PUSHED.with_borrow_mut(Vec::pop) else { return Status::UNKNOWN };
    // SAFETY: as the caller says.
    unsafe {
        grid.write(top.grid);
        block.write(top.block);
        shared.write(top.shared);
        stream.write(top.stream);
    }
    POPPED.set(Some(top.site));
    Status::SUCCESS
}

/// # Safety
///
/// `args` has a pointer for each parameter of the kernel, to a value of its type.
unsafe fn launch(
    name: &'static str,
    stub: *const c_void,
    (grid, block): (Dim3, Dim3),
    args: *mut *mut c_void,
    shared: usize,
    stream: *mut c_void,
    cooperative: bool,
) -> Status {
    let site = POPPED.take().unwrap_or_else(Site::here);
    call_unbroken(|d| {
        d.check_stream(stream as usize, name, &site)?;
        let kernel = d.code.kernel(stub as usize, &mut d.memory)?;
        let count = kernel.program.arguments.len();
        // SAFETY: as the caller says.
        let arguments = (0..count).map(|i| unsafe { (*args.add(i)).cast::<u8>().cast_const() });
        let arguments: Vec<*const u8> = arguments.collect();
        let (grid, block) = (grid.array(), block.array());
        let asked = Asked { kernel, grid, block, shared: shared as u64, cooperative };
        // SAFETY: as the caller says.
        let node = |_: &mut Device| unsafe { node(&asked, &arguments) };
        if d.is_captured(Some(stream as usize), name, &site, node)? {
            return Ok(());
        }
        d.begin_work(Some(stream as usize));
        // SAFETY: as the caller says.
        unsafe { d.launch(&asked, &arguments, &site) }
    })
}

/// # Safety
///
/// `args` has a pointer for each parameter of the kernel, to a value of its type.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaLaunchKernel(
    stub: *const c_void,
    grid: Dim3,
    block: Dim3,
    args: *mut *mut c_void,
    shared: usize,
    stream: *mut c_void,
) -> Status {
    // SAFETY: as the caller says.
    unsafe { launch("cudaLaunchKernel", stub, (grid, block), args, shared, stream, false) }
}

/// # Safety
///
/// `args` has a pointer for each parameter of the kernel, to a value of its type.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaLaunchCooperativeKernel(
    stub: *const c_void,
    grid: Dim3,
    block: Dim3,
    args: *mut *mut c_void,
    shared: usize,
    stream: *mut c_void,
) -> Status {
    // SAFETY: as the caller says.
    unsafe {
        launch("cudaLaunchCooperativeKernel", stub, (grid, block), args, shared, stream, true)
    }
}

/// A launch as the node of a graph: its arguments are read now.
///
/// # Safety
///
/// There is an argument of its type at each address.
pub(crate) unsafe fn node(asked: &Asked, arguments: &[*const u8]) -> Result<Deed, Failed> {
    // SAFETY: as the caller says.
    let arguments = unsafe { bound(&asked.kernel, arguments) }?;
    Ok(Deed::Launch { asked: asked.clone(), arguments })
}

/// `cudaLaunchConfig_t` of our headers.
#[repr(C)]
pub struct LaunchConfig {
    grid: Dim3,
    block: Dim3,
    shared: usize,
    stream: *mut c_void,
    attributes: *const LaunchAttribute,
    count: u32,
}

/// `cudaLaunchAttribute` of our headers.
#[repr(C)]
pub struct LaunchAttribute {
    id: c_int,
    padding: c_int,
    value: [u64; 8],
}

const COOPERATIVE: c_int = 2;

/// # Safety
///
/// `config` is one, and `args` has a pointer for each parameter of the kernel, to a value of its type.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaLaunchKernelExC(
    config: *const LaunchConfig,
    stub: *const c_void,
    args: *mut *mut c_void,
) -> Status {
    // SAFETY: as the caller says.
    unsafe {
        let c = &*config;
        let attributes = match c.count {
            0 => &[],
            n => std::slice::from_raw_parts(c.attributes, n as usize),
        };
        let cooperative = attributes.iter().any(|a| a.id == COOPERATIVE && a.value[0] as u32 != 0);
        launch(
            "cudaLaunchKernelExC",
            stub,
            (c.grid, c.block),
            args,
            c.shared,
            c.stream,
            cooperative,
        )
    }
}

/// `cudaFuncAttributes` of our headers.
#[repr(C)]
pub struct FuncAttributes {
    shared: usize,
    constant: usize,
    local: usize,
    most_threads: c_int,
    registers: c_int,
    ptx_version: c_int,
    binary_version: c_int,
    cache_mode: c_int,
    most_dynamic_shared: c_int,
    carveout: c_int,
}

/// # Safety
///
/// `to` is one, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaFuncGetAttributes(
    to: *mut FuncAttributes,
    stub: *const c_void,
) -> Status {
    call(|d| {
        let kernel = d.code.kernel(stub as usize, &mut d.memory)?;
        let most = kernel.kernel().most_threads.map_or(MOST_THREADS as u32, |m| m);
        let allowed = d.launches.allowed.get(&kernel.number).copied().unwrap_or(USUAL_SHARED);
        let attributes = FuncAttributes {
            shared: kernel.shared as usize,
            constant: 0,
            local: 0,
            most_threads: most as c_int,
            registers: 32,
            ptx_version: 80,
            binary_version: 80,
            cache_mode: 0,
            most_dynamic_shared: allowed.saturating_sub(kernel.shared) as c_int,
            carveout: -1,
        };
        // SAFETY: as the caller says.
        unsafe { give(to, attributes) }
    })
}

const MOST_DYNAMIC_SHARED: c_int = 8;

#[unsafe(no_mangle)]
pub extern "C" fn cudaFuncSetAttribute(
    stub: *const c_void,
    attribute: c_int,
    value: c_int,
) -> Status {
    let site = Site::here();
    call(|d| {
        let kernel = d.code.kernel(stub as usize, &mut d.memory)?;
        if attribute != MOST_DYNAMIC_SHARED {
            return Ok(());
        }
        let wanted = value.max(0) as u64 + kernel.shared;
        if wanted > MOST_SHARED {
            let name = &kernel.kernel().name;
            let message = format!(
                "cudaFuncSetAttribute allows {name} {wanted} bytes of shared memory, of which a block has at most {MOST_SHARED}"
            );
            d.misuse(&site, message, "use less shared memory");
            return Failed::with(Status::INVALID_VALUE);
        }
        d.launches.allowed.insert(kernel.number, wanted);
        Ok(())
    })
}

fn known(d: &mut Device, stub: *const c_void) -> Result<(), Failed> {
    d.code.kernel(stub as usize, &mut d.memory).map(|_| ())
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaFuncSetCacheConfig(stub: *const c_void, _config: c_int) -> Status {
    call(|d| known(d, stub))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaFuncSetSharedMemConfig(stub: *const c_void, _config: c_int) -> Status {
    call(|d| known(d, stub))
}

/// # Safety
///
/// `to` is a number, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaOccupancyMaxActiveBlocksPerMultiprocessor(
    to: *mut c_int,
    stub: *const c_void,
    threads: c_int,
    shared: usize,
) -> Status {
    call(|d| {
        let kernel = d.code.kernel(stub as usize, &mut d.memory)?;
        let blocks = blocks_of_processor(threads.max(1) as u64, kernel.shared + shared as u64);
        // SAFETY: as the caller says.
        unsafe { give(to, blocks as c_int) }
    })
}

/// # Safety
///
/// `to` is a number, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    to: *mut c_int,
    stub: *const c_void,
    threads: c_int,
    shared: usize,
    _flags: u32,
) -> Status {
    // SAFETY: as the caller says.
    unsafe { cudaOccupancyMaxActiveBlocksPerMultiprocessor(to, stub, threads, shared) }
}

/// # Safety
///
/// `grid` and `block` are numbers, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __lockstep_occupancy_block_size(
    grid: *mut c_int,
    block: *mut c_int,
    stub: *const c_void,
    shared: usize,
    limit: c_int,
) -> Status {
    call(|d| {
        let kernel = d.code.kernel(stub as usize, &mut d.memory)?;
        let most = u64::from(kernel.kernel().most_threads.unwrap_or(MOST_THREADS as u32));
        let most = if limit > 0 { most.min(limit as u64) } else { most };
        let total = kernel.shared + shared as u64;
        // SAFETY: as the caller says.
        unsafe {
            give(grid, (PROCESSORS * blocks_of_processor(most, total)) as c_int)?;
            give(block, most as c_int)
        }
    })
}

/// # Safety
///
/// `to` is a number, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaOccupancyAvailableDynamicSMemPerBlock(
    to: *mut usize,
    stub: *const c_void,
    blocks: c_int,
    _threads: c_int,
) -> Status {
    call(|d| {
        let kernel = d.code.kernel(stub as usize, &mut d.memory)?;
        let each = MOST_SHARED / blocks.max(1) as u64;
        // SAFETY: as the caller says.
        unsafe { give(to, each.saturating_sub(kernel.shared) as usize) }
    })
}
