//! Values exchanged between the lanes of a warp: shuffles, votes and matches.
//!
//! An operation that names all lanes is executed by all lanes of the warp together, once in each iteration of the
//! enclosing loops. That they do reach it together is an obligation of its own ([`crate::order::divergence`]), and if
//! it cannot be proved, the kernel is evaluated again without these conclusions
//! ([`crate::launch::context::Hints::lanes_apart`]). Then the result of a vote is uniform across the warp, a shuffle of
//! a uniform value is that value, and a shuffle from one lane is again uniform: a function of the number of the warp,
//! which two threads of one warp share. A value that follows from the number of the thread is, from another lane, what
//! follows from that lane's number.
//!
//! What it misses: which value it is (a sum over lanes, the lanes of a ballot), parts of a warp, and the forms without
//! a mask. Their results are unknown values.

use lockstep_kernel::{BlockId, Inst, Op, Operand, Reg, ShuffleMode, Special, VoteKind};

use crate::launch::DimSpec;
use crate::launch::context::{FnKind, VarKind};
use crate::symbolic::evaluate::Exec;
use crate::symbolic::in_step;
use crate::term::walk::Substitution;
use crate::term::{Node, Range, T};

/// The lanes that an operation names.
pub(crate) fn mask(op: &Op) -> Option<Operand> {
    match op {
        Op::Shuffle { mask, .. } | Op::Vote { mask, .. } => *mask,
        Op::Match { mask, .. } => Some(*mask),
        Op::MatrixProduct { .. } => Some(Operand::Imm(0xffff_ffff)),
        _ => None,
    }
}

/// PTX's segment operand of a shuffle over the whole warp.
const WHOLE_WARP: u64 = 0x1f;

impl Exec<'_, '_> {
    /// What is known about the results, other than that each thread has one.
    pub(crate) fn warp_value(&mut self, b: BlockId, inst: &Inst) {
        if self.unanimous(b, inst) {
            return;
        }
        let (Some(mask), Some(dst)) = (mask(&inst.op), inst.dst) else { return };
        let mask = self.operand(mask, 32, b);
        if self.ctx.hints.lanes_apart || self.ctx.pool.as_const(mask) != Some(0xffff_ffff) {
            return;
        }
        match &inst.op {
            Op::Vote { .. } | Op::Match { all: true, .. } => {
                for k in 0..inst.op.result_count() {
                    self.common(b, dst, k as u8);
                }
            }
            Op::Shuffle { mode, ty, value, lane, clamp, .. } => {
                let value = self.operand(*value, ty.bits(), b);
                let lane = self.operand(*lane, 32, b);
                let clamp = self.operand(*clamp, 32, b);
                // A lane that does not exist yields any value; the first lane always exists, and so do lanes below the
                // current one.
                let first = self.ctx.pool.as_const(lane) == Some(0);
                let index = *mode == ShuffleMode::Index;
                let there = *mode == ShuffleMode::Up || index && first || self.whole_warps();
                if there && self.same_in_warp(value) {
                    self.warp_values = true;
                    self.set(dst, 0, value);
                } else if there
                    && index
                    && self.ctx.pool.as_const(clamp) == Some(WHOLE_WARP)
                    && self.same_in_warp(lane)
                {
                    self.common(b, dst, 0);
                } else if index
                    && self.whole_warps()
                    && self.ctx.pool.as_const(clamp) == Some(WHOLE_WARP)
                    && let Some(given) = self.value_at_lane(b, value, lane)
                {
                    self.warp_values = true;
                    self.set(dst, 0, given);
                }
            }
            _ => {}
        }
    }

    /// A vote on a condition that is constant for every thread: the result is the same whichever lanes take part.
    fn unanimous(&mut self, b: BlockId, inst: &Inst) -> bool {
        let (Op::Vote { kind, pred, .. }, Some(dst)) = (&inst.op, inst.dst) else { return false };
        let pred = self.operand(*pred, 1, b);
        let outcome = match (kind, self.ctx.pool.as_const(pred)) {
            (VoteKind::Any | VoteKind::All, Some(c)) => c,
            (VoteKind::Uniform, Some(_)) => 1,
            _ => return false,
        };
        let outcome = self.ctx.pool.constant(outcome, 1);
        self.set(dst, 0, outcome);
        true
    }

    /// Whether all warps of a block are full.
    fn whole_warps(&self) -> bool {
        let size = u64::from(self.ctx.assumptions.warp_size);
        let threads = self.ctx.assumptions.block.iter().try_fold(1u64, |n, d| match d {
            DimSpec::Exactly(k) => n.checked_mul(u64::from(*k)),
            DimSpec::Any => None,
        });
        threads.is_some_and(|n| n % size == 0)
    }

    /// Makes the result uniform across the warp.
    fn common(&mut self, b: BlockId, dst: Reg, k: u8) {
        let r = Reg(dst.0 + u32::from(k));
        let name = self.ctx.reg_name(r).unwrap_or("").to_owned();
        let f = self.ctx.function(FnKind::Warp(dst, k), 0, &name);
        let mut args = vec![self.warp_number()];
        args.extend(self.counters(b));
        let w = self.ctx.kernel.reg_ty(r).bits();
        let v = self.ctx.pool.app(f, &args, w);
        self.warp_values = true;
        self.set(dst, u32::from(k), v);
    }

    pub(crate) fn warp_number(&mut self) -> T {
        let linear = self.ctx.linear_thread(0);
        let size = self.ctx.pool.constant(u64::from(self.ctx.assumptions.warp_size), 32);
        self.ctx.pool.udiv(linear, size)
    }

    /// A shuffle's result: what the lane's own value is for another lane of its warp, if it follows from the number of
    /// the thread, the iterations of the loops around, and from what the lanes share.
    fn value_at_lane(&mut self, b: BlockId, value: T, lane: T) -> Option<T> {
        let mut shared = self.counters(b);
        for axis in 0..3 {
            let own = self.ctx.thread_id(axis, 0);
            // Also where it is extended to another width.
            if let Node::ZExt(narrow) = *self.ctx.pool.node(own) {
                shared.push(narrow);
            }
            shared.push(own);
        }
        if !self.same_but_for(value, &shared) {
            return None;
        }
        let all = u64::from(self.ctx.assumptions.warp_size);
        let warp = self.warp_number();
        let size = self.ctx.pool.constant(all, 32);
        let lane = self.ctx.pool.urem(lane, size);
        let dims = self.ctx.assumptions.block.map(|d| match d {
            DimSpec::Exactly(n) => u64::from(n),
            DimSpec::Any => 0,
        });
        let first = self.ctx.pool.mul(warp, size);
        let linear = self.ctx.pool.add(first, lane);
        let own = [0, 1, 2].map(|axis| self.ctx.thread_id(axis, 0));
        let pool = &mut self.ctx.pool;
        let other = if dims[0].is_multiple_of(all) {
            // A warp is a part of a row.
            let within = pool.urem(own[0], size);
            let begin = pool.sub(own[0], within);
            [pool.add(begin, lane), own[1], own[2]]
        } else {
            let [columns, rows] = [0, 1].map(|axis| pool.constant(dims[axis], 32));
            let line = pool.udiv(linear, columns);
            [pool.urem(linear, columns), pool.urem(line, rows), pool.udiv(line, rows)]
        };
        let mut pairs = Vec::new();
        for axis in 0..3 {
            // All warps are whole, so the thread is there.
            pool.refine(other[axis], Range::unsigned(0, dims[axis].saturating_sub(1), 32));
            pairs.push((own[axis], other[axis]));
        }
        Some(Substitution::rebinding(pool, &pairs).apply(pool, value))
    }

    /// Whether a value is uniform across a warp, for lanes in the same iteration.
    fn same_in_warp(&mut self, t: T) -> bool {
        self.same_but_for(t, &[])
    }

    /// The same, but for what follows from these terms.
    fn same_but_for(&mut self, t: T, but: &[T]) -> bool {
        let warp = self.warp_number();
        let mut seen = rustc_hash::FxHashSet::default();
        let mut work = vec![t];
        while let Some(t) = work.pop() {
            if t == warp || but.contains(&t) || !seen.insert(t) {
                continue;
            }
            let node = self.ctx.pool.node(t);
            let same = match node {
                Node::Var(v) => match self.ctx.vars[v.0 as usize].0 {
                    VarKind::BlockId(_)
                    | VarKind::BlockDim(_)
                    | VarKind::GridDim(_)
                    | VarKind::WorkDim
                    | VarKind::DynamicSharedSize
                    | VarKind::Param(..)
                    | VarKind::OpaqueCounter(_) => true,
                    VarKind::Address(base) => !self.ctx.is_own(base),
                    VarKind::OpaquePhi(r) => {
                        let ctx = &*self.ctx;
                        self.in_step.get_or_insert_with(|| in_step::variables(ctx)).contains(&r)
                    }
                    _ => false,
                },
                Node::App(f, _) => matches!(
                    self.ctx.fns[f.0 as usize].kind,
                    FnKind::Pure(..)
                        | FnKind::ReadOnly(_)
                        | FnKind::LoadAt(..)
                        | FnKind::Uniform(_)
                        | FnKind::Warp(..)
                ),
                _ => true,
            };
            if !same {
                return false;
            }
            crate::term::walk::children(node, |c| work.push(c));
        }
        true
    }

    /// PTX's lane masks.
    pub(crate) fn lane_mask(&mut self, s: Special) -> T {
        let linear = self.ctx.linear_thread(0);
        let pool = &mut self.ctx.pool;
        let size = pool.constant(u64::from(self.ctx.assumptions.warp_size), 32);
        let lane = pool.urem(linear, size);
        let one = pool.constant(1, 32);
        let own = pool.shl(one, lane);
        let below = pool.add_const(own, u64::MAX);
        let up_to = pool.or(below, own);
        let all = pool.constant(0xffff_ffff, 32);
        match s {
            Special::LaneMaskLt => below,
            Special::LaneMaskLe => up_to,
            Special::LaneMaskGt => pool.xor(up_to, all),
            Special::LaneMaskGe => pool.xor(below, all),
            _ => own,
        }
    }
}
