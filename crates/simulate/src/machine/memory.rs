//! Memory, as a block sees it: which bytes an address names, and the only operations that read and write them.
//!
//! Addresses are resolved against the object that the pointer carries ([`Memory::resolve_one`]); the result is a
//! [`Target`], and nothing else reads or writes bytes of a launch, but for store buffers between threads and memory,
//! which do so by addresses that a [`Target`] has given them ([`HostBytes`]).
//!
//! Blocks that run at the same time share the bytes of [`Globals`]. They never access the same byte unless both read it
//! or both use atomics ([`crate::machine::claims`]), and atomics on such memory are Rust atomics.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};

use lockstep_kernel::Space;

use crate::code::program::Program;
use crate::code::registers::{LANES, lane_mask};
use crate::launch::addresses::Addresses;
use crate::launch::layout::ObjectInfo;
use crate::weak::Ram;

/// Memory of some objects, accessed only through pointers.
pub(crate) struct Storage {
    words: Box<[UnsafeCell<u64>]>,
}

impl Storage {
    /// Zeros, with padding for an access of eight bytes at the end.
    pub(crate) fn new(bytes: u64) -> Storage {
        let zeros = vec![0u64; bytes.div_ceil(8) as usize + 1].into_boxed_slice();
        // SAFETY: `UnsafeCell<u64>` has the layout of `u64`, and the box is handed over whole.
        Storage { words: unsafe { Box::from_raw(Box::into_raw(zeros) as *mut [UnsafeCell<u64>]) } }
    }

    /// What [`Storage::words`] gave.
    pub(crate) fn of_words(words: Vec<u64>) -> Storage {
        Storage { words: words.into_iter().map(UnsafeCell::new).collect() }
    }

    fn len(&self) -> usize {
        self.words.len() * 8
    }

    fn base(&self) -> *mut u8 {
        UnsafeCell::raw_get(self.words.as_ptr()).cast()
    }

    /// A pointer to the byte at `offset`.
    pub(crate) fn at(&self, offset: u64) -> *mut u8 {
        assert!(offset as usize <= self.len());
        // SAFETY: within the storage, or right behind it.
        unsafe { self.base().add(offset as usize) }
    }

    /// Copies these bytes to `offset`.
    pub(crate) fn fill(&mut self, offset: u64, bytes: &[u8]) {
        assert!(offset as usize + bytes.len() <= self.len());
        // SAFETY: within the storage, to which `&mut self` guarantees exclusive access; a borrowed slice is elsewhere.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.at(offset), bytes.len()) };
    }

    pub(crate) fn clear(&mut self) {
        // SAFETY: this is the whole storage, and zero is a valid word.
        unsafe { std::ptr::write_bytes(self.base(), 0, self.len()) };
    }

    pub(crate) fn words(&mut self) -> impl Iterator<Item = u64> {
        self.words.iter_mut().map(|w| *w.get_mut())
    }
}

/// Memory as store buffers see it: by the addresses that [`Target::address`] gave.
pub(crate) struct HostBytes {
    _only_here: (),
}

impl HostBytes {
    /// For one run, which must not use it after the memory of the launch or, of shared memory, of the block is gone.
    pub(crate) fn of_run() -> HostBytes {
        HostBytes { _only_here: () }
    }
}

impl Ram for HostBytes {
    fn read(&self, at: usize, len: usize) -> u64 {
        let mut bytes = [0; 8];
        // SAFETY: the bytes are of an access that was checked against its object, or of the word around one, which is within
        // the storage, since that consists of words of eight bytes. One thread runs the launch.
        unsafe { std::ptr::copy_nonoverlapping(at as *const u8, bytes.as_mut_ptr(), len.min(8)) };
        u64::from_le_bytes(bytes)
    }

    fn write(&mut self, at: usize, len: usize, value: u64) {
        let bytes = value.to_le_bytes();
        // SAFETY: as in `read`; only bytes of an access are written.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), at as *mut u8, len.min(8)) };
    }
}

/// Memory that all blocks see.
pub(crate) struct Globals {
    /// By object: its bytes, if they are of this launch only.
    objects: Vec<Option<Storage>>,
}

// SAFETY: blocks that run at the same time claim the bytes that they access, so that no two threads access a byte
// that one of them writes, other than by atomics.
unsafe impl Sync for Globals {}

impl Globals {
    pub(crate) fn new(program: &Program) -> Globals {
        let is_own = |i: usize| {
            let o = &program.objects[i];
            let is_global = !matches!(o.space, Space::Shared | Space::Private) && i < program.heap;
            is_global && o.size > 0 && o.resident.is_none()
        };
        let storage = |i: usize| {
            let o = &program.objects[i];
            is_own(i).then(|| {
                let mut storage = Storage::new(o.size);
                if let Some(init) = &o.init {
                    storage.fill(0, &init[..init.len().min(o.size as usize)]);
                }
                storage
            })
        };
        Globals { objects: (0..program.objects.len()).map(storage).collect() }
    }

    /// The contents of an object, when no block is running any more.
    pub(crate) fn bytes(&mut self, object: usize, size: u64) -> Vec<u8> {
        let Some(storage) = &self.objects[object] else { return Vec::new() };
        assert!(size as usize <= storage.len());
        // SAFETY: that many bytes are in the storage, and `&mut self` guarantees that no block runs.
        unsafe { std::slice::from_raw_parts(storage.base(), size as usize) }.to_vec()
    }
}

/// The first byte of an object that all blocks see; null, for one without bytes.
fn base_of(o: &ObjectInfo, storage: Option<&Storage>) -> *mut u8 {
    match (storage, &o.resident) {
        (Some(storage), _) => storage.base(),
        (None, Some(resident)) => std::ptr::with_exposed_provenance_mut(resident.at),
        (None, None) => std::ptr::null_mut(),
    }
}

/// The location of an object's bytes, for the running warp.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    pub base: *mut u8,
    pub size: u64,
    /// Distance between lanes, for private memory.
    pub stride: u64,
    pub space: Space,
}

/// The memory of one block, and of the warp that runs.
pub(crate) struct Memory {
    addresses: Addresses,
    pub table: Vec<Entry>,
    shared: Storage,
    /// Objects that the kernel seems to only read. While blocks run at the same time, reads of them are neither claimed
    /// nor observed, and a write to one stops the run.
    pub unwritten: Vec<bool>,
}

impl Memory {
    pub(crate) fn new(p: &Program, globals: &Globals, parallel: bool) -> Memory {
        let shared = Storage::new(p.shared_arena + 8);
        let entry = |(i, o): (usize, &ObjectInfo)| Entry {
            base: match o.space {
                Space::Shared => shared.at(o.arena),
                _ => base_of(o, globals.objects[i].as_ref()),
            },
            size: o.size,
            stride: if o.space == Space::Private { p.private_arena } else { 0 },
            space: o.space,
        };
        let table = p.objects.iter().enumerate().map(entry).collect();
        let addresses = p.addresses;
        Memory {
            addresses,
            table,
            shared,
            unwritten: p.unwritten().map(|u| u && parallel).collect(),
        }
    }

    /// Sets shared memory to its state at the start of a block.
    pub(crate) fn start_block(&mut self, p: &Program) {
        self.shared.clear();
        for o in p.objects.iter().filter(|o| o.space == Space::Shared) {
            if let Some(init) = &o.init {
                self.shared.fill(o.arena, &init[..init.len().min(o.size as usize)]);
            }
        }
    }

    /// Makes the object table refer to the private memory of a warp.
    pub(crate) fn show_private(&mut self, p: &Program, private: &Storage) {
        for (e, o) in self.table.iter_mut().zip(&p.objects) {
            if o.space == Space::Private {
                e.base = private.at(o.arena);
            }
        }
    }

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
        let object = self.addresses.object_of(lead);
        let entry = *self.table.get(object)?;
        let start = self.addresses.origin(object);
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
        Some(Target { object, entry, mask, offsets, size, adjacent, same, uniform: differ == 0 })
    }

    /// Whether an access of `size` bytes lies within the object that its address names.
    pub(crate) fn fits(&self, address: u64, size: u64) -> bool {
        let object = self.addresses.object_of(address);
        let limit = self.table.get(object).and_then(|e| e.size.checked_sub(size));
        limit.is_some_and(|limit| address.wrapping_sub(self.addresses.origin(object)) <= limit)
    }
}

/// The lanes of a warp's access within one object. It is only created by [`Memory::resolve_one`], so for every lane in
/// `mask`, the `size` bytes starting at its offset exist.
pub(crate) struct Target {
    pub object: usize,
    entry: Entry,
    pub mask: u32,
    pub offsets: [u64; LANES],
    /// Bytes that each lane accesses.
    pub size: u64,
    /// Lanes whose bytes directly follow those of the next lower lane.
    pub adjacent: u32,
    /// Lanes at the same offset as the next lower lane.
    pub same: u32,
    pub uniform: bool,
}

impl Target {
    pub(crate) fn space(&self) -> Space {
        self.entry.space
    }

    /// The first byte of the object.
    pub(crate) fn bytes(&self) -> *const u8 {
        self.entry.base
    }

    /// Whether all 32 lanes access consecutive elements.
    #[inline(always)]
    pub(crate) fn contiguous(&self) -> bool {
        self.mask == u32::MAX && self.adjacent == u32::MAX - 1 && self.entry.stride == 0
    }

    /// Whether all lanes access the same bytes of host memory.
    #[inline(always)]
    pub(crate) fn is_one_place(&self) -> bool {
        self.uniform && self.entry.stride == 0
    }

    /// The host address of byte `from` of a lane's access.
    #[inline(always)]
    fn at(&self, lane: usize, from: u64) -> *mut u8 {
        relied_on!(self.mask >> lane & 1 == 1 && from < self.size);
        let offset = self.offsets[lane] + lane as u64 * self.entry.stride + from;
        // SAFETY: `resolve_one` checked the lane's offset and size against the object's size.
        unsafe { self.entry.base.add(offset as usize) }
    }

    /// Where byte `from` of a lane's access is, for store buffers.
    pub(crate) fn address(&self, lane: usize, from: u64) -> usize {
        self.at(lane, from) as usize
    }

    /// Bits of the element of `bytes` bytes at byte `from` of a lane's access.
    #[inline(always)]
    pub(crate) fn get(&self, lane: usize, from: u64, bytes: u32) -> u64 {
        relied_on!(from + u64::from(bytes) <= self.size);
        let p = self.at(lane, from);
        // SAFETY: the element is within the lane's access, which is within the object; no other thread writes it,
        // because the block has claimed it.
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
    pub(crate) fn put(&self, lane: usize, from: u64, bytes: u32, value: u64) {
        relied_on!(from + u64::from(bytes) <= self.size);
        let p = self.at(lane, from);
        // SAFETY: as in `get`; no other thread reads or writes it.
        unsafe {
            match bytes {
                1 => *p = value as u8,
                2 => p.cast::<u16>().write_unaligned(value as u16),
                4 => p.cast::<u32>().write_unaligned(value as u32),
                _ => p.cast::<u64>().write_unaligned(value),
            }
        }
    }

    /// The words of all lanes, if they are consecutive and four bytes wide.
    #[inline(always)]
    pub(crate) fn get_all(&self) -> [u32; LANES] {
        relied_on!(self.contiguous() && self.size == 4);
        // SAFETY: lane l is at offset 4 l from lane 0, and all are within the object.
        unsafe { self.at(0, 0).cast::<[u32; LANES]>().read_unaligned() }
    }

    #[inline(always)]
    pub(crate) fn put_all(&self, words: &[u32; LANES]) {
        relied_on!(self.contiguous() && self.size == 4);
        // SAFETY: as in `get_all`.
        unsafe { self.at(0, 0).cast::<[u32; LANES]>().write_unaligned(*words) };
    }

    /// All bytes of a lane's access.
    pub(crate) fn get_bytes(&self, lane: usize) -> Vec<u8> {
        // SAFETY: `size` bytes within the object, which no other thread writes while they are copied.
        unsafe { std::slice::from_raw_parts(self.at(lane, 0), self.size as usize) }.to_vec()
    }

    pub(crate) fn put_bytes(&self, lane: usize, bytes: &[u8]) {
        assert_eq!(bytes.len() as u64, self.size);
        // SAFETY: `size` bytes within the object; `bytes` are a copy that lies elsewhere.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.at(lane, 0), bytes.len()) };
    }

    /// Atomically replaces a lane's element; returns the old and the new value. `shared`: other blocks may do the same
    /// at the same time. `None` if that is not possible because the element is not aligned.
    #[inline(always)]
    pub(crate) fn modify(
        &self,
        lane: usize,
        bytes: u32,
        shared: bool,
        f: impl Fn(u64) -> u64,
    ) -> Option<(u64, u64)> {
        if shared {
            return self.exchange(lane, bytes, f);
        }
        let old = self.get(lane, 0, bytes);
        let new = f(old);
        self.put(lane, 0, bytes, new);
        Some((old, new))
    }

    #[inline(never)]
    fn exchange(&self, lane: usize, bytes: u32, f: impl Fn(u64) -> u64) -> Option<(u64, u64)> {
        let p = self.at(lane, 0);
        macro_rules! exchange {
            ($atomic:ty, $word:ty) => {{
                // SAFETY: within the object and aligned; the block has claimed the element for atomics, so no thread
                // accesses it in any other way while blocks run at the same time.
                let cell = unsafe { <$atomic>::from_ptr(p.cast()) };
                let mut old = cell.load(Relaxed);
                loop {
                    let new = f(u64::from(old)) as $word;
                    match cell.compare_exchange_weak(old, new, Relaxed, Relaxed) {
                        Ok(_) => break Some((u64::from(old), u64::from(new))),
                        Err(now) => old = now,
                    }
                }
            }};
        }
        match bytes {
            _ if !(p as usize).is_multiple_of(bytes as usize) => None,
            1 => exchange!(AtomicU8, u8),
            2 => exchange!(AtomicU16, u16),
            4 => exchange!(AtomicU32, u32),
            8 => exchange!(AtomicU64, u64),
            _ => None,
        }
    }
}
