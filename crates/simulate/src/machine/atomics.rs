//! Atomics and fences.

use lockstep_kernel::semantics::bits;
use lockstep_kernel::semantics::phase::PARITY;
use lockstep_kernel::{AtomicOp, Scope, SiteId, Space};

use crate::code::registers::lanes_of;
use crate::code::steps::AtomicStep;
use crate::machine::access::event;
use crate::machine::block::BlockRun;
use crate::machine::memory::Target;
use crate::machine::observe::{AccessKind, At, Observer, Transfer};
use crate::machine::world::World;

impl<O: Observer> BlockRun<'_, '_, O> {
    pub(crate) fn fence(
        &mut self,
        w: usize,
        mask: u32,
        site: SiteId,
        scope: Scope,
        world: &mut World<O>,
    ) {
        world.executed.sites[site.0 as usize] = true;
        let at = self.at(w);
        world.observer.fence(&mut self.observed, &at, mask, site, scope);
    }

    pub(crate) fn atomic(&mut self, w: usize, mask: u32, a: &AtomicStep, world: &mut World<O>) {
        let at = self.at(w);
        let addresses = *at.regs.w64(a.addr);
        let size = a.ty.bytes();
        world.executed.sites[a.site.0 as usize] = true;
        if self.follows_values(w, world) {
            let loc = self.p.kernel.site(a.site).loc;
            self.tell_uses(w, mask, &[a.addr, a.value, a.expected], a.d, loc, world);
        }
        let align = size.max(self.p.sites[a.site.0 as usize].align);
        match self.memory.resolve_one(&addresses, mask, u64::from(size), align) {
            Some(t) => self.atomic_at(&at, &t, a, world),
            None => {
                let targets =
                    self.resolve_all(&at, &addresses, mask, u64::from(size), a.site, world);
                targets.iter().for_each(|t| self.atomic_at(&at, t, a, world));
            }
        }
    }

    fn atomic_at(&mut self, at: &At, t: &Target, a: &AtomicStep, world: &mut World<O>) {
        // The old value for a compare-and-swap is read before it is executed: no other block may change it.
        let alone = a.op == AtomicOp::CompareExchange;
        let claimed = if alone { AccessKind::Write } else { AccessKind::Atomic };
        if !self.claim(t, claimed, a.site, world) {
            return;
        }
        if O::WEAK && self.atomic_begins_weakly(at, t, a, world) {
            return;
        }
        let (regs, bytes) = (at.regs, a.ty.bytes());
        let failed = failing(at, t, a);
        let value = |l: usize, _: usize| regs.lane(a.value, a.ty, l);
        self.observe(at, t, AccessKind::Atomic, a.site, failed, a.ty, &value, world);
        let transfer = Transfer {
            object: t.object,
            space: t.space(),
            site: a.site,
            mask: t.mask,
            offsets: &t.offsets,
            contiguous: false,
            ty: a.ty,
        };
        let reads = !matches!(a.op, AtomicOp::Store | AtomicOp::Exchange);
        world.observer.atomic_uses(&mut self.observed, at, &transfer, reads);
        let shared = world.claims.is_some() && t.space() == Space::Global;
        for l in lanes_of(t.mask) {
            let (value, expected) = (value(l, 0), regs.lane(a.expected, a.ty, l));
            let modified =
                t.modify(l, bytes, shared, |old| bits::atomic(a.op, a.ty, old, value, expected));
            let Some((old, new)) = modified else {
                return world.stop_at_conflict();
            };
            world.changes += u64::from(old != new);
            match a.op {
                AtomicOp::Arrive if (old ^ new) >> PARITY != 0 => {
                    self.async_copies.phase_ends(regs.w64(a.addr)[l]);
                }
                AtomicOp::Load if self.p.has_signals => {
                    self.see_signal(regs.w64(a.addr)[l], world);
                }
                _ => {}
            }
            if O::WEAK {
                self.written_weakly(at, t, l, a.site, old, world);
            }
            if let Some(d) = a.d {
                regs.set_lane(d, a.ty, l, old);
            }
            world.observer.written(&mut self.observed, t.object, t.offsets[l], t.size);
        }
        let kind = if a.op == AtomicOp::Store { AccessKind::Write } else { AccessKind::Atomic };
        let done = event(at, t, kind, a.site, failed, a.ty, &|_, _| 0);
        world.observer.atomic_done(&mut self.observed, at, &done, a.order, a.scope);
        if O::WEAK {
            self.atomic_ends_weakly(at, t, a, world);
        }
    }
}

/// Lanes whose compare-and-swap will fail.
fn failing(at: &At, t: &Target, a: &AtomicStep) -> u32 {
    if a.op != AtomicOp::CompareExchange {
        return 0;
    }
    let regs = at.regs;
    let mut failed = 0;
    for l in lanes_of(t.mask) {
        // The last lower lane that stored there, otherwise memory.
        let stored = lanes_of(t.mask & !failed & ((1 << l) - 1))
            .filter(|o| t.offsets[*o] == t.offsets[l])
            .last();
        let now = match stored {
            Some(o) => regs.lane(a.value, a.ty, o),
            None => t.get(l, 0, a.ty.bytes()),
        };
        failed |= u32::from(now != regs.lane(a.expected, a.ty, l)) << l;
    }
    failed
}
