//! Places: from paths and columns of bytes to the protocol's URIs and UTF-16 units, and back.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use gen_lsp_types::{Position, Range, Uri};
use lockstep_finding::source::{expression_at, line_range};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, percent_encode};

/// What stands in the path of a URI as it is.
const PLAIN: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// How the URI of a document begins that was never saved.
const UNSAVED: &str = "untitled:";

pub(crate) fn is_unsaved(uri: &Uri) -> bool {
    uri.0.starts_with(UNSAVED)
}

/// The path of a `file:` URI. A document that was never saved is taken for a file of that name in the folder of the
/// project: there its settings and its headers are looked for.
pub(crate) fn path_of(uri: &Uri) -> Option<PathBuf> {
    if let Some(name) = uri.0.strip_prefix(UNSAVED) {
        let name = percent_decode_str(name).decode_utf8_lossy().replace(['/', '\\', '\0'], "_");
        return Some(normal(Path::new(&format!("{UNSAVED}{name}"))));
    }
    let rest = uri.0.strip_prefix("file://")?;
    // A host may stand before the path.
    let path = &rest[rest.find('/')?..];
    let path = path.split(['?', '#']).next().unwrap_or(path);
    let path: Vec<u8> = percent_decode_str(path).collect();
    Some(normal(Path::new(OsStr::from_bytes(&path))))
}

pub(crate) fn uri_of(path: &Path) -> Uri {
    Uri(format!("file://{}", percent_encode(path.as_os_str().as_bytes(), PLAIN)))
}

/// The path as one name of it: absolute, without `.` and `..`.
pub(crate) fn normal(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let mut out = PathBuf::new();
    for part in absolute.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

/// The expression at a place (1-based line, column in bytes), as far as the text tells it.
pub(crate) fn range_at(text: &str, line: u32, column: u32) -> Range {
    let row = line.saturating_sub(1);
    let found = line_range(text, line.max(1)).map_or("", |r| &text[r]);
    let bytes = expression_at(found, column);
    let (start, end) = (utf16(&found[..bytes.start]), utf16(&found[..bytes.end]));
    let at = |character| Position { line: row, character };
    Range { start: at(start), end: at(end) }
}

/// The whole of a line (1-based), without its indentation.
pub(crate) fn line_at(text: &str, line: u32) -> Range {
    let found = line_range(text, line.max(1)).map_or("", |r| &text[r]);
    let indent = found.len() - found.trim_start().len();
    let at = |character| Position { line: line.saturating_sub(1), character };
    Range { start: at(utf16(&found[..indent])), end: at(utf16(found.trim_end())) }
}

/// The white space a line (0-based) begins with.
pub(crate) fn indentation(text: &str, row: u32) -> &str {
    let line = line_range(text, row + 1).map_or("", |r| &text[r]);
    &line[..line.len() - line.trim_start().len()]
}

fn utf16(text: &str) -> u32 {
    text.encode_utf16().count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_survive_their_uri() {
        for path in ["/a/b.cu", "/with space/ä é.cu", "/100%/a#b?c.cl", "/a/[x]/b+c.cu"] {
            let uri = uri_of(Path::new(path));
            assert!(uri.0.is_ascii() && !uri.0.contains(' '), "{uri}");
            assert_eq!(path_of(&uri), Some(PathBuf::from(path)), "{uri}");
        }
        assert_eq!(uri_of(Path::new("/a b.cu")).0, "file:///a%20b.cu");
    }

    #[test]
    fn other_uris_have_no_path() {
        for uri in ["git:/a/b.cu", "file:", "https://x/y.cu", "file://host"] {
            assert_eq!(path_of(&Uri(uri.into())), None, "{uri}");
        }
        assert_eq!(path_of(&Uri("file://host/a/../b.cu".into())), Some("/b.cu".into()));
        let bytes = PathBuf::from(OsStr::from_bytes(b"/a\xff.cu"));
        assert_eq!(uri_of(&bytes).0, "file:///a%FF.cu");
        assert_eq!(path_of(&uri_of(&bytes)), Some(bytes));
    }

    #[test]
    fn what_was_never_saved_is_in_the_folder() {
        let here = std::env::current_dir().expect("a folder");
        let unsaved = path_of(&Uri("untitled:/x/Untitled%201".into()));
        assert_eq!(unsaved, Some(here.join("untitled:_x_Untitled 1")));
    }

    #[test]
    fn columns_are_counted_in_utf16_units() {
        let text = "first\n  /* 𝄞ä */ s[i] = s[i + 1];\n";
        let column = text.lines().nth(1).and_then(|l| l.find("s[i + 1]")).expect("it is there") + 1;
        let range = range_at(text, 2, column as u32);
        // The clef has two units and four bytes, the umlaut one unit and two bytes.
        assert_eq!(range.start.character as usize, column - 1 - 2 - 1);
        assert_eq!(range.end.character - range.start.character, 8);
        assert_eq!(range.start.line, 1);
    }

    #[test]
    fn places_beyond_the_text_are_empty() {
        for (line, column) in [(9, 9), (1, 99)] {
            let range = range_at("a\n", line, column);
            assert_eq!(range.start, range.end, "{line}:{column}");
        }
        assert_eq!(indentation("\t x\n", 0), "\t ");
        assert_eq!(indentation("x", 7), "");
        assert_eq!(line_at("  ab \n", 1).end.character, 4);
    }
}
