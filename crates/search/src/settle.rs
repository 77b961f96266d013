//! Ordinary before odd: each bug's launch made as plain and as small as the bug
//! allows.
//!
//! First every odd value is replaced by the ordinary one, then other contents and
//! values by the plain ones, then blocks and threads are taken away; a change is
//! kept if the same bug (same kind, same memory, same places) is still there. What
//! then still needs an odd value is `conditional` (see [`crate::condition`]).
//! Bugs often share a launch: what one bug was shrunk to is tried for the others
//! before anything else.

use lockstep_finding::{Finding, Kind, Severity};

use crate::candidate::{Candidate, Gene, Rule};
use crate::condition;
use crate::driver::Driver;
use crate::ledger::{Key, same};
use crate::space::Oddity;
use crate::trial::Trial;

/// A bug with the launch to show.
pub(crate) struct Settled {
    pub(crate) finding: Finding,
    pub(crate) rule: Rule,
}

/// Launches that the shrinking of one bug may cost.
const TRIES: usize = 40;
/// Threads along a block's first axis.
const USUAL_WIDTHS: [u32; 6] = [32, 64, 128, 256, 512, 1024];
/// What the largest vectors are aligned to.
const ROUND: i64 = 16;
/// So many times longer are rows that do not overlap.
const LONGER: i64 = 64;
/// Bugs beyond this number keep the launch that showed them.
const MOST_SHRUNK: usize = 40;

pub(crate) fn settle(driver: &mut Driver) -> Vec<Settled> {
    let entries = std::mem::take(&mut driver.ledger.entries);
    let mut small: Vec<Trial> = Vec::new();
    let mut out = Vec::new();
    for (i, entry) in entries.iter().enumerate() {
        let done = &driver.done[entry.trial];
        let rule = done.candidate.rule.clone();
        let mut as_found = Finding { launch: Some(done.launch.clone()), ..entry.finding.clone() };
        if done.odd {
            let odd = driver.lab.space.oddities(&done.candidate);
            as_found.holds_when = Some(condition::values(driver, &done.candidate, &odd));
            as_found.severity = Severity::Warning;
        }
        let keep = !done.complete || i >= MOST_SHRUNK;
        let candidate = done.candidate.clone();
        let finding = if keep {
            as_found
        } else {
            let benign = entry.finding.benign;
            let mut shrinker = Shrinker { driver, key: &entry.key, benign, tries: TRIES };
            match shrinker.shrink(candidate, &mut small) {
                Some(found) => found,
                None => as_found,
            }
        };
        out.push(Settled { finding, rule });
    }
    // A scatter that is only written through equal indices, not read back.
    let read_back: Vec<(u32, Option<String>)> = out
        .iter()
        .filter(|s| s.finding.kind == Kind::DataRace)
        .filter(|s| s.finding.accesses.iter().any(|a| a.op != "write"))
        .flat_map(|s| s.finding.accesses.iter().map(|a| (a.place.line, object(&s.finding))))
        .collect();
    for s in &mut out {
        scatter(driver, &mut s.finding, &read_back);
    }
    // One look at two equal pointers is enough.
    let mut told: Vec<(Kind, String)> = Vec::new();
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

fn object(finding: &Finding) -> Option<String> {
    finding.memory.as_ref().and_then(|m| m.object.clone())
}

/// A store through an index array races where two of its elements are equal. Who
/// writes so means a permutation, unless the same line also reads the element.
fn scatter(driver: &Driver, finding: &mut Finding, read_back: &[(u32, Option<String>)]) {
    let [a, b] = &finding.accesses[..] else { return };
    let one_store = finding.kind == Kind::DataRace
        && a.op == "write"
        && b.op == "write"
        && a.place == b.place
        && finding.holds_when.is_none();
    if !one_store || read_back.contains(&(a.place.line, object(finding))) {
        return;
    }
    let space = driver.lab.space;
    let Some(launch) = &finding.launch else { return };
    for array in space.arrays.iter().filter(|a| a.written_through) {
        let plain = space.plain();
        let usual = space.launch(&plain, &crate::launch::Sizes::default(), driver.settings.seed);
        let contents = |l: &lockstep_finding::Launch| match &l.args[array.param].1 {
            lockstep_finding::ArgValue::Array(spec) => Some(spec.contents.clone()),
            _ => None,
        };
        if contents(launch) != contents(&usual) {
            finding.holds_when = Some(format!("two elements of {} are equal", array.name));
            finding.severity = Severity::Warning;
            return;
        }
    }
}

pub(crate) struct Shrinker<'d, 'a> {
    pub(crate) driver: &'d mut Driver<'a>,
    pub(crate) key: &'d Key,
    /// Whether the bug is one of equal values only.
    pub(crate) benign: bool,
    pub(crate) tries: usize,
}

impl Shrinker<'_, '_> {
    fn shrink(&mut self, start: Candidate, small: &mut Vec<Trial>) -> Option<Finding> {
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
            let others = finding.holds_when.take().into_iter().filter(|o| *o != block);
            let parts: Vec<String> = others.chain([block.clone()]).collect();
            finding.holds_when = Some(parts.join(" && "));
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
        let finding = self.report(&best);
        small.push(best);
        finding
    }

    /// A block that does not fill the shared array its threads fill together leaves
    /// elements unwritten. Where the kernel's own block size was not given, that it
    /// is another one is to blame, not the kernel.
    fn needs_its_block(&mut self, best: &mut Trial) -> bool {
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
        finding.holds_when = match oddities.is_empty() {
            true => match self.key.kind {
                Kind::UninitialisedRead => {
                    self.narrow_block(trial).or_else(|| self.several_blocks(trial))
                }
                Kind::DataRace | Kind::MissingFence => self.short_rows(trial),
                Kind::Misaligned => self.crooked_sizes(trial),
                _ => None,
            },
            false => Some(condition::describe(self, &trial.candidate, &oddities)),
        };
        if finding.holds_when.is_some() {
            finding.severity = Severity::Warning;
        }
        Some(finding)
    }

    /// The same as [`Self::needs_its_block`] for the block that fills the shared arrays, which need not be the plain
    /// one, and for other usual ones: the kernel may be written for any of them.
    fn narrow_block(&mut self, trial: &Trial) -> Option<String> {
        let space = self.driver.lab.space;
        let c = &trial.candidate;
        let mut blocks = vec![space.full_block(c)];
        if space.free_block()[0] {
            blocks.extend(USUAL_WIDTHS.map(|x| [x, c.block[1], c.block[2]]));
        }
        blocks.retain(|b| *b != c.block);
        blocks.dedup();
        let clean = |&block: &[u32; 3]| self.is_clean(&Candidate { block, ..c.clone() });
        let block = blocks.iter().copied().find(clean)?;
        Some(condition::block(c, block))
    }

    /// A vector that begins where the sizes say is aligned where they are round.
    fn crooked_sizes(&mut self, trial: &Trial) -> Option<String> {
        let space = self.driver.lab.space;
        let c = &trial.candidate;
        let mut round = c.clone();
        let mut sizes = Vec::new();
        for (i, slot) in space.slots.iter().enumerate().filter(|(_, s)| !s.ty.is_float()) {
            let v = c.int(i);
            if v > 0 && v % ROUND != 0 {
                round.genes[i] = Gene::Int(v + ROUND - v % ROUND);
                sizes.push(format!("{} % {ROUND} != 0", slot.name));
            }
        }
        (!sizes.is_empty() && self.is_clean(&round)).then(|| sizes.join(" && "))
    }

    /// Rows overlap where they are shorter than what the threads of a row cover. Where no guard ties their length to
    /// the launch, a race that longer rows do not have needs such a length.
    fn short_rows(&mut self, trial: &Trial) -> Option<String> {
        let space = self.driver.lab.space;
        let c = &trial.candidate;
        let rows = (0..space.slots.len()).filter(|&i| space.slots[i].is_row_length());
        rows.collect::<Vec<_>>().into_iter().find_map(|i| {
            let long = c.int(i).saturating_mul(LONGER);
            let mut longer = c.clone();
            longer.genes[i] = Gene::Int(long);
            let clean = space.clamp(i, long) == long && self.is_clean(&longer);
            clean.then(|| condition::below(self, c, i, long))
        })
    }

    /// Where one block is meant for a whole row, sizes that take several leave elements unwritten.
    fn several_blocks(&mut self, trial: &Trial) -> Option<String> {
        let space = self.driver.lab.space;
        let c = &trial.candidate;
        let mut one = c.clone();
        let mut sizes = Vec::new();
        for (i, slot) in space.slots.iter().enumerate() {
            let (block, v) = (c.block[slot.axis] as i64, c.int(i));
            if !slot.ty.is_float() && v > block && v % block == 0 {
                one.genes[i] = Gene::Int(block);
                sizes.push(format!("{} > blockDim.{}", slot.name, ['x', 'y', 'z'][slot.axis]));
            }
        }
        (!sizes.is_empty() && self.is_clean(&one)).then(|| sizes.join(" && "))
    }

    /// Whether a launch ends without the bug, and with every access where it belongs.
    fn is_clean(&mut self, candidate: &Candidate) -> bool {
        if !self.driver.lab.space.is_possible(candidate) {
            return false;
        }
        let Some(trial) = self.driver.again(candidate) else { return false };
        let whole = trial.outcome.incomplete.is_none() && trial.doubts.is_empty();
        let inside = trial.outcome.findings.iter().all(|f| f.kind != Kind::OutOfBounds);
        whole && inside && same(&trial, self.key).is_none()
    }

    fn is_in(&self, trial: &Trial) -> bool {
        same(trial, self.key).is_some_and(|f| !f.benign || self.benign)
    }

    /// The trial of a candidate, if it shows the bug.
    pub(crate) fn run(&mut self, candidate: &Candidate) -> Option<Trial> {
        if self.tries == 0 || !self.driver.lab.space.is_possible(candidate) {
            return None;
        }
        self.tries -= 1;
        let trial = self.driver.again(candidate)?;
        self.is_in(&trial).then_some(trial)
    }

    /// Tries a change; whether the bug stayed.
    fn step(&mut self, best: &mut Trial, change: impl FnOnce(&mut Candidate)) -> bool {
        let mut candidate = best.candidate.clone();
        change(&mut candidate);
        if candidate == best.candidate {
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

    fn make_ordinary(&mut self, best: &mut Trial) {
        let space = self.driver.lab.space;
        let odd = space.oddities(&best.candidate);
        if odd.is_empty() {
            return;
        }
        // All at once, then one after the other.
        let plain = space.plain();
        let ordinary = |c: &mut Candidate, o: &Oddity| match *o {
            Oddity::Slot(i) => c.genes[i] = plain.genes[i],
            Oddity::Block => c.block = plain.block,
            Oddity::Equal => c.equal = None,
        };
        if self.step(best, |c| odd.iter().for_each(|o| ordinary(c, o))) {
            return;
        }
        for o in &odd {
            self.step(best, |c| ordinary(c, o));
        }
    }

    fn make_plain(&mut self, best: &mut Trial) {
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

    fn make_small(&mut self, best: &mut Trial) {
        let space = self.driver.lab.space;
        let odd = space.oddities(&best.candidate).len();
        let no_odder = |c: &Candidate| space.oddities(c).len() <= odd;
        let (free_block, free_grid) = (space.free_block(), space.free_grid());
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
}
