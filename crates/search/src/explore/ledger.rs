//! The findings of all launches: one entry for each bug, with its best witness.
//!
//! A kernel of hundreds of statements on one array may have a race for each pair of them. All show the same mistake,
//! and nobody reads so many: beyond [`MOST_LISTED`] of a kind, bugs are only counted, and the kind is never judged by those
//! that are kept alone.

use lockstep_finding::{Access, Action, Finding, Kind, Severity, When};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::explore::trial::Trial;
use crate::space::candidate::Rule;

/// The identity of a bug: kind, memory, source locations and actions there.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) kind: Kind,
    object: Option<String>,
    accesses: Vec<(Action, String, u32, u32)>,
}

impl Key {
    pub(crate) fn of(finding: &Finding) -> Key {
        let place = |a: &Access| (a.op, a.place.file.clone(), a.place.line, a.place.column);
        let mut accesses: Vec<_> = finding.accesses.iter().map(place).collect();
        accesses.sort();
        let object = finding.memory.as_ref().and_then(|m| m.object.clone());
        Key { kind: finding.kind, object, accesses }
    }

    /// Lines and columns of the accesses.
    pub(crate) fn places(&self) -> impl Iterator<Item = (u32, u32)> {
        self.accesses.iter().map(|(_, _, line, column)| (*line, *column))
    }
}

pub(crate) struct Entry {
    pub(crate) key: Key,
    pub(crate) finding: Finding,
    /// Index of the trial that showed it.
    pub(crate) trial: usize,
    /// How good a witness that is; smaller is better.
    rank: (bool, bool, usize, bool),
}

pub(crate) struct Ledger {
    pub(crate) entries: Vec<Entry>,
    /// Where the entry of a bug was put, unless entries were taken out since.
    places: FxHashMap<Key, usize>,
    /// The requested kinds.
    kinds: Vec<Kind>,
    /// Bugs of which there are too many: they are only counted.
    beyond: FxHashSet<Key>,
}

/// The most bugs of a kind that are kept, and as many that are benign.
pub const MOST_LISTED: usize = 256;

impl Ledger {
    pub(crate) fn new(kinds: &[Kind]) -> Ledger {
        Ledger {
            entries: Vec::new(),
            places: FxHashMap::default(),
            kinds: kinds.to_vec(),
            beyond: FxHashSet::default(),
        }
    }

    /// Adds the findings of a trial; returns the number of new bugs.
    pub(crate) fn add(&mut self, trial: usize, result: &Trial, oddities: usize) -> usize {
        let mut new = 0;
        let asked = |f: &&Finding| self.kinds.contains(&f.kind);
        for finding in result.outcome.findings.iter().filter(asked) {
            // A finding for an alarm's launch is wanted, whatever the launch is like, and so is one for a block of the
            // size given by launch bounds.
            let wanted = matches!(result.candidate.rule, Rule::Suggested | Rule::Bounds)
                && finding.kind == Kind::OutOfBounds;
            if oddities > 0 && !is_for_odd_launches(finding.kind) && !wanted {
                continue;
            }
            let key = Key::of(finding);
            let unfinished = result.outcome.incomplete.is_some();
            let rank = (oddities > 0, finding.benign, oddities, unfinished);
            let at = self.places.get(&key).copied().unwrap_or(usize::MAX);
            let is_full = self.is_full(finding);
            match self.entries.get_mut(at).filter(|e| e.key == key) {
                Some(entry) if rank < entry.rank => {
                    entry.finding = finding.clone();
                    entry.trial = trial;
                    entry.rank = rank;
                }
                Some(_) => {}
                None if is_full => {
                    self.beyond.insert(key);
                }
                None => {
                    new += 1;
                    self.places.insert(key.clone(), self.entries.len());
                    self.entries.push(Entry { key, finding: finding.clone(), trial, rank });
                }
            }
        }
        new
    }

    /// Whether enough bugs like this one are kept.
    fn is_full(&self, finding: &Finding) -> bool {
        let alike =
            |e: &&Entry| e.finding.kind == finding.kind && e.finding.benign == finding.benign;
        self.entries.len() >= MOST_LISTED
            && self.entries.iter().filter(alike).count() >= MOST_LISTED
    }

    /// How many bugs of each kind were only counted.
    pub(crate) fn only_counted(&self) -> Vec<(Kind, usize)> {
        let count = |kind: Kind| self.beyond.iter().filter(|key| key.kind == kind).count();
        let counts = self.kinds.iter().map(|&kind| (kind, count(kind)));
        counts.filter(|(_, count)| *count > 0).collect()
    }
}

/// Whether a finding of this kind is meaningful under a value that no caller would pass: an access beyond a shared
/// array for a block of 1024, say, is not.
fn is_for_odd_launches(kind: Kind) -> bool {
    matches!(kind, Kind::DataRace | Kind::BarrierDivergence | Kind::MissingFence | Kind::Deadlock)
}

/// The finding of a trial that is this bug.
pub(crate) fn same<'t>(trial: &'t Trial, key: &Key) -> Option<&'t Finding> {
    trial
        .places
        .get_or_init(|| places(&trial.outcome.findings))
        .get(key)
        .map(|&at| &trial.outcome.findings[at])
}

fn places(findings: &[Finding]) -> FxHashMap<Key, usize> {
    // Of equal ones the first counts.
    findings.iter().enumerate().rev().map(|(at, f)| (Key::of(f), at)).collect()
}

/// Makes a finding conditional.
pub(crate) fn make_conditional(finding: &mut Finding, when: When) {
    finding.holds_when = Some(when);
    finding.severity = Severity::Warning;
}
