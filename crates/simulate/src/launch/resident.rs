//! Memory that outlives launches: what a program has allocated on the device, and its variables.
//!
//! Each object has a slot, and the address of its first byte follows from the number of the slot: it is the pointer that
//! the host program has, too. So a pointer means the same object wherever it was stored. The bytes may be anywhere else:
//! a launch reads and writes them in place. Whether each byte has been written is kept, and whether an object has been
//! freed, so that a launch that uses it later can be told.
//!
//! A launch on resident memory has its own objects (shared memory, private memory, strings) in slots before those.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use lockstep_kernel::{Elem, Space};

use crate::launch::addresses::Addresses;
use crate::launch::written::WrittenBits;

const ADDRESSES: Addresses = Addresses::RESIDENT;

/// The number of the first slot: those before it are for objects of a single launch.
pub(crate) const FIRST: usize = 1024;

/// How many slots there are. Their addresses are below 2^47, and above what else a program has at fixed addresses.
const SLOTS: usize = 9216;

/// Slots from here on are for allocations of the device's heap.
pub(crate) const HEAP: usize = FIRST + SLOTS;

/// An object to be put into a slot.
#[derive(Clone, Debug)]
pub struct ResidentObject {
    pub name: String,
    pub space: Space,
    pub elem: Elem,
    pub size: u64,
    /// The address of its bytes in this process.
    pub at: usize,
    /// Whether it starts without a value, and every byte counts as unwritten until something writes it. Not for memory
    /// that the host can write by itself.
    pub starts_unwritten: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Occupied {
    pub name: Arc<str>,
    pub space: Space,
    pub elem: Elem,
    pub size: u64,
    pub at: usize,
    /// Whether it is known which bytes have been written.
    pub tracked: bool,
    /// Which bytes have been written; `None` means all.
    pub written: Option<Arc<WrittenBits>>,
    /// Where it was freed, if it was.
    pub freed: Option<Arc<str>>,
}

/// An allocation of the device's heap.
#[derive(Clone, Debug)]
pub(crate) struct KeptBlock {
    pub words: Vec<u64>,
    pub size: u64,
    pub is_freed: bool,
}

/// All objects that outlive launches.
#[derive(Debug, Default)]
pub struct Resident {
    slots: Vec<Option<Occupied>>,
    /// Addresses of the host that mean an object in a slot, too.
    aliases: Vec<(Range<u64>, usize)>,
    /// The device's heap, which a launch takes and gives back.
    heap: Mutex<Vec<KeptBlock>>,
}

impl Resident {
    /// How many slots there are.
    pub const SLOTS: usize = SLOTS;
    /// The most bytes that an object in a slot can have.
    pub const MOST_BYTES: u64 = ADDRESSES.most_bytes();

    /// The address of the first byte of the object in a slot.
    pub fn address(slot: usize) -> u64 {
        ADDRESSES.origin(FIRST + slot)
    }

    /// The range of addresses of all slots.
    pub fn range() -> Range<u64> {
        let start = |number: usize| {
            ADDRESSES.origin(number) & !(ADDRESSES.origin(0) | (ADDRESSES.origin(0) - 1))
        };
        start(FIRST)..start(HEAP)
    }

    /// The slot that an address names, and the offset from its object's first byte, which may be outside of the object.
    pub fn slot_of(address: u64) -> Option<(usize, i64)> {
        let number = ADDRESSES.object_of(address);
        let offset = address.wrapping_sub(ADDRESSES.origin(number)) as i64;
        (FIRST..HEAP).contains(&number).then(|| (number - FIRST, offset))
    }

    /// Puts an object into a slot.
    ///
    /// # Safety
    ///
    /// There are that many bytes at [`ResidentObject::at`], aligned to 256 bytes, until the object is freed or replaced,
    /// and nothing else accesses them while a launch runs.
    pub unsafe fn put(&mut self, slot: usize, object: ResidentObject) {
        assert!(slot < SLOTS && object.size <= Self::MOST_BYTES);
        if self.slots.len() <= slot {
            self.slots.resize(slot + 1, None);
        }
        let ResidentObject { name, space, elem, size, at, starts_unwritten } = object;
        let unwritten = starts_unwritten && size > 0;
        self.slots[slot] = Some(Occupied {
            name: name.into(),
            space,
            elem,
            size,
            at,
            tracked: starts_unwritten,
            written: unwritten.then(|| Arc::new(WrittenBits::new(size))),
            freed: None,
        });
    }

    /// Marks the object in a slot as freed. `told` says where, as part of a sentence: "cudaFree at main.cu:12".
    pub fn free(&mut self, slot: usize, told: &str) {
        if let Some(object) = self.slots.get_mut(slot).and_then(Option::as_mut) {
            object.freed = Some(told.into());
            object.at = 0;
            object.written = None;
        }
        self.aliases.retain(|(_, s)| *s != slot);
    }

    /// These addresses of the host mean the object in a slot, too: kernels may get a pointer in either form.
    pub fn alias(&mut self, host: Range<u64>, slot: usize) {
        self.aliases.push((host, slot));
    }

    /// The address in a slot that an address of the host means, if it is an alias.
    pub(crate) fn translated(&self, address: u64) -> Option<u64> {
        let (range, slot) = self.aliases.iter().find(|(range, _)| range.contains(&address))?;
        Some(Resident::address(*slot) + (address - range.start))
    }

    /// The device's heap and all objects are gone.
    pub fn clear(&mut self) {
        self.slots.clear();
        self.aliases.clear();
        self.heap.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Bytes of the object in a slot were written by the host.
    pub fn mark_written(&mut self, slot: usize, offset: u64, len: u64) {
        let Some(object) = self.slots.get_mut(slot).and_then(Option::as_mut) else { return };
        if let Some(bits) = &mut object.written {
            let bits = Arc::make_mut(bits);
            bits.set(offset, len);
            if bits.complete() {
                object.written = None;
            }
        }
    }

    /// Bytes of one object were copied to another: those without a value have none there, either.
    pub fn copy_written(&mut self, to: (usize, u64), from: (usize, u64), len: u64) {
        let source =
            self.slots.get(from.0).and_then(Option::as_ref).and_then(|o| o.written.clone());
        self.mark_written(to.0, to.1, len);
        let Some(mut source) = source else { return };
        let Some(object) = self.slots.get_mut(to.0).and_then(Option::as_mut) else { return };
        if !object.tracked {
            return;
        }
        let source = Arc::make_mut(&mut source);
        let size = object.size;
        let bits = object.written.get_or_insert_with(|| Arc::new(WrittenBits::full(size)));
        let bits = Arc::make_mut(bits);
        const STEP: u64 = 64;
        for start in (0..len).step_by(STEP as usize) {
            let step = STEP.min(len - start);
            if source.all(from.1 + start, step) {
                continue;
            }
            for i in start..start + step {
                if !source.all(from.1 + i, 1) {
                    bits.unset(to.1 + i, 1);
                }
            }
        }
        if bits.complete() {
            object.written = None;
        }
    }

    /// Whether any of these bytes has a value.
    pub fn has_value(&self, slot: usize, offset: u64, len: u64) -> bool {
        let object = self.slots.get(slot).and_then(Option::as_ref);
        match object.and_then(|o| o.written.as_deref()) {
            None => true,
            Some(bits) => bits.any(offset, len),
        }
    }

    pub(crate) fn objects(&self) -> &[Option<Occupied>] {
        &self.slots
    }

    /// What a launch has found out about which bytes have a value.
    pub(crate) fn learn(&mut self, written: Vec<(usize, WrittenBits)>) {
        for (number, bits) in written {
            let slot = number.checked_sub(FIRST).and_then(|slot| self.slots.get_mut(slot));
            if let Some(object) = slot.and_then(Option::as_mut) {
                object.written = (!bits.complete()).then(|| Arc::new(bits));
            }
        }
    }

    pub(crate) fn has_heap(&self) -> bool {
        !self.heap.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    pub(crate) fn take_heap(&self) -> Vec<KeptBlock> {
        std::mem::take(&mut self.heap.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn keep_heap(&self, blocks: Vec<KeptBlock>) {
        *self.heap.lock().unwrap_or_else(PoisonError::into_inner) = blocks;
    }
}

/// The resident memory that a launch uses, and which of it the kernel's variables are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Home<'a> {
    pub memory: &'a Resident,
    /// By the kernel's objects: the slot of a variable that outlives the launch.
    pub variables: &'a [Option<usize>],
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_name_their_slots() {
        let range = Resident::range();
        assert!(range.end <= 1 << 47);
        for slot in [0, 1, SLOTS - 1] {
            let address = Resident::address(slot);
            assert!(range.contains(&address));
            assert_eq!(Resident::slot_of(address), Some((slot, 0)));
            assert_eq!(Resident::slot_of(address + 12), Some((slot, 12)));
            assert_eq!(Resident::slot_of(address - 4), Some((slot, -4)));
        }
        assert_eq!(Resident::slot_of(0x5555_5555_0000), None);
        assert_eq!(Resident::slot_of(0x7fff_ffff_0000), None);
    }

    #[test]
    fn a_copy_copies_what_has_no_value() {
        let mut memory = Resident::default();
        let object = ResidentObject {
            name: "a".into(),
            space: Space::Global,
            elem: Elem::Bytes(1),
            size: 8,
            at: 0,
            starts_unwritten: true,
        };
        // SAFETY: no launch runs.
        unsafe {
            memory.put(0, object.clone());
            memory.put(1, object);
        }
        memory.mark_written(0, 0, 4);
        memory.mark_written(1, 0, 8);
        memory.copy_written((1, 2), (0, 1), 5);
        let bits = memory.slots[1].as_ref().and_then(|o| o.written.as_deref().cloned());
        let mut bits = bits.expect("two bytes have no value");
        let set: Vec<bool> = (0..8).map(|i| bits.all(i, 1)).collect();
        assert_eq!(set, [true, true, true, true, true, false, false, true]);
    }
}
