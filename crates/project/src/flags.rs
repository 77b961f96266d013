//! What a build's command line means for clang: nvcc's spellings and clang's own.
//!
//! Kept is what decides what the preprocessor and the language make of the source: include folders, macros, forced
//! includes, the standard, the architecture. All else (code generation, warnings, dependency files, the linker) is
//! dropped, with the values that belong to it. Relative folders become absolute, since the command ran in a folder
//! of its own.
//!
//! The list of options that take a value follows nvcc 12's and clang 19's help. An option that neither knows and
//! that takes its value in the next word leaves that value behind, where it looks like an input file and is ignored.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use lockstep_finding::InputError;
use lockstep_names as names;

use crate::tree::absolute;

/// The newest architecture that clang 19 compiles for, and the oldest that our headers are written for. What a build names
/// beyond them is taken for the nearest.
const ARCHITECTURES: std::ops::RangeInclusive<u32> = 70..=90;

/// A command line in clang's words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    pub clang: Vec<String>,
    pub cuda_path: Option<PathBuf>,
    /// What `-x` says.
    pub language: Option<String>,
}

/// Options whose meaning is kept: our spelling, and theirs. The value is joined, after `=`, or the next word.
const KEPT: [(&str, &[&str]); 8] = [
    ("-I", &["--include-path", "-I"]),
    ("-isystem", &["--system-include", "-isystem"]),
    ("-iquote", &["-iquote"]),
    ("-idirafter", &["-idirafter"]),
    ("-D", &["--define-macro", "-D"]),
    ("-U", &["--undefine-macro", "-U"]),
    ("-include", &["--pre-include", "-include"]),
    ("-cl-std", &["-cl-std"]),
];

/// Options without a value that are kept.
const KEPT_WORDS: [&str; 1] = ["-cl-uniform-work-group-size"];

/// Those of [`KEPT`] whose value is a place in the file system.
const PLACES: [&str; 5] = ["-I", "-isystem", "-iquote", "-idirafter", "-include"];

/// More options of clang's whose value is one, for those that come from a command line as they are.
const MORE_PLACES: [&str; 4] = ["-imacros", "-isysroot", "--sysroot", "--cuda-path"];

/// clang's options with other names for the files and folders in them, where `rename` has one.
pub fn with_places(args: &[OsString], rename: impl Fn(&Path) -> Option<PathBuf>) -> Vec<OsString> {
    let renamed = |text: &[u8]| {
        let name = OsStr::from_bytes(text);
        let new = Some(name).filter(|n| !n.is_empty()).and_then(|n| rename(Path::new(n)));
        new.map_or_else(|| name.to_owned(), PathBuf::into_os_string)
    };
    let joined = |option: &str, value: OsString| {
        let mut word = OsString::from(option);
        word.push(value);
        word
    };
    let mut out = Vec::new();
    let mut words = args.iter();
    while let Some(word) = words.next() {
        let bytes = word.as_bytes();
        let places = PLACES.iter().chain(&MORE_PLACES).filter(|o| bytes.starts_with(o.as_bytes()));
        let Some(option) = places.max_by_key(|o| o.len()) else {
            out.push(word.clone());
            continue;
        };
        match &bytes[option.len()..] {
            [] => {
                out.push(word.clone());
                out.extend(words.next().map(|value| renamed(value.as_bytes())));
            }
            [b'=', value @ ..] => out.push(joined(&format!("{option}="), renamed(value))),
            [b'-', ..] => out.push(word.clone()),
            value => out.push(joined(option, renamed(value))),
        }
    }
    out
}

/// Options of no interest whose value may be the next word.
const WITH_VALUE: [&str; 72] = [
    "-o",
    "--output-file",
    "-ccbin",
    "--compiler-bindir",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "--dependency-output",
    "--dependency-target-name",
    "-Xptxas",
    "--ptxas-options",
    "-Xcudafe",
    "--cudafe-options",
    "-Xlinker",
    "--linker-options",
    "-Xnvlink",
    "--nvlink-options",
    "-Xfatbin",
    "--fatbin-options",
    "-Xarchive",
    "--archive-options",
    "-Xclang",
    "-Xassembler",
    "-Xpreprocessor",
    "-Xcuda-ptxas",
    "-Xcuda-fatbinary",
    "-Xarch_device",
    "-Xarch_host",
    "-mllvm",
    "-L",
    "--library-path",
    "-l",
    "--library",
    "-maxrregcount",
    "--maxrregcount",
    "-odir",
    "--output-directory",
    "-t",
    "--threads",
    "-ftz",
    "--ftz",
    "-prec-div",
    "--prec-div",
    "-prec-sqrt",
    "--prec-sqrt",
    "-fmad",
    "--fmad",
    "-rdc",
    "--relocatable-device-code",
    "-default-stream",
    "--default-stream",
    "-cudart",
    "--cudart",
    "-cudadevrt",
    "--cudadevrt",
    "-keep-dir",
    "--keep-dir",
    "-diag-suppress",
    "--diag-suppress",
    "-diag-error",
    "--diag-error",
    "-diag-warn",
    "--diag-warn",
    "-Werror",
    "--machine",
    "-split-compile",
    "--split-compile",
    "-target",
    "--sysroot",
    "-isysroot",
    "-arch-list",
];

/// Options that name an architecture.
const ARCHITECTURE: [&str; 9] = [
    "--gpu-architecture",
    "-arch",
    "--gpu-code",
    "-code",
    "--generate-code",
    "-gencode",
    "--cuda-gpu-arch",
    "--offload-arch",
    "--arch",
];

/// Translates the words after the compiler's name, for a command that ran in `directory`.
pub fn translate(words: &[String], directory: &Path) -> Result<Flags, InputError> {
    let mut reader = Reader { directory, flags: Flags::default(), architecture: None, depth: 0 };
    reader.read(words)?;
    let (oldest, newest) = (*ARCHITECTURES.start(), *ARCHITECTURES.end());
    let nearest = |a: Architecture| match a.number {
        n if n < oldest => Architecture { number: oldest, suffix: String::new() },
        n if n > newest => Architecture { number: newest, suffix: String::new() },
        _ => a,
    };
    let architecture = reader.architecture.take().map(nearest);
    reader.flags.clang.extend(architecture.map(|a| a.option()));
    Ok(reader.flags)
}

/// What is to go to clang as it is, with the architecture as clang spells it, however it was spelt: the newest where there
/// are several.
pub fn with_one_architecture(words: Vec<OsString>) -> Vec<OsString> {
    let (mut out, mut newest) = (Vec::new(), None::<Architecture>);
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let mut next = || words.next().map(|w| w.to_string_lossy().into_owned());
        let named = word
            .to_str()
            .and_then(|word| ARCHITECTURE.iter().find_map(|o| value(word, o, &mut next)));
        match named {
            Some(named) => match Architecture::newest_in(&named) {
                Some(a) => newest = newest.max(Some(a)),
                // It is for clang to say what is wrong with it.
                None => out.push(format!("{OFFLOAD}{named}").into()),
            },
            None => out.push(word),
        }
    }
    out.extend(newest.map(|a| a.option().into()));
    out
}

/// clang's own spelling.
const OFFLOAD: &str = "--offload-arch=";

/// `sm_90a`: a number and perhaps a letter.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Architecture {
    number: u32,
    suffix: String,
}

impl Architecture {
    /// Of `sm_80`, `compute_80`, `arch=compute_80,code=[sm_80,compute_80]`.
    fn newest_in(text: &str) -> Option<Architecture> {
        let parts = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let known = parts.filter_map(|part| {
            let name = part.strip_prefix("sm_").or_else(|| part.strip_prefix("compute_"))?;
            let digits = name.trim_end_matches(char::is_alphabetic);
            Some(Architecture { number: digits.parse().ok()?, suffix: name[digits.len()..].into() })
        });
        known.max()
    }

    fn option(&self) -> String {
        format!("{OFFLOAD}sm_{}{}", self.number, self.suffix)
    }
}

struct Reader<'a> {
    directory: &'a Path,
    flags: Flags,
    architecture: Option<Architecture>,
    /// Files of options within files of options.
    depth: u32,
}

impl Reader<'_> {
    fn read(&mut self, words: &[String]) -> Result<(), InputError> {
        let mut words = words.iter().map(String::as_str).peekable();
        while let Some(word) = words.next() {
            let mut next = || words.next().map(str::to_owned);
            if let Some(file) = word.strip_prefix('@') {
                self.options_file(file)?;
            } else if let Some(file) =
                value(word, "--options-file", &mut next).or_else(|| value(word, "-optf", &mut next))
            {
                for file in file.split(',') {
                    self.options_file(file)?;
                }
            } else if let Some(host) = value(word, "--compiler-options", &mut next)
                .or_else(|| value(word, "-Xcompiler", &mut next))
            {
                self.host_options(&host)?;
            } else if let Some(standard) =
                value(word, "--std", &mut next).or_else(|| value(word, "-std", &mut next))
            {
                self.flags.clang.push(format!("-std={standard}"));
            } else if let Some(language) =
                value(word, "--x", &mut next).or_else(|| value(word, "-x", &mut next))
            {
                self.flags.language = Some(language);
            } else if let Some(path) = value(word, "--cuda-path", &mut next) {
                self.flags.cuda_path = Some(self.place(&path));
            } else if let Some(name) = ARCHITECTURE.iter().find_map(|o| value(word, o, &mut next)) {
                let named = Architecture::newest_in(&name);
                self.architecture = self.architecture.take().max(named);
            } else if KEPT_WORDS.contains(&word) {
                self.flags.clang.push(word.to_owned());
            } else if !self.kept(word, &mut next) && WITH_VALUE.contains(&word) {
                next();
            }
        }
        Ok(())
    }

    fn kept(&mut self, word: &str, next: &mut impl FnMut() -> Option<String>) -> bool {
        for (ours, theirs) in KEPT {
            for option in theirs {
                let joined = option.len() == 2 || *option == "-isystem" || *option == "-iquote";
                let found = value(word, option, next).or_else(|| {
                    let rest = word.strip_prefix(option).filter(|r| joined && !r.is_empty())?;
                    Some(rest.to_owned())
                });
                let Some(value) = found else { continue };
                let value = match PLACES.contains(&ours) {
                    true => self.place(&value).display().to_string(),
                    false => value,
                };
                match ours {
                    "-cl-std" => self.flags.clang.push(format!("-cl-std={value}")),
                    "-D" | "-U" | "-I" => self.flags.clang.push(format!("{ours}{value}")),
                    _ => self.flags.clang.extend([ours.to_owned(), value]),
                }
                return true;
            }
        }
        false
    }

    /// What nvcc hands to the host's compiler, which also preprocesses for it.
    fn host_options(&mut self, text: &str) -> Result<(), InputError> {
        let words: Vec<String> = text.split(',').map(str::to_owned).collect();
        let mut host = Reader { flags: Flags::default(), architecture: None, ..*self };
        host.read(&words)?;
        let macros = host.flags.clang.into_iter().filter(|w| !w.starts_with("-std="));
        self.flags.clang.extend(macros);
        Ok(())
    }

    fn options_file(&mut self, name: &str) -> Result<(), InputError> {
        const MOST: u32 = 8;
        let path = self.place(name);
        let file = names::shown(&path);
        let fail = |message: String| InputError { file: file.clone(), message };
        if self.depth >= MOST {
            return Err(fail("files of options include each other".into()));
        }
        let text = std::fs::read_to_string(&path)
            .map_err(|e| fail(format!("cannot read the file of options {file}: {e}")))?;
        let words =
            split_command(&text).ok_or_else(|| fail(format!("{file}: a quote is not closed")))?;
        self.depth += 1;
        let result = self.read(&words);
        self.depth -= 1;
        result
    }

    fn place(&self, path: &str) -> PathBuf {
        absolute(&self.directory.join(path))
    }
}

/// The value of `option` where `word` is it: after `=`, or the next word.
fn value(word: &str, option: &str, next: &mut impl FnMut() -> Option<String>) -> Option<String> {
    let rest = word.strip_prefix(option)?;
    match rest.strip_prefix('=') {
        Some(value) => Some(value.to_owned()),
        None if rest.is_empty() => next(),
        None => None,
    }
}

/// The words of a command as a shell would see them; `None` where a quote is not closed.
pub fn split_command(text: &str) -> Option<Vec<String>> {
    shlex::split(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(line: &str) -> Flags {
        translate(&split_command(line).unwrap(), Path::new("/b")).unwrap()
    }

    fn clang(line: &str) -> String {
        flags(line).clang.join(" ")
    }

    #[test]
    fn nvcc_command_lines() {
        let line = "-forward-unknown-to-host-compiler -DN=4 -D \"S=\\\"a b\\\"\" -I../inc -isystem=/sdk/include \
                    --expt-relaxed-constexpr --extended-lambda -rdc=true -O3 -std=c++17 \
                    -gencode arch=compute_75,code=sm_75 --generate-code=arch=compute_80,code=[compute_80,sm_80] \
                    -Xcompiler=-fPIC,-DHOST=1 -Xcompiler -Wall -ccbin g++ -MD -MT x.o -MF x.d -x cu -c a.cu -o x.o";
        assert_eq!(
            clang(line),
            "-DN=4 -DS=\"a b\" -I/inc -isystem /sdk/include -std=c++17 -DHOST=1 --offload-arch=sm_80"
        );
        assert_eq!(flags(line).language.as_deref(), Some("cu"));
    }

    #[test]
    fn long_spellings() {
        let line = "--define-macro X --undefine-macro=Y --include-path inc --system-include=sys --std c++14 \
                    --pre-include all.h --gpu-architecture=sm_90a --compiler-options -DZ";
        assert_eq!(
            clang(line),
            "-DX -UY -I/b/inc -isystem /b/sys -std=c++14 -include /b/all.h -DZ \
             --offload-arch=sm_90a"
        );
    }

    #[test]
    fn clang_command_lines() {
        let line = "-x cuda --cuda-gpu-arch=sm_60 --cuda-path=/sdk -Iinc -Xclang -D -fcuda-rdc -iquote q -c a.cpp";
        assert_eq!(clang(line), "-I/b/inc -iquote /b/q --offload-arch=sm_70");
        assert_eq!(flags(line).cuda_path.as_deref(), Some(Path::new("/sdk")));
        assert_eq!(flags(line).language.as_deref(), Some("cuda"));
        assert_eq!(clang("-cl-std=CL1.2 -DX k.cl"), "-cl-std=CL1.2 -DX");
        let uniform = "-cl-std=CL2.0 -cl-uniform-work-group-size -cl-mad-enable k.cl";
        assert_eq!(clang(uniform), "-cl-std=CL2.0 -cl-uniform-work-group-size");
    }

    #[test]
    fn one_architecture_as_clang_spells_it() {
        let one = |line: &str| {
            let words = split_command(line).unwrap().into_iter().map(OsString::from).collect();
            with_one_architecture(words).join(OsStr::new(" ")).into_string().unwrap()
        };
        assert_eq!(one("-O1 --cuda-gpu-arch=sm_80 -DX"), "-O1 -DX --offload-arch=sm_80");
        assert_eq!(one("-arch sm_75 -arch=sm_90a"), "--offload-arch=sm_90a");
        assert_eq!(one("-gencode arch=compute_80,code=[sm_86,sm_80]"), "--offload-arch=sm_86");
        assert_eq!(one("--offload-arch=native -DX"), "--offload-arch=native -DX");
        assert_eq!(one("-DX"), "-DX");
        // Older and newer than what can be compiled for.
        assert_eq!(clang("-arch=sm_52"), "--offload-arch=sm_70");
        assert_eq!(clang("-gencode arch=compute_120,code=sm_120"), "--offload-arch=sm_90");
    }

    #[test]
    fn files_of_options() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a.rsp"), "-DA '-DB=1 2'\n@b.rsp\n").unwrap();
        std::fs::write(dir.path().join("b.rsp"), "-DC\n").unwrap();
        std::fs::write(dir.path().join("loop.rsp"), "@loop.rsp").unwrap();
        let read = |line: &str| translate(&split_command(line).unwrap(), dir.path());
        assert_eq!(
            read("--options-file a.rsp -DD").unwrap().clang,
            ["-DA", "-DB=1 2", "-DC", "-DD"]
        );
        let wrong = |line: &str| read(line).unwrap_err().message;
        assert_eq!(wrong("@loop.rsp"), "files of options include each other");
        let why = "No such file or directory (os error 2)";
        let file = names::shown(&dir.path().join("none.rsp"));
        assert_eq!(wrong("@none.rsp"), format!("cannot read the file of options {file}: {why}"));
    }

    #[test]
    fn other_places() {
        let words = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>();
        let args =
            "-Iinc -I inc -DI=inc -isystem/usr -include a.h -include-pch b --sysroot=inc -Wall";
        let rename = |p: &Path| (p != Path::new("/usr")).then(|| Path::new("/p").join(p));
        assert_eq!(
            with_places(&words(args), rename),
            words(
                "-I/p/inc -I /p/inc -DI=inc -isystem/usr -include /p/a.h -include-pch b --sysroot=/p/inc -Wall"
            )
        );
    }
}
