//! Driving clang: which command for which language, and what its messages mean.
//!
//! The source is compiled at `-O0` without `optnone`, with debug locations and value names, to bitcode on clang's
//! standard output; no temporary file is written. OpenCL is compiled for `nvptx64--nvidiacl`, so that its address
//! spaces are CUDA's and Debian's libclc can be linked. A source that does not compile as OpenCL C 2.0 is tried as
//! 1.2, unless the user chose; if that fails too, the first messages are shown.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs, io};

use lockstep_kernel::Language;

use crate::{Error, HeadComment, Input, Options, llvm, prelude};

/// The text of the input, and what it is.
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
                let name = path.display().to_string();
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
            None => language_of(Path::new(&name)).ok_or(Error::UnknownExtension { path: name.clone() })?,
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

pub(crate) struct Compiled {
    pub(crate) bitcode: Vec<u8>,
    pub(crate) warnings: Vec<String>,
}

pub(crate) fn compile(source: &Source, head: &HeadComment, options: &Options) -> Result<Compiled, Error> {
    match source.language {
        Language::OpenCl => {
            let chosen = options.clang_args.iter().any(|a| a.starts_with("-cl-std"));
            let first = run(opencl_command(source, head, options, (!chosen).then_some("CL2.0"))?, source);
            if first.is_ok() || chosen {
                return first;
            }
            match run(opencl_command(source, head, options, Some("CL1.2"))?, source) {
                Ok(compiled) => Ok(compiled),
                Err(_) => first,
            }
        }
        _ => run(cuda_command(source, head, options, Side::Device)?, source),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Device,
    Host,
}

pub(crate) fn cuda_command(
    source: &Source,
    head: &HeadComment,
    options: &Options,
    side: Side,
) -> Result<Command, Error> {
    let mut c = Command::new(tool("clang++-19"));
    c.args(["-x", "cuda", "--cuda-gpu-arch=sm_70", "-Wno-unknown-cuda-version", "-std=c++17", "-fno-color-diagnostics"]);
    match side {
        Side::Device => c.args(["--cuda-device-only", "--cuda-feature=+ptx80", "-nocudalib", "-g", "-O0"]).args([
            "-Xclang",
            "-disable-O0-optnone",
            "-fno-discard-value-names",
            "-ffp-contract=off",
        ]),
        Side::Host => c.args(["--cuda-host-only", "-nocudalib", "-gline-tables-only", "-O1", "-fno-discard-value-names", "-w"]),
    };
    match &options.cuda_path {
        Some(path) => {
            let mut argument = OsString::from("--cuda-path=");
            argument.push(path);
            c.arg(argument);
            // Annotations are ours, not the SDK's.
            let annotations = headers()?.join("cuda/lockstep/annotations.h");
            if side == Side::Device && annotations.exists() {
                c.arg("-include").arg(annotations);
            }
        }
        None => {
            let include = headers()?.join("cuda");
            c.arg("-nocudainc").arg("-isystem").arg(&include);
            c.arg("-include").arg(include.join("lockstep_cuda_prelude.h"));
        }
    }
    finish(&mut c, source, head, options);
    Ok(c)
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
    c.args(["-Xclang", "-finclude-default-header", "-Xclang", "-cl-ext=+all", "-target", "nvptx64--nvidiacl"]);
    c.args(["-g", "-O0", "-Xclang", "-disable-O0-optnone", "-fno-discard-value-names", "-ffp-contract=off"]);
    c.args(["-cl-kernel-arg-info", "-Wno-unused-value"]);
    let include = headers()?.join("opencl");
    c.arg("-isystem").arg(&include).arg("-include").arg(include.join("lockstep_opencl_prelude.h"));
    finish(&mut c, source, head, options);
    Ok(c)
}

fn finish(c: &mut Command, source: &Source, head: &HeadComment, options: &Options) {
    for flag in &head.flags {
        c.arg(flag);
    }
    c.args(&options.clang_args);
    c.args(["-emit-llvm", "-c", "-o", "-"]);
    match &source.path {
        Some(path) => c.arg(path),
        None => c.arg("-"),
    };
}

pub(crate) fn run(mut command: Command, source: &Source) -> Result<Compiled, Error> {
    let from_pipe = source.path.is_none();
    command.stdin(if from_pipe { Stdio::piped() } else { Stdio::null() });
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|e| {
        let program = command.get_program().to_string_lossy().into_owned();
        match e.kind() {
            io::ErrorKind::NotFound => Error::ToolMissing(format!("{program} not found; run make setup")),
            _ => Error::ToolMissing(format!("{program} could not be started: {e}")),
        }
    })?;
    if let Some(mut pipe) = child.stdin.take() {
        let bytes = source.bytes.clone();
        std::thread::spawn(move || {
            let _ = pipe.write_all(&bytes);
        });
    }
    let output = child.wait_with_output().map_err(|e| Error::ToolMissing(format!("clang: {e}")))?;
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let stderr = if from_pipe { stderr.replace("<stdin>", &source.name) } else { stderr };
    if !output.status.success() {
        return Err(match missing_header(&stderr) {
            Some(header) => Error::MissingHeader { header, stderr },
            None if stderr.trim().is_empty() => {
                Error::Compile { stderr: format!("clang failed on {} without a message", source.name) }
            }
            None => Error::Compile { stderr },
        });
    }
    let warnings = if stderr.trim().is_empty() { Vec::new() } else { vec![stderr] };
    Ok(Compiled { bitcode: output.stdout, warnings })
}

/// `fatal error: 'cub/cub.cuh' file not found`
fn missing_header(stderr: &str) -> Option<String> {
    let line = stderr.lines().find(|l| l.contains("error: '") && l.contains("' file not found"))?;
    let rest = line.split_once("error: '")?.1;
    Some(rest.split_once('\'')?.0.to_string())
}

fn headers() -> Result<PathBuf, Error> {
    prelude::dir().map_err(|e| Error::ToolMissing(format!("cannot unpack Lockstep's headers: {e}")))
}

/// A tool by its name on the path, or where Debian puts it.
fn tool(name: &str) -> PathBuf {
    if on_path(name).is_some() {
        return name.into();
    }
    let debian = Path::new("/usr/lib/llvm-19/bin").join(name.trim_end_matches("-19"));
    if debian.exists() { debian } else { name.into() }
}

fn on_path(name: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?).map(|d| d.join(name)).find(|p| p.exists())
}

/// Textual IR that LLVM 19 reads; typed pointers go through an older assembler, where one is installed.
pub(crate) fn upgrade_text_ir(bytes: &[u8], name: &str) -> Result<Vec<u8>, Error> {
    let text = std::str::from_utf8(bytes)
        .map_err(|_| Error::BadIr(format!("{name} is neither bitcode nor UTF-8 text")))?;
    if !has_typed_pointers(text) {
        return Ok(bytes.to_vec());
    }
    let Err(first) = llvm::Module::parse(bytes, name) else { return Ok(bytes.to_vec()) };
    let Some(assembler) = (11..=16).rev().find_map(|v| on_path(&format!("llvm-as-{v}"))) else {
        return Err(Error::ToolMissing(format!(
            "{name} has typed pointers, the IR of LLVM 16 or older; to read it an older assembler is needed: \
             install llvm-14, llvm-15 or llvm-16 (none of llvm-as-11 to llvm-as-16 is on the path)"
        )));
    };
    let mut command = Command::new(assembler);
    command.args(["-o", "-", "-"]);
    let source =
        Source { language: Language::Llvm, name: name.to_string(), bytes: bytes.to_vec(), path: None };
    match run(command, &source) {
        Ok(compiled) => Ok(compiled.bitcode),
        Err(Error::Compile { stderr }) => Err(Error::BadIr(format!("{}\n{}", first.trim(), stderr.trim()))),
        Err(other) => Err(other),
    }
}

/// Whether a type is followed by a star anywhere outside comments and strings.
fn has_typed_pointers(text: &str) -> bool {
    text.lines().any(|line| {
        let code = line.split(';').next().unwrap_or("");
        let code = code.split('"').step_by(2);
        code.into_iter().any(|c| {
            let b = c.as_bytes();
            (1..b.len()).any(|i| b[i] == b'*' && (b[i - 1].is_ascii_alphanumeric() || matches!(b[i - 1], b'}' | b']' | b'>' | b')' | b'*')))
        })
    })
}

/// Debian's libclc for our target.
pub(crate) fn opencl_library() -> Option<Vec<u8>> {
    let places = ["/usr/lib/clc/nvptx64--nvidiacl.bc", "/usr/share/clc/nvptx64--nvidiacl.bc"];
    places.iter().find_map(|p| fs::read(p).ok())
}
