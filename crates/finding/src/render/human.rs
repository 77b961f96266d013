//! `--format human`: rustc's look, both places underlined.
//!
//! For each kernel its findings (with a table of the two threads' values and a picture
//! of who touches the elements around, where they are known), then what it printed and its output arrays,
//! then a line for each verdict; at the end one line for the whole run. Inputs
//! that could not be used are only counted here: their messages go to standard
//! error.

use std::fmt::Write;
use std::ops::Range;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Element, Level, Origin, Renderer, Snippet};

use super::{
    access_label, circumstances, launch_options, memory_text, note_variable, number, picture,
    short_place, title_text, verdict_groups,
};
use crate::source::{Sources, expression_at, line_range};
use crate::{
    Access, AccessMap, Condition, Counted, Counts, Finding, KernelReport, Kind, Output, Place,
    Repeat, Report, Severity, Spot, Standing, Suppressed, Verdict,
};

#[derive(Clone, Debug, Default)]
pub struct HumanOptions {
    /// Use ANSI colours.
    pub colour: bool,
    /// Time of the whole run, for the last line.
    pub seconds: Option<f64>,
    /// Findings only: no verdicts, no kernels without findings, no summary.
    pub quiet: bool,
    /// Columns of the terminal, where it is one.
    pub width: Option<usize>,
}

pub fn human(report: &Report, sources: &mut Sources, options: &HumanOptions) -> String {
    let mut out = String::new();
    let says_something = |k: &&KernelReport| {
        let finds = k.findings.iter().any(|f| f.suppressed.is_none());
        !options.quiet || finds || !k.printed.is_empty() || !k.outputs.is_empty()
    };
    for kernel in report.kernels.iter().filter(says_something) {
        kernel_section(&mut out, kernel, sources, options);
        out.push('\n');
    }
    if !report.kernels.is_empty() && !options.quiet {
        summary(&mut out, report, options);
    }
    out
}

fn kernel_section(
    out: &mut String,
    kernel: &KernelReport,
    sources: &mut Sources,
    options: &HumanOptions,
) {
    let mut header = format!("kernel {}", kernel.name);
    let place = if kernel.line > 0 {
        format!("{}:{}", kernel.text_file(), kernel.line)
    } else {
        kernel.text_file().to_owned()
    };
    let from = kernel.header.as_ref().map_or(String::new(), |_| format!(", from {}", kernel.file));
    let arch = kernel.unusual_arch().map_or(String::new(), |arch| format!(", {arch}"));
    let _ = write!(header, " ({place}{from}{arch})");
    let _ = writeln!(out, "{}", paint(options, BOLD, &header));
    if !kernel.instances.is_empty() {
        let _ = writeln!(out, "  the same code as {}", kernel.instances.join(", "));
    }
    if let Some(chosen) = &kernel.chosen {
        let _ = writeln!(out, "  nothing in the source instantiates it: checked with {chosen}");
    }
    let shown = || kernel.findings.iter().filter(|f| f.suppressed.is_none());
    let mut maps: Vec<&AccessMap> = Vec::new();
    for finding in shown() {
        out.push('\n');
        out.push_str(&render_finding(finding, &maps, sources, options));
        out.push('\n');
        maps.extend(finding.trace.as_ref().and_then(|t| t.map.as_ref()));
    }
    if shown().next().is_some() {
        out.push('\n');
    }
    printed(out, kernel);
    for output in &kernel.outputs {
        let _ = writeln!(out, "  {}", output_text(output));
    }
    if !options.quiet {
        verdict_lines(out, kernel, options);
    }
}

fn printed(out: &mut String, kernel: &KernelReport) {
    if kernel.printed.is_empty() {
        return;
    }
    out.push_str("  it printed:\n");
    for line in kernel.printed.lines() {
        let _ = writeln!(out, "  | {line}");
    }
}

/// `out: f32[1024] = 0.5, 1.0, … 3.0`.
pub(super) fn output_text(output: &Output) -> String {
    let mut text = format!("{}: {}[{}] = ", output.name, output.element_type, output.length);
    if output.is_complete() {
        text.push_str(&output.values.join(", "));
    } else {
        let (head, tail) = output.values.split_at(Output::HEAD.min(output.values.len()));
        let _ = write!(text, "{}, … {}", head.join(", "), tail.join(", "));
    }
    text
}

/// One line for each group of kinds with the same verdict.
fn verdict_lines(out: &mut String, kernel: &KernelReport, options: &HumanOptions) {
    let has = |kind: Kind| kernel.findings.iter().any(|f| f.kind == kind);
    for (verdict, kinds) in verdict_groups(kernel) {
        let detail = match verdict {
            Verdict::Found if kinds.iter().any(|k| !has(*k)) => {
                " (shown with another instance of the template)".into()
            }
            Verdict::Found => String::new(),
            Verdict::Unknown { because } => format!(": {because}"),
            Verdict::Clean { covered } => format!(" in {covered}"),
            Verdict::Proved { assumes } => {
                let every = match &kernel.for_every[..] {
                    [] => String::new(),
                    names => format!(" for every {}", names.join(", ")),
                };
                match assumes.is_empty() {
                    true => every,
                    false => format!("{every} if {}", Condition::line(assumes)),
                }
            }
        };
        let word = paint(options, verdict_colour(verdict), &format!("{:>9}", verdict.name()));
        let kinds: Vec<_> = kinds.iter().map(|k| k.name()).collect();
        let _ = writeln!(out, "{word} {}{detail}", kinds.join(", "));
    }
    if let Some(Repeat { what, options: more, .. }) = &kernel.go_on {
        let _ = writeln!(out, "    go on with: {what} {more}");
    }
    for finding in &kernel.findings {
        if let Some(Suppressed { because, .. }) = &finding.suppressed {
            let at = short_place(kernel, finding);
            let _ = writeln!(out, "  allowed {} at {at}: {because}", finding.kind);
        }
    }
}

fn summary(out: &mut String, report: &Report, options: &HumanOptions) {
    let counts = Counts::of(report);
    let time = options.seconds.map_or(String::new(), |s| format!(" ({s:.2} s)"));
    let milder = [Standing::Unknown, Standing::Warnings].map(|s| counts.kernels_with(s));
    let colour = if counts.findings(Counted::Error) > 0 {
        RED
    } else if milder.iter().any(|n| *n > 0) || counts.unusable > 0 {
        YELLOW
    } else {
        GREEN
    };
    let _ = writeln!(out, "{}{time}", paint(options, colour, &counts.text()));
}

const RED: &str = "1;31";
const GREEN: &str = "1;32";
const YELLOW: &str = "1;33";
const BOLD: &str = "1";

fn verdict_colour(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Found => RED,
        Verdict::Unknown { .. } => YELLOW,
        Verdict::Clean { .. } | Verdict::Proved { .. } => GREEN,
    }
}

fn paint(options: &HumanOptions, code: &str, text: &str) -> String {
    if options.colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
}

/// A finding after others with these maps.
fn render_finding(
    finding: &Finding,
    maps: &[&AccessMap],
    sources: &mut Sources,
    options: &HumanOptions,
) -> String {
    let level = match finding.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut elements = snippets(finding, sources);
    elements.extend(
        notes(finding, maps, sources).into_iter().map(|(l, text)| Element::from(l.message(text))),
    );
    let group = level.primary_title(title_text(finding)).id(finding.kind.name()).elements(elements);
    let renderer = if options.colour { Renderer::styled() } else { Renderer::plain() };
    let renderer =
        renderer.decor_style(DecorStyle::Ascii).term_width(options.width.unwrap_or(140).max(60));
    renderer.render(&[group])
}

/// A labelled stretch of one file.
struct Mark {
    kind: AnnotationKind,
    line: u32,
    span: Range<usize>,
    label: String,
}

/// The places of one file: marked in its text, or one that can only be named.
enum Shown {
    Marks(String, Vec<Mark>),
    Named(Spot),
}

/// One snippet for each file, in the order of the accesses: the primary place comes first.
fn snippets(finding: &Finding, sources: &mut Sources) -> Vec<Element<'static>> {
    let mut shown: Vec<Shown> = Vec::new();
    for (i, access) in finding.accesses.iter().enumerate() {
        let place = &access.place;
        if place.line == 0 {
            continue;
        }
        let of_file = |s: &&mut Shown| matches!(s, Shown::Marks(f, _) if *f == place.file);
        match (mark(finding, i, sources), shown.iter_mut().find(of_file)) {
            (Some(m), Some(Shown::Marks(_, marks))) => marks.push(m),
            (Some(m), _) => shown.push(Shown::Marks(place.file.clone(), vec![m])),
            (None, _) => shown.push(Shown::Named(Spot::of(place, sources))),
        }
    }
    let element = |shown: Shown| match shown {
        Shown::Marks(file, marks) => snippet(file, marks, sources),
        Shown::Named(Spot { file, line, column, .. }) => {
            let origin = Origin::path(file).line(line as usize);
            Some(origin.char_column(column.unwrap_or(1) as usize).into())
        }
    };
    shown.into_iter().filter_map(element).collect()
}

fn mark(finding: &Finding, index: usize, sources: &mut Sources) -> Option<Mark> {
    let access = &finding.accesses[index];
    let text = sources.text(&access.place.file)?;
    let line = line_range(&text, access.place.line)?;
    let within = expression_at(&text[line.clone()], access.place.column);
    Some(Mark {
        kind: match finding.primary_index() == Some(index) {
            true => AnnotationKind::Primary,
            false => AnnotationKind::Context,
        },
        line: access.place.line,
        span: line.start + within.start..line.start + within.end,
        label: access_label(finding, index),
    })
}

fn snippet(file: String, marks: Vec<Mark>, sources: &mut Sources) -> Option<Element<'static>> {
    let text = sources.text(&file)?;
    let first = marks.iter().map(|m| m.line).min()?;
    let last = marks.iter().map(|m| m.line).max()?;
    let start = line_range(&text, first)?.start;
    let end = line_range(&text, last)?.end;
    let annotations = marks.into_iter().map(|m| {
        let span = m.span.start - start..m.span.end - start;
        m.kind.span(span).label(m.label)
    });
    let snippet =
        Snippet::source(text[start..end].to_owned()).path(file).line_start(first as usize);
    Some(snippet.annotations(annotations.collect::<Vec<_>>()).into())
}

fn notes(
    finding: &Finding,
    maps: &[&AccessMap],
    sources: &mut Sources,
) -> Vec<(Level<'static>, String)> {
    let mut notes = Vec::new();
    let table = picture::values(finding);
    let in_table = table.is_some();
    if let Some(memory) = &finding.memory {
        notes.push(memory_text(memory));
    }
    for (i, access) in finding.accesses.iter().enumerate() {
        if access.place.line == 0 {
            notes.push(format!(
                "{}, at a place the compiler gave no line for",
                access_label(finding, i)
            ));
        }
        notes.extend(inlining_notes(access, &number(finding, i), sources));
        let plain = access.notes.iter().filter(|n| !in_table || note_variable(n).is_none());
        notes.extend(plain.map(|n| format!("{}{n}", number(finding, i))));
    }
    notes.extend(table);
    notes.extend(picture::map(finding, maps));
    notes.extend(picture::execution(finding));
    notes.extend(circumstances(finding));
    if let Some(launch) = &finding.launch {
        let options = finding.repeat.as_ref().map(|r| r.options.clone()).filter(|o| !o.is_empty());
        notes.push(format!("launch: {}", options.unwrap_or_else(|| launch_options(launch))));
    } else if let Some(Repeat { what, options, .. }) = &finding.repeat {
        notes.push(format!("repeat: {what} {options}").trim_end().to_owned());
    }
    if !finding.also_in.is_empty() {
        notes.push(format!("the same in {}", finding.also_in.join(", ")));
    }
    let mut notes: Vec<_> = notes.into_iter().map(|n| (Level::NOTE, n)).collect();
    notes.extend(finding.help.iter().map(|h| (Level::HELP, h.clone())));
    notes
}

fn inlining_notes(access: &Access, number: &str, sources: &mut Sources) -> Vec<String> {
    let mut inner: &Place = &access.place;
    let mut notes = Vec::new();
    for call in &access.place.inlined_at {
        let at = Spot::of(call, sources);
        notes.push(format!("{number}in {}, called at {at}", inner.function));
        inner = call;
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;
    use crate::{ElementType, InputError};

    fn render(report: &Report) -> String {
        let options = HumanOptions { seconds: Some(0.12), ..HumanOptions::default() };
        human(report, &mut samples::sources(), &options)
    }

    #[test]
    fn a_race_with_both_places() {
        let expected = r"kernel reduce (reduce.cu:1)

error[data-race]: data race on s[8]: (1) write by thread (8,0,0) of block (0,0,0) and (2) read by thread (0,0,0) of block (0,0,0)
 --> reduce.cu:7:13
  |
7 |             s[tid] += s[tid + d];
  |             ^^^^^^^^^ ---------- (2) read of 0.25 by thread (0,0,0) of block (0,0,0)
  |             |
  |             (1) write of 1.5 by thread (8,0,0) of block (0,0,0)
  |
  = note: s[8], bytes 32..36 of 128, element type f32, shared memory
  = note: 31 occurrences; the first is shown
  = note: launch: --grid 1 --block 32 --arg 'in=f32[32]:random' --arg 'out=f32[1]' --arg n=32
  = help: put __syncthreads() between the two

    found data-race
  unknown deadlock: interrupted
    clean barrier-divergence, out-of-bounds in 1 launch (grid 1, block 32), 100% of the accesses

1 kernel: 1 error (0.12 s)
";
        assert_eq!(render(&samples::report()), expected);
    }

    #[test]
    fn two_files_and_an_inlining_chain() {
        let mut finding = samples::race();
        finding.accesses[0].place = Place {
            file: "util.h".into(),
            line: 2,
            column: 8,
            function: "put".into(),
            inlined_at: vec![samples::place("reduce.cu", 4, 5)],
        };
        finding.occurrences = 1;
        finding.launch = None;
        finding.benign = true;
        finding.severity = Severity::Warning;
        let expected = r"warning[data-race]: data race on s[8]: (1) write by thread (8,0,0) of block (0,0,0) and (2) read by thread (0,0,0) of block (0,0,0)
 --> util.h:2:5
  |
2 |     *p = v;
  |     ^^^^ (1) write of 1.5 by thread (8,0,0) of block (0,0,0)
  |
 ::: reduce.cu:7:23
  |
7 |             s[tid] += s[tid + d];
  |                       ---------- (2) read of 0.25 by thread (0,0,0) of block (0,0,0)
  |
  = note: s[8], bytes 32..36 of 128, element type f32, shared memory
  = note: (1) in put, called at reduce.cu:4:5
  = note: every conflicting write stores the same value
  = help: put __syncthreads() between the two";
        assert_eq!(
            render_finding(&finding, &[], &mut samples::sources(), &HumanOptions::default()),
            expected
        );
    }

    #[test]
    fn places_without_text_or_line() {
        let mut finding = samples::race();
        finding.accesses[0].place = samples::place("gone.cu", 3, 4);
        finding.accesses[1].place = Place::default();
        finding.launch = None;
        finding.help.clear();
        let expected = r"error[data-race]: data race on s[8]: (1) write by thread (8,0,0) of block (0,0,0) and (2) read by thread (0,0,0) of block (0,0,0)
 --> gone.cu:3:4
  = note: s[8], bytes 32..36 of 128, element type f32, shared memory
  = note: (2) read of 0.25 by thread (0,0,0) of block (0,0,0), at a place the compiler gave no line for
  = note: 31 occurrences; the first is shown";
        assert_eq!(
            render_finding(&finding, &[], &mut samples::sources(), &HumanOptions::default()),
            expected
        );
    }

    /// Wherever it stands among the lines that are shown, and in whichever file.
    #[test]
    fn the_primary_place_is_named_first() {
        let head = |finding: &Finding| {
            let options = HumanOptions::default();
            let text = render_finding(finding, &[], &mut samples::sources(), &options);
            text.lines().nth(1).unwrap_or_default().trim().to_owned()
        };
        let mut finding = samples::race();
        finding.accesses[1].place = samples::place("reduce.cu", 4, 12);
        assert_eq!(head(&finding), "--> reduce.cu:7:13");
        finding.accesses[0].place = samples::place("gone.cu", 3, 4);
        assert_eq!(head(&finding), "--> gone.cu:3:4");
        finding.accesses[0].place.line = 0;
        assert_eq!(head(&finding), "--> reduce.cu:4:5");
    }

    #[test]
    fn outputs_and_prints_come_after_findings() {
        let mut report = samples::report();
        let kernel = &mut report.kernels[0];
        kernel.findings.clear();
        kernel.verdicts.truncate(0);
        kernel.printed = "a\nb\n".into();
        let bytes: Vec<u8> = (0..100).collect();
        kernel.outputs = vec![
            Output::from_bytes("long", ElementType::U8, &bytes, false),
            Output::from_bytes("short", ElementType::U8, &bytes[..3], false),
        ];
        report.errors.push(InputError { file: "b.cu".into(), message: "no such file".into() });
        let expected = "kernel reduce (reduce.cu:1)
  it printed:
  | a
  | b
  long: u8[100] = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, … 96, 97, 98, 99
  short: u8[3] = 0, 1, 2

1 kernel: 0 errors; 1 clean; 1 input not usable (0.12 s)
";
        assert_eq!(render(&report), expected);
    }

    #[test]
    fn what_is_allowed_says_where() {
        let mut report = samples::report();
        let kernel = &mut report.kernels[0];
        kernel.verdicts.clear();
        kernel.findings[0].suppressed =
            Some(Suppressed { because: "old".into(), in_source: false });
        assert!(render(&report).contains("\n  allowed data-race at line 7: old\n"));
        report.kernels[0].findings[0].accesses[0].place.file = "util.h".into();
        let text = render(&report);
        assert!(text.contains("\n  allowed data-race at util.h:7: old\n"), "{text}");
        assert!(text.contains("0 errors, 1 suppressed"), "{text}");
    }

    #[test]
    fn quiet_is_findings_only() {
        let mut report = samples::report();
        let mut silent = report.kernels[0].clone();
        silent.findings.clear();
        report.kernels.push(silent);
        let options = HumanOptions { quiet: true, seconds: Some(0.1), ..HumanOptions::default() };
        let text = human(&report, &mut samples::sources(), &options);
        assert!(text.contains("error[data-race]: data race on s[8]"), "{text}");
        assert_eq!(text.matches("kernel reduce (reduce.cu:1)").count(), 1, "{text}");
        for word in ["unknown", "clean", "1 kernel", "0.10 s"] {
            assert!(!text.contains(word), "{word}: {text}");
        }
    }

    #[test]
    fn colour_only_when_told() {
        assert!(!render(&samples::report()).contains('\x1b'));
        let options = HumanOptions { colour: true, ..HumanOptions::default() };
        assert!(human(&samples::report(), &mut samples::sources(), &options).contains('\x1b'));
    }
}
