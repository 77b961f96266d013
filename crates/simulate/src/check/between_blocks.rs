//! Conflicts between blocks: a cheap table of owners while blocks run in parallel,
//! and marks with the block for the full check. See [`crate::check::race`] for the rules.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

use lockstep_kernel::Space;

use crate::check::happens_before::Ordered;
use crate::check::race::{AccessKind, COPY_ENGINE, Ctx, Event, LARGEST, granule};
use crate::check::race_report::{Side, report, tolerated};
use crate::code::lanes::LANES;
use crate::code::program::{Program, SiteFacts};

/// Between blocks, while they run in parallel: who touched which word. Any
/// conflict ends the parallel run.
pub(crate) struct Owners {
    objects: Vec<Vec<AtomicU32>>,
    pub stop: AtomicBool,
}

const READ: u32 = 1;
const WRITTEN: u32 = 2;
const ATOMIC: u32 = 3;
/// Read by several blocks; updated atomically by several blocks.
const READ_BY_MANY: u32 = (u32::MAX - 3) | READ;
const ATOMIC_BY_MANY: u32 = (u32::MAX - 3) | ATOMIC;

/// Whether an access takes its place in the order of those of one location: an atomic, or a volatile store that sets a flag.
pub(crate) fn is_strong(site: SiteFacts) -> bool {
    site.atomic || site.volatile && site.writes
}

impl Owners {
    pub(crate) fn new(program: &Program) -> Owners {
        let objects = program
            .objects
            .iter()
            .map(|o| {
                let n = if o.space == Space::Global { o.size.div_ceil(4) } else { 0 };
                zeroed(n as usize)
            })
            .collect();
        Owners { objects, stop: AtomicBool::new(false) }
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.objects.iter().map(|o| o.len() as u64 * 4).sum()
    }

    /// Notes the access; false if another block's access is in conflict.
    #[inline(always)]
    pub(crate) fn access(&self, e: &Event, block: u32, narrow: bool) -> bool {
        let owners = &self.objects[e.object];
        let state = match e.kind {
            AccessKind::Read => READ,
            // An atomic of narrower scope is a store to other blocks.
            AccessKind::Atomic if !narrow => ATOMIC,
            AccessKind::Write | AccessKind::Atomic => WRITTEN,
        };
        if e.uniform {
            return self.one(
                owners,
                e.offsets[e.mask.trailing_zeros() as usize],
                e.size,
                block,
                state,
            );
        }
        let mut rest = e.mask;
        while rest != 0 {
            let l = rest.trailing_zeros() as usize;
            let n = 1 + ((e.adjacent & rest) >> l >> 1).trailing_ones();
            if !self.one(owners, e.offsets[l], e.size * n, block, state) {
                return false;
            }
            rest &= !(((1u64 << n) - 1) << l) as u32;
        }
        true
    }

    #[inline(always)]
    fn one(&self, owners: &[AtomicU32], offset: u64, size: u32, block: u32, state: u32) -> bool {
        let first = (offset >> 2) as usize;
        let last = ((offset + u64::from(size) - 1) >> 2) as usize;
        let mine = (block + 1) << 2;
        let (same, wider, many) = match state {
            READ => (mine | READ, mine | WRITTEN, READ_BY_MANY),
            WRITTEN => (mine | WRITTEN, mine | WRITTEN, mine | WRITTEN),
            _ => (mine | ATOMIC, mine | ATOMIC, ATOMIC_BY_MANY),
        };
        for cell in &owners[first..=last] {
            let old = cell.load(Relaxed);
            if (old == same) | (old == wider) | (old == many) {
                continue;
            }
            if !transition(cell, mine, state) {
                return false;
            }
        }
        true
    }
}

/// Moves a word's state; false on a conflict.
#[cold]
fn transition(cell: &AtomicU32, mine: u32, state: u32) -> bool {
    let mut old = cell.load(Relaxed);
    loop {
        let own = old == 0 || old & !3 == mine;
        let new = match (old & 3, state) {
            _ if old == 0 => mine | state,
            (a, b) if own && a == b => return true,
            // A block that mixes kinds on a word owns it alone.
            _ if own => mine | WRITTEN,
            (READ, READ) => READ_BY_MANY,
            (ATOMIC, ATOMIC) => ATOMIC_BY_MANY,
            _ => return false,
        };
        if old == new {
            return true;
        }
        match cell.compare_exchange_weak(old, new, Relaxed, Relaxed) {
            Ok(_) => return true,
            Err(now) => old = now,
        }
    }
}

/// A large table of zeros that costs nothing until it is touched.
fn zeroed(n: usize) -> Vec<AtomicU32> {
    let mut plain = std::mem::ManuallyDrop::new(vec![0u32; n]);
    // SAFETY: AtomicU32 has the layout of u32; the vector is handed over whole.
    unsafe { Vec::from_raw_parts(plain.as_mut_ptr().cast(), n, plain.capacity()) }
}

/// Between blocks, in full: marks with the block.
#[derive(Default)]
pub(crate) struct GridShadow {
    objects: Vec<Option<GridCells>>,
    /// Time of the last grid barrier.
    pub base: u32,
}

#[derive(Clone, Copy, Default)]
struct GridMark {
    clock: u32,
    block: u32,
    /// Thread in the upper half, site and silence in the lower.
    low: u32,
}

#[derive(Clone, Copy, Default)]
struct GridCell {
    write: GridMark,
    reads: [GridMark; 2],
    atomics: [GridMark; 2],
}

/// The marks of an object's granules, in pieces: what nobody touches takes no memory, and no time to clear.
struct GridCells {
    shift: u32,
    pieces: Vec<Option<Box<Piece>>>,
}

type Piece = [GridCell; PIECE];
const PIECE: usize = 64;

impl GridCells {
    fn new(size: u64, shift: u32) -> GridCells {
        let n = (size.div_ceil(4) << (LARGEST - shift)) as usize;
        GridCells { shift, pieces: (0..n.div_ceil(PIECE)).map(|_| None).collect() }
    }

    fn bytes(&self) -> u64 {
        let touched = self.pieces.iter().flatten().count();
        (self.pieces.len() * size_of::<Option<Box<Piece>>>() + touched * size_of::<Piece>()) as u64
    }

    fn cell(&mut self, granule: usize) -> &mut GridCell {
        let piece = self.pieces[granule / PIECE].get_or_insert_with(empty_piece);
        &mut piece[granule % PIECE]
    }

    /// Smaller granules from now on.
    fn split(&mut self, shift: u32) {
        let parts = 1 << (self.shift - shift);
        let mut small = Vec::with_capacity(parts * self.pieces.len());
        for piece in self.pieces.drain(..) {
            small.extend((0..parts).map(|part| {
                let from = part * PIECE / parts;
                piece.as_ref().map(|p| Box::new(std::array::from_fn(|i| p[from + i / parts])))
            }));
        }
        self.shift = shift;
        self.pieces = small;
    }
}

fn empty_piece() -> Box<Piece> {
    Box::new([GridCell::default(); PIECE])
}

impl GridShadow {
    pub(crate) fn new(program: &Program) -> GridShadow {
        GridShadow { objects: program.objects.iter().map(|_| None).collect(), base: 1 }
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.objects.iter().flatten().map(GridCells::bytes).sum()
    }

    pub(crate) fn access(&mut self, ctx: &mut Ctx, e: &Event) {
        let shift = granule(e);
        let size = ctx.program.objects[e.object].size;
        let mut object =
            self.objects[e.object].take().unwrap_or_else(|| GridCells::new(size, shift));
        if object.shift > shift {
            object.split(shift);
        }
        let shift = object.shift;
        for l in (0..LANES).filter(|l| e.mask >> l & 1 == 1) {
            let first = (e.offsets[l] >> shift) as usize;
            for g in first..first + (e.size >> shift) as usize {
                self.lane(ctx, e, l, object.cell(g), (g as u64) << shift);
            }
        }
        self.objects[e.object] = Some(object);
    }

    fn lane(&self, ctx: &mut Ctx, e: &Event, lane: usize, cell: &mut GridCell, offset: u64) {
        let t =
            if e.first_thread == COPY_ENGINE { COPY_ENGINE } else { e.first_thread + lane as u32 };
        let wrote = e.kind != AccessKind::Atomic || e.silent >> lane & 1 == 0;
        let writes = ctx.program.sites[e.site.0 as usize].writes && wrote;
        // Of another block, since the last barrier of the grid.
        let is_foreign = |m: &GridMark| (m.clock >= self.base) & (m.block != ctx.block);
        let foreign = is_foreign(&cell.write)
            | is_foreign(&cell.atomics[0])
            | is_foreign(&cell.atomics[1])
            | (writes & (is_foreign(&cell.reads[0]) | is_foreign(&cell.reads[1])));
        if foreign {
            self.examine(ctx, e, lane, cell, offset, (t, wrote, writes));
        }
        let silent = e.kind != AccessKind::Read && e.silent >> lane & 1 == 1;
        let new = GridMark {
            clock: *ctx.clock,
            block: ctx.block,
            low: t << 16 | e.site.0 << 1 | u32::from(silent),
        };
        // Two marks of different blocks: any third block conflicts with one.
        let remember = |slots: &mut [GridMark; 2]| {
            let stale = |m: GridMark| m.clock < self.base || m.clock == 0;
            if stale(slots[0]) || slots[0].block == new.block {
                slots[0] = new;
            } else if stale(slots[1]) || slots[1].block == new.block {
                slots[1] = new;
            } else {
                slots[0] = slots[1];
                slots[1] = new;
            }
        };
        match e.kind {
            AccessKind::Read => remember(&mut cell.reads),
            AccessKind::Atomic => remember(&mut cell.atomics),
            AccessKind::Write => cell.write = new,
        }
    }

    /// Looks at what other blocks did at a place.
    #[inline(never)]
    fn examine(
        &self,
        ctx: &mut Ctx,
        e: &Event,
        lane: usize,
        cell: &GridCell,
        offset: u64,
        (t, wrote, writes): (u32, bool, bool),
    ) {
        let mut earlier =
            [cell.write, cell.atomics[0], cell.atomics[1], cell.reads[0], cell.reads[1]];
        if !writes {
            earlier[3] = GridMark::default();
            earlier[4] = GridMark::default();
        }
        let place = (e.object as u32, e.offsets[lane]);
        for m in earlier {
            if m.clock < self.base || m.clock == 0 || m.block == ctx.block {
                continue;
            }
            let site = m.low >> 1 & 0x7fff;
            let other_wrote = !(ctx.program.sites[site as usize].atomic && m.low & 1 == 1);
            if tolerated(ctx.program, (site, other_wrote), (e.site.0, wrote), false) {
                continue;
            }
            let other = m.low >> 16;
            let mine = u64::from(ctx.block) << 32 | u64::from(t);
            let others = u64::from(m.block) << 32 | u64::from(other);
            let order = match &ctx.sync {
                Some(sync) => match sync.ordered(mine, others, m.clock) {
                    Ordered::OnlyWithFences
                        if is_strong(ctx.program.sites[site as usize])
                            && sync.is_coherent(mine, others, m.clock, place) =>
                    {
                        Ordered::Yes
                    }
                    order => order,
                },
                None => Ordered::No,
            };
            if order != Ordered::Yes {
                let side = Side {
                    block: m.block,
                    thread: other,
                    site,
                    silent: m.low & 1 == 1,
                    overwritten: cell.atomics[0].clock > m.clock || cell.atomics[1].clock > m.clock,
                    under_way: false,
                };
                report(ctx, e, lane, offset, t, side, order);
            }
        }
    }
}
