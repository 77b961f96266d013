//! Emitting operations: registers, blocks, sites, and constant folding.
//!
//! Folding is limited to operations that cannot fail and have one meaning: wrapping integer arithmetic, comparisons and
//! integer casts of immediates. It is for branches on template and call arguments, not for speed.

use lockstep_kernel::{
    Block, BlockId, CastOp, CmpOp, FloatOp, FloatUnOp, Inst, IntOp, IntUnOp, MathFn, Op, Operand,
    Reg, Rounding, Scope, Site, SiteId, SiteKind, Space, Special, Terminator, Ty,
};

use super::Lower;

pub(super) const RNE: Rounding = Rounding::NearestEven;

impl Lower<'_> {
    pub(super) fn new_reg(&mut self, ty: Ty) -> Reg {
        self.k.regs.push(ty);
        Reg(self.k.regs.len() as u32 - 1)
    }

    pub(super) fn new_block(&mut self, name: &str) -> BlockId {
        let id = BlockId(self.k.blocks.len() as u32);
        let term = Terminator::Unreachable;
        self.k.blocks.push(Block {
            name: name.to_string(),
            phis: Vec::new(),
            insts: Vec::new(),
            term,
        });
        id
    }

    pub(super) fn push(&mut self, op: Op, dst: Option<Reg>) {
        self.count += 1;
        let loc = self.loc;
        self.k.blocks[self.cur.0 as usize].insts.push(Inst { dst, op, loc });
    }

    pub(super) fn terminate(&mut self, term: Terminator) {
        self.k.blocks[self.cur.0 as usize].term = term;
    }

    /// Emits an operation with one result.
    pub(super) fn def(&mut self, op: Op, ty: Ty) -> Operand {
        let reg = self.new_reg(ty);
        self.push(op, Some(reg));
        Operand::Reg(reg)
    }

    pub(super) fn special(&mut self, s: Special) -> Operand {
        self.def(Op::Special(s), Ty::I32)
    }

    pub(super) fn int(&mut self, op: IntOp, ty: Ty, a: Operand, b: Operand) -> Operand {
        if let (Operand::Imm(x), Operand::Imm(y)) = (a, b)
            && let Some(v) = fold_int(op, ty, x, y)
        {
            return Operand::Imm(v & ty.mask());
        }
        match (op, a, b) {
            (IntOp::Add | IntOp::Or | IntOp::Xor, Operand::Imm(0), x)
            | (
                IntOp::Add
                | IntOp::Sub
                | IntOp::Or
                | IntOp::Xor
                | IntOp::Shl
                | IntOp::LShr
                | IntOp::AShr,
                x,
                Operand::Imm(0),
            )
            | (IntOp::Mul, Operand::Imm(1), x)
            | (IntOp::Mul | IntOp::UDiv | IntOp::SDiv, x, Operand::Imm(1)) => x,
            (IntOp::And, x, Operand::Imm(m)) if m == ty.mask() => x,
            (IntOp::And | IntOp::Mul, _, Operand::Imm(0)) => Operand::Imm(0),
            _ => self.def(Op::Int { op, ty, a, b }, ty),
        }
    }

    pub(super) fn int_un(&mut self, op: IntUnOp, ty: Ty, a: Operand) -> Operand {
        self.def(Op::IntUn { op, ty, a }, ty)
    }

    pub(super) fn not(&mut self, ty: Ty, a: Operand) -> Operand {
        self.int(IntOp::Xor, ty, a, Operand::Imm(ty.mask()))
    }

    pub(super) fn cmp(&mut self, op: CmpOp, ty: Ty, a: Operand, b: Operand) -> Operand {
        if let (Operand::Imm(x), Operand::Imm(y)) = (a, b)
            && let Some(v) = fold_cmp(op, ty, x, y)
        {
            return Operand::Imm(v as u64);
        }
        self.def(Op::Cmp { op, ty, a, b }, Ty::I1)
    }

    pub(super) fn select(&mut self, ty: Ty, cond: Operand, a: Operand, b: Operand) -> Operand {
        match cond {
            Operand::Imm(0) => b,
            Operand::Imm(_) => a,
            _ if a == b => a,
            _ => self.def(Op::Select { ty, cond, a, b }, ty),
        }
    }

    pub(super) fn cast(&mut self, op: CastOp, from: Ty, to: Ty, a: Operand) -> Operand {
        if from == to && matches!(op, CastOp::Trunc | CastOp::ZExt | CastOp::SExt | CastOp::Bit) {
            return a;
        }
        if let Operand::Imm(x) = a {
            match op {
                CastOp::Trunc | CastOp::ZExt | CastOp::Bit => return Operand::Imm(x & to.mask()),
                CastOp::SExt => return Operand::Imm(sext(x, from.bits()) as u64 & to.mask()),
                _ => {}
            }
        }
        if a == Operand::Undef {
            return a;
        }
        self.def(Op::Cast { op, from, to, a }, to)
    }

    /// Zero-extends or truncates between integer types.
    pub(super) fn zext(&mut self, from: Ty, to: Ty, a: Operand) -> Operand {
        let op = if from.bits() > to.bits() { CastOp::Trunc } else { CastOp::ZExt };
        self.cast(op, from, to, a)
    }

    pub(super) fn sext(&mut self, from: Ty, to: Ty, a: Operand) -> Operand {
        let op = if from.bits() > to.bits() { CastOp::Trunc } else { CastOp::SExt };
        self.cast(op, from, to, a)
    }

    pub(super) fn bits(&mut self, from: Ty, to: Ty, a: Operand) -> Operand {
        self.cast(CastOp::Bit, from, to, a)
    }

    pub(super) fn float(&mut self, op: FloatOp, ty: Ty, a: Operand, b: Operand) -> Operand {
        self.def(Op::Float { op, ty, rounding: RNE, a, b }, ty)
    }

    pub(super) fn float_un(&mut self, op: FloatUnOp, ty: Ty, a: Operand) -> Operand {
        self.def(Op::FloatUn { op, ty, rounding: RNE, a }, ty)
    }

    pub(super) fn fma(&mut self, ty: Ty, a: Operand, b: Operand, c: Operand) -> Operand {
        self.def(Op::Fma { ty, rounding: RNE, a, b, c }, ty)
    }

    pub(super) fn math(&mut self, f: MathFn, ty: Ty, a: Operand, b: Operand) -> Operand {
        let result = if matches!(f, MathFn::ILogB | MathFn::FrexpExp) { Ty::I32 } else { ty };
        self.def(Op::Math { f, ty, a, b }, result)
    }

    pub(super) fn index(
        &mut self,
        base: Operand,
        index: Operand,
        scale: i64,
        offset: i64,
    ) -> Operand {
        if let Operand::Imm(i) = index {
            let offset = offset.wrapping_add((i as i64).wrapping_mul(scale));
            return match base {
                _ if offset == 0 => base,
                Operand::Object(o, at) => Operand::Object(o, at.wrapping_add(offset)),
                _ => {
                    self.def(Op::Index { base, index: Operand::Imm(0), scale: 0, offset }, Ty::Ptr)
                }
            };
        }
        self.def(Op::Index { base, index, scale, offset }, Ty::Ptr)
    }

    /// The constant of a float type.
    pub(super) fn fconst(&self, ty: Ty, x: f64) -> Operand {
        Operand::Imm(match ty {
            Ty::F64 => x.to_bits(),
            Ty::F32 => (x as f32).to_bits() as u64,
            Ty::F16 => lockstep_kernel::semantics::half::from_f64(x) as u64,
            _ => x as u64,
        })
    }

    pub(super) fn site(
        &mut self,
        kind: SiteKind,
        size: u32,
        align: u32,
        space: Space,
        volatile: bool,
        scope: Scope,
    ) -> SiteId {
        let id = SiteId(self.k.sites.len() as u32);
        self.k.sites.push(Site {
            kind,
            loc: self.loc,
            space,
            size,
            align: align.max(1),
            through: None,
            volatile,
            scope,
            polling: false,
            origin: self.origin,
        });
        id
    }
}

pub(super) fn sext(x: u64, bits: u32) -> i64 {
    if bits >= 64 { x as i64 } else { ((x << (64 - bits)) as i64) >> (64 - bits) }
}

fn fold_int(op: IntOp, ty: Ty, x: u64, y: u64) -> Option<u64> {
    let bits = ty.bits();
    let (sx, sy) = (sext(x, bits), sext(y, bits));
    Some(match op {
        IntOp::Add => x.wrapping_add(y),
        IntOp::Sub => x.wrapping_sub(y),
        IntOp::Mul => x.wrapping_mul(y),
        IntOp::And => x & y,
        IntOp::Or => x | y,
        IntOp::Xor => x ^ y,
        IntOp::UDiv => x.checked_div(y)?,
        IntOp::URem => x.checked_rem(y)?,
        IntOp::SDiv => sx.checked_div(sy)? as u64,
        IntOp::SRem => sx.checked_rem(sy)? as u64,
        IntOp::Shl if y < bits as u64 => x << y,
        IntOp::LShr if y < bits as u64 => x >> y,
        IntOp::AShr if y < bits as u64 => (sx >> y) as u64,
        IntOp::UMin => x.min(y),
        IntOp::UMax => x.max(y),
        IntOp::SMin => sx.min(sy) as u64,
        IntOp::SMax => sx.max(sy) as u64,
        _ => return None,
    })
}

fn fold_cmp(op: CmpOp, ty: Ty, x: u64, y: u64) -> Option<bool> {
    if ty.is_float() {
        return None;
    }
    let (sx, sy) = (sext(x, ty.bits()), sext(y, ty.bits()));
    Some(match op {
        CmpOp::Eq => x == y,
        CmpOp::Ne => x != y,
        CmpOp::ULt => x < y,
        CmpOp::ULe => x <= y,
        CmpOp::UGt => x > y,
        CmpOp::UGe => x >= y,
        CmpOp::SLt => sx < sy,
        CmpOp::SLe => sx <= sy,
        CmpOp::SGt => sx > sy,
        CmpOp::SGe => sx >= sy,
        _ => return None,
    })
}
