//! `lockstep nvcc`: nvcc's options, for programs that `lockstep exec` runs.
//!
//! What an option of nvcc is here is one table. Options about machine code of a GPU mean nothing; what nobody knows goes
//! to the host's compiler, which says so if it does not know it either.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use crate::commands::program::compile::{Build, Scratch, is_source, object_of};

/// What becomes of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    /// For both compilers: `-I dir`, `-DX`.
    Both,
    Host,
    Link,
    /// The value is a list of options for the host's compiler (`-Xcompiler`), or for the linker.
    ForHost,
    ForLinker,
    Ignored,
    Output,
    /// Stop after objects: also in the forms for relocatable device code.
    CompileOnly,
    CompileRelocatable,
    Relocatable,
    /// Linking device code by itself makes an empty object: that is done when the program starts.
    DeviceLink,
    Language,
    Standard,
    Architecture,
    Generate,
    /// Whether the threads of the host share a default stream.
    DefaultStream,
    MakeLibrary,
    MakeShared,
    DryRun,
    Preprocess,
    Dependencies,
    Version,
    Help,
}

/// Whether a value follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Value {
    No,
    /// In the next word, or after `=`.
    Separate,
    /// The rest of the word, or the next word.
    Joined,
}

use Meaning::*;
use Value::*;

/// Options by their spellings. The first that fits counts.
static OPTIONS: &[(&[&str], Value, Meaning)] = &[
    (&["-o", "--output-file"], Separate, Output),
    (&["-c", "--compile"], No, CompileOnly),
    (&["-dc", "--device-c"], No, CompileRelocatable),
    (&["-dw", "--device-w"], No, CompileOnly),
    (&["-dlink", "--device-link"], No, DeviceLink),
    (&["-lib", "--lib"], No, MakeLibrary),
    (&["-shared", "--shared"], No, MakeShared),
    (&["-E", "--preprocess"], No, Preprocess),
    (&["-M", "--generate-dependencies", "-MM"], No, Preprocess),
    (&["-MD", "-MMD", "-MP", "--generate-dependencies-with-compile"], No, Ignored),
    (
        &["-MF", "-MT", "-MQ", "--dependency-output", "--dependency-target-name"],
        Separate,
        Dependencies,
    ),
    (&["-x", "--x"], Separate, Language),
    (&["-std", "--std"], Separate, Standard),
    (&["-arch", "--gpu-architecture"], Separate, Architecture),
    (&["-gencode", "--generate-code"], Separate, Generate),
    (&["-code", "--gpu-code"], Separate, Ignored),
    (&["-rdc", "--relocatable-device-code"], Separate, Relocatable),
    (&["-I", "--include-path"], Joined, Both),
    (&["-isystem", "--system-include", "-include", "--pre-include"], Separate, Both),
    (&["-D", "--define-macro", "-U", "--undefine-macro"], Joined, Both),
    (&["-L", "--library-path", "-l", "--library"], Joined, Link),
    (&["-Xcompiler", "--compiler-options"], Separate, ForHost),
    (&["-Xlinker", "--linker-options"], Separate, ForLinker),
    (
        &["-Xptxas", "--ptxas-options", "-Xnvlink", "--nvlink-options", "-Xcudafe", "-Xarchive"],
        Separate,
        Ignored,
    ),
    (
        &["-ccbin", "--compiler-bindir", "-maxrregcount", "--maxrregcount", "-cudart", "--cudart"],
        Separate,
        Ignored,
    ),
    (
        &["-t", "--threads", "-diag-suppress", "--diag-suppress", "-diag-error", "--diag-error"],
        Separate,
        Ignored,
    ),
    (&["-default-stream", "--default-stream"], Separate, DefaultStream),
    (&["-ftz", "--ftz", "-prec-div", "--prec-div"], Separate, Ignored),
    (
        &["-prec-sqrt", "--prec-sqrt", "-fmad", "--fmad", "-Wno-deprecated-gpu-targets"],
        Separate,
        Ignored,
    ),
    (&["-odir", "--output-directory", "-m", "--machine", "-Werror", "--Werror"], Separate, Ignored),
    (
        &["--expt-relaxed-constexpr", "-expt-relaxed-constexpr", "--expt-extended-lambda"],
        No,
        Ignored,
    ),
    (
        &[
            "-expt-extended-lambda",
            "--extended-lambda",
            "-extended-lambda",
            "-lineinfo",
            "--generate-line-info",
        ],
        No,
        Ignored,
    ),
    (
        &[
            "-G",
            "--device-debug",
            "-use_fast_math",
            "--use_fast_math",
            "-m64",
            "-w",
            "--disable-warnings",
        ],
        No,
        Ignored,
    ),
    (
        &["-restrict", "--restrict", "-keep", "--keep", "-res-usage", "--resource-usage", "-ewp"],
        No,
        Ignored,
    ),
    (
        &[
            "-forward-unknown-to-host-compiler",
            "--forward-unknown-to-host-compiler",
            "-extra-device-vectorization",
        ],
        No,
        Ignored,
    ),
    (&["-cuda", "--cuda", "-fatbin", "--fatbin", "-cubin", "--cubin", "-ptx", "--ptx"], No, Help),
    (&["-v", "--verbose"], No, Ignored),
    (&["-dryrun", "--dryrun"], No, DryRun),
    (&["-V", "--version"], No, Version),
    (&["-h", "--help"], No, Help),
    (&["-g", "--debug", "-pg", "--profile", "-fopenmp", "-pthread", "-fPIC"], No, Host),
    (&["-O", "--optimize"], Joined, Host),
];

/// What a command line asks for.
#[derive(Debug, Default)]
struct Asked {
    build: Build,
    inputs: Vec<PathBuf>,
    output: Option<PathBuf>,
    stop: Option<Meaning>,
}

/// The exit status.
pub(crate) fn nvcc(words: &[OsString]) -> Result<u8, String> {
    let asked = read(words)?;
    match asked.stop {
        Some(Version) => {
            println!(
                "nvcc: Lockstep's compiler driver, with the options of nvcc\nCuda compilation tools, release 12.4, V12.4.131 (lockstep {})",
                env!("CARGO_PKG_VERSION")
            );
            return Ok(0);
        }
        Some(Help) => {
            return Err("lockstep nvcc makes objects and programs for lockstep exec: it has no code for a GPU, and takes nvcc's -o, -c, -dc, -I, -D, -L, -l, -O, -std, -arch, -rdc, -Xcompiler, -x".into());
        }
        Some(DryRun) => return Ok(0),
        _ => {}
    }
    if asked.inputs.is_empty() {
        return Err("no input files".into());
    }
    match asked.stop {
        Some(Preprocess) => Err("lockstep nvcc does not preprocess: use clang++-19 -E".into()),
        Some(CompileOnly) => asked.objects(),
        Some(DeviceLink) => asked.empty_object(),
        Some(MakeLibrary) => asked.archive(),
        _ => asked.program(),
    }
    .map(|()| 0)
}

/// Reads the options. A word that begins with `@` names a file with more of them.
fn read(words: &[OsString]) -> Result<Asked, String> {
    let mut asked = Asked::default();
    let mut words: Vec<OsString> = words.iter().rev().cloned().collect();
    while let Some(word) = words.pop() {
        let bytes = word.as_bytes();
        if let Some(file) = bytes.strip_prefix(b"@") {
            let file = Path::new(OsStr::from_bytes(file));
            let text = std::fs::read_to_string(file)
                .map_err(|e| format!("cannot read '{}': {e}", lockstep_names::shown(file)))?;
            words.extend(text.split_whitespace().rev().map(OsString::from));
            continue;
        }
        if !bytes.starts_with(b"-") || bytes == b"-" {
            asked.inputs.push(word.into());
            continue;
        }
        asked.option(&word, &mut words)?;
    }
    Ok(asked)
}

impl Asked {
    fn option(&mut self, word: &OsStr, rest: &mut Vec<OsString>) -> Result<(), String> {
        let bytes = word.as_bytes();
        // `-lineinfo` is no library: the longest name counts.
        let named = |name: &str| bytes.starts_with(name.as_bytes());
        let all = OPTIONS.iter().flat_map(|(names, value, meaning)| {
            names.iter().map(move |name| (*name, *value, *meaning))
        });
        let fits = |(name, value, _): &(&str, Value, Meaning)| {
            named(name) && takes(name, *value, &bytes[name.len()..])
        };
        if let Some((name, value, meaning)) = all.filter(fits).max_by_key(|(name, ..)| name.len()) {
            let after = &bytes[name.len()..];
            let value = match (value, after) {
                (No, _) => OsString::new(),
                // `-O` may stand alone.
                (Joined, []) if name == "-O" => OsString::new(),
                (_, []) => rest.pop().ok_or_else(|| format!("{name} needs a value"))?,
                (Separate, [b'=', given @ ..]) => OsStr::from_bytes(given).to_owned(),
                (_, [b'=', given @ ..]) if name.starts_with("--") => {
                    OsStr::from_bytes(given).to_owned()
                }
                (_, given) => OsStr::from_bytes(given).to_owned(),
            };
            return self.apply(name, meaning, value);
        }
        // clang's own: -Wall, -fno-exceptions, -march=native.
        let target =
            if bytes.starts_with(b"-Wl,") { &mut self.build.link } else { &mut self.build.host };
        target.push(word.to_owned());
        Ok(())
    }

    fn apply(&mut self, name: &str, meaning: Meaning, value: OsString) -> Result<(), String> {
        let build = &mut self.build;
        match meaning {
            Both => push(&mut build.both, short(name), &value),
            Host => push(&mut build.host, short(name), &value),
            Link => push(&mut build.link, short(name), &value),
            ForHost => split_list(&value, &mut build.host),
            ForLinker => {
                for word in list(&value) {
                    let mut option = OsString::from("-Wl,");
                    option.push(word);
                    build.link.push(option);
                }
            }
            Ignored | Dependencies => {}
            Output => self.output = Some(value.into()),
            CompileOnly | DeviceLink | MakeLibrary | DryRun | Preprocess | Version | Help => {
                self.stop = Some(meaning);
            }
            CompileRelocatable => {
                build.relocatable = true;
                self.stop = Some(CompileOnly);
            }
            Relocatable => build.relocatable = value == "true",
            MakeShared => {
                build.host.push("-fPIC".into());
                build.link.push("-shared".into());
            }
            Language => build.all_cuda = value == "cu",
            DefaultStream if value == "per-thread" => {
                build.both.push("-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1".into());
            }
            DefaultStream => {}
            Standard => push(&mut build.both, "-std=", &value),
            Architecture | Generate => {
                if let Some(name) = architecture(&value) {
                    build.both.push(format!("--offload-arch={name}").into());
                }
            }
        }
        Ok(())
    }

    /// The folder and the name of what is made, where nobody says.
    fn output_or(&self, usual: &str) -> PathBuf {
        self.output.clone().unwrap_or_else(|| usual.into())
    }

    fn objects(&self) -> Result<(), String> {
        let sources: Vec<&PathBuf> =
            self.inputs.iter().filter(|f| is_source(f) || self.build.is_cuda(f)).collect();
        if self.output.is_some() && sources.len() > 1 {
            return Err("-o names one object, and there are several sources".into());
        }
        for source in sources {
            let object = self.output.clone();
            let object = object.unwrap_or_else(|| object_of(source, Path::new("")));
            self.build.compile(source, &object)?;
        }
        Ok(())
    }

    /// Compiles all sources into a folder, and returns what is to be linked, in the order of the inputs.
    fn compiled(&self, scratch: &Scratch) -> Result<Vec<PathBuf>, String> {
        let compile = |(i, file): (usize, &PathBuf)| {
            if !is_source(file) && !self.build.is_cuda(file) {
                return Ok(file.clone());
            }
            let folder = scratch.path().join(i.to_string());
            std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
            let object = object_of(file, &folder);
            self.build.compile(file, &object).map(|()| object)
        };
        self.inputs.iter().enumerate().map(compile).collect()
    }

    fn program(&self) -> Result<(), String> {
        let scratch = Scratch::new("nvcc")?;
        let inputs = self.compiled(&scratch)?;
        self.build.link(&inputs, &self.output_or("a.out"))
    }

    fn archive(&self) -> Result<(), String> {
        let scratch = Scratch::new("nvcc")?;
        let inputs = self.compiled(&scratch)?;
        let mut command = std::process::Command::new("ar");
        command.arg("rcs").arg(self.output_or("a.a")).args(inputs);
        match command.status() {
            Ok(status) if status.success() => Ok(()),
            Ok(_) => Err("ar failed".into()),
            Err(e) => Err(format!("cannot start ar: {e}")),
        }
    }

    /// Device code is linked when the program starts.
    fn empty_object(&self) -> Result<(), String> {
        let scratch = Scratch::new("nvcc")?;
        let source = scratch.path().join("empty.c");
        std::fs::write(&source, "\n").map_err(|e| e.to_string())?;
        Build::default().compile(&source, &self.output_or("a_dlink.o"))
    }
}

/// Whether what stands behind an option's name in its word belongs to it.
fn takes(name: &str, value: Value, after: &[u8]) -> bool {
    match (value, after.first()) {
        (_, None) => true,
        (No, Some(_)) => false,
        (Separate, Some(first)) => *first == b'=',
        (Joined, Some(first)) => !name.starts_with("--") || *first == b'=',
    }
}

/// The short spelling that clang knows.
fn short(name: &str) -> &str {
    match name {
        "--include-path" => "-I",
        "--system-include" => "-isystem",
        "--pre-include" => "-include",
        "--define-macro" => "-D",
        "--undefine-macro" => "-U",
        "--library-path" => "-L",
        "--library" => "-l",
        "--optimize" => "-O",
        "--debug" => "-g",
        "--profile" => "-pg",
        other => other,
    }
}

/// Adds an option with its value, in one word or two.
fn push(to: &mut Vec<OsString>, name: &str, value: &OsStr) {
    if ["-isystem", "-include"].contains(&name) {
        to.extend([name.into(), value.to_owned()]);
        return;
    }
    let mut word = OsString::from(name);
    word.push(value);
    to.push(word);
}

/// `sm_80` of `compute_80`, `sm_80`, `arch=compute_80,code=sm_80`; none of `native` and `all`.
fn architecture(value: &OsStr) -> Option<String> {
    let text = value.to_str()?;
    let first = text.split(',').find_map(|part| match part.split_once('=') {
        Some(("arch", name)) => Some(name),
        Some(_) => None,
        None => Some(part),
    })?;
    let digits = first.strip_prefix("compute_").or_else(|| first.strip_prefix("sm_"))?;
    // clang 19 has no code for older ones.
    let number: u32 = digits.trim_end_matches(|c: char| c.is_ascii_lowercase()).parse().ok()?;
    Some(if number < 60 { "sm_60".to_owned() } else { format!("sm_{digits}") })
}

/// The words of a list with commas.
fn list(value: &OsStr) -> impl Iterator<Item = OsString> + '_ {
    let words = value.as_bytes().split(|b| *b == b',' || *b == b' ').filter(|w| !w.is_empty());
    words.map(|w| OsString::from_vec(w.iter().copied().filter(|b| *b != b'"').collect()))
}

fn split_list(value: &OsStr, to: &mut Vec<OsString>) {
    to.extend(list(value));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(line: &str) -> Asked {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        read(&words).expect("it can be read")
    }

    fn texts(words: &[OsString]) -> String {
        words.iter().map(|w| w.to_string_lossy()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn options_of_makefiles() {
        let a = asked(
            "-O3 -std=c++14 -arch=sm_80 -Iinc -I more -DN=4 -D M -Xcompiler -Wall,-fopenmp a.cu b.o -o app -lcurand -L lib -lineinfo --expt-relaxed-constexpr -Xptxas -v",
        );
        assert_eq!(texts(&a.build.both), "-std=c++14 --offload-arch=sm_80 -Iinc -Imore -DN=4 -DM");
        assert_eq!(texts(&a.build.host), "-O3 -Wall -fopenmp");
        assert_eq!(texts(&a.build.link), "-lcurand -Llib");
        assert_eq!(a.inputs, [PathBuf::from("a.cu"), "b.o".into()]);
        assert_eq!((a.output, a.stop), (Some("app".into()), None));
    }

    #[test]
    fn options_of_cmake() {
        let a = asked(
            "-forward-unknown-to-host-compiler --generate-code=arch=compute_70,code=[sm_70] -MD -MT x.o -MF x.d -x cu -rdc=true -c x.cxx -o x.o -fPIC",
        );
        assert_eq!(texts(&a.build.both), "--offload-arch=sm_70");
        assert!(a.build.relocatable && a.build.all_cuda);
        assert_eq!((a.stop, a.inputs), (Some(CompileOnly), vec![PathBuf::from("x.cxx")]));
        let a = asked("-gencode arch=compute_35,code=sm_35 -dc a.cu");
        assert_eq!(texts(&a.build.both), "--offload-arch=sm_60");
        assert!(a.build.relocatable && a.stop == Some(CompileOnly));
        assert_eq!(asked("-dlink a.o -o d.o").stop, Some(DeviceLink));
        assert!(read(&["-o".into()]).is_err());
    }
}
