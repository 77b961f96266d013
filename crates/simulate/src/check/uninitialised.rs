//! Reads of shared memory that nobody has written.
//!
//! Shared memory keeps a bit per byte: written or not. Loading unwritten bytes is
//! not yet an error: the loaded lanes are *poisoned*, copies carry the poison
//! along (moves, selections, casts, stores), and the first operation that
//! computes, branches or addresses with it, or stores it to global memory, is the
//! use that is reported, at the load. Where a write to the same bytes turns out to
//! be unordered with the read, the read was only early: that is the race's
//! finding, and none of ours.
//!
//! Behind a failed assertion nothing is reported: what is missing is what the failed threads would have written.
//!
//! As long as nothing unwritten was loaded, nothing is tracked.
//!
//! What it can miss: poison stored to private memory is taken as written; global
//! memory is always initialised by the launch; private memory is not tracked.

use lockstep_finding::{Access, Finding, Kind};
use lockstep_kernel::{LocId, SiteId};
use rustc_hash::FxHashMap;

use crate::check::report::{Key, element, memory, place, site_place};
use crate::code::lanes::{Alu, CONSTANT, LANES, Slot};
use crate::machine::block::{BlockRun, World};

/// A bit per byte.
pub(crate) struct InitBits {
    bits: Vec<u64>,
    unset: u64,
    size: u64,
}

impl InitBits {
    pub(crate) fn new(size: u64) -> InitBits {
        InitBits { bits: vec![0; size.div_ceil(64) as usize + 1], unset: size, size }
    }

    pub(crate) fn clear(&mut self) {
        self.bits.fill(0);
        self.unset = self.size;
    }

    pub(crate) fn complete(&self) -> bool {
        self.unset == 0
    }

    /// Calls `f` with each word and the bits of it in `[at, at + len)`.
    fn words(&mut self, at: u64, len: u64, mut f: impl FnMut(&mut u64, u64)) {
        let (mut at, end) = (at, at + len);
        while at < end {
            let low = at & 63;
            let n = (64 - low).min(end - at);
            let mask = if n == 64 { u64::MAX } else { ((1 << n) - 1) << low };
            f(&mut self.bits[(at >> 6) as usize], mask);
            at += n;
        }
    }

    pub(crate) fn set(&mut self, at: u64, len: u64) {
        let mut new = 0;
        self.words(at, len, |w, mask| {
            new += u64::from((mask & !*w).count_ones());
            *w |= mask;
        });
        self.unset -= new;
    }

    pub(crate) fn unset(&mut self, at: u64, len: u64) {
        let mut gone = 0;
        self.words(at, len, |w, mask| {
            gone += u64::from((mask & *w).count_ones());
            *w &= !mask;
        });
        self.unset += gone;
    }

    pub(crate) fn all(&mut self, at: u64, len: u64) -> bool {
        let mut all = true;
        self.words(at, len, |w, mask| all &= *w & mask == mask);
        all
    }
}

/// Where poison came from.
#[derive(Clone, Copy)]
pub(crate) struct Origin {
    pub site: SiteId,
    pub object: usize,
    pub offset: u64,
    pub size: u32,
    /// Time of the read, for its order with later writes.
    pub clock: u32,
}

/// Poisoned lanes of a warp's registers.
#[derive(Default)]
pub(crate) struct Poison {
    pub live: bool,
    lanes: FxHashMap<u32, (u32, [u32; LANES])>,
    origins: Vec<Origin>,
}

impl Poison {
    pub(crate) fn clear(&mut self) {
        self.live = false;
        self.lanes.clear();
        self.origins.clear();
    }

    pub(crate) fn get(&self, s: Slot) -> u32 {
        if s.0 & CONSTANT != 0 {
            return 0;
        }
        self.lanes.get(&s.0).map_or(0, |p| p.0)
    }

    fn origin(&self, s: Slot, lane: usize) -> Option<Origin> {
        let (_, origins) = self.lanes.get(&s.0)?;
        self.origins.get(origins[lane] as usize).copied()
    }

    /// Sets the lanes of `mask` as in `poisoned`, with their origins.
    pub(crate) fn put(
        &mut self,
        s: Slot,
        mask: u32,
        poisoned: u32,
        origin: impl Fn(usize) -> Origin,
    ) {
        if poisoned == 0 {
            self.wash(s, mask);
            return;
        }
        self.live = true;
        let entry = self.lanes.entry(s.0).or_insert((0, [0; LANES]));
        entry.0 = (entry.0 & !mask) | poisoned;
        for l in (0..LANES).filter(|l| poisoned >> l & 1 == 1) {
            entry.1[l] = self.origins.len() as u32;
            self.origins.push(origin(l));
        }
    }

    pub(crate) fn wash(&mut self, s: Slot, mask: u32) {
        if let Some(p) = self.lanes.get_mut(&s.0) {
            p.0 &= !mask;
            if p.0 == 0 {
                self.lanes.remove(&s.0);
            }
        }
    }

    pub(crate) fn copy(&mut self, d: Slot, s: Slot, mask: u32) {
        let from = self.get(s) & mask;
        if from == 0 {
            self.wash(d, mask);
            return;
        }
        let origins = self.lanes[&s.0].1;
        let entry = self.lanes.entry(d.0).or_insert((0, [0; LANES]));
        entry.0 = (entry.0 & !mask) | from;
        for l in (0..LANES).filter(|l| from >> l & 1 == 1) {
            entry.1[l] = origins[l];
        }
    }
}

/// A use that will be reported unless a race explains it.
#[derive(Clone, Copy)]
pub(crate) struct Pending {
    pub origin: Origin,
    pub thread: u32,
    pub used_at: LocId,
}

impl BlockRun<'_, '_> {
    pub(crate) fn poison_alu(
        &mut self,
        w: usize,
        mask: u32,
        op: &Alu,
        loc: LocId,
        world: &mut World,
    ) {
        let p = &self.warps[w].poison;
        if (p.get(op.a) | p.get(op.b) | p.get(op.c)) & mask == 0 {
            self.warps[w].poison.wash(op.d, mask);
            return;
        }
        if op.selects {
            let chosen = self.regs(w).bits(op.a) & mask;
            self.poison_branch(w, mask, op.a, loc, world);
            self.warps[w].poison.copy(op.d, op.b, chosen);
            self.warps[w].poison.copy(op.d, op.c, mask & !chosen);
            return;
        }
        if op.copies {
            self.warps[w].poison.copy(op.d, op.a, mask);
            return;
        }
        self.poison_use(w, mask, [op.a, op.b, op.c], op.d, loc, world);
    }

    /// An operation computes with its sources.
    pub(crate) fn poison_use(
        &mut self,
        w: usize,
        mask: u32,
        sources: [Slot; 3],
        d: Slot,
        loc: LocId,
        world: &mut World,
    ) {
        for s in sources {
            self.poison_branch(w, mask, s, loc, world);
        }
        self.warps[w].poison.wash(d, mask);
    }

    /// The value of `s` decides something.
    pub(crate) fn poison_branch(
        &mut self,
        w: usize,
        mask: u32,
        s: Slot,
        loc: LocId,
        world: &mut World,
    ) {
        let used = self.warps[w].poison.get(s) & mask;
        if used == 0 {
            return;
        }
        if world.reports.probe && world.reports.wants(Kind::UninitialisedRead) {
            world.reports.dirty = true;
        }
        for l in (0..LANES).filter(|l| used >> l & 1 == 1) {
            if let Some(origin) = self.warps[w].poison.origin(s, l) {
                let thread = self.warps[w].first_thread + l as u32;
                self.note_uninitialised(Pending { origin, thread, used_at: loc });
            }
        }
        // Once is enough.
        self.warps[w].poison.wash(s, used);
    }

    pub(crate) fn note_uninitialised(&mut self, pending: Pending) {
        // A failed assertion ends the whole launch: no thread would have come here without what others were to write.
        if self.failed {
            return;
        }
        // A block-wide defect shows in a few threads; the rest only counts.
        if self.uninitialised.len() < 4096 {
            self.uninitialised.push(pending);
        }
    }

    /// The block is done: what no race explained is reported.
    pub(crate) fn finish(&mut self, world: &mut World) {
        let p = self.p;
        let block = self.block;
        for pending in std::mem::take(&mut self.uninitialised) {
            let o = pending.origin;
            let key = Key {
                kind: Kind::UninitialisedRead,
                places: p.places(o.site.0, o.site.0),
                object: o.object as u32,
            };
            world.reports.add(key, false, || {
                let info = &p.objects[o.object];
                let mut access = Access {
                    op: if p.sites[o.site.0 as usize].atomic { "atomic" } else { "read" }.to_string(),
                    thread: Some(p.thread_at(block, pending.thread)),
                    block: p.block_at(block),
                    place: site_place(p.kernel, o.site),
                    value: None,
                    notes: Vec::new(),
                };
                let used = place(p.kernel, pending.used_at);
                if used.line != 0 && (used.line, &used.file) != (access.place.line, &access.place.file) {
                    access.notes.push(format!("the value is used at {}:{}:{}", used.file, used.line, used.column));
                }
                let message = format!(
                    "read of {} memory `{}`, which was never initialised",
                    info.space,
                    element(info, o.offset as i64)
                );
                let mut f = Finding::new(Kind::UninitialisedRead, message, vec![access]);
                f.memory = Some(memory(info, o.offset as i64, i64::from(o.size)));
                f.help = vec![
                    "shared memory starts with arbitrary contents: look at who should write the element, and which barrier should follow, before it is read".into(),
                ];
                f
            });
        }
    }
}
