//! The one way to memory: every load and store of a warp, and what atomics and copies share with them.
//!
//! Addresses are resolved against the object that the pointer carries ([`Memory::resolve_one`]). Lanes that are out of
//! bounds are a fault and take no part (they load zero and store nothing); misaligned lanes are a fault and continue.
//! Then the access is claimed, if other blocks run at the same time, reported to the observer, and then executed:
//! on memory, or through store buffers ([`crate::machine::buffered`]).
//!
//! [`Memory::resolve_one`]: crate::machine::memory::Memory::resolve_one

use lockstep_kernel::{SiteId, Space, Ty};

use crate::code::registers::{LANES, Slot, lane_mask, lanes_of, units};
use crate::machine::block::BlockRun;
use crate::machine::fault::Fault;
use crate::machine::memory::Target;
use crate::machine::observe::{AccessKind, At, Event, Observer, Transfer};
use crate::machine::world::World;

/// The description of a transfer between registers and memory.
fn transfer<'t>(t: &'t Target, site: SiteId, ty: Ty) -> Transfer<'t> {
    Transfer {
        object: t.object,
        space: t.space(),
        site,
        mask: t.mask,
        offsets: &t.offsets,
        contiguous: t.contiguous(),
        ty,
    }
}

impl<O: Observer> BlockRun<'_, '_, O> {
    /// The general case: reports faults and returns the valid lanes, object by object.
    pub(crate) fn resolve_all(
        &mut self,
        at: &At,
        addresses: &[u64; LANES],
        mask: u32,
        size: u64,
        site: SiteId,
        world: &mut World<O>,
    ) -> Vec<Target> {
        let align = u64::from(self.p.sites[site.0 as usize].align);
        let addresses = &addresses.map(|a| self.p.meant(a));
        let mut rest = mask;
        for l in lanes_of(mask) {
            let address = addresses[l];
            let thread = at.first_thread + l as u32;
            if !self.memory.fits(address, size) {
                rest &= !(1 << l);
                self.out_of_bounds(at, address, size, site, thread, world);
            } else if address & (align - 1) != 0 {
                let fault = Fault::Misaligned { site, thread, address, size, align };
                world.observer.fault(&mut self.observed, at, &fault);
            }
        }
        let mut out = Vec::new();
        while rest != 0 {
            let numbers = self.p.addresses;
            let object = numbers.object_of(addresses[rest.trailing_zeros() as usize]);
            let mine = lanes_of(rest)
                .filter(|l| numbers.object_of(addresses[*l]) == object)
                .fold(0u32, |m, l| m | 1 << l);
            out.extend(self.memory.resolve_one(addresses, mine, size, 1));
            rest &= !mine;
        }
        out
    }

    #[cold]
    pub(crate) fn out_of_bounds(
        &mut self,
        at: &At,
        address: u64,
        size: u64,
        site: SiteId,
        thread: u32,
        world: &mut World<O>,
    ) {
        let object = self.p.addresses.object_of(address);
        let object_size = self.memory.table.get(object).map_or(0, |e| e.size);
        let freed = world.heap.freed(self.p, address);
        let fault = Fault::OutOfBounds { site, thread, address, size, object_size, freed };
        world.observer.fault(&mut self.observed, at, &fault);
    }

    /// Whether an access may be executed: blocks that run at the same time must not depend on each other.
    #[inline(always)]
    pub(crate) fn claim(
        &self,
        t: &Target,
        kind: AccessKind,
        site: SiteId,
        world: &mut World<O>,
    ) -> bool {
        let is_read = kind == AccessKind::Read;
        let agreed = match t.space() {
            Space::Shared | Space::Private => true,
            Space::Global if self.memory.unwritten[t.object] => is_read,
            Space::Global => world.claims.is_none_or(|claims| {
                let narrow = self.p.sites[site.0 as usize].block_scope || self.p.mixed_atomics;
                claims.claim(t, kind, self.block, narrow, &mut world.undo)
            }),
            Space::Constant | Space::Generic => is_read || world.claims.is_none(),
        };
        if !agreed {
            world.stop_at_conflict();
        }
        agreed
    }

    /// Whether memory may be read outside of the kernel's own accesses.
    pub(crate) fn claim_read(&self, t: &Target, world: &mut World<O>) -> bool {
        let mine = t.space() != Space::Global || self.memory.unwritten[t.object];
        let agreed = mine
            || world
                .claims
                .is_none_or(|c| c.claim(t, AccessKind::Read, self.block, false, &mut world.undo));
        if !agreed {
            world.stop_at_conflict();
        }
        agreed
    }

    /// Reports an access to the observer before it is executed.
    #[inline(always)]
    pub(crate) fn observe(
        &mut self,
        at: &At,
        t: &Target,
        kind: AccessKind,
        site: SiteId,
        silent: u32,
        ty: Ty,
        values: &dyn Fn(usize, usize) -> u64,
        world: &mut World<O>,
    ) {
        if !matches!(t.space(), Space::Shared | Space::Global) {
            return;
        }
        if self.p.has_bulk_copies && kind == AccessKind::Write && t.space() == Space::Shared {
            self.note_unfenced(at, t, site);
        }
        let warp = &mut self.warps[at.warp];
        if warp.awaited & t.mask != 0 {
            warp.stray(t.mask, site);
        }
        if self.memory.unwritten[t.object] && !O::SEES_ALL_READS {
            return;
        }
        let event = event(at, t, kind, site, silent, ty, values);
        world.steps += world.observer.access(&mut self.observed, at, &event);
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
        world: &mut World<O>,
    ) {
        let at = self.at(w);
        let addresses = at.regs.w64(addr);
        let size = ty.bytes() * u32::from(count);
        world.executed.sites[site.0 as usize] = true;
        if self.follows_values(w, world) {
            self.tell_uses(w, mask, &[addr], None, self.p.kernel.site(site).loc, world);
        }
        let align = self.p.sites[site.0 as usize].align;
        if let Some(t) = self.memory.resolve_one(addresses, mask, u64::from(size), align) {
            self.load_from(&at, &t, site, ty, count, d, world);
            return;
        }
        let targets = self.resolve_all(&at, &addresses.clone(), mask, u64::from(size), site, world);
        let good = targets.iter().fold(0, |m, t| m | t.mask);
        for l in lanes_of(mask & !good) {
            for k in 0..u32::from(count) {
                at.regs.set_lane(d.plus(k * units(ty)), ty, l, 0);
            }
        }
        for t in targets {
            self.load_from(&at, &t, site, ty, count, d, world);
        }
    }

    #[inline(always)]
    fn load_from(
        &mut self,
        at: &At,
        t: &Target,
        site: SiteId,
        ty: Ty,
        count: u8,
        d: Slot,
        world: &mut World<O>,
    ) {
        if !self.claim(t, AccessKind::Read, site, world) {
            return;
        }
        let regs = at.regs;
        let bytes = ty.bytes();
        self.observe(at, t, AccessKind::Read, site, 0, ty, &|_, _| 0, world);
        if O::WEAK && self.load_weakly(at, t, site, ty, count, d, world) {
        } else if count == 1 && bytes == 4 {
            let out = regs.w32_mut(d);
            if t.contiguous() {
                *out = t.get_all();
            } else if t.is_one_place() {
                let v = t.get(t.mask.trailing_zeros() as usize, 0, 4) as u32;
                for l in 0..LANES {
                    out[l] = if t.mask >> l & 1 == 1 { v } else { out[l] };
                }
            } else {
                for l in lanes_of(t.mask) {
                    out[l] = t.get(l, 0, 4) as u32;
                }
            }
        } else {
            for k in 0..u32::from(count) {
                let slot = d.plus(k * units(ty));
                for l in lanes_of(t.mask) {
                    let v = t.get(l, u64::from(k * bytes), bytes);
                    regs.set_lane(slot, ty, l, v & ty.mask());
                }
            }
        }
        world.observer.loaded(&mut self.observed, at, &transfer(t, site, ty), d, count);
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
        world: &mut World<O>,
    ) {
        let at = self.at(w);
        let addresses = at.regs.w64(addr);
        let size = ty.bytes() * u32::from(count);
        world.executed.sites[site.0 as usize] = true;
        if self.follows_values(w, world) {
            self.tell_uses(w, mask, &[addr], None, self.p.kernel.site(site).loc, world);
        }
        let align = self.p.sites[site.0 as usize].align;
        if let Some(t) = self.memory.resolve_one(addresses, mask, u64::from(size), align) {
            self.store_to(&at, &t, site, ty, first, count, world);
            return;
        }
        let targets = self.resolve_all(&at, &addresses.clone(), mask, u64::from(size), site, world);
        for t in targets {
            self.store_to(&at, &t, site, ty, first, count, world);
        }
    }

    #[inline(always)]
    fn store_to(
        &mut self,
        at: &At,
        t: &Target,
        site: SiteId,
        ty: Ty,
        first: u32,
        count: u8,
        world: &mut World<O>,
    ) {
        if !self.claim(t, AccessKind::Write, site, world) {
            return;
        }
        let p = self.p;
        let regs = at.regs;
        let bytes = ty.bytes();
        let slots = &p.code.values[first as usize..first as usize + count as usize];
        world.observer.stores(&mut self.observed, at, &transfer(t, site, ty), slots);
        // Lanes that store the value that is there already.
        let mut silent = u32::MAX;
        if count == 1 && bytes == 4 && t.contiguous() {
            let (new, old) = (regs.w32(slots[0]), t.get_all());
            silent = lane_mask(|l| new[l] == old[l]);
        } else {
            for (k, slot) in slots.iter().enumerate() {
                for l in lanes_of(t.mask) {
                    let old = t.get(l, k as u64 * u64::from(bytes), bytes);
                    let same = old == regs.lane(*slot, ty, l);
                    silent &= !(u32::from(!same) << l);
                }
            }
        }
        let values = |l: usize, k: usize| regs.lane(slots[k], ty, l);
        self.observe(at, t, AccessKind::Write, site, silent, ty, &values, world);
        if O::WEAK && self.store_weakly(at, t, site, ty, slots, world) {
            return;
        }
        world.changes += u64::from(!silent & t.mask != 0);
        if count == 1 && bytes == 4 && t.contiguous() {
            t.put_all(regs.w32(slots[0]));
        } else {
            for (k, slot) in slots.iter().enumerate() {
                for l in lanes_of(t.mask) {
                    t.put(l, k as u64 * u64::from(bytes), bytes, regs.lane(*slot, ty, l));
                }
            }
        }
        world.observer.stored(&mut self.observed, at, &transfer(t, site, ty), slots);
    }
}

/// An access, as observers see it.
#[inline(always)]
pub(crate) fn event<'e>(
    at: &At,
    t: &'e Target,
    kind: AccessKind,
    site: SiteId,
    silent: u32,
    ty: Ty,
    values: &'e dyn Fn(usize, usize) -> u64,
) -> Event<'e> {
    Event {
        object: t.object,
        space: t.space(),
        site,
        kind,
        size: t.size as u32,
        mask: t.mask,
        offsets: &t.offsets,
        adjacent: t.adjacent,
        same: t.same,
        silent,
        first_thread: at.first_thread,
        bytes: t.bytes(),
        values,
        ty,
    }
}
