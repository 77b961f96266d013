//! Files in the temporary folder, for data that clang reads and writes only as files.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::{env, fs, io, process};

use crate::Error;

/// A file that is deleted when it is dropped.
pub(crate) struct Temporary(PathBuf);

impl Temporary {
    /// A new file with these contents.
    pub(crate) fn new(extension: &str, bytes: &[u8]) -> Result<Temporary, Error> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = env::temp_dir();
        let path = folder.join(format!("lockstep-{}-{number}.{extension}", process::id()));
        let file = Temporary(path);
        match fs::write(&file.0, bytes) {
            Ok(()) => Ok(file),
            Err(e) => Err(unusable(&folder, &e)),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn unusable(folder: &Path, error: &io::Error) -> Error {
    let folder = lockstep_names::shown(folder);
    let why = match error.kind() {
        io::ErrorKind::NotFound => "there is no such folder".into(),
        io::ErrorKind::NotADirectory => "it is not a folder".into(),
        io::ErrorKind::PermissionDenied => "writing to it is not permitted".into(),
        io::ErrorKind::ReadOnlyFilesystem => "it is on a read-only file system".into(),
        io::ErrorKind::StorageFull => "no space is left on its device".into(),
        _ => error.to_string(),
    };
    Error::Machine(format!(
        "the temporary folder '{folder}' cannot be used: {why}; set the environment variable TMPDIR to a folder that can be written"
    ))
}
