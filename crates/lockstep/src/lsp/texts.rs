//! The texts of files: as the editor has them where they are open, else as they are on disk.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gen_lsp_types::Uri;

#[derive(Clone, Default)]
pub(crate) struct Texts {
    open: HashMap<PathBuf, (Uri, Arc<str>)>,
    read: HashMap<PathBuf, Option<Arc<str>>>,
}

impl Texts {
    pub(crate) fn open(&mut self, path: PathBuf, uri: Uri, text: Arc<str>) {
        self.open.insert(path, (uri, text));
    }

    pub(crate) fn get(&mut self, path: &Path) -> Option<Arc<str>> {
        if let Some((_, text)) = self.open.get(path) {
            return Some(text.clone());
        }
        if let Some(known) = self.read.get(path) {
            return known.clone();
        }
        let text: Option<Arc<str>> =
            std::fs::read(path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into());
        self.read.insert(path.to_path_buf(), text.clone());
        text
    }

    /// The name that the editor gave to an open file.
    pub(crate) fn uri(&self, path: &Path) -> Option<Uri> {
        self.open.get(path).map(|(uri, _)| uri.clone())
    }
}
