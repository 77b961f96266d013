//! The parts of LLVM's C API that the front end needs, behind functions with short names.
//!
//! Everything here is a thin wrapper: values, types and blocks are LLVM's own pointers, valid as long as the [`Module`]
//! they came from. None of them leave the crate.
//!
//! LLVM's default reaction to an error is to print it and exit the process. Here a diagnostic handler collects messages
//! instead, and a module is verified (in the mode that returns a status) before it is used.

pub(crate) mod demangle;
pub(crate) mod mangle;
pub(crate) mod reader;

use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr;

use llvm_sys::analysis::{LLVMVerifierFailureAction, LLVMVerifyModule};
use llvm_sys::bit_reader::{LLVMGetBitcodeModuleInContext2, LLVMParseBitcodeInContext2};
use llvm_sys::bit_writer::LLVMWriteBitcodeToMemoryBuffer;
use llvm_sys::core::*;
use llvm_sys::error::{LLVMDisposeErrorMessage, LLVMGetErrorMessage};
use llvm_sys::ir_reader::LLVMParseIRInContext;
use llvm_sys::linker::LLVMLinkModules2;
use llvm_sys::prelude::*;
use llvm_sys::target::*;
use llvm_sys::transforms::pass_builder::*;
pub(crate) use llvm_sys::{
    LLVMLinkage, LLVMOpcode as Opcode, LLVMTypeKind as TypeKind, LLVMValueKind as ValueKind,
};

pub(crate) type Val = LLVMValueRef;
pub(crate) type Type = LLVMTypeRef;
pub(crate) type Bb = LLVMBasicBlockRef;
pub(crate) type Md = LLVMMetadataRef;

/// A context with one module in it.
pub(crate) struct Module {
    pub(crate) ctx: LLVMContextRef,
    pub(crate) raw: LLVMModuleRef,
    /// Boxed, because LLVM keeps its address.
    #[allow(clippy::box_collection)]
    messages: Box<Vec<String>>,
}

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: both are owned by this value, and are not used any more.
        unsafe {
            if !self.raw.is_null() {
                LLVMDisposeModule(self.raw);
            }
            LLVMContextDispose(self.ctx);
        }
    }
}

extern "C" fn on_diagnostic(info: LLVMDiagnosticInfoRef, sink: *mut c_void) {
    // SAFETY: `sink` is the list that `Module` keeps as long as its context, and LLVM calls this on the thread that uses it.
    unsafe {
        let text = take_message(LLVMGetDiagInfoDescription(info));
        let sink = &mut *sink.cast::<Vec<String>>();
        if sink.len() < 64 {
            sink.push(text);
        }
    }
}

unsafe fn take_message(text: *mut c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the caller passes a zero-terminated string of LLVM, and does not use it again.
    unsafe {
        let s = CStr::from_ptr(text).to_string_lossy().into_owned();
        LLVMDisposeMessage(text);
        s
    }
}

pub(crate) fn is_bitcode(bytes: &[u8]) -> bool {
    bytes.starts_with(b"BC\xC0\xDE") || bytes.starts_with(&[0xDE, 0xC0, 0x17, 0x0B])
}

impl Module {
    fn empty() -> Module {
        // SAFETY: LLVM is given a value, of a module that is alive.
        unsafe {
            let ctx = LLVMContextCreate();
            let mut messages = Box::new(Vec::new());
            let sink: *mut Vec<String> = &mut *messages;
            LLVMContextSetDiagnosticHandler(ctx, Some(on_diagnostic), sink.cast());
            LLVMContextSetDiscardValueNames(ctx, 0);
            Module { ctx, raw: ptr::null_mut(), messages }
        }
    }

    /// Reads bitcode or textual IR and verifies it.
    pub(crate) fn parse(bytes: &[u8], name: &str) -> Result<Module, String> {
        let mut module = Module::empty();
        let c_name = CString::new(name.replace('\0', "?")).unwrap_or_default();
        // SAFETY: LLVM copies the bytes into a buffer of its own; the context is alive.
        unsafe {
            if is_bitcode(bytes) {
                let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
                    bytes.as_ptr().cast(),
                    bytes.len(),
                    c_name.as_ptr(),
                );
                let failed = LLVMParseBitcodeInContext2(module.ctx, buffer, &mut module.raw);
                LLVMDisposeMemoryBuffer(buffer);
                if failed != 0 || module.raw.is_null() {
                    module.raw = ptr::null_mut();
                    return Err(module.message("not valid LLVM bitcode"));
                }
            } else {
                let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
                    bytes.as_ptr().cast(),
                    bytes.len(),
                    c_name.as_ptr(),
                );
                let mut text = ptr::null_mut();
                let failed = LLVMParseIRInContext(module.ctx, buffer, &mut module.raw, &mut text);
                let text = take_message(text);
                if failed != 0 || module.raw.is_null() {
                    module.raw = ptr::null_mut();
                    return Err(if text.is_empty() {
                        module.message("not valid LLVM IR")
                    } else {
                        text
                    });
                }
            }
        }
        module.verify()?;
        Ok(module)
    }

    fn message(&self, otherwise: &str) -> String {
        if self.messages.is_empty() { otherwise.to_string() } else { self.messages.join("; ") }
    }

    pub(crate) fn verify(&self) -> Result<(), String> {
        let mut text = ptr::null_mut();
        // SAFETY: LLVM is given the module, which is alive.
        unsafe {
            let failed = LLVMVerifyModule(
                self.raw,
                LLVMVerifierFailureAction::LLVMReturnStatusAction,
                &mut text,
            );
            let text = take_message(text);
            if failed != 0 { Err(text.trim().to_string()) } else { Ok(()) }
        }
    }

    pub(crate) fn run_passes(&self, passes: &str) -> Result<(), String> {
        let passes = CString::new(passes).unwrap_or_default();
        // SAFETY: LLVM is given a builder that is disposed of here and the module, of a module that is alive.
        unsafe {
            let options = LLVMCreatePassBuilderOptions();
            let error = LLVMRunPasses(self.raw, passes.as_ptr(), ptr::null_mut(), options);
            LLVMDisposePassBuilderOptions(options);
            if error.is_null() {
                return Ok(());
            }
            let raw = LLVMGetErrorMessage(error);
            let text = CStr::from_ptr(raw).to_string_lossy().into_owned();
            LLVMDisposeErrorMessage(raw);
            Err(text)
        }
    }

    /// Links the functions with these names from a bitcode library, with the functions that they call, and nothing
    /// else.
    ///
    /// The library may define functions that the lowering handles better: its barrier orders all memory, whatever the
    /// flags are. So every other function that is only declared here stays a declaration, and the library's own calls
    /// of it refer to the declaration.
    pub(crate) fn link_needed(&mut self, library: &[u8], wanted: &[String]) -> Result<(), String> {
        let kept: Vec<(Val, CString)> = self
            .functions()
            .into_iter()
            .filter(|&f| is_declaration(f) && !wanted.contains(&name(f)))
            // The names of intrinsics define their meaning.
            // SAFETY: LLVM is given a function, of a module that is alive.
            .filter(|&f| unsafe { LLVMGetIntrinsicID(f) } == 0)
            .filter_map(|f| Some((f, CString::new(name(f)).ok()?)))
            .collect();
        for (i, (f, _)) in kept.iter().enumerate() {
            let aside = format!("__lockstep_kept_{i}");
            // SAFETY: LLVM is given a value, of a module that is alive.
            unsafe { LLVMSetValueName2(*f, aside.as_ptr().cast(), aside.len()) };
        }
        self.link_referenced(library)?;
        for (f, own) in kept {
            // SAFETY: LLVM is given the module, a value and a function, of a module that is alive.
            unsafe {
                let theirs = LLVMGetNamedFunction(self.raw, own.as_ptr());
                if !theirs.is_null() {
                    LLVMReplaceAllUsesWith(theirs, f);
                    LLVMDeleteFunction(theirs);
                }
                LLVMSetValueName2(f, own.as_ptr(), own.as_bytes().len());
            }
        }
        Ok(())
    }

    fn link_referenced(&mut self, library: &[u8]) -> Result<(), String> {
        // SAFETY: LLVM is given the module and a global, of a module that is alive.
        unsafe {
            let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
                library.as_ptr().cast(),
                library.len(),
                c"library".as_ptr(),
            );
            let mut other = ptr::null_mut();
            // The lazy reader owns the buffer, and reads a body only on demand.
            if LLVMGetBitcodeModuleInContext2(self.ctx, buffer, &mut other) != 0 {
                return Err(self.message("the library is not valid bitcode"));
            }
            LLVMSetTarget(other, LLVMGetTarget(self.raw));
            LLVMSetDataLayout(other, LLVMGetDataLayoutStr(self.raw));
            // Functions that may be dropped when unused are only linked if referenced.
            for f in functions(other) {
                if !is_declaration(f) {
                    LLVMSetLinkage(f, LLVMLinkage::LLVMLinkOnceODRLinkage);
                }
            }
            if LLVMLinkModules2(self.raw, other) != 0 {
                return Err(self.message("the library could not be linked"));
            }
        }
        Ok(())
    }

    /// Links another module, whose internal names may be the same.
    pub(crate) fn link(&mut self, other: Module) -> Result<(), String> {
        // A module belongs to its context: it is copied as bitcode.
        let bytes = other.to_bitcode();
        // SAFETY: LLVM copies the bytes into a buffer of its own; the context is alive, and the linker takes the module.
        unsafe {
            let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
                bytes.as_ptr().cast(),
                bytes.len(),
                c"module".as_ptr(),
            );
            let mut copy = ptr::null_mut();
            let failed = LLVMParseBitcodeInContext2(self.ctx, buffer, &mut copy);
            LLVMDisposeMemoryBuffer(buffer);
            if failed != 0 || copy.is_null() || LLVMLinkModules2(self.raw, copy) != 0 {
                return Err(self.message("the modules could not be linked"));
            }
        }
        Ok(())
    }

    pub(crate) fn to_bitcode(&self) -> Vec<u8> {
        // SAFETY: LLVM is given the module, which is alive; the buffer is copied before it is disposed of.
        unsafe {
            let buffer = LLVMWriteBitcodeToMemoryBuffer(self.raw);
            let start = LLVMGetBufferStart(buffer).cast::<u8>();
            let bytes = std::slice::from_raw_parts(start, LLVMGetBufferSize(buffer)).to_vec();
            LLVMDisposeMemoryBuffer(buffer);
            bytes
        }
    }

    /// Gives a global another name.
    pub(crate) fn rename(&self, global: Val, name: &str) {
        // SAFETY: LLVM is given a global, of a module that is alive, and copies the name.
        unsafe { LLVMSetValueName2(global, name.as_ptr().cast(), name.len()) };
    }

    pub(crate) fn data_layout(&self) -> LLVMTargetDataRef {
        // SAFETY: LLVM is given the module, which is alive.
        unsafe { LLVMGetModuleDataLayout(self.raw) }
    }

    pub(crate) fn functions(&self) -> Vec<Val> {
        functions(self.raw)
    }

    pub(crate) fn globals(&self) -> Vec<Val> {
        // SAFETY: LLVM is given the module, which is alive.
        unsafe { chain(LLVMGetFirstGlobal(self.raw), |g| LLVMGetNextGlobal(g)) }
    }

    /// Operands of a named metadata node, each a list of values.
    pub(crate) fn named_metadata(&self, name: &str) -> Vec<Vec<Val>> {
        let name = CString::new(name).unwrap_or_default();
        // SAFETY: LLVM is given metadata, of a module that is alive.
        unsafe {
            let n = LLVMGetNamedMetadataNumOperands(self.raw, name.as_ptr()) as usize;
            let mut nodes = vec![ptr::null_mut(); n];
            LLVMGetNamedMetadataOperands(self.raw, name.as_ptr(), nodes.as_mut_ptr());
            nodes.into_iter().map(md_operands).collect()
        }
    }

    pub(crate) fn md_kind(&self, name: &str) -> u32 {
        // SAFETY: the context is alive, and the name has that length.
        unsafe { LLVMGetMDKindIDInContext(self.ctx, name.as_ptr().cast(), name.len() as u32) }
    }

    pub(crate) fn md_as_value(&self, md: Md) -> Val {
        // SAFETY: LLVM is given metadata, of a module that is alive.
        unsafe { LLVMMetadataAsValue(self.ctx, md) }
    }
}

fn chain<T>(first: *mut T, next: impl Fn(*mut T) -> *mut T) -> Vec<*mut T> {
    let mut all = Vec::new();
    let mut at = first;
    while !at.is_null() {
        all.push(at);
        at = next(at);
    }
    all
}

fn functions(m: LLVMModuleRef) -> Vec<Val> {
    // SAFETY: LLVM is given the module, which is alive.
    unsafe { chain(LLVMGetFirstFunction(m), |f| LLVMGetNextFunction(f)) }
}

pub(crate) fn blocks(f: Val) -> Vec<Bb> {
    // SAFETY: LLVM is given a basic block, of a module that is alive.
    unsafe { chain(LLVMGetFirstBasicBlock(f), |b| LLVMGetNextBasicBlock(b)) }
}

pub(crate) fn predecessors(b: Bb) -> Vec<Bb> {
    // SAFETY: LLVM is given a basic block, of a module that is alive.
    let branches = users(unsafe { LLVMBasicBlockAsValue(b) }).into_iter();
    branches.filter(|&u| is_instruction(u)).map(block_of).collect()
}

pub(crate) fn successors(b: Bb) -> Vec<Bb> {
    // SAFETY: LLVM is given a basic block and a branch, of a module that is alive.
    unsafe {
        let term = LLVMGetBasicBlockTerminator(b);
        if term.is_null() {
            return Vec::new();
        }
        (0..LLVMGetNumSuccessors(term)).map(|i| LLVMGetSuccessor(term, i)).collect()
    }
}

pub(crate) fn block_of(inst: Val) -> Bb {
    // SAFETY: LLVM is given an instruction, of a module that is alive.
    unsafe { LLVMGetInstructionParent(inst) }
}

pub(crate) fn function_of(inst: Val) -> Val {
    // SAFETY: LLVM is given a basic block, of a module that is alive.
    unsafe { LLVMGetBasicBlockParent(block_of(inst)) }
}

pub(crate) fn instructions(b: Bb) -> Vec<Val> {
    // SAFETY: LLVM is given an instruction, of a module that is alive.
    unsafe { chain(LLVMGetFirstInstruction(b), |i| LLVMGetNextInstruction(i)) }
}

pub(crate) fn arguments(f: Val) -> Vec<Val> {
    // SAFETY: LLVM is given a function, of a module that is alive.
    unsafe { (0..LLVMCountParams(f)).map(|i| LLVMGetParam(f, i)).collect() }
}

/// The function that an argument belongs to.
pub(crate) fn function_of_argument(argument: Val) -> Val {
    // SAFETY: LLVM is given a function, of a module that is alive.
    unsafe { LLVMGetParamParent(argument) }
}

pub(crate) fn users(v: Val) -> Vec<Val> {
    // SAFETY: LLVM is given a value, of a module that is alive.
    unsafe {
        let mut all = Vec::new();
        let mut at = LLVMGetFirstUse(v);
        while !at.is_null() {
            all.push(LLVMGetUser(at));
            at = LLVMGetNextUse(at);
        }
        all
    }
}

/// The debug information of a variable: its `DIGlobalVariableExpression`.
pub(crate) fn debug_info_of(global: Val) -> Option<Md> {
    // SAFETY: LLVM is given metadata and a value, of a module that is alive.
    unsafe {
        let mut count = 0;
        let entries = LLVMGlobalCopyAllMetadata(global, &mut count);
        let name = c"dbg";
        let kind = LLVMGetMDKindIDInContext(
            LLVMGetTypeContext(LLVMTypeOf(global)),
            name.as_ptr(),
            name.count_bytes() as u32,
        );
        let find = |i: u32| {
            (LLVMValueMetadataEntriesGetKind(entries, i) == kind)
                .then(|| LLVMValueMetadataEntriesGetMetadata(entries, i))
        };
        let found = (0..count as u32).find_map(find);
        LLVMDisposeValueMetadataEntries(entries);
        found
    }
}

pub(crate) fn is_declaration(v: Val) -> bool {
    // SAFETY: LLVM is given a global, of a module that is alive.
    unsafe { LLVMIsDeclaration(v) != 0 }
}

pub(crate) fn set_linkage(v: Val, linkage: LLVMLinkage) {
    // SAFETY: LLVM is given a global, of a module that is alive.
    unsafe { LLVMSetLinkage(v, linkage) };
}

/// Deletes a function that nothing uses.
pub(crate) fn delete_function(f: Val) {
    // SAFETY: LLVM is given a function without uses, of a module that is alive.
    unsafe { LLVMDeleteFunction(f) };
}

/// Deletes an instruction whose value nobody uses.
pub(crate) fn erase(inst: Val) {
    // SAFETY: LLVM is given an instruction without uses, of a module that is alive.
    unsafe { LLVMInstructionEraseFromParent(inst) };
}

/// Puts a value in an instruction's place.
pub(crate) fn replace(inst: Val, by: Val) {
    // SAFETY: LLVM is given an instruction and a value of its type, of a module that is alive.
    unsafe { LLVMReplaceAllUsesWith(inst, by) };
    erase(inst);
}

pub(crate) fn has_debug_info(f: Val) -> bool {
    // SAFETY: LLVM is given a function, of a module that is alive.
    unsafe { !llvm_sys::debuginfo::LLVMGetSubprogram(f).is_null() }
}

pub(crate) fn name(v: Val) -> String {
    // SAFETY: LLVM is given a value, of a module that is alive.
    unsafe {
        let mut len = 0;
        let p = LLVMGetValueName2(v, &mut len);
        if p.is_null() {
            return String::new();
        }
        String::from_utf8_lossy(std::slice::from_raw_parts(p.cast(), len)).into_owned()
    }
}

pub(crate) fn block_name(b: Bb) -> String {
    // SAFETY: LLVM is given a basic block, of a module that is alive.
    unsafe { CStr::from_ptr(LLVMGetBasicBlockName(b)).to_string_lossy().into_owned() }
}

pub(crate) fn value_kind(v: Val) -> ValueKind {
    // SAFETY: LLVM is given a value, of a module that is alive.
    unsafe { LLVMGetValueKind(v) }
}

pub(crate) fn opcode(v: Val) -> Opcode {
    // SAFETY: LLVM is given an instruction, of a module that is alive.
    unsafe { LLVMGetInstructionOpcode(v) }
}

/// The opcode of an instruction or a constant expression.
pub(crate) fn opcode_of(v: Val) -> Option<Opcode> {
    match value_kind(v) {
        ValueKind::LLVMInstructionValueKind => Some(opcode(v)),
        // SAFETY: LLVM is given a constant, of a module that is alive.
        ValueKind::LLVMConstantExprValueKind => Some(unsafe { LLVMGetConstOpcode(v) }),
        _ => None,
    }
}

pub(crate) fn is_instruction(v: Val) -> bool {
    value_kind(v) == ValueKind::LLVMInstructionValueKind
}

pub(crate) fn type_of(v: Val) -> Type {
    // SAFETY: LLVM is given a value, of a module that is alive.
    unsafe { LLVMTypeOf(v) }
}

pub(crate) fn type_kind(t: Type) -> TypeKind {
    // SAFETY: LLVM is given a type of the kind that it asks for, of a module that is alive.
    unsafe { LLVMGetTypeKind(t) }
}

pub(crate) fn num_operands(v: Val) -> u32 {
    // SAFETY: LLVM is given a value, of a module that is alive.
    unsafe { LLVMGetNumOperands(v).max(0) as u32 }
}

pub(crate) fn operand(v: Val, i: u32) -> Val {
    // SAFETY: LLVM is given a value, of a module that is alive.
    unsafe { LLVMGetOperand(v, i) }
}

pub(crate) fn operands(v: Val) -> Vec<Val> {
    (0..num_operands(v)).map(|i| operand(v, i)).collect()
}

pub(crate) fn address_space(pointer: Type) -> u32 {
    // SAFETY: LLVM is given a type of the kind that it asks for, of a module that is alive.
    unsafe { LLVMGetPointerAddressSpace(pointer) }
}

pub(crate) fn print_type(t: Type) -> String {
    // SAFETY: LLVM is given a type of the kind that it asks for, of a module that is alive.
    unsafe { take_message(LLVMPrintTypeToString(t)) }
}

pub(crate) fn print_value(v: Val) -> String {
    // SAFETY: LLVM is given a value, of a module that is alive.
    unsafe { take_message(LLVMPrintValueToString(v)) }
}

pub(crate) fn md_operands(node: Val) -> Vec<Val> {
    // SAFETY: LLVM is given metadata, of a module that is alive.
    unsafe {
        if node.is_null() {
            return Vec::new();
        }
        let n = LLVMGetMDNodeNumOperands(node) as usize;
        let mut all = vec![ptr::null_mut(); n];
        if n > 0 {
            LLVMGetMDNodeOperands(node, all.as_mut_ptr());
        }
        all
    }
}

pub(crate) fn md_string(v: Val) -> Option<String> {
    // SAFETY: LLVM is given metadata, of a module that is alive.
    unsafe {
        if v.is_null() {
            return None;
        }
        let mut len = 0;
        let p = LLVMGetMDString(v, &mut len);
        if p.is_null() {
            return None;
        }
        Some(
            String::from_utf8_lossy(std::slice::from_raw_parts(p.cast(), len as usize))
                .into_owned(),
        )
    }
}

/// A constant integer of at most 64 bits.
pub(crate) fn const_int(v: Val) -> Option<u64> {
    // SAFETY: LLVM is given a type of the kind that it asks for, a value and a constant, of a module that is alive.
    unsafe {
        if v.is_null() || value_kind(v) != ValueKind::LLVMConstantIntValueKind {
            return None;
        }
        (LLVMGetIntTypeWidth(LLVMTypeOf(v)) <= 64).then(|| LLVMConstIntGetZExtValue(v))
    }
}

/// The callee of a call, if it is a function.
pub(crate) fn callee(call: Val) -> Option<Val> {
    // SAFETY: LLVM is given a call, of a module that is alive.
    unsafe {
        let f = LLVMGetCalledValue(call);
        (!f.is_null() && value_kind(f) == ValueKind::LLVMFunctionValueKind).then_some(f)
    }
}

/// What a call calls: a function, or a value that is the address of one.
pub(crate) fn called_value(call: Val) -> Option<Val> {
    let is_call = matches!(opcode_of(call)?, Opcode::LLVMCall | Opcode::LLVMInvoke);
    // SAFETY: LLVM is given a call, of a module that is alive.
    is_call.then(|| unsafe { LLVMGetCalledValue(call) }).filter(|f| !f.is_null())
}

pub(crate) fn call_args(call: Val) -> Vec<Val> {
    // SAFETY: LLVM is given a call and a value, of a module that is alive.
    unsafe { (0..LLVMGetNumArgOperands(call)).map(|i| LLVMGetOperand(call, i)).collect() }
}

pub(crate) fn remove_attribute(f: Val, name: &str) {
    // SAFETY: LLVM is given a function, of a module that is alive.
    unsafe {
        let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
        LLVMRemoveEnumAttributeAtIndex(f, llvm_sys::LLVMAttributeFunctionIndex, kind);
    }
}

/// The value of a function's string attribute.
pub(crate) fn text_attribute(f: Val, name: &str) -> Option<String> {
    // SAFETY: LLVM is given a function, of a module that is alive.
    unsafe {
        let (key, length) = (name.as_ptr().cast(), name.len() as u32);
        let index = llvm_sys::LLVMAttributeFunctionIndex;
        let attribute = LLVMGetStringAttributeAtIndex(f, index, key, length);
        if attribute.is_null() {
            return None;
        }
        let mut length = 0;
        let text = LLVMGetStringAttributeValue(attribute, &mut length);
        let bytes = std::slice::from_raw_parts(text.cast::<u8>(), length as usize);
        Some(String::from_utf8_lossy(bytes).into_owned())
    }
}

pub(crate) fn remove_call_attribute(call: Val, name: &str) {
    // SAFETY: LLVM is given a function and a call, of a module that is alive.
    unsafe {
        let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
        LLVMRemoveCallSiteEnumAttribute(call, llvm_sys::LLVMAttributeFunctionIndex, kind);
    }
}

pub(crate) fn add_attribute(ctx: LLVMContextRef, f: Val, name: &str) {
    // SAFETY: LLVM is given a function, of a module that is alive.
    unsafe {
        let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
        let attribute = LLVMCreateEnumAttribute(ctx, kind, 0);
        LLVMAddAttributeAtIndex(f, llvm_sys::LLVMAttributeFunctionIndex, attribute);
    }
}

/// The type `T` of a `byval(T)` parameter of a function.
pub(crate) fn byval_type(f: Val, index: u32) -> Option<Type> {
    // SAFETY: LLVM is given a function, of a module that is alive.
    unsafe {
        let kind = LLVMGetEnumAttributeKindForName(c"byval".as_ptr(), 5);
        let attribute = LLVMGetEnumAttributeAtIndex(f, index + 1, kind);
        if attribute.is_null() || LLVMIsTypeAttribute(attribute) == 0 {
            return None;
        }
        Some(LLVMGetTypeAttributeValue(attribute))
    }
}

pub(crate) fn param_align(f: Val, index: u32) -> Option<u32> {
    // SAFETY: LLVM is given a function, of a module that is alive.
    unsafe {
        let kind = LLVMGetEnumAttributeKindForName(c"align".as_ptr(), 5);
        let attribute = LLVMGetEnumAttributeAtIndex(f, index + 1, kind);
        (!attribute.is_null()).then(|| LLVMGetEnumAttributeValue(attribute) as u32)
    }
}

/// Whether a parameter is `noalias`: `restrict` in the source.
pub(crate) fn is_restrict(f: Val, index: u32) -> bool {
    // SAFETY: LLVM is given a function, of a module that is alive.
    unsafe {
        let kind = LLVMGetEnumAttributeKindForName(c"noalias".as_ptr(), 7);
        !LLVMGetEnumAttributeAtIndex(f, index + 1, kind).is_null()
    }
}

/// Words of a wide integer constant, lowest first.
pub(crate) fn wide_const(v: Val) -> Option<[u64; 2]> {
    let text = print_value(v);
    let digits = text.split_whitespace().last()?;
    let value = match digits {
        "true" => 1,
        "false" => 0,
        d => d.parse::<i128>().ok()?,
    } as u128;
    Some([value as u64, (value >> 64) as u64])
}
