//! Edits of the source that put in the fences which an exploration found missing.
//!
//! Where a statement begins and ends is read off the text, line by line, and that may be wrong: so nothing is offered that was not
//! tried. The edited text is compiled, and its kernel explored in the launches that show the fault; only if no fault is left, and all
//! executions were seen, the edit is a fix.
//!
//! What it can miss: places in headers and in macros get no edit, nor do atomic operations that need another scope, but for
//! those that CUDA names by it (`atomicAdd_block`).

use lockstep_fences::{Remedy, Spot};
use lockstep_finding::{Edit, Fix, Place, Tried};
use lockstep_kernel::{Kernel, Language, SiteId};

use crate::engines::fences::explorer::{Exploration, explore};
use crate::engines::fences::texts::{fence, place_in};
use crate::engines::table::Question;
use crate::engines::task::Task;
use crate::facts::load::Source;

/// Edits that are compiled and explored before there is no fix.
const MOST_TRIED: usize = 8;

/// An edit that cures all that fences cure, tried in the launches that were explored.
pub(crate) fn fix(task: &Task, q: &Question, exploration: &Exploration) -> Option<Fix> {
    let missing = exploration.answer.missing.as_ref().filter(|missing| missing.verified)?;
    let text = q.source.read()?;
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let file = &q.source.name;
    let edits = missing.remedies.iter().map(|remedy| edits(q.kernel, file, &lines, remedy));
    let edits = edits.collect::<Option<Vec<Vec<Edit>>>>()?;
    let tried = |edits: &Vec<Edit>| cures(task, q, exploration, &applied(&lines, edits)?);
    let edits = choices(&edits).into_iter().take(MOST_TRIED).find(|e| tried(e) == Some(true))?;
    let description = edits.iter().map(described).collect::<Vec<_>>().join(", ");
    let verified = if exploration.is_given { Tried::Proved } else { Tried::Clean };
    Some(Fix { description, verified, edits })
}

/// `insert __threadfence() before line 12`.
fn described(edit: &Edit) -> String {
    let text = edit.text.trim().trim_end_matches(';');
    match edit.column == edit.end_column {
        true => format!("insert {text} before line {}", edit.line),
        false => format!("write {text} at line {}", edit.line),
    }
}

/// Whether the kernel has no fault any more with another text.
fn cures(task: &Task, q: &Question, exploration: &Exploration, text: &str) -> Option<bool> {
    let source = Source::edited(q.source.path(), text.as_bytes().to_vec());
    let module = source.load_any(&task.analysis.input).ok()?;
    let kernel = module.kernels.iter().find(|k| k.mangled == q.kernel.mangled)?;
    let answer = explore(kernel, q, exploration.launches.clone()).ok()?.answer;
    Some(answer.exhaustive() && answer.all_faults().next().is_none())
}

/// One edit of each remedy, in all ways; without repeats, in the order of the text.
fn choices(edits: &[Vec<Edit>]) -> Vec<Vec<Edit>> {
    let mut all: Vec<Vec<Edit>> = vec![Vec::new()];
    for ways in edits {
        let longer = |some: &Vec<Edit>| -> Vec<Vec<Edit>> {
            ways.iter().map(|edit| [some.as_slice(), std::slice::from_ref(edit)].concat()).collect()
        };
        all = all.iter().flat_map(longer).take(MOST_TRIED).collect();
    }
    for edits in &mut all {
        edits.sort_by_key(|edit| (edit.line, edit.column));
        edits.dedup();
    }
    all
}

/// Ways to write a remedy; none if there is no place for it in this file.
fn edits(kernel: &Kernel, file: &str, lines: &[&str], remedy: &Remedy) -> Option<Vec<Edit>> {
    let at = |site: SiteId| place_in(kernel, file, site);
    let ways = match *remedy {
        Remedy::Insert { spot, scope, .. } => {
            let line = at(spot.site())?.line;
            let fence = format!("{};\n", fence(kernel, scope));
            match spot {
                Spot::Before(_) => vec![before(file, lines, line, &fence)?],
                Spot::After(_) => after(file, lines, line, &fence),
            }
        }
        Remedy::Widen { site, scope, .. } => {
            let wider = fence(kernel, scope).trim_end_matches("()");
            let place = at(site)?;
            let word = word_at(lines, &place)?;
            (word.starts_with("__threadfence") && kernel.language == Language::Cuda)
                .then(|| vec![replaced(file, &place, word.len(), wider)])?
        }
        Remedy::Flags { site } => {
            let place = at(site)?;
            let rest = rest_of_line(lines, &place)?;
            let open = rest.find('(')? + 1;
            let length = rest[open..].find([',', ')'])?;
            let first = Place { column: place.column + open as u32, ..place };
            let flags = "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE";
            vec![replaced(file, &first, length, flags)]
        }
        Remedy::Reach { site, .. } => {
            let place = at(site)?;
            let word = word_at(lines, &place)?;
            let name = word.strip_suffix("_block").filter(|name| name.starts_with("atomic"))?;
            vec![replaced(file, &place, word.len(), name)]
        }
    };
    (!ways.is_empty()).then_some(ways)
}

/// What stands on a line before a comment.
fn code(line: &str) -> &str {
    line.split("//").next().unwrap_or_default().trim()
}

fn indentation(line: &str) -> &str {
    &line[..line.len() - line.trim_start().len()]
}

fn insertion(file: &str, line: usize, text: String) -> Edit {
    let line = line as u32;
    Edit { file: file.to_owned(), line, column: 1, end_line: line, end_column: 1, text }
}

/// A line of its own before the statement that a line belongs to.
fn before(file: &str, lines: &[&str], line: u32, fence: &str) -> Option<Edit> {
    let mut first = line as usize - 1;
    let ends = |line: &str| {
        let code = code(line);
        code.ends_with([';', '{', '}', ':']) || code.starts_with('#')
    };
    loop {
        let above = (0..first).rev().find(|&i| !code(lines[i]).is_empty())?;
        if ends(lines[above]) {
            break;
        }
        first = above;
    }
    let indent = indentation(lines.get(first)?);
    Some(insertion(file, first + 1, format!("{indent}{fence}")))
}

/// A line of its own after the statement that begins on a line, or at the beginning of the block that it opens.
fn after(file: &str, lines: &[&str], line: u32, fence: &str) -> Vec<Edit> {
    let first = line as usize - 1;
    let Some(own) = lines.get(first) else { return Vec::new() };
    let mut ways = Vec::new();
    let mut depth = 0i64;
    for (i, text) in lines.iter().enumerate().skip(first) {
        let code = code(text);
        depth += code.matches('{').count() as i64 - code.matches('}').count() as i64;
        if depth <= 0 && code.ends_with([';', '}']) {
            ways.push(insertion(file, i + 2, format!("{}{fence}", indentation(own))));
            break;
        }
    }
    if let Some(next) = lines.get(first + 1).filter(|_| code(own).ends_with('{')) {
        ways.push(insertion(file, first + 2, format!("{}{fence}", indentation(next))));
    }
    ways
}

fn rest_of_line<'a>(lines: &[&'a str], place: &Place) -> Option<&'a str> {
    lines.get(place.line as usize - 1)?.get(place.column as usize - 1..)
}

/// The identifier at a place.
fn word_at<'a>(lines: &[&'a str], place: &Place) -> Option<&'a str> {
    let rest = rest_of_line(lines, place)?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    Some(&rest[..end])
}

fn replaced(file: &str, place: &Place, length: usize, text: &str) -> Edit {
    Edit {
        file: file.to_owned(),
        line: place.line,
        column: place.column,
        end_line: place.line,
        end_column: place.column + length as u32,
        text: text.to_owned(),
    }
}

/// A text with edits, which stand in its order and do not overlap; each within a line.
fn applied(lines: &[&str], edits: &[Edit]) -> Option<String> {
    let mut lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
    lines.push(String::new());
    for edit in edits.iter().rev() {
        let line = lines.get_mut(edit.line as usize - 1)?;
        let range = edit.column as usize - 1..edit.end_column as usize - 1;
        line.get(range.clone())?;
        line.replace_range(range, &edit.text);
    }
    Some(lines.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
void f(int *a) {
    if (a[0])
        g(a); // call
    while (a[1] == 0) {
    }
    if (h(a)) {
        a[2] = 1;
    }
}
";

    fn edited(edit: &Edit) -> String {
        let lines: Vec<&str> = TEXT.split_inclusive('\n').collect();
        applied(&lines, std::slice::from_ref(edit)).expect("the edit is inside")
    }

    #[test]
    fn a_fence_before_a_statement_stands_before_its_condition() {
        let lines: Vec<&str> = TEXT.split_inclusive('\n').collect();
        let edit = before("f.cu", &lines, 3, "fence();\n").expect("a statement is above");
        assert_eq!((edit.line, edit.text.as_str()), (2, "    fence();\n"));
        assert_eq!(edited(&edit), TEXT.replace("    if (a[0])", "    fence();\n    if (a[0])"));
        assert_eq!(before("f.cu", &lines, 1, "fence();\n"), None);
    }

    #[test]
    fn a_fence_after_a_statement_stands_behind_its_block_or_in_it() {
        let lines: Vec<&str> = TEXT.split_inclusive('\n').collect();
        let at = |line: u32| -> Vec<(u32, String)> {
            let edits = after("f.cu", &lines, line, "fence();\n");
            edits.into_iter().map(|edit| (edit.line, edit.text)).collect()
        };
        assert_eq!(at(3), [(4, "        fence();\n".to_owned())]);
        assert_eq!(at(4)[0], (6, "    fence();\n".to_owned()));
        let (outer, inner) = ("    fence();\n".to_owned(), "        fence();\n".to_owned());
        assert_eq!(at(6), [(9, outer), (7, inner)]);
    }

    #[test]
    fn edits_of_one_line_are_applied_from_its_end() {
        let place = |column| Place { line: 3, column, ..Place::default() };
        let edits = [replaced("f.cu", &place(9), 1, "gg"), replaced("f.cu", &place(11), 1, "b")];
        let lines: Vec<&str> = TEXT.split_inclusive('\n').collect();
        assert_eq!(applied(&lines, &edits).unwrap(), TEXT.replace("g(a);", "gg(b);"));
    }
}
