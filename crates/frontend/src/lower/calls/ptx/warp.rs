//! Operations of a warp: shuffles, votes, matches, elections, reductions.

use lockstep_kernel::{
    CmpOp, IntOp, IntUnOp, Op, Operand, Reg, ShuffleMode, Special, Ty, VoteKind,
};

use super::text::{Names, Statement, with_predicate};
use crate::lower::Lower;

/// All lanes, as a mask, and PTX's segment operand of a shuffle among them.
pub(super) const ALL_LANES: Operand = Operand::Imm(0xffff_ffff);
pub(super) const WHOLE_WARP: Operand = Operand::Imm(0x1f);

impl Lower<'_> {
    pub(super) fn ptx_active_mask(&mut self, s: &Statement<'_>, names: &mut Names) -> Option<()> {
        let r = self.def(Op::ActiveMask, Ty::I32);
        names.insert(s.operands.first()?.to_string(), (r, Ty::I32));
        Some(())
    }

    /// `shfl.sync.down.b32 d|p, a, b, c, mask`.
    pub(super) fn ptx_shuffle(&mut self, s: &Statement<'_>, names: &mut Names) -> Option<()> {
        let &[mode, "b32"] = &s.parts[2..] else { return None };
        let mode = match mode {
            "idx" => ShuffleMode::Index,
            "up" => ShuffleMode::Up,
            "down" => ShuffleMode::Down,
            "bfly" => ShuffleMode::Butterfly,
            _ => return None,
        };
        let &[dst, value, lane, clamp, mask] = &s.operands[..] else { return None };
        let value = self.ptx_value(value, Ty::I32, names)?;
        let lane = self.ptx_value(lane, Ty::I32, names)?;
        let clamp = self.ptx_value(clamp, Ty::I32, names)?;
        let mask = Some(self.ptx_value(mask, Ty::I32, names)?);
        let ty = Ty::I32;
        let reg = self.new_reg(ty);
        let (dst, predicate) = with_predicate(dst);
        if predicate.is_some() {
            self.new_reg(Ty::I1);
        }
        let op = Op::Shuffle { mode, ty, value, lane, clamp, mask, predicate: predicate.is_some() };
        self.push(op, Some(reg));
        names.insert(dst.to_string(), (Operand::Reg(reg), ty));
        if let Some(p) = predicate {
            names.insert(p.to_string(), (Operand::Reg(Reg(reg.0 + 1)), Ty::I1));
        }
        Some(())
    }

    /// `vote.sync.ballot.b32 d, p, mask`.
    pub(super) fn ptx_vote(&mut self, s: &Statement<'_>, names: &mut Names) -> Option<()> {
        // Both orders of suffixes are used; the form without a mask is the old one.
        let kind = match s.tail() {
            ["sync", kind, "pred" | "b32"] | [kind, "sync", "pred" | "b32"] => *kind,
            _ => return None,
        };
        let kind = match kind {
            "all" => VoteKind::All,
            "any" => VoteKind::Any,
            "uni" => VoteKind::Uniform,
            "ballot" => VoteKind::Ballot,
            _ => return None,
        };
        let &[dst, pred, mask] = &s.operands[..] else { return None };
        let pred = self.predicate(pred, names)?;
        let mask = Some(self.ptx_value(mask, Ty::I32, names)?);
        let ty = if kind == VoteKind::Ballot { Ty::I32 } else { Ty::I1 };
        let result = self.def(Op::Vote { kind, pred, mask }, ty);
        names.insert(dst.to_string(), (result, ty));
        Some(())
    }

    /// `match.any.sync.b32 d, a, mask`, `match.all.sync.b64 d|p, a, mask`.
    pub(super) fn ptx_match(&mut self, s: &Statement<'_>, names: &mut Names) -> Option<()> {
        let (all, ty) = match s.tail() {
            ["any", "sync", ty] => (false, *ty),
            ["all", "sync", ty] => (true, *ty),
            _ => return None,
        };
        let ty = match ty {
            "b32" => Ty::I32,
            "b64" => Ty::I64,
            _ => return None,
        };
        let &[dst, value, mask] = &s.operands[..] else { return None };
        let value = self.ptx_value(value, ty, names)?;
        let mask = self.ptx_value(mask, Ty::I32, names)?;
        let reg = self.new_reg(Ty::I32);
        if all {
            self.new_reg(Ty::I1);
        }
        self.push(Op::Match { all, ty, value, mask }, Some(reg));
        let (dst, predicate) = with_predicate(dst);
        names.insert(dst.to_string(), (Operand::Reg(reg), Ty::I32));
        if let Some(p) = predicate.filter(|_| all) {
            names.insert(p.to_string(), (Operand::Reg(Reg(reg.0 + 1)), Ty::I1));
        }
        Some(())
    }

    /// `elect.sync d|p, mask`: one lane of the mask, always the same. Here it is the first.
    pub(super) fn ptx_elect(&mut self, s: &Statement<'_>, names: &mut Names) -> Option<()> {
        let &[dst, mask] = &s.operands[..] else { return None };
        let mask = self.ptx_value(mask, Ty::I32, names)?;
        // The lanes of the mask meet.
        self.def(Op::Vote { kind: VoteKind::Any, pred: Operand::Imm(1), mask: Some(mask) }, Ty::I1);
        let leader = self.int_un(IntUnOp::Ctz, Ty::I32, mask);
        let lane = self.special(Special::LaneId);
        let chosen = self.cmp(CmpOp::Eq, Ty::I32, lane, leader);
        let (dst, predicate) = with_predicate(dst);
        names.insert(dst.to_string(), (leader, Ty::I32));
        if let Some(p) = predicate {
            names.insert(p.to_string(), (chosen, Ty::I1));
        }
        Some(())
    }

    /// `redux.sync.add.s32 d, a, mask`: every lane takes the values of those in the mask, one by one.
    pub(super) fn ptx_redux(&mut self, s: &Statement<'_>, names: &mut Names) -> Option<()> {
        let (&[op, ty], &[dst, value, mask]) = (&s.parts[2..], &s.operands[..]) else {
            return None;
        };
        let signed = match ty {
            "s32" => true,
            "u32" | "b32" => false,
            _ => return None,
        };
        let (op, neutral) = match (op, signed) {
            ("add", _) => (IntOp::Add, 0),
            ("and", _) => (IntOp::And, 0xffff_ffff),
            ("or", _) => (IntOp::Or, 0),
            ("xor", _) => (IntOp::Xor, 0),
            ("min", true) => (IntOp::SMin, 0x7fff_ffff),
            ("min", false) => (IntOp::UMin, 0xffff_ffff),
            ("max", true) => (IntOp::SMax, 0x8000_0000),
            ("max", false) => (IntOp::UMax, 0),
            _ => return None,
        };
        let t = Ty::I32;
        let value = self.ptx_value(value, t, names)?;
        let mask = self.ptx_value(mask, t, names)?;
        let mut sum = Operand::Imm(neutral);
        for lane in 0..32u64 {
            let from = Operand::Imm(lane);
            let given = self.shuffle(ShuffleMode::Index, t, value, from, WHOLE_WARP, Some(mask));
            let bit = self.int(IntOp::And, t, mask, Operand::Imm(1 << lane));
            let named = self.cmp(CmpOp::Ne, t, bit, Operand::Imm(0));
            let given = self.select(t, named, given, Operand::Imm(neutral));
            sum = self.int(op, t, sum, given);
        }
        names.insert(dst.to_string(), (sum, t));
        Some(())
    }
}
