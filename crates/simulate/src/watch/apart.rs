//! How far apart the threads are that execute one of some sites and one of others: in one warp, in several warps of a
//! block, in several blocks.
//!
//! A launch in which a race does not show says nothing if one thread makes all the accesses, or if those of two blocks
//! are made by one block only. Of each block, the lowest and the highest thread at each group of sites are kept; that
//! is enough, since of two threads at the two groups the lowest of one and the highest of the other are farthest apart.
//!
//! The launch runs in the fixed order of [`crate::machine::grid`] without any check. What it can miss: nothing of the
//! launch itself; which of several threads execute a site may depend on their order, and only one order runs.

use lockstep_kernel::SiteId;

use crate::code::program::{Prepared, Program};
use crate::launch::outcome::Apart;
use crate::launch::request::{BoundLaunch, Config, LaunchError};
use crate::machine::grid::in_order;
use crate::machine::observe::{At, COPY_ENGINE, Event, Observer};

impl Prepared<'_> {
    /// Executes a launch without checks; returns how far apart threads are that execute a site of the first group and
    /// one of the second.
    pub fn apart(
        &self,
        launch: &BoundLaunch,
        config: &Config,
        groups: [&[SiteId]; 2],
    ) -> Result<Apart, LaunchError> {
        let program = Program::new(self, launch, config, None)?;
        let sites = program.kernel.sites.len();
        let of = |group: &[SiteId]| {
            (0..sites).map(|s| group.contains(&SiteId(s as u32))).collect::<Vec<bool>>()
        };
        let mut seen = Seen { groups: groups.map(of), ..Seen::default() };
        in_order(&program, &mut seen);
        Ok(seen.apart)
    }
}

/// The lowest and the highest thread of a block at each group of sites.
type Ends = [Option<(u32, u32)>; 2];

#[derive(Default)]
struct Seen {
    /// For each group, by site: whether it is in it.
    groups: [Vec<bool>; 2],
    /// The first block with a thread at each group.
    first: [Option<u32>; 2],
    apart: Apart,
}

impl Observer for Seen {
    type Block = Ends;

    fn new_block(&mut self, _: &Program) -> Ends {
        Ends::default()
    }

    fn block_begins(&mut self, own: &mut Ends, _: &Program, _: u32) {
        *own = Ends::default();
    }

    #[inline(always)]
    fn access(&mut self, own: &mut Ends, at: &At, e: &Event) -> u64 {
        let mut new = false;
        for (g, group) in self.groups.iter().enumerate() {
            if e.mask == 0 || e.first_thread == COPY_ENGINE || !group[e.site.0 as usize] {
                continue;
            }
            let low = e.first_thread + e.mask.trailing_zeros();
            let high = e.first_thread + 31 - e.mask.leading_zeros();
            let ends = own[g].map_or((low, high), |(l, h)| (l.min(low), h.max(high)));
            new |= own[g] != Some(ends);
            own[g] = Some(ends);
        }
        if new {
            self.join(*own, at.block, at.program.config.warp_size);
        }
        0
    }
}

impl Seen {
    fn join(&mut self, own: Ends, block: u32, warp_size: u32) {
        for g in 0..2 {
            if own[g].is_some() {
                let first = *self.first[g].get_or_insert(block);
                // Another block was at the other group, or this one is another than the first that was.
                let other = self.first[1 - g];
                let is_other =
                    other.is_some_and(|b| b != block) || own[1 - g].is_some() && first != block;
                self.apart.blocks |= is_other;
            }
        }
        let [Some((a_low, a_high)), Some((b_low, b_high))] = own else { return };
        let warp = |thread: u32| thread / warp_size;
        for (a, b) in [(a_low, b_high), (a_high, b_low)] {
            self.apart.threads |= a != b;
            self.apart.warps |= warp(a) != warp(b);
        }
    }
}
