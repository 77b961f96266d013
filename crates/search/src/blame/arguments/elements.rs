//! Whether elements of arrays that Lockstep chose cause a bug: they are not sorted, not distinct, or not what a caller
//! would pass.

use lockstep_finding::{Access, Action, Claim, Contents as Elements, Finding, Kind, Reason};
use lockstep_kernel::Elem;

use crate::blame::are_apart;
use crate::explore::inquiry::{Inquiry, Shown, is_no_worse};
use crate::space::candidate::{Candidate, Contents};
use crate::space::places::is_at;

/// Contents with which a race that rests on no contents shows, too.
const OTHERS: [Contents; 6] = [
    Contents::Swapped,
    Contents::Iota,
    Contents::Spaced,
    Contents::Descending,
    Contents::Zeros,
    Contents::Ones,
];

/// Contents whose elements are all different, besides those with which a race is first seen to be gone.
const OTHER_DISTINCT: [Contents; 2] = [Contents::Descending, Contents::Iota];

impl Inquiry<'_, '_> {
    /// Floats that determine an address are scaled to an index: a caller passes numbers in [0, 1).
    pub(in crate::blame) fn scaled_elements(&mut self, shown: &Shown) -> Option<Claim> {
        let space = self.driver.lab.space;
        let contents = &shown.candidate.contents;
        let mut any = shown.finding.accesses.iter().flat_map(|a| self.leaders([a]));
        let is_scaled = |&i: &usize| {
            let usual = matches!(contents[i], Contents::Random | Contents::Zeros);
            space.arrays[i].element.is_float() && !usual
        };
        let array = any.find(is_scaled)?;
        Some(space.elements_are(&[array], Elements::NotInUnitInterval))
    }

    /// Elements that determine an address, and are negative only because a constant of the kernel was varied.
    pub(in crate::blame) fn negative_elements(&mut self, shown: &Shown) -> Option<Claim> {
        let space = self.driver.lab.space;
        let contents = &shown.candidate.contents;
        self.leaders(&shown.finding.accesses).into_iter().find_map(|i| {
            let array = &space.arrays[i];
            if let Contents::Value(bits) = contents[i]
                && let Elem::Scalar(ty) = array.elem
                && ty.is_int()
                && bits > ty.mask() >> 1
                && contents[i] != array.plain
                && !array.compared_with.contains(&(ty, bits))
            {
                let value = array.element.value_text(&bits.to_le_bytes());
                return Some(space.elements_are(&[i], Elements::Value(value)));
            }
            None
        })
    }

    /// Structs of all zeros, which make different blocks access one address.
    pub(in crate::blame) fn equal_structs(&mut self, shown: &Shown) -> Option<Claim> {
        let contents = &shown.candidate.contents;
        let is_empty = |&i: &usize| contents[i] == Contents::Zeros && self.is_struct(i);
        let array = self.leaders(&shown.finding.accesses).into_iter().find(is_empty)?;
        are_apart(shown.finding)
            .then(|| self.driver.lab.space.elements_are(&[array], Elements::Equal))
    }

    /// Where one element of an array is the start of a segment, and the next one its end, they ascend. For a launch
    /// that did not terminate, no other is tried.
    pub(in crate::blame) fn falling_bounds(&mut self, shown: &Shown) -> Option<Claim> {
        let mut falling = self.falling(shown).into_iter();
        let array = falling.find(|&i| {
            if shown.trial.is_none() {
                return true;
            }
            let ascending = self.with_contents(shown.candidate, &[(i, Contents::Iota)]);
            let Some(other) = self.other(&ascending) else { return false };
            // Threads of one segment that write the same value are a different issue.
            is_no_worse(&other, shown.wrong) && !self.is_in(&other) && self.reaches(&other)
        })?;
        Some(self.driver.lab.space.elements_are(&[array], Elements::NotAscending))
    }

    /// Arrays of segment bounds that do not ascend and determine the addresses of a finding.
    pub(in crate::blame) fn falling(&self, shown: &Shown) -> Vec<usize> {
        let space = self.driver.lab.space;
        let ascends = |i: usize| shown.candidate.contents[i] == Contents::Iota;
        let mut leaders = self.leaders(&shown.finding.accesses);
        leaders.retain(|&i| space.arrays[i].limits_loop && !ascends(i));
        leaders
    }

    /// Where elements are only read and compared with each other, to find a position or the end of a run, they are
    /// assumed sorted. A kernel that sorts them itself writes them, or does not execute the bug's accesses when there
    /// is nothing to do.
    pub(in crate::blame) fn unsorted(&mut self, shown: &Shown) -> Option<Claim> {
        let space = self.driver.lab.space;
        let sorted = self.sorted(shown.finding);
        let are = match sorted.is_empty() {
            true => None,
            _ if self.is_gone_with(shown, &sorted, Contents::Iota) => Some(Elements::NotAscending),
            _ if self.is_gone_with(shown, &sorted, Contents::Runs) => {
                Some(Elements::BitsNotAscending)
            }
            _ => None,
        };
        Some(space.elements_are(&sorted, are?))
    }

    /// Elements that are written at positions computed by comparisons do not overlap if the positions are ranks, which
    /// requires the compared elements to be distinct.
    pub(in crate::blame) fn equal_ranks(&mut self, shown: &Shown) -> Option<Claim> {
        let space = self.driver.lab.space;
        let ranked = self.ranked(shown.finding);
        let gone = !ranked.is_empty()
            && self.is_gone_with(shown, &ranked, Contents::Swapped)
            && self.needs_equal(shown, &ranked);
        gone.then(|| space.elements_are(&ranked, Elements::Equal))
    }

    /// Ranks are also distinct where the elements are sorted in a way that none of the tried contents have. So two
    /// writes at one rank are only possible. A read and a write at one rank do race: a rank is written once and read by
    /// others.
    pub(in crate::blame) fn order_of_elements(&mut self, shown: &Shown) -> Option<Reason> {
        let ranked = self.ranked(shown.finding);
        let space = self.driver.lab.space;
        let arrays: Vec<String> = ranked.iter().map(|&i| space.arrays[i].name.clone()).collect();
        (!arrays.is_empty()).then_some(Reason::OrderOfElements { arrays })
    }

    /// The arrays whose elements are compared to compute the addresses of both writes of a race.
    pub(in crate::blame) fn ranked(&self, finding: &Finding) -> Vec<usize> {
        let space = self.driver.lab.space;
        let kernel = space.kernel;
        let is_ranked = |a: &Access| {
            let mut sites = kernel.sites.iter().zip(&space.hints.ranked);
            a.op == Action::Write && sites.any(|(site, &ranked)| ranked && is_at(kernel, site, a))
        };
        let race = matches!(self.key.kind, Kind::DataRace | Kind::MissingFence);
        if !race || !self.may_be_apart(finding) || !finding.accesses.iter().all(is_ranked) {
            return Vec::new();
        }
        let is_compared = |i: &usize| {
            let array = &space.arrays[*i];
            match array.member {
                Some(m) => space.hints.ranked_by_members.contains(&(array.param, m.offset)),
                None => space.hints.ranked_by.contains(&array.param),
            }
        };
        let all = 0..space.arrays.len();
        all.filter(|i| is_compared(i) && !space.arrays[*i].written).collect()
    }

    /// Arrays that may have to be sorted.
    pub(in crate::blame) fn sorted(&self, finding: &Finding) -> Vec<usize> {
        let arrays = &self.driver.lab.space.arrays;
        let is_sorted = |&i: &usize| arrays[i].compared && !arrays[i].written;
        let apart = self.may_be_apart(finding);
        (0..arrays.len()).filter(|i| apart && is_sorted(i)).collect()
    }

    /// A store through an array of indices races where two of them are equal. Such a store expects a permutation,
    /// unless it adds to the existing value: then equal indices make sense, and it lacks an atomic.
    pub(in crate::blame) fn equal_indices(&mut self, shown: &Shown) -> Option<Claim> {
        let [a, b] = &shown.finding.accesses[..] else { return None };
        let one_store = a.op == Action::Write && a.place == b.place;
        let mut indices = self.indices(shown).into_iter();
        let array = indices.find(|&i| match one_store {
            // Whatever the result of the launch with distinct indices is.
            true => !self.shows(&self.with_contents(shown.candidate, &[(i, Contents::Swapped)])),
            false => self.is_gone_with(shown, &[i], Contents::Swapped),
        })?;
        self.needs_equal(shown, &[array])
            .then(|| self.driver.lab.space.elements_are(&[array], Elements::Equal))
    }

    /// Whether no contents that are all different show a bug. Where some do, it does not rest on equal elements.
    fn needs_equal(&mut self, shown: &Shown, arrays: &[usize]) -> bool {
        OTHER_DISTINCT.iter().all(|&contents| {
            let all: Vec<_> = arrays.iter().map(|&i| (i, contents)).collect();
            !self.shows(&self.with_contents(shown.candidate, &all))
        })
    }

    /// Arrays of indices of stores, with contents that Lockstep chose and that may cause a race.
    pub(in crate::blame) fn indices(&self, shown: &Shown) -> Vec<usize> {
        let space = self.driver.lab.space;
        let c = shown.candidate;
        if !self.may_be_apart(shown.finding) {
            return Vec::new();
        }
        let usual = space.plain();
        let is_ours = |&i: &usize| {
            let array = &space.arrays[i];
            let chosen = c.contents[i] != usual.contents[i]
                || c.cells.iter().any(|(param, ..)| *param == array.param);
            array.written_through && chosen
        };
        (0..space.arrays.len()).filter(is_ours).collect()
    }

    /// Arrays that nobody gave and that the kernel does not write, whose elements lead both threads to one address.
    pub(in crate::blame) fn made_up(&self, shown: &Shown) -> Vec<usize> {
        let space = self.driver.lab.space;
        let race = matches!(self.key.kind, Kind::DataRace | Kind::MissingFence);
        let [a, b] = &shown.finding.accesses[..] else { return Vec::new() };
        let is_plain = [a, b].iter().all(|a| matches!(a.op, Action::Read | Action::Write));
        // One element that several threads add to is what such an array is for.
        let is_one = self.leaders([a]) == self.leaders([b]) && !self.may_be_apart(shown.finding);
        if !race || shown.finding.benign || !is_plain || is_one {
            return Vec::new();
        }
        let mut all: Vec<usize> =
            shown.finding.accesses.iter().flat_map(|a| self.leaders([a])).collect();
        all.sort_unstable();
        all.dedup();
        all.retain(|&i| space.arrays[i].is_of_ints() && !space.arrays[i].written);
        all
    }

    pub(in crate::blame) fn has_made_up(&self, shown: &Shown) -> bool {
        !self.made_up(shown).is_empty()
    }

    /// Whether a race disappears with other elements, although both places are reached: then it rests on contents that
    /// Lockstep made up, and is no error. A race that every content shows does not.
    pub(in crate::blame) fn made_up_contents(&mut self, shown: &Shown) -> Option<Reason> {
        let space = self.driver.lab.space;
        let arrays = self.made_up(shown);
        let alone = arrays.iter().map(|&i| vec![i]);
        let together = (arrays.len() > 1).then(|| arrays.clone());
        let lists: Vec<Vec<usize>> = alone.chain(together).collect();
        let plain = space.plain();
        let wide = Candidate { grid: plain.grid, block: plain.block, ..shown.candidate.clone() };
        for list in lists {
            for contents in OTHERS {
                let all: Vec<_> = list.iter().map(|&i| (i, contents)).collect();
                let gone = [shown.candidate, &wide].into_iter().all(|c| {
                    let other = space.agreeing(&self.with_contents(c, &all));
                    self.without_bug(&other, shown.wrong).is_some_and(|t| self.reaches(&t))
                });
                if gone {
                    let array = space.arrays[list[0]].name.clone();
                    return Some(Reason::ChosenContents { array });
                }
            }
        }
        None
    }
}
