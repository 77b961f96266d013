//! Functions that are not kernels, and which of them are lowered as if they were.
//!
//! A `__device__` function (in OpenCL any function) can be checked on its own: its pointers become arrays in global
//! memory (`__local` ones of OpenCL stay local), references become pointers, and what it returns is ignored. A pointer
//! that its callers make point into shared memory is taken to point to global memory: the bitcode does not tell.
//!
//! clang emits nothing for a `static` or `inline` function that nobody calls; it is asked to only where a name was not
//! found otherwise. A template that nobody instantiates has no code, and cannot be named.

use lockstep_kernel::{Kernel, Language};

use crate::llvm::{self, Val};
use crate::{Module, Options, lower, prepare};

/// A function that is not a kernel, with a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceFunction {
    /// As the source has it (with namespace and template arguments).
    pub name: String,
    pub mangled: String,
    /// It stands in the input itself, and not in a header.
    pub in_input: bool,
}

impl DeviceFunction {
    /// Whether `asked` means this function.
    pub fn is_named(&self, asked: &str) -> bool {
        is_named(&self.name, &self.mangled, asked)
    }
}

/// Whether `asked` means the kernel or function of this name: mangled, as the source has it, or without its template
/// arguments, parameters and namespaces.
pub fn is_named(name: &str, mangled: &str, asked: &str) -> bool {
    let plain = name.split(['<', '(']).next().unwrap_or(name);
    let last = plain.rsplit("::").next().unwrap_or(plain);
    [name, mangled, plain, last].contains(&asked)
}

impl Module {
    /// What to add where a source has no kernel, but functions of its own.
    pub fn offered_functions(&self) -> String {
        let Some(names) = function_names(&self.device_functions) else { return String::new() };
        let function = match self.language {
            Language::Cuda => "__device__ function",
            _ => "function",
        };
        format!("; name a {function} with --kernel to check it as if it were a kernel: {names}")
    }

    /// What to say where nothing in the source has the name that was asked for.
    pub fn no_entry(&self, asked: &str) -> String {
        let is_function =
            |k: &&Kernel| self.device_functions.iter().any(|f| f.mangled == k.mangled);
        let kernels: Vec<&str> =
            self.kernels.iter().filter(|k| !is_function(k)).map(|k| k.name.as_str()).collect();
        let mut has = Vec::new();
        if !kernels.is_empty() {
            has.push(format!("the kernels {}", kernels.join(", ")));
        }
        if let Some(names) = function_names(&self.device_functions) {
            has.push(format!("the functions {names}"));
        }
        match has.is_empty() {
            true => format!("there is no kernel or function `{asked}` in it, and no other"),
            false => {
                format!(
                    "there is no kernel or function `{asked}` in it; it has {}",
                    has.join(" and ")
                )
            }
        }
    }
}

/// `a, b, c`: each name of the input's own once, and not too many.
fn function_names(functions: &[DeviceFunction]) -> Option<String> {
    const MOST: usize = 20;
    let mut names: Vec<&str> = Vec::new();
    for f in functions.iter().filter(|f| f.in_input) {
        if !names.contains(&f.name.as_str()) {
            names.push(&f.name);
        }
    }
    let more = names.len().saturating_sub(MOST);
    names.truncate(MOST);
    let text = names.join(", ");
    match (names.is_empty(), more) {
        (true, _) => None,
        (false, 0) => Some(text),
        (false, _) => Some(format!("{text} and {more} more")),
    }
}

/// What a module offers and what of it was asked for.
pub(crate) struct Entries {
    pub(crate) functions: Vec<DeviceFunction>,
    /// Mangled names of the functions to lower as kernels.
    pub(crate) chosen: Vec<String>,
    /// Names that were asked for and are not there.
    pub(crate) missing: Vec<String>,
}

impl Entries {
    /// To be called before functions are inlined and dropped.
    pub(crate) fn find(
        module: &llvm::Module,
        name: &str,
        language: Language,
        options: &Options,
    ) -> Entries {
        let kernels: Vec<Val> = prepare::kernels(module, &[]);
        let named: Vec<DeviceFunction> = kernels.iter().map(|&f| described(f)).collect();
        let functions: Vec<DeviceFunction> = (module.functions().into_iter())
            .filter(|f| !llvm::is_declaration(*f) && !kernels.contains(f))
            .filter_map(|f| {
                let file = lower::users_file(module, name, language, options, f)?;
                Some(DeviceFunction { in_input: file == name, ..described(f) })
            })
            .filter(|f| !is_generated(&f.name))
            .collect();
        let (mut chosen, mut missing) = (Vec::new(), Vec::new());
        for asked in &options.entries {
            if named.iter().any(|k| k.is_named(asked)) {
                continue;
            }
            let before = chosen.len();
            let found = functions.iter().filter(|f| f.is_named(asked));
            chosen.extend(found.map(|f| f.mangled.clone()));
            if chosen.len() == before {
                missing.push(asked.clone());
            }
        }
        Entries { functions, chosen, missing }
    }
}

fn described(f: Val) -> DeviceFunction {
    let mangled = llvm::name(f);
    DeviceFunction { name: crate::llvm::demangle::function(&mangled), mangled, in_input: true }
}

/// What nobody wrote as a function: set-up of globals, and the bodies of lambdas.
fn is_generated(name: &str) -> bool {
    name.starts_with("_GLOBAL__")
        || name.starts_with("__cxx_global")
        || name.contains("{lambda")
        || name.contains("'lambda")
}
