//! Findings, and what the compiler says, as diagnostics of the files they are in.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gen_lsp_types::{
    Code, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, Location,
};
use lockstep_finding::render::{access_label, annotation_level, title_text};
use lockstep_finding::{
    Confidence, Finding, InputError, KernelReport, Place, Report, Severity, Warning,
};
use lockstep_names as names;

use super::place::{line_at, normal, range_at, uri_of};
use super::texts::Texts;

/// The name under which editors list them.
pub(crate) const SOURCE: &str = "lockstep";

/// By file.
pub(crate) type Diagnostics = BTreeMap<PathBuf, Vec<Diagnostic>>;

/// All that a report has to say about places. What is about no place is left to the log.
pub(crate) fn of(report: &Report, main: &Path, texts: &mut Texts) -> Diagnostics {
    let mut out = Diagnostics::new();
    let mut add = |(path, diagnostic): (PathBuf, Diagnostic)| {
        let list = out.entry(path).or_default();
        // Instances of one template have their findings at the same places.
        if !list.contains(&diagnostic) {
            list.push(diagnostic);
        }
    };
    for kernel in &report.kernels {
        let shown = kernel.findings.iter().filter(|f| f.suppressed.is_none());
        shown.for_each(|f| add(finding(kernel, f, main, texts)));
    }
    report.warnings.iter().filter(|w| !w.file.is_empty()).for_each(|w| add(warning(w, texts)));
    for error in &report.errors {
        messages(error).into_iter().for_each(|m| add(m.diagnostic(texts)));
    }
    out
}

fn finding(
    kernel: &KernelReport,
    finding: &Finding,
    main: &Path,
    texts: &mut Texts,
) -> (PathBuf, Diagnostic) {
    let primary = finding.primary_index();
    let (path, range) = match primary.map(|i| &finding.accesses[i].place) {
        Some(place) => located(place, texts),
        None => {
            let text = texts.get(main).unwrap_or_default();
            (main.to_path_buf(), line_at(&text, kernel.line))
        }
    };
    let mut related = Vec::new();
    for (i, access) in finding.accesses.iter().enumerate() {
        if Some(i) != primary && access.place.line > 0 {
            related.push(relate(&access.place, access_label(finding, i), texts));
        }
        for call in &access.place.inlined_at {
            related.push(relate(call, "called from here".into(), texts));
        }
    }
    let severity = match annotation_level(kernel, finding) {
        Severity::Error => DiagnosticSeverity::Error,
        Severity::Warning => DiagnosticSeverity::Warning,
    };
    let needless = finding.kind.about().is_needless_code;
    let diagnostic = Diagnostic {
        range,
        severity: Some(severity),
        code: Some(Code::String(finding.kind.name().into())),
        source: Some(SOURCE.into()),
        message: message(kernel, finding).into(),
        tags: needless.then(|| vec![DiagnosticTag::Unnecessary]),
        related_information: (!related.is_empty()).then_some(related),
        ..Diagnostic::default()
    };
    (path, diagnostic)
}

/// A word about the source itself, such as a suppression that covers nothing.
fn warning(warning: &Warning, texts: &mut Texts) -> (PathBuf, Diagnostic) {
    let path = normal(&names::path(&warning.file));
    let text = texts.get(&path).unwrap_or_default();
    let diagnostic = Diagnostic {
        range: line_at(&text, warning.line),
        severity: Some(DiagnosticSeverity::Information),
        source: Some(SOURCE.into()),
        message: warning.message.clone().into(),
        ..Diagnostic::default()
    };
    (path, diagnostic)
}

/// What was found, under which condition, and what may help.
pub(crate) fn message(kernel: &KernelReport, finding: &Finding) -> String {
    let mut text = title_text(finding);
    if let Some(condition) = &finding.holds_when {
        text += &match condition.is_example {
            true => format!("\nfor example when {}", condition.claim),
            false => format!("\nonly when {}", condition.claim),
        };
    }
    if finding.confidence == Confidence::Possible && !finding.approximated.is_empty() {
        let names = finding.approximated.iter().map(|a| a.variable.to_string());
        let names: Vec<String> = names.collect();
        text += &format!("\nrests on approximated values: {}", names.join(", "));
    }
    if finding.benign {
        text += "\nall write the same value";
    }
    for help in &finding.help {
        text += &format!("\nhelp: {help}");
    }
    text + &format!("\n(kernel {})", kernel.name)
}

fn located(place: &Place, texts: &mut Texts) -> (PathBuf, gen_lsp_types::Range) {
    let path = normal(&names::path(&place.file));
    let text = texts.get(&path).unwrap_or_default();
    (path, range_at(&text, place.line, place.column))
}

fn relate(place: &Place, message: String, texts: &mut Texts) -> DiagnosticRelatedInformation {
    let (path, range) = located(place, texts);
    let uri = texts.uri(&path).unwrap_or_else(|| uri_of(&path));
    DiagnosticRelatedInformation { location: Location { uri, range }, message }
}

/// `x.cu:4:9: error: …`, as clang writes it.
struct Complaint<'a> {
    file: &'a str,
    line: u32,
    column: u32,
    text: &'a str,
}

impl Complaint<'_> {
    fn diagnostic(&self, texts: &mut Texts) -> (PathBuf, Diagnostic) {
        let place = Place {
            file: self.file.into(),
            line: self.line,
            column: self.column,
            ..Place::default()
        };
        let (path, range) = located(&place, texts);
        let diagnostic = Diagnostic {
            range,
            severity: Some(DiagnosticSeverity::Error),
            source: Some(format!("{SOURCE} (clang)")),
            message: format!("{}\nnothing is checked until this compiles", self.text).into(),
            ..Diagnostic::default()
        };
        (path, diagnostic)
    }
}

/// The errors in what clang wrote.
fn messages(error: &InputError) -> Vec<Complaint<'_>> {
    error.message.lines().filter_map(complaint).collect()
}

fn complaint(line: &str) -> Option<Complaint<'_>> {
    let (place, text) =
        line.split_once(": error: ").or_else(|| line.split_once(": fatal error: "))?;
    let (rest, column) = place.rsplit_once(':')?;
    let (file, line) = rest.rsplit_once(':')?;
    Some(Complaint { file, line: line.parse().ok()?, column: column.parse().ok()?, text })
}

/// Whether all that is wrong has a place of its own.
pub(crate) fn has_places(error: &InputError) -> bool {
    !messages(error).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clang_s_errors_have_places() {
        let message = "a b.cu:4:9: error: unknown type name 'flat'\n    4 | flat x;\n      | ^\n\
                       x.h:1:10: fatal error: 'y.h' file not found\nb.cu:2:1: warning: unused\n2 errors generated.";
        let error = InputError { file: "a b.cu".into(), message: message.into() };
        let found: Vec<_> =
            messages(&error).iter().map(|m| (m.file, m.line, m.column, m.text)).collect();
        assert_eq!(
            found,
            [("a b.cu", 4, 9, "unknown type name 'flat'"), ("x.h", 1, 10, "'y.h' file not found")]
        );
        let other = InputError { file: "x".into(), message: "no kernel: error: what".into() };
        assert!(!has_places(&other));
    }
}
