//! Barriers of blocks and warps, warp operations, and their faults.
//!
//! A group that reaches a barrier waits. Barriers are processed when no thread in the block (or, for `__syncwarp` and
//! the `_sync` operations, in the warp) can continue: either all required threads have arrived, and they continue
//! together, or some wait for threads that will never arrive, which is `barrier-divergence`. Threads that have returned
//! count as arrived, as on hardware, but a barrier of the block that relies on that is reported too.

use lockstep_kernel::semantics::bits;
use lockstep_kernel::{AtomicOp, BarrierReduce, LocId, SiteId, Ty};

use crate::code::registers::{LANES, Slot};
use crate::code::steps::{BarrierStep, Step};
use crate::machine::block::{BlockRun, Turn};
use crate::machine::fault::Fault;
use crate::machine::observe::{Observer, Opened};
use crate::machine::warp::{BarrierWait, Group, State};
use crate::machine::world::{Stop, World};

impl<O: Observer> BlockRun<'_, '_, O> {
    /// A group reaches a barrier. Returns true if it may continue at once.
    pub(crate) fn barrier(
        &mut self,
        w: usize,
        g: usize,
        mask: u32,
        at: u32,
        site: SiteId,
        barrier: &BarrierStep,
        world: &mut World<O>,
    ) -> Result<bool, Stop> {
        world.executed.sites[site.0 as usize] = true;
        let regs = self.regs(w);
        let lead = mask.trailing_zeros() as usize;
        let state = match barrier {
            BarrierStep::Block { id, threads, shared, global, reduce } => {
                State::Barrier(BarrierWait {
                    site,
                    id: regs.w32(*id)[lead],
                    threads: threads.map(|t| regs.w32(t)[lead]),
                    shared: *shared,
                    global: *global,
                    reduce: reduce.map(|(r, p, d)| {
                        let is_bit = r.types().0 == Ty::I1;
                        (r, if is_bit { regs.bits(p) & mask } else { 0 }, p, d)
                    }),
                })
            }
            BarrierStep::Arrive { id, threads } => {
                let (id, threads) = (regs.w32(*id)[lead], regs.w32(*threads)[lead]);
                self.arrive(w, mask, id, threads, world);
                State::Paused
            }
            BarrierStep::Await { id } => {
                match self.await_opening(w, mask, regs.w32(*id)[lead], site, world) {
                    Some(state) => state,
                    None => return Ok(true),
                }
            }
            BarrierStep::Warp { mask: named } => {
                let named = *regs.w32(*named);
                return Ok(self.warp_barrier(w, g, mask, at, site, &named, world));
            }
            BarrierStep::Grid => State::Grid(site),
            BarrierStep::GroupCopies { count, list } => {
                self.note_awaited(w, mask, *count, *list, world);
                State::Copies(site)
            }
        };
        let group = &mut self.warps[w].groups[g];
        group.step = at + 1;
        group.state = state;
        Ok(false)
    }

    /// `__syncwarp`, in which lanes may name different sets. Returns true if all may continue.
    fn warp_barrier(
        &mut self,
        w: usize,
        g: usize,
        mask: u32,
        at: u32,
        site: SiteId,
        named: &[u32; LANES],
        world: &mut World<O>,
    ) -> bool {
        let alive = self.warps[w].alive;
        let mut waiting = Vec::new();
        let mut rest = mask;
        while rest != 0 {
            let set = named[rest.trailing_zeros() as usize];
            let lanes = (0..LANES)
                .filter(|l| rest >> l & 1 == 1 && named[*l] == set)
                .fold(0u32, |m, l| m | 1 << l);
            rest &= !lanes;
            self.check_named(w, lanes, set, site, world);
            if set & alive & !lanes == 0 {
                self.check_strayed(w, lanes, set, self.p.kernel.site(site).loc, world);
                let at = self.at(w);
                world.observer.warp_barrier(&mut self.observed, &at, set & lanes, alive, site);
                if O::WEAK {
                    self.barrier_weakly(&[(w, set & lanes)], true, true, world);
                }
            } else {
                waiting.push((lanes, set));
            }
        }
        if waiting.is_empty() {
            return true;
        }
        self.warps[w].awaited |= waiting.iter().fold(0, |m, (_, set)| m | set);
        let model = self.warps[w].groups[g].clone();
        let passed = waiting.iter().fold(mask, |m, (lanes, _)| m & !lanes);
        let groups = &mut self.warps[w].groups;
        for (lanes, set) in waiting {
            groups.push(Group {
                mask: lanes,
                step: at + 1,
                state: State::Warp { site: Some(site), mask: set },
                ..model.clone()
            });
        }
        groups[g].mask = passed;
        groups[g].step = at + 1;
        if passed == 0 {
            groups.swap_remove(g);
        }
        false
    }

    /// Checks that every lane is in the mask that it names.
    fn check_named(&mut self, w: usize, mask: u32, named: u32, site: SiteId, world: &mut World<O>) {
        let outside = mask & !named;
        if outside == 0 {
            return;
        }
        let thread = self.warps[w].first_thread + outside.trailing_zeros();
        self.fault(w, &Fault::NotInMask { site, thread, mask: named }, world);
    }

    /// A warp operation with a mask: waits until the lanes in the mask have arrived.
    pub(crate) fn gather(
        &mut self,
        w: usize,
        g: usize,
        mask: u32,
        at: u32,
        named: Slot,
        world: &mut World<O>,
    ) -> bool {
        let regs = self.regs(w);
        let sets = regs.w32(named);
        let named = (0..LANES).filter(|l| mask >> l & 1 == 1).fold(0, |m, l| m | sets[l]);
        let alive = self.warps[w].alive;
        let group = &mut self.warps[w].groups[g];
        if group.forced {
            group.forced = false;
            return true;
        }
        if named & alive & !mask == 0 {
            let first = self.p.code.blocks[group.block as usize].first;
            self.check_strayed(w, mask, named, self.p.code.locs[(first + at) as usize], world);
            return true;
        }
        group.step = at;
        group.state = State::Warp { site: None, mask: named };
        self.warps[w].awaited |= named;
        false
    }

    /// No lane of the warp can continue: releases a group whose partners have all arrived. Returns false if there is
    /// none.
    pub(crate) fn release_warp_waits(
        &mut self,
        w: usize,
        world: &mut World<O>,
    ) -> Result<bool, Stop> {
        let waits: Vec<(usize, Option<SiteId>, u32)> = self.warps[w]
            .groups
            .iter()
            .enumerate()
            .filter_map(|(i, g)| match g.state {
                State::Warp { site, mask } => Some((i, site, mask)),
                _ => None,
            })
            .collect();
        if waits.is_empty() {
            return Ok(false);
        }
        let alive = self.warps[w].alive;
        for &(i, site, named) in &waits {
            let here = self.warps[w].groups[i].clone();
            // Partners: at a `__syncwarp` with the same mask, anywhere; at a warp operation, at the same one.
            let partner = |g: &Group| match (g.state, site) {
                (State::Warp { site: Some(_), mask }, Some(_)) => mask == named,
                (State::Warp { site: None, .. }, None) => {
                    (g.block, g.step) == (here.block, here.step)
                }
                _ => false,
            };
            let lanes =
                self.warps[w].groups.iter().filter(|g| partner(g)).fold(0, |m, g| m | g.mask);
            if named & alive & !lanes != 0 {
                continue;
            }
            let loc = self.warp_wait_loc(w, i);
            self.check_strayed(w, lanes, named, loc, world);
            for g in self.warps[w].groups.iter_mut().filter(|g| partner(g)) {
                g.state = State::Ready;
                g.forced = site.is_none();
            }
            self.no_longer_awaited(w);
            world.changes += 1;
            if let Some(site) = site {
                let at = self.at(w);
                world.observer.warp_barrier(&mut self.observed, &at, named & lanes, alive, site);
                if O::WEAK {
                    self.barrier_weakly(&[(w, named & lanes)], true, true, world);
                }
            }
            return Ok(true);
        }
        if self.warps[w].groups.iter().any(|g| g.state == State::Paused) {
            return Ok(false);
        }
        // Other threads of the block may still release those at block barriers, but missing lanes of this warp wait
        // elsewhere forever.
        let (i, site, named) = waits[0];
        let group = &self.warps[w].groups[i];
        let missing = named & alive & !group.mask;
        let thread = self.warps[w].first_thread + group.mask.trailing_zeros();
        let absent = self.warps[w].first_thread + missing.trailing_zeros();
        let loc = self.warp_wait_loc(w, i);
        let elsewhere =
            self.warps[w].groups.iter().find(|g| g.mask & missing != 0).map(|g| self.waiting_at(g));
        let fault = Fault::LaneElsewhere { loc, thread, mask: named, absent, elsewhere };
        self.fault(w, &fault, world);
        if site.is_none() {
            let group = &mut self.warps[w].groups[i];
            group.state = State::Ready;
            group.forced = true;
        } else {
            self.warps[w].groups[i].state = State::Ready;
        }
        self.no_longer_awaited(w);
        Ok(true)
    }

    /// Where a group waits for lanes of its warp.
    fn warp_wait_loc(&self, w: usize, g: usize) -> LocId {
        let group = &self.warps[w].groups[g];
        match group.state {
            State::Warp { site: Some(s), .. } => self.p.kernel.site(s).loc,
            _ => {
                let first = self.p.code.blocks[group.block as usize].first;
                self.p.code.locs[(first + group.step) as usize]
            }
        }
    }

    fn no_longer_awaited(&mut self, w: usize) {
        let warp = &mut self.warps[w];
        warp.awaited = warp.groups.iter().fold(0, |m, g| match g.state {
            State::Warp { mask, .. } => m | mask,
            _ => m,
        });
        warp.strayed &= warp.awaited;
    }

    /// Lanes in the mask of a warp operation that have returned need not arrive. But lanes that went past it are a fault:
    /// while the others waited for them, they made an access that those, too, may still come to.
    fn check_strayed(&mut self, w: usize, here: u32, named: u32, loc: LocId, world: &mut World<O>) {
        let warp = &self.warps[w];
        let first = warp.first_thread;
        let size = self.p.lanes_from(self.block, first);
        let lanes = if size >= 32 { u32::MAX } else { (1 << size) - 1 };
        let mut strayed = named & lanes & !warp.alive & warp.strayed;
        if strayed == 0 || here & !named != 0 || self.failed {
            return;
        }
        let Some(waiting) = warp.groups.iter().find(|g| g.mask & here != 0) else { return };
        let ahead = self.p.kernel.sites_from(self.p.code.order[waiting.block as usize]);
        while strayed != 0 {
            let lane = strayed.trailing_zeros();
            if ahead.contains(&self.warps[w].strayed_at[lane as usize]) {
                let (thread, absent) = (first + here.trailing_zeros(), first + lane);
                self.fault(w, &Fault::LaneReturned { loc, thread, mask: named, absent }, world);
                return;
            }
            strayed &= strayed - 1;
        }
    }

    fn waiting_at(&self, g: &Group) -> LocId {
        match g.state {
            State::Barrier(b) => self.p.kernel.site(b.site).loc,
            State::Grid(s)
            | State::Copies(s)
            | State::Await { site: s, .. }
            | State::Warp { site: Some(s), .. } => self.p.kernel.site(s).loc,
            _ => g.branch,
        }
    }

    /// Called when no thread of the block can continue.
    pub(crate) fn resolve(&mut self, world: &mut World<O>) -> Result<Option<Turn>, Stop> {
        if self.release_partial_barriers(world) || self.resume() {
            return Ok(None);
        }
        let groups =
            || self.warps.iter().flat_map(|w| w.groups.iter().map(move |g| (w.first_thread, g)));
        let Some((first, lead)) = groups().map(|(t, g)| (t + g.mask.trailing_zeros(), g)).next()
        else {
            return Ok(Some(Turn::Finished));
        };
        let lead_state = lead.state;
        let lead_loc = self.waiting_at(lead);
        let same = |s: &State| match (lead_state, s) {
            (State::Barrier(a), State::Barrier(b)) => {
                a.site == b.site && a.id == b.id && a.threads == b.threads
            }
            (a, b) => a == *b,
        };
        let stray = groups()
            .find(|(_, g)| !same(&g.state))
            .map(|(t, g)| (self.waiting_at(g), t + g.mask.trailing_zeros()));
        if let Some(second) = stray {
            let fault = Fault::DifferentBarriers { first: (lead_loc, first), second };
            self.fault(0, &fault, world);
            return Err(Stop::Diverged);
        }
        match lead_state {
            State::Grid(site) => return Ok(Some(Turn::AtGridBarrier(site))),
            State::Barrier(b) if b.threads.is_some() => {
                let here: u32 = groups().map(|(_, g)| g.mask.count_ones()).sum();
                let needed = b.threads.unwrap_or(0);
                let (thread, barrier) = (first, b.id);
                let fault = Fault::TooFewThreads { loc: lead_loc, thread, barrier, needed, here };
                self.fault(0, &fault, world);
                return Err(Stop::Diverged);
            }
            State::Barrier(b) => {
                self.check_returned(b.site, first, world);
                self.release(world, false, |_| true);
            }
            State::Copies(site) => {
                self.check_returned(site, first, world);
                self.check_group_copies(world);
                for g in self.warps.iter_mut().flat_map(|w| &mut w.groups) {
                    g.state = State::Ready;
                }
                world.changes += 1;
                self.group_copies_awaited(world);
                if O::WEAK {
                    self.flush_weakly(world);
                }
            }
            State::Await { id, .. } => {
                let fault = Fault::NeverOpens { loc: lead_loc, thread: first, barrier: id };
                self.fault(0, &fault, world);
                return Err(Stop::Diverged);
            }
            State::Ready | State::Paused | State::Warp { .. } => {}
        }
        Ok(None)
    }

    /// Checks for a barrier that not all threads of the block reach, because some have returned.
    fn check_returned(&mut self, site: SiteId, thread: u32, world: &mut World<O>) {
        if let Some((returned, branch)) = self.returned {
            self.fault(0, &Fault::Returned { site, thread, returned, branch }, world);
        }
    }

    /// Lets the groups at a barrier continue, with its result if it computes one. `arrived`: some threads arrived
    /// without waiting.
    pub(crate) fn release(
        &mut self,
        world: &mut World<O>,
        arrived: bool,
        here: impl Fn(&State) -> bool,
    ) {
        let mut who = Vec::new();
        let (mut count, mut total) = (0, 0);
        let mut barrier = None;
        for (w, warp) in self.warps.iter().enumerate() {
            for g in warp.groups.iter().filter(|g| here(&g.state)) {
                who.push((w, g.mask));
                total += g.mask.count_ones();
                if let State::Barrier(b) = g.state {
                    count += b.reduce.map_or(0, |(_, lanes, ..)| lanes.count_ones());
                    barrier = Some(b);
                }
            }
        }
        if let Some(BarrierWait { reduce: Some((how, _, value, d)), .. }) = barrier {
            self.combine(how, &who, value, d);
        }
        for w in 0..self.warps.len() {
            let regs = self.regs(w);
            for g in self.warps[w].groups.iter_mut().filter(|g| here(&g.state)) {
                if let State::Barrier(BarrierWait { reduce: Some((op, _, _, d)), .. }) = g.state {
                    let value = match op {
                        BarrierReduce::Count => Some(count),
                        BarrierReduce::And => Some(u32::from(count == total)),
                        BarrierReduce::Or => Some(u32::from(count > 0)),
                        BarrierReduce::Fold { .. } | BarrierReduce::Scan { .. } => None,
                    };
                    for l in (0..LANES).filter(|l| value.is_some() && g.mask >> l & 1 == 1) {
                        regs.w32_mut(d)[l] = value.unwrap_or(0);
                    }
                }
                g.state = State::Ready;
                g.stuck = false;
                g.seen = None;
            }
        }
        world.changes += 1;
        let Some(b) = barrier else { return };
        if O::WEAK {
            self.barrier_weakly(&who, b.shared, b.global, world);
        }
        let whole = !arrived && b.threads.is_none_or(|t| t >= self.p.threads_of(self.block));
        if whole {
            let BarrierWait { site, shared, global, .. } = b;
            let opened = Opened { site, shared, global, computes: b.reduce.is_some() };
            let (own, block) = (&mut self.observed, self.block);
            world.observer.block_barrier(own, self.p, block, &opened, &who);
        } else {
            let opening = self.opening(b.id);
            world.observer.partial_barrier(
                &mut self.observed,
                self.p,
                self.block,
                opening,
                &who,
                true,
            );
        }
    }

    /// Combines the values that threads contribute at a barrier, in the order of their indices.
    fn combine(&mut self, how: BarrierReduce, who: &[(usize, u32)], value: Slot, d: Slot) {
        let (op, ty, inclusive) = match how {
            BarrierReduce::Fold { op, ty } => (op, ty, true),
            BarrierReduce::Scan { op, ty, inclusive } => (op, ty, inclusive),
            _ => return,
        };
        let lanes = |mask: u32| (0..LANES).filter(move |l| mask >> l & 1 == 1);
        let mut threads: Vec<(usize, usize)> =
            who.iter().flat_map(|&(w, mask)| lanes(mask).map(move |l| (w, l))).collect();
        threads.sort();
        let mut so_far = neutral(op, ty);
        for &(w, l) in &threads {
            let before = so_far;
            so_far = bits::atomic(op, ty, so_far, self.regs(w).lane(value, ty, l), 0);
            let scanned = if inclusive { so_far } else { before };
            self.regs(w).set_lane(d, ty, l, scanned);
        }
        if matches!(how, BarrierReduce::Fold { .. }) {
            threads.iter().for_each(|&(w, l)| self.regs(w).set_lane(d, ty, l, so_far));
        }
    }

    /// The grid barrier opens.
    pub(crate) fn release_grid(&mut self, site: SiteId, world: &mut World<O>) {
        for g in self.warps.iter_mut().flat_map(|w| &mut w.groups) {
            g.state = State::Ready;
        }
        let own = &mut self.observed;
        world.observer.block_passes_grid_barrier(own, self.p, self.block, site);
    }

    /// Source locations and threads that cannot continue, for a deadlock's message.
    pub(crate) fn stuck_places(&self) -> Vec<(LocId, u32)> {
        let mut places = self.waiting_places();
        places.sort_by_key(|p| !p.0);
        places.into_iter().map(|p| (p.1, p.2)).collect()
    }

    /// For each group, whether it spins, where, and its first thread.
    fn waiting_places(&self) -> Vec<(bool, LocId, u32)> {
        self.warps
            .iter()
            .flat_map(|w| {
                w.groups.iter().map(move |g| {
                    let loc = match g.state {
                        State::Ready => {
                            let b = &self.p.code.blocks[g.block as usize];
                            // The read that the loop waits on is the best location to name.
                            let at = (b.first..b.last)
                                .find(|i| {
                                    matches!(
                                        self.p.code.steps[*i as usize],
                                        Step::Load { .. } | Step::Atomic(_)
                                    )
                                })
                                .map(|i| self.p.code.locs[i as usize]);
                            at.unwrap_or(g.branch)
                        }
                        _ => self.waiting_at(g),
                    };
                    (g.state == State::Ready, loc, w.first_thread + g.mask.trailing_zeros())
                })
            })
            .collect()
    }
}

/// The neutral element of the operation.
fn neutral(op: AtomicOp, ty: Ty) -> u64 {
    let sign = 1 << (ty.bits() - 1);
    match op {
        AtomicOp::SMin => ty.mask() ^ sign,
        AtomicOp::SMax => sign,
        AtomicOp::UMin => ty.mask(),
        AtomicOp::FMin => bits::real_bits(ty, f64::INFINITY),
        AtomicOp::FMax => bits::real_bits(ty, f64::NEG_INFINITY),
        _ => 0,
    }
}
