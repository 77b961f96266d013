//! Bytes that two pieces of work touch, and what is said of them.

use std::ops::Range;

use lockstep_finding::{Access, Action, Finding, Kind, Memory, MemorySpace};

use super::{Conflict, Deed, Home, Use, Work};
use crate::device::Device;

/// The first byte range that two pieces of work touch, one of them writing; a write by both comes first.
pub(super) fn between(first: &Work, second: &Work) -> Option<Conflict> {
    let pairs = first.uses.iter().flat_map(|a| second.uses.iter().map(move |b| (a, b)));
    let mut pairs: Vec<(&Use, &Use)> =
        pairs.filter(|(a, b)| a.home == b.home && !a.deed.agrees(b.deed)).collect();
    pairs.sort_by_key(|(a, b)| (a.deed != Deed::Write, b.deed != Deed::Write));
    pairs.into_iter().find_map(|(a, b)| {
        let bytes = common(&a.ranges, &b.ranges)?;
        let (first, second) = (plain(first), plain(second));
        Some(Conflict { first, second, home: a.home, bytes, deeds: [a.deed, b.deed] })
    })
}

fn plain(work: &Work) -> Work {
    Work { uses: Vec::new(), ..work.clone() }
}

/// The first bytes that are in both lists.
fn common(a: &[Range<u64>], b: &[Range<u64>]) -> Option<Range<u64>> {
    let (mut i, mut j) = (0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        let (from, to) = (x.start.max(y.start), x.end.min(y.end));
        if from < to {
            return Some(from..to);
        }
        if x.end <= y.end { i += 1 } else { j += 1 }
    }
    None
}

fn verb(deed: Deed) -> &'static str {
    match deed {
        Deed::Read => "reads",
        Deed::Write => "writes",
        Deed::Atomic => "updates",
    }
}

impl Device {
    /// The work that has begun is whole: what it races with is reported.
    pub(crate) fn end_work(&mut self) {
        let conflicts = self.order.end();
        for conflict in conflicts {
            self.report_conflict(&conflict);
        }
    }

    fn report_conflict(&mut self, conflict: &Conflict) {
        let Conflict { first, second, home, bytes, deeds } = conflict;
        let name = |work: &Work| match work.launch {
            Some(launch) => format!("{} (launch {launch})", work.name),
            None => work.name.clone(),
        };
        let lane = |work: &Work| self.order.name(work.lane).to_owned();
        let lanes = match lane(first) == lane(second) {
            true => format!("commands of {}", lane(first)),
            false => format!("{} and {}", lane(first), lane(second)),
        };
        let object = self.memory_named(*home);
        let place = match home {
            Home::Slot(_) => format!("bytes {}..{} of {object}", bytes.start, bytes.end),
            Home::Host => format!("{} bytes of {object}", bytes.end - bytes.start),
        };
        let message = format!(
            "data race on the device: {} {} {place}, and {} {} them; nothing orders {lanes}",
            name(second),
            verb(deeds[1]),
            name(first),
            verb(deeds[0]),
        );
        let help = match lane(second).starts_with("queue") {
            true => {
                "let the later command wait for the event of the earlier one, or wait for that with clFinish or clWaitForEvents before the later one is enqueued"
            }
            false => {
                "record an event behind the first (cudaEventRecord) and let the other stream wait for it (cudaStreamWaitEvent), use one stream for both, or wait for the first (cudaStreamSynchronize) before the second is asked for"
            }
        };
        self.report_race([second, first], message, help, Some((*home, bytes.clone())));
    }

    /// Memory as messages call it.
    pub(super) fn memory_named(&self, home: Home) -> String {
        match home {
            Home::Host => "the host's memory".into(),
            Home::Slot(slot) => match self.memory.get(slot) {
                Some(a) if a.call.is_empty() => "a variable".into(),
                Some(a) => format!("memory of {}{}", a.call, a.site.told()),
                None => "memory".into(),
            },
        }
    }

    /// A race between calls of the host; the first of them is where it shows.
    pub(super) fn report_race(
        &mut self,
        calls: [&Work; 2],
        message: String,
        help: &str,
        at: Option<(Home, Range<u64>)>,
    ) {
        let access = |work: &Work| Access {
            op: Action::Call,
            thread: None,
            block: [0; 3],
            place: self.host_of(&work.site, None).1,
            value: None,
            notes: Vec::new(),
        };
        let accesses = calls.map(access).to_vec();
        let mut finding = Finding::new(Kind::DataRace, message, accesses);
        finding.help = vec![help.to_owned()];
        finding.host = Some(self.host_of(&calls[0].site, calls[0].launch).0);
        if let Some((Home::Slot(slot), bytes)) = at {
            finding.memory = Some(Memory {
                space: MemorySpace::Global,
                object: Some(self.memory_named(Home::Slot(slot))),
                element: None,
                bytes: Some([bytes.start as i64, bytes.end as i64]),
                object_size: self.memory.get(slot).map(|a| a.size),
                element_type: None,
            });
        }
        self.found(None, finding, false);
    }
}

#[cfg(test)]
mod tests {
    use super::common;

    #[test]
    fn bytes_in_both_lists() {
        let (a, b) = ([0..4, 8..12, 20..24], [4..8, 11..21]);
        assert_eq!(common(&a, &b), Some(11..12));
        assert_eq!(common(&a[..1], &b), None);
        assert_eq!(common(&a[2..], &b), Some(20..21));
    }
}
