//! Which settings hold for which file: those of the nearest `lockstep.toml` above it, or the ones that are named.
//!
//! A run over several projects so gives for each file what a run in its own project would. Only `exclude` adds up on the
//! way down: a walk leaves out what any `lockstep.toml` on its way excludes, and what the nearest one above
//! the folder excludes where the walk begins.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use lockstep_finding::InputError;

use crate::config::{Config, NAME};
use crate::tree::absolute;

/// The settings that files of a run have, each read once.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// These hold for every file.
    is_named: bool,
    found: Vec<Config>,
    /// By folder; `None` where they cannot be read.
    folders: HashMap<PathBuf, Option<usize>>,
    errors: Vec<InputError>,
}

impl Settings {
    /// Those of `named` for every file, or else for each file the nearest.
    pub fn new(named: Option<&Path>) -> Result<Settings, InputError> {
        let found = named.map(Config::read).transpose()?.into_iter().collect();
        Ok(Settings { is_named: named.is_some(), found, ..Settings::default() })
    }

    /// The number of the settings that hold for a file; `None` where they cannot be read.
    pub fn of(&mut self, file: &Path) -> Option<usize> {
        let file = absolute(file);
        self.of_folder(file.parent().unwrap_or(Path::new("/")))
    }

    fn of_folder(&mut self, folder: &Path) -> Option<usize> {
        if self.is_named {
            return Some(0);
        }
        if let Some(known) = self.folders.get(folder) {
            return *known;
        }
        let own = folder.join(NAME);
        let index = if own.is_file() {
            match Config::read(&own) {
                Ok(config) => Some(self.add(config)),
                Err(e) => {
                    self.errors.push(e);
                    None
                }
            }
        } else {
            match folder.parent() {
                Some(above) => self.of_folder(above),
                None => Some(self.add(Config::default())),
            }
        };
        self.folders.insert(folder.to_path_buf(), index);
        index
    }

    fn add(&mut self, config: Config) -> usize {
        self.found.push(config);
        self.found.len() - 1
    }

    /// Whether a walk through a folder leaves this file of it out.
    pub fn exclude(&mut self, walked: &Path, file: &Path) -> bool {
        let (walked, file) = (absolute(walked), absolute(file));
        let on_the_way = file.ancestors().skip(1).take_while(|f| f.starts_with(&walked));
        let own = file.parent().filter(|f| !f.starts_with(&walked));
        let folders: Vec<&Path> = on_the_way.chain(own).collect();
        let mut excludes = |folder: &Path| {
            let index = self.of_folder(folder);
            index.is_some_and(|i| self.found[i].exclude.is_match(&file))
        };
        folders.into_iter().any(&mut excludes)
    }

    /// All that were asked for so far.
    pub fn configs(&self) -> &[Config] {
        &self.found
    }

    /// What is wrong with those that cannot be read.
    pub fn errors(&self) -> &[InputError] {
        &self.errors
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        dir
    }

    #[test]
    fn the_nearest_file_counts() {
        let dir = tree(&[
            ("lockstep.toml", "budget = 1"),
            ("one/lockstep.toml", "warp-size = 16"),
            ("one/src/deep/a.cu", ""),
            ("two/b.cu", ""),
        ]);
        let mut settings = Settings::new(None).unwrap();
        let mut of = |file: &str| {
            let index = settings.of(&dir.path().join(file)).unwrap();
            let config = &settings.configs()[index];
            (config.budget, config.warp_size)
        };
        assert_eq!(of("one/src/deep/a.cu"), (None, Some(16)));
        assert_eq!(of("two/b.cu"), (Some(1.0), None));
        assert_eq!(of("one/src/none.cu"), (None, Some(16)));
        assert_eq!(settings.configs().len(), 2, "each is read once");
        let named = dir.path().join("one/lockstep.toml");
        let mut named = Settings::new(Some(&named)).unwrap();
        assert_eq!(named.of(Path::new("/anywhere.cu")), Some(0));
        assert_eq!(named.configs()[0].warp_size, Some(16));
    }

    #[test]
    fn a_file_that_cannot_be_read_is_said_once() {
        let dir = tree(&[("bad/lockstep.toml", "budget = ["), ("bad/src/a.cu", "")]);
        let mut settings = Settings::new(None).unwrap();
        assert_eq!(settings.of(&dir.path().join("bad/src/a.cu")), None);
        assert_eq!(settings.of(&dir.path().join("bad/b.cu")), None);
        assert_eq!(settings.errors().len(), 1);
        assert!(settings.of(&dir.path().join("c.cu")).is_some());
        assert!(Settings::new(Some(Path::new("/no/such.toml"))).is_err());
    }

    #[test]
    fn what_is_excluded_adds_up_on_the_way_down() {
        let dir = tree(&[
            ("lockstep.toml", "exclude = [\"old\", \"p/gone.cu\"]"),
            ("p/lockstep.toml", "exclude = [\"skip\"]"),
            ("old/lockstep.toml", ""),
        ]);
        let root = dir.path();
        let mut settings = Settings::new(None).unwrap();
        let mut excluded =
            |walked: &str, file: &str| settings.exclude(&root.join(walked), &root.join(file));
        assert!(excluded("", "p/skip/a.cu") && excluded("p", "p/skip/a.cu"));
        assert!(excluded("", "old/a.cu"), "by the file above its own");
        assert!(!excluded("old", "old/a.cu"), "who walks it wants it");
        assert!(excluded("", "p/gone.cu") && !excluded("", "p/a.cu"));
    }
}
