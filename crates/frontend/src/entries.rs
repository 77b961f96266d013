//! Functions that are not kernels, and which of them are lowered like kernels.
//!
//! A `__device__` function (in OpenCL any function) can be checked on its own: its pointers become arrays in global
//! memory (`__local` ones of OpenCL stay local), references become pointers, and its return value is ignored. A pointer
//! that its callers make point into shared memory is assumed to point to global memory: the bitcode does not
//! distinguish them.
//!
//! clang emits nothing for a `static` or `inline` function that is never called; it is told to emit them only if a name
//! was not found otherwise. A template without an instantiation has no code, and cannot be named.

use lockstep_kernel::{Kernel, Language};

use crate::llvm::{self, Val};
use crate::{Module, Options, lower, prepare};

/// A function that is not a kernel, with a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceFunction {
    /// As in the source (with namespace and template arguments).
    pub name: String,
    pub mangled: String,
    /// Whether it is defined in the input itself, and not in a header.
    pub in_input: bool,
}

impl DeviceFunction {
    /// Whether `asked` names this function.
    pub fn is_named(&self, asked: &str) -> bool {
        is_named(&self.name, &self.mangled, asked)
    }
}

/// Whether `asked` names the kernel or function with this name: mangled, as in the source, or without its template
/// arguments, parameters and namespaces.
pub fn is_named(name: &str, mangled: &str, asked: &str) -> bool {
    let plain = name.split(['<', '(']).next().unwrap_or(name);
    let last = plain.rsplit("::").next().unwrap_or(plain);
    [name, mangled, plain, last].contains(&asked)
}

/// `k` of `a::k<float>(int)`.
pub(crate) fn plain_name(name: &str) -> &str {
    let plain = name.split(['<', '(']).next().unwrap_or(name);
    plain.rsplit("::").next().unwrap_or(plain)
}

impl Module {
    /// The hint for a source without kernels, but with functions of its own.
    pub fn offered_functions(&self) -> String {
        let Some(names) = function_names(&self.device_functions) else { return String::new() };
        let function = match self.language {
            Language::Cuda => "__device__ function",
            _ => "function",
        };
        format!("; name a {function} with --kernel to check it as if it were a kernel: {names}")
    }

    /// The message if the source has nothing with the requested name.
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

/// `a, b, c`: each name in the input itself once, up to a limit.
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

/// The functions of a module, and the requested ones.
pub(crate) struct Entries {
    pub(crate) functions: Vec<DeviceFunction>,
    /// Mangled names of the functions to lower as kernels.
    pub(crate) chosen: Vec<String>,
    /// Requested names that do not exist.
    pub(crate) missing: Vec<String>,
}

impl Entries {
    /// Must be called before functions are inlined and dropped.
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

/// Generated functions: initialisers of globals, and the bodies of lambdas.
fn is_generated(name: &str) -> bool {
    name.starts_with("_GLOBAL__")
        || name.starts_with("__cxx_global")
        || name.contains("{lambda")
        || name.contains("'lambda")
}
