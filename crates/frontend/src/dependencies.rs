//! Which files clang has read: the rule for `make` that it writes on request.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::{env, fs, process};

use lockstep_cancel::Cancel;

use crate::Error;
use crate::clang::{self, Compiled, Source};

/// Runs clang, and asks it what it read. Where that cannot be told, the list is empty.
pub(crate) fn run(
    mut command: Command,
    source: &Source,
    cancel: &Cancel,
) -> Result<Compiled, Error> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let rule = env::temp_dir().join(format!("lockstep-{}-{number}.d", process::id()));
    command.args(["-MD", "-MT", "x", "-MF"]).arg(&rule);
    let result = clang::run(command, source, cancel);
    let text = fs::read(&rule);
    let _ = fs::remove_file(&rule);
    let mut compiled = result?;
    compiled.files = text.map_or(Vec::new(), |t| prerequisites(&String::from_utf8_lossy(&t)));
    Ok(compiled)
}

/// `a.cu`, `b c.h` of `x: a.cu \⏎ b\ c.h`.
fn prerequisites(rule: &str) -> Vec<PathBuf> {
    let Some(list) = rule.strip_prefix("x:") else { return Vec::new() };
    let list = list.replace("\\\n", " ");
    let (mut out, mut word) = (Vec::new(), String::new());
    let mut chars = list.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('\\', Some(' ' | '#')) | ('$', Some('$')) => word.extend(chars.next()),
            (c, _) if c.is_whitespace() => out.push(std::mem::take(&mut word)),
            _ => word.push(c),
        }
    }
    out.push(word);
    // Standard input is no file.
    out.retain(|w| !w.is_empty() && w != "-" && w != "<stdin>");
    out.iter().map(|w| Path::new(w).to_path_buf()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_rule() {
        let rule = "x: a.cu \\\n  inc/b\\ c.h \\\n  d$$e.h f\\#g.h\n";
        let files = ["a.cu", "inc/b c.h", "d$e.h", "f#g.h"].map(PathBuf::from);
        assert_eq!(prerequisites(rule), files);
        assert_eq!(prerequisites(""), [] as [PathBuf; 0]);
    }
}
