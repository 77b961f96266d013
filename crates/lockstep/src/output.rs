//! Where reports and messages go.

use std::io::{ErrorKind, IsTerminal, Write};
use std::path::Path;

use lockstep_finding::render::{self, HumanOptions};
use lockstep_finding::source::Sources;
use lockstep_finding::{InputError, Report};

use crate::options::{Format, ReportArgs};

/// Writes the report as asked, and errors to standard error.
pub(crate) fn write_report(
    report: &Report,
    sources: &mut Sources,
    args: &ReportArgs,
    seconds: f64,
) -> Result<(), String> {
    let text = match args.format {
        Format::Concise => render::concise(report),
        Format::Json => render::json(report),
        _ => {
            let terminal = args.output.is_none() && std::io::stdout().is_terminal();
            let colour = terminal && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
            render::human(
                report,
                sources,
                &HumanOptions { colour, seconds: Some(seconds), width: None },
            )
        }
    };
    write_text(&text, args.output.as_deref())?;
    report.warnings.iter().for_each(|w| complain(&format!("warning: {w}")));
    report.errors.iter().for_each(print_error);
    Ok(())
}

/// To a file or standard output; a reader that has gone away is no error.
pub(crate) fn write_text(text: &str, file: Option<&Path>) -> Result<(), String> {
    if let Some(file) = file {
        return std::fs::write(file, text)
            .map_err(|e| format!("cannot write '{}': {e}", file.display()));
    }
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => {
            Err(format!("cannot write to standard output: {e}"))
        }
        _ => Ok(()),
    }
}

/// `error: …`; what clang wrote is shown as it is, before it.
pub(crate) fn print_error(error: &InputError) {
    if is_compiler_text(&error.message) {
        complain(&error.message);
        let what = if error.file == "-" { "standard input" } else { &error.file };
        complain(&format!("error: {what} does not compile"));
        return;
    }
    let named = error.file.is_empty() || error.message.contains(&error.file);
    let place = if named { String::new() } else { format!("{}: ", error.file) };
    complain(&format!("error: {place}{}", error.message));
}

fn is_compiler_text(message: &str) -> bool {
    message.lines().any(|l| l.contains(": error: ") || l.contains(": fatal error: "))
}

/// A line on standard error, whether or not anybody reads it.
pub(crate) fn complain(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}
