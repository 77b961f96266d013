//! From the words that the device has written to findings.

use std::collections::BTreeMap;

use lockstep_finding::{
    Access, Action, Approximated, Approximation, Confidence, Finding, Kind, Launch, Memory,
    MemorySpace,
};
use lockstep_kernel::{Elem, ParamKind, SiteId, SiteKind, Space};
use lockstep_simulate::{BoundLaunch, site_place};

use crate::abi::{self, Before, Class, Deed, Level};
use crate::archive::{Archive, Array};
use crate::plan::Plan;

/// The first conflict that was seen at an access, and how many there were.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Position in the plan.
    pub number: usize,
    pub class: Class,
    pub count: u32,
    pub thread: u32,
    pub block: u64,
    /// Bytes from the array's pointer, or from the start of the block's shared memory.
    pub at: i64,
    /// In the table of arrays; none: shared memory.
    pub array: Option<usize>,
    pub deed: Option<Deed>,
    pub level: Option<Level>,
    pub before: Option<Before>,
}

/// A barrier that not all threads of a block have reached, or at which some were while others were at another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missed {
    /// Position in the plan.
    pub barrier: usize,
    pub count: u32,
    pub thread: u32,
    pub block: u64,
    /// Threads that were at a barrier together.
    pub arrived: u32,
    /// Where others were.
    pub other: Option<usize>,
}

fn words_of_rows(words: &[u32]) -> impl Iterator<Item = (usize, &[u32])> {
    let rows = words.get(abi::HEADER..).unwrap_or_default().chunks_exact(abi::ROW).enumerate();
    rows.filter(|(_, row)| row[0] != 0 && row[10] != 0)
}

/// The rows for barriers that say something.
pub fn missed(plan: &Plan, words: &[u32]) -> Vec<Missed> {
    let first = plan.access_rows();
    let rows = words_of_rows(words).filter(|(i, _)| *i >= first);
    rows.map(|(i, row)| Missed {
        barrier: i - first,
        count: row[0],
        thread: row[1],
        block: u64::from(row[2]) | u64::from(row[3]) << 32,
        arrived: row[4],
        other: (row[7] as usize != i).then(|| (row[7] as usize).checked_sub(first)).flatten(),
    })
    .collect()
}

/// The rows for accesses that say something. Of one that was not written to its end (a kernel that was stopped), nothing is
/// known.
pub fn rows(plan: &Plan, words: &[u32]) -> Vec<Row> {
    let mut out = Vec::new();
    for (i, row) in words_of_rows(words).filter(|(i, _)| *i < plan.access_rows()) {
        let wide = |low: usize| u64::from(row[low]) | u64::from(row[low + 1]) << 32;
        let array = (row[6] != u32::MAX).then_some(row[6] as usize);
        let level = Level::of(row[9] >> 8);
        let block = wide(2);
        out.push(Row {
            number: i / Class::ALL.len(),
            class: Class::ALL[i % Class::ALL.len()],
            count: row[0],
            thread: row[1],
            block,
            at: wide(4) as i64,
            array,
            deed: Deed::of(row[9] & 255),
            level,
            before: level.and_then(|l| abi::before(wide(7), l, array.is_none(), block)),
        });
    }
    out
}

/// What keeps a report from calling a launch clean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gap {
    TimesLost,
    UnknownMemory,
    TooManyBlocks,
}

pub fn gaps(words: &[u32], launch: &BoundLaunch) -> Vec<Gap> {
    let status = words.get(abi::STATUS).copied().unwrap_or(0);
    let blocks: u64 = launch.grid.iter().map(|&d| u64::from(d)).product();
    let all = [
        (status & abi::TIMES_LOST != 0, Gap::TimesLost),
        (status & abi::UNKNOWN_MEMORY != 0, Gap::UnknownMemory),
        (blocks >= abi::BLOCKS, Gap::TooManyBlocks),
    ];
    all.into_iter().filter(|(is, _)| *is).map(|(_, gap)| gap).collect()
}

impl Gap {
    pub fn text(self) -> &'static str {
        match self {
            Gap::TimesLost => "more barriers were passed than the checker counts",
            Gap::UnknownMemory => "memory was accessed that is none of the launch's arrays",
            Gap::TooManyBlocks => "the grid has more blocks than the checker tells apart",
        }
    }
}

/// One finding for each place of the source and class. `launch` is what repeats it.
pub fn findings(
    archive: &Archive,
    words: &[u32],
    bound: &BoundLaunch,
    launch: &Launch,
) -> Vec<Finding> {
    let mut out: BTreeMap<(Class, String, u32, u32), Finding> = BTreeMap::new();
    for row in rows(&archive.plan, words) {
        let Some(checked) = archive.plan.checked.get(row.number) else { continue };
        let place = site_place(&archive.kernel, checked.site);
        let key = (row.class, place.file.clone(), place.line, place.column);
        if let Some(known) = out.get_mut(&key) {
            known.occurrences += u64::from(row.count);
            continue;
        }
        let mut finding = finding(archive, &row, bound);
        finding.launch = Some(launch.clone());
        out.insert(key, finding);
    }
    let mut out: Vec<Finding> = out.into_values().collect();
    for missed in missed(&archive.plan, words) {
        let mut finding = of_barrier(archive, &missed, bound);
        finding.launch = Some(launch.clone());
        out.push(finding);
    }
    out
}

fn of_barrier(archive: &Archive, missed: &Missed, launch: &BoundLaunch) -> Finding {
    let place = |barrier: usize| site_place(&archive.kernel, archive.plan.barriers[barrier]);
    let (thread, block) = (u64::from(missed.thread), point(missed.block, launch.grid));
    let access = Access {
        op: Action::Barrier,
        thread: Some(point(thread, launch.block)),
        block,
        place: place(missed.barrier),
        value: None,
        notes: Vec::new(),
    };
    let all: u64 = launch.block.iter().map(|&d| u64::from(d)).product();
    let other = missed.other.filter(|o| *o < archive.plan.barriers.len());
    let message = match other {
        Some(other) => format!(
            "threads of a block wait at different barriers, some at line {}",
            place(other).line
        ),
        None => format!("a barrier was passed by {} of {all} threads of a block", missed.arrived),
    };
    let mut finding = Finding::new(Kind::BarrierDivergence, message, vec![access]);
    finding.occurrences = missed.count.into();
    finding
}

fn finding(archive: &Archive, row: &Row, launch: &BoundLaunch) -> Finding {
    let kernel = &archive.kernel;
    let checked = archive.plan.checked[row.number];
    let site = kernel.site(checked.site);
    let op = match (row.deed, site.kind) {
        (_, SiteKind::Atomic) => Action::Atomic,
        (Some(Deed::Write), _) | (_, SiteKind::Write) => Action::Write,
        _ => Action::Read,
    };
    let mut access = Access {
        op,
        thread: Some(point(u64::from(row.thread), launch.block)),
        block: point(row.block, launch.grid),
        place: site_place(kernel, checked.site),
        value: None,
        notes: Vec::new(),
    };
    let place = memory(archive, row.array, row.at, checked.site, launch);
    let text = element(&place);
    let space = place.space;
    if row.class == Class::Outside {
        let message = format!("{op} of {space} memory `{text}` is out of bounds");
        let mut f = Finding::new(Kind::OutOfBounds, message, vec![access]);
        f.memory = Some(place);
        f.occurrences = row.count.into();
        return f;
    }
    let who = row.level.unwrap_or(Level::Block).who();
    let first = row.before.map_or("an access", |b| match b.deed {
        Deed::Read => "read",
        Deed::Write => "write",
        Deed::ReadAtomically | Deed::Update | Deed::ReadAndUpdate => "atomic",
    });
    access.notes.extend(row.before.map(|b| earlier(&b, launch)));
    let message = format!(
        "data race on {space} memory `{text}`: {first} and {op} {who} without synchronisation"
    );
    let mut f = Finding::new(Kind::DataRace, message, vec![access]);
    f.memory = Some(place);
    f.occurrences = row.count.into();
    qualify(&mut f, row.level, row.class == Class::MaybeOrdered);
    f
}

/// What the level of a conflict says, and what an atomic operation before it does.
pub(crate) fn qualify(f: &mut Finding, level: Option<Level>, may_be_ordered: bool) {
    if level == Some(Level::Scope) {
        f.help.push(
            "an atomic of block scope is atomic for its own block only: use the device-wide form"
                .into(),
        );
    }
    if may_be_ordered {
        f.confidence = Confidence::Possible;
        f.approximated.push(Approximated {
            variable: Approximation::OtherOrder,
            affects_reachability: true,
            affects_index: false,
        });
    }
}

/// The other side of a race, whose statement is not known.
fn earlier(before: &Before, launch: &BoundLaunch) -> String {
    let what = match before.deed {
        Deed::Read => "read",
        Deed::ReadAtomically => "atomic read",
        Deed::Update => "atomic update",
        Deed::ReadAndUpdate => "read and atomic update",
        Deed::Write => "write",
    };
    let triple = |t: [u32; 3]| format!("({},{},{})", t[0], t[1], t[2]);
    let block = before.block.map(|b| triple(point(b, launch.grid)));
    let thread = before.thread.map(|t| triple(point(t.into(), launch.block)));
    match (thread, block) {
        (Some(thread), Some(block)) => {
            format!("the earlier {what} is by thread {thread} of block {block}")
        }
        (None, Some(block)) => format!("the earlier {what} is by several threads of block {block}"),
        _ => format!("the earlier {what} is by several blocks"),
    }
}

/// The coordinates of a number.
pub(crate) fn point(number: u64, size: [u32; 3]) -> [u32; 3] {
    let [x, y, _] = size.map(|d| u64::from(d.max(1)));
    [(number % x) as u32, (number / x % y) as u32, (number / x / y) as u32]
}

/// The memory at which a site has met another, `at` bytes into an array or into shared memory.
pub(crate) fn memory(
    archive: &Archive,
    number: Option<usize>,
    at: i64,
    site: SiteId,
    launch: &BoundLaunch,
) -> Memory {
    let kernel = &archive.kernel;
    let len = i64::from(kernel.site(site).size.max(1));
    let array = number.and_then(|a| archive.arrays.get(a));
    let (name, elem, start, size) = match array {
        Some(array @ (Array::Parameter(_) | Array::Field { .. })) => {
            let parameter = archive.parameter(array).map(|p| &kernel.params[p]);
            let elem = parameter.and_then(|p| match p.kind {
                ParamKind::Buffer { elem, .. } => Some(elem),
                _ => None,
            });
            let entry = crate::layout::Layout::new(archive, launch).ok();
            let entry = entry.and_then(|l| l.entries.get(number?).copied());
            let size = entry.map_or(0, |e| e.high.max(0) as u64);
            (parameter.map(|p| p.name.clone()), elem, 0, size)
        }
        Some(Array::Variable { name, bytes, .. }) => {
            let object = kernel.objects.iter().find(|o| o.name == *name);
            (Some(name.clone()), object.map(|o| o.elem), 0, *bytes)
        }
        None => {
            let at = at as u64;
            let dynamic = u64::from(launch.shared);
            let inside = |v: &&crate::archive::SharedVariable| {
                (v.start..v.start + v.size.unwrap_or(dynamic)).contains(&at)
            };
            let through = kernel.site(site).through.as_deref();
            let own = archive.shared.iter().find(|v| Some(v.name.as_str()) == through);
            match archive.shared.iter().find(inside).or(own) {
                Some(v) => {
                    let is =
                        |o: &&lockstep_kernel::Object| o.space == Space::Shared && o.name == v.name;
                    let elem = kernel.objects.iter().find(is).map(|o| o.elem);
                    (Some(v.name.clone()), elem, v.start as i64, v.size.unwrap_or(dynamic))
                }
                None => (None, None, 0, archive.own_shared + dynamic),
            }
        }
    };
    let offset = at - start;
    let elem = elem.filter(|e| e.size() > 0);
    Memory {
        space: if number.is_some() { MemorySpace::Global } else { MemorySpace::Shared },
        object: name,
        element: elem.map(|e| offset.div_euclid(e.size().into())),
        bytes: Some([offset, offset + len]),
        object_size: Some(size),
        element_type: match elem {
            Some(Elem::Scalar(t)) => Some(t.to_string()),
            _ => None,
        },
    }
}

/// As a user would write it.
pub(crate) fn element(memory: &Memory) -> String {
    let name = memory.object.as_deref().unwrap_or("?");
    match (memory.element, memory.bytes) {
        (Some(i), _) => format!("{name}[{i}]"),
        (None, Some([from, _])) => format!("{name} (byte {from})"),
        _ => name.to_owned(),
    }
}
