//! What a program that is run tells `lockstep exec`: records, a line of JSON each, in a file of the process.
//!
//! A line is written when what it says is known, and with one call of the system. So a program that crashes, or leaves
//! without any goodbye, has told all that it did before. A process has a file of its own in the folder that the
//! environment names: also one that it has forked.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use lockstep_finding::recorded::RecordedLaunch;
use lockstep_finding::{Finding, Kind, Reason};
use serde::{Deserialize, Serialize};

/// The variable of the environment that names the folder. Without it a program runs unchecked.
pub const FOLDER: &str = "LOCKSTEP_EXEC_FOLDER";
/// Which launches are checked: `all`, `first` or `sampled`.
pub const CHECK: &str = "LOCKSTEP_EXEC_CHECK";
/// Warp instructions after which one launch is given up.
pub const MAX_LAUNCH: &str = "LOCKSTEP_EXEC_MAX_LAUNCH";
/// Kinds of finding that are not looked for, by name, with commas between.
pub const SKIP: &str = "LOCKSTEP_EXEC_SKIP";
/// Launches are told one by one, to be kept.
pub const KEEP: &str = "LOCKSTEP_EXEC_KEEP";
/// How many workers execute a launch.
pub const JOBS: &str = "LOCKSTEP_EXEC_JOBS";
/// `independent` or `lockstep`.
pub const SCHEDULING: &str = "LOCKSTEP_EXEC_SCHEDULING";

/// One thing that a process has told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Record {
    /// A kernel that the process has launched for the first time; the others call it by its number.
    Kernel(KernelRecord),
    /// What the launches of a kernel come to until now: the last such record of a kernel counts.
    Launches(LaunchesRecord),
    /// Something was found, in a launch of a kernel or by the host.
    Finding {
        kernel: Option<usize>,
        finding: Box<Finding>,
        /// The finding's launch has all that is needed to repeat it alone.
        whole: bool,
    },
    /// A kernel was launched as never before in this process; without the launch, there are too many.
    Recorded { kernel: usize, launch: Option<Box<RecordedLaunch>> },
    /// A text that the program has compiled, and that is in no file: what findings call it.
    Source { name: String, text: String },
    /// Lockstep itself has failed, and the program has got an error for it.
    Failed { message: String },
    /// The process has ended in an orderly way.
    End { leaks: Vec<Leak> },
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KernelRecord {
    pub number: usize,
    pub name: String,
    pub mangled: String,
    pub file: String,
    pub line: u32,
    pub language: String,
    /// The compiler's options that the program gave.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LaunchesRecord {
    pub kernel: usize,
    pub made: u64,
    /// How many of them were checked for all that was asked for.
    pub checked: u64,
    pub seconds: f64,
    /// Why the first that was not executed to its end was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub incomplete: Option<Reason>,
    /// How many accesses of the kernel some thread has executed, of how many.
    pub reached: u32,
    pub accesses: u32,
}

/// Memory that the program has not freed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leak {
    pub bytes: u64,
    /// The call that allocated it, and where.
    pub told: String,
}

/// What all processes of a program have told.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Told {
    pub records: Vec<Record>,
}

impl Told {
    /// Texts that were compiled and are in no file, with what they are called.
    pub fn sources(&self) -> impl Iterator<Item = (&str, &str)> {
        self.records.iter().filter_map(|r| match r {
            Record::Source { name, text } => Some((&name[..], &text[..])),
            _ => None,
        })
    }
}

/// The file of this process.
pub(crate) struct Writer {
    file: File,
    process: u32,
    folder: PathBuf,
}

impl Writer {
    pub(crate) fn new(folder: &Path) -> io::Result<Writer> {
        let process = std::process::id();
        let path = folder.join(format!("{process}.records"));
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        Ok(Writer { file, process, folder: folder.to_owned() })
    }

    pub(crate) fn write(&mut self, record: &Record) {
        // A child that was forked has what its parent had: its own file begins with its own deeds.
        if std::process::id() != self.process
            && let Ok(own) = Writer::new(&self.folder)
        {
            *self = own;
        }
        let Ok(mut line) = serde_json::to_vec(record) else { return };
        line.push(b'\n');
        // Nobody is there to hear of a full disk.
        let _ = self.file.write_all(&line);
    }
}

/// All records of a folder, process by process in the order of their numbers.
pub fn read(folder: &Path) -> io::Result<Vec<Told>> {
    let mut files: BTreeMap<u32, PathBuf> = BTreeMap::new();
    for entry in fs::read_dir(folder)?.flatten() {
        let path = entry.path();
        let number = path.file_stem().and_then(|s| s.to_str()).and_then(|s| s.parse().ok());
        if let Some(number) = number.filter(|_| path.extension().is_some_and(|e| e == "records")) {
            files.insert(number, path);
        }
    }
    files.into_values().map(|path| Ok(Told { records: parse(&fs::read(path)?) })).collect()
}

/// The records of a file; a line that is cut off is none.
fn parse(text: &[u8]) -> Vec<Record> {
    text.split(|b| *b == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

/// Kinds by their names, with commas between.
pub fn kinds_of(names: &str) -> Vec<Kind> {
    names.split(',').filter_map(Kind::from_name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_back_and_a_torn_line_is_left_out() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut writer = Writer::new(folder.path()).expect("a file");
        let launch = Record::Launches(LaunchesRecord {
            kernel: 3,
            made: 2,
            checked: 1,
            seconds: 0.5,
            ..LaunchesRecord::default()
        });
        let end = Record::End { leaks: vec![Leak { bytes: 4, told: "cudaMalloc".into() }] };
        writer.write(&launch);
        writer.write(&end);
        writer.file.write_all(b"{\"launches\":{\"ker").expect("it can be written");
        let told = read(folder.path()).expect("it can be read");
        assert_eq!(told, [Told { records: vec![launch, end] }]);
    }
}
