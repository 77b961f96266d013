//! The text of source files, for renderers: read once, absent where unreadable.

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

/// Files above this size are not quoted.
const MAX_SOURCE: u64 = 64 << 20;

#[derive(Default)]
pub struct Sources {
    files: HashMap<String, Option<Rc<str>>>,
}

impl Sources {
    pub fn new() -> Sources {
        Sources::default()
    }

    /// Gives the text of a file that is not on disk (standard input). Files are called as `lockstep_names::shown` does.
    pub fn insert(&mut self, file: &str, text: &str) {
        self.files.insert(file.to_owned(), Some(text.into()));
    }

    /// The whole text, if the file can be read.
    pub fn text(&mut self, file: &str) -> Option<Rc<str>> {
        if let Some(known) = self.files.get(file) {
            return known.clone();
        }
        let text = read(file);
        self.files.insert(file.to_owned(), text.clone());
        text
    }
}

fn read(file: &str) -> Option<Rc<str>> {
    let path = lockstep_names::path(file);
    let meta = std::fs::metadata(&path).ok()?;
    if !meta.is_file() || meta.len() > MAX_SOURCE {
        return None;
    }
    let bytes = std::fs::read(path).ok()?;
    Some(String::from_utf8_lossy(&bytes).into())
}

/// The bytes of line `line` (1-based) within `text`, without its line end.
pub fn line_range(text: &str, line: u32) -> Option<Range<usize>> {
    let mut start = 0;
    for _ in 1..line.max(1) {
        start += text[start..].find('\n')? + 1;
    }
    if line == 0 || (start == text.len() && start > 0) {
        return None;
    }
    let end = text[start..].find('\n').map_or(text.len(), |n| start + n);
    Some(start..start + text[start..end].trim_end_matches('\r').len())
}

/// What to underline in `line` for a place at `column` (1-based, in bytes).
///
/// Compilers give a point. An identifier is taken with the subscripts, members
/// and calls that follow it; an assignment operator with the place it assigns
/// to, which stands to its left.
pub fn expression_at(line: &str, column: u32) -> Range<usize> {
    let bytes = line.as_bytes();
    let mut at = (column.max(1) as usize - 1).min(bytes.len());
    while !line.is_char_boundary(at) {
        at -= 1;
    }
    let Some(&first) = bytes.get(at) else {
        return at..at;
    };
    if is_word(first) {
        return at..postfix_end(bytes, at);
    }
    if !first.is_ascii() {
        return at..at + line[at..].chars().next().map_or(0, char::len_utf8);
    }
    let operator = bytes[at..].iter().take(3).take_while(|b| b"=+-*/%&|^<>!~".contains(b)).count();
    if operator == 0 {
        return at..at + 1;
    }
    let end = at + operator;
    let assigns =
        bytes[end - 1] == b'=' && !matches!(&bytes[at..end], b"==" | b"!=" | b"<=" | b">=");
    let crements = matches!(&bytes[at..end], b"++" | b"--");
    if assigns || crements && !bytes.get(end).is_some_and(|&b| is_word(b)) {
        return place_start(bytes, at)..end;
    }
    // `*p`, `++p`: with what follows.
    match bytes.get(end) {
        Some(&b) if is_word(b) => at..postfix_end(bytes, end),
        _ => at..end,
    }
}

fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_'
}

/// Where `a.b[c](d)` ends that starts at `at`.
fn postfix_end(bytes: &[u8], at: usize) -> usize {
    let word_end = |from: usize| from + bytes[from..].iter().take_while(|&&b| is_word(b)).count();
    let mut end = word_end(at);
    loop {
        let next = match bytes.get(end) {
            Some(b'[' | b'(') => closing(bytes, end).map(|c| c + 1),
            Some(b'.') => Some(word_end(end + 1)),
            Some(b'-') if bytes.get(end + 1) == Some(&b'>') => Some(word_end(end + 2)),
            _ => None,
        };
        match next {
            Some(n) => end = n,
            None => return end,
        }
    }
}

fn closing(bytes: &[u8], open: usize) -> Option<usize> {
    let mut depth = 0;
    for (i, b) in bytes.iter().enumerate().skip(open) {
        match b {
            b'[' | b'(' => depth += 1,
            b']' | b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(i);
        }
    }
    None
}

/// Where the place that ends before an operator at `at` starts.
fn place_start(bytes: &[u8], at: usize) -> usize {
    let mut start = at;
    while start > 0 && bytes[start - 1] == b' ' {
        start -= 1;
    }
    let mut depth = 0;
    while start > 0 {
        let b = bytes[start - 1];
        match b {
            b']' | b')' => depth += 1,
            b'[' | b'(' if depth == 0 => break,
            b'[' | b'(' => depth -= 1,
            _ if depth > 0 => {}
            b'.' => {}
            b'>' if start > 1 && bytes[start - 2] == b'-' => start -= 1,
            b'*' => {
                start -= 1;
                break;
            }
            _ if is_word(b) => {}
            _ => break,
        }
        start -= 1;
    }
    if start >= at || depth > 0 { at } else { start }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_files_and_directories_are_absent() {
        let mut sources = Sources::new();
        assert!(sources.text("/no/such/file.cu").is_none());
        assert!(sources.text("/").is_none());
        sources.insert("-", "a\nb\n");
        assert_eq!(sources.text("-").as_deref(), Some("a\nb\n"));
    }

    #[test]
    fn lines() {
        let text = "one\r\ntwo\n\nfour";
        let line = |n| line_range(text, n).map(|r| &text[r]);
        assert_eq!(line(1), Some("one"));
        assert_eq!(line(2), Some("two"));
        assert_eq!(line(3), Some(""));
        assert_eq!(line(4), Some("four"));
        assert_eq!(line(5), None);
        assert_eq!(line(0), None);
        assert_eq!(line_range("a\n", 2), None);
    }

    #[test]
    fn expressions() {
        let at = |line: &'static str, needle: &str| {
            let column = line.find(needle).unwrap() as u32 + 1;
            &line[expression_at(line, column)]
        };
        assert_eq!(at("  s[tid] += s[tid + n];", "s[tid + n"), "s[tid + n]");
        assert_eq!(at("  s[tid] += s[tid + n];", "+="), "s[tid] +=");
        assert_eq!(at("  if (x) *p = 3;", "= 3"), "*p =");
        assert_eq!(at("  a->b.c[i] = 3;", "= 3"), "a->b.c[i] =");
        assert_eq!(at("  __syncthreads();", "__sync"), "__syncthreads()");
        assert_eq!(at("  x = a[b[i]] + c;", "a[b"), "a[b[i]]");
        assert_eq!(at("  x = *p + 1;", "*p"), "*p");
        assert_eq!(at("  count++;", "++"), "count++");
        assert_eq!(at("  f(a[i", "a[i"), "a");
        assert_eq!(at("  s[ (x = 3)", "= 3"), "x =");
        assert_eq!(&"ab"[expression_at("ab", 99)], "");
        assert_eq!(&"é = 1"[expression_at("é = 1", 2)], "é");
    }
}
