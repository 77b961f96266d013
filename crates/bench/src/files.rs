//! Files to measure on.

use std::path::{Path, PathBuf};

/// Extensions of kernels.
pub(crate) const KERNELS: &[&str] = &["cu", "cl"];

/// The files in a folder and below that have one of some extensions, in a fixed order; none where there is no such folder.
pub(crate) fn below(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let mut out = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| extensions.iter().any(|x| e == *x)) {
                out.push(path);
            }
        }
    }
    out.sort();
    out
}
