//! Collects what the observers detect: one defect is one finding, however many threads are involved.
//!
//! Observers report every instance; instances with the same [`Key`] (kind, source locations, object) are one finding
//! that keeps the first pair of threads and counts the rest. In a *probe* (see [`crate::simulate`]) nothing is kept:
//! the first report only causes the launch to be run again with full checks.

use lockstep_finding::{Finding, Kind, Severity};
use rustc_hash::FxHashMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Key {
    pub kind: Kind,
    /// Source locations, in ascending order.
    pub places: [u32; 2],
    pub object: u32,
}

struct Draft {
    finding: Finding,
    every_benign: bool,
}

pub(crate) struct Reports {
    /// Only record whether there is anything to report.
    probe: bool,
    dirty: bool,
    wanted: [bool; Kind::ALL.len()],
    drafts: FxHashMap<Key, Draft>,
}

impl Reports {
    pub(crate) fn new(probe: bool, kinds: &[Kind]) -> Reports {
        let mut wanted = [false; Kind::ALL.len()];
        for k in kinds {
            wanted[*k as usize] = true;
        }
        Reports { probe, dirty: false, wanted, drafts: FxHashMap::default() }
    }

    /// An instance of this kind may be reported later: a probe can stop.
    pub(crate) fn note(&mut self, kind: Kind) {
        self.dirty |= self.probe && self.wants(kind);
    }

    /// Whether a probe has seen enough.
    #[inline(always)]
    pub(crate) fn is_done(&self) -> bool {
        self.probe && self.dirty
    }

    /// Adds the findings of another check, which are of other kinds.
    pub(crate) fn join(&mut self, other: Reports) {
        self.drafts.extend(other.drafts);
    }

    pub(crate) fn wants(&self, kind: Kind) -> bool {
        self.wanted[kind as usize]
    }

    /// Whether an instance would say more than those recorded.
    pub(crate) fn is_news(&self, key: &Key, benign: bool) -> bool {
        self.drafts.get(key).is_none_or(|d| d.every_benign && !benign)
    }

    /// Records one instance. `make` builds the finding and is only called for the first instance of a key.
    pub(crate) fn add(&mut self, key: Key, benign: bool, make: impl FnOnce() -> Finding) {
        if !self.wants(key.kind) {
            return;
        }
        if self.probe {
            self.dirty = true;
            return;
        }
        match self.drafts.get_mut(&key) {
            Some(d) => {
                d.finding.occurrences += 1;
                // Prefer to show an instance that is not benign.
                if d.every_benign && !benign {
                    let n = d.finding.occurrences;
                    d.finding = make();
                    d.finding.occurrences = n;
                    d.every_benign = false;
                }
            }
            None => {
                self.drafts.insert(key, Draft { finding: make(), every_benign: benign });
            }
        }
    }

    /// All findings in a fixed order.
    pub(crate) fn finish(self) -> Vec<Finding> {
        let mut drafts: Vec<(Key, Draft)> = self.drafts.into_iter().collect();
        drafts.sort_by_key(|(k, d)| (std::cmp::Reverse(d.finding.severity), *k));
        drafts
            .into_iter()
            .map(|(_, mut d)| {
                if d.every_benign && d.finding.kind == Kind::DataRace {
                    d.finding.benign = true;
                    d.finding.severity = Severity::Warning;
                }
                d.finding
            })
            .collect()
    }
}
