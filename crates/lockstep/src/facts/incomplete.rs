//! What a report says of a source that does not compile as a whole.
//!
//! A header that is missing is taken as empty, and what does not compile is left out (`lockstep_frontend`): both are said
//! once a file. Of a kernel that does not compile nothing is known. Without a header that is missing, that is an error of
//! the source, as if it were the only kernel; otherwise its verdicts are unknown.

use lockstep_finding::{InputError, KernelReport, Statement, Verdict, Warning};
use lockstep_frontend::{Module, Omission, Part, Uninstantiated};

use crate::facts::load::error;

/// How many functions or headers one message names.
const MOST: usize = 8;

/// What was taken as empty, and what was left out.
pub(crate) fn warnings(module: &Module, file: &str) -> Vec<Warning> {
    let mut out = Vec::new();
    let mut warn = |line, message| out.push(Warning { file: file.to_owned(), line, message });
    let headers = &module.missing_headers;
    if !headers.is_empty() {
        let are = if headers.len() == 1 { "header is" } else { "headers are" };
        let names = listed(headers.iter().map(|h| format!("`{h}`")));
        warn(0, format!("missing {are} taken as empty: {names}"));
    }
    let parts = [
        (Part::DeviceFunction, "function of the device", "functions of the device"),
        (Part::HostFunction, "function of the host", "functions of the host"),
        (Part::Declaration, "declaration", "declarations"),
    ];
    for (part, one, many) in parts {
        let of: Vec<&Omission> = module.omissions.iter().filter(|o| o.part == part).collect();
        let Some(first) = of.first() else { continue };
        let what = if of.len() == 1 { one } else { many };
        let names = listed(of.iter().map(|o| match o.file == file {
            true => format!("{} (line {})", o.name, o.line),
            false => format!("{} ({}:{})", o.name, o.file, o.line),
        }));
        let because = &first.because;
        warn(0, format!("left out, since it does not compile: {what} {names}: {because}"));
    }
    out
}

/// Kernels and functions of the device that are wrong by themselves.
pub(crate) fn errors(module: &Module, file: &str) -> Vec<InputError> {
    let wrong = |o: &&Omission| {
        module.missing_headers.is_empty() && matches!(o.part, Part::Kernel | Part::DeviceFunction)
    };
    let message = |o: &Omission| {
        let what = if o.part == Part::Kernel { "kernel" } else { "function" };
        let place = format!("{}:{}", o.file, o.line);
        error(file, format!("{place}: {what} {} does not compile: {}", o.name, o.because))
    };
    module.omissions.iter().filter(wrong).map(message).collect()
}

/// Whether a kernel without an instance is one of these errors.
pub(crate) fn is_error(module: &Module, kernel: &Uninstantiated) -> bool {
    let is_it = |o: &Omission| {
        o.part == Part::Kernel && (&o.name, o.line) == (&kernel.template, kernel.line)
    };
    module.missing_headers.is_empty() && module.omissions.iter().any(is_it)
}

/// Makes the missing headers a condition of what is said of a kernel.
pub(crate) fn name(module: &Module, report: &mut KernelReport) {
    let headers = module.missing_headers.clone();
    if headers.is_empty() {
        return;
    }
    let condition = Statement::MissingHeaders { headers };
    for (_, verdict) in &mut report.verdicts {
        if let Verdict::Proved { assumes } = verdict {
            assumes.push(condition.clone().into());
        }
    }
}

/// `a, b and 3 more`.
fn listed(names: impl ExactSizeIterator<Item = String>) -> String {
    let more = names.len().saturating_sub(MOST);
    let shown = names.take(MOST).collect::<Vec<_>>().join(", ");
    if more > 0 { format!("{shown} and {more} more") } else { shown }
}
