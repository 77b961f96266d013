//! `--format github`: workflow commands that GitHub shows as annotations.
//!
//! ```text
//! ::notice title=Lockstep::1 kernel: 1 error
//! ::error file=reduce.cu,line=7,col=13,endLine=7,endColumn=22,title=data-race in reduce::data race on s[8] …
//! ```
//!
//! GitHub shows the first ten annotations of each level, so the summary comes
//! first. What does not decide the exit status as an error is a warning; a kernel
//! of which something is unknown gets one notice. The second place stands in the
//! message: an annotation has one.

use std::fmt::Write;

use super::{access_label, annotation_level, launch_options, number, one_line, title_text};
use crate::source::Sources;
use crate::{
    Counts, Finding, InputError, KernelReport, Kind, Reason, Repeat, Report, Spot, Verdict,
};

pub fn github(report: &Report, sources: &mut Sources) -> String {
    let mut out = String::new();
    if !report.kernels.is_empty() {
        let text = Counts::of(report).text();
        command(&mut out, "notice", &[("title", "Lockstep".into())], &text);
    }
    for error in &report.errors {
        input_error(&mut out, error);
    }
    for warning in &report.warnings {
        let line = warning.line.to_string();
        let place = [("file", warning.file.clone()), ("line", line)];
        let known = match (warning.file.is_empty(), warning.line) {
            (true, _) => 0,
            (false, 0) => 1,
            _ => 2,
        };
        command(&mut out, "warning", &place[..known], &warning.message);
    }
    for kernel in &report.kernels {
        for finding in kernel.findings.iter().filter(|f| f.suppressed.is_none()) {
            annotation(&mut out, kernel, finding, sources);
        }
        unknown(&mut out, kernel);
    }
    out
}

fn annotation(out: &mut String, kernel: &KernelReport, finding: &Finding, sources: &mut Sources) {
    let title = ("title", format!("{} in {}", finding.kind, kernel.name));
    let mut properties = spot_properties(&Spot::primary(kernel, finding, sources));
    properties.push(title);
    let level = annotation_level(kernel, finding).name();
    command(out, level, &properties, &message(finding, sources));
}

/// All that the one place and the level do not say.
fn message(finding: &Finding, sources: &mut Sources) -> String {
    let mut text = title_text(finding);
    for (i, access) in finding.accesses.iter().enumerate() {
        let place = &access.place;
        let _ = write!(text, "\n{}", access_label(finding, i));
        if place.line > 0 {
            let _ = write!(text, " at {}", Spot::of(place, sources));
        }
        for call in &place.inlined_at {
            let _ = write!(text, ", called at {}", Spot::of(call, sources));
        }
        for note in &access.notes {
            let _ = write!(text, "\n{}{note}", number(finding, i));
        }
    }
    if let Some(condition) = &finding.holds_when {
        let _ = write!(text, "\nit happens when {condition}");
    }
    if !finding.also_in.is_empty() {
        let _ = write!(text, "\nthe same in {}", finding.also_in.join(", "));
    }
    if let Some(launch) = &finding.launch {
        let _ = write!(text, "\nlaunch: {}", launch_options(launch));
    } else if let Some(Repeat { what, options, .. }) = &finding.repeat {
        let _ = write!(text, "\nrepeat: {}", format!("{what} {options}").trim_end());
    }
    for help in &finding.help {
        let _ = write!(text, "\nhelp: {help}");
    }
    text
}

/// One notice with everything that is unknown of a kernel.
fn unknown(out: &mut String, kernel: &KernelReport) {
    let mut reasons: Vec<(&Reason, Vec<Kind>)> = Vec::new();
    for (kind, verdict) in &kernel.verdicts {
        if let Verdict::Unknown { because } = verdict
            && !kernel.is_suppressed(*kind)
        {
            match reasons.iter_mut().find(|(b, _)| *b == because) {
                Some((_, kinds)) => kinds.push(*kind),
                None => reasons.push((because, vec![*kind])),
            }
        }
    }
    if reasons.is_empty() {
        return;
    }
    let lines: Vec<String> = reasons
        .iter()
        .map(|(because, kinds)| {
            let kinds: Vec<&str> = kinds.iter().map(|k| k.name()).collect();
            format!("{}: {}", kinds.join(", "), one_line(&because.to_string()))
        })
        .collect();
    let mut properties = kernel_properties(kernel);
    properties.push(("title", format!("unknown in {}", kernel.name)));
    command(out, "notice", &properties, &lines.join("\n"));
}

/// At the line that clang complains of, where it does.
fn input_error(out: &mut String, error: &InputError) {
    let mut properties = Vec::new();
    if let Some((file, line, column)) = error.place() {
        properties.push(("file", file.to_owned()));
        properties.push(("line", line.to_string()));
        properties.push(("col", column.to_string()));
    } else if !error.file.is_empty() && error.file != "-" {
        properties.push(("file", error.file.clone()));
    }
    properties.push(("title", "Lockstep cannot use this input".into()));
    command(out, "error", &properties, error.message.trim_end());
}

fn spot_properties(spot: &Spot) -> Vec<(&'static str, String)> {
    let mut properties = vec![("file", spot.file.clone())];
    if spot.line > 0 {
        properties.push(("line", spot.line.to_string()));
    }
    if let Some(column) = spot.column {
        properties.push(("col", column.to_string()));
        properties.push(("endLine", spot.line.to_string()));
    }
    if let Some(end) = spot.end_column {
        properties.push(("endColumn", end.to_string()));
    }
    properties
}

fn kernel_properties(kernel: &KernelReport) -> Vec<(&'static str, String)> {
    let mut properties = vec![("file", kernel.text_file().to_owned())];
    if kernel.line > 0 {
        properties.push(("line", kernel.line.to_string()));
    }
    properties
}

fn command(out: &mut String, name: &str, properties: &[(&str, String)], message: &str) {
    let properties: Vec<String> =
        properties.iter().map(|(key, value)| format!("{key}={}", property(value))).collect();
    let space = if properties.is_empty() { "" } else { " " };
    let _ = writeln!(out, "::{name}{space}{}::{}", properties.join(","), data(message));
}

/// What the runner's own toolkit escapes in a message …
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// … and in a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;
    use crate::Suppressed;
    use crate::{Confidence, Warning};

    #[test]
    fn a_race_with_its_second_place() {
        let mut report = samples::report();
        report.kernels[0].findings[0].launch = None;
        assert_eq!(
            github(&report, &mut samples::sources()),
            "::notice title=Lockstep::1 kernel: 1 error\n\
             ::error file=reduce.cu,line=7,col=13,endLine=7,endColumn=22,title=data-race in reduce::data race on s[8]: (1) write by thread (8,0,0) of block (0,0,0) and (2) read by thread (0,0,0) of block (0,0,0)%0A(1) write of 1.5 by thread (8,0,0) of block (0,0,0) at reduce.cu:7:13%0A(2) read of 0.25 by thread (0,0,0) of block (0,0,0) at reduce.cu:7:23%0Ahelp: put __syncthreads() between the two\n\
             ::notice file=reduce.cu,line=1,title=unknown in reduce::deadlock: interrupted\n"
        );
    }

    #[test]
    fn what_is_escaped() {
        let mut out = String::new();
        let file = ("file", "C:\\a,b%.cu".to_owned());
        command(&mut out, "error", &[file], "100% of a::b, c\r\nd");
        assert_eq!(out, "::error file=C%3A\\a%2Cb%25.cu::100%25 of a::b, c%0D%0Ad\n");
    }

    #[test]
    fn only_what_counts_is_an_error() {
        let mut report = samples::report();
        report.kernels[0].findings[0].confidence = Confidence::Possible;
        report.kernels[0].verdicts[0].1 = Verdict::Unknown { because: Reason::NotConfirmed };
        let text = github(&report, &mut samples::sources());
        assert!(text.contains("\n::warning file=reduce.cu,line=7"), "{text}");
        assert!(text.contains("::possible: data race"), "{text}");
        assert!(!text.contains("::error"), "{text}");
    }

    #[test]
    fn what_is_suppressed_is_not_shown() {
        let mut report = samples::report();
        report.kernels[0].findings[0].suppressed =
            Some(Suppressed { because: "known".into(), in_source: false });
        report.kernels[0].verdicts.truncate(1);
        let message = "unused suppression".to_owned();
        report.warnings = vec![Warning { file: "a.cu".into(), line: 3, message }];
        assert_eq!(
            github(&report, &mut samples::sources()),
            "::notice title=Lockstep::1 kernel: 0 errors, 1 suppressed; 1 clean\n\
             ::warning file=a.cu,line=3::unused suppression\n"
        );
    }

    #[test]
    fn inputs_that_do_not_compile() {
        let message = "a.cu:3:5: error: expected ';'\n    3 | x\n".to_owned();
        let errors = vec![
            InputError { file: "a.cu".into(), message },
            InputError { file: "b.cu".into(), message: "cannot read 'b.cu'".into() },
            InputError { file: String::new(), message: "no kernel 'k'".into() },
        ];
        assert_eq!(
            github(&Report { errors, ..Report::default() }, &mut Sources::new()),
            "::error file=a.cu,line=3,col=5,title=Lockstep cannot use this input::a.cu:3:5: error: expected ';'%0A    3 | x\n\
             ::error file=b.cu,title=Lockstep cannot use this input::cannot read 'b.cu'\n\
             ::error title=Lockstep cannot use this input::no kernel 'k'\n"
        );
    }
}
