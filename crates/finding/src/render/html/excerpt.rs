//! The source around a finding's places, with each marked.

use std::fmt::Write;
use std::ops::Range;

use super::escaped;
use super::finding::{class, mark};
use crate::render::access_label;
use crate::source::{Sources, expression_at, line_range};
use crate::{Finding, Spot};

/// Lines before and after a place.
const AROUND: u32 = 5;

/// What is marked in one line.
struct Mark {
    access: usize,
    line: u32,
    /// Bytes of the line.
    span: Range<usize>,
}

pub(super) fn panel(out: &mut String, finding: &Finding, sources: &mut Sources) {
    out.push_str("<section class=\"panel wide\"><h4>Where</h4>\n");
    let mut files: Vec<String> = Vec::new();
    for access in finding.accesses.iter().filter(|a| a.place.line > 0) {
        if !files.contains(&access.place.file) {
            files.push(access.place.file.clone());
        }
    }
    for file in &files {
        excerpt(out, finding, file, sources);
    }
    for (i, access) in finding.accesses.iter().enumerate() {
        if access.place.line == 0 {
            let _ = write!(
                out,
                "<p>{}{}, at a place the compiler gave no line for</p>",
                number(finding, i),
                escaped(&label(finding, i))
            );
        }
        for call in &access.place.inlined_at {
            let _ = write!(
                out,
                "<p class=\"quiet\">{}called at <code>{}</code></p>",
                number(finding, i),
                escaped(&Spot::of(call, sources).to_string())
            );
        }
    }
    out.push_str("</section>\n");
}

fn number(finding: &Finding, index: usize) -> String {
    if finding.accesses.len() > 1 { mark(index) } else { String::new() }
}

/// The label without its number, which has a look of its own here.
fn label(finding: &Finding, index: usize) -> String {
    let label = access_label(finding, index);
    let number = format!("({}) ", index + 1);
    label.strip_prefix(&number).map_or(label.clone(), str::to_owned)
}

fn excerpt(out: &mut String, finding: &Finding, file: &str, sources: &mut Sources) {
    let of_file = |i: &usize| {
        let place = &finding.accesses[*i].place;
        place.file == file && place.line > 0
    };
    let here: Vec<usize> = (0..finding.accesses.len()).filter(of_file).collect();
    let _ = writeln!(
        out,
        "<div class=\"source\"><div class=\"file\">{}</div><div class=\"lines\" tabindex=\"0\"><div>",
        escaped(file)
    );
    let text = sources.text(file);
    let mut marks = Vec::new();
    for &i in &here {
        let place = &finding.accesses[i].place;
        let line = text.as_ref().and_then(|t| Some(&t[line_range(t, place.line)?]));
        let span = line.map_or(0..0, |l| expression_at(l, place.column));
        marks.push(Mark { access: i, line: place.line, span });
    }
    let mut shown = 0;
    for line in lines_to_show(&marks) {
        let known = text.as_ref().and_then(|t| Some(&t[line_range(t, line)?]));
        let hit = marks.iter().any(|m| m.line == line);
        if known.is_none() && !hit {
            continue;
        }
        if shown != 0 && line > shown + 1 {
            out.push_str("<div class=\"gap\" aria-hidden=\"true\">⋮</div>\n");
        }
        shown = line;
        let known = known.unwrap_or_default();
        let mine: Vec<&Mark> = marks.iter().filter(|m| m.line == line).collect();
        let _ = writeln!(
            out,
            "<div class=\"row{}\"><span class=\"no\">{line}</span><span class=\"text\">{}</span></div>",
            if hit { " hit" } else { "" },
            marked_line(known, &mine)
        );
        for m in mine {
            let _ = writeln!(
                out,
                "<div class=\"label row hit\"><span class=\"no\"></span><span class=\"text\"><span class=\"pad\">{}</span>{}{}</span></div>",
                indent(known, m.span.start),
                number(finding, m.access),
                escaped(&label(finding, m.access))
            );
        }
    }
    out.push_str("</div></div></div>\n");
}

fn lines_to_show(marks: &[Mark]) -> Vec<u32> {
    let mut lines: Vec<u32> = marks
        .iter()
        .flat_map(|m| m.line.saturating_sub(AROUND).max(1)..=m.line.saturating_add(AROUND))
        .collect();
    lines.sort_unstable();
    lines.dedup();
    lines
}

/// Blanks up to where a label stands: below its expression, with tabs kept.
fn indent(line: &str, to: usize) -> String {
    line[..to].chars().map(|c| if c == '\t' { '\t' } else { ' ' }).collect()
}

/// The line with its tokens coloured and its marks underlined.
fn marked_line(line: &str, marks: &[&Mark]) -> String {
    let mut out = String::new();
    let mut ends: Vec<usize> = vec![0, line.len()];
    let tokens = tokens(line);
    ends.extend(tokens.iter().flat_map(|(r, _)| [r.start, r.end]));
    ends.extend(marks.iter().flat_map(|m| [m.span.start, m.span.end]));
    ends.sort_unstable();
    ends.dedup();
    for pair in ends.windows(2) {
        let text = escaped(&line[pair[0]..pair[1]]);
        let token = tokens.iter().find(|(r, _)| r.contains(&pair[0]));
        let text = match token {
            Some((_, class)) => format!("<span class=\"tok-{class}\">{text}</span>"),
            None => text,
        };
        // The smaller of two that overlap is the inner one.
        let mark = marks
            .iter()
            .filter(|m| m.span.contains(&pair[0]))
            .min_by_key(|m| m.span.end - m.span.start);
        match mark {
            Some(m) => {
                let _ = write!(out, "<mark class=\"{}\">{text}</mark>", class(m.access));
            }
            None => out.push_str(&text),
        }
    }
    out
}

const KEYWORDS: &[&str] = &[
    "__device__",
    "__global",
    "__global__",
    "__kernel",
    "__local",
    "__restrict__",
    "__shared__",
    "auto",
    "bool",
    "break",
    "case",
    "char",
    "const",
    "constexpr",
    "continue",
    "do",
    "double",
    "else",
    "extern",
    "float",
    "for",
    "global",
    "half",
    "if",
    "inline",
    "int",
    "kernel",
    "local",
    "long",
    "return",
    "short",
    "signed",
    "size_t",
    "sizeof",
    "static",
    "struct",
    "switch",
    "template",
    "typename",
    "uint",
    "unsigned",
    "void",
    "volatile",
    "while",
];

/// Comments `c`, strings `s`, keywords `k` and numbers `n` of one line. A comment that
/// began on an earlier line is not seen.
fn tokens(line: &str) -> Vec<(Range<usize>, char)> {
    let bytes = line.as_bytes();
    let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    let mut out = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &line[at..];
        let (len, class) = if rest.starts_with("//") {
            (rest.len(), 'c')
        } else if let Some(comment) = rest.strip_prefix("/*") {
            (comment.find("*/").map_or(rest.len(), |n| n + 4), 'c')
        } else if bytes[at] == b'"' {
            (string_length(rest), 's')
        } else if is_word(bytes[at]) {
            let len = rest.bytes().take_while(|&b| is_word(b) || b == b'.').count();
            let word = rest[..len].split('.').next().unwrap_or_default();
            match bytes[at].is_ascii_digit() {
                true => (len, 'n'),
                false => (word.len(), if KEYWORDS.contains(&word) { 'k' } else { ' ' }),
            }
        } else {
            (rest.chars().next().map_or(1, char::len_utf8), ' ')
        };
        if class != ' ' {
            out.push((at..at + len, class));
        }
        at += len;
    }
    out
}

fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (i, b) in text.bytes().enumerate().skip(1) {
        match b {
            b'"' if !escaped => return i + 1,
            b'\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_within_marks() {
        let line = "x = s[s[0]];";
        let outer = Mark { access: 0, line: 1, span: 4..11 };
        let inner = Mark { access: 1, line: 1, span: 6..10 };
        let out = marked_line(line, &[&outer, &inner]);
        assert!(
            out.starts_with("x = <mark class=\"one\">s[</mark><mark class=\"two\">s[</mark>"),
            "{out}"
        );
        assert!(out.ends_with("<mark class=\"one\">]</mark>;"), "{out}");
    }

    #[test]
    fn tokens_of_a_line() {
        let line = "int a = b.x + 1.5f; /* é */ f(\"\\\"//\"); // end";
        let found: Vec<(&str, char)> =
            tokens(line).into_iter().map(|(r, c)| (&line[r], c)).collect();
        assert_eq!(
            found,
            [("int", 'k'), ("1.5f", 'n'), ("/* é */", 'c'), ("\"\\\"//\"", 's'), ("// end", 'c')]
        );
    }
}
