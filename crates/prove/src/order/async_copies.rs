//! Asynchronous copies of single threads (`cp.async`): checks that each is waited for before its effects can be
//! observed.
//!
//! A copy takes effect at some time between its start and the thread's wait for it. If the thread passes no barrier in
//! between and accesses no memory of the copy, the copy can be treated as executed at its start, which is how it is
//! evaluated ([`crate::symbolic::operations`]). This is checked here: on all paths from a copy to a wait for all
//! groups, with a commit before it, there is no barrier, and no access of the same thread overlaps with the copy
//! ([`Pairs::unsettled_copies`]).
//!
//! What it misses: copies that are meant to be in flight while others are used (multi-stage pipelines). Nothing is
//! proved for these.

use lockstep_finding::{Question, Reason};
use lockstep_kernel::{BlockId, CopyDone, Op, Operand, SiteId};
use rustc_hash::FxHashSet;

use crate::decide::limits::Limits;
use crate::decide::solve::{Outcome, Query};
use crate::launch::context::Level;
use crate::order::pair::Pairs;
use crate::symbolic::source::line_of;

/// What a thread may execute while one of its copies is in flight.
#[derive(Default)]
struct Meanwhile {
    barrier: Option<SiteId>,
    /// The accesses, by number, including the copy's own in a later iteration.
    accesses: Vec<usize>,
    /// Loops that may have started another iteration.
    again: Vec<usize>,
}

impl Pairs<'_, '_> {
    /// Why a copy cannot be treated as executed at its start, if there is such a copy.
    pub(crate) fn unsettled_copies(&mut self, limits: Limits) -> Option<Reason> {
        let kernel = self.exec.ctx.kernel;
        let mut pairs: Vec<(usize, usize, Vec<usize>)> = Vec::new();
        for (b, block) in kernel.blocks.iter().enumerate() {
            for (at, inst) in block.insts.iter().enumerate() {
                let Op::MemCopy { write, done, .. } = inst.op else { continue };
                let bulk = match done {
                    CopyDone::AtOnce => continue,
                    CopyDone::Group { bulk } => bulk,
                    // Who has seen the phase of a barrier object is not followed.
                    CopyDone::Signal(_) => {
                        let at = line_of(kernel, write);
                        return Some(Reason::MayHappen(Question::CopyUsedEarly(at)));
                    }
                };
                let place = (BlockId(b as u32), at);
                let own = self.accesses_at(place);
                if own.is_empty() {
                    continue;
                }
                let meanwhile = self.meanwhile(place, bulk);
                if let Some(barrier) = meanwhile.barrier {
                    let (copy, barrier) = (line_of(kernel, write), line_of(kernel, barrier));
                    return Some(Reason::MayHappen(Question::CopyUnderWay { copy, barrier }));
                }
                for &i in &own {
                    let all = meanwhile.accesses.iter();
                    pairs.extend(all.map(|&j| (i, j, meanwhile.again.clone())));
                }
            }
        }
        let mut queries: Vec<Query> = Vec::new();
        let mut copies = Vec::new();
        for (i, j, again) in pairs {
            let (a, b) = (&self.exec.accesses[i], &self.exec.accesses[j]);
            if a.mode.writes() || b.mode.writes() {
                let site = a.site;
                for query in self.own_meeting(i, j, &again) {
                    queries.push(query);
                    copies.push(site);
                }
            }
        }
        let outcomes = self.solver.decide(self.exec.ctx, &queries, limits);
        let open = outcomes.iter().position(|o| !matches!(o, Outcome::Unsat))?;
        let copy = line_of(kernel, copies[open]);
        Some(Reason::MayHappen(Question::CopyUsedEarly(copy)))
    }

    fn accesses_at(&self, (block, at): (BlockId, usize)) -> Vec<usize> {
        let all = self.exec.accesses.iter().enumerate();
        all.filter(|(_, a)| (a.block, a.at) == (block, at)).map(|(i, _)| i).collect()
    }

    /// Everything on the paths from a copy to where it is certainly complete.
    fn meanwhile(&self, (from, at): (BlockId, usize), of: bool) -> Meanwhile {
        let kernel = self.exec.ctx.kernel;
        let mut out = Meanwhile::default();
        let mut seen: FxHashSet<(BlockId, usize, bool)> = FxHashSet::default();
        let mut work = vec![(from, at + 1, false)];
        while let Some((b, first, committed)) = work.pop() {
            if !seen.insert((b, first, committed)) {
                continue;
            }
            let mut committed = committed;
            let mut done = false;
            for (i, inst) in kernel.block(b).insts.iter().enumerate().skip(first) {
                match inst.op {
                    Op::CommitCopies { bulk } if bulk == of => committed = true,
                    Op::AwaitCopies { left: Operand::Imm(0), bulk, reads_only: false }
                        if committed && bulk == of =>
                    {
                        done = true;
                    }
                    Op::Barrier { site, .. } => out.barrier = Some(site),
                    _ => out.accesses.extend(self.accesses_at((b, i))),
                }
                if done {
                    break;
                }
            }
            if !done {
                for &next in &self.exec.ctx.cfg.successors[b.0 as usize] {
                    let loops = self.exec.loops.iter().enumerate();
                    let round = loops.filter(|(_, l)| l.head == next && l.contains(b));
                    out.again.extend(round.map(|(l, _)| l));
                    work.push((next, 0, committed));
                }
            }
        }
        out.accesses.sort();
        out.accesses.dedup();
        out
    }

    /// Queries whether two accesses of one thread overlap: one of a copy, and another access or the same copy in
    /// another iteration. `again` are the loops that may have started another iteration between the two.
    fn own_meeting(&mut self, i: usize, j: usize, again: &[usize]) -> Vec<Query> {
        let level = Level::Block;
        let (left, right) = (self.side(i, 1, level), self.side(j, 2, level));
        let (a, b) = (&self.exec.accesses[i], &self.exec.accesses[j]);
        let itself = (a.block, a.at) == (b.block, b.at);
        let inner = b.block;
        let mut another = self.exec.ctx.pool.truth(!itself);
        let mut counters = Vec::new();
        let mut same_round = true;
        for l in self.exec.nest(a.block) {
            if !self.exec.loops[l].contains(inner) {
                break;
            }
            same_round &= !again.contains(&l);
            let index = self.exec.loops[l].index;
            let (k, m) = (self.copy(index, 1, level), self.copy(index, 2, level));
            let same = self.exec.ctx.pool.eq(k, m);
            let other = self.exec.ctx.pool.not(same);
            another = self.exec.ctx.pool.or(another, other);
            counters.extend(same_round.then_some(same));
        }
        counters.push(another);
        let (mine, also_mine) = (self.exec.ctx.linear_thread(1), self.exec.ctx.linear_thread(2));
        let same_thread = self.exec.ctx.pool.eq(mine, also_mine);
        let mut out = Vec::new();
        for p in &left.cases {
            for q in &right.cases {
                if self.common_space(i, j, p.place, q.place, level).is_none() {
                    continue;
                }
                let lengths = (left.length, right.length);
                let (meet, ..) = self.meeting(i, j, (p.place, q.place), lengths);
                let mut list = self.facts_with_copy();
                list.extend(&left.conditions);
                list.extend(&right.conditions);
                list.extend([p.when, q.when, meet, same_thread]);
                list.extend(&counters);
                out.extend(self.ask(list, level));
            }
        }
        out
    }
}
