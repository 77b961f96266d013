//! Atomics and fences.

use lockstep_kernel::{AtomicOp, Scope, SiteId, Space, Ty};

use crate::code::lanes::{real_bits, real_value};
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
                t.modify(l, bytes, shared, |old| apply(a.op, a.ty, old, value, expected));
            let Some((old, new)) = modified else {
                return world.stop_at_conflict();
            };
            world.changes += u64::from(old != new);
            if let Some(d) = a.d {
                regs.set_lane(d, a.ty, l, old);
            }
            world.observer.written(&mut self.observed, t.object, t.offsets[l], t.size);
        }
        let kind = if a.op == AtomicOp::Store { AccessKind::Write } else { AccessKind::Atomic };
        let done = event(at, t, kind, a.site, failed, a.ty, &|_, _| 0);
        world.observer.atomic_done(&mut self.observed, at, &done, a.order, a.scope);
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

/// The new value that an atomic stores.
pub(crate) fn apply(op: AtomicOp, ty: Ty, old: u64, value: u64, expected: u64) -> u64 {
    let mask = ty.mask();
    let signed = |x: u64| ((x << (64 - ty.bits())) as i64) >> (64 - ty.bits());
    let real =
        |f: fn(f64, f64) -> f64| real_bits(ty, f(real_value(ty, old), real_value(ty, value)));
    // `f32` values are added in single precision.
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
