//! OpenCL's `async_work_group_copy`, and the order that `wait_group_events` establishes.
//!
//! A copy is executed once for the work-group, by no particular thread, at some time between the first thread's
//! reaching it and the wait. The rules are those of the simulator: a thread's access happens before a copy only where a
//! barrier (for its memory) lies between, and after it only where a wait does; two copies are ordered by a wait between
//! them; a wait orders nothing else. So the query follows program order: is there a path from the one to the other
//! without such an operation? The second thread of the query stands for the copy. That all threads compute the same
//! operands is an obligation of its own ([`Pairs::uneven_copies`]), as is that all of them reach the copy.
//!
//! Where an access relies on a wait alone, without a barrier after it, where a wait is not for all copies, or where
//! several copies are in flight at once, nothing is proved ([`Pairs::loose_copies`]).
//!
//! The element of a copy is a variable between zero and the count, so strides are exact.

use lockstep_finding::{NotFollowed, Question, Reason};
use lockstep_kernel::{Barrier, BlockId, Op, Operand};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::decide::limits::Limits;
use crate::decide::solve::{Outcome, Query};
use crate::launch::context::{Level, VarKind};
use crate::order::pair::{Candidate, Pairs, Relation};
use crate::order::pair_log::Exclusion;
use crate::symbolic::evaluate::Exec;
use crate::symbolic::records::{BarrierAt, Mode};
use crate::symbolic::source::line_of;
use crate::term::T;

/// How many iterations the loops around the start have advanced on a path, where it is known: 0 or 1.
type Rounds = Vec<(usize, u8)>;

impl Exec<'_, '_> {
    /// The accesses of a copy.
    pub(crate) fn group_copy(&mut self, b: BlockId, at: usize, op: &Op) {
        let Op::GroupCopy { read, write, dst, src, count, size, dst_stride, src_stride, .. } = op
        else {
            return;
        };
        let none = Operand::Imm(0);
        let barrier = Barrier::GroupCopies { all: true, count: none, list: none };
        self.barriers.push(BarrierAt { site: *write, block: b, at, barrier, copies: true });
        let n = self.operand(*count, 64, b);
        let most = self.ctx.pool.range(n).uhi;
        if most == 0 {
            return;
        }
        let element = self.ctx.variable(VarKind::CopyElement(*write), 0, 0, most - 1, 64);
        let within = self.ctx.pool.ult(element, n);
        for (site, mode, base, stride) in
            [(*read, Mode::Read, *src, *src_stride), (*write, Mode::Write, *dst, *dst_stride)]
        {
            let (base, stride) = (self.operand(base, 64, b), self.operand(stride, 64, b));
            let steps = self.ctx.pool.mul(element, stride);
            let addr = self.ctx.pool.sum(0, &[(base, 1), (steps, u64::from(*size))], 64);
            self.access(site, mode, b, at, addr, u64::from(*size));
            let last = self.accesses.last_mut().expect("just pushed");
            last.group = true;
            last.within = Some(within);
        }
    }
}

impl Pairs<'_, '_> {
    /// Pairs of accesses within one work-group of which at least one belongs to a copy.
    pub(crate) fn copy_candidates(
        &mut self,
        for_shared: &[bool],
        for_global: &[bool],
        out: &mut Vec<Candidate>,
    ) {
        let n = self.exec.accesses.len();
        for copy in (0..n).filter(|&i| self.exec.accesses[i].group).collect::<Vec<_>>() {
            for other in 0..n {
                let (a, b) = (&self.exec.accesses[other], &self.exec.accesses[copy]);
                let twice = a.group && other > copy;
                if twice || !a.mode.writes() && !b.mode.writes() {
                    continue;
                }
                self.copy_pair(other, copy, for_shared, for_global, out);
            }
        }
    }

    fn copy_pair(
        &mut self,
        other: usize,
        copy: usize,
        for_shared: &[bool],
        for_global: &[bool],
        out: &mut Vec<Candidate>,
    ) {
        let level = Level::Block;
        let (left, right) = (self.side(other, 1, level), self.side(copy, 2, level));
        if left.cases.is_empty() || right.cases.is_empty() {
            self.exclude((other, copy), level, Exclusion::NeverMade);
        }
        for p in &left.cases {
            for q in &right.cases {
                let Some(space) = self.common_space(other, copy, p.place, q.place, level) else {
                    self.exclude((other, copy), level, Exclusion::DifferentObjects);
                    continue;
                };
                self.exclude((other, copy), level, Exclusion::GroupCopies);
                let lengths = (left.length, right.length);
                let (overlap, base, offsets) =
                    self.meeting(other, copy, (p.place, q.place), lengths);
                let shared = space == lockstep_kernel::Space::Shared;
                let barriers = if shared { for_shared } else { for_global };
                for (ways, sign) in [
                    (self.ways_to_copy(other, copy, barriers), 1),
                    (self.ways_from_copy(copy, other), -1i64),
                ] {
                    for rounds in ways {
                        let mut assertions = self.facts_with_copy();
                        assertions.extend(&left.conditions);
                        assertions.extend(&right.conditions);
                        assertions.extend([p.when, q.when, overlap]);
                        assertions.extend(self.rounds(&rounds, sign));
                        let query = self.ask(assertions, level);
                        if let Some(number) = self.solver.last_number() {
                            self.exclude((other, copy), level, Exclusion::Question(number));
                        }
                        if let Some(query) = query {
                            let (first, second) = (other, copy);
                            let conditions = self.rounds(&rounds, sign);
                            let relation = Relation { conditions, exact: true };
                            out.push(Candidate {
                                first,
                                second,
                                level,
                                base,
                                offsets,
                                query,
                                relation,
                            });
                        }
                    }
                }
            }
        }
    }

    /// The facts about a thread and one that stands for a copy, which may be the same.
    pub(crate) fn facts_with_copy(&mut self) -> Vec<T> {
        let mut out = self.facts_of_one();
        out.extend(self.exec.ctx.index_facts(2, 0));
        out.extend(self.required(&[2], Level::Block));
        out
    }

    /// The first thread's counters are the copy's minus the number of iterations advanced (`sign` 1), or plus it.
    fn rounds(&mut self, rounds: &Rounds, sign: i64) -> Vec<T> {
        let mut out = Vec::new();
        for &(l, d) in rounds {
            let index = self.exec.loops[l].index;
            let (a, b) = (self.copy(index, 1, Level::Block), self.copy(index, 2, Level::Block));
            let moved = self.exec.ctx.pool.add_const(a, (i64::from(d) * sign) as u64);
            out.push(self.exec.ctx.pool.eq(moved, b));
        }
        out
    }

    /// Paths from an access to a copy without a barrier (from an access of another copy: without a wait).
    fn ways_to_copy(&self, other: usize, copy: usize, barriers: &[bool]) -> Vec<Rounds> {
        let (from, to) = (&self.exec.accesses[other], &self.exec.accesses[copy]);
        let closes = |b: usize| if from.group { self.waits(b) } else { barriers[b] };
        let pass = |_: bool, b: usize| (!closes(b)).then_some(false);
        let mut out = self.ways_between((from.block, from.at), (to.block, to.at), &pass);
        // Neither can precede the other in any thread: some threads execute one, some the other.
        let open = |_: bool, _: usize| Some(false);
        let (a, b) = ((from.block, from.at), (to.block, to.at));
        let apart = |x, y| self.ways_between(x, y, &open).is_empty();
        if a != b && apart(a, b) && apart(b, a) {
            out.push(Vec::new());
        }
        out
    }

    fn ways_from_copy(&self, copy: usize, other: usize) -> Vec<Rounds> {
        let (from, to) = (&self.exec.accesses[copy], &self.exec.accesses[other]);
        let pass = |_: bool, b: usize| (!self.waits(b)).then_some(false);
        self.ways_between((from.block, from.at), (to.block, to.at), &pass)
    }

    fn waits(&self, barrier: usize) -> bool {
        let b = &self.exec.barriers[barrier];
        matches!(b.barrier, Barrier::GroupCopies { .. }) && !b.copies
    }

    /// All paths from after one place to another that are not blocked by a barrier. A path is `armed` or not: `pass`
    /// gives its state after a barrier, or `None` where the path is blocked.
    fn ways_between(
        &self,
        from: (BlockId, usize),
        to: (BlockId, usize),
        pass: &dyn Fn(bool, usize) -> Option<bool>,
    ) -> Vec<Rounds> {
        let exec = &self.exec;
        let barriers: FxHashMap<(BlockId, usize), usize> =
            exec.barriers.iter().enumerate().map(|(i, b)| ((b.block, b.at), i)).collect();
        let start: Rounds = exec.nest(from.0).into_iter().map(|l| (l, 0)).collect();
        let mut seen: FxHashSet<(BlockId, usize, bool, Rounds)> = FxHashSet::default();
        let mut out: Vec<Rounds> = Vec::new();
        let mut work = vec![(from.0, from.1 + 1, false, start)];
        while let Some((b, first, armed, rounds)) = work.pop() {
            if !seen.insert((b, first, armed, rounds.clone())) {
                continue;
            }
            let mut open = Some(armed);
            for i in first..exec.ctx.kernel.block(b).insts.len() {
                if (b, i) == to && !out.contains(&rounds) {
                    out.push(rounds.clone());
                }
                let Some(armed) = open else { break };
                if let Some(&barrier) = barriers.get(&(b, i)) {
                    open = pass(armed, barrier);
                }
                if open.is_none() {
                    break;
                }
            }
            if let Some(armed) = open {
                for &next in &exec.ctx.cfg.successors[b.0 as usize] {
                    work.push((next, 0, armed, self.after_edge(b, next, &rounds)));
                }
            }
        }
        out
    }

    /// The iterations after an edge: loops that were left, or whose iteration is no longer known, are dropped.
    fn after_edge(&self, b: BlockId, to: BlockId, rounds: &Rounds) -> Rounds {
        let loops = &self.exec.loops;
        let mut out: Rounds =
            rounds.iter().copied().filter(|(l, _)| loops[*l].contains(to)).collect();
        let again = out.iter().position(|(l, _)| loops[*l].head == to && loops[*l].contains(b));
        if let Some(i) = again {
            // Loops inside it start again.
            out.truncate(i + 1);
            match &mut out[i].1 {
                d @ 0 => *d = 1,
                _ => drop(out.pop()),
            }
        }
        out
    }

    /// Why nothing is proved although no query is satisfiable: a wait may be for another of several copies, or a thread
    /// that has waited may see only its own part of the copy, where no barrier follows. Interpretations of the
    /// specification differ on the latter.
    pub(crate) fn loose_copies(&mut self, limits: Limits) -> Option<Reason> {
        let some = |b: &&BarrierAt| matches!(b.barrier, Barrier::GroupCopies { all: false, .. });
        if let Some(wait) = self.exec.barriers.iter().find(some) {
            let line = line_of(self.exec.ctx.kernel, wait.site);
            return Some(Reason::NotFollowed { what: NotFollowed::GroupCopyWait, at: Some(line) });
        }
        let accesses = 0..self.exec.accesses.len();
        let copies: Vec<usize> = accesses.filter(|&i| self.exec.accesses[i].group).collect();
        let at = |exec: &Exec, i: usize| (exec.accesses[i].block, exec.accesses[i].at);
        let until_wait = |_: bool, b: usize| (!self.waits(b)).then_some(false);
        for &i in &copies {
            for &j in &copies {
                let (from, to) = (at(&self.exec, i), at(&self.exec, j));
                if !self.ways_between(from, to, &until_wait).is_empty() {
                    let line = line_of(self.exec.ctx.kernel, self.exec.accesses[i].site);
                    let what = NotFollowed::GroupCopy;
                    return Some(Reason::NotFollowed { what, at: Some(line) });
                }
            }
        }
        let level = Level::Block;
        let mut queries: Vec<Query> = Vec::new();
        let mut sites = Vec::new();
        for &copy in &copies {
            for other in 0..self.exec.accesses.len() {
                let (a, b) = (&self.exec.accesses[other], &self.exec.accesses[copy]);
                if !a.mode.writes() && !b.mode.writes() {
                    continue;
                }
                let until_barrier = |waited: bool, b: usize| {
                    let block =
                        crate::symbolic::records::is_block_barrier(&self.exec.barriers[b].barrier);
                    if waited && block { None } else { Some(waited || self.waits(b)) }
                };
                let (from, to) = (at(&self.exec, copy), at(&self.exec, other));
                let ways = self.ways_between(from, to, &until_barrier);
                let site = a.site;
                let (left, right) = (self.side(other, 1, level), self.side(copy, 2, level));
                for rounds in ways {
                    for p in &left.cases {
                        for q in &right.cases {
                            if self.common_space(other, copy, p.place, q.place, level).is_none() {
                                continue;
                            }
                            let places = (p.place, q.place);
                            let (meet, ..) = self.meeting(other, copy, places, (None, None));
                            let mut list = self.facts_with_copy();
                            list.extend(&left.conditions);
                            list.extend(&right.conditions);
                            list.extend([p.when, q.when, meet]);
                            list.extend(self.rounds(&rounds, -1));
                            if let Some(q) = self.ask(list, level) {
                                queries.push(q);
                                sites.push(site);
                            }
                        }
                    }
                }
            }
        }
        let outcomes = self.solver.decide(self.exec.ctx, &queries, limits);
        let open = outcomes.iter().position(|o| !matches!(o, Outcome::Unsat))?;
        let line = line_of(self.exec.ctx.kernel, sites[open]);
        Some(Reason::MayHappen(Question::CopyNotWaitedFor { before: line }))
    }

    /// Copies whose operands may differ between threads: the reason, naming the copy.
    pub(crate) fn uneven_copies(&mut self, limits: Limits) -> Option<Reason> {
        let level = Level::Block;
        let mut queries: Vec<Query> = Vec::new();
        let mut sites = Vec::new();
        let copies: Vec<usize> =
            (0..self.exec.accesses.len()).filter(|&i| self.exec.accesses[i].group).collect();
        for i in copies {
            let a = self.exec.accesses[i].clone();
            let mut list = self.facts(level);
            for tag in [1, 2] {
                list.extend(self.conditions(a.block, tag, level));
            }
            for l in self.exec.nest(a.block) {
                let index = self.exec.loops[l].index;
                let (x, y) = (self.copy(index, 1, level), self.copy(index, 2, level));
                list.push(self.exec.ctx.pool.eq(x, y));
            }
            let within = a.within.expect("a copy has elements");
            let places = [self.copy(a.addr, 1, level), self.copy(a.addr, 2, level)];
            let counts = [self.copy(within, 1, level), self.copy(within, 2, level)];
            // One element for both, identified by the site of the write, for the read too.
            let element = self.element_of(i);
            if let Some([x, y]) = element {
                list.push(self.exec.ctx.pool.eq(x, y));
            }
            let pool = &mut self.exec.ctx.pool;
            let same_place = pool.eq(places[0], places[1]);
            let same_count = pool.eq(counts[0], counts[1]);
            let same = pool.and(same_place, same_count);
            list.push(pool.not(same));
            if let Some(q) = self.ask(list, level) {
                queries.push(q);
                sites.push(a.site);
            }
        }
        let outcomes = self.solver.decide(self.exec.ctx, &queries, limits);
        let open = outcomes.iter().position(|o| !matches!(o, Outcome::Unsat))?;
        let at = line_of(self.exec.ctx.kernel, sites[open]);
        Some(Reason::MayHappen(Question::CopyDiffers(at)))
    }

    /// The element variable of a copy's access, for each of the two threads.
    fn element_of(&mut self, access: usize) -> Option<[T; 2]> {
        let a = &self.exec.accesses[access];
        let at = (a.block, a.at);
        let copies = self.exec.barriers.iter().find(|b| b.copies && (b.block, b.at) == at)?;
        let kind = VarKind::CopyElement(copies.site);
        Some([self.exec.ctx.existing(kind, 1)?, self.exec.ctx.existing(kind, 2)?])
    }
}
