//! What a run can watch besides the race checks: nothing, the footprint of a
//! launch ([`crate::footprint`]), or what its barriers separate
//! ([`crate::survey`]).
//!
//! Every access comes by here if something is watched; if not, an access costs
//! one test of an enumeration.

use lockstep_kernel::{SiteId, Space};

use crate::footprint::Touched;
use crate::lanes::LANES;
use crate::machine::{BlockRun, World};
use crate::survey::Survey;

pub(crate) enum Watch<'w> {
    Nothing,
    /// Counts words; the race checks do not run.
    Footprint(&'w mut Touched),
    /// Beside the race checks.
    Barriers(&'w mut Survey),
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
    /// Shows an access to who watches. False if the race checks are not to see it.
    #[cold]
    #[inline(never)]
    pub(crate) fn watched(&mut self, w: usize, seen: &Seen, world: &mut World) -> bool {
        let first_thread = self.warps[w].first_thread;
        match &mut world.watch {
            Watch::Nothing => true,
            Watch::Footprint(touched) => {
                touched.access(self.p, self.block, first_thread, seen);
                false
            }
            Watch::Barriers(survey) => {
                if let Some(block) = &mut self.survey {
                    block.access(survey, self.p, &self.races, *world.clock, first_thread, seen);
                }
                true
            }
        }
    }
}
