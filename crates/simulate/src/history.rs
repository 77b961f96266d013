//! Who accessed a place lately: enough to find, for any thread, the latest access
//! of another one before the last barrier.
//!
//! A [`Recent`] keeps four marks: of the two warps that came last, the last access
//! of two different threads each. So for every thread it has the last access of
//! another warp, and the last one of another thread of its own warp unless two
//! other warps came since. A [`History`] keeps two of them: what was before the
//! last barrier, which is compared with, and what came since, which must not push
//! that out.

use crate::race::{Mark, thread, time};

/// The lowest bit of a mark here: more than two threads of that warp came by, and
/// some of them are forgotten.
const FORGOT: Mark = 1;

/// Last warp: its last two threads; the warp before that: its last two threads.
#[derive(Clone, Copy, Default)]
pub(crate) struct Recent([Mark; 4]);

impl Recent {
    /// Remembers an access, not older than any before it; nothing before `floor`
    /// matters any more.
    fn insert(&mut self, m: Mark, floor: u32, lane_bits: u32) {
        let warp = |m: Mark| thread(m) >> lane_bits;
        let [mut a, mut b, mut c, mut d] = self.0;
        if time(c) < floor {
            (c, d) = (0, 0);
        }
        if time(a) < floor {
            (a, b) = (0, 0);
        }
        if a != 0 && warp(a) != warp(m) {
            // Another warp than last time: the one before that, or a third one.
            let (mine, mate) = if c != 0 && warp(c) == warp(m) { (c, d) } else { (0, 0) };
            (c, d) = (a, b);
            (a, b) = (mine, mate);
        }
        let mut forgot = (a | b | m) & FORGOT;
        if a != 0 && thread(a) != thread(m) {
            if b != 0 && thread(b) != thread(m) {
                forgot = FORGOT;
            }
            b = a;
        }
        self.0 = [m | forgot, b, c, d];
    }

    /// The marks, and whether others of the same warp are forgotten.
    pub(crate) fn marks(&self) -> impl Iterator<Item = (Mark, bool)> {
        let [a, b, c, d] = self.0;
        let (near, far) = ((a | b) & FORGOT != 0, (c | d) & FORGOT != 0);
        [(a, near), (b, near), (c, far), (d, far)].into_iter().filter(|m| m.0 != 0)
    }
}

#[derive(Clone, Copy, Default)]
pub(crate) struct History {
    old: Recent,
    new: Recent,
}

impl History {
    /// What happened from `floor` on and before the barrier at time `base`.
    #[inline(always)]
    pub(crate) fn before(&mut self, base: u32, floor: u32, lane_bits: u32) -> Recent {
        let last = self.new.0[0];
        if last != 0 && time(last) < base {
            self.settle(floor, lane_bits);
        }
        if time(self.old.0[0]) < floor { Recent::default() } else { self.old }
    }

    fn settle(&mut self, floor: u32, lane_bits: u32) {
        let mut marks = self.new.0;
        marks.sort_unstable();
        for m in marks.into_iter().filter(|m| *m != 0 && time(*m) >= floor) {
            self.old.insert(m, floor, lane_bits);
        }
        self.new = Recent::default();
    }

    /// Remembers an access after the barrier at time `base`.
    #[inline(always)]
    pub(crate) fn insert(&mut self, m: Mark, base: u32, floor: u32, lane_bits: u32) {
        let last = self.new.0[0];
        if last != 0 && time(last) < base {
            self.settle(floor, lane_bits);
        }
        self.new.insert(m, floor, lane_bits);
    }
}

/// The histories of a granule.
#[derive(Clone, Copy, Default)]
pub(crate) struct Cell {
    pub reads: History,
    pub writes: History,
    /// Atomics, and reads that poll a flag.
    pub strong: History,
}

const PAGE_SHIFT: u32 = 6;
type Page = [Cell; 1 << PAGE_SHIFT];

/// The granules of an object, as far as they were touched.
#[derive(Default)]
pub(crate) struct Pages {
    /// Bytes of a granule, as a power of two.
    pub shift: u32,
    pages: Vec<Option<Box<Page>>>,
}

impl Pages {
    pub(crate) fn new(size: u64) -> Pages {
        let n = size.div_ceil(4 << PAGE_SHIFT) as usize;
        Pages { shift: 2, pages: (0..n).map(|_| None).collect() }
    }

    /// The cell of a granule, and how many bytes that took from the heap.
    pub(crate) fn cell(&mut self, granule: u64) -> (&mut Cell, usize) {
        let page = &mut self.pages[(granule >> PAGE_SHIFT) as usize];
        let new = if page.is_none() { size_of::<Page>() } else { 0 };
        let page = page.get_or_insert_with(|| Box::new([Cell::default(); 1 << PAGE_SHIFT]));
        (&mut page[granule as usize & ((1 << PAGE_SHIFT) - 1)], new)
    }

    /// From words to bytes; how many more bytes of heap that takes.
    pub(crate) fn split_to_bytes(&mut self) -> usize {
        self.shift = 0;
        let mut more = 0;
        let pages = std::mem::take(&mut self.pages);
        for page in pages {
            for part in 0..4 {
                self.pages.push(page.as_ref().map(|page| {
                    more += size_of::<Page>() - size_of::<Page>() / 4;
                    let first = part << (PAGE_SHIFT - 2);
                    Box::new(std::array::from_fn(|i| page[first + i / 4]))
                }));
            }
        }
        more
    }
}
