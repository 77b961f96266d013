//! Chains whose first element the caller sets.
//!
//! Blocks that work one after the other each wait for an element that the previous one sets, and the first block waits
//! for an element that no thread sets: the host sets it before the launch. With zeros such a launch deadlocks. If it
//! does not with the first element set, and then the kernel sets other elements and not that one, all launches of the
//! search start with it set, and the deadlock is conditional on the host not setting it. If the initial launch does not
//! reach the chain, a later one that deadlocks is repeated in the same way.
//!
//! What can go wrong: a kernel that forgot to set the first element itself looks the same. It is still reported, with
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
    /// What happens if the caller does not set it.
    pub(crate) finding: Finding,
}

/// The array whose first element starts a chain that deadlocks otherwise.
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
    /// A launch that deadlocks only because the caller did not start the chain.
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

/// Whether a launch terminated, and set elements other than the first.
fn goes_on(space: &Space, array: usize, outcome: &Outcome) -> bool {
    let array = &space.arrays[array];
    let written = outcome.buffers.iter().find(|(param, _)| *param == array.param);
    let parts = written.and_then(|(_, bytes)| bytes.split_at_checked(array.elem.size() as usize));
    let Some((first, rest)) = parts else { return false };
    let is_set = |bytes: &[u8]| bytes.iter().any(|&b| b != 0);
    outcome.incomplete.is_none() && first[0] == 1 && !is_set(&first[1..]) && is_set(rest)
}
