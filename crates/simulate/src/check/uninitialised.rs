//! Reads of uninitialised memory: shared memory, and global memory that outlives the launch.
//!
//! Memory keeps a bit per byte: written or not. Loading unwritten bytes is not yet an error: the loaded lanes
//! are *poisoned*, copies propagate the poison (moves, selections, casts, stores), and the first operation that
//! computes, branches or addresses with a poisoned value, or stores it to global memory, is the use that is reported,
//! at the load. If a write to the same bytes turns out to be unordered with the read, the read was only too early: that
//! is reported as a race, and not here.
//!
//! After a failed assertion nothing is reported: the missing values are those that the failed threads would have
//! written.
//!
//! As long as no unwritten bytes were loaded, nothing is tracked.
//!
//! Global memory is initialised by the launch, unless it outlives the launch ([`crate::launch::resident`]): then its bits
//! do, too. Poison that came from such memory may be copied to other such memory, as padding of structs is. A use is only
//! reported when the launch has ended: a write by another block, which nothing orders with the read, makes it a race.
//!
//! What it can miss: poison stored to private memory is treated as initialised; private memory is not tracked; of many
//! uses of global memory at one place, some.

use lockstep_finding::{Access, Action, Finding, Kind, Place};
use lockstep_kernel::{LocId, SiteId, Space};
use rustc_hash::FxHashMap;

use crate::check::describe::{element, memory, place, site_place};
use crate::check::global_values::GlobalValues;
use crate::check::report::{Key, Reports};
use crate::code::lanes::Alu;
use crate::code::program::Program;
use crate::code::registers::{CONSTANT, LANES, Slot, lanes_of, units};
use crate::launch::written::WrittenBits;
use crate::machine::observe::{AccessKind, At, Event, Transfer};

/// The load that a poisoned value came from.
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

    /// Sets the poison of the lanes of `mask` to `poisoned`, with their origins.
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

/// A use that is reported unless a race explains it.
#[derive(Clone, Copy)]
pub(crate) struct Pending {
    pub origin: Origin,
    pub thread: u32,
    pub used_at: LocId,
}

/// Maximum number of uses of one block that are kept: a defect of a whole block shows in a few threads.
const MOST_PENDING: usize = 4096;

/// The same of uses of global memory; and of those of one place that are kept until the launch ends.
const MOST_GLOBAL: usize = 64;
const MOST_OF_PLACE: usize = 8;

/// The uninitialised bytes of one block, and the origins of poisoned values.
pub(crate) struct Uninitialised {
    /// By object of shared memory.
    init: Vec<Option<WrittenBits>>,
    /// By warp.
    poison: Vec<Poison>,
    pub pending: Vec<Pending>,
    /// An assertion has failed: the values that its thread would have written are missing.
    failed: bool,
    /// How many of those that are pending are of global memory.
    globals: usize,
}

/// A use by a block that has ended.
pub(crate) struct Left {
    pub block: u32,
    pub pending: Pending,
}

impl Uninitialised {
    pub(crate) fn new(p: &Program) -> Uninitialised {
        let bits = p.objects.iter();
        let init = bits.map(|o| (o.space == Space::Shared).then(|| WrittenBits::new(o.size)));
        Uninitialised {
            init: init.collect(),
            poison: (0..p.warps).map(|_| Poison::default()).collect(),
            pending: Vec::new(),
            failed: false,
            globals: 0,
        }
    }

    /// The bytes of an object, if some may have no value.
    #[inline(always)]
    fn bits<'a>(
        init: &'a mut [Option<WrittenBits>],
        global: &'a mut GlobalValues,
        object: usize,
    ) -> Option<&'a mut WrittenBits> {
        match &mut init[object] {
            Some(bits) => Some(bits),
            None => global.get(object),
        }
    }

    pub(crate) fn start(&mut self, p: &Program) {
        for (o, bits) in p.objects.iter().zip(&mut self.init) {
            if let Some(bits) = bits {
                bits.clear();
                bits.set(0, o.init.as_ref().map_or(0, |init| init.len() as u64).min(o.size));
            }
        }
        self.poison.iter_mut().for_each(Poison::clear);
        self.pending.clear();
        self.failed = false;
        self.globals = 0;
    }

    pub(crate) fn assertion_failed(&mut self) {
        self.failed = true;
    }

    #[inline(always)]
    pub(crate) fn is_live(&self, warp: usize) -> bool {
        self.poison[warp].live
    }

    /// Lanes that store to unwritten memory: there is no previous value that the store could repeat.
    #[inline(always)]
    pub(crate) fn fresh(&mut self, global: &mut GlobalValues, e: &Event) -> u32 {
        match Self::bits(&mut self.init, global, e.object) {
            Some(bits) if e.kind == AccessKind::Write && !bits.complete() => lanes_of(e.mask)
                .filter(|l| !bits.all(e.offsets[*l], u64::from(e.size)))
                .fold(0, |m, l| m | 1 << l),
            _ => 0,
        }
    }

    pub(crate) fn computes(
        &mut self,
        reports: &mut Reports,
        at: &At,
        mask: u32,
        op: &Alu,
        loc: LocId,
    ) {
        let p = &mut self.poison[at.warp];
        if (p.get(op.a) | p.get(op.b) | p.get(op.c)) & mask == 0 {
            p.wash(op.d, mask);
        } else if op.selects {
            let chosen = at.regs.bits(op.a) & mask;
            self.decides(reports, at, mask, op.a, loc);
            let p = &mut self.poison[at.warp];
            p.copy(op.d, op.b, chosen);
            p.copy(op.d, op.c, mask & !chosen);
        } else if op.copies {
            p.copy(op.d, op.a, mask);
        } else {
            self.uses(reports, at, mask, &[op.a, op.b, op.c], Some(op.d), loc);
        }
    }

    /// An operation uses the values of some registers.
    pub(crate) fn uses(
        &mut self,
        reports: &mut Reports,
        at: &At,
        mask: u32,
        slots: &[Slot],
        result: Option<Slot>,
        loc: LocId,
    ) {
        slots.iter().for_each(|s| self.decides(reports, at, mask, *s, loc));
        if let Some(d) = result {
            self.poison[at.warp].wash(d, mask);
        }
    }

    pub(crate) fn moves(&mut self, warp: usize, mask: u32, to: Slot, from: Slot) {
        self.poison[warp].copy(to, from, mask);
    }

    /// The value of `s` affects control flow or an address.
    fn decides(&mut self, reports: &mut Reports, at: &At, mask: u32, s: Slot, loc: LocId) {
        let used = self.poison[at.warp].get(s) & mask;
        if used == 0 {
            return;
        }
        reports.note(Kind::UninitialisedRead);
        for l in lanes_of(used) {
            if let Some(origin) = self.poison[at.warp].origin(s, l) {
                let thread = at.first_thread + l as u32;
                self.add(at.program, Pending { origin, thread, used_at: loc });
            }
        }
        // Reported only once.
        self.poison[at.warp].wash(s, used);
    }

    fn add(&mut self, p: &Program, pending: Pending) {
        let is_global = is_global(p, pending.origin.object);
        // A failed assertion ends the whole launch: no thread would have got here without what others were to write.
        let is_full =
            self.pending.len() >= MOST_PENDING || is_global && self.globals >= MOST_GLOBAL;
        if !self.failed && !is_full {
            self.globals += usize::from(is_global);
            self.pending.push(pending);
        }
    }

    /// Poisons the lanes that load unwritten bytes.
    #[inline(always)]
    pub(crate) fn loaded(
        &mut self,
        global: &mut GlobalValues,
        clock: u32,
        at: &At,
        t: &Transfer,
        first: Slot,
        count: u8,
    ) {
        let poison = &mut self.poison[at.warp];
        let Some(bits) = Self::bits(&mut self.init, global, t.object) else {
            if poison.live {
                for k in 0..u32::from(count) {
                    poison.wash(first.plus(k * units(t.ty)), t.mask);
                }
            }
            return;
        };
        let live = poison.live;
        if bits.complete() && !live {
            return;
        }
        let bytes = u64::from(t.ty.bytes());
        if !live && t.contiguous && bits.all(t.offsets[0], bytes * u64::from(count) * LANES as u64)
        {
            return;
        }
        for k in 0..u32::from(count) {
            let mut poisoned = 0u32;
            for l in lanes_of(t.mask) {
                let at = t.offsets[l] + u64::from(k) * bytes;
                poisoned |= u32::from(!bits.all(at, bytes)) << l;
            }
            if poisoned != 0 || live {
                let (site, object, offsets) = (t.site, t.object, t.offsets);
                poison.put(first.plus(k * units(t.ty)), t.mask, poisoned, |l| Origin {
                    site,
                    object,
                    offset: offsets[l] + u64::from(k) * bytes,
                    size: bytes as u32,
                    clock,
                });
            }
        }
    }

    /// A value that is stored to global memory counts as used, unless it is copied within such memory.
    #[inline(always)]
    pub(crate) fn stores(&mut self, reports: &mut Reports, at: &At, t: &Transfer, values: &[Slot]) {
        if self.poison[at.warp].live && t.space == Space::Global {
            let loc = at.program.kernel.site(t.site).loc;
            let copied = self.copied(at, t, values);
            self.uses(reports, at, t.mask & !copied, values, None, loc);
        }
    }

    /// Lanes that store to memory that outlives the launch what they have read from such memory.
    fn copied(&self, at: &At, t: &Transfer, values: &[Slot]) -> u32 {
        if at.program.resident.is_none() {
            return 0;
        }
        let poison = &self.poison[at.warp];
        let from_global = |slot: &Slot, l: usize| {
            let origin = poison.origin(*slot, l);
            origin.is_none_or(|o| is_global(at.program, o.object))
        };
        lanes_of(t.mask)
            .filter(|&l| values.iter().all(|s| poison.get(*s) >> l & 1 == 0 || from_global(s, l)))
            .fold(0, |m, l| m | 1 << l)
    }

    #[inline(always)]
    pub(crate) fn stored(
        &mut self,
        global: &mut GlobalValues,
        at: &At,
        t: &Transfer,
        values: &[Slot],
    ) {
        let poison = &self.poison[at.warp];
        let loses = poison.live && values.iter().any(|s| poison.get(*s) & t.mask != 0);
        let bits = match &mut self.init[t.object] {
            Some(bits) => Some(bits),
            None if loses => global.open(t.object),
            None => global.get(t.object),
        };
        let Some(bits) = bits else { return };
        if bits.complete() && !poison.live {
            return;
        }
        let bytes = u64::from(t.ty.bytes());
        if t.contiguous && !poison.live {
            bits.set(t.offsets[0], bytes * values.len() as u64 * LANES as u64);
            return;
        }
        for (k, slot) in values.iter().enumerate() {
            let poisoned = if poison.live { poison.get(*slot) } else { 0 };
            for l in lanes_of(t.mask) {
                let at = t.offsets[l] + k as u64 * bytes;
                if poisoned >> l & 1 == 1 {
                    bits.unset(at, bytes);
                } else {
                    bits.set(at, bytes);
                }
            }
        }
    }

    /// An atomic uses the value that it reads.
    pub(crate) fn atomic(
        &mut self,
        global: &mut GlobalValues,
        reports: &mut Reports,
        clock: u32,
        at: &At,
        t: &Transfer,
    ) {
        let size = t.ty.bytes();
        for l in lanes_of(t.mask) {
            let Some(bits) = Self::bits(&mut self.init, global, t.object) else { return };
            if bits.complete() || bits.all(t.offsets[l], u64::from(size)) {
                continue;
            }
            // One report for each location: its first atomic.
            bits.set(t.offsets[l], u64::from(size));
            reports.note(Kind::UninitialisedRead);
            let (site, object, offset) = (t.site, t.object, t.offsets[l]);
            let origin = Origin { site, object, offset, size, clock };
            let thread = at.first_thread + l as u32;
            let used_at = at.program.kernel.site(t.site).loc;
            self.add(at.program, Pending { origin, thread, used_at });
        }
    }

    pub(crate) fn written(
        &mut self,
        global: &mut GlobalValues,
        object: usize,
        offset: u64,
        len: u64,
    ) {
        if let Some(bits) = Self::bits(&mut self.init, global, object) {
            bits.set(offset, len);
        }
    }

    /// The block has ended: reports the uses that no race explained, and keeps those of global memory.
    pub(crate) fn finish(
        &mut self,
        reports: &mut Reports,
        left: &mut Vec<Left>,
        p: &Program,
        block: u32,
    ) {
        for pending in std::mem::take(&mut self.pending) {
            if !is_global(p, pending.origin.object) {
                report(reports, p, block, pending);
                continue;
            }
            let same = |l: &&Left| l.pending.origin.site == pending.origin.site;
            if left.iter().filter(same).count() < MOST_OF_PLACE {
                left.push(Left { block, pending });
            }
        }
    }
}

fn is_global(p: &Program, object: usize) -> bool {
    p.objects[object].space != Space::Shared
}

/// Reports a use that no race explained.
pub(crate) fn report(reports: &mut Reports, p: &Program, block: u32, pending: Pending) {
    let o = pending.origin;
    let key = Key {
        kind: Kind::UninitialisedRead,
        places: p.places(o.site.0, o.site.0),
        object: o.object as u32,
    };
    reports.add(key, false, || {
        let info = &p.objects[o.object];
        let mut access = Access {
            op: if p.sites[o.site.0 as usize].atomic { Action::Atomic } else { Action::Read },
            thread: Some(p.thread_at(block, pending.thread)),
            block: p.block_at(block),
            place: site_place(p.kernel, o.site),
            value: None,
            notes: Vec::new(),
        };
        let used = place(p.kernel, pending.used_at);
        if used.line != 0 && (used.line, &used.file) != (access.place.line, &access.place.file) {
            let Place { file, line, column, .. } = used;
            access.notes.push(format!("the value is used at {file}:{line}:{column}"));
        }
        let message = format!(
            "read of {} memory `{}`, which was never initialised",
            info.space,
            element(info, o.offset as i64)
        );
        let mut f = Finding::new(Kind::UninitialisedRead, message, vec![access]);
        f.memory = Some(memory(info, o.offset as i64, i64::from(o.size)));
        f.help = vec![if is_global(p, o.object) { OF_GLOBAL } else { OF_SHARED }.into()];
        f
    });
}

const OF_SHARED: &str = "shared memory starts with arbitrary contents: look at who should write the element, and which barrier should follow, before it is read";
const OF_GLOBAL: &str = "device memory starts with arbitrary contents: fill it (cudaMemset, a copy, a kernel) before it is read";
