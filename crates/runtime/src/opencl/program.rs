//! Programs: texts that are compiled, linked and loaded while the program runs.
//!
//! The front end compiles a text to bitcode, which is what a binary holds, and lowers it to kernels when the program is
//! complete.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use lockstep_frontend::{DevicePart, Error, Options as Compiler, compile_opencl, load_program};
use lockstep_kernel::Language;
use opencl_sys::{
    CL_BUILD_ERROR, CL_BUILD_NONE, CL_BUILD_PROGRAM_FAILURE, CL_BUILD_SUCCESS,
    CL_COMPILE_PROGRAM_FAILURE, CL_INVALID_BINARY, CL_INVALID_BUILD_OPTIONS,
    CL_INVALID_COMPILER_OPTIONS, CL_INVALID_LINKER_OPTIONS, CL_INVALID_OPERATION, CL_INVALID_VALUE,
    CL_LINK_PROGRAM_FAILURE, CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT,
    CL_PROGRAM_BINARY_TYPE_EXECUTABLE, CL_PROGRAM_BINARY_TYPE_LIBRARY, CL_PROGRAM_BINARY_TYPE_NONE,
    CL_SUCCESS, cl_build_status, cl_context, cl_device_id, cl_int, cl_platform_id, cl_program,
    cl_program_binary_type,
};

use crate::code::Loaded;
use crate::device::Device;
use crate::opencl::answer::{give, handles, list};
use crate::opencl::context::Context;
use crate::opencl::objects::Body;
use crate::opencl::options::{self, Options};
use crate::opencl::platform::check_devices;
use crate::opencl::{Call, Outcome, call, code_of, made, status};
use crate::record::Record;
use crate::site::text;

type Notify = unsafe extern "C" fn(program: cl_program, user_data: *mut c_void);

pub(super) struct Program {
    pub context: usize,
    pub source: String,
    pub status: cl_build_status,
    pub log: String,
    /// As the program gave them last.
    pub options: String,
    pub binary_type: cl_program_binary_type,
    /// What has been compiled, and with what.
    pub object: Option<Object>,
    built: Option<Built>,
}

/// Compiled code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Object {
    /// Bitcode of each unit.
    pub units: Vec<Vec<u8>>,
    pub options: Vec<String>,
    pub is_library: bool,
}

struct Built {
    kernels: Vec<Arc<Loaded>>,
    slots: Vec<usize>,
}

impl Program {
    fn new(context: usize) -> Program {
        Program {
            context,
            source: String::new(),
            status: CL_BUILD_NONE,
            log: String::new(),
            options: String::new(),
            binary_type: CL_PROGRAM_BINARY_TYPE_NONE,
            object: None,
            built: None,
        }
    }

    /// Its kernels, if it is complete.
    pub(super) fn kernels(&self) -> Option<&[Arc<Loaded>]> {
        self.built.as_ref().map(|b| &b.kernels[..])
    }
}

impl Object {
    const MAGIC: &'static [u8] = b"LOCKSTEP OPENCL 1\n";

    /// As a binary that the program may keep.
    pub(super) fn packed(&self) -> Vec<u8> {
        let mut out = Object::MAGIC.to_vec();
        out.push(u8::from(self.is_library));
        let options = self.options.iter().map(|o| o.as_bytes());
        let parts = [options.collect::<Vec<_>>(), self.units.iter().map(|u| &u[..]).collect()];
        for part in parts {
            out.extend((part.len() as u32).to_le_bytes());
            for bytes in part {
                out.extend((bytes.len() as u32).to_le_bytes());
                out.extend(bytes);
            }
        }
        out
    }

    fn of_binary(binary: &[u8]) -> Option<Object> {
        let mut rest = binary.strip_prefix(Object::MAGIC)?;
        let is_library = *rest.split_off_first()? != 0;
        let number = |rest: &mut &[u8]| {
            let bytes = rest.split_off(..4)?;
            Some(u32::from_le_bytes(bytes.try_into().ok()?) as usize)
        };
        let mut part = || {
            let count = number(&mut rest)?;
            let one = |_| {
                let length = number(&mut rest)?;
                rest.split_off(..length).map(<[u8]>::to_vec)
            };
            (0..count).map(one).collect::<Option<Vec<Vec<u8>>>>()
        };
        let (options, units) = (part()?, part()?);
        let options = options.into_iter().map(String::from_utf8).collect::<Result<_, _>>().ok()?;
        Some(Object { units, options, is_library })
    }
}

/// # Safety
///
/// There are as many texts as `count` says, each with its length, or with a zero at its end; `code` is null or points to a
/// number.
pub(super) unsafe extern "C" fn clCreateProgramWithSource(
    context: cl_context,
    count: u32,
    strings: *mut *const c_char,
    lengths: *const usize,
    code: *mut cl_int,
) -> cl_program {
    let program = call("clCreateProgramWithSource", |d, call| {
        d.object::<Context>(context as usize, call)?;
        // SAFETY: as the caller says.
        let strings = unsafe { list(count, strings.cast_const()) };
        if strings.is_empty() || strings.iter().any(|s| s.is_null()) {
            return Err(CL_INVALID_VALUE);
        }
        let mut source = String::new();
        for (i, &string) in strings.iter().enumerate() {
            // SAFETY: as the caller says.
            let length = unsafe { if lengths.is_null() { 0 } else { lengths.add(i).read() } };
            // SAFETY: as the caller says.
            source += &unsafe {
                match length {
                    0 => text(string),
                    n => String::from_utf8_lossy(std::slice::from_raw_parts(string.cast(), n))
                        .into_owned(),
                }
            };
        }
        // Programs count the zero at the end, too.
        source.truncate(source.trim_end_matches('\0').len());
        let program = Program { source, ..Program::new(context as usize) };
        Ok(d.put(Body::Program(Box::new(program)), 1, vec![context as usize]))
    });
    // SAFETY: as the caller says.
    unsafe { made(code, program) }
}

/// # Safety
///
/// There are as many binaries as `count` says, each with its length; the places for results are null or large enough.
pub(super) unsafe extern "C" fn clCreateProgramWithBinary(
    context: cl_context,
    count: u32,
    devices: *const cl_device_id,
    lengths: *const usize,
    binaries: *mut *const u8,
    statuses: *mut cl_int,
    code: *mut cl_int,
) -> cl_program {
    let program = call("clCreateProgramWithBinary", |d, call| {
        d.object::<Context>(context as usize, call)?;
        // SAFETY: as the caller says.
        let (devices, binaries, lengths) = unsafe {
            (handles(count, devices), list(count, binaries.cast_const()), list(count, lengths))
        };
        check_devices(d, call, &devices)?;
        let ([binary, ..], [length, ..]) = (&binaries[..], &lengths[..]) else {
            return Err(CL_INVALID_VALUE);
        };
        if binary.is_null() || *length == 0 {
            return Err(CL_INVALID_VALUE);
        }
        // SAFETY: as the caller says.
        let object = Object::of_binary(unsafe { std::slice::from_raw_parts(*binary, *length) });
        // SAFETY: as the caller says.
        unsafe { give(statuses, if object.is_some() { CL_SUCCESS } else { CL_INVALID_BINARY }) };
        let object = object.ok_or(CL_INVALID_BINARY)?;
        let binary_type = match object.is_library {
            true => CL_PROGRAM_BINARY_TYPE_LIBRARY,
            false => CL_PROGRAM_BINARY_TYPE_EXECUTABLE,
        };
        let object = Some(object);
        let program = Program { object, binary_type, ..Program::new(context as usize) };
        Ok(d.put(Body::Program(Box::new(program)), 1, vec![context as usize]))
    });
    // SAFETY: as the caller says.
    unsafe { made(code, program) }
}

pub(super) extern "C" fn clRetainProgram(program: cl_program) -> cl_int {
    status("clRetainProgram", |d, call| d.retain::<Program>(program as usize, call))
}

pub(super) extern "C" fn clReleaseProgram(program: cl_program) -> cl_int {
    status("clReleaseProgram", |d, call| d.release::<Program>(program as usize, call))
}

/// The program's function is called when its program is built, whatever has become of it.
fn notify(d: &mut Device, program: usize, function: Option<Notify>, user_data: *mut c_void) {
    let user_data = user_data as usize;
    let Some(function) = function else { return };
    d.opencl.callbacks.add(Box::new(move || {
        // SAFETY: the program has given the function to be called so.
        unsafe { function(program as cl_program, user_data as *mut c_void) };
    }));
}

/// The program that a call changes: no kernel of it may exist, and the devices are ours.
fn changeable(d: &mut Device, call: &Call, program: usize, devices: &[usize]) -> Outcome {
    d.object::<Program>(program, call)?;
    check_devices(d, call, devices)?;
    if d.holds(program) > 0 {
        let help = "release the kernels of a program before it is built again";
        return d.wrong(call, CL_INVALID_OPERATION, "builds a program that has kernels", help);
    }
    Ok(())
}

/// # Safety
///
/// Lists have the lengths that are given, and texts a zero at their end.
pub(super) unsafe extern "C" fn clBuildProgram(
    program: cl_program,
    count: u32,
    devices: *const cl_device_id,
    options: *const c_char,
    function: Option<Notify>,
    user_data: *mut c_void,
) -> cl_int {
    status("clBuildProgram", |d, call| {
        let program = program as usize;
        // SAFETY: as the caller says.
        let (devices, options) = unsafe { (handles(count, devices), text(options)) };
        changeable(d, call, program, &devices)?;
        let parsed = prepare(d, program, &options, CL_INVALID_BUILD_OPTIONS)?;
        let own = d.object::<Program>(program, call)?;
        let compiled = match (own.source.is_empty(), own.object.take()) {
            (true, Some(object)) => Ok(object),
            _ => compile(d, program, &parsed, &[]),
        };
        let done = compiled.and_then(|object| load(d, program, object));
        let done = finish(d, program, done, CL_BUILD_PROGRAM_FAILURE);
        notify(d, program, function, user_data);
        done
    })
}

/// # Safety
///
/// As for [`clBuildProgram`].
pub(super) unsafe extern "C" fn clCompileProgram(
    program: cl_program,
    count: u32,
    devices: *const cl_device_id,
    options: *const c_char,
    headers: u32,
    header_programs: *const cl_program,
    header_names: *mut *const c_char,
    function: Option<Notify>,
    user_data: *mut c_void,
) -> cl_int {
    status("clCompileProgram", |d, call| {
        let program = program as usize;
        // SAFETY: as the caller says.
        let (devices, options) = unsafe { (handles(count, devices), text(options)) };
        changeable(d, call, program, &devices)?;
        // SAFETY: as the caller says.
        let (programs, names) = unsafe {
            (handles(headers, header_programs), list(headers, header_names.cast_const()))
        };
        if programs.len() != names.len() {
            return Err(CL_INVALID_VALUE);
        }
        let mut included = Vec::new();
        for (own, name) in programs.iter().zip(&names) {
            let source = d.object::<Program>(*own, call)?.source.clone();
            // SAFETY: as the caller says.
            included.push((unsafe { text(*name) }, source));
        }
        let parsed = prepare(d, program, &options, CL_INVALID_COMPILER_OPTIONS)?;
        if d.object::<Program>(program, call)?.source.is_empty() {
            return Err(CL_INVALID_OPERATION);
        }
        let done = compile(d, program, &parsed, &included).map(|object| {
            if let Some(own) = d.peek_mut::<Program>(program) {
                own.object = Some(object);
                own.binary_type = CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
            }
        });
        let done = finish(d, program, done, CL_COMPILE_PROGRAM_FAILURE);
        notify(d, program, function, user_data);
        done
    })
}

/// # Safety
///
/// As for [`clBuildProgram`]; `code` is null or points to a number.
pub(super) unsafe extern "C" fn clLinkProgram(
    context: cl_context,
    count: u32,
    devices: *const cl_device_id,
    options: *const c_char,
    inputs: u32,
    programs: *const cl_program,
    function: Option<Notify>,
    user_data: *mut c_void,
    code: *mut cl_int,
) -> cl_program {
    let mut failed = CL_SUCCESS;
    let program = call("clLinkProgram", |d, call| {
        let context = context as usize;
        d.object::<Context>(context, call)?;
        // SAFETY: as the caller says.
        let (devices, options, programs) =
            unsafe { (handles(count, devices), text(options), handles(inputs, programs)) };
        check_devices(d, call, &devices)?;
        let parsed = options::parse(&options).map_err(|_| CL_INVALID_LINKER_OPTIONS)?;
        if programs.is_empty() {
            return Err(CL_INVALID_VALUE);
        }
        let mut whole = Object { is_library: parsed.library, ..Object::default() };
        for own in &programs {
            let object = d.object::<Program>(*own, call)?.object.clone();
            let object = object.ok_or(CL_INVALID_OPERATION)?;
            whole.units.extend(object.units);
            whole.options.extend(object.options);
        }
        whole.options.sort();
        whole.options.dedup();
        let mut own = Program::new(context);
        own.options = options;
        let linked = d.put(Body::Program(Box::new(own)), 1, vec![context]);
        let done = if parsed.library {
            if let Some(own) = d.peek_mut::<Program>(linked) {
                own.object = Some(whole);
                own.binary_type = CL_PROGRAM_BINARY_TYPE_LIBRARY;
            }
            Ok(())
        } else {
            load(d, linked, whole)
        };
        failed = finish(d, linked, done, CL_LINK_PROGRAM_FAILURE).err().unwrap_or(CL_SUCCESS);
        notify(d, linked, function, user_data);
        Ok(linked)
    });
    // SAFETY: as the caller says.
    unsafe {
        let program = made(code, program);
        if failed != CL_SUCCESS {
            give(code, failed);
        }
        program
    }
}

/// The options of a build, taken apart. What was built before is gone.
fn prepare(d: &mut Device, program: usize, text: &str, invalid: cl_int) -> Outcome<Options> {
    let Some(own) = d.peek_mut::<Program>(program) else { return Err(invalid) };
    own.options = text.to_owned();
    own.log.clear();
    own.status = CL_BUILD_NONE;
    let built = own.built.take();
    d.forget(built.as_ref());
    options::parse(text).map_err(|word| {
        if let Some(own) = d.peek_mut::<Program>(program) {
            own.log = format!("unknown option {word}\n");
            own.status = CL_BUILD_ERROR;
        }
        invalid
    })
}

/// Keeps what has become of a build: its log says why it failed.
fn finish(d: &mut Device, program: usize, done: Result<(), String>, failure: cl_int) -> Outcome {
    let Some(own) = d.peek_mut::<Program>(program) else { return Err(failure) };
    own.status = if done.is_ok() { CL_BUILD_SUCCESS } else { CL_BUILD_ERROR };
    done.map_err(|message| {
        own.log += &message;
        failure
    })
}

/// Compiles the text of a program. An error is clang's messages.
fn compile(
    d: &mut Device,
    program: usize,
    options: &Options,
    headers: &[(String, String)],
) -> Result<Object, String> {
    let source = d.peek::<Program>(program).map(|p| p.source.clone()).unwrap_or_default();
    let named = d.opencl.sources.name(&source);
    if named.is_new {
        d.tell(&Record::Source { name: named.name.clone(), text: source.clone() });
    }
    let mut arguments = options.arguments();
    let folder = Folder::new(headers)?;
    if let Some(folder) = &folder {
        arguments.push("-I".into());
        arguments.push(folder.0.clone().into());
    }
    let compiler = Compiler { clang_args: arguments, ..Compiler::default() };
    let (bitcode, warnings) =
        compile_opencl(&named.name, &source, &compiler).map_err(|e| match e {
            Error::Compile { stderr } | Error::MissingHeader { stderr, .. } => stderr,
            other => format!("{other}\n"),
        })?;
    if let Some(own) = d.peek_mut::<Program>(program) {
        own.log = warnings.concat();
    }
    let options = options.compiler.clone();
    Ok(Object { units: vec![bitcode], options, is_library: false })
}

/// Makes a program of what has been compiled. An error is a message.
fn load(d: &mut Device, program: usize, object: Object) -> Result<(), String> {
    let part = |bitcode: &Vec<u8>| DevicePart {
        bitcode: bitcode.clone(),
        relocatable: true,
        has_managed: false,
    };
    let units: Vec<DevicePart> = object.units.iter().map(part).collect();
    let options =
        Compiler { language: Some(Language::OpenCl), size_limit: 2_000_000, ..Compiler::default() };
    let code = load_program(&units, &options).map_err(|e| format!("{e}\n"))?;
    let compiled = d.code.load_compiled(code, &object.options, &mut d.memory);
    let compiled = compiled.map_err(|e| format!("no memory for variables ({})\n", code_of(e)))?;
    if let Some(own) = d.peek_mut::<Program>(program) {
        own.object = Some(object);
        own.binary_type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
        own.built = Some(Built { kernels: compiled.kernels, slots: compiled.slots });
    }
    Ok(())
}

/// A folder with headers, for one compilation.
struct Folder(std::path::PathBuf);

impl Folder {
    fn new(headers: &[(String, String)]) -> Result<Option<Folder>, String> {
        use std::sync::atomic::{AtomicU64, Ordering};
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        if headers.is_empty() {
            return Ok(None);
        }
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("lockstep-headers-{}-{number}", std::process::id());
        let folder = Folder(std::env::temp_dir().join(name));
        let fail = |e: std::io::Error| format!("headers cannot be written: {e}\n");
        for (name, text) in headers {
            let relative = std::path::Path::new(name);
            let is_inside = (relative.components()).all(|c| {
                matches!(c, std::path::Component::Normal(_) | std::path::Component::CurDir)
            });
            if !is_inside {
                return Err(format!("a header cannot be called {name}\n"));
            }
            let path = folder.0.join(relative);
            std::fs::create_dir_all(path.parent().unwrap_or(&folder.0)).map_err(fail)?;
            std::fs::write(&path, text).map_err(fail)?;
        }
        Ok(Some(folder))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Device {
    /// Nothing uses a program any more.
    pub(super) fn end_program(&mut self, program: &Program) {
        self.forget(program.built.as_ref());
    }

    fn forget(&mut self, built: Option<&Built>) {
        for slot in built.iter().flat_map(|b| &b.slots) {
            self.order.forget(*slot);
            self.memory.free(*slot, "clReleaseProgram", crate::site::Site::default());
        }
    }
}

pub(super) extern "C" fn clUnloadCompiler() -> cl_int {
    CL_SUCCESS
}

pub(super) extern "C" fn clUnloadPlatformCompiler(_platform: cl_platform_id) -> cl_int {
    CL_SUCCESS
}

#[cfg(test)]
mod tests {
    use super::Object;

    #[test]
    fn binaries_come_back() {
        let units = vec![b"BC one".to_vec(), Vec::new()];
        let options = vec!["-DN=4".to_owned(), "-cl-std=CL1.2".to_owned()];
        let object = Object { units, options, is_library: true };
        let packed = object.packed();
        assert_eq!(Object::of_binary(&packed), Some(object));
        assert_eq!(Object::of_binary(&packed[..packed.len() - 3]), None);
        assert_eq!(Object::of_binary(b"\x7fELF"), None);
    }
}
