//! Conflicts between blocks that run one after the other: marks with the number of the block. See
//! [`crate::check::race`] for the rules. While blocks run in parallel, the machine itself separates them
//! ([`crate::machine::claims`]).

use crate::check::cells::{LARGEST, granule};
use crate::check::happens_before::Ordered;
use crate::check::race::Ctx;
use crate::check::race_report::{Side, report, tolerated};
use crate::code::program::Program;
use crate::code::registers::LANES;
use crate::code::sites::SiteFacts;
use crate::machine::observe::{AccessKind, Event};

/// Whether an access is part of the coherence order of its location: an atomic, or a volatile access, which is relaxed.
pub(crate) fn is_strong(site: SiteFacts) -> bool {
    site.atomic || site.volatile
}

/// The accesses of blocks to each granule of global memory.
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
    /// Thread in the upper half, site and the silent bit in the lower.
    low: u32,
}

#[derive(Clone, Copy, Default)]
struct GridCell {
    write: GridMark,
    reads: [GridMark; 2],
    atomics: [GridMark; 2],
}

/// The marks of an object's granules, in pieces: a piece without accesses takes no memory, and no time to clear.
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

    /// Splits granules into smaller ones.
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
        let t = e.thread(lane);
        let wrote = e.kind != AccessKind::Atomic || e.silent >> lane & 1 == 0;
        let writes = ctx.program.sites[e.site.0 as usize].writes && wrote;
        // By another block, since the last grid barrier.
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
        // Two marks by different blocks: an access by any third block conflicts with one of them.
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

    /// Checks the earlier accesses of other blocks to a granule.
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
            let order = match &ctx.order {
                Some(happens) => match happens.ordered(mine, others, m.clock) {
                    Ordered::OnlyWithFences
                        if is_strong(ctx.program.sites[site as usize])
                            && happens.is_coherent(mine, others, m.clock, place) =>
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
                    unfinished: false,
                    before: false,
                };
                report(ctx, e, lane, offset, t, side, order);
            }
        }
    }
}
