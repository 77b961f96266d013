//! Which fences are missing: those that cure all executions, found by halving.

use lockstep_kernel::cfg::Cfg;
use lockstep_kernel::{Kernel, Scope, SiteId, SiteKind, Space};

use super::Run;
use super::trial::Trial;
use crate::answer::Remedy;
use crate::remedy::{cost, edited};
use crate::specialise::Spot;

/// How often the search begins again with executions that failed after all.
const ROUNDS: usize = 4;

/// The fewest fences that were found to be enough, and whether all executions were made with them, and more than without.
/// None if not even a fence behind every access helps.
pub(super) fn fences(trial: &Trial, failing: &[Run]) -> (Option<Vec<Remedy>>, bool) {
    let kernel = trial.question.kernel;
    let spots = spots(trial);
    let mut search = Search { trial, failing: failing.to_vec() };
    let fence = |spot: &Spot, scope| Remedy::Insert { spot: *spot, scope, sequential: false };
    let everywhere: Vec<Remedy> = spots.iter().map(|spot| fence(spot, Scope::Device)).collect();
    if !search.is_cured(kernel, &everywhere) {
        return (None, false);
    }
    let mut needed = Vec::new();
    for _ in 0..ROUNDS {
        needed = search.needed(kernel, &everywhere);
        for i in 0..needed.len() {
            let Remedy::Insert { spot, .. } = needed[i] else { continue };
            let mut narrower = needed.clone();
            narrower[i] = fence(&spot, Scope::Block);
            if search.is_cured(kernel, &narrower) {
                needed = narrower;
            }
        }
        let more: Vec<Run> = trial.more_runs().collect();
        match search.first_failing(kernel, &needed, &more) {
            Ok(None) => {
                let verified = search.each_is_needed(kernel, &needed);
                return (Some(needed), verified);
            }
            Ok(Some(run)) => search.failing.insert(0, run),
            Err(NotMade) => break,
        }
    }
    (Some(needed), false)
}

/// Behind every access to shared or global memory that was executed: those in few loops first, then those that other
/// threads look at.
fn spots(trial: &Trial) -> Vec<Spot> {
    let kernel = trial.question.kernel;
    let cfg = Cfg::new(kernel);
    let is_access = |site: &SiteId| {
        let facts = kernel.site(*site);
        let is_access = matches!(facts.kind, SiteKind::Read | SiteKind::Write | SiteKind::Atomic);
        is_access
            && !matches!(facts.space, Space::Private | Space::Constant)
            && trial.coverage.site(*site)
    };
    let sites = (0..kernel.sites.len() as u32).map(SiteId).filter(is_access);
    let mut spots: Vec<Spot> = sites.map(Spot::After).collect();
    spots.sort_by_key(|&spot| (cost(kernel, &cfg, spot), spot));
    spots
}

struct Search<'a> {
    trial: &'a Trial<'a>,
    /// Those that are tried first.
    failing: Vec<Run>,
}

/// An execution was not made, or not to its end.
struct NotMade;

impl Search<'_> {
    /// Whether no execution fails with these fences: those that failed are tried first.
    fn is_cured(&self, kernel: &Kernel, remedies: &[Remedy]) -> bool {
        let others = self.trial.runs().filter(|run| !self.failing.contains(run));
        let all: Vec<Run> = self.failing.iter().copied().chain(others).collect();
        matches!(self.first_failing(kernel, remedies, &all), Ok(None))
    }

    /// The first of some executions that fails with these fences.
    fn first_failing(
        &self,
        kernel: &Kernel,
        remedies: &[Remedy],
        runs: &[Run],
    ) -> Result<Option<Run>, NotMade> {
        let kernel = edited(kernel, remedies).ok_or(NotMade)?;
        for &run in runs {
            match self.trial.weakly(&kernel, run) {
                Some((_, None)) => {}
                Some((_, Some(_))) => return Ok(Some(run)),
                None => return Err(NotMade),
            }
        }
        Ok(None)
    }

    /// Fences of a list that is enough, without which some execution fails: each time the shortest beginning of the list
    /// that is enough, together with what was found before; its last is needed.
    fn needed(&self, kernel: &Kernel, all: &[Remedy]) -> Vec<Remedy> {
        let mut needed: Vec<Remedy> = Vec::new();
        let mut rest = all.to_vec();
        while !rest.is_empty() && !self.is_cured(kernel, &needed) {
            let (mut too_few, mut enough) = (0, rest.len());
            while enough - too_few > 1 {
                let middle = too_few.midpoint(enough);
                let tried: Vec<Remedy> = needed.iter().chain(&rest[..middle]).copied().collect();
                match self.is_cured(kernel, &tried) {
                    true => enough = middle,
                    false => too_few = middle,
                }
            }
            needed.push(rest[enough - 1]);
            rest.truncate(enough - 1);
        }
        needed
    }

    fn each_is_needed(&self, kernel: &Kernel, needed: &[Remedy]) -> bool {
        (0..needed.len()).all(|i| {
            let others: Vec<Remedy> =
                needed.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, r)| *r).collect();
            let all: Vec<Run> = self.failing.iter().copied().chain(self.trial.runs()).collect();
            matches!(self.first_failing(kernel, &others, &all), Ok(Some(_)))
        })
    }
}
