//! What a line of a kernel was found to be: safe, and why, or what is wrong with it.

use std::collections::BTreeSet;
use std::path::Path;

use lockstep_finding::render::access_label;
use lockstep_finding::{Condition, Finding, KernelReport, Kind, Operation, Place, Report, Verdict};
use lockstep_names as names;

use super::diagnostics::message;
use super::place::normal;

/// All that is known of a line (1-based) of a file, as Markdown.
pub(crate) fn text(report: &Report, path: &Path, line: u32) -> Option<String> {
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
    let here = |p: &Place| p.line == line && normal(&names::path(&p.file)) == path;
    let mut parts = Vec::new();
    let is_first_line = kernel.line == line && normal(&names::path(kernel.text_file())) == path;
    if is_first_line {
        parts.push(verdicts(kernel));
    }
    for finding in &kernel.findings {
        let index = finding.accesses.iter().position(|a| here(&a.place));
        parts.extend(index.map(|i| found(kernel, finding, i)));
    }
    parts.extend(safe(kernel, here));
    if parts.len() == usize::from(is_first_line) {
        parts.extend(not_proved(kernel, here));
    }
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

/// What is known of accesses and barriers at which nothing was found, where the kernel is not proved free of races.
fn not_proved(kernel: &KernelReport, here: impl Fn(&Place) -> bool) -> Option<String> {
    let at: Vec<&Operation> = kernel.operations.iter().filter(|o| here(&o.place)).collect();
    let mut names: Vec<&str> = Vec::new();
    for operation in &at {
        if !names.contains(&operation.what.as_str()) {
            names.push(&operation.what);
        }
    }
    if names.is_empty() {
        return None;
    }
    let mut text = format!("{}: nothing was found here", names.join(", "));
    let verdict = |kind: Kind| kernel.verdicts.iter().find(|(k, _)| *k == kind).map(|(_, v)| v);
    if at.iter().any(|o| o.is_barrier)
        && let Some(Verdict::Proved { assumes }) = verdict(Kind::BarrierDivergence)
    {
        text += "\n\nall threads of the block reach the barrier; *proved";
        if !assumes.is_empty() {
            text += &format!(", assuming {}", Condition::line(assumes));
        }
        text += "*";
    }
    if at.iter().any(|o| !o.is_barrier)
        && let Some(verdict) = verdict(Kind::DataRace)
    {
        text += &match verdict {
            Verdict::Found => {
                let races = kernel.findings.iter().filter(|f| f.kind == Kind::DataRace);
                let lines: BTreeSet<u32> =
                    races.flat_map(|f| f.accesses.iter().map(|a| a.place.line)).collect();
                let lines: Vec<String> = lines.iter().map(u32::to_string).collect();
                let noun = if lines.len() == 1 { "line" } else { "lines" };
                format!(
                    "\n\n*not proved safe, as the kernel has a data race ({noun} {})*",
                    lines.join(", ")
                )
            }
            Verdict::Clean { covered } => {
                format!("\n\n*no data race in {covered}; not proved*")
            }
            Verdict::Unknown { because } => {
                format!("\n\n*whether there is a data race is unknown: {because}*")
            }
            Verdict::Proved { assumes } if assumes.is_empty() => {
                "\n\n*no data race: proved*".to_owned()
            }
            Verdict::Proved { assumes } => {
                format!("\n\n*no data race: proved, assuming {}*", Condition::line(assumes))
            }
        };
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use lockstep_finding::launch::Expr;
    use lockstep_finding::{Claim, Reason};

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
        let assumes = vec![Claim::Holds(Expr::parse("n > 0").unwrap()).into()];
        let one = kernel(Verdict::Proved { assumes });
        let report = Report { kernels: vec![one.clone(), one], ..Report::default() };
        let expected = "write of `out`: each thread writes its own element\n\n\
                        *proved for every blockDim and gridDim, assuming n > 0*";
        assert_eq!(at(&report, 4).as_deref(), Some(expected));
        assert_eq!(at(&report, 5), None);
        for verdict in [Verdict::Found, Verdict::Unknown { because: Reason::Interrupted }] {
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

    #[test]
    fn what_is_not_proved_says_so() {
        let operation = |line: u32, what: &str| Operation {
            place: Place { file: "/x/k.cu".into(), line, ..Place::default() },
            what: what.into(),
            is_barrier: what == "barrier",
        };
        let with = |verdict: Verdict| {
            let mut kernel = kernel(verdict);
            kernel.explanation = None;
            kernel.operations = vec![
                operation(4, "write to `s`"),
                operation(4, "read of `a`"),
                operation(5, "barrier"),
            ];
            kernel.verdicts.push((Kind::BarrierDivergence, Verdict::Proved { assumes: vec![] }));
            Report { kernels: vec![kernel], ..Report::default() }
        };
        let report = with(Verdict::Clean { covered: "3 launches".into() });
        let expected = "write to `s`, read of `a`: nothing was found here\n\n\
                        *no data race in 3 launches; not proved*";
        assert_eq!(at(&report, 4).as_deref(), Some(expected));
        let expected = "barrier: nothing was found here\n\n\
                        all threads of the block reach the barrier; *proved*";
        assert_eq!(at(&report, 5).as_deref(), Some(expected));
        assert_eq!(at(&report, 6), None);
        let unknown = at(&with(Verdict::Unknown { because: Reason::Interrupted }), 4);
        assert!(unknown.is_some_and(|t| {
            t.ends_with("*whether there is a data race is unknown: interrupted*")
        }));
    }
}
