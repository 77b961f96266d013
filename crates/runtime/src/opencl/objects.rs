//! Objects: what a handle of the program points to, and how long it lives.
//!
//! A handle points to a few bytes of ours that begin with the loader's table. They are never freed before many others
//! have gone, so that a handle whose object is gone is known as such. An object is gone when neither the program nor
//! another object holds it: a command that waits holds what it uses.

use std::collections::{HashMap, VecDeque};

use opencl_sys::cl_icd::cl_icd_dispatch;
use opencl_sys::{
    CL_INVALID_COMMAND_QUEUE, CL_INVALID_CONTEXT, CL_INVALID_EVENT, CL_INVALID_KERNEL,
    CL_INVALID_MEM_OBJECT, CL_INVALID_PROGRAM, CL_INVALID_SAMPLER, cl_int,
};

use crate::device::Device;
use crate::opencl::buffers::Buffer;
use crate::opencl::context::{Context, Queue, Sampler};
use crate::opencl::dispatch;
use crate::opencl::events::Event;
use crate::opencl::kernels::KernelObject;
use crate::opencl::program::Program;
use crate::opencl::{Call, Outcome};
use crate::site::Site;

/// What the program has a pointer to.
#[repr(C)]
pub(super) struct Head {
    pub dispatch: *const cl_icd_dispatch,
}

/// How many objects that are gone are remembered.
const REMEMBERED: usize = 1 << 16;

pub(super) enum Body {
    Context(Context),
    Queue(Queue),
    Buffer(Buffer),
    Sampler(Sampler),
    Program(Box<Program>),
    Kernel(Box<KernelObject>),
    Event(Event),
}

/// A kind of object.
pub(super) trait Kept: Sized {
    const WHAT: &'static str;
    /// What a call returns that is given another.
    const INVALID: cl_int;
    fn of(body: &Body) -> Option<&Self>;
    fn of_mut(body: &mut Body) -> Option<&mut Self>;
}

macro_rules! kept {
    ($($name:ident, $type:ty, $what:literal, $invalid:ident;)*) => {
        $(impl Kept for $type {
            const WHAT: &'static str = $what;
            const INVALID: cl_int = $invalid;
            fn of(body: &Body) -> Option<&Self> {
                match body {
                    Body::$name(own) => Some(own),
                    _ => None,
                }
            }
            fn of_mut(body: &mut Body) -> Option<&mut Self> {
                match body {
                    Body::$name(own) => Some(own),
                    _ => None,
                }
            }
        })*

        impl Body {
            fn what(&self) -> &'static str {
                match self {
                    $(Body::$name(_) => $what,)*
                }
            }
        }
    };
}

kept! {
    Context, Context, "a context", CL_INVALID_CONTEXT;
    Queue, Queue, "a command queue", CL_INVALID_COMMAND_QUEUE;
    Buffer, Buffer, "a memory object", CL_INVALID_MEM_OBJECT;
    Sampler, Sampler, "a sampler", CL_INVALID_SAMPLER;
    Program, Program, "a program", CL_INVALID_PROGRAM;
    Kernel, KernelObject, "a kernel", CL_INVALID_KERNEL;
    Event, Event, "an event", CL_INVALID_EVENT;
}

struct Living {
    body: Body,
    /// References of the program.
    refs: u32,
    /// References of other objects.
    holds: u32,
    /// The other objects that it holds.
    held: Vec<usize>,
    /// The release of the program's last reference.
    released: Option<Gone>,
}

/// Where the program released its last reference.
#[derive(Clone)]
struct Gone {
    call: &'static str,
    site: Site,
}

impl Gone {
    fn told(&self) -> String {
        format!("{}{}", self.call, self.site.told())
    }
}

#[derive(Default)]
pub(super) struct Objects {
    living: HashMap<usize, Living>,
    gone: HashMap<usize, (&'static str, Option<Gone>)>,
    /// Oldest first.
    order: VecDeque<usize>,
}

impl Device {
    /// A new object with one reference of the program, or none. It holds others.
    pub(super) fn put(&mut self, body: Body, refs: u32, held: Vec<usize>) -> usize {
        for other in &held {
            self.hold(*other);
        }
        let head = Box::new(Head { dispatch: dispatch::table() });
        let handle = Box::into_raw(head).expose_provenance();
        let living = Living { body, refs, holds: 0, held, released: None };
        self.opencl.objects.living.insert(handle, living);
        handle
    }

    /// The object of a handle; one that is not there is reported.
    pub(super) fn object<T: Kept>(&mut self, handle: usize, call: &Call) -> Outcome<&mut T> {
        let is_it = self.peek::<T>(handle).is_some();
        if !is_it {
            return self.is_not::<T, _>(handle, call);
        }
        Ok(self.peek_mut(handle).expect("it was there"))
    }

    /// The same, without a report.
    pub(super) fn peek<T: Kept>(&self, handle: usize) -> Option<&T> {
        self.opencl.objects.living.get(&handle).and_then(|l| T::of(&l.body))
    }

    pub(super) fn peek_mut<T: Kept>(&mut self, handle: usize) -> Option<&mut T> {
        self.opencl.objects.living.get_mut(&handle).and_then(|l| T::of_mut(&mut l.body))
    }

    fn is_not<T: Kept, U>(&mut self, handle: usize, call: &Call) -> Outcome<U> {
        let objects = &self.opencl.objects;
        let told = match (objects.gone.get(&handle), objects.living.get(&handle)) {
            (Some((what, Some(gone))), _) => {
                format!("is given {what} that was released before: {}", gone.told())
            }
            (Some((what, None)), _) => format!("is given {what} that is gone"),
            (None, Some(other)) => {
                format!("is given {} in place of {}", other.body.what(), T::WHAT)
            }
            (None, None) if handle == 0 => format!("is given null in place of {}", T::WHAT),
            (None, None) => format!("is given {} that does not exist", T::WHAT),
        };
        let help =
            "release an object after its last use, and look at the error of the call that makes it";
        self.wrong(call, T::INVALID, told, help)
    }

    pub(super) fn references(&self, handle: usize) -> u32 {
        self.opencl.objects.living.get(&handle).map_or(0, |l| l.refs)
    }

    /// How often other objects hold it.
    pub(super) fn holds(&self, handle: usize) -> u32 {
        self.opencl.objects.living.get(&handle).map_or(0, |l| l.holds)
    }

    pub(super) fn retain<T: Kept>(&mut self, handle: usize, call: &Call) -> Outcome {
        self.object::<T>(handle, call)?;
        if let Some(living) = self.opencl.objects.living.get_mut(&handle) {
            living.refs += 1;
            living.released = None;
        }
        Ok(())
    }

    pub(super) fn release<T: Kept>(&mut self, handle: usize, call: &Call) -> Outcome {
        self.object::<T>(handle, call)?;
        let Some(living) = self.opencl.objects.living.get_mut(&handle) else { return Ok(()) };
        if living.refs == 0 {
            // It is alive only because something else still uses it.
            let before = living.released.as_ref().map(Gone::told).unwrap_or_default();
            let told = format!("releases {} whose last reference was released: {before}", T::WHAT);
            let help = "release once for each reference that was made or retained";
            return self.wrong(call, T::INVALID, told, help);
        }
        living.refs -= 1;
        if living.refs == 0 {
            living.released = Some(Gone { call: call.name, site: call.site.clone() });
        }
        self.end_unless_used(handle);
        Ok(())
    }

    pub(super) fn hold(&mut self, handle: usize) {
        if let Some(living) = self.opencl.objects.living.get_mut(&handle) {
            living.holds += 1;
        }
    }

    pub(super) fn let_go(&mut self, handle: usize) {
        if let Some(living) = self.opencl.objects.living.get_mut(&handle) {
            living.holds = living.holds.saturating_sub(1);
        }
        self.end_unless_used(handle);
    }

    fn end_unless_used(&mut self, handle: usize) {
        let objects = &mut self.opencl.objects;
        if !objects.living.get(&handle).is_some_and(|l| l.refs == 0 && l.holds == 0) {
            return;
        }
        let Some(living) = objects.living.remove(&handle) else { return };
        objects.gone.insert(handle, (living.body.what(), living.released.clone()));
        objects.order.push_back(handle);
        if objects.order.len() > REMEMBERED
            && let Some(oldest) = objects.order.pop_front()
        {
            objects.gone.remove(&oldest);
            let head: *mut Head = std::ptr::with_exposed_provenance_mut(oldest);
            // SAFETY: `put` has made it with a box, and no table has it any more.
            drop(unsafe { Box::from_raw(head) });
        }
        let (call, site) =
            living.released.map_or(("", Site::default()), |gone| (gone.call, gone.site));
        match living.body {
            Body::Buffer(buffer) => self.end_buffer(handle, &buffer, call, site),
            Body::Program(program) => self.end_program(&program),
            _ => {}
        }
        for other in living.held {
            self.let_go(other);
        }
    }
}
