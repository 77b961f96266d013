//! Small pictures in characters, for terminals: the two threads' values side by side,
//! who touches the elements around the one of a finding, and an execution that an exploration found.

use super::{Value, ValueRow, value_rows};
use crate::{AccessMap, Actor, Cell, Finding, Touch, TraceEvent};

/// Most elements of a picture, and its most columns.
const CELLS: usize = 8;
const COLUMNS: usize = 88;

/// A table of the two threads' variables that the accesses depend on: who they are and what
/// they read or wrote, the labels in the source say. What was approximated has a star.
pub(super) fn values(finding: &Finding) -> Option<String> {
    let rows: Vec<ValueRow> = value_rows(finding).into_iter().filter(|row| row.decides).collect();
    if finding.accesses.len() < 2 || rows.is_empty() {
        return None;
    }
    let head = ValueRow {
        name: String::new(),
        is_variable: false,
        decides: false,
        values: (finding.accesses.iter().enumerate())
            .map(|(i, a)| Value { text: format!("({}) {}", i + 1, a.op), approximated: false })
            .collect(),
    };
    let starred = rows.iter().flat_map(|r| &r.values).any(|v| v.approximated);
    let lines: Vec<Vec<String>> = std::iter::once(&head)
        .chain(&rows)
        .map(|row| {
            let star = |v: &Value| if v.approximated { " *" } else { "" };
            let values = row.values.iter().map(|v| format!("{}{}", v.text, star(v)));
            std::iter::once(row.name.clone()).chain(values).collect()
        })
        .collect();
    let mut text = aligned(&lines, false);
    if starred {
        text.push_str("\n(* approximated)");
    }
    Some(text)
}

/// The execution that shows what an exploration found: the steps of the finding's threads, with the numbers of its accesses.
pub(super) fn execution(finding: &Finding) -> Option<String> {
    let timelines = &finding.trace.as_ref().filter(|_| finding.explored)?.timelines;
    let numbered = timelines.iter().enumerate();
    let mut steps: Vec<(usize, &TraceEvent)> =
        numbered.flat_map(|(side, t)| t.events.iter().map(move |e| (side + 1, e))).collect();
    steps.sort_by_key(|(_, event)| event.step);
    let line = |(side, event): &(usize, &TraceEvent)| {
        let at = match event.place.line {
            0 => String::new(),
            line => format!(", line {line}"),
        };
        let here = if event.marked { "   <-" } else { "" };
        format!("\n  ({side}) {}{at}{here}", event.text())
    };
    let lines: String = steps.iter().map(line).collect();
    (!lines.is_empty()).then(|| format!("an execution that the memory model allows:{lines}"))
}

/// Who touches the elements around the finding's, where threads meet there. Nothing where
/// one of the pictures `before` it shows the same.
pub(super) fn map(finding: &Finding, before: &[&AccessMap]) -> Option<String> {
    let map = finding.trace.as_ref()?.map.as_ref()?;
    let at = map.cells.iter().position(|c| c.element == map.marked)?;
    if map.cells.len() < 2 || !map.cells[at].conflicts() || before.iter().any(|b| shows(b, map)) {
        return None;
    }
    let whose = match map.block {
        Some(block) => format!("threads of block {}", super::index_text(block)),
        None => "threads as block:thread".into(),
    };
    let fits = |text: &String| text.lines().all(|l| l.chars().count() <= COLUMNS);
    let picture = (2..=CELLS).rev().map(|most| drawn(map, window(map, most))).find(fits)?;
    Some(format!("nearby elements accessed in the same barrier interval ({whose}):\n{picture}"))
}

/// The elements around the marked one that a picture of so many has.
fn window(map: &AccessMap, most: usize) -> &[Cell] {
    let at = map.cells.iter().position(|c| c.element == map.marked).unwrap_or(0);
    let from = at.saturating_sub(most / 2).min(map.cells.len().saturating_sub(most));
    &map.cells[from..map.cells.len().min(from + most)]
}

/// Whether the picture of a map has the marked element of another, and what it shows is so
/// there too.
fn shows(map: &AccessMap, other: &AccessMap) -> bool {
    let cells = window(map, CELLS);
    (&map.object, map.block) == (&other.object, other.block)
        && cells.iter().any(|c| c.element == other.marked)
        && cells.iter().all(|c| other.cells.contains(c))
}

fn drawn(map: &AccessMap, cells: &[Cell]) -> String {
    let name = |c: &Cell| match c.element == map.marked {
        true => format!("[{}]", c.element),
        false => c.element.to_string(),
    };
    let mut lines = vec![line(&map.object, cells, name)];
    let ways: [(&str, fn(&Cell) -> &Touch); 3] = [
        ("written by", |c| &c.writers),
        ("atomic of", |c| &c.atomics),
        ("read by", |c| &c.readers),
    ];
    for (way, touch) in ways {
        if cells.iter().any(|c| !touch(c).is_empty()) {
            lines.push(line(way, cells, |c| who(map, touch(c))));
        }
    }
    aligned(&lines, true)
}

fn line(name: &str, cells: &[Cell], text: impl Fn(&Cell) -> String) -> Vec<String> {
    std::iter::once(name.to_owned()).chain(cells.iter().map(text)).collect()
}

/// The first two threads, with a plus if there are more.
fn who(map: &AccessMap, touch: &Touch) -> String {
    if touch.is_empty() {
        return "·".into();
    }
    let names: Vec<String> = touch.actors.iter().take(2).map(|a| short(map, a)).collect();
    let more = if touch.actors.len() > 2 || touch.more { "+" } else { "" };
    format!("{}{more}", names.join("/"))
}

/// `16` or `3,1` within a block; `2:16` where blocks matter.
fn short(map: &AccessMap, actor: &Actor) -> String {
    let index = |i: [u32; 3]| crate::launch::index_short(i);
    let thread = actor.thread.map_or("copy".into(), index);
    match map.block {
        Some(_) => thread,
        None => format!("{}:{thread}", index(actor.block)),
    }
}

/// Columns of one width each; names to the left, numbers to the right.
pub(super) fn aligned(lines: &[Vec<String>], right: bool) -> String {
    let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    let width = |c: usize| {
        lines.iter().filter_map(|l| l.get(c)).map(|t| t.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let text = |line: &Vec<String>| {
        let mut out = String::new();
        for (c, cell) in line.iter().enumerate() {
            let w = widths[c];
            match right && c > 0 {
                true => out.push_str(&format!("  {cell:>w$}")),
                false if c > 0 => out.push_str(&format!("  {cell:w$}")),
                false => out.push_str(&format!("{cell:w$}")),
            }
        }
        out.trim_end().to_owned()
    };
    lines.iter().map(text).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;

    #[test]
    fn a_table_and_a_map() {
        let mut finding = samples::race();
        assert_eq!(values(&finding), None);
        assert_eq!(map(&finding, &[]), None);
        finding.trace = Some(samples::trace("s"));
        finding.accesses[1].notes = vec!["d = 8 (approximated)".into(), "no variable".into()];
        assert_eq!(
            values(&finding).unwrap(),
            "     (1) write  (2) read\n\
             tid  8          0\n\
             d    –          8 *\n\
             (* approximated)"
        );
        assert_eq!(
            map(&finding, &[]).unwrap(),
            "nearby elements accessed in the same barrier interval (threads of block (0,0,0)):\n\
             s           0  [8]  9\n\
             written by  0    8  ·\n\
             read by     ·    0  1"
        );
    }
    #[test]
    fn a_picture_is_narrow_and_shown_once() {
        let mut finding = samples::race();
        let mut trace = samples::trace("s");
        let map = trace.map.as_mut().unwrap();
        map.block = None;
        map.marked = 1_000_005;
        let actor = |i: u32| Actor { block: [i, 1000, 0], thread: Some([100, 100, i]) };
        let cell = |i: u32| Cell {
            element: 1_000_000 + i64::from(i),
            readers: Touch { actors: vec![actor(i), actor(i + 1)], more: true },
            writers: Touch { actors: vec![actor(i)], more: false },
            atomics: Touch::default(),
        };
        map.cells = (0..20).map(cell).collect();
        let first = map.clone();
        finding.trace = Some(trace);
        let picture = super::map(&finding, &[]).unwrap();
        assert!(picture.contains("[1000005]"), "{picture}");
        assert!(picture.lines().skip(1).all(|l| l.chars().count() <= COLUMNS), "{picture}");
        assert_eq!(super::map(&finding, &[&first]), None);
        let elsewhere = AccessMap { marked: 1_000_015, ..first.clone() };
        assert_eq!(super::map(&finding, &[&elsewhere]), Some(picture.clone()));
        let mut another_launch = first;
        another_launch.cells[5].writers.more = true;
        assert_eq!(super::map(&finding, &[&another_launch]), Some(picture));
    }
}
