//! How OpenCL's loader finds the runtime library: a folder with a file for each driver, which names its library.
//!
//! The drivers that are installed stay where they are: their files are in the folder, too. So a program finds one more
//! platform, and it is the first.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Where the loader looks: a folder, or a single file or library.
pub(crate) const VENDORS: &str = "OCL_ICD_VENDORS";
const OLD_VENDORS: &str = "OPENCL_VENDOR_PATH";
const USUAL: &str = "/etc/OpenCL/vendors";

/// Fills a new folder.
pub(crate) fn fill(folder: &Path, library: &Path) -> io::Result<()> {
    fs::create_dir(folder)?;
    let named = |name: &str| env::var_os(name).filter(|v| !v.is_empty());
    let before = named(VENDORS).or_else(|| named(OLD_VENDORS)).unwrap_or_else(|| USUAL.into());
    for (name, contents) in installed(&PathBuf::from(before)) {
        fs::write(folder.join(name), contents)?;
    }
    // The first in the order of names.
    fs::write(folder.join("0-lockstep.icd"), library.as_os_str().as_bytes())
}

/// The files of the drivers that the loader would find.
fn installed(place: &Path) -> Vec<(OsString, Vec<u8>)> {
    let is_file_of_driver = |p: &Path| p.extension() == Some(OsStr::new("icd"));
    let read = |p: &Path| Some((p.file_name()?.to_owned(), fs::read(p).ok()?));
    if let Ok(entries) = fs::read_dir(place) {
        let paths = entries.flatten().map(|e| e.path());
        return paths.filter(|p| is_file_of_driver(p)).filter_map(|p| read(&p)).collect();
    }
    if is_file_of_driver(place) {
        return read(place).or_else(|| read(&Path::new(USUAL).join(place))).into_iter().collect();
    }
    vec![("given.icd".into(), place.as_os_str().as_bytes().to_vec())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drivers_are_found_in_each_form() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("one.icd");
        fs::write(&file, "libone.so").expect("a file");
        fs::write(folder.path().join("other.txt"), "no driver").expect("a file");
        let one = vec![(OsString::from("one.icd"), b"libone.so".to_vec())];
        assert_eq!(installed(folder.path()), one);
        assert_eq!(installed(&file), one);
        let library = Path::new("/opt/libtwo.so");
        assert_eq!(installed(library)[0].1, b"/opt/libtwo.so");
    }
}
