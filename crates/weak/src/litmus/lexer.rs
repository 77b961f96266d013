//! Words of litmus tests.

use super::Unreadable;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Word(String),
    Number(i64),
    Sign(&'static str),
}

const SIGNS: [&str; 40] = [
    "/\\", "\\/", "<<", ">>", "==", "!=", "<=", ">=", "&&", "||", "++", "+=", "-=", "{", "}", "(",
    ")", "[", "]", ";", ":", ",", ".", "|", "@", "=", "<", ">", "+", "-", "*", "/", "~", "&", "!",
    "^", "%", "?", "#", "$",
];

/// Splits a text; comments `(* … *)`, `// …`, `/* … */` and quoted texts are left out.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, Unreadable> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if c.is_whitespace() {
            rest = &rest[c.len_utf8()..];
        } else if let Some((begin, end)) = [("\"", "\""), ("(*", "*)"), ("/*", "*/"), ("//", "\n")]
            .iter()
            .find(|(begin, _)| rest.starts_with(begin) && !(rest.starts_with("/\\")))
        {
            let after = &rest[begin.len()..];
            rest = after.find(end).map_or("", |at| &after[at + end.len()..]);
        } else if c.is_ascii_digit() {
            let hex = rest.starts_with("0x");
            let digits = if hex { &rest[2..] } else { rest };
            let end = digits
                .find(|c: char| !c.is_ascii_hexdigit() || (!hex && !c.is_ascii_digit()))
                .unwrap_or(digits.len());
            let number = i64::from_str_radix(&digits[..end], if hex { 16 } else { 10 });
            tokens.push(Token::Number(
                number.map_err(|_| Unreadable::Malformed(format!("number {}", &digits[..end])))?,
            ));
            rest = &digits[end..];
        } else if c.is_ascii_alphabetic() || c == '_' {
            let end =
                rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            tokens.push(Token::Word(rest[..end].to_string()));
            rest = &rest[end..];
        } else {
            let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
            let sign = sign.ok_or_else(|| Unreadable::Malformed(format!("character {c:?}")))?;
            tokens.push(Token::Sign(sign));
            rest = &rest[sign.len()..];
        }
    }
    Ok(tokens)
}

/// A place in a list of tokens.
#[derive(Clone)]
pub(super) struct Cursor<'a> {
    pub(super) tokens: &'a [Token],
    pub(super) at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(tokens: &'a [Token]) -> Cursor<'a> {
        Cursor { tokens, at: 0 }
    }

    pub(super) fn peek(&self) -> Option<&'a Token> {
        self.tokens.get(self.at)
    }

    pub(super) fn peek_at(&self, ahead: usize) -> Option<&'a Token> {
        self.tokens.get(self.at + ahead)
    }

    pub(super) fn next(&mut self) -> Option<&'a Token> {
        let token = self.peek();
        self.at += 1;
        token
    }

    pub(super) fn is_sign(&self, sign: &str) -> bool {
        matches!(self.peek(), Some(Token::Sign(found)) if *found == sign)
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Some(Token::Word(found)) if found == word)
    }

    pub(super) fn sign(&mut self, sign: &str) -> bool {
        let found = self.is_sign(sign);
        self.at += usize::from(found);
        found
    }

    pub(super) fn word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect(&mut self, sign: &str) -> Result<(), Unreadable> {
        if self.sign(sign) { Ok(()) } else { Err(self.unexpected(sign)) }
    }

    pub(super) fn any_word(&mut self) -> Result<&'a str, Unreadable> {
        match self.peek() {
            Some(Token::Word(word)) => {
                self.at += 1;
                Ok(word)
            }
            _ => Err(self.unexpected("a word")),
        }
    }

    pub(super) fn number(&mut self) -> Result<i64, Unreadable> {
        let minus = self.sign("-");
        match self.peek() {
            Some(Token::Number(number)) => {
                self.at += 1;
                Ok(if minus { -number } else { *number })
            }
            _ => Err(self.unexpected("a number")),
        }
    }

    pub(super) fn ended(&self) -> bool {
        self.at >= self.tokens.len()
    }

    pub(super) fn unexpected(&self, wanted: &str) -> Unreadable {
        match self.peek() {
            Some(found) => Unreadable::Malformed(format!("{found:?} instead of {wanted}")),
            None => Unreadable::Malformed(format!("the end instead of {wanted}")),
        }
    }
}
