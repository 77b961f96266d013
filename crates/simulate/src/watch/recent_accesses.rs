//! Recent accesses to a granule: enough to find, for any thread, the latest access of another thread before the last
//! barrier.
//!
//! A [`Recent`] keeps four marks: for each of the two warps that accessed last, the last access of two different
//! threads. So for every thread it has the last access of another warp, and the last one of another thread of its own
//! warp unless two other warps accessed since. A [`History`] keeps two of them: accesses before the last barrier, which
//! are compared with, and accesses since, which must not displace those.

use crate::check::cells::{Mark, thread, time};

/// The lowest bit of a mark here: more than two threads of that warp made an access, and some of them are no longer
/// recorded.
const FORGOT: Mark = 1;

/// Last warp: its last two threads; the warp before that: its last two threads.
#[derive(Clone, Copy, Default)]
pub(crate) struct Recent([Mark; 4]);

impl Recent {
    /// Records an access that is not older than any before it; accesses before `floor` are irrelevant.
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

    /// Whether there was no access: the first mark is always that of the latest access.
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.0[0] == 0
    }

    /// The marks, and whether others of the same warp are no longer recorded.
    pub(crate) fn marks(&self) -> impl Iterator<Item = (Mark, bool)> {
        let [a, b, c, d] = self.0;
        let (near, far) = ((a | b) & FORGOT != 0, (c | d) & FORGOT != 0);
        [(a, near), (b, near), (c, far), (d, far)].into_iter().filter(|m| m.0 != 0)
    }
}

/// Four marks, the oldest first.
fn in_order([a, b, c, d]: [Mark; 4]) -> [Mark; 4] {
    let (a, b, c, d) = (a.min(b), a.max(b), c.min(d), c.max(d));
    let (a, c, b, d) = (a.min(c), a.max(c), b.min(d), b.max(d));
    [a, b.min(c), b.max(c), d]
}

#[derive(Clone, Copy, Default)]
pub(crate) struct History {
    old: Recent,
    new: Recent,
}

impl History {
    /// The accesses from `floor` on and before the barrier at time `base`.
    #[inline(always)]
    pub(crate) fn before(&mut self, base: u32, floor: u32, lane_bits: u32) -> Recent {
        let last = self.new.0[0];
        if last != 0 && time(last) < base {
            self.settle(floor, lane_bits);
        }
        if time(self.old.0[0]) < floor { Recent::default() } else { self.old }
    }

    fn settle(&mut self, floor: u32, lane_bits: u32) {
        let marks = std::mem::take(&mut self.new).0;
        let [a, b, c, d] = marks;
        let matters = |m: Mark| m == 0 || time(m) >= floor;
        let falls = a > b && a > c && (b == 0 || b > c) && (d == 0 || c > d);
        if falls && time(self.old.0[0]) < floor && marks.into_iter().all(matters) {
            // Inserting them one by one into an empty record, the oldest first, gives the same.
            self.old = Recent(marks);
            return;
        }
        for m in in_order(marks).into_iter().filter(|m| *m != 0 && time(*m) >= floor) {
            self.old.insert(m, floor, lane_bits);
        }
    }

    /// Records an access after the barrier at time `base`.
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

/// The granules of an object that were accessed.
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

    /// The cell of a granule, and how many bytes were allocated for it.
    pub(crate) fn cell(&mut self, granule: u64) -> (&mut Cell, usize) {
        let page = &mut self.pages[(granule >> PAGE_SHIFT) as usize];
        let new = if page.is_none() { size_of::<Page>() } else { 0 };
        let page = page.get_or_insert_with(|| Box::new([Cell::default(); 1 << PAGE_SHIFT]));
        (&mut page[granule as usize & ((1 << PAGE_SHIFT) - 1)], new)
    }

    /// From words to bytes; returns how many more bytes that allocates.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::cells::mark;

    /// The marks that remain after a barrier are those that result from inserting them one by one, in order.
    #[test]
    fn settled_marks_are_those_inserted_one_by_one() {
        let mut state = 3u32;
        let mut next = |n: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % n
        };
        for round in 0..20_000 {
            let mut history = History::default();
            let (mut clock, mut base, mut floor) = (1, 1, 1);
            let (warps, lanes) = (1 + next(3), 1 + next(4));
            for _ in 0..next(24) {
                clock += next(2);
                match next(12) {
                    0 => {
                        clock += 1;
                        base = clock;
                    }
                    1 if round % 3 == 0 => {
                        clock += 1;
                        (base, floor) = (clock, clock);
                    }
                    _ => {
                        let t = next(warps) << 5 | next(lanes);
                        history.insert(mark(clock, t, 1, false), base, floor, 5);
                    }
                }
            }
            let mut one_by_one = history.old;
            let mut marks = history.new.0;
            marks.sort_unstable();
            assert_eq!(in_order(history.new.0), marks);
            for m in marks.into_iter().filter(|m| *m != 0 && time(*m) >= floor) {
                one_by_one.insert(m, floor, 5);
            }
            let none = history.new.is_empty();
            history.settle(floor, 5);
            // If nothing happened since, and all earlier accesses are too old, both are irrelevant.
            if !none || time(one_by_one.0[0]) >= floor {
                assert_eq!(history.old.0, one_by_one.0);
            }
        }
    }
}
