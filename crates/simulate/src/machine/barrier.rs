//! Barriers of blocks and warps, warp operations, and what goes wrong at them.
//!
//! A group that comes to a barrier waits. Barriers are looked at when nobody in
//! the block (or, for `__syncwarp` and the `_sync` operations, in the warp) can
//! go on: either all threads that must be there are, and they go on together, or
//! some wait for threads that will never come, which is `barrier-divergence`.
//! Threads that have returned count as arrived, as on hardware, but a barrier of
//! the block that relies on that is reported too.

use lockstep_finding::{Access, Finding, Kind, Severity};
use lockstep_kernel::{
    AtomicOp, BarrierReduce, Language, LocId, ShuffleMode, SiteId, Ty, VoteKind,
};

use crate::check::report::{Key, place, site_place};
use crate::code::decode::{BarrierStep, Rare};
use crate::code::lanes::{LANES, Slot, real_bits};
use crate::machine::access::apply;
use crate::machine::block::{BarrierWait, BlockRun, Group, State, Stop, Turn, World};

const NAME_FEWER: &str = "name in the mask only the lanes that reach this operation together";

impl BlockRun<'_, '_> {
    /// A group comes to a barrier. True if it may go on at once.
    pub(crate) fn barrier(
        &mut self,
        w: usize,
        g: usize,
        mask: u32,
        at: u32,
        site: SiteId,
        barrier: &BarrierStep,
        world: &mut World,
    ) -> Result<bool, Stop> {
        world.reached[site.0 as usize] = true;
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
                self.note_awaited(w, mask, *count, *list);
                State::Copies(site)
            }
        };
        let group = &mut self.warps[w].groups[g];
        group.step = at + 1;
        group.state = state;
        Ok(false)
    }

    /// `__syncwarp`, in which lanes may name different sets. True if all may go on.
    fn warp_barrier(
        &mut self,
        w: usize,
        g: usize,
        mask: u32,
        at: u32,
        site: SiteId,
        named: &[u32; LANES],
        world: &mut World,
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
                let (races, mut ctx) = self.races(world);
                races.warp_barrier(&mut ctx, w, set & lanes, alive);
                self.watched_warp_barrier(w, set & lanes, site, world);
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

    /// Every lane that names a set of lanes must be in it.
    fn check_named(&mut self, w: usize, mask: u32, named: u32, site: SiteId, world: &mut World) {
        let outside = mask & !named;
        if outside == 0 {
            return;
        }
        let thread = self.warps[w].first_thread + outside.trailing_zeros();
        let key = Key { kind: Kind::BarrierDivergence, places: [site.0, site.0], object: 1 };
        world.reports.add(key, false, || {
            let access = self.barrier_access(site, thread);
            let message =
                format!("the mask {named:#010x} does not name the thread that waits with it");
            let mut f = Finding::new(Kind::BarrierDivergence, message, vec![access]);
            f.help = vec!["each thread that calls __syncwarp must be in its mask".into()];
            f
        });
    }

    fn barrier_access(&self, site: SiteId, thread: u32) -> Access {
        Access {
            op: "barrier".into(),
            thread: Some(self.p.thread_at(self.block, thread)),
            block: self.p.block_at(self.block),
            place: site_place(self.p.kernel, site),
            value: None,
            notes: Vec::new(),
        }
    }

    /// A warp operation with a mask: waits until the lanes it names are here.
    pub(crate) fn gather(
        &mut self,
        w: usize,
        g: usize,
        mask: u32,
        at: u32,
        named: Slot,
        world: &mut World,
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

    /// Nobody in the warp can go on: lets those go whose partners are all here.
    /// False if none are.
    pub(crate) fn release_warp_waits(&mut self, w: usize, world: &mut World) -> Result<bool, Stop> {
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
            // Partners: at a __syncwarp with the same mask, wherever; at a warp
            // operation, at the same one.
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
                let (races, mut ctx) = self.races(world);
                races.warp_barrier(&mut ctx, w, named & lanes, alive);
                self.watched_warp_barrier(w, named & lanes, site, world);
            }
            return Ok(true);
        }
        if self.warps[w].groups.iter().any(|g| g.state == State::Paused) {
            return Ok(false);
        }
        // Others of the block may still set free those at block barriers, but
        // lanes of this very warp that are missing wait elsewhere for good.
        let (i, site, named) = waits[0];
        let group = &self.warps[w].groups[i];
        let missing = named & alive & !group.mask;
        let thread = self.warps[w].first_thread + group.mask.trailing_zeros();
        let absent = self.warps[w].first_thread + missing.trailing_zeros();
        let loc = self.warp_wait_loc(w, i);
        let elsewhere =
            self.warps[w].groups.iter().find(|g| g.mask & missing != 0).map(|g| self.waiting_at(g));
        self.report_divergence(
            loc,
            thread,
            elsewhere.map(|l| (l, absent)),
            format!(
                "thread waits for the lanes of mask {named:#010x}, of which thread {} never comes",
                triple(self.p.thread_at(self.block, absent))
            ),
            NAME_FEWER,
            world,
        );
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

    /// Lanes that an operation of the warp names and that have returned need not come, but those that did something else
    /// while the others waited for them were there, and did not.
    fn check_strayed(&mut self, w: usize, here: u32, named: u32, loc: LocId, world: &mut World) {
        let first = self.warps[w].first_thread;
        let size = self.p.lanes_from(self.block, first);
        let lanes = if size >= 32 { u32::MAX } else { (1 << size) - 1 };
        let strayed = named & lanes & !self.warps[w].alive & self.warps[w].strayed;
        if strayed == 0 || here & !named != 0 || self.failed {
            return;
        }
        let (waiting, missing) = (first + here.trailing_zeros(), first + strayed.trailing_zeros());
        let message = format!(
            "thread {} names the lanes of mask {named:#010x}, of which thread {} never comes",
            triple(self.p.thread_at(self.block, waiting)),
            triple(self.p.thread_at(self.block, missing)),
        );
        self.report_divergence(loc, waiting, None, message, NAME_FEWER, world);
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

    fn report_divergence(
        &mut self,
        loc: LocId,
        thread: u32,
        other: Option<(LocId, u32)>,
        message: String,
        help: &str,
        world: &mut World,
    ) {
        let key = Key {
            kind: Kind::BarrierDivergence,
            places: [loc.0, other.map_or(loc.0, |o| o.0.0)],
            object: 2,
        };
        world.reports.add(key, false, || {
            let access = |loc: LocId, thread: u32| Access {
                op: "barrier".into(),
                thread: Some(self.p.thread_at(self.block, thread)),
                block: self.p.block_at(self.block),
                place: place(self.p.kernel, loc),
                value: None,
                notes: Vec::new(),
            };
            let mut accesses = vec![access(loc, thread)];
            accesses.extend(other.map(|(l, t)| access(l, t)));
            let mut f = Finding::new(Kind::BarrierDivergence, message, accesses);
            f.help = vec![help.to_string()];
            f
        });
    }

    /// Nobody in the block can go on.
    pub(crate) fn resolve(&mut self, world: &mut World) -> Result<Option<Turn>, Stop> {
        if self.release_named(world) || self.resume() {
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
        if let Some((loc, thread)) = stray {
            let message = format!(
                "threads {} and {} of a block wait at different barriers",
                triple(self.p.thread_at(self.block, first)),
                triple(self.p.thread_at(self.block, thread))
            );
            let help = "every thread of the block must reach the same barrier: look at whether it can stand outside the divergent branch or loop";
            self.report_divergence(lead_loc, first, Some((loc, thread)), message, help, world);
            return Err(Stop::Diverged);
        }
        match lead_state {
            State::Grid(site) => return Ok(Some(Turn::AtGridBarrier(site))),
            State::Barrier(b) if b.threads.is_some() => {
                let here: u32 = groups().map(|(_, g)| g.mask.count_ones()).sum();
                let needed = b.threads.unwrap_or(0);
                let message = format!(
                    "barrier {} waits for {needed} threads, but only {here} ever come",
                    b.id
                );
                let help =
                    "the thread count of a named barrier must match the threads that arrive at it";
                self.report_divergence(lead_loc, first, None, message, help, world);
                return Err(Stop::Diverged);
            }
            State::Barrier(b) => {
                self.check_exited(b.site, first, world);
                self.release(world, false, |_| true);
            }
            State::Copies(site) => {
                self.check_exited(site, first, world);
                self.check_copies(world);
                for g in self.warps.iter_mut().flat_map(|w| &mut w.groups) {
                    g.state = State::Ready;
                }
                world.changes += 1;
                let (races, mut ctx) = self.races(world);
                races.copies_done(&mut ctx);
            }
            State::Await { id, .. } => {
                let message = format!("barrier {id} waits for threads that never arrive at it");
                let help = "every thread of the group must arrive before any can go on";
                self.report_divergence(lead_loc, first, None, message, help, world);
                return Err(Stop::Diverged);
            }
            State::Ready | State::Paused | State::Warp { .. } => {}
        }
        Ok(None)
    }

    /// A barrier that not all threads of the block reach: some have left.
    fn check_exited(&mut self, site: SiteId, waiting: u32, world: &mut World) {
        let Some((thread, branch)) = self.left else {
            return;
        };
        let p = self.p;
        let key = Key { kind: Kind::BarrierDivergence, places: [site.0, site.0], object: 0 };
        world.reports.add(key, false, || {
            let exit = Access {
                op: "exit".into(),
                thread: Some(p.thread_at(self.block, thread)),
                block: p.block_at(self.block),
                place: place(p.kernel, branch),
                value: None,
                notes: Vec::new(),
            };
            let message = format!(
                "thread {} waits at a barrier that thread {} of its block never reaches: it has returned",
                triple(p.thread_at(self.block, waiting)),
                triple(p.thread_at(self.block, thread))
            );
            let mut f =
                Finding::new(Kind::BarrierDivergence, message, vec![self.barrier_access(site, waiting), exit]);
            if p.kernel.language != Language::OpenCl && !p.lockstep {
                f.severity = Severity::Warning;
            }
            f.help = vec!["all threads of the block should reach the barrier: look at whether the work can be guarded, and not the way to the barrier".into()];
            f
        });
    }

    /// A group copy is every thread's or nobody's.
    pub(crate) fn check_copies(&mut self, world: &mut World) {
        let threads = self.p.threads_of(self.block);
        let mut copies: Vec<(SiteId, u32)> = self.copies.drain().collect();
        copies.retain(|(_, n)| !n.is_multiple_of(threads));
        copies.sort();
        for (site, n) in copies {
            let key = Key { kind: Kind::BarrierDivergence, places: [site.0, site.0], object: 3 };
            world.reports.add(key, false, || {
                let mut access = self.barrier_access(site, 0);
                access.op = "copy".into();
                access.thread = None;
                let message = format!(
                    "a group copy is executed by {} of the {threads} threads of a block",
                    n % threads
                );
                let mut f = Finding::new(Kind::BarrierDivergence, message, vec![access]);
                f.help = vec![
                    "every thread of the block must reach the same group copy: move it out of the divergent branch or loop".into(),
                ];
                f
            });
        }
    }

    /// Lets the groups at a barrier go on, with its result if it computes one.
    /// `arrived`: others came by without waiting.
    pub(crate) fn release(
        &mut self,
        world: &mut World,
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
        let whole = !arrived && b.threads.is_none_or(|t| t >= self.p.threads_of(self.block));
        if whole {
            let (races, mut ctx) = self.races(world);
            races.block_barrier(&mut ctx, b.shared, b.global);
            self.watched_barrier(&b, &who, world);
        } else {
            let opening = self.opening(b.id);
            let (races, mut ctx) = self.races(world);
            races.named_barrier(&mut ctx, opening, &who, true);
        }
    }

    /// What threads give at a barrier, combined in the order of their numbers.
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
            so_far = apply(op, ty, so_far, self.regs(w).lane(value, ty, l), 0);
            let scanned = if inclusive { so_far } else { before };
            self.regs(w).set_lane(d, ty, l, scanned);
        }
        if matches!(how, BarrierReduce::Fold { .. }) {
            threads.iter().for_each(|&(w, l)| self.regs(w).set_lane(d, ty, l, so_far));
        }
    }

    /// The grid barrier opens.
    pub(crate) fn release_grid(&mut self, site: SiteId, world: &mut World) {
        for g in self.warps.iter_mut().flat_map(|w| &mut w.groups) {
            g.state = State::Ready;
        }
        let (races, mut ctx) = self.races(world);
        races.block_barrier(&mut ctx, true, true);
        self.watched_grid_barrier(site, world);
    }

    /// Places and threads that cannot go on, for a deadlock's message.
    pub(crate) fn stuck_places(&self) -> Vec<(LocId, u32)> {
        let mut places = self.waiting_places();
        places.sort_by_key(|p| !p.0);
        places.into_iter().map(|p| (p.1, p.2)).collect()
    }

    /// Whether each group spins, where, and its first thread.
    fn waiting_places(&self) -> Vec<(bool, LocId, u32)> {
        self.warps
            .iter()
            .flat_map(|w| {
                w.groups.iter().map(move |g| {
                    let loc = match g.state {
                        State::Ready => {
                            let b = &self.p.code.blocks[g.block as usize];
                            // The read the loop waits on is the best place to name.
                            let at = (b.first..b.last)
                                .find(|i| {
                                    matches!(
                                        self.p.code.steps[*i as usize],
                                        crate::code::decode::Step::Load { .. }
                                            | crate::code::decode::Step::Atomic(_)
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

    /// Shuffles, votes and matches among the lanes of `mask`.
    pub(crate) fn warp_op(&mut self, w: usize, mask: u32, r: &Rare) {
        let regs = self.regs(w);
        let active = |l: usize| mask >> l & 1 == 1;
        match r {
            Rare::Shuffle { mode, ty, d, predicate, value, lane, clamp, .. } => {
                let mut out = [(0u64, false); LANES];
                for l in (0..LANES).filter(|l| active(*l)) {
                    let (b, c) = (regs.w32(*lane)[l], regs.w32(*clamp)[l]);
                    let (source, in_range) = shuffle_source(*mode, l as u32, b, c);
                    let source = if in_range { source as usize & 31 } else { l };
                    out[l] = (regs.lane(*value, *ty, source), in_range);
                }
                for l in (0..LANES).filter(|l| active(*l)) {
                    regs.set_lane(*d, *ty, l, out[l].0);
                    if let Some(p) = predicate {
                        regs.set_bits(*p, u32::from(out[l].1) << l, 1 << l);
                    }
                }
            }
            Rare::Vote { kind, d, pred, mask: named } => {
                let bits = regs.bits(*pred);
                let sets: [u32; LANES] =
                    std::array::from_fn(|l| named.map_or(mask, |n| regs.w32(n)[l] & mask));
                for l in (0..LANES).filter(|l| active(*l)) {
                    let (named, ballot) = (sets[l], bits & sets[l]);
                    let outcome = match kind {
                        VoteKind::Ballot => {
                            regs.w32_mut(*d)[l] = ballot;
                            continue;
                        }
                        VoteKind::Any => ballot != 0,
                        VoteKind::All => ballot == named,
                        VoteKind::Uniform => ballot == 0 || ballot == named,
                    };
                    regs.set_bits(*d, u32::from(outcome) << l, 1 << l);
                }
            }
            Rare::Match { all, ty, d, predicate, value, mask: named } => {
                let sets = *regs.w32(*named);
                let mut out = [(0, false); LANES];
                for l in (0..LANES).filter(|l| active(*l)) {
                    let named = sets[l] & mask;
                    let mine = regs.lane(*value, *ty, l);
                    let alike = (0..LANES)
                        .filter(|o| named >> o & 1 == 1 && regs.lane(*value, *ty, *o) == mine)
                        .fold(0u32, |m, o| m | 1 << o);
                    let every = alike == named;
                    out[l] = (if !*all || every { alike } else { 0 }, every);
                }
                for l in (0..LANES).filter(|l| active(*l)) {
                    regs.w32_mut(*d)[l] = out[l].0;
                    if let Some(p) = predicate {
                        regs.set_bits(*p, u32::from(out[l].1) << l, 1 << l);
                    }
                }
            }
            _ => {}
        }
    }
}

/// What changes nothing when it is combined with anything.
fn neutral(op: AtomicOp, ty: Ty) -> u64 {
    let sign = 1 << (ty.bits() - 1);
    match op {
        AtomicOp::SMin => ty.mask() ^ sign,
        AtomicOp::SMax => sign,
        AtomicOp::UMin => ty.mask(),
        AtomicOp::FMin => real_bits(ty, f64::INFINITY),
        AtomicOp::FMax => real_bits(ty, f64::NEG_INFINITY),
        _ => 0,
    }
}

/// PTX's rule: source lane and whether it is in range.
fn shuffle_source(mode: ShuffleMode, lane: u32, b: u32, c: u32) -> (u32, bool) {
    let (clamp, segment) = (c & 0x1f, c >> 8 & 0x1f);
    let b = b & 0x1f;
    let max_lane = (lane & segment) | (clamp & !segment);
    let min_lane = lane & segment;
    match mode {
        ShuffleMode::Up => {
            let j = lane as i32 - b as i32;
            (j as u32, j >= max_lane as i32)
        }
        ShuffleMode::Down => (lane + b, lane + b <= max_lane),
        ShuffleMode::Butterfly => (lane ^ b, lane ^ b <= max_lane),
        ShuffleMode::Index => {
            let j = min_lane | (b & !segment);
            (j, j <= max_lane)
        }
    }
}

pub(crate) fn triple(t: [u32; 3]) -> String {
    format!("({},{},{})", t[0], t[1], t[2])
}
