//! A warp: its registers, and its groups of lanes that execute together.

use lockstep_kernel::{BarrierReduce, LocId, SiteId, Space, Special};

use crate::code::program::Program;
use crate::code::registers::{LANES, Registers, Slot};
use crate::machine::memory::Storage;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum State {
    Ready,
    Barrier(BarrierWait),
    /// `__syncwarp` or a warp operation, for the lanes in `mask`.
    Warp {
        site: Option<SiteId>,
        mask: u32,
    },
    Grid(SiteId),
    Copies(SiteId),
    /// The wait of a split barrier, which must have opened more than `generation` times.
    Await {
        site: SiteId,
        id: u32,
        generation: u32,
    },
    /// Lets other groups run first.
    Paused,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct BarrierWait {
    pub site: SiteId,
    pub id: u32,
    pub threads: Option<u32>,
    pub shared: bool,
    pub global: bool,
    /// Operation, lanes whose predicate holds, contributed value, destination.
    pub reduce: Option<(BarrierReduce, u32, Slot, Slot)>,
}

/// Lanes of a warp that execute together.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub mask: u32,
    pub block: u32,
    pub step: u32,
    pub state: State,
    /// The last branch it took, for messages.
    pub branch: LocId,
    /// Groups with a lower number run first.
    pub turn: u64,
    pub spins: u32,
    /// Hash of registers and count of changes when it last passed its turn.
    pub seen: Option<(u64, u64)>,
    /// Whether it passed its turn in the same state twice, with nothing changed in between.
    pub stuck: bool,
    /// Execute the warp operation at `step` even if lanes that its mask names are missing.
    pub forced: bool,
}

pub(crate) struct Warp {
    pub registers: Registers,
    pub private: Storage,
    pub groups: Vec<Group>,
    pub alive: u32,
    pub first_thread: u32,
    /// Lanes that other lanes of the warp wait for, those of them that made an access during that wait, and the last
    /// one that each made.
    pub awaited: u32,
    pub strayed: u32,
    pub strayed_at: [SiteId; LANES],
    /// Whether the registers that a thread's position determines are set.
    pub placed: bool,
}

impl Warp {
    /// Notes an access of lanes that others may be waiting for.
    pub(crate) fn stray(&mut self, mask: u32, site: SiteId) {
        let mut lanes = self.awaited & mask;
        self.strayed |= lanes;
        while lanes != 0 {
            self.strayed_at[lanes.trailing_zeros() as usize] = site;
            lanes &= lanes - 1;
        }
    }
}

/// Writes the registers that a thread's position determines.
pub(crate) fn preset(p: &Program, warp: &mut Warp, block: u32, number: u32) {
    let regs = warp.registers.with(&p.code.constants);
    let (at, dims, threads) = (p.block_at(block), p.dims_of(block), p.threads_of(block));
    let placed = std::mem::replace(&mut warp.placed, true);
    for &(special, slot, ty) in &p.code.presets {
        // Only the block index changes from one block to the next, if all have the same size.
        if placed && p.global.is_none() && !matches!(special, Special::BlockId(_)) {
            continue;
        }
        for l in 0..LANES as u32 {
            let thread = (warp.first_thread + l).min(threads - 1);
            let value = match special {
                Special::ThreadId(a) => p.thread_at(block, thread)[a as usize],
                Special::BlockDim(a) => dims[a as usize],
                Special::WarpsPerBlock => threads.div_ceil(p.config.warp_size),
                Special::BlockId(a) => at[a as usize],
                Special::LaneId => l,
                Special::WarpId => number,
                Special::LaneMaskEq => 1 << l,
                Special::LaneMaskLt => (1 << l) - 1,
                Special::LaneMaskLe => u32::MAX >> (31 - l),
                Special::LaneMaskGt => !(u32::MAX >> (31 - l)),
                Special::LaneMaskGe => !((1 << l) - 1),
                _ => 0,
            };
            regs.set_lane(slot, ty, l as usize, u64::from(value));
        }
    }
    // Private copies of arguments, and initialised private variables.
    for o in p.objects.iter().filter(|o| o.space == Space::Private) {
        let Some(init) = &o.init else { continue };
        let init = &init[..init.len().min(o.size as usize)];
        for l in 0..LANES as u64 {
            warp.private.fill(l * p.private_arena + o.arena, init);
        }
    }
}
