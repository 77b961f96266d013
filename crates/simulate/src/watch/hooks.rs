//! What a run can watch besides the race checks: nothing, the footprint of a
//! launch ([`crate::watch::footprint`]), what some threads do ([`crate::watch::trace`]), or what its
//! barriers separate ([`crate::watch::barrier_needs`]).
//!
//! Accesses and synchronisations come by here if something is watched; if not,
//! each costs one test of an enumeration.

use lockstep_kernel::{Scope, SiteId, Space};

use crate::code::lanes::LANES;
use crate::machine::access::lanes_of;
use crate::machine::block::{BarrierWait, BlockRun, World};
use crate::watch::barrier_needs::{BlockSurvey, Survey};
use crate::watch::footprint::Touched;
use crate::watch::trace::Recorder;

pub(crate) enum Watch<'w> {
    Nothing,
    /// Counts words; the race checks do not run.
    Footprint(&'w mut Touched),
    /// Notes what some threads do; the race checks do not run.
    Trace(&'w mut Recorder),
    /// Beside the race checks.
    Barriers(&'w mut Survey),
}

impl Watch<'_> {
    /// A block is done.
    pub(crate) fn finished(&mut self, block: u32) {
        if let Watch::Footprint(touched) = self {
            touched.finished(block);
        }
    }
}

/// The lanes of a warp's access to one object.
pub(crate) struct Seen<'a> {
    pub object: usize,
    pub space: Space,
    pub site: SiteId,
    pub size: u32,
    pub mask: u32,
    pub offsets: &'a [u64; LANES],
}

impl BlockRun<'_, '_> {
    /// Makes room for what is watched.
    pub(crate) fn prepare(&mut self, watch: &Watch) {
        match watch {
            Watch::Nothing => {}
            // Nobody asks what was written.
            Watch::Footprint(_) | Watch::Trace(_) => self.init.iter_mut().for_each(|i| *i = None),
            Watch::Barriers(_) => self.survey = Some(Box::new(BlockSurvey::new(self.p))),
        }
    }

    /// Shows an access to who watches. False if the race checks are not to see it.
    #[cold]
    #[inline(never)]
    pub(crate) fn watched(&mut self, w: usize, seen: &Seen, world: &mut World) -> bool {
        let first_thread = self.warps[w].first_thread;
        match (&mut world.watch, &mut self.survey) {
            (Watch::Footprint(touched), _) => {
                touched.access(self.p, self.block, first_thread, seen);
                false
            }
            (Watch::Trace(recorder), _) => {
                self.traced(w, seen, recorder);
                false
            }
            (Watch::Barriers(survey), Some(block)) => {
                block.access(survey, self.p, &self.races, *world.clock, first_thread, seen);
                true
            }
            _ => true,
        }
    }

    pub(crate) fn watched_fence(
        &mut self,
        w: usize,
        mask: u32,
        site: SiteId,
        scope: Scope,
        world: &mut World,
    ) {
        if let Watch::Trace(recorder) = &mut world.watch {
            recorder.pass(self.block, self.warps[w].first_thread, mask, site);
        }
        if let (Watch::Barriers(survey), Some(block)) = (&mut world.watch, &mut self.survey)
            && scope >= Scope::Device
        {
            let first = self.warps[w].first_thread;
            let threads = lanes_of(mask).map(|l| first + l as u32);
            block.fence(survey, self.p, &self.races, *world.clock, threads, site);
        }
    }

    /// A barrier of the whole block opened, for the groups of lanes in `who`.
    pub(crate) fn watched_barrier(
        &mut self,
        b: &BarrierWait,
        who: &[(usize, u32)],
        world: &mut World,
    ) {
        if let Watch::Trace(recorder) = &mut world.watch {
            let who = who.iter().map(|(w, mask)| (self.warps[*w].first_thread, *mask));
            recorder.barrier(self.block, b.site, who, false);
        }
        if let (Watch::Barriers(survey), Some(block)) = (&mut world.watch, &mut self.survey) {
            let orders = [b.shared, b.global];
            let computes = b.reduce.is_some();
            block.barrier(survey, self.p, *world.clock, b.site, orders, computes, who);
        }
    }

    pub(crate) fn watched_warp_barrier(
        &mut self,
        w: usize,
        lanes: u32,
        site: SiteId,
        world: &mut World,
    ) {
        if let Watch::Trace(recorder) = &mut world.watch {
            recorder.pass(self.block, self.warps[w].first_thread, lanes, site);
        }
        if let Some(block) = &mut self.survey {
            block.warp_barrier(self.p, *world.clock, w, lanes);
        }
    }

    pub(crate) fn watched_grid_barrier(&mut self, site: SiteId, world: &mut World) {
        if let Watch::Trace(recorder) = &mut world.watch {
            let who = self.warps.iter().map(|w| (w.first_thread, u32::MAX));
            recorder.barrier(self.block, site, who, true);
        }
        if let Some(block) = &mut self.survey {
            block.grid_barrier(*world.clock);
        }
    }
}
