//! Instructions and constant expressions, apart from memory and calls.
//!
//! Vector operations are done leaf by leaf. Integers of odd width are kept zero-extended: operations that depend on the
//! sign extend it first, and results are masked. Of the 128-bit operations, those needed for multiplication and wide
//! copies are done in two halves.

use std::rc::Rc;

use llvm_sys::core::*;
use llvm_sys::target::LLVMOffsetOfElement;
use llvm_sys::{LLVMIntPredicate as IntPred, LLVMRealPredicate as RealPred};
use lockstep_kernel::{CastOp, CmpOp, FloatOp, FloatUnOp, IntOp, Op, Operand, Rounding, Ty};

use super::Lower;
use super::build::RNE;
use super::types::Leaf;
use crate::llvm::{self, Opcode, TypeKind, Val};

impl Lower<'_> {
    pub(super) fn instruction(&mut self, inst: Val) {
        let opcode = llvm::opcode(inst);
        let result = match opcode {
            Opcode::LLVMLoad => self.load(inst),
            Opcode::LLVMStore => self.store(inst),
            Opcode::LLVMAtomicRMW => self.atomic_rmw(inst),
            Opcode::LLVMAtomicCmpXchg => self.atomic_cmpxchg(inst),
            Opcode::LLVMFence => self.fence_instruction(inst),
            Opcode::LLVMAlloca => self.local(inst).map(|o| vec![o]),
            Opcode::LLVMCall => self.call(inst),
            _ => self.operation(opcode, inst),
        };
        let is_void = llvm::type_kind(llvm::type_of(inst)) == TypeKind::LLVMVoidTypeKind;
        match result {
            Ok(operands) => {
                if !is_void {
                    let expected =
                        self.leaves(llvm::type_of(inst)).map_or(operands.len(), |l| l.len());
                    if operands.len() == expected {
                        self.set(inst, operands);
                    } else {
                        self.unsupported(format!("the result of {}", short(inst)));
                        let undefined = self.undefined(inst);
                        self.set(inst, undefined);
                    }
                }
            }
            Err(what) => {
                self.unsupported(what);
                if !is_void {
                    let undefined = self.undefined(inst);
                    self.set(inst, undefined);
                }
            }
        }
    }

    /// An operation without side effects: an instruction, or a constant expression.
    pub(super) fn operation(&mut self, opcode: Opcode, v: Val) -> Result<Vec<Operand>, String> {
        let ty = llvm::type_of(v);
        match opcode {
            Opcode::LLVMAdd
            | Opcode::LLVMSub
            | Opcode::LLVMMul
            | Opcode::LLVMUDiv
            | Opcode::LLVMSDiv
            | Opcode::LLVMURem
            | Opcode::LLVMSRem
            | Opcode::LLVMShl
            | Opcode::LLVMLShr
            | Opcode::LLVMAShr
            | Opcode::LLVMAnd
            | Opcode::LLVMOr
            | Opcode::LLVMXor => {
                let op = int_op(opcode);
                let (a, b) = (self.value(llvm::operand(v, 0)), self.value(llvm::operand(v, 1)));
                if self.is_wide(ty) {
                    return self.wide(op, &a, &b);
                }
                let leaves = self.leaves(ty)?;
                zip3(&leaves, &a, &b)
                    .map(|(leaf, a, b)| Ok(self.int_leaf(op, leaf, a, b)))
                    .collect()
            }
            Opcode::LLVMFAdd
            | Opcode::LLVMFSub
            | Opcode::LLVMFMul
            | Opcode::LLVMFDiv
            | Opcode::LLVMFRem => {
                let op = match opcode {
                    Opcode::LLVMFAdd => FloatOp::Add,
                    Opcode::LLVMFSub => FloatOp::Sub,
                    Opcode::LLVMFMul => FloatOp::Mul,
                    Opcode::LLVMFDiv => FloatOp::Div,
                    _ => FloatOp::Rem,
                };
                let (a, b) = (self.value(llvm::operand(v, 0)), self.value(llvm::operand(v, 1)));
                let leaves = self.leaves(ty)?;
                Ok(zip3(&leaves, &a, &b)
                    .map(|(leaf, a, b)| self.float(op, leaf.ty, a, b))
                    .collect())
            }
            Opcode::LLVMFNeg => {
                let a = self.value(llvm::operand(v, 0));
                let leaves = self.leaves(ty)?;
                Ok(leaves
                    .iter()
                    .zip(a.iter())
                    .map(|(l, &a)| self.float_un(FloatUnOp::Neg, l.ty, a))
                    .collect())
            }
            Opcode::LLVMICmp => self.icmp(v),
            Opcode::LLVMFCmp => self.fcmp(v),
            Opcode::LLVMSelect => self.select_value(v),
            Opcode::LLVMFreeze => Ok(self.value(llvm::operand(v, 0)).to_vec()),
            Opcode::LLVMGetElementPtr => self.gep(v).map(|o| vec![o]),
            Opcode::LLVMAddrSpaceCast => Ok(self.value(llvm::operand(v, 0)).to_vec()),
            Opcode::LLVMTrunc
            | Opcode::LLVMZExt
            | Opcode::LLVMSExt
            | Opcode::LLVMFPTrunc
            | Opcode::LLVMFPExt
            | Opcode::LLVMFPToUI
            | Opcode::LLVMFPToSI
            | Opcode::LLVMUIToFP
            | Opcode::LLVMSIToFP
            | Opcode::LLVMPtrToInt
            | Opcode::LLVMIntToPtr => self.cast_value(opcode, v),
            Opcode::LLVMBitCast => self.bitcast(v),
            Opcode::LLVMExtractElement => self.extract_element(v),
            Opcode::LLVMInsertElement => self.insert_element(v),
            Opcode::LLVMShuffleVector => self.shuffle_vector(v),
            Opcode::LLVMExtractValue => {
                let a = self.value(llvm::operand(v, 0));
                let (at, n) = self.path(v, llvm::type_of(llvm::operand(v, 0)))?;
                a.get(at..at + n).map(<[_]>::to_vec).ok_or_else(|| "extractvalue".into())
            }
            Opcode::LLVMInsertValue => {
                let mut a = self.value(llvm::operand(v, 0)).to_vec();
                let b = self.value(llvm::operand(v, 1));
                let (at, n) = self.path(v, ty)?;
                if at + n > a.len() || b.len() != n {
                    return Err("insertvalue".into());
                }
                a[at..at + n].copy_from_slice(&b);
                Ok(a)
            }
            _ => Err(short(v)),
        }
    }

    fn int_leaf(&mut self, op: IntOp, leaf: Leaf, a: Operand, b: Operand) -> Operand {
        if !leaf.is_odd() {
            return self.int(op, leaf.ty, a, b);
        }
        let signed = matches!(op, IntOp::SDiv | IntOp::SRem | IntOp::AShr);
        let (mut a, mut b) = (a, b);
        if signed {
            a = self.sign_of_odd(leaf, a);
            if op != IntOp::AShr {
                b = self.sign_of_odd(leaf, b);
            }
        }
        let r = self.int(op, leaf.ty, a, b);
        self.int(IntOp::And, leaf.ty, r, Operand::Imm((1 << leaf.bits) - 1))
    }

    /// Sign-extends an odd-width integer to its whole register.
    pub(super) fn sign_of_odd(&mut self, leaf: Leaf, a: Operand) -> Operand {
        if !leaf.is_odd() {
            return a;
        }
        let by = Operand::Imm((leaf.ty.bits() - leaf.bits) as u64);
        let up = self.int(IntOp::Shl, leaf.ty, a, by);
        self.int(IntOp::AShr, leaf.ty, up, by)
    }

    fn wide(&mut self, op: IntOp, a: &[Operand], b: &[Operand]) -> Result<Vec<Operand>, String> {
        let ([al, ah], [bl, bh]) = (pair(a)?, pair(b)?);
        let t = Ty::I64;
        Ok(match op {
            IntOp::And | IntOp::Or | IntOp::Xor => {
                vec![self.int(op, t, al, bl), self.int(op, t, ah, bh)]
            }
            IntOp::Add => {
                let lo = self.int(IntOp::Add, t, al, bl);
                let carry = self.cmp(CmpOp::ULt, t, lo, al);
                let carry = self.zext(Ty::I1, t, carry);
                let hi = self.int(IntOp::Add, t, ah, bh);
                vec![lo, self.int(IntOp::Add, t, hi, carry)]
            }
            IntOp::Sub => {
                let lo = self.int(IntOp::Sub, t, al, bl);
                let borrow = self.cmp(CmpOp::ULt, t, al, bl);
                let borrow = self.zext(Ty::I1, t, borrow);
                let hi = self.int(IntOp::Sub, t, ah, bh);
                vec![lo, self.int(IntOp::Sub, t, hi, borrow)]
            }
            IntOp::Mul => {
                let lo = self.int(IntOp::Mul, t, al, bl);
                let hi = self.def(Op::Int { op: IntOp::UMulHi, ty: t, a: al, b: bl }, t);
                let x = self.int(IntOp::Mul, t, al, bh);
                let y = self.int(IntOp::Mul, t, ah, bl);
                let hi = self.int(IntOp::Add, t, hi, x);
                vec![lo, self.int(IntOp::Add, t, hi, y)]
            }
            IntOp::LShr | IntOp::AShr | IntOp::Shl => {
                let Operand::Imm(by) = bl else {
                    return Err("a 128-bit shift by a variable".into());
                };
                let sign = match op {
                    IntOp::AShr => self.int(IntOp::AShr, t, ah, Operand::Imm(63)),
                    _ => Operand::Imm(0),
                };
                match (op, by) {
                    (_, 0) => vec![al, ah],
                    (IntOp::Shl, 1..64) => {
                        let hi = Op::Funnel { left: true, ty: t, hi: ah, lo: al, amount: bl };
                        vec![self.int(op, t, al, bl), self.def(hi, t)]
                    }
                    (IntOp::Shl, 64..128) => {
                        vec![Operand::Imm(0), self.int(op, t, al, Operand::Imm(by - 64))]
                    }
                    (_, 1..64) => {
                        let lo = Op::Funnel { left: false, ty: t, hi: ah, lo: al, amount: bl };
                        vec![self.def(lo, t), self.int(op, t, ah, bl)]
                    }
                    (_, 64..128) => vec![self.int(op, t, ah, Operand::Imm(by - 64)), sign],
                    _ => vec![Operand::Undef, Operand::Undef],
                }
            }
            _ => return Err("128-bit division".into()),
        })
    }

    fn icmp(&mut self, v: Val) -> Result<Vec<Operand>, String> {
        // SAFETY: LLVM is given a comparison, of a module that is alive.
        let op = match unsafe { LLVMGetICmpPredicate(v) } {
            IntPred::LLVMIntEQ => CmpOp::Eq,
            IntPred::LLVMIntNE => CmpOp::Ne,
            IntPred::LLVMIntUGT => CmpOp::UGt,
            IntPred::LLVMIntUGE => CmpOp::UGe,
            IntPred::LLVMIntULT => CmpOp::ULt,
            IntPred::LLVMIntULE => CmpOp::ULe,
            IntPred::LLVMIntSGT => CmpOp::SGt,
            IntPred::LLVMIntSGE => CmpOp::SGe,
            IntPred::LLVMIntSLT => CmpOp::SLt,
            IntPred::LLVMIntSLE => CmpOp::SLe,
        };
        let ty = llvm::type_of(llvm::operand(v, 0));
        let (a, b) = (self.value(llvm::operand(v, 0)), self.value(llvm::operand(v, 1)));
        if self.is_wide(ty) {
            let ([al, ah], [bl, bh]) = (pair(&a)?, pair(&b)?);
            let high_equal = self.cmp(CmpOp::Eq, Ty::I64, ah, bh);
            let low_op = match op {
                CmpOp::SLt => CmpOp::ULt,
                CmpOp::SLe => CmpOp::ULe,
                CmpOp::SGt => CmpOp::UGt,
                CmpOp::SGe => CmpOp::UGe,
                o => o,
            };
            let low = self.cmp(low_op, Ty::I64, al, bl);
            let high = self.cmp(op, Ty::I64, ah, bh);
            return Ok(vec![self.select(Ty::I1, high_equal, low, high)]);
        }
        let signed = matches!(op, CmpOp::SGt | CmpOp::SGe | CmpOp::SLt | CmpOp::SLe);
        let leaves = self.leaves(ty)?;
        let mut out = Vec::new();
        for (leaf, mut a, mut b) in zip3(&leaves, &a, &b) {
            if signed {
                (a, b) = (self.sign_of_odd(leaf, a), self.sign_of_odd(leaf, b));
            }
            out.push(self.cmp(op, leaf.ty, a, b));
        }
        Ok(out)
    }

    fn fcmp(&mut self, v: Val) -> Result<Vec<Operand>, String> {
        // SAFETY: LLVM is given a comparison, of a module that is alive.
        let op = match unsafe { LLVMGetFCmpPredicate(v) } {
            RealPred::LLVMRealOEQ => CmpOp::FOEq,
            RealPred::LLVMRealOGT => CmpOp::FOGt,
            RealPred::LLVMRealOGE => CmpOp::FOGe,
            RealPred::LLVMRealOLT => CmpOp::FOLt,
            RealPred::LLVMRealOLE => CmpOp::FOLe,
            RealPred::LLVMRealONE => CmpOp::FONe,
            RealPred::LLVMRealORD => CmpOp::FOrd,
            RealPred::LLVMRealUNO => CmpOp::FUno,
            RealPred::LLVMRealUEQ => CmpOp::FUEq,
            RealPred::LLVMRealUGT => CmpOp::FUGt,
            RealPred::LLVMRealUGE => CmpOp::FUGe,
            RealPred::LLVMRealULT => CmpOp::FULt,
            RealPred::LLVMRealULE => CmpOp::FULe,
            RealPred::LLVMRealUNE => CmpOp::FUNe,
            RealPred::LLVMRealPredicateTrue | RealPred::LLVMRealPredicateFalse => {
                // SAFETY: LLVM is given a comparison, of a module that is alive.
                let truth = unsafe { LLVMGetFCmpPredicate(v) } == RealPred::LLVMRealPredicateTrue;
                let n = self.leaves(llvm::type_of(v))?.len();
                return Ok(vec![Operand::Imm(truth as u64); n]);
            }
        };
        let (a, b) = (self.value(llvm::operand(v, 0)), self.value(llvm::operand(v, 1)));
        let leaves = self.leaves(llvm::type_of(llvm::operand(v, 0)))?;
        Ok(zip3(&leaves, &a, &b).map(|(l, a, b)| self.cmp(op, l.ty, a, b)).collect())
    }

    fn select_value(&mut self, v: Val) -> Result<Vec<Operand>, String> {
        let cond = self.value(llvm::operand(v, 0));
        let (a, b) = (self.value(llvm::operand(v, 1)), self.value(llvm::operand(v, 2)));
        let leaves = self.leaves(llvm::type_of(v))?;
        let mut out = Vec::new();
        for (i, (leaf, a, b)) in zip3(&leaves, &a, &b).enumerate() {
            let c = if cond.len() == leaves.len() {
                cond[i]
            } else {
                cond.first().copied().ok_or("select")?
            };
            out.push(self.select(leaf.ty, c, a, b));
        }
        Ok(out)
    }

    fn cast_value(&mut self, opcode: Opcode, v: Val) -> Result<Vec<Operand>, String> {
        let source = llvm::operand(v, 0);
        let (from_ty, to_ty) = (llvm::type_of(source), llvm::type_of(v));
        let a = self.value(source);
        if is_bfloat(from_ty) && opcode == Opcode::LLVMFPExt {
            return Err("bfloat".into());
        }
        if self.is_wide(from_ty) || self.is_wide(to_ty) {
            return self.wide_cast(opcode, from_ty, to_ty, &a);
        }
        let (from, to) = (self.leaves(from_ty)?, self.leaves(to_ty)?);
        let mut out = Vec::new();
        for ((&f, &t), &a) in from.iter().zip(to.iter()).zip(a.iter()) {
            out.push(self.cast_leaf(opcode, f, t, a));
        }
        Ok(out)
    }

    fn cast_leaf(&mut self, opcode: Opcode, f: Leaf, t: Leaf, a: Operand) -> Operand {
        let mask = |s: &mut Self, o: Operand| {
            if t.is_odd() { s.int(IntOp::And, t.ty, o, Operand::Imm((1 << t.bits) - 1)) } else { o }
        };
        match opcode {
            Opcode::LLVMTrunc => {
                let o = self.cast(CastOp::Trunc, f.ty, t.ty, a);
                mask(self, o)
            }
            Opcode::LLVMZExt => self.cast(CastOp::ZExt, f.ty, t.ty, a),
            Opcode::LLVMSExt => {
                let a = self.sign_of_odd(f, a);
                let o = self.cast(CastOp::SExt, f.ty, t.ty, a);
                mask(self, o)
            }
            Opcode::LLVMFPTrunc | Opcode::LLVMFPExt => self.cast(CastOp::FToF(RNE), f.ty, t.ty, a),
            Opcode::LLVMFPToUI => self.cast(CastOp::FToU(Rounding::TowardZero), f.ty, t.ty, a),
            Opcode::LLVMFPToSI => {
                let o = self.cast(CastOp::FToS(Rounding::TowardZero), f.ty, t.ty, a);
                mask(self, o)
            }
            Opcode::LLVMUIToFP => self.cast(CastOp::UToF(RNE), f.ty, t.ty, a),
            Opcode::LLVMSIToFP => {
                let a = self.sign_of_odd(f, a);
                self.cast(CastOp::SToF(RNE), f.ty, t.ty, a)
            }
            Opcode::LLVMPtrToInt => {
                let o = self.bits(Ty::Ptr, Ty::I64, a);
                let o = self.zext(Ty::I64, t.ty, o);
                mask(self, o)
            }
            _ => {
                let o = self.zext(f.ty, Ty::I64, a);
                self.bits(Ty::I64, Ty::Ptr, o)
            }
        }
    }

    fn wide_cast(
        &mut self,
        opcode: Opcode,
        from_ty: llvm::Type,
        to_ty: llvm::Type,
        a: &[Operand],
    ) -> Result<Vec<Operand>, String> {
        let (from, to) = (self.leaves(from_ty)?, self.leaves(to_ty)?);
        match opcode {
            Opcode::LLVMTrunc if to.len() == 1 => {
                let lo = *a.first().ok_or("trunc")?;
                Ok(vec![self.cast_leaf(Opcode::LLVMTrunc, Leaf::of(Ty::I64), to[0], lo)])
            }
            Opcode::LLVMZExt if from.len() == 1 => {
                let lo = self.zext(from[0].ty, Ty::I64, a[0]);
                Ok(vec![lo, Operand::Imm(0)])
            }
            Opcode::LLVMSExt if from.len() == 1 => {
                let x = self.sign_of_odd(from[0], a[0]);
                let lo = self.sext(from[0].ty, Ty::I64, x);
                let hi = self.int(IntOp::AShr, Ty::I64, lo, Operand::Imm(63));
                Ok(vec![lo, hi])
            }
            _ if from.len() == 2 && to.len() == 2 => Ok(a.to_vec()),
            _ => Err("a conversion of a 128-bit integer".into()),
        }
    }

    /// The same bits with another type: leaf by leaf where widths agree, otherwise through the bytes.
    fn bitcast(&mut self, v: Val) -> Result<Vec<Operand>, String> {
        let source = llvm::operand(v, 0);
        let a = self.value(source);
        let (from, to) = (self.leaves(llvm::type_of(source))?, self.leaves(llvm::type_of(v))?);
        self.recast(&from, &to, &a)
    }

    pub(super) fn recast(
        &mut self,
        from: &[Leaf],
        to: &[Leaf],
        a: &[Operand],
    ) -> Result<Vec<Operand>, String> {
        if from.len() == to.len() && from.iter().zip(to).all(|(f, t)| f.bits == t.bits) {
            return Ok((0..to.len()).map(|i| self.bits(from[i].ty, to[i].ty, a[i])).collect());
        }
        // As one stream of bits, lowest first.
        let mut out = Vec::new();
        let (mut i, mut used) = (0, 0u32);
        for t in to {
            let wide = unsigned(t.ty);
            let mut value = Operand::Imm(0);
            let mut have = 0;
            while have < t.bits {
                let (Some(f), Some(&x)) = (from.get(i), a.get(i)) else {
                    return Err("a bitcast".into());
                };
                let take = (f.bits - used).min(t.bits - have);
                let fi = unsigned(f.ty);
                let mut part = self.bits(f.ty, fi, x);
                part = self.int(IntOp::LShr, fi, part, Operand::Imm(used as u64));
                part = self.zext(fi, wide, part);
                if take < wide.bits() {
                    part = self.int(IntOp::And, wide, part, Operand::Imm((1u64 << take) - 1));
                }
                part = self.int(IntOp::Shl, wide, part, Operand::Imm(have as u64));
                value = self.int(IntOp::Or, wide, value, part);
                have += take;
                used += take;
                if used == f.bits {
                    i += 1;
                    used = 0;
                }
            }
            out.push(self.bits(wide, t.ty, value));
        }
        Ok(out)
    }

    fn extract_element(&mut self, v: Val) -> Result<Vec<Operand>, String> {
        let (vector, index) = (llvm::operand(v, 0), llvm::operand(v, 1));
        let a = self.value(vector);
        let i = self.index_operand(index)?;
        let n = self.leaves(llvm::type_of(v))?.len();
        if n != 1 {
            return Err("an element of a vector of wide integers".into());
        }
        let ty = self.leaves(llvm::type_of(v))?[0].ty;
        match i {
            Operand::Imm(i) => Ok(vec![a.get(i as usize).copied().unwrap_or(Operand::Undef)]),
            _ => {
                let mut r = *a.first().ok_or("an empty vector")?;
                for (k, &x) in a.iter().enumerate().skip(1) {
                    let is = self.cmp(CmpOp::Eq, Ty::I64, i, Operand::Imm(k as u64));
                    r = self.select(ty, is, x, r);
                }
                Ok(vec![r])
            }
        }
    }

    fn insert_element(&mut self, v: Val) -> Result<Vec<Operand>, String> {
        let mut a = self.value(llvm::operand(v, 0)).to_vec();
        let x = self.scalar(llvm::operand(v, 1));
        let i = self.index_operand(llvm::operand(v, 2))?;
        let leaves = self.leaves(llvm::type_of(v))?;
        match i {
            Operand::Imm(i) => {
                if let Some(slot) = a.get_mut(i as usize) {
                    *slot = x;
                }
            }
            _ => {
                for (k, slot) in a.iter_mut().enumerate() {
                    let is = self.cmp(CmpOp::Eq, Ty::I64, i, Operand::Imm(k as u64));
                    *slot = self.select(leaves[k].ty, is, x, *slot);
                }
            }
        }
        Ok(a)
    }

    fn shuffle_vector(&mut self, v: Val) -> Result<Vec<Operand>, String> {
        let (a, b) = (self.value(llvm::operand(v, 0)), self.value(llvm::operand(v, 1)));
        let both: Vec<Operand> = a.iter().chain(b.iter()).copied().collect();
        // SAFETY: LLVM is given a shufflevector, of a module that is alive.
        let n = unsafe { LLVMGetNumMaskElements(v) };
        Ok((0..n)
            .map(|i| {
                // SAFETY: LLVM is given a shufflevector, of a module that is alive.
                let m = unsafe { LLVMGetMaskValue(v, i) };
                usize::try_from(m).ok().and_then(|m| both.get(m).copied()).unwrap_or(Operand::Undef)
            })
            .collect())
    }

    /// First leaf and number of leaves that the indices of `extractvalue` or `insertvalue` lead to.
    fn path(&mut self, v: Val, mut ty: llvm::Type) -> Result<(usize, usize), String> {
        // SAFETY: LLVM is given an extractvalue or insertvalue, of a module that is alive.
        let indices: Vec<u32> = unsafe {
            let p = LLVMGetIndices(v);
            (0..LLVMGetNumIndices(v)).map(|i| *p.add(i as usize)).collect()
        };
        let mut at = 0;
        for i in indices {
            let (inner, before) = self.element(ty, i)?;
            at += before;
            ty = inner;
        }
        Ok((at, self.leaves(ty)?.len()))
    }

    fn gep(&mut self, v: Val) -> Result<Operand, String> {
        if llvm::type_kind(llvm::type_of(v)) != TypeKind::LLVMPointerTypeKind {
            return Err("a vector of pointers".into());
        }
        let mut base = self.scalar(llvm::operand(v, 0));
        // SAFETY: LLVM is given a getelementptr, of a module that is alive.
        let mut ty = unsafe { LLVMGetGEPSourceElementType(v) };
        let mut offset = 0i64;
        let mut variable: Vec<(Operand, i64, u64)> = Vec::new();
        for i in 1..llvm::num_operands(v) {
            let index = llvm::operand(v, i);
            let mut extent = 0;
            if i > 1 {
                match llvm::type_kind(ty) {
                    TypeKind::LLVMStructTypeKind => {
                        let n = llvm::const_int(index).ok_or("a struct index")? as u32;
                        // SAFETY: LLVM is given a type of the kind that it asks for, of a module that is alive.
                        if n >= unsafe { LLVMCountStructElementTypes(ty) } {
                            return Err("a struct index".into());
                        }
                        offset = offset
                            // SAFETY: LLVM is given a type of the kind that it asks for, of a module that is alive.
                            .wrapping_add(unsafe { LLVMOffsetOfElement(self.dl, ty, n) } as i64);
                        // SAFETY: LLVM is given a type of the kind that it asks for, of a module that is alive.
                        ty = unsafe { LLVMStructGetTypeAtIndex(ty, n) };
                        continue;
                    }
                    kind @ (TypeKind::LLVMArrayTypeKind | TypeKind::LLVMVectorTypeKind) => {
                        if kind == TypeKind::LLVMArrayTypeKind {
                            // SAFETY: LLVM is given a type of the kind that it asks for, of a module that is alive.
                            extent = unsafe { LLVMGetArrayLength2(ty) };
                        }
                        // SAFETY: LLVM is given a type of the kind that it asks for, of a module that is alive.
                        ty = unsafe { LLVMGetElementType(ty) };
                    }
                    _ => return Err("an index into a scalar".into()),
                }
            }
            let scale = self.size_of(ty) as i64;
            match self.index_operand(index)? {
                Operand::Imm(k) => offset = offset.wrapping_add((k as i64).wrapping_mul(scale)),
                index => variable.push((index, scale, extent)),
            }
        }
        if variable.is_empty() {
            return Ok(self.index(base, Operand::Imm(0), 0, offset));
        }
        // An array of one element may be longer in memory: the last member of a struct is often a flexible array.
        let said = |extent: u64| extent > 1;
        for (k, (index, scale, extent)) in variable.into_iter().enumerate() {
            base = self.index(base, index, scale, if k == 0 { offset } else { 0 });
            if let Operand::Reg(r) = base
                && said(extent)
            {
                self.k.extents.push((r, extent));
            }
        }
        Ok(base)
    }
}

pub(super) fn zip3<'a>(
    leaves: &'a Rc<[Leaf]>,
    a: &'a Rc<[Operand]>,
    b: &'a Rc<[Operand]>,
) -> impl Iterator<Item = (Leaf, Operand, Operand)> + 'a {
    leaves.iter().zip(a.iter()).zip(b.iter()).map(|((&l, &a), &b)| (l, a, b))
}

fn pair(a: &[Operand]) -> Result<[Operand; 2], String> {
    a.try_into().map_err(|_| "a 128-bit integer".to_string())
}

fn is_bfloat(ty: llvm::Type) -> bool {
    llvm::type_kind(ty) == TypeKind::LLVMBFloatTypeKind
}

/// The integer type of the same width.
pub(super) fn unsigned(ty: Ty) -> Ty {
    match ty {
        Ty::F16 => Ty::I16,
        Ty::F32 => Ty::I32,
        Ty::F64 | Ty::Ptr => Ty::I64,
        t => t,
    }
}

fn int_op(opcode: Opcode) -> IntOp {
    match opcode {
        Opcode::LLVMAdd => IntOp::Add,
        Opcode::LLVMSub => IntOp::Sub,
        Opcode::LLVMMul => IntOp::Mul,
        Opcode::LLVMUDiv => IntOp::UDiv,
        Opcode::LLVMSDiv => IntOp::SDiv,
        Opcode::LLVMURem => IntOp::URem,
        Opcode::LLVMSRem => IntOp::SRem,
        Opcode::LLVMShl => IntOp::Shl,
        Opcode::LLVMLShr => IntOp::LShr,
        Opcode::LLVMAShr => IntOp::AShr,
        Opcode::LLVMAnd => IntOp::And,
        Opcode::LLVMOr => IntOp::Or,
        _ => IntOp::Xor,
    }
}

/// An instruction as one short line, for messages.
pub(super) fn short(v: Val) -> String {
    let text = llvm::print_value(v);
    let text = text.trim().split(", !dbg").next().unwrap_or("").to_string();
    if text.len() > 120 {
        format!("{}…", text.chars().take(120).collect::<String>())
    } else {
        text
    }
}
