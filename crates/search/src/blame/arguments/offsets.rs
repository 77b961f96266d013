//! Whether a bug needs an offset within the data.

use lockstep_finding::{Claim, Kind};

use crate::condition::{boundary, with};
use crate::explore::inquiry::{Inquiry, Shown};
use crate::space::candidate::Gene;

/// Offsets beyond the data of a small launch: at least as large as the launch, and as large as the parts of its threads
/// may be.
const FAR: [i64; 2] = [64, 1 << 16];
/// Factor by which rows are lengthened to make room for such an offset.
const LONGER: i64 = 64;

impl Inquiry<'_, '_> {
    /// A value added to an index of a shared array may be the number of threads along an axis.
    pub(in crate::blame) fn offset_of_the_block(&mut self, shown: &Shown) -> Option<Claim> {
        let c = shown.candidate;
        let axes = [0, 1, 2].map(|a| i64::from(c.block[a]));
        self.offsets().into_iter().find_map(|i| {
            let other = axes
                .into_iter()
                .filter(|&v| v != c.int(i))
                .find(|&v| self.is_clean(&with(c, i, v)))?;
            Some(boundary::below(self, c, i, other))
        })
    }

    /// An offset of zero, one that selects a single element, or one that leads before an array's first element: with an
    /// offset beyond all data, and rows with room for it, the two accesses may be to different elements.
    pub(in crate::blame) fn offset_in_the_data(&mut self, shown: &Shown) -> Option<Claim> {
        let space = self.driver.lab.space;
        let c = shown.candidate;
        // An offset may need an array larger than Lockstep allocates: out-of-bounds accesses that happened before do
        // not count.
        let before = shown.wrong;
        let outside = shown
            .trial
            .is_some_and(|t| t.doubts.iter().any(|(kind, _)| *kind == Kind::OutOfBounds));
        let mut offsets = self.offsets();
        let sizes = (0..space.slots.len()).filter(|&i| !space.slots[i].ty.is_float());
        let most = sizes.map(|i| c.int(i)).chain((0..3).map(|a| c.along(a))).max().unwrap_or(0);
        // An offset that a loop decreases is within the data in some iteration.
        let ours = |i: usize| {
            let h = &space.slots[i].hints;
            c.int(i) < most || h.names_element || h.added_in_rounds
        };
        offsets.retain(|&i| outside || ours(i));
        let rows: Vec<usize> =
            (0..space.slots.len()).filter(|&i| space.slots[i].is_row_length()).collect();
        let rows: Vec<usize> = rows.into_iter().filter(|&i| c.int(i) > 0).collect();
        let fars = FAR.map(|far| most.saturating_mul(2).max(far));
        for (i, far) in offsets.into_iter().flat_map(|i| fars.map(|far| (i, far))) {
            if space.clamp(i, far) != far {
                continue;
            }
            let alone = with(c, i, far);
            if self.is_no_worse(&alone, before) {
                return Some(boundary::below(self, c, i, far));
            }
            let long = |r: usize| c.int(r).max(far).saturating_mul(LONGER);
            let mut roomy = alone.clone();
            rows.iter().for_each(|&r| roomy.genes[r] = Gene::Int(space.clamp(r, long(r))));
            if rows.is_empty() || !self.is_no_worse(&roomy, before) {
                continue;
            }
            // The first of the changes that removes the bug by itself.
            let gone = |me: &mut Self, k: usize, v: i64| me.run(&with(c, k, v)).is_none();
            if gone(self, i, far) {
                return Some(boundary::below(self, c, i, far));
            }
            let row = rows.iter().copied().find(|&r| gone(self, r, roomy.int(r)))?;
            return Some(boundary::below(self, c, row, roomy.int(row)));
        }
        None
    }

    /// Scalars that are only added to indices.
    pub(in crate::blame) fn offsets(&self) -> Vec<usize> {
        let space = self.driver.lab.space;
        (0..space.slots.len()).filter(|&i| space.slots[i].is_offset()).collect()
    }
}
