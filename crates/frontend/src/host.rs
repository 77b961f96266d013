//! Launches that the host part of a CUDA file makes with constant dimensions.
//!
//! A second run of clang compiles the host side, which LLVM then optimises at `-O1`; there a launch is a call of `cudaConfigureCall` (with an
//! SDK, `__cudaPushCallConfiguration`) with its dimensions folded to constants, followed by a call of the kernel's
//! stub (or, where the stub was inlined, of `cudaLaunch…` with the stub's address). A launch says what is constant of
//! it; one of which neither grid nor block is, is skipped, and so is everything where the host side does not compile.

use std::path::PathBuf;

use llvm_sys::core::*;
use llvm_sys::debuginfo::{
    LLVMDILocationGetInlinedAt, LLVMDILocationGetLine, LLVMInstructionGetDebugLoc,
};
use lockstep_kernel::Language;

use crate::clang::{self, Side, Source};
use crate::llvm::{self, Module, Opcode, Val};
use crate::{HeadComment, Input, Options, dependencies};

const STUB: &str = "__device_stub__";

/// One `k<<<grid, block, shared>>>(…)` with constant dimensions, or some.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostLaunch {
    /// The kernel's mangled name.
    pub kernel: String,
    pub grid: Option<[u32; 3]>,
    pub block: Option<[u32; 3]>,
    pub shared: u32,
    pub line: u32,
    /// Scalar arguments that are constants: position, and bits.
    pub args: Vec<(usize, u64)>,
    /// How many arguments the call has: more than the kernel's where the host passes
    /// structures in pieces, and then positions mean nothing.
    pub arg_count: usize,
}

/// What the host part of a file gave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostSide {
    /// In the order of the source.
    pub launches: Vec<HostLaunch>,
    /// The files it was read from; `None` where it does not compile, for whatever reason.
    pub files: Option<Vec<PathBuf>>,
}

/// The constant launches of a CUDA file; none for anything else.
pub fn host_side(input: Input, options: &Options) -> HostSide {
    let nothing = HostSide { launches: Vec::new(), files: Some(Vec::new()) };
    let Ok(source) = Source::open(input, options) else {
        return HostSide::default();
    };
    let may_launch = source.bytes.windows(3).any(|w| w == b"<<<");
    if source.language != Language::Cuda || !may_launch {
        return nothing;
    }
    compiled(&source, options).unwrap_or_default()
}

fn compiled(source: &Source, options: &Options) -> Option<HostSide> {
    let head: HeadComment =
        crate::head::parse(&String::from_utf8_lossy(&source.bytes), source.language);
    let (command, _) = clang::cuda_command(source, &head, options, Side::Host).ok()?;
    let compiled = dependencies::run(command, source, &options.cancel).ok()?;
    let module = Module::parse(&compiled.bitcode, &source.name).ok()?;
    // With stubs kept out of line, the launch's arguments stay visible at the call.
    for f in module.functions() {
        if llvm::name(f).contains(STUB) {
            llvm::add_attribute(module.ctx, f, "noinline");
        }
    }
    module.run_passes("default<O1>").ok()?;
    let mut launches: Vec<HostLaunch> =
        module.functions().into_iter().flat_map(launches_of).collect();
    launches.sort_by_key(|l| l.line);
    Some(HostSide { launches, files: Some(compiled.files) })
}

fn launches_of(f: Val) -> Vec<HostLaunch> {
    let mut found = Vec::new();
    if llvm::name(f).contains(STUB) {
        return found;
    }
    let mut pending: Option<HostLaunch> = None;
    for inst in llvm::blocks(f).into_iter().flat_map(llvm::instructions) {
        if !matches!(llvm::opcode(inst), Opcode::LLVMCall | Opcode::LLVMInvoke) {
            continue;
        }
        let Some(callee) = llvm::callee(inst) else {
            continue;
        };
        let name = llvm::name(callee);
        if name.contains("cudaPushCallConfiguration") || name.starts_with("cudaConfigureCall") {
            pending = configuration(inst);
        } else if let Some(kernel) = stub(&name)
            && let Some(mut launch) = pending.take()
        {
            launch.kernel = kernel;
            launch.arg_count = llvm::call_args(inst).len();
            launch.args = (llvm::call_args(inst).into_iter().enumerate())
                .filter_map(|(i, v)| constant_bits(v).map(|b| (i, b)))
                .collect();
            found.push(launch);
        } else if name.starts_with("cudaLaunch")
            && let Some(target) = llvm::call_args(inst).first()
            && let Some(kernel) = stub(&llvm::name(*target))
            && let Some(mut launch) = pending.take()
        {
            launch.kernel = kernel;
            found.push(launch);
        }
    }
    found
}

/// Dimensions come as an `i64` of x and y and an `i32` of z, each twice, then the shared memory.
fn configuration(call: Val) -> Option<HostLaunch> {
    let args = llvm::call_args(call);
    let number = |i: usize| args.get(i).and_then(|&v| llvm::const_int(v));
    let dims = |at: usize| {
        let dims = [number(at)? as u32, (number(at)? >> 32) as u32, number(at + 1)? as u32];
        dims.iter().all(|&d| d > 0).then_some(dims)
    };
    let (grid, block) = (dims(0), dims(2));
    if grid.is_none() && block.is_none() {
        return None;
    }
    let shared = number(4).unwrap_or(0) as u32;
    let mut loc = unsafe { LLVMInstructionGetDebugLoc(call) };
    let mut line = 0;
    while !loc.is_null() {
        line = unsafe { LLVMDILocationGetLine(loc) };
        loc = unsafe { LLVMDILocationGetInlinedAt(loc) };
    }
    Some(HostLaunch {
        kernel: String::new(),
        grid,
        block,
        shared,
        line,
        args: Vec::new(),
        arg_count: 0,
    })
}

/// `_Z19__device_stub__reducePfi` is the stub of `_Z6reducePfi`.
fn stub(name: &str) -> Option<String> {
    let at = name.find(STUB)?;
    let digits = name[..at].chars().rev().take_while(char::is_ascii_digit).count();
    let start = at - digits;
    let rest = &name[at + STUB.len()..];
    if digits == 0 {
        return Some(format!("{}{rest}", &name[..start]));
    }
    let len: usize = name[start..at].parse().ok()?;
    Some(format!("{}{}{rest}", &name[..start], len.checked_sub(STUB.len())?))
}

fn constant_bits(v: Val) -> Option<u64> {
    if let Some(bits) = llvm::const_int(v) {
        return Some(bits);
    }
    unsafe {
        if llvm::value_kind(v) != llvm::ValueKind::LLVMConstantFPValueKind {
            return None;
        }
        let bits = match llvm::type_kind(llvm::type_of(v)) {
            llvm::TypeKind::LLVMFloatTypeKind => 32,
            llvm::TypeKind::LLVMDoubleTypeKind => 64,
            _ => return None,
        };
        let context = LLVMGetTypeContext(llvm::type_of(v));
        llvm::const_int(LLVMConstBitCast(v, LLVMIntTypeInContext(context, bits)))
    }
}

#[cfg(test)]
mod tests {
    use super::stub;

    #[test]
    fn stub_names() {
        assert_eq!(stub("_Z21__device_stub__reducePfi").as_deref(), Some("_Z6reducePfi"));
        assert_eq!(stub("__device_stub__k").as_deref(), Some("k"));
        assert_eq!(stub("main"), None);
    }
}
