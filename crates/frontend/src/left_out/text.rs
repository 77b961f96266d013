//! A source file as the preprocessor sees it: its conditional groups, its macros, and which lines are kept.
//!
//! The kept lines come from clang (`-E -fdirectives-only`, which drops code that is not compiled and comments, and
//! leaves the rest unchanged). Directives are parsed from the text itself, in every branch.

use std::collections::{BTreeMap, BTreeSet};

use super::expression::{Token, tokens, words};

/// A word or a single character of the kept code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Tok {
    Word(String),
    Sign(char),
}

pub(super) struct Branch {
    pub(super) condition: Vec<Token>,
    /// Lines between its directives.
    pub(super) first: u32,
    pub(super) last: u32,
    /// Its first and last non-empty line.
    pub(super) content: Option<(u32, u32)>,
    pub(super) words: BTreeSet<String>,
    /// Kernels defined in it, with their lines.
    pub(super) kernels: Vec<(String, u32)>,
    pub(super) is_kept: bool,
}

/// `#if` to `#endif`.
pub(super) struct Group {
    /// By number; the last has no condition of its own where it is `#else`.
    pub(super) branches: Vec<Branch>,
    /// The enclosing branch of another group.
    pub(super) parent: Option<(usize, usize)>,
}

impl Group {
    pub(super) fn lines(&self) -> (u32, u32) {
        let first = self.branches.first().map_or(0, |b| b.first.saturating_sub(1));
        (first, self.branches.last().map_or(0, |b| b.last + 1))
    }
}

pub(super) struct Define {
    pub(super) name: String,
    pub(super) body: Vec<Token>,
    pub(super) within: Option<(usize, usize)>,
}

/// A function that is defined in the kept code.
pub(super) struct Function {
    pub(super) name: String,
    pub(super) first: u32,
    pub(super) last: u32,
    /// Its tokens.
    pub(super) from: usize,
    pub(super) to: usize,
}

pub(super) struct File {
    pub(super) groups: Vec<Group>,
    pub(super) defines: Vec<Define>,
    pub(super) kept: Vec<(u32, Tok)>,
    pub(super) functions: Vec<Function>,
}

impl File {
    /// A file with this text, of which these lines are kept.
    pub(super) fn new(text: &str, lines: &BTreeMap<u32, String>) -> File {
        let mut directives = Directives {
            lines,
            kernel: None,
            groups: Vec::new(),
            open: Vec::new(),
            defines: Vec::new(),
        };
        for (line, code) in logical_lines(text) {
            directives.line(line, &code);
        }
        let end = text.lines().count() as u32;
        while !directives.open.is_empty() {
            directives.close(end + 1);
        }
        let kept = kept_tokens(lines);
        let functions = functions(&kept);
        File { groups: directives.groups, defines: directives.defines, kept, functions }
    }
}

struct Directives<'a> {
    lines: &'a BTreeMap<u32, String>,
    /// The code since `__global__`, up to the kernel's name.
    kernel: Option<Vec<Token>>,
    groups: Vec<Group>,
    /// Groups that are not closed yet.
    open: Vec<usize>,
    defines: Vec<Define>,
}

impl Directives<'_> {
    fn line(&mut self, line: u32, code: &str) {
        let code = code.trim();
        let Some(directive) = code.strip_prefix('#') else {
            self.content(line, code);
            return;
        };
        let directive = directive.trim_start();
        let end = directive.find(|c: char| !c.is_alphanumeric() && c != '_');
        let (name, rest) = directive.split_at(end.unwrap_or(directive.len()));
        match name {
            "if" | "ifdef" | "ifndef" => {
                let parent = self.open.last().map(|g| (*g, self.groups[*g].branches.len() - 1));
                self.open.push(self.groups.len());
                self.groups.push(Group { branches: Vec::new(), parent });
                self.branch(line, name, rest);
            }
            "elif" | "else" | "elifdef" | "elifndef" if !self.open.is_empty() => {
                self.end_branch(line);
                self.branch(line, name, rest);
            }
            "endif" => self.close(line),
            "define" => {
                self.content(line, rest);
                let mut body = tokens(rest);
                if let Some(Token::Word(name)) = body.first().cloned() {
                    body.remove(0);
                    let within = self.open.last().map(|g| (*g, self.groups[*g].branches.len() - 1));
                    self.defines.push(Define { name, body, within });
                }
            }
            _ => self.content(line, rest),
        }
    }

    fn branch(&mut self, line: u32, name: &str, rest: &str) {
        let Some(&group) = self.open.last() else { return };
        let condition = match name {
            "ifdef" | "elifdef" => format!("defined({rest})"),
            "ifndef" | "elifndef" => format!("!defined({rest})"),
            "else" => "1".to_owned(),
            _ => rest.to_owned(),
        };
        let first = line + 1;
        self.groups[group].branches.push(Branch {
            condition: tokens(&condition),
            first,
            last: first,
            content: None,
            words: BTreeSet::new(),
            kernels: Vec::new(),
            is_kept: false,
        });
    }

    fn end_branch(&mut self, line: u32) {
        let Some(&group) = self.open.last() else { return };
        let Some(branch) = self.groups[group].branches.last_mut() else { return };
        branch.last = line.saturating_sub(1);
        branch.is_kept = self.lines.range(branch.first..line.max(branch.first)).next().is_some();
    }

    fn close(&mut self, line: u32) {
        self.end_branch(line);
        self.open.pop();
    }

    fn content(&mut self, line: u32, code: &str) {
        if code.trim().is_empty() {
            return;
        }
        let tokens = tokens(code);
        let kernel = self.kernel_in(&tokens);
        for &group in &self.open {
            let Some(branch) = self.groups[group].branches.last_mut() else { continue };
            let first = branch.content.map_or(line, |(first, _)| first);
            branch.content = Some((first, line));
            branch.words.extend(words(&tokens).map(str::to_owned));
            branch.kernels.extend(kernel.iter().map(|name| (name.clone(), line)));
        }
    }

    /// The name of a kernel, on the line of its opening parenthesis.
    fn kernel_in(&mut self, tokens: &[Token]) -> Option<String> {
        let global = Token::Word("__global__".into());
        let begun = tokens.iter().position(|t| *t == global);
        match (&mut self.kernel, begun) {
            (_, Some(begun)) => self.kernel = Some(tokens[begun + 1..].to_vec()),
            (Some(code), None) => code.extend_from_slice(tokens),
            (None, None) => return None,
        }
        let code = self.kernel.as_ref()?;
        let mut i = 0;
        while i + 1 < code.len() {
            match (&code[i], &code[i + 1]) {
                (Token::Word(w), Token::Sign("(")) if w.starts_with("__") => {
                    let end = code[i..].iter().position(|t| *t == Token::Sign(")"))?;
                    i += end;
                }
                (Token::Word(name), Token::Sign("(")) => {
                    let name = name.clone();
                    self.kernel = None;
                    return Some(name);
                }
                _ => i += 1,
            }
        }
        None
    }
}

/// Lines without comments, joined at backslashes, with the number of the first.
fn logical_lines(text: &str) -> Vec<(u32, String)> {
    let mut out: Vec<(u32, String)> = Vec::new();
    let (mut in_comment, mut joined) = (false, false);
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim_end_matches('\r');
        let (line, joins) = match line.strip_suffix('\\') {
            Some(line) => (line, true),
            None => (line, false),
        };
        let code = without_comments(line, &mut in_comment);
        match out.last_mut() {
            Some((_, last)) if joined => last.push_str(&code),
            _ => out.push((number, code)),
        }
        joined = joins;
    }
    out
}

fn without_comments(line: &str, in_comment: &mut bool) -> String {
    let mut out = String::new();
    let mut quote: Option<char> = None;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        let next = chars.peek().copied();
        if *in_comment {
            if c == '*' && next == Some('/') {
                chars.next();
                *in_comment = false;
                out.push(' ');
            }
            continue;
        }
        match (quote, c, next) {
            (None, '/', Some('/')) => break,
            (None, '/', Some('*')) => {
                chars.next();
                *in_comment = true;
            }
            // A digit separator within a number.
            (None, '\'', _) if out.ends_with(|c: char| c.is_ascii_hexdigit()) => out.push(c),
            (None, '"' | '\'', _) => quote = Some(c),
            (Some(_), '\\', _) => {
                chars.next();
            }
            (Some(q), c, _) if c == q => quote = None,
            (Some(_), _, _) => {}
            (None, c, _) => out.push(c),
        }
    }
    // A line with only a string is not empty.
    if out.is_empty() && line.contains('"') && !*in_comment { ";".into() } else { out }
}

fn kept_tokens(lines: &BTreeMap<u32, String>) -> Vec<(u32, Tok)> {
    let mut out = Vec::new();
    for (&line, text) in lines {
        if text.trim_start().starts_with('#') {
            continue;
        }
        let code = without_comments(text, &mut false);
        let mut rest = code.as_str();
        while let Some(c) = rest.chars().next() {
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            let end = match is_word(c) {
                true => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
                false => c.len_utf8(),
            };
            if is_word(c) {
                out.push((line, Tok::Word(rest[..end].to_owned())));
            } else if !c.is_whitespace() {
                out.push((line, Tok::Sign(c)));
            }
            rest = &rest[end..];
        }
    }
    out
}

/// Words before parentheses that call or define nothing.
const KEYWORDS: [&str; 12] = [
    "if", "for", "while", "switch", "catch", "return", "sizeof", "alignof", "decltype", "do",
    "else", "noexcept",
];

/// Anything of the form `name(…) … {`.
fn functions(kept: &[(u32, Tok)]) -> Vec<Function> {
    let mut out = Vec::new();
    for (i, (line, token)) in kept.iter().enumerate() {
        let Tok::Word(name) = token else { continue };
        let is_plain = !KEYWORDS.contains(&name.as_str()) && !name.starts_with("__launch_bounds");
        if !is_plain || !is_sign(kept, i + 1, '(') {
            continue;
        }
        let Some(body) = closing(kept, i + 1).and_then(|end| body_after(kept, end + 1)) else {
            continue;
        };
        let to = closing(kept, body).unwrap_or(kept.len() - 1);
        out.push(Function { name: name.clone(), first: *line, last: kept[to].0, from: i, to });
    }
    out
}

fn is_sign(kept: &[(u32, Tok)], i: usize, sign: char) -> bool {
    kept.get(i).is_some_and(|(_, t)| *t == Tok::Sign(sign))
}

/// The position of the closing bracket for `open`.
fn closing(kept: &[(u32, Tok)], open: usize) -> Option<usize> {
    let (opening, close) = match kept.get(open)?.1 {
        Tok::Sign('(') => ('(', ')'),
        Tok::Sign('{') => ('{', '}'),
        _ => return None,
    };
    let mut depth = 0;
    for (i, (_, token)) in kept.iter().enumerate().skip(open) {
        match token {
            Tok::Sign(c) if *c == opening => depth += 1,
            Tok::Sign(c) if *c == close => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(i);
        }
    }
    None
}

/// The opening brace of a function body, after anything that may follow the parameters.
fn body_after(kept: &[(u32, Tok)], mut i: usize) -> Option<usize> {
    const MOST: usize = 200;
    let end = i + MOST;
    while i < end {
        match kept.get(i)?.1 {
            Tok::Sign('{') => return Some(i),
            Tok::Sign('(') => i = closing(kept, i)? + 1,
            Tok::Sign(':' | '<' | '>' | '*' | '&' | '-' | ',' | '[' | ']') | Tok::Word(_) => i += 1,
            Tok::Sign(_) => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "#define A(x) \\\n  B(x)\n#if X /* a */ > 1 \\\n && Y\nvoid f(int a) { g(\"}\"); }\n\
                        # else // c\n\n// nothing\n#  define C 1\n#endif\nint z = 1'000;\n";

    #[test]
    fn groups_and_functions() {
        let kept =
            [(1, "#define A(x) B(x)"), (5, "void f(int a) { g(\"}\"); }"), (11, "int z = 1'000;")];
        let kept = kept.map(|(l, t)| (l, t.to_owned())).into_iter().collect();
        let file = File::new(TEXT, &kept);
        let [group] = &file.groups[..] else { panic!("one group") };
        let [yes, no] = &group.branches[..] else { panic!("two branches") };
        assert_eq!(words(&yes.condition).collect::<Vec<_>>(), ["X", "Y"]);
        assert_eq!((yes.is_kept, yes.content), (true, Some((5, 5))));
        assert_eq!((no.is_kept, no.content), (false, Some((9, 9))));
        assert_eq!(group.lines().1, 10);
        let [f] = &file.functions[..] else { panic!("one function") };
        assert_eq!((f.name.as_str(), f.first, f.last), ("f", 5, 5));
        let names: Vec<_> = file.defines.iter().map(|d| d.name.as_str()).collect();
        assert_eq!(names, ["A", "C"]);
    }
}
