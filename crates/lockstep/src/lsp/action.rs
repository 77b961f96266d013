//! Code actions: a comment that says why a finding is no fault here.

use std::collections::HashMap;

use gen_lsp_types::{
    Code, CodeAction, CodeActionKind, Diagnostic, Position, Range, TextEdit, Uri, WorkspaceEdit,
};

use super::diagnostics::SOURCE;
use super::place::indentation;

/// A suppression for each finding on the lines of the range: the comment stands above the whole line.
pub(crate) fn suppressions(
    uri: &Uri,
    text: &str,
    range: Range,
    known: &[Diagnostic],
) -> Vec<CodeAction> {
    let mut out: Vec<CodeAction> = Vec::new();
    for diagnostic in known.iter().filter(|d| touch(d.range, range)) {
        let (Some(Code::String(kind)), Some(SOURCE)) =
            (&diagnostic.code, diagnostic.source.as_deref())
        else {
            continue;
        };
        let row = diagnostic.range.start.line;
        let start = Position { line: row, character: 0 };
        let comment = format!("// lockstep: allow({kind}) because …");
        let edit = TextEdit {
            range: Range { start, end: start },
            new_text: format!("{}{comment}\n", indentation(text, row)),
        };
        let edits = HashMap::from([(uri.clone(), vec![edit])]);
        let action = CodeAction {
            title: format!("Suppress with {comment}"),
            kind: Some(CodeActionKind::QuickFix),
            diagnostics: Some(vec![diagnostic.clone()]),
            edit: Some(WorkspaceEdit { changes: Some(edits), ..WorkspaceEdit::default() }),
            ..CodeAction::default()
        };
        let same = |a: &CodeAction| a.edit == action.edit;
        match out.iter_mut().find(|a| same(a)) {
            Some(first) => {
                first.diagnostics.get_or_insert_default().push(diagnostic.clone());
            }
            None => out.push(action),
        }
    }
    out
}

fn touch(a: Range, b: Range) -> bool {
    a.start.line <= b.end.line && b.start.line <= a.end.line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(line: u32, from: u32, to: u32) -> Range {
        let at = |character| Position { line, character };
        Range { start: at(from), end: at(to) }
    }

    fn diagnostic(code: &str, source: &str, range: Range) -> Diagnostic {
        Diagnostic {
            range,
            code: Some(Code::String(code.into())),
            source: Some(source.into()),
            ..Diagnostic::default()
        }
    }

    #[test]
    fn a_comment_above_with_the_line_s_indentation() {
        let text = "void f() {\n\t  s[0] = 1;\n}\n";
        let known = [
            diagnostic("data-race", SOURCE, range(1, 3, 9)),
            diagnostic("data-race", SOURCE, range(1, 5, 9)),
            diagnostic("out-of-bounds", SOURCE, range(2, 0, 1)),
            diagnostic("x", "other", range(1, 3, 9)),
        ];
        let uri = Uri("file:///a.cu".into());
        let found = suppressions(&uri, text, range(1, 5, 5), &known);
        let [action] = &found[..] else { panic!("{found:?}") };
        assert_eq!(action.diagnostics.as_ref().map(Vec::len), Some(2));
        let changes = action.edit.as_ref().and_then(|e| e.changes.as_ref()).expect("an edit");
        let expected = TextEdit {
            range: range(1, 0, 0),
            new_text: "\t  // lockstep: allow(data-race) because …\n".into(),
        };
        assert_eq!(changes[&uri], [expected]);
        assert_eq!(suppressions(&uri, text, range(1, 0, 0), &known), found);
        assert!(suppressions(&uri, text, range(0, 0, 5), &known).is_empty());
    }
}
