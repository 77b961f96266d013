//! Our own headers, embedded in the binary and unpacked once per content.
//!
//! They go to `$XDG_CACHE_HOME/lockstep`, `~/.cache/lockstep` or the temporary folder, whichever is writable first,
//! under a name that is a hash of their contents. Unpacking ends with a rename of the complete folder, so two processes
//! that start together never see an incomplete one. The CUDA prelude is also kept there in precompiled form, which
//! saves a third of clang's time.

use std::path::{Path, PathBuf};
use std::{env, fs, io, process};

include!(concat!(env!("OUT_DIR"), "/headers.rs"));

/// The folder that holds `cuda/` and `opencl/`.
pub(crate) fn dir() -> io::Result<PathBuf> {
    let home = env::var_os("HOME").map(|h| PathBuf::from(h).join(".cache"));
    let cache = env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or(home);
    let places = cache.into_iter().chain([env::temp_dir()]);
    let mut last = io::Error::other("no folder for the headers");
    for place in places {
        let folder = place.join("lockstep").join(format!("include-{HASH}"));
        if folder.join("complete").exists() {
            return Ok(folder);
        }
        match unpack(&folder) {
            Ok(()) => return Ok(folder),
            Err(e) => last = e,
        }
    }
    Err(last)
}

/// The precompiled form of our CUDA prelude, for one version of clang and one architecture: created on first use by
/// `build`, then kept next to the headers.
pub(crate) fn precompiled(
    folder: &Path,
    clang: &Path,
    architecture: &str,
    build: impl FnOnce(&Path, &Path) -> bool,
) -> Option<PathBuf> {
    let version = fs::metadata(clang).ok()?;
    let age = version.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?.as_secs();
    let file = folder.join(format!("cuda-{architecture}-{age:x}-{:x}.pch", version.len()));
    if file.exists() {
        return Some(file);
    }
    let fresh = folder.join(format!(".pch-{}-{:?}", process::id(), std::thread::current().id()));
    let wrapper = folder.join("prelude.h");
    if !wrapper.exists() {
        fs::write(&wrapper, "#include <lockstep_cuda_prelude.h>\n").ok()?;
    }
    let built = build(&wrapper, &fresh) && fs::rename(&fresh, &file).is_ok();
    if !built {
        let _ = fs::remove_file(&fresh);
    }
    built.then_some(file)
}

fn unpack(folder: &Path) -> io::Result<()> {
    let parent = folder.parent().unwrap_or(folder);
    fs::create_dir_all(parent)?;
    let fresh = parent.join(format!(".unpack-{}-{:?}", process::id(), std::thread::current().id()));
    for (name, text) in HEADERS {
        let path = fresh.join(name);
        fs::create_dir_all(path.parent().unwrap_or(&fresh))?;
        fs::write(path, text)?;
    }
    fs::create_dir_all(&fresh)?;
    fs::write(fresh.join("complete"), "")?;
    let renamed = fs::rename(&fresh, folder);
    if renamed.is_err() {
        let _ = fs::remove_dir_all(&fresh);
        if folder.join("complete").exists() {
            return Ok(());
        }
    }
    renamed
}
