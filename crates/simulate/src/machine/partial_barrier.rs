//! Barriers of some threads of a block: PTX's named barriers, and split (arrive/wait) barriers.
//!
//! A named barrier opens when as many threads have reached it as its count, whether they wait (`bar.sync`) or not
//! (`bar.arrive`), and then starts counting from zero again. What the threads of one opening did before it happens
//! before what the waiting threads do after it. In a split barrier each thread arrives and later waits; the last one to
//! arrive opens it.
//!
//! A thread that arrives lets all others run first, so that a race with a thread that is several iterations behind is
//! executed.

use lockstep_kernel::SiteId;
use rustc_hash::FxHashMap;

use crate::code::registers::LANES;
use crate::machine::block::BlockRun;
use crate::machine::observe::{Observer, Opening};
use crate::machine::warp::{BarrierWait, State};
use crate::machine::world::World;

/// The number of barriers in PTX; split barriers have larger numbers.
const PTX_BARRIERS: u32 = 16;

/// A barrier of some of a block's threads.
#[derive(Default)]
pub(crate) struct PartialBarrier {
    /// Threads that have arrived without waiting since it last opened.
    arrived: u32,
    /// How often it has opened.
    generation: u32,
    /// The opening that each thread last arrived for.
    tokens: FxHashMap<u32, u32>,
}

impl<O: Observer> BlockRun<'_, '_, O> {
    /// Lanes arrive at a barrier and continue.
    pub(crate) fn arrive(
        &mut self,
        w: usize,
        mask: u32,
        id: u32,
        needed: u32,
        world: &mut World<O>,
    ) {
        let first = self.warps[w].first_thread;
        let barrier = self.partial_barriers.entry(id).or_default();
        barrier.arrived += mask.count_ones();
        let generation = barrier.generation;
        for l in (0..LANES as u32).filter(|l| mask >> l & 1 == 1) {
            barrier.tokens.insert(first + l, generation);
        }
        world.changes += 1;
        let opening = self.opening(id);
        let who = [(w, mask)];
        world.observer.partial_barrier(
            &mut self.observed,
            self.p,
            self.block,
            opening,
            &who,
            false,
        );
        if O::WEAK {
            self.barrier_weakly(&who, true, true, world);
        }
        if self.release_partial_barriers(world) {
            return;
        }
        let barrier = self.partial_barriers.entry(id).or_default();
        if barrier.arrived >= needed {
            barrier.arrived -= needed;
            barrier.generation += 1;
        }
    }

    /// Lanes wait for the opening that they arrived for; returns the waiting state, unless it has opened.
    pub(crate) fn await_opening(
        &mut self,
        w: usize,
        mask: u32,
        id: u32,
        site: SiteId,
        world: &mut World<O>,
    ) -> Option<State> {
        let first = self.warps[w].first_thread;
        let barrier = self.partial_barriers.entry(id).or_default();
        let lanes = (0..LANES as u32).filter(|l| mask >> l & 1 == 1);
        let tokens = lanes.map(|l| barrier.tokens.get(&(first + l)).copied());
        let generation = tokens.map(|t| t.unwrap_or(barrier.generation)).max().unwrap_or(0);
        if barrier.generation <= generation {
            return Some(State::Await { site, id, generation });
        }
        self.was_open(w, mask, (id, generation), world);
        None
    }

    fn was_open(&mut self, w: usize, mask: u32, opening: Opening, world: &mut World<O>) {
        let who = [(w, mask)];
        world.observer.partial_barrier_was_open(
            &mut self.observed,
            self.p,
            self.block,
            opening,
            &who,
        );
        if O::WEAK {
            self.barrier_weakly(&who, true, true, world);
        }
    }

    /// The next opening of a barrier, as reported to observers. All threads that wait at a PTX barrier are there when
    /// it opens, so its openings need not be distinguished.
    pub(crate) fn opening(&self, id: u32) -> Opening {
        let generation = self.partial_barriers.get(&id).map_or(0, |n| n.generation);
        (id, if id < PTX_BARRIERS { 0 } else { generation })
    }

    /// Groups that let others run first continue. Returns true if there were any.
    pub(crate) fn resume(&mut self) -> bool {
        let mut any = false;
        for g in self.warps.iter_mut().flat_map(|w| &mut w.groups) {
            if g.state == State::Paused {
                g.state = State::Ready;
                any = true;
            }
        }
        any
    }

    /// Opens barriers whose count is reached. Returns true if a thread can continue.
    pub(crate) fn release_partial_barriers(&mut self, world: &mut World<O>) -> bool {
        self.release_halves(world) || self.release_counted(world)
    }

    fn release_counted(&mut self, world: &mut World<O>) -> bool {
        let mut counts: Vec<(u32, u32, u32)> = Vec::new();
        for g in self.warps.iter().flat_map(|w| &w.groups) {
            let State::Barrier(BarrierWait { id, threads: Some(needed), .. }) = g.state else {
                continue;
            };
            match counts.iter_mut().find(|c| c.0 == id) {
                Some(c) => c.2 += g.mask.count_ones(),
                None => counts.push((id, needed, g.mask.count_ones())),
            }
        }
        let arrived = |id: &u32| self.partial_barriers.get(id).map_or(0, |n| n.arrived);
        let full = counts.iter().find(|(id, needed, here)| here + arrived(id) >= *needed);
        let Some(&(id, needed, here)) = full else { return false };
        // Threads that arrived without waiting: as many as were still needed.
        let used = needed.saturating_sub(here);
        self.release(
            world,
            used > 0,
            |s| matches!(s, State::Barrier(b) if b.id == id && b.threads.is_some()),
        );
        let barrier = self.partial_barriers.entry(id).or_default();
        barrier.arrived = barrier.arrived.saturating_sub(used);
        barrier.generation += 1;
        true
    }

    /// Releases waits whose split barrier has opened.
    fn release_halves(&mut self, world: &mut World<O>) -> bool {
        let mut open = Vec::new();
        for (w, warp) in self.warps.iter_mut().enumerate() {
            for g in &mut warp.groups {
                if let State::Await { id, generation, .. } = g.state
                    && self.partial_barriers.get(&id).is_some_and(|n| n.generation > generation)
                {
                    g.state = State::Ready;
                    open.push((w, g.mask, id, generation));
                }
            }
        }
        for &(w, mask, id, generation) in &open {
            world.changes += 1;
            self.was_open(w, mask, (id, generation), world);
        }
        !open.is_empty()
    }
}
