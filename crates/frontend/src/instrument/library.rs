//! What a kernel calls: the checker, functions of CUDA's headers that are only names to us, and the maths library.
//!
//! The headers of ours name an atomic function by its operation, type and scope; here it becomes LLVM's instruction. All of
//! them are relaxed, as CUDA says. A narrower scope than the device's is not used: the wider one has its effect, too.
//!
//! A function of the maths library is taken from the SDK's libdevice where there is one (`--cuda-path`), otherwise from
//! libclc by a small library of ours (`device/maths.cu`). What then has no body stops the build.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::{fs, io};

use llvm_sys::LLVMAtomicRMWBinOp as Rmw;
use lockstep_cancel::Cancel;
use lockstep_kernel::Language;

use super::Checker;
use super::builder::Builder;
use crate::clang::{self, Source};
use crate::llvm::{self, Module, Opcode, Val};
use crate::prepare::KEEP;
use crate::{Error, Options};

const COMMON: &str = include_str!("../../device/common.cu");
const FLAG: &str = include_str!("../../device/flag.cu");
const STATEMENT: &str = include_str!("../../device/statement.cu");
const MATHS: &str = include_str!("../../device/maths.cu");

/// Functions that say something to the other engines, and do nothing on a device.
const SAID: [&str; 3] = ["__lockstep_requires", "__lockstep_assume", "__lockstep_assert"];

/// The bitcode of a checker for an architecture.
pub(super) fn checker(
    which: Checker,
    architecture: &str,
    cancel: &Cancel,
) -> Result<Arc<[u8]>, Error> {
    let (name, before, text) = match which {
        Checker::Flag => ("flag.cu", "", FLAG),
        Checker::FlagInside => ("flag-inside.cu", "#define INSIDE\n", FLAG),
        Checker::Statement => ("statement.cu", "", STATEMENT),
    };
    own_library(name, &format!("{before}{COMMON}{text}"), architecture, cancel)
}

/// Compiles a library of ours, once for each architecture.
fn own_library(
    name: &str,
    text: &str,
    architecture: &str,
    cancel: &Cancel,
) -> Result<Arc<[u8]>, Error> {
    static KNOWN: Mutex<BTreeMap<(String, String), Arc<[u8]>>> = Mutex::new(BTreeMap::new());
    let key = (name.to_owned(), architecture.to_owned());
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(bitcode) = known().get(&key) {
        return Ok(bitcode.clone());
    }
    let mut c = Command::new(clang::tool("clang++-19"));
    c.args(["-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib", "-std=c++17"]);
    c.args([&format!("--offload-arch={architecture}"), "--cuda-feature=+ptx80"]);
    c.args(["-Wno-unknown-cuda-version", "-O0", "-Xclang", "-disable-O0-optnone"]);
    c.args(["-ffp-contract=off", "-fno-color-diagnostics", "-emit-llvm", "-c", "-o", "-", "-"]);
    c.stdin(Stdio::piped());
    let source = Source {
        language: Language::Cuda,
        name: name.into(),
        bytes: text.as_bytes().to_vec(),
        path: None,
    };
    let bitcode: Arc<[u8]> = clang::run(c, &source, cancel)?.bitcode.into();
    known().insert(key, bitcode.clone());
    Ok(bitcode)
}

/// An atomic function of our headers.
pub(super) struct OwnAtomic {
    pub(super) bytes: u64,
    pub(super) compares: bool,
    op: Option<Rmw>,
}

/// `__lockstep_atomic_add_i32_device`, and its like.
pub(super) fn own_atomic(name: &str) -> Option<OwnAtomic> {
    let mut parts = name.strip_prefix("__lockstep_atomic_")?.split('_');
    let (op, ty) = (parts.next()?, parts.next()?);
    let bytes = match ty {
        "i16" | "f16" => 2,
        "i32" | "f32" => 4,
        "i64" | "f64" => 8,
        _ => return None,
    };
    let op = match op {
        "add" => Rmw::LLVMAtomicRMWBinOpAdd,
        "sub" => Rmw::LLVMAtomicRMWBinOpSub,
        "xchg" => Rmw::LLVMAtomicRMWBinOpXchg,
        "min" => Rmw::LLVMAtomicRMWBinOpMin,
        "max" => Rmw::LLVMAtomicRMWBinOpMax,
        "umin" => Rmw::LLVMAtomicRMWBinOpUMin,
        "umax" => Rmw::LLVMAtomicRMWBinOpUMax,
        "inc" => Rmw::LLVMAtomicRMWBinOpUIncWrap,
        "dec" => Rmw::LLVMAtomicRMWBinOpUDecWrap,
        "and" => Rmw::LLVMAtomicRMWBinOpAnd,
        "or" => Rmw::LLVMAtomicRMWBinOpOr,
        "xor" => Rmw::LLVMAtomicRMWBinOpXor,
        "fadd" => Rmw::LLVMAtomicRMWBinOpFAdd,
        "cas" => return Some(OwnAtomic { bytes, compares: true, op: None }),
        _ => return None,
    };
    Some(OwnAtomic { bytes, compares: false, op: Some(op) })
}

fn calls(module: &Module) -> Vec<(Val, String)> {
    let instructions = module.functions().into_iter().flat_map(llvm::blocks);
    let instructions = instructions.flat_map(llvm::instructions);
    let calls = instructions.filter(|&i| llvm::opcode(i) == Opcode::LLVMCall);
    calls.filter_map(|i| Some((i, llvm::name(llvm::callee(i)?)))).collect()
}

/// Makes the functions of our headers instructions.
pub(super) fn own_functions(module: &Module) {
    for (call, name) in calls(module) {
        let Some(atomic) = own_atomic(&name) else { continue };
        let args = llvm::call_args(call);
        let b = Builder::before(module, call);
        let old = match atomic.op {
            Some(op) => b.atomic(op, args[0], args[1]),
            None => b.compare_and_swap(args[0], args[1], args[2]),
        };
        llvm::replace(call, old);
    }
}

/// Removes what only the other engines read.
pub(super) fn remove_marks(module: &Module) {
    for (call, name) in calls(module) {
        if name.starts_with(KEEP) || SAID.contains(&name.as_str()) {
            llvm::erase(call);
        }
    }
}

/// Functions that are called and have no body.
fn missing(module: &Module) -> Vec<String> {
    let mut names: Vec<String> = calls(module)
        .into_iter()
        .filter(|(call, _)| llvm::callee(*call).is_some_and(llvm::is_declaration))
        .map(|(_, name)| name)
        .filter(|name| !name.starts_with("llvm.") && !PROVIDED.contains(&name.as_str()))
        .collect();
    names.sort();
    names.dedup();
    names
}

/// What the driver has for every kernel.
const PROVIDED: [&str; 4] = ["vprintf", "malloc", "free", "__assertfail"];

pub(super) fn link_maths(
    module: &mut Module,
    options: &Options,
    architecture: &str,
) -> Result<(), Error> {
    module.run_passes("globaldce").map_err(Error::Device)?;
    if missing(module).is_empty() {
        return Ok(());
    }
    match &options.cuda_path {
        Some(sdk) => {
            let path = libdevice(sdk)?;
            let library = fs::read(&path).map_err(|e| unreadable(&path, &e))?;
            module.link_needed(&library, &missing(module)).map_err(Error::Device)?;
        }
        None => {
            let own = own_library("maths.cu", MATHS, architecture, &options.cancel)?;
            module.link_needed(&own, &missing(module)).map_err(Error::Device)?;
            let of_opencl = |m: &Module| missing(m).iter().any(|name| name.starts_with("_Z"));
            if of_opencl(module)
                && let Some(library) = clang::opencl_library()
            {
                module.link_needed(&library, &missing(module)).map_err(Error::Device)?;
            }
        }
    }
    let left = missing(module);
    if left.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = left.iter().map(|n| llvm::demangle::function(n)).collect();
    let names: Vec<&str> = names.iter().map(|n| n.trim_start_matches("__nv_")).collect();
    Err(Error::Device(format!("no library for the device has {}", names.join(", "))))
}

fn libdevice(sdk: &Path) -> Result<PathBuf, Error> {
    let path = sdk.join("nvvm/libdevice/libdevice.10.bc");
    match path.exists() {
        true => Ok(path),
        false => Err(Error::Device(format!(
            "the SDK has no {}; without --cuda-path, libclc is used",
            lockstep_names::shown(&path)
        ))),
    }
}

fn unreadable(path: &Path, e: &io::Error) -> Error {
    Error::NotFound { path: lockstep_names::shown(path), why: e.to_string() }
}
