//! Embeds the headers under `include/` into the crate, and names their contents by a hash, so that the place they
//! are unpacked to changes whenever they do. Links LLVM.
//!
//! A release has LLVM's archives in it: loading the shared library takes longer than checking a small kernel. Tests and
//! what is built to be thrown away use the shared library, which links at once; so does a release where an archive, or a
//! library that they need, is not installed.

use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// What we call of LLVM.
const COMPONENTS: [&str; 9] = [
    "core",
    "bitreader",
    "bitwriter",
    "irreader",
    "linker",
    "analysis",
    "passes",
    "target",
    "nvptx",
];

fn main() {
    link_llvm();
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").unwrap_or_default()).join("include");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    let mut hasher = DefaultHasher::new();
    let mut code = String::from("pub(crate) const HEADERS: &[(&str, &str)] = &[\n");
    for file in &files {
        let relative =
            file.strip_prefix(&root).unwrap_or(file).to_string_lossy().replace('\\', "/");
        hasher.write(relative.as_bytes());
        hasher.write(&fs::read(file).unwrap_or_default());
        println!("cargo::rerun-if-changed={}", file.display());
        let _ =
            writeln!(code, "    ({relative:?}, include_str!({:?})),", file.display().to_string());
    }
    let _ = writeln!(code, "];\npub(crate) const HASH: &str = \"{:016x}\";", hasher.finish());
    let out = PathBuf::from(env::var("OUT_DIR").unwrap_or_default()).join("headers.rs");
    fs::write(out, code).expect("OUT_DIR is writable");
}

fn collect(dir: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            println!("cargo::rerun-if-changed={}", path.display());
            collect(&path, files);
        } else {
            files.push(path);
        }
    }
}

fn link_llvm() {
    println!("cargo::rerun-if-env-changed=LLVM_SYS_191_PREFIX");
    let config = env::var_os("LLVM_SYS_191_PREFIX")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from("/usr/lib/llvm-19")).filter(|p| p.exists()))
        .map_or(PathBuf::from("llvm-config-19"), |prefix| prefix.join("bin/llvm-config"));
    let ask = |arguments: &[&str]| printed(Command::new(&config).args(arguments));
    let Some(folder) = ask(&["--libdir"]) else {
        panic!("{} does not run: is llvm-19-dev installed? (scripts/setup.sh)", config.display())
    };
    println!("cargo::rustc-link-search=native={folder}");
    let release = env::var("PROFILE").is_ok_and(|p| p == "release");
    if !(release && link_archives(&folder, ask)) {
        for name in libraries(ask, &["--link-shared", "--libs"]) {
            println!("cargo::rustc-link-lib=dylib={name}");
        }
    }
}

/// False where something is not installed.
fn link_archives(folder: &str, ask: impl Fn(&[&str]) -> Option<String>) -> bool {
    let archives = libraries(&ask, &["--link-static", "--libs"]);
    // The whole path of a library of the system; Z3, which LLVM may have been built with, is linked by who uses it.
    let mut system = libraries(&ask, &["--link-static", "--system-libs"]);
    system.push("stdc++".into());
    let archive = |name: &String| Path::new(folder).join(format!("lib{name}.a")).exists();
    let library = |name: &String| {
        let file = format!("lib{name}.so");
        let old = format!("lib{name}.a");
        [file, old].iter().any(|f| {
            let found = printed(Command::new("cc").arg(format!("-print-file-name={f}")));
            found.is_some_and(|path| path.contains('/'))
        })
    };
    if archives.is_empty() || !archives.iter().all(archive) || !system.iter().all(library) {
        return false;
    }
    for name in archives {
        println!("cargo::rustc-link-lib=static:-bundle={name}");
    }
    for name in system {
        println!("cargo::rustc-link-lib=dylib={name}");
    }
    true
}

/// The names after `-l` in what `llvm-config` prints of our components.
fn libraries(ask: impl Fn(&[&str]) -> Option<String>, arguments: &[&str]) -> Vec<String> {
    let printed = ask(&[arguments, &COMPONENTS].concat()).unwrap_or_default();
    printed.split_whitespace().filter_map(|w| w.strip_prefix("-l")).map(str::to_owned).collect()
}

fn printed(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|o| o.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}
