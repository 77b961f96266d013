//! Files and folders as the user names them: which sources that means.
//!
//! A folder stands for the `.cu` and `.cl` files in it, as far as `.gitignore`, `.ignore` and the project's `exclude`
//! leave them; hidden folders are left out. A header (`.cuh`) is checked through those that include it. A file that is
//! named is taken as it is, whatever its name. The order is that of the arguments, and by name within a folder.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use globset::GlobSet;
use ignore::WalkBuilder;

/// What the arguments stand for.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Found {
    pub files: Vec<PathBuf>,
    /// Folders that could not be read, or hold nothing: which, and why.
    pub unusable: Vec<(PathBuf, String)>,
}

/// Walks the folders among `paths`. Each file comes once. `excluded` is asked about the folder that is walked and a file of it.
pub fn files(paths: &[PathBuf], mut excluded: impl FnMut(&Path, &Path) -> bool) -> Found {
    let mut found = Found::default();
    let mut seen = HashSet::new();
    for path in paths {
        if !path.is_dir() {
            if seen.insert(path.clone()) {
                found.files.push(path.clone());
            }
            continue;
        }
        let before = found.files.len() + found.unusable.len();
        let mut known = false;
        for entry in walk(path) {
            match entry {
                Ok(entry) => {
                    let file = plain(entry.path());
                    let is_file = entry.file_type().is_some_and(|t| t.is_file());
                    if !is_file || !is_source(&file) || excluded(path, &file) {
                        continue;
                    }
                    known = true;
                    if seen.insert(file.clone()) {
                        found.files.push(file);
                    }
                }
                Err(e) => found.unusable.push((path.clone(), e.to_string())),
            }
        }
        if !known && before == found.files.len() + found.unusable.len() {
            found.unusable.push((path.clone(), "there is no .cu or .cl file in it".into()));
        }
    }
    found
}

fn walk(root: &Path) -> ignore::Walk {
    WalkBuilder::new(root).require_git(false).sort_by_file_name(|a, b| a.cmp(b)).build()
}

/// Every file below a folder that can be part of a kernel's source, headers too.
pub(crate) fn is_source(path: &Path) -> bool {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    matches!(extension.to_ascii_lowercase().as_str(), "cu" | "cl")
}

/// Without a leading `./`.
pub(crate) fn plain(path: &Path) -> PathBuf {
    path.strip_prefix("./").unwrap_or(path).to_path_buf()
}

/// Globs of a project, relative to its root.
#[derive(Clone, Debug, Default)]
pub struct Exclude {
    pub(crate) root: PathBuf,
    pub(crate) globs: GlobSet,
}

impl Exclude {
    pub fn is_match(&self, path: &Path) -> bool {
        !self.globs.is_empty() && self.globs.is_match(below(&self.root, path))
    }
}

/// The path as seen from `root`, where it lies below it.
pub fn below(root: &Path, path: &Path) -> PathBuf {
    let whole = absolute(path);
    whole.strip_prefix(absolute(root)).map_or_else(|_| plain(path), Path::to_path_buf)
}

/// From the root of the file system, with `.` and `..` taken out as text: links stay as they are.
pub fn absolute(path: &Path) -> PathBuf {
    let joined = std::env::current_dir().unwrap_or_default().join(path);
    let mut out = PathBuf::new();
    for part in joined.components() {
        match part {
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn folders_and_files_mix() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        for folder in ["src/deep", "build", "empty", ".hidden"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        for file in [
            "src/b.cu",
            "src/a.cl",
            "src/h.cuh",
            "src/deep/c.CU",
            "build/x.cu",
            ".hidden/y.cu",
            "src/gen.cu",
        ] {
            fs::write(root.join(file), "").unwrap();
        }
        fs::write(root.join(".gitignore"), "build/\n").unwrap();
        let excluded = |_: &Path, p: &Path| p.ends_with("gen.cu");
        let paths =
            [root.join("src/b.cu"), root.to_path_buf(), root.join("empty"), root.join("no.cu")];
        let found = files(&paths, excluded);
        let names: Vec<_> = found
            .files
            .iter()
            .map(|p| p.strip_prefix(root).unwrap().display().to_string())
            .collect();
        assert_eq!(names, ["src/b.cu", "src/a.cl", "src/deep/c.CU", "no.cu"]);
        assert_eq!(
            found.unusable,
            [(root.join("empty"), "there is no .cu or .cl file in it".to_string())]
        );
    }

    #[test]
    fn paths_without_dots() {
        assert_eq!(absolute(Path::new("/a/./b/../c")), Path::new("/a/c"));
        assert_eq!(below(Path::new("/a"), Path::new("/a/b/../c.cu")), Path::new("c.cu"));
        assert_eq!(plain(Path::new("./x.cu")), Path::new("x.cu"));
    }
}
