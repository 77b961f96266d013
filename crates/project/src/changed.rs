//! `--changed REV`: the files that a change touches, directly or through a header.
//!
//! Git says which files differ between a revision and the working tree; new files that it does not know yet differ too.
//! A source is touched where it, or a file that it includes, is among them. Includes are read off the text
//! (`#include "x"`, `#include <x>`), whatever conditions stand around them, and looked for beside the file that has
//! them and in the folders that the command line names: that can only find too much. An include whose name is a
//! macro could be any file, so its source counts as touched; so does every source where the project's own settings
//! have changed.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::tree::absolute;

/// What differs from a revision.
#[derive(Debug, Default)]
pub struct Changes {
    /// Absolute, also of files that are gone.
    files: HashSet<PathBuf>,
}

impl Changes {
    /// Asks git, in the repository that `folder` is in.
    pub fn since(revision: &str, folder: &Path) -> Result<Changes, String> {
        let top = git(folder, &["rev-parse", "--show-toplevel"])
            .map_err(|_| format!("--changed {revision}: this is not a git repository"))?;
        let top = PathBuf::from(OsStr::from_bytes(top.strip_suffix(b"\n").unwrap_or(&top)));
        let commit = format!("{revision}^{{commit}}");
        git(folder, &["rev-parse", "--verify", "--quiet", "--end-of-options", &commit])
            .map_err(|_| format!("--changed {revision}: git knows no such revision"))?;
        let names = [
            git(
                &top,
                &["diff", "--name-only", "--no-renames", "-z", "--end-of-options", &commit, "--"],
            )?,
            git(&top, &["ls-files", "--others", "--exclude-standard", "-z"])?,
        ];
        // Git resolves links in the name of the repository; the names of sources may go through one.
        let roots = [absolute(&top), absolute(&unresolved(folder, &top))];
        let names = names.iter().flat_map(|n| n.split(|b| *b == 0)).filter(|n| !n.is_empty());
        let names: Vec<&OsStr> = names.map(OsStr::from_bytes).collect();
        let files = roots.iter().flat_map(|root| names.iter().map(|n| root.join(n))).collect();
        Ok(Changes { files })
    }

    pub fn contains(&self, file: &Path) -> bool {
        self.files.contains(&absolute(file))
    }
}

/// The repository's folder as it is reached from `folder`, links and all.
fn unresolved(folder: &Path, top: &Path) -> PathBuf {
    let folder = absolute(folder);
    let Ok(real) = folder.canonicalize() else { return top.to_path_buf() };
    let depth = real.strip_prefix(top).map_or(0, |rest| rest.components().count());
    folder.ancestors().nth(depth).map_or_else(|| top.to_path_buf(), Path::to_path_buf)
}

fn git(folder: &Path, args: &[&str]) -> Result<Vec<u8>, String> {
    let output = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(args)
        .output()
        .map_err(|e| format!("git could not be started: {e}"))?;
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
    }
}

/// Which sources include which files, read once each.
#[derive(Debug, Default)]
pub struct Includes {
    known: HashMap<PathBuf, Option<Vec<Include>>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Include {
    Named(String),
    /// The name is a macro.
    Computed,
}

impl Includes {
    /// Whether a source, compiled with these options, is touched.
    pub fn touched(&mut self, source: &Path, clang_args: &[OsString], changes: &Changes) -> bool {
        let (folders, forced) = folders(clang_args);
        let mut open = vec![absolute(source)];
        open.extend(forced);
        let mut seen: HashSet<PathBuf> = open.iter().cloned().collect();
        while let Some(file) = open.pop() {
            if changes.files.contains(&file) {
                return true;
            }
            let Some(includes) = self.of(&file) else { continue };
            for include in includes.clone() {
                let Include::Named(name) = include else { return true };
                let beside = file.parent().map(Path::to_path_buf);
                for folder in beside.iter().chain(&folders) {
                    let candidate = absolute(&folder.join(&name));
                    let there = changes.files.contains(&candidate) || candidate.is_file();
                    if there && seen.insert(candidate.clone()) {
                        open.push(candidate);
                    }
                }
            }
        }
        false
    }

    fn of(&mut self, file: &Path) -> Option<&Vec<Include>> {
        let read = || Some(includes(&String::from_utf8_lossy(&std::fs::read(file).ok()?)));
        self.known.entry(file.to_path_buf()).or_insert_with(read).as_ref()
    }
}

/// The include folders among clang's options, and the files that are always included.
fn folders(clang_args: &[OsString]) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let (mut folders, mut forced) = (Vec::new(), Vec::new());
    let mut words = clang_args.iter();
    while let Some(word) = words.next() {
        for option in ["-include", "-isystem", "-iquote", "-idirafter", "-I"] {
            let Some(rest) = word.as_bytes().strip_prefix(option.as_bytes()) else { continue };
            let joined = || Some(OsStr::from_bytes(rest));
            let value =
                if rest.is_empty() { words.next().map(OsString::as_os_str) } else { joined() };
            if let Some(value) = value {
                let list = if option == "-include" { &mut forced } else { &mut folders };
                list.push(absolute(Path::new(value)));
            }
            break;
        }
    }
    (folders, forced)
}

fn includes(text: &str) -> Vec<Include> {
    let directive = |line: &str| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start();
        let rest = rest.strip_prefix("include_next").or_else(|| rest.strip_prefix("include"))?;
        let rest = rest.trim_start();
        let close = match rest.chars().next()? {
            '"' => '"',
            '<' => '>',
            c if c.is_ascii_alphabetic() || c == '_' => return Some(Include::Computed),
            _ => return None,
        };
        let name = rest[1..].split(close).next()?;
        Some(Include::Named(name.to_owned()))
    };
    text.lines().filter_map(directive).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn directives() {
        let text = "#include \"a.h\"\n  # include <b/c.cuh> // x\n#define X\n#include HEADER\n//#include \"no.h\"\n";
        let named = |n: &str| Include::Named(n.into());
        assert_eq!(includes(text), [named("a.h"), named("b/c.cuh"), Include::Computed]);
    }

    #[test]
    fn touched_through_headers() {
        let dir = tempfile::tempdir().unwrap();
        let root = absolute(dir.path());
        fs::create_dir(root.join("inc")).unwrap();
        fs::write(root.join("a.cu"), "#include \"x.h\"\n").unwrap();
        fs::write(root.join("b.cu"), "#include <y.h>\n").unwrap();
        fs::write(root.join("c.cu"), "#include NAME\n").unwrap();
        fs::write(root.join("x.h"), "#include \"inc/y.h\"\n").unwrap();
        fs::write(root.join("inc/y.h"), "#include \"../x.h\"\n#include \"gone.h\"\n").unwrap();
        let changed = |name: &str| Changes { files: [root.join(name)].into() };
        let mut all = Includes::default();
        let mut touched = |file: &str, args: &[OsString], name: &str| {
            all.touched(&root.join(file), args, &changed(name))
        };
        let inc = [format!("-I{}", root.join("inc").display()).into()];
        assert!(touched("a.cu", &[], "a.cu"));
        assert!(touched("a.cu", &[], "inc/y.h"));
        assert!(touched("a.cu", &[], "inc/gone.h"));
        assert!(!touched("a.cu", &[], "b.cu"));
        assert!(!touched("b.cu", &[], "inc/y.h"));
        assert!(touched("b.cu", &inc, "inc/y.h"));
        assert!(touched("c.cu", &[], "b.cu"));
        let forced = ["-include".into(), root.join("x.h").into_os_string()];
        assert!(touched("b.cu", &forced, "x.h"));
    }
}
