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

use lockstep_finding::launch::{Expr, Operator};
use lockstep_finding::{Claim, Finding, Kind, When};
use lockstep_simulate::Outcome;

use crate::explore::inquiry::{Inquiry, Shown};
use crate::explore::ledger::make_conditional;
use crate::explore::trial::Lab;
use crate::space::Space;
use crate::space::candidate::Contents;
use crate::space::launch::Sizes;

/// An array whose first element the caller sets.
pub(crate) struct FirstLink {
    pub(crate) array: usize,
    /// What happens where it does not.
    pub(crate) finding: Finding,
}

/// The array by which a chain begins that stands still otherwise.
pub(crate) fn first_link(lab: &Lab, steps: u64) -> Option<FirstLink> {
    let space: &Space = lab.space;
    let flags = space.flags();
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
    let mut finding = Finding { launch: Some(launch), ..found.clone() };
    make_conditional(&mut finding, When::exactly(is_missing(space, array)));
    Some(FirstLink { array, finding })
}

fn is_missing(space: &Space, array: usize) -> Claim {
    Claim::compare(space.first_element(array), Operator::Eq, Expr::int(0))
}

impl Inquiry<'_, '_> {
    /// A launch that stands still only because the caller did not begin the chain.
    pub(in crate::blame) fn without_first_link(&mut self, shown: &Shown) -> Option<Claim> {
        let space = self.driver.lab.space;
        let candidate = shown.candidate;
        let mut flags = space.flags().into_iter();
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
