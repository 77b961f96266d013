//! Lets `lockstep-device` start with an older glibc than the one it is built with.
//!
//! A function of glibc can have several versions, and the linker takes the newest: a program that was built with glibc 2.36 asks for
//! `pthread_create` of 2.34, and does not start with 2.31, although its own, older version does the same. Here the linker is told
//! (`--wrap`) to turn each call of such a function into a call of one of our own: an instruction that goes on to the older version, or
//! what `src/older_glibc.rs` defines. What remains needs glibc 2.17 as Rust's library does; `tests/older_glibc.rs` looks at it.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

/// Functions with an older version that does the same, and that version.
const OLDER: [(&str, &str); 21] = [
    ("dlclose", "GLIBC_2.2.5"),
    ("dlerror", "GLIBC_2.2.5"),
    ("dlopen", "GLIBC_2.2.5"),
    ("dlsym", "GLIBC_2.2.5"),
    ("exp", "GLIBC_2.2.5"),
    ("exp2", "GLIBC_2.2.5"),
    ("hypot", "GLIBC_2.2.5"),
    ("log", "GLIBC_2.2.5"),
    ("log2", "GLIBC_2.2.5"),
    ("pow", "GLIBC_2.2.5"),
    ("pthread_attr_getguardsize", "GLIBC_2.2.5"),
    ("pthread_attr_getstack", "GLIBC_2.2.5"),
    ("pthread_attr_setstacksize", "GLIBC_2.2.5"),
    ("pthread_create", "GLIBC_2.2.5"),
    ("pthread_detach", "GLIBC_2.2.5"),
    ("pthread_getattr_np", "GLIBC_2.2.5"),
    ("pthread_join", "GLIBC_2.2.5"),
    ("pthread_key_create", "GLIBC_2.2.5"),
    ("pthread_key_delete", "GLIBC_2.2.5"),
    ("pthread_setname_np", "GLIBC_2.12"),
    ("pthread_setspecific", "GLIBC_2.2.5"),
];

/// Functions that older versions have under another name, or call in another way.
const WRITTEN: [&str; 3] = ["__libc_start_main", "fstat64", "stat64"];

/// Libraries in which some of these functions were before 2.34. They are still there, empty, for programs that name them.
const LIBRARIES: [&str; 2] = ["libpthread.so.0", "libdl.so.2"];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let target = |name| env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    if (target("OS").as_str(), target("ENV").as_str(), target("ARCH").as_str())
        != ("linux", "gnu", "x86_64")
    {
        return;
    }
    let mut forwards = String::new();
    for (function, version) in OLDER {
        writeln!(
            forwards,
            ".symver older_{function}, {function}@{version}\n\
             .globl __wrap_{function}\n\
             .hidden __wrap_{function}\n\
             .type __wrap_{function}, @function\n\
             __wrap_{function}: jmp *older_{function}@GOTPCREL(%rip)"
        )
        .expect("a string takes what is written to it");
    }
    let out = env::var_os("OUT_DIR").expect("Cargo names a folder for what a build script writes");
    fs::write(Path::new(&out).join("older_glibc.s"), forwards).expect("the folder can be written");
    for function in OLDER.iter().map(|&(function, _)| function).chain(WRITTEN) {
        println!("cargo:rustc-link-arg-bins=-Wl,--wrap={function}");
    }
    for library in LIBRARIES {
        println!(
            "cargo:rustc-link-arg-bins=-Wl,--push-state,--no-as-needed,-l:{library},--pop-state"
        );
    }
}
