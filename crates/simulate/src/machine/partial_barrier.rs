//! Barriers of some threads of a block: PTX's named barriers, and barriers in two halves.
//!
//! A named barrier opens when as many threads have come as it is for, whether they wait (`bar.sync`) or not
//! (`bar.arrive`), and then counts from zero again. Who waits learns what those have done who came for the same opening,
//! and nothing that they did later. In a split barrier each thread arrives and later waits; who arrived last opens it.
//!
//! Who arrives lets all others run first, so that a thread that is several rounds ahead meets those it should have
//! waited for.

use lockstep_kernel::SiteId;
use rustc_hash::FxHashMap;

use crate::code::lanes::LANES;
use crate::machine::block::{BarrierWait, BlockRun, State, World};

/// PTX has so many; split barriers have numbers beyond.
const PTX_BARRIERS: u32 = 16;

/// A barrier of some of a block's threads.
#[derive(Default)]
pub(crate) struct Named {
    /// Threads that have come without waiting since it last opened.
    arrived: u32,
    /// How often it has opened.
    generation: u32,
    /// Before which opening each thread arrived last.
    tokens: FxHashMap<u32, u32>,
}

impl BlockRun<'_, '_> {
    /// Lanes come to a barrier and go on.
    pub(crate) fn arrive(&mut self, w: usize, mask: u32, id: u32, needed: u32, world: &mut World) {
        let first = self.warps[w].first_thread;
        let named = self.named.entry(id).or_default();
        named.arrived += mask.count_ones();
        let generation = named.generation;
        for l in (0..LANES as u32).filter(|l| mask >> l & 1 == 1) {
            named.tokens.insert(first + l, generation);
        }
        world.changes += 1;
        let opening = self.opening(id);
        let (races, mut ctx) = self.races(world);
        races.named_barrier(&mut ctx, opening, &[(w, mask)], false);
        if self.release_named(world) {
            return;
        }
        let named = self.named.entry(id).or_default();
        if named.arrived >= needed {
            named.arrived -= needed;
            named.generation += 1;
        }
    }

    /// Lanes wait for the opening that they arrived for: how, unless it has happened.
    pub(crate) fn await_opening(
        &mut self,
        w: usize,
        mask: u32,
        id: u32,
        site: SiteId,
        world: &mut World,
    ) -> Option<State> {
        let first = self.warps[w].first_thread;
        let named = self.named.entry(id).or_default();
        let lanes = (0..LANES as u32).filter(|l| mask >> l & 1 == 1);
        let tokens = lanes.map(|l| named.tokens.get(&(first + l)).copied());
        let generation = tokens.map(|t| t.unwrap_or(named.generation)).max().unwrap_or(0);
        if named.generation <= generation {
            return Some(State::Await { site, id, generation });
        }
        let (races, mut ctx) = self.races(world);
        races.learn_opening(&mut ctx, (id, generation), &[(w, mask)]);
        None
    }

    /// Which opening of a barrier those are told of who come now. All who wait at a barrier of PTX are there when it
    /// opens, and learn no more than what is known then: its openings need not be told apart.
    pub(crate) fn opening(&self, id: u32) -> (u32, u32) {
        let generation = self.named.get(&id).map_or(0, |n| n.generation);
        (id, if id < PTX_BARRIERS { 0 } else { generation })
    }

    /// Those that let others go first go on. True if there were any.
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

    /// Barriers whose count is reached. True if somebody goes on.
    pub(crate) fn release_named(&mut self, world: &mut World) -> bool {
        self.release_halves(world) || self.release_counted(world)
    }

    fn release_counted(&mut self, world: &mut World) -> bool {
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
        let arrived = |id: &u32| self.named.get(id).map_or(0, |n| n.arrived);
        let full = counts.iter().find(|(id, needed, here)| here + arrived(id) >= *needed);
        let Some(&(id, needed, here)) = full else { return false };
        // Of those that came by without waiting, as many as were still needed.
        let used = needed.saturating_sub(here);
        self.release(
            world,
            used > 0,
            |s| matches!(s, State::Barrier(b) if b.id == id && b.threads.is_some()),
        );
        let named = self.named.entry(id).or_default();
        named.arrived = named.arrived.saturating_sub(used);
        named.generation += 1;
        true
    }

    /// Second halves whose barrier has opened.
    fn release_halves(&mut self, world: &mut World) -> bool {
        let mut open = Vec::new();
        for (w, warp) in self.warps.iter_mut().enumerate() {
            for g in &mut warp.groups {
                if let State::Await { id, generation, .. } = g.state
                    && self.named.get(&id).is_some_and(|n| n.generation > generation)
                {
                    g.state = State::Ready;
                    open.push((w, g.mask, id, generation));
                }
            }
        }
        for &(w, mask, id, generation) in &open {
            world.changes += 1;
            let (races, mut ctx) = self.races(world);
            races.learn_opening(&mut ctx, (id, generation), &[(w, mask)]);
        }
        !open.is_empty()
    }
}
