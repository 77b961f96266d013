//! The declarations of a source file, as far as they can be told without a compiler.
//!
//! Only what the preprocessor keeps is looked at. Braces are those of a namespace, a class, a function or an
//! initialiser; what is in doubt (macros that open or close braces) is one declaration that ends with its brackets. A
//! wrong outline is harmless: what it has left out is compiled again, and anything that then does not compile is left
//! out, too, or ends the compilation with the first messages.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::ops::Range;

/// What a declaration is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A function with a body.
    Function,
    /// A class, structure or union with its members.
    Class,
    /// A namespace, or a block of linkage.
    Namespace,
    /// Anything else: variables, types, functions without a body.
    Other,
}

/// A declaration, with its place in the bytes of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) kind: Kind,
    pub(super) name: String,
    /// From its first word to its closing brace or semicolon.
    pub(super) whole: Range<usize>,
    /// Of a function: from the initialisers of a constructor, or the opening brace, to the closing brace.
    pub(super) body: Range<usize>,
    /// Its opening brace.
    pub(super) open: usize,
    pub(super) is_kernel: bool,
    pub(super) is_device: bool,
    /// Position of the enclosing class or namespace.
    pub(super) parent: Option<usize>,
}

/// A word, or one character of anything else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Token<'a> {
    text: &'a str,
    at: usize,
}

/// The outline of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct Outline {
    /// Those that enclose others come first.
    pub(super) items: Vec<Item>,
    /// Their words, once they were asked for.
    words: Vec<OnceCell<BTreeSet<String>>>,
    /// The text without comments, literals, directives, and what is not compiled.
    code: String,
}

impl Outline {
    /// Of a file with this text, of which these lines are compiled.
    pub(super) fn new(text: &str, kept: &BTreeSet<u32>) -> Outline {
        let code = code_of(text, kept);
        let tokens = tokens(&code);
        let mut reader = Reader { tokens: &tokens, items: Vec::new() };
        reader.scope(0, None, false);
        let words = vec![OnceCell::new(); reader.items.len()];
        Outline { items: reader.items, words, code }
    }

    /// The words of a declaration.
    pub(super) fn words_of(&self, item: usize) -> &BTreeSet<String> {
        self.words[item].get_or_init(|| {
            let words = self.words(self.items[item].whole.clone());
            words.into_iter().map(str::to_owned).collect()
        })
    }

    /// The innermost declaration at a place, and the ones that enclose it.
    pub(super) fn around(&self, at: usize) -> Vec<&Item> {
        let last = self.items.iter().rposition(|i| i.whole.contains(&at));
        let parent = |i: &usize| self.items[*i].parent;
        std::iter::successors(last, parent).map(|i| &self.items[i]).collect()
    }

    /// The words of a part of the code.
    pub(super) fn words(&self, range: Range<usize>) -> BTreeSet<&str> {
        let tokens = tokens(self.code.get(range).unwrap_or_default());
        tokens.into_iter().map(|t| t.text).filter(|t| is_word(t)).collect()
    }

    /// The statement at a place in a function's body: the innermost that is not itself a block.
    pub(super) fn statement(&self, function: &Item, at: usize) -> Option<Range<usize>> {
        let tokens = tokens(self.code.get(..function.body.end)?);
        let mut i = tokens.iter().position(|t| t.at == function.open)? + 1;
        let mut start = i;
        while i < tokens.len() {
            let end = match tokens[i].text {
                "(" | "[" => {
                    i = closing(&tokens, i)? + 1;
                    continue;
                }
                ";" => i,
                "}" => return None,
                "{" => {
                    let close = closing(&tokens, i)?;
                    let is_block = i == start
                        || matches!(tokens[i - 1].text, ")" | "else" | "do" | "try" | ":");
                    if !is_block {
                        i = close + 1;
                        continue;
                    }
                    if (tokens[i].at + 1..tokens[close].at).contains(&at) {
                        (i, start) = (i + 1, i + 1);
                        continue;
                    }
                    // What follows belongs to a statement that is left out.
                    let is_here = (tokens[start].at..tokens[i].at).contains(&at);
                    match tokens.get(close + 1).map(|t| t.text) {
                        Some("else" | "while" | "catch") if is_here => {
                            i = close + 1;
                            continue;
                        }
                        _ => close,
                    }
                }
                _ => {
                    i += 1;
                    continue;
                }
            };
            let range = tokens.get(start)?.at..tokens[end].at + 1;
            if range.contains(&at) {
                return Some(range);
            }
            (i, start) = (end + 1, end + 1);
        }
        None
    }
}

fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// The text with spaces for comments, literals, directives and lines that are not compiled.
fn code_of(text: &str, kept: &BTreeSet<u32>) -> String {
    let mut out = text.as_bytes().to_vec();
    let bytes = text.as_bytes();
    let (mut i, mut fresh) = (0, true);
    let blank = |out: &mut Vec<u8>, range: Range<usize>| {
        out[range].iter_mut().filter(|b| !b.is_ascii_whitespace()).for_each(|b| *b = b' ');
    };
    while i < bytes.len() {
        let (start, rest) = (i, &bytes[i..]);
        if rest.starts_with(b"//") {
            i += logical_line(rest);
        } else if rest.starts_with(b"/*") {
            let end = rest[2..].windows(2).position(|w| w == b"*/");
            i += end.map_or(rest.len(), |n| n + 4);
        } else if fresh && bytes[i] == b'#' {
            i += logical_line(rest);
        } else if let Some(length) = raw_string(rest) {
            i += length;
        } else if bytes[i] == b'"' || bytes[i] == b'\'' && !is_separator(bytes, i) {
            i += literal(rest);
        } else {
            fresh = bytes[i] == b'\n' || fresh && bytes[i].is_ascii_whitespace();
            i += 1;
            continue;
        }
        blank(&mut out, start..i);
    }
    let mut at = 0;
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        if !kept.contains(&number) {
            blank(&mut out, at..at + line.len());
        }
        at += line.len();
    }
    // Bytes beyond ASCII are only found in names.
    out.iter_mut().filter(|b| !b.is_ascii()).for_each(|b| *b = b'_');
    String::from_utf8(out).unwrap_or_default()
}

/// The length of a line with those that backslashes join to it, without its end.
fn logical_line(bytes: &[u8]) -> usize {
    let mut end = 0;
    for line in bytes.split_inclusive(|b| *b == b'\n') {
        end += line.len();
        if !line.trim_ascii_end().ends_with(b"\\") {
            break;
        }
    }
    end - usize::from(bytes[..end].ends_with(b"\n"))
}

/// `R"x(…)x"`.
fn raw_string(bytes: &[u8]) -> Option<usize> {
    let rest = bytes.strip_prefix(b"R\"")?;
    let open = rest.iter().take(17).position(|b| *b == b'(')?;
    let mut end = vec![b')'];
    end.extend_from_slice(&rest[..open]);
    end.push(b'"');
    let close = rest.windows(end.len()).position(|w| w == end)?;
    Some(2 + close + end.len())
}

/// Whether a quote separates the digits of a number.
fn is_separator(bytes: &[u8], at: usize) -> bool {
    let is_digit = |i: usize| bytes.get(i).is_some_and(u8::is_ascii_hexdigit);
    let before: usize =
        bytes[..at].iter().rev().take_while(|b| b.is_ascii_alphanumeric() || **b == b'\'').count();
    before > 0 && bytes[at - before].is_ascii_digit() && is_digit(at + 1)
}

fn literal(bytes: &[u8]) -> usize {
    let mut i = 1;
    while i < bytes.len() && bytes[i] != bytes[0] && bytes[i] != b'\n' {
        i += if bytes[i] == b'\\' { 2 } else { 1 };
    }
    (i + 1).min(bytes.len())
}

fn tokens(code: &str) -> Vec<Token<'_>> {
    let bytes = code.as_bytes();
    let (mut out, mut i) = (Vec::new(), 0);
    let is_word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
    while i < bytes.len() {
        let length = bytes[i..].iter().take_while(|b| is_word(b)).count().max(1);
        if !bytes[i].is_ascii_whitespace() {
            out.push(Token { text: &code[i..i + length], at: i });
        }
        i += length;
    }
    out
}

/// The closing bracket of the group that opens at `open`.
fn closing(tokens: &[Token], open: usize) -> Option<usize> {
    let mut expected: Vec<&str> = Vec::new();
    for (i, token) in tokens.iter().enumerate().skip(open) {
        match token.text {
            "(" => expected.push(")"),
            "[" => expected.push("]"),
            "{" => expected.push("}"),
            ")" | "]" | "}" if expected.pop() != Some(token.text) => return None,
            _ => {}
        }
        if expected.is_empty() {
            return Some(i);
        }
    }
    None
}

/// Words before a group in parentheses that is not the list of a function's parameters.
fn takes_no_parameters(word: &str) -> bool {
    let words = ["alignas", "decltype", "noexcept", "requires", "explicit", "throw", "sizeof"];
    words.contains(&word) || word.starts_with("__") && word.ends_with("__")
}

struct Reader<'a> {
    tokens: &'a [Token<'a>],
    items: Vec<Item>,
}

/// What has been seen of a declaration before its brace.
#[derive(Default)]
struct Head {
    words: Vec<String>,
    name: Option<String>,
    has_parameters: bool,
    has_initialiser: bool,
    /// The colon before the initialisers of a constructor.
    initialisers: Option<usize>,
}

impl Reader<'_> {
    fn text(&self, i: usize) -> &str {
        self.tokens.get(i).map_or("", |t| t.text)
    }

    /// All declarations from `i` on, to the brace that closes the scope; its position.
    fn scope(&mut self, mut i: usize, parent: Option<usize>, in_class: bool) -> usize {
        while i < self.tokens.len() {
            match self.text(i) {
                "}" => return i,
                ";" => i += 1,
                "public" | "private" | "protected" if self.text(i + 1) == ":" => i += 2,
                _ => i = self.item(i, parent, in_class),
            }
        }
        i
    }

    /// One declaration; the position behind it.
    fn item(&mut self, start: usize, parent: Option<usize>, in_class: bool) -> usize {
        let mut head = Head::default();
        let mut i = start;
        while i < self.tokens.len() {
            match self.text(i) {
                ";" => return self.finish(Kind::Other, start, i, None, head, parent),
                // The end of the scope: a declaration that a macro ends.
                "}" => {
                    return if i == start {
                        i
                    } else {
                        self.finish(Kind::Other, start, i - 1, None, head, parent);
                        i
                    };
                }
                "template" if self.text(i + 1) == "<" => i = self.angle(i + 1) + 1,
                "operator" => {
                    let mut end = i + 1;
                    if self.text(end) == "(" {
                        end += 2;
                    }
                    while !matches!(self.text(end), "(" | "" | ";") {
                        end += 1;
                    }
                    head.name = Some("operator".into());
                    i = end;
                }
                "(" => {
                    let before = self.text(i.wrapping_sub(1));
                    let is_list = !takes_no_parameters(before) && !head.has_parameters;
                    if is_list && !head.has_initialiser {
                        head.has_parameters = true;
                        let name = before.to_owned();
                        head.name.get_or_insert(name);
                    }
                    let Some(close) = closing(self.tokens, i) else {
                        return self.rest(start, head, parent);
                    };
                    i = close + 1;
                }
                "[" => {
                    let Some(close) = closing(self.tokens, i) else {
                        return self.rest(start, head, parent);
                    };
                    i = close + 1;
                }
                "=" if head.name.as_deref() != Some("operator") || head.has_parameters => {
                    if !head.has_initialiser && !head.has_parameters {
                        head.name = head.words.last().cloned();
                    }
                    head.has_initialiser = true;
                    i += 1;
                }
                ":" if self.text(i + 1) != ":" && self.text(i - 1) != ":" => {
                    if head.has_parameters {
                        head.initialisers.get_or_insert(i);
                    } else if head.name.is_none() {
                        head.name = head.words.iter().rfind(|w| *w != "final").cloned();
                    }
                    i += 1;
                }
                "{" => match self.brace(start, i, &mut head, parent, in_class) {
                    Ok(end) => return end,
                    Err(next) => i = next,
                },
                word => {
                    if is_word(word) {
                        head.words.push(word.to_owned());
                    }
                    i += 1;
                }
            }
        }
        self.rest(start, head, parent)
    }

    /// An opening brace: the end of the declaration, or where to continue in it.
    fn brace(
        &mut self,
        start: usize,
        at: usize,
        head: &mut Head,
        parent: Option<usize>,
        in_class: bool,
    ) -> Result<usize, usize> {
        let Some(close) = closing(self.tokens, at) else {
            let head = std::mem::take(head);
            return Ok(self.rest(start, head, parent));
        };
        let first = head.words.iter().find(|w| *w != "inline").map_or("", String::as_str);
        let is_linkage = first == "extern" && head.words.len() == 1;
        if !in_class && (first == "namespace" || is_linkage) && !head.has_parameters {
            let name = head.words.last().cloned().unwrap_or_default();
            self.nested(Kind::Namespace, name, start, at, close, parent);
            return Ok(close + 1);
        }
        let is = |word: &str| head.words.iter().any(|w| w == word);
        let has_parameters = head.has_parameters;
        if !has_parameters
            && !head.has_initialiser
            && (is("class") || is("struct") || is("union"))
            && !is("enum")
        {
            let last = head.words.iter().rfind(|w| *w != "final").cloned();
            let name = head.name.take().or(last).unwrap_or_default();
            // Its declarators and semicolon belong to it.
            let end = (close..self.tokens.len()).find(|i| self.text(*i) == ";").unwrap_or(close);
            // `typedef struct { … } name;`
            let is_unnamed = ["class", "struct", "union"].contains(&name.as_str());
            let declared = (close + 1..end).map(|i| self.text(i)).find(|t| is_word(t));
            let name = declared.filter(|_| is_unnamed).map_or(name, str::to_owned);
            self.nested(Kind::Class, name, start, at, end, parent);
            return Ok(end + 1);
        }
        if head.has_initialiser || !has_parameters {
            return Err(close + 1);
        }
        // `b{2}` among the initialisers of a constructor.
        let is_member = head.initialisers.is_some()
            && (is_word(self.text(at - 1)) || self.text(at - 1) == ">")
            && matches!(self.text(close + 1), "," | "{");
        if is_member {
            return Err(close + 1);
        }
        let begin = head.initialisers.unwrap_or(at);
        let head = std::mem::take(head);
        Ok(self.finish(Kind::Function, start, close, Some((begin, at)), head, parent))
    }

    /// A class or namespace with what it holds.
    fn nested(
        &mut self,
        kind: Kind,
        name: String,
        start: usize,
        open: usize,
        end: usize,
        parent: Option<usize>,
    ) {
        let at = |i: usize| self.tokens[i].at;
        self.items.push(Item {
            kind,
            name,
            whole: at(start)..at(end) + 1,
            body: at(open)..at(end) + 1,
            open: at(open),
            is_kernel: false,
            is_device: false,
            parent,
        });
        let own = self.items.len() - 1;
        self.scope(open + 1, Some(own), kind == Kind::Class);
    }

    fn finish(
        &mut self,
        kind: Kind,
        start: usize,
        end: usize,
        body: Option<(usize, usize)>,
        head: Head,
        parent: Option<usize>,
    ) -> usize {
        let at = |i: usize| self.tokens[i].at;
        let is = |word: &str| head.words.iter().any(|w| w == word);
        let last = head.words.last().cloned().unwrap_or_default();
        let (begin, open) = body.unwrap_or((end, end));
        self.items.push(Item {
            kind,
            name: head.name.clone().unwrap_or(last),
            whole: at(start)..at(end) + 1,
            body: at(begin)..at(end) + 1,
            open: at(open),
            is_kernel: is("__global__"),
            // The compiler may use a constant expression for both sides.
            is_device: is("__device__") || is("constexpr") || is("consteval"),
            parent,
        });
        end + 1
    }

    /// A declaration whose brackets do not match: all the rest.
    fn rest(&mut self, start: usize, head: Head, parent: Option<usize>) -> usize {
        let last = self.tokens.len() - 1;
        self.finish(Kind::Other, start, last, None, head, parent)
    }

    /// The end of the template parameters that begin at `open`.
    fn angle(&self, open: usize) -> usize {
        let mut depth = 0;
        let mut i = open;
        while i < self.tokens.len() {
            match self.text(i) {
                "<" => depth += 1,
                ">" => depth -= 1,
                "(" | "[" | "{" => i = closing(self.tokens, i).unwrap_or(i),
                ";" => return i - 1,
                _ => {}
            }
            if depth == 0 {
                return i;
            }
            i += 1;
        }
        i - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
// a comment {
#include "x.h"
namespace a { inline namespace b {
template <int N, class T = S<(N > 1)>> __global__ void __launch_bounds__(N) k(T *p) { p[0] = '{'; }
} }
extern "C" { static int f(int a) noexcept(true) { if (a) { return g("}"); } else return 1'000; } }
struct __align__(16) S : B<int> {
  S(int a) : x(a), y{a} { run(); }
  bool operator()(int) const { return true; }
  int x, y = {1};
private:
  __device__ S &operator=(const S &o) { return *this; }
} one;
enum class E { a, b };
int list[] = {1, 2}, other{3};
auto l = [](int a) { return a; };
unknown_t h;
#ifdef NO
void half() {
#else
void half(int) {
#endif
}
"#;

    fn outline() -> Outline {
        let not_kept = 20;
        let kept = (1..100).filter(|l| *l != not_kept).collect();
        Outline::new(TEXT, &kept)
    }

    #[test]
    fn declarations() {
        let outline = outline();
        let shown: Vec<String> = outline
            .items
            .iter()
            .map(|i| {
                let line = TEXT[..i.whole.start].lines().count() + 1;
                let kernel = if i.is_kernel { " kernel" } else { "" };
                let device = if i.is_device { " device" } else { "" };
                format!("{line} {:?} {}{kernel}{device}", i.kind, i.name)
            })
            .collect();
        let numbers_are_close = |s: &String| s.split_once(' ').map(|(_, s)| s.to_owned()).unwrap();
        let shown: Vec<String> = shown.iter().map(numbers_are_close).collect();
        assert_eq!(
            shown,
            [
                "Namespace a",
                "Namespace b",
                "Function k kernel",
                "Namespace extern",
                "Function f",
                "Class S",
                "Function S",
                "Function operator",
                "Other y",
                "Function operator device",
                "Other E",
                "Other list",
                "Other l",
                "Other h",
                "Function half",
            ]
        );
        let body = |name: &str| {
            let item = outline.items.iter().find(|i| i.name == name && i.kind == Kind::Function);
            &TEXT[item.unwrap().body.clone()]
        };
        assert_eq!(body("k"), "{ p[0] = '{'; }");
        assert_eq!(body("S"), ": x(a), y{a} { run(); }");
        let inner = outline.around(TEXT.find("run()").unwrap());
        assert_eq!(inner.iter().map(|i| i.name.as_str()).collect::<Vec<_>>(), ["S", "S"]);
    }

    #[test]
    fn statements() {
        let text = "void f() { int a = g([] { h(); }); if (a) { b(); for (;;) c = {1}; } else { d(); } do e(); while (x); }";
        let outline = Outline::new(text, &BTreeSet::from([1]));
        let statement = |at: &str| {
            let range = outline.statement(&outline.items[0], text.find(at).unwrap());
            range.map(|r| &text[r])
        };
        assert_eq!(statement("h()"), Some("int a = g([] { h(); });"));
        assert_eq!(statement("b()"), Some("b();"));
        assert_eq!(statement("c ="), Some("for (;;) c = {1};"));
        let whole = "if (a) { b(); for (;;) c = {1}; } else { d(); }";
        assert_eq!(statement("(a) {"), Some(whole));
        assert_eq!(statement("d()"), Some("d();"));
    }
}
