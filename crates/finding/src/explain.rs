//! What each kind of finding means: the text of `lockstep explain KIND`.
//!
//! The texts are the pages of the book under `docs/src/kinds`, so that there is one
//! of each, and their kernels are tested with the book's.

use std::sync::LazyLock;

use crate::Kind;

/// The page of the book: meaning, a small kernel that has it, the same kernel without it.
pub fn page(kind: Kind) -> &'static str {
    match kind {
        Kind::DataRace => include_str!("../../../docs/src/kinds/data-race.md"),
        Kind::BarrierDivergence => include_str!("../../../docs/src/kinds/barrier-divergence.md"),
        Kind::RedundantBarrier => include_str!("../../../docs/src/kinds/redundant-barrier.md"),
        Kind::OutOfBounds => include_str!("../../../docs/src/kinds/out-of-bounds.md"),
        Kind::UninitialisedRead => include_str!("../../../docs/src/kinds/uninitialised-read.md"),
        Kind::Misaligned => include_str!("../../../docs/src/kinds/misaligned.md"),
        Kind::UseAfterFree => include_str!("../../../docs/src/kinds/use-after-free.md"),
        Kind::Deadlock => include_str!("../../../docs/src/kinds/deadlock.md"),
        Kind::MissingFence => include_str!("../../../docs/src/kinds/missing-fence.md"),
        Kind::RedundantFence => include_str!("../../../docs/src/kinds/redundant-fence.md"),
        Kind::Mismatch => include_str!("../../../docs/src/kinds/mismatch.md"),
        Kind::Assertion => include_str!("../../../docs/src/kinds/assertion.md"),
    }
}

/// The page as a terminal shows it.
pub fn explain(kind: Kind) -> &'static str {
    static TEXTS: LazyLock<[String; Kind::ALL.len()]> =
        LazyLock::new(|| Kind::ALL.map(|kind| plain(page(kind))));
    let index = Kind::ALL.iter().position(|k| *k == kind).unwrap_or_default();
    &TEXTS[index]
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
