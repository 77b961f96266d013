//! Embeds the headers under `include/` into the crate, and names their contents by a hash, so that the place they
//! are unpacked to changes whenever they do.

use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
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
