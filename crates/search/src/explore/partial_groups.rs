//! Launches whose last work-groups are smaller than the others.
//!
//! OpenCL 2.0 has them where the global size is not a multiple of the local size, unless the program is compiled
//! otherwise. A bug that does not show in an ordinary launch, but in the same launch with fewer work-items in the last
//! groups along an axis, is a conditional finding. Kinds that depend on the sizes of arrays are left out, for these
//! were chosen for full groups.

use lockstep_finding::{Confidence, Finding, Launch, Statement, When};
use lockstep_kernel::Kernel;

use super::ledger::make_conditional;
use super::trial::{Lab, Trial};
use crate::given::{Alias, Given};
use crate::settings::{Settings, is_over};
use crate::space::Space;

/// Maximum number of ordinary launches that are tried this way.
const MOST_LAUNCHES: usize = 4;
/// One launch may take this fraction of the effort of a search.
const EFFORT: u64 = 20;

/// Whether all work-groups have the same size, in all launches considered.
pub(crate) fn are_whole(kernel: &Kernel, given: &Given) -> bool {
    !kernel.asks_for_block_sizes() || given.grid.is_some() && given.block.is_some()
}

/// Bugs that show only where the last groups are smaller, each with its launch.
pub fn remainders(kernel: &Kernel, given: &Given, settings: &Settings) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    if are_whole(kernel, given) {
        return found;
    }
    let space = Space::new(kernel, given);
    let lab = Lab::new(&space, settings);
    let steps = settings.config.max_steps / EFFORT;
    let mut seeds = space.seeds(Alias::Never);
    seeds.retain(|c| {
        let several = (0..3).any(|a| c.grid[a] > 1 && c.block[a] > 1);
        several && space.oddities(c).is_empty()
    });
    for candidate in seeds.iter().take(MOST_LAUNCHES) {
        let Ok(Some(whole)) = lab.try_out(candidate, steps, true) else { continue };
        for launch in smaller(&whole.launch) {
            if is_over(&lab.config) {
                return found;
            }
            if !(settings.allowed)(&launch) {
                continue;
            }
            let Ok(outcome) = lab.simulate(&launch, steps) else { continue };
            if outcome.incomplete.is_some() || outcome.violated.is_some() {
                continue;
            }
            for finding in outcome.findings {
                let is_wanted = settings.config.kinds.contains(&finding.kind);
                let is_known = found.iter().any(|f| is_same(f, &finding));
                if is_wanted && !is_known && is_owed(&finding, &whole) {
                    let mut finding = Finding { launch: Some(launch.clone()), ..finding };
                    make_conditional(&mut finding, When::exactly(Statement::RemainderGroups));
                    found.push(finding);
                }
            }
        }
    }
    found
}

/// The launch with half of the work-items in the last groups along each axis, and with all but one.
fn smaller(launch: &Launch) -> Vec<Launch> {
    let whole: [u32; 3] = std::array::from_fn(|a| launch.grid[a] * launch.block[a]);
    let mut out = Vec::new();
    for axis in 0..3 {
        let threads = launch.block[axis];
        if launch.grid[axis] < 2 || threads < 2 {
            continue;
        }
        let mut missing = vec![threads / 2, 1];
        missing.dedup();
        for missing in missing {
            let mut global = whole;
            global[axis] -= missing;
            out.push(Launch { global: Some(global), ..launch.clone() });
        }
    }
    out
}

/// Whether a finding is caused by the smaller groups only.
fn is_owed(finding: &Finding, whole: &Trial) -> bool {
    !finding.kind.about().rests_on_sizes
        && finding.confidence == Confidence::Confirmed
        && whole.outcome.incomplete.is_none()
        && !whole.overflows
        && !whole.outcome.findings.iter().any(|f| is_same(f, finding))
        && !whole.doubts.iter().any(|(kind, _)| *kind == finding.kind)
}

fn is_same(a: &Finding, b: &Finding) -> bool {
    let places = |f: &Finding| {
        let mut places: Vec<_> = f.accesses.iter().map(|a| a.place.clone()).collect();
        places.sort();
        places
    };
    a.kind == b.kind && places(a) == places(b)
}
