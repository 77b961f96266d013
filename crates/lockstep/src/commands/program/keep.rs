//! `lockstep exec --record DIR`: the launches that a program made are kept, a file for each kernel.
//!
//! What is in the folder already stays, and is joined with what is new: a folder so holds the launches of several runs.
//! A file is written only where that changes it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use lockstep_finding::recorded::{RecordedKernel, RecordedLaunch};
use lockstep_names as names;
use lockstep_runtime::record::{KernelRecord, Record, Told};

/// Adds the launches of a program to a folder.
pub(crate) fn keep(told: &[Told], dir: &Path) -> Result<(), String> {
    let fail = |what: &str, path: &Path, e: &dyn std::fmt::Display| {
        format!("--record: cannot {what} '{}': {e}", names::shown(path))
    };
    fs::create_dir_all(dir).map_err(|e| fail("make the folder", dir, &e))?;
    for (about, (launches, is_whole)) in launches(told) {
        let (file, mangled, kernel) = about;
        let new = RecordedKernel { kernel, mangled, file, ..RecordedKernel::default() };
        let path = dir.join(new.file_name());
        let before = match fs::read_to_string(&path) {
            Ok(text) => Some(text),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => None,
            Err(e) => return Err(fail("read", &path, &e)),
        };
        let known = before.as_deref().map(RecordedKernel::parse).transpose();
        let known = known.map_err(|e| fail("read", &path, &e))?.unwrap_or(new);
        let known = if is_whole { known } else { known.incomplete() };
        let text = known.with(launches).text();
        if before.as_ref() != Some(&text) {
            fs::write(&path, text).map_err(|e| fail("write", &path, &e))?;
        }
    }
    Ok(())
}

/// File, mangled name and name of a kernel.
type Key = (String, String, String);

/// The launches of each kernel in all processes, and whether these are all.
fn launches(told: &[Told]) -> BTreeMap<Key, (Vec<RecordedLaunch>, bool)> {
    let mut all: BTreeMap<Key, (Vec<RecordedLaunch>, bool)> = BTreeMap::new();
    for process in told {
        let mut kernels: BTreeMap<usize, Key> = BTreeMap::new();
        for record in &process.records {
            match record {
                Record::Kernel(k) => {
                    kernels.insert(k.number, key(k));
                }
                Record::Recorded { kernel, launch } => {
                    let Some(key) = kernels.get(kernel) else { continue };
                    let of = all.entry(key.clone()).or_insert((Vec::new(), true));
                    of.1 &= launch.is_some();
                    of.0.extend(launch.as_deref().cloned());
                }
                _ => {}
            }
        }
    }
    all
}

/// A file elsewhere on this machine is called by its last name alone: the folder is for other machines, too.
fn key(kernel: &KernelRecord) -> Key {
    let path = Path::new(&kernel.file);
    let own = || path.file_name().map(|n| n.to_string_lossy().into_owned());
    let file = if path.is_absolute() { own() } else { None };
    let file = file.unwrap_or_else(|| kernel.file.clone());
    (file, kernel.mangled.clone(), kernel.name.clone())
}
