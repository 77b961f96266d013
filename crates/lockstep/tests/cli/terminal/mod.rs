//! Lockstep as a person meets it: colours, short options, how much it says, and a real (pseudo-)terminal.
#![cfg(unix)]

mod pty;

use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use self::pty::Terminal;
use crate::support;
use crate::support::lockstep;

const RACY: &str = "__global__ void racy(int *x) { x[0] = threadIdx.x; }\n";

/// More steps than any budget.
const ENDLESS: &str = "__global__ void endless(unsigned long long *x) {
    unsigned long long v = threadIdx.x;
    for (unsigned long long i = 0; i < (1ull << 62); i++) v = v * 3 + i;
    x[threadIdx.x] = v;
}
";

fn folder(files: &[(&str, &str)]) -> TempDir {
    let dir = TempDir::new().expect("a temporary folder");
    for (name, text) in files {
        std::fs::write(dir.path().join(name), text).expect("a file is written");
    }
    dir
}

const CHECK: [&str; 6] = ["check", "racy.cu", "--block", "32", "--grid", "1"];

/// Lockstep without the variables that decide on colours.
fn command(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(support::binary());
    command.args(args).current_dir(dir).env("LOCKSTEP_NO_CACHE", "1").env("TERM", "xterm");
    for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(variable);
    }
    command
}

#[test]
fn colours_on_a_terminal_and_where_they_are_asked_for() {
    let dir = folder(&[("racy.cu", RACY)]);
    let rows: [(&[&str], &[(&str, &str)], bool); 6] = [
        (&[], &[], true),
        (&[], &[("TERM", "dumb")], false),
        (&[], &[("NO_COLOR", "1")], false),
        (&[], &[("CLICOLOR", "0")], false),
        (&["--color", "never"], &[("CLICOLOR_FORCE", "1")], false),
        (&["--color=always"], &[("TERM", "dumb")], true),
    ];
    for (args, variables, expected) in rows {
        let mut command = command(dir.path(), &[&CHECK, args].concat());
        command.envs(variables.iter().copied());
        let ended = Terminal::start(command, 100).end();
        assert_eq!(ended.status, Some(1), "{}", ended.all);
        let report = ended.all.split("error[data-race]").next().unwrap_or_default();
        assert!(ended.all.contains("data race on global memory"), "{}", ended.all);
        // A line of progress is erased, which is no colour.
        let coloured = report.contains("\x1b[1m") || report.contains("\x1b[1;");
        assert_eq!(coloured, expected, "{args:?} {variables:?}\n{:?}", ended.all);
    }
    let piped = |args: &[&str], variables: &[(&str, &str)]| {
        let mut command = command(dir.path(), &[&CHECK, args].concat());
        let output = command.envs(variables.iter().copied()).output().expect("lockstep starts");
        String::from_utf8_lossy(&output.stdout).contains('\x1b')
    };
    assert!(!piped(&[], &[]));
    assert!(piped(&[], &[("CLICOLOR_FORCE", "1")]));
    assert!(piped(&["--color", "always"], &[("NO_COLOR", "1")]));
    // A file is no terminal.
    assert!(!piped(&["-o", "report.txt"], &[("CLICOLOR_FORCE", "1")]));
    let report = std::fs::read_to_string(dir.path().join("report.txt")).expect("written");
    assert!(report.contains("data race") && !report.contains('\x1b'), "{report}");
}

#[test]
fn messages_are_coloured_as_reports_are() {
    let dir = folder(&[]);
    let said = |args: &[&str]| {
        let output = command(dir.path(), args).output().expect("lockstep starts");
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(said(&["check", "none.cu"]).starts_with("error: cannot read none.cu"));
    let coloured = said(&["check", "none.cu", "--color", "always"]);
    assert!(coloured.starts_with("\x1b[1;31merror:\x1b[0m cannot read none.cu"), "{coloured}");
}

#[test]
fn short_options() {
    let dir = folder(&[("racy.cu", RACY)]);
    let run = |more: &[&str]| lockstep(dir.path(), &[&CHECK, more].concat());
    let plain = run(&["--format", "concise"]);
    let short = run(&["-j", "1", "-v", "-o", "out.txt", "--format", "concise"]);
    assert_eq!((short.status, short.out.as_str()), (1, ""));
    assert!(short.err.contains("kernel racy: prove"), "{}", short.err);
    let written = std::fs::read_to_string(dir.path().join("out.txt")).expect("written");
    assert_eq!(written, plain.out);
    let both = run(&["-q", "-v"]);
    assert_eq!(both.status, 2, "{}", both.err);
    let dumped = lockstep(dir.path(), &["dump", "racy.cu", "-o", "racy.txt"]);
    assert_eq!(dumped.status, 0, "{}", dumped.err);
    assert!(dir.path().join("racy.txt").exists());
}

#[test]
fn quiet_is_findings_only() {
    // The suppression covers nothing: otherwise a warning.
    let unused = "// lockstep: allow(deadlock) because it was so once\n";
    let clean = "__global__ void clean(int *x) { x[threadIdx.x] = 1; }\n";
    let text = format!("{unused}{clean}{RACY}");
    let dir = folder(&[("racy.cu", &text), ("clean.cu", clean)]);
    let run = |file: &str, more: &[&str]| {
        lockstep(dir.path(), &[&["check", file, "--block", "32", "--grid", "1"], more].concat())
    };
    let loud = run("racy.cu", &[]);
    assert!(loud.err.contains("warning: "), "{}", loud.err);
    assert!(loud.out.contains("2 kernels: "), "{}", loud.out);
    let quiet = run("racy.cu", &["-q"]);
    assert_eq!((quiet.status, quiet.err.as_str()), (1, ""));
    assert!(quiet.out.contains("error[data-race]"), "{}", quiet.out);
    assert!(
        !quiet.out.contains("2 kernels") && !quiet.out.contains("kernel clean"),
        "{}",
        quiet.out
    );
    let nothing = run("clean.cu", &["--quiet"]);
    assert_eq!((nothing.status, nothing.out.as_str(), nothing.err.as_str()), (0, "", ""));
    let unknown = "__global__ void k(int *x) { asm(\"what.is.this;\"); x[threadIdx.x] = 1; }\n";
    std::fs::write(dir.path().join("unknown.cu"), unknown).expect("written");
    let loud = run("unknown.cu", &["--format", "concise"]);
    let quiet = run("unknown.cu", &["--format", "concise", "-q"]);
    assert!(loud.status == 3 && quiet.status == 3, "{} {}", loud.out, quiet.out);
    assert!(loud.out.contains("unknown[") && quiet.out.is_empty(), "{}{}", loud.out, quiet.out);
    // Errors are never left out.
    assert!(run("none.cu", &["-q"]).err.contains("error: cannot read none.cu"));
}

#[test]
fn exit_zero_is_for_findings_not_for_bad_input() {
    let dir = folder(&[("racy.cu", RACY), ("bad.cu", "__global__ void k() { nothing }\n")]);
    let found = lockstep(dir.path(), &[&CHECK[..], &["--exit-zero"]].concat());
    assert_eq!(found.status, 0, "{}", found.err);
    assert!(found.out.contains("error[data-race]"), "{}", found.out);
    assert_eq!(lockstep(dir.path(), &CHECK).status, 1);
    let bad = lockstep(dir.path(), &["check", "bad.cu", "--exit-zero"]);
    assert_eq!(bad.status, 2, "{}", bad.err);
}

#[test]
fn explain_lists_the_kinds() {
    let listed = lockstep(Path::new("."), &["explain"]);
    assert_eq!(listed.status, 0, "{}", listed.err);
    for kind in ["data-race", "barrier-divergence", "missing-fence", "assertion"] {
        let line = listed.out.lines().find(|l| l.starts_with(kind));
        let line = line.unwrap_or_else(|| panic!("no {kind}:\n{}", listed.out));
        assert!(line.split_whitespace().count() > 4, "{line}");
        assert_eq!(lockstep(Path::new("."), &["explain", kind]).status, 0);
    }
}

#[test]
fn an_interrupted_run_clears_its_line_and_says_what_it_knows() {
    let dir = folder(&[("a.cu", RACY), ("b.cu", ENDLESS), ("c.cu", RACY)]);
    let args = ["check", "a.cu", "b.cu", "c.cu", "--block", "32", "--grid", "1", "-j", "1"];
    // A narrow terminal: the line of progress is longer than it is wide.
    let mut terminal =
        Terminal::start(command(dir.path(), &[&args[..], &["--budget", "3600"]].concat()), 60);
    terminal.wait_for("1/3 files, ");
    terminal.wait_for("endless: search");
    terminal.type_text("\x03");
    let ended = terminal.end();
    assert_eq!(ended.status, Some(1), "an error was found before: {}", ended.screen);
    assert!(!ended.screen.contains("/3 files, "), "the line is still there:\n{}", ended.screen);
    assert!(ended.screen.contains("error[data-race]"), "{}", ended.screen);
    let message = "warning: interrupted: 1 of 3 files were not checked";
    assert!(ended.screen.contains(message), "{}", ended.screen);
    assert!(!ended.screen.contains("not usable"), "{}", ended.screen);
}

#[test]
fn a_second_interrupt_ends_at_once_and_leaves_no_line() {
    let dir = folder(&[("b.cu", ENDLESS)]);
    let args = ["check", "b.cu", "--block", "32", "--grid", "1", "--budget", "3600"];
    let mut terminal = Terminal::start(command(dir.path(), &args), 60);
    terminal.wait_for("endless: search");
    terminal.type_text("\x03\x03");
    let ended = terminal.end();
    // Either the second one came while the work was being given up, or all was said before.
    assert!(matches!(ended.status, None | Some(3)), "{:?}\n{}", ended.status, ended.screen);
    assert!(!ended.screen.contains("0/1 files, "), "{}", ended.screen);
}
