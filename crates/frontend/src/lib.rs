//! From source to [`Kernel`]: CUDA, OpenCL C and LLVM IR, and functions of C and C++ to compare kernels with.
//!
//! clang compiles the source at `-O0` to bitcode, LLVM's own API loads it, only passes that keep every access to
//! shared and global memory run over it, and the result is lowered once into the kernel representation.
//!
//! **Architecture Invariant:** no type of LLVM leaves this crate, and nothing here judges a kernel.
//! **Architecture Invariant:** an operation that cannot be modelled becomes `Op::Unsupported` with its name and source
//! location; the front end never guesses a meaning.
//!
//! Entry points: [`load`] for a file or standard input, [`load_ir_bytes`] for IR, [`bitcode`] for callers that store
//! it, [`host_side`] for the launches in the host part of a CUDA file, [`compile_reference`] for functions of the host.

mod annotations;
mod clang;
mod cleanup;
mod entries;
mod error;
mod head;
mod host;
mod instances;
mod instrument;
mod left_out;
mod llvm;
mod lower;
mod names;
mod prepare;
mod program;
mod reference;
mod restart;
mod salvage;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lockstep_cancel::Cancel;
use lockstep_kernel::{Kernel, Language};

use clang::{Compiled, Emit, Source};
use entries::Entries;
use salvage::Detail;

pub use clang::architecture::DEFAULT_ARCHITECTURE;
pub use clang::compiler_identity;
pub use entries::{DeviceFunction, is_named};
pub use error::Error;
pub use head::HeadComment;
pub use host::{
    HostAlias, HostArray, HostBound, HostBranch, HostCompare, HostCondition, HostLaunch, HostOp,
    HostPart, HostPointer, HostSide, HostValue, host_side,
};
pub use instances::{Chosen, Uninstantiated};
pub use instrument::{
    AroundSite, CheckedAs, CheckedCode, CheckedSite, Checker, Codegen, DeviceArray, DeviceKernel,
    Instrumentation, Ptxas, SharedVariable, for_device,
};
pub use left_out::{LeftOut, Lines, Parts};
pub use llvm::reader::set_reader_aside;
pub use lower::program::{Argument, Declared, ProgramKernel, Variable};
pub use program::{
    DeviceCode, DevicePart, HostCompiler, compile_opencl, compile_unit, cuda_headers, has_image,
    load_program,
};
pub use reference::{Reference, compile_reference, is_reference};
pub use restart::{begin_again_after_crash, is_careful};
pub use salvage::{Experience, Omission, Part};

/// How to compile and lower.
#[derive(Clone, Debug)]
pub struct Options {
    /// From `--lang`; otherwise the file's extension decides.
    pub language: Option<Language>,
    /// `-I`, `-D`, `-std=`, `-include`, and everything after `--`.
    pub clang_args: Vec<OsString>,
    /// A CUDA SDK to use instead of our own headers.
    pub cuda_path: Option<PathBuf>,
    /// Maximum depth of recursion that is inlined.
    pub recursion_limit: u32,
    /// Maximum number of operations of one kernel after inlining.
    pub size_limit: usize,
    /// Names of functions to lower like kernels, if no kernel has the name: as in the source, with or without namespace
    /// and template arguments, or mangled.
    pub entries: Vec<String>,
    /// What is known of a source of which parts do not compile ([`Module::experience`]): it is not compiled as a whole
    /// first, and the headers of the system that it includes are precompiled and kept, so that it is parsed faster.
    pub experience: Option<Arc<Experience>>,
    /// Stops the compiler; a compilation in progress ends with an error.
    pub cancel: Cancel,
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
            experience: None,
            cancel: Cancel::default(),
        }
    }
}

impl Options {
    /// Makes clang read a file with other contents.
    pub(crate) fn read_as(&mut self, file: OsString, contents: &Path) {
        let mut remap = file;
        remap.push(";");
        remap.push(contents);
        self.clang_args.extend(["-Xclang", "-remap-file", "-Xclang"].map(OsString::from));
        self.clang_args.push(remap);
    }
}

/// Where the source is.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    Path(&'a Path),
    /// Standard input, or a text from an editor or a test; the name as given by `lockstep_names::shown`.
    Text {
        name: &'a str,
        bytes: &'a [u8],
    },
}

/// The result for a source file.
#[derive(Clone, Debug)]
pub struct Module {
    pub language: Language,
    /// In source order, with the functions among [`Options::entries`]; empty if there is no kernel, or none that was
    /// instantiated.
    pub kernels: Vec<Kernel>,
    /// Functions of the source that are not kernels and can be named in [`Options::entries`], in source order. Those
    /// that the compiler drops if they are never called (`static`, `inline`) are only included if there is no kernel,
    /// or an entry was not found without them.
    pub device_functions: Vec<DeviceFunction>,
    /// Those of [`Options::entries`] that are neither kernels nor functions of the source.
    pub missing_entries: Vec<String>,
    pub head: HeadComment,
    /// clang's warnings, verbatim.
    pub warnings: Vec<String>,
    /// Templates that nothing in the source instantiates, and that were instantiated with arguments of our choice.
    pub chosen: Vec<Chosen>,
    /// Templates for which that failed, and kernels that are not compiled for the architecture.
    pub uninstantiated: Vec<Uninstantiated>,
    /// The architecture that CUDA code was compiled for.
    pub architecture: Option<String>,
    /// The parts of its kernels that depend on the architecture.
    pub left_out: Vec<LeftOut>,
    /// All files that the compiler read, including the input itself.
    pub files: Vec<PathBuf>,
    /// Headers that were not found and taken as empty, as they are spelled.
    pub missing_headers: Vec<String>,
    /// Parts of the source that do not compile and were left out.
    pub omissions: Vec<Omission>,
    /// What was learnt of it, if it was compiled several times.
    pub experience: Option<Arc<Experience>>,
}

impl Module {
    /// Whether this is all of the source.
    pub fn is_whole(&self) -> bool {
        self.missing_headers.is_empty() && self.omissions.is_empty()
    }
}

/// Compiles (or reads) the input and lowers every kernel in it, and the functions that [`Options::entries`] names.
pub fn load(input: Input, options: &Options) -> Result<Module, Error> {
    let source = Source::open(input, options)?;
    let text = String::from_utf8_lossy(&source.bytes);
    let head = head::parse(&text, source.language);
    if source.language == Language::Llvm {
        return Ok(Module { head, ..load_ir_bytes(&source.bytes, &source.name, options)? });
    }
    let again = |s: &Source, o: &Options| clang::compile(s, &head, o, Emit::Needed);
    let salvage = |options: &Options, first: Error| {
        salvage::compile(&source, &head, options, Detail::Statements, &again, first)
    };
    let is_cuda = source.language == Language::Cuda;
    let expected = is_cuda.then(|| salvage::lacks_headers(&source, &head, options)).flatten();
    let rest = expected.and_then(|known| salvage(&known.used(options), known.first()).ok());
    let rest = match rest {
        Some(rest) => rest,
        None => match clang::compile(&source, &head, options, Emit::Needed) {
            Err(first) if is_cuda => salvage(options, first)?,
            compiled => return lower_compiled(&source, &text, head, options, compiled?),
        },
    };
    let compiled = rest.compiled.clone();
    let module = lower_compiled(&rest.source, &text, head, &rest.options, compiled)?;
    rest.tell(module)
}

/// The kernels of a source that was compiled; `text` is what the user sees of it.
fn lower_compiled(
    source: &Source,
    text: &str,
    head: HeadComment,
    options: &Options,
    compiled: Compiled,
) -> Result<Module, Error> {
    let lower = |bitcode: &[u8]| lower_bitcode(bitcode, &source.name, source.language, options);
    let mut module = lower(&compiled.bitcode)?;
    let mut files = compiled.files;
    if source.language == Language::Cuda {
        let own = String::from_utf8_lossy(&source.bytes);
        let missing = instances::missing(&own, &module.kernels, &options.entries);
        if !missing.is_empty() {
            let made = instances::make(source, &head, options, &missing)?;
            if let Some(with) = made.compiled {
                module = lower(&with.bitcode)?;
                files = with.files;
            }
            (module.chosen, module.uninstantiated) = (made.chosen, made.failed);
        }
    }
    // Functions that are never called have not been emitted. If one of them may be requested, or must be named in the
    // message, all are emitted; if that fails, the first result is kept.
    let wanted = if options.entries.is_empty() {
        module.kernels.is_empty() && module.uninstantiated.is_empty()
    } else {
        !module.missing_entries.is_empty()
    };
    if wanted
        && module.chosen.is_empty()
        && let Ok(all) = clang::compile(source, &head, options, Emit::All)
        && let Ok(with_all) = lower(&all.bitcode)
    {
        module = with_all;
    }
    if source.language == Language::Cuda {
        let found = left_out::find(source, &head, options, &files, &module.kernels);
        module.uninstantiated.retain(|u| found.missing.iter().all(|m| m.template != u.template));
        module.uninstantiated.extend(found.missing);
        module.left_out = found.kernels;
        module.architecture = Some(clang::architecture::of(options));
    }
    annotations::quote(&mut module.kernels, &source.name, text);
    names::mend(&mut module.kernels, &source.name, text);
    if let Some(offset) = head.global_offset {
        module.kernels.iter_mut().for_each(|k| head::fix_offset(k, offset));
    }
    if let Some(dimensions) = head.work_dim {
        module.kernels.iter_mut().for_each(|k| head::fix_work_dim(k, dimensions));
    }
    Ok(Module { head, warnings: compiled.warnings, files, ..module })
}

/// clang's output for a source file, unchanged: for callers that store it and load it later.
pub fn bitcode(input: Input, options: &Options) -> Result<Vec<u8>, Error> {
    let source = Source::open(input, options)?;
    let head = head::parse(&String::from_utf8_lossy(&source.bytes), source.language);
    Ok(clang::compile(&source, &head, options, Emit::Needed)?.bitcode)
}

/// Lowers LLVM IR, bitcode or text. Invalid input is an error.
pub fn load_ir_bytes(bytes: &[u8], name: &str, options: &Options) -> Result<Module, Error> {
    let upgraded;
    let bytes = if llvm::is_bitcode(bytes) {
        if let Some(module) = restart::guarded(|| llvm::Module::parse(bytes, name)) {
            let module = module.map_err(Error::BadIr)?;
            return lower_module(module, bytes, name, Language::Llvm, options);
        }
        clang::check_bitcode(bytes, name, options)?;
        bytes
    } else {
        upgraded = clang::upgrade_text_ir(bytes, name, &options.cancel)?;
        &upgraded
    };
    lower_bitcode(bytes, name, Language::Llvm, options)
}

fn lower_bitcode(
    bytes: &[u8],
    name: &str,
    language: Language,
    options: &Options,
) -> Result<Module, Error> {
    let module = llvm::Module::parse(bytes, name).map_err(Error::BadIr)?;
    lower_module(module, bytes, name, language, options)
}

/// The kernels of a module, which was read from `bytes`.
fn lower_module(
    mut module: llvm::Module,
    bytes: &[u8],
    name: &str,
    language: Language,
    options: &Options,
) -> Result<Module, Error> {
    let entries = Entries::find(&module, name, language, options);
    let result = |kernels: Vec<Kernel>, entries: Entries| Module {
        language,
        kernels,
        device_functions: entries.functions,
        missing_entries: entries.missing,
        head: HeadComment::default(),
        warnings: Vec::new(),
        chosen: Vec::new(),
        uninstantiated: Vec::new(),
        architecture: None,
        left_out: Vec::new(),
        files: Vec::new(),
        missing_headers: Vec::new(),
        omissions: Vec::new(),
        experience: None,
    };
    prepare::run(&module, &entries.chosen).map_err(Error::BadIr)?;
    let lowered = lower::module(&module, name, language, options, &entries.chosen);
    let may_be_builtin = matches!(language, Language::OpenCl | Language::Llvm)
        && lowered.missing.iter().any(|m| m.starts_with("_Z"));
    if !may_be_builtin {
        return Ok(result(lowered.kernels, entries));
    }
    // Some function has no body and no known meaning. OpenCL's own library may define it; then everything is repeated
    // with the library, which only affects the kernels that need it.
    let Some(library) = clang::opencl_library() else {
        return Ok(result(lowered.kernels, entries));
    };
    module = llvm::Module::parse(bytes, name).map_err(Error::BadIr)?;
    if module.link_needed(&library, &lowered.missing).is_err() {
        return Ok(result(lowered.kernels, entries));
    }
    prepare::run(&module, &entries.chosen).map_err(Error::BadIr)?;
    let kernels = lower::module(&module, name, language, options, &entries.chosen).kernels;
    Ok(result(kernels, entries))
}
