//! The loop that executes the steps of a group of lanes.

use std::hash::Hasher;

use lockstep_kernel::LocId;
use rustc_hash::FxHasher;

use crate::code::lanes::{self, Alu};
use crate::code::registers::{LANES, Regs, Slot};
use crate::code::steps::{Edge, Rare, Step, Term};
use crate::machine::block::BlockRun;
use crate::machine::observe::Observer;
use crate::machine::warp::State;
use crate::machine::world::{Stop, World};

/// Iterations of a waiting loop before other threads get a turn.
const SPIN_TURN: u32 = 24;
/// Basic blocks that a warp executes before others get a turn, waiting or not.
const TURN: u32 = 1 << 16;

impl<O: Observer> BlockRun<'_, '_, O> {
    /// Whether the observer tracks values.
    #[inline(always)]
    pub(crate) fn follows_values(&self, w: usize, world: &World<O>) -> bool {
        O::FOLLOWS_VALUES && world.observer.follows_values(&self.observed, w)
    }

    #[cold]
    #[inline(never)]
    fn tell_computes(&mut self, w: usize, mask: u32, op: &Alu, loc: LocId, world: &mut World<O>) {
        let at = self.at(w);
        world.observer.computes(&mut self.observed, &at, mask, op, loc);
    }

    /// Reports that the effect of an operation depends on the values of some registers.
    #[cold]
    #[inline(never)]
    pub(crate) fn tell_uses(
        &mut self,
        w: usize,
        mask: u32,
        slots: &[Slot],
        result: Option<Slot>,
        loc: LocId,
        world: &mut World<O>,
    ) {
        let at = self.at(w);
        world.observer.uses(&mut self.observed, &at, mask, slots, result, loc);
    }

    /// Runs one group until it waits, ends, joins others or passes its turn (then true).
    pub(crate) fn run_group(
        &mut self,
        w: usize,
        g: usize,
        world: &mut World<O>,
    ) -> Result<bool, Stop> {
        #[cfg(target_arch = "x86_64")]
        if lanes::wide() {
            // SAFETY: this machine has the instructions.
            return unsafe { self.run_group_wide(w, g, world) };
        }
        self.run_group_body(w, g, world)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2")]
    unsafe fn run_group_wide(
        &mut self,
        w: usize,
        g: usize,
        world: &mut World<O>,
    ) -> Result<bool, Stop> {
        self.run_group_body(w, g, world)
    }

    #[inline(always)]
    fn run_group_body(&mut self, w: usize, g: usize, world: &mut World<O>) -> Result<bool, Stop> {
        let p = self.p;
        let regs = self.regs(w);
        let alone = self.warps[w].groups.len() == 1;
        let mut turns = 0u32;
        world.observer.group_runs(&mut self.observed, self.warps[w].groups[g].mask);
        loop {
            let (mask, pc, from) = {
                let g = &self.warps[w].groups[g];
                (g.mask, g.block as usize, g.step)
            };
            let full = mask == self.warps[w].alive;
            let block = &p.code.blocks[pc];
            let first = block.first + from;
            let mut i = first;
            while i < block.last {
                let step = &p.code.steps[i as usize];
                if O::WEAK && !block.waits && self.interrupts_before(step, world) {
                    self.warps[w].groups[g].step = i - block.first;
                    self.interrupt(w, g, world);
                    return Ok(true);
                }
                match step {
                    Step::Alu(op) => {
                        // SAFETY: the decoder made slots that lie in the tables, and chose functions that this machine
                        // has the instructions for.
                        unsafe { (if full { op.full } else { op.masked })(&regs, op, mask) }
                        if self.follows_values(w, world) {
                            self.tell_computes(w, mask, op, p.code.locs[i as usize], world);
                        }
                    }
                    Step::Scalar { op, ty, from, d, a, b, b_ty, c } => {
                        for l in (0..LANES).filter(|l| mask >> l & 1 == 1) {
                            let x = regs.lane(*a, *from, l);
                            let y = regs.lane(*b, *b_ty, l);
                            let z = regs.lane(*c, *ty, l);
                            let result_ty = result_ty(*op, *ty);
                            regs.set_lane(*d, result_ty, l, lanes::scalar(*op, *ty, x, y, z));
                        }
                        if self.follows_values(w, world) {
                            let loc = p.code.locs[i as usize];
                            self.tell_uses(w, mask, &[*a, *b, *c], Some(*d), loc, world);
                        }
                    }
                    Step::Load { site, ty, count, d, addr } => {
                        self.load(w, mask, *site, *ty, *count, *d, *addr, world);
                    }
                    Step::Store { site, ty, first, count, addr } => {
                        self.store(w, mask, *site, *ty, *first, *count, *addr, world);
                    }
                    Step::Atomic(a) => self.atomic(w, mask, a, world),
                    Step::Rare(r) => {
                        if !self.rare(w, g, mask, i - block.first, r, world)? {
                            world.steps += u64::from(i + 1 - first);
                            world.lane_steps +=
                                u64::from(i + 1 - first) * u64::from(mask.count_ones());
                            return Ok(false);
                        }
                    }
                }
                i += 1;
            }
            let n = u64::from(block.last - first + 1);
            world.steps += n;
            world.lane_steps += n * u64::from(mask.count_ones());
            if world.steps > world.limit {
                world.look()?;
            }
            let edge = match &block.term {
                Term::Jump(e) => e,
                Term::Branch { cond, then, otherwise, loc } => {
                    let taken = regs.bits(*cond) & mask;
                    let ways = &mut world.executed.branches[pc];
                    ways[0] |= taken != 0;
                    ways[1] |= taken != mask;
                    if self.follows_values(w, world) {
                        self.tell_uses(w, mask, &[*cond], None, *loc, world);
                    }
                    self.warps[w].groups[g].branch = *loc;
                    if taken == mask {
                        then
                    } else if taken == 0 {
                        otherwise
                    } else {
                        world.observer.diverge(&mut self.observed, w, taken, mask & !taken);
                        self.split(w, g, &regs, (then, taken), (otherwise, mask & !taken), world);
                        return Ok(false);
                    }
                }
                Term::Return | Term::Unreachable => {
                    let branch = self.warps[w].groups[g].branch;
                    self.exit(w, mask, branch, world);
                    self.warps[w].groups.swap_remove(g);
                    return Ok(false);
                }
            };
            self.follow(w, g, &regs, edge, mask, full, world);
            turns += 1;
            if edge.back && block.waits {
                let spins = {
                    let group = &mut self.warps[w].groups[g];
                    group.spins += 1;
                    group.spins
                };
                if spins >= SPIN_TURN {
                    self.pass(w, g, world.changes);
                    return Ok(true);
                }
            }
            if O::WEAK && !block.waits && world.interrupts_warp() {
                self.interrupt(w, g, world);
                return Ok(true);
            }
            if !alone {
                return Ok(false);
            }
            if turns >= TURN {
                self.interrupt(w, g, world);
                return Ok(true);
            }
        }
    }

    /// A group that could go on lets others run first.
    fn interrupt(&mut self, w: usize, g: usize, world: &mut World<O>) {
        let latest = self.latest_turn(w);
        let group = &mut self.warps[w].groups[g];
        group.turn = latest + 1;
        group.stuck = false;
        group.seen = None;
        world.changes += 1;
    }

    fn latest_turn(&self, w: usize) -> u64 {
        self.warps[w].groups.iter().map(|g| g.turn).max().unwrap_or(0)
    }

    /// A spinning group lets the others run. It is stuck if it did so before in exactly the same state with nothing
    /// changed since.
    fn pass(&mut self, w: usize, g: usize, changes: u64) {
        let latest = self.latest_turn(w);
        let hash = self.state_hash(w, g);
        let group = &mut self.warps[w].groups[g];
        group.turn = latest + 1;
        group.spins = 0;
        group.stuck = group.seen == Some((hash, changes));
        group.seen = Some((hash, changes));
    }

    /// A hash of all state that determines what a group does next, except memory.
    fn state_hash(&mut self, w: usize, g: usize) -> u64 {
        let warp = &mut self.warps[w];
        let mut h = FxHasher::default();
        h.write_u32(warp.groups[g].block);
        h.write_u32(warp.groups[g].mask);
        for unit in warp.registers.units() {
            for pair in unit.0.chunks_exact(2) {
                h.write_u64(u64::from(pair[0]) << 32 | u64::from(pair[1]));
            }
        }
        warp.private.words().for_each(|word| h.write_u64(word));
        h.finish()
    }

    #[inline]
    fn follow(
        &mut self,
        w: usize,
        g: usize,
        regs: &Regs,
        edge: &Edge,
        mask: u32,
        full: bool,
        world: &mut World<O>,
    ) {
        let moves = &self.p.code.moves[edge.first_move as usize..edge.last_move as usize];
        for m in moves {
            // SAFETY: as for every arithmetic step.
            unsafe { (if full { m.full } else { m.masked })(regs, m, mask) }
            if self.follows_values(w, world) {
                world.observer.moves(&mut self.observed, w, mask, m.d, m.a);
            }
        }
        let group = &mut self.warps[w].groups[g];
        group.block = edge.target;
        group.step = 0;
    }

    fn split(
        &mut self,
        w: usize,
        g: usize,
        regs: &Regs,
        a: (&Edge, u32),
        b: (&Edge, u32),
        world: &mut World<O>,
    ) {
        let mut other = self.warps[w].groups[g].clone();
        other.mask = b.1;
        self.warps[w].groups[g].mask = a.1;
        self.warps[w].groups.push(other);
        let new = self.warps[w].groups.len() - 1;
        self.follow(w, g, regs, a.0, a.1, false, world);
        self.follow(w, new, regs, b.0, b.1, false, world);
    }

    pub(crate) fn exit(&mut self, w: usize, mask: u32, branch: LocId, world: &mut World<O>) {
        world.changes += 1;
        if O::WEAK {
            self.threads_end_weakly(w, mask, world);
        }
        let warp = &mut self.warps[w];
        warp.alive &= !mask;
        if self.returned.is_none() {
            self.returned = Some((warp.first_thread + mask.trailing_zeros(), branch));
        }
    }

    /// Ends threads whose assertion failed. Returns whether the group continues.
    fn end_failed(
        &mut self,
        w: usize,
        g: usize,
        at: u32,
        failed: u32,
        world: &mut World<O>,
    ) -> bool {
        self.failed = true;
        let returned = self.returned;
        self.exit(w, failed, self.p.kernel.loc, world);
        // They did not return by themselves: no barrier waits for them.
        self.returned = returned;
        let group = &mut self.warps[w].groups[g];
        group.mask &= !failed;
        group.step = at + 1;
        if group.mask == 0 {
            self.warps[w].groups.swap_remove(g);
        }
        false
    }

    /// A step that is neither arithmetic nor an access. Returns false if the group now waits.
    #[inline(never)]
    fn rare(
        &mut self,
        w: usize,
        g: usize,
        mask: u32,
        at: u32,
        r: &Rare,
        world: &mut World<O>,
    ) -> Result<bool, Stop> {
        match r {
            Rare::Barrier { site, barrier } => {
                return self.barrier(w, g, mask, at, *site, barrier, world);
            }
            Rare::Fence { site, scope, shared, global } => {
                self.fence(w, mask, *site, *scope, world);
                if O::WEAK {
                    self.fence_weakly(w, mask, *site, (*scope, *shared, *global), world);
                }
            }
            Rare::Shuffle { mask: m, .. } | Rare::Vote { mask: m, .. } => {
                if let Some(m) = m
                    && !self.gather(w, g, mask, at, *m, world)
                {
                    return Ok(false);
                }
                self.warp_op(w, mask, r);
            }
            Rare::Match { mask: m, .. } | Rare::MatrixProduct { mask: m, .. } => {
                if !self.gather(w, g, mask, at, *m, world) {
                    return Ok(false);
                }
                self.warp_op(w, mask, r);
            }
            Rare::ActiveMask { d } => {
                let regs = self.regs(w);
                for l in (0..LANES).filter(|l| mask >> l & 1 == 1) {
                    regs.w32_mut(*d)[l] = mask;
                }
            }
            Rare::Clock { d, ty } => {
                // Monotonic, so a waiting loop never sees the same state twice.
                let now = world.steps + u64::from(at) + world.lane_steps;
                world.changes += 1;
                let regs = self.regs(w);
                for l in (0..LANES).filter(|l| mask >> l & 1 == 1) {
                    regs.set_lane(*d, *ty, l, now & ty.mask());
                }
            }
            Rare::GroupCopy { .. } => self.group_copy(w, mask, r, world),
            Rare::MemCopy { .. } | Rare::MemSet { .. } => {
                world.observer.lane_by_lane(&mut self.observed, true);
                self.bulk(w, mask, r, world);
                world.observer.lane_by_lane(&mut self.observed, false);
            }
            Rare::CommitCopies { bulk } => {
                self.async_copies.commit(self.warps[w].first_thread, mask, *bulk);
            }
            Rare::AwaitCopies { left, bulk, reads_only } => {
                self.await_copies(w, mask, *left, (*bulk, *reads_only), world);
            }
            Rare::SignalCopies { addr } => self.signal_copies(w, mask, *addr),
            Rare::ProxyFence => self.async_copies.unfenced.clear(),
            Rare::Texel { d, step } => self.texel(w, mask, *d, step)?,
            Rare::ImageSize { d, image, of } => self.image_size(w, mask, *d, *image, *of)?,
            Rare::Alloc { d, size } => self.alloc(w, mask, *d, *size, world)?,
            Rare::Free { ptr, loc } => self.free(w, mask, *ptr, *loc, world),
            Rare::Print { format, args } => self.print(w, mask, *format, args, world),
            Rare::Assert { cond, message, loc } => {
                let failed = self.assert(w, mask, *cond, message, *loc, world);
                if failed != 0 {
                    return Ok(self.end_failed(w, g, at, failed, world));
                }
            }
            Rare::Requires { cond, text } => {
                if self.regs(w).bits(*cond) & mask != mask {
                    return Err(Stop::Requires(text.clone()));
                }
            }
            Rare::Yield => {
                if self.warps[w].groups.iter().filter(|g| g.state == State::Ready).count() > 1
                    && !self.p.lockstep
                {
                    let latest = self.latest_turn(w);
                    let group = &mut self.warps[w].groups[g];
                    group.step = at + 1;
                    group.turn = latest + 1;
                    return Ok(false);
                }
            }
            Rare::Unsupported(id) => return Err(Stop::Unsupported(*id)),
        }
        Ok(true)
    }
}

fn result_ty(op: lanes::ScalarOp, ty: lockstep_kernel::Ty) -> lockstep_kernel::Ty {
    use lockstep_kernel::{MathFn, Ty};
    match op {
        lanes::ScalarOp::Math(MathFn::ILogB | MathFn::FrexpExp) => Ty::I32,
        _ => ty,
    }
}
