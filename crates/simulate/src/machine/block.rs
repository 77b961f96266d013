//! One block: its warps, their groups of lanes, and their scheduling.
//!
//! A warp starts as one group of lanes. A divergent branch splits the group; groups that reach the same instruction
//! join again. The group that runs is the one whose basic block comes first in the kernel's weak topological order, so
//! lanes reconverge at the latest at the post-dominator of the branch. Under `independent` scheduling a group that
//! spins on a value that another thread may change passes its turn to the other groups; under `lockstep` it does not,
//! like hardware before Volta.
//!
//! No checks are made here: accesses, barriers, fences and atomics are reported to the observer, each through a single
//! path ([`crate::machine::access`], [`crate::machine::barrier`]).

use lockstep_kernel::{LocId, SiteId};
use rustc_hash::FxHashMap;

use crate::code::program::Program;
use crate::code::registers::{LANES, Registers, Regs};
use crate::machine::copies::{AsyncCopies, GroupCopies};
use crate::machine::fault::Fault;
use crate::machine::memory::{Globals, Memory, Storage};
use crate::machine::observe::{At, Observer};
use crate::machine::partial_barrier::PartialBarrier;
use crate::machine::warp::{Group, State, Warp, preset};
use crate::machine::world::{Stop, World};

/// Why a block's turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    Finished,
    /// Only spinning groups and groups at barriers are left, and nothing changed since they last read memory.
    Spinning,
    /// All at the grid barrier of this site.
    AtGridBarrier(SiteId),
    /// Its time slice ended; there is more to do.
    Paused,
}

/// One block of the launch, from start to end.
pub(crate) struct BlockRun<'p, 'k, O: Observer> {
    pub p: &'p Program<'k>,
    pub block: u32,
    pub memory: Memory,
    pub warps: Vec<Warp>,
    /// The observer's state for this block.
    pub observed: O::Block,
    pub printed: String,
    /// Barriers of some of the threads, by number.
    pub partial_barriers: FxHashMap<u32, PartialBarrier>,
    pub async_copies: AsyncCopies,
    pub group_copies: GroupCopies,
    /// The first thread that returned, and after which branch.
    pub returned: Option<(u32, LocId)>,
    /// Whether an assertion failed: the values that its thread would have written are missing.
    pub failed: bool,
    /// Version of the heap that the object table reflects.
    pub heap_version: u64,
    /// The warp whose private memory the object table refers to.
    running: usize,
}

// SAFETY: the pointers in `memory` are to the block's own storage, which moves with it, and to `Globals`, which may be
// accessed by several threads.
unsafe impl<O: Observer> Send for BlockRun<'_, '_, O> where O::Block: Send {}

impl<'p, 'k, O: Observer> BlockRun<'p, 'k, O> {
    /// Storage for a block; [`BlockRun::start`] assigns it a block.
    pub(crate) fn new(
        p: &'p Program<'k>,
        globals: &Globals,
        parallel: bool,
        observer: &mut O,
    ) -> BlockRun<'p, 'k, O> {
        let warp = |_| Warp {
            registers: Registers::new(p.code.units as usize + 1),
            private: Storage::new(p.private_arena * 32 + 8),
            groups: Vec::new(),
            alive: 0,
            first_thread: 0,
            awaited: 0,
            strayed: 0,
            strayed_at: [SiteId(0); LANES],
            placed: false,
        };
        BlockRun {
            p,
            block: 0,
            memory: Memory::new(p, globals, parallel),
            warps: (0..p.warps).map(warp).collect(),
            observed: observer.new_block(p),
            printed: String::new(),
            partial_barriers: FxHashMap::default(),
            async_copies: AsyncCopies::default(),
            group_copies: GroupCopies::default(),
            returned: None,
            failed: false,
            heap_version: 0,
            running: usize::MAX,
        }
    }

    /// Prepares to run block number `block`.
    pub(crate) fn start(&mut self, block: u32, observer: &mut O) {
        let p = self.p;
        self.block = block;
        self.memory.start_block(p);
        observer.block_begins(&mut self.observed, p, block);
        self.printed.clear();
        self.partial_barriers.clear();
        self.async_copies = AsyncCopies::default();
        self.group_copies = GroupCopies::default();
        self.returned = None;
        self.failed = false;
        self.running = usize::MAX;
        let ws = p.config.warp_size;
        for (w, warp) in self.warps.iter_mut().enumerate() {
            let first = w as u32 * ws;
            let lanes = p.lanes_from(block, first);
            let mask = if lanes == 32 { u32::MAX } else { (1 << lanes) - 1 };
            warp.alive = mask;
            warp.first_thread = first;
            warp.awaited = 0;
            warp.strayed = 0;
            warp.groups.clear();
            // The last blocks may have fewer warps.
            if mask == 0 {
                continue;
            }
            warp.groups.push(Group {
                mask,
                block: 0,
                step: 0,
                state: State::Ready,
                branch: p.kernel.loc,
                turn: 0,
                spins: 0,
                seen: None,
                stuck: false,
                forced: false,
            });
            preset(p, warp, block, w as u32);
        }
    }

    #[inline(always)]
    pub(crate) fn regs(&self, w: usize) -> Regs {
        self.warps[w].registers.with(&self.p.code.constants)
    }

    /// The context of a warp, for an observer.
    #[inline(always)]
    pub(crate) fn at(&self, w: usize) -> At<'p, 'k> {
        At {
            program: self.p,
            block: self.block,
            warp: w,
            first_thread: self.warps[w].first_thread,
            regs: self.regs(w),
        }
    }

    /// Reports a fault in a warp to the observer.
    #[cold]
    pub(crate) fn fault(&mut self, w: usize, fault: &Fault, world: &mut World<O>) {
        let at = self.at(w);
        world.observer.fault(&mut self.observed, &at, fault);
    }

    /// Runs the block until it ends or waits for other blocks.
    pub(crate) fn run(&mut self, world: &mut World<O>) -> Result<Turn, Stop> {
        self.see_heap(world);
        loop {
            let mut progress = false;
            let order = if O::WEAK { world.warp_order(self.warps.len()) } else { None };
            for i in 0..self.warps.len() {
                let w = order.as_ref().map_or(i, |order| order[i] as usize);
                while self.warps[w].groups.iter().any(|g| g.state == State::Ready) {
                    let before = (world.changes, world.steps);
                    let passed = self.run_warp(w, world)?;
                    progress |= world.changes != before.0;
                    if passed {
                        break;
                    }
                    progress = true;
                }
            }
            if world.is_over() {
                return Err(Stop::Dirty);
            }
            let mut groups = self.warps.iter().flat_map(|w| &w.groups).peekable();
            if groups.peek().is_none() {
                self.check_group_copies(world);
                self.check_copies_done(world);
                world.observer.block_ends(&mut self.observed, self.p, self.block);
                if let Some(weak) = &mut world.weak {
                    weak.block_ends(self.block);
                }
                return Ok(Turn::Finished);
            }
            if O::WEAK && progress && world.interrupts_block(self.block) {
                world.changes += 1;
                return Ok(Turn::Paused);
            }
            let mut groups = self.warps.iter().flat_map(|w| &w.groups);
            if groups.any(|g| g.state == State::Ready) {
                let stuck = (0..self.warps.len()).all(|w| self.warp_is_stuck(w));
                // Named barriers may be complete while other threads spin.
                if self.release_partial_barriers(world) || self.resume() {
                    continue;
                }
                if stuck && !progress {
                    return Ok(Turn::Spinning);
                }
                if world.steps > world.limit {
                    world.look()?;
                }
                continue;
            }
            if let Some(turn) = self.resolve(world)? {
                return Ok(turn);
            }
        }
    }

    /// Whether nothing in the warp can continue by itself. Under lock-step scheduling a group that spins keeps the
    /// other groups of its warp from running.
    fn warp_is_stuck(&self, w: usize) -> bool {
        let groups = &self.warps[w].groups;
        match self.pick(w) {
            Some(g) if self.p.lockstep => groups[g].stuck,
            _ => groups.iter().all(|g| g.state != State::Ready || g.stuck),
        }
    }

    /// Runs groups of a warp; returns true if it stopped because all ready groups have passed their turn.
    fn run_warp(&mut self, w: usize, world: &mut World<O>) -> Result<bool, Stop> {
        if self.running != w {
            self.running = w;
            self.memory.show_private(self.p, &self.warps[w].private);
        }
        let mut passed = 0;
        loop {
            self.join(w);
            let Some(g) = self.pick(w) else {
                if self.release_warp_waits(w, world)? {
                    continue;
                }
                return Ok(false);
            };
            if self.run_group(w, g, world)? {
                passed += 1;
                let ready = self.warps[w].groups.iter().filter(|g| g.state == State::Ready).count();
                if passed >= ready {
                    return Ok(true);
                }
            }
            if world.is_over() {
                return Err(Stop::Dirty);
            }
        }
    }

    /// Joins groups at the same instruction.
    fn join(&mut self, w: usize) {
        let groups = &mut self.warps[w].groups;
        let mut i = 0;
        while i < groups.len() {
            let mut j = i + 1;
            while j < groups.len() {
                let (a, b) = (&groups[i], &groups[j]);
                if a.state == State::Ready
                    && b.state == State::Ready
                    && (a.block, a.step, a.forced) == (b.block, b.step, b.forced)
                {
                    let b = groups.swap_remove(j);
                    let a = &mut groups[i];
                    a.mask |= b.mask;
                    a.turn = a.turn.max(b.turn);
                    a.stuck = false;
                    a.seen = None;
                } else {
                    j += 1;
                }
            }
            i += 1;
        }
    }

    /// The ready group that runs next.
    fn pick(&self, w: usize) -> Option<usize> {
        let lockstep = self.p.lockstep;
        let groups = &self.warps[w].groups;
        (0..groups.len()).filter(|&g| groups[g].state == State::Ready).min_by_key(|&g| {
            (if lockstep { 0 } else { groups[g].turn }, groups[g].block, groups[g].step)
        })
    }
}
