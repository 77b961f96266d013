//! Ordinary before odd: each bug's launch made as plain and as small as the bug
//! allows.
//!
//! First every odd value is replaced by the ordinary one, then other contents and
//! values by the plain ones, then blocks and threads are taken away; a change is
//! kept if the same bug (same kind, same memory, same places) is still there. What
//! then still needs an odd value is `conditional` (see [`crate::condition`]).
//! Bugs often share a launch: what one bug was shrunk to is tried for the others
//! before anything else.

use std::rc::Rc;

use lockstep_finding::{Confidence, Finding, Kind, Severity, When};

use crate::condition;
use crate::explore::driver::Driver;
use crate::explore::ledger::{Key, same};
use crate::explore::trial::Trial;
use crate::space::Oddity;
use crate::space::candidate::{Candidate, Contents, Rule};

/// A bug with the launch to show.
pub(crate) struct Settled {
    pub(crate) finding: Finding,
    pub(crate) rule: Rule,
    /// The simulator leaves it to others to say what helps.
    pub(crate) is_untold: bool,
}

/// Launches that the shrinking of one bug may cost.
const TRIES: usize = 40;
/// How much longer than usual a launch may take with much larger values.
const LONGER: u64 = 64;
/// Values of an argument that the host makes in a way that is not read, where nothing says which it makes.
const BOUND_VALUES: [i64; 7] = [1, 2, 3, 4, 5, 8, 16];
/// Bugs beyond this number keep the launch that showed them; what they need is still looked for.
const MOST_SHRUNK: usize = 40;

pub(crate) fn settle(driver: &mut Driver) -> Vec<Settled> {
    let entries = std::mem::take(&mut driver.ledger.entries);
    let mut small: Vec<Rc<Trial>> = Vec::new();
    let mut out = Vec::new();
    for (i, entry) in entries.iter().enumerate() {
        let done = &driver.done[entry.trial];
        let rule = done.candidate.rule.clone();
        let mut as_found = Finding { launch: Some(done.launch.clone()), ..entry.finding.clone() };
        if done.odd {
            let odd = driver.lab.space.oddities(&done.candidate);
            as_found.holds_when =
                Some(condition::when(condition::example(driver, &done.candidate, &odd)));
            as_found.severity = Severity::Warning;
        }
        let (keep, done_odd) = (!done.complete, done.odd);
        let mut candidate = done.candidate.clone();
        let benign = entry.finding.benign;
        let key = &entry.key;
        let mut shrinker = Shrinker { driver, key, benign, tries: TRIES, hurried: false };
        if benign && !keep {
            shrinker.tell_values_apart(&mut candidate);
        }
        if keep && as_found.holds_when.is_none() {
            shrinker.blame_unfinished(&candidate, &mut as_found);
        }
        if key.kind == Kind::Deadlock && (done_odd || as_found.holds_when.is_none()) {
            shrinker.blame_wait(&candidate, &mut as_found);
        }
        let shrunk = match keep {
            true => None,
            false if i >= MOST_SHRUNK => shrinker.judge(&candidate),
            false => shrinker.shrink(candidate.clone(), &mut small),
        };
        let judged = match shrunk {
            Some(_) => !shrinker.hurried,
            None if shrinker.needs_an_end(&candidate, &as_found) => false,
            // A launch that takes too long to be made again was not varied either.
            None if !keep => !shrinker.may_blame(&candidate, &as_found),
            // Nor was one that came to no end: its values are believed only where they are the first that come to mind.
            None => {
                let is_first = rule == Rule::Ordinary && !shrinker.driver.is_over();
                is_first || !shrinker.may_blame(&candidate, &as_found)
            }
        };
        let judged = judged && !(key.kind == Kind::Deadlock && shrinker.hurried);
        let mut finding = shrunk.unwrap_or(as_found);
        let is_untold = finding.help.is_empty();
        let doubt = shrinker.depends_on_size(&finding);
        let doubt = doubt.or_else(|| shrinker.depends_on_bound(&finding, &candidate));
        let doubt = doubt.or_else(|| shrinker.ranks(&finding));
        let doubt = doubt.or_else(|| match finding.holds_when {
            None => shrinker.rests_on_contents(&finding, &candidate),
            Some(_) => None,
        });
        let doubt = doubt.or_else(|| (!judged).then(|| HURRIED.into()));
        if let Some(why) = doubt.filter(|_| finding.holds_when.is_none()) {
            finding.confidence = Confidence::Possible;
            finding.help.push(why);
        }
        out.push(Settled { finding, rule, is_untold });
    }
    // One look at two equal pointers is enough.
    let mut told: Vec<(Kind, When)> = Vec::new();
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

/// Whether a bug was found that no launch has to come to its end for.
pub(crate) fn is_certain(driver: &mut Driver) -> bool {
    let entries = std::mem::take(&mut driver.ledger.entries);
    let certain = entries.iter().any(|entry| {
        let candidate = driver.done[entry.trial].candidate.clone();
        let (key, benign) = (&entry.key, entry.finding.benign);
        let shrinker = Shrinker { driver, key, benign, tries: 0, hurried: false };
        !shrinker.needs_an_end(&candidate, &entry.finding)
    });
    driver.ledger.entries = entries;
    certain
}

/// Why a bug may rest on a value of ours.
const HURRIED: &str =
    "the budget ended before other arguments were tried, for which it may not happen";

/// More elements than these are not tried without.
const MOST_DROPPED: usize = 8;

pub(crate) struct Shrinker<'d, 'a> {
    pub(crate) driver: &'d mut Driver<'a>,
    pub(crate) key: &'d Key,
    /// Whether the bug is one of equal values only.
    pub(crate) benign: bool,
    pub(crate) tries: usize,
    /// Whether the budget ended before a value of ours could be varied.
    pub(crate) hurried: bool,
}

impl Shrinker<'_, '_> {
    fn shrink(&mut self, start: Candidate, small: &mut Vec<Rc<Trial>>) -> Option<Finding> {
        let space = self.driver.lab.space;
        let known = small.iter().find(|t| self.is_in(t) && space.oddities(&t.candidate).is_empty());
        if let Some(trial) = known {
            return self.report(trial);
        }
        let mut best = self.run(&start)?;
        self.make_ordinary(&mut best);
        if self.needs_its_block(&mut best) {
            let mut finding = self.report(&best)?;
            let block = condition::block(&best.candidate, space.plain().block);
            let others = finding.holds_when.take().map(|w| w.to_string()).into_iter();
            let others = others.filter(|o| !block.contains(o));
            let parts: Vec<String> = others.chain([block.clone()]).collect();
            let (text, _) = condition::settled(self, &best, parts.join(" && "));
            finding.holds_when = Some(condition::when(text));
            finding.severity = Severity::Warning;
            return Some(finding);
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

    /// Writes of equal values may be equal only because of what arrays hold: zeros add up to zero. Random contents,
    /// where no address or branch hangs on them, tell such a bug from one of equal values.
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
        // Elements that lead threads together are equal in one part, and may be unequal in another.
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

    /// Why an access outside of an array of the host's may need values that the host does not give: it does not show
    /// for plain ones and for all that are much larger, or by one smaller or larger.
    fn depends_on_size(&mut self, finding: &Finding) -> Option<String> {
        let space = self.driver.lab.space;
        let is_confirmed = finding.confidence == Confidence::Confirmed;
        let chosen = space.slots.iter().any(|s| s.ty.is_int())
            || space.given.block.is_none()
            || space.given.grid.is_none();
        if self.key.kind != Kind::OutOfBounds
            || space.given.sizes.is_empty()
            || !chosen
            || !is_confirmed
        {
            return None;
        }
        let others = space.variants();
        let all = std::iter::once(space.plain()).chain(others.iter().cloned());
        let shows = !others.is_empty()
            && all.into_iter().all(|c| {
                let trial = self.driver.again(&c, LONGER);
                trial.is_some_and(|t| self.is_in(&t))
            });
        (!shows)
            .then(|| "it was not seen for all values that were tried of what the host gives".into())
    }

    /// Why a bug may need a value of an argument that does not go with the others: the host computes it from them, nobody
    /// knows how, and it does not show for each of some values.
    fn depends_on_bound(&mut self, finding: &Finding, candidate: &Candidate) -> Option<String> {
        let space = self.driver.lab.space;
        if finding.confidence != Confidence::Confirmed || finding.holds_when.is_some() {
            return None;
        }
        for (name, values) in &space.given.bound {
            let Some(slot) = space.slots.iter().position(|s| s.name == *name) else { continue };
            let values = if values.is_empty() { &BOUND_VALUES[..] } else { values };
            for &v in values {
                let c = space.agreeing(&condition::with(candidate, slot, v));
                let trial = space.is_possible(&c).then(|| self.driver.again(&c, 1)).flatten();
                if !trial.is_some_and(|t| self.is_in(&t)) {
                    let how = "the host computes it from other values, and how is not known";
                    return Some(format!("it was not seen for {name} == {v}: {how}"));
                }
            }
        }
        None
    }

    /// What there is to say about a bug without a smaller launch of it.
    fn judge(&mut self, candidate: &Candidate) -> Option<Finding> {
        let trial = self.run(candidate)?;
        self.report(&trial)
    }

    /// A block that does not fill the shared array its threads fill together leaves
    /// elements unwritten. Where the kernel's own block size was not given, that it
    /// is another one is to blame, not the kernel.
    fn needs_its_block(&mut self, best: &mut Rc<Trial>) -> bool {
        let space = self.driver.lab.space;
        let plain = space.plain().block;
        self.key.kind == Kind::UninitialisedRead
            && space.free_block().contains(&true)
            && best.candidate.block != plain
            && !self.step(best, |c| c.block = plain)
    }

    fn report(&mut self, trial: &Trial) -> Option<Finding> {
        let mut finding = same(trial, self.key)?.clone();
        finding.launch = Some(trial.launch.clone());
        let oddities = self.driver.lab.space.oddities(&trial.candidate);
        let described = match oddities.is_empty() {
            true => self.blame(trial),
            false => Some(condition::describe(self, &trial.candidate, &oddities)),
        };
        if let Some(text) = described {
            let (text, smaller) = condition::settled(self, trial, text);
            if let Some(other) = smaller
                && let Some(shown) = same(&other, self.key)
            {
                finding = shown.clone();
                finding.launch = Some(other.launch.clone());
            }
            finding.holds_when = Some(condition::when(text));
            finding.severity = Severity::Warning;
        }
        Some(finding)
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

    /// Tries a change; whether the bug stayed.
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

    /// Elements that the bug does not need are zeros like the rest: those far out first, which make lists long.
    fn drop_cells(&mut self, best: &mut Rc<Trial>) {
        let mut cells = best.candidate.cells.clone();
        cells.sort_by_key(|&(_, at, ..)| std::cmp::Reverse(at));
        for cell in cells.into_iter().take(MOST_DROPPED) {
            self.step(best, |c| c.cells.retain(|kept| *kept != cell));
        }
    }
}
