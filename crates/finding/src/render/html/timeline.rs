//! What the threads of a finding did, as a picture: time runs downwards, a rail for
//! each thread, a line across for a barrier that both pass.
//!
//! Between the barriers around the finding each access is shown; before and after,
//! an access is counted. Which comes first within a phase is how this run had it.

use std::ops::Range;

use maud::{Markup, html};

use super::finding::class;
use crate::action::Action;
use crate::render::index_text;
use crate::source::Sources;
use crate::{Actor, Spot, Trace, TraceEvent};

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

impl Row<'_> {
    fn phase(&self) -> u32 {
        match self {
            Row::Counted(_, phase) => *phase,
            Row::Event(_, event) | Row::Barrier(_, event) => event.phase,
        }
    }
}

pub(super) fn panel(trace: &Trace, explored: bool, id: &str, sources: &mut Sources) -> Markup {
    let rows = rows(trace);
    if rows.is_empty() {
        return html! {};
    }
    html! {
        section .panel.timeline {
            h4 #{ (id) "-time" } { "What the threads did" }
            div .picture tabindex="0" { (picture(trace, &rows, id, sources)) }
            @if trace.timelines.len() > 1 {
                p .quiet {
                    @if explored {
                        "Downwards: each thread's accesses in its own order, with the values that the memory model "
                        "lets them have."
                    } @else {
                        "Downwards: time, as this run had it. "
                        "Between two barriers any other order is possible."
                    }
                }
            }
        }
    }
}

fn picture(trace: &Trace, rows: &[Row], id: &str, sources: &mut Sources) -> Markup {
    let height = TOP + ROW * rows.len() as u32 + 8;
    html! {
        svg width=(WIDTH) height=(height) viewBox={ "0 0 " (WIDTH) " " (height) } role="img"
            aria-labelledby={ (id) "-time" }
        {
            (bands(rows))
            (heads(trace, height))
            @for (i, row) in rows.iter().enumerate() {
                @let y = middle_of(i);
                @match row {
                    Row::Counted(counts, _) => { (counted(counts, y)) }
                    Row::Event(side, event) => { (access(*side, event, y, sources)) }
                    Row::Barrier(sides, event) => { (barrier(*sides, event, y)) }
                }
            }
            (link(rows))
        }
    }
}

/// Where the middle of a row is.
fn middle_of(row: usize) -> u32 {
    TOP + ROW * row as u32 + ROW / 2
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
fn bands(rows: &[Row]) -> Markup {
    let has_mark = |row: &Row| matches!(row, Row::Event(_, e) if e.marked);
    html! {
        @for band in between_barriers(rows) {
            @let y = TOP + ROW * band.start as u32;
            rect .band.race[rows[band.clone()].iter().any(has_mark)] x="0" y=(y) width=(WIDTH)
                height=(ROW * band.len() as u32) rx="4" {}
            text .dim x="8" y=(y + ROW / 2 + 4) { "phase " (rows[band.start].phase()) }
        }
    }
}

fn between_barriers(rows: &[Row]) -> Vec<Range<usize>> {
    let is_barrier = |row: &Row| matches!(row, Row::Barrier(..));
    let mut out = Vec::new();
    let mut start = 0;
    while start < rows.len() {
        let end = rows[start..].iter().position(is_barrier).map_or(rows.len(), |n| start + n);
        if end > start {
            out.push(start..end);
        }
        start = end + 1;
    }
    out
}

fn heads(trace: &Trace, height: u32) -> Markup {
    html! {
        @for (side, timeline) in trace.timelines.iter().take(2).enumerate() {
            (head(side, &timeline.actor, height))
        }
    }
}

/// A thread's rail, and who the thread is.
fn head(side: usize, actor: &Actor, height: u32) -> Markup {
    let x = RAILS[side];
    let who = match actor.thread {
        Some(thread) => format!("thread {}", index_text(thread)),
        None => "group copy".into(),
    };
    let block = format!("block {}", index_text(actor.block));
    html! {
        line .rail x1=(x) y1=(TOP) x2=(x) y2=(height - 8) {}
        circle .(class(side)) cx=(x) cy="16" r="8.5" {}
        text .head.plate x=(x) y="20" text-anchor="middle" { (side + 1) }
        (beside("head", x, 14, &who))
        (beside("soft", x, 30, &block))
    }
}

/// A label beside a rail. One that is too long for the room there is made as narrow as that room.
fn beside(class: &str, rail: u32, y: u32, label: &str) -> Markup {
    let squeezed = label.chars().count() > LETTERS;
    html! {
        text .(class) x=(rail + 14) y=(y) textLength=[squeezed.then_some(BESIDE)]
            lengthAdjust=[squeezed.then_some("spacingAndGlyphs")] { (label) }
    }
}

fn counted(counts: &[u64; 2], y: u32) -> Markup {
    html! {
        @for (side, n) in counts.iter().enumerate().filter(|(_, n)| **n > 0) {
            text .dim x=(RAILS[side] + 14) y=(y + 4) {
                (n) " event" @if *n != 1 { "s" }
            }
        }
    }
}

fn access(side: usize, event: &TraceEvent, y: u32, sources: &mut Sources) -> Markup {
    let x = RAILS[side];
    let what = event.text();
    let line = match event.place.line {
        0 => String::new(),
        line => format!(":{line}"),
    };
    html! {
        g .event {
            title { (what) " at " (Spot::of(&event.place, sources)) }
            circle .dot.(class(side)).writes[event.op != Action::Read] cx=(x) cy=(y) r="5" {}
            @if event.marked { circle .ring cx=(x) cy=(y) r="9" {} }
            text class=[event.marked.then_some("strong")] x=(x + 14) y=(y + 4) {
                (shortened(&what, LETTERS.saturating_sub(line.len())))
                tspan .dim { (line) }
            }
        }
    }
}

/// Not more than this many letters.
fn shortened(text: &str, room: usize) -> String {
    match text.chars().count() > room {
        true => text.chars().take(room.saturating_sub(1)).chain(['…']).collect(),
        false => text.to_owned(),
    }
}

fn barrier(sides: [bool; 2], event: &TraceEvent, y: u32) -> Markup {
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
    html! {
        g .event {
            line .barrier x1=(from) y1=(y) x2=(to) y2=(y) {}
            rect .plate x=(middle - half) y=(y - 8) width=(2 * half) height="16" {}
            text .barrier-text x=(middle) y=(y + 4) text-anchor="middle" { (text) }
        }
    }
}

/// Joins the two marked events.
fn link(rows: &[Row]) -> Markup {
    let at = |side: usize| {
        let here = |r: &Row| matches!(r, Row::Event(s, e) if *s == side && e.marked);
        rows.iter().position(here).map(middle_of)
    };
    let (Some(one), Some(two)) = (at(0), at(1)) else { return html! {} };
    let (a, b) = (RAILS[0] + 9, RAILS[1] - 9);
    // Around the text beside the first rail.
    let (dip, mid) = (if two >= one { 11 } else { -11 }, RAILS[1] - 28);
    let turn = one as i64 + dip;
    let (leaves, runs, bends) = (a + 4, a + 12, mid + 12);
    let line = format!("M{a} {one}Q{leaves} {turn} {runs} {turn}H{mid}Q{bends} {turn} {b} {two}");
    html! { path .link d=(line) {} }
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
        let out = heads(&trace, 100).into_string();
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
                Row::Event(side, e) => format!("{side}: {}", e.text()),
                Row::Barrier(who, e) => format!("{who:?} at {}", e.place.line),
            })
            .collect();
        assert_eq!(
            text,
            ["[1, 1] in 0", "[true, true] at 5", "0: write s[8]", "1: read s[8]", "1: write s[0]"]
        );
    }
}
