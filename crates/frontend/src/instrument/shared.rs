//! All shared memory of a kernel as one array, whose size the launch says.
//!
//! So a place in it has a number, the same for every variable, and what the checker keeps can lie behind it.

use std::ffi::CString;

use llvm_sys::core::*;
use llvm_sys::target::{LLVMABISizeOfType, LLVMPreferredAlignmentOfGlobal};

use crate::llvm::{self, LLVMLinkage, Module, Val};

pub(super) const SHARED: &str = "__lockstep_shared";

/// A variable in shared memory, and where it lies in the array.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    pub(super) global: Val,
    pub(super) name: String,
    pub(super) start: u64,
    /// None: as much as the launch gives, behind all others.
    pub(super) size: Option<u64>,
}

/// Where each variable lies, and where those begin that the launch gives a size to.
pub(super) fn place(module: &Module) -> (Vec<Placed>, u64) {
    let layout = module.data_layout();
    let mut placed = Vec::new();
    let mut end = 0u64;
    for global in module.globals() {
        if llvm::address_space(llvm::type_of(global)) != 3 || llvm::name(global) == SHARED {
            continue;
        }
        let name = llvm::demangle::variable(&llvm::name(global));
        if llvm::is_declaration(global) {
            placed.push(Placed { global, name, start: 0, size: None });
            continue;
        }
        // SAFETY: LLVM is given a global variable, of a module that is alive.
        let (size, align) = unsafe {
            let own = LLVMGetAlignment(global);
            let usual = LLVMPreferredAlignmentOfGlobal(layout, global);
            let ty = LLVMGlobalGetValueType(global);
            (LLVMABISizeOfType(layout, ty), u64::from(if own > 0 { own } else { usual }))
        };
        end = end.next_multiple_of(align.max(1));
        placed.push(Placed { global, name, start: end, size: Some(size) });
        end += size;
    }
    let end = end.next_multiple_of(16);
    placed.iter_mut().filter(|p| p.size.is_none()).for_each(|p| p.start = end);
    (placed, end)
}

/// The array itself, declared where it is not yet.
pub(super) fn array(module: &Module) -> Val {
    let name = CString::new(SHARED).unwrap_or_default();
    // SAFETY: LLVM is given a module that is alive.
    unsafe {
        let known = LLVMGetNamedGlobal(module.raw, name.as_ptr());
        if !known.is_null() {
            return known;
        }
        let ty = LLVMArrayType2(LLVMInt8TypeInContext(module.ctx), 0);
        let global = LLVMAddGlobalInAddressSpace(module.raw, ty, name.as_ptr(), 3);
        LLVMSetLinkage(global, LLVMLinkage::LLVMExternalLinkage);
        LLVMSetAlignment(global, 16);
        global
    }
}

/// Puts all variables into the array.
pub(super) fn merge(module: &Module, placed: &[Placed]) {
    let array = array(module);
    for variable in placed {
        // SAFETY: LLVM is given globals of a module that is alive; the replaced one has no use any more.
        unsafe {
            let byte = LLVMInt8TypeInContext(module.ctx);
            let mut at = LLVMConstInt(LLVMInt32TypeInContext(module.ctx), variable.start, 0);
            let address = LLVMConstGEP2(byte, array, &mut at, 1);
            LLVMReplaceAllUsesWith(variable.global, address);
            LLVMDeleteGlobal(variable.global);
        }
    }
}
