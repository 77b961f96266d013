//! The passes between clang and the lowering, and how they preserve accesses.
//!
//! Functions that no kernel needs are dropped (`globaldce`). On the rest, only three of LLVM's passes run: `mem2reg`,
//! `always-inline` and `sroa`. None of them merges, moves or speculates an access to memory other than a local
//! variable, with two exceptions that are handled here:
//! - `sroa` deletes a load whose only use was a dead store to a local variable. A racy read that is not used is
//!   still an access, so before `sroa` every load from anything but a local variable gets a user of its own, a call
//!   of `__lockstep_keep`, which the lowering ignores.
//! - `sroa` splits a `memcpy` between a local variable and other memory into the parts that are used. Such a copy
//!   becomes one typed load or store of the whole first.
//!
//! A `volatile` local variable whose address does not escape is treated like any other.
//!
//! CFG simplification, switch lowering and constant folding are left to the lowering, where nothing can be speculated
//! by accident. A parameter passed by value that the kernel writes is copied to a local variable.

mod contracts;

use std::collections::HashMap;
use std::ffi::CString;

use llvm_sys::core::*;
use llvm_sys::debuginfo::LLVMInstructionGetDebugLoc;
use llvm_sys::target::{LLVMABIAlignmentOfType, LLVMABISizeOfType, LLVMOffsetOfElement};

use crate::llvm::{self, Module, Opcode, Type, TypeKind, Val, ValueKind};

pub(crate) const KEEP: &str = "__lockstep_keep";

/// `entries` are functions to treat as kernels, by their mangled names.
pub(crate) fn run(module: &Module, entries: &[String]) -> Result<(), String> {
    let kernels = kernels(module, entries);
    if kernels.is_empty() {
        return Ok(());
    }
    for f in module.functions() {
        mark(module, f, kernels.contains(&f));
    }
    for &k in &kernels {
        copy_written_byval(module, k);
    }
    crate::prepare::contracts::run(module, &kernels);
    module.run_passes("globaldce,function(mem2reg),always-inline,function(mem2reg)")?;
    if calls_defined(module) {
        module.run_passes("always-inline,function(mem2reg)")?;
    }
    let mut keeps = HashMap::new();
    for f in module.functions() {
        for block in llvm::blocks(f) {
            for inst in llvm::instructions(block) {
                private_is_not_volatile(inst);
                match llvm::opcode(inst) {
                    Opcode::LLVMCall => type_copy(module, inst, &mut keeps),
                    Opcode::LLVMLoad if !is_local(llvm::operand(inst, 0)) => {
                        keep(module, inst, &mut keeps)
                    }
                    _ => {}
                }
            }
        }
    }
    module.run_passes("function(sroa<preserve-cfg>)")?;
    module.verify()
}

/// Entry points: marked by the calling convention or in `nvvm.annotations`, or among `entries`.
pub(crate) fn kernels(module: &Module, entries: &[String]) -> Vec<Val> {
    const PTX_KERNEL: u32 = 71;
    const SPIR_KERNEL: u32 = 76;
    const AMDGPU_KERNEL: u32 = 91;
    let mut annotated: Vec<Val> = Vec::new();
    for node in module.named_metadata("nvvm.annotations") {
        let Some(&f) = node.first() else { continue };
        let is_kernel = node[1..].chunks(2).any(|pair| {
            llvm::md_string(pair[0]).as_deref() == Some("kernel")
                && pair.get(1).is_some_and(|&v| llvm::const_int(v) == Some(1))
        });
        if is_kernel && !f.is_null() {
            annotated.push(f);
        }
    }
    let defined = module.functions().into_iter().filter(|&f| !llvm::is_declaration(f));
    defined
        .filter(|&f| {
            // SAFETY: LLVM is given a function, of a module that is alive.
            let cc = unsafe { LLVMGetFunctionCallConv(f) };
            matches!(cc, PTX_KERNEL | SPIR_KERNEL | AMDGPU_KERNEL)
                || annotated.contains(&f)
                || (!entries.is_empty() && entries.contains(&llvm::name(f)))
        })
        .collect()
}

fn mark(module: &Module, f: Val, is_kernel: bool) {
    if llvm::is_declaration(f) {
        return;
    }
    for name in ["noinline", "optnone", "alwaysinline", "naked"] {
        llvm::remove_attribute(f, name);
    }
    // A kernel must not be dropped as unused, whatever its linkage in the source; functions that no kernel needs are.
    let linkage = match is_kernel {
        true => llvm::LLVMLinkage::LLVMExternalLinkage,
        false => llvm::LLVMLinkage::LLVMInternalLinkage,
    };
    // SAFETY: LLVM is given a global, of a module that is alive.
    unsafe { LLVMSetLinkage(f, linkage) };
    llvm::add_attribute(module.ctx, f, "alwaysinline");
    for block in llvm::blocks(f) {
        for inst in llvm::instructions(block) {
            if llvm::opcode(inst) == Opcode::LLVMCall {
                llvm::remove_call_attribute(inst, "noinline");
            }
        }
    }
}

fn calls_defined(module: &Module) -> bool {
    module.functions().into_iter().flat_map(llvm::blocks).flat_map(llvm::instructions).any(|i| {
        llvm::opcode(i) == Opcode::LLVMCall
            && llvm::callee(i).is_some_and(|f| !llvm::is_declaration(f))
    })
}

/// Whether an address is certainly that of a local variable.
fn is_local(address: Val) -> bool {
    local(address).is_some()
}

/// The local variable that an address is certainly in.
fn local(mut address: Val) -> Option<Val> {
    loop {
        if !llvm::is_instruction(address) {
            return None;
        }
        match llvm::opcode(address) {
            Opcode::LLVMAlloca => return Some(address),
            Opcode::LLVMGetElementPtr | Opcode::LLVMBitCast | Opcode::LLVMAddrSpaceCast => {
                address = llvm::operand(address, 0);
            }
            _ => return None,
        }
    }
}

/// A local variable whose address does not escape is private to the thread: `volatile` would only hide its values.
fn private_is_not_volatile(inst: Val) {
    let address = match llvm::opcode(inst) {
        Opcode::LLVMLoad => llvm::operand(inst, 0),
        Opcode::LLVMStore => llvm::operand(inst, 1),
        _ => return,
    };
    // SAFETY: LLVM is given an access, of a module that is alive.
    unsafe {
        if LLVMGetVolatile(inst) != 0 && local(address).is_some_and(|v| stays_here(v, 0)) {
            LLVMSetVolatile(inst, 0);
        }
    }
}

/// Whether an address is only used for accesses.
fn stays_here(pointer: Val, depth: u32) -> bool {
    depth < 16
        && llvm::users(pointer).into_iter().all(|user| {
            if !llvm::is_instruction(user) {
                return false;
            }
            match llvm::opcode(user) {
                Opcode::LLVMLoad => true,
                Opcode::LLVMStore => llvm::operand(user, 0) != pointer,
                Opcode::LLVMGetElementPtr | Opcode::LLVMBitCast | Opcode::LLVMAddrSpaceCast => {
                    stays_here(user, depth + 1)
                }
                Opcode::LLVMCall => {
                    let name = llvm::callee(user).map(llvm::name).unwrap_or_default();
                    ["llvm.mem", "llvm.dbg", "llvm.lifetime"].iter().any(|p| name.starts_with(p))
                }
                _ => false,
            }
        })
}

fn keep(module: &Module, load: Val, keeps: &mut HashMap<Type, Val>) {
    let ty = llvm::type_of(load);
    // SAFETY: LLVM is given an instruction and a builder that is disposed of here, of a module that is alive.
    unsafe {
        let next = LLVMGetNextInstruction(load);
        if next.is_null() {
            return;
        }
        let mut param = ty;
        let fty = LLVMFunctionType(LLVMVoidTypeInContext(module.ctx), &mut param, 1, 0);
        let count = keeps.len();
        let f = *keeps.entry(ty).or_insert_with(|| {
            let name = CString::new(format!("{KEEP}.{count}")).unwrap_or_default();
            LLVMAddFunction(module.raw, name.as_ptr(), fty)
        });
        let builder = LLVMCreateBuilderInContext(module.ctx);
        LLVMPositionBuilderBefore(builder, next);
        let mut arg = load;
        LLVMBuildCall2(builder, fty, f, &mut arg, 1, c"".as_ptr());
        LLVMDisposeBuilder(builder);
    }
}

/// If one side of a copy is local and the other is not, and the length is constant: one load and one store of a type of
/// that size.
fn type_copy(module: &Module, call: Val, keeps: &mut HashMap<Type, Val>) {
    let Some(f) = llvm::callee(call) else { return };
    let name = llvm::name(f);
    let reads = |name: &str| name.starts_with("vload") || name.starts_with("read_image");
    if crate::llvm::mangle::parse(&name).is_some_and(|m| reads(&m.name)) {
        keep(module, call, keeps);
        return;
    }
    if !name.starts_with("llvm.memcpy.") && !name.starts_with("llvm.memmove.") {
        return;
    }
    let args = llvm::call_args(call);
    let (dst, src) = (args[0], args[1]);
    let Some(len) = llvm::const_int(args[2]).filter(|&n| n > 0 && n <= 256) else {
        return;
    };
    let volatile = args.get(3).and_then(|&v| llvm::const_int(v)) == Some(1);
    let (local_dst, local_src) = (is_local(dst), is_local(src));
    // A parameter is not visible to other threads: its copy may be split.
    let from_param = llvm::value_kind(src) == ValueKind::LLVMArgumentValueKind && local_dst;
    if (local_dst && local_src) || (from_param && is_byval_argument(src)) {
        return;
    }
    let ty = piece_type(module, dst, len).or_else(|| piece_type(module, src, len));
    let homogeneous = ty.is_some_and(|t| is_homogeneous(module, t));
    if !local_dst && !local_src && !homogeneous {
        return;
    }
    let Some(ty) = ty.or_else(|| Some(integers(module, len))) else {
        return;
    };
    // SAFETY: LLVM is given a builder that is disposed of here, an instruction and an access, of a module that is alive.
    unsafe {
        let builder = LLVMCreateBuilderInContext(module.ctx);
        LLVMPositionBuilderBefore(builder, call);
        LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(call));
        let value = LLVMBuildLoad2(builder, ty, src, c"copy".as_ptr());
        LLVMSetAlignment(value, alignment(call, 1));
        let store = LLVMBuildStore(builder, value, dst);
        LLVMSetAlignment(store, alignment(call, 0));
        if volatile {
            LLVMSetVolatile(if local_dst { value } else { store }, 1);
        }
        LLVMDisposeBuilder(builder);
        LLVMInstructionEraseFromParent(call);
        if !local_src {
            keep(module, value, keeps);
        }
    }
}

fn is_byval_argument(arg: Val) -> bool {
    // SAFETY: LLVM is given a function, of a module that is alive.
    unsafe {
        let f = LLVMGetParamParent(arg);
        llvm::arguments(f)
            .iter()
            .position(|&a| a == arg)
            .is_some_and(|i| llvm::byval_type(f, i as u32).is_some())
    }
}

fn alignment(call: Val, index: u32) -> u32 {
    // SAFETY: LLVM is given a function and a call, of a module that is alive.
    unsafe {
        let kind = LLVMGetEnumAttributeKindForName(c"align".as_ptr(), 5);
        let a = LLVMGetCallSiteEnumAttribute(call, index + 1, kind);
        if a.is_null() { 1 } else { (LLVMGetEnumAttributeValue(a) as u32).max(1) }
    }
}

/// The type of the `len` bytes at an address, according to the address computation or the local variable.
fn piece_type(module: &Module, address: Val, len: u64) -> Option<Type> {
    if !llvm::is_instruction(address) {
        return None;
    }
    let dl = module.data_layout();
    // SAFETY: LLVM is given an alloca, a getelementptr and a type of the kind that it asks for, of a module that is
    // alive.
    unsafe {
        let ty = match llvm::opcode(address) {
            Opcode::LLVMAlloca => LLVMGetAllocatedType(address),
            Opcode::LLVMGetElementPtr => {
                let mut ty = LLVMGetGEPSourceElementType(address);
                for i in 2..llvm::num_operands(address) {
                    ty = match llvm::type_kind(ty) {
                        TypeKind::LLVMStructTypeKind => LLVMStructGetTypeAtIndex(
                            ty,
                            llvm::const_int(llvm::operand(address, i))? as u32,
                        ),
                        TypeKind::LLVMArrayTypeKind | TypeKind::LLVMVectorTypeKind => {
                            LLVMGetElementType(ty)
                        }
                        _ => return None,
                    };
                }
                ty
            }
            _ => return None,
        };
        let mut ty = ty;
        loop {
            if LLVMTypeIsSized(ty) == 0 {
                return None;
            }
            let size = LLVMABISizeOfType(dl, ty);
            if size == len && is_packed_tight(module, ty) {
                return Some(ty);
            }
            // An outer struct whose first member is copied.
            ty = match llvm::type_kind(ty) {
                TypeKind::LLVMStructTypeKind
                    if size >= len && LLVMCountStructElementTypes(ty) > 0 =>
                {
                    LLVMStructGetTypeAtIndex(ty, 0)
                }
                TypeKind::LLVMArrayTypeKind if size >= len => LLVMGetElementType(ty),
                _ => return None,
            };
        }
    }
}

/// Whether a first-class load of the type covers all of its bytes.
fn is_packed_tight(module: &Module, ty: Type) -> bool {
    let mut scalars = Vec::new();
    if !scalar_types(module, ty, 0, &mut scalars, 64) {
        return false;
    }
    let dl = module.data_layout();
    // SAFETY: LLVM is given a type of the kind that it asks for, of a module that is alive.
    unsafe {
        let covered: u64 = scalars.iter().map(|&(t, _)| LLVMABISizeOfType(dl, t)).sum();
        covered == LLVMABISizeOfType(dl, ty)
    }
}

fn is_homogeneous(module: &Module, ty: Type) -> bool {
    let mut scalars = Vec::new();
    scalar_types(module, ty, 0, &mut scalars, 64) && scalars.windows(2).all(|w| w[0].0 == w[1].0)
}

fn scalar_types(
    module: &Module,
    ty: Type,
    at: u64,
    out: &mut Vec<(Type, u64)>,
    limit: usize,
) -> bool {
    let dl = module.data_layout();
    // SAFETY: LLVM is given a type of the kind that it asks for, of a module that is alive.
    unsafe {
        match llvm::type_kind(ty) {
            TypeKind::LLVMStructTypeKind => (0..LLVMCountStructElementTypes(ty)).all(|i| {
                let inner = LLVMStructGetTypeAtIndex(ty, i);
                scalar_types(module, inner, at + LLVMOffsetOfElement(dl, ty, i), out, limit)
            }),
            TypeKind::LLVMArrayTypeKind => {
                let inner = LLVMGetElementType(ty);
                let step = LLVMABISizeOfType(dl, inner);
                (0..LLVMGetArrayLength2(ty))
                    .all(|i| scalar_types(module, inner, at + i * step, out, limit))
            }
            TypeKind::LLVMVectorTypeKind => {
                let inner = LLVMGetElementType(ty);
                let step = LLVMABISizeOfType(dl, inner);
                (0..LLVMGetVectorSize(ty) as u64)
                    .all(|i| scalar_types(module, inner, at + i * step, out, limit))
            }
            _ => {
                out.push((ty, at));
                out.len() <= limit
            }
        }
    }
}

fn integers(module: &Module, len: u64) -> Type {
    // SAFETY: types of a context that is alive.
    unsafe {
        let bits = if len.is_multiple_of(8) {
            64
        } else if len.is_multiple_of(4) {
            32
        } else {
            8
        };
        LLVMArrayType2(LLVMIntTypeInContext(module.ctx, bits), len * 8 / bits as u64)
    }
}

/// Makes local copies of a kernel's by-value parameters that are written, or whose address escapes.
fn copy_written_byval(module: &Module, kernel: Val) {
    // SAFETY: LLVM is given a basic block, of a module that is alive.
    let entry = unsafe { LLVMGetEntryBasicBlock(kernel) };
    for (i, arg) in llvm::arguments(kernel).into_iter().enumerate() {
        let Some(ty) = llvm::byval_type(kernel, i as u32) else {
            continue;
        };
        if only_read(arg, 0) {
            continue;
        }
        // SAFETY: LLVM is given a builder that is disposed of here, a type of the kind that it asks for, a value and a
        // constant, of a module that is alive.
        unsafe {
            let dl = module.data_layout();
            let builder = LLVMCreateBuilderInContext(module.ctx);
            LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(entry));
            let name = CString::new(llvm::name(arg)).unwrap_or_default();
            let align =
                llvm::param_align(kernel, i as u32).unwrap_or(LLVMABIAlignmentOfType(dl, ty));
            let copy = LLVMBuildAlloca(builder, ty, name.as_ptr());
            LLVMSetAlignment(copy, align);
            LLVMReplaceAllUsesWith(arg, copy);
            let size =
                LLVMConstInt(LLVMInt64TypeInContext(module.ctx), LLVMABISizeOfType(dl, ty), 0);
            LLVMBuildMemCpy(builder, copy, align, arg, align, size);
            LLVMDisposeBuilder(builder);
        }
    }
}

fn only_read(pointer: Val, depth: u32) -> bool {
    depth < 16
        && llvm::users(pointer).into_iter().all(|user| {
            if llvm::value_kind(user) != ValueKind::LLVMInstructionValueKind {
                return false;
            }
            match llvm::opcode(user) {
                Opcode::LLVMLoad => true,
                Opcode::LLVMGetElementPtr | Opcode::LLVMBitCast | Opcode::LLVMAddrSpaceCast => {
                    only_read(user, depth + 1)
                }
                Opcode::LLVMCall => {
                    let name = llvm::callee(user).map(llvm::name).unwrap_or_default();
                    (name.starts_with("llvm.memcpy") && llvm::operand(user, 0) != pointer)
                        || name.starts_with("llvm.dbg")
                        || name.starts_with("llvm.lifetime")
                }
                _ => false,
            }
        })
}
