//! From a file name (or `-`) to the kernels asked for.

use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use lockstep_finding::InputError;
use lockstep_frontend::{self as frontend, HostSide, Input, Module};
use lockstep_kernel::Kernel;
use lockstep_names as names;

use crate::cli::options::InputArgs;

/// A source as the front end takes it: a path, or what standard input held.
pub(crate) struct Source {
    /// As the user named it, as text.
    pub(crate) name: String,
    path: PathBuf,
    text: Option<Vec<u8>>,
}

impl Source {
    pub(crate) fn open(path: &Path) -> Result<Source, InputError> {
        let (name, path) = (names::shown(path), path.to_path_buf());
        if name != "-" {
            return Ok(Source { name, path, text: None });
        }
        let mut bytes = Vec::new();
        std::io::stdin()
            .lock()
            .read_to_end(&mut bytes)
            .map_err(|e| error("-", format!("cannot read standard input: {e}")))?;
        Ok(Source { name, path, text: Some(bytes) })
    }

    /// A file with another text than it has on disk.
    pub(crate) fn edited(path: &Path, text: Vec<u8>) -> Source {
        Source { name: names::shown(path), path: path.to_path_buf(), text: Some(text) }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Its text; none where it is no text.
    pub(crate) fn read(&self) -> Option<String> {
        match &self.text {
            Some(bytes) => String::from_utf8(bytes.clone()).ok(),
            None => std::fs::read_to_string(&self.path).ok(),
        }
    }

    /// The kernels of the source; one without any is an error.
    pub(crate) fn load(&self, options: &InputArgs) -> Result<Module, InputError> {
        let module = self.load_any(options)?;
        self.has_kernels(&module)?;
        match module.uninstantiated.first() {
            Some(u) if module.kernels.is_empty() => {
                Err(error(&self.name, format!("kernel {}: {}", u.template, u.because)))
            }
            _ => Ok(module),
        }
    }

    /// The same where it may have none, or only templates that cannot be instantiated.
    pub(crate) fn load_any(&self, options: &InputArgs) -> Result<Module, InputError> {
        if self.name == "-" && options.lang.is_none() {
            return Err(error(
                "-",
                "standard input has no name: say --lang cuda, opencl or llvm".into(),
            ));
        }
        let module = frontend::load(self.input(), &frontend_options(options));
        module.map_err(|e| match e {
            // It is about no file, and said once.
            frontend::Error::Machine(what) => error("", what),
            e => error(&self.name, e.to_string()),
        })
    }

    /// Whether there is something to look at, and what to say otherwise.
    pub(crate) fn has_kernels(&self, module: &Module) -> Result<(), InputError> {
        if !module.kernels.is_empty() || !module.uninstantiated.is_empty() {
            return Ok(());
        }
        let file = if self.name == "-" { "standard input" } else { &self.name };
        Err(error(&self.name, format!("no kernels in {file}{}", module.offered_functions())))
    }

    pub(crate) fn host_side(&self, module: &Module, options: &InputArgs) -> HostSide {
        let mut included = module.files.clone();
        included.retain(|file| is_users_file(file, options));
        let experience = module.experience.clone();
        let options = frontend::Options { experience, ..frontend_options(options) };
        frontend::host_side(self.input(), &included, &options)
    }

    pub(crate) fn input(&self) -> Input<'_> {
        match &self.text {
            Some(bytes) => Input::Text { name: &self.name, bytes },
            None => Input::Path(&self.path),
        }
    }

    /// Name and text of what no file holds.
    pub(crate) fn typed(&self) -> Option<(String, String)> {
        let text = String::from_utf8_lossy(self.text.as_deref()?).into_owned();
        Some((self.name.clone(), text))
    }
}

pub(crate) fn frontend_options(options: &InputArgs) -> frontend::Options {
    frontend::Options {
        language: options.lang.map(|l| l.language()),
        clang_args: options.clang_args.clone(),
        cuda_path: options.cuda_path.clone(),
        entries: options.kernel.clone(),
        cancel: options.cancel.clone(),
        ..frontend::Options::default()
    }
}

/// Whether a file that the compiler read is one of the user's, not of the system, an SDK or our own.
pub(crate) fn is_users_file(file: &Path, options: &InputArgs) -> bool {
    let ours = || file.to_str().is_some_and(|f| f.contains("/lockstep/include-"));
    let of_sdk = || options.cuda_path.as_ref().is_some_and(|sdk| file.starts_with(sdk));
    !file.starts_with("/usr") && !ours() && !of_sdk()
}

/// Whether a file is one of the system, an SDK, or a library whose headers stand in a folder given by `-isystem`.
pub(crate) fn is_of_a_library(file: &Path, options: &InputArgs) -> bool {
    let mut folders = Vec::new();
    let mut args = options.clang_args.iter();
    while let Some(arg) = args.next() {
        if let Some(joined) = arg.as_bytes().strip_prefix(b"-isystem") {
            folders.extend(if joined.is_empty() {
                args.next().map(OsString::as_os_str)
            } else {
                Some(OsStr::from_bytes(joined))
            });
        }
    }
    !is_users_file(file, options) || folders.iter().any(|folder| file.starts_with(folder))
}

pub(crate) fn error(file: &str, message: String) -> InputError {
    InputError { file: file.to_owned(), message }
}

/// Whether `--kernel` means this one: mangled, as the source has it, or without
/// its template arguments, parameters and namespaces.
pub(crate) fn is_named(kernel: &Kernel, name: &str) -> bool {
    let plain = kernel.name.split(['<', '(']).next().unwrap_or(&kernel.name);
    let last = plain.rsplit("::").next().unwrap_or(plain);
    [kernel.name.as_str(), kernel.mangled.as_str(), plain, last].contains(&name)
}

/// The kernels that `--kernel` asks for: all of them without it.
pub(crate) fn select<'a>(kernels: &'a [Kernel], names: &[String]) -> Vec<&'a Kernel> {
    let wanted = |k: &&Kernel| names.is_empty() || names.iter().any(|n| is_named(k, n));
    kernels.iter().filter(wanted).collect()
}

/// What to say where no kernel has the name that was asked for, only others.
pub(crate) fn no_kernel(asked: &str, others: &[String]) -> String {
    match others {
        [one] => format!("no kernel '{asked}'; there is only {one}"),
        _ => format!("no kernel '{asked}'; there are {}", others.join(", ")),
    }
}

/// As the source has them.
pub(crate) fn names(kernels: &[Kernel]) -> Vec<String> {
    kernels.iter().map(|k| k.name.clone()).collect()
}
