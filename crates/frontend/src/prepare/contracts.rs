//! Preconditions of functions that are not kernels, and axioms.
//!
//! `__requires` at the beginning of a kernel restricts its launches, and is assumed. In a function that a kernel calls
//! it is an obligation of the caller, so there it is an assertion: assuming it would mean trusting a condition that was
//! never checked. `__axiom` is outside functions and is assumed by every kernel of the file; our headers turn each into
//! a function, and here every kernel calls it first.

use std::ffi::CString;

use llvm_sys::core::*;
use llvm_sys::debuginfo::LLVMInstructionGetDebugLoc;

use crate::llvm::{self, Module, Opcode, Val};

const AXIOM: &str = "__lockstep_axiom_";

/// The functions for preconditions in the headers, and their replacements. The wrappers of the CUDA headers, given by
/// their mangled names, may have been inlined before.
const PRECONDITIONS: [(&str, &str); 4] = [
    ("_ZL10__requiresb", "__lockstep_assert"),
    ("_ZL17__global_requiresb", "__lockstep_assert"),
    ("__lockstep_requires", "__lockstep_assert"),
    ("_Z19__lockstep_requiresb", "_Z17__lockstep_assertb"),
];

pub(crate) fn run(module: &Module, kernels: &[Val]) {
    let functions = module.functions();
    let defined = |f: &&Val| !llvm::is_declaration(**f);
    let wrapper = |f: Val| PRECONDITIONS.iter().any(|(name, _)| *name == llvm::name(f));
    for &f in functions.iter().filter(defined) {
        if !kernels.contains(&f) && !wrapper(f) {
            check_preconditions(module, f);
        }
    }
    for &axiom in functions.iter().filter(defined).filter(|f| llvm::name(**f).contains(AXIOM)) {
        for &kernel in kernels {
            call_first(module, kernel, axiom);
        }
    }
}

fn check_preconditions(module: &Module, f: Val) {
    for inst in llvm::blocks(f).into_iter().flat_map(llvm::instructions) {
        if llvm::opcode(inst) != Opcode::LLVMCall {
            continue;
        }
        let Some(callee) = llvm::callee(inst) else { continue };
        let name = llvm::name(callee);
        let Some((_, checked)) = PRECONDITIONS.iter().find(|(n, _)| *n == name) else { continue };
        // SAFETY: LLVM is given the module and a call, of a module that is alive.
        unsafe {
            let name = CString::new(*checked).unwrap_or_default();
            let mut to = LLVMGetNamedFunction(module.raw, name.as_ptr());
            if to.is_null() {
                to = LLVMAddFunction(module.raw, name.as_ptr(), LLVMGetCalledFunctionType(inst));
            }
            LLVMSetOperand(inst, LLVMGetNumArgOperands(inst), to);
        }
    }
}

/// Calls a function without parameters before anything else.
fn call_first(module: &Module, kernel: Val, f: Val) {
    let insts: Vec<Val> = llvm::blocks(kernel).into_iter().flat_map(llvm::instructions).collect();
    let after = |i: &&Val| llvm::opcode(**i) != Opcode::LLVMAlloca;
    let Some(&first) = insts.iter().find(after) else { return };
    // A call that is inlined needs a debug location; any of the kernel's is fine, the axiom has its own.
    // SAFETY: LLVM is given an instruction, of a module that is alive.
    let places = insts.iter().map(|&i| unsafe { LLVMInstructionGetDebugLoc(i) });
    let place = places.into_iter().find(|place| !place.is_null());
    // SAFETY: LLVM is given a builder that is disposed of here and a global, of a module that is alive.
    unsafe {
        let builder = LLVMCreateBuilderInContext(module.ctx);
        LLVMPositionBuilderBefore(builder, first);
        if let Some(place) = place {
            LLVMSetCurrentDebugLocation2(builder, place);
        }
        let ty = LLVMGlobalGetValueType(f);
        LLVMBuildCall2(builder, ty, f, std::ptr::null_mut(), 0, c"".as_ptr());
        LLVMDisposeBuilder(builder);
    }
}
