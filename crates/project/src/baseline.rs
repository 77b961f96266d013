//! A baseline: the findings that a project had when it began to be checked.
//!
//! A finding is recognised by its kind, its kernel's name, its file and the text of the lines it is about, not by line
//! numbers, threads or values: code that moves keeps its entry, code that changes loses it. Two findings that agree
//! in all that need two entries. The file is JSON, sorted, one entry after another, so that differences can be read.

use std::path::{Path, PathBuf};

use lockstep_finding::source::Sources;
use lockstep_finding::{Finding, InputError, Kind, Report, Suppressed, Warning};
use lockstep_names as names;
use serde::{Deserialize, Serialize};

use crate::tree::below;

const SCHEMA: u32 = 1;

/// One finding, in a form that survives edits elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    file: String,
    kernel: String,
    kind: Kind,
    /// The lines it is about, with single spaces.
    lines: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    schema: u32,
    findings: Vec<Entry>,
}

#[derive(Clone, Debug)]
pub struct Baseline {
    path: PathBuf,
    /// With whether they still occur.
    entries: Vec<(Entry, bool)>,
}

impl Baseline {
    pub fn read(path: &Path) -> Result<Baseline, InputError> {
        let name = names::shown(path);
        let fail = |message: String| InputError { file: name.clone(), message };
        let text = std::fs::read_to_string(path)
            .map_err(|e| fail(format!("cannot read the baseline {name}: {e}")))?;
        let written: Written =
            serde_json::from_str(&text).map_err(|e| fail(format!("{name} is no baseline: {e}")))?;
        if written.schema != SCHEMA {
            let schema = written.schema;
            return Err(fail(format!("{name} has schema {schema}; this version reads {SCHEMA}")));
        }
        let entries = written.findings.into_iter().map(|e| (e, false)).collect();
        Ok(Baseline { path: path.to_path_buf(), entries })
    }

    /// Writes all findings that count, and marks them as known.
    pub fn write(path: &Path, report: &mut Report, sources: &mut Sources) -> Result<usize, String> {
        let root = path.parent().unwrap_or(Path::new(""));
        let mut findings = Vec::new();
        for kernel in &mut report.kernels {
            for finding in kernel.findings.iter_mut().filter(|f| f.suppressed.is_none()) {
                findings.push(entry(&kernel.name, finding, sources, root));
                finding.suppressed = Some(Suppressed { because: known(path), in_source: false });
            }
        }
        findings.sort();
        let count = findings.len();
        let written = Written { schema: SCHEMA, findings };
        let mut text = serde_json::to_string_pretty(&written).map_err(|e| e.to_string())?;
        text.push('\n');
        std::fs::write(path, text)
            .map_err(|e| format!("cannot write '{}': {e}", names::shown(path)))?;
        Ok(count)
    }

    /// The reason where the finding is known: each entry stands for one finding.
    pub(crate) fn covers(
        &mut self,
        kernel: &str,
        finding: &Finding,
        sources: &mut Sources,
    ) -> Option<String> {
        let root = self.path.parent().unwrap_or(Path::new(""));
        let new = entry(kernel, finding, sources, root);
        let (_, used) = self.entries.iter_mut().find(|(e, used)| !used && *e == new)?;
        *used = true;
        Some(known(&self.path))
    }

    /// Entries of the files looked at that no longer occur, where that is settled.
    pub(crate) fn gone(
        &self,
        whole: &[String],
        settled: impl Fn(Kind, &str) -> bool,
    ) -> Vec<Warning> {
        let root = self.path.parent().unwrap_or(Path::new(""));
        let whole: Vec<String> = whole.iter().map(|f| file_name(f, root)).collect();
        let gone = |e: &Entry| whole.contains(&e.file) && settled(e.kind, &e.kernel);
        let message =
            |e: &Entry| format!("{} in kernel {} of {} no longer occurs", e.kind, e.kernel, e.file);
        let file = names::shown(&self.path);
        let entries = self.entries.iter().filter(|(e, used)| !used && gone(e));
        entries.map(|(e, _)| Warning { file: file.clone(), line: 0, message: message(e) }).collect()
    }
}

fn known(path: &Path) -> String {
    format!("known in the baseline {}", names::shown(path))
}

fn entry(kernel: &str, finding: &Finding, sources: &mut Sources, root: &Path) -> Entry {
    let places = finding.accesses.iter().map(|a| &a.place);
    let file = finding.primary().map_or("", |a| &a.place.file);
    let mut lines: Vec<String> = places
        .map(|p| {
            let text = sources.text(&p.file);
            let line = text.as_deref().and_then(|t| t.lines().nth(p.line.checked_sub(1)? as usize));
            line.unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
        })
        .collect();
    // Which of the two accesses comes first is chance.
    lines.sort();
    Entry { file: file_name(file, root), kernel: kernel.to_owned(), kind: finding.kind, lines }
}

/// Relative to the baseline, so that it holds wherever the command is given.
fn file_name(file: &str, root: &Path) -> String {
    names::shown(&below(root, &names::path(file)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_finding::{Access, Place};

    fn finding(line: u32) -> Finding {
        let place = Place { file: "/p/k.cu".into(), line, ..Place::default() };
        let access = Access {
            op: lockstep_finding::Action::Write,
            thread: None,
            block: [0; 3],
            place,
            value: None,
            notes: Vec::new(),
        };
        Finding::new(Kind::DataRace, String::new(), vec![access])
    }

    #[test]
    fn moved_lines_are_the_same_finding() {
        let mut old = Sources::new();
        old.insert("/p/k.cu", "a[0] = 1;\n");
        let mut new = Sources::new();
        new.insert("/p/k.cu", "// new\n\n  a[0]  = 1;\nb[0] = 2;\n");
        let mut baseline = Baseline {
            path: "/p/base.json".into(),
            entries: vec![(entry("k", &finding(1), &mut old, Path::new("/p")), false)],
        };
        assert_eq!(baseline.entries[0].0.file, "k.cu");
        assert_eq!(baseline.gone(&["/p/k.cu".into()], |_, _| true).len(), 1);
        assert!(baseline.gone(&["/p/other.cu".into()], |_, _| true).is_empty());
        assert!(baseline.covers("k", &finding(4), &mut new).is_none());
        assert!(baseline.covers("k", &finding(3), &mut new).is_some());
        assert!(
            baseline.covers("k", &finding(3), &mut new).is_none(),
            "an entry stands for one finding"
        );
        assert!(baseline.gone(&["/p/k.cu".into()], |_, _| true).is_empty());
    }
}
