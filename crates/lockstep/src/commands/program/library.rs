//! Where the runtime library is: beside this program, or where `make install` puts it.

use std::env;
use std::path::{Path, PathBuf};

/// The name of the library, as the linker takes it.
pub(crate) const NAME: &str = "lockstep_runtime";

/// The folder of the library.
pub(crate) fn folder() -> Result<PathBuf, String> {
    let file = format!("lib{NAME}.so");
    let own =
        env::current_exe().map_err(|e| format!("this program does not know where it is: {e}"))?;
    let own = own.canonicalize().unwrap_or(own);
    let beside = own.parent().unwrap_or(Path::new("/"));
    // Cargo keeps what a package depends on in `deps`, where the newest is.
    let places = ["../lib/lockstep", "../lib", "deps", ".", ".."];
    let places = places.map(|p| beside.join(p));
    let found = places.iter().find(|p| p.join(&file).exists());
    let found = found.ok_or_else(|| {
        format!(
            "the runtime library {file} is neither beside {} nor in ../lib/lockstep: run make install",
            lockstep_names::shown(&own)
        )
    })?;
    found.canonicalize().map_err(|e| format!("cannot use '{}': {e}", lockstep_names::shown(found)))
}
