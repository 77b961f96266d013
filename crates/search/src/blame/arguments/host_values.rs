//! Whether a bug needs values that the host may not pass.

use lockstep_finding::Reason;

use crate::condition::with;
use crate::explore::inquiry::{Inquiry, Shown};

/// How much longer than usual a launch may take with much larger values.
const LONGER: u64 = 64;
/// Values tried for an argument whose computation in the host could not be analysed.
const BOUND_VALUES: [i64; 7] = [1, 2, 3, 4, 5, 8, 16];

impl Inquiry<'_, '_> {
    /// Why an access outside of an array allocated by the host may need values that the host does not pass: it does not
    /// show for ordinary values and for all much larger ones, or for values larger or smaller by one.
    pub(in crate::blame) fn depends_on_size(&mut self, _: &Shown) -> Option<Reason> {
        let space = self.driver.lab.space;
        let chosen = space.slots.iter().any(|s| s.ty.is_int())
            || space.given.block.is_none()
            || space.given.grid.is_none();
        if !chosen {
            return None;
        }
        let others = space.variants();
        let all = std::iter::once(space.plain()).chain(others.iter().cloned());
        let shows = !others.is_empty()
            && all.into_iter().all(|c| {
                let trial = self.driver.again(&c, LONGER);
                trial.is_some_and(|t| self.is_in(&t))
            });
        (!shows).then_some(Reason::NotForAllOfTheHost)
    }

    /// Why a bug may need a value of an argument that is inconsistent with the others: the host computes it from them
    /// in a way that could not be analysed, and the bug does not show for every value tried.
    pub(in crate::blame) fn depends_on_bound(&mut self, shown: &Shown) -> Option<Reason> {
        let space = self.driver.lab.space;
        for (name, values) in &space.given.bound {
            let Some(slot) = space.slots.iter().position(|s| s.name == *name) else { continue };
            let values = if values.is_empty() { &BOUND_VALUES[..] } else { values };
            for &v in values {
                let c = space.agreeing(&with(shown.candidate, slot, v));
                let trial = space.is_possible(&c).then(|| self.driver.again(&c, 1)).flatten();
                if !trial.is_some_and(|t| self.is_in(&t)) {
                    return Some(Reason::ComputedByHost { parameter: name.clone(), value: v });
                }
            }
        }
        None
    }
}
