//! Witnesses: what a GPU has found, as files that `lockstep run --replay` takes.
//!
//! A witness has the kernel, how it was compiled, and the launch, with the contents of its arrays. What the GPU does not tell is
//! not in it: in which order the threads came. The simulator takes an order of its own, and finds a race in whatever order its
//! two threads come; of what only some orders lead to it may find nothing.
//!
//! Files that arrays were read from stay on the machine with the GPU: what was in them is written out, up to a mebibyte for each
//! array. A larger one is named by its whole path.

use std::path::Path;

use lockstep_device::archive::Archive;
use lockstep_finding::witnesses::{WitnessNames, witness};
use lockstep_finding::{ArgValue, ArrayContents, Finding, Launch};
use lockstep_names as names;
use lockstep_simulate::{BoundArg, bind};

/// Bytes of an array that are written out.
const MOST_BYTES: usize = 1 << 20;

/// Writes a file for each finding; their names say kernel, kind and number. Returns how many.
pub fn write_all(archive: &Archive, findings: &[Finding], dir: &Path) -> Result<usize, String> {
    let compiled =
        archive.witness.as_ref().ok_or("the archive does not say how it was compiled")?;
    let fail =
        |path: &Path, e: std::io::Error| format!("cannot write '{}': {e}", names::shown(path));
    std::fs::create_dir_all(dir).map_err(|e| fail(dir, e))?;
    let mut used = WitnessNames::default();
    let mut count = 0;
    for finding in findings {
        let Some(launch) = &finding.launch else { continue };
        let made = witness(compiled, finding, without_files(archive, launch)?);
        let path = dir.join(used.next(&archive.kernel.name, &made.kind));
        std::fs::write(&path, made.to_json()).map_err(|e| fail(&path, e))?;
        count += 1;
    }
    Ok(count)
}

/// A launch that needs no file, or names it by its whole path.
fn without_files(archive: &Archive, launch: &Launch) -> Result<Launch, String> {
    let bound = bind::bind(&archive.kernel, launch)?;
    let mut out = launch.clone();
    for (name, value) in &mut out.args {
        let ArgValue::Array(array) = value else { continue };
        let ArrayContents::File(file) = &mut array.contents else { continue };
        let parameter = archive.kernel.params.iter().position(|p| p.name == *name);
        match parameter.and_then(|p| bound.args.get(p)) {
            Some(BoundArg::Buffer(bytes)) if bytes.len() <= MOST_BYTES => {
                *array = array.with_bytes(bytes);
            }
            _ => {
                if let Ok(whole) = std::path::absolute(&*file) {
                    *file = names::shown(&whole);
                }
            }
        }
    }
    Ok(out)
}
