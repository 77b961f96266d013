//! Registers of a warp: 32 lanes each.
//!
//! A register is one or two [`Unit`]s: 32 lanes of 32 bits, or of 64. Narrow integers and halves live zero-extended in
//! 32-bit lanes; an `I1` is a bit per lane in the first word.

use std::cell::UnsafeCell;

use lockstep_kernel::Ty;

pub(crate) const LANES: usize = 32;

/// The numbers of the lanes in a mask.
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

/// One bit per lane for which `f` holds, in a form that vectorises.
#[inline(always)]
pub(crate) fn lane_mask(f: impl Fn(usize) -> bool) -> u32 {
    let mut flags = [0u8; LANES];
    for (l, flag) in flags.iter_mut().enumerate() {
        *flag = u8::from(f(l));
    }
    let mut bits = 0;
    for (i, eight) in flags.chunks_exact(8).enumerate() {
        // Bit 8k of the word goes to bit 56 + k of the product.
        let word = u64::from_le_bytes(std::array::from_fn(|k| eight[k]));
        bits |= ((word.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32) << (8 * i);
    }
    bits
}

/// One 32-lane register of 32-bit lanes, or half of one of 64-bit lanes.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Unit(pub [u32; LANES]);

impl Unit {
    pub(crate) const ZERO: Unit = Unit([0; LANES]);
}

/// The location of a register: index of its first unit. Constants have the top bit set and are in a table that all
/// warps share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Slot(pub u32);

pub(crate) const CONSTANT: u32 = 1 << 31;

impl Slot {
    pub(crate) fn plus(self, units: u32) -> Slot {
        Slot(self.0 + units)
    }
}

/// The registers of one warp. They are accessed through [`Regs`] only.
pub(crate) struct Registers(Box<[UnsafeCell<Unit>]>);

impl Registers {
    pub(crate) fn new(units: usize) -> Registers {
        Registers((0..units).map(|_| UnsafeCell::new(Unit::ZERO)).collect())
    }

    /// The registers with the constants of the code that uses them.
    #[inline(always)]
    pub(crate) fn with(&self, constants: &[Unit]) -> Regs {
        Regs { warp: UnsafeCell::raw_get(self.0.as_ptr()), constants: constants.as_ptr() }
    }

    pub(crate) fn units(&mut self) -> impl Iterator<Item = &Unit> {
        self.0.iter_mut().map(|unit| &*unit.get_mut())
    }
}

/// The registers of a warp, with the constants that all warps share.
///
/// Slots are created by the decoder, which sizes both tables: a slot lies completely within its table. Each register of
/// the kernel has a slot of its own, and no operation's result is one of its own operands: so a reference to a result
/// and one to an operand never overlap. No reference is kept beyond the step that it is created for, and a warp is
/// executed by one thread.
#[derive(Clone, Copy)]
pub(crate) struct Regs {
    warp: *mut Unit,
    constants: *const Unit,
}

impl Regs {
    #[inline(always)]
    fn at(&self, s: Slot) -> *const Unit {
        // SAFETY: the slot lies in its table (see `Regs`).
        unsafe {
            if s.0 & CONSTANT != 0 {
                self.constants.add((s.0 & !CONSTANT) as usize)
            } else {
                self.warp.add(s.0 as usize)
            }
        }
    }
    /// The address of a result, which is never a constant.
    #[inline(always)]
    fn result(&self, s: Slot) -> *mut Unit {
        relied_on!(s.0 & CONSTANT == 0);
        // SAFETY: the slot lies in the table of the warp (see `Regs`).
        unsafe { self.warp.add(s.0 as usize) }
    }
    #[inline(always)]
    pub(crate) fn w32(&self, s: Slot) -> &[u32; LANES] {
        // SAFETY: a unit is 32 words; there is no mutable reference to it (see `Regs`).
        unsafe { &*self.at(s).cast() }
    }
    #[inline(always)]
    pub(crate) fn w64(&self, s: Slot) -> &[u64; LANES] {
        // SAFETY: two units are 32 words of 64 bits; else as above.
        unsafe { &*self.at(s).cast() }
    }
    #[inline(always)]
    pub(crate) fn bits(&self, s: Slot) -> u32 {
        // SAFETY: the first word of a unit.
        unsafe { *self.at(s).cast() }
    }
    #[inline(always)]
    #[allow(clippy::mut_from_ref)]
    pub(crate) fn w32_mut(&self, s: Slot) -> &mut [u32; LANES] {
        // SAFETY: a unit is 32 words; there is no other reference to it (see `Regs`).
        unsafe { &mut *self.result(s).cast() }
    }
    #[inline(always)]
    #[allow(clippy::mut_from_ref)]
    pub(crate) fn w64_mut(&self, s: Slot) -> &mut [u64; LANES] {
        // SAFETY: two units are 32 words of 64 bits; else as above.
        unsafe { &mut *self.result(s).cast() }
    }
    #[inline(always)]
    pub(crate) fn set_bits(&self, s: Slot, value: u32, mask: u32) {
        // SAFETY: the first word of a unit; else as above.
        let w = unsafe { &mut *self.result(s).cast::<u32>() };
        *w = (*w & !mask) | (value & mask);
    }
    /// One lane of a register of type `ty`, zero-extended.
    #[inline]
    pub(crate) fn lane(&self, s: Slot, ty: Ty, lane: usize) -> u64 {
        match ty.bits() {
            1 => u64::from(self.bits(s) >> lane & 1),
            64 => self.w64(s)[lane],
            _ => u64::from(self.w32(s)[lane]),
        }
    }
    #[inline]
    pub(crate) fn set_lane(&self, s: Slot, ty: Ty, lane: usize, value: u64) {
        match ty.bits() {
            1 => self.set_bits(s, ((value & 1) as u32) << lane, 1 << lane),
            64 => self.w64_mut(s)[lane] = value,
            _ => self.w32_mut(s)[lane] = value as u32,
        }
    }
}

/// The number of units of a register of this type.
pub(crate) fn units(ty: Ty) -> u32 {
    if ty.bits() == 64 { 2 } else { 1 }
}
