//! Launches through a variable that holds one of some kernels: `f = n < 32 ? k : w; f<<<grid, block>>>(a, n)`.
//!
//! What the optimiser has not made a call of one kernel is a choice among kernels. Each of them may be launched so: the
//! launch is one of each. A variable in memory, or a kernel from elsewhere, is not read.

use std::collections::{HashMap, HashSet};

use super::Stub;
use crate::llvm::{self, Opcode, Val, ValueKind};

/// The kernels among which a value is chosen, by their stubs; none if something else may be chosen, too.
pub(super) fn kernels(value: Val, stubs: &HashMap<Val, Stub>) -> Vec<Val> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        if !seen.insert(value) {
            continue;
        }
        match llvm::opcode_of(value) {
            _ if stubs.contains_key(&value) => found.push(value),
            Some(Opcode::LLVMPHI) => open.extend(llvm::operands(value)),
            Some(Opcode::LLVMSelect) => open.extend(&llvm::operands(value)[1..]),
            // What no path chooses.
            None if is_nothing(value) => {}
            _ => return Vec::new(),
        }
    }
    found
}

fn is_nothing(value: Val) -> bool {
    matches!(
        llvm::value_kind(value),
        ValueKind::LLVMUndefValueValueKind
            | ValueKind::LLVMPoisonValueKind
            | ValueKind::LLVMConstantPointerNullValueKind
    )
}

/// Whether a kernel that is an operand of an instruction is only compared, or chosen for a launch that is read.
pub(super) fn is_read(user: Val, stubs: &HashMap<Val, Stub>) -> bool {
    let mut seen = HashSet::new();
    let mut open = vec![user];
    while let Some(user) = open.pop() {
        if !seen.insert(user) {
            continue;
        }
        let is_choice = match llvm::opcode_of(user) {
            Some(Opcode::LLVMPHI | Opcode::LLVMSelect) => true,
            Some(Opcode::LLVMICmp) => false,
            _ => return false,
        };
        for next in llvm::users(user).into_iter().filter(|_| is_choice) {
            let is_launch = llvm::is_instruction(next)
                && llvm::called_value(next) == Some(user)
                && !llvm::call_args(next).contains(&user)
                && !kernels(user, stubs).is_empty();
            if !is_launch {
                open.push(next);
            }
        }
    }
    true
}
