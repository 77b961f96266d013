//! The one way to memory: every load, store, atomic and bulk copy of a warp.
//!
//! Addresses are resolved against the object that the pointer carries; lanes out
//! of its bounds are reported and take no part (they load zero and store nothing),
//! misaligned ones are reported and go on. What is left goes to the race checks as one event, then
//! to the bytes. A store buffer between a thread and memory would stand here.

use lockstep_finding::{Access, Finding, Kind};
use lockstep_kernel::{AtomicOp, SiteId, Space, Ty};

use crate::check::asynchronous_copies::Copy;
use crate::check::race::{AccessKind, Event};
use crate::check::report::{Key, access, element, memory};
use crate::check::uninitialised::{Origin, Pending};
use crate::code::decode::{AtomicStep, Rare};
use crate::code::lanes::{LANES, Slot, lane_mask, real_bits, real_value, units};
use crate::code::program::{NULL_OBJECT, object_of, origin};
use crate::machine::block::{BlockRun, Entry, World};
use crate::watch::hooks::{Seen, Watch};

/// What the full check between blocks costs, in steps, so that a budget of steps
/// means much the same time with and without it.
const FULL_CHECK_COST: u64 = 16;

/// The lanes of a warp access that lie in one object.
pub(crate) struct Target {
    object: usize,
    entry: Entry,
    mask: u32,
    offsets: [u64; LANES],
    /// Lanes right behind their lower neighbour.
    adjacent: u32,
    /// Lanes at the same place as their lower neighbour.
    same: u32,
    uniform: bool,
}

impl Target {
    /// All 32 lanes, one after the other.
    fn contiguous(&self) -> bool {
        self.mask == u32::MAX && self.adjacent == u32::MAX - 1 && self.entry.stride == 0
    }

    /// The address of a lane's first byte on this machine.
    #[inline(always)]
    pub(crate) fn at(&self, lane: usize) -> *mut u8 {
        // SAFETY: `resolve` checked the offset against the object's size.
        unsafe {
            self.entry.base.add((self.offsets[lane] + lane as u64 * self.entry.stride) as usize)
        }
    }
}

/// One element in memory as bits, and back.
#[inline(always)]
unsafe fn get(p: *const u8, bytes: u32) -> u64 {
    unsafe {
        match bytes {
            1 => u64::from(*p),
            2 => u64::from(p.cast::<u16>().read_unaligned()),
            4 => u64::from(p.cast::<u32>().read_unaligned()),
            _ => p.cast::<u64>().read_unaligned(),
        }
    }
}

#[inline(always)]
unsafe fn put(p: *mut u8, bytes: u32, value: u64) {
    unsafe {
        match bytes {
            1 => *p = value as u8,
            2 => p.cast::<u16>().write_unaligned(value as u16),
            4 => p.cast::<u32>().write_unaligned(value as u32),
            _ => p.cast::<u64>().write_unaligned(value),
        }
    }
}

#[inline(always)]
pub(crate) fn lanes_of(mask: u32) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        (rest != 0).then(|| {
            let l = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            l
        })
    })
}

impl BlockRun<'_, '_> {
    /// The fast case: all lanes in bounds of one object and aligned.
    #[inline(always)]
    pub(crate) fn resolve_one(
        &self,
        addresses: &[u64; LANES],
        mask: u32,
        size: u64,
        align: u32,
    ) -> Option<Target> {
        let lead = addresses[mask.trailing_zeros() as usize];
        let object = object_of(lead);
        let entry = *self.table.get(object)?;
        let start = origin(object);
        let limit = entry.size.checked_sub(size)?;
        let mut offsets = [0u64; LANES];
        let lead = lead.wrapping_sub(start);
        let mut beyond = false;
        let mut low = 0u64;
        let mut differ = 0u64;
        if mask == u32::MAX {
            for l in 0..LANES {
                let o = addresses[l].wrapping_sub(start);
                offsets[l] = o;
                beyond |= o > limit;
                low |= o;
                differ |= o ^ lead;
            }
        } else {
            for l in 0..LANES {
                let o = if mask >> l & 1 == 1 { addresses[l].wrapping_sub(start) } else { lead };
                offsets[l] = o;
                beyond |= o > limit;
                low |= o;
                differ |= o ^ lead;
            }
        }
        if beyond || low & u64::from(align - 1) != 0 {
            return None;
        }
        let (mut adjacent, mut same) = (0, u32::MAX - 1);
        if differ != 0 {
            let step = |l: usize| offsets[l].wrapping_sub(offsets[l.saturating_sub(1)]);
            adjacent = lane_mask(|l| step(l) == size);
            same = if adjacent == u32::MAX - 1 { 0 } else { lane_mask(|l| step(l) == 0) & !1 };
        }
        Some(Target { object, entry, mask, offsets, adjacent, same, uniform: differ == 0 })
    }

    /// Any case: reports what is wrong and gives the good lanes, object by
    /// object.
    fn resolve_all(
        &self,
        w: usize,
        addresses: &[u64; LANES],
        mask: u32,
        size: u64,
        site: SiteId,
        world: &mut World,
    ) -> Vec<Target> {
        let align = u64::from(self.p.sites[site.0 as usize].align);
        let mut rest = mask;
        for l in lanes_of(mask) {
            let a = addresses[l];
            let object = object_of(a);
            let fits = self
                .table
                .get(object)
                .and_then(|e| e.size.checked_sub(size))
                .is_some_and(|limit| a.wrapping_sub(origin(object)) <= limit);
            let thread = self.warps[w].first_thread + l as u32;
            if !fits {
                rest &= !(1 << l);
                self.report_bounds(a, size, site, thread, world);
            } else if a & (align - 1) != 0 {
                self.report_alignment(a, size, site, thread, align, world);
            }
        }
        let mut out = Vec::new();
        while rest != 0 {
            let object = object_of(addresses[rest.trailing_zeros() as usize]);
            let mine = lanes_of(rest)
                .filter(|l| object_of(addresses[*l]) == object)
                .fold(0u32, |m, l| m | 1 << l);
            out.extend(self.resolve_one(addresses, mine, size, 1));
            rest &= !mine;
        }
        out
    }

    pub(crate) fn access_op(&self, site: SiteId) -> &'static str {
        let s = self.p.sites[site.0 as usize];
        match () {
            () if s.atomic => "atomic",
            () if s.writes => "write",
            () => "read",
        }
    }

    pub(crate) fn access_of(&self, site: SiteId, thread: u32) -> Access {
        access(self.p, self.block, site, thread)
    }

    fn report_bounds(&self, address: u64, size: u64, site: SiteId, thread: u32, world: &mut World) {
        if let Watch::Footprint(touched) = &mut world.watch {
            let write = self.p.sites[site.0 as usize].writes;
            return touched.stray(self.p, self.block, thread, address, size, write);
        }
        if let Watch::Trace(recorder) = &mut world.watch {
            return self.traced_stray(address, size, site, thread, recorder);
        }
        if self.report_freed(address, size, site, thread, world) {
            return;
        }
        let object = object_of(address);
        let known = (object != NULL_OBJECT).then(|| self.p.objects.get(object)).flatten();
        let key = Key {
            kind: Kind::OutOfBounds,
            places: self.p.places(site.0, site.0),
            object: if known.is_some() { object as u32 } else { 0 },
        };
        world.reports.add(key, false, || {
            let op = self.access_op(site);
            let Some(info) = known else {
                let message = if address < 4096 {
                    format!("{op} of {size} bytes through a null pointer")
                } else {
                    format!("{op} of {size} bytes at {address:#x}, which is in no object")
                };
                return Finding::new(Kind::OutOfBounds, message, vec![self.access_of(site, thread)]);
            };
            let offset = address.wrapping_sub(origin(object)) as i64;
            let bytes = self.table[object].size;
            let elements = bytes / u64::from(info.elem.size().max(1));
            let message = format!(
                "{op} of {size} bytes at `{}`, out of bounds of {} memory `{}` of {elements} elements ({} bytes)",
                element(info, offset),
                info.space,
                info.name,
                bytes
            );
            let mut f = Finding::new(Kind::OutOfBounds, message, vec![self.access_of(site, thread)]);
            f.memory = Some(memory(info, offset, size as i64));
            f.help = vec![if offset < 0 {
                "the index is negative for this thread: guard the access".to_string()
            } else {
                format!("guard the access, or make `{}` at least {} bytes", info.name, offset + size as i64)
            }];
            f
        });
    }

    fn report_alignment(
        &self,
        a: u64,
        size: u64,
        site: SiteId,
        thread: u32,
        align: u64,
        world: &mut World,
    ) {
        let object = object_of(a);
        let key = Key {
            kind: Kind::Misaligned,
            places: self.p.places(site.0, site.0),
            object: object as u32,
        };
        world.reports.add(key, false, || {
            let info = &self.p.objects[object];
            let offset = a.wrapping_sub(origin(object)) as i64;
            let message = format!(
                "{} of {size} bytes at byte {offset} of `{}`, which is not a multiple of {align}",
                self.access_op(site),
                info.name
            );
            let mut f = Finding::new(Kind::Misaligned, message, vec![self.access_of(site, thread)]);
            f.memory = Some(memory(info, offset, size as i64));
            f.help =
                vec![format!("an access of this type must start at a multiple of {align} bytes")];
            f
        });
    }

    /// Tells the race checks of an access.
    #[inline(always)]
    pub(crate) fn observe(
        &mut self,
        w: usize,
        t: &Target,
        kind: AccessKind,
        site: SiteId,
        size: u32,
        silent: u32,
        ty: Ty,
        values: &dyn Fn(usize, usize) -> u64,
        world: &mut World,
    ) {
        if !matches!(t.entry.space, Space::Shared | Space::Global) {
            return;
        }
        if !matches!(world.watch, Watch::Nothing) {
            let (object, space) = (t.object, t.entry.space);
            let seen = Seen { object, space, site, size, mask: t.mask, offsets: &t.offsets };
            if !self.watched(w, &seen, world) {
                return;
            }
        }
        if self.unwritten[t.object] {
            world.reports.dirty |= kind != AccessKind::Read;
            return;
        }
        let warp = &mut self.warps[w];
        warp.strayed |= warp.awaited & t.mask;
        let first_thread = warp.first_thread;
        // What nobody has written has no value that a store could repeat.
        let fresh = match &mut self.init[t.object] {
            Some(bits) if kind == AccessKind::Write && !bits.complete() => lanes_of(t.mask)
                .filter(|l| !bits.all(t.offsets[*l], u64::from(size)))
                .fold(0, |m, l| m | 1 << l),
            _ => 0,
        };
        let event = Event {
            object: t.object,
            space: t.entry.space,
            site,
            kind,
            size,
            mask: t.mask,
            offsets: &t.offsets,
            adjacent: t.adjacent,
            same: t.same,
            uniform: t.uniform,
            silent: silent & !fresh,
            fresh,
            first_thread,
            bytes: t.entry.base,
            values,
            ty,
        };
        if kind != AccessKind::Read && !self.uninitialised.is_empty() {
            self.forgive(&event, world);
        }
        if world.shadow.is_some() && t.entry.space == Space::Global {
            world.steps += FULL_CHECK_COST;
        }
        let (races, mut ctx) = self.races(world);
        races.access(&mut ctx, &event);
    }

    /// A read of unwritten bytes that this write is not ordered after was early,
    /// not uninitialised.
    fn forgive(&mut self, e: &Event, world: &mut World) {
        let mut pending = std::mem::take(&mut self.uninitialised);
        let (races, ctx) = self.races(world);
        pending.retain(|p| {
            let o = p.origin;
            let hit = lanes_of(e.mask).find(|&l| {
                o.object == e.object
                    && e.offsets[l] < o.offset + u64::from(o.size)
                    && o.offset < e.offsets[l] + u64::from(e.size)
            });
            match hit {
                Some(_)
                    if ctx.program.sites[o.site.0 as usize].atomic
                        && e.kind == AccessKind::Atomic =>
                {
                    true
                }
                Some(l) => {
                    races.is_ordered(&ctx, p.thread, o.clock, e.first_thread + l as u32, e.space)
                }
                None => true,
            }
        });
        self.uninitialised = pending;
    }

    #[inline(always)]
    pub(crate) fn load(
        &mut self,
        w: usize,
        mask: u32,
        site: SiteId,
        ty: Ty,
        count: u8,
        d: Slot,
        addr: Slot,
        world: &mut World,
    ) {
        let regs = self.regs(w);
        let addresses = regs.w64(addr);
        let bytes = ty.bytes();
        let size = bytes * u32::from(count);
        world.reached[site.0 as usize] = true;
        if self.warps[w].poison.live {
            self.poison_branch(w, mask, addr, self.p.kernel.site(site).loc, world);
        }
        let align = self.p.sites[site.0 as usize].align;
        if let Some(t) = self.resolve_one(addresses, mask, u64::from(size), align) {
            self.load_from(w, &t, site, ty, count, d, world);
            return;
        }
        let targets = self.resolve_all(w, &addresses.clone(), mask, u64::from(size), site, world);
        let good = targets.iter().fold(0, |m, t| m | t.mask);
        for l in lanes_of(mask & !good) {
            for k in 0..u32::from(count) {
                regs.set_lane(d.plus(k * units(ty)), ty, l, 0);
            }
        }
        for t in targets {
            self.load_from(w, &t, site, ty, count, d, world);
        }
    }

    #[inline(always)]
    fn load_from(
        &mut self,
        w: usize,
        t: &Target,
        site: SiteId,
        ty: Ty,
        count: u8,
        d: Slot,
        world: &mut World,
    ) {
        let regs = self.regs(w);
        let bytes = ty.bytes();
        let size = bytes * u32::from(count);
        self.observe(w, t, AccessKind::Read, site, size, 0, ty, &|_, _| 0, world);
        if count == 1 && bytes == 4 {
            let out = regs.w32_mut(d);
            if t.contiguous() {
                // SAFETY: 128 bytes within the object, by `resolve_one`.
                *out = unsafe { t.at(0).cast::<[u32; LANES]>().read_unaligned() };
            } else if t.uniform && t.entry.stride == 0 {
                let v = unsafe { get(t.at(t.mask.trailing_zeros() as usize), 4) } as u32;
                for l in 0..LANES {
                    out[l] = if t.mask >> l & 1 == 1 { v } else { out[l] };
                }
            } else {
                for l in lanes_of(t.mask) {
                    out[l] = unsafe { get(t.at(l), 4) } as u32;
                }
            }
        } else {
            for k in 0..u32::from(count) {
                let slot = d.plus(k * units(ty));
                for l in lanes_of(t.mask) {
                    let v = unsafe { get(t.at(l).add((k * bytes) as usize), bytes) };
                    regs.set_lane(slot, ty, l, v & ty.mask());
                }
            }
        }
        self.load_poison(w, t, site, ty, count, d, world);
    }

    /// Unwritten bytes poison the lanes that load them.
    #[inline(always)]
    fn load_poison(
        &mut self,
        w: usize,
        t: &Target,
        site: SiteId,
        ty: Ty,
        count: u8,
        d: Slot,
        world: &mut World,
    ) {
        let Some(bits) = &mut self.init[t.object] else {
            if self.warps[w].poison.live {
                for k in 0..u32::from(count) {
                    self.warps[w].poison.wash(d.plus(k * units(ty)), t.mask);
                }
            }
            return;
        };
        let live = self.warps[w].poison.live;
        if bits.complete() && !live {
            return;
        }
        let bytes = u64::from(ty.bytes());
        if !live
            && t.contiguous()
            && bits.all(t.offsets[0], bytes * u64::from(count) * LANES as u64)
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
                let clock = *world.clock;
                let object = t.object;
                let offsets = &t.offsets;
                self.warps[w].poison.put(d.plus(k * units(ty)), t.mask, poisoned, |l| Origin {
                    site,
                    object,
                    offset: offsets[l] + u64::from(k) * bytes,
                    size: bytes as u32,
                    clock,
                });
            }
        }
    }

    #[inline(always)]
    pub(crate) fn store(
        &mut self,
        w: usize,
        mask: u32,
        site: SiteId,
        ty: Ty,
        first: u32,
        count: u8,
        addr: Slot,
        world: &mut World,
    ) {
        let regs = self.regs(w);
        let addresses = regs.w64(addr);
        let size = ty.bytes() * u32::from(count);
        world.reached[site.0 as usize] = true;
        if self.warps[w].poison.live {
            self.poison_branch(w, mask, addr, self.p.kernel.site(site).loc, world);
        }
        let align = self.p.sites[site.0 as usize].align;
        if let Some(t) = self.resolve_one(addresses, mask, u64::from(size), align) {
            self.store_to(w, &t, site, ty, first, count, world);
            return;
        }
        for t in self.resolve_all(w, &addresses.clone(), mask, u64::from(size), site, world) {
            self.store_to(w, &t, site, ty, first, count, world);
        }
    }

    #[inline(always)]
    fn store_to(
        &mut self,
        w: usize,
        t: &Target,
        site: SiteId,
        ty: Ty,
        first: u32,
        count: u8,
        world: &mut World,
    ) {
        let p = self.p;
        let regs = self.regs(w);
        let bytes = ty.bytes();
        let size = bytes * u32::from(count);
        let slots = &p.code.values[first as usize..first as usize + count as usize];
        // What leaves the block is used: nobody can initialise it any more.
        if self.warps[w].poison.live && t.entry.space == Space::Global {
            let loc = p.kernel.site(site).loc;
            slots.iter().for_each(|s| self.poison_branch(w, t.mask, *s, loc, world));
        }
        // Lanes that store what is there.
        let mut silent = u32::MAX;
        if count == 1 && bytes == 4 && t.contiguous() {
            let new = regs.w32(slots[0]);
            let old = unsafe { &t.at(0).cast::<[u32; LANES]>().read_unaligned() };
            silent = lane_mask(|l| new[l] == old[l]);
        } else {
            for (k, slot) in slots.iter().enumerate() {
                for l in lanes_of(t.mask) {
                    let old = unsafe { get(t.at(l).add(k * bytes as usize), bytes) };
                    let same = old == regs.lane(*slot, ty, l);
                    silent &= !(u32::from(!same) << l);
                }
            }
        }
        self.observe(
            w,
            t,
            AccessKind::Write,
            site,
            size,
            silent,
            ty,
            &|l, k| regs.lane(slots[k], ty, l),
            world,
        );
        world.changes += u64::from(!silent & t.mask != 0);
        if count == 1 && bytes == 4 && t.contiguous() {
            // SAFETY: 128 bytes within the object, by `resolve_one`.
            unsafe { t.at(0).cast::<[u32; LANES]>().write_unaligned(*regs.w32(slots[0])) };
        } else {
            for (k, slot) in slots.iter().enumerate() {
                for l in lanes_of(t.mask) {
                    unsafe { put(t.at(l).add(k * bytes as usize), bytes, regs.lane(*slot, ty, l)) };
                }
            }
        }
        if let Some(bits) = &mut self.init[t.object] {
            let poison = &self.warps[w].poison;
            if bits.complete() && !poison.live {
                return;
            }
            if t.contiguous() && !poison.live {
                bits.set(t.offsets[0], u64::from(size) * LANES as u64);
                return;
            }
            for (k, slot) in slots.iter().enumerate() {
                let poisoned = if poison.live { poison.get(*slot) } else { 0 };
                for l in lanes_of(t.mask) {
                    let at = t.offsets[l] + k as u64 * u64::from(bytes);
                    if poisoned >> l & 1 == 1 {
                        bits.unset(at, u64::from(bytes));
                    } else {
                        bits.set(at, u64::from(bytes));
                    }
                }
            }
        }
    }

    pub(crate) fn atomic(&mut self, w: usize, mask: u32, a: &AtomicStep, world: &mut World) {
        let regs = self.regs(w);
        let addresses = *regs.w64(a.addr);
        let size = a.ty.bytes();
        world.reached[a.site.0 as usize] = true;
        if self.warps[w].poison.live {
            let loc = self.p.kernel.site(a.site).loc;
            for s in [a.addr, a.value, a.expected] {
                self.poison_branch(w, mask, s, loc, world);
            }
            if let Some(d) = a.d {
                self.warps[w].poison.wash(d, mask);
            }
        }
        let align = size.max(self.p.sites[a.site.0 as usize].align);
        let targets = match self.resolve_one(&addresses, mask, u64::from(size), align) {
            Some(t) => vec![t],
            None => self.resolve_all(w, &addresses, mask, u64::from(size), a.site, world),
        };
        let shared_globals = world.owners.is_some();
        for t in targets {
            let failed = self.failing(w, &t, a);
            self.observe(
                w,
                &t,
                AccessKind::Atomic,
                a.site,
                size,
                failed,
                a.ty,
                &|l, _| regs.lane(a.value, a.ty, l),
                world,
            );
            self.atomic_reads_written(w, &t, a, size, world);
            for l in lanes_of(t.mask) {
                let p = t.at(l);
                let value = regs.lane(a.value, a.ty, l);
                let expected = regs.lane(a.expected, a.ty, l);
                // SAFETY: in bounds and aligned, by `resolve_one`.
                let (old, new) = unsafe {
                    let aligned = (p as usize).is_multiple_of(size as usize);
                    if shared_globals && t.entry.space == Space::Global && aligned {
                        modify_shared(p, size, |old| apply(a.op, a.ty, old, value, expected))
                    } else {
                        let old = get(p, size);
                        let new = apply(a.op, a.ty, old, value, expected);
                        put(p, size, new);
                        (old, new)
                    }
                };
                world.changes += u64::from(old != new);
                if let Some(d) = a.d {
                    regs.set_lane(d, a.ty, l, old);
                }
            }
            if let Some(bits) = &mut self.init[t.object] {
                for l in lanes_of(t.mask) {
                    bits.set(t.offsets[l], u64::from(size));
                }
            }
            if world.sync.is_some() {
                self.synchronise(w, &t, a, size, failed, world);
            }
        }
    }

    /// Lanes whose compare-and-swap will not store.
    fn failing(&self, w: usize, t: &Target, a: &AtomicStep) -> u32 {
        if a.op != AtomicOp::CompareExchange {
            return 0;
        }
        let regs = self.regs(w);
        let mut failed = 0;
        for l in lanes_of(t.mask) {
            // The last lane before it that stored there, else memory.
            let stored = lanes_of(t.mask & !failed & ((1 << l) - 1))
                .filter(|o| t.offsets[*o] == t.offsets[l])
                .last();
            let now = match stored {
                Some(o) => regs.lane(a.value, a.ty, o),
                // SAFETY: in bounds, by `resolve_one`.
                None => unsafe { get(t.at(l), a.ty.bytes()) },
            };
            failed |= u32::from(now != regs.lane(a.expected, a.ty, l)) << l;
        }
        failed
    }

    fn synchronise(
        &mut self,
        w: usize,
        t: &Target,
        a: &AtomicStep,
        size: u32,
        failed: u32,
        world: &mut World,
    ) {
        let kind = if a.op == AtomicOp::Store { AccessKind::Write } else { AccessKind::Atomic };
        let event = Event {
            object: t.object,
            space: t.entry.space,
            site: a.site,
            kind,
            size,
            mask: t.mask,
            offsets: &t.offsets,
            adjacent: 0,
            same: 0,
            uniform: false,
            silent: failed,
            first_thread: self.warps[w].first_thread,
            bytes: t.entry.base,
            fresh: 0,
            values: &|_, _| 0,
            ty: a.ty,
        };
        let (races, mut ctx) = self.races(world);
        races.synchronise(&mut ctx, &event, a.order, a.scope);
    }

    /// An atomic uses what it reads.
    fn atomic_reads_written(
        &mut self,
        w: usize,
        t: &Target,
        a: &AtomicStep,
        size: u32,
        world: &mut World,
    ) {
        let Some(bits) = &mut self.init[t.object] else {
            return;
        };
        if bits.complete() || matches!(a.op, AtomicOp::Store | AtomicOp::Exchange) {
            return;
        }
        for l in lanes_of(t.mask) {
            let Some(bits) = &mut self.init[t.object] else {
                return;
            };
            if bits.all(t.offsets[l], u64::from(size)) {
                continue;
            }
            if world.reports.probe {
                world.reports.dirty = true;
            }
            let origin = Origin {
                site: a.site,
                object: t.object,
                offset: t.offsets[l],
                size,
                clock: *world.clock,
            };
            let thread = self.warps[w].first_thread + l as u32;
            let used_at = self.p.kernel.site(a.site).loc;
            self.note_uninitialised(Pending { origin, thread, used_at });
            // One report for the location: its first atomic.
            if let Some(bits) = &mut self.init[t.object] {
                bits.set(t.offsets[l], u64::from(size));
            }
        }
    }

    /// Copies and fills of run-time length, a lane at a time.
    pub(crate) fn bulk(&mut self, w: usize, mask: u32, r: &Rare, world: &mut World) {
        let regs = self.regs(w);
        match *r {
            Rare::MemCopy { read, write, dst, src, len, asynchronous } => {
                for l in lanes_of(mask) {
                    let len = regs.w64(len)[l];
                    let (from, to) = (regs.w64(src)[l], regs.w64(dst)[l]);
                    let Some(bytes) = self.bulk_read(w, l, from, len, read, world) else {
                        continue;
                    };
                    self.bulk_write(w, l, to, &bytes, write, world);
                    if asynchronous {
                        let thread = self.warps[w].first_thread + l as u32;
                        self.races.under_way.begin(Copy { thread, from, to, len, read, write });
                    }
                }
            }
            Rare::MemSet { site, dst, byte, len } => {
                for l in lanes_of(mask) {
                    let len = regs.w64(len)[l];
                    let to = regs.w64(dst)[l];
                    if len > self.p.objects.get(object_of(to)).map_or(0, |o| o.size) {
                        let thread = self.warps[w].first_thread + l as u32;
                        self.report_bounds(to, len, site, thread, world);
                        continue;
                    }
                    let bytes = vec![regs.w32(byte)[l] as u8; len as usize];
                    self.bulk_write(w, l, to, &bytes, site, world);
                }
            }
            _ => {}
        }
    }

    pub(crate) fn bulk_target(
        &self,
        w: usize,
        lane: usize,
        a: u64,
        len: u64,
        site: SiteId,
        world: &mut World,
    ) -> Option<Target> {
        world.reached[site.0 as usize] = true;
        if len == 0 {
            return None;
        }
        let mut addresses = [0; LANES];
        addresses[lane] = a;
        let align = self.p.sites[site.0 as usize].align;
        if let Some(t) = self.resolve_one(&addresses, 1 << lane, len, align) {
            return Some(t);
        }
        self.resolve_all(w, &addresses, 1 << lane, len, site, world).pop()
    }

    pub(crate) fn bulk_read(
        &mut self,
        w: usize,
        lane: usize,
        a: u64,
        len: u64,
        site: SiteId,
        world: &mut World,
    ) -> Option<Vec<u8>> {
        let t = self.bulk_target(w, lane, a, len, site, world)?;
        self.observe(w, &t, AccessKind::Read, site, len as u32, 0, Ty::I8, &|_, _| 0, world);
        // SAFETY: in bounds.
        Some(unsafe { std::slice::from_raw_parts(t.at(lane), len as usize) }.to_vec())
    }

    pub(crate) fn bulk_write(
        &mut self,
        w: usize,
        lane: usize,
        a: u64,
        bytes: &[u8],
        site: SiteId,
        world: &mut World,
    ) {
        let Some(t) = self.bulk_target(w, lane, a, bytes.len() as u64, site, world) else {
            return;
        };
        // SAFETY: in bounds.
        let old = unsafe { std::slice::from_raw_parts(t.at(lane), bytes.len()) };
        let same = old == bytes;
        let silent = if same { u32::MAX } else { 0 };
        self.observe(
            w,
            &t,
            AccessKind::Write,
            site,
            bytes.len() as u32,
            silent,
            Ty::I8,
            &|_, k| u64::from(bytes[k]),
            world,
        );
        world.changes += u64::from(!same);
        unsafe { std::ptr::copy(bytes.as_ptr(), t.at(lane), bytes.len()) };
        if let Some(bits) = &mut self.init[t.object] {
            bits.set(t.offsets[lane], bytes.len() as u64);
        }
    }
}

/// What an atomic leaves in memory.
pub(crate) fn apply(op: AtomicOp, ty: Ty, old: u64, value: u64, expected: u64) -> u64 {
    let mask = ty.mask();
    let signed = |x: u64| ((x << (64 - ty.bits())) as i64) >> (64 - ty.bits());
    let real =
        |f: fn(f64, f64) -> f64| real_bits(ty, f(real_value(ty, old), real_value(ty, value)));
    // Single precision is added in single precision.
    let add = |sign: f32| match ty {
        Ty::F32 => {
            let sum = f32::from_bits(old as u32) + sign * f32::from_bits(value as u32);
            u64::from(sum.to_bits())
        }
        _ if sign < 0.0 => real(|a, b| a - b),
        _ => real(|a, b| a + b),
    };
    let new = match op {
        AtomicOp::Load => old,
        AtomicOp::Store | AtomicOp::Exchange => value,
        AtomicOp::Add => old.wrapping_add(value),
        AtomicOp::Sub => old.wrapping_sub(value),
        AtomicOp::And => old & value,
        AtomicOp::Or => old | value,
        AtomicOp::Xor => old ^ value,
        AtomicOp::Nand => !(old & value),
        AtomicOp::SMin => signed(old).min(signed(value)) as u64,
        AtomicOp::SMax => signed(old).max(signed(value)) as u64,
        AtomicOp::UMin => old.min(value),
        AtomicOp::UMax => old.max(value),
        AtomicOp::FAdd => add(1.0),
        AtomicOp::FSub => add(-1.0),
        AtomicOp::FMin => real(f64::min),
        AtomicOp::FMax => real(f64::max),
        AtomicOp::Inc => {
            if old >= value {
                0
            } else {
                old + 1
            }
        }
        AtomicOp::Dec => {
            if old == 0 || old > value {
                value
            } else {
                old - 1
            }
        }
        AtomicOp::CompareExchange => {
            if old == expected {
                value
            } else {
                old
            }
        }
    };
    new & mask
}

/// An atomic on memory that other workers update too.
unsafe fn modify_shared(p: *mut u8, size: u32, f: impl Fn(u64) -> u64) -> (u64, u64) {
    use std::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};
    macro_rules! of {
        ($t:ty, $n:ty) => {{
            // SAFETY: in bounds and aligned; only atomics touch it meanwhile, or
            // the run is thrown away.
            let cell = unsafe { &*p.cast::<$t>() };
            let mut old = cell.load(Relaxed);
            loop {
                let new = f(u64::from(old)) as $n;
                match cell.compare_exchange_weak(old, new, Relaxed, Relaxed) {
                    Ok(_) => return (u64::from(old), u64::from(new)),
                    Err(now) => old = now,
                }
            }
        }};
    }
    match size {
        2 => of!(AtomicU16, u16),
        4 => of!(AtomicU32, u32),
        _ => of!(AtomicU64, u64),
    }
}
