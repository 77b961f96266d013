//! Folders of recorded launches, as `lockstep exec --record` writes them: read whole, and asked for one kernel.
//!
//! A record is of a kernel if both have the same mangled name and the files that they stand in have the same path, as far as
//! both paths go: a program is run in another folder than its sources are checked from. Of several records, those with
//! the longest common path count.

use std::path::{Component, Path, PathBuf};

use lockstep_finding::InputError;
use lockstep_finding::recorded::RecordedKernel;
use lockstep_names as names;

use crate::cache;

/// All records of a folder.
#[derive(Clone, Debug, Default)]
pub struct Recorded {
    kernels: Vec<RecordedKernel>,
    /// Of all that was read.
    pub hash: String,
}

impl Recorded {
    pub fn read(dir: &Path) -> Result<Recorded, InputError> {
        let name = names::shown(dir);
        let fail = |file: &Path, why: String| InputError {
            file: name.clone(),
            message: format!("cannot read the launches in {}: {why}", names::shown(file)),
        };
        let entries = std::fs::read_dir(dir).map_err(|e| fail(dir, e.to_string()))?;
        let paths = entries.flatten().map(|e| e.path());
        let mut files: Vec<PathBuf> =
            paths.filter(|p| p.extension().is_some_and(|e| e == "json")).collect();
        files.sort();
        let mut out = Recorded::default();
        let mut all = String::new();
        for file in &files {
            let text = std::fs::read_to_string(file).map_err(|e| fail(file, e.to_string()))?;
            let kernel = RecordedKernel::parse(&text).map_err(|why| fail(file, why))?;
            out.kernels.push(kernel);
            all.push_str(&text);
        }
        if out.kernels.is_empty() {
            return Err(fail(dir, "there are none; 'lockstep exec --record' writes them".into()));
        }
        out.hash = cache::hash(all.as_bytes());
        Ok(out)
    }

    /// How a kernel was launched, by its mangled name and the file that it stands in.
    pub fn of(&self, mangled: &str, file: &Path) -> Option<RecordedKernel> {
        let same = self.kernels.iter().filter(|k| k.mangled == mangled && !k.launches.is_empty());
        let rated = same.filter_map(|k| Some((common(Path::new(&k.file), file)?, k)));
        let rated: Vec<(usize, &RecordedKernel)> = rated.collect();
        let most = rated.iter().map(|(parts, _)| *parts).max()?;
        let mut best = rated.into_iter().filter(|(parts, _)| *parts == most).map(|(_, k)| k);
        let first = best.next()?.clone();
        Some(best.fold(first, |known, other| {
            let is_whole = !other.more;
            let known = if is_whole { known } else { known.incomplete() };
            known.with(other.launches.iter().cloned())
        }))
    }
}

/// How many parts at their ends two paths have in common, where one of them has no others.
fn common(a: &Path, b: &Path) -> Option<usize> {
    let parts = |path: &Path| -> Vec<String> {
        let normal = path.components().filter_map(|c| match c {
            Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
            _ => None,
        });
        normal.collect()
    };
    let (a, b) = (parts(a), parts(b));
    let same = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    (same > 0 && same == a.len().min(b.len())).then_some(same)
}

#[cfg(test)]
mod tests {
    use lockstep_finding::recorded::RecordedLaunch;

    use super::*;

    fn kernel(file: &str, grid: u32) -> RecordedKernel {
        let launch = RecordedLaunch { grid: [grid, 1, 1], block: [32, 1, 1], ..Default::default() };
        let (kernel, mangled) = ("k".to_owned(), "_Z1kv".to_owned());
        let new = RecordedKernel { kernel, mangled, file: file.into(), ..Default::default() };
        new.with([launch])
    }

    #[test]
    fn a_kernel_is_found_by_its_name_and_its_file() {
        let dir = tempfile::tempdir().unwrap();
        for k in [kernel("a/main.cu", 1), kernel("b/main.cu", 2), kernel("other.cu", 3)] {
            std::fs::write(dir.path().join(k.file_name()), k.text()).unwrap();
        }
        let recorded = Recorded::read(dir.path()).unwrap();
        let grid = |file: &str| {
            let found = recorded.of("_Z1kv", Path::new(file));
            found.map(|k| k.launches.iter().map(|l| l.grid[0]).collect::<Vec<_>>())
        };
        assert_eq!(grid("src/a/main.cu"), Some(vec![1]));
        assert_eq!(grid("/home/me/src/b/main.cu"), Some(vec![2]));
        assert_eq!(grid("src/other.cu"), Some(vec![3]));
        assert_eq!(grid("src/c/main.cu"), None);
        // Nobody can tell which of them it is.
        assert_eq!(grid("main.cu"), Some(vec![1, 2]));
        assert!(recorded.of("_Z1jv", Path::new("other.cu")).is_none());
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        let dir = tempfile::tempdir().unwrap();
        let said = |dir: &Path| Recorded::read(dir).unwrap_err().message;
        assert!(said(dir.path()).contains("there are none"));
        assert!(said(&dir.path().join("absent")).contains("No such file"));
        std::fs::write(dir.path().join("k.json"), "{\"schema\": 1").unwrap();
        assert!(said(dir.path()).contains("k.json"));
    }
}
