//! Notes which bytes of memory that outlives the launch are written, where nothing else looks at the launch.
//!
//! A launch that is not checked still gives memory its values: without this, a later launch would seem to read what
//! nobody has written. That values without a meaning may be copied is not followed: what is written has a value.

use crate::check::global_values::GlobalValues;
use crate::check::report::Reports;
use crate::check::{Check, Mode};
use crate::code::program::Program;
use crate::code::registers::{Slot, lanes_of};
use crate::launch::written::WrittenBits;
use crate::machine::observe::{At, Observer, Transfer};

pub(crate) struct WrittenOnly {
    global: GlobalValues,
}

impl Check for WrittenOnly {
    fn new(program: &Program, _: Mode) -> WrittenOnly {
        WrittenOnly { global: GlobalValues::new(program) }
    }

    fn reports(self) -> Reports {
        Reports::new(false, &[])
    }
}

impl Observer for WrittenOnly {
    type Block = ();

    fn new_block(&mut self, _: &Program) {}

    fn take_written(&mut self) -> Vec<(usize, WrittenBits)> {
        self.global.take()
    }

    #[inline(always)]
    fn stored(&mut self, (): &mut (), _: &At, t: &Transfer, values: &[Slot]) {
        let Some(bits) = self.global.get(t.object) else { return };
        if bits.complete() {
            return;
        }
        let bytes = u64::from(t.ty.bytes()) * values.len() as u64;
        lanes_of(t.mask).for_each(|l| bits.set(t.offsets[l], bytes));
    }

    fn written(&mut self, (): &mut (), object: usize, offset: u64, len: u64) {
        if let Some(bits) = self.global.get(object) {
            bits.set(offset, len);
        }
    }
}
