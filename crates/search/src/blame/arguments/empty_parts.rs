//! Whether a bug needs segments without elements.
//!
//! Elements of arrays, or members of structs, often give the start and end of a block's segment, or its length. Of
//! those that Lockstep chooses, some are zero, and two arrays that both count up give segments that end where they
//! start: nothing in such a segment is written before it is read. A caller may never pass one. If the bug shows when
//! all segments are empty, and nothing is wrong when each has elements, few or many, it is conditional.
//!
//! What can go wrong: a bug may be called conditional although callers do pass empty segments. It is still reported.

use lockstep_finding::{Claim, Contents as Elements, Statement};

use crate::explore::inquiry::{Inquiry, Shown};
use crate::space::candidate::Contents;

/// Segment lengths, few and many elements: a bug that depends on a length shows for one of these.
const LENGTHS: [u64; 3] = [1, 3, 64];
/// A start that is beyond all these lengths.
const FAR: u64 = 100;
/// Maximum number of arrays that are considered.
const MOST: usize = 6;

impl Inquiry<'_, '_> {
    /// Lengths that are zero, and segments that end where they start.
    pub(in crate::blame) fn empty_parts(&mut self, shown: &Shown) -> Option<Claim> {
        let space = self.driver.lab.space;
        let is_bound = |i: &usize| {
            let array = &space.arrays[*i];
            array.is_of_ints() && array.bounds_loop && array.matters && !array.written
        };
        let bounds: Vec<usize> = (0..space.arrays.len()).filter(is_bound).take(MOST).collect();
        // A length has its effect wherever the segment starts; a start or an end does not.
        let lengths = |i: usize, n: u64, other: u64| -> Vec<(usize, Contents)> {
            let value = |&k: &usize| (k, Contents::Value(if k == i { n } else { other }));
            bounds.iter().map(value).collect()
        };
        let is_length = |&&i: &&usize| {
            if !self.shows(&self.with_contents(shown.candidate, &[(i, Contents::Value(0))])) {
                return false;
            }
            let cases = LENGTHS.iter().flat_map(|&n| [(n, FAR), (n, 0)]).collect::<Vec<_>>();
            cases.into_iter().all(|(n, other)| self.is_filled(shown, &lengths(i, n, other)))
        };
        if let Some(&length) = bounds.iter().find(is_length) {
            return Some(space.elements_are(&[length], Elements::Value("0".into())));
        }
        let mut pairs = bounds.iter().flat_map(|&i| bounds.iter().map(move |&j| (i, j)));
        let (begin, end) = pairs.find(|&(i, j)| {
            let parts = |n: u64| [(i, Contents::Begins(n)), (j, Contents::Ends(n))];
            let none = [i, j].map(|k| (k, Contents::Value(FAR)));
            i != j
                && self.shows(&self.with_contents(shown.candidate, &none))
                && LENGTHS.iter().all(|&n| self.is_filled(shown, &parts(n)))
        })?;
        let [begin, end] = [begin, end].map(|i| space.arrays[i].name.clone());
        Some(Statement::PartsEmpty { begin, end }.into())
    }

    fn is_filled(&mut self, shown: &Shown, arrays: &[(usize, Contents)]) -> bool {
        let other = self.gone_with(shown, arrays);
        other.is_some_and(|t| !self.has_others(&t, shown.finding))
    }

    /// Structs of all zeros are segments without elements, lists that end at once, and so on: with other values more
    /// may be written before it is read.
    pub(in crate::blame) fn empty_structs(&mut self, shown: &Shown) -> Option<Claim> {
        let space = self.driver.lab.space;
        let is_empty = |i: &usize| {
            let array = &space.arrays[*i];
            array.matters && self.is_struct(*i) && shown.candidate.contents[*i] == Contents::Zeros
        };
        let mut empty = (0..space.arrays.len()).filter(is_empty).collect::<Vec<_>>().into_iter();
        let array = empty.find(|&i| {
            let other = self.gone_with(shown, &[(i, Contents::Words)]);
            other.is_some_and(|t| !self.has_others(&t, shown.finding))
        })?;
        Some(space.elements_are(&[array], Elements::OnlyZeros))
    }
}
