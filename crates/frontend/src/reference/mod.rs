//! Functions in C and C++ that kernels are compared with.
//!
//! A reference is host code: `.c`, `.cpp`, or the host side of a `.cu` file. clang compiles it for this machine, with
//! the machine's own headers, and the function is lowered like a kernel that one thread runs: its pointers are arrays
//! in global memory, structs passed by value are parameters of structs ([`by_value`]), and what it calls is inlined.
//! Its result is ignored: a reference writes through pointers. The maths library is that of the kernels: `expf` of C
//! and of CUDA are the same operation.
//!
//! Products and sums are only fused where the source says so or the user asks for it: C leaves that to the compiler's
//! options, and clang is told `-ffp-contract=off`. What a signed overflow gives is what the compiler's IR says.
//!
//! Rejected, with a message: names that are missing, ambiguous, or of templates without an instance, and recursion. What
//! has no meaning in a `Kernel` (`long double`, arrays of variable length, exceptions that are thrown, functions whose
//! bodies are elsewhere) is an `Op::Unsupported` where it is.

mod by_value;
mod choose;

use std::path::{Path, PathBuf};

use lockstep_kernel::{Kernel, Language};

use crate::clang::{self, Emit, Source};
use crate::{Error, Input, Options, annotations, llvm, load, lower, names, prepare};

/// A function that was lowered to be run by one thread.
#[derive(Clone, Debug)]
pub struct Reference {
    pub kernel: Kernel,
    /// clang's warnings, verbatim.
    pub warnings: Vec<String>,
    /// All files that the compiler read, including the input itself.
    pub files: Vec<PathBuf>,
}

/// Whether a file of this name has host code that can be a reference.
pub fn is_reference(path: &Path) -> bool {
    language_of(path).is_some()
}

fn language_of(path: &Path) -> Option<Language> {
    match path.extension()?.to_str()? {
        "c" | "h" => Some(Language::C),
        "cpp" | "cc" | "cxx" | "c++" | "C" | "hpp" | "hh" | "hxx" => Some(Language::Cpp),
        "cu" | "cuh" => Some(Language::Cuda),
        _ => None,
    }
}

/// Lowers a function of C or C++, or a host function of a CUDA file, as a kernel to be run by one thread. The language
/// is that of [`Options::language`], or of the file's extension.
pub fn compile_reference(
    input: Input,
    function: &str,
    options: &Options,
) -> Result<Reference, Error> {
    let name = shown_name(input);
    let language = options.language.or_else(|| language_of(Path::new(&name)));
    let language = match language {
        Some(language @ (Language::C | Language::Cpp | Language::Cuda)) => language,
        _ => {
            return Err(Error::Reference(format!(
                "{name}: a reference is a function of C, C++ or the host side of CUDA (.c, .cpp, .cu)"
            )));
        }
    };
    let options = &Options { language: Some(language), ..options.clone() };
    let source = Source::open(input, options)?;
    let first = compiled(&source, function, options, Emit::Needed);
    if !matches!(first, Err(Error::NoFunction { .. })) {
        return first;
    }
    // A function that is `static` or `inline` and never called has not been emitted.
    let second = match compiled(&source, function, options, Emit::All) {
        Err(Error::Compile { .. }) => first,
        second => second,
    };
    match second {
        Err(Error::NoFunction { .. }) if language == Language::Cuda => {
            of_the_device(input, function, options).unwrap_or(second)
        }
        second => second,
    }
}

/// A `__device__` function of a CUDA file, and no kernel.
fn of_the_device(
    input: Input,
    function: &str,
    options: &Options,
) -> Option<Result<Reference, Error>> {
    let options = Options { entries: vec![function.to_owned()], ..options.clone() };
    let module = load(input, &options).ok()?;
    let is_asked = |k: &&Kernel| {
        module.device_functions.iter().any(|f| f.mangled == k.mangled && f.is_named(function))
    };
    let found: Vec<&Kernel> = module.kernels.iter().filter(is_asked).collect();
    match found[..] {
        [] => None,
        [kernel] => Some(Ok(Reference {
            kernel: kernel.clone(),
            warnings: module.warnings.clone(),
            files: module.files.clone(),
        })),
        _ => {
            let names: Vec<String> = found.iter().map(|k| k.mangled.clone()).collect();
            Some(Err(ambiguous(&shown_name(input), function, &names)))
        }
    }
}

fn ambiguous(file: &str, asked: &str, names: &[String]) -> Error {
    let names = names.join(", ");
    Error::Reference(format!("{file}: `{asked}` names several functions; choose one: {names}"))
}

fn shown_name(input: Input) -> String {
    match input {
        Input::Path(path) => lockstep_names::shown(path),
        Input::Text { name, .. } => name.to_owned(),
    }
}

fn compiled(
    source: &Source,
    function: &str,
    options: &Options,
    emit: Emit,
) -> Result<Reference, Error> {
    let compiled =
        clang::compile_for_host(source, options, emit).map_err(|e| explained(e, source))?;
    // CUDA's host code is C++.
    let language = match source.language {
        Language::C => Language::C,
        _ => Language::Cpp,
    };
    let module = llvm::Module::parse(&compiled.bitcode, &source.name).map_err(Error::BadIr)?;
    let chosen = choose::the_function(&module, source, function, options)?;
    choose::reject_recursion(chosen, source)?;
    let mangled = llvm::name(chosen);
    by_value::restore_parameters(&module, chosen);
    // A call that may throw goes on where it returns.
    module.run_passes("function(lower-invoke)").map_err(Error::BadIr)?;
    let entries = [mangled.clone()];
    prepare::run(&module, &entries).map_err(Error::BadIr)?;
    let lowered = lower::module(&module, &source.name, language, options, &entries);
    let mut kernels: Vec<Kernel> =
        lowered.kernels.into_iter().filter(|k| k.mangled == mangled).collect();
    let text = String::from_utf8_lossy(&source.bytes);
    annotations::quote(&mut kernels, &source.name, &text);
    names::mend(&mut kernels, &source.name, &text);
    let kernel = kernels.pop().ok_or_else(|| {
        Error::Reference(format!("{}: function {function} was not compiled", source.name))
    })?;
    Ok(Reference { kernel, warnings: compiled.warnings, files: compiled.files })
}

/// Errors of host code: a header of the system is missing for another reason than one of a kernel.
fn explained(error: Error, source: &Source) -> Error {
    match error {
        Error::MissingHeader { header, stderr } => Error::Reference(format!(
            "{}: header `{header}` not found: add its folder with -I; those of the C and C++ libraries are in the \
             packages libc6-dev and libstdc++-dev\n{}",
            source.name,
            stderr.trim_end()
        )),
        other => other,
    }
}
