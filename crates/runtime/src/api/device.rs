//! The device itself: its properties and attributes, limits, errors.

use std::ffi::{c_char, c_int, c_uint, c_void};

use crate::api::give;
use crate::device::{call, call_unbroken, last_error};
use crate::error::{Failed, Status};
use crate::launch::{
    MOST_BLOCK, MOST_GRID, MOST_SHARED, MOST_THREADS, PROCESSORS, THREADS_OF_PROCESSOR,
    USUAL_SHARED,
};
use crate::memory::TOTAL;
use crate::site::Site;

/// The version of CUDA that programs see.
const VERSION: c_int = 12040;
/// The compute capability: that of the architecture that code is compiled for.
const CAPABILITY: (c_int, c_int) = (8, 0);
const CONSTANT_MEMORY: usize = 64 << 10;
const REGISTERS: c_int = 65_536;
const CLOCK_KHZ: c_int = 1_000_000;
const NAME: &[u8] = b"Lockstep simulator";

/// # Safety
///
/// `to` is a number, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaGetDeviceCount(to: *mut c_int) -> Status {
    // SAFETY: as the caller says.
    call(|_| unsafe { give(to, 1) })
}

/// # Safety
///
/// `to` is a number, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaGetDevice(to: *mut c_int) -> Status {
    // SAFETY: as the caller says.
    call(|_| unsafe { give(to, 0) })
}

fn is_there(name: &str, device: c_int) -> Status {
    let site = Site::here();
    call(|d| {
        if device == 0 {
            return Ok(());
        }
        let message = format!("{name} is given device {device}; there is one, with the number 0");
        d.misuse(&site, message, "ask cudaGetDeviceCount how many devices there are");
        Failed::with(Status::INVALID_DEVICE)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaSetDevice(device: c_int) -> Status {
    is_there("cudaSetDevice", device)
}

/// # Safety
///
/// `to` is a number, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaChooseDevice(to: *mut c_int, _wanted: *const c_void) -> Status {
    // SAFETY: as the caller says.
    call(|_| unsafe { give(to, 0) })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaSetDeviceFlags(_flags: c_uint) -> Status {
    call(|_| Ok(()))
}

/// # Safety
///
/// `to` is a number, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaGetDeviceFlags(to: *mut c_uint) -> Status {
    // SAFETY: as the caller says.
    call(|_| unsafe { give(to, 0) })
}

/// All memory is freed, and an error that a kernel has left is gone.
#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceReset() -> Status {
    let site = Site::here();
    call(|d| {
        let slots: Vec<usize> =
            d.memory.live().filter(|(_, a)| !a.call.is_empty()).map(|(slot, _)| slot).collect();
        d.order.host_waits_for_all();
        slots.into_iter().for_each(|slot| d.memory.free(slot, "cudaDeviceReset", site.clone()));
        d.broken = None;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaThreadExit() -> Status {
    cudaDeviceReset()
}

/// `cudaDeviceProp` of our headers.
#[repr(C)]
pub struct DeviceProp {
    name: [u8; 256],
    uuid: [u8; 16],
    total_global_mem: usize,
    shared_mem_per_block: usize,
    mem_pitch: usize,
    total_const_mem: usize,
    texture_alignment: usize,
    texture_pitch_alignment: usize,
    surface_alignment: usize,
    shared_mem_per_multiprocessor: usize,
    shared_mem_per_block_optin: usize,
    reserved_shared_mem_per_block: usize,
    regs_per_block: c_int,
    warp_size: c_int,
    max_threads_per_block: c_int,
    max_threads_dim: [c_int; 3],
    max_grid_size: [c_int; 3],
    clock_rate: c_int,
    major: c_int,
    minor: c_int,
    device_overlap: c_int,
    multi_processor_count: c_int,
    kernel_exec_timeout_enabled: c_int,
    integrated: c_int,
    can_map_host_memory: c_int,
    compute_mode: c_int,
    max_texture_1d: c_int,
    max_texture_1d_linear: c_int,
    max_texture_2d: [c_int; 2],
    max_texture_3d: [c_int; 3],
    concurrent_kernels: c_int,
    ecc_enabled: c_int,
    pci_bus_id: c_int,
    pci_device_id: c_int,
    pci_domain_id: c_int,
    tcc_driver: c_int,
    async_engine_count: c_int,
    unified_addressing: c_int,
    memory_clock_rate: c_int,
    memory_bus_width: c_int,
    l2_cache_size: c_int,
    persisting_l2_cache_max_size: c_int,
    max_threads_per_multi_processor: c_int,
    stream_priorities_supported: c_int,
    global_l1_cache_supported: c_int,
    local_l1_cache_supported: c_int,
    regs_per_multiprocessor: c_int,
    managed_memory: c_int,
    is_multi_gpu_board: c_int,
    multi_gpu_board_group_id: c_int,
    host_native_atomic_supported: c_int,
    single_to_double_precision_perf_ratio: c_int,
    pageable_memory_access: c_int,
    concurrent_managed_access: c_int,
    compute_preemption_supported: c_int,
    can_use_host_pointer_for_registered_mem: c_int,
    cooperative_launch: c_int,
    cooperative_multi_device_launch: c_int,
    pageable_memory_access_uses_host_page_tables: c_int,
    direct_managed_mem_access_from_host: c_int,
    max_blocks_per_multi_processor: c_int,
    access_policy_max_window_size: c_int,
    memory_pools_supported: c_int,
}

fn properties() -> DeviceProp {
    let mut name = [0; 256];
    name[..NAME.len()].copy_from_slice(NAME);
    DeviceProp {
        name,
        uuid: [0; 16],
        total_global_mem: TOTAL as usize,
        shared_mem_per_block: USUAL_SHARED as usize,
        mem_pitch: 0x7fff_ffff,
        total_const_mem: CONSTANT_MEMORY,
        texture_alignment: 512,
        texture_pitch_alignment: 32,
        surface_alignment: 512,
        shared_mem_per_multiprocessor: MOST_SHARED as usize + 1024,
        shared_mem_per_block_optin: MOST_SHARED as usize,
        reserved_shared_mem_per_block: 1024,
        regs_per_block: REGISTERS,
        warp_size: 32,
        max_threads_per_block: MOST_THREADS as c_int,
        max_threads_dim: MOST_BLOCK.map(|d| d as c_int),
        max_grid_size: MOST_GRID.map(|d| d as c_int),
        clock_rate: CLOCK_KHZ,
        major: CAPABILITY.0,
        minor: CAPABILITY.1,
        device_overlap: 1,
        multi_processor_count: PROCESSORS as c_int,
        kernel_exec_timeout_enabled: 0,
        integrated: 0,
        can_map_host_memory: 1,
        compute_mode: 0,
        max_texture_1d: 131_072,
        max_texture_1d_linear: 268_435_456,
        max_texture_2d: [131_072, 65_536],
        max_texture_3d: [16_384; 3],
        concurrent_kernels: 1,
        ecc_enabled: 0,
        pci_bus_id: 0,
        pci_device_id: 0,
        pci_domain_id: 0,
        tcc_driver: 0,
        async_engine_count: 2,
        unified_addressing: 1,
        memory_clock_rate: CLOCK_KHZ,
        memory_bus_width: 256,
        l2_cache_size: 4 << 20,
        persisting_l2_cache_max_size: 0,
        max_threads_per_multi_processor: THREADS_OF_PROCESSOR as c_int,
        stream_priorities_supported: 1,
        global_l1_cache_supported: 1,
        local_l1_cache_supported: 1,
        regs_per_multiprocessor: REGISTERS,
        managed_memory: 1,
        is_multi_gpu_board: 0,
        multi_gpu_board_group_id: 0,
        host_native_atomic_supported: 0,
        single_to_double_precision_perf_ratio: 2,
        pageable_memory_access: 0,
        concurrent_managed_access: 1,
        compute_preemption_supported: 1,
        can_use_host_pointer_for_registered_mem: 1,
        cooperative_launch: 1,
        cooperative_multi_device_launch: 0,
        pageable_memory_access_uses_host_page_tables: 0,
        direct_managed_mem_access_from_host: 0,
        max_blocks_per_multi_processor: 32,
        access_policy_max_window_size: 0,
        memory_pools_supported: 1,
    }
}

/// # Safety
///
/// `to` is one, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaGetDeviceProperties(to: *mut DeviceProp, device: c_int) -> Status {
    match is_there("cudaGetDeviceProperties", device) {
        // SAFETY: as the caller says.
        Status::SUCCESS => call(|_| unsafe { give(to, properties()) }),
        status => status,
    }
}

/// The value of an attribute, by CUDA's number; `None` for one that is not known.
fn attribute(number: c_int) -> Option<c_int> {
    let p = properties();
    Some(match number {
        1 => p.max_threads_per_block,
        2..=4 => p.max_threads_dim[(number - 2) as usize],
        5..=7 => p.max_grid_size[(number - 5) as usize],
        8 => p.shared_mem_per_block as c_int,
        9 => p.total_const_mem as c_int,
        10 => p.warp_size,
        11 => p.mem_pitch as c_int,
        12 => p.regs_per_block,
        13 => p.clock_rate,
        14 => p.texture_alignment as c_int,
        15 => p.device_overlap,
        16 => p.multi_processor_count,
        17 => p.kernel_exec_timeout_enabled,
        18 => p.integrated,
        19 => p.can_map_host_memory,
        20 => p.compute_mode,
        30 => p.surface_alignment as c_int,
        31 => p.concurrent_kernels,
        32 => p.ecc_enabled,
        33 => p.pci_bus_id,
        34 => p.pci_device_id,
        35 => p.tcc_driver,
        36 => p.memory_clock_rate,
        37 => p.memory_bus_width,
        38 => p.l2_cache_size,
        39 => p.max_threads_per_multi_processor,
        40 => p.async_engine_count,
        41 => p.unified_addressing,
        50 => p.pci_domain_id,
        75 => p.major,
        76 => p.minor,
        78 => p.stream_priorities_supported,
        79 => p.global_l1_cache_supported,
        80 => p.local_l1_cache_supported,
        81 => p.shared_mem_per_multiprocessor as c_int,
        82 => p.regs_per_multiprocessor,
        83 => p.managed_memory,
        84 => p.is_multi_gpu_board,
        86 => p.host_native_atomic_supported,
        87 => p.single_to_double_precision_perf_ratio,
        88 => p.pageable_memory_access,
        89 => p.concurrent_managed_access,
        90 => p.compute_preemption_supported,
        91 => p.can_use_host_pointer_for_registered_mem,
        95 => p.cooperative_launch,
        96 => p.cooperative_multi_device_launch,
        97 => p.shared_mem_per_block_optin as c_int,
        100 => p.pageable_memory_access_uses_host_page_tables,
        101 => p.direct_managed_mem_access_from_host,
        106 => p.max_blocks_per_multi_processor,
        111 => p.reserved_shared_mem_per_block as c_int,
        115 => p.memory_pools_supported,
        21..=29
        | 42..=49
        | 51..=74
        | 77
        | 85
        | 92..=94
        | 98
        | 99
        | 102..=105
        | 107..=110
        | 112..=114
        | 116..=140 => 0,
        _ => return None,
    })
}

/// # Safety
///
/// `to` is a number, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaDeviceGetAttribute(
    to: *mut c_int,
    number: c_int,
    device: c_int,
) -> Status {
    match is_there("cudaDeviceGetAttribute", device) {
        Status::SUCCESS => call(|_| {
            let value = attribute(number).ok_or(Failed(Status::INVALID_VALUE))?;
            // SAFETY: as the caller says.
            unsafe { give(to, value) }
        }),
        status => status,
    }
}

/// # Safety
///
/// `to` has room for `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaDeviceGetPCIBusId(
    to: *mut c_char,
    length: c_int,
    _device: c_int,
) -> Status {
    let name = b"0000:00:00.0\0";
    call(|_| {
        if to.is_null() || (length as usize) < name.len() {
            return Failed::with(Status::INVALID_VALUE);
        }
        // SAFETY: as the caller says.
        unsafe { std::ptr::copy_nonoverlapping(name.as_ptr().cast(), to, name.len()) };
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceSetLimit(limit: c_int, value: usize) -> Status {
    call(|d| {
        d.limits.insert(limit, value);
        Ok(())
    })
}

/// # Safety
///
/// `to` is a number, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaDeviceGetLimit(to: *mut usize, limit: c_int) -> Status {
    const USUAL: [usize; 3] = [1024, 1 << 20, 8 << 20];
    call(|d| {
        let usual = USUAL.get(limit as usize).copied().unwrap_or(0);
        // SAFETY: as the caller says.
        unsafe { give(to, d.limits.get(&limit).copied().unwrap_or(usual)) }
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceSetCacheConfig(_config: c_int) -> Status {
    call(|_| Ok(()))
}

/// # Safety
///
/// `to` is a number, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaDeviceGetCacheConfig(to: *mut c_int) -> Status {
    // SAFETY: as the caller says.
    call(|_| unsafe { give(to, 0) })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceSetSharedMemConfig(_config: c_int) -> Status {
    call(|_| Ok(()))
}

/// # Safety
///
/// `to` is a number, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaDeviceGetSharedMemConfig(to: *mut c_int) -> Status {
    // SAFETY: as the caller says.
    call(|_| unsafe { give(to, 1) })
}

/// # Safety
///
/// `to` is a number, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaDeviceCanAccessPeer(
    to: *mut c_int,
    _device: c_int,
    _peer: c_int,
) -> Status {
    // SAFETY: as the caller says.
    call(|_| unsafe { give(to, 0) })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceEnablePeerAccess(_peer: c_int, _flags: c_uint) -> Status {
    call(|_| Failed::with(Status::INVALID_DEVICE))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceDisablePeerAccess(_peer: c_int) -> Status {
    call(|_| Failed::with(Status::PEER_NOT_ENABLED))
}

/// # Safety
///
/// `to` is a handle, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaDeviceGetDefaultMemPool(
    to: *mut *mut c_void,
    _device: c_int,
) -> Status {
    // SAFETY: as the caller says.
    call_unbroken(|_| unsafe { give(to, 0x10 as *mut c_void) })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemPoolSetAttribute(
    _pool: *mut c_void,
    _attribute: c_int,
    _value: *mut c_void,
) -> Status {
    call(|_| Ok(()))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemPoolTrimTo(_pool: *mut c_void, _size: usize) -> Status {
    call(|_| Ok(()))
}

/// # Safety
///
/// `to` is a number, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaDriverGetVersion(to: *mut c_int) -> Status {
    // SAFETY: as the caller says.
    call(|_| unsafe { give(to, VERSION) })
}

/// # Safety
///
/// `to` is a number, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaRuntimeGetVersion(to: *mut c_int) -> Status {
    // SAFETY: as the caller says.
    call(|_| unsafe { give(to, VERSION) })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaProfilerStart() -> Status {
    call(|_| Ok(()))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaProfilerStop() -> Status {
    call(|_| Ok(()))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetLastError() -> Status {
    last_error(true)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaPeekAtLastError() -> Status {
    last_error(false)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetErrorString(status: Status) -> *const c_char {
    status.text().as_ptr()
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetErrorName(status: Status) -> *const c_char {
    status.name().as_ptr()
}
