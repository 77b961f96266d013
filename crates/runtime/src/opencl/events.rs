//! Events: their functions.

use std::ffi::c_void;
use std::sync::OnceLock;
use std::time::Instant;

use opencl_sys::{
    CL_COMMAND_BARRIER, CL_COMMAND_MARKER, CL_COMMAND_USER, CL_COMPLETE,
    CL_EVENT_COMMAND_EXECUTION_STATUS, CL_EVENT_COMMAND_QUEUE, CL_EVENT_COMMAND_TYPE,
    CL_EVENT_CONTEXT, CL_EVENT_REFERENCE_COUNT, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
    CL_INVALID_EVENT, CL_INVALID_OPERATION, CL_INVALID_VALUE, CL_PROFILING_COMMAND_END,
    CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_SUBMIT,
    CL_PROFILING_INFO_NOT_AVAILABLE, CL_QUEUED, CL_RUNNING, CL_SUBMITTED, cl_command_queue,
    cl_command_type, cl_context, cl_event, cl_event_info, cl_int, cl_profiling_info,
};

use crate::device::{Device, lock};
use crate::opencl::answer::{Answer, Wanted, handles};
use crate::opencl::command::{Command, Enqueue, Order, enqueued, finish, wait};
use crate::opencl::context::{Context, Queue};
use crate::opencl::objects::Body;
use crate::opencl::{call, code, made, status};

type Notify = unsafe extern "C" fn(event: cl_event, status: cl_int, user_data: *mut c_void);

pub(super) struct Event {
    pub queue: Option<usize>,
    pub context: usize,
    pub kind: cl_command_type,
    /// `CL_QUEUED` to `CL_COMPLETE`, or an error.
    pub status: cl_int,
    /// When it got to each status.
    pub times: [Option<Instant>; 4],
    pub profiling: bool,
    pub callbacks: Vec<EventCallback>,
}

/// A function that is called when an event has got so far.
pub(super) struct EventCallback {
    pub stage: cl_int,
    notify: Notify,
    user_data: usize,
}

impl Event {
    pub(super) fn new(queue: Option<usize>, context: usize, kind: cl_command_type) -> Event {
        let mut times = [None; 4];
        times[CL_QUEUED as usize] = Some(Instant::now());
        let (status, profiling) = (CL_QUEUED, false);
        Event { queue, context, kind, status, times, profiling, callbacks: Vec::new() }
    }

    /// Nanoseconds from the first question on.
    fn nanoseconds(&self, stage: cl_int) -> u64 {
        static START: OnceLock<Instant> = OnceLock::new();
        const BEFORE: u64 = 1 << 40;
        let start = *START.get_or_init(Instant::now);
        let Some(at) = self.times[stage as usize] else { return BEFORE };
        match at.checked_duration_since(start) {
            Some(after) => BEFORE + after.as_nanos() as u64,
            None => BEFORE - (start - at).as_nanos() as u64,
        }
    }
}

impl Device {
    /// The program's function will be called; the event lives until then.
    pub(super) fn call_back(&mut self, handle: usize, callback: EventCallback) {
        self.hold(handle);
        let EventCallback { stage, notify, user_data } = callback;
        let status = self.peek::<Event>(handle).map_or(stage, |e| e.status);
        let status = if status < 0 { status } else { stage };
        self.opencl.callbacks.add(Box::new(move || {
            // SAFETY: the program has given the function to be called so.
            unsafe { notify(handle as cl_event, status, user_data as *mut c_void) };
            lock().let_go(handle);
        }));
    }
}

/// # Safety
///
/// `code` is null or points to a number.
pub(super) unsafe extern "C" fn clCreateUserEvent(
    context: cl_context,
    code: *mut cl_int,
) -> cl_event {
    let event = call("clCreateUserEvent", |d, call| {
        d.object::<Context>(context as usize, call)?;
        let mut event = Event::new(None, context as usize, CL_COMMAND_USER);
        event.status = CL_SUBMITTED;
        Ok(d.put(Body::Event(event), 1, vec![context as usize]))
    });
    // SAFETY: as the caller says.
    unsafe { made(code, event) }
}

pub(super) extern "C" fn clSetUserEventStatus(event: cl_event, new: cl_int) -> cl_int {
    status("clSetUserEventStatus", |d, call| {
        let own = d.object::<Event>(event as usize, call)?;
        if own.kind != CL_COMMAND_USER {
            return d.wrong(
                call,
                CL_INVALID_EVENT,
                "is given the event of a command",
                "set the status of events that clCreateUserEvent has made",
            );
        }
        if new > CL_COMPLETE {
            return Err(CL_INVALID_VALUE);
        }
        if own.status <= CL_COMPLETE {
            return d.wrong(
                call,
                CL_INVALID_OPERATION,
                "sets the status of an event a second time",
                "set the status of each user event once",
            );
        }
        d.order.record_host(event as usize);
        d.set_status(event as usize, new);
        Ok(())
    })
}

pub(super) extern "C" fn clSetEventCallback(
    event: cl_event,
    stage: cl_int,
    notify: Option<Notify>,
    user_data: *mut c_void,
) -> cl_int {
    status("clSetEventCallback", |d, call| {
        let own = d.object::<Event>(event as usize, call)?;
        let Some(notify) = notify.filter(|_| (CL_COMPLETE..=CL_SUBMITTED).contains(&stage)) else {
            return Err(CL_INVALID_VALUE);
        };
        let callback = EventCallback { stage, notify, user_data: user_data as usize };
        if own.status <= stage && own.kind != CL_COMMAND_USER || own.status <= CL_COMPLETE {
            d.call_back(event as usize, callback);
        } else {
            own.callbacks.push(callback);
        }
        Ok(())
    })
}

/// # Safety
///
/// There are as many events as `count` says.
pub(super) unsafe extern "C" fn clWaitForEvents(count: u32, list: *const cl_event) -> cl_int {
    if count == 0 || list.is_null() {
        return CL_INVALID_VALUE;
    }
    // SAFETY: as the caller says.
    let events = unsafe { handles(count, list) };
    let all = call("clWaitForEvents", |d, call| {
        for event in &events {
            d.object::<Event>(*event, call)?;
        }
        events.iter().for_each(|e| d.hold(*e));
        Ok(())
    });
    if all.is_err() {
        return code(all);
    }
    let done = wait(&events).map_err(|_| CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    let mut device = lock();
    events.iter().for_each(|e| device.let_go(*e));
    code(done)
}

pub(super) extern "C" fn clRetainEvent(event: cl_event) -> cl_int {
    status("clRetainEvent", |d, call| d.retain::<Event>(event as usize, call))
}

pub(super) extern "C" fn clReleaseEvent(event: cl_event) -> cl_int {
    status("clReleaseEvent", |d, call| d.release::<Event>(event as usize, call))
}

/// # Safety
///
/// The places for the answer are null or of the size that is given.
pub(super) unsafe extern "C" fn clGetEventInfo(
    event: cl_event,
    what: cl_event_info,
    size: usize,
    to: *mut c_void,
    size_ret: *mut usize,
) -> cl_int {
    status("clGetEventInfo", |d, call| {
        let own = d.object::<Event>(event as usize, call)?;
        let answer: Answer = match what {
            CL_EVENT_COMMAND_QUEUE => own.queue.unwrap_or(0).into(),
            CL_EVENT_CONTEXT => own.context.into(),
            CL_EVENT_COMMAND_TYPE => own.kind.into(),
            CL_EVENT_COMMAND_EXECUTION_STATUS => {
                let status = own.status;
                // The host sees that it is over.
                if status == CL_COMPLETE {
                    d.order.host_waits_for(&[event as usize]);
                }
                status.into()
            }
            CL_EVENT_REFERENCE_COUNT => d.references(event as usize).into(),
            _ => return Err(CL_INVALID_VALUE),
        };
        // SAFETY: as the caller says.
        unsafe { Wanted { size, to, size_ret }.give(answer) }
    })
}

/// # Safety
///
/// As for [`clGetEventInfo`].
pub(super) unsafe extern "C" fn clGetEventProfilingInfo(
    event: cl_event,
    what: cl_profiling_info,
    size: usize,
    to: *mut c_void,
    size_ret: *mut usize,
) -> cl_int {
    status("clGetEventProfilingInfo", |d, call| {
        let own = d.object::<Event>(event as usize, call)?;
        if !own.profiling || own.status != CL_COMPLETE {
            return Err(CL_PROFILING_INFO_NOT_AVAILABLE);
        }
        let stage = match what {
            CL_PROFILING_COMMAND_QUEUED => CL_QUEUED,
            CL_PROFILING_COMMAND_SUBMIT => CL_SUBMITTED,
            CL_PROFILING_COMMAND_START => CL_RUNNING,
            CL_PROFILING_COMMAND_END => CL_COMPLETE,
            _ => return Err(CL_INVALID_VALUE),
        };
        let answer = own.nanoseconds(stage).into();
        // SAFETY: as the caller says.
        unsafe { Wanted { size, to, size_ret }.give(answer) }
    })
}

pub(super) extern "C" fn clFlush(queue: cl_command_queue) -> cl_int {
    status("clFlush", |d, call| d.object::<Queue>(queue as usize, call).map(|_| ()))
}

pub(super) extern "C" fn clFinish(queue: cl_command_queue) -> cl_int {
    let known = call("clFinish", |d, call| d.object::<Queue>(queue as usize, call).map(|_| ()));
    code(known.and_then(|()| finish(queue as usize)))
}

fn nothing() -> (Command, ()) {
    (Command::new(Vec::new(), |_| Ok(())), ())
}

/// # Safety
///
/// The wait list has as many events as it says, and the place for the event is null or one.
pub(super) unsafe extern "C" fn clEnqueueMarkerWithWaitList(
    queue: cl_command_queue,
    count: u32,
    list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    let how = Enqueue::new(queue, CL_COMMAND_MARKER, count, list, event);
    let how = how.ordered(if count == 0 { Order::AfterAll } else { Order::None });
    // SAFETY: as the caller says.
    code(unsafe { enqueued("clEnqueueMarkerWithWaitList", how, |_, _| Ok(nothing())) })
}

/// # Safety
///
/// As for [`clEnqueueMarkerWithWaitList`].
pub(super) unsafe extern "C" fn clEnqueueBarrierWithWaitList(
    queue: cl_command_queue,
    count: u32,
    list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    let how = Enqueue::new(queue, CL_COMMAND_BARRIER, count, list, event).ordered(Order::Barrier);
    // SAFETY: as the caller says.
    code(unsafe { enqueued("clEnqueueBarrierWithWaitList", how, |_, _| Ok(nothing())) })
}

/// # Safety
///
/// As for [`clEnqueueMarkerWithWaitList`].
pub(super) unsafe extern "C" fn clEnqueueMarker(
    queue: cl_command_queue,
    event: *mut cl_event,
) -> cl_int {
    if event.is_null() {
        return CL_INVALID_VALUE;
    }
    let how = Enqueue::new(queue, CL_COMMAND_MARKER, 0, std::ptr::null(), event);
    // SAFETY: as the caller says.
    code(unsafe { enqueued("clEnqueueMarker", how.ordered(Order::AfterAll), |_, _| Ok(nothing())) })
}

pub(super) extern "C" fn clEnqueueBarrier(queue: cl_command_queue) -> cl_int {
    let (list, event) = (std::ptr::null(), std::ptr::null_mut());
    let how = Enqueue::new(queue, CL_COMMAND_BARRIER, 0, list, event).ordered(Order::Barrier);
    // SAFETY: there is no list, and no place for the event.
    code(unsafe { enqueued("clEnqueueBarrier", how, |_, _| Ok(nothing())) })
}

/// # Safety
///
/// As for [`clEnqueueMarkerWithWaitList`].
pub(super) unsafe extern "C" fn clEnqueueWaitForEvents(
    queue: cl_command_queue,
    count: u32,
    list: *const cl_event,
) -> cl_int {
    let event = std::ptr::null_mut();
    let how = Enqueue::new(queue, CL_COMMAND_BARRIER, count, list, event).ordered(Order::Barrier);
    // SAFETY: as the caller says.
    code(unsafe { enqueued("clEnqueueWaitForEvents", how, |_, _| Ok(nothing())) })
}
