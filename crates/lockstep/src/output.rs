//! Where reports and messages go.

use std::io::{ErrorKind, IsTerminal, Write};
use std::path::Path;

use lockstep_finding::render::{self, HtmlOptions, HumanOptions, shell_quoted};
use lockstep_finding::source::Sources;
use lockstep_finding::{InputError, Report};

use crate::options::{Analysis, Format, SchedulingArg};

/// Writes the report as asked, and errors to standard error.
pub(crate) fn write_report(
    report: &Report,
    sources: &mut Sources,
    analysis: &Analysis,
    seconds: f64,
) -> Result<(), String> {
    let args = &analysis.report;
    let text = match args.format {
        Format::Concise => render::concise(report),
        Format::Json => render::json(report),
        Format::Sarif => render::sarif(report, sources, report.exit_status(args.allow_unknown)),
        Format::Github => render::github(report, sources),
        Format::Html => {
            let options = HtmlOptions { seconds: Some(seconds), command: command(analysis) };
            render::html(report, sources, &options)
        }
        Format::Human => {
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

/// What a command line that repeats a launch needs besides the launch: options, and
/// what goes to clang.
fn command(analysis: &Analysis) -> [String; 2] {
    let mut options = Vec::new();
    if let Some(lang) = analysis.input.lang {
        options.push(format!("--lang {}", lang.language()));
    }
    if let Some(dir) = &analysis.input.cuda_path {
        options.push(format!("--cuda-path {}", shell_quoted(&dir.display().to_string())));
    }
    if analysis.launch.scheduling() != SchedulingArg::Independent {
        options.push(format!("--scheduling {}", analysis.launch.scheduling().name()));
    }
    if analysis.launch.warp_size() != 32 {
        options.push(format!("--warp-size {}", analysis.launch.warp_size()));
    }
    let clang: Vec<String> = analysis.input.clang_args.iter().map(|a| shell_quoted(a)).collect();
    let clang = if clang.is_empty() { String::new() } else { format!("-- {}", clang.join(" ")) };
    [options.join(" "), clang]
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
