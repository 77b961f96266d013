//! The `.smt2` files of a log: definitions, a line each, and questions.
//!
//! Each is a script for any solver as it is. Here it is cut into one script for each question, with the definitions that it needs
//! and names by order of use, so that questions that differ in nothing but names are asked once.
//!
//! A question is answered `unsat` where the proof is right.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

/// One question of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// As the file names it: `obligation 3`, `rewrite 12`.
    pub name: String,
    /// A whole script.
    pub text: String,
}

impl Question {
    pub fn is_rewrite(&self) -> bool {
        self.name.starts_with("rewrite ")
    }
}

/// A definition or a declaration.
struct Line<'a> {
    text: &'a str,
    /// Names that stand in it, its own first.
    names: Vec<&'a str>,
}

/// All questions of a file, in its order; an error names the line that cannot be read.
pub fn questions(script: &str) -> Result<Vec<Question>, String> {
    let mut lines: HashMap<&str, Line> = HashMap::new();
    let mut out = Vec::new();
    let mut open: Option<(Option<&str>, Vec<&str>, bool)> = None;
    for (i, line) in script.lines().enumerate() {
        let wrong = |what: &str| format!("line {}: {what}", i + 1);
        let line = line.trim();
        if !is_balanced(line) {
            return Err(wrong("unbalanced parentheses"));
        }
        match (&mut open, line) {
            (_, "") => {}
            (None, line) if line.starts_with("(set-logic ") => {}
            (None, line)
                if line.starts_with("(declare-fun ") || line.starts_with("(define-fun ") =>
            {
                let names: Vec<&str> = names(line).skip(1).collect();
                let Some(&own) = names.first() else { return Err(wrong("a name expected")) };
                if lines.insert(own, Line { text: line, names }).is_some() {
                    return Err(wrong("defined twice"));
                }
            }
            (None, "(push 1)") => open = Some((None, Vec::new(), false)),
            (Some((name, ..)), line) if line.starts_with("(echo \"") => {
                *name = line.strip_prefix("(echo \"").and_then(|l| l.strip_suffix("\")"));
            }
            (Some((_, asserts, false)), line) if line.starts_with("(assert ") => asserts.push(line),
            (Some((_, _, is_asked)), "(check-sat)") => *is_asked = true,
            (Some((Some(name), asserts, true)), "(pop 1)") => {
                let text = cut(&lines, asserts).map_err(|what| wrong(&what))?;
                out.push(Question { name: (*name).to_owned(), text });
                open = None;
            }
            _ => return Err(wrong("not expected here")),
        }
    }
    match open {
        None => Ok(out),
        Some(_) => Err("the last question does not end".into()),
    }
}

fn is_balanced(line: &str) -> bool {
    let mut depth = 0i64;
    for c in line.bytes() {
        depth += i64::from(c == b'(') - i64::from(c == b')');
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}

/// The words of a line.
fn names(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| c == '(' || c == ')' || c.is_whitespace()).filter(|w| !w.is_empty())
}

/// A script with these assertions and the definitions that they need, with names by order of use.
fn cut<'a>(lines: &HashMap<&'a str, Line<'a>>, asserts: &[&'a str]) -> Result<String, String> {
    let mut order: Vec<&str> = Vec::new();
    let mut done: HashSet<&str> = HashSet::new();
    for line in asserts {
        for root in names(line).filter(|n| lines.contains_key(n)) {
            // Definitions first: with a stack, because they are deep.
            let mut stack = vec![(root, false)];
            let mut begun: HashSet<&str> = HashSet::new();
            while let Some((name, is_ready)) = stack.pop() {
                if done.contains(name) {
                    continue;
                }
                if is_ready {
                    done.insert(name);
                    order.push(name);
                    continue;
                }
                begun.insert(name);
                stack.push((name, true));
                let needs = lines[name].names[1..].iter().rev();
                for &n in needs.filter(|n| lines.contains_key(*n) && !done.contains(*n)) {
                    if begun.contains(n) {
                        return Err(format!("{n} is defined by itself"));
                    }
                    stack.push((n, false));
                }
            }
        }
    }
    let new: HashMap<&str, String> =
        order.iter().enumerate().map(|(i, n)| (*n, format!("n{i}"))).collect();
    let mut text = String::from("(set-logic QF_UFBV)\n");
    for name in &order {
        let _ = writeln!(text, "{}", renamed(lines[name].text, &new));
    }
    let mut members: Vec<String> = asserts.iter().map(|line| renamed(line, &new)).collect();
    members.dedup();
    for member in members {
        let _ = writeln!(text, "{member}");
    }
    text.push_str("(check-sat)\n");
    Ok(text)
}

fn renamed(line: &str, new: &HashMap<&str, String>) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while !rest.is_empty() {
        let is_word = |c: char| c != '(' && c != ')' && !c.is_whitespace();
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        out.push_str(new.get(word).map_or(word, String::as_str));
        let end = after.find(is_word).unwrap_or(after.len());
        let (between, after) = after.split_at(end);
        out.push_str(between);
        rest = after;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCRIPT: &str = "(set-logic QF_UFBV)\n(declare-fun x () (_ BitVec 8))\n(declare-fun y () (_ BitVec 8))\n\
        (define-fun t1 () Bool (bvult x y))\n(define-fun t2 () Bool (bvult y x))\n(push 1)\n(echo \"obligation 0\")\n\
        (assert t1)\n(assert t2)\n(check-sat)\n(pop 1)\n(push 1)\n(echo \"rewrite 0\")\n(assert t2)\n(check-sat)\n(pop 1)\n";

    #[test]
    fn a_question_has_the_definitions_that_it_needs() {
        let all = questions(SCRIPT).unwrap();
        let texts: Vec<&str> = all.iter().map(|q| q.name.as_str()).collect();
        assert_eq!(texts, ["obligation 0", "rewrite 0"]);
        assert!(all[1].is_rewrite() && !all[0].is_rewrite());
        let second = "(set-logic QF_UFBV)\n(declare-fun n0 () (_ BitVec 8))\n(declare-fun n1 () (_ BitVec 8))\n\
            (define-fun n2 () Bool (bvult n0 n1))\n(assert n2)\n(check-sat)\n";
        assert_eq!(all[1].text, second);
        assert_eq!(all[0].text.matches("define-fun").count(), 2);
    }

    #[test]
    fn what_is_no_log_is_refused() {
        for (text, why) in [
            ("(push 1)\n(assert (true)\n", "line 2: unbalanced parentheses"),
            ("(exit)\n", "line 1: not expected here"),
            ("(push 1)\n(echo \"a\")\n(check-sat)\n", "the last question does not end"),
            ("(push 1)\n(echo \"a\")\n(pop 1)\n", "line 3: not expected here"),
            (
                "(define-fun a () Bool a)\n(push 1)\n(echo \"a\")\n(assert a)\n(check-sat)\n(pop 1)\n",
                "line 6: a is defined by itself",
            ),
        ] {
            assert_eq!(questions(text).unwrap_err(), why, "{text}");
        }
    }
}
