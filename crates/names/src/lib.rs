//! The name of a file as text, and back.
//!
//! A file name on Unix is any sequence of bytes without `/` and zero: it may hold line breaks, escape sequences of a
//! terminal, and bytes that are not UTF-8. Reports, messages and JSON are UTF-8 text, and most of them have one finding per
//! line. So every name that is shown is written with escapes:
//!
//! | in the name | as text |
//! |---|---|
//! | a backslash | `\\` |
//! | line feed, carriage return, tab | `\n`, `\r`, `\t` |
//! | another control character, a line separator, a mark that changes the direction of text | `\u{1b}` |
//! | a byte that is not part of UTF-8 | `\xff` |
//!
//! All other characters stand for themselves. Two names never have the same text, and [`path`] gives the name back.

use std::ffi::{OsStr, OsString};
use std::fmt::Write;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// The name as it is shown.
pub fn shown(path: &Path) -> String {
    escaped(path.as_os_str().as_bytes(), |c| c == '\\' || is_unsafe(c))
}

/// The path whose name is shown so. What is no escape stands for itself.
pub fn path(shown: &str) -> PathBuf {
    let (mut out, mut rest) = (Vec::with_capacity(shown.len()), shown);
    while let Some(at) = rest.find('\\') {
        out.extend_from_slice(&rest.as_bytes()[..at]);
        rest = &rest[at..];
        let length = match unescaped(rest) {
            Some((bytes, length)) => {
                out.extend(bytes);
                length
            }
            None => {
                out.push(b'\\');
                1
            }
        };
        rest = &rest[length..];
    }
    out.extend_from_slice(rest.as_bytes());
    PathBuf::from(OsString::from_vec(out))
}

/// What another program wrote, as text of several lines: the names in it are shown as [`shown`] does, where they hold
/// line breaks; other bytes that are not UTF-8, and control characters, are escaped; backslashes stay.
pub fn message<'a>(text: &[u8], names: impl IntoIterator<Item = &'a OsStr>) -> String {
    let mut text = text.to_vec();
    let mut names: Vec<&OsStr> =
        names.into_iter().filter(|n| n.as_bytes().contains(&b'\n')).collect();
    // A file before the folder that it is in.
    names.sort_by_key(|n| std::cmp::Reverse(n.len()));
    for name in names {
        text = replaced(&text, name.as_bytes(), shown(Path::new(name)).as_bytes());
    }
    escaped(&text, |c| is_unsafe(c) && !matches!(c, '\n' | '\t'))
}

/// A word as a shell takes it: as it is, in quotes, or with bash's escapes where it holds what cannot be shown.
pub fn shell_quoted(word: &OsStr) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_=.,:+-@/".contains(c);
    match word.to_str() {
        Some(text) if !text.is_empty() && text.chars().all(plain) => text.to_owned(),
        Some(text) if !text.chars().any(is_unsafe) => {
            format!("'{}'", text.replace('\'', "'\\''"))
        }
        _ => {
            let mut out = String::from("$'");
            for chunk in word.as_bytes().utf8_chunks() {
                for c in chunk.valid().chars() {
                    match c {
                        '\'' | '\\' => out.extend(['\\', c]),
                        c if is_unsafe(c) => {
                            c.encode_utf8(&mut [0; 4]).bytes().for_each(|b| octal(&mut out, b));
                        }
                        c => out.push(c),
                    }
                }
                chunk.invalid().iter().for_each(|&b| octal(&mut out, b));
            }
            out + "'"
        }
    }
}

fn octal(out: &mut String, byte: u8) {
    let _ = write!(out, "\\{byte:03o}");
}

/// Whether a character can break a line, or change how the rest of it looks.
fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{200e}' | '\u{200f}' | '\u{061c}')
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn escaped(bytes: &[u8], is_escaped: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                c if !is_escaped(c) => out.push(c),
                '\\' => out.push_str("\\\\"),
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                c => {
                    let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
                }
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
    out
}

/// The bytes that the escape at the start of the text stands for, and its length.
fn unescaped(text: &str) -> Option<(Vec<u8>, usize)> {
    let one = |byte: u8| Some((vec![byte], 2));
    match text.as_bytes().get(1)? {
        b'\\' => one(b'\\'),
        b'n' => one(b'\n'),
        b'r' => one(b'\r'),
        b't' => one(b'\t'),
        b'x' => {
            let digits = text.get(2..4)?;
            Some((vec![u8::from_str_radix(digits, 16).ok()?], 4))
        }
        b'u' => {
            let (digits, _) = text.strip_prefix("\\u{")?.split_once('}')?;
            let c = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
            Some((c.to_string().into_bytes(), digits.len() + 4))
        }
        _ => None,
    }
}

fn replaced(text: &[u8], what: &[u8], by: &[u8]) -> Vec<u8> {
    let (mut out, mut at) = (Vec::with_capacity(text.len()), 0);
    while at < text.len() {
        if !what.is_empty() && text[at..].starts_with(what) {
            out.extend_from_slice(by);
            at += what.len();
        } else {
            out.push(text[at]);
            at += 1;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn os(bytes: &[u8]) -> &OsStr {
        OsStr::from_bytes(bytes)
    }

    /// Names, their text, and the words of a shell.
    const NAMES: [(&[u8], &str, &str); 9] = [
        (b"a/b.cu", "a/b.cu", "a/b.cu"),
        ("ä b.cu".as_bytes(), "ä b.cu", "'ä b.cu'"),
        (b"a\xffb.cu", "a\\xffb.cu", "$'a\\377b.cu'"),
        (b"a\\xffb.cu", "a\\\\xffb.cu", "'a\\xffb.cu'"),
        (b"a\nb.cu", "a\\nb.cu", "$'a\\012b.cu'"),
        (b"a\r\t\x1b[31m.cu", "a\\r\\t\\u{1b}[31m.cu", "$'a\\015\\011\\033[31m.cu'"),
        ("\u{202e}uc.a'".as_bytes(), "\\u{202e}uc.a'", "$'\\342\\200\\256uc.a\\''"),
        (b"\xc3\x28\xe2\x82", "\\xc3(\\xe2\\x82", "$'\\303(\\342\\202'"),
        (b"\\", "\\\\", "'\\'"),
    ];

    #[test]
    fn names_and_their_text() {
        for (name, text, word) in NAMES {
            assert_eq!(shown(Path::new(os(name))), text);
            assert_eq!(path(text), Path::new(os(name)), "{text}");
            assert_eq!(shell_quoted(os(name)), word);
        }
    }

    #[test]
    fn every_name_comes_back() {
        // All pairs of bytes around a separator, and all that could be taken for the rest of an escape.
        for tail in ["", "n", "xff", "u{7f}", "\\"] {
            for (a, b) in (1..=255u8).flat_map(|a| (1..=255u8).map(move |b| (a, b))) {
                let name = [&[a, b], tail.as_bytes()].concat();
                let text = shown(Path::new(os(&name)));
                assert!(!text.chars().any(is_unsafe), "{text:?}");
                assert_eq!(path(&text), Path::new(os(&name)), "{text:?}");
            }
        }
    }

    #[test]
    fn what_is_no_escape_stands_for_itself() {
        for text in ["\\q", "a\\", "\\x", "\\xg0", "\\u{110000}", "\\u{61", "\\u61}", "\\xé"] {
            assert_eq!(path(text), Path::new(text));
        }
    }

    #[test]
    fn a_name_in_a_message_cannot_pose_as_a_line() {
        let name = os(b"x\n::error::y.cu");
        let text = b"x\n::error::y.cu:1:2: error: no \xff\x1b\\n\n  1 |\tx\n";
        let expected = "x\\n::error::y.cu:1:2: error: no \\xff\\u{1b}\\n\n  1 |\tx\n";
        assert_eq!(message(text, [name, os(b"other")]), expected);
    }

    #[test]
    fn words_mean_the_same_to_bash() {
        for (name, _, word) in NAMES {
            let script = format!("printf %s {word}");
            let output = std::process::Command::new("bash").arg("-c").arg(script).output();
            assert_eq!(output.expect("bash runs").stdout, name, "{word}");
        }
    }
}
