//! Faults that the machine itself detects: accesses out of bounds, invalid frees, barrier divergence, failed
//! assertions, deadlocks.
//!
//! The machine reports each ([`Fault`]) and continues if it can; this check turns them into findings. It keeps no state
//! for a block and does nothing for a correct access.

use lockstep_finding::{Access, Action, Finding, Kind, Severity};
use lockstep_kernel::{Language, LocId, SiteId};

use crate::check::describe::{access, element, memory, place, site_place, triple};
use crate::check::report::{Key, Reports};
use crate::check::{Check, Mode};
use crate::code::program::Program;
use crate::launch::layout::{NULL_OBJECT, ObjectInfo};
use crate::launch::resident::Resident;
use crate::machine::fault::{Deadlock, Fault, Freed};
use crate::machine::observe::{At, Observer};

const NAME_FEWER: &str = "name in the mask only the lanes that reach this operation together";

pub(crate) struct Faults {
    reports: Reports,
}

impl Check for Faults {
    fn new(program: &Program, mode: Mode) -> Faults {
        Faults { reports: Reports::new(mode == Mode::Probe, &program.config.kinds) }
    }

    fn reports(self) -> Reports {
        self.reports
    }
}

impl Observer for Faults {
    type Block = ();

    fn new_block(&mut self, _: &Program) {}

    #[inline(always)]
    fn is_done(&self) -> bool {
        self.reports.is_done()
    }

    #[cold]
    fn fault(&mut self, (): &mut (), at: &At, fault: &Fault) {
        let here = Here { p: at.program, block: at.block, reports: &mut self.reports };
        here.fault(fault);
    }

    #[cold]
    fn deadlock(&mut self, p: &Program, deadlock: &Deadlock) {
        let Deadlock { first, other, at_grid_barrier } = *deadlock;
        let places = [first.1.0, other.map_or(first.1.0, |o| o.1.0)];
        let key = Key { kind: Kind::Deadlock, places, object: 0 };
        self.reports.add(key, false, || {
            let wait = |(block, loc, thread): (u32, LocId, u32)| {
                plain_access(p, Action::Wait, (block, thread), loc)
            };
            let accesses = [first].into_iter().chain(other).map(wait).collect();
            let message = format!(
                "deadlock: thread {} of block {} waits for something that no thread will do",
                triple(p.thread_at(first.0, first.2)),
                triple(p.block_at(first.0))
            );
            let help = if at_grid_barrier {
                "every block must reach the grid barrier the same number of times"
            } else if p.lockstep {
                "under lock-step scheduling a lane cannot run while others of its warp spin"
            } else {
                "the value that the loop waits for is never stored: check who sets it, and when"
            };
            finding(Kind::Deadlock, message, accesses, help)
        });
    }
}

fn finding(kind: Kind, message: String, accesses: Vec<Access>, help: &str) -> Finding {
    let mut f = Finding::new(kind, message, accesses);
    f.help = vec![help.to_string()];
    f
}

/// An access of a thread at a source location.
fn plain_access(p: &Program, op: Action, (block, thread): (u32, u32), loc: LocId) -> Access {
    Access {
        op,
        thread: Some(p.thread_at(block, thread)),
        block: p.block_at(block),
        place: place(p.kernel, loc),
        value: None,
        notes: Vec::new(),
    }
}

fn free_access(p: &Program, f: Freed) -> Access {
    plain_access(p, Action::Free, (f.block, f.thread), f.loc)
}

fn access_op(p: &Program, site: SiteId) -> Action {
    let s = p.sites[site.0 as usize];
    match () {
        () if s.atomic => Action::Atomic,
        () if s.writes => Action::Write,
        () => Action::Read,
    }
}

/// An access to no object.
fn nowhere(p: &Program, op: Action, address: u64, size: u64, accesses: Vec<Access>) -> Finding {
    if address < 4096 {
        let message = format!("{op} of {size} bytes through a null pointer");
        return Finding::new(Kind::OutOfBounds, message, accesses);
    }
    let device = Resident::range();
    let is_host = p.resident.is_some() && !device.contains(&address) && address < 1 << 47;
    if is_host {
        let message =
            format!("{op} of {size} bytes at an address that is none of the device's memory");
        let help = "a pointer to the host's memory means nothing to a kernel: copy the data to memory of the device, and pass that pointer";
        return finding(Kind::OutOfBounds, message, accesses, help);
    }
    let message = format!("{op} of {size} bytes at {address:#x}, which is in no object");
    Finding::new(Kind::OutOfBounds, message, accesses)
}

/// A block in which a fault occurs.
struct Here<'a, 'k> {
    p: &'a Program<'k>,
    block: u32,
    reports: &'a mut Reports,
}

impl Here<'_, '_> {
    fn fault(self, fault: &Fault) {
        match *fault {
            Fault::OutOfBounds { site, thread, size, freed: Some(freed), .. } => {
                self.use_after_free(site, thread, size, freed);
            }
            Fault::OutOfBounds { site, thread, address, size, object_size, freed: None } => {
                self.out_of_bounds(site, thread, address, size, object_size);
            }
            Fault::Misaligned { site, thread, address, size, align } => {
                self.misaligned(site, thread, address, size, align);
            }
            Fault::FreedTwice { now, before } => {
                self.wrong_free(now, Some(before), "a heap block is freed twice");
            }
            Fault::NotAllocated { now } => {
                self.wrong_free(now, None, "free of a pointer that malloc did not give");
            }
            Fault::Assertion { loc, thread, message } => self.assertion(loc, thread, message),
            Fault::NotInMask { site, thread, mask } => self.not_in_mask(site, thread, mask),
            Fault::LaneElsewhere { loc, thread, mask, absent, elsewhere } => {
                let message = format!(
                    "thread waits for the lanes of mask {mask:#010x}, of which thread {} never comes",
                    self.name(absent)
                );
                let other = elsewhere.map(|l| (l, absent));
                self.divergence((loc, thread), other, message, NAME_FEWER);
            }
            Fault::LaneReturned { loc, thread, mask, absent } => {
                let message = format!(
                    "thread {} names the lanes of mask {mask:#010x}, of which thread {} never comes",
                    self.name(thread),
                    self.name(absent)
                );
                self.divergence((loc, thread), None, message, NAME_FEWER);
            }
            Fault::DifferentBarriers { first, second } => {
                let message = format!(
                    "threads {} and {} of a block wait at different barriers",
                    self.name(first.1),
                    self.name(second.1)
                );
                let help = "every thread of the block must reach the same barrier: look at whether it can stand outside the divergent branch or loop";
                self.divergence(first, Some(second), message, help);
            }
            Fault::TooFewThreads { loc, thread, barrier, needed, here } => {
                let message = format!(
                    "barrier {barrier} waits for {needed} threads, but only {here} ever come"
                );
                let help =
                    "the thread count of a named barrier must match the threads that arrive at it";
                self.divergence((loc, thread), None, message, help);
            }
            Fault::NeverOpens { loc, thread, barrier } => {
                let message =
                    format!("barrier {barrier} waits for threads that never arrive at it");
                let help = "every thread of the group must arrive before any can go on";
                self.divergence((loc, thread), None, message, help);
            }
            Fault::Returned { site, thread, returned, branch } => {
                self.returned(site, thread, returned, branch);
            }
            Fault::PartialGroupCopy { site, executed, threads } => {
                self.partial_group_copy(site, executed, threads);
            }
            Fault::NoProxyFence { stored, copied } => self.no_proxy_fence(stored, copied),
            Fault::CopyUnderWay { site, thread } => self.copy_under_way(site, thread),
        }
    }

    fn name(&self, thread: u32) -> String {
        triple(self.p.thread_at(self.block, thread))
    }

    fn out_of_bounds(self, site: SiteId, thread: u32, address: u64, size: u64, bytes: u64) {
        let p = self.p;
        let object = p.addresses.object_of(address);
        let known = (object != NULL_OBJECT).then(|| p.objects.get(object)).flatten();
        // Not every number has an object where memory outlives the launch.
        let known = known.filter(|o| p.resident.is_none() || o.size > 0 || o.resident.is_some());
        if let Some(freed) = known.and_then(|o| o.resident.as_ref()?.freed.as_ref()) {
            return self.use_of_freed(site, thread, size, &p.objects[object], freed);
        }
        let key = Key {
            kind: Kind::OutOfBounds,
            places: p.places(site.0, site.0),
            object: if known.is_some() { object as u32 } else { 0 },
        };
        self.reports.add(key, false, || {
            let op = access_op(p, site);
            let accesses = vec![access(p, self.block, site, thread)];
            let Some(info) = known else {
                return nowhere(p, op, address, size, accesses);
            };
            let offset = address.wrapping_sub(p.addresses.origin(object)) as i64;
            let elements = bytes / u64::from(info.elem.size().max(1));
            let message = format!(
                "{op} of {size} bytes at `{}`, out of bounds of {} memory `{}` of {elements} elements ({bytes} bytes)",
                element(info, offset),
                info.space,
                info.name,
            );
            let help = if offset < 0 {
                "the index is negative for this thread: guard the access".to_string()
            } else {
                let needed = offset + size as i64;
                format!("guard the access, or make `{}` at least {needed} bytes", info.name)
            };
            let mut f = finding(Kind::OutOfBounds, message, accesses, &help);
            f.memory = Some(memory(info, offset, size as i64));
            f
        });
    }

    fn use_of_freed(self, site: SiteId, thread: u32, size: u64, info: &ObjectInfo, freed: &str) {
        let p = self.p;
        let key = Key { kind: Kind::UseAfterFree, places: p.places(site.0, site.0), object: 2 };
        self.reports.add(key, false, || {
            let op = access_op(p, site);
            let message =
                format!("{op} of {size} bytes of `{}`, which was freed before: {freed}", info.name);
            let accesses = vec![access(p, self.block, site, thread)];
            let help = "free the memory only after the last launch that uses it has ended";
            finding(Kind::UseAfterFree, message, accesses, help)
        });
    }

    fn use_after_free(self, site: SiteId, thread: u32, size: u64, freed: Freed) {
        let p = self.p;
        let key = Key { kind: Kind::UseAfterFree, places: p.places(site.0, site.0), object: 0 };
        self.reports.add(key, false, || {
            let op = access_op(p, site);
            let message = format!("{op} of {size} bytes of a heap block that was freed");
            let accesses = vec![access(p, self.block, site, thread), free_access(p, freed)];
            let help = "free the block only after its last use: look at whether a barrier should order the two between threads";
            finding(Kind::UseAfterFree, message, accesses, help)
        });
    }

    fn misaligned(self, site: SiteId, thread: u32, address: u64, size: u64, align: u64) {
        let p = self.p;
        let object = p.addresses.object_of(address);
        let places = p.places(site.0, site.0);
        let key = Key { kind: Kind::Misaligned, places, object: object as u32 };
        self.reports.add(key, false, || {
            let info = &p.objects[object];
            let offset = address.wrapping_sub(p.addresses.origin(object)) as i64;
            let message = format!(
                "{} of {size} bytes at byte {offset} of `{}`, which is not a multiple of {align}",
                access_op(p, site),
                info.name
            );
            let accesses = vec![access(p, self.block, site, thread)];
            let help = format!("an access of this type must start at a multiple of {align} bytes");
            let mut f = finding(Kind::Misaligned, message, accesses, &help);
            f.memory = Some(memory(info, offset, size as i64));
            f
        });
    }

    fn wrong_free(self, now: Freed, before: Option<Freed>, message: &str) {
        let places = [now.loc.0, before.map_or(now.loc.0, |b| b.loc.0)];
        let key = Key { kind: Kind::UseAfterFree, places, object: 1 };
        self.reports.add(key, false, || {
            let frees = [now].into_iter().chain(before);
            let accesses = frees.map(|f| free_access(self.p, f)).collect();
            let help = "free each block once, with the pointer that malloc gave";
            finding(Kind::UseAfterFree, message.to_string(), accesses, help)
        });
    }

    fn assertion(self, loc: LocId, thread: u32, message: &str) {
        let key = Key { kind: Kind::Assertion, places: [loc.0, loc.0], object: 0 };
        self.reports.add(key, false, || {
            let text = match message {
                "" => "assertion failed".into(),
                _ => format!("assertion failed: {message}"),
            };
            let accesses = vec![plain_access(self.p, Action::Assert, (self.block, thread), loc)];
            let help = "the launch above makes the condition false for this thread";
            finding(Kind::Assertion, text, accesses, help)
        });
    }

    fn not_in_mask(self, site: SiteId, thread: u32, mask: u32) {
        let key = Key { kind: Kind::BarrierDivergence, places: [site.0, site.0], object: 1 };
        self.reports.add(key, false, || {
            let loc = self.p.kernel.site(site).loc;
            let accesses = vec![plain_access(self.p, Action::Barrier, (self.block, thread), loc)];
            let message =
                format!("the mask {mask:#010x} does not name the thread that waits with it");
            let help = "each thread that calls __syncwarp must be in its mask";
            finding(Kind::BarrierDivergence, message, accesses, help)
        });
    }

    /// A thread waits at one place, and another one elsewhere.
    fn divergence(
        self,
        first: (LocId, u32),
        other: Option<(LocId, u32)>,
        message: String,
        help: &str,
    ) {
        let places = [first.0.0, other.map_or(first.0.0, |o| o.0.0)];
        let key = Key { kind: Kind::BarrierDivergence, places, object: 2 };
        self.reports.add(key, false, || {
            let waits =
                |(loc, thread)| plain_access(self.p, Action::Barrier, (self.block, thread), loc);
            let accesses = [first].into_iter().chain(other).map(waits).collect();
            finding(Kind::BarrierDivergence, message, accesses, help)
        });
    }

    fn returned(self, site: SiteId, thread: u32, returned: u32, branch: LocId) {
        let p = self.p;
        let key = Key { kind: Kind::BarrierDivergence, places: [site.0, site.0], object: 0 };
        let (waits, left) = (self.name(thread), self.name(returned));
        self.reports.add(key, false, || {
            let loc = p.kernel.site(site).loc;
            let accesses = vec![
                plain_access(p, Action::Barrier, (self.block, thread), loc),
                plain_access(p, Action::Exit, (self.block, returned), branch),
            ];
            let message = format!(
                "thread {waits} waits at a barrier that thread {left} of its block never reaches: it has returned"
            );
            let help = "all threads of the block should reach the barrier: look at whether the work can be guarded, and not the way to the barrier";
            let mut f = finding(Kind::BarrierDivergence, message, accesses, help);
            if p.kernel.language != Language::OpenCl && !p.lockstep {
                f.severity = Severity::Warning;
            }
            f
        });
    }

    fn no_proxy_fence(self, stored: (SiteId, u32), copied: (SiteId, u32)) {
        let p = self.p;
        let places = p.places(stored.0.0, copied.0.0);
        let key = Key { kind: Kind::MissingFence, places, object: 1 };
        self.reports.add(key, false, || {
            let accesses =
                vec![access(p, self.block, stored.0, stored.1), access(p, self.block, copied.0, copied.1)];
            let message = "missing proxy fence: a bulk copy accesses shared memory in another way than the thread that has stored there";
            let help = "put fence.proxy.async (cuda::ptx::fence_proxy_async) behind the store, before the barrier that the copy comes after";
            finding(Kind::MissingFence, message.to_string(), accesses, help)
        });
    }

    fn copy_under_way(self, site: SiteId, thread: u32) {
        let p = self.p;
        let key = Key { kind: Kind::UseAfterFree, places: p.places(site.0, site.0), object: 3 };
        self.reports.add(key, false, || {
            let accesses = vec![access(p, self.block, site, thread)];
            let message = "the block ends while a bulk copy may still read its shared memory";
            let help =
                "wait for the copy before the thread returns: cp.async.bulk.wait_group.read 0";
            finding(Kind::UseAfterFree, message.to_string(), accesses, help)
        });
    }

    fn partial_group_copy(self, site: SiteId, executed: u32, threads: u32) {
        let key = Key { kind: Kind::BarrierDivergence, places: [site.0, site.0], object: 3 };
        self.reports.add(key, false, || {
            let copy = Access {
                op: Action::Copy,
                thread: None,
                block: self.p.block_at(self.block),
                place: site_place(self.p.kernel, site),
                value: None,
                notes: Vec::new(),
            };
            let message = format!(
                "a group copy is executed by {executed} of the {threads} threads of a block"
            );
            let help = "every thread of the block must reach the same group copy: move it out of the divergent branch or loop";
            finding(Kind::BarrierDivergence, message, vec![copy], help)
        });
    }
}
