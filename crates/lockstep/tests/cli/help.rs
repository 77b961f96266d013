//! `--help`, manual pages and completion scripts: every example works, no option is forgotten.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use serde_json::json;
use tempfile::TempDir;

use crate::support::{in_parallel, indented, lockstep, shell};

/// The commands that `lockstep help` lists.
fn commands() -> Vec<String> {
    let help = help_of(&["--help"]);
    let list = help.split("Commands:\n").nth(1).expect("a list of commands");
    // A description that does not fit on its line goes on in the next, further to the right.
    let is_command = |l: &&str| l.starts_with("  ") && !l.starts_with("   ");
    let names = list.lines().take_while(|l| !l.is_empty()).filter(is_command);
    let names: Vec<String> =
        names.filter_map(|l| l.split_whitespace().next()).map(str::to_owned).collect();
    assert!(names.iter().any(|n| n == "check"), "{names:?}");
    names.into_iter().filter(|n| n != "help").collect()
}

fn help_of(args: &[&str]) -> String {
    let ended = lockstep(Path::new("."), args);
    assert_eq!(ended.status, 0, "{args:?}\n{}", ended.err);
    ended.out
}

/// Long options in a text.
fn options(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for rest in text.split("--").skip(1) {
        let word: String =
            rest.chars().take_while(|c| c.is_ascii_lowercase() || *c == '-').collect();
        if !word.is_empty() && !word.starts_with('-') {
            found.insert(word);
        }
    }
    found
}

/// The options that a command's help defines, each at the start of a line.
fn defined_options(command: &str) -> BTreeSet<String> {
    let help = help_of(&[command, "--help"]);
    // `-j, --jobs <N>` defines a long option, too.
    let defining = help.lines().map(str::trim_start).map(|l| match l.split_once(", ") {
        Some((short, rest)) if short.len() == 2 && short.starts_with('-') => rest,
        _ => l,
    });
    let firsts = defining.filter(|l| l.starts_with("--")).filter_map(|l| l.split(' ').next());
    firsts.flat_map(options).collect()
}

/// A folder with the files that the examples name.
fn place() -> TempDir {
    let dir = TempDir::new().expect("a temporary folder");
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/help");
    for entry in std::fs::read_dir(samples).expect("the samples") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name");
        std::fs::copy(&path, dir.path().join(name)).expect("a sample is copied");
    }
    project(dir.path());
    // The examples call a race's witness by name.
    let made = lockstep(dir.path(), &["check", "reduce.cu", "--witness-dir", "witnesses"]);
    assert_eq!(made.status, 1, "{}{}", made.out, made.err);
    // And a program.
    let made = lockstep(dir.path(), &["nvcc", "squares.cu", "-o", "squares"]);
    assert_eq!(made.status, 0, "{}{}", made.out, made.err);
    // And a log of proofs.
    let made = lockstep(
        dir.path(),
        &["prove", "src/twice.cu", "--only", "data-race", "--proof-log", "proofs"],
    );
    assert_eq!(made.status, 0, "{}{}", made.out, made.err);
    dir
}

/// A source tree under git, how it is built, and a baseline with nothing in it.
fn project(dir: &Path) {
    let write = |name: &str, text: &str| {
        let path = dir.join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder is made");
        std::fs::write(path, text).expect("a file is written");
    };
    write("src/twice.cu", "__global__ void twice(int *a) { a[threadIdx.x] *= 2; }\n");
    write("lockstep-baseline.json", "{\"schema\": 1, \"findings\": []}\n");
    let command = json!([{
        "directory": dir,
        "file": "src/twice.cu",
        "command": "nvcc -arch=sm_80 -c src/twice.cu -o twice.o",
    }]);
    write("build/compile_commands.json", &command.to_string());
    let script = "git init -q && git add src && git -c user.name=a -c user.email=a@b commit -qm a \
                  && git update-ref refs/remotes/origin/main HEAD";
    let made = shell(dir, script, 0);
    assert_eq!(made.status, 0, "{}", made.out);
}

/// The commands after "Examples:", without `lockstep`. One that was too long for a line goes on in the next.
fn examples_in(help: &str) -> Vec<String> {
    let mut examples: Vec<String> = Vec::new();
    let Some((_, rest)) = help.split_once("Example") else { return examples };
    for line in rest.lines().skip(1).take_while(|l| !l.is_empty()) {
        match (line.trim_start().strip_prefix("lockstep "), examples.last_mut()) {
            (Some(example), _) => examples.push(example.to_owned()),
            (None, Some(example)) => *example += &format!(" {}", line.trim()),
            (None, None) => panic!("no example: {line}"),
        }
    }
    examples
}

#[test]
fn every_example_works() {
    let mut examples = Vec::new();
    for command in commands() {
        let help = help_of(&[&command, "--help"]);
        let own = examples_in(&help);
        let right = own.iter().any(|e| e.split(' ').next() == Some(&command));
        assert!(right, "'lockstep {command} --help' has no example");
        examples.extend(own);
    }
    let place = place();
    let failures = in_parallel(&examples, Clone::clone, |example| {
        let ended = shell(place.path(), &format!("lockstep {example}"), 0);
        match ended.status {
            0 | 1 | 3 => Ok(()),
            status => Err(format!("  ends with status {status}\n{}", indented(&ended.out))),
        }
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn the_manual_has_every_command_and_option() {
    let dir = TempDir::new().expect("a temporary folder");
    let ended = lockstep(dir.path(), &["man", "pages"]);
    assert_eq!(ended.status, 0, "{}", ended.err);
    let page = |name: String| {
        let text = std::fs::read_to_string(dir.path().join("pages").join(&name));
        text.unwrap_or_else(|e| panic!("{name}: {e}")).replace("\\-", "-")
    };
    let main = page("lockstep.1".into());
    for command in commands() {
        assert!(main.contains(&format!("lockstep-{command}(1)")), "{command} is not in lockstep.1");
        let own = page(format!("lockstep-{command}.1"));
        let missing: Vec<String> =
            defined_options(&command).difference(&options(&own)).cloned().collect();
        assert!(missing.is_empty(), "lockstep-{command}.1 lacks {missing:?}");
    }
    assert!(defined_options("check").len() > 15, "the options of check are read from its help");
}

#[test]
fn completions_offer_every_command_and_option() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = help_of(&["completions", shell]);
        for command in commands() {
            assert!(script.contains(&command), "{shell}: no {command}");
            // fish writes `-l option`.
            for option in defined_options(&command) {
                let there = script.contains(&format!("--{option}"))
                    || script.contains(&format!("-l {option}"));
                assert!(there, "{shell}: {command} lacks --{option}");
            }
        }
        // The other two complete no values.
        let values = matches!(shell, "bash" | "zsh" | "fish");
        assert!(!values || script.contains("barrier-divergence"), "{shell}: no kinds of finding");
    }
    let refused = lockstep(Path::new("."), &["completions", "tcsh"]);
    assert_eq!(refused.status, 2);
}

#[test]
fn bash_can_read_its_script() {
    let dir = TempDir::new().expect("a temporary folder");
    let file = dir.path().join("lockstep.bash");
    std::fs::write(&file, help_of(&["completions", "bash"])).expect("the script is written");
    let read = Command::new("bash").arg("-n").arg(&file).status();
    assert!(read.is_ok_and(|status| status.success()), "bash refuses the script");
}
