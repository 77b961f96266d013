//! Whether two loads of the host read the same value.
//!
//! Each use of a global variable, an object, or a variable whose address escapes is a separate load: `k<<<blocks,
//! 256>>>(a, blocks)` has two, with the configuration call between them. They are equal if they read one location and
//! nothing between them may write it. The path is followed backwards through blocks with one predecessor; CUDA's
//! runtime and the usual output functions do not write memory that they are not given.

use llvm_sys::core::LLVMGetGEPSourceElementType;

use super::{base, called};
use crate::llvm::{self, Opcode, Val};

/// Maximum number of blocks on the path.
const BLOCKS: usize = 6;
/// Maximum nesting of loads in an address.
const DEPTH: usize = 4;

/// Whether two values are loads of the same value.
pub(super) fn are_one(a: Val, b: Val) -> bool {
    one_value(a, b, DEPTH)
}

/// Whether two values are the same address: loads of one value, or computed in the same way from such loads.
pub(super) fn are_one_address(a: Val, b: Val) -> bool {
    one_place(a, b, DEPTH)
}

/// Whether two values are loads of one location, whatever was written there in between.
pub(super) fn are_of_one_place(a: Val, b: Val) -> bool {
    [a, b].iter().all(|&v| llvm::opcode_of(v) == Some(Opcode::LLVMLoad))
        && llvm::type_of(a) == llvm::type_of(b)
        && one_place(llvm::operand(a, 0), llvm::operand(b, 0), DEPTH)
}

fn one_value(a: Val, b: Val, depth: usize) -> bool {
    a == b
        || depth > 0
            && [a, b].iter().all(|&v| llvm::opcode_of(v) == Some(Opcode::LLVMLoad))
            && llvm::type_of(a) == llvm::type_of(b)
            && one_place(llvm::operand(a, 0), llvm::operand(b, 0), depth - 1)
            && (is_kept(a, b) || is_kept(b, a))
}

fn one_place(p: Val, q: Val, depth: usize) -> bool {
    let is_element = |v: Val| llvm::opcode_of(v) == Some(Opcode::LLVMGetElementPtr);
    if !(is_element(p) && is_element(q)) {
        return one_value(p, q, depth);
    }
    // SAFETY: both are address computations.
    let of = |v: Val| unsafe { LLVMGetGEPSourceElementType(v) };
    let (x, y) = (llvm::operands(p), llvm::operands(q));
    of(p) == of(q) && x.len() == y.len() && x.iter().zip(&y).all(|(&x, &y)| one_value(x, y, depth))
}

/// Whether the second load follows the first, and the location is not written in between.
fn is_kept(first: Val, second: Val) -> bool {
    let variable = base(llvm::operand(first, 0));
    let mut block = llvm::block_of(second);
    let mut until = Some(second);
    for _ in 0..BLOCKS {
        let way = llvm::instructions(block).into_iter().take_while(|&i| Some(i) != until);
        for inst in way.collect::<Vec<_>>().into_iter().rev() {
            if inst == first {
                return true;
            }
            if may_write(inst, variable) {
                return false;
            }
        }
        let [before] = llvm::predecessors(block)[..] else { return false };
        (block, until) = (before, None);
    }
    false
}

pub(super) fn may_write(inst: Val, variable: Val) -> bool {
    match llvm::opcode(inst) {
        Opcode::LLVMStore => {
            let other = base(llvm::operand(inst, 1));
            // Two variables do not alias; an address from elsewhere may alias any of them.
            other == variable || !(is_variable(other) && is_variable(variable))
        }
        Opcode::LLVMCall | Opcode::LLVMInvoke => {
            let is_given = llvm::call_args(inst).iter().any(|&v| base(v) == variable);
            is_given || !called(inst).is_some_and(|(_, name)| keeps_to_itself(&name))
        }
        Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => true,
        _ => false,
    }
}

pub(super) fn is_variable(v: Val) -> bool {
    llvm::opcode_of(v) == Some(Opcode::LLVMAlloca)
        || llvm::value_kind(v) == llvm::ValueKind::LLVMGlobalVariableValueKind
}

/// Functions that only write memory that they are given.
pub(super) fn keeps_to_itself(name: &str) -> bool {
    let own = ["cuda", "__cuda", "llvm."];
    // Templates, whose mangled names contain their lengths.
    let templates =
        ["20cudaGetSymbolAddressI", "18cudaMemcpyToSymbolI", "23cudaMemcpyToSymbolAsyncI"];
    own.iter().any(|prefix| name.starts_with(prefix))
        || name.strip_prefix("_Z").is_some_and(|n| templates.iter().any(|t| n.starts_with(t)))
        || name.starts_with("_ZN4dim3C")
        || matches!(name, "printf" | "fprintf" | "puts" | "putchar" | "fflush")
}
