//! Functions of glibc as versions before 2.33 have them, for a program that was linked with a newer one: the build script says why.

use std::arch::global_asm;
use std::ffi::{c_char, c_int, c_void};

global_asm!(
    include_str!(concat!(env!("OUT_DIR"), "/older_glibc.s")),
    ".symver older_libc_start_main, __libc_start_main@GLIBC_2.2.5",
    options(att_syntax)
);

type Arguments = *const *const c_char;
type Initialise = unsafe extern "C" fn(c_int, Arguments, Arguments);
type Main = unsafe extern "C" fn(c_int, Arguments, Arguments) -> c_int;
type Finish = unsafe extern "C" fn();

/// How the structure that the two functions fill is laid out: there is one layout for x86-64.
const STAT_VERSION: c_int = 1;

unsafe extern "C" {
    fn older_libc_start_main(
        main: Main,
        argc: c_int,
        argv: Arguments,
        initialise: Option<Initialise>,
        finish: Option<Finish>,
        loader_finish: Option<Finish>,
        stack_end: *mut c_void,
    ) -> c_int;
    fn __fxstat64(version: c_int, file: c_int, stat: *mut c_void) -> c_int;
    fn __xstat64(version: c_int, path: *const c_char, stat: *mut c_void) -> c_int;
    fn _init();
    static __init_array_start: [Option<Initialise>; 0];
    static __init_array_end: [Option<Initialise>; 0];
}

/// What older versions leave to the program before `main`: newer ones do it themselves for programs that bring no such function.
unsafe extern "C" fn initialise(argc: c_int, argv: Arguments, environment: Arguments) {
    // SAFETY: the linker defines `_init`, and both ends of the program's list of constructors, each of which takes these arguments.
    unsafe {
        _init();
        let mut next = (&raw const __init_array_start).cast::<Option<Initialise>>();
        let end = (&raw const __init_array_end).cast::<Option<Initialise>>();
        while next < end {
            if let Some(constructor) = *next {
                constructor(argc, argv, environment);
            }
            next = next.add(1);
        }
    }
}

/// # Safety
///
/// Called once, by the code that the linker puts before `main`, with the arguments of the older version.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap___libc_start_main(
    main: Main,
    argc: c_int,
    argv: Arguments,
    _: Option<Initialise>,
    finish: Option<Finish>,
    loader_finish: Option<Finish>,
    stack_end: *mut c_void,
) -> c_int {
    // SAFETY: the arguments are those of the caller.
    unsafe {
        older_libc_start_main(main, argc, argv, Some(initialise), finish, loader_finish, stack_end)
    }
}

/// # Safety
///
/// As `fstat64`: `stat` points to a structure of that type.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap_fstat64(file: c_int, stat: *mut c_void) -> c_int {
    // SAFETY: the caller's promise is what the function asks for.
    unsafe { __fxstat64(STAT_VERSION, file, stat) }
}

/// # Safety
///
/// As `stat64`: `path` ends with a zero, and `stat` points to a structure of that type.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap_stat64(path: *const c_char, stat: *mut c_void) -> c_int {
    // SAFETY: the caller's promise is what the function asks for.
    unsafe { __xstat64(STAT_VERSION, path, stat) }
}
