//! Variables of a file that other code sets: `__device__`, `__managed__` and `__constant__` ones.
//!
//! The host may set a variable (`cudaMemcpyToSymbol`, a store to a managed one), and so may another translation unit.
//! clang marks them (`externally_initialized`): all except those of internal linkage that no host function of the file
//! uses. Another kernel may set these, too. A variable has the value of its initialiser only if no code can have set it
//! ([`Lower::is_fixed`]).
//!
//! A variable that a kernel only reads, and that has no non-zero initialiser, is an input like any parameter. What is
//! read from it at a constant offset becomes a parameter after the kernel's own (`width`, `par.n`), so that a launch
//! can set it by its name, and a pointer in it is an array of the launch ([`super::fields`]).
//!
//! Left unchanged, and unknown to the prover: arrays that are read with a variable index, variables with an initial
//! value, those that the kernel writes, and those that are read by volatile or atomic loads.

use std::collections::HashSet;

use llvm_sys::core::*;
use llvm_sys::{LLVMAtomicOrdering, LLVMLinkage};
use lockstep_kernel::{Language, Space};

use super::described;
use super::fields::{Uses, Whole, WholeOf};
use crate::llvm::{self, Opcode, Val, ValueKind};
use crate::lower::Lower;
use crate::lower::types::space_of;
use crate::prepare::KEEP;

/// How a variable is used.
#[derive(Clone, Copy, Debug, Default)]
struct Deeds {
    read: bool,
    written: bool,
    /// Read by a volatile or atomic load: other code writes it concurrently.
    polled: bool,
    /// Its address escapes.
    escapes: bool,
}

impl Lower<'_> {
    /// Whether a variable has the value of its initialiser in every launch.
    pub(in crate::lower) fn is_fixed(&self, global: Val) -> bool {
        // SAFETY: LLVM is given a global variable, of a module that is alive.
        let is_constant = unsafe { LLVMIsGlobalConstant(global) } != 0;
        is_constant || {
            let done = deeds(global, None);
            is_internal(global) && !done.written && !done.escapes
        }
    }

    /// Whether a pointer argument of a launch may point into a variable.
    pub(in crate::lower) fn is_exported(&self, global: Val) -> bool {
        // OpenCL host code cannot get the address of a variable.
        let is_known = self.k.language != Language::OpenCl && !is_internal(global);
        // SAFETY: LLVM is given a global variable, of a module that is alive.
        let is_constant = unsafe { LLVMIsGlobalConstant(global) } != 0;
        !is_constant && (is_known || deeds(global, None).escapes)
    }

    /// Creates parameters for the variables that the kernel only reads and that other code sets.
    pub(in crate::lower) fn split_variables(&mut self, f: Val) {
        if self.k.language == Language::OpenCl {
            return;
        }
        let functions = called_by(f);
        for global in self.m.globals() {
            let space = match space_of(llvm::address_space(llvm::type_of(global))) {
                Space::Generic | Space::Global => Space::Global,
                Space::Constant => Space::Constant,
                _ => continue,
            };
            // SAFETY: LLVM is given a global variable, of a module that is alive.
            let init = unsafe { LLVMGetInitializer(global) };
            // SAFETY: LLVM is given a constant, of a module that is alive.
            let says_nothing = init.is_null() || unsafe { LLVMIsNull(init) } != 0;
            let name = llvm::name(global);
            if name.starts_with("llvm.") || !says_nothing || self.is_fixed(global) {
                continue;
            }
            let done = deeds(global, Some(&functions));
            if !done.read || done.written || done.polled || done.escapes {
                continue;
            }
            // SAFETY: LLVM is given a global, of a module that is alive.
            let ty = unsafe { LLVMGlobalGetValueType(global) };
            let size = self.size_of(ty);
            let mut uses = Uses::within(&functions);
            self.find_uses(global, 0, &(0..size), &mut uses);
            let mut name = self.display_name(&name);
            while self.k.params.iter().any(|p| p.name == name) {
                name.insert_str(0, "::");
            }
            let known = described::variable(self.m, global, size);
            self.split_read(ty, uses, known, &Whole { name, of: WholeOf::Variable(space) });
        }
    }
}

/// Whether a variable is only known in this file, and no host function in it uses it.
fn is_internal(global: Val) -> bool {
    // SAFETY: LLVM is given a global, of a module that is alive.
    let linkage = unsafe { LLVMGetLinkage(global) };
    let is_local =
        matches!(linkage, LLVMLinkage::LLVMInternalLinkage | LLVMLinkage::LLVMPrivateLinkage);
    // SAFETY: LLVM is given a global variable, of a module that is alive.
    is_local && unsafe { LLVMIsExternallyInitialized(global) } == 0
}

/// A function and all functions that it may call.
fn called_by(f: Val) -> HashSet<Val> {
    let mut seen = HashSet::from([f]);
    let mut work = vec![f];
    while let Some(f) = work.pop() {
        let operands = llvm::blocks(f).into_iter().flat_map(llvm::instructions);
        for v in operands.flat_map(llvm::operands) {
            let is_function =
                !v.is_null() && llvm::value_kind(v) == ValueKind::LLVMFunctionValueKind;
            if is_function && seen.insert(v) {
                work.push(v);
            }
        }
    }
    seen
}

/// How a variable is used, in these functions or in all.
fn deeds(global: Val, only: Option<&HashSet<Val>>) -> Deeds {
    let mut done = Deeds::default();
    let mut seen = HashSet::from([global]);
    let mut work = vec![global];
    while let Some(address) = work.pop() {
        for user in llvm::users(address) {
            let elsewhere = |f: &HashSet<Val>| {
                llvm::is_instruction(user) && !f.contains(&llvm::function_of(user))
            };
            if only.is_some_and(elsewhere) || is_listed(user) {
                continue;
            }
            let at = |i: u32| llvm::operand(user, i) == address;
            match llvm::opcode_of(user) {
                Some(Opcode::LLVMLoad) => {
                    // SAFETY: LLVM is given an access, of a module that is alive.
                    let order = unsafe { LLVMGetOrdering(user) };
                    let is_plain = order == LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic
                        // SAFETY: LLVM is given an access, of a module that is alive.
                        && unsafe { LLVMGetVolatile(user) } == 0;
                    done.read = true;
                    done.polled |= !is_plain;
                }
                Some(Opcode::LLVMStore) if !at(0) => done.written = true,
                Some(Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg) if at(0) => {
                    done.written = true;
                }
                Some(
                    Opcode::LLVMGetElementPtr | Opcode::LLVMBitCast | Opcode::LLVMAddrSpaceCast,
                ) => {
                    if seen.insert(user) {
                        work.push(user);
                    }
                }
                Some(Opcode::LLVMICmp) => {}
                Some(Opcode::LLVMCall) => call(user, address, &mut done),
                _ => done.escapes = true,
            }
        }
    }
    done
}

fn call(call: Val, address: Val, done: &mut Deeds) {
    let name = llvm::callee(call).map(llvm::name).unwrap_or_default();
    let is_copy = name.starts_with("llvm.memcpy") || name.starts_with("llvm.memmove");
    let args = llvm::call_args(call);
    if ["llvm.dbg", "llvm.lifetime", KEEP].iter().any(|p| name.starts_with(p)) {
    } else if is_copy && args.get(1) == Some(&address) && args.first() != Some(&address) {
        done.read = true;
    } else if is_copy || name.starts_with("llvm.memset") {
        done.written = true;
    } else if name.starts_with("llvm.nvvm.ldg.") || name.starts_with("llvm.nvvm.ldu.") {
        done.read = true;
    } else {
        done.escapes = true;
    }
}

/// Whether this is an entry of a list that keeps variables alive (`llvm.used`), or the list itself.
pub(in crate::lower) fn is_listed(user: Val) -> bool {
    match llvm::value_kind(user) {
        ValueKind::LLVMGlobalVariableValueKind => llvm::name(user).starts_with("llvm."),
        ValueKind::LLVMConstantArrayValueKind => llvm::users(user).into_iter().all(is_listed),
        _ => false,
    }
}
