//! Launches by a runtime call, `cudaLaunchKernel(k, grid, block, arguments, …)`, and kernels whose address escapes.
//!
//! Dimensions are operands of the call. An argument is known if its address is stored at a known index of the array,
//! and the variable there is filled by a single store; the addresses of the array and of the variables must not escape.
//! `cudaLaunchKernelEx` of our own headers is such a call. A launch whose dimensions are in a structure in memory (that of
//! an SDK, `cudaLaunchKernelExC`) is not analysed, nor is one through a function pointer that is not read ([`super::listed`]).

use std::collections::HashMap;

use llvm_sys::core::LLVMGetGEPSourceElementType;

use super::arrays::allocates;
use super::memory::keeps_to_itself;
use super::{Given, STUB, Stub, base, called, listed, stub};
use crate::llvm::{self, Opcode, Val};

/// Whether a call launches the kernel that is its first argument, followed by dimensions and an array of addresses.
pub(super) fn is_direct(name: &str) -> bool {
    let has_structure = name.contains("cudaLaunchKernelEx");
    !has_structure
        && (name.contains("cudaLaunchKernel") || name.contains("cudaLaunchCooperativeKernel"))
}

/// Calls that take a kernel and launch nothing.
fn only_asks(name: &str) -> bool {
    ["cudaFuncSet", "cudaFuncGet", "cudaOccupancy", "__cudaRegisterFunction"]
        .iter()
        .any(|asked| name.contains(asked))
}

/// The kernels, by mangled name, that may be launched in ways that are not analysed: their address is stored, or passed
/// to a function, or launched by a call of another form.
pub(super) fn escaping(stubs: &HashMap<Val, Stub>) -> Vec<String> {
    let mut out = Vec::new();
    for &f in stubs.keys() {
        let Some(kernel) = stub(&llvm::name(f)) else { continue };
        let escapes = |user| escapes_by(user, f) && !listed::is_read(user, stubs);
        if llvm::users(f).into_iter().any(escapes) {
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

/// The known arguments of a direct launch, each with its position among the parameters of the kernel.
pub(super) fn arguments(call: Val, count: usize) -> Vec<(Val, Given)> {
    let mut out = vec![None; count];
    let Some(array) = llvm::call_args(call).get(5).map(|&v| base(v)) else { return Vec::new() };
    let Some(slots) = slots(array) else { return Vec::new() };
    for slot in &slots {
        for store in llvm::users(slot.at).into_iter().filter(|&user| fills(user, slot.at)) {
            let Some(argument) = out.get_mut(slot.element) else { continue };
            // An element that is stored twice may have either value.
            *argument = match *argument {
                None => Some(content(llvm::operand(store, 0), &slots)),
                Some(_) => Some(None),
            };
        }
    }
    out.into_iter().enumerate().filter_map(|(i, v)| Some((v??, Given::Whole(i)))).collect()
}

/// An address in an array of pointers.
struct Slot {
    at: Val,
    element: usize,
}

/// The elements of an array of addresses that are stored to; `None` if its address escapes, or an index is not known.
fn slots(array: Val) -> Option<Vec<Slot>> {
    if llvm::opcode_of(array) != Some(Opcode::LLVMAlloca) {
        return None;
    }
    // The array itself is the address of its first element.
    let mut found = vec![Slot { at: array, element: 0 }];
    let mut next = 0;
    while let Some(Slot { at, element }) = found.get(next) {
        let (at, element) = (*at, *element);
        next += 1;
        for user in llvm::users(at) {
            match llvm::opcode_of(user)? {
                Opcode::LLVMGetElementPtr if llvm::operand(user, 0) == at => {
                    found.push(Slot { at: user, element: element + step(user)? });
                }
                Opcode::LLVMLoad => {}
                Opcode::LLVMStore if fills(user, at) => {}
                Opcode::LLVMCall | Opcode::LLVMInvoke if is_told(&called(user)?.1) => {}
                _ => return None,
            }
        }
    }
    Some(found)
}

/// Whether the array may be passed to a function, because it stores nothing there.
fn is_told(name: &str) -> bool {
    is_direct(name) || keeps_to_itself(name)
}

/// The number of pointers that an address computation adds.
fn step(gep: Val) -> Option<usize> {
    const POINTER: u64 = 8;
    let operands = llvm::operands(gep);
    let constants: Option<Vec<u64>> = operands[1..].iter().map(|&v| llvm::const_int(v)).collect();
    // SAFETY: this is an address computation.
    let of = llvm::type_kind(unsafe { LLVMGetGEPSourceElementType(gep) });
    let element = match (of, constants?.as_slice()) {
        (llvm::TypeKind::LLVMPointerTypeKind, &[element]) => element,
        // In bytes, as the optimiser writes it.
        (llvm::TypeKind::LLVMIntegerTypeKind, &[bytes]) => bytes / POINTER,
        (llvm::TypeKind::LLVMArrayTypeKind, &[0, element]) => element,
        _ => return None,
    };
    Some(element as usize)
}

/// Whether an instruction stores to an address, and does not store the address itself.
fn fills(user: Val, at: Val) -> bool {
    llvm::opcode_of(user) == Some(Opcode::LLVMStore)
        && llvm::operand(user, 1) == at
        && llvm::operand(user, 0) != at
}

/// The value of a variable that a single store, or a single allocation, fills and that is otherwise only loaded, or put into an array
/// of arguments. An allocated array is a load of the variable, or the variable itself if there is none.
fn content(variable: Val, slots: &[Slot]) -> Option<Val> {
    if llvm::opcode_of(variable) != Some(Opcode::LLVMAlloca) {
        return None;
    }
    let (mut value, mut load, mut fills) = (None, None, 0);
    for user in llvm::users(variable) {
        match llvm::opcode_of(user)? {
            Opcode::LLVMLoad => load = Some(user),
            Opcode::LLVMStore if llvm::operand(user, 0) == variable => {
                // Into the array of another launch, perhaps.
                let to = llvm::operand(user, 1);
                let is_argument = slots.iter().any(|slot| slot.at == to);
                (is_argument || self::slots(base(to)).is_some()).then_some(())?;
            }
            Opcode::LLVMStore => {
                value = Some(llvm::operand(user, 0));
                fills += 1;
            }
            Opcode::LLVMCall | Opcode::LLVMInvoke => {
                let name = called(user)?.1;
                if !name.starts_with("llvm.lifetime") {
                    let is_filled = allocates(&name) && llvm::call_args(user)[0] == variable;
                    is_filled.then_some(())?;
                    fills += 1;
                }
            }
            _ => return None,
        }
    }
    (fills == 1).then(|| value.or(load).unwrap_or(variable))
}
