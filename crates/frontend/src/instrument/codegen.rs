//! LLVM's optimiser and its back end for NVIDIA's GPUs.

use std::ffi::{CStr, CString};
use std::ptr;
use std::sync::Once;

use llvm_sys::core::*;
use llvm_sys::debuginfo::LLVMStripModuleDebugInfo;
use llvm_sys::error::{LLVMDisposeErrorMessage, LLVMGetErrorMessage};
use llvm_sys::target::*;
use llvm_sys::target_machine::*;
use llvm_sys::transforms::pass_builder::*;

use super::Codegen;
use crate::llvm::{self, LLVMLinkage, Module};
use crate::prepare;

const TRIPLE: &CStr = c"nvptx64-nvidia-cuda";
/// The version of PTX: that of CUDA 12.0, which the drivers of all GPUs since Volta know.
const FEATURES: &CStr = c"+ptx80";

fn initialise() {
    static ONCE: Once = Once::new();
    // SAFETY: once, before any use of the target.
    ONCE.call_once(|| unsafe {
        LLVMInitializeNVPTXTargetInfo();
        LLVMInitializeNVPTXTarget();
        LLVMInitializeNVPTXTargetMC();
        LLVMInitializeNVPTXAsmPrinter();
    });
}

/// A target machine, disposed of when it is dropped.
struct Machine(LLVMTargetMachineRef);

impl Drop for Machine {
    fn drop(&mut self) {
        // SAFETY: it was made by this value, and is not used any more.
        unsafe { LLVMDisposeTargetMachine(self.0) }
    }
}

impl Machine {
    fn new(architecture: &str, level: u8) -> Result<Machine, String> {
        initialise();
        let cpu = CString::new(architecture).unwrap_or_default();
        let level = match level {
            0 => LLVMCodeGenOptLevel::LLVMCodeGenLevelNone,
            1 => LLVMCodeGenOptLevel::LLVMCodeGenLevelLess,
            2 => LLVMCodeGenOptLevel::LLVMCodeGenLevelDefault,
            _ => LLVMCodeGenOptLevel::LLVMCodeGenLevelAggressive,
        };
        let mut target = ptr::null_mut();
        let mut message = ptr::null_mut();
        // SAFETY: LLVM is given zero-terminated texts, and places for its answers.
        unsafe {
            if LLVMGetTargetFromTriple(TRIPLE.as_ptr(), &mut target, &mut message) != 0 {
                return Err(text(message));
            }
            let machine = LLVMCreateTargetMachine(
                target,
                TRIPLE.as_ptr(),
                cpu.as_ptr(),
                FEATURES.as_ptr(),
                level,
                LLVMRelocMode::LLVMRelocDefault,
                LLVMCodeModel::LLVMCodeModelDefault,
            );
            match machine.is_null() {
                true => Err("LLVM has no back end for NVIDIA's GPUs".into()),
                false => Ok(Machine(machine)),
            }
        }
    }
}

/// # Safety
/// `message` is a text of LLVM that nobody else uses.
unsafe fn text(message: *mut std::ffi::c_char) -> String {
    if message.is_null() {
        return "no reason given".into();
    }
    // SAFETY: the caller guarantees it.
    unsafe {
        let out = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeMessage(message);
        out
    }
}

/// Optimises the module and writes PTX. Everything but kernels and what the host sets is internal.
pub(super) fn ptx(module: &Module, architecture: &str, how: Codegen) -> Result<String, String> {
    let machine = Machine::new(architecture, how.level)?;
    let kernels = prepare::kernels(module, &[]);
    for f in module.functions() {
        if !llvm::is_declaration(f) && !kernels.contains(&f) {
            llvm::set_linkage(f, LLVMLinkage::LLVMInternalLinkage);
        }
    }
    // SAFETY: LLVM is given the module, which is alive.
    unsafe { LLVMStripModuleDebugInfo(module.raw) };
    let passes = CString::new(format!("globaldce,default<O{}>", how.level)).unwrap_or_default();
    // SAFETY: LLVM is given the module and a machine that are alive, and options that are disposed of here.
    unsafe {
        let options = LLVMCreatePassBuilderOptions();
        let error = LLVMRunPasses(module.raw, passes.as_ptr(), machine.0, options);
        LLVMDisposePassBuilderOptions(options);
        if !error.is_null() {
            let raw = LLVMGetErrorMessage(error);
            let why = CStr::from_ptr(raw).to_string_lossy().into_owned();
            LLVMDisposeErrorMessage(raw);
            return Err(why);
        }
        let (mut buffer, mut message) = (ptr::null_mut(), ptr::null_mut());
        let failed = LLVMTargetMachineEmitToMemoryBuffer(
            machine.0,
            module.raw,
            LLVMCodeGenFileType::LLVMAssemblyFile,
            &mut message,
            &mut buffer,
        );
        if failed != 0 {
            return Err(text(message));
        }
        let start = LLVMGetBufferStart(buffer).cast::<u8>();
        let bytes = std::slice::from_raw_parts(start, LLVMGetBufferSize(buffer)).to_vec();
        LLVMDisposeMemoryBuffer(buffer);
        String::from_utf8(bytes).map_err(|_| "PTX that is no text".into())
    }
}
