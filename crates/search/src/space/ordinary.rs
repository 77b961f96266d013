//! Which values of a launch are ordinary.
//!
//! A value is *ordinary* if a caller who knows the kernel would pass it: a size that the launch covers, a stride of at
//! least a row, a flag that the kernel knows, a block of full warps that the kernel's own arithmetic allows. Otherwise
//! it is odd: legal, because nothing in the source excludes it, but a bug that shows only there is reported with that
//! condition, after the others. The judgement depends on how the kernel uses the value
//! ([`lockstep_kernel::hints::ParamHints`]), not on its name; names only choose between axes where nothing else does.

use lockstep_kernel::Ty;

use super::Space;
use super::candidate::{Candidate, Gene};
use super::dimensions::implied;

/// Number of equally sized arrays that a kernel may keep in one.
const FEW: i64 = 16;

/// What is odd about a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Oddity {
    Slot(usize),
    Block,
    Equal,
}

impl Space<'_> {
    /// Which values of a candidate are odd.
    pub(crate) fn oddities(&self, c: &Candidate) -> Vec<Oddity> {
        let slots = (0..self.slots.len()).filter(|&i| !self.is_ordinary(c, i)).map(Oddity::Slot);
        let mut odd: Vec<Oddity> = slots.collect();
        if !self.is_ordinary_block(c.block) {
            odd.push(Oddity::Block);
        }
        if c.equal.is_some() {
            odd.push(Oddity::Equal);
        }
        odd
    }

    pub(crate) fn is_ordinary_block(&self, block: [u32; 3]) -> bool {
        if self.blocks.contains(&block) {
            return true;
        }
        if self.given.block.is_some() {
            return false;
        }
        let fits = |a: usize| {
            implied(&self.hints, a).is_none_or(|n| block[a] == n)
                && self.hints.most_block[a].is_none_or(|n| block[a] <= n)
        };
        // A kernel with launch bounds is launched with blocks of that size.
        self.kernel.most_threads.is_none()
            && block.iter().all(|d| d.is_power_of_two())
            && (0..3).all(fits)
    }

    pub(crate) fn is_ordinary(&self, c: &Candidate, slot: usize) -> bool {
        let s = &self.slots[slot];
        let h = &s.hints;
        if let Gene::Float(v) = c.genes[slot] {
            return v.is_finite();
        }
        let follows = self.related.gives_slot(slot);
        if h.multiplies_index && !follows && self.overflows(c) {
            return false;
        }
        let bound = self.related.is_bound(slot) && self.agrees(c);
        if h.unused || follows || bound || c.genes[slot] == self.plain_gene(slot) {
            return true;
        }
        let v = c.int(slot);
        if h.selects {
            return (0..=1).contains(&v) || h.compared_with.contains(&(v as u64 & s.ty.mask()));
        }
        if v < 0 || h.shifts && v >= s.ty.bits() as i64 {
            return false;
        }
        if (h.masks || h.flips) && !(v as u64).is_power_of_two() {
            return false;
        }
        if v == 0 {
            return !(s.is_size() || h.multiplies_index || h.divides);
        }
        let along = match (0..3).filter(|&a| h.compared_with_index[a]).map(|a| c.along(a)).max() {
            Some(most) => most,
            None => c.along(s.axis),
        };
        let enough = if h.bounds_loop { along.max(64).saturating_mul(8) } else { along };
        // The host determines how many threads there are for it.
        let drives = self.related.is_driver(slot);
        if s.is_size() && v > enough && !drives {
            return false;
        }
        if h.multiplies_index && !h.splits {
            let others = (0..self.slots.len()).filter(|&o| o != slot && self.slots[o].is_size());
            let row = others.map(|o| c.int(o)).max().unwrap_or(0);
            let row = if s.is_guarded() { row } else { row.max(c.along(0)) };
            if s.is_logarithm() {
                return 1i64.checked_shl(v as u32).is_none_or(|n| n >= row);
            }
            // Each thread has a segment of its own, and a loop over it.
            let fills = h.bounds_loop && h.multiplies_index_of.contains(&true) && !h.beside_index;
            return v >= row || fills;
        }
        if h.picks_row {
            let sizes = (0..self.slots.len()).filter(|&o| self.slots[o].is_size());
            return sizes.map(|o| c.int(o)).max().is_none_or(|rows| v < rows);
        }
        !(h.wraps && v < along) && v <= along.max(4096)
    }

    /// Whether the arrays have more elements than an `int` can count, and more than in an ordinary launch.
    fn overflows(&self, c: &Candidate) -> bool {
        let elements = self.elements(c);
        elements > i64::from(i32::MAX) && elements > self.elements(&self.plain())
    }

    /// The number of elements of an array with as many dimensions as there are strides (two for one that multiplies
    /// itself), and as many parts as there are threads along an axis whose index a stride multiplies; times a few such
    /// arrays in one, as a kernel may number them by constants (`offset + 4 * stride`).
    fn elements(&self, c: &Candidate) -> i64 {
        let is_stride =
            |i: &usize| self.slots[*i].hints.multiplies_index && self.slots[*i].ty == Ty::I32;
        let strides: Vec<usize> = (0..self.slots.len()).filter(is_stride).collect();
        let of = |a: &usize| strides.iter().any(|&i| self.slots[i].hints.multiplies_index_of[*a]);
        let parts = (0..3).filter(of).map(|a| c.along(a)).max().unwrap_or(1);
        let squares = strides.iter().filter(|&&i| self.slots[i].hints.multiplies_itself);
        let sizes = strides.iter().chain(squares).map(|&i| c.int(i)).chain([parts]);
        sizes.map(|n| n.max(1)).fold(FEW, i64::saturating_mul)
    }
}
