//! `compile_commands.json`: how a build compiles each of its files.
//!
//! CMake writes it with `CMAKE_EXPORT_COMPILE_COMMANDS`, Ninja with `-t compdb`, and `bear` watches any build. Of its
//! entries those count whose file is CUDA or OpenCL by its name, or that `-x` says are CUDA. Where a file is compiled
//! several times, the first entry counts.

use std::path::{Path, PathBuf};

use lockstep_finding::InputError;
use lockstep_names as names;
use serde::Deserialize;

use crate::flags::{Flags, split_command, translate};
use crate::tree::{absolute, is_source};

const NAME: &str = "compile_commands.json";

/// One file of the build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Absolute.
    pub file: PathBuf,
    pub flags: Flags,
    /// CUDA in a file whose name does not say so.
    pub is_cuda: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Database {
    pub entries: Vec<Entry>,
    /// Entries of files that may hold kernels, but cannot be understood.
    pub errors: Vec<InputError>,
}

#[derive(Deserialize)]
struct Command {
    directory: PathBuf,
    file: PathBuf,
    command: Option<String>,
    arguments: Option<Vec<String>>,
}

impl Database {
    /// Reads the database of a build folder, or the file itself.
    pub fn read(path: &Path) -> Result<Database, InputError> {
        let file = if path.is_dir() { path.join(NAME) } else { path.to_path_buf() };
        let name = names::shown(&file);
        let fail = |message: String| InputError { file: name.clone(), message };
        let text = std::fs::read_to_string(&file).map_err(|e| {
            let why = match e.kind() {
                std::io::ErrorKind::NotFound => "no such file; CMake writes it with \
                     -DCMAKE_EXPORT_COMPILE_COMMANDS=ON"
                    .to_owned(),
                _ => e.to_string(),
            };
            fail(format!("cannot read {name}: {why}"))
        })?;
        let commands: Vec<Command> = serde_json::from_str(&text)
            .map_err(|e| fail(format!("{name} is no compilation database: {e}")))?;
        let base = file.parent().unwrap_or(Path::new(""));
        let mut database = Database::default();
        for command in &commands {
            match entry(command, base) {
                Ok(Some(new)) if database.find(&new.file).is_none() => database.entries.push(new),
                Ok(_) => {}
                Err(e) => database.errors.push(e),
            }
        }
        Ok(database)
    }

    /// How the build compiles a file.
    pub fn find(&self, file: &Path) -> Option<&Entry> {
        let file = absolute(file);
        self.entries.iter().find(|e| e.file == file)
    }
}

/// `None` where the file holds no kernels.
fn entry(command: &Command, base: &Path) -> Result<Option<Entry>, InputError> {
    let directory = absolute(&base.join(&command.directory));
    let file = absolute(&directory.join(&command.file));
    let fail = |message: &str| InputError { file: names::shown(&file), message: message.into() };
    let words = match (&command.arguments, &command.command) {
        (Some(arguments), _) => Some(arguments.clone()),
        (None, Some(line)) => split_command(line),
        (None, None) => Some(Vec::new()),
    };
    let named = is_source(&file);
    let Some(words) = words else {
        return match named {
            true => {
                Err(fail("its command in the compilation database has a quote that is not closed"))
            }
            false => Ok(None),
        };
    };
    // The compiler's own name, and that of a wrapper before it (ccache), are no options.
    let options = words.get(1..).unwrap_or(&[]);
    if !named && !options.iter().any(|w| w.contains("cu")) {
        return Ok(None);
    }
    let flags = translate(options, &directory)?;
    let is_cuda = matches!(flags.language.as_deref(), Some("cu" | "cuda"));
    Ok((named || is_cuda).then_some(Entry { file, flags, is_cuda }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_that_count() {
        let dir = tempfile::tempdir().unwrap();
        let root = absolute(dir.path());
        let json = r#"[
          {"directory": "build", "file": "../src/a.cu", "command": "nvcc -DX='a b' -I../inc -c ../src/a.cu"},
          {"directory": "build", "file": "../src/a.cu", "command": "nvcc -DAGAIN -c ../src/a.cu"},
          {"directory": "build", "file": "../src/b.cpp", "arguments": ["clang++", "-x", "cuda", "-DY", "../src/b.cpp"]},
          {"directory": "build", "file": "../src/main.cpp", "command": "g++ -c ../src/main.cpp"},
          {"directory": "build", "file": "bad.cu", "command": "nvcc 'x"}
        ]"#;
        std::fs::write(root.join(NAME), json).unwrap();
        let database = Database::read(&root).unwrap();
        let of = |name: &str| database.find(&root.join(name)).unwrap();
        assert_eq!(database.entries.len(), 2);
        assert_eq!(
            of("src/a.cu").flags.clang,
            ["-DX=a b".to_owned(), format!("-I{}", root.join("inc").display())]
        );
        assert!(of("src/b.cpp").is_cuda);
        assert_eq!(database.errors.len(), 1);
        let told = "its command in the compilation database has a quote that is not closed";
        assert_eq!(database.errors[0].message, told);
    }

    #[test]
    fn databases_that_are_none() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join(NAME);
        let message = || Database::read(dir.path()).unwrap_err().message;
        let hint = "no such file; CMake writes it with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON";
        assert_eq!(message(), format!("cannot read {}: {hint}", file.display()));
        std::fs::write(&file, "{}").unwrap();
        let why = "invalid type: map, expected a sequence at line 1 column 0";
        assert_eq!(message(), format!("{} is no compilation database: {why}", file.display()));
    }
}
