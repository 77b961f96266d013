//! Which bytes of memory that outlives the launch are read, written, or accessed by atomics and volatile accesses.
//!
//! The bytes are exact. Each worker has its own; they are joined in the end.

use crate::check::report::Reports;
use crate::check::{Check, Mode};
use crate::code::program::Program;
use crate::code::registers::lanes_of;
use crate::launch::resident::FIRST;
use crate::launch::touched::Uses;
use crate::machine::observe::{AccessKind, At, Event, Observer};

/// The observer.
#[derive(Default)]
pub(crate) struct Touched {
    /// By object.
    objects: Vec<Option<Box<Uses>>>,
}

impl Check for Touched {
    fn new(_: &Program, _: Mode) -> Touched {
        Touched::default()
    }

    fn reports(self) -> Reports {
        Reports::new(false, &[])
    }
}

impl Observer for Touched {
    type Block = ();
    const SEES_ALL_READS: bool = true;

    fn new_block(&mut self, _: &Program) {}

    fn take_touched(&mut self) -> Vec<(usize, Uses)> {
        let all = std::mem::take(&mut self.objects).into_iter().enumerate();
        all.filter_map(|(object, uses)| Some((object, *uses?))).collect()
    }

    #[inline(always)]
    fn access(&mut self, (): &mut (), at: &At, e: &Event) -> u64 {
        if e.object >= FIRST {
            self.add(e, at.program.sites[e.site.0 as usize].volatile);
        }
        0
    }
}

impl Touched {
    fn add(&mut self, e: &Event, volatile: bool) {
        if self.objects.len() <= e.object {
            self.objects.resize_with(e.object + 1, || None);
        }
        let uses = self.objects[e.object].get_or_insert_default();
        let bytes = match e.kind {
            _ if volatile => &mut uses.atomic,
            AccessKind::Read => &mut uses.read,
            AccessKind::Write => &mut uses.written,
            AccessKind::Atomic => &mut uses.atomic,
        };
        let size = u64::from(e.size);
        // A row of lanes side by side is one range.
        let first = e.mask & e.mask.wrapping_neg();
        if e.adjacent & e.mask == e.mask & !first && e.mask != 0 {
            let lane = e.mask.trailing_zeros() as usize;
            bytes.add(e.offsets[lane], size * u64::from(e.mask.count_ones()));
            return;
        }
        lanes_of(e.mask).for_each(|l| bytes.add(e.offsets[l], size));
    }
}
