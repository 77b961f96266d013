//! The sizes of the arrays that the host allocates for a kernel.
//!
//! `cudaMalloc(&a, n * sizeof(float)); k<<<…>>>(a, n);` gives the size of `a`. The pointer argument must be the value
//! of a variable that one call of an allocating function wrote, on every path to the launch: paths are followed
//! backwards from the load of the variable, and any other write to it ends the analysis. Then the call dominates the
//! load, and the operands of the size dominate the call. So none of these values can have been recomputed since the
//! allocation: otherwise there would be a path to the launch that does not contain the call.
//!
//! Which arguments point into one array, and which into a device variable (`cudaGetSymbolAddress`), is determined in
//! the same way ([`aliases`]).
//!
//! The size is not determined for a pointer with an offset, in a structure or object, for one of several pointers
//! (`swap(a, b)`), and for one allocated in another function, unless that was inlined. A freed array is treated as
//! allocated, for a launch that uses it is wrong anyway.

use std::collections::HashSet;

use llvm_sys::core::{
    LLVMCountStructElementTypes, LLVMGetAggregateElement, LLVMGetArrayLength2, LLVMGetElementType,
    LLVMGetGEPSourceElementType, LLVMGetInitializer, LLVMIsGlobalConstant, LLVMIsNull, LLVMIsUndef,
    LLVMStructGetTypeAtIndex,
};
use llvm_sys::target::{LLVMABISizeOfType, LLVMOffsetOfElement};

use super::chosen::signed;
use super::rounds::{Into, Known};
use super::values::{HostValue, Reader};
use super::{Given, STUB, base, called, memory};
use crate::llvm::{self, Bb, Module, Opcode, Val};

/// Functions that store a new array in a variable: arguments are its address, then the size in bytes.
const ALLOCATES: [&str; 5] =
    ["cudaMalloc", "cudaMallocManaged", "cudaMallocAsync", "cudaMallocHost", "cudaHostAlloc"];

/// Maximum number of structure copies on the way to a launch.
const COPIES: usize = 2;

/// Whether a function stores a new array in a variable, its first argument.
pub(super) fn allocates(name: &str) -> bool {
    ALLOCATES.contains(&name)
}

/// The size in bytes of the array that a pointer points to the beginning of.
pub(super) fn bytes(pointer: Val, reader: &mut Reader) -> Option<HostValue> {
    let is_pointer = llvm::type_kind(llvm::type_of(pointer)) == llvm::TypeKind::LLVMPointerTypeKind;
    let call = is_pointer.then(|| filled_by(pointer))??;
    let (_, name) = called(call)?;
    let arguments = llvm::call_args(call);
    let [variable, size, ..] = arguments[..] else { return None };
    (allocates(&name) && variable == llvm::operand(pointer, 0)).then(|| reader.integer(size))?
}

/// A pointer argument that points into the same array as another one, or into a device variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostAlias {
    pub param: HostPointer,
    pub of: HostArray,
    /// The distance in bytes, if it is constant.
    pub offset: Option<i64>,
}

/// A pointer argument of a launch: a parameter of the kernel, by position, or at a byte offset within a structure
/// parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostPointer {
    pub param: usize,
    pub within: Option<u64>,
}

impl From<usize> for HostPointer {
    fn from(param: usize) -> HostPointer {
        HostPointer { param, within: None }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostArray {
    Param(HostPointer),
    /// A `__device__` or `__managed__` variable, by its name in the source.
    Variable(String),
}

/// A pointer, expressed as another one and the distance in bytes, if it is constant.
struct Pointer {
    root: Val,
    offset: Option<i64>,
    /// The pointers that it is computed from, itself first, and the distance in bytes from each, while it is constant.
    near: Vec<(Val, i64)>,
    /// Where it points in this iteration of a loop.
    now: Option<Into>,
}

impl Pointer {
    /// The distance in bytes from another pointer to this one, if it is constant.
    fn distance(&self, other: &Pointer) -> Option<i64> {
        let offset = |p: &Pointer| p.now.and_then(|p| p.offset);
        if let (Some(a), Some(b)) = (offset(self), offset(other)) {
            return Some(a - b);
        }
        let pairs = self.near.iter().flat_map(|a| other.near.iter().map(move |b| (a, b)));
        let mut common = pairs.filter(|(a, b)| memory::are_one_address(a.0, b.0));
        common.next().map(|(a, b)| a.1 - b.1)
    }

    /// Whether both point into one array.
    fn is_beside(&self, other: &Pointer) -> bool {
        match (self.now, other.now) {
            (Some(a), Some(b)) => a.array == b.array,
            _ => memory::are_one_address(self.root, other.root),
        }
    }
}

/// The arguments of a launch, with structures in memory replaced by their contents.
pub(super) fn apart(module: &Module, given: Vec<(Val, Given)>) -> Vec<(Val, Given)> {
    let mut out = Vec::new();
    for (v, place) in given {
        let Given::InMemory(param) = place else {
            out.push((v, place));
            continue;
        };
        let piece = |at: u64| Given::Piece(HostPointer { param, within: Some(at) });
        out.extend(members(module, v, COPIES).into_iter().map(|(at, value)| (value, piece(at))));
    }
    out
}

/// The pairs of arguments that point into one array, and those that point into a variable.
///
/// Not seen: copies of a pointer in other variables, except those that a loop makes ([`super::rounds`]): `known` holds
/// the values of the iteration.
pub(super) fn aliases(module: &Module, given: &[(Val, Given)], known: &Known) -> Vec<HostAlias> {
    let place = |&(v, place): &(Val, Given)| match place {
        Given::Whole(param) => Some((v, param.into())),
        Given::Piece(place) => Some((v, place)),
        Given::InMemory(_) => None,
    };
    let mut pointers: Vec<(Val, HostPointer)> = given.iter().filter_map(place).collect();
    let is_pointer =
        |v: Val| llvm::type_kind(llvm::type_of(v)) == llvm::TypeKind::LLVMPointerTypeKind;
    pointers.retain(|(v, _)| is_pointer(*v));
    let given: Vec<(Pointer, HostPointer)> =
        pointers.into_iter().map(|(v, place)| (pointer(module, v, known), place)).collect();
    // Two pointers that are unset, or null, are not the same array.
    let given: Vec<(Pointer, HostPointer)> =
        given.into_iter().filter(|(p, _)| !is_unset(p.root)).collect();
    let mut found = Vec::new();
    for (i, (own, param)) in given.iter().enumerate() {
        let param = *param;
        if let Some((name, at)) = variable(module, own.root) {
            let offset = own.offset.zip(at).map(|(a, b)| a + b);
            found.push(HostAlias { param, of: HostArray::Variable(name), offset });
        }
        for (other, of) in &given[..i] {
            if own.is_beside(other) {
                let offset = own.distance(other);
                found.push(HostAlias { param, of: HostArray::Param(*of), offset });
            }
        }
    }
    found
}

/// The contents of a structure in memory that is only filled and passed on, by byte offset: each member that a single
/// store fills.
fn members(module: &Module, structure: Val, depth: usize) -> Vec<(u64, Val)> {
    if let Some(value) = initialiser(structure) {
        let mut out = Vec::new();
        constants(module, value, 0, &mut out);
        return out;
    }
    if llvm::opcode_of(structure) != Some(Opcode::LLVMAlloca) {
        return Vec::new();
    }
    let mut stored: Vec<(u64, Val)> = Vec::new();
    let mut open = vec![(structure, 0)];
    while let Some((at, offset)) = open.pop() {
        for user in llvm::users(at) {
            match llvm::opcode_of(user) {
                Some(Opcode::LLVMGetElementPtr) if llvm::operand(user, 0) == at => {
                    let Some(step) = constant_step(module, user) else { return Vec::new() };
                    open.push((user, offset + step));
                }
                Some(Opcode::LLVMStore) if llvm::operand(user, 0) != at => {
                    stored.push((offset as u64, llvm::operand(user, 0)));
                }
                Some(Opcode::LLVMLoad) => {}
                Some(Opcode::LLVMCall | Opcode::LLVMInvoke) => {
                    let Some((_, name)) = called(user) else { return Vec::new() };
                    if name.starts_with("llvm.memcpy") {
                        let copied = copied(module, user, at, depth);
                        let Some(copied) = copied else { return Vec::new() };
                        stored.extend(copied.into_iter().map(|(i, v)| (i + offset as u64, v)));
                    } else if !(name.contains(STUB) || name.starts_with("llvm.lifetime")) {
                        return Vec::new();
                    }
                }
                _ => return Vec::new(),
            }
        }
    }
    let once = |at: u64| stored.iter().filter(|s| s.0 == at).count() == 1;
    stored.iter().filter(|s| once(s.0)).copied().collect()
}

/// The data copied to an address from another structure, by byte offset from there; empty if the address is the source
/// of the copy, and `None` where the data is not known.
fn copied(module: &Module, copy: Val, to: Val, depth: usize) -> Option<Vec<(u64, Val)>> {
    let [into, from, bytes, ..] = llvm::call_args(copy)[..] else { return None };
    if into != to {
        return Some(Vec::new());
    }
    let (mut root, mut begin) = (from, 0);
    while llvm::opcode_of(root) == Some(Opcode::LLVMGetElementPtr) {
        begin += constant_step(module, root)?;
        root = llvm::operand(root, 0);
    }
    let end = begin + llvm::const_int(bytes)? as i64;
    let of = if depth > 0 { members(module, root, depth - 1) } else { Vec::new() };
    let is_there = |m: &(u64, Val)| (begin..end).contains(&(m.0 as i64));
    Some(of.into_iter().filter(is_there).map(|(at, v)| (at - begin as u64, v)).collect())
}

/// The value of a constant variable.
fn initialiser(variable: Val) -> Option<Val> {
    let is_global = llvm::value_kind(variable) == llvm::ValueKind::LLVMGlobalVariableValueKind;
    // SAFETY: LLVM is given a variable of a module that is alive.
    let value = (is_global && unsafe { LLVMIsGlobalConstant(variable) } != 0)
        .then(|| unsafe { LLVMGetInitializer(variable) });
    value.filter(|v| !v.is_null())
}

/// Maximum number of elements of a table of which all are looked at.
const MOST_ELEMENTS: u64 = 256;

/// The elements of the table of constants that a value is read from.
pub(super) fn table(read: Val) -> Option<Vec<i64>> {
    if llvm::opcode_of(read) != Some(Opcode::LLVMLoad) {
        return None;
    }
    let elements = initialiser(base(llvm::operand(read, 0)))?;
    let ty = llvm::type_of(elements);
    if llvm::type_kind(ty) != llvm::TypeKind::LLVMArrayTypeKind {
        return None;
    }
    // SAFETY: LLVM is given the type of an array.
    let count = unsafe { LLVMGetArrayLength2(ty) };
    let element = |i: u64| {
        // SAFETY: LLVM is given a constant of that type, and a number below its count of elements.
        let element = unsafe { LLVMGetAggregateElement(elements, i as u32) };
        let is_read = !element.is_null() && llvm::type_of(element) == llvm::type_of(read);
        is_read.then(|| signed(element))?
    };
    (1..=MOST_ELEMENTS).contains(&count).then(|| (0..count).map(element).collect())?
}

/// The scalars in a constant, by byte offset from its beginning.
fn constants(module: &Module, value: Val, at: u64, out: &mut Vec<(u64, Val)>) {
    let ty = llvm::type_of(value);
    if llvm::type_kind(ty) != llvm::TypeKind::LLVMStructTypeKind {
        out.push((at, value));
        return;
    }
    // SAFETY: LLVM is given a constant of a struct of the module that the layout is of, and the number of one of its members.
    unsafe {
        for i in 0..LLVMCountStructElementTypes(ty) {
            let member = LLVMGetAggregateElement(value, i);
            let offset = LLVMOffsetOfElement(module.data_layout(), ty, i);
            if !member.is_null() {
                constants(module, member, at + offset, out);
            }
        }
    }
}

/// The byte offset of an address within a variable, if it is constant.
pub(super) fn offset(module: &Module, mut address: Val, variable: Val) -> Option<u64> {
    let mut bytes = 0;
    while address != variable {
        bytes += constant_step(module, address)?;
        address = llvm::operand(address, 0);
    }
    u64::try_from(bytes).ok()
}

/// The number of bytes that an address computation adds, if it is constant.
fn constant_step(module: &Module, gep: Val) -> Option<i64> {
    step(module, gep, &|v| llvm::const_int(v).map(|i| i as i64))
}

/// The same, with known values of indices.
pub(super) fn step(module: &Module, gep: Val, index: &dyn Fn(Val) -> Option<i64>) -> Option<i64> {
    let operands = llvm::operands(gep);
    let layout = module.data_layout();
    // SAFETY: this is an address computation, of the module that the layout is of.
    let mut ty = unsafe { LLVMGetGEPSourceElementType(gep) };
    let mut bytes =
        // SAFETY: `ty` is a type of the module that `layout` is of, and has a size.
        index(operands[1])?.wrapping_mul(unsafe { LLVMABISizeOfType(layout, ty) } as i64);
    for &v in &operands[2..] {
        let i = index(v)?;
        match llvm::type_kind(ty) {
            // SAFETY: `ty` is a struct of the module that `layout` is of, and the index one of its members.
            llvm::TypeKind::LLVMStructTypeKind => unsafe {
                bytes += LLVMOffsetOfElement(layout, ty, i as u32) as i64;
                ty = LLVMStructGetTypeAtIndex(ty, i as u32);
            },
            // SAFETY: `ty` is an array of the module that `layout` is of.
            llvm::TypeKind::LLVMArrayTypeKind => unsafe {
                ty = LLVMGetElementType(ty);
                bytes += i.wrapping_mul(LLVMABISizeOfType(layout, ty) as i64);
            },
            _ => return None,
        }
    }
    Some(bytes)
}

/// Whether a value was never set by the host: undefined, or null.
fn is_unset(v: Val) -> bool {
    // SAFETY: a value of a module that is alive.
    unsafe { LLVMIsUndef(v) != 0 || LLVMIsNull(v) != 0 }
}

/// The pointer that a pointer was computed from by adding offsets.
fn pointer(module: &Module, v: Val, known: &Known) -> Pointer {
    let now = known.pointer(v);
    let mut pointer = Pointer { root: v, offset: Some(0), near: vec![(v, 0)], now };
    while llvm::opcode_of(pointer.root) == Some(Opcode::LLVMGetElementPtr) {
        let gep = pointer.root;
        let step = constant_step(module, gep);
        pointer.offset = pointer.offset.zip(step).map(|(a, b)| a.wrapping_add(b));
        pointer.root = llvm::operand(gep, 0);
        pointer.near.extend(pointer.offset.map(|offset| (pointer.root, offset)));
    }
    pointer
}

/// The condition by which a pointer is chosen out of two.
pub(super) fn chosen(v: Val) -> Option<Val> {
    let is_pointer = llvm::type_kind(llvm::type_of(v)) == llvm::TypeKind::LLVMPointerTypeKind;
    (is_pointer && llvm::opcode_of(v) == Some(Opcode::LLVMSelect)).then(|| llvm::operand(v, 0))
}

/// A pointer, where this condition is true, or false.
pub(super) fn chosen_by(v: Val, condition: Val, truth: bool) -> Val {
    match chosen(v) == Some(condition) {
        true => llvm::operand(v, if truth { 1 } else { 2 }),
        false => v,
    }
}

/// The device variable that a pointer points into, and the offset.
fn variable(module: &Module, root: Val) -> Option<(String, Option<i64>)> {
    let is_global = |v: Val| llvm::value_kind(v) == llvm::ValueKind::LLVMGlobalVariableValueKind;
    let name = |v: Val| crate::llvm::demangle::variable(&llvm::name(v));
    if is_global(root) {
        return Some((name(root), Some(0)));
    }
    let call = filled_by(root)?;
    let (_, function) = called(call)?;
    let arguments = llvm::call_args(call);
    let is_symbol = function.contains("cudaGetSymbolAddress");
    let symbol = pointer(module, *arguments.get(1).filter(|_| is_symbol)?, &Known::default());
    let of_it = arguments[0] == llvm::operand(root, 0) && is_global(symbol.root);
    of_it.then(|| (name(symbol.root), symbol.offset))
}

/// The only instruction that wrote, on every path, the value that is loaded here from a variable.
fn filled_by(read: Val) -> Option<Val> {
    if llvm::opcode_of(read) != Some(Opcode::LLVMLoad) {
        return None;
    }
    let variable = llvm::operand(read, 0);
    if !memory::is_variable(variable) {
        return None;
    }
    let is_private = is_private(variable);
    // Code that does not have the variable's address cannot write it.
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

/// Whether the address of a variable does not escape: it is only loaded, stored to, and passed to CUDA's runtime, which
/// keeps no address.
pub(super) fn is_private(variable: Val) -> bool {
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
