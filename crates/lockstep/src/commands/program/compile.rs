//! Sources to objects, and objects to a program that is linked with the runtime library.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use lockstep_frontend::{Error, HostCompiler, Options, compile_unit, cuda_headers};
use lockstep_names as names;

use crate::commands::program::library;

/// How to compile and link.
#[derive(Clone, Debug, Default)]
pub(crate) struct Build {
    /// For device and host code: `-I`, `-D`, `-std=`.
    pub both: Vec<OsString>,
    /// For host code only: `-O2`, `-fopenmp`.
    pub host: Vec<OsString>,
    /// For the linker: `-L`, `-l`, `-Wl,…`.
    pub link: Vec<OsString>,
    pub cuda_path: Option<PathBuf>,
    pub relocatable: bool,
    /// All sources are CUDA (`-x cu`).
    pub all_cuda: bool,
    pub verbose: bool,
}

impl Build {
    /// Whether a file is CUDA source.
    pub(crate) fn is_cuda(&self, file: &Path) -> bool {
        let extension = file.extension().and_then(OsStr::to_str).unwrap_or("");
        matches!(extension, "cu" | "cuh") || self.all_cuda && is_source(file)
    }

    /// Compiles one source to an object.
    pub(crate) fn compile(&self, source: &Path, object: &Path) -> Result<(), String> {
        if !self.is_cuda(source) {
            return self.compile_host(source, object);
        }
        let options = Options {
            clang_args: self.both.clone(),
            cuda_path: self.cuda_path.clone(),
            ..Options::default()
        };
        let host = HostCompiler { options: self.for_host(), relocatable: self.relocatable };
        let warnings = compile_unit(source, &options, &host, object).map_err(told)?;
        if self.verbose {
            warnings.iter().for_each(|w| eprint!("{w}"));
        }
        Ok(())
    }

    /// Compiles C or C++: the compiler is clang, too, with CUDA's headers.
    fn compile_host(&self, source: &Path, object: &Path) -> Result<(), String> {
        let mut command = HostCompiler::command();
        let extension = source.extension().and_then(OsStr::to_str);
        if extension == Some("c") {
            command.args(["-x", "c"]);
            command.args(OLD_C.map(|name| format!("-Wno-error={name}")));
        }
        command.args(["-gline-tables-only", "-fno-omit-frame-pointer"]);
        let headers = cuda_headers().map_err(told)?;
        command.arg("-isystem").arg(headers);
        let is_cpp =
            |o: &&OsString| extension != Some("c") || !o.as_encoded_bytes().starts_with(b"-std=");
        command.args(self.both.iter().filter(|o| !is_architecture(o)).filter(is_cpp));
        command.args(self.for_host()).arg("-c").arg("-o").arg(object).arg(source);
        run(command, "compile")
    }

    /// The options for host code. Where no OpenMP library is installed, what OpenMP says of threads is passed over, and
    /// one thread runs all.
    fn for_host(&self) -> Vec<OsString> {
        let has_library = !self.host.iter().any(|o| o == OPENMP) || has_openmp();
        let keep = |o: &OsString| match o == OPENMP && !has_library {
            true => "-fopenmp-simd".into(),
            false => o.clone(),
        };
        self.host.iter().map(keep).collect()
    }

    /// The archive that `-lNAME` means; nothing for other options.
    fn library(&self, option: &OsStr) -> PathBuf {
        let name = option.as_encoded_bytes().strip_prefix(b"-l").map(OsStr::from_bytes);
        let Some(name) = name else { return PathBuf::new() };
        let mut file = OsString::from("lib");
        file.push(name);
        file.push(".a");
        let folders = self.link.iter().filter_map(|o| o.as_bytes().strip_prefix(b"-L"));
        let mut found = folders.map(|f| Path::new(OsStr::from_bytes(f)).join(&file));
        found.find(|p| p.exists()).unwrap_or_default()
    }

    /// An input of the linker. Who uses the device code of an archive, the linker does not see: it takes all of it.
    fn linked(&self, word: &OsStr, archive: PathBuf) -> Vec<OsString> {
        match has_device_code(&archive) {
            true => {
                vec!["-Wl,--whole-archive".into(), word.into(), "-Wl,--no-whole-archive".into()]
            }
            false => vec![word.into()],
        }
    }

    /// Links objects and libraries to a program, or to a shared library.
    pub(crate) fn link(&self, inputs: &[PathBuf], program: &Path) -> Result<(), String> {
        let folder = library::folder()?;
        let mut command = HostCompiler::command();
        for input in inputs {
            command.args(self.linked(input.as_os_str(), input.clone()));
        }
        command.arg("-o").arg(program);
        for option in &self.link {
            command.args(self.linked(option, self.library(option)));
        }
        let host = self.for_host();
        command.args(host.iter().filter(|o| *o == OPENMP || *o == "-pthread"));
        if self.host.iter().any(|o| o == OPENMP) && !host.iter().any(|o| o == OPENMP) {
            eprintln!(
                "warning: no OpenMP library for clang is installed: one thread runs the host code"
            );
        }
        let mut path = OsString::from("-Wl,-rpath,");
        path.push(&folder);
        command.arg("-L").arg(&folder).arg(format!("-l{}", library::NAME)).arg(path);
        command.args(["-lpthread", "-ldl", "-lm"]);
        run(command, "link")
    }
}

/// What the compilers of C that nvcc is used with take, with a warning.
const OLD_C: [&str; 4] = [
    "implicit-function-declaration",
    "implicit-int",
    "int-conversion",
    "incompatible-function-pointer-types",
];

const OPENMP: &str = "-fopenmp";

/// Whether clang finds the library that code with OpenMP is linked with: it answers with a path, or with the name alone.
fn has_openmp() -> bool {
    let found = |name: &str| {
        let output = HostCompiler::command().arg(format!("-print-file-name={name}")).output();
        output.is_ok_and(|o| o.stdout.first() == Some(&b'/'))
    };
    found("libomp.so") || found("libomp.a")
}

/// Whether an archive has objects of ours, whose device code others may use.
fn has_device_code(archive: &Path) -> bool {
    let is_archive = archive.extension().is_some_and(|e| e == "a");
    is_archive && std::fs::read(archive).is_ok_and(|bytes| lockstep_frontend::has_image(&bytes))
}

/// Whether the name of a file says that it is a source.
pub(crate) fn is_source(file: &Path) -> bool {
    let extension = file.extension().and_then(OsStr::to_str).unwrap_or("");
    matches!(extension, "cu" | "c" | "cc" | "cpp" | "cxx" | "C" | "c++")
}

fn is_architecture(option: &OsString) -> bool {
    option.as_encoded_bytes().starts_with(b"--offload-arch")
}

fn run(mut command: std::process::Command, what: &str) -> Result<(), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let status = command.status().map_err(|e| format!("cannot start {program}: {e}"))?;
    match status.success() {
        true => Ok(()),
        // The compiler has said why.
        false => Err(format!("{program} failed to {what}")),
    }
}

fn told(error: Error) -> String {
    match error {
        Error::Compile { stderr } => stderr.trim_end().to_owned(),
        error => error.to_string(),
    }
}

/// The object that a source becomes, in a folder.
pub(crate) fn object_of(source: &Path, folder: &Path) -> PathBuf {
    let stem = source.file_stem().unwrap_or(OsStr::new("a"));
    let mut name = stem.to_owned();
    name.push(".o");
    folder.join(name)
}

/// A folder that is removed when it is dropped.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new(what: &str) -> Result<Scratch, String> {
        let name = format!("lockstep-{what}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path)
            .map_err(|e| format!("cannot make the folder '{}': {e}", names::shown(&path)))?;
        Ok(Scratch(path))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
