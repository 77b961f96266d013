//! Conditions of `#if` as functions of the architecture, or of the compiler.
//!
//! Three-valued: the values of other macros are not known here, so a condition may be true, false or unknown. That is
//! enough to distinguish a condition on the architecture from one that only tests for device code.

/// Values of `__CUDA_ARCH__` that current builds may have.
pub(super) const ARCHITECTURES: [i64; 22] = [
    350, 370, 500, 520, 530, 600, 610, 620, 700, 720, 750, 800, 860, 870, 890, 900, 1000, 1010,
    1030, 1100, 1200, 1210,
];

/// The macro whose value is the architecture.
pub(super) const ARCH: &str = "__CUDA_ARCH__";

/// Related macros that depend on the architecture: its features, the list of all.
fn is_arch_like(name: &str) -> bool {
    name.starts_with("__CUDA_ARCH_") && name != ARCH
}

/// The macro that only nvcc defines.
const NVCC: &str = "__NVCC__";
/// Macros that only clang defines, with their value where it is always the same.
const CLANG: [(&str, Option<i64>); 5] = [
    ("__clang__", Some(1)),
    ("__CUDA__", Some(1)),
    ("__clang_major__", None),
    ("__clang_minor__", None),
    ("__clang_patchlevel__", None),
];

/// What a condition is a function of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Axis {
    Architecture,
    Compiler,
}

/// For what, or by what, a source is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Architecture(i64),
    Clang,
    Nvcc,
}

impl Axis {
    /// All that a condition may be true of.
    pub(super) fn targets(self) -> impl Iterator<Item = Target> {
        let (architectures, compilers): (&[i64], &[Target]) = match self {
            Axis::Architecture => (&ARCHITECTURES, &[]),
            Axis::Compiler => (&[], &[Target::Clang, Target::Nvcc]),
        };
        let architectures = architectures.iter().map(|a| Target::Architecture(*a));
        architectures.chain(compilers.iter().copied())
    }

    /// Whether a macro depends on it.
    pub(super) fn decides(self, word: &str) -> bool {
        self.evaluates(word) || (self == Axis::Architecture && is_arch_like(word))
    }

    /// Whether [`value`] knows a macro.
    pub(super) fn evaluates(self, word: &str) -> bool {
        match self {
            Axis::Architecture => word == ARCH,
            Axis::Compiler => word == NVCC || CLANG.iter().any(|(name, _)| *name == word),
        }
    }

    /// Whether a text may contain such a macro.
    pub(super) fn is_mentioned(self, text: &str) -> bool {
        match self {
            Axis::Architecture => text.contains("__CUDA_ARCH"),
            Axis::Compiler => {
                text.contains(NVCC) || CLANG.iter().any(|(name, _)| text.contains(name))
            }
        }
    }
}

impl Target {
    /// Whether a macro is defined, if that is known.
    fn defines(self, word: &str) -> Option<bool> {
        let is_clangs = CLANG.iter().any(|(name, _)| *name == word);
        match self {
            _ if word == ARCH => Some(true),
            Target::Clang if word == NVCC || is_clangs => Some(is_clangs),
            Target::Nvcc if word == NVCC || is_clangs => Some(!is_clangs),
            _ => None,
        }
    }

    /// The value of a macro, if that is known. One that is not defined counts as 0.
    fn value(self, word: &str) -> Option<i64> {
        match (self, self.defines(word)) {
            (Target::Architecture(arch), _) if word == ARCH => Some(arch),
            (_, Some(false)) => Some(0),
            (_, Some(true)) if word == NVCC => Some(1),
            (_, Some(true)) => CLANG.iter().find(|(name, _)| *name == word)?.1,
            (_, None) => None,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Word(String),
    Number(i64),
    /// An operator or a bracket.
    Sign(&'static str),
}

const SIGNS: [&str; 26] = [
    "&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "(", ")", "!", "~", "+", "-", "*", "/", "%",
    "<", ">", "&", "|", "^", "?", ":", ",", "'",
];

pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if c.is_alphabetic() || c == '_' {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            out.push(Token::Word(rest[..end].to_owned()));
            rest = &rest[end..];
        } else if c.is_ascii_digit() {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '\'').unwrap_or(rest.len());
            out.push(Token::Number(number(&rest[..end])));
            rest = &rest[end..];
        } else if let Some(sign) = SIGNS.iter().find(|s| rest.starts_with(**s)) {
            out.push(Token::Sign(sign));
            rest = &rest[sign.len()..];
        } else {
            rest = &rest[c.len_utf8()..];
        }
    }
    out
}

fn number(text: &str) -> i64 {
    let text = text.replace('\'', "").to_ascii_lowercase();
    let text = text.trim_end_matches(['u', 'l', 'z']);
    let parsed = match text.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16),
        None => match text.strip_prefix("0b") {
            Some(bits) => i64::from_str_radix(bits, 2),
            None if text.len() > 1 && text.starts_with('0') => i64::from_str_radix(text, 8),
            None => text.parse(),
        },
    };
    parsed.unwrap_or(i64::MAX)
}

/// The identifiers whose value is used, not only whether they are defined.
pub(super) fn values_asked(tokens: &[Token]) -> impl Iterator<Item = &str> {
    let is = |i: Option<usize>, t: Token| i.and_then(|i| tokens.get(i)).is_some_and(|x| *x == t);
    let defined = Token::Word("defined".into());
    tokens.iter().enumerate().filter_map(move |(i, t)| match t {
        Token::Word(word) if *word != "defined" => {
            let plain = is(i.checked_sub(1), defined.clone());
            let bracketed =
                is(i.checked_sub(1), Token::Sign("(")) && is(i.checked_sub(2), defined.clone());
            (!plain && !bracketed).then_some(word.as_str())
        }
        _ => None,
    })
}

pub(super) fn words(tokens: &[Token]) -> impl Iterator<Item = &str> {
    tokens.iter().filter_map(|t| match t {
        Token::Word(w) => Some(w.as_str()),
        _ => None,
    })
}

/// The condition's value for a target, if it is known.
pub(super) fn value(tokens: &[Token], target: Target) -> Option<i64> {
    let mut parser = Parser { tokens, at: 0, target };
    let value = parser.ternary();
    // A condition that was not parsed completely is unknown.
    if parser.at == tokens.len() { value } else { None }
}

struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    target: Target,
}

/// Binary operators, lowest precedence first.
const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", ">", "<=", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

impl Parser<'_> {
    fn sign(&mut self, signs: &[&'static str]) -> Option<&'static str> {
        match self.tokens.get(self.at) {
            Some(Token::Sign(s)) if signs.contains(s) => {
                self.at += 1;
                Some(s)
            }
            _ => None,
        }
    }

    fn ternary(&mut self) -> Option<i64> {
        let cond = self.binary(0);
        if self.sign(&["?"]).is_none() {
            return cond;
        }
        let then = self.ternary();
        self.sign(&[":"]);
        let otherwise = self.ternary();
        match cond {
            Some(0) => otherwise,
            Some(_) => then,
            None if then == otherwise => then,
            None => None,
        }
    }

    fn binary(&mut self, level: usize) -> Option<i64> {
        let Some(signs) = LEVELS.get(level) else { return self.unary() };
        let mut a = self.binary(level + 1);
        while let Some(sign) = self.sign(signs) {
            let b = self.binary(level + 1);
            a = apply(sign, a, b);
        }
        a
    }

    fn unary(&mut self) -> Option<i64> {
        match self.sign(&["!", "~", "-", "+"]) {
            Some("!") => self.unary().map(|v| i64::from(v == 0)),
            Some("~") => self.unary().map(|v| !v),
            Some("-") => self.unary().map(i64::wrapping_neg),
            Some(_) => self.unary(),
            None => self.primary(),
        }
    }

    fn primary(&mut self) -> Option<i64> {
        let token = self.tokens.get(self.at)?;
        self.at += 1;
        match token {
            Token::Number(n) => Some(*n),
            Token::Sign("(") => {
                let value = self.ternary();
                self.sign(&[")"]);
                value
            }
            Token::Sign(_) => None,
            Token::Word(w) if w == "defined" => {
                let bracketed = self.sign(&["("]).is_some();
                let name = self.tokens.get(self.at)?;
                self.at += 1;
                if bracketed {
                    self.sign(&[")"]);
                }
                match name {
                    Token::Word(name) => self.target.defines(name).map(i64::from),
                    _ => None,
                }
            }
            Token::Word(w) if w == "true" => Some(1),
            Token::Word(w) if w == "false" => Some(0),
            Token::Word(w) => match self.target.value(w) {
                Some(value) => Some(value),
                None => {
                    self.skip_arguments();
                    None
                }
            },
        }
    }

    /// Skips the arguments of a function-like macro.
    fn skip_arguments(&mut self) {
        if self.tokens.get(self.at) != Some(&Token::Sign("(")) {
            return;
        }
        let mut depth = 0;
        while let Some(token) = self.tokens.get(self.at) {
            self.at += 1;
            match token {
                Token::Sign("(") => depth += 1,
                Token::Sign(")") => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return;
            }
        }
    }
}

fn apply(sign: &str, a: Option<i64>, b: Option<i64>) -> Option<i64> {
    match (sign, a, b) {
        ("&&", Some(0), _) | ("&&", _, Some(0)) => return Some(0),
        ("||", Some(v), _) | ("||", _, Some(v)) if v != 0 => return Some(1),
        _ => {}
    }
    let (a, b) = (a?, b?);
    let truth = |t: bool| Some(i64::from(t));
    match sign {
        "&&" => truth(a != 0 && b != 0),
        "||" => truth(a != 0 || b != 0),
        "|" => Some(a | b),
        "^" => Some(a ^ b),
        "&" => Some(a & b),
        "==" => truth(a == b),
        "!=" => truth(a != b),
        "<" => truth(a < b),
        ">" => truth(a > b),
        "<=" => truth(a <= b),
        ">=" => truth(a >= b),
        "<<" => Some(a.wrapping_shl(b as u32)),
        ">>" => Some(a.wrapping_shr(b as u32)),
        "+" => Some(a.wrapping_add(b)),
        "-" => Some(a.wrapping_sub(b)),
        "*" => Some(a.wrapping_mul(b)),
        "/" => a.checked_div(b),
        "%" => a.checked_rem(b),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_values() {
        let at = |text: &str, arch: i64| value(&tokens(text), Target::Architecture(arch));
        assert_eq!(at("__CUDA_ARCH__ >= 800", 700), Some(0));
        assert_eq!(at("__CUDA_ARCH__ >= 800", 900), Some(1));
        assert_eq!(at("!defined(__CUDA_ARCH__) || __CUDA_ARCH__ < 600", 700), Some(0));
        assert_eq!(at("defined X && __CUDA_ARCH__ / 100 == 7", 800), Some(0));
        assert_eq!(at("defined X && __CUDA_ARCH__ / 100 == 7", 750), None);
        assert_eq!(at("X(1, (2)) || __CUDA_ARCH__", 750), Some(1));
        assert_eq!(at("__CUDA_ARCH__ > 700 ? 0 : X", 800), Some(0));
        assert_eq!(at("0x10 + 010 - 2UL == 22", 700), Some(1));
        assert_eq!(at("(1", 700), Some(1));
        assert_eq!(at("", 700), None);
        let asked = tokens("defined(A) && B + defined C(__CUDA_ARCH__)");
        assert_eq!(values_asked(&asked).collect::<Vec<_>>(), ["B", ARCH]);
    }

    #[test]
    fn two_compilers() {
        let both = |text: &str| {
            let tokens = tokens(text);
            [Target::Clang, Target::Nvcc].map(|target| value(&tokens, target))
        };
        assert_eq!(both("defined(__NVCC__)"), [Some(0), Some(1)]);
        assert_eq!(both("defined __clang__ && !defined(X)"), [None, Some(0)]);
        assert_eq!(both("__NVCC__ || __CUDA__"), [Some(1), Some(1)]);
        assert_eq!(both("__clang_major__ > 15"), [None, Some(0)]);
        assert_eq!(both("defined(__CUDA_ARCH__)"), [Some(1), Some(1)]);
        assert_eq!(both("__CUDA_ARCH__ >= 800"), [None, None]);
        // For an architecture, it is open which compiler it is.
        assert_eq!(value(&tokens("defined(__NVCC__)"), Target::Architecture(700)), None);
    }
}
