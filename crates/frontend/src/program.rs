//! Programs that are run: a translation unit of CUDA to an object for the linker, and device code to kernels.
//!
//! clang compiles each unit twice. The device code becomes bitcode, as for every other command; the host code becomes an
//! object of this machine, with that bitcode in it where a compiler for a GPU would put its binary. The object's
//! constructors hand it to the runtime library ([`load_program`] reads it there).
//!
//! Units that were compiled to be linked with others (`-rdc=true`) are linked when they are loaded: what one declares
//! another one defines. Names that are internal to a unit are told apart by its number.
//!
//! OpenCL's programs give the text of their device code when they run ([`compile_opencl`]).

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use lockstep_kernel::Language;

use crate::clang::temporary::Temporary;
use crate::clang::{self, Emit, Source};
use crate::llvm::{self, Val};
use crate::lower::program::{Lowered, ProgramKernel, Variable};
use crate::{Error, HeadComment, Input, Options, lower, prepare};

/// The device code of one unit as the object holds it: these bytes, a byte of flags, three zeros, the length of the
/// bitcode in four bytes, and the bitcode.
const MAGIC: &[u8; 8] = b"LOCKSTEP";
const RELOCATABLE: u8 = 1;
const MANAGED: u8 = 2;
const HEAD: usize = 16;

/// What our headers see where a program is compiled to be run.
const MACRO: &str = "-D__LOCKSTEP_PROGRAM__=1";
const RELOCATABLE_MACRO: &str = "-D__LOCKSTEP_RELOCATABLE__=1";

/// How the host side of a unit is compiled.
#[derive(Clone, Debug, Default)]
pub struct HostCompiler {
    /// Options for the host code only: `-O2`, `-g`, `-fopenmp`.
    pub options: Vec<OsString>,
    /// The unit is to be linked with the device code of others.
    pub relocatable: bool,
}

/// Compiles a CUDA source to an object file. [`Options::clang_args`] are for both sides. Returns clang's warnings.
pub fn compile_unit(
    input: &Path,
    options: &Options,
    host: &HostCompiler,
    object: &Path,
) -> Result<Vec<String>, Error> {
    let options = Options { language: Some(Language::Cuda), ..options.clone() };
    let source = Source::open(Input::Path(input), &options)?;
    let head = HeadComment::default();
    let mut both = options.clone();
    both.clang_args.insert(0, MACRO.into());
    if host.relocatable {
        both.clang_args.insert(1, RELOCATABLE_MACRO.into());
    }
    let device = clang::compile(&source, &head, &both, Emit::Needed)?;
    let flags = if host.relocatable { RELOCATABLE } else { 0 }
        | if names_managed(&source, &device.files)? { MANAGED } else { 0 };
    let image = packed(&device.bitcode, flags);
    let image = Temporary::new("image", &image)?;
    let mut command = clang::program_host_command(&both, image.path())?;
    command.args(&host.options).arg("-c").arg("-o").arg(object);
    match &source.path {
        Some(path) if path.as_os_str().as_bytes().starts_with(b"-") => {
            command.arg(Path::new(".").join(path))
        }
        Some(path) => command.arg(path),
        None => command.arg("-"),
    };
    let mut warnings = device.warnings;
    warnings.extend(clang::run(command, &source, &options.cancel)?.warnings);
    Ok(warnings)
}

/// The folder of our own headers, for sources that a host compiler compiles.
pub fn cuda_headers() -> Result<PathBuf, Error> {
    Ok(clang::headers()?.join("cuda"))
}

impl HostCompiler {
    /// The command that compiles host code and links programs.
    pub fn command() -> Command {
        let mut command = Command::new(clang::tool("clang++-19"));
        command.stdin(Stdio::null());
        command
    }
}

/// Whether a unit may have managed variables: the word stands in one of its own files.
fn names_managed(source: &Source, files: &[PathBuf]) -> Result<bool, Error> {
    let word = b"__managed__";
    let has = |bytes: &[u8]| bytes.windows(word.len()).any(|w| w == word);
    let ours = clang::headers()?;
    let others = files.iter().filter(|f| !f.starts_with(&ours));
    Ok(has(&source.bytes) || others.into_iter().any(|f| fs::read(f).is_ok_and(|b| has(&b))))
}

fn packed(bitcode: &[u8], flags: u8) -> Vec<u8> {
    let mut image = MAGIC.to_vec();
    image.extend([flags, 0, 0, 0]);
    image.extend((bitcode.len() as u32).to_le_bytes());
    image.extend(bitcode);
    image
}

/// Whether there is device code of ours to be linked in these bytes.
pub fn has_image(bytes: &[u8]) -> bool {
    let at = |i: usize| bytes.get(i + MAGIC.len()).is_some_and(|flags| flags & RELOCATABLE != 0);
    let mut windows = bytes.windows(MAGIC.len()).enumerate();
    windows.any(|(i, window)| window == MAGIC && at(i))
}

/// The device code of one unit.
#[derive(Clone, Debug)]
pub struct DevicePart {
    pub bitcode: Vec<u8>,
    pub relocatable: bool,
    /// The host may use variables of it by itself: these must be there from the start.
    pub has_managed: bool,
}

impl DevicePart {
    /// How many bytes from `start` on an image has; `None` if it is not one of ours. `start` has the first 16 bytes.
    pub fn length(start: &[u8; HEAD]) -> Option<usize> {
        let (magic, rest) = start.split_at(MAGIC.len());
        let length = u32::from_le_bytes([rest[4], rest[5], rest[6], rest[7]]);
        (magic == MAGIC).then_some(HEAD + length as usize)
    }

    pub fn of_image(image: &[u8]) -> Option<DevicePart> {
        let head: &[u8; HEAD] = image.get(..HEAD)?.try_into().ok()?;
        let bitcode = image.get(HEAD..DevicePart::length(head)?)?.to_vec();
        let has = |flag: u8| image[MAGIC.len()] & flag != 0;
        Some(DevicePart { bitcode, relocatable: has(RELOCATABLE), has_managed: has(MANAGED) })
    }
}

/// The kernels and variables of a program's device code.
#[derive(Clone, Debug, Default)]
pub struct DeviceCode {
    pub kernels: Vec<ProgramKernel>,
    pub variables: Vec<Variable>,
    /// For each unit, the names that its host code knows and that are others in `kernels` and `variables`.
    pub renamed: Vec<Renamed>,
}

/// Compiles a text in OpenCL C that a program gives, to bitcode. Findings and clang's messages call it `name`. Returns
/// clang's warnings, too.
pub fn compile_opencl(
    name: &str,
    text: &str,
    options: &Options,
) -> Result<(Vec<u8>, Vec<String>), Error> {
    let options = Options { language: Some(Language::OpenCl), ..options.clone() };
    let quoted = name.replace('\\', "\\\\").replace('"', "\\\"");
    let text = format!("# 1 \"{quoted}\"\n{text}");
    let input = Input::Text { name, bytes: text.as_bytes() };
    let source = Source::open(input, &options)?;
    let compiled = clang::compile(&source, &HeadComment::default(), &options, Emit::Needed)?;
    Ok((compiled.bitcode, compiled.warnings))
}

/// Links the units, and lowers all kernels and variables. [`Options::language`] is that of the units; CUDA, if there is none.
pub fn load_program(units: &[DevicePart], options: &Options) -> Result<DeviceCode, Error> {
    let name = "program";
    let lower = |missing: &[String]| -> Result<(Option<Lowered>, Vec<Renamed>), Error> {
        let (module, renamed) = linked(units, name)?;
        let Some(mut module) = module else { return Ok((None, renamed)) };
        if let (false, Some(library)) = (missing.is_empty(), clang::opencl_library()) {
            module.link_needed(&library, missing).map_err(Error::BadIr)?;
        }
        prepare::run(&module, &[]).map_err(Error::BadIr)?;
        Ok((Some(lower::program::program(&module, name, options)), renamed))
    };
    let (mut lowered, mut renamed) = lower(&[])?;
    // OpenCL's own library may define what has no body and no known meaning.
    let missing = lowered.as_ref().map(|l| l.missing.clone()).unwrap_or_default();
    if options.language == Some(Language::OpenCl)
        && missing.iter().any(|m| m.starts_with("_Z"))
        && let Ok(with_library) = lower(&missing)
    {
        (lowered, renamed) = with_library;
    }
    let Some(Lowered { kernels, variables, .. }) = lowered else {
        return Ok(DeviceCode::default());
    };
    Ok(DeviceCode { kernels, variables, renamed })
}

/// What is renamed in one unit.
type Renamed = HashMap<String, String>;

fn linked(units: &[DevicePart], name: &str) -> Result<(Option<llvm::Module>, Vec<Renamed>), Error> {
    let mut renamed = Vec::new();
    let mut linked: Option<llvm::Module> = None;
    for (number, unit) in units.iter().enumerate() {
        let module = llvm::Module::parse(&unit.bitcode, name).map_err(Error::BadIr)?;
        let alone = units.len() == 1;
        renamed.push(if alone { HashMap::new() } else { tell_apart(&module, number) });
        match &mut linked {
            None => linked = Some(module),
            Some(first) => first.link(module).map_err(Error::BadIr)?,
        }
    }
    Ok((linked, renamed))
}

/// Gives what is internal to a unit a name of its own.
fn tell_apart(module: &llvm::Module, number: usize) -> HashMap<String, String> {
    let mut renamed = HashMap::new();
    let globals = module.globals().into_iter().chain(module.functions());
    let is_internal = |g: &Val| {
        let name = llvm::name(*g);
        !llvm::is_declaration(*g)
            && (name.starts_with("_ZL") || name.starts_with("_ZN12_GLOBAL__N_1"))
    };
    for global in globals.filter(is_internal) {
        let name = llvm::name(global);
        let own = format!("{name}.unit{number}");
        module.rename(global, &own);
        renamed.insert(name, own);
    }
    renamed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_knows_its_length() {
        let mut image = packed(b"BC and more", RELOCATABLE);
        image.extend(b"what follows in the object");
        assert!(has_image(&image) && !has_image(&image[1..]));
        let head: [u8; HEAD] = image[..HEAD].try_into().expect("it is longer");
        assert_eq!(DevicePart::length(&head), Some(HEAD + 11));
        let part = DevicePart::of_image(&image).expect("it is one");
        assert_eq!((&part.bitcode[..], part.relocatable), (&b"BC and more"[..], true));
        assert!(DevicePart::of_image(b"\x50\xed\x55\xba of another compiler").is_none());
    }
}
