//! Commands: what is enqueued, what it waits for, and when it is executed.
//!
//! A command is executed by the call that makes it ready: the one that enqueues it, or that completes the last event it
//! waits for. Commands of an in-order queue are executed in their order.

use std::sync::{Condvar, MutexGuard};
use std::time::Instant;

use opencl_sys::{
    CL_COMPLETE, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, CL_INVALID_EVENT_WAIT_LIST,
    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_QUEUED, CL_RUNNING, CL_SUBMITTED, cl_command_type,
    cl_event, cl_int,
};

use crate::device::{Device, lock};
use crate::opencl::answer::{give, handles};
use crate::opencl::context::Queue;
use crate::opencl::events::Event;
use crate::opencl::objects::Body;
use crate::opencl::{Call, Outcome, call, callbacks};
use crate::order::Clock;

/// What a command does.
pub(super) type Deed = Box<dyn FnOnce(&mut Device) -> Outcome + Send>;

/// A command that is to be enqueued.
pub(super) struct Command {
    pub deed: Deed,
    /// The objects that it uses: they live until it has been executed.
    pub uses: Vec<usize>,
}

impl Command {
    pub(super) fn new(
        uses: Vec<usize>,
        deed: impl FnOnce(&mut Device) -> Outcome + Send + 'static,
    ) -> Command {
        Command { deed: Box::new(deed), uses }
    }
}

struct Waiting {
    queue: usize,
    event: usize,
    waits: Vec<usize>,
    order: Order,
    command: Command,
    /// What the host knew to be over.
    before: Clock,
}

/// How a command is ordered with others of its queue, where the queue itself orders nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    None,
    /// It waits for all before it.
    AfterAll,
    /// And all behind it wait for it.
    Barrier,
}

/// Those that have not been executed, oldest first.
#[derive(Default)]
pub(super) struct Commands(Vec<Waiting>);

/// An event has got another state.
static CHANGED: Condvar = Condvar::new();

/// How a command is enqueued, as the functions have it.
#[derive(Clone, Copy)]
pub(super) struct Enqueue {
    pub queue: usize,
    pub kind: cl_command_type,
    pub blocking: bool,
    pub order: Order,
    pub count: u32,
    pub list: *const cl_event,
    pub event: *mut cl_event,
}

impl Enqueue {
    pub(super) fn new(
        queue: *mut std::ffi::c_void,
        kind: cl_command_type,
        count: u32,
        list: *const cl_event,
        event: *mut cl_event,
    ) -> Enqueue {
        let (queue, blocking, order) = (queue as usize, false, Order::None);
        Enqueue { queue, kind, blocking, order, count, list, event }
    }

    pub(super) fn blocking(self, blocking: u32) -> Enqueue {
        Enqueue { blocking: blocking != 0, ..self }
    }

    pub(super) fn ordered(self, order: Order) -> Enqueue {
        Enqueue { order, ..self }
    }
}

/// Enqueues a command, and waits for it if it is a blocking one. What `make` gives beside the command is given back.
///
/// # Safety
///
/// The wait list has as many events as it says, and the place for the event is null or one.
pub(super) unsafe fn enqueued<T>(
    name: &'static str,
    how: Enqueue,
    make: impl FnOnce(&mut Device, &Call) -> Outcome<(Command, T)>,
) -> Outcome<T> {
    let mut waited = None;
    let result = call(name, |device, call| {
        device.object::<Queue>(how.queue, call)?;
        // SAFETY: as the caller says.
        let waits = unsafe { device.wait_list(call, how.count, how.list) }?;
        let (command, value) = make(device, call)?;
        let refs = u32::from(!how.event.is_null());
        let event = device.add_command(&how, command, waits, refs);
        // SAFETY: as the caller says.
        unsafe { give(how.event, event as cl_event) };
        device.hold(event);
        waited = Some(event);
        Ok(value)
    });
    let Some(event) = waited else { return result };
    let done = if how.blocking { wait(&[event]) } else { Ok(()) };
    lock().let_go(event);
    callbacks::send();
    done.and(result)
}

/// Waits until events are complete. An error of one of them is the result.
pub(super) fn wait(events: &[usize]) -> Outcome {
    let mut device = lock();
    while events.iter().any(|e| device.is_open(*e)) {
        device = changed(device);
    }
    device.order.host_waits_for(events);
    let status = |e: &usize| device.peek::<Event>(*e).map_or(CL_COMPLETE, |event| event.status);
    events.iter().map(status).find(|s| *s < 0).map_or(Ok(()), Err)
}

/// Waits until a queue has no command left. The error of one that failed since this was asked last is the result.
pub(super) fn finish(queue: usize) -> Outcome {
    let mut device = lock();
    while device.opencl.commands.0.iter().any(|c| c.queue == queue) {
        device = changed(device);
    }
    device.order.host_waits(queue);
    let failed = device.peek_mut::<Queue>(queue).and_then(|q| q.failed.take());
    failed.map_or(Ok(()), Err)
}

fn changed(device: MutexGuard<'static, Device>) -> MutexGuard<'static, Device> {
    CHANGED.wait(device).unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl Device {
    /// # Safety
    ///
    /// The list has as many events as it says.
    unsafe fn wait_list(
        &mut self,
        call: &Call,
        count: u32,
        list: *const cl_event,
    ) -> Outcome<Vec<usize>> {
        if (count == 0) != list.is_null() {
            return Err(CL_INVALID_EVENT_WAIT_LIST);
        }
        // SAFETY: as the caller says.
        let events = unsafe { handles(count, list) };
        for event in &events {
            self.object::<Event>(*event, call).map_err(|_| CL_INVALID_EVENT_WAIT_LIST)?;
        }
        Ok(events)
    }

    fn add_command(
        &mut self,
        how: &Enqueue,
        command: Command,
        waits: Vec<usize>,
        refs: u32,
    ) -> usize {
        let (context, profiling) =
            self.peek::<Queue>(how.queue).map_or((0, false), |q| (q.context, q.profiling()));
        let mut event = Event::new(Some(how.queue), context, how.kind);
        event.profiling = profiling;
        let event = self.put(Body::Event(event), refs, vec![how.queue, context]);
        let used = waits.iter().chain(&command.uses).chain([&event]);
        used.for_each(|handle| self.hold(*handle));
        let (queue, order) = (how.queue, how.order);
        let before = self.order.host();
        self.opencl.commands.0.push(Waiting { queue, event, waits, order, command, before });
        event
    }

    /// Executes what is ready.
    pub(super) fn run_commands(&mut self) {
        while let Some(next) = (0..self.opencl.commands.0.len()).find(|i| self.is_ready(*i)) {
            let waiting = self.opencl.commands.0.remove(next);
            self.run_command(waiting);
        }
    }

    fn is_open(&self, event: usize) -> bool {
        self.peek::<Event>(event).is_some_and(|e| e.status > CL_COMPLETE)
    }

    fn is_ready(&self, number: usize) -> bool {
        let own = &self.opencl.commands.0[number];
        let out_of_order = (self.peek::<Queue>(own.queue))
            .is_some_and(|q| q.properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE != 0);
        let mut before = self.opencl.commands.0[..number].iter().filter(|c| c.queue == own.queue);
        let must_wait =
            before.any(|c| !out_of_order || own.order != Order::None || c.order == Order::Barrier);
        !must_wait && !own.waits.iter().any(|e| self.is_open(*e))
    }

    fn run_command(&mut self, waiting: Waiting) {
        let Waiting { queue, event, waits, order, command, mut before } = waiting;
        before.join(&self.order.of_events(&waits));
        self.order.begin_command(queue, event, order != Order::None, &before);
        let failed = |e: &usize| self.peek::<Event>(*e).is_some_and(|e| e.status < 0);
        let outcome = if waits.iter().any(failed) {
            Err(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
        } else {
            self.set_status(event, CL_SUBMITTED);
            self.set_status(event, CL_RUNNING);
            (command.deed)(self)
        };
        self.end_work();
        self.order.command_ends(queue, event, order == Order::Barrier);
        if let (Err(code), Some(queue)) = (outcome, self.peek_mut::<Queue>(queue)) {
            queue.failed.get_or_insert(code);
        }
        self.set_status(event, outcome.err().unwrap_or(CL_COMPLETE));
        for handle in waits.into_iter().chain(command.uses).chain([event]) {
            self.let_go(handle);
        }
    }

    /// An event gets another state, and who waits for it is told.
    pub(super) fn set_status(&mut self, handle: usize, status: cl_int) {
        let Some(event) = self.peek_mut::<Event>(handle) else { return };
        event.status = status;
        let stage = status.clamp(CL_COMPLETE, CL_QUEUED);
        event.times[stage as usize] = Some(Instant::now());
        let (due, rest) = event.callbacks.drain(..).partition(|c| stage <= c.stage);
        event.callbacks = rest;
        for callback in due {
            self.call_back(handle, callback);
        }
        CHANGED.notify_all();
    }
}
