//! The host's own hands on memory that work on the device may still use.
//!
//! Pinned and managed memory lies where the host has it. While an asynchronous copy into such memory, or a launch that writes
//! it, has not been waited for, its pages may not be touched; while it is only read, they may not be written. The machine
//! tells of who does so, the access is made all the same, and it is reported as a race: the host has waited for nothing. The
//! pages are free while a function of the runtime runs, and a function that a stream calls may use them. So may all from then
//! on, since it can have told any thread that the work before it is over.
//!
//! A page is guarded only where all that is on it is used: so nobody is stopped who uses other bytes, and a call of the
//! system that is given the page fails only in a program that races.
//!
//! What it can miss: pages that are used in part; memory that the program has registered; what kernels do to pinned
//! memory, and volatile accesses and atomics of kernels, since the host may look at flags; work of more than [`MOST_RANGES`]
//! ranges.
//! A program that handles such faults of the machine by itself gets them, where it races.

use std::ops::Range;

use super::{Deed, Home, Work};
use crate::device::Device;
use crate::memory::Use;
use crate::site::Site;

const PAGE: u64 = 4096;
const MOST_RANGES: usize = 64;
/// The latest pieces of work that are looked at.
const MOST_WORK: usize = 64;

/// Pages that are guarded now: addresses.
#[derive(Default)]
pub(crate) struct Guards {
    pages: Vec<Range<u64>>,
    /// Functions of the host that a stream calls are running.
    pub callbacks: usize,
}

impl Guards {
    /// Whether there is a guard at an address.
    pub(crate) fn has(&self, address: u64) -> bool {
        self.pages.iter().any(|pages| pages.contains(&address))
    }
}

fn protect(pages: &Range<u64>, how: i32) {
    let at = std::ptr::with_exposed_provenance_mut(pages.start as usize);
    // SAFETY: pages of an allocation that this library has mapped, and that is not freed. Who touches them is stopped, and
    // goes on when they are free again.
    unsafe { libc::mprotect(at, (pages.end - pages.start) as usize, how) };
}

/// Ranges in order, and joined where they meet.
fn joined(mut ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    ranges.sort_by_key(|r| r.start);
    let mut out: Vec<Range<u64>> = Vec::new();
    for range in ranges {
        match out.last_mut() {
            Some(last) if last.end >= range.start => last.end = last.end.max(range.end),
            _ => out.push(range),
        }
    }
    out
}

/// The pages of an allocation that are used as a whole: offsets.
fn whole_pages(ranges: Vec<Range<u64>>, size: u64) -> Vec<Range<u64>> {
    let page = |r: Range<u64>| {
        let from = r.start.next_multiple_of(PAGE);
        // Behind the end of the allocation there is nothing.
        let to = if r.end >= size { size.next_multiple_of(PAGE) } else { r.end / PAGE * PAGE };
        (from < to).then_some(from..to)
    };
    joined(ranges).into_iter().filter_map(page).collect()
}

/// What of a piece of work keeps the host away from an allocation: `writes`, or reads.
fn ranges(work: &Work, slot: usize, used: Use, writes: bool) -> Vec<Range<u64>> {
    let is_launch = work.launch.is_some();
    let deed = if writes { Deed::Write } else { Deed::Read };
    // The host may look at flags that a kernel writes.
    let counts = !(is_launch && used == Use::Pinned);
    let uses = work.uses.iter().filter(|u| u.home == Home::Slot(slot) && u.deed == deed && counts);
    let few = uses.filter(|u| u.ranges.len() <= MOST_RANGES);
    few.flat_map(|u| u.ranges.iter().cloned()).collect()
}

impl Device {
    /// Allocations that the host has at their addresses and that work uses: slot, use, size.
    fn shared_memory(&self) -> Vec<(usize, Use, u64)> {
        let mut slots: Vec<usize> = Vec::new();
        for work in self.order.pending().iter().rev().take(MOST_WORK) {
            for home in work.uses.iter().map(|u| u.home) {
                if let Home::Slot(slot) = home
                    && !slots.contains(&slot)
                {
                    slots.push(slot);
                }
            }
        }
        let of = |slot: usize| {
            let a = self.memory.get(slot).filter(|a| a.freed.is_none())?;
            let is_shared =
                matches!(a.used, Use::Pinned | Use::Managed) && a.is_at_its_address(slot);
            is_shared.then_some((slot, a.used, a.size))
        };
        slots.into_iter().filter_map(of).collect()
    }

    /// Guards what the host must not touch now.
    pub(crate) fn guard_memory(&mut self) {
        self.unguard_memory();
        if !self.is_checked() || self.guards.callbacks > 0 || self.order.pending().is_empty() {
            return;
        }
        let mut guards: Vec<Range<u64>> = Vec::new();
        for (slot, used, size) in self.shared_memory() {
            let start = lockstep_simulate::Resident::address(slot);
            let latest = || self.order.pending().iter().rev().take(MOST_WORK).filter(|w| !w.told);
            let of = |writes| latest().flat_map(|w| ranges(w, slot, used, writes)).collect();
            let pages = |ranges| {
                let pages = whole_pages(ranges, size).into_iter();
                pages.map(|p| start + p.start..start + p.end).collect::<Vec<_>>()
            };
            // What is written is guarded last, and so for good.
            for (ranges, how) in [(of(false), libc::PROT_READ), (of(true), libc::PROT_NONE)] {
                for pages in pages(ranges) {
                    protect(&pages, how);
                    guards.push(pages);
                }
            }
        }
        self.guards.pages = guards;
    }

    /// Nothing is guarded while the runtime works.
    pub(crate) fn unguard_memory(&mut self) {
        for pages in std::mem::take(&mut self.guards.pages) {
            protect(&pages, libc::PROT_READ | libc::PROT_WRITE);
        }
    }

    /// The host touches memory that is guarded: from now on it may, and the race is reported.
    pub(crate) fn touched_by_host(&mut self, address: u64, writes: bool, site: &Site) {
        self.unguard_memory();
        let Some(spot) = self.memory.find(address) else { return };
        let Some(used) = self.memory.get(spot.slot).map(|a| a.used) else { return };
        let offset = spot.offset as u64;
        let has = |work: &Work, by_writes: bool| {
            ranges(work, spot.slot, used, by_writes).iter().any(|r| r.contains(&offset))
        };
        let pending = self.order.pending().iter().rev().take(MOST_WORK);
        let mut untold = pending.filter(|w| !w.told);
        let first = untold.find(|w| has(w, true) || writes && has(w, false));
        let Some(first) = first.cloned() else { return };
        let is_written = has(&first, true);
        let home = Home::Slot(spot.slot);
        let verb = if writes { "writes" } else { "reads" };
        let message = format!(
            "data race with the host: the host {verb} byte {offset} of {}, which {} {}, and has not waited for it",
            self.memory_named(home),
            first.name,
            if is_written { "writes" } else { "reads" },
        );
        let help = "wait before the host touches the memory: cudaStreamSynchronize, cudaEventSynchronize or cudaDeviceSynchronize";
        let host = Work { site: site.clone(), ..Work::default() };
        let first = Work { uses: Vec::new(), ..first };
        let at = Some((home, offset..offset + 1));
        self.report_race([&host, &first], message, help, at);
    }
}

#[cfg(test)]
mod tests {
    use super::whole_pages;

    #[test]
    fn pages_that_are_used_as_a_whole() {
        let whole = |ranges: &[(u64, u64)], size: u64| -> Vec<(u64, u64)> {
            let ranges = ranges.iter().map(|&(from, to)| from..to).collect();
            whole_pages(ranges, size).into_iter().map(|p| (p.start, p.end)).collect()
        };
        assert_eq!(whole(&[(0, 100)], 100), [(0, 4096)]);
        assert_eq!(whole(&[(0, 100)], 101), []);
        assert_eq!(whole(&[(4000, 9000), (9000, 13_000)], 20_000), [(4096, 12_288)]);
        assert_eq!(whole(&[(0, 5000)], 5000), [(0, 8192)]);
    }
}
