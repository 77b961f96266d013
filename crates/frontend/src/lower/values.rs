//! Values: LLVM values as operands, including constants and constant expressions.

use std::rc::Rc;

use llvm_sys::core::*;
use lockstep_kernel::{Operand, Ty};

use super::Lower;
use crate::llvm::{self, TypeKind, Val, ValueKind};

/// Functions have no memory location; their addresses only have to differ from each other and from null.
const FUNCTION_BASE: u64 = 0x7f00_0000_0000;

impl Lower<'_> {
    pub(super) fn set(&mut self, v: Val, operands: impl Into<Rc<[Operand]>>) {
        self.frame_mut().values.insert(v, operands.into());
    }

    pub(super) fn scalar(&mut self, v: Val) -> Operand {
        self.value(v).first().copied().unwrap_or(Operand::Undef)
    }

    /// The leaves of a value.
    pub(super) fn value(&mut self, v: Val) -> Rc<[Operand]> {
        if let Some(known) = self.frames.last().and_then(|f| f.values.get(&v)) {
            return known.clone();
        }
        match self.constant(v) {
            Ok(operands) => operands.into(),
            Err(what) => {
                self.unsupported(what);
                self.undefined(v)
            }
        }
    }

    pub(super) fn undefined(&mut self, v: Val) -> Rc<[Operand]> {
        let n = self.leaves(llvm::type_of(v)).map_or(1, |l| l.len());
        vec![Operand::Undef; n].into()
    }

    fn constant(&mut self, v: Val) -> Result<Vec<Operand>, String> {
        let ty = llvm::type_of(v);
        match llvm::value_kind(v) {
            ValueKind::LLVMUndefValueValueKind | ValueKind::LLVMPoisonValueKind => {
                Ok(vec![Operand::Undef; self.leaves(ty)?.len()])
            }
            ValueKind::LLVMConstantIntValueKind => match llvm::const_int(v) {
                Some(bits) => Ok(vec![Operand::Imm(bits)]),
                None => {
                    let [lo, hi] = llvm::wide_const(v).ok_or("a wide constant")?;
                    let n = self.leaves(ty)?.len();
                    Ok(if n == 2 {
                        vec![Operand::Imm(lo), Operand::Imm(hi)]
                    } else {
                        vec![Operand::Imm(lo)]
                    })
                }
            },
            ValueKind::LLVMConstantFPValueKind => Ok(vec![Operand::Imm(self.float_bits(v)?)]),
            ValueKind::LLVMConstantPointerNullValueKind
            | ValueKind::LLVMConstantAggregateZeroValueKind
            | ValueKind::LLVMConstantTargetNoneValueKind => {
                Ok(vec![Operand::Imm(0); self.leaves(ty)?.len()])
            }
            ValueKind::LLVMConstantDataArrayValueKind
            | ValueKind::LLVMConstantDataVectorValueKind
            | ValueKind::LLVMConstantArrayValueKind
            | ValueKind::LLVMConstantVectorValueKind
            | ValueKind::LLVMConstantStructValueKind => {
                let mut all = Vec::new();
                for i in 0..element_count(v) {
                    // SAFETY: LLVM is given a constant, of a module that is alive.
                    let e = unsafe { LLVMGetAggregateElement(v, i) };
                    if e.is_null() {
                        return Err("a constant aggregate".into());
                    }
                    all.extend(self.constant(e)?);
                }
                Ok(all)
            }
            ValueKind::LLVMGlobalVariableValueKind => Ok(vec![self.object(v)]),
            ValueKind::LLVMFunctionValueKind => Ok(vec![self.function_address(v)]),
            ValueKind::LLVMGlobalAliasValueKind => {
                // SAFETY: LLVM is given an alias, of a module that is alive.
                let target = unsafe { LLVMAliasGetAliasee(v) };
                self.constant(target)
            }
            ValueKind::LLVMConstantExprValueKind => {
                // SAFETY: LLVM is given a constant, of a module that is alive.
                self.operation(unsafe { LLVMGetConstOpcode(v) }, v)
            }
            ValueKind::LLVMInstructionValueKind => Ok(vec![Operand::Undef; self.leaves(ty)?.len()]),
            other => Err(format!("a constant of kind {other:?}")),
        }
    }

    pub(super) fn float_bits(&self, v: Val) -> Result<u64, String> {
        let ty = llvm::type_of(v);
        let bits = match llvm::type_kind(ty) {
            TypeKind::LLVMHalfTypeKind | TypeKind::LLVMBFloatTypeKind => 16,
            TypeKind::LLVMFloatTypeKind => 32,
            TypeKind::LLVMDoubleTypeKind => 64,
            _ => return Err("a constant of an unusual float type".into()),
        };
        // SAFETY: LLVM is given a constant, of a module that is alive.
        unsafe {
            let int = LLVMConstBitCast(v, LLVMIntTypeInContext(self.m.ctx, bits));
            llvm::const_int(int).ok_or_else(|| "a float constant".to_string())
        }
    }

    pub(super) fn function_address(&mut self, f: Val) -> Operand {
        let index = self.functions.iter().position(|&g| g == f).unwrap_or_else(|| {
            self.functions.push(f);
            self.functions.len() - 1
        });
        Operand::Imm(FUNCTION_BASE + 16 * (index as u64 + 1))
    }

    /// An operand as a sign-extended 64-bit index.
    pub(super) fn index_operand(&mut self, v: Val) -> Result<Operand, String> {
        let leaf = *self.leaves(llvm::type_of(v))?.first().ok_or("an index")?;
        let x = self.scalar(v);
        Ok(self.sext(leaf.ty, Ty::I64, x))
    }
}

pub(super) fn element_count(v: Val) -> u32 {
    let ty = llvm::type_of(v);
    // SAFETY: LLVM is given a type of the kind that it asks for, of a module that is alive.
    unsafe {
        match llvm::type_kind(ty) {
            TypeKind::LLVMStructTypeKind => LLVMCountStructElementTypes(ty),
            TypeKind::LLVMArrayTypeKind => LLVMGetArrayLength2(ty) as u32,
            TypeKind::LLVMVectorTypeKind => LLVMGetVectorSize(ty),
            _ => 0,
        }
    }
}
