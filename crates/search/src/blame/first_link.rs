//! Chains whose first link is the caller's.
//!
//! Blocks that work one after the other wait each for an element that the one before sets, and the first one for an
//! element that no thread sets: the host does, before the launch. With zeros such a launch stands still. It does not with
//! the first element set, and then other elements are set by the kernel and that one is left alone: so begin all launches
//! of the search, and the deadlock holds only where the host forgets it. Where the plain launch does not come to the
//! chain, a later one that stands still is made again in the same way.
//!
//! What it can do wrong: a kernel that forgot to set the first element itself looks the same. It is still reported, with
//! the element that has to be set.

use lockstep_finding::{Finding, Kind, Severity};
use lockstep_simulate::Outcome;

use crate::explore::driver::Driver;
use crate::explore::trial::Lab;
use crate::shrink::Shrinker;
use crate::space::Space;
use crate::space::candidate::{Candidate, Contents};
use crate::space::launch::Sizes;

/// So many launches that stood still are made again.
const MOST_BEGUN: usize = 2;

/// An array whose first element the caller sets.
pub(crate) struct FirstLink {
    pub(crate) array: usize,
    /// What happens where it does not.
    pub(crate) finding: Finding,
}

/// The array by which a chain begins that stands still otherwise.
pub(crate) fn first_link(lab: &Lab, steps: u64) -> Option<FirstLink> {
    let space: &Space = lab.space;
    let flags = flags(space);
    if flags.is_empty() {
        return None;
    }
    let mut candidate = space.plain();
    let launch = space.launch(&candidate, &Sizes::default(), lab.seed);
    let stuck = lab.simulate(&launch, steps).ok()?;
    let found = stuck.findings.iter().find(|f| f.kind == Kind::Deadlock)?;
    let array = flags.into_iter().find(|&i| {
        candidate.contents.clone_from(&space.plain().contents);
        candidate.contents[i] = Contents::First;
        let launch = space.launch(&candidate, &Sizes::default(), lab.seed);
        lab.simulate(&launch, steps).is_ok_and(|outcome| goes_on(space, i, &outcome))
    })?;
    let finding = Finding {
        launch: Some(launch),
        holds_when: Some(crate::condition::when(is_missing(space, array))),
        severity: Severity::Warning,
        ..found.clone()
    };
    Some(FirstLink { array, finding })
}

/// Arrays of flags that nobody sets before the launch, as far as is known.
fn flags(space: &Space) -> Vec<usize> {
    let is_flags = |&i: &usize| {
        let array = &space.arrays[i];
        let ours = array.member.is_none() && array.is_of_ints() && array.plain == Contents::Zeros;
        array.synchronises && array.written && ours
    };
    (0..space.arrays.len()).filter(is_flags).collect()
}

/// Whether a launch is judged by what it leaves in an array.
pub(crate) fn has_flags(space: &Space) -> bool {
    !flags(space).is_empty()
}

fn is_missing(space: &Space, array: usize) -> String {
    format!("{}[0] == 0", space.arrays[array].name)
}

impl Driver<'_> {
    /// Launches that stood still once more, with their chains begun: what comes behind was not executed.
    pub(crate) fn begin_chains(&mut self) {
        let flags = flags(self.lab.space);
        let still = self.ledger.entries.iter().filter(|e| e.finding.kind == Kind::Deadlock);
        let still: Vec<Candidate> =
            still.map(|e| self.done[e.trial].candidate.clone()).take(MOST_BEGUN).collect();
        for (candidate, &i) in still.iter().flat_map(|c| flags.iter().map(move |i| (c, i))) {
            let mut begun = candidate.clone();
            begun.contents[i] = Contents::First;
            // What cannot be launched is not worth a word.
            let _ = self.full(&begun, false);
        }
    }
}

impl Shrinker<'_, '_> {
    /// A launch that stands still only because the caller did not begin the chain.
    pub(crate) fn without_first_link(&mut self, candidate: &Candidate) -> Option<String> {
        let space = self.driver.lab.space;
        let mut flags = flags(space).into_iter();
        let array = flags.find(|&i| {
            let mut begun = candidate.clone();
            begun.contents[i] = Contents::First;
            begun != *candidate && self.other(&begun).is_some_and(|t| goes_on(space, i, &t.outcome))
        })?;
        Some(is_missing(space, array))
    }
}

/// Whether a launch came to its end, and set other elements than the first one.
fn goes_on(space: &Space, array: usize, outcome: &Outcome) -> bool {
    let array = &space.arrays[array];
    let written = outcome.buffers.iter().find(|(param, _)| *param == array.param);
    let parts = written.and_then(|(_, bytes)| bytes.split_at_checked(array.elem.size() as usize));
    let Some((first, rest)) = parts else { return false };
    let is_set = |bytes: &[u8]| bytes.iter().any(|&b| b != 0);
    outcome.incomplete.is_none() && first[0] == 1 && !is_set(&first[1..]) && is_set(rest)
}
