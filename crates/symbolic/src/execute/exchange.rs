//! Operations of a warp: shuffles, votes, `__syncwarp`.

use lockstep_kernel::semantics::bits::shuffle_source;
use lockstep_kernel::{Barrier, CastOp, IntOp, Op, Operand, ShuffleMode, Ty, VoteKind};

use super::block::go_on;
use super::thread::Thread;
use super::{Machine, Outcome, What};
use crate::memory::records::Event;
use crate::term::{Pool, T, Undefined};

/// Whether an operation is one of a warp.
pub(super) fn is_of_warp(op: &Op) -> bool {
    matches!(
        op,
        Op::Shuffle { .. } | Op::Vote { .. } | Op::Barrier { barrier: Barrier::Warp { .. }, .. }
    )
}

impl Machine<'_> {
    /// Carries out operations of warps at which all lanes have arrived; whether there were any.
    pub(super) fn exchange_in_warps(&mut self, threads: &mut [Thread], size: u32) -> Outcome<bool> {
        let warp_size = self.side.warp_size;
        let mut any = false;
        let mut stuck = None;
        for warp in 0..size.div_ceil(warp_size) {
            let of_warp = |t: &Thread| t.local / warp_size == warp;
            let mut open: Vec<usize> =
                (0..threads.len()).filter(|i| of_warp(&threads[*i])).collect();
            let alive: u32 = open.iter().fold(0, |m, &i| m | 1 << (threads[i].local % warp_size));
            while let Some(&first) = open.first() {
                let place =
                    |t: &Thread| t.waits.and_then(|at| t.groups.get(at)).map(|g| (g.block, g.next));
                let own = place(&threads[first]);
                let here: Vec<usize> =
                    open.iter().copied().filter(|&i| place(&threads[i]) == own).collect();
                open.retain(|i| !here.contains(i));
                let op = match self.waiting(&threads[first]) {
                    Some((inst, _)) if is_of_warp(&inst.op) => inst.op.clone(),
                    _ => continue,
                };
                match self.exchange(threads, &here, alive, warp, &op)? {
                    true => any = true,
                    false => stuck = Some(self.at),
                }
            }
        }
        if !any && let Some(at) = stuck {
            self.at = at;
            let waits =
                threads.iter().find_map(|t| self.waiting(t).filter(|(i, _)| is_of_warp(&i.op)));
            if let Some(guard) = waits.map(|(_, guard)| guard).filter(|_| self.is_watching()) {
                self.notice(guard, What::Divergence)?;
            }
            return self.trouble(What::Divergence);
        }
        Ok(any)
    }

    /// Whether all lanes that take part are here; then the operation is carried out.
    fn exchange(
        &mut self,
        threads: &mut [Thread],
        here: &[usize],
        alive: u32,
        warp: u32,
        op: &Op,
    ) -> Outcome<bool> {
        let lane = |t: &Thread| t.local % self.side.warp_size;
        let arrived: u32 = here.iter().fold(0, |m, &i| m | 1 << lane(&threads[i]));
        let all: Vec<&Thread> = here.iter().map(|&i| &threads[i]).collect();
        if let Some((inst, _)) = self.waiting(all[0]) {
            self.at = inst.loc;
        }
        let mask = match op {
            Op::Shuffle { mask, .. } | Op::Vote { mask, .. } => *mask,
            Op::Barrier { barrier: Barrier::Warp { mask }, .. } => Some(*mask),
            _ => None,
        };
        // Lanes that the warp does not have are in many masks.
        let existing = self.lanes_of(warp);
        let mut named = alive;
        if let Some(mask) = mask {
            let mut masks: Vec<Option<u64>> = Vec::new();
            for &i in here {
                let mask = self.of_waiting(&threads[i], mask, Ty::I32);
                masks.push(self.pool.value(mask));
            }
            let Some(first) = masks[0] else {
                return self.not_followed("a mask of lanes that depends on data");
            };
            if masks.iter().any(|m| *m != Some(first)) {
                return self.not_followed("lanes with different masks");
            }
            named = first as u32 & existing;
        }
        if named & !alive != 0 {
            return self.not_followed("a mask with lanes that have returned");
        }
        if named & !arrived != 0 {
            return Ok(false);
        }
        if arrived & !named != 0 {
            return self.not_followed("a lane that its own mask does not name");
        }
        let all: Vec<&Thread> = here.iter().map(|&i| &threads[i]).collect();
        let guard = self.together(&all)?;
        match op {
            Op::Shuffle { mode, ty, value, lane, clamp, predicate, .. } => {
                self.shuffle(threads, here, *mode, *ty, [*value, *lane, *clamp], *predicate)?;
            }
            Op::Vote { kind, pred, .. } => self.vote(threads, here, *kind, *pred),
            _ if named == alive => {
                let event = Event { guard, shared: true, global: true };
                self.events.warps[warp as usize].push(event);
            }
            _ => {}
        }
        here.iter().for_each(|&i| go_on(&mut threads[i]));
        Ok(true)
    }

    fn lanes_of(&self, warp: u32) -> u32 {
        let warp_size = self.side.warp_size;
        let left = super::product(self.side.launch.block) - warp * warp_size;
        let count = left.min(warp_size);
        if count >= 32 { u32::MAX } else { (1 << count) - 1 }
    }

    fn of_waiting(&mut self, thread: &Thread, o: Operand, ty: Ty) -> T {
        match thread.waits.and_then(|at| thread.groups.get(at)) {
            Some(group) => self.operand(&group.registers, o, ty),
            None => self.pool.undefined(Undefined::Uninitialised, ty),
        }
    }

    fn shuffle(
        &mut self,
        threads: &mut [Thread],
        here: &[usize],
        mode: ShuffleMode,
        ty: Ty,
        [value, lane, clamp]: [Operand; 3],
        predicate: bool,
    ) -> Outcome<()> {
        let number = |t: &Thread| t.local % self.side.warp_size;
        let lanes: Vec<u32> = here.iter().map(|&i| number(&threads[i])).collect();
        let values: Vec<T> =
            here.iter().map(|&i| self.of_waiting(&threads[i], value, ty)).collect();
        let mut results = Vec::new();
        for (k, &i) in here.iter().enumerate() {
            let b = self.of_waiting(&threads[i], lane, Ty::I32);
            let c = self.of_waiting(&threads[i], clamp, Ty::I32);
            let (Some(b), Some(c)) = (self.pool.value(b), self.pool.value(c)) else {
                if self.is_watching() {
                    results.push(None);
                    continue;
                }
                return self.not_followed("a shuffle from a lane that depends on data");
            };
            let (source, in_range) = shuffle_source(mode, lanes[k], b as u32, c as u32);
            let source = if in_range { source & 31 } else { lanes[k] };
            let from = lanes.iter().position(|l| *l == source);
            let result = match from {
                Some(from) => values[from],
                None => self.pool.undefined(Undefined::AbsentLane, ty),
            };
            results.push(Some((result, in_range)));
        }
        for (&i, result) in here.iter().zip(results) {
            let any = |pool: &mut Pool, ty| pool.undefined(Undefined::AbsentLane, ty);
            let value = result.map_or_else(|| any(self.pool, ty), |(value, _)| value);
            self.give(&mut threads[i], 0, value);
            if predicate {
                let truth = match result {
                    Some((_, in_range)) => self.pool.truth(in_range),
                    None => any(self.pool, Ty::I1),
                };
                self.give(&mut threads[i], 1, truth);
            }
        }
        Ok(())
    }

    fn vote(&mut self, threads: &mut [Thread], here: &[usize], kind: VoteKind, pred: Operand) {
        let votes: Vec<T> =
            here.iter().map(|&i| self.of_waiting(&threads[i], pred, Ty::I1)).collect();
        let all = self.pool.all(&votes);
        let against: Vec<T> = votes.iter().map(|v| self.pool.not(*v)).collect();
        let none = self.pool.all(&against);
        let result = match kind {
            VoteKind::All => all,
            VoteKind::Any => self.pool.not(none),
            VoteKind::Uniform => self.pool.or(all, none),
            VoteKind::Ballot => {
                let mut set = self.pool.constant(Ty::I32, 0);
                for (&i, vote) in here.iter().zip(votes) {
                    let lane = threads[i].local % self.side.warp_size;
                    let bit = self.pool.cast(CastOp::ZExt, vote, Ty::I32);
                    let place = self.pool.constant(Ty::I32, u64::from(lane));
                    let placed = self.pool.int(IntOp::Shl, bit, place);
                    set = self.pool.int(IntOp::Or, set, placed);
                }
                set
            }
        };
        here.iter().for_each(|&i| self.give(&mut threads[i], 0, result));
    }
}
