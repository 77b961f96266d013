//! The text of inline PTX, taken apart: labels, guards, opcodes, operands.

use std::collections::HashMap;

use lockstep_kernel::{Operand, Ty};

use super::types::Kind;

/// One statement without its guard.
pub(super) struct Statement<'a> {
    /// The opcode, split at its dots.
    pub(super) parts: Vec<&'a str>,
    pub(super) operands: Vec<&'a str>,
    /// All operands as they are written.
    pub(super) rest: &'a str,
}

impl Statement<'_> {
    pub(super) fn new(text: &str) -> Statement<'_> {
        let (opcode, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let rest = rest.trim();
        Statement { parts: opcode.split('.').collect(), operands: operands(rest), rest }
    }
    /// The opcode without its first part.
    pub(super) fn tail(&self) -> &[&str] {
        &self.parts[1..]
    }
    pub(super) fn has(&self, part: &str) -> bool {
        self.parts.contains(&part)
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Item {
    Label(String),
    Statement {
        /// `p` or `!p`, of `@p`.
        guard: Option<String>,
        text: String,
    },
}

/// The current values of the names in the text.
#[derive(Clone, Default)]
pub(in crate::lower) struct Names {
    values: HashMap<String, (Operand, Ty)>,
    /// The types that `.reg` and the results of the text give names.
    declared: HashMap<String, Ty>,
    /// The types of the results.
    pub(super) outs: Vec<Ty>,
}

impl Names {
    pub(in crate::lower) fn get(&self, name: &str) -> Option<&(Operand, Ty)> {
        self.values.get(name)
    }
    pub(in crate::lower) fn insert(&mut self, name: String, value: (Operand, Ty)) {
        // What is written to `_` is dropped.
        if name != "_" {
            self.values.insert(name, value);
        }
    }
    pub(super) fn with_results(outs: Vec<Ty>) -> Names {
        let declared = outs.iter().enumerate().map(|(i, ty)| (format!("${i}"), *ty)).collect();
        Names { values: HashMap::new(), declared, outs }
    }
    fn declare(&mut self, name: &str, ty: Ty) {
        self.declared.insert(name.to_string(), ty);
    }
    pub(super) fn declared(&self, name: &str) -> Option<Ty> {
        self.declared.get(name).copied()
    }
    /// All names that have a value, in the order of the alphabet.
    pub(super) fn all(&self) -> Vec<String> {
        let mut all: Vec<String> = self.values.keys().cloned().collect();
        all.sort();
        all
    }
    /// Those whose value is another one than in `before`.
    pub(super) fn changed_since(&self, before: &Names) -> Vec<String> {
        let mut all = self.all();
        all.retain(|n| self.values.get(n) != before.values.get(n));
        all
    }

    /// `.reg .pred p, q`, `.reg .b32 r<4>`.
    pub(super) fn declaration(&mut self, statement: &Statement<'_>) -> Option<()> {
        let (ty, names) = match statement.rest.split_once(char::is_whitespace) {
            Some((ty, names)) if ty.starts_with('.') => (ty.trim_start_matches('.'), names),
            _ => (*statement.parts.last()?, statement.rest),
        };
        // A type that nothing here computes with: a statement that uses the name says so.
        let Some(kind) = Kind::of(ty) else { return Some(()) };
        for name in names.split(',').map(str::trim) {
            match name.strip_suffix('>').and_then(|n| n.split_once('<')) {
                Some((stem, count)) => {
                    for i in 0..count.parse::<u32>().ok()? {
                        self.declare(&format!("{stem}{i}"), kind.storage());
                    }
                }
                None => self.declare(name, kind.storage()),
            }
        }
        Some(())
    }
}

/// The statements and labels of a text, without comments and without the braces of blocks.
pub(super) fn items(text: &str) -> Vec<Item> {
    let lines = text.lines().map(|l| l.split_once("//").map_or(l, |(code, _)| code));
    let code = lines.collect::<Vec<_>>().join(" ");
    // `%=` of the source, a number of its own for each text.
    let code = uncommented(&code).replace("${:uid}", "_uid").replace("$$", "%");
    let mut out = Vec::new();
    for statement in code.split(';') {
        let mut s = statement.trim();
        loop {
            if let Some(rest) = s.strip_prefix(['{', '}']) {
                s = rest.trim_start();
            } else if let Some((label, rest)) = label(s) {
                out.push(Item::Label(label.to_string()));
                s = rest.trim_start();
            } else {
                break;
            }
        }
        // The braces of a vector are kept.
        while s.ends_with('}') && s.matches('}').count() > s.matches('{').count() {
            s = s[..s.len() - 1].trim_end();
        }
        if s.is_empty() {
            continue;
        }
        let s = s.split_whitespace().collect::<Vec<_>>().join(" ");
        let (guard, text) = match s.strip_prefix('@').map(str::trim_start) {
            Some(guarded) => match guarded.split_once(char::is_whitespace) {
                // `@! p`.
                Some(("!", rest)) => match rest.split_once(char::is_whitespace) {
                    Some((guard, text)) => (Some(format!("!{guard}")), text),
                    None => (Some("!".to_string()), rest),
                },
                Some((guard, text)) => (Some(guard.to_string()), text),
                None => (Some(guarded.to_string()), ""),
            },
            None => (None, s.as_str()),
        };
        out.push(Item::Statement { guard, text: text.trim().to_string() });
    }
    out
}

fn uncommented(code: &str) -> String {
    let mut out = String::new();
    let mut rest = code;
    while let Some((before, after)) = rest.split_once("/*") {
        out.push_str(before);
        out.push(' ');
        rest = after.split_once("*/").map_or("", |(_, rest)| rest);
    }
    out + rest
}

/// `DONE:`, but not the colons of `shared::cta`.
fn label(s: &str) -> Option<(&str, &str)> {
    let (name, rest) = s.split_once(':')?;
    let is_name = !name.is_empty()
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '%'));
    (is_name && !rest.starts_with(':')).then_some((name, rest))
}

/// Splits at commas outside braces and brackets.
pub(super) fn operands(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let (mut depth, mut begin) = (0, 0);
    for (i, c) in text.char_indices() {
        match c {
            '{' | '[' => depth += 1,
            '}' | ']' => depth -= 1,
            ',' if depth == 0 => {
                out.push(&text[begin..i]);
                begin = i + 1;
            }
            _ => {}
        }
    }
    out.push(&text[begin..]);
    out.into_iter().map(str::trim).filter(|s| !s.is_empty()).collect()
}

/// The names between braces.
pub(super) fn vector(text: &str) -> Option<Vec<&str>> {
    let inner = text.strip_prefix('{')?.strip_suffix('}')?;
    Some(inner.split(',').map(str::trim).collect())
}

/// `d|p`: a result and the predicate that comes with it.
pub(super) fn with_predicate(text: &str) -> (&str, Option<&str>) {
    text.split_once('|').map_or((text, None), |(d, p)| (d.trim(), Some(p.trim())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> Item {
        Item::Statement { guard: None, text: text.to_string() }
    }

    #[test]
    fn blocks_and_vectors_have_the_same_braces() {
        let text = "{ .reg .f16 lo,hi;\n mov.b32 {lo,hi}, $1; // both\n mov.b32 $0, {hi,lo};}\n";
        let expected = [".reg .f16 lo,hi", "mov.b32 {lo,hi}, $1", "mov.b32 $0, {hi,lo}"];
        assert_eq!(items(text), expected.map(plain));
        assert_eq!(items("{add.f16 $0,$1,$2;\n}"), [plain("add.f16 $0,$1,$2")]);
        assert_eq!(operands("{lo,hi}, [$1+4], 3"), ["{lo,hi}", "[$1+4]", "3"]);
        assert_eq!(vector("{lo, hi}"), Some(vec!["lo", "hi"]));
    }

    #[test]
    fn labels_and_guards() {
        let text =
            "{\n.reg .pred p;\nAGAIN_${:uid}: /* once more */\n@!p bra AGAIN_${:uid};\nDONE: }\n";
        let guarded = Item::Statement { guard: Some("!p".into()), text: "bra AGAIN__uid".into() };
        let label = |s: &str| Item::Label(s.to_string());
        let expected = [plain(".reg .pred p"), label("AGAIN__uid"), guarded, label("DONE")];
        assert_eq!(items(text), expected);
        assert_eq!(items("st.shared::cta.b32 [$0], $1;"), [plain("st.shared::cta.b32 [$0], $1")]);
    }

    #[test]
    fn declarations() {
        let mut names = Names::default();
        names.declaration(&Statement::new(".reg .b32 r<2>")).unwrap();
        names.declaration(&Statement::new(".reg.pred p, q")).unwrap();
        assert_eq!(names.declared("r1"), Some(Ty::I32));
        assert_eq!(names.declared("q"), Some(Ty::I1));
        assert_eq!(names.declared("r2"), None);
    }
}
