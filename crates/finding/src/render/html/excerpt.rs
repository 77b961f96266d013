//! The source around a finding's places, with each marked.

use std::ops::Range;

use maud::{Markup, html};

use super::finding::{class, number};
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

pub(super) fn panel(finding: &Finding, sources: &mut Sources) -> Markup {
    let mut files: Vec<&str> = Vec::new();
    for access in finding.accesses.iter().filter(|a| a.place.line > 0) {
        if !files.contains(&access.place.file.as_str()) {
            files.push(&access.place.file);
        }
    }
    html! {
        section .panel.wide {
            h4 { "Where" }
            @for file in files { (excerpt(finding, file, sources)) }
            @for i in 0..finding.accesses.len() { (unseen(finding, i, sources)) }
        }
    }
}

/// What the source's lines do not show of an access: that it has no line, and its callers.
fn unseen(finding: &Finding, index: usize, sources: &mut Sources) -> Markup {
    let place = &finding.accesses[index].place;
    html! {
        @if place.line == 0 {
            p {
                (number(finding, index)) (label(finding, index))
                ", at a place the compiler gave no line for"
            }
        }
        @for call in &place.inlined_at {
            p .quiet {
                (number(finding, index)) "called at "
                code { (Spot::of(call, sources)) }
            }
        }
    }
}

/// The label without its number, which has a look of its own here.
fn label(finding: &Finding, index: usize) -> String {
    let label = access_label(finding, index);
    let number = format!("({}) ", index + 1);
    label.strip_prefix(&number).map_or(label.clone(), str::to_owned)
}

fn excerpt(finding: &Finding, file: &str, sources: &mut Sources) -> Markup {
    let source = sources.text(file);
    let text_of = |line: u32| source.as_ref().and_then(|s| Some(&s[line_range(s, line)?]));
    let marks = marks(finding, file, text_of);
    let is_marked = |line: u32| marks.iter().any(|m| m.line == line);
    let mut lines = lines_to_show(&marks);
    lines.retain(|&line| text_of(line).is_some() || is_marked(line));
    html! {
        div .source {
            div .file { (file) }
            div .lines tabindex="0" {
                div {
                    @for (i, &line) in lines.iter().enumerate() {
                        @if i > 0 && line > lines[i - 1] + 1 {
                            div .gap aria-hidden="true" { "⋮" }
                        }
                        (source_line(finding, line, text_of(line).unwrap_or_default(), &marks))
                    }
                }
            }
        }
    }
}

/// The places of the accesses in this file.
fn marks<'a>(finding: &Finding, file: &str, text_of: impl Fn(u32) -> Option<&'a str>) -> Vec<Mark> {
    let places = finding.accesses.iter().map(|a| &a.place).enumerate();
    let here = places.filter(|(_, place)| place.file == file && place.line > 0);
    here.map(|(access, place)| {
        let span = text_of(place.line).map_or(0..0, |text| expression_at(text, place.column));
        Mark { access, line: place.line, span }
    })
    .collect()
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

/// A line, and below it a label for each of its marks.
fn source_line(finding: &Finding, line: u32, text: &str, marks: &[Mark]) -> Markup {
    let marks: Vec<&Mark> = marks.iter().filter(|m| m.line == line).collect();
    html! {
        div .row.hit[!marks.is_empty()] {
            span .no { (line) }
            span .text { (marked_line(text, &marks)) }
        }
        @for mark in marks {
            div .label.row.hit {
                span .no {}
                span .text {
                    span .pad { (indent(text, mark.span.start)) }
                    (number(finding, mark.access)) (label(finding, mark.access))
                }
            }
        }
    }
}

/// Blanks up to where a label stands: below its expression, with tabs kept.
fn indent(line: &str, to: usize) -> String {
    line[..to].chars().map(|c| if c == '\t' { '\t' } else { ' ' }).collect()
}

/// The line with its tokens coloured and its marks underlined.
fn marked_line(line: &str, marks: &[&Mark]) -> Markup {
    let mut ends: Vec<usize> = vec![0, line.len()];
    let tokens = tokens(line);
    ends.extend(tokens.iter().flat_map(|(r, _)| [r.start, r.end]));
    ends.extend(marks.iter().flat_map(|m| [m.span.start, m.span.end]));
    ends.sort_unstable();
    ends.dedup();
    let token_at =
        |at: usize| tokens.iter().find(|(r, _)| r.contains(&at)).map(|(_, class)| *class);
    // The smaller of two that overlap is the inner one.
    let mark_at = |at: usize| {
        marks.iter().filter(|m| m.span.contains(&at)).min_by_key(|m| m.span.end - m.span.start)
    };
    html! {
        @for piece in ends.windows(2) {
            @let text = coloured(&line[piece[0]..piece[1]], token_at(piece[0]));
            @match mark_at(piece[0]) {
                Some(m) => mark .(class(m.access)) { (text) }
                None => { (text) }
            }
        }
    }
}

fn coloured(text: &str, token: Option<char>) -> Markup {
    html! {
        @match token {
            Some(class) => span .{ "tok-" (class) } { (text) }
            None => { (text) }
        }
    }
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
        let out = marked_line(line, &[&outer, &inner]).into_string();
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
