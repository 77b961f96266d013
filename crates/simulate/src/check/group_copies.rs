//! OpenCL's group copies, from where they begin to a wait for their events.
//!
//! A copy is made where the block's first living thread comes to it, by no thread in particular. But it may be made at
//! any time until a wait that has its event in its list: until then, no access after it is ordered behind it
//! ([`crate::check::race`]). An event is a number that all threads of the block know: the copy's site, and how often the thread
//! has come to it; a copy that is given an event has that one.
//!
//! What it can miss: threads whose lists differ. The list of the first living thread counts.

use lockstep_kernel::{SiteId, Ty};
use rustc_hash::FxHashMap;

use crate::check::race::COPY_ENGINE;
use crate::code::decode::Rare;
use crate::code::lanes::{LANES, Slot};
use crate::machine::block::{BlockRun, World};

/// A longer list is taken for one of all events.
const MOST_EVENTS: u64 = 1 << 16;

/// The copies of one block that nobody has waited for.
pub(crate) struct GroupCopies {
    under_way: Vec<UnderWay>,
    /// When the oldest of them began: no barrier makes it the past.
    pub since: u32,
    /// How often each lane of a warp has come to a copy.
    begun: FxHashMap<(SiteId, usize), [u32; LANES]>,
    /// What the wait that runs now is for; all where that cannot be told.
    awaited: Option<Vec<u64>>,
}

struct UnderWay {
    event: u64,
    /// When it began and ended.
    times: (u32, u32),
}

impl Default for GroupCopies {
    fn default() -> GroupCopies {
        let begun = FxHashMap::default();
        GroupCopies { under_way: Vec::new(), since: u32::MAX, begun, awaited: None }
    }
}

impl GroupCopies {
    /// Whether a copy that was made at this time may not have been made yet.
    pub(crate) fn are_under_way(&self, at: u32) -> bool {
        self.under_way.iter().any(|c| (c.times.0..=c.times.1).contains(&at))
    }

    pub(crate) fn begin(&mut self, event: u64, times: (u32, u32)) {
        self.under_way.push(UnderWay { event, times });
        self.since = self.since.min(times.0);
    }

    /// The block's threads have all come to a wait.
    pub(crate) fn waited(&mut self) {
        match self.awaited.take() {
            Some(events) => self.under_way.retain(|c| !events.contains(&c.event)),
            None => self.under_way.clear(),
        }
        self.since = self.under_way.iter().map(|c| c.times.0).min().unwrap_or(u32::MAX);
    }

    /// The event of a lane that comes to a copy.
    fn event(&mut self, site: SiteId, w: usize, lane: usize, given: u64) -> u64 {
        let count = &mut self.begun.entry((site, w)).or_insert([0; LANES])[lane];
        *count += 1;
        match given {
            0 => (u64::from(site.0) + 1) << 32 | u64::from(*count),
            event => event,
        }
    }
}

impl BlockRun<'_, '_> {
    /// Whether these lanes have the block's first living thread among them, and which lane it is.
    fn first_of_block(&self, w: usize, mask: u32) -> Option<usize> {
        let lead = self.warps.iter().position(|warp| warp.alive != 0);
        let lane = self.warps[w].alive.trailing_zeros() as usize;
        (lead == Some(w) && mask >> lane & 1 == 1).then_some(lane)
    }

    /// Lanes come to a copy. It is made once for the block, by whoever is first.
    pub(crate) fn group_copy(&mut self, w: usize, mask: u32, r: &Rare, world: &mut World) {
        let Rare::GroupCopy {
            read,
            write,
            dst,
            src,
            count,
            size,
            dst_stride,
            src_stride,
            event,
            d,
        } = *r
        else {
            return;
        };
        *self.copies.entry(write).or_default() += mask.count_ones();
        let regs = self.regs(w);
        let mut events = [0; LANES];
        for l in (0..LANES).filter(|l| mask >> l & 1 == 1) {
            events[l] = self.races.copies.event(write, w, l, regs.w64(event)[l]);
        }
        if let Some(l) = self.first_of_block(w, mask) {
            let step = |stride: Slot| u64::from(size).wrapping_mul(regs.w64(stride)[l]);
            let (mut from, mut to) = (regs.w64(src)[l], regs.w64(dst)[l]);
            let (from_step, to_step) = (step(src_stride), step(dst_stride));
            let (races, mut ctx) = self.races(world);
            let began = races.copy_begins(&mut ctx);
            for _ in 0..regs.w64(count)[l] {
                let own = std::mem::replace(&mut self.warps[w].first_thread, COPY_ENGINE);
                let bytes = self.bulk_read(w, 0, from, u64::from(size), read, world);
                if let Some(bytes) = &bytes {
                    self.bulk_write(w, 0, to, bytes, write, world);
                }
                self.warps[w].first_thread = own;
                if bytes.is_none() {
                    break;
                }
                (from, to) = (from.wrapping_add(from_step), to.wrapping_add(to_step));
            }
            let (races, mut ctx) = self.races(world);
            races.copy_ends(&mut ctx, events[l], began);
        }
        if let Some(d) = d {
            for l in (0..LANES).filter(|l| mask >> l & 1 == 1) {
                regs.set_lane(d, Ty::Ptr, l, events[l]);
            }
        }
    }

    /// Lanes come to a wait for the events in a list.
    pub(crate) fn note_awaited(&mut self, w: usize, mask: u32, count: Slot, list: Slot) {
        let Some(lane) = self.first_of_block(w, mask) else { return };
        let regs = self.regs(w);
        let (count, mut addresses) = (regs.w64(count)[lane], [0; LANES]);
        addresses[lane] = regs.w64(list)[lane];
        self.races.copies.awaited = match count {
            0 => Some(Vec::new()),
            1..MOST_EVENTS => self.resolve_one(&addresses, 1 << lane, count * 8, 1).map(|t| {
                // SAFETY: in bounds.
                let bytes = unsafe { std::slice::from_raw_parts(t.at(lane), count as usize * 8) };
                let event = |b: &[u8]| b.try_into().map_or(0, u64::from_le_bytes);
                bytes.chunks_exact(8).map(event).collect()
            }),
            _ => None,
        };
    }
}
