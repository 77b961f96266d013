//! What each kind of finding means: the text of `lockstep explain KIND`.
//!
//! The texts are the pages of the book under `docs/src/kinds`, so that there is one
//! of each, and their kernels are tested with the book's.

use std::sync::LazyLock;

use crate::Kind;

/// A stretch of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    /// A paragraph on one line; code in it stands between backquotes.
    Text(String),
    Code(String),
}

/// The page without its title, taken apart for formats that have a look of their own
/// for code.
pub fn blocks(kind: Kind) -> Vec<Block> {
    let mut out = Vec::new();
    // A page is text and code in turns.
    for (i, part) in kind.about().page.split("```").enumerate() {
        if i % 2 == 1 {
            let code = part.split_once('\n').map_or("", |(_language, code)| code);
            out.push(Block::Code(code.trim_end().replace("//~ ", "// <-- ")));
            continue;
        }
        for paragraph in part.split("\n\n").map(str::trim) {
            let title = paragraph.starts_with("# ") || is_severity(paragraph);
            if !paragraph.is_empty() && !title {
                let text = paragraph.lines().collect::<Vec<_>>().join(" ");
                out.push(Block::Text(text.replace("**", "")));
            }
        }
    }
    out
}

/// `*error*`.
fn is_severity(line: &str) -> bool {
    line.starts_with('*') && !line.starts_with("**") && line.ends_with('*')
}

/// The page as a terminal shows it.
pub fn explain(kind: Kind) -> &'static str {
    static TEXTS: LazyLock<[String; Kind::ALL.len()]> =
        LazyLock::new(|| Kind::ALL.map(|kind| plain(kind.about().page)));
    &TEXTS[kind as usize]
}

/// Markdown as far as the pages use it, without its signs: `# kind` and the line
/// `*severity*` become one, code is indented, and the marks of lines that a finding
/// names become arrows.
fn plain(page: &str) -> String {
    let mut text = String::new();
    let mut code = false;
    for line in page.lines() {
        if line.starts_with("```") {
            code = !code;
        } else if code {
            let line = line.replace("//~ ", "// <-- ");
            text.push_str(&format!("    {line}\n"));
        } else if let Some(title) = line.strip_prefix("# ") {
            text.push_str(title);
        } else if let Some(severity) = line.strip_prefix('*').and_then(|l| l.strip_suffix('*')) {
            let title = text.trim_end().len();
            text.truncate(title);
            text.push_str(&format!(" ({severity})\n"));
        } else {
            text.push_str(&line.replace("**", ""));
            text.push('\n');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_explained_on_one_screen() {
        for kind in Kind::ALL {
            let text = explain(kind);
            assert!(text.starts_with(&format!("{kind} (")), "{kind}");
            for part in ["\nBad", "\nGood:\n", "\nHow to fix it:"] {
                assert!(text.contains(part), "{kind}: no '{part}'");
            }
            assert!(text.lines().count() <= 50, "{kind}: {}", text.lines().count());
            // A command line is as long as it is.
            let narrow = |l: &str| l.len() <= 84 || l.contains("// $ lockstep");
            assert!(text.lines().all(narrow), "{kind}");
        }
    }

    #[test]
    fn blocks_keep_all_of_the_text() {
        for kind in Kind::ALL {
            let text = explain(kind);
            let (_, body) = text.split_once("\n\n").unwrap();
            let words = |t: &str| t.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            let joined: Vec<String> = blocks(kind)
                .iter()
                .flat_map(|b| match b {
                    Block::Text(t) | Block::Code(t) => words(t),
                })
                .collect();
            assert_eq!(joined, words(body), "{kind}");
            assert!(matches!(blocks(kind)[0], Block::Text(_)), "{kind}");
            assert!(blocks(kind).iter().any(|b| matches!(b, Block::Code(_))), "{kind}");
            assert!(
                !kind.about().summary.ends_with('.') && kind.about().summary.len() < 80,
                "{kind}"
            );
        }
    }

    #[test]
    fn the_signs_of_markdown_are_gone() {
        let page =
            "# kind\n\n*error*\n\nBad `x`:\n\n```cuda\nf();  //~ kind\n```\n\n**Fix:** it.\n";
        let text = "kind (error)\n\nBad `x`:\n\n    f();  // <-- kind\n\nFix: it.\n";
        assert_eq!(plain(page), text);
        for kind in Kind::ALL {
            let text = explain(kind);
            assert!(
                !text.contains("```") && !text.contains("**") && !text.contains("//~"),
                "{kind}"
            );
        }
    }
}
