//! Streams and events.
//!
//! All work is done when it is asked for, so a stream has nothing to wait for; which work it orders, [`crate::order`] keeps. A handle is a number that is never used
//! again: one that the program has released is known as such.

use std::collections::HashMap;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

use crate::device::Device;
use crate::error::{Failed, Status};
use crate::order::{Clock, LEGACY};
use crate::site::Site;

/// What a handle is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    Stream,
    Event,
}

impl What {
    fn name(self) -> &'static str {
        match self {
            What::Stream => "a stream",
            What::Event => "an event",
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Handle {
    pub what: What,
    pub flags: u32,
    pub priority: i32,
    /// Of an event: when it was last recorded.
    pub recorded: Option<Instant>,
    pub released: Option<Site>,
}

#[derive(Debug, Default)]
pub(crate) struct Streams {
    /// Each thread of the host has a default stream of its own.
    pub per_thread: bool,
    handles: HashMap<usize, Handle>,
}

/// The default stream, the one of old, and the one of each thread of the host.
pub(crate) const DEFAULT: [usize; 3] = [0, 1, 2];

/// The flag of a stream that the default stream does not wait for.
const NON_BLOCKING: u32 = 1;
/// The default stream of each thread.
const PER_THREAD: usize = 2;

static THREADS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// The number of this thread of the host. The machine's own names of threads are used again.
    static THREAD: usize = THREADS.fetch_add(1, Relaxed);
}

/// Handles are multiples of this, so that they look like pointers.
const STEP: usize = 16;
const FIRST: usize = 0x1000;

impl Device {
    pub(crate) fn new_handle(&mut self, what: What, flags: u32, priority: i32) -> usize {
        let handles = &mut self.streams.handles;
        let number = FIRST + handles.len() * STEP;
        handles.insert(number, Handle { what, flags, priority, recorded: None, released: None });
        if what == What::Stream {
            self.order.activate();
            self.order.add(number, "stream", flags & NON_BLOCKING == 0);
        }
        number
    }

    /// The state behind a handle; one that is not alive is reported.
    pub(crate) fn handle(
        &mut self,
        what: What,
        number: usize,
        call: &str,
        site: &Site,
    ) -> Result<&mut Handle, Failed> {
        let known = self.streams.handles.get(&number).filter(|h| h.what == what);
        let told = match known {
            Some(Handle { released: None, .. }) => {
                return self.streams.handles.get_mut(&number).ok_or(Failed(Status::INVALID_HANDLE));
            }
            Some(Handle { released: Some(before), .. }) => {
                format!("{call} is given {} that was released before{}", what.name(), before.told())
            }
            None if number == 0 => format!("{call} is given null in place of {}", what.name()),
            None => format!("{call} is given {} that does not exist", what.name()),
        };
        let help = "release a handle after its last use, and use only what the runtime has created";
        self.misuse(site, told, help);
        Failed::with(Status::INVALID_HANDLE)
    }

    /// A stream as the order of work knows it.
    pub(crate) fn lane(&mut self, stream: usize) -> usize {
        match stream {
            0 if self.streams.per_thread => self.lane(PER_THREAD),
            0 | 1 => LEGACY,
            PER_THREAD => {
                self.order.activate();
                PER_THREAD + THREAD.with(|number| *number) * STEP
            }
            handle => handle,
        }
    }

    /// Work of a stream begins; without one, of the default stream.
    pub(crate) fn begin_work(&mut self, stream: Option<usize>) {
        let lane = self.lane(stream.unwrap_or(0));
        self.order.begin(lane, &Clock::default());
    }

    /// The host has waited for the work of a stream.
    pub(crate) fn host_waits(&mut self, stream: Option<usize>) {
        let lane = self.lane(stream.unwrap_or(0));
        self.end_work();
        self.order.host_waits(lane);
    }

    /// Whether a stream can be used.
    pub(crate) fn check_stream(
        &mut self,
        stream: usize,
        call: &str,
        site: &Site,
    ) -> Result<(), Failed> {
        if DEFAULT.contains(&stream) {
            return Ok(());
        }
        self.handle(What::Stream, stream, call, site).map(|_| ())
    }
}
