//! Whether a race needs rows that overlap.

use lockstep_finding::Claim;

use crate::condition::{boundary, with};
use crate::explore::inquiry::{Inquiry, Shown};
use crate::space::candidate::{Candidate, Gene};

/// Factor by which rows are lengthened so that they do not overlap.
const LONGER: i64 = 64;
/// Factors for the values that row lengths are computed from, the smallest first: the launch may grow with them.
const PARTS: [i64; 3] = [2, 8, LONGER];

impl Inquiry<'_, '_> {
    /// Rows overlap if they are shorter than the range that the threads of a row access. Where no guard relates their
    /// length to the launch, a race that disappears with longer rows needs such a length.
    pub(in crate::blame) fn short_rows(&mut self, shown: &Shown) -> Option<Claim> {
        let space = self.driver.lab.space;
        let c = shown.candidate;
        let rows = (0..space.slots.len()).filter(|&i| space.slots[i].is_row_length());
        rows.collect::<Vec<_>>().into_iter().find_map(|i| {
            let long = c.int(i).saturating_mul(LONGER);
            let mut longer = c.clone();
            longer.genes[i] = Gene::Int(long);
            let clean = space.clamp(i, long) == long && self.is_clean(&longer);
            clean.then(|| boundary::below(self, c, i, long)).or_else(|| self.short_parts(c, i))
        })
    }

    /// A row whose length the host computes from other arguments becomes longer when one of these does. A guard by
    /// these arguments, or by others, does not show how they depend on each other: where the boundary is another
    /// argument, the caller knows the relation. A boundary at the end of the grid indicates a missing guard, and is no
    /// condition.
    fn short_parts(&mut self, c: &Candidate, row: usize) -> Option<Claim> {
        let space = self.driver.lab.space;
        let sources = space.related.sources(row, &space.slots);
        let sources = sources.into_iter().filter(|&i| !space.related.gives_slot(i) && c.int(i) > 0);
        sources.collect::<Vec<_>>().into_iter().find_map(|i| {
            let longer = PARTS.map(|times| c.int(i).saturating_mul(times));
            let long = longer
                .into_iter()
                .find(|&long| space.clamp(i, long) == long && self.is_clean(&with(c, i, long)))?;
            boundary::below_another(self, c, i, long)
        })
    }
}
