//! Which file a text is that the program compiles.
//!
//! Programs read their kernels from files and give the text. Findings should name the file: it is looked for in the
//! folder that the program runs in, and in that of the program itself. A file with exactly this text is it, wherever the
//! program has the text from. A text that is in no file has a name of ours, and is told to `lockstep exec`.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// How many entries of folders are looked at, and how deep.
const MOST_ENTRIES: usize = 4000;
const DEPTH: usize = 4;

#[derive(Default)]
pub(super) struct Sources {
    names: HashMap<String, String>,
}

/// What a text is called.
pub(super) struct Named {
    pub name: String,
    /// It is in no file, and was not named before.
    pub is_new: bool,
}

impl Sources {
    pub(super) fn name(&mut self, text: &str) -> Named {
        if let Some(name) = self.names.get(text) {
            return Named { name: name.clone(), is_new: false };
        }
        let file = file_of(text);
        let is_new = file.is_none();
        let name = file.unwrap_or_else(|| format!("program-{:08x}.cl", hash(text)));
        self.names.insert(text.to_owned(), name.clone());
        Named { name, is_new }
    }
}

/// A number that is the same in every process, so that each text has one name and each name one text (FNV-1a).
fn hash(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

fn file_of(text: &str) -> Option<String> {
    if text.trim().is_empty() {
        return None;
    }
    let here = std::env::current_dir().ok()?;
    let own = std::env::current_exe().ok();
    let own = own.as_deref().and_then(Path::parent).filter(|f| !f.starts_with(&here));
    let found = [Some(here.as_path()), own].into_iter().flatten().find_map(|f| search(f, text))?;
    let shown = found.strip_prefix(&here).unwrap_or(&found);
    Some(shown.to_string_lossy().into_owned())
}

/// Breadth first: the nearest file is it.
fn search(folder: &Path, text: &str) -> Option<PathBuf> {
    let mut level = vec![folder.to_owned()];
    let mut left = MOST_ENTRIES;
    for _ in 0..DEPTH {
        let mut next = Vec::new();
        for folder in level {
            let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(left);
            let mut paths: Vec<_> = entries.map(|e| (e.path(), e.metadata())).collect();
            left -= paths.len();
            paths.sort_by(|a, b| a.0.cmp(&b.0));
            for (path, meta) in paths {
                let hidden = path.file_name().is_some_and(|n| n.to_string_lossy().starts_with('.'));
                let Ok(meta) = meta else { continue };
                if meta.is_dir() && !hidden {
                    next.push(path);
                } else if meta.is_file()
                    && meta.len() == text.len() as u64
                    && fs::read(&path).is_ok_and(|bytes| bytes == text.as_bytes())
                {
                    return Some(path);
                }
            }
        }
        level = next;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_found_by_its_text() {
        let folder = tempfile::tempdir().expect("a folder");
        let below = folder.path().join("a/b");
        fs::create_dir_all(&below).expect("a folder");
        fs::write(folder.path().join("x.cl"), "kernel void f() {} ").expect("a file");
        fs::write(below.join("y.cl"), "kernel void f() {}\n").expect("a file");
        assert_eq!(search(folder.path(), "kernel void f() {}\n"), Some(below.join("y.cl")));
        assert_eq!(search(folder.path(), "kernel void g() {}\n"), None);
    }

    #[test]
    fn a_text_without_a_file_keeps_its_name() {
        let mut sources = Sources::default();
        let text = |i: u32| format!("// a text that is in no file of this folder: {i}\n");
        let first = sources.name(&text(1));
        assert!(first.is_new && first.name.starts_with("program-"), "{}", first.name);
        assert_ne!(sources.name(&text(2)).name, first.name);
        let again = sources.name(&text(1));
        assert!(!again.is_new && again.name == first.name);
    }
}
