//! One bug under examination: launches are repeated with changes, to see whether the bug still shows.
//!
//! Shrinking, the search for a condition and the table of excuses all check the same properties of a launch: whether it
//! has the bug, whether it terminates without it and with nothing else wrong, whether its threads reach the source
//! locations of the bug. These checks are all here.

use std::rc::Rc;

use lockstep_finding::{Access, Action, Finding, Kind};
use lockstep_kernel::Site;

use super::driver::Driver;
use super::ledger::{Key, same};
use super::trial::Trial;
use crate::space::candidate::{Candidate, Contents};
use crate::space::places::{is_at, place_of};
use crate::space::structs;

/// How many times longer than usual a launch may take that tests whether a bug disappears.
const PATIENCE: u64 = 10;

/// A bug, and the remaining budget for it.
pub(crate) struct Inquiry<'d, 'a> {
    pub(crate) driver: &'d mut Driver<'a>,
    pub(crate) key: &'d Key,
    /// Whether both threads write equal values in every launch that shows the bug.
    pub(crate) benign: bool,
    /// Launches left for shrinking it, or for finding the boundary of its condition.
    pub(crate) tries: usize,
    /// Whether the budget ran out before a value that Lockstep chose could be varied.
    pub(crate) hurried: bool,
}

/// A bug as shown by a launch.
pub(crate) struct Shown<'t> {
    pub(crate) candidate: &'t Candidate,
    pub(crate) finding: &'t Finding,
    /// How many other things went wrong in that launch.
    pub(crate) wrong: usize,
    /// The launch, if it terminated and can be repeated.
    pub(crate) trial: Option<&'t Trial>,
}

/// How many accesses of a launch were out of bounds, or are doubtful.
pub(crate) fn wrong(trial: &Trial) -> usize {
    let outside = trial.outcome.findings.iter().filter(|f| f.kind == Kind::OutOfBounds);
    outside.count() + trial.doubts.len()
}

/// Whether a launch terminated with no more going wrong than before.
pub(crate) fn is_no_worse(trial: &Trial, before: usize) -> bool {
    trial.outcome.incomplete.is_none() && wrong(trial) <= before
}

impl Inquiry<'_, '_> {
    pub(crate) fn shown<'t>(&self, trial: &'t Trial) -> Option<Shown<'t>> {
        let finding = same(trial, self.key)?;
        let candidate = &trial.candidate;
        Some(Shown { candidate, finding, wrong: wrong(trial), trial: Some(trial) })
    }

    pub(crate) fn is_in(&self, trial: &Trial) -> bool {
        same(trial, self.key).is_some_and(|f| !f.benign || self.benign)
    }

    /// The trial of a candidate, if it shows the bug.
    pub(crate) fn run(&mut self, candidate: &Candidate) -> Option<Rc<Trial>> {
        if self.tries == 0 || !self.driver.lab.space.is_possible(candidate) {
            return None;
        }
        self.tries -= 1;
        let trial = self.driver.again(candidate, 1)?;
        self.is_in(&trial).then_some(trial)
    }

    /// Another launch, if there is time for it.
    pub(crate) fn other(&mut self, candidate: &Candidate) -> Option<Rc<Trial>> {
        let trial = self.driver.again(candidate, PATIENCE);
        let ended = trial.as_ref().is_some_and(|t| t.outcome.incomplete.is_none());
        self.hurried |= !ended && self.driver.is_over();
        trial
    }

    /// Whether another launch shows the bug.
    pub(crate) fn shows(&mut self, candidate: &Candidate) -> bool {
        let possible = self.driver.lab.space.is_possible(candidate);
        let trial = possible.then(|| self.other(candidate)).flatten();
        trial.is_some_and(|t| same(&t, self.key).is_some())
    }

    /// Whether a launch terminates without the bug, and with every access in bounds.
    pub(crate) fn is_clean(&mut self, candidate: &Candidate) -> bool {
        self.is_no_worse(candidate, 0)
    }

    /// Whether a launch is clean although threads access the memory of the bug.
    pub(crate) fn is_clean_there(&mut self, candidate: &Candidate) -> bool {
        self.without_bug(candidate, 0).is_some_and(|t| self.touches(&t))
    }

    /// Whether a launch terminates without the bug, and with no more going wrong than before.
    pub(crate) fn is_no_worse(&mut self, candidate: &Candidate, before: usize) -> bool {
        self.without_bug(candidate, before).is_some()
    }

    pub(crate) fn without_bug(
        &mut self,
        candidate: &Candidate,
        before: usize,
    ) -> Option<Rc<Trial>> {
        let possible = self.driver.lab.space.is_possible(candidate);
        let trial = possible.then(|| self.other(candidate)).flatten()?;
        self.is_gone_from(&trial, before).then_some(trial)
    }

    /// Whether a launch terminated without the bug, and with no more going wrong than before.
    pub(crate) fn is_gone_from(&self, trial: &Trial, before: usize) -> bool {
        is_no_worse(trial, before) && same(trial, self.key).is_none()
    }

    pub(crate) fn gone_with(
        &mut self,
        shown: &Shown,
        arrays: &[(usize, Contents)],
    ) -> Option<Rc<Trial>> {
        let other = self.other(&self.with_contents(shown.candidate, arrays))?;
        (self.is_gone_from(&other, shown.wrong) && self.reaches(&other)).then_some(other)
    }

    /// Whether a bug disappears with other elements of some arrays, although its source locations are reached, and
    /// nothing else goes wrong.
    pub(crate) fn is_gone_with(
        &mut self,
        shown: &Shown,
        arrays: &[usize],
        contents: Contents,
    ) -> bool {
        let all: Vec<(usize, Contents)> = arrays.iter().map(|&array| (array, contents)).collect();
        self.gone_with(shown, &all).is_some()
    }

    pub(crate) fn with_contents(&self, c: &Candidate, arrays: &[(usize, Contents)]) -> Candidate {
        let mut c = c.clone();
        for &(array, contents) in arrays {
            c.contents[array] = contents;
            let param = self.driver.lab.space.arrays[array].param;
            c.cells.retain(|(p, ..)| *p != param);
        }
        c
    }

    /// Whether a launch shows bugs of the same kind and on the same memory at other source locations.
    pub(crate) fn has_others(&self, trial: &Trial, finding: &Finding) -> bool {
        let object = |f: &Finding| f.memory.as_ref().map(|m| m.object.clone());
        let alike = |f: &Finding| f.kind == finding.kind && object(f) == object(finding);
        trial.outcome.findings.iter().any(alike)
    }

    /// Whether some thread reached each source location of the bug: otherwise the launch is inconclusive.
    pub(crate) fn reaches(&self, trial: &Trial) -> bool {
        let kernel = self.driver.lab.space.kernel;
        self.key.places().all(|place| {
            let mut sites = kernel.sites.iter().zip(&trial.outcome.coverage.sites);
            sites.any(|(site, &reached)| reached && place_of(kernel, site) == place)
        })
    }

    /// Whether some thread accessed the memory of the bug, at its source locations or elsewhere. Otherwise the launch
    /// is inconclusive.
    pub(crate) fn touches(&self, trial: &Trial) -> bool {
        let kernel = self.driver.lab.space.kernel;
        let is_of_bug = |site: &Site| self.key.places().any(|p| p == place_of(kernel, site));
        let there: Vec<&Site> = kernel.sites.iter().filter(|s| is_of_bug(s)).collect();
        let is_there =
            |s: &Site| there.iter().any(|t| t.space == s.space && t.through == s.through);
        let mut sites = kernel.sites.iter().zip(&trial.outcome.coverage.sites);
        sites.any(|(site, &reached)| reached && is_there(site))
    }

    /// The arrays whose elements determine the addresses of all of these accesses.
    pub(crate) fn leaders<'f>(&self, accesses: impl IntoIterator<Item = &'f Access>) -> Vec<usize> {
        let space = self.driver.lab.space;
        let kernel = space.kernel;
        let lead = |array: usize, access: &Access| {
            let mut sites = kernel.sites.iter().enumerate();
            sites.any(|(s, site)| is_at(kernel, site, access) && space.leads(array, s))
        };
        let accesses: Vec<&Access> = accesses.into_iter().collect();
        let all = 0..space.arrays.len();
        all.filter(|&i| accesses.iter().all(|a| lead(i, a))).collect()
    }

    /// Whether an array holds structs whose members are not known.
    pub(crate) fn is_struct(&self, array: usize) -> bool {
        let space = self.driver.lab.space;
        space.arrays[array].member.is_none()
            && structs::is_struct(space.kernel, space.arrays[array].param)
    }

    /// Whether the two accesses would have no meaningful result at one element, in any order.
    pub(crate) fn may_be_apart(&self, finding: &Finding) -> bool {
        let space = self.driver.lab.space;
        let is_plain = |a: &Access| matches!(a.op, Action::Read | Action::Write);
        let adds = |a: &Access| {
            let mut updates = space.hints.updates.iter().map(|&s| space.kernel.site(s));
            updates.any(|s| is_at(space.kernel, s, a))
        };
        finding.accesses.iter().all(|a| is_plain(a) && !adds(a))
    }
}
