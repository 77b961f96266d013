//! Our own headers, embedded in the binary and unpacked once per content.
//!
//! They go to `$XDG_CACHE_HOME/lockstep`, `~/.cache/lockstep` or the temporary folder, whichever can be written
//! first, under a name that is a hash of their contents. Unpacking is a rename of a finished folder, so two
//! processes that start together do not see half of it.

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
