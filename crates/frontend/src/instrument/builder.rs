//! LLVM's instruction builder, behind short names: values of a module that is alive, and places in its functions.

use std::ffi::CString;

use llvm_sys::core::*;
use llvm_sys::debuginfo::LLVMInstructionGetDebugLoc;
use llvm_sys::prelude::LLVMBuilderRef;
use llvm_sys::{LLVMAtomicOrdering, LLVMAtomicRMWBinOp, LLVMIntPredicate};

use crate::llvm::{Module, Type, Val};

pub(super) struct Builder<'m> {
    pub(super) module: &'m Module,
    raw: LLVMBuilderRef,
}

impl Drop for Builder<'_> {
    fn drop(&mut self) {
        // SAFETY: it was made by this value, and is not used any more.
        unsafe { LLVMDisposeBuilder(self.raw) }
    }
}

impl<'m> Builder<'m> {
    /// What is built stands before `inst`, and has its place in the source.
    pub(super) fn before(module: &'m Module, inst: Val) -> Builder<'m> {
        // SAFETY: LLVM is given a context and an instruction that are alive.
        unsafe {
            let raw = LLVMCreateBuilderInContext(module.ctx);
            LLVMPositionBuilderBefore(raw, inst);
            LLVMSetCurrentDebugLocation2(raw, LLVMInstructionGetDebugLoc(inst));
            Builder { module, raw }
        }
    }

    /// What is built stands behind `inst`, which ends no block.
    pub(super) fn after(module: &'m Module, inst: Val) -> Builder<'m> {
        // SAFETY: LLVM is given an instruction, of a module that is alive.
        let next = unsafe { LLVMGetNextInstruction(inst) };
        let builder = Builder::before(module, next);
        // SAFETY: LLVM is given a builder and an instruction that are alive.
        unsafe { LLVMSetCurrentDebugLocation2(builder.raw, LLVMInstructionGetDebugLoc(inst)) };
        builder
    }

    pub(super) fn i32(&self, value: u32) -> Val {
        // SAFETY: the context is alive.
        unsafe { LLVMConstInt(LLVMInt32TypeInContext(self.module.ctx), value.into(), 0) }
    }

    pub(super) fn i64(&self, value: u64) -> Val {
        // SAFETY: the context is alive.
        unsafe { LLVMConstInt(LLVMInt64TypeInContext(self.module.ctx), value, 0) }
    }

    /// A variable of the thread of so many bytes.
    pub(super) fn local(&self, bytes: u64) -> Val {
        // SAFETY: LLVM is given a type and a builder that are alive.
        unsafe {
            let ty = LLVMArrayType2(LLVMInt64TypeInContext(self.module.ctx), bytes.div_ceil(8));
            LLVMBuildAlloca(self.raw, ty, c"lockstep".as_ptr())
        }
    }

    /// Calls a function of the library by its name.
    pub(super) fn call(&self, name: &str, args: &[Val]) -> Result<Val, String> {
        let c_name = CString::new(name).unwrap_or_default();
        let mut args = args.to_vec();
        // SAFETY: LLVM is given a module that is alive and values of it; a wrong type is found by its verifier.
        unsafe {
            let f = LLVMGetNamedFunction(self.module.raw, c_name.as_ptr());
            if f.is_null() || LLVMCountParams(f) as usize != args.len() {
                return Err(format!(
                    "the checker has no function {name} of {} arguments",
                    args.len()
                ));
            }
            let ty = LLVMGlobalGetValueType(f);
            let (data, count) = (args.as_mut_ptr(), args.len() as u32);
            Ok(LLVMBuildCall2(self.raw, ty, f, data, count, c"".as_ptr()))
        }
    }

    /// A pointer as one into an address space.
    pub(super) fn in_space(&self, pointer: Val, space: u32) -> Val {
        // SAFETY: LLVM is given a pointer and a builder that are alive.
        unsafe {
            if LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)) == space {
                return pointer;
            }
            let to = LLVMPointerTypeInContext(self.module.ctx, space);
            LLVMBuildAddrSpaceCast(self.raw, pointer, to, c"".as_ptr())
        }
    }

    /// Bytes from one pointer into shared memory to another.
    pub(super) fn distance(&self, from: Val, to: Val) -> Val {
        // SAFETY: LLVM is given pointers and a builder that are alive.
        unsafe {
            let ty = LLVMInt32TypeInContext(self.module.ctx);
            let from = LLVMBuildPtrToInt(self.raw, from, ty, c"".as_ptr());
            let to = LLVMBuildPtrToInt(self.raw, to, ty, c"".as_ptr());
            LLVMBuildSub(self.raw, to, from, c"".as_ptr())
        }
    }

    /// A pointer some bytes on.
    pub(super) fn moved(&self, pointer: Val, bytes: Val) -> Val {
        let mut index = bytes;
        // SAFETY: LLVM is given a pointer, a number and a builder that are alive.
        unsafe {
            let byte = LLVMInt8TypeInContext(self.module.ctx);
            LLVMBuildGEP2(self.raw, byte, pointer, &mut index, 1, c"".as_ptr())
        }
    }

    pub(super) fn null(&self) -> Val {
        // SAFETY: the type is of a context that is alive.
        unsafe { LLVMConstNull(self.pointer_type()) }
    }

    pub(super) fn store(&self, value: Val, pointer: Val) {
        // SAFETY: LLVM is given a value, a pointer and a builder that are alive.
        unsafe { LLVMBuildStore(self.raw, value, pointer) };
    }

    pub(super) fn load(&self, ty: Type, pointer: Val) -> Val {
        // SAFETY: LLVM is given a type, a pointer and a builder that are alive.
        unsafe { LLVMBuildLoad2(self.raw, ty, pointer, c"".as_ptr()) }
    }

    pub(super) fn pointer_type(&self) -> Type {
        // SAFETY: the context is alive.
        unsafe { LLVMPointerTypeInContext(self.module.ctx, 0) }
    }

    /// An integer with this width, its upper bits zero.
    pub(super) fn resized(&self, value: Val, bits: u32) -> Val {
        // SAFETY: LLVM is given an integer and a builder that are alive.
        unsafe {
            let to = LLVMIntTypeInContext(self.module.ctx, bits);
            LLVMBuildIntCast2(self.raw, value, to, 0, c"".as_ptr())
        }
    }

    pub(super) fn equal(&self, a: Val, b: Val) -> Val {
        // SAFETY: LLVM is given values of one type and a builder that are alive.
        unsafe { LLVMBuildICmp(self.raw, LLVMIntPredicate::LLVMIntEQ, a, b, c"".as_ptr()) }
    }

    pub(super) fn select(&self, condition: Val, a: Val, b: Val) -> Val {
        // SAFETY: LLVM is given values and a builder that are alive.
        unsafe { LLVMBuildSelect(self.raw, condition, a, b, c"".as_ptr()) }
    }

    pub(super) fn member(&self, aggregate: Val, index: u32) -> Val {
        // SAFETY: LLVM is given an aggregate and a builder that are alive.
        unsafe { LLVMBuildExtractValue(self.raw, aggregate, index, c"".as_ptr()) }
    }

    pub(super) fn atomic(&self, op: LLVMAtomicRMWBinOp, pointer: Val, value: Val) -> Val {
        let order = LLVMAtomicOrdering::LLVMAtomicOrderingMonotonic;
        // SAFETY: LLVM is given a pointer, a value and a builder that are alive.
        unsafe { LLVMBuildAtomicRMW(self.raw, op, pointer, value, order, 0) }
    }

    /// What the memory held.
    pub(super) fn compare_and_swap(&self, pointer: Val, expected: Val, value: Val) -> Val {
        let order = LLVMAtomicOrdering::LLVMAtomicOrderingMonotonic;
        // SAFETY: LLVM is given a pointer, values of one type and a builder that are alive.
        let pair =
            unsafe { LLVMBuildAtomicCmpXchg(self.raw, pointer, expected, value, order, order, 0) };
        self.member(pair, 0)
    }
}
