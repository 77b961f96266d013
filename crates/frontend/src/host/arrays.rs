//! How many bytes the host allocates for the arrays that it gives a kernel.
//!
//! `cudaMalloc(&a, n * sizeof(float)); k<<<…>>>(a, n);` says where `a` ends. The pointer that is given must be what the
//! variable holds that one call of an allocating function filled, whichever way the host came to the launch: the ways are
//! followed back from where the variable is read, and whatever else may have written it is the end of that. Then the call
//! dominates the read, and what the size is computed from dominates the call. So none of these values can have been computed
//! again since the array was made: from there a way would lead to the launch that does not come through the call.
//!
//! Nothing is said of pointers with an offset, of those in structures or objects, of those that are one of several
//! (`swap(a, b)`), and of those that were allocated in another function, unless that was inlined. An array that was freed is
//! taken for one that is there, for a launch that gets it is wrong anyway.

use std::collections::HashSet;

use super::values::{HostValue, Reader};
use super::{called, memory};
use crate::llvm::{self, Bb, Opcode, Val};

/// Functions that fill a variable with an array: its address, then the bytes.
const ALLOCATES: [&str; 5] =
    ["cudaMalloc", "cudaMallocManaged", "cudaMallocAsync", "cudaMallocHost", "cudaHostAlloc"];

/// The bytes of the array that a pointer is to the beginning of.
pub(super) fn bytes(pointer: Val, reader: &mut Reader) -> Option<HostValue> {
    let is_pointer = llvm::type_kind(llvm::type_of(pointer)) == llvm::TypeKind::LLVMPointerTypeKind;
    let call = is_pointer.then(|| filled_by(pointer))??;
    let (_, name) = called(call)?;
    let arguments = llvm::call_args(call);
    let [variable, size, ..] = arguments[..] else { return None };
    let is_allocation = ALLOCATES.contains(&name.as_str());
    (is_allocation && variable == llvm::operand(pointer, 0)).then(|| reader.integer(size))?
}

/// The parameters that get one and the same pointer, in pairs; `params` are those that arguments are for.
///
/// Not seen: pointers into one array at different places, and copies of a pointer in other variables.
pub(super) fn same(arguments: &[Val], params: &[Option<usize>]) -> Vec<(usize, usize)> {
    let is_pointer =
        |v: Val| llvm::type_kind(llvm::type_of(v)) == llvm::TypeKind::LLVMPointerTypeKind;
    let given = arguments.iter().zip(params).filter(|(v, _)| is_pointer(**v));
    let given: Vec<(Val, usize)> = given.filter_map(|(&v, &p)| Some((v, p?))).collect();
    let pairs = given.iter().enumerate().flat_map(|(i, a)| given[..i].iter().map(move |b| (b, a)));
    pairs.filter(|(a, b)| memory::are_one(a.0, b.0)).map(|(a, b)| (a.1, b.1)).collect()
}

/// The one instruction that wrote, on every way, what is read here of a variable.
fn filled_by(read: Val) -> Option<Val> {
    if llvm::opcode_of(read) != Some(Opcode::LLVMLoad) {
        return None;
    }
    let variable = llvm::operand(read, 0);
    if !memory::is_variable(variable) {
        return None;
    }
    let is_private = is_private(variable);
    // Who was not told of the variable does not write it.
    let users = if is_private { llvm::users(variable) } else { Vec::new() };
    let writes = |inst: Val| match is_private {
        true => users.contains(&inst) && llvm::opcode(inst) != Opcode::LLVMLoad,
        false => memory::may_write(inst, variable),
    };
    let mut found: Option<Val> = None;
    let mut seen: HashSet<Bb> = HashSet::new();
    let mut open = vec![(llvm::block_of(read), Some(read))];
    while let Some((block, until)) = open.pop() {
        let way = llvm::instructions(block).into_iter().take_while(|&i| Some(i) != until);
        if let Some(last) = way.filter(|&i| writes(i)).last() {
            if found.is_some_and(|other| other != last) {
                return None;
            }
            found = Some(last);
            continue;
        }
        let before = llvm::predecessors(block);
        if before.is_empty() {
            return None;
        }
        open.extend(before.into_iter().filter(|&b| seen.insert(b)).map(|b| (b, None)));
    }
    found
}

/// Whether nobody else is told where a variable is: it is read, written, and given to CUDA's runtime, which keeps no address.
fn is_private(variable: Val) -> bool {
    llvm::opcode_of(variable) == Some(Opcode::LLVMAlloca)
        && llvm::users(variable).into_iter().all(|user| match llvm::opcode_of(user) {
            Some(Opcode::LLVMLoad) => true,
            Some(Opcode::LLVMStore) => llvm::operand(user, 0) != variable,
            Some(Opcode::LLVMCall | Opcode::LLVMInvoke) => {
                called(user).is_some_and(|(_, name)| memory::keeps_to_itself(&name))
            }
            _ => false,
        })
}
