//! An execution that the exploration of a kernel found, as a finding shows it: what each of its threads did, in its order, and the
//! values that were read and written.
//!
//! What it can miss: threads that the finding is not about, though what they do may be a link between the two.

use std::collections::BTreeSet;

use lockstep_fences::{Action as Acts, Explored, Fault, SharedPlace, Step};
use lockstep_finding::{Action, Actor, Timeline, Trace, TraceEvent};
use lockstep_kernel::{Elem, Kernel, SiteKind};
use lockstep_simulate::bind::element_type;
use lockstep_simulate::{place, site_place};

/// Events of a thread that are shown: those around the one that the finding is about.
const MOST: usize = 12;

/// Threads that are shown where no step is at stake: an assertion may be about what any of them did.
const MOST_THREADS: usize = 4;

/// The timelines of the threads whose steps are marked; where none is, of those that did something.
pub(super) fn trace(kernel: &Kernel, explored: &Explored, fault: &Fault) -> Trace {
    let of_step = |&mark: &usize| Some((fault.timeline.get(mark)?.thread?, Some(mark)));
    let mut shown: Vec<(usize, Option<usize>)> = fault.marked.iter().filter_map(of_step).collect();
    if fault.marked.is_empty() {
        let threads: BTreeSet<usize> = fault.timeline.iter().filter_map(|s| s.thread).collect();
        shown.extend(threads.into_iter().take(MOST_THREADS).map(|thread| (thread, None)));
    }
    let timeline = |(thread, mark)| timeline(kernel, explored, fault, thread, mark);
    Trace { timelines: shown.into_iter().map(timeline).collect(), map: None }
}

fn timeline(
    kernel: &Kernel,
    explored: &Explored,
    fault: &Fault,
    thread: usize,
    mark: Option<usize>,
) -> Timeline {
    let own = |(_, step): &(usize, &Step)| step.thread == Some(thread);
    let own: Vec<(usize, &Step)> = fault.timeline.iter().enumerate().filter(own).collect();
    let mut phase = 0;
    let events = own.iter().map(|&(index, step)| {
        let event = TraceEvent {
            step: index as u64,
            phase,
            op: action(kernel, step),
            object: step.place.map(|at| explored.places[at].object.clone()),
            element: step.place.map(|at| element(&explored.places[at])),
            value: step.value.and_then(|bits| value(&explored.places[step.place?], bits)),
            place: step.site.map(|site| site_place(kernel, site)).unwrap_or_else(|| {
                step.loc.map_or_else(Default::default, |loc| place(kernel, loc))
            }),
            marked: Some(index) == mark,
        };
        phase += u32::from(step.action == Acts::Barrier);
        event
    });
    let mut events: Vec<TraceEvent> = events.collect();
    events.dedup_by(|write, read| {
        is_one_atomic(read, write) && {
            read.value =
                read.value.take().zip(write.value.take()).map(|(a, b)| format!("{a} -> {b}"));
            read.marked |= write.marked;
            true
        }
    });
    let at = events.iter().position(|event| event.marked).unwrap_or(events.len());
    let last = (at + MOST / 2).min(events.len());
    let first = last.saturating_sub(MOST);
    let omitted = [first as u64, (events.len() - last) as u64];
    events.truncate(last);
    events.drain(..first);
    let at = &explored.threads[thread];
    let actor = Actor { block: at.block, thread: Some(at.thread) };
    Timeline { actor, events, omitted, variables: Vec::new() }
}

/// Whether two steps of a thread are the read and the write of one atomic operation.
fn is_one_atomic(read: &TraceEvent, write: &TraceEvent) -> bool {
    let what = |e: &TraceEvent| (e.op, e.element, e.object.clone(), e.place.clone());
    read.op == Action::Atomic && read.step + 1 == write.step && what(read) == what(write)
}

/// What a step does, in the words of findings.
pub(super) fn action(kernel: &Kernel, step: &Step) -> Action {
    let is_atomic = step.site.is_some_and(|site| kernel.site(site).kind == SiteKind::Atomic);
    match step.action {
        Acts::Fence => Action::Fence,
        Acts::Barrier => Action::Barrier,
        _ if is_atomic => Action::Atomic,
        Acts::Write => Action::Write,
        Acts::Read => Action::Read,
    }
}

/// The number of an element in its array.
pub(super) fn element(place: &SharedPlace) -> i64 {
    place.offset as i64 / i64::from(place.elem.size().max(1))
}

/// A value of a place as text; none for a part of an element.
pub(super) fn value(place: &SharedPlace, bits: u64) -> Option<String> {
    let is_whole = matches!(place.elem, Elem::Scalar(_)) && place.elem.size() == place.size;
    is_whole.then(|| element_type(place.elem, "", true).value_text(&bits.to_le_bytes()))
}
