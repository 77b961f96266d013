//! Ordinary before odd: each bug's launch is made as plain and as small as the bug allows.
//!
//! First every odd value is replaced by the ordinary one, then other contents and values by the plain ones, then blocks
//! and threads are removed; a change is kept if the same bug (same kind, same memory, same source locations) still
//! shows. A bug that then still needs an odd value is `conditional` (see [`crate::condition`]). Bugs often share a
//! launch: the shrunk launch of one bug is tried first for the others.

use std::rc::Rc;

use lockstep_finding::{Claim, Finding, Kind, Reason};

use crate::blame::table::{Plea, Stage};
use crate::condition;
use crate::explore::driver::Driver;
use crate::explore::inquiry::{Inquiry, Shown};
use crate::explore::ledger::make_conditional;
use crate::explore::ledger::same;
use crate::explore::trial::Trial;
use crate::space::candidate::{Candidate, Contents, Rule};
use crate::space::ordinary::Oddity;

/// A bug with the launch to report.
pub(crate) struct Settled {
    pub(crate) finding: Finding,
    pub(crate) rule: Rule,
    /// Whether the simulator gave no advice for it.
    pub(crate) is_untold: bool,
}

/// Maximum number of launches for shrinking one bug.
const TRIES: usize = 40;
/// Bugs beyond this number keep the launch that showed them; their conditions are still searched for.
const MOST_SHRUNK: usize = 40;

pub(crate) fn settle(driver: &mut Driver) -> Vec<Settled> {
    let entries = std::mem::take(&mut driver.ledger.entries);
    let mut small: Vec<Rc<Trial>> = Vec::new();
    let mut out = Vec::new();
    for (i, entry) in entries.iter().enumerate() {
        let done = &driver.done[entry.trial];
        let rule = done.candidate.rule.clone();
        let mut as_found = Finding { launch: Some(done.launch.clone()), ..entry.finding.clone() };
        let (complete, odd) = (done.complete, done.odd);
        let mut candidate = done.candidate.clone();
        let benign = entry.finding.benign;
        let key = &entry.key;
        let mut inquiry = Inquiry { driver, key, benign, tries: TRIES, hurried: false };
        if benign && complete {
            inquiry.tell_values_apart(&mut candidate);
        }
        if !complete || odd {
            let stage = if odd { Stage::NotRepeatedOdd } else { Stage::NotRepeated };
            let plea = inquiry.examine(stage, &as_it_is(&candidate, &as_found));
            plea.into_iter().for_each(|p| p.apply(&mut as_found));
        }
        let shrunk = match complete {
            false => None,
            true if i >= MOST_SHRUNK => inquiry.judge(&candidate),
            true => inquiry.shrink(candidate.clone(), &mut small),
        };
        let shown = as_it_is(&candidate, &as_found);
        let judged = match shrunk {
            Some(_) => !inquiry.hurried,
            None if inquiry.needs_an_end(&shown) => false,
            // A launch that takes too long to be repeated was not varied either.
            None if complete => !inquiry.is_untried(&shown),
            // Nor was one that did not complete: its bug is confirmed only if it is the launch with the most usual
            // values.
            None => {
                let is_first = rule == Rule::Ordinary && !inquiry.driver.is_over();
                is_first || !inquiry.is_untried(&shown)
            }
        };
        let judged = judged && !(key.kind == Kind::Deadlock && inquiry.hurried);
        let mut finding = shrunk.unwrap_or(as_found);
        let is_untold = finding.help.is_empty();
        if finding.holds_when.is_none() {
            // A row that was cut short leaves it open whether there is a condition.
            inquiry.hurried = false;
            let doubt = inquiry.examine(Stage::Unconditional, &as_it_is(&candidate, &finding));
            let judged = judged && !inquiry.hurried;
            let doubt =
                doubt.or_else(|| (!judged).then_some(Plea::Possible(Reason::OthersNotTried)));
            doubt.into_iter().for_each(|d| d.apply(&mut finding));
        }
        out.push(Settled { finding, rule, is_untold });
    }
    // Equal pointers are reported once.
    let mut told = Vec::new();
    out.retain(|s| match (&s.rule, &s.finding.holds_when) {
        (Rule::EqualPointers(..), Some(condition)) => {
            let key = (s.finding.kind, condition.clone());
            let new = !told.contains(&key);
            told.push(key);
            new
        }
        _ => true,
    });
    out.sort_by_key(|s| (s.finding.holds_when.is_some(), std::cmp::Reverse(s.finding.severity)));
    out
}

/// Whether a bug was found that is certain without a launch that completes.
pub(crate) fn is_certain(driver: &mut Driver) -> bool {
    let entries = std::mem::take(&mut driver.ledger.entries);
    let certain = entries.iter().any(|entry| {
        let candidate = driver.done[entry.trial].candidate.clone();
        let (key, benign) = (&entry.key, entry.finding.benign);
        let inquiry = Inquiry { driver, key, benign, tries: 0, hurried: false };
        !inquiry.needs_an_end(&as_it_is(&candidate, &entry.finding))
    });
    driver.ledger.entries = entries;
    certain
}

/// A bug as it was found, in a launch that is not repeated.
fn as_it_is<'t>(candidate: &'t Candidate, finding: &'t Finding) -> Shown<'t> {
    Shown { candidate, finding, wrong: 0, trial: None }
}

/// Maximum number of elements that shrinking tries to drop.
const MOST_DROPPED: usize = 8;

impl Inquiry<'_, '_> {
    fn shrink(&mut self, start: Candidate, small: &mut Vec<Rc<Trial>>) -> Option<Finding> {
        let space = self.driver.lab.space;
        let known = small.iter().find(|t| self.is_in(t) && space.oddities(&t.candidate).is_empty());
        if let Some(trial) = known {
            return self.report(trial);
        }
        let mut best = self.run(&start)?;
        self.make_ordinary(&mut best);
        let shown = self.shown(&best)?;
        if let Some(Plea::Conditional(own)) = self.examine(Stage::Found, &shown) {
            return self.report_with(&best, Some(own.claim));
        }
        if self.key.kind == Kind::UninitialisedRead && space.free_block().contains(&true) {
            self.step(&mut best, |c| c.block = space.plain().block);
        }
        if space.oddities(&best.candidate).is_empty()
            && let Some(trial) = small.iter().find(|t| self.is_in(t) && t.launch.threads() <= 64)
            && space.oddities(&trial.candidate).is_empty()
        {
            return self.report(trial);
        }
        self.make_plain(&mut best);
        self.make_small(&mut best);
        self.drop_cells(&mut best);
        let finding = self.report(&best);
        small.push(best);
        finding
    }

    /// Written values may be equal only because of the contents of arrays: zeros add up to zero. Random contents, where
    /// no address or branch depends on them, distinguish such a bug from one that always writes equal values.
    fn tell_values_apart(&mut self, candidate: &mut Candidate) {
        let space = self.driver.lab.space;
        let mut other = candidate.clone();
        for (array, contents) in space.arrays.iter().zip(&mut other.contents) {
            let claimed = array.synchronises && array.plain != Contents::Zeros;
            if !array.matters && !array.reaches_private && !claimed {
                *contents = Contents::Random;
                other.cells.retain(|(param, ..)| *param != array.param);
            }
        }
        // Elements that lead threads to one address are equal in one part, and may be different in another.
        let mut mixed = other.clone();
        for (array, contents) in space.arrays.iter().zip(&mut mixed.contents) {
            if array.matters && matches!(*contents, Contents::Zeros | Contents::Ones) {
                *contents = Contents::Coins;
                mixed.cells.retain(|(param, ..)| *param != array.param);
            }
        }
        self.benign = false;
        for different in [other, mixed].into_iter().filter(|c| c != candidate) {
            if self.run(&different).is_some() {
                *candidate = different;
                return;
            }
        }
        self.benign = true;
    }

    /// The report on a bug without shrinking its launch.
    fn judge(&mut self, candidate: &Candidate) -> Option<Finding> {
        let trial = self.run(candidate)?;
        self.report(&trial)
    }

    fn report(&mut self, trial: &Trial) -> Option<Finding> {
        self.report_with(trial, None)
    }

    /// The finding of a launch, with the condition from the table of excuses, and another one.
    fn report_with(&mut self, trial: &Trial, also: Option<Claim>) -> Option<Finding> {
        let mut finding = same(trial, self.key)?.clone();
        finding.launch = Some(trial.launch.clone());
        let is_odd = !self.driver.lab.space.oddities(&trial.candidate).is_empty();
        let stage = if is_odd { Stage::Odd } else { Stage::Ordinary };
        let plea = self.examine(stage, &self.shown(trial)?);
        if let (Some(Plea::Checked(when)), None) = (&plea, &also) {
            make_conditional(&mut finding, when.clone());
            return Some(finding);
        }
        let other = match plea {
            Some(Plea::Conditional(when) | Plea::Checked(when)) => Some(when.claim),
            _ => None,
        };
        if other.is_some() || also.is_some() {
            let claim = Claim::all(other.into_iter().chain(also));
            let (when, smaller) = condition::settled(self, trial, claim);
            if let Some(other) = smaller
                && let Some(shown) = same(&other, self.key)
            {
                finding = shown.clone();
                finding.launch = Some(other.launch.clone());
            }
            // Better a condition that a reader would write than the values of one launch.
            let general = match when.is_example && self.is_race() {
                true => self.precondition_of(trial),
                false => None,
            };
            make_conditional(&mut finding, general.unwrap_or(when));
        }
        Some(finding)
    }

    fn is_race(&self) -> bool {
        matches!(self.key.kind, Kind::DataRace | Kind::MissingFence)
    }

    /// Tries a change; returns whether the bug still shows.
    fn step(&mut self, best: &mut Rc<Trial>, change: impl FnOnce(&mut Candidate)) -> bool {
        let mut candidate = best.candidate.clone();
        change(&mut candidate);
        if candidate == best.candidate || self.driver.is_late() {
            return false;
        }
        match self.run(&candidate) {
            Some(trial) => {
                *best = trial;
                true
            }
            None => false,
        }
    }

    fn make_ordinary(&mut self, best: &mut Rc<Trial>) {
        let space = self.driver.lab.space;
        let odd = space.oddities(&best.candidate);
        if odd.is_empty() {
            return;
        }
        // All at once, then one after the other.
        let plain = space.plain();
        let ordinary = |c: &mut Candidate, o: &Oddity| match *o {
            Oddity::Slot(i) => c.genes[i] = plain.genes[i],
            Oddity::Block => {
                c.block = plain.block;
                space.related.drivers.iter().for_each(|d| c.genes[d.0] = plain.genes[d.0]);
            }
            Oddity::Equal => c.equal = None,
        };
        if self.step(best, |c| odd.iter().for_each(|o| ordinary(c, o))) {
            return;
        }
        for o in &odd {
            self.step(best, |c| ordinary(c, o));
        }
    }

    fn make_plain(&mut self, best: &mut Rc<Trial>) {
        let space = self.driver.lab.space;
        let plain = space.plain();
        if self.step(best, |c| {
            c.contents.clone_from(&plain.contents);
            c.cells.clear();
            c.genes.clone_from(&plain.genes);
        }) {
            return;
        }
        self.step(best, |c| c.cells.clear());
        for a in 0..plain.contents.len() {
            self.step(best, |c| c.contents[a] = plain.contents[a]);
        }
        for i in 0..plain.genes.len() {
            let odd = space.oddities(&best.candidate).len();
            let mut changed = best.candidate.clone();
            changed.genes[i] = plain.genes[i];
            if space.oddities(&changed).len() <= odd {
                self.step(best, |c| c.genes[i] = plain.genes[i]);
            }
        }
    }

    fn make_small(&mut self, best: &mut Rc<Trial>) {
        let space = self.driver.lab.space;
        let odd = space.oddities(&best.candidate).len();
        let no_odder = |c: &Candidate| space.oddities(c).len() <= odd;
        let (free_block, free_grid) = (space.free_block(), space.free_grid());
        for &(i, _) in &space.related.drivers {
            while best.candidate.int(i) > 1 {
                let half = condition::with(&best.candidate, i, best.candidate.int(i) / 2);
                if !no_odder(&space.agreeing(&half)) || !self.step(best, |c| *c = half) {
                    break;
                }
            }
        }
        for a in 0..3 {
            for n in [1, 2] {
                let mut c = best.candidate.clone();
                c.grid[a] = n;
                let smaller = free_grid[a] && best.candidate.grid[a] > n && no_odder(&c);
                if smaller && self.step(best, |c| c.grid[a] = n) {
                    break;
                }
            }
        }
        for a in (0..3).rev().filter(|&a| free_block[a]) {
            while best.candidate.block[a] > 1 {
                let half = best.candidate.block[a].next_power_of_two() / 2;
                let mut c = best.candidate.clone();
                c.block[a] = half;
                if !no_odder(&c) || !self.step(best, |c| c.block[a] = half) {
                    break;
                }
            }
        }
    }

    /// Sets elements that the bug does not need to zero: those with high indices first, which make lists long.
    fn drop_cells(&mut self, best: &mut Rc<Trial>) {
        let mut cells = best.candidate.cells.clone();
        cells.sort_by_key(|&(_, at, ..)| std::cmp::Reverse(at));
        for cell in cells.into_iter().take(MOST_DROPPED) {
            self.step(best, |c| c.cells.retain(|kept| *kept != cell));
        }
    }
}
