//! Driving clang: the command for each language, and the interpretation of its messages.
//!
//! The source is compiled at `-O0` without `optnone`, with debug locations and value names, to bitcode on clang's
//! standard output; no temporary file is written. OpenCL is compiled for `nvptx64--nvidiacl`, so that its address
//! spaces are CUDA's and Debian's libclc can be linked. A source that does not compile as OpenCL C 2.0 is tried as
//! 1.2, unless the user chose; if that fails too, the first messages are shown.

pub(crate) mod architecture;
pub(crate) mod dependencies;
mod host_object;
pub(crate) mod preamble;
pub(crate) mod prelude;
pub(crate) mod temporary;

use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex, MutexGuard};
use std::{env, fs, io};

use lockstep_cancel::Cancel;
use lockstep_kernel::Language;
use lockstep_names as names;

use crate::clang::preamble::Included;
use crate::llvm::reader::{self, Reading};
use crate::{Error, HeadComment, Input, Options, llvm};

/// The text of the input, and its language.
#[derive(Clone)]
pub(crate) struct Source {
    pub(crate) language: Language,
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) path: Option<PathBuf>,
}

impl Source {
    pub(crate) fn open(input: Input, options: &Options) -> Result<Source, Error> {
        let (name, bytes, path) = match input {
            Input::Path(path) => {
                let name = names::shown(path);
                if path.is_dir() {
                    return Err(Error::NotFound { path: name, why: "it is a folder".into() });
                }
                let bytes = fs::read(path).map_err(|e| Error::NotFound {
                    path: name.clone(),
                    why: match e.kind() {
                        io::ErrorKind::NotFound => "no such file".into(),
                        _ => e.to_string(),
                    },
                })?;
                (name, bytes, Some(path.to_path_buf()))
            }
            Input::Text { name, bytes } => (name.to_string(), bytes.to_vec(), None),
        };
        let language = match options.language {
            Some(language) => language,
            None => language_of(Path::new(&name))
                .ok_or(Error::UnknownExtension { path: name.clone() })?,
        };
        if language != Language::Llvm && bytes.contains(&0) {
            return Err(Error::NotUtf8 { path: name });
        }
        Ok(Source { language, name, bytes, path })
    }
}

fn language_of(path: &Path) -> Option<Language> {
    match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "cu" | "cuh" => Some(Language::Cuda),
        "cl" | "ocl" => Some(Language::OpenCl),
        "ll" | "bc" => Some(Language::Llvm),
        _ => None,
    }
}

pub(crate) use host_object::program_host_command;

#[derive(Clone)]
pub(crate) struct Compiled {
    pub(crate) bitcode: Vec<u8>,
    pub(crate) warnings: Vec<String>,
    /// The files that clang read; empty if they were not requested.
    pub(crate) files: Vec<PathBuf>,
}

/// Which functions are emitted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Emit {
    /// Those that can be called.
    Needed,
    /// All functions with a body, including `static` and `inline` ones.
    All,
}

impl Emit {
    fn arguments(self) -> &'static [&'static str] {
        match self {
            Emit::Needed => &[],
            // Even at -O0, clang's passes drop functions that are always inlined and never called.
            Emit::All => &["-Xclang", "-femit-all-decls", "-Xclang", "-disable-llvm-passes"],
        }
    }
}

pub(crate) fn compile(
    source: &Source,
    head: &HeadComment,
    options: &Options,
    emit: Emit,
) -> Result<Compiled, Error> {
    let run = |mut command: Command, source: &Source| {
        command.args(emit.arguments());
        dependencies::run(command, source, &options.cancel)
    };
    match source.language {
        Language::OpenCl => {
            if chosen_standard(options).is_some() {
                return run(opencl_command(source, head, options, None)?, source);
            }
            let first = run(opencl_command(source, head, options, Some("CL2.0"))?, source);
            if first.is_ok() {
                return first;
            }
            match run(opencl_command(source, head, options, Some("CL1.2"))?, source) {
                Ok(compiled) => Ok(compiled),
                Err(_) => first,
            }
        }
        _ => {
            let (command, precompiled) = cuda_command(source, head, options, Side::Device)?;
            match (run(command, source), precompiled) {
                // A header of the precompiled file, or clang itself, has changed: retry without the precompiled file.
                (Err(Error::Compile { stderr }), Some(file)) if is_stale(&stderr, &file) => {
                    let _ = fs::remove_file(file);
                    run(cuda_command(source, head, options, Side::DevicePlain)?.0, source)
                }
                (Err(Error::Compile { stderr }), _) if options.cuda_path.is_none() => {
                    let remedies = remedies(&stderr);
                    let first = Err(Error::Compile { stderr });
                    if remedies.is_empty() {
                        return first;
                    }
                    let (mut command, _) = cuda_command(source, head, options, Side::Device)?;
                    for header in remedies {
                        command.arg("-include").arg(headers()?.join("cuda/lockstep").join(header));
                    }
                    run(command, source).or(first)
                }
                (result, _) => result,
            }
        }
    }
}

/// Headers of ours that let clang compile code that nvcc accepts.
fn remedies(stderr: &str) -> Vec<&'static str> {
    let lines: Vec<&str> = stderr.lines().collect();
    let shows = |message: &str, code: &str| {
        let at = |i: usize| lines.get(i).is_some_and(|l| l.contains(code));
        (0..lines.len()).any(|i| lines[i].contains(message) && at(i + 1))
    };
    let mut out = Vec::new();
    if shows("typedef redefinition", "size_t") {
        out.push("own_size_t.h");
    }
    if shows("not allowed on non-static local variables", "__shared__") {
        out.push("device_locals.h");
    }
    out
}

fn is_stale(stderr: &str, precompiled: &Path) -> bool {
    let names_it = |l: &str| l.contains("PCH") || l.contains("precompiled");
    stderr.lines().any(|l| l.contains("error:") && names_it(l)) || !precompiled.exists()
}

/// Compiles the host side of a CUDA source.
pub(crate) fn compile_host_side(
    source: &Source,
    head: &HeadComment,
    options: &Options,
) -> Result<Compiled, Error> {
    let (command, precompiled) = cuda_command(source, head, options, Side::Host)?;
    match (dependencies::run(command, source, &options.cancel), precompiled) {
        (Err(Error::Compile { stderr }), Some(file)) if is_stale(&stderr, &file) => {
            let _ = fs::remove_file(file);
            let plain = Options { experience: None, ..options.clone() };
            let (command, _) = cuda_command(source, head, &plain, Side::Host)?;
            dependencies::run(command, source, &options.cancel)
        }
        (result, _) => result,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Device,
    /// Without the precompiled prelude.
    DevicePlain,
    /// For the launches in it.
    Host,
    /// For its functions.
    Reference,
}

pub(crate) fn cuda_command(
    source: &Source,
    head: &HeadComment,
    options: &Options,
    side: Side,
) -> Result<(Command, Option<PathBuf>), Error> {
    let mut c = Command::new(tool("clang++-19"));
    let mut precompiled = None;
    let architecture = architecture::of(options);
    c.args(CUDA).arg(format!("--offload-arch={architecture}"));
    match side {
        Side::Host => c.args(HOST_SIDE),
        Side::Reference => c.args(["--cuda-host-only", "-w"]).args(HOST),
        Side::Device | Side::DevicePlain => c.args(CUDA_DEVICE),
    };
    match &options.cuda_path {
        Some(path) => {
            let mut argument = OsString::from("--cuda-path=");
            argument.push(path);
            c.arg(argument);
            // Without the SDK's library the driver does not pass its version on, and clang assumes an old one.
            if let Some(version) = sdk_version(path) {
                c.args(["-Xclang", &format!("-target-sdk-version={version}")]);
            }
            // Annotations come from our headers, not from the SDK.
            let annotations = headers()?.join("sdk/lockstep_sdk_prelude.h");
            if !matches!(side, Side::Host | Side::Reference) && annotations.exists() {
                c.arg("-include").arg(annotations);
            }
        }
        None => {
            let include = headers()?.join("cuda");
            c.arg("-nocudainc").arg("-isystem").arg(&include);
            if !head.gpuverify && head.flags.is_empty() {
                precompiled = preamble::precompiled(options, side);
            }
            if precompiled.is_some() {
                c.args(preamble::VALIDATE);
            } else if side == Side::Device
                && head.flags.iter().all(|f| leaves_prelude_alone(f))
                && architecture::others(options).all(|f| leaves_prelude_alone(&f.to_string_lossy()))
            {
                precompiled = precompiled_prelude(&architecture);
            }
            match &precompiled {
                Some(file) => c.args(["-Xclang", "-include-pch", "-Xclang"]).arg(file),
                None => c.arg("-include").arg(include.join("lockstep_cuda_prelude.h")),
            };
            if head.gpuverify {
                c.arg("-include").arg(include.join("lockstep/gpuverify.h"));
            }
        }
    }
    finish(&mut c, source, head, options);
    Ok((c, precompiled))
}

const CUDA: [&str; 7] = [
    "-x",
    "cuda",
    "-Wno-unknown-cuda-version",
    "-std=c++17",
    "-fno-color-diagnostics",
    "-nocudalib",
    "-fno-discard-value-names",
];

const CUDA_DEVICE: [&str; 9] = [
    "--cuda-device-only",
    "--cuda-feature=+ptx80",
    "-g",
    // A functor's constructor is host code: its type must be described without it.
    "-Xclang",
    "-fno-use-ctor-homing",
    "-O0",
    "-Xclang",
    "-disable-O0-optnone",
    "-ffp-contract=off",
];

const HOST_SIDE: [&str; 6] =
    ["--cuda-host-only", "-gline-tables-only", "-O1", "-w", "-Xclang", "-disable-llvm-passes"];

/// Whether a flag cannot change the meaning of our prelude.
fn leaves_prelude_alone(flag: &str) -> bool {
    let path_or_file = !flag.starts_with('-') || flag.starts_with("-I") || flag.starts_with("-W");
    let macro_of_the_user = flag
        .strip_prefix("-D")
        .is_some_and(|m| !m.is_empty() && !m.starts_with('_') && m != "NDEBUG");
    // A header that is included comes after it.
    let comes_later =
        ["-Xclang", "-remap-file", "-MG", "-ferror-limit=0", "-include"].contains(&flag);
    (path_or_file && !flag.ends_with(".pch")) || macro_of_the_user || comes_later
}

/// `12.4` of `#define CUDA_VERSION 12040`.
fn sdk_version(sdk: &Path) -> Option<String> {
    let header = fs::read_to_string(sdk.join("include/cuda.h")).ok()?;
    let line = header.lines().find(|l| l.starts_with("#define CUDA_VERSION "))?;
    let number: u32 = line.split_whitespace().nth(2)?.parse().ok()?;
    Some(format!("{}.{}", number / 1000, number % 1000 / 10))
}

fn precompiled_prelude(architecture: &str) -> Option<PathBuf> {
    let folder = headers().ok()?;
    let clang = tool("clang++-19");
    let binary = on_path(clang.to_str()?).unwrap_or(clang.clone());
    prelude::precompiled(&folder, &binary, architecture, |wrapper, out| {
        let mut c = Command::new(&clang);
        c.args(CUDA).arg(format!("--offload-arch={architecture}")).args(CUDA_DEVICE);
        c.arg("-nocudainc").arg("-isystem").arg(folder.join("cuda"));
        c.args(["-emit-llvm", "-c", "-Xclang", "-emit-pch", "-o"]).arg(out).arg(wrapper);
        c.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        c.status().is_ok_and(|s| s.success())
    })
}

/// Whether a file does not belong to the system, an SDK or our own headers.
pub(crate) fn is_users(file: &Path, options: &Options) -> bool {
    let ours = file.to_str().is_some_and(|f| f.contains(&format!("include-{}/", prelude::HASH)));
    let of_sdk = options.cuda_path.as_ref().is_some_and(|sdk| file.starts_with(sdk));
    !file.starts_with("/usr") && !ours && !of_sdk
}

/// A source after the preprocessor.
#[derive(Default)]
pub(crate) struct Preprocessed {
    /// The lines that are compiled, without comments, as file, number and text; macros are not expanded.
    pub(crate) lines: Vec<(PathBuf, u32, String)>,
    /// The headers of the system that they include, if these can be parsed before the rest.
    pub(crate) headers: Vec<String>,
    /// All files that were read, and those that are missing, if the options let them be.
    pub(crate) files: Vec<PathBuf>,
}

pub(crate) fn preprocessed(
    source: &Source,
    head: &HeadComment,
    options: &Options,
) -> Option<Preprocessed> {
    let (mut command, _) = cuda_command(source, head, options, Side::DevicePlain).ok()?;
    command.args(["-E", "-dI", "-Xclang", "-fdirectives-only"]);
    let Compiled { bitcode: output, files, .. } =
        dependencies::run(command, source, &options.cancel).ok()?;
    let input = names::path(&source.name);
    let (mut file, mut line) = (PathBuf::new(), 0);
    let mut out = Vec::new();
    let mut included = Included::default();
    for text in output.split(|b| *b == b'\n') {
        if let Some((number, name)) = line_marker(text) {
            included.enter(text, &name);
            (line, file) = (number, name);
            continue;
        }
        let text = String::from_utf8_lossy(text);
        if !text.trim().is_empty() {
            let file = if file == Path::new("<stdin>") { &input } else { &file };
            included.read(file, &text, options);
            out.push((file.clone(), line, text.trim_end_matches('\r').to_owned()));
        }
        line += 1;
    }
    Some(Preprocessed { lines: out, headers: included.headers(), files })
}

/// 12 and `a.cu` of `# 12 "a.cu" 2`.
fn line_marker(text: &[u8]) -> Option<(u32, PathBuf)> {
    let rest = text.strip_prefix(b"# ")?;
    let space = rest.iter().position(|b| *b == b' ')?;
    let number = std::str::from_utf8(&rest[..space]).ok()?.parse().ok()?;
    let rest = rest[space + 1..].strip_prefix(b"\"")?;
    let quoted = &rest[..rest.iter().rposition(|b| *b == b'"')?];
    let (mut name, mut bytes) = (Vec::new(), quoted.iter());
    while let Some(&byte) = bytes.next() {
        name.push(match byte {
            b'\\' => match bytes.next()? {
                b'n' => b'\n',
                other => *other,
            },
            byte => byte,
        });
    }
    Some((number, OsString::from_vec(name).into()))
}

/// `CL1.2` of the last `-cl-std=CL1.2`.
fn chosen_standard(options: &Options) -> Option<&str> {
    let all = options.clang_args.iter().rev();
    let mut values = all.filter_map(|a| a.to_str()?.strip_prefix("-cl-std="));
    values.next()
}

fn opencl_command(
    source: &Source,
    head: &HeadComment,
    options: &Options,
    standard: Option<&str>,
) -> Result<Command, Error> {
    let mut c = Command::new(tool("clang-19"));
    c.args(["-x", "cl", "-fno-color-diagnostics"]);
    if let Some(standard) = standard {
        c.arg(format!("-cl-std={standard}"));
    }
    // Extensions enable the keywords of later standards; version 1.2 gets only its own.
    let extensions = match standard.or(chosen_standard(options)) {
        Some(old) if old.to_ascii_uppercase().starts_with("CL1.") => {
            "-cl-ext=-all,+cl_khr_fp64,+cl_khr_fp16,+cl_khr_int64_base_atomics,\
             +cl_khr_int64_extended_atomics,+cl_khr_byte_addressable_store,+cl_khr_3d_image_writes,\
             +cl_khr_global_int32_base_atomics,+cl_khr_global_int32_extended_atomics,\
             +cl_khr_local_int32_base_atomics,+cl_khr_local_int32_extended_atomics"
        }
        _ => "-cl-ext=+all",
    };
    c.args(["-Xclang", "-finclude-default-header", "-Xclang", extensions]);
    c.args(["-target", "nvptx64--nvidiacl"]);
    c.args([
        "-g",
        "-O0",
        "-Xclang",
        "-disable-O0-optnone",
        "-fno-discard-value-names",
        "-ffp-contract=off",
    ]);
    // In C99 a plain `inline` function has no callable body unless an optimiser inlines it.
    c.args(["-cl-kernel-arg-info", "-Wno-unused-value", "-fgnu89-inline"]);
    let include = headers()?.join("opencl");
    c.arg("-isystem").arg(&include).arg("-include").arg(include.join("lockstep_opencl_prelude.h"));
    finish(&mut c, source, head, options);
    Ok(c)
}

/// C, C++ and the host side of CUDA, for this machine.
pub(crate) fn compile_for_host(
    source: &Source,
    options: &Options,
    emit: Emit,
) -> Result<Compiled, Error> {
    let nothing = HeadComment::default();
    let mut command = match source.language {
        Language::Cuda => cuda_command(source, &nothing, options, Side::Reference)?.0,
        language => {
            let (compiler, name) = match language {
                Language::C => ("clang-19", "c"),
                _ => ("clang++-19", "c++"),
            };
            let mut c = Command::new(tool(compiler));
            c.args(["-x", name, "-fno-color-diagnostics", "-fno-discard-value-names"]).args(HOST);
            if language == Language::C {
                // In C99 a plain `inline` function has no callable body unless an optimiser inlines it.
                c.arg("-fgnu89-inline");
            }
            finish(&mut c, source, &nothing, options);
            c
        }
    };
    command.args(emit.arguments());
    dependencies::run(command, source, &options.cancel)
}

const HOST: [&str; 5] = ["-g", "-O0", "-Xclang", "-disable-O0-optnone", "-ffp-contract=off"];

fn finish(c: &mut Command, source: &Source, head: &HeadComment, options: &Options) {
    for flag in &head.flags {
        c.arg(flag);
    }
    c.args(architecture::others(options));
    c.args(["-emit-llvm", "-c", "-o", "-"]);
    match &source.path {
        // Must not be parsed as an option, whatever its name is.
        Some(path) if path.as_os_str().as_bytes().starts_with(b"-") => {
            c.arg(Path::new(".").join(path))
        }
        Some(path) => c.arg(path),
        None => c.arg("-"),
    };
}

pub(crate) fn run(
    mut command: Command,
    source: &Source,
    cancel: &Cancel,
) -> Result<Compiled, Error> {
    let from_pipe = source.path.is_none();
    command.stdin(if from_pipe { Stdio::piped() } else { Stdio::null() });
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|e| {
        let program = command.get_program().to_string_lossy().into_owned();
        match e.kind() {
            io::ErrorKind::NotFound => {
                Error::Machine(format!("{program} not found; run make setup"))
            }
            _ => Error::ToolMissing(format!("{program} could not be started: {e}")),
        }
    })?;
    if let Some(mut pipe) = child.stdin.take() {
        let bytes = source.bytes.clone();
        std::thread::spawn(move || {
            let _ = pipe.write_all(&bytes);
        });
    }
    let output =
        finish_child(child, cancel).map_err(|e| Error::ToolMissing(format!("clang: {e}")))?;
    if cancel.is_cancelled() {
        return Err(Error::Cancelled);
    }
    let stderr = names::message(&output.stderr, command_names(&command));
    let stderr = if from_pipe { stderr.replace("<stdin>", &source.name) } else { stderr };
    if !output.status.success() {
        return Err(match missing_header(&stderr) {
            Some(header) => Error::MissingHeader { header, stderr },
            None if stderr.trim().is_empty() => Error::Compile {
                stderr: format!("clang failed on {} without a message", source.name),
            },
            None => Error::Compile { stderr },
        });
    }
    let warnings = if stderr.trim().is_empty() { Vec::new() } else { vec![stderr] };
    Ok(Compiled { bitcode: output.stdout, warnings, files: Vec::new() })
}

/// The parts of a command line that may be a file or a folder, alone or after an option.
fn command_names(command: &Command) -> impl Iterator<Item = &OsStr> {
    command.get_args().flat_map(|arg| {
        let bytes = arg.as_bytes();
        let joined = ["-I", "-isystem", "-iquote", "-include"];
        let value = joined.iter().find_map(|o| bytes.strip_prefix(o.as_bytes()));
        let folder = Path::new(arg).parent().map(Path::as_os_str);
        [Some(arg), value.map(OsStr::from_bytes), folder].into_iter().flatten()
    })
}

/// All output of the child until it exits; it is killed when the token is cancelled.
pub(crate) fn finish_child(mut child: Child, cancel: &Cancel) -> io::Result<Output> {
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let child = Arc::new(Mutex::new(child));
    let wait = cancel.on_cancel({
        let child = child.clone();
        move || {
            let _ = lock(&child).kill();
        }
    });
    let messages = std::thread::spawn(move || read_all(err));
    let stdout = read_all(out);
    let stderr = messages.join().unwrap_or_else(|_| Err(io::Error::other("a reader failed")));
    // Its pipes are closed: it is exiting, and the lock is held only briefly.
    let status = lock(&child).wait();
    drop(wait);
    Ok(Output { status: status?, stdout: stdout?, stderr: stderr? })
}

fn lock(child: &Mutex<Child>) -> MutexGuard<'_, Child> {
    child.lock().unwrap_or_else(|e| e.into_inner())
}

fn read_all(pipe: Option<impl io::Read>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    pipe.map_or(Ok(0), |mut p| p.read_to_end(&mut bytes))?;
    Ok(bytes)
}

/// `fatal error: 'cub/cub.cuh' file not found`
fn missing_header(stderr: &str) -> Option<String> {
    let line = stderr.lines().find(|l| l.contains("error: '") && l.contains("' file not found"))?;
    let rest = line.split_once("error: '")?.1;
    Some(rest.split_once('\'')?.0.to_string())
}

pub(crate) fn headers() -> Result<PathBuf, Error> {
    prelude::dir().map_err(|e| {
        Error::Machine(format!(
            "Lockstep's headers cannot be unpacked: {e}; set the environment variable XDG_CACHE_HOME or TMPDIR to a folder that can be written"
        ))
    })
}

/// A tool by its name on the path, or in Debian's directory.
pub(crate) fn tool(name: &str) -> PathBuf {
    if on_path(name).is_some() {
        return name.into();
    }
    let debian = Path::new("/usr/lib/llvm-19/bin").join(name.trim_end_matches("-19"));
    if debian.exists() { debian } else { name.into() }
}

pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?).map(|d| d.join(name)).find(|p| p.exists())
}

/// Textual IR that LLVM 19 can read; typed pointers are converted by an older assembler, if one is installed.
pub(crate) fn upgrade_text_ir(bytes: &[u8], name: &str, cancel: &Cancel) -> Result<Vec<u8>, Error> {
    let text = std::str::from_utf8(bytes)
        .map_err(|_| Error::BadIr(format!("{name} is neither bitcode nor UTF-8 text")))?;
    if !has_typed_pointers(text) {
        return Ok(bytes.to_vec());
    }
    let Err(first) = llvm::Module::parse(bytes, name) else {
        return Ok(bytes.to_vec());
    };
    let Some(assembler) = (11..=16).rev().find_map(|v| on_path(&format!("llvm-as-{v}"))) else {
        return Err(Error::ToolMissing(format!(
            "{name} has typed pointers, the IR of LLVM 16 or older; to read it an older assembler is needed: \
             install llvm-14, llvm-15 or llvm-16 (none of llvm-as-11 to llvm-as-16 is on the path)"
        )));
    };
    let mut command = Command::new(assembler);
    command.args(["-o", "-", "-"]);
    let source = Source {
        language: Language::Llvm,
        name: name.to_string(),
        bytes: bytes.to_vec(),
        path: None,
    };
    match run(command, &source, cancel) {
        Ok(compiled) => Ok(compiled.bitcode),
        // Before 3.7, `load` and `getelementptr` did not contain their type; no LLVM that is still packaged reads that.
        Err(Error::Compile { stderr })
            if stderr.contains("after load's type") || text.contains("metadata !{") =>
        {
            Err(Error::BadIr(format!(
                "{name} is the textual IR of LLVM 3.6 or older, which no later assembler reads; \
                 assemble it with its own llvm-as and give the .bc, or compile the source again\n{}",
                stderr.trim()
            )))
        }
        Err(Error::Compile { stderr }) => {
            Err(Error::BadIr(format!("{}\n{}", first.trim(), stderr.trim())))
        }
        Err(other) => Err(other),
    }
}

/// LLVM's bitcode reader trusts its input, and may crash on a damaged file. So a file from the user is first read by
/// another process, where a crash is only a message, unless this process can restart after it ([`crate::restart`]): by
/// a forked reader ([`crate::llvm::reader`]), or else by `opt`. If neither is available, there is no such check.
pub(crate) fn check_bitcode(bytes: &[u8], name: &str, options: &Options) -> Result<(), Error> {
    let damaged = || Error::BadIr(format!("{name} is damaged: LLVM itself fails on it"));
    if let Some(reading) = reader::try_out(bytes, &options.cancel) {
        return match reading {
            Reading::Read => Ok(()),
            Reading::Refused(message) if !message.is_empty() => Err(Error::BadIr(message)),
            Reading::Refused(_) | Reading::Crashed => Err(damaged()),
            Reading::Cancelled => Err(Error::Cancelled),
        };
    }
    let mut command = Command::new(tool("opt-19"));
    command.args(["-passes=verify", "-disable-output", "-"]);
    let source = Source {
        language: Language::Llvm,
        name: name.to_string(),
        bytes: bytes.to_vec(),
        path: None,
    };
    match run(command, &source, &options.cancel) {
        Ok(_) | Err(Error::ToolMissing(_) | Error::Machine(_)) => Ok(()),
        Err(Error::Cancelled) => Err(Error::Cancelled),
        Err(Error::Compile { stderr }) if !stderr.contains("PLEASE submit a bug report") => {
            let first = stderr.lines().find(|l| l.contains("error:")).ok_or_else(damaged)?;
            let first = first.trim().trim_start_matches("opt-19: ");
            Err(Error::BadIr(first.trim_start_matches("error: ").to_string()))
        }
        Err(_) => Err(damaged()),
    }
}

/// Whether a type is followed by a star anywhere outside comments and strings.
fn has_typed_pointers(text: &str) -> bool {
    text.lines().any(|line| {
        let code = line.split(';').next().unwrap_or("");
        let code = code.split('"').step_by(2);
        code.into_iter().any(|c| {
            let b = c.as_bytes();
            (1..b.len()).any(|i| {
                b[i] == b'*'
                    && (b[i - 1].is_ascii_alphanumeric()
                        || matches!(b[i - 1], b'}' | b']' | b'>' | b')' | b'*'))
            })
        })
    })
}

const OPENCL_LIBRARY: [&str; 2] =
    ["/usr/lib/clc/nvptx64--nvidiacl.bc", "/usr/share/clc/nvptx64--nvidiacl.bc"];

/// Debian's libclc for our target.
pub(crate) fn opencl_library() -> Option<Vec<u8>> {
    OPENCL_LIBRARY.iter().find_map(|p| fs::read(p).ok())
}

/// Identifies the compiler and the library: another version may compile differently.
pub fn compiler_identity() -> String {
    let describe = |path: &Path| {
        let meta = fs::metadata(path).ok()?;
        Some(format!("{} {} {:?}", path.display(), meta.len(), meta.modified().ok()?))
    };
    let clang = tool("clang++-19");
    let binary = clang.to_str().and_then(on_path).unwrap_or(clang);
    let library = OPENCL_LIBRARY.iter().find_map(|p| describe(Path::new(p)));
    format!("{:?} {library:?}", describe(&binary))
}
