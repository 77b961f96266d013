//! Collects what the observers see: one defect is one finding, however many
//! threads hit it.
//!
//! Observers report every instance; instances with the same [`Key`] (kind, the
//! places, the object) are one finding that keeps the first pair of threads and
//! counts the rest. In a *probe* (see [`crate::machine::grid`]) nothing is kept: the first
//! report only says that the launch has to be run again with full observation.

use rustc_hash::FxHashMap;

use lockstep_finding::{Access, Finding, Kind, Memory, Place, Severity};
use lockstep_kernel::{Elem, Kernel, LocId, SiteId, SiteKind};

use crate::check::race::COPY_ENGINE;
use crate::code::program::{ObjectInfo, Program};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Key {
    pub kind: Kind,
    /// Places, smaller first.
    pub places: [u32; 2],
    pub object: u32,
}

struct Draft {
    finding: Finding,
    every_benign: bool,
}

pub(crate) struct Reports {
    /// Only note that there is something.
    pub probe: bool,
    pub dirty: bool,
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

    pub(crate) fn wants(&self, kind: Kind) -> bool {
        self.wanted[kind as usize]
    }

    /// Notes one instance. `make` builds the finding and is called for the first
    /// instance of a key only.
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
                // Show an instance that matters rather than one that does not.
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

/// The source place of a location, with its inlining chain.
pub fn place(kernel: &Kernel, loc: LocId) -> Place {
    let mut chain = kernel.loc_chain(loc).map(|l| Place {
        file: kernel.files.get(l.file as usize).cloned().unwrap_or_default(),
        line: l.line,
        column: l.column,
        function: l.function.clone(),
        inlined_at: Vec::new(),
    });
    let mut first = chain.next().unwrap_or_default();
    first.inlined_at = chain.collect();
    first
}

/// The source place of a site.
pub fn site_place(kernel: &Kernel, site: SiteId) -> Place {
    place(kernel, kernel.site(site).loc)
}

/// What thread `thread` of a block does at a site.
pub(crate) fn access(program: &Program, block: u32, site: SiteId, thread: u32) -> Access {
    let facts = program.sites[site.0 as usize];
    let op = match program.kernel.site(site).kind {
        SiteKind::Barrier => "barrier",
        SiteKind::Fence => "fence",
        _ if facts.atomic => "atomic",
        _ if facts.writes => "write",
        _ => "read",
    };
    Access {
        op: op.to_string(),
        thread: (thread != COPY_ENGINE).then(|| program.thread_at(block, thread)),
        block: program.block_at(block),
        place: site_place(program.kernel, site),
        value: None,
        notes: Vec::new(),
    }
}

/// Describes bytes of an object.
pub(crate) fn memory(info: &ObjectInfo, offset: i64, len: i64) -> Memory {
    let size = i64::from(info.elem.size().max(1));
    Memory {
        space: info.space.to_string(),
        object: Some(info.name.clone()),
        element: Some(offset.div_euclid(size)),
        bytes: Some([offset, offset + len]),
        object_size: Some(info.size),
        element_type: match info.elem {
            Elem::Scalar(t) => Some(t.to_string()),
            Elem::Bytes(_) => None,
        },
    }
}

/// An element as a user would write it: `s[16]`.
pub(crate) fn element(info: &ObjectInfo, offset: i64) -> String {
    let size = i64::from(info.elem.size().max(1));
    let index = offset.div_euclid(size);
    let rest = offset.rem_euclid(size);
    if info.size <= size as u64 && index == 0 && rest == 0 {
        return info.name.clone();
    }
    match rest {
        0 => format!("{}[{index}]", info.name),
        _ => format!("{}[{index}] (byte {rest})", info.name),
    }
}
