//! Entries of the cache, as a test may change them.

use std::path::Path;

/// Replaces a text in every entry below a folder; the entries stay valid, so that what is taken from them can be told from
/// what is found anew.
pub(crate) fn replace(folder: &Path, old: &str, new: &str) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            replace(&path, old, new);
        } else if let Ok(text) = std::fs::read_to_string(&path)
            && let Some((_, body)) = text.split_at_checked(64).filter(|(_, b)| b.contains(old))
        {
            let body = body.replace(old, new);
            let sum = lockstep_project::cache::hash(body.as_bytes());
            std::fs::write(&path, sum + &body).expect("an entry is changed");
        }
    }
}
