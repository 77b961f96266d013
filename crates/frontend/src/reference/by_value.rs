//! Structs passed by value, as the source has them.
//!
//! The calling convention of the machine passes a small struct in registers: clang's IR has a parameter for each, which
//! the function stores in a variable of the struct's type. And a struct that is returned may be written through an
//! additional first parameter. Here the function gets parameters as in the source again: a struct is one, passed as
//! `byval`, whose bytes are copied to the variable, so that the lowering names its fields. Recognised by what the
//! function does with the parameter, not by names.

use std::ffi::CString;

use llvm_sys::core::*;
use llvm_sys::debuginfo::{LLVMGetSubprogram, LLVMSetSubprogram};
use llvm_sys::target::LLVMABISizeOfType;

use crate::llvm::{self, Module, Opcode, Type, TypeKind, Val};

/// A parameter of the new function.
enum Param {
    /// As it is.
    Same(usize),
    /// A struct that the function gets in pieces.
    Struct { whole: Whole, pieces: Vec<usize> },
}

/// Where the function puts a struct that it gets in pieces.
struct Whole {
    variable: Val,
    ty: Type,
    /// Copies it from the variable that the pieces are stored in, if they are larger than the struct.
    copy: Option<Val>,
}

/// Gives a function the parameters of its source, in place.
pub(super) fn restore_parameters(module: &Module, f: Val) {
    let arguments = llvm::arguments(f);
    let returned = (0..arguments.len()).find(|&i| type_attribute(f, i, "sret").is_some());
    let mut params: Vec<Param> = Vec::new();
    for (i, &argument) in arguments.iter().enumerate() {
        if Some(i) == returned {
            continue;
        }
        match Whole::of(argument) {
            None => params.push(Param::Same(i)),
            Some(whole) => match params.last_mut() {
                Some(Param::Struct { whole: w, pieces }) if w.variable == whole.variable => {
                    pieces.push(i);
                }
                _ => params.push(Param::Struct { whole, pieces: vec![i] }),
            },
        }
    }
    if returned.is_none() && params.iter().all(|p| matches!(p, Param::Same(_))) {
        return;
    }
    // SAFETY: LLVM is given a function, its blocks and types, of a module that is alive; the old function is not used
    // after it was deleted.
    unsafe {
        let new = with_parameters(module, f, &arguments, &params);
        for block in llvm::blocks(f) {
            LLVMRemoveBasicBlockFromParent(block);
            LLVMAppendExistingBasicBlock(new, block);
        }
        let builder = LLVMCreateBuilderInContext(module.ctx);
        LLVMPositionBuilderBefore(builder, after_variables(new));
        if let Some(i) = returned
            && let Some(ty) = type_attribute(f, i, "sret")
        {
            let ignored = LLVMBuildAlloca(builder, ty, c"returned".as_ptr());
            LLVMReplaceAllUsesWith(arguments[i], ignored);
        }
        for (param, to) in params.iter().zip(llvm::arguments(new)) {
            match param {
                Param::Same(i) => LLVMReplaceAllUsesWith(arguments[*i], to),
                Param::Struct { whole, pieces } => {
                    let align = LLVMGetAlignment(whole.variable).max(1);
                    let size = LLVMABISizeOfType(module.data_layout(), whole.ty);
                    let size = LLVMConstInt(LLVMInt64TypeInContext(module.ctx), size, 0);
                    LLVMBuildMemCpy(builder, whole.variable, align, to, align, size);
                    let stores = pieces.iter().flat_map(|&i| llvm::users(arguments[i]));
                    let copy = whole.copy.into_iter();
                    stores.chain(copy).for_each(|s| LLVMInstructionEraseFromParent(s));
                }
            }
        }
        LLVMDisposeBuilder(builder);
        LLVMReplaceAllUsesWith(f, new);
        LLVMDeleteFunction(f);
    }
}

/// A function without a body and with these parameters, which takes over the name of `f`.
///
/// # Safety
/// The values must be of the module.
unsafe fn with_parameters(module: &Module, f: Val, arguments: &[Val], params: &[Param]) -> Val {
    // SAFETY: LLVM is given functions, types and attributes of a module that is alive.
    unsafe {
        let pointer = LLVMPointerTypeInContext(module.ctx, 0);
        let of = |p: &Param| match p {
            Param::Same(i) => llvm::type_of(arguments[*i]),
            Param::Struct { .. } => pointer,
        };
        let mut types: Vec<Type> = params.iter().map(of).collect();
        let result = LLVMGetReturnType(LLVMGlobalGetValueType(f));
        let ty = LLVMFunctionType(result, types.as_mut_ptr(), types.len() as u32, 0);
        let name = CString::new(llvm::name(f)).unwrap_or_default();
        LLVMSetValueName2(f, c"".as_ptr(), 0);
        let new = LLVMAddFunction(module.raw, name.as_ptr(), ty);
        let about = LLVMGetSubprogram(f);
        if !about.is_null() {
            LLVMSetSubprogram(new, about);
        }
        for (position, (param, to)) in params.iter().zip(llvm::arguments(new)).enumerate() {
            let index = position as u32 + 1;
            let named = match param {
                Param::Same(i) => {
                    let from = *i as u32 + 1;
                    let count = LLVMGetAttributeCountAtIndex(f, from) as usize;
                    let mut all = vec![std::ptr::null_mut(); count];
                    LLVMGetAttributesAtIndex(f, from, all.as_mut_ptr());
                    all.into_iter().for_each(|a| LLVMAddAttributeAtIndex(new, index, a));
                    arguments[*i]
                }
                Param::Struct { whole, .. } => {
                    let kind = attribute_kind("byval");
                    let by_value = LLVMCreateTypeAttribute(module.ctx, kind, whole.ty);
                    LLVMAddAttributeAtIndex(new, index, by_value);
                    let align = u64::from(LLVMGetAlignment(whole.variable).max(1));
                    let align = LLVMCreateEnumAttribute(module.ctx, attribute_kind("align"), align);
                    LLVMAddAttributeAtIndex(new, index, align);
                    whole.variable
                }
            };
            let name = llvm::name(named);
            LLVMSetValueName2(to, name.as_ptr().cast(), name.len());
        }
        new
    }
}

impl Whole {
    /// The struct that a parameter is a piece of.
    fn of(argument: Val) -> Option<Whole> {
        let [store] = llvm::users(argument)[..] else { return None };
        if llvm::opcode_of(store) != Some(Opcode::LLVMStore) || llvm::operand(store, 0) != argument
        {
            return None;
        }
        let stored = variable_of(llvm::operand(store, 1))?;
        let copy = only_copy(stored);
        let variable = copy.map_or(Some(stored), |c| variable_of(llvm::call_args(c)[0]))?;
        // SAFETY: LLVM is given an alloca, of a module that is alive.
        let ty = unsafe { LLVMGetAllocatedType(variable) };
        let kind = llvm::type_kind(ty);
        let is_whole = matches!(kind, TypeKind::LLVMStructTypeKind | TypeKind::LLVMArrayTypeKind);
        (is_whole && llvm::type_of(argument) != ty).then_some(Whole { variable, ty, copy })
    }
}

fn variable_of(mut address: Val) -> Option<Val> {
    loop {
        match llvm::opcode_of(address)? {
            Opcode::LLVMAlloca => return Some(address),
            Opcode::LLVMGetElementPtr => address = llvm::operand(address, 0),
            _ => return None,
        }
    }
}

/// The copy of a variable to another one, if that is the only thing that reads it.
fn only_copy(variable: Val) -> Option<Val> {
    let (copies, others): (Vec<Val>, Vec<Val>) =
        llvm::users(variable).into_iter().partition(|&user| {
            llvm::opcode_of(user) == Some(Opcode::LLVMCall)
                && llvm::callee(user).is_some_and(|f| llvm::name(f).starts_with("llvm.memcpy"))
                && llvm::call_args(user)[1] == variable
        });
    match copies[..] {
        [copy] if others.into_iter().all(only_stores) => Some(copy),
        _ => None,
    }
}

fn only_stores(user: Val) -> bool {
    match llvm::opcode_of(user) {
        Some(Opcode::LLVMStore) => true,
        Some(Opcode::LLVMGetElementPtr) => llvm::users(user).into_iter().all(only_stores),
        _ => false,
    }
}

/// The first instruction that is not the declaration of a variable.
fn after_variables(f: Val) -> Val {
    // SAFETY: LLVM is given a function with a body, of a module that is alive.
    let entry = unsafe { LLVMGetEntryBasicBlock(f) };
    let all = llvm::instructions(entry);
    let found = all.iter().find(|&&i| llvm::opcode(i) != Opcode::LLVMAlloca);
    found.or(all.last()).copied().unwrap_or(std::ptr::null_mut())
}

fn attribute_kind(name: &str) -> u32 {
    // SAFETY: the name has that length.
    unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()) }
}

/// The type of a parameter's attribute.
fn type_attribute(f: Val, index: usize, name: &str) -> Option<Type> {
    // SAFETY: LLVM is given a function, of a module that is alive.
    unsafe {
        let found = LLVMGetEnumAttributeAtIndex(f, index as u32 + 1, attribute_kind(name));
        let is_type = !found.is_null() && LLVMIsTypeAttribute(found) != 0;
        is_type.then(|| LLVMGetTypeAttributeValue(found))
    }
}
