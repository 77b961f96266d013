//! LLVM types as lists of scalar leaves.
//!
//! An integer of odd width is in the next larger register, zero-extended; one of 65 to 128 bits is two 64-bit leaves,
//! lowest first. `bfloat`, `x86_fp80`, scalable vectors and wider integers have no leaves: operations on them are
//! unsupported. Vectors of `i1` have leaves but no memory layout.

use std::rc::Rc;

use llvm_sys::core::*;
use llvm_sys::target::{LLVMABISizeOfType, LLVMOffsetOfElement};
use lockstep_kernel::{Space, Ty};

use super::Lower;
use crate::llvm::{self, Type, TypeKind};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Leaf {
    pub(super) ty: Ty,
    /// Width of the LLVM integer, if it differs from the register's.
    pub(super) bits: u32,
    /// Byte offset in memory.
    pub(super) offset: u64,
}

impl Leaf {
    pub(super) fn of(ty: Ty) -> Leaf {
        Leaf { ty, bits: ty.bits(), offset: 0 }
    }
    pub(super) fn is_odd(self) -> bool {
        self.bits != self.ty.bits()
    }
}

const LIMIT: usize = 4096;

impl Lower<'_> {
    pub(super) fn leaves(&mut self, ty: Type) -> Result<Rc<[Leaf]>, String> {
        if let Some(known) = self.leaves.get(&ty) {
            return known.clone().ok_or_else(|| unsupported_type(ty));
        }
        let mut out = Vec::new();
        let all: Option<Rc<[Leaf]>> = self.collect(ty, 0, &mut out).then(|| out.into());
        self.leaves.insert(ty, all.clone());
        all.ok_or_else(|| unsupported_type(ty))
    }

    fn collect(&self, ty: Type, at: u64, out: &mut Vec<Leaf>) -> bool {
        let mut push = |ty: Ty| {
            out.push(Leaf { ty, bits: ty.bits(), offset: at });
            out.len() <= LIMIT
        };
        // SAFETY: LLVM is given a type of the kind that it asks for, of a module that is alive.
        unsafe {
            match llvm::type_kind(ty) {
                TypeKind::LLVMVoidTypeKind => true,
                TypeKind::LLVMHalfTypeKind => push(Ty::F16),
                TypeKind::LLVMFloatTypeKind => push(Ty::F32),
                TypeKind::LLVMDoubleTypeKind => push(Ty::F64),
                TypeKind::LLVMPointerTypeKind => push(Ty::Ptr),
                TypeKind::LLVMIntegerTypeKind => match LLVMGetIntTypeWidth(ty) {
                    1 => push(Ty::I1),
                    8 => push(Ty::I8),
                    16 => push(Ty::I16),
                    32 => push(Ty::I32),
                    64 => push(Ty::I64),
                    bits @ 65..=128 => {
                        out.push(Leaf { ty: Ty::I64, bits: 64, offset: at });
                        out.push(Leaf { ty: Ty::I64, bits: bits - 64, offset: at + 8 });
                        true
                    }
                    bits @ 2..=63 => {
                        let ty = match bits {
                            2..=7 => Ty::I8,
                            9..=15 => Ty::I16,
                            17..=31 => Ty::I32,
                            _ => Ty::I64,
                        };
                        out.push(Leaf { ty, bits, offset: at });
                        true
                    }
                    _ => false,
                },
                TypeKind::LLVMVectorTypeKind => {
                    let inner = LLVMGetElementType(ty);
                    let step = LLVMABISizeOfType(self.dl, inner);
                    (0..LLVMGetVectorSize(ty) as u64)
                        .all(|i| self.collect(inner, at + i * step, out))
                }
                TypeKind::LLVMArrayTypeKind => {
                    let inner = LLVMGetElementType(ty);
                    let n = LLVMGetArrayLength2(ty);
                    if n > LIMIT as u64 {
                        return false;
                    }
                    let step = LLVMABISizeOfType(self.dl, inner);
                    (0..n).all(|i| self.collect(inner, at + i * step, out))
                }
                TypeKind::LLVMStructTypeKind => (0..LLVMCountStructElementTypes(ty)).all(|i| {
                    let offset = LLVMOffsetOfElement(self.dl, ty, i);
                    self.collect(LLVMStructGetTypeAtIndex(ty, i), at + offset, out)
                }),
                _ => false,
            }
        }
    }

    pub(super) fn size_of(&self, ty: Type) -> u64 {
        // SAFETY: LLVM is given a type of the kind that it asks for, of a module that is alive.
        unsafe { if LLVMTypeIsSized(ty) != 0 { LLVMABISizeOfType(self.dl, ty) } else { 0 } }
    }

    pub(super) fn is_wide(&self, ty: Type) -> bool {
        // SAFETY: LLVM is given a type of the kind that it asks for, of a module that is alive.
        unsafe {
            llvm::type_kind(ty) == TypeKind::LLVMIntegerTypeKind && LLVMGetIntTypeWidth(ty) > 64
        }
    }

    /// The type of element `index` of an aggregate, and its first leaf.
    pub(super) fn element(&mut self, ty: Type, index: u32) -> Result<(Type, usize), String> {
        // SAFETY: LLVM is given a type of the kind that it asks for, of a module that is alive.
        unsafe {
            match llvm::type_kind(ty) {
                TypeKind::LLVMStructTypeKind => {
                    if index >= LLVMCountStructElementTypes(ty) {
                        return Err("index beyond a struct".into());
                    }
                    let mut before = 0;
                    for i in 0..index {
                        before += self.leaves(LLVMStructGetTypeAtIndex(ty, i))?.len();
                    }
                    Ok((LLVMStructGetTypeAtIndex(ty, index), before))
                }
                TypeKind::LLVMArrayTypeKind | TypeKind::LLVMVectorTypeKind => {
                    let inner = LLVMGetElementType(ty);
                    Ok((inner, self.leaves(inner)?.len() * index as usize))
                }
                _ => Err("index into a scalar".into()),
            }
        }
    }
}

fn unsupported_type(ty: Type) -> String {
    format!("values of type {}", llvm::print_type(ty))
}

/// The address space of a pointer's LLVM type.
pub(super) fn space_of(address_space: u32) -> Space {
    match address_space {
        1 => Space::Global,
        3 => Space::Shared,
        2 | 4 => Space::Constant,
        5 => Space::Private,
        _ => Space::Generic,
    }
}
