//! The files that clang has read, from the rule for `make` that it writes on request.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use std::process::Command;
use std::{fs, mem};

use lockstep_cancel::Cancel;

use crate::Error;
use crate::clang::temporary::Temporary;
use crate::clang::{self, Compiled, Source};

/// Runs clang, and lets it report the files that it read. If they are not known, the list is empty.
pub(crate) fn run(
    mut command: Command,
    source: &Source,
    cancel: &Cancel,
) -> Result<Compiled, Error> {
    let rule = Temporary::new("d", b"")?;
    command.args(["-MD", "-MT", "x", "-MF"]).arg(rule.path());
    let mut compiled = clang::run(command, source, cancel)?;
    let input = source.path.as_ref().map(|p| p.as_os_str().as_bytes());
    compiled.files = fs::read(rule.path()).map_or(Vec::new(), |t| prerequisites(&t, input));
    Ok(compiled)
}

/// `a.cu`, `b c.h` of `x: a.cu \⏎ b\ c.h`. clang writes line breaks in a name unescaped: only those in the input's
/// name, which is known, can be distinguished from the end of a word.
fn prerequisites(rule: &[u8], input: Option<&[u8]>) -> Vec<PathBuf> {
    let Some(mut rest) = rule.strip_prefix(b"x:") else { return Vec::new() };
    let (mut out, mut word) = (Vec::new(), Vec::new());
    while let Some((&first, after)) = rest.split_first() {
        if word.is_empty()
            && let Some(name) = input.filter(|i| i.contains(&b'\n'))
            && let Some(after) = rest.strip_prefix(&as_written(name)[..])
        {
            out.push(name.to_vec());
            rest = after;
            continue;
        }
        rest = after;
        match (first, after.first()) {
            (b'\\', Some(b'\n')) => {
                out.push(mem::take(&mut word));
                rest = &after[1..];
            }
            (b'\\', Some(&c @ (b' ' | b'#'))) | (b'$', Some(&c @ b'$')) => {
                word.push(c);
                rest = &after[1..];
            }
            (c, _) if c.is_ascii_whitespace() => out.push(mem::take(&mut word)),
            (c, _) => word.push(c),
        }
    }
    out.push(word);
    // Standard input is not a file.
    out.retain(|w| !w.is_empty() && w != b"-" && w != b"<stdin>");
    out.into_iter().map(|w| OsString::from_vec(w).into()).collect()
}

/// A name as clang escapes it in a rule.
fn as_written(name: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for &byte in name {
        match byte {
            b' ' | b'#' => out.extend([b'\\', byte]),
            b'$' => out.extend(b"$$"),
            _ => out.push(byte),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;

    #[test]
    fn words_of_a_rule() {
        let rule = b"x: a.cu \\\n  inc/b\\ c.h \\\n  d$$e.h f\\#g.h\n";
        let files = ["a.cu", "inc/b c.h", "d$e.h", "f#g.h"].map(PathBuf::from);
        assert_eq!(prerequisites(rule, Some(b"a.cu")), files);
        assert_eq!(prerequisites(b"", None), [] as [PathBuf; 0]);
    }

    #[test]
    fn names_that_are_not_text() {
        let rule = b"x: a\n$$b.cu \\\n  \xff.h\n";
        let files = [&b"a\n$b.cu"[..], b"\xff.h"].map(|n| PathBuf::from(OsStr::from_bytes(n)));
        assert_eq!(prerequisites(rule, Some(b"a\n$b.cu")), files);
    }
}
