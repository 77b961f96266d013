//! Streams, events, and functions of the host that a stream calls.

use std::ffi::{c_int, c_uint, c_void};
use std::time::Instant;

use crate::api::give;
use crate::device::{Device, call, call_unbroken, lock};
use crate::error::{Failed, Status};
use crate::graph::{Deed, HostCall};
use crate::site::Site;
use crate::stream::What;

type Handle = *mut c_void;

/// # Safety
///
/// `to` is a handle, or null.
unsafe fn create(to: *mut Handle, what: What, flags: c_uint, priority: c_int) -> Status {
    // SAFETY: as the caller says.
    call_unbroken(|d| unsafe { give(to, d.new_handle(what, flags, priority) as Handle) })
}

fn release(name: &'static str, handle: Handle, what: What) -> Status {
    let site = Site::here();
    call_unbroken(|d| {
        let state = d.handle(what, handle as usize, name, &site)?;
        state.released = Some(site);
        Ok(())
    })
}

/// Something that is done with a stream, and needs it to be one.
fn with_stream(
    name: &'static str,
    stream: Handle,
    deed: impl FnOnce(&mut Device) -> Result<(), Failed>,
) -> Status {
    let site = Site::here();
    call_unbroken(|d| {
        d.check_stream(stream as usize, name, &site)?;
        deed(d)
    })
}

/// A unit that is compiled for that says so before the program begins.
#[unsafe(no_mangle)]
pub extern "C" fn __lockstep_per_thread_default_stream() {
    lock().streams.per_thread = true;
}

/// # Safety
///
/// `to` is a handle, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaStreamCreate(to: *mut Handle) -> Status {
    // SAFETY: as the caller says.
    unsafe { create(to, What::Stream, 0, 0) }
}

/// # Safety
///
/// `to` is a handle, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaStreamCreateWithFlags(to: *mut Handle, flags: c_uint) -> Status {
    // SAFETY: as the caller says.
    unsafe { create(to, What::Stream, flags, 0) }
}

/// # Safety
///
/// `to` is a handle, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaStreamCreateWithPriority(
    to: *mut Handle,
    flags: c_uint,
    priority: c_int,
) -> Status {
    // SAFETY: as the caller says.
    unsafe { create(to, What::Stream, flags, priority) }
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamDestroy(stream: Handle) -> Status {
    release("cudaStreamDestroy", stream, What::Stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamSynchronize(stream: Handle) -> Status {
    with_stream("cudaStreamSynchronize", stream, |d| {
        d.host_waits(Some(stream as usize));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamQuery(stream: Handle) -> Status {
    // All is over, and the host sees that.
    with_stream("cudaStreamQuery", stream, |d| {
        d.host_waits(Some(stream as usize));
        Ok(())
    })
}

/// # Safety
///
/// `to` is a number, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaStreamGetFlags(stream: Handle, to: *mut c_uint) -> Status {
    let site = Site::here();
    call_unbroken(|d| {
        let flags = match stream as usize {
            0..=2 => 0,
            number => d.handle(What::Stream, number, "cudaStreamGetFlags", &site)?.flags,
        };
        // SAFETY: as the caller says.
        unsafe { give(to, flags) }
    })
}

/// What a stream prefers to have in a cache, and how its work is waited for, means nothing here.
#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamSetAttribute(
    stream: Handle,
    _attribute: c_int,
    _value: *const c_void,
) -> Status {
    with_stream("cudaStreamSetAttribute", stream, |_| Ok(()))
}

/// # Safety
///
/// `to` has room for the 64 bytes of an attribute, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaStreamGetAttribute(
    stream: Handle,
    _attribute: c_int,
    to: *mut [u64; 8],
) -> Status {
    // SAFETY: as the caller says.
    with_stream("cudaStreamGetAttribute", stream, |_| unsafe { give(to, [0; 8]) })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaCtxResetPersistingL2Cache() -> Status {
    call_unbroken(|_| Ok(()))
}

/// # Safety
///
/// `to` is a number, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaStreamGetPriority(stream: Handle, to: *mut c_int) -> Status {
    let site = Site::here();
    call_unbroken(|d| {
        let priority = match stream as usize {
            0..=2 => 0,
            number => d.handle(What::Stream, number, "cudaStreamGetPriority", &site)?.priority,
        };
        // SAFETY: as the caller says.
        unsafe { give(to, priority) }
    })
}

/// # Safety
///
/// Both are numbers, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaDeviceGetStreamPriorityRange(
    least: *mut c_int,
    greatest: *mut c_int,
) -> Status {
    // SAFETY: as the caller says.
    call_unbroken(|_| unsafe {
        give(least, 0)?;
        give(greatest, -5)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamWaitEvent(stream: Handle, event: Handle, _flags: c_uint) -> Status {
    let site = Site::here();
    with_stream("cudaStreamWaitEvent", stream, |d| {
        d.handle(What::Event, event as usize, "cudaStreamWaitEvent", &site)?;
        if d.graphs.waits(stream as usize, event as usize) {
            return Ok(());
        }
        let lane = d.lane(stream as usize);
        d.order.wait(lane, event as usize);
        Ok(())
    })
}

/// # Safety
///
/// `to` is a handle, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaEventCreate(to: *mut Handle) -> Status {
    // SAFETY: as the caller says.
    unsafe { create(to, What::Event, 0, 0) }
}

/// # Safety
///
/// `to` is a handle, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaEventCreateWithFlags(to: *mut Handle, flags: c_uint) -> Status {
    // SAFETY: as the caller says.
    unsafe { create(to, What::Event, flags, 0) }
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaEventDestroy(event: Handle) -> Status {
    release("cudaEventDestroy", event, What::Event)
}

fn record(name: &'static str, event: Handle, stream: Handle) -> Status {
    let site = Site::here();
    with_stream(name, stream, |d| {
        d.handle(What::Event, event as usize, name, &site)?.recorded = Some(Instant::now());
        if d.graphs.records(event as usize, stream as usize) {
            return Ok(());
        }
        let lane = d.lane(stream as usize);
        d.order.record(event as usize, lane);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaEventRecord(event: Handle, stream: Handle) -> Status {
    record("cudaEventRecord", event, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaEventRecordWithFlags(
    event: Handle,
    stream: Handle,
    _flags: c_uint,
) -> Status {
    record("cudaEventRecordWithFlags", event, stream)
}

fn with_event(name: &'static str, event: Handle) -> Status {
    let site = Site::here();
    call_unbroken(|d| {
        d.handle(What::Event, event as usize, name, &site)?;
        d.order.host_waits_for(&[event as usize]);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaEventSynchronize(event: Handle) -> Status {
    with_event("cudaEventSynchronize", event)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaEventQuery(event: Handle) -> Status {
    with_event("cudaEventQuery", event)
}

/// # Safety
///
/// `to` is a number, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaEventElapsedTime(to: *mut f32, start: Handle, end: Handle) -> Status {
    const NO_TIMING: u32 = 2;
    let site = Site::here();
    call_unbroken(|d| {
        let name = "cudaEventElapsedTime";
        let mut times = [None; 2];
        for (time, event) in times.iter_mut().zip([start, end]) {
            let state = d.handle(What::Event, event as usize, name, &site)?;
            *time = state.recorded.filter(|_| state.flags & NO_TIMING == 0);
        }
        let [Some(from), Some(to_time)] = times else {
            let message =
                format!("{name} is given an event that was not recorded, or without timing");
            d.misuse(&site, message, "record both events first");
            return Failed::with(Status::INVALID_HANDLE);
        };
        let seconds = match to_time.checked_duration_since(from) {
            Some(passed) => passed.as_secs_f64(),
            None => -from.duration_since(to_time).as_secs_f64(),
        };
        // SAFETY: as the caller says.
        unsafe { give(to, (seconds * 1e3) as f32) }
    })
}

type HostFunction = extern "C" fn(*mut c_void);
type StreamCallback = extern "C" fn(Handle, Status, *mut c_void);

/// A function of the host runs in the order of a stream: what the stream did before is over for it.
pub(crate) fn in_stream(stream: Handle, function: impl FnOnce()) {
    let enters = |change: isize| {
        let mut device = lock();
        device.unguard_memory();
        let lane = device.lane(stream as usize);
        device.order.tells_host(lane);
        device.guards.callbacks = device.guards.callbacks.saturating_add_signed(change);
        device.guard_memory();
    };
    enters(1);
    function();
    enters(-1);
}

/// The function is called when the device is not locked: it may call the runtime, or end the program.
#[unsafe(no_mangle)]
pub extern "C" fn cudaLaunchHostFunc(
    stream: Handle,
    function: Option<HostFunction>,
    data: *mut c_void,
) -> Status {
    let site = Site::here();
    let mut captured = false;
    let status = with_stream("cudaLaunchHostFunc", stream, |d| {
        let Some(function) = function else { return Failed::with(Status::INVALID_VALUE) };
        let call = Deed::Call(HostCall { function, data: data as usize });
        captured =
            d.is_captured(Some(stream as usize), "cudaLaunchHostFunc", &site, |_| Ok(call))?;
        Ok(())
    });
    if let (Status::SUCCESS, Some(function), false) = (status, function, captured) {
        in_stream(stream, || function(data));
    }
    status
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamAddCallback(
    stream: Handle,
    function: Option<StreamCallback>,
    data: *mut c_void,
    _flags: c_uint,
) -> Status {
    let status = with_stream("cudaStreamAddCallback", stream, |_| match function {
        Some(_) => Ok(()),
        None => Failed::with(Status::INVALID_VALUE),
    });
    if let (Status::SUCCESS, Some(function)) = (status, function) {
        in_stream(stream, || function(stream, status, data));
    }
    status
}

/// # Safety
///
/// `to` is a number, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaStreamIsCapturing(stream: Handle, to: *mut c_int) -> Status {
    with_stream("cudaStreamIsCapturing", stream, |d| {
        let captured = d.graphs.of_stream(stream as usize).is_some();
        // SAFETY: as the caller says.
        unsafe { give(to, c_int::from(captured)) }
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceSynchronize() -> Status {
    call(|d| {
        d.order.host_waits_for_all();
        d.broken.map_or(Ok(()), Failed::with)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaThreadSynchronize() -> Status {
    cudaDeviceSynchronize()
}
