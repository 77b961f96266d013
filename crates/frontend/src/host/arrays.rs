//! How many bytes the host allocates for the arrays that it gives a kernel.
//!
//! `cudaMalloc(&a, n * sizeof(float)); k<<<…>>>(a, n);` says where `a` ends. The pointer that is given must be what the
//! variable holds that one call of an allocating function filled, whichever way the host came to the launch: the ways are
//! followed back from where the variable is read, and whatever else may have written it is the end of that. Then the call
//! dominates the read, and what the size is computed from dominates the call. So none of these values can have been computed
//! again since the array was made: from there a way would lead to the launch that does not come through the call.
//!
//! Which arguments point into one array, and which into a variable of the device (`cudaGetSymbolAddress`), is read off in the
//! same way ([`aliases`]).
//!
//! Nothing is said of the size of what a pointer with an offset points to, of those in structures or objects, of those that are one of several
//! (`swap(a, b)`), and of those that were allocated in another function, unless that was inlined. An array that was freed is
//! taken for one that is there, for a launch that gets it is wrong anyway.

use std::collections::HashSet;

use llvm_sys::core::LLVMGetGEPSourceElementType;
use llvm_sys::target::LLVMABISizeOfType;

use super::values::{HostValue, Reader};
use super::{called, memory};
use crate::llvm::{self, Bb, Module, Opcode, Val};

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

/// A pointer argument that points into what another one points to, or into a variable of the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostAlias {
    /// The kernel's parameter, by position.
    pub param: usize,
    pub of: HostArray,
    /// Bytes from the one to the other, where that is a constant.
    pub offset: Option<i64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostArray {
    Param(usize),
    /// A `__device__` or `__managed__` variable, by its name in the source.
    Variable(String),
}

/// A pointer, as another one and the bytes between, where these are constant.
struct Pointer {
    given: Val,
    root: Val,
    offset: Option<i64>,
}

/// The parameters that get pointers into one array, in pairs, and those that get one into a variable; `params` are those that
/// arguments are for.
///
/// Not seen: copies of a pointer in other variables, and those in structures that are passed by value.
pub(super) fn aliases(
    module: &Module,
    arguments: &[Val],
    params: &[Option<usize>],
) -> Vec<HostAlias> {
    let is_pointer =
        |v: Val| llvm::type_kind(llvm::type_of(v)) == llvm::TypeKind::LLVMPointerTypeKind;
    let given = arguments.iter().zip(params).filter(|(v, _)| is_pointer(**v));
    let given: Vec<(Pointer, usize)> =
        given.filter_map(|(&v, &p)| Some((pointer(module, v), p?))).collect();
    let mut found = Vec::new();
    for (i, (own, param)) in given.iter().enumerate() {
        let param = *param;
        if let Some((name, at)) = variable(module, own.root) {
            let offset = own.offset.zip(at).map(|(a, b)| a + b);
            found.push(HostAlias { param, of: HostArray::Variable(name), offset });
        }
        for (other, of) in &given[..i] {
            if memory::are_one(own.root, other.root) {
                let offset = own.offset.zip(other.offset).map(|(a, b)| a - b);
                let is_same = || memory::are_one(own.given, other.given);
                let offset = offset.or_else(|| is_same().then_some(0));
                found.push(HostAlias { param, of: HostArray::Param(*of), offset });
            }
        }
    }
    found
}

/// The pointer that a pointer was made of by adding to it.
fn pointer(module: &Module, v: Val) -> Pointer {
    let mut pointer = Pointer { given: v, root: v, offset: Some(0) };
    while llvm::opcode_of(pointer.root) == Some(Opcode::LLVMGetElementPtr) {
        let gep = pointer.root;
        let step = match llvm::operands(gep)[..] {
            [_, index] => llvm::const_int(index).map(|i| {
                // SAFETY: this is an address computation, of the module that the layout is of.
                let element = unsafe {
                    LLVMABISizeOfType(module.data_layout(), LLVMGetGEPSourceElementType(gep))
                };
                (i as i64).wrapping_mul(element as i64)
            }),
            _ => None,
        };
        pointer.offset = pointer.offset.zip(step).map(|(a, b)| a.wrapping_add(b));
        pointer.root = llvm::operand(gep, 0);
    }
    pointer
}

/// The variable of the device that a pointer points into, and where.
fn variable(module: &Module, root: Val) -> Option<(String, Option<i64>)> {
    let is_global = |v: Val| llvm::value_kind(v) == llvm::ValueKind::LLVMGlobalVariableValueKind;
    let name = |v: Val| crate::demangle::variable(&llvm::name(v));
    if is_global(root) {
        return Some((name(root), Some(0)));
    }
    let call = filled_by(root)?;
    let (_, function) = called(call)?;
    let arguments = llvm::call_args(call);
    let is_symbol = function.contains("cudaGetSymbolAddress");
    let symbol = pointer(module, *arguments.get(1).filter(|_| is_symbol)?);
    let of_it = arguments[0] == llvm::operand(root, 0) && is_global(symbol.root);
    of_it.then(|| (name(symbol.root), symbol.offset))
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
