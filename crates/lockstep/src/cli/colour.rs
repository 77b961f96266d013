//! Whether reports and messages are coloured.
//!
//! `--color always` and `never` decide. With `auto`, in this order: `NO_COLOR` (not empty) means no, `CLICOLOR_FORCE` (neither
//! empty nor 0) yes, `CLICOLOR=0` and `TERM=dumb` no; otherwise a terminal gets colours and nothing else does. A report that
//! `--output` writes to a file is coloured only with `always`.

use std::ffi::OsString;
use std::io::IsTerminal;
use std::sync::OnceLock;

use clap::ValueEnum;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    #[default]
    Auto,
    Always,
    Never,
}

/// What the command line says, once it is read.
static SAID: OnceLock<When> = OnceLock::new();

/// From here on, messages are coloured as the user wants.
pub(crate) fn say(when: When) {
    let _ = SAID.set(when);
}

/// Whether a report is coloured that goes to standard output, or to a file.
pub(crate) fn of_report(when: When, to_file: bool) -> bool {
    match to_file {
        true => when == When::Always,
        false => is_on(when, std::io::stdout().is_terminal(), |name| std::env::var_os(name)),
    }
}

/// Whether messages on standard error are.
pub(crate) fn of_messages() -> bool {
    let when = SAID.get().copied().unwrap_or_default();
    is_on(when, std::io::stderr().is_terminal(), |name| std::env::var_os(name))
}

fn is_on(when: When, is_terminal: bool, variable: impl Fn(&str) -> Option<OsString>) -> bool {
    let set = |name: &str| variable(name).filter(|v| !v.is_empty());
    let is = |name: &str, value: &str| set(name).is_some_and(|v| v == value);
    match when {
        When::Always => true,
        When::Never => false,
        When::Auto if set("NO_COLOR").is_some() => false,
        When::Auto if set("CLICOLOR_FORCE").is_some_and(|v| v != "0") => true,
        When::Auto => is_terminal && !is("CLICOLOR", "0") && !is("TERM", "dumb"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_rule_that_applies_decides() {
        use When::*;
        let rows: [(When, bool, &[(&str, &str)], bool); 15] = [
            (Auto, true, &[], true),
            (Auto, false, &[], false),
            (Auto, true, &[("TERM", "dumb")], false),
            (Auto, true, &[("TERM", "xterm")], true),
            (Auto, true, &[("NO_COLOR", "1")], false),
            (Auto, true, &[("NO_COLOR", "")], true),
            (Auto, true, &[("CLICOLOR", "0")], false),
            (Auto, true, &[("CLICOLOR", "1")], true),
            (Auto, false, &[("CLICOLOR", "1")], false),
            (Auto, false, &[("CLICOLOR_FORCE", "1")], true),
            (Auto, false, &[("CLICOLOR_FORCE", "0")], false),
            (Auto, false, &[("CLICOLOR_FORCE", "1"), ("TERM", "dumb")], true),
            (Auto, true, &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], false),
            (Always, false, &[("NO_COLOR", "1"), ("TERM", "dumb")], true),
            (Never, true, &[("CLICOLOR_FORCE", "1")], false),
        ];
        for (when, is_terminal, variables, expected) in rows {
            let variable = |name: &str| {
                variables.iter().find(|(n, _)| *n == name).map(|(_, v)| OsString::from(v))
            };
            let on = is_on(when, is_terminal, variable);
            assert_eq!(on, expected, "{when:?}, terminal {is_terminal}, {variables:?}");
        }
    }
}
