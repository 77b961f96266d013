//! Where reports and messages go.

use std::io::{ErrorKind, Write};
use std::path::Path;

use lockstep_finding::render::{self, HtmlOptions, HumanOptions, SarifOptions};
use lockstep_finding::source::Sources;
use lockstep_finding::{InputError, Report, Warning};
use lockstep_names as names;

use crate::cli::colour;
use crate::cli::formats::Format;
use crate::cli::options::{Analysis, ReportArgs};
use crate::cli::progress;

/// Writes the report as asked, and errors to standard error.
pub(crate) fn write_report(
    report: &Report,
    sources: &mut Sources,
    analysis: &Analysis,
    seconds: f64,
) -> Result<(), String> {
    let args = &analysis.report;
    let text = rendered(report, sources, args, args.format, args.output.is_some(), seconds);
    write_text(&text, args.output.as_deref())?;
    for also in &args.also {
        let text = rendered(report, sources, args, also.format, true, seconds);
        write_text(&text, Some(&also.file))?;
    }
    if args.statistics {
        complain(render::statistics(report, &args.times.seconds()).trim_end());
    }
    say_the_rest(report, args);
    Ok(())
}

/// The same, of a program that was run: standard output is the program's. What is said in short is for people, the other formats
/// have everything.
pub(crate) fn write_program_report(
    report: &Report,
    in_short: &Report,
    sources: &mut Sources,
    args: &ReportArgs,
    seconds: f64,
) -> Result<(), String> {
    let of = |format| match format {
        Format::Json | Format::Sarif => report,
        _ => in_short,
    };
    let text =
        rendered(of(args.format), sources, args, args.format, args.output.is_some(), seconds);
    match &args.output {
        Some(file) => write_text(&text, Some(file))?,
        None if text.trim().is_empty() => {}
        None => complain(text.trim_end()),
    }
    for also in &args.also {
        let text = rendered(of(also.format), sources, args, also.format, true, seconds);
        write_text(&text, Some(&also.file))?;
    }
    if args.statistics {
        complain(render::statistics(of(args.format), &[]).trim_end());
    }
    say_the_rest(of(args.format), args);
    Ok(())
}

fn rendered(
    report: &Report,
    sources: &mut Sources,
    args: &ReportArgs,
    format: Format,
    to_file: bool,
    seconds: f64,
) -> String {
    match format {
        Format::Concise => render::concise(report, sources, args.quiet),
        Format::Json => render::json(report, sources),
        Format::Sarif => {
            let exit_status = report.exit_status(args.allow_unknown);
            render::sarif(report, sources, &SarifOptions { exit_status, book: book() })
        }
        Format::Github => render::github(report, sources),
        Format::Html => {
            let options = HtmlOptions { seconds: Some(seconds) };
            render::html(report, sources, &options)
        }
        Format::Human => {
            let options = HumanOptions {
                colour: colour::of_report(args.color, to_file),
                seconds: Some(seconds),
                quiet: args.quiet,
                ..HumanOptions::default()
            };
            render::human(report, sources, &options)
        }
    }
}

/// Warnings and errors, on standard error.
fn say_the_rest(report: &Report, args: &ReportArgs) {
    // What is about the whole run is said in any case.
    let said = |w: &&Warning| !args.quiet || w.file.is_empty();
    report.warnings.iter().filter(said).for_each(|w| warn(&w.to_string()));
    report.errors.iter().for_each(print_error);
}

/// Where the book is published, as far as that is known: the project has no address of its own.
fn book() -> Option<String> {
    let told = std::env::var(BOOK).ok().or(option_env!("LOCKSTEP_BOOK_URL").map(str::to_owned));
    told.filter(|address| !address.is_empty())
}

/// The variable that says so: of a run, or of the build.
const BOOK: &str = "LOCKSTEP_BOOK_URL";

/// To a file or standard output; a reader that has gone away is no error.
pub(crate) fn write_text(text: &str, file: Option<&Path>) -> Result<(), String> {
    if let Some(file) = file.filter(|file| *file != Path::new("-")) {
        return std::fs::write(file, text)
            .map_err(|e| format!("cannot write '{}': {e}", names::shown(file)));
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
        return fail(&format!("{what} does not compile"));
    }
    let named = error.file.is_empty() || error.message.contains(&error.file);
    let place = if named { String::new() } else { format!("{}: ", error.file) };
    fail(&format!("{place}{}", error.message));
}

fn is_compiler_text(message: &str) -> bool {
    message.lines().any(|l| l.contains(": error: ") || l.contains(": fatal error: "))
}

/// `error: …` on standard error.
pub(crate) fn fail(message: &str) {
    complain(&format!("{} {message}", labelled("error:", "1;31")));
}

/// `warning: …` on standard error.
pub(crate) fn warn(message: &str) {
    complain(&format!("{} {message}", labelled("warning:", "1;33")));
}

fn labelled(label: &str, code: &str) -> String {
    match colour::of_messages() {
        true => format!("\x1b[{code}m{label}\x1b[0m"),
        false => label.to_owned(),
    }
}

/// A line on standard error, whether or not anybody reads it.
pub(crate) fn complain(line: &str) {
    progress::clear();
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}
