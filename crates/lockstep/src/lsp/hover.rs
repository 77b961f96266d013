//! What a line of a kernel was found to be: safe, and why, or what is wrong with it.

use std::path::Path;

use lockstep_finding::render::access_label;
use lockstep_finding::{Condition, Finding, KernelReport, Kind, Place, Report, Verdict};

use super::diagnostics::message;
use super::place::normal;

/// All that is known of a line (1-based) of a file, as Markdown.
pub(super) fn text(report: &Report, path: &Path, line: u32) -> Option<String> {
    let mut parts: Vec<String> = Vec::new();
    for kernel in &report.kernels {
        for part in of_kernel(kernel, path, line) {
            // Instances of a template mostly agree.
            if !parts.contains(&part) {
                parts.push(part);
            }
        }
    }
    (!parts.is_empty()).then(|| parts.join("\n\n---\n\n"))
}

fn of_kernel(kernel: &KernelReport, path: &Path, line: u32) -> Vec<String> {
    let here = |p: &Place| p.line == line && normal(Path::new(&p.file)) == path;
    let mut parts = Vec::new();
    if kernel.line == line && normal(Path::new(kernel.text_file())) == path {
        parts.push(verdicts(kernel));
    }
    for finding in &kernel.findings {
        let index = finding.accesses.iter().position(|a| here(&a.place));
        parts.extend(index.map(|i| found(kernel, finding, i)));
    }
    parts.extend(safe(kernel, here));
    parts
}

/// One line for each verdict, those that agree together.
fn verdicts(kernel: &KernelReport) -> String {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for (kind, verdict) in &kernel.verdicts {
        let text = match verdict {
            Verdict::Proved { assumes } if assumes.is_empty() => "**proved** absent".into(),
            Verdict::Proved { assumes } => {
                format!("**proved** absent, assuming {}", Condition::line(assumes))
            }
            Verdict::Clean { covered } => format!("**clean** in {covered}"),
            Verdict::Found => "**found**".into(),
            Verdict::Unknown { because } => format!("**unknown**: {because}"),
        };
        match groups.iter_mut().find(|(t, _)| *t == text) {
            Some((_, kinds)) => kinds.push(kind.name()),
            None => groups.push((text, vec![kind.name()])),
        }
    }
    let lines: Vec<String> =
        groups.iter().map(|(text, kinds)| format!("- {}: {text}", kinds.join(", "))).collect();
    format!("kernel `{}`\n\n{}", kernel.name, lines.join("\n"))
}

fn found(kernel: &KernelReport, finding: &Finding, index: usize) -> String {
    let mut text = format!(
        "**{}** ({}, {}): {}",
        finding.kind,
        finding.severity.name(),
        finding.confidence.name(),
        message(kernel, finding).replace('\n', "  \n")
    );
    for (i, access) in finding.accesses.iter().enumerate() {
        let place =
            if i == index { "here".to_owned() } else { format!("line {}", access.place.line) };
        text += &format!("\n- {place}: {}", access_label(finding, i));
    }
    text
}

/// Why what stands there does not race; only where that is proved.
fn safe(kernel: &KernelReport, here: impl Fn(&Place) -> bool) -> Option<String> {
    let race = kernel.verdicts.iter().find(|(k, _)| *k == Kind::DataRace);
    let (_, Verdict::Proved { assumes }) = race? else { return None };
    let explanation = kernel.explanation.as_ref()?;
    let mut lines: Vec<String> = Vec::new();
    for at in explanation.places.iter().filter(|s| here(&s.place)) {
        let line = format!("{}: {}", at.what, at.why.join("; "));
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    if lines.is_empty() {
        return None;
    }
    let mut text = lines.join("\n\n");
    text += &format!("\n\n*proved for {}", explanation.holds_for);
    if !assumes.is_empty() {
        text += &format!(", assuming {}", Condition::line(assumes));
    }
    Some(text + "*")
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_finding::{Explanation, SafePlace};

    fn kernel(verdict: Verdict) -> KernelReport {
        let place = Place { file: "/x/k.cu".into(), line: 4, column: 9, ..Place::default() };
        let safe = SafePlace {
            place,
            what: "write of `out`".into(),
            why: vec!["each thread writes its own element".into()],
        };
        KernelReport {
            name: "k".into(),
            mangled: "k".into(),
            file: "/x/k.cu".into(),
            line: 1,
            language: "cuda".into(),
            verdicts: vec![(Kind::DataRace, verdict)],
            explanation: Some(Explanation {
                holds_for: "every blockDim and gridDim".into(),
                places: vec![safe],
            }),
            ..KernelReport::default()
        }
    }

    fn at(report: &Report, line: u32) -> Option<String> {
        text(report, Path::new("/x/k.cu"), line)
    }

    #[test]
    fn safe_is_said_only_where_it_is_proved() {
        let assumes = vec!["n > 0".into()];
        let one = kernel(Verdict::Proved { assumes });
        let report = Report { kernels: vec![one.clone(), one], ..Report::default() };
        let expected = "write of `out`: each thread writes its own element\n\n\
                        *proved for every blockDim and gridDim, assuming n > 0*";
        assert_eq!(at(&report, 4).as_deref(), Some(expected));
        assert_eq!(at(&report, 5), None);
        for verdict in [Verdict::Found, Verdict::Unknown { because: "x".into() }] {
            let report = Report { kernels: vec![kernel(verdict)], ..Report::default() };
            assert_eq!(at(&report, 4), None);
        }
    }

    #[test]
    fn the_kernel_s_line_has_its_verdicts() {
        let report = Report {
            kernels: vec![kernel(Verdict::Clean { covered: "3 launches".into() })],
            ..Report::default()
        };
        let expected = "kernel `k`\n\n- data-race: **clean** in 3 launches";
        assert_eq!(at(&report, 1).as_deref(), Some(expected));
    }
}
