//! From source to [`Kernel`]: CUDA, OpenCL C and LLVM IR.
//!
//! clang compiles the source at `-O0` to bitcode, LLVM's own API loads it, only passes that keep every access to
//! shared and global memory run over it, and the result is lowered once into the kernel representation.
//!
//! **Architecture Invariant:** no type of LLVM's leaves this crate, and nothing here judges a kernel.
//! **Architecture Invariant:** what cannot be modelled becomes `Op::Unsupported` with its name and place; the front
//! end never guesses a meaning.
//!
//! Entry points: [`load`] for a file or standard input, [`load_ir_bytes`] for IR, [`host_launches`] for the constant
//! launches that the host part of a CUDA file makes.

mod annotations;
mod clang;
mod cleanup;
mod demangle;
mod error;
mod head;
mod host;
mod llvm;
mod lower;
mod mangle;
mod prelude;
mod prepare;

use std::path::{Path, PathBuf};

use lockstep_kernel::{Kernel, Language};

pub use error::Error;
pub use head::HeadComment;
pub use host::{HostLaunch, host_launches};

/// How to compile and lower.
#[derive(Clone, Debug)]
pub struct Options {
    /// From `--lang`; otherwise the file's extension decides.
    pub language: Option<Language>,
    /// `-I`, `-D`, `-std=`, `-include`, and all that stands after `--`.
    pub clang_args: Vec<String>,
    /// A CUDA SDK to use instead of our own headers.
    pub cuda_path: Option<PathBuf>,
    /// How deep recursion is followed.
    pub recursion_limit: u32,
    /// How many operations one kernel may have once every call is inlined.
    pub size_limit: usize,
    /// Names of functions to lower as if they were kernels, where no kernel has the name: as the source has it, with
    /// or without namespace and template arguments, or mangled.
    pub entries: Vec<String>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            language: None,
            clang_args: Vec::new(),
            cuda_path: None,
            recursion_limit: 32,
            size_limit: 200_000,
            entries: Vec::new(),
        }
    }
}

/// Where the source is.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    Path(&'a Path),
    /// Standard input, or a test's own text.
    Text {
        name: &'a str,
        bytes: &'a [u8],
    },
}

/// Everything a source file gave.
#[derive(Clone, Debug)]
pub struct Module {
    pub language: Language,
    /// In the order of the source; empty where there is no kernel, or none that was instantiated.
    pub kernels: Vec<Kernel>,
    /// Functions of the source that are not kernels and can be asked for in [`Options::entries`], in its order. Those
    /// that the compiler drops when nobody calls them (`static`, `inline`) are here only where entries were asked for.
    pub device_functions: Vec<DeviceFunction>,
    pub head: HeadComment,
    /// clang's warnings, as clang writes them.
    pub warnings: Vec<String>,
}

/// A function that is not a kernel, with a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceFunction {
    /// As the source has it (with namespace and template arguments).
    pub name: String,
    pub mangled: String,
}

/// Compiles (or reads) the input and lowers every kernel in it.
pub fn load(input: Input, options: &Options) -> Result<Module, Error> {
    let source = clang::Source::open(input, options)?;
    match source.language {
        Language::Llvm => {
            let mut module = load_ir_bytes(&source.bytes, &source.name, options)?;
            module.head = head::parse(&String::from_utf8_lossy(&source.bytes), Language::Llvm);
            Ok(module)
        }
        language => {
            let head = head::parse(&String::from_utf8_lossy(&source.bytes), language);
            let compiled = clang::compile(&source, &head, options)?;
            let mut kernels = lower_bitcode(&compiled.bitcode, &source.name, language, options)?;
            annotations::quote(&mut kernels, &source.name, &String::from_utf8_lossy(&source.bytes));
            Ok(Module {
                language,
                kernels,
                device_functions: Vec::new(),
                head,
                warnings: compiled.warnings,
            })
        }
    }
}

/// Lowers LLVM IR, bitcode or text. Garbage is an error.
pub fn load_ir_bytes(bytes: &[u8], name: &str, options: &Options) -> Result<Module, Error> {
    let upgraded;
    let bytes = if llvm::is_bitcode(bytes) {
        clang::check_bitcode(bytes, name)?;
        bytes
    } else {
        upgraded = clang::upgrade_text_ir(bytes, name)?;
        &upgraded
    };
    let kernels = lower_bitcode(bytes, name, Language::Llvm, options)?;
    Ok(Module {
        language: Language::Llvm,
        kernels,
        device_functions: Vec::new(),
        head: HeadComment::default(),
        warnings: Vec::new(),
    })
}

fn lower_bitcode(
    bytes: &[u8],
    name: &str,
    language: Language,
    options: &Options,
) -> Result<Vec<Kernel>, Error> {
    let mut module = llvm::Module::parse(bytes, name).map_err(Error::BadIr)?;
    prepare::run(&module).map_err(Error::BadIr)?;
    let lowered = lower::module(&module, name, language, options);
    let may_be_builtin =
        language != Language::Cuda && lowered.missing.iter().any(|m| m.starts_with("_Z"));
    if !may_be_builtin {
        return Ok(lowered.kernels);
    }
    // Some function has no body and no meaning here. OpenCL's own library may have one; then all is done again
    // with it, which costs only the kernels that need it.
    let Some(library) = clang::opencl_library() else {
        return Ok(lowered.kernels);
    };
    module = llvm::Module::parse(bytes, name).map_err(Error::BadIr)?;
    if module.link_needed(&library).is_err() {
        return Ok(lowered.kernels);
    }
    prepare::run(&module).map_err(Error::BadIr)?;
    Ok(lower::module(&module, name, language, options).kernels)
}
