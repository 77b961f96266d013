//! How far apart the threads are that execute one of some sites and one of others: in one warp, in several warps of a
//! block, in several blocks; and whether one of them comes back from
//! the other, in a loop around both.
//!
//! A launch in which a race does not show says nothing if one thread makes all the accesses, or if those of two blocks
//! are made by one block only. Of each block, the lowest and the highest thread at each group of sites are kept; that
//! is enough, since of two threads at the two groups the lowest of one and the highest of the other are farthest apart.
//!
//! The launch runs in the fixed order of [`crate::machine::grid`] without any check. What it can miss: nothing of the
//! launch itself; which of several threads execute a site may depend on their order, and only one order runs.

use lockstep_kernel::SiteId;
use rustc_hash::FxHashMap;

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

/// What the threads of a block have done.
#[derive(Default)]
struct Own {
    /// The lowest and the highest thread at each group of sites.
    ends: [Option<(u32, u32)>; 2],
    /// By the first thread of a warp.
    been: FxHashMap<u32, Been>,
}

/// Threads of a warp, as bits.
#[derive(Default)]
struct Been {
    /// Those that were at each group of sites.
    at: [u32; 2],
    /// Those that were at the second group last.
    second: u32,
}

impl Been {
    /// Threads come to sites of these groups; which of them were there before, and at the other group meanwhile.
    fn come(&mut self, mask: u32, groups: [bool; 2]) -> u32 {
        let before = match groups {
            [true, true] => self.at[0] | self.at[1],
            [true, false] => self.at[0] & self.second,
            _ => self.at[1] & !self.second,
        };
        for g in (0..2).filter(|&g| groups[g]) {
            self.at[g] |= mask;
        }
        self.second = if groups[1] { self.second | mask } else { self.second & !mask };
        before & mask
    }
}

#[derive(Default)]
struct Seen {
    /// For each group, by site: whether it is in it.
    groups: [Vec<bool>; 2],
    /// The first block with a thread at each group.
    first: [Option<u32>; 2],
    apart: Apart,
}

impl Observer for Seen {
    type Block = Own;

    fn new_block(&mut self, _: &Program) -> Own {
        Own::default()
    }

    fn block_begins(&mut self, own: &mut Own, _: &Program, _: u32) {
        *own = Own::default();
    }

    #[inline(always)]
    fn access(&mut self, own: &mut Own, at: &At, e: &Event) -> u64 {
        let mut new = false;
        for (g, group) in self.groups.iter().enumerate() {
            if e.mask == 0 || e.first_thread == COPY_ENGINE || !group[e.site.0 as usize] {
                continue;
            }
            let low = e.first_thread + e.mask.trailing_zeros();
            let high = e.first_thread + 31 - e.mask.leading_zeros();
            let ends = own.ends[g].map_or((low, high), |(l, h)| (l.min(low), h.max(high)));
            new |= own.ends[g] != Some(ends);
            own.ends[g] = Some(ends);
        }
        let groups = [0, 1].map(|g| self.groups[g][e.site.0 as usize]);
        let is_there = e.mask != 0 && e.first_thread != COPY_ENGINE && groups != [false; 2];
        if is_there && !self.apart.again {
            self.apart.again =
                own.been.entry(e.first_thread).or_default().come(e.mask, groups) != 0;
        }
        if new {
            self.join(own.ends, at.block, at.program.config.warp_size);
        }
        0
    }
}

impl Seen {
    fn join(&mut self, own: [Option<(u32, u32)>; 2], block: u32, warp_size: u32) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_comes_back_from_the_other_is_there_again() {
        let (first, second) = ([true, false], [false, true]);
        let mut been = Been::default();
        // A loop around the first site only.
        assert_eq!(been.come(0b1111, first), 0);
        assert_eq!(been.come(0b1111, first), 0);
        assert_eq!(been.come(0b0110, second), 0);
        assert_eq!(been.come(0b0110, second), 0);
        // Only these have been at the other.
        assert_eq!(been.come(0b0011, first), 0b0010);
        assert_eq!(been.come(0b1000, second), 0);
        // One site that is both.
        let mut been = Been::default();
        assert_eq!(been.come(0b01, [true, true]), 0);
        assert_eq!(been.come(0b11, [true, true]), 0b01);
    }
}
