//! The device's memory, as the host sees it: allocations, and which of them an address means.
//!
//! The address of an allocation follows from its slot ([`Resident`]), so that the host and the kernels have the same
//! pointers. The bytes of memory that only the device may use are elsewhere: at the address itself there is nothing, and
//! a host that reads there is stopped by the machine. Memory that both use lies at the address.
//!
//! A slot is not used again before [`QUARANTINE`] others have been freed: until then a pointer into it is known to be
//! one into freed memory.

use std::collections::VecDeque;

use lockstep_kernel::{Elem, Space};
use lockstep_simulate::{Resident, ResidentObject};

use crate::site::Site;

/// How many freed slots stay unused.
const QUARANTINE: usize = 512;

/// The bytes that the device says it has.
pub(crate) const TOTAL: u64 = 16 << 30;

/// The alignment that CUDA promises, and the simulator needs.
pub(crate) const ALIGN: usize = 256;

/// Who may use an allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    Device,
    /// Pinned memory of the host, which kernels may use.
    Pinned,
    Managed,
    /// Memory that the program itself has, and has registered.
    Registered,
    /// A variable of the device code.
    Variable,
}

#[derive(Clone, Debug)]
pub(crate) struct Allocation {
    pub size: u64,
    pub used: Use,
    /// The function that made it: `cudaMalloc`.
    pub call: &'static str,
    pub site: Site,
    bytes: Bytes,
    pub freed: Option<(&'static str, Site)>,
}

#[derive(Clone, Copy, Debug)]
enum Bytes {
    /// Pages of this process from an address on.
    Mapped {
        at: usize,
        len: usize,
    },
    /// Of the program.
    Foreign {
        at: usize,
    },
    Gone,
}

/// What an address means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spot {
    pub slot: usize,
    pub offset: i64,
}

#[derive(Debug, Default)]
pub(crate) struct Memory {
    pub resident: Resident,
    slots: Vec<Option<Allocation>>,
    freed: VecDeque<usize>,
    pub in_use: u64,
    /// Memory of the program that kernels reach by its own addresses: from, to, and the slot.
    registered: Vec<(u64, u64, usize)>,
}

impl Memory {
    /// The allocation that an address names, freed or not, and the offset in it.
    pub(crate) fn find(&self, address: u64) -> Option<Spot> {
        if let Some(&(from, _, slot)) =
            self.registered.iter().find(|(from, to, _)| (*from..*to).contains(&address))
        {
            return Some(Spot { slot, offset: (address - from) as i64 });
        }
        let (slot, offset) = Resident::slot_of(address)?;
        Some(Spot { slot, offset })
    }

    pub(crate) fn get(&self, slot: usize) -> Option<&Allocation> {
        self.slots.get(slot)?.as_ref()
    }

    /// All that is allocated and not freed.
    pub(crate) fn live(&self) -> impl Iterator<Item = (usize, &Allocation)> {
        let all = self.slots.iter().enumerate();
        all.filter_map(|(i, a)| Some((i, a.as_ref()?))).filter(|(_, a)| a.freed.is_none())
    }

    fn free_slot(&mut self) -> Option<usize> {
        if self.freed.len() > QUARANTINE || self.slots.len() == Resident::SLOTS {
            return self.freed.pop_front();
        }
        self.slots.push(None);
        Some(self.slots.len() - 1)
    }

    /// New memory; `None` if there is none left. Returns its address.
    pub(crate) fn allocate(
        &mut self,
        size: u64,
        used: Use,
        call: &'static str,
        site: Site,
    ) -> Option<u64> {
        if size > Resident::MOST_BYTES || size > TOTAL.saturating_sub(self.in_use) {
            return None;
        }
        let slot = self.free_slot()?;
        let address = Resident::address(slot);
        let by_host = matches!(used, Use::Pinned | Use::Managed);
        let len = size.max(1).next_multiple_of(PAGE) as usize;
        let Some(at) = map(len, by_host.then_some(address as usize)) else {
            self.freed.push_back(slot);
            return None;
        };
        let name = format!("memory of {call}{}", site.told());
        self.put(slot, name, size, Space::Global, Elem::Bytes(1), at, used == Use::Device);
        let bytes = Bytes::Mapped { at, len };
        self.slots[slot] = Some(Allocation { size, used, call, site, bytes, freed: None });
        self.in_use += size;
        Some(address)
    }

    /// Memory of the program, which kernels can use from now on.
    pub(crate) fn register(&mut self, at: usize, size: u64, site: Site) -> Option<u64> {
        let slot = self.free_slot()?;
        let call = "cudaHostRegister";
        let name = format!("memory of {call}{}", site.told());
        self.put(slot, name, size, Space::Global, Elem::Bytes(1), at, false);
        let bytes = Bytes::Foreign { at };
        let used = Use::Registered;
        self.slots[slot] = Some(Allocation { size, used, call, site, bytes, freed: None });
        self.alias(at, size, slot);
        Some(Resident::address(slot))
    }

    /// A variable of the device code. With `at`, it is memory of the program.
    pub(crate) fn variable(
        &mut self,
        name: &str,
        space: Space,
        elem: Elem,
        size: u64,
        at: Option<usize>,
    ) -> Option<usize> {
        let slot = self.free_slot()?;
        let len = size.max(1).next_multiple_of(PAGE) as usize;
        let bytes = match at {
            Some(at) => Bytes::Foreign { at },
            None => Bytes::Mapped { at: map(len, None)?, len },
        };
        self.put(slot, name.into(), size, space, elem, bytes.at(), false);
        // One that the host has, too, is managed.
        let used = if at.is_some() { Use::Managed } else { Use::Variable };
        let (call, site) = ("", Site::default());
        self.slots[slot] = Some(Allocation { size, used, call, site, bytes, freed: None });
        if let Some(at) = at {
            self.alias(at, size, slot);
        }
        Some(slot)
    }

    fn alias(&mut self, at: usize, size: u64, slot: usize) {
        self.registered.push((at as u64, at as u64 + size.max(1), slot));
        self.resident.alias(at as u64..at as u64 + size.max(1), slot);
    }

    fn put(
        &mut self,
        slot: usize,
        name: String,
        size: u64,
        space: Space,
        elem: Elem,
        at: usize,
        starts_unwritten: bool,
    ) {
        let object = ResidentObject { name, space, elem, size, at, starts_unwritten };
        // SAFETY: the bytes stay mapped until `free`, which tells `resident`; the state of the device is locked while a
        // launch runs. Memory that the host has, too, it must not use before it has waited for the launch.
        unsafe { self.resident.put(slot, object) };
    }

    /// Frees an allocation; `call` is the function that does it.
    pub(crate) fn free(&mut self, slot: usize, call: &'static str, site: Site) {
        let Some(allocation) = self.slots.get_mut(slot).and_then(Option::as_mut) else { return };
        if let Bytes::Mapped { at, len } = allocation.bytes {
            // SAFETY: the pages were mapped by `map`, and nothing refers to them any more.
            unsafe { libc::munmap(at as *mut libc::c_void, len) };
        }
        let is_own =
            matches!(allocation.bytes, Bytes::Mapped { .. }) && allocation.used != Use::Variable;
        self.in_use -= if is_own { allocation.size } else { 0 };
        allocation.bytes = Bytes::Gone;
        self.resident.free(slot, &format!("{call}{}", site.told()));
        allocation.freed = Some((call, site));
        self.registered.retain(|(_, _, s)| *s != slot);
        self.freed.push_back(slot);
    }

    /// The bytes of an allocation.
    pub(crate) fn bytes(&self, slot: usize) -> Option<*mut u8> {
        let allocation = self.get(slot)?;
        let at = match allocation.bytes {
            Bytes::Gone => return None,
            bytes => bytes.at(),
        };
        Some(std::ptr::with_exposed_provenance_mut(at))
    }
}

impl Allocation {
    /// Whether its bytes, in pages of this library, are where its address says.
    pub(crate) fn is_at_its_address(&self, slot: usize) -> bool {
        matches!(self.bytes, Bytes::Mapped { at, .. } if at as u64 == Resident::address(slot))
    }
}

impl Bytes {
    fn at(self) -> usize {
        match self {
            Bytes::Mapped { at, .. } | Bytes::Foreign { at } => at,
            Bytes::Gone => 0,
        }
    }
}

const PAGE: u64 = 4096;

/// Pages of zeros, at an address or anywhere.
fn map(len: usize, at: Option<usize>) -> Option<usize> {
    let wanted = at.unwrap_or(0) as *mut libc::c_void;
    let mut flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    if at.is_some() {
        flags |= libc::MAP_FIXED_NOREPLACE;
    }
    let (read, write) = (libc::PROT_READ, libc::PROT_WRITE);
    // SAFETY: new pages, which replace none.
    let got = unsafe { libc::mmap(wanted, len, read | write, flags, -1, 0) };
    let is_right = got != libc::MAP_FAILED && at.is_none_or(|at| got as usize == at);
    is_right.then_some(got as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_means_its_allocation_until_long_after_it_was_freed() {
        let mut memory = Memory::default();
        let new = |memory: &mut Memory| {
            memory.allocate(100, Use::Device, "cudaMalloc", Site::default()).expect("there is room")
        };
        let first = new(&mut memory);
        let spot = memory.find(first + 8).expect("it is an allocation");
        assert_eq!(spot, Spot { slot: 0, offset: 8 });
        memory.free(0, "cudaFree", Site::default());
        for _ in 0..QUARANTINE {
            let other = new(&mut memory);
            assert_ne!(other, first);
            let slot = memory.find(other).expect("it is one").slot;
            memory.free(slot, "cudaFree", Site::default());
        }
        assert!(memory.get(0).is_some_and(|a| a.freed.is_some()));
        assert_eq!(new(&mut memory), first);
    }

    #[test]
    fn the_host_can_use_managed_memory_where_it_is() {
        let mut memory = Memory::default();
        let at = memory.allocate(64, Use::Managed, "cudaMallocManaged", Site::default());
        let at = at.expect("there is room");
        let slot = memory.find(at).expect("it is one").slot;
        assert_eq!(memory.bytes(slot).map(|p| p as u64), Some(at));
        // SAFETY: these are 64 bytes that were just allocated.
        unsafe { std::ptr::write_bytes(at as *mut u8, 7, 64) };
        assert!(memory.allocate(TOTAL, Use::Device, "cudaMalloc", Site::default()).is_none());
    }
}
