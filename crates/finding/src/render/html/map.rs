//! Who read and wrote which element, as a picture: a cell for each element.
//!
//! Blue is read, orange written, a cell of both colours both; the elements on which
//! threads disagree have an edge, the finding's a red one. Rows in which nobody
//! touched anything are left out.

use maud::{Markup, html};

use crate::render::actor_text_of;
use crate::{AccessMap, Cell, Touch, Trace};

const WIDTH: i64 = 388;
const LABEL: i64 = 52;
/// Rows that are shown.
const ROWS: usize = 48;

/// How the cells are laid out.
struct Grid {
    columns: i64,
    size: i64,
    /// First elements of the rows that are shown, none where some are left out.
    rows: Vec<Option<i64>>,
}

impl Grid {
    fn new(map: &AccessMap) -> Grid {
        let [from, to] = map.range;
        let columns = if to - from <= 256 { 16 } else { 32 };
        let size = (WIDTH - LABEL) / columns;
        let touched = |row: i64| {
            map.cells.iter().any(|c| c.element.div_euclid(columns) == row)
                || map.marked.div_euclid(columns) == row
        };
        let all = from.div_euclid(columns)..=(to - 1).div_euclid(columns);
        let few = all.clone().count() <= 8;
        let mut rows: Vec<Option<i64>> = Vec::new();
        for row in all {
            if few || touched(row) {
                rows.push(Some(row * columns));
            } else if rows.last().is_some_and(Option::is_some) || rows.is_empty() {
                rows.push(None);
            }
        }
        Grid { columns, size, rows: around(rows, map.marked, columns) }
    }

    fn position(&self, element: i64) -> Option<(i64, i64)> {
        let start = element.div_euclid(self.columns) * self.columns;
        let row = self.rows.iter().position(|r| *r == Some(start))?;
        Some((LABEL + (element - start) * self.size, row as i64 * self.size))
    }

    fn height(&self) -> i64 {
        self.rows.len() as i64 * self.size + 2
    }
}

/// Not more than [`ROWS`], with the marked one among them.
fn around(rows: Vec<Option<i64>>, marked: i64, columns: i64) -> Vec<Option<i64>> {
    if rows.len() <= ROWS {
        return rows;
    }
    let start = marked.div_euclid(columns) * columns;
    let at = rows.iter().position(|r| *r == Some(start)).unwrap_or(0);
    let from = at.saturating_sub(ROWS / 2).min(rows.len() - ROWS);
    rows[from..from + ROWS].to_vec()
}

pub(super) fn panel(map: &AccessMap, trace: &Trace) -> Markup {
    let grid = Grid::new(map);
    let height = grid.height();
    // The finding's last: its edge lies over its neighbours'.
    let (marked, others): (Vec<&Cell>, Vec<&Cell>) =
        map.cells.iter().partition(|c| c.element == map.marked);
    html! {
        section .panel.map data-columns=(grid.columns) {
            h4 { "Who touches " (title(map)) }
            div .picture {
                svg width=(WIDTH) height=(height) viewBox={ "-1 -1 " (WIDTH) " " (height) } role="group"
                    aria-label={ "Elements of " (map.object) ", by who reads and writes them" }
                {
                    (background(map, &grid))
                    @for cell in others.iter().chain(&marked) {
                        @if let Some((x, y)) = grid.position(cell.element) {
                            (draw(map, cell, x, y, grid.size - 1))
                        }
                    }
                }
            }
            (legend())
            div .detail role="status" {
                @if let Some(cell) = marked.first() { (cell_text(map, cell)) }
            }
            p .quiet { (when(map, trace)) }
        }
    }
}

/// `s, 32 elements of f32`.
fn title(map: &AccessMap) -> String {
    let of = map.element_type.as_ref().map_or(String::new(), |t| format!(" of {t}"));
    format!("{}, {} element{}{of}", map.object, map.length, if map.length == 1 { "" } else { "s" })
}

/// Which accesses are counted.
fn when(map: &AccessMap, trace: &Trace) -> String {
    let [from, to] = map.phases;
    let phases = match (from, to) {
        (a, b) if a == b => format!("in phase {a}"),
        (a, b) => format!("in phases {a} to {b}"),
    };
    let barriers = trace.timelines.iter().flat_map(|t| &t.events).any(|e| e.is_barrier());
    let phases = if barriers || to > 0 { phases } else { "in the whole run".into() };
    match map.block {
        Some(block) => {
            format!(
                "Accesses of block {} {phases}, where no barrier orders them.",
                crate::render::index_text(block)
            )
        }
        None if to == 0 => {
            "Accesses of all blocks: no barrier orders those of different ones.".into()
        }
        None => format!("Accesses of all blocks {phases} between barriers of the grid."),
    }
}

/// Elements that nobody touched, and numbers of rows.
fn background(map: &AccessMap, grid: &Grid) -> Markup {
    let step = if grid.size < 12 { 4 } else { 1 };
    html! {
        @for (i, row) in grid.rows.iter().enumerate() {
            @let y = i as i64 * grid.size;
            @let baseline = y + grid.size / 2 + 3;
            @if let Some(start) = *row {
                @if i % step == 0 || grid.rows[i - 1].is_none() {
                    text .dim x=(LABEL - 6) y=(baseline) text-anchor="end" { (start) }
                }
                (untouched(map, grid, start, y))
            } @else {
                text .dim x=(LABEL + 4) y=(baseline) { "⋯" }
            }
        }
    }
}

/// The elements of one row that nobody touched.
fn untouched(map: &AccessMap, grid: &Grid, start: i64, y: i64) -> Markup {
    let is_shown = |element: i64| element >= map.range[0] && element < map.range[1];
    let is_touched = |element: i64| map.cells.binary_search_by_key(&element, |c| c.element).is_ok();
    html! {
        @for element in (start..start + grid.columns).filter(|e| is_shown(*e) && !is_touched(*e)) {
            @let inside = element >= 0 && (element as u64) < map.length;
            @let class = if inside { "empty" } else { "outside" };
            (square(class, LABEL + (element - start) * grid.size, y, grid.size - 1))
        }
    }
}

fn square(class: &str, x: i64, y: i64, size: i64) -> Markup {
    html! { rect .(class) x=(x) y=(y) width=(size) height=(size) {} }
}

fn draw(map: &AccessMap, cell: &Cell, x: i64, y: i64, size: i64) -> Markup {
    let marked = cell.element == map.marked;
    let text = cell_text(map, cell);
    let ways = [
        ("write", !cell.writers.is_empty()),
        ("atomic", !cell.atomics.is_empty()),
        ("read", !cell.readers.is_empty()),
    ];
    let ways = ways.into_iter().filter(|w| w.1).map(|w| w.0);
    html! {
        g .cell.marked[marked].conflict[cell.conflicts()] tabindex=(if marked { 0 } else { -1 })
            role="button" data-element=(cell.element) data-text=(text) aria-label=(text)
        {
            @for (i, way) in ways.enumerate() { (stretch(i, way, x, y, size)) }
            (square("edge", x, y, size))
        }
    }
}

/// The first way covers the cell, the second its lower right half, a third a stripe.
fn stretch(index: usize, way: &str, x: i64, y: i64, size: i64) -> Markup {
    let half = size - size / 2;
    let outline = match index {
        0 => return square(way, x, y, size),
        1 => format!("M{} {y}v{size}h-{size}z", x + size),
        _ => format!("M{} {}h{half}v-{half}z", x + size / 2, y + size),
    };
    html! { path .(way) d=(outline) {} }
}

/// `s[8]: written by …; read by …`, a line each.
fn cell_text(map: &AccessMap, cell: &Cell) -> String {
    let mut lines = vec![format!("{}[{}]", map.object, cell.element)];
    let outside = cell.element < 0 || cell.element as u64 >= map.length;
    if outside {
        lines[0].push_str(", out of bounds");
    } else if cell.conflicts() {
        lines[0].push_str(", accessed by several threads without synchronisation");
    }
    let ways = [
        ("written", &cell.writers),
        ("atomically changed", &cell.atomics),
        ("read", &cell.readers),
    ];
    for (way, touch) in ways {
        if !touch.is_empty() {
            lines.push(format!("{way} by {}", actors(map, touch)));
        }
    }
    lines.join("\n")
}

fn actors(map: &AccessMap, touch: &Touch) -> String {
    let name = |actor: &crate::Actor| match (map.block, actor.thread) {
        (Some(_), Some(thread)) => crate::render::index_text(thread),
        _ => actor_text_of(actor),
    };
    let mut names: Vec<String> = touch.actors.iter().map(name).collect();
    if touch.more {
        names.push("…".into());
    }
    let noun = match (map.block, names.len()) {
        (None, _) => "",
        (_, 1) => "thread ",
        _ => "threads ",
    };
    format!("{noun}{}", names.join(", "))
}

fn legend() -> Markup {
    let swatch = |inner: Markup, text: &str| {
        html! {
            li {
                svg viewBox="0 0 14 14" class="cell" aria-hidden="true" { (inner) }
                (text)
            }
        }
    };
    let full = |class: &str| html! { rect .(class) width="14" height="14" {} };
    let half = html! { path .read d="M14 0v14h-14z" {} };
    let edge = html! {
        rect x="1.5" y="1.5" width="11" height="11" fill="none" stroke="var(--found)" stroke-width="3" {}
    };
    html! {
        ul .legend {
            (swatch(full("read"), "read"))
            (swatch(full("write"), "written"))
            (swatch(html! { (full("write")) (half) }, "both"))
            (swatch(edge, "this finding"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::samples;
    use super::*;

    #[test]
    fn who_touched_a_cell() {
        let trace = samples::trace("s");
        let map = trace.map.unwrap();
        let cell = map.cells.iter().find(|c| c.element == 8).unwrap();
        assert_eq!(
            cell_text(&map, cell),
            "s[8], accessed by several threads without synchronisation\nwritten by thread (8,0,0)\nread by thread (0,0,0)"
        );
    }

    #[test]
    fn rows_that_nobody_touched_are_left_out() {
        let mut map = samples::trace("s").map.unwrap();
        map.length = 4096;
        map.range = [0, 2048];
        map.cells[0].element = 1600;
        map.cells.sort_by_key(|c| c.element);
        let grid = Grid::new(&map);
        assert_eq!(grid.columns, 32);
        assert_eq!(grid.rows, [Some(0), None, Some(1600), None]);
        assert!(grid.position(1610).is_some());
        assert!(grid.position(700).is_none());
    }
}
