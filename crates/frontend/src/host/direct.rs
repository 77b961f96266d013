//! Launches by a call of the runtime, `cudaLaunchKernel(k, grid, block, arguments, …)`, and kernels whose address goes where
//! no launch is seen.
//!
//! Dimensions stand in the call. Of the arguments, those are read whose addresses are put into the array at known places, each
//! of a variable that one store fills and that nobody else is given. A launch whose dimensions are in a structure in memory
//! (`cudaLaunchKernelEx`) is not read, nor is one through a pointer to a function: such kernels are [`Unread`].

use std::collections::HashMap;

use super::{STUB, Stub, base, called, stub};
use crate::llvm::{self, Opcode, Val};

/// Whether a call launches the kernel that is its first argument, with dimensions and an array of addresses after it.
pub(super) fn is_direct(name: &str) -> bool {
    let has_structure = name.contains("cudaLaunchKernelEx");
    !has_structure
        && (name.contains("cudaLaunchKernel") || name.contains("cudaLaunchCooperativeKernel"))
}

/// Calls that are given a kernel and launch nothing.
fn only_asks(name: &str) -> bool {
    ["cudaFuncSet", "cudaFuncGet", "cudaOccupancy", "__cudaRegisterFunction"]
        .iter()
        .any(|asked| name.contains(asked))
}

/// The kernels, by mangled name, that may be launched in ways that nobody here reads: their address is stored, or given to
/// a function, or launched by a call of another form.
pub(super) fn escaping(stubs: &HashMap<Val, Stub>) -> Vec<String> {
    let mut out = Vec::new();
    for &f in stubs.keys() {
        let Some(kernel) = stub(&llvm::name(f)) else { continue };
        if llvm::users(f).into_iter().any(|user| escapes_by(user, f)) {
            out.push(kernel);
        }
    }
    out.sort();
    out
}

fn escapes_by(user: Val, f: Val) -> bool {
    let Some((callee, name)) = llvm::is_instruction(user).then(|| called(user)).flatten() else {
        return true;
    };
    let is_given = llvm::call_args(user).contains(&f);
    let own = llvm::name(llvm::function_of(user)).contains(STUB);
    let launches = is_direct(&name) && llvm::call_args(user).first() == Some(&f);
    !(own || launches || only_asks(&name) || callee == f && !is_given)
}

/// The arguments of a direct launch that are read, each with its position among the parameters of the kernel.
pub(super) fn arguments(call: Val, count: usize) -> Vec<(Val, Option<usize>)> {
    let mut out = vec![None; count];
    let Some(array) = llvm::call_args(call).get(5).map(|&v| base(v)) else { return Vec::new() };
    if llvm::opcode_of(array) != Some(Opcode::LLVMAlloca) {
        return Vec::new();
    }
    for user in addresses(array) {
        for store in llvm::users(user.at) {
            if llvm::opcode_of(store) != Some(Opcode::LLVMStore)
                || llvm::operand(store, 1) != user.at
            {
                continue;
            }
            let Some(slot) = out.get_mut(user.element) else { continue };
            // An element that is stored twice may be either.
            *slot = match *slot {
                None => content(llvm::operand(store, 0)),
                Some(_) => None,
            };
        }
    }
    out.into_iter().enumerate().filter_map(|(i, v)| Some((v?, Some(i)))).collect()
}

/// An address in an array of pointers.
struct Address {
    at: Val,
    element: usize,
}

/// The array itself, which is its first element, and what is computed of it with constant indices.
fn addresses(array: Val) -> Vec<Address> {
    const POINTER: u64 = 8;
    let mut out = vec![Address { at: array, element: 0 }];
    for user in llvm::users(array) {
        if llvm::opcode_of(user) != Some(Opcode::LLVMGetElementPtr) {
            continue;
        }
        let operands = llvm::operands(user);
        let constants: Option<Vec<u64>> =
            operands[1..].iter().map(|&v| llvm::const_int(v)).collect();
        let element = match constants.as_deref() {
            // In bytes, as the optimiser writes it; or an element of the array.
            Some(&[bytes]) => bytes / POINTER,
            Some(&[0, element]) => element,
            _ => continue,
        };
        out.push(Address { at: user, element: element as usize });
    }
    out
}

/// What a variable holds that one store fills and that is otherwise only read, or put into an array of arguments.
fn content(variable: Val) -> Option<Val> {
    if llvm::opcode_of(variable) != Some(Opcode::LLVMAlloca) {
        return None;
    }
    let mut value = None;
    for user in llvm::users(variable) {
        match llvm::opcode_of(user)? {
            Opcode::LLVMLoad => {}
            Opcode::LLVMStore if llvm::operand(user, 0) == variable => {}
            Opcode::LLVMStore if value.is_none() => value = Some(llvm::operand(user, 0)),
            Opcode::LLVMCall if called(user)?.1.starts_with("llvm.lifetime") => {}
            _ => return None,
        }
    }
    value
}
