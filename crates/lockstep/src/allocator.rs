//! Small memory: lists of free blocks, one for each size and thread.
//!
//! The engines make and drop small lists and tables by the million, and a general allocator takes a quarter of the time
//! of a small check. Here a block of up to [`LARGEST`] bytes (rounded up to a size that there is a list for) comes from the list of its size that the thread keeps, or
//! from the end of the thread's piece of memory; who drops it puts it on its own list. What is larger, or aligned to
//! more than [`UNIT`] bytes, is the system's.
//!
//! A list that has grown long (a thread that only drops what others make), and all lists of a thread that ends, go to the
//! lists that all threads share, from where threads take before they ask the system. So what is dropped is used again,
//! by whichever thread; it is not given back to the system.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::UnsafeCell;
use std::ptr::null_mut;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Blocks are multiples of this, and aligned to it.
const UNIT: usize = 16;
/// Up to here there is a list for every multiple; beyond, for four sizes between a power of two and the next.
const FINE: usize = 1024;
/// Bytes of the largest block.
const LARGEST: usize = 32 << 10;
const SIZES: usize = FINE / UNIT + 1 + 4 * (LARGEST / FINE).ilog2() as usize;
/// Bytes that a thread takes from the system at once.
const PIECE: usize = 256 << 10;
/// Blocks of one size that a thread keeps for itself, and bytes of them.
const MOST: u32 = 4096;
const MOST_BYTES: usize = 4 << 20;

/// The number of the size that so many bytes are rounded up to.
#[inline(always)]
const fn number(bytes: usize) -> usize {
    if bytes <= FINE {
        return bytes.div_ceil(UNIT);
    }
    let power = (bytes - 1).ilog2();
    let quarter = (bytes - 1) >> (power - 2) & 3;
    FINE / UNIT + 1 + 4 * (power - FINE.ilog2()) as usize + quarter
}

/// The bytes of a size.
const fn bytes(number: usize) -> usize {
    if number <= FINE / UNIT {
        return number * UNIT;
    }
    let (beyond, fine) = (number - FINE / UNIT - 1, FINE / 4);
    (fine << (beyond / 4)) * (5 + beyond % 4)
}

/// How many blocks of a size a thread keeps.
#[inline(always)]
fn most(size: usize) -> u32 {
    if size <= FINE / UNIT { MOST } else { (MOST_BYTES / LARGEST) as u32 }
}

/// What a free block holds.
struct Free {
    next: *mut Free,
    /// Of the first block of a shared list: the next such list.
    next_list: *mut Free,
}

/// The free memory of a thread.
struct Own {
    free: [*mut Free; SIZES],
    /// How many were put on each list since it was last empty, less those taken.
    count: [u32; SIZES],
    /// The rest of the latest piece.
    from: *mut u8,
    left: usize,
    /// Whether what the thread has will be shared when it ends, and whether that has been done.
    watched: bool,
    ended: bool,
}

/// The lists that all threads share: for each size the first block of the first list.
struct Shared([*mut Free; SIZES]);

// SAFETY: the blocks belong to nobody while they are here.
unsafe impl Send for Shared {}

static SHARED: Mutex<Shared> = Mutex::new(Shared([null_mut(); SIZES]));
/// Whether anything was ever shared: a check of one file on one thread never looks.
static ANY_SHARED: AtomicBool = AtomicBool::new(false);

thread_local! {
    static OWN: UnsafeCell<Own> = const {
        UnsafeCell::new(Own {
            free: [null_mut(); SIZES],
            count: [0; SIZES],
            from: null_mut(),
            left: 0,
            watched: false,
            ended: false,
        })
    };
    static END: End = const { End };
}

/// Shares what a thread has when it ends.
struct End;

impl Drop for End {
    fn drop(&mut self) {
        OWN.with(|own| {
            // SAFETY: the thread's own, and nothing below allocates.
            let own = unsafe { &mut *own.get() };
            own.ended = true;
            for size in 1..SIZES {
                // SAFETY: the blocks are free.
                unsafe { own.share(size) };
            }
        });
    }
}

impl Own {
    /// Puts the list of a size where all threads find it.
    #[cold]
    unsafe fn share(&mut self, size: usize) {
        let first = std::mem::replace(&mut self.free[size], null_mut());
        self.count[size] = 0;
        if first.is_null() {
            return;
        }
        let mut shared = SHARED.lock().unwrap_or_else(|e| e.into_inner());
        // SAFETY: a free block has room for both pointers.
        unsafe { (*first).next_list = shared.0[size] };
        shared.0[size] = first;
        ANY_SHARED.store(true, Ordering::Release);
    }

    /// A block where the list of its size is empty. By pointer: what is called here may allocate.
    #[cold]
    unsafe fn more(own: *mut Own, size: usize) -> *mut u8 {
        // SAFETY: the thread's own; what END allocates while it is made is done with it when it returns.
        let own = unsafe {
            if !(*own).watched {
                (*own).watched = true;
                let _ = END.try_with(|_| ());
            }
            &mut *own
        };
        if ANY_SHARED.load(Ordering::Acquire) {
            let mut shared = SHARED.lock().unwrap_or_else(|e| e.into_inner());
            let first = shared.0[size];
            if !first.is_null() {
                // SAFETY: the first block of a shared list.
                unsafe {
                    shared.0[size] = (*first).next_list;
                    own.free[size] = (*first).next;
                }
                own.count[size] = 0;
                return first.cast();
            }
        }
        let bytes = bytes(size);
        if own.left < bytes {
            // SAFETY: not empty.
            let piece = unsafe { System.alloc(Layout::from_size_align_unchecked(PIECE, UNIT)) };
            if piece.is_null() {
                return piece;
            }
            (own.from, own.left) = (piece, PIECE);
        }
        let block = own.from;
        // SAFETY: that much is left.
        own.from = unsafe { block.add(bytes) };
        own.left -= bytes;
        block
    }

    #[inline(always)]
    unsafe fn take(own: *mut Own, size: usize) -> *mut u8 {
        // SAFETY: the thread's own, and nothing here allocates.
        let state = unsafe { &mut *own };
        let first = state.free[size];
        if first.is_null() {
            // SAFETY: as for this.
            return unsafe { Own::more(own, size) };
        }
        // SAFETY: a free block.
        state.free[size] = unsafe { (*first).next };
        state.count[size] = state.count[size].saturating_sub(1);
        first.cast()
    }

    #[inline(always)]
    unsafe fn put(&mut self, size: usize, block: *mut u8) {
        let block: *mut Free = block.cast();
        // SAFETY: nobody uses the block any more.
        unsafe { (*block).next = self.free[size] };
        self.free[size] = block;
        self.count[size] += 1;
        if self.count[size] >= most(size) || self.ended {
            // SAFETY: the blocks are free.
            unsafe { self.share(size) };
        }
    }
}

pub(crate) struct Blocks;

/// The number of a size that is kept here.
#[inline(always)]
fn size_of(layout: Layout) -> Option<usize> {
    let small = layout.size() <= LARGEST && layout.size() > 0 && layout.align() <= UNIT;
    small.then(|| number(layout.size()))
}

// SAFETY: a block is on one list only, and is taken off it before it is handed out; all blocks of a list have its size,
// and pieces are aligned to `UNIT`, of which all sizes are multiples. Lists of a thread are touched by it alone, and
// nothing between the first and the last look at them allocates.
unsafe impl GlobalAlloc for Blocks {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match size_of(layout) {
            // SAFETY: as above.
            Some(size) => OWN.with(|own| unsafe { Own::take(own.get(), size) }),
            // SAFETY: as the caller says.
            None => unsafe { System.alloc(layout) },
        }
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        match size_of(layout) {
            // SAFETY: as above.
            Some(size) => OWN.with(|own| unsafe { (*own.get()).put(size, block) }),
            // SAFETY: as the caller says.
            None => unsafe { System.dealloc(block, layout) },
        }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if size_of(layout).is_none() {
            // SAFETY: as the caller says.
            return unsafe { System.alloc_zeroed(layout) };
        }
        // SAFETY: a new block of that size.
        unsafe {
            let block = self.alloc(layout);
            if !block.is_null() {
                block.write_bytes(0, layout.size());
            }
            block
        }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: the caller sees to it that this is a layout.
        let new = unsafe { Layout::from_size_align_unchecked(bytes, layout.align()) };
        match (size_of(layout), size_of(new)) {
            // SAFETY: as the caller says.
            (None, None) => unsafe { System.realloc(block, layout, bytes) },
            (a, b) if a == b => block,
            // SAFETY: two blocks, of which each has that many bytes.
            _ => unsafe {
                let other = self.alloc(new);
                if !other.is_null() {
                    other.copy_from_nonoverlapping(block, layout.size().min(bytes));
                    self.dealloc(block, layout);
                }
                other
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn every_size_has_a_list_that_is_large_enough() {
        for n in 1..=LARGEST {
            let size = number(n);
            assert!(size < SIZES && bytes(size) >= n && bytes(size).is_multiple_of(UNIT), "{n}");
            assert!(size == 1 || bytes(size - 1) < n, "{n}");
        }
        assert_eq!((number(LARGEST), bytes(SIZES - 1)), (SIZES - 1, LARGEST));
    }

    /// Blocks of all sizes, taken, changed in size and dropped in a mixed order: none overlaps another, each keeps its
    /// bytes and its alignment.
    #[test]
    fn blocks_keep_their_bytes() {
        let mut state = 7u64;
        let mut next = |n: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % n
        };
        let mut held: Vec<(*mut u8, Layout, u8)> = Vec::new();
        let full = |(block, layout, byte): (*mut u8, Layout, u8)| {
            // SAFETY: a block of that layout, written in full.
            let bytes = unsafe { std::slice::from_raw_parts(block, layout.size()) };
            assert!(bytes.iter().all(|b| *b == byte));
        };
        for round in 0..200_000 {
            let byte = round as u8;
            let size = 1 + next(if round % 8 == 0 { 50_000 } else { 200 });
            // SAFETY: blocks are used as long as they are held, within their layouts.
            unsafe {
                match next(5) {
                    0 | 1 if !held.is_empty() => {
                        let old = held.swap_remove(next(held.len()));
                        full(old);
                        Blocks.dealloc(old.0, old.1);
                    }
                    2 if !held.is_empty() => {
                        let at = next(held.len());
                        let (block, layout, byte) = held[at];
                        let new = Layout::from_size_align(size, layout.align()).unwrap();
                        let block = Blocks.realloc(block, layout, size);
                        let kept = std::slice::from_raw_parts(block, size.min(layout.size()));
                        assert!(kept.iter().all(|b| *b == byte));
                        block.write_bytes(byte, size);
                        held[at] = (block, new, byte);
                    }
                    which => {
                        let layout = Layout::from_size_align(size, 1 << next(7)).unwrap();
                        let block = match which {
                            3 => Blocks.alloc_zeroed(layout),
                            _ => Blocks.alloc(layout),
                        };
                        assert!(!block.is_null() && block as usize % layout.align() == 0);
                        if which == 3 {
                            full((block, layout, 0));
                        }
                        block.write_bytes(byte, size);
                        held.push((block, layout, byte));
                    }
                }
            }
        }
        held.into_iter().for_each(full);
    }

    /// Threads that only make, threads that only drop, and threads that end: everything arrives as it was sent.
    #[test]
    fn threads_hand_each_other_memory() {
        for _ in 0..4 {
            let (to, from) = channel::<Vec<String>>();
            let makers: Vec<_> = (0..4)
                .map(|maker: usize| {
                    let to = to.clone();
                    std::thread::spawn(move || {
                        for round in 0..60 {
                            let text = |i: usize| format!("{maker} {round} {}", "x".repeat(i % 90));
                            to.send((0..400).map(text).collect()).unwrap();
                        }
                    })
                })
                .collect();
            drop(to);
            let dropper = std::thread::spawn(move || {
                let mut seen = 0;
                for list in from {
                    for (i, text) in list.into_iter().enumerate() {
                        assert!(text.ends_with(&"x".repeat(i % 90)));
                        seen += 1;
                    }
                }
                seen
            });
            makers.into_iter().for_each(|m| m.join().unwrap());
            assert_eq!(dropper.join().unwrap(), 4 * 60 * 400);
        }
    }
}
