//! Which bytes of memory that outlives the launch have a value.
//!
//! What the launches before have left is the start, and only an object that is touched gets a list of its own. While
//! blocks run in parallel each worker has one: a block that reads what another one has written ends such a run anyway.
//! At the end the lists of all workers are joined, and are what the next launch starts with.

use std::sync::Arc;

use crate::code::program::Program;
use crate::launch::written::WrittenBits;

/// The objects that outlive the launch.
#[derive(Default)]
pub(crate) struct GlobalValues {
    /// By object.
    objects: Vec<Values>,
}

#[derive(Clone)]
enum Values {
    /// It is of this launch only, or the host may write it at any time: all bytes have a value.
    NotTracked,
    /// All bytes have a value.
    All {
        size: u64,
    },
    /// As before the launch.
    Before(Arc<WrittenBits>),
    Now(Box<WrittenBits>),
}

impl GlobalValues {
    pub(crate) fn new(p: &Program) -> GlobalValues {
        if p.resident.is_none() {
            return GlobalValues::default();
        }
        let of = |o: &crate::launch::layout::ObjectInfo| match &o.resident {
            Some(r) if r.tracked && r.freed.is_none() => match &r.written {
                Some(bits) => Values::Before(bits.clone()),
                None => Values::All { size: o.size },
            },
            _ => Values::NotTracked,
        };
        GlobalValues { objects: p.objects.iter().map(of).collect() }
    }

    /// The bytes of an object, if some have no value.
    #[inline(always)]
    pub(crate) fn get(&mut self, object: usize) -> Option<&mut WrittenBits> {
        match self.objects.get_mut(object)? {
            Values::NotTracked | Values::All { .. } => None,
            values => Some(values.open()),
        }
    }

    /// The bytes of an object, some of which are about to lose their value; `None` if it is not tracked.
    pub(crate) fn open(&mut self, object: usize) -> Option<&mut WrittenBits> {
        match self.objects.get_mut(object)? {
            Values::NotTracked => None,
            values => Some(values.open()),
        }
    }

    pub(crate) fn take(&mut self) -> Vec<(usize, WrittenBits)> {
        let all = std::mem::take(&mut self.objects).into_iter().enumerate();
        all.filter_map(|(object, values)| match values {
            Values::Now(bits) => Some((object, *bits)),
            _ => None,
        })
        .collect()
    }
}

impl Values {
    fn open(&mut self) -> &mut WrittenBits {
        if let Values::Before(bits) = self {
            *self = Values::Now(Box::new(WrittenBits::clone(bits)));
        } else if let Values::All { size } = self {
            *self = Values::Now(Box::new(WrittenBits::full(*size)));
        }
        match self {
            Values::Now(bits) => bits,
            _ => unreachable!("only objects that are tracked have a list"),
        }
    }
}
