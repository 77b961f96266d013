//! Into which array of the launch an address certainly goes.
//!
//! An address is followed through arithmetic, casts, selections and phis to the pointer that it was made of. What comes
//! out of memory or of a call is not followed, except for a field of a struct passed by value.

use std::collections::HashSet;

use llvm_sys::core::*;
use llvm_sys::target::LLVMABISizeOfType;

use crate::llvm::{self, Module, Opcode, Val, ValueKind};

/// What an address was made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Root {
    /// A pointer argument, by its number.
    Argument(u32),
    /// A pointer in a struct passed by value, so many bytes from its start.
    Field {
        argument: u32,
        offset: u64,
    },
    /// A variable of the module in global memory.
    Variable(Val),
    /// One in shared memory.
    Shared(Val),
    /// Memory of the thread itself, or that nobody writes.
    Own,
    Unknown,
}

pub(super) fn root(module: &Module, f: Val, address: Val) -> Root {
    let mut found: Option<Root> = None;
    let mut seen = HashSet::from([address]);
    let mut work = vec![address];
    while let Some(v) = work.pop() {
        let mut next = Vec::new();
        let here = match llvm::value_kind(v) {
            ValueKind::LLVMArgumentValueKind => argument(f, v),
            ValueKind::LLVMGlobalVariableValueKind => match llvm::address_space(llvm::type_of(v)) {
                3 => Some(Root::Shared(v)),
                2 | 4 => Some(Root::Own),
                _ => Some(Root::Variable(v)),
            },
            ValueKind::LLVMInstructionValueKind | ValueKind::LLVMConstantExprValueKind => {
                match llvm::opcode_of(v) {
                    Some(
                        Opcode::LLVMGetElementPtr | Opcode::LLVMAddrSpaceCast | Opcode::LLVMBitCast,
                    ) => {
                        next.push(llvm::operand(v, 0));
                        None
                    }
                    Some(Opcode::LLVMPHI) => {
                        next.extend(llvm::operands(v));
                        None
                    }
                    Some(Opcode::LLVMSelect) => {
                        next.extend([llvm::operand(v, 1), llvm::operand(v, 2)]);
                        None
                    }
                    Some(Opcode::LLVMAlloca) => Some(Root::Own),
                    Some(Opcode::LLVMLoad) => Some(field(module, f, v)),
                    _ => Some(Root::Unknown),
                }
            }
            _ => Some(Root::Unknown),
        };
        if let Some(here) = here {
            match found {
                Some(before) if before != here => return Root::Unknown,
                _ => found = Some(here),
            }
        }
        work.extend(next.into_iter().filter(|&v| seen.insert(v)));
    }
    found.unwrap_or(Root::Unknown)
}

fn argument(f: Val, v: Val) -> Option<Root> {
    let number = llvm::arguments(f).iter().position(|&a| a == v)? as u32;
    Some(match llvm::byval_type(f, number) {
        Some(_) => Root::Own,
        None => Root::Argument(number),
    })
}

/// A pointer that is loaded from a struct passed by value.
fn field(module: &Module, f: Val, load: Val) -> Root {
    let mut address = llvm::operand(load, 0);
    let mut offset = 0;
    loop {
        if llvm::value_kind(address) == ValueKind::LLVMArgumentValueKind {
            return match argument(f, address) {
                Some(Root::Own) => {
                    let number = llvm::arguments(f).iter().position(|&a| a == address);
                    Root::Field { argument: number.unwrap_or(0) as u32, offset }
                }
                _ => Root::Unknown,
            };
        }
        match llvm::opcode_of(address) {
            Some(Opcode::LLVMAddrSpaceCast | Opcode::LLVMBitCast) => {}
            Some(Opcode::LLVMGetElementPtr) => match constant_offset(module, address) {
                Some(bytes) => offset += bytes,
                None => return Root::Unknown,
            },
            _ => return Root::Unknown,
        }
        address = llvm::operand(address, 0);
    }
}

/// The bytes that a `getelementptr` with constant indices adds.
fn constant_offset(module: &Module, gep: Val) -> Option<u64> {
    let layout = module.data_layout();
    let mut bytes = 0;
    // SAFETY: LLVM is given a getelementptr, and types of the kinds that it asks for, of a module that is alive.
    unsafe {
        let mut ty = LLVMGetGEPSourceElementType(gep);
        for i in 1..llvm::num_operands(gep) {
            let index = llvm::const_int(llvm::operand(gep, i))?;
            if i == 1 {
                bytes += index * LLVMABISizeOfType(layout, ty);
                continue;
            }
            match llvm::type_kind(ty) {
                llvm::TypeKind::LLVMStructTypeKind => {
                    bytes += llvm_sys::target::LLVMOffsetOfElement(layout, ty, index as u32);
                    ty = LLVMStructGetTypeAtIndex(ty, index as u32);
                }
                llvm::TypeKind::LLVMArrayTypeKind => {
                    ty = LLVMGetElementType(ty);
                    bytes += index * LLVMABISizeOfType(layout, ty);
                }
                _ => return None,
            }
        }
    }
    Some(bytes)
}
