//! Lowering for a program that is run: the kernels of its device code, and its variables.
//!
//! The program itself gives all values. So structs passed by value are their bytes, and variables are memory: nothing of
//! them becomes a parameter.

use llvm_sys::core::{LLVMGetSection, LLVMGlobalGetValueType};
use lockstep_kernel::{Elem, Kernel, Language, Space};

use crate::Options;
use crate::llvm::{self, Module, Val};
use crate::lower::Lower;
use crate::lower::types::space_of;
use crate::prepare;

/// A kernel, and for each of its objects the name of the variable that it is.
#[derive(Clone, Debug)]
pub struct ProgramKernel {
    pub kernel: Kernel,
    pub variables: Vec<Option<String>>,
    /// By parameter of the source.
    pub arguments: Vec<Argument>,
}

/// What the host passes for one parameter of the source: the kernel's parameters that it is, each with its offset in
/// bytes from the start of the argument.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Argument {
    pub params: Vec<(usize, u64)>,
    /// Of OpenCL C: how the source declares it.
    pub declared: Declared,
}

/// A parameter as a source in OpenCL C declares it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declared {
    pub name: String,
    pub type_name: String,
    /// 0 private, 1 global, 2 constant, 3 local.
    pub address_space: u32,
    /// `read_only`, `write_only`, `read_write` or `none`.
    pub access: String,
    /// `const restrict`.
    pub qualifiers: String,
}

/// A variable in global or constant memory, by its mangled name.
#[derive(Clone, Debug)]
pub struct Variable {
    pub symbol: String,
    pub name: String,
    pub space: Space,
    pub elem: Elem,
    pub size: u64,
    /// Its first bytes; zeros follow.
    pub init: Vec<u8>,
    /// Addresses in it: offset, the variable that is meant, and what is added.
    pub relocations: Vec<(u64, String, i64)>,
    /// The host accesses it, too.
    pub is_managed: bool,
}

/// The section that our headers put managed variables into.
const MANAGED: &str = "lockstep_managed";

pub(crate) fn program(module: &Module, name: &str, options: &Options) -> Lowered {
    let kernels = prepare::kernels(module, &[]);
    let mut missing = Vec::new();
    let lowered = kernels.iter().map(|&f| {
        let mut lower = Lower::new(module, name, language(options), options, f);
        lower.given_by_program = true;
        lower.kernel(f);
        let variables = lower.symbols();
        let arguments = std::mem::take(&mut lower.arguments);
        missing.append(&mut lower.missing);
        ProgramKernel { kernel: lower.k, variables, arguments }
    });
    let lowered = lowered.collect();
    let all = kernels.first().map(|&f| variables(module, name, options, f));
    Lowered { kernels: lowered, variables: all.unwrap_or_default(), missing }
}

/// The kernels and variables of a program, and functions without a body that they call.
pub(crate) struct Lowered {
    pub(crate) kernels: Vec<ProgramKernel>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) missing: Vec<String>,
}

/// What a program's device code is written in.
fn language(options: &Options) -> Language {
    options.language.unwrap_or(Language::Cuda)
}

/// All variables of a module that has this function.
fn variables(module: &Module, name: &str, options: &Options, f: Val) -> Vec<Variable> {
    let mut lower = Lower::new(module, name, language(options), options, f);
    lower.cur = lower.new_block("entry");
    let globals: Vec<Val> = module.globals().into_iter().filter(|&g| is_variable(g)).collect();
    for &global in &globals {
        lower.object(global);
    }
    let symbols = lower.symbols();
    let symbol = |i: usize| symbols.get(i).cloned().flatten();
    let of = |&global: &Val| {
        let id = lower.objects.get(&global)?.0 as usize;
        let object = &lower.k.objects[id];
        let relocations = object.relocations.iter();
        Some(Variable {
            symbol: symbol(id)?,
            name: object.name.clone(),
            space: object.space,
            elem: object.elem,
            size: object.size,
            init: object.init.clone().unwrap_or_default(),
            relocations: relocations
                .filter_map(|&(at, target, addend)| Some((at, symbol(target.0 as usize)?, addend)))
                .collect(),
            is_managed: section(global) == MANAGED,
        })
    };
    globals.iter().filter_map(of).collect()
}

/// Whether a global is memory that outlives a launch.
fn is_variable(global: Val) -> bool {
    let name = llvm::name(global);
    let space = space_of(llvm::address_space(llvm::type_of(global)));
    // SAFETY: LLVM is given a global, of a module that is alive.
    let is_sized = llvm::type_kind(unsafe { LLVMGlobalGetValueType(global) });
    let is_sized = is_sized != llvm::TypeKind::LLVMVoidTypeKind;
    is_sized
        && matches!(space, Space::Global | Space::Constant | Space::Generic)
        && !["llvm.", ".str", "__const.", "anon."].iter().any(|p| name.starts_with(p))
        && !name.is_empty()
}

fn section(global: Val) -> String {
    // SAFETY: LLVM is given a global, of a module that is alive, and gives a zero-terminated text or null.
    unsafe {
        let text = LLVMGetSection(global);
        if text.is_null() {
            return String::new();
        }
        std::ffi::CStr::from_ptr(text).to_string_lossy().into_owned()
    }
}

impl Lower<'_> {
    /// For each object, the variable that it is.
    fn symbols(&self) -> Vec<Option<String>> {
        let mut names = vec![None; self.k.objects.len()];
        for (&global, id) in &self.objects {
            if is_variable(global) {
                names[id.0 as usize] = Some(llvm::name(global));
            }
        }
        names
    }
}
