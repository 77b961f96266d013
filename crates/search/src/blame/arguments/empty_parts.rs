//! Whether a bug needs parts without elements.
//!
//! Elements of arrays, or members of structs, often say where the part of a block begins and ends, or how long it is. Of
//! those that Lockstep chooses, some are zero, and two arrays that both count up give parts that end where they begin: nothing of such a part is
//! written before it is read. A caller may never give one. Where the bug shows if all parts are empty, and nothing is wrong
//! as soon as each has elements, be they few or many, it is conditional.
//!
//! What this can do wrong: call a bug conditional that callers with empty parts do meet. It is still reported.

use lockstep_finding::{Claim, Contents as Elements, Statement};

use crate::explore::inquiry::{Inquiry, Shown};
use crate::space::candidate::Contents;

/// Elements that parts have, few and many: a bug that needs a length has one of these.
const LENGTHS: [u64; 3] = [1, 3, 64];
/// A beginning that is beyond all these.
const FAR: u64 = 100;
/// More arrays than these are not looked at.
const MOST: usize = 6;

impl Inquiry<'_, '_> {
    /// Lengths that are zero, and parts that end where they begin.
    pub(in crate::blame) fn empty_parts(&mut self, shown: &Shown) -> Option<Claim> {
        let space = self.driver.lab.space;
        let is_bound = |i: &usize| {
            let array = &space.arrays[*i];
            array.is_of_ints() && array.bounds_loop && array.matters && !array.written
        };
        let bounds: Vec<usize> = (0..space.arrays.len()).filter(is_bound).take(MOST).collect();
        // A length is one wherever the part begins; a beginning or an end is not.
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

    /// Structs of nothing but zeros are parts of no elements, lists that end at once, and so on: with other numbers in them
    /// more may be written before it is read.
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
