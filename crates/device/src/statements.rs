//! The scheme `statement`: which two statements race, and which threads.
//!
//! The launch with cells marks the pieces of memory that threads race for, and of the first conflicts at each access those
//! whose accesses are followed. A second launch writes every access of these down: statement, thread, and the barriers that
//! the thread has passed. Here all accesses of one piece are put beside those that nothing orders; pieces are found by hash, so
//! that nothing is compared that is not of one piece.
//!
//! # What it can miss
//!
//! - what the second launch does otherwise than the first, where a kernel's threads come in another order;
//! - pieces beyond the first 16 conflicts of an access, and accesses of a piece beyond some 16,000: the pair of statements
//!   may then be one that stands for others;
//! - of many threads that execute one statement between two barriers, only some are compared.

use std::collections::{BTreeMap, HashMap};

use lockstep_finding::{Access, Action, Finding, Kind, Launch};
use lockstep_kernel::{SiteId, SiteKind};
use lockstep_simulate::{BoundLaunch, site_place};

use crate::abi::{self, Deed, Level};
use crate::archive::Archive;
use crate::report::{element, memory, point, qualify};

/// One access of a piece of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Position in the plan.
    pub number: usize,
    pub deed: Deed,
    /// An atomic operation for its own block only.
    pub narrow: bool,
    /// The thread had made an atomic operation by which it may know of others.
    pub acquired: bool,
    pub thread: u32,
    pub block: u64,
    /// In the table of arrays; none: shared memory.
    pub array: Option<usize>,
    pub at: i64,
    /// The piece: arrays may share memory, and cells do as they do.
    pub cell: u64,
    /// Barriers of the block and, since the last of them, of the warp.
    pub time: u32,
    pub warp_time: u32,
}

/// The records of a log, in the order in which they came, and whether some were left out.
pub fn records(words: &[u32]) -> (Vec<Record>, bool) {
    let (count, left_out) = (words.first().copied(), words.get(1).copied().unwrap_or(0));
    let count = count.unwrap_or(0) as usize;
    let all = words.get(abi::LOG_HEADER..).unwrap_or_default().chunks_exact(abi::RECORD);
    let is_short = count > all.len() || left_out > 0;
    let wide = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
    let records = all.take(count).filter_map(|r| {
        Some(Record {
            number: r[0] as usize,
            deed: Deed::of(r[1] & 255)?,
            narrow: r[1] >> 8 & 1 == 1,
            acquired: r[1] >> 9 & 1 == 1,
            thread: r[2],
            block: wide(r[3], r[4]),
            array: (r[5] != u32::MAX).then_some(r[5] as usize),
            at: wide(r[6], r[7]) as i64,
            time: r[8],
            warp_time: r[9],
            cell: wide(r[10], r[11]),
        })
    });
    (records.collect(), is_short)
}

/// Between whom two accesses of one piece conflict, if nothing orders them.
fn conflict(a: &Record, b: &Record) -> Option<Level> {
    let clash = a.deed.conflicts(b.deed);
    if a.block != b.block {
        let too_narrow = a.deed == Deed::Update && b.deed == Deed::Update && (a.narrow || b.narrow);
        return if clash { Some(Level::Grid) } else { too_narrow.then_some(Level::Scope) };
    }
    if !clash || a.time != b.time || a.thread == b.thread {
        return None;
    }
    if a.thread / 32 != b.thread / 32 {
        return Some(Level::Block);
    }
    (a.warp_time == b.warp_time).then_some(Level::Warp)
}

/// Accesses of one piece that later ones are put beside.
#[derive(Default)]
struct Piece {
    /// Of one block between two of its barriers.
    by_time: HashMap<(u64, u32), Vec<Record>>,
    /// Of different blocks.
    by_block: Vec<Record>,
}

/// Threads that stand for all that execute a statement between two barriers, and blocks for all.
const THREADS: usize = 8;
const LANES: usize = 2;
const BLOCKS: usize = 4;

impl Piece {
    /// Those that may conflict with a record, which is kept for later ones.
    fn meet(&mut self, record: &Record) -> Vec<Record> {
        let of_block = self.by_time.entry((record.block, record.time)).or_default();
        let others = self.by_block.iter().filter(|o| o.block != record.block);
        let out = of_block.iter().chain(others).copied().collect();
        let same = |o: &&Record| o.number == record.number && o.deed == record.deed;
        let warp = |r: &Record| (r.thread / 32, r.warp_time);
        let known = of_block.iter().filter(same);
        let lanes = known.clone().filter(|o| warp(o) == warp(record)).count();
        let itself = known.clone().any(|o| o.thread == record.thread && warp(o) == warp(record));
        if known.count() < THREADS && lanes < LANES && !itself {
            of_block.push(*record);
        }
        let mut blocks = self.by_block.iter().filter(same);
        if blocks.clone().count() < BLOCKS && !blocks.any(|o| o.block == record.block) {
            self.by_block.push(*record);
        }
        out
    }
}

/// Two statements that race: the first two threads for which it was seen, and how often it was.
#[derive(Clone, Debug)]
pub struct Pair {
    pub first: Record,
    pub second: Record,
    pub level: Level,
    pub may_be_ordered: bool,
    pub count: u64,
}

/// One for each pair of statements.
pub fn pairs(records: &[Record]) -> Vec<Pair> {
    let mut pieces: HashMap<(bool, u64, u64), Piece> = HashMap::new();
    let mut out: BTreeMap<(usize, usize, bool), Pair> = BTreeMap::new();
    for record in records {
        // Each block has shared memory of its own.
        let is_shared = record.array.is_none();
        let block = if is_shared { record.block } else { 0 };
        let piece = pieces.entry((is_shared, record.cell, block)).or_default();
        for other in piece.meet(record) {
            let Some(level) = conflict(&other, record) else { continue };
            let (a, b) = (other.number.min(record.number), other.number.max(record.number));
            let pair = out.entry((a, b, record.acquired)).or_insert(Pair {
                first: other,
                second: *record,
                level,
                may_be_ordered: record.acquired,
                count: 0,
            });
            pair.count += 1;
        }
    }
    out.into_values().collect()
}

/// One finding for each pair of places, in the order of the pairs.
pub fn findings(
    archive: &Archive,
    pairs: &[Pair],
    bound: &BoundLaunch,
    launch: &Launch,
) -> Vec<Finding> {
    let mut out: Vec<(Vec<(String, u32, u32)>, bool, Finding)> = Vec::new();
    for pair in pairs {
        let Some(mut finding) = finding(archive, pair, bound) else { continue };
        let place = |a: &Access| (a.place.file.clone(), a.place.line, a.place.column);
        let mut places: Vec<_> = finding.accesses.iter().map(place).collect();
        places.sort();
        let known = |(p, ordered, _): &&mut (Vec<_>, bool, Finding)| {
            *p == places && *ordered == pair.may_be_ordered
        };
        if let Some((_, _, known)) = out.iter_mut().find(known) {
            known.occurrences += pair.count;
            continue;
        }
        finding.launch = Some(launch.clone());
        out.push((places, pair.may_be_ordered, finding));
    }
    out.into_iter().map(|(_, _, f)| f).collect()
}

fn finding(archive: &Archive, pair: &Pair, launch: &BoundLaunch) -> Option<Finding> {
    let site = |r: &Record| archive.plan.checked.get(r.number).map(|c| c.site);
    let (first, second) = (site(&pair.first)?, site(&pair.second)?);
    let access = |r: &Record, id: SiteId| Access {
        op: action(archive, r.deed, id),
        thread: Some(point(r.thread.into(), launch.block)),
        block: point(r.block, launch.grid),
        place: site_place(&archive.kernel, id),
        value: None,
        notes: Vec::new(),
    };
    let accesses = vec![access(&pair.first, first), access(&pair.second, second)];
    let place = memory(archive, pair.second.array, pair.second.at, second, launch);
    let message = format!(
        "data race on {} memory `{}`: {} and {} {} without synchronisation",
        place.space,
        element(&place),
        accesses[0].op,
        accesses[1].op,
        pair.level.who()
    );
    let mut f = Finding::new(Kind::DataRace, message, accesses);
    f.memory = Some(place);
    f.occurrences = pair.count;
    qualify(&mut f, Some(pair.level), pair.may_be_ordered);
    Some(f)
}

fn action(archive: &Archive, deed: Deed, site: SiteId) -> Action {
    match (deed, archive.kernel.site(site).kind) {
        (_, SiteKind::Atomic) => Action::Atomic,
        (Deed::Write, _) => Action::Write,
        (_, SiteKind::Write) => Action::Write,
        _ => Action::Read,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(number: usize, deed: Deed, thread: u32, time: u32) -> Record {
        Record {
            number,
            deed,
            narrow: false,
            acquired: false,
            thread,
            block: 0,
            array: None,
            at: 0,
            cell: 0,
            time,
            warp_time: 0,
        }
    }

    fn found(records: &[Record]) -> Vec<(usize, usize, Level)> {
        pairs(records).iter().map(|p| (p.first.number, p.second.number, p.level)).collect()
    }

    #[test]
    fn what_a_barrier_orders_is_no_race() {
        let write = record(0, Deed::Write, 0, 1);
        assert_eq!(found(&[write, record(1, Deed::Read, 40, 1)]), [(0, 1, Level::Block)]);
        assert_eq!(found(&[write, record(1, Deed::Read, 40, 2)]), []);
        assert_eq!(found(&[write, record(1, Deed::Read, 1, 1)]), [(0, 1, Level::Warp)]);
        let behind = Record { warp_time: 1, ..record(1, Deed::Read, 1, 1) };
        assert_eq!(found(&[write, behind]), []);
        assert_eq!(found(&[write, record(1, Deed::Read, 0, 1)]), []);
    }

    #[test]
    fn blocks_are_ordered_by_nothing_and_scopes_can_be_too_narrow() {
        let of_block = |block, deed, narrow| Record {
            block,
            narrow,
            array: Some(0),
            ..record(0, deed, 0, 1 + block as u32)
        };
        let both = |deed, narrow| [of_block(0, deed, false), of_block(1, deed, narrow)];
        assert_eq!(found(&both(Deed::Write, false)), [(0, 0, Level::Grid)]);
        assert_eq!(found(&both(Deed::Update, false)), []);
        assert_eq!(found(&both(Deed::Update, true)), [(0, 0, Level::Scope)]);
        // Each block has shared memory of its own.
        let shared = both(Deed::Write, false).map(|r| Record { array: None, ..r });
        assert_eq!(found(&shared), []);
    }

    #[test]
    fn many_threads_of_one_statement_hide_no_other_statement() {
        let mut all: Vec<Record> = (0..500).map(|t| record(0, Deed::Read, t, 1)).collect();
        all.extend((0..500).map(|t| record(1, Deed::Read, t, 1)));
        all.push(record(2, Deed::Write, 3, 1));
        assert_eq!(found(&all), [(0, 2, Level::Warp), (1, 2, Level::Warp)]);
    }
}
