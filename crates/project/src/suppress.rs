//! `// lockstep: allow(data-race) because …`: findings that the source, the project's file or a baseline knows about.
//!
//! A comment covers findings of its kinds with an access on its own line, or on the next line of code where it stands
//! alone; the calls through which an access was inlined count as its places too. Directly above a kernel, or within its
//! head (up to the opening brace), it covers the whole kernel. A comment without a reason works, with a warning.
//!
//! One that covers nothing is reported, if that can be said: its kinds were looked for in every kernel, and none of
//! them is unknown. The text is read line by line, so a comment in a string literal counts as one.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use lockstep_finding::source::Sources;
use lockstep_finding::{Finding, KernelReport, Kind, Place, Report, Suppressed, Verdict, Warning};
use lockstep_names as names;

use crate::baseline::Baseline;
use crate::config::Config;

pub(crate) const MARK: &str = "lockstep:";

/// One comment.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Allow {
    line: u32,
    /// The line of code it is about.
    target: u32,
    kinds: Vec<Kind>,
    because: Option<String>,
    /// Which of its kinds have covered something.
    used: Vec<Kind>,
}

/// What decides which findings count.
pub struct Rules<'a> {
    /// Settings, each with the number of its baseline.
    pub projects: &'a [(&'a Config, Option<usize>)],
    pub baselines: &'a mut [Baseline],
    /// Whose settings hold for a file that was checked.
    pub project_of: &'a dyn Fn(&str) -> usize,
    /// Files that were looked at in full: what is unused in them can be said.
    pub whole: &'a [String],
    /// Those, and headers of theirs, that may hold suppressions.
    pub marked: &'a [String],
}

/// Marks the findings that do not count, and adds the warnings that follow.
pub fn apply(report: &mut Report, sources: &mut Sources, rules: Rules) {
    let Rules { projects, baselines, project_of, whole, marked } = rules;
    let mut comments = Comments::default();
    marked.iter().for_each(|file| comments.read(file, sources));
    let used = |(config, _): &(&Config, _)| vec![false; config.suppressions.len()];
    let mut used: Vec<Vec<bool>> = projects.iter().map(used).collect();
    for kernel in &mut report.kernels {
        let (name, line) = (kernel.name.clone(), kernel.line);
        let names = names(&name, &kernel.mangled);
        let project = project_of(&kernel.file);
        let Some((config, baseline)) = projects.get(project) else { continue };
        for finding in kernel.findings.iter_mut().filter(|f| f.suppressed.is_none()) {
            let by_comment = comments.cover(finding, line, sources);
            let mut by_config = || by_config(finding, &names, config, &mut used[project]);
            let mut by_baseline = || {
                let baseline = &mut baselines[(*baseline)?];
                baseline.covers(&name, finding, sources)
            };
            finding.suppressed = match by_comment {
                Some(because) => Some(Suppressed { because, in_source: true }),
                None => by_config()
                    .or_else(&mut by_baseline)
                    .map(|because| Suppressed { because, in_source: false }),
            };
        }
    }
    let mut warnings = comments.warnings(report, marked);
    for (project, (config, _)) in projects.iter().enumerate() {
        let is_own = |file: &str| project_of(file) == project;
        if !whole.iter().any(|file| is_own(file)) {
            continue;
        }
        let rules = config.suppressions.iter().zip(&used[project]);
        for (s, _) in rules.filter(|(_, used)| !**used) {
            if settled(report, s.kind, |k| is_own(&k.file)) {
                let message = format!("the suppression of {} covers nothing", s.kind);
                warnings.push(Warning { file: config.name(), line: s.line, message });
            }
        }
    }
    for baseline in baselines {
        warnings
            .extend(baseline.gone(whole, |kind, name| settled(report, kind, |k| k.name == name)));
    }
    report.warnings.extend(warnings);
}

/// Whether the kind was looked for, and decided, in all these kernels.
fn settled(report: &Report, kind: Kind, of: impl Fn(&KernelReport) -> bool) -> bool {
    let verdicts = || {
        let all = report.kernels.iter().filter(|k| of(k)).flat_map(|k| &k.verdicts);
        all.filter(|(k, _)| *k == kind).map(|(_, v)| v)
    };
    let unknown = |v: &Verdict| matches!(v, Verdict::Unknown { .. });
    report.kernels.iter().all(|k| !of(k) || k.verdicts.iter().any(|(k, _)| *k == kind))
        && !verdicts().any(unknown)
}

/// What a kernel may be called: with and without template arguments and namespaces.
pub fn names<'a>(name: &'a str, mangled: &'a str) -> [&'a str; 4] {
    let plain = name.split(['<', '(']).next().unwrap_or(name);
    let last = plain.rsplit("::").next().unwrap_or(plain);
    [name, mangled, plain, last]
}

fn by_config(
    finding: &Finding,
    names: &[&str],
    config: &Config,
    used: &mut [bool],
) -> Option<String> {
    let files = || finding.accesses.iter().map(|a| config.relative(&names::path(&a.place.file)));
    let covers = |s: &crate::config::Suppression| {
        s.kind == finding.kind && s.covers(names, files().collect::<Vec<PathBuf>>().into_iter())
    };
    let i = config.suppressions.iter().position(covers)?;
    used[i] = true;
    Some(config.suppressions[i].reason.clone())
}

/// The comments of the files read so far: under one name each, however it is spelt.
#[derive(Default)]
struct Comments {
    files: HashMap<PathBuf, (String, Vec<Allow>)>,
    warnings: Vec<Warning>,
}

fn identity(file: &str) -> PathBuf {
    let path = names::path(file);
    path.canonicalize().unwrap_or(path)
}

impl Comments {
    fn read(&mut self, file: &str, sources: &mut Sources) {
        let identity = identity(file);
        if self.files.contains_key(&identity) {
            return;
        }
        let text = sources.text(file);
        let (found, warnings) =
            text.as_deref().map_or_else(Default::default, |text| scan(file, text));
        self.files.insert(identity, (file.to_owned(), found));
        self.warnings.extend(warnings);
    }

    /// The reason of a comment that covers a finding of a kernel whose name stands on `line`.
    fn cover(&mut self, finding: &Finding, line: u32, sources: &mut Sources) -> Option<String> {
        for access in &finding.accesses {
            for place in std::iter::once(&access.place).chain(&access.place.inlined_at) {
                let at = |a: &Allow| a.target == place.line || a.line == place.line;
                if let Some(because) = self.take(&place.file, finding.kind, sources, at) {
                    return Some(because);
                }
            }
        }
        let file = outermost(finding)?.file.clone();
        let text = sources.text(&file)?;
        let head = kernel_head(&text, line)?;
        self.take(&file, finding.kind, sources, |a| head.contains(&a.line))
    }

    fn take(
        &mut self,
        file: &str,
        kind: Kind,
        sources: &mut Sources,
        matches: impl Fn(&Allow) -> bool,
    ) -> Option<String> {
        self.read(file, sources);
        let (_, all) = self.files.get_mut(&identity(file))?;
        let found = all.iter_mut().find(|a| a.kinds.contains(&kind) && matches(a))?;
        if !found.used.contains(&kind) {
            found.used.push(kind);
        }
        Some(found.because.clone().unwrap_or_else(|| "no reason given".into()))
    }

    /// What is wrong with the comments, and which of them cover nothing.
    fn warnings(self, report: &Report, marked: &[String]) -> Vec<Warning> {
        let mut out = self.warnings;
        let marked: Vec<PathBuf> = marked.iter().map(|f| identity(f)).collect();
        let known = self.files.iter().filter(|(id, _)| marked.contains(id));
        for (file, allow) in known.flat_map(|(_, (f, all))| all.iter().map(move |a| (f, a))) {
            for kind in allow.kinds.iter().filter(|k| !allow.used.contains(k)) {
                let own = report.kernels.iter().any(|k| k.file == *file);
                // A header's kernels are those of the files that include it: of all.
                if settled(report, *kind, |k| !own || k.file == *file) {
                    let message = format!("this allow({kind}) covers no finding");
                    out.push(Warning { file: file.clone(), line: allow.line, message });
                }
            }
        }
        out.sort();
        out
    }
}

/// Where the access is in the kernel's own text.
fn outermost(finding: &Finding) -> Option<&Place> {
    let place = &finding.primary()?.place;
    Some(place.inlined_at.last().unwrap_or(place))
}

/// From the comments above a kernel to its opening brace, where its name stands on `line`.
fn kernel_head(text: &str, line: u32) -> Option<RangeInclusive<u32>> {
    let lines: Vec<&str> = text.lines().collect();
    let at = (line as usize).checked_sub(1).filter(|&i| i < lines.len())?;
    let mut first = at;
    while first > 0 && belongs_to_next(lines[first - 1]) {
        first -= 1;
    }
    let last = (at..lines.len()).find(|&i| code(lines[i]).contains('{')).unwrap_or(at);
    Some(first as u32 + 1..=last as u32 + 1)
}

/// Whether a line above a kernel's name is still about it: a comment, or the start of its declaration.
fn belongs_to_next(line: &str) -> bool {
    let trimmed = line.trim();
    let code = code(line).trim();
    if code.is_empty() {
        return trimmed.starts_with("//") || trimmed.starts_with("/*");
    }
    !code.starts_with('#') && !code.ends_with([';', '}', '{'])
}

/// A line without the comment at its end.
fn code(line: &str) -> &str {
    let end = [line.find("//"), line.find("/*")].into_iter().flatten().min();
    &line[..end.unwrap_or(line.len())]
}

/// All comments of a file, and what is wrong with them.
fn scan(file: &str, text: &str) -> (Vec<Allow>, Vec<Warning>) {
    let (mut found, mut warnings) = (Vec::new(), Vec::new());
    if !text.contains(MARK) {
        return (found, warnings);
    }
    let lines: Vec<&str> = text.lines().collect();
    for (i, line) in lines.iter().enumerate() {
        let number = i as u32 + 1;
        let mut warn = |message: String| {
            warnings.push(Warning { file: file.to_owned(), line: number, message })
        };
        let Some(rest) = directive(line) else { continue };
        let Some((kinds, rest)) = rest.split_once(')') else {
            warn("the list of kinds after allow( is not closed".into());
            continue;
        };
        let mut known = Vec::new();
        for name in kinds.split(',').map(str::trim) {
            match Kind::from_name(name) {
                Some(kind) => known.push(kind),
                None => warn(format!("no kind of finding is called '{name}'")),
            }
        }
        let reason = rest.trim().trim_end_matches("*/").trim();
        let because = reason.strip_prefix("because").map(str::trim).filter(|r| !r.is_empty());
        if because.is_none() {
            warn("a suppression without a reason: write allow(KIND) because …".into());
        }
        let alone = code(line).trim().is_empty();
        let is_code = |l: &str| !code(l).trim().is_empty();
        let next = || lines[i + 1..].iter().position(|l| is_code(l)).map_or(0, |n| n + 1);
        let target = if alone { number + next() as u32 } else { number };
        let because = because.map(str::to_owned);
        found.push(Allow { line: number, target, kinds: known, because, used: Vec::new() });
    }
    (found, warnings)
}

/// What follows `lockstep: allow(` within a comment.
fn directive(line: &str) -> Option<&str> {
    let at = line.find(MARK)?;
    let before = line[..at].trim_start();
    let commented = before.contains("//") || before.contains("/*") || before.starts_with('*');
    line[at + MARK.len()..].trim_start().strip_prefix("allow(").filter(|_| commented)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_finding::Access;

    const TEXT: &str = "\
__device__ int x;
// lockstep: allow(deadlock) because it spins on purpose
template <int N>
__global__ void
k(int *a) {
    a[0] = 1; // lockstep: allow(data-race, misaligned) because all write 1
    // lockstep: allow(out-of-bounds)
    // and more

    a[9] = 2;
}
";

    fn finding(kind: Kind, line: u32) -> Finding {
        let place = Place { file: "k.cu".into(), line, ..Place::default() };
        let access = Access {
            op: lockstep_finding::Action::Write,
            thread: None,
            block: [0; 3],
            place,
            value: None,
            notes: Vec::new(),
        };
        Finding::new(kind, String::new(), vec![access])
    }

    fn report(findings: Vec<Finding>, verdict: Verdict) -> Report {
        let kinds = [Kind::DataRace, Kind::OutOfBounds, Kind::Misaligned, Kind::Deadlock];
        Report {
            kernels: vec![KernelReport {
                name: "k<4>".into(),
                mangled: "_Z1k".into(),
                file: "k.cu".into(),
                line: 5,
                language: "cuda".into(),
                verdicts: kinds.map(|k| (k, verdict.clone())).to_vec(),
                findings,
                ..KernelReport::default()
            }],
            ..Report::default()
        }
    }

    fn applied(findings: Vec<Finding>, verdict: Verdict) -> (Vec<Option<String>>, Vec<String>) {
        let mut report = report(findings, verdict);
        let mut sources = Sources::new();
        sources.insert("k.cu", TEXT);
        let config = Config::default();
        let whole = ["k.cu".to_owned()];
        let rules = Rules {
            projects: &[(&config, None)],
            baselines: &mut [],
            project_of: &|_| 0,
            whole: &whole,
            marked: &whole,
        };
        apply(&mut report, &mut sources, rules);
        let reasons = report.kernels[0]
            .findings
            .iter()
            .map(|f| Some(f.suppressed.clone()?.because))
            .collect();
        (reasons, report.warnings.iter().map(|w| w.to_string()).collect())
    }

    #[test]
    fn lines_kernels_and_what_is_left_over() {
        let findings = vec![
            finding(Kind::DataRace, 6),
            finding(Kind::OutOfBounds, 10),
            finding(Kind::DataRace, 10),
            finding(Kind::Deadlock, 10),
        ];
        let (reasons, warnings) = applied(findings, Verdict::Found);
        let reasons: Vec<_> = reasons.iter().map(|r| r.as_deref().unwrap_or("-")).collect();
        assert_eq!(reasons, ["all write 1", "no reason given", "-", "it spins on purpose"]);
        assert_eq!(
            warnings,
            [
                "k.cu:6: this allow(misaligned) covers no finding",
                "k.cu:7: a suppression without a reason: write allow(KIND) because …",
            ]
        );
    }

    #[test]
    fn what_is_unknown_may_still_be_needed() {
        let (_, warnings) = applied(
            Vec::new(),
            Verdict::Unknown { because: lockstep_finding::Reason::Interrupted },
        );
        assert_eq!(warnings.len(), 1, "{warnings:?}");
    }

    #[test]
    fn heads() {
        assert_eq!(kernel_head(TEXT, 5), Some(2..=5));
        assert_eq!(kernel_head(TEXT, 99), None);
        assert_eq!(kernel_head("}\n\n__global__ void k() {", 3), Some(3..=3));
    }

    #[test]
    fn comments_that_are_wrong() {
        let (found, warnings) =
            scan("a", "// lockstep: allow(nonsense) because x\n// lockstep: allow(\n");
        assert_eq!(found[0].kinds, []);
        assert_eq!(warnings.len(), 2);
        assert_eq!(scan("a", "// lockstep: check --block 4\nlockstep: allow(data-race)\n").0, []);
    }
}
