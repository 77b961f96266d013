//! What the threads of a finding did, as a picture: time runs downwards, a rail for
//! each thread, a line across for a barrier that both pass.
//!
//! Between the barriers around the finding each access is shown; before and after,
//! an access is counted. Which comes first within a phase is how this run had it.

use crate::action::Action;
use std::fmt::Write;

use super::escaped;
use super::finding::class;
use crate::render::index_text;
use crate::source::Sources;
use crate::{Spot, Trace, TraceEvent};

/// Phases that are shown before and after those of the finding.
const PHASES_AROUND: u32 = 2;
/// Events of one thread that are shown before the marked one, and after it.
const SHOWN: [usize; 2] = [10, 5];

const WIDTH: u32 = 388;
const ROW: u32 = 22;
const TOP: u32 = 46;
/// The rails, and the letters that fit beside them.
const RAILS: [u32; 2] = [76, 236];
const LETTERS: usize = 20;
/// The room for a thread's label beside its rail, up to the circle of the next or to the edge.
const BESIDE: u32 = 132;

enum Row<'a> {
    /// How many events are left out, by thread.
    Counted([u64; 2], u32),
    Event(usize, &'a TraceEvent),
    /// Who passes a barrier.
    Barrier([bool; 2], &'a TraceEvent),
}

pub(super) fn panel(out: &mut String, trace: &Trace, id: &str, sources: &mut Sources) {
    let rows = rows(trace);
    if rows.is_empty() {
        return;
    }
    let height = TOP + ROW * rows.len() as u32 + 8;
    let _ = writeln!(
        out,
        "<section class=\"panel timeline\"><h4 id=\"{id}-time\">What the threads did</h4><div class=\"picture\" tabindex=\"0\">\
         <svg width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-labelledby=\"{id}-time\">"
    );
    bands(out, &rows);
    heads(out, trace, height);
    for (i, row) in rows.iter().enumerate() {
        let y = TOP + ROW * i as u32 + ROW / 2;
        match row {
            Row::Counted(counts, _) => counted(out, counts, y),
            Row::Event(side, event) => access(out, *side, event, y, sources),
            Row::Barrier(sides, event) => barrier(out, *sides, event, y),
        }
    }
    link(out, &rows);
    out.push_str("</svg></div>\n");
    if trace.timelines.len() > 1 {
        out.push_str("<p class=\"quiet\">Downwards: time, as this run had it. Between two barriers any other order is possible.</p>");
    }
    out.push_str("</section>\n");
}

/// The phase of a thread's marked event.
fn marked_phase(trace: &Trace, side: usize) -> u32 {
    let events = &trace.timelines[side].events;
    let marked = events.iter().find(|e| e.marked).or(events.last());
    marked.map_or(0, |e| e.phase)
}

fn rows(trace: &Trace) -> Vec<Row<'_>> {
    let sides = trace.timelines.len().min(2);
    let phases: Vec<u32> = (0..sides).map(|s| marked_phase(trace, s)).collect();
    let one_block = trace.timelines.windows(2).all(|t| t[0].actor.block == t[1].actor.block);
    let focus = |side: usize| match one_block {
        true => {
            [phases.iter().min().copied().unwrap_or(0), phases.iter().max().copied().unwrap_or(0)]
        }
        false => [phases[side]; 2],
    };
    let mut all: Vec<(usize, &TraceEvent, bool)> = Vec::new();
    for side in 0..sides {
        let events = &trace.timelines[side].events;
        let marked = events.iter().position(|e| e.marked).unwrap_or(events.len());
        for (i, event) in events.iter().enumerate() {
            let [from, to] = focus(side);
            let inside = event.phase >= from && event.phase <= to;
            let near = i + SHOWN[0] >= marked && i <= marked + SHOWN[1];
            all.push((side, event, inside && near));
        }
    }
    all.sort_by_key(|(side, event, _)| (event.step, *side));
    let mut rows: Vec<Row> = Vec::new();
    for (side, event, shown) in all {
        let [from, to] = focus(side);
        let around = event.phase + PHASES_AROUND >= from && event.phase <= to + PHASES_AROUND;
        if event.is_barrier() && !event.marked && around {
            match rows.last_mut() {
                Some(Row::Barrier(who, last)) if last.step == event.step => who[side] = true,
                _ => rows.push(Row::Barrier([side == 0, side == 1], event)),
            }
        } else if shown {
            rows.push(Row::Event(side, event));
        } else {
            count(&mut rows, side, event, 1);
        }
    }
    for side in 0..sides {
        let [before, after] = trace.timelines[side].omitted;
        if let (Some(Row::Counted(counts, _)), true) = (rows.first_mut(), before > 0) {
            counts[side] += before;
        }
        if let (Some(last), true) = (trace.timelines[side].events.last(), after > 0) {
            count(&mut rows, side, last, after);
        }
    }
    rows
}

/// Adds to what the last row counts, or begins one.
fn count<'a>(rows: &mut Vec<Row<'a>>, side: usize, event: &'a TraceEvent, n: u64) {
    match rows.last_mut() {
        Some(Row::Counted(counts, _)) => counts[side] += n,
        _ => {
            let mut counts = [0; 2];
            counts[side] = n;
            rows.push(Row::Counted(counts, event.phase));
        }
    }
}

/// A tinted stretch for each phase, the finding's in red.
fn bands(out: &mut String, rows: &[Row]) {
    let has_mark = |row: &Row| matches!(row, Row::Event(_, e) if e.marked);
    let mut start = 0;
    while start < rows.len() {
        let is_barrier = |r: &Row| matches!(r, Row::Barrier(..));
        let end = rows[start..].iter().position(is_barrier).map_or(rows.len(), |n| start + n);
        if end > start {
            let race = rows[start..end].iter().any(has_mark);
            let (y, height) = (TOP + ROW * start as u32, ROW * (end - start) as u32);
            let _ = writeln!(
                out,
                "<rect class=\"band{}\" x=\"0\" y=\"{y}\" width=\"{WIDTH}\" height=\"{height}\" rx=\"4\"/>",
                if race { " race" } else { "" }
            );
            let phase = match &rows[start] {
                Row::Counted(_, phase) => *phase,
                Row::Event(_, e) | Row::Barrier(_, e) => e.phase,
            };
            let _ = writeln!(
                out,
                "<text class=\"dim\" x=\"8\" y=\"{}\">phase {phase}</text>",
                y + ROW / 2 + 4
            );
        }
        start = end + 1;
    }
}

fn heads(out: &mut String, trace: &Trace, height: u32) {
    for (side, timeline) in trace.timelines.iter().take(2).enumerate() {
        let x = RAILS[side];
        let who = match timeline.actor.thread {
            Some(thread) => format!("thread {}", index_text(thread)),
            None => "group copy".into(),
        };
        let block = format!("block {}", index_text(timeline.actor.block));
        let _ = writeln!(
            out,
            "<line class=\"rail\" x1=\"{x}\" y1=\"{TOP}\" x2=\"{x}\" y2=\"{}\"/>\
             <circle class=\"{}\" cx=\"{x}\" cy=\"16\" r=\"8.5\"/>\
             <text class=\"head plate\" x=\"{x}\" y=\"20\" text-anchor=\"middle\">{}</text>\
             <text class=\"head\" x=\"{}\" y=\"14\"{}>{}</text><text class=\"soft\" x=\"{}\" y=\"30\"{}>{}</text>",
            height - 8,
            class(side),
            side + 1,
            x + 14,
            squeezed(&who),
            escaped(&who),
            x + 14,
            squeezed(&block),
            block
        );
    }
}

/// Makes a label that is too long for the room between the rails as narrow as that room.
fn squeezed(label: &str) -> String {
    match label.chars().count() > LETTERS {
        true => format!(" textLength=\"{BESIDE}\" lengthAdjust=\"spacingAndGlyphs\""),
        false => String::new(),
    }
}

fn counted(out: &mut String, counts: &[u64; 2], y: u32) {
    for (side, n) in counts.iter().enumerate().filter(|(_, n)| **n > 0) {
        let _ = writeln!(
            out,
            "<text class=\"dim\" x=\"{}\" y=\"{}\">{n} event{}</text>",
            RAILS[side] + 14,
            y + 4,
            if *n == 1 { "" } else { "s" }
        );
    }
}

fn access(out: &mut String, side: usize, event: &TraceEvent, y: u32, sources: &mut Sources) {
    let (x, class) = (RAILS[side], class(side));
    let writes = if event.op == Action::Read { "" } else { " writes" };
    let what = what(event);
    let line = match event.place.line {
        0 => String::new(),
        line => format!(":{line}"),
    };
    let room = LETTERS - line.len().min(LETTERS);
    let short = match what.chars().count() > room {
        true => what.chars().take(room.saturating_sub(1)).chain(['…']).collect(),
        false => what.clone(),
    };
    let place = Spot::of(&event.place, sources).to_string();
    let _ = write!(
        out,
        "<g class=\"event\"><title>{} at {}</title><circle class=\"dot {class}{writes}\" cx=\"{x}\" cy=\"{y}\" r=\"5\"/>",
        escaped(&what),
        escaped(&place)
    );
    if event.marked {
        let _ = write!(out, "<circle class=\"ring\" cx=\"{x}\" cy=\"{y}\" r=\"9\"/>");
    }
    let _ = writeln!(
        out,
        "<text{} x=\"{}\" y=\"{}\">{}<tspan class=\"dim\">{line}</tspan></text></g>",
        if event.marked { " class=\"strong\"" } else { "" },
        x + 14,
        y + 4,
        escaped(&short)
    );
}

/// `write s[16]`.
fn what(event: &TraceEvent) -> String {
    match (&event.object, event.element) {
        (Some(object), Some(element)) => format!("{} {object}[{element}]", event.op),
        (Some(object), None) => format!("{} {object}", event.op),
        _ => event.op.to_string(),
    }
}

fn barrier(out: &mut String, sides: [bool; 2], event: &TraceEvent, y: u32) {
    let (from, to) = match sides {
        [true, true] => (8, WIDTH - 8),
        [true, false] => (RAILS[0] - 16, RAILS[1] - 32),
        _ => (RAILS[1] - 16, WIDTH - 8),
    };
    let text = match event.place.line {
        0 => event.op.to_string(),
        line => format!("{}, line {line}", event.op),
    };
    let middle = (from + to) / 2;
    let half = 7 * text.len() as u32 / 2 + 4;
    let _ = writeln!(
        out,
        "<g class=\"event\"><line class=\"barrier\" x1=\"{from}\" y1=\"{y}\" x2=\"{to}\" y2=\"{y}\"/>\
         <rect class=\"plate\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"16\"/>\
         <text class=\"barrier-text\" x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{}</text></g>",
        middle - half,
        y - 8,
        2 * half,
        y + 4,
        escaped(&text)
    );
}

/// Joins the two marked events.
fn link(out: &mut String, rows: &[Row]) {
    let at = |side: usize| {
        let here = |r: &Row| matches!(r, Row::Event(s, e) if *s == side && e.marked);
        rows.iter().position(here).map(|i| TOP + ROW * i as u32 + ROW / 2)
    };
    if let (Some(one), Some(two)) = (at(0), at(1)) {
        let (a, b) = (RAILS[0] + 9, RAILS[1] - 9);
        // Around the text beside the first rail.
        let (dip, mid) = (if two >= one { 11 } else { -11 }, RAILS[1] - 28);
        let turn = one as i64 + dip;
        let _ = writeln!(
            out,
            "<path class=\"link\" d=\"M{a} {one}Q{} {turn} {} {turn}H{mid}Q{} {turn} {b} {two}\"/>",
            a + 4,
            a + 12,
            mid + 12
        );
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::samples;
    use super::*;

    /// Not over the other thread's label, and not beyond the edge of the picture.
    #[test]
    fn long_labels_fit() {
        let room = RAILS[1] - RAILS[0] - 14 - 9;
        assert!(BESIDE <= room && RAILS[1] + 14 + BESIDE <= WIDTH, "{room}");
        let mut trace = samples::trace("s");
        trace.timelines[0].actor.block = [65535, 65535, 65535];
        let mut out = String::new();
        heads(&mut out, &trace, 100);
        let long = "lengthAdjust=\"spacingAndGlyphs\">block (65535,65535,65535)</text>";
        assert!(out.contains(long), "{out}");
        assert_eq!(out.matches("textLength").count(), 1);
    }

    #[test]
    fn barriers_are_shared_and_other_phases_counted() {
        let trace = samples::trace("s");
        let rows = rows(&trace);
        let text: Vec<String> = rows
            .iter()
            .map(|row| match row {
                Row::Counted(counts, phase) => format!("{counts:?} in {phase}"),
                Row::Event(side, e) => format!("{side}: {}", what(e)),
                Row::Barrier(who, e) => format!("{who:?} at {}", e.place.line),
            })
            .collect();
        assert_eq!(
            text,
            ["[1, 1] in 0", "[true, true] at 5", "0: write s[8]", "1: read s[8]", "1: write s[0]"]
        );
    }
}
