//! The shadow memory of an object within a block: the last accesses to each granule, and fast checks over runs of
//! granules.

use std::cell::RefCell;

use crate::code::registers::LANES;
use crate::machine::observe::{AccessKind, Event};

/// A recorded access: time, thread, site, and whether it was a store that did not change the value.
pub(crate) type Mark = u64;

pub(crate) fn mark(clock: u32, thread: u32, site: u32, silent: bool) -> Mark {
    u64::from(clock) << 32 | u64::from(thread) << 16 | u64::from(site) << 1 | u64::from(silent)
}
#[inline(always)]
pub(crate) fn time(m: Mark) -> u32 {
    (m >> 32) as u32
}
#[inline(always)]
pub(crate) fn thread(m: Mark) -> u32 {
    (m >> 16) as u32 & 0xffff
}
pub(crate) fn site(m: Mark) -> u32 {
    m as u32 >> 1 & 0x7fff
}
pub(crate) fn silent(m: Mark) -> bool {
    m & 1 == 1
}

/// The marks of an object's granules.
#[derive(Default)]
pub(crate) struct Cells {
    /// Bytes of a granule, as a power of two.
    pub shift: u32,
    pub write: Vec<Mark>,
    pub read: Vec<Mark>,
    /// A read by a thread other than `read`, if possible of another warp.
    pub other_read: Vec<Mark>,
    pub atomic: Vec<Mark>,
    pub other_atomic: Vec<Mark>,
    /// The range that has marks: first granule, and the one after the last.
    touched: (usize, usize),
}

thread_local! {
    /// Empty marks of earlier launches: most launches have arrays of the same sizes.
    // Boxed, as they are used.
    #[allow(clippy::vec_box)]
    static SPARE: RefCell<Vec<Box<Cells>>> = const { RefCell::new(Vec::new()) };
}

/// How many are kept, and the granules of the largest.
const MOST_SPARE: usize = 16;
const SPARE_GRANULES: usize = 1 << 15;

impl Cells {
    pub(crate) fn new(size: u64, atomics: bool, shift: u32) -> Box<Cells> {
        let n = (size.div_ceil(4) << (LARGEST - shift)) as usize;
        let m = if atomics { n } else { 0 };
        let spare = SPARE.with_borrow_mut(|spare| {
            let fits = |c: &Cells| c.write.len() == n && c.atomic.len() == m;
            spare.iter().position(|c| fits(c)).map(|i| spare.swap_remove(i))
        });
        if let Some(mut spare) = spare {
            spare.shift = shift;
            return spare;
        }
        Box::new(Cells {
            shift,
            write: vec![0; n],
            read: vec![0; n],
            other_read: vec![0; n],
            atomic: vec![0; m],
            other_atomic: vec![0; m],
            touched: (usize::MAX, 0),
        })
    }

    /// Keeps the memory for another launch.
    pub(crate) fn recycle(mut self: Box<Cells>) {
        if self.write.len() > SPARE_GRANULES {
            return;
        }
        let (from, to) = std::mem::replace(&mut self.touched, (usize::MAX, 0));
        for marks in self.marks() {
            if let Some(touched) = marks.get_mut(from..to) {
                touched.fill(0);
            }
        }
        SPARE.with_borrow_mut(|spare| {
            if spare.len() == MOST_SPARE {
                spare.remove(0);
            }
            spare.push(self);
        });
    }

    fn marks(&mut self) -> [&mut Vec<Mark>; 5] {
        [
            &mut self.write,
            &mut self.read,
            &mut self.other_read,
            &mut self.atomic,
            &mut self.other_atomic,
        ]
    }

    #[inline(always)]
    pub(crate) fn touch(&mut self, from: usize, len: usize) {
        self.touched = (self.touched.0.min(from), self.touched.1.max(from + len));
    }

    /// Splits granules into smaller ones. Pages without marks take no memory.
    #[cold]
    pub(crate) fn split(&mut self, shift: u32) {
        let parts = 1 << (self.shift - shift);
        self.shift = shift;
        let (from, to) = self.touched;
        self.touched = (from.saturating_mul(parts), to * parts);
        for v in self.marks() {
            let mut small = vec![0; parts * v.len()];
            for (granules, &whole) in small.chunks_exact_mut(parts).zip(v.iter()) {
                if whole != 0 {
                    granules.fill(whole);
                }
            }
            *v = small;
        }
    }

    pub(crate) fn bytes(&self) -> u64 {
        (self.write.len() * 3 + self.atomic.len() * 2) as u64 * 8
    }
}

/// The largest granule, as a power of two of bytes.
pub(crate) const LARGEST: u32 = 2;

/// The largest granule such that an access only touches whole granules.
#[inline(always)]
pub(crate) fn granule(e: &Event) -> u32 {
    let mut bits = u64::from(e.size) | 1 << LARGEST;
    for l in 0..LANES {
        bits |= if e.mask >> l & 1 == 1 { e.offsets[l] } else { 0 };
    }
    bits.trailing_zeros()
}

/// Parameters of the fast checks over runs of granules.
#[derive(Clone, Copy)]
pub(crate) struct Run {
    pub base: u32,
    pub lane_bits: u32,
    pub clock: u32,
    pub site: u32,
    pub kind: AccessKind,
    /// Whether there are atomics of several widths, which may conflict with each other.
    pub mixed: bool,
}

impl Run {
    /// Whether the mark is recent, and by another thread.
    #[inline(always)]
    pub(crate) fn foreign(&self, m: Mark, t: u32) -> bool {
        (time(m) >= self.base) & (thread(m) != t)
    }

    /// `n` lanes read `per` granules each, starting at `g`. `PER` is `per` where it is known. Returns whether there may
    /// be a conflicting write by another thread.
    #[inline(always)]
    pub(crate) fn reads<const PER: u32>(
        &self,
        cells: &mut Cells,
        g: usize,
        n: usize,
        t: u32,
        step: u32,
        per: u32,
    ) -> bool {
        let per = if PER == 0 { per } else { PER };
        let len = n * per as usize;
        let w = &cells.write[g..g + len];
        let r = &mut cells.read[g..g + len];
        let o = &mut cells.other_read[g..g + len];
        let mut clash = false;
        let low = u64::from(self.site) << 1 | u64::from(self.clock) << 32;
        for i in 0..len {
            let t = t + step * (i as u32 / per);
            clash |= self.foreign(w[i], t);
            let new = low | u64::from(t) << 16;
            let old = r[i];
            let stays = self.foreign(old, t);
            // Keep a second reader from another warp rather than one from the first reader's warp.
            let keep = (time(o[i]) >= self.base)
                & (thread(o[i]) >> self.lane_bits != thread(old) >> self.lane_bits)
                & (t >> self.lane_bits == thread(old) >> self.lane_bits);
            o[i] = if stays & !keep { new } else { o[i] };
            r[i] = if stays { old } else { new };
        }
        if !cells.atomic.is_empty() {
            for i in 0..len {
                let t = t + step * (i as u32 / per);
                clash |= self.foreign(cells.atomic[g + i], t)
                    | self.foreign(cells.other_atomic[g + i], t);
            }
        }
        clash
    }

    /// Several lanes of a warp read one granule; the first and the last represent all of them.
    #[inline(always)]
    pub(crate) fn read_by_two(&self, cells: &mut Cells, g: usize, lanes: [u32; 2]) -> bool {
        let low = u64::from(self.site) << 1 | u64::from(self.clock) << 32;
        let (r, o) = (cells.read[g], cells.other_read[g]);
        let warp = lanes[0] >> self.lane_bits;
        if time(r) < self.base {
            cells.read[g] = low | u64::from(lanes[0]) << 16;
            cells.other_read[g] = low | u64::from(lanes[1]) << 16;
        } else if thread(r) >> self.lane_bits != warp {
            cells.other_read[g] = low | u64::from(lanes[0]) << 16;
        } else if time(o) < self.base || thread(o) >> self.lane_bits == warp {
            cells.read[g] = low | u64::from(lanes[0]) << 16;
            cells.other_read[g] = low | u64::from(lanes[1]) << 16;
        }
        let mut clash = time(cells.write[g]) >= self.base;
        if !cells.atomic.is_empty() {
            clash |= time(cells.atomic[g]) >= self.base;
        }
        clash
    }

    /// Like `reads`. Without a conflict the marks are set; otherwise they are left for a detailed check.
    #[inline(always)]
    pub(crate) fn writes<const PER: u32>(
        &self,
        cells: &mut Cells,
        g: usize,
        n: usize,
        t: u32,
        step: u32,
        per: u32,
        silent: u32,
    ) -> bool {
        let per = if PER == 0 { per } else { PER };
        let len = n * per as usize;
        let mut clash = false;
        {
            let w = &cells.write[g..g + len];
            let r = &cells.read[g..g + len];
            let o = &cells.other_read[g..g + len];
            for i in 0..len {
                let t = t + step * (i as u32 / per);
                clash |= self.foreign(w[i], t) | self.foreign(r[i], t) | self.foreign(o[i], t);
            }
        }
        if !cells.atomic.is_empty() {
            for i in 0..len {
                let t = t + step * (i as u32 / per);
                clash |= self.foreign(cells.atomic[g + i], t)
                    | self.foreign(cells.other_atomic[g + i], t);
            }
        }
        if !clash {
            self.set_writes(cells, g, len, t, step, per, silent);
        }
        clash
    }

    #[inline(always)]
    fn set_writes(
        &self,
        cells: &mut Cells,
        g: usize,
        len: usize,
        t: u32,
        step: u32,
        per: u32,
        silent: u32,
    ) {
        let low = u64::from(self.site) << 1 | u64::from(self.clock) << 32;
        let w = &mut cells.write[g..g + len];
        for i in 0..len {
            let k = i as u32 / per;
            let t = t + step * k;
            w[i] = low | u64::from(t) << 16 | u64::from(silent >> (k & 31) & 1);
        }
    }

    pub(crate) fn atomics(
        &self,
        cells: &mut Cells,
        g: usize,
        n: usize,
        t: u32,
        per: u32,
        failed: u32,
    ) -> bool {
        let mut clash = false;
        for i in 0..n * per as usize {
            let k = i as u32 / per;
            let t = t + k;
            let g = g + i;
            let failed = failed >> k & 1 == 1;
            clash |= self.foreign(cells.write[g], t)
                | self.foreign(cells.read[g], t)
                | self.foreign(cells.other_read[g], t)
                | self.mixed
                    & (self.foreign(cells.atomic[g], t) | self.foreign(cells.other_atomic[g], t));
            let new = mark(self.clock, t, self.site, failed);
            let old = cells.atomic[g];
            if self.foreign(old, t) {
                let o = cells.other_atomic[g];
                // A store conflicts with more accesses than a failed compare-and-swap.
                let keep = time(o) >= self.base
                    && (failed && !silent(o)
                        || thread(o) >> self.lane_bits != thread(old) >> self.lane_bits
                            && t >> self.lane_bits == thread(old) >> self.lane_bits);
                if !keep {
                    cells.other_atomic[g] = new;
                }
            } else if !(failed && time(old) >= self.base && !silent(old)) {
                cells.atomic[g] = new;
            }
        }
        clash
    }

    pub(crate) fn replace(
        &self,
        cells: &mut Cells,
        g: usize,
        n: usize,
        t: u32,
        step: u32,
        per: u32,
        silent: u32,
    ) {
        if self.kind == AccessKind::Write {
            self.set_writes(cells, g, n * per as usize, t, step, per, silent);
        }
    }
}
